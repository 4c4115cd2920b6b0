//! Fixed lasers that fire at a turning 45° mirror: pulse index → direction and origin.
//!
//! The lasers sit on the mirror's axis above it and fire down, laser i tilted by its layer angle ε
//! (Gschwandtner 2011, "P3", §3.3 and Fig. 3). With the mirror at azimuth α the normal is
//! n = (cos α, sin α, 1)/√2, the beam arrives along d = (−sin ε, 0, −cos ε) and leaves along
//!
//! d − 2(d·n)n = (cos ε cos α − sin ε sin²α, cos ε sin α + sin ε sin α cos α, sin ε cos α).
//!
//! So a layer has its angle ε only straight ahead; to the side the layers come together and at 90°
//! their angle has become one of azimuth. The lasers stand `emitter_m` above the mirror's centre,
//! which is the sensor's origin; the beam leaves the mirror where it meets it:
//! (0, 0, h) + s·d with s = h/(cos ε + sin ε cos α).

mod from_table;

use std::f64::consts::TAU;
use std::ops::Range;
use understory_base::math;

use glam::DVec3;

use super::frames::{ColumnPart, Frames};
use super::spinning::Firing;
use super::{Cycle, Pattern, Pulses};
use understory_files::sensor::Direction;

/// What a line scanner is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct LineMirrorSpec {
    /// Revolutions per second of the mirror.
    pub rotation_hz: f64,
    /// Sense of rotation seen from above.
    pub direction: Direction,
    /// Angle of each layer's laser, up where the mirror looks ahead.
    pub layers_rad: Vec<f64>,
    /// Height of the lasers above the mirror's centre; 0: beams leave at the sensor's origin.
    pub emitter_m: f64,
    /// The firings, rising in time within a column; the channel is the layer.
    pub firings: Vec<Firing>,
    /// The columns of a scan, which name firings of the list.
    pub frames: Frames,
}

/// A line scanner, ready to fill batches.
#[derive(Clone, Debug, PartialEq)]
pub struct LineMirror {
    spec: LineMirrorSpec,
    /// Sine and cosine of each layer's angle.
    layers: Vec<(f64, f64)>,
}

impl LineMirror {
    /// Builds the pattern; `None` if a firing names a layer that does not exist, a layer's beam
    /// would not meet the mirror, or a rate is not positive and finite.
    pub fn new(spec: LineMirrorSpec) -> Option<LineMirror> {
        let firings = spec.firings.len();
        let valid = spec.rotation_hz.is_finite()
            && spec.rotation_hz > 0.0
            && spec.emitter_m.is_finite()
            && spec.layers_rad.iter().all(|layer| layer.abs() < LAYER_MAX_RAD)
            && spec.firings.iter().all(|f| usize::from(f.channel) < spec.layers_rad.len())
            && spec
                .frames
                .columns()
                .iter()
                .all(|column| column.first_firing.saturating_add(column.firings) <= firings);
        let layers = spec.layers_rad.iter().map(|layer| math::sin_cos(*layer)).collect();
        valid.then_some(LineMirror { spec, layers })
    }

    /// What the pattern is made of.
    pub fn spec(&self) -> &LineMirrorSpec {
        &self.spec
    }

    fn push_column(&self, part: ColumnPart, out: &mut Pulses) {
        let turn_rad_per_s = self.spec.direction.sign() * TAU * self.spec.rotation_hz;
        for firing in &self.spec.firings[part.firings] {
            let (sin, cos) = math::sin_cos(part.azimuth_rad + turn_rad_per_s * firing.offset_s);
            let (sin_layer, cos_layer) = self.layers[usize::from(firing.channel)];
            let direction = DVec3::new(
                cos_layer * cos - sin_layer * sin * sin,
                cos_layer * sin + sin_layer * sin * cos,
                sin_layer * cos,
            );
            let down_m = self.spec.emitter_m / (cos_layer + sin_layer * cos);
            let origin_m =
                DVec3::new(-down_m * sin_layer, 0.0, self.spec.emitter_m - down_m * cos_layer);
            let time_s = part.start_s + firing.offset_s;
            out.push(time_s, firing.channel, part.scan, part.column, direction, origin_m);
        }
    }
}

