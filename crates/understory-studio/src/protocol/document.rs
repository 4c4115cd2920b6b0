//! The scenario that is edited: its text, and the same as keys and values.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is wrong, where, in the program's words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Problem {
    /// What is wrong and what to do.
    pub sentence: String,
    /// Line of the text, from 1, if it is about one.
    pub line: Option<u32>,
    /// Column in it, from 1.
    pub column: Option<u32>,
    /// Where what is marked ends in that line.
    pub end_column: Option<u32>,
}

/// The open scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Document {
    /// Rises with every change.
    pub revision: u32,
    /// Its name.
    pub name: String,
    /// The text.
    pub text: String,
    /// The text as tables and values; null where it is no TOML.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub value: Value,
    /// Where keys stand in the text.
    pub places: Vec<KeyPlace>,
    /// What is wrong with it; empty: it is valid.
    pub problems: Vec<Problem>,
    /// The newest revision that was valid: worlds and scans are made of it. 0: none was.
    pub good_revision: u32,
    /// What that one says.
    pub summary: Option<Summary>,
}

/// Where a key stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KeyPlace {
    /// Keys and places in lists from the top, as `world.object.0.position_m`.
    pub path: Vec<Step>,
    /// Line of its value, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A key, or a place in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Step {
    /// Place in a list, from 0.
    Place(u32),
    /// Key of a table.
    Key(String),
}

/// What a valid scenario says.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Summary {
    /// One line about it.
    pub title: String,
    /// Its seed.
    #[cfg_attr(test, ts(type = "number"))]
    pub seed: u64,
    /// How long it lasts.
    pub duration_s: f64,
    /// Whether the platform moves.
    pub moving: bool,
    /// The sensors.
    pub sensors: Vec<SensorSummary>,
    /// About how many triangles its world has, copies counted.
    pub triangles: f64,
    /// About how much memory it needs.
    pub memory_bytes: f64,
}

/// A sensor of a scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SensorSummary {
    /// Its number, from 0.
    pub index: u16,
    /// Its name in the scenario.
    pub name: String,
    /// The preset.
    pub preset: String,
    /// What people call it.
    pub title: String,
    /// Lasers.
    pub channels: u32,
    /// Pulses that it will fire.
    #[cfg_attr(test, ts(type = "number"))]
    pub pulses: u64,
}

/// Opens a scenario.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum OpenDocument {
    /// One of the library, by its id.
    Scenario(String),
    /// A text.
    Text {
        /// Its name.
        name: String,
        /// The text.
        text: String,
    },
    /// What a layer was made of, by its id.
    Layer(u32),
}

/// Replaces the text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WriteText {
    /// The revision that was edited; refused with status 409 if it is not the newest.
    pub revision: u32,
    /// The new text.
    pub text: String,
}

/// Changes keys; the rest of the text stays as it is, with its comments.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EditKeys {
    /// The revision that was edited; refused with status 409 if it is not the newest.
    pub revision: u32,
    /// What to change, in this order.
    pub edits: Vec<Edit>,
}

/// One change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Edit {
    /// Which key; tables on the way are made where they are missing. A place behind the end of a
    /// list appends to it.
    pub path: Vec<Step>,
    /// Its new value; none (null): the key, table or element is taken out.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub value: Option<Value>,
}
