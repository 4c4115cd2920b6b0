//! The scan angle of LAS 1.4: by how much a pulse left the vertical, across the track.
//!
//! 0 is straight down. Seen from behind along the track, counter-clockwise is positive, so that
//! what lies to the right of the track has positive angles (LAS 1.4 R15, "Scan Angle").

use crate::{Records, Survey};
use understory_base::math;

/// Degrees of one step.
const STEP_DEG: f64 = 0.006;
/// How far a platform must have come for its track to be known.
const TRACK_M: f64 = 0.5;

/// Where the platform heads, found from the origins of its pulses where nobody says it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Track {
    from_m: Option<[f64; 2]>,
    heading_rad: Option<f64>,
}

impl Track {
    /// The scan angle of a row, in steps of the file; rows must come in firing order.
    pub(super) fn steps(
        &mut self,
        records: &Records,
        row: usize,
        survey: Option<&dyn Survey>,
    ) -> i16 {
        let heading_rad = match survey {
            Some(survey) => Some(survey.heading_rad(records.time_s[row])),
            None => self.advance(records.origin_xyz_m[row]),
        };
        let direction = records.direction_xyz[row].map(f64::from);
        let steps = scan_angle_deg(direction, heading_rad) / STEP_DEG;
        // What is no number becomes 0.
        (steps.round() as i16).clamp(-30_000, 30_000)
    }

    /// Takes note of where a pulse began; gives the heading, once it is known.
    pub(super) fn advance(&mut self, [x, y, _]: [f64; 3]) -> Option<f64> {
        let from = *self.from_m.get_or_insert([x, y]);
        let way = [x - from[0], y - from[1]];
        if math::hypot(way[0], way[1]) >= TRACK_M {
            self.heading_rad = Some(math::atan2(way[1], way[0]));
            self.from_m = Some([x, y]);
        }
        self.heading_rad
    }
}

/// Angle of a direction against straight down across the track; without a track, the angle against
/// straight down without a sign.
fn scan_angle_deg([x, y, z]: [f64; 3], heading_rad: Option<f64>) -> f64 {
    let across = match heading_rad {
        Some(heading) => x * math::sin(heading) - y * math::cos(heading),
        None => math::hypot(x, y),
    };
    math::atan2(across, -z).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn right_of_the_track_is_positive_and_forward_is_no_angle() {
        let north = Some(std::f64::consts::FRAC_PI_2);
        let angle = |direction, heading| scan_angle_deg(direction, heading);
        assert!((angle([1.0, 0.0, -1.0], north) - 45.0).abs() < 1e-12);
        assert!((angle([-1.0, 0.0, -1.0], north) + 45.0).abs() < 1e-12);
        assert!(angle([0.0, 1.0, -1.0], north).abs() < 1e-12);
        assert!((angle([0.0, -1.0, 0.0], Some(0.0)) - 90.0).abs() < 1e-12);
        assert!((angle([0.6, 0.0, -0.8], None) - 36.869_897_645_844_02).abs() < 1e-12);
    }

    #[test]
    fn the_track_follows_from_the_origins_of_pulses() {
        let mut records = Records::default();
        for step in 0..4 {
            let origin_xyz_m = [0.3 * f64::from(step), 0.0, 100.0];
            let direction_xyz = [0.0, 0.5, -0.866_025_4];
            records.push(Record { origin_xyz_m, direction_xyz, ..Record::miss() });
        }
        let mut track = Track::default();
        let steps: Vec<i16> = (0..4).map(|row| track.steps(&records, row, None)).collect();
        // To the left of a way along x, once it is known.
        assert_eq!(steps, [5000, 5000, -5000, -5000]);
        records.direction_xyz[0] = [f32::NAN; 3];
        assert_eq!(track.steps(&records, 0, None), 0);
    }
}
