//! A mirror that sweeps one beam along a line, on an aircraft or a turning head: pulse index →
//! direction.
//!
//! The beam meets the mirror across its axis, so it stays in one plane and turns by twice the
//! mirror's angle. *Polygon*: N facets at ω revolutions per second draw N·ω lines per second; a
//! facet could sweep 720°/N of which only the field of view is used, and between two lines the
//! laser's pulses go nowhere. (A mirror that is no polygon may sweep another angle in the time of a
//! line, such as the whole turn.) They are not fired here: a line has the pulses that fit into
//! field/(sweep·lines per second) seconds, centred in the field, at the laser's rate from the start of each line.
//! *Sine* and *zigzag*: a mirror that swings to and fro, at a sine's or an even speed, one line per
//! half period; the laser never pauses.
//!
//! *Across the track* the plane is across x, 0° straight down and positive to the left. *Vertical*
//! it holds z, the angle is the elevation, and a head may turn it about z.

mod from_table;

use std::f64::consts::{PI, TAU};
use std::ops::Range;
use understory_base::math;

use glam::DVec3;
use understory_files::sensor::SweepPlane;

use super::clock::{Clock, first_cycle_of, frame_of};
use super::{Cycle, Pattern, Pulses, first_multiple_at};

/// How the mirror moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MirrorMotion {
    /// It turns.
    Polygon {
        /// Lines that a turn draws; 1 where no facets are known.
        facets: u32,
        /// What it sweeps in the time of a line, used or not.
        sweep_rad: f64,
    },
    /// It swings like a pendulum.
    Sine,
    /// It swings at an even speed.
    Zigzag,
}

impl MirrorMotion {
    /// A polygon of so many facets.
    pub fn polygon(facets: u32) -> MirrorMotion {
        MirrorMotion::Polygon { facets, sweep_rad: optical_rad(facets) }
    }
}

/// What a scanning mirror is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanningMirrorSpec {
    /// How the mirror moves.
    pub motion: MirrorMotion,
    /// The plane of the lines.
    pub plane: SweepPlane,
    /// Least and greatest angle of the beam.
    pub field_rad: [f64; 2],
    /// Lines per second.
    pub lines_per_s: f64,
    /// Pulses per second of the laser while it fires.
    pub laser_hz: f64,
    /// Revolutions per second of the head about z, counter-clockwise if positive; 0: none.
    pub head_hz: f64,
}

/// A scanning mirror, ready to fill batches.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanningMirror {
    spec: ScanningMirrorSpec,
    sweep: Sweep,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sweep {
    /// Lines with pauses between them.
    Lines { pulses: u64, rad_per_s: f64 },
    /// Pulses without a pause.
    Swing { clock: Clock },
}

impl ScanningMirror {
    /// Builds the pattern; `None` if a number is not finite or positive, the field is empty or more
    /// than the facets can sweep, a line has no pulse, or a head turns a line across the track.
    pub fn new(spec: ScanningMirrorSpec) -> Option<ScanningMirror> {
        let [low, high] = spec.field_rad;
        let field_rad = high - low;
        let positive = |number: f64| number.is_finite() && number > 0.0;
        let valid = positive(spec.lines_per_s)
            && positive(spec.laser_hz)
            && spec.head_hz.is_finite()
            && positive(field_rad)
            && field_rad <= TAU
            && low.abs() <= TAU
            && (spec.head_hz == 0.0 || spec.plane == SweepPlane::Vertical);
        if !valid {
            return None;
        }
        let head_s = if spec.head_hz == 0.0 { None } else { Some(1.0 / spec.head_hz.abs()) };
        let sweep = match spec.motion {
            MirrorMotion::Polygon { facets, sweep_rad } => {
                let rad_per_s = sweep_rad * spec.lines_per_s;
                // A slack keeps the count of a field that holds a whole number of steps.
                let pulses = (field_rad / rad_per_s * spec.laser_hz + 1e-9).floor();
                let lines_per_turn = head_s.map_or(1.0, |head_s| head_s * spec.lines_per_s);
                let valid = facets >= 1
                    && positive(sweep_rad)
                    && field_rad <= sweep_rad * (1.0 + 1e-12)
                    && (1.0..4.0e9).contains(&pulses)
                    && (1.0..4.0e9).contains(&lines_per_turn);
                valid.then_some(Sweep::Lines { pulses: pulses as u64, rad_per_s })?
            }
            MirrorMotion::Sine | MirrorMotion::Zigzag => {
                let frame_s = head_s.unwrap_or(1.0 / spec.lines_per_s);
                Sweep::Swing { clock: Clock::new(1.0 / spec.laser_hz, 1, frame_s)? }
            }
        };
        Some(ScanningMirror { spec, sweep })
    }

