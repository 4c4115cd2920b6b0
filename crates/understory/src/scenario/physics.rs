//! From a world to the recorded motion of its bodies: by physics, or from a file.

use super::body::{BodySpec, PhysicsSpec};
use super::file::ColliderName;
use crate::Error;
use crate::scenario::object_tracks;
use crate::world::motion::{Motion, Repeat};
use crate::world::physics::{self, Body, BodyKind, BodyShape, Obstacle, RecordedMotion};
use crate::world::scene::shape::{Shape, ShapeMesh};
use crate::world::trajectory::{Pose, Trajectory};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::collections::BTreeMap;
use std::sync::Arc;
use understory_plants::GroundMesh;

/// How each body of a world moves, by the names of their objects.
pub struct Motions {
    recorded: BTreeMap<String, RecordedMotion>,
    /// How long the run lasts.
    pub duration_s: f64,
}

impl Motions {
    /// Physics, or the file that replays it.
    pub fn of(
        spec: &PhysicsSpec,
        bodies: &[Body],
        obstacles: impl FnOnce() -> Result<Vec<Obstacle>, Error>,
    ) -> Result<Motions, Error> {
        let moves = |body: &&Body| body.kind == BodyKind::Dynamic;
        if !bodies.iter().any(|body| moves(&body)) {
            return Ok(Motions { recorded: BTreeMap::new(), duration_s: spec.duration_s });
        }
        let motions = match &spec.replay {
            Some(path) => {
                let mut recorded = object_tracks::read_csv(path)?;
                recorded.retain(|motion| bodies.iter().any(|body| body.name == motion.name));
                let missing = bodies
                    .iter()
                    .filter(moves)
                    .find(|body| !recorded.iter().any(|motion| motion.name == body.name));
                if let Some(body) = missing {
                    return Err(Error::invalid(
                        path.display(),
                        format!("there is no motion of {:?} in it", body.name),
                        "record all bodies by `understory motion SCENARIO -o FILE.csv`",
                    ));
                }
                recorded
            }
            None => {
                let obstacles = obstacles()?;
                let recording =
                    physics::simulate(&spec.settings, bodies, &obstacles, spec.duration_s)?;
                for warning in &recording.warnings {
                    tracing::warn!("{warning}");
                }
                recording.motions
            }
        };
        let recorded = motions.into_iter().map(|motion| (motion.name.clone(), motion)).collect();
        Ok(Motions { recorded, duration_s: spec.duration_s })
    }

    /// How an object moves and each of its parts on it.
    pub fn of_object(&self, name: &str) -> Option<(Motion, Vec<Motion>)> {
        let motion = self.recorded.get(name)?;
        let hold = |knots: &Vec<(f64, Pose)>| {
            Some(Motion::new(Arc::new(Trajectory::through(knots.clone())?), Repeat::Hold))
        };
        Some((hold(&motion.body)?, motion.parts.iter().filter_map(hold).collect()))
    }
}

/// A placement as a pose, and what is left of it: scale, and shear where it has that.
pub fn pose_and_rest(world_from_mesh: &DAffine3) -> (Pose, DAffine3) {
    let (_, rotation, translation) = world_from_mesh.to_scale_rotation_translation();
    let pose = Pose { rotation: rotation.normalize(), translation };
    let rest = DAffine3 {
        matrix3: DMat3::from_quat(pose.rotation).transpose() * world_from_mesh.matrix3,
        translation: DVec3::ZERO,
    };
    (pose, rest)
}

