//! A path on the ground: how far a place is from it, and how far along.

use super::{check_point, refused, rise};
use crate::PlantError;
use crate::terrain::HeightField;
use glam::DVec2;

/// Most corners of a path.
const MAX_CORNERS: usize = 10_000;

/// A path with a profile across it that reaches so far to both sides.
pub struct Path {
    segments: Vec<Segment>,
    length: f64,
    reach: f64,
}

struct Segment {
    from: DVec2,
    direction: DVec2,
    length: f64,
    /// Length of the path up to here.
    before: f64,
    low: DVec2,
    high: DVec2,
}

impl Path {
    /// Is it a path?
    pub fn check(parameter: &str, corners: &[[f64; 2]]) -> Result<(), PlantError> {
        if !(2..=MAX_CORNERS).contains(&corners.len()) {
            let limits = format!("from 2 to {MAX_CORNERS} points");
            return Err(refused(parameter, format!("{} points", corners.len()), &limits));
        }
        for (index, pair) in corners.windows(2).enumerate() {
            pair.iter().try_for_each(|&corner| check_point(parameter, corner))?;
            if DVec2::from(pair[0]).distance(pair[1].into()) < 1e-3 {
                let value =
                    format!("standing still between points {} and {}", index + 1, index + 2);
                return Err(refused(parameter, value, "at least 1 mm from point to point"));
            }
        }
        Ok(())
    }

    /// A path that was checked.
    pub fn new(corners: &[[f64; 2]], reach: f64) -> Path {
        let mut length = 0.0;
        let segments = corners
            .windows(2)
            .map(|pair| {
                let (from, to) = (DVec2::from(pair[0]), DVec2::from(pair[1]));
                let before = length;
                length += from.distance(to);
                Segment {
                    from,
                    direction: (to - from).normalize_or_zero(),
                    length: from.distance(to),
                    before,
                    low: from.min(to) - reach,
                    high: from.max(to) + reach,
                }
            })
            .collect();
        Path { segments, length, reach }
    }

    /// Adds `profile(distance)` to a field, fading out over one reach at both ends.
    pub fn add_to(&self, field: &mut HeightField, profile: impl Fn(f64) -> f64) {
        let mut row = (f64::NAN, Vec::new());
        field.raise(|x, y| {
            // Rows come one after another: most segments are dropped once per row.
            if row.0 != y {
                row.0 = y;
                row.1.clear();
                row.1.extend(self.segments.iter().filter(|s| s.low.y <= y && y <= s.high.y));
            }
            let Some((distance, along)) = self.nearest(&row.1, DVec2::new(x, y)) else {
                return 0.0;
            };
            let to_end = along.min(self.length - along);
            let fade = self.reach.min(self.length / 2.0);
            profile(distance) * rise(to_end / fade)
        });
    }

    /// Distance from the nearest segment within reach, and the length of the path up to there.
    fn nearest(&self, segments: &[&Segment], place: DVec2) -> Option<(f64, f64)> {
        let mut nearest: Option<(f64, f64)> = None;
        for segment in segments {
            if place.x < segment.low.x || place.x > segment.high.x {
                continue;
            }
            let along = segment.direction.dot(place - segment.from).clamp(0.0, segment.length);
            let distance = place.distance(segment.from + segment.direction * along);
            if distance <= self.reach && nearest.is_none_or(|(best, _)| distance < best) {
                nearest = Some((distance, segment.before + along));
            }
        }
        nearest
    }
}
