//! A sink that stays open over the periods of a drive: files, bags or ROS 2, beside the map.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use understory_cloud::{
    CloudError, ImuSamples, PlatformPose, RecordSink, Records, ScanPose, SinkReport,
};

/// What all periods write into.
#[derive(Clone)]
pub struct Tee {
    open: Arc<Mutex<Open>>,
}

struct Open {
    /// None: it was closed.
    sink: Option<Box<dyn RecordSink>>,
    /// The last scan of each sensor whose pose was told: a scan may last several periods.
    scans: BTreeMap<u16, u32>,
}

impl Tee {
    /// Keeps a sink open.
    pub fn new(sink: Box<dyn RecordSink>) -> Tee {
        Tee { open: Arc::new(Mutex::new(Open { sink: Some(sink), scans: BTreeMap::new() })) }
    }

    /// Completes the sink.
    pub fn close(&self) -> Result<SinkReport, CloudError> {
        let sink = self.open.lock().unwrap_or_else(PoisonError::into_inner).sink.take();
        sink.map_or_else(|| Ok(SinkReport::default()), |sink| sink.finish())
    }

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

    /// The end of a period, not of the sink.
    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport::default())
    }
}
