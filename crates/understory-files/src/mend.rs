//! Mistakes of a file that have one remedy alone, mended: keys in another unit, and names of before.
//!
//! What enters: the text of a file and its schema. What leaves: the text with these keys, words and
//! numbers exchanged and nothing else touched, and a line for each exchange. A key that the schema
//! does not know is written anew where a known one has the same stem and a unit of the same kind
//! (`range_max_mm = 1500` is `range_max_m = 1.5`), or where it is the old name of a known one
//! (such as [`VENDOR`]). What could mean two things is left, and said.

use std::ops::Range;

use serde_json::{Map, Value as Json};
use toml_edit::{Document, Item, TableLike, Value};

use crate::layered_toml::line_of;
use crate::{FileError, hint};

/// Levels of detail of a world: the key's old and new name.
pub const VEGETATION_LOD: (&str, &str) = ("far_plants", "vegetation_lod");
/// Who makes a sensor: the key's old and new name.
pub const VENDOR: (&str, &str) = ("maker", "vendor");
/// The pose by which points are registered: the word's old and new form.
pub const ESTIMATED: (&str, &str) = ("believed", "estimated");

/// Keys that have a newer name.
const RENAMED_KEYS: [(&str, &str); 2] = [VEGETATION_LOD, VENDOR];
/// Words that have a newer one, after the key under which they stand.
const RENAMED_WORDS: [(&str, (&str, &str)); 1] = [("register", ESTIMATED)];

/// One exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct Mend {
    /// Line of the text, from 1.
    pub line: usize,
    /// What stood there.
    pub was: String,
    /// What stands there now.
    pub now: String,
}

/// A text whose unambiguous mistakes are mended.
#[derive(Debug)]
pub struct Mended {
    /// The whole text.
    pub text: String,
    /// What was exchanged, in the order of the text.
    pub mends: Vec<Mend>,
    /// What looks alike and was left: line, and why.
    pub left: Vec<(usize, String)>,
}

/// Mends `text`, a file that is called `name` and follows `schema`.
pub fn mend(text: &str, name: &str, schema: &Json) -> Result<Mended, FileError> {
    let document = Document::parse(text).map_err(|error| FileError::Invalid {
        location: error
            .span()
            .map_or_else(|| name.to_owned(), |span| format!("{name}:{}", line_of(text, &span))),
        problem: format!("this is not valid TOML: {}", error.message().trim().replace('\n', ", ")),
        remedy: "correct the line by hand".into(),
    })?;
    let mut pass = Pass { text, schema, edits: Vec::new(), mends: Vec::new(), left: Vec::new() };
    pass.table(document.as_table(), &pass.tables_of(&[schema]));
    let Pass { mut edits, mut mends, mut left, .. } = pass;
    edits.sort_by_key(|(span, _)| span.start);
    mends.sort_by_key(|mend| mend.line);
    left.sort();
    let mut mended = String::with_capacity(text.len());
    let mut done = 0;
    for (span, new) in edits {
        mended.push_str(&text[done..span.start]);
        mended.push_str(&new);
        done = span.end;
    }
    mended.push_str(&text[done..]);
    Ok(Mended { text: mended, mends, left })
}

struct Pass<'a> {
    text: &'a str,
    schema: &'a Json,
    edits: Vec<(Range<usize>, String)>,
    mends: Vec<Mend>,
    left: Vec<(usize, String)>,
}

