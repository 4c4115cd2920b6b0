//! What a run has finished, on disk, so that a run that was killed goes on where it was, and so that
//! several hosts can each simulate a part.
//!
//! What enters: blocks of bytes ([`block`](super::block)) in any order, from any process. What
//! leaves: those of them that are whole, sorted, after any kill. A folder holds `run.json`, which
//! says what run it is of, and files `blocks-0000` and so on: each a short header with a digest of
//! that run and then block after block, appended as jobs finish. A process killed while it appends
//! leaves a torn last block, whose checksum does not fit: it is passed over and simulated again.
//! Appending loses less than files that appear whole would (one job, not the last million pulses),
//! and needs no second copy.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use understory_cloud::{CloudError, StagedFile};

use crate::Error;

use super::block::{FRAME_BYTES, Finished, length_after, place};
use super::plan::Cut;

const MANIFEST: &str = "run.json";
const LOCK: &str = "lock";
const PREFIX: &str = "blocks-";
const MAGIC: [u8; 8] = *b"\x89PARTS1\n";
/// Magic and digest.
const HEADER_BYTES: usize = 40;
/// Blocks are on the disk, not only on their way to it, after this time.
const SYNC_EVERY: Duration = Duration::from_secs(10);
/// More files than this in one folder are not of this program.
const MOST_FILES: u32 = 1_000_000;

/// Everything that decides the rows of a run, each thing by a name that people understand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity {
    facts: Vec<(String, String)>,
}

impl RunIdentity {
    /// Adds a fact, such as `the seed` and `3`.
    pub fn add(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.push((name.into(), value.into()));
    }

    /// One number for all of it.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        for (name, value) in &self.facts {
            for text in [name, value] {
                hasher.update((text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            }
        }
        hasher.finalize().into()
    }

    /// The first thing in which `here` differs, in words.
    pub fn difference(&self, here: &RunIdentity) -> Option<String> {
        let value = |of: &RunIdentity, name: &str| {
            of.facts.iter().find(|(known, _)| known == name).map(|(_, value)| short(value))
        };
        let names = here.facts.iter().chain(&self.facts).map(|(name, _)| name);
        for name in names {
            let (there, here) = (value(self, name), value(here, name));
            if there != here {
                let or_none = |value: Option<String>| value.unwrap_or("none".into());
                return Some(format!(
                    "{name} is {} there and {} here",
                    or_none(there),
                    or_none(here)
                ));
            }
        }
        None
    }
}

/// A value, or the beginning of a long one.
fn short(value: &str) -> String {
    if value.len() > 40 {
        value.chars().take(12).chain("…".chars()).collect()
    } else {
        value.into()
    }
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    run: RunIdentity,
    /// The interval that the folder is of, in words; none: whatever hosts put into it.
    interval: Option<String>,
}

/// Where a block lies in the run and on disk.
#[derive(Clone, Debug)]
pub(super) struct StoredBlock {
    pub from: Cut,
    pub to: Cut,
    file: usize,
    offset: u64,
    length: usize,
}

/// From where to where a block goes, and where it lies in its file.
pub(super) type Entry = (Cut, Cut, u64, usize);

/// The stored blocks of a run, and where more of them go.
pub struct Checkpoint {
    folder: PathBuf,
    digest: [u8; 32],
    files: Vec<PathBuf>,
    blocks: Vec<StoredBlock>,
    torn: u64,
    log: Option<Log>,
    /// Held as long as the folder is ours alone.
    _lock: Option<File>,
    reader: BlockReader,
    /// Where this process has stored something.
    own: Vec<Entry>,
}

struct Log {
    path: PathBuf,
    file: File,
    /// Bytes so far.
    length: u64,
    synced: Instant,
}

/// Reads blocks, from whatever files they are in.
#[derive(Default)]
pub(super) struct BlockReader {
    open: Option<(PathBuf, File)>,
}

