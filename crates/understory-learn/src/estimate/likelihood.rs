//! Gaussian Beer–Lambert volumes that make the beams most likely: beams → [`Site`].
//!
//! Three passes over the beams, the last of them a few times. The first sums up the points of fine
//! cells and finds how far rays are apart. Then the volumes get their shapes ([`shape`]): fine where
//! points say so, coarse where one Gaussian is as good as eight, and as wide as the gaps between the
//! rays, along the surface where there is one. The last pass is an expectation–maximisation of
//! their optical depths ([`fit`]) that knows what beams did not see: a beam says nothing of what
//! lies behind its return, and a beam without a return says that nothing on its way stopped it.
//!
//! All sums are whole numbers, so threads and the order of beams change nothing.

mod fit;
mod held_out;
mod meetings;
mod met_rays;
mod opacity;
mod shape;
mod sums;
mod surroundings;
#[cfg(test)]
pub(super) mod tests;

use half::f16;

use super::cells::Cells;
use super::prediction::HeldOut;
use super::ray_spacing::RaySpacing;
use super::settings::{Report, Settings};
use crate::LearnError;
use crate::input::beams::{BeamSource, Beams};
use crate::site::{Evidence, Gate, Model, Site, Volume};
use crate::volume::permeability::BeamCounts;
use meetings::Volumes;
use shape::Outlines;
use understory_base::Progress;

pub use fit::FitReport;

/// Least edge of the cells in which gaps are kept; they are twice as wide as the coarsest cells.
const SPACING_M: f64 = 0.4;
/// Half the widest gap that volumes close.
const SPACING_RADIUS_M: f64 = 1.5;
/// Beams among which gaps are sought at a time.
const TOGETHER: usize = 1 << 21;
/// Widening where no beams can be held out.
const WIDENING: f64 = 4.0;
/// Of widenings whose scores are within this factor of the least, the narrowest is taken.
const AS_GOOD: f64 = 1.02;
/// Volumes that stop less than this share of the light are left out.
const DEPTH_LEAST: f64 = 1e-3;

/// What the likelihood takes besides [`Settings`], whose `cell_m` is the coarsest cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelihoodSettings {
    /// How often the coarsest cell may be halved.
    pub halvings: u16,
    /// Most rounds of the expectation–maximisation.
    pub rounds: usize,
    /// It ends when a round makes a beam likelier by less than this factor's logarithm.
    pub gain_least: f64,
}

impl Default for LikelihoodSettings {
    fn default() -> LikelihoodSettings {
        LikelihoodSettings { halvings: 2, rounds: 16, gain_least: 5e-4 }
    }
}

/// Learns a site from beams.
pub fn learn(
    source: &dyn BeamSource,
    settings: &Settings,
    likelihood: &LikelihoodSettings,
    progress: &dyn Progress,
) -> Result<(Site, Report, FitReport), LearnError> {
    settings.check()?;
    let halvings = likelihood.halvings.min(6);
    let finest_m = settings.cell_m / f64::from(1u32 << halvings);
    let held_out = match settings.widening {
        Some(_) => Vec::new(),
        None => held_out::score_widths(source, settings, likelihood, progress)?,
    };
    let least = held_out.iter().map(|score| score.capped_m).fold(f64::INFINITY, f64::min);
    let good = |score: &&HeldOut| score.capped_m <= AS_GOOD * least;
    let chosen = held_out.iter().find(good).map_or(WIDENING, |score| score.widening);
    let widening = settings.widening.unwrap_or(chosen);
    let (cells, spacing, beams) = gather(source, settings, finest_m, progress)?;
    if cells.is_empty() {
        let range_max_m = settings.range_max_m;
        return Err(LearnError::NothingToLearn { beams, range_max_m });
    }
    let working = (cells.memory_bytes() + spacing.memory_bytes()) as u64;
    let outlines = Outlines::new(&cells, &spacing, settings, halvings, progress)?;
    let shapes = outlines.shapes(widening, settings);
    let (out_of_reach, sampling_m) = (cells.out_of_reach, spacing.typical_m());
    drop((cells, spacing, outlines));
    let volumes = Volumes::new(&shapes)?;
    let fitted = fit::fit(source, &volumes, settings, likelihood, progress)?;
    let mut report = Report {
        beams,
        misses: fitted.misses,
        out_of_reach,
        tau: Gate::SOFT_CUT,
        sampling_m,
        working_bytes: working / shapes.volumes.len().max(1) as u64,
        ..Report::default()
    };
    let mut site = Site {
        origin: shapes.origin,
        model: Model::Likelihood,
        gate: Gate::Soft,
        cell_m: settings.cell_m,
        volumes: Vec::new(),
        evidence: Vec::new(),
        colours: Vec::new(),
        surface: None,
        provenance: settings.provenance(beams, fitted.misses),
    };
    let mut permeabilities = 0.0;
    let fits = fitted.opacities.iter().zip(&fitted.sums);
    for (shape, (opacity, sums)) in shapes.volumes.iter().zip(fits) {
        let depth = f64::from(opacity.depth);
        if depth < DEPTH_LEAST {
            report.unobserved += 1;
            continue;
        }
        let mut volume = Volume::new(&shape.gaussian, depth);
        volume.swallowed = (sums.swallowed_share() * 255.0).round() as u8;
        if let Some([mean, sigma]) = shape.intensity {
            volume.intensity_mean = f16::from_f64(mean);
            volume.intensity_sigma = f16::from_f64(sigma);
        }
        volume.label = shape.label;
        volume.level = shape.level;
        let count = |value: f64| value.round().clamp(0.0, f64::from(u32::MAX)) as u32;
        let (stopped, passed) = (count(sums.stopped), count(sums.passed));
        site.evidence.push(Evidence { points: count(shape.points), stopped, passed });
        site.volumes.push(volume);
        report.points += shape.points as u64;
        let counts = BeamCounts { stopped: stopped.into(), passed: passed.into(), orphaned: 0 };
        report.counts.merge(&counts);
        permeabilities += volume.permeability();
    }
    report.volumes = site.volumes.len() as u64;
    report.mean_permeability = permeabilities / site.volumes.len().max(1) as f64;
    let report_of_fit = FitReport { held_out, widening, ..fitted.report };
    Ok((site, report, report_of_fit))
}

/// The first pass: sums of the finest cells, gaps between rays, and the number of beams.
fn gather(
    source: &dyn BeamSource,
    settings: &Settings,
    finest_m: f64,
    progress: &dyn Progress,
) -> Result<(Cells, RaySpacing, u64), LearnError> {
    let mut cells = Cells::new(finest_m);
    let mut spacing = RaySpacing::new((2.0 * settings.cell_m).max(SPACING_M), SPACING_RADIUS_M);
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    let (mut beams, mut held) = (0, Beams::default());
    source.pass(&mut |batch| {
        cells.add(batch, settings.range_max_m);
        held.append(batch);
        if held.len() >= TOGETHER {
            spacing.add(&held, settings.range_max_m);
            held.clear();
        }
        beams += batch.len() as u64;
        progress.step("gathering points", (beams as f64 / expected).min(1.0));
        Ok(())
    })?;
    spacing.add(&held, settings.range_max_m);
    Ok((cells, spacing, beams))
}
