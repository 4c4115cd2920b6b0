//! Running other programs: where the workspace is, and commands that say what they are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// Root of the workspace.
pub fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// `cargo`, the same one that runs this program, in the root of the workspace.
pub fn cargo<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// What cargo knows about the workspace in `root` and its own crates, as JSON.
pub fn cargo_metadata(root: &Path) -> Result<serde_json::Value> {
    let mut command = cargo(["metadata", "--no-deps", "--format-version", "1"]);
    let output = captured(command.current_dir(root))?;
    serde_json::from_slice(&output.stdout).context("cargo metadata did not print JSON")
}

/// Where cargo puts what it builds.
pub fn target_dir() -> Result<PathBuf> {
    let metadata = cargo_metadata(root())?;
    let path = metadata["target_directory"].as_str().context("cargo names no target directory")?;
    Ok(PathBuf::from(path))
}

/// Prints the command, runs it with this terminal, and fails unless it succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    let words = words(command);
    println!("$ {words}");
    let status = command.status().with_context(|| format!("cannot start `{words}`"))?;
    if !status.success() {
        bail!("`{words}` ended with {status}");
    }
    Ok(())
}

/// Runs the command without showing it; fails unless it succeeds.
pub fn captured(command: &mut Command) -> Result<Output> {
    let words = words(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{words}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{words}` ended with {}: {}", output.status, said.trim());
    }
    Ok(output)
}

/// The command as one would type it.
fn words(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}
