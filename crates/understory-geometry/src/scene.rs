//! Meshes, their instances, and the tree over both.

pub(crate) mod at;
mod contents;
pub(crate) mod dynamic_bvh;

use crate::build::blas::MeshTree;
use crate::build::tlas::{Placed, TopTree};
use crate::motion::{InstanceMotion, MAX_SWAY_FREQUENCIES, PlacedSway, Sway, SwayClock};
use crate::simd::InstructionSet;
use crate::traverse::view::{Meshes, Moving, View};
use crate::{
    CurvedSurface, Edges, GeometryError, PulseRays, RayHit, RaySceneAt, SurfacePoint, TriangleMesh,
};
use glam::{DAffine3, DMat3, DVec3, Vec3};
use rayon::prelude::*;

/// A mesh of a scene, numbered from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeshId(pub u32);

/// An instance of a scene, numbered from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// A placed mesh: its f32 vertices stand around `translation`.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    pub mesh: u32,
    pub world_from_mesh: DMat3,
    pub mesh_from_world: DMat3,
    pub translation: DVec3,
}

impl Instance {
    pub fn new(
        number: usize,
        mesh: MeshId,
        mesh_origin: DVec3,
        world_from_mesh: DAffine3,
    ) -> Result<Instance, GeometryError> {
        let linear = world_from_mesh.matrix3;
        let determinant = linear.determinant();
        let inverse = linear.inverse();
        let invertible = determinant.is_normal() && inverse.is_finite();
        // In f32 the inverse must neither vanish nor overflow.
        let traceable = inverse.to_cols_array().iter().all(|x| x.abs() < 1e15);
        if !world_from_mesh.is_finite() || !invertible || !traceable {
            return Err(GeometryError::SingularTransform { instance: number, determinant });
        }
        Ok(Instance {
            mesh: mesh.0,
            world_from_mesh: linear,
            mesh_from_world: inverse,
            translation: world_from_mesh.transform_point3(mesh_origin),
        })
    }
}

/// Collects meshes and instances for a [`RayScene`].
///
/// ```
/// use glam::{DAffine3, DVec3, Vec3};
/// use understory_geometry::{Edges, RaySceneBuilder, TriangleMesh};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mut builder = RaySceneBuilder::default();
/// let mesh = builder.add_mesh(&TriangleMesh::new(&corners, vec![[0, 1, 2]])?, Edges::Exact)?;
/// builder.add_instance(mesh, DAffine3::from_translation(DVec3::new(0.0, 0.0, -5.0)))?;
/// let scene = builder.build();
/// let hit = scene.trace_ray(DVec3::new(0.2, 0.2, 0.0), Vec3::NEG_Z, 100.0).unwrap();
/// assert_eq!(hit.t, 5.0);
/// # Ok::<(), understory_geometry::GeometryError>(())
/// ```
#[derive(Default)]
pub struct RaySceneBuilder {
    meshes: Meshes,
    instances: Vec<Instance>,
    /// How instances sway, by their number; shorter where the last do not.
    sways: Vec<Option<Sway>>,
    frequencies_hz: Vec<f64>,
    movers: Vec<SceneMover>,
}

/// A body that goes anywhere.
pub(crate) struct SceneMover {
    pub motion: Box<dyn InstanceMotion>,
    /// Boxes that together hold all that it shows at some time, in its own frame.
    pub outline: Vec<(DVec3, DVec3)>,
}

impl RaySceneBuilder {
    /// Adds a mesh and builds its tree; it is not seen before it has an instance.
    pub fn add_mesh(&mut self, mesh: &TriangleMesh, edges: Edges) -> Result<MeshId, GeometryError> {
        self.push_mesh(mesh, edges, None)
    }

    /// Adds a mesh whose triangles stand for a curved surface, given in the frame of the mesh: its
    /// hits lie on that surface.
    pub fn add_curved_mesh(
        &mut self,
        mesh: &TriangleMesh,
        edges: Edges,
        curve: CurvedSurface,
    ) -> Result<MeshId, GeometryError> {
        self.push_mesh(mesh, edges, Some(curve))
    }

    fn push_mesh(
        &mut self,
        mesh: &TriangleMesh,
        edges: Edges,
        curve: Option<CurvedSurface>,
    ) -> Result<MeshId, GeometryError> {
        let number = index("meshes", self.meshes.trees.len())?;
        self.meshes.trees.push(MeshTree::new(mesh, edges, curve));
        Ok(MeshId(number))
    }

