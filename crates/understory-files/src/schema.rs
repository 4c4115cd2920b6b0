//! JSON schemas of files, and the reference of their keys.
//!
//! What enters: a struct whose keys have comments and types with limits. What leaves: its JSON
//! schema, for editors and other programs; and a page with a table of keys for every table of the
//! file. Both are generated, so that they say what the reader does.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schema of a file that is read as a `T`.
pub fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = Some("https://json-schema.org/draft/2020-12/schema".into());
    let schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    tidy(&mut schema);
    schema
}

/// Takes out what says nothing of TOML: there is no null in it, and its numbers have one width.
fn tidy(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(tidy),
        Value::Object(object) => {
            object.values_mut().for_each(tidy);
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
            // As a word of the schema; as a key of a file it has a schema of its own.
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = &types[..] {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type") != Some(&Value::from("null")));
                if let [Value::Object(only)] = &choices[..] {
                    let only = only.clone();
                    object.remove("anyOf");
                    for (key, value) in only {
                        object.entry(key).or_insert(value);
                    }
                }
            }
        }
        _ => {}
    }
}

/// A page with all keys of a file, as Markdown.
pub fn reference(schema: &Value, title: &str, about: &str) -> String {
    let mut page = Page { schema, text: format!("# {title}\n\n{about}\n"), done: Vec::new() };
    page.table("top level", schema, "");
    page.text
}

struct Page<'a> {
    schema: &'a Value,
    text: String,
    /// Definitions that have a section already, and its heading.
    done: Vec<(&'a str, String)>,
}

impl<'a> Page<'a> {
    /// The definition that a schema refers to, or itself, and its name.
    fn resolve(&self, schema: &'a Value) -> (Option<&'a str>, &'a Value) {
        let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        match name {
            Some(name) => (Some(name), &self.schema["$defs"][name]),
            None => (None, schema),
        }
    }

    /// A section for a table of the file, then those of the tables in it.
    fn table(&mut self, heading: &str, table: &'a Value, path: &str) {
        self.text += &format!("\n## {heading}\n\n");
        if let Some(about) = table["description"].as_str() {
            self.text += &format!("{}\n\n", one_line(about));
        }
        self.keys(table, path);
    }

    fn keys(&mut self, table: &'a Value, path: &str) {
        let Some(properties) = table["properties"].as_object() else { return };
        let required = table["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        self.text += "| key | value | meaning |\n| --- | --- | --- |\n";
        let mut inner: Vec<(String, &'a Value, String)> = Vec::new();
        for (key, schema) in properties {
            let needed = required.iter().any(|name| name == key);
            let meaning = schema["description"].as_str().unwrap_or_default();
            let kind = self.kind(schema);
            let needed = if needed { "**needed**, " } else { "" };
            self.text += &format!(
                "| `{key}` | {needed}{} | {} |\n",
                kind.replace('|', "\\|"),
                one_line(meaning).replace('|', "\\|")
            );
            let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let (element, heading) = match schema.get("items") {
                Some(items) => (items, format!("`[[{below}]]`")),
                None => (schema, format!("`[{below}]`")),
            };
            inner.push((heading, element, below));
        }
        for (heading, element, below) in inner {
            self.below(&heading, element, &below);
        }
    }

    /// What stands under a key, if it has keys or words of its own.
    fn below(&mut self, heading: &str, element: &'a Value, path: &str) {
        let (name, schema) = self.resolve(element);
        let has_section = schema["properties"].is_object() || schema["oneOf"].is_array();
        let Some(name) = name.filter(|_| has_section) else { return };
        if let Some((_, other)) = self.done.iter().find(|(known, _)| *known == name) {
            if schema["properties"].is_object() && other != heading {
                self.text += &format!("\n## {heading}\n\nThe keys of {other}.\n");
            }
            return;
        }
        self.done.push((name, heading.to_owned()));
        if schema["properties"].is_object() {
            self.table(heading, schema, path);
            return;
        }
        let choices = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        if choices.iter().any(|choice| choice["properties"].is_object()) {
            self.text += &format!("\n## {heading}\n\n");
            for choice in choices {
                let kind = choice["properties"]["kind"]["const"].as_str().unwrap_or_default();
                let about = choice["description"].as_str().unwrap_or_default();
                self.text += &format!("### `kind = \"{kind}\"`\n\n{}\n\n", one_line(about));
                let (_, own) = self.resolve(choice);
                self.keys(own, path);
                self.text += "\n";
            }
            return;
        }
        let key = path.rsplit('.').next().unwrap_or(path);
        self.text += &format!("\n**Words of `{key}`.**\n\n");
        for choice in choices {
            let word = choice["const"].as_str().unwrap_or_default();
            let about = choice["description"].as_str().unwrap_or_default();
            self.text += &format!("- `\"{word}\"`: {}\n", one_line(about));
        }
    }

    /// What a value may be, in words.
    fn kind(&self, schema: &'a Value) -> String {
        let (_, schema) = self.resolve(schema);
        if let Some(choices) = schema["anyOf"].as_array() {
            let kinds: Vec<String> = choices.iter().map(|choice| self.kind(choice)).collect();
            return kinds.join(" or ");
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let words: Vec<String> = choices
                .iter()
                .filter_map(|choice| Some(format!("`\"{}\"`", choice["const"].as_str()?)))
                .collect();
            return if words.is_empty() { "table with `kind`".into() } else { words.join(", ") };
        }
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            return words.join(", ");
        }
        match schema["type"].as_str() {
            Some("number") => format!("number{}", bounds(schema)),
            Some("integer") => format!("whole number{}", bounds(schema)),
            Some("boolean") => "`true` or `false`".into(),
            Some("string") => "text".into(),
            Some("object") => "table".into(),
            Some("array") => {
                let items = &schema["items"];
                let (_, element) = self.resolve(items);
                let what = match element["type"].as_str() {
                    Some("object") => "tables".to_owned(),
                    Some("number") => format!("numbers{}", bounds(element)),
                    Some("integer") => format!("whole numbers{}", bounds(element)),
                    Some("string") => "texts".to_owned(),
                    _ => format!("lists of {}", self.kind(items)),
                };
                match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                    (Some(low), Some(high)) if low == high => format!("{low} {what}"),
                    (Some(low), None) if low > 0 => format!("list of {low} or more {what}"),
                    _ => format!("list of {what}"),
                }
            }
            _ => "any value".into(),
        }
    }
}

/// Limits of a number, in words that follow "number".
fn bounds(schema: &Value) -> String {
    let limit = |key: &str| schema[key].as_f64();
    let (low, high) = (limit("minimum"), limit("maximum"));
    let (above, below) = (limit("exclusiveMinimum"), limit("exclusiveMaximum"));
    match (low, above, high, below) {
        (Some(low), _, Some(high), _) if low == -high && high >= 1e6 => String::new(),
        (Some(low), _, Some(high), _) if low == 0.0 && high >= 4e9 => String::new(),
        (Some(low), _, Some(high), _) => format!(" from {low} to {high}"),
        (Some(low), _, None, _) => format!(" of {low} or more"),
        (_, Some(above), Some(high), _) if high < 1e9 => {
            format!(" above {above}, at most {high}")
        }
        (_, Some(above), _, Some(below)) => format!(" between {above} and {below}"),
        (_, Some(above), _, _) => format!(" above {above}"),
        _ => String::new(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
