//! Closed meshes from rings of points.

use super::GroundObject;
use glam::DVec3;
use understory_base::math;

/// Adds the skin over rings of equally many points, closed at both ends by a fan around the middle
/// of the end ring. Seen along the sweep, a ring runs clockwise: x to y of a frame whose third axis
/// points along the sweep.
pub fn add_sweep(object: &mut GroundObject, rings: &[Vec<DVec3>]) {
    let (Some(first), Some(last)) = (rings.first(), rings.last()) else { return };
    let around = first.len() as u32;
    let start = object.positions.len() as u32;
    for ring in rings {
        object.positions.extend_from_slice(ring);
    }
    let ends = object.positions.len() as u32;
    object.positions.push(middle(first));
    object.positions.push(middle(last));
    let last_ring = start + (rings.len() as u32 - 1) * around;
    for at in 0..around {
        let next = (at + 1) % around;
        for ring in (start..last_ring).step_by(around as usize) {
            let [a, b, c, d] = [ring + at, ring + next, ring + around + next, ring + around + at];
            object.triangles.push([a, b, c]);
            object.triangles.push([a, c, d]);
        }
        object.triangles.push([ends, start + next, start + at]);
        object.triangles.push([ends + 1, last_ring + at, last_ring + next]);
    }
}

/// Adds a straight round bar.
pub fn add_bar(object: &mut GroundObject, from: DVec3, to: DVec3, radius_m: f64, sides: u32) {
    let (x, y) = (to - from).normalize_or_zero().any_orthonormal_pair();
    let ring = |centre: DVec3| -> Vec<DVec3> {
        (0..sides)
            .map(|side| {
                let (sin, cos) =
                    math::sin_cos(std::f64::consts::TAU * f64::from(side) / f64::from(sides));
                centre + radius_m * (x * cos + y * sin)
            })
            .collect()
    };
    add_sweep(object, &[ring(from), ring(to)]);
}

fn middle(ring: &[DVec3]) -> DVec3 {
    ring.iter().sum::<DVec3>() / ring.len() as f64
}
