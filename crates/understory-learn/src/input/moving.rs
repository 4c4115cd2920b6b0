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

/// Beams of a scan that are held; what a longer one has beyond counts as still.
const SCAN_BEAMS_MAX: usize = 1 << 21;

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
            if let Some(last) = scans.last_mut().filter(|last| last.beams.len() < SCAN_BEAMS_MAX) {
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
pub struct WithoutMoving<'a, S> {
    source: &'a S,
    moving: &'a MovingBeams,
}

impl<'a, S: BeamSource> WithoutMoving<'a, S> {
    /// Of the recording in which they were found.
    pub fn new(source: &'a S, moving: &'a MovingBeams) -> WithoutMoving<'a, S> {
        WithoutMoving { source, moving }
    }
}

impl<S: BeamSource> BeamSource for WithoutMoving<'_, S> {
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

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};
    use understory_base::Silent;
    use understory_cloud::ReadOptions;

    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;
    use crate::input::{BeamOptions, Input};

    /// A box from `low` to `high`: where a ray enters it.
    fn enter(origin: DVec3, d: DVec3, low: DVec3, high: DVec3) -> f64 {
        let (a, b) = ((low - origin) / d, (high - origin) / d);
        let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
        if enter <= leave && enter > 0.0 { enter } else { f64::INFINITY }
    }

    /// Thirty scans of a 32-beam sensor that drives at 5 m/s past houses and hedges of loose twigs; with a
    /// car that comes towards it and two people who cross. Labels: 1 car, 2 people.
    fn street(path: &Path, is_moving: bool) {
        let mut text = "scan,ox,oy,oz,dir_x,dir_y,dir_z,range,label,return_number\n".to_owned();
        for scan in 0..30 {
            let time = 0.1 * f64::from(scan);
            let place = |x: f64, y: f64, size: [f64; 3]| {
                let half = DVec3::new(0.5 * size[0], 0.5 * size[1], 0.0);
                let at = DVec3::new(x, y, 0.0);
                [at - half + DVec3::Z * 0.15, at + half + DVec3::Z * size[2]]
            };
            let when = if is_moving { time } else { 1.0 };
            let things = [
                (1, place(28.0 - 7.0 * when, 3.0, [4.2, 1.8, 1.5])),
                (2, place(12.0, -6.0 + 1.6 * when, [0.4, 0.5, 1.75])),
                (2, place(18.0 - 1.3 * when, -4.0, [0.5, 0.4, 1.7])),
            ];
            for column in 0..480u32 {
                let origin = DVec3::new(5.0 * (time + f64::from(column) * 0.1 / 480.0), 0.0, 1.8);
                for ring in 0..32u32 {
                    let a = (0.75 * f64::from(column)).to_radians();
                    let e = (f64::from(ring) - 24.0).to_radians();
                    let d = DVec3::new(e.cos() * a.cos(), e.cos() * a.sin(), e.sin());
                    let mut nearest = (f64::INFINITY, 0);
                    let mut meet = |range: f64, label| {
                        if range < nearest.0 {
                            nearest = (range, label);
                        }
                    };
                    meet(if d.z < 0.0 { -origin.z / d.z } else { f64::INFINITY }, 0);
                    for x in 0..6 {
                        let house = DVec3::new(10.0 * f64::from(x) - 10.0, 12.0, 0.0);
                        meet(enter(origin, d, house, house + DVec3::new(7.0, 5.0, 6.0)), 0);
                    }
                    // Twigs: a ray that crosses the hedge meets one after an exponential way of 1 m.
                    let hedge = [DVec3::new(-20.0, -9.0, 0.0), DVec3::new(50.0, -7.5, 2.0)];
                    let from = enter(origin, d, hedge[0], hedge[1]);
                    if from.is_finite() {
                        let mixed = (scan as u32 * 7919 + column * 104_729 + ring * 1_299_709)
                            .wrapping_mul(2_654_435_761);
                        let uniform = (f64::from(mixed >> 8) + 0.5) / f64::from(1u32 << 24);
                        let range = from - uniform.ln();
                        let end = origin + d * range;
                        if end.y > hedge[0].y && end.z < hedge[1].z {
                            meet(range, 0);
                        }
                    }
                    for (label, [low, high]) in &things {
                        meet(enter(origin, d, *low, *high), *label);
                    }
                    let (range, label) = nearest;
                    let is_return = range < 80.0;
                    let number = u8::from(is_return);
                    let range = if is_return { format!("{range:.3}") } else { "nan".to_owned() };
                    writeln!(
                        text,
                        "{scan},{:.4},0,1.8,{:.6},{:.6},{:.6},{range},{label},{number}",
                        origin.x, d.x, d.y, d.z
                    )
                    .unwrap();
                }
            }
        }
        std::fs::write(path, text).unwrap();
    }

    fn source(path: &Path) -> RecordingBeams {
        let inputs = vec![Input::new(path.to_path_buf(), ReadOptions::default())];
        RecordingBeams::open(inputs, BeamOptions::default()).unwrap()
    }

    /// Returns of cars and people that are recognised, and what is recognised that is none of them.
    #[test]
    fn a_car_and_people_who_move_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("street.csv");
        street(&path, true);
        let source = source(&path);
        let moving = MovingBeams::find(&source, &Silent).unwrap();
        let (mut number, mut found, mut all, mut right) = (0, 0u64, [0u64; 3], [0u64; 3]);
        source
            .pass(&mut |batch| {
                for label in &batch.label {
                    let is_found = moving.is_moving(number);
                    found += u64::from(is_found);
                    all[usize::from(*label)] += 1;
                    right[usize::from(*label)] += u64::from(is_found);
                    number += 1;
                }
                Ok(())
            })
            .unwrap();
        let share = |k: usize| right[k] as f64 / all[k] as f64;
        let precision = (right[1] + right[2]) as f64 / found as f64;
        println!(
            "recall: car {:.3}, people {:.3}; precision {precision:.3}; of {all:?}, {} scans",
            share(1),
            share(2),
            moving.scans
        );
        assert_eq!((moving.beams, moving.scans), (found, 30));
        assert!(share(1) > 0.9 && share(2) > 0.8 && precision > 0.9, "{right:?} of {all:?}");
        // Without them nothing else is lost.
        let mut left = 0;
        WithoutMoving::new(&source, &moving)
            .pass(&mut |batch| {
                left += batch.len() as u64;
                Ok(())
            })
            .unwrap();
        assert_eq!(left + moving.beams, all.iter().sum::<u64>());
    }

    /// Parked cars, people who stand, houses and a hedge: hardly anything is taken for moving.
    #[test]
    fn what_stands_still_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("street.csv");
        street(&path, false);
        let source = source(&path);
        let moving = MovingBeams::find(&source, &Silent).unwrap();
        let beams = source.report().beams;
        println!("{} of {beams} beams are taken for moving", moving.beams);
        assert!(moving.beams * 1000 < beams, "{} of {beams}", moving.beams);
    }

    #[test]
    fn one_scan_tells_nothing() {
        let beams = {
            let mut beams = Beams::default();
            beams.push(DVec3::ZERO, Vec3::X, 5.0, 0.5, 0);
            beams
        };
        let window = Window::new(vec![&beams]);
        assert!(moving_of(&window, 0).is_empty());
        assert!(!MovingBeams::default().is_moving(7));
    }
}
