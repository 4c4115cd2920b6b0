//! The walk of a pulse: its rays are the lanes of a vector.
//!
//! The rays of a pulse differ by milliradians and begin at one point or within a few millimetres.
//! A node is first tested against the whole pulse, by the interval of the reciprocal directions,
//! eight children at once; a child that survives is tested against all rays at once, which gives
//! the mask of rays that really enter it. Where few rays are left they go on one by one.

use super::kernels::Kernels;
use super::slab_pulse::{LanePulse, SlabPulse};
use super::triangles::{PackContext, pack_against_pulse};
use super::view::View;
use super::walk::SlabRay;
use super::{Nearest, NearestOfPulse, Stack};
use crate::build::blas::Blas;
use crate::build::node8::{EMPTY, LEAF, Node8};
use crate::cutout::ThroughHoles;
use crate::filter::HitFilter;
use crate::simd::{Isa, Vector};
use glam::DVec3;

/// With this many rays or fewer in a node they go on one by one.
const FEW_RAYS: u32 = 2;

/// What happens at the leaves of a walk, and where few rays are left.
trait PulseLeaf<I: Isa> {
    /// Follows the rays of `mask` into leaf `leaf`.
    ///
    /// # Safety
    /// `leaf` is a leaf code of the tree without its [`LEAF`] bit; called only from a kernel.
    unsafe fn visit(&mut self, leaf: u32, entry: f32, mask: u32, nearest: &mut NearestOfPulse<I>);

    /// Follows the rays of `mask` one by one through node `node`; false if this level does not.
    ///
    /// # Safety
    /// `node` is a node of the tree; called only from a kernel.
    unsafe fn finish_few(&mut self, node: u32, mask: u32, nearest: &mut NearestOfPulse<I>) -> bool;

    /// Asks for the memory behind a child code.
    fn prefetch(&self, code: u32);
}

/// Walks `nodes` from the root, nearest children first.
///
/// # Safety
/// `nodes` is a whole tree whose walk fits a [`Stack`]; called only from a kernel of `I`.
#[inline(always)]
unsafe fn walk<I: Isa, L: PulseLeaf<I>, const MIXED: bool>(
    nodes: &[Node8],
    pulse: &SlabPulse<I>,
    mask: u32,
    nearest: &mut NearestOfPulse<I>,
    leaf: &mut L,
) {
    let mut near_row = [0usize, 1, 2];
    for axis in 0..3 {
        if pulse.low[axis] < 0.0 {
            near_row[axis] += 3;
        }
    }
    let far_row = [3 - near_row[0], 5 - near_row[1], 7 - near_row[2]];
    let mut keys = Stack::<u64>::new();
    let mut masks = Stack::<u16>::new();
    let mut open = 0;
    let mut current = 0u32;
    let mut entry = 0.0f32;
    let mut rays = mask;
    loop {
        // Down to a leaf, or to a node of which no child is entered.
        let mut at_leaf = false;
        loop {
            // SAFETY: codes without the leaf bit are nodes of the tree.
            let node = unsafe { nodes.get_unchecked(current as usize) };
            // SAFETY: rows are below 6.
            let (mut candidates, entries) =
                unsafe { interval_test::<I, MIXED>(node, pulse, near_row, far_row, nearest) };
            let base = open;
            while candidates != 0 {
                let place = candidates.trailing_zeros() as usize & 7;
                candidates &= candidates - 1;
                // SAFETY: rows are below 6 and `place` below 8.
                let entering = rays
                    & unsafe {
                        lane_test::<I, MIXED>(node, place, pulse, near_row, far_row, nearest)
                    };
                if entering == 0 {
                    continue;
                }
                let code = node.child[place];
                let key = u64::from(entries[place].to_bits()) << 32 | u64::from(code);
                // SAFETY: the walk fits the stack, so `open` and all before it are in it.
                unsafe {
                    let mut at = open;
                    while at > base && keys.get(at - 1) < key {
                        keys.set(at, keys.get(at - 1));
                        masks.set(at, masks.get(at - 1));
                        at -= 1;
                    }
                    keys.set(at, key);
                    masks.set(at, entering as u16);
                }
                open += 1;
                leaf.prefetch(code);
            }
            if open == base {
                break;
            }
            open -= 1;
            // SAFETY: just pushed.
            let (key, entering) = unsafe { (keys.get(open), masks.get(open)) };
            current = key as u32;
            entry = f32::from_bits((key >> 32) as u32);
            rays = u32::from(entering);
            if current & LEAF != 0 {
                at_leaf = true;
                break;
            }
            // SAFETY: a node of this tree.
            if rays.count_ones() <= FEW_RAYS && unsafe { leaf.finish_few(current, rays, nearest) } {
                break;
            }
        }
        if at_leaf {
            // SAFETY: a leaf code of this tree.
            unsafe { leaf.visit(current & !LEAF, entry, rays, nearest) };
        }
        // Up to the next open child that can still matter.
        loop {
            if open == 0 {
                return;
            }
            open -= 1;
            // SAFETY: `open` was pushed before.
            let (key, entering) = unsafe { (keys.get(open), masks.get(open)) };
            entry = f32::from_bits((key >> 32) as u32);
            if entry >= nearest.farthest {
                continue;
            }
            rays = u32::from(entering) & I::Rays::splat(entry).lt(nearest.t);
            if rays == 0 {
                continue;
            }
            current = key as u32;
            if current & LEAF != 0 {
                // SAFETY: a leaf code of this tree.
                unsafe { leaf.visit(current & !LEAF, entry, rays, nearest) };
                continue;
            }
            // SAFETY: a node of this tree.
            if rays.count_ones() <= FEW_RAYS && unsafe { leaf.finish_few(current, rays, nearest) } {
                continue;
            }
            break;
        }
    }
}

