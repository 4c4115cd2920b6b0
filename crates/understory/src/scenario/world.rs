//! The `[world]` table: materials and objects, checked; and the scene that is built from them.

mod bodies;

use super::animated::{AnimatedParts, Animation};
use super::body::{BodySpec, PhysicsSpec};
use super::car::{add_car_part, add_wheels};
use super::file::{EdgesName, ObjectFile, ShapeName, WorldFile};
use super::ground::Terrain;
use super::ground_object::GroundObjects;
use super::material::{check_materials, material, named};
use super::memory::{PartEstimate, SceneEstimate};
use super::motion::MotionSpec;
use super::physics::{Motions, pose_and_rest};
use super::plant::{PlantContext, PlantGroup};
use super::site::{SiteSpec, Sites};
use super::wind::Wind;
use super::{air, animated, number, placement};
use crate::Error;
use crate::atmosphere::Atmosphere;
use crate::far_plants::{self, FarPlants};
use crate::scene::car;
use crate::scene::foliage::Foliage;
use crate::scene::label::{label_names, label_number};
use crate::scene::material::Material;
use crate::scene::mesh_file::{FileMaterial, LengthUnit, MeshFile, UpAxis};
use crate::scene::person::{PartMesh, Person};
use crate::scene::shape::Shape;
use crate::scene::{BOUNCES_MAX, MeshMaterials, Scene, SceneBuilder, SceneMesh};
use crate::toml_file::{Layers, word_remedy};
use bodies::{check_obstacles, copy_name};
use glam::DAffine3;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toml::Spanned;
use understory_geometry::{Edges, GeometryError};
use understory_plants::Sway;

/// Most triangles that foliage may have in one mesh.
const MAX_FOLIAGE_TRIANGLES: u64 = 50_000_000;

/// A world that was found sound but is not built.
#[derive(Clone, Debug)]
pub struct World {
    materials: Vec<Material>,
    bounces_max: u8,
    objects: Vec<ObjectSpec>,
    pub terrain: Option<Terrain>,
    pub plants: Vec<PlantGroup>,
    ground_objects: Vec<GroundObjects>,
    pub atmosphere: Option<Atmosphere>,
    /// How the air has moved the plants.
    pub sway: Option<Sway>,
    /// How it makes them sway.
    wind: Option<Wind>,
    sites: Vec<SiteSpec>,
    pub physics: PhysicsSpec,
}

#[derive(Clone, Debug)]
struct ObjectSpec {
    /// Where it is described.
    place: String,
    name: String,
    source: Source,
    foliage: Option<Foliage>,
    material: Option<Material>,
    label: u16,
    edges: Edges,
    placements: Vec<DAffine3>,
    one_object: bool,
    body: Option<BodySpec>,
    motion: Option<MotionSpec>,
}

#[derive(Clone, Debug)]
enum Source {
    Shape {
        shape: Shape,
        tolerance_m: f64,
    },
    Mesh {
        path: PathBuf,
        unit: Option<LengthUnit>,
        up: Option<UpAxis>,
        materials: Vec<Mapping>,
        animation: Option<Animation>,
    },
    Person(Person),
    Car,
}

/// What an object looks like, in a scene and ready to be placed.
enum Look {
    Mesh(SceneMesh),
    Animated(Animation, AnimatedParts),
    Person(Person, Vec<SceneMesh>),
    Car { body: SceneMesh, wheel: SceneMesh },
}

/// A material of a mesh file, and what it is taken for.
#[derive(Clone, Debug)]
struct Mapping {
    place: String,
    in_file: String,
    material: Material,
}

