//! Plants and terrain in scenarios: placed, traced, refused.

use super::*;
use glam::{DVec3, Vec3};

const WOOD: &str = r##"
version = 1
seed = 7
duration_s = 0.1

[world.terrain]
plane = { size_m = [40.0, 30.0], spacing_m = 0.5, centre_m = [100.0, 50.0] }
relief = [{ rms_height_m = 1.0, wavelength_max_m = 20.0, wavelength_min_m = 5.0 }]
features = [{ kind = "slope", slope_deg = 10.0, pivot_m = [100.0, 50.0] }]
tolerance_m = 0.05

[[world.plant]]
name = "grass"
species = "stems"
override = { stems_per_m2 = 20.0, height_m = 0.4 }
tiles = true
avoid = [{ centre_m = [100.0, 50.0], radius_m = 3.0 }]

[[world.plant]]
name = "tree"
kind = "tree"
override = { height_m = 4.0, crown_width_m = 2.0, crown_base_m = 1.5, leaf_count_max = 2000 }
variants = 2
area = { centre_m = [100.0, 50.0], size_m = [36.0, 26.0] }
count = 12
spacing_m = 3.0
scale_range = [0.8, 1.2]
lean_deg = 2.0

[[sensor]]
name = "lidar"
preset = "vlp-16"
"##;

fn read(text: &str) -> Result<Scenario, Error> {
    Scenario::from_toml(text, "a.toml", Path::new("nowhere"))
}

fn line_of(needle: &str, text: &str) -> usize {
    1 + text.lines().position(|line| line.contains(needle)).expect("the line is there")
}

#[test]
fn plants_are_objects_with_parts_and_grass_is_one() {
    let scene = read(WOOD).unwrap().build_scene().unwrap();
    let names: Vec<&str> = scene.objects().iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names[..3], ["terrain", "grass", "tree#1"]);
    assert_eq!(names.len(), 2 + 12);
    let labels: Vec<u16> = scene.objects().iter().map(|o| o.label).collect();
    assert_eq!(labels[..3], [72, 70, 70]);
    // 1200 tiles of a metre less those whose middle is in the disc of 3 m, and 12 trees.
    let tiles = scene.rays.instance_count() - 1 - 12;
    assert!((1168..=1176).contains(&tiles), "{tiles}");
    let bark = 1 + scene.materials().iter().position(|m| m.name == "bark").unwrap() as u16;
    let leaf = 1 + scene.materials().iter().position(|m| m.name == "leaf").unwrap() as u16;
    assert_eq!((scene.label_of(3, bark), scene.label_of(3, leaf)), (71, 70));
}

/// Rays straight down onto the bare disc find the ground only; beside it, rods of 0.4 m that stand
/// on the traced ground: their lids are 0.4 m above it.
#[test]
fn everything_stands_on_the_traced_ground() {
    let scenario = read(WOOD).unwrap();
    let scene = scenario.build_scene().unwrap();
    let bare = read(&WOOD.replace("stems_per_m2 = 20.0", "stems_per_m2 = 0.0")).unwrap();
    let bare = bare.build_scene().unwrap();
    let down = |scene: &Scene, x: f64, y: f64| {
        let from = DVec3::new(x, y, 60.0);
        let hit = scene.rays.trace_ray(from, -Vec3::Z, 200.0)?;
        let point = scene.rays.surface_point(&hit, from, -DVec3::Z);
        Some((scene.object_of(hit.instance), 60.0 - point.t))
    };
    let mut lids = 0;
    for i in 0..200_000u32 {
        // A lattice without a pattern over the terrain.
        let (u, v) =
            ((f64::from(i) * 0.754_877_666).fract(), (f64::from(i) * 0.569_840_291).fract());
        let (x, y) = (80.1 + 39.8 * u, 35.1 + 29.8 * v);
        let (object, top) = down(&scene, x, y).unwrap();
        if object == 2 {
            assert!((x - 100.0).hypot(y - 50.0) > 2.2, "{x} {y}");
            let Some((1, ground)) = down(&bare, x, y) else { continue };
            lids += 1;
            // A patch is flat and the ground is not: half a metre from its middle they differ.
            assert!((top - ground - 0.4).abs() < 0.15, "{} at {x}, {y}", top - ground);
        }
    }
    assert!(lids > 20, "{lids} lids were seen");
    // Copies stand exactly on the ground below them.
    let text = WOOD.replace("count = 12\nspacing_m = 3.0\n", "density_per_m2 = 1.0\n");
    let (mut builder, world) =
        (crate::world::scene::SceneBuilder::default(), read(&text).unwrap().world);
    let terrain = world.terrain.as_ref().unwrap();
    let surface = terrain.add_to(&mut builder, terrain.mesh().unwrap()).unwrap();
    let ground = builder.build().unwrap();
    let copies = world.plants[1].layout.place(Some(&surface), "here").unwrap();
    assert!(copies.len() > 800);
    for (world_from_plant, _) in copies {
        let foot = world_from_plant.translation;
        let (_, height) = down(&ground, foot.x, foot.y).unwrap();
        assert!((foot.z - height).abs() < 1e-5, "{foot} above {height}");
    }
}

