//! Sums of a voxel → leaf area density, and how sure that is.
//!
//! With leaves placed at random, light is stopped on a way dt with the probability λ·G·dt, λ being the
//! leaf area density and G what leaves project per area. Of pulses j that were followed over the ways
//! z_j, of which n were stopped, the likelihood is λⁿ·exp(−λ·ΣG·z): the most likely density is
//! λ = n/ΣG·z, whatever the ways through the voxel are. It is too large by Σ_hit G·z/(ΣG·z)² in the
//! mean, to first order, which is taken off (Pimont et al. 2018); of ways without an end this is
//! (n − 1)/ΣG·z, which is exact.

use understory_base::{math, normal};

/// How density follows from the sums of a voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// Stopped light over entered light, over the mean length of ways through the voxel.
    ContactFrequency,
    /// Beer and Lambert's law inverted for the share that went through.
    BeerLambert,
    /// The most likely density.
    MaximumLikelihood,
    /// The same without its bias where pulses are few.
    #[default]
    BiasCorrected,
}

impl Estimator {
    /// All of them.
    pub const ALL: [Estimator; 4] = [
        Estimator::ContactFrequency,
        Estimator::BeerLambert,
        Estimator::MaximumLikelihood,
        Estimator::BiasCorrected,
    ];

    /// The name by which people ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::ContactFrequency => "contact-frequency",
            Estimator::BeerLambert => "beer-lambert",
            Estimator::MaximumLikelihood => "maximum-likelihood",
            Estimator::BiasCorrected => "bias-corrected",
        }
    }
}

/// What happened in a voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VoxelSums {
    /// Pulses that came with some of their light.
    pub pulses: u32,
    /// Pulses that would have come if nothing had stopped them before.
    pub expected: u32,
    /// Length of the ways of all of these.
    pub potential_m: f64,
    /// Light that entered, in pulses.
    pub entering: f64,
    /// Length of the ways through, times the light that entered.
    pub chord_m: f64,
    /// Length of the ways that were explored, times the light that did, Σz.
    pub path_m: f64,
    /// The same times the projection function, ΣG·z.
    pub projected_m: f64,
    /// Light stopped by leaves, n.
    pub plant: f64,
    /// Light stopped by wood.
    pub wood: f64,
    /// Sum of the squares of what leaves stopped of each pulse.
    pub squares: f64,
    /// Sum of these squares times G and the way before each.
    pub squared_projected_m: f64,
}

/// What wood projects: cylinders in all directions, per half of their skin.
const WOOD_PROJECTION: f64 = 0.5;

impl VoxelSums {
    /// Density of what leaves stopped; NaN where no pulse came.
    pub fn density(&self, estimator: Estimator) -> f64 {
        if self.projected_m <= 0.0 || self.entering <= 0.0 {
            return f64::NAN;
        }
        let projection = self.projected_m / self.path_m;
        let chord_m = self.chord_m / self.entering;
        let stopped = self.plant / self.entering;
        match estimator {
            Estimator::ContactFrequency => stopped / (projection * chord_m),
            Estimator::BeerLambert => {
                // Where all was stopped, half a pulse is taken for what might have gone through.
                let passed = (1.0 - stopped).max(0.5 / f64::from(self.pulses.max(1)));
                -math::ln(passed) / (projection * chord_m)
            }
            Estimator::MaximumLikelihood => self.plant / self.projected_m,
            Estimator::BiasCorrected => {
                let bias = self.squared_projected_m / self.projected_m;
                (self.plant - bias).max(0.0) / self.projected_m
            }
        }
    }

    /// Density of wood; NaN where no pulse came.
    pub fn wood_density(&self) -> f64 {
        self.wood / (WOOD_PROJECTION * self.path_m)
    }

    /// Share of the ways through the voxel that was explored.
    pub fn explored(&self) -> f64 {
        if self.potential_m > 0.0 { (self.path_m / self.potential_m).min(1.0) } else { 0.0 }
    }

