//! KITTI sequences: a folder with `velodyne/*.bin`, and `poses.txt`, `calib.txt`, `times.txt` and
//! SemanticKITTI's `labels/` where they exist; or one `.bin` alone.
//!
//! Poses of KITTI are a camera's. `Tr` of `calib.txt` leads from the lidar to the camera, and the
//! world is the lidar's frame at the first pose's origin: `Tr⁻¹ · pose · Tr`, as SemanticKITTI has
//! it. A line of `poses.txt` belongs to each scan in the order of their names.
//!
//! A scan that is the same as an earlier one to the last byte is a copy by mistake: it is left out
//! and its points are counted.

use crate::error::damaged;
use crate::format::fixed_rows::{FixedTable, Rows, Scalar};
use crate::format::table::{BLOCK_ROWS, Block, Opened, Source, Table, TableFacts};
use crate::poses::{Poses, Rigid, read_poses};
use crate::text_lines::each_line;
use crate::{CloudError, ColumnSummary, OutputFormat, ReadOptions, ScanPose};
use glam::DVec3;
use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Bytes of a point, and of its label.
const POINT_LEN: u64 = 16;
const LABEL_LEN: u64 = 4;

const COLUMNS: [&str; 15] = [
    "x_m",
    "y_m",
    "z_m",
    "intensity",
    "scan",
    "sensor",
    "time_s",
    "sensor_x_m",
    "sensor_y_m",
    "sensor_z_m",
    "origin_x_m",
    "origin_y_m",
    "origin_z_m",
    "label",
    "object",
];

/// Opens one `.bin` file: points in the sensor's frame.
pub(crate) fn bin(path: &Path, _options: &ReadOptions) -> Result<Opened, CloudError> {
    let source = Source::open(path)?;
    let points = count(path, source.bytes)?;
    let mut rows = Rows::default();
    ["x", "y", "z", "remission"].into_iter().for_each(|name| rows.push(name, Scalar::F32));
    let mut facts = source.facts(OutputFormat::Kitti, "KITTI points".to_owned());
    facts.rows = Some(points);
    facts.scans = Some(1);
    facts.holds_misses = false;
    facts.in_sensor_frame = true;
    let table = FixedTable {
        path: source.path,
        format: "KITTI",
        rows,
        left: points,
        source: Box::new(source.reader),
        bytes: Vec::new(),
    };
    Ok(Opened { table: Box::new(table), facts })
}

/// Points in a file of so many bytes.
fn count(path: &Path, bytes: u64) -> Result<u64, CloudError> {
    if !bytes.is_multiple_of(POINT_LEN) {
        let what = format!("its {bytes} bytes are no whole number of points of 16 bytes");
        return Err(damaged(path, "KITTI", what));
    }
    Ok(bytes / POINT_LEN)
}

/// One scan of a sequence.
struct Scan {
    path: PathBuf,
    labels: Option<PathBuf>,
    points: u64,
    time_s: f64,
    pose: ScanPose,
    world_from_sensor: Rigid,
}

/// The scans of a folder, one after another.
struct KittiTable {
    scans: Vec<Scan>,
    poses: Vec<ScanPose>,
    has: Has,
    next: usize,
    open: Option<Open>,
    seen: BTreeSet<(u64, u64)>,
    duplicated_rows: u64,
}

/// Which optional files all sequences of the folder have.
#[derive(Clone, Copy)]
struct Has {
    poses: bool,
    times: bool,
    labels: bool,
}

/// The scan that is being read.
struct Open {
    points: BufReader<File>,
    labels: Option<BufReader<File>>,
    left: u64,
}

