//! `understory schema [FILE]`: what files may say, for editors and other programs.

use anyhow::Result;
use clap::ValueEnum;
use understory::scenario;
use understory_files::{schema, sensor};

use crate::report::print;

/// Print the JSON schema of scenario or sensor files
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory schema > scenario.schema.json
  understory schema sensor --markdown")]
pub struct Arguments {
    /// Which files
    #[arg(value_enum, default_value_t = Files::Scenario)]
    files: Files,
    /// A page with all keys instead
    #[arg(long)]
    markdown: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Files {
    Scenario,
    Sensor,
}

const SCENARIO_ABOUT: &str = "All keys of [scenario files](scenario.md), generated from the program: `understory schema scenario --markdown`. Lengths are in metres, times in seconds, angles in degrees; the end of a key says so.";
const SENSOR_ABOUT: &str = "All keys of [sensor files](add-a-sensor.md), generated from the program: `understory schema sensor --markdown`. The end of a key says its unit.";

/// Prints a schema, or the reference that is generated from it.
pub fn schema(arguments: &Arguments) -> Result<()> {
    let (schema, title, about) = match arguments.files {
        Files::Scenario => (scenario::schema(), "Keys of scenario files", SCENARIO_ABOUT),
        Files::Sensor => (schema::of::<sensor::SensorFile>(), "Keys of sensor files", SENSOR_ABOUT),
    };
    if arguments.markdown {
        return print(&schema::reference(&schema, title, about));
    }
    print(&(serde_json::to_string_pretty(&schema)? + "\n"))
}
