//! Scans of one laser in one plane: `LaserScan`, written and read.
//!
//! Each step of the mirror has one place, whose angle about the z axis is
//! `angle_min + i · angle_increment`; the increment is negative where the mirror turns clockwise. By
//! REP-117 +inf is a pulse without a return, −inf one that met something too near, and NaN no
//! measurement.

use super::cdr::{CdrReader, CdrWriter};
use super::messages::{self, Header, LaserScan};
use super::scan_row::{ScanRow, Tally};
use crate::SensorDescription;
use std::ops::Range;
use understory_base::math;

/// How far a pulse may point out of the plane.
const ELEVATION_MAX_DEG: f32 = 0.05;
/// How far angles may be from even steps, in steps.
const UNEVEN_MAX: f64 = 0.25;
/// Most steps of a scan.
const STEPS_MAX: u32 = 1 << 20;
/// Range limit of sensors of which nothing is known.
const RANGE_MAX_M: f64 = 1000.0;

/// The steps of a scanner in one plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    increment_deg: f64,
}

impl Line {
    /// Whether a scan is one of a single laser in its xy plane at even steps, and at which.
    pub(super) fn find(rows: &[ScanRow]) -> Option<Line> {
        let (first, last) = (rows.first()?, rows.last()?);
        let steps =
            last.column.checked_sub(first.column).filter(|&s| (1..STEPS_MAX).contains(&s))?;
        let flat = |row: &ScanRow| {
            row.channel == first.channel && row.elevation_deg.abs() <= ELEVATION_MAX_DEG
        };
        if !rows.iter().all(flat) {
            return None;
        }
        let turned = |from: f32, to: f32| wrap_deg(f64::from(to) - f64::from(from));
        let pairs = || rows.iter().zip(rows.iter().skip(1));
        let whole: f64 = pairs().map(|(a, b)| turned(a.azimuth_deg, b.azimuth_deg)).sum();
        let increment_deg = whole / f64::from(steps);
        let (mut at_deg, slack) = (0.0, UNEVEN_MAX * increment_deg.abs() + 1e-4);
        for (before, row) in pairs() {
            at_deg += turned(before.azimuth_deg, row.azimuth_deg);
            let step = f64::from(row.column.checked_sub(first.column)?);
            if (at_deg - step * increment_deg).abs() > slack {
                return None;
            }
        }
        (increment_deg != 0.0).then_some(Line { increment_deg })
    }
}

/// An angle between −180 and 180 degrees.
fn wrap_deg(angle: f64) -> f64 {
    angle - 360.0 * (angle / 360.0).round()
}

/// Writes a scan, which must have a row.
pub(super) fn write(
    cdr: &mut CdrWriter,
    header: Header<'_>,
    line: &Line,
    facts: Option<&SensorDescription>,
    rows: &[ScanRow],
    tally: &mut Tally,
) {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
    let steps = last.column.saturating_sub(first.column).min(STEPS_MAX - 1);
    let mut ranges_m = vec![f32::NAN; steps as usize + 1];
    let mut intensities = vec![0.0f32; ranges_m.len()];
    for row in rows {
        let place = row.column.checked_sub(first.column).map(|step| step as usize);
        let Some((step, range_m)) = place.and_then(|s| Some((s, ranges_m.get_mut(s)?))) else {
            tally.outside_grid += 1;
            continue;
        };
        if row.return_number > 1 {
            tally.further_returns += 1;
            continue;
        }
        tally.rows += 1;
        *range_m = if row.is_miss() { f32::INFINITY } else { row.range_m };
        if !row.is_miss() && row.intensity.is_finite() {
            intensities[step] = row.intensity;
        }
    }
    let farthest = ranges_m.iter().filter(|r| r.is_finite()).fold(0.0, |a: f32, &b| a.max(b));
    let [range_min, range_max] = facts.map_or([0.0, RANGE_MAX_M], |facts| facts.range_m);
    let time_increment_s = (last.time_s - first.time_s) / f64::from(steps.max(1));
    let scan = LaserScan {
        angle_min_rad: f64::from(first.azimuth_deg).to_radians(),
        angle_increment_rad: line.increment_deg.to_radians(),
        time_increment_s,
        scan_time_s: facts.map_or((last.time_s - first.time_s) + time_increment_s, |f| f.scan_s),
        range_m: [range_min, range_max.max(f64::from(farthest))],
        ranges_m: &ranges_m,
        intensities: &intensities,
    };
    messages::laser_scan(cdr, header, &scan);
}

/// A message that was read: where its numbers stand.
#[derive(Clone, Debug)]
pub(super) struct LineScan {
    angle_min_rad: f64,
    increment_rad: f64,
    time_increment_s: f64,
    range_m: [f32; 2],
    big_endian: bool,
    ranges: Range<usize>,
    intensities: Range<usize>,
}

