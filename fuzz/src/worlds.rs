//! What a scenario is made of: its text, sensors, packs, sites, meshes, heights, motions, surveys.

use crate::mutate::{self, Mutation};
use crate::{Reader, Target, folder, is_sentence, of_file};
use serde_json::json;
use std::fs;
use std::path::Path;
use understory::Error;
use understory::scenario::pack::{Pack, Packing};
use understory::scenario::{Scenario, scenarios};
use understory::sensor::{Sensor, presets};
use understory::world::scene::mesh_file::{AnimatedMesh, MeshFile, MeshParts, POSE_ERROR_M};
use understory_learn::estimate::Settings;
use understory_learn::estimate::cells::Cells;
use understory_learn::estimate::parts::{CountsPart, PointsPart};
use understory_learn::estimate::voxel::VoxelCounts;
use understory_learn::site::{Gate, Model, Provenance, Site, SiteHead};
use understory_learn::volume::BeamCounts;
use understory_plants::{HeightmapFile, Holes};

/// All of them.
pub const TARGETS: [Target; 18] = [
    Target {
        name: "scenario",
        bytes_max: 1 << 13,
        seeds: scenario_seeds,
        mutation: Mutation::Lines(scenario_lines),
        reader: || {
            let folder = folder();
            Box::new(move |bytes| {
                let Ok(text) = std::str::from_utf8(bytes) else { return };
                match Scenario::from_toml(text, "a.toml", folder.path()) {
                    Ok(scenario) => drop(scenario.estimate()),
                    Err(error) => is_sentence(&error),
                }
            })
        },
    },
    Target {
        name: "sensor",
        bytes_max: 1 << 13,
        seeds: || presets().iter().map(|(_, text)| text.as_bytes().to_vec()).collect(),
        mutation: Mutation::Lines(sensor_lines),
        reader: || {
            Box::new(|bytes| {
                let Ok(text) = std::str::from_utf8(bytes) else { return };
                match Sensor::from_toml(text, "a.toml") {
                    Ok(sensor) => drop(sensor.describe()),
                    Err(error) => is_sentence(&error),
                }
            })
        },
    },
    Target {
        name: "pack",
        bytes_max: 1 << 14,
        seeds: || vec![pack()],
        mutation: Mutation::Zip(scenario_lines),
        reader: || {
            of_file("a.understory", |path| {
                outcome(Pack::check(path));
                outcome(Pack::open(path));
            })
        },
    },
    Target {
        name: "packed-scenario",
        bytes_max: 1 << 14,
        seeds: || vec![pack()],
        mutation: Mutation::Zip(scenario_lines),
        reader: || of_file("a.understory", |path| outcome(Scenario::load(path))),
    },
    Target {
        name: "site",
        bytes_max: 1 << 12,
        seeds: site_seeds,
        mutation: Mutation::Sums(mutate::site_sections),
        reader: || {
            of_file("a.site", |path| {
                outcome(SiteHead::read(path));
                if let Ok(site) = Site::read(path) {
                    assert!(site.check().is_ok());
                }
            })
        },
    },
    Target {
        name: "cells",
        bytes_max: 1 << 13,
        seeds: || vec![parts().0],
        mutation: Mutation::Sums(mutate::head_and_rest),
        reader: || {
            Box::new(|bytes| {
                if let Ok(part) = PointsPart::from_bytes(bytes.to_vec(), Path::new("a.cells")) {
                    let again = PointsPart::from_bytes(part.to_bytes(), Path::new("b.cells"));
                    assert_eq!(again.unwrap().to_bytes(), part.to_bytes());
                }
            })
        },
    },
    Target {
        name: "counts",
        bytes_max: 1 << 13,
        seeds: || vec![parts().1],
        mutation: Mutation::Sums(mutate::head_and_rest),
        reader: || {
            Box::new(|bytes| outcome(CountsPart::from_bytes(bytes.to_vec(), Path::new("a.counts"))))
        },
    },
    mesh("gltf", Mutation::Json, gltf_seeds, || of_file("a.gltf", read_gltf)),
    mesh("glb", Mutation::Glb, glb_seeds, || of_file("a.glb", read_gltf)),
    mesh("obj", Mutation::Lines(no_lines), obj_seeds, || of_file("a.obj", read_mesh)),
    mesh("obj-materials", Mutation::Lines(no_lines), mtl_seeds, || {
        of_file("a.mtl", |path| {
            let obj = path.with_extension("obj");
            if !obj.exists() {
                let text = "mtllib a.mtl\nusemtl sand\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
                fs::write(&obj, text).unwrap();
            }
            read_mesh(&obj);
        })
    }),
    mesh("ply-mesh", Mutation::Bytes, ply_seeds, || of_file("a.ply", read_mesh)),
    mesh("stl", Mutation::Bytes, stl_seeds, || of_file("a.stl", read_mesh)),
    mesh("geotiff", Mutation::Bytes, tiff_seeds, || of_file("a.tif", read_heights)),
    mesh("heights-png", Mutation::Bytes, png_seeds, || of_file("a.png", read_heights)),
    mesh("heights-npy", Mutation::Bytes, heights_npy_seeds, || of_file("a.npy", read_heights)),
    mesh("helios-survey", Mutation::Lines(helios_lines), helios_seeds, || {
        of_file("survey.xml", |path| {
            let obj = path.with_file_name("ground.obj");
            if !obj.exists() {
                fs::write(obj, "v 1 -1 0\nv -1 -1 0\nv 1 1 0\nv -1 1 0\nf 2 1 4\nf 1 3 4\n")
                    .unwrap();
            }
            let out = path.with_file_name("out");
            match understory_helios::import(path, &[], &out) {
                Ok(imported) => {
                    for file in imported.files.iter().take(imported.scenarios) {
                        if let Err(error) = Scenario::from_toml(&file.text, &file.name, &out) {
                            is_sentence(&error);
                        }
                    }
                }
                Err(error) => is_sentence(&error),
            }
        })
    }),
    mesh("motions", Mutation::Lines(no_lines), motion_seeds, || {
        of_file("a.csv", |path| {
            let folder = path.parent().unwrap_or(Path::new("."));
            for text in [PLACED, REPLAYED] {
                outcome(Scenario::from_toml(text, "a.toml", folder));
            }
        })
    }),
];

