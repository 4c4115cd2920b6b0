//! What is probably a mistake about the ground: a run → sentences.
//!
//! Sensors under the ground, a platform that leaves it, objects that hang far above it or lie under
//! it. Nothing here is refused: a drone leaves the ground, and a cellar is under it.

use glam::DVec3;
use understory_cloud::is_ground;

use crate::pulse::PreparedRun;
use crate::world::scene::Object;

/// How many times a run is looked at.
const LOOKS: u32 = 500;
/// Higher than this above the ground something hangs in the air.
const FAR_M: f64 = 5.0;

/// What a person should look at, each a sentence without its full stop.
pub fn ground_warnings(run: &PreparedRun) -> Vec<String> {
    if !run.scene.objects().iter().any(|object| is_ground(object.label)) {
        return Vec::new();
    }
    let mut warnings = sensors_under_ground(run);
    warnings.extend(platform_off_ground(run));
    warnings.extend(objects_off_ground(run));
    warnings
}

/// Times at which sensors fire.
fn looks(run: &PreparedRun) -> impl Iterator<Item = f64> {
    let times = (0..=LOOKS).map(|look| run.duration_s * f64::from(look) / f64::from(LOOKS));
    times.filter(|time_s| run.lines.is_always() || run.lines.line_at(*time_s).is_some())
}

fn sensors_under_ground(run: &PreparedRun) -> Vec<String> {
    let mut warnings = Vec::new();
    for sensor in &run.sensors {
        let under = looks(run).find_map(|time_s| {
            let pose = run.trajectory.pose_at(time_s).after(&sensor.platform_from_sensor);
            let DVec3 { x, y, z } = pose.translation;
            let depth = run.scene.ground_at(x, y)?.height_m - z;
            (depth > 0.0).then_some((time_s, x, y, depth))
        });
        if let Some((time_s, x, y, depth)) = under {
            warnings.push(format!(
                "sensor {:?} is {depth:.2} m under the ground at x = {x:.2}, y = {y:.2} m (after {time_s:.2} s)",
                sensor.name
            ));
        }
    }
    warnings
}

fn platform_off_ground(run: &PreparedRun) -> Option<String> {
    let at = |time_s: f64| run.trajectory.pose_at(time_s).translation;
    let on_ground = |time_s: &f64| {
        let DVec3 { x, y, .. } = at(*time_s);
        run.scene.ground_at(x, y).is_some()
    };
    let starts_there = looks(run).next().is_some_and(|time_s| on_ground(&time_s));
    let left = looks(run).find(|time_s| !on_ground(time_s)).filter(|_| starts_there)?;
    let DVec3 { x, y, .. } = at(left);
    Some(format!("the platform leaves the ground at x = {x:.2}, y = {y:.2} m (after {left:.2} s)"))
}

fn objects_off_ground(run: &PreparedRun) -> Vec<String> {
    let (mut hang, mut buried) = (Vec::new(), Vec::new());
    for object in run.scene.objects().iter().filter(|object| !is_ground(object.label)) {
        let Some((low, high)) = object.world_bounds(0.0) else { continue };
        let middle = (low + high) * 0.5;
        let Some(ground) = run.scene.ground_at(middle.x, middle.y) else { continue };
        if low.z - ground.height_m > FAR_M {
            hang.push((object, low.z - ground.height_m));
        }
        if high.z < ground.height_m {
            buried.push((object, ground.height_m - high.z));
        }
    }
    let sentence = |found: &[(&Object, f64)], what: &str| {
        let (first, by_m) = found.first()?;
        let others = match found.len() - 1 {
            0 => String::new(),
            1 => " and one other object".to_owned(),
            n => format!(" and {n} other objects"),
        };
        Some(format!("{:?}{others}: {by_m:.2} m {what} the ground", first.name))
    };
    [sentence(&hang, "above"), sentence(&buried, "under")].into_iter().flatten().collect()
}
