//! Triangles → their parts in voxels: exact areas, by cutting along the planes between voxels.
//!
//! What enters: a triangle in the world. What leaves: for each voxel that it passes through, the
//! area of its part in it and the middle of that part (Sutherland and Hodgman 1974, one axis after
//! another). What lies in a plane between two voxels belongs to the upper one.

use glam::DVec3;
use understory_cloud::VoxelGrid;

/// A triangle cut by six planes has at most nine corners.
const CORNERS_MAX: usize = 10;

/// A convex polygon in space.
#[derive(Clone, Copy)]
struct Polygon {
    corners: [DVec3; CORNERS_MAX],
    count: usize,
}

impl Polygon {
    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn push(&mut self, corner: DVec3) {
        if let Some(slot) = self.corners.get_mut(self.count) {
            *slot = corner;
            self.count += 1;
        }
    }

    /// The part on one side of a plane across an axis: above it, or below.
    fn cut(&self, axis: usize, plane: f64, above: bool) -> Polygon {
        let mut kept = Polygon { corners: [DVec3::ZERO; CORNERS_MAX], count: 0 };
        let inside = |p: DVec3| if above { p[axis] >= plane } else { p[axis] < plane };
        for (i, &from) in self.corners().iter().enumerate() {
            let to = self.corners[(i + 1) % self.count];
            if inside(from) {
                kept.push(from);
            }
            if inside(from) != inside(to) {
                let share = (plane - from[axis]) / (to[axis] - from[axis]);
                let mut point = from + (to - from) * share;
                point[axis] = plane;
                kept.push(point);
            }
        }
        kept
    }

    /// Area and centroid.
    fn measure(&self) -> (f64, DVec3) {
        let Some(&first) = self.corners().first() else { return (0.0, DVec3::ZERO) };
        let (mut area, mut moment) = (0.0, DVec3::ZERO);
        for pair in self.corners().windows(2).skip(1) {
            let part = 0.5 * (pair[0] - first).cross(pair[1] - first).length();
            area += part;
            moment += part * (first + pair[0] + pair[1]) / 3.0;
        }
        (area, if area > 0.0 { moment / area } else { first })
    }
}

/// Tells the place of every voxel that a triangle passes through, the area of its part there and
/// that part's middle; what lies outside the grid is not told.
pub fn cut_into_voxels(
    grid: &VoxelGrid,
    corners: [DVec3; 3],
    tell: &mut dyn FnMut([u32; 3], f64, DVec3),
) {
    let mut polygon = Polygon { corners: [DVec3::ZERO; CORNERS_MAX], count: 3 };
    for (slot, corner) in polygon.corners.iter_mut().zip(corners) {
        if !corner.is_finite() {
            return;
        }
        *slot = corner;
    }
    cut_along(grid, 0, &polygon, [0; 3], tell);
}