impl World {
    /// Checks everything that can be known without reading a mesh.
    pub fn check(
        layers: &Layers<'_>,
        seed: u64,
        duration_s: f64,
        file: &WorldFile,
    ) -> Result<World, Error> {
        let materials = check_materials(layers, file)?;
        let bounces_max = file.bounces_max.unwrap_or(BOUNCES_MAX);
        let mut names = HashSet::new();
        let mut objects = Vec::new();
        for object in &file.object {
            if !names.insert(object.name.get_ref()) {
                return Err(twice(layers, "object", &object.name));
            }
            objects.push(check_object(layers, object, &materials)?);
        }
        let terrain = file.terrain.as_ref();
        let terrain = terrain.map(|t| Terrain::check(layers, t, &materials, seed)).transpose()?;
        let everywhere = terrain.as_ref().and_then(Terrain::area);
        let context = PlantContext {
            layers,
            own: &materials,
            everywhere: everywhere.as_ref(),
            scenario_seed: seed,
        };
        let mut plants = Vec::new();
        for (index, plant) in file.plant.iter().enumerate() {
            if !names.insert(plant.name.get_ref()) {
                return Err(twice(layers, "object or plant", &plant.name));
            }
            plants.push(context.check(index, plant)?);
        }
        let mut ground_objects = Vec::new();
        for thing in &file.ground_object {
            if !names.insert(thing.name.get_ref()) {
                return Err(twice(layers, "object or plant", &thing.name));
            }
            ground_objects.push(context.check_ground_object(thing)?);
        }
        let atmosphere = air::check(layers, file.atmosphere.as_ref(), &file.plume)?;
        let wind = file.wind.as_ref().map(|wind| Wind::check(layers, wind)).transpose()?;
        let mut sites = Vec::new();
        for site in &file.site {
            if !names.insert(site.name.get_ref()) {
                return Err(twice(layers, "object, plant or site", &site.name));
            }
            sites.push(SiteSpec::check(layers, site)?);
        }
        let (physics, motion) = (file.physics.as_ref(), file.motion.as_ref());
        let physics = PhysicsSpec::check(layers, physics, motion, duration_s)?;
        check_obstacles(layers, file, &objects)?;
        Ok(World {
            materials,
            bounces_max,
            objects,
            terrain,
            plants,
            ground_objects,
            atmosphere,
            sway: None,
            wind,
            sites,
            physics,
        })
    }

    /// A world of nothing but a learned site.
    pub fn of_site(site: SiteSpec) -> World {
        World {
            materials: Vec::new(),
            bounces_max: BOUNCES_MAX,
            objects: Vec::new(),
            terrain: None,
            plants: Vec::new(),
            ground_objects: Vec::new(),
            atmosphere: None,
            sway: None,
            wind: None,
            sites: vec![site],
            physics: PhysicsSpec::default(),
        }
    }

    /// What building it will need, with coarser versions of plants or without.
    pub fn estimate(&self, far_plants: FarPlants) -> SceneEstimate {
        let terrain = self.terrain.iter().map(|terrain| PartEstimate {
            place: terrain.place.clone(),
            name: "terrain".into(),
            source_triangles: terrain.triangles() as f64,
            instances: 1.0,
            effective_triangles: terrain.triangles() as f64,
            volumes: 0.0,
        });
        let plants = self.plants.iter().map(|plant| {
            let (triangles, copies) = (plant.triangles() as f64, plant.layout.expected_count());
            let versions =
                if far_plants == FarPlants::Off { 1.0 } else { far_plants::MEMORY_FACTOR };
            PartEstimate {
                place: plant.place.clone(),
                name: plant.name.clone(),
                source_triangles: triangles * f64::from(plant.variants()) * versions,
                instances: copies,
                effective_triangles: triangles * copies,
                volumes: 0.0,
            }
        });
        let objects = self.objects.iter().map(|object| {
            let (triangles, copies) = (object.triangles(), object.placements.len() as f64);
            PartEstimate {
                place: object.place.clone(),
                name: object.name.clone(),
                source_triangles: triangles,
                instances: copies,
                effective_triangles: triangles * copies,
                volumes: 0.0,
            }
        });
        // Rocks, logs and fences have some thousand triangles each.
        let things = self.ground_objects.iter().map(|thing| PartEstimate {
            place: thing.place.clone(),
            name: thing.name.clone(),
            source_triangles: 20_000.0,
            instances: thing.expected_count(),
            effective_triangles: 5_000.0 * thing.expected_count(),
            volumes: 0.0,
        });
        let sites = self.sites.iter().map(SiteSpec::estimate);
        let parts = terrain.chain(plants).chain(things).chain(objects).chain(sites);
        SceneEstimate { parts: parts.collect() }
    }

