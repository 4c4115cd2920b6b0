//! Lines and words of a text.

use super::Random;

/// Values that are fine, wrong, or too much.
const VALUES: [&str; 34] = [
    "0",
    "1",
    "-1",
    "0.5",
    "1e-9",
    "1e9",
    "1e300",
    "-1e300",
    "nan",
    "inf",
    "-inf",
    "0.0",
    "-0.0",
    "9223372036854775807",
    "-9223372036854775808",
    "1e-320",
    "360.0",
    "90.0",
    "true",
    "false",
    "\"\"",
    "\"x\"",
    "\"none\"",
    "\"../x\"",
    "[]",
    "{}",
    "[0.0, 0.0, 0.0]",
    "[1.0, 2.0]",
    "[nan, 0.0, 1e300]",
    "[[]]",
    "[{}]",
    "{ a = 1 }",
    "1979-05-27",
    "0xffff_ffff",
];

/// Deletes, repeats, moves, lends and replaces.
pub(super) fn change(
    bytes: &[u8],
    lend: fn() -> Vec<String>,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        lines.push(String::new());
    }
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        match random.below(8) {
            0 if lines.len() > 1 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = random.below(lines.len());
                lines.swap(at, other);
            }
            3 | 4 => {
                let lent = lend();
                if !lent.is_empty() {
                    lines.insert(at, random.of(&lent).clone());
                }
            }
            5 | 6 => replace_value(&mut lines[at], random),
            _ => replace_word(&mut lines[at], random),
        }
    }
    Some((lines.join("\n") + "\n").into_bytes())
}

/// What stands behind `=` becomes something else.
fn replace_value(line: &mut String, random: &mut Random) {
    match line.find('=') {
        Some(at) => {
            line.truncate(at + 1);
            line.push(' ');
            line.push_str(VALUES[random.below(VALUES.len())]);
        }
        None => replace_word(line, random),
    }
}

/// A number or a name becomes something else.
fn replace_word(line: &mut String, random: &mut Random) {
    let is_word = |c: char| c.is_alphanumeric() || "+-._".contains(c);
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (start, is_word(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    if !words.is_empty() {
        let word = random.of(&words).clone();
        line.replace_range(word, VALUES[random.below(VALUES.len())]);
    }
}
