//! Meshes and instances put together to a scene.

use super::RayScene;
use crate::build::blas::Blas;
use crate::build::meshes::Meshes;
use crate::build::mover::SceneMover;
use crate::build::tlas::{Tlas, TlasInstance};
use crate::build::triangle_pack::first_corner;
use crate::instance::Instance;
use crate::motion::{InstanceMotion, InstanceSway, MAX_SWAY_FREQUENCIES, Sway};
use crate::{
    CurvedSurface, Cutout, Edges, GeometryError, InstanceId, InstructionSet, MeshId, SeenFrom,
    TriangleMesh,
};
use glam::{DAffine3, DVec3};
use rayon::prelude::*;

/// Collects meshes and instances for a [`RayScene`].
#[derive(Default)]
pub struct RaySceneBuilder {
    meshes: Meshes,
    instances: Vec<Instance>,
    /// How instances sway, by their number; shorter where the last do not.
    sways: Vec<Option<Sway>>,
    frequencies_hz: Vec<f64>,
    movers: Vec<SceneMover>,
}

impl RaySceneBuilder {
    /// Adds a mesh and builds its tree; it is not seen before it has an instance.
    pub fn add_mesh(&mut self, mesh: &TriangleMesh, edges: Edges) -> Result<MeshId, GeometryError> {
        self.push_mesh(mesh, edges, SeenFrom::Anywhere, None)
    }

    /// The same with a tree for rays that mostly come from there.
    pub fn add_mesh_seen_from(
        &mut self,
        mesh: &TriangleMesh,
        edges: Edges,
        seen_from: SeenFrom,
    ) -> Result<MeshId, GeometryError> {
        self.push_mesh(mesh, edges, seen_from, None)
    }

    /// Adds a mesh whose triangles stand for a curved surface, given in the frame of the mesh: its
    /// hits lie on that surface.
    pub fn add_curved_mesh(
        &mut self,
        mesh: &TriangleMesh,
        edges: Edges,
        curve: CurvedSurface,
    ) -> Result<MeshId, GeometryError> {
        self.push_mesh(mesh, edges, SeenFrom::Anywhere, Some(curve))
    }

    /// Adds a mesh with holes; `cutout` has as many triangles as the mesh.
    pub fn add_cut_mesh(
        &mut self,
        mesh: &TriangleMesh,
        edges: Edges,
        cutout: Cutout,
    ) -> Result<MeshId, GeometryError> {
        let triangles = mesh.triangles().len();
        let cutout =
            cutout.in_order_of(mesh, first_corner).ok_or(GeometryError::BadCutout { triangles })?;
        let id = self.push_mesh(mesh, edges, SeenFrom::Anywhere, None)?;
        if let Some(tree) = self.meshes.trees.last_mut().filter(|_| !cutout.is_empty()) {
            tree.cutout = Some(Box::new(cutout));
        }
        Ok(id)
    }

    fn push_mesh(
        &mut self,
        mesh: &TriangleMesh,
        edges: Edges,
        seen_from: SeenFrom,
        curve: Option<CurvedSurface>,
    ) -> Result<MeshId, GeometryError> {
        let number = index("meshes", self.meshes.trees.len())?;
        self.meshes.trees.push(Blas::new(mesh, edges, seen_from, curve));
        Ok(MeshId(number))
    }

    /// Adds the next LOD level of a mesh, as which its instances may be traced from afar, see
    /// [`RayScene::set_lod_distances`].
    ///
    /// Vertices are in the frame of the mesh. `stands_for` has for each triangle the number of the
    /// triangle of the mesh that hits on it report, a different one for each.
    pub fn add_lod(
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
        let level = TriangleMesh::around(tree.origin, positions, triangles)?;
        let level = Blas::new(&level, tree.edges, tree.seen_from, None).renumbered(stands_for);
        self.meshes.lods.push(mesh, Some(level));
        Ok(())
    }

    /// Adds a LOD level of a mesh that is the same as the one before.
    pub fn repeat_lod(&mut self, of: MeshId) -> Result<(), GeometryError> {
        let (mesh, meshes) = (of.0 as usize, self.meshes.trees.len());
        if mesh >= meshes {
            let instance = self.instances.len();
            return Err(GeometryError::UnknownMesh { instance, mesh, meshes });
        }
        self.meshes.lods.push(mesh, None);
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
        let valid = finite && sway.frequency_hz.is_finite() && sway.root_z_m.is_finite();
        if !valid || steepest > Sway::STEEPEST {
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
        meshes.lods.set_radii(self.instances.iter().map(|i| i.translation).zip(&boxes));
        let tlas = Tlas::build(&boxes, |number| {
            let instance = &self.instances[number as usize];
            let edges = self.meshes.trees[instance.mesh as usize].edges;
            let placed = TlasInstance::new(number, instance, edges);
            match &self.sways[number as usize] {
                Some(sway) => placed.moving(sway.steepest()),
                None => placed,
            }
        });
        let instance_sway = |(sway, instance): (&Option<Sway>, &Instance)| match sway {
            Some(sway) => {
                let frequency = self.frequencies_hz.iter().position(|f| *f == sway.frequency_hz);
                InstanceSway::new(sway, frequency.unwrap_or(0), instance.translation.z)
            }
            None => InstanceSway::STILL,
        };
        let sways = match self.frequencies_hz.is_empty() {
            true => Vec::new(),
            false => self.sways.iter().zip(&self.instances).map(instance_sway).collect(),
        };
        RayScene {
            tlas,
            meshes: self.meshes,
            instances: self.instances,
            sways,
            frequencies_hz: self.frequencies_hz,
            movers: self.movers,
            instructions: InstructionSet::usual(),
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
