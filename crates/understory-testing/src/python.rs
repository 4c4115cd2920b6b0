//! Other people's tools: a Python that has them, and scripts that use them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Need;

/// An interpreter with packages that check what we write and make what we read.
#[derive(Clone, Debug)]
pub struct Python {
    interpreter: PathBuf,
}

impl Python {
    /// The one with the packages of `xtask/python-requirements.txt`.
    #[track_caller]
    pub fn find() -> Option<Python> {
        named_by("UNDERSTORY_PYTHON", Need::Python)
    }

    /// The one with ouster-sdk.
    #[track_caller]
    pub fn with_ouster_sdk() -> Option<Python> {
        named_by("UNDERSTORY_PYTHON_OUSTER", Need::Ouster)
    }

    /// The one with the packages of viewers.
    #[track_caller]
    pub fn for_viewers() -> Option<Python> {
        named_by("UNDERSTORY_PYTHON_VIEWERS", Need::Viewers)
    }

    /// A command that starts it.
    pub fn command(&self) -> Command {
        Command::new(&self.interpreter)
    }

    /// Runs it, with a script's path or with `-c` and a script, and gives what it prints; fails
    /// with all that it said unless it succeeds.
    #[track_caller]
    pub fn run(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
        output_of(self.command().args(arguments))
    }

    /// The same in a folder.
    #[track_caller]
    pub fn run_in(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> String {
        output_of(self.command().args(arguments).current_dir(folder))
    }
}

/// Runs a command and gives what it prints; fails with all that it said unless it succeeds.
#[track_caller]
pub(crate) fn output_of(command: &mut Command) -> String {
    let output =
        command.output().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} ended with {}: {printed}{said}", output.status);
    printed
}

#[track_caller]
fn named_by(variable: &str, need: Need) -> Option<Python> {
    match std::env::var_os(variable).filter(|path| !path.is_empty()) {
        Some(interpreter) => Some(Python { interpreter: interpreter.into() }),
        None => {
            need.is_missing(&format!("{variable} names no Python"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_told_with_all_that_it_said() {
        assert_eq!(output_of(Command::new("sh").args(["-c", "echo fine"])), "fine\n");
        let failed = std::panic::catch_unwind(|| {
            output_of(Command::new("sh").args(["-c", "echo one; echo two >&2; exit 3"]))
        });
        let said = *failed.unwrap_err().downcast::<String>().unwrap();
        assert!(said.contains("one\ntwo"), "{said}");
    }
}
