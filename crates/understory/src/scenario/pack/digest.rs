//! Digests of a run: SHA-256 of its files, and of each column of its records.
//!
//! A column's digest is that of its values in firing order as little-endian bytes, so it depends
//! neither on a format nor on how the records were cut into batches. It tells which quantity
//! changed; the digest of a file tells that something did.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use understory_cloud::{CloudError, RecordSink, Records, SinkReport};

use crate::Error;

/// What a run gave when it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Version of the program that ran it.
    pub program: String,
    /// Formats that were requested; none: what the scenario says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<String>,
    /// Whether a picture was drawn.
    pub picture: bool,
    /// The records themselves.
    pub records: RecordsDigest,
    /// The files that were written.
    #[serde(default)]
    pub output: Vec<OutputDigest>,
}

/// Digests of the records of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsDigest {
    /// How many rows there are.
    pub rows: u64,
    /// SHA-256 of each column.
    pub columns: BTreeMap<String, String>,
}

/// Digest of a file that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputDigest {
    /// Its path below the folder of the outputs.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// Something in which a run differs from the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The number of rows.
    Rows {
        /// Then.
        recorded: u64,
        /// Now.
        found: u64,
    },
    /// A column of the records.
    Column(String),
    /// A file that was not written.
    Missing(String),
    /// The bytes of a file.
    File(String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Difference::Rows { recorded, found } => write!(f, "{found} rows instead of {recorded}"),
            Difference::Column(name) => write!(f, "column {name}"),
            Difference::Missing(file) => write!(f, "{file} was not written"),
            Difference::File(file) => write!(f, "file {file}"),
        }
    }
}

impl Recorded {
    /// In what a run differs from this one. Columns that this program has and the recording one had
    /// not are no difference.
    pub fn differences(
        &self,
        records: &RecordsDigest,
        outputs: &[OutputDigest],
    ) -> Vec<Difference> {
        let mut differences = Vec::new();
        if self.records.rows != records.rows {
            let (recorded, found) = (self.records.rows, records.rows);
            differences.push(Difference::Rows { recorded, found });
        }
        for (name, digest) in &self.records.columns {
            if records.columns.get(name) != Some(digest) {
                differences.push(Difference::Column(name.clone()));
            }
        }
        for recorded in &self.output {
            match outputs.iter().find(|output| output.file == recorded.file) {
                None => differences.push(Difference::Missing(recorded.file.clone())),
                Some(output) if output != recorded => {
                    differences.push(Difference::File(recorded.file.clone()));
                }
                Some(_) => {}
            }
        }
        differences
    }
}

/// Takes the digests of the columns of all records that pass through its [`sink`](Self::sink).
#[derive(Clone, Default)]
pub struct ColumnDigests {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    rows: u64,
    columns: BTreeMap<&'static str, Sha256>,
    bytes: Vec<u8>,
}

impl ColumnDigests {
    /// What the records are to be written to.
    pub fn sink(&self) -> Box<dyn RecordSink> {
        Box::new(self.clone())
    }

    /// The digests of all that was written so far.
    pub fn digest(&self) -> RecordsDigest {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let columns = state.columns.iter();
        let columns = columns.map(|(name, hash)| ((*name).to_owned(), hex(hash.clone())));
        RecordsDigest { rows: state.rows, columns: columns.collect() }
    }
}

impl RecordSink for ColumnDigests {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { rows, columns, bytes } = &mut *state;
        *rows += records.len() as u64;
        records.for_each_column(bytes, &mut |name, bytes| {
            columns.entry(name).or_default().update(bytes);
        });
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport::default())
    }
}

/// Digests of the files at `paths` and in the folders among them, by their names below `folder`.
pub fn digest_outputs(folder: &Path, paths: &[PathBuf]) -> Result<Vec<OutputDigest>, Error> {
    let mut waiting = paths.to_vec();
    let mut digests = Vec::new();
    while let Some(path) = waiting.pop() {
        let failed = |source| Error::Read { path: path.clone(), source };
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).map_err(failed)? {
                waiting.push(entry.map_err(failed)?.path());
            }
            continue;
        }
        let below = path.strip_prefix(folder).unwrap_or(&path);
        let parts: Vec<_> = below.components().map(|c| c.as_os_str().to_string_lossy()).collect();
        let (bytes, sha256) = digest_file(&path)?;
        digests.push(OutputDigest { file: parts.join("/"), bytes, sha256 });
    }
    digests.sort_by(|a, b| a.file.cmp(&b.file));
    digests.dedup();
    Ok(digests)
}

/// Size and SHA-256 of a file.
pub(super) fn digest_file(path: &Path) -> Result<(u64, String), Error> {
    let failed = |source| Error::Read { path: path.to_path_buf(), source };
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        match understory_base::read_some(&mut file, &mut buffer).map_err(failed)? {
            0 => return Ok((bytes, hex(hash))),
            read => {
                hash.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}

/// SHA-256 of some bytes.
pub(super) fn digest_bytes(bytes: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(bytes);
    hex(hash)
}

/// The digest of what was hashed, in hexadecimal digits.
pub(super) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    #[test]
    fn sha_256_of_the_standard() {
        // FIPS 180-4, the example of one block.
        assert_eq!(
            digest_bytes(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn batches_do_not_show_and_a_changed_value_does() {
        let mut all = Records::default();
        for pulse in 0..100 {
            all.push(Record { pulse, range_m: pulse as f32, ..Record::miss() });
        }
        let digest = |cuts: &[usize]| {
            let digests = ColumnDigests::default();
            let (mut sink, mut row) = (digests.sink(), 0);
            for &cut in cuts {
                let mut batch = Records::default();
                (row..cut).for_each(|row| batch.push(all.get(row).unwrap()));
                sink.write(&batch).unwrap();
                row = cut;
            }
            sink.finish().unwrap();
            digests.digest()
        };
        let whole = digest(&[100]);
        assert_eq!(whole, digest(&[0, 1, 50, 50, 99, 100]));
        assert_ne!(whole, digest(&[99]));
        let range: Vec<u8> = (0..100).flat_map(|i| (i as f32).to_le_bytes()).collect();
        assert_eq!(whole.columns["range_m"], digest_bytes(&range));
        let recorded = Recorded {
            program: "1".into(),
            formats: vec![],
            picture: false,
            records: whole.clone(),
            output: vec![],
        };
        assert_eq!(recorded.differences(&whole, &[]), []);
        let mut other = whole;
        other.columns.insert("range_m".into(), "0".into());
        assert_eq!(recorded.differences(&other, &[]), [Difference::Column("range_m".into())]);
    }
}
