//! Batches of pulses find, to the bit, what each pulse finds alone.

use crate::common::{Random, TestScene, cone, terrain};
use crate::{cutout, moving};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use understory_geometry::{
    DynamicBvh, Edges, InstanceId, InstructionSet, MAX_RAYS_PER_PULSE, PulseBatch, PulseRays,
    PulseTracer, RayHit, RayScene, RaySceneBuilder, SeenFrom, Texels, TriangleMesh, Wrap,
};

/// Pulses as columns, owned.
#[derive(Clone, Default)]
struct Columns {
    rays: usize,
    origins: Vec<DVec3>,
    directions: Vec<Vec3>,
    exact: Vec<DVec3>,
    offsets: Vec<Vec3>,
    t_max: Vec<f32>,
    times_s: Vec<f64>,
    tracks: Vec<u16>,
}

impl Columns {
    fn new(rays: usize) -> Columns {
        Columns { rays, ..Columns::default() }
    }

    fn push(&mut self, origin: DVec3, directions: &[Vec3], t_max: f32, time_s: f64, track: u16) {
        assert_eq!(directions.len(), self.rays);
        self.origins.push(origin);
        self.directions.extend_from_slice(directions);
        self.exact.extend(directions.iter().map(|direction| direction.as_dvec3()));
        self.t_max.push(t_max);
        self.times_s.push(time_s);
        self.tracks.push(track);
    }

    fn part(&self, pulses: std::ops::Range<usize>) -> PulseBatch<'_> {
        let rays = pulses.start * self.rays..pulses.end * self.rays;
        PulseBatch {
            origins: &self.origins[pulses.clone()],
            rays_per_pulse: self.rays,
            directions: &self.directions[rays.clone()],
            exact_directions: &self.exact[rays.clone()],
            origin_offsets: self.offsets.get(rays).unwrap_or(&[]),
            t_max: &self.t_max[pulses.clone()],
            times_s: &self.times_s[pulses.clone()],
            tracks: &self.tracks[pulses],
        }
    }

    /// What each pulse finds alone.
    fn alone(&self, scene: &RayScene, movers: &DynamicBvh) -> Vec<Option<RayHit>> {
        let mut all = Vec::new();
        let calls = self.rays.div_ceil(MAX_RAYS_PER_PULSE).max(1);
        let chunk = self.rays.div_ceil(calls).max(1);
        for pulse in 0..self.origins.len() {
            let now = scene.at(movers, self.times_s[pulse]);
            let rays = pulse * self.rays..(pulse + 1) * self.rays;
            for first in rays.clone().step_by(chunk) {
                let lanes = first..(first + chunk).min(rays.end);
                let mut hits = vec![None; lanes.len()];
                let rays = PulseRays {
                    origin: self.origins[pulse],
                    directions: &self.directions[lanes.clone()],
                    origin_offsets: self.offsets.get(lanes).unwrap_or(&[]),
                    t_max: self.t_max[pulse],
                };
                now.trace_pulse(&rays, &mut hits);
                all.extend(hits);
            }
        }
        all
    }

    /// What the batch finds, cut into parts of these lengths by turns.
    fn together(
        &self,
        scene: &RayScene,
        movers: &DynamicBvh,
        cuts: &[usize],
    ) -> Vec<Option<RayHit>> {
        let mut tracer = PulseTracer::default();
        let mut all = Vec::new();
        let (mut first, mut cut) = (0, 0);
        while first < self.origins.len() {
            let end = (first + cuts[cut % cuts.len()]).min(self.origins.len());
            scene.trace_pulses(movers, &self.part(first..end), &mut tracer);
            all.extend((0..(end - first) * self.rays).map(|ray| tracer.hit(ray)));
            self.check_points(scene, movers, first..end, &tracer);
            (first, cut) = (end, cut + 1);
        }
        all
    }

    /// Hits that are worked out together are, to the bit, those that are worked out alone.
    fn check_points(
        &self,
        scene: &RayScene,
        movers: &DynamicBvh,
        pulses: std::ops::Range<usize>,
        tracer: &PulseTracer,
    ) {
        let batch = self.part(pulses.clone());
        for pulse in 0..pulses.len() {
            let now = scene.at(movers, batch.times_s[pulse]);
            for ray in pulse * self.rays..(pulse + 1) * self.rays {
                let found = tracer.exact_hit(ray);
                let Some(hit) = tracer.hit(ray) else {
                    assert!(found.is_none());
                    continue;
                };
                let offset = batch.origin_offsets.get(ray).copied().unwrap_or(Vec3::ZERO);
                let origin = batch.origins[pulse] + offset.as_dvec3();
                let direction = self.exact[pulses.start * self.rays + ray];
                let point = now.surface_point(&hit, origin, direction);
                let cos = point.normal.dot(direction).abs().min(1.0);
                let bits = |t: f64, cos: f64| (ray, hit, t.to_bits(), cos.to_bits());
                let found = found.map(|h| (h.ray, h.hit, h.t.to_bits(), h.cos_incidence.to_bits()));
                assert_eq!(found, Some(bits(point.t, cos)));
            }
        }
    }

    /// Compares both for every instruction set and several cuts; returns the hits.
    fn check(&self, scene: &mut RayScene, movers: &DynamicBvh) -> Vec<Option<RayHit>> {
        scene.use_instructions(InstructionSet::Portable).unwrap();
        let expected = self.alone(scene, movers);
        for set in InstructionSet::available() {
            scene.use_instructions(set).unwrap();
            assert!(self.alone(scene, movers) == expected, "{set:?}: pulses differ");
            for cuts in [&[usize::MAX][..], &[1], &[7, 16, 3, 100], &[33]] {
                let found = self.together(scene, movers, cuts);
                for (ray, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    assert_eq!(found, expected, "{set:?}, cut {cuts:?}, ray {ray}");
                }
                assert_eq!(found.len(), expected.len());
            }
        }
        expected
    }
}

