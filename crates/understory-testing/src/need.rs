//! What a test needs from outside, and what happens where that is missing.

use std::fs::OpenOptions;
use std::io::Write;

/// What a test may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A Python with the packages of `xtask/python-requirements.txt`.
    Python,
    /// One with those of `xtask/ouster-requirements.txt`.
    Ouster,
    /// One with those of `xtask/viewers-requirements.txt`.
    Viewers,
    /// Real recordings.
    Data,
    /// What not every machine grants: multicast, low ports, mounting.
    Rights,
}

/// Names of needs that may be missing, with commas between.
const SKIP: &str = "UNDERSTORY_SKIP";
/// A file that takes a line for each test that was skipped.
const SKIPPED: &str = "UNDERSTORY_SKIPPED_FILE";

impl Need {
    /// Its name in `UNDERSTORY_SKIP`.
    pub fn name(self) -> &'static str {
        match self {
            Need::Python => "python",
            Need::Ouster => "ouster",
            Need::Viewers => "viewers",
            Need::Data => "data",
            Need::Rights => "rights",
        }
    }

    /// Fails with a sentence, or skips where that was requested.
    #[track_caller]
    pub(crate) fn is_missing(self, why: &str) {
        let chosen = std::env::var(SKIP).unwrap_or_default();
        assert!(
            is_named(&chosen, self),
            "{why}; run `cargo xtask test`, or set {SKIP}={} to skip such tests",
            self.name()
        );
        skip(self, why);
    }
}

fn is_named(list: &str, need: Need) -> bool {
    list.split(',').any(|name| name.trim() == need.name())
}

/// Says that the test which calls this is skipped, and why.
pub fn skip(need: Need, why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("{}: {test}: {why}", need.name());
    eprintln!("skipped: {line}");
    if let Some(path) = std::env::var_os(SKIPPED) {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        // In one piece: other tests write at the same time.
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.expect("the list of skipped tests can be written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_may_be_missing() {
        assert!(is_named("python, data", Need::Data));
        assert!(is_named("python", Need::Python));
        assert!(!is_named("", Need::Python));
        assert!(!is_named("pythons", Need::Python));
    }
}
