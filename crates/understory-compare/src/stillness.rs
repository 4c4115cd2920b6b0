//! Whether a sensor stands still, by the origins of its beams.
//!
//! The origins of a sensor that stands still need not be one point: its lasers sit beside its axis
//! and go round. So the origins of one laser are looked at, and the box of those of its first two
//! scans is where it may be: a sensor that leaves the box moves, and so does one whose box is larger
//! than any sensor's head.

use glam::DVec3;
use understory_cloud::Records;

/// How far a laser may leave its box.
const STILL_M: f64 = 1e-3;
/// Longest diagonal of a box.
const HEAD_M: f64 = 0.15;
/// Farther apart, the boxes of two recordings are not in the same place.
const ASIDE_M: f64 = 0.01;

/// Where one laser of a sensor has been.
#[derive(Clone, Copy, Debug)]
struct Place {
    sensor: u16,
    channel: u16,
    first_scan: u32,
    low: DVec3,
    high: DVec3,
}

/// Where one laser of each sensor has been.
#[derive(Clone, Debug, Default)]
pub(super) struct Stillness {
    places: Vec<Place>,
}

impl Stillness {
    /// Looks at the origins of a batch; a sensor that moves, and by how much at least.
    pub(super) fn look_at(&mut self, records: &Records) -> Option<(u16, f64)> {
        // More than this are no sensors.
        let is_full = self.places.len() >= 256;
        for i in 0..records.len() {
            let (sensor, channel, scan) = (records.sensor[i], records.channel[i], records.scan[i]);
            let place = self.places.iter_mut().find(|place| place.sensor == sensor);
            if place.as_ref().is_some_and(|place| place.channel != channel) {
                continue;
            }
            let origin = DVec3::from(records.origin_xyz_m[i]);
            if !origin.is_finite() {
                continue;
            }
            match place {
                Some(place) if scan.abs_diff(place.first_scan) <= 1 => {
                    place.low = place.low.min(origin);
                    place.high = place.high.max(origin);
                    let apart_m = place.low.distance(place.high);
                    if apart_m > HEAD_M {
                        return Some((sensor, apart_m));
                    }
                }
                Some(place) => {
                    let apart_m = origin.distance(origin.clamp(place.low, place.high));
                    if apart_m > STILL_M {
                        return Some((sensor, apart_m));
                    }
                }
                None if !is_full => {
                    let (low, high) = (origin, origin);
                    self.places.push(Place { sensor, channel, first_scan: scan, low, high });
                }
                None => {}
            }
        }
        None
    }

    /// Whether any beam has an origin.
    pub(super) fn knows_origins(&self) -> bool {
        !self.places.is_empty()
    }

    /// A sentence if a sensor did not stand in the same place in both.
    pub(super) fn stood_aside(&self, other: &Stillness) -> Option<String> {
        self.places.iter().find_map(|place| {
            let same = |o: &&Place| (o.sensor, o.channel) == (place.sensor, place.channel);
            let other = other.places.iter().find(same)?;
            let middle = |place: &Place| (place.low + place.high) / 2.0;
            let apart_m = middle(place).distance(middle(other));
            (apart_m > ASIDE_M).then(|| {
                format!(
                    "sensor {} stood {apart_m:.3} m apart in the two recordings, so that its orientations see different things",
                    place.sensor
                )
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    /// Lasers 4 cm beside the axis of a head that turns and moves by `step_m` from scan to scan.
    fn scans(count: u32, step_m: f64, from_m: f64) -> Records {
        let mut records = Records::default();
        for scan in 0..count {
            for column in 0..40u32 {
                let (sin, cos) = (f64::from(column + 13 * scan) * 0.157).sin_cos();
                let along = from_m + step_m * (f64::from(scan) + f64::from(column) / 40.0);
                for channel in [3u16, 4] {
                    let up = 0.2 * f64::from(channel);
                    let origin_xyz_m = [along + 0.04 * cos, 0.04 * sin, up];
                    records.push(Record { origin_xyz_m, channel, scan, ..Record::miss() });
                }
            }
        }
        records
    }

    #[test]
    fn a_head_that_turns_stands_still_and_one_that_goes_on_moves() {
        let mut still = Stillness::default();
        assert_eq!(still.look_at(&scans(10, 0.0, 0.0)), None);
        assert!(still.knows_origins());
        let found = Stillness::default().look_at(&scans(10, 0.01, 0.0));
        assert!(found.is_some_and(|(sensor, apart_m)| sensor == 0 && apart_m > 1e-3), "{found:?}");
        assert!(Stillness::default().look_at(&scans(1, 0.3, 0.0)).is_some());
        let mut aside = Stillness::default();
        assert_eq!(aside.look_at(&scans(3, 0.0, 1.5)), None);
        assert!(still.stood_aside(&aside).unwrap().contains("1.500 m apart"));
        assert!(still.stood_aside(&still).is_none());
        assert!(!Stillness::default().knows_origins());
    }
}
