//! Deschaud's static experiment (2012, §V) as reality: a target at 8 m before a standing HDL-64E.
//!
//! What enters: the name of one of the six `p1-` scenarios, where the sensor stands, and which
//! revolutions. What leaves: the rows of the pulses in a window of some degrees at the target, with
//! the true footprint, mixed pixels, range noise, quanta and 4000 encoder counts of the scenario;
//! plants are in one of some states of swaying in each revolution.

use std::ops::{Range, RangeInclusive};
use understory_base::math;

use rayon::prelude::*;
use understory_cloud::Records;
use understory_plants::{Random, Sway};

use understory::Error;
use understory::pulse::scan_pattern::Pulses;
use understory::pulse::{Batch, PreparedRun, SensorRun, simulate_batch};
use understory::scenario::Scenario;
use understory::world::trajectory::{Pose, Trajectory};

/// How far the target is.
const DISTANCE_M: f64 = 8.0;
/// Height of the sensor.
const HEIGHT_M: f64 = 1.5;
/// Lasers look up to this far beside the head's direction.
const OFFSET_MAX_DEG: f64 = 9.8;
/// How far plants sway, and about how far apart they do so independently.
const SWAY_SIGMA_M: f64 = 0.004;
const SWAY_WAVELENGTH_M: f64 = 0.2;
/// More than a laser turns between two of its pulses, and than an encoder rounds.
const LASER_STEP_DEG: f64 = 0.4;
/// How far f32 and the encoder's rounding may move an azimuth.
const ROUNDING_DEG: f64 = 0.01;
/// Revolutions that are worked on together.
const TOGETHER: u32 = 64;

/// The six targets in the order of table I: name there, scenario, and the box that holds them.
pub const TARGETS: [(&str, &str, [[f64; 2]; 3]); 6] = [
    ("Plane", "p1-planes", TREE_BOX),
    ("High Density Tree", "p1-tree-high", TREE_BOX),
    ("Medium Density Tree", "p1-tree-medium", TREE_BOX),
    ("Low Density Tree", "p1-tree-low", TREE_BOX),
    ("Tall Grass", "p1-tall-grass", GRASS_BOX),
    ("Short Grass", "p1-mown-grass", GRASS_BOX),
];
const TREE_BOX: [[f64; 2]; 3] = [[6.8, 9.2], [-1.2, 1.2], [0.1, 3.2]];
const GRASS_BOX: [[f64; 2]; 3] = [[8.0, 10.0], [-2.0, 2.0], [-0.1, 1.5]];

/// A target and a sensor before it.
pub struct StandingTarget {
    scenario: Scenario,
    /// One run for each state of swaying; they differ in their scene alone.
    states: Vec<PreparedRun>,
    /// Azimuth of the target's middle.
    middle_deg: f64,
    width_deg: f64,
    /// The only laser that fires, and where the head is when it looks at the middle; none: all do.
    laser: Option<(u16, f64)>,
}

impl StandingTarget {
    /// Prepares a target; the sensor stands `aside_m` to the left of where it looks straight at it.
    pub fn new(
        scenario: &str,
        aside_m: f64,
        width_deg: f64,
        states: u32,
    ) -> Result<StandingTarget, Error> {
        let mut scenario = Scenario::embedded(scenario)?;
        let pose = Pose::from_position_and_rpy_deg([0.0, aside_m, HEIGHT_M], [0.0; 3]);
        scenario.trajectory = Trajectory::fixed(pose);
        let states: Result<Vec<PreparedRun>, Error> = (0..states.max(1))
            .into_par_iter()
            .map(|seed| {
                let sway = Sway {
                    sigma_m: SWAY_SIGMA_M,
                    wavelength_m: SWAY_WAVELENGTH_M,
                    seed: seed.into(),
                };
                scenario.swayed(sway).prepare()
            })
            .collect();
        let middle_deg = -math::atan(aside_m / DISTANCE_M).to_degrees();
        Ok(StandingTarget { scenario, states: states?, middle_deg, width_deg, laser: None })
    }

    /// A scenario without a wind, seen from wherever its platform is, around an azimuth.
    pub fn of(
        scenario: Scenario,
        middle_deg: f64,
        width_deg: f64,
    ) -> Result<StandingTarget, Error> {
        let states = vec![scenario.prepare()?];
        Ok(StandingTarget { scenario, states, middle_deg, width_deg, laser: None })
    }

