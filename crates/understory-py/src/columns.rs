//! Records ↔ a dict of NumPy arrays.
//!
//! On the way out arrays take the columns' memory over, so nothing is copied. On the way in they are
//! copied: the interpreter may change an array while the libraries read. Rays alone are read where
//! they lie.

use numpy::ndarray::Dimension;
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1,
    PyReadonlyArray2, PyUntypedArrayMethods,
};
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
        Column::U8x3(values) => {
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
    Ok(match kind {
        Column::U8(_) => Column::U8(flat(array, name)?),
        Column::U16(_) => Column::U16(flat(array, name)?),
        Column::U32(_) => Column::U32(flat(array, name)?),
        Column::U64(_) => Column::U64(flat(array, name)?),
        Column::F32(_) => Column::F32(flat(array, name)?),
        Column::F64(_) => Column::F64(flat(array, name)?),
        Column::F32x3(_) => Column::F32x3(triples(array, name)?),
        Column::F64x3(_) => Column::F64x3(triples(array, name)?),
        Column::U8x3(_) => Column::U8x3(triples(array, name)?),
    })
}

/// A copy of a one-dimensional array.
fn flat<T: Element + Copy>(array: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<T>> {
    let array: PyReadonlyArray1<'_, T> = array.extract().map_err(|_| unfit::<T>(name, ""))?;
    Ok(slice(&array, name)?.to_vec())
}

/// A copy of a one-dimensional array.
pub fn values<T: Element + Copy>(array: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<T>> {
    let array: PyReadonlyArray1<'_, T> = array.extract().map_err(|_| unfit::<T>(name, ""))?;
    Ok(slice(&array, name)?.to_vec())
}

/// A copy of the rows of an N × 3 array.
pub fn triples<T: Element + Copy>(array: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<[T; 3]>> {
    Ok(triples_in_place(&rows(array, name)?, name)?.to_vec())
}

/// A two-dimensional array, to read.
pub fn rows<'py, T: Element>(
    array: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<PyReadonlyArray2<'py, T>> {
    array.extract().map_err(|_| unfit::<T>(name, ", three a row"))
}

/// The rows of an N × 3 array where they lie: for what bears that they change while it reads.
pub fn triples_in_place<'a, T: Element>(
    array: &'a PyReadonlyArray2<'_, T>,
    name: &str,
) -> PyResult<&'a [[T; 3]]> {
    if array.shape()[1] != 3 {
        return Err(argument(format!("{name} has {} numbers a row; give three", array.shape()[1])));
    }
    Ok(slice(array, name)?.as_chunks().0)
}

/// The numbers of an array that lie in memory as Rust wants them.
fn slice<'a, T: Element, D: Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
    name: &str,
) -> PyResult<&'a [T]> {
    let found = if array.data().is_aligned() { array.as_slice().ok() } else { None };
    found.ok_or_else(|| argument(format!("{name} is not contiguous and aligned; copy it first")))
}

fn unfit<T>(name: &str, more: &str) -> PyErr {
    let kind = std::any::type_name::<T>();
    argument(format!("{name} is not an array of {kind}{more}; convert it first"))
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
        Column::U8x3(_) => ("uint8", 3),
    }
}

/// Name, dtype and numbers a row of each column.
#[pyfunction]
pub fn column_kinds() -> Vec<(&'static str, &'static str, usize)> {
    let kinds = Records::column_kinds();
    kinds.iter().map(|(name, column)| (*name, kind(column).0, kind(column).1)).collect()
}

/// An array of rows of three.
pub fn rows_of_three<T: Element>(
    py: Python<'_>,
    values: Vec<[T; 3]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = values.len();
    values.into_flattened().into_pyarray(py).reshape([rows, 3])
}

/// An array of numbers.
pub fn numbers<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}