    /// Adds the next coarser version of a mesh, as which its instances may be traced from afar, see
    /// [`RayScene::trace_coarser_from`].
    ///
    /// Vertices are in the frame of the mesh. `stands_for` has for each triangle the number of the
    /// triangle of the mesh that hits on it report, a different one for each.
    pub fn add_coarser_version(
        &mut self,
        of: MeshId,
        positions: &[DVec3],
        triangles: Vec<[u32; 3]>,
        stands_for: &[u32],
    ) -> Result<(), GeometryError> {
        let (mesh, meshes) = (of.0 as usize, self.meshes.trees.len());
        let Some(tree) = self.meshes.trees.get(mesh) else {
            let instance = self.instances.len();
            return Err(GeometryError::UnknownMesh { instance, mesh, meshes });
        };
        let refuse =
            |triangle| Err(GeometryError::BadStandIn { triangle, triangles: tree.triangle_count });
        if stands_for.len() != triangles.len() {
            return refuse(triangles.len());
        }
        let mut taken = vec![false; tree.triangle_count];
        for (triangle, number) in stands_for.iter().enumerate() {
            match taken.get_mut(*number as usize) {
                Some(taken) if !*taken => *taken = true,
                _ => return refuse(triangle),
            }
        }
        let version = TriangleMesh::around(tree.origin, positions, triangles)?;
        let version = MeshTree::new(&version, tree.edges, None).renumbered(stands_for);
        self.meshes.coarser.push(mesh, Some(version));
        Ok(())
    }

    /// Adds a coarser version of a mesh that is the same as the one before.
    pub fn repeat_version(&mut self, of: MeshId) -> Result<(), GeometryError> {
        let (mesh, meshes) = (of.0 as usize, self.meshes.trees.len());
        if mesh >= meshes {
            let instance = self.instances.len();
            return Err(GeometryError::UnknownMesh { instance, mesh, meshes });
        }
        self.meshes.coarser.push(mesh, None);
        Ok(())
    }

    /// Places a mesh in the world.
    pub fn add_instance(
        &mut self,
        mesh: MeshId,
        world_from_mesh: DAffine3,
    ) -> Result<InstanceId, GeometryError> {
        let number = index("instances", self.instances.len())?;
        let instance = number as usize;
        let Some(tree) = self.meshes.trees.get(mesh.0 as usize) else {
            let meshes = self.meshes.trees.len();
            return Err(GeometryError::UnknownMesh { instance, mesh: mesh.0 as usize, meshes });
        };
        self.instances.push(Instance::new(instance, mesh, tree.origin, world_from_mesh)?);
        Ok(InstanceId(number))
    }

    /// Places a mesh in the world where it sways.
    pub fn add_swaying_instance(
        &mut self,
        mesh: MeshId,
        world_from_mesh: DAffine3,
        sway: Sway,
    ) -> Result<InstanceId, GeometryError> {
        let finite = [sway.lean, sway.sine, sway.cosine].iter().all(|v| v.is_finite());
        let steepest = sway.steepest();
        let sound = finite && sway.frequency_hz.is_finite() && sway.root_z_m.is_finite();
        if !sound || steepest > Sway::STEEPEST {
            return Err(GeometryError::BadSway { instance: self.instances.len(), steepest });
        }
        if !self.frequencies_hz.contains(&sway.frequency_hz) {
            let count = self.frequencies_hz.len() + 1;
            let limit = MAX_SWAY_FREQUENCIES;
            if count > limit {
                let what = "frequencies of swaying";
                return Err(GeometryError::TooMany { what, count, limit });
            }
            self.frequencies_hz.push(sway.frequency_hz);
        }
        let instance = self.add_instance(mesh, world_from_mesh)?;
        self.sways.resize(self.instances.len(), None);
        self.sways[instance.0 as usize] = Some(sway);
        Ok(instance)
    }

    /// Adds a body that goes anywhere. Its hits bear the numbers behind those of all other
    /// instances, in the order of adding.
    pub fn add_mover(&mut self, motion: Box<dyn InstanceMotion>) -> Result<(), GeometryError> {
        index("bodies that move", self.movers.len())?;
        let (instance, meshes) = (self.instances.len(), self.meshes.trees.len());
        let shown = motion.meshes();
        if let Some(mesh) = shown.iter().map(|mesh| mesh.0 as usize).find(|mesh| *mesh >= meshes) {
            return Err(GeometryError::UnknownMesh { instance, mesh, meshes });
        }
        let outlines = shown.iter().map(|mesh| {
            let origin = self.meshes.trees[mesh.0 as usize].origin;
            self.meshes.outline(mesh.0).map(move |(low, high)| (origin + low, origin + high))
        });
        // Boxes of a hundred frames lie on each other: one around all of them says as much.
        let outline = match shown.len() {
            1 => outlines.flatten().collect(),
            _ => {
                let all = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                let union = |a: (DVec3, DVec3), b: (DVec3, DVec3)| (a.0.min(b.0), a.1.max(b.1));
                vec![outlines.flatten().fold(all, union)]
            }
        };
        self.movers.push(SceneMover { motion, outline });
        Ok(())
    }

