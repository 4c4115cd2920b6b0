//! How alike two recordings are, one real and one simulated.
//!
//! What enters: batches of records of both ([`Comparison`]), or histograms that were counted before
//! ([`OrientationHistograms::compare`], for one real recording and many simulated ones). What
//! leaves: the Bhattacharyya distance of Deschaud et al. 2012 (P1) with what chance alone would
//! leave of it, scores of single beams, distances of the clouds, and for a sensor that moves the
//! errors of beams that belong together.
//!
//! A sensor that stands still fires into the same orientations again and again, so that each has a
//! distribution of ranges. One that moves never does: its pulses are gathered in cells of place and
//! direction, and compared one by one beside it.
//!
//! ```
//! use understory_compare::bhattacharyya_distance;
//! // Histograms of the same shape are at distance 0, whatever the number of their counts.
//! assert!(bhattacharyya_distance(&[1, 2, 1], &[10, 20, 10]).abs() < 1e-12);
//! ```

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod as_json;
mod beam_match;
mod beam_scores;
mod cloud_distance;
mod colours;
mod counting;
mod distance;
mod error;
mod floor;
mod histogram_distance;
mod histograms;
mod orientation;
mod pairs;
mod region;
mod stillness;
mod suited;
#[cfg(test)]
mod tests;

pub use beam_match::{BeamMatch, MatchLimits, MatchedBy, RangeErrors};
pub use beam_scores::{BeamScore, BeamScores, Spread};
pub use cloud_distance::CloudDistance;
pub use colours::ColourMap;
pub use distance::HistogramDistance;
pub use error::CompareError;
pub use histogram_distance::{bhattacharyya_distance, finite_sample_floor, mean_row_distance};
pub use histograms::{
    BlockBy, CountedReturn, Histogram, HistogramBuilder, HistogramOptions, NO_RETURN, OUTSIDE,
    OrientationHistograms, Uncounted,
};
pub use orientation::{Orientation, OrientationBy, OrientationRow};
pub use region::Region;
pub use suited::{Lacking, channels_tell_beams_apart};

use beam_match::Pulses;
use beam_scores::Plain;
use cloud_distance::ThinnedCloud;
use distance::Draws;
use pairs::{CHUNK, Pairs};
use rayon::prelude::*;
use stillness::Stillness;
use understory_cloud::Records;

/// Whether the sensor stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareMode {
    /// It does.
    Static,
    /// It moves.
    Moving,
}

/// What is worked out of histograms.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreOptions {
    /// Seed of the random halves and of the scans drawn again.
    pub seed: u64,
    /// Random halves of the real recording.
    pub splits: u32,
    /// How often scans are drawn again; 0: no interval.
    pub drawings: u32,
    /// Other sizes of range bins, made of those counted; finer ones are left out.
    pub coarse_bins_m: Vec<f64>,
}

impl Default for ScoreOptions {
    fn default() -> ScoreOptions {
        ScoreOptions { seed: 1, splits: 16, drawings: 200, coarse_bins_m: vec![0.01, 0.05] }
    }
}

/// How two recordings are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// Whether the sensor stands still; `None`: it does, and one that moves is an error
    /// ([`CompareError::Moves`]), upon which the caller begins again with [`CompareOptions::moving`].
    pub mode: Option<CompareMode>,
    /// How ranges are counted.
    pub histogram: HistogramOptions,
    /// What is worked out of the counts.
    pub scores: ScoreOptions,
    /// How near points are that count as found.
    pub threshold_m: f64,
    /// Most points of each cloud; 0: clouds are not compared.
    pub points_max: usize,
    /// How far apart beams of a moving sensor may be that are compared.
    pub limits: MatchLimits,
}

impl Default for CompareOptions {
    /// As Deschaud et al. 2012 for a sensor that stands still.
    fn default() -> CompareOptions {
        CompareOptions {
            mode: None,
            histogram: HistogramOptions::default(),
            scores: ScoreOptions::default(),
            threshold_m: 0.05,
            points_max: 1_000_000,
            limits: MatchLimits::default(),
        }
    }
}

