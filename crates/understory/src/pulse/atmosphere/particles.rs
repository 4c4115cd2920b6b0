//! Drops and flakes as single things in the beam: a size law → those whose echo can count.
//!
//! Particles lie in the beam like a Poisson process, with exponential sizes N(>D) = n·e^(−ΛD). At
//! distance r a particle of size D hides the share f of a beam of width w(r), either by area,
//! f = min(1, D²/(w_h·w_v)), or in the plane of the channel, f = min(1, D/w_h), and sends back
//! ρ·f·ξ(r)·e^(−2αr)/r² (in units in which a white target at r gives 1/r²).
//!
//! A beam to 100 m holds thousands of drops, of which almost none is ever seen. Only those whose
//! echo exceeds a threshold p are drawn: at r they are the ones above a size D_p(r), so their
//! number along the beam has the density λ(r) = cross-section(r)·n·e^(−Λ·D_p(r)), and sizes above
//! D_p follow the same law. Its integral is a table; drawing is exact. What the others hide
//! together is the mean, `rest_depth`.

use crate::rng::PulseRng;
use understory_base::math;

use super::fog::{OVERLAP_M, overlap};

/// How much of a beam a particle hides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Occlusion {
    /// By its angle in the plane of the channel, particles being disks in that plane.
    #[default]
    Angle,
    /// By its area, particles being balls in space.
    Area,
}

/// Sizes and numbers of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleLaw {
    /// N0 of the size law, in 1/(m³·mm).
    pub intercept: f64,
    /// Λ of the size law.
    pub slope_per_mm: f64,
    /// Smaller ones are left out.
    pub least_mm: f64,
    /// How they hide the beam.
    pub occlusion: Occlusion,
    /// Reflectance of a particle; 1: as much as a white surface.
    pub reflectance: f64,
}

impl ParticleLaw {
    /// Number above a size: in 1 m³, or by angle in 1 m² of the plane, which cuts N·(mean size).
    pub fn density_above(&self, size_mm: f64) -> f64 {
        let per_m3 = self.intercept / self.slope_per_mm
            * math::exp(-self.slope_per_mm * size_mm.max(self.least_mm));
        match self.occlusion {
            Occlusion::Area => per_m3,
            Occlusion::Angle => per_m3 / self.slope_per_mm * 1e-3,
        }
    }

    /// Mean share of the light that particles below a size hide in 1 m, ∫ N(D)·(area or width) dD.
    fn hidden_per_m_below(&self, size_mm: f64) -> f64 {
        let (l, from, to) = (self.slope_per_mm, self.least_mm, size_mm.max(self.least_mm));
        match self.occlusion {
            // ∫ D·Λ·e^(−ΛD) dD and ∫ D²·Λ·e^(−ΛD) dD have these negative antiderivatives.
            Occlusion::Angle => {
                let tail =
                    |d: f64| if d.is_finite() { (d + 1.0 / l) * math::exp(-l * d) } else { 0.0 };
                self.intercept / (l * l) * 1e-3 * (tail(from) - tail(to)) * 1e-3
            }
            Occlusion::Area => {
                let tail = |d: f64| match d.is_finite() {
                    true => (d * d + 2.0 * d / l + 2.0 / (l * l)) * math::exp(-l * d),
                    false => 0.0,
                };
                self.intercept / l * std::f64::consts::FRAC_PI_4 * (tail(from) - tail(to)) * 1e-6
            }
        }
    }
}

/// Width and height of a beam by distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamWidth {
    /// Where it leaves.
    pub aperture_m: [f64; 2],
    /// Growth per metre, 2·tan(γ/2).
    pub growth: [f64; 2],
}

impl BeamWidth {
    /// Width and height at a distance.
    pub fn at(&self, distance_m: f64) -> [f64; 2] {
        std::array::from_fn(|i| self.aperture_m[i] + self.growth[i] * distance_m)
    }
}

/// A particle that can be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Particle {
    /// Distance from where the beam leaves.
    pub distance_m: f64,
    /// Share of the beam that it hides.
    pub share: f64,
}

/// Most particles of one kind in one pulse.
const MAX_PARTICLES: usize = 64;

