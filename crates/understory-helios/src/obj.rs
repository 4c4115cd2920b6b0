//! What of an OBJ matters here: its materials, and how low it reaches. Understory's own reader reads
//! the mesh.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use glam::{DMat3, DVec3};

use crate::HeliosError;

/// Longest line that is read.
const LINE_MAX: u64 = 1 << 20;
/// Most names of materials.
const NAMES_MAX: usize = 100_000;

/// What an OBJ says of itself.
#[derive(Debug, Default)]
pub struct Obj {
    /// The files of its materials.
    pub libraries: Vec<String>,
    /// The materials that it uses, in the order of their first use.
    pub materials: Vec<String>,
    /// Least and greatest height of its vertices once turned.
    pub heights: Option<[f64; 2]>,
}

/// Reads an OBJ; heights are those behind `turned`.
pub fn read(path: &Path, turned: DMat3) -> Result<Obj, HeliosError> {
    let file = File::open(path).map_err(|error| HeliosError::read(path, error))?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let up = turned.transpose() * DVec3::Z;
    let mut obj = Obj::default();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut bytes);
        if read.map_err(|error| HeliosError::read(path, error))? == 0 {
            return Ok(obj);
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("v ") {
            let mut parts = rest.split_whitespace().filter_map(|part| part.parse::<f64>().ok());
            if let (Some(x), Some(y), Some(z)) = (parts.next(), parts.next(), parts.next()) {
                let height = up.dot(DVec3::new(x, y, z));
                let [low, high] = obj.heights.unwrap_or([height; 2]);
                obj.heights = Some([low.min(height), high.max(height)]);
            }
        } else if let Some(name) = line.strip_prefix("mtllib ") {
            add(&mut obj.libraries, name);
        } else if let Some(name) = line.strip_prefix("usemtl ") {
            add(&mut obj.materials, name);
        }
    }
}

fn add(names: &mut Vec<String>, name: &str) {
    let name = name.trim();
    if names.len() < NAMES_MAX
        && names.last().is_none_or(|last| last != name)
        && !names.iter().any(|n| n == name)
    {
        names.push(name.to_owned());
    }
}
