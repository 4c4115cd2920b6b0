//! Rows → beams, one per pulse: the return that counts, within the ranges and the region asked for.

use std::cell::Cell;

use glam::{DVec3, Vec3};
use understory_base::Pose;
use understory_base::math;
use understory_cloud::{Recording, Records};

use super::beams::Beams;
use super::options::{BeamOptions, Input, Returns};
use super::padding::is_padding;
use super::recover_misses::MissRecovery;
use super::report::ReadingReport;
use crate::LearnError;
use crate::scan_motion::ScanMotion;

/// Beams that are handed on together.
pub(super) const BATCH: usize = 1 << 16;

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

pub(super) struct Pass<'a> {
    options: &'a BeamOptions,
    pub report: ReadingReport,
    beams: Beams,
    pending: Option<Pulse>,
    /// Returns by the octave of their range, from 2⁻³² m.
    octaves: [u64; 64],
    /// Pose of the scan that is read, and how the sensor moved during it.
    motion: Option<(Pose, ScanMotion)>,
    /// Where the number of the scan goes that is handed on, if scans are handed on one by one.
    pub by_scan: Option<&'a Cell<u32>>,
    take: &'a mut dyn FnMut(&Beams) -> Result<(), LearnError>,
}

impl<'a> Pass<'a> {
    pub fn new(
        options: &'a BeamOptions,
        report: ReadingReport,
        take: &'a mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Pass<'a> {
        let beams = Beams::default();
        let octaves = [0; 64];
        Pass { options, report, beams, pending: None, octaves, motion: None, by_scan: None, take }
    }

    pub fn file(&mut self, number: u32, input: &Input) -> Result<(), LearnError> {
        let mut recovery =
            MissRecovery::prepare(&self.options.recover_misses, &input.path, &input.options)?;
        let mut recording = Recording::open(&input.path, &input.options)?;
        self.motion = input.pose().zip(input.motion);
        let (numbered, numbered_columns) = (recording.known().scan, recording.known().column);
        let (mut undirected, recovered_before) = (0u64, self.report.recovered);
        let mut batch = Records::default();
        while recording.next_batch(&mut batch)? {
            for row in 0..batch.len() {
                let scan = if numbered { batch.scan[row] } else { number };
                if !self.options.asks_for(scan) {
                    self.report.other_scans += 1;
                    continue;
                }
                if let Some(recovery) = &mut recovery {
                    recovery.see(&batch, row, &mut |origin, direction| {
                        self.report.recovered += 1;
                        self.miss(origin, direction);
                    })?;
                    self.begin_scan(scan)?;
                    if batch.direction_xyz[row][0].is_nan() {
                        undirected += 1;
                        continue;
                    }
                }
                self.begin_scan(scan)?;
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
            self.report.lost_gaps += recovery.lost();
            let recovered = self.report.recovered - recovered_before;
            self.report.undirected += undirected.saturating_sub(recovered);
        }
        self.motion = None;
        self.report.add_file(recording.report(), recovery.is_some());
        Ok(())
    }

    /// Hands on the scan before, if scans are handed on one by one.
    fn begin_scan(&mut self, scan: u32) -> Result<(), LearnError> {
        let Some(now) = self.by_scan.filter(|now| now.get() != scan) else { return Ok(()) };
        self.close_pulse();
        self.give(1)?;
        now.set(scan);
        Ok(())
    }

    pub fn row(&mut self, batch: &Records, row: usize) {
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

    pub fn close_pulse(&mut self) {
        let Some(pulse) = self.pending.take() else { return };
        let Pulse { mut range_m, mut intensity, mut label, .. } = pulse;
        let (origin, direction) = self.deskewed(pulse.origin, pulse.direction);
        if range_m.is_finite() {
            let octave = (math::log2(f64::from(range_m)).floor() + 32.0).clamp(0.0, 63.0);
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

    fn deskewed(&self, origin: DVec3, direction: Vec3) -> (DVec3, Vec3) {
        match &self.motion {
            Some((pose, motion)) => motion.deskew(pose, origin, direction),
            None => (origin, direction),
        }
    }

    /// A pulse without a return that was found again.
    fn miss(&mut self, origin: DVec3, direction: Vec3) {
        let (origin, direction) = self.deskewed(origin, direction);
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
    pub fn give(&mut self, least: usize) -> Result<(), LearnError> {
        if self.beams.is_empty() || self.beams.len() < least {
            return Ok(());
        }
        self.report.beams += self.beams.len() as u64;
        (self.take)(&self.beams)?;
        self.beams.clear();
        Ok(())
    }

    /// Ranges that no lidar measures have another unit.
    pub fn judge_units(&mut self) {
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
