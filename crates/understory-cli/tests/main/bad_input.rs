//! Each bad input gives one sentence with place and remedy, the right exit code, and no output.

use std::process::{Command, Output};

use understory_testing::{Need, skip};

use super::support::{WALL, Workplace, assert_refused, text};

const USAGE: i32 = 2;
const FAILURE: i32 = 1;

/// Runs `WALL` with one text replaced; it must be refused and leave nothing.
fn refused(old: &str, new: &str, code: i32, words: &[&str]) {
    assert!(WALL.contains(old), "{old}");
    let work = Workplace::new();
    work.put("site.toml", WALL.replace(old, new));
    for verb in ["run", "check"] {
        assert_refused(&work.run(&[verb, "site.toml"]), code, words);
    }
    assert_eq!(work.listing(), ["site.toml"]);
}

/// Runs `WALL` with its wall replaced by a mesh file; it must be refused and leave nothing.
fn refused_mesh(name: &str, content: &[u8], words: &[&str]) {
    let work = Workplace::new();
    work.put(name, content).put("site.toml", with_mesh(name));
    for verb in ["run", "check"] {
        assert_refused(&work.run(&[verb, "site.toml"]), FAILURE, &[&[name], words].concat());
    }
    assert_refused(&work.run(&["info", name]), FAILURE, words);
    assert_eq!(work.listing().len(), 2);
}

fn with_mesh(name: &str) -> String {
    let shape = "shape = \"plane\"\nsize_m = [20.0, 20.0]";
    assert!(WALL.contains(shape));
    WALL.replace(shape, &format!("shape = \"mesh\"\nfile = \"{name}\""))
}

#[test]
fn unknown_key() {
    let words = ["site.toml:10", "`siez_m`", "size_m"];
    refused("size_m = ", "siez_m = ", USAGE, &words);
}

#[test]
fn wrong_unit() {
    refused("duration_s = 0.01", "duration_ms = 10", USAGE, &["site.toml:3", "duration_s"]);
}

#[test]
fn wrong_unit_in_a_sensor() {
    let bad = "preset = \"vlp-16\"\n[sensor.override.detector]\nrange_max_mm = 100000.0";
    let words = ["site.toml:18", "range_max_mm", "range_max_m"];
    refused("preset = \"vlp-16\"", bad, USAGE, &words);
}

#[test]
fn text_that_is_no_toml() {
    refused("[world]", "[world", USAGE, &["site.toml:5"]);
}

#[test]
fn missing_mesh() {
    let work = Workplace::new();
    work.put("site.toml", with_mesh("oak.obj"));
    let words = ["site.toml:10", "oak.obj", "correct the path"];
    assert_refused(&work.run(&["run", "site.toml"]), USAGE, &words);
    assert_eq!(work.listing(), ["site.toml"]);
}

#[test]
fn missing_scenario() {
    let work = Workplace::new();
    assert_refused(&work.run(&["run", "no/such.toml"]), USAGE, &["no/such.toml", "check the path"]);
    assert_refused(&work.run(&["run", "demmo"]), USAGE, &["demmo", "\"demo\""]);
    assert_refused(&work.run(&["info", "nothing.laz"]), USAGE, &["nothing.laz"]);
}

#[test]
fn nan_vertex() {
    let mesh = "v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n";
    refused_mesh("oak.obj", mesh.as_bytes(), &["oak.obj:3", "nan 1 0", "finite"]);
}

#[test]
fn index_out_of_range() {
    refused_mesh("oak.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", &["9"]);
}

#[test]
fn empty_mesh() {
    refused_mesh("oak.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", &["no triangles"]);
}

#[test]
fn truncated_mesh() {
    let mut stl = vec![0; 80];
    stl.extend(100_u32.to_le_bytes());
    stl.extend([0; 150]);
    refused_mesh("oak.stl", &stl, &["100"]);
}

