//! Four triangles against a ray or a pulse.
//!
//! Möller and Trumbore's test (1997), ordered so that what depends on the triangle and the origin
//! alone is computed once per pulse: with T = o − v₀, N = e₂ × e₁, U = e₂ × T, V = T × e₁ the ray
//! o + t·d meets the plane at t = −T·N / d·N and the triangle where d·U / d·N and d·V / d·N are in
//! it. The distance follows from the plane, which rounds less than the usual e₂·(T × e₁). The same
//! operations in the same order for single rays and pulses give the same bits for both.
//!
//! Of two hits at the same distance the one on the instance with the lower number counts, and on
//! one instance that on the triangle with the lower number. A hit counts as no nearer than where
//! its ray enters the box of the pack: rounding and closed edges can put it before, and then a walk
//! that has met something between the two would pass the box by where another would not. So the
//! order in which triangles are tested changes nothing.

use super::view::View;
use super::walk::SlabRay;
use super::{ANYWHERE, Nearest, NearestOfPulse};
use crate::InstanceId;
use crate::build::blas::Blas;
use crate::build::node8::EMPTY;
use crate::build::tlas::TlasInstance;
use crate::build::triangle_pack::{PACK, TrianglePack};
use crate::filter::WalkFilter;
use crate::simd::{Isa, Vector};

/// Bound on the relative rounding error of d·U and d·V: six roundings of f32, over the sums of the
/// magnitudes of T and of the edges and the largest component of d.
const EDGE_ROUNDING: f32 = 3.6e-7;

/// A little more than 1: a numerator beyond this times its bound gives, divided, more than the
/// bound, however the product and the quotient are rounded.
const BEYOND_ROUNDING: f32 = 1.0 + 4.0 * f32::EPSILON;

/// Where the rays of a pulse enter boxes.
pub(crate) trait BoxEntry<I: Isa> {
    /// Where each ray enters a box that it meets, by the test of the walk.
    fn entry(&self, bounds: &[f32; 6]) -> I::Rays;
}

/// What a pack is tested with, besides the rays.
#[derive(Clone, Copy)]
pub(crate) struct PackContext<'a> {
    /// Place of the instance in the TLAS.
    pub placed: u32,
    /// The instance as the caller numbers it.
    pub instance: InstanceId,
    /// Bound on the components of directions in the instance's frame for closed edges; 0: exact.
    pub edge_slack: f32,
    /// All packs of the mesh and all instances of the TLAS, to tell which of two hits counts.
    packs: &'a [TrianglePack],
    instances: &'a [TlasInstance],
}

impl<'a> PackContext<'a> {
    /// For the mesh of an instance at this place of the tree, seen as `tree`.
    #[inline(always)]
    pub fn new(view: &View<'a>, placed: &TlasInstance, place: u32, tree: &'a Blas) -> Self {
        PackContext {
            placed: place | view.mark,
            instance: placed.instance(),
            edge_slack: placed.edge_slack,
            packs: &tree.packs,
            instances: &view.tlas.instances,
        }
    }

    /// Whether a hit on `triangle` at `slot` counts rather than the one kept so far at the same
    /// distance.
    #[cold]
    #[inline(never)]
    fn goes_before(&self, triangle: u32, slot: u32, kept_slot: u32, kept_placed: u32) -> bool {
        if kept_slot == EMPTY {
            // A hit at the limit is none.
            return false;
        }
        if kept_placed == self.placed {
            let kept = self.packs[kept_slot as usize / PACK].triangle[kept_slot as usize % PACK];
            return (triangle, slot) < (kept, kept_slot);
        }
        // Bodies that go anywhere bear the highest numbers.
        let anywhere = [self.placed, kept_placed].map(|placed| placed & ANYWHERE);
        if anywhere[0] != anywhere[1] {
            return anywhere[0] < anywhere[1];
        }
        let kept = self.instances.get((kept_placed & !ANYWHERE) as usize);
        kept.is_some_and(|kept| self.instance < kept.instance())
    }
}

