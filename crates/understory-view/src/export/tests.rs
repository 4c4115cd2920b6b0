use super::*;
use glam::{DAffine3, DQuat};
use understory::scenario::Scenario;
use understory::world::scene::material::{Material, Spectrum};
use understory::world::scene::mesh_file::MeshFile;
use understory::world::scene::{MeshMaterials, SceneBuilder};
use understory_geometry::Edges;

const WORLD: &str = r#"version = 1
seed = 3
duration_s = 0.01
[world]
[[world.object]]
name = "ground"
shape = "plane"
size_m = [60.0, 60.0]
material = "soil"
[[world.object]]
name = "crown of a tree"
shape = "disc"
radius_m = 0.2
tolerance_m = 0.02
material = "leaf"
edges = "exact"
label = "vegetation"
foliage = { count = 100, size_m = [4.0, 4.0, 3.0], seed = 6 }
grid = { count = [4, 3], spacing_m = [7.0, 6.0], jitter_m = 1.0, random_yaw = true, scale_jitter = 0.3, seed = 3 }
position_m = [0.0, 0.0, 4.0]
[[world.object]]
name = "flat ball"
shape = "sphere"
radius_m = 1.5
tolerance_m = 0.005
material = "paint-red"
instances = [{ position_m = [3.0, 4.0, 1.0], scale = [2.0, 1.0, -0.5], rotation_deg = [10.0, 20.0, 30.0] }]
[[sensor]]
name = "lidar"
preset = "vlp-16"
"#;

fn world() -> Scene {
    Scenario::from_toml(WORLD, "world.toml", Path::new("")).unwrap().build_scene().unwrap()
}

/// The file as one mesh in a scene of its own.
fn read_back(path: &Path) -> (Scene, MeshFile) {
    let file = MeshFile::read(path, None, None).unwrap();
    let mut builder = SceneBuilder::default();
    let numbers: Vec<u16> = file
        .materials
        .iter()
        .map(|material| {
            let reflectance = Spectrum::constant(0.5).unwrap();
            let name = material.name.clone();
            builder.add_material(Material::diffuse(&name, reflectance, [0; 3])).unwrap()
        })
        .collect();
    let materials = file.triangle_material.iter().map(|m| numbers[*m as usize]).collect();
    let materials = MeshMaterials::PerTriangle(materials);
    let mesh = builder
        .add_mesh(&file.positions, file.triangles.clone(), materials, Edges::Closed)
        .unwrap();
    let object = builder.add_object("all".into(), 0).unwrap();
    builder.add_instance(mesh, object, DAffine3::IDENTITY).unwrap();
    (builder.build().unwrap(), file)
}

/// Rays in all directions from a place among the trees.
fn directions() -> impl Iterator<Item = glam::DVec3> {
    (0..4000).map(|i| {
        let z = 1.0 - (f64::from(i) + 0.5) / 2000.0;
        let angle = f64::from(i) * 2.399_963_229_728_653;
        let level = (1.0 - z * z).sqrt();
        DVec3::new(level * angle.cos(), level * angle.sin(), z)
    })
}

/// How far two scenes differ, seen from one place: share of rays that meet another material or
/// nothing, and the largest difference in distance of the others.
fn difference(a: &Scene, b: &Scene, from: DVec3, b_offset: DVec3) -> (f64, f64) {
    let (mut other, mut largest) = (0, 0f64);
    for direction in directions() {
        let see = |scene: &Scene, from: DVec3| {
            let hit = scene.rays.trace_ray(from, direction.as_vec3(), 1000.0)?;
            let material = scene.material_of(hit.instance, hit.triangle);
            let name = scene.materials()[material as usize - 1].name.clone();
            // The triangles themselves: a file knows nothing of the curve that they stand for.
            Some((name, f64::from(hit.t)))
        };
        match (see(a, from), see(b, from - b_offset)) {
            (None, None) => {}
            (Some((here, t)), Some((there, u))) if here == there && (t - u).abs() < 1e-3 => {
                largest = largest.max((t - u).abs());
            }
            _ => other += 1,
        }
    }
    (f64::from(other) / 4000.0, largest)
}

