//! The facts of Velodyne's models, out of the sensor presets that the simulator uses.

use super::model_facts;
use crate::{
    CloudError, LaserDescription, PacketFormat, ReportedReturns, SensorDescription, Spin,
    VelodyneModel,
};
use serde::Deserialize;

/// What is read of a preset.
#[derive(Deserialize)]
struct Preset {
    spinning: Spinning,
    channels: Channels,
    detector: Detector,
}

#[derive(Deserialize)]
struct Spinning {
    rotation_hz: f64,
    cycle_us: f64,
}

#[derive(Deserialize)]
struct Channels {
    elevation_deg: Vec<f64>,
    #[serde(default)]
    azimuth_offset_deg: Vec<f64>,
    #[serde(default)]
    vertical_offset_mm: Vec<f64>,
    #[serde(default)]
    horizontal_offset_mm: Vec<f64>,
    firing_us: Vec<f64>,
}

#[derive(Deserialize)]
struct Detector {
    range_min_m: f64,
    range_max_m: f64,
}

fn text(model: VelodyneModel) -> (&'static str, &'static str) {
    macro_rules! preset {
        ($name:literal) => {
            ($name, include_str!(concat!("../../../../../sensors/", $name, ".toml")))
        };
    }
    match model {
        VelodyneModel::Vlp16 => preset!("vlp-16"),
        VelodyneModel::Hdl32e => preset!("hdl-32e"),
        VelodyneModel::Hdl64eS2 => preset!("hdl-64e-s2"),
        VelodyneModel::Hdl64eS3 => preset!("hdl-64e-s3"),
        VelodyneModel::Vlp32c => preset!("vlp-32c"),
        VelodyneModel::Vls128 => preset!("vls-128"),
    }
}

impl SensorDescription {
    /// A unit of Velodyne's as its preset describes it, at its usual 10 Hz and with one return.
    ///
    /// ```
    /// use understory_cloud::{SensorDescription, VelodyneModel};
    /// let facts = SensorDescription::velodyne(VelodyneModel::Vlp16)?;
    /// assert_eq!((facts.name.as_str(), facts.channels()), ("vlp-16", 16));
    /// # Ok::<(), understory_cloud::CloudError>(())
    /// ```
    pub fn velodyne(model: VelodyneModel) -> Result<SensorDescription, CloudError> {
        let (name, text) = text(model);
        let broken = |what: String| CloudError::Unpackable { sensor: name.to_owned(), what };
        let preset: Preset = toml::from_str(text)
            .map_err(|e| broken(format!("its preset cannot be read ({})", e.message())))?;
        let Channels {
            elevation_deg,
            azimuth_offset_deg,
            vertical_offset_mm,
            horizontal_offset_mm,
            firing_us,
        } = preset.channels;
        let lasers = model_facts(model).lasers;
        if elevation_deg.len() != lasers || firing_us.len() != lasers {
            return Err(broken(format!("its preset has not {lasers} lasers")));
        }
        let value = |values: &[f64], i: usize| values.get(i).copied().unwrap_or(0.0);
        let laser = |i: usize| LaserDescription {
            elevation_deg: value(&elevation_deg, i),
            azimuth_offset_deg: value(&azimuth_offset_deg, i),
            forward_m: 0.0,
            left_m: 1e-3 * value(&horizontal_offset_mm, i),
            up_m: 1e-3 * value(&vertical_offset_mm, i),
            firing_s: 1e-6 * value(&firing_us, i),
        };
        let Spinning { rotation_hz, cycle_us } = preset.spinning;
        let cycle_s = 1e-6 * cycle_us;
        Ok(SensorDescription {
            name: name.to_owned(),
            packets: Some(PacketFormat::Velodyne(model)),
            lasers: (0..lasers).map(laser).collect(),
            spin: Some(Spin { rotation_hz, clockwise: true, cycle_s }),
            scan_s: 1.0 / rotation_hz,
            columns_per_scan: (1.0 / (rotation_hz * cycle_s)).ceil() as u32,
            range_m: [preset.detector.range_min_m, preset.detector.range_max_m],
            returns: ReportedReturns::Strongest,
            sensor_from_lidar: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
        })
    }
}
