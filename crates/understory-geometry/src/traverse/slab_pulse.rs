//! A pulse as lanes, and in the frame of a tree: what its slab tests need, computed once per tree.

use super::{LEAST_DIRECTION, SLAB_PAD};
use crate::simd::{Isa, Vector};
use glam::DVec3;

/// Widening of a slab that constrains nothing because the rays cross it both ways.
const NO_CONSTRAINT: f32 = 1e37;
/// Smaller components of a direction count as having either sign.
const SIGN_MARGIN: f32 = 1e-9;
/// Relative widening of the interval of reciprocal directions.
const INTERVAL_PAD: f32 = 1e-6;

/// The rays of a pulse as lanes: unused ones repeat the first.
pub(crate) struct LanePulse {
    pub origin: DVec3,
    pub direction: [[f32; 16]; 3],
    pub offset: [[f32; 16]; 3],
    pub count: usize,
}

/// A pulse in the frame of a tree, with the constants of its slab tests.
#[derive(Clone, Copy)]
pub(crate) struct SlabPulse<I: Isa> {
    pub direction: [I::Rays; 3],
    pub origins: [I::Rays; 3],
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
    /// A plane at `b` is crossed at `b · scale − shift`, widened towards near and far.
    pub near_scale: [I::Rays; 3],
    pub near_shift: [I::Rays; 3],
    pub far_scale: [I::Rays; 3],
    pub far_shift: [I::Rays; 3],
    /// Whether any axis has rays going both ways.
    pub mixed: bool,
}

impl<I: Isa> SlabPulse<I> {
    /// Rays of `mask` with `direction` from `origins`; the other lanes hold copies of one of them.
    #[inline(always)]
    pub fn new<const SPREAD: bool>(
        direction: [I::Rays; 3],
        origin: [f32; 3],
        origins: [I::Rays; 3],
        mask: u32,
    ) -> Self {
        let zero = I::Rays::splat(0.0);
        let mut pulse = SlabPulse {
            direction,
            origins,
            origin,
            low: [0.0; 3],
            high: [0.0; 3],
            origin_near: origin,
            origin_far: origin,
            widen: [0.0; 3],
            near_scale: [zero; 3],
            near_shift: [zero; 3],
            far_scale: [zero; 3],
            far_shift: [zero; 3],
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
                away_from_zero(d)
            };
            if SPREAD {
                let (first, last) = (origins[axis].min_of(mask), origins[axis].max_of(mask));
                let forward = pulse.low[axis] > 0.0;
                pulse.origin_near[axis] = if forward { last } else { first };
                pulse.origin_far[axis] = if forward { first } else { last };
            }
            let inverse = I::Rays::splat(1.0).div(safe);
            let shift = inverse.mul(origins[axis]);
            let pad = shift
                .and(I::Rays::splat(f32::from_bits(0x7fff_ffff)))
                .mul(I::Rays::splat(SLAB_PAD));
            let near_scale = inverse.mul(I::Rays::splat(1.0 - SLAB_PAD));
            let far_scale = inverse.mul(I::Rays::splat(1.0 + SLAB_PAD));
            pulse.near_scale[axis] = near_scale;
            pulse.far_scale[axis] = far_scale;
            pulse.near_shift[axis] = near_scale.mul_add(origins[axis], pad);
            pulse.far_shift[axis] = far_scale.mul_sub(origins[axis], pad);
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

/// `d`, or the nearest value whose reciprocal stays finite, with the same sign.
#[inline(always)]
fn away_from_zero<V: Vector>(d: V) -> V {
    let magnitude = d.and(V::splat(f32::from_bits(0x7fff_ffff)));
    let sign = d.and(V::splat(-0.0));
    magnitude.max(V::splat(LEAST_DIRECTION)).xor(sign)
}
