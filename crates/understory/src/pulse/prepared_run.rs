//! A run that is ready: the world, the platform's path through it and the sensors on that, with
//! everything worked out that does not depend on the pulse.

use std::ops::Range;
use std::sync::Arc;

use understory_base::Pose;
use understory_cloud::{GpsFix, PlatformPose, WaveformFormat};

use crate::pulse::atmosphere::Air;
use crate::pulse::beam::Footprint;
use crate::pulse::blooming::Blooming;
use crate::pulse::detector::Detector;
use crate::pulse::echo::SensitivityModel;
use crate::pulse::range_error::RangeModel;
use crate::pulse::scan_pattern::{Pulses, ScanPattern};
use crate::rng::{PulseRng, Stage};
use crate::world::scene::Scene;
use crate::world::scene::surface_optics::Optics;
use crate::world::trajectory::navigation::{EstimatedPath, Navigation};
use crate::world::trajectory::{FlightLines, PosePer, Registration, Trajectory};

/// Fixes a second of a platform that knows where it is.
const FIXES_HZ: f64 = 10.0;

/// A scene, a platform in it and the sensors on that, ready to be run. Copies share the scene.
#[derive(Clone)]
pub struct PreparedRun {
    /// What the rays meet.
    pub scene: Arc<Scene>,
    /// Where the platform is.
    pub trajectory: Trajectory,
    /// When sensors fire.
    pub lines: FlightLines,
    /// How the platform finds out where it is; none: it knows.
    pub navigation: Option<Navigation>,
    /// From which of its poses pulses are fired, and with which points are registered.
    pub registration: Registration,
    /// The sensors; the one at place i has the index i.
    pub sensors: Vec<SensorRun>,
    /// Seed of all randomness; changed by [`PreparedRun::reseed`] alone.
    pub seed: u64,
    /// The run lasts from 0 to this time.
    pub duration_s: f64,
}

impl PreparedRun {
    /// Draws everything anew that hangs on the seed before a pulse is fired: when sensors begin,
    /// and what the platform believes.
    pub fn reseed(&mut self, seed: u64) {
        self.seed = seed;
        let believe = |nav: &Navigation| nav.estimate(&self.trajectory, self.duration_s, seed);
        self.registration.estimated = self.navigation.as_ref().map(believe);
        for sensor in &mut self.sensors {
            let delay_s = sensor.delay.seconds(&sensor.pattern, seed, sensor.index);
            sensor.pattern.set_delay(delay_s);
        }
    }

    /// The pulses among `pulses` that a sensor fires, one range for each flight line.
    pub fn fired(
        &self,
        sensor: &SensorRun,
        pulses: Range<u64>,
    ) -> impl Iterator<Item = Range<u64>> {
        let always = self.lines.is_always();
        let lines = self.lines.within_s(self.duration_s);
        lines.into_iter().filter_map(move |[start_s, end_s]| {
            if always {
                return Some(pulses.clone());
            }
            let first = sensor.pattern.first_pulse_at(start_s).max(pulses.start);
            let end = match end_s < self.duration_s {
                true => sensor.pattern.first_pulse_at(end_s).min(pulses.end),
                false => pulses.end,
            };
            (first < end).then_some(first..end)
        })
    }

    /// `world_from_sensor` with which the points of a pulse fired at `time_s` are registered.
    pub fn registered_pose(&self, sensor: &SensorRun, pulse: u64, time_s: f64) -> Pose {
        let time_s = match self.registration.per {
            PosePer::Pulse => time_s,
            PosePer::Scan => {
                let mut scratch = Pulses::default();
                let first = sensor.pattern.first_of_scan(pulse, &mut scratch);
                sensor.pattern.fill(first..first + 1, &mut scratch);
                scratch.time_s.first().copied().unwrap_or(time_s)
            }
        };
        let truth = self.trajectory.pose_at(time_s);
        let estimate = self.registration.estimate();
        let estimated = estimate.map_or(truth, |estimate| estimate.pose_at(time_s, &truth));
        estimated.after(&sensor.platform_from_sensor)
    }

