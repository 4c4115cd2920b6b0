//! The `[[world.ground_object]]` tables: rocks, logs, posts and meshes, strewn like plants, and
//! fences and walls along their paths.

use super::file::{EdgesName, GroundObjectFile, LayoutKeys, StandsOn};
use super::ground::refused;
use super::labels::check_label;
use super::material::named;
use super::mesh_asset::{AssetObject, AssetUser, MeshAsset, MeshKeys};
use super::plant::{PlantContext, VARIANTS, named_seed};
use super::scatter::Layout;
use crate::Error;
use crate::world::physics::Obstacle;
use crate::world::scene::material::Material;
use crate::world::scene::shape::ShapeMesh;
use crate::world::scene::{MeshMaterials, SceneBuilder};
use glam::{DAffine3, DVec3};
use std::borrow::Cow;
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
    thing: Thing,
    label: u16,
    one_object: bool,
    seed: u64,
    /// None for what runs along a path of its own.
    layout: Option<Layout>,
}

/// What a thing is made of.
#[derive(Clone, Debug)]
enum Thing {
    /// Something that the program makes, in so many variants.
    Made { spec: ObstacleSpec, variants: u32, material: Material },
    /// A mesh.
    Mesh { asset: Box<MeshAsset>, stands_on: StandsOn, material: Option<Material>, edges: Edges },
}

impl PlantContext<'_> {
    /// Checks a table of ground objects.
    pub fn check_ground_object(&self, file: &GroundObjectFile) -> Result<GroundObjects, Error> {
        let layers = self.layers;
        let seed = file.seed.unwrap_or_else(|| named_seed(self.scenario_seed, file.name.get_ref()));
        let tilt = file.tilt_with_ground.as_ref().is_some_and(|tilt| *tilt.get_ref());
        let keys = LayoutKeys { tilt, ..file.layout_keys() };
        let (thing, usual_label, has_path) = match (&file.what, &file.file) {
            (Some(what), None) => self.made(file, what)?,
            (None, Some(mesh)) => (self.mesh(file, mesh)?, "other-object", false),
            _ => {
                let name = file.name.get_ref();
                let problem = format!("{name:?} has not exactly one of `what` and `file`");
                return Err(layers.invalid(&file.name.span(), problem, "give one of them"));
            }
        };
        let layout = if !has_path {
            Some(keys.check(layers, self.everywhere, seed)?)
        } else if let Some(span) = keys.rule_span() {
            let problem = "a fence or wall runs along its `path_m` and is not strewn";
            return Err(layers.invalid(&span, problem, "remove this key"));
        } else if let Some(tilt) = &file.tilt_with_ground {
            let problem = "a fence or wall follows the ground along its path";
            return Err(layers.invalid(&tilt.span(), problem, "remove this key"));
        } else {
            None
        };
        Ok(GroundObjects {
            location: layers.location(&file.name.span()),
            name: file.name.get_ref().clone(),
            thing,
            label: match &file.label {
                Some(name) => check_label(layers, name)?,
                None => label_number(usual_label).unwrap_or(0),
            },
            one_object: file.one_object,
            seed,
            layout,
        })
    }

    /// A thing that the program makes, its usual label, and whether it has a path.
    fn made(
        &self,
        file: &GroundObjectFile,
        what: &Spanned<ObstacleSpec>,
    ) -> Result<(Thing, &'static str, bool), Error> {
        let layers = self.layers;
        let of_meshes = [
            ("unit", file.unit.as_ref().map(Spanned::span)),
            ("up", file.up.as_ref().map(Spanned::span)),
            ("stands_on", file.stands_on.as_ref().map(Spanned::span)),
            ("edges", file.edges.as_ref().map(Spanned::span)),
            ("materials", file.materials.as_ref().map(Spanned::span)),
            ("labels", file.labels.as_ref().map(Spanned::span)),
            ("split_nodes", file.split_nodes.as_ref().map(Spanned::span)),
        ];
        if let Some((key, span)) = of_meshes.into_iter().find_map(|(key, at)| Some((key, at?))) {
            let problem = format!("only a mesh from a `file` has `{key}`");
            return Err(layers.invalid(&span, problem, "remove it"));
        }
        let spec = what.get_ref().clone();
        spec.check().map_err(|error| refused(layers.location(&what.span()), error))?;
        let variants = file.variants.as_ref().map_or(VARIANTS, Whole::get);
        let (material, label) = match spec {
            ObstacleSpec::Rock(_) => ("rock", "other-object"),
            ObstacleSpec::Log(_) => ("bark", "other-object"),
            ObstacleSpec::Fence(_) => ("wood", "fence"),
            ObstacleSpec::Wall(_) => ("concrete", "building"),
            ObstacleSpec::Post(_) => ("wood", "pole"),
        };
        let usual = Spanned::new(0..0, material.to_owned());
        let material = named(layers, self.own, file.material.as_ref().unwrap_or(&usual))?;
        let has_path = matches!(spec, ObstacleSpec::Fence(_) | ObstacleSpec::Wall(_));
        Ok((Thing::Made { spec, variants, material }, label, has_path))
    }

    fn mesh(
        &self,
        file: &GroundObjectFile,
        mesh: &Spanned<std::path::PathBuf>,
    ) -> Result<Thing, Error> {
        let layers = self.layers;
        if let Some(variants) = &file.variants {
            let problem = "a mesh from a file has no variants";
            return Err(layers.invalid(&variants.span(), problem, "remove this key"));
        }
        let keys = MeshKeys {
            file: mesh,
            unit: file.unit.as_ref().map(|unit| *unit.get_ref()),
            up: file.up.as_ref().map(|up| *up.get_ref()),
            materials: file.materials.as_ref(),
            labels: file.labels.as_ref(),
            split_nodes: file.split_nodes.as_ref(),
            splits: !file.one_object,
        };
        let material = file.material.as_ref();
        Ok(Thing::Mesh {
            asset: Box::new(keys.check(layers, self.assets, self.own)?),
            stands_on: file.stands_on.as_ref().map_or(StandsOn::Lowest, |on| *on.get_ref()),
            material: material.map(|name| named(layers, self.own, name)).transpose()?,
            edges: match file.edges.as_ref().map(Spanned::get_ref) {
                Some(EdgesName::Exact) => Edges::Exact,
                Some(EdgesName::Closed) | None => Edges::Closed,
            },
        })
    }
}

