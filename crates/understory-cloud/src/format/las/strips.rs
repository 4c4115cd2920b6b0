//! One LAS or LAZ file for each flight line, as surveys are delivered: `NAME_line1.laz`, ….
//!
//! What enters: records in firing order. What leaves: a file for each line on which something was
//! fired, whose points all have the line as their point source. All appear together, at the end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::write::LasSink;
use crate::{CloudError, RecordSink, Records, SinkOptions, SinkReport};

/// Feeds one file a flight line.
pub(crate) struct StripSink {
    path: PathBuf,
    compress: bool,
    options: SinkOptions,
    lines: BTreeMap<u16, LasSink>,
    /// Rows of the line that is fed next.
    rows: Vec<usize>,
    part: Records,
}

impl StripSink {
    pub(crate) fn new(path: &Path, compress: bool, options: &SinkOptions) -> StripSink {
        let (path, options) = (path.to_path_buf(), options.clone());
        let (lines, rows, part) = (BTreeMap::new(), Vec::new(), Records::default());
        StripSink { path, compress, options, lines, rows, part }
    }

    fn line(&self, time_s: f64) -> u16 {
        // Nothing is fired between lines.
        self.options.survey.as_ref().and_then(|survey| survey.flight_line(time_s)).unwrap_or(0)
    }
}

/// The file of a flight line.
fn strip_path(path: &Path, line: u16) -> PathBuf {
    let mut name = path.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!("_line{line}."));
    name.push(path.extension().unwrap_or_default());
    path.with_file_name(name)
}

impl RecordSink for StripSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        let mut row = 0;
        while row < records.len() {
            // Several sensors may change lines at slightly different rows.
            let line = self.line(records.time_s[row]);
            self.rows.clear();
            while row < records.len() && self.line(records.time_s[row]) == line {
                self.rows.push(row);
                row += 1;
            }
            if !self.lines.contains_key(&line) {
                let path = strip_path(&self.path, line);
                let sink = LasSink::create(&path, self.compress, &self.options)?;
                self.lines.insert(line, sink);
            }
            let Some(sink) = self.lines.get_mut(&line) else { continue };
            if self.rows.len() == records.len() {
                return sink.write(records);
            }
            self.part.clear();
            self.part.append_rows(records, &self.rows);
            sink.write(&self.part)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let mut total = SinkReport::default();
        for (_, sink) in self.lines {
            let report = Box::new(sink).finish()?;
            total.paths.extend(report.paths);
            total.rows += report.rows;
            total.dropped_misses += report.dropped_misses;
            for words in report.dropped_fields {
                if !total.dropped_fields.contains(&words) {
                    total.dropped_fields.push(words);
                }
            }
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_their_lines() {
        let path = strip_path(Path::new("out/plot.7.laz"), 12);
        assert_eq!(path, Path::new("out/plot.7_line12.laz"));
    }
}
