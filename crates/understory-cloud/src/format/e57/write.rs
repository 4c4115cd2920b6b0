//! E57: one scan of the file for each scan of a sensor, with its pose.
//!
//! What enters: records, and for each scan its pose. What leaves: points in the frame of the sensor
//! at the start of the scan, as doubles, with intensity from 0 to 1, time, row (channel), column and
//! return, and colour where it is known. A pulse without a return is a point whose `cartesianInvalidState` is 1: its coordinates
//! are a direction. A scan without a pose has its points in the world's frame and no pose in the
//! file.
//!
//! `timeStamp` counts from `acquisitionStart`, the whole second before the start of the run.
//!
//! A scan can only be written when it is complete, and scans of several sensors overlap. Their rows
//! wait outside of the memory if they are many.

use crate::dropped_fields::{DroppedField, DroppedFields};
use crate::poses::Rigid;
use crate::sink::select_rows;
use crate::staging::StagedFile;
use crate::{CloudError, Misses, RecordSink, Records, SOFTWARE, ScanPose, SinkOptions, SinkReport};
use e57::{
    DateTime, E57Writer, IntensityLimits, Quaternion, Record, RecordDataType, RecordName,
    RecordValue, Transform, Translation,
};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::SpooledTempFile;

/// From 1970 to the beginning of GPS time in 1980, less the leap seconds since.
pub(crate) const UNIX_OF_GPS_S: i64 = 315_964_800 - 18;

/// Bytes of a waiting row.
const ROW_LEN: usize = 47;

/// Waiting rows take this much memory for each sensor before they move to a file.
const SPOOL_BYTES: usize = 1 << 24;

/// An origin farther from the scan's than this is one of its own.
const SAME_ORIGIN_M: f64 = 1e-3;

/// Writes one E57 file.
pub(crate) struct E57Sink {
    path: PathBuf,
    file: E57Writer<Shared>,
    staged: Shared,
    misses: Misses,
    colours: bool,
    start_unix_ns: i64,
    names: Vec<String>,
    /// Poses of scans that are not yet written.
    poses: BTreeMap<(u16, u32), Rigid>,
    open: BTreeMap<u16, Scan>,
    scans: u64,
    rows: u64,
    dropped_misses: u64,
    dropped_fields: DroppedFields,
    selected: Vec<usize>,
}

/// The file, which the writer of E57 takes and does not give back.
#[derive(Clone)]
struct Shared(Arc<Mutex<StagedFile>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, StagedFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Shared {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.lock().read(bytes)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.lock().seek(to)
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        self.lock().stream_position()
    }
}

/// A scan that is not yet complete.
struct Scan {
    number: u32,
    world_from_sensor: Option<Rigid>,
    rows: SpooledTempFile,
    bytes: Vec<u8>,
    count: u64,
    most: Most,
}

/// The largest numbers in a scan, for types that are just wide enough.
#[derive(Clone, Copy, Default)]
struct Most {
    row: u16,
    column: u32,
    return_index: u8,
    return_count: u8,
}

impl E57Sink {
    /// Opens a file.
    pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<E57Sink, CloudError> {
        let staged = Shared(Arc::new(Mutex::new(StagedFile::create(path)?)));
        // The same run gives the same bytes: no identifier is made from chance or the clock.
        let file =
            E57Writer::new(staged.clone(), "{understory}").map_err(|error| failed(path, &error))?;
        Ok(E57Sink {
            path: path.to_path_buf(),
            file,
            staged,
            misses: options.misses,
            colours: options.colours,
            start_unix_ns: options.start_unix_ns,
            names: options.sensors.iter().map(|sensor| sensor.name.clone()).collect(),
            poses: BTreeMap::new(),
            open: BTreeMap::new(),
            scans: 0,
            rows: 0,
            dropped_misses: 0,
            dropped_fields: DroppedFields::new(&[
                DroppedField::PulseNumbers,
                DroppedField::Labels,
                DroppedField::Objects,
                DroppedField::Truth,
                DroppedField::Photons,
            ]),
            selected: Vec::new(),
        })
    }

