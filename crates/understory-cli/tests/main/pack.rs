//! Packs: packed and unpacked give the same bytes, wherever the files come from.

use std::fs;
use std::path::Path;

use glam::{DMat3, DVec3};
use understory_learn::site::{Evidence, Gate, Model, Provenance, Site, Volume};
use understory_learn::volume::Gaussian;
use understory_testing::Python;

use super::support::{WALL, Workplace, assert_refused, text};

/// A scenario that reads every kind of file, from its own folder, from beside it and from a root.
fn large_world(work: &Workplace) {
    for folder in ["scene", "models/other", "mats", "away"] {
        fs::create_dir_all(work.path(folder)).unwrap();
    }
    let obj = |library: &str, x: f64| {
        format!("mtllib {library}\nv {x} -2 0\nv {x} 2 0\nv {x} 0 3\nusemtl Leaf\nf 1 2 3\n")
    };
    work.put("models/board.obj", obj("../mats/board.mtl", 8.0))
        .put("models/other/board.obj", obj("board.mtl", 9.0))
        .put("mats/board.mtl", "newmtl Leaf\nKd 0.1 0.9 0.1\n")
        .put("models/other/board.mtl", "newmtl Leaf\nKd 0.9 0.1 0.1\n");
    let corners: [f32; 9] = [-5.0, 0.0, -1.0, -5.0, 0.0, 1.0, -5.0, 2.5, 0.0];
    let bytes: Vec<u8> = corners.iter().flat_map(|x| x.to_le_bytes()).collect();
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
                      "min":[-5,0,-1],"max":[-5,2.5,1]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "buffers":[{"byteLength":36,"uri":"data%20of/flag.bin"}]}"#;
    fs::create_dir_all(work.path("scene/data of")).unwrap();
    work.put("scene/flag.gltf", gltf).put("scene/data of/flag.bin", bytes);
    work.put("scene/paints.toml", "[[material]]\nname = \"Leaf\"\nreflectance = 0.61\n");
    work.put("scene/copies.csv", "x_m,y_m,z_m\n0,0,0\n-3,4,0\n");
    let heights: Vec<u8> = (0..9).flat_map(|i| (f64::from(i) * 0.01).to_le_bytes()).collect();
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let head = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }");
    npy.extend(head.bytes().chain(heights));
    work.put("away/hills.npy", npy);
    work.put("away/mask.png", understory_testing::picture::grey_png([4, 4], &[255; 16]));
    let shape = DMat3::from_diagonal(DVec3::splat(0.01));
    let volume = Volume::new(&Gaussian::new(DVec3::new(4.0, 4.0, 1.0), shape).unwrap(), 2.0);
    let site = Site {
        origin: DVec3::ZERO,
        model: Model::Likelihood,
        gate: Gate::Ellipsoid { tau: 3.0 },
        cell_m: 0.05,
        evidence: vec![Evidence::default()],
        volumes: vec![volume],
        colours: Vec::new(),
        surface: None,
        provenance: Provenance::default(),
    };
    site.write(&work.path("away/bush.site")).unwrap();
    work.put("away/fern.csv", "time_s,azimuth_deg,elevation_deg\n0,0,0\n0.0005,3,4\n");
    work.put(
        "models/mine.toml",
        "title = 'Mine'\nvendor = 'me'\nwavelength_nm = 905\n\
         [table]\ncycle_s = 0.001\nfile = '../away/fern.csv'\n\
         [beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 1\n\
         divergence_vertical_mrad = 1\n[detector]\nrange_min_m = 1\nrange_max_m = 50\n\
         return_mode = 'first'\nsignal_cutoff_m = 1\n",
    );
    let site = work.path("away/bush.site");
    let scenario = format!(
        r#"version = 1 # kept as it is typed
seed = 3
duration_s = 0.02

[world]
material_files = ["paints.toml"]

[world.terrain]
heightmap = {{ path = "../away/hills.npy", spacing_m = 10.0 }}

[[world.object]]
name = "board"
shape = "mesh"
file = "../models/board.obj"

[[world.object]]
name = "other board"
shape = "mesh"
file = '../models/other/board.obj'
instances_file = "copies.csv"

[[world.object]]
name = "flag"
shape = "mesh"
file = "flag.gltf"

[[world.site]]
name = "bush"
file = {site:?}

[[world.plant]]
name = "grass"
species = "mown-grass"
density_per_m2 = 0.5
area = {{ size_m = [4.0, 4.0] }}
mask = "../away/mask.png"

[[sensor]]
name = "lidar"
preset = "vlp-16"
position_m = [0.0, 0.0, 1.0]

[sensor.override.detector]
range_max_m = 60.0

[[sensor]]
name = "table"
file = "../models/mine.toml"
position_m = [0.0, 0.0, 1.0]

[output]
files = ["points.csv", "points.laz"]
"#
    );
    work.put("scene/large.toml", scenario);
}

