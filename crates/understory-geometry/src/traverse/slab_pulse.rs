//! A pulse as lanes, and in the frame of a tree: what its slab tests need, computed once per tree.

use super::ray_origins::{BASES_WITHIN_M, Bases, RayOrigins};
use super::triangles::BoxEntry;
use super::{LEAST_DIRECTION, LEAST_WIDENING, Met, Nearest, Row, SLAB_PAD};
use crate::build::node8::EMPTY;
use crate::simd::{Isa, Vector};
use glam::{DVec3, Vec3};

/// Widening of a slab that constrains nothing because the rays cross it both ways.
const NO_CONSTRAINT: f32 = 1e37;
/// Smaller components of a direction count as having either sign.
pub(crate) const SIGN_MARGIN: f32 = 1e-9;
/// Relative widening of the interval of reciprocal directions: more than [`SLAB_PAD`] and the
/// roundings of both, so that the interval holds the scales of every ray.
pub(crate) const INTERVAL_PAD: f32 = 1e-6;

/// Rays that share a vector differ by less than this in any component of their directions.
const PACKED: f32 = 0.1;

/// The rays of a pulse as lanes, and what they have met: unused ones repeat the first.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct LanePulse {
    pub direction: [Row; 3],
    /// Where each ray leaves, relative to `origin`, where they are spread.
    pub offset: [Row; 3],
    pub spread: bool,
    /// Where the pulse of each ray leaves, where rays of several share the lanes.
    pub bases: Bases,
    pub has_bases: bool,
    /// Distance of the nearest hit, or how far the ray goes; below 0: unused.
    pub t: Row,
    pub met: Met,
    pub origin: DVec3,
    /// Largest of `t`.
    pub farthest: f32,
    pub count: usize,
}

impl LanePulse {
    /// None of `count` rays.
    pub const NONE: LanePulse = LanePulse {
        direction: [Row([0.0; 16]); 3],
        offset: [Row([0.0; 16]); 3],
        spread: false,
        bases: [[0.0; 16]; 3],
        has_bases: false,
        t: Row([-1.0; 16]),
        met: Met { slot: [EMPTY; 16], placed: [EMPTY; 16] },
        origin: DVec3::ZERO,
        farthest: 0.0,
        count: 0,
    };

    /// Takes up rays, at most 16 and at least one, that have met nothing.
    #[inline(always)]
    pub fn set(&mut self, origin: DVec3, directions: &[Vec3], offsets: &[Vec3], t_max: f32) {
        let count = directions.len().min(16);
        for lane in 0..16 {
            let ray = if lane < count { lane } else { 0 };
            let direction = directions[ray];
            for axis in 0..3 {
                self.direction[axis].0[lane] = direction[axis];
            }
            self.t.0[lane] = if lane < count { t_max } else { -1.0 };
        }
        self.has_bases = false;
        self.spread = !offsets.is_empty();
        if self.spread {
            for lane in 0..16 {
                let ray = if lane < count { lane } else { 0 };
                let offset = offsets.get(ray).copied().unwrap_or(Vec3::ZERO);
                for axis in 0..3 {
                    self.offset[axis].0[lane] = offset[axis];
                }
            }
        }
        self.met = LanePulse::NONE.met;
        self.origin = origin;
        self.farthest = 0.0f32.max(t_max);
        self.count = count;
    }

    /// Takes up one more ray of a pulse from `origin`, where there is room.
    #[inline(always)]
    pub fn add(&mut self, origin: DVec3, direction: Vec3, offset: Option<&Vec3>, t_max: f32) {
        let lane = self.count.min(15);
        for axis in 0..3 {
            self.direction[axis].0[lane] = direction[axis];
            if let Some(offset) = offset {
                self.offset[axis].0[lane] = offset[axis];
            }
        }
        if !self.has_bases && !is_same(origin, self.origin) {
            self.has_bases = true;
            self.bases = self.origin.to_array().map(|x| [x; 16]);
        }
        if self.has_bases {
            for axis in 0..3 {
                self.bases[axis][lane] = origin[axis];
            }
        }
        self.t.0[lane] = t_max;
        self.farthest = self.farthest.max(t_max);
        self.count = lane + 1;
    }

