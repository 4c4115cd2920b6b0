//! What is learned from: beams as columns, as often as an estimator wants to see them.
//!
//! A beam has an origin, a direction and the range of its return, infinite where it returned from
//! nothing. Estimators go over all beams more than once, so a [`BeamSource`] gives them again, from
//! memory or by reading the recordings anew: memory need not hold them all.

use glam::{DVec3, Vec3};

use crate::LearnError;

/// Beams as columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beams {
    /// Where each left, in the world.
    pub origin: Vec<DVec3>,
    /// Unit vector along which it left.
    pub direction: Vec<Vec3>,
    /// Range of its return; infinite: none.
    pub range_m: Vec<f32>,
    /// Intensity of its return; NaN: not known.
    pub intensity: Vec<f32>,
    /// Semantic class of what it met; 0: not known.
    pub label: Vec<u16>,
}

impl Beams {
    /// How many.
    pub fn len(&self) -> usize {
        self.range_m.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.range_m.is_empty()
    }

    /// Removes all and keeps the memory.
    pub fn clear(&mut self) {
        self.origin.clear();
        self.direction.clear();
        self.range_m.clear();
        self.intensity.clear();
        self.label.clear();
    }

    /// Appends a beam.
    pub fn push(
        &mut self,
        origin: DVec3,
        direction: Vec3,
        range_m: f32,
        intensity: f32,
        label: u16,
    ) {
        self.origin.push(origin);
        self.direction.push(direction);
        self.range_m.push(range_m);
        self.intensity.push(intensity);
        self.label.push(label);
    }

    /// Appends all beams of `other`.
    pub fn append(&mut self, other: &Beams) {
        self.origin.extend_from_slice(&other.origin);
        self.direction.extend_from_slice(&other.direction);
        self.range_m.extend_from_slice(&other.range_m);
        self.intensity.extend_from_slice(&other.intensity);
        self.label.extend_from_slice(&other.label);
    }

    /// Where a beam ended; `None` where it returned from nothing.
    #[inline]
    pub fn end(&self, beam: usize) -> Option<DVec3> {
        let range = self.range_m[beam];
        range
            .is_finite()
            .then(|| self.origin[beam] + self.direction[beam].as_dvec3() * f64::from(range))
    }
}

/// Beams that can be gone over again and again.
pub trait BeamSource {
    /// Gives all beams, batch by batch, in the same order each time.
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError>;

    /// How many there are about, where that is known before they are read.
    fn expected(&self) -> Option<u64> {
        None
    }
}

impl BeamSource for Vec<Beams> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        self.iter().try_for_each(take)
    }

    fn expected(&self) -> Option<u64> {
        Some(self.iter().map(|beams| beams.len() as u64).sum())
    }
}

impl BeamSource for [Beams] {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        self.iter().try_for_each(take)
    }
}