    /// Files that the scene will read.
    pub fn mesh_paths(&self) -> impl Iterator<Item = &Path> {
        self.objects.iter().filter_map(|object| match &object.source {
            Source::Mesh { path, .. } => Some(path.as_path()),
            Source::Shape { .. } | Source::Person(_) | Source::Car => None,
        })
    }

    /// Reads and grows the meshes and builds the tracer; `report` hears what comes next, and how
    /// much of the work (0…1) is done.
    ///
    /// Plants get coarser versions that lack detail below each of `details_m`.
    pub fn build(
        &self,
        report: &dyn Fn(&str, f64),
        details_m: &[f64],
        use_of_sites: Sites,
    ) -> Result<Scene, Error> {
        let mut builder = SceneBuilder::default();
        for material in &self.materials {
            builder.add_material(material.clone())?;
        }
        let ground_mesh = self.terrain.as_ref().map(Terrain::mesh).transpose()?;
        let motions = self.motions(ground_mesh.as_ref(), report)?;
        for object in &self.objects {
            tracing::debug!(object = object.name, copies = object.placements.len(), "building");
            object.add_to(&mut builder, &self.materials, &motions)?;
        }
        let mut sites = Vec::with_capacity(self.sites.len());
        for site in &self.sites {
            report(&site.name, 0.0);
            sites.extend(site.add_to(&mut builder, sites.len() as u32, use_of_sites)?);
        }
        let parts = self.plants.len() as f64 + 2.0;
        report("terrain", 0.0);
        let ground = match (&self.terrain, ground_mesh) {
            (Some(terrain), Some(mesh)) => Some(terrain.add_to(&mut builder, mesh)?),
            _ => None,
        };
        for (index, plant) in self.plants.iter().enumerate() {
            tracing::debug!(plant = plant.name, variants = plant.variants(), "growing");
            report(&plant.name, (index as f64 + 1.0) / parts);
            let air = (self.sway.as_ref(), self.wind.as_ref());
            plant.add_to(&mut builder, ground.as_ref(), details_m, air)?;
        }
        for thing in &self.ground_objects {
            thing.add_to(&mut builder, ground.as_ref())?;
        }
        report("tree over all", 1.0 - 1.0 / parts);
        let mut scene = builder.build()?;
        scene.bounces_max = self.bounces_max;
        scene.sites = sites;
        Ok(scene)
    }
}

impl ObjectSpec {
    /// About how many triangles it has; those of a file by its size.
    fn triangles(&self) -> f64 {
        match &self.source {
            Source::Shape { shape, tolerance_m } => {
                let leaves = self.foliage.map_or(1.0, |foliage| f64::from(foliage.count));
                shape.triangle_estimate(*tolerance_m) * leaves
            }
            Source::Car => 2000.0,
            // A triangle takes some 20 bytes or more in every format.
            Source::Mesh { path, .. } => {
                path.metadata().map_or(0.0, |metadata| metadata.len() as f64 / 20.0)
            }
            Source::Person(_) => 2652.0,
        }
    }

