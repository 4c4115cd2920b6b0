//! The JSON that describes an Ouster sensor: written as firmware 3 does, read as all have done.
//!
//! Drivers need it beside the packets: packets have ranges, the metadata has the angles. Newer
//! firmware groups the keys (`beam_intrinsics`, `lidar_data_format`, …), older has them side by
//! side. Lengths are millimetres, angles degrees; `beam_azimuth_angles` are positive to the right,
//! where [`LaserDescription`] counts to the left.

use super::LIDAR_PORT;
use super::layout::{Layout, Profile};
use crate::error::damaged;
use crate::{
    CloudError, IDENTITY_ROWS, LaserDescription, OusterProduct, OusterProfile, PacketFormat,
    ReportedReturns, SensorDescription, Spin,
};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Columns of a packet as Ouster's sensors send them.
pub(super) const COLUMNS_PER_PACKET: u32 = 16;
/// Columns and revolutions per second that the sensors have.
const MODES: [(u32, u32); 6] =
    [(512, 10), (512, 20), (1024, 10), (1024, 20), (2048, 10), (4096, 5)];
/// Metadata has some kilobytes; what is larger is something else.
const FILE_MAX: u64 = 4 << 20;
const FORMAT: &str = "Ouster metadata";

/// The metadata of a simulated Ouster sensor, as its HTTP interface would give it and as
/// ouster-sdk takes it beside a capture. `destination` is where its packets go.
pub fn ouster_metadata(facts: &SensorDescription, destination: &str) -> Result<String, CloudError> {
    match &facts.packets {
        Some(PacketFormat::Ouster(product)) => write(facts, product, destination),
        _ => Err(unfit(facts, "it is no Ouster sensor")),
    }
}

/// Reads the metadata of an Ouster sensor, of any firmware.
pub fn read_ouster_metadata(path: &Path) -> Result<SensorDescription, CloudError> {
    Metadata::read(path).map(|metadata| metadata.facts)
}

fn unfit(facts: &SensorDescription, what: impl Into<String>) -> CloudError {
    CloudError::Unpackable { sensor: facts.name.clone(), what: what.into() }
}

/// A number that packets and metadata share and that is never 0, which would mean none.
pub(crate) fn init_id(product: &OusterProduct) -> u32 {
    (product.serial % 0xff_ffff) as u32 + 1
}

