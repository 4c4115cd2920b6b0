//! Figure 2b: what reflects too little vanishes, some of it in part.
//!
//! Equation 1 with the factor that print lost: beyond 50 m a target is seen if its reflectivity is at
//! least 0.1 + (0.8 − 0.1)·(d − 50)/(120 − 50). It is measured twice. Eight walls of 10 … 80 % run
//! from 45 m to 125 m, each in a sector of its own: where a wall ceases to be seen is its reach, and
//! the reaches give the line. In the scenario `low-reflectivity` each pulse is fired with the limit
//! and without it, and those are counted that the equation does not explain.

use std::fmt::Write;
use std::path::Path;
use understory_base::math;

use understory_cloud::Records;

use super::Part;
use crate::sensor_scan::scan;
use crate::{Cloud, Finding, Limit};
use understory::Error;
use understory::pulse::echo::SensitivityModel;
use understory::scenario::Scenario;
use understory_view::figures::{Figure, Panel, Series};

const NEAR_M: f64 = 45.0;
const FAR_M: f64 = 125.0;
/// By how much a wall turns about the sensor from its near to its far end.
const TURN_DEG: f64 = 36.0;
/// Reflectivities closer to the limit than this hang on the rounding of f32.
const ROUNDING: f64 = 1e-5;

/// Equation 1: least reflectivity that is seen.
fn equation_1(distance_m: f64) -> f64 {
    if distance_m < 50.0 { 0.0 } else { 0.1 + (0.8 - 0.1) * (distance_m - 50.0) / (120.0 - 50.0) }
}

pub fn work_out(seed: u64) -> Result<Part, Error> {
    let (mut findings, figure) = walls(seed)?;
    let mut scenario = Scenario::embedded("low-reflectivity")?;
    let prepared = scenario.prepare()?;
    let limited = scan(&prepared, seed, None)?;
    for mounted in &mut scenario.sensors {
        mounted.sensor.sensitivity = SensitivityModel::Dark;
    }
    let all = scan(&scenario.prepare()?, seed, None)?;
    let reflectance = |material: u16| {
        let optics = prepared.sensors.first().and_then(|s| s.optics.get(usize::from(material)));
        optics.map_or(0.0, |optics| f64::from(optics.reflectance))
    };
    let mut contradict = 0;
    let (mut of_panel, mut of_panel_seen, mut of_panel_expected) = (0, 0, 0);
    let panel = prepared.scene.objects().iter().find(|object| object.name == "panel of 10 %#2");
    let panel = panel.map_or(0, |object| object.id);
    for (row, met) in (0..all.len().min(limited.len())).zip(&all.object) {
        if all.is_miss(row) {
            continue;
        }
        let spare = reflectance(all.material[row]) - equation_1(all.true_range_m[row].into());
        let seen = !limited.is_miss(row);
        contradict += usize::from(seen != (spare >= 0.0) && spare.abs() > ROUNDING);
        if *met == panel {
            of_panel += 1;
            of_panel_seen += usize::from(seen);
            of_panel_expected += usize::from(spare >= 0.0);
        }
    }
    let share = |part: usize| part as f64 / f64::from(of_panel.max(1) as u32);
    let expected = share(of_panel_expected);
    findings.push(Finding {
        quantity: "2b: pulses of the scenario that equation 1 does not explain".into(),
        paper: None,
        ours: contradict as f64,
        limit: Limit::Within(
            0.0,
            0.0,
            "seen and unseen follow from the distance and reflectivity of each ray alone".into(),
        ),
    });
    findings.push(Finding {
        quantity: "2b: seen share of the 10 % panel that stands across 50 m".into(),
        paper: None,
        ours: share(of_panel_seen),
        limit: Limit::Within(
            expected.max(0.1),
            expected.min(0.9),
            "the share of its rays that are shorter than 50 m; neither all nor none, as in the figure"
                .into(),
        ),
    });
    let cloud = Cloud {
        name: "blensor-fig2b-scan".into(),
        title: "Panels of 5, 10, 25 and 80 %: the dark ones vanish beyond 50 m".into(),
        records: limited,
    };
    Ok(Part { findings, figures: vec![figure], cloud })
}