#[test]
fn the_same_seed_gives_the_same_scene_and_another_one_another() {
    let trace = |text: &str| {
        let scene = read(text).unwrap().build_scene().unwrap();
        let hits: Vec<_> = (0..400)
            .map(|i| {
                let from = DVec3::new(80.0, 36.0 + 0.07 * f64::from(i), 3.0);
                scene.rays.trace_ray(from, Vec3::X, 60.0).map(|hit| (hit.t.to_bits(), hit.instance))
            })
            .collect();
        hits
    };
    let first = trace(WOOD);
    assert!(first.iter().flatten().count() > 100);
    assert_eq!(first, trace(WOOD));
    assert_ne!(first, trace(&WOOD.replace("seed = 7", "seed = 8")));
    // A plant more does not move the others: the trees stay where they are.
    let more = WOOD.replace(
        "[[sensor]]",
        "[[world.plant]]\nname = \"rod\"\nspecies = \"stems\"\n\
        instances = [{ position_m = [119.0, 64.0, -5.0] }]\n[[sensor]]",
    );
    assert_eq!(first, trace(&more));
}

#[test]
fn an_estimate_is_made_before_anything_is_built() {
    let scenario = read(WOOD).unwrap();
    let estimate = scenario.estimate();
    let scene = scenario.build_scene().unwrap();
    let (real, said) = (scene.rays.effective_triangles() as f64, estimate.effective_triangles());
    assert!((0.6..1.7).contains(&(said / real)), "{said} of {real}");
    assert!(estimate.bytes() > scene.rays.memory_bytes() as f64);
    let huge = WOOD.replace("leaf_count_max = 2000", "leaf_count_max = 900000, foliage_density = \"high\", leaf_length_m = 0.01, leaf_width_m = 0.005");
    let error = read(&huge).unwrap().estimate().check(100_000_000).unwrap_err().to_string();
    assert!(error.contains("\"tree\" alone needs") && error.contains("--max-memory"), "{error}");
    assert!(
        error.starts_with(&format!("a.toml:{}: ", line_of("name = \"tree\"", WOOD))),
        "{error}"
    );
}

