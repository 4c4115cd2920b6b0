//! Captures of packets as a table: UDP out of pcap and pcapng, decoded by the vendor's rules.
//!
//! Each source address is a sensor, numbered in the order in which they appear. Velodyne's packets
//! say their model; an HDL-64E sends its calibration byte by byte, which is collected before the
//! first row is given. Datagrams of others are passed over and counted.

use super::read_ouster;
use crate::format::table::{BLOCK_ROWS, Block, Opened, Source, Table};
use crate::wire::pcap::{Datagram, Datagrams, Skipped};
use crate::wire::velodyne::{self, Calibration, Decoder, Row, Seen, StatusReader};
use crate::{
    CloudError, ColumnSummary, OutputFormat, PacketFormat, ReadOptions, SensorDescription,
    VelodyneModel,
};
use std::net::IpAddr;
use std::path::Path;

/// Most rows of one packet.
const PACKET_ROWS: usize = 384;

/// Most sensors in a capture.
const SENSORS_MAX: usize = 64;

/// Datagrams that are looked at before the first row is given, so that all sensors have been seen.
const PROBED: u64 = 1000;

/// Opens a capture file.
pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Opened, CloudError> {
    let source = Source::open(path)?;
    let mut datagrams = Datagrams::open(path)?;
    if let Some(opened) = read_ouster::open(path, options)? {
        return Ok(opened);
    }
    let sensors = probe(&mut datagrams, options)?;
    datagrams.rewind()?;
    let models: Vec<&str> = sensors.iter().map(|s| velodyne::title(s.decoder.model)).collect();
    let version = format!("network capture of {}", models.join(", "));
    let mut facts = source.facts(OutputFormat::Pcap, version);
    facts.in_sensor_frame = true;
    facts.sensors = sensors.iter().map(|sensor| sensor.decoder.facts.clone()).collect();
    let table = PcapTable {
        datagrams,
        sensors,
        given: options.sensor.clone(),
        start_unix_ns: options.start_unix_ns,
        packet: Vec::new(),
        other_datagrams: 0,
        finished: 0,
        ended: false,
        rows: 0,
    };
    Ok(Opened { table: Box::new(table), facts })
}

/// One sensor of the capture.
struct Sensor {
    source: IpAddr,
    decoder: Decoder,
}

struct PcapTable {
    datagrams: Datagrams,
    sensors: Vec<Sensor>,
    given: Option<SensorDescription>,
    start_unix_ns: i64,
    /// Rows of the packet that was decoded last.
    packet: Vec<Row>,
    other_datagrams: u64,
    /// Sensors whose last packet has been decoded.
    finished: usize,
    ended: bool,
    rows: u64,
}

/// A source of packets before its decoder is made.
struct Candidate {
    source: IpAddr,
    seen: Seen,
    status: StatusReader,
    calibration: Option<Calibration>,
    /// Azimuth in hundredths of a degree and time in microseconds of its last packet.
    last: Option<(u16, u32)>,
    /// How far its head was seen to turn, and in which time.
    turned: u64,
    elapsed_us: u64,
}

impl Candidate {
    fn new(source: IpAddr, seen: Seen) -> Candidate {
        let status = StatusReader::new();
        let (calibration, last) = (None, None);
        Candidate { source, seen, status, calibration, last, turned: 0, elapsed_us: 0 }
    }

    /// Takes a packet into account.
    fn watch(&mut self, payload: &[u8]) {
        if let (true, &[.., kind, value]) = (self.waits(), payload) {
            self.calibration = self.status.push(kind, value);
        }
        let Some(now) = velodyne::azimuth_and_time(payload) else { return };
        if let Some((azimuth, time_us)) = self.last.replace(now) {
            let turned = (i32::from(now.0) - i32::from(azimuth)).rem_euclid(36_000) as u64;
            // A packet is much shorter than a turn; what is longer has a gap in it.
            let elapsed_us = u64::from(now.1.saturating_sub(time_us));
            if elapsed_us > 0 && elapsed_us < 10_000 {
                self.turned += turned;
                self.elapsed_us += elapsed_us;
            }
        }
    }

    /// The rate of its head, if it turned as heads do.
    fn rotation_hz(&self) -> Option<f64> {
        let rate = self.turned as f64 / 36_000.0 / (self.elapsed_us as f64 * 1e-6);
        (1.0..=50.0).contains(&rate).then_some(rate)
    }

    /// Whether its calibration is still to come.
    fn waits(&self) -> bool {
        self.seen == Seen::Hdl64e && self.calibration.is_none()
    }
}

