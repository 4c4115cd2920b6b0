//! Bodies and obstacles as the engine wants them: shape, mass, friction, starting velocity.

use glam::{DQuat, DVec3};
use rapier3d_f64::math;
use rapier3d_f64::prelude::{
    CoefficientCombineRule, ColliderBuilder, MassProperties, PhysicsWorld, RigidBodyBuilder,
    RigidBodyHandle, SharedShape, TriMeshFlags,
};

use super::convert::{to_engine, to_vector};
use super::vehicle::VehicleSpec;
use super::{PhysicsSettings, SUBSTEPS};
use crate::Error;
use crate::world::scene::shape::ShapeMesh;
use crate::world::trajectory::Pose;

/// Whether a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    /// It falls, rolls and is pushed.
    #[default]
    Dynamic,
    /// It never moves, and others collide with it.
    Fixed,
}

/// What a body is for those that touch it, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyShape {
    /// A sphere.
    Sphere {
        /// Its centre.
        centre_m: DVec3,
        /// Its radius.
        radius_m: f64,
    },
    /// A box along the axes.
    Box {
        /// Lowest corner.
        low_m: DVec3,
        /// Highest corner.
        high_m: DVec3,
    },
    /// A cylinder along z.
    Cylinder {
        /// Its centre.
        centre_m: DVec3,
        /// Its radius.
        radius_m: f64,
        /// Its length.
        height_m: f64,
    },
    /// The convex hull of points.
    Hull(Vec<DVec3>),
    /// Triangles; for bodies that never move.
    Mesh(ShapeMesh),
}

/// How heavy a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyMass {
    /// Altogether, spread evenly.
    MassKg(f64),
    /// By volume.
    DensityKgM3(f64),
}

/// How a surface answers to what touches it. Two surfaces that touch have the geometric mean of
/// their frictions and the larger of their restitutions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Speed after a collision over speed before it, 0…1.
    pub restitution: f64,
}

impl Default for Contact {
    fn default() -> Contact {
        Contact { friction: 0.6, restitution: 0.0 }
    }
}

/// Something that obeys physics.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// For errors and for the recording.
    pub name: String,
    /// Whether it moves.
    pub kind: BodyKind,
    /// What others collide with.
    pub shape: BodyShape,
    /// How heavy it is.
    pub mass: BodyMass,
    /// How it touches.
    pub contact: Contact,
    /// Where it is at the start.
    pub world_from_body: Pose,
    /// Velocity of its centre of mass at the start.
    pub velocity_m_s: DVec3,
    /// Axis of turning times its rate at the start, in the world.
    pub angular_velocity_rad_s: DVec3,
    /// Wheels, where it is a vehicle.
    pub vehicle: Option<VehicleSpec>,
}

impl Body {
    /// How many tracks its motion has: one, and one for each wheel.
    pub fn tracks(&self) -> usize {
        1 + self.vehicle.as_ref().map_or(0, |vehicle| vehicle.wheels.len())
    }
}

/// Something that never moves, in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// For warnings.
    pub name: String,
    /// Its surface.
    pub mesh: ShapeMesh,
}

/// Adds a body whose coordinates are relative to `origin_m`.
pub fn add_body(
    world: &mut PhysicsWorld,
    body: &Body,
    settings: &PhysicsSettings,
    origin_m: DVec3,
) -> Result<RigidBodyHandle, Error> {
    let shape = shape(&body.name, &body.shape, body.kind)?;
    let mut collider =
        touching(ColliderBuilder::new(shape.shape), &body.contact).position(shape.body_from_shape);
    let mut properties = None;
    match (&body.vehicle, body.mass) {
        // Masses hang lower than the middle of the hull, and the cabin is empty.
        (Some(vehicle), _) => {
            collider = collider.density(0.0);
            properties = Some(mass_of(vehicle));
        }
        (None, _) if body.kind == BodyKind::Fixed => collider = collider.density(0.0),
        (None, BodyMass::MassKg(mass_kg)) => collider = collider.mass(mass_kg),
        (None, BodyMass::DensityKgM3(density)) => collider = collider.density(density),
    }
    let builder = match body.kind {
        BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
        BodyKind::Fixed => RigidBodyBuilder::fixed(),
    };
    let here = Pose {
        translation: body.world_from_body.translation - origin_m,
        rotation: body.world_from_body.rotation.normalize(),
    };
    // Leapfrog: the velocity of half a substep before the start.
    let substep_s = settings.step_s / SUBSTEPS as f64;
    let half_kick = DVec3::new(0.0, 0.0, settings.gravity_m_s2 * substep_s * 0.5);
    let mut builder = builder
        .pose(to_engine(&here))
        .linvel(to_vector(body.velocity_m_s + half_kick))
        .angvel(to_vector(body.angular_velocity_rad_s))
        .ccd_enabled(true)
        .allow_fast_rotation(true)
        .can_sleep(false);
    if let Some(properties) = properties {
        builder = builder.additional_mass_properties(properties);
    }
    Ok(world.insert(builder, collider).0)
}