/// A sensor that turns, `lines` rings of `columns` pulses, each ring a track.
struct Sweep {
    lines: usize,
    columns: usize,
    step_rad: f64,
    spread_rad: f64,
    t_max: f32,
}

impl Sweep {
    fn pulses(
        &self,
        random: &mut Random,
        rays: usize,
        from: impl Fn(usize) -> DVec3,
        towards: DVec3,
    ) -> Columns {
        let mut columns = Columns::new(rays);
        let begin = random.between(0.0, 6.3);
        let middle = begin + 0.5 * self.step_rad * self.columns as f64;
        let middle = DQuat::from_rotation_z(middle) * DVec3::X;
        let turn = DQuat::from_rotation_arc(middle, (towards - from(0)).normalize());
        for column in 0..self.columns {
            for line in 0..self.lines {
                let azimuth = begin + self.step_rad * column as f64;
                let elevation = 0.02 * line as f64 - 0.01 * self.lines as f64;
                let axis =
                    DQuat::from_rotation_z(azimuth) * DQuat::from_rotation_y(-elevation) * DVec3::X;
                let cone = cone(random, turn * axis, self.spread_rad, rays);
                let time_s = 1e-4 * column as f64;
                columns.push(from(column), &cone, self.t_max, time_s, line as u16);
            }
        }
        columns
    }
}

/// Somewhere in the middle of a scene.
fn aim(random: &mut Random) -> DVec3 {
    random.point(3.0)
}

fn random_turn(random: &mut Random) -> DQuat {
    DQuat::from_scaled_axis(random.direction() * random.between(0.0, 3.0))
}

/// Random triangles under random transforms, from within and without, from one point, from a
/// moving sensor and from an aperture, with every number of rays.
#[test]
fn batches_find_what_each_pulse_finds() {
    let mut random = Random(401);
    let movers = DynamicBvh::default();
    let (mut hits, mut rays) = (0, 0);
    for (round, count) in [9, 1, 5, 15, 16, 31, 58, 64, 9, 9, 2, 3].into_iter().enumerate() {
        let mut scene = TestScene::random(402 + round as u64, 400, 0.6, 1.0);
        let sweep =
            Sweep { lines: 4, columns: 40, step_rad: 4e-3, spread_rad: 1.5e-3, t_max: 60.0 };
        for mode in 0..3 {
            let at = random.point(14.0);
            let velocity = random.point(0.02);
            let from = |column: usize| match mode {
                0 => at,
                _ => at + velocity * column as f64,
            };
            let towards = aim(&mut random);
            let mut columns = sweep.pulses(&mut random, count, from, towards);
            if mode == 2 {
                let rays = columns.directions.len();
                columns.offsets = (0..rays).map(|_| random.point(0.01).as_vec3()).collect();
            }
            let found = columns.check(&mut scene.rays, &movers);
            hits += found.iter().flatten().count();
            rays += found.len();
        }
    }
    assert!(hits > rays / 10, "{hits} of {rays}");
}

