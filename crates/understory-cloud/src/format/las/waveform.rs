//! Waveform packets of LAS 1.4: the file `.wdp` beside a LAS file, and what points say of it.
//!
//! The file is one record `LASF_Spec` 65535 whose data are packets of 16-bit samples; a point of
//! format 9 tells which descriptor its packet has, where it begins (from the start of the file),
//! when the return came after the first sample, and how the beam runs. A descriptor fixes the number
//! of samples, and there may be 255 of them: each sensor has 17, from 16 to 4096 samples, and a
//! segment of a waveform is filled up with silence to the next of these. Value = offset + gain·raw.

use super::POINT_LEN;
use crate::staging::StagedFile;
use crate::{CloudError, Records, WaveformFormat, Waveforms};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes that a point of format 9 has beyond those of format 6.
pub(crate) const WAVEFORM_LEN: usize = 29;
/// Most sensors whose descriptors fit.
pub(crate) const SENSORS_MAX: usize = 15;
/// Lengths of packets: 16, 24, 32, 48 … 4096 samples.
const CLASSES: usize = 17;
/// Raw value of no signal: noise may be negative.
const SILENCE: u16 = 256;
/// Bytes in front of the packets: an extended variable-length record's header.
const HEADER_LEN: u64 = 60;
/// Metres of range per picosecond there and back.
const RANGE_M_PER_PS: f64 = 299_792_458.0 * 0.5e-12;

/// Samples of a packet.
fn class_samples(class: usize) -> usize {
    (if class.is_multiple_of(2) { 16 } else { 24 }) << (class / 2)
}

/// Number and data of each descriptor's record.
pub(crate) fn descriptors(formats: &[WaveformFormat]) -> Vec<(u16, Vec<u8>)> {
    let of_sensor = |(place, format): (usize, &WaveformFormat)| {
        let format = *format;
        (0..CLASSES).map(move |class| {
            // 16 bits, not compressed.
            let mut data = vec![16, 0];
            data.extend_from_slice(&(class_samples(class) as u32).to_le_bytes());
            data.extend_from_slice(&format.bin_ps.to_le_bytes());
            data.extend_from_slice(&format.gain.to_le_bytes());
            data.extend_from_slice(&(-f64::from(SILENCE) * format.gain).to_le_bytes());
            (100 + (place * CLASSES + class) as u16, data)
        })
    };
    formats.iter().take(SENSORS_MAX).enumerate().flat_map(of_sensor).collect()
}

/// The file of packets on its way.
pub(crate) struct WaveformPackets {
    path: PathBuf,
    file: StagedFile,
    formats: Vec<WaveformFormat>,
    /// Where the next packet begins.
    next: u64,
    /// Whose packets are in `packets`.
    pulse: Option<(u16, u64)>,
    packets: Vec<Packet>,
    /// Segments of a batch by sensor and pulse.
    order: Vec<usize>,
    bytes: Vec<u8>,
}

/// Where a segment went.
#[derive(Clone, Copy, Debug)]
struct Packet {
    descriptor: u8,
    start: u64,
    size: u32,
    first_range_m: f64,
    last_range_m: f64,
    direction: [f32; 3],
}

