//! glTF as objects, with holes, copies and extensions; hostile files.

use super::gltf_draft::{GltfDraft, chess_png};
use super::tests::to_base64;
use super::*;
use glam::DQuat;
use serde_json::{Value, json};
use std::fs;

const NEAREST: i32 = 9728;

fn read(bytes: &[u8], split: bool) -> Result<MeshParts, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    fs::write(&path, bytes).unwrap();
    MeshParts::read(&path, None, Some(UpAxis::Z), split)
}

fn refusal(draft: &GltfDraft) -> String {
    let text = read(&draft.glb(), true).expect_err("refused").to_string();
    assert!(text.contains("a.glb") && text.contains("; ") && !text.contains('\n'), "{text}");
    text
}

#[test]
fn nodes_are_objects_with_names_and_labels() {
    let mut draft = GltfDraft::new();
    let mesh = draft.square(1.0, 1.0, None);
    let wheel = json!({ "name": "wheel", "mesh": mesh, "translation": [1, 0, 0] });
    let first = draft.push("nodes", wheel.clone());
    let second = draft.push("nodes", wheel);
    let own = json!({ "name": "driver", "mesh": mesh, "extras": { "label": "person" } });
    let third = draft.push("nodes", own);
    draft.root(json!({
        "name": "Car 1", "children": [first, second, third], "translation": [0, 0, 5],
        "extras": { "label": 10 },
    }));
    draft.root(json!({ "mesh": mesh, "extras": { "label": "no such thing" } }));
    draft.root(json!({ "name": "empty" }));
    let parts = read(&draft.glb(), true).unwrap();
    let names: Vec<&str> = parts.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["wheel", "wheel#2", "driver", "node-4"]);
    // What the file says of the node or of the node above it.
    assert_eq!(parts.labels(|_| None), [Some(10), Some(10), Some(30), None]);
    // A name that the scenario gives a class comes first, at each node.
    let by_name = |name: &str| (name == "wheel" || name == "empty").then_some(99);
    assert_eq!(parts.labels(by_name), [Some(99), Some(99), Some(30), None]);
    let by_name = |name: &str| (name == "Car 1").then_some(18);
    assert_eq!(parts.labels(by_name), [Some(18), Some(18), Some(30), None]);
    // One mesh, four places.
    assert_eq!((parts.meshes.len(), parts.parts.len()), (1, 4));
    let at: Vec<DVec3> = parts.parts.iter().map(|part| part.places[0].translation).collect();
    assert_eq!(at[1], DVec3::new(1.0, 0.0, 5.0));
    // As one object it is one mesh, as it was.
    let one = read(&draft.glb(), false).unwrap();
    assert_eq!((one.objects.len(), one.parts.len(), one.meshes[0].triangles.len()), (1, 1, 8));
}

