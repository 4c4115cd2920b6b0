//! A Gaussian and a permeability for each voxel: beams → [`Site`] (Deschaud 2012, §III-C-1).
//!
//! Two passes. The first sums up the points of each cell ([`Cells`]); their covariances are shrunk
//! towards what the sensor itself would spread, widened by the footprint and given a least
//! thickness ([`Geometry`]). The second sends all beams through the occupied cells and counts those
//! that ended there and those that went on ([`VoxelCounts`]). Both are whole numbers: parts of the
//! beams may go through either pass on different hosts, and merge to the same site.

use std::sync::atomic::{AtomicU64, Ordering};
use understory_base::math;

use glam::{DMat3, DVec3};
use half::f16;
use rayon::prelude::*;

use super::bricks::Bricks;
use super::cells::{Cell, Cells};
use super::settings::{Report, Settings, Tau};
use crate::LearnError;
use crate::input::beams::BeamSource;
use crate::input::rays::{Ray, each_ray};
use crate::site::{Evidence, Gate, Model, Site, Volume};
use crate::volume::gaussian::{Gaussian, floor_eigenvalues};
use crate::volume::permeability::BeamCounts;
use understory_base::Progress;

/// Gates from which [`Tau::Auto`] chooses are this far apart.
const TAU_STEP: f64 = 0.05;
const TAU_STEPS: usize = 100;
/// Share of beams that a gate may leave uncounted.
const ORPHANED_MAX: f64 = 0.1;

/// The volumes that points make, before anything is known of the light that passes them.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Their cells.
    pub cells: Vec<Cell>,
    /// Their shapes around the origin of `bricks`.
    pub gaussians: Vec<Gaussian>,
    /// Where they are.
    pub bricks: Bricks,
    /// Cells left out because they had too few points.
    pub sparse: u64,
}

/// Learns a site from beams.
pub fn learn(
    source: &dyn BeamSource,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Site, Report), LearnError> {
    let (cells, beams) = gather(source, settings, progress)?;
    if cells.is_empty() {
        let range_max_m = settings.range_max_m;
        return Err(LearnError::NothingToLearn { beams, range_max_m });
    }
    let geometry = Geometry::new(&cells, settings)?;
    let working = cells.memory_bytes();
    let out_of_reach = cells.out_of_reach;
    drop(cells);
    let tau = match settings.tau {
        Tau::Fixed(tau) => tau,
        Tau::Auto => fitting_tau(source, &geometry, settings, progress)?,
    };
    let counts = count(source, &geometry, tau, settings, progress)?;
    let (site, mut report) = site(&geometry, &counts, tau, settings);
    report.out_of_reach = out_of_reach;
    report.working_bytes = working as u64 / geometry.cells.len().max(1) as u64;
    Ok((site, report))
}

/// The first pass: the sums of all cells, and the number of beams.
pub fn gather(
    source: &dyn BeamSource,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Cells, u64), LearnError> {
    let mut cells = Cells::new(settings.cell_m);
    let mut beams = 0;
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    source.pass(&mut |batch| {
        cells.add(batch, settings.range_max_m);
        beams += batch.len() as u64;
        progress.step("gathering points", (beams as f64 / expected).min(1.0));
        Ok(())
    })?;
    Ok((cells, beams))
}

/// Covariance of points around their mean, fit to be inverted: shrunk towards the sensor's own
/// uncertainty and widened by what that is across the beam. The spread of ranges is in the points
/// already.
pub(crate) fn valid_covariance(
    covariance: DMat3,
    points: f64,
    mean_direction_square: DMat3,
    range_m: f64,
    settings: &Settings,
) -> DMat3 {
    let across = settings.sensor.sigma_across_m(range_m).powi(2);
    let lateral = (DMat3::IDENTITY - mean_direction_square) * across;
    let prior = mean_direction_square * settings.sensor.sigma_range_m.powi(2) + lateral;
    let nu = settings.regularisation.prior_points;
    let shrunk = (covariance * points + prior * nu) * (1.0 / (points + nu).max(1.0));
    floor_eigenvalues(shrunk + lateral, &settings.regularisation)
}

