//! The book's commands: those of the tutorial are run, and no page names a verb or a flag that the
//! program does not have. The page of verbs is what the program says of itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Workplace, text};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// A fenced block of a page: what stands behind its fence, and its lines.
struct Block {
    info: String,
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (index, line) in page.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(info) if !open => {
                open = true;
                found.push(Block {
                    info: info.trim().into(),
                    line: index + 1,
                    text: String::new(),
                });
            }
            Some(_) => open = false,
            None if open => {
                if let Some(block) = found.last_mut() {
                    block.text += line;
                    block.text.push('\n');
                }
            }
            None => {}
        }
    }
    found
}

/// Runs a page as a reader would: files where the page shows them, commands in their order.
fn follow(page: &str) {
    let work = Workplace::new();
    let page_text = fs::read_to_string(docs().join(page)).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_understory"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut commands = 0;
    for block in blocks(&page_text) {
        if let Some(file) = block.info.strip_prefix("toml,file=") {
            work.put(file, &block.text);
        }
        if block.info != "sh" {
            continue;
        }
        commands += 1;
        let output = Command::new("sh")
            .args(["-e", "-c", &block.text])
            .current_dir(work.path("."))
            .env("PATH", &path)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "docs/{page}:{}: {}\n{}{}",
            block.line,
            block.text,
            text(&output.stdout),
            text(&output.stderr)
        );
    }
    assert!(commands > 0, "docs/{page} has no commands");
}

#[test]
fn the_first_scan_can_be_followed() {
    follow("tutorial/first-scan.md");
}

#[test]
fn a_scenario_of_ones_own_can_be_made_as_the_tutorial_says() {
    follow("tutorial/your-scenario.md");
}

#[test]
fn same_bytes_as_the_page_says() {
    follow("randomness.md");
}

#[test]
fn the_pages_of_tasks_can_be_followed() {
    for page in ["index.md", "how-to/robotics.md", "how-to/vision.md", "how-to/sensor-maker.md"] {
        follow(page);
    }
}

/// The longer tutorials; a minute and more with this build.
#[test]
#[ignore = "takes minutes; cargo xtask test --full runs it"]
fn the_long_tutorials_can_be_followed() {
    for page in [
        "tutorial/forest-plot.md",
        "tutorial/drive-a-robot.md",
        "tutorial/learn-a-site.md",
        "how-to/forestry.md",
    ] {
        follow(page);
    }
}

/// Help of a verb and of the verbs below it, by name.
fn helps() -> BTreeMap<String, String> {
    let work = Workplace::new();
    let mut helps = BTreeMap::new();
    let mut open = vec![String::new()];
    while let Some(name) = open.pop() {
        let mut arguments: Vec<&str> = name.split_whitespace().collect();
        arguments.push("--help");
        let help = work.succeed(&arguments);
        let below = help.split("\nCommands:\n").nth(1).unwrap_or_default();
        for line in below.lines().take_while(|line| line.starts_with("  ")) {
            let verb = line.split_whitespace().next().unwrap();
            if verb != "help" && line.starts_with("  ") && !line.starts_with("   ") {
                open.push(format!("{name} {verb}").trim().to_owned());
            }
        }
        helps.insert(name, help);
    }
    helps
}

/// All Markdown below a folder, and the README.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![docs().join("../README.md")];
    let mut open = vec![docs()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn no_page_names_a_verb_or_a_flag_that_is_not_there() {
    let helps = helps();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in blocks(&text) {
            let joined = block.text.replace("\\\n", " ");
            for line in joined.lines().map(str::trim) {
                let Some(rest) = line.strip_prefix("understory ") else { continue };
                let words: Vec<&str> = rest.split_whitespace().collect();
                let verb = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
                // A verb that has verbs below it is nothing alone.
                let alone = helps.get(words[0]).filter(|help| !help.contains("\nCommands:\n"));
                let help = helps.get(&verb).or(alone);
                let Some(help) = help else {
                    wrong.push(format!("{}:{}: no verb: {line}", page.display(), block.line));
                    continue;
                };
                seen += 1;
                let end = words.iter().position(|word| ["|", "#", ">", "&&", "||"].contains(word));
                for word in &words[..end.unwrap_or(words.len())] {
                    let flag = word.split('=').next().unwrap();
                    if flag.starts_with("--") && !help.contains(flag) {
                        wrong.push(format!("{}:{}: no {flag}: {line}", page.display(), block.line));
                    }
                }
            }
        }
    }
    assert!(seen > 60, "only {seen} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_verb_has_two_examples_that_it_understands() {
    let helps = helps();
    let mut wrong = Vec::new();
    for (verb, help) in
        helps.iter().filter(|(verb, help)| !verb.is_empty() && !help.contains("\nCommands:\n"))
    {
        let examples: Vec<&str> = help
            .split("Examples:\n")
            .nth(1)
            .unwrap_or_default()
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with(&format!("understory {verb}")))
            .collect();
        if examples.len() < 2 {
            wrong.push(format!("understory {verb} --help has {} examples of it", examples.len()));
        }
        for flag in examples.iter().flat_map(|line| line.split_whitespace()) {
            let flag = flag.split('=').next().unwrap();
            if flag.starts_with("--")
                && !help.contains(&format!("{flag} "))
                && !help.contains(&format!("{flag}\n"))
            {
                wrong.push(format!("understory {verb} has no {flag}, which its example has"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_page_of_verbs_is_what_the_program_says() {
    let mut page = "# Verbs of the program\n\nWhat `understory VERB --help` says of each, generated from the program. Results go to stdout, all else to stderr; 0 is success, 1 that something failed on the way, 2 that the command line or a file must be changed.\n".to_owned();
    for (verb, help) in helps() {
        let title = if verb.is_empty() { "understory" } else { &verb };
        page += &format!("\n## {title}\n\n```text\n{}\n```\n", help.trim_end());
    }
    let path = docs().join("verbs.md");
    if std::env::var_os("UNDERSTORY_UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        page,
        "docs/verbs.md is old: UNDERSTORY_UPDATE=1 cargo nextest run -p understory-cli book"
    );
}
