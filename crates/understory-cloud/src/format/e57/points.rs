//! The points of one scan of an E57 file, decoded in columns.
//!
//! What enters: where the scan's compressed vector lies, and the fields of a point. What leaves:
//! blocks of values. A file is pages of 1024 bytes, of which the last four are a check sum; the
//! vector is packets with a stream of bits for each field. The streams of a packet need not end
//! together, so what is left of each waits for the next one: never more than the file has.
//!
//! The `e57` crate reads the same point by point; on a file whose streams run apart it takes 128
//! times the memory of the file, and on one whose fields are all constants it takes all there is.

use e57::RecordDataType;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// Bytes of a page with and without its check sum.
const PAGE: u64 = 1024;
const PAYLOAD: usize = 1020;

/// The bytes of a file without its check sums.
pub(crate) struct Pages {
    file: BufReader<File>,
    page: [u8; PAGE as usize],
    /// Number of the page that is in memory.
    held: Option<u64>,
    /// Next byte, counted without check sums.
    at: u64,
}

impl Pages {
    pub(crate) fn new(file: File) -> Pages {
        let file = BufReader::with_capacity(1 << 16, file);
        Pages { file, page: [0; PAGE as usize], held: None, at: 0 }
    }

    /// Goes to a byte of the file.
    fn seek(&mut self, byte: u64) {
        self.at = byte / PAGE * PAYLOAD as u64 + (byte % PAGE).min(PAYLOAD as u64);
    }

    /// The byte of the file that is next.
    pub(crate) fn byte(&self) -> u64 {
        self.at / PAYLOAD as u64 * PAGE + self.at % PAYLOAD as u64
    }

    fn read(&mut self, mut bytes: &mut [u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            let (page, from) = (self.at / PAYLOAD as u64, (self.at % PAYLOAD as u64) as usize);
            if self.held != Some(page) {
                self.load(page)?;
            }
            let held = self.page.get(from..PAYLOAD).unwrap_or_default();
            let now = held.len().min(bytes.len());
            let (to, rest) = bytes.split_at_mut(now);
            to.copy_from_slice(&held[..now]);
            bytes = rest;
            self.at += now as u64;
        }
        Ok(())
    }

    fn load(&mut self, page: u64) -> Result<(), String> {
        let ended = |e: io::Error| format!("page {page} at byte {}: {e}", page * PAGE);
        if self.held.is_none_or(|held| held + 1 != page) {
            self.file.seek(SeekFrom::Start(page * PAGE)).map_err(ended)?;
        }
        self.held = None;
        self.file.read_exact(&mut self.page).map_err(ended)?;
        let (payload, sum) = self.page.split_at(PAYLOAD);
        // The one number of the format that has its highest byte first.
        if crc32c::crc32c(payload).to_be_bytes() != sum {
            return Err(format!("the check sum of the page at byte {} is wrong", page * PAGE));
        }
        self.held = Some(page);
        Ok(())
    }
}

/// Bits that a value of a type takes.
pub(crate) fn bits(kind: &RecordDataType) -> u32 {
    match kind {
        RecordDataType::Single { .. } => 32,
        RecordDataType::Double { .. } => 64,
        RecordDataType::ScaledInteger { min, max, .. } | RecordDataType::Integer { min, max } => {
            let span = i128::from(*max) - i128::from(*min);
            if span > 0 { span.ilog2() + 1 } else { 0 }
        }
    }
}

/// One field of the points.
struct Stream {
    kind: RecordDataType,
    bits: u32,
    bytes: Vec<u8>,
    /// Bits of `bytes` that are used up.
    used: usize,
}

/// The points of a scan.
pub(crate) struct Points {
    streams: Vec<Stream>,
    /// Points still to come.
    pub(crate) left: u64,
}

impl Points {
    /// Goes to the points of a scan whose vector begins at byte `start`.
    pub(crate) fn open(
        pages: &mut Pages,
        start: u64,
        kinds: Vec<RecordDataType>,
        count: u64,
    ) -> Result<Points, String> {
        pages.seek(start);
        let mut header = [0; 32];
        pages.read(&mut header)?;
        if header[0] != 1 {
            return Err(format!("there is no compressed vector at byte {start}"));
        }
        let data = header.get(16..24).and_then(|b| b.try_into().ok()).unwrap_or_default();
        pages.seek(u64::from_le_bytes(data));
        let stream = |kind: RecordDataType| {
            let bits = bits(&kind);
            Stream { kind, bits, bytes: Vec::new(), used: 0 }
        };
        Ok(Points { streams: kinds.into_iter().map(stream).collect(), left: count })
    }

