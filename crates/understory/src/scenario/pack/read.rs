//! A pack → a folder with a scenario that is ready to run.
//!
//! Nothing that a pack says is believed before it is compared: names, sizes, checksums. Entries
//! are unpacked through a small buffer and cut off where they become larger than the manifest says,
//! so memory and disk are bounded whatever the file holds.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use understory_base::bounded_file;
use understory_cloud::CloudError;
use zip::ZipArchive;
use zip::result::ZipError;

use super::digest::hex;
use super::manifest::{Entry, Manifest};
use super::{MANIFEST, room_bytes};
use crate::Error;

/// Most bytes of a manifest.
const MANIFEST_MAX_BYTES: u64 = bounded_file::TEXT_MAX_BYTES;

const AGAIN: &str = "get the pack again, or make it again with `understory pack`";

/// A pack that was unpacked into a folder of its own, which disappears with it.
#[derive(Debug)]
pub struct Pack {
    /// What it says of itself.
    pub manifest: Manifest,
    path: PathBuf,
    folder: TempDir,
}

impl Pack {
    /// Unpacks a pack into a private temporary folder.
    pub fn open(path: &Path) -> Result<Pack, Error> {
        let mut archive = Archive::open(path)?;
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        #[cfg(unix)]
        builder.permissions(private);
        let folder = builder.prefix("understory-").tempdir();
        let folder = folder.map_err(|error| cannot_write(&std::env::temp_dir(), error))?;
        archive.unpack(Some(folder.path()))?;
        Ok(Pack { manifest: archive.manifest, path: path.to_path_buf(), folder })
    }

    /// What a pack says of itself, after all of it was checked.
    pub fn check(path: &Path) -> Result<Manifest, Error> {
        let mut archive = Archive::open(path)?;
        archive.unpack(None)?;
        Ok(archive.manifest)
    }

    /// Unpacks a pack to stay, and returns the path of its scenario; `folder` must be new or empty.
    pub fn unpack(path: &Path, folder: &Path) -> Result<PathBuf, Error> {
        let mut archive = Archive::open(path)?;
        let taken = match std::fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(source) => return Err(Error::Read { path: folder.to_path_buf(), source }),
        };
        if taken {
            let problem = "the folder is not empty";
            return Err(Error::invalid(folder.display(), problem, "choose a new one"));
        }
        // Nothing is left behind of a pack that is refused.
        archive.unpack(None)?;
        std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        archive.unpack(Some(folder))?;
        Ok(folder.join(&archive.manifest.scenario))
    }

    /// The folder with its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What errors call its scenario.
    pub(crate) fn scenario_place(&self) -> String {
        format!("{}/{}", self.path.display(), self.manifest.scenario)
    }

    /// The text of its scenario.
    pub fn scenario_text(&self) -> Result<String, Error> {
        let path = self.folder().join(&self.manifest.scenario);
        bounded_file::read_text(&path).map_err(|source| Error::Read { path, source })
    }
}

/// An open pack whose manifest is valid.
struct Archive {
    location: String,
    zip: ZipArchive<BufReader<File>>,
    manifest: Manifest,
}

