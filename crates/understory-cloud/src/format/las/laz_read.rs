//! The compressed points of a LAZ file, chunk by chunk.
//!
//! What enters: the file, its record of LASzip and its chunk table. What leaves: points as LAS has
//! them, but for near infrared, waveforms, flags, scan angle and user data, which nobody here asks
//! for. Chunks are unpacked side by side, a few at a time, each by one thread, and their extra bytes
//! layer by layer, as they were packed. The `laz` crate believes the sizes in a chunk and may panic
//! on a contradiction; so sizes are checked here first, and a panic would become an error.

use super::laz_chunk::decode_layer;
use crate::format::fixed_rows::RowBytes;
use laz::laszip::ChunkTable;
use laz::record::{
    LayeredPointRecordDecompressor, RecordDecompressor, SequentialPointRecordDecompressor,
};
use laz::{DecompressionSelection, LazItemType, LazVlr};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of points that are unpacked at once, beyond which chunks wait for the next round.
const ROUND_BYTES: u64 = 1 << 25;
/// A chunk of more bytes of points than this is unpacked piece by piece by one thread.
const WHOLE_BYTES: u64 = 1 << 26;

/// A chunk that is yet to be unpacked.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    at: u64,
    bytes: u64,
    points: u64,
}

/// Compressed points of a file.
pub(crate) struct LazRows {
    reader: BufReader<File>,
    vlr: LazVlr,
    layered: bool,
    stride: usize,
    chunks: std::vec::IntoIter<Chunk>,
    waiting: Option<Chunk>,
    ready: Vec<u8>,
    taken: usize,
    /// A chunk that is too large to be unpacked at once.
    slow: Option<Slow>,
}

type Unpacker = Box<dyn RecordDecompressor<Cursor<Vec<u8>>> + Send + Sync>;

/// A chunk that is unpacked piece by piece.
struct Slow {
    unpacker: Unpacker,
    chunk: Chunk,
    left: u64,
}

impl LazRows {
    /// Opens the points that begin at byte `start` of a file of `file_bytes` bytes.
    pub(crate) fn open(
        mut reader: BufReader<File>,
        file_bytes: u64,
        start: u64,
        laszip: &[u8],
        stride: usize,
        points: u64,
    ) -> Result<LazRows, String> {
        let vlr = LazVlr::from_buffer(laszip).map_err(|e| format!("its record of LASzip: {e}"))?;
        let version = vlr.items().first().map(laz::LazItem::version);
        let layered = match version {
            Some(1 | 2) => false,
            Some(3 | 4) => true,
            _ => return Err("its record of LASzip names no known items".to_owned()),
        };
        let sum: usize = vlr.items().iter().map(|item| usize::from(item.size())).sum();
        if sum != stride {
            return Err(format!("its points have {stride} bytes, but LASzip's record says {sum}"));
        }
        let one_chunk = laszip.starts_with(&[1, 0]);
        let chunks = if one_chunk {
            let bytes = file_bytes.saturating_sub(start);
            vec![Chunk { at: start, bytes, points }]
        } else {
            read_table(&mut reader, file_bytes, start, &vlr, stride, points)?
        };
        let held: u64 = chunks.iter().map(|chunk| chunk.points).sum();
        if held < points {
            return Err(format!("its header promises {points} points, but its chunks hold {held}"));
        }
        Ok(LazRows {
            reader,
            vlr,
            layered,
            stride,
            chunks: chunks.into_iter(),
            waiting: None,
            ready: Vec::new(),
            taken: 0,
            slow: None,
        })
    }

