//! Where the rays of a pulse begin: all at one point, each beside it, or at the points of the pulses
//! of which lanes hold the rays. However they share lanes, each begins at the same bits.

use super::Row;
use crate::build::tlas::Frame;
use crate::simd::{Isa, Vector};
use glam::DVec3;

/// A point in the world for each lane, by axis.
pub(crate) type Bases = [[f64; 16]; 3];

/// Pulses whose rays share lanes leave nearer to each other than this, along each axis.
pub(crate) const BASES_WITHIN_M: f64 = 0.1;

/// Where the rays of a pulse begin, in the world.
#[derive(Clone, Copy)]
pub(crate) struct RayOrigins<'a, I: Isa> {
    pub origin: DVec3,
    /// Where the pulse of each ray leaves, if they are of several.
    pub bases: Option<&'a Bases>,
    /// Where each ray leaves, relative to that, if they do not all leave there.
    pub offsets: Option<[I::Rays; 3]>,
}

impl<I: Isa> RayOrigins<'_, I> {
    /// Whether they differ.
    #[inline(always)]
    pub fn differ(&self) -> bool {
        self.bases.is_some() || self.offsets.is_some()
    }

    /// From a point of the world; without offsets.
    ///
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    unsafe fn bases_from(&self, bases: &Bases, point: DVec3) -> [I::Rays; 3] {
        let mut rows = [Row([0.0; 16]); 3];
        for axis in 0..3 {
            for lane in 0..16 {
                rows[axis].0[lane] = (bases[axis][lane] - point[axis]) as f32;
            }
        }
        // SAFETY: rows have 16 lanes.
        unsafe { rows.map(|row| row.load::<I>()) }
    }

    /// In the frame of an instance, in which the pulse leaves at `origin`.
    ///
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    pub unsafe fn local(&self, frame: &Frame, origin: [f32; 3]) -> [I::Rays; 3] {
        let mut origins = match self.bases {
            None => origin.map(I::Rays::splat),
            // SAFETY: as promised by the caller.
            Some(bases) => {
                frame.local_lanes::<I>(unsafe { self.bases_from(bases, frame.translation()) })
            }
        };
        if let Some(offsets) = self.offsets {
            let offsets = frame.local_lanes::<I>(offsets);
            for axis in 0..3 {
                origins[axis] = origins[axis].add(offsets[axis]);
            }
        }
        origins
    }

    /// In the frame of a tree over instances around `middle`, in which the pulse leaves at `origin`.
    ///
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    pub unsafe fn in_scene(&self, middle: DVec3, origin: [f32; 3]) -> [I::Rays; 3] {
        let mut origins = match self.bases {
            None => origin.map(I::Rays::splat),
            // SAFETY: as promised by the caller.
            Some(bases) => unsafe { self.bases_from(bases, middle) },
        };
        if let Some(offsets) = self.offsets {
            for axis in 0..3 {
                origins[axis] = origins[axis].add(offsets[axis]);
            }
        }
        origins
    }

    /// Relative to where the pulse leaves, nearly: bases and offsets together.
    ///
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    pub unsafe fn aside(&self) -> [I::Rays; 3] {
        // SAFETY: as promised by the caller.
        unsafe { self.in_scene(self.origin, [0.0; 3]) }
    }
}