#[test]
fn exported_worlds_look_the_same_to_rays() {
    let dir = tempfile::tempdir().unwrap();
    let scene = world();
    let from = DVec3::new(0.5, -0.7, 1.9);
    for name in ["world.glb", "my world.gltf", "world.obj"] {
        let path = dir.path().join(name);
        let report = export(&scene, &path, false).unwrap();
        assert!(report.paths.iter().all(|path| path.is_file()));
        assert_eq!((report.meshes, report.instances), (3, 14), "{name}");
        let (read, file) = read_back(&path);
        assert_eq!(file.triangles.len() as u64, scene.rays.effective_triangles(), "{name}");
        let (other, largest_m) = difference(&scene, &read, from, DVec3::ZERO);
        // Rays past the edge of a leaf may fall to the other side by rounding.
        assert!(other <= 0.002 && largest_m < 2e-5, "{name}: {other}, {largest_m}");
        let leaf = file.materials.iter().find(|material| material.name == "leaf").unwrap();
        let [r, g, b] = leaf.colour.unwrap();
        // (86, 142, 56) of sRGB.
        assert!(
            (r - 0.0931).abs() < 1e-3 && (g - 0.2705).abs() < 1e-3 && (b - 0.0395).abs() < 1e-3
        );
    }
    let mut left: Vec<_> = dir
        .path()
        .read_dir()
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["my world.bin", "my world.gltf", "world.glb", "world.mtl", "world.obj"]);
}

#[test]
fn glb_keeps_meshes_once_and_shares_vertices() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("world.glb");
    let report = export(&world(), &path, false).unwrap();
    let gltf = ::gltf::Gltf::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((gltf.meshes().len(), gltf.nodes().len()), (3, 15));
    let crown = gltf.meshes().nth(1).unwrap().primitives().next().unwrap();
    let vertices = crown.get(&::gltf::Semantic::Positions).unwrap().count();
    let triangles = crown.indices().unwrap().count() / 3;
    // A fan around a middle: as many triangles as there are vertices on the rim.
    assert!(vertices as f64 <= 100.0 + triangles as f64 + 100.0, "{vertices} for {triangles}");
    // Eleven of the twelve crowns are copies.
    assert_eq!(world().rays.effective_triangles() - report.triangles, 11 * triangles as u64);
    let names: Vec<_> = gltf.nodes().filter_map(|node| node.name().map(str::to_owned)).collect();
    assert!(names.iter().any(|name| name == "crown of a tree#3"), "{names:?}");
}

