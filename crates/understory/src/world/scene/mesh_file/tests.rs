use super::*;
use proptest::prelude::*;
use std::fs;

/// Two triangles of different material in an OBJ, one square in the others.
const OBJ: &str = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl Leaf\nf 1 2 3\n\
                   usemtl Bark\nf -4/1 -2/1/1 -1//1\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
                   property float z\nelement face 1\nproperty list uchar int vertex_indices\n\
                   end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                   vertex 1 1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\n\
                   vertex 0 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";

fn binary_ply(little: bool) -> Vec<u8> {
    let order = if little { "binary_little_endian" } else { "binary_big_endian" };
    let mut bytes = PLY.split("0 0 0\n").next().unwrap().replace("ascii", order).into_bytes();
    for x in [0f32, 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.] {
        bytes.extend(if little { x.to_le_bytes() } else { x.to_be_bytes() });
    }
    bytes.push(4);
    for i in 0..4i32 {
        bytes.extend(if little { i.to_le_bytes() } else { i.to_be_bytes() });
    }
    bytes
}

fn binary_stl() -> Vec<u8> {
    let corner = |x: f32, y: f32| stl_io::Vertex::new([x, y, 0.0]);
    let triangle = |b, c| stl_io::Triangle {
        normal: stl_io::Normal::new([0.0, 0.0, 1.0]),
        vertices: [corner(0., 0.), b, c],
    };
    let faces =
        [triangle(corner(1., 0.), corner(1., 1.)), triangle(corner(1., 1.), corner(0., 1.))];
    let mut bytes = Vec::new();
    stl_io::write_stl(&mut bytes, faces.iter()).unwrap();
    bytes
}

/// A unit square in x and z (y is up), moved by its parent node to y = 10, as JSON and binary.
fn gltf_parts(uri: Option<&str>) -> (String, Vec<u8>) {
    let mut bin = Vec::new();
    for x in [0f32, 0., 0., 1., 0., 0., 1., 0., 1., 0., 0., 1.] {
        bin.extend(x.to_le_bytes());
    }
    for i in [0u16, 1, 2, 0, 2, 3] {
        bin.extend(i.to_le_bytes());
    }
    let uri = uri.map_or(String::new(), |uri| format!("\"uri\":{uri:?},"));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1],"translation":[0,10,0]}},{{"mesh":0,"scale":[2,2,2]}}],
        "materials":[{{"name":"Leaf","pbrMetallicRoughness":{{"baseColorFactor":[0.1,0.5,0.2,1]}}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"material":0}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],
        "max":[1,0,1]}},{{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":12}}],
        "buffers":[{{{uri}"byteLength":60}}]}}"#
    );
    (json, bin)
}

fn glb() -> Vec<u8> {
    let (json, bin) = gltf_parts(None);
    gltf_glb(&json, &bin)
}

fn gltf_glb(json: &str, bin: &[u8]) -> Vec<u8> {
    let header = ::gltf::binary::Header { magic: *b"glTF", version: 2, length: 0 };
    let glb = ::gltf::Glb { header, json: json.as_bytes().into(), bin: Some(bin.into()) };
    glb.to_vec().unwrap()
}

pub(super) fn to_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).map(|chunk| {
        let bits = (0..3).fold(0u32, |b, i| b << 8 | *chunk.get(i).unwrap_or(&0) as u32);
        let letter = |i: usize| match i <= chunk.len() {
            true => LETTERS[(bits >> (18 - 6 * i) & 63) as usize] as char,
            false => '=',
        };
        (0..4).map(letter).collect::<String>()
    });
    groups.collect()
}

fn read_as(name: &str, bytes: &[u8]) -> Result<MeshFile, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    fs::write(folder.path().join("a.mtl"), "newmtl Leaf\nKd 0.1 0.5 0.2\nnewmtl Bark\n").unwrap();
    fs::write(folder.path().join("a b.bin"), gltf_parts(None).1).unwrap();
    MeshFile::read(&path, None, None)
}

fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let text = read_as(name, bytes.as_ref()).expect_err("refused").to_string();
    assert!(text.contains(name) && text.contains("; ") && !text.contains('\n'), "{text}");
    text
}

fn area(mesh: &MeshFile) -> f64 {
    (0..mesh.materials.len()).map(|m| mesh.area_m2(m as u16)).sum()
}