impl<'a> Pass<'a> {
    /// The tables that values of these schemas may be.
    fn tables_of(&self, schemas: &[&'a Json]) -> Vec<&'a Map<String, Json>> {
        let mut tables = Vec::new();
        let mut open = schemas.to_vec();
        // No definition of a file's schema holds itself without a table between; the bound is for others'.
        for _ in 0..1000 {
            let Some(schema) = open.pop() else { break };
            let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
            open.extend(name.map(|name| &self.schema["$defs"][name]));
            for choices in [&schema["oneOf"], &schema["anyOf"], &schema["allOf"]] {
                open.extend(choices.as_array().into_iter().flatten());
            }
            tables.extend(schema["properties"].as_object());
        }
        tables
    }

    /// The schemas of the elements of lists that values of these schemas may be.
    fn elements_of(&self, schemas: &[&'a Json]) -> Vec<&'a Json> {
        let mut elements = Vec::new();
        let mut open = schemas.to_vec();
        for _ in 0..1000 {
            let Some(schema) = open.pop() else { break };
            let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
            open.extend(name.map(|name| &self.schema["$defs"][name]));
            for choices in [&schema["oneOf"], &schema["anyOf"], &schema["allOf"]] {
                open.extend(choices.as_array().into_iter().flatten());
            }
            elements.extend(schema.get("items"));
        }
        elements
    }

    fn table(&mut self, table: &dyn TableLike, known: &[&'a Map<String, Json>]) {
        if known.is_empty() {
            return;
        }
        for (name, item) in table.iter() {
            let schemas: Vec<&Json> = known.iter().filter_map(|keys| keys.get(name)).collect();
            if schemas.is_empty() {
                self.unknown(table, name, item, known);
            } else {
                self.old_key_or_word(table, name, item);
                self.inside(item, &schemas);
            }
        }
    }

    /// What stands below a known key.
    fn inside(&mut self, item: &Item, schemas: &[&'a Json]) {
        match item {
            Item::Table(table) => self.table(table, &self.tables_of(schemas)),
            Item::ArrayOfTables(tables) => {
                let known = self.tables_of(&self.elements_of(schemas));
                tables.iter().for_each(|table| self.table(table, &known));
            }
            Item::Value(value) => self.inside_value(value, schemas),
            Item::None => {}
        }
    }

    fn inside_value(&mut self, value: &Value, schemas: &[&'a Json]) {
        match value {
            Value::InlineTable(table) => self.table(table, &self.tables_of(schemas)),
            Value::Array(values) => {
                let elements = self.elements_of(schemas);
                values.iter().for_each(|value| self.inside_value(value, &elements));
            }
            _ => {}
        }
    }

    /// A key that is known by an old name too, or a word that has a newer one.
    fn old_key_or_word(&mut self, table: &dyn TableLike, name: &str, item: &Item) {
        if let Some((_, new)) = RENAMED_KEYS.iter().find(|(old, _)| *old == name) {
            self.renamed(table, name, new);
        }
        let word = item.as_str().unwrap_or_default();
        let newer = RENAMED_WORDS.iter().find(|(key, (old, _))| *key == name && *old == word);
        if let (Some((_, (old, new))), Some(span)) = (newer, item.span()) {
            let (was, now) = (format!("{name} = \"{old}\""), format!("{name} = \"{new}\""));
            self.mends.push(Mend { line: line_of(self.text, &span), was, now });
            self.edits.push((span, format!("\"{new}\"")));
        }
    }

    fn renamed(&mut self, table: &dyn TableLike, old: &str, new: &str) {
        let Some(span) = key_span(table, old) else { return };
        let line = line_of(self.text, &span);
        if table.contains_key(new) {
            return self.left.push((line, format!("`{old}` and `{new}` say the same; remove one")));
        }
        self.mends.push(Mend { line, was: old.to_owned(), now: new.to_owned() });
        self.edits.push((span, new.to_owned()));
    }

    /// A key that the schema does not know.
    fn unknown(
        &mut self,
        table: &dyn TableLike,
        name: &str,
        item: &Item,
        known: &[&'a Map<String, Json>],
    ) {
        let is_known = |key: &str| known.iter().any(|keys| keys.contains_key(key));
        let renamed = RENAMED_KEYS.iter().find(|(old, new)| *old == name && is_known(new));
        if let Some((old, new)) = renamed {
            return self.renamed(table, old, new);
        }
        let Some(span) = key_span(table, name) else { return };
        let line = line_of(self.text, &span);
        let mut others: Vec<(&str, f64)> = known
            .iter()
            .flat_map(|keys| keys.keys())
            .filter_map(|key| Some((key.as_str(), hint::conversion(name, key)?)))
            .collect();
        others.sort_by(|a, b| a.0.cmp(b.0));
        others.dedup_by(|a, b| a.0 == b.0);
        let (new, factor) = match others[..] {
            [one] => one,
            [] => return,
            _ => {
                let keys: Vec<String> = others.iter().map(|(key, _)| format!("`{key}`")).collect();
                let why = format!("`{name}` may be {}; choose one", keys.join(" or "));
                return self.left.push((line, why));
            }
        };
        if table.contains_key(new) {
            let why = format!("`{name}` and `{new}` say the same; remove one");
            return self.left.push((line, why));
        }
        let mut numbers = Vec::new();
        let numeric = item.as_value().is_some_and(|value| converted(value, factor, &mut numbers));
        let Some(value_span) = item.span().filter(|_| numeric && !numbers.is_empty()) else {
            let why = format!("`{name}` holds no number that could be converted to `{new}`");
            return self.left.push((line, why));
        };
        let mut now = self.text[value_span.clone()].to_owned();
        for (number, new) in numbers.iter().rev() {
            now.replace_range(number.start - value_span.start..number.end - value_span.start, new);
        }
        let was = format!("{name} = {}", &self.text[value_span]);
        self.mends.push(Mend { line, was, now: format!("{new} = {now}") });
        self.edits.push((span, new.to_owned()));
        self.edits.extend(numbers);
    }
}

/// Where a key of a table stands.
fn key_span(table: &dyn TableLike, name: &str) -> Option<Range<usize>> {
    table.key(name)?.span()
}

/// Every number of a value times `factor`, with its place; false if there is anything else in it.
fn converted(value: &Value, factor: f64, numbers: &mut Vec<(Range<usize>, String)>) -> bool {
    let number = match value {
        Value::Integer(number) => *number.value() as f64,
        Value::Float(number) => *number.value(),
        Value::Array(values) => {
            return values.iter().all(|value| converted(value, factor, numbers));
        }
        _ => return false,
    };
    let Some(span) = value.span() else { return false };
    numbers.push((span, shortest(number * factor)));
    true
}

/// A number without the last digits, which conversion made: 0.30000000000000004 is 0.3.
fn shortest(number: f64) -> String {
    let rounded: f64 = format!("{number:.12e}").parse().unwrap_or(number);
    format!("{rounded:?}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Json {
        json!({
            "properties": {
                "range_max_m": {"type": "number"},
                "far_plants": {"type": "string"},
                "vegetation_lod": {"type": "string"},
                "sensor": {"type": "array", "items": {"$ref": "#/$defs/Sensor"}},
            },
            "$defs": {
                "Sensor": {"oneOf": [
                    {"properties": {"position_m": {"type": "array"}, "yaw_deg": {}, "speed_m_s": {}}},
                    {"properties": {"register": {"type": "string"}, "step_m": {}, "step_deg": {}}},
                ]},
            },
        })
    }

    fn mended(text: &str) -> Mended {
        mend(text, "a.toml", &schema()).unwrap()
    }

    #[test]
    fn keys_in_other_units_are_converted_and_nothing_else_is_touched() {
        let text = "# how far\nrange_max_mm = 1_500 # mm\n\n[[sensor]]\nposition_cm = [ 10, 20.5,\n  -3 ]\nyaw_rad = 0.5\nspeed_kmh = 36\n";
        let found = mended(text);
        assert_eq!(
            found.text,
            "# how far\nrange_max_m = 1.5 # mm\n\n[[sensor]]\nposition_m = [ 0.1, 0.205,\n  -0.03 ]\nyaw_deg = 28.64788975654\nspeed_m_s = 10.0\n"
        );
        assert_eq!(found.mends.len(), 4);
        assert_eq!(found.mends[0].line, 2);
        assert_eq!(found.mends[0].was, "range_max_mm = 1_500");
        assert_eq!(found.mends[0].now, "range_max_m = 1.5");
        assert!(found.left.is_empty());
    }

    #[test]
    fn old_names_become_new_ones() {
        let found = mended("far_plants = \"auto\"\nsensor = [{ register = \"believed\" }]\n");
        assert_eq!(
            found.text,
            "vegetation_lod = \"auto\"\nsensor = [{ register = \"estimated\" }]\n"
        );
    }

    #[test]
    fn what_could_mean_two_things_is_left_and_said() {
        let found = mended(
            "range_max_m = 1\nrange_max_mm = 2\n[[sensor]]\nstep_mrad = 1\nyaw_rad = \"a\"\n",
        );
        assert_eq!(found.mends.len(), 1, "{:?}", found.mends);
        assert_eq!(
            found.left[0],
            (2, "`range_max_mm` and `range_max_m` say the same; remove one".into())
        );
        assert!(found.left[1].1.contains("holds no number"), "{:?}", found.left);
        // Neither a misspelled key nor one that is only similar is touched.
        for text in ["range_mx_m = 3\n", "range_max = 3\n", "range_max_s = 3\n", "sensor = 3\n"] {
            assert_eq!(mended(text).text, text);
        }
    }

    #[test]
    fn a_text_that_is_no_toml_is_refused_with_its_line() {
        let error = mend("a = 1\nb = = 2\n", "a.toml", &schema()).unwrap_err();
        assert!(error.to_string().starts_with("a.toml:2: this is not valid TOML"), "{error}");
    }
}