    /// Variance of the density, relative to its square, that is left however many pulses come: pulses
    /// see where leaves hang, not how many there are. Of leaves of area a in a voxel of volume V and
    /// section S, of which the share P was reached:
    /// a/(λV)·(1/(3P) + 1/P − 1) + 0.2·a/(S·P). The first part is how leaves happen to be turned
    /// (cos² of spherical ones varies by a third) and which of them hang where pulses came; the second
    /// how they happen to overlap (docs/leaf-area.md).
    pub fn leaf_variance(&self, density: f64, leaf_area_m2: f64, volume_m3: f64) -> f64 {
        if density <= 0.0 || self.expected == 0 {
            return 0.0;
        }
        let reached = (self.entering / f64::from(self.expected)).clamp(1e-3, 1.0);
        let section_m2 = math::powf(volume_m3, 2.0 / 3.0);
        let turned =
            leaf_area_m2 / (density * volume_m3) * (1.0 / (3.0 * reached) + 1.0 / reached - 1.0);
        turned + 0.2 * leaf_area_m2 / (section_m2 * reached)
    }

    /// Variance of the density, in its own unit squared.
    pub fn variance(&self, leaf_area_m2: f64, volume_m3: f64) -> f64 {
        if self.projected_m <= 0.0 {
            return f64::NAN;
        }
        let density = self.density(Estimator::MaximumLikelihood);
        self.squares / self.projected_m.powi(2)
            + density.powi(2) * self.leaf_variance(density, leaf_area_m2, volume_m3)
    }

    /// Interval that holds the density with the confidence asked for: where twice the logarithm of
    /// the likelihood is no further below its maximum than the quantile of χ² (Wilks 1938). With n
    /// hits that is where n·(x − 1 − ln x) is half of it, x being the density over the most likely
    /// one; what leaves add is taken as fewer hits. NaN where no pulse came.
    pub fn interval(&self, confidence: f64, leaf_area_m2: f64, volume_m3: f64) -> [f64; 2] {
        let density = self.density(Estimator::MaximumLikelihood);
        if density.is_nan() {
            return [f64::NAN; 2];
        }
        let z = normal::quantile(0.5 + 0.5 * confidence);
        let drop = 0.5 * z * z;
        if self.plant <= 0.0 {
            return [0.0, drop / self.projected_m];
        }
        let hits = self.plant.powi(2) / self.squares.max(f64::MIN_POSITIVE);
        let extra = self.leaf_variance(density, leaf_area_m2, volume_m3);
        let hits = hits / (1.0 + hits * extra);
        [density * root(drop / hits, false), density * root(drop / hits, true)]
    }
}

