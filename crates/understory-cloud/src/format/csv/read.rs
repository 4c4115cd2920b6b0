//! Tables in text: CSV, columns between blanks, HELIOS++ XYZ, and points in a legacy VTK file.
//!
//! A line of names comes first, or none: then 3 columns are x y z, 4 are x y z and intensity, and
//! 11 are what HELIOS++ writes; other numbers of columns need names from the caller. Commas,
//! semicolons, tabs and blanks separate values. Lines that begin with `#` or `//` are comments,
//! the last of them in front of the numbers may be the line of names.

use crate::error::damaged;
use crate::format::table::{BLOCK_ROWS, Block, ColumnSummary, Opened, Source, Table};
use crate::text_lines::{Separator, next_line, number};
use crate::{CloudError, OutputFormat};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Columns of HELIOS++ in the names of this crate and its own.
const HELIOS: [&str; 11] = [
    "x",
    "y",
    "z",
    "intensity",
    "echo_width",
    "returnNumber",
    "pulseReturnNumber",
    "fullwaveIndex",
    "hitObjectId",
    "classification",
    "gpsTime",
];

/// A comment without its mark; `None` for other lines.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix('#').or_else(|| line.strip_prefix("//")).map(str::trim)
}

/// Names without quotes and blanks around them.
fn names(separator: Separator, line: &str) -> Vec<String> {
    let clean = |name: &str| name.trim().trim_matches(['"', '\'']).trim().to_owned();
    separator.split(line).map(clean).collect()
}

/// A table of lines.
pub(crate) struct TextTable {
    pub(crate) path: PathBuf,
    pub(crate) format: &'static str,
    pub(crate) names: Vec<String>,
    pub(crate) separator: Separator,
    pub(crate) reader: BufReader<File>,
    /// Rows still to come, if a header said how many.
    pub(crate) left: Option<u64>,
    /// Lines read so far.
    pub(crate) line: u64,
    /// A line that was read while looking for the names.
    pub(crate) pending: Option<String>,
}

/// Opens a table with or without a line of names.
pub(crate) fn open(mut source: Source, given: Option<&[String]>) -> Result<Opened, CloudError> {
    let mut line = Vec::new();
    let mut lines = 0;
    let mut last_comment: Option<String> = None;
    let first = loop {
        let text = next_line(&mut source.reader, &mut line)
            .map_err(|e| source.damaged("CSV", format!("line {}: {e}", lines + 1)))?;
        let Some(text) = text else { break None };
        lines += 1;
        // A byte-order mark is no part of the first name.
        let text = text.trim_start_matches('\u{feff}');
        match comment(text) {
            Some(comment) => last_comment = Some(comment.to_owned()),
            None if text.trim().is_empty() => {}
            None => break Some(text.to_owned()),
        }
    };
    let first = match (first, &last_comment) {
        (Some(first), _) => first,
        // A file with names and no row.
        (None, Some(names)) => names.clone(),
        (None, None) => return Err(source.damaged("CSV", "it has no line of column names")),
    };
    let separator = Separator::from_line(&first);
    let width = separator.split(&first).count();
    let is_data = separator.split(&first).all(|value| number(value).is_some());
    let pending = is_data.then(|| first.clone());
    let names = match given {
        Some(given) if given.len() == width => given.to_vec(),
        Some(given) => {
            let what =
                format!("line {lines} has {width} values, but {} columns were named", given.len());
            return Err(source.damaged("CSV", what));
        }
        None if !is_data => names(separator, &first),
        None => {
            let comment = last_comment.map(|c| names(Separator::from_line(&c), &c));
            comment.filter(|names| names.len() == width).unwrap_or_else(|| default_names(width))
        }
    };
    if names.iter().all(String::is_empty) {
        return Err(source.damaged("CSV", "it has no line of column names"));
    }
    let version = match separator {
        Separator::Letter(',') => "CSV".to_owned(),
        Separator::Letter(letter) => format!("text, columns between {letter:?}"),
        Separator::Blanks => "text, columns between blanks".to_owned(),
    };
    let facts = source.facts(OutputFormat::Csv, version);
    let table = TextTable {
        path: source.path,
        format: "CSV",
        names,
        separator,
        reader: source.reader,
        left: None,
        line: lines - u64::from(pending.is_some()),
        pending,
    };
    Ok(Opened { table: Box::new(table), facts })
}