/// Each row: what to replace, by what, and what the refusal then says.
#[test]
fn refusals_name_line_and_remedy() {
    for (from, to, expected) in [
        ("species = \"stems\"", "species = \"stem\"", "did you mean \"stems\"?"),
        ("kind = \"tree\"", "kind = \"treee\"", "did you mean \"tree\"?"),
        ("kind = \"tree\"", "kind = \"tree\"\nspecies = \"oak\"", "exactly one of `species`"),
        ("stems_per_m2 = 20.0", "stems_per_m = 20.0", "`stems_per_m2`"),
        ("height_m = 0.4", "height_m = -0.4", "height_m is -0.4; choose one that is between"),
        ("variants = 2", "variants = 0", "from 1 to 1000"),
        ("count = 12", "count = 12\ndensity_per_m2 = 3.0", "keep one of them"),
        ("count = 12\nspacing_m = 3.0", "density_per_m2 = 9.0\nspacing_m = 3.0", "at most 0.1283"),
        ("count = 12\nspacing_m = 3.0", "density_per_m2 = 1e9", "copies would stand there"),
        ("count = 12\nspacing_m = 3.0", "spacing_m = 1e-5", "copies would stand there"),
        ("count = 12\nspacing_m = 3.0", "spacing_m = 0", "`spacing_m` is 0"),
        ("count = 12\nspacing_m = 3.0", "sink_m = 0.1", "not exactly one rule"),
        ("count = 12", "rows = { spacing_m = 1, in_row_m = 1 }", "not exactly one rule"),
        ("count = 12", "instances = [{ position_m = [0, 0, 0] }]", "keep one of them"),
        ("count = 12", "mask = \"mask.png\"\ncount = 12", "nowhere/mask.png cannot be read"),
        ("tiles = true", "tiles = true\nscale_range = [1.0, 2.0]", "cannot be scaled"),
        ("scale_range = [0.8, 1.2]", "scale_range = [1.2, 0.8]", "two rising numbers"),
        ("scale_range = [0.8, 1.2]", "tiles = true", "makes no tiles"),
        ("lean_deg = 2.0", "lean_deg = 200.0", "from 0 to 90"),
        ("lean_deg = 2.0", "lean_rad = 0.1", "use `lean_deg`"),
        ("size_m = [36.0, 26.0] }", "size_m = [36.0, -26.0] }", "`size_m` holds -26"),
        ("size_m = [36.0, 26.0] }", "polygon_m = [[0, 0], [1, 1]] }", "this is no area"),
        ("radius_m = 3.0 }", "line_m = [[0, 0], [1, 1]] }", "nothing that can be avoided"),
        ("lean_deg = 2.0", "materials = { leafs = \"leaf\" }", "did you mean \"leaf\"?"),
        ("lean_deg = 2.0", "wood_label = \"trnk\"", "did you mean \"trunk\"?"),
        ("name = \"tree\"", "name = \"grass\"", "another object or plant called \"grass\""),
        ("spacing_m = 0.5", "spacing_m = -0.5", ""),
        ("rms_height_m = 1.0", "rms_height_m = -1.0", "rms_height_m of the relief is -1"),
        ("kind = \"slope\"", "kind = \"slop\"", "did you mean \"slope\"?"),
    ] {
        let text = WOOD.replacen(from, to, 1);
        assert_ne!(text, WOOD, "{from:?} is in the scenario");
        let outcome = read(&text).and_then(|scenario| scenario.build_scene().map(|_| ()));
        let error = outcome.expect_err(to).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        assert!(error.contains("; ") && error.starts_with("a.toml:"), "{error}");
    }
    let far = WOOD.replace("size_m = [36.0, 26.0] }", "size_m = [60.0, 26.0] }");
    let error = read(&far).unwrap().build_scene().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("lie beyond the terrain"), "{error}");
    let crowded = WOOD.replace("count = 12", "count = 900");
    let error = read(&crowded).unwrap().build_scene().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("of 900 copies fit"), "{error}");
}