impl Archive {
    fn open(path: &Path) -> Result<Archive, Error> {
        let location = path.display().to_string();
        let failed = |source| Error::Read { path: path.to_path_buf(), source };
        let file = File::open(path).map_err(failed)?;
        let packed_bytes = file.metadata().map_err(failed)?.len();
        let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| {
            let problem = format!("this is no whole pack: {}", words(&error));
            Error::invalid(&location, problem, AGAIN)
        })?;
        let mut text = Vec::new();
        entry_of(&mut zip, &location, MANIFEST)?
            .take(MANIFEST_MAX_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(|error| damaged(&location, MANIFEST, &error))?;
        if text.len() as u64 > MANIFEST_MAX_BYTES {
            let problem = format!("the manifest has more than {MANIFEST_MAX_BYTES} bytes");
            return Err(Error::invalid(&location, problem, AGAIN));
        }
        let text = String::from_utf8(text).map_err(|_| {
            Error::invalid(format!("{location}, {MANIFEST}"), "the manifest is no text", AGAIN)
        })?;
        let manifest = Manifest::parse(&text, &location)?;
        let (holds, room) = (manifest.bytes(), room_bytes(packed_bytes));
        if holds > room {
            return Err(Error::invalid(
                &location,
                format!(
                    "the pack of {packed_bytes} bytes would become {holds} bytes, and {room} are \
                     allowed"
                ),
                "do not use this pack, or make it again with `understory pack`",
            ));
        }
        let listed = manifest.entry.iter().map(|entry| entry.name.as_str());
        let listed: BTreeSet<&str> = listed.chain([MANIFEST]).collect();
        for name in zip.file_names() {
            let name = name.map_err(|error| damaged(&location, "a name", &error.into()))?;
            if !listed.contains(&*name) {
                let problem = format!("it holds {name:?}, which its manifest does not list");
                return Err(Error::invalid(&location, problem, AGAIN));
            }
        }
        Ok(Archive { location, zip, manifest })
    }

    /// Unpacks and checks all entries; without a folder it only checks them.
    fn unpack(&mut self, folder: Option<&Path>) -> Result<(), Error> {
        let mut buffer = vec![0; 1 << 16];
        for entry in &self.manifest.entry {
            let mut reader = entry_of(&mut self.zip, &self.location, &entry.name)?;
            let Some(folder) = folder else {
                copy(&mut reader, &mut io::sink(), entry, &self.location, &mut buffer)?;
                continue;
            };
            let path = folder.join(&entry.name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|error| cannot_write(parent, error))?;
            }
            // Never through a link or onto a file that is already there.
            let mut file = File::create_new(&path).map_err(|error| cannot_write(&path, error))?;
            copy(&mut reader, &mut file, entry, &self.location, &mut buffer)?;
        }
        Ok(())
    }
}

fn entry_of<'z>(
    zip: &'z mut ZipArchive<BufReader<File>>,
    location: &str,
    name: &str,
) -> Result<impl Read + 'z, Error> {
    zip.by_name(name).map_err(|error| match error {
        ZipError::FileNotFound => {
            Error::invalid(location, format!("its entry {name:?} is missing"), AGAIN)
        }
        other => damaged(location, name, &other.into()),
    })
}

/// Copies an entry, no further than the manifest says, and compares its checksum.
fn copy(
    reader: &mut impl Read,
    writer: &mut dyn Write,
    entry: &Entry,
    location: &str,
    buffer: &mut [u8],
) -> Result<(), Error> {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    loop {
        let read = understory_base::read_some(reader, buffer);
        let read = read.map_err(|error| damaged(location, &entry.name, &error))?;
        bytes += read as u64;
        if read == 0 || bytes > entry.bytes {
            break;
        }
        hash.update(&buffer[..read]);
        writer
            .write_all(&buffer[..read])
            .map_err(|error| cannot_write(Path::new(&entry.name), error))?;
    }
    let altered = |problem: String| {
        Err(Error::invalid(
            location,
            format!("its entry {:?} was altered: {problem}", entry.name),
            AGAIN,
        ))
    };
    if bytes != entry.bytes {
        let how = if bytes > entry.bytes { "more" } else { "less" };
        return altered(format!("it has {how} than the {} bytes of the manifest", entry.bytes));
    }
    let found = hex(hash);
    if !found.eq_ignore_ascii_case(&entry.sha256) {
        return altered(format!("its SHA-256 is {found}, and the manifest says {}", entry.sha256));
    }
    Ok(())
}

fn damaged(location: &str, entry: &str, error: &io::Error) -> Error {
    let problem = format!("its entry {entry:?} is damaged: {}", one_line(&error.to_string()));
    Error::invalid(location, problem, AGAIN)
}

fn words(error: &ZipError) -> String {
    one_line(&error.to_string())
}

fn one_line(text: &str) -> String {
    text.replace('\n', ", ")
}

fn cannot_write(path: &Path, error: io::Error) -> Error {
    Error::Cloud(CloudError::Write { path: path.to_path_buf(), error })
}
