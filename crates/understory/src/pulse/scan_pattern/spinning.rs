//! A head that turns, with lasers that fire in a fixed cycle: pulse index → direction and origin.
//!
//! The head turns continuously, so each firing has the azimuth of its own time:
//! θ(t) = θ₀ ± 2π·f·t, counter-clockwise seen from above for +. A laser with elevation ω and
//! azimuth offset δ (to the left) looks along (cos ω·cos(θ+δ), cos ω·sin(θ+δ), sin ω). Its beam
//! leaves the sensor at `forward` along the head's own direction θ, plus `left`, level and
//! perpendicular to the beam, plus `up`. With θ = −α this is what decoders of Velodyne packets
//! compute: x = d·cos ω·cos(α−δ), y = −d·cos ω·sin(α−δ), z = d·sin ω + offset.
//!
//! Two timings exist. *Free running*: cycles follow each other without regard to the encoder, so
//! that revolutions differ by a fraction of a column (Velodyne, Hesai). *Framed*: the encoder
//! triggers columns at fixed azimuths, the same in each scan (Ouster, line scanners, windows).
//!
//! The encoder's zero looks along x at time 0; in a framed pattern the first column fires at
//! time 0.

mod from_table;

pub(super) use from_table::{COLUMNS_MAX, column_room_s};
use understory_base::math;

use std::f64::consts::TAU;
use std::ops::Range;

use glam::DVec3;
use understory_files::sensor::Direction;

use super::clock::{first_cycle_of, frame_of};
use super::frames::{ColumnPart, Frames};
use super::{Cycle, Pattern, Pulses, first_multiple_at};

/// One laser of the head.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Laser {
    /// Angle above the horizon.
    pub elevation_rad: f64,
    /// Angle to the left of the head's direction.
    pub azimuth_offset_rad: f64,
    /// Origin of the beam along the head's direction.
    pub forward_m: f64,
    /// Origin of the beam to the left, perpendicular to the beam.
    pub left_m: f64,
    /// Origin of the beam above the sensor's origin.
    pub up_m: f64,
}

/// One firing of a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Firing {
    /// Which laser.
    pub channel: u16,
    /// Time after the start of the column.
    pub offset_s: f64,
}

/// When columns fire.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// All firings, again and again.
    FreeRunning {
        /// Duration of a cycle.
        cycle_s: f64,
    },
    /// Columns at fixed azimuths, which name firings of the list.
    Framed(Frames),
}

/// What a spinning pattern is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinningSpec {
    /// Revolutions per second of the head or mirror.
    pub rotation_hz: f64,
    /// Sense of rotation.
    pub direction: Direction,
    /// Step of the encoder that reports the azimuth; 0: none.
    pub encoder_step_rad: f64,
    /// The lasers.
    pub lasers: Vec<Laser>,
    /// The firings, rising in time within a column.
    pub firings: Vec<Firing>,
    /// When columns fire.
    pub timing: Timing,
}

/// A spinning pattern, ready to fill batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Spinning {
    spec: SpinningSpec,
    optics: Vec<LaserOptics>,
}

/// A laser's sines and cosines.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LaserOptics {
    sin_elevation: f64,
    cos_elevation: f64,
    sin_offset: f64,
    cos_offset: f64,
}

impl Spinning {
    /// Builds the pattern; `None` if it is empty, a firing names a laser that does not exist, or a
    /// time, rate or column is not positive and finite.
    pub fn new(spec: SpinningSpec) -> Option<Spinning> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let firings = spec.firings.len();
        let timing = match &spec.timing {
            Timing::FreeRunning { cycle_s } => positive(*cycle_s),
            Timing::Framed(frames) => frames
                .columns()
                .iter()
                .all(|column| column.first_firing.saturating_add(column.firings) <= firings),
        };
        let lasers = spec.firings.iter().all(|f| usize::from(f.channel) < spec.lasers.len());
        let optics = spec
            .lasers
            .iter()
            .map(|laser| {
                let (sin_elevation, cos_elevation) = math::sin_cos(laser.elevation_rad);
                let (sin_offset, cos_offset) = math::sin_cos(laser.azimuth_offset_rad);
                LaserOptics { sin_elevation, cos_elevation, sin_offset, cos_offset }
            })
            .collect();
        (timing && lasers && firings > 0 && positive(spec.rotation_hz))
            .then_some(Spinning { spec, optics })
    }

    /// The lasers.
    pub fn lasers(&self) -> &[Laser] {
        &self.spec.lasers
    }

    /// What the pattern is made of.
    pub fn spec(&self) -> &SpinningSpec {
        &self.spec
    }

    /// Angle between neighbouring columns: the true one if they are evenly spaced.
    pub fn azimuth_step_rad(&self) -> f64 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => TAU * self.spec.rotation_hz * cycle_s,
            Timing::Framed(frames) => frames.azimuth_step_rad(),
        }
    }
}

