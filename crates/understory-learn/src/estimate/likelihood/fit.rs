//! The optical depths and return probabilities that make the beams most likely.
//!
//! Expectation: for each beam, the probability γ that a volume stopped it and R that it came that
//! far, as in [`crate::volume::beer_lambert`]. Maximisation: the depth c of a volume maximises
//! Σ γ·ln(1 − e^(−cg)) − c·Σ (R − γ)·g, where the derivative Σ γ·g/(e^(cg) − 1) equals
//! P = Σ (R − γ)·g. The sum A = Σ γ·g/(e^(cg) − 1) is known at the present c only; taken as
//! Γ·ĝ/(e^(cĝ) − 1) with Γ = Σ γ and the ĝ that makes it equal to A, it gives
//! c = ln(1 + Γ·ĝ/P)/ĝ. That stands still exactly where the likelihood does, and goes to an opaque
//! volume's depth in a few steps, where the step with expected numbers of events takes hundreds.
//!
//! What stops a beam may swallow it: dark, wet or far things return too little light. A volume has
//! the probability ρ that what it stops returns, so that a return has the weight R·h·ρ·N and a beam
//! without one R·h·(1 − ρ) at each volume, beside the open sky. ρ ← (Σ γ of returns + 2)/(Σ γ + 2.02).
//! Where light goes on behind, a beam that passed and one that was swallowed look the same, and the
//! volume would stop what it does not: there beams without a return have passed.

use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, Ordering};

use glam::Vec3;
use rayon::prelude::*;
use understory_geometry::BoxTree;

use super::LikelihoodSettings;
use super::shape::Shapes;
use crate::LearnError;
use crate::estimate::prediction::HeldOut;
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
/// Beams that every volume has returned and swallowed before the first is known.
const RETURNS_PRIOR: f64 = 2.0;
const SWALLOWED_PRIOR: f64 = 0.02;
/// A beam without a return may have been swallowed if no more than this share of the light goes on
/// for ever on its way; otherwise it has passed, which explains it as well.
const OPEN_MAX: f64 = 0.1;
const SQRT_TAU: f64 = 2.506_628_274_631_000_7;
/// Logarithm of the density of a return from nowhere.
const LN_NOTHING: f64 = -700.0;

/// How the fit went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Mean logarithm of the likelihood of a beam before each round.
    pub mean_log_likelihood: Vec<f64>,
    /// How well beams that were held out are predicted, by the widening of volumes.
    pub held_out: Vec<HeldOut>,
    /// The widening that was taken.
    pub widening: f64,
}

/// What a volume does to a beam through its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opacity {
    /// Optical depth c.
    pub depth: f64,
    /// Probability ρ that what it stops returns.
    pub returns: f64,
}

impl Opacity {
    /// Before anything is known.
    pub const UNKNOWN: Opacity =
        Opacity { depth: 1.0, returns: RETURNS_PRIOR / (RETURNS_PRIOR + SWALLOWED_PRIOR) };
}

/// What the fit leaves.
pub struct Fitted {
    pub opacities: Vec<Opacity>,
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
    /// Σ γ of beams without a return.
    pub swallowed: f64,
}

/// The same as whole numbers that several threads add to.
#[derive(Default)]
struct SharedSums {
    stopped: AtomicI64,
    slope: AtomicI64,
    passed: AtomicI64,
    swallowed: AtomicI64,
}

/// Everything on the way of one ray.
#[derive(Default)]
struct Scratch {
    meetings: Vec<Meeting>,
    stops: Vec<Stop>,
    weights: Vec<f64>,
    sums: Vec<VolumeSums>,
}

/// What becomes of a beam at one of its meetings.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Probability that it is stopped.
    pub share: f64,
    /// Probability that it returns then.
    pub returns: f64,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Shapes that rays can meet.
