//! Whole surfaces against what their points were made of.

use glam::DVec3;

use super::marching_cubes::tests::euler_of_closed;
use super::*;
use crate::SurfaceError;

/// Independent uniform numbers of 0…1, and normal ones of them.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn builder(options: SurfaceOptions) -> SurfaceBuilder {
    SurfaceBuilder::new(options).unwrap()
}

fn built(options: SurfaceOptions, points: &[DVec3], origin: DVec3) -> SurfaceMesh {
    let mut builder = builder(options);
    points.iter().for_each(|&point| builder.add(point, origin));
    builder.build(|_, _, _| {}).unwrap()
}

fn normal_of(mesh: &SurfaceMesh, triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|k| mesh.vertices[k as usize]);
    (b - a).cross(c - a)
}

fn middle_of(mesh: &SurfaceMesh, triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|k| mesh.vertices[k as usize]);
    mesh.origin + (a + b + c) / 3.0
}

/// Points of a plane through `centre` across `normal`, on a jittered lattice.
fn plane(
    centre: DVec3,
    normal: DVec3,
    half_m: f64,
    step_m: f64,
    noise_m: f64,
    draws: &mut Draws,
) -> Vec<DVec3> {
    let (u, v) = normal.any_orthonormal_pair();
    let steps = (half_m / step_m).round() as i64;
    let mut points = Vec::new();
    for i in -steps..=steps {
        for j in -steps..=steps {
            let mut along = |k: i64| (k as f64 + draws.uniform() - 0.5) * step_m;
            let (a, b) = (along(i), along(j));
            points.push(centre + u * a + v * b + normal * (draws.normal() * noise_m));
        }
    }
    points
}

/// Vertices at least `inset_m` within the outline of a plane's points.
fn inner(
    mesh: &SurfaceMesh,
    centre: DVec3,
    normal: DVec3,
    half_m: f64,
) -> impl Iterator<Item = DVec3> {
    let (u, v) = normal.any_orthonormal_pair();
    mesh.world_vertices()
        .map(move |vertex| vertex - centre)
        .filter(move |from| from.dot(u).abs() < half_m && from.dot(v).abs() < half_m)
}

/// Border edges whose middle is well within the outline of a plane's points.
fn inner_border_edges(mesh: &SurfaceMesh, centre: DVec3, normal: DVec3, half_m: f64) -> usize {
    let (u, v) = normal.any_orthonormal_pair();
    let mut count = std::collections::BTreeMap::<[u32; 2], u32>::new();
    for t in &mesh.triangles {
        for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
            *count.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    let at = |k: u32| mesh.origin + mesh.vertices[k as usize] - centre;
    let within = |p: DVec3| p.dot(u).abs() < half_m && p.dot(v).abs() < half_m;
    count.iter().filter(|(e, n)| **n == 1 && within((at(e[0]) + at(e[1])) / 2.0)).count()
}

/// Heights of a plane's points are averaged by the kernel w = φ/∫φ, and each point's own plane has
/// the slope of its neighbours' heights: ẑ(x) = ∫w(d)(z(x − d) + s(x − d)·d), where
/// s(p) = (12/h²)∫w(q)·q·z(p + q). In Fourier's terms that is one kernel, K = W + (12/h²)|∇W|², so
/// noise σ of n points a square metre gives the variance σ²/n·∫|K|² = 2.0957·σ²/(n·h²) (worked out
/// by a Fourier transform on a lattice; w alone has 25/9π = 0.884).
#[test]
fn a_noisy_plane_is_recovered_as_well_as_its_points_allow() {
    let (sigma, step, half) = (0.005, 0.004, 0.25);
    let normal = DVec3::new(0.3, -0.2, 1.0).normalize();
    let centre = DVec3::new(0.011, 0.022, 0.033);
    let points = plane(centre, normal, half, step, sigma, &mut Draws(1));
    let mesh = built(SurfaceOptions::standing(), &points, centre + normal * 8.0);
    let heights: Vec<f64> =
        inner(&mesh, centre, normal, half - 0.06).map(|p| p.dot(normal)).collect();
    let rms = (heights.iter().map(|h| h * h).sum::<f64>() / heights.len() as f64).sqrt();
    let expected = sigma * (2.0957 * step * step / 0.04f64.powi(2)).sqrt();
    // K spans h²/2.0957, and 0.38 m squared hold 190 of that: the rms has a standard error of
    // 1/√380 = 5.1 %. Six of them, and 10 % for what the linear theory leaves out (averaging in
    // cells, weights by residual and normal): 2·10⁻⁹ of seeds would fail. Twelve seeds gave 0.99 to
    // 1.17, in the mean 1.08.
    assert!((rms / expected - 1.0).abs() < 0.41, "{rms} and {expected}");
    assert_eq!(inner_border_edges(&mesh, centre, normal, half - 0.06), 0);
    for &t in &mesh.triangles {
        assert!(normal_of(&mesh, t).dot(normal) > 0.0);
    }
}

fn sphere(radius_m: f64, count: u32) -> Vec<DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count)
        .map(|k| {
            let z = 1.0 - 2.0 * (f64::from(k) + 0.5) / f64::from(count);
            let (sin, cos) = (golden * f64::from(k)).sin_cos();
            DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z) * radius_m
        })
        .collect()
}

