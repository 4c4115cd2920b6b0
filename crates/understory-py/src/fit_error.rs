//! Clouds of planes → the error of a sensor.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use understory::sensor::fit_error::{FitOptions, fit_error as fit};

use crate::columns::from_dict;
use crate::errors::{argument, simulator};
use crate::files::sensor;
use crate::values::from_json;
use crate::waiting::without_interpreter;

/// Fits, and gives what was found with its TOML.
#[pyfunction]
pub fn fit_error<'py>(
    py: Python<'py>,
    clouds: Vec<Bound<'py, PyDict>>,
    sensor_name: Option<&str>,
    gate_m: f64,
    points_min: usize,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    if !(gate_m.is_finite() && gate_m > 0.0) {
        return Err(argument(format!("gate_m is {gate_m}; give a number above 0")));
    }
    let sensor = sensor_name.map(sensor).transpose()?;
    let records: Vec<_> = clouds.iter().map(from_dict).collect::<PyResult<_>>()?;
    let options = FitOptions {
        gate_m,
        points_min,
        range_quantum_m: sensor.as_ref().map_or(0.0, |sensor| sensor.range_model.quantum_m),
        ..FitOptions::default()
    };
    let found = without_interpreter(py, None, |_| fit(&records, &options))?.map_err(simulator)?;
    let planes = found.planes.iter().map(|plane| {
        json!({
            "recording": plane.recording,
            "normal": plane.normal.to_array(),
            "distance_m": plane.distance_m,
            "sigma_m": plane.sigma_m,
            "points": plane.points,
        })
    });
    let biases = found.biases.iter().map(
        |bias| json!({ "channel": bias.channel, "bias_m": bias.bias_m, "error_m": bias.error_m }),
    );
    let cells = found.cells.iter().map(|cell| {
        json!({
            "range_m": cell.range_m,
            "reflectivity": cell.reflectivity,
            "sigma_m": cell.sigma_m,
            "error_m": cell.error_m,
            "points": cell.points,
        })
    });
    let report = json!({
        "planes": planes.collect::<Vec<_>>(),
        "biases": biases.collect::<Vec<_>>(),
        "sigma": cells.collect::<Vec<_>>(),
        "autocorrelation": found.autocorrelation,
        "wave": found.wave.as_ref().map(|wave| json!({
            "share": wave.share,
            "share_error": wave.share_error,
            "period_columns": wave.period_columns,
            "period_error": wave.period_error,
        })),
    });
    let fragment = found.to_toml(sensor.as_ref().map(|sensor| sensor.pattern.channels()));
    Ok((from_json(py, &report)?, fragment))
}