/// The metadata of a sensor that the vendor could have built.
pub(crate) fn write(
    facts: &SensorDescription,
    product: &OusterProduct,
    destination: &str,
) -> Result<String, CloudError> {
    let fps = (1.0 / facts.scan_s).round();
    let columns = facts.columns_per_scan;
    let mode = MODES.into_iter().find(|&(c, f)| c == columns && f64::from(f) == fps);
    let even = (facts.scan_s * fps - 1.0).abs() < 1e-6;
    let Some((columns, fps)) = mode.filter(|_| even) else {
        let why = format!(
            "{columns} columns in {} s are no lidar mode; choose 512x10, 512x20, 1024x10, 1024x20 or 2048x10",
            facts.scan_s
        );
        return Err(unfit(facts, why));
    };
    if !facts.spin.is_some_and(|spin| spin.clockwise) {
        return Err(unfit(facts, "its head does not turn clockwise as Ouster's do"));
    }
    let Some(first) = facts.lasers.first() else {
        return Err(unfit(facts, "it has no channels"));
    };
    let differs = |laser: &LaserDescription| {
        laser.forward_m != first.forward_m || laser.up_m != first.up_m || laser.left_m != 0.0
    };
    if let Some(channel) = facts.lasers.iter().position(differs) {
        let why = format!(
            "the beam of channel {channel} has another origin than the first; Ouster's have one in common, straight ahead"
        );
        return Err(unfit(facts, why));
    }
    if product.serial == 0 || product.serial >> 40 != 0 {
        let why = format!("the serial number {} has not 1 to 40 bits", product.serial);
        return Err(unfit(facts, why));
    }
    let altitudes: Vec<f64> = facts.lasers.iter().map(|laser| tidy(laser.elevation_deg)).collect();
    let azimuths: Vec<f64> =
        facts.lasers.iter().map(|laser| tidy(-laser.azimuth_offset_deg)).collect();
    let shift = |azimuth_deg: &f64| (azimuth_deg * f64::from(columns) / 360.0).round() as i64;
    let shifts: Vec<i64> = azimuths.iter().map(shift).collect();
    let forward_mm = tidy(first.forward_m * 1e3);
    let up_mm = tidy(first.up_m * 1e3);
    let [x, y, z] = facts.sensor_from_lidar.map(|row| row.map(tidy));
    let in_mm = |row: [f64; 4]| [row[0], row[1], row[2], tidy(row[3] * 1e3)];
    let lidar_to_sensor = [in_mm(x), in_mm(y), in_mm(z), [0.0, 0.0, 0.0, 1.0]];
    let beam_to_lidar = [
        [1.0, 0.0, 0.0, forward_mm],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, up_mm],
        [0.0, 0.0, 0.0, 1.0],
    ];
    // Where the vendor's sensors have their inertial unit.
    let imu_to_sensor = [
        [1.0, 0.0, 0.0, 6.253],
        [0.0, 1.0, 0.0, -11.775],
        [0.0, 0.0, 1.0, 7.645],
        [0.0, 0.0, 0.0, 1.0],
    ];
    let profile = Profile::from(product.profile).name();
    let metadata = json!({
        "sensor_info": {
            "prod_line": product.product,
            "prod_pn": "simulated",
            "prod_sn": product.serial.to_string(),
            "image_rev": "ousteros-image-prod-simulated-v3.1.0+20250101000000",
            "build_rev": "v3.1.0",
            "build_date": "2025-01-01T00:00:00Z",
            "initialization_id": init_id(product),
            "status": "RUNNING",
        },
        "beam_intrinsics": {
            "beam_altitude_angles": altitudes,
            "beam_azimuth_angles": azimuths,
            "lidar_origin_to_beam_origin_mm": forward_mm,
            "beam_to_lidar_transform": beam_to_lidar.concat(),
        },
        "imu_intrinsics": { "imu_to_sensor_transform": imu_to_sensor.concat() },
        "lidar_intrinsics": { "lidar_to_sensor_transform": lidar_to_sensor.concat() },
        "config_params": {
            "lidar_mode": format!("{columns}x{fps}"),
            "operating_mode": "NORMAL",
            "timestamp_mode": "TIME_FROM_PTP_1588",
            "azimuth_window": [0, 360_000],
            "columns_per_packet": COLUMNS_PER_PACKET,
            "signal_multiplier": 1,
            "phase_lock_enable": false,
            "phase_lock_offset": 0,
            "udp_dest": destination,
            "udp_port_lidar": LIDAR_PORT,
            // No packets of an inertial unit are sent.
            "udp_port_imu": 0,
            "udp_profile_lidar": profile,
            "udp_profile_imu": "LEGACY",
        },
        "lidar_data_format": {
            "columns_per_frame": columns,
            "columns_per_packet": COLUMNS_PER_PACKET,
            "column_window": [0, columns - 1],
            "pixels_per_column": facts.lasers.len(),
            "pixel_shift_by_row": shifts,
            "udp_profile_lidar": profile,
            "udp_profile_imu": "LEGACY",
            "fps": fps,
        },
        "calibration_status": {
            "reflectivity": { "valid": true, "timestamp": "2025-01-01T00:00:00" },
        },
        "user_data": format!("simulated by {}", crate::SOFTWARE),
    });
    Ok(format!("{metadata:#}\n"))
}

