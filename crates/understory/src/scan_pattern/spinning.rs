//! A head that turns, with lasers that fire in a fixed cycle: pulse index → direction and origin.
//!
//! The head turns continuously, so each firing has the azimuth of its own time:
//! θ(t) = θ₀ ± 2π·f·t, counter-clockwise seen from above for +. A laser with elevation ω and
//! azimuth offset δ (to the left) looks along (cos ω·cos(θ+δ), cos ω·sin(θ+δ), sin ω). Its beam
//! leaves the sensor at `forward` along the head's own direction θ, plus `left`, level and
//! perpendicular to the beam, plus `up`. With θ = −α this is what decoders of Velodyne packets
//! compute: x = d·cos ω·cos(α−δ), y = −d·cos ω·sin(α−δ), z = d·sin ω + offset.
//!
//! Two timings exist. *Free running*: cycles follow each other without regard to the encoder, so
//! that revolutions differ by a fraction of a column (Velodyne, Hesai). *Framed*: the encoder
//! triggers columns at fixed azimuths, the same in each scan (Ouster, line scanners, windows).
//!
//! The encoder's zero looks along x at time 0; in a framed pattern the first column fires at
//! time 0.

use std::f64::consts::TAU;
use std::ops::Range;

use glam::DVec3;

use super::{Cycle, Pulses, first_multiple_at};

/// Share of a revolution within which a cycle counts as starting the next one.
const REVOLUTION_SLACK: f64 = 1e-9;

/// Sense of rotation seen from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Like the hands of a clock: azimuth in the sensor's frame falls.
    Clockwise,
    /// Against them.
    Counterclockwise,
}

impl Direction {
    fn sign(self) -> f64 {
        match self {
            Direction::Clockwise => -1.0,
            Direction::Counterclockwise => 1.0,
        }
    }
}

/// One laser of the head.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Laser {
    /// Angle above the horizon.
    pub elevation_rad: f64,
    /// Angle to the left of the head's direction.
    pub azimuth_offset_rad: f64,
    /// Origin of the beam along the head's direction.
    pub forward_m: f64,
    /// Origin of the beam to the left, perpendicular to the beam.
    pub left_m: f64,
    /// Origin of the beam above the sensor's origin.
    pub up_m: f64,
}

/// One firing of a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Firing {
    /// Which laser.
    pub channel: u16,
    /// Time after the start of the column.
    pub offset_s: f64,
}

/// One column of a framed pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Time after the start of the scan.
    pub time_s: f64,
    /// Azimuth of the head at that time, counter-clockwise from x.
    pub azimuth_rad: f64,
    /// Index of the first firing of the column in the list of firings.
    pub first_firing: usize,
}

/// When columns fire.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// All firings, again and again.
    FreeRunning {
        /// Duration of a cycle.
        cycle_s: f64,
    },
    /// Columns at fixed azimuths.
    Framed {
        /// Duration of a scan.
        scan_s: f64,
        /// The columns, rising in time; at least one.
        columns: Vec<Column>,
        /// Firings in each column.
        firings_per_column: usize,
    },
}

/// What a spinning pattern is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinningSpec {
    /// Revolutions per second of the head or mirror.
    pub rotation_hz: f64,
    /// Sense of rotation.
    pub direction: Direction,
    /// Step of the encoder that reports the azimuth; 0: none.
    pub encoder_step_rad: f64,
    /// The lasers.
    pub lasers: Vec<Laser>,
    /// The firings, rising in time within a column.
    pub firings: Vec<Firing>,
    /// When columns fire.
    pub timing: Timing,
}

/// A spinning pattern, ready to fill batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Spinning {
    spec: SpinningSpec,
    optics: Vec<LaserOptics>,
}

/// A laser's sines and cosines.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LaserOptics {
    sin_elevation: f64,
    cos_elevation: f64,
    sin_offset: f64,
    cos_offset: f64,
}

