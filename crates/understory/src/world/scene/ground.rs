//! Where the ground is: a place on the map → height, normal, object.
//!
//! Ground is what has a label of ground (terrain, road, sidewalk …), wherever it comes from. Where
//! the terrain is the only such thing its field of heights answers; else a ray from above, which
//! passes through everything that is no ground.

use glam::{DVec3, Vec3};
use understory_cloud::is_ground;
use understory_geometry::InstanceId;
use understory_plants::HeightField;

use super::{Object, Scene};

/// A point of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// Its height.
    pub height_m: f64,
    /// Unit normal that points up.
    pub normal: DVec3,
    /// The object that it belongs to, from 1.
    pub object: u32,
}

/// What is known of the ground before anyone asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    /// The surface of the terrain, and the number of its object.
    terrain: Option<(HeightField, u32)>,
    /// Objects that are ground.
    objects: Vec<u32>,
    /// How high the highest of them is.
    top_m: f64,
}

impl Ground {
    /// The ground among some objects.
    pub(super) fn of(objects: &[Object]) -> Ground {
        let grounds = objects.iter().filter(|object| is_ground(object.label));
        let tops = grounds.clone().filter_map(|object| Some(object.world_bounds(0.0)?.1.z));
        let top_m = tops.fold(0.0, f64::max);
        Ground { terrain: None, objects: grounds.map(|object| object.id).collect(), top_m }
    }
}

impl Scene {
    /// The highest ground at a place; `None` where there is none.
    pub fn ground_at(&self, x_m: f64, y_m: f64) -> Option<GroundPoint> {
        if let Some((field, object)) = &self.ground.terrain
            && self.ground.objects == [*object]
        {
            let (height_m, normal) = (field.height_at(x_m, y_m)?, field.normal_at(x_m, y_m)?);
            return Some(GroundPoint { height_m, normal, object: *object });
        }
        self.ground_below(DVec3::new(x_m, y_m, self.ground.top_m + 1.0))
    }

    /// The first ground below a point.
    pub fn ground_below(&self, point: DVec3) -> Option<GroundPoint> {
        if !point.is_finite() {
            return None;
        }
        let rays = self.rays.at_rest();
        let mut is_ground = |_: usize, instance: InstanceId, triangle: u32, _: f32| {
            self.is_ground(instance, triangle)
        };
        let hit = rays.trace_ray_filtered(point, Vec3::NEG_Z, f32::INFINITY, &mut is_ground)?;
        let at = rays.surface_point(&hit, point, DVec3::NEG_Z);
        let object = self.object_of(hit.instance);
        Some(GroundPoint { height_m: point.z - at.t, normal: at.normal, object })
    }

    fn is_ground(&self, instance: InstanceId, triangle: u32) -> bool {
        let object = self.object_of(instance);
        is_ground(self.label_of(object, self.material_of(instance, triangle)))
    }

    /// Notes the surface of the terrain, which belongs to the object called `terrain`.
    pub(crate) fn set_terrain(&mut self, surface: Option<HeightField>) {
        let terrain = self.objects.iter().find(|object| object.name == "terrain");
        self.ground.terrain = surface.zip(terrain.map(|object| object.id));
    }
}