/// Opens a folder: all scans of its first sensor and of the folders `sensor_…` in it.
pub(crate) fn folder(path: &Path, options: &ReadOptions) -> Result<Opened, CloudError> {
    let mut folders = vec![(0, path.to_path_buf())];
    folders.extend(sorted_entries(path)?.into_iter().filter_map(|p| {
        let name = p.file_name()?.to_string_lossy().into_owned();
        let number = name.strip_prefix("sensor_")?.parse::<u16>().ok()?;
        p.is_dir().then_some((number, p))
    }));
    let mut scans = Vec::new();
    let mut has = Has { poses: true, times: true, labels: true };
    for (sensor, folder) in folders {
        if folder.join("velodyne").is_dir() {
            sequence(&folder, sensor, options, &mut scans, &mut has)?;
        }
    }
    if scans.is_empty() {
        return Err(damaged(path, "KITTI", "it has no folder velodyne with .bin files"));
    }
    let bytes = scans.iter().map(|scan| scan.points * POINT_LEN).sum();
    let times = || scans.iter().map(|scan| scan.time_s).filter(|t| t.is_finite());
    let first = times().fold(f64::INFINITY, f64::min);
    let version = match has.poses {
        true => "KITTI sequence with poses",
        false => "KITTI sequence, points in the sensor's frame",
    };
    let facts = TableFacts {
        rows: Some(scans.iter().map(|scan| scan.points).sum()),
        scans: Some(scans.len() as u64),
        time_span_s: first.is_finite().then(|| [first, times().fold(first, f64::max)]),
        holds_misses: false,
        in_sensor_frame: !has.poses,
        ..TableFacts::new(OutputFormat::Kitti, version.to_owned(), bytes)
    };
    let poses = if has.poses { scans.iter().map(|scan| scan.pose).collect() } else { Vec::new() };
    let table = KittiTable {
        scans,
        poses,
        has,
        next: 0,
        open: None,
        seen: BTreeSet::new(),
        duplicated_rows: 0,
    };
    Ok(Opened { table: Box::new(table), facts })
}

/// Collects the scans of one sensor.
fn sequence(
    folder: &Path,
    sensor: u16,
    options: &ReadOptions,
    scans: &mut Vec<Scan>,
    has: &mut Has,
) -> Result<(), CloudError> {
    let mut bins = sorted_entries(&folder.join("velodyne"))?;
    bins.retain(|bin| bin.extension().is_some_and(|e| e.eq_ignore_ascii_case("bin")));
    let times = times(&folder.join("times.txt"))?;
    let poses = scan_poses(folder, options, &times)?;
    let fits = |what: &str, found: usize| {
        let what = format!("its {what} has {found} lines for {} scans", bins.len());
        (found == bins.len()).then_some(()).ok_or_else(|| damaged(folder, "KITTI", what))
    };
    times.as_ref().map_or(Ok(()), |times| fits("times.txt", times.len()))?;
    poses.as_ref().map_or(Ok(()), |poses| fits("poses.txt", poses.len()))?;
    has.poses &= poses.is_some() || bins.is_empty();
    has.times &= times.is_some() || bins.is_empty();
    for (i, path) in bins.into_iter().enumerate() {
        let bytes = std::fs::metadata(&path).map_err(|e| CloudError::read(&path, e))?.len();
        let points = count(&path, bytes)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let labels = folder.join("labels").join(format!("{stem}.label"));
        let labels = labels.is_file().then_some(labels);
        has.labels &= labels.is_some();
        if let Some(labels) = &labels {
            let bytes = std::fs::metadata(labels).map_err(|e| CloudError::read(labels, e))?.len();
            if bytes != points * LABEL_LEN {
                let what = format!("it has {bytes} bytes, but its scan has {points} points");
                return Err(damaged(labels, "SemanticKITTI", what));
            }
        }
        let time_s = times.as_ref().and_then(|t| t.get(i)).copied().unwrap_or(f64::NAN);
        let world_from_sensor =
            poses.as_ref().and_then(|p| p.get(i)).copied().unwrap_or(Rigid::IDENTITY);
        let pose = ScanPose {
            sensor,
            scan: stem.parse().unwrap_or(i as u32),
            time_s,
            world_from_sensor: world_from_sensor.to_rows(),
        };
        scans.push(Scan { path, labels, points, time_s, pose, world_from_sensor });
    }
    Ok(())
}

