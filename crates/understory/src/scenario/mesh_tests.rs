//! Users' meshes in scenarios: as objects by their nodes, with holes, and strewn on the ground.

use super::*;
use crate::run::{RunOptions, run};
use crate::world::scene::mesh_file::gltf_draft::{GltfDraft, chess_png};
use glam::{DVec3, Vec3};
use serde_json::json;
use understory_cloud::{MemorySink, Records};
use understory_geometry::InstanceId;

const SENSOR: &str = "[[sensor]]\nname = \"lidar\"\npreset = \"vlp-16\"\n";

/// A box of 2 × 1 × 0.5 m whose origin is 0.1 m above its lowest corner.
const BOX: &str = "v -1 -0.5 -0.1\nv 1 -0.5 -0.1\nv 1 0.5 -0.1\nv -1 0.5 -0.1\n\
                   v -1 -0.5 0.4\nv 1 -0.5 0.4\nv 1 0.5 0.4\nv -1 0.5 0.4\n\
                   f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("box.obj"), BOX).unwrap();
        std::fs::write(folder.path().join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            .unwrap();
        std::fs::write(folder.path().join("empty.obj"), "v 0 0 0\n").unwrap();
        Folder(folder)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> &Folder {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
        self
    }

    fn read(&self, world: &str) -> Result<Scenario, Error> {
        let text = format!("version = 1\nseed = 5\nduration_s = 0.1\n{world}\n{SENSOR}");
        Scenario::from_toml(&text, "a.toml", self.0.path())
    }

    fn scene(&self, world: &str) -> Scene {
        self.read(world).unwrap().build_scene().unwrap()
    }

    fn refusal(&self, world: &str) -> String {
        let error = match self.read(world) {
            Ok(scenario) => scenario.build_scene().map(drop).unwrap_err(),
            Err(error) => error,
        };
        error.to_string()
    }

    fn rows(&self, world: &str) -> Records {
        let memory = MemorySink::default();
        let prepared = self.read(world).unwrap().prepare().unwrap();
        let sink = Box::new(memory.clone());
        run(&prepared, &RunOptions::default(), sink, &understory_base::Silent).unwrap();
        memory.take_records()
    }
}

fn names(scene: &Scene) -> Vec<(&str, u16)> {
    scene.objects().iter().map(|object| (object.name.as_str(), object.label)).collect()
}

/// A square of 8 × 8 m with a chess board of 8 × 8 fields, upright in the plane y = 0 of the file.
fn chess_board() -> GltfDraft {
    let mut draft = GltfDraft::new();
    let view = draft.view(&chess_png(8, png::BitDepth::Eight));
    let source = json!({ "bufferView": view, "mimeType": "image/png" });
    let material = draft.masked(source, json!({ "magFilter": 9728, "minFilter": 9728 }));
    let mesh = draft.square(8.0, 1.0, Some(material));
    draft.root(json!({ "mesh": mesh, "name": "board" }));
    draft
}

/// Fields of 1 m: opaque from the upper left corner on. None near an edge of a field.
fn opaque(across: f64, up: f64) -> Option<bool> {
    let (i, j) = (across + 4.0, 4.0 - up);
    let near = |x: f64| (x - x.round()).abs() < 0.02;
    (!near(i) && !near(j)).then(|| (i.floor() + j.floor()).rem_euclid(2.0) == 0.0)
}

