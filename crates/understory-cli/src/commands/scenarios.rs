//! `understory scenarios [NAME]`: the built-in scenarios, or the text of one.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};
use understory::scenario::{Scenario, scenarios as on_board};

use crate::report::{print, print_or_json};
use crate::table::{Align, Table};

/// List the built-in scenarios, or print one as TOML
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory scenarios
  understory scenarios demo > my.toml
  understory run my.toml")]
pub struct Arguments {
    /// Scenario to print
    name: Option<String>,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Lists all scenarios or prints one.
pub fn scenarios(arguments: &Arguments) -> Result<()> {
    let json = arguments.json.as_deref();
    let Some(name) = &arguments.name else { return list(arguments) };
    let scenario = Scenario::embedded(name)?;
    let text = on_board().iter().find(|(known, _)| known == name).map_or("", |(_, text)| text);
    match json {
        None => print(text),
        Some(_) => print_or_json(text, json, &as_json(name, &scenario)),
    }
}

fn list(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        ("name", Align::Left),
        ("seconds", Align::Right),
        ("sensors", Align::Left),
        ("what it is", Align::Left),
    ]);
    let mut values: Vec<Value> = Vec::new();
    for (name, _) in on_board() {
        let scenario = Scenario::embedded(name)?;
        let sensors: Vec<&str> =
            scenario.sensors.iter().map(|mounted| mounted.sensor.name.as_str()).collect();
        table.row([
            (*name).to_owned(),
            scenario.duration_s.to_string(),
            sensors.join(", "),
            scenario.title.clone().unwrap_or_default(),
        ]);
        values.push(as_json(name, &scenario));
    }
    let text = table.render()
        + "\nunderstory run NAME simulates one; understory scenarios NAME prints it.\n";
    print_or_json(&text, arguments.json.as_deref(), &values)
}

fn as_json(name: &str, scenario: &Scenario) -> Value {
    let sensors: Vec<&str> =
        scenario.sensors.iter().map(|mounted| mounted.sensor.name.as_str()).collect();
    json!({
        "name": name,
        "title": scenario.title,
        "duration_s": scenario.duration_s,
        "seed": scenario.seed,
        "sensors": sensors,
    })
}
