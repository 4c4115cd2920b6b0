//! Columns at fixed times and angles, the same in each scan: pulse index ↔ column and time.
//!
//! The encoder of a head or a mirror triggers the columns. Every column fires some of the
//! sensor's lasers; columns may differ in how many (a line scanner whose outer field has fewer
//! layers).

use std::ops::Range;

use understory_files::sensor::{Direction, TwoBlockResolution};

use super::{Cycle, first_multiple_at};

/// One column of a scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Time after the start of the scan.
    pub time_s: f64,
    /// Azimuth of the head or mirror at that time, counter-clockwise from x.
    pub azimuth_rad: f64,
    /// Index of the first firing of the column in the list of firings.
    pub first_firing: usize,
    /// Number of firings of the column, at least 1.
    pub firings: usize,
}

/// The columns of a scan and how long it lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    scan_s: f64,
    columns: Vec<Column>,
    /// Pulses of a scan before each column, and at the end those of all.
    pulses_before: Vec<u64>,
}

/// Some firings of one column.
pub(super) struct ColumnPart {
    /// Which of the list of firings.
    pub firings: Range<usize>,
    /// When the column starts.
    pub start_s: f64,
    /// Azimuth at the start of the column.
    pub azimuth_rad: f64,
    pub scan: u64,
    pub column: u64,
}

impl Frames {
    /// Scans of `scan_s` made of `columns`, whose firings are indices below `firings`; `None` if
    /// there is no column, times fall or leave the scan, or a column has no firing.
    pub fn new(scan_s: f64, columns: Vec<Column>, firings: usize) -> Option<Frames> {
        let valid = scan_s.is_finite()
            && scan_s > 0.0
            && !columns.is_empty()
            && columns.windows(2).all(|pair| pair[0].time_s <= pair[1].time_s)
            && columns.iter().all(|column| {
                (0.0..scan_s).contains(&column.time_s)
                    && column.azimuth_rad.is_finite()
                    && column.firings > 0
                    && column
                        .first_firing
                        .checked_add(column.firings)
                        .is_some_and(|end| end <= firings)
            });
        if !valid {
            return None;
        }
        let mut pulses_before = Vec::with_capacity(columns.len() + 1);
        let mut pulses = 0u64;
        pulses_before.push(0);
        for column in &columns {
            pulses = pulses.checked_add(column.firings as u64)?;
            pulses_before.push(pulses);
        }
        Some(Frames { scan_s, columns, pulses_before })
    }

    /// Duration of a scan.
    pub fn scan_s(&self) -> f64 {
        self.scan_s
    }

    /// The columns of a scan.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Pulses of a scan.
    pub fn pulses_per_scan(&self) -> u64 {
        self.pulses_before.last().copied().unwrap_or(1)
    }

    /// Least angle between neighbouring columns that differ.
    pub fn azimuth_step_rad(&self) -> f64 {
        let angles = self.columns.windows(2).map(|p| (p[1].azimuth_rad - p[0].azimuth_rad).abs());
        angles.filter(|angle| *angle > 0.0).fold(std::f64::consts::TAU, f64::min)
    }

    /// Least and greatest azimuth of the columns.
    pub fn azimuth_limits_rad(&self) -> [f64; 2] {
        let angles = || self.columns.iter().map(|column| column.azimuth_rad);
        [angles().fold(f64::INFINITY, f64::min), angles().fold(f64::NEG_INFINITY, f64::max)]
    }

    pub(super) fn pulse_rate_hz(&self) -> f64 {
        self.pulses_per_scan() as f64 / self.scan_s
    }

