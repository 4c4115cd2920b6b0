//! Recordings or records in memory → pulses with all their returns, by rising range.
//!
//! Estimators of leaf area need what a pulse did on its whole way: where parts of its light came back
//! and what they met. A [`PulseSource`] gives pulses batch by batch, as often as they are wanted.
//! Pulses without a return have no returns; where a format drops them, they are found again.

use std::sync::{Arc, Mutex, PoisonError};

use glam::{DVec3, Vec3};
use understory_cloud::{LasClasses, Recording, Records, is_ground, label_number};

use super::options::{BeamOptions, Input};
use super::padding::is_padding;
use super::recover_misses::MissRecovery;
use super::report::ReadingReport;
use crate::LearnError;

/// Pulses that are handed on together.
const BATCH: usize = 1 << 16;

/// What a return met, as far as its class says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Met {
    /// Nothing is known.
    #[default]
    Unknown,
    /// A plant, and no wood if that has a class of its own.
    Plant,
    /// A trunk or branch.
    Wood,
    /// The ground.
    Ground,
    /// Something else that stops light.
    Other,
}

impl Met {
    /// From a class: of the ASPRS where the recording has those, else of SemanticKITTI. `None` for
    /// noise, which met nothing.
    fn from_class(class: u16, classes: LasClasses) -> Option<Met> {
        if classes == LasClasses::Labels {
            return Some(match class {
                0 | 1 => Met::Unknown,
                2 | 11 => Met::Ground,
                3..=5 => Met::Plant,
                7 | 18 => return None,
                _ => Met::Other,
            });
        }
        let is = |name| Some(class) == label_number(name);
        Some(match class {
            0 => Met::Unknown,
            _ if is("vegetation") => Met::Plant,
            _ if is("trunk") => Met::Wood,
            _ if is("outlier") => return None,
            _ if is_ground(class) => Met::Ground,
            _ => Met::Other,
        })
    }
}

/// A return of a pulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PulseReturn {
    /// Measured range.
    pub range_m: f32,
    /// Intensity; NaN: not known.
    pub intensity: f32,
    /// What it met.
    pub met: Met,
}

/// Pulses as columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pulses {
    /// Where each left, in the world.
    pub origin: Vec<DVec3>,
    /// Unit vector along which it left.
    pub direction: Vec<Vec3>,
    /// Where the returns of each pulse end in `returns`; those of the next begin there.
    pub ends: Vec<u32>,
    /// Returns of all pulses, of each by rising range.
    pub returns: Vec<PulseReturn>,
}

impl Pulses {
    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The returns of a pulse.
    pub fn returns_of(&self, pulse: usize) -> &[PulseReturn] {
        let begin = pulse.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.returns[begin..self.ends[pulse] as usize]
    }

    /// Appends a pulse.
    pub fn push(&mut self, origin: DVec3, direction: Vec3, returns: &[PulseReturn]) {
        self.origin.push(origin);
        self.direction.push(direction);
        self.returns.extend_from_slice(returns);
        self.ends.push(self.returns.len() as u32);
    }

    /// Removes all and keeps the memory.
    pub fn clear(&mut self) {
        self.origin.clear();
        self.direction.clear();
        self.ends.clear();
        self.returns.clear();
    }
}

/// Pulses that can be gone over again and again.
pub trait PulseSource {
    /// Gives all pulses, batch by batch, in the same order each time.
    fn pass(
        &self,
        take: &mut dyn FnMut(&Pulses) -> Result<(), LearnError>,
    ) -> Result<(), LearnError>;

    /// How many there are about, where that is known before they are read.
    fn expected(&self) -> Option<u64> {
        None
    }

    /// What the last whole pass read and skipped.
    fn report(&self) -> ReadingReport {
        ReadingReport::default()
    }
}

impl PulseSource for Pulses {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Pulses) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        take(self)
    }
}

/// Where pulses come from.
#[derive(Debug)]
enum Kept {
    Files(Vec<Input>),
    Memory(Vec<Arc<Records>>),
}

/// Recordings or records as a source of pulses. Of the options, `returns` and `region` do nothing.
#[derive(Debug)]
pub struct RecordedPulses {
    from: Kept,
    options: BeamOptions,
    expected: Option<u64>,
    report: Mutex<ReadingReport>,
}

