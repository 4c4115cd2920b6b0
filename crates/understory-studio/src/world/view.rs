//! Where to look first, and whether walls stand in the way.
//!
//! What enters: a scene and the path through it. What leaves: the box of what stands near the path,
//! and whether the first sensor is in a closed room, which a page then shows from outside with the
//! near walls left out.

use std::f64::consts::TAU;
use understory_base::math;

use glam::DVec3;
use understory::world::scene::Scene;
use understory_cloud::is_ground;

use super::{OBJECTS_MAX, relative};
use crate::prepared::Prepared;
use crate::protocol::world::PathPose;

/// How far about the path things are worth a first look, level.
const NEAR_M: f32 = 28.0;
/// What is lower is ground, a road, a mark on it.
const STANDS_M: f64 = 0.3;
/// Directions in which a way out of a room is looked for, and how far.
const WAYS: u32 = 96;
const ROOM_M: f64 = 60.0;
/// Labels of vegetation and trunks, which close no room.
const PLANTS: std::ops::RangeInclusive<u16> = 70..=71;

/// The box of what stands within sight of the path, or of the path itself.
pub fn focus(scene: &Scene, path: &[PathPose], offset_m: [f64; 3]) -> [[f32; 3]; 2] {
    let mut first = path.first().map_or([0.0; 3], |pose| pose.position_m);
    let mut last = first;
    for pose in path {
        for axis in 0..3 {
            first[axis] = first[axis].min(pose.position_m[axis]);
            last[axis] = last[axis].max(pose.position_m[axis]);
        }
    }
    let (mut low, mut high) = (first, last);
    for object in scene.objects().iter().take(OBJECTS_MAX) {
        let Some((lowest, highest)) = object.world_bounds(0.0) else { continue };
        if highest.z - lowest.z < STANDS_M || is_ground(object.label) {
            continue;
        }
        let (a, b) = (relative(lowest, offset_m), relative(highest, offset_m));
        // From high above, more of the ground is near.
        let near = NEAR_M.max(0.35 * (first[2] - a[2]));
        if (0..2).any(|axis| b[axis] < first[axis] - near || a[axis] > last[axis] + near) {
            continue;
        }
        for axis in 0..3 {
            let (from, to) = match axis {
                2 => (a[2], b[2]),
                _ => (a[axis].max(first[axis] - near), b[axis].min(last[axis] + near)),
            };
            low[axis] = low[axis].min(from);
            high[axis] = high[axis].max(to);
        }
    }
    [low, high]
}

/// Whether the first sensor sees a wall, a floor or a ceiling wherever it looks.
pub fn is_closed(prepared: &Prepared, scene: &Scene) -> bool {
    let Some(mounted) = prepared.scenario.sensors.first() else { return false };
    let platform = prepared.run.trajectory.pose_at(0.0);
    let from = platform.after(&mounted.platform_from_sensor).translation;
    let query = scene.query(0.0);
    (0..WAYS).all(|way| {
        // Points of a Fibonacci lattice on the sphere.
        let z = 1.0 - (2.0 * f64::from(way) + 1.0) / f64::from(WAYS);
        let angle = TAU * (f64::from(way) * 0.618_033_988_75).fract();
        let level = (1.0 - z * z).sqrt();
        let direction = DVec3::new(level * math::cos(angle), level * math::sin(angle), z);
        query
            .cast_ray(from, direction, ROOM_M)
            .is_some_and(|hit| !PLANTS.contains(&hit.surface.label))
    })
}
