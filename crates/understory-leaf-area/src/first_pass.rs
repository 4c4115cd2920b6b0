//! What one going over all pulses finds out before voxels are known: bounds, counts, intensities.

use glam::DVec3;
use understory_learn::input::{Met, Pulses};

use crate::weights::Intensities;

/// What one going over all pulses finds out before voxels are known.
#[derive(Default)]
pub(crate) struct FirstPass {
    pub pulses: u64,
    pub misses: u64,
    /// Pulses that look up, and of them those without a return.
    pub upward: [u64; 2],
    pub several_returns: u64,
    /// Bounds of returns from plants.
    pub bounds: Option<[DVec3; 2]>,
    /// Returns by what they met: unknown, plant, wood, ground, other.
    pub met: [u64; 5],
    pub intensities: Intensities,
}

impl FirstPass {
    pub fn see(&mut self, pulses: &Pulses) {
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

    pub fn of(&self, met: Met) -> u64 {
        self.met[met as usize]
    }
}
