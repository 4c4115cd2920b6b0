//! Small inputs that cover most, kept in the repository: a zip for each target.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Where the corpus of a target lies.
pub fn corpus_path(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(format!("{target}.zip"))
}

/// Its inputs; none where there is no such file.
pub fn read_corpus(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let file = match File::open(corpus_path(target)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut archive = ZipArchive::new(file).map_err(io::Error::other)?;
    let mut inputs = Vec::with_capacity(archive.len());
    for index in 0..archive.len() {
        let mut input = Vec::new();
        archive.by_index(index).map_err(io::Error::other)?.read_to_end(&mut input)?;
        inputs.push(input);
    }
    Ok(inputs)
}

/// Writes inputs as the corpus of a target; the same inputs give the same bytes.
pub fn write_corpus(target: &str, inputs: &[Vec<u8>]) -> io::Result<()> {
    let path = corpus_path(target);
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut zip = ZipWriter::new(File::create(path)?);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    for (number, input) in inputs.iter().enumerate() {
        zip.start_file(format!("{number:04}"), options).map_err(io::Error::other)?;
        zip.write_all(input)?;
    }
    zip.finish().map_err(io::Error::other)?;
    Ok(())
}
