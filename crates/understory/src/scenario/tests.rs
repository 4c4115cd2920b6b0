use super::*;
use glam::{DVec3, Vec3};

const SMALL: &str = r##"
version = 1
seed = 7
duration_s = 0.1

[world]
[[world.material]]
name = "lawn"
reflectance = [[905, 0.45], [1550.0, 0.25]]
color = "#7a5"

[[world.object]]
name = "ground"
shape = "plane"
size_m = [40.0, 40]
material = "lawn"
label = "terrain"

[[world.object]]
name = "ball"
shape = "sphere"
radius_m = 0.5
position_m = [5.0, 0.0, 1.0]
label = 99
instances = [ { position_m = [0, 0, 1] }, { position_m = [0, 3, 1], scale = 2 } ]

[[sensor]]
name = "front"
preset = "vlp-16"
position_m = [0.5, 0.0, 1.5]
[sensor.override.detector]
range_max_m = 55.0

[platform]
waypoints = [
    { time_s = 0.0, position_m = [0, 0, 0] },
    { time_s = 0.1, position_m = [1, 0, 0], rotation_deg = [0, 0, 10] },
]

[output]
files = ["a.laz", "b.csv"]
picture = true
"##;

fn read(text: &str) -> Result<Scenario, Error> {
    Scenario::from_toml(text, "a.toml", Path::new("nowhere"))
}

fn line_of(needle: &str, text: &str) -> usize {
    1 + text.lines().position(|line| line.contains(needle)).expect("the line is there")
}

#[test]
fn a_small_scenario_says_what_it_means() {
    let scenario = read(SMALL).unwrap();
    assert_eq!((scenario.seed, scenario.duration_s, scenario.picture), (7, 0.1, true));
    assert_eq!(scenario.outputs, [PathBuf::from("a.laz"), PathBuf::from("b.csv")]);
    let front = &scenario.sensors[0];
    assert_eq!((front.name.as_str(), front.sensor.detector.range_max_m), ("front", 55.0));
    assert_eq!(front.platform_from_sensor.translation, DVec3::new(0.5, 0.0, 1.5));
    assert!((scenario.trajectory.pose_at(0.05).translation.x - 0.5).abs() < 1e-12);

    let scene = scenario.build_scene().unwrap();
    let names: Vec<_> = scene.objects().iter().map(|o| (o.id, o.name.as_str(), o.label)).collect();
    assert_eq!(names, [(1, "ground", 72), (2, "ball#1", 99), (3, "ball#2", 99)]);
    assert_eq!(scene.materials()[0].colour, [0x77, 0xaa, 0x55]);
    assert_eq!(
        scene.optics(905.0).iter().map(|o| o.reflectance).collect::<Vec<_>>(),
        [0.0, 0.45, 0.5]
    );
    // The second ball: moved by its object and its instance, radius doubled.
    let hit = scene.rays.trace_ray(DVec3::new(-5.0, 3.0, 2.0), Vec3::X, 99.0).unwrap();
    assert_eq!(scene.object_of(hit.instance), 3);
    assert_eq!(scene.material_of(hit.instance, hit.triangle), 2);
    let exact = scene.rays.surface_point(&hit, DVec3::new(-5.0, 3.0, 2.0), DVec3::X);
    assert!((exact.t - 9.0).abs() < 5e-5, "{}", exact.t);
}

#[test]
fn every_format_can_be_named_as_an_output() {
    for format in understory_cloud::OutputFormat::ALL {
        let name = format!("b.{}", format.extension());
        let text = SMALL.replacen("b.csv", &name, 1);
        let scenario = read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(scenario.outputs[1], PathBuf::from(&name));
    }
}

