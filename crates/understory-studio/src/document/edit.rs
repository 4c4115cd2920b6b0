//! One key changed in a text that otherwise stays as it is, comments and all.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::places::problem_at;
use crate::protocol::document::{Edit, Problem, Step};

/// The text after all edits.
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, Problem> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let sentence = format!(
            "the text is no valid TOML, so no key of it can be changed ({}); correct the line first",
            error.message().trim()
        );
        problem_at(text, error.span().unwrap_or(0..0), sentence)
    })?;
    for edit in edits {
        let outcome = match &edit.value {
            Some(value) => set(document.as_item_mut(), &edit.path, value),
            None => remove(document.as_item_mut(), &edit.path),
        };
        outcome.ok_or_else(|| {
            Problem::about(format!(
                "{} cannot be changed: there is no such place in the text",
                name(&edit.path)
            ))
        })?;
    }
    Ok(document.to_string())
}

/// `world.object.0.name`.
fn name(path: &[Step]) -> String {
    let words = path.iter().map(|step| match step {
        Step::Key(key) => key.clone(),
        Step::Place(place) => place.to_string(),
    });
    words.collect::<Vec<_>>().join(".")
}

/// Puts a value at a path; tables on the way are made.
fn set(item: &mut Item, path: &[Step], value: &Json) -> Option<()> {
    let Some((step, rest)) = path.split_first() else {
        replace(item, value)?;
        return Some(());
    };
    match step {
        Step::Key(key) => {
            if let Item::Value(Value::InlineTable(table)) = item {
                return set_inline(table, key, rest, value);
            }
            if item.is_none() {
                let mut table = Table::new();
                table.set_implicit(true);
                *item = Item::Table(table);
            }
            let table = item.as_table_mut()?;
            if !table.contains_key(key) {
                let new = match (rest.first(), value) {
                    (None, value) => new_item(value)?,
                    (Some(Step::Place(0)), _) => of_element(&rest[1..], value)?,
                    (Some(Step::Place(_)), _) => return None,
                    (Some(Step::Key(_)), _) => {
                        let mut inner = Item::None;
                        set(&mut inner, rest, value)?;
                        inner
                    }
                };
                table.insert(key, new);
                // A table that gets keys of its own needs its header.
                if rest.is_empty() || matches!(table.get(key), Some(Item::Value(_))) {
                    table.set_implicit(false);
                }
                return Some(());
            }
            set(table.get_mut(key)?, rest, value)
        }
        Step::Place(place) => {
            let place = *place as usize;
            match item {
                Item::ArrayOfTables(tables) if place == tables.len() => {
                    let mut element = Item::None;
                    set(&mut element, rest, value)?;
                    let mut table = element.into_table().ok()?;
                    table.set_implicit(false);
                    tables.push(table);
                    Some(())
                }
                Item::ArrayOfTables(tables) => {
                    let table = tables.get_mut(place)?;
                    if rest.is_empty() {
                        *table = new_table(value.as_object()?)?;
                        return Some(());
                    }
                    let mut held = Item::Table(std::mem::take(table));
                    let done = set(&mut held, rest, value);
                    *table = held.into_table().ok()?;
                    done
                }
                Item::Value(Value::Array(values)) => set_element(values, place, rest, value),
                _ => None,
            }
        }
    }
}

/// A list of one element, at which `rest` of a path lies.
fn of_element(rest: &[Step], value: &Json) -> Option<Item> {
    let mut element = Item::None;
    set(&mut element, rest, value)?;
    match element {
        Item::Table(mut table) => {
            table.set_implicit(false);
            let mut tables = ArrayOfTables::new();
            tables.push(table);
            Some(Item::ArrayOfTables(tables))
        }
        Item::Value(value) => Some(Item::Value(Value::Array(Array::from_iter([value])))),
        _ => None,
    }
}

