//! `PointCloud2` in any layout, and Livox's `CustomMsg`: where the numbers of points stand.
//!
//! Names, types, offsets and order of bytes are the message's own. What is requested is checked
//! once against the length of the message; then columns of numbers are read where they stand.

use super::cdr::CdrReader;
use super::messages::FieldType;
use std::ops::Range;

/// One field of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) offset: usize,
    pub(super) kind: FieldType,
}

impl Field {
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self.kind, FieldType::F32 | FieldType::F64)
    }
}

impl FieldType {
    fn of(number: u8) -> Option<FieldType> {
        Some(match number {
            1 => FieldType::I8,
            2 => FieldType::U8,
            3 => FieldType::I16,
            4 => FieldType::U16,
            5 => FieldType::I32,
            6 => FieldType::U32,
            7 => FieldType::F32,
            8 => FieldType::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            FieldType::I8 | FieldType::U8 => 1,
            FieldType::I16 | FieldType::U16 => 2,
            FieldType::I32 | FieldType::U32 | FieldType::F32 => 4,
            FieldType::F64 => 8,
        }
    }
}

/// Whose layout a cloud has; the vendors have rules of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vendor {
    Velodyne,
    Ouster,
    Livox,
    Understory,
    Other,
}

/// The points of a message.
#[derive(Clone, Debug)]
pub(super) struct Cloud {
    pub(super) vendor: Vendor,
    pub(super) height: usize,
    pub(super) width: usize,
    point_step: usize,
    row_step: usize,
    big_endian: bool,
    pub(super) is_dense: bool,
    /// Where the first point stands in the message.
    start: usize,
    pub(super) xyz: [Field; 3],
    pub(super) intensity: Option<Field>,
    pub(super) time: Option<Field>,
    /// What times count from instead of the header's stamp.
    pub(super) time_base_ns: Option<u64>,
    pub(super) ring: Option<Field>,
    pub(super) column: Option<Field>,
    pub(super) range: Option<Field>,
    pub(super) angles: Option<[Field; 2]>,
    pub(super) return_number: Option<Field>,
    pub(super) return_count: Option<Field>,
    pub(super) label: Option<Field>,
    /// Red, green and blue, packed into 32 bits.
    pub(super) rgb: Option<Field>,
}

/// The fields that mean something, by name; the first of the names that a cloud has.
#[derive(Clone, Debug, Default)]
struct Named {
    found: Vec<(&'static str, Field)>,
}

const NAMES: [&str; 27] = [
    "x",
    "y",
    "z",
    "intensity",
    "reflectivity",
    "remission",
    "i",
    "time",
    "t",
    "timestamp",
    "time_stamp",
    "offset_time",
    "ring",
    "line",
    "channel",
    "laser_id",
    "tag",
    "column",
    "range",
    "distance",
    "azimuth_deg",
    "elevation_deg",
    "return_number",
    "return_count",
    "label",
    "rgb",
    "rgba",
];

impl Named {
    fn get(&self, names: &[&str]) -> Option<Field> {
        names.iter().find_map(|name| self.found.iter().find(|(n, _)| n == name).map(|(_, f)| *f))
    }

    fn has(&self, name: &str) -> bool {
        self.get(&[name]).is_some()
    }

    fn is(&self, name: &str, kind: FieldType) -> bool {
        self.get(&[name]).is_some_and(|field| field.kind == kind)
    }

    /// PCL's colours: 0xAARRGGBB in four bytes, called a float or a whole number. As a float it could
    /// be NaN, which does not keep its bits.
    fn packed_colour(&self) -> Option<Field> {
        let field = self.get(&["rgb", "rgba"]).filter(|field| field.kind.size() == 4)?;
        Some(Field { kind: FieldType::U32, ..field })
    }