#[test]
fn a_library_elsewhere_costs_only_colours() {
    let text = OBJ.replace("a.mtl", "/dev/zero ../a.mtl");
    let mesh = read_as("a.obj", text.as_bytes()).unwrap();
    assert!(mesh.side_files.is_empty());
    assert!(mesh.materials.iter().all(|material| material.colour.is_none()));
}

/// The square of [`gltf_parts`] with a mask and one copy of its node.
fn masked_glb() -> Vec<u8> {
    let mut draft = super::gltf_draft::GltfDraft::new();
    let view = draft.view(&super::gltf_draft::chess_png(2, png::BitDepth::Eight));
    let source = serde_json::json!({ "bufferView": view, "mimeType": "image/png" });
    let material = draft.masked(source, serde_json::json!({}));
    let mesh = draft.square(1.0, 1.0, Some(material));
    let moves = draft.floats(&[[0.0f32, 0.0, 0.0]]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    draft.root(serde_json::json!({
        "mesh": mesh, "scale": [2, 2, 2], "rotation": [half, 0, 0, half], "translation": [1, 10, 1],
        "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": moves } } },
    }));
    draft.glb()
}

/// Every kind of file, each holding a square.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a.obj", OBJ.into()),
        ("a.ply", PLY.into()),
        ("little.ply", binary_ply(true)),
        ("big.ply", binary_ply(false)),
        ("a.stl", STL.into()),
        ("binary.stl", binary_stl()),
        ("a.glb", glb()),
        ("a.gltf", gltf_parts(Some("a%20b.bin")).0.into_bytes()),
        ("masked.glb", masked_glb()),
    ]
}

#[test]
fn every_format_gives_the_same_square() {
    for (name, bytes) in files() {
        let mesh = read_as(name, &bytes).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 2), "{name}");
        assert_eq!(mesh.triangle_material.len(), 2, "{name}");
        let is_gltf = name.contains(".gl");
        let size = if is_gltf { 4.0 } else { 1.0 };
        assert!((area(&mesh) - size).abs() < 1e-6, "{name}: {}", area(&mesh));
        let (low, high) = mesh.bounds();
        if is_gltf {
            // y up became z up, and the parent's 10 m are height.
            let wanted = (DVec3::new(0., -2., 10.), DVec3::new(2., 0., 10.));
            let off = (low - wanted.0).abs().max((high - wanted.1).abs()).max_element();
            // The quaternion of the masked one is rounded to f32.
            assert!(off <= if name == "masked.glb" { 1e-6 } else { 0.0 }, "{name}: {low} {high}");
        } else {
            assert_eq!((low, high), (DVec3::ZERO, DVec3::new(1., 1., 0.)), "{name}");
        }
    }
}

#[test]
fn data_addresses_hold_buffers() {
    let (_, bin) = gltf_parts(None);
    let uri = format!("data:application/octet-stream;base64,{}", to_base64(&bin));
    let mesh = read_as("a.gltf", gltf_parts(Some(&uri)).0.as_bytes()).unwrap();
    assert_eq!(
        mesh.materials[0],
        FileMaterial { name: "Leaf".into(), colour: Some([0.1, 0.5, 0.2]), alpha: None }
    );
    assert_eq!(mesh.triangle_material, [0, 0]);
    assert!(refusal("a.gltf", gltf_parts(Some("data:;base64,????")).0).contains("buffer 0"));
    assert!(refusal("a.gltf", gltf_parts(Some("https://x/a.bin")).0).contains("buffer 0"));
}

#[test]
fn obj_materials_and_their_colours_are_kept() {
    let mesh = read_as("a.obj", OBJ.as_bytes()).unwrap();
    assert_eq!(
        mesh.materials[0],
        FileMaterial { name: "Leaf".into(), colour: Some([0.1, 0.5, 0.2]), alpha: None }
    );
    assert_eq!(mesh.materials[1], FileMaterial { name: "Bark".into(), ..FileMaterial::default() });
    assert_eq!(mesh.triangle_material, [0, 1]);
}

