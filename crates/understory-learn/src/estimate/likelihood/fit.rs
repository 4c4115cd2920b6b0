//! The optical depths and return probabilities that make the beams most likely.
//!
//! Expectation ([`MetRays::expect`]): for each beam, the probability γ that a volume stopped it and R
//! that it came that far, as in [`crate::volume::beer_lambert`]. Maximisation: [`super::opacity`].
//!
//! What stops a beam may swallow it: dark, wet or far things return too little light. A volume has
//! the probability ρ that what it stops returns, so that a return has the weight R·h·ρ·N and a beam
//! without one R·h·(1 − ρ) at each volume, beside the open sky. ρ ← (Σ γ of returns + 2)/(Σ γ + 2.02).
//! Where light goes on behind, a beam that passed and one that was swallowed look the same, and the
//! volume would stop what it does not: there beams without a return have passed.
//!
//! Most volumes are found in a few rounds. Rays that meet none that still moves are added up once more
//! and not asked again. What rays meet is kept up to [`MEETINGS_BYTES_MAX`]; of rays beyond that it is
//! found anew in each round.

use rayon::prelude::*;

use super::LikelihoodSettings;
use super::meetings::Volumes;
use super::met_rays::{MetRays, Scratch};
use super::opacity::Opacity;
use super::sums::{Totals, VolumeSums};
use crate::LearnError;
use crate::estimate::prediction::HeldOut;
use crate::estimate::settings::Settings;
use crate::input::beams::BeamSource;
use crate::input::rays::each_batch;
use crate::volume::beer_lambert::Prior;
use understory_base::Progress;

/// Most memory that kept meetings take.
pub const MEETINGS_BYTES_MAX: usize = 2 << 30;
/// Most memory of the sums of all threads together; the fewer work on large sites.
const SUMS_BYTES_MAX: usize = 2 << 30;

/// How the fit went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Mean logarithm of the likelihood of a beam before each round.
    pub mean_log_likelihood: Vec<f64>,
    /// How well beams that were held out are predicted, by the widening of volumes.
    pub held_out: Vec<HeldOut>,
    /// The widening that was taken.
    pub widening: f64,
    /// Most bytes of meetings that were kept.
    pub meetings_bytes: usize,
}

/// What the fit leaves, in the order of the shapes.
pub struct Fitted {
    pub opacities: Vec<Opacity>,
    pub sums: Vec<VolumeSums>,
    pub misses: u64,
    pub report: FitReport,
}

/// Rays of which it is known what they meet.
#[derive(Default)]
struct KeptRays {
    /// Those that meet volumes which still move.
    active: Vec<MetRays>,
    bytes: usize,
    /// Batches of the source whose rays are kept; none: all of them.
    batches: Option<usize>,
}

/// Fits the depths of all volumes.
pub fn fit(
    source: &dyn BeamSource,
    volumes: &Volumes,
    settings: &Settings,
    likelihood: &LikelihoodSettings,
    progress: &dyn Progress,
) -> Result<Fitted, LearnError> {
    fit_within(source, volumes, settings, likelihood, MEETINGS_BYTES_MAX, progress)
}

