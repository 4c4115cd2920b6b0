//! One pulse, from the platform to the record. Start reading here.
//!
//! Pulses travel in batches held as columns; each step is a module of its name and fills columns
//! of the [`Batch`] from those before it. Every row depends on its pulse's index alone, so batches
//! may be cut anywhere and computed in any order.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use understory_cloud::{Misses, Records, SinkOptions, WaveformFormat};
use understory_geometry::MovingTree;

use crate::Error;
use crate::pulse::atmosphere::{Air, AirScratch, PulseInAir};
use crate::pulse::beam::{Beams, Footprint};
use crate::pulse::detector::{Detections, Detector, Draw, Sample, Scratch};
use crate::pulse::echo::{EchoCut, EchoSignal};
use crate::run::far_plants;
use crate::pulse::interaction::{Interactions, SceneOverTime};
use crate::pulse::range_error::{RangeReport, Sigma};
use crate::pulse::record::record;
use crate::rng::{PulseRng, Stage};
use crate::pulse::scan_pattern::{Pulses, ScanPattern};
use crate::scenario::{MountedSensor, Scenario};
use crate::world::scene::Scene;
use crate::world::scene::finish::Optics;
use crate::sensor::Sensor;
use crate::world::trajectory::{Pose, PosePer, Poses, Registration, Trajectory};

/// Simulates the pulses `pulses` of `sensor` and appends their rows to `records`.
pub fn simulate_batch(
    run: &PreparedRun,
    sensor: &SensorRun,
    seed: u64,
    pulses: Range<u64>,
    batch: &mut Batch,
    records: &mut Records,
) {
    let b = batch;
    sensor.pattern.fill(pulses, &mut b.pulses);
    b.place(run, sensor);
    sensor.footprint.spread(&b.pulses, &b.poses, &mut b.beams);
    if !run.scene.sites.is_empty() {
        b.beams.report(&sensor.pattern, &b.pulses, &b.poses);
    }
    b.fit_movers(&run.scene);
    let distance_max_m = sensor.detector.distance_max_m();
    let draw = Draw { seed, sensor: sensor.index, first_pulse: b.pulses.first };
    match &sensor.air {
        None => {
            let (movers, times_s) = (&b.movers, &b.pulses.time_s[..]);
            let world = SceneOverTime { scene: &run.scene, movers, times_s };
            b.interactions.trace(&b.beams, &world, &sensor.optics, distance_max_m, draw);
        }
        Some(air) => trace_in_air(run, sensor, air, draw, b, distance_max_m),
    }
    b.signal.receive(&b.interactions, &sensor.footprint, sensor.echo_cut);
    if sensor.air.is_none() {
        b.signal.keep_detected(&b.interactions, &sensor.footprint);
    }
    let (index, first) = (sensor.index, b.pulses.first);
    b.waveform.kept.clear();
    let scratch = (&mut b.samples, &mut b.waveform);
    let light = (&sensor.footprint, draw);
    sensor.detector.detect(&b.interactions, &b.signal, light, scratch, &mut b.detections);
    if let Some(air) = &sensor.air {
        air.scatter_ranges(&mut b.detections, seed, index, first);
    }
    sensor.range_report.measure(&b.detections, &b.pulses, seed, index, &mut b.measured_m);
    record(&run.scene, sensor, b, records);
}

/// The world where the air is not clear: each pulse passes through it after it was traced.
fn trace_in_air(
    run: &PreparedRun,
    sensor: &SensorRun,
    air: &Air,
    draw: Draw,
    b: &mut Batch,
    distance_max_m: f32,
) {
    let Batch { pulses, beams, movers, interactions, air: scratch, .. } = b;
    let world = SceneOverTime { scene: &run.scene, movers, times_s: &pulses.time_s };
    let pass = |rows: &mut Interactions, pulse: usize, met: Range<usize>| {
        let time_s = pulses.time_s[pulse];
        let at = PulseInAir { beams, footprint: &sensor.footprint, pulse, time_s };
        let index = pulses.first + pulse as u64;
        let mut rng = PulseRng::new(draw.seed, draw.sensor, index, Stage::Air);
        air.pass(rows, met, &at, &mut rng, scratch);
    };
    interactions.trace_through(beams, &world, &sensor.optics, distance_max_m, draw, pass);
}

