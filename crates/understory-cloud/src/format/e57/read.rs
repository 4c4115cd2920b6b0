//! E57: all scans of a file with their poses.
//!
//! Points, Cartesian or spherical, become positions in the world by the pose of their scan. A point
//! whose state says that only its direction is meant is a miss. Rows are channels. Intensities are
//! scaled by the limits that the scan names. Times count from `acquisitionStart`, which becomes
//! time since [`ReadOptions::start_unix_ns`].
//!
//! Many programs write the identity as the pose of a cloud that is in no sensor's frame. A file in
//! which all poses are the identity has none, unless its points lie in a grid or are spherical, as
//! only a scanner gives them.
//!
//! The `e57` crate reads the header and the description in XML; the points are read by
//! [`points`](super::points).

use super::points::{Pages, Points, bits};
use super::write::UNIX_OF_GPS_S;
use crate::error::damaged;
use crate::format::table::{BLOCK_ROWS, Block, Opened, Source, Table};
use crate::poses::Rigid;
use crate::{CloudError, ColumnSummary, OutputFormat, ReadOptions, ScanPose};
use e57::{E57Reader, PointCloud, RecordDataType, RecordName, RecordValue};
use glam::{DQuat, DVec3};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use understory_base::math;

/// A description with more marks than this is not believed: each takes some hundred bytes.
const MARKS_MAX: usize = 1 << 20;

/// What a column of the table is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    World(usize),
    Sensor(usize),
    Origin(usize),
    Direction(usize),
    Azimuth,
    Elevation,
    ReturnNumber,
    ReturnCount,
    Intensity,
    Colour(usize),
    Time,
    Channel,
    Column,
    Scan,
    SensorNumber,
}

/// One scan.
struct Scan {
    cloud: PointCloud,
    world_from_sensor: Option<Rigid>,
    sensor: u16,
    number: u32,
    /// Added to time stamps.
    start_s: f64,
    /// Subtracted from intensities, and what they are divided by.
    intensity: [f64; 2],
    /// The same for red, green and blue.
    colours: [[f64; 2]; 3],
}

/// Names of the fields of colour.
const COLOURS: [RecordName; 3] =
    [RecordName::ColorRed, RecordName::ColorGreen, RecordName::ColorBlue];

/// Where the fields of a point are in its prototype.
struct Fields {
    xyz: Option<[usize; 3]>,
    spherical: Option<[usize; 3]>,
    state: Option<usize>,
    intensity: Option<usize>,
    intensity_bad: Option<usize>,
    colours: [Option<usize>; 3],
    colour_bad: Option<usize>,
    time: Option<usize>,
    time_bad: Option<usize>,
    row: Option<usize>,
    column: Option<usize>,
    return_index: Option<usize>,
    return_count: Option<usize>,
}

/// The scans of a file, one after another.
struct E57Table {
    path: PathBuf,
    pages: Pages,
    scans: Vec<Scan>,
    columns: Vec<(&'static str, &'static str, From)>,
    next: usize,
    open: Option<(Points, Fields)>,
    values: Vec<Option<Vec<f64>>>,
    places: Places,
    poses: Vec<ScanPose>,
    rows: u64,
}

/// Opens an E57 file.
pub(crate) fn open(mut source: Source, options: &ReadOptions) -> Result<Opened, CloudError> {
    check_description(&mut source)?;
    let failed = |source: &Source, e: e57::Error| {
        let text: String =
            e.to_string().lines().next().unwrap_or_default().chars().take(200).collect();
        source.damaged("E57", text)
    };
    source.reader.seek(SeekFrom::Start(0)).map_err(|e| CloudError::read(&source.path, e))?;
    let reader = E57Reader::new(source.reader.by_ref());
    let (clouds, library) = match reader {
        Ok(reader) => (reader.pointclouds(), reader.library_version().map(str::to_owned)),
        Err(error) => return Err(failed(&source, error)),
    };
    let mut facts = source.facts(OutputFormat::E57, format!("E57 1.0, {} scans", clouds.len()));
    let software = clouds.iter().find_map(|cloud| cloud.sensor_sw_version.clone());
    facts.software = software.filter(|s| s.starts_with("Understory")).or(library);
    let rows = clouds.iter().try_fold(0u64, |sum, cloud| sum.checked_add(cloud.records));
    let held = clouds.iter().try_fold(0u128, |sum, cloud| {
        let each: u32 = cloud.prototype.iter().map(|record| bits(&record.data_type)).sum();
        // Points of which nothing is stored could be any number.
        (each > 0 || cloud.records == 0).then(|| sum + u128::from(each) * u128::from(cloud.records))
    });
    if rows.is_none() || held.is_none_or(|held| held / 8 > u128::from(source.bytes)) {
        let what = format!("it promises more points than its {} bytes can hold", source.bytes);
        return Err(source.damaged("E57", what));
    }
    facts.rows = rows;
    let known = poses_known(&clouds);
    let scans: Vec<Scan> = clouds
        .into_iter()
        .enumerate()
        .map(|(index, cloud)| scan(cloud, index, known, options.start_unix_ns))
        .collect();
    if known {
        facts.scans = Some(scans.len() as u64);
    }
    let columns = columns(&scans, known);
    let Source { path, reader, .. } = source;
    let table = E57Table {
        path,
        pages: Pages::new(reader.into_inner()),
        scans,
        columns,
        next: 0,
        open: None,
        values: Vec::new(),
        places: Places::default(),
        poses: Vec::new(),
        rows: 0,
    };
    Ok(Opened { table: Box::new(table), facts })
}

