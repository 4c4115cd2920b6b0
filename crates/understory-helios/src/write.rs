//! TOML as a person would write it.

use glam::DVec3;

pub mod scenario;
pub mod sensor;

/// A number with a point, without the dust of rounding.
pub fn number(number: f64) -> String {
    let text = format!("{:.9}", number);
    let text = text.trim_end_matches('0');
    match text {
        "-0." => "0.0".to_owned(),
        text if text.ends_with('.') => format!("{text}0"),
        text => text.to_owned(),
    }
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Three numbers.
pub fn vector(at: DVec3) -> String {
    list(&at.to_array())
}

/// Numbers in brackets.
pub fn list(numbers: &[f64]) -> String {
    let words: Vec<String> = numbers.iter().map(|one| number(*one)).collect();
    format!("[{}]", words.join(", "))
}