fn assert_same_files(a: &Path, b: &Path, names: &[&str]) {
    for name in names {
        let read = |folder: &Path| fs::read(folder.join(name)).unwrap();
        assert!(read(a) == read(b), "{name} differs");
    }
}

#[test]
fn packed_and_unpacked_give_the_same_bytes() {
    let work = Workplace::new();
    large_world(&work);
    work.succeed(&["run", "scene/large.toml", "--out", "plain", "--quiet"]);
    let output = work.succeed(&["pack", "scene/large.toml", "-o", "large.understory"]);
    for entry in [
        "files/1/up/board.obj",
        "files/1/mats/board.mtl",
        "files/2/board.mtl",
        "data of/flag.bin",
        "presets/sensors/vlp-16.toml",
        "presets/plants/mown-grass.toml",
        "bush.site",
        "fern.csv",
    ] {
        assert!(output.contains(entry), "{entry} is not in {output}");
    }
    // Twice the same pack, in another folder and after the clock has gone on.
    fs::create_dir(work.path("again")).unwrap();
    work.succeed(&["pack", "scene/large.toml", "-o", "again/large.understory", "--quiet"]);
    assert_eq!(work.bytes("large.understory"), work.bytes("again/large.understory"));

    // On another machine: none of the files is where it was.
    let elsewhere = Workplace::new();
    elsewhere.put("large.understory", work.bytes("large.understory"));
    fs::remove_dir_all(work.path("models")).unwrap();
    fs::remove_dir_all(work.path("away")).unwrap();
    elsewhere.succeed(&["run", "large.understory", "--quiet"]);
    let names = ["points.csv", "points.laz", "large.png"];
    assert_same_files(&work.path("plain"), &elsewhere.path("out/large"), &names);
    let listed = elsewhere.listing();
    // And the names beside the CSV.
    assert_eq!(listed.len(), 4 + names.len(), "{listed:?}");

    // And from an unpacked folder, which is a scenario like any other.
    elsewhere.succeed(&["unpack", "large.understory", "folder"]);
    fs::rename(elsewhere.path("folder/scenario.toml"), elsewhere.path("folder/large.toml"))
        .unwrap();
    let scenario = text(&elsewhere.bytes("folder/large.toml"));
    assert!(scenario.starts_with("version = 1 # kept as it is typed\n"), "{scenario}");
    elsewhere.succeed(&["run", "folder/large.toml", "--out", "third", "--quiet"]);
    assert_same_files(&work.path("plain"), &elsewhere.path("third"), &names);

    // The other verbs take packs, too.
    assert!(elsewhere.succeed(&["check", "large.understory"]).contains("is valid"));
    assert!(elsewhere.succeed(&["info", "large.understory"]).contains("All checksums agree"));
    elsewhere.succeed(&["trace", "large.understory", "--pulse", "0"]);
    elsewhere.succeed(&["export", "large.understory", "-o", "scene.glb"]);
    // A pack of a pack holds the same.
    fs::create_dir(elsewhere.path("p")).unwrap();
    elsewhere.succeed(&["pack", "large.understory", "-o", "p/large.understory", "--quiet"]);
    elsewhere.succeed(&["run", "p/large.understory", "--out", "fourth", "--quiet"]);
    assert_same_files(&work.path("plain"), &elsewhere.path("fourth"), &names);
}

/// Other people's zip and other people's SHA-256 agree with the manifest.
#[test]
fn python_opens_a_pack_and_its_checksums_agree() {
    let Some(python) = Python::find() else {
        return;
    };
    let work = Workplace::new();
    large_world(&work);
    work.succeed(&["pack", "scene/large.toml", "-o", "large.understory", "--quiet"]);
    let script = "
import hashlib, sys, tomllib, zipfile
pack = zipfile.ZipFile(sys.argv[1])
assert pack.testzip() is None
manifest = tomllib.loads(pack.read('manifest.toml').decode())
assert manifest['format'] == 1 and manifest['seed'] == 3 and manifest['name'] == 'large'
assert sorted(pack.namelist()) == sorted(['manifest.toml'] + [e['name'] for e in manifest['entry']])
for entry in manifest['entry']:
    data = pack.read(entry['name'])
    assert len(data) == entry['bytes'] and hashlib.sha256(data).hexdigest() == entry['sha256'], entry
assert all(info.date_time == (1980, 1, 1, 0, 0, 0) for info in pack.infolist())
assert any(info.compress_type == zipfile.ZIP_DEFLATED for info in pack.infolist())
print(len(manifest['entry']))
";
    let pack = work.path("large.understory");
    let entries = python.run(["-c".as_ref(), script.as_ref(), pack.as_os_str()]);
    assert_eq!(entries.trim(), "16");
}

