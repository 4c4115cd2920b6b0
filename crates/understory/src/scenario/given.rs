//! What a program gives to a scenario instead of files: meshes and learned sites in memory.
//!
//! A scenario names them as `file = "memory:NAME"`, so that they are placed, moved and labelled by
//! the same keys as those from files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::scene::mesh_file::{LengthUnit, MeshFile, UpAxis};
use crate::toml_file::{Layers, word_remedy};
use understory_learn::site::Site;

/// What a name of something in memory begins with.
const PREFIX: &str = "memory:";

/// Meshes and sites in memory, by their names.
#[derive(Clone, Debug, Default)]
pub struct Given {
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
    layers: &Layers<'_>,
    span: &Range<usize>,
    given: &BTreeMap<String, T>,
    (what, name): (&str, &str),
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