impl RecordedPulses {
    /// Opens recordings and reads their headers; refuses what says nothing about origins.
    pub fn open(
        mut inputs: Vec<Input>,
        options: BeamOptions,
    ) -> Result<RecordedPulses, LearnError> {
        let mut expected = Some(0);
        for input in &mut inputs {
            input.options.need_origins = true;
            input.options.undirected_misses =
                options.recover_misses != super::recover_misses::RecoverMisses::No;
            let recording = Recording::open(&input.path, &input.options)?;
            options.recover_misses.check(&input.path, &recording.known())?;
            expected = expected.zip(recording.rows()).map(|(all, rows)| all + rows);
        }
        Ok(RecordedPulses {
            from: Kept::Files(inputs),
            options,
            expected,
            report: Mutex::default(),
        })
    }

    /// Pulses of records in memory, with their misses as they are.
    pub fn of_records(records: Vec<Arc<Records>>, options: BeamOptions) -> RecordedPulses {
        let expected = Some(records.iter().map(|records| records.len() as u64).sum());
        RecordedPulses { from: Kept::Memory(records), options, expected, report: Mutex::default() }
    }
}

impl PulseSource for RecordedPulses {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Pulses) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let mut pass = PulsePass {
            options: &self.options,
            report: ReadingReport::default(),
            pulses: Pulses::default(),
            pending: None,
            returns: Vec::new(),
            classes: LasClasses::FromLabels,
            take,
        };
        match &self.from {
            Kept::Files(inputs) => {
                for (number, input) in inputs.iter().enumerate() {
                    pass.file(number as u32, input)?;
                }
            }
            Kept::Memory(all) => {
                for records in all {
                    for row in 0..records.len() {
                        pass.row(records, row, records.scan[row]);
                        pass.give(BATCH)?;
                    }
                    pass.close();
                    pass.report.rows += records.len() as u64;
                }
            }
        }
        pass.give(1)?;
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = pass.report;
        Ok(())
    }

    fn expected(&self) -> Option<u64> {
        self.expected
    }

    fn report(&self) -> ReadingReport {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One going over all rows.
struct PulsePass<'a> {
    options: &'a BeamOptions,
    report: ReadingReport,
    pulses: Pulses,
    /// The pulse whose returns are gathered: sensor, number, origin and direction.
    pending: Option<(u16, u64, DVec3, Vec3)>,
    returns: Vec<PulseReturn>,
    classes: LasClasses,
    take: &'a mut dyn FnMut(&Pulses) -> Result<(), LearnError>,
}

