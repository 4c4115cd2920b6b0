//! `--hold-out K/N`: the site judged by scans that it was not learned from, beside real beams.

use anyhow::Result;
use understory_base::Progress;
use understory_learn::estimate::{HeldOut, RANGE_EDGES_M};
use understory_learn::input::{BeamOptions, Input, RecordingBeams};
use understory_learn::judge::{Floor, NeighbourLimits, RealBeams, judge as judge_site};
use understory_learn::site::{Model, Site};
use understory_view::picture::grouped;

/// A site and real beams, judged by the same held-out beams.
#[derive(serde::Serialize)]
pub struct Judged {
    /// Over all held-out beams; none for a surface, which has no probabilities.
    all: Option<HeldOut>,
    /// Over those that have neighbours.
    with_neighbours: Option<HeldOut>,
    /// The nearest beams that were learned from.
    floor: Floor,
}

/// Judges a site, if scans were held out.
pub fn judge(
    site: &Site,
    learned_from: &RecordingBeams,
    inputs: Vec<Input>,
    options: &BeamOptions,
    progress: &dyn Progress,
) -> Result<Option<Judged>> {
    let Some(held_out) = options.except else { return Ok(None) };
    let options = BeamOptions { every: Some(held_out), except: None, ..options.clone() };
    let range_max_m = options.range_max_m;
    progress.step("judging by held-out scans", 0.0);
    let source = RecordingBeams::open(inputs, options)?;
    let real = RealBeams::read(learned_from, range_max_m, NeighbourLimits::default())?;
    let floor = real.floor(&source, range_max_m)?;
    let is_volumes = site.model != Model::Surface;
    progress.step("judging by held-out scans", 0.5);
    let all = is_volumes.then(|| judge_site(site, &source, range_max_m)).transpose()?;
    let same = real.with_neighbours(&source);
    let with_neighbours = is_volumes.then(|| judge_site(site, &same, range_max_m)).transpose()?;
    progress.step("judging by held-out scans", 1.0);
    Ok(Some(Judged { all, with_neighbours, floor }))
}

impl Judged {
    /// Lines of a table.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let Some(all) = &self.all {
            rows.push(("judged", format!("{} held-out beams: {}", grouped(all.beams), told(all))));
            let ranges = all.capped_by_range_m.iter().zip(&all.lost_by_range);
            let by_range: Vec<String> = ranges
                .map(|(score, lost)| format!("{} ({} lost)", number(*score), percent(*lost)))
                .collect();
            let edges: Vec<String> = RANGE_EDGES_M.iter().map(|edge| format!("{edge}")).collect();
            rows.push((
                "by range",
                format!("of returns ({} m): {}", edges.join(", "), by_range.join(", ")),
            ));
        }
        if let Some(same) = &self.with_neighbours {
            let share = percent(self.floor.share);
            rows.push((
                "the same",
                format!("{share} of them that have neighbours: {}", told(same)),
            ));
        }
        rows.push(("neighbours", told(&self.floor.neighbours)));
        rows.push(("replay", told(&self.floor.replay)));
        rows.push(("noise floor", told_noise(self.floor.noise_m)));
        rows
    }
}

/// What a beam beside each says of it.
pub fn told_noise(noise_m: f64) -> String {
    format!("score {} m of 1, half the distance of beams beside each other", number(noise_m))
}

/// A score in a line.
pub fn told(score: &HeldOut) -> String {
    format!(
        "score {} m of 1, Brier {}, {} of the returns lost, {} of the misses returned",
        number(score.capped_m),
        number(score.brier),
        percent(score.lost),
        percent(score.false_returns)
    )
}

pub fn number(value: f64) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.3}") }
}

pub fn percent(share: f64) -> String {
    if share.is_nan() { "–".to_owned() } else { format!("{:.1} %", 100.0 * share) }
}
