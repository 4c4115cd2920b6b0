//! One long leaf: a strip that leans, bends in one plane and ends in a tip.
//!
//! What enters: foot, direction, length, width, lean and bend. What leaves: 2·segments − 1
//! triangles. The blade is an arc: its angle from the vertical grows evenly from the foot on.
//! Every piece of the strip is a flat trapezium, so that the area is known beforehand.

use glam::DVec3;
use understory_base::math;

use crate::{Part, Plant};

/// Width along a blade as a share of the largest, between points of this table.
pub(crate) type Outline = [(f64, f64)];

/// Grass: even, then pointed.
pub(crate) const GRASS: &Outline = &[(0.0, 1.0), (0.5, 1.0), (1.0, 0.0)];
/// Cereals, maize and reeds: narrow at the culm, widest at a third.
pub(crate) const CROP: &Outline = &[(0.0, 0.6), (0.35, 1.0), (1.0, 0.0)];

/// Where and how a blade grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blade {
    pub foot: DVec3,
    /// Direction of the lean, counter-clockwise from x.
    pub azimuth_rad: f64,
    /// Angle from the vertical at the foot.
    pub lean_rad: f64,
    /// How much further it leans at the tip.
    pub bend_rad: f64,
    /// Along the blade.
    pub length_m: f64,
    pub width_m: f64,
    pub outline: &'static Outline,
    pub segments: u32,
}

impl Blade {
    /// Triangles of a blade.
    pub fn triangles(segments: u32) -> u64 {
        2 * u64::from(segments.max(1)) - 1
    }

    /// One-sided area: trapezia between the steps.
    #[cfg(test)]
    pub fn area_m2(&self) -> f64 {
        let width = |i: u32| self.width_at(f64::from(i) / f64::from(self.segments));
        let sum: f64 = (0..self.segments).map(|i| (width(i) + width(i + 1)) / 2.0).sum();
        self.length_m * sum / f64::from(self.segments)
    }

    fn width_at(&self, s: f64) -> f64 {
        let mut last = (0.0, 0.0);
        for &(place, width) in self.outline {
            if s <= place {
                let span: f64 = place - last.0;
                let share = if span > 0.0 { (s - last.0) / span } else { 1.0 };
                return self.width_m * (last.1 + (width - last.1) * share);
            }
            last = (place, width);
        }
        0.0
    }

    /// Points along the blade per length of 1, in the plane of the bend: outward and up.
    fn steps(&self) -> impl Iterator<Item = (f64, f64)> {
        let step = 1.0 / f64::from(self.segments);
        let (lean, bend) = (self.lean_rad, self.bend_rad);
        let mut at = (0.0, 0.0);
        std::iter::once(at).chain((0..self.segments).map(move |i| {
            let (sin, cos) = math::sin_cos(lean + bend * (f64::from(i) + 0.5) * step);
            at = (at.0 + sin * step, at.1 + cos * step);
            at
        }))
    }

    /// Height of the highest point above the foot, as a share of the length.
    pub fn rise(&self) -> f64 {
        self.steps().map(|(_, up)| up).fold(0.0, f64::max)
    }

    /// Makes the blade as long as it must be for its highest point to be `height_m` above its foot,
    /// but not more than four times as long as high.
    pub fn with_height(mut self, height_m: f64) -> Blade {
        self.length_m = height_m / self.rise().max(0.25);
        self
    }

    /// Bends the blade less until no point of it is below the ground.
    pub fn above_ground(mut self) -> Blade {
        for _ in 0..40 {
            let lowest = self.steps().map(|(_, up)| up).fold(0.0, f64::min);
            if self.foot.z + lowest * self.length_m >= 0.0 {
                break;
            }
            self.bend_rad *= 0.9;
        }
        self
    }

    /// Adds the blade.
    pub fn push(&self, plant: &mut Plant) {
        let (sin, cos) = math::sin_cos(self.azimuth_rad);
        let (outward, across) = (DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0));
        let edges: Vec<(DVec3, DVec3)> = self
            .steps()
            .enumerate()
            .map(|(i, (out, up))| {
                let middle = self.foot + (outward * out + DVec3::Z * up) * self.length_m;
                let width = self.width_at(i as f64 / f64::from(self.segments));
                if i as u32 == self.segments {
                    return (middle, middle);
                }
                let half = across * (0.5 * width);
                (middle + half, middle - half)
            })
            .collect();
        plant.push_ribbon(&edges, Part::Leaf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_and_height_are_as_stated() {
        for outline in [GRASS, CROP] {
            for segments in [1, 2, 3, 7] {
                let blade = Blade {
                    foot: DVec3::new(1.0, 2.0, 0.0),
                    azimuth_rad: 0.7,
                    lean_rad: 0.2,
                    bend_rad: 1.7,
                    length_m: 1.0,
                    width_m: 0.01,
                    outline,
                    segments,
                }
                .with_height(0.8);
                let mut plant = Plant::default();
                blade.push(&mut plant);
                let measures = plant.measures(3);
                assert!((measures.leaf_area_m2 - blade.area_m2()).abs() < 1e-15);
                assert!((measures.height_m - 0.8).abs() < 1e-12);
                assert_eq!(plant.triangles.len() as u64, Blade::triangles(segments));
            }
        }
    }

    #[test]
    fn a_blade_that_arches_over_stays_above_the_ground() {
        let blade = Blade {
            foot: DVec3::new(0.0, 0.0, 0.1),
            azimuth_rad: 0.0,
            lean_rad: 1.0,
            bend_rad: 2.0,
            length_m: 0.9,
            width_m: 0.05,
            outline: CROP,
            segments: 6,
        };
        let mut plant = Plant::default();
        blade.push(&mut plant);
        assert!(plant.positions.iter().any(|p| p.z < 0.0));
        let mut plant = Plant::default();
        blade.above_ground().push(&mut plant);
        assert!(plant.positions.iter().all(|p| p.z >= 0.0));
    }
}
