//! Ouster's lidar packets → rows with the full geometry of each beam.
//!
//! What enters: datagrams, and the metadata of the sensors that sent them. What leaves: a
//! [`Table`] with one row per return and one per pixel without a return, in the sensor's frame.
//! Columns that never fired have no rows. The scan is the frame, counted on where its 16 bits run
//! over; the column is the measurement id, and a pulse has the number that it has in a stream
//! without gaps.

use super::layout::Pixel;
use super::metadata::Metadata;
use crate::pcap::Datagrams;
use crate::table::{BLOCK_ROWS, Block, Table};
use crate::{CloudError, ColumnSummary, PacketFormat, ReadOptions};
use glam::{DMat3, DVec3};
use std::path::Path;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Position(usize),
    Intensity,
    Time,
    ReturnNumber,
    ReturnCount,
    Range,
    Azimuth,
    Elevation,
    Origin(usize),
    Direction(usize),
    Pulse,
    Sensor,
    Channel,
    Scan,
    Column,
    Signal,
    Ambient,
}

const FIELDS: [(&str, &str, Field); 23] = [
    ("x_m", "f64", Field::Position(0)),
    ("y_m", "f64", Field::Position(1)),
    ("z_m", "f64", Field::Position(2)),
    ("intensity", "f32", Field::Intensity),
    ("time_s", "f64", Field::Time),
    ("return_number", "u8", Field::ReturnNumber),
    ("return_count", "u8", Field::ReturnCount),
    ("range_m", "f32", Field::Range),
    ("azimuth_deg", "f32", Field::Azimuth),
    ("elevation_deg", "f32", Field::Elevation),
    ("origin_x_m", "f64", Field::Origin(0)),
    ("origin_y_m", "f64", Field::Origin(1)),
    ("origin_z_m", "f64", Field::Origin(2)),
    ("direction_x", "f64", Field::Direction(0)),
    ("direction_y", "f64", Field::Direction(1)),
    ("direction_z", "f64", Field::Direction(2)),
    ("pulse", "u64", Field::Pulse),
    ("sensor", "u16", Field::Sensor),
    ("channel", "u16", Field::Channel),
    ("scan", "u32", Field::Scan),
    ("column", "u32", Field::Column),
    ("signal_photons", "f32", Field::Signal),
    ("ambient_photons", "f32", Field::Ambient),
];

/// One sensor of a capture.
pub(crate) struct OusterSensor {
    metadata: Metadata,
    /// Cosine and sine of the encoder's angle at each column.
    encoder: Vec<[f64; 2]>,
    beams: Vec<Beam>,
    sensor_from_lidar: DMat3,
    lidar_in_sensor_m: DVec3,
    /// Scan of the last packet.
    scan: Option<u32>,
}

/// The angles of a row.
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

/// A return, or a pixel without one.
#[derive(Clone, Copy, Debug)]
struct Row {
    sensor: u16,
    scan: u32,
    column: u16,
    channel: u16,
    time_s: f64,
    number: u8,
    count: u8,
    range_m: f64,
    intensity: f64,
    signal: f64,
    near_ir: u16,
}

impl OusterSensor {
    /// A sensor as its metadata describes it.
    pub(crate) fn new(metadata: Metadata) -> OusterSensor {
        let columns = metadata.facts.columns_per_scan;
        let angle = |column: u32| {
            let (sin, cos) =
                (-std::f64::consts::TAU * f64::from(column) / f64::from(columns)).sin_cos();
            [cos, sin]
        };
        let beam = |laser: &crate::LaserFacts| {
            let (sin_azimuth, cos_azimuth) = laser.azimuth_offset_deg.to_radians().sin_cos();
            let (sin_elevation, cos_elevation) = laser.elevation_deg.to_radians().sin_cos();
            Beam {
                cos_azimuth,
                sin_azimuth,
                cos_elevation,
                sin_elevation,
                forward_m: laser.forward_m,
                up_m: laser.up_m,
                // Without the square root, whose rounding nobody else has.
                range_offset_m: match laser.up_m {
                    0.0 => laser.forward_m,
                    up_m => laser.forward_m.hypot(up_m),
                },
            }
        };
        let [x, y, z] = metadata.facts.sensor_from_lidar;
        let row = |row: [f64; 4]| DVec3::new(row[0], row[1], row[2]);
        OusterSensor {
            encoder: (0..columns).map(angle).collect(),
            beams: metadata.facts.lasers.iter().map(beam).collect(),
            sensor_from_lidar: DMat3::from_cols(row(x), row(y), row(z)).transpose(),
            lidar_in_sensor_m: DVec3::new(x[3], y[3], z[3]),
            metadata,
            scan: None,
        }
    }

