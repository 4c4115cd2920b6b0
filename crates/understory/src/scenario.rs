//! One TOML file that says everything about a run.
//!
//! What enters: the text of a scenario. What leaves: a [`Scenario`], checked as far as that is
//! possible without reading a mesh; [`Scenario::build_scene`] does the rest. Every error names the
//! file, the line and what to do. `docs/scenario.md` explains every key.

mod air;
mod animated;
mod body;
mod car;
mod crs;
pub mod drive;
mod file;
mod frames;
mod given;
mod given_files;
mod ground;
mod ground_object;
mod labels;
mod material;
mod memory;
mod mesh_asset;
mod motion;
mod motion_output;
pub mod object_tracks;
mod navigation;
mod number;
mod object;
mod object_check;
mod output_names;
pub mod pack;
mod physics;
mod placement;
mod prepare;
mod plant;
mod platform;
mod scatter;
mod site;
mod wind;
mod world;

pub use crate::pulse::Delay;
pub use file::{CollisionRule, DrivePose, MapperName, NoPath, PlannerName};
pub use given::InMemoryAssets;
pub use memory::{PartEstimate, SceneEstimate, default_limit_bytes};

use understory_cloud::{Misses, OutputFormat, SensorDescription};

use crate::Error;
use crate::pulse::atmosphere::Atmosphere;
use crate::scenario::object_tracks::TruthOptions;
use crate::sensor::Sensor;
use crate::world::scene::Scene;
use crate::world::scene::volume::SiteRays;
use crate::world::trajectory::{FlightLines, Navigation, Pose, PosePer, Register, Trajectory};
use crate::world::vegetation_lod::{VegetationLod, VegetationLodReport};
use drive::{DriveSpec, check_drive};
use file::{OutputFile, ScenarioFile, SensorEntry};
use output_names::OutputNames;
use pack::Pack;
use platform::{PathOnGround, Platform, PoseOutputs};
use site::SiteSpec;
use site::Sites;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use understory_base::{Progress, Silent, bounded_file};
use understory_files::hint::word_remedy;
use understory_files::sensor::{preset_location, preset_text};
use understory_files::{FileError, LayeredToml, PresetKind, Reference, Spanned, Step, mend};
use understory_learn::site::Site;
use understory_plants::Sway;
use world::World;

/// The version of the format that this program reads.
const VERSION: u32 = 1;

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
    /// When sensors fire.
    pub lines: FlightLines,
    /// How the platform goes on the ground, if it does: then heights of `trajectory` are above it.
    on_ground: Option<PathOnGround>,
    /// From which pose a pulse is fired.
    pub pose_per: PosePer,
    /// With which pose points get into the world.
    pub register: Register,
    /// What the platform knows its pose by; none: it knows it.
    pub navigation: Option<Navigation>,
    /// A vehicle that finds its own way, where there is one.
    pub drive: Option<DriveSpec>,
    /// Files to write, relative to the folder of the output.
    pub outputs: Vec<PathBuf>,
    /// Files of motion to write, beside the others, and what is to be in them.
    pub motion_outputs: Vec<PathBuf>,
    /// Which objects, how often and for which sensor.
    pub motion_options: TruthOptions,
    /// Whether a picture is wanted.
    pub picture: bool,
    /// Whether clouds of ROS 2 have labels.
    pub ros_labels: bool,
    /// Whether they have colours.
    pub ros_colours: bool,
    /// Whether LAS and LAZ are one file for each flight line.
    pub strips: bool,
    /// Whether the waveforms of sensors that detect in them are written beside LAS and NPY files.
    pub waveforms: bool,
    /// What becomes of pulses without a return in files of points.
    pub misses: Misses,
    /// Whether plants far away are traced as coarser LOD levels of themselves.
    pub vegetation_lod: VegetationLod,
    /// What was measured of `vegetation_lod` before; measured anew where nothing is said.
    pub measured_lod: Option<VegetationLodReport>,
    /// Files of poses to write, relative to the folder of the output.
    pub pose_outputs: Vec<PathBuf>,
    /// Poses per second in them.
    pub pose_rate_hz: f64,
    platform_files: Vec<PathBuf>,
    world: World,
    source: Arc<ScenarioSource>,
    /// The pack from which it was read; its files are there as long as the scenario is.
    pack: Option<Arc<Pack>>,
}

/// The text of a scenario and what it refers to.
#[derive(Debug)]
pub(crate) struct ScenarioSource {
    /// The text.
    pub text: String,
    /// Name of its file.
    pub location: String,
    /// The folder to which the files that it names are relative.
    pub folder: PathBuf,
    /// What it may name besides files.
    pub assets: Arc<InMemoryAssets>,
    /// Files and presets that it and the files it names refer to.
    pub references: Vec<Reference>,
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
    /// When its pattern begins.
    pub delay: Delay,
}

