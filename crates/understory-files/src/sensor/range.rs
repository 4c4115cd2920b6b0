//! `[range_error]` and `[range_limit]`: how wrong ranges are, and how far a target is seen.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Finite, Fraction, FromZero, Limits, List, NonNegative, Number, Numbers, Positive,
    PositiveFraction, Spanned, Whole, Within, limits,
};

limits! {
    /// No range that is off by more than this is a measurement.
    SigmaM: 0.0..=1000.0, "in metres";
    /// The same in either sense.
    OffsetM: -1000.0..=1000.0, "in metres";
    /// Of a wave along a channel.
    PeriodColumns: 1.0..=1e6;
    /// Of frequencies of Weierstrass's function.
    Gamma: above 1.0..=100.0, "as Bayraktaroglu's 5";
    /// Of a temperature of air.
    AirCelsius: -80.0..=60.0, "in degrees Celsius";
    /// Of a pressure of air.
    AirHpa: 100.0..=1100.0, "in hectopascals";
    /// Of a refractive index of air.
    AirIndex: 1.0..=1.001;
    /// Of grains of light in a spot.
    SpeckleCells: 1.0..=1e9;
    /// Of the structure constant of the air's index.
    Cn2: 0.0..=1e-10, "in m^(−2/3), as 1e-15 (calm) to 1e-12 (over hot ground)";
    /// Of the diameter of a receiver or the radius of a beam.
    ApertureMm: 0.0..=1000.0, "in millimetres";
    /// Of a beam's radius, which is never 0.
    BeamRadiusMm: above 0.0..=1000.0, "in millimetres";
}

/// Limits of the exponent of Weierstrass's function.
#[derive(Clone, Copy, Debug)]
pub struct Hurst;
impl Limits for Hurst {
    const LOW: f64 = 0.0;
    const HIGH: f64 = 1.0;
    const ABOVE: bool = true;
    const BELOW: bool = true;
    const HINT: &'static str = "as Bayraktaroglu's 0.99";
}

/// The error of ranges: mean + bias of the channel + σ·[√share·wave + √(1 − share)·white noise].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangeErrorFile {
    /// Where σ comes from.
    pub model: Spanned<SigmaModel>,
    /// σ of `"constant"`.
    pub sigma_m: Option<Number<SigmaM>>,
    /// Added to every range.
    pub mean_m: Option<Number<OffsetM>>,
    /// Law of the white noise; `"gaussian"` where nothing is said.
    pub noise: Option<White>,
    /// Every channel has a bias of its own, drawn once from the seed with this σ …
    pub bias_sigma_m: Option<Number<SigmaM>>,
    /// … or listed; both are added.
    pub bias_m: Option<Numbers<OffsetM>>,
    /// Ranges are known modulo this; leave it out where they are unambiguous. How far light is seen
    /// is then up to `[range_limit]`.
    pub ambiguity_m: Option<Positive>,
    /// σ of `"table"`.
    pub table: Option<Spanned<SigmaTableFile>>,
    /// A part of the error that runs along a channel as a wave.
    pub correlation: Option<CorrelationFile>,
    /// A part of the error that runs along a channel as a smooth curve.
    pub smooth: Option<Spanned<SmoothFile>>,
    /// The air's refractive index, by which all ranges are stretched.
    pub refraction: Option<RefractionFile>,
    /// Grains in the light that comes back.
    pub speckle: Option<SpeckleFile>,
    /// Turbulent air, in which light flickers and the beam wanders.
    pub turbulence: Option<TurbulenceFile>,
}

/// σ at knots, bilinear between them and constant beyond.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SigmaTableFile {
    /// Rising ranges.
    pub range_m: Numbers<FromZero>,
    /// Rising reflectivities; leave it out where σ depends on range alone.
    pub reflectivity: Option<Numbers<FromZero>>,
    /// One list per range, with one value per reflectivity.
    pub sigma_m: List<List<Number<SigmaM>>>,
}

/// A wave along a channel, Weierstrass's function.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrelationFile {
    /// Share of the variance.
    pub share: Fraction,
    /// Columns per period.
    pub period_columns: Number<PeriodColumns>,
    /// Frequencies rise by this; 5 where nothing is said.
    pub gamma: Option<Number<Gamma>>,
    /// Amplitudes fall by its power; 0.99 where nothing is said.
    pub hurst: Option<Number<Hurst>>,
    /// How many terms are added; 4 where nothing is said.
    pub terms: Option<Whole<1, 8>>,
    /// Phase by which the wave slides from scan to scan, as a standard deviation.
    pub drift_deg: Option<Within<0, 360>>,
}

