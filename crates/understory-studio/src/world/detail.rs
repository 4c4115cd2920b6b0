//! Less detail for what is far away, so that no page has to draw more triangles than it can.
//!
//! Plants are clouds of small triangles: of one seen from afar, some of them are kept and enlarged so
//! that together they cover as much (stochastic simplification, Cook et al. 2007). Surfaces would get
//! holes: their vertices are put together in cells instead (Rossignac and Borrel 1993). Which instance
//! gets how much follows from its distance, by the one number that makes the sum fit.

use glam::Vec3;
use understory_base::math;
use understory_view::export::SharedMesh;

/// Each step has a quarter of the triangles of the one before it.
pub const STEPS: u8 = 6;
/// Meshes of fewer triangles are never made coarser.
const SMALL: u64 = 32;
/// Triangles are enlarged at most by this.
const ENLARGED_MAX: f32 = 8.0;

/// Triangles that are left of `triangles` at a step.
pub fn left(triangles: u64, step: u8) -> u64 {
    match triangles <= SMALL {
        true => triangles,
        false => (triangles >> (2 * u32::from(step))).max(SMALL / 4),
    }
}

/// An instance to be drawn: triangles of its mesh, and its distance.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Triangles of its mesh.
    pub triangles: u64,
    /// Distance from where one looks.
    pub distance_m: f64,
    /// Whether it may be made coarser and left out.
    pub may_shrink: bool,
}

/// The step of each instance, or none for those that are left out.
pub fn choose(wanted: &[Wanted], budget: u64) -> Vec<Option<u8>> {
    let steps_at = |full_m: f64| -> Vec<Option<u8>> {
        wanted
            .iter()
            .map(|instance| {
                let steps = match instance.may_shrink {
                    // Half as large, a quarter of the triangles.
                    true => math::log2((instance.distance_m / full_m).max(1.0)),
                    false => 0.0,
                };
                Some((steps as u8).min(STEPS - 1))
            })
            .collect()
    };
    let cost = |steps: &[Option<u8>]| -> u64 {
        let all = wanted.iter().zip(steps);
        all.map(|(instance, step)| step.map_or(0, |step| left(instance.triangles, step))).sum()
    };
    let (mut low, mut high) = (1e-3, 1e6);
    if cost(&steps_at(high)) <= budget {
        return steps_at(high);
    }
    for _ in 0..40 {
        let middle = f64::sqrt(low * high);
        if cost(&steps_at(middle)) <= budget { low = middle } else { high = middle }
    }
    let mut steps = steps_at(low);
    let mut over = cost(&steps).saturating_sub(budget);
    let mut farthest: Vec<usize> =
        (0..wanted.len()).filter(|place| wanted[*place].may_shrink).collect();
    farthest.sort_by(|a, b| wanted[*b].distance_m.total_cmp(&wanted[*a].distance_m));
    for place in farthest {
        if over == 0 {
            break;
        }
        if let Some(step) = steps[place].take() {
            over = over.saturating_sub(left(wanted[place].triangles, step));
        }
    }
    steps
}

/// Which of the triangles stay, by a number that mixes theirs.
fn rank(triangle: u32) -> u32 {
    let mixed = triangle.wrapping_mul(0x9E37_79B9);
    (mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA6B) ^ (mixed >> 7)
}

/// A plant with fewer, larger triangles, about `keep` of them.
pub fn thinned(mesh: &SharedMesh, keep: u64) -> SharedMesh {
    let all: u64 = mesh.parts.iter().map(|(_, part)| part.len() as u64).sum();
    let share = keep as f64 / all.max(1) as f64;
    let gate = (share * f64::from(u32::MAX)) as u32;
    let enlarge = ((1.0 / share.max(1e-9)).sqrt() as f32).min(ENLARGED_MAX);
    let mut thin = SharedMesh { positions: Vec::new(), parts: Vec::new() };
    let mut number = 0u32;
    for (material, part) in &mesh.parts {
        let mut kept = Vec::new();
        for triangle in part {
            number = number.wrapping_add(1);
            if rank(number) > gate {
                continue;
            }
            let corners = triangle.map(|corner| {
                mesh.positions.get(corner as usize).copied().map_or(Vec3::ZERO, Vec3::from)
            });
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let first = thin.positions.len() as u32;
            thin.positions
                .extend(corners.map(|corner| (middle + (corner - middle) * enlarge).to_array()));
            kept.push([first, first + 1, first + 2]);
        }
        if !kept.is_empty() {
            thin.parts.push((*material, kept));
        }
    }
    thin
}