#[test]
fn a_sphere_seen_from_all_round_is_closed_and_faces_outwards() {
    let radius = 0.2;
    let mut builder = builder(SurfaceOptions::standing());
    let centre = DVec3::new(3.0, -2.0, 1.0);
    for point in sphere(radius, 30_000) {
        builder.add(centre + point, centre + point * 20.0);
    }
    let mesh = builder.build(|_, _, _| {}).unwrap();
    assert_eq!(euler_of_closed(mesh.vertices.len(), &mesh.triangles), 2);
    assert_eq!((mesh.report.borders, mesh.report.cells_unknown), (0, 0));
    // Tangent planes of points at distance s lie s²/2R above the surface at their foot; with weights
    // φ the mean of s² on a plane is h²/6, so the zero lies h²/12R = 0.67 mm off, outside.
    let off = 0.04f64.powi(2) / (12.0 * radius);
    let radii: Vec<f64> = mesh.world_vertices().map(|v| (v - centre).length() - radius).collect();
    let mean = radii.iter().sum::<f64>() / radii.len() as f64;
    assert!((mean - off).abs() < 0.15 * off, "{mean} and {off}");
    assert!(radii.iter().all(|r| (r - mean).abs() < 3e-4));
    for &t in &mesh.triangles {
        let outwards = (middle_of(&mesh, t) - centre).normalize();
        assert!(normal_of(&mesh, t).normalize_or_zero().dot(outwards) > 0.9);
    }
}

/// Two half planes at a right angle, seen from the open side: how far off the surface is near the
/// edge. Without the robust weights the planes are blended.
#[test]
fn a_small_sigma_of_normals_keeps_edges_sharper() {
    let off = |sigma_normal: f64| {
        let mut points = Vec::new();
        for i in 0..60 {
            for j in -60..=60 {
                let (a, b) = (f64::from(i) * 0.003 + 0.0015, f64::from(j) * 0.003);
                points.extend([DVec3::new(-a, b, 0.0), DVec3::new(0.0, b, -a)]);
            }
        }
        let options = SurfaceOptions { sigma_normal, ..SurfaceOptions::standing() };
        let mesh = built(options, &points, DVec3::new(3.0, 0.0, 3.0));
        let near = mesh.world_vertices().filter(|v| v.y.abs() < 0.1 && v.x.hypot(v.z) < 0.05);
        let off: Vec<f64> = near
            .map(|v| {
                let to_floor = v.x.max(0.0).hypot(v.z);
                let to_wall = v.z.max(0.0).hypot(v.x);
                to_floor.min(to_wall)
            })
            .collect();
        (off.iter().map(|d| d * d).sum::<f64>() / off.len() as f64).sqrt()
    };
    let (sharp, usual, smooth) = (off(0.5), off(0.8), off(1e3));
    println!("rms off an edge: {sharp} {usual} {smooth}");
    assert!(sharp < usual && usual < smooth, "{sharp} {usual} {smooth}");
}

