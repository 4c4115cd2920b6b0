//! `docs/dependencies.md` has a reason for each crate that `Cargo.toml` names, and for no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::shell::root;

/// Where the reasons stand.
const REASONS: &str = "docs/dependencies.md";

/// Fails where a crate has no reason, or a reason no crate.
pub fn check() -> Result<()> {
    let used = used(&read(&root().join("Cargo.toml"))?)?;
    let reasons = reasons(&read(&root().join(REASONS))?)?;
    let missing: Vec<&String> = used.difference(&reasons).collect();
    if !missing.is_empty() {
        bail!("Cargo.toml names {missing:?}, and {REASONS} does not say what for");
    }
    let gone: Vec<&String> = reasons.difference(&used).collect();
    if !gone.is_empty() {
        bail!("{REASONS} says what {gone:?} is for, and Cargo.toml does not name it");
    }
    println!("all {} direct dependencies have a reason", used.len());
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The crates of other people in the table of the workspace.
fn used(manifest: &str) -> Result<BTreeSet<String>> {
    let manifest: toml::Table = manifest.parse().context("Cargo.toml is no TOML")?;
    let all = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let all = all.and_then(toml::Value::as_table).context("Cargo.toml names no dependencies")?;
    let others = all.iter().filter(|(_, value)| value.get("path").is_none());
    Ok(others.map(|(name, _)| name.clone()).collect())
}

/// The crates in the table of reasons.
fn reasons(page: &str) -> Result<BTreeSet<String>> {
    let mut crates = BTreeSet::new();
    for row in page.lines() {
        let Some((name, reason)) = row.strip_prefix("| `").and_then(|row| row.split_once("` | "))
        else {
            continue;
        };
        let reason = reason.trim_end_matches('|').trim();
        ensure!(reason.len() > 2, "{REASONS} has no reason for {name}");
        ensure!(crates.insert(name.to_owned()), "{REASONS} has {name} twice");
    }
    Ok(crates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dependency_has_its_reason() {
        check().unwrap();
    }

    #[test]
    fn tables_are_read() {
        let manifest = "[workspace.dependencies]\nours = { path = \"a\" }\ntheirs = \"1\"\nlong = { version = \"2\" }";
        let used = used(manifest).unwrap();
        assert_eq!(used.iter().map(String::as_str).collect::<Vec<_>>(), ["long", "theirs"]);
        let page = "| crate | what for |\n| --- | --- |\n| `theirs` | letters |\n";
        assert!(reasons(page).unwrap().contains("theirs"));
        assert!(reasons("| `theirs` |  |").is_err());
        assert!(reasons("| `a` | one |\n| `a` | two |").is_err());
    }
}