/// Finds the sensors, and reads the calibration of each HDL-64E.
fn probe(datagrams: &mut Datagrams, options: &ReadOptions) -> Result<Vec<Sensor>, CloudError> {
    let mut candidates: Vec<Candidate> = Vec::new();
    while datagrams.count() < PROBED || candidates.iter().any(Candidate::waits) {
        // What is behind a damage cannot be read, but what is before can.
        let Ok(Some(datagram)) = datagrams.next_datagram() else { break };
        let Some(seen) = velodyne::identify(datagram.payload) else { continue };
        let source = datagram.source;
        let known = candidates.iter_mut().position(|candidate| candidate.source == source);
        if known.is_none() && candidates.len() < SENSORS_MAX {
            candidates.push(Candidate::new(source, seen));
        }
        let place = known.unwrap_or(candidates.len() - 1);
        if let Some(candidate) = candidates.get_mut(place).filter(|c| c.source == source) {
            candidate.watch(datagram.payload);
        }
    }
    let path = datagrams.path().to_path_buf();
    let unknown = |what: String| CloudError::WhichSensor { path: path.clone(), what };
    if candidates.is_empty() {
        // The damage is the better explanation, if there is one.
        datagrams.rewind()?;
        while datagrams.next_datagram()?.is_some() {}
        let count = datagrams.count();
        return Err(unknown(format!("none of its {count} datagrams is of a known lidar")));
    }
    let given = given(options.sensor.as_ref());
    let mut sensors = Vec::new();
    for (number, candidate) in (0..).zip(candidates) {
        let calibration = candidate.calibration.as_ref();
        let model = match (given, candidate.seen, calibration) {
            (Some((model, _)), ..) | (None, Seen::Model(model), _) => model,
            (None, Seen::Hdl64e, Some(calibration)) => calibration.model,
            (None, Seen::Hdl64e, None) => {
                let (found, of) = candidate.status.progress();
                return Err(unknown(format!(
                    "they are of an HDL-64E, but hold {found} of the {of} bytes of its calibration, which takes 4160 packets"
                )));
            }
            (None, Seen::Product(product), _) => {
                return Err(unknown(format!(
                    "they are of a Velodyne product {product:#04x} whose lasers are not known here"
                )));
            }
        };
        let facts = given.map(|(_, facts)| facts);
        let mut decoder = Decoder::new(number, model, facts, calibration, options.start_unix_ns)?;
        if let Some(rotation_hz) = candidate.rotation_hz() {
            decoder.facts.turn_at(rotation_hz);
        }
        sensors.push(Sensor { source: candidate.source, decoder });
    }
    Ok(sensors)
}

/// The sensor that the caller says, if it is Velodyne's.
fn given(facts: Option<&SensorDescription>) -> Option<(VelodyneModel, &SensorDescription)> {
    match facts {
        Some(facts) => match facts.packets {
            Some(PacketFormat::Velodyne(model)) => Some((model, facts)),
            _ => None,
        },
        None => None,
    }
}

impl PcapTable {
    /// Decodes the next datagram; false at the end.
    fn next(&mut self) -> Result<bool, CloudError> {
        let datagram = match self.datagrams.next_datagram() {
            Ok(Some(datagram)) => datagram,
            Ok(None) => return Ok(false),
            Err(CloudError::Damaged { path, format, what }) => {
                let what = format!("{what} and {} points", self.rows);
                return Err(CloudError::Damaged { path, format, what });
            }
            Err(error) => return Err(error),
        };
        let Datagram { time_ns, source, payload, .. } = datagram;
        if velodyne::is_position(datagram.dst_port, payload) {
            return Ok(true);
        }
        let packet = velodyne::identify(payload).and_then(|seen| Some((seen, payload.as_array()?)));
        let Some((seen, packet)) = packet else {
            self.other_datagrams += 1;
            return Ok(true);
        };
        let number = self.sensors.len() as u16;
        let known = self.sensors.iter_mut().find(|sensor| sensor.source == source);
        let sensor = match known {
            Some(sensor) => sensor,
            None => {
                let given = given(self.given.as_ref());
                let model = match (given, seen) {
                    (Some((model, _)), _) | (None, Seen::Model(model)) => Some(model),
                    _ => None,
                };
                let Some(model) = model.filter(|_| usize::from(number) < SENSORS_MAX) else {
                    self.other_datagrams += 1;
                    return Ok(true);
                };
                let facts = given.map(|(_, facts)| facts);
                let decoder = Decoder::new(number, model, facts, None, self.start_unix_ns)?;
                self.sensors.push(Sensor { source, decoder });
                match self.sensors.last_mut() {
                    Some(sensor) => sensor,
                    None => return Ok(true),
                }
            }
        };
        // A sensor does not change its model; who borrows its address does not become it.
        let fits = match seen {
            Seen::Model(model) => self.given.is_some() || model == sensor.decoder.model,
            Seen::Hdl64e => sensor.decoder.is_hdl64e(),
            Seen::Product(_) => self.given.is_some(),
        };
        if fits {
            sensor.decoder.push(time_ns, packet, &mut self.packet);
        } else {
            self.other_datagrams += 1;
        }
        Ok(true)
    }
}

impl Table for PcapTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let column = |(name, kind): (&str, &str)| ColumnSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
        };
        velodyne::COLUMNS.into_iter().map(column).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        let mut rows = 0;
        while rows + PACKET_ROWS <= BLOCK_ROWS {
            self.packet.clear();
            if !self.ended {
                self.ended = !self.next()?;
            } else if let Some(sensor) = self.sensors.get_mut(self.finished) {
                sensor.decoder.finish(&mut self.packet);
                self.finished += 1;
            } else {
                break;
            }
            for (values, &column) in block.iter_mut().zip(wanted) {
                values.extend(self.packet.iter().map(|row| row.get(column).unwrap_or(&f64::NAN)));
            }
            rows += self.packet.len();
            self.rows += self.packet.len() as u64;
        }
        Ok(rows)
    }

    fn remarks(&self) -> Vec<String> {
        let sum = |count: fn(&Decoder) -> u64| -> u64 {
            self.sensors.iter().map(|sensor| count(&sensor.decoder)).sum()
        };
        let Skipped { other_frames, broken_frames, broken_datagrams } = self.datagrams.skipped();
        [
            (sum(|d| d.noticed.lost_packets), "packets are missing by their times"),
            (sum(|d| d.noticed.broken_firings), "firings were left out, of impossible blocks"),
            (sum(|d| d.noticed.clock_steps_back), "packets have a time before their predecessor's"),
            (self.other_datagrams, "datagrams are no data of a lidar"),
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