    /// Points that all streams have, at most `most`.
    fn ready(&self, most: usize) -> usize {
        self.streams.iter().map(|stream| stream.ready()).fold(most, usize::min)
    }

    /// Appends the next points, at most `most`, of the fields that have a vector; returns how many.
    pub(crate) fn read(
        &mut self,
        pages: &mut Pages,
        most: usize,
        columns: &mut [Option<Vec<f64>>],
    ) -> Result<usize, String> {
        let most = self.left.min(most as u64) as usize;
        while self.ready(most) < most {
            self.packet(pages)?;
        }
        for (stream, values) in self.streams.iter_mut().zip(columns) {
            stream.take(most, values.as_mut());
        }
        self.left -= most as u64;
        Ok(most)
    }

    /// Reads one packet.
    fn packet(&mut self, pages: &mut Pages) -> Result<(), String> {
        let start = pages.byte();
        let bad = |what: &str| format!("the packet at byte {start} {what}");
        let mut head = [0; 4];
        pages.read(&mut head)?;
        let [kind, _, low, high] = head;
        let length = u64::from(u16::from_le_bytes([low, high])) + 1;
        if length % 4 != 0 {
            return Err(bad("has a length that is no multiple of four"));
        }
        let end = pages.at - 4 + length;
        if kind == 1 {
            let mut count = [0; 2];
            pages.read(&mut count)?;
            if usize::from(u16::from_le_bytes(count)) != self.streams.len() {
                return Err(bad("has another number of streams than points have fields"));
            }
            let mut lengths = vec![0; 2 * self.streams.len()];
            pages.read(&mut lengths)?;
            let lengths: Vec<usize> = lengths
                .chunks_exact(2)
                .map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))
                .collect();
            if pages.at + lengths.iter().sum::<usize>() as u64 > end {
                return Err(bad("is shorter than its streams"));
            }
            for (stream, length) in self.streams.iter_mut().zip(lengths) {
                stream.append(pages, length)?;
            }
        } else if !matches!(kind, 0 | 2) {
            return Err(bad("is of no known kind"));
        }
        pages.at = end;
        Ok(())
    }
}

impl Stream {
    /// Values that can be taken.
    fn ready(&self) -> usize {
        match self.bits {
            0 => usize::MAX,
            bits => (8 * self.bytes.len() - self.used) / bits as usize,
        }
    }

    fn append(&mut self, pages: &mut Pages, length: usize) -> Result<(), String> {
        // What is used up goes when it is most of it: each byte is moved a few times at most.
        let done = self.used / 8;
        if done > self.bytes.len() / 2 {
            self.bytes.drain(..done);
            self.used -= 8 * done;
        }
        let from = self.bytes.len();
        self.bytes.resize(from + length, 0);
        pages.read(self.bytes.get_mut(from..).unwrap_or_default())
    }

    /// Takes `count` values, which are there; without a vector they are passed over.
    fn take(&mut self, count: usize, values: Option<&mut Vec<f64>>) {
        let from = self.used;
        self.used += count * self.bits as usize;
        let Some(values) = values else { return };
        let bytes = self.bytes.get(from / 8..).unwrap_or_default();
        match &self.kind {
            RecordDataType::Double { .. } => {
                let each = bytes.as_chunks::<8>().0.iter().take(count);
                values.extend(each.map(|b| f64::from_le_bytes(*b)));
            }
            RecordDataType::Single { .. } => {
                let each = bytes.as_chunks::<4>().0.iter().take(count);
                values.extend(each.map(|b| f64::from(f32::from_le_bytes(*b))));
            }
            RecordDataType::Integer { min, .. } => {
                let min = *min;
                let each = (0..count).map(|i| whole(bytes, from % 8, self.bits, i, min));
                values.extend(each.map(|v| v as f64));
            }
            RecordDataType::ScaledInteger { min, scale, offset, .. } => {
                let min = *min;
                let each = (0..count).map(|i| whole(bytes, from % 8, self.bits, i, min));
                values.extend(each.map(|v| v as f64 * scale + offset));
            }
        }
    }
}

/// Number `index` of integers of `bits` bits that begin `shift` bits behind `bytes`.
fn whole(bytes: &[u8], shift: usize, bits: u32, index: usize, min: i64) -> i64 {
    if bits == 0 {
        return min;
    }
    let at = shift + index * bits as usize;
    let mut word = [0; 16];
    let from = bytes.get(at / 8..).unwrap_or_default();
    let near = from.len().min(9);
    word[..near].copy_from_slice(&from[..near]);
    let value = (u128::from_le_bytes(word) >> (at % 8)) as u64;
    let value = if bits == 64 { value } else { value & ((1 << bits) - 1) };
    min.wrapping_add(value.cast_signed())
}
