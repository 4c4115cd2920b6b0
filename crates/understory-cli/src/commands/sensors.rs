//! `understory sensors [NAME]`: the built-in presets, or the text of one.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};
use understory::sensor::{Sensor, preset_text, presets};

use crate::report::{print, print_or_json};
use crate::table::{Align, Table};
use understory_view::picture::grouped;

/// List the sensor presets, or print one as TOML
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory sensors
  understory sensors vlp-16 > my-sensor.toml
  understory info my-sensor.toml")]
pub struct Arguments {
    /// Preset to print
    name: Option<String>,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Lists all presets or prints one.
pub fn sensors(arguments: &Arguments) -> Result<()> {
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
    let mut table = Table::new(&[
        ("name", Align::Left),
        ("sensor", Align::Left),
        ("channels", Align::Right),
        ("pulses/s", Align::Right),
        ("range m", Align::Right),
        ("nm", Align::Right),
    ]);
    let mut values: Vec<Value> = Vec::new();
    for (name, _) in presets() {
        let sensor = Sensor::preset(name)?;
        table.row([
            sensor.name.clone(),
            format!("{} {}", sensor.vendor, sensor.title),
            sensor.pattern.channels().to_string(),
            grouped(sensor.pattern.pulse_rate_hz().round() as u64),
            sensor.detector.range_max_m.to_string(),
            sensor.wavelength_nm.to_string(),
        ]);
        values.push(as_json(&sensor));
    }
    let text = table.render() + "\nunderstory sensors NAME prints one as TOML.\n";
    print_or_json(&text, arguments.json.as_deref(), &values)
}

/// What there is to know about a sensor.
pub fn as_json(sensor: &Sensor) -> Value {
    json!({
        "name": sensor.name,
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
