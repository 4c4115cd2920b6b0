//! A pulse through voxels: which it goes through, from where to where (Amanatides and Woo 1987).

use glam::DVec3;
use understory_cloud::VoxelGrid;

/// Tells each voxel on a ray between two distances, with where the ray enters and leaves it.
pub(crate) fn through(
    grid: &VoxelGrid,
    origin: DVec3,
    direction: DVec3,
    [from, to]: [f64; 2],
    tell: &mut dyn FnMut(usize, f64, f64),
) {
    let (low, high, cell) = (grid.low(), grid.high(), DVec3::from(grid.cell_m));
    let (mut enter, mut leave) = (from, to);
    for axis in 0..3 {
        let (o, d) = (origin[axis], direction[axis]);
        if d == 0.0 {
            if o < low[axis] || o >= high[axis] {
                return;
            }
            continue;
        }
        let (a, b) = ((low[axis] - o) / d, (high[axis] - o) / d);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    if !(enter < leave && leave.is_finite()) {
        return;
    }
    let start = (origin + direction * enter - low) / cell;
    let (mut voxel, mut next) = ([0u32; 3], [f64::INFINITY; 3]);
    for axis in 0..3 {
        let most = f64::from(grid.counts[axis] - 1);
        voxel[axis] = start[axis].floor().clamp(0.0, most) as u32;
        if direction[axis] != 0.0 {
            next[axis] = crossing(grid, origin, direction, voxel, axis);
        }
    }
    let mut at = enter;
    loop {
        let axis = (1..3).fold(0, |best, axis| if next[axis] < next[best] { axis } else { best });
        let end = next[axis].min(leave);
        if end > at {
            tell(grid.index(voxel), at, end);
            at = end;
        }
        if next[axis] >= leave {
            return;
        }
        let forward = direction[axis] > 0.0;
        let moved = if forward { voxel[axis].checked_add(1) } else { voxel[axis].checked_sub(1) };
        match moved {
            Some(moved) if moved < grid.counts[axis] => voxel[axis] = moved,
            _ => return,
        }
        next[axis] = crossing(grid, origin, direction, voxel, axis);
    }
}

/// Where a ray leaves a voxel along an axis: worked out from the planes, so that nothing adds up.
fn crossing(
    grid: &VoxelGrid,
    origin: DVec3,
    direction: DVec3,
    voxel: [u32; 3],
    axis: usize,
) -> f64 {
    let plane = f64::from(voxel[axis] + u32::from(direction[axis] > 0.0));
    (grid.low_m[axis] + plane * grid.cell_m[axis] - origin[axis]) / direction[axis]
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_plants::{LeafAngle, Random};

    /// Against cutting the ray at points a tenth of a millimetre apart.
    #[test]
    fn voxels_on_a_ray_are_those_of_its_points() {
        let grid = VoxelGrid::covering(
            DVec3::new(-1.0, 2.0, 0.5),
            DVec3::new(2.0, 4.0, 3.0),
            [0.5, 0.4, 0.3],
        )
        .unwrap();
        let mut random = Random::new(5);
        for _ in 0..200 {
            let unit =
                |random: &mut Random| DVec3::new(random.unit(), random.unit(), random.unit());
            let origin = unit(&mut random) * 6.0 - DVec3::new(2.0, 0.0, 1.0);
            let mut direction = LeafAngle::Spherical.normal(&mut random);
            if random.unit() < 0.5 {
                direction = -direction;
            }
            let mut lengths = vec![0.0; grid.len()];
            let mut last = 0.0;
            through(&grid, origin, direction, [0.3, 5.0], &mut |voxel, from, to| {
                assert!(from >= last && to > from);
                last = to;
                lengths[voxel] += to - from;
            });
            let mut counted = vec![0.0; grid.len()];
            for step in 0..47_000 {
                let p = origin + direction * (0.3 + (f64::from(step) + 0.5) * 1e-4);
                let place = (p - grid.low()) / DVec3::from(grid.cell_m);
                let counts = DVec3::from(grid.counts.map(f64::from));
                if place.cmpge(DVec3::ZERO).all() && place.cmplt(counts).all() {
                    counted[grid.index(place.to_array().map(|c| c as u32))] += 1e-4;
                }
            }
            for (exact, counted) in lengths.iter().zip(counted) {
                assert!((exact - counted).abs() < 3e-4, "{exact} {counted}");
            }
        }
    }

    #[test]
    fn rays_along_an_axis_and_beside_the_grid_are_no_trouble() {
        let grid = VoxelGrid::covering(DVec3::ZERO, DVec3::ONE, [0.25; 3]).unwrap();
        let count = |origin, direction| {
            let (mut voxels, mut length) = (0, 0.0);
            through(&grid, origin, direction, [0.0, f64::INFINITY], &mut |_, from, to| {
                voxels += 1;
                length += to - from;
            });
            (voxels, length)
        };
        assert_eq!(count(DVec3::new(0.1, 0.1, 5.0), DVec3::NEG_Z), (4, 1.0));
        assert_eq!(count(DVec3::new(0.1, 1.1, 5.0), DVec3::NEG_Z), (0, 0.0));
        assert_eq!(count(DVec3::new(0.1, 0.1, 5.0), DVec3::Z), (0, 0.0));
    }
}
