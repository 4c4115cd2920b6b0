//! `cargo xtask bench NAME [ARGUMENTS]`: starts a benchmark as a release build, with what it needs.
//! Without a name it prints the table of them.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, bail};

use crate::shell::{cargo, root, run};
use crate::{bench_ranks, package, python};

/// What to measure. `--help` behind a name tells what a benchmark takes.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    /// Which benchmark; without it they are listed
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
    /// What the benchmark takes, such as `--rounds 3` or `--json FILE`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// One benchmark.
struct Benchmark {
    name: &'static str,
    measures: &'static str,
    start: fn(&Benchmark, &[OsString]) -> Result<()>,
}

/// All of them.
const ALL: &[Benchmark] = &[
    Benchmark { name: "embree", measures: "the tracer beside Embree", start: beside_embree },
    Benchmark {
        name: "pipeline",
        measures: "the whole path of a pulse beside tracing alone, and writing LAZ beside not writing",
        start: contest,
    },
    Benchmark {
        name: "far",
        measures: "far plants at lower levels of detail beside full detail, in the courtyard",
        start: contest,
    },
    Benchmark {
        name: "courtyard",
        measures: "the courtyard against the clock of its sensors on two threads, and beside Embree",
        start: beside_embree,
    },
    Benchmark {
        name: "scaling",
        measures: "time per pulse as triangles grow from 10⁵ to 6 × 10⁸, as a table and a plot",
        start: scaling,
    },
    Benchmark {
        name: "cost",
        measures: "what a pulse costs as triangles, range, sub-rays, sensors and bodies grow, with a figure",
        start: scaling,
    },
    Benchmark {
        name: "load",
        measures: "the scene of over 600 million triangles: time to load and memory",
        start: contest,
    },
    Benchmark {
        name: "site",
        measures: "learned sites: pulses per second and bytes per volume",
        start: contest,
    },
    Benchmark {
        name: "ranks",
        measures: "speedup over processes under MPI, and what Amdahl's law makes of it",
        start: |_, arguments| bench_ranks::bench(arguments),
    },
    Benchmark {
        name: "moving",
        measures: "a scene that moves beside the same standing still",
        start: contest,
    },
    Benchmark { name: "weather", measures: "weather beside clear air", start: contest },
    Benchmark {
        name: "detectors",
        measures: "detection in waveforms beside windows, over the whole path of a pulse",
        start: contest,
    },
    Benchmark {
        name: "formats",
        measures: "reading and writing points beside laspy, pyarrow and Open3D",
        start: formats,
    },
    Benchmark {
        name: "python",
        measures: "rays against a mesh (MESH) from Python beside Open3D and Embree",
        start: |_, arguments| package::bench(arguments),
    },
];

/// Starts one benchmark, or lists all.
pub fn start(arguments: &Arguments) -> Result<()> {
    let list = || {
        println!("cargo xtask bench NAME [ARGUMENTS]; --help behind a name tells what it takes.\n");
        ALL.iter().for_each(|known| println!("  {:<10} {}", known.name, known.measures));
    };
    match arguments.name.as_deref() {
        None | Some("-h" | "--help" | "help") => list(),
        Some(name) => {
            let Some(benchmark) = ALL.iter().find(|known| known.name == name) else {
                list();
                bail!("there is no benchmark {name}");
            };
            (benchmark.start)(benchmark, &arguments.arguments)?;
        }
    }
    Ok(())
}

/// Arguments of the program, where benchmarks had names such as `bench-embree` before, as they are
/// now.
pub fn with_old_names(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let old = arguments.get(1).and_then(|first| first.to_str()?.strip_prefix("bench-"));
    if let Some(name) = old.map(OsString::from) {
        arguments.splice(1..2, ["bench".into(), name]);
    }
    arguments
}

/// A contest of the program `understory-bench`.
fn contest(benchmark: &Benchmark, arguments: &[OsString]) -> Result<()> {
    let mut command = cargo(["run", "--release", "--quiet", "--package", "understory-bench", "--"]);
    run(command.arg(benchmark.name).args(arguments))
}

fn beside_embree(benchmark: &Benchmark, arguments: &[OsString]) -> Result<()> {
    let library = python::embree_library()?;
    contest(benchmark, &[&["--library".into(), library.into()], arguments].concat())
}

/// Draws the plots of the documentation, too.
fn scaling(benchmark: &Benchmark, arguments: &[OsString]) -> Result<()> {
    let plot = root().join("docs/images");
    contest(benchmark, &[&["--plot".into(), plot.into()], arguments].concat())
}

fn formats(_: &Benchmark, arguments: &[OsString]) -> Result<()> {
    let mut command: Command =
        cargo(["run", "--release", "--quiet", "--package", "understory-cloud"]);
    command.args(["--example", "format_speed", "--"]).args(arguments);
    if !arguments.iter().any(|argument| argument == "--python") {
        command.arg("--python").arg(python::benchmarks()?);
    }
    run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_still_work() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let old = with_old_names(words("xtask bench-far --rounds 3").into_iter());
        assert_eq!(old, words("xtask bench far --rounds 3"));
        let other = with_old_names(words("xtask test bench-far").into_iter());
        assert_eq!(other, words("xtask test bench-far"));
    }
}
