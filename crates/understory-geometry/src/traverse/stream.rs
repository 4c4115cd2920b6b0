//! The walk of a stream: sixteen neighbouring pulses at once.
//!
//! Pulses that leave one after the other in nearly the same direction enter nearly the same boxes.
//! The stream goes through the TLAS once for all of them, and through each mesh as
//! [`stream_mesh`](super::stream_mesh) says. A pulse whose rays go both ways along an axis, or far
//! from its neighbours, goes alone: the rays decide, and the hits are the same. Into an instance that
//! moves each pulse goes where that is at its own time, and pulses that see an instance at different
//! levels go in groups.

use super::kernels::Kernels;
use super::queues::{Block, enter_children};
use super::ray_origins::RayOrigins;
use super::slab_pulse::{WorldPulse, slab_scales};
use super::stream_mesh::{
    FEW_PULSES, Frames, LaneReach, MeshStream, Signs, Spans, WorldSpans, bounded, key,
    nearest_last, pulses_of, rows_of,
};
use super::stream_state::{STREAM, Stream};
use super::triangles::PackContext;
use super::view::{Moving, View};
use super::{NearestOfPulse, PULSES, RAYS, Row, SHARED, Stack};
use crate::build::blas::Blas;
use crate::build::node8::LEAF;
use crate::build::tlas::{Frame, FrameLanes};
use crate::cutout::ThroughHoles;
use crate::filter::{AcceptAll, Anyone, Asked, WalkFilter};
use crate::simd::{Isa, Vector};

/// Pulses of a stream differ by no more than this in any component of their directions.
const COHERENT: f32 = 0.2;
/// A TLAS with more nodes than this is walked pulse by pulse: a stack entry has no room for them.
const MOST_NODES: usize = 1 << 28;

/// The view of one pulse of a stream.
#[inline(always)]
fn view_of<'a>(view: &View<'a>, stream: &Stream, pulse: usize) -> View<'a> {
    let moving = match view.moving {
        Moving::Sway { sways, .. } => Moving::Sway { sways, clock: stream.clocks[pulse] },
        anywhere => anywhere,
    };
    View { moving, time_s: stream.times_s[pulse], ..*view }
}

/// A stream through the whole scene.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn stream_through_scene<I: Kernels, const FROM: u8>(
    view: &View<'_>,
    stream: &mut Stream,
) {
    let count = stream.count.min(STREAM);
    let mut rows = [Row([0.0; 16]); 12];
    let mut sound = 0u32;
    stream.far = Row([-1.0; 16]);
    // SAFETY: rows have 16 lanes.
    unsafe {
        for number in 0..count {
            let pulse = &stream.pulses[number];
            let world = &mut stream.world[number];
            world.origin = view.tlas.scene_point(pulse.origin);
            stream.far.0[number] = pulse.farthest;
            let t = pulse.t.load::<I>();
            let (mut origins, mut aside) = ([t; 3], [t; 3]);
            if FROM == RAYS {
                let begin = pulse.origins::<I>();
                origins = begin.in_scene(view.tlas.scene_origin(), world.origin);
                aside = begin.aside();
            }
            let mut numbers = t.le(t);
            for axis in 0..3 {
                let direction = pulse.direction[axis].load::<I>();
                let (near, far) = slab_scales(direction);
                near.store(world.near_scale[axis].0.as_mut_ptr());
                far.store(world.far_scale[axis].0.as_mut_ptr());
                let finite = |x: I::Rays| I::Rays::splat(0.0).le(x.sub(x));
                numbers &= finite(direction);
                rows[axis].0[number] = direction.min_of(0xffff);
                rows[3 + axis].0[number] = direction.max_of(0xffff);
                if FROM == RAYS {
                    origins[axis].store(world.origins[axis].0.as_mut_ptr());
                    numbers &= finite(origins[axis]);
                    rows[6 + axis].0[number] = aside[axis].min_of(0xffff);
                    rows[9 + axis].0[number] = aside[axis].max_of(0xffff);
                }
            }
            let finite = world.origin.iter().all(|x| x.is_finite());
            sound |= u32::from(numbers == 0xffff && finite) << number;
        }
        let rows = rows.map(|row| row.load::<I>());
        let three = |first: usize| [rows[first], rows[first + 1], rows[first + 2]];
        let (least, most) = (three(0), three(3));
        let (lanes, signs) = bounded::<I, FROM>((least, most), &stream.world, (three(6), three(9)));
        let spans = WorldSpans::<I> {
            directions: Spans::new(least, most),
            offsets: Spans::new(three(6), three(9)),
        };
        let streams = view.tlas.nodes.len() <= MOST_NODES;
        let mut left = (1u32 << count) - 1;
        while left != 0 {
            let first = left.trailing_zeros() as usize & 15;
            let mut together = if streams { signs.as_first(left & sound) } else { 0 };
            for axis in 0..3 {
                let mut middles = Row([0.0; 16]);
                spans.directions.middle[axis].store(middles.0.as_mut_ptr());
                let here = I::Rays::splat(middles.0[first]);
                let aside = spans.directions.middle[axis].sub(here);
                let reach = I::Rays::splat(COHERENT);
                together &= aside.le(reach) & I::Rays::splat(-COHERENT).le(aside);
            }
            if together >> first & 1 == 0 || together.count_ones() < FEW_PULSES {
                left &= !(1 << first);
                let view = view_of(view, stream, first);
                I::pulse_through_scene(&view, &mut stream.pulses[first], &mut AcceptAll);
                continue;
            }
            left &= !together;
            walk::<I, FROM>(view, stream, together, &lanes, &spans);
        }
    }
}

