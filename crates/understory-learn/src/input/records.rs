//! Records in memory → beams.

use std::sync::{Arc, Mutex, PoisonError};

use understory_cloud::Records;

use super::beams::{BeamSource, Beams};
use super::options::BeamOptions;
use super::pass::{BATCH, Pass};
use super::report::ReadingReport;
use crate::LearnError;

/// Records in memory as a source of beams. What a format dropped cannot be found again here:
/// [`BeamOptions::recover_misses`] does nothing.
#[derive(Debug)]
pub struct RecordsBeams {
    records: Vec<Arc<Records>>,
    options: BeamOptions,
    report: Mutex<ReadingReport>,
}

impl RecordsBeams {
    /// Beams of all `records`, in their order.
    pub fn new(records: Vec<Arc<Records>>, options: BeamOptions) -> RecordsBeams {
        RecordsBeams { records, options, report: Mutex::default() }
    }

    /// What the last whole pass read and skipped.
    pub fn report(&self) -> ReadingReport {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl BeamSource for RecordsBeams {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let mut pass = Pass::new(&self.options, ReadingReport::default(), take);
        for records in &self.records {
            for row in 0..records.len() {
                let scan = records.scan[row];
                if !self.options.asks_for(scan) {
                    pass.report.other_scans += 1;
                    continue;
                }
                pass.row(records, row);
                pass.give(BATCH)?;
            }
            pass.close_pulse();
            pass.report.rows += records.len() as u64;
        }
        pass.give(0)?;
        pass.judge_units();
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = pass.report;
        Ok(())
    }

    fn expected(&self) -> Option<u64> {
        Some(self.records.iter().map(|records| records.len() as u64).sum())
    }
}
