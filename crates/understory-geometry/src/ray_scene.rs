//! Meshes, their instances, and the tree over both.

use crate::coarser::Coarser;
use crate::filter::{AcceptAll, HitFilter};
use crate::mesh_tree::MeshTree;
use crate::node8::EMPTY;
use crate::simd::InstructionSet;
use crate::top_tree::TopTree;
use crate::trace::Nearest;
use crate::trace::pulse::LanePulse;
use crate::triangle_pack::PACK;
use crate::{
    CurvedSurface, Edges, GeometryError, MAX_RAYS_PER_PULSE, PulseRays, RayHit, SurfacePoint,
    TriangleMesh,
};
use glam::{DAffine3, DMat3, DVec3, Vec3};

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
    fn new(
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
    meshes: Vec<MeshTree>,
    coarser: Coarser,
    instances: Vec<Instance>,
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
        let number = index("meshes", self.meshes.len())?;
        self.meshes.push(MeshTree::new(mesh, edges, curve));
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
        let (mesh, meshes) = (of.0 as usize, self.meshes.len());
        let Some(tree) = self.meshes.get(mesh) else {
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
        self.coarser.push(mesh, Some(version));
        Ok(())
    }

    /// Adds a coarser version of a mesh that is the same as the one before.
    pub fn repeat_version(&mut self, of: MeshId) -> Result<(), GeometryError> {
        let (mesh, meshes) = (of.0 as usize, self.meshes.len());
        if mesh >= meshes {
            let instance = self.instances.len();
            return Err(GeometryError::UnknownMesh { instance, mesh, meshes });
        }
        self.coarser.push(mesh, None);
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
        let Some(tree) = self.meshes.get(mesh.0 as usize) else {
            let meshes = self.meshes.len();
            return Err(GeometryError::UnknownMesh { instance, mesh: mesh.0 as usize, meshes });
        };
        self.instances.push(Instance::new(instance, mesh, tree.origin, world_from_mesh)?);
        Ok(InstanceId(number))
    }

    /// Builds the tree over the instances.
    pub fn build(self) -> RayScene {
        let top = TopTree::new(self.meshes, self.coarser, &self.instances);
        let instructions = InstructionSet::available()[0];
        RayScene { top, instances: self.instances, instructions }
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
    pub(crate) instances: Vec<Instance>,
    instructions: InstructionSet,
}

impl RayScene {
    /// Nearest hit of each ray of a pulse, in `hits[..pulse.directions.len()]`.
    ///
    /// Rays beyond [`MAX_RAYS_PER_PULSE`], or for which `hits` has no place, are not traced.
    pub fn trace_pulse(&self, pulse: &PulseRays, hits: &mut [Option<RayHit>]) {
        self.trace_pulse_filtered(pulse, hits, &mut AcceptAll);
    }

    /// Like [`RayScene::trace_pulse`], with a say in what counts as a hit.
    pub fn trace_pulse_filtered<F: HitFilter>(
        &self,
        pulse: &PulseRays,
        hits: &mut [Option<RayHit>],
        filter: &mut F,
    ) {
        let count = pulse.directions.len().min(MAX_RAYS_PER_PULSE).min(hits.len());
        if count == 0 {
            return;
        }
        let mut lanes = LanePulse {
            origin: pulse.origin,
            direction: [[0.0; MAX_RAYS_PER_PULSE]; 3],
            offset: [[0.0; MAX_RAYS_PER_PULSE]; 3],
            count,
        };
        let spread = !pulse.origin_offsets.is_empty();
        for lane in 0..MAX_RAYS_PER_PULSE {
            let ray = if lane < count { lane } else { 0 };
            let direction = pulse.directions[ray];
            let offset = pulse.origin_offsets.get(ray).copied().unwrap_or(Vec3::ZERO);
            for axis in 0..3 {
                lanes.direction[axis][lane] = direction[axis];
                lanes.offset[axis][lane] = offset[axis];
            }
        }
        let mut nearest = [Nearest::none(0.0); MAX_RAYS_PER_PULSE];
        let set = self.instructions;
        set.trace_pulse(&self.top, &lanes, spread, pulse.t_max, &mut nearest, filter);
        for (hit, nearest) in hits.iter_mut().zip(&nearest[..count]) {
            *hit = self.hit(nearest, pulse.origin);
        }
    }

    /// Nearest hit of one ray.
    pub fn trace_ray(&self, origin: DVec3, direction: Vec3, t_max: f32) -> Option<RayHit> {
        self.trace_ray_filtered(origin, direction, t_max, &mut AcceptAll)
    }

    /// Like [`RayScene::trace_ray`], with a say in what counts as a hit.
    pub fn trace_ray_filtered<F: HitFilter>(
        &self,
        origin: DVec3,
        direction: Vec3,
        t_max: f32,
        filter: &mut F,
    ) -> Option<RayHit> {
        let mut nearest = Nearest::none(t_max);
        let direction = direction.to_array();
        self.instructions.trace_ray(&self.top, origin, direction, &mut nearest, filter);
        self.hit(&nearest, origin)
    }

    #[inline]
    fn hit(&self, nearest: &Nearest, origin: DVec3) -> Option<RayHit> {
        (nearest.slot != EMPTY).then(|| {
            let placed = &self.top.placed[nearest.placed as usize];
            let version = self.top.coarser.version_seen(placed, origin);
            let pack = &self.top.tree(placed, version).packs[nearest.slot as usize / PACK];
            RayHit {
                t: nearest.t,
                instance: placed.instance(),
                triangle: pack.triangle[nearest.slot as usize % PACK],
                slot: nearest.slot,
                placed: nearest.placed,
                version,
            }
        })
    }

    /// Works out a hit in f64: `origin` and `direction` are those of the ray.
    ///
    /// The hit must be one of this scene and younger than its last [`RayScene::rebuild`].
    #[inline]
    pub fn surface_point(&self, hit: &RayHit, origin: DVec3, direction: DVec3) -> SurfacePoint {
        let placed = &self.top.placed[hit.placed as usize];
        let mesh = self.top.tree(placed, hit.version);
        let pack = &mesh.packs[hit.slot as usize / PACK];
        let [vertex, edge1, edge2] = pack.vertex_and_edges(hit.slot as usize % PACK);
        let normal = edge1.cross(edge2);
        // N·(M⁻¹ d) = (M⁻ᵀ N)·d: the normal in the world gives both the slope and the angle.
        let mut world_normal = placed.mesh_from_world.transpose() * normal;
        let mut facing = world_normal.dot(direction);
        let origin = placed.exact_local_point(origin);
        let mut t = normal.dot(vertex - origin) / facing;
        if let Some(curve) = &mesh.curve {
            let direction_in_mesh = placed.mesh_from_world * direction;
            let point = origin + direction_in_mesh * t;
            let curved = curve.nearest_along(origin, point, direction_in_mesh, normal);
            if let Some((step, on_curve)) = curved {
                t += step;
                world_normal = placed.mesh_from_world.transpose() * on_curve;
                facing = world_normal.dot(direction);
            }
        }
        SurfacePoint {
            t: if t.is_finite() { t } else { f64::from(hit.t) },
            normal: world_normal * (-facing.signum() / world_normal.length()),
            mesh: MeshId(placed.mesh),
        }
    }

    /// Moves an instance; it is seen there after [`RayScene::refit`] or [`RayScene::rebuild`].
    pub fn set_transform(
        &mut self,
        instance: InstanceId,
        world_from_mesh: DAffine3,
    ) -> Result<(), GeometryError> {
        let number = instance.0 as usize;
        let instances = self.instances.len();
        let Some(place) = self.instances.get_mut(number) else {
            return Err(GeometryError::UnknownInstance { instance: number, instances });
        };
        let mesh = MeshId(place.mesh);
        let origin = self.top.meshes[place.mesh as usize].origin;
        *place = Instance::new(number, mesh, origin, world_from_mesh)?;
        Ok(())
    }

    /// Fits the tree to moved instances: fast, and good while they move little.
    pub fn refit(&mut self) {
        self.top.refit(&self.instances);
    }

    /// Builds the tree over the instances anew: after large moves.
    pub fn rebuild(&mut self) {
        self.top.rebuild(&self.instances);
    }

    /// Traces instances whose mesh has coarser versions as version k where no part of them is
    /// nearer to the origin of the pulse than the k-th of these distances; none: all as they are.
    ///
    /// The rays of a pulse see one version of an instance, whatever their offsets.
    pub fn trace_coarser_from(&mut self, from_m: &[f64]) -> Result<(), GeometryError> {
        self.top.coarser.set_from_m(from_m)
    }

    /// The distances that [`RayScene::trace_coarser_from`] has set.
    pub fn coarser_from_m(&self) -> &[f64] {
        self.top.coarser.distances_m()
    }

    /// Traces with these instructions from now on; refused where the machine lacks them.
    pub fn use_instructions(&mut self, set: InstructionSet) -> Result<(), GeometryError> {
        if !InstructionSet::available().contains(&set) {
            return Err(GeometryError::MissingInstructions { set });
        }
        self.instructions = set;
        Ok(())
    }

    /// Number of instances.
    pub fn instance_count(&self) -> usize {
        self.instances.len()
    }

    /// Triangles counted once per instance.
    pub fn effective_triangles(&self) -> u64 {
        let count = |i: &Instance| self.top.meshes[i.mesh as usize].triangle_count as u64;
        self.instances.iter().map(count).sum()
    }

    /// Bytes held by meshes, instances and trees.
    pub fn memory_bytes(&self) -> usize {
        self.top.memory_bytes() + size_of_val(self.instances.as_slice())
    }
}
