//! What is in a recording, from its header alone.
//!
//! What enters: a path. What leaves: [`RecordingInfo`]. At most the first 64 KiB of a file are
//! read (a CSV file is read through, line by line). What a header promises is compared with the
//! size of the file, never believed.

use crate::{CloudError, OutputFormat};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// How much of a file may be its header.
const HEADER_MAX: u64 = 1 << 16;

/// What a recording says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingInfo {
    /// The format.
    pub format: OutputFormat,
    /// Rows: points, returns or pulses.
    pub rows: u64,
    /// Names of the columns, where the header has them.
    pub columns: Vec<String>,
    /// Smallest and largest coordinates, where the header has them.
    pub bounds_m: Option<[[f64; 3]; 2]>,
    /// What else there is to say, as a name and a value.
    pub details: Vec<(&'static str, String)>,
    /// Size of the file or of all files of the folder.
    pub bytes: u64,
}

/// Looks into a file or a KITTI folder that Understory or another program wrote.
///
/// ```
/// use understory_cloud::{OutputFormat, Records, SinkOptions, inspect, open_sink};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("points.ply");
/// open_sink(&path, OutputFormat::Ply, &SinkOptions::default())?.finish()?;
/// assert_eq!(inspect(&path)?.rows, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inspect(path: &Path) -> Result<RecordingInfo, CloudError> {
    let failed = |error| CloudError::Read { path: path.to_path_buf(), error };
    let format = OutputFormat::from_path(path)?;
    if format == OutputFormat::Kitti {
        return kitti(path);
    }
    let file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut head = Vec::new();
    file.take(HEADER_MAX).read_to_end(&mut head).map_err(failed)?;
    let found = match format {
        OutputFormat::Las | OutputFormat::Laz => las(&head, format == OutputFormat::Las, bytes),
        OutputFormat::Ply => ply(&head),
        OutputFormat::Pcd => pcd(&head, bytes),
        OutputFormat::Npy => npy(&head),
        OutputFormat::Csv | OutputFormat::Kitti => return csv(path, bytes),
    };
    let damaged =
        |what| CloudError::Damaged { path: path.to_path_buf(), format: format.name(), what };
    found.map(|found| RecordingInfo { format, bytes, ..found }).map_err(damaged)
}

/// An empty account, to be completed.
fn blank(rows: u64) -> RecordingInfo {
    let (columns, details) = (Vec::new(), Vec::new());
    RecordingInfo { format: OutputFormat::Csv, rows, columns, bounds_m: None, details, bytes: 0 }
}

/// LAS 1.0 to 1.4: a block of little-endian numbers at fixed places.
fn las(head: &[u8], plain: bool, file_bytes: u64) -> Result<RecordingInfo, String> {
    let short = || "its header ends too early".to_owned();
    let at = |place: usize, size: usize| head.get(place..place + size).ok_or_else(short);
    let number = |place: usize, size: usize| -> Result<u64, String> {
        Ok(at(place, size)?.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    let float = |place: usize| number(place, 8).map(f64::from_bits);
    if at(0, 4)? != b"LASF" {
        return Err("it does not begin with LASF".to_owned());
    }
    let (major, minor) = (number(24, 1)?, number(25, 1)?);
    let rows = if (major, minor) >= (1, 4) { number(247, 8)? } else { number(107, 4)? };
    let (offset, row_bytes) = (number(96, 4)?, number(105, 2)?);
    let needed = rows.saturating_mul(row_bytes).saturating_add(offset);
    if plain && needed > file_bytes {
        return Err(format!(
            "it promises {rows} points, which need {needed} bytes, and has {file_bytes}"
        ));
    }
    let [high, low] = [179, 187].map(|first| [0, 16, 32].map(|axis| float(first + axis)));
    let all = |values: [Result<f64, String>; 3]| -> Result<[f64; 3], String> {
        let [x, y, z] = values;
        Ok([x?, y?, z?])
    };
    let text = |place: usize, size: usize| -> Result<String, String> {
        Ok(String::from_utf8_lossy(at(place, size)?).trim_end_matches('\0').trim().to_owned())
    };
    Ok(RecordingInfo {
        bounds_m: (rows > 0).then_some([all(low)?, all(high)?]),
        details: vec![
            ("version", format!("{major}.{minor}")),
            ("point format", (number(104, 1)? & 0x3f).to_string()),
            ("bytes per point", row_bytes.to_string()),
            ("scale", format!("{} m", float(131)?)),
            ("written by", text(58, 32)?),
        ],
        ..blank(rows)
    })
}

/// PLY: lines of text up to `end_header`.
fn ply(head: &[u8]) -> Result<RecordingInfo, String> {
    let lines = text_lines(head, "end_header")?;
    if lines.first().map(String::as_str) != Some("ply") {
        return Err("it does not begin with ply".to_owned());
    }
    let mut info = blank(0);
    let mut of_vertices = false;
    for line in &lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["format", kind, version] => {
                info.details.push(("encoding", format!("{kind} {version}")))
            }
            ["element", name, count] => {
                of_vertices = name == "vertex";
                let count: u64 = count.parse().map_err(|_| format!("{count:?} is no count"))?;
                if of_vertices {
                    info.rows = count;
                } else if name == "face" {
                    info.details.push(("faces", count.to_string()));
                }
            }
            ["property", .., name] if of_vertices => info.columns.push(name.to_owned()),
            _ => {}
        }
    }
    Ok(info)
}

