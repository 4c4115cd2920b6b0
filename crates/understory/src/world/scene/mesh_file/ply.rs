//! PLY, ascii and binary of both byte orders: `vertex` with x, y, z and `face` with
//! `vertex_indices` (or `vertex_index`).
//!
//! The header's counts are checked against the length of the file before anything is read. In
//! ascii files `float` is read as `double`: the text holds more digits than the header says.

use super::{FileMaterial, MeshFile, at_line, too_many_vertices};
use crate::Error;
use glam::DVec3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};
use std::path::Path;

pub fn read(path: &Path, bytes: &[u8]) -> Result<MeshFile, Error> {
    let parser = Parser::<Element>::new();
    let mut reader = Reader::new(bytes);
    let mut header = parser.read_header(&mut reader).map_err(|error| {
        let line = error.line().unwrap_or(1).max(1);
        let problem = format!("the PLY header cannot be read: {}", first_line(&error.to_string()));
        Error::invalid(at_line(path, line), problem, "export or copy the file again")
    })?;
    let payload = reader.into_inner();
    let header_lines = bytes[..bytes.len() - payload.len()].iter().filter(|&&b| b == b'\n').count();

    let ascii = header.encoding == Encoding::Ascii;
    check_counts(path, header.elements.values(), ascii, payload.len())?;
    if ascii {
        for property in header.elements.values_mut().flat_map(|e| e.properties.values_mut()) {
            if property.data_type == PropertyType::Scalar(ScalarType::Float) {
                property.data_type = PropertyType::Scalar(ScalarType::Double);
            }
        }
    }

    let mut source = Payload { path, rest: payload, bytes: bytes.len(), line: header_lines };
    let mut mesh = MeshFile { materials: vec![FileMaterial::default()], ..MeshFile::default() };
    for definition in header.elements.values() {
        for index in 0..definition.count {
            let element = source.next(&parser, &header.encoding, definition, index)?;
            match definition.name.as_str() {
                "vertex" => mesh.positions.push(element.position(&source, ascii, index)?),
                "face" => mesh.push_polygon(element.corners(&source, ascii, index)?, 0),
                _ => {}
            }
        }
    }
    if mesh.positions.len() > u32::MAX as usize {
        return Err(too_many_vertices(path));
    }
    Ok(mesh)
}

/// Refuses a header that promises more than the file can hold.
fn check_counts<'a>(
    path: &Path,
    elements: impl Iterator<Item = &'a ElementDef>,
    ascii: bool,
    available: usize,
) -> Result<(), Error> {
    let mut needed = 0u128;
    for element in elements {
        let least: usize = element
            .properties
            .values()
            .map(|property| match &property.data_type {
                // A digit and the space or line end after it.
                _ if ascii => 2,
                PropertyType::Scalar(scalar) | PropertyType::List(scalar, _) => {
                    size_of_scalar(scalar)
                }
            })
            .sum();
        // An element without properties would cost a loop and no bytes.
        needed += element.count as u128 * least.max(1) as u128;
        // The last line may lack its end.
        if needed > available as u128 + ascii as u128 {
            return Err(Error::invalid(
                path.display(),
                format!(
                    "the header promises {} of element {:?}, but only {available} bytes follow it",
                    element.count, element.name
                ),
                "the file is cut off or damaged: export or copy it again",
            ));
        }
    }
    Ok(())
}

fn size_of_scalar(scalar: &ScalarType) -> usize {
    match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

/// What follows the header, read element by element.
struct Payload<'a> {
    path: &'a Path,
    rest: &'a [u8],
    bytes: usize,
    line: usize,
}

