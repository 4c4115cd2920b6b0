//! `[world.atmosphere]`, `[[world.plume]]` and `[world.wind]`: weather.

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{
    Coordinate, Fraction, NonEmpty, NonNegative, Number, Spanned, UpToBillion, Vector, Within,
    limits,
};

use crate::pulse::atmosphere::extinction::WavelengthLaw;
use crate::pulse::atmosphere::particles::Occlusion;
use crate::pulse::atmosphere::plume::Profile;

limits! {
    /// At 1 m a beam loses 95 % in one metre.
    VisibilityM: 1.0..=1e6;
    /// Of the sensor (FWHM).
    PulseNs: 0.1..=1000.0;
    /// Of the model for a white target.
    TargetReflectivity: 1e-9..=1.0;
    /// Where the receiver sees the beam.
    OverlapM: 0.01..=100.0;
    /// The heaviest rain ever measured for an hour is about 300 mm.
    RainMmPerH: 0.01..=300.0;
    /// As water.
    SnowMmPerH: 0.01..=50.0;
    /// Of a new puff.
    PuffRadiusM: 0.01..=1000.0;
    /// Time in which settling leaves 1/e.
    DecayS: 0.001..=1e9;
    /// Between puffs.
    IntervalS: 0.001..=1e6;
    /// Of swinging plants.
    SwayPeriodS: 0.05..=1000.0;
    /// Of gusts over a field.
    GustM: 0.1..=1e6;
}

/// Weather everywhere. Without it and without plumes the air is clear and costs nothing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AtmosphereFile {
    /// Haze that takes light and sends none back, by its meteorological optical range (5 %
    /// contrast).
    pub visibility_m: Option<Number<VisibilityM>>,
    /// The same by its extinction coefficient; one of the two.
    pub extinction_per_m: Option<Within<0, 10>>,
    /// How extinction of haze and fog depends on the wavelength.
    #[serde(default)]
    pub wavelength_law: WavelengthLaw,
    /// Whether echoes that weather makes weaker than the sensor's limit are lost; they are where
    /// nothing is said.
    pub range_limit: Option<bool>,
    /// Fog.
    pub fog: Option<Spanned<FogFile>>,
    /// Rain.
    pub rain: Option<Spanned<RainFile>>,
    /// Snowfall.
    pub snow: Option<Spanned<SnowFile>>,
    /// Dust.
    pub dust: Option<Spanned<DustFile>>,
}

/// Fog; one of `visibility_m` and `extinction_per_m` says how dense it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FogFile {
    /// How far one sees.
    pub visibility_m: Option<Number<VisibilityM>>,
    /// The same by its extinction coefficient.
    pub extinction_per_m: Option<Within<0, 10>>,
    /// What a metre of it sends back, at most extinction / π; 0.046 / visibility where nothing is
    /// said.
    pub backscatter_per_m_sr: Option<NonNegative>,
    /// Width of the sensor's pulse (FWHM); 20 where nothing is said.
    pub pulse_ns: Option<Number<PulseNs>>,
    /// Γ of the model for a white target: the smaller, the brighter is fog beside targets; 10⁻⁶
    /// where nothing is said.
    pub target_reflectivity: Option<Number<TargetReflectivity>>,
    /// Where the receiver begins to see the beam, and where it sees all of it; [0.9, 1] where
    /// nothing is said.
    pub overlap_m: Option<Vector<2, OverlapM>>,
    /// Standard deviation of the logarithm of the fog's echo from pulse to pulse; 0, even fog,
    /// where nothing is said.
    pub patchiness: Option<Within<0, 3>>,
}

/// Rain.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RainFile {
    /// How heavy it is.
    pub rate_mm_per_h: Number<RainMmPerH>,
    /// Whether single drops are seen; they are where nothing is said.
    pub drops: Option<bool>,
    /// What a drop sends back, beside a white surface of its size; what water reflects where
    /// nothing is said.
    pub drop_reflectance: Option<Fraction>,
    /// Whether ranges scatter; they do where nothing is said.
    pub range_noise: Option<bool>,
}