#[test]
fn mesh_header_that_promises_a_million_million_vertices() {
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 1000000000000\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    refused_mesh("oak.ply", ply.as_bytes(), &["1000000000000"]);
}

#[test]
fn zero_scale_instance() {
    let bad = "rotation_deg = [0.0, -90.0, 0.0]\ninstances = [{ scale = [1.0, 0.0, 1.0] }]";
    refused("rotation_deg = [0.0, -90.0, 0.0]", bad, USAGE, &["site.toml:13", "scale", "0"]);
}

#[test]
fn negative_divergence() {
    let bad = "preset = \"vlp-16\"\n[sensor.override.beam]\ndivergence_vertical_mrad = -1.0";
    refused("preset = \"vlp-16\"", bad, USAGE, &["site.toml:18", "divergence_vertical_mrad", "-1"]);
}

#[test]
fn range_min_above_range_max() {
    let bad = "preset = \"vlp-16\"\n[sensor.override.detector]\nrange_min_m = 200.0";
    let words = ["site.toml:18", "range_min_m", "range_max_m"];
    refused("preset = \"vlp-16\"", bad, USAGE, &words);
}

#[test]
fn mistakes_on_the_command_line() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let refused = |arguments: &[&str], words: &[&str]| {
        assert_refused(&work.run(arguments), USAGE, words);
    };
    refused(&["frobnicate"], &["frobnicate", "--help"]);
    refused(&["run"], &["not provided: <SCENARIO>; see"]);
    refused(&["info", "site.xyz"], &["site.xyz"]);
    refused(&["run", "site.toml", "--interval", "3..1"], &["--interval", "0.5..2"]);
    refused(&["run", "site.toml", "--interval", "0..9"], &["--interval", "0.01 s"]);
    refused(&["run", "site.toml", "--threads", "0"], &["--threads"]);
    refused(&["run", "site.toml", "--format", "xyz"], &["xyz", "laz"]);
    refused(&["trace", "site.toml", "--pulse", "123456789"], &["123456789", "pulses"]);
    refused(&["trace", "site.toml", "--pulse", "1", "--sensor", "roof"], &["roof", "lidar"]);
    refused(&["sensors", "vlp-17"], &["vlp-16"]);
    refused(&["scenarios", "demmo"], &["demo"]);
    assert_eq!(work.listing(), ["site.toml"]);
}

#[test]
fn unwritable_output() {
    let work = Workplace::new();
    work.put("site.toml", WALL).put("taken", "a file");
    for out in ["taken", "taken/deeper"] {
        let output = work.run(&["run", "site.toml", "--out", out]);
        assert_refused(&output, FAILURE, &["cannot write", out]);
    }
    let output = work.run(&["run", "site.toml", "--json", "no/such/folder.json"]);
    assert_refused(&output, FAILURE, &["no/such/folder.json"]);
    assert!(!text(&output.stderr).contains("partial"), "{}", text(&output.stderr));
    assert_eq!(work.listing(), ["site.toml", "taken"]);
}

#[test]
fn an_output_that_is_a_folder() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    for name in ["out/site/site.laz", "out/site/site.png"] {
        std::fs::create_dir_all(work.path(name)).unwrap();
        let output = work.run(&["run", "site.toml"]);
        assert_refused(&output, FAILURE, &[name]);
        std::fs::remove_dir(work.path(name)).unwrap();
    }
    assert_eq!(work.listing(), ["out", "out/site", "site.toml"]);
}

/// A limit on the size of files refuses writes as a full disk does.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let program = env!("CARGO_BIN_EXE_understory");
    for format in ["las", "laz", "ply", "pcd", "csv", "npy", "kitti"] {
        let script =
            format!("trap '' XFSZ; ulimit -f 1; {program} run site.toml --format {format}");
        let mut bash = Command::new("bash");
        let output = bash.arg("-c").arg(script).current_dir(work.path("")).output().unwrap();
        assert_refused(&output, FAILURE, &["cannot write"]);
        assert_eq!(work.listing(), ["site.toml"], "{format}");
    }
}

