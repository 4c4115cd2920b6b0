//! From a scenario to a run: [`Scenario`] → [`PreparedRun`].

use std::sync::Arc;

use understory_base::{Progress, Silent};
use understory_cloud::{SinkOptions, round_offset_m};

use super::{MountedSensor, Scenario};

use crate::Error;
use crate::pulse::beam::Footprint;
use crate::pulse::prepared_run::{PreparedRun, SensorRun};
use crate::run::vegetation_lod;
use crate::world::scene::Scene;
use crate::world::trajectory::Registration;

impl Scenario {
    /// Builds the scene and everything else that the pulses of the scenario need.
    pub fn prepare(&self) -> Result<PreparedRun, Error> {
        self.prepare_reporting(&Silent)
    }

    /// Like [`Scenario::prepare`]; `progress` hears what is built next and how much of it (0…1) is
    /// done.
    pub fn prepare_reporting(&self, progress: &dyn Progress) -> Result<PreparedRun, Error> {
        let scene = Arc::new(self.build_scene_reporting(progress)?);
        self.prepare_in(scene, progress)
    }

    /// Like [`Scenario::prepare`] in a scene that was built from this scenario, or from another with
    /// the same world, seed and duration: other sensors or another path in the same world. Where
    /// plants far away are coarser (`vegetation_lod`), nobody else may hold the scene.
    pub fn prepare_in(
        &self,
        scene: Arc<Scene>,
        progress: &dyn Progress,
    ) -> Result<PreparedRun, Error> {
        let mut sensors = Vec::with_capacity(self.sensors.len());
        for (index, mounted) in self.sensors.iter().enumerate() {
            let index = u16::try_from(index).map_err(|_| Error::Invalid {
                location: format!("sensor {:?}", mounted.name),
                problem: format!("it is number {} and a run can have 65536 sensors", index + 1),
                remedy: "split the scenario".into(),
            })?;
            sensors.push(self.sensor_run(index, mounted, &scene));
        }
        let trajectory = self.path_in(&scene)?;
        let mut run = PreparedRun {
            scene,
            trajectory,
            lines: self.lines.clone(),
            navigation: self.navigation.clone(),
            registration: Registration {
                per: self.pose_per,
                estimated: None,
                register: self.register,
                imu: self.navigation.as_ref().and_then(|navigation| navigation.imu.clone()),
            },
            sensors,
            seed: self.seed,
            duration_s: self.duration_s,
        };
        run.reseed(self.seed);
        match &self.measured_lod {
            Some(before) => vegetation_lod::settle_as_before(&mut run, before.clone())?,
            None => vegetation_lod::settle(&mut run, self.vegetation_lod, progress)?,
        }
        Ok(run)
    }

    /// A sensor, ready to look at a scene that was built from this scenario. It begins at the time 0;
    /// [`PreparedRun::reseed`] says otherwise.
    pub fn sensor_run(&self, index: u16, mounted: &MountedSensor, scene: &Scene) -> SensorRun {
        let pose = mounted.platform_from_sensor;
        let mut sensor = SensorRun::new(index, &mounted.sensor, pose, scene);
        sensor.air = self.atmosphere().and_then(|air| mounted.sensor.air(air));
        sensor.name.clone_from(&mounted.name);
        sensor.delay = mounted.delay;
        if scene.has_only_axes(sensor.footprint.divergence_rad()) && sensor.air.is_none() {
            // No other sub-ray would be queried.
            sensor.footprint = Footprint::axis_only();
        }
        sensor
    }

    /// What the writers of a run's files must know. `run` is the one that was prepared from this
    /// scenario.
    ///
    /// Coordinates in files are relative to whole kilometres near the start of the run. All parts of
    /// a run must have the same offset, whichever return comes first in them.
    pub fn sink_options(&self, run: &PreparedRun) -> SinkOptions {
        let start_m = run.trajectory.pose_at(0.0).translation;
        SinkOptions {
            misses: self.misses,
            offset_m: Some(round_offset_m(start_m.to_array())),
            waveforms: match self.waveforms {
                true => run.waveform_formats(),
                false => Vec::new(),
            },
            sensors: self.sensors.iter().map(MountedSensor::to_description).collect(),
            crs_wkt: self.world.crs_wkt.clone(),
            geographic_origin: self.world.geographic_origin,
            colours: !run.scene.materials().is_empty(),
            survey: Some(run.survey()),
            names: Some(Arc::new(run.scene.names())),
            ros_labels: self.ros_labels,
            ros_colours: self.ros_colours,
            strips: self.strips,
            ..SinkOptions::default()
        }
    }
}