/// Against every triangle in f64: a ray that passes an edge closer than f32 knows may go either
/// way, 0.05 % of them are allowed to.
#[test]
fn batches_agree_with_brute_force() {
    let mut random = Random(410);
    for scale in [1.0, 1e-3, 1e4] {
        let scene = TestScene::random(411, 150, 1.0, scale);
        let sweep = Sweep {
            lines: 4,
            columns: 48,
            step_rad: 3e-3,
            spread_rad: 1e-3,
            t_max: (100.0 * scale) as f32,
        };
        let (mut differ, mut rays) = (0, 0);
        for _ in 0..4 {
            let at = random.point(18.0 * scale);
            let towards = aim(&mut random) * scale;
            let columns = sweep.pulses(&mut random, 9, |_| at, towards);
            let found = columns.together(&scene.rays, &DynamicBvh::default(), &[usize::MAX]);
            for (direction, hit) in columns.directions.iter().zip(found) {
                rays += 1;
                let way = direction.as_dvec3();
                let point = hit.map(|hit| scene.rays.surface_point(&hit, at, way).t);
                differ += match (point, scene.oracle(at, way, 100.0 * scale)) {
                    (Some(t), Some((wanted, _))) => usize::from((t - wanted).abs() > 1e-4 * scale),
                    (None, None) => 0,
                    _ => 1,
                };
            }
        }
        assert!(differ as f64 <= 5e-4 * rays as f64, "{differ} of {rays} at scale {scale}");
    }
}

/// Turned, mirrored, squeezed and stretched a thousandfold, far out on a map.
#[test]
fn any_transform_and_far_coordinates() {
    let mut random = Random(420);
    let utm = DVec3::new(500_000.0, 4_500_000.0, 300.0);
    let mesh = TestScene::random(421, 300, 0.8, 1.0).meshes.remove(0);
    let mut instances = Vec::new();
    for number in 0..60 {
        let sizes = [1.0, 1e-3, 30.0, -1.0][number % 4];
        let stretch = DVec3::new(sizes, random.between(0.2, 2.0), random.between(0.2, 2.0));
        let turn = DMat3::from_quat(random_turn(&mut random)) * DMat3::from_diagonal(stretch);
        instances.push((0, DAffine3::from_mat3_translation(turn, utm + random.point(40.0))));
    }
    // Quarter turns, so that rays are parallel to the axes of meshes too.
    for quarter in 0..4 {
        let turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2 * f64::from(quarter));
        let turn = DMat3::from_cols_array(&turn.to_cols_array().map(f64::round));
        instances.push((0, DAffine3::from_mat3_translation(turn, utm + random.point(30.0))));
    }
    for edges in [Edges::Exact, Edges::Closed] {
        let mut scene = TestScene::new(vec![mesh.clone()], instances.clone(), edges);
        let sweep =
            Sweep { lines: 3, columns: 130, step_rad: 0.05, spread_rad: 2e-3, t_max: 200.0 };
        // Pulses of nine rays, and of few from a sensor that moves, which share lanes.
        for (rays, step_m) in [(9, 0.0), (9, 0.0), (2, 0.01), (1, 0.003), (1, 0.0)] {
            let at = utm + random.point(40.0);
            let towards = utm + aim(&mut random);
            let step = random.direction() * step_m;
            let from = |column: usize| at + step * column as f64;
            let columns = sweep.pulses(&mut random, rays, from, towards);
            let found = columns.check(&mut scene.rays, &DynamicBvh::default());
            assert!(found.iter().flatten().count() > 33 * rays);
        }
    }
}

