//! Plain Python values → TOML, and JSON → Python values.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::Value as Json;
use toml::Value as Toml;

use crate::errors::argument;

/// Tables deeper than this are in each other, or by mistake.
const DEPTH_MAX: usize = 32;
/// More values than this are a mistake as well: a list that holds another twice, thirty deep.
const VALUES_MAX: usize = 10_000_000;

/// A dict as a TOML table; `None` leaves a key out.
pub fn to_table(dict: &Bound<'_, PyDict>) -> PyResult<toml::Table> {
    table(dict, "", 0, &mut 0)
}

fn table(
    dict: &Bound<'_, PyDict>,
    path: &str,
    depth: usize,
    values: &mut usize,
) -> PyResult<toml::Table> {
    let mut table = toml::Table::new();
    for (key, value) in dict {
        let Ok(key) = key.extract::<String>() else {
            return Err(argument(format!(
                "{}: the key {key} is no text; give a name",
                shown(path)
            )));
        };
        if value.is_none() {
            continue;
        }
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        table.insert(key, to_toml(&value, &path, depth + 1, values)?);
    }
    Ok(table)
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "the scenario" } else { path }
}

fn to_toml(
    value: &Bound<'_, PyAny>,
    path: &str,
    depth: usize,
    values: &mut usize,
) -> PyResult<Toml> {
    *values += 1;
    if *values > VALUES_MAX {
        return Err(argument(format!(
            "there are more than {VALUES_MAX} values; give large arrays as meshes or files"
        )));
    }
    if depth > DEPTH_MAX {
        return Err(argument(format!(
            "{}: tables lie {DEPTH_MAX} deep in each other; does one hold itself?",
            path.chars().take(80).collect::<String>()
        )));
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Toml::Boolean(truth.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract::<i64>();
        return number.map(Toml::Integer).map_err(|_| {
            argument(format!("{path} is {value}, which is too large; give a number below 2^63"))
        });
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Toml::Float(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Toml::String(text.to_string_lossy().into_owned()));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return table(dict, path, depth, values).map(Toml::Table);
    }
    let sequence = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    if sequence {
        let mut items = Vec::new();
        for (index, item) in value.try_iter()?.enumerate() {
            items.push(to_toml(&item?, &format!("{path}[{index}]"), depth + 1, values)?);
        }
        return Ok(Toml::Array(items));
    }
    // Arrays and numbers of NumPy turn themselves into lists and numbers, paths into texts.
    if let Ok(plain) = value.call_method0("tolist") {
        return to_toml(&plain, path, depth + 1, values);
    }
    if let Ok(text) = value.call_method0("__fspath__") {
        return to_toml(&text, path, depth + 1, values);
    }
    let kind = value.get_type();
    Err(argument(format!(
        "{path} is of the type {}; give text, numbers, lists or dicts",
        kind.name().map_or_else(|_| "unknown".to_owned(), |name| name.to_string())
    )))
}

/// Lays `upper` over `base`: tables key by key, anything else instead of what was there.
pub fn merge(base: &mut toml::Table, upper: toml::Table) {
    for (key, value) in upper {
        match (base.get_mut(&key), value) {
            (Some(Toml::Table(lower)), Toml::Table(upper)) => merge(lower, upper),
            (_, value) => drop(base.insert(key, value)),
        }
    }
}

/// A JSON value as plain Python.
pub fn from_json<'py>(py: Python<'py>, value: &Json) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Json::Null => py.None().into_bound(py),
        Json::Bool(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            _ => PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any(),
        },
        Json::String(text) => PyString::new(py, text).into_any(),
        Json::Array(items) => {
            let items: Vec<_> = items.iter().map(|i| from_json(py, i)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any()
        }
        Json::Object(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(key, from_json(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
