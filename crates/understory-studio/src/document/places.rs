//! Where keys stand in a text.

use std::ops::Range;

use toml_edit::{Document, Item, Value};

use crate::protocol::document::{KeyPlace, Problem, Step};

/// Keys told at most: enough for every form, and no page waits for a million.
const PLACES_MAX: usize = 20_000;

/// Line and column, both from 1, of a byte of a text.
pub fn line_and_column(text: &str, byte: usize) -> (u32, u32) {
    let byte = (0..=byte.min(text.len())).rev().find(|b| text.is_char_boundary(*b)).unwrap_or(0);
    let before = text.get(..byte).unwrap_or_default();
    let line = before.matches('\n').count() as u32 + 1;
    let begin = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before.get(begin..).unwrap_or_default().chars().count() as u32 + 1)
}

/// A problem with what stands at `span` of a text.
pub fn problem_at(text: &str, span: Range<usize>, sentence: String) -> Problem {
    let (line, column) = line_and_column(text, span.start);
    let (end_line, end_column) = line_and_column(text, span.end);
    let end_column = (end_line == line).then_some(end_column);
    Problem { sentence, line: Some(line), column: Some(column), end_column }
}

/// Places of all keys of a text; none if it is no TOML.
pub fn of(text: &str) -> Vec<KeyPlace> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let mut places = Places { lines: line_starts(text), text, found: Vec::new(), path: Vec::new() };
    places.item(document.as_item());
    places.found
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(byte, _)| byte + 1)).collect()
}

struct Places<'a> {
    lines: Vec<usize>,
    text: &'a str,
    found: Vec<KeyPlace>,
    path: Vec<Step>,
}

impl Places<'_> {
    fn note(&mut self, span: Option<Range<usize>>) {
        let Some(span) = span.filter(|_| self.found.len() < PLACES_MAX) else { return };
        if self.path.is_empty() {
            return;
        }
        let line = self.lines.partition_point(|start| *start <= span.start);
        let begin = self.lines.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(begin..span.start).unwrap_or_default();
        self.found.push(KeyPlace {
            path: self.path.clone(),
            line: line as u32,
            column: before.chars().count() as u32 + 1,
        });
    }

    fn within(&mut self, step: Step, visit: impl FnOnce(&mut Self)) {
        self.path.push(step);
        visit(self);
        self.path.pop();
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::None => {}
            Item::Value(value) => self.value(value),
            Item::Table(table) => {
                self.note(table.span());
                for (key, item) in table {
                    self.within(Step::Key(key.to_owned()), |places| places.item(item));
                }
            }
            Item::ArrayOfTables(tables) => {
                self.note(tables.span());
                for (place, table) in tables.iter().enumerate() {
                    self.within(Step::Place(place as u32), |places| {
                        places.note(table.span());
                        for (key, item) in table {
                            places.within(Step::Key(key.to_owned()), |inner| inner.item(item));
                        }
                    });
                }
            }
        }
    }

    fn value(&mut self, value: &Value) {
        self.note(value.span());
        match value {
            Value::Array(values) => {
                for (place, value) in values.iter().enumerate() {
                    self.within(Step::Place(place as u32), |places| places.value(value));
                }
            }
            Value::InlineTable(table) => {
                for (key, value) in table {
                    self.within(Step::Key(key.to_owned()), |places| places.value(value));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn keys_are_where_they_stand() {
        let text = "a = 1\n[[b.c]]\nd = { e = [1, 22] }\n";
        let places = of(text);
        let at = |path: &str| {
            let found = places.iter().find(|place| {
                let words: Vec<String> = place
                    .path
                    .iter()
                    .map(|step| match step {
                        Step::Key(key) => key.clone(),
                        Step::Place(place) => place.to_string(),
                    })
                    .collect();
                words.join(".") == path
            });
            found.map(|place| (place.line, place.column)).unwrap()
        };
        assert_eq!((at("a"), at("b.c.0.d"), at("b.c.0.d.e.1")), ((1, 5), (3, 5), (3, 15)));
        assert_eq!(line_and_column("é\nab", 4), (2, 2));
        assert_eq!(line_and_column("é", 1), (1, 1));
    }
}
