//! An object of the world, checked, and how it gets into a scene.

use super::animated::{self, AnimatedParts, Animation};
use super::body::BodySpec;
use super::car::{add_car_part, add_wheels};
use super::frames::FrameSequence;
use super::labels::copy_name;
use super::mesh_asset::{AddedAsset, AssetObject, AssetUser, MeshAsset};
use super::motion::MotionSpec;
use super::physics::{Motions, pose_and_rest};
use super::placement;
use crate::Error;
use crate::world::car;
use crate::world::scene::foliage::Foliage;
use crate::world::scene::material::Material;
use crate::world::scene::person::{PartMesh, Person};
use crate::world::scene::shape::{Shape, ShapeMesh};
use crate::world::scene::{MeshMaterials, SceneBuilder, SceneMesh};
use crate::world::trajectory::GroundContact;
use glam::DAffine3;
use understory_geometry::{Edges, GeometryError};
use understory_plants::HeightField;

/// Most triangles that foliage may have in one mesh.
const MAX_FOLIAGE_TRIANGLES: u64 = 50_000_000;

/// An object that was found valid.
#[derive(Clone, Debug)]
pub(super) struct ObjectSpec {
    /// Where it is described.
    pub(super) location: String,
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) foliage: Option<Foliage>,
    pub(super) material: Option<Material>,
    pub(super) label: u16,
    pub(super) edges: Edges,
    pub(super) placements: Vec<DAffine3>,
    /// Names of the copies; empty: they are numbered.
    pub(super) copy_names: Vec<String>,
    pub(super) one_object: bool,
    pub(super) body: Option<BodySpec>,
    pub(super) motion: Option<MotionSpec>,
    /// How it stands on the ground, if its heights are above that.
    pub(super) on_ground: Option<GroundContact>,
}

/// What an object is made of.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Shape { shape: Shape, tolerance_m: f64 },
    Mesh { asset: MeshAsset, animation: Option<Animation> },
    Frames(FrameSequence),
    Person(Person),
    Car,
}

/// What an object looks like, in a scene and ready to be placed.
pub(super) enum Look {
    Mesh(SceneMesh),
    Asset(AddedAsset),
    Animated(Animation, AnimatedParts),
    Person(Person, Vec<SceneMesh>),
    Car { body: SceneMesh, wheel: SceneMesh },
}

impl ObjectSpec {
    /// About how many triangles it has; those of a file by its size.
    pub(super) fn triangles(&self) -> f64 {
        match &self.source {
            Source::Shape { shape, tolerance_m } => {
                let leaves = self.foliage.map_or(1.0, |foliage| f64::from(foliage.count));
                shape.triangle_estimate(*tolerance_m) * leaves
            }
            Source::Car => 2000.0,
            Source::Mesh { asset, .. } => asset.from.triangles(),
            Source::Frames(frames) => frames.triangles(),
            Source::Person(_) => 2652.0,
        }
    }

    /// Says which mesh it is if others may have the same; none: it has one of its own.
    pub(super) fn shared_shape(&self) -> Option<String> {
        match &self.source {
            Source::Shape { shape, tolerance_m } if self.foliage.is_none() => {
                Some(format!("{shape:?} {:?}", tolerance_m / self.stretch()))
            }
            _ => None,
        }
    }

    /// How much its most enlarged copy is enlarged: with it grows the error of its triangles.
    fn stretch(&self) -> f64 {
        self.placements.iter().map(placement::stretch).fold(0.0, f64::max)
    }

