//! Two layers against each other; sites learned from layers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document::Problem;

/// Compares two layers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
pub struct CompareLayers {
    /// The layer that is compared with (the real one).
    pub real: u32,
    /// The layer that is judged.
    pub simulated: u32,
    /// Size of a bin in range; the comparison's own where nothing is said.
    pub range_bin_m: Option<f64>,
}

/// How alike two layers are.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Compared {
    /// The layer that was compared with.
    pub real: u32,
    /// The layer that was judged.
    pub simulated: u32,
    /// The figures that people look at first.
    pub figures: Vec<Figure>,
    /// Histograms of both.
    pub histograms: Vec<Histogram>,
    /// Everything that `understory compare --json` says; null where it could not compare.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub report: Value,
    /// What deserves a second look, in sentences.
    pub remarks: Vec<String>,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// The figure; none: it does not exist.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: String,
    /// What it means and what is good.
    pub help: String,
}

/// How often values occur in both layers, as shares.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Histogram {
    /// What of.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Where the first bin begins.
    pub from: f64,
    /// How wide bins are.
    pub step: f64,
    /// Shares of the layer that was compared with.
    pub real: Vec<f64>,
    /// Shares of the layer that was judged.
    pub simulated: Vec<f64>,
}

/// What belongs to the block "difference".
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DifferenceExtra {
    /// The layer whose points they are.
    pub of: u32,
    /// The layer that it was compared with.
    pub to: u32,
    /// What a difference is.
    pub kind: DifferenceKind,
    /// Points with a difference.
    pub points: u32,
}

/// What a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum DifferenceKind {
    /// Distance to the nearest point of the other layer.
    Nearest,
    /// Range minus that of the same pulse and return of the other layer.
    Range,
}

/// Learns a site from a layer and adds a scenario with it to the library.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
pub struct LearnSite {
    /// The layer.
    pub layer: u32,
    /// Name of the scenario; made of the layer's where nothing is said.
    pub name: Option<String>,
    /// What is learned: likelihood (where nothing is said), voxel, top-down, bottom-up, surface.
    pub model: Option<String>,
    /// Edge of the cells; the model's own where nothing is said.
    pub cell_m: Option<f64>,
    /// Preset of the sensor that scans the site; that of the layer where nothing is said.
    pub preset: Option<String>,
}

/// Long work that is no layer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Job {
    /// Its number, never used again.
    pub id: u32,
    /// What it is, in words.
    pub name: String,
    /// How far it is.
    pub state: JobState,
    /// What is done now, in words.
    pub doing: String,
    /// How much of it is done, 0…1.
    pub share: f64,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// The scenario that it made, by its id.
    pub scenario: Option<String>,
    /// What was done, as names and values.
    pub facts: Vec<[String; 2]>,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum JobState {
    /// It is at work.
    Running,
    /// It is complete.
    Done,
    /// It was stopped.
    Cancelled,
    /// It failed.
    Failed,
}