impl CompareOptions {
    /// For a sensor that moves: cells of 1° and 5 cm, seen from places of 1 m.
    pub fn moving() -> CompareOptions {
        CompareOptions {
            mode: Some(CompareMode::Moving),
            histogram: HistogramOptions {
                by: OrientationBy::Direction,
                azimuth_bin_deg: 1.0,
                elevation_bin_deg: 1.0,
                range_bin_m: 0.05,
                place_cell_m: Some(1.0),
                ..HistogramOptions::default()
            },
            scores: ScoreOptions { coarse_bins_m: vec![0.2], ..ScoreOptions::default() },
            ..CompareOptions::default()
        }
    }

    fn check(&self) -> Result<(), CompareError> {
        let numbers = [
            ("threshold_m", self.threshold_m, 1e-6, 1e3),
            ("origin_limit_m", self.limits.origin_m, 1e-6, 1e3),
            ("direction_limit_deg", self.limits.direction_deg, 1e-6, 10.0),
            ("drawings", f64::from(self.scores.drawings), 0.0, 1e4),
            ("splits", f64::from(self.scores.splits), 0.0, 1e3),
        ];
        for (name, value, low, high) in numbers {
            if !(value >= low && value <= high) {
                return Err(CompareError::BadOption { name, value, low, high });
            }
        }
        self.histogram.check()
    }
}

/// What the histograms of two recordings say.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HistogramComparison {
    /// Orientations that were compared: fired by both, with a real return in the region.
    pub orientations: usize,
    /// Orientations with a real return in the region that the simulated recording never fired.
    pub unpartnered: usize,
    /// Real and simulated pulses in the orientations compared.
    pub pulses: [u64; 2],
    /// Those of them without a return.
    pub no_return: [u64; 2],
    /// Blocks of scans of both.
    pub blocks: [u32; 2],
    /// Distances: of the bins as counted first, then of coarser ones.
    pub distances: Vec<HistogramDistance>,
    /// Scores of single orientations.
    pub beams: BeamScores,
    /// The same scores of one random half of the real recording against the other.
    pub halves: Option<BeamScores>,
}

impl HistogramComparison {
    /// Shares of pulses without a return, real and simulated.
    pub fn no_return_share(&self) -> [f64; 2] {
        [0, 1].map(|side| self.no_return[side] as f64 / self.pulses[side].max(1) as f64)
    }
}

