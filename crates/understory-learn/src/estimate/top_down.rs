//! Points halved again and again: beams → [`Site`] (Deschaud 2012, §III-C-2, after Kalaiah &
//! Varshney 2005).
//!
//! A set of points is split by 2-means (or K-means), begun at μ ± √λ₁·e₁ along its longest axis,
//! until too few points or too small a spread is left; each set that is left is a Gaussian volume.
//! What is split are the moments of fine cells, a fifth of a cell wide: memory is bounded by the
//! occupied volume. With [`TopDown::target_leaves`] the set with the most scatter is split first, so
//! that the model gets as large as it is wanted.
//!
//! A set may also be left whole where it looks Gaussian already: Mardia's kurtosis, E[d⁴] for the
//! Mahalanobis distance d, is 15 for a Gaussian in space, with a standard deviation of √(120/n).
//! It is taken from the fine cells, each as a Gaussian of its own: what is finer than they are is
//! not seen.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, SymmetricEigen};

use super::clusters::{Grain, Grains, site_of_clusters};
use super::settings::{Report, Settings, TopDown};
use super::voxel::gather;
use crate::LearnError;
use crate::input::beams::BeamSource;
use crate::site::{Model, Site};
use crate::volume::moments::Moments;
use understory_base::Progress;

/// Rounds of Lloyd's algorithm at most, and the share of points that must move for another.
const ROUNDS: usize = 25;
const MOVES_MIN: f64 = 1e-3;
/// Sets of more grains are split on threads of their own.
const APART: usize = 4096;
/// Fine cells in the edge of a cell.
const GRAINS_PER_CELL: f64 = 5.0;

/// Learns a site from beams.
pub fn learn(
    source: &dyn BeamSource,
    rule: &TopDown,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Site, Report), LearnError> {
    if !(2..=16).contains(&rule.parts) {
        return Err(LearnError::BadSetting {
            setting: "the number of parts of a split",
            value: rule.parts as f64,
            wanted: "from 2 to 16",
            remedy: "2 is usual",
        });
    }
    let fine = Settings { cell_m: settings.cell_m / GRAINS_PER_CELL, ..*settings };
    let (cells, beams) = gather(source, &fine, progress)?;
    if cells.is_empty() {
        let range_max_m = settings.range_max_m;
        return Err(LearnError::NothingToLearn { beams, range_max_m });
    }
    let working = cells.memory_bytes() as u64;
    let grains = Grains::new(&cells)?;
    drop(cells);
    progress.step("splitting", 0.0);
    let sigma_stop_m = rule.sigma_stop_m.unwrap_or(settings.sensor.sigma_range_m);
    let clusters = leaves(&grains.all, rule, sigma_stop_m);
    let (site, mut report) =
        site_of_clusters(source, &grains, &clusters, Model::TopDown, settings, progress)?;
    report.working_bytes = working / clusters.len().max(1) as u64;
    Ok((site, report))
}

/// The sets of grains that are split no further.
fn leaves(grains: &[Grain], rule: &TopDown, sigma_stop_m: f64) -> Vec<Vec<u32>> {
    let splitter = Splitter { grains, rule, sigma_stop_m };
    let all: Vec<u32> = (0..grains.len() as u32).collect();
    match rule.target_leaves {
        None => splitter.split_fully(all),
        Some(target) => splitter.split_largest(all, target),
    }
}

struct Splitter<'a> {
    grains: &'a [Grain],
    rule: &'a TopDown,
    sigma_stop_m: f64,
}

/// A set that may still be split, in the order of its scatter.
struct Waiting {
    scatter: f64,
    number: usize,
    members: Vec<u32>,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        self.scatter.total_cmp(&other.scatter).then(other.number.cmp(&self.number))
    }
}

