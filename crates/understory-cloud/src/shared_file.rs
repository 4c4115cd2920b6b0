//! Files that several processes write together, with the bytes of one that writes alone.
//!
//! What enters: for each process some of the rows, a run without a gap; the processes follow each
//! other in the order of their rows. What leaves: one file. Each process packs its rows into a spool
//! beside the output. Then they tell each other in rounds how much they have ([`FilePart::told`],
//! [`FilePart::step`]), from which the place of every byte follows, and each puts its own bytes there:
//! rows as they are, or the chunks of a LAZ file that begin among its rows. The first has the file, its
//! head and its foot. Which bytes a file has never depends on who writes them; what packs rows by those
//! before them ([`FilePart::wants_earlier`]) hears of these first.

use crate::format::shared_rows;
use crate::spool::{Chunks, Facts, Spool};
use crate::staging::StagedFile;
use crate::{CloudError, Misses, OutputFormat, Records, SinkOptions, SinkReport, round_offset_m};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Which of all processes one is, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartNumber {
    /// This one.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

/// One process's part of a file.
pub struct FilePart {
    path: PathBuf,
    number: PartNumber,
    spool: Box<dyn Spool>,
    /// The file itself, of the first part.
    file: Option<StagedFile>,
    /// Chunks on their way into the file.
    packed: Option<StagedFile>,
    all: Vec<Told>,
    chunk_sizes: Vec<u64>,
    round: u32,
}

/// What a part told in the first round.
struct Told {
    spool: PathBuf,
    file: Option<PathBuf>,
    bytes: u64,
    head: u64,
    facts: Facts,
}

/// Whether processes can write this format together.
pub fn can_be_shared(format: OutputFormat, options: &SinkOptions) -> bool {
    use OutputFormat as Of;
    let is_one_file = !options.strips && options.waveforms.is_empty();
    is_one_file && matches!(format, Of::Las | Of::Laz | Of::Ply | Of::Npy | Of::Csv)
}

/// Opens a part of a file. `first_return_m` is the position of the first return of all parts.
pub fn open_part(
    path: &Path,
    format: OutputFormat,
    options: &SinkOptions,
    first_return_m: Option<[f64; 3]>,
    number: PartNumber,
) -> Result<FilePart, CloudError> {
    let misses = match (options.misses, format.info().misses) {
        (Misses::Usual, true) => Misses::Keep,
        (Misses::Usual, false) => Misses::Drop,
        (told, _) => told,
    };
    let offset_m = options.offset_m.or(first_return_m.map(round_offset_m));
    let options = SinkOptions { misses, offset_m, ..options.clone() };
    let spool = shared_rows::open(path, format, &options)?;
    let file = (number.index == 0).then(|| StagedFile::create(path)).transpose()?;
    Ok(FilePart {
        path: path.to_path_buf(),
        number,
        spool,
        file,
        packed: None,
        all: Vec::new(),
        chunk_sizes: Vec::new(),
        round: 0,
    })
}

impl FilePart {
    /// Whether [`FilePart::pass`] must hear all rows of the parts before this one: rows are packed
    /// by what came before them. The same for all parts of a file.
    pub fn wants_earlier(&self) -> bool {
        self.spool.wants_earlier()
    }

    /// Takes note of a batch of the parts before this one, before any of its own.
    pub fn pass(&mut self, earlier: &Records) {
        self.spool.pass(earlier);
    }

    /// Packs a batch of its rows.
    pub fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        self.spool.write(records)
    }

    /// What the others must know of this part, once all its rows are packed.
    pub fn told(&mut self) -> Result<Vec<u8>, CloudError> {
        let facts = self.spool.facts();
        let head = self.spool.head_len()?;
        let failed = |error| CloudError::write(&self.path, error);
        let spool = self.spool.spooled().map_err(failed)?;
        let bytes = std::fs::metadata(&spool).map_err(failed)?.len();
        let told = json!({
            "spool": spool.to_string_lossy(),
            "file": self.file.as_ref().map(|file| file.temporary_path().to_string_lossy().into_owned()),
            "bytes": bytes,
            "head": head,
            "rows": facts.rows,
            "dropped_misses": facts.dropped_misses,
            "dropped_fields": facts.dropped_fields,
            "more": facts.more,
        });
        Ok(told.to_string().into_bytes())
    }

    /// Takes what all parts told in the last round, in their order, and tells more; `None`: all its
    /// bytes are in their places, as they are in those of all others that say so.
    pub fn step(&mut self, all: &[Vec<u8>]) -> Result<Option<Vec<u8>>, CloudError> {
        self.round += 1;
        let strange =
            || CloudError::write(&self.path, io::Error::other("parts do not fit together"));
        match (self.round, self.spool.chunks()) {
            (1, chunks) => {
                self.all = all
                    .iter()
                    .map(|told| Told::read(told))
                    .collect::<Option<_>>()
                    .ok_or_else(strange)?;
                match chunks {
                    None => self.place_rows()?,
                    Some(chunks) => return self.pack_chunks(&chunks).map(Some),
                }
            }
            (2, Some(_)) => {
                let sizes: Option<Vec<Vec<u64>>> =
                    all.iter().map(|told| serde_json::from_slice(told).ok()).collect();
                let sizes = sizes.ok_or_else(strange)?;
                let before: u64 = sizes.iter().take(self.number.index).flatten().sum();
                self.place_chunks(before)?;
                self.chunk_sizes = sizes.concat();
            }
            _ => return Ok(None),
        }
        Ok(Some(b"[]".to_vec()))
    }

    fn failed(&self, error: io::Error) -> CloudError {
        CloudError::write(&self.path, error)
    }

    /// The file that the first part has.
    fn target(&self) -> io::Result<File> {
        let first = self.all.first().and_then(|told| told.file.as_ref());
        let first = first.ok_or_else(|| io::Error::other("the first part has no file"))?;
        OpenOptions::new().write(true).open(first)
    }

    fn place_rows(&mut self) -> Result<(), CloudError> {
        let head = self.all.first().map_or(0, |told| told.head);
        let before: u64 = self.all.iter().take(self.number.index).map(|told| told.bytes).sum();
        let placed = self.target().and_then(|mut target| {
            target.seek(SeekFrom::Start(head + before))?;
            copy(&self.all[self.number.index].spool, &mut target)
        });
        placed.map_err(|error| self.failed(error))
    }

    /// Compresses the chunks that begin among its rows; tells their sizes.
    fn pack_chunks(&mut self, chunks: &Chunks) -> Result<Vec<u8>, CloudError> {
        let rows_before =
            |index: usize| self.all.iter().take(index).map(|told| told.facts.rows).sum();
        let (from, to): (u64, u64) =
            (rows_before(self.number.index), rows_before(self.number.index + 1));
        let all: u64 = rows_before(self.all.len());
        let mut packed = StagedFile::spool(&self.path)?;
        let mut sizes: Vec<u64> = Vec::new();
        let mut rows = Vec::new();
        for chunk in from.div_ceil(chunks.rows)..to.div_ceil(chunks.rows) {
            let begin = chunk * chunks.rows;
            let end = (begin + chunks.rows).min(all);
            let done = read_rows(&self.all, chunks.stride, begin..end, &mut rows)
                .and_then(|()| (chunks.compress)(&rows, chunks.stride, chunks.standard))
                .and_then(|chunk| packed.write_all(&chunk).map(|()| chunk.len() as u64));
            sizes.push(done.map_err(|error| self.failed(error))?);
        }
        packed.flush().map_err(|error| self.failed(error))?;
        self.packed = Some(packed);
        Ok(json!(sizes).to_string().into_bytes())
    }

    fn place_chunks(&mut self, before: u64) -> Result<(), CloudError> {
        let (Some(packed), Some(chunks)) = (self.packed.take(), self.spool.chunks()) else {
            return Ok(());
        };
        let head = self.all.first().map_or(0, |told| told.head);
        let placed = self.target().and_then(|mut target| {
            target.seek(SeekFrom::Start(head + chunks.pointer + before))?;
            copy(packed.temporary_path(), &mut target)
        });
        placed.map_err(|error| self.failed(error))
    }

    /// Writes head and foot and gives the file its name, once all parts are done; only the first has
    /// something to report.
    pub fn finish(mut self) -> Result<SinkReport, CloudError> {
        let Some(mut file) = self.file.take() else { return Ok(SinkReport::default()) };
        let failed = |error| CloudError::write(&self.path, error);
        let all: Vec<Facts> = self.all.iter().map(|told| told.facts.clone()).collect();
        if let Some(chunks) = self.spool.chunks() {
            let head = self.all.first().map_or(0, |told| told.head);
            let bytes: u64 = self.chunk_sizes.iter().sum();
            let table = (chunks.table)(&self.chunk_sizes, &chunks).map_err(failed)?;
            let at = head + chunks.pointer + bytes;
            file.seek(SeekFrom::Start(at))
                .and_then(|_| file.write_all(&table))
                .and_then(|()| file.seek(SeekFrom::Start(head)))
                .and_then(|_| file.write_all(&at.to_le_bytes()))
                .map_err(failed)?;
        }
        let end = file.seek(SeekFrom::End(0)).map_err(failed)?;
        // Without a row the head is still to come.
        let end = end.max(self.all.first().map_or(0, |told| told.head));
        let foot = self.spool.foot()?;
        file.seek(SeekFrom::Start(end)).and_then(|_| file.write_all(&foot)).map_err(failed)?;
        let all_with_foot = match foot.is_empty() {
            true => all,
            false => with_foot(all, end),
        };
        let head = self.spool.head(&all_with_foot)?;
        file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&head)).map_err(failed)?;
        let mut report = SinkReport { paths: vec![file.publish()?], ..SinkReport::default() };
        for facts in &all_with_foot {
            report.rows += facts.rows;
            report.dropped_misses += facts.dropped_misses;
            for field in &facts.dropped_fields {
                if !report.dropped_fields.contains(field) {
                    report.dropped_fields.push(field.clone());
                }
            }
        }
        Ok(report)
    }
}