/// What a body looks like before it is scaled.
pub enum Looks<'a> {
    /// A simple shape with its triangles.
    Shape(Shape, &'a ShapeMesh),
    /// Any triangles.
    Mesh(&'a ShapeMesh),
}

/// One copy of an object as a body.
pub fn body(
    name: String,
    location: &str,
    spec: &BodySpec,
    physics: &PhysicsSpec,
    looks: &Looks<'_>,
    world_from_mesh: &DAffine3,
) -> Result<Body, Error> {
    let (world_from_body, body_from_mesh) = pose_and_rest(world_from_mesh);
    Ok(Body {
        name,
        kind: spec.kind,
        shape: shape(location, spec, looks, &body_from_mesh)?,
        mass: spec.mass,
        contact: spec.contact(&physics.settings.ground),
        velocity_m_s: match spec.vehicle {
            // Along the car.
            Some(_) => world_from_body.rotation * spec.velocity_m_s,
            None => spec.velocity_m_s,
        },
        world_from_body,
        angular_velocity_rad_s: spec.angular_velocity_rad_s,
        vehicle: spec.vehicle.clone(),
    })
}

fn shape(
    location: &str,
    spec: &BodySpec,
    looks: &Looks<'_>,
    body_from_mesh: &DAffine3,
) -> Result<BodyShape, Error> {
    let (Looks::Shape(_, mesh) | Looks::Mesh(mesh)) = looks;
    let positions: Vec<DVec3> =
        mesh.positions.iter().map(|p| body_from_mesh.transform_point3(*p)).collect();
    let nowhere = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low_m, high_m) =
        positions.iter().fold(nowhere, |(low, high), p| (low.min(*p), high.max(*p)));
    let (centre_m, size) = ((low_m + high_m) * 0.5, high_m - low_m);
    let fixed = spec.kind == BodyKind::Fixed;
    let collider = spec.collider.unwrap_or(match looks {
        Looks::Shape(Shape::Box { .. }, _) => ColliderName::Box,
        Looks::Shape(Shape::Sphere { .. }, _) if is_round(size, 3) => ColliderName::Sphere,
        Looks::Shape(Shape::Cylinder { .. }, _) if is_round(size, 2) => ColliderName::Cylinder,
        _ if fixed => ColliderName::Mesh,
        _ => ColliderName::Hull,
    });
    // Triangles of round things stand out by their tolerance; their scaled radius does not.
    let stretch = body_from_mesh.matrix3.x_axis.length();
    let radius_m = match looks {
        Looks::Shape(Shape::Sphere { radius_m } | Shape::Cylinder { radius_m, .. }, _) => {
            radius_m * stretch
        }
        _ if collider == ColliderName::Cylinder => size.x.max(size.y) * 0.5,
        _ => size.max_element() * 0.5,
    };
    if collider != ColliderName::Mesh && size.min_element() <= 0.0 {
        return Err(Error::invalid(
            location,
            "a flat thing cannot be a body that moves: it has no mass",
            "use a box, or write kind = \"fixed\"",
        ));
    }
    Ok(match collider {
        ColliderName::Box => BodyShape::Box { low_m, high_m },
        ColliderName::Sphere => BodyShape::Sphere { centre_m, radius_m },
        ColliderName::Cylinder => BodyShape::Cylinder { centre_m, radius_m, height_m: size.z },
        ColliderName::Hull => BodyShape::Hull(positions),
        ColliderName::Mesh => {
            BodyShape::Mesh(ShapeMesh { positions, triangles: mesh.triangles.clone() })
        }
    })
}

/// Whether the first axes have one length.
fn is_round(size: DVec3, axes: usize) -> bool {
    size.to_array().iter().take(axes).all(|length| (length / size.x - 1.0).abs() < 1e-2)
}

/// Puts a vehicle onto the ground: raised by the height of the ground below it and tilted as the
/// ground below its wheels is.
pub fn onto_ground(body: &mut Body, ground: &GroundMesh) {
    let Some(vehicle) = &body.vehicle else { return };
    let pose = body.world_from_body;
    let height = |p: DVec3| ground.surface.height_at(p.x, p.y).map(|z| DVec3::new(p.x, p.y, z));
    let below: Option<Vec<DVec3>> = vehicle
        .wheels
        .iter()
        .map(|w| height(pose.translation + pose.rotation * w.mount_m))
        .collect();
    let Some([front_left, front_right, rear_left, rear_right]) =
        below.as_deref().and_then(|points| <[DVec3; 4]>::try_from(points).ok())
    else {
        return;
    };
    let forward = (front_left + front_right - rear_left - rear_right).normalize_or(DVec3::X);
    let across = front_left + rear_left - front_right - rear_right;
    let up = forward.cross(across).normalize_or(DVec3::Z);
    let rotation = DQuat::from_mat3(&DMat3::from_cols(forward, up.cross(forward), up));
    let middle = (front_left + front_right + rear_left + rear_right) * 0.25;
    body.world_from_body = Pose {
        rotation: rotation.normalize(),
        translation: DVec3::new(
            pose.translation.x,
            pose.translation.y,
            middle.z + pose.translation.z,
        ),
    };
    body.velocity_m_s =
        body.world_from_body.rotation * (pose.rotation.inverse() * body.velocity_m_s);
}