    /// Lets one laser alone fire, in a window of this width around an azimuth.
    pub fn look_with(&mut self, laser: u16, middle_deg: f64, width_deg: f64) {
        (self.laser, self.middle_deg, self.width_deg) = (None, middle_deg, width_deg);
        let Some(sensor) = self.states.first().and_then(|run| run.sensors.first()) else { return };
        let (mut pulses, mut nearest) = (Pulses::default(), f64::INFINITY);
        sensor.pattern.fill(self.around(sensor, 1), &mut pulses);
        for pulse in (0..pulses.len()).filter(|pulse| pulses.channel[*pulse] == laser) {
            let beside = azimuth_deg(sensor, &pulses, pulse) - middle_deg;
            if beside.abs() < nearest {
                nearest = beside.abs();
                let turns = pulses.time_s[pulse] / sensor.pattern.scan_duration_s();
                self.laser = Some((laser, 360.0 * (1.0 - turns) - beside));
            }
        }
    }

    /// Pulses of a revolution among which those of the window are.
    fn around(&self, sensor: &SensorRun, revolution: u32) -> Range<u64> {
        // The head turns clockwise: to the left of the target comes first.
        let (head_deg, beside_deg) = match self.laser {
            Some((_, head_deg)) => (head_deg, LASER_STEP_DEG),
            None => (self.middle_deg, OFFSET_MAX_DEG),
        };
        let half_deg = self.width_deg / 2.0 + beside_deg;
        let at = |deg: f64| {
            let turns = f64::from(revolution) - deg / 360.0;
            sensor.pattern.first_pulse_at(turns * sensor.pattern.scan_duration_s())
        };
        at(head_deg + half_deg)..at(head_deg - half_deg)
    }

    /// The scenario, without a wind.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Hands over the rows of the given revolutions of the real target, some revolutions at a time,
    /// in order.
    pub fn real(
        &self,
        revolutions: RangeInclusive<u32>,
        seed: u64,
        take: &mut dyn FnMut(&Records) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let states = self.states.len() as u64;
        let state = |revolution: u32| {
            let drawn = Random::new(seed).fork(u64::from(revolution)).next_u64();
            &self.states[(drawn % states) as usize]
        };
        self.fire(revolutions, seed, &state, take)
    }

    /// The same of another world in which the sensor stands at the same place.
    pub fn simulated(
        &self,
        run: &PreparedRun,
        revolutions: RangeInclusive<u32>,
        seed: u64,
        take: &mut dyn FnMut(&Records) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.fire(revolutions, seed, &|_| run, take)
    }

    fn fire<'a>(
        &'a self,
        revolutions: RangeInclusive<u32>,
        seed: u64,
        run_of: &(dyn Fn(u32) -> &'a PreparedRun + Sync),
        take: &mut dyn FnMut(&Records) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut first, last) = (*revolutions.start(), *revolutions.end());
        while first <= last {
            let until = last.min(first.saturating_add(TOGETHER - 1));
            let batches: Vec<Records> = (first..=until)
                .into_par_iter()
                .map_init(Default::default, |scratch, revolution| {
                    self.window(run_of(revolution), revolution, seed, scratch)
                })
                .collect();
            for batch in &batches {
                take(batch)?;
            }
            first = until + 1;
        }
        Ok(())
    }

    /// Rows of one revolution in the window. Pulses beside it are not traced: rows do not depend on
    /// each other.
    fn window(
        &self,
        run: &PreparedRun,
        revolution: u32,
        seed: u64,
        (batch, pulses): &mut (Batch, Pulses),
    ) -> Records {
        let mut all = Records::default();
        let Some(sensor) = run.sensors.first() else { return all };
        let around = self.around(sensor, revolution);
        sensor.pattern.fill(around.clone(), pulses);
        let near_deg = self.width_deg / 2.0 + ROUNDING_DEG;
        let near = |pulse: usize| {
            let beside = azimuth_deg(sensor, pulses, pulse) - self.middle_deg;
            let fires = self.laser.is_none_or(|(laser, _)| laser == pulses.channel[pulse]);
            fires && beside.abs() <= near_deg
        };
        let mut pulse = 0;
        while pulse < pulses.len() {
            let run_length = (pulse..pulses.len()).take_while(|pulse| near(*pulse)).count();
            if run_length > 0 {
                let first = around.start + pulse as u64;
                let together = first..first + run_length as u64;
                simulate_batch(run, sensor, seed, together, batch, &mut all);
            }
            pulse += run_length + 1;
        }
        let mut window = Records::default();
        for row in 0..all.len() {
            let beside = f64::from(all.azimuth_deg[row]) - self.middle_deg;
            let wanted = beside.abs() <= self.width_deg / 2.0 && all.return_number[row] <= 1;
            if let Some(record) = all.get(row).filter(|_| wanted) {
                window.push(record);
            }
        }
        window
    }
}

/// Azimuth that the sensor reports for a pulse.
fn azimuth_deg(sensor: &SensorRun, pulses: &Pulses, pulse: usize) -> f64 {
    let direction = sensor.pattern.reported(pulses, pulse).0;
    math::atan2(direction.y, direction.x).to_degrees()
}