fn cut_along(
    grid: &VoxelGrid,
    axis: usize,
    polygon: &Polygon,
    voxel: [u32; 3],
    tell: &mut dyn FnMut([u32; 3], f64, DVec3),
) {
    if axis == 3 {
        let (area, middle) = polygon.measure();
        if area > 0.0 {
            tell(voxel, area, middle);
        }
        return;
    }
    let (low, cell) = (grid.low_m[axis], grid.cell_m[axis]);
    let count = i64::from(grid.counts[axis]);
    let along = polygon.corners().iter().map(|p| p[axis]);
    let (least, most) =
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), c| (l.min(c), m.max(c)));
    let slab = |c: f64| ((c - low) / cell).floor().clamp(-1.0, count as f64) as i64;
    let (first, last) = (slab(least), slab(most));
    if last < 0 || first >= count {
        return;
    }
    for k in first.max(0)..=last.min(count - 1) {
        let mut voxel = voxel;
        voxel[axis] = k as u32;
        let mut part = *polygon;
        if k > first {
            part = part.cut(axis, low + k as f64 * cell, true);
        }
        if k < last {
            part = part.cut(axis, low + (k + 1) as f64 * cell, false);
        }
        if part.count >= 3 {
            cut_along(grid, axis + 1, &part, voxel, tell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_plants::Random;

    fn grid(counts: [f64; 3]) -> VoxelGrid {
        VoxelGrid::covering(DVec3::ZERO, DVec3::from(counts) * 0.5, [0.5; 3]).unwrap()
    }

    fn areas(grid: &VoxelGrid, corners: [DVec3; 3]) -> Vec<f64> {
        let mut areas = vec![0.0; grid.len()];
        cut_into_voxels(grid, corners, &mut |voxel, area, middle| {
            let low = grid.centre(voxel) - 0.25 - 1e-9;
            assert!(middle.cmpge(low).all() && middle.cmple(low + 0.5 + 2e-9).all());
            areas[grid.index(voxel)] += area;
        });
        areas
    }

    /// A plane z = 0.2 + x·0.3 + y·0.4 over 2 × 2 m: in each column lies the column's area over the
    /// cosine, shared out in height as the plane has it.
    #[test]
    fn a_tilted_plate_is_shared_out_as_its_plane() {
        let grid = grid([4.0, 4.0, 4.0]);
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.2 + 0.3 * x + 0.4 * y);
        let [a, b, c, d] = [at(0.0, 0.0), at(2.0, 0.0), at(2.0, 2.0), at(0.0, 2.0)];
        let mut all = areas(&grid, [a, b, c]);
        for (sum, part) in all.iter_mut().zip(areas(&grid, [a, c, d])) {
            *sum += part;
        }
        let stretched = (1.0f64 + 0.09 + 0.16).sqrt();
        for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
            let column: f64 = (0..4).map(|z| all[grid.index([x, y, z])]).sum();
            assert!((column - 0.25 * stretched).abs() < 1e-12, "{x} {y}: {column}");
        }
        // By a fine raster over the plate.
        let (mut counted, steps) = (vec![0.0; grid.len()], 2000);
        for i in 0..steps * steps {
            let place = |k: i32| 2.0 * (f64::from(k) + 0.5) / f64::from(steps);
            let p = at(place(i / steps), place(i % steps));
            let voxel = (p / 0.5).to_array().map(|c| c as u32);
            counted[grid.index(voxel)] += 4.0 * stretched / f64::from(steps).powi(2);
        }
        for (exact, counted) in all.iter().zip(counted) {
            assert!((exact - counted).abs() < 5e-4, "{exact} {counted}");
        }
    }

    #[test]
    fn parts_add_up_whatever_the_triangle_and_outside_is_not_told() {
        let mut random = Random::new(4);
        let whole = grid([6.0; 3]);
        for _ in 0..2000 {
            let corners =
                [0; 3].map(|_| DVec3::new(random.unit(), random.unit(), random.unit()) * 2.9);
            let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
            let parts: f64 = areas(&whole, corners).iter().sum();
            assert!((parts - area).abs() < 1e-12 * area.max(1.0), "{parts} {area}");
        }
        // A square from −1 to 5 across a grid of 1 × 1 m.
        let small = grid([2.0; 3]);
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.75);
        let [a, b, c, d] = [at(-1.0, -1.0), at(5.0, -1.0), at(5.0, 5.0), at(-1.0, 5.0)];
        let first = areas(&small, [a, b, c]);
        let inside: f64 = first.iter().chain(&areas(&small, [a, c, d])).sum();
        assert!((inside - 1.0).abs() < 1e-12, "{inside}");
        assert!(areas(&small, [a, b, DVec3::new(f64::NAN, 0.0, 0.0)]).iter().all(|a| *a == 0.0));
    }

    #[test]
    fn what_lies_between_two_voxels_belongs_to_the_upper_one() {
        let grid = grid([2.0; 3]);
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.5);
        let areas = areas(&grid, [at(0.0, 0.0), at(0.4, 0.0), at(0.0, 0.4)]);
        assert!((areas[grid.index([0, 0, 1])] - 0.08).abs() < 1e-15);
    }
}
