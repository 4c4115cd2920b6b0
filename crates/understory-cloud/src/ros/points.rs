//! A scan out of a message: `PointCloud2`, `LaserScan` or Livox's `CustomMsg` as columns of our own
//! names and units.
//!
//! | layout | time of a point | intensity 1 | ring, line |
//! | --- | --- | --- | --- |
//! | Velodyne | stamp + `time` (s) | 100 (255 of an HDL-64E) | from the lowest |
//! | Ouster | stamp + `t` (ns) | reflectivity 100 | the laser |
//! | Livox | `timestamp` (ns), or timebase + offset_time | reflectivity 150 | the laser |
//! | others | by size: seconds since the stamp, or s, µs or ns since 1970 | 1 | the laser |
//!
//! Where points have NaN, or all three coordinates 0, the pulse returned nothing.

use super::cdr::CdrReader;
use super::cloud::{Cloud, Field, Vendor};
use super::laser_scan::LineScan;
use super::{bag::split_type, cloud_layout};
use crate::{PacketFormat, ReadOptions, SensorDescription, VelodyneModel};
use std::ops::Range;
use understory_base::math;

/// Kinds of messages that hold a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointKind {
    Cloud,
    Line,
    Livox,
}

impl PointKind {
    pub(crate) fn from_type(name: &str) -> Option<PointKind> {
        Some(match split_type(name)? {
            ("sensor_msgs", "PointCloud2") => PointKind::Cloud,
            ("sensor_msgs", "LaserScan") => PointKind::Line,
            ("livox_ros_driver" | "livox_ros_driver2" | "livox_interfaces", "CustomMsg") => {
                PointKind::Livox
            }
            _ => return None,
        })
    }
}

/// A column of the table that a topic becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointColumn {
    X,
    Y,
    Z,
    Intensity,
    Time,
    Channel,
    Scan,
    Column,
    Range,
    Azimuth,
    Elevation,
    ReturnNumber,
    ReturnCount,
    Label,
    Red,
    Green,
    Blue,
}

impl PointColumn {
    pub(crate) const ALL: [PointColumn; 17] = [
        PointColumn::X,
        PointColumn::Y,
        PointColumn::Z,
        PointColumn::Intensity,
        PointColumn::Time,
        PointColumn::Channel,
        PointColumn::Scan,
        PointColumn::Column,
        PointColumn::Range,
        PointColumn::Azimuth,
        PointColumn::Elevation,
        PointColumn::ReturnNumber,
        PointColumn::ReturnCount,
        PointColumn::Label,
        PointColumn::Red,
        PointColumn::Green,
        PointColumn::Blue,
    ];

    /// Name and type.
    pub(crate) fn name_and_type(self) -> (&'static str, &'static str) {
        match self {
            PointColumn::X => ("x_m", "f32"),
            PointColumn::Y => ("y_m", "f32"),
            PointColumn::Z => ("z_m", "f32"),
            PointColumn::Intensity => ("intensity", "f32"),
            PointColumn::Time => ("time_s", "f64"),
            PointColumn::Channel => ("channel", "u16"),
            PointColumn::Scan => ("scan", "u32"),
            PointColumn::Column => ("column", "u32"),
            PointColumn::Range => ("range_m", "f32"),
            PointColumn::Azimuth => ("azimuth_deg", "f32"),
            PointColumn::Elevation => ("elevation_deg", "f32"),
            PointColumn::ReturnNumber => ("return_number", "u8"),
            PointColumn::ReturnCount => ("return_count", "u8"),
            PointColumn::Label => ("label", "u16"),
            PointColumn::Red => ("red", "u8"),
            PointColumn::Green => ("green", "u8"),
            PointColumn::Blue => ("blue", "u8"),
        }
    }

    /// By how many bits its part of a packed colour is shifted.
    fn colour_shift(self) -> Option<u32> {
        match self {
            PointColumn::Red => Some(16),
            PointColumn::Green => Some(8),
            PointColumn::Blue => Some(0),
            _ => None,
        }
    }
}

