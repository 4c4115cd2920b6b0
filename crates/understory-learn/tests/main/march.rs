//! Voxels along a ray, in order (Amanatides & Woo 1987).
//!
//! What enters: a ray in the frame of the grid (its cell (0, 0, 0) begins at the origin) and the
//! size of the voxels. What leaves: each voxel with the interval of ranges that the ray spends in
//! it. Of planes that are met together the one across the lowest axis comes first.

use glam::{DVec3, I64Vec3};

/// One voxel on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Which voxel.
    pub voxel: I64Vec3,
    /// Where the ray enters it.
    pub enter_m: f64,
    /// Where the ray leaves it, or ends.
    pub leave_m: f64,
}

/// The voxels along a ray.
#[derive(Clone, Debug)]
pub struct March {
    voxel: I64Vec3,
    step: I64Vec3,
    /// Range of the next plane across each axis.
    next_m: DVec3,
    /// Ranges between planes across each axis.
    between_m: DVec3,
    enter_m: f64,
    end_m: f64,
}

impl March {
    /// From `start_m` to `end_m` along a ray; no voxel where that is no interval or the grid none.
    pub fn new(origin: DVec3, direction: DVec3, voxel_m: f64, start_m: f64, end_m: f64) -> March {
        let start = origin + direction * start_m;
        let cell = (start / voxel_m).floor();
        let valid = start.is_finite()
            && direction.is_finite()
            && voxel_m > 0.0
            && cell.abs().max_element() < 1e15;
        let voxel = if valid { cell.as_i64vec3() } else { I64Vec3::ZERO };
        let mut step = I64Vec3::ZERO;
        let (mut next_m, mut between_m) = (DVec3::INFINITY, DVec3::INFINITY);
        for axis in 0..3 {
            let d = direction[axis];
            if d == 0.0 {
                continue;
            }
            step[axis] = if d > 0.0 { 1 } else { -1 };
            let plane = (voxel[axis] + i64::from(d > 0.0)) as f64 * voxel_m;
            next_m[axis] = (plane - origin[axis]) / d;
            between_m[axis] = voxel_m / d.abs();
        }
        let end_m = if valid { end_m } else { f64::NEG_INFINITY };
        March { voxel, step, next_m, between_m, enter_m: start_m, end_m }
    }
}

impl Iterator for March {
    type Item = Crossing;

    fn next(&mut self) -> Option<Crossing> {
        if self.enter_m.is_nan() || self.enter_m >= self.end_m {
            return None;
        }
        let mut axis = 0;
        for other in 1..3 {
            if self.next_m[other] < self.next_m[axis] {
                axis = other;
            }
        }
        let leave_m = self.next_m[axis].min(self.end_m).max(self.enter_m);
        let crossing = Crossing { voxel: self.voxel, enter_m: self.enter_m, leave_m };
        self.voxel[axis] += self.step[axis];
        self.next_m[axis] += self.between_m[axis];
        self.enter_m = leave_m;
        Some(crossing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_voxels_by_test_vector() {
        let origin = DVec3::new(0.02, 0.03, 0.04);
        let direction = DVec3::new(1.0, 0.5, -0.25).normalize();
        let voxels = [
            ([0, 0, 0], 0.034_369_318),
            ([1, 0, 0], 0.045_825_757),
            ([1, 1, 0], 0.091_651_514),
            ([2, 1, 0], 0.148_933_710),
            ([3, 1, 0], 0.160_390_149),
            ([3, 2, 0], 0.183_303_028),
            ([3, 2, -1], 0.206_215_906),
            ([4, 2, -1], 0.25),
        ];
        let crossed: Vec<Crossing> = March::new(origin, direction, 0.05, 0.0, 0.25).collect();
        assert_eq!(crossed.len(), voxels.len());
        let mut enter_m = 0.0;
        for (crossing, (voxel, leave_m)) in crossed.iter().zip(voxels) {
            assert_eq!(crossing.voxel, I64Vec3::from(voxel));
            assert!((crossing.enter_m - enter_m).abs() < 1e-8);
            assert!((crossing.leave_m - leave_m).abs() < 1e-8);
            enter_m = crossing.leave_m;
        }
    }

    #[test]
    fn rays_along_an_axis_and_rays_that_are_none() {
        let along: Vec<_> = March::new(DVec3::splat(0.5), -DVec3::Z, 1.0, 0.0, 2.0).collect();
        let z: Vec<i64> = along.iter().map(|crossing| crossing.voxel.z).collect();
        assert_eq!(z, [0, -1, -2]);
        for (origin, direction, voxel_m) in [
            (DVec3::NAN, DVec3::X, 1.0),
            (DVec3::ZERO, DVec3::NAN, 1.0),
            (DVec3::ZERO, DVec3::X, 0.0),
            (DVec3::splat(1e300), DVec3::X, 1.0),
        ] {
            assert_eq!(March::new(origin, direction, voxel_m, 0.0, 1.0).count(), 0);
        }
        assert_eq!(March::new(DVec3::ZERO, DVec3::X, 1.0, 2.0, 1.0).count(), 0);
    }
}
