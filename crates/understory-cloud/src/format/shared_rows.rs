//! Which formats several processes write together, and what packs their rows.

use super::{csv, las, npy, ply};
use crate::spool::Spool;
use crate::{CloudError, OutputFormat, SinkOptions};
use std::path::Path;

/// What packs rows of a format into a spool beside `path`.
pub(crate) fn open(
    path: &Path,
    format: OutputFormat,
    options: &SinkOptions,
) -> Result<Box<dyn Spool>, CloudError> {
    Ok(match format {
        OutputFormat::Las => las::spool(path, false, options)?,
        OutputFormat::Laz => las::spool(path, true, options)?,
        OutputFormat::Ply => Box::new(ply::write::spool(path, options)?),
        OutputFormat::Npy => Box::new(npy::write::spool(path, options)?),
        OutputFormat::Csv => Box::new(csv::write::CsvSink::spool(path, options)?),
        _ => {
            return Err(CloudError::UnknownFormat {
                path: path.to_path_buf(),
                known: OutputFormat::known_suffixes(),
            });
        }
    })
}