    /// Writes a complete scan.
    fn close(&mut self, sensor: u16, mut scan: Scan) -> Result<(), CloudError> {
        self.poses.retain(|&(of, number), _| of != sensor || number > scan.number);
        scan.flush()
            .and_then(|()| scan.rows.seek(SeekFrom::Start(0)).map(drop))
            .map_err(|e| CloudError::write(&self.path, e))?;
        let guid = format!("{{understory-{sensor}-{}}}", scan.number);
        let cloud = self.file.add_pointcloud(&guid, prototype(&scan.most, self.colours));
        let mut cloud = cloud.map_err(|error| failed(&self.path, &error))?;
        cloud.set_name(Some(format!("sensor {sensor} scan {}", scan.number)));
        cloud.set_sensor_model(self.names.get(usize::from(sensor)).cloned());
        cloud.set_sensor_sw_version(Some(SOFTWARE.to_owned()));
        cloud.set_transform(scan.world_from_sensor.map(transform));
        let start_s = self.start_unix_ns.div_euclid(1_000_000_000);
        cloud.set_acquisition_start(Some(DateTime {
            gps_time: (start_s - UNIX_OF_GPS_S) as f64,
            atomic_reference: false,
        }));
        cloud.set_intensity_limits(Some(IntensityLimits {
            intensity_min: Some(RecordValue::Single(0.0)),
            intensity_max: Some(RecordValue::Single(1.0)),
        }));
        let since_second_s = self.start_unix_ns.rem_euclid(1_000_000_000) as f64 * 1e-9;
        let mut bytes = vec![0; ROW_LEN * 4096];
        let mut left = scan.count;
        while left > 0 {
            let now = left.min(4096) as usize;
            let part = bytes.get_mut(..now * ROW_LEN).unwrap_or_default();
            scan.rows.read_exact(part).map_err(|e| CloudError::write(&self.path, e))?;
            for row in part.chunks_exact(ROW_LEN) {
                let point = values(row, since_second_s, self.colours);
                cloud.add_point(point).map_err(|e| failed(&self.path, &e))?;
            }
            left -= now as u64;
        }
        cloud.finalize().map_err(|error| failed(&self.path, &error))?;
        self.scans += 1;
        Ok(())
    }

    /// The scan of a row, made the open one of its sensor.
    fn scan(&mut self, sensor: u16, number: u32) -> Result<&mut Scan, CloudError> {
        let open = self.open.get(&sensor).map(|scan| scan.number);
        if let Some(previous) = open.filter(|&open| open > number) {
            return Err(CloudError::ScanOutOfOrder {
                path: self.path.clone(),
                sensor,
                scan: number,
                previous,
            });
        }
        if open.is_some_and(|open| open < number)
            && let Some(scan) = self.open.remove(&sensor)
        {
            self.close(sensor, scan)?;
        }
        let pose = self.poses.get(&(sensor, number)).copied();
        Ok(self.open.entry(sensor).or_insert_with(|| Scan {
            number,
            world_from_sensor: pose,
            rows: SpooledTempFile::new(SPOOL_BYTES),
            bytes: Vec::new(),
            count: 0,
            most: Most::default(),
        }))
    }
}

impl RecordSink for E57Sink {
    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        let rigid = Rigid::from_rows(&pose.world_from_sensor).ok_or(CloudError::BadPose)?;
        self.poses.insert((pose.sensor, pose.scan), rigid);
        Ok(())
    }

    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.dropped_fields.look(records);
        self.dropped_fields.count_bright(records);
        let mut selected = std::mem::take(&mut self.selected);
        self.dropped_misses += select_rows(records, self.misses, &mut selected);
        let mut rows = selected.as_slice();
        while let [first, ..] = rows {
            let of = |row: &usize| (records.sensor[*row], records.scan[*row]);
            let (sensor, number) = of(first);
            let same = rows.iter().take_while(|row| of(row) == (sensor, number)).count();
            let (now, later) = rows.split_at(same);
            rows = later;
            let path = self.path.clone();
            let scan = self.scan(sensor, number)?;
            let (mut written, mut dropped, mut own_origin) = (0, 0, false);
            for &row in now {
                match scan.put(records, row) {
                    Some(is_own) => {
                        own_origin |= is_own;
                        written += 1;
                    }
                    None => dropped += 1,
                }
                if scan.bytes.len() >= 1 << 16 {
                    scan.flush().map_err(|e| CloudError::write(&path, e))?;
                }
            }
            self.rows += written;
            self.dropped_misses += dropped;
            if own_origin {
                self.dropped_fields.note(DroppedField::Origins);
            }
        }
        self.selected = selected;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        while let Some((sensor, scan)) = self.open.pop_first() {
            self.close(sensor, scan)?;
        }
        self.file.finalize().map_err(|error| failed(&self.path, &error))?;
        let dropped_fields = self.dropped_fields.words();
        let E57Sink { path, file, staged, rows, dropped_misses, .. } = *self;
        drop(file);
        let staged = Arc::into_inner(staged.0).and_then(|staged| staged.into_inner().ok());
        let lost = || CloudError::write(&path, io::Error::other("its writer is still at work"));
        let staged = staged.ok_or_else(lost)?;
        Ok(SinkReport { paths: vec![staged.publish()?], rows, dropped_misses, dropped_fields })
    }
}