impl Spinning {
    /// Builds the pattern; `None` if it is empty, a firing names a laser that does not exist, or a
    /// time, rate or column is not positive and finite.
    pub fn new(spec: SpinningSpec) -> Option<Spinning> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let firings = spec.firings.len();
        let timing = match &spec.timing {
            Timing::FreeRunning { cycle_s } => positive(*cycle_s),
            Timing::Framed { scan_s, columns, firings_per_column } => {
                positive(*scan_s)
                    && !columns.is_empty()
                    && *firings_per_column > 0
                    && columns.windows(2).all(|pair| pair[0].time_s <= pair[1].time_s)
                    && columns.iter().all(|column| {
                        (0.0..*scan_s).contains(&column.time_s)
                            && column
                                .first_firing
                                .checked_add(*firings_per_column)
                                .is_some_and(|end| end <= firings)
                    })
            }
        };
        let lasers = spec.firings.iter().all(|f| usize::from(f.channel) < spec.lasers.len());
        let optics = spec
            .lasers
            .iter()
            .map(|laser| {
                let (sin_elevation, cos_elevation) = laser.elevation_rad.sin_cos();
                let (sin_offset, cos_offset) = laser.azimuth_offset_rad.sin_cos();
                LaserOptics { sin_elevation, cos_elevation, sin_offset, cos_offset }
            })
            .collect();
        (timing && lasers && firings > 0 && positive(spec.rotation_hz))
            .then_some(Spinning { spec, optics })
    }

    /// The lasers.
    pub fn lasers(&self) -> &[Laser] {
        &self.spec.lasers
    }

    /// What the pattern is made of.
    pub fn spec(&self) -> &SpinningSpec {
        &self.spec
    }

    /// Angle between neighbouring columns: the true one if they are evenly spaced.
    pub fn azimuth_step_rad(&self) -> f64 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => TAU * self.spec.rotation_hz * cycle_s,
            Timing::Framed { columns, .. } => {
                let angles =
                    columns.windows(2).map(|p| (p[1].azimuth_rad - p[0].azimuth_rad).abs());
                angles.filter(|angle| *angle > 0.0).fold(TAU, f64::min)
            }
        }
    }

    pub(super) fn pulse_rate_hz(&self) -> f64 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => self.spec.firings.len() as f64 / cycle_s,
            Timing::Framed { scan_s, columns, firings_per_column } => {
                (columns.len() * firings_per_column) as f64 / scan_s
            }
        }
    }

    pub(super) fn scan_duration_s(&self) -> f64 {
        match &self.spec.timing {
            Timing::FreeRunning { .. } => 1.0 / self.spec.rotation_hz,
            Timing::Framed { scan_s, .. } => *scan_s,
        }
    }

    pub(super) fn columns_per_scan(&self) -> u32 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => {
                (1.0 / (self.spec.rotation_hz * cycle_s) - 1e-6).ceil() as u32
            }
            Timing::Framed { columns, .. } => u32::try_from(columns.len()).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn first_pulse_at(&self, time_s: f64) -> u64 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => {
                first_multiple_at(time_s, *cycle_s).saturating_mul(self.spec.firings.len() as u64)
            }
            Timing::Framed { scan_s, columns, firings_per_column } => {
                // The scan before the first that starts at or after the time may still have
                // columns that start in time.
                let next = first_multiple_at(time_s, *scan_s);
                let scan = next.saturating_sub(1);
                let start_s = scan as f64 * scan_s;
                let column = if next == 0 {
                    0
                } else {
                    columns.partition_point(|column| start_s + column.time_s < time_s)
                };
                scan.saturating_mul(columns.len() as u64)
                    .saturating_add(column as u64)
                    .saturating_mul(*firings_per_column as u64)
            }
        }
    }

    pub(super) fn cycle_of(&self, pulse: u64) -> Cycle {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => {
                let count = self.spec.firings.len() as u64;
                let cycle = pulse / count;
                Cycle { start_s: cycle as f64 * cycle_s, end: (cycle + 1) * count }
            }
            Timing::Framed { scan_s, columns, firings_per_column } => {
                let count = *firings_per_column as u64;
                let index = pulse / count;
                let scan = index / columns.len() as u64;
                let column = &columns[(index % columns.len() as u64) as usize];
                let start_s = scan as f64 * scan_s + column.time_s;
                Cycle { start_s, end: (index + 1) * count }
            }
        }
    }

    pub(super) fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => self.fill_free(pulses, *cycle_s, out),
            Timing::Framed { scan_s, columns, firings_per_column } => {
                self.fill_framed(pulses, *scan_s, columns, *firings_per_column, out);
            }
        }
    }

    fn fill_free(&self, pulses: Range<u64>, cycle_s: f64, out: &mut Pulses) {
        let rotation_hz = self.spec.rotation_hz;
        let sign = self.spec.direction.sign();
        let revolutions_per_cycle = rotation_hz * cycle_s;
        let count = self.spec.firings.len() as u64;
        let mut pulse = pulses.start;
        while pulse < pulses.end {
            let cycle = pulse / count;
            let revolutions = cycle as f64 * revolutions_per_cycle;
            let scan = revolution_of(cycle, revolutions_per_cycle);
            let column = cycle - first_cycle_of(scan, revolutions_per_cycle).min(cycle);
            let azimuth_rad = sign * TAU * revolutions.fract();
            let end = pulses.end.min((cycle + 1).saturating_mul(count));
            let firings = (pulse - cycle * count) as usize..(end - cycle * count) as usize;
            let start_s = cycle as f64 * cycle_s;
            self.push_column(&self.spec.firings[firings], start_s, azimuth_rad, scan, column, out);
            pulse = end;
        }
    }

    fn fill_framed(
        &self,
        pulses: Range<u64>,
        scan_s: f64,
        columns: &[Column],
        per_column: usize,
        out: &mut Pulses,
    ) {
        let count = per_column as u64;
        let mut pulse = pulses.start;
        while pulse < pulses.end {
            let index = pulse / count;
            let scan = index / columns.len() as u64;
            let in_scan = index % columns.len() as u64;
            let column = columns[in_scan as usize];
            let end = pulses.end.min((index + 1).saturating_mul(count));
            let firings = column.first_firing + (pulse - index * count) as usize
                ..column.first_firing + (end - index * count) as usize;
            let start_s = scan as f64 * scan_s + column.time_s;
            let azimuth_rad = column.azimuth_rad;
            self.push_column(&self.spec.firings[firings], start_s, azimuth_rad, scan, in_scan, out);
            pulse = end;
        }
    }

    /// Adds firings of one column that starts at `start_s` with the head at `azimuth_rad`.
    fn push_column(
        &self,
        firings: &[Firing],
        start_s: f64,
        azimuth_rad: f64,
        scan: u64,
        column: u64,
        out: &mut Pulses,
    ) {
        let turn_rad_per_s = self.spec.direction.sign() * TAU * self.spec.rotation_hz;
        let step = self.spec.encoder_step_rad;
        // The encoder is read once per column; decoders interpolate the rest from the times.
        let report_error_rad =
            if step > 0.0 { (azimuth_rad / step).round() * step - azimuth_rad } else { 0.0 };
        let mut last_offset_s = f64::NAN;
        let (mut sin, mut cos) = (0.0, 0.0);
        for firing in firings {
            if firing.offset_s != last_offset_s {
                (sin, cos) = (azimuth_rad + turn_rad_per_s * firing.offset_s).sin_cos();
                last_offset_s = firing.offset_s;
            }
            let laser = &self.spec.lasers[usize::from(firing.channel)];
            let optics = &self.optics[usize::from(firing.channel)];
            let beam_cos = cos * optics.cos_offset - sin * optics.sin_offset;
            let beam_sin = sin * optics.cos_offset + cos * optics.sin_offset;
            out.time_s.push(start_s + firing.offset_s);
            out.channel.push(firing.channel);
            out.scan.push(u32::try_from(scan).unwrap_or(u32::MAX));
            out.column.push(u32::try_from(column).unwrap_or(u32::MAX));
            out.direction.push(DVec3::new(
                optics.cos_elevation * beam_cos,
                optics.cos_elevation * beam_sin,
                optics.sin_elevation,
            ));
            out.origin_m.push(DVec3::new(
                laser.forward_m * cos - laser.left_m * beam_sin,
                laser.forward_m * sin + laser.left_m * beam_cos,
                laser.up_m,
            ));
            out.azimuth_report_error_rad.push(report_error_rad as f32);
        }
    }
}

