//! A sink that stays open over the steps of a closed loop: each step ends its own copy, and the files,
//! bags or messages behind go on until they are closed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sink::{RecordSink, SinkReport};
use crate::{CloudError, ImuSamples, PlatformPose, Records, ScanPose};

/// What all steps write into; its copies share what is open.
#[derive(Clone)]
pub struct Tee {
    open: Arc<Mutex<Open>>,
}

struct Open {
    /// None: it was closed.
    sink: Option<Box<dyn RecordSink>>,
    /// The last scan of each sensor whose pose was told: a scan may last several steps.
    scans: BTreeMap<u16, u32>,
}

impl Tee {
    /// Keeps a sink open.
    pub fn new(sink: Box<dyn RecordSink>) -> Tee {
        Tee { open: Arc::new(Mutex::new(Open { sink: Some(sink), scans: BTreeMap::new() })) }
    }

    /// Whether it was not closed yet.
    pub fn is_open(&self) -> bool {
        self.lock().sink.is_some()
    }

    /// Completes the sink; none if it was closed before. What is written later is dropped.
    pub fn close(&self) -> Option<Result<SinkReport, CloudError>> {
        let sink = self.lock().sink.take();
        sink.map(|sink| sink.finish())
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(
        &self,
        act: impl FnOnce(&mut dyn RecordSink, &mut BTreeMap<u16, u32>) -> Result<(), CloudError>,
    ) -> Result<(), CloudError> {
        let mut open = self.lock();
        let Open { sink, scans } = &mut *open;
        match sink {
            Some(sink) => act(sink.as_mut(), scans),
            None => Ok(()),
        }
    }
}

impl RecordSink for Tee {
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

    /// The end of a step, not of the sink.
    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemorySink, Record};

    #[test]
    fn steps_end_and_the_sink_stays_open_until_it_is_closed() {
        let memory = MemorySink::default();
        let tee = Tee::new(Box::new(memory.clone()));
        let mut row = Records::default();
        row.push(Record { pulse: 3, ..Record::miss() });
        for _ in 0..2 {
            let mut step: Box<dyn RecordSink> = Box::new(tee.clone());
            step.write(&row).unwrap();
            step.finish().unwrap();
        }
        assert!(tee.is_open() && tee.close().is_some_and(|report| report.is_ok()));
        assert!(!tee.is_open() && tee.close().is_none());
        tee.clone().write(&row).unwrap();
        assert_eq!(memory.take_records().len(), 2);
    }
}
