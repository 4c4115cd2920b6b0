//! The objects of a world as bodies and obstacles, and how physics moves them.

use super::super::body::{BodySpec, PhysicsSpec};
use super::super::file::WorldFile;
use super::super::object::{ObjectSpec, Source};
use super::super::physics::{Looks, Motions, body, onto_ground};
use super::World;
use crate::Error;
use crate::world::car;
use crate::world::physics::{Body, Obstacle};
use crate::world::scene::shape::ShapeMesh;
use understory_base::Progress;
use understory_files::LayeredToml;
use understory_files::hint::word_remedy;
use understory_plants::GroundMesh;

impl World {
    /// How the bodies move: nothing is computed where there are none.
    pub(super) fn motions(
        &self,
        objects: &[ObjectSpec],
        ground: Option<&GroundMesh>,
        progress: &dyn Progress,
    ) -> Result<Motions, Error> {
        let mut bodies = Vec::new();
        for object in objects {
            if let Some(spec) = &object.body {
                bodies.extend(object.bodies(spec, &self.physics, ground)?);
            }
        }
        if !bodies.is_empty() {
            progress.step("physics", 0.0);
        }
        Motions::of(&self.physics, &bodies, || self.obstacles(objects, ground))
    }

    /// The ground, and what was named as an obstacle.
    fn obstacles(
        &self,
        objects: &[ObjectSpec],
        ground: Option<&GroundMesh>,
    ) -> Result<Vec<Obstacle>, Error> {
        let terrain = ground.map(|ground| Obstacle {
            name: "terrain".into(),
            mesh: ShapeMesh {
                positions: ground.positions.clone(),
                triangles: ground.triangles.clone(),
            },
        });
        let mut obstacles: Vec<Obstacle> = terrain.into_iter().collect();
        for name in &self.physics.obstacles {
            if let Some(object) = objects.iter().find(|object| object.name == *name) {
                let mesh = object.mesh()?;
                obstacles.extend(object.placements.iter().map(|world_from_mesh| {
                    let placed =
                        mesh.positions.iter().map(|p| world_from_mesh.transform_point3(*p));
                    let (positions, triangles) = (placed.collect(), mesh.triangles.clone());
                    Obstacle { name: name.clone(), mesh: ShapeMesh { positions, triangles } }
                }));
            }
            if let Some(thing) = self.ground_objects.iter().find(|thing| thing.name == *name) {
                obstacles.push(thing.obstacle(ground.map(|ground| &ground.surface))?);
            }
        }
        Ok(obstacles)
    }
}

impl ObjectSpec {
    /// Its triangles in their own frame, without materials.
    fn mesh(&self) -> Result<ShapeMesh, Error> {
        match &self.source {
            Source::Shape { shape, tolerance_m } => shape.mesh(*tolerance_m, &self.location),
            Source::Car => Ok(car::body().mesh),
            Source::Frames(_) | Source::Person(_) => Err(Error::invalid(
                &self.location,
                "a person has parts that move and is no body that things collide with",
                "remove its `body`, or its name from `obstacles`",
            )),
            Source::Mesh { asset, .. } => {
                let mesh = asset.from.read(asset.unit, asset.up)?;
                let (positions, triangles) = (mesh.positions.clone(), mesh.triangles.clone());
                Ok(ShapeMesh { positions, triangles })
            }
        }
    }

    /// All copies as bodies.
    fn bodies(
        &self,
        spec: &BodySpec,
        physics: &PhysicsSpec,
        ground: Option<&GroundMesh>,
    ) -> Result<Vec<Body>, Error> {
        let mesh = self.mesh()?;
        let looks = match &self.source {
            Source::Shape { shape, .. } => Looks::Shape(*shape, &mesh),
            _ => Looks::Mesh(&mesh),
        };
        let mut bodies = Vec::with_capacity(self.placements.len());
        for (copy, world_from_mesh) in self.placements.iter().enumerate() {
            let name = self.copy_name(copy);
            let mut body = body(name, &self.location, spec, physics, &looks, world_from_mesh)?;
            if let Some(ground) = ground.filter(|_| spec.on_ground) {
                onto_ground(&mut body, ground);
            }
            bodies.push(body);
        }
        Ok(bodies)
    }
}

/// Refuses obstacles that are nothing that stands still.
pub(super) fn check_obstacles(
    layers: &LayeredToml<'_>,
    file: &WorldFile,
    objects: &[ObjectSpec],
) -> Result<(), Error> {
    let still = objects.iter().filter(|object| object.body.is_none());
    let known: Vec<&str> = still
        .map(|object| object.name.as_str())
        .chain(file.ground_object.iter().map(|thing| thing.name.get_ref().as_str()))
        .collect();
    for name in file.physics.iter().flat_map(|physics| &physics.obstacles) {
        if !known.contains(&name.get_ref().as_str()) {
            return Err(layers.invalid(
                &name.span(),
                format!(
                    "no object or ground object that stands still is called {:?}",
                    name.get_ref()
                ),
                word_remedy(name.get_ref(), &known),
            ));
        }
    }
    Ok(())
}
