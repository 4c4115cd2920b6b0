//! LAS and LAZ 1.4, point format 6, or 7 where colours are known, with extra bytes.
//!
//! What enters: records. What leaves: points in the world's frame.
//!
//! | field | value |
//! | --- | --- |
//! | X, Y, Z | `world_xyz_m`, quantised to 0.1 mm around an offset of whole kilometres |
//! | intensity | 65535 is intensity 1, a white target facing the beam; more is clamped |
//! | return number, number of returns | as they are, at most 15 |
//! | scan angle | off the vertical across the track, see `scan_angle` |
//! | GPS time | `time_s`: seconds since the start of the run |
//! | classification | the ASPRS's, see `survey_class` |
//! | overlap flag | set where the swath of another flight line covers the point |
//! | red, green, blue | `colour_rgb` times 257, in format 7 |
//! | point source | the flight line from 1, or the sensor from 0 where there are none |
//!
//! The other columns are extra bytes under their own names, label and sensor among them. Where a
//! column of numbers has none, −9999 stands for it and the file says so: no value is NaN. True positions and origins of beams have the scale and offset of the file, like X, Y
//! and Z. Positions in the sensor's frame follow from range and angles, directions of beams from
//! origin and position; neither is stored. Pulses without a return are left out and counted. With
//! waveforms the points have format 9 and a file `.wdp` stands beside them, see `las_waveform`.

use super::header::{Facts, front_matter, names_record};
use super::laz_chunk::compress_chunk;
use super::scan_angle::Track;
use super::waveform::{WAVEFORM_LEN, WaveformPackets};
use super::{POINT_LEN, RGB_LEN};
use crate::dropped_fields::{DroppedField, DroppedFields};
use crate::format::coordinate_offset::round_offset_m;
use crate::format::row_layout::{Kind, RowLayout, first_return, steps};
use crate::records::FILE_COLUMNS;
use crate::sink::select_rows;
use crate::staging::StagedFile;
use crate::{
    CloudError, LasClasses, Misses, RecordSink, Records, SceneNames, SinkOptions, SinkReport,
    Survey, WaveformFormat,
};
use laz::laszip::{ChunkTable, ChunkTableEntry};
use laz::{LazItemRecordBuilder, LazVlr};
use rayon::prelude::*;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Chunks that are gathered before they are compressed side by side. Each chunk is compressed by one
/// thread, so that the bytes do not depend on how many threads there are.
const CHUNKS_AT_ONCE: usize = 4;

/// The classification flag of points that several flight lines see.
const OVERLAP_FLAG: u8 = 1 << 3;

/// What only extra bytes hold.
const BEYOND_STANDARD: [DroppedField; 9] = [
    DroppedField::PulseNumbers,
    DroppedField::Channels,
    DroppedField::Scans,
    DroppedField::Columns,
    DroppedField::Origins,
    DroppedField::Labels,
    DroppedField::Objects,
    DroppedField::Truth,
    DroppedField::Photons,
];

/// Writes one LAS or LAZ file.
pub(crate) struct LasSink {
    pub(super) path: PathBuf,
    pub(super) points: Points,
    pub(super) layout: RowLayout,
    pub(super) laz: Option<LazVlr>,
    scale_m: f64,
    pub(super) columns: Columns,
    pub(super) offset_m: Option<[f64; 3]>,
    classes: LasClasses,
    survey: Option<Arc<dyn Survey>>,
    track: Track,
    pub(super) crs_wkt: Option<String>,
    pub(super) names: Option<Arc<SceneNames>>,
    pub(super) facts: Facts,
    pub(super) formats: Vec<WaveformFormat>,
    packets: Option<WaveformPackets>,
    pub(super) dropped_fields: DroppedFields,
    selected: Vec<usize>,
    bytes: Vec<u8>,
}

/// Where the bytes of points go.
pub(super) struct Points {
    pub(super) file: StagedFile,
    pub(super) stride: usize,
    /// Bytes of standard fields in a point.
    pub(super) standard: usize,
    compressed: Option<Compressed>,
}

/// Points on their way to a LAZ file.
pub(super) struct Compressed {
    vlr: LazVlr,
    table: ChunkTable,
    /// Where the position of the chunk table goes once it is known.
    table_pointer: u64,
    waiting: Vec<u8>,
}

impl LasSink {
    /// Opens a file.
    pub(crate) fn create(
        path: &Path,
        compress: bool,
        options: &SinkOptions,
    ) -> Result<LasSink, CloudError> {
        LasSink::open(path, compress, options, false)
    }

