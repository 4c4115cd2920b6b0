//! The ground against the tracer, against known functions and against files written here.

mod files;
mod shapes;

use super::mesh::{GroundDetail, GroundMesh};
use super::{GroundPlane, HeightField, TerrainSpec};
use crate::{Random, Relief};
use glam::{DAffine3, DVec3, Vec3};
use std::collections::BTreeMap;
use understory_geometry::{Edges, RaySceneBuilder};

/// Rough ground of any size, not square and no power of two.
fn rough(size_m: [f64; 2], spacing_m: f64, seed: u64) -> HeightField {
    let plane = GroundPlane { size_m, spacing_m, centre_m: [3.0, -2.0], height_m: 1.0 };
    let relief = Relief {
        hurst: 0.8,
        rms_height_m: 0.5,
        wavelength_max_m: 20.0,
        wavelength_min_m: Some(spacing_m * 4.0),
    };
    TerrainSpec { plane: Some(plane), relief: vec![relief], ..TerrainSpec::default() }
        .build(seed)
        .expect("valid")
}

/// Each edge is shared by two triangles that run along it in opposite directions, but for those on
/// the rim of the field, which have one.
fn assert_no_cracks(mesh: &GroundMesh, field: &HeightField) {
    let mut edges: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let count = edges.entry((from.min(to), from.max(to))).or_default();
            if from < to { count.0 += 1 } else { count.1 += 1 }
        }
    }
    let (low, high) = (field.south_west_m(), field.north_east_m());
    for (&(from, to), &count) in &edges {
        let (p, q) = (mesh.positions[from as usize], mesh.positions[to as usize]);
        let on = |a: f64, b: f64, rim: f64| (a - rim).abs() < 1e-9 && (b - rim).abs() < 1e-9;
        let rim = on(p.x, q.x, low.x) || on(p.x, q.x, high.x);
        let rim = rim || on(p.y, q.y, low.y) || on(p.y, q.y, high.y);
        if rim {
            assert_eq!(count.0 + count.1, 1, "rim edge {p} {q}");
        } else {
            assert_eq!(count, (1, 1), "inner edge {p} {q}");
        }
    }
    let area: f64 = mesh
        .triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize].truncate());
            let area = (b - a).perp_dot(c - a) / 2.0;
            assert!(area > 0.0, "triangle {triangle:?} does not face up");
            area
        })
        .sum();
    let extent = high - low;
    assert!((area / (extent.x * extent.y) - 1.0).abs() < 1e-9, "area {area}");
}

/// Largest vertical distance between the mesh, as traced, and `field.height_at` at random points.
fn distance_by_rays(mesh: &GroundMesh, field: &HeightField, points: usize) -> f64 {
    let mut builder = RaySceneBuilder::default();
    let id = builder.add_mesh(&mesh.to_triangle_mesh().unwrap(), Edges::Closed).unwrap();
    builder.add_instance(id, DAffine3::IDENTITY).unwrap();
    let scene = builder.build();
    let mut random = Random::new(7);
    let (low, high) = (field.south_west_m(), field.north_east_m());
    let top = field.height_range_m().1 + 1.0;
    let mut worst: f64 = 0.0;
    for _ in 0..points {
        let origin = DVec3::new(random.between(low.x, high.x), random.between(low.y, high.y), top);
        let hit = scene.trace_ray(origin, Vec3::NEG_Z, 1e4).expect("no hole in the ground");
        let point = scene.surface_point(&hit, origin, DVec3::NEG_Z);
        let height = field.height_at(origin.x, origin.y).expect("inside");
        worst = worst.max((top - point.t - height).abs());
    }
    worst
}

