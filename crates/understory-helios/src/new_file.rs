//! Files that an import makes, and how scenarios name others.

use std::path::{Component, Path, PathBuf};

/// A file that an import makes.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFile {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// An absolute path of a folder that need not exist yet.
pub fn absolute(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut at = full.as_path();
    loop {
        if let Ok(real) = at.canonicalize() {
            return rest.iter().rev().fold(real, |sum, part| sum.join(part));
        }
        match (at.file_name(), at.parent()) {
            (Some(name), Some(parent)) => {
                rest.push(name.to_os_string());
                at = parent;
            }
            _ => return full.clone(),
        }
    }
}

/// The path of a file as a scenario in `folder` names it.
pub fn relative(folder: &Path, file: &Path) -> String {
    let (mut from, mut to) = (folder.components().peekable(), file.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.filter(|part| matches!(part, Component::Normal(_))).map(|_| "..".to_owned());
    let down = to.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}