/// Children that any ray of the pulse may enter, and the least distance at which it may.
///
/// # Safety
/// Rows are below 6.
#[inline(always)]
unsafe fn interval_test<I: Isa, const MIXED: bool>(
    node: &Node8,
    pulse: &SlabPulse<I>,
    near_row: [usize; 3],
    far_row: [usize; 3],
    nearest: &NearestOfPulse<I>,
) -> (u32, [f32; 8]) {
    let mut enter = I::Children::splat(0.0);
    let mut leave = I::Children::splat(nearest.farthest);
    for axis in 0..3 {
        let (low, high) =
            (I::Children::splat(pulse.low[axis]), I::Children::splat(pulse.high[axis]));
        // SAFETY: rows are below 6 and have 8 lanes.
        let (near, far) = unsafe {
            (
                I::Children::load(node.bounds.get_unchecked(near_row[axis]).as_ptr()),
                I::Children::load(node.bounds.get_unchecked(far_row[axis]).as_ptr()),
            )
        };
        let near = near.sub(I::Children::splat(pulse.origin_near[axis]));
        let far = far.sub(I::Children::splat(pulse.origin_far[axis]));
        let mut first = near.mul(low).min(near.mul(high));
        let mut last = far.mul(low).max(far.mul(high));
        if MIXED {
            let widen = I::Children::splat(pulse.widen[axis]);
            first = first.sub(widen);
            last = last.add(widen);
        }
        enter = first.max(enter);
        leave = last.min(leave);
    }
    let mut entries = [0.0f32; 8];
    // SAFETY: room for 8 children.
    unsafe { enter.store(entries.as_mut_ptr()) };
    (enter.le(leave) & node.occupied, entries)
}

/// Rays that enter child `place` before their nearest hit.
///
/// # Safety
/// Rows are below 6 and `place` is below 8.
#[inline(always)]
unsafe fn lane_test<I: Isa, const MIXED: bool>(
    node: &Node8,
    place: usize,
    pulse: &SlabPulse<I>,
    near_row: [usize; 3],
    far_row: [usize; 3],
    nearest: &NearestOfPulse<I>,
) -> u32 {
    let mut enter = I::Rays::splat(0.0);
    let mut leave = nearest.t;
    for axis in 0..3 {
        // SAFETY: as promised by the caller.
        let (near, far) = unsafe {
            (
                *node.bounds.get_unchecked(near_row[axis]).get_unchecked(place),
                *node.bounds.get_unchecked(far_row[axis]).get_unchecked(place),
            )
        };
        let (near, far) = (I::Rays::splat(near), I::Rays::splat(far));
        let (near_scale, near_shift) = (pulse.near_scale[axis], pulse.near_shift[axis]);
        let (far_scale, far_shift) = (pulse.far_scale[axis], pulse.far_shift[axis]);
        let mut first = near.mul_sub(near_scale, near_shift);
        let mut last = far.mul_sub(far_scale, far_shift);
        if MIXED {
            first = first.min(far.mul_sub(near_scale, near_shift));
            last = last.max(near.mul_sub(far_scale, far_shift));
        }
        enter = first.max(enter);
        leave = last.min(leave);
    }
    enter.le(leave)
}

/// Leaves of a mesh: packs of triangles.
struct MeshLeaf<'a, I: Isa, F, const SPREAD: bool> {
    tree: &'a Blas,
    pulse: &'a SlabPulse<I>,
    context: PackContext,
    filter: &'a mut F,
}

