//! BlenSor's record (Gschwandtner et al. 2011, §3.6): what is true and what was measured in one row,
//! for those who have tools for it.
//!
//! Twelve fields in this order: timestamp, yaw, pitch, distance, noisy distance, x, y, z, noisy x, y,
//! z, object. Times are seconds, angles radians (yaw counter-clockwise, 0…2π), lengths metres;
//! points are in the world. A pulse without a return has no row, as in BlenSor.
//!
//! The noisy distance and point are what was measured. The clean distance d is the whole path of the
//! light, and the clean point stands at that distance in the direction of the same row:
//! p = p_noisy + (d − d_noisy)·u. A sensor does not know that a mirror bent its light (§3.5), so
//! behind a mirror the clean point is the virtual one too, not where the light met the object.
//!
//! - CSV: a line of names, then one line per return.
//! - NPY: an array of doubles with twelve columns, as BlenSor's own NumPy output begins.
//! - EVD: blocks of an i32 count and so many entries, one block per scan, and −1 at the end; an entry
//!   is 14 doubles and the object as u64, 120 bytes, little-endian. The doubles are the first eleven
//!   fields and red, green, blue of 0…255, which here are the intensity in grey.

use crate::dropped_fields::{DroppedField, DroppedFields};
use crate::sink::select_rows;
use crate::staging::StagedFile;
use crate::{CloudError, Misses, RecordSink, Records, SinkReport};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Names of the fields in their order.
const FIELDS: &str =
    "timestamp,yaw,pitch,distance,distance_noise,x,y,z,x_noise,y_noise,z_noise,object_id\n";

/// Length of an NPY header that has room for any number of rows.
const NPY_HEADER: usize = 128;

/// In which of the three forms the record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    Npy,
    Evd,
}

/// A block of an EVD file that is being written.
#[derive(Clone, Copy, Debug)]
struct Block {
    sensor: u16,
    scan: u32,
    entries: i32,
    /// Where its count stands.
    start: u64,
}

/// Writes one file of BlenSor's records.
pub(crate) struct BlensorSink {
    path: PathBuf,
    file: StagedFile,
    form: Form,
    block: Option<Block>,
    length: u64,
    rows: u64,
    dropped_misses: u64,
    dropped_fields: DroppedFields,
    selected: Vec<usize>,
    bytes: Vec<u8>,
}

impl BlensorSink {
    /// Opens a file.
    pub(crate) fn create(path: &Path, form: Form) -> Result<BlensorSink, CloudError> {
        let file = StagedFile::create(path)?;
        let mut sink = BlensorSink {
            path: path.to_path_buf(),
            file,
            form,
            block: None,
            length: 0,
            rows: 0,
            dropped_misses: 0,
            dropped_fields: DroppedFields::new(&[
                DroppedField::ReturnNumbers,
                DroppedField::Intensity,
                DroppedField::PulseNumbers,
                DroppedField::Channels,
                DroppedField::Columns,
                DroppedField::Labels,
                DroppedField::Photons,
                DroppedField::Colours,
            ]),
            selected: Vec::new(),
            bytes: Vec::new(),
        };
        match form {
            Form::Csv => sink.bytes.extend_from_slice(FIELDS.as_bytes()),
            Form::Npy => sink.bytes.extend_from_slice(&npy_header(0)),
            Form::Evd => {}
        }
        sink.flush()?;
        Ok(sink)
    }

    /// Writes what is in the buffer.
    fn flush(&mut self) -> Result<(), CloudError> {
        self.file.write_all(&self.bytes).map_err(|e| CloudError::write(&self.path, e))?;
        self.length += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }

    /// Overwrites what stands at `place`, and comes back to the end.
    fn put_at(&mut self, place: u64, bytes: &[u8]) -> Result<(), CloudError> {
        let mut put = || {
            self.file.seek(SeekFrom::Start(place))?;
            self.file.write_all(bytes)?;
            self.file.seek(SeekFrom::Start(self.length)).map(|_| ())
        };
        put().map_err(|e| CloudError::write(&self.path, e))
    }