pub struct Volumes<'a> {
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
    let mut opacities = vec![Opacity::UNKNOWN; shapes.volumes.len()];
    let mut sums = Vec::new();
    let mut report = FitReport::default();
    let mut misses = 0;
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    for round in 0..likelihood.rounds.max(1) {
        let shared: Vec<SharedSums> = opacities.iter().map(|_| SharedSums::default()).collect();
        let log_likelihood = AtomicI64::new(0);
        let visit = |ray: Ray| {
            SCRATCH.with_borrow_mut(|scratch| {
                let sum = volumes.expect(&ray, &opacities, &prior, scratch, &shared);
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
        opacities = opacities
            .par_iter()
            .zip(&sums)
            .map(|(opacity, sums)| Opacity {
                depth: improved(opacity.depth, sums, &prior),
                returns: returning(sums),
            })
            .collect();
        let gained = report.mean_log_likelihood.last().map(|last| mean - last);
        report.mean_log_likelihood.push(mean);
        if gained.is_some_and(|gained| gained.abs() < likelihood.gain_least) {
            break;
        }
    }
    progress.step("fitting depths", 1.0);
    Ok(Fitted { opacities, sums, misses, report })
}

impl VolumeSums {
    /// Share of what it stops that does not return, without the seed from which the rounds began: a
    /// volume of which nobody knows better swallows nothing.
    pub fn swallowed_share(&self) -> f64 {
        self.swallowed / (self.stopped.max(self.swallowed) + RETURNS_PRIOR)
    }
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
        add(&self.swallowed, sums.swallowed, QUANTA);
    }

    fn values(&self) -> VolumeSums {
        let value = |of: &AtomicI64, quanta: f64| of.load(Ordering::Relaxed) as f64 / quanta;
        VolumeSums {
            stopped: value(&self.stopped, QUANTA),
            slope: value(&self.slope, SLOPE_QUANTA),
            passed: value(&self.passed, QUANTA),
            swallowed: value(&self.swallowed, QUANTA),
        }
    }
}

/// The next probability that what a volume stops returns.
fn returning(sums: &VolumeSums) -> f64 {
    let returned = (sums.stopped - sums.swallowed).max(0.0) + RETURNS_PRIOR;
    returned / (returned + sums.swallowed + SWALLOWED_PRIOR)
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
    pub fn new(shapes: &Shapes) -> Result<Volumes<'_>, LearnError> {
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
        opacities: &[Opacity],
        prior: &Prior,
        scratch: &mut Scratch,
        shared: &[SharedSums],
    ) -> f64 {
        self.meet(ray, &mut scratch.meetings);
        let Scratch { meetings, stops, weights, sums } = scratch;
        stops_at(meetings, opacities, stops);
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
                sums.swallowed += if range_m == f64::INFINITY { beams * stopped } else { 0.0 };
                came += stopped;
            }
        }
        for (meeting, sums) in meetings.iter().zip(&mut *sums) {
            let x = opacities[meeting.volume as usize].depth * meeting.g;
            sums.slope = sums.stopped * meeting.g / x.exp_m1().max(1e-12);
            shared[meeting.volume as usize].add(sums);
        }
        log_likelihood
    }

    /// The volumes on the way of a ray, by the range of the nearest approach.
    pub fn meet(&self, ray: &Ray, meetings: &mut Vec<Meeting>) {
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

/// What becomes of beams at their meetings.
pub fn stops_at(meetings: &[Meeting], opacities: &[Opacity], stops: &mut Vec<Stop>) {
    stops.clear();
    stops.extend(meetings.iter().map(|meeting| {
        let Opacity { depth, returns } = opacities[meeting.volume as usize];
        Stop { share: -(-depth * meeting.g).exp_m1(), returns }
    }));
}

/// Density of each meeting at a range into `weights`; their sum with the end's, and the end's.
fn densities(
    meetings: &[Meeting],
    stops: &[Stop],
    range_m: f64,
    prior: &Prior,
    weights: &mut Vec<f64>,
) -> Option<(f64, f64)> {
    weights.clear();
    let (mut reach, mut total) = (1.0, 0.0);
    let is_miss = range_m == f64::INFINITY;
    let is_blocked =
        is_miss && stops.iter().map(|stop| 1.0 - stop.share).product::<f64>() < OPEN_MAX;
    for (meeting, stop) in meetings.iter().zip(stops) {
        let u = (range_m - meeting.range_m) / meeting.sigma_m;
        let here = if is_blocked {
            reach * stop.share * (1.0 - stop.returns)
        } else if u.abs() < SIGMAS {
            let density = (-0.5 * u * u).exp() / (meeting.sigma_m * SQRT_TAU);
            reach * stop.share * stop.returns * density
        } else {
            0.0
        };
        weights.push(here);
        total += here;
        reach *= 1.0 - stop.share;
    }
    let end = if is_miss { reach } else { prior.clutter_per_m * reach };
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
            let opacities = depths.map(|depth| Opacity { depth, returns: 1.0 });
            let mut stops = Vec::new();
            stops_at(&meetings, &opacities, &mut stops);
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

    /// A curtain before a wall: of what no return came from, nothing can have passed the wall. So the
    /// curtain stops all and swallows 40 %; where the same 40 % return from the wall, they passed.
    #[test]
    fn beams_that_end_before_a_wall_without_a_return_were_swallowed() {
        let meetings = [
            Meeting { volume: 0, g: 1.0, range_m: 8.0, sigma_m: 0.01 },
            Meeting { volume: 1, g: 1.0, range_m: 9.0, sigma_m: 0.01 },
        ];
        // Of each kind of beam the volumes that it meets, its range and how many there are.
        let fitted = |beams: &[(&[Meeting], f64, f64)]| {
            let mut opacities = [Opacity::UNKNOWN; 2];
            for _ in 0..2000 {
                let mut sums = [VolumeSums::default(); 2];
                for &(meetings, z, count) in beams {
                    let (mut stops, mut weights) = (Vec::new(), Vec::new());
                    stops_at(meetings, &opacities, &mut stops);
                    let prior = Prior::default();
                    let found = densities(meetings, &stops, z, &prior, &mut weights);
                    let (total, end) = found.unwrap();
                    let mut came = end / total;
                    for (met, weight) in meetings.iter().zip(&weights).rev() {
                        let k = met.volume as usize;
                        let stopped = count * weight / total;
                        sums[k].passed += count * came * met.g;
                        sums[k].stopped += stopped;
                        sums[k].swallowed += if z == f64::INFINITY { stopped } else { 0.0 };
                        sums[k].slope += stopped * met.g / (opacities[k].depth * met.g).exp_m1();
                        came += stopped / count;
                    }
                }
                opacities = std::array::from_fn(|k| Opacity {
                    depth: improved(opacities[k].depth, &sums[k], &Prior::default()),
                    returns: returning(&sums[k]),
                });
            }
            opacities
        };
        // Beside the curtain the wall is seen: it stops all and returns all.
        let beside = (&meetings[1..], 9.0, 10_000.0);
        let swallowed = (&meetings[..], f64::INFINITY, 400.0);
        let [curtain, wall] = fitted(&[(&meetings, 8.0, 600.0), swallowed, beside]);
        assert!(wall.depth > 5.0 && wall.returns > 0.99, "{wall:?}");
        assert!((curtain.returns - 602.0 / 1002.02).abs() < 0.01, "{curtain:?}");
        assert!(curtain.depth > 4.0, "{curtain:?}");
        let [curtain, _] = fitted(&[(&meetings, 8.0, 600.0), (&meetings, 9.0, 400.0), beside]);
        assert!(curtain.returns > 0.98, "{curtain:?}");
        assert!((1.0 - (-curtain.depth).exp() - 0.6).abs() < 2e-3, "{curtain:?}");
    }

    #[test]
    fn an_opaque_volume_is_opaque_at_once() {
        let prior = Prior::default();
        let sums =
            VolumeSums { stopped: 300.0, slope: 300.0 / 1f64.exp_m1(), ..VolumeSums::default() };
        let depth = improved(1.0, &sums, &prior);
        assert!(depth > 9.0, "{depth}");
        let never = VolumeSums { passed: 300.0, ..VolumeSums::default() };
        assert!(improved(1.0, &never, &prior) < 1e-4);
    }
}
