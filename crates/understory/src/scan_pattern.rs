//! Which way the sensor looks, and when: pulse index → [`Pulses`].
//!
//! A pattern is a pure function of the pulse index, so that any interval of a run can be computed
//! by itself. Angles and offsets are in the sensor's frame: x forward, y left, z up.

mod spinning;
mod table;

use std::ops::Range;

use glam::DVec3;

use crate::trajectory::Pose;

pub use spinning::{Column, Direction, Firing, Laser, Spinning, SpinningSpec, Timing};
pub use spinning::{TwoBlockResolution, two_block_columns, two_block_steps_deg, window_columns};
pub use table::{Table, TableRow};

/// Rounding of times that is forgiven where a time is turned into a pulse.
const START_SLACK_S: f64 = 1e-9;

/// A batch of pulses as columns, in firing order. Everything is in the sensor's frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pulses {
    /// Index of the first pulse of the batch; the others follow one by one.
    pub first: u64,
    /// Firing time in seconds since the start of the run.
    pub time_s: Vec<f64>,
    /// Laser channel.
    pub channel: Vec<u16>,
    /// Revolution or frame.
    pub scan: Vec<u32>,
    /// Step within the revolution or frame.
    pub column: Vec<u32>,
    /// True direction of the beam's axis, unit length.
    pub direction: Vec<DVec3>,
    /// Where the beam leaves the sensor.
    pub origin_m: Vec<DVec3>,
    /// What the sensor reports as azimuth minus the true azimuth (encoder steps), radians.
    pub azimuth_report_error_rad: Vec<f32>,
}

impl Pulses {
    /// Number of pulses.
    pub fn len(&self) -> usize {
        self.time_s.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.time_s.is_empty()
    }

    /// Removes all pulses and keeps the memory.
    pub fn clear(&mut self) {
        self.time_s.clear();
        self.channel.clear();
        self.scan.clear();
        self.column.clear();
        self.direction.clear();
        self.origin_m.clear();
        self.azimuth_report_error_rad.clear();
    }
}

/// The geometry and timing of a sensor's pulses.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanPattern {
    kind: Kind,
    /// Pose of the frame in which the pattern is defined, in the sensor's frame.
    sensor_from_lidar: Pose,
}

/// The kinds of pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Lasers on a turning head, or one behind a turning mirror.
    Spinning(Spinning),
    /// Directions listed one by one.
    Table(Table),
}

impl ScanPattern {
    /// A pattern given in a frame whose pose in the sensor's frame is `sensor_from_lidar`.
    pub fn new(kind: Kind, sensor_from_lidar: Pose) -> ScanPattern {
        ScanPattern { kind, sensor_from_lidar }
    }

    /// Which pattern it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Pose of the lidar's own frame in the sensor's frame.
    pub fn sensor_from_lidar(&self) -> &Pose {
        &self.sensor_from_lidar
    }

    /// Replaces the content of `out` by the pulses with these indices.
    pub fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        out.clear();
        out.first = pulses.start;
        match &self.kind {
            Kind::Spinning(spinning) => spinning.fill(pulses, out),
            Kind::Table(table) => table.fill(pulses, out),
        }
        if self.sensor_from_lidar != Pose::IDENTITY {
            let rotation = self.sensor_from_lidar.rotation_matrix();
            let translation = self.sensor_from_lidar.translation;
            out.direction.iter_mut().for_each(|direction| *direction = rotation * *direction);
            out.origin_m.iter_mut().for_each(|origin| *origin = rotation * *origin + translation);
        }
    }

    /// The first pulse whose firing cycle (one column of a spinning sensor, one row of a table)
    /// starts at or after `time_s`.
    ///
    /// It never falls when the time rises, so intervals `a..b` and `b..c` share no pulse and
    /// leave none out. Starts less than a nanosecond before the time count as at it, because
    /// 2000 cycles of 50 µs must end at 0.1 s whatever the rounding.
    pub fn first_pulse_at(&self, time_s: f64) -> u64 {
        let time_s = time_s - START_SLACK_S;
        match &self.kind {
            Kind::Spinning(spinning) => spinning.first_pulse_at(time_s),
            Kind::Table(table) => table.first_pulse_at(time_s),
        }
    }

    /// Pulses per second, averaged over a scan.
    pub fn pulse_rate_hz(&self) -> f64 {
        match &self.kind {
            Kind::Spinning(spinning) => spinning.pulse_rate_hz(),
            Kind::Table(table) => table.rows().len() as f64 / table.cycle_s(),
        }
    }

    /// Duration of a scan: a revolution, or a frame.
    pub fn scan_duration_s(&self) -> f64 {
        match &self.kind {
            Kind::Spinning(spinning) => spinning.scan_duration_s(),
            Kind::Table(table) => table.cycle_s(),
        }
    }

    /// Number of laser channels.
    pub fn channels(&self) -> usize {
        match &self.kind {
            Kind::Spinning(spinning) => spinning.lasers().len(),
            Kind::Table(table) => table.channels(),
        }
    }

    /// Most columns that a scan can have.
    pub fn columns_per_scan(&self) -> u32 {
        match &self.kind {
            Kind::Spinning(spinning) => spinning.columns_per_scan(),
            Kind::Table(table) => u32::try_from(table.rows().len()).unwrap_or(u32::MAX),
        }
    }
}

