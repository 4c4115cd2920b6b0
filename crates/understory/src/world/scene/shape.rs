//! Simple shapes as triangles: plane, box, sphere, cylinder, disc.
//!
//! What enters: a shape and how far its triangles may lie from the true surface. What leaves: a
//! [`ShapeMesh`], and the curve that its triangles stand for. Curved surfaces are balanced:
//! vertices lie as far outside the true surface as the middles of the triangles lie inside it,
//! R = 2·r / (1 + d), where d is the distance of the nearest triangle from the centre of the unit
//! shape. Discs keep their area instead. Hits are moved to the true surface, so ranges are exact; the triangles decide only which
//! rays hit at the rim.

use crate::Error;
use glam::DVec3;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};
use understory_base::math;
use understory_geometry::CurvedSurface;

/// How far the triangles of a sphere may lie from the true surface unless the scenario says
/// otherwise: how exact its outline is.
pub const SPHERE_TOLERANCE_M: f64 = 1e-4;

/// The same for cylinders and discs, which need few triangles.
pub const ROUND_TOLERANCE_M: f64 = 5e-5;

/// Most triangles of one shape; a sphere of 140 m at the default tolerance.
const MAX_TRIANGLES: f64 = 4_194_304.0;

/// A shape in its own frame, z up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A rectangle in the xy plane around the origin.
    Plane {
        /// Lengths along x and y.
        size_m: [f64; 2],
    },
    /// A box that stands on the origin.
    Box {
        /// Lengths along x, y and z.
        size_m: [f64; 3],
    },
    /// A sphere around the origin.
    Sphere {
        /// Radius.
        radius_m: f64,
    },
    /// A closed cylinder along z that stands on the origin.
    Cylinder {
        /// Radius.
        radius_m: f64,
        /// Length along z.
        height_m: f64,
    },
    /// A disc in the xy plane around the origin.
    Disc {
        /// Radius.
        radius_m: f64,
    },
}

/// Vertices and triangles of a shape, outward side counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeMesh {
    /// Vertices.
    pub positions: Vec<DVec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Shape {
    /// How far the triangles may lie from the true surface unless the scenario says otherwise.
    pub fn default_tolerance_m(&self) -> f64 {
        match self {
            Shape::Sphere { .. } => SPHERE_TOLERANCE_M,
            _ => ROUND_TOLERANCE_M,
        }
    }

    /// The curved surface that the triangles stand for, if it is curved.
    pub fn curve(&self) -> Option<CurvedSurface> {
        match *self {
            Shape::Sphere { radius_m } => {
                Some(CurvedSurface::Sphere { centre: DVec3::ZERO, radius: radius_m })
            }
            Shape::Cylinder { radius_m, .. } => Some(CurvedSurface::Cylinder {
                on_axis: DVec3::ZERO,
                axis: DVec3::Z,
                radius: radius_m,
            }),
            Shape::Plane { .. } | Shape::Box { .. } | Shape::Disc { .. } => None,
        }
    }

    /// About how many triangles [`Shape::mesh`] makes.
    pub fn triangle_estimate(&self, tolerance_m: f64) -> f64 {
        match *self {
            Shape::Plane { .. } => 2.0,
            Shape::Box { .. } => 12.0,
            Shape::Sphere { radius_m } => 20.0 * 0.146 * radius_m / tolerance_m + 20.0,
            Shape::Cylinder { radius_m, .. } => 4.0 * sides(radius_m, tolerance_m),
            Shape::Disc { radius_m } => disc_sides(radius_m, tolerance_m),
        }
    }

    /// Triangles that lie within `tolerance_m` of the true surface; an error names `location`.
    pub fn mesh(&self, tolerance_m: f64, location: &str) -> Result<ShapeMesh, Error> {
        match *self {
            Shape::Plane { size_m: [x, y] } => Ok(plane(x, y)),
            Shape::Box { size_m } => Ok(cuboid(DVec3::from(size_m))),
            Shape::Sphere { radius_m } => {
                let frequency = (0.146 * radius_m / tolerance_m).sqrt().ceil();
                check_count(20.0 * frequency * frequency, radius_m, location)?;
                Ok(sphere(radius_m, tolerance_m, frequency as u32))
            }
            Shape::Cylinder { radius_m, height_m } => {
                let sides = sides(radius_m, tolerance_m);
                check_count(4.0 * sides, radius_m, location)?;
                Ok(cylinder(radius_m, height_m, sides as u32))
            }
            Shape::Disc { radius_m } => {
                let sides = disc_sides(radius_m, tolerance_m);
                check_count(sides, radius_m, location)?;
                Ok(disc(radius_m, sides as u32))
            }
        }
    }
}