#[test]
fn triangles_face_the_sensor_on_either_side() {
    let points = plane(DVec3::ZERO, DVec3::X, 0.1, 0.005, 0.0, &mut Draws(2));
    for side in [-1.0, 1.0] {
        let mesh = built(SurfaceOptions::standing(), &points, DVec3::new(5.0 * side, 0.0, 0.0));
        assert!(mesh.triangles.len() > 100);
        assert!(mesh.triangles.iter().all(|&t| normal_of(&mesh, t).x * side > 0.0));
    }
}

#[test]
fn a_wall_seen_from_both_sides_has_two_faces() {
    let mut draws = Draws(3);
    let mut builder = builder(SurfaceOptions::standing());
    for side in [-1.0, 1.0] {
        let centre = DVec3::new(0.05 * side, 0.0, 0.0);
        for point in plane(centre, DVec3::X, 0.15, 0.005, 0.001, &mut draws) {
            builder.add(point, DVec3::new(4.0 * side, 0.0, 0.0));
        }
    }
    let mesh = builder.build(|_, _, _| {}).unwrap();
    for &t in &mesh.triangles {
        let x = middle_of(&mesh, t).x;
        assert!((x.abs() - 0.05).abs() < 0.003, "{x}");
        assert!(normal_of(&mesh, t).x * x > 0.0);
    }
}

#[test]
fn where_there_are_no_points_there_is_a_hole() {
    let all = plane(DVec3::ZERO, DVec3::Z, 0.3, 0.005, 0.0, &mut Draws(4));
    let points: Vec<DVec3> = all.into_iter().filter(|p| p.length() > 0.1).collect();
    let mesh = built(SurfaceOptions::standing(), &points, DVec3::new(0.0, 0.0, 8.0));
    let nearest = mesh.world_vertices().map(|v| v.length()).fold(f64::INFINITY, f64::min);
    // It ends within the reach of 2 cm, and within a cell's diagonal of it.
    assert!(nearest > 0.08 && nearest < 0.1, "{nearest}");
    assert_eq!(mesh.report.borders, 2);
}

#[test]
fn the_settings_for_moving_scanners_leave_no_holes_in_planes() {
    for normal in [DVec3::Z, DVec3::ONE.normalize(), DVec3::new(1.0, 0.1, 1.0).normalize()] {
        let centre = DVec3::new(0.13, 0.21, 0.34);
        let points = plane(centre, normal, 4.0, 0.12, 0.02, &mut Draws(5));
        let mesh = built(SurfaceOptions::moving(), &points, centre + normal * 10.0);
        assert_eq!(inner_border_edges(&mesh, centre, normal, 3.3), 0, "{normal}");
        let worst = inner(&mesh, centre, normal, 3.3).map(|p| p.dot(normal).abs());
        assert!(worst.fold(0.0, f64::max) < 0.02 * 3.0, "{normal}");
        let area: f64 = mesh.triangles.iter().map(|&t| normal_of(&mesh, t).length() / 2.0).sum();
        assert!(area > 6.6 * 6.6, "{normal}: {area}");
        let kept = SurfaceOptions { widen_at_corners: false, ..SurfaceOptions::moving() };
        let mesh = built(kept, &points, centre + normal * 10.0);
        let holes = inner_border_edges(&mesh, centre, normal, 3.3);
        assert_eq!(holes > 0, normal != DVec3::Z, "{normal}: {holes}");
    }
}