impl Pattern for Spinning {
    fn channels(&self) -> usize {
        self.spec.lasers.len()
    }

    fn pulse_rate_hz(&self) -> f64 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => self.spec.firings.len() as f64 / cycle_s,
            Timing::Framed(frames) => frames.pulse_rate_hz(),
        }
    }

    fn scan_duration_s(&self) -> f64 {
        match &self.spec.timing {
            Timing::FreeRunning { .. } => 1.0 / self.spec.rotation_hz,
            Timing::Framed(frames) => frames.scan_s(),
        }
    }

    fn columns_per_scan(&self) -> u32 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => {
                (1.0 / (self.spec.rotation_hz * cycle_s) - 1e-6).ceil() as u32
            }
            Timing::Framed(frames) => frames.columns_per_scan(),
        }
    }

    fn first_pulse_at(&self, time_s: f64) -> u64 {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => {
                first_multiple_at(time_s, *cycle_s).saturating_mul(self.spec.firings.len() as u64)
            }
            Timing::Framed(frames) => frames.first_pulse_at(time_s),
        }
    }

    fn cycle_of(&self, pulse: u64) -> Cycle {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => {
                let count = self.spec.firings.len() as u64;
                let cycle = pulse / count;
                let end = (cycle + 1).saturating_mul(count);
                Cycle { start_s: cycle as f64 * cycle_s, end }
            }
            Timing::Framed(frames) => frames.cycle_of(pulse),
        }
    }

    fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        match &self.spec.timing {
            Timing::FreeRunning { cycle_s } => self.fill_free(pulses, *cycle_s, out),
            Timing::Framed(frames) => frames.for_each(pulses, |part| self.push_column(part, out)),
        }
    }
}

impl Spinning {
    fn fill_free(&self, pulses: Range<u64>, cycle_s: f64, out: &mut Pulses) {
        let rotation_hz = self.spec.rotation_hz;
        let sign = self.spec.direction.sign();
        let revolutions_per_cycle = rotation_hz * cycle_s;
        let count = self.spec.firings.len() as u64;
        let mut pulse = pulses.start;
        while pulse < pulses.end {
            let cycle = pulse / count;
            let revolutions = cycle as f64 * revolutions_per_cycle;
            let scan = frame_of(cycle, revolutions_per_cycle);
            let column = cycle - first_cycle_of(scan, revolutions_per_cycle).min(cycle);
            let azimuth_rad = sign * TAU * revolutions.fract();
            let end = pulses.end.min((cycle + 1).saturating_mul(count));
            let firings = (pulse - cycle * count) as usize..(end - cycle * count) as usize;
            let start_s = cycle as f64 * cycle_s;
            self.push_column(ColumnPart { firings, start_s, azimuth_rad, scan, column }, out);
            pulse = end;
        }
    }

    /// Adds firings of one column.
    fn push_column(&self, part: ColumnPart, out: &mut Pulses) {
        let ColumnPart { firings, start_s, azimuth_rad, scan, column } = part;
        let turn_rad_per_s = self.spec.direction.sign() * TAU * self.spec.rotation_hz;
        let step = self.spec.encoder_step_rad;
        // The encoder is read once per column; decoders interpolate the rest from the times.
        let report_error_rad =
            if step > 0.0 { (azimuth_rad / step).round() * step - azimuth_rad } else { 0.0 };
        let mut last_offset_s = f64::NAN;
        let (mut sin, mut cos) = (0.0, 0.0);
        for firing in &self.spec.firings[firings] {
            if firing.offset_s != last_offset_s {
                (sin, cos) = math::sin_cos(azimuth_rad + turn_rad_per_s * firing.offset_s);
                last_offset_s = firing.offset_s;
            }
            let laser = &self.spec.lasers[usize::from(firing.channel)];
            let optics = &self.optics[usize::from(firing.channel)];
            let beam_cos = cos * optics.cos_offset - sin * optics.sin_offset;
            let beam_sin = sin * optics.cos_offset + cos * optics.sin_offset;
            out.time_s.push(start_s + firing.offset_s);
            out.channel.push(firing.channel);
            out.scan.push(u32::try_from(scan).unwrap_or(u32::MAX));
            out.column.push(u32::try_from(column).unwrap_or(u32::MAX));
            out.direction.push(DVec3::new(
                optics.cos_elevation * beam_cos,
                optics.cos_elevation * beam_sin,
                optics.sin_elevation,
            ));
            out.origin_m.push(DVec3::new(
                laser.forward_m * cos - laser.left_m * beam_sin,
                laser.forward_m * sin + laser.left_m * beam_cos,
                laser.up_m,
            ));
            out.azimuth_report_error_rad.push(report_error_rad as f32);
        }
    }
}
