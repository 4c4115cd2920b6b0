//! Recordings → beams: one beam per pulse, again and again from the files.
//!
//! What enters: recordings of any format that `understory-cloud` reads, which returns count, and
//! what to skip. What leaves: [`Beams`] in the order of the files, with little memory
//! whatever their size, and a [`ReadingReport`] that counts everything that was skipped. Pulses
//! without a return are beams of infinite range; where a format drops them, [`RecoverMisses`] finds them
//! again if it is asked to.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use glam::{DVec3, Vec3};
use understory_cloud::{CloudError, ReadOptions, ReadReport, Recording, Records};

use super::beams::{BeamSource, Beams};
use super::padding::is_padding;
use super::recover_misses::{MissRecovery, RecoverMisses};
use crate::LearnError;

/// Beams that are handed on together.
const BATCH: usize = 1 << 16;

/// Which return of a pulse counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// The nearest: what stopped the first of the light.
    #[default]
    First,
    /// The most intense.
    Strongest,
    /// The farthest.
    Last,
}

/// One recording and what it does not say itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The file or folder.
    pub path: PathBuf,
    /// What it does not say itself.
    pub options: ReadOptions,
}

/// Which beams of the recordings are used.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamOptions {
    /// Which return of a pulse counts.
    pub returns: Returns,
    /// Returns nearer than this are of the platform or of dust: their pulses are skipped.
    pub range_min_m: f64,
    /// Returns from beyond count as none.
    pub range_max_m: f64,
    /// Only what happens in this box, given by its corners, is used.
    pub region: Option<[DVec3; 2]>,
    /// `[k, n]`: only scans whose number leaves k when divided by n; the files are the scans where
    /// they do not number them.
    pub every: Option<[u32; 2]>,
    /// Whether and how pulses without a return are found again.
    pub recover_misses: RecoverMisses,
}

impl Default for BeamOptions {
    fn default() -> BeamOptions {
        BeamOptions {
            returns: Returns::First,
            range_min_m: 0.0,
            range_max_m: f64::INFINITY,
            region: None,
            every: None,
            recover_misses: RecoverMisses::No,
        }
    }
}

/// What was read and what was skipped, over all recordings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadingReport {
    /// Rows of the files.
    pub rows: u64,
    /// Beams that were handed on.
    pub beams: u64,
    /// Of them, without a return.
    pub misses: u64,
    /// Of those, found again.
    pub recovered: u64,
    /// Further returns of pulses of which one was used.
    pub other_returns: u64,
    /// Returns from beyond the largest range, which became misses.
    pub beyond_range: u64,
    /// Pulses skipped: they returned from nearer than the least range.
    pub too_near: u64,
    /// Pulses skipped: they never came into the region.
    pub outside_region: u64,
    /// Returns skipped: neighbours in an organised scan at one and the same place, which only
    /// padding is.
    pub padding: u64,
    /// Pulses skipped: of scans that were not asked for.
    pub other_scans: u64,
    /// Whole recordings skipped: copies of others to the last byte.
    pub duplicated_files: Vec<PathBuf>,
    /// What the files' own reports say.
    pub not_finite: u64,
    /// At the sensor's own position.
    pub at_origin: u64,
    /// Without a return and without a direction.
    pub undirected: u64,
    /// Outside the trajectory's time.
    pub outside_trajectory: u64,
    /// In copies of earlier scans.
    pub duplicated: u64,
    /// How often a clock went back.
    pub clock_steps_back: u64,
    /// By how much at most.
    pub largest_step_back_s: f64,
    /// Other things worth knowing, each a sentence without its full stop.
    pub remarks: Vec<String>,
}

