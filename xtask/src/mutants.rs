//! `cargo xtask mutants`: whether the tests notice deliberate errors in formulas.
//!
//! What enters: `xtask/mutants.toml`, a list of errors and of the tests that are to notice each. Every
//! one is put into a copy of the tree (`mutants/tree` in the target directory), the tests are built
//! and run there, and the copy is mended again. What leaves: a table, or `--json`, of what was caught
//! and what was missed; exit code 1 if something was missed. A mutant costs a build of one crate:
//! `--only NAME` runs one, `--shard I/N` every N-th.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::shell::{captured, cargo, root, target_dir};

const LIST: &str = include_str!("../mutants.toml");

/// Which to run.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run these alone; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Run every N-th, beginning with number I of 1 to N
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// Print the names and run nothing
    #[arg(long)]
    list: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((i, n)) if (1..=n).contains(&i) => Ok((i, n)),
        _ => Err("write it as I/N, with I from 1 to N, such as 2/4".into()),
    }
}

/// A deliberate error.
#[derive(Clone, Debug)]
struct Mutant {
    name: String,
    /// From the root.
    file: String,
    old: String,
    new: String,
    package: String,
    /// `lib`, or the name of a test binary.
    tests: String,
    filter: String,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Caught,
    Missed,
    /// It does not compile, or the filter names no test: the list is wrong.
    Broken,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Outcome::Caught => "caught",
            Outcome::Missed => "MISSED",
            Outcome::Broken => "broken",
        }
    }

    /// By the exit code of nextest: 0 all passed, 100 some failed.
    fn of(code: Option<i32>) -> Outcome {
        match code {
            Some(0) => Outcome::Missed,
            Some(100) => Outcome::Caught,
            _ => Outcome::Broken,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let all = mutants()?;
    if let Some(unknown) = arguments.only.iter().find(|name| all.iter().all(|m| m.name != **name)) {
        bail!("there is no mutant {unknown:?}; `cargo xtask mutants --list` prints the names");
    }
    let chosen = |(place, mutant): &(usize, Mutant)| {
        let named = arguments.only.is_empty() || arguments.only.contains(&mutant.name);
        named && arguments.shard.is_none_or(|(i, n)| place % n == i - 1)
    };
    let chosen: Vec<Mutant> =
        all.into_iter().enumerate().filter(chosen).map(|(_, mutant)| mutant).collect();
    if arguments.list {
        chosen.iter().for_each(|mutant| println!("{:28} {}", mutant.name, mutant.file));
        return Ok(());
    }
    for mutant in &chosen {
        mutant.check(root())?;
    }
    let folder = target_dir()?.join("mutants");
    let tree = folder.join("tree");
    copy_tree(&tree)?;
    let mut results = Vec::new();
    for mutant in &chosen {
        let start = Instant::now();
        let outcome = mutant.try_in(&tree, &folder)?;
        let seconds = start.elapsed().as_secs_f64();
        if !arguments.json {
            println!("{:28} {} {seconds:6.0} s  {}", mutant.name, outcome.word(), mutant.file);
        }
        results.push((mutant, outcome, seconds));
    }
    let count = |wanted| results.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    let (caught, missed, broken) =
        (count(Outcome::Caught), count(Outcome::Missed), count(Outcome::Broken));
    if arguments.json {
        let rows = results.iter().map(|(mutant, outcome, seconds)| {
            json!({
                "name": mutant.name, "file": mutant.file, "old": mutant.old, "new": mutant.new,
                "package": mutant.package, "filter": mutant.filter,
                "outcome": outcome.word().to_lowercase(), "seconds": seconds,
            })
        });
        let rows: Vec<serde_json::Value> = rows.collect();
        let whole =
            json!({ "caught": caught, "missed": missed, "broken": broken, "mutants": rows });
        println!("{}", serde_json::to_string_pretty(&whole)?);
    } else {
        println!("{caught} of {} caught, {missed} missed, {broken} broken", results.len());
    }
    if missed + broken > 0 {
        bail!("{missed} deliberate errors were missed by their tests, {broken} could not be tried");
    }
    Ok(())
}

/// The list.
fn mutants() -> Result<Vec<Mutant>> {
    let table: toml::Table = LIST.parse().context("xtask/mutants.toml is not TOML")?;
    let rows = table.get("mutant").and_then(|rows| rows.as_array());
    let rows = rows.context("xtask/mutants.toml has no [[mutant]]")?;
    let read = |row: &toml::Value| {
        let key = |key: &str| -> Result<String> {
            let text = row.get(key).and_then(|value| value.as_str());
            Ok(text.with_context(|| format!("a mutant has no `{key}`: {row}"))?.to_string())
        };
        Ok(Mutant {
            name: key("name")?,
            file: key("file")?,
            old: key("old")?,
            new: key("new")?,
            package: key("package")?,
            tests: key("tests")?,
            filter: key("filter")?,
        })
    };
    rows.iter().map(read).collect()
}

impl Mutant {
    /// Fails unless the old text stands in its file exactly once.
    fn check(&self, tree: &Path) -> Result<String> {
        let path = tree.join(&self.file);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("the mutant {} is for {}", self.name, self.file))?;
        match text.matches(&self.old).count() {
            1 => Ok(text),
            count => bail!(
                "the mutant {} wants to change {:?}, which stands {count} times in {}; mend xtask/mutants.toml",
                self.name,
                self.old,
                self.file
            ),
        }
    }

    /// Puts it into the tree, runs the tests that are to notice, and mends the tree.
    fn try_in(&self, tree: &Path, folder: &Path) -> Result<Outcome> {
        let sound = self.check(tree)?;
        let path = tree.join(&self.file);
        fs::write(&path, sound.replacen(&self.old, &self.new, 1))?;
        let status = self.tests(tree, folder);
        // Written anew, not set back to its old time: what was built from the error must not stay.
        fs::write(&path, sound)?;
        Ok(Outcome::of(status?))
    }

    fn tests(&self, tree: &Path, folder: &Path) -> Result<Option<i32>> {
        let mut command: Command = cargo(["nextest", "run", "--locked", "--no-fail-fast"]);
        command.current_dir(tree).env("CARGO_TARGET_DIR", folder.join("build"));
        command.args(["--package", &self.package]);
        match self.tests.as_str() {
            "lib" => command.arg("--lib"),
            name => command.args(["--test", name]),
        };
        command.args(["--filterset", &self.filter]);
        let log = fs::File::create(folder.join(format!("{}.log", self.name)))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(command.status().context("cannot start cargo nextest")?.code())
    }
}