    fn add_to(
        &self,
        builder: &mut SceneBuilder,
        own: &[Material],
        motions: &Motions,
    ) -> Result<(), Error> {
        let here = |source: GeometryError| Error::Object { place: self.place.clone(), source };
        let look = match &self.source {
            Source::Car => {
                let paint = self.material.as_ref();
                let wheel = add_car_part(builder, car::wheel(), own, paint).map_err(here)?;
                let body = add_car_part(builder, car::body(), own, paint).map_err(here)?;
                Look::Car { body, wheel }
            }
            Source::Shape { shape, tolerance_m } => {
                // A copy that is enlarged enlarges the error of its triangles.
                let stretch = self.placements.iter().map(placement::stretch).fold(0.0, f64::max);
                let mut mesh = shape.mesh(tolerance_m / stretch, &self.place)?;
                // Leaves are turned one by one, so no one curve holds them all.
                let curve = shape.curve().filter(|_| self.foliage.is_none());
                if let Some(foliage) = &self.foliage {
                    let triangles = mesh.triangles.len() as u64 * foliage.count as u64;
                    if triangles > MAX_FOLIAGE_TRIANGLES {
                        return Err(Error::invalid(
                            &self.place,
                            format!("the foliage would have {triangles} triangles"),
                            "give fewer leaves, or a larger `tolerance_m`",
                        ));
                    }
                    mesh = foliage.spread(&mesh);
                }
                let materials = self.uniform(builder, Material::DEFAULT_NAME).map_err(here)?;
                let edges = self.edges;
                let mesh =
                    builder.add_shape(&mesh.positions, mesh.triangles, materials, edges, curve);
                Look::Mesh(mesh.map_err(here)?)
            }
            Source::Person(person) => {
                let add = |mesh: PartMesh| {
                    let materials = self.uniform(builder, "cloth")?;
                    builder.add_mesh(&mesh.positions, mesh.triangles, materials, self.edges)
                };
                let meshes = person.meshes().into_iter().map(add).collect::<Result<_, _>>();
                Look::Person(*person, meshes.map_err(here)?)
            }
            Source::Mesh { path, unit, up, materials, animation: Some(animation) } => {
                let stretch = self.placements.iter().map(placement::stretch).fold(0.0, f64::max);
                let mesh = animation.read(path, *unit, *up, stretch)?;
                let used = mesh.parts.iter().flat_map(|part| &part.triangle_material).copied();
                let used = used.collect::<HashSet<u16>>();
                let file = (path.as_path(), &*mesh.materials, &used);
                let ids = self.file_materials(builder, own, file, materials)?;
                let parts = animation.add_parts(builder, mesh, &ids, self.edges);
                Look::Animated(animation.clone(), parts.map_err(here)?)
            }
            Source::Mesh { path, unit, up, materials, animation: None } => {
                let mesh = MeshFile::read(path, *unit, *up)?;
                let used = mesh.triangle_material.iter().copied().collect::<HashSet<u16>>();
                let file = (path.as_path(), &*mesh.materials, &used);
                let ids = self.file_materials(builder, own, file, materials)?;
                let per_triangle = mesh.triangle_material.iter();
                let per_triangle: Vec<u16> =
                    per_triangle.map(|&m| ids.get(m as usize).copied().unwrap_or(0)).collect();
                let uniform = per_triangle.first().filter(|f| per_triangle.iter().all(|m| m == *f));
                let materials = match uniform {
                    Some(material) => MeshMaterials::Uniform(*material),
                    None => MeshMaterials::PerTriangle(per_triangle),
                };
                let mesh = builder.add_mesh(&mesh.positions, mesh.triangles, materials, self.edges);
                Look::Mesh(mesh.map_err(here)?)
            }
        };
        let group = match self.one_object || self.placements.len() == 1 {
            true => Some(builder.add_object(self.name.clone(), self.label).map_err(here)?),
            false => None,
        };
        for (copy, world_from_mesh) in self.placements.iter().enumerate() {
            let object = match group {
                Some(object) => object,
                None => builder
                    .add_object(format!("{}#{}", self.name, copy + 1), self.label)
                    .map_err(here)?,
            };
            let name = copy_name(&self.name, copy, self.placements.len());
            // What moves on the object: wheels, as keyframes or physics turn them.
            let (body, object_from_mesh, wheels) = match (&self.motion, motions.of_object(&name)) {
                (Some(motion), _) => {
                    let (motion, object_from_mesh) = motion.of_copy(copy, world_from_mesh);
                    let wheels = match look {
                        Look::Car { .. } => car::rolling_wheels(&motion, motions.duration_s),
                        _ => Vec::new(),
                    };
                    (Some(motion), object_from_mesh, wheels)
                }
                (None, Some((motion, wheels))) => {
                    (Some(motion), pose_and_rest(world_from_mesh).1, wheels)
                }
                (None, None) => (None, *world_from_mesh, Vec::new()),
            };
            if let Some(motion) = &body {
                builder.move_object(object, motion.clone());
            }
            let (body, place) = (body.as_ref(), &object_from_mesh);
            let placed = match &look {
                Look::Mesh(mesh) => builder.add_instance(*mesh, object, object_from_mesh),
                Look::Animated(animation, parts) => {
                    animation.place(builder, parts, object, body, place)
                }
                Look::Person(person, meshes) => {
                    animated::place_person(builder, person, meshes, object, body, place)
                }
                Look::Car { body, wheel } => builder
                    .add_instance(*body, object, object_from_mesh)
                    .and_then(|()| add_wheels(builder, *wheel, object, object_from_mesh, &wheels)),
            };
            placed.map_err(here)?;
        }
        Ok(())
    }