impl<I: Kernels, F: HitFilter, const SPREAD: bool> PulseLeaf<I> for MeshLeaf<'_, I, F, SPREAD> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, _entry: f32, mask: u32, nearest: &mut NearestOfPulse<I>) {
        // SAFETY: leaf codes of a mesh tree number its packs.
        unsafe {
            let pack = self.tree.packs.get_unchecked(leaf as usize);
            let hit = pack_against_pulse::<I, F, SPREAD>(
                pack,
                leaf,
                self.pulse.direction,
                self.pulse.origin,
                self.pulse.origins,
                mask,
                &self.context,
                nearest,
                self.filter,
            );
            if hit {
                nearest.farthest = nearest.t.max_of(0xffff);
            }
        }
    }

    #[inline(always)]
    unsafe fn finish_few(&mut self, node: u32, mask: u32, nearest: &mut NearestOfPulse<I>) -> bool {
        // SAFETY: `node` is a node of the mesh's tree.
        unsafe {
            one_by_one::<I, F>(
                self.tree,
                node,
                self.pulse,
                mask,
                self.context,
                nearest,
                self.filter,
            );
        }
        true
    }

    #[inline(always)]
    fn prefetch(&self, code: u32) {
        self.tree.prefetch::<I>(code);
    }
}

/// The rays of `mask`, each by itself, through a mesh from node `start` on.
///
/// # Safety
/// `start` is a node of `tree`; called only from a kernel of `I`.
#[inline(always)]
unsafe fn one_by_one<I: Kernels, F: HitFilter>(
    tree: &Blas,
    start: u32,
    pulse: &SlabPulse<I>,
    mask: u32,
    context: PackContext,
    nearest: &mut NearestOfPulse<I>,
    filter: &mut F,
) {
    let mut t = [0.0f32; 16];
    // SAFETY: room for 16 rays.
    unsafe { nearest.t.store(t.as_mut_ptr()) };
    let lanes = pulse.by_ray();
    let mut open = mask;
    let mut any = 0u32;
    while open != 0 {
        let number = open.trailing_zeros() as usize & 15;
        open &= open - 1;
        let [ox, oy, oz, dx, dy, dz] = lanes.map(|row| row[number]);
        let ray = SlabRay::new([ox, oy, oz], [dx, dy, dz]);
        let mut own = Nearest::none(t[number]);
        // SAFETY: as promised by the caller.
        unsafe {
            I::ray_through_mesh(tree, start, ray, number, context, &mut own, filter);
        }
        if own.slot != EMPTY {
            t[number] = own.t;
            nearest.slot[number] = own.slot;
            nearest.placed[number] = own.placed;
            any |= 1 << number;
        }
    }
    if any != 0 {
        // SAFETY: 16 rays are there.
        nearest.t = nearest.t.replace(any, unsafe { I::Rays::load(t.as_ptr()) });
        nearest.farthest = nearest.t.max_of(0xffff);
    }
}

/// A pulse through a mesh.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn pulse_through_mesh<I: Kernels, F: HitFilter, const SPREAD: bool>(
    tree: &Blas,
    pulse: &SlabPulse<I>,
    mask: u32,
    context: PackContext,
    nearest: &mut NearestOfPulse<I>,
    filter: &mut F,
) {
    let mut leaf = MeshLeaf::<I, F, SPREAD> { tree, pulse, context, filter };
    // SAFETY: mesh trees fit the stack by construction.
    unsafe {
        if pulse.mixed {
            walk::<I, _, true>(&tree.nodes, pulse, mask, nearest, &mut leaf);
        } else {
            walk::<I, _, false>(&tree.nodes, pulse, mask, nearest, &mut leaf);
        }
    }
}

/// Leaves of the TLAS: instances.
struct TopLeaf<'a, I: Isa, F, const SPREAD: bool> {
    view: &'a View<'a>,
    origin: DVec3,
    direction: [I::Rays; 3],
    offsets: [I::Rays; 3],
    filter: &'a mut F,
}

