//! Which files a run writes, and opening them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use understory_cloud::{MultiSink, OutputFormat, RecordSink, SinkOptions, open_sink};

use crate::picture::PictureSink;
use crate::report::cannot_write;

/// The files of a run: one folder, one name, several formats.
pub struct Outputs {
    /// Where everything goes.
    pub folder: PathBuf,
    /// Name of the files without their endings.
    pub name: String,
    /// How the points are written.
    pub formats: Vec<OutputFormat>,
    /// Whether to draw a picture, and its title.
    pub picture_title: Option<String>,
    /// How to write the points.
    pub options: SinkOptions,
}

impl Outputs {
    /// Path of an output with this ending.
    pub fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    /// Makes the folder and opens all outputs. Nothing appears before the run is over; `created`
    /// tells whether the folder is new, so that a failed run can remove it again.
    pub fn open(&self) -> Result<(Box<dyn RecordSink>, NewFolder)> {
        let new_folder = NewFolder::create(&self.folder)?;
        let mut sinks: Vec<Box<dyn RecordSink>> = Vec::new();
        for &format in &self.formats {
            sinks.push(open_sink(&self.path(format.name()), format, &self.options)?);
        }
        if let Some(title) = &self.picture_title {
            sinks.push(Box::new(PictureSink::new(&self.path("png"), title)));
        }
        Ok((Box::new(MultiSink::new(sinks)), new_folder))
    }
}

/// Folders that were made for a run. Those that are empty when the run has failed are removed.
pub struct NewFolder {
    created: Vec<PathBuf>,
}

impl NewFolder {
    fn create(folder: &Path) -> Result<NewFolder> {
        // The folder and its parents that do not exist yet, innermost first.
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let created = folder.ancestors().take_while(missing).map(Path::to_path_buf).collect();
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
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
