//! Rocks: a sphere of triangles, cut by random planes and roughened.
//!
//! Every vertex stays on its ray from the middle, so the surface never crosses itself.

use super::GroundObject;
use crate::terrain::check;
use crate::{PlantError, Random};
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use understory_base::math;

/// A stone.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rock {
    /// Diameters along x, y and z before it is cut and roughened.
    #[serde(deserialize_with = "understory_files::exact")]
    pub size_m: [f64; 3],
    /// How deep flat faces are cut: 0 is round, 1 is angular.
    #[serde(default = "half")]
    pub angularity: f64,
    /// Height of the bumps, in parts of the radius.
    #[serde(default = "twentieth")]
    pub roughness: f64,
    /// Part of its height that is in the ground.
    #[serde(default = "fifth")]
    pub buried: f64,
    /// How often each triangle of an icosahedron is split into four.
    #[serde(default = "four")]
    pub detail: u32,
}

fn half() -> f64 {
    0.5
}

fn twentieth() -> f64 {
    0.05
}

fn fifth() -> f64 {
    0.2
}

fn four() -> u32 {
    4
}

/// Faces that are cut.
const CUTS: usize = 14;

/// Waves of which the bumps are made.
const WAVES: usize = 40;

impl Rock {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        for size in self.size_m {
            check("size_m of a rock", size, 0.001, 100.0)?;
        }
        check("angularity of a rock", self.angularity, 0.0, 1.0)?;
        check("roughness of a rock", self.roughness, 0.0, 0.2)?;
        check("buried of a rock", self.buried, 0.0, 0.95)?;
        check("detail of a rock", f64::from(self.detail), 1.0, 7.0)
    }

    /// The rock; it lies on z = 0, less what is buried.
    pub(super) fn build(&self, seed: u64) -> GroundObject {
        let mut random = Random::new(seed);
        let cuts: Vec<(DVec3, f64)> = (0..CUTS)
            .map(|_| (random.direction(), 1.0 - self.angularity * random.between(0.1, 0.45)))
            .collect();
        let waves: Vec<(DVec3, f64, f64)> = (0..WAVES)
            .map(|_| {
                // Short waves are low: heights in proportion to the length, as of a fractal with
                // a Hurst exponent of one.
                let frequency = 3.0 * math::exp2(random.between(0.0, 4.0));
                let phase = random.between(0.0, std::f64::consts::TAU);
                (random.direction() * frequency, phase, 3.0 / frequency)
            })
            .collect();
        // Half the sum of squares is the variance of the sum of the cosines.
        let rms = (waves.iter().map(|wave| wave.2 * wave.2).sum::<f64>() / 2.0).sqrt();
        let (mut positions, triangles) = icosphere(self.detail);
        let half_size = DVec3::from(self.size_m) * 0.5;
        for position in &mut positions {
            let direction = *position;
            let mut radius: f64 = 1.0;
            for (normal, distance) in &cuts {
                let facing = normal.dot(direction);
                if facing > 0.0 {
                    radius = radius.min(distance / facing);
                }
            }
            let bumps: f64 = waves
                .iter()
                .map(|(k, phase, height)| height * math::cos(k.dot(direction) + phase))
                .sum();
            // Three standard deviations are as far as a bump goes; the radius stays positive.
            radius *= 1.0 + self.roughness * (bumps / rms).clamp(-3.0, 3.0);
            *position = direction * radius * half_size;
        }
        let low = positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        let high = positions.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
        let lift = -low - self.buried * (high - low);
        positions.iter_mut().for_each(|position| position.z += lift);
        GroundObject { positions, triangles }
    }
}

/// A unit sphere of 20·4ⁿ triangles.
fn icosphere(detail: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    // The corners are those of three golden rectangles; the poles of each turn by one axis.
    let mut positions = Vec::new();
    for (short, long) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        positions.push(DVec3::new(short, long, 0.0));
        positions.push(DVec3::new(0.0, short, long));
        positions.push(DVec3::new(long, 0.0, short));
    }
    let mut triangles = Vec::new();
    let near = |a: usize, b: usize| (positions[a].distance(positions[b]) - 2.0).abs() < 1e-9;
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let out = positions[a].dot(positions[b].cross(positions[c])) > 0.0;
                    triangles.push(if out { [a, b, c] } else { [a, c, b] }.map(|at| at as u32));
                }
            }
        }
    }
    positions.iter_mut().for_each(|position| *position = position.normalize_or_zero());
    for _ in 0..detail {
        let mut middles = BTreeMap::new();
        let mut finer = Vec::with_capacity(triangles.len() * 4);
        for &[a, b, c] in &triangles {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(from, to)| {
                *middles.entry((from.min(to), from.max(to))).or_insert_with(|| {
                    let middle = positions[from as usize] + positions[to as usize];
                    positions.push(middle.normalize_or_zero());
                    positions.len() as u32 - 1
                })
            });
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    (positions, triangles)
}
