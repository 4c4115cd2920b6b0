//! Scenario → [`PreparedRun`]: reads the meshes, builds the scene and sets up each sensor in it.

use crate::Error;
use crate::range_error::RangeError;
use crate::scenario::Scenario;
use crate::simulate::{PreparedRun, SensorRun};

impl PreparedRun {
    /// Everything that a run of `scenario` needs.
    ///
    /// ```
    /// use understory::scenario::Scenario;
    /// use understory::simulate::PreparedRun;
    /// let run = PreparedRun::from_scenario(&Scenario::embedded("plane")?)?;
    /// assert_eq!(run.sensors[0].name, "lidar");
    /// # Ok::<(), understory::Error>(())
    /// ```
    pub fn from_scenario(scenario: &Scenario) -> Result<PreparedRun, Error> {
        let scene = scenario.build_scene()?;
        let sensors = (0..).zip(&scenario.sensors).map(|(index, mounted)| {
            let pose = mounted.platform_from_sensor;
            let sensor = SensorRun::new(index, &mounted.sensor, pose, RangeError::None, &scene);
            SensorRun { name: mounted.name.clone(), ..sensor }
        });
        Ok(PreparedRun {
            sensors: sensors.collect(),
            trajectory: scenario.trajectory.clone(),
            seed: scenario.seed,
            duration_s: scenario.duration_s,
            scene,
        })
    }
}
