//! The Ouster sensors of a capture as a table, in the sensor's frame.
//!
//! What enters: a capture file, and metadata: the file that the caller names, a sensor that the
//! caller knows, or `NAME.json`, `NAME.1.json` and so on beside the capture. What leaves: rows.

use crate::format::table::{BLOCK_ROWS, Block, Opened, Source, Table};
use crate::wire::ouster::decoder::{Decoder, Noticed, Row};
use crate::wire::ouster::metadata::Metadata;
use crate::wire::pcap::{Datagram, Datagrams, Skipped};
use crate::{CloudError, ColumnSummary, OutputFormat, PacketFormat, ReadOptions};
use std::path::Path;
use understory_base::math;

/// Datagrams among which there must be a packet of an Ouster sensor.
const PROBED: u64 = 10_000;
/// Most sensors of a capture.
const SENSORS_MAX: u16 = 64;

/// Name and type of a column, and what appends its values.
type Column = (&'static str, &'static str, fn(&[Row], &mut Vec<f64>));

/// A column by its value of one row; a loop of its own for each, in which nothing is called.
macro_rules! column {
    ($name:literal, $kind:literal, $value:expr) => {
        ($name, $kind, |rows, values| values.extend(rows.iter().map($value)))
    };
}

const COLUMNS: [Column; 23] = [
    column!("x_m", "f64", |row| row.position_m.x),
    column!("y_m", "f64", |row| row.position_m.y),
    column!("z_m", "f64", |row| row.position_m.z),
    column!("intensity", "f32", |row| row.intensity),
    column!("time_s", "f64", |row| row.time_s),
    column!("return_number", "u8", |row| f64::from(row.return_number)),
    column!("return_count", "u8", |row| f64::from(row.return_count)),
    column!("range_m", "f32", |row| row.range_m),
    column!("azimuth_deg", "f32", |row| math::atan2(row.direction.y, row.direction.x).to_degrees()),
    column!("elevation_deg", "f32", |row| math::asin(row.direction.z.clamp(-1.0, 1.0))
        .to_degrees()),
    column!("origin_x_m", "f64", |row| row.origin_m.x),
    column!("origin_y_m", "f64", |row| row.origin_m.y),
    column!("origin_z_m", "f64", |row| row.origin_m.z),
    column!("direction_x", "f64", |row| row.direction.x),
    column!("direction_y", "f64", |row| row.direction.y),
    column!("direction_z", "f64", |row| row.direction.z),
    column!("pulse", "u64", |row| row.pulse as f64),
    column!("sensor", "u16", |row| f64::from(row.sensor)),
    column!("channel", "u16", |row| f64::from(row.channel)),
    column!("scan", "u32", |row| f64::from(row.scan)),
    column!("column", "u32", |row| f64::from(row.column)),
    column!("signal_photons", "f32", |row| row.signal),
    column!("ambient_photons", "f32", |row| f64::from(row.near_ir)),
];

struct OusterTable {
    datagrams: Datagrams,
    sensors: Vec<Decoder>,
    start_unix_ns: i64,
    /// Rows of the packet that was decoded last.
    packet: Vec<Row>,
    /// Rows that were given.
    rows: u64,
    other_datagrams: u64,
}

/// Opens a capture in which Ouster sensors are known by their metadata; `None` if there are none.
pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Option<Opened>, CloudError> {
    let (mut sensors, asked) = sensors_of(path, options)?;
    if sensors.is_empty() {
        return Ok(None);
    }
    let mut datagrams = Datagrams::open(path)?;
    if !probe(&mut datagrams, &sensors)? {
        // The packets of the only sensor are known without their port, which may have been changed
        // on the way.
        if let [alone] = sensors.as_mut_slice() {
            alone.any_port = true;
        }
        datagrams.rewind()?;
        if !probe(&mut datagrams, &sensors)? {
            return if asked { Err(absent(path, &sensors, datagrams.count())) } else { Ok(None) };
        }
    }
    datagrams.rewind()?;
    let names: Vec<&str> = sensors.iter().map(|s| s.metadata.facts.name.as_str()).collect();
    let version = format!("network capture of {}", names.join(", "));
    let mut facts = Source::open(path)?.facts(OutputFormat::Pcap, version);
    facts.in_sensor_frame = true;
    facts.sensors = sensors.iter().map(|sensor| sensor.metadata.facts.clone()).collect();
    let table = OusterTable {
        datagrams,
        sensors,
        start_unix_ns: options.start_unix_ns,
        packet: Vec::new(),
        rows: 0,
        other_datagrams: 0,
    };
    Ok(Some(Opened { table: Box::new(table), facts }))
}