impl Geometry {
    /// The shapes of the cells.
    pub fn new(cells: &Cells, settings: &Settings) -> Result<Geometry, LearnError> {
        let mut sorted = cells.sorted();
        let before = sorted.len();
        sorted.retain(|cell| cell.sums.points >= settings.points_min);
        let sparse = (before - sorted.len()) as u64;
        let indices: Vec<_> = sorted.iter().map(|cell| cell.index).collect();
        let bricks = Bricks::new(&indices, settings.cell_m)?;
        let base = bricks.base();
        let gaussians = sorted.par_iter().map(|cell| {
            let moments = cell.sums.moments(settings.cell_m);
            let covariance = valid_covariance(
                moments.covariance(),
                moments.weight,
                cell.sums.mean_direction_square(),
                cell.sums.range_m(),
                settings,
            );
            let centre = ((cell.index.wide() - base).as_dvec3() + 0.5) * settings.cell_m;
            let mean = centre + moments.mean;
            // A floored covariance has an inverse; a sensor without any uncertainty may have none.
            let least = DMat3::from_diagonal(DVec3::splat(1e-6));
            Gaussian::new(mean, covariance).unwrap_or(Gaussian { mean, precision: least.inverse() })
        });
        let gaussians = gaussians.collect();
        Ok(Geometry { cells: sorted, gaussians, bricks, sparse })
    }
}

/// How many beams did what in each cell of a [`Geometry`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VoxelCounts {
    /// For each cell.
    pub cells: Vec<BeamCounts>,
    /// Beams that were sent.
    pub beams: u64,
    /// Of them, without a return.
    pub misses: u64,
}

impl VoxelCounts {
    /// Adds what was counted with the same geometry and gate elsewhere.
    pub fn merge(&mut self, other: &VoxelCounts) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(a, b)| a.merge(b));
        self.beams += other.beams;
        self.misses += other.misses;
    }
}

/// Counters that several threads add to.
#[derive(Default)]
pub(crate) struct SharedCounts {
    stopped: AtomicU64,
    passed: AtomicU64,
    orphaned: AtomicU64,
}

impl SharedCounts {
    pub(crate) fn many(count: usize) -> Vec<SharedCounts> {
        (0..count).map(|_| SharedCounts::default()).collect()
    }