#[test]
fn masks_are_read_from_png() {
    let folder = tempfile::tempdir().unwrap();
    // The west half black, the east half white.
    let mask = [[0u8, 255]; 2].concat().into_iter().flat_map(|grey| [grey; 4]).collect::<Vec<_>>();
    let mask = understory_testing::picture::grey_png([8, 2], &mask);
    std::fs::write(folder.path().join("mask.png"), mask).unwrap();
    std::fs::write(folder.path().join("broken.png"), b"\x89PNG\r\n\x1a\nand then nothing").unwrap();
    let load = |name: &str| {
        let text = WOOD.replace("tiles = true", &format!("tiles = true\nmask = \"{name}\""));
        Scenario::from_toml(&text, "a.toml", folder.path())
    };
    let world = load("mask.png").unwrap().world;
    let copies = world.plants[0].layout.place(None, "here").unwrap();
    assert!(copies.len() > 500 && copies.iter().all(|(a, _)| a.translation.x > 100.0));
    let error = load("broken.png").unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("a.toml:{}: ", line_of("tiles", WOOD) + 1))
            && error.contains("no readable mask"),
        "{error}"
    );
}

/// Rocks are strewn, a fence and a wall follow the ground; all are traced where they should be.
#[test]
fn ground_objects_stand_on_the_ground() {
    let things = r##"
[[world.ground_object]]
name = "rock"
what = { kind = "rock", size_m = [1.0, 0.8, 0.6] }
count = 9
spacing_m = 3.0
area = { centre_m = [100.0, 50.0], size_m = [30.0, 20.0] }

[[world.ground_object]]
name = "wall"
what = { kind = "wall", path_m = [[90.0, 36.5], [110.0, 36.5]], height_m = 2.0, thickness_m = 0.3 }

[[sensor]]"##;
    let text = WOOD.replace("[[sensor]]", things);
    let scene = read(&text).unwrap().build_scene().unwrap();
    let names: Vec<&str> = scene.objects().iter().map(|o| o.name.as_str()).collect();
    assert_eq!(
        names[14..],
        [
            "rock#1", "rock#2", "rock#3", "rock#4", "rock#5", "rock#6", "rock#7", "rock#8",
            "rock#9", "wall"
        ]
    );
    let bare = read(WOOD).unwrap();
    let surface = bare.world.terrain.as_ref().unwrap();
    let surface = surface.mesh().unwrap().surface;
    for x in [92.3, 100.0, 107.9] {
        let from = DVec3::new(x, 36.5, 60.0);
        let hit = scene.rays.trace_ray(from, -Vec3::Z, 200.0).unwrap();
        let top = 60.0 - scene.rays.surface_point(&hit, from, -DVec3::Z).t;
        assert_eq!(scene.object_of(hit.instance), 24);
        let ground = surface.height_at(x, 36.5).unwrap();
        assert!((top - ground - 2.0).abs() < 0.3, "{top} above {ground}");
    }
    let strewn = text.replace("kind = \"wall\", path", "kind = \"wal\", path");
    assert!(read(&strewn).unwrap_err().to_string().contains("did you mean \"wall\"?"));
    let strewn = text.replace("name = \"wall\"", "name = \"wall\"\ncount = 4");
    let error = read(&strewn).unwrap_err().to_string();
    assert!(error.contains("along its `path_m`"), "{error}");
}

/// In every scene with a terrain the sensors move 0.3 to 3 m above it.
#[test]
fn the_sensors_of_the_scenes_are_above_the_ground() {
    let mut seen = 0;
    for (name, _) in scenarios() {
        let scenario = Scenario::embedded(name).unwrap();
        let Some(terrain) = &scenario.world.terrain else { continue };
        let surface = terrain.mesh().unwrap().surface;
        for step in 0..=10 {
            let pose = scenario.trajectory.pose_at(scenario.duration_s * f64::from(step) / 10.0);
            let mount = scenario.sensors[0].platform_from_sensor.translation;
            let at = pose.translation + pose.rotation * mount;
            let above = at.z - surface.height_at(at.x, at.y).unwrap();
            println!("{name}: {above:.2} m above the ground");
            let highest = if name.starts_with("airborne") { 100.0 } else { 3.0 };
            assert!((0.3..highest).contains(&above), "{name}: {above} m above the ground");
            seen += 1;
        }
    }
    assert!(seen >= 60);
}