fn set_inline(table: &mut InlineTable, key: &str, rest: &[Step], value: &Json) -> Option<()> {
    let mut held = match table.get_mut(key) {
        Some(old) => Item::Value(std::mem::replace(old, Value::from(false))),
        None => Item::None,
    };
    let done =
        if rest.is_empty() { replace(&mut held, value) } else { set(&mut held, rest, value) };
    let changed = held.into_value().ok()?;
    match table.get_mut(key) {
        Some(old) => *old = changed,
        None => {
            table.insert(key, changed);
        }
    }
    done
}

fn set_element(values: &mut Array, place: usize, rest: &[Step], value: &Json) -> Option<()> {
    if place == values.len() {
        let mut element = Item::None;
        set(&mut element, rest, value)?;
        values.push(element.into_value().ok()?);
        return Some(());
    }
    let old = values.get_mut(place)?;
    let mut held = Item::Value(std::mem::replace(old, Value::from(false)));
    let done =
        if rest.is_empty() { replace(&mut held, value) } else { set(&mut held, rest, value) };
    *old = held.into_value().ok()?;
    done
}

/// Puts a value in the place of another and keeps what stands around it.
fn replace(item: &mut Item, value: &Json) -> Option<()> {
    match (&mut *item, value) {
        (Item::Value(old), _) => {
            let mut new = new_value(value, old.is_float())?;
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        (Item::Table(old), Json::Object(keys)) => {
            let mut new = new_table(keys)?;
            *new.decor_mut() = old.decor().clone();
            new.set_position(old.position());
            *old = new;
        }
        _ => *item = new_item(value)?,
    }
    Some(())
}

fn new_item(value: &Json) -> Option<Item> {
    match value {
        Json::Object(keys) => new_table(keys).map(Item::Table),
        Json::Array(values) if !values.is_empty() && values.iter().all(Json::is_object) => {
            let mut tables = ArrayOfTables::new();
            for keys in values.iter().filter_map(Json::as_object) {
                tables.push(new_table(keys)?);
            }
            Some(Item::ArrayOfTables(tables))
        }
        other => new_value(other, false).map(Item::Value),
    }
}

fn new_table(keys: &serde_json::Map<String, Json>) -> Option<Table> {
    let mut table = Table::new();
    for (key, value) in keys.iter().filter(|(_, value)| !value.is_null()) {
        table.insert(key, new_item(value)?);
    }
    Some(table)
}

fn new_value(value: &Json, float: bool) -> Option<Value> {
    Some(match value {
        Json::Null => return None,
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(whole) if !float => Value::from(whole),
            _ => Value::from(number.as_f64()?),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(values) => {
            let float = values.iter().any(Json::is_f64);
            let values: Option<Vec<Value>> =
                values.iter().map(|value| new_value(value, float)).collect();
            Value::Array(Array::from_iter(values?))
        }
        Json::Object(keys) => {
            let mut table = InlineTable::new();
            for (key, value) in keys.iter().filter(|(_, value)| !value.is_null()) {
                table.insert(key, new_value(value, false)?);
            }
            Value::InlineTable(table)
        }
    })
}

/// Takes out what stands at a path; what is not there is no mistake.
fn remove(item: &mut Item, path: &[Step]) -> Option<()> {
    let (step, rest) = path.split_first()?;
    match (step, item) {
        (Step::Key(key), Item::Table(table)) => match (rest.is_empty(), table.get_mut(key)) {
            (_, None) => Some(()),
            (true, _) => table.remove(key).map(|_| ()),
            (false, Some(inner)) => remove(inner, rest),
        },
        (Step::Key(key), Item::Value(Value::InlineTable(table))) => {
            match (rest.is_empty(), table.get_mut(key)) {
                (_, None) => Some(()),
                (true, _) => table.remove(key).map(|_| ()),
                (false, Some(inner)) => remove_in_value(inner, rest),
            }
        }
        (Step::Place(place), Item::ArrayOfTables(tables)) => {
            let place = *place as usize;
            let table = tables.get_mut(place)?;
            if rest.is_empty() {
                tables.remove(place);
                return Some(());
            }
            let mut held = Item::Table(std::mem::take(table));
            let done = remove(&mut held, rest);
            *table = held.into_table().ok()?;
            done
        }
        (Step::Place(place), Item::Value(Value::Array(values))) => {
            let place = *place as usize;
            if rest.is_empty() {
                return (place < values.len()).then(|| drop(values.remove(place)));
            }
            remove_in_value(values.get_mut(place)?, rest)
        }
        _ => None,
    }
}

fn remove_in_value(value: &mut Value, rest: &[Step]) -> Option<()> {
    let mut held = Item::Value(std::mem::replace(value, Value::from(false)));
    let done = remove(&mut held, rest);
    *value = held.into_value().ok()?;
    done
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use serde_json::json;

    fn path(words: &str) -> Vec<Step> {
        words
            .split('.')
            .map(|word| match word.parse() {
                Ok(place) => Step::Place(place),
                Err(_) => Step::Key(word.to_owned()),
            })
            .collect()
    }

    fn edited(text: &str, at: &str, value: Json) -> String {
        let value = Some(value).filter(|value| !value.is_null());
        apply(text, &[Edit { path: path(at), value }]).unwrap()
    }

    #[test]
    fn one_key_changes_and_comments_stay() {
        let text = "# what it is\nseed = 1 # drawn\n\n[[sensor]]\nname = \"a\" # the first\nposition_m = [0.0, 0.0, 1.5]\n";
        let seeded = edited(text, "seed", json!(7));
        assert_eq!(seeded, text.replace("seed = 1", "seed = 7"));
        let moved = edited(text, "sensor.0.position_m.2", json!(2));
        assert_eq!(moved, text.replace("1.5", "2.0"));
        let whole = edited(text, "sensor.0.position_m", json!([1, 2.5, 3]));
        assert!(whole.contains("position_m = [1.0, 2.5, 3.0]"), "{whole}");
        let named = edited(text, "sensor.0.name", json!("b"));
        assert!(named.contains("name = \"b\" # the first"), "{named}");
    }

    #[test]
    fn tables_are_made_and_taken_out() {
        let text = "seed = 1\n[world]\n[[sensor]]\nname = \"a\"\n";
        let rain = edited(text, "world.atmosphere.rain.rate_mm_per_h", json!(4.5));
        let value: Json = toml_edit::de::from_str(&rain).unwrap();
        assert_eq!(value["world"]["atmosphere"]["rain"]["rate_mm_per_h"], json!(4.5), "{rain}");
        let two = edited(text, "sensor.1", json!({ "name": "b", "preset": "vlp-16" }));
        let value: Json = toml_edit::de::from_str(&two).unwrap();
        assert_eq!(value["sensor"][1]["preset"], json!("vlp-16"), "{two}");
        assert_eq!(edited(&two, "sensor.1", Json::Null).trim(), text.trim());
        let first = edited("a = 1\n", "world.object.0.name", json!("box"));
        let value: Json = toml_edit::de::from_str(&first).unwrap();
        assert_eq!(value, json!({ "a": 1, "world": { "object": [{ "name": "box" }] } }), "{first}");
        assert_eq!(edited("a = 1\nb = 2\n", "a", Json::Null), "b = 2\n");
        assert_eq!(edited("a = 1\n", "missing.key", Json::Null), "a = 1\n");
        let inline = edited("a = { b = 1, c = [1, 2] }\n", "a.c.1", json!(5));
        assert_eq!(inline, "a = { b = 1, c = [1, 5] }\n");
        let short = edited("a = { b = 1, c = 2 }\n", "a.c", Json::Null);
        assert_eq!(short.replace(' ', ""), "a={b=1}\n");
    }

    #[test]
    fn what_cannot_be_is_said() {
        let edit = |text: &str, at: &str| {
            apply(text, &[Edit { path: path(at), value: Some(json!(1)) }]).unwrap_err().sentence
        };
        assert!(edit("a = ", "b").contains("no valid TOML"));
        assert!(edit("a = [1]", "a.7").contains("a.7 cannot be changed"));
        assert!(edit("a = 1", "a.b").contains("a.b cannot be changed"));
    }
}
