//! A sensor on its platform in a scene: [`Sensor`] → [`SensorRun`].

use std::sync::Arc;

use glam::DVec3;
use understory_base::Pose;

use super::Sensor;
use crate::pulse::atmosphere::{Air, Atmosphere, EchoScale, Receiver};
use crate::pulse::beam::Footprint;
use crate::pulse::blooming::Blooming;
use crate::pulse::echo::SensitivityModel;
use crate::pulse::prepared_run::{Delay, SensorRun};
use crate::pulse::range_error::Sigma;
use crate::world::scene::Scene;

impl SensorRun {
    /// Sensor number `index` of a run, on the platform at `platform_from_sensor`, in `scene`, in
    /// clear air.
    pub fn new(
        index: u16,
        sensor: &Sensor,
        platform_from_sensor: Pose,
        scene: &Scene,
    ) -> SensorRun {
        let mut range_model = sensor.range_model.clone();
        let mut sensitivity = sensor.sensitivity;
        if sensor.waveform.is_some() {
            // The receiver's threshold says what is seen, and its noise how wrong a range is.
            sensitivity = SensitivityModel::Dark;
            range_model.error.sigma = Sigma::default();
        }
        let blooming = sensor.halo.and_then(|halo| Blooming::new(&halo, &sensor.beam, scene));
        let footprint = Footprint::new(&sensor.beam);
        SensorRun {
            index,
            name: sensor.name.clone(),
            pattern: sensor.pattern.clone(),
            delay: Delay::Seconds(0.0),
            platform_from_sensor,
            misaligned: sensor.misalignment.map(|turn| {
                let turned = Pose { translation: DVec3::ZERO, rotation: turn };
                platform_from_sensor.after(&turned)
            }),
            footprint: if blooming.is_some() { footprint.keeping_left() } else { footprint },
            blooming: blooming.map(Arc::new),
            saturation: sensor.saturation,
            sensitivity,
            detector: sensor.detector(),
            range_model,
            optics: scene.optics(sensor.wavelength_nm),
            air: None,
        }
    }
}

impl Sensor {
    /// The air of `atmosphere` in front of this sensor; `None` if it is clear.
    pub fn air(&self, atmosphere: &Atmosphere) -> Option<Air> {
        // Where ranges repeat, the distance at which a white target is just seen.
        let limited = |reach_m: &f64| *reach_m < 0.9 * f64::from(SensitivityModel::REACH_MAX_M);
        let seen = self.folding(1.0).map(|folding| folding.reach_m).filter(limited);
        let range_max_m = seen.unwrap_or(self.detector.range_max_m) - self.detector.range_offset_m;
        let scale = match self.waveform {
            Some(_) => EchoScale::Power,
            None => EchoScale::Target,
        };
        Air::new(atmosphere, Receiver::new(self.wavelength_nm, &self.beam, range_max_m, scale))
    }
}
