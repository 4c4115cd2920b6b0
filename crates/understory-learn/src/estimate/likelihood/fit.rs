//! The optical depths that make the beams most likely.
//!
//! Expectation: for each beam, the probability γ that a volume stopped it and R that it came that
//! far, as in [`crate::volume::beer_lambert`]. Maximisation: the depth c of a volume maximises
//! Σ γ·ln(1 − e^(−cg)) − c·Σ (R − γ)·g, where the derivative Σ γ·g/(e^(cg) − 1) equals
//! P = Σ (R − γ)·g. The sum A = Σ γ·g/(e^(cg) − 1) is known at the present c only; taken as
//! Γ·ĝ/(e^(cĝ) − 1) with Γ = Σ γ and the ĝ that makes it equal to A, it gives
//! c = ln(1 + Γ·ĝ/P)/ĝ. That stands still exactly where the likelihood does, and goes to an opaque
//! volume's depth in a few steps, where the step with expected numbers of events takes hundreds.

use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, Ordering};

use glam::Vec3;
use rayon::prelude::*;
use understory_geometry::BoxTree;

use super::LikelihoodSettings;
use super::shape::Shapes;
use crate::LearnError;
use crate::estimate::settings::Settings;
use crate::input::beams::BeamSource;
use crate::input::rays::{Ray, each_ray};
use crate::site::Gate;
use crate::volume::beer_lambert::{DEPTH_LIMITS, Meeting, Prior};
use understory_base::Progress;

/// Quanta of a beam.
const QUANTA: f64 = (1u32 << 20) as f64;
/// Quanta of a derivative, which is larger.
const SLOPE_QUANTA: f64 = (1u32 << 14) as f64;
/// A normal law is cut off here: exp(−18) of its height.
const SIGMAS: f64 = 6.0;
const SQRT_TAU: f64 = 2.506_628_274_631_000_7;
/// Logarithm of the density of a return from nowhere.
const LN_NOTHING: f64 = -700.0;

/// How the fit went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Mean logarithm of the likelihood of a beam before each round.
    pub mean_log_likelihood: Vec<f64>,
}

/// What the fit leaves.
pub struct Fitted {
    pub depths: Vec<f64>,
    pub sums: Vec<VolumeSums>,
    pub misses: u64,
    pub report: FitReport,
}

/// Expectations for one volume.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeSums {
    /// Σ γ.
    pub stopped: f64,
    /// Σ γ·g/(e^(cg) − 1).
    pub slope: f64,
    /// Σ (R − γ)·g.
    pub passed: f64,
}

/// The same as whole numbers that several threads add to.
#[derive(Default)]
struct SharedSums {
    stopped: AtomicI64,
    slope: AtomicI64,
    passed: AtomicI64,
}

/// Everything on the way of one ray.
#[derive(Default)]
struct Scratch {
    meetings: Vec<Meeting>,
    stops: Vec<f64>,
    weights: Vec<f64>,
    sums: Vec<VolumeSums>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

struct Volumes<'a> {
    shapes: &'a Shapes,
    tree: BoxTree,
    order: Vec<u32>,
}

/// Fits the depths of all volumes.
pub fn fit(
    source: &dyn BeamSource,
    shapes: &Shapes,
    settings: &Settings,
    likelihood: &LikelihoodSettings,
    progress: &dyn Progress,
) -> Result<Fitted, LearnError> {
    let volumes = Volumes::new(shapes)?;
    let prior = Prior::default();
    let mut depths = vec![1.0; shapes.volumes.len()];
    let mut sums = Vec::new();
    let mut report = FitReport::default();
    let mut misses = 0;
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    for round in 0..likelihood.rounds.max(1) {
        let shared: Vec<SharedSums> = depths.iter().map(|_| SharedSums::default()).collect();
        let log_likelihood = AtomicI64::new(0);
        let visit = |ray: Ray| {
            SCRATCH.with_borrow_mut(|scratch| {
                let sum = volumes.expect(&ray, &depths, &prior, scratch, &shared);
                log_likelihood.fetch_add((sum * 256.0).round() as i64, Ordering::Relaxed);
            });
        };
        let share = |beams: u64| {
            let of_round = (beams as f64 / expected).min(1.0);
            let done = (round as f64 + of_round) / likelihood.rounds.max(1) as f64;
            progress.step("fitting depths", done);
        };
        let counted = each_ray(source, settings.range_max_m, &visit, &share)?;
        misses = counted[1];
        let total = log_likelihood.into_inner() as f64 / 256.0;
        let mean = total / counted[0].max(1) as f64;
        sums = shared.iter().map(SharedSums::values).collect();
        depths = depths
            .par_iter()
            .zip(&sums)
            .map(|(depth, sums)| improved(*depth, sums, &prior))
            .collect();
        let gained = report.mean_log_likelihood.last().map(|last| mean - last);
        report.mean_log_likelihood.push(mean);
        if gained.is_some_and(|gained| gained.abs() < likelihood.gain_least) {
            break;
        }
    }
    progress.step("fitting depths", 1.0);
    Ok(Fitted { depths, sums, misses, report })
}