/// A target whose inputs are files of some kilobytes.
const fn mesh(
    name: &'static str,
    mutation: Mutation,
    seeds: fn() -> Vec<Vec<u8>>,
    reader: fn() -> Reader,
) -> Target {
    Target { name, bytes_max: 1 << 13, seeds, mutation, reader }
}

fn no_lines() -> Vec<String> {
    Vec::new()
}

fn outcome<T, E: std::fmt::Display>(result: Result<T, E>) {
    if let Err(error) = result {
        is_sentence(&error);
    }
}

const PLAIN: &str = "version = 1\nseed = 1\nduration_s = 0.1\n\n[world]\n\n[[world.object]]\nname = \"ground\"\nshape = \"plane\"\nsize_m = [8.0, 8.0]\nmaterial = \"grass\"\n\n[[sensor]]\nname = \"roof\"\npreset = \"vlp-16\"\nposition_m = [0.0, 0.0, 1.8]\n";

const PLACED: &str = "version = 1\nseed = 1\nduration_s = 0.1\n\n[world]\n\n[[world.object]]\nname = \"post\"\nshape = \"box\"\nsize_m = [1.0, 1.0, 1.0]\nmaterial = \"bark\"\ninstances_file = \"a.csv\"\n\n[[sensor]]\nname = \"roof\"\npreset = \"vlp-16\"\n";

const REPLAYED: &str = "version = 1\nseed = 1\nduration_s = 0.1\n\n[world]\nreplay = { file = \"a.csv\" }\n\n[[world.object]]\nname = \"post\"\nshape = \"box\"\nsize_m = [1.0, 1.0, 1.0]\nmaterial = \"bark\"\n\n[[sensor]]\nname = \"roof\"\npreset = \"vlp-16\"\n";

/// Scenarios that name no files.
fn scenario_seeds() -> Vec<Vec<u8>> {
    let own = scenarios().iter().map(|(_, text)| text.as_bytes().to_vec());
    own.filter(|text| text.len() < 1 << 13).chain([PLAIN.as_bytes().to_vec()]).collect()
}

