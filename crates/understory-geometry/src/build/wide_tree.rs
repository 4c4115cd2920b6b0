//! An 8-wide tree over boxes, whatever they hold.
//!
//! obvhs builds a binary tree (PLOC, then reinsertion), which is collapsed to eight children a node.

use super::collapse::{LeafRule, WideTree, collapse, stack_need};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::reinsertion::ReinsertionOptimizer;
use obvhs::bvh2::{Bvh2, node::Bvh2Node};
use obvhs::ploc::PlocBuilder;

/// Most entries on a traversal's stack.
pub(crate) const STACK: usize = 192;

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

#[cfg(test)]
mod tests {
    use super::super::node8::LEAF;
    use super::*;
    use glam::Vec3A;

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