/// Without the last digits, which are left over from radians and metres.
fn tidy(value: f64) -> f64 {
    let rounded = (value * 1e9).round() / 1e9;
    // No negative zero.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// The text of a file of a sensible size.
fn read_text(path: &Path) -> Result<String, CloudError> {
    let failed = |e| CloudError::read(path, e);
    let file = File::open(path).map_err(failed)?;
    let mut text = Vec::new();
    file.take(FILE_MAX + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > FILE_MAX {
        return Err(damaged(path, FORMAT, format!("it has more than {FILE_MAX} bytes")));
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What a decoder needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Metadata {
    pub(crate) facts: SensorDescription,
    pub(crate) layout: Layout,
    /// Port of lidar packets.
    pub(super) port: u16,
    /// Number of the initialisation, 0: not known.
    pub(super) init_id: u32,
    /// Serial number, 0: not known.
    pub(crate) serial: u64,
    /// Whether only some columns of a frame are measured.
    pub(super) windowed: bool,
}

impl Metadata {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Metadata, CloudError> {
        let text = read_text(path)?;
        Metadata::parse(&text).map_err(|what| damaged(path, FORMAT, what))
    }

    /// Reads a file beside a capture; `None` if there is none or it is about something else.
    pub(crate) fn beside(path: &Path) -> Result<Option<Metadata>, CloudError> {
        if !path.is_file() {
            return Ok(None);
        }
        let text = read_text(path)?;
        if !text.contains("beam_altitude_angles") {
            return Ok(None);
        }
        Metadata::parse(&text).map(Some).map_err(|what| damaged(path, FORMAT, what))
    }

    /// Of a sensor that is known without a file.
    pub(crate) fn from_description(facts: &SensorDescription) -> Result<Metadata, CloudError> {
        let text = ouster_metadata(facts, "127.0.0.1")?;
        Metadata::parse(&text).map_err(|what| unfit(facts, what))
    }

    /// Reads a text; an error says what does not fit.
    pub(crate) fn parse(text: &str) -> Result<Metadata, String> {
        let root: Value = serde_json::from_str(text).map_err(|e| format!("it is no JSON: {e}"))?;
        let keys = Keys { root: &root };
        let altitudes = keys.angles("beam_altitude_angles")?;
        let azimuths = keys.angles("beam_azimuth_angles")?;
        if altitudes.len() != azimuths.len() {
            return Err(format!(
                "it has {} beam_altitude_angles and {} beam_azimuth_angles",
                altitudes.len(),
                azimuths.len()
            ));
        }
        let (columns, fps) = keys.mode()?;
        let rows = keys.whole("lidar_data_format", "pixels_per_column", 65_535)?;
        if rows.is_some_and(|rows| rows != altitudes.len() as u64) {
            let given = rows.unwrap_or_default();
            let angles = altitudes.len();
            return Err(format!("its pixels_per_column is {given}, but it has {angles} angles"));
        }
        let (profile, fusa) = keys.profile()?;
        let per_packet = keys.whole("lidar_data_format", "columns_per_packet", 65_535)?;
        let per_packet = per_packet.unwrap_or(u64::from(COLUMNS_PER_PACKET)) as usize;
        let Some(layout) = Layout::new(profile, altitudes.len(), per_packet) else {
            let rows = altitudes.len();
            return Err(format!(
                "a packet of {per_packet} columns with {rows} rows is empty or larger than a datagram"
            ));
        };
        let layout = layout.with_fusa(fusa);
        let product = keys.text("sensor_info", "prod_line").unwrap_or_default();
        let [forward_m, up_m] = keys.beam_origin_m(&product)?;
        let sensor_from_lidar = keys.sensor_from_lidar()?;
        let serial = keys.text("sensor_info", "prod_sn");
        let serial = serial.and_then(|serial| serial.parse::<u64>().ok()).unwrap_or_default();
        let init_id = keys.whole("sensor_info", "initialization_id", 0xff_ffff)?;
        let port = keys.whole("config_params", "udp_port_lidar", 65_535)?;
        let scan_s = 1.0 / f64::from(fps);
        let laser = |(&elevation_deg, azimuth_deg): (&f64, &f64)| LaserDescription {
            elevation_deg,
            azimuth_offset_deg: -azimuth_deg,
            forward_m,
            left_m: 0.0,
            up_m,
            firing_s: 0.0,
        };
        let facts = SensorDescription {
            name: match product.as_str() {
                "" => "ouster".to_owned(),
                product => product.to_ascii_lowercase(),
            },
            packets: Some(PacketFormat::Ouster(OusterProduct {
                profile: match profile {
                    Profile::Legacy => OusterProfile::Legacy,
                    _ => OusterProfile::Rng19,
                },
                product,
                serial,
            })),
            lasers: altitudes.iter().zip(&azimuths).map(laser).collect(),
            spin: Some(Spin {
                rotation_hz: f64::from(fps),
                clockwise: true,
                cycle_s: scan_s / f64::from(columns),
            }),
            scan_s,
            columns_per_scan: columns,
            range_m: [0.0, f64::from(profile.range_max_mm()) * 1e-3],
            returns: match profile.returns() {
                1 => ReportedReturns::Strongest,
                _ => ReportedReturns::All,
            },
            sensor_from_lidar,
            platform_from_sensor: IDENTITY_ROWS,
        };
        Ok(Metadata {
            facts,
            layout,
            port: port.filter(|port| *port > 0).unwrap_or(u64::from(LIDAR_PORT)) as u16,
            init_id: init_id.unwrap_or_default() as u32,
            serial,
            windowed: keys.windowed(columns)?,
        })
    }
}

/// Values by name, whether they are grouped or not.
struct Keys<'a> {
    root: &'a Value,
}

impl Keys<'_> {
    /// A value in its group, in the group of older firmware, or at the top.
    fn get(&self, group: &str, key: &str) -> Option<&Value> {
        let older = if group == "lidar_data_format" { "data_format" } else { group };
        let groups = [self.root.get(group), self.root.get(older), Some(self.root)];
        let found = groups.into_iter().flatten().find_map(|group| group.get(key));
        found.filter(|value| !value.is_null())
    }

    fn text(&self, group: &str, key: &str) -> Option<String> {
        match self.get(group, key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn whole(&self, group: &str, key: &str, max: u64) -> Result<Option<u64>, String> {
        let Some(value) = self.get(group, key) else { return Ok(None) };
        match value.as_u64().filter(|number| *number <= max) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("its {key} is {value:.40}, no whole number from 0 to {max}")),
        }
    }

    /// Numbers of a list, each finite.
    fn numbers(&self, group: &str, key: &str) -> Result<Option<Vec<f64>>, String> {
        let Some(value) = self.get(group, key) else { return Ok(None) };
        let list = value.as_array().ok_or_else(|| format!("its {key} is no list of numbers"))?;
        let number = |(i, value): (usize, &Value)| {
            let number = value.as_f64().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("entry {i} of its {key} is no number"))
        };
        list.iter().enumerate().map(number).collect::<Result<_, _>>().map(Some)
    }

    fn angles(&self, key: &str) -> Result<Vec<f64>, String> {
        let angles = self.numbers("beam_intrinsics", key)?;
        let angles = angles.ok_or_else(|| format!("it has no {key}"))?;
        match angles.iter().position(|angle| angle.abs() > 360.0) {
            Some(i) => Err(format!("entry {i} of its {key} is beyond 360 degrees")),
            None if angles.is_empty() => Err(format!("its {key} are empty")),
            None => Ok(angles),
        }
    }

    /// Columns of a frame and frames per second.
    fn mode(&self) -> Result<(u32, u32), String> {
        let mode = self.text("config_params", "lidar_mode");
        let parsed = mode.as_deref().and_then(|mode| {
            let (columns, fps) = mode.split_once('x')?;
            Some((columns.parse::<u32>().ok()?, fps.parse::<u32>().ok()?))
        });
        let columns = self.whole("lidar_data_format", "columns_per_frame", 65_536)?;
        let fps = self.whole("lidar_data_format", "fps", 1000)?.filter(|fps| *fps > 0);
        let columns = columns.map(|columns| columns as u32).or(parsed.map(|(columns, _)| columns));
        let fps = fps.map(|fps| fps as u32).or(parsed.map(|(_, fps)| fps));
        match (columns, fps) {
            (Some(columns @ 1..=65_536), Some(fps @ 1..=1000)) => Ok((columns, fps)),
            _ => Err(format!(
                "its lidar_mode {:.40} is none such as 1024x10",
                mode.as_deref().unwrap_or("(missing)")
            )),
        }
    }

    /// Whether a window of columns leaves some of them out.
    fn windowed(&self, columns: u32) -> Result<bool, String> {
        let window = self.numbers("lidar_data_format", "column_window")?;
        Ok(window.is_some_and(|window| window != [0.0, f64::from(columns) - 1.0]))
    }

    /// What pixels hold, and whether packets have the header for functional safety.
    fn profile(&self) -> Result<(Profile, bool), String> {
        let name = self.text("lidar_data_format", "udp_profile_lidar");
        let Some(name) = name else { return Ok((Profile::Legacy, false)) };
        let plain = name.strip_prefix("FUSA_");
        let fusa = match self.text("lidar_data_format", "header_type").as_deref() {
            Some("STANDARD") => false,
            Some("FUSA") => true,
            None => plain.is_some(),
            Some(other) => {
                return Err(format!("its header_type {other:.60} is not STANDARD or FUSA"));
            }
        };
        let is = |profile: &Profile| profile.name() == plain.unwrap_or(&name);
        let Some(profile) = Profile::ALL.into_iter().find(is) else {
            let known = Profile::ALL.map(Profile::name).join(", ");
            return Err(format!(
                "its udp_profile_lidar {name:.60} is not known; known are {known}"
            ));
        };
        Ok((profile, fusa && profile != Profile::Legacy))
    }

    /// Where beams begin: ahead of the axis, and above.
    fn beam_origin_m(&self, product: &str) -> Result<[f64; 2], String> {
        if let Some(matrix) = self.matrix("beam_intrinsics", "beam_to_lidar_transform")? {
            return Ok([matrix[0][3], matrix[2][3]]);
        }
        let given = self.get("beam_intrinsics", "lidar_origin_to_beam_origin_mm");
        if let Some(value) = given {
            let mm = value.as_f64().filter(|mm| mm.abs() <= 1000.0);
            let wrong = || format!("its lidar_origin_to_beam_origin_mm is {value:.40}");
            return Ok([mm.ok_or_else(wrong)? / 1e3, 0.0]);
        }
        // What firmware that did not say it had.
        let mm = match product.get(..5).unwrap_or_default() {
            "OS-0-" => 27.67,
            "OS-1-" => 15.806,
            "OS-2-" => 13.762,
            _ => 12.163,
        };
        Ok([mm / 1e3, 0.0])
    }

    fn sensor_from_lidar(&self) -> Result<[[f64; 4]; 3], String> {
        let key = "lidar_to_sensor_transform";
        let Some(matrix) = self.matrix("lidar_intrinsics", key)? else {
            return Ok([[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.036_18]]);
        };
        match crate::poses::Rigid::from_rows(&matrix) {
            Some(_) => Ok(matrix),
            None => Err(format!("its {key} is no rotation and translation")),
        }
    }

    /// A matrix of four rows, its translation made metres.
    fn matrix(&self, group: &str, key: &str) -> Result<Option<[[f64; 4]; 3]>, String> {
        let Some(numbers) = self.numbers(group, key)? else { return Ok(None) };
        let (rows, rest) = numbers.as_chunks::<4>();
        let &[x, y, z, _] = rows else {
            return Err(format!("its {key} has {} numbers instead of 16", numbers.len()));
        };
        if !rest.is_empty() {
            return Err(format!("its {key} has {} numbers instead of 16", numbers.len()));
        }
        let matrix = [x, y, z].map(|row| [row[0], row[1], row[2], row[3] / 1e3]);
        match matrix.iter().all(|row| row[3].abs() <= 1000.0) {
            true => Ok(Some(matrix)),
            false => Err(format!("its {key} moves by more than a kilometre")),
        }
    }
}