#[test]
fn a_recorded_run_is_verified_and_a_change_is_named() {
    let work = Workplace::new();
    let scenario = format!("{WALL}\n[output]\nfiles = [\"a.csv\", \"kitti/\"]\n");
    work.put("wall.toml", &scenario);
    work.succeed(&["pack", "wall.toml", "--record", "--quiet"]);
    let output = work.succeed(&["info", "wall.understory"]);
    assert!(output.contains("a.csv") && output.contains("kitti/"), "{output}");
    let output = work.succeed(&["run", "wall.understory", "--verify"]);
    assert!(output.starts_with("verified: "), "{output}");
    // Renamed, with any number of threads, and in formats of one's own.
    fs::rename(work.path("wall.understory"), work.path("b.understory")).unwrap();
    work.succeed(&["run", "b.understory", "--verify", "--threads", "1"]);
    work.succeed(&["pack", "wall.toml", "--record", "--format", "npy", "--no-picture", "--quiet"]);
    let output = work.succeed(&["run", "wall.understory", "--verify"]);
    assert!(output.starts_with("verified: 1 files"), "{output}");
    assert_refused(
        &work.run(&["run", "wall.toml", "--verify"]),
        2,
        &["is no pack", "pack --record"],
    );
    work.succeed(&["pack", "wall.toml", "--quiet"]);
    assert_refused(&work.run(&["run", "wall.understory", "--verify"]), 2, &["no recorded run"]);
    let output = work.run(&["run", "b.understory", "--verify", "--seed", "3"]);
    assert_eq!(output.status.code(), Some(2));

    // Another scenario, or another preset, in a pack whose checksums are right: the digests of the
    // outputs tell, and name what changed.
    let Some(python) = Python::find() else {
        return;
    };
    let script = "
import hashlib, sys, zipfile
name, old, new = sys.argv[3:]
with zipfile.ZipFile(sys.argv[1]) as pack:
    files = {n: pack.read(n) for n in pack.namelist()}
before = files[name]
files[name] = before.replace(old.encode(), new.encode())
assert files[name] != before and len(files[name]) == len(before)
def sha(data): return hashlib.sha256(data).hexdigest().encode()
files['manifest.toml'] = files['manifest.toml'].replace(sha(before), sha(files[name]))
with zipfile.ZipFile(sys.argv[2], 'w') as pack:
    for n, data in files.items(): pack.writestr(n, data)
";
    let change = |name: &str, old: &str, new: &str| {
        let script = ["-c", script, "b.understory", "c.understory", name, old, new];
        python.run_in(&work.path("."), script);
        work.run(&["run", "c.understory", "--verify", "--quiet"])
    };
    let moved = change("scenario.toml", "[10.0, 0.0, 0.0]", "[11.0, 0.0, 0.0]");
    assert_refused(&moved, 1, &["differs", "column range_m", "file a.csv", "file kitti/"]);
    let digest = change("manifest.toml", "range_m = \"", "range_n = \"");
    assert_refused(&digest, 1, &["differs", "column range_n"]);
    let preset =
        change("presets/sensors/vlp-16.toml", "range_quantum_m = 0.002", "range_quantum_m = 0.009");
    assert_refused(&preset, 1, &["differs", "column range_m", "file a.csv"]);
}

#[test]
fn a_pack_that_is_none_is_refused() {
    let work = Workplace::new();
    work.put("wall.toml", WALL).put("none.understory", "no zip");
    for verb in ["run", "check", "info", "unpack"] {
        assert_refused(
            &work.run(&[verb, "none.understory"]),
            2,
            &["none.understory", "no whole pack"],
        );
    }
    assert_refused(&work.run(&["pack", "wall.toml", "-o", "wall.zip"]), 2, &["end in .understory"]);
    work.succeed(&["pack", "wall.toml", "--quiet"]);
    work.succeed(&["unpack", "wall.understory", "x"]);
    assert_refused(&work.run(&["unpack", "wall.understory", "x"]), 2, &["x", "not empty"]);
    let whole = work.bytes("wall.understory");
    let mut altered = whole.clone();
    let at = whole.windows(13).position(|w| w == b"scenario.toml").unwrap();
    altered[at + 20] ^= 0x55;
    work.put("altered.understory", &altered);
    assert_refused(&work.run(&["unpack", "altered.understory"]), 2, &["scenario.toml"]);
    assert!(!work.path("altered").exists());
    for length in [10, whole.len() / 2, whole.len() - 1] {
        work.put("cut.understory", &whole[..length]);
        assert_refused(&work.run(&["run", "cut.understory"]), 2, &["no whole pack"]);
    }
}
