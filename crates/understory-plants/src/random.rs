//! Random numbers for growing: the same on every machine.
//!
//! Written out here because every plant that was ever grown from a seed hangs on these bits; another
//! generator, or another version of one, would grow other plants.

use glam::DVec3;
use understory_base::math;

/// SplitMix64 (Steele, Lea and Flood 2014): small, fast, and one stream per seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed);
        random.next_u64();
        random
    }

    /// A stream of its own for part `index` of something, independent of how much was drawn here.
    pub fn fork(&self, index: u64) -> Random {
        Random::new(self.0 ^ index.wrapping_add(1).wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0…1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Standard normal, by Box and Muller (1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * math::ln(1.0 - self.unit())).sqrt();
        radius * math::cos(std::f64::consts::TAU * self.unit())
    }

    /// A Poisson number, by counting exponential steps (Knuth 1969); time grows with the mean. No finite
    /// mean: 0.
    pub fn poisson(&mut self, mean: f64) -> u64 {
        let mut left = if mean.is_finite() { mean } else { 0.0 };
        let mut count = 0;
        loop {
            left += math::ln(1.0 - self.unit());
            if left < 0.0 {
                return count;
            }
            count += 1;
        }
    }

    /// Uniform on the sphere.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.between(-1.0, 1.0);
        let (sin, cos) = math::sin_cos(std::f64::consts::TAU * self.unit());
        let flat = (1.0 - z * z).sqrt();
        DVec3::new(flat * cos, flat * sin, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poisson_numbers_have_mean_and_variance_alike() {
        let n = 20_000;
        for mean in [0.0, 0.3, 7.0, 150.0] {
            let mut random = Random::new(4);
            let drawn: Vec<f64> = (0..n).map(|_| random.poisson(mean) as f64).collect();
            let average = drawn.iter().sum::<f64>() / f64::from(n);
            let variance = drawn.iter().map(|k| (k - average).powi(2)).sum::<f64>() / f64::from(n);
            // Five standard errors: error probability 6e-7 each.
            let (n, m): (f64, f64) = (f64::from(n), mean);
            assert!((average - m).abs() <= 5.0 * (m / n).sqrt(), "{mean}: {average}");
            assert!((variance - m).abs() <= 5.0 * ((m + 2.0 * m * m) / n).sqrt());
        }
        assert_eq!(Random::new(1).poisson(f64::INFINITY), 0);
        assert_eq!(Random::new(1).poisson(-3.0), 0);
    }
}
