//! The clear sky of Preetham, Shirley and Smits (1999), "A Practical Analytic Model for Daylight".
//!
//! What enters: turbidity T (2: very clear, 6: hazy) and the sun's angle from the zenith θ_s. What
//! leaves: luminance Y in kcd/m² and chromaticity x, y of every direction above the horizon, by its
//! angles θ from the zenith and γ from the sun: each is its value at the zenith times
//! F(θ, γ)/F(0, θ_s), with Perez's F = (1 + A·e^(B/cos θ))(1 + C·e^(Dγ) + E·cos²γ). All numbers are
//! those of the paper's appendix.

use std::f64::consts::PI;
use understory_base::math;

/// Turbidities for which the model is meant.
pub const TURBIDITY: std::ops::RangeInclusive<f64> = 1.7..=10.0;

/// The five numbers of Perez's function, as slope in T and constant.
const LUMINANCE: [[f64; 2]; 5] =
    [[0.1787, -1.4630], [-0.3554, 0.4275], [-0.0227, 5.3251], [0.1206, -2.5771], [-0.0670, 0.3703]];
const X: [[f64; 2]; 5] = [
    [-0.0193, -0.2592],
    [-0.0665, 0.0008],
    [-0.0004, 0.2125],
    [-0.0641, -0.8989],
    [-0.0033, 0.0452],
];
const Y: [[f64; 2]; 5] = [
    [-0.0167, -0.2608],
    [-0.0950, 0.0092],
    [-0.0079, 0.2102],
    [-0.0441, -1.6537],
    [-0.0109, 0.0529],
];
/// Polynomials in θ_s, highest power first, for T², T and 1.
const ZENITH_X: [[f64; 4]; 3] = [
    [0.00166, -0.00375, 0.00209, 0.0],
    [-0.02903, 0.06377, -0.03202, 0.00394],
    [0.11693, -0.21196, 0.06052, 0.25886],
];
const ZENITH_Y: [[f64; 4]; 3] = [
    [0.00275, -0.00610, 0.00317, 0.0],
    [-0.04214, 0.08970, -0.04153, 0.00516],
    [0.15346, -0.26756, 0.06670, 0.26688],
];

/// A sky under one sun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preetham {
    /// Y, x and y straight up.
    pub zenith: [f64; 3],
    /// Perez's numbers of each.
    perez: [[f64; 5]; 3],
    /// F(0, θ_s) of each.
    at_zenith: [f64; 3],
}

impl Preetham {
    /// The sky of this turbidity under a sun at `sun_zenith_rad`; below the horizon it stays as at
    /// sunset.
    pub fn new(turbidity: f64, sun_zenith_rad: f64) -> Preetham {
        let t = turbidity.clamp(*TURBIDITY.start(), *TURBIDITY.end());
        let sun = sun_zenith_rad.clamp(0.0, PI / 2.0);
        let chi = (4.0 / 9.0 - t / 120.0) * (PI - 2.0 * sun);
        let luminance = (4.0453 * t - 4.9710) * math::tan(chi) - 0.2155 * t + 2.4192;
        let zenith = [luminance, chromaticity(&ZENITH_X, t, sun), chromaticity(&ZENITH_Y, t, sun)];
        let perez =
            [LUMINANCE, X, Y].map(|rows| rows.map(|[slope, constant]| slope * t + constant));
        Preetham { zenith, perez, at_zenith: perez.map(|numbers| f(&numbers, 1.0, sun)) }
    }

    /// Y in kcd/m², x and y in a direction, by the cosine of its angle from the zenith and its angle
    /// from the sun.
    pub fn at(&self, cos_zenith: f64, from_sun_rad: f64) -> [f64; 3] {
        // At the horizon itself e^(B/cos θ) is 0.
        let cos = cos_zenith.max(1e-3);
        std::array::from_fn(|i| {
            self.zenith[i] * f(&self.perez[i], cos, from_sun_rad) / self.at_zenith[i]
        })
    }
}

