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
mod leaf_angle;
mod outcome;
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

use glam::DVec3;
use understory_base::Progress;
use understory_cloud::VoxelGrid;
use understory_learn::LearnError;
use understory_learn::input::{Met, PulseSource, Pulses};
use understory_plants::{Inclinations, LeafAngle};

use leaf_angle::Projection;
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
                sums::add(pulses, &grid, settings, &weights, &spherical, &|v, share| {
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
        sums::add(pulses, &grid, settings, &weights, &projection, &|voxel, share| {
            sums.add(voxel, share);
        });
    })?;
    progress.step("estimating", 1.0);
    let read = source.report();
    Ok(outcome::work_out(settings, grid, &sums, &ground, &first, read, fitted, &inclinations))
}

/// What one going over all pulses finds out before voxels are known.
#[derive(Default)]
struct FirstPass {
    pulses: u64,
    misses: u64,
    /// Pulses that look up, and of them those without a return.
    upward: [u64; 2],
    several_returns: u64,
    /// Bounds of returns from plants.
    bounds: Option<[DVec3; 2]>,
    /// Returns by what they met: unknown, plant, wood, ground, other.
    met: [u64; 5],
    intensities: weights::Intensities,
}

impl FirstPass {
    fn see(&mut self, pulses: &Pulses) {
        for pulse in 0..pulses.len() {
            let (origin, along) = (pulses.origin[pulse], pulses.direction[pulse].as_dvec3());
            let returns = pulses.returns_of(pulse);
            self.pulses += 1;
            self.misses += u64::from(returns.is_empty());
            if along.z > 0.3 {
                self.upward[0] += 1;
                self.upward[1] += u64::from(returns.is_empty());
            }
            self.several_returns += u64::from(returns.len() > 1);
            self.intensities.see(returns);
            for back in returns {
                self.met[back.met as usize] += 1;
                if matches!(back.met, Met::Unknown | Met::Plant | Met::Wood) {
                    let at = origin + along * f64::from(back.range_m);
                    let [low, high] = self.bounds.unwrap_or([at; 2]);
                    self.bounds = Some([low.min(at), high.max(at)]);
                }
            }
        }
    }

    fn of(&self, met: Met) -> u64 {
        self.met[met as usize]
    }
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
