//! The world that the sub-rays meet: triangles, and for each of them the object, its semantic
//! class and its material.
//!
//! What enters: meshes, materials, objects and their instances, by [`SceneBuilder`]. What leaves:
//! a [`Scene`], whose lookups from a hit to its truth are two loads without a branch.

pub mod surface_optics;
pub mod foliage;
pub mod fresnel;
mod ground;
pub mod material;
pub mod mesh_file;
pub mod placement;
pub mod query;
pub mod shape;
pub mod mover;
pub mod person;
pub mod retroreflector;
mod surface;
pub mod volume;

use crate::world::motion::Motion;
use crate::world::vegetation_lod::VegetationLodReport;
use glam::{DAffine3, DVec3};
use material::Material;
use mover::{Mover, MoverShape};
use std::collections::BTreeMap;
use surface_optics::Optics;
use understory_base::Pose;
use understory_cloud::SceneNames;
use understory_geometry::{
    CurvedSurface, Cutout, DynamicBvh, Edges, GeometryError, InstanceId, MeshId, RayHit, RayScene,
    RaySceneAt, RaySceneBuilder, Sway, TriangleMesh,
};
use understory_plants::{Part, PlantLod};
use volume::{PlacedSite, SiteRays};

use ground::Ground;
pub use ground::GroundPoint;
pub use surface::Surface;

/// Most mirrors, panes and borders on the way of light, where the scenario does not say.
pub const BOUNCES_MAX: u8 = 16;

/// Bounds of nothing.
const NOWHERE: (DVec3, DVec3) = (DVec3::INFINITY, DVec3::NEG_INFINITY);

/// The corners of a box.
fn corners((low, high): (DVec3, DVec3)) -> [DVec3; 8] {
    std::array::from_fn(|corner| {
        let pick = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
        DVec3::from_array([0, 1, 2].map(pick))
    })
}

/// Something with an identity in the ground truth.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its number, from 1.
    pub id: u32,
    /// Its name; instances of one description are `tree#1`, `tree#2` …
    pub name: String,
    /// Its semantic class.
    pub label: u16,
    /// How it moves; none: it stands still, though parts of it may move.
    pub motion: Option<Motion>,
    /// Where its own frame is, if it stands still.
    pub place: Option<Pose>,
    /// Lowest and highest corner of all its parts at the time 0, in its own frame.
    pub bounds: (DVec3, DVec3),
}

impl Object {
    /// Where its own frame is at a time.
    pub fn pose_at(&self, time_s: f64) -> Pose {
        let place = self.place.unwrap_or(Pose::IDENTITY);
        self.motion.as_ref().map_or(place, |motion| motion.pose_at(time_s))
    }

    /// Lowest and highest corner in the world at a time of the box around all its parts; `None`
    /// without parts.
    pub fn world_bounds(&self, time_s: f64) -> Option<(DVec3, DVec3)> {
        if !(self.bounds.1 - self.bounds.0).is_finite() {
            return None;
        }
        let pose = self.pose_at(time_s);
        let placed = corners(self.bounds).map(|corner| pose.translation + pose.rotation * corner);
        let extend = |(low, high): (DVec3, DVec3), p: &DVec3| (low.min(*p), high.max(*p));
        Some(placed.iter().fold(NOWHERE, extend))
    }
}

/// Everything that rays can meet, ready to be traced.
pub struct Scene {
    /// The tracer.
    pub rays: RayScene,
    /// Most mirrors, panes and borders on the way of light.
    pub bounces_max: u8,
    objects: Vec<Object>,
    materials: Vec<Material>,
    instances: Vec<InstanceTruth>,
    triangle_materials: Vec<u16>,
    labels: Vec<PartLabels>,
    /// What the triangles of plants' meshes are, by the number of the mesh.
    plant_parts: BTreeMap<u32, Box<[Part]>>,
    movers: Vec<Mover>,
    /// How vegetation_lod is made cheaper and what that does, where they are.
    pub vegetation_lod: Option<VegetationLodReport>,
    /// Learned sites.
    pub sites: Vec<PlacedSite>,
    ground: Ground,
}

