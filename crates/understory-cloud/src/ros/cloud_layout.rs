//! How a scan becomes a message: the layouts of vendors' drivers, and our own.
//!
//! | sensor | message | point |
//! | --- | --- | --- |
//! | Velodyne | `PointCloud2`, one line per firing (misses kept) or one line in all | x y z intensity f32, ring u16, time f32: 22 bytes |
//! | Ouster | `PointCloud2`, a line per laser, a column per step, misses all zero but `t` and `ring` | x y z, intensity f32, t u32 (ns), reflectivity, ring, ambient u16, range u32 (mm): 48 bytes |
//! | one laser in one plane | `LaserScan` | range and intensity; +inf: no return (REP-117) |
//! | others | `PointCloud2` in one line | x y z intensity time f32, ring u16, return_number, return_count u8, range, azimuth, elevation f32, column u32: 40 bytes |
//!
//! Whoever asks for them gets `label` (u16) and `rgb` (f32 whose bits are 0x00RRGGBB, as PCL packs
//! them): behind the other fields of Velodyne's points and ours, in gaps of Ouster's
//! ([`Extras::places`]).

use super::cdr::CdrWriter;
use super::laser_scan::{self, Line};
use super::messages::{CloudShape, FieldType, Header, point_cloud};
use super::scan_row::{ScanRow, Tally, unix_ns};
use crate::{Misses, PacketFormat, ReportedReturns, SensorDescription, VelodyneModel};

/// The layout of a sensor's scans.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    Velodyne { ring_of_channel: Vec<u16>, white: f32, organised: bool },
    Ouster { shift_of_channel: Vec<usize>, width: usize },
    Line(Line),
    Plain { misses: Misses },
}

/// Most places of an organised cloud: 128 lasers in 65536 columns.
const GRID_MAX: usize = 1 << 23;
/// Largest value of vendors' reflectivity.
const BYTE_MAX: f32 = 255.0;

impl Layout {
    /// The layout of a vendor's driver, if the sensor has one.
    pub(super) fn from_vendor(facts: &SensorDescription, misses: Misses) -> Option<Layout> {
        if facts.lasers.is_empty() || facts.lasers.len() > usize::from(u16::MAX) {
            return None;
        }
        match facts.packets.as_ref()? {
            PacketFormat::Velodyne(model) => {
                let hdl64 = matches!(model, VelodyneModel::Hdl64eS2 | VelodyneModel::Hdl64eS3);
                let one = !matches!(
                    facts.returns,
                    ReportedReturns::StrongestAndLast | ReportedReturns::All
                );
                Some(Layout::Velodyne {
                    ring_of_channel: rings(facts),
                    white: if hdl64 { BYTE_MAX } else { 100.0 },
                    organised: one && misses != Misses::Drop,
                })
            }
            PacketFormat::Ouster(_) => {
                let width = facts.columns_per_scan as usize;
                let shift_of_channel = pixel_shifts(facts);
                let fits = (1..=GRID_MAX / facts.lasers.len()).contains(&width);
                fits.then_some(Layout::Ouster { shift_of_channel, width })
            }
        }
    }

    /// The layout of a sensor that nobody makes a driver for, by what its first scan looks like.
    pub(super) fn from_scan(rows: &[ScanRow], misses: Misses) -> Layout {
        match Line::find(rows) {
            Some(line) => Layout::Line(line),
            None => Layout::Plain { misses },
        }
    }

    /// Whether scans are `LaserScan` and not `PointCloud2`.
    pub(super) fn is_line(&self) -> bool {
        matches!(self, Layout::Line(_))
    }

    /// Writes the message of a scan.
    pub(super) fn write(
        &self,
        cdr: &mut CdrWriter,
        (frame, start_unix_ns): (&str, i64),
        facts: Option<&SensorDescription>,
        rows: &[ScanRow],
        extras: Extras,
        tally: &mut Tally,
    ) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        let at = |time_s: f64| unix_ns(start_unix_ns, time_s);
        match self {
            Layout::Velodyne { ring_of_channel, white, organised } => {
                // The driver's stamp is that of the last packet: times count backwards.
                let header = Header { stamp_ns: at(last.time_s), frame };
                let put = Velodyne { ring_of_channel, white: *white, end_s: last.time_s, extras };
                if *organised {
                    put.in_lines(cdr, header, rows, tally);
                } else {
                    put.in_one(cdr, header, rows, tally);
                }
            }
            Layout::Ouster { shift_of_channel, width } => {
                let header = Header { stamp_ns: at(first.time_s), frame };
                ouster(cdr, header, (shift_of_channel, *width), rows, extras, tally);
            }
            Layout::Line(line) => {
                let header = Header { stamp_ns: at(first.time_s), frame };
                laser_scan::write(cdr, header, line, facts, rows, tally);
            }
            Layout::Plain { misses } => {
                let header = Header { stamp_ns: at(first.time_s), frame };
                plain(cdr, header, *misses, rows, extras, tally);
            }
        }
    }
}

