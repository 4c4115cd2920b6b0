//! Which files a run writes, and opening them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use understory_cloud::{
    CloudError, FilePart, Misses, MultiSink, OutputFormat, PartNumber, RecordSink, SinkOptions,
    can_be_shared, open_part, open_sink,
};

use crate::report::cannot_write;
use understory_view::picture::PictureSink;

/// `--misses`.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum MissesChoice {
    /// They are rows, where the format can hold them
    Keep,
    /// They are left out
    Drop,
}

impl MissesChoice {
    /// The same for the writers.
    pub fn to_option(self) -> Misses {
        match self {
            MissesChoice::Keep => Misses::Keep,
            MissesChoice::Drop => Misses::Drop,
        }
    }
}

/// The files of a run.
pub struct Outputs {
    /// Where everything goes.
    pub folder: PathBuf,
    /// Files of points.
    pub files: Vec<OutputFile>,
    /// Where the picture goes, if one is wanted.
    pub picture: Option<PathBuf>,
    /// Title of the picture.
    pub title: String,
    /// How to write the points.
    pub options: SinkOptions,
}

/// The help of `--format`.
pub fn format_help(what: &str) -> String {
    let names = understory_cloud::format_names();
    format!("{what} ({names}); may be given several times [default: as the scenario says]")
}

/// One file of points, or one folder of a format that has several files.
pub struct OutputFile {
    /// Where it goes.
    pub path: PathBuf,
    /// How it is written.
    pub format: OutputFormat,
}

impl OutputFile {
    /// `NAME.format` in a folder.
    pub fn named(folder: &Path, name: &str, format: OutputFormat) -> OutputFile {
        OutputFile { path: folder.join(format!("{name}.{}", format.extension())), format }
    }
}

impl Outputs {
    /// Files of points called `name` in these formats, and no others.
    pub fn only(&mut self, name: &str, mut formats: Vec<OutputFormat>) {
        formats.sort();
        formats.dedup();
        let named = |format| OutputFile::named(&self.folder, name, format);
        self.files = formats.into_iter().map(named).collect();
    }

    /// Writes the names of objects and materials as a table, if a file of points cannot hold them.
    pub fn write_names(&self, name: &str) -> Result<Option<PathBuf>> {
        let Some(names) = &self.options.names else { return Ok(None) };
        if self.files.iter().all(|file| file.format.info().names) {
            return Ok(None);
        }
        let path = self.folder.join(format!("{name}.names.csv"));
        names.write_table(&path)?;
        Ok(Some(path))
    }

    /// Whether several processes can write all of it together.
    pub fn can_be_shared(&self) -> bool {
        let fits = |file: &OutputFile| can_be_shared(file.format, &self.options_of(file));
        self.picture.is_none() && !self.files.is_empty() && self.files.iter().all(fits)
    }

    /// Opens one process's parts of all outputs.
    pub fn open_parts(
        &self,
        first_return_m: Option<[f64; 3]>,
        number: PartNumber,
    ) -> Result<Vec<FilePart>, CloudError> {
        let open = |file: &OutputFile| {
            let options = self.options_of(file);
            open_part(&file.path, file.format, &options, first_return_m, number)
        };
        self.files.iter().map(open).collect()
    }

    fn options_of(&self, file: &OutputFile) -> SinkOptions {
        let mut options = self.options.clone();
        if !file.format.info().waveforms {
            options.waveforms.clear();
        }
        options
    }

    /// Makes the folders and opens all outputs. Nothing appears before the run is over; the new
    /// folders disappear again unless they are kept.
    /// `others` are fed beside them.
    pub fn open(
        &self,
        others: Vec<Box<dyn RecordSink>>,
    ) -> Result<(Box<dyn RecordSink>, Vec<NewFolder>)> {
        let paths = self.files.iter().map(|file| &file.path).chain(&self.picture);
        let mut folders = vec![NewFolder::create(&self.folder)?];
        for path in paths {
            folders.push(NewFolder::create(path.parent().unwrap_or(&self.folder))?);
        }
        // Inner folders are the last to be made and must be the first to be removed.
        folders.reverse();
        let mut sinks: Vec<Box<dyn RecordSink>> = Vec::new();
        for file in &self.files {
            sinks.push(open_sink(&file.path, file.format, &self.options_of(file))?);
        }
        if let Some(path) = &self.picture {
            sinks.push(Box::new(PictureSink::create(path, &self.title)?));
        }
        sinks.extend(others);
        Ok((Box::new(MultiSink::new(sinks)), folders))
    }
}

/// Folders that were made for a run. Those that are empty when the run has failed are removed.
pub struct NewFolder {
    created: Vec<PathBuf>,
}

impl NewFolder {
    /// Makes a folder with its parents.
    pub fn create(folder: &Path) -> Result<NewFolder> {
        // The folder and its parents that do not exist yet, innermost first.
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let created = folder.ancestors().take_while(missing).map(Path::to_path_buf).collect();
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        Ok(NewFolder { created })
    }

    /// The run succeeded: the folders stay.
    pub fn keep(mut self) {
        self.created.clear();
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        for folder in &self.created {
            // Fails where the folder is not empty, and then it must stay.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_failed_run_disappear_unless_they_hold_something() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b/c");
        drop(NewFolder::create(&deep).unwrap());
        assert!(!root.path().join("a").exists());

        let new = NewFolder::create(&deep).unwrap();
        fs::write(root.path().join("a/note"), "mine").unwrap();
        drop(new);
        assert!(root.path().join("a/note").exists() && !root.path().join("a/b").exists());

        NewFolder::create(&deep).unwrap().keep();
        assert!(deep.exists());
        drop(NewFolder::create(&deep).unwrap());
        assert!(deep.exists());
    }
}