impl BlockReader {
    /// Reads a block that is known to be there.
    pub fn read(
        &mut self,
        path: &Path,
        offset: u64,
        length: usize,
        into: &mut Finished,
    ) -> Result<(), Error> {
        let failed = |error| cannot_read(path, error);
        if self.open.as_ref().is_none_or(|(open, _)| open != path) {
            self.open = Some((path.to_path_buf(), File::open(path).map_err(failed)?));
        }
        let Some((_, file)) = &mut self.open else { return Ok(()) };
        into.bytes.resize(length, 0);
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut into.bytes))
            .map_err(failed)?;
        into.decode().ok_or_else(|| {
            Error::invalid(
                path.display(),
                "it was altered while it was read",
                "start the run again: what is damaged is simulated anew",
            )
        })
    }
}

impl Checkpoint {
    /// The folder of a run that may be killed and go on; nobody else may use it meanwhile. It is
    /// made where it does not exist. One of another run or interval is refused, or emptied if
    /// `restart` says so.
    pub fn for_run(
        folder: &Path,
        identity: &RunIdentity,
        interval_s: (f64, f64),
        restart: bool,
    ) -> Result<Checkpoint, Error> {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        let path = folder.join(LOCK);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|error| cannot_write(&path, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::invalid(
                    folder.display(),
                    "another process is at work on this run",
                    "wait for it or stop it, or choose another folder",
                ));
            }
            // Some file systems have no locks; their users must see to it themselves.
            Err(TryLockError::Error(error)) => tracing::debug!("no lock: {error}"),
        }
        if restart {
            remove_ours(folder)?;
        }
        let mut parts =
            Checkpoint::read(&[folder.to_path_buf()], identity, Some(interval_s), true)?;
        parts._lock = Some(lock);
        Ok(parts)
    }

    /// A folder into which any number of processes put the blocks of one run, of whatever intervals.
    pub fn shared(folder: &Path, identity: &RunIdentity) -> Result<Checkpoint, Error> {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        Checkpoint::read(&[folder.to_path_buf()], identity, None, true)
    }

    /// The same, without looking at what lies there already.
    pub fn to_fill(folder: &Path, identity: &RunIdentity) -> Result<Checkpoint, Error> {
        check_manifest(folder, identity, None, false)?;
        Ok(Checkpoint::empty(folder.to_path_buf(), identity))
    }

    fn empty(folder: PathBuf, identity: &RunIdentity) -> Checkpoint {
        Checkpoint {
            folder,
            digest: identity.digest(),
            files: Vec::new(),
            blocks: Vec::new(),
            torn: 0,
            log: None,
            _lock: None,
            reader: BlockReader::default(),
            own: Vec::new(),
        }
    }

    /// All blocks of one run that lie in these folders.
    pub fn from_folders(folders: &[PathBuf], identity: &RunIdentity) -> Result<Checkpoint, Error> {
        Checkpoint::read(folders, identity, None, false)
    }

    fn read(
        folders: &[PathBuf],
        identity: &RunIdentity,
        interval_s: Option<(f64, f64)>,
        create: bool,
    ) -> Result<Checkpoint, Error> {
        let mut parts = Checkpoint::empty(folders.first().cloned().unwrap_or_default(), identity);
        for folder in folders {
            check_manifest(folder, identity, interval_s, create)?;
            for path in block_files(folder)? {
                parts.scan(path)?;
            }
        }
        parts.blocks.sort_by_key(|block| (block.from.rank(), block.to.rank()));
        Ok(parts)
    }

    /// The folder, the first of several.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many blocks are stored and whole.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether nothing was ever stored here.
    pub fn is_unused(&self) -> bool {
        self.blocks.is_empty() && self.log.is_none() && self.torn == 0
    }

    /// How many files end in something that is no whole block.
    pub fn torn(&self) -> u64 {
        self.torn
    }

    pub(super) fn blocks(&self) -> &[StoredBlock] {
        &self.blocks
    }

    /// Adds a file with all its blocks up to the first that is not whole. Reads every byte: what is
    /// found valid here is not simulated again.
    fn scan(&mut self, path: PathBuf) -> Result<(), Error> {
        let failed = |error| cannot_read(&path, error);
        let file = File::open(&path).map_err(failed)?;
        let end = file.metadata().map_err(failed)?.len();
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut header = [0; HEADER_BYTES];
        if file.read_exact(&mut header).is_err() || header[..8] != MAGIC {
            // Killed before the header was written, or altered.
            self.torn += 1;
            return Ok(());
        }
        if header[8..] != self.digest {
            return Err(Error::invalid(
                path.display(),
                "it is of another run, though it lies among parts of this one",
                "remove it, or choose another folder",
            ));
        }
        let (number, mut offset) = (self.files.len(), HEADER_BYTES as u64);
        let mut block = Vec::new();
        while offset < end {
            let found = next_block(&mut file, end - offset, &mut block).map_err(failed)?;
            let Some((from, to)) = found.then(|| place(&block)).flatten() else {
                self.torn += 1;
                break;
            };
            let length = block.len();
            self.blocks.push(StoredBlock { from, to, file: number, offset, length });
            offset += length as u64;
        }
        self.files.push(path);
        Ok(())
    }

    /// Adds the blocks of a file that another process has just finished.
    pub(super) fn add_file(&mut self, name: &str) -> Result<Vec<StoredBlock>, Error> {
        let before = self.blocks.len();
        self.scan(self.folder.join(name))?;
        Ok(self.blocks.split_off(before))
    }

    /// Reads a stored block back.
    pub(super) fn read_block(
        &mut self,
        block: &StoredBlock,
        into: &mut Finished,
    ) -> Result<(), Error> {
        let (path, offset, length) = self.place_of(block);
        self.reader.read(&path, offset, length, into)
    }

    /// The file of a block, and where it lies there.
    pub(super) fn place_of(&self, block: &StoredBlock) -> (PathBuf, u64, usize) {
        let path = match self.files.get(block.file) {
            Some(path) => path.clone(),
            None => self.log.as_ref().map(|log| log.path.clone()).unwrap_or_default(),
        };
        (path, block.offset, block.length)
    }

    /// Adds a file of another process, of which it is known where its blocks are.
    pub(super) fn add_index(&mut self, name: &str, entries: Vec<Entry>) -> Vec<StoredBlock> {
        let file = self.files.len();
        self.files.push(self.folder.join(name));
        let block = |(from, to, offset, length)| StoredBlock { from, to, file, offset, length };
        entries.into_iter().map(block).collect()
    }

    /// What this process has stored; of a file that is in no list.
    pub(super) fn own_blocks(&self) -> Vec<StoredBlock> {
        let own = self.own.iter().cloned();
        let file = usize::MAX;
        own.map(|(from, to, offset, length)| StoredBlock { from, to, file, offset, length })
            .collect()
    }

    /// Stores a block, and remembers where.
    pub(super) fn store(&mut self, finished: &Finished) -> Result<(), Error> {
        self.append(&finished.bytes)?;
        let length = finished.bytes.len();
        let end = self.log.as_ref().map_or(0, |log| log.length);
        let offset = end.saturating_sub(length as u64);
        self.own.push((finished.from.clone(), finished.to.clone(), offset, length));
        Ok(())
    }

    /// Stores a block.
    pub(super) fn append(&mut self, block: &[u8]) -> Result<(), Error> {
        if self.log.is_none() {
            self.log = Some(Log::create(&self.folder, &self.digest)?);
        }
        let Some(log) = &mut self.log else { return Ok(()) };
        log.length += block.len() as u64;
        let written = log.file.write_all(block).and_then(|()| {
            if log.synced.elapsed() < SYNC_EVERY {
                return Ok(());
            }
            log.synced = Instant::now();
            log.file.sync_data()
        });
        written.map_err(|error| cannot_write(&log.path, error))
    }

    /// Makes sure that everything stored is on the disk; gives the name of the file with the new
    /// blocks.
    pub(super) fn sync(&mut self) -> Result<Option<String>, Error> {
        let Some(log) = &mut self.log else { return Ok(None) };
        log.file.sync_data().map_err(|error| cannot_write(&log.path, error))?;
        Ok(log.path.file_name().map(|name| name.to_string_lossy().into_owned()))
    }

    /// The run is complete: its parts are of no more use.
    pub fn remove(self) -> Result<(), Error> {
        remove_ours(&self.folder)?;
        // The lock goes last, and the folder only if nobody else put something into it.
        let _ = fs::remove_file(self.folder.join(LOCK));
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

impl Log {
    fn create(folder: &Path, digest: &[u8; 32]) -> Result<Log, Error> {
        for number in 0..MOST_FILES {
            let path = folder.join(format!("{PREFIX}{number:04}"));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let header = [&MAGIC[..], &digest[..]].concat();
                    file.write_all(&header).map_err(|error| cannot_write(&path, error))?;
                    let length = header.len() as u64;
                    return Ok(Log { path, file, length, synced: Instant::now() });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot_write(&path, error)),
            }
        }
        Err(cannot_write(folder, io::Error::from(io::ErrorKind::AlreadyExists)))
    }
}