/// Semantic classes of an object: one for the wood of plants, one for all else.
#[derive(Clone, Copy, Default)]
struct PartLabels {
    label: u16,
    /// Material of the wood; 0, which none has, where there is none.
    wood: u16,
    wood_label: u16,
}

/// What is known of an instance. Triangle i has the material in slot `first + (i & mask)`; the
/// mask of a mesh of one material is 0, and so its table has one row.
#[derive(Clone, Copy)]
struct InstanceTruth {
    object: u32,
    materials: MaterialRows,
}

#[derive(Clone, Copy, Debug)]
struct MaterialRows {
    first: u32,
    mask: u32,
}

impl Scene {
    /// All objects; that with number `id` is `objects()[id − 1]`.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Everything that moves.
    pub fn movers(&self) -> &[Mover] {
        &self.movers
    }

    /// The scene at one time; `movers` must have been fitted to it.
    #[inline]
    pub fn at<'a>(&'a self, movers: &'a DynamicBvh, time_s: f64) -> SceneAt<'a> {
        SceneAt { scene: self, rays: self.rays.at(movers, time_s) }
    }

    /// How fast the point of an instance that is at `world_m` moves.
    pub fn velocity_of(&self, instance: InstanceId, world_m: DVec3, time_s: f64) -> DVec3 {
        match (instance.0 as usize).checked_sub(self.rays.standing_count()) {
            Some(mover) => self.movers[mover].velocity_of(world_m, time_s),
            None => self.rays.sway_velocity(instance, world_m, time_s),
        }
    }

    /// All materials; that with number `id` is `materials()[id − 1]`.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Colour of what was met, sRGB: that of the volume, where one was learned, else that of the
    /// material; black where there is none.
    pub fn colour_of(&self, surface: &Surface) -> [u8; 3] {
        if surface.volume > 0 {
            let mut sites = self.sites.iter().map(|site| (site.place.surface.object, site));
            let site = sites.find(|(object, _)| *object == surface.object);
            if let Some(colour) = site.and_then(|(_, site)| site.colour_of(surface.volume)) {
                return colour;
            }
        }
        let place = usize::from(surface.material).wrapping_sub(1);
        self.materials.get(place).map_or([0; 3], |material| material.colour)
    }

    /// What the numbers of objects and materials in the records stand for.
    pub fn names(&self) -> SceneNames {
        SceneNames {
            objects: self.objects.iter().map(|object| object.name.clone()).collect(),
            materials: self.materials.iter().map(|material| material.name.clone()).collect(),
        }
    }

    /// Object to which an instance of this scene belongs, from 1.
    pub fn object_of(&self, instance: InstanceId) -> u32 {
        self.instances[instance.0 as usize].object
    }

    /// Semantic class of an object where it is made of `material`; 0 for object 0, which is none.
    pub fn label_of(&self, object: u32, material: u16) -> u16 {
        let labels = self.labels[object as usize];
        if material == labels.wood { labels.wood_label } else { labels.label }
    }

    /// Material and semantic class of an object's wood, if it has a class of its own.
    pub fn wood_of(&self, object: u32) -> Option<(u16, u16)> {
        let labels = self.labels.get(object as usize)?;
        (labels.wood != 0).then_some((labels.wood, labels.wood_label))
    }

    /// What a triangle of a mesh is, if that is a plant's.
    pub fn part_of(&self, mesh: MeshId, triangle: u32) -> Option<Part> {
        self.plant_parts.get(&mesh.0)?.get(triangle as usize).copied()
    }

    /// Material of a triangle of an instance, from 1.
    pub fn material_of(&self, instance: InstanceId, triangle: u32) -> u16 {
        let rows = self.instances[instance.0 as usize].materials;
        self.triangle_materials[rows.first as usize + (triangle & rows.mask) as usize]
    }

    /// What stands at a hit, as the records name it.
    #[inline]
    pub fn surface_of(&self, hit: &RayHit) -> Surface {
        let object = self.object_of(hit.instance);
        let material = self.material_of(hit.instance, hit.triangle);
        Surface { object, material, label: self.label_of(object, material), volume: 0 }
    }

