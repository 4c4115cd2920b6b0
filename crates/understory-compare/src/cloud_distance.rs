//! How alike two recordings are as clouds of points, whatever beams gave them.
//!
//! What enters: returns of both. What leaves: mean distances to the nearest point of the other
//! cloud, their sum (the Chamfer distance), and the F-score at a threshold: the harmonic mean of
//! the share of simulated points that have a real point that near and the share of real points that
//! have a simulated one (Knapitsch et al. 2017).

use super::orientation::angles_of;
use super::{OrientationBy, Region};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rand_philox::splitmix64;
use rayon::prelude::*;
use std::cmp::Ordering;
use understory_cloud::Records;

/// Distance of two clouds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CloudDistance {
    /// Points of the real cloud that were used, and how many there were.
    pub real_points: [u64; 2],
    /// Points of the simulated cloud that were used, and how many there were.
    pub simulated_points: [u64; 2],
    /// Mean distance of a real point to the nearest simulated one.
    pub real_to_simulated_m: f64,
    /// Mean distance of a simulated point to the nearest real one.
    pub simulated_to_real_m: f64,
    /// Sum of the two.
    pub chamfer_m: f64,
    /// How near is near.
    pub threshold_m: f64,
    /// Share of simulated points with a real one that near.
    pub precision: f64,
    /// Share of real points with a simulated one that near.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f_score: f64,
}

/// Points of a recording, at most so many: pulses are chosen by their number, so that recordings
/// with the same pulses keep the same ones.
#[derive(Clone, Debug)]
pub(super) struct ThinnedCloud {
    most: usize,
    /// Pulses whose mixed number is not above this are kept.
    gate: u64,
    kept: Vec<(u64, [f64; 3])>,
    seen: u64,
}

impl ThinnedCloud {
    pub(super) fn new(most: usize) -> ThinnedCloud {
        ThinnedCloud { most, gate: u64::MAX, kept: Vec::new(), seen: 0 }
    }

    /// Takes in the returns of a batch that lie in the region.
    pub(super) fn add(&mut self, records: &Records, region: &Region, by: OrientationBy) {
        if self.most == 0 {
            return;
        }
        for i in 0..records.len() {
            let at = records.world_xyz_m[i];
            if records.return_number[i] == 0 || !at.iter().all(|value| value.is_finite()) {
                continue;
            }
            if !region.has_point(records.range_m[i], at) {
                continue;
            }
            if region.limits_beams() {
                let [azimuth, elevation] = match by {
                    OrientationBy::Direction => angles_of(records.direction_xyz[i]),
                    _ => [records.azimuth_deg[i], records.elevation_deg[i]],
                };
                if !region.has_beam(azimuth, elevation) {
                    continue;
                }
            }
            self.seen += 1;
            let mixed = splitmix64(records.pulse[i] << 6 ^ u64::from(records.sensor[i]) << 54);
            if mixed > self.gate {
                continue;
            }
            self.kept.push((mixed, at));
            while self.kept.len() > self.most && self.gate > 0 {
                self.gate /= 2;
                let gate = self.gate;
                self.kept.retain(|(mixed, _)| *mixed <= gate);
            }
        }
    }

    fn points(&self) -> Vec<[f64; 3]> {
        self.kept.iter().map(|(_, at)| *at).collect()
    }

    pub(super) fn is_thinned(&self) -> bool {
        self.kept.len() as u64 != self.seen
    }
}

/// Distance of two clouds; `None` if one of them is empty.
pub(super) fn cloud_distance(
    real: &ThinnedCloud,
    simulated: &ThinnedCloud,
    threshold_m: f64,
) -> Option<CloudDistance> {
    let (of_real, of_simulated) = (real.points(), simulated.points());
    let (to_simulated, recall) = nearest(&of_real, &of_simulated, threshold_m)?;
    let (to_real, precision) = nearest(&of_simulated, &of_real, threshold_m)?;
    let sum = precision + recall;
    Some(CloudDistance {
        real_points: [of_real.len() as u64, real.seen],
        simulated_points: [of_simulated.len() as u64, simulated.seen],
        real_to_simulated_m: to_simulated,
        simulated_to_real_m: to_real,
        chamfer_m: to_simulated + to_real,
        threshold_m,
        precision,
        recall,
        f_score: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 },
    })
}

