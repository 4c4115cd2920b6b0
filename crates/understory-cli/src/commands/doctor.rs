//! `understory doctor`: what this machine and this program have, and which verb misses what.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;
use serde::Serialize;
use understory::scenario::default_limit_bytes;
use understory_geometry::InstructionSet;

use crate::lod_cache;
use crate::report::print_or_json;
use crate::table::{Align, Table};

/// Tell what is installed and compiled in, and what is missing for which verb
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory doctor
  understory doctor --json -

Everything that simulates, learns, converts and draws is in the program itself. What is missing here
only matters for the verbs beside it.")]
pub struct Arguments {
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One thing that may be there.
#[derive(Serialize)]
struct Finding {
    what: &'static str,
    /// Whether it is there.
    ok: bool,
    found: String,
    /// Which verbs use it; all where nothing is said.
    used_by: &'static str,
    /// What to do if it is missing.
    remedy: &'static str,
}

/// Looks and tells; nothing that is missing is a failure.
pub fn doctor(arguments: &Arguments) -> Result<()> {
    let findings = findings();
    let mut table = Table::new(&[
        ("", Align::Left),
        ("what", Align::Left),
        ("found", Align::Left),
        ("used by", Align::Left),
    ]);
    for finding in &findings {
        let mark = if finding.ok { "ok" } else { "--" };
        table.row([mark, finding.what, &finding.found, finding.used_by].map(str::to_owned));
    }
    let remedies: String = findings
        .iter()
        .filter(|finding| !finding.ok)
        .map(|finding| format!("{}: {}\n", finding.what, finding.remedy))
        .collect();
    let end = if remedies.is_empty() { "Nothing is missing.\n".to_owned() } else { remedies };
    let text = format!("{}\n{end}", table.render());
    print_or_json(&text, arguments.json.as_deref(), &findings)
}

fn findings() -> Vec<Finding> {
    let fastest = InstructionSet::available().first().copied();
    let vector = matches!(fastest, Some(InstructionSet::Avx512 | InstructionSet::Avx2));
    let cache = lod_cache::folder();
    let memory = default_limit_bytes();
    vec![
        Finding {
            what: "program",
            ok: true,
            found: format!("understory {} for {}", env!("CARGO_PKG_VERSION"), env::consts::ARCH),
            used_by: "",
            remedy: "",
        },
        Finding {
            what: "optimised",
            ok: !cfg!(debug_assertions),
            found: if cfg!(debug_assertions) { "no: a debug build" } else { "yes" }.into(),
            used_by: "",
            remedy: "build it with `cargo build --release`; this one is many times slower",
        },
        Finding {
            what: "threads",
            ok: true,
            found: std::thread::available_parallelism().map_or(1, usize::from).to_string(),
            used_by: "",
            remedy: "",
        },
        Finding {
            what: "instructions",
            ok: vector,
            found: fastest.map_or_else(String::new, |set| format!("{set:?}").to_lowercase()),
            used_by: "",
            remedy: "this processor has no AVX2; everything works, with the same bytes, but slower",
        },
        Finding {
            what: "memory for scenes",
            ok: memory >= 2 << 30,
            found: match memory {
                u64::MAX => "not known".into(),
                bytes => format!("{:.1} GB", bytes as f64 / 1e9),
            },
            used_by: "",
            remedy: "large scenes need more; `understory check` says how much a scenario needs",
        },
        Finding {
            what: "folder for caches",
            ok: cache.is_some(),
            found: cache.map_or_else(|| "none".into(), |path| path.display().to_string()),
            used_by: "run --vegetation-lod auto",
            remedy: "name one in UNDERSTORY_CACHE_DIR, or distances are measured anew each time",
        },
        feature("MPI", cfg!(feature = "mpi"), "mpi", "run and learn under mpirun"),
        program(
            "mpirun",
            &["--version"],
            "run and learn under mpirun",
            "install an MPI, such as Debian's openmpi-bin",
        ),
        feature("ROS 2", cfg!(feature = "ros2"), "ros2", "run --ros2, play --ros2, drive --ros2"),
        feature(
            "Foxglove",
            cfg!(feature = "foxglove"),
            "foxglove",
            "run --foxglove, play --foxglove",
        ),
        feature("Rerun", cfg!(feature = "rerun"), "rerun", "run --rerun, play --rerun"),
        program(
            "python3",
            &["-c", "import sys; print('Python', sys.version.split()[0])"],
            "the Python package",
            "install Python 3.10 or later",
        ),
        program_named(
            "Python package",
            "python3",
            &["-c", "import understory; print('understory', understory.__version__)"],
            "the Python package, Blender",
            "python3 -m pip install ./crates/understory-py, or a wheel of a release",
        ),
        browser(),
    ]
}

/// Something that is compiled in or not.
fn feature(what: &'static str, ok: bool, name: &str, used_by: &'static str) -> Finding {
    let found = if ok { "compiled in".into() } else { format!("not compiled in ({name})") };
    Finding {
        what,
        ok,
        found,
        used_by,
        remedy: "build with `cargo build --release --features NAME`, the name in brackets above",
    }
}

fn program(
    name: &'static str,
    arguments: &[&str],
    used_by: &'static str,
    remedy: &'static str,
) -> Finding {
    program_named(name, name, arguments, used_by, remedy)
}

/// A program that is asked who it is.
fn program_named(
    what: &'static str,
    program: &str,
    arguments: &[&str],
    used_by: &'static str,
    remedy: &'static str,
) -> Finding {
    let answer = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let found = answer.ok().filter(|output| output.status.success()).map(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().unwrap_or_default().trim().to_owned()
    });
    let ok = found.is_some();
    Finding { what, ok, found: found.unwrap_or_else(|| "not found".into()), used_by, remedy }
}

/// What could show the studio.
fn browser() -> Finding {
    let names = ["xdg-open", "firefox", "chromium", "chromium-browser", "google-chrome", "open"];
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = names
        .iter()
        .find(|name| env::split_paths(&folders).any(|folder| folder.join(name).is_file()));
    Finding {
        what: "browser",
        ok: found.is_some(),
        found: found.map_or("not found", |name| name).into(),
        used_by: "studio",
        remedy: "`understory studio --no-browser` prints the address; open it from any browser on this machine",
    }
}
