//! A scenario → a pack.
//!
//! What enters: a checked scenario. What leaves: one zip file. Entries are named by the order in
//! which the scenario refers to them (`files/0/oak.obj`, `presets/sensors/vlp-16.toml`), so that
//! names never clash and nothing is told of the folders of the one who packs. Files that a mesh
//! names (MTL, buffers of glTF) keep their place beside it; the mesh itself is not changed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use understory_cloud::{CloudError, StagedFile};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use super::digest::{Recorded, digest_bytes, digest_file, hex};
use super::manifest::{Entry, EntryKind, Manifest};
use super::rewrite::{Edit, rewrite};
use super::{FORMAT, MANIFEST, SCENARIO, name, room_bytes};
use crate::Error;
use crate::scenario::Scenario;
use crate::world::scene::mesh_file;
use understory_files::{PresetKind, Target};

/// A pack that is ready to be written.
#[derive(Debug)]
pub struct Packing {
    name: String,
    seed: u64,
    contents: Vec<Content>,
    recorded: Option<Recorded>,
}

/// What goes into an entry.
#[derive(Debug)]
struct Content {
    name: String,
    kind: EntryKind,
    from: Option<String>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Text(String),
    File(PathBuf),
}

/// Entries as they are collected.
#[derive(Default)]
struct Collection {
    contents: Vec<Content>,
    /// Entries by the file that they hold.
    by_path: BTreeMap<PathBuf, String>,
    presets: BTreeMap<String, String>,
}

impl Packing {
    /// Collects all that a scenario refers to; `name` is its name.
    pub fn new(scenario: &Scenario, name: &str) -> Result<Packing, Error> {
        let source = scenario.source();
        let mut collection = Collection::default();
        // The edits of each text, by the name of its file.
        let mut edits: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
        for reference in &source.references {
            let (key, value) = match &reference.target {
                Target::File { typed, path, parts } => {
                    (None, collection.add_file(typed, path, parts)?)
                }
                Target::Preset { kind, name, text } => {
                    (Some("file"), collection.add_preset(*kind, name, text))
                }
            };
            let edit = Edit { span: reference.span.clone(), key, value };
            edits.entry(&reference.location).or_default().push(edit);
        }
        let mut contents = vec![Content {
            name: SCENARIO.into(),
            kind: EntryKind::Scenario,
            from: None,
            source: Source::Text(edited(
                &source.text,
                &source.location,
                0,
                edits.remove(&*source.location),
            )?),
        }];
        for content in &mut collection.contents {
            let Source::File(path) = &content.source else { continue };
            let location = path.display().to_string();
            let Some(edits) = edits.remove(&*location) else { continue };
            let text = std::fs::read_to_string(path)
                .map_err(|source| Error::Read { path: path.clone(), source })?;
            let depth = content.name.split('/').count() - 1;
            content.source = Source::Text(edited(&text, &location, depth, Some(edits))?);
        }
        if let Some((location, _)) = edits.first_key_value() {
            let problem = "it names files, but is none of the files of the scenario itself";
            return Err(Error::invalid(location, problem, "name them in the scenario"));
        }
        contents.append(&mut collection.contents);
        Ok(Packing { name: name.to_owned(), seed: scenario.seed, contents, recorded: None })
    }

    /// Adds the digests of a run.
    pub fn record(&mut self, recorded: Recorded) {
        self.recorded = Some(recorded);
    }

    /// Writes the pack, which appears whole or not at all, and returns what is in it.
    pub fn write(&self, target: &Path) -> Result<Manifest, Error> {
        let manifest = self.manifest()?;
        let mut staged = self.write_zip(target, &manifest, CompressionMethod::Deflated)?;
        // A pack that grows beyond what its reader allows is not compressed.
        let packed = io::Seek::stream_position(&mut staged).map_err(|e| staged.failed(e))?;
        if manifest.bytes() > room_bytes(packed) {
            staged = self.write_zip(target, &manifest, CompressionMethod::Stored)?;
        }
        staged.publish()?;
        Ok(manifest)
    }

    /// What will be in it.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        let entry = self.contents.iter().map(|content| {
            let (bytes, sha256) = match &content.source {
                Source::Text(text) => (text.len() as u64, digest_bytes(text.as_bytes())),
                Source::File(path) => digest_file(path)?,
            };
            let (name, from) = (content.name.clone(), content.from.clone());
            Ok(Entry { name, kind: content.kind, bytes, sha256, from })
        });
        Ok(Manifest {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").into(),
            name: self.name.clone(),
            seed: self.seed,
            scenario: SCENARIO.into(),
            recorded: self.recorded.clone(),
            entry: entry.collect::<Result<_, Error>>()?,
        })
    }

    fn write_zip(
        &self,
        target: &Path,
        manifest: &Manifest,
        method: CompressionMethod,
    ) -> Result<StagedFile, Error> {
        let failed = |error: io::Error| CloudError::Write { path: target.to_path_buf(), error };
        let text = toml::to_string(manifest).map_err(|error| failed(io::Error::other(error)))?;
        // No time of its own: the same contents give the same bytes.
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut zip = ZipWriter::new(StagedFile::create(target)?);
        zip.start_file(MANIFEST, options).map_err(|error| failed(error.into()))?;
        zip.write_all(text.as_bytes()).map_err(failed)?;
        for (content, entry) in self.contents.iter().zip(&manifest.entry) {
            let large = entry.bytes >= u64::from(u32::MAX);
            let started = zip.start_file(&*entry.name, options.large_file(large));
            started.map_err(|error| failed(error.into()))?;
            match &content.source {
                Source::Text(text) => zip.write_all(text.as_bytes()).map_err(failed)?,
                Source::File(path) => {
                    copy(path, entry, &mut |bytes| zip.write_all(bytes).map_err(failed))?
                }
            }
        }
        Ok(zip.finish().map_err(|error| failed(error.into()))?)
    }
}

