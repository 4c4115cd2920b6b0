//! Which way the sensor looks, and when: pulse index → [`Pulses`].
//!
//! A pattern is a pure function of the pulse index, so that any interval of a run can be computed
//! by itself. Angles and offsets are in the sensor's frame: x forward, y left, z up.

mod camera_grid;
mod clock;
mod frames;
mod from_table;
mod harmonic;
mod line_mirror;
mod risley;
mod scanning_mirror;
mod spinning;
mod table;

use std::ops::Range;
use understory_base::math;

use glam::DVec3;

use crate::Error;
use crate::pulse::check::Check;
use crate::world::trajectory::Pose;
use understory_files::Spanned;
use understory_files::sensor::SensorFile;

pub use camera_grid::{CameraFault, CameraGrid, CameraGridSpec, PIXELS_MAX};
pub use frames::{Column, Frames};
pub use frames::{two_block_columns, two_block_steps_deg, window_columns};
pub use harmonic::{Harmonic, HarmonicSpec};
pub use line_mirror::{LAYER_MAX_RAD, LineMirror, LineMirrorSpec};
pub use risley::{Risley, RisleyFault, RisleySpec, WEDGES_MAX, Wedge};
pub use scanning_mirror::{MirrorMotion, ScanningMirror, ScanningMirrorSpec, optical_rad};
pub use spinning::{Firing, Laser, Spinning, SpinningSpec, Timing};
pub use table::{Table, TableRow};
pub use understory_files::sensor::{
    Direction, InclinedFace, Projection, Refraction, SweepPlane, TwoBlockResolution,
};

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
    /// From the axis to the left and to the upper edge of the spot at distance 1, where each pulse
    /// has its own (a camera's pixels); empty: all spots are as the sensor's beam says.
    pub spot_half: Vec<[DVec3; 2]>,
}

impl Pulses {
    /// Adds a pulse whose azimuth is reported truly.
    fn push(
        &mut self,
        time_s: f64,
        channel: u16,
        scan: u64,
        column: u64,
        direction: DVec3,
        origin_m: DVec3,
    ) {
        self.time_s.push(time_s);
        self.channel.push(channel);
        self.scan.push(u32::try_from(scan).unwrap_or(u32::MAX));
        self.column.push(u32::try_from(column).unwrap_or(u32::MAX));
        self.direction.push(direction);
        self.origin_m.push(origin_m);
        self.azimuth_report_error_rad.push(0.0);
    }

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
        self.spot_half.clear();
    }
}

/// Pulses that an interval contains together or not at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// When the cycle starts.
    pub start_s: f64,
    /// The pulse after its last.
    pub end: u64,
}

/// The geometry and timing of a sensor's pulses.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanPattern {
    kind: Kind,
    /// Pose of the frame in which the pattern is defined, in the sensor's frame.
    sensor_from_lidar: Pose,
    /// When it begins.
    delay_s: f64,
}

