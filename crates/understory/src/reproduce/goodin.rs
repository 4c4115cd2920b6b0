//! What the reproductions of Goodin et al. (2018, "P2") have in common.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use understory_cloud::{CountingSink, Records};

use super::{Finding, Limit};
use crate::Error;
use crate::figures::{Figure, Panel};
use crate::progress::Silent;
use crate::run::{JOB_PULSES, RunOptions, RunSummary, run};
use crate::scenario::{Scenario, scenarios};
use crate::simulate::{Batch, PreparedRun, SensorRun, simulate_batch};

/// An embedded scenario with some of its words replaced; each of them must be there.
pub(super) fn altered(name: &str, changes: &[(&str, &str)]) -> Result<Scenario, Error> {
    let place = format!("scenarios/{name}.toml");
    let found = scenarios().iter().find(|(known, _)| *known == name);
    let mut text = found.map_or_else(String::new, |(_, text)| (*text).to_owned());
    for (from, to) in changes {
        if !text.contains(from) {
            let problem = format!("{from:?} is not in it, which was to become {to:?}");
            return Err(Error::invalid(place, problem, "change the reproduction with it"));
        }
        text = text.replace(from, to);
    }
    Scenario::from_toml(&text, &place, Path::new(""))
}

/// All rows of a range of pulses, in firing order, on all processors.
pub(super) fn fire(
    run: &PreparedRun,
    sensor: &SensorRun,
    seed: u64,
    pulses: Range<u64>,
) -> Records {
    fire_where(run, sensor, seed, pulses, &|_| true)
}

/// Rows of those jobs of which a pulse looks where it is `wanted`, by its azimuth in degrees in the
/// sensor's frame.
pub(super) fn fire_where(
    run: &PreparedRun,
    sensor: &SensorRun,
    seed: u64,
    pulses: Range<u64>,
    wanted: &(dyn Fn(f64) -> bool + Sync),
) -> Records {
    let starts: Vec<u64> = pulses.clone().step_by(JOB_PULSES as usize).collect();
    let job = |batch: &mut Batch, first: u64| {
        let mut rows = Records::default();
        let here = first..(first + JOB_PULSES).min(pulses.end);
        sensor.pattern.fill(here.clone(), &mut batch.pulses);
        let mut directions = batch.pulses.direction.iter();
        if directions.any(|ahead| wanted(ahead.y.atan2(ahead.x).to_degrees())) {
            simulate_batch(run, sensor, seed, here, batch, &mut rows);
        }
        rows
    };
    let parts: Vec<Records> =
        starts.into_par_iter().map_init(Batch::default, |batch, first| job(batch, first)).collect();
    let mut all = Records::default();
    parts.iter().for_each(|part| all.append(part));
    all
}

/// A finding of something that the paper does not state.
pub(super) fn ours_alone(quantity: impl Into<String>, ours: f64, limit: Limit) -> Finding {
    Finding { quantity: quantity.into(), paper: None, ours, limit }
}

/// A finding beside the paper's value.
pub(super) fn beside(quantity: impl Into<String>, paper: f64, ours: f64, limit: Limit) -> Finding {
    Finding { quantity: quantity.into(), paper: Some(paper), ours, limit }
}

/// Ours must lie between two numbers.
pub(super) fn within(low: f64, high: f64, why: impl Into<String>) -> Limit {
    Limit::Within(low, high, why.into())
}

/// Ours must lie between two numbers, which are not the paper's.
pub(super) fn differs(low: f64, high: f64, why: impl Into<String>) -> Limit {
    Limit::Differs(low, high, why.into())
}

/// A figure; labels are those of the two axes.
pub(super) fn figure(name: &str, title: &str, labels: [&str; 2], panels: Vec<Panel>) -> Figure {
    let [x_label, y_label] = labels.map(str::to_owned);
    let (name, title) = (name.to_owned(), title.to_owned());
    let mut figure = Figure { name, title, x_label, y_label, ..Figure::default() };
    figure.panels = panels;
    figure
}

/// The courtyard's grass alone, on a square of this side.
pub(super) fn grass_field(side_m: f64) -> Result<Scenario, Error> {
    let place = "scenarios/courtyard.toml";
    let found = scenarios().iter().find(|(known, _)| *known == "courtyard");
    let text = found.map_or("", |(_, text)| text);
    let cut = |from: &str, to: &str| text.find(from).zip(text.find(to));
    let (Some((wall, grass)), Some((tree, sensor))) = (
        cut("[[world.object]]", "# 22 500 tiles"),
        cut("[[world.plant]]\nname = \"tree\"", "[[sensor]]"),
    ) else {
        let problem = "its walls, grass, trees and sensor do not follow each other any more";
        return Err(Error::invalid(place, problem, "change the reproduction with it"));
    };
    let text = [&text[..wall], &text[grass..tree], &text[sensor..]].concat();
    let side = format!("[{side_m:.1}, {side_m:.1}]");
    Scenario::from_toml(&text.replace("[300.0, 300.0]", &side), place, Path::new(""))
}

/// Runs `prepared` with one sensor, from 0 to `seconds`, into nothing.
pub(super) fn race(
    prepared: &mut PreparedRun,
    sensor: &mut Vec<SensorRun>,
    seconds: f64,
    threads: usize,
) -> Result<RunSummary, Error> {
    std::mem::swap(&mut prepared.sensors, sensor);
    prepared.duration_s = seconds;
    let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
    let outcome = run(prepared, &options, Box::<CountingSink>::default(), &Silent);
    std::mem::swap(&mut prepared.sensors, sensor);
    Ok(outcome?.0)
}