fn chromaticity(rows: &[[f64; 4]; 3], t: f64, sun: f64) -> f64 {
    let [square, linear, constant] = rows.map(|row| row.iter().fold(0.0, |sum, c| sum * sun + c));
    square * t * t + linear * t + constant
}

/// Perez's function.
fn f(&[a, b, c, d, e]: &[f64; 5], cos_zenith: f64, from_sun_rad: f64) -> f64 {
    let cos = math::cos(from_sun_rad);
    (1.0 + a * math::exp(b / cos_zenith)) * (1.0 + c * math::exp(d * from_sun_rad) + e * cos * cos)
}

/// Linear red, green and blue of sRGB of a luminance and a chromaticity; what sRGB cannot show is
/// cut at 0.
pub fn linear_rgb([luminance, x, y]: [f64; 3]) -> [f32; 3] {
    let (big_x, big_z) = (luminance * x / y, luminance * (1.0 - x - y) / y);
    let of = |r: [f64; 3]| (r[0] * big_x + r[1] * luminance + r[2] * big_z).max(0.0) as f32;
    [of([3.2406, -1.5372, -0.4986]), of([-0.9689, 1.8758, 0.0415]), of([0.0557, -0.2040, 1.0570])]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zenith luminance and chromaticity of the appendix's formulas, worked out elsewhere.
    #[test]
    fn zeniths_by_the_published_formulas() {
        for (turbidity, elevation_deg, luminance, x, y) in [
            (2.0, 60.0, 5.886_743_249, 0.251_421_462, 0.255_923_838),
            (3.0, 42.0, 6.833_226_162, 0.244_813_628, 0.250_764_331),
            (6.0, 20.0, 6.579_691_529, 0.271_447_491, 0.289_813_140),
            (3.0, 1.0, 1.877_611_471, 0.281_268_616, 0.302_112_916),
        ] {
            let sky = Preetham::new(turbidity, (90.0f64 - elevation_deg).to_radians());
            for (found, expected) in sky.zenith.iter().zip([luminance, x, y]) {
                assert!((found / expected - 1.0).abs() < 1e-8, "{turbidity}: {found} {expected}");
            }
            let again = sky.at(1.0, (90.0f64 - elevation_deg).to_radians());
            assert!(again.iter().zip(sky.zenith).all(|(a, b)| (a / b - 1.0).abs() < 1e-12));
        }
    }

    /// What everybody sees: blue above, pale at the horizon, brightest about the sun, red in the
    /// evening; and the 10 to 30 klx that a clear sky without its sun gives on level ground.
    #[test]
    fn a_clear_sky_looks_like_one() {
        let sun_zenith = 48f64.to_radians();
        let sky = Preetham::new(3.0, sun_zenith);
        let rgb = |sky: &Preetham, cos: f64, gamma_deg: f64| {
            linear_rgb(sky.at(cos, gamma_deg.to_radians()))
        };
        let [r, g, b] = rgb(&sky, 1.0, 48.0);
        assert!(b > 2.0 * r && g > r, "{r} {g} {b}");
        let [r, _, b] = rgb(&sky, 0.02, 120.0);
        assert!(b < 1.3 * r, "{r} {b}");
        assert!(sky.at(sun_zenith.cos(), 0.0)[0] > 3.0 * sky.at(sun_zenith.cos(), 1.5)[0]);
        let evening = Preetham::new(3.0, 89f64.to_radians());
        let [r, _, b] = rgb(&evening, 0.02, 5.0);
        assert!(r > 1.5 * b, "{r} {b}");
        let (n, mut klx) = (100, 0.0);
        for i in 0..n {
            for j in 0..n {
                let cos = ((f64::from(i) + 0.5) / f64::from(n)).sqrt();
                let azimuth = 2.0 * PI * (f64::from(j) + 0.5) / f64::from(n);
                let sin = (1.0 - cos * cos).sqrt();
                let to_sun = sun_zenith.sin() * sin * azimuth.cos() + sun_zenith.cos() * cos;
                klx += PI * sky.at(cos, to_sun.acos())[0] / f64::from(n * n);
            }
        }
        assert!((10.0..30.0).contains(&klx), "{klx}");
    }
}