    /// The object's one material; without one, that of the library.
    fn uniform(
        &self,
        builder: &mut SceneBuilder,
        default_name: &str,
    ) -> Result<MeshMaterials, GeometryError> {
        let material = self.material.clone().or_else(|| Material::from_library(default_name));
        let id = material.map_or(Ok(0), |material| builder.add_material(material))?;
        Ok(MeshMaterials::Uniform(id))
    }

    /// Number of the material that each material of the file is taken for: what `materials` says,
    /// else the object's `material`, else the one of the same name, else grey.
    fn file_materials(
        &self,
        builder: &mut SceneBuilder,
        own: &[Material],
        (path, materials, used): (&Path, &[FileMaterial], &HashSet<u16>),
        mappings: &[Mapping],
    ) -> Result<Vec<u16>, Error> {
        let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
        for mapping in mappings {
            if !names.contains(&mapping.in_file.as_str()) {
                return Err(Error::invalid(
                    &mapping.place,
                    format!("{} has no material {:?}", path.display(), mapping.in_file),
                    word_remedy(&mapping.in_file, &names),
                ));
            }
        }
        let mut ids = vec![0; names.len()];
        for (index, (name, id)) in names.iter().zip(&mut ids).enumerate() {
            let mapped = mappings.iter().find(|m| m.in_file == *name).map(|m| m.material.clone());
            let found = mapped.or_else(|| self.material.clone()).or_else(|| material(own, name));
            let found = found.or_else(|| material(own, &name.to_lowercase()));
            let material = match found {
                Some(material) => Some(material),
                None if used.contains(&(index as u16)) => {
                    tracing::warn!(
                        "{}: {}: nothing is known of material {name:?}; it reflects 0.5; name it \
                         in `materials`",
                        self.place,
                        path.display(),
                    );
                    Material::from_library(Material::DEFAULT_NAME)
                }
                None => None,
            };
            if let Some(material) = material {
                let here = |source| Error::Object { place: self.place.clone(), source };
                *id = builder.add_material(material).map_err(here)?;
            }
        }
        Ok(ids)
    }
}

fn twice(layers: &Layers<'_>, what: &str, name: &Spanned<String>) -> Error {
    let problem = format!("there is another {what} called {:?}", name.get_ref());
    layers.invalid(&name.span(), problem, "give each a name of its own")
}

