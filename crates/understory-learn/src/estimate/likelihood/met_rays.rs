//! Rays with what they meet, found once and kept for all rounds of the fit.
//!
//! What enters: rays and volumes. What leaves: [`MetRays`], some hundred rays as columns: how near each
//! comes to which volumes, and for each of its returns the densities N(z; t*, σ²) of the volumes that it
//! may have come from. Neither depends on the optical depths, so that a round needs one exponential for
//! each meeting and no walk through the tree.
//!
//! A ray is followed as far as its beams came: what lies behind its last return says nothing of it. A
//! return that no volume explains, of density ε, has passed the volumes before it and no others.

use rayon::prelude::*;
use understory_base::math;

use super::meetings::{Volumes, Way};
use super::opacity::Opacity;
use super::sums::{Totals, VolumeSums};
use crate::input::rays::{Ray, Rays};
use crate::volume::beer_lambert::{Meeting, Prior};
use crate::volume::exponential::stopped_and_passed;

/// Rays that are kept, and settle, together.
const TOGETHER: usize = 256;
/// Rays that walk the tree together.
const WALKED: usize = 64;
/// A normal law is cut off here: exp(−18) of its height.
const SIGMAS: f64 = 6.0;
/// A volume may stand so far behind the return that came from it, and more where it is a large one.
const BEHIND_M: f64 = 0.5;
/// A beam without a return may have been swallowed if no more than this share of the light goes on
/// for ever on its way; otherwise it has passed, which explains it as well.
const OPEN_MAX: f64 = 0.1;
const SQRT_TAU: f64 = 2.506_628_274_631_000_7;
/// Logarithm of the density of a return from nowhere.
const LN_NOTHING: f64 = -700.0;

/// Some rays and what they meet.
#[derive(Clone, Debug, Default)]
pub struct MetRays {
    /// Where the meetings of each ray end.
    meeting_ends: Vec<u32>,
    volumes: Vec<u32>,
    /// exp(−d²/2).
    nearness: Vec<f32>,
    /// Where the returns of each ray end.
    return_ends: Vec<u32>,
    returns: Vec<Return>,
    /// Meetings of the ray that a return may have come from, and the densities there.
    sources: Vec<u16>,
    densities: Vec<f32>,
    /// Beams of each ray without a return.
    misses: Vec<u32>,
}

/// Beams of a ray that returned from one and the same range.
#[derive(Clone, Copy, Debug)]
struct Return {
    beams: u32,
    /// Meetings of the ray before it.
    before: u32,
    /// Where its sources end.
    source_end: u32,
}

/// How far a ray is followed: behind its last return nothing is known.
fn way(ray: &Ray) -> Way {
    let Ray { origin, direction, ranges_m } = *ray;
    let returned = ranges_m.partition_point(|range| range.is_finite());
    let end_m = match ranges_m[..returned].last() {
        Some(range) if returned == ranges_m.len() => f64::from(*range) + BEHIND_M,
        _ => f64::INFINITY,
    };
    Way { origin, direction, end_m }
}

/// Room for the work on some rays.
#[derive(Default)]
pub struct Scratch {
    x: Vec<f32>,
    stopped: Vec<f32>,
    passed: Vec<f32>,
    /// Of one ray: the light that reaches a meeting, and what becomes of its beams there.
    reach: Vec<f64>,
    ends: Vec<f64>,
    sums: Vec<VolumeSums>,
}

impl MetRays {
    /// Finds what the rays of a batch meet, some rays at a time.
    pub fn of(rays: &Rays, volumes: &Volumes) -> Vec<MetRays> {
        let starts: Vec<usize> = (0..rays.len()).step_by(TOGETHER).collect();
        starts
            .par_iter()
            .map(|start| {
                let mut met = MetRays::default();
                let (mut ways, mut meetings) = (Vec::with_capacity(WALKED), Vec::new());
                let end = (start + TOGETHER).min(rays.len());
                for from in (*start..end).step_by(WALKED) {
                    let some = from..(from + WALKED).min(end);
                    ways.clear();
                    ways.extend(some.clone().map(|ray| way(&rays.get(ray))));
                    volumes.meet(&ways, &mut meetings);
                    for (ray, meetings) in some.zip(&meetings) {
                        met.push(meetings, rays.get(ray).ranges_m);
                    }
                }
                met.shrink();
                met
            })
            .collect()
    }