/// Refuses a description that is longer than the file, or so full of marks that reading it would
/// take much more memory than the file.
fn check_description(source: &mut Source) -> Result<(), CloudError> {
    let mut header = [0; 48];
    let read = source.reader.read_exact(&mut header);
    if read.is_err() || !header.starts_with(b"ASTM-E57") {
        return Err(source.damaged("E57", "it does not begin with the word ASTM-E57"));
    }
    let length = header.get(32..40).and_then(|b| b.try_into().ok()).unwrap_or_default();
    let length = u64::from_le_bytes(length);
    if length > source.bytes {
        let what = format!("its description of {length} bytes at byte 32 is longer than the file");
        return Err(source.damaged("E57", what));
    }
    let xml = E57Reader::raw_xml(source.reader.by_ref())
        .map_err(|_| source.damaged("E57", "its description in XML cannot be read"))?;
    if xml.iter().filter(|&&byte| byte == b'<' || byte == b'=').count() > MARKS_MAX {
        return Err(source.damaged("E57", "its description in XML has too many parts"));
    }
    Ok(())
}

/// Whether the poses of a file mean something.
fn poses_known(clouds: &[PointCloud]) -> bool {
    let scanned = |cloud: &PointCloud| {
        cloud.has_row_column() || (cloud.has_spherical() && !cloud.has_cartesian())
    };
    clouds.iter().any(|cloud| {
        cloud.transform.is_some()
            && (scanned(cloud) || pose(cloud).is_some_and(|pose| pose != Rigid::IDENTITY))
    })
}

fn pose(cloud: &PointCloud) -> Option<Rigid> {
    let transform = cloud.transform.as_ref()?;
    let (q, t) = (&transform.rotation, &transform.translation);
    Rigid::new(DQuat::from_xyzw(q.x, q.y, q.z, q.w), DVec3::new(t.x, t.y, t.z))
}

fn scan(cloud: PointCloud, index: usize, poses: bool, start_unix_ns: i64) -> Scan {
    // Our own scans have their numbers in their names.
    let name = cloud.name.as_deref().unwrap_or_default();
    let mut words = name.strip_prefix("sensor ").unwrap_or_default().split(" scan ");
    let sensor = words.next().and_then(|n| n.parse().ok());
    let number = words.next().and_then(|n| n.parse().ok());
    let (sensor, number) =
        sensor.zip(number).unwrap_or((0, u32::try_from(index).unwrap_or(u32::MAX)));
    let start_s = cloud.acquisition_start.as_ref().map_or(0.0, |start| {
        let whole = start.gps_time.floor();
        let unix_s = whole as i128 + i128::from(UNIX_OF_GPS_S);
        (unix_s * 1_000_000_000 - i128::from(start_unix_ns)) as f64 * 1e-9
            + (start.gps_time - whole)
    });
    let world_from_sensor = poses.then(|| pose(&cloud).unwrap_or(Rigid::IDENTITY));
    let stated = cloud.intensity_limits.clone();
    let stated = stated.map_or([None, None], |l| [l.intensity_min, l.intensity_max]);
    let intensity = limits(&cloud, RecordName::Intensity, stated);
    let colours = match cloud.color_limits.clone() {
        Some(l) => [[l.red_min, l.red_max], [l.green_min, l.green_max], [l.blue_min, l.blue_max]],
        None => Default::default(),
    };
    let colours =
        std::array::from_fn(|axis| limits(&cloud, COLOURS[axis].clone(), colours[axis].clone()));
    Scan { cloud, world_from_sensor, sensor, number, start_s, intensity, colours }
}