#[test]
fn half_of_all_light_passes_a_chess_board() {
    let folder = Folder::new();
    folder.put("board.glb", &chess_board().glb());
    // The sensor at the origin looks at a board 5 m before it and a wall 1 m behind that.
    let world = "[world]\n[[world.object]]\nname = \"board\"\nshape = \"mesh\"\n\
        file = \"board.glb\"\nmaterial = \"leaf\"\nposition_m = [0.0, 5.0, 0.0]\n\
        [[world.object]]\nname = \"wall\"\nshape = \"box\"\nsize_m = [40.0, 0.1, 40.0]\n\
        position_m = [0.0, 6.0, -20.0]";
    let scene = folder.scene(world);
    let (mut asked, mut passed) = (0u32, 0u32);
    for i in 0..4000 {
        // A lattice of equal shares (Roberts 2018).
        let [a, b] = [0.754_877_666_246_693, 0.569_840_290_998_053]
            .map(|step| (f64::from(i) * step).fract() * 7.8 - 3.9);
        let to = DVec3::new(a, 5.0, b);
        let hit = scene.rays.trace_ray(DVec3::ZERO, to.normalize().as_vec3(), 99.0).unwrap();
        let Some(opaque) = opaque(a, b) else { continue };
        assert_eq!(scene.object_of(hit.instance) == 1, opaque, "{to}");
        asked += 1;
        passed += u32::from(!opaque);
    }
    let share = f64::from(passed) / f64::from(asked);
    assert!((share - 0.5).abs() < 0.01 && asked > 3500, "{share} of {asked}");

    // The simulation, whose beams are several sub-rays: what is met in the middle of a field is
    // there, and what passes is met on the wall.
    let rows = folder.rows(world);
    let (mut on_board, mut on_wall) = (0, 0);
    for row in 0..rows.range_m.len() {
        let met = DVec3::from(rows.true_xyz_m[row]);
        if rows.return_number[row] == 0 || met.y < 4.0 {
            continue;
        }
        let at_board = met * (5.0 / met.y);
        if at_board.x.abs() > 3.9 {
            continue;
        }
        // VLP-16's spot is 3 mrad wide: clear of edges by 5 cm all of it is in one field.
        let (i, j) = (at_board.x + 4.0, 4.0 - at_board.z);
        let near = |x: f64| (x - x.round()).abs() < 0.05;
        if near(i) || near(j) {
            continue;
        }
        let field = (i.floor() + j.floor()).rem_euclid(2.0) == 0.0;
        assert_eq!(rows.object[row] == 1, field, "{met}");
        on_board += u32::from(field);
        on_wall += u32::from(!field);
    }
    assert!(on_board > 100 && on_wall > 100, "{on_board} {on_wall}");
}

/// Two nodes with a mesh, one of them labelled by the file.
fn cart() -> GltfDraft {
    let mut draft = GltfDraft::new();
    let mesh = draft.square(1.0, 1.0, None);
    draft.root(json!({ "mesh": mesh, "name": "Car body", "extras": { "label": "truck" } }));
    draft.root(json!({ "mesh": mesh, "name": "Load", "translation": [0, 0, 2] }));
    draft
}

#[test]
fn nodes_of_a_file_are_objects() {
    let folder = Folder::new();
    folder.put("cart.glb", &cart().glb());
    let object = "[[world.object]]\nname = \"cart\"\nshape = \"mesh\"\nfile = \"cart.glb\"\n\
                  label = 99\nmaterial = \"wood\"\n";
    let with = |more: &str| folder.scene(&format!("{object}{more}"));
    assert_eq!(names(&with("")), [("cart/Car body", 18), ("cart/Load", 99)]);
    let labels = "labels = { \"Car*\" = \"car\", \"L?ad\" = 7, \"*\" = 3 }\n";
    assert_eq!(names(&with(labels)), [("cart/Car body", 10), ("cart/Load", 7)]);
    assert_eq!(names(&with("one_object = true\n")), [("cart", 99)]);
    assert_eq!(names(&with("split_nodes = false\n")), [("cart", 99)]);
    let copies = "instances = [{}, { position_m = [9.0, 0.0, 0.0] }]\n";
    assert_eq!(
        names(&with(copies)).iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["cart#1/Car body", "cart#1/Load", "cart#2/Car body", "cart#2/Load"]
    );
    let shared = with(&format!("{copies}one_object = true\nsplit_nodes = true\n"));
    assert_eq!(names(&shared), [("cart/Car body", 18), ("cart/Load", 99)]);
    assert_eq!(shared.rays.instance_count(), 4);
    // All parts follow the keyframes of the object.
    let moving = with(
        "[world.object.motion]\nkeyframes = [{ time_s = 0.0 }, { time_s = 1.0, position_m = [4.0, 0.0, 0.0] }]\n",
    );
    assert!(moving.objects().iter().all(|object| object.motion.is_some()));
    assert_eq!(moving.objects()[1].bounds.0.y, -2.0);

    let refusal = |more: &str| folder.refusal(&format!("{object}{more}"));
    assert!(refusal("labels = { \"Cra*\" = 3 }\n").contains("\"Cra*\""));
    assert!(refusal("labels = { \"Car*\" = \"carr\" }\n").contains("\"carr\""));
    assert!(refusal("labels = { \"*\" = 3 }\none_object = true\n").contains("one object"));
    assert!(refusal("split_nodes = true\nbody = { mass_kg = 3.0 }\n").contains("one object"));
    let obj = object.replace("cart.glb", "box.obj");
    assert!(folder.refusal(&format!("{obj}split_nodes = true\n")).contains("only glTF"));
}

