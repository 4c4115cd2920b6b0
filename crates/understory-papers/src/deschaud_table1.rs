//! Table I of Deschaud et al. 2012: how alike real and simulated scans of six targets are.
//!
//! Reality is simulated from plants ([`StandingTarget`]). A fifth of its revolutions teaches each
//! model, the others judge it, by the Bhattacharyya distance of the histograms over laser, encoder
//! step of 0.09° and range of 2 mm, with a bin for no return. Each model is judged where it was
//! taught and from a place 1.5 m aside, where nothing was ever seen. As many pulses are simulated as
//! real ones judge. The floor is the distance of the judges to as many other revolutions of the same
//! reality: no model can do better.

mod findings;

use std::sync::Arc;

use understory_compare::{HistogramBuilder, HistogramOptions, OrientationHistograms, Region};
use understory_learn::estimate::Settings;
use understory_learn::input::Beams;
use understory_learn::site::{Model, Site};

use super::standing_target::{StandingTarget, TARGETS};
use super::teaching::{SAME_RAYS, add_beams, distance, learn};
use super::{Ask, Reproduced};
use understory::Error;
use understory::pulse::PreparedRun;
use understory::world::scene::volume::SiteRays;

/// Revolutions of the short and of the full version; Deschaud's 5 minutes are 3000.
pub const REVOLUTIONS: [u32; 2] = [500, 3000];
/// The held-out pose.
pub const ASIDE_M: f64 = 1.5;

/// Width of the window in azimuth; Deschaud's figures show 5°.
const WIDTH_DEG: f64 = 6.0;
/// States of swaying.
const STATES: u32 = 64;
/// One revolution in so many teaches.
const TAUGHT: u32 = 5;
/// Returns from beyond are taken for none in training.
const RANGE_MAX_M: f64 = 60.0;

/// What the paper prints for surface and volumes.
const PAPER: [[f64; 2]; 6] = [
    [0.019, 0.068],
    [0.111, 0.074],
    [0.896, 0.125],
    [0.622, 0.054],
    [0.888, 0.095],
    [1.229, 0.091],
];

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the target in the paper.
    pub target: &'static str,
    /// `same` or `held-out`.
    pub pose: &'static str,
    /// Which model, or how it was queried.
    pub model: &'static str,
    /// Its Bhattacharyya distance.
    pub distance: f64,
    /// What chance alone leaves.
    pub floor: f64,
    /// What the paper prints.
    pub paper: Option<f64>,
    /// Orientations that were judged.
    pub orientations: usize,
}

impl Row {
    /// What the model is to blame for.
    pub fn excess(&self) -> f64 {
        self.distance - self.floor
    }
}

/// A model as it is judged: its name, its estimator, and the rays with which it is queried.
const MODELS: [(&str, Model, SiteRays); 6] = [
    ("surface", Model::Surface, SiteRays::Auto),
    // As published: a ray drawn from the cone of each beam.
    ("voxel", Model::Voxel, SiteRays::Sampled),
    ("voxel-nominal", Model::Voxel, SiteRays::Nominal),
    ("top-down", Model::TopDown, SiteRays::Nominal),
    ("bottom-up", Model::BottomUp, SiteRays::Nominal),
    ("likelihood", Model::Likelihood, SiteRays::Nominal),
];

/// Works out the table.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let revolutions = REVOLUTIONS[usize::from(ask.full)];
    let mut rows = Vec::new();
    for (target, (name, ..)) in TARGETS.iter().enumerate() {
        let share = target as f64 / TARGETS.len() as f64;
        let progress = |what: &str| ask.progress.step(&format!("{name}, {what}"), share);
        rows.extend(rows_of(target, revolutions, ask.seed, &progress)?);
    }
    Ok(findings::reproduced(&rows, revolutions))
}

