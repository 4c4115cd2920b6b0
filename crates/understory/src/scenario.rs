//! One TOML file that says everything about a run.
//!
//! What enters: the text of a scenario. What leaves: a [`Scenario`], checked as far as that is
//! possible without reading a mesh; [`Scenario::build_scene`] does the rest. Every error names the
//! file, the line and what to do. `docs/scenario.md` explains every key.

mod air;
mod body;
mod car;
mod file;
mod ground;
mod ground_object;
mod material;
mod memory;
mod motion;
mod motion_output;
mod number;
mod physics;
mod placement;
mod plant;
mod scatter;
mod site;
mod wind;
mod world;

pub use memory::{PartEstimate, SceneEstimate};

use crate::Error;
use crate::atmosphere::Atmosphere;
use crate::far_plants::FarPlants;
use crate::motion_truth::TruthOptions;
use crate::scene::Scene;
use crate::scene::volume::SiteRays;
use crate::sensor::{Sensor, preset_place, preset_text};
use crate::toml_file::{self, Layers, Step};
use crate::trajectory::{Pose, Trajectory};
use file::{OutputFile, PlatformFile, ScenarioFile, SensorEntry};
use site::SiteSpec;
use site::Sites;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use understory_learn::site::Site;
use understory_plants::Sway;
use world::{ScenarioText, World};

/// The version of the format that this program reads.
const VERSION: u32 = 1;

/// Extensions of the files that a run can write.
const OUTPUTS: [&str; 8] = ["las", "laz", "ply", "pcd", "csv", "npy", "kitti", "evd"];

/// A run, checked and ready.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// One line about it.
    pub title: Option<String>,
    /// Key of all its random numbers.
    pub seed: u64,
    /// How long it lasts.
    pub duration_s: f64,
    /// The sensors, each on its mount.
    pub sensors: Vec<MountedSensor>,
    /// Where the platform is.
    pub trajectory: Trajectory,
    /// Files to write, relative to the folder of the output.
    pub outputs: Vec<PathBuf>,
    /// Files of motion to write, beside the others, and what is to be in them.
    pub motion_outputs: Vec<PathBuf>,
    /// Which objects, how often and for which sensor.
    pub motion_options: TruthOptions,
    /// Whether a picture is wanted.
    pub picture: bool,
    /// Whether the waveforms of sensors that detect in them are written beside LAS and NPY files.
    pub waveforms: bool,
    /// Whether plants far away are traced as coarser versions of themselves.
    pub far_plants: FarPlants,
    world: World,
}

/// A sensor on the platform.
#[derive(Clone, Debug)]
pub struct MountedSensor {
    /// Its name in the scenario.
    pub name: String,
    /// What it is.
    pub sensor: Sensor,
    /// Where it is on the platform.
    pub platform_from_sensor: Pose,
}

/// Names and texts of the scenarios that the program carries.
pub fn scenarios() -> &'static [(&'static str, &'static str)] {
    SCENARIOS
}

