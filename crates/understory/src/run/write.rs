//! Finished jobs in order → a sink: rows, the poses of scans that begin in them, and the counts.

use std::time::{Duration, Instant};

use understory_cloud::{ImuSamples, PlatformPose, RecordSink, Records, ScanPose};

use crate::Error;
use crate::pulse::PreparedRun;
use crate::world::trajectory::{ImuStream, PosePer};
use understory_base::Progress;

use super::block::{Finished, Tallies};
use super::plan::Plan;

/// Poses of the platform a second that sinks are told: between two of them 10 ms apart an
/// acceleration of 10 m/s² bends the way by 0.13 mm.
const PLATFORM_HZ: f64 = 100.0;

/// What a run counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub pulses: u64,
    pub returns: u64,
    pub misses: u64,
    pub tallies: Tallies,
}

/// Writes finished jobs, which must come in order.
pub(super) struct Writer<'a> {
    run: &'a PreparedRun,
    sink: &'a mut dyn RecordSink,
    progress: &'a dyn Progress,
    seconds_per_pulse: f64,
    scans: Vec<Option<u32>>,
    /// The unit in the first sensor, if there is one.
    imu: Option<ImuStream<'a>>,
    imu_samples: ImuSamples,
    /// Time of the next pose of the platform, and of the last.
    platform_s: f64,
    end_s: f64,
    /// Time up to which fixes of the GPS are told.
    fixes_until_s: f64,
    pub counts: Counts,
    /// Time that the sink took.
    pub writing: Duration,
}

impl<'a> Writer<'a> {
    pub fn new(
        run: &'a PreparedRun,
        plan: &Plan,
        sink: &'a mut dyn RecordSink,
        progress: &'a dyn Progress,
    ) -> Writer<'a> {
        let seconds_per_pulse = plan.seconds() / plan.pulses.max(1) as f64;
        let scans = vec![None; run.sensors.len()];
        let imu = run.registration.imu.as_ref().zip(run.sensors.first());
        let mut imu = imu.map(|(imu, sensor)| {
            ImuStream::new(imu, &run.trajectory, sensor.platform_from_sensor, run.seed)
        });
        let mut imu_samples = ImuSamples::default();
        if let Some(imu) = &mut imu {
            // A unit remembers what was before the interval of the run.
            imu.advance(plan.from.time_s, &mut imu_samples);
            imu_samples.clear();
        }
        let counts = Counts::default();
        let platform_s = plan.from.time_s;
        let end_s = platform_s + plan.seconds();
        Writer {
            run,
            sink,
            progress,
            seconds_per_pulse,
            scans,
            imu,
            imu_samples,
            platform_s,
            end_s,
            // A fix of the first moment counts.
            fixes_until_s: platform_s - 1e-9,
            counts,
            writing: Duration::ZERO,
        }
    }

    /// Tells the sink poses of the platform up to the second that is not before `last_s`: with two
    /// of them a velocity is known.
    fn tell_platform(&mut self, last_s: f64) -> Result<(), Error> {
        if self.run.registration.per == PosePer::Scan {
            return Ok(());
        }
        while self.platform_s < last_s + 2.0 / PLATFORM_HZ {
            // Beyond the end nobody knows where it goes.
            let time_s = self.platform_s.min(self.end_s);
            self.tell_pose(time_s, false)?;
            // Multiples of the step, whatever the interval of the run.
            self.platform_s = match time_s < self.end_s {
                true => ((time_s * PLATFORM_HZ + 1e-6).floor() + 1.0) / PLATFORM_HZ,
                false => f64::INFINITY,
            };
        }
        Ok(())
    }

    fn tell_pose(&mut self, time_s: f64, is_step: bool) -> Result<(), Error> {
        let gps_fix = self.run.gps_fix(self.fixes_until_s, time_s);
        self.fixes_until_s = time_s;
        let pose = self.run.platform_pose(time_s, is_step);
        Ok(self.sink.platform_pose(&PlatformPose { gps_fix, ..pose })?)
    }

    /// Tells the sink the pose of every scan that begins in `records`: that of its first pulse.
    fn announce_scans(&mut self, records: &Records) -> Result<(), Error> {
        for row in 0..records.len() {
            let (sensor, scan) = (records.sensor[row], records.scan[row]);
            let current = &mut self.scans[sensor as usize];
            if current.is_some_and(|current| scan <= current) {
                continue;
            }
            *current = Some(scan);
            let (run, time_s) = (self.run, records.time_s[row]);
            let of_sensor = &run.sensors[sensor as usize];
            let pose = run.registered_pose(of_sensor, records.pulse[row], time_s);
            if sensor == 0 && run.registration.per == PosePer::Scan {
                self.tell_pose(time_s, true)?;
            }
            let world_from_sensor = pose.to_rows();
            self.sink.scan_pose(&ScanPose { sensor, scan, time_s, world_from_sensor })?;
        }
        Ok(())
    }

    /// How much of the run is written.
    pub fn simulated_s(&self) -> f64 {
        self.counts.pulses as f64 * self.seconds_per_pulse
    }

    pub fn write(&mut self, finished: &Finished) -> Result<(), Error> {
        let records = &finished.records;
        let start = Instant::now();
        let last_s = records.time_s.iter().copied().fold(f64::NAN, f64::max);
        if last_s.is_finite() {
            self.tell_platform(last_s)?;
        }
        self.announce_scans(records)?;
        if let (Some(imu), Some(last_s)) = (&mut self.imu, records.time_s.last()) {
            imu.advance(*last_s, &mut self.imu_samples);
            self.sink.imu(0, &self.imu_samples)?;
            self.imu_samples.clear();
        }
        self.sink.write(records)?;
        self.writing += start.elapsed();
        let returns = records.return_rows() as u64;
        let fired = finished.from.pulses_until(&finished.to);
        self.counts.returns += returns;
        self.counts.misses += records.len() as u64 - returns;
        self.counts.pulses += fired;
        self.counts.tallies.add(finished.tallies);
        self.progress.advanced(fired, fired as f64 * self.seconds_per_pulse);
        Ok(())
    }
}