/// Revolution in which a cycle starts.
fn revolution_of(cycle: u64, revolutions_per_cycle: f64) -> u64 {
    (cycle as f64 * revolutions_per_cycle + REVOLUTION_SLACK) as u64
}

/// First cycle that starts in a revolution.
fn first_cycle_of(revolution: u64, revolutions_per_cycle: f64) -> u64 {
    let mut cycle = (revolution as f64 / revolutions_per_cycle) as u64;
    while cycle > 0 && revolution_of(cycle - 1, revolutions_per_cycle) >= revolution {
        cycle -= 1;
    }
    while revolution_of(cycle, revolutions_per_cycle) < revolution {
        cycle += 1;
    }
    cycle
}

/// Columns of a mirror or head that fires at fixed steps within a window, once per step and scan.
///
/// With `interlace` n a scan takes n revolutions, each with every n-th step and shifted by one
/// step (the LMS-291 reaches 0.5° and 0.25° this way). The first column fires at the window's
/// start: its least azimuth if the head turns counter-clockwise, its greatest otherwise.
pub fn window_columns(
    window_deg: [f64; 2],
    step_deg: f64,
    interlace: u32,
    rotation_hz: f64,
    direction: Direction,
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
            }
        })
        .collect()
}

/// How the columns of P2's two-block readout are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TwoBlockResolution {
    /// 360/(N−1), as equations (6) and (7) print it.
    Paper,
    /// 360/N, which closes the circle.
    FullCircle,
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
            }
        })
        .collect()
}
