//! Where everything that moves is at a time.

use bytes::Bytes;

use super::{geometry, matrix, offset_m};
use crate::block::BlockBuilder;
use crate::prepared::Prepared;
use crate::protocol::world::MomentExtra;
use crate::refusal::{Answer, Refusal};

/// Matrices of all that moves, of the platform and of the sensors.
pub fn moment(prepared: &Prepared, time_s: f64) -> Answer<Bytes> {
    if !time_s.is_finite() {
        return Err(Refusal::bad("give a time in seconds"));
    }
    let (scene, run) = (prepared.shown()?, &prepared.run);
    let time_s = time_s.clamp(0.0, run.duration_s);
    let offset_m = offset_m(prepared);
    let (mut instances, mut meshes, mut matrices) = (Vec::new(), Vec::new(), Vec::new());
    let numbers = geometry::mover_meshes(&scene);
    for (place, instance) in geometry::movers(&scene).enumerate() {
        let Some((mesh, transform)) = scene.rays.instance_at(instance, time_s) else { continue };
        // A mesh that was too much for the page: the instance stays as it is.
        let Some(number) = numbers.iter().position(|known| *known == mesh) else { continue };
        instances.push(place as u32);
        meshes.push(number as u32);
        matrices.extend(matrix(&transform, offset_m));
    }
    let mut block = BlockBuilder::new("moment", offset_m);
    block.column("instance", 1, &instances);
    block.column("mesh", 1, &meshes);
    block.column("matrix", 16, &matrices);
    let platform = run.trajectory.pose_at(time_s);
    let sensors = run.sensors.iter();
    Ok(block.finish(&MomentExtra {
        time_s,
        world_from_platform: matrix(&platform.to_affine(), offset_m),
        world_from_sensor: sensors
            .map(|sensor| {
                let pose = platform.after(&sensor.platform_from_sensor);
                matrix(&pose.to_affine(), offset_m)
            })
            .collect(),
    }))
}
