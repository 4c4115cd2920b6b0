//! Documents name files; this finds the names, so that a test can see that the files exist.
#![cfg(test)]

use std::fs;
use std::path::Path;

use crate::shell::root;

/// Every path that a document names, with its line: words in backticks that look like paths, and
/// targets of links. Paths of the user's own (`out/…`) and patterns (`*`, `<name>`) are no names.
fn named_paths(markdown: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (index, line) in markdown.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        if in_block {
            continue;
        }
        let quoted = line.split('`').skip(1).step_by(2).filter(|word| looks_like_a_path(word));
        let linked = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next())
            .filter(|target| !target.is_empty() && !target.contains("://"));
        found.extend(quoted.chain(linked).map(|path| (index + 1, path.to_owned())));
    }
    found
}

fn looks_like_a_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let ending = [".rs", ".toml", ".md", ".png", ".txt"].iter().any(|end| word.ends_with(end));
    let of_the_user = ["out/", "/", "my", "target"].iter().any(|start| word.starts_with(start));
    word.chars().all(plain) && (word.contains('/') || ending) && !of_the_user
}

/// Whether `path` exists beside the document or below the root.
fn exists(document: &Path, path: &str) -> bool {
    let beside = document.parent().unwrap_or(root()).join(path);
    beside.exists() || root().join(path).exists()
}

#[test]
fn every_path_that_the_documents_name_exists() {
    let mut missing = Vec::new();
    for name in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let document = root().join(name);
        let text = fs::read_to_string(&document).unwrap();
        let paths = named_paths(&text);
        if name == "ARCHITECTURE.md" {
            assert!(paths.len() > 20, "ARCHITECTURE.md names only {} paths", paths.len());
        }
        missing.extend(
            paths
                .into_iter()
                .filter(|(_, path)| !exists(&document, path))
                .map(|(line, path)| format!("{name}:{line}: {path} does not exist")),
        );
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn paths_are_told_from_other_code() {
    let text = "see `crates/a/src/b.rs`, `x.toml`, `cargo run`, `km/h²`, `out/a.laz`, [t](docs/t.md#part)\n```\n`in/a/block.rs`\n```";
    let paths: Vec<String> = named_paths(text).into_iter().map(|(_, path)| path).collect();
    assert_eq!(paths, ["crates/a/src/b.rs", "x.toml", "docs/t.md"]);
}

#[test]
fn a_missing_file_is_noticed() {
    assert!(!exists(&root().join("README.md"), "crates/no-such-crate/src/lib.rs"));
}