    /// Whether a datagram is a lidar packet of this sensor.
    fn sent(&self, port: u16, packet: &[u8]) -> bool {
        let metadata = &self.metadata;
        let (init_id, serial) = metadata.layout.ids(packet);
        // 0 says nothing.
        let agrees = |a: u64, b: u64| a == b || a == 0 || b == 0;
        port == metadata.port
            && packet.len() == metadata.layout.packet_len()
            && agrees(init_id.into(), metadata.init_id.into())
            && agrees(serial, metadata.serial)
    }

    /// Appends the rows of a packet.
    fn decode(&mut self, packet: &[u8], sensor: u16, start_unix_ns: i64, rows: &mut Vec<Row>) {
        let layout = self.metadata.layout;
        let frame = layout.frame(packet);
        // The nearest number with these 16 bits: packets may come late, but not by half a round.
        let scan = match self.scan {
            None => u32::from(frame),
            Some(last) => {
                let step = frame.wrapping_sub(last as u16) as i16;
                last.saturating_add_signed(step.into())
            }
        };
        self.scan = Some(self.scan.map_or(scan, |last| last.max(scan)));
        for column in 0..layout.columns {
            let (time_ns, measurement, valid) = layout.column(packet, column);
            if !valid || u32::from(measurement) >= self.metadata.facts.columns_per_scan {
                continue;
            }
            let since_ns = i128::from(time_ns) - i128::from(start_unix_ns);
            let time_s = since_ns as f64 * 1e-9;
            for (channel, pixel) in layout.pixels(packet, column).enumerate() {
                let row = Row {
                    sensor,
                    scan,
                    column: measurement,
                    channel: channel as u16,
                    time_s,
                    number: 0,
                    count: 0,
                    range_m: f64::NAN,
                    intensity: f64::NAN,
                    signal: f64::NAN,
                    near_ir: pixel.near_ir,
                };
                returns_of(&pixel, row, rows);
            }
        }
    }
}

/// Appends the returns of a pixel from near to far, or the pixel without one.
fn returns_of(pixel: &Pixel, row: Row, rows: &mut Vec<Row>) {
    let [first, second] = pixel.range_mm;
    let order: &[usize] = match (first, second) {
        (0, 0) => return rows.push(row),
        (_, 0) => &[0],
        (0, _) => &[1],
        (first, second) if second < first => &[1, 0],
        _ => &[0, 1],
    };
    for (before, &which) in order.iter().enumerate() {
        rows.push(Row {
            number: before as u8 + 1,
            count: order.len() as u8,
            range_m: f64::from(pixel.range_mm[which]) * 1e-3,
            intensity: f64::from(pixel.reflectivity[which]) / 100.0,
            signal: pixel.signal[which].into(),
            ..row
        });
    }
}

/// A row in the sensor's frame.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Where the beam begins.
    origin_m: DVec3,
    direction: DVec3,
    /// Where the return lies; NaN without one.
    position_m: DVec3,
    /// Number of the pulse in a stream without gaps.
    pulse: f64,
}

impl OusterSensor {
    /// Places a row in the sensor's frame.
    fn place(&self, row: &Row) -> Option<Placed> {
        let beam = self.beams.get(usize::from(row.channel))?;
        let &[cos, sin] = self.encoder.get(usize::from(row.column))?;
        let along = DVec3::new(
            beam.cos_elevation * (cos * beam.cos_azimuth - sin * beam.sin_azimuth),
            beam.cos_elevation * (sin * beam.cos_azimuth + cos * beam.sin_azimuth),
            beam.sin_elevation,
        );
        let from = DVec3::new(beam.forward_m * cos, beam.forward_m * sin, beam.up_m);
        let direction = self.sensor_from_lidar * along;
        let origin_m = self.sensor_from_lidar * from + self.lidar_in_sensor_m;
        let column = f64::from(row.scan) * self.encoder.len() as f64 + f64::from(row.column);
        Some(Placed {
            origin_m,
            direction,
            position_m: origin_m + direction * (row.range_m - beam.range_offset_m),
            pulse: column * self.beams.len() as f64 + f64::from(row.channel),
        })
    }
}

/// The packets of Ouster sensors as a table.
struct OusterTable {
    datagrams: Datagrams,
    sensors: Vec<OusterSensor>,
    start_unix_ns: i64,
    rows: Vec<Row>,
    /// Where each of them is.
    places: Vec<Placed>,
}

/// The sensors that a capture's metadata describe: the file that was named, or `NAME.json`,
/// `NAME.1.json` and so on beside it; none if there is no such file.
pub(crate) fn sensors_of(
    path: &Path,
    options: &ReadOptions,
) -> Result<Vec<OusterSensor>, CloudError> {
    if let Some(named) = &options.metadata {
        return Ok(vec![OusterSensor::new(Metadata::read(named)?)]);
    }
    if let Some(facts) = &options.sensor {
        return match &facts.packets {
            Some(PacketFormat::Ouster(_)) => {
                Ok(vec![OusterSensor::new(Metadata::of_facts(facts)?)])
            }
            _ => Ok(Vec::new()),
        };
    }
    let mut sensors = Vec::new();
    for number in 0..u16::MAX {
        let beside = match number {
            0 => path.with_extension("json"),
            number => path.with_extension(format!("{number}.json")),
        };
        match Metadata::beside(&beside)? {
            Some(metadata) => sensors.push(OusterSensor::new(metadata)),
            // The first sensor of a capture need not be an Ouster.
            None if number == 0 => {}
            None => break,
        }
    }
    Ok(sensors)
}

