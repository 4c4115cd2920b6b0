//! The walk of a pulse: its rays are the lanes of a vector.
//!
//! The rays of a pulse differ by milliradians and begin at one point or within a few millimetres.
//! A node is first tested against the whole pulse, by the interval of the reciprocal directions,
//! eight children at once; a child that survives is tested against all rays at once, which gives
//! the mask of rays that really enter it. Where few rays are left they go on one by one.

use super::kernels::Kernels;
use super::ray_origins::RayOrigins;
use super::slab_pulse::{LanePulse, SlabPulse, WorldPulse};
use super::triangles::{PackContext, pack_against_pulse};
use super::view::View;
use super::walk::SlabRay;
use super::{Nearest, NearestOfPulse, Stack};
use crate::build::blas::Blas;
use crate::build::node8::{LEAF, Node8};
use crate::cutout::ThroughHoles;
use crate::filter::{Asked, WalkFilter};
use crate::simd::{Isa, Vector};

/// With this many rays or fewer in a node they go on one by one.
const FEW_RAYS: u32 = 2;

/// What happens at the leaves of a walk, and where few rays are left.
pub(super) trait PulseLeaf<I: Isa> {
    /// Follows the rays of `mask` into leaf `leaf`.
    ///
    /// # Safety
    /// `leaf` is a leaf code of the tree without its [`LEAF`] bit; called only from a kernel.
    unsafe fn visit(&mut self, leaf: u32, mask: u32, nearest: &mut NearestOfPulse<'_, I>);

    /// Follows the rays of `mask` one by one through node `node`; false if this level does not.
    ///
    /// # Safety
    /// `node` is a node of the tree; called only from a kernel.
    unsafe fn finish_few(
        &mut self,
        node: u32,
        mask: u32,
        nearest: &mut NearestOfPulse<'_, I>,
    ) -> bool;

    /// Asks for the memory behind a child code.
    fn prefetch(&self, code: u32);
}

/// Walks `nodes` from the root, nearest children first.
///
/// # Safety
/// `nodes` is a whole tree whose walk fits a [`Stack`]; called only from a kernel of `I`.
#[inline(always)]
pub(super) unsafe fn walk<I: Isa, L: PulseLeaf<I>, const MIXED: bool>(
    nodes: &[Node8],
    pulse: &SlabPulse<I>,
    mask: u32,
    nearest: &mut NearestOfPulse<'_, I>,
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
    let mut rays = mask;
    let mut slabs = [[0.0f32; 8]; 6];
    loop {
        let few = rays.count_ones() <= FEW_RAYS;
        // SAFETY: codes are those of this tree, and the walk fits the stack, so `open` and all
        // before it are in it; rows are below 6.
        unsafe {
            if current & LEAF != 0 {
                leaf.visit(current & !LEAF, rays, nearest);
            } else if !few || !leaf.finish_few(current, rays, nearest) {
                let node = nodes.get_unchecked(current as usize);
                let farthest = nearest.farthest;
                let (mut candidates, entries) =
                    interval_test::<I, MIXED>(node, pulse, near_row, far_row, farthest, &mut slabs);
                let base = open;
                while candidates != 0 {
                    let place = candidates.trailing_zeros() as usize & 7;
                    candidates &= candidates - 1;
                    let entering = rays & lane_test::<I, MIXED>(&slabs, place, pulse, nearest.t);
                    if entering == 0 {
                        continue;
                    }
                    let code = node.child[place];
                    let key = u64::from(entries[place].to_bits()) << 32 | u64::from(code);
                    let mut at = open;
                    while at > base && keys.get(at - 1) < key {
                        keys.set(at, keys.get(at - 1));
                        masks.set(at, masks.get(at - 1));
                        at -= 1;
                    }
                    keys.set(at, key);
                    masks.set(at, entering as u16);
                    open += 1;
                    leaf.prefetch(code);
                }
            }
        }
        // On to the next open child that can still matter.
        loop {
            if open == 0 {
                return;
            }
            open -= 1;
            // SAFETY: `open` was pushed before.
            let (key, entering) = unsafe { (keys.get(open), masks.get(open)) };
            let entry = f32::from_bits((key >> 32) as u32);
            if entry > nearest.farthest {
                continue;
            }
            rays = u32::from(entering) & I::Rays::splat(entry).le(nearest.t);
            if rays != 0 {
                current = key as u32;
                break;
            }
        }
    }
}

/// Children that any ray of the pulse may enter, and the least distance at which it may. Leaves in
/// `slabs` what [`lane_test`] needs of the node.
///
/// # Safety
/// Rows are below 6.
#[inline(always)]
unsafe fn interval_test<I: Isa, const MIXED: bool>(
    node: &Node8,
    pulse: &SlabPulse<I>,
    near_row: [usize; 3],
    far_row: [usize; 3],
    farthest: f32,
    slabs: &mut [[f32; 8]; 6],
) -> (u32, [f32; 8]) {
    let mut enter = I::Children::splat(0.0);
    let mut leave = I::Children::splat(farthest);
    for axis in 0..3 {
        let (low, high) =
            (I::Children::splat(pulse.low[axis]), I::Children::splat(pulse.high[axis]));
        // SAFETY: rows are below 6 and have 8 lanes.
        let (near_plane, far_plane) = unsafe {
            (
                I::Children::load(node.bounds.get_unchecked(near_row[axis]).as_ptr()),
                I::Children::load(node.bounds.get_unchecked(far_row[axis]).as_ptr()),
            )
        };
        let near = near_plane.sub(I::Children::splat(pulse.origin_near[axis]));
        let far = far_plane.sub(I::Children::splat(pulse.origin_far[axis]));
        // SAFETY: room for 8 children.
        unsafe {
            near_plane.store(slabs[axis].as_mut_ptr());
            far_plane.store(slabs[3 + axis].as_mut_ptr());
        }
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

/// Rays that enter child `place` no farther than their nearest hit.
#[inline(always)]
fn lane_test<I: Isa, const MIXED: bool>(
    slabs: &[[f32; 8]; 6],
    place: usize,
    pulse: &SlabPulse<I>,
    nearest_t: I::Rays,
) -> u32 {
    let mut enter = I::Rays::splat(0.0);
    let mut leave = nearest_t;
    for axis in 0..3 {
        let mut near = I::Rays::splat(slabs[axis][place]);
        let mut far = I::Rays::splat(slabs[3 + axis][place]);
        if MIXED {
            // Where rays go both ways near planes are the least, and elsewhere both are the same.
            near = near.sub(pulse.origins_of_least[axis]);
            far = far.sub(pulse.origins_of_most[axis]);
        } else {
            near = near.sub(pulse.origins[axis]);
            far = far.sub(pulse.origins[axis]);
        }
        let (near_scale, far_scale) = (pulse.near_scale[axis], pulse.far_scale[axis]);
        let mut first = near.mul(near_scale);
        let mut last = far.mul(far_scale);
        if MIXED {
            first = first.min(far.mul(near_scale));
            last = last.max(near.mul(far_scale));
        }
        enter = first.max(enter);
        leave = last.min(leave);
    }
    enter.le(leave)
}

/// Leaves of a mesh: packs of triangles.
struct MeshLeaf<'a, I: Isa, F> {
    tree: &'a Blas,
    pulse: &'a SlabPulse<I>,
    context: PackContext<'a>,
    filter: &'a mut F,
}

impl<I: Kernels, F: WalkFilter> PulseLeaf<I> for MeshLeaf<'_, I, F> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, mask: u32, nearest: &mut NearestOfPulse<'_, I>) {
        // SAFETY: leaf codes of a mesh tree number its packs.
        unsafe {
            let pack = self.tree.packs.get_unchecked(leaf as usize);
            let hit = pack_against_pulse::<I, F, true>(
                pack,
                leaf,
                self.pulse.direction,
                self.pulse.origin,
                self.pulse.origins,
                mask,
                self.pulse,
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
    unsafe fn finish_few(
        &mut self,
        node: u32,
        mask: u32,
        nearest: &mut NearestOfPulse<'_, I>,
    ) -> bool {
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
unsafe fn one_by_one<I: Kernels, F: WalkFilter>(
    tree: &Blas,
    start: u32,
    pulse: &SlabPulse<I>,
    mask: u32,
    context: PackContext<'_>,
    nearest: &mut NearestOfPulse<'_, I>,
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
        let (slot, placed) = (nearest.met.slot[number], nearest.met.placed[number]);
        let mut own = Nearest { t: t[number], slot, placed };
        // SAFETY: as promised by the caller.
        unsafe {
            I::ray_through_mesh(tree, start, ray, number, context, &mut own, filter);
        }
        if own.slot != slot || own.placed != placed {
            t[number] = own.t;
            nearest.met.slot[number] = own.slot;
            nearest.met.placed[number] = own.placed;
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
pub(crate) unsafe fn pulse_through_mesh<I: Kernels, F: WalkFilter>(
    tree: &Blas,
    pulse: &SlabPulse<I>,
    mask: u32,
    context: PackContext<'_>,
    nearest: &mut NearestOfPulse<'_, I>,
    filter: &mut F,
) {
    let mut leaf = MeshLeaf::<I, F> { tree, pulse, context, filter };
    // SAFETY: mesh trees fit the stack by construction.
    unsafe {
        if pulse.mixed {
            walk::<I, _, true>(&tree.nodes, pulse, mask, nearest, &mut leaf);
        } else {
            walk::<I, _, false>(&tree.nodes, pulse, mask, nearest, &mut leaf);
        }
    }
}

/// The rays of `mask` through what is at leaf `leaf` of the TLAS.
///
/// # Safety
/// `leaf` is a leaf of the view's tree; called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn pulse_through_instance<I: Kernels, F: WalkFilter>(
    view: &View<'_>,
    leaf: u32,
    world: &WorldPulse<'_, I>,
    mask: u32,
    nearest: &mut NearestOfPulse<'_, I>,
    filter: &mut F,
) {
    // SAFETY: leaf codes of the TLAS number its placed instances, these its meshes.
    unsafe {
        let placed = view.tlas.instances.get_unchecked(leaf as usize);
        let (frame, tree) = view.resolve_instance(placed, world.origins.origin);
        let context = PackContext::new(view, placed, leaf, tree);
        let direction = frame.local_lanes::<I>(world.direction);
        let origin = frame.local_point(world.origins.origin);
        let origins = world.origins.local(&frame, origin);
        let differ = world.origins.differ();
        let pulse = SlabPulse::<I>::new(direction, origin, origins, differ, mask);
        match &tree.cutout {
            None => through_mesh::<I, F>(tree, &pulse, mask, context, nearest, filter),
            Some(cutout) => {
                let asked = &mut Asked(&mut ThroughHoles { cutout, filter });
                through_mesh::<I, _>(tree, &pulse, mask, context, nearest, asked);
            }
        }
    }
}

/// Leaves of the TLAS: instances.
struct TopLeaf<'a, I: Isa, F> {
    view: &'a View<'a>,
    world: WorldPulse<'a, I>,
    filter: &'a mut F,
}

impl<I: Kernels, F: WalkFilter> PulseLeaf<I> for TopLeaf<'_, I, F> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, mask: u32, nearest: &mut NearestOfPulse<'_, I>) {
        // SAFETY: passed on.
        unsafe {
            let (view, world) = (self.view, &self.world);
            I::pulse_through_instance::<F>(view, leaf, world, mask, nearest, self.filter);
        }
    }

    #[inline(always)]
    unsafe fn finish_few(&mut self, _: u32, _: u32, _: &mut NearestOfPulse<'_, I>) -> bool {
        false
    }

    #[inline(always)]
    fn prefetch(&self, code: u32) {
        self.view.tlas.prefetch::<I>(code);
    }
}

/// A pulse through one mesh, or where few of its rays are left one by one.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
unsafe fn through_mesh<I: Kernels, F: WalkFilter>(
    tree: &Blas,
    pulse: &SlabPulse<I>,
    mask: u32,
    context: PackContext<'_>,
    nearest: &mut NearestOfPulse<'_, I>,
    filter: &mut F,
) {
    // SAFETY: 0 is the root of a tree; the caller's instructions are these.
    unsafe {
        if mask.count_ones() <= FEW_RAYS {
            one_by_one::<I, F>(tree, 0, pulse, mask, context, nearest, filter);
        } else {
            I::pulse_through_mesh::<F>(tree, pulse, mask, context, nearest, filter);
        }
    }
}

/// A pulse through the whole scene.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn pulse_through_scene<I: Kernels, F: WalkFilter>(
    view: &View<'_>,
    lanes: &mut LanePulse,
    filter: &mut F,
) {
    let mask = lanes.mask();
    // SAFETY: each row has 16 rays.
    let direction = unsafe { lanes.direction.map(|row| row.load::<I>()) };
    let origins = RayOrigins::<I> {
        origin: lanes.origin,
        bases: lanes.has_bases.then_some(&lanes.bases),
        // SAFETY: as before.
        offsets: lanes.spread.then(|| unsafe { lanes.offset.map(|row| row.load::<I>()) }),
    };
    let origin = view.tlas.scene_point(lanes.origin);
    // SAFETY: passed on to the caller.
    let from = unsafe { origins.in_scene(view.tlas.scene_origin(), origin) };
    let differ = origins.differ();
    let world = WorldPulse::<I> { direction, origins };
    let mut nearest = NearestOfPulse::<I> {
        // SAFETY: 16 rays are there.
        t: unsafe { lanes.t.load::<I>() },
        farthest: lanes.farthest,
        met: &mut lanes.met,
    };
    let mut leaf = TopLeaf::<I, F> { view, world, filter };
    if view.tlas.instances.len() == 1 {
        // SAFETY: an only instance is leaf 0 of the TLAS.
        unsafe { leaf.visit(0, mask, &mut nearest) };
    } else {
        let pulse = SlabPulse::<I>::new(direction, origin, from, differ, mask);
        // SAFETY: the TLAS fits the stack by construction.
        unsafe {
            if pulse.mixed {
                walk::<I, _, true>(&view.tlas.nodes, &pulse, mask, &mut nearest, &mut leaf);
            } else {
                walk::<I, _, false>(&view.tlas.nodes, &pulse, mask, &mut nearest, &mut leaf);
            }
        }
    }
    let (t, farthest) = (nearest.t, nearest.farthest);
    // SAFETY: room for 16 rays.
    unsafe { t.store(lanes.t.0.as_mut_ptr()) };
    lanes.farthest = farthest;
}
