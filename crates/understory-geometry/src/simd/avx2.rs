//! AVX2 with fused multiply-add: 8 lanes a register, the 16 rays of a pulse in two.
//!
//! Safety of every intrinsic below: `InstructionSet::available` has seen AVX2 and FMA before any
//! value of these types is made.

use super::{Isa, Vector};
use std::arch::x86_64::*;

pub(crate) struct Avx2;

impl Isa for Avx2 {
    type Rays = Pair;
    type Children = Eight;
    type Triangles = Four;

    #[inline(always)]
    fn prefetch(address: *const u8) {
        // SAFETY: a hint, harmless for any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }

    #[inline(always)]
    unsafe fn write_places(mask: u32, first: u32, target: *mut u32) {
        // SAFETY: the caller gives room for 8 numbers and a mask of 8 bits.
        unsafe {
            let places = _mm_loadl_epi64(PLACES.get_unchecked(mask as usize).as_ptr().cast());
            let numbers =
                _mm256_add_epi32(_mm256_cvtepu8_epi32(places), _mm256_set1_epi32(first as i32));
            _mm256_storeu_si256(target.cast(), numbers);
        }
    }
}

/// The numbers of the bits of each mask, lowest first.
static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                places[mask][found] = bit as u8;
                found += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    places
};