/// What a reader knows beside the messages.
#[derive(Clone, Debug)]
pub(crate) struct ReadRules {
    start_unix_ns: i64,
    /// Whether intensities stay as they are, because the user says what is white.
    raw_intensity: bool,
    white_of_velodyne: f64,
    laser_of_ring: Vec<u16>,
    ouster: Option<SensorDescription>,
}

impl ReadRules {
    pub(crate) fn new(options: &ReadOptions) -> ReadRules {
        let facts = options.sensor.as_ref().filter(|facts| !facts.lasers.is_empty());
        let packets = facts.and_then(|facts| facts.packets.as_ref());
        let mut rules = ReadRules {
            start_unix_ns: options.start_unix_ns,
            raw_intensity: options.intensity_full != 1.0,
            white_of_velodyne: 100.0,
            laser_of_ring: Vec::new(),
            ouster: None,
        };
        match (facts, packets) {
            (Some(facts), Some(PacketFormat::Velodyne(model))) => {
                if matches!(model, VelodyneModel::Hdl64eS2 | VelodyneModel::Hdl64eS3) {
                    rules.white_of_velodyne = 255.0;
                }
                let rings = cloud_layout::rings(facts);
                rules.laser_of_ring = vec![0; rings.len()];
                for (laser, ring) in rings.into_iter().enumerate() {
                    if let Some(place) = rules.laser_of_ring.get_mut(usize::from(ring)) {
                        *place = laser as u16;
                    }
                }
            }
            (Some(facts), Some(PacketFormat::Ouster(_))) => rules.ouster = Some(facts.clone()),
            _ => {}
        }
        rules
    }
}

/// One scan; its numbers stay in the message.
#[derive(Clone, Debug)]
pub(crate) struct ScanMessage {
    /// The frame of its points.
    pub(crate) frame: String,
    stamp_ns: i64,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Cloud(Box<Cloud>),
    Line(LineScan),
}

