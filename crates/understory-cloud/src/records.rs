//! The rows of a recording, simulated or measured, held as columns.
//!
//! One row per return, and one row per pulse that returned nothing: a miss is data. What the
//! sensor measured stands beside what was true, in columns of their own.
//!
//! A row without a return has `return_number` and `return_count` 0, object and material 0, and NaN
//! in every column that only a return can have.

mod bits;
mod block;
mod column;
mod file_column;
mod waveforms;

pub use block::{decode_records, encode_records};
pub use column::Column;
pub use file_column::{ColumnInfo, Source};
pub(crate) use file_column::{FileColumn, Values};
pub use waveforms::{WaveformFormat, Waveforms};

use crate::CloudError;
use bits::{FillColumn, ReadColumn};
use file_column::Cell;

/// Declares the table of columns, [`Record`] (one row) and [`Records`] (the same fields as columns)
/// from one list. A column has a name and a type, the value that a row without a return has, whether
/// it is measured or true, what it is in at most 32 characters, its rank in files and its names
/// there.
macro_rules! columns {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $ty:ty = $miss:expr, $source:ident, $brief:literal,
            $rank:literal [$($file_name:literal),+];
    )*) => {
        /// The one table of columns, in the order of the fields of [`Records`].
        pub const COLUMNS: [ColumnInfo; [$($rank),*].len()] = [$(ColumnInfo {
            name: stringify!($name),
            kind: stringify!($ty),
            source: Source::$source,
            brief: $brief,
            doc: concat!($($doc),+),
            file_names: &[$($file_name),+],
            rank: $rank,
            values: |records, axis| Cell::values(records.$name.as_slice(), axis),
            values_mut: |records, axis| Cell::values_mut(records.$name.as_mut_slice(), axis),
        },)*];

        /// One row: a return, or a pulse without one.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Record {
            $($(#[doc = $doc])+ pub $name: $ty,)*
        }

        /// Many rows as columns of equal length, in firing order.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Records {
            $($(#[doc = $doc])+ pub $name: Vec<$ty>,)*
            /// Waveforms of the pulses, where they are kept; not one per row.
            pub waveforms: Waveforms,
        }

        impl Record {
            /// A pulse without a return, of which nothing else is known yet: to be completed by
            /// `Record { time_s, pulse, ..Record::miss() }`.
            pub const fn miss() -> Record {
                Record { $($name: $miss,)* }
            }
        }

        impl Records {
            /// Appends one row.
            pub fn push(&mut self, row: Record) {
                $(self.$name.push(row.$name);)*
            }

            /// The row at `index`, or `None` past the end.
            pub fn get(&self, index: usize) -> Option<Record> {
                (index < self.len()).then(|| Record { $($name: self.$name[index],)* })
            }

            /// Removes all rows and keeps the memory.
            pub fn clear(&mut self) {
                $(self.$name.clear();)*
                self.waveforms.clear();
            }

            /// The first column whose length differs from the first column's, with its length.
            pub fn uneven_column(&self) -> Option<(&'static str, usize)> {
                let columns = [$((stringify!($name), self.$name.len()),)*];
                columns.into_iter().find(|&(_, len)| len != self.len())
            }

            /// Makes this `rows` rows, each as [`Record::miss`] has it.
            pub(crate) fn fill_with_misses(&mut self, rows: usize) {
                let miss = Record::miss();
                $(
                    self.$name.clear();
                    self.$name.resize(rows, miss.$name);
                )*
            }

            /// Tells the name of each column and its values as little-endian bytes, which pass
            /// through `bytes`.
            pub fn for_each_column(
                &self,
                bytes: &mut Vec<u8>,
                tell: &mut dyn FnMut(&'static str, &[u8]),
            ) {
                $(
                    bytes.clear();
                    self.$name.iter().for_each(|value| value.append_to(bytes));
                    tell(stringify!($name), bytes);
                )*
            }

            /// Removes the rows for which `keep` is false.
            pub(crate) fn retain(&mut self, keep: &[bool]) {
                $(
                    let mut kept = keep.iter();
                    self.$name.retain(|_| kept.next().copied().unwrap_or(false));
                )*
            }

            /// Shows every column to `visitor`, in the order of the fields.
            pub(crate) fn each_column(&self, visitor: &mut impl ReadColumn) {
                $(visitor.column(&self.$name);)*
            }

            /// Lets `visitor` fill every column, in the order of the fields.
            pub(crate) fn each_column_mut(
                &mut self,
                visitor: &mut impl FillColumn,
            ) -> Option<()> {
                $(visitor.column(&mut self.$name)?;)*
                Some(())
            }

            /// Appends some rows of `other`, which must be rows of it; without waveforms.
            pub(crate) fn append_rows(&mut self, other: &Records, rows: &[usize]) {
                $(self.$name.extend(rows.iter().map(|&row| other.$name[row]));)*
            }

            /// A copy of some rows, without waveforms; ends past the last row are cut to it.
            pub fn rows(&self, range: std::ops::Range<usize>) -> Records {
                let end = range.end.min(self.len());
                let range = range.start.min(end)..end;
                Records {
                    $($name: self.$name[range.clone()].to_vec(),)*
                    waveforms: Waveforms::default(),
                }
            }

            /// All columns with their names, without a copy; without waveforms.
            pub fn into_columns(self) -> Vec<(&'static str, Column)> {
                vec![$((stringify!($name), self.$name.into()),)*]
            }

            /// Puts a column in the place of the one of this name and tells its name; `None` if
            /// there is none of this name and kind.
            pub(crate) fn set_column(
                &mut self,
                name: &str,
                column: Column,
            ) -> Option<&'static str> {
                match name {
                    $(stringify!($name) => {
                        self.$name = column.try_into().ok()?;
                        Some(stringify!($name))
                    })*
                    _ => None,
                }
            }

            /// Appends all rows of `other`.
            pub fn append(&mut self, other: &Records) {
                $(self.$name.extend_from_slice(&other.$name);)*
                self.waveforms.append(&other.waveforms);
            }
        }
    };
}

/// A value as bytes.
trait LittleEndian {
    fn append_to(&self, bytes: &mut Vec<u8>);
}

macro_rules! little_endian {
    ($($ty:ty),*) => {
        $(impl LittleEndian for $ty {
            fn append_to(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

little_endian!(u8, u16, u32, u64, f32, f64);

impl<T: LittleEndian, const N: usize> LittleEndian for [T; N] {
    fn append_to(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.append_to(bytes));
    }
}

columns! {
    /// Firing time of the pulse in seconds since the start of the run.
    time_s: f64 = f64::NAN, Measured, "firing time", 2 ["time_s"];
    /// Index of the pulse in its sensor's stream, from 0 at the start of the run.
    pulse: u64 = 0, Measured, "pulse of this sensor, from 0", 11 ["pulse"];
    /// Which sensor of the scenario fired, from 0.
    sensor: u16 = 0, Measured, "sensor, from 0", 12 ["sensor"];
    /// Laser channel in the vendor's packet order.
    channel: u16 = 0, Measured, "laser channel", 13 ["channel"];
    /// Which revolution or frame of the sensor.
    scan: u32 = 0, Measured, "revolution or frame, from 0", 14 ["scan"];
    /// Step within that revolution or frame.
    column: u32 = 0, Measured, "step within the scan", 15 ["column"];
    /// Azimuth that the sensor reports, counter-clockwise from its x axis, −180…180.
    azimuth_deg: f32 = f32::NAN, Measured, "azimuth in the sensor's frame", 6 ["azimuth_deg"];
    /// Elevation that the sensor reports, up from its xy plane.
    elevation_deg: f32 = f32::NAN, Measured, "elevation in the sensor's frame", 7 ["elevation_deg"];
    /// Photons of the return on the photodiode; NaN where the sensor's receiver is not known.
    signal_photons: f32 = f32::NAN, Measured, "photons of the return", 16 ["signal_photons"];
    /// Photons of sunlight in the time of a pulse; NaN where the sensor's receiver is not known.
    ambient_photons: f32 = f32::NAN, Measured, "photons of sunlight", 17 ["ambient_photons"];
    /// 1 for the nearest of the returns of a pulse; 0: the pulse returned nothing.
    return_number: u8 = 0, Measured, "return of the pulse, from 1", 3 ["return_number"];
    /// How many returns this pulse gave.
    return_count: u8 = 0, Measured, "returns of the pulse", 4 ["return_count"];
    /// Measured range: detected, with errors and quantised.
    range_m: f32 = f32::NAN, Measured, "measured range", 5 ["range_m"];
    /// Range at which the truth sub-ray met its object: of the sub-rays of this return, the one
    /// nearest to the beam's axis.
    true_range_m: f32 = f32::NAN, Truth, "true range nearest to the axis", 18 ["true_range_m"];
    /// Signal of the return as the sensor reports it; 1 is a white target facing the beam.
    intensity: f32 = f32::NAN, Measured, "intensity, 1: a white target", 1 ["intensity"];
    /// Where the beam left from in the world, by the platform's estimated pose.
    origin_xyz_m: [f64; 3] = [f64::NAN; 3], Measured, "where the beam left from",
        8 ["origin_x_m", "origin_y_m", "origin_z_m"];
    /// Unit vector along which the beam left in the world, by the direction that the sensor reports
    /// and the platform's estimated pose; a miss has it too.
    direction_xyz: [f32; 3] = [f32::NAN; 3], Measured, "where the beam pointed",
        9 ["direction_x", "direction_y", "direction_z"];
    /// Measured position in the sensor's frame (x forward, y left, z up).
    sensor_xyz_m: [f32; 3] = [f32::NAN; 3], Measured, "position in the sensor's frame",
        10 ["sensor_x_m", "sensor_y_m", "sensor_z_m"];
    /// Measured position in the world, by the platform's estimated pose.
    world_xyz_m: [f64; 3] = [f64::NAN; 3], Measured, "position in the world",
        0 ["x_m", "y_m", "z_m"];
    /// Position in the world where the truth sub-ray met its object.
    true_xyz_m: [f64; 3] = [f64::NAN; 3], Truth, "where the sub-ray met the object",
        19 ["true_x_m", "true_y_m", "true_z_m"];
    /// Object that the truth sub-ray met, from 1; 0: none.
    object: u32 = 0, Truth, "object, from 1", 20 ["object"];
    /// Material that it met, from 1; 0: none.
    material: u16 = 0, Truth, "material, from 1", 21 ["material"];
    /// Semantic class of that object (SemanticKITTI numbers unless the scenario says otherwise).
    label: u16 = 0, Truth, "semantic class", 22 ["label"];
    /// Volume of a learned site that it met, from 1; 0: none.
    volume: u32 = 0, Truth, "volume of a learned site", 26 ["volume"];
    /// Angle between the truth sub-ray and the surface normal; NaN for a volume, which has none.
    incidence_deg: f32 = f32::NAN, Truth, "angle to the surface normal", 23 ["incidence_deg"];
    /// How many sub-rays contributed to this return.
    sub_ray_hits: u16 = 0, Truth, "sub-rays in this return", 24 ["sub_ray_hits"];
    /// Farthest minus nearest true range of those sub-rays.
    range_spread_m: f32 = f32::NAN, Truth, "farthest minus nearest sub-ray", 25 ["range_spread_m"];
    /// How fast the point that the truth sub-ray met moves in the world; 0 where nothing does.
    velocity_xyz_m_s: [f32; 3] = [f32::NAN; 3], Truth, "velocity of what was met",
        27 ["velocity_x_m_s", "velocity_y_m_s", "velocity_z_m_s"];
    /// Colour of what was met, sRGB: that of the material, or what a camera saw; black where it is
    /// not known.
    colour_rgb: [u8; 3] = [0; 3], Truth, "colour of what was met, sRGB",
        28 ["red", "green", "blue"];
}

/// All columns of files in their order: position and intensity first, measurement before truth.
pub(crate) const FILE_COLUMNS: [FileColumn; file_column::count(&COLUMNS)] =
    file_column::in_file_order(&COLUMNS);

impl Records {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.time_s.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.time_s.is_empty()
    }

    /// Refuses a batch whose columns differ in length.
    pub fn check_even(&self) -> Result<(), CloudError> {
        match self.uneven_column() {
            Some((column, found)) => {
                Err(CloudError::UnevenColumns { column, found, expected: self.len() })
            }
            None => Ok(()),
        }
    }

    /// Whether row `index` is a pulse without a return.
    pub fn is_miss(&self, index: usize) -> bool {
        self.return_number[index] == 0
    }

    /// Distance from the beam's origin to the measured position of row `index`; NaN where one of
    /// them is not known.
    pub fn distance_m(&self, index: usize) -> f64 {
        let (at, from) = (self.world_xyz_m[index], self.origin_xyz_m[index]);
        let squares = (0..3).map(|axis| (at[axis] - from[axis]).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// Rows that are returns.
    pub fn return_rows(&self) -> usize {
        self.return_number.iter().filter(|&&n| n > 0).count()
    }
}