/// The smallest `n ≥ 0` with `start(n) ≥ time_s`, where `start(n)` is `n·period` as it is computed
/// everywhere else; a guess by division may be one off.
fn first_multiple_at(time_s: f64, period_s: f64) -> u64 {
    let guess = (time_s / period_s).ceil();
    // NaN and negative times become 0, times beyond all counting the largest index.
    let mut n = guess as u64;
    while n > 0 && (n - 1) as f64 * period_s >= time_s {
        n -= 1;
    }
    while n < u64::MAX && (n as f64) * period_s < time_s {
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sensor::{Sensor, presets};

    fn append(all: &mut Pulses, piece: &Pulses) {
        all.time_s.extend(&piece.time_s);
        all.channel.extend(&piece.channel);
        all.scan.extend(&piece.scan);
        all.column.extend(&piece.column);
        all.direction.extend(&piece.direction);
        all.origin_m.extend(&piece.origin_m);
        all.azimuth_report_error_rad.extend(&piece.azimuth_report_error_rad);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn pieces_equal_the_whole(
            preset in 0..presets().len(),
            start in 0u64..20_000_000_000,
            lengths in prop::collection::vec(0u64..700, 1..6),
        ) {
            let pattern = Sensor::preset(presets()[preset].0).unwrap().pattern;
            let total: u64 = lengths.iter().sum();
            let mut whole = Pulses::default();
            pattern.fill(start..start + total, &mut whole);
            prop_assert_eq!(whole.first, start);
            prop_assert_eq!(whole.len() as u64, total);
            let mut joined = Pulses { first: start, ..Pulses::default() };
            let mut piece = Pulses::default();
            let mut at = start;
            for length in lengths {
                pattern.fill(at..at + length, &mut piece);
                append(&mut joined, &piece);
                at += length;
            }
            prop_assert_eq!(whole, joined);
        }

        #[test]
        fn first_pulse_at_splits_time_without_gap_or_overlap(
            preset in 0..presets().len(),
            time_s in 0.0..20_000.0f64,
            later_s in 0.0..1e-3f64,
        ) {
            let pattern = Sensor::preset(presets()[preset].0).unwrap().pattern;
            let first = pattern.first_pulse_at(time_s);
            let mut pulses = Pulses::default();
            pattern.fill(first.saturating_sub(1)..first + 1, &mut pulses);
            // The cycle that starts first at or after the time fires then or later …
            prop_assert!(*pulses.time_s.last().unwrap() >= time_s - START_SLACK_S);
            // … and the cycle before it started earlier.
            let mut previous = Pulses::default();
            let column = pulses.column[pulses.len() - 1];
            let back = pulses.column.len() as u64; // 1 or 2
            pattern.fill(first.saturating_sub(back)..first, &mut previous);
            for (time, other) in previous.time_s.iter().zip(&previous.column) {
                prop_assert!(*other != column || pattern.columns_per_scan() == 1);
                prop_assert!(*time < time_s + 1e-4);
            }
            // Later times never give earlier pulses.
            prop_assert!(pattern.first_pulse_at(time_s + later_s) >= first);
        }
    }

    #[test]
    fn the_start_of_each_column_finds_itself() {
        for (name, _) in presets() {
            let pattern = Sensor::preset(name).unwrap().pattern;
            let Kind::Spinning(spinning) = pattern.kind() else { continue };
            let (count, start_s): (u64, Box<dyn Fn(u64) -> f64>) = match &spinning.spec().timing {
                Timing::FreeRunning { cycle_s } => {
                    let cycle_s = *cycle_s;
                    (spinning.spec().firings.len() as u64, Box::new(move |k| k as f64 * cycle_s))
                }
                Timing::Framed { scan_s, columns, firings_per_column } => {
                    let (scan_s, columns) = (*scan_s, columns.clone());
                    let count = columns.len() as u64;
                    let start_s = move |k: u64| {
                        (k / count) as f64 * scan_s + columns[(k % count) as usize].time_s
                    };
                    (*firings_per_column as u64, Box::new(start_s))
                }
            };
            for k in (0..5000).chain(100_000_000..100_001_000) {
                let time_s = start_s(k);
                assert_eq!(pattern.first_pulse_at(time_s), k * count, "{name} column {k}");
                let later_s = time_s + 2.0 * START_SLACK_S;
                assert_eq!(pattern.first_pulse_at(later_s), (k + 1) * count, "{name} column {k}");
            }
        }
        let pattern = Sensor::preset("vlp-16").unwrap().pattern;
        assert_eq!(pattern.first_pulse_at(-1.0), 0);
        assert_eq!(pattern.first_pulse_at(f64::NAN), 0);
        assert_eq!(pattern.first_pulse_at(f64::INFINITY), u64::MAX);
    }

    #[test]
    fn revolutions_and_columns_count_up() {
        // 2000 cycles of 50 µs are exactly a revolution at 10 Hz, which tempts rounding.
        let pattern = Sensor::preset("xt32").unwrap().pattern;
        let mut pulses = Pulses::default();
        for revolution in [0u64, 1, 7, 12_345] {
            let first = revolution * 2000 * 32;
            pattern.fill(first..first + 2000 * 32, &mut pulses);
            assert!(pulses.scan.iter().all(|scan| u64::from(*scan) == revolution));
            for (i, column) in pulses.column.iter().enumerate() {
                assert_eq!(*column as usize, i / 32);
            }
        }
    }

    #[test]
    fn lasers_turn_with_their_firing_times() {
        // At 10 Hz a VLP-16 turns by 0.0083° from one firing to the next.
        let pattern = Sensor::preset("vlp-16").unwrap().pattern;
        let mut pulses = Pulses::default();
        pattern.fill(0..2, &mut pulses);
        let azimuth = |i: usize| pulses.direction[i].y.atan2(pulses.direction[i].x).to_degrees();
        assert!((azimuth(0) - azimuth(1) - 3600.0 * 2.304e-6).abs() < 1e-9);
        assert_eq!(pulses.direction[0].y, 0.0, "starts along x");
    }

    #[test]
    fn finer_modes_of_a_line_scanner_interlace_revolutions() {
        let text = crate::sensor::preset_text("lms-291").unwrap();
        let fine = text
            .replace("azimuth_step_deg = 1.0", "azimuth_step_deg = 0.5")
            .replace("interlace = 1\n", "interlace = 2\n");
        let pattern = Sensor::from_toml(&fine, "lms.toml").unwrap().pattern;
        assert_eq!(pattern.columns_per_scan(), 361);
        assert!((pattern.scan_duration_s() - 2.0 / 75.0).abs() < 1e-15);
        let mut pulses = Pulses::default();
        pattern.fill(0..361, &mut pulses);
        let azimuth = |i: usize| pulses.direction[i].y.atan2(pulses.direction[i].x).to_degrees();
        assert!((azimuth(0) + 90.0).abs() < 1e-9);
        assert!((azimuth(180) - 90.0).abs() < 1e-9, "181 steps of 1° in the first revolution");
        assert!((azimuth(181) + 89.5).abs() < 1e-9, "then the halves between them");
        assert!((pulses.time_s[181] - (1.0 + 0.5 / 360.0) / 75.0).abs() < 1e-15);
    }

    #[test]
    fn two_block_steps_are_those_of_the_paper() {
        // 360/(250 000/(32 ω) − 1) and 360/(250 000/(8 ω) − 1).
        for (rotation_hz, lower, upper) in [
            (10.0, 0.461390580, 0.115236876),
            (5.0, 0.230547550, 0.0576092175),
            (15.0, 0.692529657, 0.172882984),
        ] {
            let ours = two_block_steps_deg(1e6, 32, rotation_hz, TwoBlockResolution::Paper);
            assert!((ours[0] - lower).abs() < 5e-9, "{ours:?}");
            assert!((ours[1] - upper).abs() < 5e-9, "{ours:?}");
        }
        let full = two_block_steps_deg(1e6, 32, 10.0, TwoBlockResolution::FullCircle);
        assert!((full[0] - 0.4608).abs() < 1e-12 && (full[1] - 0.1152).abs() < 1e-12);
    }

    #[test]
    fn the_two_block_readout_gives_three_upper_columns_and_a_lower_one() {
        let pattern = Sensor::preset("hdl-64e-goodin").unwrap().pattern;
        assert_eq!(pattern.columns_per_scan(), 4 * 781);
        assert_eq!(pattern.first_pulse_at(0.1), 99_968);
        let mut pulses = Pulses::default();
        pattern.fill(0..256, &mut pulses);
        for (i, channel) in pulses.channel.iter().enumerate() {
            assert_eq!(*channel >= 32, (i / 32) % 4 == 3);
        }
        let azimuth = |i: usize| pulses.direction[i].y.atan2(pulses.direction[i].x).to_degrees();
        assert!((azimuth(32) + 180.0 - 0.115236876).abs() < 1e-8);
        assert!((azimuth(224) + 180.0 - 0.461390580).abs() < 1e-8);
    }
}
