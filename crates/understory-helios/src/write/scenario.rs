//! The text of a scenario.

use std::fmt::Write;

use super::{list, number, quoted, vector};
use crate::runs::{Motion, Run};

/// What a scenario consists of.
pub struct Parts<'a> {
    /// Name of the survey.
    pub survey: &'a str,
    /// The scenario's own name, of its outputs.
    pub name: &'a str,
    /// Where it was taken over from.
    pub source: &'a str,
    /// Key of its random numbers.
    pub seed: u64,
    /// Tables of the world.
    pub world: &'a str,
    /// What the platform does.
    pub run: &'a Run,
    /// Name, file, position and rotation of each sensor.
    pub sensors: &'a [(String, String, [f64; 3], [f64; 3])],
    /// The file of its trajectory, and whether it has rotations.
    pub trajectory: Option<(&'a str, bool)>,
}

/// The scenario as TOML.
pub fn text(parts: &Parts<'_>) -> String {
    let run = parts.run;
    let legs: Vec<String> = run.legs.iter().map(usize::to_string).collect();
    let legs = match legs.as_slice() {
        [one] => format!("leg {one}"),
        [first, .., last] if run.legs.len() > 12 => {
            format!("{} legs from {first} to {last}", run.legs.len())
        }
        several => format!("legs {}", several.join(", ")),
    };
    let mut text = format!(
        "# The survey {} of HELIOS++ ({}), {legs}.\n\nversion = 1\nseed = {}\nduration_s = {}\ntitle = {}\n\n[world]\n{}",
        parts.survey.replace(char::is_control, " "),
        parts.source.replace(char::is_control, " "),
        parts.seed,
        number(run.duration_s),
        quoted(&format!("{} (HELIOS++)", parts.survey)),
        parts.world
    );
    // Writing to a string does not fail.
    for (name, file, position_m, rotation_deg) in parts.sensors {
        let _ = write!(
            text,
            "\n[[sensor]]\nname = {}\nfile = {}\nposition_m = {}\n",
            quoted(name),
            quoted(file),
            list(position_m)
        );
        if *rotation_deg != [0.0; 3] {
            let _ = writeln!(text, "rotation_deg = {}", list(rotation_deg));
        }
    }
    text.push_str("\n[platform]\n");
    if run.on_ground {
        text.push_str("on_ground = true\nfootprint_m = [0.0, 0.0] # it stays upright\n");
    }
    match &run.motion {
        Motion::Trajectory { start_s, .. } => {
            if let Some((file, has_rotations)) = parts.trajectory {
                let _ =
                    writeln!(text, "file = {}\nstart_at_s = {}", quoted(file), number(*start_s));
                if !has_rotations {
                    text.push_str("heading = \"along-path\"\n");
                }
            }
        }
        Motion::Waypoints(points) => match points.as_slice() {
            [from, to] if from.position == to.position => {
                let turned = yaw(from.yaw_deg);
                let _ = writeln!(
                    text,
                    "position_m = {}\nrotation_deg = {turned}",
                    vector(from.position)
                );
            }
            points => {
                text.push_str("waypoints = [\n");
                for (place, point) in points.iter().enumerate() {
                    let turned = yaw(point.yaw_deg);
                    let idle = if point.active || place == 0 { "" } else { ", active = false" };
                    let _ = writeln!(
                        text,
                        "    {{ time_s = {}, position_m = {}, rotation_deg = {turned}{idle} }},",
                        number(point.time_s),
                        vector(point.position)
                    );
                }
                text.push_str("]\n");
            }
        },
    }
    let _ = write!(
        text,
        "\n[output]\nfiles = [{}]\npicture = true\n",
        quoted(&format!("{}.laz", parts.name))
    );
    text
}

fn yaw(angle_deg: f64) -> String {
    list(&[0.0, 0.0, angle_deg])
}