    /// Whether pulses from `origin` may share the lanes; `elsewhere`: also if it is another point
    /// nearby.
    #[inline(always)]
    pub fn begins_with(&self, origin: DVec3, elsewhere: bool) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() < BASES_WITHIN_M;
        is_same(origin, self.origin)
            || elsewhere && (0..3).all(|axis| near(origin[axis], self.origin[axis]))
    }

    /// Where the rays begin.
    ///
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    pub unsafe fn origins<I: Isa>(&self) -> RayOrigins<'_, I> {
        RayOrigins {
            origin: self.origin,
            bases: self.has_bases.then_some(&self.bases),
            // SAFETY: rows have 16 lanes.
            offsets: self.spread.then(|| unsafe { self.offset.map(|row| row.load::<I>()) }),
        }
    }

    /// Whether rays go nearly as the first one goes, and how far they go is a number: all of which
    /// this holds may walk as one pulse, and find the same.
    #[inline(always)]
    pub fn goes_with(&self, directions: &[Vec3], t_max: f32) -> bool {
        let alike = |direction: &Vec3| {
            (0..3).all(|axis| {
                let (first, other) = (self.direction[axis].0[0], direction[axis]);
                (first - other).abs() < PACKED && first * other > 0.0
            })
        };
        t_max >= 0.0 && directions.iter().all(alike)
    }

    /// The rays that are used.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        (1u32 << self.count) - 1
    }

    /// The nearest hit of a ray.
    #[inline(always)]
    pub fn nearest(&self, ray: usize) -> Nearest {
        Nearest { t: self.t.0[ray], slot: self.met.slot[ray], placed: self.met.placed[ray] }
    }
}

/// A pulse in the frame of a tree, with the constants of its slab tests.
#[derive(Clone, Copy)]
pub(crate) struct SlabPulse<I: Isa> {
    pub direction: [I::Rays; 3],
    pub origins: [I::Rays; 3],
    /// The same, moved where rays go along a slab so that the slab is a little wider.
    pub origins_of_least: [I::Rays; 3],
    pub origins_of_most: [I::Rays; 3],
    /// The origin if all rays share it.
    pub origin: [f32; 3],
    /// Reciprocal directions of all rays lie between these.
    pub low: [f32; 3],
    pub high: [f32; 3],
    /// Ends of the interval of origins that make near planes near and far planes far.
    pub origin_near: [f32; 3],
    pub origin_far: [f32; 3],
    /// [`NO_CONSTRAINT`] on axes along which the rays go both ways, else 0.
    pub widen: [f32; 3],
    /// A plane at `b` is crossed at `(b − origin) · scale`, widened towards near and far.
    pub near_scale: [I::Rays; 3],
    pub far_scale: [I::Rays; 3],
    /// Whether any axis has rays going both ways.
    pub mixed: bool,
}

