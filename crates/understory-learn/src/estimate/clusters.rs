//! Clusters of fine cells, and the beams that met them: clusters → [`Site`].
//!
//! Shared by the estimators that make ellipsoids of any size (Deschaud 2012, §III-C-2 and 3). Points
//! are first summed up in fine cells, so that memory is bounded by the occupied volume; a cluster
//! is a set of fine cells. Ellipsoids overlap: a beam was stopped by the one that its point belongs
//! to, if it came near enough, and tells nothing about others in which it ended too; one that ends
//! before an ellipsoid does not see it, one that ends behind it went through.

use std::collections::BTreeMap;
use understory_base::math;

use glam::{DMat3, DVec3, Vec3};
use half::f16;
use rayon::prelude::*;
use understory_geometry::BoxTree;

use super::cells::{CellIndex, Cells, MixedMap, Sums};
use super::settings::{Report, Settings, Tau};
use super::voxel::{SharedCounts, evidence_of, permeability, valid_covariance};
use crate::LearnError;
use crate::input::beams::BeamSource;
use crate::input::rays::{Ray, each_ray};
use crate::site::{Gate, Model, REACH_MAX_M, Site, Volume};
use crate::volume::gaussian::Gaussian;
use crate::volume::moments::Moments;
use understory_base::Progress;

/// How far beams without a return are followed.
const FARTHEST_M: f64 = 1e5;

/// A fine cell: the smallest thing that is clustered.
#[derive(Clone, Debug)]
pub struct Grain {
    /// Its points around the site's origin.
    pub moments: Moments,
    index: CellIndex,
    sums: Sums,
    labels: Vec<(u16, u64)>,
}

/// Fine cells around an origin.
#[derive(Clone, Debug)]
pub struct Grains {
    /// The cells, in the order of [`Cells::sorted`].
    pub all: Vec<Grain>,
    cell_m: f64,
    origin: DVec3,
}

impl Grains {
    /// Of the cells of a grid.
    pub fn new(cells: &Cells) -> Result<Grains, LearnError> {
        let cell_m = cells.cell_m();
        let sorted = cells.sorted();
        let mut bounds = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        for cell in &sorted {
            let corner = cell.index.wide().as_dvec3() * cell_m;
            bounds = [bounds[0].min(corner), bounds[1].max(corner + cell_m)];
        }
        let middle = (bounds[0] + bounds[1]) * 0.5;
        let origin = if middle.is_finite() { middle.round() } else { DVec3::ZERO };
        let reach_m = (bounds[0] - origin).abs().max((bounds[1] - origin).abs()).max_element();
        if reach_m > REACH_MAX_M {
            return Err(LearnError::TooLarge { reach_m, limit_m: REACH_MAX_M });
        }
        let all = sorted.into_iter().map(|cell| {
            let mut moments = cell.sums.moments(cell_m);
            moments.mean += cell.index.centre(cell_m) - origin;
            Grain { moments, index: cell.index, sums: cell.sums, labels: cell.labels }
        });
        Ok(Grains { all: all.collect(), cell_m, origin })
    }

    /// Which cell of the fine grid a grain is.
    pub fn index(&self, grain: usize) -> CellIndex {
        self.all[grain].index
    }
}

/// A set of grains summed up.
#[derive(Clone, Debug, Default)]
struct Cluster {
    moments: Moments,
    directions: DMat3,
    squared_range: f64,
    lit: f64,
    intensity: f64,
    squared_intensity: f64,
    labels: BTreeMap<u16, u64>,
}

