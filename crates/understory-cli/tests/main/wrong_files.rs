//! What the program says of wrong scenario and sensor files: `tests/wrong_files/cases.txt` has the
//! files, `messages.txt` what is said and the exit code.
//!
//! `UNDERSTORY_UPDATE=1` writes `messages.txt` anew; read the difference before it is kept.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::support::{Workplace, text};

/// A wrong file.
struct Case {
    /// As it stands in the list.
    line: String,
    /// The whole file.
    file: String,
    /// The verb that reads it.
    verb: &'static str,
}

#[test]
fn wrong_files_are_refused_in_these_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong_files");
    let work = Workplace::new();
    work.put("scan.csv", "x_m,y_m\n1,2\n").put("tree.obj", TREE).put("path.tum", PATH);
    work.put("yard.glb", "");
    std::fs::create_dir(work.path("folder")).unwrap();
    let mut messages = String::new();
    for section in sections(&folder) {
        match section {
            Section::Title(title) => writeln!(messages, "\n## {title}\n").unwrap(),
            Section::Case(case) => {
                work.put("wrong.toml", &case.file);
                let output = work.run(&[case.verb, "wrong.toml"]);
                let code = output.status.code().unwrap_or(-1);
                let said = text(&output.stderr).trim().replace('\n', "\n    ");
                let said = if said.is_empty() { "accepted" } else { &said };
                writeln!(messages, "{}\n    {code} {said}", case.line).unwrap();
            }
        }
    }
    let kept = folder.join("messages.txt");
    if std::env::var_os("UNDERSTORY_UPDATE").is_some() {
        std::fs::write(&kept, &messages).unwrap();
    }
    let known = std::fs::read_to_string(&kept).unwrap_or_default();
    for (now, before) in messages.lines().zip(known.lines()) {
        assert_eq!(now, before, "read the difference, then set UNDERSTORY_UPDATE=1 to keep it");
    }
    assert_eq!(messages.lines().count(), known.lines().count());
}

const TREE: &str = "usemtl Leaf\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
const PATH: &str = "0.0 0 0 0 0 0 0 1\n1.0 1 0 0 0 0 0 1\n";

enum Section {
    Title(String),
    Case(Case),
}

fn sections(folder: &Path) -> Vec<Section> {
    let list = std::fs::read_to_string(folder.join("cases.txt")).unwrap();
    let (mut base, mut verb) = (String::new(), "check");
    let mut sections = Vec::new();
    for line in list.lines() {
        if let Some(name) = line.strip_prefix('@') {
            let path: PathBuf = folder.join(format!("{name}.toml"));
            base = std::fs::read_to_string(path).unwrap();
            verb = if name == "scenario" { "check" } else { "info" };
        } else if let Some(title) = line.strip_prefix("## ") {
            sections.push(Section::Title(title.to_owned()));
        } else if !line.is_empty() && !line.starts_with('#') {
            let file = changed(&base, line);
            sections.push(Section::Case(Case { line: line.to_owned(), file, verb }));
        }
    }
    sections
}

/// `base` with what a line of the list changes in it.
fn changed(base: &str, line: &str) -> String {
    if let Some(whole) = line.strip_prefix("* ").or(line.strip_prefix('*')) {
        return whole.replace("\\n", "\n");
    }
    let (table, changes) = line.split_once(" | ").unwrap();
    let mut lines: Vec<&str> = base.lines().collect();
    let header = lines.iter().position(|line| *line == table);
    let first = match (table, header) {
        ("top", _) => 0,
        (_, Some(header)) => header + 1,
        (_, None) => {
            lines.push(table.trim_start_matches('+'));
            lines.len()
        }
    };
    let mut end = (first..lines.len()).find(|i| lines[*i].starts_with('[')).unwrap_or(lines.len());
    for change in changes.split(" ;; ") {
        let (key, value) = match change.strip_prefix('-') {
            Some(key) => (key, None),
            None => (change.split(" = ").next().unwrap(), Some(change)),
        };
        let old = (first..end).find(|i| lines[*i].split(" = ").next() == Some(key));
        match (old, value) {
            (Some(old), Some(value)) => lines[old] = value,
            (Some(old), None) => {
                lines.remove(old);
                end -= 1;
            }
            (None, Some(value)) => {
                lines.insert(first, value);
                end += 1;
            }
            (None, None) => panic!("{line}: the base has no {key}"),
        }
    }
    lines.join("\n") + "\n"
}