/// Most of them in the mean: the threshold is raised until there are no more.
const MEAN_MAX: f64 = 16.0;

const CELLS: usize = 1024;

/// Particles in the beam of one sensor.
#[derive(Clone, Debug)]
pub struct ParticleBeam {
    law: ParticleLaw,
    width: BeamWidth,
    extinction_per_m: f64,
    threshold: f64,
    cell_m: f64,
    /// Mean number of drawn particles up to the border of each cell.
    count: Vec<f64>,
    /// What the others hide up to there.
    rest: Vec<f64>,
}

impl ParticleBeam {
    /// Prepares the drawing of particles as far as `range_max_m` whose echo exceeds `threshold`,
    /// in air that takes `extinction_per_m` beside them.
    pub fn new(
        law: ParticleLaw,
        width: BeamWidth,
        extinction_per_m: f64,
        range_max_m: f64,
        threshold: f64,
    ) -> ParticleBeam {
        let cell_m = range_max_m / CELLS as f64;
        let (count, rest) = (Vec::new(), Vec::new());
        let mut beam =
            ParticleBeam { law, width, extinction_per_m, threshold, cell_m, count, rest };
        beam.fill();
        while beam.mean_count(range_max_m) > MEAN_MAX {
            beam.threshold = (beam.threshold * 1.5).max(1e-12);
            beam.fill();
        }
        beam
    }

    fn fill(&mut self) {
        self.count.clear();
        self.rest.clear();
        let (mut count, mut rest) = (0.0, 0.0);
        self.count.push(count);
        self.rest.push(rest);
        for cell in 0..CELLS {
            let distance_m = (cell as f64 + 0.5) * self.cell_m;
            let [h, v] = self.width.at(distance_m);
            let cross = match self.law.occlusion {
                Occlusion::Angle => h,
                Occlusion::Area => std::f64::consts::FRAC_PI_4 * h * v,
            };
            let size_mm = self.least_seen_mm(distance_m);
            // A beam with no width meets particles as rays do: they all hide, none is drawn.
            let seen = if cross > 0.0 { self.law.density_above(size_mm) * cross } else { 0.0 };
            let hidden = if cross > 0.0 { size_mm } else { f64::INFINITY };
            count += if seen.is_finite() { seen * self.cell_m } else { 0.0 };
            rest += self.law.hidden_per_m_below(hidden) * self.cell_m;
            self.count.push(count);
            self.rest.push(rest);
        }
    }

    /// Least size at a distance whose echo exceeds the threshold; infinite: none.
    fn least_seen_mm(&self, distance_m: f64) -> f64 {
        let best = self.law.reflectance * self.weight(distance_m);
        let share = self.threshold / best;
        if share.is_nan() || share >= 1.0 {
            return f64::INFINITY;
        }
        let [h, v] = self.width.at(distance_m);
        let size_m = match self.law.occlusion {
            Occlusion::Angle => share * h,
            Occlusion::Area => (share * h * v).sqrt(),
        };
        (size_m * 1e3).max(self.law.least_mm)
    }

    /// ξ·e^(−2αr)/r².
    fn weight(&self, distance_m: f64) -> f64 {
        let air = math::exp(-2.0 * self.extinction_per_m * distance_m);
        overlap(OVERLAP_M, distance_m) * air / (distance_m * distance_m)
    }

    /// Power that a particle sends back, in units in which a white target at r gives 1/r².
    pub fn power(&self, particle: &Particle) -> f64 {
        self.law.reflectance * particle.share * self.weight(particle.distance_m)
    }

    /// Reflectance of a particle.
    pub fn reflectance(&self) -> f64 {
        self.law.reflectance
    }

    /// Echoes below this are not drawn.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Mean number of particles that are drawn up to a distance.
    pub fn mean_count(&self, distance_m: f64) -> f64 {
        self.look_up(&self.count, distance_m)
    }

    /// What the particles that are not drawn hide in the mean up to a distance, as −ln of what is
    /// left.
    pub fn rest_depth(&self, distance_m: f64) -> f64 {
        self.look_up(&self.rest, distance_m)
    }