/// Mean distance from `from` to the nearest of `to`, and the share that is not above `threshold_m`.
fn nearest(from: &[[f64; 3]], to: &[[f64; 3]], threshold_m: f64) -> Option<(f64, f64)> {
    if from.is_empty() || to.is_empty() {
        return None;
    }
    // A sensor that stands still hits the same places over and over.
    let mut places = to.to_vec();
    places.par_sort_unstable_by(|a, b| {
        let axes = (0..3).map(|axis| a[axis].total_cmp(&b[axis]));
        axes.fold(Ordering::Equal, Ordering::then)
    });
    places.dedup();
    let tree = ImmutableKdTree::<f64, 3>::new_from_slice(&places).ok()?;
    let parts: Vec<(f64, usize)> = from
        .par_chunks(4096)
        .map(|points| {
            points.iter().fold((0.0, 0), |(sum, near), point| {
                let found = tree.query(point).nearest_one::<SquaredEuclidean<f64>>().execute();
                let apart = found.distance.sqrt();
                (sum + apart, near + usize::from(apart <= threshold_m))
            })
        })
        .collect();
    let (sum, near) =
        parts.iter().fold((0.0, 0), |(sum, near), part| (sum + part.0, near + part.1));
    Some((sum / from.len() as f64, near as f64 / from.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    fn cloud(points: &[[f64; 3]], most: usize) -> ThinnedCloud {
        let mut records = Records::default();
        for (pulse, &world_xyz_m) in points.iter().enumerate() {
            let pulse = pulse as u64;
            records.push(Record { world_xyz_m, pulse, return_number: 1, ..Record::miss() });
        }
        let mut cloud = ThinnedCloud::new(most);
        cloud.add(&records, &Region::default(), OrientationBy::Channel);
        cloud
    }

    fn random(count: u64, seed: u64) -> Vec<[f64; 3]> {
        let value = |i: u64| splitmix64(seed ^ splitmix64(i)) as f64 / u64::MAX as f64;
        (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2].map(value)).collect()
    }

    #[test]
    fn distances_are_those_of_all_pairs() {
        let (a, b) = (random(700, 1), random(400, 2));
        let found = cloud_distance(&cloud(&a, 1000), &cloud(&b, 1000), 0.05).unwrap();
        let all = |from: &[[f64; 3]], to: &[[f64; 3]]| -> Vec<f64> {
            let apart = |p: &[f64; 3], q: &[f64; 3]| {
                (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
            };
            from.iter().map(|p| to.iter().map(|q| apart(p, q)).fold(9.0, f64::min)).collect()
        };
        let (ab, ba) = (all(&a, &b), all(&b, &a));
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let near = |v: &[f64]| v.iter().filter(|d| **d <= 0.05).count() as f64 / v.len() as f64;
        assert!((found.chamfer_m - mean(&ab) - mean(&ba)).abs() < 1e-12, "{found:?}");
        assert_eq!((found.recall, found.precision), (near(&ab), near(&ba)));
        let f = 2.0 * near(&ab) * near(&ba) / (near(&ab) + near(&ba));
        assert!((found.f_score - f).abs() < 1e-12 && f > 0.05 && f < 0.95, "{f}");
    }

    #[test]
    fn clouds_on_planes_and_in_one_place_are_no_trouble() {
        let flat: Vec<[f64; 3]> = random(5000, 3).iter().map(|p| [5.0, p[1], 0.0]).collect();
        let same = vec![[5.0, 0.5, 0.0]; 5000];
        let found = cloud_distance(&cloud(&flat, 9999), &cloud(&same, 9999), 0.05).unwrap();
        assert!((found.recall - 0.1).abs() < 0.03 && found.precision == 1.0, "{found:?}");
        assert!(cloud_distance(&cloud(&flat, 9999), &cloud(&[], 9999), 0.05).is_none());
    }

    #[test]
    fn a_cloud_is_thinned_to_the_same_pulses_however_it_comes() {
        let points = random(10_000, 4);
        let thinned = cloud(&points, 1000);
        assert!(thinned.kept.len() <= 1000 && thinned.kept.len() > 300, "{}", thinned.kept.len());
        assert_eq!(thinned.seen, 10_000);
        let mean = thinned.points().iter().map(|p| p[0]).sum::<f64>() / thinned.kept.len() as f64;
        // 6 sigma of the mean of at least 300 uniform numbers.
        assert!((mean - 0.5).abs() < 6.0 * (1.0 / 12.0f64 / 300.0).sqrt(), "{mean}");
    }
}