impl<I: Kernels, F: HitFilter, const SPREAD: bool> PulseLeaf<I> for TopLeaf<'_, I, F, SPREAD> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, _entry: f32, mask: u32, nearest: &mut NearestOfPulse<I>) {
        // SAFETY: leaf codes of the TLAS number its placed instances, these its meshes.
        unsafe {
            let placed = self.view.tlas.instances.get_unchecked(leaf as usize);
            let (frame, tree) = self.view.resolve_instance(placed, self.origin);
            let context = PackContext::new(placed, leaf | self.view.mark);
            let direction = frame.local_lanes::<I>(self.direction);
            let origin = frame.local_point(self.origin);
            let mut origins =
                [I::Rays::splat(origin[0]), I::Rays::splat(origin[1]), I::Rays::splat(origin[2])];
            if SPREAD {
                let offsets = frame.local_lanes::<I>(self.offsets);
                for axis in 0..3 {
                    origins[axis] = origins[axis].add(offsets[axis]);
                }
            }
            let pulse = SlabPulse::<I>::new::<SPREAD>(direction, origin, origins, mask);
            match &tree.cutout {
                None => {
                    through_mesh::<I, F, SPREAD>(tree, &pulse, mask, context, nearest, self.filter)
                }
                Some(cutout) => {
                    let filter = &mut ThroughHoles { cutout, filter: &mut *self.filter };
                    through_mesh::<I, _, SPREAD>(tree, &pulse, mask, context, nearest, filter);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn finish_few(&mut self, _: u32, _: u32, _: &mut NearestOfPulse<I>) -> bool {
        false
    }

    #[inline(always)]
    fn prefetch(&self, code: u32) {
        if code & LEAF == 0 {
            let address = self.view.tlas.nodes.as_ptr().wrapping_add(code as usize).cast::<u8>();
            for line in 0..4 {
                I::prefetch(address.wrapping_add(64 * line));
            }
        } else {
            let address = self
                .view
                .tlas
                .instances
                .as_ptr()
                .wrapping_add((code & !LEAF) as usize)
                .cast::<u8>();
            I::prefetch(address);
            I::prefetch(address.wrapping_add(64));
        }
    }
}

/// A pulse through one mesh, or where few of its rays are left one by one.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
unsafe fn through_mesh<I: Kernels, F: HitFilter, const SPREAD: bool>(
    tree: &Blas,
    pulse: &SlabPulse<I>,
    mask: u32,
    context: PackContext,
    nearest: &mut NearestOfPulse<I>,
    filter: &mut F,
) {
    // SAFETY: 0 is the root of a tree; the caller's instructions are these.
    unsafe {
        if mask.count_ones() <= FEW_RAYS {
            one_by_one::<I, F>(tree, 0, pulse, mask, context, nearest, filter);
        } else {
            I::pulse_through_mesh::<F, SPREAD>(tree, pulse, mask, context, nearest, filter);
        }
    }
}

/// A pulse through the whole scene.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn pulse_through_scene<I: Kernels, F: HitFilter, const SPREAD: bool>(
    view: &View<'_>,
    lanes: &LanePulse,
    nearest_of_rays: &mut [Nearest; 16],
    filter: &mut F,
) {
    let mask = (1u32 << lanes.count) - 1;
    let mut nearest = NearestOfPulse::<I>::from_rays(mask, nearest_of_rays);
    let load = |rows: &[[f32; 16]; 3]| {
        // SAFETY: each row has 16 rays.
        unsafe {
            [
                I::Rays::load(rows[0].as_ptr()),
                I::Rays::load(rows[1].as_ptr()),
                I::Rays::load(rows[2].as_ptr()),
            ]
        }
    };
    let (direction, offsets) = (load(&lanes.direction), load(&lanes.offset));
    let mut leaf =
        TopLeaf::<I, F, SPREAD> { view, origin: lanes.origin, direction, offsets, filter };
    if view.tlas.instances.len() == 1 {
        // SAFETY: an only instance is leaf 0 of the TLAS.
        unsafe { leaf.visit(0, 0.0, mask, &mut nearest) };
    } else {
        let origin = view.tlas.scene_point(lanes.origin);
        let mut origins =
            [I::Rays::splat(origin[0]), I::Rays::splat(origin[1]), I::Rays::splat(origin[2])];
        if SPREAD {
            for axis in 0..3 {
                origins[axis] = origins[axis].add(offsets[axis]);
            }
        }
        let pulse = SlabPulse::<I>::new::<SPREAD>(direction, origin, origins, mask);
        // SAFETY: the TLAS fits the stack by construction.
        unsafe {
            if pulse.mixed {
                walk::<I, _, true>(&view.tlas.nodes, &pulse, mask, &mut nearest, &mut leaf);
            } else {
                walk::<I, _, false>(&view.tlas.nodes, &pulse, mask, &mut nearest, &mut leaf);
            }
        }
    }
    let mut t = [0.0f32; 16];
    // SAFETY: room for 16 rays.
    unsafe { nearest.t.store(t.as_mut_ptr()) };
    for (ray, out) in nearest_of_rays.iter_mut().enumerate() {
        *out = Nearest { t: t[ray], slot: nearest.slot[ray], placed: nearest.placed[ray] };
    }
}
