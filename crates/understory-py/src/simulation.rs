//! A scene that was built, and what is done in it: runs, files, single steps.

use std::path::PathBuf;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, UVec3};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use understory::pulse::PreparedRun;
use understory::run::{RunOptions, RunSummary, pulses, run};
use understory::scenario::object_tracks::{self, TruthOptions};
use understory::scenario::{Scenario as Checked, default_limit_bytes};
use understory::world::scene::query::{CELLS_MAX, SceneHit};
use understory::world::scene::{GroundPoint, Object};
use understory::world::trajectory::{FlightLines, Pose, Trajectory};
use understory_cloud::{
    MemorySink, Misses, MultiSink, OutputFormat, RecordSink, SinkOptions, open_sink,
};
use understory_view::export::export;

use crate::columns::{rows, rows_of_three, to_dict, triples_in_place};
use crate::errors::{argument, cloud, simulator};
use crate::poses::{Poses, told};
use crate::recorder::Recorder;
use crate::scans::Scans;
use crate::scenario::Scenario;
use crate::values::from_json;
use crate::waiting::{Watch, without_interpreter, without_interpreter_or_alone};

/// A scene that was built.
#[pyclass(frozen, module = "understory._native")]
pub struct Simulation {
    scenario: Checked,
    run: PreparedRun,
}

/// A pose row by row, and the lowest and highest corner of a box.
type PlacedBox = ([[f64; 4]; 3], [f64; 3], [f64; 3]);

/// Heights, normals and objects.
type Ground<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<u32>>);

/// Arguments of a run.
#[derive(FromPyObject)]
struct Args {
    seed: Option<u64>,
    threads: Option<usize>,
    interval_s: Option<(f64, f64)>,
}

impl Args {
    fn options(&self, watch: &Watch) -> RunOptions {
        RunOptions {
            threads: self.threads,
            interval_s: self.interval_s,
            keep_waveforms: false,
            cancel: Some(Arc::clone(&watch.stop)),
        }
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        max_memory_bytes: Option<u64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Simulation> {
        let scenario = scenario.checked.clone();
        let limit_bytes = max_memory_bytes.unwrap_or_else(default_limit_bytes);
        scenario.estimate().check(limit_bytes).map_err(simulator)?;
        let built = scenario.clone();
        let run = without_interpreter_or_alone(py, progress, move |watch| {
            built.prepare_reporting(&|what: &str, share: f64| watch.step(what, share))
        })?;
        Ok(Simulation { run: run.map_err(simulator)?, scenario })
    }

    /// Names and semantic classes of the objects, from object 1 on.
    #[getter]
    fn objects(&self) -> Vec<(String, u16)> {
        self.run.scene.objects().iter().map(|object| (object.name.clone(), object.label)).collect()
    }

    /// Names of the materials, from material 1 on.
    #[getter]
    fn materials(&self) -> Vec<String> {
        self.run.scene.materials().iter().map(|material| material.name.clone()).collect()
    }

    /// `world_from_platform` at a time, row by row, on the ground where the scenario asks for that.
    fn platform_pose(&self, time_s: f64) -> [[f64; 4]; 3] {
        self.run.trajectory.pose_at(time_s).to_rows()
    }

    /// Where the objects are at a time: `world_from_object` row by row, and the corners of the box
    /// around each in its own frame.
    fn object_poses(&self, time_s: f64) -> Vec<PlacedBox> {
        let placed = |object: &Object| {
            let (low, high) = object.bounds;
            (object.pose_at(time_s).to_rows(), low.to_array(), high.to_array())
        };
        self.run.scene.objects().iter().map(placed).collect()
    }

    /// Height, upward normal and object of the ground at some places; NaN and 0 where there is none.
    fn ground<'py>(&self, py: Python<'py>, places: &Bound<'py, PyAny>) -> PyResult<Ground<'py>> {
        let places: PyReadonlyArray2<'_, f64> = rows(places, "places")?;
        let places = triples_in_place(&places, "places")?;
        let found: Vec<_> = without_interpreter(py, None, |_| {
            let at = |place: &[f64; 3]| self.run.scene.ground_at(place[0], place[1]);
            places.par_iter().map(at).collect()
        })?;
        let height = |g: &Option<GroundPoint>| g.map_or(f64::NAN, |g| g.height_m);
        let normal = |g: &Option<GroundPoint>| g.map_or([f64::NAN; 3], |g| g.normal.to_array());
        let object = |g: &Option<GroundPoint>| g.map_or(0, |g| g.object);
        Ok((
            found.iter().map(height).collect::<Vec<f64>>().into_pyarray(py),
            rows_of_three(py, found.iter().map(normal).collect())?,
            found.iter().map(object).collect::<Vec<u32>>().into_pyarray(py),
        ))
    }

    /// What rays meet first at a time.
    fn cast_rays<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        range_max_m: f64,
        time_s: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let origins: PyReadonlyArray2<'_, f64> = rows(origins, "origins")?;
        let directions: PyReadonlyArray2<'_, f64> = rows(directions, "directions")?;
        let origins = triples_in_place(&origins, "origins")?;
        let directions = triples_in_place(&directions, "directions")?;
        if origins.len() != directions.len() {
            let (from, along) = (origins.len(), directions.len());
            return Err(argument(format!(
                "there are {along} directions for {from} origins; give as many of both"
            )));
        }
        let found: Vec<Option<SceneHit>> = without_interpreter(py, None, |_| {
            let query = self.run.scene.query(time_s);
            let rays = origins.par_iter().zip(directions);
            let cast = |(from, along): (&[f64; 3], &[f64; 3])| {
                query.cast_ray(DVec3::from(*from), DVec3::from(*along), range_max_m)
            };
            rays.map(cast).collect()
        })?;
        let each = |value: fn(&SceneHit) -> f64| -> Vec<f64> {
            found.iter().map(|hit| hit.as_ref().map_or(f64::NAN, value)).collect()
        };
        let number = |value: fn(&SceneHit) -> u32| -> Vec<u32> {
            found.iter().map(|hit| hit.as_ref().map_or(0, value)).collect()
        };
        let normal =
            |hit: &Option<SceneHit>| hit.map_or([f64::NAN; 3], |hit| hit.normal.to_array());
        let dict = PyDict::new(py);
        dict.set_item("distance_m", each(|hit| hit.distance_m).into_pyarray(py))?;
        dict.set_item("object", number(|hit| hit.surface.object).into_pyarray(py))?;
        dict.set_item("material", number(|hit| hit.surface.material.into()).into_pyarray(py))?;
        dict.set_item("label", number(|hit| hit.surface.label.into()).into_pyarray(py))?;
        dict.set_item("normal", rows_of_three(py, found.iter().map(normal).collect())?)?;
        Ok(dict)
    }

