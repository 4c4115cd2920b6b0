//! One lidar packet of an Ouster sensor → rows with the full geometry of each beam.
//!
//! What enters: packets, and the metadata of the sensor that sent them. What leaves: one row per
//! return from near to far, and one per pixel without a return. Columns that never fired have no
//! rows. The scan is the frame, counted on where its 16 bits run over.

use super::crc64::crc64;
use super::layout::{Pixel, Profile, bytes_at};
use super::metadata::Metadata;
use crate::LaserDescription;
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;
use std::net::IpAddr;
use understory_base::math;

/// One sensor of a capture.
pub(crate) struct Decoder {
    pub(crate) metadata: Metadata,
    /// Cosine and sine of the encoder's angle at each column.
    encoder: Vec<[f64; 2]>,
    beams: Vec<Beam>,
    sensor_from_lidar: DMat3,
    lidar_in_sensor_m: DVec3,
    /// Scan of the last packet, and its number in a stream without gaps.
    last: Option<(u32, u64)>,
    /// Whether its packets may go to another port than the metadata say.
    pub(crate) any_port: bool,
    /// From where its last packet came.
    pub(crate) source: Option<IpAddr>,
    pub(crate) noticed: Noticed,
}

/// What was not as it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noticed {
    pub(crate) packets: u64,
    pub(crate) lost_packets: u64,
    pub(crate) wrong_checksums: u64,
    pub(crate) foreign_columns: u64,
}

/// The angles and the origin of a row of pixels.
#[derive(Clone, Copy, Debug)]
struct Beam {
    cos_azimuth: f64,
    sin_azimuth: f64,
    cos_elevation: f64,
    sin_elevation: f64,
    forward_m: f64,
    up_m: f64,
    /// How much of the range lies before the beam's origin.
    range_offset_m: f64,
}

impl Beam {
    fn of(laser: &LaserDescription) -> Beam {
        let (sin_azimuth, cos_azimuth) = math::sin_cos(laser.azimuth_offset_deg.to_radians());
        let (sin_elevation, cos_elevation) = math::sin_cos(laser.elevation_deg.to_radians());
        let (forward_m, up_m) = (laser.forward_m, laser.up_m);
        let range_offset_m = if up_m == 0.0 { forward_m } else { math::hypot(forward_m, up_m) };
        Beam {
            cos_azimuth,
            sin_azimuth,
            cos_elevation,
            sin_elevation,
            forward_m,
            up_m,
            range_offset_m,
        }
    }
}

/// A return, or a pixel without one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) sensor: u16,
    pub(crate) scan: u32,
    pub(crate) column: u16,
    pub(crate) channel: u16,
    pub(crate) time_s: f64,
    pub(crate) return_number: u8,
    pub(crate) return_count: u8,
    pub(crate) range_m: f64,
    pub(crate) intensity: f64,
    pub(crate) signal: f64,
    pub(crate) near_ir: u16,
    /// Where the beam begins, in the sensor's frame like all that follows.
    pub(crate) origin_m: DVec3,
    pub(crate) direction: DVec3,
    /// Where the return lies; NaN without one.
    pub(crate) position_m: DVec3,
    /// Number of the pulse in a stream without gaps.
    pub(crate) pulse: u64,
}

impl Decoder {
    /// Decodes the packets of the sensor that `metadata` describes.
    pub(crate) fn new(metadata: Metadata) -> Decoder {
        let columns = metadata.facts.columns_per_scan;
        let angle = |column: u32| {
            let (sin, cos) = math::sin_cos(-TAU * f64::from(column) / f64::from(columns));
            [cos, sin]
        };
        let [x, y, z] = metadata.facts.sensor_from_lidar;
        let row = |row: [f64; 4]| DVec3::new(row[0], row[1], row[2]);
        Decoder {
            encoder: (0..columns).map(angle).collect(),
            beams: metadata.facts.lasers.iter().map(Beam::of).collect(),
            sensor_from_lidar: DMat3::from_cols(row(x), row(y), row(z)).transpose(),
            lidar_in_sensor_m: DVec3::new(x[3], y[3], z[3]),
            metadata,
            last: None,
            any_port: false,
            source: None,
            noticed: Noticed::default(),
        }
    }

    /// Whether a datagram is a lidar packet of this sensor.
    pub(crate) fn sent(&self, port: u16, packet: &[u8]) -> bool {
        let metadata = &self.metadata;
        let (init_id, serial) = metadata.layout.ids(packet);
        // 0 says nothing.
        let agrees = |a: u64, b: u64| a == b || a == 0 || b == 0;
        (self.any_port || port == metadata.port)
            && packet.len() == metadata.layout.packet_len()
            && agrees(init_id.into(), metadata.init_id.into())
            && agrees(serial, metadata.serial)
    }