impl SharedSums {
    fn add(&self, sums: &VolumeSums) {
        let add = |to: &AtomicI64, value: f64, quanta: f64| {
            // Saturates far beyond any number of beams.
            to.fetch_add((value * quanta).round() as i64, Ordering::Relaxed);
        };
        add(&self.stopped, sums.stopped, QUANTA);
        add(&self.slope, sums.slope, SLOPE_QUANTA);
        add(&self.passed, sums.passed, QUANTA);
    }

    fn values(&self) -> VolumeSums {
        let value = |of: &AtomicI64, quanta: f64| of.load(Ordering::Relaxed) as f64 / quanta;
        VolumeSums {
            stopped: value(&self.stopped, QUANTA),
            slope: value(&self.slope, SLOPE_QUANTA),
            passed: value(&self.passed, QUANTA),
        }
    }
}

/// The next depth of a volume.
pub fn improved(depth: f64, sums: &VolumeSums, prior: &Prior) -> f64 {
    let stopped = sums.stopped + prior.events;
    let slope = sums.slope + prior.events / depth;
    let passed = sums.passed + prior.exposure;
    if !(stopped > 0.0 && passed > 0.0) {
        return DEPTH_LIMITS.0;
    }
    let wanted = slope / stopped;
    // Falls from 1/c at g = 0.
    let of = |g: f64| g / (depth * g).exp_m1();
    let (mut low, mut g) = (0.0, 1.0);
    if of(g) < wanted {
        for _ in 0..40 {
            let middle = 0.5 * (low + g);
            if of(middle) > wanted { low = middle } else { g = middle }
        }
    }
    let g = g.max(1e-9);
    ((stopped * g / passed).ln_1p() / g).clamp(DEPTH_LIMITS.0, DEPTH_LIMITS.1)
}

impl Volumes<'_> {
    fn new(shapes: &Shapes) -> Result<Volumes<'_>, LearnError> {
        let reach = Gate::SOFT_CUT;
        let boxes: Vec<[Vec3; 2]> = shapes
            .volumes
            .iter()
            .map(|shape| {
                let c = shape.gaussian.precision.inverse();
                let sigmas = glam::DVec3::new(c.x_axis.x, c.y_axis.y, c.z_axis.z);
                let half = sigmas.max(glam::DVec3::ZERO).map(f64::sqrt) * (reach * 1.0001) + 1e-5;
                let mean = shape.gaussian.mean;
                [(mean - half).as_vec3(), (mean + half).as_vec3()]
            })
            .collect();
        let (tree, order) = BoxTree::new(shapes.origin, &boxes)?;
        Ok(Volumes { shapes, tree, order })
    }

    /// Expectation for the beams of one ray: adds to the sums of the volumes on its way and returns
    /// the logarithm of their likelihood.
    fn expect(
        &self,
        ray: &Ray,
        depths: &[f64],
        prior: &Prior,
        scratch: &mut Scratch,
        shared: &[SharedSums],
    ) -> f64 {
        self.meet(ray, &mut scratch.meetings);
        let Scratch { meetings, stops, weights, sums } = scratch;
        stops.clear();
        stops.extend(meetings.iter().map(|m| -(-depths[m.volume as usize] * m.g).exp_m1()));
        sums.clear();
        sums.resize(meetings.len(), VolumeSums::default());
        let mut log_likelihood = 0.0;
        let mut from = 0;
        while let Some(range) = ray.ranges_m.get(from) {
            let beams = ray.ranges_m[from..].iter().take_while(|other| *other == range).count();
            from += beams;
            let beams = beams as f64;
            let range_m = f64::from(*range);
            let total = densities(meetings, stops, range_m, prior, weights);
            let Some((total, end)) = total else {
                log_likelihood += LN_NOTHING * beams;
                continue;
            };
            log_likelihood += total.ln() * beams;
            let mut came = end / total;
            for ((meeting, weight), sums) in meetings.iter().zip(&*weights).zip(&mut *sums).rev() {
                let stopped = weight / total;
                sums.passed += beams * came * meeting.g;
                sums.stopped += beams * stopped;
                came += stopped;
            }
        }
        for (meeting, sums) in meetings.iter().zip(&mut *sums) {
            let x = depths[meeting.volume as usize] * meeting.g;
            sums.slope = sums.stopped * meeting.g / x.exp_m1().max(1e-12);
            shared[meeting.volume as usize].add(sums);
        }
        log_likelihood
    }

    /// The volumes on the way of a ray, by the range of the nearest approach.
    fn meet(&self, ray: &Ray, meetings: &mut Vec<Meeting>) {
        meetings.clear();
        let local = ray.origin - self.shapes.origin;
        let mut visit = |items: std::ops::Range<usize>, end: f32| {
            for item in items {
                let volume = self.order[item];
                let shape = &self.shapes.volumes[volume as usize];
                let approach = shape.gaussian.approach(local, ray.direction);
                if approach.range_m > 0.0 && approach.distance < Gate::SOFT_CUT {
                    let g = (-0.5 * approach.distance * approach.distance).exp();
                    let (range_m, sigma_m) = (approach.range_m, approach.sigma_m);
                    meetings.push(Meeting { volume, g, range_m, sigma_m });
                }
            }
            end
        };
        self.tree.walk(ray.origin, ray.direction.as_vec3(), f32::MAX, &mut visit);
        meetings
            .sort_unstable_by(|a, b| a.range_m.total_cmp(&b.range_m).then(a.volume.cmp(&b.volume)));
    }
}

