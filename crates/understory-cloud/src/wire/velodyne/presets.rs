//! The facts of Velodyne's models, out of the sensor presets that the simulator uses.

use super::model_facts;
use crate::{
    CloudError, IDENTITY_ROWS, LaserDescription, PacketFormat, ReportedReturns, SensorDescription,
    Spin, VelodyneModel,
};
use understory_files::Numbers;
use understory_files::sensor::SensorFile;

fn preset_name(model: VelodyneModel) -> &'static str {
    match model {
        VelodyneModel::Vlp16 => "vlp-16",
        VelodyneModel::Hdl32e => "hdl-32e",
        VelodyneModel::Hdl64eS2 => "hdl-64e-s2",
        VelodyneModel::Hdl64eS3 => "hdl-64e-s3",
        VelodyneModel::Vlp32c => "vlp-32c",
        VelodyneModel::Vls128 => "vls-128",
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
        let name = preset_name(model);
        let broken = |what: String| CloudError::Unpackable { sensor: name.to_owned(), what };
        let preset = SensorFile::preset(name)
            .map_err(|error| broken(format!("its preset cannot be read ({error})")))?;
        let (Some(spinning), Some(channels)) = (&preset.spinning, &preset.channels) else {
            return Err(broken("its preset has no spinning head".into()));
        };
        let (spinning, channels) = (spinning.get_ref(), channels.get_ref());
        let Some(cycle_us) = &spinning.cycle_us else {
            return Err(broken("its preset has no `cycle_us`".into()));
        };
        let elevation_deg = channels.elevation_deg.as_ref().map_or_else(Vec::new, Numbers::get);
        let azimuth_offset_deg =
            channels.azimuth_offset_deg.as_ref().map_or_else(Vec::new, Numbers::get);
        let vertical_offset_mm =
            channels.vertical_offset_mm.as_ref().map_or_else(Vec::new, Numbers::get);
        let horizontal_offset_mm =
            channels.horizontal_offset_mm.as_ref().map_or_else(Vec::new, Numbers::get);
        let firing_us = channels.firing_us.as_ref().map_or_else(Vec::new, Numbers::get);
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
        let (rotation_hz, cycle_s) = (spinning.rotation_hz.get(), 1e-6 * cycle_us.get());
        Ok(SensorDescription {
            name: name.to_owned(),
            packets: Some(PacketFormat::Velodyne(model)),
            lasers: (0..lasers).map(laser).collect(),
            spin: Some(Spin { rotation_hz, clockwise: true, cycle_s }),
            scan_s: 1.0 / rotation_hz,
            columns_per_scan: (1.0 / (rotation_hz * cycle_s)).ceil() as u32,
            range_m: [preset.detector.range_min_m.get(), preset.detector.range_max_m.get()],
            returns: ReportedReturns::Strongest,
            sensor_from_lidar: IDENTITY_ROWS,
            platform_from_sensor: IDENTITY_ROWS,
        })
    }
}
