//! Whole estimates of media whose leaf area is known: pulses through boxes of leaves, met by the
//! tracer's triangles, and through closed formulas.

use super::*;
use glam::{DVec3, Vec3};
use understory_base::Silent;
use understory_geometry::{Edges, RayScene, RaySceneBuilder, TriangleMesh};
use understory_learn::input::{Met, PulseReturn};
use understory_plants::{LeafVolumeSpec, Random};

const SIDE_M: f64 = 2.0;

fn leaves(seed: u64, leaf_area_index: f64) -> (RayScene, f64) {
    let spec = LeafVolumeSpec {
        size_x_m: SIDE_M,
        size_y_m: SIDE_M,
        size_z_m: SIDE_M,
        leaf_area_index,
        leaf_area_m2: 2e-3,
        ..LeafVolumeSpec::default()
    };
    let plant = spec.grow(seed).unwrap();
    let mesh = TriangleMesh::new(&plant.positions, plant.triangles.clone()).unwrap();
    let mut builder = RaySceneBuilder::default();
    let id = builder.add_mesh(&mesh, Edges::Exact).unwrap();
    builder.add_instance(id, glam::DAffine3::IDENTITY).unwrap();
    (builder.build(), leaf_area_index * SIDE_M * SIDE_M)
}

/// Pulses from places around the box and above it, towards points in it.
fn scan(scene: &RayScene, seed: u64, places: &[DVec3], pulses: usize) -> Pulses {
    let mut random = Random::new(seed).fork(1);
    let mut all = Pulses::default();
    for &origin in places {
        for _ in 0..pulses {
            let within = DVec3::new(random.unit(), random.unit(), random.unit());
            let aim = (within - DVec3::new(0.5, 0.5, 0.0)) * SIDE_M * 1.2;
            let direction = (aim - origin).normalize().as_vec3();
            let hit = scene.trace_ray(origin, direction, 100.0);
            let back =
                hit.map(|hit| PulseReturn { range_m: hit.t, intensity: 1.0, met: Met::Unknown });
            all.push(origin, direction, back.as_slice());
        }
    }
    all
}

const AROUND: [DVec3; 4] = [
    DVec3::new(6.0, 1.0, 1.5),
    DVec3::new(-5.0, 4.0, 0.5),
    DVec3::new(-1.0, -7.0, 3.0),
    DVec3::new(0.5, 0.3, 9.0),
];

fn settings(cell_m: f64) -> Settings {
    let half = 0.5 * SIDE_M + 0.1;
    let region = Some([DVec3::new(-half, -half, -0.1), DVec3::new(half, half, SIDE_M + 0.1)]);
    Settings { region, cell_m: [cell_m; 3], weights: Weights::First, ..Settings::default() }
}

fn estimated(pulses: &Pulses, settings: &Settings) -> LeafArea {
    estimate(pulses, settings, &Silent).unwrap()
}

/// 200 boxes of 8 m² of leaf in 4,000 leaves, each grown and scanned by seeds of its own. If
/// intervals of 95 % cover the truth in 95 of 100, fewer than 180 or more than 198 of 200 do so with a
/// probability of 0.3 %; if they covered only 80, 180 were reached with one of 0.01 %.
#[test]
fn intervals_cover_the_leaf_area_of_boxes_of_leaves() {
    let settings = settings(0.55);
    let (mut covered, mut sum, mut spread) = (0, 0.0, 0.0);
    for seed in 0..200 {
        let (scene, truth) = leaves(seed, 2.0);
        let pulses = scan(&scene, seed, &AROUND, 4000);
        let found = estimated(&pulses, &settings).leaf_area_m2;
        covered += u32::from(found.low <= truth && truth <= found.high);
        sum += found.value / truth / 200.0;
        spread += (found.value / truth - 1.0).powi(2) / 200.0;
    }
    println!("covered {covered} of 200, mean {sum:.4}, deviation {:.4}", spread.sqrt());
    assert!((180..=198).contains(&covered), "{covered} of 200; mean {sum}, {spread}");
    // It was 1.3 % above when this was written; by how many seeds there are, to 0.1 %.
    assert!((sum - 1.0).abs() < 0.02, "{sum}");
}

/// The same pulses in any order of threads give the same bits.
#[test]
fn threads_change_no_bit() {
    let (scene, _) = leaves(1, 3.0);
    let pulses = scan(&scene, 1, &AROUND, 2000);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| estimated(&pulses, &settings(0.3)));
        found.density.iter().map(|density| density.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(on(1), on(4));
}