impl<I: Isa> SlabPulse<I> {
    /// Rays of `mask` with `direction` from `origins`, which differ where they are `spread`; the
    /// other lanes hold copies of one of them.
    #[inline(always)]
    pub fn new(
        direction: [I::Rays; 3],
        origin: [f32; 3],
        origins: [I::Rays; 3],
        spread: bool,
        mask: u32,
    ) -> Self {
        let zero = I::Rays::splat(0.0);
        let mut pulse = SlabPulse {
            direction,
            origins,
            origins_of_least: origins,
            origins_of_most: origins,
            origin,
            low: [0.0; 3],
            high: [0.0; 3],
            origin_near: origin,
            origin_far: origin,
            widen: [0.0; 3],
            near_scale: [zero; 3],
            far_scale: [zero; 3],
            mixed: false,
        };
        for axis in 0..3 {
            let d = direction[axis];
            let (least, most) = (d.min_of(mask), d.max_of(mask));
            let safe = if least > SIGN_MARGIN || most < -SIGN_MARGIN {
                let (a, b) = (1.0 / most, 1.0 / least);
                pulse.low[axis] = a - a.abs() * INTERVAL_PAD;
                pulse.high[axis] = b + b.abs() * INTERVAL_PAD;
                d
            } else {
                pulse.widen[axis] = NO_CONSTRAINT;
                pulse.mixed = true;
                let sizes = I::Rays::splat(f32::from_bits(0x7fff_ffff));
                let along = d.and(sizes).lt(I::Rays::splat(LEAST_DIRECTION));
                let widening = origins[axis]
                    .and(sizes)
                    .mul_add(I::Rays::splat(2.0 * SLAB_PAD), I::Rays::splat(LEAST_WIDENING));
                let widening = I::Rays::splat(0.0).replace(along, widening);
                pulse.origins_of_least[axis] = origins[axis].add(widening);
                pulse.origins_of_most[axis] = origins[axis].sub(widening);
                away_from_zero(d)
            };
            if spread {
                let (first, last) = (origins[axis].min_of(mask), origins[axis].max_of(mask));
                let forward = pulse.low[axis] > 0.0;
                pulse.origin_near[axis] = if forward { last } else { first };
                pulse.origin_far[axis] = if forward { first } else { last };
            }
            (pulse.near_scale[axis], pulse.far_scale[axis]) = slab_scales(safe);
        }
        pulse
    }

    /// Origins and directions by ray, for those that go on alone.
    #[inline(always)]
    pub fn by_ray(&self) -> [[f32; 16]; 6] {
        let mut lanes = [[0.0f32; 16]; 6];
        // SAFETY: each row has room for 16 rays.
        unsafe {
            for axis in 0..3 {
                self.origins[axis].store(lanes[axis].as_mut_ptr());
                self.direction[axis].store(lanes[3 + axis].as_mut_ptr());
            }
        }
        lanes
    }
}

impl<I: Isa> BoxEntry<I> for SlabPulse<I> {
    /// For rays that go one way along an axis the nearer of both planes is the near one.
    #[inline(always)]
    fn entry(&self, bounds: &[f32; 6]) -> I::Rays {
        let mut entry = I::Rays::splat(0.0);
        for axis in 0..3 {
            let low = I::Rays::splat(bounds[axis]).sub(self.origins_of_least[axis]);
            let high = I::Rays::splat(bounds[3 + axis]).sub(self.origins_of_most[axis]);
            let scale = self.near_scale[axis];
            entry = low.mul(scale).min(high.mul(scale)).max(entry);
        }
        entry
    }
}

/// Reciprocals of a direction's component, widened towards near and far.
#[inline(always)]
pub(crate) fn slab_scales<V: Vector>(d: V) -> (V, V) {
    let inverse = V::splat(1.0).div(d);
    (inverse.mul(V::splat(1.0 - SLAB_PAD)), inverse.mul(V::splat(1.0 + SLAB_PAD)))
}

/// `d`, or the nearest value whose reciprocal stays finite, with the same sign.
#[inline(always)]
fn away_from_zero<V: Vector>(d: V) -> V {
    let magnitude = d.and(V::splat(f32::from_bits(0x7fff_ffff)));
    let sign = d.and(V::splat(-0.0));
    magnitude.max(V::splat(LEAST_DIRECTION)).xor(sign)
}

/// A pulse in the world.
pub(crate) struct WorldPulse<'a, I: Isa> {
    pub direction: [I::Rays; 3],
    pub origins: RayOrigins<'a, I>,
}

/// Whether two points are one, to the bit.
#[inline(always)]
fn is_same(a: DVec3, b: DVec3) -> bool {
    a.to_array().map(f64::to_bits) == b.to_array().map(f64::to_bits)
}