static SCENARIOS: &[(&str, &str)] = &[
    ("acre", include_str!("../../../scenarios/acre.toml")),
    ("airborne-strip", include_str!("../../../scenarios/airborne-strip.toml")),
    ("courtyard", include_str!("../../../scenarios/courtyard.toml")),
    ("demo", include_str!("../../../scenarios/demo.toml")),
    ("dust", include_str!("../../../scenarios/dust.toml")),
    ("first-scan", include_str!("../../../scenarios/first-scan.toml")),
    ("fog", include_str!("../../../scenarios/fog.toml")),
    ("forest-plot", include_str!("../../../scenarios/forest-plot.toml")),
    ("forest-trail", include_str!("../../../scenarios/forest-trail.toml")),
    ("grass-stand-100-10mm-20m", include_str!("../../../scenarios/grass-stand-100-10mm-20m.toml")),
    ("grass-stand-100-10mm-30m", include_str!("../../../scenarios/grass-stand-100-10mm-30m.toml")),
    ("grass-stand-100-20mm-20m", include_str!("../../../scenarios/grass-stand-100-20mm-20m.toml")),
    ("grass-stand-100-20mm-30m", include_str!("../../../scenarios/grass-stand-100-20mm-30m.toml")),
    ("grass-stand-50-10mm-20m", include_str!("../../../scenarios/grass-stand-50-10mm-20m.toml")),
    ("grass-stand-50-10mm-30m", include_str!("../../../scenarios/grass-stand-50-10mm-30m.toml")),
    ("grass-stand-50-20mm-20m", include_str!("../../../scenarios/grass-stand-50-20mm-20m.toml")),
    ("grass-stand-50-20mm-30m", include_str!("../../../scenarios/grass-stand-50-20mm-30m.toml")),
    ("line-scanner", include_str!("../../../scenarios/line-scanner.toml")),
    ("low-reflectivity", include_str!("../../../scenarios/low-reflectivity.toml")),
    ("maize-field", include_str!("../../../scenarios/maize-field.toml")),
    ("mirror", include_str!("../../../scenarios/mirror.toml")),
    ("near-collision", include_str!("../../../scenarios/near-collision.toml")),
    ("orchard", include_str!("../../../scenarios/orchard.toml")),
    ("p1-mown-grass", include_str!("../../../scenarios/p1-mown-grass.toml")),
    ("p1-planes", include_str!("../../../scenarios/p1-planes.toml")),
    ("p1-tall-grass", include_str!("../../../scenarios/p1-tall-grass.toml")),
    ("p1-tree-high", include_str!("../../../scenarios/p1-tree-high.toml")),
    ("p1-tree-low", include_str!("../../../scenarios/p1-tree-low.toml")),
    ("p1-tree-medium", include_str!("../../../scenarios/p1-tree-medium.toml")),
    ("plane", include_str!("../../../scenarios/plane.toml")),
    ("rain", include_str!("../../../scenarios/rain.toml")),
    ("rods", include_str!("../../../scenarios/rods.toml")),
    ("rolling-stones", include_str!("../../../scenarios/rolling-stones.toml")),
    ("root-step", include_str!("../../../scenarios/root-step.toml")),
    ("shrub", include_str!("../../../scenarios/shrub.toml")),
    ("snow", include_str!("../../../scenarios/snow.toml")),
    ("tof-camera", include_str!("../../../scenarios/tof-camera.toml")),
    ("tripod-scan", include_str!("../../../scenarios/tripod-scan.toml")),
];

impl Scenario {
    /// Reads and checks the scenario at `path`; files that it names are relative to its folder.
    pub fn load(path: &Path) -> Result<Scenario, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        let base = path.parent().unwrap_or(Path::new(""));
        Scenario::from_toml(&text, &path.display().to_string(), base)
    }

    /// The scenario of this name that the program carries.
    ///
    /// ```
    /// let scenario = understory::scenario::Scenario::embedded("first-scan")?;
    /// assert_eq!(scenario.sensors[0].sensor.pattern.channels(), 16);
    /// # Ok::<(), understory::Error>(())
    /// ```
    pub fn embedded(name: &str) -> Result<Scenario, Error> {
        let found = scenarios().iter().find(|(known, _)| *known == name);
        let (_, text) = found.ok_or_else(|| {
            let names: Vec<&str> = scenarios().iter().map(|(known, _)| *known).collect();
            let place = format!("scenario {name:?}");
            let problem = "the program carries none of this name";
            Error::invalid(place, problem, toml_file::word_remedy(name, &names))
        })?;
        Scenario::from_toml(text, &format!("scenarios/{name}.toml"), Path::new(""))
    }

    /// Checks the text of a scenario; `place` names it in errors, and files that it names are
    /// relative to `base_dir`.
    pub fn from_toml(text: &str, place: &str, base_dir: &Path) -> Result<Scenario, Error> {
        let file: ScenarioFile = toml_file::parse(text, place)?;
        let layers = Layers::new(text, place);
        let version = *file.version.get_ref();
        if version != VERSION {
            return Err(layers.invalid(
                &file.version.span(),
                format!("version {version} is not known"),
                format!("this program reads version {VERSION}"),
            ));
        }
        let duration_s = number::positive(&layers, "duration_s", &file.duration_s)?;
        let source = ScenarioText {
            layers: &layers,
            text,
            place,
            base: base_dir,
            seed: file.seed,
            duration_s,
        };
        let world = World::check(&source, &file.world)?;
        let sensors = check_sensors(&layers, text, place, base_dir, file.sensor.as_ref())?;
        let waveforms = check_waveforms(&layers, &file.output, &sensors)?;
        let (motion_outputs, motion_options) =
            motion_output::check(&layers, &file.output, &sensors)?;
        Ok(Scenario {
            title: file.title,
            seed: file.seed,
            duration_s,
            sensors,
            trajectory: check_platform(&layers, &file.platform)?,
            outputs: check_outputs(&layers, &file.output)?,
            motion_outputs,
            motion_options,
            picture: file.output.picture.unwrap_or(true),
            waveforms,
            far_plants: check_far_plants(&layers, file.world.far_plants.as_ref())?,
            world,
        })
    }

    /// Reads the meshes, grows the plants and builds the scene, in full detail.
    pub fn build_scene(&self) -> Result<Scene, Error> {
        self.world.build(&|_, _| {}, &[], Sites::Simulate)
    }

    /// Like [`Scenario::build_scene`], for people and other programs to look at: the volumes of
    /// learned sites are ellipsoids.
    pub fn build_scene_to_show(&self) -> Result<Scene, Error> {
        self.world.build(&|_, _| {}, &[], Sites::Show)
    }

    /// Like [`Scenario::build_scene`]; `report` hears what comes next and how much of the work (0…1)
    /// is done.
    ///
    /// Plants have the coarser versions that `far_plants` asks for; which of them are traced is
    /// settled by [`far_plants::settle`](crate::far_plants::settle).
    pub fn build_scene_reporting(&self, report: &dyn Fn(&str, f64)) -> Result<Scene, Error> {
        self.world.build(report, &self.far_plants.details_m(), Sites::Simulate)
    }

    /// The same sensors and the same platform in a world of nothing but a learned site.
    pub fn in_site(&self, site: Arc<Site>, rays: SiteRays) -> Scenario {
        let mut scenario = self.clone();
        scenario.world = World::of_site(SiteSpec::given("site", site, rays));
        scenario
    }

    /// The same scenario with its plants moved by the air.
    pub fn swayed(&self, sway: Sway) -> Scenario {
        let mut swayed = self.clone();
        swayed.world.sway = Some(sway);
        swayed
    }

    /// The weather; none: the air is clear.
    pub fn atmosphere(&self) -> Option<&Atmosphere> {
        self.world.atmosphere.as_ref()
    }

    /// How large the scene will be, without building it.
    pub fn estimate(&self) -> SceneEstimate {
        self.world.estimate(self.far_plants)
    }

    /// The recorded motion that is replayed instead of computing physics.
    pub fn replayed_motion(&self) -> Option<&Path> {
        self.world.physics.replay.as_deref()
    }

    /// Mesh files that the scene is built from.
    pub fn mesh_paths(&self) -> impl Iterator<Item = &Path> {
        self.world.mesh_paths()
    }
}