fn check_count(triangles: f64, radius_m: f64, location: &str) -> Result<(), Error> {
    if triangles <= MAX_TRIANGLES {
        return Ok(());
    }
    Err(Error::invalid(
        location,
        format!(
            "a radius of {radius_m} m needs {triangles:.0} triangles at this tolerance, more than {MAX_TRIANGLES}"
        ),
        "give a larger `tolerance_m`",
    ))
}

/// Sides of a polygon that stays within the tolerance of a circle: r·(1 − cos(π/n)) / 2.
fn sides(radius_m: f64, tolerance_m: f64) -> f64 {
    (PI / 2.0 * (radius_m / tolerance_m).sqrt()).ceil().max(3.0)
}

/// Sides of a polygon with a circle's area whose corners stay within the tolerance of it.
fn disc_sides(radius_m: f64, tolerance_m: f64) -> f64 {
    // √(2π/(n·sin(2π/n))) − 1 is a little more than π²/(3n²).
    let mut sides = (PI / 3f64.sqrt() * (radius_m / tolerance_m).sqrt()).ceil().max(3.0);
    while sides < 16.0 && radius_m * (same_area(sides) - 1.0) > tolerance_m {
        sides += 1.0;
    }
    sides
}

/// How far the corners of a polygon are from its middle that has the area of the unit circle.
fn same_area(sides: f64) -> f64 {
    let angle = TAU / sides;
    (angle / math::sin(angle)).sqrt()
}

