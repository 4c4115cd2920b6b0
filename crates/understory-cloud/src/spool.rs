//! What a format does for a file that several processes write together: its rows, packed into a spool.
//!
//! What enters: batches of records. What leaves: a file of packed rows beside the output, and what is
//! known of them, from which `shared_file` works out where every byte belongs. A format that can be
//! written together has one [`Spool`].

use std::io;
use std::path::PathBuf;

use serde_json::Value;

use crate::{CloudError, Records};

/// What packs rows into a spool; the first one's also writes head and foot.
pub(crate) trait Spool: Send {
    /// Packs a batch.
    fn write(&mut self, records: &Records) -> Result<(), CloudError>;
    /// Whether rows depend on those of the parts before this one.
    fn wants_earlier(&self) -> bool {
        false
    }
    /// Takes note of a batch of the parts before this one.
    fn pass(&mut self, _earlier: &Records) {}
    /// Writes what is still on its way; gives the path of the spool.
    fn spooled(&mut self) -> io::Result<PathBuf>;
    /// Rows so far, and what else the head needs, as JSON without fractions.
    fn facts(&self) -> Facts;
    /// Bytes in front of the first row.
    fn head_len(&self) -> Result<u64, CloudError>;
    /// The head of a file with all rows, of the same length.
    fn head(&self, all: &[Facts]) -> Result<Vec<u8>, CloudError>;
    /// What stands behind the rows, and is part of no other's bytes.
    fn foot(&self) -> Result<Vec<u8>, CloudError> {
        Ok(Vec::new())
    }
    /// How rows are compressed into chunks, if they are.
    fn chunks(&self) -> Option<Chunks> {
        None
    }
}

/// Rows that are compressed some at a time.
#[derive(Clone)]
pub(crate) struct Chunks {
    /// Rows of each, but the last.
    pub(crate) rows: u64,
    /// Bytes of a row.
    pub(crate) stride: usize,
    /// Compresses rows.
    pub(crate) compress: fn(&[u8], usize, usize) -> io::Result<Vec<u8>>,
    /// Bytes of a row that are standard fields.
    pub(crate) standard: usize,
    /// Bytes between head and first chunk, in which the place of the table stands.
    pub(crate) pointer: u64,
    /// The table of these sizes.
    pub(crate) table: fn(&[u64], &Chunks) -> io::Result<Vec<u8>>,
    /// Number of bytes of extra fields, by which the kind of point is known.
    pub(crate) has_rgb: bool,
}

/// What a part knows of its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) rows: u64,
    pub(crate) dropped_misses: u64,
    pub(crate) dropped_fields: Vec<String>,
    /// What only the format knows.
    pub(crate) more: Value,
}
