//! `understory run PACK --verify`: does a run here give what it gave where it was recorded?

use std::path::Path;

use anyhow::{Result, anyhow};
use serde_json::json;
use understory::run::RunOptions;

use crate::commands::pack::{as_recorded, simulate};
use crate::loading::Loaded;
use crate::report::usage;

/// Simulates as it was recorded, writes the outputs and compares all digests. Returns what there is
/// to tell.
pub fn verify(
    mut loaded: Loaded,
    options: RunOptions,
    folder: Option<&Path>,
    quiet: bool,
) -> Result<(String, serde_json::Value)> {
    let Some(pack) = loaded.scenario.pack() else {
        return Err(usage(format!(
            "{} is no pack, and only a pack can be verified; make one with `understory pack --record`",
            loaded.name
        )));
    };
    let manifest = pack.manifest.clone();
    let Some(recorded) = &manifest.recorded else {
        return Err(usage(format!(
            "{} has no recorded run to compare with; pack it with `understory pack --record`",
            loaded.name
        )));
    };
    // Names go into pictures, so a pack that was renamed writes the files that were recorded.
    let folder = folder.map_or_else(|| Path::new("out").join(&loaded.name), Path::to_path_buf);
    loaded.name = manifest.name.clone();
    let mut outputs = loaded.outputs(Some(&folder));
    as_recorded(&mut outputs, &manifest.name, &recorded.formats, recorded.picture)?;
    let (records, files) = simulate(&loaded, options, &outputs, quiet)?;
    let differences = recorded.differences(&records, &files);
    if !differences.is_empty() {
        let words: Vec<String> = differences.iter().map(ToString::to_string).collect();
        return Err(anyhow!(
            "the run differs from the one that was recorded by Understory {} (this is {}): {}; the new files are in {}",
            recorded.program,
            env!("CARGO_PKG_VERSION"),
            words.join(", "),
            folder.display()
        ));
    }
    let text = format!(
        "verified: {} files, and {} rows in {} columns, are as Understory {} recorded them\n",
        recorded.output.len(),
        records.rows,
        recorded.records.columns.len(),
        recorded.program
    );
    let value = json!({ "verified": true, "records": records, "output": files });
    Ok((text, value))
}
