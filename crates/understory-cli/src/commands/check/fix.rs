//! `understory check FILE --fix`: the file without the mistakes that have one remedy alone.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
use understory::scenario;
use understory_base::bounded_file;
use understory_cloud::write_whole;
use understory_files::mend::mend;
use understory_files::{FileError, schema, sensor};

use crate::commands::sensors::is_sensor;
use crate::report::usage;

/// What was mended and what was left, for people and for programs.
pub struct Fixed {
    pub text: String,
    pub value: Value,
}

/// Mends the file `name` in place; a file without a mistake of that kind is not written.
pub fn fix(name: &str) -> Result<Fixed> {
    let path = Path::new(name);
    if !path.is_file() {
        return Err(usage(format!(
            "{name}: --fix changes a scenario or sensor file, and there is no such file; `understory scenarios {name} > my.toml` gives one of a built-in scenario"
        )));
    }
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("toml")) {
        return Err(usage(format!(
            "{name}: --fix changes files that end in .toml; `understory unpack` takes the scenario out of a pack"
        )));
    }
    let text = bounded_file::read_text(path)
        .map_err(|source| FileError::Read { path: path.to_path_buf(), source })?;
    let known = match is_sensor(&text) {
        true => schema::of::<sensor::SensorFile>(),
        false => scenario::schema(),
    };
    let mended = mend(&text, name, &known).map_err(understory::Error::from)?;
    if mended.text != text {
        write_whole(path, mended.text.as_bytes())?;
    }
    let mut lines = String::new();
    for mend in &mended.mends {
        lines += &format!("{name}:{}: {} is now {}\n", mend.line, mend.was, mend.now);
    }
    for (line, why) in &mended.left {
        lines += &format!("{name}:{line}: left as it is: {why}\n");
    }
    if lines.is_empty() {
        lines = format!("{name}: nothing to fix\n");
    }
    let value = json!({
        "fixed": mended.mends.iter().map(|mend| {
            json!({ "line": mend.line, "was": mend.was, "now": mend.now })
        }).collect::<Vec<_>>(),
        "left": mended.left.iter().map(|(line, why)| json!({ "line": line, "why": why })).collect::<Vec<_>>(),
    });
    Ok(Fixed { text: lines, value })
}
