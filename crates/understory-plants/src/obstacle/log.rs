//! Logs: a tapered trunk with furrowed bark and saw-cut ends.

use super::{GroundObject, solid};
use crate::terrain::{check, refused};
use crate::{PlantError, Random};
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;
use std::f64::consts::{PI, TAU};
use understory_base::math;

/// A felled trunk that lies along x, its thick end at −x.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// From end to end.
    pub length_m: f64,
    /// Diameter of the thick end.
    pub diameter_m: f64,
    /// Diameter of the thin end; that of the thick end if not given.
    pub top_diameter_m: Option<f64>,
    /// Depth of the furrows of the bark.
    #[serde(default)]
    pub bark_m: f64,
    /// How far the middle lies off the straight line between the ends, sideways.
    #[serde(default)]
    pub bow_m: f64,
    /// Triangles around, two for each.
    #[serde(default = "forty_eight")]
    pub sides: u32,
}

fn forty_eight() -> u32 {
    48
}

/// Most rings of a log.
const MAX_RINGS: f64 = 2000.0;

impl Log {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        check("length_m of a log", self.length_m, 0.01, 100.0)?;
        check("diameter_m of a log", self.diameter_m, 0.001, 10.0)?;
        check("top_diameter_m of a log", self.top_m(), 0.001, self.diameter_m)?;
        check("bow_m of a log", self.bow_m.abs(), 0.0, self.length_m / 4.0)?;
        check("sides of a log", f64::from(self.sides), 3.0, 1000.0)?;
        if (0.0..=self.top_m() / 4.0).contains(&self.bark_m) {
            Ok(())
        } else {
            let limits = "from 0 to a quarter of the thin end's diameter";
            Err(refused("bark_m of a log", self.bark_m, limits))
        }
    }

    fn top_m(&self) -> f64 {
        self.top_diameter_m.unwrap_or(self.diameter_m)
    }

    /// The log; it lies on z = 0.
    pub(super) fn build(&self, seed: u64) -> GroundObject {
        let mut random = Random::new(seed);
        // Furrows run along the trunk and wander around it; several counts make them irregular.
        let furrows: Vec<(f64, f64, f64)> = (0..6)
            .map(|_| {
                let count = (7.0 + 12.0 * random.unit()).floor();
                (count, random.between(0.0, TAU), random.between(-3.0, 3.0))
            })
            .collect();
        let ring_distance = (TAU * self.diameter_m / f64::from(self.sides)).max(1e-6);
        let rings = (self.length_m / ring_distance).ceil().clamp(2.0, MAX_RINGS) as u32;
        let skin: Vec<Vec<DVec3>> = (0..=rings)
            .map(|ring| {
                let part = f64::from(ring) / f64::from(rings);
                let radius = 0.5 * (self.diameter_m + (self.top_m() - self.diameter_m) * part);
                let x = (part - 0.5) * self.length_m;
                let bow = self.bow_m * math::sin(PI * part);
                (0..self.sides)
                    .map(|side| {
                        let angle = TAU * f64::from(side) / f64::from(self.sides);
                        let wave = |&(count, phase, drift): &(f64, f64, f64)| {
                            math::cos(count * angle + phase + drift * x)
                        };
                        let depth = furrows.iter().map(wave).sum::<f64>() / furrows.len() as f64;
                        // The bark lies within the diameter; furrows go inwards.
                        let bark = radius - self.bark_m * (0.5 + 0.5 * depth);
                        // Seen along x, y turns to z.
                        DVec3::new(x, bow + bark * math::cos(angle), bark * math::sin(angle))
                    })
                    .collect()
            })
            .collect();
        let mut object = GroundObject::default();
        solid::add_sweep(&mut object, &skin);
        let low = object.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        object.positions.iter_mut().for_each(|position| position.z -= low);
        object
    }
}