    /// Whether there is nothing but learned sites that are queried along the axis of a beam of this
    /// divergence.
    pub fn has_only_axes(&self, divergence_rad: f64) -> bool {
        let is_nominal = |site: &PlacedSite| {
            site.rays() == SiteRays::Nominal && site.cone(divergence_rad).is_none()
        };
        let nominal = self.sites.iter().all(is_nominal);
        !self.sites.is_empty() && nominal && self.rays.instance_count() == 0
    }

    /// Bytes held by everything that rays can meet.
    pub fn memory_bytes(&self) -> usize {
        let sites: usize = self.sites.iter().map(PlacedSite::memory_bytes).sum();
        let parts: usize = self.plant_parts.values().map(|parts| parts.len()).sum();
        self.rays.memory_bytes() + sites + parts
    }

    /// Each material at a wavelength, indexed by its number; slot 0 is black.
    pub fn optics(&self, wavelength_nm: f64) -> Vec<Optics> {
        let known = self.materials.iter().map(|material| material.optics(wavelength_nm));
        std::iter::once(Optics::BLACK).chain(known).collect()
    }
}

/// A scene at one time.
#[derive(Clone, Copy)]
pub struct SceneAt<'a> {
    /// All that does not depend on time.
    pub scene: &'a Scene,
    /// The tracer at that time.
    pub rays: RaySceneAt<'a>,
}

/// Materials of the triangles of a mesh, by their numbers.
#[derive(Clone, Debug)]
pub enum MeshMaterials {
    /// One for all.
    Uniform(u16),
    /// One for each triangle.
    PerTriangle(Vec<u16>),
}

/// A mesh that was given to a [`SceneBuilder`].
#[derive(Clone, Copy, Debug)]
pub struct SceneMesh {
    mesh: MeshId,
    materials: MaterialRows,
    /// Lowest and highest corner, in the frame of the mesh.
    bounds: (DVec3, DVec3),
}

impl SceneMesh {
    /// How high its highest point is in the frame of the mesh.
    pub fn height_m(&self) -> f64 {
        self.bounds.1.z
    }
}

/// Collects what a [`Scene`] consists of.
#[derive(Default)]
pub struct SceneBuilder {
    rays: RaySceneBuilder,
    objects: Vec<Object>,
    materials: Vec<Material>,
    instances: Vec<InstanceTruth>,
    triangle_materials: Vec<u16>,
    woods: Vec<(u32, u16, u16)>,
    plant_parts: BTreeMap<u32, Box<[Part]>>,
    movers: Vec<Mover>,
    /// Meshes that are alike, by all that makes them.
    alike: BTreeMap<String, SceneMesh>,
}

impl SceneBuilder {
    /// The mesh that was added before for the same `key`, which says all that makes it; else `add`
    /// adds it.
    pub fn mesh_once<E>(
        &mut self,
        key: String,
        add: impl FnOnce(&mut SceneBuilder) -> Result<SceneMesh, E>,
    ) -> Result<SceneMesh, E> {
        if let Some(known) = self.alike.get(&key) {
            return Ok(*known);
        }
        let mesh = add(self)?;
        self.alike.insert(key, mesh);
        Ok(mesh)
    }

    /// Adds a material and returns its number, or the number of the one that has its name.
    pub fn add_material(&mut self, material: Material) -> Result<u16, GeometryError> {
        let known = self.materials.iter().position(|known| known.name == material.name);
        let index = known.unwrap_or_else(|| {
            self.materials.push(material);
            self.materials.len() - 1
        });
        let limit = u16::MAX as usize;
        let count = self.materials.len();
        let too_many = GeometryError::TooMany { what: "materials", count, limit };
        u16::try_from(index + 1).map_err(|_| too_many)
    }

    /// Number of the material of this name, if it was added.
    pub fn material_named(&self, name: &str) -> Option<u16> {
        let index = self.materials.iter().position(|material| material.name == name)?;
        u16::try_from(index + 1).ok()
    }