fn plane(x: f64, y: f64) -> ShapeMesh {
    let corner = |sx: f64, sy: f64| DVec3::new(sx * x, sy * y, 0.0) * 0.5;
    ShapeMesh {
        positions: vec![corner(-1., -1.), corner(1., -1.), corner(1., 1.), corner(-1., 1.)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

fn cuboid(size: DVec3) -> ShapeMesh {
    let bit = |corner: u32, axis: u32| (corner >> axis & 1) as f64;
    let positions = (0..8).map(|c| DVec3::new(bit(c, 0) - 0.5, bit(c, 1) - 0.5, bit(c, 2)) * size);
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    ShapeMesh {
        positions: positions.collect(),
        triangles: faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// `sides` points of a balanced circle at height `z`.
fn ring(radius: f64, sides: u32, z: f64) -> impl Iterator<Item = DVec3> {
    polygon(2.0 * radius / (1.0 + math::cos(PI / sides as f64)), sides, z)
}

/// The corners of a polygon, `outer` from its middle, at height `z`.
fn polygon(outer: f64, sides: u32, z: f64) -> impl Iterator<Item = DVec3> {
    (0..sides).map(move |i| {
        let (sin, cos) = math::sin_cos(TAU * i as f64 / sides as f64);
        DVec3::new(outer * cos, outer * sin, z)
    })
}

fn disc(radius: f64, sides: u32) -> ShapeMesh {
    // A leaf stops as much light as its area says, so the polygon has the area of the disc.
    let outer = radius * same_area(sides as f64);
    // Fanned from a corner, not from the middle: two triangles fewer.
    ShapeMesh {
        positions: polygon(outer, sides, 0.0).collect(),
        triangles: (1..sides - 1).map(|i| [0, i, i + 1]).collect(),
    }
}

fn cylinder(radius: f64, height: f64, sides: u32) -> ShapeMesh {
    let positions = ring(radius, sides, 0.0).chain(ring(radius, sides, height)).collect();
    let side = |i: u32| {
        let next = (i + 1) % sides;
        [[i, next, sides + next], [i, sides + next, sides + i]]
    };
    let cap = |i: u32| [[0, i + 1, i], [sides, sides + i, sides + i + 1]];
    let triangles = (0..sides).flat_map(side).chain((1..sides - 1).flat_map(cap)).collect();
    ShapeMesh { positions, triangles }
}

/// A geodesic sphere: each face of an icosahedron divided into `frequency`² triangles.
fn sphere(radius: f64, tolerance: f64, frequency: u32) -> ShapeMesh {
    let mut frequency = frequency.max(1);
    loop {
        let mut mesh = unit_geodesic(frequency);
        let nearest = mesh.triangles.iter().map(|t| plane_distance(&mesh.positions, t));
        let nearest = nearest.fold(1.0, f64::min);
        if radius * (1.0 - nearest) / (1.0 + nearest) <= tolerance || frequency >= 460 {
            let outer = 2.0 * radius / (1.0 + nearest);
            mesh.positions.iter_mut().for_each(|p| *p *= outer);
            return mesh;
        }
        frequency += 1;
    }
}

fn plane_distance(positions: &[DVec3], corners: &[u32; 3]) -> f64 {
    let [a, b, c] = corners.map(|i| positions[i as usize]);
    (b - a).cross(c - a).normalize_or_zero().dot(a).abs()
}

/// Corners and faces of an icosahedron.
fn icosahedron() -> ([DVec3; 12], [[usize; 3]; 20]) {
    let mut corners = [DVec3::Z; 12];
    corners[11] = -DVec3::Z;
    let (z, r) = (1.0 / 5f64.sqrt(), 2.0 / 5f64.sqrt());
    for i in 0..5 {
        let angle = TAU * i as f64 / 5.0;
        corners[1 + i] = DVec3::new(r * math::cos(angle), r * math::sin(angle), z);
        let angle = angle + TAU / 10.0;
        corners[6 + i] = DVec3::new(r * math::cos(angle), r * math::sin(angle), -z);
    }
    let mut faces = [[0; 3]; 20];
    for i in 0..5 {
        let (upper, next) = (1 + i, 1 + (i + 1) % 5);
        let (lower, below_next) = (6 + i, 6 + (i + 1) % 5);
        faces[4 * i] = [0, upper, next];
        faces[4 * i + 1] = [upper, lower, next];
        faces[4 * i + 2] = [next, lower, below_next];
        faces[4 * i + 3] = [11, below_next, lower];
    }
    (corners, faces)
}

fn unit_geodesic(frequency: u32) -> ShapeMesh {
    let (corners, faces) = icosahedron();
    let n = frequency;
    let mut mesh = ShapeMesh::default();
    // Vertices on edges and corners are shared by their faces: keyed by corners and weights.
    let mut shared: HashMap<[(usize, u32); 3], u32> = HashMap::new();
    for face in faces {
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(n as usize + 1);
        for i in 0..=n {
            let row = (0..=i).map(|j| {
                let mut key = [(face[0], n - i), (face[1], i - j), (face[2], j)];
                key.sort_unstable();
                for part in &mut key {
                    // A corner without weight has no say, whichever it is.
                    if part.1 == 0 {
                        *part = (usize::MAX, 0);
                    }
                }
                key.sort_unstable();
                let point: DVec3 =
                    key.iter().filter(|k| k.1 > 0).map(|&(c, w)| corners[c] * w as f64).sum();
                let next = mesh.positions.len() as u32;
                let on_edge = key[2].1 == 0;
                let index = if on_edge { *shared.entry(key).or_insert(next) } else { next };
                if index == next {
                    mesh.positions.push(point.normalize());
                }
                index
            });
            rows.push(row.collect());
        }
        for (above, below) in rows.iter().zip(rows.iter().skip(1)) {
            for j in 0..above.len() {
                mesh.triangles.push([above[j], below[j], below[j + 1]]);
                if j + 1 < above.len() {
                    mesh.triangles.push([above[j], below[j + 1], above[j + 1]]);
                }
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DAffine3, DQuat, Vec3};
    use understory_geometry::{Edges, RayScene, RaySceneBuilder, TriangleMesh};

    fn mesh_of(shape: Shape) -> ShapeMesh {
        shape.mesh(shape.default_tolerance_m(), "here").unwrap()
    }

    fn scene(shape: Shape, world_from_mesh: DAffine3) -> RayScene {
        let mut builder = RaySceneBuilder::default();
        let mesh = mesh_of(shape);
        let mesh = TriangleMesh::new(&mesh.positions, mesh.triangles).unwrap();
        let mesh = match shape.curve() {
            Some(curve) => builder.add_curved_mesh(&mesh, Edges::Closed, curve).unwrap(),
            None => builder.add_mesh(&mesh, Edges::Closed).unwrap(),
        };
        builder.add_instance(mesh, world_from_mesh).unwrap();
        builder.build()
    }

    /// Volume by the divergence theorem: positive if all triangles face outwards.
    fn volume(mesh: &ShapeMesh) -> f64 {
        let parts = mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            a.dot(b.cross(c)) / 6.0
        });
        parts.sum()
    }

    /// Every edge of a closed surface is run through once in each direction.
    fn is_closed(mesh: &ShapeMesh) -> bool {
        let mut edges = HashMap::new();
        for t in &mesh.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                *edges.entry((a, b)).or_insert(0) += 1;
            }
        }
        edges.iter().all(|((a, b), count)| *count == 1 && edges.get(&(*b, *a)) == Some(&1))
    }

    #[test]
    fn solids_are_closed_and_have_their_volume() {
        let cube = mesh_of(Shape::Box { size_m: [2.0, 3.0, 4.0] });
        assert!(is_closed(&cube) && (volume(&cube) - 24.0).abs() < 1e-12);
        let cylinder = mesh_of(Shape::Cylinder { radius_m: 0.5, height_m: 2.0 });
        assert!(is_closed(&cylinder) && (volume(&cylinder) - PI * 0.5).abs() < 5e-4);
        let sphere = mesh_of(Shape::Sphere { radius_m: 0.5 });
        assert!(is_closed(&sphere) && (volume(&sphere) - PI / 6.0).abs() < 1e-4);
        for mesh in [cube, cylinder] {
            assert_eq!(mesh.positions.iter().map(|p| p.z).fold(1.0, f64::min), 0.0);
        }
    }

    /// How far a surface lies from its true radius: at vertices, edge middles, triangle middles.
    fn deviation(mesh: &ShapeMesh, radius: f64, distance: impl Fn(DVec3) -> f64) -> f64 {
        let off = |p: DVec3| (distance(p) - radius).abs();
        let worst = mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            let normal = (b - a).cross(c - a).normalize();
            let foot = normal * normal.dot(a);
            [a, (a + b) * 0.5, (a + b + c) / 3.0, foot].into_iter().map(off).fold(0.0, f64::max)
        });
        worst.fold(0.0, f64::max)
    }

    #[test]
    fn curved_surfaces_lie_within_the_tolerance_and_are_balanced() {
        for radius_m in [0.05, 0.5, 2.0, 10.0] {
            let mesh = mesh_of(Shape::Sphere { radius_m });
            let worst = deviation(&mesh, radius_m, DVec3::length);
            println!("sphere {radius_m} m: {} triangles, {worst:.2e} m", mesh.triangles.len());
            assert!(worst <= SPHERE_TOLERANCE_M && worst > 0.5 * SPHERE_TOLERANCE_M);
            let mesh = mesh_of(Shape::Cylinder { radius_m, height_m: 1.0 });
            let sides = ShapeMesh {
                triangles: mesh.triangles[..mesh.triangles.len() / 2 + 2].to_vec(),
                ..mesh.clone()
            };
            let worst = deviation(&sides, radius_m, |p| p.truncate().length());
            println!("cylinder {radius_m} m: {} triangles, {worst:.2e} m", mesh.triangles.len());
            assert!(worst <= ROUND_TOLERANCE_M && worst > 0.5 * ROUND_TOLERANCE_M);
        }
    }

    #[test]
    fn a_sphere_too_large_for_its_tolerance_is_refused() {
        let error = Shape::Sphere { radius_m: 200.0 }.mesh(SPHERE_TOLERANCE_M, "a.toml:3");
        let text = error.unwrap_err().to_string();
        assert!(text.starts_with("a.toml:3: a radius of 200 m needs"), "{text}");
        assert!(Shape::Sphere { radius_m: 100.0 }.mesh(1e-3, "a").is_ok());
        assert!(Shape::Disc { radius_m: 1e9 }.mesh(1e-9, "a").is_err());
    }

    /// Ranges at 100 m against the analytic plane, sphere and cylinder, up to 89.5° of incidence.
    #[test]
    fn ranges_at_100_m_are_those_of_the_true_surfaces() {
        let place = DVec3::new(60.0, -48.0, 64.0);
        let turn = DQuat::from_euler(glam::EulerRot::ZYX, 0.3, -0.7, 1.1);
        let placed = DAffine3::from_rotation_translation(turn, place);
        let to_centre = place.normalize();
        let (mut worst, mut compared) = ([0f64; 3], [0; 3]);
        let sphere = scene(Shape::Sphere { radius_m: 2.0 }, placed);
        let cylinder = scene(Shape::Cylinder { radius_m: 2.0, height_m: 10.0 }, placed);
        let plane = scene(Shape::Plane { size_m: [50.0, 50.0] }, placed);
        for i in 0..20_000 {
            // A sunflower of directions over the target.
            let (r, angle) = (0.02 * (i as f64 / 20_000.0).sqrt(), 2.399963 * i as f64);
            let (u, v) = to_centre.any_orthonormal_pair();
            let direction = (to_centre + (u * angle.cos() + v * angle.sin()) * r).normalize();
            let direction = direction.as_vec3();
            let exact = direction.as_dvec3();
            let range = |scene: &RayScene| {
                let hit = scene.trace_ray(DVec3::ZERO, direction, 1e3)?;
                Some(scene.surface_point(&hit, DVec3::ZERO, exact).t * exact.length())
            };
            let unit = exact.normalize();
            if let (Some(t), Some(truth)) = (range(&sphere), sphere_range(unit, place, 2.0)) {
                worst[0] = worst[0].max((t - truth).abs());
                compared[0] += 1;
            }
            let axis = turn * DVec3::Z;
            let truth = cylinder_range(unit, place, axis, 2.0);
            if let (Some(t), Some(truth)) = (range(&cylinder), truth) {
                worst[1] = worst[1].max((t - truth).abs());
                compared[1] += 1;
            }
            if let Some(t) = range(&plane) {
                worst[2] = worst[2].max((t - axis.dot(place) / axis.dot(unit)).abs());
                compared[2] += 1;
            }
        }
        println!("worst range error: sphere, cylinder, plane {worst:?} m of {compared:?} rays");
        assert!(compared.iter().all(|rays| *rays > 2_000), "{compared:?}");
        assert!(worst.iter().all(|error| *error < 1e-6), "{worst:?}");
    }

    /// Range from the origin, if met at less than 89.5° of incidence.
    fn sphere_range(unit: DVec3, centre: DVec3, radius: f64) -> Option<f64> {
        let along = unit.dot(centre);
        let half = (radius * radius - (centre.length_squared() - along * along)).sqrt();
        (half / radius > 89.5f64.to_radians().cos()).then_some(along - half)
    }

    fn cylinder_range(unit: DVec3, base: DVec3, axis: DVec3, radius: f64) -> Option<f64> {
        let across = |p: DVec3| p - axis * axis.dot(p);
        let (d, c) = (across(unit), across(base));
        let (a, b) = (d.length_squared(), d.dot(c));
        let root = (b * b - a * (c.length_squared() - radius * radius)).sqrt();
        let t = (b - root) / a;
        let normal = (d * t - c) / radius;
        let height = axis.dot(unit * t - base);
        let facing = -normal.dot(unit);
        // The rim of an end is a polygon: rays that pass closer to it may meet the end instead.
        let rim = |height: f64| {
            let at_end = unit * ((height + axis.dot(base)) / axis.dot(unit)) - base;
            (across(at_end).length() - radius).abs() < ROUND_TOLERANCE_M
        };
        if rim(0.0) || rim(10.0) {
            return None;
        }
        (facing > 89.5f64.to_radians().cos() && (0.0..10.0).contains(&height)).then_some(t)
    }

    /// Whatever the tolerance, the triangles of a disc have its area, and none leaves the tolerance.
    #[test]
    fn discs_keep_their_area() {
        for radius_m in [0.03, 0.05, 1.0, 20.0] {
            for share in [0.6, 0.4, 0.2, 0.1, 0.05, 1e-2, 1e-4] {
                let tolerance_m = share * radius_m;
                let mesh = Shape::Disc { radius_m }.mesh(tolerance_m, "leaf").unwrap();
                let area = |t: &[u32; 3]| {
                    let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
                    (b - a).cross(c - a).z * 0.5
                };
                let area: f64 = mesh.triangles.iter().map(area).sum();
                assert!((area / (PI * radius_m * radius_m) - 1.0).abs() < 1e-12, "{area}");
                let beyond = mesh.positions.iter().map(|p| p.length() - radius_m);
                assert!(beyond.fold(0.0, f64::max) <= tolerance_m * 1.001, "{radius_m} {share}");
            }
        }
    }

    #[test]
    fn leaves_need_few_triangles() {
        let mesh = Shape::Disc { radius_m: 0.05 }.mesh(0.005, "leaf").unwrap();
        assert_eq!(mesh.triangles.len(), 4);
        let ray = scene(Shape::Disc { radius_m: 1.0 }, DAffine3::IDENTITY).trace_ray(
            DVec3::Z,
            -Vec3::Z,
            9.0,
        );
        assert!(ray.is_some());
    }
}