fn scenario_lines() -> Vec<String> {
    thread_local! {
        static LINES: Vec<String> = lines(scenarios().iter().map(|(_, text)| *text));
    }
    LINES.with(Vec::clone)
}

fn sensor_lines() -> Vec<String> {
    thread_local! {
        static LINES: Vec<String> = lines(presets().iter().map(|(_, text)| *text));
    }
    LINES.with(Vec::clone)
}

/// Different lines that are no comments.
fn lines<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let all = texts.flat_map(str::lines).map(str::trim);
    let some: std::collections::BTreeSet<&str> =
        all.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    some.into_iter().map(str::to_owned).collect()
}

fn pack() -> Vec<u8> {
    let folder = folder();
    let scenario = Scenario::from_toml(PLAIN, "a.toml", folder.path()).unwrap();
    let path = folder.path().join("a.understory");
    Packing::new(&scenario, "a").unwrap().write(&path).unwrap();
    fs::read(path).unwrap()
}

fn read_mesh(path: &Path) {
    match MeshFile::read(path, None, None) {
        Ok(mesh) => {
            let count = mesh.positions.len();
            let inside = |corner: &u32| (*corner as usize) < count;
            assert!(mesh.triangles.iter().flatten().all(inside));
            assert_eq!(mesh.triangles.len(), mesh.triangle_material.len());
            assert!(mesh.positions.iter().all(|position| position.is_finite()));
        }
        Err(error) => is_sentence(&error),
    }
}

fn read_gltf(path: &Path) {
    outcome::<_, Error>(MeshFile::read(path, None, None));
    outcome::<_, Error>(MeshParts::read(path, None, None, true));
    outcome::<_, Error>(AnimatedMesh::read(path, None, None, None, POSE_ERROR_M, true));
}

fn read_heights(path: &Path) {
    let is_png = path.extension().is_some_and(|ending| ending == "png");
    let is_tiff = path.extension().is_some_and(|ending| ending == "tif");
    let file = HeightmapFile {
        path: path.to_path_buf(),
        spacing_m: (!is_tiff).then_some(1.0),
        south_west_m: None,
        height_range_m: is_png.then_some([0.0, 10.0]),
        holes: Holes::Fill,
    };
    let _number = file.epsg();
    match file.read() {
        Ok(field) => assert!(field.heights_m().iter().all(|height| height.is_finite())),
        Err(error) => is_sentence(&error),
    }
}

fn site_seeds() -> Vec<Vec<u8>> {
    let folder = folder();
    let path = folder.path().join("a.site");
    let site = understory_learn::estimate::learn(
        &vec![beams()],
        Model::Voxel,
        &Default::default(),
        &understory_base::Silent,
    );
    let (mut site, _) = site.unwrap();
    site.write(&path).unwrap();
    let plain = fs::read(&path).unwrap();
    site.colours = vec![[1, 2, 3]; site.volumes.len()];
    site.gate = Gate::Soft;
    site.provenance = Provenance::default();
    site.write(&path).unwrap();
    vec![plain, fs::read(path).unwrap()]
}

/// Twigs that stop every second beam.
fn beams() -> understory_learn::input::Beams {
    let mut beams = understory_learn::input::Beams::default();
    for k in 0..200u16 {
        let direction = glam::Vec3::new(1.0, f32::from(k % 20) * 1e-4, 0.0).normalize();
        let range_m = if k % 2 == 0 { 5.02 + f32::from(k) * 1e-5 } else { f32::INFINITY };
        beams.push(glam::DVec3::ZERO, direction, range_m, f32::NAN, 0);
    }
    beams
}

/// Cells and counts of a part.
fn parts() -> (Vec<u8>, Vec<u8>) {
    let settings = Settings::default();
    let mut cells = Cells::new(settings.cell_m);
    cells.add(&beams(), 100.0);
    let points = PointsPart { settings, recordings: vec!["a".to_owned()], beams: 200, cells };
    let of_cells = vec![BeamCounts { stopped: 1, passed: 2, orphaned: 3 }; 5];
    let counts = VoxelCounts { cells: of_cells, beams: 9, misses: 4 };
    let counts = CountsPart { geometry: 77, tau: 2.0, skipped: 3, counts };
    let folder = folder();
    let path = folder.path().join("a.counts");
    counts.write(&path).unwrap();
    (points.to_bytes(), fs::read(path).unwrap())
}

