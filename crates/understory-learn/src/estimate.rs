//! Learning a site: beams, settings → [`Site`] and a [`Report`], by the estimator that is requested.
//!
//! Volumes by Deschaud 2012: [`voxel`] (§III-C-1), `top_down` (§III-C-2), `bottom_up` (§III-C-3);
//! `likelihood` makes the beams most likely instead, and [`surface`] is the baseline of his section
//! V-C. [`parts`] are learned apart, on several hosts.

mod bottom_up;
mod bricks;
pub mod cells;
mod clusters;
mod likelihood;
#[cfg(test)]
#[path = "../tests/main/march.rs"]
mod march;
pub mod parts;
mod prediction;
mod ray_spacing;
mod settings;
pub mod surface;
mod surface_site;
mod top_down;
pub mod voxel;

use understory_base::Progress;

pub use prediction::{CAP_M, HeldOut, Prediction, RANGE_EDGES_M, Scores, Stop};
pub use settings::{Report, Settings, Tau, TopDown};

use crate::LearnError;
use crate::input::BeamSource;
use crate::input::kept::KeptBeams;
use crate::site::{Model, Site};
use likelihood::LikelihoodSettings;

/// Learns a site by one of the estimators.
pub fn learn(
    source: &dyn BeamSource,
    model: Model,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Site, Report), LearnError> {
    settings.check()?;
    let source = &KeptBeams::new(source);
    match model {
        Model::Voxel => voxel::learn(source, settings, progress),
        Model::TopDown => top_down::learn(source, &settings.top_down, settings, progress),
        Model::BottomUp => bottom_up::learn(source, settings, progress),
        Model::Likelihood => {
            let rule = LikelihoodSettings::default();
            likelihood::learn(source, settings, &rule, progress).map(|(site, report, fit)| {
                (site, Report { held_out: fit.held_out, widening: fit.widening, ..report })
            })
        }
        Model::Surface => surface_site::learn(source, settings, progress),
    }
}
