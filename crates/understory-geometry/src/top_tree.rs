//! The tree over instances.
//!
//! Instances keep their translation in f64. A ray's origin is subtracted from it in f64 on the way
//! into the instance, so that nothing is lost far from the world's origin.

use crate::InstanceId;
use crate::coarser::Coarser;
use crate::collapse::LeafRule;
use crate::mesh_tree::{MeshTree, wide_tree};
use crate::node8::{LEAF, Node8};
use crate::simd::{Isa, Vector};
use crate::trace::triangles::PackContext;
use crate::{Edges, ray_scene::Instance};
use glam::{DMat3, DVec3, Vec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use rayon::prelude::*;

/// An instance as the traversal meets it, in the order of the leaves.
///
/// What the walk needs comes first; the f64 matrix behind it serves the point that was hit, which
/// is worked out while the rest is still in the cache.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Placed {
    /// World position of the mesh's origin.
    translation: DVec3,
    /// Columns of the linear part of `mesh_from_world`.
    columns: [[f32; 3]; 3],
    /// Largest component that a unit direction can have in the mesh's frame; 0 for exact edges.
    edge_slack: f32,
    pub mesh: u32,
    instance: u32,
    /// Linear part of `mesh_from_world`.
    pub mesh_from_world: DMat3,
}

impl Placed {
    fn new(number: u32, instance: &Instance, edges: Edges) -> Placed {
        let inverse = instance.mesh_from_world;
        let rows = inverse.transpose();
        let largest = [rows.x_axis, rows.y_axis, rows.z_axis].map(DVec3::length);
        let largest = largest.into_iter().fold(0.0, f64::max) * 1.01;
        Placed {
            translation: instance.translation,
            columns: inverse.to_cols_array_2d().map(|column| column.map(|x| x as f32)),
            edge_slack: if edges == Edges::Closed { largest as f32 } else { 0.0 },
            mesh: instance.mesh,
            instance: number,
            mesh_from_world: inverse,
        }
    }

    /// A world position in the frame of the mesh's f32 vertices.
    #[inline]
    pub fn exact_local_point(&self, world: DVec3) -> DVec3 {
        self.mesh_from_world * (world - self.translation)
    }

    #[inline(always)]
    pub fn pack_context(&self, place: u32) -> PackContext {
        PackContext {
            placed: place,
            instance: InstanceId(self.instance),
            edge_slack: self.edge_slack,
        }
    }

    #[inline(always)]
    pub fn local_point(&self, world: DVec3) -> [f32; 3] {
        self.local_direction((world - self.translation).as_vec3().to_array())
    }

    #[inline(always)]
    pub fn local_direction(&self, world: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = &self.columns;
        [0, 1, 2].map(|row| x[row].mul_add(world[0], y[row].mul_add(world[1], z[row] * world[2])))
    }

    /// [`Placed::local_direction`] for all rays of a pulse, to the same bits.
    #[inline(always)]
    pub fn local_lanes<I: Isa>(&self, world: [I::Rays; 3]) -> [I::Rays; 3] {
        let [x, y, z] = &self.columns;
        let mut local = world;
        for row in 0..3 {
            let (x, y, z) =
                (I::Rays::splat(x[row]), I::Rays::splat(y[row]), I::Rays::splat(z[row]));
            local[row] = x.mul_add(world[0], y.mul_add(world[1], z.mul(world[2])));
        }
        local
    }

    /// How far its mesh's origin is from a world position.
    pub fn distance(&self, world: DVec3) -> f64 {
        (world - self.translation).length()
    }

    pub fn instance(&self) -> InstanceId {
        InstanceId(self.instance)
    }
}

/// All instances and the meshes that they show. Leaf codes are the index of a [`Placed`].
pub(crate) struct TopTree {
    pub nodes: Vec<Node8>,
    pub placed: Vec<Placed>,
    pub meshes: Vec<MeshTree>,
    /// Versions of them for instances far away.
    pub coarser: Coarser,
    /// World position of the tree's own f32 frame.
    scene_origin: DVec3,
}

impl TopTree {
    pub fn new(meshes: Vec<MeshTree>, coarser: Coarser, instances: &[Instance]) -> TopTree {
        let mut tree = TopTree {
            nodes: Vec::new(),
            placed: Vec::new(),
            meshes,
            coarser,
            scene_origin: DVec3::ZERO,
        };
        tree.rebuild(instances);
        tree
    }