/// Velodyne's rings: lasers numbered from the lowest to the highest.
pub(super) fn rings(facts: &SensorDescription) -> Vec<u16> {
    let mut order: Vec<usize> = (0..facts.lasers.len()).collect();
    order.sort_by(|&a, &b| {
        facts.lasers[a].elevation_deg.total_cmp(&facts.lasers[b].elevation_deg).then(a.cmp(&b))
    });
    let mut rings = vec![0; order.len()];
    for (ring, &laser) in order.iter().enumerate() {
        rings[laser] = ring as u16;
    }
    rings
}

/// By how many columns Ouster's driver shifts each line, so that what stands above each other in
/// the picture stands above each other in the world.
pub(super) fn pixel_shifts(facts: &SensorDescription) -> Vec<usize> {
    let width = i64::from(facts.columns_per_scan.max(1));
    let clockwise = facts.spin.is_none_or(|spin| spin.clockwise);
    let sense = if clockwise { -1.0 } else { 1.0 };
    let columns = |offset_deg: f64| (sense * offset_deg / 360.0 * width as f64).round() as i64;
    facts.lasers.iter().map(|l| columns(l.azimuth_offset_deg).rem_euclid(width) as usize).collect()
}

/// Puts numbers into a point that is long enough.
fn put<const N: usize>(point: &mut [u8], at: usize, value: [u8; N]) {
    if let Some(place) = point.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<N>()) {
        *place = value;
    }
}

fn put_xyz(point: &mut [u8], xyz_m: [f32; 3]) {
    for (axis, value) in xyz_m.into_iter().enumerate() {
        put(point, 4 * axis, value.to_le_bytes());
    }
}

const VELODYNE_FIELDS: [(&str, u32, FieldType); 6] = [
    ("x", 0, FieldType::F32),
    ("y", 4, FieldType::F32),
    ("z", 8, FieldType::F32),
    ("intensity", 12, FieldType::F32),
    ("ring", 16, FieldType::U16),
    ("time", 18, FieldType::F32),
];
const VELODYNE_STEP: usize = 22;

type Fields = Vec<(&'static str, u32, FieldType)>;

/// Which fields clouds have that no driver gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extras {
    pub(super) label: bool,
    pub(super) rgb: bool,
}

/// Where they stand in a point, and how long it is with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ExtraPlaces {
    label: Option<usize>,
    rgb: Option<usize>,
    step: usize,
}

impl Extras {
    /// Behind a point of `step` bytes; a label takes `label_bytes`.
    fn places(self, step: usize, label_bytes: usize) -> ExtraPlaces {
        let rgb = step + if self.label { label_bytes } else { 0 };
        ExtraPlaces {
            label: self.label.then_some(step),
            rgb: self.rgb.then_some(rgb),
            step: rgb + if self.rgb { 4 } else { 0 },
        }
    }
}

impl ExtraPlaces {
    /// The fields of a layout with these.
    fn fields(&self, known: &[(&'static str, u32, FieldType)]) -> Fields {
        let label = self.label.map(|at| ("label", at as u32, FieldType::U16));
        let rgb = self.rgb.map(|at| ("rgb", at as u32, FieldType::F32));
        known.iter().copied().chain(label).chain(rgb).collect()
    }

    /// Puts those of a return into its point.
    fn put(&self, point: &mut [u8], row: &ScanRow) {
        if let Some(at) = self.label {
            put(point, at, row.label.to_le_bytes());
        }
        if let Some(at) = self.rgb {
            let [r, g, b] = row.rgb;
            put(point, at, [b, g, r, 0]);
        }
    }
}

struct Velodyne<'a> {
    ring_of_channel: &'a [u16],
    white: f32,
    end_s: f64,
    extras: Extras,
}

impl Velodyne<'_> {
    fn places(&self) -> ExtraPlaces {
        self.extras.places(VELODYNE_STEP, 2)
    }

