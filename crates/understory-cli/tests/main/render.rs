//! Pictures, depth maps and exported meshes, and what other programs read in them.

use understory_testing::Python;
use understory_testing::picture::Pixels;

use super::support::{WALL, Workplace, text};

#[test]
fn render_draws_a_picture_and_measures_depth() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let output = work.succeed(&["render", "site.toml", "--size", "64x48"]);
    assert!(output.contains("out/site/site-camera.png"), "{output}");
    let picture = Pixels::from_png(&work.bytes("out/site/site-camera.png"));
    assert_eq!(picture.size, [64, 48]);
    let view = ["--camera", "0,0,0", "--rpy", "0,0,0", "--size", "5x3", "--fov", "50"];
    for file in ["depth.npy", "depth.exr"] {
        let all = [&["render", "site.toml", "--depth", file, "--depth-kind", "z"], &view[..]];
        work.succeed(&all.concat());
    }
    // 15 values of a wall 10 m away, behind a header of 128 bytes.
    let npy = work.bytes("depth.npy");
    let values: Vec<f32> =
        npy[128..].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(values.len(), 15);
    assert!(values.iter().all(|value| (value - 10.0).abs() < 1e-5), "{values:?}");
}

#[test]
fn the_same_picture_for_any_number_of_threads() {
    let work = Workplace::new();
    let draw = |threads: &str, name: &str| {
        let file = ["--out", name, "--threads", threads];
        work.succeed(&[&["render", "first-scan", "--size", "90x50"], &file[..]].concat());
        work.bytes(name)
    };
    assert_eq!(draw("1", "one.png"), draw("3", "three.png"));
}

#[test]
fn export_can_be_scanned_again() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    for name in ["wall.glb", "wall.gltf", "wall.obj"] {
        let output = work.succeed(&["export", "site.toml", "-o", name]);
        assert!(output.contains(name), "{output}");
        let shape = "shape = \"plane\"\nsize_m = [20.0, 20.0]\nposition_m = [10.0, 0.0, 0.0]\nrotation_deg = [0.0, -90.0, 0.0]";
        let again = WALL.replace(shape, &format!("shape = \"mesh\"\nfile = \"{name}\""));
        assert_ne!(again, WALL);
        work.put("again.toml", again);
        let depth = |scenario: &str| {
            let view = ["--camera", "0,0,0", "--rpy", "0,3,5", "--size", "8x8"];
            work.succeed(&[&["render", scenario, "--depth", "d.npy"], &view[..]].concat());
            work.bytes("d.npy")
        };
        let (here, there) = (depth("site.toml"), depth("again.toml"));
        for (a, b) in here[128..].chunks(4).zip(there[128..].chunks(4)) {
            let [a, b] = [a, b].map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
            assert!((a / b - 1.0).abs() < 1e-6, "{a} and {b}");
        }
    }
}

#[test]
fn impossible_pictures_and_exports_are_refused() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let cases: [(&[&str], &str); 13] = [
        (&["render", "site.toml", "--size", "0x10"], "0 × 10"),
        (&["render", "site.toml", "--size", "10x40000"], "32768"),
        (&["render", "site.toml", "--size", "32768x32768"], "GiB"),
        (&["render", "site.toml", "--size", "big"], "1280x720"),
        (&["render", "site.toml", "--fov", "180"], "field of view"),
        (&["render", "site.toml", "--fov", "-5"], "field of view"),
        (&["render", "site.toml", "--camera", "1,2,3", "--look-at", "1,2,3"], "looks at"),
        (&["render", "site.toml", "--camera", "1,2"], "3 numbers"),
        (&["render", "site.toml", "--samples", "0"], "samples"),
        (&["render", "site.toml", "--sun", "0,100"], "elevation"),
        (&["render", "site.toml", "--depth", "d.jpg"], ".exr or .npy"),
        (&["render", "site.toml", "--out", "a.jpg"], ".png"),
        (&["export", "site.toml", "-o", "wall.fbx"], ".glb, .gltf or .obj"),
    ];
    for (arguments, word) in cases {
        let output = work.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(word) && message.trim_end().lines().count() == 1, "{message}");
    }
    let left: Vec<_> = work.path(".").read_dir().unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// Read by the library of those who made the format, by numpy and by trimesh.
#[test]
fn other_programs_read_the_files() {
    let Some(python) = Python::find() else {
        return;
    };
    let work = Workplace::new();
    let view = ["--camera", "0,0,1.5", "--rpy", "0,10,0", "--size", "37x21"];
    for file in ["depth.npy", "depth.exr"] {
        work.succeed(&[&["render", "first-scan", "--depth", file], &view[..]].concat());
    }
    work.succeed(&["export", "first-scan", "-o", "room.glb"]);
    let script = r#"
import numpy, OpenEXR, trimesh
npy = numpy.load("depth.npy")
assert npy.shape == (21, 37) and npy.dtype == numpy.float32, (npy.shape, npy.dtype)
channels = OpenEXR.File("depth.exr").channels()
assert list(channels) == ["Z"], list(channels)
exr = channels["Z"].pixels
assert exr.dtype == numpy.float32 and numpy.array_equal(exr, npy)
room = trimesh.load("room.glb")
low, high = room.bounds
# y up: walls from -4.2 to 4.2 along x, 2.8 high, 6.4 across.
assert numpy.allclose(low, [-4.2, 0, -3.2], atol=1e-3), low
assert numpy.allclose(high, [4.2, 2.8, 3.2], atol=1e-3), high
"#;
    python.run_in(&work.path("."), ["-c", script]);
}