/// A surface whose vertices are put together until about `keep` triangles are left.
pub fn clustered(mesh: &SharedMesh, keep: u64) -> SharedMesh {
    let positions = mesh.positions.iter().copied().map(Vec3::from);
    let low = positions.clone().fold(Vec3::INFINITY, Vec3::min);
    let high = positions.fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = (high - low).max(Vec3::splat(1e-6));
    // Two triangles to a cell of a surface across the two longest sides.
    let mut sides = size.to_array();
    sides.sort_by(f32::total_cmp);
    let cell = (sides[1] * sides[2] * 2.0 / keep.max(1) as f32).sqrt();
    let mut numbers = std::collections::HashMap::new();
    let mut coarse = SharedMesh { positions: Vec::new(), parts: Vec::new() };
    let mut counts: Vec<f32> = Vec::new();
    let to: Vec<u32> = mesh
        .positions
        .iter()
        .map(|position| {
            let key = ((Vec3::from(*position) - low) / cell).as_ivec3();
            let number = *numbers.entry(key).or_insert_with(|| {
                coarse.positions.push([0.0; 3]);
                counts.push(0.0);
                coarse.positions.len() as u32 - 1
            });
            let place = number as usize;
            counts[place] += 1.0;
            let mean = Vec3::from(coarse.positions[place]);
            let moved = mean + (Vec3::from(*position) - mean) / counts[place];
            coarse.positions[place] = moved.to_array();
            number
        })
        .collect();
    for (material, part) in &mesh.parts {
        let mut kept: Vec<[u32; 3]> = part
            .iter()
            .map(|triangle| triangle.map(|corner| to.get(corner as usize).copied().unwrap_or(0)))
            .filter(|[a, b, c]| a != b && b != c && a != c)
            .collect();
        kept.sort_unstable();
        kept.dedup();
        if !kept.is_empty() {
            coarse.parts.push((*material, kept));
        }
    }
    coarse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_fits_and_the_near_is_finest() {
        let wanted: Vec<Wanted> = (0..1000)
            .map(|n| Wanted { triangles: 10_000, distance_m: f64::from(n), may_shrink: n != 500 })
            .collect();
        for budget in [50_000, 300_000, 2_000_000, 100_000_000] {
            let steps = choose(&wanted, budget);
            let cost: u64 =
                steps.iter().map(|step| step.map_or(0, |step| left(10_000, step))).sum();
            assert!(cost <= budget, "{cost} of {budget}");
            assert_eq!(steps[500], Some(0));
            let order: Vec<u8> = steps
                .iter()
                .enumerate()
                .filter(|(n, _)| *n != 500)
                .map(|(_, step)| step.unwrap_or(99))
                .collect();
            assert!(order.is_sorted(), "{budget}");
        }
        assert!(choose(&wanted, 100_000_000).iter().all(|step| *step == Some(0)));
    }

    fn grid(side: u32) -> SharedMesh {
        let positions =
            (0..=side).flat_map(|x| (0..=side).map(move |y| [x as f32, y as f32, 0.0])).collect();
        let mut triangles = Vec::new();
        for x in 0..side {
            for y in 0..side {
                let corner = x * (side + 1) + y;
                triangles.push([corner, corner + 1, corner + side + 1]);
                triangles.push([corner + 1, corner + side + 2, corner + side + 1]);
            }
        }
        SharedMesh { positions, parts: vec![(1, triangles)] }
    }

    fn area(mesh: &SharedMesh) -> f32 {
        let corner = |number: u32| Vec3::from(mesh.positions[number as usize]);
        let part = &mesh.parts[0].1;
        let areas = part
            .iter()
            .map(|t| (corner(t[1]) - corner(t[0])).cross(corner(t[2]) - corner(t[0])).length());
        areas.sum::<f32>() / 2.0
    }

    #[test]
    fn thinning_keeps_the_area_and_clustering_the_surface() {
        let mesh = grid(64);
        let thin = thinned(&mesh, 2048);
        let count = thin.parts[0].1.len();
        assert!((1850..2250).contains(&count), "{count}");
        assert!((area(&thin) / area(&mesh) - 1.0).abs() < 0.12, "{}", area(&thin));
        let coarse = clustered(&mesh, 512);
        assert!(coarse.parts[0].1.len() < 900, "{}", coarse.parts[0].1.len());
        assert!((area(&coarse) / area(&mesh) - 1.0).abs() < 0.15, "{}", area(&coarse));
    }
}
