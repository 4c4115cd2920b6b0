//! Outputs that appear whole or not at all.
//!
//! What enters: the name that the user chose. What leaves: a temporary file or folder beside it,
//! named `.NAME.….partial`, which [`StagedFile::publish`] or [`StagedFolder::publish`] renames.
//! Dropped before that, it is removed.

use crate::CloudError;
use std::fs;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// A file under a temporary name.
pub struct StagedFile {
    target: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl StagedFile {
    /// Opens a temporary file beside `target`.
    pub fn create(target: &Path) -> Result<StagedFile, CloudError> {
        if target.is_dir() {
            return Err(CloudError::TargetIsFolder { path: target.to_path_buf() });
        }
        let (folder, prefix) = folder_and_prefix(target)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        // A temporary file is private by default; an output has the permissions of any new file.
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        #[cfg(unix)]
        builder.permissions(permissions);
        let file = builder.tempfile_in(&folder).map_err(|e| CloudError::write(target, bare(e)))?;
        Ok(StagedFile {
            target: target.to_path_buf(),
            file: BufWriter::with_capacity(1 << 18, file),
        })
    }

    /// Gives the file its name, replacing an older file of that name in one step.
    pub fn publish(self) -> Result<PathBuf, CloudError> {
        let StagedFile { target, file } = self;
        let file = file.into_inner().map_err(|e| CloudError::write(&target, e.into_error()))?;
        match file.persist(&target) {
            Ok(_) => Ok(target),
            Err(failed) => Err(CloudError::write(&target, failed.error)),
        }
    }

    /// One sentence about a file that could not be filled.
    pub fn failed(&self, error: io::Error) -> CloudError {
        CloudError::write(&self.target, error)
    }
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for StagedFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.flush()?;
        self.file.get_mut().read(bytes)
    }
}

impl Seek for StagedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        self.file.stream_position()
    }
}

/// Writes a file that appears whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CloudError> {
    // A device or a pipe is written to; a new file must never take its place.
    if is_device(path) {
        let file = fs::OpenOptions::new().write(true).open(path);
        let written = file.and_then(|mut file| file.write_all(bytes));
        return written.map_err(|error| CloudError::write(path, error));
    }
    let mut file = StagedFile::create(path)?;
    file.write_all(bytes).map_err(|error| file.failed(error))?;
    file.publish().map(drop)
}

/// Whether a file could be written there, before work is spent on what goes into it.
pub fn check_writable(path: &Path) -> Result<(), CloudError> {
    if is_device(path) { Ok(()) } else { StagedFile::create(path).map(drop) }
}

fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// A folder under a temporary name.
pub(crate) struct StagedFolder {
    target: PathBuf,
    folder: TempDir,
    may_hold: fn(&str) -> bool,
}

impl StagedFolder {
    /// Makes a temporary folder beside `target`. An existing `target` is replaced at the end, but
    /// only if every entry in it passes `may_hold`: nobody's own files are ever removed.
    pub(crate) fn create(
        target: &Path,
        may_hold: fn(&str) -> bool,
    ) -> Result<StagedFolder, CloudError> {
        if target.is_file() {
            return Err(CloudError::TargetIsFile { path: target.to_path_buf() });
        }
        refuse_foreign(target, may_hold)?;
        let (parent, prefix) = folder_and_prefix(target)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        #[cfg(unix)]
        builder.permissions(permissions);
        let folder = builder.tempdir_in(parent).map_err(|e| CloudError::write(target, bare(e)))?;
        Ok(StagedFolder { target: target.to_path_buf(), folder, may_hold })
    }