    fn vendor(&self) -> Vendor {
        if self.has("return_number") && self.has("azimuth_deg") {
            Vendor::Understory
        } else if self.is("t", FieldType::U32) && self.has("reflectivity") && self.has("range") {
            Vendor::Ouster
        } else if self.has("tag") && self.has("line") {
            Vendor::Livox
        } else if self.is("time", FieldType::F32) && self.is("ring", FieldType::U16) {
            Vendor::Velodyne
        } else {
            Vendor::Other
        }
    }
}

impl Cloud {
    /// Reads a `PointCloud2` behind its header.
    pub(super) fn read(cdr: &mut CdrReader<'_>) -> Result<Cloud, String> {
        let (height, width) = (cdr.u32()?, cdr.u32()?);
        let fields = cdr.u32()?;
        let mut named = Named::default();
        let mut reach = 0u64;
        for _ in 0..fields {
            let name = cdr.string()?;
            let (offset, kind, count) = (cdr.u32()?, cdr.u8()?, cdr.u32()?);
            let Some(known) = NAMES.iter().find(|known| **known == name) else { continue };
            let kind = FieldType::of(kind)
                .ok_or_else(|| format!("its field {name:?} has the unknown type {kind}"))?;
            // Some writers count 0 and mean 1.
            let length = kind.size() as u64 * u64::from(count.max(1));
            reach = reach.max(u64::from(offset) + length);
            if !named.has(known) {
                named.found.push((known, Field { offset: offset as usize, kind }));
            }
        }
        let big_endian = cdr.u8()? != 0;
        let (point_step, row_step) = (u64::from(cdr.u32()?), u64::from(cdr.u32()?));
        let length = cdr.u32()? as usize;
        cdr.bytes(length, 1)?;
        let start = cdr.position() - length;
        let is_dense = cdr.u8()? != 0;
        let (height, width) = (u64::from(height), u64::from(width));
        let xyz = ["x", "y", "z"].map(|name| named.get(&[name]));
        let [Some(x), Some(y), Some(z)] = xyz else {
            return Err("its points have no fields x, y and z".to_owned());
        };
        if reach > point_step {
            return Err(format!("a field ends at byte {reach} of points of {point_step} bytes"));
        }
        // In a cloud of one line nobody asks for the length of a line.
        let row_step = if height <= 1 { row_step.max(width * point_step) } else { row_step };
        let line = width * point_step;
        let needed = height.checked_sub(1).and_then(|n| n.checked_mul(row_step)?.checked_add(line));
        let fits = height == 0 || width == 0 || needed.is_some_and(|n| n <= length as u64);
        if !fits || (row_step < line && height > 1) {
            return Err(format!(
                "its {height} lines of {width} points of {point_step} bytes do not fit the {length} bytes that it has"
            ));
        }
        let angles = named.get(&["azimuth_deg"]).zip(named.get(&["elevation_deg"]));
        let vendor = named.vendor();
        let brightness: &[&str] = match vendor {
            Vendor::Ouster => &["reflectivity"],
            _ => &["intensity", "reflectivity", "remission", "i"],
        };
        let empty = height == 0 || width == 0;
        Ok(Cloud {
            vendor,
            height: if empty { 0 } else { height as usize },
            width: if empty { 0 } else { width as usize },
            point_step: point_step as usize,
            row_step: row_step as usize,
            big_endian,
            is_dense,
            start,
            xyz: [x, y, z],
            intensity: named.get(brightness),
            time: named.get(&["time", "t", "timestamp", "time_stamp", "offset_time"]),
            time_base_ns: None,
            ring: named.get(&["ring", "line", "channel", "laser_id"]),
            column: named.get(&["column"]),
            range: named.get(&["range", "distance"]),
            angles: angles.map(|(azimuth, elevation)| [azimuth, elevation]),
            return_number: named.get(&["return_number"]),
            return_count: named.get(&["return_count"]),
            label: named.get(&["label"]),
            rgb: named.packed_colour(),
        })
    }

    /// Reads Livox's `CustomMsg` behind its header: points of 19 bytes, each aligned to four.
    pub(super) fn read_livox(cdr: &mut CdrReader<'_>) -> Result<Cloud, String> {
        const STEP: usize = 20;
        let time_base_ns = cdr.u64()?;
        let _point_num = cdr.u32()?;
        let _lidar_and_reserved = cdr.bytes(4, 1)?;
        let count = cdr.u32()? as usize;
        let length = count.checked_mul(STEP).ok_or("it has too many points")?.saturating_sub(1);
        let start = cdr.position();
        cdr.bytes(length, 4)?;
        let field = |offset, kind| Field { offset, kind };
        Ok(Cloud {
            vendor: Vendor::Livox,
            height: usize::from(count > 0),
            width: count,
            point_step: STEP,
            row_step: length + 1,
            big_endian: cdr.is_big_endian(),
            is_dense: true,
            start,
            xyz: [4, 8, 12].map(|offset| field(offset, FieldType::F32)),
            intensity: Some(field(16, FieldType::U8)),
            time: Some(field(0, FieldType::U32)),
            time_base_ns: Some(time_base_ns),
            ring: Some(field(18, FieldType::U8)),
            column: None,
            range: None,
            angles: None,
            return_number: None,
            return_count: None,
            label: None,
            rgb: None,
        })
    }

    pub(super) fn points(&self) -> usize {
        self.height * self.width
    }

    /// Gives the values of a field in the points `rows`, with the points' numbers.
    pub(super) fn values(
        &self,
        message: &[u8],
        field: Field,
        rows: Range<usize>,
        mut each: impl FnMut(usize, f64),
    ) {
        macro_rules! column {
            ($number:ty) => {
                self.places(rows, |row, at| {
                    let bytes = message.get(at + field.offset..).and_then(|b| b.first_chunk());
                    let bytes = bytes.copied().unwrap_or_default();
                    let value = match self.big_endian {
                        false => <$number>::from_le_bytes(bytes),
                        true => <$number>::from_be_bytes(bytes),
                    };
                    each(row, f64::from(value));
                })
            };
        }
        match field.kind {
            FieldType::I8 => column!(i8),
            FieldType::U8 => column!(u8),
            FieldType::I16 => column!(i16),
            FieldType::U16 => column!(u16),
            FieldType::I32 => column!(i32),
            FieldType::U32 => column!(u32),
            FieldType::F32 => column!(f32),
            FieldType::F64 => column!(f64),
        }
    }

    /// Where the points `rows` begin in the message.
    fn places(&self, rows: Range<usize>, mut each: impl FnMut(usize, usize)) {
        let width = self.width.max(1);
        let (mut line, mut column) = (rows.start / width, rows.start % width);
        for row in rows {
            each(row, self.start + line * self.row_step + column * self.point_step);
            column += 1;
            if column == width {
                (line, column) = (line + 1, 0);
            }
        }
    }
}