    /// Which cells of a grid hold a surface, z fastest.
    fn occupancy<'py>(
        &self,
        py: Python<'py>,
        low_m: [f64; 3],
        cell_m: f64,
        cells: [u32; 3],
        rays: u32,
        time_s: f64,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let count = cells.iter().map(|&n| u64::from(n)).product::<u64>();
        let traced = count.saturating_mul(u64::from(rays) * u64::from(rays));
        if count > CELLS_MAX || traced > 8 * CELLS_MAX {
            return Err(argument(format!(
                "the grid has {count} cells; make them larger, or their number at most {CELLS_MAX}"
            )));
        }
        let occupied = without_interpreter(py, None, |_| {
            let query = self.run.scene.query(time_s);
            query.occupancy(DVec3::from(low_m), cell_m, UVec3::from(cells), rays)
        })?;
        Ok(occupied.into_pyarray(py))
    }

    /// How many pulses a run fires.
    fn pulses(&self, args: Args) -> PyResult<u64> {
        let options = args.options(&Watch::default());
        pulses(&self.run, &options).map_err(simulator)
    }

    /// All rows of a run, what it did, and the poses that belong to them.
    fn run<'py>(
        &self,
        py: Python<'py>,
        args: Args,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyAny>, Poses)> {
        let prepared = self.seeded(args.seed);
        let memory = MemorySink::default();
        let done = without_interpreter(py, progress, |watch| {
            run(&prepared, &args.options(watch), Box::new(memory.clone()), watch)
        })?;
        let (summary, _) = done.map_err(simulator)?;
        Ok((to_dict(py, memory.take_records())?, summary_dict(py, &summary)?, told(&memory)))
    }

    /// A run into files, without keeping it in memory.
    #[allow(clippy::too_many_arguments)]
    fn write<'py>(
        &self,
        py: Python<'py>,
        paths: Vec<PathBuf>,
        formats: Vec<Option<String>>,
        keep_misses: Option<bool>,
        args: Args,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let prepared = self.seeded(args.seed);
        let (sinks, options) = self.sinks(&prepared, &paths, &formats, keep_misses)?;
        let done = without_interpreter(py, progress, |watch| {
            let options =
                RunOptions { keep_waveforms: !options.waveforms.is_empty(), ..args.options(watch) };
            run(&prepared, &options, Box::new(MultiSink::new(sinks)), watch)
        })?;
        let (summary, report) = done.map_err(simulator)?;
        let summary = summary_dict(py, &summary)?;
        summary.set_item("files", report.paths)?;
        summary.set_item("dropped_fields", report.dropped_fields)?;
        Ok(summary)
    }

    /// Where objects are, when and how fast, as a file.
    fn write_motion(
        &self,
        py: Python<'_>,
        path: PathBuf,
        objects: Vec<String>,
        interval_s: Option<(f64, f64)>,
        rate_hz: Option<f64>,
        sensor: Option<String>,
    ) -> PyResult<PathBuf> {
        let options = TruthOptions { objects, interval_s, rate_hz, sensor };
        let write = || object_tracks::write(&path, &self.scenario, &self.run.scene, &options);
        py.detach(write).map_err(simulator)
    }

    /// The world as glTF or OBJ; gives the files and what is to be added to their coordinates.
    fn export(&self, py: Python<'_>, path: PathBuf) -> PyResult<(Vec<PathBuf>, [f64; 3])> {
        let done = py.detach(|| export(&self.run.scene, &path, false)).map_err(simulator)?;
        Ok((done.paths, done.offset_m.to_array()))
    }

    /// The scans of a run, one after another while it goes on.
    fn scans(&self, args: Args) -> PyResult<Scans> {
        let options = args.options(&Watch::default());
        let prepared = self.seeded(args.seed);
        pulses(&prepared, &options).map_err(simulator)?;
        Scans::start(prepared, options).map_err(simulator)
    }

    /// Files that steps can be written into.
    fn recorder(
        &self,
        paths: Vec<PathBuf>,
        formats: Vec<Option<String>>,
        keep_misses: Option<bool>,
    ) -> PyResult<Recorder> {
        let (sinks, _) = self.sinks(&self.run, &paths, &formats, keep_misses)?;
        Ok(Recorder::new(Box::new(MultiSink::new(sinks))))
    }

    /// Rows of what is fired from `from_s` to `to_s` while the platform goes through timed poses,
    /// and the poses that belong to them; also into the files of a recorder.
    fn step<'py>(
        &self,
        py: Python<'py>,
        times_s: Vec<f64>,
        poses: Vec<[[f64; 4]; 3]>,
        args: Args,
        recorder: Option<&Recorder>,
    ) -> PyResult<(Bound<'py, PyDict>, Poses)> {
        if self.scenario.navigation.is_some() {
            return Err(argument(
                "the platform believes its pose by a navigation, which needs the whole drive; \
                 remove [platform.navigation] and add errors of poses yourself",
            ));
        }
        let knots = times_s.iter().copied().zip(poses.iter().map(pose)).collect();
        let trajectory = Trajectory::through(knots).ok_or_else(|| {
            argument("the times of the poses do not rise; give each step a time above 0")
        })?;
        let mut prepared = self.seeded(args.seed);
        prepared.trajectory = trajectory;
        // Whoever drives decides when to look.
        prepared.lines = FlightLines::default();
        let memory = MemorySink::default();
        let mut sinks: Vec<Box<dyn RecordSink>> = vec![Box::new(memory.clone())];
        if let Some(recorder) = recorder {
            sinks.push(recorder.step()?);
        }
        let done = without_interpreter(py, None, |watch| {
            run(&prepared, &args.options(watch), Box::new(MultiSink::new(sinks)), watch)
        })?;
        done.map_err(simulator)?;
        Ok((to_dict(py, memory.take_records())?, told(&memory)))
    }
}

