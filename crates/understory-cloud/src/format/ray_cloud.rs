//! CSIRO's ray cloud: a PLY with a ray for each return and each miss.
//!
//! What enters: records with origins of their beams. What leaves: the file that raycloudtools reads:
//! the end of the ray, its time, the vector from its end to its start as the normal, and a colour
//! whose alpha is 0 for a ray that met nothing. Such a ray ends at the sensor's largest range, or
//! after 100 m if that is not known.
//!
//! The intensity is the colour and, at least 1, the alpha. Positions are doubles, which its reader
//! takes as well as floats, so that a site at UTM coordinates loses nothing. Its reader looks for
//! words such as "time" in every line of the header: the comment has none of them.

use crate::dropped_fields::{DroppedField, DroppedFields};
use crate::sink::select_rows;
use crate::staging::StagedFile;
use crate::{CloudError, Misses, RecordSink, Records, SOFTWARE, SinkOptions, SinkReport};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Where the ray of a miss ends if the sensor's largest range is not known.
const MISS_END_M: f64 = 100.0;

/// Writes one ray cloud.
pub(crate) struct RayCloudSink {
    path: PathBuf,
    file: StagedFile,
    misses: Misses,
    /// Largest range of each sensor.
    range_max_m: Vec<f64>,
    rows: u64,
    dropped_misses: u64,
    dropped_fields: DroppedFields,
    selected: Vec<usize>,
    bytes: Vec<u8>,
}

impl RayCloudSink {
    /// Opens a ray cloud.
    pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<RayCloudSink, CloudError> {
        let mut sink = RayCloudSink {
            path: path.to_path_buf(),
            file: StagedFile::create(path)?,
            misses: options.misses,
            range_max_m: options.sensors.iter().map(|sensor| sensor.range_m[1]).collect(),
            rows: 0,
            dropped_misses: 0,
            dropped_fields: DroppedFields::new(&[
                DroppedField::ReturnNumbers,
                DroppedField::PulseNumbers,
                DroppedField::Sensors,
                DroppedField::Channels,
                DroppedField::Scans,
                DroppedField::Columns,
                DroppedField::Labels,
                DroppedField::Objects,
                DroppedField::Truth,
                DroppedField::Photons,
                DroppedField::Colours,
            ]),
            selected: Vec::new(),
            bytes: Vec::new(),
        };
        sink.put_header()?;
        Ok(sink)
    }

    /// Writes the header, whose length does not depend on the number of rows.
    fn put_header(&mut self) -> Result<(), CloudError> {
        let mut text = format!(
            "ply\nformat binary_little_endian 1.0\ncomment {SOFTWARE}\nelement vertex {:020}\n",
            self.rows
        );
        for (kind, names) in [
            ("double", &["x", "y", "z", "time"][..]),
            ("float", &["nx", "ny", "nz"]),
            ("uchar", &["red", "green", "blue", "alpha"]),
        ] {
            names.iter().for_each(|name| text.push_str(&format!("property {kind} {name}\n")));
        }
        text.push_str("end_header\n");
        self.file.write_all(text.as_bytes()).map_err(|e| CloudError::write(&self.path, e))
    }

    /// Appends the ray of a row; false if its origin or direction is not known.
    fn put(&mut self, records: &Records, row: usize) -> bool {
        let origin = records.origin_xyz_m[row];
        let is_miss = records.is_miss(row);
        let end: [f64; 3] = if is_miss {
            let sensor = usize::from(records.sensor[row]);
            let known = self.range_max_m.get(sensor).copied();
            let reach = known.filter(|r| r.is_finite() && *r > 0.0).unwrap_or(MISS_END_M);
            let along = records.direction_xyz[row];
            std::array::from_fn(|i| origin[i] + reach * f64::from(along[i]))
        } else {
            records.world_xyz_m[row]
        };
        let to_start: [f32; 3] = std::array::from_fn(|i| (origin[i] - end[i]) as f32);
        if !to_start.iter().all(|c| c.is_finite()) {
            return false;
        }
        end.iter().for_each(|c| self.bytes.extend_from_slice(&c.to_le_bytes()));
        self.bytes.extend_from_slice(&records.time_s[row].to_le_bytes());
        to_start.iter().for_each(|c| self.bytes.extend_from_slice(&c.to_le_bytes()));
        let shade = (records.intensity[row] * 255.0).round() as u8;
        let alpha = if is_miss { 0 } else { shade.max(1) };
        self.bytes.extend_from_slice(&[shade, shade, shade, alpha]);
        true
    }
}

impl RecordSink for RayCloudSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.dropped_fields.look(records);
        self.dropped_fields.count_bright(records);
        let mut selected = std::mem::take(&mut self.selected);
        self.dropped_misses += select_rows(records, self.misses, &mut selected);
        for rows in selected.chunks(16_384) {
            self.bytes.clear();
            for &row in rows {
                if self.put(records, row) {
                    self.rows += 1;
                } else if records.is_miss(row) {
                    self.dropped_misses += 1;
                } else {
                    return Err(CloudError::ReturnWithoutOrigin {
                        path: self.path.clone(),
                        pulse: records.pulse[row],
                    });
                }
            }
            self.file.write_all(&self.bytes).map_err(|e| CloudError::write(&self.path, e))?;
        }
        self.selected = selected;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        self.file.seek(SeekFrom::Start(0)).map_err(|e| CloudError::write(&self.path, e))?;
        self.put_header()?;
        Ok(SinkReport {
            paths: vec![self.file.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            dropped_fields: self.dropped_fields.words(),
        })
    }
}
