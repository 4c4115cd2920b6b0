//! The part of the plane across a ray that is nearer to it than to any other: a line, where it ended and
//! its neighbours → the second moment of its Voronoi cell.
//!
//! Along a direction u the border is at ρ(u) = min |δ|²/(2 δ·u) over the neighbours δ with δ·u > 0, and
//! the second moment is ∫ρ⁴uuᵀ/4 dφ / ∫ρ²/2 dφ.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3, Vec3};

use super::lines::Line;
use super::neighbours::Neighbours;

/// Directions in which the border is looked for.
const SPOKES: usize = 24;
/// Beams nearer than this to each other are one ray.
const SAME_RAY_M: f32 = 1e-3;
/// A gap is at most this many times as wide as to the other side of its ray.
const EDGE: f32 = 2.0;

/// Spokes around a ray, for all rays.
pub struct Spokes {
    across: [f32; SPOKES],
    up: [f32; SPOKES],
}

impl Spokes {
    /// Evenly spread.
    pub fn new() -> Spokes {
        let spoke = |k: usize| DVec2::from_angle(TAU * k as f64 / SPOKES as f64).as_vec2();
        Spokes {
            across: std::array::from_fn(|k| spoke(k).x),
            up: std::array::from_fn(|k| spoke(k).y),
        }
    }

    /// Second moment of the Voronoi cell of a line that ended at a range, of which no border counts as
    /// farther away than `radius_max_m`: xx, yy, zz, xy, xz, yz.
    pub fn moment(
        &self,
        line: &Line,
        range_m: f32,
        neighbours: &Neighbours,
        radius_max_m: f32,
    ) -> [f64; 6] {
        let axis = Vec3::from(line.direction);
        let h = axis.any_orthonormal_vector();
        let w = axis.cross(h);
        let end = Vec3::from(line.origin_m) + axis * range_m;
        // One over the distance of the border: 2 δ·u/|δ|² of the neighbour for which that is largest.
        let mut nearness = [0f32; SPOKES];
        let mut border = [radius_max_m; SPOKES];
        // Neighbours beyond twice the farthest border change nothing.
        let mut reach = f32::INFINITY;
        for level in neighbours.levels() {
            level.near(line, |others| {
                for other in others {
                    // Where the neighbour crosses the plane across this line through its end.
                    let direction = Vec3::from(other.direction);
                    let from = end - Vec3::from(other.origin_m);
                    let offset = direction * (from.dot(axis) / direction.dot(axis)) - from;
                    let [x, y] = [offset.dot(h), offset.dot(w)];
                    let square = x * x + y * y;
                    if square > SAME_RAY_M * SAME_RAY_M && square < reach {
                        let [x, y] = [2.0 * x / square, 2.0 * y / square];
                        for ((nearness, across), up) in
                            nearness.iter_mut().zip(&self.across).zip(&self.up)
                        {
                            let near = x * across + y * up;
                            *nearness = if near > *nearness { near } else { *nearness };
                        }
                    }
                }
            });
            border = borders(&nearness, radius_max_m);
            let widest = border.iter().fold(0.0f32, |a, b| a.max(*b));
            // All neighbours within this distance were looked at.
            if 2.0 * widest <= level.step * range_m {
                break;
            }
            reach = 4.0 * widest * widest;
        }
        self.integrate(&border, h.as_dvec3(), w.as_dvec3())
    }

    fn integrate(&self, border: &[f32; SPOKES], h: DVec3, w: DVec3) -> [f64; 6] {
        let (mut area, mut hh, mut hw, mut ww) = (0.0, 0.0, 0.0, 0.0);
        for (border, (x, y)) in border.iter().zip(self.across.iter().zip(&self.up)) {
            let (square, x, y) = (f64::from(*border).powi(2), f64::from(*x), f64::from(*y));
            area += square / 2.0;
            let fourth = square * square / 4.0;
            hh += fourth * x * x;
            hw += fourth * x * y;
            ww += fourth * y * y;
        }
        let [hh, hw, ww] = [hh / area, hw / area, ww / area];
        let entry = |a: usize, b: usize| {
            hh * h[a] * h[b] + ww * w[a] * w[b] + hw * (h[a] * w[b] + w[a] * h[b])
        };
        [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
    }
}

/// Distances of the borders. Beyond the edge of what the sensor sees there is nobody, or somebody far
/// aside.
fn borders(nearness: &[f32; SPOKES], radius_max_m: f32) -> [f32; SPOKES] {
    let open = nearness.map(|nearness| 1.0 / nearness);
    std::array::from_fn(|k| {
        let other_side = open[(k + SPOKES / 2) % SPOKES];
        open[k].min(EDGE * other_side).min(radius_max_m)
    })
}