impl Splitter<'_> {
    fn moments(&self, members: &[u32]) -> Moments {
        let mut moments = Moments::EMPTY;
        members.iter().for_each(|m| moments.merge(&self.grains[*m as usize].moments));
        moments
    }

    fn split_fully(&self, members: Vec<u32>) -> Vec<Vec<u32>> {
        let apart = members.len() > APART;
        match self.split(&members) {
            None => vec![members],
            Some(parts) if apart => {
                use rayon::prelude::*;
                parts.into_par_iter().flat_map_iter(|part| self.split_fully(part)).collect()
            }
            Some(parts) => parts.into_iter().flat_map(|part| self.split_fully(part)).collect(),
        }
    }

    fn split_largest(&self, members: Vec<u32>, target: usize) -> Vec<Vec<u32>> {
        let (mut done, mut waiting, mut number) = (Vec::new(), BinaryHeap::new(), 0);
        let scatter = |members: &[u32]| {
            let scatter = self.moments(members).scatter;
            scatter.x_axis.x + scatter.y_axis.y + scatter.z_axis.z
        };
        waiting.push(Waiting { scatter: scatter(&members), number, members });
        while done.len() + waiting.len() < target {
            let Some(next) = waiting.pop() else { break };
            match self.split(&next.members) {
                None => done.push(next.members),
                Some(parts) => {
                    for members in parts {
                        number += 1;
                        waiting.push(Waiting { scatter: scatter(&members), number, members });
                    }
                }
            }
        }
        done.extend(waiting.into_sorted_vec().into_iter().map(|waiting| waiting.members));
        done
    }

    /// The parts of a set, each with enough points; `None` where it is split no further.
    fn split(&self, members: &[u32]) -> Option<Vec<Vec<u32>>> {
        let moments = self.moments(members);
        let enough = self.rule.points_min;
        if members.len() < 2 || moments.weight < 2.0 * enough {
            return None;
        }
        let (largest, axis) = longest_axis(moments.covariance());
        if largest < self.sigma_stop_m.powi(2) {
            return None;
        }
        if self.rule.gaussian_stop && self.looks_gaussian(members, &moments) {
            return None;
        }
        let centres = first_centres(&moments, largest, axis, self.rule.parts);
        let parts = self.k_means(members, centres).1;
        if parts.iter().all(|part| self.moments(part).weight >= enough) {
            return Some(parts);
        }
        self.at_the_median(members, axis, moments.weight)
    }

    /// Lloyd's algorithm: the centres, and the members nearest to each.
    fn k_means(&self, members: &[u32], mut centres: Vec<DVec3>) -> (Vec<DVec3>, Vec<Vec<u32>>) {
        let mut nearest = vec![usize::MAX; members.len()];
        let all: f64 = members.iter().map(|m| self.grains[*m as usize].moments.weight).sum();
        for _ in 0..ROUNDS {
            let mut moved = 0.0;
            let mut sums = vec![(DVec3::ZERO, 0.0); centres.len()];
            for (member, nearest) in members.iter().zip(&mut nearest) {
                let grain = &self.grains[*member as usize].moments;
                let mut best = (f64::INFINITY, 0);
                for (number, centre) in centres.iter().enumerate() {
                    let away = (grain.mean - *centre).length_squared();
                    if away < best.0 {
                        best = (away, number);
                    }
                }
                if *nearest != best.1 {
                    moved += grain.weight;
                    *nearest = best.1;
                }
                sums[best.1].0 += grain.mean * grain.weight;
                sums[best.1].1 += grain.weight;
            }
            for (centre, (sum, weight)) in centres.iter_mut().zip(sums) {
                if weight > 0.0 {
                    *centre = sum / weight;
                }
            }
            if moved < MOVES_MIN * all {
                break;
            }
        }
        let mut parts = vec![Vec::new(); centres.len()];
        for (member, nearest) in members.iter().zip(nearest) {
            parts[nearest].push(*member);
        }
        (centres, parts)
    }

    /// Two halves along an axis; `None` where even these have too few points.
    fn at_the_median(&self, members: &[u32], axis: DVec3, weight: f64) -> Option<Vec<Vec<u32>>> {
        let mut ordered: Vec<(f64, u32)> =
            members.iter().map(|m| (self.grains[*m as usize].moments.mean.dot(axis), *m)).collect();
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut below = 0.0;
        let middle = ordered.iter().position(|(_, m)| {
            below += self.grains[*m as usize].moments.weight;
            below * 2.0 >= weight
        })?;
        let (low, high) = ordered.split_at((middle + 1).min(ordered.len() - 1));
        let part = |half: &[(f64, u32)]| half.iter().map(|(_, m)| *m).collect::<Vec<u32>>();
        let parts = vec![part(low), part(high)];
        let enough = |part: &Vec<u32>| self.moments(part).weight >= self.rule.points_min;
        parts.iter().all(enough).then_some(parts)
    }

    /// Mardia's kurtosis within three standard deviations of that of a Gaussian.
    fn looks_gaussian(&self, members: &[u32], moments: &Moments) -> bool {
        let precision = moments.covariance().inverse();
        if !precision.is_finite() {
            return false;
        }
        let trace = |m: DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let mut fourth = 0.0;
        for member in members {
            let grain = &self.grains[*member as usize].moments;
            let spread = precision * grain.covariance();
            let off = precision * (grain.mean - moments.mean);
            let square = off.dot(grain.mean - moments.mean) + trace(spread);
            // E[(xᵀAx)²] of a normal x.
            fourth += grain.weight
                * (square * square
                    + 2.0 * trace(spread * spread)
                    + 4.0 * off.dot(grain.covariance() * off));
        }
        let n = moments.weight;
        (fourth / n - 15.0).abs() < 3.0 * (120.0 / n).sqrt()
    }
}

