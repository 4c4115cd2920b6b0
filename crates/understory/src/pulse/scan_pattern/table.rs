//! Directions listed one by one, for any odd scanner: row → pulse.
//!
//! The rows repeat after a cycle. All beams leave the sensor at its origin.

mod from_table;

use std::ops::Range;
use understory_base::math;

use glam::DVec3;

use super::{Cycle, Pattern, Pulses, first_multiple_at};

/// One row: a direction and when it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableRow {
    /// Time after the start of the cycle.
    pub time_s: f64,
    /// Azimuth, counter-clockwise from x.
    pub azimuth_rad: f64,
    /// Angle above the horizon.
    pub elevation_rad: f64,
    /// Laser channel.
    pub channel: u16,
}

/// A pattern as a list of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    cycle_s: f64,
    rows: Vec<TableRow>,
    directions: Vec<DVec3>,
    channels: usize,
}

impl Table {
    /// Builds the pattern; `None` unless there is a row, times do not fall and lie in the cycle.
    pub fn new(cycle_s: f64, rows: Vec<TableRow>) -> Option<Table> {
        let valid = cycle_s.is_finite()
            && cycle_s > 0.0
            && !rows.is_empty()
            && rows.windows(2).all(|pair| pair[0].time_s <= pair[1].time_s)
            && rows.iter().all(|row| {
                (0.0..cycle_s).contains(&row.time_s)
                    && row.azimuth_rad.is_finite()
                    && row.elevation_rad.is_finite()
            });
        if !valid {
            return None;
        }
        let directions = rows
            .iter()
            .map(|row| {
                let (sin, cos) = math::sin_cos(row.azimuth_rad);
                let (sin_elevation, cos_elevation) = math::sin_cos(row.elevation_rad);
                DVec3::new(cos_elevation * cos, cos_elevation * sin, sin_elevation)
            })
            .collect();
        let channels = rows.iter().map(|row| usize::from(row.channel) + 1).max().unwrap_or(0);
        Some(Table { cycle_s, rows, directions, channels })
    }

    /// Time after which the rows repeat.
    pub fn cycle_s(&self) -> f64 {
        self.cycle_s
    }

    /// The rows.
    pub fn rows(&self) -> &[TableRow] {
        &self.rows
    }
}

impl Pattern for Table {
    fn channels(&self) -> usize {
        self.channels
    }

    fn pulse_rate_hz(&self) -> f64 {
        self.rows.len() as f64 / self.cycle_s
    }

    fn scan_duration_s(&self) -> f64 {
        self.cycle_s
    }

    fn columns_per_scan(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    fn first_pulse_at(&self, time_s: f64) -> u64 {
        let next = first_multiple_at(time_s, self.cycle_s);
        let cycle = next.saturating_sub(1);
        let start_s = cycle as f64 * self.cycle_s;
        let row = if next == 0 {
            0
        } else {
            self.rows.partition_point(|row| start_s + row.time_s < time_s)
        };
        cycle.saturating_mul(self.rows.len() as u64).saturating_add(row as u64)
    }

    fn cycle_of(&self, pulse: u64) -> Cycle {
        let count = self.rows.len() as u64;
        let start_s = (pulse / count) as f64 * self.cycle_s;
        let row = &self.rows[(pulse % count) as usize];
        Cycle { start_s: start_s + row.time_s, end: pulse + 1 }
    }

    fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        let count = self.rows.len() as u64;
        for pulse in pulses {
            let cycle = pulse / count;
            let index = (pulse % count) as usize;
            let row = &self.rows[index];
            out.time_s.push(cycle as f64 * self.cycle_s + row.time_s);
            out.channel.push(row.channel);
            out.scan.push(u32::try_from(cycle).unwrap_or(u32::MAX));
            out.column.push(u32::try_from(index).unwrap_or(u32::MAX));
            out.direction.push(self.directions[index]);
            out.origin_m.push(DVec3::ZERO);
            out.azimuth_report_error_rad.push(0.0);
        }
    }
}
