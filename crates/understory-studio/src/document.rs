//! The scenario that is open: its text, what is wrong with it, and the last text that was right.

mod confine;
mod edit;
mod places;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use understory::scenario::{Scenario, default_limit_bytes};

use crate::protocol::document::{Document, Problem, SensorSummary, Summary};

pub use edit::apply;

/// A scenario as text, with what its paths are relative to.
#[derive(Clone, Debug)]
pub struct ScenarioText {
    /// Its name, without an ending.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where its paths start.
    pub folder: PathBuf,
    /// A packed scenario whose unpacked files it names: they are there as long as this is.
    #[allow(dead_code, reason = "it is held, not read")]
    pub pack: Option<Arc<Scenario>>,
}

impl ScenarioText {
    /// Reads and checks it. Files outside of `root` and of its own folder are not looked at.
    pub fn scenario(&self, root: &Path) -> Result<Scenario, Problem> {
        confine::check(&self.text, &self.folder, &[root, &self.folder])?;
        let location = self.location();
        let scenario = Scenario::from_toml(&self.text, &location, &self.folder);
        let scenario = scenario.map_err(|error| self.problem(&error.to_string()))?;
        let estimate = scenario.estimate();
        estimate.check(default_limit_bytes()).map_err(|error| self.problem(&error.to_string()))?;
        Ok(scenario)
    }

    fn location(&self) -> String {
        format!("{}.toml", self.name)
    }

    /// A message of the program with the line of the text that it is about.
    pub fn problem(&self, message: &str) -> Problem {
        let place = message.strip_prefix(&self.location()).and_then(|rest| rest.strip_prefix(':'));
        let Some((line, sentence)) = place.and_then(|rest| {
            let (line, sentence) = rest.split_once(':')?;
            Some((line.trim().parse::<u32>().ok()?, sentence.trim()))
        }) else {
            let sentence = place.map_or(message, |rest| rest.trim());
            return Problem::about(sentence);
        };
        let text = self.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let (column, end_column) = marked(text, sentence);
        Problem {
            sentence: sentence.to_owned(),
            line: Some(line),
            column: Some(column),
            end_column: Some(end_column),
        }
    }
}

/// What is marked of a line: the first word in backticks or quotes that it has, or all of it.
fn marked(line: &str, sentence: &str) -> (u32, u32) {
    let column = |byte: usize| line.get(..byte).map_or(1, |part| part.chars().count() as u32 + 1);
    let words = sentence.split(['`', '"']).skip(1).step_by(2);
    for word in words.filter(|word| !word.is_empty()) {
        if let Some(found) = line.find(word) {
            return (column(found), column(found + word.len()));
        }
    }
    let begin = line.len() - line.trim_start().len();
    let code = line.split('#').next().unwrap_or(line).trim_end().len().max(begin);
    (column(begin), column(code).max(column(begin) + 1))
}

/// The open document.
pub struct OpenDocument {
    /// The newest text.
    pub newest: ScenarioText,
    /// Rises with every change.
    pub revision: u32,
    problems: Vec<Problem>,
    /// The newest text that was valid, and its revision.
    pub good: Option<(u32, ScenarioText, Summary)>,
}

impl OpenDocument {
    /// Nothing is open yet.
    pub fn new() -> OpenDocument {
        let newest = ScenarioText {
            name: "scenario".into(),
            text: String::new(),
            folder: PathBuf::new(),
            pack: None,
        };
        OpenDocument { newest, revision: 0, problems: Vec::new(), good: None }
    }

    /// Takes a text that was checked; another scenario (`replaces`) lets go of the old good one
    /// only if it is valid itself.
    pub fn accept(&mut self, text: ScenarioText, checked: Result<Summary, Problem>) {
        self.revision += 1;
        match checked {
            Ok(summary) => {
                self.problems.clear();
                self.good = Some((self.revision, text.clone(), summary));
            }
            Err(problem) => self.problems = vec![problem],
        }
        self.newest = text;
    }

    /// As the page sees it.
    pub fn to_protocol(&self) -> Document {
        let text = &self.newest.text;
        Document {
            revision: self.revision,
            name: self.newest.name.clone(),
            value: toml_edit::de::from_str(text).unwrap_or(Value::Null),
            places: places::of(text),
            problems: self.problems.clone(),
            good_revision: self.good.as_ref().map_or(0, |(revision, ..)| *revision),
            summary: self.good.as_ref().map(|(_, _, summary)| summary.clone()),
            text: text.clone(),
        }
    }
}

/// What a valid scenario says.
pub fn summary(scenario: &Scenario, name: &str) -> Summary {
    let estimate = scenario.estimate();
    let sensors = scenario.sensors.iter().enumerate().map(|(index, mounted)| SensorSummary {
        index: index as u16,
        name: mounted.name.clone(),
        preset: mounted.sensor.name.clone(),
        title: mounted.sensor.title.clone(),
        channels: mounted.sensor.pattern.channels() as u32,
        pulses: mounted.sensor.pattern.first_pulse_at(scenario.duration_s),
    });
    Summary {
        title: scenario.title.clone().unwrap_or_else(|| name.to_owned()),
        seed: scenario.seed,
        duration_s: scenario.duration_s,
        moving: !scenario.trajectory.is_fixed(),
        sensors: sensors.collect(),
        triangles: estimate.effective_triangles(),
        memory_bytes: estimate.bytes(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn text(text: &str) -> ScenarioText {
        ScenarioText {
            name: "a".into(),
            text: text.into(),
            folder: std::env::temp_dir(),
            pack: None,
        }
    }

    #[test]
    fn mistakes_are_marked_at_their_word() {
        let wrong = text("version = 1\nseed = 1\n  duraton_s = 0.1 # short\n[world]\n");
        let problem = wrong.scenario(&std::env::temp_dir()).unwrap_err();
        assert_eq!(
            (problem.line, problem.column, problem.end_column),
            (Some(3), Some(3), Some(12))
        );
        assert!(problem.sentence.starts_with("unknown key `duraton_s`"), "{}", problem.sentence);
        assert_eq!(marked("  a = 3 # b", "something is wrong"), (3, 8));
        assert_eq!(marked("ä = \"ö\"", "unknown word \"ö\""), (6, 7));
    }

    #[test]
    fn a_broken_text_leaves_the_good_one() {
        let mut open = OpenDocument::new();
        let summary = summary(&Scenario::embedded("first-scan").unwrap(), "first-scan");
        open.accept(text("good"), Ok(summary));
        open.accept(text("bad"), Err(Problem::about("no")));
        let seen = open.to_protocol();
        assert_eq!((seen.revision, seen.good_revision, seen.problems.len()), (2, 1, 1));
        assert_eq!((seen.text.as_str(), open.good.unwrap().1.text.as_str()), ("bad", "good"));
    }
}
