//! The walk of a single ray: eight children at a time, nearest first.

use super::triangles::{PackContext, pack_against_ray};
use super::{Nearest, SLAB_PAD, Stack, reciprocal};
use crate::box_tree::{BoxVisitor, items_of_leaf};
use crate::filter::HitFilter;
use crate::mesh_tree::MeshTree;
use crate::node8::{LEAF, Node8};
use crate::simd::{Isa, Vector};
use crate::view::View;

/// A ray in the frame of a tree, with the constants of its slab tests.
#[derive(Clone, Copy)]
pub(crate) struct SlabRay {
    pub origin: [f32; 3],
    pub direction: [f32; 3],
    reciprocal: [f32; 3],
}

impl SlabRay {
    #[inline(always)]
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> SlabRay {
        let [x, y, z] = direction;
        let reciprocal = [reciprocal(x), reciprocal(y), reciprocal(z)];
        SlabRay { origin, direction, reciprocal }
    }
}

/// Where the ray crosses the planes of one row of a node.
///
/// # Safety
/// `row` is below 6.
#[inline(always)]
unsafe fn slab<I: Isa>(
    node: &Node8,
    row: usize,
    scale: I::Children,
    shift: I::Children,
) -> I::Children {
    // SAFETY: a row has as many lanes as a vector of children.
    unsafe { I::Children::load(node.bounds.get_unchecked(row).as_ptr()).mul_sub(scale, shift) }
}

/// What is kept of a child for later: entry distance above child code, ordered as one number.
#[inline(always)]
fn key(entry: &[f32; 8], node: &Node8, place: usize) -> u64 {
    u64::from(entry[place].to_bits()) << 32 | u64::from(node.child[place])
}

/// What happens at the leaves of a walk.
trait RayLeaf {
    /// Follows leaf `leaf`.
    ///
    /// # Safety
    /// `leaf` is a leaf code of the tree without its [`LEAF`] bit; called only from a kernel.
    unsafe fn visit(&mut self, leaf: u32, nearest: &mut Nearest);
}

/// Walks `nodes` from node `start`, nearest children first.
///
/// # Safety
/// `nodes` is a whole tree whose walk fits a [`Stack`]; called only from a kernel of `I`.
#[inline(always)]
unsafe fn walk<I: Isa, L: RayLeaf>(
    nodes: &[Node8],
    start: u32,
    ray: &SlabRay,
    nearest: &mut Nearest,
    leaf: &mut L,
) {
    let mut near_row = [0usize, 1, 2];
    let mut near_scale = [I::Children::splat(0.0); 3];
    let mut near_shift = near_scale;
    let mut far_scale = near_scale;
    let mut far_shift = near_scale;
    for axis in 0..3 {
        let inverse = ray.reciprocal[axis];
        if inverse < 0.0 {
            near_row[axis] += 3;
        }
        let pad = (ray.origin[axis] * inverse).abs() * SLAB_PAD;
        let (near, far) = (inverse * (1.0 - SLAB_PAD), inverse * (1.0 + SLAB_PAD));
        near_scale[axis] = I::Children::splat(near);
        far_scale[axis] = I::Children::splat(far);
        near_shift[axis] = I::Children::splat(ray.origin[axis] * near + pad);
        far_shift[axis] = I::Children::splat(ray.origin[axis] * far - pad);
    }
    let far_row = [3 - near_row[0], 5 - near_row[1], 7 - near_row[2]];
    let mut stack = Stack::<u64>::new();
    let mut open = 0;
    let mut current = start;
    loop {
        // Down to a leaf, or to a node of which no child is entered.
        let mut at_leaf = current & LEAF != 0;
        while !at_leaf {
            // SAFETY: codes without the leaf bit are nodes of the tree, and rows have 8 lanes.
            let (node, mut entered, entry) = unsafe {
                let node = nodes.get_unchecked(current as usize);
                let near_x = slab::<I>(node, near_row[0], near_scale[0], near_shift[0]);
                let near_y = slab::<I>(node, near_row[1], near_scale[1], near_shift[1]);
                let near_z = slab::<I>(node, near_row[2], near_scale[2], near_shift[2]);
                let far_x = slab::<I>(node, far_row[0], far_scale[0], far_shift[0]);
                let far_y = slab::<I>(node, far_row[1], far_scale[1], far_shift[1]);
                let far_z = slab::<I>(node, far_row[2], far_scale[2], far_shift[2]);
                let enter = near_x.max(near_y).max(near_z.max(I::Children::splat(0.0)));
                let leave = far_x.min(far_y).min(far_z.min(I::Children::splat(nearest.t)));
                let mut entry = [0.0f32; 8];
                enter.store(entry.as_mut_ptr());
                (node, enter.le(leave) & node.occupied, entry)
            };
            if entered == 0 {
                break;
            }
            let first = entered.trailing_zeros() as usize & 7;
            entered &= entered - 1;
            if entered == 0 {
                current = node.child[first];
            } else {
                let base = open;
                // SAFETY: the walk fits the stack.
                unsafe { stack.set(open, key(&entry, node, first)) };
                open += 1;
                while entered != 0 {
                    let place = entered.trailing_zeros() as usize & 7;
                    entered &= entered - 1;
                    let key = key(&entry, node, place);
                    // SAFETY: the walk fits the stack, so `open` and all before it are in it.
                    unsafe {
                        let mut at = open;
                        while at > base && stack.get(at - 1) < key {
                            stack.set(at, stack.get(at - 1));
                            at -= 1;
                        }
                        stack.set(at, key);
                    }
                    open += 1;
                }
                open -= 1;
                // SAFETY: just pushed.
                current = unsafe { stack.get(open) } as u32;
            }
            at_leaf = current & LEAF != 0;
        }
        if at_leaf {
            // SAFETY: a leaf code of this tree.
            unsafe { leaf.visit(current & !LEAF, nearest) };
        }
        loop {
            if open == 0 {
                return;
            }
            open -= 1;
            // SAFETY: `open` was pushed before.
            let key = unsafe { stack.get(open) };
            if f32::from_bits((key >> 32) as u32) < nearest.t {
                current = key as u32;
                break;
            }
        }
    }
}