impl ReadingReport {
    /// Everything that was skipped: why, and how many.
    pub fn skipped(&self) -> [(&'static str, u64); 9] {
        [
            ("not finite", self.not_finite),
            ("at the origin", self.at_origin),
            ("without direction", self.undirected),
            ("outside the trajectory", self.outside_trajectory),
            ("in duplicated scans", self.duplicated),
            ("too near", self.too_near),
            ("outside the region", self.outside_region),
            ("of other scans", self.other_scans),
            ("of padding", self.padding),
        ]
    }

    fn add_file(&mut self, read: &ReadReport, recovering: bool) {
        self.rows += read.rows;
        self.not_finite += read.not_finite;
        self.at_origin += read.at_origin;
        self.outside_trajectory += read.outside_trajectory;
        self.duplicated += read.duplicated;
        if !recovering {
            self.undirected += read.undirected;
        }
        self.clock_steps_back += read.clock_steps_back;
        self.largest_step_back_s = self.largest_step_back_s.max(read.largest_step_back_s);
        for remark in &read.remarks {
            if !self.remarks.contains(remark) {
                self.remarks.push(remark.clone());
            }
        }
    }
}

/// Recordings as a source of beams.
#[derive(Debug)]
pub struct RecordingBeams {
    inputs: Vec<Input>,
    options: BeamOptions,
    expected: Option<u64>,
    duplicated_files: Vec<PathBuf>,
    report: Mutex<ReadingReport>,
}

impl RecordingBeams {
    /// Opens recordings and reads their headers; refuses what says nothing about origins.
    pub fn open(inputs: Vec<Input>, options: BeamOptions) -> Result<RecordingBeams, LearnError> {
        let (mut kept, mut duplicated_files) = (Vec::<(Input, Option<u64>)>::new(), Vec::new());
        let mut expected = Some(0u64);
        for mut input in inputs {
            input.options.need_origins = true;
            input.options.undirected_misses = options.recover_misses != RecoverMisses::No;
            let recording = Recording::open(&input.path, &input.options)?;
            options.recover_misses.check(&input.path, &recording.known())?;
            let length = file_bytes(&input.path);
            let mut twin = false;
            for (other, _) in kept.iter().filter(|(_, l)| length.is_some() && *l == length) {
                twin |= other.path == input.path || same_bytes(&other.path, &input.path)?;
            }
            if twin {
                duplicated_files.push(input.path);
                continue;
            }
            expected = expected.zip(recording.rows()).map(|(all, rows)| all + rows);
            kept.push((input, length));
        }
        let inputs = kept.into_iter().map(|(input, _)| input).collect();
        let report = Mutex::default();
        Ok(RecordingBeams { inputs, options, expected, duplicated_files, report })
    }

    /// What the last whole pass read and skipped.
    pub fn report(&self) -> ReadingReport {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn file_bytes(path: &std::path::Path) -> Option<u64> {
    let metadata = std::fs::metadata(path).ok()?;
    metadata.is_file().then_some(metadata.len())
}

/// Whether two files of equal length are the same.
fn same_bytes(a: &std::path::Path, b: &std::path::Path) -> Result<bool, CloudError> {
    let failed =
        |path: &std::path::Path, error| CloudError::Read { path: path.to_path_buf(), error };
    let mut one = File::open(a).map_err(|e| failed(a, e))?;
    let mut other = File::open(b).map_err(|e| failed(b, e))?;
    let (mut first, mut second) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = one.read(&mut first).map_err(|e| failed(a, e))?;
        if read == 0 {
            return Ok(true);
        }
        match other.read_exact(&mut second[..read]) {
            Ok(()) if first[..read] == second[..read] => {}
            _ => return Ok(false),
        }
    }
}

impl BeamSource for RecordingBeams {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let duplicated_files = self.duplicated_files.clone();
        let report = ReadingReport { duplicated_files, ..ReadingReport::default() };
        let mut pass = Pass::new(&self.options, report, take);
        for (number, input) in self.inputs.iter().enumerate() {
            pass.file(number as u32, input)?;
        }
        pass.give(0)?;
        pass.judge_units();
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = pass.report;
        Ok(())
    }

    fn expected(&self) -> Option<u64> {
        self.expected
    }
}

/// Records in memory as a source of beams. What a format dropped cannot be found again here:
/// [`BeamOptions::recover_misses`] is skipped.
#[derive(Debug)]
pub struct RecordsBeams {
    records: Vec<Arc<Records>>,
    options: BeamOptions,
    report: Mutex<ReadingReport>,
}

impl RecordsBeams {
    /// Beams of all `records`, in their order.
    pub fn new(records: Vec<Arc<Records>>, options: BeamOptions) -> RecordsBeams {
        RecordsBeams { records, options, report: Mutex::default() }
    }

