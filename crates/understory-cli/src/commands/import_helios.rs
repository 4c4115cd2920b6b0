//! `understory import-helios SURVEY -o FOLDER`: a survey of HELIOS++ as scenarios.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use understory_cloud::write_whole;
use understory_helios::import;

use crate::loading::read_scenario;
use crate::outputs::NewFolder;
use crate::report::{check_json, print_or_json, shown};
use crate::table::facts;

/// Take a survey of HELIOS++ over as scenarios
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory import-helios data/surveys/demo/tls_arbaro_demo.xml -o arbaro
  understory import-helios flight.xml -o flight --json flight.json
  understory run arbaro/arbaro_demo_tls.toml")]
pub struct Arguments {
    /// The survey, an XML file
    survey: PathBuf,
    /// The folder to write into
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
    /// A folder in which the files that the survey names are found; may be given several times
    /// [default: the folder that holds the survey's data folder, and the survey's own]
    #[arg(long, value_name = "FOLDER")]
    assets: Vec<PathBuf>,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Imports a survey.
pub fn import_helios(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    let imported = import(&arguments.survey, &arguments.assets, &arguments.out)?;
    let folder = NewFolder::create(&arguments.out)?;
    let mut written = Vec::new();
    for file in &imported.files {
        let path = arguments.out.join(&file.name);
        write_whole(&path, file.text.as_bytes())?;
        written.push(path);
    }
    folder.keep();
    let scenarios = &written[..imported.scenarios];
    for scenario in scenarios {
        // What was written must be what `run` takes.
        read_scenario(&scenario.to_string_lossy())?;
    }
    let mut rows = vec![("survey", imported.name.clone())];
    rows.extend(imported.taken_over.iter().cloned());
    rows.extend(scenarios.iter().map(|path| ("scenario", shown(path))));
    rows.push(("files beside", (written.len() - scenarios.len()).to_string()));
    let mut text = facts(&rows);
    if !imported.not_taken_over.is_empty() {
        text += "\nNot taken over:\n";
        for remark in &imported.not_taken_over {
            text += &format!("- {remark}\n");
        }
    }
    let taken_over: serde_json::Map<String, serde_json::Value> = imported
        .taken_over
        .iter()
        .map(|(what, words)| ((*what).to_owned(), json!(words)))
        .collect();
    let value = json!({
        "survey": imported.name,
        "taken_over": taken_over,
        "not_taken_over": imported.not_taken_over,
        "scenarios": scenarios,
        "files": written,
    });
    print_or_json(&text, arguments.json.as_deref(), &value)
}