#[test]
fn copies_of_a_node_are_instances() {
    let mut draft = GltfDraft::new();
    let mesh = draft.square(2.0, 1.0, None);
    let moves = draft.floats(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, 0.0, 0.0]]);
    let scales = draft.floats(&[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    // Normalised: 0.7071 · 32767.
    let turns: Vec<u8> = [[0, 0, 0, 32767], [0, 0, 23170, 23170], [0, 0, 0, 32767i16]]
        .iter()
        .flatten()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let view = draft.view(&turns);
    let turns = draft.push(
        "accessors",
        json!({ "bufferView": view, "componentType": 5122, "count": 3, "type": "VEC4",
                "normalized": true }),
    );
    let attributes = json!({ "TRANSLATION": moves, "ROTATION": turns, "SCALE": scales });
    draft.root(json!({
        "name": "tree", "mesh": mesh, "translation": [10, 0, 0],
        "extensions": { "EXT_mesh_gpu_instancing": { "attributes": attributes } },
    }));
    draft.json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    draft.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    let parts = read(&draft.glb(), true).unwrap();
    assert_eq!((parts.objects.len(), parts.meshes.len(), parts.parts.len()), (1, 1, 1));
    // The third is scaled to nothing.
    let places = &parts.parts[0].places;
    assert_eq!(places.len(), 2);
    assert_eq!(places[0].translation, DVec3::new(11.0, 2.0, 3.0));
    let turned = DQuat::from_xyzw(0.0, 0.0, half, half);
    let wanted = DVec3::new(14.0, 5.0, 6.0) + turned * DVec3::new(2.0, 0.0, 0.0);
    assert!(places[1].transform_point3(DVec3::X).distance(wanted) < 1e-4);
    // Written out where one mesh is asked for.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    fs::write(&path, draft.glb()).unwrap();
    assert_eq!(MeshFile::read(&path, None, None).unwrap().triangles.len(), 6);

    let bad = |attributes: Value| {
        let mut draft = GltfDraft { json: draft.json.clone(), bin: draft.bin.clone() };
        draft.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = attributes;
        refusal(&draft)
    };
    assert!(bad(json!({ "TRANSLATION": 999 })).contains("not there"));
    assert!(bad(json!({ "TRANSLATION": moves, "ROTATION": 0 })).contains("different lengths"));
    assert!(bad(json!({})).contains("no translation"));
    assert!(bad(json!(3)).contains("no attributes"));
    assert!(bad(json!({ "TRANSLATION": turns })).contains("three floats"));
    draft.json["accessors"][moves]["count"] = json!(4_000_000_000u64);
    draft.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] =
        json!({ "TRANSLATION": moves });
    assert!(refusal(&draft).contains("more than 10000000 copies"));
}

/// A small file whose nodes all name the same thousands of copies.
#[test]
fn copies_that_are_shared_without_end_are_refused() {
    let mut draft = GltfDraft::new();
    let mesh = draft.square(1.0, 1.0, None);
    let moves = draft.floats(&vec![[1.0f32, 2.0, 3.0]; 10_000]);
    let mut nodes = |count: usize| {
        for _ in 0..count {
            draft.root(json!({ "mesh": mesh, "extensions": {
                "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": moves } } } }));
        }
        read(&draft.glb(), true).err().map(|error| error.to_string())
    };
    // Trunk and leaves of a tree share where the trees are.
    assert_eq!(nodes(4), None);
    let text = nodes(40).unwrap();
    assert!(text.contains("copies, which its bytes can only hold if they are shared"), "{text}");
}

#[test]
fn required_extensions_that_are_not_read_are_refused_by_name() {
    let mut draft = GltfDraft::new();
    let mesh = draft.square(1.0, 1.0, None);
    draft.root(json!({ "mesh": mesh }));
    for (name, remedy) in [
        ("KHR_draco_mesh_compression", "without Draco"),
        ("EXT_meshopt_compression", "without meshopt"),
        ("KHR_mesh_quantization", "without quantisation"),
        ("EXT_texture_webp", "as PNG"),
        ("ACME_unheard_of", "without this extension"),
    ] {
        draft.json["extensionsRequired"] = json!([name]);
        let text = refusal(&draft);
        assert!(text.contains(name) && text.contains(remedy), "{text}");
    }
    draft.json["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_texture_transform"]);
    assert!(read(&draft.glb(), true).is_ok());
    // Used but not required: there is another way to read the file.
    draft.json["extensionsRequired"] = json!([]);
    draft.json["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    assert!(read(&draft.glb(), true).is_ok());
}

/// The alpha of a material at image coordinates.
fn stops(parts: &MeshParts, uv: [f32; 2]) -> bool {
    parts.materials[0].alpha.as_ref().unwrap().stops(uv)
}