impl ScanMessage {
    /// Finds out where the numbers of a message stand; an error says what is wrong with it.
    pub(crate) fn read(kind: PointKind, message: &[u8]) -> Result<ScanMessage, String> {
        let mut cdr = CdrReader::new(message)?;
        let (seconds, nanoseconds) = (cdr.i32()?, cdr.u32()?);
        let stamp_ns = i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds);
        let frame = cdr.string()?.to_owned();
        let body = match kind {
            PointKind::Cloud => Body::Cloud(Box::new(Cloud::read(&mut cdr)?)),
            PointKind::Livox => Body::Cloud(Box::new(Cloud::read_livox(&mut cdr)?)),
            PointKind::Line => Body::Line(LineScan::read(&mut cdr)?),
        };
        Ok(ScanMessage { frame, stamp_ns, body })
    }

    /// Points, or steps of a line.
    pub(crate) fn rows(&self) -> usize {
        match &self.body {
            Body::Cloud(cloud) => cloud.points(),
            Body::Line(line) => line.steps(),
        }
    }

    /// Whose layout it has, in words.
    pub(crate) fn layout(&self) -> &'static str {
        match &self.body {
            Body::Cloud(cloud) => match cloud.vendor {
                Vendor::Velodyne => "Velodyne's layout",
                Vendor::Ouster => "Ouster's layout",
                Vendor::Livox => "Livox's layout",
                Vendor::Understory => "Understory's layout",
                Vendor::Other => "a layout of its own",
            },
            Body::Line(_) => "ranges by angle",
        }
    }

    /// Whether pulses without a return have rows.
    pub(crate) fn holds_misses(&self, message: &[u8]) -> bool {
        match &self.body {
            Body::Line(_) => true,
            Body::Cloud(cloud) => {
                cloud.return_number.is_some()
                    || cloud.height > 1
                    || !cloud.is_dense
                    || self.some_are_missing(message, cloud)
            }
        }
    }

    fn some_are_missing(&self, message: &[u8], cloud: &Cloud) -> bool {
        let mut missing = false;
        let mut flags = Vec::new();
        misses(cloud, message, 0..cloud.points().min(100_000), &mut flags);
        flags.into_iter().for_each(|miss| missing |= miss);
        missing
    }

    /// The columns that its topic has.
    pub(crate) fn columns(&self, message: &[u8], rules: &ReadRules) -> Vec<PointColumn> {
        let misses = self.holds_misses(message);
        let has = |column: &PointColumn| match (&self.body, column) {
            (_, PointColumn::X | PointColumn::Y | PointColumn::Z) => true,
            (_, PointColumn::Time | PointColumn::Scan) => true,
            (_, PointColumn::ReturnNumber) => misses,
            (Body::Line(line), PointColumn::Intensity) => line.has_intensities(),
            (Body::Line(_), column) => {
                let absent = [PointColumn::Channel, PointColumn::ReturnCount, PointColumn::Label];
                !absent.contains(column) && column.colour_shift().is_none()
            }
            (Body::Cloud(cloud), column) => match column {
                PointColumn::Intensity => cloud.intensity.is_some(),
                PointColumn::Channel => cloud.ring.is_some(),
                PointColumn::Column => cloud.column.is_some() || cloud.height > 1,
                PointColumn::Range => cloud.range.is_some(),
                PointColumn::Azimuth | PointColumn::Elevation => {
                    cloud.angles.is_some() || ouster_of(cloud, rules).is_some()
                }
                PointColumn::ReturnCount => cloud.return_count.is_some(),
                PointColumn::Label => cloud.label.is_some(),
                PointColumn::Red | PointColumn::Green | PointColumn::Blue => cloud.rgb.is_some(),
                _ => true,
            },
        };
        PointColumn::ALL.into_iter().filter(has).collect()
    }

    /// Appends the values of a column in the rows `rows`; the number of the scan is not known here.
    pub(crate) fn fill(
        &self,
        message: &[u8],
        column: PointColumn,
        rows: Range<usize>,
        rules: &ReadRules,
        values: &mut Vec<f64>,
    ) {
        values.reserve(rows.len());
        match &self.body {
            Body::Line(line) => {
                values.extend(rows.map(|row| self.line_value(line, message, column, row, rules)));
            }
            Body::Cloud(cloud) => self.fill_cloud(cloud, message, column, rows, rules, values),
        }
    }

    fn line_value(
        &self,
        line: &LineScan,
        message: &[u8],
        column: PointColumn,
        row: usize,
        rules: &ReadRules,
    ) -> f64 {
        let axis = |axis: usize| line.xyz_m(message, row)[axis];
        match column {
            PointColumn::X => axis(0),
            PointColumn::Y => axis(1),
            PointColumn::Z => axis(2),
            PointColumn::Intensity => line.intensity(message, row),
            PointColumn::Time => since_start(self.stamp_ns, line.time_s(row), rules),
            PointColumn::Column => row as f64,
            PointColumn::Range => line.range_m(message, row),
            PointColumn::Azimuth => line.azimuth_deg(row),
            PointColumn::Elevation => 0.0,
            PointColumn::ReturnNumber => f64::from(u8::from(!line.is_miss(message, row))),
            _ => f64::NAN,
        }
    }

    fn fill_cloud(
        &self,
        cloud: &Cloud,
        message: &[u8],
        column: PointColumn,
        rows: Range<usize>,
        rules: &ReadRules,
        values: &mut Vec<f64>,
    ) {
        let count = rows.len();
        let field = match column {
            PointColumn::X => Some(cloud.xyz[0]),
            PointColumn::Y => Some(cloud.xyz[1]),
            PointColumn::Z => Some(cloud.xyz[2]),
            PointColumn::Intensity => cloud.intensity,
            PointColumn::Time => cloud.time,
            PointColumn::Channel => cloud.ring,
            PointColumn::Column => cloud.column,
            PointColumn::Range => cloud.range,
            PointColumn::Azimuth => cloud.angles.map(|angles| angles[0]),
            PointColumn::Elevation => cloud.angles.map(|angles| angles[1]),
            PointColumn::ReturnNumber => cloud.return_number,
            PointColumn::ReturnCount => cloud.return_count,
            PointColumn::Label => cloud.label,
            PointColumn::Red | PointColumn::Green | PointColumn::Blue => cloud.rgb,
            PointColumn::Scan => None,
        };
        let Some(field) = field else {
            self.without_field(cloud, message, column, rows, rules, values);
            return;
        };
        match column {
            PointColumn::Time => self.fill_times(cloud, message, field, rows, rules, values),
            PointColumn::Intensity => {
                let white = if rules.raw_intensity { 1.0 } else { white(cloud.vendor, rules) };
                cloud.values(message, field, rows, |_, value| values.push(value / white));
            }
            PointColumn::Channel if cloud.vendor == Vendor::Velodyne => {
                let laser = |ring: f64| {
                    rules.laser_of_ring.get(ring as usize).map_or(ring, |&l| f64::from(l))
                };
                cloud.values(message, field, rows, |_, ring| values.push(laser(ring)));
            }
            PointColumn::Range => {
                // Whole numbers are millimetres.
                let metre = if field.is_whole() { 1000.0 } else { 1.0 };
                cloud.values(message, field, rows, |_, value| values.push(value / metre));
            }
            PointColumn::Red | PointColumn::Green | PointColumn::Blue => {
                let shift = column.colour_shift().unwrap_or_default();
                cloud.values(message, field, rows, |_, packed| {
                    values.push(f64::from((packed as u32 >> shift) & 0xff));
                });
            }
            _ => cloud.values(message, field, rows, |_, value| values.push(value)),
        }
        debug_assert_eq!(values.len(), count);
    }

    /// What follows from other fields, or from the place of a point.
    fn without_field(
        &self,
        cloud: &Cloud,
        message: &[u8],
        column: PointColumn,
        rows: Range<usize>,
        rules: &ReadRules,
        values: &mut Vec<f64>,
    ) {
        let width = cloud.width.max(1);
        let ouster = ouster_of(cloud, rules);
        match column {
            PointColumn::Time => {
                let time_s = since_start(self.stamp_ns, 0.0, rules);
                values.extend(rows.map(|_| time_s));
            }
            // Velodyne's lines are firings; in those of others a line is a laser.
            PointColumn::Column => values.extend(rows.map(|row| match (cloud.vendor, &ouster) {
                (Vendor::Velodyne, _) => (row / width) as f64,
                (_, Some(ouster)) => ouster.column(row) as f64,
                _ => (row % width) as f64,
            })),
            PointColumn::Azimuth | PointColumn::Elevation => {
                let which = usize::from(column == PointColumn::Elevation);
                values.extend(rows.map(|row| match &ouster {
                    Some(ouster) => ouster.angles_deg(row)[which],
                    None => f64::NAN,
                }));
            }
            PointColumn::ReturnNumber => {
                let mut flags = Vec::with_capacity(rows.len());
                misses(cloud, message, rows, &mut flags);
                values.extend(flags.into_iter().map(|miss| f64::from(u8::from(!miss))));
            }
            _ => values.extend(rows.map(|_| f64::NAN)),
        }
    }

    /// Times of points by the rule of their layout.
    fn fill_times(
        &self,
        cloud: &Cloud,
        message: &[u8],
        field: Field,
        rows: Range<usize>,
        rules: &ReadRules,
        values: &mut Vec<f64>,
    ) {
        let is_whole = field.is_whole();
        let livox = cloud.vendor == Vendor::Livox;
        let base_ns =
            cloud.time_base_ns.map_or(self.stamp_ns, |base| base.min(i64::MAX as u64) as i64);
        // Whole seconds and nanoseconds before the difference: a double of seconds since 1970 has
        // steps of a quarter of a microsecond.
        let base_s = (i128::from(base_ns) - i128::from(rules.start_unix_ns)) as f64 * 1e-9;
        // Times beyond 64 bits end there.
        let absolute = |ns: f64| since(ns as i64, 0, rules);
        cloud.values(message, field, rows, |_, value| {
            let size = value.abs();
            values.push(if is_whole {
                since(base_ns, value as i64, rules)
            } else if livox || size >= 1e17 {
                absolute(value)
            } else if size >= 1e14 {
                absolute(value * 1e3)
            } else if size >= 1e8 {
                let whole = value.floor();
                let rest_ns = ((value - whole) * 1e9).round() as i64;
                since((whole as i64).saturating_mul(1_000_000_000), rest_ns, rules)
            } else if size < 1.0 {
                since(base_ns, (value * 1e9).round() as i64, rules)
            } else {
                base_s + value
            });
        });
    }
}

