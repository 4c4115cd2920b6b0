//! Which pulses are fired, and where the work may be cut.
//!
//! What enters: a run and an interval, or two [`Cut`]s. What leaves: a [`Plan`] of jobs. A cut lies
//! between the pulses of all sensors: at a time for several, between any two pulses of one. So the
//! rows before and behind a cut, one after the other, are the rows of both together, wherever the
//! work is cut and however often.

use std::ops::Range;

use crate::Error;
use crate::pulse::PreparedRun;
use crate::pulse::scan_pattern::ScanPattern;

use super::{JOB_PULSES, RunOptions};

/// A location where a run can be cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// When it is; between cuts of one sensor it is only about right.
    pub time_s: f64,
    /// The first pulse of each sensor behind it.
    pub pulses: Vec<u64>,
}

impl Cut {
    /// The cut at a time.
    pub(super) fn at(run: &PreparedRun, time_s: f64) -> Cut {
        let first = |pattern: &ScanPattern| pattern.first_pulse_at(time_s);
        Cut { time_s, pulses: run.sensors.iter().map(|sensor| first(&sensor.pattern)).collect() }
    }

    /// Whether it is not before `other` for any sensor.
    pub(super) fn is_behind(&self, other: &Cut) -> bool {
        self.pulses.iter().zip(&other.pulses).all(|(mine, other)| mine >= other)
    }

    /// Pulses of all sensors from here to `end`.
    pub(super) fn pulses_until(&self, end: &Cut) -> u64 {
        let pulses = self.pulses.iter().zip(&end.pulses);
        pulses.map(|(&from, &to)| to.saturating_sub(from)).fold(0, u64::saturating_add)
    }

    /// Pulses before it, all sensors together: rises from cut to cut.
    pub(super) fn rank(&self) -> u64 {
        self.pulses.iter().copied().fold(0, u64::saturating_add)
    }
}

/// The pulses between two cuts as jobs of about [`JOB_PULSES`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub from: Cut,
    pub to: Cut,
    pub pulses: u64,
    pub jobs: u64,
}

impl Plan {
    /// The interval that the options ask for.
    pub fn new(run: &PreparedRun, options: &RunOptions) -> Result<Plan, Error> {
        let (from_s, to_s) = options.interval_s.unwrap_or((0.0, run.duration_s));
        if !(0.0 <= from_s && from_s <= to_s && to_s <= run.duration_s && to_s.is_finite()) {
            return Err(Error::Invalid {
                location: "interval".into(),
                problem: format!("{from_s}..{to_s} s is no part of the run"),
                remedy: format!("choose two rising times from 0 to {} s", run.duration_s),
            });
        }
        Ok(Plan::between(Cut::at(run, from_s), Cut::at(run, to_s)))
    }

    /// Everything from one cut to another.
    pub fn between(from: Cut, to: Cut) -> Plan {
        let pulses = from.pulses_until(&to);
        Plan { jobs: u64::div_ceil(pulses, JOB_PULSES), from, to, pulses }
    }

    pub fn seconds(&self) -> f64 {
        self.to.time_s - self.from.time_s
    }

    pub fn sub_rays(&self, run: &PreparedRun) -> u64 {
        let rays = run.sensors.iter().map(|sensor| sensor.footprint.rays_per_pulse() as u64);
        let sub_rays = self.fired_by(run).zip(rays).map(|(fired, rays)| fired.saturating_mul(rays));
        sub_rays.fold(0, u64::saturating_add)
    }

    /// Pulses that are fired, without those on turns.
    pub fn fired(&self, run: &PreparedRun) -> u64 {
        self.fired_by(run).fold(0, u64::saturating_add)
    }

    fn fired_by(&self, run: &PreparedRun) -> impl Iterator<Item = u64> {
        let sensors = run.sensors.iter().enumerate();
        sensors.map(|(i, sensor)| run.fired(sensor, self.range(i)).map(|r| count(&r)).sum())
    }

    fn range(&self, sensor: usize) -> Range<u64> {
        let at = |cut: &Cut| cut.pulses.get(sensor).copied().unwrap_or(0);
        at(&self.from)..at(&self.to)
    }

    /// Where `job` begins: after equal numbers of one sensor, at equal times of several.
    pub fn cut(&self, run: &PreparedRun, job: u64) -> Cut {
        if job == 0 {
            return self.from.clone();
        }
        if job >= self.jobs {
            return self.to.clone();
        }
        let time_s = self.from.time_s + self.seconds() * (job as f64 / self.jobs as f64);
        let mut cut = match &self.from.pulses[..] {
            [first] => Cut { time_s, pulses: vec![first + job * JOB_PULSES] },
            _ => Cut::at(run, time_s),
        };
        for (sensor, pulse) in cut.pulses.iter_mut().enumerate() {
            let whole = self.range(sensor);
            *pulse = (*pulse).max(whole.start).min(whole.end);
        }
        cut
    }
}

fn count(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}