/// The lidar's pose at each scan: what the caller says, or `poses.txt` with `calib.txt`.
fn scan_poses(
    folder: &Path,
    options: &ReadOptions,
    times: &Option<Vec<f64>>,
) -> Result<Option<Vec<Rigid>>, CloudError> {
    let own = folder.join("poses.txt");
    let path = match &options.trajectory {
        Some(path) => path.clone(),
        None if own.is_file() => own,
        None => return Ok(None),
    };
    let length = std::fs::metadata(&path).map_err(|e| CloudError::read(&path, e))?.len();
    if length == 0 && options.trajectory.is_none() {
        return Ok(Some(Vec::new()));
    }
    let lidar_from_sensor = options.mount()?;
    match read_poses(&path, 1.0)? {
        Poses::PerScan(poses) => {
            let camera_from_lidar = calibration(&folder.join("calib.txt"))?;
            let lidar_from_camera = camera_from_lidar.inverse();
            let place = |pose: Rigid| {
                let lidar = lidar_from_camera.after(&pose.after(&camera_from_lidar));
                lidar.after(&lidar_from_sensor)
            };
            Ok(Some(poses.into_iter().map(place).collect()))
        }
        Poses::OverTime(trajectory) => {
            let Some(times) = times else {
                let what = "it has no times.txt, without which a trajectory says nothing";
                return Err(damaged(folder, "KITTI", what));
            };
            let mut near = 0;
            let place = |&time_s: &f64| {
                let pose = trajectory.at(time_s, &mut near);
                pose.map(|pose| pose.after(&lidar_from_sensor)).ok_or_else(|| {
                    CloudError::OutsideTrajectory {
                        path: folder.to_path_buf(),
                        trajectory: path.clone(),
                        times_s: [time_s; 2],
                        span_s: trajectory.span_s(),
                    }
                })
            };
            times.iter().map(place).collect::<Result<Vec<_>, _>>().map(Some)
        }
    }
}

/// `Tr` of a `calib.txt`; the identity without one.
pub(crate) fn calibration(path: &Path) -> Result<Rigid, CloudError> {
    let Ok(file) = File::open(path) else { return Ok(Rigid::IDENTITY) };
    let mut found = Rigid::IDENTITY;
    let read = each_line(BufReader::new(file), |line, text| {
        let Some((name, numbers)) = text.split_once(':') else { return Ok(()) };
        if !matches!(name.trim(), "Tr" | "Tr_velo_to_cam") {
            return Ok(());
        }
        let numbers: Vec<f64> = numbers.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        let row = |i: usize| -> [f64; 4] {
            std::array::from_fn(|j| numbers.get(4 * i + j).copied().unwrap_or(f64::NAN))
        };
        match Rigid::from_rows(&[row(0), row(1), row(2)]) {
            Some(pose) if numbers.len() == 12 => {
                found = pose;
                Ok(())
            }
            _ => Err(damaged(path, "KITTI", format!("line {line} is no rotation and translation"))),
        }
    });
    read.map_err(|e| damaged(path, "KITTI", e.to_string()))??;
    Ok(found)
}