    /// Builds the tree over the instances.
    pub fn build(mut self) -> RayScene {
        self.sways.resize(self.instances.len(), None);
        let (meshes, sways) = (&mut self.meshes, &self.sways);
        let bounds = |(instance, sway): (&Instance, &Option<Sway>)| {
            let bounds = meshes.world_bounds(instance);
            sway.map_or(bounds, |sway| sway.widen(bounds))
        };
        let instances = self.instances.par_iter().with_min_len(256);
        let boxes: Vec<_> = instances.zip(sways.par_iter()).map(bounds).collect();
        meshes.coarser.set_radii(self.instances.iter().map(|i| i.translation).zip(&boxes));
        let top = TopTree::build(&boxes, |number| {
            let instance = &self.instances[number as usize];
            let edges = self.meshes.trees[instance.mesh as usize].edges;
            let placed = Placed::new(number, instance, edges);
            match &self.sways[number as usize] {
                Some(sway) => placed.moving(sway.steepest()),
                None => placed,
            }
        });
        let placed_sway = |(sway, instance): (&Option<Sway>, &Instance)| match sway {
            Some(sway) => {
                let frequency = self.frequencies_hz.iter().position(|f| *f == sway.frequency_hz);
                PlacedSway::new(sway, frequency.unwrap_or(0), instance.translation.z)
            }
            None => PlacedSway::STILL,
        };
        let sways = match self.frequencies_hz.is_empty() {
            true => Vec::new(),
            false => self.sways.iter().zip(&self.instances).map(placed_sway).collect(),
        };
        RayScene {
            top,
            meshes: self.meshes,
            instances: self.instances,
            sways,
            frequencies_hz: self.frequencies_hz,
            movers: self.movers,
            instructions: InstructionSet::available()[0],
        }
    }
}

/// Leaf codes and instance numbers have 31 bits.
fn index(what: &'static str, count: usize) -> Result<u32, GeometryError> {
    const LIMIT: usize = 1 << 31;
    if count < LIMIT - 1 {
        Ok(count as u32)
    } else {
        Err(GeometryError::TooMany { what, count, limit: LIMIT - 1 })
    }
}

/// Everything that rays can meet, ready to be traced by any number of threads.
pub struct RayScene {
    pub(crate) top: TopTree,
    pub(crate) meshes: Meshes,
    pub(crate) instances: Vec<Instance>,
    sways: Vec<PlacedSway>,
    frequencies_hz: Vec<f64>,
    pub(crate) movers: Vec<SceneMover>,
    pub(crate) instructions: InstructionSet,
}

impl RayScene {
    /// The scene at a time, without bodies that go anywhere.
    #[inline]
    pub(crate) fn standing(&self, time_s: f64) -> View<'_> {
        let clock = SwayClock::at(time_s, &self.frequencies_hz);
        let moving = Moving::Sway { sways: &self.sways, clock };
        View { top: &self.top, meshes: &self.meshes, moving, time_s, mark: 0 }
    }

    /// The scene at the time 0 without bodies that go anywhere: all of it where nothing moves.
    pub fn at_rest(&self) -> RaySceneAt<'_> {
        RaySceneAt::new(self, None, 0.0)
    }

    /// Nearest hit of each ray of a pulse at rest, see [`RaySceneAt::trace_pulse`].
    pub fn trace_pulse(&self, pulse: &PulseRays, hits: &mut [Option<RayHit>]) {
        self.at_rest().trace_pulse(pulse, hits);
    }

    /// Nearest hit of one ray at rest.
    pub fn trace_ray(&self, origin: DVec3, direction: Vec3, t_max: f32) -> Option<RayHit> {
        self.at_rest().trace_ray(origin, direction, t_max)
    }

    /// Works out a hit at rest in f64: `origin` and `direction` are those of the ray.
    #[inline]
    pub fn surface_point(&self, hit: &RayHit, origin: DVec3, direction: DVec3) -> SurfacePoint {
        self.at_rest().surface_point(hit, origin, direction)
    }

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

    /// Traces instances whose mesh has coarser versions as version k where no part of them is
    /// nearer to the origin of the pulse than the k-th of these distances; none: all as they are.
    ///
    /// The rays of a pulse see one version of an instance, whatever their offsets. Bodies that go
    /// anywhere are always seen as they are.
    pub fn trace_coarser_from(&mut self, from_m: &[f64]) -> Result<(), GeometryError> {
        self.meshes.coarser.set_from_m(from_m)
    }

    /// The distances that [`RayScene::trace_coarser_from`] has set.
    pub fn coarser_from_m(&self) -> &[f64] {
        self.meshes.coarser.distances_m()
    }

    /// Traces with these instructions from now on; refused where the machine lacks them.
    pub fn use_instructions(&mut self, set: InstructionSet) -> Result<(), GeometryError> {
        if !InstructionSet::available().contains(&set) {
            return Err(GeometryError::MissingInstructions { set });
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
        let meshes: usize = self.meshes.trees.iter().map(MeshTree::memory_bytes).sum();
        let sways = size_of_val(self.sways.as_slice());
        let instances = size_of_val(self.instances.as_slice()) + self.meshes.coarser.memory_bytes();
        self.top.memory_bytes() + meshes + sways + instances
    }
}
