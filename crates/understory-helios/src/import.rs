//! A survey → scenarios, sensors and the files beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{DMat3, DVec3};

use crate::assets::{Assets, Library, by_id};
use crate::frames::{rotation, vector};
use crate::legs::{Columns, Leg, legs};
use crate::new_file::{NewFile, absolute};
use crate::runs::{Carrier, Motion, Run, along, runs};
use crate::scanner::{Optics, Scanner};
use crate::trajectory::{self, Trajectory};
use crate::write::{scenario, sensor};
use crate::xml::Element;
use crate::{HeliosError, scene};

/// A survey in Understory's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Name of the survey.
    pub name: String,
    /// The files, scenarios first.
    pub files: Vec<NewFile>,
    /// How many of them are scenarios.
    pub scenarios: usize,
    /// What was taken over, in words.
    pub taken_over: Vec<(&'static str, String)>,
    /// What could not be, a sentence each.
    pub not_taken_over: Vec<String>,
}

/// Takes a survey over. `roots` are the folders in which the files that it names are found; none: those
/// in which HELIOS++ itself finds them. `out` is the folder for which the files are meant.
pub fn import(survey: &Path, roots: &[PathBuf], out: &Path) -> Result<Imported, HeliosError> {
    if survey.extension().is_some_and(|end| end == "yaml" || end == "yml") {
        return Err(HeliosError::invalid(
            survey.display().to_string(),
            "surveys as YAML, as HELIOS++ 3 is going to write them, are not read",
            "give the survey as XML",
        ));
    }
    let assets = Assets::new(survey, roots)?;
    let path = survey.canonicalize().map_err(|error| HeliosError::read(survey, error))?;
    let mut library = Library::default();
    library.add(&path)?;
    let wanted = {
        let (path, document) = library.document(&path)?;
        let root = Element { path, node: document.root_element() };
        let survey = the_survey(root)?;
        let at = survey.location();
        let platform = survey.required("platform")?;
        let base = survey.text("basePlatform");
        let named = if platform == "interpolated" { base } else { Some(platform) };
        let scanner = reference(survey.required("scanner")?, &assets, path, &at)?;
        let scene = reference(survey.required("scene")?, &assets, path, &at)?;
        let platform = named.map(|named| reference(named, &assets, path, &at)).transpose()?;
        (scanner, scene, platform)
    };
    let (scanner_at, scene_at, platform_at) = wanted;
    for path in [Some(&scanner_at.0), Some(&scene_at.0), platform_at.as_ref().map(|at| &at.0)] {
        path.map_or(Ok(()), |path| library.add(path))?;
    }
    let (path, document) = library.document(&path)?;
    let root = Element { path, node: document.root_element() };
    let (scanner_path, scanner_document) = library.document(&scanner_at.0)?;
    let scanners = Element { path: scanner_path, node: scanner_document.root_element() };
    let (scene_path, scene_document) = library.document(&scene_at.0)?;
    let scenes = Element { path: scene_path, node: scene_document.root_element() };
    let platforms = platform_at.as_ref().map(|at| library.document(&at.0)).transpose()?;
    let platform = match (&platforms, &platform_at) {
        (Some((path, document)), Some((_, id))) => {
            Some(by_id(Element { path, node: document.root_element() }, "platform", id)?)
        }
        _ => None,
    };
    let work = Work {
        survey: the_survey(root)?,
        root,
        scanner: by_id(scanners, "scanner", &scanner_at.1)?,
        scene: by_id(scenes, "scene", &scene_at.1)?,
        platform,
        assets: &assets,
        out: absolute(out),
        source: survey
            .file_name()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned()),
    };
    work.import()
}

fn the_survey(root: Element<'_>) -> Result<Element<'_>, HeliosError> {
    root.child("survey").ok_or_else(|| {
        HeliosError::invalid(
            root.location(),
            "there is no <survey> in it",
            "give a survey of HELIOS++, not a scene",
        )
    })
}

/// File and id of `FILE#ID`, or of `ID` in the same file.
fn reference(
    text: &str,
    assets: &Assets,
    same: &Path,
    location: &str,
) -> Result<(PathBuf, String), HeliosError> {
    match text.split_once('#') {
        Some((file, id)) if !file.is_empty() => Ok((assets.find(file, location)?, id.to_owned())),
        Some((_, id)) => Ok((same.to_path_buf(), id.to_owned())),
        None => Ok((same.to_path_buf(), text.to_owned())),
    }
}

struct Work<'a> {
    survey: Element<'a>,
    root: Element<'a>,
    scanner: Element<'a>,
    scene: Element<'a>,
    platform: Option<Element<'a>>,
    assets: &'a Assets,
    out: PathBuf,
    source: String,
}