/// Names of columns that have none.
pub(crate) fn default_names(width: usize) -> Vec<String> {
    match width {
        3 | 4 => ["x", "y", "z", "intensity"].iter().take(width).map(|&n| n.to_owned()).collect(),
        11 => HELIOS.map(str::to_owned).to_vec(),
        _ => (0..width).map(|i| format!("column_{i}")).collect(),
    }
}

/// Opens the points of a legacy VTK file in ASCII, one point to a line.
pub(crate) fn open_vtk(mut source: Source) -> Result<Opened, CloudError> {
    let mut line = Vec::new();
    let mut lines = 0;
    let points = loop {
        let text = next_line(&mut source.reader, &mut line)
            .map_err(|e| source.damaged("VTK", format!("line {}: {e}", lines + 1)))?;
        let Some(text) = text else {
            return Err(source.damaged("VTK", "it has no line POINTS"));
        };
        lines += 1;
        let is_head = lines != 1 || text.starts_with("# vtk DataFile");
        let is_text = lines != 3 || text.trim() == "ASCII";
        if !is_head || !is_text {
            let what = format!("line {lines} is not that of a legacy VTK file in ASCII");
            return Err(source.damaged("VTK", what));
        }
        if let Some(rest) = text.strip_prefix("POINTS ") {
            let count = rest.split_ascii_whitespace().next().and_then(|n| n.parse::<u64>().ok());
            match count {
                Some(count) => break count,
                None => return Err(source.damaged("VTK", format!("line {lines} counts no points"))),
            }
        }
    };
    // A point has at least six letters.
    if points.checked_mul(6).is_none_or(|least| least > source.bytes) {
        let what = format!("its header promises {points} rows, but it has {} bytes", source.bytes);
        return Err(source.damaged("VTK", what));
    }
    let mut facts = source.facts(OutputFormat::Csv, "legacy VTK, ASCII".to_owned());
    facts.rows = Some(points);
    let table = TextTable {
        path: source.path,
        format: "VTK",
        names: default_names(3),
        separator: Separator::Blanks,
        reader: source.reader,
        left: Some(points),
        line: lines,
        pending: None,
    };
    Ok(Opened { table: Box::new(table), facts })
}

impl TextTable {
    /// Takes the values of one line that is no comment; `places` says which vector of the block
    /// each column goes to.
    fn take(
        &self,
        text: &str,
        places: &[Option<usize>],
        block: &mut Block,
    ) -> Result<(), CloudError> {
        let fail = |what: String| damaged(&self.path, self.format, what);
        let mut found = 0;
        for value in self.separator.split(text) {
            let values = places.get(found).copied().flatten().and_then(|at| block.get_mut(at));
            found += 1;
            if let Some(values) = values {
                let value = number(value).ok_or_else(|| {
                    fail(format!("line {}: {value:.20?} is not a number", self.line))
                })?;
                values.push(value);
            }
        }
        if found != self.names.len() {
            let expected = self.names.len();
            return Err(fail(format!(
                "line {} has {found} values instead of {expected}",
                self.line
            )));
        }
        Ok(())
    }
}

impl Table for TextTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let summary = |name: &String| ColumnSummary { name: name.clone(), kind: "text".to_owned() };
        self.names.iter().map(summary).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        let place = |column| wanted.iter().position(|&wanted| wanted == column);
        let places: Vec<_> = (0..self.names.len()).map(place).collect();
        let mut line = Vec::new();
        let mut rows = 0;
        while rows < BLOCK_ROWS && self.left != Some(0) {
            let pending = self.pending.take();
            let text = match &pending {
                Some(text) => Some(text.as_str()),
                None => next_line(&mut self.reader, &mut line).map_err(|e| {
                    damaged(&self.path, self.format, format!("line {}: {e}", self.line + 1))
                })?,
            };
            let Some(text) = text else {
                if let Some(left) = self.left {
                    let what = format!("line {}: it ends {left} rows too early", self.line);
                    return Err(damaged(&self.path, self.format, what));
                }
                break;
            };
            self.line += 1;
            if text.trim().is_empty() || comment(text).is_some() {
                continue;
            }
            self.take(text, &places, block)?;
            rows += 1;
            self.left = self.left.map(|left| left - 1);
        }
        Ok(rows)
    }
}