fn check_object(
    layers: &Layers<'_>,
    file: &ObjectFile,
    own: &[Material],
) -> Result<ObjectSpec, Error> {
    if file.name.get_ref().trim().is_empty() {
        return Err(layers.invalid(&file.name.span(), "`name` is empty", "give the object a name"));
    }
    let source = match file.shape.get_ref() {
        ShapeName::Mesh => check_mesh(layers, file, own)?,
        ShapeName::Person => check_person(layers, file)?,
        ShapeName::Car => check_car(layers, file)?,
        _ => check_shape(layers, file)?,
    };
    let material = file.material.as_ref().map(|name| named(layers, own, name)).transpose()?;
    let foliage = file.foliage.as_ref().map(|foliage| {
        let (span, foliage) = (foliage.span(), foliage.get_ref());
        if !matches!(source, Source::Shape { .. }) || *foliage.count.get_ref() == 0 {
            let remedy = "give a `count` of 1 or more and a shape without parts of its own";
            return Err(layers.invalid(&span, "this foliage has no leaves", remedy));
        }
        let size = foliage.size_m.get_ref();
        Ok(Foliage {
            count: *foliage.count.get_ref(),
            size_m: number::positive_list(layers, "size_m", foliage.size_m.span(), size)?,
            volume: foliage.volume,
            seed: foliage.seed,
        })
    });
    let placements = placement::placements(layers, file)?;
    let articulated = matches!(source, Source::Person(_) | Source::Mesh { animation: Some(_), .. });
    if articulated && !placements.iter().all(animated::keeps_shape) {
        let span = file.scale.as_ref().map_or_else(|| file.name.span(), Spanned::span);
        let problem = "an object whose parts move cannot be stretched or mirrored";
        return Err(layers.invalid(&span, problem, "scale it by one positive number"));
    }
    let is_car = matches!(source, Source::Car);
    let body = BodySpec::check(layers, file.body.as_ref(), file.vehicle.as_ref(), is_car)?;
    let motion = file.motion.as_ref().map(|m| MotionSpec::check(layers, m)).transpose()?;
    if let Some(obeys) = file.body.as_ref().filter(|_| articulated) {
        let problem = "an object whose parts move by themselves does not obey physics";
        return Err(layers.invalid(&obeys.span(), problem, "remove `body`"));
    }
    if let Some(moving) = file.motion.as_ref().filter(|_| body.is_some()) {
        let problem = "the object has keyframes and obeys physics";
        return Err(layers.invalid(&moving.span(), problem, "keep one of them"));
    }
    let moving =
        file.motion.as_ref().map(Spanned::span).or(body.as_ref().map(|_| file.name.span()));
    if let Some(moving) = moving.filter(|_| file.one_object && placements.len() > 1) {
        let problem = "its copies are one object and each moves from its own place";
        let remedy = "remove `one_object`, or the copies";
        return Err(layers.invalid(&moving, problem, remedy));
    }
    let scaled = |placement: &DAffine3| (placement::stretch(placement) - 1.0).abs() > 1e-9;
    if let Some(vehicle) = file.vehicle.as_ref().filter(|_| placements.iter().any(scaled)) {
        let problem = "a vehicle has the size of its springs and cannot be scaled";
        return Err(layers.invalid(&vehicle.span(), problem, "remove `scale`"));
    }
    Ok(ObjectSpec {
        place: layers.place(&file.name.span()),
        name: file.name.get_ref().clone(),
        source,
        foliage: foliage.transpose()?,
        material,
        label: match &file.label {
            Some(label) => check_label(layers, label)?,
            None if *file.shape.get_ref() == ShapeName::Person => {
                label_number("person").unwrap_or(0)
            }
            None => 0,
        },
        edges: match file.edges {
            Some(EdgesName::Exact) => Edges::Exact,
            Some(EdgesName::Closed) | None => Edges::Closed,
        },
        placements,
        one_object: file.one_object,
        body,
        motion,
    })
}