/// A square with a texture coordinate, an animation, copies and a morph.
fn gltf_json(uri: Option<&str>, bytes: usize) -> serde_json::Value {
    let mut buffer = json!({ "byteLength": bytes });
    if let Some(uri) = uri {
        buffer["uri"] = json!(uri);
    }
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "mesh": 0, "name": "square", "translation": [1.0, 2.0, 3.0], "children": [2] },
            { "mesh": 0, "scale": [2.0, 2.0, 2.0], "skin": 0 },
            { "rotation": [0.0, 0.0, 0.0, 1.0], "mesh": 0 },
        ],
        "skins": [{ "joints": [0, 2] }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "JOINTS_0": 3, "WEIGHTS_0": 4, "TEXCOORD_0": 5 },
            "indices": 1, "material": 0
        }] }],
        "materials": [{ "name": "leaf", "alphaMode": "MASK", "pbrMetallicRoughness":
            { "baseColorFactor": [0.1, 0.5, 0.1, 1.0] } }],
        "animations": [{ "name": "turn", "channels": [
            { "sampler": 0, "target": { "node": 2, "path": "translation" } }
        ], "samplers": [{ "input": 2, "output": 0, "interpolation": "LINEAR" }] }],
        "buffers": [buffer],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 12 },
            { "buffer": 0, "byteOffset": 60, "byteLength": 16 },
            { "buffer": 0, "byteOffset": 76, "byteLength": 16 },
            { "buffer": 0, "byteOffset": 92, "byteLength": 64 },
            { "buffer": 0, "byteOffset": 92, "byteLength": 32 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
              "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 0.0] },
            { "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5126, "count": 4, "type": "SCALAR",
              "min": [0.0], "max": [3.0] },
            { "bufferView": 3, "componentType": 5121, "count": 4, "type": "VEC4" },
            { "bufferView": 4, "componentType": 5126, "count": 4, "type": "VEC4" },
            { "bufferView": 5, "componentType": 5126, "count": 4, "type": "VEC2" },
        ],
    })
}