/// The pulses of a stream, one by one, through the whole scene.
///
/// # Safety
/// The machine has the instructions of `I`.
pub(crate) unsafe fn pulses_through_scene<I: Kernels>(view: &View<'_>, stream: &mut Stream) {
    let all = &mut AcceptAll;
    for number in 0..stream.count.min(STREAM) {
        let view = view_of(view, stream, number);
        let pulse = &mut stream.pulses[number];
        // SAFETY: passed on to the caller.
        unsafe { I::pulse_through_scene(&view, pulse, &mut Asked(&mut Anyone(&mut *all))) };
    }
}

/// Pulses that go the same way through the TLAS, nearest instances first.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
unsafe fn walk<I: Kernels, const FROM: u8>(
    view: &View<'_>,
    stream: &mut Stream,
    pulses: u32,
    lanes: &LaneReach<I>,
    spans: &WorldSpans<I>,
) {
    let nodes = &view.tlas.nodes;
    let origin = stream.world[pulses.trailing_zeros() as usize & 15].origin;
    let all = lanes.of::<FROM>(pulses, origin);
    let (near_row, far_row) = rows_of(all.low);
    let mut stack = Stack::<u64>::new();
    let mut open = 0;
    let mut block = Block::EMPTY;
    let mut active = pulses;
    let mut code = 0u32;
    // SAFETY: codes are those of the tree, whose walk fits the stack; an only instance is its leaf.
    unsafe {
        if view.tlas.instances.len() == 1 {
            let mut rays = [0; 16];
            for (rays, pulse) in rays.iter_mut().zip(&stream.pulses) {
                *rays = pulse.mask();
            }
            I::stream_into_instance::<FROM>(view, stream, 0, active, &rays, spans);
            return;
        }
        loop {
            if code & LEAF == 0 {
                let node = nodes.get_unchecked(code as usize);
                let far = stream.far.load::<I>();
                let farthest = far.max_of(pulses);
                let (mut candidates, below) = enter_children::<I, FROM>(
                    node, &near_row, &far_row, &all, farthest, &mut block,
                );
                let base = open;
                while candidates != 0 {
                    let place = candidates.trailing_zeros() as usize & 7;
                    candidates &= candidates - 1;
                    let entering = active & lanes.enter::<FROM>(&block, &below, place, far);
                    let child = block.child[place];
                    view.tlas.prefetch::<I>(child);
                    // A leaf is named by its place, where its box is.
                    let here = LEAF | code << 3 | place as u32;
                    let child = if child & LEAF == 0 { child } else { here };
                    stack.set(open, key(block.entry[place], entering, child));
                    open += usize::from(entering != 0);
                }
                nearest_last(&mut stack, base, open);
            } else {
                let place = (code & 7) as usize;
                let node = nodes.get_unchecked(((code & !LEAF) >> 3) as usize);
                let mut planes = [0.0; 6];
                for axis in 0..3 {
                    planes[axis] = node.bounds[near_row[axis]][place];
                    planes[3 + axis] = node.bounds[far_row[axis]][place];
                    if FROM == SHARED {
                        planes[axis] -= origin[axis];
                        planes[3 + axis] -= origin[axis];
                    }
                }
                let mut rays = [0; 16];
                let (mut left, mut entering) = (active, 0);
                while left != 0 {
                    let number = left.trailing_zeros() as usize & 15;
                    left &= left - 1;
                    let pulse = &stream.pulses[number];
                    let t = pulse.t.load::<I>();
                    let planes = |axis: usize| (planes[axis], planes[3 + axis]);
                    let enter = stream.world[number].enter::<I, FROM>(planes, t);
                    rays[number] = pulse.mask() & enter;
                    entering |= u32::from(rays[number] != 0) << number;
                }
                if entering != 0 {
                    let leaf = node.child[place] & !LEAF;
                    I::stream_into_instance::<FROM>(view, stream, leaf, entering, &rays, spans);
                }
            }
            loop {
                if open == 0 {
                    return;
                }
                open -= 1;
                let top = stack.get(open);
                active = pulses_of(top, stream.far.load::<I>());
                code = top as u32;
                if active != 0 {
                    break;
                }
            }
        }
    }
}