    /// The same; `spooled`: points that are part of a file, neither compressed nor behind a header.
    pub(super) fn open(
        path: &Path,
        compress: bool,
        options: &SinkOptions,
        spooled: bool,
    ) -> Result<LasSink, CloudError> {
        let scale_m = options.scale_m;
        if !(scale_m.is_finite() && scale_m > 0.0) {
            return Err(CloudError::BadScale { path: path.to_path_buf(), scale: scale_m });
        }
        let offset_m = options.offset_m;
        let formats = options.waveforms.clone();
        if compress && !formats.is_empty() {
            return Err(CloudError::WaveformsInLaz { path: path.to_path_buf() });
        }
        let packets = match formats.is_empty() {
            true => None,
            false => Some(WaveformPackets::create(path, &formats)?),
        };
        let columns = Columns::of(options);
        let layout = columns.layout(offset_m.unwrap_or_default(), scale_m);
        let laz = compress.then(|| {
            let extra = (layout.stride() - columns.standard_len()) as u16;
            let items = match columns.has_rgb() {
                true => LazItemRecordBuilder::default_version_of::<laz::las::Point7>(extra),
                false => LazItemRecordBuilder::default_version_of::<laz::las::Point6>(extra),
            };
            LazVlr::from_laz_items(items)
        });
        // A longer text does not fit into its record, which ends with a 0.
        let fits = |text: &String| text.len() < usize::from(u16::MAX);
        let crs_wkt = options.crs_wkt.clone().filter(fits);
        let front = match spooled {
            true => Vec::new(),
            false => {
                let (laz, crs) = (laz.as_ref(), crs_wkt.as_deref());
                front_matter(&layout, laz, &formats, crs, [0.0; 3], &Facts::default())
                    .map_err(|e| las_failed(path, e))?
            }
        };
        let compress = laz.clone().filter(|_| !spooled);
        let file = if spooled { StagedFile::spool(path)? } else { StagedFile::create(path)? };
        let points = Points::create(file, &front, &layout, compress)
            .map_err(|e| CloudError::write(path, e))?;
        Ok(LasSink {
            path: path.to_path_buf(),
            points,
            layout,
            laz,
            scale_m,
            columns,
            offset_m,
            classes: options.las_classes,
            survey: options.survey.clone(),
            track: Track::default(),
            crs_wkt,
            names: options.names.clone(),
            facts: Facts::default(),
            formats,
            packets,
            dropped_fields: match options.extra_bytes {
                true => DroppedFields::default(),
                false => DroppedFields::new(&BEYOND_STANDARD),
            },
            selected: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Whether scan angles depend on the points before.
    pub(super) fn finds_track(&self) -> bool {
        self.survey.is_none()
    }

    /// Takes note of points that stand in front of its own.
    pub(super) fn pass(&mut self, earlier: &Records) {
        select_rows(earlier, Misses::Drop, &mut self.selected);
        for &row in &self.selected {
            self.track.advance(earlier.origin_xyz_m[row]);
        }
    }

    /// Fills the 30 standard bytes of each row of `self.bytes`.
    fn put_standard_fields(
        &mut self,
        records: &Records,
        rows: &[usize],
        offset_m: [f64; 3],
    ) -> Result<(), CloudError> {
        let survey = self.survey.as_deref();
        let mut bounds = self.facts.bounds.unwrap_or([[i32::MAX; 3], [i32::MIN; 3]]);
        for (point, &row) in self.bytes.chunks_exact_mut(self.layout.stride()).zip(rows) {
            let (number, count) = (records.return_number[row], records.return_count[row]);
            let pulse = records.pulse[row];
            if number > 15 || count > 15 {
                let path = self.path.clone();
                return Err(CloudError::TooManyReturns { path, pulse, number, count });
            }
            let mut xyz = [0; 3];
            for axis in 0..3 {
                let value = records.world_xyz_m[row][axis];
                let Some(steps) = steps(value, offset_m[axis], self.scale_m) else {
                    return Err(CloudError::CoordinateOverflow {
                        path: self.path.clone(),
                        pulse,
                        axis: ["x", "y", "z"][axis],
                        value,
                        offset: offset_m[axis],
                        scale: self.scale_m,
                    });
                };
                xyz[axis] = steps;
                bounds[0][axis] = bounds[0][axis].min(xyz[axis]);
                bounds[1][axis] = bounds[1][axis].max(xyz[axis]);
                point[4 * axis..4 * axis + 4].copy_from_slice(&xyz[axis].to_le_bytes());
            }
            let intensity = (records.intensity[row] * 65_535.0).round() as u16;
            point[12..14].copy_from_slice(&intensity.to_le_bytes());
            point[14] = number | count << 4;
            point[16] = self.classes.class(records.label[row], records.world_xyz_m[row], survey);
            let angle = self.track.steps(records, row, survey);
            point[18..20].copy_from_slice(&angle.to_le_bytes());
            let line = survey.and_then(|survey| survey.flight_line(records.time_s[row]));
            if let Some((survey, line)) = survey.zip(line)
                && survey.overlaps(line, records.world_xyz_m[row])
            {
                point[15] |= OVERLAP_FLAG;
            }
            let source = line.unwrap_or(records.sensor[row]);
            point[20..22].copy_from_slice(&source.to_le_bytes());
            // GPS time is a number in every file.
            let time_s = Some(records.time_s[row]).filter(|t| !t.is_nan()).unwrap_or(0.0);
            point[22..30].copy_from_slice(&time_s.to_le_bytes());
            if self.columns.has_rgb() {
                let rgb = point[POINT_LEN..POINT_LEN + RGB_LEN].chunks_exact_mut(2);
                for (to, value) in rgb.zip(records.colour_rgb[row]) {
                    to.copy_from_slice(&(u16::from(value) * 257).to_le_bytes());
                }
            }
            if let Some(packets) = &mut self.packets {
                packets.put(records, row, point)?;
            }
            if let Some(returns) = self.facts.by_return.get_mut(usize::from(number) - 1) {
                *returns += 1;
            }
        }
        if !rows.is_empty() {
            self.facts.bounds = Some(bounds);
        }
        Ok(())
    }
}

impl RecordSink for LasSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.dropped_fields.look(records);
        self.dropped_fields.count_bright(records);
        if self.offset_m.is_none()
            && let Some(first) = first_return(records)
        {
            let offset_m = round_offset_m(first);
            self.layout = self.columns.layout(offset_m, self.scale_m);
            self.offset_m = Some(offset_m);
        }
        let offset_m = self.offset_m.unwrap_or_default();
        for &time in records.time_s.iter().filter(|time| !time.is_nan()) {
            let [first, last] = self.facts.time_span_s.unwrap_or([time; 2]);
            self.facts.time_span_s = Some([first.min(time), last.max(time)]);
        }
        if let Some(packets) = &mut self.packets {
            packets.begin(&records.waveforms);
        }
        let mut selected = std::mem::take(&mut self.selected);
        self.facts.dropped_misses += select_rows(records, Misses::Drop, &mut selected);
        for rows in selected.chunks(16_384) {
            self.layout.pack(records, rows, &mut self.bytes);
            self.put_standard_fields(records, rows, offset_m)?;
            self.points.put(&self.bytes).map_err(|e| CloudError::write(&self.path, e))?;
            self.facts.points += rows.len() as u64;
        }
        self.selected = selected;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let LasSink {
            path,
            points,
            layout,
            laz,
            offset_m,
            mut facts,
            formats,
            packets,
            dropped_fields,
            crs_wkt,
            names,
            ..
        } = *self;
        let mut file = points.finish().map_err(|e| CloudError::write(&path, e))?;
        if let Some(names) = names {
            let record = names_record(&names).map_err(|e| las_failed(&path, e))?;
            let start = file.seek(SeekFrom::End(0));
            let start = start.and_then(|start| file.write_all(&record).map(|()| start));
            facts.names_start = Some(start.map_err(|e| CloudError::write(&path, e))?);
        }
        let offset_m = offset_m.unwrap_or_default();
        let crs_wkt = crs_wkt.as_deref();
        let front = front_matter(&layout, laz.as_ref(), &formats, crs_wkt, offset_m, &facts)
            .map_err(|e| las_failed(&path, e))?;
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(&front))
            .map_err(|e| CloudError::write(&path, e))?;
        let packets = packets.map(WaveformPackets::finish).transpose()?;
        let mut paths = vec![file.publish()?];
        paths.extend(packets);
        let (rows, dropped_misses) = (facts.points, facts.dropped_misses);
        Ok(SinkReport { paths, rows, dropped_misses, dropped_fields: dropped_fields.words() })
    }
}

