//! Table I of Deschaud 2012, target by target.

use pyo3::prelude::*;
use serde_json::json;
use understory_papers::deschaud_table1::{REVOLUTIONS, rows_of};
use understory_papers::standing_target::TARGETS;

use crate::errors::{argument, simulator};
use crate::values::from_json;
use crate::waiting::without_interpreter_or_alone;

/// The targets of the table.
#[pyfunction]
pub fn deschaud_targets() -> Vec<&'static str> {
    TARGETS.iter().map(|(name, ..)| *name).collect()
}

/// The rows of one target.
#[pyfunction]
pub fn deschaud_table1<'py>(
    py: Python<'py>,
    target: &str,
    revolutions: Option<u32>,
    seed: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(number) = TARGETS.iter().position(|(name, ..)| *name == target) else {
        let names = deschaud_targets().join(", ");
        return Err(argument(format!("{target:?} is no target of the table; choose from {names}")));
    };
    let revolutions = revolutions.unwrap_or(REVOLUTIONS[0]);
    if !(10..=1_000_000).contains(&revolutions) {
        return Err(argument(format!("revolutions is {revolutions}; give 10 to 1000000")));
    }
    let rows = without_interpreter_or_alone(py, progress, move |watch| {
        rows_of(number, revolutions, seed, &|what| watch.step(what, 0.0))
    })?;
    let rows: Vec<_> = rows
        .map_err(simulator)?
        .iter()
        .map(|row| {
            json!({
                "target": row.target,
                "pose": row.pose,
                "model": row.model,
                "paper": row.paper,
                "distance": row.distance,
                "floor": row.floor,
                "excess": row.excess(),
                "orientations": row.orientations,
            })
        })
        .collect();
    from_json(py, &json!(rows))
}
