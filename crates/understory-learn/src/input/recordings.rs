//! Recordings → beams: one beam per pulse, again and again from the files.
//!
//! What enters: recordings of any format that `understory-cloud` reads, which returns count, and what
//! to skip. What leaves: [`Beams`] in the order of the files, with little memory whatever their size,
//! and a [`ReadingReport`] that counts everything that was skipped. Pulses without a return are beams
//! of infinite range; where a format drops them, [`RecoverMisses`] finds them again.

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use understory_cloud::{CloudError, Recording};

use super::beams::{BeamSource, Beams};
use super::options::{BeamOptions, Input};
use super::pass::Pass;
use super::recover_misses::RecoverMisses;
use super::report::ReadingReport;
use crate::LearnError;

/// Recordings as a source of beams.
#[derive(Debug)]
pub struct RecordingBeams {
    inputs: Vec<Input>,
    options: BeamOptions,
    expected: Option<u64>,
    duplicated_files: Vec<PathBuf>,
    report: Mutex<ReadingReport>,
}

impl RecordingBeams {
    /// Opens recordings and reads their headers; refuses what says nothing about origins.
    pub fn open(inputs: Vec<Input>, options: BeamOptions) -> Result<RecordingBeams, LearnError> {
        let (mut kept, mut duplicated_files) = (Vec::<(Input, Option<u64>)>::new(), Vec::new());
        let mut expected = Some(0u64);
        for mut input in inputs {
            input.options.need_origins = true;
            input.options.undirected_misses = options.recover_misses != RecoverMisses::No;
            let recording = Recording::open(&input.path, &input.options)?;
            options.recover_misses.check(&input.path, &recording.known())?;
            let length = file_bytes(&input.path);
            let mut twin = false;
            for (other, _) in kept.iter().filter(|(_, l)| length.is_some() && *l == length) {
                twin |= other.path == input.path || same_bytes(&other.path, &input.path)?;
            }
            if twin {
                duplicated_files.push(input.path);
                continue;
            }
            expected = expected.zip(recording.rows()).map(|(all, rows)| all + rows);
            kept.push((input, length));
        }
        let inputs = kept.into_iter().map(|(input, _)| input).collect();
        let report = Mutex::default();
        Ok(RecordingBeams { inputs, options, expected, duplicated_files, report })
    }

    /// What the last whole pass read and skipped.
    pub fn report(&self) -> ReadingReport {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn file_bytes(path: &Path) -> Option<u64> {
    let metadata = std::fs::metadata(path).ok()?;
    metadata.is_file().then_some(metadata.len())
}

/// Whether two files of equal length are the same.
fn same_bytes(a: &Path, b: &Path) -> Result<bool, CloudError> {
    let failed = |path: &Path, error| CloudError::Read { path: path.to_path_buf(), error };
    let mut one = File::open(a).map_err(|e| failed(a, e))?;
    let mut other = File::open(b).map_err(|e| failed(b, e))?;
    let (mut first, mut second) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = understory_base::read_some(&mut one, &mut first).map_err(|e| failed(a, e))?;
        if read == 0 {
            return Ok(true);
        }
        match other.read_exact(&mut second[..read]) {
            Ok(()) if first[..read] == second[..read] => {}
            _ => return Ok(false),
        }
    }
}

impl RecordingBeams {
    /// Gives all beams, batch by batch, each of one scan, with the number of that scan: the file's own, or
    /// that of the file. The beams are those of [`BeamSource::pass`] in the same order.
    pub fn pass_scans(
        &self,
        take: &mut dyn FnMut(u32, &Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let scan = Cell::new(0);
        self.pass_in(Some(&scan), &mut |beams| take(scan.get(), beams))
    }

    fn pass_in(
        &self,
        by_scan: Option<&Cell<u32>>,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let duplicated_files = self.duplicated_files.clone();
        let report = ReadingReport { duplicated_files, ..ReadingReport::default() };
        let mut pass = Pass::new(&self.options, report, take);
        pass.by_scan = by_scan;
        for (number, input) in self.inputs.iter().enumerate() {
            pass.file(number as u32, input)?;
        }
        pass.give(0)?;
        pass.judge_units();
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = pass.report;
        Ok(())
    }
}

impl BeamSource for RecordingBeams {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        self.pass_in(None, take)
    }

    fn expected(&self) -> Option<u64> {
        self.expected
    }
}