fn fit_within(
    source: &dyn BeamSource,
    volumes: &Volumes,
    settings: &Settings,
    likelihood: &LikelihoodSettings,
    most_bytes: usize,
    progress: &dyn Progress,
) -> Result<Fitted, LearnError> {
    let prior = Prior::default();
    let mut opacities = vec![Opacity::UNKNOWN; volumes.len()];
    let mut moved = vec![true; volumes.len()];
    let mut report = FitReport::default();
    let rounds = likelihood.rounds.max(1);
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    let (mut kept, mut counted) = (KeptRays::default(), [0, 0]);
    let mut settled = Totals::new(volumes.len());
    let mut sums = Vec::new();
    for round in 0..rounds {
        let (still, settling): (Vec<MetRays>, Vec<MetRays>) = std::mem::take(&mut kept.active)
            .into_par_iter()
            .partition(|rays| !rays.is_settled(&moved));
        expect(&settling, &opacities, &prior, &mut settled);
        drop(settling);
        let mut totals = settled.clone();
        expect(&still, &opacities, &prior, &mut totals);
        kept.active = still;
        if round == 0 || kept.batches.is_some() {
            let (known, mut batch) = (kept.batches.unwrap_or(0), 0);
            let mut seen = 0;
            counted = each_batch(source, settings.range_max_m, &mut |rays| {
                batch += 1;
                seen += rays.beams();
                if batch <= known {
                    return;
                }
                let met = MetRays::of(rays, volumes);
                expect(&met, &opacities, &prior, &mut totals);
                if round == 0 && kept.batches.is_none() {
                    kept.bytes += met.iter().map(MetRays::memory_bytes).sum::<usize>();
                    if kept.bytes > most_bytes {
                        kept.batches = Some(batch - 1);
                    } else {
                        kept.active.extend(met);
                    }
                }
                let of_round = (seen as f64 / expected).min(1.0);
                progress.step("fitting depths", (round as f64 + of_round) / rounds as f64);
            })?;
        }
        let mean = totals.logarithm() / counted[0].max(1) as f64;
        sums = totals.volumes();
        let next: Vec<Opacity> = opacities
            .par_iter()
            .zip(&sums)
            .map(|(opacity, sums)| opacity.next(sums, &prior))
            .collect();
        moved = opacities.iter().zip(&next).map(|(old, new)| !old.has_settled(new)).collect();
        opacities = next;
        let gained = report.mean_log_likelihood.last().map(|last| mean - last);
        report.mean_log_likelihood.push(mean);
        progress.step("fitting depths", (round + 1) as f64 / rounds as f64);
        if gained.is_some_and(|gained| gained.abs() < likelihood.gain_least) {
            break;
        }
    }
    progress.step("fitting depths", 1.0);
    report.meetings_bytes = kept.bytes.min(most_bytes);
    let (opacities, sums) = (volumes.to_shapes(&opacities), volumes.to_shapes(&sums));
    Ok(Fitted { opacities, sums, misses: counted[1], report })
}