/// Seconds since the start of a time in nanoseconds after another one.
fn since(base_ns: i64, after_ns: i64, rules: &ReadRules) -> f64 {
    (i128::from(base_ns) + i128::from(after_ns) - i128::from(rules.start_unix_ns)) as f64 * 1e-9
}

fn since_start(base_ns: i64, after_s: f64, rules: &ReadRules) -> f64 {
    since(base_ns, (after_s * 1e9).round() as i64, rules)
}

/// The value of a white target.
fn white(vendor: Vendor, rules: &ReadRules) -> f64 {
    match vendor {
        Vendor::Velodyne => rules.white_of_velodyne,
        Vendor::Ouster => 100.0,
        Vendor::Livox => 150.0,
        Vendor::Understory | Vendor::Other => 1.0,
    }
}

/// Which of the points `rows` are pulses without a return.
fn misses(cloud: &Cloud, message: &[u8], rows: Range<usize>, flags: &mut Vec<bool>) {
    flags.resize(rows.len(), true);
    let first = rows.start;
    let mut all_zero = vec![true; rows.len()];
    let mut finite = vec![true; rows.len()];
    for field in cloud.xyz {
        cloud.values(message, field, rows.clone(), |row, value| {
            all_zero[row - first] &= value == 0.0;
            finite[row - first] &= value.is_finite();
        });
    }
    for (flag, (zero, finite)) in flags.iter_mut().zip(all_zero.into_iter().zip(finite)) {
        *flag = zero || !finite;
    }
}

