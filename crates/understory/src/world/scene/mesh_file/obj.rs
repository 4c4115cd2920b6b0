//! Wavefront OBJ with its MTL: `v`, `f`, `usemtl`, `mtllib`; `newmtl`, `Kd`.
//!
//! Written here because the reader that the field keeps holds vertices as f32, which at map
//! coordinates is half a metre, and names no lines in its errors. It serves the tests as a second
//! opinion.

use super::beside::{folder_of, read_beside};
use super::{FileMaterial, MeshFile, at_line};
use crate::Error;
use glam::DVec3;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

/// Most bytes of a material library.
const LIBRARY_MAX_BYTES: u64 = 64 << 20;

pub fn read(path: &Path, bytes: &[u8]) -> Result<MeshFile, Error> {
    let mut obj =
        Reader { path, mesh: MeshFile::default(), by_name: HashMap::new(), material: None };
    // A face may name vertices that follow it; the greatest index is checked at the end.
    let mut greatest = (0u32, 0usize);
    let mut corners = Vec::new();
    for (number, line) in lines(bytes) {
        let Some((keyword, rest)) = keyword(&line) else { continue };
        match keyword {
            "v" => obj.mesh.positions.push(vertex(path, number, rest)?),
            "f" => {
                obj.face(number, rest, &mut corners)?;
                if let Some(&index) = corners.iter().max().filter(|&&index| index >= greatest.0) {
                    greatest = (index, number);
                }
            }
            "usemtl" => obj.use_material(number, rest)?,
            "mtllib" => obj.library(rest)?,
            _ => {}
        }
    }
    let vertices = obj.mesh.positions.len();
    if !obj.mesh.triangles.is_empty() && greatest.0 as usize >= vertices {
        return Err(Error::invalid(
            at_line(path, greatest.1),
            format!("the face names vertex {}, but the file has {vertices}", greatest.0 as u64 + 1),
            "repair its indices, or restore the missing vertices",
        ));
    }
    if obj.mesh.materials.is_empty() {
        obj.mesh.materials.push(FileMaterial::default());
    }
    Ok(obj.mesh)
}