    /// Unpacks the next chunks into `ready`.
    fn next_round(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        if self.slow.is_some() {
            return self.next_piece();
        }
        let mut round = Vec::new();
        let mut total = 0;
        while let Some(chunk) = self.waiting.take().or_else(|| self.chunks.next()) {
            let size = chunk.points.saturating_mul(self.stride as u64);
            if size > WHOLE_BYTES && round.is_empty() {
                let packed = self.read_chunk(chunk)?;
                let unpacker = self.unpacker(packed, chunk, everything_used())?;
                self.slow = Some(Slow { unpacker, chunk, left: chunk.points });
                return self.next_piece();
            }
            if total > 0 && total + size > ROUND_BYTES {
                self.waiting = Some(chunk);
                break;
            }
            total += size;
            round.push((chunk, self.read_chunk(chunk)?));
        }
        if round.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "its chunks end too early"));
        }
        let this = &*self;
        let unpacked: Vec<io::Result<Vec<u8>>> =
            round.into_par_iter().map(|(chunk, packed)| this.unpack(packed, chunk)).collect();
        for bytes in unpacked {
            self.ready.append(&mut bytes?);
        }
        Ok(())
    }

    /// Unpacks the next part of a large chunk.
    fn next_piece(&mut self) -> io::Result<()> {
        let Some(slow) = &mut self.slow else { return Ok(()) };
        let now = slow.left.min((1 << 20) / self.stride.max(1) as u64 + 1);
        self.ready.resize(now as usize * self.stride, 0);
        guard(slow.chunk, || slow.unpacker.decompress_many(&mut self.ready))?;
        slow.left -= now;
        if slow.left == 0 {
            self.slow = None;
        }
        Ok(())
    }

    /// The packed bytes of a chunk, which lie within the file.
    fn read_chunk(&mut self, chunk: Chunk) -> io::Result<Vec<u8>> {
        self.reader.seek(SeekFrom::Start(chunk.at))?;
        let mut packed = Vec::new();
        self.reader.by_ref().take(chunk.bytes).read_to_end(&mut packed)?;
        Ok(packed)
    }

    /// Unpacks a whole chunk.
    fn unpack(&self, packed: Vec<u8>, chunk: Chunk) -> io::Result<Vec<u8>> {
        let mut points = vec![0; chunk.points as usize * self.stride];
        let extra = match self.vlr.items().last().map(laz::LazItem::item_type) {
            Some(LazItemType::Byte14(extra)) if self.layered => usize::from(extra),
            _ => 0,
        };
        let selection = match extra {
            0 => everything_used(),
            _ => everything_used().skip_extra_bytes(),
        };
        let kept = if extra > 0 { packed.clone() } else { Vec::new() };
        let mut unpacker = self.unpacker(packed, chunk, selection)?;
        guard(chunk, || unpacker.decompress_many(&mut points))?;
        if extra == 0 {
            return Ok(points);
        }
        // Points of several scanner channels have models of their own; then one by one.
        let channel = |point: &[u8]| point.get(15).map(|flags| flags & 0x30);
        let first = points.get(..self.stride).and_then(channel);
        if points.chunks_exact(self.stride).any(|point| channel(point) != first) {
            let mut unpacker = self.unpacker(kept, chunk, everything_used())?;
            guard(chunk, || unpacker.decompress_many(&mut points))?;
            return Ok(points);
        }
        guard(chunk, || self.put_extra_layers(&kept, extra, &mut points))?;
        Ok(points)
    }

    /// Unpacks the layers of the extra bytes, the last `extra` of a chunk.
    fn put_extra_layers(&self, packed: &[u8], extra: usize, points: &mut [u8]) -> io::Result<()> {
        let rows = points.len() / self.stride.max(1);
        let layers = self.layers();
        let cut = || io::Error::other("its layers end too early");
        let sizes = packed.get(self.stride + 4..self.stride + 4 + 4 * layers).ok_or_else(cut)?;
        let mut rest = packed.get(self.stride + 4 + 4 * layers..).ok_or_else(cut)?;
        let mut columns = vec![0; rows * extra];
        for (layer, size) in sizes.chunks_exact(4).enumerate() {
            let (data, behind) = rest.split_at_checked(number(size) as usize).ok_or_else(cut)?;
            rest = behind;
            let Some(at) = (layer + extra).checked_sub(layers) else { continue };
            let first = packed.get(self.stride - extra + at).copied().unwrap_or_default();
            if let Some(column) = columns.get_mut(at * rows..(at + 1) * rows) {
                decode_layer(data, first, column)?;
            }
        }
        // Block by block, so that a block of points is taken from memory only once.
        const BLOCK_ROWS: usize = 256;
        for (block, points) in points.chunks_mut(BLOCK_ROWS * self.stride).enumerate() {
            for (at, column) in (self.stride - extra..).zip(columns.chunks_exact(rows.max(1))) {
                let values = column.iter().skip(block * BLOCK_ROWS);
                for (point, value) in points.chunks_exact_mut(self.stride).zip(values) {
                    point[at] = *value;
                }
            }
        }
        Ok(())
    }

    /// How many layers a chunk has.
    fn layers(&self) -> usize {
        let layers = |item: &laz::LazItem| match item.item_type() {
            LazItemType::Point14 => 9,
            LazItemType::RGBNIR14 => 2,
            LazItemType::Byte14(count) => usize::from(count),
            _ => 1,
        };
        self.vlr.items().iter().map(layers).sum()
    }

    fn unpacker(
        &self,
        packed: Vec<u8>,
        chunk: Chunk,
        selection: DecompressionSelection,
    ) -> io::Result<Unpacker> {
        if self.layered {
            self.check_layers(&packed, chunk)?;
        }
        guard(chunk, || {
            let packed = Cursor::new(packed);
            let mut unpacker: Unpacker = if self.layered {
                Box::new(LayeredPointRecordDecompressor::new(packed))
            } else {
                Box::new(SequentialPointRecordDecompressor::new(packed))
            };
            unpacker.set_fields_from(self.vlr.items()).map_err(io::Error::other)?;
            if unpacker.record_size() != self.stride {
                return Err(io::Error::other("LASzip's record contradicts itself"));
            }
            unpacker.set_selection(selection);
            Ok(unpacker)
        })
    }

    /// A chunk of layers says how many points it has and how long each layer is; more than there is
    /// is not believed.
    fn check_layers(&self, packed: &[u8], chunk: Chunk) -> io::Result<()> {
        let layers = self.layers();
        let count = packed.get(self.stride..self.stride + 4).map(number);
        if count != Some(chunk.points) {
            let count = count.unwrap_or_default();
            return Err(at(chunk, &format!("it has {count} points instead of {}", chunk.points)));
        }
        let sizes = packed.get(self.stride + 4..self.stride + 4 + 4 * layers);
        let total = sizes.map(|sizes| sizes.chunks_exact(4).map(number).sum::<u64>());
        let held = packed.len().saturating_sub(self.stride + 4 + 4 * layers) as u64;
        if total.is_none_or(|total| total > held) {
            return Err(at(chunk, "its layers are longer than it is"));
        }
        Ok(())
    }
}

