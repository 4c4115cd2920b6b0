//! The twin without intrinsics: arrays that the compiler may vectorise.

use super::{Isa, Vector};

/// Lanes as an array.
#[derive(Clone, Copy)]
pub(crate) struct Array<const N: usize>([f32; N]);

pub(crate) struct Portable;

impl Isa for Portable {
    type Rays = Array<16>;
    type Children = Array<8>;
    type Triangles = Array<4>;

    #[inline(always)]
    fn prefetch(_address: *const u8) {}

    #[inline(always)]
    unsafe fn write_places(mask: u32, first: u32, target: *mut u32) {
        let (mut left, mut at) = (mask, 0);
        while left != 0 {
            // SAFETY: the caller gives room for as many numbers as a mask of 8 bits has.
            unsafe { *target.add(at) = first + left.trailing_zeros() };
            left &= left - 1;
            at += 1;
        }
    }
}

impl<const N: usize> Array<N> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = f(self.0[i], other.0[i]);
        }
        Array(out)
    }

    #[inline(always)]
    fn mask(self, other: Self, f: impl Fn(f32, f32) -> bool) -> u32 {
        let mut mask = 0;
        for i in 0..N {
            mask |= u32::from(f(self.0[i], other.0[i])) << i;
        }
        mask
    }
}

impl<const N: usize> Vector for Array<N> {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Array([x; N])
    }
    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: the caller gives N readable floats.
        Array(unsafe { source.cast::<[f32; N]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, target: *mut f32) {
        // SAFETY: the caller gives room for N floats.
        unsafe { target.cast::<[f32; N]>().write(self.0) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = self.0[i].mul_add(factor.0[i], addend.0[i]);
        }
        Array(out)
    }
    #[inline(always)]
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = self.0[i].mul_add(factor.0[i], -subtrahend.0[i]);
        }
        Array(out)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| f32::from_bits(a.to_bits() & b.to_bits()))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| f32::from_bits(a.to_bits() ^ b.to_bits()))
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        self.mask(other, |a, b| a <= b)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> u32 {
        self.mask(other, |a, b| a < b)
    }
    #[inline(always)]
    fn replace(self, mask: u32, other: Self) -> Self {
        let mut out = self.0;
        for i in 0..N {
            if mask >> i & 1 == 1 {
                out[i] = other.0[i];
            }
        }
        Array(out)
    }
    #[inline(always)]
    fn min_of(self, mask: u32) -> f32 {
        let mut smallest = f32::INFINITY;
        for i in 0..N {
            if mask >> i & 1 == 1 && self.0[i] < smallest {
                smallest = self.0[i];
            }
        }
        smallest
    }
    #[inline(always)]
    fn max_of(self, mask: u32) -> f32 {
        let mut largest = f32::NEG_INFINITY;
        for i in 0..N {
            if mask >> i & 1 == 1 && self.0[i] > largest {
                largest = self.0[i];
            }
        }
        largest
    }
}
