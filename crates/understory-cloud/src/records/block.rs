//! Records as a block of bytes and back, to the last bit: for work that is stored half done, and for
//! processes that send rows to each other.
//!
//! What enters: [`Records`] of some thousand rows. What leaves: bytes that only the same version of
//! the program reads. Each column is taken as whole numbers of its own bits, each row minus the row
//! before it, and cut into planes: all lowest bytes, then all second ones, and so on. Neighbouring
//! rows are alike, so most planes are nearly constant, and LZ4 packs them fast. NaN and its payload
//! come back as they were.

use super::bits::{Bits, FillColumn, ReadColumn};
use crate::{CloudError, Records};

/// Rows and segments that a block can hold at most: a header that claims more is no block of ours.
const MOST: u32 = 1 << 26;
/// Rows, segments, samples, length before packing.
const HEADER_BYTES: usize = 16;

/// Columns → planes of bytes.
struct Planes<'a>(&'a mut Vec<u8>);

impl ReadColumn for Planes<'_> {
    fn column<T: Bits>(&mut self, values: &[T]) {
        let rows = values.len();
        for part in 0..T::PARTS {
            let start = self.0.len();
            self.0.resize(start + rows * T::BYTES, 0);
            let planes = &mut self.0[start..];
            let mut before = 0u64;
            for (row, value) in values.iter().enumerate() {
                let bits = value.bits(part);
                let step = bits.wrapping_sub(before);
                before = bits;
                for byte in 0..T::BYTES {
                    planes[byte * rows + row] = (step >> (8 * byte)) as u8;
                }
            }
        }
    }
}

/// Planes of bytes → columns of `rows` values.
struct FromPlanes<'a> {
    bytes: &'a [u8],
    rows: usize,
}

impl FillColumn for FromPlanes<'_> {
    fn column<T: Bits>(&mut self, values: &mut Vec<T>) -> Option<()> {
        let rows = self.rows;
        let needed = rows.checked_mul(T::PARTS * T::BYTES)?;
        let (column, rest) = self.bytes.split_at_checked(needed)?;
        self.bytes = rest;
        values.clear();
        values.resize(rows, T::default());
        for (part, planes) in column.chunks_exact((rows * T::BYTES).max(1)).enumerate() {
            let mut before = 0u64;
            for (row, value) in values.iter_mut().enumerate() {
                let mut step = 0;
                for byte in 0..T::BYTES {
                    step |= u64::from(planes[byte * rows + row]) << (8 * byte);
                }
                // What overflows the value's own bytes is cut off by `set`.
                before = before.wrapping_add(step);
                value.set(part, before);
            }
        }
        Some(())
    }
}

/// Appends `records` to `bytes`; `scratch` is memory that is used again.
///
/// ```
/// use understory_cloud::{Record, Records, decode_records, encode_records};
/// let mut rows = Records::default();
/// rows.push(Record { pulse: 7, ..Record::miss() });
/// let (mut bytes, mut scratch) = (Vec::new(), Vec::new());
/// encode_records(&rows, &mut bytes, &mut scratch);
/// let mut back = Records::default();
/// decode_records(&bytes, &mut back, &mut scratch)?;
/// assert_eq!(back.pulse, [7]);
/// # Ok::<(), understory_cloud::CloudError>(())
/// ```
pub fn encode_records(records: &Records, bytes: &mut Vec<u8>, scratch: &mut Vec<u8>) {
    scratch.clear();
    let waveforms = &records.waveforms;
    let mut planes = Planes(scratch);
    records.each_column(&mut planes);
    waveforms.each_column(&mut planes);
    planes.column(waveforms.all_samples());
    let header = [records.len(), waveforms.len(), waveforms.all_samples().len(), scratch.len()];
    header.iter().for_each(|&n| bytes.extend_from_slice(&(n as u32).to_le_bytes()));
    let start = bytes.len();
    bytes.resize(start + lz4_flex::block::get_maximum_output_size(scratch.len()), 0);
    // The room is enough by definition, so this cannot fail; if it did, reading would notice.
    let packed = lz4_flex::block::compress_into(scratch, &mut bytes[start..]).unwrap_or(0);
    bytes.truncate(start + packed);
}