impl RowBytes for LazRows {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while filled < bytes.len() {
            let ready = self.ready.get(self.taken..).unwrap_or_default();
            if ready.is_empty() {
                self.next_round()?;
                continue;
            }
            let now = ready.len().min(bytes.len() - filled);
            bytes[filled..filled + now].copy_from_slice(&ready[..now]);
            filled += now;
            self.taken += now;
        }
        Ok(())
    }
}

/// Where the chunks are, as far as they lie within the file.
fn read_table(
    reader: &mut BufReader<File>,
    file_bytes: u64,
    start: u64,
    vlr: &LazVlr,
    stride: usize,
    points: u64,
) -> Result<Vec<Chunk>, String> {
    let read = |reader: &mut BufReader<File>, at: u64, bytes: &mut [u8]| {
        let read = reader.seek(SeekFrom::Start(at)).and_then(|_| reader.read_exact(bytes));
        read.map_err(|e| format!("its chunk table: {e}"))
    };
    let mut eight = [0; 8];
    read(reader, start, &mut eight)?;
    let table = u64::from_le_bytes(eight);
    read(reader, table, &mut eight)?;
    let [.., a, b, c, d] = eight;
    let count = u64::from(u32::from_le_bytes([a, b, c, d]));
    // Every chunk begins with a whole point.
    let room = table.saturating_sub(start) / stride.max(1) as u64;
    if count > room {
        return Err(format!(
            "its chunk table at byte {table} promises {count} chunks, but there is room for {room}"
        ));
    }
    reader.seek(SeekFrom::Start(start)).map_err(|e| e.to_string())?;
    let entries = catch_unwind(AssertUnwindSafe(|| ChunkTable::read_from(&mut *reader, vlr)))
        .map_err(|_| format!("its chunk table at byte {table} contradicts itself"))?
        .map_err(|e| format!("its chunk table at byte {table}: {e}"))?;
    let mut chunks = Vec::new();
    let (mut at, mut left) = (start + 8, points);
    for entry in &entries {
        let bytes = entry.byte_count;
        if bytes > file_bytes.saturating_sub(at) {
            return Err(format!(
                "its chunk {} at byte {at} has {bytes} bytes, which reach beyond the file",
                chunks.len()
            ));
        }
        let in_chunk = entry.point_count.min(left);
        chunks.push(Chunk { at, bytes, points: in_chunk });
        at += bytes;
        left -= in_chunk;
    }
    Ok(chunks)
}

/// All that becomes a column of the records.
fn everything_used() -> DecompressionSelection {
    DecompressionSelection::all()
        .skip_nir()
        .skip_wavepacket()
        .skip_flags()
        .skip_scan_angle()
        .skip_user_data()
}

/// A little-endian number of four bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Runs a step of the unpacker and makes a panic an error.
fn guard<T>(chunk: Chunk, step: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(at(chunk, &error.to_string())),
        Err(_) => Err(at(chunk, "it contradicts itself")),
    }
}

fn at(chunk: Chunk, what: &str) -> io::Error {
    let text = format!("the chunk of {} bytes at byte {}: {what}", chunk.bytes, chunk.at);
    io::Error::new(io::ErrorKind::InvalidData, text)
}