    fn point(&self, point: &mut [u8], ring: u16, row: &ScanRow, tally: &mut Tally) {
        let nan = row.is_miss();
        put_xyz(point, if nan { [f32::NAN; 3] } else { row.xyz_m });
        let full = row.intensity * self.white;
        tally.cut_intensities += u64::from(full > BYTE_MAX);
        let intensity = if nan { f32::NAN } else { full.min(BYTE_MAX) };
        put(point, 12, intensity.to_le_bytes());
        put(point, 16, ring.to_le_bytes());
        put(point, 18, ((row.time_s - self.end_s) as f32).to_le_bytes());
        if !nan {
            self.places().put(point, row);
        }
    }

    /// One point after another, without misses.
    fn in_one(&self, cdr: &mut CdrWriter, header: Header<'_>, rows: &[ScanRow], tally: &mut Tally) {
        let known = |row: &&ScanRow| usize::from(row.channel) < self.ring_of_channel.len();
        let returns = rows.iter().filter(|row| !row.is_miss());
        let count = returns.clone().filter(known).count();
        let (step, fields) = (self.places().step, self.places().fields(&VELODYNE_FIELDS));
        let shape = CloudShape {
            height: 1,
            width: count,
            fields: &fields,
            point_step: step,
            is_dense: true,
        };
        tally.rows += count as u64;
        tally.dropped_misses += rows.iter().filter(|row| row.is_miss()).count() as u64;
        tally.outside_grid += (returns.clone().count() - count) as u64;
        tally.unnumbered += returns.clone().filter(|row| row.return_count > 1).count() as u64;
        point_cloud(cdr, header, &shape, |data| {
            for (point, row) in data.chunks_exact_mut(step).zip(returns.filter(known)) {
                let ring = self.ring_of_channel[usize::from(row.channel)];
                self.point(point, ring, row, tally);
            }
        });
    }

    /// A line for each firing of all lasers; what is not there is NaN.
    fn in_lines(
        &self,
        cdr: &mut CdrWriter,
        header: Header<'_>,
        rows: &[ScanRow],
        tally: &mut Tally,
    ) {
        let lasers = self.ring_of_channel.len();
        let firings = || rows.chunk_by(|a, b| a.column == b.column);
        let (step, fields) = (self.places().step, self.places().fields(&VELODYNE_FIELDS));
        let shape = CloudShape {
            height: firings().count(),
            width: lasers,
            fields: &fields,
            point_step: step,
            is_dense: false,
        };
        point_cloud(cdr, header, &shape, |data| {
            for (line, firing) in data.chunks_exact_mut(lasers * step).zip(firings()) {
                let Some(&start) = firing.first() else { continue };
                let empty = ScanRow { return_number: 0, ..start };
                for (ring, point) in line.chunks_exact_mut(step).enumerate() {
                    self.point(point, ring as u16, &empty, tally);
                }
                for row in firing {
                    let ring = self.ring_of_channel.get(usize::from(row.channel)).copied();
                    let Some(ring) = ring else {
                        tally.outside_grid += 1;
                        continue;
                    };
                    if row.return_number > 1 {
                        tally.further_returns += 1;
                        continue;
                    }
                    let at = usize::from(ring) * step;
                    self.point(&mut line[at..at + step], ring, row, tally);
                    tally.rows += 1;
                }
            }
        });
    }
}

const OUSTER_FIELDS: [(&str, u32, FieldType); 9] = [
    ("x", 0, FieldType::F32),
    ("y", 4, FieldType::F32),
    ("z", 8, FieldType::F32),
    ("intensity", 16, FieldType::F32),
    ("t", 20, FieldType::U32),
    ("reflectivity", 24, FieldType::U16),
    ("ring", 26, FieldType::U16),
    ("ambient", 28, FieldType::U16),
    ("range", 32, FieldType::U32),
];
const OUSTER_STEP: usize = 48;
/// Where extras find room.
const OUSTER_LABEL: usize = 36;
const OUSTER_RGB: usize = 40;