/// The sensors, and whether the caller named them.
fn sensors_of(path: &Path, options: &ReadOptions) -> Result<(Vec<Decoder>, bool), CloudError> {
    if let Some(named) = &options.metadata {
        return Ok((vec![Decoder::new(Metadata::read(named)?)], true));
    }
    if let Some(facts) = &options.sensor {
        return match &facts.packets {
            Some(PacketFormat::Ouster(_)) => {
                Ok((vec![Decoder::new(Metadata::from_description(facts)?)], true))
            }
            _ => Ok((Vec::new(), false)),
        };
    }
    let mut sensors = Vec::new();
    for number in 0..SENSORS_MAX {
        let beside = match number {
            0 => path.with_extension("json"),
            number => path.with_extension(format!("{number}.json")),
        };
        sensors.extend(Metadata::beside(&beside)?.map(Decoder::new));
    }
    Ok((sensors, false))
}

/// Whether one of the first datagrams is of one of the sensors.
fn probe(datagrams: &mut Datagrams, sensors: &[Decoder]) -> Result<bool, CloudError> {
    while datagrams.count() < PROBED {
        let Some(datagram) = datagrams.next_datagram()? else { return Ok(false) };
        if sensors.iter().any(|s| s.sent(datagram.dst_port, datagram.payload)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Says what was looked for in vain.
fn absent(path: &Path, sensors: &[Decoder], datagrams: u64) -> CloudError {
    let sought = sensors.iter().map(|sensor| {
        let metadata = &sensor.metadata;
        format!("{} bytes with serial number {}", metadata.layout.packet_len(), metadata.serial)
    });
    let sought = sought.collect::<Vec<_>>().join(" or ");
    let what = format!(
        "by its metadata packets have {sought}, and none of the first {datagrams} datagrams is one"
    );
    CloudError::WhichSensor { path: path.to_path_buf(), what }
}

/// The sensor that sent a datagram, with its number. Sensors whose metadata are the same differ by
/// their addresses, in the order in which they appear.
fn sender<'a>(
    sensors: &'a mut [Decoder],
    datagram: &Datagram<'_>,
) -> Option<(u16, &'a mut Decoder)> {
    let sent = |sensor: &&Decoder| sensor.sent(datagram.dst_port, datagram.payload);
    let alone = sensors.iter().filter(sent).nth(1).is_none();
    let source = datagram.source;
    let mut known = sensors.iter().filter(sent).map(|sensor| sensor.source);
    let seen = known.any(|address| address == Some(source));
    let wanted = if seen { Some(source) } else { None };
    let its = |sensor: &Decoder| sent(&sensor) && (alone || sensor.source == wanted);
    let (number, sensor) = (0..).zip(sensors).find(|(_, sensor)| its(sensor))?;
    sensor.source = Some(source);
    Some((number, sensor))
}

impl OusterTable {
    /// Decodes the next datagram, if it is a packet of one of the sensors; false at the end.
    fn next(&mut self) -> Result<bool, CloudError> {
        self.packet.clear();
        let datagram = match self.datagrams.next_datagram() {
            Ok(Some(datagram)) => datagram,
            Ok(None) => return Ok(false),
            Err(CloudError::Damaged { path, format, what }) => {
                let what = format!("{what} and {} points", self.rows);
                return Err(CloudError::Damaged { path, format, what });
            }
            Err(error) => return Err(error),
        };
        match sender(&mut self.sensors, &datagram) {
            Some((number, sensor)) => {
                sensor.decode(datagram.payload, number, self.start_unix_ns, &mut self.packet);
            }
            None => self.other_datagrams += 1,
        }
        Ok(true)
    }
}

impl Table for OusterTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let column = |&(name, kind, _): &Column| ColumnSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
        };
        COLUMNS.iter().map(column).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        let most = self.sensors.iter().map(Decoder::rows_max).max().unwrap_or_default();
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        let mut rows = 0;
        while rows + most <= BLOCK_ROWS && self.next()? {
            for (values, &column) in block.iter_mut().zip(wanted) {
                if let Some((_, _, append)) = COLUMNS.get(column) {
                    append(&self.packet, values);
                }
            }
            rows += self.packet.len();
            self.rows += self.packet.len() as u64;
        }
        Ok(rows)
    }

    fn remarks(&self) -> Vec<String> {
        let sum = |count: fn(&Noticed) -> u64| -> u64 {
            self.sensors.iter().map(|sensor| count(&sensor.noticed)).sum()
        };
        let Skipped { other_frames, broken_frames, broken_datagrams } = self.datagrams.skipped();
        [
            (sum(|n| n.lost_packets), "packets are missing by their numbers"),
            (
                sum(|n| n.wrong_checksums),
                "packets have a wrong checksum and were read all the same",
            ),
            (sum(|n| n.foreign_columns), "columns were left out, whose number is too large"),
            (self.other_datagrams, "datagrams are no lidar packets of the sensors"),
            (other_frames, "frames hold no UDP"),
            (broken_frames, "frames are cut short or damaged"),
            (broken_datagrams, "datagrams miss fragments"),
        ]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
    }
}