/// A disk of 64 kB; only root may mount one.
#[cfg(target_os = "linux")]
#[test]
fn full_disk() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let disk = work.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = |program: &str, arguments: &[&str]| -> Option<Output> {
        let output = Command::new(program).args(arguments).arg(&disk).output().ok()?;
        output.status.success().then_some(output)
    };
    if mount("mount", &["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).is_none() {
        let why = "no right to mount a small disk; a_file_that_may_not_grow stands in";
        skip(Need::Rights, why);
        return;
    }
    let output = work.run(&["run", "site.toml", "--out", "disk/out", "--format", "csv"]);
    let left = std::fs::read_dir(&disk).unwrap().count();
    mount("umount", &[]).unwrap();
    // The estimate says so before anything is written; a file that may not grow is a test of its own.
    assert_refused(&output, FAILURE, &["has room for", "make room"]);
    assert_eq!(left, 0);
}

#[cfg(unix)]
#[test]
fn a_full_device_as_stdout_or_json_file() {
    use std::os::unix::fs::FileTypeExt;
    let work = Workplace::new();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = work.command(&["sensors"]).stdout(full()).output().unwrap();
    assert_refused(&output, FAILURE, &["cannot write to stdout"]);
    let output = work.run(&["sensors", "--json", "/dev/full"]);
    assert_refused(&output, FAILURE, &["/dev/full"]);
    let kind = std::fs::metadata("/dev/full").unwrap().file_type();
    assert!(kind.is_char_device(), "the device was replaced");
}