impl Cluster {
    fn of(grains: &Grains, members: &[u32]) -> Cluster {
        let mut cluster = Cluster { directions: DMat3::ZERO, ..Cluster::default() };
        for member in members {
            let grain = &grains.all[*member as usize];
            let n = grain.moments.weight;
            cluster.moments.merge(&grain.moments);
            cluster.directions += grain.sums.mean_direction_square() * n;
            cluster.squared_range += grain.sums.range_m().powi(2) * n;
            if let Some([mean, sigma]) = grain.sums.intensity() {
                let lit = grain.sums.lit as f64;
                cluster.lit += lit;
                cluster.intensity += mean * lit;
                cluster.squared_intensity += (mean * mean + sigma * sigma) * lit;
            }
            for (label, votes) in &grain.labels {
                *cluster.labels.entry(*label).or_default() += votes;
            }
        }
        cluster
    }

    fn gaussian(&self, settings: &Settings) -> Gaussian {
        let n = self.moments.weight.max(1.0);
        let range_m = (self.squared_range / n).sqrt();
        let covariance = valid_covariance(
            self.moments.covariance(),
            n,
            self.directions * (1.0 / n),
            range_m,
            settings,
        );
        let mean = self.moments.mean;
        let least = DMat3::from_diagonal(DVec3::splat(1e6));
        Gaussian::new(mean, covariance).unwrap_or(Gaussian { mean, precision: least })
    }
}

/// Counts the beams that met clusters, given by their grains, and makes them a site.
pub(crate) fn site_of_clusters(
    source: &dyn BeamSource,
    grains: &Grains,
    clusters: &[Vec<u32>],
    model: Model,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Site, Report), LearnError> {
    let mut report = Report::default();
    let mut owners: MixedMap<CellIndex, u32> = MixedMap::default();
    let mut kept = Vec::new();
    for members in clusters {
        let points: u64 = members.iter().map(|m| grains.all[*m as usize].sums.points).sum();
        report.points += points;
        if points < settings.points_min {
            report.sparse += 1;
            continue;
        }
        for member in members {
            owners.insert(grains.all[*member as usize].index, kept.len() as u32);
        }
        kept.push((members, points));
    }
    let summed: Vec<Cluster> =
        kept.par_iter().map(|(members, _)| Cluster::of(grains, members)).collect();
    let gaussians: Vec<Gaussian> =
        summed.par_iter().map(|cluster| cluster.gaussian(settings)).collect();
    // A gate of their own choice is a matter of cells: ellipsoids take Deschaud's.
    let tau = match settings.tau {
        Tau::Fixed(tau) => tau,
        Tau::Auto => 2.0,
    };
    let field = Field::new(grains, gaussians, owners, tau)?;
    let counters = SharedCounts::many(field.gaussians.len());
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    let range_max_m = settings.range_max_m.min(FARTHEST_M);
    let visit = |ray: Ray| field.count(ray, range_max_m, &counters);
    let done = |beams: u64| progress.step("counting beams", (beams as f64 / expected).min(1.0));
    let [beams, misses] = each_ray(source, settings.range_max_m, &visit, &done)?;
    (report.beams, report.misses, report.tau) = (beams, misses, tau);
    let (mut volumes, mut evidence, mut permeabilities) = (Vec::new(), Vec::new(), 0.0);
    let counted = SharedCounts::taken(counters);
    for (number, met) in counted.iter().enumerate() {
        report.counts.merge(met);
        report.orphaned_volumes += u64::from(met.orphaned_share() > 0.1);
        let Some(permeability) = permeability(met, settings.jeffreys_below) else {
            report.unobserved += 1;
            continue;
        };
        permeabilities += permeability;
        let cluster = &summed[number];
        let mut volume = Volume::new(&field.gaussians[number], -math::ln(permeability));
        if cluster.lit > 0.0 {
            let mean = cluster.intensity / cluster.lit;
            let spread = (cluster.squared_intensity / cluster.lit - mean * mean).max(0.0);
            volume.intensity_mean = f16::from_f64(mean);
            volume.intensity_sigma = f16::from_f64(spread.sqrt());
        }
        let most = cluster.labels.iter().max_by_key(|(label, votes)| (**votes, u16::MAX - **label));
        volume.label = most.map_or(0, |(label, _)| *label);
        volumes.push(volume);
        evidence.push(evidence_of(kept[number].1, met));
    }
    report.volumes = volumes.len() as u64;
    report.mean_permeability = permeabilities / volumes.len().max(1) as f64;
    let site = Site {
        origin: grains.origin,
        model,
        gate: Gate::Ellipsoid { tau: tau as f32 },
        cell_m: settings.cell_m,
        volumes,
        evidence,
        colours: Vec::new(),
        surface: None,
        provenance: settings.provenance(beams, misses),
    };
    Ok((site, report))
}

