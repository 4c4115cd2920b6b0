//! `[platform]`: what carries the sensors, how it moves, and what it knows of that.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{Extent, Finite, NonEmpty, Number, Spanned, Vector, Within, limits};

use super::object::FootprintM;
use crate::world::trajectory::{Interpolation, PosePer, Register};

limits! {
    /// At a waypoint.
    WaitS: 0.0..=1e9;
    /// Of instruments.
    RateHz: 0.001..=10000.0;
    /// Standard deviations of instruments.
    SigmaM: 0.0..=1000.0;
    /// Errors of instruments.
    BiasM: -1000.0..=1000.0;
    /// In which something is down to 1/e.
    FadeS: 0.001..=1e9;
    /// Of gyros, °/h.
    GyroBias: 0.0..=100000.0;
    /// Of accelerometers, µg/√Hz.
    AccelerometerNoise: 0.0..=100000.0;
}

/// What carries the sensors: it stands still at `position_m` and `rotation_deg`, moves through
/// `waypoints`, or follows a `file` of poses.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformFile {
    /// Where it stands; with `file`, where the file's origin lies.
    pub position_m: Option<Vector<3>>,
    /// How it is turned: roll, pitch, yaw; with `file`, how the file's frame is.
    pub rotation_deg: Option<Vector<3>>,
    /// Poses by rising time; it stands still before the first and after the last.
    pub waypoints: Option<NonEmpty<WaypointFile>>,
    /// File of poses: TUM, KITTI, CSV, HELIOS++, MCAP or the folder of a ROS 2 bag.
    pub file: Option<Spanned<PathBuf>>,
    /// Times of KITTI's poses, one per line; `times.txt` beside them where nothing is said.
    pub times: Option<Spanned<PathBuf>>,
    /// Topic of a ROS 2 bag; the only one where nothing is said.
    pub topic: Option<Spanned<String>>,
    /// Child frame in a ROS 2 bag; the only one where nothing is said.
    pub child_frame: Option<Spanned<String>>,
    /// Time in the file at which the run begins; its first pose where nothing is said.
    pub start_at_s: Option<Finite>,
    /// What to do with a run beyond the ends of the file; `"refuse"` where nothing is said.
    pub beyond_end: Option<Spanned<BeyondEnd>>,
    /// How it moves between poses; `"linear"` where nothing is said.
    pub interpolation: Option<Spanned<Interpolation>>,
    /// How it is turned where poses have no rotation; a file without rotations needs it.
    pub heading: Option<Spanned<Heading>>,
    /// Whether it goes on the ground: heights of its poses are above the ground, and it is tilted as
    /// the ground is.
    #[serde(default)]
    pub on_ground: bool,
    /// Length and width of what touches the ground; `[1.0, 0.6]` where nothing is said, and
    /// `[0.0, 0.0]` for a platform that stays upright.
    pub footprint_m: Option<Vector<2, FootprintM>>,
    /// From which pose a pulse is fired.
    #[serde(default)]
    pub pose: PosePer,
    /// With which pose points get into the world; `"estimated"` where nothing is said.
    pub register: Option<Spanned<Register>>,
    /// By what it estimates its pose; it knows it where nothing is said.
    pub navigation: Option<Spanned<NavigationFile>>,
}

/// A pose on the way; `time_s` or `speed_m_s` says when it is reached.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaypointFile {
    /// Time since the start of the run; 0 for the first where nothing is said.
    pub time_s: Option<Finite>,
    /// Mean speed on the way to it.
    pub speed_m_s: Option<Extent>,
    /// Whether sensors fire on the way to it, which they do where nothing is said; the ways between
    /// those on which they do not are the flight lines of a survey.
    pub active: Option<Spanned<bool>>,
    /// How long it stays there; 0 where nothing is said.
    pub wait_s: Option<Number<WaitS>>,
    /// Where.
    pub position_m: Vector<3>,
    /// Roll, pitch and yaw.
    pub rotation_deg: Option<Vector<3>>,
}

/// What happens when a run lasts longer than a file of poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BeyondEnd {
    /// The scenario is refused.
    Refuse,
    /// The platform rests at the ends.
    Hold,
}

/// How a platform is turned where nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Heading {
    /// It never turns.
    None,
    /// It looks along its path.
    AlongPath,
}

/// By what the platform estimates its pose: a preset, and instruments whose keys stand over it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NavigationFile {
    /// `"rtk"`, `"gps"` or `"consumer"`; instruments without error where nothing is said.
    pub preset: Option<Spanned<String>>,
    /// Satellite navigation.
    pub gps: Option<GpsFile>,
    /// A compass.
    pub compass: Option<CompassFile>,
    /// Gyros and accelerometers.
    pub imu: Option<ImuFile>,
}

/// Satellite navigation; without a preset it begins without error.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpsFile {
    /// Fixes per second; 5 where nothing is said.
    pub rate_hz: Option<Number<RateHz>>,
    /// White noise of a fix, level and up.
    pub sigma_m: Option<Vector<2, SigmaM>>,
    /// Error that never changes, along x, y and z.
    pub bias_m: Option<Vector<3, BiasM>>,
    /// Standard deviation of the drift, level and up.
    pub drift_m: Option<Vector<2, SigmaM>>,
    /// Time in which the drift is down to 1/e; 300 where nothing is said.
    pub drift_time_s: Option<Number<FadeS>>,
    /// Random walk, level and up.
    pub walk_m_per_sqrt_s: Option<Vector<2, SigmaM>>,
}

/// A compass; without a preset it begins without error.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompassFile {
    /// Headings per second; 10 where nothing is said.
    pub rate_hz: Option<Number<RateHz>>,
    /// White noise of a heading.
    pub sigma_deg: Option<Within<0, 90>>,
    /// Error that never changes.
    pub bias_deg: Option<Within<-180, 180>>,
}

/// Gyros and accelerometers; without a preset they begin without error.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImuFile {
    /// Samples per second; 100 where nothing is said.
    pub rate_hz: Option<Number<RateHz>>,
    /// Angular random walk of the gyros.
    pub gyro_noise_deg_per_sqrt_h: Option<Within<0, 100>>,
    /// Bias of the gyros.
    pub gyro_bias_deg_per_h: Option<Number<GyroBias>>,
    /// Noise of the accelerometers.
    pub accelerometer_noise_ug_per_sqrt_hz: Option<Number<AccelerometerNoise>>,
    /// Bias of the accelerometers.
    pub accelerometer_bias_mg: Option<Within<0, 1000>>,
    /// Time in which biases are down to 1/e; 300 where nothing is said.
    pub bias_time_s: Option<Number<FadeS>>,
    /// Error of roll and pitch.
    pub tilt_sigma_deg: Option<Within<0, 30>>,
    /// Time in which it is down to 1/e; 10 where nothing is said.
    pub tilt_time_s: Option<Number<FadeS>>,
}
