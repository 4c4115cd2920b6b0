//! Any sink at true pace: rows go on when they are due.
//!
//! What enters: batches of a run that may be faster than the clock. What leaves: the same rows in
//! order, cut into slices of a fiftieth of a second, none of which goes on before its last row was
//! measured. A run that is slower than the clock is not held up, and how far it fell behind is
//! counted. Messages of whole scans need no more; packets have a [`LiveSink`](crate::LiveSink).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use understory_cloud::{
    CloudError, ImuSamples, PlatformPose, RecordSink, Records, ScanPose, SinkReport,
};

/// Seconds of the run that go on together.
const SLICE_S: f64 = 0.02;

/// Holds another sink back.
pub struct PaceSink {
    inner: Box<dyn RecordSink>,
    speed: f64,
    /// Moment and time in the run of the first row.
    first: Option<(Instant, f64)>,
    latest_ns: Arc<AtomicU64>,
    /// Samples by sensor that are not due yet.
    imu: BTreeMap<u16, ImuSamples>,
}

impl PaceSink {
    /// `speed` is how many seconds of the run pass in a second.
    pub fn new(inner: Box<dyn RecordSink>, speed: f64) -> PaceSink {
        PaceSink { inner, speed, first: None, latest_ns: Arc::default(), imu: BTreeMap::new() }
    }

    /// How late the latest slice was, in seconds, at any time.
    pub fn lateness(&self) -> impl Fn() -> f64 + Send + use<> {
        let latest = self.latest_ns.clone();
        move || latest.load(Ordering::Relaxed) as f64 * 1e-9
    }

    /// Waits until a time of the run.
    fn wait(&mut self, time_s: f64) {
        if !time_s.is_finite() {
            return;
        }
        let (moment, first_s) = *self.first.get_or_insert((Instant::now(), time_s));
        let after_s = ((time_s - first_s) / self.speed).clamp(0.0, 1e9);
        let due = moment + Duration::from_secs_f64(after_s);
        let now = Instant::now();
        match due.checked_duration_since(now) {
            Some(rest) => std::thread::sleep(rest),
            None => {
                let late = now.saturating_duration_since(due).as_nanos() as u64;
                self.latest_ns.fetch_max(late, Ordering::Relaxed);
            }
        }
    }
}

impl PaceSink {
    /// Sends the samples up to a time on.
    fn send_imu(&mut self, until_s: f64) -> Result<(), CloudError> {
        for (sensor, samples) in &mut self.imu {
            let due = samples.take_until(until_s);
            if !due.time_s.is_empty() {
                self.inner.imu(*sensor, &due)?;
            }
        }
        Ok(())
    }
}

impl RecordSink for PaceSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        let mut from = 0;
        while from < records.len() {
            let start_s = records.time_s[from];
            let past = |time_s: &f64| *time_s >= start_s + SLICE_S;
            let slice = records.time_s[from..].iter().position(past);
            let to = slice.map_or(records.len(), |rows| from + rows);
            let last_s = records.time_s[from..to].iter().copied().fold(f64::NAN, f64::max);
            // The clock starts with the first row, not with the end of the first slice.
            self.first.get_or_insert((Instant::now(), start_s));
            self.wait(last_s);
            self.send_imu(last_s)?;
            self.inner.write(&records.rows(from..to))?;
            from = to;
        }
        Ok(())
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.inner.scan_pose(pose)
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.inner.platform_pose(pose)
    }

    fn imu(&mut self, sensor: u16, samples: &ImuSamples) -> Result<(), CloudError> {
        self.imu.entry(sensor).or_default().append(samples);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        self.send_imu(f64::INFINITY)?;
        self.inner.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::{MemorySink, Record};

    #[test]
    fn rows_go_on_when_they_are_due_and_stay_the_same() {
        let memory = MemorySink::default();
        let mut sink = PaceSink::new(Box::new(memory.clone()), 4.0);
        let mut records = Records::default();
        for pulse in 0..2000 {
            records.push(Record { time_s: pulse as f64 * 1e-3, pulse, ..Record::miss() });
        }
        let start = Instant::now();
        sink.write(&records).unwrap();
        let took_s = start.elapsed().as_secs_f64();
        Box::new(sink).finish().unwrap();
        // Two seconds at four times the speed.
        assert!((0.49..0.9).contains(&took_s), "{took_s}");
        assert_eq!(memory.records().pulse, records.pulse);
    }

    /// Remembers the last sample that came before each batch of rows.
    #[derive(Clone, Default)]
    struct Watch(Arc<std::sync::Mutex<Seen>>);

    /// Latest row, and of each sample its time with that of the latest row.
    type Seen = (f64, Vec<(f64, f64)>);

    impl RecordSink for Watch {
        fn write(&mut self, records: &Records) -> Result<(), CloudError> {
            let mut seen = self.0.lock().unwrap();
            let sample_s = seen.0;
            seen.1.push((sample_s, records.time_s.iter().copied().fold(0.0, f64::max)));
            Ok(())
        }

        fn imu(&mut self, _: u16, samples: &ImuSamples) -> Result<(), CloudError> {
            self.0.lock().unwrap().0 = samples.time_s.last().copied().unwrap();
            Ok(())
        }

        fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
            Ok(SinkReport::default())
        }
    }

    #[test]
    fn inertial_samples_come_with_the_rows_of_their_time() {
        let watch = Watch::default();
        let mut sink = Box::new(PaceSink::new(Box::new(watch.clone()), 100.0));
        let mut samples = ImuSamples::default();
        let mut records = Records::default();
        for step in 0..200 {
            let time_s = f64::from(step) * 5e-3;
            records.push(Record { time_s, ..Record::miss() });
            samples.time_s.push(time_s);
            samples.angular_velocity_rad_s.push([0.0; 3]);
            samples.linear_acceleration_m_s2.push([0.0; 3]);
        }
        sink.imu(0, &samples).unwrap();
        sink.write(&records).unwrap();
        sink.finish().unwrap();
        let seen = watch.0.lock().unwrap();
        assert!(seen.1.len() > 40);
        // Not one sample from after the rows, and none left behind.
        assert!(seen.1.iter().all(|(sample_s, row_s)| sample_s == row_s), "{:?}", seen.1);
    }

    #[test]
    fn a_run_behind_the_clock_is_not_held_up() {
        let mut sink = PaceSink::new(Box::new(MemorySink::default()), 1.0);
        let late = sink.lateness();
        let at = |time_s| {
            let mut records = Records::default();
            records.push(Record { time_s, ..Record::miss() });
            records
        };
        sink.write(&at(0.0)).unwrap();
        std::thread::sleep(Duration::from_millis(120));
        let start = Instant::now();
        sink.write(&at(0.05)).unwrap();
        assert!(start.elapsed() < Duration::from_millis(60));
        assert!(late() > 0.06, "{}", late());
    }
}
