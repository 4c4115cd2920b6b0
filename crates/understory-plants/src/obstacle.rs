//! Things that lie or stand on the ground: rocks, logs, fences, walls and posts.
//!
//! What enters: an [`ObstacleSpec`] and a seed. What leaves: a [`GroundObject`], closed meshes whose
//! triangles face outwards. An object stands on z = 0 around the origin; fences and walls follow
//! the ground that they are given.

mod fence;
mod log;
mod rock;
mod solid;
#[cfg(test)]
mod tests;

use crate::PlantError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;

pub use fence::{Fence, Post, Wall};
pub use log::Log;
pub use rock::Rock;

/// One or more closed meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroundObject {
    /// Vertices in metres.
    pub positions: Vec<DVec3>,
    /// Vertex indices of each triangle, counter-clockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl GroundObject {
    fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|at| self.positions[at as usize]))
    }

    /// What the surface encloses, by the theorem of Gauss; parts that overlap count twice.
    pub fn volume_m3(&self) -> f64 {
        self.corners().map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0
    }

    /// Area of the surface.
    pub fn surface_m2(&self) -> f64 {
        self.corners().map(|[a, b, c]| (b - a).cross(c - a).length()).sum::<f64>() / 2.0
    }

    /// Lowest and highest coordinates.
    pub fn bounds_m(&self) -> (DVec3, DVec3) {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.positions.iter().fold(start, |(low, high), &p| (low.min(p), high.max(p)))
    }
}

/// An object as a scenario writes it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ObstacleSpec {
    /// A stone.
    Rock(Rock),
    /// A felled trunk.
    Log(Log),
    /// Posts with rails.
    Fence(Fence),
    /// A wall along a path.
    Wall(Wall),
    /// A single post.
    Post(Post),
}

impl ObstacleSpec {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        match self {
            ObstacleSpec::Rock(rock) => rock.check(),
            ObstacleSpec::Log(log) => log.check(),
            ObstacleSpec::Fence(fence) => fence.check(),
            ObstacleSpec::Wall(wall) => wall.check(),
            ObstacleSpec::Post(post) => post.check(),
        }
    }

    /// The object on level ground; the same for the same seed.
    pub fn build(&self, seed: u64) -> Result<GroundObject, PlantError> {
        self.build_on(seed, |_, _| 0.0)
    }

    /// The object on ground of height `ground(x, y)`, in the object's own coordinates.
    ///
    /// Fences and walls follow it; the others stand on its height at the origin.
    pub fn build_on(
        &self,
        seed: u64,
        ground: impl Fn(f64, f64) -> f64,
    ) -> Result<GroundObject, PlantError> {
        self.check()?;
        let mut object = match self {
            ObstacleSpec::Rock(rock) => rock.build(seed),
            ObstacleSpec::Log(log) => log.build(seed),
            ObstacleSpec::Fence(fence) => return Ok(fence.build(ground)),
            ObstacleSpec::Wall(wall) => return Ok(wall.build(ground)),
            ObstacleSpec::Post(post) => post.build(),
        };
        let height = ground(0.0, 0.0);
        object.positions.iter_mut().for_each(|position| position.z += height);
        Ok(object)
    }
}
