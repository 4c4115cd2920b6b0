//! Things that moved while a recording was made, such as people and cars: recognised and left out.
//!
//! What enters: beams, scan by scan. What leaves: which of them met something that moved. A place that was
//! occupied for a while and empty before or after shows it: beams of other scans go through it. Leaves
//! and twigs let beams through as well, but at any time; what moved is met in one run of scans and never
//! again (`moving/evidence.rs`). And it is a body: several such points together, higher than the ground is
//! rough, with little among them that stands still (`moving/bodies.rs`).
//!
//! Scans are looked at in windows of [`WINDOW`], so memory is that of so many scans, whatever the length of
//! the recording. What stays within its own width for a whole window is not told from what stands still.

mod bodies;
mod evidence;

use rayon::prelude::*;
use understory_base::Progress;

use self::bodies::moving_of;
use self::evidence::Window;
use super::beams::{BeamSource, Beams};
use super::recordings::RecordingBeams;
use crate::LearnError;

/// Scans that are looked at together; each has a bit of a word.
pub const WINDOW: usize = 48;
/// Scans on both sides of those of a window that are judged.
const CONTEXT: usize = 16;

/// Whether what moved is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moving {
    /// Like everything else.
    #[default]
    Keep,
    /// Not: beams that met it are skipped.
    LeaveOut,
}

/// Which beams of a recording met something that moved.
#[derive(Clone, Debug, Default)]
pub struct MovingBeams {
    /// A bit for each beam, in the order of a pass.
    bits: Vec<u64>,
    /// How many of them are set.
    pub beams: u64,
    /// How many scans the recording has.
    pub scans: u64,
}

/// Beams of one scan.
struct Scan {
    /// Number of its first beam in the pass.
    first: u64,
    beams: Beams,
}

impl MovingBeams {
    /// Goes over a recording once.
    pub fn find(
        source: &RecordingBeams,
        progress: &dyn Progress,
    ) -> Result<MovingBeams, LearnError> {
        let mut found = MovingBeams::default();
        let mut scans: Vec<Scan> = Vec::new();
        // Of the scans that are held, so many at the beginning were judged.
        let (mut judged, mut next, mut number) = (0, 0u64, None);
        let all = source.expected();
        source.pass_scans(&mut |scan, beams| {
            if number != Some(scan) {
                number = Some(scan);
                found.scans += 1;
                if scans.len() == WINDOW {
                    found.judge(&scans, judged..WINDOW - CONTEXT);
                    // The context of those that come next stays.
                    scans.drain(..WINDOW - 2 * CONTEXT);
                    judged = CONTEXT;
                }
                scans.push(Scan { first: next, beams: Beams::default() });
            }
            if let Some(last) = scans.last_mut() {
                last.beams.append(beams);
            }
            next += beams.len() as u64;
            let share = all.map_or(0.5, |all| next as f64 / all.max(1) as f64);
            progress.step("looking for what moved", share.min(1.0));
            Ok(())
        })?;
        let end = scans.len();
        found.judge(&scans, judged..end);
        Ok(found)
    }

    fn judge(&mut self, scans: &[Scan], of: std::ops::Range<usize>) {
        let window = Window::new(scans.iter().map(|scan| &scan.beams).collect());
        let moving: Vec<Vec<u32>> =
            of.clone().into_par_iter().map(|scan| moving_of(&window, scan)).collect();
        for (scan, beams) in of.zip(moving) {
            for beam in beams {
                let at = scans[scan].first + u64::from(beam);
                let (word, bit) = ((at / 64) as usize, at % 64);
                if word >= self.bits.len() {
                    self.bits.resize(word + 1, 0);
                }
                self.beams += u64::from(self.bits[word] >> bit & 1 == 0);
                self.bits[word] |= 1 << bit;
            }
        }
    }

    /// Whether the beam of this number in a pass met something that moved.
    pub fn is_moving(&self, beam: u64) -> bool {
        let word = self.bits.get((beam / 64) as usize);
        word.is_some_and(|word| word >> (beam % 64) & 1 == 1)
    }
}

/// A source without the beams that met something that moved.
pub struct WithoutMoving<'a> {
    source: &'a dyn BeamSource,
    moving: &'a MovingBeams,
}

impl<'a> WithoutMoving<'a> {
    /// Of the recording in which they were found.
    pub fn new(source: &'a dyn BeamSource, moving: &'a MovingBeams) -> WithoutMoving<'a> {
        WithoutMoving { source, moving }
    }
}

impl BeamSource for WithoutMoving<'_> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let (mut number, mut still) = (0, Beams::default());
        self.source.pass(&mut |batch| {
            still.clear();
            for beam in 0..batch.len() {
                if !self.moving.is_moving(number + beam as u64) {
                    let (origin, direction) = (batch.origin[beam], batch.direction[beam]);
                    let (range_m, intensity) = (batch.range_m[beam], batch.intensity[beam]);
                    still.push(origin, direction, range_m, intensity, batch.label[beam]);
                }
            }
            number += batch.len() as u64;
            if still.is_empty() { Ok(()) } else { take(&still) }
        })
    }

    fn expected(&self) -> Option<u64> {
        self.source.expected().map(|beams| beams.saturating_sub(self.moving.beams))
    }
}
