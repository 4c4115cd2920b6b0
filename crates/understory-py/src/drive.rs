//! A robot in the loop: a vehicle that is stepped from Python, or drives on its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use understory::pulse::PreparedRun;
use understory::scenario::{Scenario as Checked, default_limit_bytes};
use understory_drive::experiment::{mapper_named, sensor_named, with_sensor};
use understory_drive::follower::follow;
use understory_drive::path::Path;
use understory_drive::picture::MapPicture;
use understory_drive::{Command, Drive as Driven, DriveOptions, Situation};

use crate::columns::to_dict;
use crate::errors::simulator;
use crate::scenario::Scenario;
use crate::values::from_json;
use crate::waiting::{without_interpreter, without_interpreter_or_alone};

/// Rotation and translation, row by row.
type Rows = [[f64; 4]; 3];

/// A vehicle in its world.
#[pyclass(frozen, module = "understory._native")]
pub struct Drive {
    scenario: Checked,
    run: PreparedRun,
    options: DriveOptions,
    driven: Mutex<Driven>,
}

impl Drive {
    fn lock(&self) -> MutexGuard<'_, Driven> {
        self.driven.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stepped(
        &self,
        py: Python<'_>,
        control: &mut (dyn FnMut(&Situation<'_>) -> Command + Send),
    ) -> PyResult<()> {
        without_interpreter(py, None, |_| self.lock().step(control))?.map_err(simulator)
    }
}

#[pymethods]
impl Drive {
    #[new]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        sensor: Option<&str>,
        mapper: Option<&str>,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Drive> {
        let scenario = scenario.checked.clone();
        scenario.estimate().check(default_limit_bytes()).map_err(simulator)?;
        let mapper = mapper.map(mapper_named).transpose().map_err(simulator)?;
        let sensor = sensor.map(|name| sensor_named(&scenario, name)).transpose();
        let sensor = sensor.map_err(simulator)?;
        let options = DriveOptions { threads, mapper, keep_frames: false };
        let (built, wanted) = (scenario.clone(), options.clone());
        let made = without_interpreter_or_alone(py, progress, move |watch| {
            let run = built.prepare_reporting(&|what: &str, share: f64| watch.step(what, share))?;
            let run = match &sensor {
                Some(sensor) => with_sensor(&built, &run, sensor),
                None => run,
            };
            let driven = Driven::new(&built, run.clone(), wanted)?;
            Ok((run, driven))
        })?;
        let (run, driven) = made.map_err(simulator)?;
        Ok(Drive { scenario, run, options, driven: Mutex::new(driven) })
    }

    /// Back to the start, with everything drawn by this seed.
    fn reset(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        let mut run = self.run.clone();
        if let Some(seed) = seed {
            run.reseed(seed);
        }
        let options = self.options.clone();
        let made = without_interpreter(py, None, |_| Driven::new(&self.scenario, run, options))?;
        *self.lock() = made.map_err(simulator)?;
        Ok(())
    }

    /// One period with one command.
    fn step(&self, py: Python<'_>, speed_m_s: f64, turn_rad_s: f64) -> PyResult<()> {
        self.stepped(py, &mut |_| Command::new(speed_m_s, turn_rad_s))
    }

    /// One period towards a place.
    fn step_to(&self, py: Python<'_>, at_m: [f64; 2]) -> PyResult<()> {
        let (spec, lookahead_m) = {
            let driven = self.lock();
            (driven.spec.vehicle.clone(), driven.spec.planner.lookahead_m)
        };
        self.stepped(py, &mut |now: &Situation<'_>| {
            let path = Path { points_m: vec![now.at_m, at_m] };
            follow(&path, &spec, lookahead_m, now.at_m, now.heading_rad)
        })
    }

    /// One period by its own planner.
    fn step_planned(&self, py: Python<'_>) -> PyResult<()> {
        without_interpreter(py, None, |_| self.lock().step_planned())?.map_err(simulator)
    }

    /// Drives on its own until it is over; how it went.
    fn go<'py>(
        &self,
        py: Python<'py>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let done = without_interpreter(py, progress, |watch| {
            let mut driven = self.lock();
            let way_m = driven.metrics().nearest_m.max(1e-9);
            while driven.outcome().is_none() && !watch.stopped() {
                driven.step_planned()?;
                watch.step("driving", 1.0 - driven.metrics().nearest_m / way_m);
            }
            Ok(())
        })?;
        done.map_err(simulator)?;
        self.metrics(py)
    }

    /// How it went until now.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = serde_json::to_value(self.lock().metrics()).unwrap_or_default();
        from_json(py, &value)
    }

    /// How it ended; none while it goes on.
    #[getter]
    fn outcome(&self) -> Option<String> {
        self.lock().outcome().map(|outcome| outcome.words().replace(' ', "-"))
    }

    /// Time; known and true pose; speed ahead and rate of turning.
    fn state(&self) -> (f64, Rows, Rows, f64, f64) {
        let driven = self.lock();
        let now = driven.situation();
        let truth = driven.vehicle.pose.to_rows();
        (now.time_s, now.known.to_rows(), truth, now.moving.speed_m_s, now.moving.turn_rad_s)
    }

    /// Place of the goal, its radius, top speed, fastest turn, and the time of a period.
    fn task(&self) -> ([f64; 2], f64, f64, f64, f64) {
        let driven = self.lock();
        let (spec, vehicle) = (&driven.spec, &driven.spec.vehicle);
        let radius_m = spec.goal_radius_m;
        (spec.goal_m, radius_m, vehicle.speed_max_m_s, vehicle.turn_max_rad_s, spec.period_s)
    }

    /// South-west corner of the map, edge of a cell, and cells along a side.
    fn grid(&self) -> ([f64; 2], f64, usize) {
        let grid = self.lock().map.grid;
        (grid.low_m, grid.cell_m, grid.side)
    }

    /// Costs of all cells, row by row from the south-west; NaN: unknown.
    fn costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.lock().map.costs.clone().into_pyarray(py)
    }

    /// The same of the true map.
    fn true_costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.lock().truth.costs.clone().into_pyarray(py)
    }

    /// Places of the plan, and of the best way on the true map.
    fn paths(&self) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
        let driven = self.lock();
        let plan = driven.plan.as_ref().map(|plan| plan.path.points_m.clone());
        let best = driven.best.as_ref().map(|best| best.points_m.clone());
        (plan.unwrap_or_default(), best.unwrap_or_default())
    }

    /// Rows of the last period.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = self.lock().seen.clone();
        to_dict(py, rows)
    }

    /// Lasers of the first sensor.
    #[getter]
    fn channels(&self) -> usize {
        self.run.sensors.first().map_or(0, |sensor| sensor.pattern.channels())
    }

    /// A picture of the map: width, height, and red, green and blue row by row.
    fn picture<'py>(&self, py: Python<'py>) -> (u32, u32, Bound<'py, PyArray1<u8>>) {
        let picture = MapPicture::of(&self.lock(), 1);
        (picture.size[0], picture.size[1], picture.rgb.into_pyarray(py))
    }
}