/// Refuses a file that is not there, by the line that names it.
fn check_file(layers: &Layers<'_>, span: &Range<usize>, path: &Path) -> Result<(), Error> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(layers.invalid(
            span,
            format!("{} is no file", path.display()),
            "name a file, not a folder",
        )),
        Err(error) => Err(layers.invalid(
            span,
            format!("{} cannot be read: {error}", path.display()),
            "correct the path, which starts at the scenario's folder, or put the file there",
        )),
    }
}

fn check_sensors(
    layers: &Layers<'_>,
    text: &str,
    place: &str,
    base: &Path,
    entries: Option<&Spanned<Vec<SensorEntry>>>,
) -> Result<Vec<MountedSensor>, Error> {
    let entries = entries.map_or(&[][..], |entries| entries.get_ref());
    if entries.is_empty() {
        return Err(Error::invalid(place, "there is no sensor", "add a table [[sensor]]"));
    }
    let mut sensors: Vec<MountedSensor> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let name = entry.name.get_ref();
        if sensors.iter().any(|known| known.name == *name) {
            let problem = format!("there is another sensor called {name:?}");
            let remedy = "give each a name of its own";
            return Err(layers.invalid(&entry.name.span(), problem, remedy));
        }
        let path = [Step::Key("sensor"), Step::Index(index), Step::Key("override")];
        let (over, path) = match entry.overrides {
            Some(_) => (text, &path[..]),
            None => ("", &[][..]),
        };
        let sensor = match (&entry.preset, &entry.file) {
            (Some(preset), None) => {
                let base_text = preset_text(preset.get_ref()).map_err(|error| match error {
                    Error::Invalid { remedy, .. } => {
                        let problem = format!("there is no sensor preset {:?}", preset.get_ref());
                        layers.invalid(&preset.span(), problem, remedy)
                    }
                    other => other,
                })?;
                let base_place = preset_place(preset.get_ref());
                Sensor::from_toml_with_overrides(base_text, &base_place, over, place, path)?
            }
            (None, Some(file)) => {
                let file_path = base.join(file.get_ref());
                check_file(layers, &file.span(), &file_path)?;
                let base_text = std::fs::read_to_string(&file_path)
                    .map_err(|source| Error::Read { path: file_path.clone(), source })?;
                let base_place = file_path.display().to_string();
                Sensor::from_toml_with_overrides(&base_text, &base_place, over, place, path)?
            }
            _ => {
                let problem = format!("sensor {name:?} has not exactly one of `preset` and `file`");
                return Err(layers.invalid(&entry.name.span(), problem, "give one of them"));
            }
        };
        let (position, rotation) = (entry.position_m.as_ref(), entry.rotation_deg.as_ref());
        let platform_from_sensor = number::pose(layers, position, rotation)?;
        sensors.push(MountedSensor { name: name.clone(), sensor, platform_from_sensor });
    }
    Ok(sensors)
}