/// A smooth curve along a channel, of Gaussian correlation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmoothFile {
    /// Share of the variance; with that of `[range_error.correlation]` 1 at most.
    pub share: Fraction,
    /// Columns ℓ over which the curve forgets itself: its correlation is exp(−Δ²/2ℓ²).
    pub length_columns: Number<PeriodColumns>,
}

/// The air's refractive index: ranges are stretched by the index of this air over the one that the
/// sensor takes for granted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefractionFile {
    /// Temperature of the air; 15 where nothing is said.
    pub temperature_c: Option<Number<AirCelsius>>,
    /// Pressure of the air; 1013.25 where nothing is said.
    pub pressure_hpa: Option<Number<AirHpa>>,
    /// Relative humidity; 0 where nothing is said.
    pub humidity_percent: Option<Within<0, 100>>,
    /// Group index that the sensor takes for granted; 1 for one that knows no air; that of dry air
    /// of 15 °C and 1013.25 hPa at the sensor's wavelength where nothing is said.
    pub assumed_index: Option<Number<AirIndex>>,
}

/// Grains in the light that comes back from rough surfaces.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpeckleFile {
    /// Independent grains M that the receiver sees of a whole spot; the intensity has the contrast
    /// 1/√M.
    pub cells: Number<SpeckleCells>,
}

/// Turbulent air.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurbulenceFile {
    /// C_n², structure constant of the refractive index in m^(−2/3).
    pub cn2: Number<Cn2>,
    /// Diameter of the receiver, over which flicker is averaged; a point where nothing is said.
    pub receiver_aperture_mm: Option<Number<ApertureMm>>,
    /// Radius of the beam where it leaves the sensor; 5 where nothing is said.
    pub beam_radius_mm: Option<Number<BeamRadiusMm>>,
}

/// How far a target is seen. Values of models that are not chosen are checked and not used.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangeLimitFile {
    /// Which sub-rays count.
    pub model: Spanned<LimitModel>,
    /// Range of a target that is just seen, of `"physical"` and `"mavs"`.
    pub range_m: Option<Positive>,
    /// Its reflectivity, of `"physical"`.
    pub reflectivity: Option<PositiveFraction>,
    /// Extinction of the air, of `"physical"`; 0 where nothing is said.
    pub extinction_per_m: Option<NonNegative>,
    /// Near mark of `"blensor"`: nearer, everything is seen; 50 where nothing is said.
    pub near_m: Option<NonNegative>,
    /// Reflectance that is seen there; 0.1 where nothing is said.
    pub near_reflectance: Option<PositiveFraction>,
    /// Far mark of `"blensor"`; 120 where nothing is said.
    pub far_m: Option<Positive>,
    /// Reflectance that is seen there; 0.8 where nothing is said.
    pub far_reflectance: Option<PositiveFraction>,
    /// a of `"bayraktaroglu"`; −9.25 where nothing is said.
    pub a_percent: Option<Finite>,
    /// b of `"bayraktaroglu"`; 0.003 where nothing is said.
    pub b_percent_per_m2: Option<Positive>,
}

/// Where σ comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SigmaModel {
    /// Ranges have no error.
    None,
    /// `sigma_m`.
    Constant,
    /// By distance and reflectivity (Bayraktaroglu 2023, equations 4.10 to 4.15).
    Bayraktaroglu,
    /// `[range_error.table]`.
    Table,
}

/// How far a target is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimitModel {
    /// A sub-ray counts if it brings back anything at all.
    None,
    /// If ρ·cos θ·e^(−2αr)/r² is at least that of a target that is just seen.
    Physical,
    /// If it is nearer than the near mark, or ρ lies above the line through both marks
    /// (Gschwandtner 2011, equation 1).
    Blensor,
    /// If 100·ρ·cos θ ≥ a + b·r² (Bayraktaroglu 2023, equations 4.8 and 4.9).
    Bayraktaroglu,
    /// If ρ·cos θ/r² > 0.9/(π·range²), as the program of Goodin et al. 2018 has it.
    Mavs,
}

/// The law of the white noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum White {
    /// Normal.
    #[default]
    Gaussian,
    /// Laplace: a sharper peak and heavier tails (an option of BlenSor).
    Laplace,
}
