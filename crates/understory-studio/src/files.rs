//! The files of the served folder, by numbers: no path comes from the page.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use understory_cloud::OutputFormat;
use understory_cloud::read_extensions;
use walkdir::{DirEntry, WalkDir};

use crate::protocol::library::FileCard;
use crate::refusal::{Answer, Refusal};

/// How deep folders are looked into, how many files are listed, and how many names are looked at.
const DEPTH_MAX: usize = 5;
const LISTED_MAX: usize = 2000;
const LOOKED_AT_MAX: usize = 50_000;

/// Folders that hold no recordings.
const SKIPPED: [&str; 3] = ["target", "node_modules", "__pycache__"];

/// Files that were listed; their place is their number, for as long as the program runs.
pub struct Files {
    folder: PathBuf,
    known: Mutex<Vec<PathBuf>>,
}

/// What a look into the folder found.
#[derive(Default)]
pub struct Found {
    /// Recordings.
    pub recordings: Vec<FileCard>,
    /// Scenarios and packs, with their numbers.
    pub scenarios: Vec<(String, PathBuf)>,
    /// What was left out.
    pub remarks: Vec<String>,
}

impl Files {
    /// Those of a folder.
    pub fn new(folder: PathBuf) -> Files {
        Files { folder, known: Mutex::default() }
    }

    /// The number of a file of the folder.
    fn id(&self, path: &Path) -> String {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().position(|other| other == path).unwrap_or_else(|| {
            known.push(path.to_path_buf());
            known.len() - 1
        });
        format!("file-{place}")
    }

    /// The file of a number, if it is still there and in the folder.
    pub fn path(&self, id: &str) -> Answer<PathBuf> {
        let missing = || Refusal::not_found(format!("there is no file {id:?} in the list"));
        let place: usize =
            id.strip_prefix("file-").and_then(|n| n.parse().ok()).ok_or_else(missing)?;
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let path = known.get(place).cloned().ok_or_else(missing)?;
        let real = path
            .canonicalize()
            .map_err(|_| Refusal::not_found("the file is gone; look at the list again"))?;
        if !real.starts_with(&self.folder) {
            return Err(missing());
        }
        Ok(path)
    }

    /// A file's path below the folder.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).display().to_string()
    }

    /// Looks into the folder.
    pub fn look(&self) -> Found {
        let mut found = Found::default();
        let endings = read_extensions();
        let walk = WalkDir::new(&self.folder).max_depth(DEPTH_MAX).sort_by_file_name();
        let walk = walk.into_iter().filter_entry(wanted);
        for (looked_at, entry) in walk.filter_map(Result::ok).enumerate() {
            if found.recordings.len() + found.scenarios.len() >= LISTED_MAX
                || looked_at >= LOOKED_AT_MAX
            {
                found.remarks.push(format!(
                    "the folder has more files than are listed; start the studio in a smaller one (the first {} are here)",
                    found.recordings.len() + found.scenarios.len()
                ));
                break;
            }
            self.sort(&entry, &endings, &mut found);
        }
        found
    }

    fn sort(&self, entry: &DirEntry, endings: &[&str], found: &mut Found) {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type().is_dir() {
            // Bags and KITTI's folders are recordings as a whole.
            if path.join("velodyne").is_dir() || path.join("metadata.yaml").is_file() {
                found.recordings.push(self.card(path, 0));
            }
            return;
        }
        // A link may lead anywhere; files of the folder are files in it.
        if !entry.file_type().is_file() {
            return;
        }
        if name.ends_with(".toml") {
            if looks_like_scenario(path) {
                found.scenarios.push((self.id(path), path.to_path_buf()));
            }
        } else if name.ends_with(".understory") {
            found.scenarios.push((self.id(path), path.to_path_buf()));
        } else if endings.iter().any(|ending| name.ends_with(&format!(".{ending}"))) {
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            found.recordings.push(self.card(path, bytes));
        }
    }

    fn card(&self, path: &Path, bytes: u64) -> FileCard {
        FileCard {
            id: self.id(path),
            name: self.shown(path),
            bytes,
            format: OutputFormat::from_name(path).map(|format| format.name().to_owned()),
        }
    }
}

fn wanted(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.depth() == 0
        || !(name.starts_with('.') || entry.file_type().is_dir() && SKIPPED.contains(&&*name))
}

/// Whether a TOML file is a scenario: it has a sensor and a duration.
fn looks_like_scenario(path: &Path) -> bool {
    let small = path.metadata().is_ok_and(|metadata| metadata.len() < 4 << 20);
    let text =
        if small { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    text.contains("[[sensor]]") && text.contains("duration_s")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_number_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("scans")).unwrap();
        std::fs::write(root.join("scans/a.npy"), "x").unwrap();
        std::fs::write(root.join("b.toml"), "duration_s = 1\n[[sensor]]\n").unwrap();
        std::fs::write(root.join("c.toml"), "[package]\n").unwrap();
        std::fs::write(root.join(".hidden.npy"), "").unwrap();
        let files = Files::new(root.clone());
        let found = files.look();
        assert_eq!((found.recordings.len(), found.scenarios.len()), (1, 1));
        assert_eq!(found.recordings[0].name, "scans/a.npy");
        assert_eq!(files.path(&found.recordings[0].id).unwrap(), root.join("scans/a.npy"));
        for wrong in ["../secret", "/etc/passwd", "file-99", "file--1", "", "scans/a.npy"] {
            assert!(files.path(wrong).is_err(), "{wrong}");
        }
        assert_eq!(files.look().recordings[0].id, found.recordings[0].id);
        #[cfg(unix)]
        {
            std::fs::remove_file(root.join("scans/a.npy")).unwrap();
            std::os::unix::fs::symlink("/etc/hostname", root.join("scans/a.npy")).unwrap();
            assert!(files.path(&found.recordings[0].id).is_err());
        }
    }
}
