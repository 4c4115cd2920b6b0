//! Waveforms as NumPy arrays, beside `NAME.npy`: `NAME.waveforms.npy` has one row per segment of a
//! pulse's waveform, and `NAME.samples.npy` holds the samples of all of them. Row i owns
//! `samples[start[i] : start[i] + count[i]]`, the first of which stands at `first_range_m[i]`.

use super::header::array_header;
use crate::staging::StagedFile;
use crate::{CloudError, Waveforms};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const STRETCHES: &str = "[('sensor', '<u2'), ('pulse', '<u8'), ('first_range_m', '<f8'), \
    ('bin_m', '<f8'), ('direction', '<f4', (3,)), ('start', '<u8'), ('count', '<u4')]";

/// Both files on their way.
pub(crate) struct NpyWaveforms {
    segments: Array,
    samples: Array,
    bytes: Vec<u8>,
}

/// A file with one array of one dimension.
struct Array {
    path: PathBuf,
    file: StagedFile,
    descr: &'static str,
    len: u64,
    header_len: usize,
}

impl NpyWaveforms {
    /// Opens both files beside `npy`.
    pub(crate) fn create(npy: &Path) -> Result<NpyWaveforms, CloudError> {
        Ok(NpyWaveforms {
            segments: Array::create(npy.with_extension("waveforms.npy"), STRETCHES)?,
            samples: Array::create(npy.with_extension("samples.npy"), "'<f4'")?,
            bytes: Vec::new(),
        })
    }

    /// Writes the waveforms of a batch.
    pub(crate) fn write(&mut self, waveforms: &Waveforms) -> Result<(), CloudError> {
        let bytes = &mut self.bytes;
        for segment in 0..waveforms.len() {
            let samples = waveforms.samples(segment);
            bytes.clear();
            bytes.extend_from_slice(&waveforms.sensor[segment].to_le_bytes());
            bytes.extend_from_slice(&waveforms.pulse[segment].to_le_bytes());
            bytes.extend_from_slice(&waveforms.first_range_m[segment].to_le_bytes());
            bytes.extend_from_slice(&waveforms.bin_m[segment].to_le_bytes());
            for part in waveforms.direction[segment] {
                bytes.extend_from_slice(&part.to_le_bytes());
            }
            bytes.extend_from_slice(&self.samples.len.to_le_bytes());
            bytes.extend_from_slice(&(samples.len() as u32).to_le_bytes());
            self.segments.put(bytes, 1)?;
            bytes.clear();
            samples.iter().for_each(|y| bytes.extend_from_slice(&y.to_le_bytes()));
            self.samples.put(bytes, samples.len() as u64)?;
        }
        Ok(())
    }

    /// Completes both files.
    pub(crate) fn finish(self) -> Result<[PathBuf; 2], CloudError> {
        Ok([self.segments.finish()?, self.samples.finish()?])
    }
}

impl Array {
    fn create(path: PathBuf, descr: &'static str) -> Result<Array, CloudError> {
        let header_len = array_header(descr, u64::MAX, 0).len();
        let file = StagedFile::create(&path)?;
        let mut array = Array { path, file, descr, len: 0, header_len };
        array.put_header()?;
        Ok(array)
    }

    fn put_header(&mut self) -> Result<(), CloudError> {
        // The same length whatever the number of rows.
        let bare = array_header(self.descr, self.len, 0).len();
        let header = array_header(self.descr, self.len, self.header_len.saturating_sub(bare));
        let written: io::Result<()> = self.file.write_all(&header);
        written.map_err(|e| CloudError::write(&self.path, e))
    }

    fn put(&mut self, bytes: &[u8], rows: u64) -> Result<(), CloudError> {
        self.len += rows;
        self.file.write_all(bytes).map_err(|e| CloudError::write(&self.path, e))
    }

    fn finish(mut self) -> Result<PathBuf, CloudError> {
        self.file.seek(SeekFrom::Start(0)).map_err(|e| CloudError::write(&self.path, e))?;
        self.put_header()?;
        self.file.publish()
    }
}