/// What a capture of these sensors is, in words.
pub(crate) fn title(sensors: &[OusterSensor]) -> String {
    let name = |sensor: &OusterSensor| match &sensor.metadata.facts.packets {
        Some(PacketFormat::Ouster(ouster)) => ouster.product.clone(),
        _ => sensor.metadata.facts.name.clone(),
    };
    let names: Vec<String> = sensors.iter().map(name).collect();
    format!("network capture of {}", names.join(", "))
}

/// A table of the packets that `sensors` sent; other datagrams are passed over.
pub(crate) fn open(
    datagrams: Datagrams,
    sensors: Vec<OusterSensor>,
    start_unix_ns: i64,
) -> Box<dyn Table> {
    Box::new(OusterTable {
        datagrams,
        sensors,
        start_unix_ns,
        rows: Vec::new(),
        places: Vec::new(),
    })
}

impl OusterTable {
    /// Decodes packets until another might be too much for a block.
    fn fill(&mut self) -> Result<(), CloudError> {
        let largest = |sensor: &OusterSensor| {
            let layout = sensor.metadata.layout;
            layout.rows * layout.columns * layout.profile.returns()
        };
        let most = self.sensors.iter().map(largest).max().unwrap_or_default();
        self.rows.clear();
        while self.rows.len() + most <= BLOCK_ROWS {
            let Some(datagram) = self.datagrams.next_datagram()? else { break };
            let (port, packet) = (datagram.dst_port, datagram.payload);
            let sender = (0..).zip(&mut self.sensors).find(|(_, s)| s.sent(port, packet));
            if let Some((index, sensor)) = sender {
                sensor.decode(packet, index, self.start_unix_ns, &mut self.rows);
            }
        }
        self.places.clear();
        let nowhere = Placed {
            origin_m: DVec3::NAN,
            direction: DVec3::NAN,
            position_m: DVec3::NAN,
            pulse: f64::NAN,
        };
        let place = |row: &Row| {
            let sensor = self.sensors.get(usize::from(row.sensor));
            sensor.and_then(|sensor| sensor.place(row)).unwrap_or(nowhere)
        };
        self.places.extend(self.rows.iter().map(place));
        Ok(())
    }
}

impl Table for OusterTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let summary = |&(name, kind, _): &(&str, &str, Field)| ColumnSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
        };
        FIELDS.iter().map(summary).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        self.fill()?;
        block.resize_with(wanted.len(), Vec::new);
        for (column, &which) in block.iter_mut().zip(wanted) {
            column.clear();
            let Some((_, _, field)) = FIELDS.get(which) else { continue };
            let rows = self.rows.iter();
            let places = self.places.iter();
            match *field {
                Field::Position(axis) => column.extend(places.map(|p| p.position_m[axis])),
                Field::Origin(axis) => column.extend(places.map(|p| p.origin_m[axis])),
                Field::Direction(axis) => column.extend(places.map(|p| p.direction[axis])),
                Field::Intensity => column.extend(rows.map(|row| row.intensity)),
                Field::Time => column.extend(rows.map(|row| row.time_s)),
                Field::ReturnNumber => column.extend(rows.map(|row| f64::from(row.number))),
                Field::ReturnCount => column.extend(rows.map(|row| f64::from(row.count))),
                Field::Range => column.extend(rows.map(|row| row.range_m)),
                Field::Azimuth => {
                    let azimuth = |along: DVec3| along.y.atan2(along.x).to_degrees();
                    column.extend(places.map(|p| azimuth(p.direction)));
                }
                Field::Elevation => {
                    let elevation = |z: f64| z.clamp(-1.0, 1.0).asin().to_degrees();
                    column.extend(places.map(|p| elevation(p.direction.z)));
                }
                Field::Pulse => column.extend(places.map(|p| p.pulse)),
                Field::Sensor => column.extend(rows.map(|row| f64::from(row.sensor))),
                Field::Channel => column.extend(rows.map(|row| f64::from(row.channel))),
                Field::Scan => column.extend(rows.map(|row| f64::from(row.scan))),
                Field::Column => column.extend(rows.map(|row| f64::from(row.column))),
                Field::Signal => column.extend(rows.map(|row| row.signal)),
                Field::Ambient => column.extend(rows.map(|row| f64::from(row.near_ir))),
            }
        }
        Ok(self.rows.len())
    }
}
