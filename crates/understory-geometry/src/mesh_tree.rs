//! The tree of one mesh: 8-wide nodes over packs of four triangles.

use crate::collapse::{LeafRule, WideTree, collapse, stack_need};
use crate::node8::{LEAF, Node8};
use crate::triangle_pack::{PACK, TrianglePack};
use crate::{Edges, TriangleMesh};
use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;
use obvhs::bvh2::{Bvh2, builder::build_bvh2_from_tris, node::Bvh2Node};
use obvhs::triangle::Triangle;
use obvhs::{Boundable, BvhBuildParams};
use std::time::Duration;

/// Most entries on a traversal's stack.
pub(crate) const STACK: usize = 192;

/// A mesh, ready to be traced. Leaf codes are the index of a [`TrianglePack`].
pub(crate) struct MeshTree {
    pub origin: DVec3,
    pub edges: Edges,
    pub nodes: Vec<Node8>,
    pub packs: Vec<TrianglePack>,
    pub triangle_count: usize,
    /// Boxes that together hold all triangles: at most 64, two levels below the root.
    pub outline: Vec<Aabb>,
}

impl MeshTree {
    pub fn new(mesh: &TriangleMesh, edges: Edges) -> MeshTree {
        let triangles: Vec<Triangle> = (0..mesh.triangles().len() as u32)
            .map(|index| {
                let [v0, v1, v2] = mesh.corners(index).map(Vec3A::from);
                Triangle { v0, v1, v2 }
            })
            .collect();
        let params =
            BvhBuildParams { pre_split: true, ..binary_params(BvhBuildParams::slow_build()) };
        let binary = build_bvh2_from_tris(&triangles, params, &mut Duration::default());
        let rule =
            LeafRule { max_primitives: PACK as u32, pack_size: PACK as u32, pack_cost: 0.55 };
        let tree = shallow_enough(collapse(&binary, rule), &triangles, rule);
        let packs = tree.leaves().map(|leaf| TrianglePack::new(mesh, leaf)).collect();
        MeshTree {
            origin: mesh.origin(),
            edges,
            packs,
            triangle_count: triangles.len(),
            outline: outline(&tree.nodes),
            nodes: tree.nodes,
        }
    }

    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.packs.as_slice())
    }
}

/// Parameters under which every leaf of the binary tree has one primitive.
pub(crate) fn binary_params(preset: BvhBuildParams) -> BvhBuildParams {
    BvhBuildParams {
        pre_split: false,
        max_prims_per_leaf: 1,
        post_collapse_reinsertion_batch_ratio_multiplier: 0.0,
        ..preset
    }
}

/// `tree`, or a flatter one over the same primitives if a walk through it would not fit [`STACK`].
pub(crate) fn shallow_enough<B: Boundable>(
    tree: WideTree,
    primitives: &[B],
    rule: LeafRule,
) -> WideTree {
    if stack_need(&tree.nodes) <= STACK { tree } else { collapse(&halved(primitives), rule) }
}

/// A tree of least depth, by halving the boxes along their longest axis: for inputs (thousands of
/// equal boxes, say) on which the usual builder makes a list rather than a tree.
fn halved<B: Boundable>(primitives: &[B]) -> Bvh2 {
    let boxes: Vec<Aabb> = primitives.iter().map(Boundable::aabb).collect();
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut nodes = vec![Bvh2Node::default()];
    let mut open = vec![(0usize, 0..boxes.len())];
    while let Some((n, run)) = open.pop() {
        let around = order[run.clone()]
            .iter()
            .fold(Aabb::empty(), |around, &b| around.union(&boxes[b as usize]));
        if run.len() == 1 {
            nodes[n] = Bvh2Node::new(around, 1, run.start as u32);
            continue;
        }
        let axis = around.largest_axis();
        let middle = run.len() / 2;
        order[run.clone()].select_nth_unstable_by(middle, |&a, &b| {
            let key = |i: u32| boxes[i as usize].center_axis(axis);
            key(a).total_cmp(&key(b)).then(a.cmp(&b))
        });
        let left = nodes.len();
        nodes[n] = Bvh2Node::new(around, 0, left as u32);
        nodes.extend([Bvh2Node::default(); 2]);
        open.push((left, run.start..run.start + middle));
        open.push((left + 1, run.start + middle..run.end));
    }
    Bvh2 { nodes, primitive_indices: order, ..Bvh2::default() }
}

/// Boxes of the grandchildren of the root, or of the children that are leaves.
fn outline(nodes: &[Node8]) -> Vec<Aabb> {
    let mut boxes = Vec::new();
    for place in nodes[0].places() {
        match nodes[0].child[place] {
            leaf if leaf & LEAF != 0 => boxes.push(nodes[0].child_bounds(place)),
            inner => {
                let node = &nodes[inner as usize];
                boxes.extend(node.places().map(|grandchild| node.child_bounds(grandchild)));
            }
        }
    }
    boxes
}
