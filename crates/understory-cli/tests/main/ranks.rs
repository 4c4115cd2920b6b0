//! Several ranks under `mpirun` give the bytes of one process.

use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::same_bytes::DRIVE;
use super::support::{Workplace, assert_same, text};

const FORMATS: [&str; 6] = ["--format", "laz", "--format", "kitti", "--format", "csv"];

/// `mpirun` as a test may use it: as root, and with more ranks than processors.
fn mpirun(work: &Workplace) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]);
    // No network, no remote shell: all ranks are on this machine.
    command.args(["--mca", "btl", "self,vader", "--mca", "plm", "isolated"]);
    command.current_dir(work.path("")).env("TMPDIR", "/tmp");
    command
}

fn on_ranks(work: &Workplace, ranks: usize, words: &[&str]) -> Output {
    let program = work.command(&[]).get_program().to_owned();
    let mut command = mpirun(work);
    command.args(["-n", &ranks.to_string()]).arg(program).args(words);
    command.output().unwrap()
}

fn succeed(work: &Workplace, ranks: usize, words: &[&str]) -> String {
    let output = on_ranks(work, ranks, words);
    assert!(output.status.success(), "{words:?} on {ranks} ranks: {}", text(&output.stderr));
    text(&output.stdout)
}

fn arguments<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "drive.toml", "--out", out];
    arguments.extend(FORMATS);
    arguments.extend(more);
    arguments
}

#[test]
fn one_two_and_four_ranks_give_the_same_bytes() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    work.succeed(&arguments("alone", &["--quiet"]));
    let alone = work.contents("alone");
    assert!(alone.iter().any(|(name, _)| name.ends_with(".png")));
    for (ranks, more) in [
        (1, &[][..]),
        (2, &[]),
        (4, &["--threads", "1"]),
        (2, &["--split", "intervals"]),
        (4, &["--split", "intervals", "--threads", "2"]),
        (3, &["--resume"]),
    ] {
        let out = format!("on-{ranks}-{}", more.len());
        let said = succeed(&work, ranks, &arguments(&out, more));
        assert_eq!(said.matches("real time").count(), 1, "only rank 0 speaks: {said}");
        assert_same(&alone, &work.contents(&out), &format!("{ranks} ranks, {more:?}"));
    }
}

/// Ranks put their own rows and chunks into their places: the files are those of one process.
#[test]
fn ranks_write_the_files_together() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE.replace("0.06", "0.6"));
    let words = |out: &'static str, more: &[&'static str]| {
        let mut words = vec!["run", "drive.toml", "--out", out, "--no-picture"];
        for format in ["laz", "las", "npy", "csv", "ply"] {
            words.extend(["--format", format]);
        }
        words.extend(more);
        words
    };
    work.succeed(&words("alone", &["--quiet", "--json", "alone.json"]));
    let alone = work.contents("alone");
    let total = |json: &str, name: &str| {
        let summary: serde_json::Value = serde_json::from_slice(&work.bytes(json)).unwrap();
        summary[name].as_u64().unwrap()
    };
    for (ranks, out) in [(2, "two"), (3, "three"), (5, "five")] {
        let json = ["--json", "together.json", "--split", "intervals", "--threads", "1"];
        succeed(&work, ranks, &words(out, &json));
        assert_same(&alone, &work.contents(out), &format!("{ranks} ranks"));
        for name in ["pulses", "returns", "misses"] {
            assert_eq!(total("alone.json", name), total("together.json", name), "{name}");
        }
    }
}

#[test]
fn an_error_on_any_rank_ends_all_with_one_sentence() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    work.put("other.toml", DRIVE.replace("seed = 11", "seed = 12"));
    let program = work.command(&[]).get_program().to_owned();
    let two = |second: &[&str]| {
        let mut command = mpirun(&work);
        command.args(["-n", "1"]).arg(&program).args(["run", "drive.toml", "--out", "out"]);
        command.args([":", "-n", "1"]).arg(&program).args(second);
        command.output().unwrap()
    };
    for (second, words) in [
        (&["run", "no-such.toml", "--out", "out"], "error: rank 1 failed: no-such.toml"),
        (&["run", "other.toml", "--out", "out"], "error: rank 1 failed: it runs another program"),
    ] {
        let output = two(second);
        let said = text(&output.stderr);
        assert!(!output.status.success());
        assert!(said.contains(words), "{said}");
        assert_eq!(said.matches("error: ").count(), 1, "{said}");
        assert!(!work.path("out").exists());
    }
    let wrong = on_ranks(&work, 2, &["run", "drive.toml", "--nonsense"]);
    let said = text(&wrong.stderr);
    assert_eq!(said.matches("see understory --help").count(), 1, "{said}");
}

/// One rank of four is killed; another start, without `mpirun`, ends with the same bytes.
#[test]
fn a_killed_rank_ends_the_run_and_one_process_goes_on() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE.replace("0.06", "0.6"));
    work.succeed(&arguments("alone", &["--quiet"]));
    for split in ["scans", "intervals"] {
        let program = work.command(&[]).get_program().to_owned();
        let mut command = mpirun(&work);
        command.args(["-n", "4"]).arg(program);
        command.args(arguments(split, &["--resume", "--threads", "1", "--split", split]));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let parts = work.path(split).join(".drive.parts");
        let patience = Instant::now();
        let stored = || {
            let files = std::fs::read_dir(&parts).into_iter().flatten().filter_map(Result::ok);
            files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum::<u64>()
        };
        while stored() < 300_000 {
            assert!(patience.elapsed() < Duration::from_secs(60), "nothing was stored");
            sleep(Duration::from_millis(2));
        }
        kill_rank(child.id(), 2);
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert!(!output.status.success(), "it ended before it could be killed");
        // Rank 0 says it unless the library ends it in the middle of a message of the dead one.
        assert!(said.contains("start it again") || said.contains("exited on signal 9"), "{said}");
        work.succeed(&arguments(split, &["--json", "summary.json"]));
        assert!(text(&work.bytes("summary.json")).contains("resumed_pulses"));
        assert_same(&work.contents("alone"), &work.contents(split), split);
    }
}

/// Kills one rank below `mpirun` with SIGKILL.
fn kill_rank(mpirun: u32, rank: u32) {
    let mine = format!("OMPI_COMM_WORLD_RANK={rank}\0");
    for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let below = status.lines().any(|line| line == format!("PPid:\t{mpirun}"));
        if below && text(&environment).contains(&mine) {
            let pid = entry.file_name().to_string_lossy().into_owned();
            assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
            return;
        }
    }
    panic!("rank {rank} was not found");
}

#[test]
fn ranks_learn_the_site_of_one_process() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE.replace("0.06", "0.4"));
    work.succeed(&[
        "run",
        "drive.toml",
        "--out",
        ".",
        "--format",
        "npy",
        "--quiet",
        "--no-picture",
    ]);
    let learn = |site: &'static str, more: &[&'static str]| {
        let mut words = vec!["learn", "drive.npy", "-o", site, "--cell", "0.2", "--quiet"];
        words.extend(more);
        words
    };
    work.succeed(&learn("alone.site", &["--model", "voxel"]));
    for (ranks, site) in [(2, "two.site"), (3, "three.site")] {
        succeed(&work, ranks, &learn(site, &["--model", "voxel"]));
        assert!(work.bytes("alone.site") == work.bytes(site), "{ranks} ranks");
    }
    let refused = on_ranks(&work, 2, &learn("x.site", &[]));
    let said = text(&refused.stderr);
    assert!(said.contains("only voxels are learned by several ranks"), "{said}");
    assert!(!refused.status.success() && !work.path("x.site").exists());
}
