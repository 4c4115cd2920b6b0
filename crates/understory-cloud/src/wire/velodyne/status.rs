//! The status bytes of an HDL-64E: each packet ends in a kind and a value, and sixteen packets make
//! a round.
//!
//! Nine packets of a round say the time, the state of the GPS receiver, the temperature and the
//! firmware (`H M S D N Y G T V`); seven carry the next bytes of the unit's calibration. 260 rounds
//! carry it once: `UNIT#` and two thresholds, 28 bytes for each laser, and 21 bytes about the unit.
//! The last seven bytes of laser 63 already belong to these. An S3 has a check sum at the end
//! and marks one of the bytes that it does not use by `W`; an S2 has the number 1820 there.
//!
//! Angles are in 0.01° and lengths in millimetres. Distances of packets are uncorrected: decoders
//! add what the calibration says. A simulated unit needs no correction, so that these are 0.

use super::date::Date;
use crate::{LaserDescription, SensorDescription, VelodyneModel};

/// Bytes of the calibration.
const LEN: usize = 1820;

/// Lasers, and bytes of each.
const LASERS: usize = 64;
const LASER_LEN: usize = 28;

/// Where the lasers begin, and where the bytes about the unit do.
const HEAD: usize = 7;
const TAIL: usize = HEAD + LASERS * LASER_LEN - 7;

const ROUND: u64 = 16;
const CLOCK: [u8; 9] = *b"HMSDNYGTV";

/// What a decoder of an HDL-64E corrects beside angles and offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Correction {
    /// Added to all distances, from a target at 25.04 m.
    pub(super) far_m: f64,
    /// The same for near targets along x and y; both 0: not measured.
    pub(super) near_m: [f64; 2],
    /// Where intensity needs no correction.
    pub(super) focal_m: f64,
    pub(super) focal_slope: f64,
    pub(super) intensity: [f64; 2],
}

/// The status bytes of a simulated unit.
#[derive(Clone, Debug)]
pub(super) struct StatusWriter {
    calibration: [u8; LEN],
    is_s3: bool,
    packet: u64,
}

impl StatusWriter {
    pub(super) fn new(is_s3: bool, facts: &SensorDescription, rotation_hz: f64, mode: u8) -> Self {
        let mut calibration = [0; LEN];
        let mut put = |at: usize, bytes: &[u8]| {
            if let Some(place) = calibration.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        };
        put(0, b"UNIT#\x18\x18");
        for (i, laser) in facts.lasers.iter().take(LASERS).enumerate() {
            let at = HEAD + i * LASER_LEN;
            put(at, &[i as u8]);
            let numbers = [
                laser.elevation_deg * 100.0,
                laser.azimuth_offset_deg * 100.0,
                0.0,
                0.0,
                0.0,
                laser.up_m * 1e3,
                laser.left_m * 1e3,
            ];
            for (j, number) in numbers.iter().enumerate() {
                put(at + 1 + 2 * j, &(number.round() as i16).to_le_bytes());
            }
            // Least and largest intensity.
            put(at + 19, &[0, 255]);
        }
        // Calibrated on 2025-01-01, humidity.
        put(TAIL, &[25, 1, 1, 0, 0, 0, 25]);
        put(TAIL + 7, &((rotation_hz * 60.0).round() as i16).to_le_bytes());
        // Field of view in 0.01°, hours of life, addresses of source and destination.
        put(TAIL + 11, &36_000u16.to_le_bytes());
        put(TAIL + 15, &[192, 168, 1, 201, 255, 255, 255, 255]);
        // Return mode, warnings (time and pulse of GPS are there), power.
        put(TAIL + 23, &[mode, GPS_THERE, 0xa0]);
        let sum = if is_s3 { check_sum(&calibration) } else { LEN as u16 };
        if let Some(place) = calibration.last_chunk_mut() {
            *place = sum.to_le_bytes();
        }
        StatusWriter { calibration, is_s3, packet: 0 }
    }

    /// Kind and value for the next packet.
    pub(super) fn next(&mut self, unix_ns: i64) -> [u8; 2] {
        let (round, at) = (self.packet / ROUND, (self.packet % ROUND) as usize);
        self.packet += 1;
        if let Some(&kind) = CLOCK.get(at) {
            let date = Date::from_unix_ns(unix_ns);
            let value = match kind {
                b'H' => date.hour,
                b'M' => date.minute,
                b'S' => date.second,
                b'D' => date.day,
                b'N' => date.month,
                b'Y' => date.year.rem_euclid(100) as u8,
                b'G' => b'A',
                b'T' => 25,
                _ => 227,
            };
            return [kind, value];
        }
        let digit = at - CLOCK.len();
        let byte = (round % (LEN as u64 / 7)) as usize * 7 + digit;
        // The first of a laser's bytes that have no use says W on an S3.
        let in_laser = byte.checked_sub(HEAD).map(|i| i % LASER_LEN);
        if self.is_s3 && in_laser == Some(21) && byte < TAIL {
            return [b'W', GPS_THERE];
        }
        [b'1' + digit as u8, self.calibration.get(byte).copied().unwrap_or_default()]
    }
}

/// Warning bits: pulses and time of GPS are present.
const GPS_THERE: u8 = 0x60;

/// CRC-16 with the polynomial 0x8005 over the 20 bytes behind the number of each laser.
fn check_sum(calibration: &[u8; LEN]) -> u16 {
    let lasers = calibration.get(HEAD..).unwrap_or_default().chunks_exact(LASER_LEN);
    let bytes = lasers.take(LASERS).flat_map(|laser| laser.iter().skip(1).take(20));
    bytes.fold(0, |sum: u16, &byte| {
        (0..8).fold(sum ^ u16::from(byte) << 8, |sum, _| {
            if sum & 0x8000 == 0 { sum << 1 } else { sum << 1 ^ 0x8005 }
        })
    })
}