fn check_platform(layers: &Layers<'_>, file: &PlatformFile) -> Result<Trajectory, Error> {
    let fixed = file.position_m.as_ref().or(file.rotation_deg.as_ref());
    let Some(waypoints) = &file.waypoints else {
        let pose = number::pose(layers, file.position_m.as_ref(), file.rotation_deg.as_ref())?;
        return Ok(Trajectory::fixed(pose));
    };
    if let Some(fixed) = fixed {
        return Err(layers.invalid(
            &fixed.span(),
            "the platform has `waypoints` and a fixed pose",
            "keep one of them",
        ));
    }
    let mut knots: Vec<(f64, Pose)> = Vec::new();
    for waypoint in waypoints.get_ref() {
        let time = *waypoint.time_s.get_ref();
        if !time.is_finite() || knots.last().is_some_and(|last| last.0 >= time) {
            return Err(layers.invalid(
                &waypoint.time_s.span(),
                format!("`time_s` is {time}, which is not after the waypoint before it"),
                "sort the waypoints by time",
            ));
        }
        let (position, rotation) = (Some(&waypoint.position_m), waypoint.rotation_deg.as_ref());
        knots.push((time, number::pose(layers, position, rotation)?));
    }
    Trajectory::through(knots).ok_or_else(|| {
        layers.invalid(&waypoints.span(), "`waypoints` is empty", "give one or more")
    })
}

fn check_waveforms(
    layers: &Layers<'_>,
    file: &OutputFile,
    sensors: &[MountedSensor],
) -> Result<bool, Error> {
    let Some(wanted) = file.waveforms.as_ref().filter(|wanted| *wanted.get_ref()) else {
        return Ok(false);
    };
    if !sensors.iter().any(|mounted| mounted.sensor.waveform.is_some()) {
        return Err(layers.invalid(
            &wanted.span(),
            "no sensor of this scenario detects in waveforms",
            "set the kind of its [detector] to \"peaks\", \"leading-edge\" or \"constant-fraction\"",
        ));
    }
    let holds = |output: &Spanned<PathBuf>| {
        let extension = output.get_ref().extension().unwrap_or_default();
        extension.eq_ignore_ascii_case("las") || extension.eq_ignore_ascii_case("npy")
    };
    if !file.files.iter().any(holds) {
        return Err(layers.invalid(
            &wanted.span(),
            "no file of this scenario can hold waveforms",
            "add one that ends in .las or .npy to `files`",
        ));
    }
    Ok(true)
}

/// `"off"`, `"auto"` or `{ from_m = … }`.
fn check_far_plants(
    layers: &Layers<'_>,
    value: Option<&Spanned<toml::Value>>,
) -> Result<FarPlants, Error> {
    let Some(value) = value else { return Ok(FarPlants::Off) };
    let read = match value.get_ref() {
        toml::Value::String(word) => word.parse(),
        toml::Value::Table(table) if table.len() == 1 && table.contains_key("from_m") => {
            match table.get("from_m").and_then(number::number) {
                Some(from_m) => FarPlants::from_distance(from_m),
                None => Err("`from_m` is no number".to_owned()),
            }
        }
        other => Err(format!("`far_plants` is {other}")),
    };
    read.map_err(|problem| layers.invalid(&value.span(), problem, FarPlants::REMEDY))
}

fn check_outputs(layers: &Layers<'_>, file: &OutputFile) -> Result<Vec<PathBuf>, Error> {
    let mut outputs: Vec<PathBuf> = Vec::new();
    for output in &file.files {
        let path = output.get_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let folder = path.to_string_lossy().ends_with('/');
        if !folder && !OUTPUTS.contains(&extension.as_str()) {
            let problem = format!("{path:?} names no format");
            let remedy =
                format!("end it in one of .{}, or in / for a KITTI folder", OUTPUTS.join(", ."));
            return Err(layers.invalid(&output.span(), problem, remedy));
        }
        if outputs.contains(path) {
            let problem = format!("{path:?} is written twice");
            return Err(layers.invalid(&output.span(), problem, "name each file once"));
        }
        outputs.push(path.clone());
    }
    Ok(outputs)
}

#[cfg(test)]
mod plant_tests;
#[cfg(test)]
mod tests;
