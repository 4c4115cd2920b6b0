//! Messages of `toml` and `serde` in words for people who write files.
//!
//! What enters: a message and the value at which it arose. What leaves: what is wrong and what to
//! do, without a word about Rust.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::hint::{key_remedy, word_remedy};
use crate::parsed::parsed;
use crate::refusal::Refusal;
use std::ops::Range;

/// The value at which an error arose.
pub(crate) struct Culprit {
    /// The key that it stands under.
    key: String,
    /// Whether it is only an element of the list under that key.
    element: bool,
    /// What it is: "the text \"far\"".
    found: String,
    kind: &'static str,
    /// How many values it has, if it is a list.
    values: Option<usize>,
}

impl Culprit {
    /// The value of `text` that stands exactly at `span`.
    pub fn find(text: &str, span: &Range<usize>) -> Option<Culprit> {
        let table = parsed(text).ok()?;
        in_table(table.get_ref(), span)
    }
}

fn in_table(table: &DeTable<'_>, span: &Range<usize>) -> Option<Culprit> {
    table.iter().find_map(|(key, value)| in_value(key.get_ref(), value, false, span))
}

fn in_value(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    element: bool,
    span: &Range<usize>,
) -> Option<Culprit> {
    let inside = match value.get_ref() {
        DeValue::Array(values) => values.iter().find_map(|inner| in_value(key, inner, true, span)),
        DeValue::Table(table) => in_table(table, span),
        _ => None,
    };
    if inside.is_some() || value.span() != *span {
        return inside;
    }
    let (kind, found) = match value.get_ref() {
        DeValue::String(text) => ("string", format!("the text {text:?}")),
        DeValue::Integer(number) => ("integer", format!("the number {number}")),
        DeValue::Float(number) => ("floating", format!("the number {number}")),
        DeValue::Boolean(truth) => ("boolean", truth.to_string()),
        DeValue::Datetime(date) => ("date", format!("the date {date}")),
        DeValue::Array(_) => ("sequence", "a list".to_owned()),
        DeValue::Table(_) => ("map", "a table".to_owned()),
    };
    let values = value.get_ref().as_array().map(|values| values.len());
    Some(Culprit { key: key.to_owned(), element, found, kind, values })
}

/// Problem and remedy for a message.
pub(crate) fn words(message: &str, culprit: Option<&Culprit>) -> (String, String) {
    if let Some(refusal) = Refusal::read(message) {
        return refused(refusal, culprit);
    }
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let (key, known) = key_and_known(rest);
        return (format!("unknown key `{key}`"), key_remedy(key, &known));
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let (word, known) = key_and_known(rest);
        return (format!("unknown word \"{word}\""), word_remedy(word, &known));
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return (format!("the key {rest} is missing"), format!("add {rest} to this table"));
    }
    if let Some((found, wanted)) = mismatch(message, culprit) {
        let a_word = message.starts_with("wanted");
        let of_key = culprit.filter(|culprit| a_word || message.contains(culprit.kind));
        let place = match of_key {
            Some(culprit) if culprit.element => format!(" in `{}`", culprit.key),
            Some(culprit) => format!(" for `{}`", culprit.key),
            None => String::new(),
        };
        return (format!("expected {wanted}{place}, found {found}"), format!("write {wanted}"));
    }
    (format!("this is not valid TOML: {message}"), "correct the line".into())
}

/// A value that refused itself.
fn refused(refusal: Refusal, culprit: Option<&Culprit>) -> (String, String) {
    let Refusal { does, remedy } = refusal;
    let Some(culprit) = culprit else { return (format!("a value {does}"), remedy) };
    let key = &culprit.key;
    let of_list = !does.starts_with("is ") || does == "is empty";
    let count = does.strip_prefix("has ").and_then(|rest| rest.split(' ').next()?.parse().ok());
    let own = of_list && culprit.values == Some(count.unwrap_or(0));
    let problem = match (does.strip_prefix("is "), culprit.kind) {
        // An element has no place of its own in errors of serde, its list has.
        (Some(value), "sequence") if !of_list => format!("`{key}` holds {value}"),
        (Some(value), _) if !of_list && culprit.element => format!("`{key}` holds {value}"),
        (_, "sequence") if own && !culprit.element => format!("`{key}` {does}"),
        _ if of_list => format!("a list in `{key}` {does}"),
        _ => format!("`{key}` {does}"),
    };
    let hint = if own { list_hint(key, &does, &remedy) } else { "" };
    (problem, format!("{remedy}{hint}"))
}

/// What the numbers of a list are, where its key tells; four for three angles are a quaternion.
fn list_hint(key: &str, does: &str, remedy: &str) -> &'static str {
    if !remedy.ends_with("give 3") {
        return "";
    }
    match key {
        "rotation_deg" | "rpy_deg" if does == "has 4 values" => {
            ": roll, pitch and yaw in degrees; is this a quaternion?"
        }
        "rotation_deg" | "rpy_deg" => ": roll, pitch and yaw in degrees",
        "position_m" | "position_mm" => ": x, y and z",
        _ => "",
    }
}

/// What was found and what was wanted, if the message says that a value is of the wrong type.
fn mismatch(message: &str, culprit: Option<&Culprit>) -> Option<(String, String)> {
    if message.starts_with("wanted string or table") {
        let found = culprit.map_or("something else".to_owned(), |culprit| culprit.found.clone());
        return Some((found, "a word in quotes".to_owned()));
    }
    let rest = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "))?;
    let (found, wanted) = rest.split_once(", expected ")?;
    let quoted = found.split('`').nth(1).unwrap_or_default();
    let found = match found.split([' ', '`']).next()? {
        "integer" | "floating" => format!("the number {quoted}"),
        "boolean" => quoted.to_owned(),
        "string" => format!("the text {}", found.strip_prefix("string ")?),
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        _ => found.to_owned(),
    };
    Some((found, wanted_words(wanted)))
}

fn wanted_words(wanted: &str) -> String {
    let words = match wanted {
        "f64" | "f32" => "a number",
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "usize" => "a whole number of 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "a string" | "a borrowed string" => "a text in quotes",
        "path string" => "the path of a file in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list in [ ]",
        "a map" => "a table",
        _ if wanted.starts_with("struct ") => "a table",
        _ if wanted.starts_with("internally tagged enum ") => "a table with the key `kind`",
        _ => wanted,
    };
    words.to_owned()
}

/// Splits serde's "`key`, expected one of `a`, `b`".
fn key_and_known(rest: &str) -> (&str, Vec<&str>) {
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let key = quoted.next().unwrap_or_default();
    (key, quoted.collect())
}