    /// What the pattern is made of.
    pub fn spec(&self) -> &ScanningMirrorSpec {
        &self.spec
    }

    /// Revolutions, or full swings, of the mirror per second.
    pub fn mirror_hz(&self) -> f64 {
        match self.spec.motion {
            MirrorMotion::Polygon { facets, .. } => self.spec.lines_per_s / f64::from(facets),
            MirrorMotion::Sine | MirrorMotion::Zigzag => self.spec.lines_per_s / 2.0,
        }
    }

    /// Time of a pulse of a line of a polygon.
    fn line_pulse_s(&self, line: u64, pulse: u64) -> f64 {
        line as f64 / self.spec.lines_per_s + pulse as f64 / self.spec.laser_hz
    }

    fn push(&self, time_s: f64, angle_rad: f64, scan: u64, column: u64, out: &mut Pulses) {
        let (sin, cos) = math::sin_cos(angle_rad);
        let direction = match self.spec.plane {
            SweepPlane::AcrossTrack => DVec3::new(0.0, sin, -cos),
            SweepPlane::Vertical if self.spec.head_hz == 0.0 => DVec3::new(cos, 0.0, sin),
            SweepPlane::Vertical => {
                // Whole turns are taken off before they eat the digits of the angle.
                let (head_sin, head_cos) =
                    math::sin_cos(TAU * (self.spec.head_hz * time_s).fract());
                DVec3::new(cos * head_cos, cos * head_sin, sin)
            }
        };
        out.push(time_s, 0, scan, column, direction, DVec3::ZERO);
    }

    fn fill_lines(&self, pulses: Range<u64>, per_line: u64, rad_per_s: f64, out: &mut Pulses) {
        let [low, high] = self.spec.field_rad;
        let step_rad = rad_per_s / self.spec.laser_hz;
        let start_rad = 0.5 * (low + high) - 0.5 * (per_line - 1) as f64 * step_rad;
        let turns_per_line = self.spec.head_hz.abs() / self.spec.lines_per_s;
        for pulse in pulses {
            let (line, in_line) = (pulse / per_line, pulse % per_line);
            let angle_rad = start_rad + in_line as f64 * step_rad;
            let (scan, column) = if turns_per_line == 0.0 {
                (line, in_line)
            } else {
                let turn = frame_of(line, turns_per_line);
                (turn, line - first_cycle_of(turn, turns_per_line).min(line))
            };
            self.push(self.line_pulse_s(line, in_line), angle_rad, scan, column, out);
        }
    }

    fn fill_swing(&self, pulses: Range<u64>, clock: &Clock, out: &mut Pulses) {
        let [low, high] = self.spec.field_rad;
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        clock.for_each(pulses, |part| {
            // From the least angle to the greatest and back.
            let swing = (0.5 * self.spec.lines_per_s * part.time_s).fract();
            let share = match self.spec.motion {
                MirrorMotion::Zigzag => 1.0 - 4.0 * (swing - 0.5).abs(),
                _ => -math::cos(TAU * swing),
            };
            self.push(part.time_s, middle + half * share, part.scan, part.column, out);
        });
    }
}

/// What one facet of a polygon can sweep: twice its own share of the circle.
pub fn optical_rad(facets: u32) -> f64 {
    4.0 * PI / f64::from(facets.max(1))
}