/// Least value of a field, and the span to the largest: as stated, or else as its type has them.
fn limits(cloud: &PointCloud, name: RecordName, stated: [Option<RecordValue>; 2]) -> [f64; 2] {
    let Some(record) = cloud.prototype.iter().find(|record| record.name == name) else {
        return [0.0, 1.0];
    };
    let kind = &record.data_type;
    let [least, most] = stated.map(|value| value.and_then(|v| v.to_f64(kind).ok()));
    let limits = least.zip(most).or(match kind {
        RecordDataType::Integer { min, max } if *max < i64::from(i32::MAX) => {
            Some((*min as f64, *max as f64))
        }
        RecordDataType::ScaledInteger { min, max, scale, offset } => {
            Some((*min as f64 * scale + offset, *max as f64 * scale + offset))
        }
        _ => None,
    });
    match limits {
        Some((min, max)) if max > min && (max - min).is_finite() => [min, max - min],
        _ => [0.0, 1.0],
    }
}

/// The columns that some scan has.
fn columns(scans: &[Scan], poses: bool) -> Vec<(&'static str, &'static str, From)> {
    let has = |names: &[RecordName]| {
        scans.iter().any(|s| s.cloud.prototype.iter().any(|r| names.contains(&r.name)))
    };
    let states = has(&[RecordName::CartesianInvalidState, RecordName::SphericalInvalidState]);
    let returns = has(&[RecordName::ReturnIndex]);
    let colours = COLOURS.into_iter().all(|name| has(&[name]));
    let all = [
        (true, "x_m", "f64", From::World(0)),
        (true, "y_m", "f64", From::World(1)),
        (true, "z_m", "f64", From::World(2)),
        (has(&[RecordName::Intensity]), "intensity", "f32", From::Intensity),
        (colours, "red", "u8", From::Colour(0)),
        (colours, "green", "u8", From::Colour(1)),
        (colours, "blue", "u8", From::Colour(2)),
        (has(&[RecordName::TimeStamp]), "time_s", "f64", From::Time),
        (returns || states, "return_number", "u8", From::ReturnNumber),
        (returns || states, "return_count", "u8", From::ReturnCount),
        (poses, "azimuth_deg", "f32", From::Azimuth),
        (poses, "elevation_deg", "f32", From::Elevation),
        (poses, "origin_x_m", "f64", From::Origin(0)),
        (poses, "origin_y_m", "f64", From::Origin(1)),
        (poses, "origin_z_m", "f64", From::Origin(2)),
        (states, "direction_x", "f32", From::Direction(0)),
        (states, "direction_y", "f32", From::Direction(1)),
        (states, "direction_z", "f32", From::Direction(2)),
        (poses, "sensor_x_m", "f32", From::Sensor(0)),
        (poses, "sensor_y_m", "f32", From::Sensor(1)),
        (poses, "sensor_z_m", "f32", From::Sensor(2)),
        (has(&[RecordName::RowIndex]), "channel", "u16", From::Channel),
        (has(&[RecordName::ColumnIndex]), "column", "u32", From::Column),
        (scans.len() > 1, "scan", "u32", From::Scan),
        (scans.iter().any(|s| s.sensor > 0), "sensor", "u16", From::SensorNumber),
    ];
    all.into_iter().filter(|c| c.0).map(|(_, name, kind, from)| (name, kind, from)).collect()
}

impl Fields {
    fn of(cloud: &PointCloud) -> Fields {
        let find = |name: RecordName| cloud.prototype.iter().position(|r| r.name == name);
        let three = |names: [RecordName; 3]| {
            let [a, b, c] = names.map(find);
            Some([a?, b?, c?])
        };
        let xyz = three([RecordName::CartesianX, RecordName::CartesianY, RecordName::CartesianZ]);
        let spherical = three([
            RecordName::SphericalRange,
            RecordName::SphericalAzimuth,
            RecordName::SphericalElevation,
        ])
        .filter(|_| xyz.is_none());
        let state = match xyz {
            Some(_) => RecordName::CartesianInvalidState,
            None => RecordName::SphericalInvalidState,
        };
        Fields {
            xyz,
            spherical,
            state: find(state),
            intensity: find(RecordName::Intensity),
            intensity_bad: find(RecordName::IsIntensityInvalid),
            colours: COLOURS.map(find),
            colour_bad: find(RecordName::IsColorInvalid),
            time: find(RecordName::TimeStamp),
            time_bad: find(RecordName::IsTimeStampInvalid),
            row: find(RecordName::RowIndex),
            column: find(RecordName::ColumnIndex),
            return_index: find(RecordName::ReturnIndex),
            return_count: find(RecordName::ReturnCount),
        }
    }