impl Points {
    /// Writes what stands before the points.
    fn create(
        mut file: StagedFile,
        front: &[u8],
        layout: &RowLayout,
        laz: Option<LazVlr>,
    ) -> io::Result<Points> {
        file.write_all(front)?;
        let compressed = laz.map(|vlr| Compressed {
            vlr,
            table: ChunkTable::default(),
            table_pointer: front.len() as u64,
            waiting: Vec::new(),
        });
        if compressed.is_some() {
            file.write_all(&(-1i64).to_le_bytes())?;
        }
        let (stride, standard) = (layout.stride(), layout.offset_of(0));
        Ok(Points { file, stride, standard, compressed })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(compressed) = &mut self.compressed else { return self.file.write_all(bytes) };
        compressed.waiting.extend_from_slice(bytes);
        let chunk_len = compressed.vlr.chunk_size() as usize * self.stride;
        if compressed.waiting.len() >= CHUNKS_AT_ONCE * chunk_len {
            let whole = compressed.waiting.len() / chunk_len * chunk_len;
            compressed.compress(&mut self.file, [self.stride, self.standard], whole)?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<StagedFile> {
        if let Some(compressed) = &mut self.compressed {
            let rest = compressed.waiting.len();
            compressed.compress(&mut self.file, [self.stride, self.standard], rest)?;
            let table_start = self.file.stream_position()?;
            compressed.table.write_to(&mut self.file, &compressed.vlr)?;
            self.file.seek(SeekFrom::Start(compressed.table_pointer))?;
            self.file.write_all(&table_start.to_le_bytes())?;
        }
        Ok(self.file)
    }
}

impl Compressed {
    /// Compresses the first `len` waiting bytes, chunks side by side, and writes them in order.
    fn compress(
        &mut self,
        file: &mut StagedFile,
        [stride, standard]: [usize; 2],
        len: usize,
    ) -> io::Result<()> {
        let chunk_points = self.vlr.chunk_size();
        let chunks: Vec<_> = self.waiting[..len]
            .par_chunks(chunk_points as usize * stride)
            .map(|chunk| compress_chunk(chunk, stride, standard))
            .collect();
        for chunk in chunks {
            let chunk = chunk?;
            file.write_all(&chunk)?;
            let byte_count = chunk.len() as u64;
            self.table.push(ChunkTableEntry { point_count: chunk_points.into(), byte_count });
        }
        self.waiting.drain(..len);
        Ok(())
    }
}

/// Which columns a file has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    extra_bytes: bool,
    colours: bool,
    waveforms: bool,
}

impl Columns {
    fn of(options: &SinkOptions) -> Columns {
        let waveforms = !options.waveforms.is_empty();
        Columns { extra_bytes: options.extra_bytes, colours: options.colours, waveforms }
    }

