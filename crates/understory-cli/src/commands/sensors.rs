//! `understory sensors [NAME]`: the built-in presets by their kinds, the text of one, or pictures of
//! their patterns.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use understory::sensor::{Sensor, preset_text, presets};

use crate::outputs::NewFolder;
use crate::report::{print, print_or_json, shown};
use crate::table::{Align, Table, facts};
use understory_view::pattern::{KINDS, figure, kind as kind_of};
use understory_view::picture::grouped;
use understory_view::plot::{Plot, write_png};

/// List the sensor presets, or print one as TOML
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory sensors
  understory sensors vlp-16 > my-sensor.toml
  understory sensors livox-avia --pictures out
  understory info my-sensor.toml")]
pub struct Arguments {
    /// Preset to print
    name: Option<String>,
    /// Draw the pattern of the preset, or of all, as PNG into FOLDER
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Lists all presets or prints one.
pub fn sensors(arguments: &Arguments) -> Result<()> {
    if let Some(folder) = &arguments.pictures {
        return draw(arguments, folder);
    }
    match &arguments.name {
        None => list(arguments),
        Some(name) => {
            let text = preset_text(name)?;
            match &arguments.json {
                None => print(text),
                Some(_) => {
                    let value = as_json(&Sensor::preset(name)?);
                    print_or_json(text, arguments.json.as_deref(), &value)
                }
            }
        }
    }
}

fn list(arguments: &Arguments) -> Result<()> {
    let mut sensors = Vec::new();
    for (name, _) in presets() {
        sensors.push(Sensor::preset(name)?);
    }
    let mut text = String::new();
    for kind in KINDS {
        let mut table = Table::new(&[
            (kind, Align::Left),
            ("sensor", Align::Left),
            ("channels", Align::Right),
            ("pulses/s", Align::Right),
            ("range m", Align::Right),
            ("nm", Align::Right),
        ]);
        let mut any = false;
        for sensor in sensors.iter().filter(|sensor| kind_of(sensor) == kind) {
            any = true;
            table.row([
                sensor.name.clone(),
                format!("{} {}", sensor.vendor, sensor.title),
                sensor.pattern.channels().to_string(),
                grouped(sensor.pattern.pulse_rate_hz().round() as u64),
                sensor.detector.range_max_m.to_string(),
                sensor.wavelength_nm.to_string(),
            ]);
        }
        if any {
            text += &table.render();
            text.push('\n');
        }
    }
    text += "understory sensors NAME prints one as TOML.\n";
    let values: Vec<Value> = sensors.iter().map(as_json).collect();
    print_or_json(&text, arguments.json.as_deref(), &values)
}

/// Draws patterns as pictures.
fn draw(arguments: &Arguments, folder: &Path) -> Result<()> {
    let made = NewFolder::create(folder)?;
    let names: Vec<&str> = match &arguments.name {
        Some(name) => vec![name.as_str()],
        None => presets().iter().map(|(name, _)| *name).collect(),
    };
    let mut paths = Vec::new();
    for name in names {
        let figure = figure(&Sensor::preset(name)?);
        paths.push(write_png(Plot::Figure(&figure), folder)?);
    }
    made.keep();
    let lines: String = paths.iter().map(|path| format!("wrote {}\n", shown(path))).collect();
    print_or_json(&lines, arguments.json.as_deref(), &paths)
}

/// A sensor's file has tables of its own at its top, a scenario's only below `sensor.override`.
pub fn is_sensor(text: &str) -> bool {
    let own = ["[spinning]", "[table]", "[channels]", "[beam]", "[detector]"];
    text.lines().any(|line| own.contains(&line.trim()))
}

/// A sensor for people and for programs.
pub fn of_sensor(sensor: &Sensor) -> (String, Value) {
    (facts(&sensor.describe()), as_json(sensor))
}

/// What there is to know about a sensor.
pub fn as_json(sensor: &Sensor) -> Value {
    json!({
        "name": sensor.name,
        "kind": kind_of(sensor),
        "title": sensor.title,
        "vendor": sensor.vendor,
        "description": sensor.description,
        "wavelength_nm": sensor.wavelength_nm,
        "channels": sensor.pattern.channels(),
        "pulses_per_second": sensor.pattern.pulse_rate_hz(),
        "scan_duration_s": sensor.pattern.scan_duration_s(),
        "range_min_m": sensor.detector.range_min_m,
        "range_max_m": sensor.detector.range_max_m,
        "sources": sensor.sources,
        "uncertain": sensor.uncertain,
    })
}
