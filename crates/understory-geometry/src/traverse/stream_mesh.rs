//! A stream through a mesh: its pulses are the lanes of a vector.
//!
//! A node is tested against the union of the pulses, eight children at once, then each child that
//! survives against each pulse, sixteen at once. A child that [`FEW_PULSES`] or more enter is
//! walked on; what fewer enter, and every leaf, waits in the [`Queues`] for single pulses and rays.
//!
//! What lies between bounds here holds for every ray to the last bit: rounding keeps order, so a
//! product with a bound is a bound of the product.

use super::queues::{Below, Block, FLUSH, Queues, Reach, enter_children};
use super::slab_pulse::{INTERVAL_PAD, LanePulse, SIGN_MARGIN, slab_scales};
use super::triangles::{BoxEntry, PackContext};
use super::{PULSES, RAYS, Row, SHARED, Stack};
use crate::build::blas::Blas;
use crate::build::node8::LEAF;
use crate::build::tlas::{Frame, FrameLanes};
use crate::filter::WalkFilter;
use crate::simd::{Isa, Vector};

/// Fewer pulses than this go on alone.
pub(super) const FEW_PULSES: u32 = 3;

/// Relative widening of the bounds of directions: more than the roundings of a transform, of the
/// middle and of the half width, some 13 of f32.
const TRANSFORM_PAD: f32 = 1.6e-6;
/// Relative widening of the bounds of origins, of which the last rounding is relative to the sum.
const ORIGIN_PAD: f32 = 4.0 * f32::EPSILON;

/// The rays of a pulse in the frame of a mesh.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct LocalRays {
    pub direction: [Row; 3],
    /// As in [`SlabPulse`](super::slab_pulse::SlabPulse).
    pub near_scale: [Row; 3],
    pub far_scale: [Row; 3],
    /// Where each ray begins, where they differ.
    pub origins: [Row; 3],
    /// Where the pulse begins, where the pulses differ.
    pub origin: [f32; 3],
}

impl LocalRays {
    pub const NONE: LocalRays = LocalRays {
        direction: [Row([0.0; 16]); 3],
        near_scale: [Row([0.0; 16]); 3],
        far_scale: [Row([0.0; 16]); 3],
        origins: [Row([0.0; 16]); 3],
        origin: [0.0; 3],
    };

    /// Rays that enter the box between these planes, near and far for each axis, no farther than
    /// `t`.
    ///
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    pub(super) unsafe fn enter<I: Isa, const FROM: u8>(
        &self,
        planes: impl Fn(usize) -> (f32, f32),
        t: I::Rays,
    ) -> u32 {
        let mut enter = I::Rays::splat(0.0);
        let mut leave = t;
        for axis in 0..3 {
            let (mut near, mut far) = planes(axis);
            if FROM == PULSES {
                (near, far) = (near - self.origin[axis], far - self.origin[axis]);
            }
            let (mut near, mut far) = (I::Rays::splat(near), I::Rays::splat(far));
            // SAFETY: rows have 16 lanes.
            unsafe {
                if FROM == RAYS {
                    let origins = self.origins[axis].load::<I>();
                    (near, far) = (near.sub(origins), far.sub(origins));
                }
                enter = near.mul(self.near_scale[axis].load::<I>()).max(enter);
                leave = far.mul(self.far_scale[axis].load::<I>()).min(leave);
            }
        }
        enter.le(leave)
    }

    /// Directions and scales of a pulse in the frame of an instance, all of one sign.
    ///
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    unsafe fn transform<I: Isa, const FROM: u8>(&mut self, pulse: &LanePulse, frame: &Frame) {
        // SAFETY: rows have 16 lanes.
        unsafe {
            let direction = frame.local_lanes::<I>(pulse.direction.map(|row| row.load::<I>()));
            for axis in 0..3 {
                let (near, far) = slab_scales(direction[axis]);
                direction[axis].store(self.direction[axis].0.as_mut_ptr());
                near.store(self.near_scale[axis].0.as_mut_ptr());
                far.store(self.far_scale[axis].0.as_mut_ptr());
            }
            if FROM == RAYS {
                let origins = pulse.origins::<I>().local(frame, self.origin);
                for axis in 0..3 {
                    origins[axis].store(self.origins[axis].0.as_mut_ptr());
                }
            }
        }
    }
}

/// The rays of a pulse in the frame of a mesh, as they enter boxes.
pub(super) struct LocalEntry<'a, const FROM: u8> {
    pub local: &'a LocalRays,
    /// Which planes of a box are near.
    pub near_row: [usize; 3],
    /// Where all pulses begin, if they share it.
    pub origin: [f32; 3],
}