    /// What the last whole pass read and skipped.
    pub fn report(&self) -> ReadingReport {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl BeamSource for RecordsBeams {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let mut pass = Pass::new(&self.options, ReadingReport::default(), take);
        for records in &self.records {
            for row in 0..records.len() {
                let scan = records.scan[row];
                if self.options.every.is_some_and(|[k, n]| n > 0 && scan % n != k) {
                    pass.report.other_scans += 1;
                    continue;
                }
                pass.row(records, row);
                pass.give(BATCH)?;
            }
            pass.close_pulse();
            pass.report.rows += records.len() as u64;
        }
        pass.give(0)?;
        pass.judge_units();
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = pass.report;
        Ok(())
    }

    fn expected(&self) -> Option<u64> {
        Some(self.records.iter().map(|records| records.len() as u64).sum())
    }
}

/// The return of a pulse that counts so far.
#[derive(Clone, Copy)]
struct Pulse {
    sensor: u16,
    pulse: u64,
    origin: DVec3,
    direction: Vec3,
    range_m: f32,
    intensity: f32,
    label: u16,
}

struct Pass<'a> {
    options: &'a BeamOptions,
    report: ReadingReport,
    beams: Beams,
    pending: Option<Pulse>,
    /// Returns by the octave of their range, from 2⁻³² m.
    octaves: [u64; 64],
    take: &'a mut dyn FnMut(&Beams) -> Result<(), LearnError>,
}

impl<'a> Pass<'a> {
    fn new(
        options: &'a BeamOptions,
        report: ReadingReport,
        take: &'a mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Pass<'a> {
        let beams = Beams::default();
        Pass { options, report, beams, pending: None, octaves: [0; 64], take }
    }

    fn file(&mut self, number: u32, input: &Input) -> Result<(), LearnError> {
        let mut recovery =
            MissRecovery::prepare(&self.options.recover_misses, &input.path, &input.options)?;
        let mut recording = Recording::open(&input.path, &input.options)?;
        let (numbered, numbered_columns) = (recording.known().scan, recording.known().column);
        let (mut undirected, recovered_before) = (0u64, self.report.recovered);
        let mut batch = Records::default();
        while recording.next_batch(&mut batch)? {
            for row in 0..batch.len() {
                let scan = if numbered { batch.scan[row] } else { number };
                if self.options.every.is_some_and(|[k, n]| n > 0 && scan % n != k) {
                    self.report.other_scans += 1;
                    continue;
                }
                if let Some(recovery) = &mut recovery {
                    recovery.see(&batch, row, &mut |origin, direction| {
                        self.report.recovered += 1;
                        self.miss(origin, direction);
                    })?;
                    if batch.direction_xyz[row][0].is_nan() {
                        undirected += 1;
                        continue;
                    }
                }
                if numbered_columns && is_padding(&batch, row) {
                    self.report.padding += 1;
                    continue;
                }
                self.row(&batch, row);
            }
            self.give(BATCH)?;
        }
        self.close_pulse();
        if let Some(recovery) = &mut recovery {
            recovery.finish(&mut |origin, direction| {
                self.report.recovered += 1;
                self.miss(origin, direction);
            })?;
            self.report.remarks.extend(recovery.remark());
            let recovered = self.report.recovered - recovered_before;
            self.report.undirected += undirected.saturating_sub(recovered);
        }
        self.report.add_file(recording.report(), recovery.is_some());
        Ok(())
    }

    fn row(&mut self, batch: &Records, row: usize) {
        let is_miss = batch.is_miss(row);
        let pulse = Pulse {
            sensor: batch.sensor[row],
            pulse: batch.pulse[row],
            origin: DVec3::from(batch.origin_xyz_m[row]),
            direction: Vec3::from(batch.direction_xyz[row]),
            range_m: if is_miss { f32::INFINITY } else { batch.range_m[row] },
            intensity: batch.intensity[row],
            label: batch.label[row],
        };
        let measured = pulse.range_m.is_finite() && pulse.range_m > 0.0;
        // Readers let no such row through; a program may.
        if !(pulse.origin.is_finite() && pulse.direction.is_finite()) {
            self.report.undirected += 1;
            return;
        }
        if !is_miss && !measured {
            self.report.not_finite += 1;
            return;
        }
        match &mut self.pending {
            Some(before) if before.sensor == pulse.sensor && before.pulse == pulse.pulse => {
                self.report.other_returns += 1;
                let better = match self.options.returns {
                    Returns::First => pulse.range_m < before.range_m,
                    Returns::Strongest => {
                        pulse.intensity > before.intensity || before.range_m.is_infinite()
                    }
                    Returns::Last => {
                        before.range_m.is_infinite()
                            || (pulse.range_m > before.range_m && pulse.range_m.is_finite())
                    }
                };
                if better {
                    *before = pulse;
                }
            }
            _ => {
                self.close_pulse();
                self.pending = Some(pulse);
            }
        }
    }

    fn close_pulse(&mut self) {
        let Some(pulse) = self.pending.take() else { return };
        let Pulse { origin, direction, mut range_m, mut intensity, mut label, .. } = pulse;
        if range_m.is_finite() {
            let octave = (f64::from(range_m).log2().floor() + 32.0).clamp(0.0, 63.0);
            self.octaves[octave as usize] += 1;
        }
        if f64::from(range_m) < self.options.range_min_m {
            self.report.too_near += 1;
            return;
        }
        if range_m.is_finite() && f64::from(range_m) >= self.options.range_max_m {
            self.report.beyond_range += 1;
            (range_m, intensity, label) = (f32::INFINITY, f32::NAN, 0);
        }
        if let Some([low, high]) = &self.options.region {
            let Some([enter, leave]) = in_box(origin, direction.as_dvec3(), *low, *high) else {
                self.report.outside_region += 1;
                return;
            };
            if f64::from(range_m) < enter {
                self.report.outside_region += 1;
                return;
            }
            // It went through the whole region: what it met behind teaches nothing about it.
            if f64::from(range_m) > leave {
                (range_m, intensity, label) = (f32::INFINITY, f32::NAN, 0);
            }
        }
        self.report.misses += u64::from(range_m.is_infinite());
        self.beams.push(origin, direction, range_m, intensity, label);
    }

    /// A pulse without a return that was found again.
    fn miss(&mut self, origin: DVec3, direction: Vec3) {
        let range_m = f32::INFINITY;
        if let Some([low, high]) = &self.options.region
            && in_box(origin, direction.as_dvec3(), *low, *high).is_none()
        {
            self.report.outside_region += 1;
            return;
        }
        self.report.misses += 1;
        self.beams.push(origin, direction, range_m, f32::NAN, 0);
    }

    /// Hands beams on if there are at least as many.
    fn give(&mut self, least: usize) -> Result<(), LearnError> {
        if self.beams.is_empty() || self.beams.len() < least {
            return Ok(());
        }
        self.report.beams += self.beams.len() as u64;
        (self.take)(&self.beams)?;
        self.beams.clear();
        Ok(())
    }

    /// Ranges that no lidar measures have another unit.
    fn judge_units(&mut self) {
        let all: u64 = self.octaves.iter().sum();
        let mut below = 0;
        let median = self.octaves.iter().position(|count| {
            below += count;
            below * 2 > all
        });
        let Some(octave) = median.filter(|_| all >= 20) else { return };
        let range_m = 2f64.powi(octave as i32 - 32);
        if range_m >= 1000.0 || range_m * 2.0 <= 0.125 {
            self.report.remarks.push(format!(
                "half of the ranges are about {range_m:.3} m, which hardly is their unit; see --metres-per-unit"
            ));
        }
    }
}

/// Where a ray enters and leaves a box.
fn in_box(origin: DVec3, direction: DVec3, low: DVec3, high: DVec3) -> Option<[f64; 2]> {
    let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
    for axis in 0..3 {
        let d = direction[axis];
        if d == 0.0 {
            if origin[axis] < low[axis] || origin[axis] > high[axis] {
                return None;
            }
            continue;
        }
        let (a, b) = ((low[axis] - origin[axis]) / d, (high[axis] - origin[axis]) / d);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    (enter < leave).then_some([enter, leave])
}