/// Expectation for some rays, on all threads, each with sums of its own.
fn expect(rays: &[MetRays], opacities: &[Opacity], prior: &Prior, totals: &mut Totals) {
    if rays.is_empty() {
        return;
    }
    let bytes = opacities.len().max(1) * size_of::<[i64; 4]>();
    let threads = rayon::current_num_threads().min(SUMS_BYTES_MAX / bytes).max(1);
    let each = rays.len().div_ceil(threads);
    let parts: Vec<Totals> = rays
        .par_chunks(each)
        .map(|rays| {
            let (mut scratch, mut part) = (Scratch::default(), Totals::new(opacities.len()));
            rays.iter().for_each(|rays| rays.expect(opacities, prior, &mut scratch, &mut part));
            part
        })
        .collect();
    parts.iter().for_each(|part| totals.merge(part));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::beer_lambert::Meeting;
    use crate::volume::beer_lambert::reference::{DepthSums, expect as expect_slowly};

    /// Rays, each with its meetings and ranges, fitted for so many rounds.
    fn fitted(rays: &[(&[Meeting], Vec<f32>)], prior: &Prior, rounds: usize) -> [Opacity; 2] {
        let mut met = MetRays::default();
        rays.iter().for_each(|(meetings, ranges)| met.push(meetings, ranges));
        let mut opacities = [Opacity::UNKNOWN; 2];
        for _ in 0..rounds {
            let mut totals = Totals::new(2);
            expect(std::slice::from_ref(&met), &opacities, prior, &mut totals);
            let sums = totals.volumes();
            opacities = std::array::from_fn(|k| opacities[k].next(&sums[k], prior));
        }
        opacities
    }

    /// The limit of the step that is known to be right: the same depths, in fewer rounds. Counts are
    /// large, so that quanta do not show, and all returns come from where a volume is.
    #[test]
    fn it_stands_still_where_the_slow_step_does() {
        let meetings = [
            Meeting { volume: 0, g: 0.8, range_m: 8.0, sigma_m: 0.01 },
            Meeting { volume: 1, g: 0.5, range_m: 8.1, sigma_m: 0.02 },
        ];
        let prior = Prior { clutter_per_m: 0.0, events: 0.0, exposure: 0.0 };
        let beams = [8.005f32, 8.09, f32::INFINITY];
        let ranges = beams.iter().flat_map(|beam| [*beam; 1000]).collect();
        let opacities = fitted(&[(&meetings, ranges)], &prior, 40);
        let depths = opacities.map(|opacity| f64::from(opacity.depth));
        let mut sums = [DepthSums::default(); 2];
        for z in beams {
            expect_slowly(&meetings, f64::from(z), &depths, &prior, &mut Vec::new(), &mut sums);
        }
        for (depth, sums) in depths.iter().zip(&sums) {
            assert!((sums.depth(&prior) / depth - 1.0).abs() < 3e-5, "{depths:?}");
        }
        // Test vector: the limit of the exact expectation–maximisation with returns from nowhere, which
        // are few here.
        assert!((depths[0] - 0.506_809).abs() < 4e-4, "{depths:?}");
        assert!((depths[1] - 1.386_159).abs() < 4e-4, "{depths:?}");
    }

    /// A curtain before a wall: of what no return came from, nothing can have passed the wall. So the
    /// curtain stops all and swallows 40 %; where the same 40 % return from the wall, they passed.
    #[test]
    fn beams_that_end_before_a_wall_without_a_return_were_swallowed() {
        let meetings = [
            Meeting { volume: 0, g: 1.0, range_m: 8.0, sigma_m: 0.01 },
            Meeting { volume: 1, g: 1.0, range_m: 9.0, sigma_m: 0.01 },
        ];
        let prior = Prior::default();
        let through = |others: f32| {
            let mut ranges = vec![8.0; 600];
            ranges.extend([others; 400]);
            // Beside the curtain the wall is seen: it stops all and returns all.
            let rays: [(&[Meeting], Vec<f32>); 2] =
                [(&meetings, ranges), (&meetings[1..], vec![9.0; 10_000])];
            fitted(&rays, &prior, 2000)
        };
        let [curtain, wall] = through(f32::INFINITY);
        assert!(wall.depth > 5.0 && wall.returns > 0.99, "{wall:?}");
        assert!((curtain.returns - 602.0 / 1002.02).abs() < 0.01, "{curtain:?}");
        assert!(curtain.depth > 4.0, "{curtain:?}");
        let [curtain, _] = through(9.0);
        assert!(curtain.returns > 0.98, "{curtain:?}");
        assert!((1.0 - (-curtain.depth).exp() - 0.6).abs() < 2e-3, "{curtain:?}");
    }

    /// Returns behind something opaque make it transparent, however opaque it was.
    #[test]
    fn what_is_seen_through_becomes_transparent() {
        let meetings = [
            Meeting { volume: 0, g: 1.0, range_m: 8.0, sigma_m: 0.01 },
            Meeting { volume: 1, g: 1.0, range_m: 9.0, sigma_m: 0.01 },
        ];
        let mut met = MetRays::default();
        met.push(&meetings, &[9.0; 50]);
        let prior = Prior::default();
        let mut opacities = [Opacity { depth: 60.0, returns: 0.99 }; 2];
        for _ in 0..20 {
            let mut totals = Totals::new(2);
            expect(std::slice::from_ref(&met), &opacities, &prior, &mut totals);
            let sums = totals.volumes();
            opacities = std::array::from_fn(|k| opacities[k].next(&sums[k], &prior));
        }
        assert!(opacities[0].depth < 1e-3 && opacities[1].depth > 5.0, "{opacities:?}");
    }
}