#[cfg(unix)]
#[test]
fn a_reader_that_went_away_is_no_error() {
    let work = Workplace::new();
    for arguments in [&["sensors"][..], &["scenarios", "demo"], &["--help"], &["run", "--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = work.command(arguments).stdout(writer).output().unwrap();
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert!(output.status.success(), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing() {
    use std::process::Stdio;
    let work = Workplace::new();
    work.put("site.toml", WALL.replace("duration_s = 0.01", "duration_s = 300.0"));
    let mut command = work.command(&["run", "site.toml", "--no-picture", "--no-resume"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = std::time::Instant::now();
    while !work.listing().iter().any(|name| name.contains("partial")) {
        assert!(start.elapsed().as_secs() < 60, "no output was begun");
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = child.wait_with_output().unwrap();
    assert_refused(&output, FAILURE, &["stopped"]);
    assert_eq!(work.listing(), ["site.toml"]);
}

/// Refused by the estimate, before anything is grown: exit code 2, and at once.
#[test]
fn a_scene_larger_than_the_memory_that_it_may_have() {
    let plant = "[[world.plant]]\nname = \"grass\"\nspecies = \"mown-grass\"\ntiles = true\n\
                 override = { size_x_m = 10.0, size_y_m = 10.0 }\n\
                 area = { size_m = [100.0, 100.0] }\n\n[[sensor]]";
    let work = Workplace::new();
    work.put("site.toml", WALL.replacen("[[sensor]]", plant, 1));
    for verb in ["run", "check"] {
        let refused = work.run(&[verb, "site.toml", "--max-memory", "0.5GB"]);
        let words = ["site.toml:", "\"grass\" alone needs", "500 MB", "--max-memory"];
        assert_refused(&refused, USAGE, &words);
        let refused = work.run(&[verb, "site.toml", "--max-memory", "plenty"]);
        assert_refused(&refused, USAGE, &["such as 4GB"]);
    }
    assert_eq!(work.listing(), ["site.toml"]);
}

/// A mesh below `models` that names a file above: a library costs its colours, which is said; what
/// rays meet cannot be done without. One sentence for both, with file and remedy.
#[test]
fn what_a_mesh_names_outside_its_folder() {
    let work = Workplace::new();
    std::fs::create_dir(work.path("models")).unwrap();
    let obj = "mtllib ../a.mtl missing.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 1\nusemtl a\nf 1 2 3\n";
    work.put("a.mtl", "newmtl a\nKd 1 0 0\n").put("models/a.obj", obj);
    work.put("a.toml", with_mesh("models/a.obj"));
    let done = work.run(&["check", "a.toml"]);
    let said = text(&done.stderr);
    assert!(done.status.success(), "{said}");
    let remedy = "; copy that file into the mesh's folder and name it without a path";
    let lost = "; until then its materials are read without the colours of that library";
    for problem in ["../a.mtl, lies outside its folder", "missing.mtl, is not there"] {
        let sentence = format!("models/a.obj: its material library, {problem}{remedy}{lost}");
        assert!(said.contains(&sentence), "{sentence:?} is not in: {said}");
    }
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "buffers":[{"byteLength":60,"uri":"BUFFER"}],"bufferViews":[{"buffer":0,"byteLength":36},
        {"buffer":0,"byteOffset":36,"byteLength":24}],"accessors":[{"bufferView":0,"componentType":5126,
        "count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},{"bufferView":1,"componentType":5126,
        "count":3,"type":"VEC2"}],"images":[{"uri":"IMAGE"}],"textures":[{"source":0}],
        "materials":[{"alphaMode":"MASK","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"material":0}]}]}"#;
    let corners = [0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 1.];
    let bytes: Vec<u8> = corners.into_iter().flat_map(f32::to_le_bytes).collect();
    work.put("a.bin", &bytes).put("models/a.bin", &bytes).put("leaf.png", b"no png");
    work.put("b.toml", with_mesh("models/a.gltf"));
    for (buffer, image, what) in [
        ("a.bin", "../leaf.png", "its image 0, the holes of a masked material, ../leaf.png"),
        ("../a.bin", "leaf.png", "its buffer 0, ../a.bin"),
    ] {
        work.put("models/a.gltf", gltf.replace("BUFFER", buffer).replace("IMAGE", image));
        let sentence = format!("models/a.gltf: {what}, lies outside its folder{remedy}");
        for verb in ["run", "check"] {
            assert_refused(&work.run(&[verb, "b.toml"]), FAILURE, &[&sentence]);
        }
    }
}

/// A terrain on a map of which nobody knows the system: it is used, and the lack of one is said.
#[test]
fn a_geotiff_without_a_system() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../understory-plants/src/terrain/tests/data");
    let mut file = std::fs::read(format!("{data}/gdal_tiled_deflate_f32.tif")).unwrap();
    let work = Workplace::new();
    let world = "version = 1\nseed = 1\nduration_s = 0.1\n[world]\n#CRS\n[world.terrain]\n\
                 heightmap = { path = \"a.tif\", holes = \"fill\" }\n[[sensor]]\nname = \"a\"\n\
                 preset = \"vlp-16\"\n[platform]\nposition_m = [500009.0, 5399995.0, 200.0]\n";
    let said = |file: &[u8], crs: &str| {
        work.put("a.tif", file).put("a.toml", world.replace("#CRS", crs));
        let done = work.run(&["check", "a.toml"]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        text(&done.stderr)
    };
    assert_eq!(said(&file, ""), "");
    // The directory of geographic keys, tag 34735 of 16-bit numbers, under a number without meaning.
    let at = file.windows(4).position(|window| window == [0xaf, 0x87, 3, 0]).unwrap();
    file[at..at + 2].copy_from_slice(&34_734u16.to_le_bytes());
    let none = said(&file, "");
    let sentence = "a.toml:6: a.tif names no coordinate reference system, so that files of points \
                    will have none; give it as `crs` in [world], as \"EPSG:25832\" or the like";
    assert!(none.contains(sentence), "{none}");
    assert_eq!(said(&file, "crs = \"EPSG:32632\""), "");
}