impl MountedSensor {
    /// What writers must know of it, under its name in the scenario.
    pub fn to_description(&self) -> SensorDescription {
        SensorDescription {
            name: self.name.clone(),
            platform_from_sensor: self.platform_from_sensor.to_rows(),
            ..self.sensor.to_description()
        }
    }
}

/// Names and texts of the scenarios that the program carries.
pub fn scenarios() -> &'static [(&'static str, &'static str)] {
    SCENARIOS
}

static SCENARIOS: &[(&str, &str)] = &[
    ("acre", include_str!("../../../scenarios/acre.toml")),
    ("airborne-strip", include_str!("../../../scenarios/airborne-strip.toml")),
    ("courtyard", include_str!("../../../scenarios/courtyard.toml")),
    ("courtyard-drive", include_str!("../../../scenarios/courtyard-drive.toml")),
    ("crossing", include_str!("../../../scenarios/crossing.toml")),
    ("demo", include_str!("../../../scenarios/demo.toml")),
    ("drive", include_str!("../../../scenarios/drive.toml")),
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
    ("hidden-obstacles", include_str!("../../../scenarios/hidden-obstacles.toml")),
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
    ("people-walking", include_str!("../../../scenarios/people-walking.toml")),
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

/// The JSON schema of scenario files.
pub fn schema() -> serde_json::Value {
    understory_files::schema::of::<ScenarioFile>()
}

/// What a scenario has besides its text.
#[derive(Default)]
struct Origin {
    /// What is in memory.
    assets: Arc<InMemoryAssets>,
    /// A seed instead of its own.
    seed: Option<u64>,
    /// The pack that it came in.
    pack: Option<Arc<Pack>>,
}

impl Scenario {
    /// Reads and checks the scenario at `path`; files that it names are relative to its folder.
    ///
    /// A packed scenario is unpacked into a temporary folder, which is removed with the last copy of
    /// the scenario.
    pub fn load(path: &Path) -> Result<Scenario, Error> {
        if pack::is_pack(path) {
            let pack = Arc::new(Pack::open(path)?);
            let (text, location) = (pack.scenario_text()?, pack.scenario_place());
            let folder = pack.folder().to_path_buf();
            let origin = Origin { pack: Some(pack), ..Origin::default() };
            return Scenario::from_toml_with(&text, &location, &folder, origin);
        }
        let text = bounded_file::read_text(path)
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
            let location = format!("scenario {name:?}");
            let problem = "the program carries none of this name";
            Error::invalid(location, problem, word_remedy(name, &names))
        })?;
        Scenario::from_toml(text, &format!("scenarios/{name}.toml"), Path::new(""))
    }

    /// Checks the text of a scenario; `location` names it in errors, and files that it names are
    /// relative to `base_dir`.
    pub fn from_toml(text: &str, location: &str, base_dir: &Path) -> Result<Scenario, Error> {
        Scenario::from_toml_given(text, location, base_dir, Arc::default())
    }

    /// Like [`Scenario::from_toml`], for a text that may also name what `assets` hold, as
    /// `file = "memory:NAME"`.
    pub fn from_toml_given(
        text: &str,
        location: &str,
        base_dir: &Path,
        assets: Arc<InMemoryAssets>,
    ) -> Result<Scenario, Error> {
        let origin = Origin { assets, ..Origin::default() };
        Scenario::from_toml_with(text, location, base_dir, origin)
    }

    /// The same scenario with another seed: its plants grow anew, where they have no seeds of their
    /// own, and everything else is drawn anew.
    pub fn with_seed(&self, seed: u64) -> Result<Scenario, Error> {
        let ScenarioSource { text, location, folder, assets, .. } = &*self.source;
        let origin =
            Origin { assets: Arc::clone(assets), seed: Some(seed), pack: self.pack.clone() };
        Scenario::from_toml_with(text, location, folder, origin)
    }

    fn from_toml_with(
        text: &str,
        location: &str,
        base_dir: &Path,
        origin: Origin,
    ) -> Result<Scenario, Error> {
        let Origin { assets, seed, pack } = origin;
        let mut layers = LayeredToml::in_folder(text, location, base_dir);
        if let Some(pack) = &pack {
            // A pack may come from a stranger: it reads nothing but what it brings along.
            layers = layers.confined_to(pack.folder());
        }
        let mut file: ScenarioFile = layers.parse()?;
        file.seed = seed.unwrap_or(file.seed);
        layers.hint_renamed(&[Step::Key("world")], mend::VEGETATION_LOD);
        let version = *file.version.get_ref();
        if version != VERSION {
            return Err(layers.invalid(
                &file.version.span(),
                format!("version {version} is not known"),
                format!("this program reads version {VERSION}"),
            ));
        }
        let duration_s = file.duration_s.get();
        let world = World::check(&layers, &assets, file.seed, duration_s, &file.world)?;
        let sensors = check_sensors(&layers, location, file.sensor.as_ref(), duration_s)?;
        let waveforms = check_waveforms(&layers, &file.output, &sensors)?;
        let platform = Platform::check(&layers, &file.platform, duration_s)?;
        let has_navigation = platform.navigation.is_some();
        let drive = file.drive.as_ref();
        let drive = drive.map(|file| check_drive(&layers, file, has_navigation)).transpose()?;
        let strips = check_strips(&layers, &file.output, &platform)?;
        let mut names = OutputNames::default();
        let outputs = check_outputs(&layers, &file.output, &mut names)?;
        let is_on_earth = world.geographic_origin.is_some();
        let poses = PoseOutputs::check(&layers, &file.output, duration_s, is_on_earth, &mut names)?;
        let (motion_outputs, motion_options) =
            motion_output::check(&layers, &file.output, &sensors, &mut names)?;
        Ok(Scenario {
            title: file.title,
            seed: file.seed,
            duration_s,
            sensors,
            trajectory: platform.trajectory,
            lines: platform.lines,
            on_ground: platform.on_ground,
            pose_per: file.platform.pose,
            register: platform.register,
            navigation: platform.navigation,
            drive,
            pose_outputs: poses.files,
            pose_rate_hz: poses.rate_hz,
            platform_files: platform.files,
            outputs,
            motion_outputs,
            motion_options,
            picture: file.output.picture.unwrap_or(true),
            ros_labels: file.output.ros_labels,
            ros_colours: file.output.ros_colours,
            strips,
            waveforms,
            misses: match file.output.misses {
                None => Misses::Usual,
                Some(file::MissesFile::Keep) => Misses::Keep,
                Some(file::MissesFile::Drop) => Misses::Drop,
            },
            measured_lod: None,
            vegetation_lod: check_vegetation_lod(&layers, file.world.vegetation_lod.as_ref())?,
            world,
            source: Arc::new(ScenarioSource {
                text: text.to_owned(),
                location: location.to_owned(),
                folder: base_dir.to_owned(),
                assets,
                references: layers.references(),
            }),
            pack,
        })
    }

    /// Where the platform is in the scene that was built from this scenario: on its ground, if it
    /// goes there.
    pub fn path_in(&self, scene: &Scene) -> Result<Trajectory, Error> {
        match &self.on_ground {
            Some(on_ground) => on_ground.path(&self.trajectory, scene),
            None => Ok(self.trajectory.clone()),
        }
    }

    /// Reads the meshes, grows the plants and builds the scene, in full detail.
    pub fn build_scene(&self) -> Result<Scene, Error> {
        self.world.build(&Silent, &[], Sites::Simulate)
    }

    /// Like [`Scenario::build_scene`], for people and other programs to look at: the volumes of
    /// learned sites are ellipsoids.
    pub fn build_scene_to_show(&self) -> Result<Scene, Error> {
        self.world.build(&Silent, &[], Sites::Show)
    }

    /// Like [`Scenario::build_scene`]; `progress` hears what comes next and how much of the work (0…1)
    /// is done.
    ///
    /// Plants have the coarser LOD levels that `vegetation_lod` asks for; which of them are traced is
    /// settled by [`vegetation_lod::settle`](crate::run::vegetation_lod::settle).
    pub fn build_scene_reporting(&self, progress: &dyn Progress) -> Result<Scene, Error> {
        self.world.build(progress, &self.vegetation_lod.details_m(), Sites::Simulate)
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
        self.world.estimate(self.vegetation_lod)
    }

    /// Files that the platform's trajectory was read from.
    pub fn platform_paths(&self) -> impl Iterator<Item = &Path> {
        self.platform_files.iter().map(PathBuf::as_path)
    }

    /// The pack that it was read from, if it was.
    pub fn pack(&self) -> Option<&Pack> {
        self.pack.as_deref()
    }

    /// Its text and all that it refers to.
    pub(crate) fn source(&self) -> &ScenarioSource {
        &self.source
    }

    /// The recorded motion that is replayed instead of computing physics.
    pub fn replayed_motion(&self) -> Option<&Path> {
        self.world.physics.replay.as_deref()
    }

    /// Files that a run writes, relative to the folder of the output.
    pub fn output_files(&self) -> impl Iterator<Item = &Path> {
        let files = self.outputs.iter().chain(&self.pose_outputs).chain(&self.motion_outputs);
        files.map(PathBuf::as_path)
    }

    /// Mesh files that the scene is built from.
    pub fn mesh_paths(&self) -> impl Iterator<Item = &Path> {
        self.world.mesh_paths()
    }
}

