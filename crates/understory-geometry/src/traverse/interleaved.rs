//! Single rays side by side, through the only mesh of a scene or through a tree of boxes: while one
//! waits for memory the others go on. Each walks as it would alone, so that the hits are the same.

use super::Nearest;
use super::boxes::{BoxVisitor, items_of_leaf};
use super::triangles::{PackContext, pack_against_ray};
use super::view::View;
use super::walk::{SlabRay, Walk};
use crate::build::blas::Blas;
use crate::build::node8::{LEAF, Node8};
use crate::filter::AcceptAll;
use crate::simd::Isa;
use glam::{DVec3, Vec3};

/// Rays that are on their way at once.
const INTERLEAVED: usize = 8;

/// One of them.
struct Walker<'a, I: Isa> {
    walk: Walk<I>,
    tree: &'a Blas,
    context: PackContext<'a>,
    ray: SlabRay,
    nearest: Nearest,
    /// Which of the rays it is.
    number: usize,
}

impl<'a, I: Isa> Walker<'a, I> {
    /// Ray `number` at the root of the mesh of the scene's only instance.
    #[inline(always)]
    fn new(view: &View<'a>, rays: &SingleRays<'_>, number: usize) -> Self {
        let placed = &view.tlas.instances[0];
        let origin = rays.origins[number];
        let (frame, tree) = view.resolve_instance(placed, origin);
        let direction = frame.local_direction(rays.directions[number].to_array());
        let ray = SlabRay::new(frame.local_point(origin), direction);
        let nearest = Nearest::none(rays.t_max);
        let context = PackContext::new(view, placed, 0, tree);
        Walker { walk: Walk::new(&ray, 0), tree, context, ray, nearest, number }
    }
}

/// Single rays, each from its own origin.
#[derive(Clone, Copy)]
pub(crate) struct SingleRays<'a> {
    pub origins: &'a [DVec3],
    pub directions: &'a [Vec3],
    pub t_max: f32,
}

/// Single rays side by side through a scene of one instance.
///
/// # Safety
/// There is one instance, as many directions as origins, and a place in `found` for each; called
/// only from a kernel of `I`.
#[inline(always)]
pub(crate) unsafe fn rays_through_instance<I: Isa>(
    view: &View<'_>,
    rays: &SingleRays<'_>,
    found: &mut [Nearest],
) {
    let count = rays.origins.len();
    let mut walkers: [Walker<'_, I>; INTERLEAVED] =
        std::array::from_fn(|k| Walker::new(view, rays, k.min(count - 1)));
    let mut active = count.min(INTERLEAVED);
    let mut next = active;
    while active > 0 {
        let mut k = 0;
        while k < active {
            let Walker { walk, tree, context, ray, nearest, number } = &mut walkers[k];
            // SAFETY: codes are those of the tree, whose walk fits the stack.
            let goes_on = unsafe {
                if walk.at_leaf() {
                    let leaf = walk.current & !LEAF;
                    let pack = tree.packs.get_unchecked(leaf as usize);
                    pack_against_ray::<I, AcceptAll>(
                        pack,
                        leaf,
                        0,
                        ray,
                        context,
                        nearest,
                        &mut AcceptAll,
                    );
                    false
                } else {
                    walk.descend(&tree.nodes, nearest.t, |_| {})
                }
            };
            if goes_on || walk.go_back(nearest.t) {
                tree.prefetch::<I>(walk.current);
                k += 1;
                continue;
            }
            found[*number] = *nearest;
            if next < count {
                walkers[k] = Walker::new(view, rays, next);
                next += 1;
                k += 1;
            } else {
                active -= 1;
                walkers.swap(k, active);
            }
        }
    }
}

/// A ray in the frame of a tree of boxes, and how far it goes.
#[derive(Clone, Copy)]
pub(crate) struct ReachingRay {
    pub ray: SlabRay,
    pub t_max: f32,
}

/// Rays side by side through a tree of boxes, each with the visitor of its number.
///
/// # Safety
/// `nodes` is a whole tree whose walk fits a [`Stack`](super::Stack); called only from a kernel of
/// `I`.
#[inline(always)]
pub(crate) unsafe fn rays_through_boxes<I: Isa, V: BoxVisitor>(
    nodes: &[Node8],
    rays: &[ReachingRay],
    visitors: &mut [V],
) {
    let count = rays.len().min(visitors.len());
    if count == 0 {
        return;
    }
    let begin = |number: usize| {
        let ReachingRay { ray, t_max } = &rays[number.min(count - 1)];
        (Walk::<I>::new(ray, 0), *t_max, number)
    };
    let mut walkers: [(Walk<I>, f32, usize); INTERLEAVED] = std::array::from_fn(begin);
    let mut active = count.min(INTERLEAVED);
    let mut next = active;
    while active > 0 {
        let mut k = 0;
        while k < active {
            let (walk, t, number) = &mut walkers[k];
            let visitor = &mut visitors[*number];
            let goes_on = if walk.at_leaf() {
                *t = visitor.visit(items_of_leaf(walk.current & !LEAF), *t);
                false
            } else {
                // SAFETY: codes are those of the tree, whose walk fits the stack.
                unsafe { walk.descend(nodes, *t, |_| {}) }
            };
            if goes_on || walk.go_back(*t) {
                let code = walk.current;
                let (address, bytes) = if code & LEAF == 0 {
                    (nodes.as_ptr().wrapping_add(code as usize).cast(), size_of::<Node8>())
                } else {
                    visitor.memory_of(items_of_leaf(code & !LEAF))
                };
                for line in (0..bytes).step_by(64) {
                    I::prefetch(address.wrapping_add(line));
                }
                k += 1;
                continue;
            }
            if next < count {
                walkers[k] = begin(next);
                next += 1;
                k += 1;
            } else {
                active -= 1;
                walkers.swap(k, active);
            }
        }
    }
}
