//! The tree of one mesh: 8-wide nodes over packs of four triangles.

use crate::build::collapse::{LeafRule, WideTree, collapse, stack_need};
use crate::build::node8::{LEAF, Node8};
use crate::build::triangle_pack::{PACK, TrianglePack};
use crate::simd::Isa;
use crate::{CurvedSurface, Edges, TriangleMesh};
use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;
use obvhs::bvh2::reinsertion::ReinsertionOptimizer;
use obvhs::bvh2::{Bvh2, node::Bvh2Node};
use obvhs::ploc::PlocBuilder;
use obvhs::splits::split_aabbs_preset;
use obvhs::triangle::Triangle;
use obvhs::{Boundable, BvhBuildParams};

/// Most entries on a traversal's stack.
pub(crate) const STACK: usize = 192;

/// A mesh, ready to be traced. Leaf codes are the index of a [`TrianglePack`].
pub(crate) struct MeshTree {
    pub origin: DVec3,
    pub edges: Edges,
    pub nodes: Vec<Node8>,
    pub packs: Vec<TrianglePack>,
    pub triangle_count: usize,
    /// What the triangles stand for, around `origin`.
    pub curve: Option<CurvedSurface>,
    /// Boxes that together hold all triangles: at most 64, two levels below the root.
    pub outline: Vec<Aabb>,
}

impl MeshTree {
    pub fn new(mesh: &TriangleMesh, edges: Edges, curve: Option<CurvedSurface>) -> MeshTree {
        let triangles: Vec<Triangle> = (0..mesh.triangles().len() as u32)
            .map(|index| {
                let [v0, v1, v2] = mesh.corners(index).map(Vec3A::from);
                Triangle { v0, v1, v2 }
            })
            .collect();
        let rule =
            LeafRule { max_primitives: PACK as u32, pack_size: PACK as u32, pack_cost: 0.55 };
        let (boxes, indices) = split_boxes(&triangles);
        let tree = wide_tree(&boxes, indices, rule, &BvhBuildParams::slow_build());
        let packs = tree.leaves().map(|leaf| TrianglePack::new(mesh, leaf)).collect();
        MeshTree {
            origin: mesh.origin(),
            edges,
            packs,
            triangle_count: triangles.len(),
            curve: curve.map(|curve| curve.relative_to(mesh.origin())),
            outline: outline(&tree.nodes),
            nodes: tree.nodes,
        }
    }

    /// The same tree with the triangles bearing other numbers, all different.
    pub fn renumbered(mut self, numbers: &[u32]) -> MeshTree {
        for pack in &mut self.packs {
            pack.triangle = pack.triangle.map(|index| numbers[index as usize]);
        }
        self
    }

    /// Asks for the memory behind a child code.
    #[inline(always)]
    pub fn prefetch<I: Isa>(&self, code: u32) {
        let (address, lines) = if code & LEAF == 0 {
            (self.nodes.as_ptr().wrapping_add(code as usize).cast::<u8>(), 4)
        } else {
            (self.packs.as_ptr().wrapping_add((code & !LEAF) as usize).cast::<u8>(), 3)
        };
        for line in 0..lines {
            I::prefetch(address.wrapping_add(64 * line));
        }
    }

    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.packs.as_slice())
    }
}

/// Boxes of the triangles, those of large ones cut into several, with the triangle of each box.
fn split_boxes(triangles: &[Triangle]) -> (Vec<Aabb>, Vec<u32>) {
    let mut boxes: Vec<Aabb> = triangles.iter().map(Boundable::aabb).collect();
    let mut indices = (0..boxes.len() as u32).collect();
    let areas = || boxes.iter().map(Aabb::half_area);
    let mean = areas().sum::<f32>() / boxes.len() as f32;
    let largest = areas().fold(0.0, f32::max);
    split_aabbs_preset(&mut boxes, &mut indices, triangles, mean, largest);
    (boxes, indices)
}

/// An 8-wide tree over `boxes`; box `i` stands for primitive `indices[i]`. Its walk fits [`STACK`].
pub(crate) fn wide_tree(
    boxes: &[Aabb],
    indices: Vec<u32>,
    rule: LeafRule,
    preset: &BvhBuildParams,
) -> WideTree {
    let mut binary = PlocBuilder::with_capacity(boxes.len()).build(
        preset.ploc_search_distance,
        boxes,
        indices.clone(),
        preset.sort_precision,
        preset.search_depth_threshold,
    );
    ReinsertionOptimizer::default().run(&mut binary, preset.reinsertion_batch_ratio, None);
    let tree = collapse(&binary, rule);
    if stack_need(&tree.nodes) <= STACK { tree } else { collapse(&halved(boxes, &indices), rule) }
}

/// A tree of least depth, by halving the boxes along their longest axis: for inputs (thousands of
/// equal boxes, say) on which the usual builder makes a list rather than a tree.
fn halved(boxes: &[Aabb], indices: &[u32]) -> Bvh2 {
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
    let primitive_indices = order.iter().map(|&b| indices[b as usize]).collect();
    Bvh2 { nodes, primitive_indices, ..Bvh2::default() }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every box of the primitives under a child lies in the child's box.
    fn holds(tree: &WideTree, boxes: &[Aabb], code: u32, around: &Aabb) -> usize {
        if code & LEAF != 0 {
            let leaf = tree.leaves().nth((code & !LEAF) as usize).unwrap();
            for &primitive in leaf {
                let b = &boxes[primitive as usize];
                assert!(around.min.cmple(b.min).all() && around.max.cmpge(b.max).all());
            }
            return leaf.len();
        }
        let node = &tree.nodes[code as usize];
        node.places().map(|p| holds(tree, boxes, node.child[p], &node.child_bounds(p))).sum()
    }

    #[test]
    fn both_builders_make_trees_that_hold_every_primitive_once() {
        // A fan of needles, on which the usual builder makes deep trees.
        let boxes: Vec<Aabb> = (0..5_000)
            .map(|i| {
                let angle = i as f32 * 1e-3;
                let tip = Vec3A::new(angle.cos(), angle.sin(), 0.0);
                Aabb::from_points(&[Vec3A::ZERO, tip])
            })
            .collect();
        let indices: Vec<u32> = (0..5_000).collect();
        let rule = LeafRule { max_primitives: 4, pack_size: 4, pack_cost: 0.55 };
        let usual = wide_tree(&boxes, indices.clone(), rule, &BvhBuildParams::slow_build());
        let flat = collapse(&halved(&boxes, &indices), rule);
        for tree in [usual, flat] {
            assert!(stack_need(&tree.nodes) <= STACK);
            let everywhere = Aabb::new(Vec3A::NEG_INFINITY, Vec3A::INFINITY);
            assert_eq!(holds(&tree, &boxes, 0, &everywhere), 5_000);
        }
    }
}