/// The times of a `times.txt`, if there is one.
pub(crate) fn times(path: &Path) -> Result<Option<Vec<f64>>, CloudError> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let mut times = Vec::new();
    let read = each_line(BufReader::new(file), |line, text| {
        if !text.trim().is_empty() {
            let time = text.trim().parse::<f64>();
            times
                .push(time.map_err(|_| damaged(path, "KITTI", format!("line {line} is no time")))?);
        }
        Ok(())
    });
    read.map_err(|e| damaged(path, "KITTI", e.to_string()))??;
    Ok(Some(times))
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, CloudError> {
    let failed = |e| CloudError::read(folder, e);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

impl KittiTable {
    /// Opens the next scan that is no copy of an earlier one; false at the end.
    fn open_next(&mut self) -> Result<bool, CloudError> {
        while let Some(scan) = self.scans.get(self.next) {
            self.next += 1;
            if scan.points == 0 {
                continue;
            }
            let failed = |e| CloudError::read(&scan.path, e);
            let mut file = File::open(&scan.path).map_err(failed)?;
            let mut hasher = DefaultHasher::new();
            let mut bytes = vec![0; 1 << 16];
            loop {
                let read = understory_base::read_some(&mut file, &mut bytes).map_err(failed)?;
                if read == 0 {
                    break;
                }
                hasher.write(bytes.get(..read).unwrap_or_default());
            }
            if !self.seen.insert((scan.points, hasher.finish())) {
                self.duplicated_rows += scan.points;
                continue;
            }
            let points = BufReader::new(File::open(&scan.path).map_err(failed)?);
            let labels = match &scan.labels {
                Some(path) if self.has.labels => {
                    Some(BufReader::new(File::open(path).map_err(|e| CloudError::read(path, e))?))
                }
                _ => None,
            };
            self.open = Some(Open { points, labels, left: scan.points });
            return Ok(true);
        }
        Ok(false)
    }
}

impl Table for KittiTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let kind = |name: &str| match name {
            "scan" => "u32",
            "sensor" | "label" | "object" => "u16",
            name if name.starts_with("sensor_") || name == "intensity" => "f32",
            _ => "f64",
        };
        let has = |name: &&&str| match **name {
            "time_s" => self.has.times,
            "label" | "object" => self.has.labels,
            name if name.starts_with("origin_") || name.starts_with("sensor_") => self.has.poses,
            _ => true,
        };
        let summary =
            |name: &&str| ColumnSummary { name: (*name).to_owned(), kind: kind(name).to_owned() };
        COLUMNS.iter().filter(has).map(summary).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        let columns = self.columns();
        let names: Vec<&str> =
            wanted.iter().map(|&i| columns.get(i).map_or("", |c| c.name.as_str())).collect();
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        if self.open.is_none() && !self.open_next()? {
            return Ok(0);
        }
        let (Some(open), Some(scan)) = (&mut self.open, self.scans.get(self.next - 1)) else {
            return Ok(0);
        };
        let now = open.left.min(BLOCK_ROWS as u64) as usize;
        let mut points = vec![0; now * POINT_LEN as usize];
        let mut labels = vec![0; now * LABEL_LEN as usize];
        let failed = |e| CloudError::read(&scan.path, e);
        open.points.read_exact(&mut points).map_err(failed)?;
        if let Some(reader) = &mut open.labels {
            reader.read_exact(&mut labels).map_err(failed)?;
        }
        open.left -= now as u64;
        if open.left == 0 {
            self.open = None;
        }
        let number = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).unwrap_or_default();
        let origin = scan.world_from_sensor.translation;
        for (point, label) in points.chunks_exact(16).zip(labels.chunks_exact(4)) {
            let at = |i: usize| f64::from(f32::from_le_bytes(number(&point[4 * i..4 * i + 4])));
            let sensor = DVec3::new(at(0), at(1), at(2));
            let world = scan.world_from_sensor.point(sensor);
            let label = u32::from_le_bytes(number(label));
            for (values, name) in block.iter_mut().zip(&names) {
                values.push(match *name {
                    "x_m" => world.x,
                    "y_m" => world.y,
                    "z_m" => world.z,
                    "intensity" => at(3),
                    "scan" => f64::from(scan.pose.scan),
                    "sensor" => f64::from(scan.pose.sensor),
                    "time_s" => scan.time_s,
                    "sensor_x_m" => sensor.x,
                    "sensor_y_m" => sensor.y,
                    "sensor_z_m" => sensor.z,
                    "origin_x_m" => origin.x,
                    "origin_y_m" => origin.y,
                    "origin_z_m" => origin.z,
                    "label" => f64::from(label & 0xffff),
                    "object" => f64::from(label >> 16),
                    _ => f64::NAN,
                });
            }
        }
        Ok(now)
    }

    fn scan_poses(&self) -> &[ScanPose] {
        &self.poses
    }

    fn duplicated_rows(&self) -> u64 {
        self.duplicated_rows
    }
}
