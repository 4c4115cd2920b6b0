//! The footprint of a pulse: axis → weighted sub-rays.

use std::fmt;

/// Outline of the laser spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpotShape {
    /// A disc; the divergences must be equal.
    Circular,
    /// A rectangle.
    Rectangular,
    /// An ellipse.
    Elliptical,
}

/// How the spot is sampled by sub-rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
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

/// What is known of a sensor's beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSpec {
    /// Outline of the spot.
    pub shape: SpotShape,
    /// Full horizontal divergence angle.
    pub divergence_horizontal_rad: f64,
    /// Full vertical divergence angle.
    pub divergence_vertical_rad: f64,
    /// Full width of the beam where it leaves the sensor.
    pub aperture_horizontal_m: f64,
    /// Full height of the beam where it leaves the sensor.
    pub aperture_vertical_m: f64,
    /// How the spot is sampled.
    pub sampling: Sampling,
    /// Number of sub-rays for `Uniform` and `Gaussian`, at least 1.
    pub rays: usize,
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