/// Each row: what to replace in the small scenario, by what, and what the refusal then says.
#[test]
fn refusals_name_line_and_remedy() {
    for (from, to, expected) in [
        ("version = 1", "version = 2", "version 2 is not known; this program reads version 1"),
        ("duration_s = 0.1", "duration_s = -1.0", "`duration_s` is -1; give a number above 0"),
        ("duration_s = 0.1", "duration_ms = 100", "this key is in seconds; use `duration_s`"),
        ("0.45]", "1.45]", "give a number from 0 to 1"),
        ("\"#7a5\"", "\"#7a\"", "\"#7a\" is no colour"),
        ("shape = \"plane\"", "shape = \"plan\"", "did you mean \"plane\"?"),
        ("size_m = [40.0, 40]", "size_m = [40.0]", "give 2 numbers above 0"),
        ("size_m = [40.0, 40]", "size_m = [40.0, nan]", "`size_m` holds NaN"),
        ("size_m = [40.0, 40]", "radius_m = 3.0", "a plane has no `radius_m`"),
        ("size_m = [40.0, 40]", "size_mm = [1, 1]", "use `size_m`"),
        ("material = \"lawn\"", "material = \"lavn\"", "did you mean \"lawn\"?"),
        ("\"terrain\"", "\"terain\"", "did you mean \"terrain\"?"),
        ("label = 99", "label = -2", "a number from 0 to 65535"),
        ("name = \"ball\"", "name = \"ground\"", "another object called \"ground\""),
        ("radius_m = 0.5", "radius_m = 0", "`radius_m` is 0"),
        ("radius_m = 0.5", "radius_m = inf", "`radius_m` is inf"),
        ("scale = 2", "scale = 0", "none of them 0"),
        ("scale = 2", "scale = [1, 2]", "none of them 0"),
        ("[5.0, 0.0, 1.0]", "[5.0, nan, 1.0]", "`position_m` holds NaN"),
        (
            "[5.0, 0.0, 1.0]",
            "[5.0, 0.0, 1.0, 2.0]",
            "`position_m` has 4 values; give 3: x, y and z",
        ),
        ("instances = [ {", "grid = { count = [0, 3], spacing_m = [1, 1] } # {", "0 copies"),
        ("preset = \"vlp-16\"", "preset = \"vlp16\"", "did you mean \"vlp-16\"?"),
        ("preset = \"vlp-16\"", "", "exactly one of `preset` and `file`"),
        ("preset = \"vlp-16\"", "file = \"my.toml\"", "nowhere/my.toml cannot be read"),
        ("range_max_m = 55.0", "range_max_mm = 55.0", "use `range_max_m`"),
        ("range_max_m = 55.0", "range_max_m = -5.0", ""),
        ("{ time_s = 0.1,", "{ time_s = -0.1,", "sort the waypoints by time"),
        ("waypoints = [", "position_m = [0, 0, 0]\nwaypoints = [", "keep one of them"),
        ("\"b.csv\"", "\"b.txt\"", "names no format"),
        ("\"b.csv\"", "\"a.laz\"", "is written twice"),
        (
            "picture = true",
            "picture = 3",
            "expected true or false for `picture`, found the number 3",
        ),
        ("label = 99", "shape = \"mesh\"", "duplicate key"),
    ] {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL, "{from:?} is in the scenario");
        let error = read(&text).expect_err(to).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        assert!(error.contains("; "), "{error}");
        // The line is that of the change, of the next one for a table with a key missing.
        let line: usize = error.split(':').nth(1).and_then(|l| l.parse().ok()).expect(&error);
        let near = 1 + SMALL[..SMALL.find(from).unwrap()].matches('\n').count();
        assert!(line + 1 >= near && line <= near + 1, "{error} but the change is in line {near}");
    }
}

