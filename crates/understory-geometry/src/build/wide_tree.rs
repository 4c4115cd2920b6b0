//! An 8-wide tree over boxes, whatever they hold.
//!
//! obvhs builds a binary tree (PLOC, then reinsertion), which is collapsed to eight children a node.
//! Crowds of boxes, on which it would take very long, are halved instead (`crowds.rs`), so that the
//! time is that of sorting for any input.

use super::collapse::{LeafRule, WideTree, collapse, stack_need};
use super::crowds::{self, Sorted};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::reinsertion::ReinsertionOptimizer;
use obvhs::bvh2::{Bvh2, node::Bvh2Node};
use obvhs::ploc::PlocBuilder;
use std::ops::Range;

/// Most entries on a traversal's stack.
pub(crate) const STACK: usize = 192;

/// An 8-wide tree over `boxes`; box `i` stands for primitive `indices[i]`. Its walk fits [`STACK`].
pub(crate) fn wide_tree(
    boxes: &[Aabb],
    indices: &[u32],
    rule: LeafRule,
    preset: &BvhBuildParams,
) -> WideTree {
    let sorted = crowds::sort(boxes);
    let tree = collapse(&joined(boxes, indices, sorted, preset), rule);
    if stack_need(&tree.nodes) <= STACK {
        return tree;
    }
    collapse(&halved(boxes, indices), rule)
}

/// A tree of least depth over all boxes: for inputs on which the usual builder makes a list rather
/// than a tree.
fn halved(boxes: &[Aabb], indices: &[u32]) -> Bvh2 {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut tree = Bvh2 { nodes: vec![Bvh2Node::default()], ..Bvh2::default() };
    halve_below(&mut tree, 0, boxes, &mut order, 0..boxes.len());
    tree.primitive_indices = order.iter().map(|&b| indices[b as usize]).collect();
    tree
}

/// The tree of obvhs, over everything that is in no crowd and one box for each crowd, whose boxes
/// are halved below it.
fn joined(boxes: &[Aabb], indices: &[u32], sorted: Sorted, preset: &BvhBuildParams) -> Bvh2 {
    let Sorted { mut order, crowds, widened } = sorted;
    // Those in no crowd come first, then one for each crowd.
    let mut alone = Vec::with_capacity(order.len());
    let mut end = 0;
    for crowd in &crowds {
        alone.extend_from_slice(&order[end..crowd.start]);
        end = crowd.end;
    }
    alone.extend_from_slice(&order[end..]);
    alone.sort_unstable();
    let mut items: Vec<Aabb> = alone.iter().map(|&b| widened[b as usize]).collect();
    items.extend(crowds.iter().map(|crowd| crowds::around(boxes, &order[crowd.clone()])));
    drop(widened);
    let mut binary = PlocBuilder::with_capacity(items.len()).build(
        preset.ploc_search_distance,
        &items,
        (0..items.len() as u32).collect(),
        preset.sort_precision,
        preset.search_depth_threshold,
    );
    ReinsertionOptimizer::default().run(&mut binary, preset.reinsertion_batch_ratio, None);
    // Back to the boxes themselves, and the crowds in their places.
    binary.primitive_indices = alone.iter().map(|&b| indices[b as usize]).collect();
    for n in 0..binary.nodes.len() {
        if !binary.nodes[n].is_leaf() {
            continue;
        }
        let item = binary.nodes[n].first_index as usize;
        match alone.get(item) {
            Some(&b) => binary.nodes[n].set_aabb(boxes[b as usize]),
            None => {
                let crowd = crowds[item - alone.len()].clone();
                let first = binary.primitive_indices.len();
                halve_below(
                    &mut binary,
                    n,
                    boxes,
                    &mut order[crowd.clone()],
                    first..first + crowd.len(),
                );
                let members = order[crowd].iter().map(|&b| indices[b as usize]);
                binary.primitive_indices.extend(members);
            }
        }
    }
    binary.parents.clear();
    binary.children_are_ordered_after_parents = false;
    binary.max_depth = binary.nodes.len();
    binary.refit_all();
    binary
}