/// The x below or above 1 with x − 1 − ln x = `level`.
fn root(level: f64, above: bool) -> f64 {
    let excess = |x: f64| x - 1.0 - math::ln(x) - level;
    // exp(−1 − level) is below the lower root, and 1 + level + √(2·level)·2 above the upper one.
    let (mut low, mut high) = match above {
        false => (math::exp(-1.0 - level), 1.0),
        true => (1.0, 2.0 + 2.0 * level + 2.0 * (2.0 * level).sqrt()),
    };
    for _ in 0..110 {
        let middle = 0.5 * (low + high);
        if (excess(middle) > 0.0) == above { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_plants::Random;

    /// Sums of pulses through `chord_m` of a medium of attenuation 0.5·`density`.
    fn sums(
        random: &mut Random,
        density: f64,
        pulses: u32,
        chord_m: impl Fn(u32) -> f64,
    ) -> VoxelSums {
        let mut sums = VoxelSums { pulses, expected: pulses, ..VoxelSums::default() };
        for pulse in 0..pulses {
            let chord = chord_m(pulse);
            let free = -(1.0 - random.unit()).ln() / (0.5 * density);
            let way = free.min(chord);
            sums.entering += 1.0;
            sums.chord_m += chord;
            sums.potential_m += chord;
            sums.path_m += way;
            sums.projected_m += 0.5 * way;
            if free < chord {
                sums.plant += 1.0;
                sums.squares += 1.0;
                sums.squared_projected_m += 0.5 * way;
            }
        }
        sums
    }

    /// Mean over 40,000 voxels of five pulses each with ways of 0.1 to 1 m. The standard deviation of
    /// the mean is about 0.5 %: limits of 3 % for the corrected one, and the bias of the other one.
    #[test]
    fn the_corrected_estimator_has_no_bias_with_five_pulses_and_unequal_ways() {
        let mut random = Random::new(3);
        let (density, voxels) = (2.0, 40_000);
        let mut means = [0.0; 4];
        for _ in 0..voxels {
            let sums = sums(&mut random, density, 5, |pulse| 0.1 + 0.2 * f64::from(pulse));
            for (mean, estimator) in means.iter_mut().zip(Estimator::ALL) {
                *mean += sums.density(estimator) / f64::from(voxels) / density;
            }
        }
        let [contact, _, likely, corrected] = means;
        assert!((corrected - 1.0).abs() < 0.03, "{means:?}");
        assert!(likely > 1.05, "{means:?}");
        assert!(contact < 0.85, "{means:?}");
    }

    /// Of ways without an end, n − 1 over their sum is known to be without bias.
    #[test]
    fn the_corrected_estimator_is_the_known_one_without_ends() {
        let mut random = Random::new(4);
        let sums = sums(&mut random, 1.0, 20, |_| 1e9);
        let known = 19.0 / sums.projected_m;
        assert!((sums.density(Estimator::BiasCorrected) - known).abs() < 1e-12);
    }

    #[test]
    fn many_pulses_agree_in_all_but_the_contact_frequency() {
        let mut random = Random::new(5);
        let sums = sums(&mut random, 1.5, 200_000, |_| 0.5);
        for estimator in
            [Estimator::BeerLambert, Estimator::MaximumLikelihood, Estimator::BiasCorrected]
        {
            // 31 % of 200,000 are stopped: a deviation of 0.4 %.
            assert!((sums.density(estimator) / 1.5 - 1.0).abs() < 0.02, "{estimator:?}");
        }
        let contact = (1.0 - (-0.375f64).exp()) / 0.25;
        assert!((sums.density(Estimator::ContactFrequency) / contact - 1.0).abs() < 0.02);
    }

    /// Intervals of 95 % over 2,000 voxels each: a share between 92.5 and 97.5 % is missed with a
    /// probability below 1e-6 if they cover 95 %.
    #[test]
    fn intervals_cover_as_often_as_they_say() {
        let mut random = Random::new(6);
        for (density, pulses) in [(0.5, 200), (3.0, 40), (3.0, 1000)] {
            let covered = (0..2000).filter(|_| {
                let sums =
                    sums(&mut random, density, pulses, |pulse| 0.2 + 0.1 * f64::from(pulse % 7));
                let [low, high] = sums.interval(0.95, 0.0, 1.0);
                low <= density && density <= high
            });
            let share = covered.count() as f64 / 2000.0;
            assert!((0.925..0.975).contains(&share), "{density} {pulses}: {share}");
        }
    }

    #[test]
    fn without_hits_the_interval_begins_at_zero_and_without_pulses_nothing_is_known() {
        let sums = VoxelSums {
            pulses: 4,
            expected: 4,
            entering: 4.0,
            chord_m: 2.0,
            path_m: 2.0,
            projected_m: 1.0,
            potential_m: 2.0,
            ..VoxelSums::default()
        };
        let [low, high] = sums.interval(0.95, 0.0, 1.0);
        assert!(low == 0.0 && (high - 1.92073).abs() < 1e-4, "{high}");
        assert_eq!(sums.density(Estimator::BiasCorrected), 0.0);
        let nothing = VoxelSums { expected: 9, potential_m: 3.0, ..VoxelSums::default() };
        assert!(Estimator::ALL.into_iter().all(|estimator| nothing.density(estimator).is_nan()));
        assert!(nothing.interval(0.95, 0.0, 1.0)[1].is_nan());
        assert_eq!(nothing.explored(), 0.0);
    }

    #[test]
    fn roots_are_roots() {
        for level in [1e-6f64, 0.01, 1.0, 30.0] {
            for above in [false, true] {
                let x = root(level, above);
                assert_eq!(x > 1.0, above);
                assert!((x - 1.0 - x.ln() - level).abs() < 1e-9 * level.max(1e-3), "{level} {x}");
            }
        }
    }
}