    /// Adds what the beams of a ray did.
    pub(crate) fn add(&self, stopped: u64, passed: u64, orphaned: u64) {
        for (counter, count) in
            [(&self.stopped, stopped), (&self.passed, passed), (&self.orphaned, orphaned)]
        {
            if count > 0 {
                counter.fetch_add(count, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn taken(counters: Vec<SharedCounts>) -> Vec<BeamCounts> {
        let each = |shared: SharedCounts| BeamCounts {
            stopped: shared.stopped.into_inner(),
            passed: shared.passed.into_inner(),
            orphaned: shared.orphaned.into_inner(),
        };
        counters.into_iter().map(each).collect()
    }
}

/// The cells of `geometry` on a ray: calls `met` with the cell, the Mahalanobis distance, and how
/// many of the ray's beams ended in it and went through.
fn meet(
    geometry: &Geometry,
    ray: Ray,
    range_max_m: f64,
    mut met: impl FnMut(usize, f64, usize, usize),
) {
    let ranges = ray.ranges_m;
    let farthest = ranges.last().map_or(0.0, |range| f64::from(*range));
    let local = ray.origin - geometry.bricks.origin();
    let mut gone = 0;
    // A beam that ends exactly on the border of two cells ends in the farther one.
    let end = farthest.next_up().min(range_max_m);
    geometry.bricks.walk(ray.origin, ray.direction, end, |cell, enter, leave| {
        while gone < ranges.len() && f64::from(ranges[gone]) < enter {
            gone += 1;
        }
        let mut ended = gone;
        while ended < ranges.len() && f64::from(ranges[ended]) < leave {
            ended += 1;
        }
        // What a beam without a return did beyond the largest range is not known.
        let through = if leave <= range_max_m { ranges.len() - ended } else { 0 };
        let stopped = ended - gone;
        gone = ended;
        if stopped + through > 0 {
            let distance = geometry.gaussians[cell].approach(local, ray.direction).distance;
            met(cell, distance, stopped, through);
        }
        gone < ranges.len()
    });
}

/// The second pass: how many beams were stopped in each cell, and how many went through.
pub fn count(
    source: &dyn BeamSource,
    geometry: &Geometry,
    tau: f64,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<VoxelCounts, LearnError> {
    let counters = SharedCounts::many(geometry.cells.len());
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    let visit = |ray: Ray| {
        meet(geometry, ray, settings.range_max_m, |cell, distance, stopped, passed| {
            let (stopped, passed) = (stopped as u64, passed as u64);
            if distance < tau {
                counters[cell].add(stopped, passed, 0);
            } else {
                counters[cell].add(0, 0, stopped);
            }
        });
    };
    let done = |beams: u64| progress.step("counting beams", (beams as f64 / expected).min(1.0));
    let [beams, misses] = each_ray(source, settings.range_max_m, &visit, &done)?;
    Ok(VoxelCounts { cells: SharedCounts::taken(counters), beams, misses })
}

/// The least gate of 2 and more that leaves at most a tenth of the beams that end in cells uncounted.
pub fn fitting_tau(
    source: &dyn BeamSource,
    geometry: &Geometry,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<f64, LearnError> {
    let histogram: Vec<AtomicU64> = (0..=TAU_STEPS).map(|_| AtomicU64::new(0)).collect();
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    let visit = |ray: Ray| {
        meet(geometry, ray, settings.range_max_m, |_, distance, stopped, _| {
            let step = ((distance / TAU_STEP) as usize).min(TAU_STEPS);
            histogram[step].fetch_add(stopped as u64, Ordering::Relaxed);
        });
    };
    let done = |beams: u64| progress.step("choosing the gate", (beams as f64 / expected).min(1.0));
    each_ray(source, settings.range_max_m, &visit, &done)?;
    let histogram: Vec<u64> = histogram.into_iter().map(AtomicU64::into_inner).collect();
    let all: u64 = histogram.iter().sum();
    let (mut step, mut within) = (0, 0);
    while step < TAU_STEPS
        && ((step as f64) * TAU_STEP < 2.0 || ((all - within) as f64) > ORPHANED_MAX * all as f64)
    {
        within += histogram[step];
        step += 1;
    }
    Ok(step as f64 * TAU_STEP)
}

/// The site of shapes and counts.
pub fn site(
    geometry: &Geometry,
    counts: &VoxelCounts,
    tau: f64,
    settings: &Settings,
) -> (Site, Report) {
    let mut report = Report {
        beams: counts.beams,
        misses: counts.misses,
        sparse: geometry.sparse,
        tau,
        ..Report::default()
    };
    let (mut volumes, mut evidence) = (Vec::new(), Vec::new());
    let mut permeabilities = 0.0;
    for ((cell, gaussian), met) in geometry.cells.iter().zip(&geometry.gaussians).zip(&counts.cells)
    {
        report.points += cell.sums.points;
        report.counts.merge(met);
        report.orphaned_volumes += u64::from(met.orphaned_share() > ORPHANED_MAX);
        let Some(permeability) = permeability(met, settings.jeffreys_below) else {
            report.unobserved += 1;
            continue;
        };
        permeabilities += permeability;
        let mut volume = Volume::new(gaussian, -math::ln(permeability));
        let index = cell.index.wide() - geometry.bricks.base();
        for axis in 0..3 {
            let mean = gaussian.mean[axis];
            volume.mean_m[axis] = within_cell(mean, index[axis], settings.cell_m);
        }
        if let Some([mean, sigma]) = cell.sums.intensity() {
            volume.intensity_mean = f16::from_f64(mean);
            volume.intensity_sigma = f16::from_f64(sigma);
        }
        volume.label = cell.label();
        volumes.push(volume);
        evidence.push(evidence_of(cell.sums.points, met));
    }
    report.volumes = volumes.len() as u64;
    report.mean_permeability = permeabilities / volumes.len().max(1) as f64;
    let site = Site {
        origin: geometry.bricks.origin(),
        model: Model::Voxel,
        gate: Gate::Cell { tau: tau as f32 },
        cell_m: settings.cell_m,
        volumes,
        evidence,
        colours: Vec::new(),
        surface: None,
        provenance: settings.provenance(counts.beams, counts.misses),
    };
    (site, report)
}

/// ρ by the rule for as many beams; `None` where none met the volume.
pub(crate) fn permeability(met: &BeamCounts, jeffreys_below: u64) -> Option<f64> {
    if met.stopped + met.passed < jeffreys_below {
        met.permeability_jeffreys()
    } else {
        met.permeability()
    }
}

pub(crate) fn evidence_of(points: u64, met: &BeamCounts) -> Evidence {
    let short = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    Evidence { points: short(points), stopped: short(met.stopped), passed: short(met.passed) }
}

/// The f32 nearest to a mean that is still in its cell, as whoever reads the site will find it.
fn within_cell(mean: f64, cell: i64, cell_m: f64) -> f32 {
    let mut near = mean as f32;
    for _ in 0..8 {
        let found = (f64::from(near) / cell_m).floor();
        near = match found.total_cmp(&(cell as f64)) {
            std::cmp::Ordering::Less => near.next_up(),
            std::cmp::Ordering::Equal => return near,
            std::cmp::Ordering::Greater => near.next_down(),
        };
    }
    ((cell as f64 + 0.5) * cell_m) as f32
}
