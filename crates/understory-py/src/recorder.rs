//! Files that several steps of a closed loop are written into.

use pyo3::prelude::*;
use understory_cloud::{RecordSink, Tee};

use crate::errors::{argument, cloud};
use crate::waiting::without_interpreter;

/// Open files.
#[pyclass(frozen, module = "understory._native")]
pub struct Recorder {
    tee: Tee,
}

impl Recorder {
    pub fn new(sink: Box<dyn RecordSink>) -> Recorder {
        Recorder { tee: Tee::new(sink) }
    }

    /// A sink for one step.
    pub fn step(&self) -> PyResult<Box<dyn RecordSink>> {
        match self.tee.is_open() {
            true => Ok(Box::new(self.tee.clone())),
            false => Err(argument("the recorder is closed; make a new one")),
        }
    }
}

#[pymethods]
impl Recorder {
    /// Completes the files: their paths, and what they could not keep.
    fn close(&self, py: Python<'_>) -> PyResult<(Vec<std::path::PathBuf>, Vec<String>)> {
        let report = without_interpreter(py, None, |_| self.tee.close())?;
        let report = report.ok_or_else(|| argument("the recorder is closed already"))?;
        let report = report.map_err(cloud)?;
        Ok((report.paths, report.dropped_fields))
    }
}
