//! Turning wedge prisms one behind the other (Risley): pulse index → direction.
//!
//! Each wedge has one face across the optical axis x and one inclined by its wedge angle α, towards
//! the light or away from it. A wedge at phase φ bends light towards u = (0, cos φ, sin φ).
//! *Exact*: Snell's law in vectors at every face, d′ = r·d + (r·c − √(1 − r²(1 − c²)))·n with
//! c = −d·n and r the ratio of the indices before and behind it. *First order*: each wedge adds
//! (n − 1)·α·u to the angle, however steep the light already is. Air has the index 1. The beams
//! cross the prisms within millimetres and are taken to leave at the sensor's origin.
//!
//! Phases turn evenly, φ = φ₀ + 2π·f·t, from y towards z for a positive rate.

mod from_table;

use std::f64::consts::TAU;
use understory_base::math;

use glam::DVec3;
use understory_files::sensor::{InclinedFace, Refraction};

use super::Pulses;
use super::clock::{Clock, CyclePart, FreeRunning};
use crate::world::scene::fresnel::refract;

/// Most wedges of a scanner.
pub const WEDGES_MAX: usize = 3;
/// Orientations per wedge that are tried when a scanner is built.
const TRIALS: usize = 48;

/// One wedge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wedge {
    /// Angle between its faces.
    pub angle_rad: f64,
    /// Refractive index.
    pub index: f64,
    /// Revolutions per second, from y towards z if positive.
    pub rotation_hz: f64,
    /// Phase at time 0.
    pub phase_rad: f64,
    /// Which face is inclined.
    pub inclined_face: InclinedFace,
}

/// What a Risley scanner is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct RisleySpec {
    /// The wedges, first the one next to the laser; at most [`WEDGES_MAX`].
    pub wedges: Vec<Wedge>,
    /// Elevation and azimuth of each laser before the wedges.
    pub lasers_rad: Vec<[f64; 2]>,
    /// How light is followed.
    pub refraction: Refraction,
    /// From one firing of all lasers to the next.
    pub cycle_s: f64,
    /// Duration of a scan.
    pub frame_s: f64,
}

/// Why a scanner cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RisleyFault {
    /// No wedge, too many, or a number that is not finite.
    Unsound,
    /// Light cannot leave this wedge in some orientation: total reflection.
    TotalReflection {
        /// Its place, from 0.
        wedge: usize,
    },
}

/// A Risley scanner, ready to fill batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Risley {
    spec: RisleySpec,
    clock: Clock,
    optics: Vec<WedgeOptics>,
    /// Directions of the lasers before the wedges.
    lasers: Vec<DVec3>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct WedgeOptics {
    sin_angle: f64,
    cos_angle: f64,
    index: f64,
    inclined_face: InclinedFace,
    /// First-order bending, (n − 1)·α.
    bend_rad: f64,
}

impl Risley {
    /// Builds the pattern if light passes the wedges in every orientation.
    pub fn new(spec: RisleySpec) -> Result<Risley, RisleyFault> {
        let clock = Clock::new(spec.cycle_s, spec.lasers_rad.len(), spec.frame_s)
            .ok_or(RisleyFault::Unsound)?;
        let valid = (1..=WEDGES_MAX).contains(&spec.wedges.len())
            && spec.lasers_rad.iter().flatten().all(|angle| angle.abs() < 1.0)
            && spec.wedges.iter().all(|wedge| {
                (0.0..1.5).contains(&wedge.angle_rad)
                    && (1.0..=5.0).contains(&wedge.index)
                    && wedge.rotation_hz.is_finite()
                    && wedge.phase_rad.is_finite()
            });
        if !valid {
            return Err(RisleyFault::Unsound);
        }
        let optics: Vec<WedgeOptics> = spec
            .wedges
            .iter()
            .map(|wedge| WedgeOptics {
                sin_angle: math::sin(wedge.angle_rad),
                cos_angle: math::cos(wedge.angle_rad),
                index: wedge.index,
                inclined_face: wedge.inclined_face,
                bend_rad: (wedge.index - 1.0) * wedge.angle_rad,
            })
            .collect();
        let lasers = spec
            .lasers_rad
            .iter()
            .map(|&[elevation, azimuth]| {
                let (sin, cos) = math::sin_cos(elevation);
                DVec3::new(cos * math::cos(azimuth), cos * math::sin(azimuth), sin)
            })
            .collect();
        let risley = Risley { spec, clock, optics, lasers };
        match risley.first_total_reflection() {
            Some(wedge) if risley.spec.refraction == Refraction::Exact => {
                Err(RisleyFault::TotalReflection { wedge })
            }
            _ => Ok(risley),
        }
    }