/// Collects the calibration out of the status bytes of packets.
#[derive(Clone, Debug)]
pub(crate) struct StatusReader {
    bytes: Vec<u8>,
    is_s3: bool,
}

impl StatusReader {
    pub(crate) fn new() -> StatusReader {
        StatusReader { bytes: Vec::with_capacity(2 * LEN), is_s3: false }
    }

    /// Takes the last two bytes of the next packet; gives series and calibration when they are
    /// complete and their end is as it must be.
    pub(crate) fn push(&mut self, kind: u8, value: u8) -> Option<Calibration> {
        if CLOCK.contains(&kind) {
            return None;
        }
        self.is_s3 |= kind == b'W';
        self.bytes.push(value);
        if self.bytes.len() < LEN {
            return None;
        }
        let found = self.bytes.windows(5).position(|five| five == b"UNIT#");
        self.bytes.drain(..found.unwrap_or(self.bytes.len() - 4));
        let calibration: &[u8; LEN] = self.bytes.first_chunk()?;
        let expected = if self.is_s3 { check_sum(calibration) } else { LEN as u16 };
        let sum = calibration.last_chunk().map(|end| u16::from_le_bytes(*end));
        if sum == Some(expected)
            && let Some(calibration) = Calibration::parse(calibration, self.is_s3)
        {
            return Some(calibration);
        }
        // A byte was lost on the way: on to the next mark.
        self.bytes.drain(..1);
        None
    }

    /// How many bytes of a calibration were seen in a row, of 1820.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.bytes.len(), LEN)
    }
}

/// What a unit says about itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Calibration {
    pub(crate) model: VelodyneModel,
    pub(super) lasers: Vec<LaserDescription>,
    pub(super) corrections: Vec<Correction>,
}

impl Calibration {
    fn parse(bytes: &[u8; LEN], is_s3: bool) -> Option<Calibration> {
        let model = if is_s3 { VelodyneModel::Hdl64eS3 } else { VelodyneModel::Hdl64eS2 };
        let (mut lasers, mut corrections) = (Vec::new(), Vec::new());
        for (i, laser) in bytes.get(HEAD..)?.chunks_exact(LASER_LEN).take(LASERS).enumerate() {
            if usize::from(*laser.first()?) != i {
                return None;
            }
            let number = |j: usize| -> f64 {
                let at = 1 + 2 * j;
                let bytes = laser.get(at..).and_then(|b| b.first_chunk()).copied();
                f64::from(i16::from_le_bytes(bytes.unwrap_or_default()))
            };
            lasers.push(LaserDescription {
                elevation_deg: 0.01 * number(0),
                azimuth_offset_deg: 0.01 * number(1),
                up_m: 1e-3 * number(5),
                left_m: 1e-3 * number(6),
                ..LaserDescription::default()
            });
            corrections.push(Correction {
                far_m: 1e-3 * number(2),
                near_m: [1e-3 * number(3), 1e-3 * number(4)],
                focal_m: 1e-3 * number(7),
                focal_slope: 0.1 * number(8),
                intensity: [f64::from(*laser.get(19)?), f64::from(*laser.get(20)?)],
            });
        }
        Some(Calibration { model, lasers, corrections })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> SensorDescription {
        SensorDescription::velodyne(VelodyneModel::Hdl64eS3).unwrap()
    }

    /// The calibration comes out of the stream wherever the recording begins, and a lost packet
    /// only costs time.
    #[test]
    fn calibrations_are_found_from_any_start_and_after_a_loss() {
        for (is_s3, first, lost) in [(true, 0, None), (true, 1234, None), (false, 77, Some(900))] {
            let mut writer = StatusWriter::new(is_s3, &facts(), 10.0, 0);
            let mut reader = StatusReader::new();
            let mut packets = 0;
            let found = loop {
                let [kind, value] = writer.next(1_709_210_096_000_000_000);
                packets += 1;
                assert!(packets < 20_000);
                if packets < first || Some(packets) == lost {
                    continue;
                }
                if let Some(found) = reader.push(kind, value) {
                    break found;
                }
            };
            let model = if is_s3 { VelodyneModel::Hdl64eS3 } else { VelodyneModel::Hdl64eS2 };
            assert_eq!(found.model, model);
            for (read, laser) in found.lasers.iter().zip(&facts().lasers) {
                assert!((read.elevation_deg - laser.elevation_deg).abs() < 1e-9);
                assert!((read.azimuth_offset_deg - laser.azimuth_offset_deg).abs() < 1e-9);
                assert!((read.up_m - laser.up_m).abs() < 1e-9);
                assert!((read.left_m - laser.left_m).abs() < 1e-9);
            }
            assert!(
                found.corrections.iter().all(|c| c.far_m == 0.0 && c.intensity == [0.0, 255.0])
            );
        }
    }

    #[test]
    fn the_sum_is_the_crc_of_the_manual() {
        // CRC-16/BUYPASS of "123456789" is 0xFEE8; placed where a laser's payload is.
        let mut calibration = [0; LEN];
        for (i, byte) in b"123456789".iter().enumerate() {
            // The last nine of the 1280 bytes, so that only zeros go before.
            calibration[HEAD + 63 * LASER_LEN + 12 + i] = *byte;
        }
        assert_eq!(check_sum(&calibration), 0xfee8);
    }
}
