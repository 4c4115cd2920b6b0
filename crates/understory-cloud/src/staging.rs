//! Outputs that appear whole or not at all.
//!
//! What enters: the name that the user chose. What leaves: a temporary file or folder beside it,
//! named `.NAME.….partial`, which [`StagedFile::publish`] or [`StagedFolder::publish`] renames.
//! Dropped before that, it is removed; after a kill, the next one for the same name removes it.
//!
//! Who writes holds a lock, so that what nobody holds any more is known for a leftover. A file is on
//! the disk before it has its name, so that a power cut leaves the old one or the new one; for
//! folders of many files only the order of their names is kept.

use crate::CloudError;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// What temporary names end in.
const PARTIAL: &str = ".partial";
/// What names of older folders end in that make place for new ones.
const OLD: &str = ".old";

/// A file under a temporary name.
pub struct StagedFile {
    target: PathBuf,
    file: BufWriter<NamedTempFile>,
    /// Held for as long as it is written.
    _lock: Option<File>,
}

impl StagedFile {
    /// Opens a temporary file beside `target`.
    pub fn create(target: &Path) -> Result<StagedFile, CloudError> {
        let (folder, prefix) = folder_and_prefix(target)?;
        remove_leftovers(&folder, &prefix, PARTIAL);
        StagedFile::spool(target)
    }

    /// The same for one of several processes that write `target` together: it removes nothing, since
    /// where locks do not reach other machines, what those write looks like a leftover.
    pub(crate) fn spool(target: &Path) -> Result<StagedFile, CloudError> {
        if target.is_dir() {
            return Err(CloudError::TargetIsFolder { path: target.to_path_buf() });
        }
        let (folder, prefix) = folder_and_prefix(target)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(PARTIAL);
        // A temporary file is private by default; an output has the permissions of any new file.
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        #[cfg(unix)]
        builder.permissions(permissions);
        let (file, lock) = make_locked(|| builder.tempfile_in(&folder))
            .map_err(|e| CloudError::write(target, bare(e)))?;
        Ok(StagedFile {
            target: target.to_path_buf(),
            file: BufWriter::with_capacity(1 << 18, file),
            _lock: lock,
        })
    }

    /// Where it is until then, for others that write into it.
    pub(crate) fn temporary_path(&self) -> &Path {
        self.file.get_ref().path()
    }

    /// Gives the file its name, replacing an older file of that name in one step.
    pub fn publish(self) -> Result<PathBuf, CloudError> {
        let StagedFile { target, file, _lock } = self;
        let file = file.into_inner().map_err(|e| CloudError::write(&target, e.into_error()))?;
        file.as_file().sync_data().map_err(|e| CloudError::write(&target, e))?;
        if let Err(failed) = file.persist(&target) {
            return Err(CloudError::write(&target, failed.error));
        }
        if let Some(folder) = target.parent() {
            sync_folder(folder);
        }
        Ok(target)
    }

    /// Its temporary name, for those who write by a name only.
    pub fn path(&self) -> &Path {
        self.file.get_ref().path()
    }

    /// One sentence about a file that could not be filled.
    pub fn failed(&self, error: io::Error) -> CloudError {
        CloudError::write(&self.target, error)
    }
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                // Not every crate makes an interrupted call again.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
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
        understory_base::read_some(self.file.get_mut(), bytes)
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
    /// Held for as long as it is written.
    _lock: Option<File>,
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
        remove_leftovers(&parent, &prefix, PARTIAL);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(PARTIAL);
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        #[cfg(unix)]
        builder.permissions(permissions);
        let (folder, lock) = make_locked(|| builder.tempdir_in(&parent))
            .map_err(|e| CloudError::write(target, bare(e)))?;
        Ok(StagedFolder { target: target.to_path_buf(), folder, may_hold, _lock: lock })
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
        let StagedFolder { target, folder, may_hold, _lock } = self;
        let failed = |e| CloudError::write(&target, e);
        if target.exists() {
            refuse_foreign(&target, may_hold)?;
            let (parent, prefix) = folder_and_prefix(&target)?;
            let mut builder = tempfile::Builder::new();
            builder.prefix(&prefix).suffix(OLD);
            let (aside, _lock) =
                make_locked(|| builder.tempdir_in(&parent)).map_err(|e| failed(bare(e)))?;
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
        // What a program that was killed in the middle of this moved aside has its successor.
        let (parent, prefix) = folder_and_prefix(&target)?;
        remove_leftovers(&parent, &prefix, OLD);
        sync_folder(&parent);
        Ok(target)
    }
}