impl Scan {
    /// Lets a row wait; `None` if nothing can be said of it, else whether its beam has an origin of
    /// its own.
    fn put(&mut self, records: &Records, row: usize) -> Option<bool> {
        let is_miss = records.is_miss(row);
        let origin = DVec3::from(records.origin_xyz_m[row]);
        let pose = self.world_from_sensor;
        let local = if is_miss {
            let along = DVec3::from(records.direction_xyz[row].map(f64::from));
            pose.map_or(along, |pose| pose.rotation.transpose() * along)
        } else {
            let at = DVec3::from(records.world_xyz_m[row]);
            pose.map_or(at, |pose| pose.rotation.transpose() * (at - pose.translation))
        };
        if !local.is_finite() {
            return None;
        }
        let (channel, column) = (records.channel[row], records.column[row]);
        let (number, count) = (records.return_number[row], records.return_count[row]);
        self.most.row = self.most.row.max(channel);
        self.most.column = self.most.column.max(column);
        self.most.return_index = self.most.return_index.max(number.saturating_sub(1));
        self.most.return_count = self.most.return_count.max(count);
        let bytes = &mut self.bytes;
        local.to_array().iter().for_each(|c| bytes.extend_from_slice(&c.to_le_bytes()));
        bytes.extend_from_slice(&records.time_s[row].to_le_bytes());
        bytes.extend_from_slice(&records.intensity[row].to_le_bytes());
        bytes.extend_from_slice(&column.to_le_bytes());
        bytes.extend_from_slice(&channel.to_le_bytes());
        bytes.extend_from_slice(&[number, count]);
        bytes.extend_from_slice(&records.colour_rgb[row]);
        self.count += 1;
        Some(match pose {
            Some(pose) => origin.distance(pose.translation) > SAME_ORIGIN_M,
            None => origin.is_finite(),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.rows.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

/// The fields of a point, as [`values`] fills them.
fn prototype(most: &Most, colours: bool) -> Vec<Record> {
    let whole = |max: u32| RecordDataType::Integer { min: 0, max: i64::from(max.max(1)) };
    let flag = RecordDataType::Integer { min: 0, max: 1 };
    let double = RecordDataType::Double { min: None, max: None };
    let byte = RecordDataType::Integer { min: 0, max: 255 };
    let colour = [RecordName::ColorRed, RecordName::ColorGreen, RecordName::ColorBlue]
        .map(|name| (name, byte.clone()));
    [
        (RecordName::CartesianX, double.clone()),
        (RecordName::CartesianY, double.clone()),
        (RecordName::CartesianZ, double.clone()),
        (RecordName::CartesianInvalidState, RecordDataType::Integer { min: 0, max: 2 }),
        (RecordName::Intensity, RecordDataType::Single { min: None, max: None }),
        (RecordName::IsIntensityInvalid, flag.clone()),
        (RecordName::TimeStamp, double),
        (RecordName::IsTimeStampInvalid, flag),
        (RecordName::RowIndex, whole(most.row.into())),
        (RecordName::ColumnIndex, whole(most.column)),
        (RecordName::ReturnIndex, whole(most.return_index.into())),
        (RecordName::ReturnCount, whole(most.return_count.into())),
    ]
    .into_iter()
    .chain(colour.into_iter().filter(|_| colours))
    .map(|(name, data_type)| Record { name, data_type })
    .collect()
}

/// A waiting row as a point.
fn values(row: &[u8], since_second_s: f64, colours: bool) -> Vec<RecordValue> {
    fn at<const N: usize>(row: &[u8], from: usize) -> [u8; N] {
        row.get(from..from + N).and_then(|b| b.try_into().ok()).unwrap_or([0; N])
    }
    let double = |from| f64::from_le_bytes(at(row, from));
    let whole = |n: u32| RecordValue::Integer(i64::from(n));
    let time_s = double(24);
    let intensity = f32::from_le_bytes(at(row, 32));
    let [number, count] = at(row, 42);
    let is_miss = number == 0;
    let mut values = vec![
        RecordValue::Double(double(0)),
        RecordValue::Double(double(8)),
        RecordValue::Double(double(16)),
        whole(u32::from(is_miss)),
        RecordValue::Single(if intensity.is_finite() { intensity.clamp(0.0, 1.0) } else { 0.0 }),
        whole(u32::from(!intensity.is_finite())),
        RecordValue::Double(if time_s.is_finite() { time_s + since_second_s } else { 0.0 }),
        whole(u32::from(!time_s.is_finite())),
        whole(u16::from_le_bytes(at(row, 40)).into()),
        whole(u32::from_le_bytes(at(row, 36))),
        whole(number.saturating_sub(1).into()),
        whole(count.into()),
    ];
    if colours {
        values.extend(at::<3>(row, 44).map(|value| whole(value.into())));
    }
    values
}

/// A pose as E57 has it.
fn transform(pose: Rigid) -> Transform {
    let mut q = DQuat::from_mat3(&pose.rotation).normalize();
    if q.w < 0.0 {
        q = -q;
    }
    let t = pose.translation;
    Transform {
        rotation: Quaternion { w: q.w, x: q.x, y: q.y, z: q.z },
        translation: Translation { x: t.x, y: t.y, z: t.z },
    }
}

/// An error of the operating system as such, others in words.
fn failed(path: &Path, error: &e57::Error) -> CloudError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            let error = match io.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(io.kind(), io.to_string()),
            };
            return CloudError::write(path, error);
        }
        source = inner.source();
    }
    CloudError::write(path, io::Error::other(error.to_string()))
}
