//! What a program gives to a scenario instead of files: meshes and learned sites in memory.
//!
//! A scenario names them as `file = "memory:NAME"`, so that they are placed, moved and labelled by
//! the same keys as those from files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::world::scene::mesh_file::{LengthUnit, MeshFile, MeshParts, UpAxis};
use understory_files::LayeredToml;
use understory_files::hint::word_remedy;
use understory_learn::site::Site;

/// What a name of something in memory begins with.
const PREFIX: &str = "memory:";

/// Meshes and sites in memory, by their names.
#[derive(Clone, Debug, Default)]
pub struct InMemoryAssets {
    /// Meshes.
    pub meshes: BTreeMap<String, Arc<MeshFile>>,
    /// Learned sites.
    pub sites: BTreeMap<String, Arc<Site>>,
}

/// Where a mesh comes from.
#[derive(Clone, Debug)]
pub(super) enum MeshSource {
    /// A file.
    File(PathBuf),
    /// The program, under this name.
    Given(PathBuf, Arc<MeshFile>),
}

impl MeshSource {
    /// As it is named in errors.
    pub fn path(&self) -> &Path {
        match self {
            MeshSource::File(path) | MeshSource::Given(path, _) => path,
        }
    }

    /// Its triangles in metres, z up.
    pub fn read(
        &self,
        unit: Option<LengthUnit>,
        up: Option<UpAxis>,
    ) -> Result<Arc<MeshFile>, Error> {
        match self {
            MeshSource::File(path) => MeshFile::read(path, unit, up).map(Arc::new),
            MeshSource::Given(_, mesh) if unit.is_none() && up.is_none() => Ok(Arc::clone(mesh)),
            MeshSource::Given(_, mesh) => {
                let mut mesh = MeshFile::clone(mesh);
                mesh.convert(unit.unwrap_or(LengthUnit::M), up.unwrap_or(UpAxis::Z));
                Ok(Arc::new(mesh))
            }
        }
    }

    /// Whether it is a glTF file, which has nodes.
    pub fn is_gltf(&self) -> bool {
        let MeshSource::File(path) = self else { return false };
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        ["gltf", "glb"].contains(&extension.as_str())
    }

    /// The objects that it consists of, in metres with z up; without `split` it is one.
    pub fn read_parts(
        &self,
        unit: Option<LengthUnit>,
        up: Option<UpAxis>,
        split: bool,
    ) -> Result<MeshParts, Error> {
        match self {
            MeshSource::File(path) => MeshParts::read(path, unit, up, split),
            MeshSource::Given(..) => Ok(MeshParts::of_file(&*self.read(unit, up)?)),
        }
    }

    /// About how many triangles it has; those of a file by its size.
    pub fn triangles(&self) -> f64 {
        match self {
            // A triangle takes some 20 bytes or more in every format.
            MeshSource::File(path) => {
                path.metadata().map_or(0.0, |metadata| metadata.len() as f64 / 20.0)
            }
            MeshSource::Given(_, mesh) => mesh.triangles.len() as f64,
        }
    }
}

/// The name of something in memory, if `typed` is one.
pub(super) fn name(typed: &Path) -> Option<&str> {
    typed.to_str()?.strip_prefix(PREFIX)
}

/// Finds `name` among what was given; `what` says what it should be.
pub(super) fn find<T: Clone>(
    layers: &LayeredToml<'_>,
    span: &Range<usize>,
    given: &BTreeMap<String, T>,
    what: &str,
    name: &str,
) -> Result<T, Error> {
    given.get(name).cloned().ok_or_else(|| {
        let names: Vec<&str> = given.keys().map(String::as_str).collect();
        let remedy = match names.is_empty() {
            true => "name a file, or let the program that reads the scenario give it".to_owned(),
            false => word_remedy(name, &names),
        };
        layers.invalid(span, format!("no {what} called {name:?} is in memory"), remedy)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{RunOptions, run};
    use crate::scenario::Scenario;
    use glam::DVec3;
    use understory_cloud::{MemorySink, Records};

    fn text(object: &str) -> String {
        format!(
            "version = 1\nseed = 3\nduration_s = 0.02\n[world]\n[[world.object]]\nname = \"wall\"\n\
             {object}\nposition_m = [4.0, 0.0, 0.0]\nrotation_deg = [0.0, 90.0, 0.0]\n\
             [[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n"
        )
    }

    fn given() -> Arc<InMemoryAssets> {
        let corners = [[-2.0, -3.0], [2.0, -3.0], [2.0, 3.0], [-2.0, 3.0]];
        let corners = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
        let mesh = MeshFile::from_arrays("wall", corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let meshes = BTreeMap::from([("wall".to_owned(), Arc::new(mesh))]);
        Arc::new(InMemoryAssets { meshes, sites: BTreeMap::new() })
    }

    fn rows(text: &str, given: Arc<InMemoryAssets>) -> Records {
        let scenario = Scenario::from_toml_given(text, "test", Path::new(""), given).unwrap();
        let memory = MemorySink::default();
        let prepared = scenario.prepare().unwrap();
        let sink = Box::new(memory.clone());
        run(&prepared, &RunOptions::default(), sink, &understory_base::Silent).unwrap();
        memory.take_records()
    }

    #[test]
    fn a_mesh_in_memory_is_the_shape_that_it_describes() {
        let plane = rows(&text("shape = \"plane\"\nsize_m = [4.0, 6.0]"), Arc::default());
        let mesh = rows(&text("shape = \"mesh\"\nfile = \"memory:wall\""), given());
        assert_eq!(plane.range_m.len(), mesh.range_m.len());
        assert!(plane.return_number.iter().filter(|n| **n > 0).count() > 500);
        let alike = |(a, b): (&f32, &f32)| (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-5;
        assert!(plane.true_range_m.iter().zip(&mesh.true_range_m).all(alike));
    }

    #[test]
    fn what_is_not_in_memory_is_refused_by_name() {
        let wrong = text("shape = \"mesh\"\nfile = \"memory:wal\"");
        let sentence = |given| {
            let read = Scenario::from_toml_given(&wrong, "test", Path::new(""), given);
            read.unwrap_err().to_string()
        };
        let near = sentence(given());
        assert!(near.contains("no mesh called \"wal\"") && near.contains("wall"), "{near}");
        let none = sentence(Arc::default());
        assert!(none.contains("no mesh called \"wal\"") && none.contains("name a file"), "{none}");
    }

    #[test]
    fn meshes_that_cannot_be_are_refused() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::NAN];
        assert!(MeshFile::from_arrays("m", corners.clone(), vec![]).is_err());
        assert!(MeshFile::from_arrays("m", corners, vec![[0, 1, 2]]).is_err());
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(MeshFile::from_arrays("m", corners, vec![[0, 1, 3]]).is_err());
    }
}
