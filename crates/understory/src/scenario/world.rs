//! The `[world]` table, checked; and the scene that is built from it.

mod bodies;

use super::air;
use super::body::PhysicsSpec;
use super::crs::{check_crs, check_origin, warn_of_no_crs};
use super::file::WorldFile;
use super::given::{InMemoryAssets, MeshSource};
use super::ground::Terrain;
use super::ground_object::GroundObjects;
use super::material::check_materials;
use super::memory::{PartEstimate, SceneEstimate};
use super::object::{ObjectSpec, Source};
use super::object_check::check_object;
use super::plant::{AirMotion, PlantContext, PlantGroup};
use super::site::{SiteSpec, Sites};
use super::wind::Wind;
use crate::Error;
use crate::pulse::atmosphere::Atmosphere;
use crate::world::scene::material::Material;
use crate::world::scene::{BOUNCES_MAX, Scene, SceneBuilder};
use crate::world::vegetation_lod::{self, VegetationLod};
use bodies::check_obstacles;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use understory_base::Progress;
use understory_cloud::GeographicOrigin;
use understory_files::{LayeredToml, Spanned};
use understory_plants::Sway;

/// A world that was found valid but is not built.
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
    /// Coordinate reference system as well-known text.
    pub crs_wkt: Option<String>,
    /// Where on Earth its origin is.
    pub geographic_origin: Option<GeographicOrigin>,
}

impl World {
    /// Checks everything that can be known without reading a mesh.
    pub fn check(
        layers: &LayeredToml<'_>,
        assets: &InMemoryAssets,
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
            objects.push(check_object(layers, assets, object, &materials)?);
            if object.on_ground && file.terrain.is_none() {
                let problem =
                    format!("{:?} stands on the ground, but there is none", object.name.get_ref());
                let remedy = "add a table [world.terrain], or remove `on_ground`";
                return Err(layers.invalid(&object.name.span(), problem, remedy));
            }
        }
        let terrain = file.terrain.as_ref();
        let terrain = terrain.map(|t| Terrain::check(layers, t, &materials, seed)).transpose()?;
        let epsg = terrain.as_ref().and_then(Terrain::epsg);
        let crs_wkt = check_crs(layers, file.crs.as_ref(), epsg)?;
        let geographic_origin = check_origin(layers, file.geographic_origin.as_ref(), &crs_wkt)?;
        if let (None, None, Some(terrain)) = (&crs_wkt, &geographic_origin, &terrain) {
            warn_of_no_crs(terrain);
        }
        let everywhere = terrain.as_ref().and_then(Terrain::area);
        let context = PlantContext {
            layers,
            own: &materials,
            assets,
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
        let wind = file.wind.as_ref().map(|wind| Wind::new(wind.get_ref()));
        let mut sites = Vec::new();
        for site in &file.site {
            if !names.insert(site.name.get_ref()) {
                return Err(twice(layers, "object, plant or site", &site.name));
            }
            sites.push(SiteSpec::check(layers, assets, site)?);
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
            crs_wkt,
            geographic_origin,
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
            crs_wkt: None,
            geographic_origin: None,
        }
    }

    /// What building it will need, with coarser LOD levels of plants or without.
    pub fn estimate(&self, vegetation_lod: VegetationLod) -> SceneEstimate {
        let terrain = self.terrain.iter().map(|terrain| PartEstimate {
            location: terrain.location.clone(),
            name: "terrain".into(),
            source_triangles: terrain.triangles() as f64,
            instances: 1.0,
            effective_triangles: terrain.triangles() as f64,
            volumes: 0.0,
        });
        let plants = self.plants.iter().map(|plant| {
            let (triangles, copies) = (plant.triangles() as f64, plant.layout.expected_count());
            let versions = if vegetation_lod == VegetationLod::Off {
                1.0
            } else {
                vegetation_lod::MEMORY_FACTOR
            };
            PartEstimate {
                location: plant.location.clone(),
                name: plant.name.clone(),
                source_triangles: triangles * f64::from(plant.variants()) * versions,
                instances: copies,
                effective_triangles: triangles * copies,
                volumes: 0.0,
            }
        });
        let mut shapes = BTreeSet::new();
        let objects = self.objects.iter().map(move |object| {
            let (triangles, copies) = (object.triangles(), object.placements.len() as f64);
            let is_known = object.shared_shape().is_some_and(|shape| !shapes.insert(shape));
            PartEstimate {
                location: object.location.clone(),
                name: object.name.clone(),
                source_triangles: if is_known { 0.0 } else { triangles },
                instances: copies,
                effective_triangles: triangles * copies,
                volumes: 0.0,
            }
        });
        let things = self.ground_objects.iter().map(|thing| PartEstimate {
            location: thing.location.clone(),
            name: thing.name.clone(),
            source_triangles: thing.source_triangles(),
            instances: thing.expected_count(),
            effective_triangles: thing.triangles() * thing.expected_count(),
            volumes: 0.0,
        });
        let sites = self.sites.iter().map(SiteSpec::estimate);
        let parts = terrain.chain(plants).chain(things).chain(objects).chain(sites);
        SceneEstimate { parts: parts.collect() }
    }

