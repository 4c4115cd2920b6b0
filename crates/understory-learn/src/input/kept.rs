//! Beams that are read once and kept, as far as memory allows.
//!
//! Estimators go over all beams many times, and reading a file takes longer than most of what is done
//! with its beams. What enters: any [`BeamSource`]. What leaves: the same batches in the same order, the
//! first time from the source and then from memory; recordings that need more than
//! [`BEAMS_BYTES_MAX`] are read anew each time.

use std::sync::{Mutex, PoisonError};

use super::beams::{BeamSource, Beams};
use crate::LearnError;

/// Most memory that kept beams take.
pub const BEAMS_BYTES_MAX: usize = 1 << 30;

/// A source whose beams are kept.
pub struct KeptBeams<'a> {
    source: &'a dyn BeamSource,
    most_bytes: usize,
    kept: Mutex<Kept>,
}

enum Kept {
    Unread,
    Whole(Vec<Beams>),
    TooMany,
}

impl<'a> KeptBeams<'a> {
    /// Nothing is read yet.
    pub fn new(source: &'a dyn BeamSource) -> KeptBeams<'a> {
        KeptBeams { source, most_bytes: BEAMS_BYTES_MAX, kept: Mutex::new(Kept::Unread) }
    }
}

impl BeamSource for KeptBeams<'_> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Kept::Whole(batches) => return batches.iter().try_for_each(take),
            Kept::TooMany => return self.source.pass(take),
            Kept::Unread => {}
        }
        let (mut batches, mut bytes) = (Some(Vec::new()), 0);
        self.source.pass(&mut |batch| {
            bytes += batch.len() * BEAM_BYTES;
            if bytes > self.most_bytes {
                batches = None;
            } else if let Some(batches) = &mut batches {
                batches.push(batch.clone());
            }
            take(batch)
        })?;
        *kept = batches.map_or(Kept::TooMany, Kept::Whole);
        Ok(())
    }

    fn expected(&self) -> Option<u64> {
        match &*self.kept.lock().unwrap_or_else(PoisonError::into_inner) {
            Kept::Whole(batches) => Some(batches.iter().map(|batch| batch.len() as u64).sum()),
            _ => self.source.expected(),
        }
    }
}

/// Bytes of a beam in its columns.
const BEAM_BYTES: usize =
    size_of::<glam::DVec3>() + size_of::<glam::Vec3>() + 2 * size_of::<f32>() + size_of::<u16>();

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use glam::{DVec3, Vec3};

    use super::*;

    struct Counted(Vec<Beams>, AtomicUsize);

    impl BeamSource for Counted {
        fn pass(
            &self,
            take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
        ) -> Result<(), LearnError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.pass(take)
        }
    }

    fn three() -> Counted {
        let batch = |x: f64| {
            let mut beams = Beams::default();
            beams.push(DVec3::X * x, Vec3::Y, x as f32, 0.5, 1);
            beams
        };
        Counted(vec![batch(1.0), batch(2.0), batch(3.0)], AtomicUsize::new(0))
    }

    fn read(source: &dyn BeamSource) -> Vec<Beams> {
        let mut read = Vec::new();
        source
            .pass(&mut |batch| {
                read.push(batch.clone());
                Ok(())
            })
            .unwrap();
        read
    }

    #[test]
    fn they_are_read_once_and_given_as_they_were() {
        let source = three();
        let kept = KeptBeams::new(&source);
        assert_eq!(kept.expected(), None);
        for _ in 0..3 {
            assert_eq!(read(&kept), source.0);
        }
        assert_eq!((source.1.load(Ordering::Relaxed), kept.expected()), (1, Some(3)));
    }

    #[test]
    fn what_does_not_fit_is_read_anew() {
        let source = three();
        let kept = KeptBeams { most_bytes: 2 * BEAM_BYTES, ..KeptBeams::new(&source) };
        for _ in 0..3 {
            assert_eq!(read(&kept), source.0);
        }
        assert_eq!(source.1.load(Ordering::Relaxed), 3);
    }

    /// A pass that was cut off leaves nothing half kept.
    #[test]
    fn a_pass_that_fails_keeps_nothing() {
        let source = three();
        let kept = KeptBeams::new(&source);
        let failed = kept.pass(&mut |batch| match batch.range_m[0] > 1.5 {
            true => Err(LearnError::NothingToLearn { beams: 0, range_max_m: 0.0 }),
            false => Ok(()),
        });
        assert!(failed.is_err());
        assert_eq!(read(&kept), source.0);
    }
}