/// The geometry of an Ouster whose facts the user gave and whose shape the cloud has.
struct OusterGrid<'a> {
    facts: &'a SensorDescription,
    width: usize,
    shifts: Vec<usize>,
}

fn ouster_of<'a>(cloud: &Cloud, rules: &'a ReadRules) -> Option<OusterGrid<'a>> {
    let facts = rules.ouster.as_ref().filter(|_| cloud.vendor == Vendor::Ouster)?;
    let fits = facts.lasers.len() == cloud.height && facts.columns_per_scan as usize == cloud.width;
    fits.then(|| OusterGrid {
        facts,
        width: cloud.width.max(1),
        shifts: cloud_layout::pixel_shifts(facts),
    })
}

impl OusterGrid<'_> {
    /// The step at which a point of the picture was measured.
    fn column(&self, row: usize) -> usize {
        let shift = self.shifts.get(row / self.width).copied().unwrap_or(0);
        (row % self.width + self.width - shift) % self.width
    }

    /// Azimuth and elevation of a point's beam in the sensor's frame.
    fn angles_deg(&self, row: usize) -> [f64; 2] {
        let laser = self.facts.lasers.get(row / self.width).copied().unwrap_or_default();
        let turned = self.column(row) as f64 / self.width as f64 * 360.0;
        let head = if self.facts.spin.is_none_or(|spin| spin.clockwise) { -turned } else { turned };
        let (sin, cos) = math::sin_cos((head + laser.azimuth_offset_deg).to_radians());
        let (up, flat) = math::sin_cos(laser.elevation_deg.to_radians());
        let direction = [flat * cos, flat * sin, up];
        let rows = &self.facts.sensor_from_lidar;
        let [x, y, z] = [0, 1, 2].map(|i| (0..3).map(|j| rows[i][j] * direction[j]).sum::<f64>());
        [math::atan2(y, x).to_degrees(), math::atan2(z, math::hypot(x, y)).to_degrees()]
    }
}
