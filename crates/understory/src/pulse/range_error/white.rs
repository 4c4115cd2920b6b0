//! Noise that is independent from return to return, with standard deviation 1.

use crate::rng::PulseRng;
use understory_base::math;

pub use understory_files::sensor::White;

/// One number of this law, with mean 0 and standard deviation 1.
pub fn draw(law: White, rng: &mut PulseRng) -> f64 {
    match law {
        White::Gaussian => rng.gaussian(),
        // The inverse of the distribution function; scale 1/√2 has standard deviation 1.
        White::Laplace => {
            let u = rng.uniform() - 0.5;
            -u.signum() * math::ln(1.0 - 2.0 * u.abs()) * std::f64::consts::FRAC_1_SQRT_2
        }
    }
}