impl LineScan {
    /// Reads a message behind its header.
    pub(super) fn read(cdr: &mut CdrReader<'_>) -> Result<LineScan, String> {
        let [angle_min, _, increment] = [cdr.f32()?, cdr.f32()?, cdr.f32()?].map(f64::from);
        let (time_increment, _scan_time) = (cdr.f32()?, cdr.f32()?);
        let range_m = [cdr.f32()?, cdr.f32()?];
        if !(angle_min.is_finite() && increment.is_finite()) {
            return Err(format!("its angles begin at {angle_min} and rise by {increment}"));
        }
        Ok(LineScan {
            angle_min_rad: angle_min,
            increment_rad: increment,
            time_increment_s: f64::from(time_increment),
            range_m,
            big_endian: cdr.is_big_endian(),
            ranges: floats(cdr)?,
            intensities: floats(cdr)?,
        })
    }

    pub(super) fn steps(&self) -> usize {
        self.ranges.len() / 4
    }

    pub(super) fn has_intensities(&self) -> bool {
        !self.intensities.is_empty()
    }

    fn float(&self, message: &[u8], of: &Range<usize>, step: usize) -> Option<f32> {
        let at = of.start + 4 * step;
        let bytes = *message.get(at..of.end)?.first_chunk::<4>()?;
        Some(if self.big_endian { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) })
    }

    /// Seconds after the header's stamp.
    pub(super) fn time_s(&self, step: usize) -> f64 {
        step as f64 * self.time_increment_s
    }

    pub(super) fn intensity(&self, message: &[u8], step: usize) -> f64 {
        self.float(message, &self.intensities, step).map_or(f64::NAN, f64::from)
    }

    fn angle_rad(&self, step: usize) -> f64 {
        self.angle_min_rad + step as f64 * self.increment_rad
    }

    pub(super) fn azimuth_deg(&self, step: usize) -> f64 {
        wrap_deg(self.angle_rad(step).to_degrees())
    }

    /// Whether the pulse of a step met nothing.
    pub(super) fn is_miss(&self, message: &[u8], step: usize) -> bool {
        let range_m = self.float(message, &self.ranges, step).unwrap_or(f32::NAN);
        range_m == f32::INFINITY || range_m > self.range_m[1]
    }

    /// The range of a return; NaN where there is none or it is no measurement.
    pub(super) fn range_m(&self, message: &[u8], step: usize) -> f64 {
        let range_m = self.float(message, &self.ranges, step).unwrap_or(f32::NAN);
        let valid = range_m.is_finite() && range_m >= self.range_m[0] && range_m > 0.0;
        let is_miss = range_m > self.range_m[1];
        if valid && !is_miss { f64::from(range_m) } else { f64::NAN }
    }

    /// The place of a return.
    pub(super) fn xyz_m(&self, message: &[u8], step: usize) -> [f64; 3] {
        let range_m = self.range_m(message, step);
        let (sin, cos) = math::sin_cos(self.angle_rad(step));
        [range_m * cos, range_m * sin, 0.0 * range_m]
    }
}

/// Where the bytes of a sequence of floats stand in the message.
fn floats(cdr: &mut CdrReader<'_>) -> Result<Range<usize>, String> {
    let count = cdr.u32()? as usize;
    let length = count.checked_mul(4).ok_or("a sequence is too long")?;
    cdr.bytes(length, 4)?;
    let end = cdr.position();
    Ok(end - length..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(azimuths_deg: &[f32]) -> Vec<ScanRow> {
        let row = |(column, &azimuth_deg): (usize, &f32)| ScanRow {
            time_s: column as f64 * 1e-5,
            xyz_m: [1.0, 0.0, 0.0],
            intensity: 0.5,
            range_m: 1.0,
            azimuth_deg,
            elevation_deg: 0.0,
            signal_photons: f32::NAN,
            ambient_photons: f32::NAN,
            column: column as u32,
            channel: 0,
            return_number: 1,
            return_count: 1,
            label: 0,
            rgb: [0; 3],
        };
        azimuths_deg.iter().enumerate().map(row).collect()
    }

    #[test]
    fn even_steps_in_one_plane_are_a_line_and_nothing_else_is() {
        let across = [178.0, 179.0, 180.0, -179.0, -178.0];
        assert_eq!(Line::find(&rows(&across)), Some(Line { increment_deg: 1.0 }));
        let back = [2.0, 1.5, 1.0, 0.5];
        assert_eq!(Line::find(&rows(&back)), Some(Line { increment_deg: -0.5 }));
        assert_eq!(Line::find(&rows(&[0.0, 1.0, 4.0, 5.0])), None);
        assert_eq!(Line::find(&rows(&[0.0])), None);
        assert_eq!(Line::find(&rows(&[0.0, 0.0, 0.0])), None);
        let mut tilted = rows(&across);
        tilted[2].elevation_deg = 0.2;
        assert_eq!(Line::find(&tilted), None);
        let mut two = rows(&across);
        two[1].channel = 1;
        assert_eq!(Line::find(&two), None);
    }
}