/// Three rows of triangles as a vector.
#[inline(always)]
unsafe fn rows<V: Vector>(pack: &TrianglePack, first: usize) -> [V; 3] {
    // SAFETY: `first` is 0, 3 or 6, and each row has as many lanes as the vector.
    unsafe {
        [
            V::load(pack.rows[first].as_ptr()),
            V::load(pack.rows[first + 1].as_ptr()),
            V::load(pack.rows[first + 2].as_ptr()),
        ]
    }
}

#[inline(always)]
fn cross<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [
        a[1].mul_sub(b[2], a[2].mul(b[1])),
        a[2].mul_sub(b[0], a[0].mul(b[2])),
        a[0].mul_sub(b[1], a[1].mul(b[0])),
    ]
}

#[inline(always)]
fn dot<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul(b[2])))
}

#[inline(always)]
fn abs<V: Vector>(a: V) -> V {
    a.and(V::splat(f32::from_bits(0x7fff_ffff)))
}

#[inline(always)]
fn splat<V: Vector>(a: [f32; 3]) -> [V; 3] {
    [V::splat(a[0]), V::splat(a[1]), V::splat(a[2])]
}

/// How far d·U and d·V may be off, for triangles with closed edges: each in proportion to its own
/// side, so that the short side of a sliver does not grow with the long one.
#[inline(always)]
fn edge_tolerance<V: Vector>(
    from_vertex: [V; 3],
    edge1: [V; 3],
    edge2: [V; 3],
    slack: f32,
) -> [V; 2] {
    let rounding = sum_of_sizes(from_vertex).mul(V::splat(EDGE_ROUNDING * slack));
    [sum_of_sizes(edge2).mul(rounding), sum_of_sizes(edge1).mul(rounding)]
}

#[inline(always)]
fn sum_of_sizes<V: Vector>(a: [V; 3]) -> V {
    abs(a[0]).add(abs(a[1])).add(abs(a[2]))
}

/// Lanes whose ray meets the triangle no farther than `nearest`, give or take rounding, with |d·N|
/// and the numerator of t.
#[inline(always)]
fn meets<V: Vector>(
    facing: V,
    u: V,
    v: V,
    plane: V,
    tolerance: Option<[V; 2]>,
    nearest: V,
) -> (u32, V, V) {
    let sign = facing.and(V::splat(-0.0));
    let size = facing.xor(sign);
    let (u, v, t) = (u.xor(sign), v.xor(sign), plane.xor(sign));
    let zero = V::splat(0.0);
    let inside = match tolerance {
        None => zero.le(u.min(v)) & u.add(v).le(size),
        Some([of_u, of_v]) => {
            let beyond = u.sub(of_u).add(v.sub(of_v));
            zero.le(u.add(of_u).min(v.add(of_v))) & beyond.le(size)
        }
    };
    if inside == 0 {
        return (0, size, t);
    }
    let limit = size.mul(nearest).mul(V::splat(BEYOND_ROUNDING));
    (inside & zero.le(t) & t.le(limit) & zero.lt(size), size, t)
}