/// How a mesh with these bounds stands on z = 0: `ground_from_mesh`.
fn standing(bounds: (DVec3, DVec3), stands_on: StandsOn) -> DAffine3 {
    match stands_on {
        StandsOn::Lowest => DAffine3::from_translation(DVec3::new(0.0, 0.0, -bounds.0.z)),
        StandsOn::Origin => DAffine3::IDENTITY,
    }
}

impl GroundObjects {
    /// About how many copies there will be.
    pub fn expected_count(&self) -> f64 {
        self.layout.as_ref().map_or(1.0, Layout::expected_count)
    }

    /// About how many triangles a copy has: rocks, logs and fences some thousand.
    pub fn triangles(&self) -> f64 {
        match &self.thing {
            Thing::Made { .. } => 5_000.0,
            Thing::Mesh { asset, .. } => asset.from.triangles(),
        }
    }

    /// About how many triangles are made or read.
    pub fn source_triangles(&self) -> f64 {
        match &self.thing {
            Thing::Made { .. } => 20_000.0,
            Thing::Mesh { .. } => self.triangles(),
        }
    }

    /// The mesh that is strewn, if it is one.
    pub(super) fn mesh(&self) -> Option<&MeshAsset> {
        match &self.thing {
            Thing::Made { .. } => None,
            Thing::Mesh { asset, .. } => Some(asset),
        }
    }

    /// Where copies of what has these bounds stand.
    fn copies_on(
        &self,
        ground: Option<&HeightField>,
        bounds: (DVec3, DVec3),
    ) -> Result<Copies, Error> {
        let Some(layout) = &self.layout else { return Ok(vec![(DAffine3::IDENTITY, 0)]) };
        let reach = bounds.0.truncate().abs().max(bounds.1.truncate().abs());
        layout.clone().with_footprint(reach.max_element()).place(ground, &self.location)
    }

    /// Builds things that the program makes: `world_from_object` of each copy with a random
    /// number, and the variants.
    fn build(
        &self,
        (spec, variants): (&ObstacleSpec, u32),
        ground: Option<&HeightField>,
    ) -> Result<(Copies, Vec<GroundObject>), Error> {
        // What has a path follows the ground below it; what is strewn stands on z = 0 of its own.
        let height = |x: f64, y: f64| match (ground, &self.layout) {
            (Some(field), None) => field.height_at(x, y).unwrap_or(0.0),
            _ => 0.0,
        };
        let make = |variant: u64| {
            let seed = Random::new(self.seed).fork(variant).next_u64();
            spec.build_on(seed, height).map_err(|error| refused(self.location.clone(), error))
        };
        let first = make(0)?;
        let bounds = first
            .positions
            .iter()
            .fold((DVec3::ZERO, DVec3::ZERO), |(low, high), p| (low.min(*p), high.max(*p)));
        let copies = self.copies_on(ground, bounds)?;
        let mut meshes = Vec::new();
        if !copies.is_empty() {
            meshes.push(first);
        }
        for variant in 1..u64::from(variants).min(copies.len() as u64) {
            meshes.push(make(variant)?);
        }
        Ok((copies, meshes))
    }