#[test]
fn a_world_in_map_coordinates_keeps_its_millimetres() {
    let site_m = DVec3::new(654_321.25, 5_123_456.5, 412.0);
    let mut builder = SceneBuilder::default();
    let reflectance = Spectrum::constant(0.5).unwrap();
    let grey = Material::diffuse("grey", reflectance, [150; 3]);
    let grey = builder.add_material(grey).unwrap();
    let ball =
        understory::world::scene::shape::Shape::Sphere { radius_m: 1.0 }.mesh(5e-3, "").unwrap();
    let mesh = builder
        .add_mesh(&ball.positions, ball.triangles, MeshMaterials::Uniform(grey), Edges::Closed)
        .unwrap();
    let object = builder.add_object("balls".into(), 0).unwrap();
    for i in 0..20 {
        let place = site_m + DVec3::new(f64::from(i % 5) * 3.1, f64::from(i / 5) * 3.3, 0.0);
        let turn = DQuat::from_rotation_z(f64::from(i));
        builder
            .add_instance(mesh, object, DAffine3::from_rotation_translation(turn, place))
            .unwrap();
    }
    let scene = builder.build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    for name in ["site.glb", "site.obj"] {
        let path = dir.path().join(name);
        let report = export(&scene, &path, false).unwrap();
        let (read, _) = read_back(&path);
        let from = site_m + DVec3::new(1.5, 1.6, 0.2);
        let (other, largest_m) = difference(&scene, &read, from, report.offset_m);
        assert!(other <= 0.001 && largest_m < 1e-4, "{name}: {other}, {largest_m}");
        let offset = if name == "site.glb" { [654_300.0, 5_123_500.0, 400.0] } else { [0.0; 3] };
        assert_eq!(report.offset_m.to_array(), offset);
    }
    let glb = std::fs::read(dir.path().join("site.glb")).unwrap();
    let text = String::from_utf8_lossy(&glb);
    assert!(text.contains(r#""offset_m":[654300.0,5123500.0,400.0]"#));
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let scene = world();
    let at = |name: &str| dir.path().join(name);
    let message = |path: &Path| export(&scene, path, false).unwrap_err().to_string();
    assert!(message(&at("world.fbx")).contains("use .glb, .gltf or .obj"));
    assert!(message(&at("no/world.obj")).contains("the folder"));
    // The MTL cannot be written: nor is the OBJ.
    std::fs::create_dir(at("world.mtl")).unwrap();
    assert!(message(&at("world.obj")).contains("world.mtl"));
    assert_eq!(dir.path().read_dir().unwrap().count(), 1);
    let empty = SceneBuilder::default().build().unwrap();
    assert!(export(&empty, &at("e.glb"), false).unwrap_err().to_string().contains("empty"));
}

/// What was written comes back as the same objects with the same labels, wood included.
#[test]
fn an_exported_world_reads_back_with_its_objects_and_labels() {
    let wood = "version = 1\nseed = 3\nduration_s = 0.01\n[world]\n\
        [[world.object]]\nname = \"ground\"\nshape = \"plane\"\nsize_m = [60.0, 60.0]\n\
        material = \"soil\"\nlabel = \"terrain\"\n\
        [[world.object]]\nname = \"posts\"\nshape = \"box\"\nsize_m = [0.2, 0.2, 1.0]\n\
        label = 1234\none_object = true\ngrid = { count = [3, 1], spacing_m = [4.0, 1.0] }\n\
        [[world.plant]]\nname = \"oak\"\nkind = \"tree\"\ncount = 3\n\
        override = { height_m = 4.0, crown_width_m = 2.0, crown_base_m = 1.5, leaf_count_max = 2000 }\n\
        area = { size_m = [20.0, 20.0] }\n\
        [[sensor]]\nname = \"lidar\"\npreset = \"vlp-16\"\n";
    let scene = Scenario::from_toml(wood, "wood.toml", Path::new("")).unwrap();
    let scene = scene.build_scene().unwrap();
    let dir = tempfile::tempdir().unwrap();
    for name in ["wood.glb", "wood.gltf"] {
        export(&scene, &dir.path().join(name), false).unwrap();
        let again = format!(
            "version = 1\nseed = 3\nduration_s = 0.01\n[world]\n[[world.object]]\nname = \"w\"\n\
             shape = \"mesh\"\nfile = \"{name}\"\nedges = \"exact\"\n\
             [[sensor]]\nname = \"lidar\"\npreset = \"vlp-16\"\n"
        );
        let read = Scenario::from_toml(&again, "again.toml", dir.path()).unwrap();
        let read = read.build_scene().unwrap();
        let of = |scene: &Scene| -> Vec<(String, u16)> {
            scene.objects().iter().map(|o| (o.name.clone(), o.label)).collect()
        };
        let wanted: Vec<_> =
            of(&scene).into_iter().map(|(name, label)| (format!("w/{name}"), label)).collect();
        assert_eq!(of(&read), wanted, "{name}");
        assert_eq!(wanted.len(), 5);
        // Each mesh once, its copies as instances; variants that no plant has are not written.
        assert_eq!(read.rays.instance_count(), scene.rays.instance_count());
        assert!(read.rays.mesh_count() <= scene.rays.mesh_count());
        let from = DVec3::new(0.5, -0.7, 1.2);
        let mut labels = std::collections::BTreeSet::new();
        let (mut met, mut other) = (0u32, 0u32);
        for direction in directions() {
            let see = |scene: &Scene| {
                let hit = scene.rays.trace_ray(from, direction.as_vec3(), 1000.0)?;
                let surface = scene.surface_of(&hit);
                Some((surface.object, surface.label))
            };
            labels.extend(see(&scene).map(|(_, label)| label));
            met += u32::from(see(&scene).is_some());
            other += u32::from(see(&scene) != see(&read));
        }
        // Rays past the edge of a leaf may fall to the other side by rounding.
        assert!(met > 1000 && other < 8, "{name}: {other} of {met}");
        assert!(labels.contains(&70) && labels.contains(&71) && labels.contains(&72), "{labels:?}");
    }
}