impl Pattern for ScanningMirror {
    fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        match &self.sweep {
            Sweep::Lines { pulses: per_line, rad_per_s } => {
                self.fill_lines(pulses, *per_line, *rad_per_s, out);
            }
            Sweep::Swing { clock } => self.fill_swing(pulses, clock, out),
        }
    }

    fn first_pulse_at(&self, time_s: f64) -> u64 {
        let per_line = match &self.sweep {
            Sweep::Swing { clock } => return clock.first_pulse_at(time_s),
            Sweep::Lines { pulses, .. } => *pulses,
        };
        // A line's start is computed by dividing, not as a multiple of a rounded period; the line
        // after the guess starts late enough, and pulses are looked for from the line before it.
        let guess = first_multiple_at(time_s, 1.0 / self.spec.lines_per_s);
        let mut line = guess.saturating_sub(2);
        loop {
            let (mut low, mut high) = (0, per_line);
            while low < high {
                let pulse = (low + high) / 2;
                if self.line_pulse_s(line, pulse) < time_s { low = pulse + 1 } else { high = pulse }
            }
            if low < per_line || line >= guess.saturating_add(2) {
                return line.saturating_mul(per_line).saturating_add(low);
            }
            line += 1;
        }
    }

    fn cycle_of(&self, pulse: u64) -> Cycle {
        match &self.sweep {
            Sweep::Swing { clock } => clock.cycle_of(pulse),
            Sweep::Lines { pulses, .. } => Cycle {
                start_s: self.line_pulse_s(pulse / pulses, pulse % pulses),
                end: pulse.saturating_add(1),
            },
        }
    }

    fn pulse_rate_hz(&self) -> f64 {
        match &self.sweep {
            Sweep::Swing { clock } => clock.pulse_rate_hz(),
            Sweep::Lines { pulses, .. } => *pulses as f64 * self.spec.lines_per_s,
        }
    }

    fn scan_duration_s(&self) -> f64 {
        match &self.sweep {
            Sweep::Swing { clock } => clock.frame_s(),
            Sweep::Lines { .. } if self.spec.head_hz == 0.0 => 1.0 / self.spec.lines_per_s,
            Sweep::Lines { .. } => 1.0 / self.spec.head_hz.abs(),
        }
    }

    fn channels(&self) -> usize {
        1
    }

    fn columns_per_scan(&self) -> u32 {
        match &self.sweep {
            Sweep::Swing { clock } => clock.columns_per_scan(),
            Sweep::Lines { pulses, .. } if self.spec.head_hz == 0.0 => {
                u32::try_from(*pulses).unwrap_or(u32::MAX)
            }
            Sweep::Lines { .. } => {
                (self.spec.lines_per_s / self.spec.head_hz.abs() - 1e-6).ceil() as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(motion: MirrorMotion) -> ScanningMirrorSpec {
        ScanningMirrorSpec {
            motion,
            plane: SweepPlane::AcrossTrack,
            field_rad: [-0.5, 0.5],
            lines_per_s: 100.0,
            laser_hz: 100_000.0,
            head_hz: 0.0,
        }
    }

    /// Angle from straight down to the left of each pulse.
    fn angles(mirror: &ScanningMirror, count: u64) -> (Pulses, Vec<f64>) {
        let mut pulses = Pulses::default();
        mirror.fill(0..count, &mut pulses);
        let angles = pulses.direction.iter().map(|d| d.y.atan2(-d.z)).collect();
        (pulses, angles)
    }

    #[test]
    fn a_polygon_doubles_the_angle_and_pauses_between_lines() {
        // 4 facets at 25 turns a second: 100 lines of 10 ms, the beam turning by 4π·25 rad/s, so
        // that 1 rad takes 3.1831 ms: 318 pulses, then 6.8 ms without.
        let mirror = ScanningMirror::new(spec(MirrorMotion::polygon(4))).unwrap();
        assert!((mirror.mirror_hz() - 25.0).abs() < 1e-12);
        assert!((mirror.pulse_rate_hz() - 31_800.0).abs() < 1e-9);
        let (pulses, angles) = angles(&mirror, 636);
        let step = 4.0 * PI * 25.0 / 100_000.0;
        for i in 0..317 {
            assert!((angles[i + 1] - angles[i] - step).abs() < 1e-12);
        }
        assert!((angles[0] + angles[317]).abs() < 1e-12, "centred");
        assert!(angles[0] >= -0.5 && angles[0] - step < -0.5, "full");
        assert!((pulses.time_s[317] - 317e-5).abs() < 1e-15);
        assert!((pulses.time_s[318] - 0.01).abs() < 1e-15);
        assert_eq!((pulses.scan[318], pulses.column[318]), (1, 0));
        assert_eq!(angles[318], angles[0]);
        assert!(pulses.direction.iter().all(|d| d.x == 0.0 && d.z < 0.0));
        // In the pause the next pulse is the next line's first.
        assert_eq!(mirror.first_pulse_at(0.005), 318);
    }

    #[test]
    fn swings_reach_both_ends_and_come_back() {
        let sine = ScanningMirror::new(spec(MirrorMotion::Sine)).unwrap();
        let zigzag = ScanningMirror::new(spec(MirrorMotion::Zigzag)).unwrap();
        let (pulses, sine) = angles(&sine, 2001);
        let (_, zigzag) = angles(&zigzag, 2001);
        for angles in [&sine, &zigzag] {
            for (place, expected) in [(0, -0.5), (500, 0.0), (1000, 0.5), (1500, 0.0), (2000, -0.5)]
            {
                assert!((angles[place] - expected).abs() < 1e-9, "{place}");
            }
        }
        assert_eq!((pulses.scan[999], pulses.scan[1000], pulses.column[1000]), (0, 1, 0));
        // Even steps of the zigzag; the sine is π/2 faster in the middle and slow at the ends.
        assert!(zigzag[..1000].windows(2).all(|p| (p[1] - p[0] - 1e-3).abs() < 1e-9));
        assert!((sine[501] - sine[500] - PI / 2.0 * 1e-3).abs() < 1e-8);
        assert!((sine[1] - sine[0]).abs() < 5e-6);
    }

    #[test]
    fn a_head_turns_the_lines_about_z() {
        let mirror = ScanningMirror::new(ScanningMirrorSpec {
            plane: SweepPlane::Vertical,
            field_rad: [-0.7, 1.05],
            head_hz: -0.5,
            ..spec(MirrorMotion::polygon(3))
        })
        .unwrap();
        assert_eq!(mirror.columns_per_scan(), 200);
        assert!((mirror.scan_duration_s() - 2.0).abs() < 1e-12);
        let first = mirror.first_pulse_at(0.5);
        let mut pulses = Pulses::default();
        mirror.fill(first..first + 1, &mut pulses);
        assert_eq!((pulses.scan[0], pulses.column[0]), (0, 50));
        let azimuth = pulses.direction[0].y.atan2(pulses.direction[0].x);
        assert!((azimuth + PI / 2.0).abs() < 1e-9, "{azimuth}");
    }

    #[test]
    fn what_a_mirror_cannot_do_is_refused() {
        let polygon = spec(MirrorMotion::polygon(8));
        assert!(ScanningMirror::new(polygon).is_some());
        // 8 facets sweep 90° at most.
        assert!(
            ScanningMirror::new(ScanningMirrorSpec { field_rad: [-0.8, 0.8], ..polygon }).is_none()
        );
        assert!(
            ScanningMirror::new(ScanningMirrorSpec { field_rad: [0.5, -0.5], ..polygon }).is_none()
        );
        assert!(ScanningMirror::new(ScanningMirrorSpec { head_hz: 1.0, ..polygon }).is_none());
        assert!(ScanningMirror::new(ScanningMirrorSpec { laser_hz: 100.0, ..polygon }).is_none());
        assert!(
            ScanningMirror::new(ScanningMirrorSpec { lines_per_s: f64::NAN, ..polygon }).is_none()
        );
    }
}
