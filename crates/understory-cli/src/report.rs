//! Results to stdout or to a JSON file, and errors to an exit code.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use serde::Serialize;

use understory_cloud::{check_writable, write_whole};

/// Writes a result to stdout. A reader that went away (`understory … | head`) is no error.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to stdout")
        }
        _ => Ok(()),
    }
}

/// Writes `text` to stdout and, if a file is given, `value` as JSON into it; `-` is stdout, and
/// the text is then left out.
pub fn print_or_json(text: &str, json: Option<&Path>, value: &impl Serialize) -> Result<()> {
    match json {
        None => print(text),
        Some(path) if path == Path::new("-") => print(&json_lines(value)?),
        Some(path) => {
            write_json(path, value)?;
            print(text)
        }
    }
}

/// Refuses a JSON file that could not be written, before the run and not after it.
pub fn check_json(json: Option<&Path>) -> Result<()> {
    match json {
        Some(path) if path != Path::new("-") => Ok(check_writable(path)?),
        _ => Ok(()),
    }
}

/// Writes a JSON file that appears whole or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let lines = json_lines(value)?;
    Ok(write_whole(path, lines.as_bytes())?)
}

fn json_lines(value: &impl Serialize) -> Result<String> {
    let mut lines = serde_json::to_string_pretty(value).context("the result has no JSON form")?;
    lines.push('\n');
    Ok(lines)
}

/// One sentence about an output that the system refused.
pub fn cannot_write(path: &Path, error: io::Error) -> anyhow::Error {
    understory_cloud::CloudError::Write { path: path.to_path_buf(), error }.into()
}

/// A path as one would type it.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A mistake on the command line, as one sentence.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// A usage error with this sentence.
pub fn usage(sentence: impl Into<String>) -> anyhow::Error {
    anyhow!(UsageError(sentence.into()))
}

/// 2 where the command line or the scenario must be changed, 1 where something failed on the way.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    const FAILURE: u8 = 1;
    const USAGE: u8 = 2;
    if error.is::<UsageError>() {
        return USAGE;
    }
    if let Some(understory_helios::HeliosError::Invalid { .. }) = error.downcast_ref() {
        return USAGE;
    }
    match error.downcast_ref::<understory::Error>() {
        Some(
            understory::Error::Invalid { location, .. }
            | understory::Error::Object { location, .. },
        ) => {
            if is_mesh(location) {
                FAILURE
            } else {
                USAGE
            }
        }
        _ => FAILURE,
    }
}

/// An error with its causes, those left away that it tells already.
pub fn sentence(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Whether a location (`file`, `file:line`, `file, byte 80`) is in a mesh file rather than in a
/// scenario or preset.
fn is_mesh(location: &str) -> bool {
    let location = location.to_ascii_lowercase();
    let ends_there = |rest: &str| rest.is_empty() || rest.starts_with([':', ',']);
    let endings = [".obj", ".ply", ".stl", ".gltf", ".glb", ".mtl"];
    endings.iter().any(|ending| location.split(ending).skip(1).any(ends_there))
}

#[cfg(test)]
mod tests {
    use super::is_mesh;

    #[test]
    fn meshes_are_told_from_scenarios() {
        for mesh in ["a/oak.obj", "oak.OBJ:3", "oak.stl, byte 80", "a.ply.obj:1"] {
            assert!(is_mesh(mesh), "{mesh}");
        }
        for other in ["site.toml:3", "oak.obj.toml:3", "meshes.ply/site.toml:3", "interval"] {
            assert!(!is_mesh(other), "{other}");
        }
    }
}
