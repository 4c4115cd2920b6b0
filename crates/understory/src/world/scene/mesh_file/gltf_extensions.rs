//! Extensions of glTF without which a file cannot be read.

use super::gltf_accessor::refuse;
use crate::Error;
use std::path::Path;

/// Those that are read.
const READ: [&str; 2] = [super::gltf_instancing::NAME, "KHR_texture_transform"];

/// Those that say nothing of triangles and their holes begin with these.
const OF_LOOKS: [&str; 2] = ["KHR_materials_", "KHR_lights_"];

/// Those that are known and not read: what they do, and what helps.
const NOT_READ: [(&str, &str, &str); 7] = [
    ("KHR_draco_mesh_compression", "compresses meshes", "export it without Draco compression"),
    ("EXT_meshopt_compression", "compresses buffers", "export it without meshopt compression"),
    ("KHR_meshopt_compression", "compresses buffers", "export it without meshopt compression"),
    ("KHR_mesh_quantization", "stores vertices as whole numbers", "export it without quantisation"),
    ("KHR_texture_basisu", "stores images as KTX2", "export its textures as PNG"),
    ("EXT_texture_webp", "stores images as WebP", "export its textures as PNG"),
    ("EXT_texture_avif", "stores images as AVIF", "export its textures as PNG"),
];

/// Refuses a file that requires an extension which is not read.
pub fn check_required(path: &Path, required: &[String]) -> Result<(), Error> {
    let harmless = |name: &str| {
        READ.contains(&name) || OF_LOOKS.iter().any(|beginning| name.starts_with(beginning))
    };
    let Some(name) = required.iter().find(|name| !harmless(name)) else { return Ok(()) };
    let (what, remedy) = match NOT_READ.iter().find(|(known, ..)| known == name) {
        Some((_, what, remedy)) => (format!(", which {what}"), *remedy),
        None => (String::new(), "export it without this extension"),
    };
    let shown: String = name.chars().take(80).collect();
    let problem = format!("the file requires the extension {shown:?}{what} and is not read");
    Err(refuse(path, problem, remedy))
}
