use crate::Error;
use crate::scenario::Scenario;
use crate::world::scene::Scene;
use glam::{DAffine3, DVec3};
use std::f64::consts::FRAC_PI_2;
use std::path::Path;

const REST: &str = "[[sensor]]\nname = \"lidar\"\npreset = \"vlp-16\"\n";

fn scenario(object: &str, folder: &Path) -> Result<Scenario, Error> {
    let text = format!(
        "version = 1\nseed = 1\nduration_s = 1.0\n[world]\n[[world.object]]\nname = \"it\"\n\
         {object}\n{REST}"
    );
    Scenario::from_toml(&text, "a.toml", folder)
}

fn scene(object: &str, folder: &Path) -> Scene {
    scenario(object, folder).unwrap().build_scene().unwrap()
}

/// A triangle on a node that turns about y (up in glTF) by 90° in 2 s and has a still one beside it.
fn gltf() -> String {
    let numbers: [f32; 9 + 2 + 8] = [
        1.0,
        0.0,
        0.0,
        1.0,
        0.5,
        0.0,
        1.5,
        0.0,
        0.0,
        0.0,
        2.0,
        0.0,
        0.0,
        0.0,
        1.0,
        0.0,
        (FRAC_PI_2 / 2.0).sin() as f32,
        0.0,
        (FRAC_PI_2 / 2.0).cos() as f32,
    ];
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let base64: String = bytes
        .chunks(3)
        .flat_map(|chunk| {
            let bits = (0..3).fold(0u32, |b, i| b << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
            (0..=chunk.len()).map(move |i| LETTERS[(bits >> (18 - 6 * i) & 63) as usize] as char)
        })
        .collect();
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,1]}}],
        "nodes":[{{"mesh":0,"name":"arm"}},{{"mesh":0,"translation":[0,3,0]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "animations":[{{"name":"Turn","channels":[{{"sampler":0,"target":{{"node":0,
        "path":"rotation"}}}}],"samplers":[{{"input":1,"output":2}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
        "min":[1,0,0],"max":[1.5,0.5,0]}},
        {{"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR"}},
        {{"bufferView":2,"componentType":5126,"count":2,"type":"VEC4"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":8}},
        {{"buffer":0,"byteOffset":44,"byteLength":32}}],
        "buffers":[{{"byteLength":76,"uri":"data:;base64,{base64}"}}]}}"#
    )
}

#[test]
fn an_animated_mesh_moves_where_its_copies_stand() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.gltf"), gltf()).unwrap();
    let object = "shape = \"mesh\"\nfile = \"a.gltf\"\nanimation = \"Turn\"\n\
                  animation_repeat = \"hold\"\nanimation_speed = 2.0\nanimation_start_s = 0.5\n\
                  position_m = [10.0, 0.0, 0.0]\nrotation_deg = [0.0, 0.0, 90.0]\nscale = 2.0";
    let scene = scene(object, folder.path());
    assert_eq!((scene.movers().len(), scene.rays.instance_count()), (1, 2));
    // It turns about z here: from x to y by 90° between 0.5 and 1.5 s; the copy is twice as large,
    // turned by 90° and stands at x = 10.
    let mover = &scene.movers()[0];
    for (time_s, turned) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.5), (1.5, 1.0), (9.0, 1.0)] {
        let angle = FRAC_PI_2 * turned + FRAC_PI_2;
        let wanted = DVec3::new(10.0 + 2.0 * angle.cos(), 2.0 * angle.sin(), 0.0);
        let placed = mover.world_from_mesh(time_s).transform_point3(DVec3::X);
        assert!(placed.distance(wanted) < 1e-4, "{time_s}: {placed} {wanted}");
    }
    // On a body that moves.
    let moving = format!(
        "{object}\n[world.object.motion]\nkeyframes = [{{ time_s = 0.0 }}, \
         {{ time_s = 1.0, position_m = [0.0, 0.0, 4.0] }}]"
    );
    let moving = self::scene(&moving, folder.path());
    assert_eq!(moving.movers().len(), 2);
    for mover in moving.movers() {
        let up = |time_s| mover.world_from_mesh(time_s).translation.z;
        assert!((up(1.0) - up(0.0) - 4.0).abs() < 1e-9);
    }
}

#[test]
fn bad_animations_and_persons_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.gltf"), gltf()).unwrap();
    std::fs::write(folder.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let mesh = "shape = \"mesh\"\nfile = \"a.gltf\"\n";
    for (object, words) in [
        (format!("{mesh}animation = 3"), "name of one, or true"),
        (format!("{mesh}animation_speed = 2.0"), "no `animation`"),
        (format!("{mesh}animation = true\nanimation_speed = 0.0"), "`animation_speed` is 0"),
        (format!("{mesh}animation = true\npose_error_m = -1.0"), "`pose_error_m` is -1"),
        (format!("{mesh}animation = true\nscale = [1.0, 1.0, 2.0]"), "stretched or mirrored"),
        (format!("{mesh}animation = true\nanimation_repeat = \"lop\""), "did you mean \"loop\""),
        ("shape = \"mesh\"\nfile = \"a.obj\"\nanimation = true".into(), "ends in .obj"),
        ("shape = \"box\"\nsize_m = [1.0, 1.0, 1.0]\nanimation = true".into(), "no `animation`"),
        ("shape = \"person\"\nheight_m = 9.0".into(), "`height_m` is 9"),
        ("shape = \"person\"\nradius_m = 1.0".into(), "a person has no `radius_m`"),
        ("shape = \"person\"\nscale = [1.0, -1.0, 1.0]".into(), "stretched or mirrored"),
    ] {
        let error = scenario(&object, folder.path()).unwrap_err().to_string();
        assert!(error.contains(words) && error.starts_with("a.toml:"), "{words:?}: {error}");
    }
    let unknown = scenario(&format!("{mesh}animation = \"Trun\""), folder.path()).unwrap();
    let error = unknown.build_scene().err().unwrap().to_string();
    assert!(error.contains("did you mean \"Turn\""), "{error}");
}

#[test]
fn persons_stand_or_walk() {
    let folder = Path::new("nowhere");
    let standing = scene("shape = \"person\"\nposition_m = [5.0, 0.0, 0.0]", folder);
    assert_eq!((standing.movers().len(), standing.rays.instance_count()), (0, 12));
    let (low, high) = standing.objects()[0].world_bounds(0.0).unwrap();
    assert!(low.z.abs() < 0.003 && (high.z - 1.75).abs() < 0.01, "{low} {high}");
    assert_eq!(standing.objects()[0].label, 30);
    let walking = scene(
        "shape = \"person\"\nheight_m = 1.6\n[world.object.motion]\nkeyframes = [\
         { time_s = 0.0 }, { time_s = 10.0, position_m = [12.0, 0.0, 0.0] }]",
        folder,
    );
    assert_eq!(walking.movers().len(), 12);
    // Thigh and shin of the left leg keep their joint on the way through the world.
    let at =
        |part: usize, time_s: f64| -> DAffine3 { walking.movers()[part].world_from_mesh(time_s) };
    for step in 0..100 {
        let time_s = 0.1 * f64::from(step) + 0.003;
        let knee = at(2, time_s).transform_point3(DVec3::NEG_Z * 0.245 * 1.6);
        assert!(knee.distance(at(3, time_s).translation) < 1e-3);
    }
}