/// A scene, a platform in it and the sensors on that, ready to be run. Copies share the scene.
#[derive(Clone)]
pub struct PreparedRun {
    /// What the rays meet.
    pub scene: Arc<Scene>,
    /// Where the platform is.
    pub trajectory: Trajectory,
    /// From which of its poses pulses are fired, and with which points are registered.
    pub registration: Registration,
    /// The sensors; the one at place i has the index i.
    pub sensors: Vec<SensorRun>,
    /// Seed of all randomness.
    pub seed: u64,
    /// The run lasts from 0 to this time.
    pub duration_s: f64,
}

impl PreparedRun {
    /// Builds the scene of a scenario and everything else that its pulses need.
    pub fn new(scenario: &Scenario) -> Result<PreparedRun, Error> {
        PreparedRun::reporting(scenario, &|_, _| {})
    }

    /// Like [`PreparedRun::new`]; `report` hears what is built next and how much of it (0…1) is done.
    pub fn reporting(
        scenario: &Scenario,
        report: &dyn Fn(&str, f64),
    ) -> Result<PreparedRun, Error> {
        let scene = scenario.build_scene_reporting(report)?;
        let mut sensors = Vec::with_capacity(scenario.sensors.len());
        for (index, mounted) in scenario.sensors.iter().enumerate() {
            let index = u16::try_from(index).map_err(|_| Error::Invalid {
                place: format!("sensor {:?}", mounted.name),
                problem: format!("it is number {} and a run can have 65536 sensors", index + 1),
                remedy: "split the scenario".into(),
            })?;
            let pose = mounted.platform_from_sensor;
            let mut sensor = SensorRun::new(index, &mounted.sensor, pose, &scene);
            sensor.air = scenario.atmosphere().and_then(|air| Air::before(air, &mounted.sensor));
            sensor.name.clone_from(&mounted.name);
            if scene.has_only_axes() && sensor.air.is_none() {
                // No other sub-ray would be asked.
                sensor.footprint = Footprint::axis_only();
            }
            sensors.push(sensor);
        }
        let mut run = PreparedRun {
            scene: Arc::new(scene),
            trajectory: scenario.trajectory.clone(),
            registration: Registration::default(),
            sensors,
            seed: scenario.seed,
            duration_s: scenario.duration_s,
        };
        run.reseed(scenario, scenario.seed);
        far_plants::settle(&mut run, scenario.far_plants, report)?;
        Ok(run)
    }
}

impl PreparedRun {
    /// Draws everything anew that hangs on the seed before a pulse is fired: when sensors begin,
    /// and what the platform believes. `scenario` is the one that the run was made from.
    pub fn reseed(&mut self, scenario: &Scenario, seed: u64) {
        self.seed = seed;
        self.registration = scenario.registration(seed);
        for (sensor, mounted) in self.sensors.iter_mut().zip(&scenario.sensors) {
            let delay_s = mounted.delay.seconds(&sensor.pattern, seed, sensor.index);
            sensor.pattern.set_delay(delay_s);
        }
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
        let belief = self.registration.belief();
        let believed = belief.map_or(truth, |belief| belief.pose_at(time_s, &truth));
        believed.after(&sensor.platform_from_sensor)
    }

