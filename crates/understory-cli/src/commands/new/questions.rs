//! Questions in a terminal: on stderr, so that stdout stays for results.

use std::io::{self, BufRead, Write};

use anyhow::Result;
use clap::ValueEnum;
use understory::sensor::preset_text;

use super::path::Path;
use super::world::MADE;
use crate::report::usage;

/// What the beams meet.
pub fn ask_world() -> Result<String> {
    let made: Vec<String> = MADE.iter().map(|(name, what)| format!("  {name:<8} {what}")).collect();
    let question = format!(
        "What do the beams meet?\n{}\n  or a built-in scenario, a mesh or a learned site",
        made.join("\n")
    );
    ask(&question, "meadow", |answer| Ok(answer.to_owned()))
}

/// Which sensors look.
pub fn ask_sensors() -> Result<Vec<String>> {
    ask(
        "Which sensors? (presets with commas; `understory sensors` lists them)",
        "vlp-16",
        |answer| {
            let names: Vec<String> = answer.split(',').map(|name| name.trim().to_owned()).collect();
            for name in &names {
                preset_text(name)?;
            }
            Ok(names)
        },
    )
}

/// How they move.
pub fn ask_path(has_own: bool) -> Result<Path> {
    let paths = Path::value_variants().iter().filter(|path| has_own || **path != Path::Own);
    let names: Vec<String> =
        paths.filter_map(|path| Some(path.to_possible_value()?.get_name().to_owned())).collect();
    let usual = if has_own { "own" } else { "stand" };
    ask(&format!("How do they move? ({})", names.join(", ")), usual, |answer| {
        Path::from_str(answer, true)
            .map_err(|_| usage(format!("{answer} is no path; choose {}", names.join(", "))))
    })
}

/// Asks until the answer is understood; an empty one is `usual`, and the end of the input a refusal.
fn ask<T>(question: &str, usual: &str, read: impl Fn(&str) -> Result<T>) -> Result<T> {
    loop {
        let mut stderr = io::stderr().lock();
        // Where stderr is closed there is nobody to ask, and the answer's end is seen below.
        let _ = write!(stderr, "{question}\n[{usual}] ");
        let _ = stderr.flush();
        let mut answer = String::new();
        if io::stdin().lock().read_line(&mut answer)? == 0 {
            return Err(usage("the questions were not answered; say what you want by flags"));
        }
        let answer = answer.trim();
        match read(if answer.is_empty() { usual } else { answer }) {
            Ok(found) => return Ok(found),
            Err(error) => {
                let _ = writeln!(stderr, "{error}");
            }
        }
    }
}