/// Makes node `n` one of least depth over the boxes of these numbers, by halving them along the
/// longest axis. They become the primitives `run` of the tree, in the order that they have in the
/// end.
fn halve_below(tree: &mut Bvh2, n: usize, boxes: &[Aabb], numbers: &mut [u32], run: Range<usize>) {
    let offset = run.start;
    let mut open = vec![(n, 0..run.len())];
    while let Some((n, part)) = open.pop() {
        let numbers = &mut numbers[part.clone()];
        let around = crowds::around(boxes, numbers);
        if part.len() == 1 {
            tree.nodes[n] = Bvh2Node::new(around, 1, (offset + part.start) as u32);
            continue;
        }
        let middle = crowds::halve(boxes, numbers, &around);
        let left = tree.nodes.len();
        tree.nodes[n] = Bvh2Node::new(around, 0, left as u32);
        tree.nodes.extend([Bvh2Node::default(); 2]);
        open.push((left, part.start..part.start + middle));
        open.push((left + 1, part.start + middle..part.end));
    }
}

#[cfg(test)]
mod tests {
    use super::super::node8::LEAF;
    use super::*;
    use glam::Vec3A;

    /// Every box of the primitives and of the children under a child lies in the child's box; how many
    /// primitives there are.
    fn holds(tree: &WideTree, boxes: &[Aabb]) -> usize {
        let leaves: Vec<&[u32]> = tree.leaves().collect();
        let mut held = 0;
        for node in &tree.nodes {
            for place in node.places() {
                let (code, around) = (node.child[place], node.child_bounds(place));
                if code & LEAF != 0 {
                    let leaf = leaves[(code & !LEAF) as usize];
                    for &primitive in leaf {
                        let b = &boxes[primitive as usize];
                        assert!(around.min.cmple(b.min).all() && around.max.cmpge(b.max).all());
                    }
                    held += leaf.len();
                    continue;
                }
                let below = &tree.nodes[code as usize];
                for inner in below.places().map(|place| below.child_bounds(place)) {
                    assert!(around.min.cmple(inner.min).all());
                    assert!(around.max.cmpge(inner.max).all());
                }
            }
        }
        held
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
        let usual = wide_tree(&boxes, &indices, rule, &BvhBuildParams::slow_build());
        let flat = collapse(&halved(&boxes, &indices), rule);
        for tree in [usual, flat] {
            assert!(stack_need(&tree.nodes) <= STACK);
            assert_eq!(holds(&tree, &boxes), 5_000);
        }
    }

    /// Numbers in 0…1 from a counter.
    fn number(k: u32) -> f32 {
        let mixed = k.wrapping_mul(0x9E37_79B9) ^ k.wrapping_mul(0x85EB_CA6B).rotate_left(13);
        (mixed.wrapping_mul(0xC2B2_AE35) >> 8) as f32 / (1 << 24) as f32
    }

    fn cube(at: Vec3A, size: f32) -> Aabb {
        Aabb::new(at, at + Vec3A::splat(size))
    }