impl<'a> Payload<'a> {
    fn next(
        &mut self,
        parser: &Parser<Element>,
        encoding: &Encoding,
        definition: &ElementDef,
        index: usize,
    ) -> Result<Element, Error> {
        let element = match encoding {
            Encoding::Ascii => parser.read_ascii_element(&self.next_line(), definition),
            Encoding::BinaryLittleEndian => {
                parser.read_little_endian_element(&mut self.rest, definition)
            }
            Encoding::BinaryBigEndian => parser.read_big_endian_element(&mut self.rest, definition),
        };
        element.map_err(|error| {
            let name = &definition.name;
            let why = first_line(&error.to_string());
            Error::invalid(
                self.place(*encoding == Encoding::Ascii),
                format!("element {name:?} number {index} cannot be read: {why}"),
                "the file is cut off or damaged: export or copy it again",
            )
        })
    }

    fn next_line(&mut self) -> String {
        loop {
            let end = self.rest.iter().position(|&b| b == b'\n');
            let (line, rest) = match end {
                Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
                None => (self.rest, &[][..]),
            };
            self.rest = rest;
            self.line += 1;
            if !line.trim_ascii().is_empty() || rest.is_empty() {
                return String::from_utf8_lossy(line.trim_ascii()).into_owned();
            }
        }
    }

    fn place(&self, ascii: bool) -> String {
        match ascii {
            true => at_line(self.path, self.line),
            false => format!("{}, byte {}", self.path.display(), self.bytes - self.rest.len()),
        }
    }
}

/// The properties of a vertex or a face that make a mesh.
#[derive(Default)]
struct Element {
    coordinates: [Option<f64>; 3],
    corners: Option<Vec<u32>>,
    bad_corner: bool,
}

impl Element {
    fn position(&self, source: &Payload, ascii: bool, index: usize) -> Result<DVec3, Error> {
        let [x, y, z] = self.coordinates;
        let position = x.zip(y).zip(z).map(|((x, y), z)| DVec3::new(x, y, z));
        position.filter(|p| p.is_finite()).ok_or_else(|| {
            Error::invalid(
                source.place(ascii),
                format!("vertex {index} has no finite x, y and z"),
                "repair or remove it",
            )
        })
    }

    fn corners(&self, source: &Payload, ascii: bool, index: usize) -> Result<&[u32], Error> {
        match &self.corners {
            Some(corners) if corners.len() >= 3 && !self.bad_corner => Ok(corners),
            _ => Err(Error::invalid(
                source.place(ascii),
                format!("face {index} has no list `vertex_indices` of three or more vertices"),
                "repair or remove it",
            )),
        }
    }
}

impl PropertyAccess for Element {
    fn new() -> Element {
        Element::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match name {
            "x" | "y" | "z" => {
                let axis = name.as_bytes()[0] - b'x';
                self.coordinates[axis as usize] = match property {
                    Property::Char(v) => Some(v as f64),
                    Property::UChar(v) => Some(v as f64),
                    Property::Short(v) => Some(v as f64),
                    Property::UShort(v) => Some(v as f64),
                    Property::Int(v) => Some(v as f64),
                    Property::UInt(v) => Some(v as f64),
                    Property::Float(v) => Some(v as f64),
                    Property::Double(v) => Some(v),
                    _ => None,
                };
            }
            "vertex_indices" | "vertex_index" => match property {
                Property::ListChar(v) => self.set_corners(v),
                Property::ListUChar(v) => self.set_corners(v),
                Property::ListShort(v) => self.set_corners(v),
                Property::ListUShort(v) => self.set_corners(v),
                Property::ListInt(v) => self.set_corners(v),
                Property::ListUInt(v) => self.corners = Some(v),
                _ => {}
            },
            _ => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }
}

impl Element {
    fn set_corners<T: TryInto<u32>>(&mut self, list: Vec<T>) {
        let corners = list.into_iter().map(|v| v.try_into().ok()).collect::<Option<Vec<u32>>>();
        self.bad_corner |= corners.is_none();
        self.corners = corners;
    }
}

/// The first line of the parser's message, without the whole line of data that follows it.
fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches(['.', ' ']).to_owned()
}