impl OrientationHistograms {
    /// Compares a simulated recording with this real one.
    pub fn compare(
        &self,
        simulated: &OrientationHistograms,
        options: &ScoreOptions,
    ) -> Result<HistogramComparison, CompareError> {
        if self.options() != simulated.options() {
            return Err(CompareError::DifferentBins);
        }
        let pairs = Pairs::find(self, simulated)?;
        let draws = Draws::new(
            [pairs.real_blocks, pairs.simulated_blocks],
            options.seed,
            options.splits,
            options.drawings,
        );
        let bin_m = self.options().range_bin_m;
        let coarse = options.coarse_bins_m.iter().copied().filter(|coarse| *coarse > bin_m);
        let distances = std::iter::once(bin_m)
            .chain(coarse)
            .map(|bin_m| distance::distance(self, simulated, &pairs.list, bin_m, &draws))
            .collect();
        let scores: Vec<(BeamScore, Option<BeamScore>)> = pairs
            .list
            .par_chunks(CHUNK)
            .flat_map_iter(|pairs| {
                let (mut a, mut b) = (Plain::default(), Plain::default());
                let half = draws.splits.first().copied();
                pairs
                    .iter()
                    .map(|pair| {
                        let real = self.histogram(pair.real);
                        a.set(&real, u64::MAX);
                        b.set(&simulated.histogram(pair.simulated), u64::MAX);
                        let whole = beam_scores::score(&a, &b, bin_m);
                        let halves = half.and_then(|mask| {
                            a.set(&real, mask);
                            b.set(&real, !mask);
                            let both = !a.is_empty() && !b.is_empty();
                            both.then(|| beam_scores::score(&a, &b, bin_m))
                        });
                        (whole, halves)
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let (whole, halves): (Vec<_>, Vec<_>) = scores.into_iter().unzip();
        let halves: Vec<BeamScore> = halves.into_iter().flatten().collect();
        Ok(HistogramComparison {
            orientations: pairs.list.len(),
            unpartnered: pairs.unpartnered,
            pulses: [pairs.real_pulses, pairs.simulated_pulses],
            no_return: [pairs.real_no_return, pairs.simulated_no_return],
            blocks: [pairs.real_blocks, pairs.simulated_blocks].map(u64::count_ones),
            distances,
            beams: BeamScores::of(&whole),
            halves: (!halves.is_empty()).then(|| BeamScores::of(&halves)),
        })
    }
}

/// What one recording gathers.
#[derive(Clone, Debug)]
struct Side {
    which: &'static str,
    builder: HistogramBuilder,
    cloud: ThinnedCloud,
    pulses: Pulses,
    stillness: Stillness,
    rows: u64,
}

impl Side {
    fn new(which: &'static str, options: &CompareOptions) -> Result<Side, CompareError> {
        Ok(Side {
            which,
            builder: HistogramBuilder::new(&options.histogram)?,
            cloud: ThinnedCloud::new(options.points_max),
            pulses: Pulses::default(),
            stillness: Stillness::default(),
            rows: 0,
        })
    }

    fn add(&mut self, records: &Records, options: &CompareOptions) -> Result<(), CompareError> {
        self.builder.add(records)?;
        self.rows += records.len() as u64;
        if let Some((sensor, apart_m)) = self.stillness.look_at(records)
            && options.mode.is_none()
        {
            return Err(CompareError::Moves { which: self.which, sensor, apart_m });
        }
        let histogram = &options.histogram;
        self.cloud.add(records, &histogram.region, histogram.by);
        if options.mode == Some(CompareMode::Moving) {
            let counted = histogram.counted;
            self.pulses.add(records, &histogram.region, histogram.by, counted, histogram.misses);
        }
        Ok(())
    }

    fn finish(self) -> Result<(OrientationHistograms, ThinnedCloud, Pulses), CompareError> {
        let histograms = self.builder.finish();
        if histograms.pulses() == 0 {
            let Uncounted { undirected, rangeless } = histograms.uncounted();
            let which = self.which;
            return Err(CompareError::NothingToCompare { which, undirected, rangeless });
        }
        Ok((histograms, self.cloud, self.pulses))
    }
}

/// Two recordings that are being compared, batch by batch.
///
/// ```
/// use understory_cloud::{Record, Records};
/// use understory_compare::{CompareOptions, Comparison};
/// let scan = |range_m: f32| {
///     let mut records = Records::default();
///     for scan in 0..100 {
///         let range_m = range_m + 0.002 * (scan % 5) as f32;
///         let hit = Record { scan, range_m, azimuth_deg: 9.0, return_number: 1, ..Record::miss() };
///         records.push(Record { world_xyz_m: [f64::from(range_m), 0.0, 0.0], ..hit });
///     }
///     records
/// };
/// let mut comparison = Comparison::new(&CompareOptions::default())?;
/// comparison.add_real(&scan(8.0))?;
/// comparison.add_simulated(&scan(8.002))?;
/// let report = comparison.finish()?;
/// // Four of five bins are shared.
/// assert!((report.histogram.distances[0].distance + 0.8f64.ln()).abs() < 1e-9);
/// # Ok::<(), understory_compare::CompareError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparison {
    options: CompareOptions,
    real: Side,
    simulated: Side,
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompareReport {
    /// Whether the sensor was taken to stand still.
    pub mode: CompareMode,
    /// What the histograms say.
    pub histogram: HistogramComparison,
    /// What the clouds say; `None` if a recording has no points or clouds are not wanted.
    pub cloud: Option<CloudDistance>,
    /// What single beams of a moving sensor say; `None` if none belong together.
    pub beams: Option<BeamMatch>,
    /// Things worth knowing, each a sentence without its full stop.
    pub remarks: Vec<String>,
    /// The histograms of the real recording, for pictures and for other comparisons.
    pub real: OrientationHistograms,
    /// The histograms of the simulated recording.
    pub simulated: OrientationHistograms,
}

impl Comparison {
    /// Nothing is compared yet.
    pub fn new(options: &CompareOptions) -> Result<Comparison, CompareError> {
        options.check()?;
        Ok(Comparison {
            options: options.clone(),
            real: Side::new("real", options)?,
            simulated: Side::new("simulated", options)?,
        })
    }

    /// Takes in a batch of the real recording.
    pub fn add_real(&mut self, records: &Records) -> Result<(), CompareError> {
        self.real.add(records, &self.options)
    }

    /// Takes in a batch of the simulated recording.
    pub fn add_simulated(&mut self, records: &Records) -> Result<(), CompareError> {
        self.simulated.add(records, &self.options)
    }

    /// Compares what came.
    pub fn finish(self) -> Result<CompareReport, CompareError> {
        let mode = self.options.mode.unwrap_or(CompareMode::Static);
        let moving = mode == CompareMode::Moving;
        for side in [&self.real, &self.simulated] {
            if moving && side.rows > 0 && !side.stillness.knows_origins() {
                return Err(CompareError::OriginsNeeded { which: side.which });
            }
        }
        let mut remarks = Vec::new();
        if !moving {
            remarks.extend(self.real.stillness.stood_aside(&self.simulated.stillness));
        }
        let (real, real_cloud, real_pulses) = self.real.finish()?;
        let (simulated, simulated_cloud, simulated_pulses) = self.simulated.finish()?;
        let histogram = real.compare(&simulated, &self.options.scores)?;
        remarks.extend(remarks_on(&histogram, &real, &simulated));
        let threshold_m = self.options.threshold_m;
        let cloud = cloud_distance::cloud_distance(&real_cloud, &simulated_cloud, threshold_m);
        if cloud.is_some() && (real_cloud.is_thinned() || simulated_cloud.is_thinned()) {
            let most = self.options.points_max;
            remarks.push(format!(
                "clouds were thinned to at most {most} points each, which makes their distances larger"
            ));
        }
        let limits = &self.options.limits;
        let beams = moving
            .then(|| beam_match::match_beams(&real_pulses, &simulated_pulses, limits))
            .flatten();
        if moving && beams.is_none() {
            remarks.push(format!(
                "no real pulse has a simulated one within {} m and {}°, so that single beams are not compared",
                limits.origin_m, limits.direction_deg
            ));
        }
        Ok(CompareReport { mode, histogram, cloud, beams, remarks, real, simulated })
    }
}

fn remarks_on(
    found: &HistogramComparison,
    real: &OrientationHistograms,
    simulated: &OrientationHistograms,
) -> Vec<String> {
    let mut remarks = Vec::new();
    let seen = found.orientations + found.unpartnered;
    if found.unpartnered > 0 {
        remarks.push(format!(
            "{} of {seen} orientations that see the region were never fired in the simulated recording and are left out",
            found.unpartnered
        ));
    }
    for (which, of) in [("real", real), ("simulated", simulated)] {
        let Uncounted { undirected, rangeless } = of.uncounted();
        if undirected + rangeless > 0 {
            remarks.push(format!(
                "the {which} recording has {undirected} pulses without a direction and {rangeless} returns without a range, which are left out"
            ));
        }
    }
    if found.no_return.iter().filter(|&&count| count == 0).count() == 1 {
        let which = if found.no_return[0] == 0 { "real" } else { "simulated" };
        remarks.push(format!(
            "the {which} recording has no pulse without a return; if its format drops them, compare without them"
        ));
    }
    if found.blocks[0] < 2 {
        remarks.push(
            "the real recording has a single scan: there are no halves and no interval, and no floor unless orientations have several pulses".to_owned(),
        );
    } else if found.blocks[1] < 2 {
        remarks.push("the simulated recording has a single scan: there is no interval".to_owned());
    }
    if real.options().block_by == BlockBy::Pulse {
        remarks.push(
            "scans cannot be distinguished: halves and interval are of pulses, and too narrow if pulses of a scan are alike".to_owned(),
        );
    }
    let pulses = found.pulses[0] as f64 / found.orientations.max(1) as f64;
    if pulses < 20.0 {
        remarks.push(format!(
            "an orientation has {pulses:.1} real pulses in the mean: with so few the distance is mostly chance; larger cells or bins tell more"
        ));
    }
    remarks
}
