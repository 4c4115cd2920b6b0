//! Wood: the axes of a skeleton as tapering tubes.
//!
//! What enters: a skeleton with radii. What leaves: tubes in the mesh, many-sided for trunks and
//! three-sided for twigs. An axis is one tube from where it leaves its parent to its tip.

use super::skeleton::Skeleton;
use crate::{Part, Plant};
use glam::DVec3;
use understory_base::math;

/// Sides of a tube by its radius.
fn sides(radius_m: f64) -> u32 {
    match radius_m {
        r if r > 0.08 => 12,
        r if r > 0.03 => 8,
        r if r > 0.012 => 6,
        r if r > 0.006 => 4,
        _ => 3,
    }
}

/// How much wider than above the foot of a stem is, from its radius and the height over ground.
fn root_flare(height_m: f64, stem_radius_m: f64) -> f64 {
    1.0 + 0.7 * math::exp(-height_m / (1.2 * stem_radius_m))
}

/// Adds all axes as wood. The ends of axes are points.
pub(crate) fn add_wood(plant: &mut Plant, skeleton: &Skeleton, flare: bool) {
    let main = skeleton.main_child(&skeleton.tips());
    for (i, node) in skeleton.nodes.iter().enumerate() {
        let goes_on = node.parent.is_some_and(|parent| main[parent as usize] == Some(i as u32));
        if goes_on {
            continue;
        }
        let (mut path, mut radii) = (Vec::new(), Vec::new());
        if let Some(parent) = node.parent {
            path.push(skeleton.position(parent));
            radii.push(node.radius_m);
        }
        let mut next = Some(i as u32);
        while let Some(index) = next {
            let along = &skeleton.nodes[index as usize];
            let widening = if flare && node.parent.is_none() {
                root_flare(along.position.z - node.position.z, node.radius_m)
            } else {
                1.0
            };
            path.push(along.position);
            radii.push(along.radius_m * widening);
            next = main[index as usize];
        }
        if let Some(last) = radii.last_mut() {
            *last = 0.0;
        }
        add_axis(plant, &path, &radii);
    }
}

/// One axis, in pieces of equal numbers of sides.
fn add_axis(plant: &mut Plant, path: &[DVec3], radii: &[f64]) {
    let mut start = 0;
    while start + 1 < path.len() {
        let count = sides(radii[start]);
        let mut end = start + 1;
        while end + 1 < path.len() && sides(radii[end]) == count {
            end += 1;
        }
        plant.push_tube(&path[start..=end], &radii[start..=end], count, false, Part::Wood);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_is_two_tubes_that_begin_on_the_axis() {
        let mut skeleton = Skeleton::default();
        let foot = skeleton.push(DVec3::ZERO, None, false);
        let fork = skeleton.push(DVec3::Z, Some(foot), false);
        skeleton.push(DVec3::new(0.0, 0.5, 2.0), Some(fork), false);
        skeleton.push(DVec3::new(0.0, -0.5, 2.0), Some(fork), false);
        skeleton.set_radii(0.003, 0.004, 1);
        let mut plant = Plant::default();
        add_wood(&mut plant, &skeleton, false);
        // Foot to fork, fork to tip, fork to tip.
        assert_eq!(plant.triangles.len(), 6 + 3 + 3);
        let near_fork = plant.positions.iter().filter(|p| p.distance(DVec3::Z) < 0.006).count();
        assert_eq!(near_fork, 3 + 3);
    }

    #[test]
    fn a_straight_stem_has_the_surface_of_its_cones() {
        let mut skeleton = Skeleton::default();
        let mut last = skeleton.push(DVec3::ZERO, None, false);
        for step in 1..=10 {
            last = skeleton.push(DVec3::Z * f64::from(step) * 0.1, Some(last), false);
        }
        skeleton.set_radii(0.05, 0.1, 1);
        let mut plant = Plant::default();
        add_wood(&mut plant, &skeleton, false);
        // Nine pieces of cylinder with the radius of a tip, and a cone.
        let slant = 0.05f64.hypot(0.1);
        let whole = std::f64::consts::PI * 0.05 * (2.0 * 0.9 + slant);
        let half = plant.measures(0).wood_area_m2;
        assert!((half / (0.5 * whole) - 1.0).abs() < 0.01, "{half} {whole}");
    }
}
