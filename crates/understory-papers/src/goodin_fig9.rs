//! Figure 9 of Goodin et al. (2018): the courtyard and a scan of it by an HDL-64E.
//!
//! The paper states what the scene holds (§3.5.1) and how the sensor is read out (equations 6 and 7,
//! table 4). Ours is the scenario `courtyard`; everything is counted in the scene that rays meet and
//! in the rows of the scan. What a standing vehicle sees in one revolution is mapped here by equation
//! 8; figure 10, the cost maps of four sensors after ten seconds of driving, is `goodin_fig10`.

use understory_base::math;
use understory_cloud::Records;
use understory_geometry::InstanceId;

use super::firing::fire;
use super::goodin::{beside, differs, ours_alone, within};
use super::goodin_cost_map::{CostMap, printed_cost};
use super::{Ask, Cloud, Finding, Limit, Reproduced};
use understory::Error;
use understory::pulse::{PreparedRun, SensorRun};
use understory::scenario::Scenario;
use understory::sensor::Sensor;
use understory::world::trajectory::Pose;
use understory_view::figures::{Figure, Panel, Series};

const TRIANGLES: f64 = 191_245_324.0;
/// Blades of one tile of the scenario: 22.25 per m² on 4 m².
const BLADES_PER_TILE: f64 = 89.0;
/// Figure 10, (a) to (d).
const SENSORS: [(&str, &str); 4] = [
    ("lms-291", "LMS-291"),
    ("vlp-16", "VLP-16"),
    ("hdl-32e", "HDL-32E"),
    ("hdl-64e-goodin", "HDL-64E"),
];
const LMS: usize = 0;
const VLP: usize = 1;
const HDL: usize = 3;

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let mut done = Reproduced::default();
    let scenario = Scenario::embedded("courtyard")?;
    let run = scenario
        .prepare_reporting(&|what: &str, share: f64| ask.progress.step(what, 0.6 * share))?;
    done.findings.extend(of_scene(&run));
    let mount = run.sensors.first().map_or(Pose::IDENTITY, |sensor| sensor.platform_from_sensor);
    let mut scans = Vec::new();
    for (number, (preset, name)) in SENSORS.into_iter().enumerate() {
        ask.progress.step(name, 0.6 + 0.1 * number as f64);
        let sensor = SensorRun::new(0, &Sensor::preset(preset)?, mount, &run.scene);
        let pulses = 0..sensor.pattern.first_pulse_at(sensor.pattern.scan_duration_s());
        scans.push(fire(&run, &sensor, ask.seed, pulses));
    }
    if let Some(scan) = scans.get(HDL) {
        done.findings.extend(of_readout(scan));
    }
    done.findings.extend(of_costs(&run, &scans));
    let panels = scans.iter().zip(SENSORS).map(|(scan, (_, name))| panel(scan, name)).collect();
    done.figures.push(Figure {
        equal_axes: true,
        ..Figure::new(
            "goodin-fig10-standing",
            "Cost maps of one revolution from the middle of the courtyard",
            ["east, m", "north, m"],
            panels,
        )
    });
    if let Some(records) = scans.pop() {
        let title = "The courtyard by an HDL-64E, one revolution".into();
        done.clouds.push(Cloud { name: "goodin-fig9b".into(), title, records });
    }
    done.method = "Scenario courtyard, 300 × 300 m: the scene as rays meet it, one revolution of \
                   an HDL-64E at 10 Hz and 2 m height as in table 4, and one each of the other \
                   sensors of figure 10. Cost maps have 400 × 400 cells of 0.5 m."
        .into();
    done.remarks = vec![
        "Size, blades, trees and triangles of the scene are the paper's. Its section 3.3 speaks of \
         over 193 million triangles, section 3.5.1 and figure 3 of 191 245 324."
            .into(),
        "Equations 6 and 7 divide a full circle by one column too few (a fence-post error; 360/N \
         would be 0.4608° and 0.1152°); the preset keeps them as printed, the difference is 0.13 %. \
         The vertical step of table 4 contradicts its own limits."
            .into(),
        "Equation 8 must have min for max, or no cell could be black. As in figure 10, the LMS-291 \
         sees trees and no grass, and the VLP-16 sees trees much higher up than the HDL-64E, whose \
         highest beam rises by 2°. Maps after ten seconds of driving, and the paths that A* finds on \
         them, are in goodin-fig10."
            .into(),
    ];
    Ok(done)
}

/// What the scene holds.
fn of_scene(run: &PreparedRun) -> Vec<Finding> {
    let rays = &run.scene.rays;
    let id_of = |name: &str| run.scene.objects().iter().find(|object| object.name == name);
    let grass = id_of("grass").map_or(0, |object| object.id);
    let instances = (0..rays.instance_count()).map(|number| InstanceId(number as u32));
    let tiles = instances.filter(|instance| run.scene.object_of(*instance) == grass).count();
    let trees = run.scene.objects().iter().filter(|object| object.name.starts_with("tree")).count();
    let triangles = rays.effective_triangles() as f64;
    let stated = "the paper's, to a hundredth";
    vec![
        beside(
            "triangles",
            TRIANGLES,
            triangles,
            within(0.99 * TRIANGLES, 1.01 * TRIANGLES, stated),
        ),
        beside(
            "blades of grass (paper: nearly 2 million)",
            2e6,
            tiles as f64 * BLADES_PER_TILE,
            within(1.9e6, 2.1e6, "the paper's, to a twentieth"),
        ),
        beside("trees", 50.0, trees as f64, within(50.0, 50.0, "the paper's")),
    ]
}

