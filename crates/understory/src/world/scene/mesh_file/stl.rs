//! STL, ascii and binary.
//!
//! Written here because the reader that the field keeps takes any file that begins with `solid`
//! for text, which many binary ones do, reads text as f32, and names no lines in its errors. A file
//! is binary if its length is what its count of triangles needs.

use super::{FileMaterial, MeshFile, at_line, too_many_vertices};
use crate::Error;
use glam::DVec3;
use std::collections::HashMap;
use std::path::Path;

const HEADER_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;

pub fn read(path: &Path, bytes: &[u8]) -> Result<MeshFile, Error> {
    let mut corners = Corners::default();
    let promised = bytes.get(80..HEADER_BYTES).and_then(|count| count.first_chunk::<4>());
    let promised = promised.map(|count| u32::from_le_bytes(*count) as u64);
    let needed = promised.map(|count| HEADER_BYTES as u64 + count * TRIANGLE_BYTES as u64);
    if needed == Some(bytes.len() as u64) {
        binary(path, &bytes[HEADER_BYTES..], &mut corners)?;
    } else if bytes.trim_ascii_start().starts_with(b"solid") {
        ascii(path, bytes, &mut corners)?;
    } else {
        let length = bytes.len();
        return Err(match (promised, needed) {
            (Some(promised), Some(needed)) => Error::invalid(
                format!("{}, byte 80", path.display()),
                format!(
                    "a binary STL of {promised} triangles has {needed} bytes, but the file has {length}"
                ),
                "the file is cut off or no STL: export or copy it again",
            ),
            _ => Error::invalid(
                path.display(),
                format!("{length} bytes are too few for a binary STL, and `solid` is missing"),
                "the file is cut off or no STL: export or copy it again",
            ),
        });
    }
    let triangle_material = vec![0; corners.triangles.len()];
    Ok(MeshFile {
        positions: corners.positions,
        triangles: corners.triangles,
        triangle_material,
        corner_uv: Vec::new(),
        materials: vec![FileMaterial::default()],
        side_files: Vec::new(),
    })
}

/// Joins the corners that have the same coordinates, so that triangles share their edges.
#[derive(Default)]
struct Corners {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    index_of: HashMap<[u64; 3], u32>,
}

impl Corners {
    fn push(&mut self, path: &Path, triangle: [DVec3; 3]) -> Result<(), Error> {
        let mut indices = [0; 3];
        for (index, corner) in indices.iter_mut().zip(triangle) {
            // Adding zero makes −0 and 0 one number.
            let bits = corner.to_array().map(|x| (x + 0.0).to_bits());
            let next = u32::try_from(self.positions.len()).map_err(|_| too_many_vertices(path))?;
            *index = *self.index_of.entry(bits).or_insert_with(|| {
                self.positions.push(corner);
                next
            });
        }
        self.triangles.push(indices);
        Ok(())
    }
}

fn binary(path: &Path, bytes: &[u8], corners: &mut Corners) -> Result<(), Error> {
    for (triangle, record) in bytes.chunks_exact(TRIANGLE_BYTES).enumerate() {
        let mut numbers = [0.0f64; 9];
        for (number, bytes) in numbers.iter_mut().zip(record[12..48].chunks_exact(4)) {
            *number = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as f64;
        }
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(Error::invalid(
                format!("{}, byte {}", path.display(), HEADER_BYTES + triangle * TRIANGLE_BYTES),
                format!("triangle {triangle} has a corner that is no position"),
                "repair or remove it",
            ));
        }
        let corner = |i: usize| DVec3::new(numbers[i], numbers[i + 1], numbers[i + 2]);
        corners.push(path, [corner(0), corner(3), corner(6)])?;
    }
    Ok(())
}

fn ascii(path: &Path, bytes: &[u8], corners: &mut Corners) -> Result<(), Error> {
    let mut facet: Vec<DVec3> = Vec::with_capacity(3);
    let (mut ended, mut last) = (false, 1);
    for (index, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        let Some(keyword) = words.next() else { continue };
        (ended, last) = (false, index + 1);
        match keyword {
            "solid" | "facet" | "outer" | "endloop" => {}
            "endsolid" => ended = true,
            "vertex" => {
                let mut next = || words.next().and_then(|word| word.parse::<f64>().ok());
                let position = (|| Some(DVec3::new(next()?, next()?, next()?)))();
                let position = position.filter(|p| p.is_finite() && facet.len() < 3);
                facet.push(position.ok_or_else(|| {
                    Error::invalid(
                        at_line(path, index + 1),
                        format!("{:?} is no corner of a triangle", line.trim()),
                        "write `vertex` and three finite numbers, three times per facet",
                    )
                })?);
            }
            "endfacet" => {
                let triangle = facet.as_slice().try_into().map_err(|_| {
                    Error::invalid(
                        at_line(path, index + 1),
                        format!("the facet has {} corners", facet.len()),
                        "give it three",
                    )
                })?;
                corners.push(path, triangle)?;
                facet.clear();
            }
            _ => {
                return Err(Error::invalid(
                    at_line(path, index + 1),
                    format!("{keyword:?} is no word of an ascii STL"),
                    "the file is damaged or no STL: export or copy it again",
                ));
            }
        }
    }
    if !ended {
        return Err(Error::invalid(
            at_line(path, last),
            "the file ends before `endsolid`",
            "it is cut off: export or copy it again",
        ));
    }
    Ok(())
}
