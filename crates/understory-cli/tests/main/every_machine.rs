//! Every machine makes the same bytes: of every scenario, in every format, and of learned sites.
//!
//! `digests.txt` has what they were when they were last meant to change; `UNDERSTORY_UPDATE=1`
//! writes it anew. Other machines are this one with the system's functions as an old processor has
//! them, with each of our own sets of instructions, and with other processors emulated.

use std::path::{Path, PathBuf};

use understory_testing::digests::{Job, Machine, differences, jobs, scenarios};
use understory_testing::imported_functions;

/// What glibc then takes its functions from: the ones without fused multiplication.
const OLD_LIBC: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX,-AVX512F");

fn recorded_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/digests.txt")
}

fn recorded() -> String {
    std::fs::read_to_string(recorded_path()).unwrap()
}

fn all_jobs() -> Vec<Job> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    jobs(&scenarios(&folder).unwrap())
}

/// Those of every `parts`th job from `part` on: tests run beside each other.
fn share(part: usize, parts: usize) -> Vec<Job> {
    all_jobs().into_iter().skip(part).step_by(parts).collect()
}

fn machine(folder: &Path, variables: &[(&str, &str)], emulator: &[&str]) -> Machine {
    Machine {
        program: PathBuf::from(env!("CARGO_BIN_EXE_understory")),
        emulator: emulator.iter().map(|word| (*word).to_owned()).collect(),
        variables: variables.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        folder: folder.to_path_buf(),
    }
}

fn is_of(job: &Job, line: &str) -> bool {
    let run = format!("{} {} {} ", job.scenario, job.interval, job.format);
    let learned = format!("{} learned ", job.scenario);
    line.starts_with(&run) || !job.models.is_empty() && line.starts_with(&learned)
}

/// Fails with the outputs that differ from the recorded ones.
fn assert_recorded(jobs: &[Job], variables: &[(&str, &str)], emulator: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), variables, emulator);
    let recorded = recorded();
    let mut differ = Vec::new();
    for job in jobs {
        let found = machine.digests(job).unwrap();
        let before: Vec<&str> = recorded.lines().filter(|line| is_of(job, line)).collect();
        assert!(!before.is_empty(), "{job:?} has no digest: record it with UNDERSTORY_UPDATE=1");
        let now: Vec<&str> = found.iter().map(String::as_str).collect();
        differ.extend(differences(&before, &now));
    }
    assert!(differ.is_empty(), "{variables:?} {emulator:?}\n{}", differ.join("\n"));
}

/// Functions whose last bits differ between systems; those of `f32` have an `f` behind.
const UNEQUAL: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf",
    "erfc", "exp", "exp10", "exp2", "expm1", "hypot", "lgamma", "lgamma_r", "log", "log10",
    "log1p", "log2", "pow", "sin", "sincos", "sinh", "tan", "tanh", "tgamma",
];

/// Whatever is in the program, ours or other people's, takes them from itself.
#[test]
fn no_sine_is_asked_of_the_system() {
    let program = Path::new(env!("CARGO_BIN_EXE_understory"));
    let imported = imported_functions(program).unwrap();
    assert!(imported.iter().any(|name| name == "read" || name == "write"), "{imported:?}");
    let is_unequal = |name: &String| {
        UNEQUAL.iter().any(|unequal| name == unequal || name.strip_suffix('f') == Some(unequal))
    };
    let found: Vec<&String> = imported.iter().filter(|name| is_unequal(name)).collect();
    assert!(found.is_empty(), "{found:?}");
}

/// As it is.
#[test]
fn outputs_are_those_that_were_recorded() {
    if std::env::var_os("UNDERSTORY_UPDATE").is_some() {
        let folder = tempfile::tempdir().unwrap();
        let machine = machine(folder.path(), &[], &[]);
        let mut lines = String::new();
        for job in all_jobs() {
            for line in machine.digests(&job).unwrap() {
                lines.push_str(&line);
                lines.push('\n');
            }
        }
        std::fs::write(recorded_path(), lines).unwrap();
        return;
    }
    assert_recorded(&all_jobs(), &[], &[]);
}

/// An old processor: functions of the system without fused multiplication, our own instructions
/// without vectors.
#[test]
fn an_old_processor_makes_the_same_bytes() {
    assert_recorded(&all_jobs(), &[OLD_LIBC, ("UNDERSTORY_INSTRUCTIONS", "portable")], &[]);
}

/// A processor in between, or this one where it is one.
#[test]
fn avx2_makes_the_same_bytes() {
    assert_recorded(&share(0, 2), &[("UNDERSTORY_INSTRUCTIONS", "avx2")], &[]);
}

/// Short ones, whose emulation ends within seconds; `cargo xtask test --full` has all.
const EMULATED: &[&str] = &["first-scan", "plane"];

#[test]
fn emulated_processors_make_the_same_bytes() {
    let jobs: Vec<Job> = all_jobs()
        .into_iter()
        .filter(|job| EMULATED.contains(&job.scenario.as_str()) && job.format == "csv")
        .collect();
    assert_eq!(jobs.len(), EMULATED.len());
    for model in ["Nehalem", "Haswell"] {
        assert_recorded(&jobs, &[], &["qemu-x86_64", "-cpu", model]);
    }
}

#[test]
fn an_unknown_set_of_instructions_is_refused() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_understory"));
    let output = command.arg("scenarios").env("UNDERSTORY_INSTRUCTIONS", "mmx").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("UNDERSTORY_INSTRUCTIONS") && said.contains("portable"), "{said}");
}