/// Implements the lane-wise part of [`Vector`] for one register by its intrinsics.
macro_rules! register {
    ($(#[$doc:meta])* $name:ident($raw:ty), $splat:ident, $load:ident, $store:ident,
     $add:ident, $sub:ident, $mul:ident, $div:ident, $fmadd:ident, $fmsub:ident,
     $min:ident, $max:ident, $and:ident, $xor:ident, $cmp:ident, $movemask:ident, $blend:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($raw);

        impl Vector for $name {
            #[inline(always)]
            fn splat(x: f32) -> Self {
                $name(unsafe { $splat(x) })
            }
            #[inline(always)]
            unsafe fn load(source: *const f32) -> Self {
                $name(unsafe { $load(source) })
            }
            #[inline(always)]
            unsafe fn store(self, target: *mut f32) {
                unsafe { $store(target, self.0) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                $name(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $name(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                $name(unsafe { $div(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                $name(unsafe { $fmadd(self.0, factor.0, addend.0) })
            }
            #[inline(always)]
            fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
                $name(unsafe { $fmsub(self.0, factor.0, subtrahend.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                $name(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                $name(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                $name(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                $name(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn le(self, other: Self) -> u32 {
                unsafe { $movemask($cmp::<_CMP_LE_OQ>(self.0, other.0)) as u32 }
            }
            #[inline(always)]
            fn lt(self, other: Self) -> u32 {
                unsafe { $movemask($cmp::<_CMP_LT_OQ>(self.0, other.0)) as u32 }
            }
            #[inline(always)]
            fn replace(self, mask: u32, other: Self) -> Self {
                $name(unsafe { $blend(self.0, other.0, Self::lanes_of(mask)) })
            }
            #[inline(always)]
            fn min_of(self, mask: u32) -> f32 {
                Self::splat(f32::INFINITY).replace(mask, self).reduce_min()
            }
            #[inline(always)]
            fn max_of(self, mask: u32) -> f32 {
                Self::splat(f32::NEG_INFINITY).replace(mask, self).reduce_max()
            }
        }
    };
}

register!(
    /// The triangles of a pack.
    Four(__m128),
    _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps, _mm_add_ps, _mm_sub_ps, _mm_mul_ps, _mm_div_ps,
    _mm_fmadd_ps, _mm_fmsub_ps, _mm_min_ps, _mm_max_ps, _mm_and_ps, _mm_xor_ps, _mm_cmp_ps,
    _mm_movemask_ps, _mm_blendv_ps
);

register!(
    /// The children of a node, or half the rays of a pulse.
    Eight(__m256),
    _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps,
    _mm256_mul_ps, _mm256_div_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_min_ps, _mm256_max_ps,
    _mm256_and_ps, _mm256_xor_ps, _mm256_cmp_ps, _mm256_movemask_ps, _mm256_blendv_ps
);

impl Four {
    /// All bits set in the lanes of `mask`.
    #[inline(always)]
    fn lanes_of(mask: u32) -> __m128 {
        unsafe {
            let bits = _mm_setr_epi32(1, 2, 4, 8);
            let chosen = _mm_and_si128(_mm_set1_epi32(mask as i32), bits);
            _mm_castsi128_ps(_mm_cmpeq_epi32(chosen, bits))
        }
    }
    #[inline(always)]
    fn reduce_min(self) -> f32 {
        unsafe {
            let pairs = _mm_min_ps(self.0, _mm_movehl_ps(self.0, self.0));
            _mm_cvtss_f32(_mm_min_ss(pairs, _mm_movehdup_ps(pairs)))
        }
    }
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        unsafe {
            let pairs = _mm_max_ps(self.0, _mm_movehl_ps(self.0, self.0));
            _mm_cvtss_f32(_mm_max_ss(pairs, _mm_movehdup_ps(pairs)))
        }
    }
}

impl Eight {
    /// All bits set in the lanes of `mask`.
    #[inline(always)]
    fn lanes_of(mask: u32) -> __m256 {
        unsafe {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let chosen = _mm256_and_si256(_mm256_set1_epi32(mask as i32), bits);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(chosen, bits))
        }
    }
    #[inline(always)]
    fn reduce_min(self) -> f32 {
        unsafe {
            let low = _mm256_castps256_ps128(self.0);
            Four(_mm_min_ps(low, _mm256_extractf128_ps::<1>(self.0))).reduce_min()
        }
    }
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        unsafe {
            let low = _mm256_castps256_ps128(self.0);
            Four(_mm_max_ps(low, _mm256_extractf128_ps::<1>(self.0))).reduce_max()
        }
    }
}

/// The rays of a pulse.
#[derive(Clone, Copy)]
pub(crate) struct Pair(Eight, Eight);

impl Vector for Pair {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Pair(Eight::splat(x), Eight::splat(x))
    }
    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        unsafe { Pair(Eight::load(source), Eight::load(source.add(8))) }
    }
    #[inline(always)]
    unsafe fn store(self, target: *mut f32) {
        unsafe {
            self.0.store(target);
            self.1.store(target.add(8));
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Pair(self.0.add(other.0), self.1.add(other.1))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Pair(self.0.sub(other.0), self.1.sub(other.1))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Pair(self.0.mul(other.0), self.1.mul(other.1))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Pair(self.0.div(other.0), self.1.div(other.1))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Pair(self.0.mul_add(factor.0, addend.0), self.1.mul_add(factor.1, addend.1))
    }
    #[inline(always)]
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        Pair(self.0.mul_sub(factor.0, subtrahend.0), self.1.mul_sub(factor.1, subtrahend.1))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Pair(self.0.min(other.0), self.1.min(other.1))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Pair(self.0.max(other.0), self.1.max(other.1))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Pair(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Pair(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        self.0.le(other.0) | self.1.le(other.1) << 8
    }
    #[inline(always)]
    fn lt(self, other: Self) -> u32 {
        self.0.lt(other.0) | self.1.lt(other.1) << 8
    }
    #[inline(always)]
    fn replace(self, mask: u32, other: Self) -> Self {
        Pair(self.0.replace(mask, other.0), self.1.replace(mask >> 8, other.1))
    }
    #[inline(always)]
    fn min_of(self, mask: u32) -> f32 {
        let infinity = Eight::splat(f32::INFINITY);
        infinity.replace(mask, self.0).min(infinity.replace(mask >> 8, self.1)).reduce_min()
    }
    #[inline(always)]
    fn max_of(self, mask: u32) -> f32 {
        let infinity = Eight::splat(f32::NEG_INFINITY);
        infinity.replace(mask, self.0).max(infinity.replace(mask >> 8, self.1)).reduce_max()
    }
}