    fn look_up(&self, table: &[f64], distance_m: f64) -> f64 {
        let place = (distance_m / self.cell_m).clamp(0.0, CELLS as f64);
        let index = (place as usize).min(CELLS - 1);
        table[index] + (table[index + 1] - table[index]) * (place - index as f64)
    }

    /// Draws the particles up to `distance_m` into `found`, nearest first.
    pub fn draw(&self, distance_m: f64, rng: &mut PulseRng, found: &mut Vec<Particle>) {
        found.clear();
        let mean = self.mean_count(distance_m);
        let number = poisson(mean, rng.uniform()).min(MAX_PARTICLES);
        for _ in 0..number {
            let target = rng.uniform() * mean;
            let cell = self.count.partition_point(|&count| count <= target).clamp(1, CELLS) - 1;
            let (low, high) = (self.count[cell], self.count[cell + 1]);
            let part = if high > low { (target - low) / (high - low) } else { 0.5 };
            let distance_m = (cell as f64 + part) * self.cell_m;
            let least_mm = self.least_seen_mm((cell as f64 + 0.5) * self.cell_m);
            let size_m = (least_mm - math::ln(rng.uniform()) / self.law.slope_per_mm) * 1e-3;
            let [h, v] = self.width.at(distance_m);
            let share = match self.law.occlusion {
                Occlusion::Angle => size_m / h,
                Occlusion::Area => size_m * size_m / (h * v),
            };
            found.push(Particle { distance_m, share: share.min(1.0) });
        }
        found.sort_unstable_by(|a, b| a.distance_m.total_cmp(&b.distance_m));
    }
}

