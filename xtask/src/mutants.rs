//! `cargo xtask mutants`: whether the tests notice deliberate errors in formulas.
//!
//! What enters: `xtask/mutants.toml`, a list of errors and of the tests that are to notice each. All
//! are put into one copy of the tree (`mutants/tree` in the target directory), each behind a switch
//! that the environment turns on (`UNDERSTORY_MUTANT=NAME`), so that the tests are built once. Then
//! they run without an error, where they must pass, and once for each. What leaves: a table, or
//! `--json`, of what was caught and what was missed, and with `-o` a page; exit code 1 if something
//! was missed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::shell::{captured, cargo, root, run as run_command, target_dir};

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
    /// Also write the table as Markdown to FILE
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    /// The filter names no test, or they fail without it too: the list is wrong.
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
    copy_tree(&tree, &switched(&chosen)?)?;
    let start = Instant::now();
    let work = Work::new(&chosen, tree, folder);
    let mut build = work.nextest();
    build.arg("--no-run");
    if arguments.json {
        captured(&mut build)?;
    } else {
        run_command(&mut build)?;
        println!("built in {:.0} s", start.elapsed().as_secs_f64());
    }
    // Filters whose tests pass as they are.
    let mut sound: BTreeMap<String, bool> = BTreeMap::new();
    let mut results = Vec::new();
    for mutant in &chosen {
        let start = Instant::now();
        // Tests that fail by themselves would catch anything.
        let filter = mutant.filter();
        let sound = match sound.get(&filter) {
            Some(known) => *known,
            None => {
                let passes = Outcome::of(work.tests("without", &filter)?) == Outcome::Missed;
                sound.insert(filter.clone(), passes);
                passes
            }
        };
        let outcome = match sound {
            true => Outcome::of(work.tests(&mutant.name, &filter)?),
            false => Outcome::Broken,
        };
        let seconds = start.elapsed().as_secs_f64();
        if !arguments.json {
            println!("{:28} {} {seconds:6.0} s  {}", mutant.name, outcome.word(), mutant.file);
        }
        results.push((mutant, outcome, seconds));
    }
    if let Some(path) = &arguments.out {
        fs::write(path, page(&results))
            .with_context(|| format!("cannot write {}", path.display()))?;
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

    /// The expression that is wrong while the environment asks for it, and right else.
    fn switch(&self) -> String {
        format!(
            "(if {{ static ON: ::std::sync::LazyLock<bool> = ::std::sync::LazyLock::new(|| \
             ::std::env::var({SWITCH:?}).is_ok_and(|name| name == {:?})); *ON }} {{ {} }} else {{ {} }})",
            self.name, self.new, self.old
        )
    }

    /// Its tests among those of all.
    fn filter(&self) -> String {
        let binary = match self.tests.as_str() {
            "lib" => "kind(lib)".to_owned(),
            name => format!("binary({name})"),
        };
        format!("package({}) and {binary} and ({})", self.package, self.filter)
    }
}

/// What turns a mutant on.
const SWITCH: &str = "UNDERSTORY_MUTANT";

/// Where the tests are built and run.
struct Work {
    tree: PathBuf,
    folder: PathBuf,
    /// What is built, the same for every run, so that nothing is built twice.
    selection: Vec<String>,
}

impl Work {
    fn new(chosen: &[Mutant], tree: PathBuf, folder: PathBuf) -> Work {
        let packages: BTreeSet<&str> = chosen.iter().map(|m| m.package.as_str()).collect();
        let binaries: BTreeSet<&str> = chosen.iter().map(|m| m.tests.as_str()).collect();
        let packages = packages.into_iter().flat_map(|name| ["--package", name]);
        let binaries = binaries.into_iter().flat_map(|name| match name {
            "lib" => ["--lib", ""],
            name => ["--test", name],
        });
        let selection = packages.chain(binaries).filter(|word| !word.is_empty());
        Work { tree, folder, selection: selection.map(str::to_owned).collect() }
    }

    fn nextest(&self) -> Command {
        let mut command: Command = cargo(["nextest", "run", "--locked"]);
        // Beside everything else, so that other people's crates are there.
        let target = self.folder.parent().unwrap_or(&self.folder);
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", target).env_remove(SWITCH);
        command.args(&self.selection);
        command
    }

    /// Runs tests with a mutant, or with none; gives the exit code of nextest.
    fn tests(&self, mutant: &str, filter: &str) -> Result<Option<i32>> {
        let mut command = self.nextest();
        command.args(["--filterset", filter]).env(SWITCH, mutant);
        let log = fs::File::create(self.folder.join(format!("{mutant}.log")))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(command.status().context("cannot start cargo nextest")?.code())
    }
}

/// The files that have errors, with all of them behind their switches.
fn switched(chosen: &[Mutant]) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for mutant in chosen {
        let text = match files.remove(&mutant.file) {
            Some(text) => text,
            None => fs::read_to_string(root().join(&mutant.file))?,
        };
        // The sound expression stands in the switch of its own alone.
        if text.matches(&mutant.old).count() != 1 {
            bail!("{} has two mutants for {:?}", mutant.file, mutant.old);
        }
        let wrong = text.replacen(&mutant.old, &mutant.switch(), 1);
        files.insert(mutant.file.clone(), wrong);
    }
    Ok(files)
}

/// The table for people.
fn page(results: &[(&Mutant, Outcome, f64)]) -> String {
    let caught = results.iter().filter(|(_, outcome, _)| *outcome == Outcome::Caught).count();
    let mut page = format!(
        "# Deliberate errors\n\n\
         This page was written by `cargo xtask mutants -o docs/mutants.md`; change `xtask/mutants.toml`, not the page.\n\n\
         {} errors were put into formulas, one at a time; the tests that stand beside each noticed {caught}.\n\n\
         | error | file | instead of | stands | noticed |\n| --- | --- | --- | --- | --- |\n",
        results.len()
    );
    for (mutant, outcome, _) in results {
        let Mutant { name, file, old, new, .. } = mutant;
        let (old, new) = (old.replace('|', "\\|"), new.replace('|', "\\|"));
        let noticed = if *outcome == Outcome::Caught { "yes" } else { outcome.word() };
        page += &format!("| {name} | `{file}` | `{old}` | `{new}` | {noticed} |\n");
    }
    page
}

/// Copies what git knows or could know into `tree`, or what stands for it in `changed`; what is the
/// same there already stays, with its time, so that it is not built anew.
fn copy_tree(tree: &Path, changed: &BTreeMap<String, String>) -> Result<()> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = captured(git.current_dir(root()))?.stdout;
    for name in listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = std::str::from_utf8(name).context("a path is not UTF-8")?;
        let (from, to) = (root().join(name), tree.join(name));
        let bytes = match changed.get(name) {
            Some(text) => text.clone().into_bytes(),
            // Git also names what was deleted.
            None => match fs::read(&from) {
                Ok(bytes) => bytes,
                Err(_) => continue,
            },
        };
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
            // Both stand in parentheses behind the switch, where only expressions may.
            let is_statement = mutant.old.ends_with(';') || mutant.old.starts_with("let ");
            assert!(!is_statement, "{} is no expression", mutant.name);
        }
        // Switches do not get into each other's way.
        assert_eq!(switched(&all).unwrap().len(), {
            all.iter().map(|mutant| &mutant.file).collect::<HashSet<_>>().len()
        });
    }

    #[test]
    fn shards_are_checked() {
        assert_eq!(shard("2/4"), Ok((2, 4)));
        for wrong in ["0/4", "5/4", "2", "a/b", "1/0", ""] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
