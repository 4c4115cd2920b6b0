//! What was probably meant: the nearest known word, or the same key in another unit.

use std::f64::consts::PI;

/// A unit of a key: its suffix, its name, what it measures, and how many of the first unit of that
/// kind it is.
struct Unit(&'static str, &'static str, Kind, f64);

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Length,
    Area,
    Volume,
    Angle,
    Time,
    Frequency,
    Speed,
    Turn,
    Share,
    Decibels,
    Mass,
    Power,
}

/// Unit suffixes of keys. A suffix that ends with another one stands before it.
const UNITS: [Unit; 36] = [
    Unit("m_s", "metres per second", Kind::Speed, 1.0),
    Unit("km_h", "kilometres per hour", Kind::Speed, 1.0 / 3.6),
    Unit("deg_s", "degrees per second", Kind::Turn, 1.0),
    Unit("rad_s", "radians per second", Kind::Turn, 180.0 / PI),
    Unit("m", "metres", Kind::Length, 1.0),
    Unit("mm", "millimetres", Kind::Length, 1e-3),
    Unit("cm", "centimetres", Kind::Length, 1e-2),
    Unit("km", "kilometres", Kind::Length, 1e3),
    Unit("um", "micrometres", Kind::Length, 1e-6),
    Unit("nm", "nanometres", Kind::Length, 1e-9),
    Unit("ft", "feet", Kind::Length, 0.3048),
    Unit("m2", "square metres", Kind::Area, 1.0),
    Unit("m3", "cubic metres", Kind::Volume, 1.0),
    Unit("deg", "degrees", Kind::Angle, 1.0),
    Unit("rad", "radians", Kind::Angle, 180.0 / PI),
    Unit("mrad", "milliradians", Kind::Angle, 0.18 / PI),
    Unit("urad", "microradians", Kind::Angle, 0.18e-3 / PI),
    Unit("s", "seconds", Kind::Time, 1.0),
    Unit("ms", "milliseconds", Kind::Time, 1e-3),
    Unit("us", "microseconds", Kind::Time, 1e-6),
    Unit("ns", "nanoseconds", Kind::Time, 1e-9),
    Unit("min", "minutes", Kind::Time, 60.0),
    Unit("h", "hours", Kind::Time, 3600.0),
    Unit("hz", "hertz", Kind::Frequency, 1.0),
    Unit("khz", "kilohertz", Kind::Frequency, 1e3),
    Unit("mhz", "megahertz", Kind::Frequency, 1e6),
    Unit("rpm", "revolutions per minute", Kind::Frequency, 1.0 / 60.0),
    Unit("mps", "metres per second", Kind::Speed, 1.0),
    Unit("kmh", "kilometres per hour", Kind::Speed, 1.0 / 3.6),
    Unit("kph", "kilometres per hour", Kind::Speed, 1.0 / 3.6),
    Unit("degps", "degrees per second", Kind::Turn, 1.0),
    Unit("radps", "radians per second", Kind::Turn, 180.0 / PI),
    Unit("percent", "per cent", Kind::Share, 1.0),
    Unit("db", "decibels", Kind::Decibels, 1.0),
    Unit("kg", "kilograms", Kind::Mass, 1.0),
    Unit("w", "watts", Kind::Power, 1.0),
];

/// The number by which a value under `key` has to be multiplied to stand under `other`, if both have
/// the same stem and units of one kind.
pub fn conversion(key: &str, other: &str) -> Option<f64> {
    let ((stem, from), (other_stem, to)) = (split_unit(key), split_unit(other));
    let (from, to) = (from?, to?);
    let same = stem == other_stem && !stem.is_empty() && from.2 == to.2 && key != other;
    same.then_some(from.3 / to.3)
}

/// What to do about an unknown key.
pub fn key_remedy(key: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return "remove it: no key is allowed here".into();
    }
    let (stem, _) = split_unit(key);
    for candidate in known {
        let (candidate_stem, unit) = split_unit(candidate);
        if let (true, Some(Unit(_, words, ..))) = (candidate_stem == stem && !stem.is_empty(), unit)
        {
            return format!("this key is in {words}; use `{candidate}`");
        }
    }
    match nearest(key, known) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("the keys that are known here are {}", list(known, '`')),
    }
}

/// What to do about an unknown word where only some words are allowed.
pub fn word_remedy(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(candidate) => format!("did you mean \"{candidate}\"?"),
        None => format!("use one of {}", list(known, '"')),
    }
}

/// The known word that `word` was probably meant to be.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(likeness, _)| *likeness >= 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn list(words: &[&str], quote: char) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{quote}{word}{quote}")).collect();
    quoted.join(", ")
}

/// `range_max_mm` → (`range_max`, millimetres).
fn split_unit(key: &str) -> (&str, Option<&'static Unit>) {
    let split = UNITS.iter().find_map(|unit| {
        let stem_end = key.len().checked_sub(unit.0.len())?;
        let (stem, suffix) = (key.get(..stem_end)?.strip_suffix('_')?, &key[stem_end..]);
        suffix.eq_ignore_ascii_case(unit.0).then_some((stem, Some(unit)))
    });
    split.unwrap_or((key, None))
}
