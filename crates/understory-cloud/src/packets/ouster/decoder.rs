//! Ouster's lidar packets → rows with the full geometry of each beam.
//!
//! What enters: datagrams, and the metadata of the sensors that sent them. What leaves: a
//! [`Table`] with one row per return and one per pixel without a return, in the sensor's frame.
//! Columns that never fired have no rows. The scan is the frame, counted on where its 16 bits run
//! over; the column is the measurement id, and a pulse has the number that it has in a stream
//! without gaps.

use super::layout::Pixel;
use super::metadata::Metadata;
use crate::table::{BLOCK_ROWS, Block, Table};
use crate::{CloudError, ColumnSummary};
use glam::{DMat3, DVec3};

/// Gives one datagram after another: its port, its payload and its place in the file.
pub(crate) trait Datagrams: Send {
    /// The next one; `None` at the end.
    fn next(&mut self) -> Result<Option<(u16, &[u8])>, CloudError>;
}

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
    index: u16,
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
    sensor: usize,
    scan: u32,
    column: u16,
    channel: u16,
    time_s: f64,
    number: u8,
    count: u8,
    range_m: f64,
    reflectivity: u8,
    signal: f64,
    near_ir: u16,
}

impl OusterSensor {
    /// Sensor number `index`, as its metadata describes it.
    pub(crate) fn new(metadata: Metadata, index: u16) -> OusterSensor {
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
            index,
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
    fn decode(&mut self, packet: &[u8], sensor: usize, start_unix_ns: i64, rows: &mut Vec<Row>) {
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
                    reflectivity: 0,
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
            reflectivity: pixel.reflectivity[which],
            signal: pixel.signal[which].into(),
            ..row
        });
    }
}

impl OusterSensor {
    /// Direction of a beam in the sensor's frame.
    fn direction(&self, row: &Row) -> DVec3 {
        let Some((beam, &[cos, sin])) = self.beam(row) else { return DVec3::NAN };
        let along = DVec3::new(
            beam.cos_elevation * (cos * beam.cos_azimuth - sin * beam.sin_azimuth),
            beam.cos_elevation * (sin * beam.cos_azimuth + cos * beam.sin_azimuth),
            beam.sin_elevation,
        );
        self.sensor_from_lidar * along
    }

    /// Where a beam begins in the sensor's frame.
    fn origin_m(&self, row: &Row) -> DVec3 {
        let Some((beam, &[cos, sin])) = self.beam(row) else { return DVec3::NAN };
        let from = DVec3::new(beam.forward_m * cos, beam.forward_m * sin, beam.up_m);
        self.sensor_from_lidar * from + self.lidar_in_sensor_m
    }

    /// Where a return lies in the sensor's frame.
    fn position_m(&self, row: &Row) -> DVec3 {
        let offset_m = self.beam(row).map_or(f64::NAN, |(beam, _)| beam.range_offset_m);
        self.origin_m(row) + self.direction(row) * (row.range_m - offset_m)
    }

    fn beam(&self, row: &Row) -> Option<(&Beam, &[f64; 2])> {
        Some((
            self.beams.get(usize::from(row.channel))?,
            self.encoder.get(usize::from(row.column))?,
        ))
    }

    /// Number of the pulse in a stream without gaps.
    fn pulse(&self, row: &Row) -> f64 {
        let column = f64::from(row.scan) * self.encoder.len() as f64 + f64::from(row.column);
        column * self.beams.len() as f64 + f64::from(row.channel)
    }
}

/// The packets of Ouster sensors as a table.
struct OusterTable {
    datagrams: Box<dyn Datagrams>,
    sensors: Vec<OusterSensor>,
    start_unix_ns: i64,
    rows: Vec<Row>,
}

/// A table of the packets that `sensors` sent; other datagrams are passed over.
pub(crate) fn open(
    datagrams: Box<dyn Datagrams>,
    sensors: Vec<OusterSensor>,
    start_unix_ns: i64,
) -> Box<dyn Table> {
    Box::new(OusterTable { datagrams, sensors, start_unix_ns, rows: Vec::new() })
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
            let Some((port, packet)) = self.datagrams.next()? else { break };
            let sender = self.sensors.iter_mut().enumerate().find(|(_, s)| s.sent(port, packet));
            if let Some((index, sensor)) = sender {
                sensor.decode(packet, index, self.start_unix_ns, &mut self.rows);
            }
        }
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
        let sensors = &self.sensors;
        for (column, &which) in block.iter_mut().zip(wanted) {
            column.clear();
            let Some((_, _, field)) = FIELDS.get(which) else { continue };
            let mut fill = |value: &dyn Fn(&OusterSensor, &Row) -> f64| {
                let of = |row: &Row| sensors.get(row.sensor).map_or(f64::NAN, |s| value(s, row));
                column.extend(self.rows.iter().map(of));
            };
            match *field {
                Field::Position(axis) => fill(&|s, row| s.position_m(row)[axis]),
                Field::Origin(axis) => fill(&|s, row| s.origin_m(row)[axis]),
                Field::Direction(axis) => fill(&|s, row| s.direction(row)[axis]),
                Field::Intensity => fill(&|_, row| match row.number {
                    0 => f64::NAN,
                    _ => f64::from(row.reflectivity) / 100.0,
                }),
                Field::Time => fill(&|_, row| row.time_s),
                Field::ReturnNumber => fill(&|_, row| row.number.into()),
                Field::ReturnCount => fill(&|_, row| row.count.into()),
                Field::Range => fill(&|_, row| row.range_m),
                Field::Azimuth => fill(&|s, row| {
                    let along = s.direction(row);
                    along.y.atan2(along.x).to_degrees()
                }),
                Field::Elevation => {
                    fill(&|s, row| s.direction(row).z.clamp(-1.0, 1.0).asin().to_degrees())
                }
                Field::Pulse => fill(&|s, row| s.pulse(row)),
                Field::Sensor => fill(&|s, _| s.index.into()),
                Field::Channel => fill(&|_, row| row.channel.into()),
                Field::Scan => fill(&|_, row| row.scan.into()),
                Field::Column => fill(&|_, row| row.column.into()),
                Field::Signal => fill(&|_, row| row.signal),
                Field::Ambient => fill(&|_, row| row.near_ir.into()),
            }
        }
        Ok(self.rows.len())
    }
}
