//! Batches of pulses beside the same pulses one by one, in a yard of grass and trees: interleaved in
//! one run, by the processor time of this thread, medians and ratios.
//!
//! `cargo bench -p understory-geometry --bench streams -- [ROUNDS] [RAYS ...]`
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints its figures")]

use glam::{DAffine3, DQuat, DVec3, Vec3};
use std::f64::consts::TAU;
use understory_geometry::{
    DynamicBvh, Edges, InstructionSet, MAX_RAYS_PER_PULSE, PulseBatch, PulseRays, PulseTracer,
    RayScene, RaySceneBuilder, SeenFrom, TriangleMesh,
};

/// Pulses per batch.
const BATCH: usize = 4096;
const T_MAX: f32 = 120.0;

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn direction(&mut self) -> DVec3 {
        let (z, turn) = (self.between(-1.0, 1.0), self.between(0.0, TAU));
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * turn.cos(), across * turn.sin(), z)
    }
}

/// Blades of grass on 2 m × 2 m, bent, each a strip of 32 quads.
fn grass(random: &mut Random) -> TriangleMesh {
    const SEGMENTS: u32 = 32;
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    let mut root = DVec3::ZERO;
    for blade in 0..89 {
        if blade % 4 == 0 {
            root = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0);
        }
        let foot = root + 0.03 * DVec3::new(random.unit() - 0.5, random.unit() - 0.5, 0.0);
        let (height, width) = (random.between(0.4, 1.0), random.between(0.006, 0.010));
        let (lean, bend) = (random.between(0.0, 0.4), random.between(0.3, 1.7));
        let turn = DQuat::from_rotation_z(random.between(0.0, TAU));
        let (mut at, first) = (DVec3::ZERO, corners.len() as u32);
        for k in 0..=SEGMENTS {
            let share = f64::from(k) / f64::from(SEGMENTS);
            let half = 0.5 * width * (1.0 - 0.9 * (share - 0.5).max(0.0) * 2.0);
            corners.extend([-half, half].map(|side| foot + turn * (at + DVec3::Y * side)));
            let angle = lean + bend * share;
            at += DVec3::new(angle.sin(), 0.0, angle.cos()) * height / f64::from(SEGMENTS);
        }
        for k in 0..SEGMENTS {
            let a = first + 2 * k;
            triangles.extend([[a, a + 1, a + 3], [a, a + 3, a + 2]]);
        }
    }
    TriangleMesh::new(&corners, triangles).unwrap()
}

/// A crown of leaves, each of two triangles.
fn crown(random: &mut Random) -> TriangleMesh {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for leaf in 0..60_000 {
        let place = random.direction() * random.between(0.55f64.powi(3), 1.0).cbrt();
        let middle = place * DVec3::new(4.5, 4.5, 4.0) + DVec3::Z * 7.5;
        let along = random.direction();
        let across = along.cross(random.direction()).normalize_or_zero();
        corners.extend([-0.03, 0.03].map(|x| middle + along * x));
        corners.extend([-0.02, 0.02].map(|x| middle + across * x));
        let a = 4 * leaf;
        triangles.extend([[a, a + 1, a + 2], [a, a + 1, a + 3]]);
    }
    TriangleMesh::new(&corners, triangles).unwrap()
}