impl PulsePass<'_> {
    fn file(&mut self, number: u32, input: &Input) -> Result<(), LearnError> {
        let recover = &self.options.recover_misses;
        let mut recovery = MissRecovery::prepare(recover, &input.path, &input.options)?;
        let mut recording = Recording::open(&input.path, &input.options)?;
        self.classes = recording.las_classes();
        let motion = input.pose().zip(input.motion);
        let deskewed = |origin: DVec3, direction: Vec3| match &motion {
            Some((pose, motion)) => motion.deskew(pose, origin, direction),
            None => (origin, direction),
        };
        let (numbered, has_columns) = (recording.known().scan, recording.known().column);
        let mut batch = Records::default();
        let mut found: Vec<(DVec3, Vec3)> = Vec::new();
        while recording.next_batch(&mut batch)? {
            for row in 0..batch.len() {
                if let Some(recovery) = &mut recovery {
                    recovery.see(&batch, row, &mut |from, along| found.push((from, along)))?;
                    if batch.direction_xyz[row][0].is_nan() {
                        self.report.undirected += 1;
                        continue;
                    }
                }
                if has_columns && is_padding(&batch, row) {
                    self.report.padding += 1;
                    continue;
                }
                if motion.is_some() {
                    let origin = DVec3::from(batch.origin_xyz_m[row]);
                    let (origin, along) = deskewed(origin, Vec3::from(batch.direction_xyz[row]));
                    batch.origin_xyz_m[row] = origin.to_array();
                    batch.direction_xyz[row] = along.to_array();
                }
                self.row(&batch, row, if numbered { batch.scan[row] } else { number });
            }
            self.add_recovered(&mut found, &deskewed);
            self.give(BATCH)?;
        }
        self.close();
        if let Some(recovery) = &mut recovery {
            recovery.finish(&mut |from, along| found.push((from, along)))?;
            self.report.remarks.extend(recovery.remark());
            self.add_recovered(&mut found, &deskewed);
        }
        self.report.add_file(recording.report(), recovery.is_some());
        Ok(())
    }

    /// Pulses without a return that were found again.
    fn add_recovered(
        &mut self,
        found: &mut Vec<(DVec3, Vec3)>,
        deskewed: &dyn Fn(DVec3, Vec3) -> (DVec3, Vec3),
    ) {
        if found.is_empty() {
            return;
        }
        self.close();
        for (origin, direction) in found.drain(..) {
            let (origin, direction) = deskewed(origin, direction);
            self.report.recovered += 1;
            self.report.misses += 1;
            self.pulses.push(origin, direction, &[]);
        }
    }

    fn row(&mut self, batch: &Records, row: usize, scan: u32) {
        if !self.options.asks_for(scan) {
            self.report.other_scans += 1;
            return;
        }
        let origin = DVec3::from(batch.origin_xyz_m[row]);
        let direction = Vec3::from(batch.direction_xyz[row]);
        if !(origin.is_finite() && direction.is_finite()) {
            self.report.undirected += 1;
            return;
        }
        let (sensor, pulse) = (batch.sensor[row], batch.pulse[row]);
        if self.pending.is_none_or(|(s, p, ..)| (s, p) != (sensor, pulse)) {
            self.close();
            self.pending = Some((sensor, pulse, origin, direction));
        }
        if batch.is_miss(row) {
            return;
        }
        let range_m = batch.range_m[row];
        if !(range_m.is_finite() && range_m > 0.0) {
            self.report.not_finite += 1;
            return;
        }
        if f64::from(range_m) >= self.options.range_max_m {
            self.report.beyond_range += 1;
            return;
        }
        if let Some(met) = Met::from_class(batch.label[row], self.classes) {
            self.returns.push(PulseReturn { range_m, intensity: batch.intensity[row], met });
        }
    }

    fn close(&mut self) {
        let Some((_, _, origin, direction)) = self.pending.take() else { return };
        self.returns.sort_by(|a, b| a.range_m.total_cmp(&b.range_m));
        let nearest = self.returns.first().map(|nearest| f64::from(nearest.range_m));
        if nearest.is_some_and(|nearest| nearest < self.options.range_min_m) {
            self.report.too_near += 1;
        } else {
            self.report.misses += u64::from(self.returns.is_empty());
            self.pulses.push(origin, direction, &self.returns);
        }
        self.returns.clear();
    }

    /// Hands pulses on if there are at least as many.
    fn give(&mut self, least: usize) -> Result<(), LearnError> {
        if self.pulses.len() < least {
            return Ok(());
        }
        self.report.beams += self.pulses.len() as u64;
        (self.take)(&self.pulses)?;
        self.pulses.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    fn row(pulse: u64, number: u8, range_m: f32, label: u16) -> Record {
        Record {
            pulse,
            return_number: number,
            return_count: 2,
            range_m,
            intensity: 0.5,
            label,
            origin_xyz_m: [0.0; 3],
            direction_xyz: [1.0, 0.0, 0.0],
            ..Record::miss()
        }
    }

    fn gathered(options: BeamOptions) -> (Pulses, ReadingReport) {
        let mut records = Records::default();
        records.push(row(0, 2, 7.0, 72));
        records.push(row(0, 1, 3.0, 70));
        records.push(row(1, 0, f32::NAN, 0));
        records.push(row(2, 1, 0.2, 71));
        records.push(row(3, 1, 4.0, 1));
        let source = RecordedPulses::of_records(vec![Arc::new(records)], options);
        let mut all = Pulses::default();
        let mut take = |pulses: &Pulses| {
            all = pulses.clone();
            Ok(())
        };
        source.pass(&mut take).unwrap();
        (all, source.report())
    }

    #[test]
    fn pulses_have_all_their_returns_by_rising_range() {
        let (pulses, report) = gathered(BeamOptions::default());
        let met = |pulse: usize| -> Vec<(f32, Met)> {
            pulses.returns_of(pulse).iter().map(|r| (r.range_m, r.met)).collect()
        };
        assert_eq!(pulses.len(), 4);
        assert_eq!(met(0), [(3.0, Met::Plant), (7.0, Met::Ground)]);
        assert_eq!((met(1), met(2)), (vec![], vec![(0.2, Met::Wood)]));
        // An outlier met nothing, but its pulse was fired.
        assert_eq!(met(3), []);
        assert_eq!((report.beams, report.misses), (4, 2));
    }

    #[test]
    fn ranges_are_kept_to() {
        let options = BeamOptions { range_min_m: 1.0, range_max_m: 5.0, ..BeamOptions::default() };
        let (pulses, report) = gathered(options);
        assert_eq!((pulses.len(), pulses.returns_of(0).len()), (3, 1));
        assert_eq!((report.too_near, report.beyond_range), (1, 1));
    }

    #[test]
    fn classes_of_surveyors_say_what_was_met() {
        let met = |class| Met::from_class(class, LasClasses::Labels);
        assert_eq!(
            (met(2), met(5), met(6)),
            (Some(Met::Ground), Some(Met::Plant), Some(Met::Other))
        );
        assert_eq!((met(1), met(7)), (Some(Met::Unknown), None));
    }
}