    /// Where to put the files.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The name that the user chose.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the folder its name. An older folder of that name is first moved aside and is put
    /// back if the renaming fails.
    pub(crate) fn publish(self) -> Result<PathBuf, CloudError> {
        let StagedFolder { target, folder, may_hold } = self;
        let failed = |e| CloudError::write(&target, e);
        if target.exists() {
            refuse_foreign(&target, may_hold)?;
            let (parent, prefix) = folder_and_prefix(&target)?;
            let aside = tempfile::Builder::new()
                .prefix(&prefix)
                .suffix(".old")
                .tempdir_in(parent)
                .map_err(|e| failed(bare(e)))?;
            let old = aside.path().join("old");
            fs::rename(&target, &old).map_err(failed)?;
            if let Err(error) = fs::rename(folder.path(), &target) {
                // The older output is worth more than a tidy folder: keep it wherever it is.
                if fs::rename(&old, &target).is_err() {
                    let _kept = aside.keep();
                }
                return Err(failed(error));
            }
        } else {
            fs::rename(folder.path(), &target).map_err(failed)?;
        }
        // The temporary name is gone by now; without this the guard would look for it again.
        let _renamed = folder.keep();
        Ok(target)
    }
}

/// The error of the operating system without the temporary name that `tempfile` puts in front: the
/// user never chose that name.
fn bare(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() { error } else { io::Error::from(error.kind()) }
}

/// The folder in which `target` stands, and the beginning of temporary names beside it.
fn folder_and_prefix(target: &Path) -> Result<(PathBuf, String), CloudError> {
    let no_name = || CloudError::TargetIsFolder { path: target.to_path_buf() };
    let name = match target.components().next_back() {
        Some(Component::Normal(name)) => name.to_string_lossy().into_owned(),
        _ => return Err(no_name()),
    };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    if !folder.is_dir() {
        return Err(CloudError::NoFolder { path: target.to_path_buf(), folder });
    }
    Ok((folder, format!(".{name}.")))
}

/// Refuses a folder that holds anything but what may be replaced.
fn refuse_foreign(target: &Path, may_hold: fn(&str) -> bool) -> Result<(), CloudError> {
    if !target.exists() {
        return Ok(());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(target).map_err(|e| CloudError::read(target, e))? {
        let entry = entry.map_err(|e| CloudError::read(target, e))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    match names.into_iter().find(|name| !may_hold(name)) {
        Some(found) => Err(CloudError::ForeignFolder { path: target.to_path_buf(), found }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_dropped_file_leaves_nothing_and_the_old_one_alone() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("cloud.ply");
        fs::write(&target, "old").unwrap();
        let mut staged = StagedFile::create(&target).unwrap();
        staged.write_all(b"new").unwrap();
        staged.flush().unwrap();
        assert_eq!(names(dir.path()).len(), 2);
        drop(staged);
        assert_eq!(names(dir.path()), ["cloud.ply"]);
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
    }

    #[test]
    fn a_published_file_replaces_the_old_one_with_ordinary_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("cloud.ply");
        fs::write(&target, "old").unwrap();
        let mut staged = StagedFile::create(&target).unwrap();
        staged.write_all(b"new").unwrap();
        assert_eq!(staged.publish().unwrap(), target);
        assert_eq!(names(dir.path()), ["cloud.ply"]);
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let plain = dir.path().join("plain");
            fs::write(&plain, "").unwrap();
            let mode = |path| fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode(&target), mode(&plain));
        }
    }

    #[test]
    fn a_folder_with_other_things_is_refused_and_a_known_one_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("sequence");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("thesis.tex"), "years of work").unwrap();
        let only_times = |name: &str| name == "times.txt";
        let Err(error) = StagedFolder::create(&target, only_times) else { panic!() };
        assert!(error.to_string().contains("thesis.tex"), "{error}");
        fs::rename(target.join("thesis.tex"), target.join("times.txt")).unwrap();
        let staged = StagedFolder::create(&target, only_times).unwrap();
        fs::write(staged.path().join("poses.txt"), "new").unwrap();
        staged.publish().unwrap();
        assert_eq!(names(dir.path()), ["sequence"]);
        assert_eq!(names(&target), ["poses.txt"]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let Err(error) = StagedFile::create(&dir.path().join("no/such/a.las")) else { panic!() };
        let message = error.to_string();
        assert!(
            message.contains("a.las: the folder") && message.contains("create it"),
            "{message}"
        );
    }
}
