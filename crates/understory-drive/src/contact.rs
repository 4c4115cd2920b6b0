//! What a vehicle runs into: rays along the edges of its body through the very scene that the lidar
//! sees.
//!
//! Solid is what has neither a class of ground nor that of vegetation or of drops in the air: trunks,
//! rocks, logs, fences, walls, people, cars. Grass and leaves give way. Rays go along all four edges
//! of the body, from the clearance up to its height; a vehicle of 2 m/s moves by 2 cm from one look
//! to the next, so nothing thicker slips between.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use understory::scenario::drive::VehicleSpec;
use understory::world::scene::Scene;
use understory::world::trajectory::Pose;
use understory_cloud::{is_ground, label_number};
use understory_geometry::{DynamicBvh, InstanceId};

/// Distance of the rays in height.
const RAYS_APART_M: f64 = 0.2;
/// Lines of rays through the body, across it, where it starts: nothing may stand inside.
const INSIDE: usize = 31;
/// Distance of rays that measure a stem, and how far they look for its sides.
const STEM_RAYS_M: f64 = 0.01;
const STEM_REACH_M: f64 = 0.6;

/// Whether things of this class stop a vehicle.
pub fn is_solid(label: u16) -> bool {
    let gives_way = ["vegetation", "outlier"];
    !is_ground(label) && gives_way.iter().all(|name| label_number(name) != Some(label))
}

/// Something that a vehicle touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The object, from 1.
    pub object: u32,
    /// Its class.
    pub label: u16,
    /// Where.
    pub at_m: DVec3,
    /// How high above the ground under the vehicle.
    pub height_m: f64,
    /// The direction of the edge that met it.
    along: DVec3,
}

/// Looks for contacts in a scene.
pub struct ContactSearch {
    scene: Arc<Scene>,
    movers: DynamicBvh,
    /// Objects that were pushed over and stop nobody any more.
    pub pushed: BTreeSet<u32>,
}

impl ContactSearch {
    /// A search in a scene.
    pub fn new(scene: Arc<Scene>) -> ContactSearch {
        ContactSearch { scene, movers: DynamicBvh::default(), pushed: BTreeSet::new() }
    }

    /// The first solid thing that the edges of a body at this pose touch.
    pub fn touches(&mut self, spec: &VehicleSpec, pose: &Pose, time_s: f64) -> Option<Contact> {
        let [x, y] = [0.5 * spec.size_m[0], 0.5 * spec.size_m[1]];
        let edges =
            [([x, -y], [x, y]), ([x, y], [-x, y]), ([-x, y], [-x, -y]), ([-x, -y], [x, -y])];
        self.first(spec, pose, time_s, &edges)
    }

    /// The first solid thing on the edges of a body or inside it.
    pub fn overlaps(&mut self, spec: &VehicleSpec, pose: &Pose, time_s: f64) -> Option<Contact> {
        let [x, y] = [0.5 * spec.size_m[0], 0.5 * spec.size_m[1]];
        let at = |line: usize| (line as f64 / (INSIDE - 1) as f64 * 2.0 - 1.0) * x;
        let across: Vec<_> = (0..INSIDE).map(|line| ([at(line), -y], [at(line), y])).collect();
        self.touches(spec, pose, time_s).or_else(|| self.first(spec, pose, time_s, &across))
    }

    fn first(
        &mut self,
        spec: &VehicleSpec,
        pose: &Pose,
        time_s: f64,
        lines: &[([f64; 2], [f64; 2])],
    ) -> Option<Contact> {
        if self.scene.rays.mover_count() > 0 {
            self.scene.rays.refit(&mut self.movers, time_s, time_s);
        }
        let (low, high) = (spec.clearance_m, spec.size_m[2]);
        let levels = ((high - low) / RAYS_APART_M).ceil().max(1.0) as usize;
        for level in 0..=levels {
            let height_m = low + (high - low) * level as f64 / levels as f64;
            for (from, to) in lines {
                let place = |[x, y]: [f64; 2]| {
                    pose.translation + pose.rotation * DVec3::new(x, y, height_m)
                };
                let (from, to) = (place(*from), place(*to));
                let Some((t, object, label)) = self.solid_on(from, to - from, time_s) else {
                    continue;
                };
                let along = (to - from).normalize_or_zero();
                let at_m = from + t * (to - from);
                return Some(Contact { object, label, at_m, height_m, along });
            }
        }
        None
    }

    /// The first solid thing on a line: share of its length, object and class.
    fn solid_on(&self, from: DVec3, line: DVec3, time_s: f64) -> Option<(f64, u32, u16)> {
        let rays = self.scene.rays.at(&self.movers, time_s);
        let class = |instance: InstanceId, triangle: u32| {
            let object = self.scene.object_of(instance);
            (object, self.scene.label_of(object, self.scene.material_of(instance, triangle)))
        };
        let mut solid = |_: usize, instance: InstanceId, triangle: u32, _: f32| {
            let (object, label) = class(instance, triangle);
            is_solid(label) && !self.pushed.contains(&object)
        };
        let length = line.length();
        let direction: Vec3 = (line / length.max(1e-12)).as_vec3();
        let hit = rays.trace_ray_filtered(from, direction, length as f32, &mut solid)?;
        let (object, label) = class(hit.instance, hit.triangle);
        Some((f64::from(hit.t) / length.max(1e-12), object, label))
    }

    /// Thickness of a stem that was touched: the longest of parallel chords through it, level, at the
    /// height of the contact.
    pub fn stem_diameter_m(&self, contact: &Contact, time_s: f64) -> f64 {
        let along = DVec3::new(contact.along.x, contact.along.y, 0.0).normalize_or(DVec3::X);
        let across = DVec3::Z.cross(along);
        let steps = (STEM_REACH_M / STEM_RAYS_M) as i32;
        let chord = |step: i32| {
            let middle = contact.at_m + along * (f64::from(step) * STEM_RAYS_M);
            let side = |sign: f64| {
                let (from, line) = (middle - across * sign, across * sign);
                let line = 2.0 * STEM_REACH_M * line;
                let from = from + across * sign * (1.0 - STEM_REACH_M);
                let (t, object, _) = self.solid_on(from, line, time_s)?;
                (object == contact.object).then_some(t * 2.0 * STEM_REACH_M)
            };
            side(1.0).zip(side(-1.0)).map_or(0.0, |(a, b)| 2.0 * STEM_REACH_M - a - b)
        };
        (-steps..=steps).map(chord).fold(0.0, f64::max)
    }
}