#[test]
fn masks_come_from_the_file_from_addresses_and_from_beside_it() {
    let png = chess_png(4, png::BitDepth::Eight);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my leaf.png"), &png).unwrap();
    let data = format!("data:image/png;base64,{}", to_base64(&png));
    for kind in ["view", "data", "beside", "wide"] {
        let mut draft = GltfDraft::new();
        let source = match kind {
            "view" => {
                let view = draft.view(&png);
                json!({ "bufferView": view, "mimeType": "image/png" })
            }
            "wide" => {
                let view = draft.view(&chess_png(4, png::BitDepth::Sixteen));
                json!({ "bufferView": view, "mimeType": "image/png" })
            }
            "data" => json!({ "uri": data }),
            _ => json!({ "uri": "my%20leaf.png" }),
        };
        let material = draft.masked(source, json!({ "magFilter": NEAREST }));
        let mesh = draft.square(1.0, 1.0, Some(material));
        draft.root(json!({ "mesh": mesh }));
        let path = folder.path().join("a.glb");
        fs::write(&path, draft.glb()).unwrap();
        let parts = MeshParts::read(&path, None, None, true).unwrap();
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let uv = [(i as f32 + 0.5) / 4.0, (j as f32 + 0.5) / 4.0];
            assert_eq!(stops(&parts, uv), (i + j) % 2 == 0, "{kind}: {uv:?}");
        }
        assert!(parts.meshes[0].cutout(&parts.materials).is_some());
        let sides = super::side_files(&path).unwrap();
        let wanted: &[&str] = if kind == "beside" { &["my leaf.png"] } else { &[] };
        assert_eq!(sides, wanted.iter().map(PathBuf::from).collect::<Vec<_>>());
    }
}

#[test]
fn materials_without_a_mask_have_no_holes() {
    let png = chess_png(4, png::BitDepth::Eight);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut draft = GltfDraft::new();
        let view = draft.view(&png);
        let source = json!({ "bufferView": view, "mimeType": "image/png" });
        let material = draft.masked(source, json!({}));
        let mesh = draft.square(1.0, 1.0, Some(material));
        draft.root(json!({ "mesh": mesh }));
        change(&mut draft.json);
        read(&draft.glb(), true).unwrap()
    };
    for mode in ["OPAQUE", "BLEND"] {
        let parts = with(&|json| json["materials"][0]["alphaMode"] = json!(mode));
        assert!(parts.meshes[0].cutout(&parts.materials).is_none(), "{mode}");
        assert!(parts.meshes[0].corner_uv.is_empty());
    }
    // A factor below the cutoff leaves nothing of the material; one of 0.6 leaves it as it was.
    let factor = |alpha: f32| {
        with(&|json| {
            json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] =
                json!([1, 1, 1, alpha]);
        })
    };
    assert!(!stops(&factor(0.4), [0.125, 0.125]) && stops(&factor(0.6), [0.125, 0.125]));
    // Moved by one texel by KHR_texture_transform, and turned by a quarter about the origin.
    let moved = with(&|json| {
        json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
            json!({ "KHR_texture_transform": { "offset": [0.25, 0.0], "scale": [2.0, 1.0] } });
    });
    let uv = moved.meshes[0].corner_uv[0];
    assert_eq!(uv, [[0.25, 1.0], [2.25, 1.0], [2.25, 0.0]]);
}