/// How the HDL-64E is read out.
fn of_readout(rows: &Records) -> Vec<Finding> {
    let step_deg = |channel: u16| {
        let of = (0..rows.len()).filter(|row| rows.channel[*row] == channel);
        let mut azimuths: Vec<f64> = of.map(|row| f64::from(rows.azimuth_deg[row])).collect();
        azimuths.sort_by(f64::total_cmp);
        azimuths.dedup();
        azimuths.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
    };
    // Upper block first; lowest and highest of the first 32 channels.
    let elevation = |channel: u16| {
        let row = (0..rows.len()).find(|row| rows.channel[*row] == channel);
        row.map_or(f64::NAN, |row| f64::from(rows.elevation_deg[row]))
    };
    let step = (elevation(31) - elevation(0)) / 31.0;
    let by = |block: f64| 360.0 / (250_000.0 / (block * 10.0) - 1.0);
    // Azimuths are reported in f32, whose grain at 180° is 1.5e-5°.
    let azimuth = |quantity: &str, block: f64, channel: u16| {
        let step = step_deg(channel);
        ours_alone(quantity, step, within(by(block) - 5e-5, by(block) + 5e-5, "the equation"))
    };
    let pulses = (rows.pulse.iter().max().map_or(0, |last| last + 1)) as f64;
    vec![
        azimuth("horizontal step of the upper block at 10 Hz, ° (equation 7)", 8.0, 5),
        azimuth("horizontal step of the lower block at 10 Hz, ° (equation 6)", 32.0, 40),
        beside(
            "points per second",
            1e6,
            10.0 * pulses,
            within(0.999e6, 1.001e6, "the paper says about 10⁶"),
        ),
        beside(
            "vertical step, °",
            0.41875,
            step,
            differs(
                0.42539,
                0.42541,
                "32 beams from −11.1873° to 2° are 13.1873°/31 apart; 0.41875 is 26.8/64",
            ),
        ),
    ]
}

/// What figure 10 is said to show.
fn of_costs(run: &PreparedRun, scans: &[Records]) -> Vec<Finding> {
    let name_of = |rows: &Records, row: usize| {
        let place = (rows.object[row] as usize).checked_sub(1);
        place.and_then(|place| run.scene.objects().get(place)).map_or("", |object| &object.name)
    };
    let returns = |rows: &Records| -> Vec<usize> {
        (0..rows.len()).filter(|row| !rows.is_miss(*row)).collect()
    };
    let grass = |rows: &Records| {
        let all = returns(rows);
        let grass = all.iter().filter(|row| name_of(rows, **row) == "grass").count();
        grass as f64 / all.len().max(1) as f64
    };
    let highest = |rows: &Records| {
        let far = |row: &usize| (15.0..60.0).contains(&rows.range_m[*row]);
        let heights = returns(rows).into_iter().filter(far).map(|row| rows.world_xyz_m[row][2]);
        heights.fold(0.0, f64::max)
    };
    let [Some(lms), Some(vlp), Some(hdl)] = [LMS, VLP, HDL].map(|number| scans.get(number)) else {
        return Vec::new();
    };
    let least = |of: fn(f64) -> f64| {
        let heights = returns(hdl).into_iter().map(|row| hdl.world_xyz_m[row][2]);
        heights.map(of).fold(f64::INFINITY, f64::min)
    };
    let near = |rows: &Records| {
        let map = CostMap::of(rows);
        let low = |(at, cost): &([f64; 2], f64)| math::hypot(at[0], at[1]) < 15.0 && *cost > 0.0;
        map.seen().filter(low).count() as f64
    };
    vec![
        beside(
            "least cost of a point, equation 8 as printed (figure 10 has black cells, of cost 0)",
            0.0,
            least(printed_cost),
            differs(100.0, 100.0, "max(100h/h_max, 100) is never below 100: it must be min"),
        ),
        beside(
            "least cost of a point, equation 8 with min",
            0.0,
            least(super::goodin_cost_map::cost),
            within(0.0, 1.0, "points on the ground cost nothing"),
        ),
        beside(
            "LMS-291: share of returns that are grass (paper: most is not detected)",
            0.0,
            grass(lms),
            within(0.0, 0.01, "a level scan at 2 m passes above blades of 0.7 m"),
        ),
        ours_alone("HDL-64E: share of returns that are grass", grass(hdl), Limit::Informational),
        ours_alone(
            "highest return 15 to 60 m away, VLP-16 over HDL-64E (paper: more tall obstacles)",
            highest(vlp) / highest(hdl).max(1e-9),
            within(1.2, f64::INFINITY, "beams that rise by 15° and by 2°"),
        ),
        ours_alone(
            "cells with a cost within 15 m, HDL-64E over VLP-16 (paper: better nearby)",
            near(hdl) / near(vlp).max(1.0),
            within(1.0, f64::INFINITY, "64 beams and 16 look at the same grass"),
        ),
    ]
}

fn panel(scan: &Records, name: &str) -> Panel {
    let map = CostMap::of(scan);
    let with = |wanted: fn(f64) -> bool| -> Vec<[f64; 2]> {
        map.seen().filter(|(_, cost)| wanted(*cost)).map(|(at, _)| at).collect()
    };
    let series = vec![
        Series::dots("below 10", with(|cost| cost < 10.0)),
        Series::dots("10 to below 100", with(|cost| (10.0..100.0).contains(&cost))),
        Series::dots("100", with(|cost| cost >= 100.0)),
    ];
    Panel { title: name.into(), series }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_valid;

    #[test]
    fn the_courtyard_is_sound() {
        let done =
            work_out(&Ask { full: false, seed: 1, progress: &understory_base::Silent }).unwrap();
        assert_valid(&done);
        assert_eq!(done.findings.len(), 3 + 4 + 6);
    }
}
