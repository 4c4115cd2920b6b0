//! `[beam]`: the spot of the laser and the sub-rays that stand for it.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Fraction, NonNegative, Number, Spanned, Whole, limits};

limits! {
    /// Of beams.
    DivergenceMrad: 0.0..=1000.0, "the full angle in milliradians, such as 3.0";
    /// Of stray light.
    HaloMrad: above 0.0..=500.0;
}

/// The beam and how it is sampled.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeamFile {
    /// Outline of the spot.
    pub spot_shape: Spanned<SpotShape>,
    /// Full horizontal angle of the beam; a camera has none, its pixels are its beams.
    pub divergence_horizontal_mrad: Option<Number<DivergenceMrad>>,
    /// Full vertical angle of the beam.
    pub divergence_vertical_mrad: Option<Number<DivergenceMrad>>,
    /// What the vendor means by the width of the beam.
    #[serde(default)]
    pub divergence_width: DivergenceWidth,
    /// Width of the beam where it leaves the sensor; 0 where nothing is said.
    pub aperture_horizontal_mm: Option<NonNegative>,
    /// Height of the beam where it leaves the sensor; 0 where nothing is said.
    pub aperture_vertical_mm: Option<NonNegative>,
    /// How the spot is sampled by sub-rays; `"matched"` where nothing is said.
    pub sampling: Option<Sampling>,
    /// Number of sub-rays of `"uniform"` and `"gaussian"`; 9 where nothing is said.
    pub rays: Option<Whole<1, 4096>>,
    /// Stray light about the spot, in which retroreflectors bloom.
    pub halo: Option<HaloFile>,
}

/// Stray light: at the angle Δθ beyond the spot's edge there is gain·exp(−(Δθ/width)²) of the light
/// of the spot, solid angle for solid angle. The beam must have a divergence.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HaloFile {
    /// Light at the edge of the spot, over that in it.
    pub gain: Fraction,
    /// Angle over which it fades.
    pub width_mrad: Number<HaloMrad>,
}

/// Outline of the laser spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpotShape {
    /// A disc; the divergences must be equal.
    Circular,
    /// A rectangle.
    Rectangular,
    /// An ellipse.
    Elliptical,
}

impl fmt::Display for SpotShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SpotShape::Circular => "circular",
            SpotShape::Rectangular => "rectangular",
            SpotShape::Elliptical => "elliptical",
        })
    }
}

/// How the spot is sampled by sub-rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// One ray along the axis.
    Single,
    /// P2's nine rays with its printed radius √2·tan(γ/2)/4.
    Paper,
    /// P2's nine rays with the radius 0.7·tan(γ/2) of its authors' program.
    Mavs,
    /// P2's nine rays with the radius that gives the second moments of a uniform spot.
    Matched,
    /// `rays` low-discrepancy samples of equal area, weighted alike.
    Uniform,
    /// `rays` low-discrepancy samples of a Gaussian spot whose 1/e² width is the divergence.
    Gaussian,
}

/// What a vendor means by the width of a beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum DivergenceWidth {
    /// All of the spot.
    #[default]
    #[serde(rename = "full")]
    Full,
    /// The full width at half the maximum.
    #[serde(rename = "fwhm")]
    Fwhm,
    /// The full width at 1/e² of the maximum.
    #[serde(rename = "1/e2")]
    InverseESquared,
}
