//! glTF files in the making, for tests.

use serde_json::{Value, json};

/// A glTF whose numbers lie in one buffer.
pub struct GltfDraft {
    pub json: Value,
    pub bin: Vec<u8>,
}

impl GltfDraft {
    /// Without nodes.
    pub fn new() -> GltfDraft {
        let json = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [] }], "nodes": [],
            "meshes": [], "accessors": [], "bufferViews": [],
        });
        GltfDraft { json, bin: Vec::new() }
    }

    /// Appends a value to a list and returns its number.
    pub fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    pub fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.bin.len();
        self.bin.extend(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.push(
            "bufferViews",
            json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }),
        )
    }

    pub fn floats<const N: usize>(&mut self, rows: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let mut accessor = json!({
            "bufferView": view, "componentType": 5126, "count": rows.len(), "type": kind,
        });
        if N == 3 {
            let of = |pick: fn(f32, f32) -> f32| {
                let of = |axis: usize| rows.iter().map(|row| row[axis]).reduce(pick).unwrap_or(0.0);
                json!([of(0), of(1), of(2)])
            };
            (accessor["min"], accessor["max"]) = (of(f32::min), of(f32::max));
        }
        self.push("accessors", accessor)
    }

    /// A square of `side` in x and y, which stands upright in the world, with image coordinates
    /// from 0 to `repeats`, the first row of the image on top.
    pub fn square(&mut self, side: f32, repeats: f32, material: Option<usize>) -> usize {
        let h = side / 2.0;
        let positions = self.floats(&[[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]]);
        let r = repeats;
        let uv = self.floats(&[[0.0, r], [r, r], [r, 0.0], [0.0, 0.0]]);
        let bytes: Vec<u8> = [0u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let indices = self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": 5123, "count": 6, "type": "SCALAR" }),
        );
        let mut primitive = json!({ "attributes": { "POSITION": positions, "TEXCOORD_0": uv }, "indices": indices });
        if let Some(material) = material {
            primitive["material"] = json!(material);
        }
        self.push("meshes", json!({ "primitives": [primitive] }))
    }

    /// A material that is masked by an image, which `source` says where to find.
    pub fn masked(&mut self, source: Value, sampler: Value) -> usize {
        let image = self.push("images", source);
        let sampler = self.push("samplers", sampler);
        let texture = self.push("textures", json!({ "source": image, "sampler": sampler }));
        self.push(
            "materials",
            json!({
                "name": "leaf", "alphaMode": "MASK", "alphaCutoff": 0.5,
                "pbrMetallicRoughness": { "baseColorTexture": { "index": texture } },
            }),
        )
    }

    /// Adds a node at the root of the scene.
    pub fn root(&mut self, node: Value) -> usize {
        let number = self.push("nodes", node);
        self.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(number));
        number
    }

    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if json["buffers"].is_null() {
            json["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        }
        let header = ::gltf::binary::Header { magic: *b"glTF", version: 2, length: 0 };
        let bin = Some(self.bin.as_slice().into());
        ::gltf::Glb { header, json: json.to_string().into_bytes().into(), bin }.to_vec().unwrap()
    }
}

/// A chess board of `side` × `side` texels as a PNG with alpha.
pub fn chess_png(side: u32, depth: png::BitDepth) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().unwrap();
    let wide = if depth == png::BitDepth::Sixteen { 2 } else { 1 };
    let texel = |i: u32| {
        let alpha = if (i / side + i % side).is_multiple_of(2) { 255 } else { 0 };
        [80u8, 120, 60, alpha].into_iter().flat_map(move |x| std::iter::repeat_n(x, wide))
    };
    let pixels: Vec<u8> = (0..side * side).flat_map(texel).collect();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    bytes
}