/// Tells the head where the foot begins.
fn with_foot(mut all: Vec<Facts>, at: u64) -> Vec<Facts> {
    if let Some(first) = all.first_mut() {
        first.more["foot"] = json!(at);
    }
    all
}

impl Told {
    fn read(bytes: &[u8]) -> Option<Told> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let words = value["dropped_fields"].as_array()?.iter();
        Some(Told {
            spool: PathBuf::from(value["spool"].as_str()?),
            file: value["file"].as_str().map(PathBuf::from),
            bytes: value["bytes"].as_u64()?,
            head: value["head"].as_u64()?,
            facts: Facts {
                rows: value["rows"].as_u64()?,
                dropped_misses: value["dropped_misses"].as_u64()?,
                dropped_fields: words.filter_map(|w| w.as_str().map(str::to_owned)).collect(),
                more: value["more"].clone(),
            },
        })
    }
}

/// Copies a whole file to where another one stands.
fn copy(from: &Path, to: &mut File) -> io::Result<()> {
    io::copy(&mut File::open(from)?, to).map(drop)
}

/// Reads rows out of the spools in which they are.
fn read_rows(
    all: &[Told],
    stride: usize,
    mut rows: std::ops::Range<u64>,
    into: &mut Vec<u8>,
) -> io::Result<()> {
    into.clear();
    let mut first = 0;
    for told in all {
        let behind = first + told.facts.rows;
        if rows.start < behind && rows.start < rows.end {
            let end = rows.end.min(behind);
            let mut file = File::open(&told.spool)?;
            file.seek(SeekFrom::Start((rows.start - first) * stride as u64))?;
            let wanted = (end - rows.start) * stride as u64;
            let read = file.take(wanted).read_to_end(into)?;
            if read as u64 != wanted {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            rows.start = end;
        }
        first = behind;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Record, SceneNames, open_sink};
    use std::sync::Arc;

    /// Returns, double returns, misses and colours.
    fn rows(from: u64, to: u64) -> Records {
        let mut records = Records::default();
        for pulse in from..to {
            let returns = [1, 2, 0, 1][(pulse % 4) as usize];
            let along = pulse as f64 * 1e-3;
            let of_return = |number: u8| Record {
                time_s: pulse as f64 * 1e-6,
                pulse,
                channel: (pulse % 16) as u16,
                return_number: number,
                return_count: returns,
                world_xyz_m: [500_000.0 + along, 5_400_000.0 - along, 100.0 + f64::from(number)],
                range_m: 5.0 + along as f32,
                intensity: (pulse % 100) as f32 / 99.0,
                direction_xyz: [0.6, 0.0, -0.8],
                label: (pulse % 7) as u16,
                origin_xyz_m: [500_000.0 + along, 5_400_000.0 + along * along, 200.0],
                ..Record::miss()
            };
            match returns {
                0 => records.push(Record { time_s: pulse as f64 * 1e-6, pulse, ..Record::miss() }),
                _ => (1..=returns).for_each(|number| records.push(of_return(number))),
            }
        }
        records
    }

    /// One file by one process, and one by parts that end before these pulses.
    fn same_bytes(format: OutputFormat, ends: &[u64], options: &SinkOptions) {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(format!("{name}.{}", format.extension()));
        let (alone, shared) = (name("alone"), name("shared"));
        let mut sink = open_sink(&alone, format, options).unwrap();
        let last = *ends.last().unwrap();
        for from in (0..last).step_by(2048) {
            sink.write(&rows(from, (from + 2048).min(last))).unwrap();
        }
        let expected = sink.finish().unwrap();
        let first = crate::first_return(&rows(0, last));
        let number = |index| PartNumber { index, of: ends.len() };
        let mut parts: Vec<FilePart> = (0..ends.len())
            .map(|index| open_part(&shared, format, options, first, number(index)).unwrap())
            .collect();
        let mut from = 0;
        for (part, &end) in parts.iter_mut().zip(ends) {
            if part.wants_earlier() {
                part.pass(&rows(0, from));
            }
            for from in (from..end).step_by(2048) {
                part.write(&rows(from, (from + 2048).min(end))).unwrap();
            }
            from = end;
        }
        let mut told: Vec<Vec<u8>> = parts.iter_mut().map(|part| part.told().unwrap()).collect();
        loop {
            let next: Vec<_> = parts.iter_mut().map(|part| part.step(&told).unwrap()).collect();
            match next.into_iter().collect::<Option<Vec<_>>>() {
                Some(next) => told = next,
                None => break,
            }
        }
        // The spools of all must be there until the last has read them.
        let mut reports: Vec<SinkReport> =
            parts.into_iter().map(|part| part.finish().unwrap()).collect();
        let report = reports.swap_remove(0);
        let read = |path| std::fs::read(path).unwrap();
        assert!(read(&alone) == read(&shared), "{format:?}, parts that end at {ends:?}");
        assert_eq!((report.rows, report.dropped_misses), (expected.rows, expected.dropped_misses));
        assert_eq!(report.dropped_fields, expected.dropped_fields);
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    const FORMATS: [OutputFormat; 5] = [
        OutputFormat::Las,
        OutputFormat::Laz,
        OutputFormat::Ply,
        OutputFormat::Npy,
        OutputFormat::Csv,
    ];

    #[test]
    fn parts_are_the_bytes_of_one_writer() {
        let names = Some(Arc::new(SceneNames::default()));
        for format in FORMATS {
            let options = SinkOptions { names: names.clone(), ..SinkOptions::default() };
            assert!(can_be_shared(format, &options));
            same_bytes(format, &[700], &options);
            same_bytes(format, &[0, 300, 300, 301, 5000], &options);
        }
    }

    /// A chunk has 50,000 points: some begin in one part and end in the next, some parts lie within
    /// one chunk, and an end falls on the border of two.
    #[test]
    fn chunks_go_across_parts() {
        let options = SinkOptions { colours: true, ..SinkOptions::default() };
        // Four pulses have four returns.
        for ends in [&[30_000, 60_000, 70_001, 120_000][..], &[50_000, 100_000], &[1, 2, 50_001]] {
            same_bytes(OutputFormat::Laz, ends, &options);
        }
    }

    #[test]
    fn parts_without_a_row_make_the_file_of_none() {
        let names = Some(Arc::new(SceneNames::default()));
        for format in FORMATS {
            let options = SinkOptions { names: names.clone(), ..SinkOptions::default() };
            same_bytes(format, &[0, 0], &options);
        }
    }
}
