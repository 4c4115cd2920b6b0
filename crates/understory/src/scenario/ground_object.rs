//! The `[[world.ground_object]]` tables: rocks, logs and posts, strewn like plants, and fences and
//! walls along their paths.

use super::file::GroundObjectFile;
use super::ground::refused;
use super::labels::check_label;
use super::material::named;
use super::plant::{PlantContext, VARIANTS, named_seed};
use super::scatter::Layout;
use crate::Error;
use crate::world::physics::Obstacle;
use crate::world::scene::material::Material;
use crate::world::scene::shape::ShapeMesh;
use crate::world::scene::{MeshMaterials, SceneBuilder};
use glam::DAffine3;
use understory_cloud::label_number;
use understory_files::{Spanned, Whole};
use understory_geometry::{Edges, GeometryError};
use understory_plants::{GroundObject, HeightField, ObstacleSpec, Random};

/// `world_from_object` of copies, each with a random number.
type Copies = Vec<(DAffine3, u64)>;

/// Things of one description, checked.
#[derive(Clone, Debug)]
pub struct GroundObjects {
    /// Where they are described.
    pub location: String,
    pub name: String,
    spec: ObstacleSpec,
    variants: u32,
    material: Material,
    label: u16,
    one_object: bool,
    seed: u64,
    /// None for what runs along a path of its own.
    layout: Option<Layout>,
}

impl PlantContext<'_> {
    /// Checks a table of ground objects.
    pub fn check_ground_object(&self, file: &GroundObjectFile) -> Result<GroundObjects, Error> {
        let layers = self.layers;
        let spec = file.what.get_ref().clone();
        spec.check().map_err(|error| refused(layers.location(&file.what.span()), error))?;
        let variants = file.variants.as_ref().map_or(VARIANTS, Whole::get);
        let (material, label) = match spec {
            ObstacleSpec::Rock(_) => ("rock", "other-object"),
            ObstacleSpec::Log(_) => ("bark", "other-object"),
            ObstacleSpec::Fence(_) => ("wood", "fence"),
            ObstacleSpec::Wall(_) => ("concrete", "building"),
            ObstacleSpec::Post(_) => ("wood", "pole"),
        };
        let usual = Spanned::new(0..0, material.to_owned());
        let seed = file.seed.unwrap_or_else(|| named_seed(self.scenario_seed, file.name.get_ref()));
        let keys = file.layout_keys();
        let has_path = matches!(spec, ObstacleSpec::Fence(_) | ObstacleSpec::Wall(_));
        let layout = if !has_path {
            Some(keys.check(layers, self.everywhere, seed)?)
        } else if let Some(span) = keys.rule_span() {
            let problem = "a fence or wall runs along its `path_m` and is not strewn";
            return Err(layers.invalid(&span, problem, "remove this key"));
        } else {
            None
        };
        Ok(GroundObjects {
            location: layers.location(&file.name.span()),
            name: file.name.get_ref().clone(),
            spec,
            variants,
            material: named(layers, self.own, file.material.as_ref().unwrap_or(&usual))?,
            label: match &file.label {
                Some(name) => check_label(layers, name)?,
                None => label_number(label).unwrap_or(0),
            },
            one_object: file.one_object,
            seed,
            layout,
        })
    }
}

impl GroundObjects {
    /// About how many copies there will be.
    pub fn expected_count(&self) -> f64 {
        self.layout.as_ref().map_or(1.0, Layout::expected_count)
    }

    /// Builds them: `world_from_object` of each copy with a random number, and the variants.
    fn build(&self, ground: Option<&HeightField>) -> Result<(Copies, Vec<GroundObject>), Error> {
        let copies = match &self.layout {
            Some(layout) => layout.place(ground, &self.location)?,
            None => vec![(DAffine3::IDENTITY, 0)],
        };
        // What has a path follows the ground below it; what is strewn stands on z = 0 of its own.
        let height = |x: f64, y: f64| match (ground, &self.layout) {
            (Some(field), None) => field.height_at(x, y).unwrap_or(0.0),
            _ => 0.0,
        };
        let mut meshes = Vec::new();
        for variant in 0..u64::from(self.variants).min(copies.len() as u64) {
            let seed = Random::new(self.seed).fork(variant).next_u64();
            let object = self.spec.build_on(seed, height);
            meshes.push(object.map_err(|error| refused(self.location.clone(), error))?);
        }
        Ok((copies, meshes))
    }

    /// All copies as triangles in the world, for bodies to collide with.
    pub fn obstacle(&self, ground: Option<&HeightField>) -> Result<Obstacle, Error> {
        let (copies, objects) = self.build(ground)?;
        let mut mesh = ShapeMesh::default();
        for (world_from_object, random) in copies {
            let variant = (random % objects.len().max(1) as u64) as usize;
            let Some(object) = objects.get(variant) else { continue };
            let first = mesh.positions.len() as u32;
            let placed = object.positions.iter().map(|p| world_from_object.transform_point3(*p));
            mesh.positions.extend(placed);
            mesh.triangles
                .extend(object.triangles.iter().map(|corners| corners.map(|i| first + i)));
        }
        Ok(Obstacle { name: self.name.clone(), mesh })
    }

    /// Builds them and places them on the ground.
    pub fn add_to(
        &self,
        builder: &mut SceneBuilder,
        ground: Option<&HeightField>,
    ) -> Result<(), Error> {
        let here =
            |source: GeometryError| Error::Object { location: self.location.clone(), source };
        let material = builder.add_material(self.material.clone()).map_err(here)?;
        let (copies, objects) = self.build(ground)?;
        let mut meshes = Vec::new();
        for object in objects {
            let uniform = MeshMaterials::Uniform(material);
            let mesh =
                builder.add_mesh(&object.positions, object.triangles, uniform, Edges::Closed);
            meshes.push(mesh.map_err(here)?);
        }
        let alone = copies.len() == 1;
        let mut object = None;
        for (number, (world_from_object, random)) in copies.into_iter().enumerate() {
            let id = match object {
                Some(id) if self.one_object => id,
                _ => {
                    let name = match self.one_object || alone {
                        true => self.name.clone(),
                        false => format!("{}#{}", self.name, number + 1),
                    };
                    *object.insert(builder.add_object(name, self.label).map_err(here)?)
                }
            };
            let variant = (random % meshes.len().max(1) as u64) as usize;
            if let Some(mesh) = meshes.get(variant) {
                builder.add_instance(*mesh, id, world_from_object).map_err(here)?;
            }
        }
        Ok(())
    }
}