/// The pulses of `pulses` into an instance, those together that see it at the same level.
///
/// # Safety
/// `leaf` is a leaf of the TLAS; called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn stream_into_instance<I: Kernels, const FROM: u8>(
    view: &View<'_>,
    stream: &mut Stream,
    leaf: u32,
    pulses: u32,
    rays: &[u32; 16],
    spans: &WorldSpans<I>,
) {
    // SAFETY: as promised by the caller; meshes are those of the scene.
    unsafe {
        let placed = view.tlas.instances.get_unchecked(leaf as usize);
        if placed.moves() {
            // From one point in the world, but not in the frames of the pulses.
            if FROM == RAYS {
                I::stream_into_moving::<RAYS>(view, stream, leaf, pulses, rays, spans);
            } else {
                I::stream_into_moving::<PULSES>(view, stream, leaf, pulses, rays, spans);
            }
            return;
        }
        let (frame, lods) = (&placed.frame, &view.meshes.lods);
        let directions = spans.directions.transformed(frame);
        let mut offsets = if FROM == RAYS { spans.offsets.transformed(frame) } else { directions };
        if FROM == RAYS && stream.has_bases {
            widen_bases::<I>(&mut offsets, stream, frame);
        }
        let mut left = pulses;
        while left != 0 {
            let first = left.trailing_zeros() as usize & 15;
            let seen_from = stream.pulses[first].origin;
            let level = lods.level_seen(placed, seen_from);
            let mut same = left;
            if FROM != SHARED {
                let mut open = left;
                while open != 0 {
                    let number = open.trailing_zeros() as usize & 15;
                    open &= open - 1;
                    let origin = stream.pulses[number].origin;
                    stream.local[number].origin = frame.local_point(origin);
                    same &= !(u32::from(lods.level_seen(placed, origin) != level) << number);
                }
            }
            left &= !same;
            let tree = view.meshes.tree(placed.mesh(), level);
            let (lanes, signs) = bounded::<I, FROM>(directions, &stream.local, offsets);
            let (origin, still) = (frame.local_point(seen_from), Some(frame));
            let seen = Seen { leaf, tree, still, origin, lanes: &lanes, signs, rays };
            enter_tree::<I, FROM>(view, stream, same, &seen);
        }
    }
}