/// Shared edges and corners, met exactly, and copies of instances and triangles at one place: the
/// lowest instance, then the lowest triangle counts.
#[test]
fn ties_go_to_the_lowest_numbers() {
    let flat = {
        let mut corners = Vec::new();
        let mut triangles = Vec::new();
        for j in 0..9u32 {
            for i in 0..9u32 {
                corners.push(DVec3::new(f64::from(i), f64::from(j), 0.0));
                if i < 8 && j < 8 {
                    let a = j * 9 + i;
                    triangles.extend([[a, a + 1, a + 10], [a, a + 10, a + 9]]);
                }
            }
        }
        // The same triangles once more, in the other order.
        let again: Vec<_> = triangles.iter().rev().copied().collect();
        triangles.extend(again);
        TriangleMesh::new(&corners, triangles).unwrap()
    };
    let place = DAffine3::from_translation(DVec3::new(-4.0, -4.0, 0.0));
    let lower = DAffine3::from_translation(DVec3::new(-4.0, -4.0, -1.0));
    let instances = vec![(0, lower), (0, place), (0, place), (0, place), (0, lower)];
    let mut scene = TestScene::new(vec![flat], instances, Edges::Closed);
    let mut columns = Columns::new(9);
    let above = DVec3::new(0.25, -0.125, 8.0);
    for j in -12..12 {
        for i in -12..12 {
            let aim = |a: f64, b: f64| {
                let spot = DVec3::new(f64::from(i) * 0.25 + a, f64::from(j) * 0.25 + b, 0.0);
                (spot - above).normalize().as_vec3()
            };
            let rays: Vec<Vec3> = (0..9)
                .map(|ray| aim(0.25 * f64::from(ray % 3), 0.25 * f64::from(ray / 3)))
                .collect();
            columns.push(above, &rays, 50.0, 0.0, (j + 12) as u16);
        }
    }
    let found = columns.check(&mut scene.rays, &DynamicBvh::default());
    for hit in found.iter().flatten() {
        assert_eq!(hit.instance, InstanceId(1), "{hit:?}");
        // Of a triangle and its copy the first.
        assert!(hit.triangle < 128, "{hit:?}");
    }
    assert!(found.iter().flatten().count() > 4000);
    // Straight down through corners and edges: all that is met is at one distance.
    let mut columns = Columns::new(4);
    for k in 0..64 {
        let at = DVec3::new(f64::from(k % 8) - 3.5, f64::from(k / 8) - 3.5, 5.0);
        let at = at + DVec3::new(0.5, if k % 2 == 0 { 0.5 } else { 0.0 }, 0.0);
        columns.push(at, &[Vec3::NEG_Z; 4], 50.0, 0.0, 0);
    }
    let found = columns.check(&mut scene.rays, &DynamicBvh::default());
    let mut down = 0;
    for (hit, at) in found.iter().zip(columns.origins.iter().flat_map(|at| [at; 4])) {
        let Some(hit) = hit else { continue };
        assert_eq!((hit.t, hit.instance), (5.0, InstanceId(1)));
        // All triangles that hold this point, by hand: the lowest of them is it.
        let (x, y) = (at.x + 4.0, at.y + 4.0);
        let holds = |number: u32| {
            let (cell, upper) = (number / 2, number % 2 == 1);
            let (u, v) = (x - f64::from(cell % 8), y - f64::from(cell / 8));
            let inside = (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v);
            inside && if upper { v >= u } else { u >= v }
        };
        assert_eq!(Some(hit.triangle), (0..128).find(|number| holds(*number)), "at {at}");
        down += 1;
    }
    assert!(down > 200, "{down}");
}

/// Terrain with closed edges seen from low above: grazing rays, edges along the axes.
#[test]
fn closed_terrain_at_grazing_angles() {
    let mut random = Random(440);
    let ground = terrain(80, 80.0, 4);
    let mut scene = TestScene::new(vec![ground], vec![(0, DAffine3::IDENTITY)], Edges::Closed);
    let sweep = Sweep { lines: 6, columns: 200, step_rad: 3e-3, spread_rad: 1e-3, t_max: 150.0 };
    for _ in 0..4 {
        let at = DVec3::new(random.between(-20.0, 20.0), random.between(-20.0, 20.0), 1.2);
        // Half of the lines go down, the sweep stays level.
        let towards = at + random.direction() * DVec3::new(1.0, 1.0, 0.0);
        let columns = sweep.pulses(&mut random, 9, |_| at, towards);
        let found = columns.check(&mut scene.rays, &DynamicBvh::default());
        assert!(found.iter().flatten().count() > 1000);
    }
}

