//! Rays against boxes that hold whatever their owner knows how to meet: Gaussian volumes, say.
//!
//! What enters: boxes in f32 around an origin in f64. What leaves: a tree, and the order in which
//! its owner keeps the items, so that a leaf is a run of them. A walk hands those runs, roughly
//! nearest first, to a [`BoxVisitor`], who says how far the ray still goes: less after a hit that
//! counts, the same to see everything on the way.

use crate::build::collapse::LeafRule;
use crate::build::node8::{LEAF, Node8};
use crate::build::wide_tree::wide_tree;
use crate::traverse::boxes::{BoxVisitor, COUNT_BITS, LEAF_ITEMS};
use crate::traverse::interleaved::ReachingRay;
use crate::traverse::walk::SlabRay;
use crate::{GeometryError, InstructionSet};
use glam::{DVec3, Vec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;

/// What testing an item costs, in units of one node: less than it does, because full leaves need
/// less memory, 10 bytes an item instead of 30, and what is read together is near together.
const ITEM_COST: f32 = 0.1;

/// A tree over boxes.
pub struct BoxTree {
    nodes: Vec<Node8>,
    origin: DVec3,
    instructions: InstructionSet,
}

impl BoxTree {
    /// Most boxes of a tree.
    pub const MAX_ITEMS: usize = (LEAF >> COUNT_BITS) as usize;

    /// Over boxes given by their least and largest corner around `origin`. The second part is the
    /// order in which the walk numbers them: its item k is box `order[k]`.
    pub fn new(origin: DVec3, boxes: &[[Vec3; 2]]) -> Result<(BoxTree, Vec<u32>), GeometryError> {
        if boxes.len() > BoxTree::MAX_ITEMS {
            let (what, limit) = ("boxes", BoxTree::MAX_ITEMS);
            return Err(GeometryError::TooMany { what, count: boxes.len(), limit });
        }
        if let Some(item) = boxes.iter().position(|b| !(b[0].is_finite() && b[1].is_finite())) {
            let [x, y, z] = (boxes[item][0] + boxes[item][1]).as_dvec3().to_array();
            return Err(GeometryError::BadVertex { vertex: item, x, y, z });
        }
        let instructions = InstructionSet::usual();
        if boxes.is_empty() {
            return Ok((BoxTree { nodes: vec![Node8::VACANT], origin, instructions }, Vec::new()));
        }
        let boxes: Vec<Aabb> = boxes
            .iter()
            .map(|[low, high]| Aabb::new(Vec3A::from(*low), Vec3A::from(*high)))
            .collect();
        let rule = LeafRule { max_primitives: LEAF_ITEMS, pack_size: 1, pack_cost: ITEM_COST };
        let indices: Vec<u32> = (0..boxes.len() as u32).collect();
        let tree = wide_tree(&boxes, &indices, rule, &BvhBuildParams::medium_build());
        let mut order = Vec::with_capacity(boxes.len());
        let mut codes = Vec::with_capacity(tree.leaves().len());
        for leaf in tree.leaves() {
            codes.push(LEAF | (order.len() as u32) << COUNT_BITS | (leaf.len() as u32 - 1));
            order.extend_from_slice(leaf);
        }
        let mut nodes = tree.nodes;
        for node in &mut nodes {
            for place in 0..8 {
                let code = node.child[place];
                if node.occupied >> place & 1 == 1 && code & LEAF != 0 {
                    node.child[place] = codes[(code & !LEAF) as usize];
                }
            }
        }
        Ok((BoxTree { nodes, origin, instructions }, order))
    }

    /// Hands the items whose boxes a ray comes through to `visitor`.
    #[inline]
    pub fn walk<V: BoxVisitor>(&self, origin: DVec3, direction: Vec3, t_max: f32, visitor: &mut V) {
        let local = (origin - self.origin).as_vec3().to_array();
        let ray = SlabRay::new(local, direction.to_array());
        self.instructions.walk_boxes(&self.nodes, ray, t_max, visitor);
    }

    /// Like [`BoxTree::walk`] for many rays, each with the visitor of its number, which sees the
    /// same runs in any order: neighbours that stand together go as packets, and of others several
    /// are on their way at once, so that one uses the time for which another waits for memory.
    /// `rays` has origins, directions and how far they go.
    pub fn walk_together<V: BoxVisitor>(&self, rays: &[(DVec3, Vec3, f32)], visitors: &mut [V]) {
        const CHUNK: usize = 128;
        let nothing = SlabRay::new([0.0; 3], [1.0; 3]);
        let mut local = [ReachingRay { ray: nothing, t_max: 0.0 }; CHUNK];
        for (rays, visitors) in rays.chunks(CHUNK).zip(visitors.chunks_mut(CHUNK)) {
            for (local, (origin, direction, t_max)) in local.iter_mut().zip(rays) {
                let origin = (*origin - self.origin).as_vec3().to_array();
                let ray = SlabRay::new(origin, direction.to_array());
                *local = ReachingRay { ray, t_max: *t_max };
            }
            let local = &local[..rays.len()];
            self.instructions.walk_boxes_together(&self.nodes, local, visitors);
        }
    }

    /// Traces with these instructions from now on; refused where the machine lacks them.
    pub fn use_instructions(&mut self, set: InstructionSet) -> Result<(), GeometryError> {
        if !InstructionSet::available().contains(&set) {
            return Err(GeometryError::MissingInstructions { set: format!("{set:?}") });
        }
        self.instructions = set;
        Ok(())
    }

    /// Bytes held by the tree.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    /// Numbers in 0…1 from a counter.
    fn number(k: u32) -> f32 {
        let mixed = k.wrapping_mul(0x9E37_79B9) ^ k.wrapping_mul(0x85EB_CA6B).rotate_left(13);
        (mixed.wrapping_mul(0xC2B2_AE35) >> 8) as f32 / (1 << 24) as f32
    }

    fn crosses(b: &[Vec3; 2], origin: Vec3, direction: Vec3, t_max: f32) -> bool {
        let (one, other) = ((b[0] - origin) / direction, (b[1] - origin) / direction);
        let enter = one.min(other).max_element().max(0.0);
        enter <= one.max(other).min_element().min(t_max)
    }

    #[test]
    fn rays_meet_the_boxes_that_brute_force_says() {
        let corner = |k: u32| Vec3::new(number(k), number(k + 1), number(k + 2)) * 10.0;
        let boxes: Vec<[Vec3; 2]> = (0..3000)
            .map(|k| {
                let low = corner(k * 7);
                [low, low + corner(k * 7 + 3) * 0.05 + Vec3::splat(0.01)]
            })
            .collect();
        let origin = DVec3::new(5e5, 4.5e6, 300.0);
        for set in InstructionSet::available() {
            let (mut tree, order) = BoxTree::new(origin, &boxes).unwrap();
            tree.use_instructions(set).unwrap();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..3000));
            let mut met_at_all = 0;
            for k in 0..300 {
                let from = corner(100_000 + k * 11) * 1.5 - Vec3::splat(2.5);
                let direction = (corner(200_000 + k * 13) - from).normalize();
                let mut met = vec![false; boxes.len()];
                tree.walk(
                    origin + from.as_dvec3(),
                    direction,
                    8.0,
                    &mut |items: Range<usize>, t| {
                        for item in items {
                            met[order[item] as usize] = true;
                        }
                        t
                    },
                );
                for (item, b) in boxes.iter().enumerate() {
                    let shrunk = [b[0] + Vec3::splat(1e-4), b[1] - Vec3::splat(1e-4)];
                    if crosses(&shrunk, from, direction, 7.999) {
                        met_at_all += 1;
                        assert!(met[item], "ray {k} misses box {item}");
                    }
                }
            }
            assert!(met_at_all > 500, "{met_at_all}");
        }
    }

    /// Rays side by side visit what each visits alone, neighbours and others, and find the same
    /// where what they find cuts them short.
    #[test]
    fn rays_together_see_what_each_sees_alone() {
        let corner = |k: u32| Vec3::new(number(k), number(k + 1), number(k + 2)) * 10.0;
        let boxes: Vec<[Vec3; 2]> =
            (0..2000).map(|k| [corner(k * 7), corner(k * 7) + Vec3::splat(0.3)]).collect();
        let rays: Vec<(DVec3, Vec3, f32)> = (0..400)
            .map(|k| {
                // Half of them go anywhere; the others leave nearly one point nearly in parallel,
                // and some go along the planes of boxes.
                let (from, to) = match k {
                    0..200 => (corner(100_000 + k * 11) * 1.5 - Vec3::splat(2.5), corner(k * 13)),
                    _ => {
                        let turn = 0.004 * (k % 200) as f32;
                        let from = Vec3::new(-3.0, 4.0, 5.0 + number(k) * 1e-3);
                        (from, from + Vec3::new(1.0, 0.4 - turn, 0.1 * (k / 300) as f32))
                    }
                };
                (from.as_dvec3(), (to - from).normalize(), 14.0)
            })
            .collect();
        /// What a ray comes by, and the nearest entry of all that stops it.
        #[derive(Clone)]
        struct Seen<'a> {
            boxes: &'a [[Vec3; 2]],
            order: &'a [u32],
            ray: (DVec3, Vec3, f32),
            items: Vec<usize>,
            nearest: Option<(u32, usize)>,
            cuts: bool,
        }
        impl BoxVisitor for Seen<'_> {
            fn visit(&mut self, items: Range<usize>, mut t_max: f32) -> f32 {
                self.items.extend(items.clone());
                for item in items.filter(|_| self.cuts) {
                    let [low, high] = self.boxes[self.order[item] as usize];
                    let from = self.ray.0.as_vec3();
                    let (one, other) = ((low - from) / self.ray.1, (high - from) / self.ray.1);
                    let (enter, leave) = (one.min(other), one.max(other));
                    // Well behind where the walk enters the box.
                    let t = enter.max_element().max(0.0) + 1e-3;
                    if t < leave.min_element().min(self.ray.2) {
                        let best = self.nearest.get_or_insert((u32::MAX, 0));
                        *best = (*best).min((t.to_bits(), item));
                        t_max = t_max.min(t);
                    }
                }
                t_max
            }
        }
        for set in InstructionSet::available() {
            let (mut tree, order) = BoxTree::new(DVec3::ZERO, &boxes).unwrap();
            tree.use_instructions(set).unwrap();
            for (count, cuts) in
                [0, 1, 7, 9, 200, 400].into_iter().flat_map(|n| [(n, false), (n, true)])
            {
                let seen = |ray: &(DVec3, Vec3, f32)| Seen {
                    boxes: &boxes,
                    order: &order,
                    ray: *ray,
                    items: Vec::new(),
                    nearest: None,
                    cuts,
                };
                let mut together: Vec<Seen> = rays[..count].iter().map(seen).collect();
                tree.walk_together(&rays[..count], &mut together);
                let (mut items, mut found) = (0, 0);
                for (ray, together) in rays.iter().zip(&mut together) {
                    let mut alone = seen(ray);
                    tree.walk(ray.0, ray.1, ray.2, &mut alone);
                    alone.items.sort_unstable();
                    together.items.sort_unstable();
                    assert_eq!(alone.nearest, together.nearest, "{set:?}");
                    assert!(cuts || alone.items == together.items, "{set:?}");
                    items += together.items.len();
                    found += usize::from(together.nearest.is_some());
                }
                assert!(items >= 5 * count && (!cuts || 2 * found >= count), "{items}, {found}");
            }
        }
    }

    #[test]
    fn a_ray_goes_no_farther_than_it_is_told() {
        let boxes: Vec<[Vec3; 2]> = (0..1000)
            .map(|k| [Vec3::new(k as f32, -0.1, -0.1), Vec3::new(k as f32 + 0.5, 0.1, 0.1)])
            .collect();
        let (tree, order) = BoxTree::new(DVec3::ZERO, &boxes).unwrap();
        let (mut seen, mut nearest) = (0, u32::MAX);
        tree.walk(DVec3::new(100.2, 0.0, 0.0), Vec3::X, 1e6, &mut |items: Range<usize>, t: f32| {
            let mut t = t;
            for item in items {
                seen += 1;
                let entry = (order[item] as f32 - 100.2).max(0.0);
                if order[item] >= 100 && entry < t {
                    (t, nearest) = (entry, order[item]);
                }
            }
            t
        });
        assert_eq!(nearest, 100);
        assert!(seen < 40, "{seen}");
    }

    #[test]
    fn no_boxes_and_boxes_that_are_none() {
        let (tree, order) = BoxTree::new(DVec3::ZERO, &[]).unwrap();
        assert!(order.is_empty());
        let mut visits = 0;
        tree.walk(DVec3::ZERO, Vec3::X, 10.0, &mut |_: Range<usize>, t| {
            visits += 1;
            t
        });
        assert_eq!(visits, 0);
        let bad = [[Vec3::ZERO, Vec3::ONE], [Vec3::NAN, Vec3::ONE]];
        assert!(matches!(
            BoxTree::new(DVec3::ZERO, &bad),
            Err(GeometryError::BadVertex { vertex: 1, .. })
        ));
    }
}
