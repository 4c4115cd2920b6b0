//! What was probably meant: the nearest known word, or the same key in another unit.

/// Unit suffixes of keys, with the words for them.
const UNITS: [(&str, &str); 32] = [
    ("m", "metres"),
    ("mm", "millimetres"),
    ("cm", "centimetres"),
    ("km", "kilometres"),
    ("um", "micrometres"),
    ("nm", "nanometres"),
    ("ft", "feet"),
    ("m2", "square metres"),
    ("m3", "cubic metres"),
    ("deg", "degrees"),
    ("rad", "radians"),
    ("mrad", "milliradians"),
    ("urad", "microradians"),
    ("s", "seconds"),
    ("ms", "milliseconds"),
    ("us", "microseconds"),
    ("ns", "nanoseconds"),
    ("min", "minutes"),
    ("h", "hours"),
    ("hz", "hertz"),
    ("khz", "kilohertz"),
    ("mhz", "megahertz"),
    ("rpm", "revolutions per minute"),
    ("mps", "metres per second"),
    ("kmh", "kilometres per hour"),
    ("kph", "kilometres per hour"),
    ("degps", "degrees per second"),
    ("radps", "radians per second"),
    ("percent", "per cent"),
    ("db", "decibels"),
    ("kg", "kilograms"),
    ("w", "watts"),
];

/// What to do about an unknown key.
pub fn key_remedy(key: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return "remove it: no key is allowed here".into();
    }
    let (stem, _) = split_unit(key);
    for candidate in known {
        let (candidate_stem, unit) = split_unit(candidate);
        if let (true, Some(unit)) = (candidate_stem == stem && !stem.is_empty(), unit) {
            return format!("this key is in {unit}; use `{candidate}`");
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
fn split_unit(key: &str) -> (&str, Option<&'static str>) {
    key.rsplit_once('_')
        .and_then(|(stem, suffix)| {
            let (_, words) = UNITS.iter().find(|(unit, _)| unit.eq_ignore_ascii_case(suffix))?;
            Some((stem, Some(*words)))
        })
        .unwrap_or((key, None))
}
