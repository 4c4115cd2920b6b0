//! One beam of a head that turns: where it leaves from, and what a return along it says.
//!
//! An HDL-64E's distances are corrected by its calibration with the two-point model of its manual:
//! along x and y the correction goes from that of the near target (2.40 m and 1.93 m away) to
//! that of the far one (25.04 m), and z takes the middle of both. Its intensity is corrected for
//! the focus of the laser.

use super::status::Correction;
use crate::LaserDescription;
use understory_base::math;

/// Where the targets of the two-point calibration stood.
const FAR_M: f64 = 25.04;
const NEAR_M: [f64; 2] = [2.40, 1.93];

/// A laser as decoding needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laser {
    pub(super) elevation_deg: f64,
    sin_elevation: f64,
    cos_elevation: f64,
    pub(super) offset_deg: f64,
    forward_m: f64,
    left_m: f64,
    up_m: f64,
    pub(super) firing_s: f64,
}

impl Laser {
    pub(super) fn new(facts: &LaserDescription) -> Laser {
        let (sin_elevation, cos_elevation) = math::sin_cos(facts.elevation_deg.to_radians());
        Laser {
            elevation_deg: facts.elevation_deg,
            sin_elevation,
            cos_elevation,
            offset_deg: facts.azimuth_offset_deg,
            forward_m: facts.forward_m,
            left_m: facts.left_m,
            up_m: facts.up_m,
            firing_s: facts.firing_s,
        }
    }
}

/// A measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shot {
    pub(super) units: u16,
    pub(super) intensity: u8,
}

/// The direction of a pulse.
pub(super) struct Beam {
    /// Cosine and sine of its azimuth, counter-clockwise.
    flat: [f64; 2],
    pub(super) direction: [f64; 3],
}

impl Beam {
    pub(super) fn new(laser: &Laser, flat: [f64; 2]) -> Beam {
        let [cos, sin] = flat;
        let direction = [laser.cos_elevation * cos, laser.cos_elevation * sin, laser.sin_elevation];
        Beam { flat, direction }
    }

    /// Where it leaves from; the head then looks along `head_deg`, clockwise.
    pub(super) fn origin(&self, laser: &Laser, head_deg: f64) -> [f64; 3] {
        let [cos, sin] = self.flat;
        let mut origin = [-laser.left_m * sin, laser.left_m * cos, laser.up_m];
        // Velodyne's own tables have none.
        if laser.forward_m != 0.0 {
            let (sin, cos) = math::sin_cos(-head_deg.to_radians());
            origin[0] += laser.forward_m * cos;
            origin[1] += laser.forward_m * sin;
        }
        origin
    }
}

impl Correction {
    /// Whether it changes anything.
    pub(super) fn corrects(&self) -> bool {
        let distance = self.far_m != 0.0 || self.near_m != [0.0; 2];
        distance || self.focal_slope != 0.0 || self.intensity != [0.0, 255.0]
    }

    /// Corrected range, position and intensity of a return.
    pub(super) fn apply(
        &self,
        beam: &Beam,
        laser: &Laser,
        origin: [f64; 3],
        measured_m: f64,
        shot: Shot,
    ) -> (f64, [f64; 3], f64) {
        let [near_x, near_y] = self.near_m;
        let mut along = [self.far_m; 3];
        if near_x != 0.0 && near_y != 0.0 && measured_m < FAR_M {
            let flat_m = (measured_m + self.far_m) * laser.cos_elevation;
            let [cos, sin] = beam.flat;
            let share = |at_m: f64, near_m: f64| (at_m.abs() - near_m) / (FAR_M - near_m);
            // The manual's x is to the side and its y forward.
            let (x, y) = (share(flat_m * sin, NEAR_M[0]), share(flat_m * cos, NEAR_M[1]));
            let side = x * self.far_m + (1.0 - x) * near_x;
            let forward = y * self.far_m + (1.0 - y) * near_y;
            along = [forward, side, 0.5 * (forward + side)];
        }
        let vector: [f64; 3] = std::array::from_fn(|i| (measured_m + along[i]) * beam.direction[i]);
        let range_m = vector.iter().map(|c| c * c).sum::<f64>().sqrt();
        let at = std::array::from_fn(|i| origin[i] + vector[i]);
        let square = |share: f64| (1.0 - share) * (1.0 - share);
        let focus = square(self.focal_m / 131.0) - square(f64::from(shot.units) / 65_535.0);
        let intensity = f64::from(shot.intensity) + 256.0 * self.focal_slope * focus.abs();
        let [least, most] = self.intensity;
        (range_m, at, intensity.max(least).min(most))
    }
}