    /// Begins a block for a scan; what is in the buffer belongs to blocks before it.
    fn begin_block(&mut self, sensor: u16, scan: u32) -> Result<(), CloudError> {
        self.end_block()?;
        self.block = Some(Block { sensor, scan, entries: 0, start: self.length });
        self.bytes.extend_from_slice(&0i32.to_le_bytes());
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), CloudError> {
        self.flush()?;
        match self.block.take() {
            Some(block) => self.put_at(block.start, &block.entries.to_le_bytes()),
            None => Ok(()),
        }
    }

    fn put_row(&mut self, records: &Records, row: usize) -> Result<(), CloudError> {
        let fields = fields(records, row);
        let object = records.object[row];
        match self.form {
            Form::Csv => {
                for field in fields {
                    // Writing to memory does not fail.
                    let _ = write!(self.bytes, "{field},");
                }
                let _ = writeln!(self.bytes, "{object}");
            }
            Form::Npy => {
                for field in fields.into_iter().chain([f64::from(object)]) {
                    self.bytes.extend_from_slice(&field.to_le_bytes());
                }
            }
            Form::Evd => {
                let (sensor, scan) = (records.sensor[row], records.scan[row]);
                let room = |block: &&mut Block| {
                    (block.sensor, block.scan) == (sensor, scan) && block.entries < i32::MAX
                };
                if self.block.as_mut().filter(room).is_none() {
                    self.begin_block(sensor, scan)?;
                }
                if let Some(block) = &mut self.block {
                    block.entries += 1;
                }
                let grey = (255.0 * f64::from(records.intensity[row]).clamp(0.0, 1.0)).floor();
                for field in fields.into_iter().chain([grey; 3]) {
                    self.bytes.extend_from_slice(&field.to_le_bytes());
                }
                self.bytes.extend_from_slice(&u64::from(object).to_le_bytes());
            }
        }
        Ok(())
    }
}

impl RecordSink for BlensorSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.dropped_fields.look(records);
        let mut selected = std::mem::take(&mut self.selected);
        self.dropped_misses += select_rows(records, Misses::Drop, &mut selected);
        for &row in &selected {
            self.put_row(records, row)?;
            if self.bytes.len() > 1 << 18 {
                self.flush()?;
            }
        }
        self.rows += selected.len() as u64;
        self.selected = selected;
        self.flush()
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        match self.form {
            Form::Csv => {}
            Form::Npy => {
                let header = npy_header(self.rows);
                self.put_at(0, &header)?;
            }
            Form::Evd => {
                self.end_block()?;
                self.bytes.extend_from_slice(&(-1i32).to_le_bytes());
                self.flush()?;
            }
        }
        Ok(SinkReport {
            paths: vec![self.file.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            dropped_fields: self.dropped_fields.words(),
        })
    }
}

/// The point of a return at its true distance in the direction in which it was measured. Where that
/// direction is not known, nothing but the true point is left.
fn clean_point(records: &Records, row: usize) -> [f64; 3] {
    let noisy = records.world_xyz_m[row];
    let along = records.direction_xyz[row].map(f64::from);
    if along.iter().any(|part| !part.is_finite()) {
        return records.true_xyz_m[row];
    }
    let farther_m = f64::from(records.true_range_m[row]) - f64::from(records.range_m[row]);
    std::array::from_fn(|axis| noisy[axis] + along[axis] * farther_m)
}

/// The first eleven fields of a return.
fn fields(records: &Records, row: usize) -> [f64; 11] {
    let yaw = f64::from(records.azimuth_deg[row]).to_radians();
    let [x, y, z] = clean_point(records, row);
    let [noisy_x, noisy_y, noisy_z] = records.world_xyz_m[row];
    [
        records.time_s[row],
        yaw.rem_euclid(std::f64::consts::TAU),
        f64::from(records.elevation_deg[row]).to_radians(),
        f64::from(records.true_range_m[row]),
        f64::from(records.range_m[row]),
        x,
        y,
        z,
        noisy_x,
        noisy_y,
        noisy_z,
    ]
}

fn npy_header(rows: u64) -> Vec<u8> {
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&((NPY_HEADER - 10) as u16).to_le_bytes());
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 12), }}");
    header.extend_from_slice(text.as_bytes());
    header.resize(NPY_HEADER - 1, b' ');
    header.push(b'\n');
    header
}