pub fn check_label(layers: &Layers<'_>, label: &Spanned<toml::Value>) -> Result<u16, Error> {
    let found = match label.get_ref() {
        toml::Value::String(name) => label_number(name),
        toml::Value::Integer(number) => u16::try_from(*number).ok(),
        _ => None,
    };
    found.ok_or_else(|| {
        let remedy = match label.get_ref() {
            toml::Value::String(name) => word_remedy(name, &label_names().collect::<Vec<_>>()),
            _ => "give a name of SemanticKITTI or a number from 0 to 65535".into(),
        };
        layers.invalid(&label.span(), format!("there is no label {}", label.get_ref()), remedy)
    })
}

/// Refuses keys that mean nothing for this shape.
fn refuse_keys(
    layers: &Layers<'_>,
    file: &ObjectFile,
    keys: &[(&str, Option<std::ops::Range<usize>>)],
) -> Result<(), Error> {
    for (key, span) in keys {
        if let Some(span) = span {
            let shape = format!("{:?}", file.shape.get_ref()).to_lowercase();
            let problem = format!("a {shape} has no `{key}`");
            return Err(layers.invalid(span, problem, "remove it, or choose another shape"));
        }
    }
    Ok(())
}

fn check_mesh(layers: &Layers<'_>, file: &ObjectFile, own: &[Material]) -> Result<Source, Error> {
    let span = |value: &Option<Spanned<f64>>| value.as_ref().map(Spanned::span);
    refuse_keys(
        layers,
        file,
        &[
            ("size_m", file.size_m.as_ref().map(Spanned::span)),
            ("radius_m", span(&file.radius_m)),
            ("height_m", span(&file.height_m)),
            ("tolerance_m", span(&file.tolerance_m)),
        ],
    )?;
    let Some(mesh) = &file.file else {
        let remedy = "add `file` with the path of an OBJ, PLY, STL or glTF file";
        return Err(layers.invalid(&file.shape.span(), "the mesh has no `file`", remedy));
    };
    let path = layers.file(&mesh.span(), mesh.get_ref())?;
    MeshFile::check_extension(&path).map_err(|error| match error {
        Error::Invalid { problem, remedy, .. } => layers.invalid(&mesh.span(), problem, remedy),
        other => other,
    })?;
    let mut materials = Vec::new();
    for (in_file, name) in file.materials.as_ref().map(|m| m.get_ref()).into_iter().flatten() {
        let material = named(layers, own, name)?;
        let place = layers.place(&name.span());
        materials.push(Mapping { place, in_file: in_file.clone(), material });
    }
    let unit = file.unit.as_ref().map(|unit| *unit.get_ref());
    let up = file.up.as_ref().map(|up| *up.get_ref());
    let animation = animated::check_animation(layers, file)?;
    Ok(Source::Mesh { path, unit, up, materials, animation })
}

fn check_person(layers: &Layers<'_>, file: &ObjectFile) -> Result<Source, Error> {
    let span = |value: &Option<Spanned<f64>>| value.as_ref().map(Spanned::span);
    let mut keys = mesh_keys(file);
    keys.extend([
        ("size_m", file.size_m.as_ref().map(Spanned::span)),
        ("radius_m", span(&file.radius_m)),
        ("tolerance_m", span(&file.tolerance_m)),
    ]);
    refuse_keys(layers, file, &keys)?;
    Ok(Source::Person(Person::new(animated::check_height(layers, file)?)))
}