/// Works out the rows of one target, by its place in the table; `report` hears what is done next.
pub fn rows_of(
    target: usize,
    revolutions: u32,
    seed: u64,
    report: &dyn Fn(&str),
) -> Result<Vec<Row>, Error> {
    let (name, scenario, box_m) = TARGETS[target.min(TARGETS.len() - 1)];
    let paper = PAPER[target.min(PAPER.len() - 1)];
    let options = HistogramOptions {
        region: Region { box_m: Some(box_m), ..Region::default() },
        ..HistogramOptions::default()
    };
    report("scanning at the training pose");
    let here = StandingTarget::new(scenario, 0.0, WIDTH_DEG, STATES)?;
    let mut taught = Beams::default();
    let mut counted = HistogramBuilder::new(&options)?;
    here.real(1..=revolutions, seed, &mut |rows| {
        if rows.scan.first().is_some_and(|scan| scan % TAUGHT == 0) {
            add_beams(rows, &mut taught);
        } else {
            counted.add(rows)?;
        }
        Ok(())
    })?;
    let judges = revolutions - revolutions / TAUGHT;
    let taught = vec![taught];
    let mut poses = vec![("same", judged(here, counted.finish(), revolutions, judges, seed)?)];
    report("scanning from aside");
    let aside = StandingTarget::new(scenario, ASIDE_M, WIDTH_DEG, STATES)?;
    let mut counted = HistogramBuilder::new(&options)?;
    aside.real(1..=judges, seed, &mut |rows| Ok(counted.add(rows)?))?;
    poses.push(("held-out", judged(aside, counted.finish(), judges, judges, seed)?));

    let mut rows = Vec::new();
    let settings =
        Settings { range_max_m: RANGE_MAX_M, widening: SAME_RAYS, ..Settings::default() };
    let mut learned: Option<(Model, Arc<Site>)> = None;
    for (model, estimator, rays) in MODELS {
        report(model);
        let site = match learned.take().filter(|(known, _)| *known == estimator) {
            Some((_, site)) => site,
            None => Arc::new(learn(&taught, estimator, &settings)?),
        };
        for (pose, judge) in &poses {
            // From aside other rays come, for which the width is chosen by held-out ones.
            let chosen = Settings { widening: None, ..settings };
            let site = match estimator == Model::Likelihood && *pose == "held-out" {
                true => Arc::new(learn(&taught, estimator, &chosen)?),
                false => site.clone(),
            };
            let scenario = judge.target.scenario().in_site(site, rays);
            let run = scenario.prepare()?;
            let simulated = judge.count(&run, judges, seed ^ 0x5EED)?;
            let distance = distance(&judge.real, &simulated)?;
            let printed = match estimator {
                Model::Surface => Some(paper[0]),
                Model::Voxel if rays == SiteRays::Sampled => Some(paper[1]),
                _ => None,
            };
            rows.push(Row {
                target: name,
                pose,
                model,
                distance: distance.0,
                floor: judge.floor,
                paper: printed.filter(|_| *pose == "same"),
                orientations: distance.1,
            });
        }
        learned = Some((estimator, site));
    }
    Ok(rows)
}

/// A place from which models are judged.
struct Judge {
    target: StandingTarget,
    real: OrientationHistograms,
    floor: f64,
}

impl Judge {
    fn count(
        &self,
        run: &PreparedRun,
        revolutions: u32,
        seed: u64,
    ) -> Result<OrientationHistograms, Error> {
        let mut builder = HistogramBuilder::only_as(&self.real);
        self.target.simulated(run, 1..=revolutions, seed, &mut |rows| Ok(builder.add(rows)?))?;
        Ok(builder.finish())
    }
}

/// A judge with its floor: the distance to as many later revolutions.
fn judged(
    target: StandingTarget,
    real: OrientationHistograms,
    after: u32,
    revolutions: u32,
    seed: u64,
) -> Result<Judge, Error> {
    let mut again = HistogramBuilder::only_as(&real);
    target.real(after + 1..=after + revolutions, seed, &mut |rows| Ok(again.add(rows)?))?;
    let floor = distance(&real, &again.finish())?.0;
    Ok(Judge { target, real, floor })
}
