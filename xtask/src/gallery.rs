//! `cargo xtask gallery`: a camera picture of every scenario, scans of some, and `docs/gallery.md`.
//!
//! Pictures are drawn by the program itself at twice their size, halved, and written with as few
//! colours as make them small.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, root, run, target_dir};
use crate::small_picture::shrink;

/// Width and most bytes of a picture.
const WIDTH: u32 = 480;
const MOST_BYTES: usize = 60_000;

/// Which pictures to make.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only the pictures of these scenarios
    #[arg(value_name = "SCENARIO")]
    only: Vec<String>,
}

/// What is shown of a scenario.
struct Entry {
    scenario: &'static str,
    /// Camera, what it looks at, and its field of view.
    camera: &'static str,
    look_at: &'static str,
    fov_deg: &'static str,
    /// Azimuth and elevation.
    sun_deg: &'static str,
    /// When the camera looks.
    time_s: &'static str,
    scans: &'static [Scan],
}

/// Whose scan is shown.
enum Scan {
    AllSensors,
    /// The sensor of this number alone, and its name.
    Sensor(usize, &'static str),
}

const fn entry(
    scenario: &'static str,
    camera: &'static str,
    look_at: &'static str,
    fov_deg: &'static str,
    scans: &'static [Scan],
) -> Entry {
    Entry { scenario, camera, look_at, fov_deg, sun_deg: "-125,42", time_s: "0", scans }
}

/// The step and its root are seen by their shade.
const ROOT_STEP: Entry = Entry {
    scenario: "root-step",
    camera: "0.0,-1.5,1.7",
    look_at: "4.6,0.2,0.4",
    fov_deg: "55",
    sun_deg: "-60,35",
    time_s: "0",
    scans: &[Scan::Sensor(0, "hdl-32e"), Scan::Sensor(1, "vlp-16")],
};

/// As the cars pass each other.
const NEAR_COLLISION: Entry = Entry {
    scenario: "near-collision",
    camera: "-4,-5,4",
    look_at: "15,4,0.3",
    fov_deg: "45",
    sun_deg: "-125,42",
    time_s: "1.8",
    scans: &[
        Scan::Sensor(0, "hdl-64e-s2"),
        Scan::Sensor(1, "ibeo-lux"),
        Scan::Sensor(2, "tof-camera"),
    ],
};

const SCAN: &[Scan] = &[Scan::AllSensors];

/// In the order of the page.
const ENTRIES: &[Entry] = &[
    entry("demo", "-19,1.5,8", "8,1,0", "50", SCAN),
    entry("first-scan", "-3.3,-2.4,2.3", "2,0.5,0.6", "60", SCAN),
    entry("courtyard", "-9,-6,2.2", "20,4,2.2", "50", SCAN),
    ROOT_STEP,
    entry("forest-trail", "-22,1.0,2.6", "-6,3.4,2.4", "55", SCAN),
    entry("drive", "-17,-13,5", "0,-1,0", "50", SCAN),
    // Over the start, towards the goal.
    entry("courtyard-drive", "-136,-133,9", "-28,-28,1", "50", SCAN),
    entry("hidden-obstacles", "-20,-9,6", "2,0,0", "50", &[]),
    entry("forest-plot", "-12,-6,1.8", "4,2,4", "60", SCAN),
    entry("orchard", "-16,2,3.0", "2,2,1.0", "50", SCAN),
    entry("maize-field", "-27,-9,4.5", "0,0,0", "45", SCAN),
    entry("shrub", "-2.6,-1.6,1.1", "0,0,0.65", "36", &[]),
    entry("rods", "-0.7,-1.3,1.2", "1.0,0,0.45", "50", &[]),
    entry("p1-planes", "3.5,-2.5,2.0", "8,0,0.7", "36", &[]),
    entry("p1-tree-high", "3.2,-2.2,1.7", "8,0,1.5", "36", SCAN),
    entry("p1-tree-medium", "3.2,-2.2,1.7", "8,0,1.5", "36", &[]),
    entry("p1-tree-low", "3.2,-2.2,1.7", "8,0,1.5", "36", &[]),
    entry("p1-tall-grass", "5.0,-3,1.5", "9,0,0.3", "42", SCAN),
    entry("p1-mown-grass", "6.0,-2.5,1.3", "9,0,0.0", "42", &[]),
    entry("acre", "-9,-4,5", "9,2,0.5", "50", SCAN),
    NEAR_COLLISION,
    entry("crossing", "-10,-8,6", "11,0,0.5", "50", SCAN),
    entry("rolling-stones", "-3,-9,5", "12,0,2", "50", SCAN),
    entry("mirror", "-3,0,3", "10,0,1", "50", SCAN),
    entry("low-reflectivity", "-8,0,5", "60,0,1", "40", SCAN),
    entry("tof-camera", "-1.2,-0.8,1.9", "4,0,0.9", "60", SCAN),
    entry("line-scanner", "-6,-3,4", "10,0,0.5", "50", SCAN),
    entry("people-walking", "-2,-4,3.2", "8,1,0.7", "50", SCAN),
    entry("tripod-scan", "-30,-17,9", "0,0,5", "45", SCAN),
    entry("airborne-strip", "-60,-45,45", "0,0,4", "45", SCAN),
    entry("fog", "-4,-5,3", "30,0,1.5", "45", SCAN),
    entry("rain", "-4,-5,3", "30,0,1.5", "45", SCAN),
    entry("snow", "-4,-5,3", "30,0,1.5", "45", SCAN),
    entry("dust", "-4,-6,4", "18,0,1", "50", SCAN),
    entry("plane", "-25,-42,14", "70,0,2", "35", &[]),
    entry("grass-stand-50-10mm-20m", "14,-8,4.5", "22.5,0,0.5", "42", &[]),
    entry("grass-stand-50-10mm-30m", "24,-8,4.5", "32.5,0,0.5", "42", &[]),
    entry("grass-stand-50-20mm-20m", "14,-8,4.5", "22.5,0,0.5", "42", &[]),
    entry("grass-stand-50-20mm-30m", "24,-8,4.5", "32.5,0,0.5", "42", &[]),
    entry("grass-stand-100-10mm-20m", "14,-8,4.5", "22.5,0,0.5", "42", &[]),
    entry("grass-stand-100-10mm-30m", "24,-8,4.5", "32.5,0,0.5", "42", &[]),
    entry("grass-stand-100-20mm-20m", "14,-8,4.5", "22.5,0,0.5", "42", &[]),
    entry("grass-stand-100-20mm-30m", "24,-8,4.5", "32.5,0,0.5", "42", &[]),
];

/// Makes the pictures and writes the page.
pub fn refresh(arguments: &Arguments) -> Result<()> {
    every_scenario_is_shown()?;
    run(&mut cargo(["build", "--release", "--locked", "--package", "understory-cli"]))?;
    let out = target_dir()?.join("gallery");
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let wanted = |entry: &&Entry| {
        arguments.only.is_empty() || arguments.only.iter().any(|name| name == entry.scenario)
    };
    for entry in ENTRIES.iter().filter(wanted) {
        let large = out.join(format!("{}-camera.png", entry.scenario));
        let mut command = std::process::Command::new(target_dir()?.join("release/understory"));
        command.current_dir(root()).arg("render").arg(entry.path());
        command.args(["--size", "960x540", "--samples", "9", "--fov", entry.fov_deg]);
        command.arg(format!("--camera={}", entry.camera));
        command.arg(format!("--look-at={}", entry.look_at));
        command.arg(format!("--sun={}", entry.sun_deg));
        command.args(["--time", entry.time_s]);
        run(command.arg("--out").arg(&large))?;
        shrink(&large, &entry.picture("camera"), WIDTH, MOST_BYTES)?;
        for scan in entry.scans {
            entry.scan(scan, &out)?;
        }
    }
    let page = root().join("docs/gallery.md");
    fs::write(&page, text()?).with_context(|| format!("cannot write {}", page.display()))
}

impl Entry {
    fn path(&self) -> PathBuf {
        root().join("scenarios").join(format!("{}.toml", self.scenario))
    }

