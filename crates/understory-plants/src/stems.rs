//! Upright rods of one height and thickness, placed at random: the grass of Goodin et al. (2018)
//! as its theory has it.
//!
//! What enters: density λ, diameter d, height. What leaves: rods whose feet are a Poisson process
//! over the patch. The distance along a thin horizontal ray to the first rod is then exponential
//! with hazard λ·d.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use understory_base::math;

use crate::limits::{fits, within};
use crate::{Part, Plant, PlantError, Random};

/// Parameters of a patch of rods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StemsSpec {
    /// Size of the patch.
    pub size_x_m: f64,
    /// Size of the patch.
    pub size_y_m: f64,
    /// Mean number of rods per ground area.
    pub stems_per_m2: f64,
    /// Thickness of a rod: its mean width seen from the side.
    pub diameter_m: f64,
    /// Height of every rod.
    pub height_m: f64,
    /// Flat sides of a rod; each rod is turned at random.
    pub sides: u32,
}

impl Default for StemsSpec {
    fn default() -> StemsSpec {
        StemsSpec {
            size_x_m: 1.0,
            size_y_m: 1.0,
            stems_per_m2: 500.0,
            diameter_m: 0.004,
            height_m: 0.5,
            sides: 4,
        }
    }
}

impl StemsSpec {
    /// Refuses parameters outside their limits.
    pub fn check(&self) -> Result<(), PlantError> {
        within("size_x_m", self.size_x_m, 0.01, 1000.0)?;
        within("size_y_m", self.size_y_m, 0.01, 1000.0)?;
        within("stems_per_m2", self.stems_per_m2, 0.0, 100_000.0)?;
        within("diameter_m", self.diameter_m, 1e-4, 2.0)?;
        within("height_m", self.height_m, 1e-3, 50.0)?;
        within("sides", f64::from(self.sides), 3.0, 64.0)?;
        fits(self.triangle_estimate())
    }

    /// Mean number of triangles.
    pub fn triangle_estimate(&self) -> u64 {
        let stems = self.stems_per_m2 * self.size_x_m * self.size_y_m;
        (stems * (4.0 * f64::from(self.sides) - 4.0)) as u64
    }

    /// Share of horizontal rays that are stopped per metre, λ·d.
    pub fn hazard_per_m(&self) -> f64 {
        self.stems_per_m2 * self.diameter_m
    }

    /// Grows the patch around the origin.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        let mut random = Random::new(seed);
        let count = random.poisson(self.stems_per_m2 * self.size_x_m * self.size_y_m);
        let mut plant = Plant::default();
        for _ in 0..count {
            let foot = DVec3::new(
                self.size_x_m * (random.unit() - 0.5),
                self.size_y_m * (random.unit() - 0.5),
                0.0,
            );
            self.push_stem(&mut plant, foot, random.unit());
        }
        Ok(plant)
    }

    /// A closed rod, turned by `turn` of a whole turn.
    fn push_stem(&self, plant: &mut Plant, foot: DVec3, turn: f64) {
        let sides = self.sides;
        let half_angle = std::f64::consts::PI / f64::from(sides);
        // The polygon with the circumference of the circle: as wide in the mean (Cauchy).
        let corner = 0.5 * self.diameter_m * half_angle / math::sin(half_angle);
        let first = plant.positions.len() as u32;
        for z in [0.0, self.height_m] {
            for side in 0..sides {
                let angle = half_angle * 2.0 * (f64::from(side) + turn * f64::from(sides));
                let (sin, cos) = math::sin_cos(angle);
                plant.push_vertex(foot + DVec3::new(corner * cos, corner * sin, z));
            }
        }
        for side in 0..sides {
            let (a, b) = (first + side, first + (side + 1) % sides);
            plant.push_indices([a, b, b + sides], Part::Stem);
            plant.push_indices([a, b + sides, a + sides], Part::Stem);
        }
        let top = first + sides;
        for side in 2..sides {
            plant.push_indices([first, first + side, first + side - 1], Part::Stem);
            plant.push_indices([top, top + side - 1, top + side], Part::Stem);
        }
    }
}