#[test]
fn text_keeps_millimetres_at_map_coordinates() {
    let obj = "v 500000.123 5400000.456 100.789\nv 500001.123 5400000.456 100.789\n\
               v 500001.123 5400001.456 100.789\nf 1 2 3\n";
    let ply = PLY.replace("0 0 0\n1", "500000.123 5400000.456 100.789\n1");
    let stl = STL.replace("vertex 0 0 0", "vertex 500000.123 5400000.456 100.789");
    for (name, text) in [("a.obj", obj), ("a.ply", &ply), ("a.stl", &stl)] {
        let mesh = read_as(name, text.as_bytes()).unwrap();
        let expected = DVec3::new(500000.123, 5400000.456, 100.789);
        assert!(mesh.positions.contains(&expected), "{name}");
    }
}

#[test]
fn units_and_axes_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    fs::write(&path, "v 0 0 0\nv 100 0 0\nv 0 200 -300\nf 1 2 3\n").unwrap();
    let mesh = MeshFile::read(&path, Some(LengthUnit::Cm), Some(UpAxis::Y)).unwrap();
    assert_eq!(mesh.positions[1], DVec3::new(1.0, 0.0, 0.0));
    assert_eq!(mesh.positions[2], DVec3::new(0.0, 3.0, 2.0));
    let mesh = MeshFile::read(&path, Some(LengthUnit::Ft), None).unwrap();
    assert!((mesh.positions[1].x - 30.48).abs() < 1e-12);
}

#[test]
fn refusals_say_what_where_and_what_to_do() {
    for (name, text, expected) in [
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n", ":3: \"0 nan 0\" is no position"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n", ":4: the face names vertex 4"),
        ("a.obj", "v 0 0 0\nf 1 -2 1\n", ":2: \"-2\" names no vertex"),
        ("a.obj", "v 0 0 0\nf 0 1 1\n", ":2: \"0\" names no vertex"),
        ("a.obj", "v 0 0 0\nf 1 1\n", ":2: the face has 2 corners"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "has no triangles"),
        ("a.obj", "", "has no triangles"),
        ("a.xyz", "", "names no kind of mesh"),
        ("a.ply", &PLY.replace("vertex 4", "vertex 1000000000000"), "promises 1000000000000"),
        ("a.ply", &PLY.replace("face 1", "face 99999999999999999999"), ":7: "),
        ("a.ply", &PLY.replace("1 1 0", "1 nan 0"), ":12: "),
        ("a.ply", &PLY.replace("1 1 0", "1 1e999 0"), ":12: vertex 2 has no finite"),
        ("a.ply", &PLY.replace("4 0 1 2 3", "4 0 1 2 7"), "names vertex 7"),
        ("a.ply", &PLY.replace("4 0 1 2 3", "4 0 1 2 -3"), ":14: face 0"),
        ("a.ply", &PLY.replace("4 0 1 2 3", "2 0 1"), ":14: face 0"),
        ("a.ply", "", ":1: "),
        ("a.stl", &STL.replace("vertex 1 1 0", "vertex 1 inf 0"), ":6: "),
        ("a.stl", &STL.replace("vertex 1 1 0\n", ""), ":7: the facet has 2 corners"),
        ("a.stl", "", "too few"),
        ("a.glb", "glTF", "promises 0 bytes"),
        ("a.gltf", "{}", "cannot be read"),
        ("a.gltf", &gltf_parts(None).0, "buffer 0"),
    ] {
        let text = refusal(name, text);
        assert!(text.contains(expected), "{text:?} lacks {expected:?}");
    }
    let mut stl = binary_stl();
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refusal("a.stl", &stl).contains("4294967295 triangles has 214748364834 bytes"));
    let mut nan = binary_stl();
    nan[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(refusal("a.stl", &nan).contains("byte 84: triangle 0"));
    let (json, bin) = gltf_parts(None);
    let promise = |from: &str, to: &str| gltf_glb(&json.replace(from, to), &bin);
    assert!(refusal("a.glb", promise("\"count\":4", "\"count\":1000000000000")).contains("beyond"));
    assert!(refusal("a.glb", promise("[1],\"tr", "[0],\"tr")).contains("reached twice"));
    assert!(refusal("a.glb", promise("5126", "5121")).contains("three floats"));
    assert!(refusal("a.glb", promise("byteLength\":60", "byteLength\":600")).contains("600 bytes"));
    assert!(refusal("a.glb", promise("POSITION\":0", "POSITION\":9")).contains("accessor 9"));
    let mut wrong = bin.clone();
    wrong[48] = 9;
    assert!(refusal("a.glb", gltf_glb(&json, &wrong)).contains("vertex 9 of 4"));
    let missing = MeshFile::read(Path::new("nowhere/a.obj"), None, None).unwrap_err().to_string();
    assert!(missing.starts_with("nowhere/a.obj: cannot be read"), "{missing}");
}