    /// Where the platform is at a time, truly and by its own estimate; `is_step` where it stands
    /// still between scans.
    pub fn platform_pose(&self, time_s: f64, is_step: bool) -> PlatformPose {
        let truth = self.trajectory.pose_at(time_s);
        let of = |path: &EstimatedPath| path.pose_at(time_s, &truth);
        let estimated = self.registration.estimated.as_ref().map_or(truth, of);
        let registered = self.registration.estimate().map_or(truth, of);
        PlatformPose {
            time_s,
            registered: registered.to_rows(),
            estimated: estimated.to_rows(),
            truth: Some(truth.to_rows()),
            variance: self.navigation.as_ref().map_or([0.0; 6], Navigation::variance),
            is_step,
            gps_fix: None,
        }
    }

    /// The last fix of the GPS in the time after `after_s` until `until_s`; the true position ten
    /// times a second where the platform has no GPS.
    pub fn gps_fix(&self, after_s: f64, until_s: f64) -> Option<GpsFix> {
        let has_gps = self.navigation.as_ref().is_some_and(|navigation| navigation.gps.is_some());
        let (time_s, position) = match &self.registration.estimated {
            Some(estimated) if has_gps => {
                let count = estimated.fixes.partition_point(|(time_s, _)| *time_s <= until_s);
                *estimated.fixes[..count].last()?
            }
            _ => {
                let time_s = (until_s * FIXES_HZ + 1e-6).floor() / FIXES_HZ;
                (time_s, self.trajectory.pose_at(time_s).translation)
            }
        };
        (time_s > after_s).then(|| GpsFix { time_s, position_m: position.to_array() })
    }

    /// How the waveforms of those sensors that detect in them are stored: eight steps to the noise
    /// in the dark.
    pub fn waveform_formats(&self) -> Vec<WaveformFormat> {
        let format = |sensor: &SensorRun| {
            let receiver = sensor.detector.waveform().and(sensor.detector.receiver())?;
            Some(WaveformFormat {
                sensor: sensor.index,
                bin_ps: (receiver.spec().bin_s * 1e12).round() as u32,
                gain: receiver.dark_noise() / 8.0,
            })
        };
        self.sensors.iter().filter_map(format).collect()
    }
}

/// One sensor with everything that the path of a pulse needs from it.
#[derive(Clone)]
pub struct SensorRun {
    /// Its number among the sensors of the run, from 0.
    pub index: u16,
    /// Its name.
    pub name: String,
    /// Which way it looks, and when.
    pub pattern: ScanPattern,
    /// When its pattern begins.
    pub delay: Delay,
    /// Where it sits on the platform, as it is known.
    pub platform_from_sensor: Pose,
    /// How it truly sits there, where that is not known.
    pub misaligned: Option<Pose>,
    /// The sub-rays of its beam.
    pub footprint: Footprint,
    /// The halo about its spot, where the scene has something that blooms in it.
    pub blooming: Option<Arc<Blooming>>,
    /// Which sub-rays are too faint to count.
    pub sensitivity: SensitivityModel,
    /// Its receiver.
    pub detector: Detector,
    /// Largest intensity that it reports.
    pub saturation: f32,
    /// The error of its ranges and the form in which it reports them.
    pub range_model: RangeModel,
    /// Materials at its wavelength, by their number; place 0 is unused.
    pub optics: Vec<Optics>,
    /// The air before it; none: it is clear.
    pub air: Option<Air>,
}

/// When the pattern of a sensor begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// So long after the start of the run.
    Seconds(f64),
    /// At a random time within the first scan: sensors that nothing synchronises.
    Random,
}

impl Delay {
    /// When sensor number `sensor` with this pattern begins.
    pub fn seconds(self, pattern: &ScanPattern, seed: u64, sensor: u16) -> f64 {
        match self {
            Delay::Seconds(delay_s) => delay_s,
            Delay::Random => {
                let drawn = PulseRng::new(seed, sensor, 0, Stage::SensorDelay).uniform();
                drawn * pattern.scan_duration_s()
            }
        }
    }
}
