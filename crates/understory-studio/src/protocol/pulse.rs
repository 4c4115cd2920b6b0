//! One pulse told in full: what `understory trace` tells, for the page to draw.

use serde::Serialize;

/// The account of one pulse.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PulseAccount {
    /// Of which layer.
    pub layer: u32,
    /// Name of the sensor.
    pub sensor: String,
    /// Index of the pulse.
    #[cfg_attr(test, ts(type = "number"))]
    pub pulse: u64,
    /// When it was fired.
    pub time_s: f64,
    /// By which laser.
    pub channel: u16,
    /// Where the beam left, in the world.
    pub origin_m: [f64; 3],
    /// The sub-rays.
    pub sub_rays: Vec<SubRay>,
    /// Volumes of learned sites that the rays passed.
    pub volumes: Vec<VolumePassed>,
    /// How returns are found, in words.
    pub detector: String,
    /// Least and largest range.
    pub range_m: [f64; 2],
    /// The light that came back over range, with what the detector made of it.
    pub echo: Echo,
    /// The returns, nearest first.
    pub returns: Vec<PulseReturn>,
    /// The same in words, as `understory trace` prints it.
    pub text: String,
}

/// One sub-ray.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SubRay {
    /// Its direction in the world.
    pub direction: [f64; 3],
    /// Its share of the light.
    pub weight: f32,
    /// What it met.
    pub hits: Vec<SubRayHit>,
}

/// Where a sub-ray met something.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SubRayHit {
    /// Optical path from where it left.
    pub distance_m: f32,
    /// Where it is if the way was straight, in the world.
    pub xyz_m: [f64; 3],
    /// Mirrors, panes and borders on the way.
    pub bounces: u8,
    /// Angle to the surface normal; none for what has none.
    pub incidence_deg: Option<f32>,
    /// Reflectance of the material.
    pub reflectance: f32,
    /// What came back.
    pub intensity: f32,
    /// Name of the object.
    pub object: String,
    /// Name of the material.
    pub material: String,
    /// Whether it is bright enough and within the limits.
    pub counts: bool,
}

/// A volume of a learned site on the way.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct VolumePassed {
    /// Name of the site.
    pub site: String,
    /// Number of the volume, from 1.
    pub volume: u32,
    /// Where the ray comes nearest to its middle.
    pub range_m: f64,
    /// With which probability it stops the ray.
    pub share: f64,
    /// Whether it does.
    pub stops: bool,
}

/// The light that came back over range.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Echo {
    /// How it was made: `waveform` (the receiver's samples) or `sub-rays` (each sub-ray's light
    /// at its range, as windows of returns are cut from).
    pub kind: EchoKind,
    /// Ranges of the samples.
    pub range_m: Vec<f32>,
    /// Light at each of them.
    pub signal: Vec<f32>,
    /// The level that counts, in the same unit; none: there is no single one.
    pub threshold: Option<f32>,
    /// What the signal is in, in words.
    pub unit: String,
}

/// How an echo was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum EchoKind {
    /// Samples of the receiver.
    Waveform,
    /// The light of sub-rays.
    SubRays,
}

/// One return.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PulseReturn {
    /// Its window of ranges.
    pub window_m: [f32; 2],
    /// What the receiver saw, without the error of ranges.
    pub range_m: f64,
    /// With it, in the sensor's step.
    pub measured_m: f64,
    /// Its intensity.
    pub intensity: f32,
    /// Sub-rays in its window.
    pub sub_rays: Vec<u32>,
    /// The sub-ray that stands for it in the truth.
    pub truth: Option<u32>,
}