/// Density of each meeting at a range into `weights`; their sum with the end's, and the end's.
fn densities(
    meetings: &[Meeting],
    stops: &[f64],
    range_m: f64,
    prior: &Prior,
    weights: &mut Vec<f64>,
) -> Option<(f64, f64)> {
    weights.clear();
    let (mut reach, mut total) = (1.0, 0.0);
    for (meeting, stop) in meetings.iter().zip(stops) {
        let u = (range_m - meeting.range_m) / meeting.sigma_m;
        let here = if u.abs() < SIGMAS {
            reach * stop * (-0.5 * u * u).exp() / (meeting.sigma_m * SQRT_TAU)
        } else {
            0.0
        };
        weights.push(here);
        total += here;
        reach *= 1.0 - stop;
    }
    let end = if range_m == f64::INFINITY { reach } else { prior.clutter_per_m * reach };
    total += end;
    (total > 0.0).then_some((total, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::beer_lambert::reference::{DepthSums, expect};

    /// The limit of the step that is known to be right: the same depths, in fewer rounds.
    #[test]
    fn it_stands_still_where_the_slow_step_does() {
        let meetings = [
            Meeting { volume: 0, g: 0.8, range_m: 8.0, sigma_m: 0.01 },
            Meeting { volume: 1, g: 0.5, range_m: 8.1, sigma_m: 0.02 },
        ];
        let prior = Prior { clutter_per_m: 1e-3, events: 0.0, exposure: 0.0 };
        let beams = [8.005, 8.09, f64::INFINITY];
        let mut depths = [1.0, 1.0];
        for _ in 0..12 {
            let stops: Vec<f64> =
                meetings.iter().map(|m| -(-depths[m.volume as usize] * m.g).exp_m1()).collect();
            let mut sums = [VolumeSums::default(); 2];
            let mut weights = Vec::new();
            for z in beams {
                let (total, end) = densities(&meetings, &stops, z, &prior, &mut weights).unwrap();
                let mut came = end / total;
                for (k, m) in meetings.iter().enumerate().rev() {
                    let stopped = weights[k] / total;
                    sums[k].passed += came * m.g;
                    sums[k].stopped += stopped;
                    sums[k].slope += stopped * m.g / (depths[k] * m.g).exp_m1();
                    came += stopped;
                }
            }
            depths = std::array::from_fn(|k| improved(depths[k], &sums[k], &prior));
        }
        // Test vector: the limit of the exact expectation–maximisation.
        assert!((depths[0] - 0.506_809).abs() < 1e-5, "{depths:?}");
        assert!((depths[1] - 1.386_159).abs() < 1e-5, "{depths:?}");
        let mut sums = [DepthSums::default(); 2];
        for z in beams {
            expect(&meetings, z, &depths, &prior, &mut Vec::new(), &mut sums);
        }
        for (depth, sums) in depths.iter().zip(&sums) {
            assert!((sums.depth(&prior) / depth - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn an_opaque_volume_is_opaque_at_once() {
        let prior = Prior::default();
        let sums = VolumeSums { stopped: 300.0, slope: 300.0 / 1f64.exp_m1(), passed: 0.0 };
        let depth = improved(1.0, &sums, &prior);
        assert!(depth > 9.0, "{depth}");
        let never = VolumeSums { stopped: 0.0, slope: 0.0, passed: 300.0 };
        assert!(improved(1.0, &never, &prior) < 1e-4);
    }
}