fn check_sensors(
    layers: &LayeredToml<'_>,
    location: &str,
    entries: Option<&Spanned<Vec<SensorEntry>>>,
    duration_s: f64,
) -> Result<Vec<MountedSensor>, Error> {
    let entries = entries.map_or(&[][..], |entries| entries.get_ref());
    if entries.is_empty() {
        return Err(Error::invalid(location, "there is no sensor", "add a table [[sensor]]"));
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
        let sensor = match (&entry.preset, &entry.file) {
            (Some(preset), None) => {
                let base_text = preset_text(preset.get_ref()).map_err(|error| match error {
                    FileError::Invalid { remedy, .. } => {
                        let problem = format!("there is no sensor preset {:?}", preset.get_ref());
                        layers.invalid(&preset.span(), problem, remedy)
                    }
                    other => Error::from(other),
                })?;
                layers.note_preset(&preset.span(), PresetKind::Sensor, preset.get_ref(), base_text);
                let base_place = preset_location(preset.get_ref());
                Sensor::from_toml_with_overrides(base_text, &base_place, layers, &path)?
            }
            (None, Some(file)) => {
                let file_path = layers.file(&file.span(), file.get_ref())?;
                let base_text = bounded_file::read_text(&file_path)
                    .map_err(|source| Error::Read { path: file_path.clone(), source })?;
                let base_place = file_path.display().to_string();
                Sensor::from_toml_with_overrides(&base_text, &base_place, layers, &path)?
            }
            _ => {
                let problem = format!("sensor {name:?} has not exactly one of `preset` and `file`");
                return Err(layers.invalid(&entry.name.span(), problem, "give one of them"));
            }
        };
        let (position, rotation) = (entry.position_m.as_ref(), entry.rotation_deg.as_ref());
        let platform_from_sensor = number::pose(position, rotation);
        let delay = platform::check_delay(layers, entry.delay_s.as_ref(), duration_s)?;
        sensors.push(MountedSensor { name: name.clone(), sensor, platform_from_sensor, delay });
    }
    Ok(sensors)
}

