//! Ellipsoids grown together: beams → [`Site`] (Deschaud 2012, §III-C-3, after Pauling, Bosse &
//! Zlot 2009).
//!
//! Seeds are half a cell wide; those of fewer than five points join their largest neighbour. Two
//! neighbours grow together if that keeps the points dense: the weight of an edge is the volume of
//! the joint ellipsoid at k = 2 per point, w = V/(n_a + n_b), and edges are taken by rising weight
//! as in Kruskal's spanning tree. A weight that is out of date because one side has grown since is
//! computed anew and waits for its turn. How far that goes is chosen by Akaike's criterion,
//! 2(10K − 1) − 2 ln L over twenty thresholds, with the likelihood of each point under its own
//! ellipsoid: it follows from the moments alone, without going over the points again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use understory_base::math;

use glam::DMat3;

use super::cells::{CellIndex, MixedMap};
use super::clusters::{Grains, site_of_clusters};
use super::settings::{Report, Settings};
use super::voxel::gather;
use crate::LearnError;
use crate::input::beams::BeamSource;
use crate::site::{Model, Site};
use crate::volume::moments::Moments;
use understory_base::Progress;

/// Thresholds that are compared.
const THRESHOLDS: usize = 20;
/// Points of a seed that stands by itself.
const SEED_POINTS: f64 = 5.0;
/// Mahalanobis radius of the ellipsoids whose density counts.
const RADIUS: f64 = 2.0;
/// Seeds in the edge of a cell.
const SEEDS_PER_CELL: f64 = 2.0;

/// Learns a site from beams.
pub fn learn(
    source: &dyn BeamSource,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Site, Report), LearnError> {
    let seeds = Settings { cell_m: settings.cell_m / SEEDS_PER_CELL, ..*settings };
    let (cells, beams) = gather(source, &seeds, progress)?;
    if cells.is_empty() {
        let range_max_m = settings.range_max_m;
        return Err(LearnError::NothingToLearn { beams, range_max_m });
    }
    let working = cells.memory_bytes() as u64;
    let grains = Grains::new(&cells)?;
    drop(cells);
    progress.step("growing ellipsoids", 0.0);
    let least_variance = settings.regularisation.sigma_min_m.powi(2);
    let clusters = Growth::new(&grains, least_variance).best(progress);
    let (site, mut report) =
        site_of_clusters(source, &grains, &clusters, Model::BottomUp, settings, progress)?;
    report.working_bytes = working / clusters.len().max(1) as u64;
    Ok((site, report))
}

/// Covariance of points that are no thinner than the sensor can tell.
fn thick(moments: &Moments, least_variance: f64) -> DMat3 {
    moments.covariance() + DMat3::from_diagonal(glam::DVec3::splat(least_variance))
}

/// Volume of an ellipsoid of the radius k per point in it: the inverse of its density.
fn volume_per_point(covariance: DMat3, points: f64) -> f64 {
    let volume = 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
    volume * covariance.determinant().max(0.0).sqrt() / points
}

/// An edge between two seeds that waits for its turn: weight, seeds, and what it was computed of.
type Edge = (u64, u32, u32, [u32; 2]);

struct Growth {
    moments: Vec<Moments>,
    parent: Vec<u32>,
    /// How often the cluster at a root has grown.
    version: Vec<u32>,
    least_variance: f64,
    queue: BinaryHeap<Reverse<Edge>>,
}

impl Growth {
    fn new(grains: &Grains, least_variance: f64) -> Growth {
        let count = grains.all.len();
        let places: MixedMap<CellIndex, u32> =
            (0..count).map(|k| (grains.index(k), k as u32)).collect();
        let mut growth = Growth {
            moments: grains.all.iter().map(|grain| grain.moments).collect(),
            parent: (0..count as u32).collect(),
            version: vec![0; count],
            least_variance,
            queue: BinaryHeap::new(),
        };
        let neighbours = |seed: usize, all: bool| {
            let [x, y, z] = grains.index(seed).0;
            let places = &places;
            (if all { 0 } else { 14 }..27).filter_map(move |k: i32| {
                let [dx, dy, dz] = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
                let to = [x.checked_add(dx)?, y.checked_add(dy)?, z.checked_add(dz)?];
                places.get(&CellIndex(to)).copied().filter(|_| k != 13)
            })
        };
        let weights: Vec<f64> = growth.moments.iter().map(|m| m.weight).collect();
        for seed in 0..count {
            if weights[seed] >= SEED_POINTS {
                continue;
            }
            let largest = neighbours(seed, true)
                .filter(|other| weights[*other as usize] >= SEED_POINTS)
                .max_by(|a, b| {
                    weights[*a as usize].total_cmp(&weights[*b as usize]).then(b.cmp(a))
                });
            if let Some(other) = largest {
                growth.unite(seed as u32, other);
            }
        }
        for seed in 0..count {
            for other in neighbours(seed, false) {
                growth.wait(seed as u32, other);
            }
        }
        growth
    }

    fn root(&mut self, mut seed: u32) -> u32 {
        while self.parent[seed as usize] != seed {
            let above = self.parent[self.parent[seed as usize] as usize];
            self.parent[seed as usize] = above;
            seed = above;
        }
        seed
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (low, high) = (a.min(b), a.max(b));
        let other = self.moments[high as usize];
        self.moments[low as usize].merge(&other);
        self.parent[high as usize] = low;
        self.version[low as usize] += 1;
    }