/// A wall of each reflectivity 0.1, 0.2 … 0.8 in a sector of its own.
fn walls_scenario() -> Result<Scenario, Error> {
    let mut text = String::from("version = 1\nseed = 1\nduration_s = 0.1\n");
    for tenth in 1..=8 {
        let start = f64::from(45 * tenth).to_radians();
        let end = start + TURN_DEG.to_radians();
        let (from, to) = (
            [NEAR_M * math::cos(start), NEAR_M * math::sin(start)],
            [FAR_M * math::cos(end), FAR_M * math::sin(end)],
        );
        let (along, across) = (to[0] - from[0], to[1] - from[1]);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "[[world.material]]\nname = 'wall-{tenth}'\nreflectance = 0.{tenth}\n\
             [[world.object]]\nname = 'wall of {tenth}0 %'\nshape = 'box'\n\
             size_m = [{:.6}, 0.1, 20.0]\nposition_m = [{:.6}, {:.6}, -10.0]\n\
             rotation_deg = [0.0, 0.0, {:.6}]\nmaterial = 'wall-{tenth}'\n",
            math::hypot(along, across),
            0.5 * (from[0] + to[0]),
            0.5 * (from[1] + to[1]),
            math::atan2(across, along).to_degrees()
        );
    }
    text += "[[sensor]]\nname = 'hdl-64e'\npreset = 'hdl-64e-blensor'\n\
             [sensor.override.detector]\nrange_max_m = 140.0\n";
    Scenario::from_toml(&text, "walls of figure 2b", Path::new(""))
}

/// Farthest range at which a wall is seen and nearest at which it is not.
fn bracket(limited: &Records, all: &Records, object: u32) -> [f64; 2] {
    let (mut seen_m, mut unseen_m) = (0.0f64, f64::INFINITY);
    for row in (0..all.len().min(limited.len())).filter(|&row| all.object[row] == object) {
        let range_m = f64::from(all.true_range_m[row]);
        if limited.is_miss(row) {
            unseen_m = unseen_m.min(range_m)
        } else {
            seen_m = seen_m.max(range_m)
        }
    }
    [seen_m, unseen_m]
}

fn walls(seed: u64) -> Result<(Vec<Finding>, Figure), Error> {
    let mut scenario = walls_scenario()?;
    let prepared = scenario.prepare()?;
    let limited = scan(&prepared, seed, None)?;
    for mounted in &mut scenario.sensors {
        mounted.sensor.sensitivity = SensitivityModel::Dark;
    }
    let all = scan(&scenario.prepare()?, seed, None)?;
    // Reflectivity, reach, and how far the reach may lie from it at most.
    let mut reaches: Vec<[f64; 3]> = Vec::new();
    for (tenth, object) in (1..=8).zip(prepared.scene.objects()) {
        let [seen_m, unseen_m] = bracket(&limited, &all, object.id);
        reaches.push([
            0.1 * f64::from(tenth),
            0.5 * (seen_m + unseen_m),
            0.5 * (unseen_m - seen_m),
        ]);
    }
    let (slope, slope_error) = slope(&reaches);
    let mut findings = Vec::new();
    for (place, paper) in [(0, 50.0), (7, 120.0)] {
        let [reflectivity, ours, half] = reaches.get(place).copied().unwrap_or([f64::NAN; 3]);
        findings.push(Finding {
            quantity: format!("2b: reach at {:.0} % reflectivity [m]", 100.0 * reflectivity),
            paper: Some(paper),
            ours,
            limit: Limit::Within(
                paper - half,
                paper + half,
                "between the farthest ray that is seen and the nearest that is not".into(),
            ),
        });
    }
    findings.push(Finding {
        quantity: "2b: rise of the least reflectivity from 10 % to 80 % [1/m]".into(),
        paper: None,
        ours: slope,
        limit: Limit::Within(
            0.01 - slope_error,
            0.01 + slope_error,
            "a line through eight reaches, each wrong by half the gap between its rays at most"
                .into(),
        ),
    });
    let line = (40..=125).map(|d| [f64::from(d), 100.0 * equation_1(f64::from(d))]).collect();
    let figure = Figure {
        name: "blensor-fig2b".into(),
        title: "Least reflectivity that is seen".into(),
        x_label: "distance [m]".into(),
        y_label: "reflectivity [%]".into(),
        panels: vec![Panel {
            title: String::new(),
            series: vec![
                Series::line("equation 1", line),
                Series::dots(
                    "reach of walls",
                    reaches.iter().map(|[r, reach_m, _]| [*reach_m, 100.0 * r]).collect(),
                ),
            ],
        }],
        ..Figure::default()
    };
    Ok((findings, figure))
}

/// Slope of reflectivity over reach, and by how much it errs at most.
fn slope(reaches: &[[f64; 3]]) -> (f64, f64) {
    let n = reaches.len() as f64;
    let middle = reaches.iter().map(|[_, reach_m, _]| reach_m).sum::<f64>() / n;
    let square: f64 = reaches.iter().map(|[_, reach_m, _]| (reach_m - middle).powi(2)).sum();
    let cross: f64 = reaches.iter().map(|[r, reach_m, _]| r * (reach_m - middle)).sum();
    let slope = cross / square;
    let worst: f64 = reaches.iter().map(|[_, m, half]| (m - middle).abs() * half).sum();
    // To first order; the second is a thousandth of it.
    (slope, 1.01 * slope * worst / square)
}
