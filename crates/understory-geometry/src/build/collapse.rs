//! From a binary tree to an 8-wide one.
//!
//! Each binary subtree can become a leaf, an inner node with up to eight children, or a share of
//! its parent's places. The cheapest choice by the surface area heuristic is found bottom-up for
//! every number of places (Ylitie, Karras and Laine 2017, section 4.1).
//!
//! The wide tree of `obvhs` compresses its boxes and has other leaves: its traversal cannot test a
//! whole pulse against a child, which is what these nodes are for.

use super::node8::{LEAF, Node8};
use obvhs::bvh2::Bvh2;

/// What a leaf may hold and what it costs.
#[derive(Clone, Copy)]
pub(crate) struct LeafRule {
    /// Most primitives in a leaf.
    pub max_primitives: u32,
    /// Primitives that are tested together.
    pub pack_size: u32,
    /// Cost of testing one pack, in units of one node.
    pub pack_cost: f32,
}

/// An 8-wide tree; the leaf code of leaf `i` is `LEAF | i`.
pub(crate) struct WideTree {
    /// Parents stand before their children; the root is the first.
    pub nodes: Vec<Node8>,
    /// Primitives, leaf by leaf.
    primitives: Vec<u32>,
    /// Where the primitives of each leaf begin and end.
    leaves: Vec<(u32, u32)>,
}

impl WideTree {
    /// Primitives of each leaf, in the order of the leaf codes.
    pub fn leaves(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.leaves.iter().map(|&(begin, end)| &self.primitives[begin as usize..end as usize])
    }
}

/// Collapses `binary` by the cheapest plan.
pub(crate) fn collapse(binary: &Bvh2, rule: LeafRule) -> WideTree {
    let plan = Plan::new(binary, rule);
    let mut nodes = vec![Node8::VACANT];
    let mut leaves = Vec::new();
    let mut add_leaf = |n: usize| {
        leaves.push((plan.first[n], plan.first[n] + plan.count[n]));
        LEAF | (leaves.len() as u32 - 1)
    };
    let mut open = Vec::new();
    if plan.is_leaf(ROOT) {
        nodes[0].set_child(0, binary.nodes[ROOT].aabb(), add_leaf(ROOT));
    } else {
        open.push((ROOT, 0));
    }
    let mut children = Vec::with_capacity(WIDTH);
    while let Some((subtree, node)) = open.pop() {
        children.clear();
        plan.children(subtree, &mut children);
        let first_open = open.len();
        for (place, &child) in children.iter().enumerate() {
            let code = if plan.is_leaf(child) {
                add_leaf(child)
            } else {
                nodes.push(Node8::VACANT);
                open.push((child, nodes.len() - 1));
                nodes.len() as u32 - 1
            };
            nodes[node].set_child(place, binary.nodes[child].aabb(), code);
        }
        open[first_open..].reverse();
    }
    WideTree { nodes, primitives: plan.order, leaves }
}

const ROOT: usize = 0;
const WIDTH: usize = 8;

/// The cheapest way to spend places on each binary subtree.
struct Plan<'a> {
    binary: &'a Bvh2,
    rule: LeafRule,
    /// Primitives in the order of the leaves, so that each subtree owns a run of them.
    order: Vec<u32>,
    first: Vec<u32>,
    count: Vec<u32>,
    /// `split[n][places - 1]`: how many of the places go to the left child; 0: fewer places do as
    /// well, and for one place: the subtree is a leaf.
    split: Vec<[u8; WIDTH]>,
}

impl<'a> Plan<'a> {
    fn new(binary: &'a Bvh2, rule: LeafRule) -> Self {
        let nodes = binary.nodes.len();
        let mut plan = Plan {
            binary,
            rule,
            order: Vec::with_capacity(binary.primitive_indices.len()),
            first: vec![0; nodes],
            count: vec![0; nodes],
            split: vec![[0; WIDTH]; nodes],
        };
        let post_order = plan.number_primitives();
        let mut cost = vec![[0.0f32; WIDTH]; nodes];
        for n in post_order {
            plan.spend_places(n, &mut cost);
        }
        plan
    }

