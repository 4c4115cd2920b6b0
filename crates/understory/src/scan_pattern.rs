//! Which way the sensor looks, and when: pulse index → [`Pulses`].
//!
//! A pattern is a pure function of the pulse index, so that any interval of a run can be computed
//! by itself. Angles and offsets are in the sensor's frame: x forward, y left, z up.

use glam::DVec3;

/// A batch of pulses as columns, in firing order. Everything is in the sensor's frame.
#[derive(Clone, Debug, Default)]
pub struct Pulses {
    /// Index of the first pulse of the batch; the others follow one by one.
    pub first: u64,
    /// Firing time in seconds since the start of the run.
    pub time_s: Vec<f64>,
    /// Laser channel.
    pub channel: Vec<u16>,
    /// Revolution or frame.
    pub scan: Vec<u32>,
    /// Step within the revolution or frame.
    pub column: Vec<u32>,
    /// True direction of the beam's axis, unit length.
    pub direction: Vec<DVec3>,
    /// Where the beam leaves the sensor.
    pub origin_m: Vec<DVec3>,
    /// What the sensor reports as azimuth minus the true azimuth (encoder steps), radians.
    pub azimuth_report_error_rad: Vec<f32>,
}

impl Pulses {
    /// Number of pulses.
    pub fn len(&self) -> usize {
        self.time_s.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.time_s.is_empty()
    }

    /// Removes all pulses and keeps the memory.
    pub fn clear(&mut self) {
        self.time_s.clear();
        self.channel.clear();
        self.scan.clear();
        self.column.clear();
        self.direction.clear();
        self.origin_m.clear();
        self.azimuth_report_error_rad.clear();
    }
}