impl Work<'_> {
    fn import(&self) -> Result<Imported, HeliosError> {
        let mut lost = Vec::new();
        let name = self.survey.text("name").unwrap_or("survey").to_owned();
        let stem = file_stem(&name);
        let scanner = self.scanner(&mut lost)?;
        let mut legs = legs(self.survey, self.root)?;
        if let Optics::Rotating { sweep_deg, .. } = scanner.optics {
            for leg in &mut legs {
                leg.scanner = leg.scanner.with_frequencies(2.0 * sweep_deg);
            }
        }
        let interpolated = self.survey.text("platform") == Some("interpolated");
        let trajectories = if interpolated { self.trajectories(&legs)? } else { BTreeMap::new() };
        let mut runs = if interpolated {
            along(&legs, &trajectories, &mut lost)
        } else {
            runs(&legs, self.carrier(&mut lost)?, &mut lost)?
        };
        if runs.is_empty() {
            return Err(HeliosError::invalid(
                self.survey.location(),
                format!(
                    "no leg of this survey fires for any time ({})",
                    lost.last().map_or("", String::as_str)
                ),
                "give a survey with an active leg that ends",
            ));
        }
        let world = scene::world(self.scene, self.assets, &self.out, &mut lost)?;
        if !world.has_ground && runs.iter().any(|run| run.on_ground) {
            lost.push(
                "onGround of legs: nothing in the scene is ground, they stand on z = 0".into(),
            );
            runs.iter_mut().for_each(|run| run.on_ground = false);
        }
        let mount = self.mount()?;
        let seed = self.survey.text("seed").and_then(|text| text.parse().ok()).unwrap_or(1);
        let mut scenarios = Vec::new();
        let mut others = world.files;
        let mut sensor_names = Vec::new();
        for (place, run) in runs.iter().enumerate() {
            let suffix = if place == 0 { String::new() } else { format!("-{}", place + 1) };
            let sensors = sensor::sensors(
                &scanner,
                &run.settings,
                mount,
                &self.survey.location(),
                &mut lost,
            )?;
            let mut rows = Vec::new();
            for (number, sensor) in sensors.iter().enumerate() {
                let beam =
                    if sensors.len() == 1 { String::new() } else { format!("-beam{}", number + 1) };
                let id = file_stem(&scanner.id);
                let mut file = format!("{id}{beam}{suffix}.toml");
                match others.iter().find(|known| known.text == sensor.text) {
                    Some(same) => file.clone_from(&same.name),
                    None => others.push(NewFile { name: file.clone(), text: sensor.text.clone() }),
                }
                rows.push((format!("{id}{beam}"), file, sensor.position_m, sensor.rotation_deg));
            }
            sensor_names.push(rows.len());
            let trajectory = match &run.motion {
                Motion::Trajectory { name, .. } => Some((tum_name(name), trajectories.get(name))),
                Motion::Waypoints(_) => None,
            };
            let scenario_name = format!("{stem}{suffix}");
            let text = scenario::text(&scenario::Parts {
                survey: &name,
                name: &scenario_name,
                source: &self.source,
                seed,
                world: &world.tables,
                run,
                sensors: &rows,
                trajectory: trajectory.as_ref().map(|(file, read)| {
                    (
                        file.as_str(),
                        read.is_some_and(|read| read.poses.iter().all(|pose| pose.2.is_some())),
                    )
                }),
            });
            scenarios.push(NewFile { name: format!("{scenario_name}.toml"), text });
        }
        for (name, trajectory) in &trajectories {
            others.push(NewFile { name: tum_name(name), text: trajectory.to_tum() });
        }
        let taken_over = self.summary(&scanner, &legs, &runs, world.parts);
        lost.sort();
        lost.dedup();
        let count = scenarios.len();
        scenarios.extend(others);
        Ok(Imported { name, files: scenarios, scenarios: count, taken_over, not_taken_over: lost })
    }

    fn scanner(&self, lost: &mut Vec<String>) -> Result<Scanner, HeliosError> {
        let mut scanner = Scanner::of(self.scanner, lost)?;
        if let Some(detector) = self.survey.child("detectorSettings") {
            scanner.accuracy_m = detector.number("accuracy_m")?.unwrap_or(scanner.accuracy_m);
            scanner.range_min_m = detector.number("rangeMin_m")?.unwrap_or(scanner.range_min_m);
            scanner.range_max_m = detector.number("rangeMax_m")?.or(scanner.range_max_m);
            if detector.text("distanceMeasurementError").is_some() {
                lost.push(
                    "distanceMeasurementError, an expression; set [range_error] by hand".into(),
                );
            }
        }
        if let Some(fwf) = self.survey.child("FWFSettings") {
            let quality = fwf.text("beamSampleQuality").and_then(|text| text.parse().ok());
            scanner.sample_quality = quality.unwrap_or(scanner.sample_quality);
            lost.push(
                "FWFSettings but for beamSampleQuality: returns are found without a waveform"
                    .into(),
            );
        }
        Ok(scanner)
    }

    /// How the scanner is mounted: rotation and position in HELIOS++'s frame.
    fn mount(&self) -> Result<(DMat3, DVec3), HeliosError> {
        let own = self.survey.child("scannerMount");
        let mount =
            own.or_else(|| self.platform.and_then(|platform| platform.child("scannerMount")));
        match mount {
            Some(mount) => Ok((rotation(mount)?, vector(mount)?)),
            None => Ok((DMat3::IDENTITY, DVec3::ZERO)),
        }
    }

    fn carrier(&self, lost: &mut Vec<String>) -> Result<Carrier, HeliosError> {
        let Some(platform) = self.platform else { return Ok(Carrier::Standing) };
        for noise in
            platform.node.children().filter(|child| child.tag_name().name().ends_with("Noise"))
        {
            lost.push(format!(
                "<{}> of the platform; [platform.navigation] has errors of poses",
                noise.tag_name().name()
            ));
        }
        let mount = platform.child("scannerMount").map(vector).transpose()?.unwrap_or(DVec3::ZERO);
        let moving = |kind: &str, lost: &mut Vec<String>| {
            if mount.x != 0.0 || mount.y != 0.0 {
                lost.push(
                    "that the scanner's place on the platform does not turn with it: here it does"
                        .into(),
                );
            }
            if kind != "linearpath" {
                lost.push(format!(
                    "the dynamics of the {kind} platform: it goes straight from leg to leg"
                ));
            }
            Carrier::Moving
        };
        match platform.text("type").unwrap_or("static").to_lowercase().as_str() {
            "static" => Ok(Carrier::Standing),
            kind @ ("linearpath" | "groundvehicle" | "multicopter") => Ok(moving(kind, lost)),
            other => Err(HeliosError::invalid(
                platform.location(),
                format!("type = {other:?} is no platform that is known"),
                "write static, linearpath, groundvehicle or multicopter",
            )),
        }
    }

    fn trajectories(&self, legs: &[Leg]) -> Result<BTreeMap<String, Trajectory>, HeliosError> {
        let canonical = self.survey.text("rotationSpec") == Some("CANONICAL");
        let mut found = BTreeMap::new();
        for leg in legs {
            let Some(name) = &leg.platform.trajectory else {
                return Err(HeliosError::invalid(
                    &leg.location,
                    format!("leg {} of an interpolated platform names no trajectory", leg.number),
                    "add trajectory to its platformSettings",
                ));
            };
            if found.contains_key(name) {
                continue;
            }
            let path = self.assets.find(name, &leg.location)?;
            let same = legs.iter().filter(|other| other.platform.trajectory.as_ref() == Some(name));
            let columns = same.fold(leg.columns.clone(), |sum, other| merged(sum, &other.columns));
            found.insert(name.clone(), trajectory::read(&path, &columns, canonical)?);
        }
        Ok(found)
    }

    fn summary(
        &self,
        scanner: &Scanner,
        legs: &[Leg],
        runs: &[Run],
        parts: usize,
    ) -> Vec<(&'static str, String)> {
        let used: usize = runs.iter().map(|run| run.legs.len()).sum();
        let seconds: f64 = runs.iter().map(|run| run.duration_s).sum();
        let platform = self.survey.text("platform").unwrap_or("");
        let beams = match scanner.channels.len() {
            1 => String::new(),
            many => format!(", {many} channels"),
        };
        vec![
            (
                "scanner",
                format!("{} ({}{beams})", scanner.name, self.scanner.text("optics").unwrap_or("")),
            ),
            ("platform", platform.rsplit('#').next().unwrap_or(platform).to_owned()),
            (
                "legs",
                format!(
                    "{used} that fire, of {}, in {} runs of {seconds:.3} s in all",
                    legs.len(),
                    runs.len()
                ),
            ),
            ("scene", format!("{parts} parts")),
        ]
    }
}

fn merged(mut sum: Columns, other: &Columns) -> Columns {
    for (place, of_other) in sum.places.iter_mut().zip(other.places) {
        *place = place.or(of_other);
    }
    sum.separator = sum.separator.or(other.separator);
    sum.degrees = sum.degrees.or(other.degrees);
    sum.positions_only |= other.positions_only;
    sum
}

fn tum_name(trajectory: &str) -> String {
    let stem = Path::new(trajectory)
        .file_stem()
        .map_or("trajectory".into(), |stem| stem.to_string_lossy());
    format!("{}.tum", file_stem(&stem))
}

/// A name that is a file's on every system.
fn file_stem(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let stem: String = name.trim().chars().take(100).map(plain).collect();
    if stem.trim_matches('.').is_empty() { "survey".to_owned() } else { stem }
}
