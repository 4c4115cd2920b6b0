//! Noise that is independent from return to return, with standard deviation 1.

use crate::rng::PulseRng;

/// The law of the white noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum White {
    /// Normal.
    #[default]
    Gaussian,
    /// Laplace: a sharper peak and heavier tails (an option of BlenSor).
    Laplace,
}

impl White {
    /// One number with mean 0 and standard deviation 1.
    pub fn draw(self, rng: &mut PulseRng) -> f64 {
        match self {
            White::Gaussian => rng.gaussian(),
            // The inverse of the distribution function; scale 1/√2 has standard deviation 1.
            White::Laplace => {
                let u = rng.uniform() - 0.5;
                -u.signum() * (1.0 - 2.0 * u.abs()).ln() * std::f64::consts::FRAC_1_SQRT_2
            }
        }
    }
}
