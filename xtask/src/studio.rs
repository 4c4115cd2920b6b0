//! `cargo xtask studio`: the studio's page from its sources.
//!
//! What enters: `crates/understory-studio/page` with the packages of its lock file. What leaves:
//! `page/dist`, which is committed, so that the program is built without Node. The step `studio` of
//! `cargo xtask test` checks that the committed bundle is what its sources give, the step `smoke` goes
//! one way through the studio in a browser, and the step `browser`, with `--full`, all of them.
//! `cargo xtask studio --tour` takes the pictures of `docs/studio.md`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{captured, cargo, root, run, target_dir};
use crate::small_picture::shrink;
use crate::{python, system_packages};

/// Pictures of the tour: their width, and most bytes of one.
const TOUR_WIDTH: u32 = 1280;
const TOUR_BYTES: usize = 160_000;

/// What to do with the page.
#[derive(clap::Args)]
pub struct Arguments {
    /// Take the pictures of docs/studio.md in the place of building: with the release program
    #[arg(long)]
    tour: bool,
}

/// Builds the page, or takes its pictures.
pub fn start(arguments: &Arguments) -> Result<()> {
    match arguments.tour {
        true => tour(),
        false => build(),
    }
}

/// Where Debian has its browser.
const CHROMIUM: &str = "/usr/bin/chromium";

fn page() -> PathBuf {
    root().join("crates/understory-studio/page")
}

/// A program in the folder of the page.
fn in_page(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(page());
    command
}

/// The packages of the lock file, and nothing else.
fn install() -> Result<()> {
    let wanted = std::fs::read(page().join("package-lock.json")).context("no package-lock.json")?;
    // npm leaves a copy of what it installed; comparing texts of equal meaning is not worth it.
    let stamp = page().join("node_modules/.understory-lock");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    if captured(Command::new("npm").arg("--version")).is_err() {
        bail!("npm is missing; install Node.js (Debian: apt-get install nodejs npm)");
    }
    run(&mut in_page("npm", &["ci", "--no-audit", "--no-fund", "--ignore-scripts"]))?;
    // The compiler is a program of its own that a script puts in its place.
    run(&mut in_page("npm", &["rebuild", "esbuild"]))?;
    std::fs::write(stamp, wanted).context("node_modules cannot be written")
}

/// Builds the page.
fn build() -> Result<()> {
    install()?;
    run(&mut in_page("npm", &["run", "--silent", "check"]))?;
    run(&mut in_page("node", &["build.mjs"]))
}

/// Types, the page's own tests, and the bundle.
pub fn check() -> Result<()> {
    install()?;
    run(&mut in_page("npm", &["run", "--silent", "check"]))?;
    run(&mut in_page("npm", &["test", "--silent"]))?;
    run(&mut in_page("node", &["build.mjs", "--check"]))
}

/// A browser on the program that the tests have built: one way through it, or all tests.
pub fn browse(features: &[&str], all: bool) -> Result<()> {
    system_packages::ensure(system_packages::ALL)?;
    install()?;
    let mut build = cargo(["build", "--workspace", "--locked", "--lib", "--bins", "--tests"]);
    run(build.args(features))?;
    let program = target_dir()?.join("debug/understory");
    let mut browser = in_page("npm", &["run", "--silent", if all { "e2e" } else { "smoke" }]);
    browser.env("UNDERSTORY_PROGRAM", program).env("CHROMIUM", chromium());
    if all {
        // It opens exported files with laspy.
        browser.env("UNDERSTORY_PYTHON", python::interpreter()?);
    }
    run(&mut browser)
}

fn chromium() -> OsString {
    std::env::var_os("CHROMIUM").unwrap_or_else(|| CHROMIUM.into())
}

/// The pictures of the tour, at twice their size, made small.
fn tour() -> Result<()> {
    install()?;
    run(&mut cargo(["build", "--release", "--locked", "-p", "understory-cli"]))?;
    let target = target_dir()?;
    let large = target.join("studio-tour");
    let mut browser = in_page("npm", &["run", "--silent", "tour", "--"]);
    browser.arg(&large).env("UNDERSTORY_PROGRAM", target.join("release/understory"));
    run(browser.env("CHROMIUM", chromium()))?;
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&large)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    names.sort();
    for name in names {
        let small = root().join("docs/images/studio").join(name.file_name().unwrap_or_default());
        shrink(&name, &small, TOUR_WIDTH, TOUR_BYTES)?;
    }
    Ok(())
}