impl Simulation {
    /// Opens files for what `run` makes, and says how.
    fn sinks(
        &self,
        run: &PreparedRun,
        paths: &[PathBuf],
        formats: &[Option<String>],
        keep_misses: Option<bool>,
    ) -> PyResult<(Vec<Box<dyn RecordSink>>, SinkOptions)> {
        let mut options = self.scenario.sink_options(run);
        if let Some(keep) = keep_misses {
            options.misses = if keep { Misses::Keep } else { Misses::Drop };
        }
        let mut sinks: Vec<Box<dyn RecordSink>> = Vec::with_capacity(paths.len());
        for (path, format) in paths.iter().zip(formats) {
            let format = match format {
                Some(name) => name.parse::<OutputFormat>(),
                None => OutputFormat::from_path(path),
            };
            sinks.push(open_sink(path, format.map_err(cloud)?, &options).map_err(cloud)?);
        }
        Ok((sinks, options))
    }

    /// The run with everything drawn by this seed; copies share the scene.
    fn seeded(&self, seed: Option<u64>) -> PreparedRun {
        let mut run = self.run.clone();
        if let Some(seed) = seed {
            run.reseed(seed);
        }
        run
    }
}

/// What a run did, as a dict.
fn summary_dict<'py>(py: Python<'py>, summary: &RunSummary) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(summary).unwrap_or_default();
    from_json(py, &value)
}

/// A pose from its rows, turned into a true rotation.
fn pose(rows: &[[f64; 4]; 3]) -> Pose {
    let [x, y, z] = *rows;
    let rotation = DMat3::from_cols(
        DVec3::new(x[0], y[0], z[0]),
        DVec3::new(x[1], y[1], z[1]),
        DVec3::new(x[2], y[2], z[2]),
    );
    Pose {
        rotation: DQuat::from_mat3(&rotation).normalize(),
        translation: DVec3::new(x[3], y[3], z[3]),
    }
}
