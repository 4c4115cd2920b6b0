//! What there is to choose from: scenarios, sensors, files, formats, columns.

use serde::Serialize;

/// Who answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hello {
    /// `understory`.
    pub program: String,
    /// Its version.
    pub version: String,
    /// Another number at every start of the program: a page that sees it change loads itself anew.
    pub start: String,
    /// Name of the served folder.
    pub folder: String,
    /// Limits that the program keeps.
    pub limits: Limits,
}

/// Limits that the program keeps.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Limits {
    /// Most bytes of a request.
    pub body_bytes: u32,
    /// Triangles drawn at most where the page does not say.
    pub triangles: u32,
    /// Layers kept at most.
    pub layers: u32,
    /// Rows of all layers that are held in memory; more of them lie in a file.
    pub rows_in_memory: u32,
}

/// Everything that can be chosen.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Library {
    /// Scenarios: built in, in the served folder, learned here.
    pub scenarios: Vec<ScenarioCard>,
    /// Built-in sensors.
    pub sensors: Vec<SensorCard>,
    /// Recordings in the served folder.
    pub recordings: Vec<FileCard>,
    /// Formats in which layers can be exported.
    pub formats: Vec<FormatCard>,
    /// Columns that layers may have.
    pub columns: Vec<ColumnCard>,
    /// Names of semantic classes.
    pub labels: Vec<LabelCard>,
    /// What could not be listed, in sentences.
    pub remarks: Vec<String>,
}

/// A scenario to choose.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ScenarioCard {
    /// By which it is opened.
    pub id: String,
    /// Its name.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// Where it comes from.
    pub source: ScenarioSource,
    /// How long it lasts.
    pub duration_s: f64,
    /// Names of its sensors' presets.
    pub sensors: Vec<String>,
    /// Whether its platform moves.
    pub moving: bool,
    /// Whether there is a thumbnail.
    pub thumbnail: bool,
    /// Why it cannot be opened as it is, if so.
    pub problem: Option<String>,
}

/// Where a scenario comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ScenarioSource {
    /// The program.
    BuiltIn,
    /// The served folder.
    Folder,
    /// Learned in the studio.
    Learned,
}

/// A sensor to choose.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SensorCard {
    /// The name by which scenarios choose it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// How it scans, in a word: spinning, risley, …
    pub pattern: String,
    /// Lasers.
    pub channels: u32,
    /// Pulses in a second.
    pub pulse_rate_hz: f64,
    /// Wavelength.
    pub wavelength_nm: f64,
    /// Least and largest range.
    pub range_m: [f64; 2],
}

/// A file of the served folder.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileCard {
    /// By which it is opened.
    pub id: String,
    /// Its path below the folder.
    pub name: String,
    /// Bytes; of a folder, of its files.
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
    /// Its format, if its name tells.
    pub format: Option<String>,
}

/// A format to write.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FormatCard {
    /// Its name.
    pub name: String,
    /// What it is.
    pub title: String,
    /// How its files end.
    pub suffix: String,
    /// What it keeps of the rows.
    pub keeps: String,
}

/// A column that layers may have.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ColumnCard {
    /// Its name.
    pub name: String,
    /// What it is, in some words.
    pub brief: String,
    /// Its unit, which may be empty.
    pub unit: String,
    /// Whether it is measured or true.
    pub truth: bool,
    /// Whether its numbers are names of things: to be coloured one by one.
    pub categories: bool,
}

/// A semantic class.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LabelCard {
    /// Its number.
    pub label: u16,
    /// Its name.
    pub name: String,
}