impl<I: Isa, const FROM: u8> BoxEntry<I> for LocalEntry<'_, FROM> {
    #[inline(always)]
    fn entry(&self, bounds: &[f32; 6]) -> I::Rays {
        let mut entry = I::Rays::splat(0.0);
        for axis in 0..3 {
            let plane = bounds[self.near_row[axis]];
            let from = if FROM == SHARED { self.origin[axis] } else { self.local.origin[axis] };
            // SAFETY: rows have 16 lanes, and only kernels of `I` have one of these.
            unsafe {
                let near = if FROM == RAYS {
                    I::Rays::splat(plane).sub(self.local.origins[axis].load::<I>())
                } else {
                    I::Rays::splat(plane - from)
                };
                entry = near.mul(self.local.near_scale[axis].load::<I>()).max(entry);
            }
        }
        entry
    }
}

/// Middle and half width of what the rays of each pulse have, by axis; lanes are pulses.
#[derive(Clone, Copy)]
pub(crate) struct Spans<I: Isa> {
    pub middle: [I::Rays; 3],
    pub half: [I::Rays; 3],
}

#[inline(always)]
fn abs<V: Vector>(a: V) -> V {
    a.and(V::splat(f32::from_bits(0x7fff_ffff)))
}

impl<I: Isa> Spans<I> {
    /// From the least and the largest value of each pulse, widened so that the transformed span
    /// holds all that is transformed, however both are rounded.
    #[inline(always)]
    pub fn new(least: [I::Rays; 3], most: [I::Rays; 3]) -> Spans<I> {
        let (mut middle, mut half) = (least, most);
        for axis in 0..3 {
            let one_half = I::Rays::splat(0.5);
            middle[axis] = least[axis].mul(one_half).add(most[axis].mul(one_half));
            let width = most[axis].sub(least[axis]).mul(one_half);
            let size = abs(middle[axis]).add(width);
            half[axis] = size.mul_add(I::Rays::splat(TRANSFORM_PAD), width);
        }
        Spans { middle, half }
    }

    /// Least and largest values in the frame of an instance.
    #[inline(always)]
    pub fn transformed(&self, frame: &Frame) -> ([I::Rays; 3], [I::Rays; 3]) {
        let middle = frame.local_lanes::<I>(self.middle);
        Spans::<I>::about(middle, frame.local_sizes::<I>(self.half))
    }

    /// The same where each pulse has a frame of its own.
    #[inline(always)]
    pub fn transformed_each(&self, frames: &FrameLanes<I>) -> ([I::Rays; 3], [I::Rays; 3]) {
        Spans::<I>::about(frames.local(self.middle), frames.local_sizes(self.half))
    }

    #[inline(always)]
    fn about(middle: [I::Rays; 3], half: [I::Rays; 3]) -> ([I::Rays; 3], [I::Rays; 3]) {
        let (mut least, mut most) = (middle, middle);
        for axis in 0..3 {
            least[axis] = middle[axis].sub(half[axis]);
            most[axis] = middle[axis].add(half[axis]);
        }
        (least, most)
    }
}

/// Directions and offsets of the pulses of a stream in the world.
pub(crate) struct WorldSpans<I: Isa> {
    pub directions: Spans<I>,
    pub offsets: Spans<I>,
}

/// Bounds of the rays of each pulse; lanes are pulses.
#[derive(Clone, Copy)]
pub(crate) struct LaneReach<I: Isa> {
    /// Least and largest reciprocal direction along each axis.
    pub ends: [[I::Rays; 2]; 3],
    pub origin_near: [I::Rays; 3],
    pub origin_far: [I::Rays; 3],
}

impl<I: Isa> LaneReach<I> {
    /// The bounds of all pulses of `pulses` together.
    #[inline(always)]
    pub fn of<const FROM: u8>(&self, pulses: u32, origin: [f32; 3]) -> Reach {
        let mut reach =
            Reach { low: [0.0; 3], high: [0.0; 3], origin_near: origin, origin_far: origin };
        for axis in 0..3 {
            let [low, high] = self.ends[axis];
            reach.low[axis] = low.min_of(pulses);
            reach.high[axis] = high.max_of(pulses);
            if FROM != SHARED {
                let (near, far) = (self.origin_near[axis], self.origin_far[axis]);
                if reach.low[axis] > 0.0 {
                    reach.origin_near[axis] = near.max_of(pulses);
                    reach.origin_far[axis] = far.min_of(pulses);
                } else {
                    reach.origin_near[axis] = near.min_of(pulses);
                    reach.origin_far[axis] = far.max_of(pulses);
                }
            }
        }
        reach
    }