fn gltf_bytes() -> Vec<u8> {
    let corners = [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mut bytes: Vec<u8> = corners.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
    bytes.extend([0u16, 1, 2, 0, 2, 3].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend([0f32, 1.0, 2.0, 3.0].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend([0, 1, 0, 0].repeat(4));
    bytes.extend([0.5f32, 0.5, 0.0, 0.0].repeat(4).iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

fn gltf_seeds() -> Vec<Vec<u8>> {
    let bytes = gltf_bytes();
    let uri = std::format!("data:application/octet-stream;base64,{}", base64(&bytes));
    vec![serde_json::to_vec(&gltf_json(Some(&uri), bytes.len())).unwrap()]
}

fn glb_seeds() -> Vec<Vec<u8>> {
    let bytes = gltf_bytes();
    let mut text = serde_json::to_vec(&gltf_json(None, bytes.len())).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((28 + text.len() + bytes.len()) as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend((bytes.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(bytes);
    vec![glb]
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let all = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = LETTERS[(all >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

fn obj_seeds() -> Vec<Vec<u8>> {
    vec![
        b"o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\ng b\nusemtl sand\nf 1 2 3\nf 1/1 2/1 4/1\nf -1//1 -2//1 -3//1\ns off\n".to_vec(),
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nl 1 2\n".to_vec(),
    ]
}

fn mtl_seeds() -> Vec<Vec<u8>> {
    vec![
        b"newmtl sand\nKd 0.5 0.4 0.3\nd 0.5\nTr 0.5\nmap_Kd a.png\nnewmtl leaf\nKd 0 1 0\n"
            .to_vec(),
    ]
}

fn ply_seeds() -> Vec<Vec<u8>> {
    let head = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let mut binary = std::format!("ply\nformat binary_little_endian 1.0\n{head}").into_bytes();
    let corners = [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    binary.extend(corners.as_flattened().iter().flat_map(|v| v.to_le_bytes()));
    binary.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    let text = std::format!("ply\nformat ascii 1.0\n{head}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    vec![binary, text.into_bytes()]
}

fn stl_seeds() -> Vec<Vec<u8>> {
    let mut binary = vec![0; 80];
    binary.extend(2u32.to_le_bytes());
    for z in [0f32, 1.0] {
        let numbers = [0.0, 0.0, 1.0, 0.0, 0.0, z, 1.0, 0.0, z, 0.0, 1.0, z];
        binary.extend(numbers.iter().flat_map(|v: &f32| v.to_le_bytes()));
        binary.extend([0, 0]);
    }
    let text = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    vec![binary, text.to_vec()]
}

/// A TIFF of 3 × 2 samples (TIFF 6.0) with the tags of GeoTIFF 1.1: one of floats, one of bytes that
/// are packed by LZW would need an encoder, so they are left to the fuzzer.
fn tiff_seeds() -> Vec<Vec<u8>> {
    let tiff = |bits: u16, format: u16, samples: Vec<u8>| {
        let tags: Vec<(u16, u16, u32, Vec<u8>)> = vec![
            (256, 3, 1, 3u16.to_le_bytes().to_vec()),
            (257, 3, 1, 2u16.to_le_bytes().to_vec()),
            (258, 3, 1, bits.to_le_bytes().to_vec()),
            (259, 3, 1, 1u16.to_le_bytes().to_vec()),
            (262, 3, 1, 1u16.to_le_bytes().to_vec()),
            (273, 4, 1, 8u32.to_le_bytes().to_vec()),
            (277, 3, 1, 1u16.to_le_bytes().to_vec()),
            (278, 3, 1, 2u16.to_le_bytes().to_vec()),
            (279, 4, 1, (samples.len() as u32).to_le_bytes().to_vec()),
            (339, 3, 1, format.to_le_bytes().to_vec()),
            (33550, 12, 3, doubles(&[2.0, 4.0, 0.0])),
            (33922, 12, 6, doubles(&[0.0, 0.0, 0.0, 500_000.0, 5_400_000.0, 0.0])),
            (
                34735,
                3,
                8,
                [1u16, 1, 0, 1, 3072, 0, 1, 32633].map(u16::to_le_bytes).as_flattened().to_vec(),
            ),
            (42113, 2, 6, b"-9999\0".to_vec()),
        ];
        let mut bytes = b"II*\0".to_vec();
        let directory = 8 + samples.len().next_multiple_of(2);
        bytes.extend((directory as u32).to_le_bytes());
        bytes.extend(&samples);
        bytes.resize(directory, 0);
        let mut beyond = directory + 2 + 12 * tags.len() + 4;
        let mut far = Vec::new();
        bytes.extend((tags.len() as u16).to_le_bytes());
        for (tag, kind, count, mut value) in tags {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            bytes.extend(count.to_le_bytes());
            if value.len() <= 4 {
                value.resize(4, 0);
                bytes.extend(value);
            } else {
                bytes.extend((beyond as u32).to_le_bytes());
                beyond += value.len();
                far.extend(value);
            }
        }
        bytes.extend([0; 4]);
        bytes.extend(far);
        bytes
    };
    let floats = [1f32, 2.0, 3.0, 4.0, -9999.0, 6.0].map(f32::to_le_bytes).as_flattened().to_vec();
    let shorts = [1u16, 2, 3, 4, 5, 6].map(u16::to_le_bytes).as_flattened().to_vec();
    vec![tiff(32, 3, floats), tiff(16, 1, shorts)]
}

fn doubles(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A PNG of 2 × 2 grey pixels (ISO 15948), its data stored (RFC 1951, §3.2.4).
fn png_seeds() -> Vec<Vec<u8>> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], data: &[u8]| {
        png.extend((data.len() as u32).to_be_bytes());
        let sum = crc32fast::hash(&[kind, data].concat());
        png.extend_from_slice(kind);
        png.extend_from_slice(data);
        png.extend(sum.to_be_bytes());
    };
    chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
    // Rows 0 1 2 and 0 3 4; Adler-32 of them is 0x0018000b.
    let data = [0x78, 1, 1, 6, 0, 0xf9, 0xff, 0, 1, 2, 0, 3, 4, 0, 0x18, 0, 0x0b];
    chunk(b"IDAT", &data);
    chunk(b"IEND", &[]);
    vec![png]
}

fn heights_npy_seeds() -> Vec<Vec<u8>> {
    let mut head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".to_owned();
    while !(10 + head.len() + 1).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut npy = b"\x93NUMPY\x01\0".to_vec();
    npy.extend((head.len() as u16).to_le_bytes());
    npy.extend(head.as_bytes());
    npy.extend([1f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()));
    vec![npy]
}

const SURVEY: &str = r#"<document>
<platform id="tripod" type="static"><scannerMount x="0" y="0" z="1.5"/></platform>
<platform id="plane" type="linearpath"><scannerMount z="0.7"><rot axis="x" angle_deg="-90"/></scannerMount></platform>
<scanner id="tls" name="TLS" optics="rotating" pulseFreqs_Hz="100000" accuracy_m="0.005" beamDivergence_rad="0.0003" pulseLength_ns="5" rangeMin_m="1.5" scanAngleMax_deg="120" scanAngleEffectiveMax_deg="50" headRotatePerSecMax_deg="60">
<beamOrigin x="0" y="0" z="0.2"/>
</scanner>
<scene id="w"><part><filter type="objloader"><param type="string" key="filepath" value="ground.obj"/></filter>
<filter type="scale"><param type="double" key="scale" value="50"/></filter>
<filter type="translate"><param type="vec3" key="offset" value="1;2;3"/></filter></part></scene>
<scannerSettings id="t" active="true" pulseFreq_hz="100000" scanFreq_hz="100"/>
<survey name="a b" seed="7" scene="survey.xml#w" platform="survey.xml#PLATFORM" scanner="survey.xml#tls">
<leg><platformSettings x="1" y="2" z="3" onGround="true" movePerSec_m="10"/>
<scannerSettings template="t" headRotatePerSec_deg="10" headRotateStart_deg="100" headRotateStop_deg="225" verticalAngleMin_deg="-40" verticalAngleMax_deg="60"/></leg>
<leg><platformSettings x="5" y="2" z="3" onGround="true"/>
<scannerSettings template="t" headRotatePerSec_deg="10" headRotateStart_deg="-45" headRotateStop_deg="45"/></leg>
</survey></document>
"#;

fn helios_seeds() -> Vec<Vec<u8>> {
    ["tripod", "plane"].map(|name| SURVEY.replace("PLATFORM", name).into_bytes()).to_vec()
}

fn helios_lines() -> Vec<String> {
    let more = [
        r#"<filter type="rotate"><param type="rotation" key="rotation"><rot axis="z" angle_deg="45"/></param></filter>"#,
        r#"<scanner id="tls" optics="oscillating" pulseFreqs_Hz="100000" scanAngleMax_deg="37.5" scanProduct="1000" maxNOR="4" rangeMax_m="1700"/>"#,
        r#"<scanner id="tls" optics="conic" pulseFreqs_Hz="100000" scanAngleMax_deg="20" scanFreqMax_Hz="80"/>"#,
        r#"<channels><channel id="0"><beamOrigin x="0" y="0" z="0"><rot axis="x" angle_deg="-15"/></beamOrigin></channel></channels>"#,
        r#"<swap swapStep="1"><filter type="null"/></swap>"#,
        r#"<dmotion type="translation" vec="0;0;1"/>"#,
    ];
    SURVEY.lines().chain(more).map(str::to_owned).collect()
}

fn motion_seeds() -> Vec<Vec<u8>> {
    vec![
        b"x,y,z\n1,2,3\n4,5,6\n".to_vec(),
        b"x_m,y_m,z_m,yaw_deg,scale\n1,2,3,90,1\n4,5,6,10,2\n".to_vec(),
        b"time_s,object,x_m,y_m,z_m,qx,qy,qz,qw\n0,post,1,2,3,0,0,0,1\n0.1,post,1,2,4,0,0,0,1\n"
            .to_vec(),
    ]
}