    /// Which fields are needed at all.
    fn used(&self) -> impl Iterator<Item = usize> {
        let three = [self.xyz, self.spherical].into_iter().flatten().flatten();
        let [red, green, blue] = self.colours;
        let one = [
            red,
            green,
            blue,
            self.colour_bad,
            self.state,
            self.intensity,
            self.intensity_bad,
            self.time,
            self.time_bad,
            self.row,
            self.column,
            self.return_index,
            self.return_count,
        ];
        three.chain(one.into_iter().flatten())
    }
}

/// Where the points of a block are, in the frame of their scan.
#[derive(Default)]
struct Places {
    /// Positions, or directions.
    local: Vec<DVec3>,
    /// 0 is a position, 1 a direction, 2 nothing.
    state: Vec<u8>,
}

/// A block of points of one scan.
struct Rows<'a> {
    fields: &'a Fields,
    scan: &'a Scan,
    values: &'a [Option<Vec<f64>>],
    rows: usize,
}

impl Rows<'_> {
    /// A field of a row.
    fn value(&self, field: Option<usize>, row: usize) -> Option<f64> {
        self.values(field?).get(row).copied()
    }

    /// All values of a field.
    fn values(&self, field: usize) -> &[f64] {
        self.values.get(field).and_then(|values| values.as_deref()).unwrap_or_default()
    }

    /// Puts the points where they are.
    fn place(&self, places: &mut Places) {
        let Places { local, state } = places;
        state.clear();
        match self.fields.state {
            Some(field) => state.extend(self.values(field).iter().map(|&state| state as u8)),
            None => state.resize(self.rows, 0),
        }
        local.clear();
        let three = |of: [usize; 3]| of.map(|field| self.values(field));
        match (self.fields.xyz, self.fields.spherical) {
            (Some(xyz), _) => {
                let [x, y, z] = three(xyz);
                let each = x.iter().zip(y).zip(z);
                local.extend(each.map(|((&x, &y), &z)| DVec3::new(x, y, z)));
            }
            (None, Some(spherical)) => {
                let [range, azimuth, elevation] = three(spherical);
                let each = range.iter().zip(azimuth).zip(elevation).zip(state.iter());
                local.extend(each.map(|(((&range, &azimuth), &elevation), &state)| {
                    let range = if state == 1 { 1.0 } else { range };
                    let ((sin, cos), flat) = (math::sin_cos(azimuth), math::cos(elevation));
                    range * DVec3::new(flat * cos, flat * sin, math::sin(elevation))
                }));
            }
            (None, None) => {}
        }
        local.resize(self.rows, DVec3::NAN);
        state.resize(self.rows, 2);
    }

    /// Appends a column of the table.
    fn column(&self, from: From, places: &Places, values: &mut Vec<f64>) {
        let scan = self.scan;
        let pose = scan.world_from_sensor.unwrap_or(Rigid::IDENTITY);
        let Fields { intensity, intensity_bad, colours, colour_bad, time, time_bad, .. } =
            *self.fields;
        let Fields { row, column, return_index, return_count, .. } = *self.fields;
        let mut places_of = |of: &dyn Fn(DVec3, u8) -> f64| {
            let each = places.local.iter().zip(&places.state);
            values.extend(each.map(|(&local, &state)| of(local, state)));
        };
        let at = |is: bool, value: f64| if is { value } else { f64::NAN };
        match from {
            From::World(axis) => {
                let turn = pose.rotation.row(axis);
                let shift = pose.translation[axis];
                places_of(&|local, state| at(state == 0, turn.dot(local) + shift));
            }
            From::Sensor(axis) => places_of(&|local, state| at(state == 0, local[axis])),
            From::Direction(axis) => {
                let turn = pose.rotation.row(axis);
                places_of(&|local, state| at(state == 1, turn.dot(local.normalize_or(DVec3::NAN))));
            }
            From::Azimuth => {
                places_of(&|to, state| at(state < 2, math::atan2(to.y, to.x).to_degrees()));
            }
            From::Elevation => places_of(&|to, state| {
                at(state < 2, math::atan2(to.z, math::hypot(to.x, to.y)).to_degrees())
            }),
            From::ReturnNumber => self.each(return_index, values, |index, row| {
                let is_return = places.state.get(row) == Some(&0);
                if is_return { index.unwrap_or(0.0) + 1.0 } else { 0.0 }
            }),
            From::ReturnCount => self.each(return_count, values, |count, row| {
                let is_return = places.state.get(row) == Some(&0);
                if is_return { count.unwrap_or(1.0) } else { 0.0 }
            }),
            From::Intensity => {
                let [least, span] = scan.intensity;
                self.each(intensity, values, |value, row| {
                    let is_good = self.value(intensity_bad, row).is_none_or(|bad| bad == 0.0);
                    at(is_good, (value.unwrap_or(f64::NAN) - least) / span)
                });
            }
            From::Colour(axis) => {
                let [least, span] = scan.colours[axis];
                self.each(colours[axis], values, |value, row| {
                    let is_good = self.value(colour_bad, row).is_none_or(|bad| bad == 0.0);
                    let value = value.filter(|_| is_good).unwrap_or(least);
                    ((value - least) / span * 255.0).round().clamp(0.0, 255.0)
                });
            }
            From::Time => self.each(time, values, |value, row| {
                let is_good = self.value(time_bad, row).is_none_or(|bad| bad == 0.0);
                at(is_good, value.unwrap_or(f64::NAN) + scan.start_s)
            }),
            From::Channel => self.each(row, values, |value, _| value.unwrap_or(f64::NAN)),
            From::Column => self.each(column, values, |value, _| value.unwrap_or(f64::NAN)),
            From::Origin(axis) => values.resize(self.rows, pose.translation[axis]),
            From::Scan => values.resize(self.rows, f64::from(scan.number)),
            From::SensorNumber => values.resize(self.rows, f64::from(scan.sensor)),
        }
    }

    /// Appends something made of each value of a field.
    fn each(
        &self,
        field: Option<usize>,
        values: &mut Vec<f64>,
        of: impl Fn(Option<f64>, usize) -> f64,
    ) {
        let found = field.map(|field| self.values(field)).unwrap_or_default();
        values.extend((0..self.rows).map(|row| of(found.get(row).copied(), row)));
    }
}

