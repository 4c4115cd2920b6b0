//! Records → Ouster's lidar packets.
//!
//! What enters: the records of one sensor, whose column is the measurement id, whose channel is the
//! row and whose range counts as Ouster counts it (the presets see to it by `range_offset_mm`).
//! What leaves: a packet per 16 columns. A column that never fired has status 0.
//!
//! Reflectivity 100 is a white target facing the beam; the byte ends at 255. Signal and ambient
//! light are photons where the records have them; otherwise the signal is 1000 times the intensity,
//! and ambient light is 0. A pixel holds one return: the one with the largest intensity.

use super::LIDAR_PORT;
use super::crc64::crc64;
use super::layout::{Layout, Profile, put};
use super::metadata::{self, COLUMNS_PER_PACKET};
use crate::{CloudError, Emit, OusterProduct, Packet, PacketEncoder, Records, SensorDescription};

/// Ticks of the encoder in a revolution.
const ENCODER_TICKS: u32 = 90_112;

/// Packets of one Ouster sensor.
pub(crate) struct OusterEncoder {
    layout: Layout,
    columns_per_scan: u32,
    start_unix_ns: i64,
    metadata: String,
    /// The packet under way; between packets, its unchanging part.
    bytes: Vec<u8>,
    /// Scan and number within it of the packet under way.
    open: Option<(u32, u32)>,
    /// Columns of it that have fired.
    fired: u32,
    /// Time of the last pulse in it.
    time_s: f64,
    /// Intensity of what each of its pixels holds.
    held: Vec<f32>,
    weaker: u64,
    outside: u64,
    foreign: u64,
}

impl OusterEncoder {
    /// An encoder for a sensor that the vendor could have built; times count from `start_unix_ns`.
    pub(crate) fn new(
        facts: &SensorDescription,
        product: &OusterProduct,
        start_unix_ns: i64,
    ) -> Result<OusterEncoder, CloudError> {
        let metadata = metadata::write(facts, product, "127.0.0.1")?;
        let profile = Profile::from(product.profile);
        let Some(layout) = Layout::new(profile, facts.channels(), COLUMNS_PER_PACKET as usize)
        else {
            let why = format!("{} rows do not fit into a datagram", facts.channels());
            return Err(CloudError::Unpackable { sensor: facts.name.clone(), what: why });
        };
        let mut bytes = vec![0; layout.packet_len()];
        if profile != Profile::Legacy {
            put(&mut bytes, 0, 1u16.to_le_bytes());
            let [a, b, c, _] = metadata::init_id(product).to_le_bytes();
            put(&mut bytes, 4, [a, b, c]);
            let [a, b, c, d, e, ..] = product.serial.to_le_bytes();
            put(&mut bytes, 7, [a, b, c, d, e]);
        }
        Ok(OusterEncoder {
            held: vec![0.0; layout.rows * layout.columns],
            layout,
            columns_per_scan: facts.columns_per_scan,
            start_unix_ns,
            metadata,
            bytes,
            open: None,
            fired: 0,
            time_s: 0.0,
            weaker: 0,
            outside: 0,
            foreign: 0,
        })
    }

    /// Begins a packet in which nothing has fired yet.
    fn begin(&mut self, scan: u32, number: u32) {
        self.open = Some((scan, number));
        self.fired = 0;
        self.held.fill(f32::NEG_INFINITY);
        let frame = (scan as u16).to_le_bytes();
        let legacy = self.layout.profile == Profile::Legacy;
        let body = self.layout.column_at(0)..self.layout.column_at(self.layout.columns);
        if let Some(body) = self.bytes.get_mut(body) {
            body.fill(0);
        }
        if !legacy {
            put(&mut self.bytes, 2, frame);
        }
        for slot in 0..self.layout.columns {
            let column = number * self.layout.columns as u32 + slot as u32;
            let at = self.layout.column_at(slot);
            put(&mut self.bytes, at + 8, (column as u16).to_le_bytes());
            if legacy {
                let ticks = u64::from(column) * u64::from(ENCODER_TICKS)
                    / u64::from(self.columns_per_scan.max(1));
                put(&mut self.bytes, at + 10, frame);
                put(&mut self.bytes, at + 12, (ticks as u32).to_le_bytes());
            }
        }
    }