/// How much more than the roundings of two transforms: of where a pulse leaves, and of where one
/// whose rays share its lanes does.
const BASES_PAD: f32 = 2e-6;

/// Widens the bounds of where rays begin by what the roundings of [`RayOrigins::local`] can differ
/// from those of the transformed differences: in proportion to how far the mesh is.
///
/// [`RayOrigins::local`]: super::ray_origins::RayOrigins::local
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
unsafe fn widen_bases<I: Isa>(
    (least, most): &mut ([I::Rays; 3], [I::Rays; 3]),
    stream: &Stream,
    frame: &Frame,
) {
    let mut rows = [Row([0.0; 16]); 3];
    for (lane, pulse) in stream.pulses.iter().enumerate() {
        let away = (pulse.origin - frame.translation()).abs().as_vec3();
        for axis in 0..3 {
            rows[axis].0[lane] = away[axis];
        }
    }
    // SAFETY: rows have 16 lanes.
    let sizes = frame.local_sizes::<I>(unsafe { rows.map(|row| row.load::<I>()) });
    for axis in 0..3 {
        let pad = sizes[axis].mul(I::Rays::splat(BASES_PAD));
        least[axis] = least[axis].sub(pad);
        most[axis] = most[axis].add(pad);
    }
}

/// The pulses of `pulses` into an instance that moves, each where it is at its time, those together
/// that see the same mesh. `FROM` is [`PULSES`] or [`RAYS`].
///
/// # Safety
/// `leaf` is a leaf of the TLAS whose instance moves; called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn stream_into_moving<I: Kernels, const FROM: u8>(
    view: &View<'_>,
    stream: &mut Stream,
    leaf: u32,
    pulses: u32,
    rays: &[u32; 16],
    spans: &WorldSpans<I>,
) {
    // SAFETY: as promised by the caller; meshes are those of the scene.
    unsafe {
        let placed = view.tlas.instances.get_unchecked(leaf as usize);
        let first = pulses.trailing_zeros() as usize & 15;
        let mut trees = [None; STREAM];
        let mut open = pulses;
        while open != 0 {
            let number = open.trailing_zeros() as usize & 15;
            open &= open - 1;
            let origin = stream.pulses[number].origin;
            let (frame, tree) = view_of(view, stream, number).resolve_instance(placed, origin);
            stream.frames[number] = frame;
            stream.local[number].origin = frame.local_point(origin);
            trees[number] = Some(tree);
        }
        let frames = FrameLanes::<I>::load(&stream.frames);
        let directions = spans.directions.transformed_each(&frames);
        let origin = stream.local[first].origin;
        let mut left = pulses;
        while left != 0 {
            let Some(tree) = trees[left.trailing_zeros() as usize & 15] else { return };
            let mut same = 0;
            for (number, other) in trees.iter().enumerate() {
                same |= u32::from(other.is_some_and(|other| std::ptr::eq(other, tree))) << number;
            }
            same &= left;
            left &= !same;
            let offsets =
                if FROM == RAYS { spans.offsets.transformed_each(&frames) } else { directions };
            let (lanes, signs) = bounded::<I, FROM>(directions, &stream.local, offsets);
            let seen = Seen { leaf, tree, still: None, origin, lanes: &lanes, signs, rays };
            enter_tree::<I, FROM>(view, stream, same, &seen);
        }
    }
}

/// What the pulses of a stream see of an instance.
struct Seen<'a, I: Isa> {
    leaf: u32,
    tree: &'a Blas,
    /// Its frame if it does not move; else each pulse has its own.
    still: Option<&'a Frame>,
    /// Where all pulses begin, if they share it.
    origin: [f32; 3],
    lanes: &'a LaneReach<I>,
    signs: Signs,
    /// Rays of each pulse that may enter.
    rays: &'a [u32; 16],
}