    /// Files that the scene will read.
    pub fn mesh_paths(&self) -> impl Iterator<Item = &Path> {
        let of_objects = self.objects.iter().flat_map(|object| match &object.source {
            Source::Mesh { asset, .. } => std::slice::from_ref(asset),
            Source::Frames(frames) => frames.assets.as_slice(),
            Source::Shape { .. } | Source::Person(_) | Source::Car => &[],
        });
        let of_things = self.ground_objects.iter().filter_map(GroundObjects::mesh);
        of_objects.chain(of_things).filter_map(|asset| match &asset.from {
            MeshSource::File(path) => Some(path.as_path()),
            MeshSource::Given(..) => None,
        })
    }

    /// Reads and grows the meshes and builds the tracer; `progress` hears what comes next, and how
    /// much of the work (0…1) is done.
    ///
    /// Plants get coarser LOD levels that lack detail below each of `details_m`.
    pub fn build(
        &self,
        progress: &dyn Progress,
        details_m: &[f64],
        use_of_sites: Sites,
    ) -> Result<Scene, Error> {
        let mut builder = SceneBuilder::default();
        for material in &self.materials {
            builder.add_material(material.clone())?;
        }
        let ground_mesh = self.terrain.as_ref().map(Terrain::mesh).transpose()?;
        let surface = ground_mesh.as_ref().map(|mesh| &mesh.surface);
        let objects = self.objects.iter().map(|object| object.placed_on(surface));
        let objects = objects.collect::<Result<Vec<ObjectSpec>, Error>>()?;
        let motions = self.motions(&objects, ground_mesh.as_ref(), progress)?;
        for object in &objects {
            tracing::debug!(object = object.name, copies = object.placements.len(), "building");
            object.add_to(&mut builder, &self.materials, &motions, surface)?;
        }
        let mut sites = Vec::with_capacity(self.sites.len());
        for site in &self.sites {
            progress.step(&site.name, 0.0);
            sites.extend(site.add_to(&mut builder, sites.len() as u32, use_of_sites)?);
        }
        let parts = self.plants.len() as f64 + 2.0;
        progress.step("terrain", 0.0);
        let ground = match (&self.terrain, ground_mesh) {
            (Some(terrain), Some(mesh)) => Some(terrain.add_to(&mut builder, mesh)?),
            _ => None,
        };
        for (index, plant) in self.plants.iter().enumerate() {
            tracing::debug!(plant = plant.name, variants = plant.variants(), "growing");
            progress.step(&plant.name, (index as f64 + 1.0) / parts);
            let air = AirMotion { sway: self.sway.as_ref(), wind: self.wind.as_ref() };
            plant.add_to(&mut builder, ground.as_ref(), details_m, &air)?;
        }
        for thing in &self.ground_objects {
            thing.add_to(&mut builder, ground.as_ref(), &self.materials)?;
        }
        progress.step("tree over all", 1.0 - 1.0 / parts);
        let mut scene = builder.build()?;
        scene.bounces_max = self.bounces_max;
        scene.sites = sites;
        scene.set_terrain(ground);
        Ok(scene)
    }
}

fn twice(layers: &LayeredToml<'_>, what: &str, name: &Spanned<String>) -> Error {
    let problem = format!("there is another {what} called {:?}", name.get_ref());
    layers.invalid(&name.span(), problem, "give each a name of its own")
}