    /// Notes that a column fired, at the time of its first pulse.
    fn begin_column(&mut self, slot: usize, time_s: f64) {
        self.fired |= 1 << slot;
        let time_ns = self.start_unix_ns.saturating_add((time_s * 1e9).round() as i64);
        let at = self.layout.column_at(slot);
        put(&mut self.bytes, at, time_ns.max(0).to_le_bytes());
        let status = self.layout.status_at(slot);
        match self.layout.profile {
            Profile::Legacy => put(&mut self.bytes, status, [0xff; 4]),
            _ => put(&mut self.bytes, status, 1u16.to_le_bytes()),
        }
    }

    /// Puts one row of the records into its pixel.
    fn put_pixel(&mut self, records: &Records, row: usize, slot: usize, channel: usize) {
        let at = self.layout.pixel_at(slot, channel);
        put(&mut self.bytes, at + 8, count(records.ambient_photons[row]).to_le_bytes());
        if records.return_number[row] == 0 {
            return;
        }
        let range_mm = (f64::from(records.range_m[row]) * 1e3).round();
        if !(range_mm >= 1.0 && range_mm <= f64::from(self.layout.profile.range_max_mm())) {
            self.outside += 1;
            return;
        }
        // No intensity is the weakest.
        let strength = records.intensity[row].max(0.0);
        let Some(held) = self.held.get_mut(channel * self.layout.columns + slot) else { return };
        self.weaker += u64::from(*held > f32::NEG_INFINITY);
        if strength <= *held {
            return;
        }
        *held = strength;
        let photons = records.signal_photons[row];
        let signal = if photons.is_nan() { 1000.0 * strength } else { photons };
        put(&mut self.bytes, at, (range_mm as u32).to_le_bytes());
        // Saturates at 255.
        put(&mut self.bytes, at + 4, [(100.0 * strength).round() as u8]);
        put(&mut self.bytes, at + 6, count(signal).to_le_bytes());
    }

    fn flush(&mut self, emit: &mut Emit<'_>) -> Result<(), CloudError> {
        if self.open.take().is_none() {
            return Ok(());
        }
        if self.layout.profile != Profile::Legacy {
            let end = self.bytes.len() - 8;
            let crc = crc64(self.bytes.get(..end).unwrap_or_default());
            put(&mut self.bytes, end, crc.to_le_bytes());
        }
        emit(Packet { time_s: self.time_s, port: LIDAR_PORT, bytes: &self.bytes })
    }
}

/// A number of photons in 16 bits; 0 where it is not known.
fn count(photons: f32) -> u16 {
    photons.round() as u16
}

impl PacketEncoder for OusterEncoder {
    fn push(
        &mut self,
        records: &Records,
        rows: &[usize],
        emit: &mut Emit<'_>,
    ) -> Result<(), CloudError> {
        records.check_even()?;
        let per_packet = self.layout.columns as u32;
        for &row in rows.iter().filter(|&&row| row < records.len()) {
            let (column, channel) = (records.column[row], usize::from(records.channel[row]));
            if column >= self.columns_per_scan || channel >= self.layout.rows {
                self.foreign += 1;
                continue;
            }
            let place = (records.scan[row], column / per_packet);
            if self.open != Some(place) {
                self.flush(emit)?;
                self.begin(place.0, place.1);
            }
            let slot = (column % per_packet) as usize;
            self.time_s = records.time_s[row];
            if self.fired & 1 << slot == 0 {
                self.begin_column(slot, self.time_s);
            }
            self.put_pixel(records, row, slot, channel);
        }
        Ok(())
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> Result<(), CloudError> {
        self.flush(emit)
    }

    fn dropped_fields(&self) -> Vec<String> {
        let range_max_m = f64::from(self.layout.profile.range_max_mm()) * 1e-3;
        let counted = [
            (self.weaker, "returns that are not the strongest of their pulse".to_owned()),
            (self.outside, format!("returns with a range outside 1 mm to {range_max_m} m")),
            (self.foreign, "rows whose channel or column the sensor does not have".to_owned()),
        ];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        counted.map(|(count, what)| format!("{count} {what}")).collect()
    }

    fn metadata(&self) -> Option<String> {
        Some(self.metadata.clone())
    }
}
