//! Records → a capture: a [`PcapSink`] has an encoder for each sensor and puts their packets into
//! one file in the order in which they become full.

use crate::staging::StagedFile;
use crate::wire::ouster::with_distinct_serials;
use crate::wire::pcap::CaptureWriter;
use crate::wire::{Packet, encoder};
use crate::{
    CloudError, CostlyColumns, PacketEncoder, RecordSink, Records, SinkOptions, SinkReport,
};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the packets of one or more sensors as a capture file.
pub(crate) struct PcapSink {
    path: PathBuf,
    capture: CaptureWriter,
    /// Name and encoder of each sensor.
    sensors: Vec<(String, Box<dyn PacketEncoder>)>,
    start_unix_ns: i64,
    run: Vec<usize>,
    rows: u64,
}

impl PcapSink {
    /// Opens a capture file; every sensor must have packets.
    pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<PcapSink, CloudError> {
        if options.sensors.is_empty() {
            return Err(CloudError::NoSensors { path: path.to_path_buf() });
        }
        let sensors = with_distinct_serials(&options.sensors);
        let sensors = sensors
            .iter()
            .map(|facts| Ok((facts.name.clone(), encoder(facts, options.start_unix_ns)?)));
        Ok(PcapSink {
            path: path.to_path_buf(),
            sensors: sensors.collect::<Result<_, CloudError>>()?,
            capture: CaptureWriter::create(path)?,
            start_unix_ns: options.start_unix_ns,
            run: Vec::new(),
            rows: 0,
        })
    }
}

/// Unix time of a packet.
fn unix_ns(start_unix_ns: i64, packet: &Packet<'_>) -> i64 {
    start_unix_ns.saturating_add((packet.time_s * 1e9).round() as i64)
}

impl RecordSink for PcapSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        // Sensors take turns as their rows do, so that the file does not depend on the batches.
        let mut first = 0;
        for same in records.sensor.chunk_by(|a, b| a == b) {
            let Some(&sensor) = same.first() else { continue };
            self.run.clear();
            self.run.extend(first..first + same.len());
            first += same.len();
            let known = self.sensors.len();
            let Some((_, encoder)) = self.sensors.get_mut(usize::from(sensor)) else {
                let path = self.path.clone();
                return Err(CloudError::UnknownSensor { path, sensor, known });
            };
            let (capture, start) = (&mut self.capture, self.start_unix_ns);
            encoder.push(records, &self.run, &mut |packet| {
                let time_ns = unix_ns(start, &packet);
                capture.write(time_ns, sensor, packet.port, packet.port, packet.bytes)
            })?;
        }
        self.rows += records.len() as u64;
        Ok(())
    }

    fn reads(&self) -> CostlyColumns {
        CostlyColumns { incidence: false, ..CostlyColumns::ALL }
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let PcapSink { path, mut capture, mut sensors, start_unix_ns, rows, .. } = *self;
        let mut dropped_fields = vec!["poses of the sensor and the truth".to_owned()];
        let several = sensors.len() > 1;
        for (number, (name, encoder)) in (0..).zip(&mut sensors) {
            encoder.finish(&mut |packet| {
                let time_ns = unix_ns(start_unix_ns, &packet);
                capture.write(time_ns, number, packet.port, packet.port, packet.bytes)
            })?;
            let prefix = if several { format!("{name}: ") } else { String::new() };
            dropped_fields
                .extend(encoder.dropped_fields().into_iter().map(|what| format!("{prefix}{what}")));
        }
        let mut paths = vec![capture.publish()?];
        let metadata = sensors.iter().map(|(_, encoder)| encoder.metadata());
        paths.extend(publish_metadata(&path, metadata)?);
        Ok(SinkReport { paths, rows, dropped_fields, ..SinkReport::default() })
    }
}

/// Writes what decoders need beside a capture: of sensor 0 in `NAME.json`, of sensor k in
/// `NAME.k.json`.
fn publish_metadata(
    path: &Path,
    metadata: impl Iterator<Item = Option<String>>,
) -> Result<Vec<PathBuf>, CloudError> {
    let mut paths = Vec::new();
    for (number, text) in (0..).zip(metadata) {
        let Some(text) = text else { continue };
        let beside = match number {
            0 => path.with_extension("json"),
            number => path.with_extension(format!("{number}.json")),
        };
        let mut file = StagedFile::create(&beside)?;
        file.write_all(text.as_bytes()).map_err(|e| CloudError::write(&beside, e))?;
        paths.push(file.publish()?);
    }
    Ok(paths)
}