/// Adds an obstacle; its coordinates become relative to `origin_m`.
pub fn add_obstacle(
    world: &mut PhysicsWorld,
    obstacle: &Obstacle,
    settings: &PhysicsSettings,
    origin_m: DVec3,
) -> Result<RigidBodyHandle, Error> {
    let positions = obstacle.mesh.positions.iter().map(|p| *p - origin_m);
    let shape = mesh_shape(&obstacle.name, positions, &obstacle.mesh.triangles)?;
    // Without a mass: brakes of vehicles take the ground's for real.
    let collider = touching(ColliderBuilder::new(shape), &settings.ground).density(0.0);
    Ok(world.insert(RigidBodyBuilder::fixed(), collider).0)
}

fn touching(collider: ColliderBuilder, contact: &Contact) -> ColliderBuilder {
    collider
        .friction(contact.friction)
        .friction_combine_rule(CoefficientCombineRule::GeometricMean)
        .restitution(contact.restitution)
        .restitution_combine_rule(CoefficientCombineRule::Max)
}

/// A shape and where it is on its body.
struct PlacedShape {
    shape: SharedShape,
    body_from_shape: math::Pose,
}

fn shape(name: &str, shape: &BodyShape, kind: BodyKind) -> Result<PlacedShape, Error> {
    let at =
        |centre_m: DVec3, rotation: DQuat| to_engine(&Pose { translation: centre_m, rotation });
    let placed = match shape {
        BodyShape::Sphere { centre_m, radius_m } => PlacedShape {
            shape: SharedShape::ball(*radius_m),
            body_from_shape: at(*centre_m, DQuat::IDENTITY),
        },
        BodyShape::Box { low_m, high_m } => {
            let half = (*high_m - *low_m) * 0.5;
            PlacedShape {
                shape: SharedShape::cuboid(half.x, half.y, half.z),
                body_from_shape: at((*low_m + *high_m) * 0.5, DQuat::IDENTITY),
            }
        }
        BodyShape::Cylinder { centre_m, radius_m, height_m } => PlacedShape {
            // The engine's stand along y.
            shape: SharedShape::cylinder(height_m * 0.5, *radius_m),
            body_from_shape: at(*centre_m, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)),
        },
        BodyShape::Hull(points) => {
            let points: Vec<_> = points.iter().map(|p| to_vector(*p)).collect();
            let hull = SharedShape::convex_hull(&points).ok_or_else(|| {
                Error::invalid(
                    format!("physics: body {name:?}"),
                    "its points lie in a plane or on a line, so they have no convex hull",
                    "give it a `collider` of another kind or a shape with a volume",
                )
            })?;
            PlacedShape { shape: hull, body_from_shape: math::Pose::identity() }
        }
        BodyShape::Mesh(_) if kind == BodyKind::Dynamic => {
            return Err(Error::invalid(
                format!("physics: body {name:?}"),
                "a body that moves cannot collide as a mesh",
                "give it the `collider` \"hull\", \"box\", \"sphere\" or \"cylinder\"",
            ));
        }
        BodyShape::Mesh(mesh) => PlacedShape {
            shape: mesh_shape(name, mesh.positions.iter().copied(), &mesh.triangles)?,
            body_from_shape: math::Pose::identity(),
        },
    };
    Ok(placed)
}

fn mesh_shape(
    name: &str,
    positions: impl Iterator<Item = DVec3>,
    triangles: &[[u32; 3]],
) -> Result<SharedShape, Error> {
    let positions: Vec<_> = positions.map(to_vector).collect();
    // What slides over a mesh must not catch on the edges between its triangles.
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED;
    SharedShape::trimesh_with_flags(positions, triangles.to_vec(), flags).map_err(|error| {
        Error::invalid(
            format!("physics: {name:?}"),
            format!("its mesh cannot be collided with: {error}"),
            "repair the mesh, or leave it out of physics",
        )
    })
}

/// Of a box of even mass between the axles, as wide and as high as the vehicle's.
fn mass_of(vehicle: &VehicleSpec) -> MassProperties {
    let [x, y, z] = vehicle.inertia_box_m.map(|size| size * size);
    let inertia = DVec3::new(y + z, x + z, x + y) * (vehicle.mass_kg / 12.0);
    MassProperties::new(to_vector(vehicle.centre_of_mass_m), vehicle.mass_kg, to_vector(inertia))
}