/// The text with its paths changed to those in the pack, from an entry `depth` folders deep.
fn edited(
    text: &str,
    location: &str,
    depth: usize,
    edits: Option<Vec<Edit>>,
) -> Result<String, Error> {
    let up = "../".repeat(depth);
    let edits = edits.unwrap_or_default().into_iter();
    let edits = edits.map(|edit| Edit { value: format!("{up}{}", edit.value), ..edit });
    rewrite(text, location, &edits.collect::<Vec<_>>())
}

/// Copies a file and refuses it if it is not what the manifest says of it.
fn copy(
    path: &Path,
    entry: &Entry,
    write: &mut dyn FnMut(&[u8]) -> Result<(), CloudError>,
) -> Result<(), Error> {
    let failed = |source| Error::Read { path: path.to_path_buf(), source };
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match understory_base::read_some(&mut file, &mut buffer).map_err(failed)? {
            0 => break,
            read => {
                hash.update(&buffer[..read]);
                write(&buffer[..read])?;
            }
        }
    }
    if hex(hash) == entry.sha256 {
        return Ok(());
    }
    let problem = "the file changed while it was packed";
    Err(Error::invalid(path.display(), problem, "pack again when nothing writes to it"))
}

impl Collection {
    /// The name of the entry that holds a file.
    fn add_file(&mut self, typed: &Path, path: &Path, parts: &[PathBuf]) -> Result<String, Error> {
        let failed = |source| Error::Read { path: path.to_path_buf(), source };
        let real = path.canonicalize().map_err(failed)?;
        if let Some(known) = self.by_path.get(&real) {
            return Ok(known.clone());
        }
        let is_folder = path.is_dir();
        let mut sides = if is_folder { Vec::new() } else { mesh_file::side_files(path)? };
        let in_same_folder = |part: &&PathBuf| !is_folder && part.parent() == path.parent();
        let names = parts.iter().filter(in_same_folder).filter_map(|part| part.file_name());
        sides.extend(names.map(PathBuf::from));
        let mut beside = Vec::new();
        for side in &sides {
            beside.push(name::beside(side).ok_or_else(|| {
                Error::invalid(
                    path.display(),
                    format!("it names {:?}, which cannot keep its location beside it", side),
                    "name it by a path that starts at the folder of this file, in plain letters",
                )
            })?);
        }
        let folder = format!("files/{}", self.by_path.len());
        // Deep enough that the paths of all that lies beside it stay in its folder.
        let climb = beside.iter().map(|(up, _)| *up).max().unwrap_or(0);
        let entry = format!("{folder}/{}{}", "up/".repeat(climb), name::plain(path));
        self.by_path.insert(real, entry.clone());
        if is_folder {
            for part in parts {
                self.push(format!("{entry}/{}", name::plain(part)), part, part);
            }
            return Ok(entry);
        }
        self.push(entry.clone(), typed, path);
        let home = path.parent().unwrap_or(Path::new(""));
        for (side, (up, parts)) in sides.iter().zip(beside) {
            let entry = format!("{folder}/{}{}", "up/".repeat(climb - up), parts.join("/"));
            if !self.contents.iter().any(|content| content.name == entry) {
                self.push(entry, side, &home.join(side));
            }
        }
        Ok(entry)
    }

    fn push(&mut self, name: String, from: &Path, path: &Path) {
        // Of an absolute path the name alone: the rest is of this machine.
        let from = if from.is_absolute() {
            from.file_name().unwrap_or_default()
        } else {
            from.as_os_str()
        };
        let from = from.to_string_lossy().into_owned();
        self.contents.push(Content {
            name,
            kind: EntryKind::File,
            from: Some(from),
            source: Source::File(path.to_path_buf()),
        });
    }

    /// The name of the entry that holds a preset.
    fn add_preset(&mut self, kind: PresetKind, preset: &str, text: &str) -> String {
        let folder = match kind {
            PresetKind::Sensor => "sensors",
            PresetKind::Plant => "plants",
        };
        let name = format!("presets/{folder}/{preset}.toml");
        if self.presets.insert(name.clone(), text.to_owned()).is_none() {
            self.contents.push(Content {
                name: name.clone(),
                kind: EntryKind::Preset,
                from: Some(preset.to_owned()),
                source: Source::Text(text.to_owned()),
            });
        }
        name
    }
}