/// Behind a wall nothing is known: its shadow is unknown and not empty, and the pulses that would
/// have come are counted.
#[test]
fn what_is_hidden_is_unknown() {
    let mut pulses = Pulses::default();
    for i in 0..1000 {
        let aim = DVec3::new(2.0, f64::from(i % 100) * 0.01, f64::from(i / 100) * 0.1);
        let origin = DVec3::new(-3.0, 0.5, 0.5);
        let direction = (aim - origin).normalize();
        let wall = (0.5 - origin.x) / direction.x;
        let at = origin + direction * wall;
        let back = PulseReturn { range_m: wall as f32, intensity: 1.0, met: Met::Other };
        let hit = at.y < 0.5;
        pulses.push(
            origin,
            direction.as_vec3(),
            if hit { std::slice::from_ref(&back) } else { &[] },
        );
    }
    let region = Some([DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0)]);
    let settings = Settings { region, cell_m: [1.0, 0.5, 1.0], ..Settings::default() };
    let found = estimated(&pulses, &settings);
    // x by y: front and back, hidden and open.
    let known: Vec<bool> = found.density.iter().map(|density| !density.is_nan()).collect();
    assert_eq!(known, [true, true, false, true]);
    assert_eq!((found.pulses[2], found.explored[2]), (0.0, 0.0));
    assert!(found.interval[0][2].is_nan() && found.interval[1][2].is_nan());
    assert_eq!((found.counts.unknown, found.counts.voxels), (1, 4));
    // A wall is no leaf.
    assert_eq!(found.leaf_area_m2.value, 0.0);
    assert!((found.explored[0] - 0.5).abs() < 0.01);
    assert!(found.remarks.iter().any(|remark| remark.contains("25.0 % of the voxels are unknown")));
}

/// Wide pulses through a closed medium: every one of the rays of a pulse meets leaves by itself, and
/// the pulse returns them with their shares. Shares by intensity find the density; the first return
/// alone finds far too much. 3,000 pulses of 16 rays: about 0.6 % of deviation.
#[test]
fn parts_of_pulses_count_as_parts() {
    let (density, chord, rays) = (1.2, 1.0, 16);
    let mut random = Random::new(12);
    let mut pulses = Pulses::default();
    let mut beyond = Pulses::default();
    for _ in 0..3000 {
        let mut ranges: Vec<f64> =
            (0..rays).map(|_| 1.0 - (1.0 - random.unit()).ln() / (0.5 * density)).collect();
        ranges.sort_by(f64::total_cmp);
        let share = |range: f64, met| PulseReturn {
            range_m: range as f32,
            intensity: 0.3 / rays as f32,
            met,
        };
        // What passes the medium meets the ground.
        let returns: Vec<_> = ranges
            .iter()
            .map(|&range| match range < 1.0 + chord {
                true => share(range, Met::Plant),
                false => share(4.0, Met::Ground),
            })
            .collect();
        pulses.push(DVec3::new(0.0, 0.5, 0.5), Vec3::X, &returns);
        let inside: Vec<_> = returns.into_iter().filter(|back| back.met == Met::Plant).collect();
        beyond.push(DVec3::new(0.0, 0.5, 0.5), Vec3::X, &inside);
    }
    let region = Some([DVec3::X, DVec3::new(1.0 + chord, 1.0, 1.0)]);
    let with = |pulses: &Pulses, weights| {
        let settings = Settings { region, cell_m: [1.0; 3], weights, ..Settings::default() };
        estimated(pulses, &settings).density[0] / density
    };
    for weights in
        [Weights::Auto, Weights::Intensity, Weights::Equal, Weights::Calibrated(Some(0.3))]
    {
        let found = with(&pulses, weights);
        assert!((found - 1.0).abs() < 0.03, "{weights:?}: {found}");
    }
    assert!(with(&pulses, Weights::First) > 5.0);
    // Where the rest goes to the sky, only a calibrated intensity knows how much that was.
    let calibrated = with(&beyond, Weights::Calibrated(Some(0.3)));
    assert!((calibrated - 1.0).abs() < 0.03, "{calibrated}");
    assert!(with(&beyond, Weights::Intensity) > 1.5);
}

