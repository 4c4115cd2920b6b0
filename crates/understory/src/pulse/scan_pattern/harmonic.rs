//! Directions as Fourier series of two motions, fitted to a vendor's table: pulse index → direction.
//!
//! A fast turn θ = 2π·f·t and a slow swing ψ = ψ₀ + 2π·g·t carry the middle of the beams along
//! azimuth = a₀ + θ + Σ aₖ·sin kψ and elevation = e₀ + Σ eₖ·cos kψ, k = 1, 2 …; beam i stands off
//! it by its weight bᵢ times (Σ sⱼ·sin(jψ − θ), Σ cⱼ·cos(jψ − θ)), j = −m … m. The beams of a scanner
//! whose lasers stand still while its optics turn rotate about each other like this.
//!
//! It reproduces the Livox Mid-360's table of 800 000 directions by some 30 numbers.

use std::f64::consts::TAU;
use understory_base::math;

use glam::{DVec2, DVec3};

use super::Pulses;
use super::clock::{Clock, CyclePart, FreeRunning};

/// What a harmonic pattern is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct HarmonicSpec {
    /// The fast turns per second, counter-clockwise seen from above if positive.
    pub rotation_hz: f64,
    /// The slow swings per second.
    pub swing_hz: f64,
    /// Phase of the swing at time 0.
    pub swing_phase_rad: f64,
    /// Azimuth at time 0.
    pub azimuth_rad: f64,
    /// Mean elevation.
    pub elevation_rad: f64,
    /// Sines of the azimuth at once, twice … the swing.
    pub azimuth_sin_rad: Vec<f64>,
    /// Cosines of the elevation at once, twice … the swing.
    pub elevation_cos_rad: Vec<f64>,
    /// Weight of each beam.
    pub beams: Vec<f64>,
    /// Sines of a beam's azimuth off the middle, from −m to m swings; an odd number.
    pub beam_azimuth_sin_rad: Vec<f64>,
    /// Cosines of a beam's elevation off the middle; an odd number.
    pub beam_elevation_cos_rad: Vec<f64>,
    /// From one firing of all beams to the next.
    pub cycle_s: f64,
    /// Duration of a scan.
    pub frame_s: f64,
}

/// A harmonic pattern, ready to fill batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Harmonic {
    spec: HarmonicSpec,
    clock: Clock,
}

impl Harmonic {
    /// Builds the pattern; `None` if a number is not finite, a beam's series has an even number of
    /// terms, or there is no beam or no cycle in a frame.
    pub fn new(spec: HarmonicSpec) -> Option<Harmonic> {
        let clock = Clock::new(spec.cycle_s, spec.beams.len(), spec.frame_s)?;
        let lists = [
            &spec.azimuth_sin_rad,
            &spec.elevation_cos_rad,
            &spec.beams,
            &spec.beam_azimuth_sin_rad,
            &spec.beam_elevation_cos_rad,
        ];
        let single = [
            spec.rotation_hz,
            spec.swing_hz,
            spec.swing_phase_rad,
            spec.azimuth_rad,
            spec.elevation_rad,
        ];
        let valid = lists.iter().copied().flatten().chain(&single).all(|number| number.is_finite())
            && spec.beam_azimuth_sin_rad.len() % 2 == 1
            && spec.beam_elevation_cos_rad.len() % 2 == 1;
        valid.then_some(Harmonic { spec, clock })
    }

    /// What the pattern is made of.
    pub fn spec(&self) -> &HarmonicSpec {
        &self.spec
    }

    fn push(&self, part: CyclePart, out: &mut Pulses) {
        let spec = &self.spec;
        // Whole turns are taken off before they eat the digits of the angles.
        let turn = TAU * (spec.rotation_hz * part.time_s).fract();
        let swing = TAU * (spec.swing_hz * part.time_s).fract() + spec.swing_phase_rad;
        let swing = DVec2::from_angle(swing);
        let azimuth = spec.azimuth_rad + turn + series(&spec.azimuth_sin_rad, swing, swing).y;
        let elevation = spec.elevation_rad + series(&spec.elevation_cos_rad, swing, swing).x;
        let back = DVec2::from_angle(-turn);
        let beam_azimuth = beam_series(&spec.beam_azimuth_sin_rad, swing, back).y;
        let beam_elevation = beam_series(&spec.beam_elevation_cos_rad, swing, back).x;
        for channel in part.channels {
            let beam = spec.beams[usize::from(channel)];
            let (sin, cos) = math::sin_cos(azimuth + beam * beam_azimuth);
            let (sin_elevation, cos_elevation) = math::sin_cos(elevation + beam * beam_elevation);
            let direction = DVec3::new(cos_elevation * cos, cos_elevation * sin, sin_elevation);
            out.push(part.time_s, channel, part.scan, part.column, direction, DVec3::ZERO);
        }
    }
}

/// Σ aₖ·(cos, sin) of angles that begin at `first` and grow by that of `step`.
fn series(amplitudes: &[f64], step: DVec2, first: DVec2) -> DVec2 {
    let mut angle = first;
    let mut sum = DVec2::ZERO;
    for amplitude in amplitudes {
        sum += *amplitude * angle;
        angle = angle.rotate(step);
    }
    sum
}

/// The series of a beam: its middle term is at `back`.
fn beam_series(amplitudes: &[f64], swing: DVec2, back: DVec2) -> DVec2 {
    let against = DVec2::new(swing.x, -swing.y);
    let first = (0..amplitudes.len() / 2).fold(back, |angle, _| angle.rotate(against));
    series(amplitudes, swing, first)
}

impl FreeRunning for Harmonic {
    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn push_cycle(&self, part: CyclePart, out: &mut Pulses) {
        self.push(part, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulse::scan_pattern::Pattern;

    #[test]
    fn the_series_are_what_they_say() {
        let spec = HarmonicSpec {
            rotation_hz: -183.0,
            swing_hz: 10.0,
            swing_phase_rad: 0.7,
            azimuth_rad: 0.3,
            elevation_rad: 0.2,
            azimuth_sin_rad: vec![0.1, 0.02],
            elevation_cos_rad: vec![0.15, 0.0, 0.03],
            beams: vec![1.0, -2.0],
            beam_azimuth_sin_rad: vec![0.01, 0.05, -0.02],
            beam_elevation_cos_rad: vec![0.04],
            cycle_s: 2e-5,
            frame_s: 0.1,
        };
        let mut pulses = Pulses::default();
        Harmonic::new(spec).unwrap().fill(1001..1102, &mut pulses);
        for i in 0..pulses.len() {
            let (turn, swing) =
                (-TAU * 183.0 * pulses.time_s[i], 0.7 + TAU * 10.0 * pulses.time_s[i]);
            let beam = if pulses.channel[i] == 0 { 1.0 } else { -2.0 };
            let azimuth = 0.3
                + turn
                + 0.1 * swing.sin()
                + 0.02 * (2.0 * swing).sin()
                + beam
                    * (0.01 * (-swing - turn).sin() + 0.05 * (-turn).sin()
                        - 0.02 * (swing - turn).sin());
            let elevation =
                0.2 + 0.15 * swing.cos() + 0.03 * (3.0 * swing).cos() + beam * 0.04 * (-turn).cos();
            let (sin, cos) = azimuth.sin_cos();
            let expected =
                DVec3::new(elevation.cos() * cos, elevation.cos() * sin, elevation.sin());
            assert!((pulses.direction[i] - expected).length() < 1e-11);
        }
    }
}