/// PCD: lines of text up to `DATA`.
fn pcd(head: &[u8], file_bytes: u64) -> Result<RecordingInfo, String> {
    let lines = text_lines(head, "DATA")?;
    let value = |key: &str| {
        let of_key = |line: &String| {
            line.split_once(' ').filter(|(name, _)| *name == key).map(|(_, rest)| rest.to_owned())
        };
        lines.iter().find_map(of_key).ok_or_else(|| format!("its header has no {key}"))
    };
    let count = |text: String| text.trim().parse().map_err(|_| format!("{text:?} is no count"));
    let rows: u64 = count(value("POINTS")?)?;
    let data = value("DATA")?;
    let sizes = value("SIZE")?;
    let row_bytes: u64 = sizes.split_whitespace().filter_map(|size| size.parse::<u64>().ok()).sum();
    let needed = rows.saturating_mul(row_bytes);
    if data.trim() == "binary" && needed > file_bytes {
        return Err(format!(
            "it promises {rows} points, which need {needed} bytes, and has {file_bytes}"
        ));
    }
    Ok(RecordingInfo {
        columns: value("FIELDS")?.split_whitespace().map(str::to_owned).collect(),
        details: vec![("version", value("VERSION")?), ("data", data)],
        ..blank(rows)
    })
}

/// NPY: a magic number, a length and a Python dictionary as text.
fn npy(head: &[u8]) -> Result<RecordingInfo, String> {
    let start = if head.get(6) == Some(&1) { 10 } else { 12 };
    if head.get(..6) != Some(b"\x93NUMPY") || head.len() < start {
        return Err("it does not begin as a NumPy array".to_owned());
    }
    let length = head[8..start].iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte));
    let dictionary =
        head.get(start..start + length.min(head.len())).ok_or("its header ends too early")?;
    let dictionary = String::from_utf8_lossy(dictionary);
    let shape = dictionary.split("'shape':").nth(1).and_then(|rest| rest.split([')', ',']).next());
    let rows = shape.map(|shape| shape.trim().trim_start_matches('(').trim());
    let rows = rows.and_then(|rows| rows.parse().ok()).ok_or("its shape cannot be read")?;
    // The fields of a structured type are pairs of quoted words: ('name', '<f4').
    let fields = dictionary.split("('").skip(1).filter_map(|rest| rest.split('\'').next());
    Ok(RecordingInfo { columns: fields.map(str::to_owned).collect(), ..blank(rows) })
}

/// CSV: the columns are in the first line, and the others are counted.
fn csv(path: &Path, bytes: u64) -> Result<RecordingInfo, CloudError> {
    let failed = |error| CloudError::Read { path: path.to_path_buf(), error };
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut first = Vec::new();
    reader.by_ref().take(HEADER_MAX).read_until(b'\n', &mut first).map_err(failed)?;
    let (mut rows, mut open_line) = (0, false);
    loop {
        let part = reader.fill_buf().map_err(failed)?;
        let Some(last) = part.last() else { break };
        open_line = *last != b'\n';
        rows += part.iter().filter(|byte| **byte == b'\n').count() as u64;
        let length = part.len();
        reader.consume(length);
    }
    let first = String::from_utf8_lossy(&first);
    let columns = first.trim().split(',').map(str::to_owned).collect();
    Ok(RecordingInfo { columns, bytes, ..blank(rows + u64::from(open_line)) })
}