/// Reads the next block with its frame; false if there is none that fits into the `left` bytes.
fn next_block(file: &mut impl Read, left: u64, block: &mut Vec<u8>) -> io::Result<bool> {
    let mut frame = [0; FRAME_BYTES];
    if left < FRAME_BYTES as u64 {
        return Ok(false);
    }
    file.read_exact(&mut frame)?;
    let Some(length) = length_after(&frame) else { return Ok(false) };
    if length as u64 > left - FRAME_BYTES as u64 {
        return Ok(false);
    }
    block.clear();
    block.extend_from_slice(&frame);
    block.resize(FRAME_BYTES + length, 0);
    file.read_exact(&mut block[FRAME_BYTES..])?;
    Ok(true)
}

/// Refuses a folder of another run or interval; writes the manifest of a new one if `create` says.
fn check_manifest(
    folder: &Path,
    identity: &RunIdentity,
    interval_s: Option<(f64, f64)>,
    create: bool,
) -> Result<(), Error> {
    const REMEDY: &str = "choose another folder, or discard them with --restart";
    let path = folder.join(MANIFEST);
    let interval = interval_s.map(|(from_s, to_s)| format!("{from_s}..{to_s} s"));
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && create => {
            return write_manifest(&path, &Manifest { run: identity.clone(), interval });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::invalid(
                folder.display(),
                "it holds no parts of a run",
                "give the folders that `understory run --parts` wrote",
            ));
        }
        Err(error) => return Err(cannot_read(&path, error)),
    };
    let found: Manifest = serde_json::from_str(&text).map_err(|_| {
        Error::invalid(path.display(), "it does not say which run the parts here are of", REMEDY)
    })?;
    if let Some(difference) = found.run.difference(identity) {
        return Err(Error::invalid(
            folder.display(),
            format!("it holds parts of another run: {difference}"),
            REMEDY,
        ));
    }
    match (found.interval, interval) {
        (Some(there), Some(here)) if there != here => Err(Error::invalid(
            folder.display(),
            format!("it holds parts of the interval {there}, and {here} is requested"),
            REMEDY,
        )),
        _ => Ok(()),
    }
}

