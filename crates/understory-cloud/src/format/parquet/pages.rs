//! The pages of a Parquet column, looked at before they are unpacked.
//!
//! What enters: where a column of a row group lies in the file. What leaves: the size of its largest
//! page when it is unpacked. A page says its own sizes and the reader takes memory by them, so
//! they are compared with the file and with the rows first. Page headers are Thrift structures in
//! the compact protocol.

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

/// A page that is larger than this when it is unpacked is not believed.
const PAGE_MAX: u64 = 1 << 28;

/// A file that several threads read, each at its own place.
#[derive(Clone)]
pub(crate) struct SharedFile {
    file: Arc<File>,
    len: u64,
}

impl SharedFile {
    pub(crate) fn new(file: File, len: u64) -> SharedFile {
        SharedFile { file: Arc::new(file), len }
    }

    #[cfg(unix)]
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&*self.file, bytes, at)
    }

    #[cfg(windows)]
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&*self.file, bytes, at)
    }
}

/// The rest of a file from some byte on.
pub(crate) struct FileRest {
    file: SharedFile,
    at: u64,
}

impl Read for FileRest {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(bytes, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<FileRest>;

    fn get_read(&self, start: u64) -> Result<BufReader<FileRest>, ParquetError> {
        Ok(BufReader::with_capacity(1 << 12, FileRest { file: self.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len);
        if end.is_none() {
            return Err(ParquetError::General(format!(
                "{length} bytes from byte {start} on are behind the end of the file"
            )));
        }
        let mut bytes = vec![0; length];
        FileRest { file: self.clone(), at: start }.read_exact(&mut bytes)?;
        Ok(Bytes::from(bytes))
    }
}

/// Size of the largest page, unpacked, of the column chunk of `length` bytes from byte `start` on,
/// in a group of `rows` rows of at most eight bytes.
pub(crate) fn largest_page(
    file: &SharedFile,
    start: u64,
    length: u64,
    rows: u64,
) -> Result<u64, String> {
    let end = start.checked_add(length).filter(|&end| end <= file.len);
    let end = end.ok_or_else(|| format!("a column at byte {start} reaches behind its end"))?;
    // Values, levels and some room for what an encoding adds.
    let page_max = rows.saturating_mul(20).saturating_add(1 << 16).min(PAGE_MAX);
    let (mut at, mut largest, mut values) = (start, 0, 0u64);
    let mut bytes = Vec::new();
    while at < end && values < rows {
        let header = page_header(file, at, end, &mut bytes)
            .ok_or_else(|| format!("the page at byte {at} has no valid header"))?;
        if header.unpacked > page_max || header.packed > end - at - header.len {
            return Err(format!(
                "the page at byte {at} promises {} bytes from {}",
                header.unpacked, header.packed
            ));
        }
        // The least that an entry of a dictionary takes is four bytes, of a bit in a page nothing.
        if header.entries.saturating_mul(4) > header.unpacked.max(4) {
            return Err(format!("the dictionary at byte {at} promises {} entries", header.entries));
        }
        largest = largest.max(header.unpacked + header.packed);
        values = values.saturating_add(header.values);
        at += header.len + header.packed;
    }
    Ok(largest)
}

/// What a page says of itself.
#[derive(Default)]
struct PageHeader {
    len: u64,
    unpacked: u64,
    packed: u64,
    /// Values of a page of data.
    values: u64,
    /// Entries of a dictionary.
    entries: u64,
}

fn page_header(file: &SharedFile, at: u64, end: u64, bytes: &mut Vec<u8>) -> Option<PageHeader> {
    // Headers are short unless they hold long texts as statistics.
    for most in [256, 1 << 16] {
        let most = most.min(end - at);
        bytes.resize(most as usize, 0);
        FileRest { file: file.clone(), at }.read_exact(bytes).ok()?;
        let mut thrift = Thrift { bytes, at: 0, depth: 0 };
        if let Some(header) = thrift.page_header() {
            return Some(header);
        }
    }
    None
}

/// Reads the compact protocol.
struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u8,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    /// A number that must not be negative.
    fn count(&mut self) -> Option<u64> {
        let zigzag = self.varint()?;
        (zigzag & 1 == 0).then_some(zigzag >> 1)
    }

    /// Number and type of the next field; type 0 ends a structure.
    fn field(&mut self, number: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(0);
        }
        *number = match byte >> 4 {
            0 => {
                let zigzag = self.varint()?;
                (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)
            }
            step => number.checked_add(i64::from(step))?,
        };
        Some(byte & 15)
    }

    fn skip(&mut self, kind: u8) -> Option<()> {
        match kind {
            1 | 2 => {}
            3 => self.at += 1,
            4..=6 => {
                self.varint()?;
            }
            7 => self.at += 8,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.at = self.at.checked_add(length)?;
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // Each element has a byte at least.
                let left = self.bytes.len().saturating_sub(self.at) as u64;
                if count > left {
                    return None;
                }
                for _ in 0..count {
                    match head & 15 {
                        1 | 2 => self.at += 1,
                        other => self.skip(other)?,
                    }
                }
            }
            12 => self.structure(&mut |_, _, _| Some(false))?,
            _ => return None,
        }
        Some(())
    }

    /// Goes through the fields of a structure; `take` reads a field itself or leaves it.
    fn structure(
        &mut self,
        take: &mut dyn FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        self.depth += 1;
        if self.depth > 8 {
            return None;
        }
        let mut number = 0;
        loop {
            let kind = self.field(&mut number)?;
            if kind == 0 {
                self.depth -= 1;
                return Some(());
            }
            if !take(self, number, kind)? {
                self.skip(kind)?;
            }
        }
    }

    fn page_header(&mut self) -> Option<PageHeader> {
        let mut header = PageHeader::default();
        self.structure(&mut |thrift, number, kind| {
            match (number, kind) {
                (2, 5) => header.unpacked = thrift.count()?,
                (3, 5) => header.packed = thrift.count()?,
                // Pages of data in their two versions, and the dictionary: all begin with a count.
                (5 | 7 | 8, 12) => {
                    let mut count = 0;
                    thrift.structure(&mut |thrift, number, kind| {
                        let is_count = (number, kind) == (1, 5);
                        if is_count {
                            count = thrift.count()?;
                        }
                        Some(is_count)
                    })?;
                    match number {
                        7 => header.entries = count,
                        _ => header.values = count,
                    }
                }
                _ => return Some(false),
            }
            Some(true)
        })?;
        header.len = self.at as u64;
        (self.at <= self.bytes.len()).then_some(header)
    }
}
