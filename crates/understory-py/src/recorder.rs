//! Files that several steps of a closed loop are written into.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use understory_cloud::{
    CloudError, ImuSamples, PlatformPose, RecordSink, Records, ScanPose, SinkReport,
};

use crate::errors::{argument, cloud};
use crate::waiting::without_interpreter;

/// Open files.
#[pyclass(frozen, module = "understory._native")]
pub struct Recorder {
    open: Arc<Mutex<Open>>,
}

struct Open {
    /// None: it was closed.
    sink: Option<Box<dyn RecordSink>>,
    /// The last scan of each sensor whose pose was told: a scan may last several steps.
    scans: BTreeMap<u16, u32>,
}

impl Recorder {
    pub fn new(sink: Box<dyn RecordSink>) -> Recorder {
        let open = Open { sink: Some(sink), scans: BTreeMap::new() };
        Recorder { open: Arc::new(Mutex::new(open)) }
    }

    /// A sink for one step.
    pub fn step(&self) -> PyResult<Box<dyn RecordSink>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.sink {
            Some(_) => Ok(Box::new(StepSink { open: Arc::clone(&self.open) })),
            None => Err(argument("the recorder is closed; make a new one")),
        }
    }
}

#[pymethods]
impl Recorder {
    /// Completes the files: their paths, and what they could not keep.
    fn close(&self, py: Python<'_>) -> PyResult<(Vec<std::path::PathBuf>, Vec<String>)> {
        let sink = self.open.lock().unwrap_or_else(PoisonError::into_inner).sink.take();
        let Some(sink) = sink else { return Err(argument("the recorder is closed already")) };
        let report = without_interpreter(py, None, |_| sink.finish())?.map_err(cloud)?;
        Ok((report.paths, report.dropped_fields))
    }
}

/// Writes a step and leaves the files open.
struct StepSink {
    open: Arc<Mutex<Open>>,
}

impl StepSink {
    fn with(
        &self,
        act: impl FnOnce(&mut dyn RecordSink, &mut BTreeMap<u16, u32>) -> Result<(), CloudError>,
    ) -> Result<(), CloudError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Open { sink, scans } = &mut *open;
        match sink {
            Some(sink) => act(sink.as_mut(), scans),
            None => Ok(()),
        }
    }
}

impl RecordSink for StepSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        self.with(|sink, _| sink.write(records))
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.with(|sink, scans| {
            if scans.get(&pose.sensor).is_some_and(|last| *last >= pose.scan) {
                return Ok(());
            }
            scans.insert(pose.sensor, pose.scan);
            sink.scan_pose(pose)
        })
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.with(|sink, _| sink.platform_pose(pose))
    }

    fn imu(&mut self, sensor: u16, samples: &ImuSamples) -> Result<(), CloudError> {
        self.with(|sink, _| sink.imu(sensor, samples))
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport::default())
    }
}