/// Wood ends a pulse and is no leaf: leaves and wood are found side by side, each with its own.
#[test]
fn wood_is_told_from_leaves_by_its_class() {
    let (leaf, wood, mut random) = (1.0, 0.6, Random::new(9));
    let mut pulses = Pulses::default();
    for _ in 0..40_000 {
        let range = 1.0 - (1.0 - random.unit()).ln() / (0.5 * (leaf + wood));
        let met = if random.unit() < wood / (leaf + wood) { Met::Wood } else { Met::Plant };
        let back = PulseReturn { range_m: range as f32, intensity: 1.0, met };
        let returns = if range < 2.0 { std::slice::from_ref(&back) } else { &[] };
        pulses.push(DVec3::new(0.0, 0.5, 0.5), Vec3::X, returns);
    }
    let region = Some([DVec3::X, DVec3::new(2.0, 1.0, 1.0)]);
    let settings = Settings { region, cell_m: [1.0; 3], ..Settings::default() };
    let found = estimated(&pulses, &settings);
    // 14,000 and 8,000 hits: deviations of 0.9 and 1.1 %.
    assert!((found.density[0] / leaf - 1.0).abs() < 0.05, "{:?}", found.density);
    assert!((found.wood[0] / wood - 1.0).abs() < 0.06, "{:?}", found.wood);
    let clumped = Settings { clumping: 0.8, ..settings.clone() };
    assert!((estimated(&pulses, &clumped).density[0] / found.density[0] - 1.25).abs() < 1e-12);
}

/// Heights are above the ground that pulses met, and voxels below it are no part of anything.
#[test]
fn profiles_stand_on_the_ground() {
    let mut pulses = Pulses::default();
    for i in 0..2000 {
        let x = f64::from(i % 50) * 0.2 + 0.1;
        let ground = 0.5 * x;
        let origin = DVec3::new(x, f64::from(i / 50) * 0.1, 20.0);
        let at = |z: f64, met| PulseReturn { range_m: (20.0 - z) as f32, intensity: 1.0, met };
        // A seventh of the pulses is stopped 2.2 m above the ground.
        let back = if i % 7 == 3 { at(ground + 2.2, Met::Plant) } else { at(ground, Met::Ground) };
        pulses.push(origin, Vec3::NEG_Z, &[back]);
    }
    let region = Some([DVec3::new(0.0, 0.0, -1.0), DVec3::new(10.0, 4.0, 9.0)]);
    let settings = Settings { region, cell_m: [0.2, 1.0, 0.5], ..Settings::default() };
    let found = estimated(&pulses, &settings);
    let most = found
        .profile
        .iter()
        .max_by(|a, b| a.leaf_area_index.total_cmp(&b.leaf_area_index))
        .unwrap();
    assert!((most.height_m - 2.25).abs() < 0.51, "{most:?}");
    assert!(found.counts.voxels < found.grid.len() as u64);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.counts);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let nothing = estimate(&Pulses::default(), &Settings::default(), &Silent).unwrap_err();
    assert!(nothing.to_string().starts_with("0 pulses were read"), "{nothing}");
    let mut sky = Pulses::default();
    sky.push(DVec3::ZERO, Vec3::Z, &[]);
    let none = estimate(&sky, &Settings::default(), &Silent).unwrap_err().to_string();
    assert!(none.contains("none of them returned from a plant"), "{none}");
    let (scene, _) = leaves(1, 1.0);
    let pulses = scan(&scene, 1, &AROUND[..1], 100);
    let refused =
        |settings: Settings| estimate(&pulses, &settings, &Silent).unwrap_err().to_string();
    assert!(refused(settings(0.0)).contains("no size"));
    assert!(refused(settings(1e-4)).contains("choose voxels of"));
    assert!(refused(Settings { clumping: 0.0, ..settings(0.5) }).contains("clumping index"));
    assert!(refused(Settings { wood_share: 1.0, ..settings(0.5) }).contains("share of wood"));
    assert!(refused(Settings { leaf_width_m: f64::NAN, ..settings(0.5) }).contains("leaf width"));
    assert!(refused(Settings { confidence: 1.0, ..settings(0.5) }).contains("confidence"));
    assert!(refused(Settings { range_m: [3.0, 1.0], ..settings(0.5) }).contains("range"));
    let weights = Weights::Calibrated(Some(-1.0));
    assert!(refused(Settings { weights, ..settings(0.5) }).contains("full intensity"));
}

/// A recording that lost its misses says so.
#[test]
fn lost_misses_are_told() {
    let (scene, _) = leaves(2, 1.0);
    let all = scan(&scene, 2, &AROUND[..2], 500);
    let mut kept = Pulses::default();
    for pulse in (0..all.len()).filter(|pulse| !all.returns_of(*pulse).is_empty()) {
        kept.push(all.origin[pulse], all.direction[pulse], all.returns_of(pulse));
    }
    let mut upward = kept.clone();
    let back = PulseReturn { range_m: 1.0, intensity: 1.0, met: Met::Unknown };
    upward.push(DVec3::ZERO, Vec3::Z, &[back]);
    let told = |pulses: &Pulses, what: &str| {
        estimated(pulses, &settings(0.5)).remarks.iter().any(|remark| remark.contains(what))
    };
    assert!(told(&upward, "has lost its misses"));
    assert!(told(&kept, "no pulse is without a return"));
    assert!(!told(&all, "no pulse is without a return"));
}
