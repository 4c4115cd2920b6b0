//! Leaf area estimated from recordings, with what nobody could see told apart from what is empty.
//!
//! What enters: pulses with all their returns ([`PulseSource`]) and [`Settings`]. What leaves:
//! [`LeafArea`]: for each voxel the leaf area density with its interval, how many pulses came, how
//! much of the way through it was explored; profiles, maps, and the total with its interval. Light
//! goes through leaves as Beer and Lambert say, with an attenuation per voxel that is the most likely
//! one for the ways that pulses went in it (`docs/leaf-area.md` has the equations and their sources).
//! The estimator never calls the simulator.
//!
//! [`PulseSource`]: understory_learn::input::PulseSource

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod error;
mod estimator;
mod first_pass;
mod leaf_angle;
mod outcome;
mod projection;
mod settings;
mod sums;
mod traverse;
mod weights;

pub use error::LeafAreaError;
pub use estimator::{Estimator, VoxelSums};
pub use leaf_angle::{FittedAngle, LeafAngles};
pub use outcome::{AreaEstimate, Counts, Layer, LeafArea};
pub use settings::Settings;
pub use weights::Weights;

use understory_base::Progress;
use understory_cloud::VoxelGrid;
use understory_learn::LearnError;
use understory_learn::input::{PulseSource, Pulses};
use understory_plants::{Inclinations, LeafAngle};

use first_pass::FirstPass;
use projection::Projection;
use sums::{GroundSums, Sums, ZenithSums};

/// Estimates leaf area.
pub fn estimate(
    source: &dyn PulseSource,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<LeafArea, LeafAreaError> {
    settings.check()?;
    let mut first = FirstPass::default();
    each_batch(source, "reading", progress, &mut |pulses| first.see(pulses))?;
    let grid = match settings.region {
        Some([low, high]) => VoxelGrid::covering(low, high, settings.cell_m)?,
        None => {
            let [low, high] =
                first.bounds.ok_or(LeafAreaError::NoPlants { pulses: first.pulses })?;
            VoxelGrid::around(low, high, settings.cell_m)?
        }
    };
    if first.pulses == 0 {
        return Err(LeafAreaError::NoPlants { pulses: 0 });
    }
    let weights = settings.weights.prepare(&first.intensities);
    let fitted = match &settings.leaf_angle {
        LeafAngles::Fitted => {
            let zenith = ZenithSums::new(&grid)?;
            let spherical = Projection::new(&Inclinations::of(LeafAngle::Spherical));
            each_batch(source, "measuring leaf angles", progress, &mut |pulses| {
                sums::add(pulses, &grid, settings.range_m, &weights, &spherical, &|v, share| {
                    zenith.add(v, share);
                });
            })?;
            Some(leaf_angle::fit(&zenith)?)
        }
        _ => None,
    };
    let inclinations = match (&settings.leaf_angle, &fitted) {
        (LeafAngles::Given(table), _) => table.clone(),
        (LeafAngles::Named(angle), _) => Inclinations::of(*angle),
        (LeafAngles::Fitted, Some(fitted)) => fitted.inclinations(),
        (LeafAngles::Fitted, None) => Inclinations::of(LeafAngle::Spherical),
    };
    let projection = Projection::new(&inclinations);
    let (sums, ground) = (Sums::new(&grid), GroundSums::new(&grid));
    each_batch(source, "adding up ways", progress, &mut |pulses| {
        ground.add(pulses, &grid);
        sums::add(pulses, &grid, settings.range_m, &weights, &projection, &|voxel, share| {
            sums.add(voxel, share);
        });
    })?;
    progress.step("estimating", 1.0);
    let read = source.report();
    Ok(outcome::work_out(settings, grid, &sums, &ground, &first, read, fitted, &inclinations))
}

fn each_batch(
    source: &dyn PulseSource,
    what: &str,
    progress: &dyn Progress,
    take: &mut dyn FnMut(&Pulses),
) -> Result<(), LearnError> {
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    let mut done = 0;
    source.pass(&mut |pulses| {
        take(pulses);
        done += pulses.len().max(pulses.returns.len());
        progress.step(what, (done as f64 / expected).min(1.0));
        Ok(())
    })
}

#[cfg(test)]
mod tests;