fn quad(corners: [DVec3; 4]) -> TriangleMesh {
    TriangleMesh::new(&corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

fn yard(plants: SeenFrom) -> RayScene {
    let mut random = Random(7);
    let mut builder = RaySceneBuilder::default();
    let corner = |x: f64, y: f64, z: f64| DVec3::new(150.0 * x, 150.0 * y, z);
    let ground = quad([
        corner(-1.0, -1.0, 0.0),
        corner(1.0, -1.0, 0.0),
        corner(1.0, 1.0, 0.0),
        corner(-1.0, 1.0, 0.0),
    ]);
    let ground = builder.add_mesh(&ground, Edges::Closed).unwrap();
    builder.add_instance(ground, DAffine3::IDENTITY).unwrap();
    let wall = quad([
        corner(-1.0, 1.0, 0.0),
        corner(1.0, 1.0, 0.0),
        corner(1.0, 1.0, 10.0),
        corner(-1.0, 1.0, 10.0),
    ]);
    let wall = builder.add_mesh(&wall, Edges::Closed).unwrap();
    for side in 0..4 {
        let turn = DQuat::from_rotation_z(TAU / 4.0 * f64::from(side));
        builder.add_instance(wall, DAffine3::from_quat(turn)).unwrap();
    }
    let tiles: Vec<_> = (0..8)
        .map(|_| builder.add_mesh_seen_from(&grass(&mut random), Edges::Exact, plants).unwrap())
        .collect();
    for j in 0..150 {
        for i in 0..150 {
            let at = DVec3::new(f64::from(i) * 2.0 - 149.0, f64::from(j) * 2.0 - 149.0, 0.0);
            let turn = DQuat::from_rotation_z(TAU / 4.0 * (random.unit() * 4.0).floor());
            let tile = tiles[(random.unit() * 8.0) as usize % 8];
            builder.add_instance(tile, DAffine3::from_rotation_translation(turn, at)).unwrap();
        }
    }
    let crown = crown(&mut random);
    let crown = builder.add_mesh_seen_from(&crown, Edges::Exact, plants).unwrap();
    let mut trees = 0;
    while trees < 50 {
        let at = DVec3::new(random.between(-142.0, 142.0), random.between(-142.0, 142.0), 0.0);
        if at.length() > 8.0 {
            let turn = DQuat::from_rotation_z(random.between(0.0, TAU));
            let size = DVec3::splat(random.between(0.7, 1.2));
            let place = DAffine3::from_scale_rotation_translation(size, turn, at);
            builder.add_instance(crown, place).unwrap();
            trees += 1;
        }
    }
    builder.build()
}

/// Pulses of a turning sensor of 64 channels, as columns.
struct Pulses {
    rays: usize,
    origins: Vec<DVec3>,
    directions: Vec<Vec3>,
    offsets: Vec<Vec3>,
    tracks: Vec<u16>,
}

fn pulses(rays: usize, speed_m: f64, aperture_m: f64) -> Pulses {
    let mut all =
        Pulses { rays, origins: vec![], directions: vec![], offsets: vec![], tracks: vec![] };
    const COLUMNS: u32 = 1024;
    for column in 0..COLUMNS {
        for channel in 0..64u16 {
            let azimuth = TAU * f64::from(column) / f64::from(COLUMNS);
            let elevation = (2.0 - 0.42 * f64::from(channel)).to_radians();
            let turn = DQuat::from_rotation_z(azimuth) * DQuat::from_rotation_y(-elevation);
            let forward = DVec3::X * (speed_m * f64::from(column) / f64::from(COLUMNS));
            all.origins.push(DVec3::new(0.013, 0.007, 2.0) + forward);
            all.tracks.push(channel);
            for ray in 0..rays {
                // A spiral over the spot.
                let far = (ray as f64 / rays as f64).sqrt();
                let place = DQuat::from_rotation_x(2.4 * ray as f64) * DVec3::Y * far;
                let spot = DVec3::new(0.0, 1.2e-3 * place.y, 0.5e-3 * place.z);
                all.directions.push((turn * (DVec3::X + spot)).normalize().as_vec3());
                if aperture_m > 0.0 {
                    all.offsets.push((turn * (place * aperture_m / 2.0)).as_vec3());
                }
            }
        }
    }
    all
}

/// Time that this thread has spent on a processor.
fn cpu_seconds() -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    spent.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}

fn one_by_one(scene: &RayScene, pulses: &Pulses) -> usize {
    let mut hits = [None; MAX_RAYS_PER_PULSE];
    let mut met = 0;
    let calls = pulses.rays.div_ceil(MAX_RAYS_PER_PULSE);
    let chunk = pulses.rays.div_ceil(calls);
    for (pulse, origin) in pulses.origins.iter().enumerate() {
        let all = pulse * pulses.rays..(pulse + 1) * pulses.rays;
        for first in all.clone().step_by(chunk) {
            let lanes = first..(first + chunk).min(all.end);
            let rays = PulseRays {
                origin: *origin,
                directions: &pulses.directions[lanes.clone()],
                origin_offsets: pulses.offsets.get(lanes.clone()).unwrap_or(&[]),
                t_max: T_MAX,
            };
            scene.trace_pulse(&rays, &mut hits);
            met += hits[..lanes.len()].iter().flatten().count();
        }
    }
    met
}

fn in_batches(scene: &RayScene, pulses: &Pulses, tracer: &mut PulseTracer) -> usize {
    let movers = DynamicBvh::default();
    let mut met = 0;
    for first in (0..pulses.origins.len()).step_by(BATCH) {
        let part = first..(first + BATCH).min(pulses.origins.len());
        let rays = part.start * pulses.rays..part.end * pulses.rays;
        let batch = PulseBatch {
            origins: &pulses.origins[part.clone()],
            rays_per_pulse: pulses.rays,
            exact_directions: &[],
            directions: &pulses.directions[rays.clone()],
            origin_offsets: pulses.offsets.get(rays.clone()).unwrap_or(&[]),
            t_max: &[T_MAX],
            times_s: &[],
            tracks: &pulses.tracks[part],
        };
        scene.trace_pulses(&movers, &batch, tracer);

        met += (0..rays.len()).filter(|ray| tracer.hit(*ray).is_some()).count();
    }
    met
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn contest(scene: &RayScene, name: &str, pulses: &Pulses, rounds: usize) {
    let mut tracer = PulseTracer::default();
    let (mut alone, mut together, mut ratios) = (vec![], vec![], vec![]);
    for round in 0..=rounds {
        let begin = cpu_seconds();
        let met = one_by_one(scene, pulses);
        let between = cpu_seconds();
        assert_eq!(met, in_batches(scene, pulses, &mut tracer));
        let end = cpu_seconds();
        // The first round warms the caches and does not count.
        if round > 0 {
            let per_pulse = 1e6 / pulses.origins.len() as f64;
            alone.push((between - begin) * per_pulse);
            together.push((end - between) * per_pulse);
            ratios.push((between - begin) / (end - between));
        }
    }
    println!(
        "{name:34} {:6.2} µs a pulse alone, {:6.2} in batches: {:.2} times",
        median(alone),
        median(together),
        median(ratios)
    );
}

/// Batches in trees for rays from the side beside the same in the usual ones.
fn trees_for_the_side(usual: &RayScene, rounds: usize) {
    let side = yard(SeenFrom::Side);
    let (pulses, mut tracer) = (pulses(9, 0.0, 0.0), PulseTracer::default());
    let mut ratios = vec![];
    for round in 0..=rounds {
        let begin = cpu_seconds();
        let met = in_batches(usual, &pulses, &mut tracer);
        let between = cpu_seconds();
        assert_eq!(met, in_batches(&side, &pulses, &mut tracer));
        let end = cpu_seconds();
        if round > 0 {
            ratios.push((between - begin) / (end - between));
        }
    }
    println!("trees of plants for rays from the side: {:.2} times as fast", median(ratios));
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let rounds = numbers.first().copied().unwrap_or(5);
    let counts = if numbers.len() > 1 { &numbers[1..] } else { &[9, 1, 5, 15, 31, 58][..] };
    let mut scene = yard(SeenFrom::Anywhere);
    println!("{:.1} million triangles", scene.effective_triangles() as f64 / 1e6);
    for set in InstructionSet::available() {
        if set == InstructionSet::Portable {
            continue;
        }
        scene.use_instructions(set).unwrap();
        for &rays in counts {
            contest(&scene, &format!("{set:?}, {rays} rays"), &pulses(rays, 0.0, 0.0), rounds);
        }
        contest(&scene, &format!("{set:?}, 9 rays, moving"), &pulses(9, 1.0, 0.0), rounds);
        contest(&scene, &format!("{set:?}, 9 rays, aperture"), &pulses(9, 1.0, 0.01), rounds);
    }
    scene.use_instructions(InstructionSet::available()[0]).unwrap();
    trees_for_the_side(&scene, rounds);
}
