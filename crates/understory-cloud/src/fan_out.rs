//! Sinks that write no file: one that feeds several, one that remembers, one that counts.

use crate::{
    CloudError, CostlyColumns, ImuSamples, PlatformPose, RecordSink, Records, ScanPose, SinkReport,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Gives each batch to several sinks. Their reports are added up.
#[derive(Default)]
pub struct MultiSink {
    sinks: Vec<Box<dyn RecordSink>>,
}

impl MultiSink {
    /// Feeds all of `sinks`.
    pub fn new(sinks: Vec<Box<dyn RecordSink>>) -> MultiSink {
        MultiSink { sinks }
    }
}

impl RecordSink for MultiSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        self.sinks.iter_mut().try_for_each(|sink| sink.write(records))
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.sinks.iter_mut().try_for_each(|sink| sink.scan_pose(pose))
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.sinks.iter_mut().try_for_each(|sink| sink.platform_pose(pose))
    }

    fn imu(&mut self, sensor: u16, samples: &ImuSamples) -> Result<(), CloudError> {
        self.sinks.iter_mut().try_for_each(|sink| sink.imu(sensor, samples))
    }

    fn reads(&self) -> CostlyColumns {
        self.sinks.iter().fold(CostlyColumns::NONE, |read, sink| read.or(sink.reads()))
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let finish = |sink: Box<dyn RecordSink>| sink.finish();
        let reports = self.sinks.into_iter().map(finish).collect::<Result<Vec<_>, _>>()?;
        Ok(SinkReport::total(reports))
    }
}

impl SinkReport {
    /// What several outputs wrote.
    pub fn total(reports: Vec<SinkReport>) -> SinkReport {
        let mut total = SinkReport::default();
        let several = reports.len() > 1;
        for mut report in reports {
            if report.dropped_misses > 0 && !report.paths.is_empty() {
                report.dropped_fields.push(report.dropped_misses_words());
            }
            // Of several outputs each names itself.
            if let Some(name) = report.paths.first().and_then(|path| path.file_name())
                && several
                && !report.dropped_fields.is_empty()
            {
                let what = report.dropped_fields.join(", ");
                report.dropped_fields = vec![format!("{}: {what}", name.to_string_lossy())];
            }
            total.paths.extend(report.paths);
            total.rows += report.rows;
            total.dropped_misses += report.dropped_misses;
            total.dropped_fields.extend(report.dropped_fields);
        }
        total
    }
}

/// Keeps all records and poses in memory; clones share them.
///
/// ```
/// use understory_cloud::{MemorySink, RecordSink, Records};
/// let memory = MemorySink::default();
/// let mut sink: Box<dyn RecordSink> = Box::new(memory.clone());
/// sink.write(&Records::default())?;
/// sink.finish()?;
/// assert!(memory.records().is_empty());
/// # Ok::<(), understory_cloud::CloudError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    records: Records,
    scan_poses: Vec<ScanPose>,
    platform_poses: Vec<PlatformPose>,
}

impl MemorySink {
    /// A copy of the records so far.
    pub fn records(&self) -> Records {
        self.lock().records.clone()
    }

    /// Takes the records out, without a copy.
    pub fn take_records(&self) -> Records {
        std::mem::take(&mut self.lock().records)
    }

    /// The poses so far.
    pub fn scan_poses(&self) -> Vec<ScanPose> {
        self.lock().scan_poses.clone()
    }

    /// The poses of the platform so far.
    pub fn platform_poses(&self) -> Vec<PlatformPose> {
        self.lock().platform_poses.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordSink for MemorySink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.lock().records.append(records);
        Ok(())
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.lock().scan_poses.push(*pose);
        Ok(())
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.lock().platform_poses.push(*pose);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let rows = self.lock().records.len() as u64;
        Ok(SinkReport { rows, ..SinkReport::default() })
    }
}

/// Counts rows and forgets them.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingSink {
    rows: u64,
}

impl RecordSink for CountingSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.rows += records.len() as u64;
        Ok(())
    }

    fn reads(&self) -> CostlyColumns {
        CostlyColumns::NONE
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport { rows: self.rows, ..SinkReport::default() })
    }
}