/// Beyond this tilt a beam could miss the mirror: cos ε + sin ε cos α must stay above 0.
pub const LAYER_MAX_RAD: f64 = std::f64::consts::FRAC_PI_4;

impl Pattern for LineMirror {
    fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        self.spec.frames.for_each(pulses, |part| self.push_column(part, out));
    }

    fn first_pulse_at(&self, time_s: f64) -> u64 {
        self.spec.frames.first_pulse_at(time_s)
    }

    fn cycle_of(&self, pulse: u64) -> Cycle {
        self.spec.frames.cycle_of(pulse)
    }

    fn pulse_rate_hz(&self) -> f64 {
        self.spec.frames.pulse_rate_hz()
    }

    fn scan_duration_s(&self) -> f64 {
        self.spec.frames.scan_s()
    }

    fn channels(&self) -> usize {
        self.spec.layers_rad.len()
    }

    fn columns_per_scan(&self) -> u32 {
        self.spec.frames.columns_per_scan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulse::scan_pattern::frames::Column;

    /// One column at `azimuth_deg` with one layer of `layer_deg`.
    fn pulse(layer_deg: f64, azimuth_deg: f64, emitter_m: f64) -> Pulses {
        let azimuth_rad = azimuth_deg.to_radians();
        let column = Column { time_s: 0.0, azimuth_rad, first_firing: 0, firings: 1 };
        let mirror = LineMirror::new(LineMirrorSpec {
            rotation_hz: 10.0,
            direction: Direction::Counterclockwise,
            layers_rad: vec![layer_deg.to_radians()],
            emitter_m,
            firings: vec![Firing { channel: 0, offset_s: 0.0 }],
            frames: Frames::new(0.1, vec![column], 1).unwrap(),
        })
        .unwrap();
        let mut pulses = Pulses::default();
        mirror.fill(0..1, &mut pulses);
        pulses
    }

    fn yaw_pitch_deg(direction: DVec3) -> (f64, f64) {
        (direction.y.atan2(direction.x).to_degrees(), direction.z.asin().to_degrees())
    }

    #[test]
    fn directions_are_those_worked_out_by_hand() {
        for (layer, azimuth, yaw, pitch) in [
            (1.6, 30.0, 30.8001560, 1.38559561),
            (1.6, -50.0, -51.2258028, 1.02838173),
            (-1.6, 60.0, 58.6142693, -0.799922014),
            (0.8, 35.0, 35.4588812, 0.655314630),
            // P3 Fig. 3: ahead the layer's own angle, at 90° all of it in azimuth.
            (1.6, 0.0, 0.0, 1.6),
            (1.6, 90.0, 91.6, 0.0),
        ] {
            let (ours_yaw, ours_pitch) = yaw_pitch_deg(pulse(layer, azimuth, 0.0).direction[0]);
            assert!((ours_yaw - yaw).abs() < 6e-8, "{layer} {azimuth}: {ours_yaw}");
            assert!((ours_pitch - pitch).abs() < 6e-9, "{layer} {azimuth}: {ours_pitch}");
        }
    }

    #[test]
    fn beams_reflect_by_the_law_and_leave_where_they_meet_the_mirror() {
        for layer_deg in [-30.0_f64, -1.2, 0.0, 0.4, 20.0] {
            for azimuth_deg in [-170.0_f64, -60.0, 0.0, 1.0, 45.0, 120.0] {
                let pulses = pulse(layer_deg, azimuth_deg, 0.05);
                let (direction, origin) = (pulses.direction[0], pulses.origin_m[0]);
                let (sin, cos) = azimuth_deg.to_radians().sin_cos();
                let normal = DVec3::new(cos, sin, 1.0).normalize();
                let (sin_layer, cos_layer) = layer_deg.to_radians().sin_cos();
                let arriving = DVec3::new(-sin_layer, 0.0, -cos_layer);
                let reflected = arriving - 2.0 * arriving.dot(normal) * normal;
                assert!((direction - reflected).length() < 1e-15);
                assert!((direction.length() - 1.0).abs() < 1e-15);
                // On the mirror, and on the beam from the laser.
                assert!(origin.dot(normal).abs() < 1e-15);
                let from_laser = origin - DVec3::new(0.0, 0.0, 0.05);
                assert!(from_laser.cross(arriving).length() < 1e-15);
                assert!(from_laser.dot(arriving) > 0.0);
            }
        }
    }
}
