//! The Ouster sensors of a capture as a table, in the sensor's frame.
//!
//! What enters: a capture file, and metadata: the file that the caller names, a sensor that the
//! caller knows, or `NAME.json`, `NAME.1.json` and so on beside the capture. What leaves: rows.

use super::decoder::{Decoder, Noticed, Row};
use super::metadata::Metadata;
use crate::pcap::{Datagram, Datagrams, Skipped};
use crate::table::{BLOCK_ROWS, Block, Opened, Source, Table};
use crate::{CloudError, ColumnSummary, OutputFormat, PacketFormat, ReadOptions};
use std::path::Path;

/// Datagrams among which there must be a packet of an Ouster sensor.
const PROBED: u64 = 10_000;
/// Most sensors of a capture.
const SENSORS_MAX: u16 = 64;

/// The columns, with their types.
const COLUMNS: [(&str, &str, fn(&Row) -> f64); 23] = [
    ("x_m", "f64", |row| row.position_m.x),
    ("y_m", "f64", |row| row.position_m.y),
    ("z_m", "f64", |row| row.position_m.z),
    ("intensity", "f32", |row| row.intensity),
    ("time_s", "f64", |row| row.time_s),
    ("return_number", "u8", |row| row.return_number.into()),
    ("return_count", "u8", |row| row.return_count.into()),
    ("range_m", "f32", |row| row.range_m),
    ("azimuth_deg", "f32", |row| row.direction.y.atan2(row.direction.x).to_degrees()),
    ("elevation_deg", "f32", |row| row.direction.z.clamp(-1.0, 1.0).asin().to_degrees()),
    ("origin_x_m", "f64", |row| row.origin_m.x),
    ("origin_y_m", "f64", |row| row.origin_m.y),
    ("origin_z_m", "f64", |row| row.origin_m.z),
    ("direction_x", "f64", |row| row.direction.x),
    ("direction_y", "f64", |row| row.direction.y),
    ("direction_z", "f64", |row| row.direction.z),
    ("pulse", "u64", |row| row.pulse as f64),
    ("sensor", "u16", |row| row.sensor.into()),
    ("channel", "u16", |row| row.channel.into()),
    ("scan", "u32", |row| row.scan.into()),
    ("column", "u32", |row| row.column.into()),
    ("signal_photons", "f32", |row| row.signal),
    ("ambient_photons", "f32", |row| row.near_ir.into()),
];

struct OusterTable {
    datagrams: Datagrams,
    sensors: Vec<Decoder>,
    start_unix_ns: i64,
    rows: Vec<Row>,
    rows_before: u64,
    other_datagrams: u64,
}

/// Opens a capture in which Ouster sensors are known by their metadata; `None` if there are none.
pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Option<Opened>, CloudError> {
    let (sensors, asked) = sensors_of(path, options)?;
    let mut datagrams = Datagrams::open(path)?;
    if sensors.is_empty() || !probe(&mut datagrams, &sensors, path, asked)? {
        return Ok(None);
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
        rows: Vec::new(),
        rows_before: 0,
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
                Ok((vec![Decoder::new(Metadata::of_facts(facts)?)], true))
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
fn probe(
    datagrams: &mut Datagrams,
    sensors: &[Decoder],
    path: &Path,
    asked: bool,
) -> Result<bool, CloudError> {
    while datagrams.count() < PROBED {
        let datagram = match datagrams.next_datagram() {
            Ok(Some(datagram)) => datagram,
            Ok(None) => break,
            // If nothing before the damage tells, the damage is the explanation.
            Err(error) if asked => return Err(error),
            Err(_) => return Ok(false),
        };
        if sensors.iter().any(|s| s.sent(datagram.dst_port, datagram.payload)) {
            return Ok(true);
        }
    }
    if !asked {
        return Ok(false);
    }
    let sought = sensors.iter().map(|sensor| {
        let metadata = &sensor.metadata;
        let (bytes, port) = (metadata.layout.packet_len(), metadata.port);
        format!("{bytes} bytes to port {port} with serial number {}", metadata.serial)
    });
    let sought = sought.collect::<Vec<_>>().join(" or ");
    let what = format!(
        "by its metadata, the packets have {sought}, and none of the first {} datagrams is one",
        datagrams.count()
    );
    Err(CloudError::WhichSensor { path: path.to_path_buf(), what })
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
    /// Decodes packets until another might be too much for a block.
    fn fill(&mut self) -> Result<(), CloudError> {
        let most = self.sensors.iter().map(Decoder::rows_max).max().unwrap_or_default();
        self.rows_before += self.rows.len() as u64;
        self.rows.clear();
        while self.rows.len() + most <= BLOCK_ROWS {
            let datagram = match self.datagrams.next_datagram() {
                Ok(Some(datagram)) => datagram,
                Ok(None) => break,
                Err(CloudError::Damaged { path, format, what }) => {
                    let rows = self.rows_before + self.rows.len() as u64;
                    let what = format!("{what} and {rows} points");
                    return Err(CloudError::Damaged { path, format, what });
                }
                Err(error) => return Err(error),
            };
            match sender(&mut self.sensors, &datagram) {
                Some((number, sensor)) => {
                    sensor.decode(datagram.payload, number, self.start_unix_ns, &mut self.rows);
                }
                None => self.other_datagrams += 1,
            }
        }
        Ok(())
    }
}

impl Table for OusterTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let column = |&(name, kind, _): &(&str, &str, _)| ColumnSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
        };
        COLUMNS.iter().map(column).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        self.fill()?;
        block.resize_with(wanted.len(), Vec::new);
        for (values, &column) in block.iter_mut().zip(wanted) {
            values.clear();
            if let Some((_, _, value)) = COLUMNS.get(column) {
                values.extend(self.rows.iter().map(value));
            }
        }
        Ok(self.rows.len())
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