/// Ellipsoids that rays meet.
struct Field {
    gaussians: Vec<Gaussian>,
    tree: BoxTree,
    order: Vec<u32>,
    owners: MixedMap<CellIndex, u32>,
    origin: DVec3,
    cell_m: f64,
    tau: f64,
}

impl Field {
    fn new(
        grains: &Grains,
        gaussians: Vec<Gaussian>,
        owners: MixedMap<CellIndex, u32>,
        tau: f64,
    ) -> Result<Field, LearnError> {
        let boxes: Vec<[Vec3; 2]> = gaussians
            .iter()
            .map(|gaussian| {
                let covariance = gaussian.precision.inverse();
                let variances =
                    DVec3::new(covariance.x_axis.x, covariance.y_axis.y, covariance.z_axis.z);
                // A little wider, for what f32 cannot tell.
                let half = variances.max(DVec3::ZERO).map(f64::sqrt) * tau * 1.001 + 1e-4;
                [(gaussian.mean - half).as_vec3(), (gaussian.mean + half).as_vec3()]
            })
            .collect();
        let (tree, order) = BoxTree::new(grains.origin, &boxes)?;
        let (origin, cell_m) = (grains.origin, grains.cell_m);
        Ok(Field { gaussians, tree, order, owners, origin, cell_m, tau })
    }

    /// The cluster that a point belongs to.
    fn owner(&self, point: DVec3) -> Option<u32> {
        self.owners.get(&CellIndex::from_position(point, self.cell_m)?).copied()
    }

    /// Counts what the beams of a ray did at each ellipsoid.
    fn count(&self, ray: Ray, range_max_m: f64, counters: &[SharedCounts]) {
        let ranges = ray.ranges_m;
        let Some(farthest) = ranges.last() else { return };
        let ended = ranges.partition_point(|range| range.is_finite());
        let owners: Vec<Option<u32>> = ranges[..ended]
            .iter()
            .map(|range| self.owner(ray.origin + ray.direction * f64::from(*range)))
            .collect();
        let local = ray.origin - self.origin;
        let near = |number: u32| self.gaussians[number as usize].approach(local, ray.direction);
        for owner in owners.iter().flatten() {
            // By the ray, as for those that pass: by the end of the beam, fewer would be counted.
            let stopped = near(*owner).distance < self.tau;
            counters[*owner as usize].add(u64::from(stopped), 0, u64::from(!stopped));
        }
        let end = f64::from(*farthest).min(range_max_m);
        let mut met = |items: std::ops::Range<usize>, t_max: f32| {
            for item in items {
                let number = self.order[item];
                let near = near(number);
                if near.distance >= self.tau {
                    continue;
                }
                let half = near.sigma_m * (self.tau.powi(2) - near.distance.powi(2)).sqrt();
                let leave = near.range_m + half;
                // What a beam without a return did beyond the largest range is not known.
                if leave < 0.0 || leave > range_max_m {
                    continue;
                }
                let behind = ranges.partition_point(|range| f64::from(*range) <= leave);
                let own = owners.iter().skip(behind).filter(|owner| **owner == Some(number));
                let through = ranges.len() - behind - own.count();
                counters[number as usize].add(0, through as u64, 0);
            }
            t_max
        };
        self.tree.walk(ray.origin, ray.direction.as_vec3(), end.next_up() as f32, &mut met);
    }
}
