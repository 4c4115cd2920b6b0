//! Neighbouring rays through a tree of boxes as the lanes of a vector: a node is looked at once for
//! all of them. Each ray enters what it enters alone; only the order of its visits is another.

use super::boxes::{BoxVisitor, items_of_leaf};
use super::interleaved::ReachingRay;
use super::kernels::Kernels;
use super::pulse::{PulseLeaf, walk};
use super::slab_pulse::SlabPulse;
use super::{Met, NearestOfPulse, Row};
use crate::build::node8::{EMPTY, LEAF, Node8};
use crate::simd::Vector;

/// Rays of a packet.
pub(crate) const PACKET: usize = 16;
/// Rays of a packet differ by less than this in any component of their directions.
const NEIGHBOURS: f32 = 0.1;
/// Fewer rays than this fill too few lanes.
const LEAST: usize = 6;

/// Whether rays are worth walking as a packet.
pub(crate) fn are_neighbours(rays: &[ReachingRay]) -> bool {
    let Some((first, others)) = rays.split_first() else { return false };
    let near = |other: &ReachingRay| {
        let pairs = first.ray.direction.iter().zip(&other.ray.direction);
        pairs.into_iter().all(|(a, b)| (a - b).abs() < NEIGHBOURS)
    };
    (LEAST..=PACKET).contains(&rays.len()) && others.iter().all(near)
}

/// What the rays of a packet do at leaves.
struct BoxLeaf<'a, V> {
    nodes: &'a [Node8],
    rays: &'a [ReachingRay],
    visitors: &'a mut [V],
}

impl<I: Kernels, V: BoxVisitor> PulseLeaf<I> for BoxLeaf<'_, V> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, mask: u32, nearest: &mut NearestOfPulse<'_, I>) {
        let mut t = Row([0.0; PACKET]);
        let mut left = mask;
        // SAFETY: there are 16 lanes.
        unsafe { nearest.t.store(t.0.as_mut_ptr()) };
        while left != 0 {
            let ray = left.trailing_zeros() as usize & (PACKET - 1);
            left &= left - 1;
            if let Some(visitor) = self.visitors.get_mut(ray) {
                t.0[ray] = visitor.visit(items_of_leaf(leaf), t.0[ray]);
            }
        }
        // SAFETY: as before.
        nearest.t = unsafe { t.load::<I>() };
        nearest.farthest = nearest.t.max_of(0xffff);
    }

    #[inline(always)]
    unsafe fn finish_few(
        &mut self,
        node: u32,
        mask: u32,
        nearest: &mut NearestOfPulse<'_, I>,
    ) -> bool {
        let mut t = Row([0.0; PACKET]);
        let mut left = mask;
        // SAFETY: there are 16 lanes; `node` is one of the tree.
        unsafe {
            nearest.t.store(t.0.as_mut_ptr());
            while left != 0 {
                let number = left.trailing_zeros() as usize & (PACKET - 1);
                left &= left - 1;
                let (ray, visitor) = (self.rays.get(number), self.visitors.get_mut(number));
                if let Some((reaching, visitor)) = ray.zip(visitor) {
                    let t_max = t.0[number];
                    t.0[number] =
                        I::ray_through_boxes(self.nodes, node, reaching.ray, t_max, visitor);
                }
            }
            nearest.t = t.load::<I>();
        }
        nearest.farthest = nearest.t.max_of(0xffff);
        true
    }

    #[inline(always)]
    fn prefetch(&self, code: u32) {
        let (address, bytes) = if code & LEAF == 0 {
            (self.nodes.as_ptr().wrapping_add(code as usize).cast(), size_of::<Node8>())
        } else {
            match self.visitors.first() {
                Some(visitor) => visitor.memory_of(items_of_leaf(code & !LEAF)),
                None => return,
            }
        };
        for line in (0..bytes).step_by(64) {
            I::prefetch(address.wrapping_add(line));
        }
    }
}

/// Neighbouring rays through a tree of boxes, each with the visitor of its number.
///
/// # Safety
/// `nodes` is a whole tree whose walk fits a [`Stack`](super::Stack), and there are 1 to [`PACKET`]
/// rays; called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn packet_through_boxes<I: Kernels, V: BoxVisitor>(
    nodes: &[Node8],
    rays: &[ReachingRay],
    visitors: &mut [V],
) {
    let count = rays.len().min(visitors.len()).min(PACKET);
    let (mut direction, mut origin) = ([Row([0.0; PACKET]); 3], [Row([0.0; PACKET]); 3]);
    let mut t = Row([-1.0; PACKET]);
    for lane in 0..PACKET {
        let ReachingRay { ray, t_max } = &rays[if lane < count { lane } else { 0 }];
        for axis in 0..3 {
            direction[axis].0[lane] = ray.direction[axis];
            origin[axis].0[lane] = ray.origin[axis];
        }
        if lane < count {
            t.0[lane] = *t_max;
        }
    }
    let mask = (1u32 << count) - 1;
    // SAFETY: rows have 16 lanes; the walk fits the stack.
    unsafe {
        let load = |rows: [Row; 3]| rows.map(|row| row.load::<I>());
        let first = rays[0].ray.origin;
        let pulse = SlabPulse::<I>::new(load(direction), first, load(origin), true, mask);
        let t = t.load::<I>();
        let met = &mut Met { slot: [EMPTY; 16], placed: [EMPTY; 16] };
        let mut nearest = NearestOfPulse::<I> { t, met, farthest: t.max_of(0xffff) };
        let leaf = &mut BoxLeaf { nodes, rays: &rays[..count], visitors };
        if pulse.mixed {
            walk::<I, _, true>(nodes, &pulse, mask, &mut nearest, leaf);
        } else {
            walk::<I, _, false>(nodes, &pulse, mask, &mut nearest, leaf);
        }
    }
}
