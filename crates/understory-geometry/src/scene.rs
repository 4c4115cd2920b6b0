//! Meshes, their instances, and the tree over both.

pub(crate) mod at;
pub(crate) mod batch;
pub(crate) mod builder;
mod contents;
pub(crate) mod dynamic_bvh;
pub(crate) mod near_order;
pub(crate) mod points;
pub(crate) mod track_order;

use crate::build::blas::Blas;
use crate::build::meshes::Meshes;
use crate::build::mover::SceneMover;
use crate::build::tlas::Tlas;
use crate::instance::Instance;
use crate::motion::{InstanceSway, SwayClock};
use crate::{GeometryError, InstanceId, InstructionSet};
use glam::DVec3;

/// Everything that rays can meet, ready to be traced by any number of threads.
pub struct RayScene {
    tlas: Tlas,
    meshes: Meshes,
    instances: Vec<Instance>,
    sways: Vec<InstanceSway>,
    frequencies_hz: Vec<f64>,
    movers: Vec<SceneMover>,
    instructions: InstructionSet,
}

impl RayScene {
    /// How fast the swaying makes a point of an instance move at a time; 0 where it does not sway.
    pub fn sway_velocity(&self, instance: InstanceId, point: DVec3, time_s: f64) -> DVec3 {
        let number = instance.0 as usize;
        let Some((sway, placed)) = self.sways.get(number).zip(self.instances.get(number)) else {
            return DVec3::ZERO;
        };
        if sway.is_still() {
            return DVec3::ZERO;
        }
        let clock = SwayClock::at(time_s, &self.frequencies_hz);
        let height = point.z - (placed.translation.z - f64::from(sway.height));
        (sway.rates_per_s(&clock, &self.frequencies_hz) * height).extend(0.0)
    }

    /// Whether an instance sways or goes anywhere.
    #[inline]
    pub fn moves(&self, instance: InstanceId) -> bool {
        let number = instance.0 as usize;
        number >= self.instances.len() || self.sways.get(number).is_some_and(|s| !s.is_still())
    }

    /// Number of bodies that go anywhere.
    pub fn mover_count(&self) -> usize {
        self.movers.len()
    }

    /// Whether anything moves.
    pub fn is_still(&self) -> bool {
        self.movers.is_empty() && self.frequencies_hz.is_empty()
    }

    /// Traces instances whose mesh has LOD levels as level k where no part of them is
    /// nearer to the origin of the pulse than the k-th of these distances; none: all as they are.
    ///
    /// The rays of a pulse see one level of an instance, whatever their offsets. Bodies that go
    /// anywhere are always seen as they are.
    pub fn set_lod_distances(&mut self, from_m: &[f64]) -> Result<(), GeometryError> {
        self.meshes.lods.set_from_m(from_m)
    }

    /// The distances that [`RayScene::set_lod_distances`] has set.
    pub fn lod_distances_m(&self) -> &[f64] {
        self.meshes.lods.distances_m()
    }

    /// Traces with these instructions from now on; refused where the machine lacks them.
    pub fn use_instructions(&mut self, set: InstructionSet) -> Result<(), GeometryError> {
        if !InstructionSet::available().contains(&set) {
            return Err(GeometryError::MissingInstructions { set: format!("{set:?}") });
        }
        self.instructions = set;
        Ok(())
    }

    /// Number of instances, bodies that go anywhere included.
    pub fn instance_count(&self) -> usize {
        self.instances.len() + self.movers.len()
    }

    /// Number of instances that stay where they are, though they may sway.
    pub fn standing_count(&self) -> usize {
        self.instances.len()
    }

    /// Triangles counted once per instance.
    pub fn effective_triangles(&self) -> u64 {
        let count = |mesh: u32| self.meshes.trees[mesh as usize].triangle_count as u64;
        let movers = self.movers.iter().map(|mover| count(mover.motion.at(0.0).0.0));
        self.instances.iter().map(|i| count(i.mesh)).chain(movers).sum()
    }

    /// Bytes held by meshes, instances and trees.
    pub fn memory_bytes(&self) -> usize {
        let meshes: usize = self.meshes.trees.iter().map(Blas::memory_bytes).sum();
        let sways = size_of_val(self.sways.as_slice());
        let instances = size_of_val(self.instances.as_slice()) + self.meshes.lods.memory_bytes();
        self.tlas.memory_bytes() + meshes + sways + instances
    }
}