    /// Gives each subtree its run of primitives and returns the nodes, children before parents.
    fn number_primitives(&mut self) -> Vec<usize> {
        let mut post_order = Vec::with_capacity(self.binary.nodes.len());
        let mut open = vec![(ROOT, false)];
        while let Some((n, children_done)) = open.pop() {
            let node = &self.binary.nodes[n];
            let left = node.first_index as usize;
            if children_done {
                self.count[n] = self.count[left] + self.count[left + 1];
                post_order.push(n);
                continue;
            }
            self.first[n] = self.order.len() as u32;
            if node.is_leaf() {
                let run = left..left + node.prim_count as usize;
                self.order.extend_from_slice(&self.binary.primitive_indices[run]);
                self.count[n] = node.prim_count;
                post_order.push(n);
            } else {
                open.extend([(n, true), (left + 1, false), (left, false)]);
            }
        }
        post_order
    }

    fn spend_places(&mut self, n: usize, cost: &mut [[f32; WIDTH]]) {
        let node = &self.binary.nodes[n];
        let area = node.aabb().half_area();
        let packs = self.count[n].div_ceil(self.rule.pack_size) as f32;
        let as_leaf = area * packs * self.rule.pack_cost;
        if node.is_leaf() {
            cost[n] = [as_leaf; WIDTH];
            return;
        }
        let left = node.first_index as usize;
        let shared = |places: usize| {
            (1..places).map(|k| (cost[left][k - 1] + cost[left + 1][places - k - 1], k as u8)).fold(
                (f32::INFINITY, 1),
                |best, candidate| if candidate.0 < best.0 { candidate } else { best },
            )
        };
        let mut own = [(0.0, 0); WIDTH];
        for (places, choice) in own.iter_mut().enumerate().skip(1) {
            *choice = shared(places + 1);
        }
        let (below, split) = own[WIDTH - 1];
        let as_inner = below + area;
        let leaf_wins = self.count[n] <= self.rule.max_primitives && as_leaf <= as_inner;
        let mut best = if leaf_wins { as_leaf } else { as_inner };
        cost[n][0] = best;
        self.split[n][0] = if leaf_wins { 0 } else { split };
        for places in 1..WIDTH {
            if own[places].0 < best {
                best = own[places].0;
                self.split[n][places] = own[places].1;
            }
            cost[n][places] = best;
        }
    }

    fn is_leaf(&self, n: usize) -> bool {
        self.binary.nodes[n].is_leaf() || self.split[n][0] == 0
    }

    /// Roots of the children of `n` as a node of its own.
    fn children(&self, n: usize, out: &mut Vec<usize>) {
        let left = self.binary.nodes[n].first_index as usize;
        let to_left = self.split[n][0] as usize;
        self.gather(left, to_left, out);
        self.gather(left + 1, WIDTH - to_left, out);
    }

    /// Roots of the subtrees that fill the `places` given to `n`.
    fn gather(&self, n: usize, places: usize, out: &mut Vec<usize>) {
        let used = (2..=places).rev().find(|&p| self.split[n][p - 1] != 0);
        match used {
            Some(places) if !self.binary.nodes[n].is_leaf() => {
                let left = self.binary.nodes[n].first_index as usize;
                let to_left = self.split[n][places - 1] as usize;
                self.gather(left, to_left, out);
                self.gather(left + 1, places - to_left, out);
            }
            _ => out.push(n),
        }
    }
}

/// Most entries that a walk through `nodes` can have open at once.
///
/// A walk that goes into one child of a node leaves the others on its stack.
pub(crate) fn stack_need(nodes: &[Node8]) -> usize {
    let mut need = vec![0usize; nodes.len()];
    let mut most = 0;
    for (n, node) in nodes.iter().enumerate() {
        let here = need[n] + node.places().count();
        most = most.max(here);
        for place in node.places() {
            let code = node.child[place];
            if code & LEAF == 0 {
                need[code as usize] = here - 1;
            }
        }
    }
    most
}
