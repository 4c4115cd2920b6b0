//! The world as rays meet it: what stands in it, who looks at it, what the air is like.

pub mod beams;
pub mod detail;
pub mod geometry;
pub mod moment;
pub mod view;
pub mod weather;

use glam::{DAffine3, DVec3};
use serde_json::Value;
use understory::run::ground_warnings;
use understory::world::scene::{Object, Scene};
use understory_cloud::round_offset_m;

use crate::document::ScenarioText;
use crate::prepared::Prepared;
use crate::protocol::document::Step;
use crate::protocol::world::{
    MaterialCard, Matrix, ObjectCard, PathPose, PlatformView, SiteView, World,
};

/// Objects told at most.
const OBJECTS_MAX: usize = 20_000;
/// Poses of a path told at most.
const PATH_MAX: usize = 2000;
/// Half the width of the part of an endless world that is worth looking at.
const WORTH_M: f64 = 200.0;
/// Name of a learned volume's material, up to its permeability.
const LEARNED: &str = "learned, permeability ";

/// What positions are relative to.
pub fn offset_m(prepared: &Prepared) -> [f64; 3] {
    round_offset_m(prepared.run.trajectory.pose_at(0.0).translation.to_array())
}

/// A transform of the world as a matrix, relative to an offset.
pub fn matrix(transform: &DAffine3, offset_m: [f64; 3]) -> Matrix {
    let moved = transform.translation - DVec3::from(offset_m);
    let columns = [
        transform.matrix3.x_axis.extend(0.0),
        transform.matrix3.y_axis.extend(0.0),
        transform.matrix3.z_axis.extend(0.0),
        moved.extend(1.0),
    ];
    let mut matrix = [0.0; 16];
    for (column, values) in columns.iter().enumerate() {
        for (row, value) in values.to_array().into_iter().enumerate() {
            matrix[4 * column + row] = value as f32;
        }
    }
    matrix
}

fn relative(at: DVec3, offset_m: [f64; 3]) -> [f32; 3] {
    (at - DVec3::from(offset_m)).as_vec3().to_array()
}

/// Everything about a world but its geometry.
pub fn world(
    prepared: &Prepared,
    text: &ScenarioText,
    revision: u32,
) -> Result<World, understory::Error> {
    let scene = prepared.shown()?;
    let run = &prepared.run;
    let offset_m = offset_m(prepared);
    let whole: Value = toml_edit::de::from_str(&text.text).unwrap_or_default();
    let path = path(prepared, offset_m);
    let mut warnings = ground_warnings(run);
    if scene.objects().len() > OBJECTS_MAX {
        let count = scene.objects().len();
        warnings
            .push(format!("of {count} objects the names of the first {OBJECTS_MAX} are listed"));
    }
    Ok(World {
        revision,
        offset_m,
        bounds_m: bounds(&scene, &path, offset_m),
        focus_m: view::focus(&scene, &path, offset_m),
        closed: view::is_closed(prepared, &scene),
        building_s: prepared.building_s,
        triangles: scene.rays.effective_triangles(),
        instances: scene.rays.instance_count() as u32,
        materials: scene
            .materials()
            .iter()
            .map(|material| MaterialCard {
                name: material.name.clone(),
                colour: material.colour,
                permeability: material
                    .name
                    .strip_prefix(LEARNED)
                    .and_then(|number| number.parse().ok()),
            })
            .collect(),
        objects: scene
            .objects()
            .iter()
            .take(OBJECTS_MAX)
            .map(|object| card(object, &whole, offset_m))
            .collect(),
        sensors: beams::sensors(prepared, offset_m),
        platform: PlatformView {
            moving: !run.trajectory.is_fixed(),
            duration_s: run.duration_s,
            things_move: !scene.rays.is_still(),
            path,
            lines_s: run.lines.within_s(run.duration_s),
        },
        weather: weather::weather(prepared.scenario.atmosphere(), offset_m),
        sites: run
            .scene
            .sites
            .iter()
            .map(|site| SiteView {
                name: site.place.name.clone(),
                volumes: site.volumes() as u32,
                rays: if site.is_queried_once() { "once a pulse" } else { "by cones" }.to_owned(),
            })
            .collect(),
        warnings,
    })
}

fn card(object: &Object, whole: &Value, offset_m: [f64; 3]) -> ObjectCard {
    ObjectCard {
        name: object.name.clone(),
        label: object.label,
        moves: object.motion.is_some(),
        table: table_of(object, whole),
        position_m: relative(object.pose_at(0.0).translation, offset_m),
    }
}

/// Keys that place an object otherwise than by `position_m`.
const PLACED_OTHERWISE: [&str; 5] = ["instances", "instances_file", "grid", "motion", "vehicle"];

/// The table of the text that describes an object, if its `position_m` is where it is.
fn table_of(object: &Object, whole: &Value) -> Option<Vec<Step>> {
    let tables = whole.get("world")?.get("object")?.as_array()?;
    let place = tables.iter().position(|table| table["name"] == object.name.as_str())?;
    let table = tables.get(place)?;
    if PLACED_OTHERWISE.iter().any(|key| table.get(key).is_some()) {
        return None;
    }
    Some(vec![Step::Key("world".into()), Step::Key("object".into()), Step::Place(place as u32)])
}

/// Where the platform is over time.
fn path(prepared: &Prepared, offset_m: [f64; 3]) -> Vec<PathPose> {
    let (trajectory, duration_s) = (&prepared.run.trajectory, prepared.run.duration_s);
    let steps = match trajectory.is_fixed() {
        true => 0,
        false => ((duration_s * 20.0) as usize).clamp(64, PATH_MAX - 1),
    };
    let time_s = |step: usize| duration_s * step as f64 / steps.max(1) as f64;
    let poses = (0..=steps).map(time_s).map(|time_s| {
        let pose = trajectory.pose_at(time_s);
        PathPose {
            time_s,
            position_m: relative(pose.translation, offset_m),
            quaternion: pose.rotation.as_quat().to_array(),
        }
    });
    poses.collect()
}

/// What is worth looking at: objects, as far as they are not endless, and the path.
fn bounds(scene: &Scene, path: &[PathPose], offset_m: [f64; 3]) -> [[f32; 3]; 2] {
    let middle = path.first().map_or([0.0; 3], |pose| pose.position_m);
    let (mut low, mut high) = (middle, middle);
    let mut take = |at: [f32; 3]| {
        for axis in 0..3 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    };
    path.iter().for_each(|pose| take(pose.position_m));
    for object in scene.objects().iter().take(OBJECTS_MAX) {
        let Some((lowest, highest)) = object.world_bounds(0.0) else { continue };
        for corner in [lowest, highest] {
            let mut corner = relative(corner, offset_m);
            for axis in 0..3 {
                let reach = WORTH_M as f32;
                corner[axis] = corner[axis].clamp(middle[axis] - reach, middle[axis] + reach);
            }
            take(corner);
        }
    }
    [low, high]
}
