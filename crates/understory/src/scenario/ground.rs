//! The `[world.terrain]` table: the ground on which plants stand.
//!
//! What enters: a file of heights or a plane, relief and features on top. What leaves: the mesh of
//! the ground as an object called `terrain`, and its surface, on which everything else is placed.

use super::file::TerrainFile;
use super::labels::check_label;
use super::material::named;
use super::plant::named_seed;
use crate::Error;
use crate::world::scene::material::Material;
use crate::world::scene::placement::Area;
use crate::world::scene::{MeshMaterials, SceneBuilder};
use glam::{DAffine3, DVec2};
use std::path::Path;
use understory_cloud::label_number;
use understory_files::{LayeredToml, Spanned, Step};
use understory_geometry::{Edges, GeometryError};
use understory_plants::{
    GroundDetail, GroundMesh, HeightField, MAX_SAMPLES, PlantError, TerrainSpec,
};

/// A terrain, checked.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// Where it is described.
    pub location: String,
    spec: TerrainSpec,
    detail: GroundDetail,
    material: Material,
    label: u16,
    seed: u64,
}

impl Terrain {
    /// Checks the table; reads no heights.
    pub fn check(
        layers: &LayeredToml<'_>,
        table: &Spanned<TerrainFile>,
        own: &[Material],
        scenario_seed: u64,
    ) -> Result<Terrain, Error> {
        let file = table.get_ref();
        let mut heightmap = file.heightmap.as_ref().map(|heightmap| heightmap.get_ref().clone());
        if let (Some(heightmap), Some(key)) = (&mut heightmap, &file.heightmap) {
            let steps = ["world", "terrain", "heightmap", "path"].map(Step::Key);
            let span = layers.span_at(&steps).unwrap_or_else(|| key.span());
            heightmap.path = layers.file(&span, &heightmap.path)?;
        }
        let spec = TerrainSpec {
            heightmap,
            plane: file.plane.as_ref().map(|plane| plane.get_ref().clone()),
            relief: file.relief.clone(),
            features: file.features.clone(),
        };
        spec.check().map_err(|error| refused(layers.location(&table.span()), error))?;
        let detail = match &file.tolerance_m {
            None => GroundDetail::Full,
            Some(tolerance) => GroundDetail::WithinM(tolerance.get()),
        };
        let soil = Spanned::new(0..0, "soil".to_owned());
        Ok(Terrain {
            location: layers.location(&table.span()),
            spec,
            detail,
            material: named(layers, own, file.material.as_ref().unwrap_or(&soil))?,
            label: match &file.label {
                Some(label) => check_label(layers, label)?,
                None => label_number("terrain").unwrap_or(0),
            },
            seed: file.seed.unwrap_or_else(|| named_seed(scenario_seed, "terrain")),
        })
    }

    /// Code of the coordinate reference system in which its file says to be.
    pub fn epsg(&self) -> Option<u16> {
        self.spec.heightmap.as_ref()?.epsg()
    }

    /// The file in which it lies somewhere on a map, if there is one.
    pub fn map_file(&self) -> Option<&Path> {
        let heightmap = self.spec.heightmap.as_ref().filter(|heightmap| heightmap.has_place())?;
        Some(&heightmap.path)
    }

    /// The rectangle that it covers, if that is known before a file is read.
    pub fn area(&self) -> Option<Area> {
        let plane = self.spec.plane.as_ref()?;
        Some(Area::Rectangle {
            centre_m: DVec2::from(plane.centre_m),
            size_m: DVec2::from(plane.size_m),
        })
    }

    /// Most triangles that it can have; those of a file by its size, two bytes a sample at least.
    pub fn triangles(&self) -> u64 {
        let samples = match (&self.spec.plane, &self.spec.heightmap) {
            (Some(plane), _) => {
                let cells = plane.size_m.map(|size| (size / plane.spacing_m).ceil().max(1.0));
                cells[0] * cells[1]
            }
            (None, Some(file)) => {
                // Compressed files hold more samples than bytes.
                file.path.metadata().map_or(0.0, |metadata| metadata.len() as f64 * 4.0)
            }
            (None, None) => 0.0,
        };
        2 * samples.min(MAX_SAMPLES as f64) as u64
    }

    /// Makes the ground.
    pub fn mesh(&self) -> Result<GroundMesh, Error> {
        let field =
            self.spec.build(self.seed).map_err(|error| refused(self.location.clone(), error))?;
        Ok(field.mesh(self.detail))
    }

    /// Adds the ground to a scene and gives the surface on which things stand.
    pub fn add_to(
        &self,
        builder: &mut SceneBuilder,
        mesh: GroundMesh,
    ) -> Result<HeightField, Error> {
        let here =
            |source: GeometryError| Error::Object { location: self.location.clone(), source };
        let material = builder.add_material(self.material.clone()).map_err(here)?;
        let materials = MeshMaterials::Uniform(material);
        let ground = builder
            .add_mesh(&mesh.positions, mesh.triangles, materials, Edges::Closed)
            .map_err(here)?;
        let object = builder.add_object("terrain".into(), self.label).map_err(here)?;
        builder.add_instance(ground, object, DAffine3::IDENTITY).map_err(here)?;
        Ok(mesh.surface)
    }
}

/// The sentence of the plants as one of ours.
pub fn refused(location: String, error: PlantError) -> Error {
    match error {
        PlantError::Parameter { parameter, value, limits } => Error::Invalid {
            location,
            problem: format!("{parameter} is {value}"),
            remedy: format!("choose one that is {limits}"),
        },
        other => {
            Error::Invalid { location, problem: other.to_string(), remedy: "correct it".into() }
        }
    }
}
