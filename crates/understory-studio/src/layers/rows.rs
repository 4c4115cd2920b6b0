//! The rows of a layer in chunks, each in memory or in a file.
//!
//! Rows come in and stay; when all layers together have too many, whole chunks are packed into a
//! file and read again when they are asked for. A point is a row with a position.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use understory_cloud::{Records, decode_records, encode_records};

/// Rows of a chunk, about.
pub const CHUNK_ROWS: usize = 16_384;

/// Some rows that follow each other.
struct Chunk {
    first_row: u64,
    first_point: u32,
    rows: u32,
    points: u32,
    held: Held,
}

#[derive(Clone)]
enum Held {
    Memory(Arc<Records>),
    File { offset: u64, bytes: u64 },
}

/// A chunk that is to be read.
#[derive(Clone)]
pub struct ChunkRef {
    /// Number of its first row.
    pub first_row: u64,
    /// Number of its first point.
    pub first_point: u32,
    /// Its points.
    pub points: u32,
    held: Held,
    file: Arc<Mutex<Option<File>>>,
}

impl ChunkRef {
    /// Its rows.
    pub fn records(&self) -> io::Result<Arc<Records>> {
        let (offset, bytes) = match &self.held {
            Held::Memory(records) => return Ok(records.clone()),
            Held::File { offset, bytes } => (*offset, *bytes),
        };
        let mut packed = vec![0; bytes as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let file = file.as_mut().ok_or_else(|| io::Error::other("the layer is gone"))?;
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut packed)?;
        }
        let (mut records, mut scratch) = (Records::default(), Vec::new());
        decode_records(&packed, &mut records, &mut scratch).map_err(io::Error::other)?;
        Ok(Arc::new(records))
    }
}

/// Whether a row is a point.
#[inline]
pub fn is_point(records: &Records, row: usize) -> bool {
    records.world_xyz_m[row].iter().all(|value| value.is_finite())
}

/// The rows of one layer.
#[derive(Default)]
pub struct Rows {
    chunks: Vec<Chunk>,
    rows: u64,
    points: u32,
    /// Rows that are in memory.
    in_memory: u64,
    file: Arc<Mutex<Option<File>>>,
    file_bytes: u64,
}

impl Rows {
    /// Appends rows.
    pub fn push(&mut self, records: Records) {
        let rows = records.len() as u32;
        let points = (0..records.len()).filter(|row| is_point(&records, *row)).count() as u32;
        self.chunks.push(Chunk {
            first_row: self.rows,
            first_point: self.points,
            rows,
            points,
            held: Held::Memory(Arc::new(records)),
        });
        self.rows += u64::from(rows);
        self.points += points;
        self.in_memory += u64::from(rows);
    }

    /// All rows so far.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// All points so far.
    pub fn points(&self) -> u32 {
        self.points
    }

    /// Rows in memory.
    pub fn in_memory(&self) -> u64 {
        self.in_memory
    }

    fn reference(&self, chunk: &Chunk) -> ChunkRef {
        ChunkRef {
            first_row: chunk.first_row,
            first_point: chunk.first_point,
            points: chunk.points,
            held: chunk.held.clone(),
            file: self.file.clone(),
        }
    }

    /// All chunks so far.
    pub fn all(&self) -> Vec<ChunkRef> {
        self.chunks.iter().map(|chunk| self.reference(chunk)).collect()
    }

    /// The chunk of this number.
    pub fn chunk(&self, number: usize) -> Option<ChunkRef> {
        self.chunks.get(number).map(|chunk| self.reference(chunk))
    }

    /// Number of the chunk that holds a point; that behind the last for points to come.
    pub fn chunk_of_point(&self, point: u32) -> usize {
        self.chunks.partition_point(|chunk| chunk.first_point + chunk.points <= point)
    }

    /// Packs the oldest chunk that is in memory into the file at `path`; false: there is none.
    pub fn pack_one(&mut self, path: &Path) -> io::Result<bool> {
        let Some(chunk) =
            self.chunks.iter_mut().find(|chunk| matches!(chunk.held, Held::Memory(_)))
        else {
            return Ok(false);
        };
        let Held::Memory(records) = &chunk.held else { return Ok(false) };
        let (mut bytes, mut scratch) = (Vec::new(), Vec::new());
        encode_records(records, &mut bytes, &mut scratch);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            let mut options = File::options();
            *file = Some(options.read(true).write(true).create_new(true).open(path)?);
        }
        if let Some(file) = file.as_mut() {
            file.seek(SeekFrom::Start(self.file_bytes))?;
            file.write_all(&bytes)?;
        }
        chunk.held = Held::File { offset: self.file_bytes, bytes: bytes.len() as u64 };
        self.file_bytes += bytes.len() as u64;
        self.in_memory -= u64::from(chunk.rows);
        Ok(true)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use understory_cloud::Record;

    #[test]
    fn rows_come_back_from_memory_and_file() {
        let mut rows = Rows::default();
        for chunk in 0..3u64 {
            let mut records = Records::default();
            for row in 0..10u64 {
                let at = if row % 2 == 0 { [row as f64; 3] } else { [f64::NAN; 3] };
                let pulse = chunk * 10 + row;
                records.push(Record { pulse, world_xyz_m: at, ..Record::miss() });
            }
            rows.push(records);
        }
        assert_eq!((rows.len(), rows.points(), rows.in_memory()), (30, 15, 30));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        assert!(rows.pack_one(&path).unwrap() && rows.pack_one(&path).unwrap());
        assert_eq!(rows.in_memory(), 10);
        let pulses: Vec<u64> =
            rows.all().iter().flat_map(|chunk| chunk.records().unwrap().pulse.clone()).collect();
        assert_eq!(pulses, (0..30).collect::<Vec<_>>());
        assert!(rows.pack_one(&path).unwrap() && !rows.pack_one(&path).unwrap());
        assert_eq!([0, 4, 5, 14, 15].map(|point| rows.chunk_of_point(point)), [0, 0, 1, 2, 3]);
    }
}
