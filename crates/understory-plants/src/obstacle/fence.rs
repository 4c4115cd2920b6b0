//! What people put up: fences, walls and posts. They follow the ground.

use super::{GroundObject, solid};
use crate::PlantError;
use crate::terrain::{check, refused};
use glam::{DVec2, DVec3};
use schemars::JsonSchema;
use serde::Deserialize;

/// Posts along a path, joined by rails.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// Where it runs; a post stands at each corner.
    #[serde(deserialize_with = "understory_files::exact_each")]
    pub path_m: Vec<[f64; 2]>,
    /// Largest distance between posts.
    #[serde(default = "two")]
    pub post_spacing_m: f64,
    /// The posts.
    pub post: Post,
    /// Heights of the rails above the ground at each post.
    pub rail_heights_m: Vec<f64>,
    /// Diameter of a rail or wire.
    pub rail_diameter_m: f64,
}

/// A single round post.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Post {
    /// From the ground to the top.
    pub height_m: f64,
    /// Thickness.
    pub diameter_m: f64,
    /// How deep it stands in the ground.
    #[serde(default = "thirty_centimetres")]
    pub buried_m: f64,
}

/// A wall along a path; foot and top follow the ground.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Where its middle runs.
    #[serde(deserialize_with = "understory_files::exact_each")]
    pub path_m: Vec<[f64; 2]>,
    /// From the ground to the top.
    pub height_m: f64,
    /// From face to face.
    pub thickness_m: f64,
    /// How deep it stands in the ground.
    #[serde(default = "thirty_centimetres")]
    pub buried_m: f64,
    /// Largest distance between the points at which it meets the ground.
    #[serde(default = "two")]
    pub step_m: f64,
}

fn two() -> f64 {
    2.0
}

fn thirty_centimetres() -> f64 {
    0.3
}

/// Posts of a fence, or points at which a wall meets the ground.
const MAX_STATIONS: f64 = 20_000.0;

/// Sides of a post and of a rail.
const POST_SIDES: u32 = 16;
const RAIL_SIDES: u32 = 8;

/// Sharpest turn of a wall: beyond it the mitre of its corner grows too long.
const SHARPEST_TURN_DEG: f64 = 120.0;

impl Post {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        check("height_m of a post", self.height_m, 0.01, 100.0)?;
        check("diameter_m of a post", self.diameter_m, 0.001, 10.0)?;
        check("buried_m of a post", self.buried_m, 0.0, 10.0)
    }

    /// The post at the origin.
    pub(super) fn build(&self) -> GroundObject {
        let mut object = GroundObject::default();
        self.add_to(&mut object, DVec3::ZERO);
        object
    }

    fn add_to(&self, object: &mut GroundObject, foot: DVec3) {
        let (low, high) = (foot - DVec3::Z * self.buried_m, foot + DVec3::Z * self.height_m);
        solid::add_bar(object, low, high, self.diameter_m / 2.0, POST_SIDES);
    }
}

impl Fence {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        self.post.check()?;
        check("post_spacing_m of a fence", self.post_spacing_m, 0.05, 100.0)?;
        check("rail_diameter_m of a fence", self.rail_diameter_m, 0.0005, 1.0)?;
        check("number of rails of a fence", self.rail_heights_m.len() as f64, 0.0, 50.0)?;
        for &height in &self.rail_heights_m {
            check("rail_heights_m of a fence", height, 0.0, self.post.height_m)?;
        }
        check_path("path_m of a fence", &self.path_m, self.post_spacing_m)
    }

    /// The fence on the ground.
    pub(super) fn build(&self, ground: impl Fn(f64, f64) -> f64) -> GroundObject {
        let mut object = GroundObject::default();
        let feet: Vec<DVec3> = stations(&self.path_m, self.post_spacing_m)
            .iter()
            .map(|place| place.extend(ground(place.x, place.y)))
            .collect();
        feet.iter().for_each(|&foot| self.post.add_to(&mut object, foot));
        for pair in feet.windows(2) {
            for &height in &self.rail_heights_m {
                let [from, to] = [pair[0], pair[1]].map(|foot| foot + DVec3::Z * height);
                solid::add_bar(&mut object, from, to, self.rail_diameter_m / 2.0, RAIL_SIDES);
            }
        }
        object
    }
}

impl Wall {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        check("height_m of a wall", self.height_m, 0.01, 1000.0)?;
        check("thickness_m of a wall", self.thickness_m, 0.001, 100.0)?;
        check("buried_m of a wall", self.buried_m, 0.0, 100.0)?;
        check("step_m of a wall", self.step_m, 0.05, 1000.0)?;
        check_path("path_m of a wall", &self.path_m, self.step_m)?;
        for (index, corner) in self.path_m.windows(3).enumerate() {
            let [a, b, c] = [0, 1, 2].map(|at| DVec2::from(corner[at]));
            let turn = (b - a).angle_to(c - b).to_degrees().abs();
            if turn > SHARPEST_TURN_DEG {
                let value = format!("turning by {turn:.0}° at point {}", index + 2);
                let limits = format!("turning by at most {SHARPEST_TURN_DEG}°: make it two walls");
                return Err(refused("path_m of a wall", value, &limits));
            }
        }
        Ok(())
    }

    /// The wall on the ground.
    pub(super) fn build(&self, ground: impl Fn(f64, f64) -> f64) -> GroundObject {
        let places = stations(&self.path_m, self.step_m);
        let direction = |from: usize, to: usize| (places[to] - places[from]).normalize_or_zero();
        let rings: Vec<Vec<DVec3>> = (0..places.len())
            .map(|at| {
                let before = direction(at.saturating_sub(1), at);
                let after = direction(at, (at + 1).min(places.len() - 1));
                // The mitre: half of both directions, longer by the cosine of half the turn.
                let along = (before + after).normalize_or_zero();
                let stretch = along.dot(if at == 0 { after } else { before }).max(0.1);
                let side = along.perp() * (self.thickness_m / 2.0 / stretch);
                let place = places[at];
                let height = ground(place.x, place.y);
                let [low, high] = [height - self.buried_m, height + self.height_m];
                // Clockwise as seen along the path: left, up, right.
                let (left, right) = (place + side, place - side);
                vec![left.extend(low), left.extend(high), right.extend(high), right.extend(low)]
            })
            .collect();
        let mut object = GroundObject::default();
        solid::add_sweep(&mut object, &rings);
        object
    }
}

fn check_path(parameter: &str, path: &[[f64; 2]], step: f64) -> Result<(), PlantError> {
    crate::terrain::features::check_path(parameter, path)?;
    let count: f64 = path
        .windows(2)
        .map(|pair| (DVec2::from(pair[0]).distance(pair[1].into()) / step).ceil())
        .sum();
    if count > MAX_STATIONS {
        let limits = format!("at most {MAX_STATIONS} posts or steps long");
        return Err(refused(parameter, format!("{count} posts or steps long"), &limits));
    }
    Ok(())
}

/// Points along a path, its corners among them, at most a step apart.
fn stations(path: &[[f64; 2]], step: f64) -> Vec<DVec2> {
    let mut places: Vec<DVec2> = path.first().map(|&corner| corner.into()).into_iter().collect();
    for pair in path.windows(2) {
        let (from, to) = (DVec2::from(pair[0]), DVec2::from(pair[1]));
        let count = (from.distance(to) / step - 1e-9).ceil().max(1.0);
        places.extend((1..=count as u64).map(|at| from.lerp(to, at as f64 / count)));
    }
    places
}