    /// Adds a mesh; it is not seen before it has an instance.
    pub fn add_mesh(
        &mut self,
        positions: &[DVec3],
        triangles: Vec<[u32; 3]>,
        materials: MeshMaterials,
        edges: Edges,
    ) -> Result<SceneMesh, GeometryError> {
        self.add_shape(positions, triangles, materials, edges, None)
    }

    /// Adds a mesh that may have holes.
    pub fn add_cut_mesh(
        &mut self,
        positions: &[DVec3],
        triangles: Vec<[u32; 3]>,
        materials: MeshMaterials,
        edges: Edges,
        cutout: Option<Cutout>,
    ) -> Result<SceneMesh, GeometryError> {
        let Some(cutout) = cutout else {
            return self.add_mesh(positions, triangles, materials, edges);
        };
        let count = triangles.len();
        let mesh = TriangleMesh::new(positions, triangles)?;
        let mesh = self.rays.add_cut_mesh(&mesh, edges, cutout)?;
        self.with_materials(mesh, positions, count, materials)
    }

    /// Adds a mesh whose triangles may stand for a curved surface.
    pub fn add_shape(
        &mut self,
        positions: &[DVec3],
        triangles: Vec<[u32; 3]>,
        materials: MeshMaterials,
        edges: Edges,
        curve: Option<CurvedSurface>,
    ) -> Result<SceneMesh, GeometryError> {
        let count = triangles.len();
        let mesh = TriangleMesh::new(positions, triangles)?;
        let mesh = match curve {
            Some(curve) => self.rays.add_curved_mesh(&mesh, edges, curve)?,
            None => self.rays.add_mesh(&mesh, edges)?,
        };
        self.with_materials(mesh, positions, count, materials)
    }

    /// Notes the materials of a mesh with `count` triangles.
    fn with_materials(
        &mut self,
        mesh: MeshId,
        positions: &[DVec3],
        count: usize,
        materials: MeshMaterials,
    ) -> Result<SceneMesh, GeometryError> {
        let first = self.triangle_materials.len();
        let mask = match materials {
            MeshMaterials::Uniform(material) => {
                self.triangle_materials.push(material);
                0
            }
            MeshMaterials::PerTriangle(mut materials) => {
                // One row per triangle whatever was given, so that no lookup leaves the table.
                materials.resize(count, materials.last().copied().unwrap_or(0));
                self.triangle_materials.append(&mut materials);
                u32::MAX
            }
        };
        let (count, limit) = (self.triangle_materials.len(), u32::MAX as usize);
        let what = "triangles with materials of their own";
        let first = u32::try_from(first)
            .ok()
            .filter(|_| count <= limit)
            .ok_or(GeometryError::TooMany { what, count, limit })?;
        let bounds = positions.iter().fold(NOWHERE, |(low, high), p| (low.min(*p), high.max(*p)));
        Ok(SceneMesh { mesh, materials: MaterialRows { first, mask }, bounds })
    }

    /// Notes what each triangle of a plant's mesh is.
    pub fn note_parts(&mut self, mesh: SceneMesh, parts: Vec<Part>) {
        self.plant_parts.insert(mesh.mesh.0, parts.into());
    }

    /// Adds the next coarser version of a plant's mesh for instances that are far away; none is
    /// the same as the one before. See [`RaySceneBuilder::add_lod`].
    pub fn add_coarser_version(
        &mut self,
        of: SceneMesh,
        version: Option<PlantLod>,
    ) -> Result<(), GeometryError> {
        let Some(PlantLod { plant, stands_for }) = version else {
            return self.rays.repeat_lod(of.mesh);
        };
        self.rays.add_lod(of.mesh, &plant.positions, plant.triangles, &stands_for)
    }

    /// Adds an object and returns its number.
    pub fn add_object(&mut self, name: String, label: u16) -> Result<u32, GeometryError> {
        let count = self.objects.len() + 1;
        let limit = u32::MAX as usize;
        let id = u32::try_from(count).map_err(|_| GeometryError::TooMany {
            what: "objects",
            count,
            limit,
        })?;
        self.objects.push(Object { id, name, label, motion: None, place: None, bounds: NOWHERE });
        Ok(id)
    }