    /// What the pattern is made of.
    pub fn spec(&self) -> &RisleySpec {
        &self.spec
    }

    /// The first wedge that reflects some laser's light totally in some orientation of the wedges.
    fn first_total_reflection(&self) -> Option<usize> {
        // Light on the axis cares only for the angles between the wedges; that of an inclined laser
        // for all of them, and no sooner than the next trial: a few degrees of slack are enough.
        let wedges = self.optics.len() as u32;
        let trials: usize = if wedges > 2 { TRIALS / 2 } else { TRIALS };
        (0..trials.pow(wedges)).find_map(|trial| {
            let mut rest = trial;
            let mut towards = [DVec3::X; WEDGES_MAX];
            for toward in towards.iter_mut().take(self.optics.len()) {
                let phase = TAU * (rest % trials) as f64 / trials as f64;
                *toward = DVec3::new(0.0, math::cos(phase), math::sin(phase));
                rest /= trials;
            }
            self.lasers.iter().find_map(|laser| {
                let mut direction = *laser;
                for (place, (optics, toward)) in self.optics.iter().zip(&towards).enumerate() {
                    match optics.refract(direction, *toward) {
                        Some(refracted) => direction = refracted,
                        None => return Some(place),
                    }
                }
                None
            })
        })
    }

    fn push(&self, part: CyclePart, out: &mut Pulses) {
        let mut towards = [DVec3::X; WEDGES_MAX];
        for (toward, wedge) in towards.iter_mut().zip(&self.spec.wedges) {
            // Whole turns are taken off before they eat the digits of the angle.
            let turn = (wedge.rotation_hz * part.time_s).fract();
            let (sin, cos) = math::sin_cos(wedge.phase_rad + TAU * turn);
            *toward = DVec3::new(0.0, cos, sin);
        }
        for channel in part.channels {
            let laser = self.lasers[usize::from(channel)];
            let direction = match self.spec.refraction {
                Refraction::Exact => {
                    self.optics.iter().zip(&towards).fold(laser, |direction, (optics, toward)| {
                        // Light that cannot pass was ruled out when the scanner was built, up to
                        // the trials; such a beam would keep its direction.
                        optics.refract(direction, *toward).unwrap_or(direction)
                    })
                }
                Refraction::FirstOrder => self.first_order(channel, &towards),
            };
            out.push(part.time_s, channel, part.scan, part.column, direction, DVec3::ZERO);
        }
    }

    /// The laser's angle and those of the wedges added as if all were small.
    fn first_order(&self, channel: u16, towards: &[DVec3; WEDGES_MAX]) -> DVec3 {
        let [elevation, azimuth] = self.spec.lasers_rad[usize::from(channel)];
        let start = DVec3::new(0.0, azimuth, elevation);
        let angle = self
            .optics
            .iter()
            .zip(towards)
            .fold(start, |sum, (optics, toward)| sum + optics.bend_rad * *toward);
        let size = angle.length();
        let (sin, cos) = math::sin_cos(size);
        let aside = if size > 0.0 { angle * (sin / size) } else { DVec3::ZERO };
        DVec3::new(cos, aside.y, aside.z)
    }
}

impl WedgeOptics {
    /// Light behind the wedge that bends towards `toward`; `None` if it is reflected totally.
    fn refract(&self, direction: DVec3, toward: DVec3) -> Option<DVec3> {
        let flat = DVec3::NEG_X;
        // Normals point against the light.
        match self.inclined_face {
            InclinedFace::Entrance => {
                let inclined = -self.sin_angle * toward - self.cos_angle * DVec3::X;
                let inside = snell(direction, inclined, 1.0 / self.index)?;
                snell(inside, flat, self.index)
            }
            InclinedFace::Exit => {
                let inclined = self.sin_angle * toward - self.cos_angle * DVec3::X;
                let inside = snell(direction, flat, 1.0 / self.index)?;
                snell(inside, inclined, self.index)
            }
        }
    }
}

/// Light behind a face whose `normal` points against it; `ratio` is the index before the face over
/// that behind it. `None`: total reflection, or light that does not reach the face.
fn snell(direction: DVec3, normal: DVec3, ratio: f64) -> Option<DVec3> {
    refract(direction, normal, ratio).filter(|_| direction.dot(normal) < 0.0)
}

