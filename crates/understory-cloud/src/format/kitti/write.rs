//! A KITTI sequence: a folder with one `.bin` and one `.label` per scan.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `velodyne/000000.bin` | per return x, y, z in the sensor's frame at firing, and intensity, as 32-bit floats |
//! | `labels/000000.label` | per return a 32-bit integer as in SemanticKITTI: label in the low half, instance in the high |
//! | `poses.txt` | per scan the 12 numbers of `world_from_sensor` of the lidar, row by row |
//! | `times.txt` | per scan the time of that pose in seconds since the start of the run |
//! | `calib.txt` | identities, because the poses are already the lidar's own and not a camera's |
//!
//! The instance is the object's number; beyond 65535 it starts again at 1, so that 0 stays "none".
//! Files are named after the scan's number in the run. Sensor 0 is at the top of the folder, sensor
//! 3 in `sensor_03/`. Pulses without a return cannot be represented and are skipped.

use crate::dropped_fields::{DroppedField, DroppedFields};
use crate::staging::StagedFolder;
use crate::{CloudError, CostlyColumns, RecordSink, Records, ScanPose, SinkReport};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes one KITTI folder.
pub(crate) struct KittiSink {
    folder: StagedFolder,
    sequences: BTreeMap<u16, Sequence>,
    rows: u64,
    dropped_misses: u64,
    dropped_fields: DroppedFields,
}

/// The scans of one sensor.
struct Sequence {
    folder: PathBuf,
    poses: BufWriter<File>,
    times: BufWriter<File>,
    first_scan: u32,
    last_scan: u32,
    open: Option<Scan>,
}

/// The scan that is being written.
struct Scan {
    number: u32,
    points: BufWriter<File>,
    labels: BufWriter<File>,
}

impl KittiSink {
    /// Opens a folder.
    pub(crate) fn create(path: &Path) -> Result<KittiSink, CloudError> {
        Ok(KittiSink {
            folder: StagedFolder::create(path, is_ours)?,
            sequences: BTreeMap::new(),
            rows: 0,
            dropped_misses: 0,
            dropped_fields: DroppedFields::new(&[
                DroppedField::ReturnNumbers,
                DroppedField::TimesWithinScan,
                DroppedField::PulseNumbers,
                DroppedField::Channels,
                DroppedField::Columns,
                DroppedField::Origins,
                DroppedField::Truth,
                DroppedField::Photons,
                DroppedField::Colours,
            ]),
        })
    }

    fn failed(&self, error: io::Error) -> CloudError {
        CloudError::write(self.folder.target(), error)
    }
}

/// Whether a name at the top of a folder is one that this writer gives.
fn is_ours(name: &str) -> bool {
    matches!(name, "velodyne" | "labels" | "poses.txt" | "times.txt" | "calib.txt")
        || name.strip_prefix("sensor_").is_some_and(|n| n.parse::<u16>().is_ok())
}

/// Number of an object as SemanticKITTI's instance: 0 stays 0, the rest repeats from 1 to 65535.
fn instance(object: u32) -> u32 {
    if object == 0 { 0 } else { (object - 1) % 65_535 + 1 }
}

impl RecordSink for KittiSink {
    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        let out_of_order = |previous| CloudError::ScanOutOfOrder {
            path: self.folder.target().to_path_buf(),
            sensor: pose.sensor,
            scan: pose.scan,
            previous,
        };
        if let Some(sequence) = self.sequences.get(&pose.sensor)
            && sequence.last_scan.checked_add(1) != Some(pose.scan)
        {
            return Err(out_of_order(sequence.last_scan));
        }
        if let Some(sequence) = self.sequences.get_mut(&pose.sensor) {
            sequence.last_scan = pose.scan;
        } else {
            let sequence = Sequence::create(self.folder.path(), pose.sensor, pose.scan)
                .map_err(|e| self.failed(e))?;
            self.sequences.insert(pose.sensor, sequence);
        }
        let written = match self.sequences.get_mut(&pose.sensor) {
            Some(sequence) => sequence.put_pose(pose),
            None => Ok(()),
        };
        written.map_err(|e| self.failed(e))
    }

    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.dropped_fields.look(records);
        for row in 0..records.len() {
            if records.return_number[row] == 0 {
                self.dropped_misses += 1;
                continue;
            }
            let (sensor, number) = (records.sensor[row], records.scan[row]);
            let path = || self.folder.target().to_path_buf();
            let without_pose =
                || CloudError::ScanWithoutPose { path: path(), sensor, scan: number };
            let sequence = self.sequences.get_mut(&sensor).ok_or_else(without_pose)?;
            if number < sequence.first_scan || number > sequence.last_scan {
                return Err(without_pose());
            }
            if let Some(open) = &sequence.open
                && open.number > number
            {
                let previous = open.number;
                return Err(CloudError::ScanOutOfOrder {
                    path: path(),
                    sensor,
                    scan: number,
                    previous,
                });
            }
            let label = u32::from(records.label[row]) | instance(records.object[row]) << 16;
            let [x, y, z] = records.sensor_xyz_m[row];
            sequence
                .put_point(number, [x, y, z, records.intensity[row]], label)
                .map_err(|e| CloudError::write(self.folder.target(), e))?;
            self.rows += 1;
        }
        Ok(())
    }

    fn reads(&self) -> CostlyColumns {
        CostlyColumns::NONE
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        let mut closed = Ok(());
        for sequence in self.sequences.values_mut() {
            closed = closed.and_then(|()| sequence.close());
        }
        closed.map_err(|e| self.failed(e))?;
        Ok(SinkReport {
            paths: vec![self.folder.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            dropped_fields: self.dropped_fields.words(),
        })
    }
}

