//! AVX-512: the 16 rays of a pulse in one register, masks in mask registers.
//!
//! Safety of every intrinsic below: `InstructionSet::available` has seen AVX-512 F, VL and DQ
//! before any value of this type is made.

use super::avx2::{Avx2, Eight, Four};
use super::{Isa, Vector};
use std::arch::x86_64::*;

pub(crate) struct Avx512;

impl Isa for Avx512 {
    type Rays = Sixteen;
    type Children = Eight;
    type Triangles = Four;

    #[inline(always)]
    fn prefetch(address: *const u8) {
        Avx2::prefetch(address);
    }

    #[inline(always)]
    unsafe fn write_places(mask: u32, first: u32, target: *mut u32) {
        // SAFETY: passed on to the caller; a machine with AVX-512 has AVX2.
        unsafe { Avx2::write_places(mask, first, target) }
    }
}

/// The rays of a pulse.
#[derive(Clone, Copy)]
pub(crate) struct Sixteen(__m512);

impl Vector for Sixteen {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Sixteen(unsafe { _mm512_set1_ps(x) })
    }
    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        Sixteen(unsafe { _mm512_loadu_ps(source) })
    }
    #[inline(always)]
    unsafe fn store(self, target: *mut f32) {
        unsafe { _mm512_storeu_ps(target, self.0) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_add_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_sub_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_mul_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_div_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Sixteen(unsafe { _mm512_fmadd_ps(self.0, factor.0, addend.0) })
    }
    #[inline(always)]
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        Sixteen(unsafe { _mm512_fmsub_ps(self.0, factor.0, subtrahend.0) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_min_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_max_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_and_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Sixteen(unsafe { _mm512_xor_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        u32::from(unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> u32 {
        u32::from(unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn replace(self, mask: u32, other: Self) -> Self {
        Sixteen(unsafe { _mm512_mask_mov_ps(self.0, mask as __mmask16, other.0) })
    }
    #[inline(always)]
    fn min_of(self, mask: u32) -> f32 {
        unsafe { _mm512_reduce_min_ps(Self::splat(f32::INFINITY).replace(mask, self).0) }
    }
    #[inline(always)]
    fn max_of(self, mask: u32) -> f32 {
        unsafe { _mm512_reduce_max_ps(Self::splat(f32::NEG_INFINITY).replace(mask, self).0) }
    }
}