/// Copies what git knows or could know into `tree`; what is the same there already stays, with its
/// time, so that it is not built anew.
fn copy_tree(tree: &Path) -> Result<()> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = captured(git.current_dir(root()))?.stdout;
    for name in listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = std::str::from_utf8(name).context("a path is not UTF-8")?;
        let (from, to) = (root().join(name), tree.join(name));
        // Git also names what was deleted.
        let Ok(bytes) = fs::read(&from) else { continue };
        if fs::read(&to).is_ok_and(|known| known == bytes) {
            continue;
        }
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&to, bytes).with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A list whose texts have moved away would test nothing.
    #[test]
    fn every_mutant_changes_a_text_that_stands_once() {
        let all = mutants().unwrap();
        assert!(all.len() >= 40, "{}", all.len());
        let names: HashSet<&str> = all.iter().map(|mutant| mutant.name.as_str()).collect();
        assert_eq!(names.len(), all.len(), "two have one name");
        for mutant in &all {
            mutant.check(root()).unwrap();
            assert_ne!(mutant.old, mutant.new, "{}", mutant.name);
        }
    }

    #[test]
    fn shards_are_checked() {
        assert_eq!(shard("2/4"), Ok((2, 4)));
        for wrong in ["0/4", "5/4", "2", "a/b", "1/0", ""] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