fn ouster(
    cdr: &mut CdrWriter,
    header: Header<'_>,
    (shift_of_channel, width): (&[usize], usize),
    rows: &[ScanRow],
    extras: Extras,
    tally: &mut Tally,
) {
    let places = ExtraPlaces {
        label: extras.label.then_some(OUSTER_LABEL),
        rgb: extras.rgb.then_some(OUSTER_RGB),
        step: OUSTER_STEP,
    };
    let fields = places.fields(&OUSTER_FIELDS);
    let shape = CloudShape {
        height: shift_of_channel.len(),
        width,
        fields: &fields,
        point_step: places.step,
        is_dense: true,
    };
    let start_s = rows.first().map_or(0.0, |row| row.time_s);
    point_cloud(cdr, header, &shape, |data| {
        for (channel, line) in data.chunks_exact_mut(width * OUSTER_STEP).enumerate() {
            let ring = (channel as u16).to_le_bytes();
            line.chunks_exact_mut(OUSTER_STEP).for_each(|point| put(point, 26, ring));
        }
        for row in rows {
            let (channel, column) = (usize::from(row.channel), row.column as usize);
            let Some(shift) = shift_of_channel.get(channel).filter(|_| column < width) else {
                tally.outside_grid += 1;
                continue;
            };
            let at = (channel * width + (column + shift) % width) * OUSTER_STEP;
            let Some(point) = data.get_mut(at..at + OUSTER_STEP) else { continue };
            // The sensor reports the strongest of the returns of a pulse.
            let reflectivity = (row.intensity * 100.0).round();
            let before = point.get(24..).and_then(|rest| rest.first_chunk()).copied();
            let stronger = reflectivity as u16 > before.map_or(0, u16::from_le_bytes);
            if row.return_number > 1 {
                tally.further_returns += 1;
                if !stronger {
                    continue;
                }
            } else {
                tally.rows += 1;
            }
            let t_ns = ((row.time_s - start_s) * 1e9).round() as u32;
            put(point, 20, t_ns.to_le_bytes());
            put(point, 28, (row.ambient_photons.round() as u16).to_le_bytes());
            if row.is_miss() {
                continue;
            }
            put_xyz(point, row.xyz_m);
            tally.cut_intensities += u64::from(reflectivity > BYTE_MAX);
            let reflectivity = reflectivity.min(BYTE_MAX);
            let known = row.signal_photons.is_finite();
            let signal = if known { row.signal_photons } else { reflectivity };
            put(point, 16, signal.to_le_bytes());
            put(point, 24, (reflectivity as u16).to_le_bytes());
            let range_mm = (f64::from(row.range_m) * 1e3).round() as u32;
            put(point, 32, range_mm.to_le_bytes());
            places.put(point, row);
        }
    });
}

const PLAIN_FIELDS: [(&str, u32, FieldType); 12] = [
    ("x", 0, FieldType::F32),
    ("y", 4, FieldType::F32),
    ("z", 8, FieldType::F32),
    ("intensity", 12, FieldType::F32),
    ("time", 16, FieldType::F32),
    ("ring", 20, FieldType::U16),
    ("return_number", 22, FieldType::U8),
    ("return_count", 23, FieldType::U8),
    ("range", 24, FieldType::F32),
    ("azimuth_deg", 28, FieldType::F32),
    ("elevation_deg", 32, FieldType::F32),
    ("column", 36, FieldType::U32),
];
const PLAIN_STEP: usize = 40;

fn plain(
    cdr: &mut CdrWriter,
    header: Header<'_>,
    misses: Misses,
    rows: &[ScanRow],
    extras: Extras,
    tally: &mut Tally,
) {
    let places = extras.places(PLAIN_STEP, 4);
    let (fields, step) = (places.fields(&PLAIN_FIELDS), places.step);
    let wanted = |row: &&ScanRow| misses != Misses::Drop || !row.is_miss();
    let count = rows.iter().filter(wanted).count();
    let shape = CloudShape {
        height: 1,
        width: count,
        fields: &fields,
        point_step: step,
        is_dense: misses == Misses::Drop,
    };
    tally.rows += count as u64;
    tally.dropped_misses += (rows.len() - count) as u64;
    let start_s = rows.first().map_or(0.0, |row| row.time_s);
    point_cloud(cdr, header, &shape, |data| {
        for (point, row) in data.chunks_exact_mut(step).zip(rows.iter().filter(wanted)) {
            put_xyz(point, row.xyz_m);
            put(point, 12, row.intensity.to_le_bytes());
            put(point, 16, ((row.time_s - start_s) as f32).to_le_bytes());
            put(point, 20, row.channel.to_le_bytes());
            put(point, 22, [row.return_number, row.return_count]);
            put(point, 24, row.range_m.to_le_bytes());
            put(point, 28, row.azimuth_deg.to_le_bytes());
            put(point, 32, row.elevation_deg.to_le_bytes());
            put(point, 36, row.column.to_le_bytes());
            places.put(point, row);
        }
    });
}