    /// A folder for each kind: the studio carries the pictures of cameras and no others.
    fn picture(&self, kind: &str) -> PathBuf {
        root().join("docs/images/gallery").join(kind).join(format!("{}.png", self.scenario))
    }

    /// Runs the scenario, with all its sensors or one of them, and shrinks the picture of the run.
    fn scan(&self, scan: &Scan, out: &Path) -> Result<()> {
        let text = fs::read_to_string(self.path())?;
        let mut scenario: toml::Table = toml::from_str(&text)?;
        if let Scan::Sensor(number, _) = scan
            && let Some(toml::Value::Array(sensors)) = scenario.get_mut("sensor")
        {
            let alone = sensors.get(*number).context("there is no such sensor")?.clone();
            *sensors = vec![alone];
            // What is written may name the sensors that are gone.
            scenario.remove("output");
        }
        let path = out.join(format!("{}.toml", self.scenario));
        fs::write(&path, toml::to_string(&scenario)?)?;
        let folder = out.join(self.scenario);
        let mut command = std::process::Command::new(target_dir()?.join("release/understory"));
        command.current_dir(root()).arg("run").arg(&path).arg("--out").arg(&folder);
        let duration_s = scenario.get("duration_s").and_then(toml::Value::as_float);
        let duration_s = duration_s.context("it has no duration")?;
        // One revolution says it all, but scanners that take their time have none.
        let slow = ["airborne-strip", "tripod-scan"].contains(&self.scenario);
        let start_s: f64 = self.time_s.parse()?;
        let end_s = if slow { duration_s } else { duration_s.min(start_s + 0.1) };
        run(command.arg("--interval").arg(format!("{start_s}..{end_s}")))?;
        let large = folder.join(format!("{}.png", self.scenario));
        shrink(&large, &self.picture(scan.kind()), WIDTH, MOST_BYTES)
    }
}

impl Scan {
    fn kind(&self) -> &'static str {
        match self {
            Scan::AllSensors => "scan",
            Scan::Sensor(_, name) => name,
        }
    }
}