    /// Whether red, green and blue are standard fields; beside waveforms they are extra bytes.
    pub(super) fn has_rgb(&self) -> bool {
        self.colours && !self.waveforms
    }

    /// Bytes of the standard fields: point format 6, 7 with colours, or 9 with waveforms.
    fn standard_len(&self) -> usize {
        match (self.waveforms, self.colours) {
            (true, _) => POINT_LEN + WAVEFORM_LEN,
            (false, true) => POINT_LEN + RGB_LEN,
            (false, false) => POINT_LEN,
        }
    }

    /// The columns that are extra bytes.
    fn layout(&self, offset_m: [f64; 3], scale_m: f64) -> RowLayout {
        let mut layout = RowLayout::with_reserved(self.standard_len(), scale_m);
        if self.extra_bytes {
            self.push_extra(&mut layout, offset_m);
        }
        layout
    }

    fn push_extra(&self, layout: &mut RowLayout, offset_m: [f64; 3]) {
        let [x, y, z] = offset_m;
        for column in FILE_COLUMNS {
            match column.name {
                // Standard fields.
                "x_m" | "y_m" | "z_m" | "intensity" | "time_s" | "return_number"
                | "return_count" => {}
                // Follow from range and angles, and from origin and position.
                "sensor_x_m" | "sensor_y_m" | "sensor_z_m" => {}
                "direction_x" | "direction_y" | "direction_z" => {}
                "origin_x_m" => layout.push_as(column, column.name, Kind::I32, x),
                "origin_y_m" => layout.push_as(column, column.name, Kind::I32, y),
                "origin_z_m" => layout.push_as(column, column.name, Kind::I32, z),
                "true_x_m" => layout.push_as(column, column.name, Kind::I32, x),
                "true_y_m" => layout.push_as(column, column.name, Kind::I32, y),
                "true_z_m" => layout.push_as(column, column.name, Kind::I32, z),
                "red" | "green" | "blue" if self.has_rgb() || !self.colours => {}
                _ => layout.push(column),
            }
        }
    }
}

pub(super) fn las_failed(path: &Path, error: las::Error) -> CloudError {
    let error = match error {
        las::Error::Io(error) => error,
        other => io::Error::other(other.to_string()),
    };
    CloudError::write(path, error)
}