#[test]
fn materials_that_cannot_be_are_refused_by_name() {
    for (keys, expected) in [
        ("reflectance = 1.2", "more than 1 comes back from a retroreflector only"),
        ("reflectance = -0.1", "`reflectance` is -0.1"),
        ("reflectance = [[1550, 0.2], [905, 0.4]]", "by rising wavelength"),
        ("", "has no `reflectance`"),
        ("mirror = 1.5", "`mirror` is 1.5"),
        ("mirror = 0.8\nreflectance = 0.3", "sends on 1.100 of the light"),
        ("retro = { share = 0.8 }\nreflectance = 0.3", "sends on 1.100 of the light"),
        ("retro = { share = 0.3, cone_deg = 0 }", "`cone_deg` is 0"),
        ("gloss = { share = 0.1, roughness = 0 }\nreflectance = 0.3", "`roughness` is 0"),
        ("glass = { index = 0.9, kind = \"pane\" }", "give a number from 1 to 4.1"),
        ("glass = { index = 1.5, kind = \"pane\", absorption_per_m = 1 }", "no thickness"),
        ("glass = { index = 1.5, kind = \"solid\", absorption_per_m = -1 }", "is -1"),
        ("glass = { index = 1.5, kind = \"pane\" }\nmirror = 0.5", "leave `mirror` away"),
        ("mixture = { leaf = 0.6, bark = 0.3 }", "sum to 0.9000"),
        ("mixture = { leaf = 0.6, barc = 0.4 }", "did you mean \"bark\"?"),
        ("mixture = { leaf = 0.6, mirror = 0.4 }", "does more than reflect diffusely"),
    ] {
        let material = format!("[[world.material]]\nname = \"odd\"\n{keys}\n[[sensor]]");
        let text = SMALL.replacen("[[sensor]]", &material, 1);
        let error = read(&text).expect_err(keys).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn materials_are_mixed_and_shared_by_files() {
    let folder = tempfile::tempdir().unwrap();
    let shared = "[[material]]\nname = \"litter\"\nmixture = { leaf-dry = 0.75, soil = 0.25 }\n";
    std::fs::write(folder.path().join("site.toml"), shared).unwrap();
    let world = "[world]\nmaterial_files = [\"site.toml\"]\n[[world.object]]\nname = \"floor\"\n\
                 shape = \"plane\"\nsize_m = [9, 9]\nmaterial = \"litter\"\n";
    let text = format!(
        "version = 1\nseed = 1\nduration_s = 0.1\n{world}[[sensor]]\nname = \"a\"\npreset = \"vlp-16\"\n"
    );
    let load = |text: &str| Scenario::from_toml(text, "a.toml", folder.path());
    let scene = load(&text).unwrap().build_scene().unwrap();
    let at = |nm| scene.optics(nm)[1].reflectance;
    assert!((at(905.0) - (0.75 * 0.45 + 0.25 * 0.25)).abs() < 1e-6);
    assert!((at(1307.0) - 0.5 * (at(1064.0) + at(1550.0))).abs() < 1e-6);
    std::fs::write(folder.path().join("site.toml"), shared.replace("0.75", "0.7")).unwrap();
    let error = load(&text).unwrap_err().to_string();
    assert!(error.contains("site.toml:3") && error.contains("sum to 0.9500"), "{error}");
}

#[test]
fn meshes_come_from_files_beside_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let obj = "usemtl Leaf\nv 0 0 0\nv 100 0 0\nv 0 100 0\nf 1 2 3\nusemtl Stem\nv 0 0 100\n\
               f 1 2 4\nusemtl bark\nf 1 3 4\n";
    std::fs::write(folder.path().join("tree.obj"), obj).unwrap();
    let csv = "x_m,y_m,z_m,yaw_deg,scale\n10,0,1,90,1\n# a remark\n20, 0, 1, 0, 2\n";
    std::fs::write(folder.path().join("trees.csv"), csv).unwrap();
    let tree = "[[world.object]]\nname = \"tree\"\nshape = \"mesh\"\nfile = \"tree.obj\"\n\
                unit = \"cm\"\nmaterials = { Leaf = \"lawn\", Stem = \"wood\" }\n\
                edges = \"exact\"\ninstances_file = \"trees.csv\"\n[[sensor]]";
    let text = SMALL.replacen("[[sensor]]", tree, 1);
    let load = |text: &str| Scenario::from_toml(text, "a.toml", folder.path());
    let scenario = load(&text).unwrap();
    assert_eq!(scenario.mesh_paths().collect::<Vec<_>>(), [folder.path().join("tree.obj")]);
    let scene = scenario.build_scene().unwrap();
    assert_eq!(scene.rays.instance_count(), 5);
    assert_eq!(scene.objects()[4].name, "tree#2");
    let names: Vec<_> = scene.materials().iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["lawn", "grey", "wood", "bark"]);
    let down = |x, y| {
        let hit = scene.rays.trace_ray(DVec3::new(x, y, 1.01), -Vec3::Z, 9.0).unwrap();
        let material = scene.material_of(hit.instance, hit.triangle);
        (scene.object_of(hit.instance), names[material as usize - 1])
    };
    // Turned by 90°, the first tree's leaf lies towards −x and +y.
    assert_eq!(down(9.8, 0.2), (4, "lawn"));
    assert_eq!(down(10.2, 0.2).0, 1);
    assert_eq!(down(20.9, 0.9), (5, "lawn"));

    let refused = |from: &str, to: &str| {
        let error = load(&text.replacen(from, to, 1));
        error.and_then(|s| s.build_scene().map(|_| ())).unwrap_err().to_string()
    };
    let line = line_of("tree.obj", &text);
    let missing = refused("tree.obj", "oak.obj");
    assert!(missing.starts_with(&format!("a.toml:{line}: ")) && missing.contains("oak.obj"));
    let unknown = refused("Stem =", "Stam =");
    assert!(
        unknown.contains("no material \"Stam\"; ") && unknown.contains("\"Stem\""),
        "{unknown}"
    );
    let unknown = refused("\"wood\"", "\"woood\"");
    assert!(unknown.contains("did you mean \"wood\"?"), "{unknown}");
    for (csv, expected) in [
        ("x_m,y_m\n1,2\n", "trees.csv:1: column \"z_m\" is missing"),
        ("x_m,y_m,z_m,yaw\n1,2,3,4\n", "did you mean \"yaw_deg\"?"),
        ("x_m,y_m,z_m\n1,2,3\n1,2,up\n", "trees.csv:3: column \"z_m\" holds \"up\""),
        ("x_m,y_m,z_m,scale\n1,2,3,0\n", "trees.csv:2: the scale is"),
        ("x_m,y_m,z_m\n1,2\n", "trees.csv:2: the CSV cannot be read"),
        ("x_m,y_m,z_m\n", "there are no rows"),
    ] {
        std::fs::write(folder.path().join("trees.csv"), csv).unwrap();
        let error = refused("tree.obj", "tree.obj");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn grids_and_foliage_repeat_the_same() {
    let grid = "grid = { count = [4, 5], spacing_m = [2, 3], jitter_m = 0.4, random_yaw = true, \
                scale_jitter = 0.2, seed = 5 }\none_object = true\n\
                foliage = { count = 30, size_m = [1, 1, 2], seed = 4 }";
    let text = SMALL.replacen("instances = [ {", &format!("{grid} # {{"), 1);
    let scene = read(&text).unwrap().build_scene().unwrap();
    assert_eq!(scene.objects().len(), 2);
    assert_eq!(scene.rays.instance_count(), 21);
    let again = read(&text).unwrap().build_scene().unwrap();
    assert_eq!(scene.rays.effective_triangles(), again.rays.effective_triangles());
    let ray = |scene: &Scene| scene.rays.trace_ray(DVec3::new(-9.0, 0.1, 1.0), Vec3::X, 99.0);
    assert_eq!(ray(&scene), ray(&again));
    let none = text.replacen("count = 30", "count = 0", 1);
    assert!(read(&none).unwrap_err().to_string().contains("`count` is 0"));
}

#[test]
fn every_embedded_scenario_is_sound() {
    for (name, text) in scenarios() {
        let scenario = Scenario::embedded(name).unwrap();
        assert!(scenario.title.is_some() && !scenario.outputs.is_empty(), "{name}");
        assert_eq!(scenario.mesh_paths().count(), 0, "{name} carries no meshes");
        assert!(text.starts_with('#'), "{name} begins with a word about itself");
        let estimate = scenario.estimate();
        estimate.check(4 << 30).unwrap_or_else(|error| panic!("{name}: {error}"));
        let triangles: f64 = estimate.parts.iter().map(|part| part.source_triangles).sum();
        println!("{name}: about {:.0} MB to build", estimate.bytes() / 1e6);
        // The large ones take too long without optimisation; they are built by hand.
        if triangles > 300_000.0 {
            continue;
        }
        let scene = scenario.build_scene().unwrap();
        println!(
            "{name}: {} objects, {} instances, {} triangles",
            scene.objects().len(),
            scene.rays.instance_count(),
            scene.rays.effective_triangles()
        );
    }
    let error = Scenario::embedded("dmeo").unwrap_err().to_string();
    assert!(error.contains("did you mean \"demo\"?"), "{error}");
}

/// Every key of the file's structs is explained in the manual, and every example in it is valid.
#[test]
fn the_manual_explains_every_key() {
    let manual = include_str!("../../../../docs/scenario.md");
    let source = concat!(
        include_str!("file.rs"),
        include_str!("file/air.rs"),
        include_str!("file/body.rs"),
        include_str!("file/material.rs"),
        include_str!("file/object.rs"),
        include_str!("file/platform.rs"),
    );
    let mut keys = 0;
    for line in source.lines() {
        let Some(field) = line.strip_prefix("    pub ") else { continue };
        let Some((name, _)) = field.split_once(':') else { continue };
        let key = if name == "overrides" { "override" } else { name };
        assert!(manual.contains(&format!("`{key}`")), "docs/scenario.md lacks `{key}`");
        keys += 1;
    }
    assert!(keys > 40, "{keys} keys were looked for");
    for (name, _) in crate::world::scene::material::Material::library() {
        assert!(manual.contains(&format!("`{name}`")), "docs/scenario.md lacks material `{name}`");
    }
    for word in understory_cloud::label_names() {
        assert!(manual.contains(&format!("`{word}`")), "docs/scenario.md lacks label `{word}`");
    }
    let mut examples = 0;
    for block in manual.split("```toml\n").skip(1) {
        let example = block.split("```").next().unwrap_or_default();
        if example.contains("version = 1") {
            let scenario = Scenario::from_toml(example, "docs/scenario.md", Path::new("")).unwrap();
            scenario.build_scene().unwrap();
            examples += 1;
        }
    }
    assert!(examples > 0, "the manual has a whole scenario");
}

/// Time that a scenario of `count` tables takes to be checked.
fn seconds_to_check(count: usize, table: impl Fn(usize) -> String) -> f64 {
    let tables: String = (0..count).map(table).collect();
    let text = format!("version = 1\nseed = 1\nduration_s = 0.001\n[world]\n{tables}");
    let start = std::time::Instant::now();
    Scenario::from_toml(&text, "many.toml", Path::new("")).unwrap();
    start.elapsed().as_secs_f64()
}

#[test]
fn many_sensors_take_no_longer_each() {
    let sensor = |index| format!("[[sensor]]\nname = \"s{index}\"\npreset = \"vlp-16\"\n");
    let least = |count| (0..3).map(|_| seconds_to_check(count, sensor)).fold(f64::MAX, f64::min);
    // With the square of their number it would be 64 times as long.
    let ratio = least(1600) / least(200);
    assert!(ratio < 24.0, "eight times as many sensors take {ratio} times as long");
}

#[test]
fn shapes_that_are_alike_share_a_mesh() {
    let object = |index: usize, radius_m: f64| {
        format!(
            "[[world.object]]\nname = \"o{index}\"\nshape = \"sphere\"\nradius_m = {radius_m:?}\n\
             position_m = [{index}.0, 0.0, 0.0]\n"
        )
    };
    let scenario = |objects: String| {
        let sensor = "[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n";
        let text = format!("version = 1\nseed = 1\nduration_s = 0.001\n[world]\n{objects}{sensor}");
        Scenario::from_toml(&text, "alike.toml", Path::new("")).unwrap()
    };
    let triangles = |scenario: &Scenario| {
        let estimate: f64 =
            scenario.estimate().parts.iter().map(|part| part.source_triangles).sum();
        (estimate, scenario.build_scene().unwrap().rays.memory_bytes() as f64)
    };
    let one = triangles(&scenario(object(0, 0.5)));
    let alike = triangles(&scenario((0..20).map(|index| object(index, 0.5)).collect()));
    assert_eq!(alike.0, one.0);
    assert!(alike.1 < 1.5 * one.1, "{alike:?} {one:?}");
    let two = triangles(&scenario(object(0, 0.5) + &object(1, 0.4)));
    assert!(two.0 > one.0 && two.1 > 1.5 * one.1, "{two:?} {one:?}");
}
