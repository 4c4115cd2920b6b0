//! The files that a survey names: `FILE` or `FILE#ID` → a file within the folders of the survey.
//!
//! Nothing outside these folders is read: a stranger's survey shall not tell what stands in other
//! files of this machine.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use understory_files::hint::word_remedy;

use crate::HeliosError;
use crate::xml::{self, Element};

/// The folders in which files are looked for.
pub struct Assets {
    roots: Vec<PathBuf>,
}

impl Assets {
    /// `roots` as the user says; else the folder that holds the survey's `data`, as HELIOS++ has it,
    /// and the survey's own folder.
    pub fn new(survey: &Path, roots: &[PathBuf]) -> Result<Assets, HeliosError> {
        let absolute =
            |path: &Path| path.canonicalize().map_err(|error| HeliosError::read(path, error));
        let mut found = Vec::new();
        for root in roots {
            found.push(absolute(root)?);
        }
        if roots.is_empty() {
            let survey = absolute(survey)?;
            let folder = survey.parent().unwrap_or(Path::new("/")).to_path_buf();
            let is_data = |path: &&Path| path.file_name().is_some_and(|name| name == "data");
            let above_data = survey.ancestors().filter(is_data).last().and_then(Path::parent);
            found.extend(above_data.map(Path::to_path_buf));
            // HELIOS++ keeps its scanners and platforms in this folder of its package.
            found
                .extend(above_data.map(|root| root.join("python/pyhelios")).filter(|p| p.is_dir()));
            found.push(folder);
        }
        Ok(Assets { roots: found })
    }

    /// The file of this name; `location` is where it is named.
    pub fn find(&self, name: &str, location: &str) -> Result<PathBuf, HeliosError> {
        let relative = self.checked(name, location)?;
        for root in &self.roots {
            if let Ok(path) = root.join(&relative).canonicalize() {
                self.is_inside(&path, name, location)?;
                return Ok(path);
            }
        }
        let looked: Vec<String> =
            self.roots.iter().map(|root| root.display().to_string()).collect();
        Err(HeliosError::invalid(
            location,
            format!("the file {name} is not in {}", looked.join(", ")),
            "name the folder that holds it by --assets",
        ))
    }

    /// All files of a folder whose names a pattern matches as a whole, in the order of their names.
    pub fn matching(&self, pattern: &str, location: &str) -> Result<Vec<PathBuf>, HeliosError> {
        let (folder, name) = pattern.rsplit_once('/').unwrap_or((".", pattern));
        let wrong = |error: regex_lite::Error| {
            HeliosError::invalid(
                location,
                format!("efilepath {pattern:?} is no pattern of names: {error}"),
                "write a regular expression behind the last slash",
            )
        };
        let bounded =
            regex_lite::RegexBuilder::new(&format!("^(?:{name})$")).size_limit(1 << 20).build();
        let regex = bounded.map_err(wrong)?;
        let folder = self.find(folder, location)?;
        let entries = folder.read_dir().map_err(|error| HeliosError::read(&folder, error))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.file_name().and_then(|name| name.to_str()).is_some_and(|n| regex.is_match(n))
            })
            .collect();
        paths.sort();
        for path in &paths {
            let real = path.canonicalize().map_err(|error| HeliosError::read(path, error))?;
            self.is_inside(&real, pattern, location)?;
        }
        if paths.is_empty() {
            return Err(HeliosError::invalid(
                location,
                format!("no file of {} has a name like {name}", folder.display()),
                "correct efilepath",
            ));
        }
        Ok(paths)
    }

    fn checked(&self, name: &str, location: &str) -> Result<PathBuf, HeliosError> {
        // Surveys that were written on Windows have its separators.
        let path = PathBuf::from(name.trim().replace('\\', "/"));
        let inside =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        match inside && !name.trim().is_empty() {
            true => Ok(path),
            false => Err(outside(name, location)),
        }
    }

    fn is_inside(&self, path: &Path, name: &str, location: &str) -> Result<(), HeliosError> {
        match self.roots.iter().any(|root| path.starts_with(root)) {
            true => Ok(()),
            false => Err(outside(name, location)),
        }
    }
}

fn outside(name: &str, location: &str) -> HeliosError {
    HeliosError::invalid(
        location,
        format!("{name:?} leads out of the folders of the survey"),
        "write a path from one of these folders, without \"..\"; --assets names another folder",
    )
}

/// The files of XML that a survey is made of, read once.
#[derive(Default)]
pub struct Library {
    texts: BTreeMap<PathBuf, String>,
}

impl Library {
    /// Reads a file.
    pub fn add(&mut self, path: &Path) -> Result<(), HeliosError> {
        if !self.texts.contains_key(path) {
            self.texts.insert(path.to_path_buf(), xml::read(path)?);
        }
        Ok(())
    }

    /// A file that was read, parsed.
    pub fn document(&self, path: &Path) -> Result<(&Path, roxmltree::Document<'_>), HeliosError> {
        match self.texts.get_key_value(path) {
            Some((path, text)) => Ok((path, xml::parse(path, text)?)),
            None => Err(HeliosError::read(path, std::io::ErrorKind::NotFound.into())),
        }
    }
}

/// The `<kind id="…">` below the root of a document.
pub fn by_id<'a>(document: Element<'a>, kind: &str, id: &str) -> Result<Element<'a>, HeliosError> {
    let found = document.children(kind).find(|element| element.text("id") == Some(id));
    found.ok_or_else(|| {
        let known: Vec<&str> = document.children(kind).filter_map(|e| e.text("id")).collect();
        let remedy = match known.is_empty() {
            true => format!("name a file with a <{kind}>"),
            false => word_remedy(id, &known),
        };
        HeliosError::invalid(
            document.path.display().to_string(),
            format!("there is no <{kind}> {id:?} in it"),
            remedy,
        )
    })
}