    /// Pulses that may enter a box of a block no farther than `far`.
    ///
    /// # Safety
    /// `place` is below 8; called only from a kernel of `I`.
    #[inline(always)]
    pub unsafe fn enter<const FROM: u8>(
        &self,
        block: &Block,
        below: &Below,
        place: usize,
        far: I::Rays,
    ) -> u32 {
        let mut enter = I::Rays::splat(0.0);
        let mut leave = far;
        for axis in 0..3 {
            // SAFETY: as promised by the caller.
            let (near, far) = unsafe { block.planes_of(place, axis) };
            if FROM == SHARED {
                // Planes less the origin are the same for all: their signs say which end of the
                // reciprocals gives the least product, which the largest.
                let nearest = self.ends[axis][(below.near[axis] >> place & 1) as usize];
                let farthest = self.ends[axis][(!below.far[axis] >> place & 1) as usize];
                enter = I::Rays::splat(near).mul(nearest).max(enter);
                leave = I::Rays::splat(far).mul(farthest).min(leave);
                continue;
            }
            let near = I::Rays::splat(near).sub(self.origin_near[axis]);
            let far = I::Rays::splat(far).sub(self.origin_far[axis]);
            let [low, high] = self.ends[axis];
            enter = near.mul(low).min(near.mul(high)).max(enter);
            leave = far.mul(low).max(far.mul(high)).min(leave);
        }
        enter.le(leave)
    }
}

/// [`LaneReach`] in memory, for single pulses.
#[derive(Clone, Copy)]
pub(crate) struct ReachRows {
    low: [Row; 3],
    high: [Row; 3],
    origin_near: [Row; 3],
    origin_far: [Row; 3],
}

impl ReachRows {
    pub const NONE: ReachRows = ReachRows {
        low: [Row([0.0; 16]); 3],
        high: [Row([0.0; 16]); 3],
        origin_near: [Row([0.0; 16]); 3],
        origin_far: [Row([0.0; 16]); 3],
    };

    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    unsafe fn keep<I: Isa, const FROM: u8>(&mut self, reach: &LaneReach<I>) {
        // SAFETY: rows have 16 lanes.
        unsafe {
            for axis in 0..3 {
                let [low, high] = reach.ends[axis];
                low.store(self.low[axis].0.as_mut_ptr());
                high.store(self.high[axis].0.as_mut_ptr());
                if FROM != SHARED {
                    reach.origin_near[axis].store(self.origin_near[axis].0.as_mut_ptr());
                    reach.origin_far[axis].store(self.origin_far[axis].0.as_mut_ptr());
                }
            }
        }
    }
}

/// Which rows of a node hold the near planes, by the sign of the reciprocals, and which the far.
#[inline(always)]
pub(super) fn rows_of(low: [f32; 3]) -> ([usize; 3], [usize; 3]) {
    let near = [0, 1, 2].map(|axis| axis + 3 * usize::from(low[axis] < 0.0));
    (near, [3 - near[0], 5 - near[1], 7 - near[2]])
}

/// An entry of a stack of streams: where the first ray enters, rounded down to 16 bits, so that
/// the nearest is the least; then the pulses; then the child code.
#[inline(always)]
pub(super) fn key(entry: f32, pulses: u32, code: u32) -> u64 {
    u64::from(entry.to_bits() >> 16) << 48 | u64::from(pulses & 0xffff) << 32 | u64::from(code)
}

/// Pulses of an entry that reach as far as it begins.
#[inline(always)]
pub(super) fn pulses_of<V: Vector>(key: u64, far: V) -> u32 {
    let entry = f32::from_bits((key >> 48) as u32 * 0x1_0000);
    (key >> 32) as u32 & 0xffff & V::splat(entry).le(far)
}

/// Sorts what was pushed since `base`, the nearest last.
///
/// # Safety
/// Everything from `base` to `open` was pushed.
#[inline(always)]
pub(super) unsafe fn nearest_last(stack: &mut Stack<u64>, base: usize, open: usize) {
    // SAFETY: as promised by the caller.
    unsafe {
        if open == base + 2 {
            let (a, b) = (stack.get(base), stack.get(base + 1));
            stack.set(base, a.max(b));
            stack.set(base + 1, a.min(b));
            return;
        }
        for from in base + 1..open {
            let key = stack.get(from);
            let mut at = from;
            while at > base && stack.get(at - 1) < key {
                stack.set(at, stack.get(at - 1));
                at -= 1;
            }
            stack.set(at, key);
        }
    }
}