/// Snowfall.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnowFile {
    /// How heavy it is, as water.
    pub rate_mm_per_h: Number<SnowMmPerH>,
    /// What a flake hides.
    #[serde(default)]
    pub occlusion: Occlusion,
    /// Reflectance of a flake; 0.87 where nothing is said.
    pub flake_reflectance: Option<Fraction>,
    /// Width of the sensor's pulse: echoes within its length add up; 10 where nothing is said.
    pub pulse_ns: Option<Number<PulseNs>>,
}

/// Dust; one of `visibility_m` and `extinction_per_m` says how dense it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DustFile {
    /// How far one sees.
    pub visibility_m: Option<Number<VisibilityM>>,
    /// The same by its extinction coefficient.
    pub extinction_per_m: Option<Within<0, 10>>,
    /// Of the particles; 0: they only take light; 0.3 where nothing is said.
    pub reflectance: Option<Fraction>,
}

/// A volume of denser air: a box or an ellipsoid that stays, or puffs that are born, drift, grow
/// and settle.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlumeFile {
    /// Its name, its own.
    pub name: Spanned<String>,
    /// What it is.
    pub shape: Spanned<PlumeShape>,
    /// How far one sees; of a puff at its birth, in its middle.
    pub visibility_m: Option<Number<VisibilityM>>,
    /// The same by its extinction coefficient; one of the two.
    pub extinction_per_m: Option<Within<0, 10>>,
    /// Of the particles; 0: they only take light, like black smoke; 0.3 where nothing is said.
    pub reflectance: Option<Fraction>,
    /// Middle of a box or ellipsoid.
    pub position_m: Option<Vector<3>>,
    /// How it is turned: roll, pitch and yaw.
    pub rotation_deg: Option<Vector<3>>,
    /// Three lengths of a box or ellipsoid.
    pub size_m: Option<Vector<3, UpToBillion>>,
    /// Of a new puff: the standard deviation of its density, or its outer radius with the profile
    /// `"mavs"`.
    pub radius_m: Option<Number<PuffRadiusM>>,
    /// How fast that grows; what spreads thins out; 0 where nothing is said.
    pub growth_m_per_s: Option<Within<0, 100>>,
    /// How puffs move; they stay where nothing is said.
    pub drift_m_per_s: Option<Vector<3>>,
    /// Time in which settling leaves 1/e; never where nothing is said.
    pub decay_s: Option<Number<DecayS>>,
    /// How dust is spread in a puff; `"gaussian"` where nothing is said.
    pub profile: Option<Spanned<Profile>>,
    /// Puffs by rising time, which may be before the run.
    pub births: Option<NonEmpty<BirthFile>>,
    /// The same keys for the path of a vehicle that leaves a puff every `interval_s`.
    pub path: Option<NonEmpty<BirthFile>>,
    /// Time between puffs on a `path`; 10 000 puffs at most.
    pub interval_s: Option<Number<IntervalS>>,
}

/// What a plume is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlumeShape {
    /// A box that stays.
    Box,
    /// An ellipsoid that stays.
    Ellipsoid,
    /// Puffs that are born, drift, grow and settle.
    Puffs,
}

/// When and where a puff is born.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BirthFile {
    /// When; may be before the run.
    pub time_s: Number<Coordinate>,
    /// Where.
    pub position_m: Vector<3>,
}

/// Wind in which plants sway.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindFile {
    /// Where the wind blows to, from x towards y; 0 where nothing is said.
    pub heading_deg: Option<Within<-360, 360>>,
    /// How far plants up to 1 m swing to either side; 5 where nothing is said.
    pub sway_deg: Option<Within<0, 45>>,
    /// How far they lean down the wind on average; 3 where nothing is said.
    pub lean_deg: Option<Within<0, 45>>,
    /// Time of one swing of plants up to 0.5 m; 1.2 where nothing is said.
    pub period_s: Option<Number<SwayPeriodS>>,
    /// Length of the waves that run over the field; 8 where nothing is said.
    pub wavelength_m: Option<Number<GustM>>,
    /// How much neighbours differ: 0 not at all, 1 by up to half a swing either way; 0.2 where
    /// nothing is said.
    pub unrest: Option<Fraction>,
}