    /// All copies as triangles in the world, for bodies to collide with.
    pub fn obstacle(&self, ground: Option<&HeightField>) -> Result<Obstacle, Error> {
        let mut mesh = ShapeMesh::default();
        let mut push = |place: &DAffine3, positions: &[DVec3], triangles: &[[u32; 3]]| {
            let first = mesh.positions.len() as u32;
            mesh.positions.extend(positions.iter().map(|p| place.transform_point3(*p)));
            mesh.triangles.extend(triangles.iter().map(|corners| corners.map(|i| first + i)));
        };
        match &self.thing {
            Thing::Made { spec, variants, .. } => {
                let (copies, objects) = self.build((spec, *variants), ground)?;
                for (world_from_object, random) in copies {
                    let variant = (random % objects.len().max(1) as u64) as usize;
                    let Some(object) = objects.get(variant) else { continue };
                    push(&world_from_object, &object.positions, &object.triangles);
                }
            }
            Thing::Mesh { asset, stands_on, .. } => {
                let file = asset.from.read(asset.unit, asset.up)?;
                let bounds = file.bounds();
                let ground_from_mesh = standing(bounds, *stands_on);
                for (world_from_ground, _) in self.copies_on(ground, bounds)? {
                    push(&(world_from_ground * ground_from_mesh), &file.positions, &file.triangles);
                }
            }
        }
        Ok(Obstacle { name: self.name.clone(), mesh })
    }

    /// Builds or reads them and places them on the ground.
    pub fn add_to(
        &self,
        builder: &mut SceneBuilder,
        ground: Option<&HeightField>,
        own: &[Material],
    ) -> Result<(), Error> {
        let here =
            |source: GeometryError| Error::Object { location: self.location.clone(), source };
        match &self.thing {
            Thing::Made { spec, variants, material } => {
                let material = builder.add_material(material.clone()).map_err(here)?;
                let (copies, objects) = self.build((spec, *variants), ground)?;
                let mut meshes = Vec::new();
                for object in objects {
                    let uniform = MeshMaterials::Uniform(material);
                    let edges = Edges::Closed;
                    let mesh =
                        builder.add_mesh(&object.positions, object.triangles, uniform, edges);
                    meshes.push(mesh.map_err(here)?);
                }
                self.add_copies(
                    builder,
                    &copies,
                    &[AssetObject::default()],
                    |builder, ids, copy| {
                        let (world_from_object, random) = copies[copy];
                        let variant = (random % meshes.len().max(1) as u64) as usize;
                        match (meshes.get(variant), ids.first()) {
                            (Some(mesh), Some(id)) => {
                                builder.add_instance(*mesh, *id, world_from_object)
                            }
                            _ => Ok(()),
                        }
                    },
                )
            }
            Thing::Mesh { asset, stands_on, material, edges } => {
                let (location, material) = (self.location.as_str(), material.as_ref());
                let user = AssetUser { location, material, own, edges: *edges };
                let added = asset.add_to(builder, &user)?;
                let flat = added.bounds.1.z - added.bounds.0.z <= 0.0;
                if flat && self.layout.as_ref().is_some_and(Layout::lies_in_ground) {
                    return Err(Error::invalid(
                        location,
                        format!(
                            "{} has no height and would lie in the ground",
                            asset.from.path().display()
                        ),
                        "give it a height, or raise it by a negative `sink_m`",
                    ));
                }
                let copies = self.copies_on(ground, added.bounds)?;
                added.check_copies(location, copies.len())?;
                let ground_from_mesh = standing(added.bounds, *stands_on);
                self.add_copies(builder, &copies, &added.objects, |builder, ids, copy| {
                    added.place(builder, ids, &(copies[copy].0 * ground_from_mesh))
                })
            }
        }
    }

    /// Adds the objects of all copies, and what `place` makes of each.
    fn add_copies(
        &self,
        builder: &mut SceneBuilder,
        copies: &Copies,
        parts: &[AssetObject],
        mut place: impl FnMut(&mut SceneBuilder, &[u32], usize) -> Result<(), GeometryError>,
    ) -> Result<(), Error> {
        let here =
            |source: GeometryError| Error::Object { location: self.location.clone(), source };
        let mut ids: Vec<u32> = Vec::new();
        for copy in 0..copies.len() {
            if ids.is_empty() || !self.one_object {
                let name: Cow<'_, str> = match self.one_object || copies.len() == 1 {
                    true => Cow::Borrowed(&self.name),
                    false => Cow::Owned(format!("{}#{}", self.name, copy + 1)),
                };
                ids = AssetObject::add_all(parts, builder, &name, self.label).map_err(here)?;
            }
            place(builder, &ids, copy).map_err(here)?;
        }
        Ok(())
    }
}