/// The largest eigenvalue of a covariance, and its axis.
fn longest_axis(covariance: DMat3) -> (f64, DVec3) {
    let eigen = SymmetricEigen::new(Matrix3::from_column_slice(&covariance.to_cols_array()));
    let mut largest = 0;
    for other in 1..3 {
        if eigen.eigenvalues[other] > eigen.eigenvalues[largest] {
            largest = other;
        }
    }
    let axis = eigen.eigenvectors.column(largest);
    (eigen.eigenvalues[largest], DVec3::new(axis[0], axis[1], axis[2]))
}

/// K centres along the longest axis; of two, μ ± √λ₁·e₁.
fn first_centres(moments: &Moments, largest: f64, axis: DVec3, parts: usize) -> Vec<DVec3> {
    let reach = axis * largest.max(0.0).sqrt();
    let at = |part: usize| 2.0 * part as f64 / (parts - 1).max(1) as f64 - 1.0;
    (0..parts).map(|part| moments.mean + reach * at(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::cells::Cells;
    use crate::input::beams::Beams;
    use glam::Vec3;

    /// Points on the x axis, each a grain of its own.
    fn on_a_line(at: &[f64]) -> Grains {
        let mut beams = Beams::default();
        for x in at {
            beams.push(DVec3::new(*x, -1.0, 0.0), Vec3::Y, 1.0, f32::NAN, 0);
        }
        let mut cells = Cells::new(0.001);
        cells.add(&beams, 10.0);
        Grains::new(&cells).unwrap()
    }

    #[test]
    fn two_means_by_test_vector() {
        let grains = on_a_line(&[0.0, 0.1, 0.2, 1.0, 1.1, 1.3]);
        let rule = TopDown { points_min: 1.0, ..TopDown::default() };
        let splitter = Splitter { grains: &grains.all, rule: &rule, sigma_stop_m: 0.2 };
        let members: Vec<u32> = (0..6).collect();
        let moments = splitter.moments(&members);
        let (largest, axis) = longest_axis(moments.covariance());
        let centres = first_centres(&moments, largest, axis, 2);
        // The grains lie around the site's origin, which is a whole number of metres.
        let offset = moments.mean.x - 3.7 / 6.0;
        let mut x: Vec<f64> = centres.iter().map(|c| c.x - offset).collect();
        x.sort_by(f64::total_cmp);
        assert!((x[0] - 0.089_356_932_7).abs() < 1e-8, "{x:?}");
        assert!((x[1] - 1.143_976_40).abs() < 1e-8, "{x:?}");
        let (centres, parts) = splitter.k_means(&members, centres);
        let mut x: Vec<f64> = centres.iter().map(|c| c.x - offset).collect();
        x.sort_by(f64::total_cmp);
        assert!((x[0] - 0.1).abs() < 1e-8 && (x[1] - 1.133_333_33).abs() < 1e-8, "{x:?}");
        assert!(parts.iter().all(|part| part.len() == 3));
        assert_eq!(leaves(&grains.all, &rule, 0.2).len(), 2);
    }

    #[test]
    fn sets_stop_at_their_least_and_at_the_target() {
        let at: Vec<f64> = (0..1000).map(|k| f64::from(k) * 0.002).collect();
        let grains = on_a_line(&at);
        let fully = leaves(&grains.all, &TopDown::default(), 0.0);
        assert!(fully.iter().all(|leaf| (20..40).contains(&leaf.len())));
        assert_eq!(fully.iter().map(Vec::len).sum::<usize>(), 1000);
        for target in [1, 7, 16] {
            let rule = TopDown { target_leaves: Some(target), ..TopDown::default() };
            assert_eq!(leaves(&grains.all, &rule, 0.0).len(), target);
        }
        let three = TopDown { parts: 3, ..TopDown::default() };
        let split = leaves(&grains.all, &three, 0.0);
        assert!(split.iter().all(|leaf| leaf.len() >= 20) && split.len() > 20);
        // One heap and one stray: no side may be smaller than the least.
        let mut heap = vec![0.0; 0];
        heap.extend((0..50).map(|k| f64::from(k) * 0.002));
        heap.push(5.0);
        let grains = on_a_line(&heap);
        let split = leaves(&grains.all, &TopDown::default(), 0.0);
        assert_eq!(split.len(), 2);
        assert!(split.iter().all(|leaf| leaf.len() >= 20));
    }
}