    pub(super) fn add_to(
        &self,
        builder: &mut SceneBuilder,
        own: &[Material],
        motions: &Motions,
        ground: Option<&HeightField>,
    ) -> Result<(), Error> {
        let here =
            |source: GeometryError| Error::Object { location: self.location.clone(), source };
        let look = match &self.source {
            Source::Car => {
                let paint = self.material.as_ref();
                let wheel = add_car_part(builder, car::wheel(), own, paint).map_err(here)?;
                let body = add_car_part(builder, car::body(), own, paint).map_err(here)?;
                Look::Car { body, wheel }
            }
            Source::Shape { shape, tolerance_m } => {
                let materials = self.uniform(builder, Material::DEFAULT_NAME).map_err(here)?;
                let (edges, tolerance_m) = (self.edges, tolerance_m / self.stretch());
                let add = |builder: &mut SceneBuilder, mesh: ShapeMesh, curve| {
                    let ShapeMesh { positions, triangles, .. } = mesh;
                    builder.add_shape(&positions, triangles, materials.clone(), edges, curve)
                };
                Look::Mesh(match &self.foliage {
                    None => {
                        let key = format!("{shape:?} {tolerance_m:?} {edges:?} {materials:?}");
                        builder.mesh_once(key, |builder| {
                            let mesh = shape.mesh(tolerance_m, &self.location)?;
                            add(builder, mesh, shape.curve()).map_err(here)
                        })?
                    }
                    Some(foliage) => {
                        let mesh = shape.mesh(tolerance_m, &self.location)?;
                        let triangles = mesh.triangles.len() as u64 * foliage.count as u64;
                        if triangles > MAX_FOLIAGE_TRIANGLES {
                            return Err(Error::invalid(
                                &self.location,
                                format!("the foliage would have {triangles} triangles"),
                                "give fewer leaves, or a larger `tolerance_m`",
                            ));
                        }
                        // Leaves are turned one by one, so no one curve holds them all.
                        add(builder, foliage.spread(&mesh), None).map_err(here)?
                    }
                })
            }
            Source::Person(person) => {
                let add = |mesh: PartMesh| {
                    let materials = self.uniform(builder, "cloth")?;
                    builder.add_mesh(&mesh.positions, mesh.triangles, materials, self.edges)
                };
                let meshes = person.meshes().into_iter().map(add).collect::<Result<_, _>>();
                Look::Person(*person, meshes.map_err(here)?)
            }
            Source::Mesh { asset, animation: Some(animation) } => Look::Animated(
                animation.clone(),
                animation.add_parts(builder, asset, &self.user(own), self.stretch())?,
            ),
            Source::Frames(frames) => {
                let (animation, parts) = frames.add_parts(builder, &self.user(own))?;
                Look::Animated(animation, parts)
            }
            Source::Mesh { asset, animation: None } => {
                Look::Asset(asset.add_to(builder, &self.user(own))?)
            }
        };
        let whole = [AssetObject::default()];
        let parts = match &look {
            Look::Asset(asset) => {
                asset.check_copies(&self.location, self.placements.len())?;
                asset.objects.as_slice()
            }
            Look::Animated(_, parts) => parts.objects.as_slice(),
            Look::Mesh(_) | Look::Person(..) | Look::Car { .. } => &whole,
        };
        let group = match self.one_object || self.placements.len() == 1 {
            true => {
                let name = self.copy_names.first().unwrap_or(&self.name);
                Some(AssetObject::add_all(parts, builder, name, self.label).map_err(here)?)
            }
            false => None,
        };
        for (copy, world_from_mesh) in self.placements.iter().enumerate() {
            let of_copy;
            let objects = match &group {
                Some(objects) => objects,
                None => {
                    let name = self.copy_name(copy);
                    of_copy = AssetObject::add_all(parts, builder, &name, self.label);
                    &of_copy.map_err(here)?
                }
            };
            let object = objects.first().copied().unwrap_or(0);
            let name = self.copy_name(copy);
            // What moves on the object: wheels, as keyframes or physics turn them.
            let (body, object_from_mesh, wheels) = match (&self.motion, motions.of_object(&name)) {
                (Some(motion), _) => {
                    let on_ground = ground.zip(self.on_ground);
                    let (motion, object_from_mesh) = motion
                        .of_copy(copy, world_from_mesh, on_ground)
                        .map_err(|off| self.off_the_ground(off.at_m))?;
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
            for object in objects {
                match &body {
                    Some(motion) => builder.move_object(*object, motion.clone()),
                    None => builder.place_object(*object, world_from_mesh),
                }
            }
            let (body, place) = (body.as_ref(), &object_from_mesh);
            let placed = match &look {
                Look::Mesh(mesh) => builder.add_instance(*mesh, object, object_from_mesh),
                Look::Asset(asset) => asset.place(builder, objects, place),
                Look::Animated(animation, parts) => {
                    animation.place(builder, parts, objects, body, place)
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

    /// The same object with its copies on the ground, if that is where they stand; those that move
    /// are put there on their way.
    pub(super) fn placed_on(&self, ground: Option<&HeightField>) -> Result<ObjectSpec, Error> {
        let mut placed = self.clone();
        let (Some(ground), Some(footprint), None) = (ground, self.on_ground, &self.motion) else {
            return Ok(placed);
        };
        for placement in &mut placed.placements {
            let (pose, rest) = pose_and_rest(placement);
            let at_m = [pose.translation.x, pose.translation.y];
            let pose = footprint
                .stand(&pose, &|x, y| ground.height_at(x, y))
                .ok_or_else(|| self.off_the_ground(at_m))?;
            let stands = DAffine3::from_rotation_translation(pose.rotation, pose.translation);
            *placement = stands * rest;
        }
        Ok(placed)
    }

    fn off_the_ground(&self, [x, y]: [f64; 2]) -> Error {
        Error::invalid(
            &self.location,
            format!("{:?} is not on the terrain at x = {x:.2}, y = {y:.2} m", self.name),
            "place it there, enlarge [world.terrain], or remove `on_ground`",
        )
    }

    /// The name of a copy, from 0.
    pub(super) fn copy_name(&self, copy: usize) -> String {
        let named = self.copy_names.get(copy).cloned();
        named.unwrap_or_else(|| copy_name(&self.name, copy, self.placements.len()))
    }

    /// What its mesh needs to know.
    fn user<'a>(&'a self, own: &'a [Material]) -> AssetUser<'a> {
        let (location, material) = (self.location.as_str(), self.material.as_ref());
        AssetUser { location, material, own, edges: self.edges }
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
}
