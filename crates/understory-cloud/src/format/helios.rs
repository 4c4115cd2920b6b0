//! The text of HELIOS++: eleven numbers per return, without a line of names.
//!
//! `x y z intensity echo_width returnNumber pulseReturnNumber fullwaveIndex hitObjectId
//! classification gpsTime`: positions and intensity with four decimals, time with nine. The echo's
//! width is not in the records and is 0. Pulses without a return cannot be represented and are skipped;
//! where beams began stands in a trajectory of its own.

use crate::dropped_fields::{DroppedField, DroppedFields};
use crate::staging::StagedFile;
use crate::{CloudError, RecordSink, Records, SinkReport};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes one file of HELIOS++'s text.
pub(crate) struct HeliosSink {
    path: PathBuf,
    file: StagedFile,
    rows: u64,
    dropped_misses: u64,
    dropped_fields: DroppedFields,
}

impl HeliosSink {
    /// Opens a file.
    pub(crate) fn create(path: &Path) -> Result<HeliosSink, CloudError> {
        Ok(HeliosSink {
            path: path.to_path_buf(),
            file: StagedFile::create(path)?,
            rows: 0,
            dropped_misses: 0,
            dropped_fields: DroppedFields::new(&[
                DroppedField::Sensors,
                DroppedField::Channels,
                DroppedField::Scans,
                DroppedField::Columns,
                DroppedField::Origins,
                DroppedField::Truth,
                DroppedField::Photons,
                DroppedField::Colours,
            ]),
        })
    }
}

impl RecordSink for HeliosSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.dropped_fields.look(records);
        for row in 0..records.len() {
            if records.is_miss(row) {
                self.dropped_misses += 1;
                continue;
            }
            let [x, y, z] = records.world_xyz_m[row];
            // A file has numbers everywhere.
            let intensity = Some(records.intensity[row]).filter(|i| i.is_finite()).unwrap_or(0.0);
            let time_s = Some(records.time_s[row]).filter(|t| t.is_finite()).unwrap_or(0.0);
            writeln!(
                self.file,
                "{x:.4} {y:.4} {z:.4} {intensity:.4} 0.0000 {} {} {} {} {} {time_s:.9}",
                records.return_number[row],
                records.return_count[row],
                records.pulse[row],
                records.object[row],
                records.label[row],
            )
            .map_err(|e| CloudError::write(&self.path, e))?;
            self.rows += 1;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport {
            paths: vec![self.file.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            dropped_fields: self.dropped_fields.words(),
        })
    }
}
