//! Crown envelopes: where a crown may be, and points spread in it.
//!
//! What enters: a shape, its width, depth and height. What leaves: attraction points for growing.

use crate::Random;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use understory_base::math;

/// Outline of a crown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CrownShape {
    /// Ellipsoid, or a sphere where the crown is as high as wide.
    Ellipsoid,
    /// Egg, widest a third above its base: beech, lime.
    Ovoid,
    /// Widest in its upper third, narrow at its base: hazel, plum.
    Vase,
    /// Dome on a broad flat base: old oak, apple.
    Dome,
    /// Widest near its base, pointed above.
    Conical,
    /// Nearly straight sides: Lombardy poplar, cypress.
    Columnar,
    /// Flat and broad above, narrow below: stone pine, acacia.
    Umbrella,
    /// Upright box, clipped: hedge.
    Box,
}

impl CrownShape {
    /// Half width relative to the widest, at a height of 0 (crown base) … 1 (top).
    pub fn relative_radius(self, height: f64) -> f64 {
        let h = height.clamp(0.0, 1.0);
        let round = |h: f64| (1.0 - (2.0 * h - 1.0).powi(2)).max(0.0).sqrt();
        match self {
            CrownShape::Ellipsoid => round(h),
            CrownShape::Ovoid => round(math::powf(h, 0.63)),
            CrownShape::Vase => {
                0.2 + 0.8 * round(math::powf(h, 1.6)) * if h > 0.64 { 1.0 } else { 0.96 }
            }
            CrownShape::Dome => {
                let below = 0.2;
                if h < below {
                    0.55 + 0.45 * round(0.5 * h / below)
                } else {
                    round(0.5 + 0.5 * (h - below) / (1.0 - below))
                }
            }
            CrownShape::Conical => math::powf(1.0 - h, 0.85) * (h / 0.08).min(1.0).sqrt(),
            CrownShape::Columnar => {
                let end = if h < 0.35 { (0.35 - h) / 0.35 } else { (h - 0.35) / 0.65 };
                (1.0 - math::powf(end, 2.6)).max(0.0).sqrt()
            }
            CrownShape::Umbrella => {
                if h < 0.65 {
                    0.12 + 0.88 * math::powf(h / 0.65, 1.5)
                } else {
                    round(0.5 + 0.5 * (h - 0.65) / 0.35)
                }
            }
            CrownShape::Box => 1.0,
        }
    }

    /// Volume relative to that of the box (shape `box`) or the cylinder around it.
    fn fill(self) -> f64 {
        let steps = 200;
        let sum: f64 = (0..steps)
            .map(|i| self.relative_radius((f64::from(i) + 0.5) / f64::from(steps)).powi(2))
            .sum();
        sum / f64::from(steps)
    }
}

/// A crown's envelope in metres.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub shape: CrownShape,
    /// Extent along x and along y.
    pub width_m: f64,
    pub depth_m: f64,
    pub base_m: f64,
    pub top_m: f64,
}

impl Envelope {
    pub fn volume_m3(&self) -> f64 {
        self.projected_area_m2() * (self.top_m - self.base_m) * self.shape.fill()
    }

    /// Ground that the crown covers.
    pub fn projected_area_m2(&self) -> f64 {
        let rectangle = self.width_m * self.depth_m;
        if self.shape == CrownShape::Box {
            rectangle
        } else {
            rectangle * std::f64::consts::FRAC_PI_4
        }
    }

    /// A point in the envelope; `hollow` above 0 draws points towards the outside.
    pub fn point(&self, hollow: f64, random: &mut Random) -> DVec3 {
        let height = loop {
            let height = random.unit();
            if random.unit() < self.shape.relative_radius(height).powi(2) {
                break height;
            }
        };
        let (x, y) = if self.shape == CrownShape::Box {
            // A hedge goes on at its ends; only its two faces are outside.
            let side = random.between(-1.0, 1.0);
            (
                random.between(-1.0, 1.0),
                side.signum() * math::powf(side.abs(), 1.0 / (1.0 + hollow)),
            )
        } else {
            let radius = math::powf(random.unit(), 1.0 / (2.0 + hollow));
            let (sin, cos) = math::sin_cos(std::f64::consts::TAU * random.unit());
            let radius = radius * self.shape.relative_radius(height);
            (radius * cos, radius * sin)
        };
        DVec3::new(
            0.5 * self.width_m * x,
            0.5 * self.depth_m * y,
            self.base_m + height * (self.top_m - self.base_m),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [CrownShape; 8] = [
        CrownShape::Ellipsoid,
        CrownShape::Ovoid,
        CrownShape::Vase,
        CrownShape::Dome,
        CrownShape::Conical,
        CrownShape::Columnar,
        CrownShape::Umbrella,
        CrownShape::Box,
    ];

    #[test]
    fn every_shape_stays_within_its_width_and_reaches_it() {
        for shape in ALL {
            let widest = (0..=1000)
                .map(|i| shape.relative_radius(f64::from(i) / 1000.0))
                .fold(0.0, f64::max);
            assert!(widest <= 1.0 + 1e-12 && widest > 0.9, "{shape:?} {widest}");
        }
    }

    #[test]
    fn a_sphere_has_the_volume_of_a_sphere() {
        let shape = CrownShape::Ellipsoid;
        let sphere = Envelope { shape, width_m: 2.0, depth_m: 2.0, base_m: 1.0, top_m: 3.0 };
        assert!((sphere.volume_m3() - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-3);
    }

    #[test]
    fn points_lie_inside_and_spread_evenly() {
        let shape = CrownShape::Ellipsoid;
        let sphere = Envelope { shape, width_m: 2.0, depth_m: 2.0, base_m: -1.0, top_m: 1.0 };
        let mut random = Random::new(1);
        let count = 20_000;
        let inner = (0..count)
            .filter(|_| {
                let length = sphere.point(0.0, &mut random).length();
                assert!(length <= 1.0 + 1e-9);
                length < 0.5
            })
            .count();
        // An eighth of the volume.
        assert!((inner as f64 / f64::from(count) - 0.125).abs() < 0.01, "{inner}");
    }
}
