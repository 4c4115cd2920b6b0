//! Random numbers for volumes: one word of Philox per pulse, then a mixer.
//!
//! A ray asks some ten volumes, and a block of Philox for each would cost more than asking them. So
//! the pulse draws one key of 64 bits by Philox, and what volume j of sub-ray s draws is a mix of
//! key, s and j alone (the finaliser of SplitMix64, Steele, Lea & Flood 2014, over the key plus a
//! multiple of its odd constant): any order of asking gives the same numbers.

use understory_base::normal;

use crate::rng::{PulseRng, Stage};

/// Numbers that are no volumes begin here.
const OTHER: u64 = 1 << 32;

/// The key of one pulse.
#[derive(Clone, Copy, Debug)]
pub struct PulseKey(u64);

/// The random numbers of one sub-ray in one site.
#[derive(Clone, Copy, Debug)]
pub struct Draws(u64);

impl PulseKey {
    /// The key of pulse `pulse`.
    pub fn new(seed: u64, sensor: u16, pulse: u64) -> PulseKey {
        PulseKey(PulseRng::new(seed, sensor, pulse, Stage::Volume).word())
    }

    /// The numbers of sub-ray `sub_ray` in site `site`.
    #[inline]
    pub fn draws(self, site: u32, sub_ray: u32) -> Draws {
        Draws(mix(self.0, u64::from(site) << 32 | u64::from(sub_ray)))
    }
}

impl Draws {
    /// Uniform in 0…1 without 1, for a volume.
    #[inline(always)]
    pub fn of_volume(self, number: u32) -> f32 {
        (mix(self.0, u64::from(number)) >> 40) as f32 * (1.0 / (1 << 24) as f32)
    }

    /// Uniform in the open interval (0, 1).
    #[inline]
    pub fn uniform(self, place: u64) -> f64 {
        open(mix(self.0, OTHER + place))
    }

    /// Normal with mean 0 and standard deviation 1, by the inverse of the distribution.
    #[inline]
    pub fn normal(self, place: u64) -> f64 {
        normal::fast_quantile(self.uniform(place))
    }
}

/// The middle of one of 2⁵² equal parts of (0, 1).
#[inline]
fn open(word: u64) -> f64 {
    ((word >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

#[inline(always)]
fn mix(key: u64, item: u64) -> u64 {
    let mut z = key.wrapping_add(item.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// χ² with 255 degrees of freedom stays below 378.6 with probability 1 − 1e-6.
    fn uniform(what: &str, values: impl Iterator<Item = f64>) {
        let (mut counts, mut all) = ([0u32; 256], 0.0);
        for value in values {
            assert!((0.0..1.0).contains(&value));
            counts[(value * 256.0) as usize] += 1;
            all += 1.0;
        }
        let expected = all / 256.0;
        let chi2: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        assert!(chi2 < 378.6, "{what}: χ² is {chi2}");
    }

    #[test]
    fn volumes_sub_rays_pulses_and_sites_draw_uniform_numbers() {
        let n = 200_000;
        let one = PulseKey::new(1, 0, 0);
        let of =
            |key: PulseKey, site, ray, volume| f64::from(key.draws(site, ray).of_volume(volume));
        uniform("volumes", (0..n).map(|volume| of(one, 0, 0, volume)));
        uniform("sub-rays", (0..n).map(|ray| of(one, 0, ray, 7)));
        uniform("sites", (0..n).map(|site| of(one, site, 0, 7)));
        uniform("pulses", (0..n).map(|p| of(PulseKey::new(1, 0, p.into()), 0, 0, 7)));
        uniform("others", (0..n).map(|place| one.draws(0, 0).uniform(place.into())));
    }

    /// Pairs of neighbours fall evenly into 16 × 16 squares.
    #[test]
    fn neighbours_are_independent() {
        let n = 200_000u32;
        let key = |p: u32| PulseKey::new(9, 1, p.into());
        let pair = |a: f32, b: f32| {
            (f64::from(((a * 16.0) as u32) * 16 + (b * 16.0) as u32) + 0.5) / 256.0
        };
        let d = key(0).draws(0, 0);
        uniform("volumes", (0..n).map(|v| pair(d.of_volume(v), d.of_volume(v + 1))));
        uniform(
            "pulses",
            (0..n).map(|p| {
                pair(key(p).draws(0, 0).of_volume(3), key(p + 1).draws(0, 0).of_volume(3))
            }),
        );
        uniform(
            "sub-rays",
            (0..n).map(|r| {
                pair(key(0).draws(0, r).of_volume(3), key(0).draws(0, r + 1).of_volume(3))
            }),
        );
        // The sum over several volumes of one pulse is spread as independent numbers are: the
        // variance of 20 is 20/12, that of its estimate from n pulses about 20/12·√(2/n).
        let sums = (0..n).map(|p| {
            let draws = key(p).draws(0, 0);
            (0..20).map(|v| f64::from(draws.of_volume(v * 37)) - 0.5).sum::<f64>()
        });
        let variance = sums.map(|s| s * s).sum::<f64>() / f64::from(n);
        let expected = 20.0 / 12.0;
        assert!((variance - expected).abs() < 5.0 * expected * (2.0 / f64::from(n)).sqrt());
    }

    #[test]
    fn normal_numbers_have_their_moments() {
        let n = 200_000;
        let draws = PulseKey::new(4, 0, 77).draws(0, 0);
        let (mut one, mut two, mut four) = (0.0, 0.0, 0.0);
        for place in 0..n {
            let x = draws.normal(place);
            (one, two, four) = (one + x, two + x * x, four + x.powi(4));
        }
        // Five standard errors: wrong once in 1.7 million.
        let n = n as f64;
        assert!((one / n).abs() < 5.0 / n.sqrt());
        assert!((two / n - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
        assert!((four / n - 3.0).abs() < 5.0 * (96.0 / n).sqrt());
    }
}