/// Makes something under a temporary name and takes the lock of who writes it.
fn make_locked<T: AsRef<Path>>(make: impl Fn() -> io::Result<T>) -> io::Result<(T, Option<File>)> {
    loop {
        let made = make()?;
        let file = File::open(&made).ok();
        // Before it was locked it could be taken for a leftover: another holds its lock and is about
        // to remove it, or has done so. Not every file system has locks; then nothing ever is.
        let locked = file.as_ref().map(File::try_lock);
        if !matches!(locked, Some(Err(TryLockError::WouldBlock))) && made.as_ref().exists() {
            return Ok((made, file));
        }
    }
}

/// Waits until new names in a folder are on the disk, where the system can do that.
fn sync_folder(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if let Ok(folder) = File::open(folder) {
        let _as_far_as_it_can = folder.sync_all();
    }
}

/// Removes what killed programs left behind for the same name. Nothing depends on it: what cannot be
/// removed stays.
fn remove_leftovers(folder: &Path, prefix: &str, suffix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // What `tempfile` puts between.
        let middle = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        if middle.is_none_or(|middle| middle.len() != 6) {
            continue;
        }
        let path = entry.path();
        // Held until it is gone: nobody who has just made it takes it for its own meanwhile.
        let Some(_lock) = lock_abandoned(&path) else { continue };
        let _or_it_stays =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
}

/// The lock of something that nobody writes any more.
fn lock_abandoned(path: &Path) -> Option<File> {
    let metadata = path.symlink_metadata().ok()?;
    // Opening a pipe would wait for ever.
    if !metadata.is_file() && !metadata.is_dir() {
        return None;
    }
    let file = File::open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// The error of the operating system without the temporary name that `tempfile` puts in front: the
/// user never chose that name.
fn bare(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() {
        return error;
    }
    // What the system said stands before the name; the kind alone has no words for every reason.
    let text = error.to_string();
    let said = text.split(" at path ").next().unwrap_or_default().to_owned();
    io::Error::new(error.kind(), said)
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
    fn what_a_killed_program_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at(".cloud.ply.aBc123.partial"), "left").unwrap();
        fs::create_dir(at(".cloud.ply.dir456.partial")).unwrap();
        let kept = [
            // Of another output, or of nobody.
            ".other.ply.aBc123.partial",
            ".cloud.ply.partial",
            ".cloud.ply.mine-own.partial",
            "cloud.ply",
        ];
        kept.iter().for_each(|name| fs::write(at(name), "kept").unwrap());
        let left = [".cloud.ply.aBc123.partial", ".cloud.ply.dir456.partial"];
        // Another program that is writing.
        let slow = StagedFile::create(&at("cloud.ply")).unwrap();
        let slow_name = slow.file.get_ref().path().to_path_buf();
        let file = StagedFile::create(&at("cloud.ply")).unwrap();
        assert!(left.iter().all(|name| !at(name).exists()), "{:?}", names(dir.path()));
        assert!(kept.iter().all(|name| at(name).exists()), "{:?}", names(dir.path()));
        assert!(slow_name.exists());
        slow.publish().unwrap();
        file.publish().unwrap();
    }

    /// Many that begin at once look for leftovers while the others have not yet locked theirs.
    #[test]
    fn nobody_removes_what_another_has_just_made() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("cloud.ply");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let file = StagedFile::create(&target).unwrap();
                        std::thread::yield_now();
                        assert!(file.temporary_path().exists());
                    }
                });
            }
        });
        assert!(names(dir.path()).is_empty());
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
    fn what_a_killed_program_moved_aside_is_removed_when_its_successor_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("sequence");
        fs::create_dir_all(dir.path().join(".sequence.aBc123.old/old")).unwrap();
        let anything = |_: &str| true;
        let staged = StagedFolder::create(&target, anything).unwrap();
        // It is all that there is of the older one until then.
        assert!(dir.path().join(".sequence.aBc123.old").exists());
        staged.publish().unwrap();
        assert_eq!(names(dir.path()), ["sequence"]);
    }

    #[test]
    fn what_the_system_says_is_kept_without_the_temporary_name() {
        let system = io::Error::from_raw_os_error(24).to_string();
        let with_name = format!("{system} at path \"/a/.b.XyZ123.partial\"");
        let said = bare(io::Error::other(with_name)).to_string();
        assert_eq!(said, system);
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