impl WaveformPackets {
    /// Opens the file beside `las`.
    pub(crate) fn create(
        las: &Path,
        formats: &[WaveformFormat],
    ) -> Result<WaveformPackets, CloudError> {
        if formats.len() > SENSORS_MAX {
            return Err(CloudError::TooManyWaveformSensors {
                path: las.to_path_buf(),
                sensors: formats.len(),
                most: SENSORS_MAX,
            });
        }
        let path = las.with_extension("wdp");
        let mut file = StagedFile::create(&path)?;
        file.write_all(&header(0)).map_err(|e| CloudError::write(&path, e))?;
        Ok(WaveformPackets {
            path,
            file,
            formats: formats.to_vec(),
            next: HEADER_LEN,
            pulse: None,
            packets: Vec::new(),
            order: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Prepares for the rows of a batch.
    pub(crate) fn begin(&mut self, waveforms: &Waveforms) {
        self.order.clear();
        self.order.extend(0..waveforms.len());
        self.order.sort_by_key(|&i| (waveforms.sensor[i], waveforms.pulse[i]));
    }

    /// Writes the packets of a row's pulse, unless that was done, and fills the point's own bytes.
    pub(crate) fn put(
        &mut self,
        records: &Records,
        row: usize,
        point: &mut [u8],
    ) -> Result<(), CloudError> {
        let pulse = (records.sensor[row], records.pulse[row]);
        if self.pulse != Some(pulse) {
            self.write_pulse(&records.waveforms, pulse)
                .map_err(|e| CloudError::write(&self.path, e))?;
            self.pulse = Some(pulse);
        }
        let range_m = f64::from(records.range_m[row]);
        let apart = |packet: &&Packet| {
            (packet.first_range_m - range_m).max(range_m - packet.last_range_m).max(0.0)
        };
        let nearest = self.packets.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
        // A false alarm may stand where nothing was recorded.
        let Some(packet) = nearest.filter(|packet| apart(packet) < 1.0) else { return Ok(()) };
        let location_ps = (range_m - packet.first_range_m) / RANGE_M_PER_PS;
        let mut field = [0; WAVEFORM_LEN];
        field[0] = packet.descriptor;
        field[1..9].copy_from_slice(&packet.start.to_le_bytes());
        field[9..13].copy_from_slice(&packet.size.to_le_bytes());
        field[13..17].copy_from_slice(&(location_ps as f32).to_le_bytes());
        for (axis, bytes) in field[17..].chunks_exact_mut(4).enumerate() {
            let per_ps = f64::from(packet.direction[axis]) * RANGE_M_PER_PS;
            bytes.copy_from_slice(&(per_ps as f32).to_le_bytes());
        }
        if let Some(bytes) = point.get_mut(POINT_LEN..POINT_LEN + WAVEFORM_LEN) {
            bytes.copy_from_slice(&field);
        }
        Ok(())
    }

    fn write_pulse(&mut self, waveforms: &Waveforms, pulse: (u16, u64)) -> io::Result<()> {
        self.packets.clear();
        let key = |i: &usize| (waveforms.sensor[*i], waveforms.pulse[*i]);
        let first = self.order.partition_point(|i| key(i) < pulse);
        let Some(place) = self.formats.iter().position(|format| format.sensor == pulse.0) else {
            return Ok(());
        };
        for &segment in self.order[first..].iter().take_while(|i| key(i) == pulse) {
            let samples = waveforms.samples(segment);
            let fits = |&class: &usize| class_samples(class) >= samples.len();
            let Some(class) = (0..CLASSES).find(fits) else { continue };
            self.bytes.clear();
            for &sample in samples {
                // The cast saturates, as a digitiser does.
                let raw = (f64::from(sample) / self.formats[place].gain).round();
                let raw = (raw + f64::from(SILENCE)) as u16;
                self.bytes.extend_from_slice(&raw.to_le_bytes());
            }
            for _ in samples.len()..class_samples(class) {
                self.bytes.extend_from_slice(&SILENCE.to_le_bytes());
            }
            self.file.write_all(&self.bytes)?;
            let first_range_m = waveforms.first_range_m[segment];
            let last = samples.len().saturating_sub(1) as f64;
            self.packets.push(Packet {
                descriptor: (1 + place * CLASSES + class) as u8,
                start: self.next,
                size: self.bytes.len() as u32,
                first_range_m,
                last_range_m: first_range_m + last * waveforms.bin_m[segment],
                direction: waveforms.direction[segment],
            });
            self.next += self.bytes.len() as u64;
        }
        Ok(())
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(mut self) -> Result<PathBuf, CloudError> {
        let header = header(self.next - HEADER_LEN);
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(&header))
            .map_err(|e| CloudError::write(&self.path, e))?;
        self.file.publish()
    }
}

/// The head of the record that holds all packets.
fn header(data_len: u64) -> [u8; HEADER_LEN as usize] {
    let mut bytes = [0; HEADER_LEN as usize];
    bytes[2..11].copy_from_slice(b"LASF_Spec");
    bytes[18..20].copy_from_slice(&u16::MAX.to_le_bytes());
    bytes[20..28].copy_from_slice(&data_len.to_le_bytes());
    bytes[28..49].copy_from_slice(b"Waveform data packets");
    bytes
}