    /// Adds a ray with its meetings, in order, and the ranges of its beams, ascending.
    pub fn push(&mut self, meetings: &[Meeting], ranges_m: &[f32]) {
        let meetings = &meetings[..meetings.len().min(usize::from(u16::MAX))];
        let returned = ranges_m.partition_point(|range| range.is_finite());
        let misses = ranges_m.len() - returned;
        // Meetings that say something of this ray's beams.
        let mut needed = if misses > 0 { meetings.len() } else { 0 };
        let mut from = 0;
        while let Some(range) = ranges_m[..returned].get(from) {
            let beams = ranges_m[from..returned].iter().take_while(|other| *other == range).count();
            from += beams;
            let range_m = f64::from(*range);
            let before = meetings.partition_point(|meeting| meeting.range_m <= range_m);
            needed = needed.max(before);
            for (number, meeting) in meetings.iter().enumerate() {
                let u = (range_m - meeting.range_m) / meeting.sigma_m;
                if u.abs() < SIGMAS {
                    let density = math::exp(-0.5 * u * u) / (meeting.sigma_m * SQRT_TAU);
                    self.sources.push(number as u16);
                    self.densities.push(density as f32);
                    needed = needed.max(number + 1);
                }
            }
            self.returns.push(Return {
                beams: beams as u32,
                before: before as u32,
                source_end: self.sources.len() as u32,
            });
        }
        for meeting in &meetings[..needed] {
            self.volumes.push(meeting.volume);
            self.nearness.push(meeting.g as f32);
        }
        self.meeting_ends.push(self.volumes.len() as u32);
        self.return_ends.push(self.returns.len() as u32);
        self.misses.push(misses as u32);
    }

    fn shrink(&mut self) {
        self.volumes.shrink_to_fit();
        self.nearness.shrink_to_fit();
        self.returns.shrink_to_fit();
        self.sources.shrink_to_fit();
        self.densities.shrink_to_fit();
    }

    /// Bytes that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<MetRays>()
            + 4 * (self.meeting_ends.len() + self.return_ends.len() + self.misses.len())
            + 8 * self.volumes.len()
            + size_of::<Return>() * self.returns.len()
            + 6 * self.sources.len()
    }

    /// Whether it meets none of the volumes that `moved` names.
    pub fn is_settled(&self, moved: &[bool]) -> bool {
        !self.volumes.iter().any(|volume| moved[*volume as usize])
    }

    /// Expectation: adds to the sums of the volumes, and the logarithm of the likelihood.
    pub fn expect(
        &self,
        opacities: &[Opacity],
        prior: &Prior,
        scratch: &mut Scratch,
        totals: &mut Totals,
    ) {
        let Scratch { x, stopped, passed, .. } = scratch;
        x.clear();
        let met = self.volumes.iter().zip(&self.nearness);
        x.extend(met.map(|(volume, g)| opacities[*volume as usize].depth * g));
        stopped.resize(x.len(), 0.0);
        passed.resize(x.len(), 0.0);
        stopped_and_passed(x, stopped, passed);
        let (mut from, mut return_from, mut source_from) = (0, 0, 0);
        let ends = self.meeting_ends.iter().zip(&self.return_ends).zip(&self.misses);
        for ((end, return_end), misses) in ends {
            let (end, return_end) = (*end as usize, *return_end as usize);
            let ray = RayWork {
                volumes: &self.volumes[from..end],
                nearness: &self.nearness[from..end],
                stopped: &scratch.stopped[from..end],
                passed: &scratch.passed[from..end],
                opacities,
                prior,
            };
            ray.reach(&mut scratch.reach);
            scratch.ends.clear();
            scratch.ends.resize(end - from + 1, 0.0);
            scratch.sums.clear();
            scratch.sums.resize(end - from, VolumeSums::default());
            for returned in &self.returns[return_from..return_end] {
                let source_end = returned.source_end as usize;
                let sources = &self.sources[source_from..source_end];
                let densities = &self.densities[source_from..source_end];
                source_from = source_end;
                totals.log_likelihood += ray.returned(
                    returned,
                    sources,
                    densities,
                    &scratch.reach,
                    &mut scratch.ends,
                    &mut scratch.sums,
                );
            }
            if *misses > 0 {
                let beams = f64::from(*misses);
                totals.log_likelihood +=
                    ray.missed(beams, &scratch.reach, &mut scratch.ends, &mut scratch.sums);
            }
            ray.add(&scratch.ends, &mut scratch.sums, totals);
            (from, return_from) = (end, return_end);
        }
    }
}