/// Rays at the shared edges of gentle ground, where two triangles reach over each other by what
/// rounding asks and one of them is met before its own box begins: batches, single pulses and
/// single rays keep the same of both, whichever of them they come by first.
#[test]
fn overlapping_edges_of_gentle_ground() {
    let ground = {
        let (cells, cell_m) = (120u32, 0.5);
        let place = |k: u32| (f64::from(k) - 0.5 * f64::from(cells)) * cell_m;
        let height = |x: f64, y: f64| 0.25 * (x * 0.11).sin() * (y * 0.07).cos();
        let mut corners = Vec::new();
        let mut triangles = Vec::new();
        for j in 0..=cells {
            for i in 0..=cells {
                corners.push(DVec3::new(place(i), place(j), height(place(i), place(j))));
                if i < cells && j < cells {
                    let a = j * (cells + 1) + i;
                    let b = a + cells + 1;
                    triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
                }
            }
        }
        TriangleMesh::new(&corners, triangles).unwrap()
    };
    let mut random = Random(445);
    let mut scene =
        TestScene::new(vec![ground.clone()], vec![(0, DAffine3::IDENTITY)], Edges::Closed);
    let movers = DynamicBvh::default();
    let mut overlaps = 0;
    for height_m in [0.3, 2.0] {
        let at = DVec3::new(1.3, -0.7, height_m);
        let mut columns = Columns::new(9);
        for pulse in 0..6_000u32 {
            // The cells of a row one after another, nine points on the sides of a triangle each.
            let cell = (pulse * 120 / 6_000 + 120 * (pulse % 50)) as usize;
            let triangle = ground.triangles()[2 * cell + pulse as usize % 2];
            let corner = |k: usize| {
                let corner = Vec3::from(ground.positions()[triangle[k % 3] as usize]);
                corner.as_dvec3() + ground.origin()
            };
            let rays: Vec<Vec3> = (0..9)
                .map(|ray| {
                    let aim = corner(ray).lerp(corner(ray + 1), random.between(0.0, 1.0));
                    (aim - at).normalize().as_vec3()
                })
                .collect();
            columns.push(at, &rays, 100.0, 0.0, (pulse % 50) as u16);
        }
        let found = columns.check(&mut scene.rays, &movers);
        for (direction, hit) in columns.directions.iter().zip(&found) {
            let alone = scene.rays.trace_ray(at, *direction, 100.0);
            assert_eq!(*hit, alone, "a single ray");
            overlaps += usize::from(hit.is_some());
        }
    }
    assert!(overlaps > 50_000, "{overlaps}");
}

/// Directions of zero and none, limits and origins that are no numbers, mixed with sound pulses.
#[test]
fn odd_pulses_do_not_disturb_their_neighbours() {
    let mut random = Random(450);
    let mut scene = TestScene::random(451, 200, 0.8, 1.0);
    let at = random.point(12.0);
    let axis = (random.point(4.0) - at).normalize();
    let mut columns = Columns::new(9);
    let mut odd = Vec::new();
    for pulse in 0..200usize {
        let turn = DQuat::from_axis_angle(DVec3::Z, 2e-3 * pulse as f64);
        let mut rays = cone(&mut random, turn * axis, 1e-3, 9);
        let (mut from, mut t_max) = (at, 60.0);
        match pulse % 11 {
            1 => rays[3] = Vec3::ZERO,
            2 => rays[8] = Vec3::NAN,
            3 => rays[0] = Vec3::new(f32::INFINITY, 0.0, 0.0),
            4 => t_max = [f32::NAN, f32::INFINITY, 0.0, -1.0][pulse / 11 % 4],
            5 => from = [DVec3::NAN, DVec3::INFINITY, DVec3::splat(1e300)][pulse / 11 % 3],
            6 => rays = vec![[Vec3::X, Vec3::Y, Vec3::NEG_Z][pulse / 11 % 3]; 9],
            7 => rays[4] = Vec3::new(1e-30, 1e-12, 1.0),
            _ => {}
        }
        odd.push(matches!(pulse % 11, 2 | 3 | 5));
        columns.push(from, &rays, t_max, 0.0, 0);
    }
    // Rays that are no numbers promise nothing but that nobody else is disturbed.
    for set in InstructionSet::available() {
        scene.rays.use_instructions(set).unwrap();
        let movers = DynamicBvh::default();
        let alone = columns.alone(&scene.rays, &movers);
        let found = columns.together(&scene.rays, &movers, &[usize::MAX]);
        for (ray, (found, alone)) in found.iter().zip(&alone).enumerate() {
            if !odd[ray / 9] {
                assert_eq!(found, alone, "{set:?} ray {ray}");
            }
        }
        assert!(found.iter().flatten().count() > 300);
    }
}