/// Keys that only a mesh from a file has.
fn mesh_keys(file: &ObjectFile) -> Vec<(&'static str, Option<std::ops::Range<usize>>)> {
    let span = |value: &Option<Spanned<f64>>| value.as_ref().map(Spanned::span);
    vec![
        ("file", file.file.as_ref().map(Spanned::span)),
        ("unit", file.unit.as_ref().map(Spanned::span)),
        ("up", file.up.as_ref().map(Spanned::span)),
        ("materials", file.materials.as_ref().map(Spanned::span)),
        ("animation", file.animation.as_ref().map(Spanned::span)),
        ("animation_repeat", file.animation_repeat.as_ref().map(Spanned::span)),
        ("animation_speed", span(&file.animation_speed)),
        ("animation_start_s", span(&file.animation_start_s)),
        ("pose_error_m", span(&file.pose_error_m)),
    ]
}

/// A car has no keys of its own.
fn check_car(layers: &Layers<'_>, file: &ObjectFile) -> Result<Source, Error> {
    let span = |value: &Option<Spanned<f64>>| value.as_ref().map(Spanned::span);
    refuse_keys(
        layers,
        file,
        &[
            ("file", file.file.as_ref().map(Spanned::span)),
            ("unit", file.unit.as_ref().map(Spanned::span)),
            ("up", file.up.as_ref().map(Spanned::span)),
            ("materials", file.materials.as_ref().map(Spanned::span)),
            ("size_m", file.size_m.as_ref().map(Spanned::span)),
            ("radius_m", span(&file.radius_m)),
            ("height_m", span(&file.height_m)),
            ("tolerance_m", span(&file.tolerance_m)),
        ],
    )?;
    Ok(Source::Car)
}

fn check_shape(layers: &Layers<'_>, file: &ObjectFile) -> Result<Source, Error> {
    let name = *file.shape.get_ref();
    let (flat, round) = (
        matches!(name, ShapeName::Plane | ShapeName::Box),
        matches!(name, ShapeName::Sphere | ShapeName::Cylinder | ShapeName::Disc),
    );
    let unless = |wanted: bool, span| if wanted { None } else { span };
    let span = |value: &Option<Spanned<f64>>| value.as_ref().map(Spanned::span);
    let mut keys = mesh_keys(file);
    keys.extend([
        ("size_m", unless(flat, file.size_m.as_ref().map(Spanned::span))),
        ("radius_m", unless(round, span(&file.radius_m))),
        ("tolerance_m", unless(round, span(&file.tolerance_m))),
        ("height_m", unless(name == ShapeName::Cylinder, span(&file.height_m))),
    ]);
    refuse_keys(layers, file, &keys)?;
    let missing = |key: &str| {
        let shape = format!("{name:?}").to_lowercase();
        let problem = format!("the {shape} has no `{key}`");
        layers.invalid(&file.shape.span(), problem, format!("add `{key}`"))
    };
    let length = |key: &str, value: &Option<Spanned<f64>>| match value {
        Some(value) => number::positive(layers, key, value),
        None => Err(missing(key)),
    };
    let size = || file.size_m.as_ref().ok_or_else(|| missing("size_m"));
    let radius = || length("radius_m", &file.radius_m);
    let shape = match name {
        ShapeName::Plane => {
            let size = size()?;
            let size_m = number::positive_list(layers, "size_m", size.span(), size.get_ref())?;
            Shape::Plane { size_m }
        }
        ShapeName::Box => {
            let size = size()?;
            let size_m = number::positive_list(layers, "size_m", size.span(), size.get_ref())?;
            Shape::Box { size_m }
        }
        ShapeName::Sphere => Shape::Sphere { radius_m: radius()? },
        ShapeName::Cylinder => {
            Shape::Cylinder { radius_m: radius()?, height_m: length("height_m", &file.height_m)? }
        }
        ShapeName::Disc | ShapeName::Mesh | ShapeName::Person | ShapeName::Car => {
            Shape::Disc { radius_m: radius()? }
        }
    };
    let tolerance_m = match &file.tolerance_m {
        Some(tolerance) => number::positive(layers, "tolerance_m", tolerance)?,
        None => shape.default_tolerance_m(),
    };
    Ok(Source::Shape { shape, tolerance_m })
}