#[test]
fn height_at_is_the_traced_mesh() {
    let field = rough([37.0, 23.0], 0.25, 1);
    let full = field.mesh(GroundDetail::Full);
    assert_eq!(full.triangles.len(), 2 * 148 * 92);
    assert_eq!(full.vertical_error_max_m, 0.0);
    assert_no_cracks(&full, &field);
    let worst = distance_by_rays(&full, &field, 10_000);
    println!("full: {worst:.1e} m");
    assert!(worst < 1e-5, "{worst}");

    for tolerance in [0.001, 0.01, 0.1, 1.0] {
        let mesh = field.mesh(GroundDetail::WithinM(tolerance));
        assert_no_cracks(&mesh, &field);
        let worst = distance_by_rays(&mesh, &field, 10_000);
        let stands = distance_by_rays(&mesh, &mesh.surface, 10_000);
        println!(
            "within {tolerance} m: {} of {} triangles, {worst:.2e} m by rays, {:.2e} m at samples, \
             its own surface {stands:.1e} m",
            mesh.triangles.len(),
            full.triangles.len(),
            mesh.vertical_error_max_m,
        );
        assert!(mesh.vertical_error_max_m <= tolerance);
        assert!(worst <= mesh.vertical_error_max_m + 1e-5);
        assert!(stands < 1e-5);
    }
}

/// Map coordinates and a spacing that f32 cannot hold.
#[test]
fn height_at_is_the_traced_mesh_on_the_map() {
    let near = rough([40.0, 30.0], 0.1, 2);
    let (columns, rows) = (near.columns(), near.rows());
    let heights = near.heights_m().iter().map(|height| height + 800.0).collect();
    let corner = [500_000.1, 5_400_000.3];
    let field = HeightField::new(corner, [0.1; 2], columns, rows, heights).unwrap();
    let worst = distance_by_rays(&field.mesh(GroundDetail::Full), &field, 10_000);
    println!("on the map: {worst:.1e} m");
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn coarse_meshes_have_no_cracks_at_any_size() {
    for (columns, rows) in [(2, 2), (2, 9), (3, 3), (5, 17), (6, 4), (33, 33), (34, 32), (100, 7)] {
        let mut random = Random::new(columns as u64 * 1000 + rows as u64);
        // Mostly level, with some spikes: neighbours of very different sizes.
        let heights = (0..columns * rows)
            .map(|_| if random.unit() < 0.03 { random.unit() } else { 0.0 })
            .collect();
        let field = HeightField::new([0.0; 2], [0.5, 0.7], columns, rows, heights).unwrap();
        for detail in [GroundDetail::Full, GroundDetail::WithinM(0.2), GroundDetail::WithinM(0.0)] {
            let mesh = field.mesh(detail);
            assert_no_cracks(&mesh, &field);
            if let GroundDetail::WithinM(tolerance) = detail {
                assert!(mesh.vertical_error_max_m <= tolerance);
            }
        }
    }
}

#[test]
fn level_ground_needs_two_triangles() {
    let field = HeightField::level([0.0; 2], [64.0, 64.0], 1.0, 5.0).unwrap();
    assert_eq!(field.mesh(GroundDetail::WithinM(0.01)).triangles.len(), 2);
    // Four squares of 64 in a row.
    let field = HeightField::level([0.0; 2], [4.0 * 64.0, 64.0], 1.0, 5.0).unwrap();
    assert_eq!(field.mesh(GroundDetail::WithinM(0.01)).triangles.len(), 8);
}

#[test]
fn normal_of_a_plane() {
    let mut field = HeightField::level([500_000.0, 5_400_000.0], [20.0, 10.0], 0.5, 100.0).unwrap();
    field.raise(|x, y| 0.3 * (x - 500_000.0) - 0.2 * (y - 5_400_000.0));
    let normal = DVec3::new(-0.3, 0.2, 1.0).normalize();
    let mut random = Random::new(3);
    for _ in 0..1000 {
        let (x, y) = (random.between(-10.0, 10.0), random.between(-5.0, 5.0));
        let (east, north) = (500_000.0 + x, 5_400_000.0 + y);
        let height = field.height_at(east, north).unwrap();
        assert!((height - (100.0 + 0.3 * x - 0.2 * y)).abs() < 1e-8);
        assert!(field.normal_at(east, north).unwrap().distance(normal) < 1e-8);
    }
    assert_eq!(field.height_at(500_010.1, 5_400_000.0), None);
    assert_eq!(field.height_at(f64::NAN, 5_400_000.0), None);
    assert_eq!(field.normal_at(f64::INFINITY, 5_400_000.0), None);
    // The far corner is still inside.
    assert!(field.height_at(500_010.0, 5_400_005.0).is_some());
}
