//! A single ray through boxes, a mesh or the whole scene.

use super::Nearest;
use super::boxes::{BoxVisitor, items_of_leaf};
use super::kernels::Kernels;
use super::triangles::{PackContext, pack_against_ray};
use super::view::View;
use super::walk::{SlabRay, Walk};
use crate::build::blas::Blas;
use crate::build::node8::{LEAF, Node8};
use crate::cutout::ThroughHoles;
use crate::filter::{Asked, WalkFilter};
use crate::simd::Isa;

/// What happens at the leaves of a walk.
trait RayLeaf {
    /// Follows leaf `leaf`.
    ///
    /// # Safety
    /// `leaf` is a leaf code of the tree without its [`LEAF`] bit; called only from a kernel.
    unsafe fn visit(&mut self, leaf: u32, nearest: &mut Nearest);

    /// Asks for the memory behind a child code.
    #[inline(always)]
    fn prefetch(&self, _code: u32) {}
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
    let mut walk = Walk::<I>::new(ray, start);
    loop {
        // SAFETY: as promised by the caller.
        while !walk.at_leaf()
            && unsafe { walk.descend(nodes, nearest.t, |code| leaf.prefetch(code)) }
        {}
        if walk.at_leaf() {
            // SAFETY: a leaf code of this tree.
            unsafe { leaf.visit(walk.current & !LEAF, nearest) };
        }
        if !walk.go_back(nearest.t) {
            return;
        }
    }
}

/// Leaves of a mesh: packs of triangles.
struct MeshLeaf<'a, I: Isa, F> {
    tree: &'a Blas,
    ray: SlabRay,
    number: usize,
    context: PackContext<'a>,
    filter: &'a mut F,
    isa: std::marker::PhantomData<I>,
}

impl<I: Isa, F: WalkFilter> RayLeaf for MeshLeaf<'_, I, F> {
    #[inline(always)]
    fn prefetch(&self, code: u32) {
        self.tree.prefetch::<I>(code);
    }

    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, nearest: &mut Nearest) {
        // SAFETY: leaf codes of a mesh tree number its packs.
        unsafe {
            let pack = self.tree.packs.get_unchecked(leaf as usize);
            pack_against_ray::<I, F>(
                pack,
                leaf,
                self.number,
                &self.ray,
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
pub(crate) unsafe fn ray_through_mesh<I: Isa, F: WalkFilter>(
    tree: &Blas,
    start: u32,
    ray: SlabRay,
    number: usize,
    context: PackContext<'_>,
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

/// One ray through a tree of boxes, from node `start` on; returns how far it still goes.
///
/// # Safety
/// `nodes` is a whole tree whose walk fits a [`Stack`], and `start` one of them; called only from a
/// kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn ray_through_boxes<I: Isa, V: BoxVisitor>(
    nodes: &[Node8],
    start: u32,
    ray: SlabRay,
    t_max: f32,
    visitor: &mut V,
) -> f32 {
    let mut nearest = Nearest::none(t_max);
    // SAFETY: as promised by the caller.
    unsafe { walk::<I, _>(nodes, start, &ray, &mut nearest, &mut BoxLeaf(visitor)) };
    nearest.t
}

/// Leaves of the TLAS: instances.
struct TopLeaf<'a, I: Isa, F> {
    view: &'a View<'a>,
    origin: glam::DVec3,
    direction: [f32; 3],
    filter: &'a mut F,
    isa: std::marker::PhantomData<I>,
}

impl<I: Kernels, F: WalkFilter> RayLeaf for TopLeaf<'_, I, F> {
    #[inline(always)]
    unsafe fn visit(&mut self, leaf: u32, nearest: &mut Nearest) {
        // SAFETY: leaf codes of the TLAS number its placed instances, these its meshes.
        unsafe {
            let placed = self.view.tlas.instances.get_unchecked(leaf as usize);
            let (frame, tree) = self.view.resolve_instance(placed, self.origin);
            let ray =
                SlabRay::new(frame.local_point(self.origin), frame.local_direction(self.direction));
            let context = PackContext::new(self.view, placed, leaf, tree);
            match &tree.cutout {
                None => I::ray_through_mesh(tree, 0, ray, 0, context, nearest, self.filter),
                Some(cutout) => {
                    let holes = &mut ThroughHoles { cutout, filter: &mut *self.filter };
                    I::ray_through_mesh(tree, 0, ray, 0, context, nearest, &mut Asked(holes));
                }
            }
        }
    }
}

/// One ray through the whole scene.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn ray_through_scene<I: Kernels, F: WalkFilter>(
    view: &View<'_>,
    origin: glam::DVec3,
    direction: [f32; 3],
    nearest: &mut Nearest,
    filter: &mut F,
) {
    let ray = SlabRay::new(view.tlas.scene_point(origin), direction);
    let mut leaf = TopLeaf { view, origin, direction, filter, isa: std::marker::PhantomData::<I> };
    // SAFETY: the TLAS fits the stack by construction, and an only instance is its leaf 0.
    unsafe {
        if view.tlas.instances.len() == 1 {
            leaf.visit(0, nearest);
        } else {
            walk::<I, _>(&view.tlas.nodes, 0, &ray, nearest, &mut leaf);
        }
    }
}
