//! The scans of a run, handed over while it goes on: a thread simulates, the iterator takes.
//!
//! A scan is one revolution or frame of one sensor. At most a few are kept ready, so that memory does
//! not grow where the taker is slow.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use understory::Error;
use understory::pulse::PreparedRun;
use understory::run::{RunOptions, run};
use understory_base::Silent;
use understory_cloud::{CloudError, RecordSink, Records, ScanPose, SinkReport};

use crate::columns::to_dict;
use crate::errors::{UnderstoryError, simulator};
use crate::waiting::same_process;

/// Scans that are kept ready.
const READY: usize = 2;
const EVERY: Duration = Duration::from_millis(100);

/// One revolution or frame of one sensor.
struct Scan {
    sensor: u16,
    scan: u32,
    pose: Option<ScanPose>,
    records: Records,
}

/// The scans that are to come.
#[pyclass(frozen, module = "understory._native")]
pub struct Scans {
    taken: Mutex<Option<Running>>,
}

struct Running {
    receive: Receiver<Scan>,
    worker: JoinHandle<Result<(), Error>>,
    options: RunOptions,
}

/// A scan as Python gets it: sensor, number, time and pose where they are known, columns.
type Taken<'py> = (u16, u32, Option<f64>, Option<[[f64; 4]; 3]>, Bound<'py, PyDict>);

impl Scans {
    /// Begins to simulate.
    pub fn start(prepared: PreparedRun, options: RunOptions) -> Result<Scans, Error> {
        let (send, receive) = sync_channel(READY);
        let threaded = options.clone();
        let worker = std::thread::Builder::new()
            .name("understory".to_owned())
            .spawn(move || {
                let sink = ScanSink { send, open: BTreeMap::new(), poses: BTreeMap::new() };
                run(&prepared, &threaded, Box::new(sink), &Silent).map(drop)
            })
            .map_err(Error::Threads)?;
        Ok(Scans { taken: Mutex::new(Some(Running { receive, worker, options })) })
    }
}

#[pymethods]
impl Scans {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Taken<'py>>> {
        same_process()?;
        loop {
            let next = py.detach(|| {
                let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(running) = taken.as_ref() else { return Ok(None) };
                match running.receive.recv_timeout(EVERY) {
                    Ok(scan) => Ok(Some(scan)),
                    Err(RecvTimeoutError::Timeout) => Err(Ok(())),
                    Err(RecvTimeoutError::Disconnected) => match taken.take() {
                        Some(running) => Err(Err(running.worker.join())),
                        None => Ok(None),
                    },
                }
            });
            match next {
                Ok(None) => return Ok(None),
                Ok(Some(scan)) => {
                    let Scan { sensor, scan, pose, records } = scan;
                    let (time_s, rows) =
                        (pose.map(|p| p.time_s), pose.map(|p| p.world_from_sensor));
                    return Ok(Some((sensor, scan, time_s, rows, to_dict(py, records)?)));
                }
                Err(Ok(())) => {
                    if let Err(signal) = py.check_signals() {
                        self.close();
                        return Err(signal);
                    }
                }
                Err(Err(Ok(Ok(())))) => return Ok(None),
                Err(Err(Ok(Err(error)))) => return Err(simulator(error)),
                Err(Err(Err(_))) => {
                    return Err(UnderstoryError::new_err(
                        "something broke inside; please report it with the lines above",
                    ));
                }
            }
        }
    }

    /// Stops simulating.
    fn close(&self) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(running) = taken {
            running.stop();
        }
    }
}

impl Running {
    fn stop(&self) {
        if let Some(cancel) = &self.options.cancel {
            cancel.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Scans {
    fn drop(&mut self) {
        let taken = self.taken.get_mut().unwrap_or_else(PoisonError::into_inner);
        taken.iter().for_each(Running::stop);
    }
}

/// Cuts rows into scans.
struct ScanSink {
    send: SyncSender<Scan>,
    /// The scan of each sensor that is not whole yet.
    open: BTreeMap<u16, Scan>,
    /// Poses of scans that have no row yet.
    poses: BTreeMap<(u16, u32), ScanPose>,
}

impl ScanSink {
    /// Hands a scan over. A taker that went away has stopped the run, or is about to.
    fn give(&self, scan: Scan) {
        let _ = self.send.send(scan);
    }

    fn add(&mut self, records: &Records, rows: std::ops::Range<usize>) {
        let (sensor, scan) = (records.sensor[rows.start], records.scan[rows.start]);
        if self.open.get(&sensor).is_none_or(|open| open.scan != scan) {
            let pose = self.poses.remove(&(sensor, scan));
            let new = Scan { sensor, scan, pose, records: Records::default() };
            if let Some(whole) = self.open.insert(sensor, new) {
                self.give(whole);
            }
        }
        if let Some(open) = self.open.get_mut(&sensor) {
            open.records.append(&records.rows(rows));
        }
    }
}

impl RecordSink for ScanSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        let mut start = 0;
        for row in 1..=records.len() {
            let same = row < records.len()
                && records.sensor[row] == records.sensor[start]
                && records.scan[row] == records.scan[start];
            if !same {
                self.add(records, start..row);
                start = row;
            }
        }
        Ok(())
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.poses.insert((pose.sensor, pose.scan), *pose);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        for (_, scan) in std::mem::take(&mut self.open) {
            self.give(scan);
        }
        Ok(SinkReport::default())
    }
}
