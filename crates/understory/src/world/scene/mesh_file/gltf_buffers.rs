//! Buffers of glTF: the bytes that accessors look into, and how much may be made of them.
//!
//! They come from the GLB itself, from `data:` addresses and from files beside the scene. A small
//! file can name the same bytes any number of times: each is read and kept once, and what is read
//! out of them is counted.

use super::beside::read_beside;
use super::gltf_accessor::{Buffer, refuse};
use super::gltf_uri::{base64, percent_decoded};
use crate::Error;
use gltf::Gltf;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most vertices and corners of all meshes of a file: primitives may share what they name, so that
/// a small file could ask for any number.
const MESH_MAX: usize = 1 << 27;

/// Most bytes of all buffers of a file.
const BUFFERS_MAX_BYTES: u64 = 1 << 33;

/// How many vertices and corners were read, and how many may be.
pub struct MeshSize {
    read: usize,
    most: usize,
}

impl MeshSize {
    /// For meshes that are read once for each copy of them.
    pub fn of_copies() -> MeshSize {
        MeshSize { read: 0, most: MESH_MAX }
    }

    /// For meshes that are read once: an honest file has a byte for each corner and twelve for each
    /// vertex, and few that share them.
    pub fn of_buffers(buffers: &[Buffer]) -> MeshSize {
        let most = own_bytes(buffers).saturating_mul(4).saturating_add(1 << 20);
        MeshSize { read: 0, most: most.min(MESH_MAX) }
    }

    /// Counts more, or refuses the file.
    pub fn add(&mut self, path: &Path, more: usize) -> Result<(), Error> {
        self.read = self.read.saturating_add(more);
        if self.read <= self.most {
            return Ok(());
        }
        let problem = format!(
            "its meshes have more than {} vertices and corners, which its bytes can only hold if \
             they are shared many times",
            self.most
        );
        Err(refuse(path, problem, "split the file, or export each mesh with data of its own"))
    }
}

/// Bytes of all buffers, each counted once.
pub fn own_bytes(buffers: &[Buffer]) -> usize {
    let own: BTreeMap<_, _> = buffers.iter().map(|b| (Arc::as_ptr(b), b.len())).collect();
    own.values().sum()
}

/// Where the vertices of an accessor begin in a mesh; primitives of a mesh often share them.
pub type VertexStarts = BTreeMap<usize, usize>;

/// The buffers of a file, in their order.
pub fn read_buffers(path: &Path, gltf: &mut Gltf) -> Result<Vec<Buffer>, Error> {
    // Any number of buffers may name one blob or file; each is kept once.
    let blob = gltf.blob.take().map(Arc::new);
    let mut files: BTreeMap<PathBuf, Buffer> = BTreeMap::new();
    let mut buffers = Vec::new();
    let mut room = BUFFERS_MAX_BYTES;
    for buffer in gltf.document.buffers() {
        let index = buffer.index();
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => blob.clone(),
            gltf::buffer::Source::Uri(uri) => match (uri.strip_prefix("data:"), side_file(&buffer))
            {
                (Some(data), _) => {
                    let text = data.split_once(";base64,");
                    text.and_then(|(_, text)| base64(text)).map(Arc::new)
                }
                (None, None) => None,
                (None, Some(name)) => Some(match files.get(&name) {
                    Some(known) => known.clone(),
                    None => {
                        let what = format!("its buffer {index}");
                        let bytes = Arc::new(read_beside(path, &what, &name, room)?);
                        room -= bytes.len() as u64;
                        files.insert(name, bytes.clone());
                        bytes
                    }
                }),
            },
        };
        let bytes = bytes.ok_or_else(|| {
            let problem = format!("the data of buffer {index} are missing or of an unknown kind");
            refuse(path, problem, "export with the buffers in the file or beside it")
        })?;
        if bytes.len() < buffer.length() {
            let (promised, there) = (buffer.length(), bytes.len());
            let problem = format!("buffer {index} promises {promised} bytes, but has {there}");
            let remedy = "the file is cut off or damaged: export or copy it again";
            return Err(refuse(path, problem, remedy));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// The file beside the scene that holds a buffer, if one does.
pub fn side_file(buffer: &gltf::Buffer) -> Option<PathBuf> {
    match buffer.source() {
        gltf::buffer::Source::Uri(uri) if !uri.starts_with("data:") && !uri.contains("://") => {
            Some(percent_decoded(uri).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::gltf_draft::GltfDraft;
    use super::super::{MeshFile, UpAxis};
    use serde_json::json;

    fn read(draft: &GltfDraft) -> Result<MeshFile, crate::Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.glb");
        std::fs::write(&path, draft.glb()).unwrap();
        MeshFile::read(&path, None, Some(UpAxis::Z))
    }

    /// A square of which a million vertices that nothing names are kept besides.
    fn heavy_square() -> GltfDraft {
        let mut draft = GltfDraft::new();
        let mesh = draft.square(1.0, 1.0, None);
        draft.root(json!({ "mesh": mesh }));
        draft.view(&vec![0; 12 << 20]);
        draft
    }

    #[test]
    fn buffers_that_name_the_same_bytes_share_them() {
        let mut draft = heavy_square();
        let length = draft.bin.len();
        // As copies these would be 1.2 terabytes.
        draft.json["buffers"] = json!(vec![json!({ "byteLength": length }); 100_000]);
        assert_eq!(read(&draft).unwrap().triangles.len(), 2);
    }

    #[test]
    fn primitives_that_name_the_same_vertices_share_them() {
        let mut draft = GltfDraft::new();
        let mesh = draft.square(2.0, 1.0, None);
        let primitive = draft.json["meshes"][mesh]["primitives"][0].clone();
        draft.json["meshes"][mesh]["primitives"] = json!(vec![primitive; 3]);
        draft.root(json!({ "mesh": mesh }));
        let read = read(&draft).unwrap();
        assert_eq!((read.positions.len(), read.triangles.len()), (4, 6));
        assert_eq!(read.area_m2(0), 3.0 * 4.0);
    }

    #[test]
    fn corners_that_are_shared_without_end_are_refused() {
        let mut draft = GltfDraft::new();
        let mesh = draft.square(2.0, 1.0, None);
        let bytes: Vec<u8> = (0..3_000_000u32).map(|corner| (corner % 3) as u8).collect();
        let view = draft.view(&bytes);
        let indices = draft.push(
            "accessors",
            json!({ "bufferView": view, "componentType": 5121, "count": 3_000_000, "type": "SCALAR" }),
        );
        let mut primitive = draft.json["meshes"][mesh]["primitives"][0].clone();
        primitive["indices"] = json!(indices);
        // 150,000 million corners out of three million bytes.
        draft.json["meshes"][mesh]["primitives"] = json!(vec![primitive; 50_000]);
        draft.root(json!({ "mesh": mesh }));
        let text = read(&draft).unwrap_err().to_string();
        assert!(text.contains("shared many times"), "{text}");
    }
}