impl E57Table {
    /// Goes to the next scan; false at the end.
    fn next_scan(&mut self) -> Result<bool, CloudError> {
        let Some(scan) = self.scans.get(self.next) else { return Ok(false) };
        self.next += 1;
        let kinds = scan.cloud.prototype.iter().map(|record| record.data_type.clone()).collect();
        let points =
            Points::open(&mut self.pages, scan.cloud.file_offset, kinds, scan.cloud.records);
        let points = points.map_err(|what| {
            damaged(
                &self.path,
                "E57",
                format!("scan {}: {what}, after {} points", self.next, self.rows),
            )
        })?;
        let fields = Fields::of(&scan.cloud);
        self.values.clear();
        self.values.resize(scan.cloud.prototype.len(), None);
        for field in fields.used() {
            if let Some(values) = self.values.get_mut(field) {
                *values = Some(Vec::new());
            }
        }
        self.open = Some((points, fields));
        Ok(true)
    }
}

impl Table for E57Table {
    fn columns(&self) -> Vec<ColumnSummary> {
        let summary = |(name, kind, _): &(&'static str, &'static str, From)| ColumnSummary {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
        };
        self.columns.iter().map(summary).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        while self.open.as_ref().is_none_or(|(points, _)| points.left == 0) {
            if !self.next_scan()? {
                return Ok(0);
            }
        }
        let (Some((points, fields)), Some(scan)) =
            (self.open.as_mut(), self.scans.get(self.next.saturating_sub(1)))
        else {
            return Ok(0);
        };
        self.values.iter_mut().flatten().for_each(Vec::clear);
        let is_first = points.left == scan.cloud.records;
        let rows = points.read(&mut self.pages, BLOCK_ROWS, &mut self.values).map_err(|what| {
            damaged(
                &self.path,
                "E57",
                format!("scan {}: {what}, after {} points", self.next, self.rows),
            )
        })?;
        let part = Rows { fields, scan, values: &self.values, rows };
        part.place(&mut self.places);
        for (values, &column) in block.iter_mut().zip(wanted) {
            match self.columns.get(column) {
                Some(&(_, _, from)) => part.column(from, &self.places, values),
                None => values.resize(rows, f64::NAN),
            }
        }
        if let Some(pose) = scan.world_from_sensor.filter(|_| is_first) {
            let mut time_s = Vec::new();
            Rows { rows: rows.min(1), ..part }.column(From::Time, &self.places, &mut time_s);
            self.poses.push(ScanPose {
                sensor: scan.sensor,
                scan: scan.number,
                time_s: time_s.first().copied().unwrap_or(f64::NAN),
                world_from_sensor: pose.to_rows(),
            });
        }
        self.rows += rows as u64;
        Ok(rows)
    }

    fn scan_poses(&self) -> &[ScanPose] {
        &self.poses
    }
}