    /// Lets an object move; its parts are then placed in its own frame, by
    /// [`SceneBuilder::add_instance`] or [`SceneBuilder::add_mover`].
    pub fn move_object(&mut self, object: u32, motion: Motion) {
        if let Some(object) = self.objects.get_mut((object as usize).wrapping_sub(1)) {
            object.motion = Some(motion);
        }
    }

    /// Gives what an object has of `material` a semantic class of its own, as trunks have in crowns.
    pub fn label_wood(&mut self, object: u32, material: u16, label: u16) {
        self.woods.push((object, material, label));
    }

    /// Places a mesh as (a part of) an object, in the frame of the object: that is the world's
    /// unless [`SceneBuilder::move_object`] was called for it before.
    pub fn add_instance(
        &mut self,
        mesh: SceneMesh,
        object: u32,
        object_from_mesh: DAffine3,
    ) -> Result<(), GeometryError> {
        let body = self.object(object).and_then(|object| object.motion.clone());
        if body.is_some() {
            let shape = MoverShape::Rigid(mesh);
            let part_from_mesh = object_from_mesh;
            return self.add_mover(Mover { object, body, part: None, part_from_mesh, shape });
        }
        self.place_object(object, &object_from_mesh);
        self.widen(object, &mesh, &object_from_mesh);
        self.rays.add_instance(mesh.mesh, object_from_mesh)?;
        self.instances.push(InstanceTruth { object, materials: mesh.materials });
        Ok(())
    }

    /// Like [`SceneBuilder::add_instance`] for a plant that sways where it stands.
    pub fn add_swaying_instance(
        &mut self,
        mesh: SceneMesh,
        object: u32,
        world_from_mesh: DAffine3,
        sway: Sway,
    ) -> Result<(), GeometryError> {
        self.place_object(object, &world_from_mesh);
        self.widen(object, &mesh, &world_from_mesh);
        self.rays.add_swaying_instance(mesh.mesh, world_from_mesh, sway)?;
        self.instances.push(InstanceTruth { object, materials: mesh.materials });
        Ok(())
    }

    /// Adds a part that moves.
    pub fn add_mover(&mut self, mover: Mover) -> Result<(), GeometryError> {
        let mesh = mover.mesh_at(0.0);
        self.widen(mover.object, &mesh, &mover.object_from_mesh(0.0));
        self.rays.add_mover(Box::new(mover.clone()))?;
        self.movers.push(mover);
        Ok(())
    }

    /// Places a mesh on a part of an object that moves on it: `object_from_part` is `part`.
    pub fn add_part(
        &mut self,
        mesh: SceneMesh,
        object: u32,
        part: Motion,
        part_from_mesh: DAffine3,
    ) -> Result<(), GeometryError> {
        let body = self.object(object).and_then(|object| object.motion.clone());
        let shape = MoverShape::Rigid(mesh);
        self.add_mover(Mover { object, body, part: Some(part), part_from_mesh, shape })
    }

    /// Says where the frame of an object is that stands still, once; its first part does where nobody
    /// else does.
    pub fn place_object(&mut self, object: u32, world_from_mesh: &DAffine3) {
        let Some(object) = self.objects.get_mut((object as usize).wrapping_sub(1)) else { return };
        if object.place.is_none() && object.motion.is_none() {
            let (_, rotation, translation) = world_from_mesh.to_scale_rotation_translation();
            let rotation = Some(rotation.normalize()).filter(|turn| turn.is_finite());
            object.place = Some(Pose { rotation: rotation.unwrap_or_default(), translation });
        }
    }

    /// Extends the bounds of an object by a part.
    fn widen(&mut self, object: u32, mesh: &SceneMesh, object_from_mesh: &DAffine3) {
        let Some(object) = self.objects.get_mut((object as usize).wrapping_sub(1)) else { return };
        let Pose { rotation, translation } = object.place.unwrap_or(Pose::IDENTITY);
        let turn = rotation.inverse();
        for corner in corners(mesh.bounds) {
            let corner = object_from_mesh.transform_point3(corner);
            let corner = turn * (corner - translation);
            object.bounds = (object.bounds.0.min(corner), object.bounds.1.max(corner));
        }
    }