fn write_manifest(path: &Path, manifest: &Manifest) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(manifest).map_err(|error| {
        Error::invalid(path.display(), error.to_string(), "choose other names for files")
    })?;
    let mut file = StagedFile::create(path)?;
    file.write_all(text.as_bytes()).map_err(|error| cannot_write(path, error))?;
    file.publish()?;
    Ok(())
}

/// The files of blocks in a folder, by name.
fn block_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    files(folder, |name| name.starts_with(PREFIX))
}

/// The files in a folder whose names are `wanted`, sorted.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Error> {
    let failed = |error| cannot_read(folder, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if wanted(&entry.file_name().to_string_lossy()) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Removes what this module writes, and nothing else.
fn remove_ours(folder: &Path) -> Result<(), Error> {
    // A process killed while it wrote the manifest leaves a half-written one.
    let half = format!(".{MANIFEST}.");
    let ours = |name: &str| name.starts_with(PREFIX) || name == MANIFEST || name.starts_with(&half);
    for path in files(folder, ours)? {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(cannot_write(&path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn cannot_write(path: &Path, error: io::Error) -> Error {
    CloudError::Write { path: path.to_path_buf(), error }.into()
}

fn cannot_read(path: &Path, error: io::Error) -> Error {
    CloudError::Read { path: path.to_path_buf(), error }.into()
}
