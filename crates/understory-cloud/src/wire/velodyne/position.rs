//! Position packets: what a sensor passes on of its GPS receiver.
//!
//! 512 bytes: at 0xC6 microseconds past the hour, at 0xCA whether the clock follows the receiver's
//! pulses, at 0xCE the receiver's `$GPRMC` sentence. Drivers take the date and the hour from it.
//! Simulated sensors keep perfect time, but know no place on Earth: the sentence has no fix.

use super::date::Date;
use super::{HOUR_NS, POSITION_PORT};
use crate::Packet;
use std::io::Write;

/// One for so many data packets.
const DATA_PACKETS: u64 = 14;

/// Bytes of one.
pub(super) const LEN: usize = 512;

/// Emits a position packet now and then.
#[derive(Clone, Debug)]
pub(super) struct PositionPackets {
    data_packets: u64,
    bytes: [u8; LEN],
}

impl PositionPackets {
    pub(super) fn new() -> PositionPackets {
        PositionPackets { data_packets: 0, bytes: [0; LEN] }
    }

    /// The packet that goes before the next data packet, if it is time for one.
    pub(super) fn next(&mut self, time_s: f64, unix_ns: i64) -> Option<Packet<'_>> {
        let due = self.data_packets.is_multiple_of(DATA_PACKETS);
        self.data_packets += 1;
        if !due {
            return None;
        }
        let past_hour_us = (unix_ns.rem_euclid(HOUR_NS) / 1000) as u32;
        let mut sentence = [0; 128];
        write_sentence(&mut sentence, Date::from_unix_ns(unix_ns));
        put(&mut self.bytes, 0xc6, &past_hour_us.to_le_bytes());
        put(&mut self.bytes, 0xca, &[2]);
        put(&mut self.bytes, 0xce, &sentence);
        Some(Packet { time_s, port: POSITION_PORT, bytes: &self.bytes })
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}

/// `$GPRMC` with its check sum: the exclusive or of what is between `$` and `*`.
fn write_sentence(into: &mut [u8; 128], date: Date) {
    let Date { year, month, day, hour, minute, second } = date;
    let mut room = &mut into[..];
    let year = year.rem_euclid(100);
    // A slice of 128 bytes has room for it.
    let _written = write!(
        room,
        "$GPRMC,{hour:02}{minute:02}{second:02},V,0000.0000,N,00000.0000,E,000.0,000.0,{day:02}{month:02}{year:02},,,N"
    );
    let left = room.len();
    let length = into.len() - left;
    let sum = into.iter().take(length).skip(1).fold(0, |sum, byte| sum ^ byte);
    let mut rest = into.get_mut(length..).unwrap_or_default();
    let _written = write!(rest, "*{sum:02X}\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_packet_has_time_and_a_sentence_with_its_sum() {
        let mut packets = PositionPackets::new();
        let unix_ns = 1_709_210_096_123_456_789;
        let packet = packets.next(0.0, unix_ns).unwrap();
        assert_eq!((packet.bytes.len(), packet.port), (512, 8308));
        let us = u32::from_le_bytes(packet.bytes[0xc6..0xca].try_into().unwrap());
        assert_eq!(us, (34 * 60 + 56) * 1_000_000 + 123_456);
        let text = std::str::from_utf8(&packet.bytes[0xce..0xce + 128]).unwrap();
        let (sentence, sum) = text.trim_end_matches('\0').split_once('*').unwrap();
        assert!(sentence.starts_with("$GPRMC,123456,V,") && sentence.contains(",290224,"));
        let xor = sentence.bytes().skip(1).fold(0, |a, b| a ^ b);
        assert_eq!(sum, format!("{xor:02X}\r\n"));
        for _ in 1..14 {
            assert_eq!(packets.next(0.0, unix_ns), None);
        }
        assert!(packets.next(0.0, unix_ns).is_some());
    }
}