#[test]
fn animated_nodes_are_objects_that_move() {
    let folder = Folder::new();
    let mut draft = cart();
    let times = draft.floats(&[[0.0f32], [2.0]]);
    let moves = draft.floats(&[[0.0f32, 0.0, 2.0], [6.0, 0.0, 2.0]]);
    draft.push(
        "animations",
        json!({
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "translation" } }],
            "samplers": [{ "input": times, "output": moves }],
        }),
    );
    folder.put("cart.glb", &draft.glb());
    let object = "[[world.object]]\nname = \"cart\"\nshape = \"mesh\"\nfile = \"cart.glb\"\n\
                  material = \"wood\"\nanimation = true\nposition_m = [0.0, 0.0, 10.0]\n";
    let scene = folder.scene(object);
    assert_eq!(names(&scene), [("cart/Car body", 18), ("cart/Load", 0)]);
    assert!(scene.objects()[0].motion.is_none());
    // 3 m/s along x; what is 2 m along the file's z is at y = −2.
    let motion = scene.objects()[1].motion.as_ref().unwrap();
    let at = motion.pose_at(1.0).translation;
    assert!(at.distance(DVec3::new(3.0, -2.0, 10.0)) < 1e-4, "{at}");
    let found = object_tracks::selected(&scene, &[]).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].name, "cart/Load");
    // As one object the track is that of a part.
    let one = folder.scene(&format!("{object}split_nodes = false\n"));
    assert_eq!(names(&one), [("cart", 0)]);
    assert!(one.objects()[0].motion.is_none() && one.movers()[0].part.is_some());
}

const SLOPE: &str = "[world.terrain]\n\
    plane = { size_m = [60.0, 60.0], spacing_m = 1.0 }\n\
    features = [{ kind = \"slope\", slope_deg = 20.0 }]\n";

/// Lowest and highest point of an instance of the box, and its upward direction.
fn stands(scene: &Scene, instance: u32) -> ([DVec3; 8], DVec3) {
    let (mesh, place) = scene.rays.instance(InstanceId(instance)).unwrap();
    let mut corners: Vec<DVec3> = Vec::new();
    for corner in scene.rays.triangle_corners(mesh).as_flattened() {
        let corner = place.transform_point3(corner.as_dvec3());
        if corners.iter().all(|known| known.distance(corner) > 1e-3) {
            corners.push(corner);
        }
    }
    (corners.try_into().unwrap(), place.matrix3.z_axis.normalize())
}

#[test]
fn a_mesh_is_strewn_by_the_rules_of_plants() {
    let folder = Folder::new();
    let thing =
        "[[world.ground_object]]\nname = \"crate\"\nfile = \"box.obj\"\nmaterial = \"wood\"\n";
    let area = "area = { size_m = [40.0, 40.0] }\n";
    let mask = {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[255, 0]).unwrap();
        bytes
    };
    folder.put("mask.png", &mask).put("places.csv", b"x_m,y_m,z_m\n1,2,0\n-3,4,0.5\n");
    let count = |rule: &str| {
        let scene = folder.scene(&format!("{SLOPE}{thing}{rule}"));
        assert!(scene.objects().iter().skip(1).all(|object| object.name.starts_with("crate")));
        assert!(scene.objects().iter().skip(1).all(|object| object.label == 99));
        scene
    };
    assert_eq!(count(&format!("count = 20\n{area}")).objects().len(), 21);
    assert_eq!(count(&format!("count = 20\nspacing_m = 4.0\n{area}")).objects().len(), 21);
    assert_eq!(
        count("rows = { spacing_m = 10.0, in_row_m = 5.0 }\narea = { size_m = [40.0, 40.0] }\n")
            .objects()
            .len(),
        1 + 5 * 9
    );
    assert_eq!(count("instances_file = \"places.csv\"\n").objects().len(), 3);
    assert_eq!(count(&format!("count = 9\none_object = true\n{area}")).objects().len(), 2);
    let masked = count(&format!("count = 30\nmask = \"mask.png\"\n{area}"));
    for copy in 1..31 {
        assert!(stands(&masked, copy).0.iter().all(|corner| corner.x < 1.2));
    }
    // Poisson: 0.02 per m² on 1600 m² is 32 ± 5.7; beyond five of those once in 10⁶.
    let strewn = count(&format!("density_per_m2 = 0.02\n{area}")).objects().len() - 1;
    assert!((4..=60).contains(&strewn), "{strewn}");
    // The name is one of its own, and physics may collide with it.
    let body = "[[world.object]]\nname = \"ball\"\nshape = \"sphere\"\nradius_m = 0.2\n\
        position_m = [1.0, 2.0, 4.0]\nbody = { mass_kg = 1.0 }\n\
        [world.physics]\nobstacles = [\"crate\"]\n";
    folder.scene(&format!("{SLOPE}{thing}instances_file = \"places.csv\"\n{body}"));
}