/// Tests the pack against a pulse; `mask` says which rays have entered its box, `entry` where they
/// enter a box. Whether any hit.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn pack_against_pulse<I: Isa, F: WalkFilter, const SPREAD: bool>(
    pack: &TrianglePack,
    pack_index: u32,
    direction: [I::Rays; 3],
    origin: [f32; 3],
    origins: [I::Rays; 3],
    mask: u32,
    entry: &impl BoxEntry<I>,
    context: &PackContext<'_>,
    nearest: &mut NearestOfPulse<'_, I>,
    filter: &mut F,
) -> bool {
    // SAFETY: rows 0, 3 and 6 begin vertex and edges.
    let (vertex, edge1, edge2): ([I::Triangles; 3], _, _) =
        unsafe { (rows(pack, 0), rows(pack, 3), rows(pack, 6)) };
    let from_vertex: [I::Triangles; 3] = {
        let o = splat(origin);
        let o: [I::Triangles; 3] = o;
        [o[0].sub(vertex[0]), o[1].sub(vertex[1]), o[2].sub(vertex[2])]
    };
    let normal: [I::Triangles; 3] = cross(edge2, edge1);
    // Columns of values that all rays share: N, U, V, −T·N, tolerances.
    let mut shared = [[0.0f32; PACK]; 12];
    let minus = I::Triangles::splat(-0.0);
    let closed = context.edge_slack > 0.0;
    // SAFETY: each row of `shared` has as many lanes as a vector of triangles.
    unsafe {
        for axis in 0..3 {
            normal[axis].store(shared[axis].as_mut_ptr());
        }
        if !SPREAD {
            let (u, v) = (cross(edge2, from_vertex), cross(from_vertex, edge1));
            for axis in 0..3 {
                u[axis].store(shared[3 + axis].as_mut_ptr());
                v[axis].store(shared[6 + axis].as_mut_ptr());
            }
            dot(from_vertex, normal).xor(minus).store(shared[9].as_mut_ptr());
        }
        if closed {
            let slack = context.edge_slack;
            let [of_u, of_v] = edge_tolerance(from_vertex, edge1, edge2, slack);
            of_u.store(shared[10].as_mut_ptr());
            of_v.store(shared[11].as_mut_ptr());
        }
    }
    let mut any = false;
    for place in 0..PACK {
        if place > 0 && pack.triangle[place] == pack.triangle[place - 1] {
            break;
        }
        let column = [shared[0][place], shared[1][place], shared[2][place]];
        let normal: [I::Rays; 3] = splat(column);
        let facing = dot(direction, normal);
        let (u, v, plane);
        if SPREAD {
            let vertex = splat([pack.rows[0][place], pack.rows[1][place], pack.rows[2][place]]);
            let edge1 = splat([pack.rows[3][place], pack.rows[4][place], pack.rows[5][place]]);
            let edge2 = splat([pack.rows[6][place], pack.rows[7][place], pack.rows[8][place]]);
            let vertex: [I::Rays; 3] = vertex;
            let from_vertex =
                [origins[0].sub(vertex[0]), origins[1].sub(vertex[1]), origins[2].sub(vertex[2])];
            u = dot(direction, cross(edge2, from_vertex));
            v = dot(direction, cross(from_vertex, edge1));
            plane = dot(from_vertex, normal).xor(I::Rays::splat(-0.0));
        } else {
            u = dot(direction, splat([shared[3][place], shared[4][place], shared[5][place]]));
            v = dot(direction, splat([shared[6][place], shared[7][place], shared[8][place]]));
            plane = I::Rays::splat(shared[9][place]);
        }
        let tolerance = if closed {
            Some([I::Rays::splat(shared[10][place]), I::Rays::splat(shared[11][place])])
        } else {
            None
        };
        let (near, size, t) = meets(facing, u, v, plane, tolerance, nearest.t);
        let near = near & mask;
        if near == 0 {
            continue;
        }
        let t = entry.entry(&pack.bounds).max(t.div(size));
        let slot = pack_index * PACK as u32 + place as u32;
        let mut hits = near & t.lt(nearest.t);
        let mut ties = near & !hits & t.le(nearest.t);
        while ties != 0 {
            let ray = ties.trailing_zeros() as usize & 15;
            ties &= ties - 1;
            let (kept_slot, kept_placed) = (nearest.met.slot[ray], nearest.met.placed[ray]);
            if context.goes_before(pack.triangle[place], slot, kept_slot, kept_placed) {
                hits |= 1 << ray;
            }
        }
        if hits == 0 {
            continue;
        }
        if F::ACTIVE {
            let weights = weights(facing, u, v, size);
            hits = accepted::<I, F>(hits, t, weights, context, pack.triangle[place], filter);
        }
        nearest.t = nearest.t.replace(hits, t);
        while hits != 0 {
            let ray = hits.trailing_zeros() as usize & 15;
            hits &= hits - 1;
            nearest.met.slot[ray] = slot;
            nearest.met.placed[ray] = context.placed;
            any = true;
        }
    }
    any
}

