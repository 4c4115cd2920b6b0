//! A TOML text with some of its values changed, and everything else as it was typed.

use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

use crate::Error;

/// A value that is to be another.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Where it stands.
    pub span: Range<usize>,
    /// The key that it gets, where that changes, too.
    pub key: Option<&'static str>,
    /// The string that it becomes.
    pub value: String,
}

/// Makes the edits; `location` names the file in errors.
pub fn rewrite(text: &str, location: &str, edits: &[Edit]) -> Result<String, Error> {
    let lost = || {
        let problem = "a path in it cannot be changed to that within a pack";
        Error::invalid(location, problem, "write it as a string of its own, in quotes")
    };
    let table = DeTable::parse(text).map_err(|_| lost())?;
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    in_table(table.get_ref(), edits, &mut changes);
    if changes.len() != edits.iter().map(|edit| 1 + usize::from(edit.key.is_some())).sum::<usize>()
    {
        return Err(lost());
    }
    changes.sort_by_key(|(span, _)| span.start);
    let (mut new, mut done) = (String::with_capacity(text.len()), 0);
    for (span, value) in changes {
        new += text.get(done..span.start).ok_or_else(lost)?;
        new += &value;
        done = span.end;
    }
    new += text.get(done..).ok_or_else(lost)?;
    Ok(new)
}

fn in_table(table: &DeTable<'_>, edits: &[Edit], changes: &mut Vec<(Range<usize>, String)>) {
    for (key, value) in table {
        if let (DeValue::String(_), Some(edit)) = (value.get_ref(), at(edits, &value.span())) {
            changes.extend(edit.key.map(|new| (key.span(), new.to_owned())));
        }
        in_value(value, edits, changes);
    }
}

fn in_value(
    value: &toml::Spanned<DeValue<'_>>,
    edits: &[Edit],
    changes: &mut Vec<(Range<usize>, String)>,
) {
    match value.get_ref() {
        DeValue::Table(table) => in_table(table, edits, changes),
        DeValue::Array(array) => in_array(array, edits, changes),
        DeValue::String(_) => {
            if let Some(edit) = at(edits, &value.span()) {
                let quoted = toml::Value::String(edit.value.clone()).to_string();
                changes.push((value.span(), quoted));
            }
        }
        _ => {}
    }
}

fn in_array(array: &DeArray<'_>, edits: &[Edit], changes: &mut Vec<(Range<usize>, String)>) {
    array.iter().for_each(|value| in_value(value, edits, changes));
}

fn at<'e>(edits: &'e [Edit], span: &Range<usize>) -> Option<&'e Edit> {
    edits.iter().find(|edit| edit.span == *span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Spanned;

    #[test]
    fn values_change_and_comments_stay() {
        let text = "# top\n[[sensor]] # s\npreset = 'vlp-16' # mine\nfiles = [\"a\\u0062.csv\", \"c.csv\"]\n\
                    table = { file = '''x\"y''', n = 1 }\n";
        let table = DeTable::parse(text).unwrap();
        let DeValue::Array(sensors) = table.get_ref()["sensor"].get_ref() else { panic!() };
        let DeValue::Table(sensor) = sensors[0].get_ref() else { panic!() };
        let span = |value: &Spanned<DeValue<'_>>| value.span();
        let DeValue::Array(files) = sensor["files"].get_ref() else { panic!() };
        let DeValue::Table(inner) = sensor["table"].get_ref() else { panic!() };
        let edits = [
            Edit { span: span(&inner["file"]), key: None, value: "p/\"q\".csv".into() },
            Edit { span: span(&sensor["preset"]), key: Some("file"), value: "v.toml".into() },
            Edit { span: span(&files[0]), key: None, value: "ü\n".into() },
        ];
        let new = rewrite(text, "a.toml", &edits).unwrap();
        let read: toml::Table = new.parse().unwrap();
        let sensor = read["sensor"][0].as_table().unwrap();
        assert_eq!(sensor["file"].as_str(), Some("v.toml"));
        assert!(!sensor.contains_key("preset"));
        assert_eq!(sensor["files"][0].as_str(), Some("ü\n"));
        assert_eq!(sensor["files"][1].as_str(), Some("c.csv"));
        assert_eq!(sensor["table"]["file"].as_str(), Some("p/\"q\".csv"));
        assert!(new.starts_with("# top\n[[sensor]] # s\nfile = \"v.toml\" # mine\n"), "{new}");
        assert!(
            rewrite(text, "a.toml", &[Edit { span: 1..3, key: None, value: "".into() }]).is_err()
        );
    }
}
