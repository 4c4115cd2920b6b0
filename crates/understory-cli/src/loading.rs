//! SCENARIO on the command line → a run that is ready to start.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use understory::pulse::PreparedRun;
use understory::run::pose_output::write_poses;
use understory::scenario::{Scenario, default_limit_bytes, scenarios};
use understory::world::vegetation_lod::VegetationLod;
use understory_cloud::OutputFormat;

use crate::lod_cache::LodNote;
use crate::memory::Bytes;
use crate::outputs::{NewFolder, OutputFile, Outputs};
use crate::progress::BuildProgress;
use crate::report::usage;

/// A scenario and the run that it describes.
pub struct Loaded {
    /// The file's name without its ending, or the name of the built-in scenario.
    pub name: String,
    /// What it says.
    pub scenario: Scenario,
    /// What is simulated.
    pub run: PreparedRun,
    /// How long reading and building took.
    pub building_s: f64,
}

/// Reads a scenario by path or name and checks it; reads no mesh yet.
pub fn read_scenario(argument: &str) -> Result<(String, Scenario)> {
    let path = Path::new(argument);
    if path.is_file() {
        let name = path.file_stem().map_or(argument.into(), |stem| stem.to_string_lossy());
        return Ok((name.into_owned(), Scenario::load(path)?));
    }
    let looks_like_a_path = path.components().count() > 1 || path.extension().is_some();
    if looks_like_a_path && !scenarios().iter().any(|(name, _)| *name == argument) {
        return Err(usage(format!(
            "{argument}: there is no such file; check the path, or choose a name from `understory scenarios`"
        )));
    }
    Ok((argument.to_owned(), Scenario::embedded(argument)?))
}

/// Reads a scenario with its meshes and prepares the run, if its scene fits into the memory that it
/// may have.
pub fn load(argument: &str, memory: &MemoryArgument) -> Result<Loaded> {
    load_with(argument, memory, None)
}

/// Like [`load`], with plants far away as `vegetation_lod` says, if it does.
pub fn load_with(
    argument: &str,
    memory: &MemoryArgument,
    vegetation_lod: Option<VegetationLod>,
) -> Result<Loaded> {
    let start = Instant::now();
    let (name, mut scenario) = read_scenario(argument)?;
    scenario.vegetation_lod = vegetation_lod.unwrap_or(scenario.vegetation_lod);
    scenario.estimate().check(memory.limit_bytes())?;
    let shown = BuildProgress::new();
    let note = LodNote::of(&scenario, &name);
    scenario.measured_lod = note.as_ref().and_then(LodNote::read);
    let run = scenario.prepare_reporting(&shown)?;
    if let (Some(note), None, Some(report)) =
        (&note, &scenario.measured_lod, &run.scene.vegetation_lod)
        && report.pulses > 0
    {
        note.write(report);
    }
    Ok(Loaded { name, scenario, run, building_s: start.elapsed().as_secs_f64() })
}

/// How much memory a scene may need.
#[derive(clap::Args, Default)]
pub struct MemoryArgument {
    /// Refuse a scene that needs more memory than this, such as 4GB [default: 80 % of the machine's]
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<Bytes>,
}

impl MemoryArgument {
    /// Refuses a scenario whose scene needs more.
    pub fn check(&self, scenario: &Scenario) -> Result<()> {
        Ok(scenario.estimate().check(self.limit_bytes())?)
    }

    fn limit_bytes(&self) -> u64 {
        self.max_memory.map_or_else(default_limit_bytes, |bytes| bytes.0)
    }
}

impl Loaded {
    /// Draws everything anew that hangs on the seed, if there is another.
    pub fn reseed(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.run.reseed(seed);
        }
    }

    /// What is written where the user has chosen formats, or wants no picture.
    pub fn chosen_outputs(
        &self,
        folder: Option<&Path>,
        formats: &[OutputFormat],
        no_picture: bool,
    ) -> Outputs {
        let mut outputs = self.outputs(folder);
        if !formats.is_empty() {
            outputs.only(&self.name, formats.to_vec());
        }
        outputs.picture = outputs.picture.filter(|_| !no_picture);
        outputs
    }

    /// What the scenario wants written, in `folder` or in `out/NAME`.
    pub fn outputs(&self, folder: Option<&Path>) -> Outputs {
        let folder = folder.map_or_else(|| Path::new("out").join(&self.name), Path::to_path_buf);
        let mut files: Vec<OutputFile> = self
            .scenario
            .outputs
            .iter()
            .filter_map(|file| {
                // The scenario was checked: its names have known endings.
                let format = OutputFormat::from_path(file).ok()?;
                Some(OutputFile { path: folder.join(file), format })
            })
            .collect();
        if files.is_empty() {
            files.push(OutputFile::named(&folder, &self.name, OutputFormat::Laz));
        }
        Outputs {
            files,
            picture: self.scenario.picture.then(|| folder.join(format!("{}.png", self.name))),
            title: self.title(),
            options: self.scenario.sink_options(&self.run),
            folder,
        }
    }

    /// Writes the poses that the scenario wants written; returns the files.
    pub fn write_poses(&self, outputs: &Outputs) -> Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for file in &self.scenario.pose_outputs {
            let path = outputs.folder.join(file);
            NewFolder::create(path.parent().unwrap_or(&outputs.folder))?.keep();
            let origin = outputs.options.geographic_origin.as_ref();
            written.extend(write_poses(&self.run, &path, self.scenario.pose_rate_hz, origin)?);
        }
        Ok(written)
    }

    /// A path beside the other outputs.
    pub fn beside(&self, outputs: &Outputs, ending: &str) -> PathBuf {
        outputs.folder.join(format!("{}.{ending}", self.name))
    }

    fn title(&self) -> String {
        let mut names: Vec<&str> =
            self.scenario.sensors.iter().map(|mounted| mounted.sensor.title.as_str()).collect();
        names.dedup();
        format!("understory: {}, {}", self.name, names.join(" + "))
    }
}