    fn object(&self, id: u32) -> Option<&Object> {
        self.objects.get((id as usize).wrapping_sub(1))
    }

    /// Builds the tracer's trees.
    pub fn build(self) -> Result<Scene, GeometryError> {
        let all =
            self.objects.iter().map(|o| PartLabels { label: o.label, wood: 0, wood_label: 0 });
        let mut labels: Vec<_> = std::iter::once(PartLabels::default()).chain(all).collect();
        for (object, wood, wood_label) in self.woods {
            if let Some(labels) = labels.get_mut(object as usize) {
                *labels = PartLabels { wood, wood_label, ..*labels };
            }
        }
        // Hits on what moves bear the numbers behind those of all that stands.
        let moving = self.movers.iter().map(|mover| InstanceTruth {
            object: mover.object,
            materials: mover.mesh_at(0.0).materials,
        });
        let instances = self.instances.into_iter().chain(moving).collect();
        let ground = Ground::of(&self.objects);
        Ok(Scene {
            rays: self.rays.build(),
            bounces_max: BOUNCES_MAX,
            objects: self.objects,
            materials: self.materials,
            instances,
            triangle_materials: self.triangle_materials,
            labels,
            plant_parts: self.plant_parts,
            movers: self.movers,
            vegetation_lod: None,
            sites: Vec::new(),
            ground,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use material::Spectrum;

    fn material(name: &str, rho: f64) -> Material {
        let reflectance = Spectrum::constant(rho).unwrap();
        Material::diffuse(name, reflectance, [0; 3])
    }

    #[test]
    fn hits_lead_to_objects_labels_and_materials() {
        let mut builder = SceneBuilder::default();
        let a = builder.add_material(material("a", 0.25)).unwrap();
        let b = builder.add_material(material("b", 0.5)).unwrap();
        assert_eq!((a, b, builder.add_material(material("a", 0.9)).unwrap()), (1, 2, 1));
        let square = shape::Shape::Plane { size_m: [2.0, 2.0] }.mesh(1.0, "").unwrap();
        let mut add = |materials| {
            let triangles = square.triangles.clone();
            builder.add_mesh(&square.positions, triangles, materials, Edges::Closed).unwrap()
        };
        let plain = add(MeshMaterials::Uniform(b));
        let mixed = add(MeshMaterials::PerTriangle(vec![b, a]));
        let low = builder.add_object("low".into(), 72).unwrap();
        let high = builder.add_object("high".into(), 50).unwrap();
        let up = |z| DAffine3::from_translation(DVec3::new(0.0, 0.0, z));
        builder.add_instance(plain, low, up(0.0)).unwrap();
        builder.add_instance(mixed, high, up(5.0)).unwrap();
        builder.label_wood(high, a, 71);
        let scene = builder.build().unwrap();

        let look = |x: f64, y: f64, z: f64, down: f32| {
            let direction = glam::Vec3::new(0.0, 0.0, down);
            let hit = scene.rays.trace_ray(DVec3::new(x, y, z), direction, 100.0).unwrap();
            let object = scene.object_of(hit.instance);
            let material = scene.material_of(hit.instance, hit.triangle);
            (object, scene.label_of(object, material), material)
        };
        assert_eq!(look(0.5, -0.5, 1.0, -1.0), (low, 72, b));
        assert_eq!(look(-0.5, 0.5, 1.0, -1.0), (low, 72, b));
        assert_eq!(look(0.5, -0.5, 9.0, -1.0), (high, 50, b));
        assert_eq!(look(-0.5, 0.5, 9.0, -1.0), (high, 71, a));
        assert_eq!(
            scene.optics(905.0).iter().map(|o| o.reflectance).collect::<Vec<_>>(),
            [0.0, 0.25, 0.5]
        );
        assert_eq!(scene.objects()[1].name, "high");
    }
}