/// What sways and what goes anywhere, each pulse at its own time.
#[test]
fn moving_scenes() {
    let mut random = Random(460);
    let mut scene = moving::scene(&mut random).rays;
    let mut movers = DynamicBvh::default();
    let sweep = Sweep { lines: 4, columns: 60, step_rad: 4e-3, spread_rad: 1e-3, t_max: 90.0 };
    for round in 0..4 {
        let at = random.point(15.0);
        let towards = aim(&mut random);
        let mut columns = sweep.pulses(&mut random, 9, |_| at, towards);
        for (pulse, time_s) in columns.times_s.iter_mut().enumerate() {
            *time_s = 0.3 * f64::from(round) + 2e-3 * (pulse / 4) as f64;
        }
        let end_s = columns.times_s.last().copied().unwrap();
        scene.refit(&mut movers, columns.times_s[0], end_s);
        let found = columns.check(&mut scene, &movers);
        let standing = scene.standing_count() as u32;
        let (stand, go): (Vec<_>, Vec<_>) =
            found.iter().flatten().copied().partition(|hit: &RayHit| hit.instance.0 < standing);
        assert!(stand.len() > 20 && go.len() > 20, "{} {}", stand.len(), go.len());
    }
    // Without a tree of theirs bodies that go anywhere are met nowhere.
    let columns = sweep.pulses(&mut random, 9, |_| DVec3::ZERO, DVec3::ONE);
    columns.check(&mut scene, &DynamicBvh::default());
}

/// Through the holes of a mesh, standing and moving.
#[test]
fn holes() {
    let mut random = Random(470);
    let image = cutout::chess([Wrap::Repeat; 2], Texels::Nearest);
    for moves in [false, true] {
        let place = random.affine(3.0);
        let mut scene = cutout::scene(&image, place, Edges::Exact, moves);
        let mut movers = DynamicBvh::default();
        scene.refit(&mut movers, 0.0, 1.0);
        let mut columns = Columns::new(9);
        let from = place.transform_point3(DVec3::new(3.0, 2.5, 3.0));
        for line in 0..12u16 {
            for column in 0..40 {
                let spot =
                    DVec3::new(0.1 + 0.17 * f64::from(column), 0.2 + 0.4 * f64::from(line), 0.0);
                let axis = (place.transform_point3(spot) - from).normalize();
                columns.push(from, &cone(&mut random, axis, 2e-2, 9), 100.0, 0.5, line);
            }
        }
        let found = columns.check(&mut scene, &movers);
        let through = found.iter().flatten().filter(|hit| hit.instance != InstanceId(1)).count();
        assert!(through > 300 && found.iter().flatten().count() > through + 300);
    }
}

/// Levels of detail by the distance of each pulse's own origin.
#[test]
fn levels_of_detail() {
    let mut random = Random(480);
    let meshes = TestScene::random(481, 200, 0.8, 1.0).meshes;
    let mut builder = RaySceneBuilder::default();
    let fine = builder.add_mesh(&meshes[0], Edges::Exact).unwrap();
    for mesh in &meshes[1..] {
        let positions: Vec<DVec3> = mesh
            .positions()
            .iter()
            .map(|p| DVec3::from(p.map(f64::from)) + mesh.origin())
            .collect();
        let stands_for: Vec<u32> = (0..mesh.triangles().len() as u32).rev().collect();
        builder.add_lod(fine, &positions, mesh.triangles().to_vec(), &stands_for).unwrap();
    }
    for _ in 0..80 {
        builder.add_instance(fine, random.affine(60.0)).unwrap();
    }
    let mut scene = builder.build();
    scene.set_lod_distances(&[20.0, 45.0]).unwrap();
    let sweep = Sweep { lines: 4, columns: 150, step_rad: 4e-3, spread_rad: 1e-3, t_max: 150.0 };
    for velocity in [0.0, 0.05] {
        let at = random.point(20.0);
        let step = random.direction() * velocity;
        let towards = random.point(30.0);
        let columns = sweep.pulses(&mut random, 9, |column| at + step * column as f64, towards);
        let found = columns.check(&mut scene, &DynamicBvh::default());
        assert!(found.iter().flatten().count() > 500);
    }
}