/// Writes a mesh; numbers have all digits.
pub fn write(mesh: &MeshFile, to: &mut dyn Write) -> std::io::Result<()> {
    for p in &mesh.positions {
        writeln!(to, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    // Materials are numbered as they are named first, so all are named before the faces.
    for material in &mesh.materials {
        writeln!(to, "usemtl {}", material.name)?;
    }
    let mut current = None;
    for (corners, material) in mesh.triangles.iter().zip(&mesh.triangle_material) {
        if current != Some(material) {
            let material = mesh.materials.get(usize::from(*material));
            writeln!(to, "usemtl {}", material.map_or("", |material| &material.name))?;
        }
        current = Some(material);
        let [a, b, c] = corners.map(|index| u64::from(index) + 1);
        writeln!(to, "f {a} {b} {c}")?;
    }
    Ok(())
}

struct Reader<'a> {
    path: &'a Path,
    mesh: MeshFile,
    by_name: HashMap<String, u16>,
    material: Option<u16>,
}

impl Reader<'_> {
    fn face(&mut self, number: usize, rest: &str, corners: &mut Vec<u32>) -> Result<(), Error> {
        corners.clear();
        let seen = self.mesh.positions.len() as i64;
        for token in rest.split_ascii_whitespace() {
            let first = token.split('/').next().unwrap_or_default();
            let index = first.parse::<i64>().ok().and_then(|index| match index {
                1.. => Some(index - 1),
                0 => None,
                _ => index.checked_add(seen).filter(|&index| index >= 0),
            });
            let index = index.and_then(|index| u32::try_from(index).ok()).filter(|&i| i < u32::MAX);
            corners.push(index.ok_or_else(|| {
                Error::invalid(
                    at_line(self.path, number),
                    format!("{token:?} names no vertex of the {seen} so far"),
                    "use 1 for the first vertex, or −1 for the last one before the face",
                )
            })?);
        }
        if corners.len() < 3 {
            return Err(Error::invalid(
                at_line(self.path, number),
                format!("the face has {} corners", corners.len()),
                "give it at least three",
            ));
        }
        let material = match self.material {
            Some(material) => material,
            None => self.material_named("", number)?,
        };
        self.material = Some(material);
        self.mesh.push_polygon(corners, material);
        Ok(())
    }

    fn use_material(&mut self, number: usize, rest: &str) -> Result<(), Error> {
        self.material = Some(self.material_named(rest.trim(), number)?);
        Ok(())
    }

    fn material_named(&mut self, name: &str, number: usize) -> Result<u16, Error> {
        if let Some(&index) = self.by_name.get(name) {
            return Ok(index);
        }
        let index = u16::try_from(self.mesh.materials.len()).map_err(|_| {
            Error::invalid(
                at_line(self.path, number),
                "the file has more than 65536 materials",
                "merge those that are alike",
            )
        })?;
        self.mesh.materials.push(FileMaterial { name: name.to_owned(), ..FileMaterial::default() });
        self.by_name.insert(name.to_owned(), index);
        Ok(index)
    }

    /// Takes the colours of a material library. A library that cannot be had costs only colours,
    /// so that is said and the mesh goes without them.
    fn library(&mut self, rest: &str) -> Result<(), Error> {
        let folder = folder_of(self.path);
        let whole = rest.trim();
        let names: Vec<&str> = match folder.join(whole).is_file() {
            true => vec![whole],
            false => rest.split_ascii_whitespace().collect(),
        };
        for name in names {
            let what = "its material library";
            match read_beside(self.path, what, Path::new(name), LIBRARY_MAX_BYTES) {
                Ok(bytes) => {
                    self.mesh.side_files.push(name.into());
                    self.library_colours(&folder.join(name), &bytes)?;
                }
                Err(error) => tracing::warn!(
                    "{error}; until then its materials are read without the colours of that library"
                ),
            }
        }
        Ok(())
    }

    fn library_colours(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let mut current = None;
        for (number, line) in lines(bytes) {
            match keyword(&line) {
                Some(("newmtl", name)) => {
                    current = Some(self.material_named(name.trim(), number)?);
                }
                Some(("Kd", rest)) => {
                    let colour = three(rest).map(|c| c.map(|x| x as f32));
                    if let (Some(current), Some(colour)) = (current, colour) {
                        self.mesh.materials[current as usize].colour = Some(colour);
                    } else {
                        let place = at_line(path, number);
                        tracing::warn!("{place}: {line:?} is no colour of a material; passed over");
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn vertex(path: &Path, number: usize, rest: &str) -> Result<DVec3, Error> {
    let position = three(rest).map(DVec3::from_array).filter(|p| p.is_finite());
    position.ok_or_else(|| {
        Error::invalid(
            at_line(path, number),
            format!("{:?} is no position", rest.trim()),
            "write three finite numbers",
        )
    })
}

fn three(text: &str) -> Option<[f64; 3]> {
    let mut numbers = text.split_ascii_whitespace().map(|token| token.parse::<f64>().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

/// First word of a line and the rest; `None` for blank lines and comments.
fn keyword(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    Some(line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, "")))
}

/// Lines with their numbers from 1; a backslash at the end joins a line to the next.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, std::borrow::Cow<'_, str>)> {
    let mut physical = bytes.split(|&b| b == b'\n').enumerate();
    std::iter::from_fn(move || {
        let (index, line) = physical.next()?;
        let mut text = String::from_utf8_lossy(line.trim_ascii_end());
        while let Some(start) = text.strip_suffix('\\') {
            let next = physical.next().map_or(&[][..], |(_, line)| line.trim_ascii_end());
            text = format!("{start} {}", String::from_utf8_lossy(next)).into();
        }
        Some((index + 1, text))
    })
}