/// The frames in which the pulses of a stream see an instance.
#[derive(Clone, Copy)]
pub(crate) enum Frames<'a> {
    /// It stands still.
    One(&'a Frame),
    /// It moves from pulse to pulse.
    Each(&'a [Frame; 16]),
}

impl<'a> Frames<'a> {
    /// The frame of one pulse.
    #[inline(always)]
    fn of(&self, pulse: usize) -> &'a Frame {
        match self {
            Frames::One(frame) => frame,
            Frames::Each(frames) => &frames[pulse & 15],
        }
    }
}

/// A stream in a mesh.
pub(crate) struct MeshStream<'a, I: Isa, F, const FROM: u8> {
    pub tree: &'a Blas,
    pub frames: Frames<'a>,
    pub context: PackContext<'a>,
    pub pulses: &'a mut [LanePulse; 16],
    /// How far each pulse still goes.
    pub far: &'a mut Row,
    /// Rays of each pulse that may enter the instance.
    pub rays: &'a [u32; 16],
    pub local: &'a mut [LocalRays; 16],
    pub reach: &'a mut ReachRows,
    pub queues: &'a mut Queues,
    /// Where all pulses begin, if they share it.
    pub origin: [f32; 3],
    pub near_row: [usize; 3],
    pub far_row: [usize; 3],
    pub filter: &'a mut F,
    pub isa: std::marker::PhantomData<I>,
}

impl<I: Isa, F: WalkFilter, const FROM: u8> MeshStream<'_, I, F, FROM> {
    /// The bounds of one pulse.
    ///
    /// # Safety
    /// `pulse` is below 16.
    #[inline(always)]
    pub(super) unsafe fn reach_of(&self, pulse: usize) -> Reach {
        // SAFETY: as promised by the caller.
        let of =
            |rows: &[Row; 3]| [0, 1, 2].map(|axis| unsafe { *rows[axis].0.get_unchecked(pulse) });
        let mut reach = Reach {
            low: of(&self.reach.low),
            high: of(&self.reach.high),
            origin_near: self.origin,
            origin_far: self.origin,
        };
        if FROM != SHARED {
            reach.origin_near = of(&self.reach.origin_near);
            reach.origin_far = of(&self.reach.origin_far);
        }
        reach
    }

    /// Follows the pulses of `pulses`, whose bounds are `lanes`, through the mesh.
    ///
    /// # Safety
    /// The pulses go the same way along every axis; called only from a kernel of `I`.
    #[inline(always)]
    pub(super) unsafe fn walk(&mut self, pulses: u32, lanes: &LaneReach<I>) {
        let mut active = pulses;
        let all = lanes.of::<FROM>(active, self.origin);
        (self.near_row, self.far_row) = rows_of(all.low);
        // Pulses whose rays are transformed, and pulses that wait.
        let (mut transformed, mut needed) = (0u32, 0u32);
        let mut stack = Stack::<u64>::new();
        let mut open = 0;
        let mut code = 0u32;
        // SAFETY: codes are those of the tree, whose walk fits the stack; fewer than FLUSH pairs
        // wait before each node.
        unsafe {
            self.reach.keep::<I, FROM>(lanes);
            let mut farthest = self.far.load::<I>().max_of(active);
            if active.count_ones() < FEW_PULSES {
                needed = active;
                while active != 0 {
                    let pulse = active.trailing_zeros() as usize & 15;
                    active &= active - 1;
                    self.queues.push_root(pulse, self.rays[pulse]);
                }
            }
            loop {
                if active != 0 {
                    let far = self.far.load::<I>();
                    let node = self.tree.nodes.get_unchecked(code as usize);
                    let (near_row, far_row) = (self.near_row, self.far_row);
                    let block = self.queues.next_block();
                    let (mut candidates, below) =
                        enter_children::<I, FROM>(node, &near_row, &far_row, &all, farthest, block);
                    let (base, before) = (open, self.queues.pairs());
                    while candidates != 0 {
                        let place = candidates.trailing_zeros() as usize & 7;
                        candidates &= candidates - 1;
                        let block = self.queues.next_block();
                        let entering = active & lanes.enter::<FROM>(block, &below, place, far);
                        let (child, entry) = (block.child[place], block.entry[place]);
                        self.tree.prefetch::<I>(child);
                        let walked = child & LEAF == 0 && entering.count_ones() >= FEW_PULSES;
                        stack.set(open, key(entry, entering, child));
                        open += usize::from(walked);
                        let queued = if walked { 0 } else { entering };
                        needed |= queued;
                        self.queues.push_box(place, queued, self.rays);
                    }
                    self.queues.keep_block(before);
                    nearest_last(&mut stack, base, open);
                }
                if (self.queues.pairs() >= FLUSH || open == 0) && !self.queues.is_empty() {
                    let mut fresh = needed & !transformed;
                    transformed |= needed;
                    needed = 0;
                    while fresh != 0 {
                        let pulse = fresh.trailing_zeros() as usize & 15;
                        fresh &= fresh - 1;
                        let frame = self.frames.of(pulse);
                        self.local[pulse].transform::<I, FROM>(&self.pulses[pulse], frame);
                    }
                    self.empty_queues();
                    farthest = self.far.load::<I>().max_of(pulses);
                }
                loop {
                    if open == 0 {
                        active = 0;
                        break;
                    }
                    open -= 1;
                    let top = stack.get(open);
                    active = pulses_of(top, self.far.load::<I>());
                    code = top as u32;
                    if active != 0 {
                        break;
                    }
                }
                if active == 0 && self.queues.is_empty() {
                    return;
                }
            }
        }
    }
}

