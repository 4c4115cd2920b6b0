//! Records ↔ a dict of NumPy arrays.
//!
//! On the way out arrays take the columns' memory over, so nothing is copied. On the way in they are
//! copied: the interpreter may change an array while the libraries read.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use understory_cloud::{Column, Records};

use crate::errors::{argument, cloud};

/// All columns by their names.
pub fn to_dict(py: Python<'_>, records: Records) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, column) in records.into_columns() {
        dict.set_item(name, to_array(py, column)?)?;
    }
    Ok(dict)
}

fn to_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    let rows = column.len();
    Ok(match column {
        Column::U8(values) => values.into_pyarray(py).into_any(),
        Column::U16(values) => values.into_pyarray(py).into_any(),
        Column::U32(values) => values.into_pyarray(py).into_any(),
        Column::U64(values) => values.into_pyarray(py).into_any(),
        Column::F32(values) => values.into_pyarray(py).into_any(),
        Column::F64(values) => values.into_pyarray(py).into_any(),
        Column::F32x3(values) => {
            values.into_flattened().into_pyarray(py).reshape([rows, 3])?.into_any()
        }
        Column::F64x3(values) => {
            values.into_flattened().into_pyarray(py).reshape([rows, 3])?.into_any()
        }
    })
}

/// Records from arrays by their names; columns that are not there are as those of a miss.
pub fn from_dict(columns: &Bound<'_, PyDict>) -> PyResult<Records> {
    let mut found: Vec<(&str, Column)> = Vec::with_capacity(columns.len());
    for (name, kind) in Records::column_kinds() {
        if let Some(array) = columns.get_item(name)? {
            found.push((name, from_array(name, &kind, &array)?));
        }
    }
    if found.len() < columns.len() {
        let known = |name: &str| found.iter().any(|(found, _)| *found == name);
        for name in columns.keys() {
            let name = name.extract::<String>().unwrap_or_default();
            if !known(&name) {
                return Err(argument(format!(
                    "a cloud has no column {name:?}; take one that understory.COLUMNS names"
                )));
            }
        }
    }
    Records::from_columns(found).map_err(cloud)
}

fn from_array(name: &str, kind: &Column, array: &Bound<'_, PyAny>) -> PyResult<Column> {
    let wrong = |_: PyErr| {
        argument(format!("column {name:?} is not an array of {}; convert it first", describe(kind)))
    };
    macro_rules! flat {
        ($kind:ident) => {
            Column::$kind(
                array
                    .extract::<PyReadonlyArray1<'_, _>>()
                    .map_err(|e| wrong(e.into()))?
                    .to_vec()
                    .map_err(|e| wrong(e.into()))?,
            )
        };
    }
    macro_rules! triples {
        ($kind:ident) => {{
            let array = array.extract::<PyReadonlyArray2<'_, _>>().map_err(|e| wrong(e.into()))?;
            let array = array.as_array();
            if array.ncols() != 3 {
                return Err(argument(format!(
                    "column {name:?} has {} numbers a row; give three",
                    array.ncols()
                )));
            }
            Column::$kind(array.outer_iter().map(|row| [row[0], row[1], row[2]]).collect())
        }};
    }
    Ok(match kind {
        Column::U8(_) => flat!(U8),
        Column::U16(_) => flat!(U16),
        Column::U32(_) => flat!(U32),
        Column::U64(_) => flat!(U64),
        Column::F32(_) => flat!(F32),
        Column::F64(_) => flat!(F64),
        Column::F32x3(_) => triples!(F32x3),
        Column::F64x3(_) => triples!(F64x3),
    })
}

/// NumPy's name of the numbers of a column, and how many a row has.
fn kind(column: &Column) -> (&'static str, usize) {
    match column {
        Column::U8(_) => ("uint8", 1),
        Column::U16(_) => ("uint16", 1),
        Column::U32(_) => ("uint32", 1),
        Column::U64(_) => ("uint64", 1),
        Column::F32(_) => ("float32", 1),
        Column::F64(_) => ("float64", 1),
        Column::F32x3(_) => ("float32", 3),
        Column::F64x3(_) => ("float64", 3),
    }
}

fn describe(column: &Column) -> String {
    match kind(column) {
        (name, 1) => format!("{name} with one number a row"),
        (name, width) => format!("{name} with {width} numbers a row"),
    }
}

/// Name, dtype and numbers a row of each column.
#[pyfunction]
pub fn column_kinds() -> Vec<(&'static str, &'static str, usize)> {
    let kinds = Records::column_kinds();
    kinds.iter().map(|(name, column)| (*name, kind(column).0, kind(column).1)).collect()
}

/// Three numbers of each row.
pub fn triples<T: numpy::Element + Copy>(
    array: &PyReadonlyArray2<'_, T>,
    name: &str,
) -> PyResult<Vec<[T; 3]>> {
    let array = array.as_array();
    if array.ncols() != 3 {
        return Err(argument(format!("{name} has {} numbers a row; give three", array.ncols())));
    }
    Ok(array.outer_iter().map(|row| [row[0], row[1], row[2]]).collect())
}

/// An array of rows of three.
pub fn rows_of_three<T: numpy::Element>(
    py: Python<'_>,
    values: Vec<[T; 3]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = values.len();
    values.into_flattened().into_pyarray(py).reshape([rows, 3])
}

/// An array of numbers.
pub fn numbers<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}