/// The pulses of `pulses` into a tree, those together that go the same way along every axis.
///
/// # Safety
/// The leaf is one of the TLAS; called only from a kernel of `I`.
#[inline(always)]
unsafe fn enter_tree<I: Kernels, const FROM: u8>(
    view: &View<'_>,
    stream: &mut Stream,
    pulses: u32,
    seen: &Seen<'_, I>,
) {
    let mut left = pulses;
    while left != 0 {
        let together = seen.signs.as_first(left);
        // SAFETY: passed on to the caller.
        unsafe {
            if together == 0 {
                let first = left & left.wrapping_neg();
                left &= !first;
                go_alone::<I>(view, stream, seen.leaf, first, seen.rays);
                continue;
            }
            left &= !together;
            match &seen.tree.cutout {
                None => {
                    through_mesh::<I, _, FROM>(view, stream, together, seen, &mut AcceptAll);
                }
                Some(cutout) => {
                    let holes = &mut ThroughHoles { cutout, filter: &mut AcceptAll };
                    through_mesh::<I, _, FROM>(view, stream, together, seen, &mut Asked(holes));
                }
            }
        }
    }
}

/// The pulses of `pulses`, which go the same way, through a tree.
///
/// # Safety
/// The leaf is one of the TLAS; called only from a kernel of `I`.
#[inline(always)]
unsafe fn through_mesh<I: Kernels, F: WalkFilter, const FROM: u8>(
    view: &View<'_>,
    stream: &mut Stream,
    together: u32,
    seen: &Seen<'_, I>,
    filter: &mut F,
) {
    let Stream { pulses, far, local, reach, queues, frames, .. } = stream;
    // SAFETY: passed on to the caller.
    unsafe {
        let placed = view.tlas.instances.get_unchecked(seen.leaf as usize);
        let mesh = MeshStream {
            tree: seen.tree,
            frames: seen.still.map_or(Frames::Each(frames), Frames::One),
            context: PackContext::new(view, placed, seen.leaf, seen.tree),
            pulses,
            far,
            rays: seen.rays,
            local,
            reach,
            queues,
            origin: seen.origin,
            near_row: [0; 3],
            far_row: [0; 3],
            filter,
            isa: std::marker::PhantomData,
        };
        I::stream_through_mesh::<_, FROM>(mesh, together, seen.lanes);
    }
}

/// The pulses of `pulses`, each by itself, into an instance.
///
/// # Safety
/// `leaf` is a leaf of the TLAS; called only from a kernel of `I`.
#[inline(always)]
unsafe fn go_alone<I: Kernels>(
    view: &View<'_>,
    stream: &mut Stream,
    leaf: u32,
    pulses: u32,
    rays: &[u32; 16],
) {
    let mut left = pulses;
    while left != 0 {
        let number = left.trailing_zeros() as usize & 15;
        left &= left - 1;
        let view = view_of(view, stream, number);
        let pulse = &mut stream.pulses[number];
        // SAFETY: rows have 16 lanes; the rest as promised by the caller.
        unsafe {
            let world = WorldPulse::<I> {
                direction: pulse.direction.map(|row| row.load::<I>()),
                origins: RayOrigins {
                    origin: pulse.origin,
                    bases: pulse.has_bases.then_some(&pulse.bases),
                    offsets: pulse.spread.then(|| pulse.offset.map(|row| row.load::<I>())),
                },
            };
            let (t, farthest) = (pulse.t.load::<I>(), pulse.farthest);
            let mut nearest = NearestOfPulse { t, met: &mut pulse.met, farthest };
            let (rays, all) = (rays[number], &mut AcceptAll);
            I::pulse_through_instance(&view, leaf, &world, rays, &mut nearest, all);
            let (t, farthest) = (nearest.t, nearest.farthest);
            t.store(pulse.t.0.as_mut_ptr());
            pulse.farthest = farthest;
        }
        stream.far.0[number] = stream.pulses[number].farthest;
    }
}