/// A plane at 8 m under a spinning head: scan lines 56 mm apart, wider than the kernel. Within the
/// kernel there is one line only, as thick as the noise of ranges, whose normal would point along the
/// plane; twice the kernel has more.
#[test]
fn scan_lines_farther_apart_than_the_kernel_still_make_a_plane() {
    let mut draws = Draws(10);
    let points: Vec<DVec3> = (0..30_000)
        .map(|k| {
            let line = f64::from(k % 15 - 7) * 0.056;
            DVec3::new(0.005 * draws.normal(), 0.6 * (draws.uniform() - 0.5), line)
        })
        .collect();
    let made = |options: SurfaceOptions| {
        let mesh = built(options, &points, DVec3::new(8.0, 0.0, 0.0));
        let mut off: Vec<f64> =
            inner(&mesh, DVec3::ZERO, DVec3::X, 0.25).map(|v| v.x.abs()).collect();
        off.sort_by(f64::total_cmp);
        let missed = (0..1681).filter(|k| {
            let at = DVec3::new(0.0, f64::from(k / 41 - 20), f64::from(k % 41 - 20)) * 0.0123;
            !mesh.triangles.iter().any(|t| {
                let [a, b, c] = t.map(|k| mesh.origin + mesh.vertices[k as usize] - at);
                let left = |a: DVec3, b: DVec3| a.y * b.z - a.z * b.y >= 0.0;
                a.x.abs() < 0.005 && left(a, b) && left(b, c) && left(c, a)
            })
        });
        // Over thirty seeds this quantile had the mean 0.93 mm and a standard deviation of 0.07 mm.
        (missed.count(), off[off.len() * 19 / 20])
    };
    let usual = SurfaceOptions::standing();
    let (holes, off) = made(usual);
    assert!(holes > 300 && off < 0.002, "{holes} {off}");
    let (holes, off) = made(SurfaceOptions { reach_m: 0.04, ..usual });
    println!("reach of 4 cm: {holes} {off}");
    assert!(holes == 0 && off < 0.002, "{holes} {off}");
    let (_, of_lines) = made(SurfaceOptions { line_ratio_max: 0.0, ..usual });
    println!("normals of lines: {of_lines}");
    assert!(of_lines > 0.01, "{of_lines}");
}

#[test]
fn utm_coordinates_change_nothing() {
    let mut draws = Draws(6);
    let normal = DVec3::new(0.1, 0.2, 1.0).normalize();
    let points: Vec<DVec3> = plane(DVec3::ZERO, normal, 0.2, 0.006, 0.002, &mut draws)
        .into_iter()
        // On whole quanta, so that the far points are the very same.
        .map(|p| (p * QUANTA_PER_METRE).round() / QUANTA_PER_METRE)
        .collect();
    let origin = DVec3::new(0.0, 1.0, 8.0);
    let far = DVec3::new(5e5, 4.5e6, 300.0);
    let moved: Vec<DVec3> = points.iter().map(|&p| p + far).collect();
    let here = built(SurfaceOptions::standing(), &points, origin);
    let there = built(SurfaceOptions::standing(), &moved, origin + far);
    assert_eq!(here.triangles, there.triangles);
    assert_eq!(here.vertices, there.vertices);
    assert!((there.origin - here.origin - far).length() < 2e-9);
}

#[test]
fn parts_merge_to_the_same_bytes_on_any_number_of_threads() {
    let mut draws = Draws(7);
    let points = plane(DVec3::ZERO, DVec3::Z, 0.15, 0.004, 0.004, &mut draws);
    let sensor = |k: usize| DVec3::new((k % 7) as f64, (k % 3) as f64, 5.0);
    let mut whole = builder(SurfaceOptions::standing());
    let mut parts = [whole.clone(), whole.clone(), whole.clone()];
    for (k, &point) in points.iter().enumerate() {
        whole.add(point, sensor(k));
        parts[k * k % 3].add(point, sensor(k));
    }
    let [mut first, second, mut third] = parts;
    third.merge(first.clone()).unwrap();
    first = third;
    first.merge(second).unwrap();
    let on = |threads: usize, builder: SurfaceBuilder| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| builder.build(|_, _, _| {}).unwrap())
    };
    let one = on(1, whole);
    let three = on(3, first);
    assert_eq!(one.vertices, three.vertices);
    assert_eq!(one.triangles, three.triangles);
    assert_eq!(one.report.averaged, three.report.averaged);
    let other = builder(SurfaceOptions::moving());
    assert_eq!(builder(SurfaceOptions::standing()).merge(other), Err(SurfaceError::OptionsDiffer));
}