/// One ray in one round.
struct RayWork<'a> {
    volumes: &'a [u32],
    nearness: &'a [f32],
    stopped: &'a [f32],
    passed: &'a [f32],
    opacities: &'a [Opacity],
    prior: &'a Prior,
}

impl RayWork<'_> {
    /// Share of the light that reaches each meeting, and what is left behind the last.
    fn reach(&self, reach: &mut Vec<f64>) {
        reach.clear();
        let mut left = 1.0;
        reach.push(left);
        reach.extend(self.passed.iter().map(|passed| {
            left *= f64::from(*passed);
            left
        }));
    }

    fn returning(&self, meeting: usize) -> f64 {
        f64::from(self.opacities[self.volumes[meeting] as usize].returns)
    }

    /// Beams that returned: where they may have come from. Quanta of the logarithm.
    fn returned(
        &self,
        returned: &Return,
        sources: &[u16],
        densities: &[f32],
        reach: &[f64],
        ends: &mut [f64],
        sums: &mut [VolumeSums],
    ) -> i64 {
        let beams = f64::from(returned.beams);
        let weight = |source: u16, density: f32| {
            let k = usize::from(source);
            let stopped = reach[k] * f64::from(self.stopped[k]);
            stopped * self.returning(k) * f64::from(density)
        };
        let end = self.prior.clutter_per_m * reach[returned.before as usize];
        let each = || sources.iter().zip(densities);
        let total = end + each().map(|(source, density)| weight(*source, *density)).sum::<f64>();
        if total.is_nan() || total <= 0.0 {
            return Totals::quanta_of_logarithm(LN_NOTHING * beams);
        }
        let share = beams / total;
        for (source, density) in each() {
            sums[usize::from(*source)].stopped += weight(*source, *density) * share;
        }
        ends[returned.before as usize] += end * share;
        Totals::quanta_of_logarithm(math::ln(total) * beams)
    }

    /// Beams without a return: they passed, or something opaque swallowed them.
    fn missed(&self, beams: f64, reach: &[f64], ends: &mut [f64], sums: &mut [VolumeSums]) -> i64 {
        let open = reach[self.volumes.len()];
        let swallowed =
            |k: usize| reach[k] * f64::from(self.stopped[k]) * (1.0 - self.returning(k));
        let is_blocked = open < OPEN_MAX;
        let mut total = open;
        if is_blocked {
            total += (0..self.volumes.len()).map(swallowed).sum::<f64>();
        }
        if total.is_nan() || total <= 0.0 {
            return Totals::quanta_of_logarithm(LN_NOTHING * beams);
        }
        let share = beams / total;
        ends[self.volumes.len()] += open * share;
        if is_blocked {
            for (k, sums) in sums.iter_mut().enumerate() {
                let here = swallowed(k) * share;
                sums.stopped += here;
                sums.swallowed += here;
            }
        }
        Totals::quanta_of_logarithm(math::ln(total) * beams)
    }

    /// From the far end: a beam came past a volume if it was stopped or ended behind it.
    fn add(&self, ends: &[f64], sums: &mut [VolumeSums], totals: &mut Totals) {
        let mut came = ends[sums.len()];
        for k in (0..sums.len()).rev() {
            let (g, sums) = (f64::from(self.nearness[k]), &mut sums[k]);
            sums.passed = came * g;
            let odds = f64::from(self.passed[k]) / f64::from(self.stopped[k]).max(1e-12);
            sums.slope = sums.stopped * g * odds;
            totals.add(self.volumes[k], sums);
            came += sums.stopped + ends[k];
        }
    }
}