    /// Weight of an edge between two clusters, as the bits of a positive number.
    fn weight(&self, a: u32, b: u32) -> u64 {
        let mut joint = self.moments[a as usize];
        joint.merge(&self.moments[b as usize]);
        volume_per_point(thick(&joint, self.least_variance), joint.weight).to_bits()
    }

    fn wait(&mut self, seed: u32, other: u32) {
        let (a, b) = (self.root(seed), self.root(other));
        if a != b {
            let versions = [self.version[a as usize], self.version[b as usize]];
            self.queue.push(Reverse((self.weight(a, b), seed, other, versions)));
        }
    }

    /// Grows together what is denser than a threshold; notes each union.
    fn grow(&mut self, weight_max: f64, unions: &mut Vec<[u32; 2]>) {
        while let Some(Reverse((bits, seed, other, versions))) = self.queue.pop() {
            if f64::from_bits(bits) >= weight_max {
                self.queue.push(Reverse((bits, seed, other, versions)));
                return;
            }
            let (a, b) = (self.root(seed), self.root(other));
            if a == b {
                continue;
            }
            if versions == [self.version[a as usize], self.version[b as usize]] {
                self.unite(a, b);
                unions.push([a, b]);
            } else {
                self.wait(seed, other);
            }
        }
    }

    /// Akaike's criterion of the clusters as they are.
    fn akaike(&mut self) -> f64 {
        let all: f64 = (0..self.parent.len())
            .filter(|k| self.parent[*k] == *k as u32)
            .map(|k| self.moments[k].weight)
            .sum();
        let (mut clusters, mut log_likelihood) = (0.0, 0.0);
        for k in 0..self.parent.len() {
            if self.parent[k] != k as u32 {
                continue;
            }
            clusters += 1.0;
            log_likelihood += log_likelihood_of(&self.moments[k], all, self.least_variance);
        }
        2.0 * (10.0 * clusters - 1.0) - 2.0 * log_likelihood
    }

    /// The clusters of the best threshold, each as its seeds.
    fn best(mut self, progress: &dyn Progress) -> Vec<Vec<u32>> {
        let start = self.parent.clone();
        let weights = self.queue.iter().map(|Reverse((bits, ..))| f64::from_bits(*bits));
        let (low, high) = weights
            .filter(|w| w.is_finite() && *w > 0.0)
            .fold((f64::INFINITY, 0.0f64), |(low, high), w| (low.min(w), high.max(w)));
        let mut unions = Vec::new();
        let mut best = (self.akaike(), 0);
        if low <= high {
            for step in 0..THRESHOLDS {
                let share = (step + 1) as f64 / THRESHOLDS as f64;
                let threshold = low * math::powf(high / low, share) * (1.0 + 1e-9);
                self.grow(threshold, &mut unions);
                let criterion = self.akaike();
                if criterion < best.0 {
                    best = (criterion, unions.len());
                }
                progress.step("growing ellipsoids", share);
            }
        }
        // The same unions again, as far as was best.
        self.parent = start;
        for [a, b] in &unions[..best.1] {
            let (a, b) = (self.root(*a), self.root(*b));
            self.parent[a.max(b) as usize] = a.min(b);
        }
        let mut clusters: Vec<Vec<u32>> = vec![Vec::new(); self.parent.len()];
        for seed in 0..self.parent.len() as u32 {
            let root = self.root(seed);
            clusters[root as usize].push(seed);
        }
        clusters.retain(|members| !members.is_empty());
        clusters
    }
}

/// Log-likelihood of a cluster's points under it, of `all` points of the mixture.
fn log_likelihood_of(moments: &Moments, all: f64, least_variance: f64) -> f64 {
    let covariance = thick(moments, least_variance);
    let spread = covariance.inverse() * moments.covariance();
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let log_volume = 3.0 * math::ln(std::f64::consts::TAU) + math::ln(covariance.determinant());
    moments.weight * (math::ln(moments.weight / all) - 0.5 * (log_volume + trace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn coplanar_neighbours_get_denser_by_test_vector() {
        let covariance = DMat3::from_diagonal(DVec3::new(1e-4, 1e-4, 1e-6));
        let set = |x: f64| Moments {
            weight: 50.0,
            mean: DVec3::new(x, 0.0, 0.0),
            scatter: covariance * 50.0,
        };
        let mut joint = set(0.0);
        joint.merge(&set(0.03));
        assert!((joint.covariance().x_axis.x - 3.25e-4).abs() < 1e-12);
        let alone = 1.0 / volume_per_point(covariance, 50.0);
        let together = 1.0 / volume_per_point(joint.covariance(), 100.0);
        assert!((alone / 1.492_077_59e7 - 1.0).abs() < 1e-8);
        assert!((together / 1.655_311_47e7 - 1.0).abs() < 1e-8);
        assert!((together / alone - 1.109_400_39).abs() < 1e-8);
    }

    /// ln L of a single Gaussian against its points one by one.
    #[test]
    fn the_likelihood_is_that_of_the_points() {
        let points = crate::volume::moments::tests::POINTS;
        let moments = crate::volume::moments::tests::moments(&points);
        let covariance = thick(&moments, 1e-6);
        let inverse = covariance.inverse();
        let by_points: f64 = points
            .iter()
            .map(|point| {
                let off = *point - moments.mean;
                let log = 3.0 * std::f64::consts::TAU.ln() + covariance.determinant().ln();
                -0.5 * (log + off.dot(inverse * off)) + 0.5f64.ln()
            })
            .sum();
        assert!((log_likelihood_of(&moments, 12.0, 1e-6) / by_points - 1.0).abs() < 1e-12);
    }
}