fn check_waveforms(
    layers: &LayeredToml<'_>,
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
        OutputFormat::from_name(output.get_ref()).is_some_and(|format| format.info().waveforms)
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

/// Strips need lines.
fn check_strips(
    layers: &LayeredToml<'_>,
    file: &OutputFile,
    platform: &Platform,
) -> Result<bool, Error> {
    let Some(wanted) = file.strips.as_ref().filter(|wanted| *wanted.get_ref()) else {
        return Ok(false);
    };
    let (problem, remedy) = if platform.lines.is_always() {
        (
            "`strips` is true, but the platform has no flight lines",
            "add `active = false` to the waypoints to which it only turns",
        )
    } else if file.waveforms.as_ref().is_some_and(|waveforms| *waveforms.get_ref()) {
        ("`strips` and `waveforms` are true", "keep one of them: strips have no waveforms")
    } else {
        return Ok(true);
    };
    Err(layers.invalid(&wanted.span(), problem, remedy))
}

/// `"off"`, `"auto"` or `{ from_m = … }`.
fn check_vegetation_lod(
    layers: &LayeredToml<'_>,
    value: Option<&Spanned<toml::Value>>,
) -> Result<VegetationLod, Error> {
    let Some(value) = value else { return Ok(VegetationLod::Off) };
    let read = match value.get_ref() {
        toml::Value::String(word) => word.parse(),
        toml::Value::Table(table) if table.len() == 1 && table.contains_key("from_m") => {
            match table.get("from_m").and_then(number::number) {
                Some(from_m) => VegetationLod::from_distance(from_m),
                None => Err("`from_m` is no number".to_owned()),
            }
        }
        other => Err(format!("`vegetation_lod` is {other}")),
    };
    read.map_err(|problem| layers.invalid(&value.span(), problem, VegetationLod::REMEDY))
}

fn check_outputs(
    layers: &LayeredToml<'_>,
    file: &OutputFile,
    names: &mut OutputNames,
) -> Result<Vec<PathBuf>, Error> {
    let mut outputs: Vec<PathBuf> = Vec::new();
    for output in &file.files {
        let path = output.get_ref();
        if OutputFormat::from_name(path).is_none() {
            let problem = format!("{path:?} names no format");
            let remedy = format!("end it in one of {}", OutputFormat::known_suffixes());
            return Err(layers.invalid(&output.span(), problem, remedy));
        }
        outputs.push(names.take(layers, output)?);
    }
    Ok(outputs)
}

#[cfg(test)]
mod mesh_tests;
#[cfg(test)]
mod plant_tests;
#[cfg(test)]
mod platform_tests;
#[cfg(test)]
mod tests;