/// Bounds of the pulses of a stream, and which of them go forward or backward along each axis with
/// all their rays. `origins` are theirs, `offsets` the least and largest of their rays' from there.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
pub(super) unsafe fn bounded<I: Isa, const FROM: u8>(
    (least, most): ([I::Rays; 3], [I::Rays; 3]),
    origins: &[LocalRays; 16],
    offsets: ([I::Rays; 3], [I::Rays; 3]),
) -> (LaneReach<I>, Signs) {
    let zero = [I::Rays::splat(0.0); 3];
    let ends = [[zero[0]; 2]; 3];
    let mut lanes = LaneReach { ends, origin_near: zero, origin_far: zero };
    let mut signs = Signs { forward: [0; 3], backward: [0; 3] };
    for axis in 0..3 {
        signs.forward[axis] = I::Rays::splat(SIGN_MARGIN).lt(least[axis]);
        signs.backward[axis] = most[axis].lt(I::Rays::splat(-SIGN_MARGIN));
        let low = I::Rays::splat(1.0).div(most[axis]);
        let high = I::Rays::splat(1.0).div(least[axis]);
        let pad = I::Rays::splat(INTERVAL_PAD);
        lanes.ends[axis] = [low.sub(abs(low).mul(pad)), high.add(abs(high).mul(pad))];
    }
    if FROM != SHARED {
        let mut rows = [Row([0.0; 16]); 3];
        for (pulse, rays) in origins.iter().enumerate() {
            for axis in 0..3 {
                rows[axis].0[pulse] = rays.origin[axis];
            }
        }
        for axis in 0..3 {
            // SAFETY: rows have 16 lanes.
            let origin = unsafe { rows[axis].load::<I>() };
            (lanes.origin_near[axis], lanes.origin_far[axis]) = (origin, origin);
            if FROM == RAYS {
                let (least, most) = (offsets.0[axis], offsets.1[axis]);
                let size = abs(origin).add(abs(least)).add(abs(most));
                let pad = size.mul(I::Rays::splat(ORIGIN_PAD));
                let (first, last) = (origin.add(least).sub(pad), origin.add(most).add(pad));
                let forward = signs.forward[axis];
                lanes.origin_near[axis] = first.replace(forward, last);
                lanes.origin_far[axis] = last.replace(forward, first);
            }
        }
    }
    (lanes, signs)
}

/// Which pulses of a stream go forward or backward along each axis with all their rays.
#[derive(Clone, Copy)]
pub(crate) struct Signs {
    forward: [u32; 3],
    backward: [u32; 3],
}

impl Signs {
    /// Those of `pulses` that go the same way along every axis as the first of them: none where
    /// the rays of the first do not.
    #[inline(always)]
    pub fn as_first(&self, pulses: u32) -> u32 {
        let first = pulses & pulses.wrapping_neg();
        (0..3).fold(pulses, |same, axis| {
            let (forward, backward) = (self.forward[axis], self.backward[axis]);
            same & match (forward & first != 0, backward & first != 0) {
                (true, _) => forward,
                (_, true) => backward,
                _ => 0,
            }
        })
    }
}