/// Replaces `records` by what [`encode_records`] wrote.
pub fn decode_records(
    bytes: &[u8],
    records: &mut Records,
    scratch: &mut Vec<u8>,
) -> Result<(), CloudError> {
    unpack(bytes, records, scratch).ok_or(CloudError::DamagedBlock)
}

fn unpack(bytes: &[u8], records: &mut Records, scratch: &mut Vec<u8>) -> Option<()> {
    records.clear();
    let (header, packed) = bytes.split_at_checked(HEADER_BYTES)?;
    let mut numbers = [0u32; 4];
    for (number, bytes) in numbers.iter_mut().zip(header.chunks_exact(4)) {
        *number = u32::from_le_bytes(bytes.try_into().ok()?);
    }
    let [rows, segments, samples, length] = numbers;
    // LZ4 packs at most 255 bytes into one.
    let possible = packed.len().saturating_mul(255).saturating_add(64);
    if rows > MOST || segments > MOST || samples > MOST || length as usize > possible {
        return None;
    }
    scratch.clear();
    scratch.resize(length as usize, 0);
    let found = lz4_flex::block::decompress_into(packed, scratch).ok()?;
    let mut planes = FromPlanes { bytes: scratch.get(..found)?, rows: rows as usize };
    records.each_column_mut(&mut planes)?;
    planes.rows = segments as usize;
    let needed = records.waveforms.each_column_mut(&mut planes)?;
    planes.rows = samples as usize;
    if needed != planes.rows {
        return None;
    }
    records.waveforms.fill_samples(&mut planes)?;
    (found == length as usize && planes.bytes.is_empty()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    fn rows() -> Records {
        let mut rows = Records::default();
        for pulse in 0..300u32 {
            let wild = f64::from_bits(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(u64::from(pulse) + 1));
            let payload = f32::from_bits(0x7FC0_0000 | pulse);
            rows.push(Record {
                time_s: f64::from(pulse) * 1e-6,
                pulse: u64::MAX - u64::from(pulse),
                sensor: (pulse as u16).wrapping_mul(977),
                return_number: (pulse % 3) as u8,
                range_m: payload,
                world_xyz_m: [wild, -wild, f64::NEG_INFINITY],
                direction_xyz: [payload, -0.0, 1.0],
                ..Record::miss()
            });
        }
        rows.waveforms.push(3, 9, 1.5, 0.25, &[1.0, f32::NAN, -0.0]);
        rows.waveforms.push(4, 10, 2.5, 0.25, &[7.0]);
        rows
    }

    /// Bits tell NaN from NaN, which `==` does not.
    fn bits(rows: &Records) -> Vec<u8> {
        let mut planes = Vec::new();
        rows.each_column(&mut Planes(&mut planes));
        rows.waveforms.each_column(&mut Planes(&mut planes));
        Planes(&mut planes).column(rows.waveforms.all_samples());
        planes
    }

    #[test]
    fn every_bit_comes_back() {
        let mut scratch = Vec::new();
        for rows in [rows(), Records::default()] {
            let mut bytes = Vec::new();
            encode_records(&rows, &mut bytes, &mut scratch);
            let mut back = self::rows();
            decode_records(&bytes, &mut back, &mut scratch).unwrap();
            assert_eq!(bits(&back), bits(&rows));
            assert_eq!(back.waveforms.samples(1), rows.waveforms.samples(1));
            assert_eq!(back.uneven_column(), None);
        }
    }

    #[test]
    fn blocks_that_were_cut_or_lie_about_their_size_are_refused() {
        let (mut bytes, mut scratch) = (Vec::new(), Vec::new());
        encode_records(&rows(), &mut bytes, &mut scratch);
        let mut back = Records::default();
        for end in [0, 3, 15, 16, bytes.len() / 2, bytes.len() - 1] {
            assert!(decode_records(&bytes[..end], &mut back, &mut scratch).is_err(), "{end}");
        }
        for place in [0, 2, 4, 8, 12, 15] {
            let mut lying = bytes.clone();
            lying[place] ^= 0x41;
            assert!(decode_records(&lying, &mut back, &mut scratch).is_err(), "{place}");
        }
    }
}
