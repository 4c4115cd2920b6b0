//! One row of a scan as its message needs it, and what was counted on the way.

use crate::Records;

/// What a scan's message needs of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScanRow {
    pub(super) time_s: f64,
    pub(super) xyz_m: [f32; 3],
    pub(super) intensity: f32,
    pub(super) range_m: f32,
    pub(super) azimuth_deg: f32,
    pub(super) elevation_deg: f32,
    pub(super) signal_photons: f32,
    pub(super) ambient_photons: f32,
    pub(super) column: u32,
    pub(super) channel: u16,
    pub(super) return_number: u8,
    pub(super) return_count: u8,
    pub(super) label: u16,
    pub(super) rgb: [u8; 3],
}

impl ScanRow {
    pub(super) fn of(records: &Records, row: usize) -> ScanRow {
        ScanRow {
            time_s: records.time_s[row],
            xyz_m: records.sensor_xyz_m[row],
            intensity: records.intensity[row],
            range_m: records.range_m[row],
            azimuth_deg: records.azimuth_deg[row],
            elevation_deg: records.elevation_deg[row],
            signal_photons: records.signal_photons[row],
            ambient_photons: records.ambient_photons[row],
            column: records.column[row],
            channel: records.channel[row],
            return_number: records.return_number[row],
            return_count: records.return_count[row],
            label: records.label[row],
            rgb: records.colour_rgb[row],
        }
    }

    pub(super) fn is_miss(&self) -> bool {
        self.return_number == 0
    }
}

/// What was written, and what found no room.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) rows: u64,
    pub(super) dropped_misses: u64,
    /// Returns of a pulse for which a layout has only one place.
    pub(super) further_returns: u64,
    /// Rows whose channel or column the sensor's facts do not have.
    pub(super) outside_grid: u64,
    /// Intensities that were cut.
    pub(super) cut_intensities: u64,
    /// Returns whose numbers a layout has no field for.
    pub(super) unnumbered: u64,
}

/// Unix time of a moment of the run.
pub(super) fn unix_ns(start_unix_ns: i64, time_s: f64) -> i64 {
    start_unix_ns.saturating_add((time_s * 1e9).round() as i64)
}
