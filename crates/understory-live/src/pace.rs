//! Any sink at true pace: rows go on when they are due.
//!
//! What enters: batches of a run that may be faster than the clock. What leaves: the same rows in
//! order, cut into slices of a fiftieth of a second, none of which goes on before its last row was
//! measured. A run that is slower than the clock is not held up; a slice that goes on after the next
//! one was due has missed its deadline, and those are counted. Messages of whole scans need no more;
//! packets have a [`LiveSink`](crate::LiveSink).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::latency::LatencyTally;
use understory_cloud::{
    CloudError, CostlyColumns, ImuSamples, PlatformPose, RecordSink, Records, ScanPose, SinkReport,
};

/// Seconds of the run that go on together.
const SLICE_S: f64 = 0.02;

/// How well a paced sink kept its times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PaceReport {
    /// Slices that went on.
    pub slices: u64,
    /// Those that went on after the next one was due.
    pub missed: u64,
    /// How late the latest was.
    pub latest_s: f64,
    /// From the firing of the first pulse of a slice until the slice was taken: what half of them
    /// do not exceed.
    pub latency_p50_s: f64,
    /// The same for 99 of 100.
    pub latency_p99_s: f64,
}

impl fmt::Display for PaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.missed {
            0 => write!(f, "in time")?,
            missed => write!(
                f,
                "{missed} of {} deadlines missed by up to {:.3} s",
                self.slices, self.latest_s
            )?,
        }
        write!(
            f,
            ", latency from firing to message {:.0} ms median, {:.0} ms p99",
            1e3 * self.latency_p50_s,
            1e3 * self.latency_p99_s
        )
    }
}

/// Tells how a paced sink keeps its times, also while it runs.
#[derive(Clone, Default)]
pub struct PaceHandle {
    state: Arc<Mutex<(PaceReport, LatencyTally)>>,
}

impl PaceHandle {
    /// How it went so far.
    pub fn report(&self) -> PaceReport {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (report, latency) = &*state;
        PaceReport {
            latency_p50_s: latency.quantile_s(0.5),
            latency_p99_s: latency.quantile_s(0.99),
            ..*report
        }
    }

    /// Counts a slice that was `late` after it was due, and whose first pulse was fired `latency`
    /// before it was taken.
    fn add(&self, late: Duration, deadline: Duration, latency: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (report, tally) = &mut *state;
        report.slices += 1;
        report.missed += u64::from(late > deadline);
        report.latest_s = report.latest_s.max(late.as_secs_f64());
        tally.add(latency);
    }
}

/// Holds another sink back.
pub struct PaceSink {
    inner: Box<dyn RecordSink>,
    speed: f64,
    /// Moment and time in the run of the first row.
    first: Option<(Instant, f64)>,
    handle: PaceHandle,
    /// Samples by sensor that are not due yet.
    imu: BTreeMap<u16, ImuSamples>,
}

impl PaceSink {
    /// `speed` is how many seconds of the run pass in a second.
    pub fn new(inner: Box<dyn RecordSink>, speed: f64) -> PaceSink {
        PaceSink { inner, speed, first: None, handle: PaceHandle::default(), imu: BTreeMap::new() }
    }

    /// Tells how it goes.
    pub fn handle(&self) -> PaceHandle {
        self.handle.clone()
    }

    /// When a time of the run is, by the clock; the first that is asked for is now.
    fn moment(&mut self, time_s: f64) -> Option<Instant> {
        if !time_s.is_finite() {
            return None;
        }
        let (moment, first_s) = *self.first.get_or_insert((Instant::now(), time_s));
        let after_s = ((time_s - first_s) / self.speed).clamp(0.0, 1e9);
        Some(moment + Duration::from_secs_f64(after_s))
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
            let (fired, due) = (self.moment(start_s), self.moment(last_s));
            if let Some(rest) = due.and_then(|due| due.checked_duration_since(Instant::now())) {
                std::thread::sleep(rest);
            }
            self.send_imu(last_s)?;
            self.inner.write(&records.rows(from..to))?;
            if let Some((fired, due)) = fired.zip(due) {
                let taken = Instant::now();
                let late = taken.saturating_duration_since(due);
                let deadline = Duration::from_secs_f64(SLICE_S / self.speed);
                self.handle.add(late, deadline, taken.saturating_duration_since(fired));
            }
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

    fn reads(&self) -> CostlyColumns {
        self.inner.reads()
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

    /// A run at half the speed of the clock, as on an overloaded machine: all rows go on in their
    /// order and none waits for anything, the misses are counted, and the latency says how far
    /// behind it is. A machine that is busy besides can only make it later.
    #[test]
    fn an_overloaded_run_goes_on_late_and_says_so() {
        const SLICES: u64 = 20;
        let slice = Duration::from_secs_f64(SLICE_S);
        let memory = MemorySink::default();
        let mut sink = PaceSink::new(Box::new(memory.clone()), 1.0);
        let handle = sink.handle();
        for number in 0..SLICES {
            let mut records = Records::default();
            for pulse in number * 20..(number + 1) * 20 {
                records.push(Record { time_s: pulse as f64 * 1e-3, pulse, ..Record::miss() });
            }
            std::thread::sleep(2 * slice);
            sink.write(&records).unwrap();
        }
        let report = handle.report();
        Box::new(sink).finish().unwrap();
        // Slice k is due 20 k + 19 ms after the first row and comes 40 k + 19 ms after it.
        assert_eq!(report.slices, SLICES);
        assert!(report.missed >= SLICES - 3 && report.missed <= SLICES, "{report}");
        assert!(report.latest_s >= (SLICES - 2) as f64 * SLICE_S - 1e-3, "{report}");
        assert!(report.latency_p99_s >= report.latency_p50_s, "{report}");
        assert!(report.latency_p50_s >= 0.4 * SLICES as f64 * SLICE_S, "{report}");
        assert!(report.to_string().contains("of 20 deadlines missed by up to"), "{report}");
        let sent = memory.take_records();
        assert!(sent.pulse.iter().copied().eq(0..SLICES * 20));
    }

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
        let handle = sink.handle();
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
        let report = handle.report();
        assert!(report.latest_s > 0.06 && report.missed > 0, "{report}");
        assert!(report.latency_p99_s >= report.latest_s * 0.9, "{report:?}");
    }
}