/// Weights of the second and third corner where rays meet triangles; `size` is |d·N|.
#[inline(always)]
fn weights<V: Vector>(facing: V, u: V, v: V, size: V) -> [V; 2] {
    let sign = facing.and(V::splat(-0.0));
    [u.xor(sign).div(size), v.xor(sign).div(size)]
}

/// Those of `hits` that the filter accepts.
#[inline(always)]
fn accepted<I: Isa, F: WalkFilter>(
    hits: u32,
    t: I::Rays,
    [b, c]: [I::Rays; 2],
    context: &PackContext<'_>,
    triangle: u32,
    filter: &mut F,
) -> u32 {
    let (mut lanes, mut of_b, mut of_c) = ([0.0; 16], [0.0; 16], [0.0; 16]);
    // SAFETY: there is room for 16 rays.
    unsafe {
        t.store(lanes.as_mut_ptr());
        b.store(of_b.as_mut_ptr());
        c.store(of_c.as_mut_ptr());
    }
    let (mut open, mut left) = (hits, hits);
    while open != 0 {
        let ray = open.trailing_zeros() as usize & 15;
        open &= open - 1;
        let weights = [of_b[ray], of_c[ray]];
        if !filter.accepts(ray, context.instance, triangle, lanes[ray], weights) {
            left &= !(1 << ray);
        }
    }
    left
}

/// Tests the pack against one ray, the `number`-th of its pulse.
///
/// # Safety
/// Called only from a kernel of `I`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn pack_against_ray<I: Isa, F: WalkFilter>(
    pack: &TrianglePack,
    pack_index: u32,
    number: usize,
    ray: &SlabRay,
    context: &PackContext<'_>,
    nearest: &mut Nearest,
    filter: &mut F,
) {
    // SAFETY: rows 0, 3 and 6 begin vertex and edges.
    let (vertex, edge1, edge2): ([I::Triangles; 3], _, _) =
        unsafe { (rows(pack, 0), rows(pack, 3), rows(pack, 6)) };
    let (o, d): ([I::Triangles; 3], [I::Triangles; 3]) = (splat(ray.origin), splat(ray.direction));
    let from_vertex = [o[0].sub(vertex[0]), o[1].sub(vertex[1]), o[2].sub(vertex[2])];
    let normal = cross(edge2, edge1);
    let facing = dot(d, normal);
    let u = dot(d, cross(edge2, from_vertex));
    let v = dot(d, cross(from_vertex, edge1));
    let plane = dot(from_vertex, normal).xor(I::Triangles::splat(-0.0));
    let tolerance = if context.edge_slack > 0.0 {
        Some(edge_tolerance(from_vertex, edge1, edge2, context.edge_slack))
    } else {
        None
    };
    let (mut hits, size, t) = meets(facing, u, v, plane, tolerance, I::Triangles::splat(nearest.t));
    if hits == 0 {
        return;
    }
    let entry = I::Triangles::splat(ray.entry(&pack.bounds));
    let mut distance = [0.0; PACK];
    // SAFETY: `distance` has as many lanes as a vector of triangles.
    unsafe { entry.max(t.div(size)).store(distance.as_mut_ptr()) };
    let mut corners = [[0.0; PACK]; 2];
    if F::ACTIVE {
        let [b, c] = weights(facing, u, v, size);
        // SAFETY: as before.
        unsafe {
            b.store(corners[0].as_mut_ptr());
            c.store(corners[1].as_mut_ptr());
        }
    }
    while hits != 0 {
        let place = hits.trailing_zeros() as usize & (PACK - 1);
        hits &= hits - 1;
        let t = distance[place];
        let at = [corners[0][place], corners[1][place]];
        let (triangle, slot) = (pack.triangle[place], pack_index * PACK as u32 + place as u32);
        let counts = t < nearest.t
            || t == nearest.t && context.goes_before(triangle, slot, nearest.slot, nearest.placed);
        if counts && (!F::ACTIVE || filter.accepts(number, context.instance, triangle, t, at)) {
            *nearest = Nearest { t, slot, placed: context.placed };
        }
    }
}