    /// Builds the tree anew: after instances have changed places.
    pub fn rebuild(&mut self, instances: &[Instance]) {
        let around = self.world_bounds(instances);
        self.set_radii(instances, &around);
        let whole = around.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |all, b| {
            (all.0.min(b.0), all.1.max(b.1))
        });
        self.scene_origin =
            if instances.is_empty() { DVec3::ZERO } else { ((whole.0 + whole.1) * 0.5).round() };
        if instances.is_empty() {
            (self.nodes, self.placed) = (vec![Node8::VACANT], Vec::new());
            return;
        }
        let boxes: Vec<Aabb> = around.into_iter().map(|bounds| self.padded(bounds)).collect();
        let rule = LeafRule { max_primitives: 1, pack_size: 1, pack_cost: 8.0 };
        let indices = (0..boxes.len() as u32).collect();
        let tree = wide_tree(&boxes, indices, rule, &BvhBuildParams::medium_build());
        let meshes = &self.meshes;
        self.placed = tree
            .leaves()
            .map(|leaf| {
                let instance = &instances[leaf[0] as usize];
                Placed::new(leaf[0], instance, meshes[instance.mesh as usize].edges)
            })
            .collect();
        self.nodes = tree.nodes;
    }

    /// Keeps the tree's shape and fits its boxes to the instances: faster than [`Self::rebuild`]
    /// and as good while instances move little.
    pub fn refit(&mut self, instances: &[Instance]) {
        let around = self.world_bounds(instances);
        self.set_radii(instances, &around);
        for placed in &mut self.placed {
            let instance = &instances[placed.instance as usize];
            let edges = self.meshes[instance.mesh as usize].edges;
            *placed = Placed::new(placed.instance, instance, edges);
        }
        // Children stand behind their parents, so the last node is fitted first.
        for n in (0..self.nodes.len()).rev() {
            let mut node = self.nodes[n];
            for place in self.nodes[n].places() {
                let code = node.child[place];
                let bounds = if code & LEAF == 0 {
                    self.nodes[code as usize].union()
                } else {
                    let placed = &self.placed[(code & !LEAF) as usize];
                    self.padded(around[placed.instance as usize])
                };
                node.set_child(place, &bounds, code);
            }
            self.nodes[n] = node;
        }
    }

    /// Sets how far from its translation each instance reaches, from the boxes around all.
    fn set_radii(&mut self, instances: &[Instance], around: &[(DVec3, DVec3)]) {
        if self.coarser.is_empty() {
            return;
        }
        let radius = |(instance, (low, high)): (&Instance, &(DVec3, DVec3))| {
            let middle = instance.translation;
            (*high - middle).max(middle - *low).length()
        };
        self.coarser.radius_m = instances.iter().zip(around).map(radius).collect();
    }

    /// The tree of a version of what an instance shows; 0 is the mesh itself.
    #[inline(always)]
    pub fn tree(&self, placed: &Placed, version: u32) -> &MeshTree {
        let mesh = || &self.meshes[placed.mesh as usize];
        if version == 0 {
            mesh()
        } else {
            self.coarser.tree(placed.mesh, version).unwrap_or_else(mesh)
        }
    }

    /// The tree through which rays from `origin` go on in an instance.
    #[inline(always)]
    pub fn tree_seen(&self, placed: &Placed, origin: DVec3) -> &MeshTree {
        self.tree(placed, self.coarser.version_seen(placed, origin))
    }

    /// A world position in the tree's frame.
    #[inline(always)]
    pub fn scene_point(&self, world: DVec3) -> [f32; 3] {
        (world - self.scene_origin).as_vec3().to_array()
    }

    /// Box of each instance in the world, from the boxes two levels below the root of its mesh.
    fn world_bounds(&self, instances: &[Instance]) -> Vec<(DVec3, DVec3)> {
        let bounds = |instance: &Instance| {
            let linear = instance.world_from_mesh;
            let size =
                DMat3::from_cols(linear.x_axis.abs(), linear.y_axis.abs(), linear.z_axis.abs());
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            let itself = self.meshes[instance.mesh as usize].outline.iter();
            for part in itself.chain(self.coarser.outlines(instance.mesh)) {
                let (min, max) = (Vec3::from(part.min).as_dvec3(), Vec3::from(part.max).as_dvec3());
                let middle = linear * ((min + max) * 0.5);
                let half = size * ((max - min) * 0.5);
                (low, high) = (low.min(middle - half), high.max(middle + half));
            }
            (instance.translation + low, instance.translation + high)
        };
        instances.par_iter().with_min_len(256).map(bounds).collect()
    }

    /// A world box in the tree's frame, widened by what rounding can move a ray against it.
    fn padded(&self, (low, high): (DVec3, DVec3)) -> Aabb {
        let (low, high) = (low - self.scene_origin, high - self.scene_origin);
        let reach = low.abs().max(high.abs()).max_element() + (high - low).max_element();
        let pad = DVec3::splat(reach * 1e-6 + f64::from(f32::MIN_POSITIVE));
        Aabb::new(Vec3A::from((low - pad).as_vec3()), Vec3A::from((high + pad).as_vec3()))
    }

    pub fn memory_bytes(&self) -> usize {
        let meshes: usize = self.meshes.iter().map(MeshTree::memory_bytes).sum();
        let meshes = meshes + self.coarser.memory_bytes();
        meshes + size_of_val(self.nodes.as_slice()) + size_of_val(self.placed.as_slice())
    }
}
