//! Bodies that start inside each other or under the ground: the engine would throw them out.

use glam::DVec3;
use rapier3d_f64::prelude::{PhysicsWorld, QueryFilter, Ray, RigidBodyHandle};

use super::DISTANCE_MAX_M;
use super::convert::to_vector;

/// Bodies that stand on each other may be this deep in each other by rounding.
const DEPTH_M: f64 = 2e-3;

/// One sentence about each pair that overlaps and each body whose centre is under a surface.
pub fn warnings(world: &mut PhysicsWorld, names: &[(RigidBodyHandle, &str)]) -> Vec<String> {
    // A step of no time finds what touches and moves nothing.
    let step_s = std::mem::replace(&mut world.integration_parameters.dt, 0.0);
    world.step();
    world.integration_parameters.dt = step_s;
    let name = |collider| {
        let body = world.colliders.get(collider).and_then(|collider| collider.parent())?;
        names.iter().find(|(handle, _)| *handle == body).map(|(_, name)| *name)
    };
    let mut found = Vec::new();
    for pair in world.contact_pairs() {
        let Some((_, contact)) = pair.find_deepest_contact() else { continue };
        let (Some(a), Some(b)) = (name(pair.collider1), name(pair.collider2)) else { continue };
        if contact.dist < -DEPTH_M {
            let (first, second) = if a <= b { (a, b) } else { (b, a) };
            let depth_mm = -contact.dist * 1e3;
            found.push(format!(
                "physics: {first:?} and {second:?} start {depth_mm:.0} mm inside each other and \
                 will be pushed apart; move one of them"
            ));
        }
    }
    for (handle, name) in names {
        let Some(body) = world.bodies.get(*handle).filter(|body| body.is_dynamic()) else {
            continue;
        };
        // A surface seen from below: nothing holds a body up there.
        let up = Ray::new(body.center_of_mass(), to_vector(DVec3::Z));
        let filter = QueryFilter::only_fixed();
        let hit = world.cast_ray_and_get_normal(&up, DISTANCE_MAX_M, true, filter);
        let mesh = hit.and_then(|(collider, hit)| {
            let shape = world.colliders.get(collider)?.shape();
            let below = world.cast_ray(
                &Ray::new(body.center_of_mass(), to_vector(-DVec3::Z)),
                DISTANCE_MAX_M,
                true,
                filter,
            );
            (shape.as_trimesh().is_some() && below.is_none()).then_some(hit.time_of_impact)
        });
        if let Some(depth_m) = mesh {
            found.push(format!(
                "physics: the middle of {name:?} starts {depth_m:.2} m under the ground and will \
                 fall for ever; raise it"
            ));
        }
    }
    found.sort();
    found
}