/// Needles through one point have boxes that all overlap: every pulse enters every node, and the
/// queues fill to their bounds.
#[test]
fn trees_that_fill_the_queues() {
    let mut random = Random(490);
    let mut corners = Vec::new();
    for _ in 0..60_000 {
        let tip = random.direction() * 10.0;
        corners.extend([tip, -tip, tip + random.point(0.01)]);
    }
    let triangles = (0..60_000).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = TriangleMesh::new(&corners, triangles).unwrap();
    let mut scene = TestScene::new(vec![mesh], vec![(0, DAffine3::IDENTITY)], Edges::Exact);
    let mut columns = Columns::new(9);
    let at = DVec3::new(-12.0, -11.0, -13.0);
    for pulse in 0..32 {
        // Neighbours far enough from each other that few enter a child together.
        let aim = DVec3::new(f64::from(pulse % 6) - 3.0, f64::from(pulse / 6) - 3.0, 0.5);
        let axis = (aim - at).normalize();
        columns.push(at, &cone(&mut random, axis, 1e-3, 9), 100.0, 0.0, 0);
    }
    let set = InstructionSet::available()[0];
    scene.rays.use_instructions(set).unwrap();
    let movers = DynamicBvh::default();
    let alone = columns.alone(&scene.rays, &movers);
    assert!(columns.together(&scene.rays, &movers, &[usize::MAX]) == alone);
}

/// A tree for rays from the side finds what one for rays from anywhere finds.
#[test]
fn trees_for_rays_from_the_side() {
    let mut random = Random(500);
    let meshes = TestScene::random(501, 400, 0.8, 1.0).meshes;
    let places: Vec<DAffine3> = (0..12).map(|_| random.affine(10.0)).collect();
    let build = |seen_from: SeenFrom| {
        let mut builder = RaySceneBuilder::default();
        let ids: Vec<_> = meshes
            .iter()
            .map(|mesh| builder.add_mesh_seen_from(mesh, Edges::Exact, seen_from).unwrap())
            .collect();
        for (number, place) in places.iter().enumerate() {
            builder.add_instance(ids[number % 3], *place).unwrap();
        }
        builder.build()
    };
    let (mut usual, mut side) = (build(SeenFrom::Anywhere), build(SeenFrom::Side));
    let sweep = Sweep { lines: 4, columns: 80, step_rad: 4e-3, spread_rad: 1e-3, t_max: 60.0 };
    let at = random.point(12.0);
    let towards = aim(&mut random);
    let columns = sweep.pulses(&mut random, 9, |_| at, towards);
    let movers = DynamicBvh::default();
    let met = |hit: &Option<RayHit>| hit.map(|h| (h.t.to_bits(), h.instance, h.triangle));
    let usual: Vec<_> = columns.check(&mut usual, &movers).iter().map(met).collect();
    let side: Vec<_> = columns.check(&mut side, &movers).iter().map(met).collect();
    assert!(usual.iter().flatten().count() > 300);
    assert!(usual == side);
}

/// Columns that do not fit together trace what they can and end.
#[test]
fn columns_of_other_lengths() {
    let scene = TestScene::random(3, 50, 1.0, 1.0).rays;
    let movers = DynamicBvh::default();
    let mut tracer = PulseTracer::default();
    let origins = [DVec3::ZERO; 20];
    let directions = [Vec3::X; 50];
    let batches = [
        PulseBatch::default(),
        PulseBatch { origins: &origins, directions: &directions, ..PulseBatch::default() },
        PulseBatch {
            rays_per_pulse: 9,
            origins: &origins,
            directions: &directions,
            ..PulseBatch::default()
        },
        PulseBatch {
            rays_per_pulse: 9,
            origins: &origins,
            directions: &directions,
            t_max: &[5.0],
            times_s: &[0.0; 3],
            tracks: &[3],
            origin_offsets: &[Vec3::ZERO; 4],
            exact_directions: &[DVec3::X; 7],
        },
        PulseBatch {
            rays_per_pulse: usize::MAX,
            origins: &origins,
            directions: &directions,
            t_max: &[5.0],
            ..PulseBatch::default()
        },
    ];
    for batch in &batches {
        scene.trace_pulses(&movers, batch, &mut tracer);
        assert_eq!(tracer.hit(0), None);
    }
    let whole = PulseBatch { rays_per_pulse: 9, t_max: &[50.0], ..batches[1] };
    scene.trace_pulses(&movers, &whole, &mut tracer);
    assert_eq!(tracer.hit(45), None, "5 pulses of 9 rays");
    let empty = RaySceneBuilder::default().build();
    empty.trace_pulses(&movers, &whole, &mut tracer);
    assert_eq!(tracer.hit(0), None);
}