/// A KITTI folder: the scans are counted, and their points follow from the sizes of the files.
fn kitti(path: &Path) -> Result<RecordingInfo, CloudError> {
    let failed = |error| CloudError::Read { path: path.to_path_buf(), error };
    let (mut scans, mut bytes) = (0_u64, 0);
    let velodyne = path.join("velodyne");
    if !velodyne.is_dir() {
        let what = "it has no folder velodyne".to_owned();
        return Err(CloudError::Damaged { path: path.to_path_buf(), format: "kitti", what });
    }
    for entry in fs::read_dir(&velodyne).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().extension().is_some_and(|ending| ending == "bin") {
            scans += 1;
            bytes += entry.metadata().map_err(failed)?.len();
        }
    }
    let columns = ["x", "y", "z", "intensity"].map(str::to_owned).to_vec();
    let details = vec![
        ("scans", scans.to_string()),
        ("labels", if path.join("labels").is_dir() { "yes" } else { "no" }.to_owned()),
        ("poses", if path.join("poses.txt").is_file() { "yes" } else { "no" }.to_owned()),
    ];
    Ok(RecordingInfo { format: OutputFormat::Kitti, columns, details, bytes, ..blank(bytes / 16) })
}

/// The lines of a header of text, up to and with the one that begins with `end`.
fn text_lines(head: &[u8], end: &str) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for line in head.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line).trim().to_owned();
        let last = line.starts_with(end);
        lines.push(line);
        if last {
            return Ok(lines);
        }
    }
    Err(format!("its header has no line {end}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Record, Records, ScanPose, SinkOptions, open_sink};

    fn row(pulse: u64) -> Record {
        let at = [1.5, -2.0, pulse as f64];
        Record {
            time_s: 0.1,
            pulse,
            sensor: 0,
            channel: 0,
            scan: 0,
            column: 0,
            azimuth_deg: 0.0,
            elevation_deg: 0.0,
            return_number: 1,
            return_count: 1,
            range_m: 3.0,
            true_range_m: 3.0,
            intensity: 0.5,
            sensor_xyz_m: [1.0; 3],
            world_xyz_m: at,
            true_xyz_m: at,
            object: 1,
            material: 1,
            label: 1,
            incidence_deg: 0.0,
            sub_ray_hits: 1,
            range_spread_m: 0.0,
        }
    }

    fn written(folder: &Path, format: OutputFormat) -> std::path::PathBuf {
        let path = folder.join(format!("points.{}", format.name()));
        let mut records = Records::default();
        (0..7).for_each(|pulse| records.push(row(pulse)));
        let mut sink = open_sink(&path, format, &SinkOptions::default()).unwrap();
        let world_from_sensor = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        sink.scan_pose(&ScanPose { sensor: 0, scan: 0, time_s: 0.0, world_from_sensor }).unwrap();
        sink.write(&records).unwrap();
        sink.finish().unwrap();
        path
    }

    #[test]
    fn every_format_tells_its_rows() {
        let folder = tempfile::tempdir().unwrap();
        for format in OutputFormat::ALL {
            let info = inspect(&written(folder.path(), format)).unwrap();
            assert_eq!((info.format, info.rows), (format, 7), "{format}");
            let has_columns = !matches!(format, OutputFormat::Las | OutputFormat::Laz);
            assert_eq!(info.columns.len() > 3, has_columns, "{format} {:?}", info.columns);
        }
    }

    #[test]
    fn las_tells_its_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let [low, high] =
            inspect(&written(folder.path(), OutputFormat::Laz)).unwrap().bounds_m.unwrap();
        assert_eq!((low, high), ([1.5, -2.0, 0.0], [1.5, -2.0, 6.0]));
    }

    #[test]
    fn files_cut_anywhere_are_refused_or_told_but_never_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        for format in OutputFormat::ALL.into_iter().filter(|format| *format != OutputFormat::Kitti)
        {
            let path = written(folder.path(), format);
            let whole = fs::read(&path).unwrap();
            for length in (0..whole.len().min(1500)).step_by(31) {
                fs::write(&path, &whole[..length]).unwrap();
                let _ = inspect(&path);
            }
        }
    }

    #[test]
    fn a_header_that_promises_too_much_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), OutputFormat::Las);
        let mut bytes = fs::read(&path).unwrap();
        bytes[247..255].copy_from_slice(&1_000_000_000_000_u64.to_le_bytes());
        fs::write(&path, bytes).unwrap();
        let message = inspect(&path).unwrap_err().to_string();
        assert!(message.contains("1000000000000 points"), "{message}");
    }
}
