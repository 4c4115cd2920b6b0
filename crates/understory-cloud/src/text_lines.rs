//! Lines of text: how other people's tables and poses are cut into names and numbers.

use std::io::{self, BufRead};

/// A line longer than this is not believed.
pub(crate) const LINE_MAX: u64 = 1 << 16;

/// The next line without its end, or `None` at the end of the file.
pub(crate) fn next_line<'a>(
    reader: &mut impl BufRead,
    line: &'a mut Vec<u8>,
) -> io::Result<Option<&'a str>> {
    line.clear();
    let read = io::Read::take(&mut *reader, LINE_MAX).read_until(b'\n', line)?;
    if read as u64 == LINE_MAX && line.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line has more than 65536 bytes"));
    }
    if read == 0 {
        return Ok(None);
    }
    let bad = |_| io::Error::new(io::ErrorKind::InvalidData, "it is no text");
    let text = std::str::from_utf8(line).map_err(bad)?;
    Ok(Some(text.trim_end_matches(['\n', '\r'])))
}

/// Calls `each` with every line and its number from 1.
pub(crate) fn each_line<E>(
    mut reader: impl BufRead,
    mut each: impl FnMut(u64, &str) -> Result<(), E>,
) -> io::Result<Result<(), E>> {
    let mut line = Vec::new();
    let mut number = 0;
    while let Some(text) = next_line(&mut reader, &mut line)? {
        number += 1;
        if let Err(error) = each(number, text) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// What stands between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Letter(char),
    Blanks,
}

impl Separator {
    /// The separator of a line.
    pub(crate) fn from_line(line: &str) -> Separator {
        [',', ';', '\t']
            .into_iter()
            .find(|&c| line.contains(c))
            .map_or(Separator::Blanks, Separator::Letter)
    }

    /// The values of a line.
    pub(crate) fn split(self, line: &str) -> Values<'_> {
        match self {
            Separator::Letter(letter) => Values::Letter(line.split(letter)),
            Separator::Blanks => Values::Blanks(line.split_ascii_whitespace()),
        }
    }
}

/// The values of one line.
pub(crate) enum Values<'a> {
    Letter(std::str::Split<'a, char>),
    Blanks(std::str::SplitAsciiWhitespace<'a>),
}

impl<'a> Iterator for Values<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        match self {
            Values::Letter(values) => values.next(),
            Values::Blanks(values) => values.next(),
        }
    }
}

/// A number, or NaN for an empty field.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() }
}

/// A name in small letters without blanks around it.
pub(crate) fn plain(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).trim().to_ascii_lowercase().replace([' ', '-'], "_")
}