impl Sequence {
    fn create(top: &Path, sensor: u16, scan: u32) -> io::Result<Sequence> {
        let folder =
            if sensor == 0 { top.to_path_buf() } else { top.join(format!("sensor_{sensor:02}")) };
        fs::create_dir_all(folder.join("velodyne"))?;
        fs::create_dir_all(folder.join("labels"))?;
        let identity = "1 0 0 0 0 1 0 0 0 0 1 0";
        let names = ["P0", "P1", "P2", "P3", "Tr"];
        let calib: String = names.map(|name| format!("{name}: {identity}\n")).concat();
        fs::write(folder.join("calib.txt"), calib)?;
        Ok(Sequence {
            poses: BufWriter::new(File::create(folder.join("poses.txt"))?),
            times: BufWriter::new(File::create(folder.join("times.txt"))?),
            folder,
            first_scan: scan,
            last_scan: scan,
            open: None,
        })
    }

    fn names(&self, scan: u32) -> [PathBuf; 2] {
        [
            self.folder.join(format!("velodyne/{scan:06}.bin")),
            self.folder.join(format!("labels/{scan:06}.label")),
        ]
    }

    /// Writes the pose's lines and makes the scan's files, which stay empty if nothing returns.
    fn put_pose(&mut self, pose: &ScanPose) -> io::Result<()> {
        let numbers = pose.world_from_sensor.as_flattened().iter().map(f64::to_string);
        writeln!(self.poses, "{}", numbers.collect::<Vec<_>>().join(" "))?;
        writeln!(self.times, "{}", pose.time_s)?;
        for name in self.names(pose.scan) {
            File::create(name)?;
        }
        Ok(())
    }

    fn put_point(&mut self, number: u32, point: [f32; 4], label: u32) -> io::Result<()> {
        if self.open.as_ref().is_none_or(|open| open.number != number) {
            self.close_scan()?;
            let append = |name| OpenOptions::new().append(true).open(name).map(BufWriter::new);
            let [points, labels] = self.names(number).map(append);
            self.open = Some(Scan { number, points: points?, labels: labels? });
        }
        if let Some(open) = &mut self.open {
            let mut bytes = [0; 16];
            for (bytes, value) in bytes.chunks_exact_mut(4).zip(point) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
            open.points.write_all(&bytes)?;
            open.labels.write_all(&label.to_le_bytes())?;
        }
        Ok(())
    }

    fn close_scan(&mut self) -> io::Result<()> {
        if let Some(mut open) = self.open.take() {
            open.points.flush()?;
            open.labels.flush()?;
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.close_scan()?;
        self.poses.flush()?;
        self.times.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_wrap_to_one_and_never_to_none() {
        assert_eq!(
            [0, 1, 65_535, 65_536, 131_070, 131_071].map(instance),
            [0, 1, 65_535, 1, 65_535, 1]
        );
    }

    #[test]
    fn only_our_own_names_may_be_replaced() {
        assert!(is_ours("velodyne") && is_ours("sensor_03") && is_ours("poses.txt"));
        assert!(!is_ours("sensor_") && !is_ours("image_2") && !is_ours(".git"));
    }
}