impl FreeRunning for Risley {
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

    fn wedge(angle_deg: f64, inclined_face: InclinedFace) -> Wedge {
        Wedge {
            angle_rad: angle_deg.to_radians(),
            index: 1.5,
            rotation_hz: 0.0,
            phase_rad: 0.0,
            inclined_face,
        }
    }

    fn scanner(wedges: Vec<Wedge>, refraction: Refraction) -> Result<Risley, RisleyFault> {
        let lasers_rad = vec![[0.0, 0.0]];
        Risley::new(RisleySpec { wedges, lasers_rad, refraction, cycle_s: 1e-5, frame_s: 0.1 })
    }

    fn bend_rad(risley: &Risley) -> f64 {
        let mut pulses = Pulses::default();
        risley.fill(0..1, &mut pulses);
        pulses.direction[0].y.atan2(pulses.direction[0].x)
    }

    #[test]
    fn one_wedge_bends_by_the_textbook() {
        use InclinedFace::{Entrance, Exit};
        for angle_deg in [0.0_f64, 1.0, 10.0, 25.0] {
            let angle = angle_deg.to_radians();
            // Flat first: straight in, then n sin α = sin(α + δ).
            let exit = scanner(vec![wedge(angle_deg, Exit)], Refraction::Exact).unwrap();
            let expected = (1.5 * angle.sin()).asin() - angle;
            assert!((bend_rad(&exit) - expected).abs() < 1e-14, "{angle_deg}");
            // Inclined first: sin α = n sin β, then n sin(α − β) = sin δ.
            let entrance = scanner(vec![wedge(angle_deg, Entrance)], Refraction::Exact).unwrap();
            let inside = (angle.sin() / 1.5).asin();
            let expected = (1.5 * (angle - inside).sin()).asin();
            assert!((bend_rad(&entrance) - expected).abs() < 1e-14, "{angle_deg}");
            let thin = scanner(vec![wedge(angle_deg, Exit)], Refraction::FirstOrder).unwrap();
            assert!((bend_rad(&thin) - 0.5 * angle).abs() < 1e-14);
        }
    }

    #[test]
    fn first_order_is_what_exact_becomes_for_small_wedges() {
        for scale in [1.0, 0.1, 0.01] {
            let wedges = vec![
                Wedge { phase_rad: 0.4, ..wedge(6.0 * scale, InclinedFace::Exit) },
                Wedge { phase_rad: 2.1, ..wedge(4.0 * scale, InclinedFace::Entrance) },
            ];
            let mut exact = Pulses::default();
            let mut thin = Pulses::default();
            scanner(wedges.clone(), Refraction::Exact).unwrap().fill(0..1, &mut exact);
            scanner(wedges, Refraction::FirstOrder).unwrap().fill(0..1, &mut thin);
            // The error is of third order in the angles: 10° is 0.17 rad.
            let error = (exact.direction[0] - thin.direction[0]).length();
            assert!(error < 3e-3 * scale.powi(3) && error > 1e-5 * scale.powi(3), "{error}");
        }
    }

    #[test]
    fn equal_wedges_face_to_face_add_up_and_cancel() {
        let pair = |phase_rad: f64| {
            let wedges = vec![
                wedge(20.0, InclinedFace::Exit),
                Wedge { phase_rad, ..wedge(20.0, InclinedFace::Entrance) },
            ];
            bend_rad(&scanner(wedges, Refraction::Exact).unwrap())
        };
        // Opposite, their inclined faces are parallel: a slab, which bends nothing.
        assert!(pair(std::f64::consts::PI).abs() < 1e-14);
        assert!(pair(0.0) > 1.9 * (0.5 * 20.0_f64).to_radians());
    }

    #[test]
    fn total_reflection_is_refused_with_its_wedge() {
        // The critical angle of n = 1.5 is 41.8°.
        let steep = wedge(42.0, InclinedFace::Exit);
        let fault = scanner(vec![wedge(5.0, InclinedFace::Exit), steep], Refraction::Exact);
        assert_eq!(fault.unwrap_err(), RisleyFault::TotalReflection { wedge: 1 });
        assert!(scanner(vec![steep], Refraction::FirstOrder).is_ok());
        let light = Wedge { index: 0.9, ..steep };
        assert_eq!(scanner(vec![light], Refraction::Exact).unwrap_err(), RisleyFault::Unsound);
        assert_eq!(scanner(vec![], Refraction::Exact).unwrap_err(), RisleyFault::Unsound);
    }
}