/// Makes the enum of all patterns and what goes over them. The name of a module is that of the
/// pattern's table in sensor files, and of the method of [`Check`] that reads it.
macro_rules! patterns {
    ($($(#[$about:meta])* $module:ident => $Kind:ident,)*) => {
        /// The kinds of pattern.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Kind {
            $($(#[$about])* $Kind($module::$Kind),)*
        }

        impl Kind {
            /// The tables of sensor files, one for each kind.
            pub const TABLES: &[&str] = &[$(stringify!($module)),*];

            fn pattern(&self) -> &dyn Pattern {
                match self {
                    $(Kind::$Kind(pattern) => pattern,)*
                }
            }

            /// The tables of patterns that a file has, and where they stand.
            fn tables(file: &SensorFile) -> Vec<(&'static str, Range<usize>)> {
                let all =
                    [$((stringify!($module), file.$module.as_ref().map(Spanned::span))),*];
                all.into_iter().filter_map(|(name, span)| Some((name, span?))).collect()
            }

            /// The pattern of the first of these tables.
            fn from_tables(check: &Check<'_>, file: &SensorFile) -> Result<Option<Kind>, Error> {
                $(if let Some(table) = &file.$module {
                    return Ok(Some(Kind::$Kind(check.$module(table, file)?)));
                })*
                Ok(None)
            }
        }
    };
}

patterns! {
    /// Lasers on a turning head, or one behind a turning mirror.
    spinning => Spinning,
    /// Directions listed one by one.
    table => Table,
    /// Fixed lasers under a turning 45° mirror.
    line_mirror => LineMirror,
    /// The pixels of a time-of-flight camera.
    camera_grid => CameraGrid,
    /// Turning wedge prisms.
    risley => Risley,
    /// A mirror that sweeps one beam along lines.
    scanning_mirror => ScanningMirror,
    /// Fourier series of two motions.
    harmonic => Harmonic,
}

/// What every kind of pattern answers; [`ScanPattern`]'s methods of these names say how.
trait Pattern {
    fn fill(&self, pulses: Range<u64>, out: &mut Pulses);
    fn first_pulse_at(&self, time_s: f64) -> u64;
    fn cycle_of(&self, pulse: u64) -> Cycle;
    fn pulse_rate_hz(&self) -> f64;
    fn scan_duration_s(&self) -> f64;
    fn channels(&self) -> usize;
    fn columns_per_scan(&self) -> u32;
}

impl ScanPattern {
    /// A pattern given in a frame whose pose in the sensor's frame is `sensor_from_lidar`.
    pub fn new(kind: Kind, sensor_from_lidar: Pose) -> ScanPattern {
        ScanPattern { kind, sensor_from_lidar, delay_s: 0.0 }
    }

    /// Lets it begin at `delay_s` instead of 0.
    pub fn set_delay(&mut self, delay_s: f64) {
        self.delay_s = delay_s;
    }

    /// When it begins.
    pub fn delay_s(&self) -> f64 {
        self.delay_s
    }

    /// Which pattern it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Pose of the lidar's own frame in the sensor's frame.
    pub fn sensor_from_lidar(&self) -> &Pose {
        &self.sensor_from_lidar
    }

    /// Direction and origin of a pulse as the sensor reports them: turned about the lidar's z axis
    /// by the error of the reported azimuth.
    pub fn reported(&self, pulses: &Pulses, pulse: usize) -> (DVec3, DVec3) {
        let (direction, origin_m) = (pulses.direction[pulse], pulses.origin_m[pulse]);
        let error_rad = f64::from(pulses.azimuth_report_error_rad[pulse]);
        if error_rad == 0.0 {
            return (direction, origin_m);
        }
        let lidar = self.sensor_from_lidar();
        let axis = lidar.rotation * DVec3::Z;
        let (sin, cos) = small_sin_cos(error_rad);
        // Rodrigues' formula.
        let turn = |v: DVec3| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos));
        (turn(direction), lidar.translation + turn(origin_m - lidar.translation))
    }

    /// Replaces the content of `out` by the pulses with these indices.
    pub fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        out.clear();
        out.first = pulses.start;
        self.kind.pattern().fill(pulses, out);
        if self.delay_s != 0.0 {
            out.time_s.iter_mut().for_each(|time_s| *time_s += self.delay_s);
        }
        if self.sensor_from_lidar != Pose::IDENTITY {
            let rotation = self.sensor_from_lidar.rotation_matrix();
            let translation = self.sensor_from_lidar.translation;
            out.direction.iter_mut().for_each(|direction| *direction = rotation * *direction);
            out.origin_m.iter_mut().for_each(|origin| *origin = rotation * *origin + translation);
            out.spot_half.iter_mut().flatten().for_each(|half| *half = rotation * *half);
        }
    }

    /// The first pulse whose firing cycle (one column of a spinning sensor, one row of a table, one
    /// frame of a camera) starts at or after `time_s`.
    ///
    /// It never falls when the time rises, so intervals `a..b` and `b..c` share no pulse and
    /// leave none out. Starts less than a nanosecond before the time count as at it, because
    /// 2000 cycles of 50 µs must end at 0.1 s whatever the rounding.
    pub fn first_pulse_at(&self, time_s: f64) -> u64 {
        self.kind.pattern().first_pulse_at(time_s - START_SLACK_S - self.delay_s)
    }

    /// The firing cycle of a pulse: what [`ScanPattern::first_pulse_at`] never cuts.
    pub fn cycle_of(&self, pulse: u64) -> Cycle {
        let Cycle { start_s, end } = self.kind.pattern().cycle_of(pulse);
        Cycle { start_s: start_s + self.delay_s, end }
    }

    /// The first pulse of the scan to which a pulse belongs; `scratch` loses its content.
    pub fn first_of_scan(&self, pulse: u64, scratch: &mut Pulses) -> u64 {
        let mut scan_of = |pulse: u64| {
            self.fill(pulse..pulse + 1, scratch);
            scratch.scan.first().copied()
        };
        let scan = scan_of(pulse);
        // Scans follow each other: steps back that double, then halves.
        let (mut inside, mut step) = (pulse, 1);
        let mut outside = loop {
            if inside == 0 {
                return 0;
            }
            let before = inside.saturating_sub(step);
            if scan_of(before) != scan {
                break before;
            }
            inside = before;
            step = step.saturating_mul(2);
        };
        while inside - outside > 1 {
            let middle = outside + (inside - outside) / 2;
            if scan_of(middle) == scan { inside = middle } else { outside = middle }
        }
        inside
    }

    /// Replaces the content of `out` by the time of the first pulse of the scan of each pulse.
    pub fn scan_starts(&self, pulses: &Pulses, scratch: &mut Pulses, out: &mut Vec<f64>) {
        out.clear();
        let mut current = None;
        for (place, &scan) in pulses.scan.iter().enumerate() {
            let start_s = match current {
                Some((same, start_s)) if same == scan => start_s,
                // Within a batch a new scan begins with its first pulse.
                Some(_) => pulses.time_s[place],
                None => {
                    let first = self.first_of_scan(pulses.first, scratch);
                    self.fill(first..first + 1, scratch);
                    scratch.time_s.first().copied().unwrap_or(pulses.time_s[place])
                }
            };
            current = Some((scan, start_s));
            out.push(start_s);
        }
    }

    /// Pulses per second, averaged over a scan.
    pub fn pulse_rate_hz(&self) -> f64 {
        self.kind.pattern().pulse_rate_hz()
    }

    /// Duration of a scan: a revolution, a line, or a frame.
    pub fn scan_duration_s(&self) -> f64 {
        self.kind.pattern().scan_duration_s()
    }

    /// Number of laser channels, or rows of a camera.
    pub fn channels(&self) -> usize {
        self.kind.pattern().channels()
    }

    /// Most columns that a scan can have.
    pub fn columns_per_scan(&self) -> u32 {
        self.kind.pattern().columns_per_scan()
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

/// Sine and cosine; of steps of an encoder by a few terms, exact to the last bit or two.
fn small_sin_cos(angle_rad: f64) -> (f64, f64) {
    if angle_rad.abs() > 1e-2 {
        return math::sin_cos(angle_rad);
    }
    let square = angle_rad * angle_rad;
    let sin = angle_rad * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)));
    let cos = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0));
    (sin, cos)
}

#[cfg(test)]
mod tests;
