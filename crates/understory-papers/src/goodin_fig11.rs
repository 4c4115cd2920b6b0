//! Figure 11 of Goodin et al. (2018): a step in a trail, held by a root, in 600 million triangles.
//!
//! The paper shows a photograph (a), a rendering (b) and scans by an HDL-32E (c) and a VLP-16 (d), in
//! which "the root feature can be clearly distinguished". Its mesh of 22 million faces came from 268
//! photographs and is not published; ours is the scenario `root-step`, where step and root are
//! features of a terrain. The root is 8 to 9 m ahead here, so that the lowest beam of the VLP-16 (−15°)
//! falls before it; the paper does not say where its sensors stood.

use understory_cloud::Records;
use understory_geometry::InstanceId;

use super::firing::fire;
use super::goodin::{altered, beside, ours_alone, within};
use super::statistics::median;
use super::{Ask, Cloud, Finding, Limit, Reproduced};
use understory::Error;

const TRIANGLES: f64 = 604_488_350.0;
const PLANTS: f64 = 24_564.0;
/// The edge of the step, and half the width of the trail.
const STEP_X_M: f64 = 4.0;
const TRAIL_HALF_M: f64 = 1.2;
const STEP_M: f64 = 0.4;

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let mut done = Reproduced::default();
    let scenario = altered(
        "root-step",
        &[
            ("position_m = [0.0, 0.0, 1.8]", "position_m = [-4.0, 0.0, 1.8]"),
            // Where one of its sixteen beams, 2° apart, meets the root.
            ("position_m = [0.0, 0.0, 0.3]", "position_m = [-0.7, 0.0, 0.3]"),
        ],
    )?;
    let run = scenario
        .prepare_reporting(&|what: &str, share: f64| ask.progress.step(what, 0.7 * share))?;
    let rays = &run.scene.rays;
    let triangles = rays.effective_triangles() as f64;
    let ground = |name: &str| ["terrain", "root"].contains(&name);
    let objects = run.scene.objects();
    let plant = |number: usize| {
        let place = (run.scene.object_of(InstanceId(number as u32)) as usize).checked_sub(1);
        place.and_then(|place| objects.get(place)).is_some_and(|object| !ground(&object.name))
    };
    let plants = (0..rays.instance_count()).filter(|number| plant(*number)).count() as f64;
    let near = within(0.95 * TRIANGLES, 1.05 * TRIANGLES, "the paper's, to a twentieth");
    done.findings.push(beside("triangles", TRIANGLES, triangles, near));
    let quantity = "grass and tree meshes";
    done.findings.push(beside(quantity, PLANTS, plants, within(PLANTS, PLANTS, "the paper's")));
    let root = objects.iter().find(|object| object.name == "root").map_or(0, |object| object.id);
    for (number, sensor) in run.sensors.iter().enumerate() {
        ask.progress.step(&sensor.name, 0.7 + 0.15 * number as f64);
        let pulses = 0..sensor.pattern.first_pulse_at(sensor.pattern.scan_duration_s());
        let rows = fire(&run, sensor, ask.seed, pulses);
        done.findings.extend(of_scan(&rows, &sensor.name, root));
        let title = format!("The root step by {}, one revolution", sensor.name);
        done.clouds.push(Cloud {
            name: format!("goodin-fig11-{}", sensor.name),
            title,
            records: rows,
        });
    }
    done.method =
        "Scenario root-step with the sensors 8 and 9 m before the root and 1.8 and 2.1 m \
                   high: one revolution each of an HDL-32E and a VLP-16."
            .into();
    done.remarks = vec![
        "As many plants as the paper's and about as many triangles, scanned by the same two \
         sensors; step and root stand out in both scans. The paper's triangles are mostly those of \
         its plants too: the root's mesh has 22 of 604 million."
            .into(),
        "Not reproduced: the photograph (a) and the mesh from photographs, which are not published. \
         The paper calls these scans real time without a figure; ours is in the performance page."
            .into(),
    ];
    Ok(done)
}

/// How well the step and the root are seen.
fn of_scan(rows: &Records, name: &str, root: u32) -> Vec<Finding> {
    let heights = |from_m: f64, to_m: f64| -> Vec<f64> {
        let there = |row: &usize| {
            let [x, y, _] = rows.true_xyz_m[*row];
            (from_m..to_m).contains(&x) && y.abs() < TRAIL_HALF_M && rows.label[*row] == 72
        };
        (0..rows.len()).filter(there).map(|row| rows.world_xyz_m[row][2]).collect()
    };
    let (before, behind) = (heights(STEP_X_M - 1.5, STEP_X_M - 0.3), heights(4.5, 6.5));
    let on_root = (0..rows.len()).filter(|row| rows.object[*row] == root).count();
    let seen = before.len().min(behind.len());
    let rise_m = median(behind) - median(before);
    vec![
        ours_alone(
            format!("{name}: points on the root (paper: clearly distinguished)"),
            on_root as f64,
            within(10.0, f64::INFINITY, "as many as mark a line of 3 m"),
        ),
        beside(
            format!("{name}: rise of the trail at the step, m"),
            STEP_M,
            rise_m,
            within(
                STEP_M - 0.15,
                STEP_M + 0.15,
                "medians of the ground before and behind, on a relief of 0.25 m over 30 m",
            ),
        ),
        ours_alone(format!("{name}: points behind that"), seen as f64, Limit::Informational),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_valid;

    #[test]
    fn the_root_step_is_sound() {
        let done =
            work_out(&Ask { full: false, seed: 1, progress: &understory_base::Silent }).unwrap();
        assert_valid(&done);
        assert_eq!(done.findings.len(), 2 + 2 * 3);
    }
}