    /// Builds a tree as for triangles, checks it, and says how long building took.
    fn seconds(boxes: &[Aabb]) -> f64 {
        let indices: Vec<u32> = (0..boxes.len() as u32).collect();
        let rule = LeafRule { max_primitives: 4, pack_size: 4, pack_cost: 0.55 };
        let start = std::time::Instant::now();
        let tree = wide_tree(boxes, &indices, rule, &BvhBuildParams::slow_build());
        let took = start.elapsed().as_secs_f64();
        assert!(stack_need(&tree.nodes) <= STACK);
        assert_eq!(holds(&tree, boxes), boxes.len());
        let mut all: Vec<u32> = tree.leaves().flatten().copied().collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..boxes.len() as u32));
        took
    }

    /// What strangers' meshes may be: each takes at most a few times as long as boxes that are spread
    /// out. With the usual builder alone 10,000 equal boxes took 300 times as long.
    #[test]
    fn no_arrangement_of_boxes_takes_much_longer_than_another() {
        const COUNT: u32 = 50_000;
        let spread = |k: u32| Vec3A::new(number(k), number(k + 1), number(k + 2)) * 100.0;
        let distinct: Vec<Aabb> = (0..COUNT).map(|k| cube(spread(3 * k), 0.1)).collect();
        let usual_s = seconds(&distinct).max(0.05);
        let of = |name, make: &dyn Fn(u32) -> Aabb| {
            let boxes: Vec<Aabb> = (0..COUNT).map(make).collect();
            let took_s = seconds(&boxes);
            println!("{name}: {:.2} of the usual time", took_s / usual_s);
            assert!(took_s < 6.0 * usual_s, "{name}: {took_s:.2} s, usually {usual_s:.2} s");
        };
        of("coincident", &|_| cube(Vec3A::ONE, 1.0));
        of("points", &|_| cube(Vec3A::ONE, 0.0));
        of("collinear", &|k| cube(Vec3A::X * k as f32, 0.5));
        of("touching", &|k| cube(Vec3A::X * k as f32, 1.0));
        of("collinear lines", &|k| Aabb::new(Vec3A::X * k as f32, Vec3A::X * (k as f32 + 0.5)));
        of("collinear points", &|k| cube(Vec3A::X * k as f32, 0.0));
        of("nested", &|k| cube(Vec3A::ZERO, 1.0 + k as f32 * 0.01));
        of("concentric", &|k| cube(Vec3A::splat(-1e-3 * k as f32), 2e-3 * k as f32 + 1.0));
        of("nested by squares", &|k| cube(Vec3A::ZERO, (k as f32 * 1e-3).powi(2)));
        of("nested by powers", &|k| cube(Vec3A::ZERO, (k as f32 / COUNT as f32 * 50.0).exp2()));
        of("flat grid", &|k| {
            let at = Vec3A::new((k % 316) as f32, (k / 316) as f32, 0.0);
            Aabb::new(at, at + Vec3A::new(1.0, 1.0, 0.0))
        });
        of("points of a grid", &|k| cube(Vec3A::new((k % 316) as f32, (k / 316) as f32, 0.0), 0.0));
        of("needles from one point", &|k| {
            let angle = k as f32 * 1e-4;
            Aabb::from_points(&[Vec3A::ZERO, Vec3A::new(angle.cos(), angle.sin(), 0.3)])
        });
        of("large and overlapping", &|k| Aabb::from_points(&[spread(6 * k), spread(6 * k + 3)]));
        of("places with a hundred each", &|k| cube(spread(k / 100), 0.1));
        of("places with a thousand each", &|k| cube(spread(k / 1000), 0.1));
        of("one large among many", &|k| {
            if k == 7 { cube(Vec3A::splat(-1e6), 2e6) } else { cube(spread(3 * k), 0.1) }
        });
        of("huge", &|k| cube(spread(3 * k) * 1e30, 1e28));
        of("tiny", &|k| cube(spread(3 * k) * 1e-30, 1e-32));
    }

    /// Ten times as many boxes take about twelve times as long where time grows as n log n, and a
    /// hundred times where it grows with the square.
    #[test]
    fn very_many_in_one_place_or_on_one_line_take_the_time_of_sorting() {
        const COUNT: usize = 300_000;
        let equal = vec![cube(Vec3A::ONE, 1.0); COUNT];
        let row: Vec<Aabb> = (0..COUNT).map(|k| cube(Vec3A::X * k as f32, 0.5)).collect();
        for (name, boxes) in [("coincident", equal), ("collinear", row)] {
            let tenth_s = seconds(&boxes[..COUNT / 10]).max(0.01);
            let all_s = seconds(&boxes);
            println!("{name}: {all_s:.2} s, a tenth {tenth_s:.3} s");
            assert!(all_s < 40.0 * tenth_s, "{name}: {all_s:.2} s, a tenth {tenth_s:.3} s");
        }
    }
}