/// Leaves of a mesh: packs of triangles.
struct MeshLeaf<'a, I: Isa, F> {
    tree: &'a MeshTree,
    ray: SlabRay,
    number: usize,
    context: PackContext,
    filter: &'a mut F,
    isa: std::marker::PhantomData<I>,
}

impl<I: Isa, F: HitFilter> RayLeaf for MeshLeaf<'_, I, F> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, nearest: &mut Nearest) {
        // SAFETY: leaf codes of a mesh tree number its packs.
        unsafe {
            let pack = self.tree.packs.get_unchecked(leaf as usize);
            pack_against_ray::<I, F>(
                pack,
                leaf,
                self.number,
                self.ray.direction,
                self.ray.origin,
                &self.context,
                nearest,
                self.filter,
            );
        }
    }
}

/// One ray through a mesh, from child code `start` on.
///
/// # Safety
/// `start` is a child code of `tree`; called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn ray_through_mesh<I: Isa, F: HitFilter>(
    tree: &MeshTree,
    start: u32,
    ray: SlabRay,
    number: usize,
    context: PackContext,
    nearest: &mut Nearest,
    filter: &mut F,
) {
    let mut leaf =
        MeshLeaf { tree, ray, number, context, filter, isa: std::marker::PhantomData::<I> };
    // SAFETY: mesh trees fit the stack by construction.
    unsafe { walk::<I, _>(&tree.nodes, start, &ray, nearest, &mut leaf) }
}

/// Leaves of a tree of boxes: whatever its owner put into them.
struct BoxLeaf<'a, V>(&'a mut V);

impl<V: BoxVisitor> RayLeaf for BoxLeaf<'_, V> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, nearest: &mut Nearest) {
        nearest.t = self.0.visit(items_of_leaf(leaf), nearest.t);
    }
}

/// One ray through a tree of boxes.
///
/// # Safety
/// `nodes` is a whole tree whose walk fits a [`Stack`]; called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn ray_through_boxes<I: Isa, V: BoxVisitor>(
    nodes: &[Node8],
    ray: SlabRay,
    t_max: f32,
    visitor: &mut V,
) {
    let mut nearest = Nearest::none(t_max);
    // SAFETY: as promised by the caller.
    unsafe { walk::<I, _>(nodes, 0, &ray, &mut nearest, &mut BoxLeaf(visitor)) }
}

/// Leaves of the top tree: instances.
struct TopLeaf<'a, I: Isa, F> {
    view: &'a View<'a>,
    origin: glam::DVec3,
    direction: [f32; 3],
    filter: &'a mut F,
    isa: std::marker::PhantomData<I>,
}

impl<I: Isa, F: HitFilter> RayLeaf for TopLeaf<'_, I, F> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, nearest: &mut Nearest) {
        // SAFETY: leaf codes of the top tree number its placed instances, these its meshes.
        unsafe {
            let placed = self.view.top.placed.get_unchecked(leaf as usize);
            let (frame, tree) = self.view.enter(placed, self.origin);
            let ray =
                SlabRay::new(frame.local_point(self.origin), frame.local_direction(self.direction));
            let context = placed.pack_context(leaf | self.view.mark);
            I::ray_through_mesh(tree, 0, ray, 0, context, nearest, self.filter);
        }
    }
}

/// One ray through the whole scene.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn ray_through_scene<I: Isa, F: HitFilter>(
    view: &View<'_>,
    origin: glam::DVec3,
    direction: [f32; 3],
    nearest: &mut Nearest,
    filter: &mut F,
) {
    let ray = SlabRay::new(view.top.scene_point(origin), direction);
    let mut leaf = TopLeaf { view, origin, direction, filter, isa: std::marker::PhantomData::<I> };
    // SAFETY: the top tree fits the stack by construction.
    unsafe { walk::<I, _>(&view.top.nodes, 0, &ray, nearest, &mut leaf) }
}