    /// Most rows of a packet.
    pub(crate) fn rows_max(&self) -> usize {
        let layout = self.metadata.layout;
        layout.rows * layout.columns * layout.profile.returns()
    }

    /// Appends the rows of a packet of sensor number `sensor`.
    pub(crate) fn decode(
        &mut self,
        packet: &[u8],
        sensor: u16,
        start_unix_ns: i64,
        rows: &mut Vec<Row>,
    ) {
        let layout = self.metadata.layout;
        let scan = self.follow(packet);
        for slot in 0..layout.columns {
            let (time_ns, column, fired) = layout.column(packet, slot);
            if !fired {
                continue;
            }
            let Some(&encoder) = self.encoder.get(usize::from(column)) else {
                self.noticed.foreign_columns += 1;
                continue;
            };
            let since_ns = i128::from(time_ns) - i128::from(start_unix_ns);
            let time_s = since_ns as f64 * 1e-9;
            let before = u64::from(scan) * self.encoder.len() as u64 + u64::from(column);
            let first_pulse = before * self.beams.len() as u64;
            for ((channel, beam), pixel) in (0..).zip(&self.beams).zip(layout.pixels(packet, slot))
            {
                let (origin_m, direction) = self.ray(beam, encoder);
                let row = Row {
                    sensor,
                    scan,
                    column,
                    channel,
                    time_s,
                    return_number: 0,
                    return_count: 0,
                    range_m: f64::NAN,
                    intensity: f64::NAN,
                    signal: f64::NAN,
                    near_ir: pixel.near_ir,
                    origin_m,
                    direction,
                    position_m: DVec3::NAN,
                    pulse: first_pulse + u64::from(channel),
                };
                push_returns(&pixel, row, beam.range_offset_m, rows);
            }
        }
    }

    /// Counts a packet and finds its scan.
    fn follow(&mut self, packet: &[u8]) -> u32 {
        let layout = self.metadata.layout;
        let scan = match (layout.frame(packet), self.last) {
            // The nearest number with these 16 bits: packets may come late, but not by half a
            // round.
            ((frame, 16), Some((last, _))) => {
                last.saturating_add_signed((frame.wrapping_sub(last) as u16 as i16).into())
            }
            ((frame, _), _) => frame,
        };
        let per_scan = self.encoder.len().div_ceil(layout.columns) as u64;
        let (_, column, _) = layout.column(packet, 0);
        let number = u64::from(scan) * per_scan + u64::from(column) / layout.columns as u64;
        self.noticed.packets += 1;
        match self.last {
            Some((_, last)) if number > last => {
                // A window leaves the same packets out each time.
                if !self.metadata.windowed {
                    self.noticed.lost_packets += number - last - 1;
                }
                self.last = Some((scan, number));
            }
            // Late ones were counted as lost.
            Some(_) => self.noticed.lost_packets = self.noticed.lost_packets.saturating_sub(1),
            None => self.last = Some((scan, number)),
        }
        if layout.profile != Profile::Legacy {
            let end = packet.len().saturating_sub(8);
            let crc = u64::from_le_bytes(bytes_at(packet, end));
            // Older firmware has none.
            let wrong = crc != 0 && crc != crc64(packet.get(..end).unwrap_or_default());
            self.noticed.wrong_checksums += u64::from(wrong);
        }
        scan
    }

    /// Origin and direction of a beam at an angle of the encoder, in the sensor's frame.
    fn ray(&self, beam: &Beam, [cos, sin]: [f64; 2]) -> (DVec3, DVec3) {
        let along = DVec3::new(
            beam.cos_elevation * (cos * beam.cos_azimuth - sin * beam.sin_azimuth),
            beam.cos_elevation * (sin * beam.cos_azimuth + cos * beam.sin_azimuth),
            beam.sin_elevation,
        );
        let from = DVec3::new(beam.forward_m * cos, beam.forward_m * sin, beam.up_m);
        let origin_m = self.sensor_from_lidar * from + self.lidar_in_sensor_m;
        (origin_m, self.sensor_from_lidar * along)
    }
}

/// Appends the returns of a pixel from near to far, or the pixel without one.
fn push_returns(pixel: &Pixel, row: Row, range_offset_m: f64, rows: &mut Vec<Row>) {
    let order: &[usize] = match pixel.range_mm {
        [0, 0] => return rows.push(row),
        [_, 0] => &[0],
        [0, _] => &[1],
        [first, second] if second < first => &[1, 0],
        _ => &[0, 1],
    };
    for (return_number, &which) in (1..).zip(order) {
        let range_m = f64::from(pixel.range_mm[which]) * 1e-3;
        rows.push(Row {
            return_number,
            return_count: order.len() as u8,
            range_m,
            intensity: f64::from(pixel.reflectivity[which]) / 100.0,
            signal: pixel.signal[which].into(),
            position_m: row.origin_m + row.direction * (range_m - range_offset_m),
            ..row
        });
    }
}