    pub(super) fn columns_per_scan(&self) -> u32 {
        u32::try_from(self.columns.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn first_pulse_at(&self, time_s: f64) -> u64 {
        // The scan before the first that starts at or after the time may still have columns that
        // start in time.
        let next = first_multiple_at(time_s, self.scan_s);
        let scan = next.saturating_sub(1);
        let start_s = scan as f64 * self.scan_s;
        let column = if next == 0 {
            0
        } else {
            self.columns.partition_point(|column| start_s + column.time_s < time_s)
        };
        scan.saturating_mul(self.pulses_per_scan()).saturating_add(self.pulses_before[column])
    }

    pub(super) fn cycle_of(&self, pulse: u64) -> Cycle {
        let (scan, index) = self.column_of(pulse);
        let start_s = scan as f64 * self.scan_s + self.columns[index].time_s;
        let end = scan
            .saturating_mul(self.pulses_per_scan())
            .saturating_add(self.pulses_before[index + 1]);
        Cycle { start_s, end }
    }

    /// Scan of a pulse and its column there.
    fn column_of(&self, pulse: u64) -> (u64, usize) {
        let in_scan = pulse % self.pulses_per_scan();
        let index = self.pulses_before.partition_point(|before| *before <= in_scan) - 1;
        (pulse / self.pulses_per_scan(), index)
    }

    /// Calls `push` for the columns, and parts of columns, that hold the pulses, in order.
    pub(super) fn for_each(&self, pulses: Range<u64>, mut push: impl FnMut(ColumnPart)) {
        let (mut scan, mut index) = self.column_of(pulses.start);
        let mut pulse = pulses.start;
        while pulse < pulses.end {
            let column = self.columns[index];
            let first = scan * self.pulses_per_scan() + self.pulses_before[index];
            let end = pulses.end.min(first.saturating_add(column.firings as u64));
            push(ColumnPart {
                firings: column.first_firing + (pulse - first) as usize
                    ..column.first_firing + (end - first) as usize,
                start_s: scan as f64 * self.scan_s + column.time_s,
                azimuth_rad: column.azimuth_rad,
                scan,
                column: index as u64,
            });
            pulse = end;
            index += 1;
            if index == self.columns.len() {
                (scan, index) = (scan + 1, 0);
            }
        }
    }
}

/// Columns of a mirror or head that fires at fixed steps within a window, once per step and scan.
///
/// With `interlace` n a scan takes n revolutions, each with every n-th step and shifted by one
/// step (the LMS-291 reaches 0.5° and 0.25° this way). The first column fires at the window's
/// start: its least azimuth if the head turns counter-clockwise, its greatest otherwise. Every
/// column has the same number of `firings`.
pub fn window_columns(
    window_deg: [f64; 2],
    step_deg: f64,
    interlace: u32,
    rotation_hz: f64,
    direction: Direction,
    firings: usize,
) -> Vec<Column> {
    let [min_deg, max_deg] = window_deg;
    let width_deg = max_deg - min_deg;
    // A slack of a thousandth of a step keeps both ends of 180° in steps of 1° or 0.1667°; a full
    // circle ends one step before its start.
    let mut count = (width_deg / step_deg + 1e-3).floor() as usize + 1;
    if count > 1 && (count - 1) as f64 * step_deg > 360.0 - 0.5 * step_deg {
        count -= 1;
    }
    let start_deg = if direction == Direction::Counterclockwise { min_deg } else { max_deg };
    let interlace = interlace.max(1) as usize;
    (0..interlace)
        .flat_map(|pass| (pass..count).step_by(interlace).map(move |step| (pass, step)))
        .map(|(pass, step)| {
            let angle_deg = step as f64 * step_deg;
            Column {
                time_s: (pass as f64 + angle_deg / 360.0) / rotation_hz,
                azimuth_rad: (start_deg + direction.sign() * angle_deg).to_radians(),
                first_firing: 0,
                firings,
            }
        })
        .collect()
}

/// Steps in degrees of P2's lower and upper block, equations (6) and (7).
pub fn two_block_steps_deg(
    points_per_s: f64,
    block: usize,
    rotation_hz: f64,
    resolution: TwoBlockResolution,
) -> [f64; 2] {
    // With 10⁶ points/s and 32 lasers: 250 000/(32 ω) and 250 000/(8 ω).
    let lower = points_per_s / (4 * block) as f64 / rotation_hz;
    let less = if resolution == TwoBlockResolution::Paper { 1.0 } else { 0.0 };
    [360.0 / (lower - less), 360.0 / (4.0 * lower - less)]
}

/// Columns of P2's HDL-64E: three of the upper block, then one of the lower, from −180° on.
///
/// The firings list must hold the `block` upper lasers first and the lower ones behind them. With
/// `Paper`, each block keeps its own grid of azimuths, as the two sensors that P2 combines;
/// with `FullCircle` the lower column stands where the fourth upper one would.
pub fn two_block_columns(
    points_per_s: f64,
    block: usize,
    rotation_hz: f64,
    resolution: TwoBlockResolution,
) -> Vec<Column> {
    let [lower_deg, upper_deg] = two_block_steps_deg(points_per_s, block, rotation_hz, resolution);
    // Whole cycles only, as P2's program truncates them: 781 at 10 Hz.
    let cycles = (points_per_s / (4 * block) as f64 / rotation_hz + 1e-9).floor() as usize;
    let column_s = 1.0 / (rotation_hz * (4 * cycles) as f64);
    (0..4 * cycles)
        .map(|index| {
            let is_lower = index % 4 == 3;
            let own_grid = is_lower && resolution == TwoBlockResolution::Paper;
            let angle_deg =
                if own_grid { (index / 4) as f64 * lower_deg } else { index as f64 * upper_deg };
            Column {
                time_s: index as f64 * column_s,
                azimuth_rad: (angle_deg - 180.0).to_radians(),
                first_firing: if is_lower { block } else { 0 },
                firings: block,
            }
        })
        .collect()
}
