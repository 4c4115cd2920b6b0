//! What the reproductions of Goodin et al. (2018, "P2") have in common.

use std::path::Path;

use understory_cloud::CountingSink;

use super::{Finding, Limit};
use understory::Error;
use understory::pulse::PreparedRun;
use understory::run::{RunOptions, RunSummary, run};
use understory::scenario::{Scenario, scenarios};
use understory_base::Silent;

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

/// Runs `prepared` from 0 to `seconds` into nothing.
pub(super) fn race(
    prepared: &PreparedRun,
    seconds: f64,
    threads: usize,
) -> Result<RunSummary, Error> {
    let prepared = PreparedRun { duration_s: seconds, ..prepared.clone() };
    let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
    Ok(run(&prepared, &options, Box::<CountingSink>::default(), &Silent)?.0)
}
