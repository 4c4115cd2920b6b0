//! How leaves are inclined: given, or fitted to how much light they stop from which direction.
//!
//! Voxels that are seen under several zenith angles show how leaves are inclined: flat ones stop more
//! light from above, upright ones from the side. What enters: ways z and hits n of every voxel by
//! zenith angle b. What leaves: the χ of Campbell's (1986) ellipsoidal distribution that makes them
//! most likely. The density of each voxel is the most likely one for each χ, which leaves
//! Σ_v (Σ_b n_vb ln G_b(χ) − n_v ln Σ_b G_b(χ) z_vb) to be made large.

use understory_base::math;
use understory_plants::{Inclinations, LeafAngle};

use crate::LeafAreaError;
use crate::sums::ZenithSums;

/// How leaves are inclined.
#[derive(Clone, Debug, PartialEq)]
pub enum LeafAngles {
    /// By one of de Wit's distributions.
    Named(LeafAngle),
    /// As a table, such as of a scenario's truth.
    Given(Inclinations),
    /// As it makes the recordings most likely.
    Fitted,
}

impl Default for LeafAngles {
    fn default() -> LeafAngles {
        LeafAngles::Named(LeafAngle::Spherical)
    }
}

/// What was fitted.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct FittedAngle {
    /// Horizontal over vertical axis of the ellipsoid: 1 is spherical, below upright, above flat.
    pub chi: f64,
    /// Interval of 95 %, as if all pulses were independent.
    pub chi_interval: [f64; 2],
}

/// Least and largest χ.
const CHI: [f64; 2] = [0.05, 20.0];

impl FittedAngle {
    /// The distribution.
    pub fn inclinations(&self) -> Inclinations {
        ellipsoid(self.chi)
    }
}

fn ellipsoid(chi: f64) -> Inclinations {
    Inclinations::ellipsoidal(chi).unwrap_or_else(|| Inclinations::of(LeafAngle::Spherical))
}

/// Fits χ; refuses where voxels are seen under one zenith angle each.
pub(crate) fn fit(sums: &ZenithSums) -> Result<FittedAngle, LeafAreaError> {
    // The same for all χ: voxels without hits.
    let voxels: Vec<_> =
        sums.voxels().filter(|bins| bins.iter().any(|[_, hits]| *hits > 0.0)).collect();
    let likelihood = |chi: f64| -> f64 {
        let table = ellipsoid(chi);
        let g: [f64; ZenithSums::BINS] =
            std::array::from_fn(|bin| table.projection((10.0 * bin as f64 + 5.0).to_radians()));
        let of_voxel = |bins: &[[f64; 2]; ZenithSums::BINS]| {
            let (mut sum, mut hits, mut ways) = (0.0, 0.0, 0.0);
            for ([way, stopped], g) in bins.iter().zip(g) {
                sum += stopped * math::ln(g);
                hits += stopped;
                ways += way * g;
            }
            if ways > 0.0 { sum - hits * math::ln(ways) } else { 0.0 }
        };
        voxels.iter().map(of_voxel).sum()
    };
    let steps = 60;
    let [low, high] = CHI.map(math::ln::<f64>);
    let chi_of = |step: f64| math::exp(low + (high - low) * step / f64::from(steps));
    let values: Vec<f64> = (0..=steps).map(|step| likelihood(chi_of(f64::from(step)))).collect();
    let (best, most) = values
        .iter()
        .enumerate()
        .fold((0, f64::NEG_INFINITY), |best, (i, v)| if *v > best.1 { (i, *v) } else { best });
    // Half the quantile of χ² with one degree of freedom.
    const DROP: f64 = 1.9207;
    let flat = values.iter().all(|value| most - value < DROP);
    if voxels.is_empty() || flat {
        let why = "no voxel with leaves is seen under zenith angles that differ enough".to_owned();
        return Err(LeafAreaError::NoLeafAngles { why });
    }
    // Golden section around the best of the coarse steps.
    let (mut a, mut b) = ((best as f64 - 1.0).max(0.0), (best as f64 + 1.0).min(f64::from(steps)));
    for _ in 0..30 {
        let third = 0.381_966 * (b - a);
        if likelihood(chi_of(a + third)) > likelihood(chi_of(b - third)) {
            b -= third;
        } else {
            a += third;
        }
    }
    let chi = chi_of(0.5 * (a + b));
    let most = likelihood(chi);
    let within = |step: &usize| most - values[*step] < DROP;
    // Between the last coarse step outside and the first within, by halving.
    let edge = |inside: f64, outside: f64| {
        let (mut inside, mut outside) = (inside, outside);
        for _ in 0..25 {
            let middle = 0.5 * (inside + outside);
            let is_in = most - likelihood(chi_of(middle)) < DROP;
            if is_in { inside = middle } else { outside = middle }
        }
        chi_of(inside)
    };
    let at = 0.5 * (a + b);
    let below = (0..=steps as usize).rev().find(|s| (*s as f64) < at && !within(s));
    let above = (0..=steps as usize).find(|s| (*s as f64) > at && !within(s));
    let chi_interval = [
        below.map_or(CHI[0], |outside| edge(at, outside as f64)),
        above.map_or(CHI[1], |outside| edge(at, outside as f64)),
    ];
    Ok(FittedAngle { chi, chi_interval })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::Share;
    use glam::DVec3;
    use understory_cloud::VoxelGrid;
    use understory_plants::Random;

    /// Exponential media of ellipsoidal leaves, each seen from all zenith angles.
    fn seen(chi: f64, zeniths: &[f64]) -> Result<FittedAngle, LeafAreaError> {
        let grid = VoxelGrid::covering(DVec3::ZERO, DVec3::new(50.0, 1.0, 1.0), [1.0; 3]).unwrap();
        let sums = ZenithSums::new(&grid).unwrap();
        let table = ellipsoid(chi);
        let mut random = Random::new(8);
        for voxel in 0..50 {
            let density = 0.2 + 3.0 * random.unit();
            for pulse in 0..1500 {
                let zenith_rad = zeniths[pulse % zeniths.len()].to_radians();
                let attenuation = density * table.projection(zenith_rad);
                let free = -(1.0 - random.unit()).ln() / attenuation;
                let plant = if free < 0.7 { 1.0 } else { 0.0 };
                let share = Share { zenith_rad, path_m: free.min(0.7), plant, ..Share::default() };
                sums.add(voxel, &share);
            }
        }
        fit(&sums)
    }

    /// The interval of 95 % is widened by half to both sides: less than 1 in 300 leaves it.
    #[test]
    fn leaf_angles_are_found_again() {
        for chi in [0.4, 1.0, 2.5] {
            let found = seen(chi, &[5.0, 25.0, 45.0, 65.0, 85.0]).unwrap();
            let [low, high] = found.chi_interval;
            let (below, above) = (found.chi / low, high / found.chi);
            let fits = chi > low / below.sqrt() && chi < high * above.sqrt();
            assert!(fits && below < 1.2 && above < 1.2, "{chi}: {found:?}");
        }
    }

    #[test]
    fn one_direction_shows_no_angles() {
        let error = seen(1.0, &[35.0]).unwrap_err().to_string();
        assert!(error.contains("zenith angles") && error.contains("--leaf-angle"), "{error}");
    }
}