    /// What the writers of a run's files must know. `scenario` is the one that the run was made from.
    ///
    /// Coordinates in files are relative to whole kilometres near the start of the run. All parts of
    /// a run must have the same offset, whichever return comes first in them.
    pub fn sink_options(&self, scenario: &Scenario) -> SinkOptions {
        let start_m = self.trajectory.pose_at(0.0).translation;
        let far = start_m.abs().max_element() > 4000.0;
        let offset_m = if far { (start_m / 1000.0).round() * 1000.0 } else { DVec3::ZERO };
        SinkOptions {
            misses: Misses::Keep,
            offset_m: Some(offset_m.to_array()),
            waveforms: match scenario.waveforms {
                true => self.waveform_formats(),
                false => Vec::new(),
            },
            sensors: scenario.sensors.iter().map(MountedSensor::facts).collect(),
            ..SinkOptions::default()
        }
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
    /// Where it sits on the platform.
    pub platform_from_sensor: Pose,
    /// The sub-rays of its beam.
    pub footprint: Footprint,
    /// Which sub-rays are too faint to count.
    pub echo_cut: EchoCut,
    /// Its receiver.
    pub detector: Detector,
    /// Largest intensity that it reports.
    pub saturation: f32,
    /// The error of its ranges and the form in which it reports them.
    pub range_report: RangeReport,
    /// Materials at its wavelength, by their number; place 0 is unused.
    pub optics: Vec<Optics>,
    /// The air before it; none: it is clear.
    pub air: Option<Air>,
}

impl SensorRun {
    /// Sensor number `index` of a run, on the platform at `platform_from_sensor`, in `scene`, in
    /// clear air.
    pub fn new(
        index: u16,
        sensor: &Sensor,
        platform_from_sensor: Pose,
        scene: &Scene,
    ) -> SensorRun {
        let mut range_report = sensor.range_report.clone();
        let mut echo_cut = sensor.echo_cut;
        if sensor.waveform.is_some() {
            // The receiver's threshold says what is seen, and its noise how wrong a range is.
            echo_cut = EchoCut::Dark;
            range_report.error.sigma = Sigma::default();
        }
        SensorRun {
            index,
            name: sensor.name.clone(),
            pattern: sensor.pattern.clone(),
            platform_from_sensor,
            footprint: match &sensor.halo {
                Some(halo) => Footprint::new(&sensor.beam).with_halo(&sensor.beam, halo),
                None => Footprint::new(&sensor.beam),
            },
            saturation: sensor.saturation,
            echo_cut,
            detector: sensor.detector(),
            range_report,
            optics: scene.optics(sensor.wavelength_nm),
            air: None,
        }
    }
}

/// The columns of all steps for a batch of pulses, kept by one thread from batch to batch.
#[derive(Default)]
pub struct Batch {
    /// From the pattern, in the sensor's frame.
    pub pulses: Pulses,
    /// From the platform: the pose `world_from_sensor` of each pulse.
    pub poses: Poses,
    /// The same as the platform believes it; empty where it knows.
    pub believed_poses: Poses,
    /// Scratch of poses per scan.
    pub scan_start: (Vec<f64>, Pulses),
    /// From the footprint: the sub-rays in the world.
    pub beams: Beams,
    /// What moves, fitted to the times of the pulses.
    pub movers: MovingTree,
    /// From the world: what the sub-rays met.
    pub interactions: Interactions,
    /// Scratch of the air.
    pub air: AirScratch,
    /// From the echo: what came back.
    pub signal: EchoSignal,
    /// Scratch of the detector.
    pub samples: Vec<Sample>,
    /// Scratch of detectors in waveforms, and the waveforms that are kept.
    pub waveform: Scratch,
    /// From the detector: the returns.
    pub detections: Detections,
    /// From the range error: the measured range of each detection.
    pub measured_m: Vec<f64>,
}

impl Batch {
    /// Says where the sensor is at each pulse.
    fn place(&mut self, run: &PreparedRun, sensor: &SensorRun) {
        let (starts_s, scratch) = &mut self.scan_start;
        let times_s = match run.registration.per {
            PosePer::Pulse => &self.pulses.time_s,
            PosePer::Scan => {
                sensor.pattern.scan_starts(&self.pulses, scratch, starts_s);
                starts_s
            }
        };
        let mount = &sensor.platform_from_sensor;
        run.trajectory.poses_at(times_s, mount, &mut self.poses);
        self.believed_poses.clear();
        if let Some(believed) = run.registration.belief() {
            believed.poses_at(&run.trajectory, times_s, mount, &mut self.believed_poses);
        }
    }

    /// The poses with which points get into the world.
    pub fn registered_poses(&self) -> &Poses {
        if self.believed_poses.is_empty() { &self.poses } else { &self.believed_poses }
    }

    /// Makes the tree over what moves fit the times of the pulses.
    fn fit_movers(&mut self, scene: &Scene) {
        if scene.rays.mover_count() > 0 {
            let times_s = self.pulses.time_s.iter();
            let (from_s, to_s) = times_s
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(*t), b.max(*t)));
            scene.rays.fit_movers(&mut self.movers, from_s, to_s);
        }
    }
}