#[test]
fn a_mesh_stands_on_the_ground_sunk_or_tilted() {
    let folder = Folder::new();
    let thing = "[[world.ground_object]]\nname = \"crate\"\nfile = \"box.obj\"\nmaterial = \"wood\"\n\
        count = 25\narea = { size_m = [40.0, 40.0] }\n";
    let tangent = 20f64.to_radians().tan();
    let each = |more: &str, check: &dyn Fn([DVec3; 8], DVec3)| {
        let scene = folder.scene(&format!("{SLOPE}{thing}{more}"));
        for copy in 1..26 {
            let (corners, up) = stands(&scene, copy);
            check(corners, up);
        }
    };
    // The plane rises by tan 20°.
    let ground = folder.scene(SLOPE);
    let height = |x: f64, y: f64| {
        let hit = ground.rays.trace_ray(DVec3::new(x, y, 99.0), -Vec3::Z, 200.0).unwrap();
        99.0 - f64::from(hit.t)
    };
    let rise = (height(1.0, 0.0) - height(-1.0, 0.0)) / 2.0;
    let sideways = (height(0.0, 1.0) - height(0.0, -1.0)) / 2.0;
    assert!((rise.hypot(sideways) - tangent).abs() < 1e-4, "{rise} {sideways}");
    let normal = DVec3::new(-rise, -sideways, 1.0).normalize();
    let level = |corners: &[DVec3; 8]| {
        let middle = corners.iter().sum::<DVec3>() / 8.0;
        let lowest = corners.iter().map(|corner| corner.z).fold(f64::INFINITY, f64::min);
        lowest - height(middle.x, middle.y)
    };
    each("", &|corners, up| {
        assert!((level(&corners)).abs() < 1e-3, "{}", level(&corners));
        assert!(up.distance(DVec3::Z) < 1e-6);
    });
    each("sink_m = 0.2\n", &|corners, _| assert!((level(&corners) + 0.2).abs() < 1e-3));
    each("stands_on = \"origin\"\n", &|corners, _| assert!((level(&corners) + 0.1).abs() < 1e-3));
    each("scale_range = [2.0, 2.0]\nstands_on = \"origin\"\n", &|corners, _| {
        assert!((level(&corners) + 0.2).abs() < 1e-3);
    });
    each("tilt_with_ground = true\n", &|corners, up| {
        assert!(up.distance(normal) < 1e-3, "{up} is not {normal}");
        // Four corners lie in the plane of the ground.
        let off = |corner: &&DVec3| (corner.z - height(corner.x, corner.y)).abs() < 2e-3;
        assert_eq!(corners.iter().filter(off).count(), 4);
    });
}

#[test]
fn meshes_that_cannot_stand_are_refused() {
    let folder = Folder::new();
    let area = "count = 3\narea = { size_m = [10.0, 10.0] }\n";
    let thing =
        |keys: &str| format!("[[world.ground_object]]\nname = \"a\"\nmaterial = \"wood\"\n{keys}");
    let flat = folder.refusal(&thing(&format!("file = \"flat.obj\"\n{area}")));
    assert!(flat.contains("no height") && flat.contains("sink_m"), "{flat}");
    folder.scene(&thing(&format!("file = \"flat.obj\"\nsink_m = -0.1\n{area}")));
    let empty = folder.refusal(&thing(&format!("file = \"empty.obj\"\n{area}")));
    assert!(empty.contains("no triangles"), "{empty}");
    let nowhere = folder.refusal(&thing("file = \"box.obj\"\ncount = 3\n"));
    assert!(nowhere.contains("a.toml:5") && nowhere.contains("`area`"), "{nowhere}");
    let both = "file = \"box.obj\"\nwhat = { kind = \"rock\", size_m = [1.0, 1.0, 1.0] }\n";
    assert!(folder.refusal(&thing(&format!("{both}{area}"))).contains("exactly one"));
    assert!(folder.refusal(&thing(area)).contains("exactly one"));
    let variants = folder.refusal(&thing(&format!("file = \"box.obj\"\nvariants = 2\n{area}")));
    assert!(variants.contains("variants"), "{variants}");
}