#[test]
fn what_is_no_place_is_counted_and_left_aside() {
    let mut builder = builder(SurfaceOptions::standing());
    let origin = DVec3::new(0.0, 0.0, 5.0);
    for point in plane(DVec3::ZERO, DVec3::Z, 0.1, 0.005, 0.0, &mut Draws(8)) {
        builder.add(point, origin);
    }
    builder.add(DVec3::new(f64::NAN, 0.0, 0.0), origin);
    builder.add(DVec3::ZERO, DVec3::new(0.0, f64::INFINITY, 0.0));
    builder.add(DVec3::new(1e300, 0.0, 0.0), origin);
    builder.add(DVec3::new(-1.1e9, 0.0, 0.0), origin);
    builder.add(origin, origin);
    // A place, if a lonely one.
    builder.add(DVec3::new(-9.9e8, 9.9e8, 9.9e8), origin);
    let mesh = builder.build(|_, _, _| {}).unwrap();
    let report = &mesh.report;
    assert_eq!((report.not_finite, report.too_far, report.at_origin), (2, 2, 1));
    assert_eq!(report.too_few_neighbours, 1);
    assert_eq!(report.points, 41 * 41 + 6);
    assert!(mesh.triangles.len() > 100);
    let empty = SurfaceBuilder::new(SurfaceOptions::standing()).unwrap();
    assert_eq!(empty.build(|_, _, _| {}), Err(SurfaceError::NoPoints { points: 0 }));
    let bad = SurfaceOptions { kernel_m: f64::NAN, ..SurfaceOptions::standing() };
    assert!(SurfaceBuilder::new(bad).is_err());
}

/// The distance by the plain equations in f64 over all points, without a grid.
fn plain_distance(points: &[(DVec3, DVec3, f64)], x: DVec3, options: &SurfaceOptions) -> f64 {
    let h2 = options.kernel_m.powi(2);
    let near: Vec<_> = points.iter().filter(|p| (x - p.0).length_squared() < h2).collect();
    let mut last: Option<(f64, DVec3)> = None;
    for _ in 0..options.iterations_max {
        let (mut sw, mut swf, mut swn) = (0.0, 0.0, DVec3::ZERO);
        let (mut sg, mut sgf) = (DVec3::ZERO, DVec3::ZERO);
        for &&(p, n, weight) in &near {
            let d = x - p;
            let inside = 1.0 - d.length_squared() / h2;
            let height = n.dot(d);
            let alpha = last.map_or(1.0, |(f, g)| {
                (-((height - f) / options.sigma_residual_m).powi(2)).exp()
                    * (-((n - g).length() / options.sigma_normal).powi(2)).exp()
            });
            let w = alpha * weight * inside.powi(4);
            let slope = d * (-8.0 / h2 * inside.powi(3) * weight * alpha);
            sw += w;
            swf += w * height;
            swn += n * w;
            sg += slope;
            sgf += slope * height;
        }
        let f = swf / sw;
        let gradient = (sgf - sg * f + swn) / sw;
        let change = last.map_or(1.0, |(_, g)| (g - gradient).length_squared());
        last = Some((f, gradient));
        if change < 1e-3 {
            break;
        }
    }
    last.unwrap().0
}

#[test]
fn vertices_are_zeros_of_the_plain_equations() {
    let mut draws = Draws(9);
    let options = SurfaceOptions::standing();
    let mut builder = builder(options);
    let bumps = |x: f64, y: f64| 0.02 * (x * 30.0).sin() * (y * 25.0).cos();
    for _ in 0..12_000 {
        let (x, y) = (draws.uniform() * 0.3, draws.uniform() * 0.3);
        let z = bumps(x, y) + 0.003 * draws.normal();
        builder.add(DVec3::new(x, y, z), DVec3::new(0.1, 0.2, 3.0));
    }
    let set = builder.clone().oriented_points();
    let mesh = builder.build(|_, _, _| {}).unwrap();
    assert!(mesh.vertices.len() > 1000);
    let mut step = 0.0;
    for vertex in mesh.world_vertices().step_by(37) {
        // The field is linear between two corners of the grid only about, but its zero is between
        // them: find the edge's ends and the line between their distances.
        let grid = vertex / options.grid_m;
        let axis = (0..3).max_by(|&a, &b| {
            let off = |k: usize| (grid[k] - grid[k].round()).abs();
            off(a).total_cmp(&off(b))
        });
        let axis = axis.unwrap();
        let mut low = grid.round();
        low[axis] = grid[axis].floor();
        let mut high = low;
        high[axis] += 1.0;
        let at = |corner: DVec3| plain_distance(&set, corner * options.grid_m, &options);
        let (a, b) = (at(low), at(high));
        assert!(a * b < 0.0, "{a} {b}");
        let zero = (low[axis] + (a / (a - b)).clamp(1e-3, 1.0 - 1e-3)) * options.grid_m;
        step = f64::max(step, (zero - vertex[axis]).abs());
    }
    assert!(step < 1e-6, "{step}");
}
