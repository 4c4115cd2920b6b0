//! TOML texts as tables, if they are of a size that people write.
//!
//! A table takes hundreds of bytes where its text takes one (`a.a.a.a`), and texts are parsed more
//! than once. So tables and values are counted before any of them is made.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, Error};

/// Most tables of a text: with those of a world that has each tree as a table of its own, and a few
/// hundred megabytes while it is read.
pub(crate) const TABLES_MAX: usize = 200_000;
/// Most values of a text, those in lists too.
pub(crate) const VALUES_MAX: usize = 1_000_000;

/// Why a text is no table.
pub(crate) enum NoTable {
    /// It is no TOML.
    Invalid(Error),
    /// It has more of something than may be.
    Crowded {
        /// What of.
        what: &'static str,
        /// How many there may be.
        most: usize,
        /// Where the first stands that is too many.
        span: Range<usize>,
    },
}

/// A text as a table.
pub(crate) fn parsed(text: &str) -> Result<Spanned<DeTable<'_>>, NoTable> {
    count(text.as_bytes())?;
    DeTable::parse(text).map_err(NoTable::Invalid)
}

/// Counts tables and values without understanding them: never too few.
fn count(text: &[u8]) -> Result<(), NoTable> {
    let (mut tables, mut values) = (0, 0);
    // Brackets that are open in a value, and the dots of what may turn out to be a key.
    let (mut depth, mut dots) = (0usize, 0);
    let (mut begins, mut in_header) = (true, false);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' => continue,
            b'\n' => {
                dots = 0;
                if depth == 0 {
                    (begins, in_header) = (true, false);
                }
                continue;
            }
            b'#' => at += text[at..].iter().take_while(|byte| **byte != b'\n').count(),
            b'"' | b'\'' => at = end_of_string(text, start),
            b'[' if in_header || begins && depth == 0 => {
                in_header = true;
                tables += 1;
            }
            b']' if in_header => (),
            b'.' if in_header => tables += 1,
            b'.' => dots += 1,
            b'=' => {
                values += 1;
                tables += dots;
                dots = 0;
            }
            b'[' => {
                depth += 1;
                values += 1;
                dots = 0;
            }
            b'{' => {
                depth += 1;
                tables += 1;
                dots = 0;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => {
                values += 1;
                dots = 0;
            }
            _ => (),
        }
        begins = false;
        let crowded = |what, most| NoTable::Crowded { what, most, span: start..at };
        if tables > TABLES_MAX {
            return Err(crowded("tables", TABLES_MAX));
        }
        if values > VALUES_MAX {
            return Err(crowded("values", VALUES_MAX));
        }
    }
    Ok(())
}

/// Where a string that begins here ends; one without an end, at the end of its line or of the text.
fn end_of_string(text: &[u8], start: usize) -> usize {
    let quote = text[start];
    let is_long = text[start..].starts_with(&[quote; 3]);
    let escapes = quote == b'"';
    let mut at = start + if is_long { 3 } else { 1 };
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if escapes => at += 2,
            b'\n' if !is_long => return at,
            _ if byte == quote && !is_long => return at + 1,
            _ if byte == quote && text[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what_is_too_many(text: &str) -> Option<&'static str> {
        match parsed(text) {
            Err(NoTable::Crowded { what, .. }) => Some(what),
            _ => None,
        }
    }

    #[test]
    fn texts_that_take_gigabytes_are_refused_before_they_do() {
        let of = |part: &str, times| part.repeat(times);
        assert_eq!(what_is_too_many(&of("[[a]]\n", TABLES_MAX)), Some("tables"));
        assert_eq!(what_is_too_many(&of("[a.b.c]\n", TABLES_MAX)), Some("tables"));
        assert_eq!(what_is_too_many(&of("k.b.c.d.e = 1.5\n", TABLES_MAX / 4 + 1)), Some("tables"));
        let inline = format!("a = {{ b = [{}] }}", of("{ x.y.z = 1 }, ", TABLES_MAX / 3 + 1));
        assert_eq!(what_is_too_many(&inline), Some("tables"));
        assert_eq!(what_is_too_many(&format!("a = [{}]", of("1,", VALUES_MAX))), Some("values"));
        assert_eq!(
            what_is_too_many(&format!("a = [{}]", of("[],", VALUES_MAX / 2))),
            Some("values")
        );
        assert_eq!(what_is_too_many(&of("a = 1\n", VALUES_MAX + 1)), Some("values"));
    }

    #[test]
    fn what_stands_in_texts_and_numbers_counts_for_nothing() {
        let dots = ".,={[".repeat(VALUES_MAX);
        for text in [
            format!("a = \"{dots}\""),
            format!("a = '{dots}'"),
            format!("a = \"\"\"{dots}\n\"quoted\" \\\"\"\" {dots}\"\"\""),
            format!("a = '''\n{dots}'''"),
            format!("a = 1 # {dots}"),
        ] {
            assert!(parsed(&text).is_ok(), "{}", &text[..20]);
        }
        let points = format!("a = [\n{}]", "  [1.5, 2.5,\n   3.5],\n".repeat(VALUES_MAX / 8));
        assert!(parsed(&points).is_ok());
        assert!(matches!(parsed("a = \"open"), Err(NoTable::Invalid(_))));
        assert!(matches!(parsed("a = \"\\"), Err(NoTable::Invalid(_))));
    }
}