#[test]
fn a_file_cut_off_anywhere_is_refused_or_whole() {
    for (name, bytes) in files() {
        for length in 0..bytes.len() {
            if let Ok(mesh) = read_as(name, &bytes[..length]) {
                // What remains of a text may be a smaller valid one.
                let text = name == "a.obj" || name == "a.stl" || name == "a.ply";
                assert!(text && mesh.triangles.len() <= 2, "{name} at {length}");
            }
        }
    }
}

#[test]
fn a_binary_stl_may_begin_with_solid() {
    let mut bytes = binary_stl();
    bytes[..6].copy_from_slice(b"solid ");
    assert_eq!(read_as("a.stl", &bytes).unwrap(), read_as("a.stl", &binary_stl()).unwrap());
}

/// Any byte, or one of those that leave numbers and texts nearly valid.
fn damage() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(b"0123456789-.e \n".to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn damaged_bytes_never_panic(
        kind in 0usize..9,
        flips in prop::collection::vec((0usize..2000, damage()), 1..6),
    ) {
        let (name, mut bytes) = files().swap_remove(kind);
        for (at, value) in flips {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        if let Ok(mesh) = read_as(name, &bytes) {
            prop_assert!(mesh.positions.iter().all(|p| p.is_finite()));
            prop_assert_eq!(mesh.triangles.len(), mesh.triangle_material.len());
        }
    }

    #[test]
    fn obj_agrees_with_another_reader(
        positions in prop::collection::vec([-1e3f32..1e3, -1e3f32..1e3, -1e3f32..1e3], 3..20),
        faces in prop::collection::vec(prop::collection::vec(0usize..1000, 3..6), 1..10),
    ) {
        let mut text = String::new();
        for [x, y, z] in &positions {
            text += &format!("v {x} {y} {z}\n");
        }
        for face in &faces {
            let corners = face.iter().map(|i| (i % positions.len() + 1).to_string());
            text += &format!("f {}\n", corners.collect::<Vec<_>>().join(" "));
        }
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &options, |_| {
            Ok(Default::default())
        }).unwrap();
        let theirs: Vec<[f32; 3]> = models.iter().flat_map(|m| {
            m.mesh.indices.iter().map(|&i| {
                let i = 3 * i as usize;
                [m.mesh.positions[i], m.mesh.positions[i + 1], m.mesh.positions[i + 2]]
            })
        }).collect();
        let mesh = read_as("a.obj", text.as_bytes()).unwrap();
        let ours: Vec<[f32; 3]> = mesh.triangles.iter().flatten()
            .map(|&i| mesh.positions[i as usize].as_vec3().to_array()).collect();
        prop_assert_eq!(ours, theirs);
    }
}

/// Real plants from outside the repository: name, triangles, height and leaf area, each about.
#[test]
fn real_plants_have_their_known_size() {
    let plants = [
        ("acacia/acacia.obj", "Leaves", 59_000..120_000, 6.5),
        ("copperBeech/copperBeech.obj", "Leaves", 186_000..189_000, 8.0),
        ("high-hedge/high-hedge.obj", "leaves", 18_000..37_000, 1.79),
    ];
    for (name, leaves, about_triangles, about_height_m) in plants {
        let Some(path) = understory_testing::recordings(&format!("plant-meshes/{name}")) else {
            continue;
        };
        let mesh = MeshFile::read(&path, Some(LengthUnit::Cm), Some(UpAxis::Y)).unwrap();
        let (low, high) = mesh.bounds();
        let leaf = mesh.materials.iter().position(|m| m.name == leaves).unwrap() as u16;
        let (triangles, height, area) = (mesh.triangles.len(), high.z - low.z, mesh.area_m2(leaf));
        println!("{name}: {triangles} triangles, {height:.3} m high, {area:.2} m² of leaves");
        assert!(about_triangles.contains(&triangles), "{name}: {triangles} triangles");
        assert!((height - about_height_m).abs() < 0.05, "{name}: {height} m high");
        if name.starts_with("copper") {
            assert!((area - 203.0).abs() < 3.0, "{area} m² of leaves");
        }
    }
}
