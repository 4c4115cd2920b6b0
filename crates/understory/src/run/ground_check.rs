//! What is probably a mistake about places: a run → sentences.
//!
//! Sensors that nothing is in the range of, sensors under the ground, a platform that leaves it,
//! objects that hang far above it, lie under it, or lie flat in it. Nothing here is refused: a drone
//! leaves the ground, and a cellar is under it.

use glam::DVec3;
use understory_cloud::is_ground;

use crate::pulse::PreparedRun;
use crate::world::scene::Object;

/// How many times a run is looked at.
const LOOKS: u32 = 500;
/// Higher than this above the ground something hangs in the air.
const FAR_M: f64 = 5.0;
/// Things lower than this have no height.
const FLAT_M: f64 = 1e-6;
/// As near to the ground as this, something flat lies in it.
const IN_GROUND_M: f64 = 1e-3;

/// What a person should look at, each a sentence without its full stop.
pub fn ground_warnings(run: &PreparedRun) -> Vec<String> {
    let mut warnings: Vec<String> = nothing_in_range(run).into_iter().collect();
    if !run.scene.objects().iter().any(|object| is_ground(object.label)) {
        return warnings;
    }
    warnings.extend(sensors_under_ground(run));
    warnings.extend(platform_off_ground(run));
    warnings.extend(objects_off_ground(run));
    warnings
}

/// Times at which sensors fire.
fn looks(run: &PreparedRun) -> impl Iterator<Item = f64> {
    let times = (0..=LOOKS).map(|look| run.duration_s * f64::from(look) / f64::from(LOOKS));
    times.filter(|time_s| run.lines.is_always() || run.lines.line_at(*time_s).is_some())
}

/// Mostly coordinates of a map on one side and others on the other.
fn nothing_in_range(run: &PreparedRun) -> Option<String> {
    if !run.scene.sites.is_empty() {
        return None;
    }
    let boxes = run.scene.objects().iter().filter_map(|object| object.world_bounds(0.0));
    let (low, high) = boxes.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let range_m = run.sensors.iter().map(|sensor| sensor.detector.distance_max_m());
    let range_m = f64::from(range_m.fold(0.0, f32::max));
    let distance = |place: DVec3| (place - place.clamp(low, high)).length();
    let near = |time_s| distance(run.trajectory.pose_at(time_s).translation) <= range_m;
    if looks(run).any(near) {
        return None;
    }
    let at = run.trajectory.pose_at(looks(run).next()?).translation;
    Some(format!(
        "nothing is within the range of the sensors, {range_m:.0} m: the platform is at x = {:.2}, \
         y = {:.2} m, and all that stands there lies {:.0} m away, between x = {:.2}, y = {:.2} and \
         x = {:.2}, y = {:.2} m",
        at.x,
        at.y,
        distance(at),
        low.x,
        low.y,
        high.x,
        high.y
    ))
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
    let (mut hang, mut buried, mut flat) = (Vec::new(), Vec::new(), Vec::new());
    for object in run.scene.objects().iter().filter(|object| !is_ground(object.label)) {
        let Some((low, high)) = object.world_bounds(0.0) else { continue };
        let middle = (low + high) * 0.5;
        let Some(ground) = run.scene.ground_at(middle.x, middle.y) else { continue };
        if low.z - ground.height_m > FAR_M {
            hang.push((object, low.z - ground.height_m));
        }
        if high.z - low.z < FLAT_M && (high.z - ground.height_m).abs() < IN_GROUND_M {
            flat.push(object);
        } else if high.z < ground.height_m {
            buried.push((object, ground.height_m - high.z));
        }
    }
    let others = |count: usize| match count - 1 {
        0 => String::new(),
        1 => " and one other object".to_owned(),
        n => format!(" and {n} other objects"),
    };
    let sentence = |found: &[(&Object, f64)], what: &str| {
        let (first, by_m) = found.first()?;
        Some(format!("{:?}{}: {by_m:.2} m {what} the ground", first.name, others(found.len())))
    };
    let in_ground = flat.first().map(|first| {
        let name = format!("{:?}{}", first.name, others(flat.len()));
        format!("{name}: without height and in the ground, where rays may meet either; raise it by a centimetre")
    });
    let sentences = [sentence(&hang, "above"), sentence(&buried, "under"), in_ground];
    sentences.into_iter().flatten().collect()
}
