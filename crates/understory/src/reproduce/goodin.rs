//! What the reproductions of Goodin et al. (2018, "P2") have in common.

use std::path::Path;

use rayon::prelude::*;
use understory_cloud::Records;

use super::{Finding, Limit};
use crate::Error;
use crate::run::JOB_PULSES;
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
    pulses: std::ops::Range<u64>,
) -> Records {
    let starts: Vec<u64> = pulses.clone().step_by(JOB_PULSES as usize).collect();
    let job = |batch: &mut Batch, first: u64| {
        let mut rows = Records::default();
        let until = (first + JOB_PULSES).min(pulses.end);
        simulate_batch(run, sensor, seed, first..until, batch, &mut rows);
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