/// The number of a Poisson law whose distribution function reaches `u`, for means up to about 20.
fn poisson(mean: f64, u: f64) -> usize {
    let (mut term, mut number) = (math::exp(-mean), 0);
    let mut sum = term;
    while u > sum && number < 4 * MAX_PARTICLES {
        number += 1;
        term *= mean / number as f64;
        sum += term;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stage;

    fn beam(occlusion: Occlusion, threshold: f64) -> ParticleBeam {
        let law = ParticleLaw {
            intercept: 8000.0,
            slope_per_mm: 2.5,
            least_mm: 0.05,
            occlusion,
            reflectance: 1.0,
        };
        let width = BeamWidth { aperture_m: [0.0; 2], growth: [0.0004, 0.0003] };
        ParticleBeam::new(law, width, 0.01, 40.0, threshold)
    }

    fn draw(beam: &ParticleBeam, pulses: u64, distance_m: f64) -> Vec<Vec<Particle>> {
        let pulse = |pulse| {
            let mut found = Vec::new();
            beam.draw(distance_m, &mut PulseRng::new(9, 0, pulse, Stage::Air), &mut found);
            found
        };
        (0..pulses).map(pulse).collect()
    }

    /// Numbers against density × volume of the cone (or area of the sector), within 5 standard
    /// errors (6·10⁻⁷ each); places against r = z·u^(1/3) (or u^(1/2)) by Kolmogorov and Smirnov's
    /// distance, below 2.75/√n with probability 1 − 5·10⁻⁷.
    #[test]
    fn all_particles_of_a_cone_by_number_and_place() {
        let (pulses, z) = (40_000, 30.0f64);
        for (occlusion, power) in [(Occlusion::Area, 3.0), (Occlusion::Angle, 2.0)] {
            let beam = beam(occlusion, 0.0);
            let size = match occlusion {
                Occlusion::Area => std::f64::consts::PI / 12.0 * 0.0004 * 0.0003 * z.powi(3),
                Occlusion::Angle => 0.0004 * z * z / 2.0,
            };
            // Nothing nearer than the overlap's beginning is seen.
            let seen = 1.0 - (0.9 / z).powf(power);
            let mean = beam.law.density_above(0.05) * size * seen;
            assert!((beam.mean_count(z) / mean - 1.0).abs() < 2e-3, "{occlusion:?}");
            let drawn = draw(&beam, pulses, z);
            let number = drawn.iter().map(Vec::len).sum::<usize>() as f64;
            let expected = mean * pulses as f64;
            assert!((number - expected).abs() < 5.0 * expected.sqrt(), "{number} {expected}");
            let variance = drawn.iter().map(|p| (p.len() as f64 - mean).powi(2)).sum::<f64>();
            let (variance, n) = (variance / pulses as f64, pulses as f64);
            let spread = ((mean + 2.0 * mean * mean) / n).sqrt();
            assert!((variance - mean).abs() < 5.0 * spread, "{variance} {mean}");
            let mut places: Vec<f64> =
                drawn.iter().flatten().map(|p| (p.distance_m / z).powf(power)).collect();
            places.sort_by(f64::total_cmp);
            let apart = places.iter().enumerate().map(|(i, &u)| {
                let law = ((u - (1.0 - seen)) / seen).clamp(0.0, 1.0);
                (law - i as f64 / number).abs().max((law - (i + 1) as f64 / number).abs())
            });
            let apart = apart.fold(0.0, f64::max);
            assert!(apart < 2.75 / number.sqrt() + 1e-3, "{occlusion:?} {apart}");
        }
    }

    /// Drawing the bright ones alone gives as many of them as drawing all and leaving out the
    /// others: two counts of Poisson laws, apart by less than 5 standard errors.
    #[test]
    fn thinning_leaves_the_bright_ones_as_they_are() {
        for occlusion in [Occlusion::Area, Occlusion::Angle] {
            let (all, thinned) = (beam(occlusion, 0.0), beam(occlusion, 5e-3));
            let pulses = 60_000;
            let bright = |pulses: Vec<Vec<Particle>>, beam: &ParticleBeam, threshold: f64| {
                let particles = pulses.into_iter().flatten();
                particles.filter(|p| beam.power(p) > threshold).count() as f64
            };
            for threshold in [5.05e-3, 2e-2, 1e-1] {
                let a = bright(draw(&all, pulses, 30.0), &all, threshold);
                let b = bright(draw(&thinned, pulses, 30.0), &thinned, threshold);
                assert!(a > 10.0, "{a} tell too little");
                assert!((a - b).abs() < 5.0 * (a + b).sqrt() + 0.01 * a, "{occlusion:?} {a} {b}");
            }
        }
    }

    /// What is drawn and what is not hide together what the law hides, whatever the threshold.
    #[test]
    fn drawn_and_not_drawn_hide_the_mean() {
        for occlusion in [Occlusion::Area, Occlusion::Angle] {
            for threshold in [1e-4, 1e-2] {
                // Wide enough that no particle hides the whole beam.
                let width = BeamWidth { aperture_m: [0.02; 2], growth: [0.002, 0.0015] };
                let law = beam(occlusion, 0.0).law;
                let beam = ParticleBeam::new(law, width, 0.01, 40.0, threshold);
                let pulses = 60_000;
                let shares: Vec<f64> = draw(&beam, pulses, 40.0)
                    .iter()
                    .map(|pulse| pulse.iter().map(|p| p.share).sum())
                    .collect();
                let n = pulses as f64;
                let mean = shares.iter().sum::<f64>() / n;
                let variance = shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n;
                let whole = beam.law.hidden_per_m_below(f64::INFINITY) * 40.0;
                let found = mean + beam.rest_depth(40.0);
                let slack = 5.0 * (variance / n).sqrt() + 0.01 * whole;
                assert!((found - whole).abs() < slack, "{occlusion:?}: {found:e} {whole:e}");
            }
        }
    }

    #[test]
    fn a_crowd_raises_the_threshold_instead_of_the_time() {
        let law = ParticleLaw { intercept: 8e6, ..beam(Occlusion::Area, 0.0).law };
        let width = BeamWidth { aperture_m: [0.01; 2], growth: [0.01; 2] };
        let beam = ParticleBeam::new(law, width, 0.01, 100.0, 0.0);
        assert!(beam.mean_count(100.0) <= MEAN_MAX && beam.threshold() > 0.0);
        let nothing = BeamWidth { aperture_m: [0.0; 2], growth: [0.0; 2] };
        let beam = ParticleBeam::new(law, nothing, 0.01, 100.0, 0.0);
        assert_eq!(beam.mean_count(100.0), 0.0);
        assert!(beam.rest_depth(100.0) > 0.0);
    }
}