fn every_scenario_is_shown() -> Result<()> {
    for file in fs::read_dir(root().join("scenarios"))? {
        let path = file?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_toml = path.extension().is_some_and(|ending| ending == "toml");
        if is_toml && !ENTRIES.iter().any(|entry| entry.scenario == name) {
            bail!("scenario {name} has no entry in xtask/src/gallery.rs; add one");
        }
    }
    Ok(())
}

fn text() -> Result<String> {
    let mut page = String::from(
        "# Gallery\n\nEvery built-in scenario, as a camera sees its world, and scans of some: seen along the way, from above, and as a range image. `understory scenarios NAME` prints the file; `cargo xtask gallery` draws this page anew.\n",
    );
    for entry in ENTRIES {
        let text = fs::read_to_string(entry.path())?;
        let scenario: toml::Table = toml::from_str(&text)?;
        let title = scenario.get("title").and_then(|title| title.as_str()).unwrap_or_default();
        writeln!(page, "\n## {}\n\n{title}.\n", entry.scenario)?;
        let kinds = std::iter::once("camera").chain(entry.scans.iter().map(Scan::kind));
        for kind in kinds {
            let name = entry.scenario;
            writeln!(page, "![{name}, {kind}](images/gallery/{kind}/{name}.png)")?;
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_has_its_small_pictures() {
        every_scenario_is_shown().unwrap();
        for entry in ENTRIES {
            for kind in std::iter::once("camera").chain(entry.scans.iter().map(Scan::kind)) {
                let path = entry.picture(kind);
                let bytes = fs::metadata(&path).map(|metadata| metadata.len());
                assert!(bytes.is_ok_and(|bytes| bytes <= MOST_BYTES as u64), "{}", path.display());
            }
        }
        assert_eq!(fs::read_to_string(root().join("docs/gallery.md")).unwrap(), text().unwrap());
    }
}