#[test]
fn hostile_images_are_refused_before_they_cost() {
    let png = chess_png(4, png::BitDepth::Eight);
    let draft_of = |png: &[u8]| {
        let mut draft = GltfDraft::new();
        let view = draft.view(png);
        let source = json!({ "bufferView": view, "mimeType": "image/png" });
        let material = draft.masked(source, json!({}));
        let mesh = draft.square(1.0, 1.0, Some(material));
        draft.root(json!({ "mesh": mesh }));
        draft
    };
    // A header of 60000 × 60000 pixels with its checksum (ISO 15948, annex D).
    let mut bomb = png.clone();
    bomb[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    bomb[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    let crc = bomb[12..29].iter().fold(!0u32, |crc, byte| {
        (0..8)
            .fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    });
    bomb[29..33].copy_from_slice(&(!crc).to_be_bytes());
    assert!(refusal(&draft_of(&bomb)).contains("60000 × 60000"));
    assert!(refusal(&draft_of(&png[..40])).contains("image 0"));
    assert!(refusal(&draft_of(b"not an image")).contains("as PNG or JPEG"));
    let mut beyond = draft_of(&png);
    beyond.json["bufferViews"][0]["byteLength"] = json!(1 << 30);
    assert!(refusal(&beyond).contains("image 0"));
    let mut missing = draft_of(&png);
    missing.json["images"][0] = json!({ "uri": "https://example.com/leaf.png" });
    assert!(refusal(&missing).contains("image 0"));
    let mut bare = draft_of(&png);
    bare.json["meshes"][0]["primitives"][0]["attributes"]
        .as_object_mut()
        .unwrap()
        .remove("TEXCOORD_0");
    assert!(refusal(&bare).contains("TEXCOORD_0"));
    // A JPEG has no alpha: the material is whole.
    let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 16];
    let parts = read(&draft_of(&jpeg).glb(), true).unwrap();
    assert!(parts.materials[0].alpha.is_none());
}

#[test]
fn files_that_ask_for_more_than_they_hold_are_refused() {
    let mut draft = GltfDraft::new();
    let mesh = draft.square(1.0, 1.0, None);
    draft.root(json!({ "mesh": mesh, "children": [0] }));
    assert!(refusal(&draft).contains("reached twice"));
    // One accessor of a million vertices, named by a thousand primitives.
    let mut draft = GltfDraft::new();
    let rows = vec![[0.5f32, 0.25, 1.0]; 1_000_000];
    let positions = draft.floats(&rows);
    let primitives = vec![json!({ "attributes": { "POSITION": positions } }); 1000];
    let mesh = draft.push("meshes", json!({ "primitives": primitives }));
    draft.root(json!({ "mesh": mesh }));
    assert!(refusal(&draft).contains("vertices and corners"));
    // A chain of a hundred thousand nodes, each with the same mesh.
    let mut draft = GltfDraft::new();
    let mesh = draft.square(1.0, 1.0, None);
    let nodes = (0..100_000).map(|i| json!({ "mesh": mesh, "name": "n", "children": [i + 1] }));
    draft.json["nodes"] = Value::Array(nodes.chain([json!({ "mesh": mesh })]).collect());
    draft.json["scenes"][0]["nodes"] = json!([0]);
    let parts = read(&draft.glb(), true).unwrap();
    assert_eq!((parts.objects.len(), parts.meshes.len()), (100_001, 1));
    assert_eq!(parts.objects[99_999].name, "n#100000");
}

/// A scene that trimesh has written: two boxes under a turned parent.
#[test]
fn a_file_of_another_program_has_its_objects() {
    let Some(python) = understory_testing::Python::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.glb");
    let script = "import sys, trimesh, numpy as np\n\
        s = trimesh.Scene()\n\
        t = trimesh.transformations\n\
        s.add_geometry(trimesh.creation.box((1, 2, 3)), node_name='Car body', \
        geom_name='body', transform=t.translation_matrix([5, 0, 0]))\n\
        s.add_geometry(trimesh.creation.icosphere(subdivisions=2), node_name='Ball', \
        geom_name='ball', transform=t.rotation_matrix(0.5, [0, 0, 1], [9, 9, 9]))\n\
        s.graph.update(frame_to='Car copy', geometry='body', \
        matrix=t.translation_matrix([0, 7, 0]))\n\
        open(sys.argv[1], 'wb').write(s.export(file_type='glb'))\n\
        print(s.area)\n";
    let area: f64 = python.run(["-c", script, path.to_str().unwrap()]).trim().parse().unwrap();
    let parts = MeshParts::read(&path, None, Some(UpAxis::Z), true).unwrap();
    let mut names: Vec<&str> = parts.objects.iter().map(|o| o.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ball", "Car body", "Car copy"]);
    assert_eq!(parts.meshes.len(), 2);
    let whole = MeshFile::read(&path, None, Some(UpAxis::Z)).unwrap();
    let ours: f64 = (0..whole.materials.len()).map(|m| whole.area_m2(m as u16)).sum();
    assert!((ours - area).abs() < 1e-4 * area, "{ours} is not {area}");
    let copy = parts.objects.iter().position(|o| o.name == "Car copy").unwrap();
    let part = parts.parts.iter().find(|part| part.object == copy).unwrap();
    assert_eq!(part.places[0].translation, DVec3::new(0.0, 7.0, 0.0));
}
