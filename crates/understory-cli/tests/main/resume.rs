//! Runs that are killed, split and joined end with the bytes of one that was left alone.

use std::fs;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::same_bytes::DRIVE;
use super::support::{Workplace, assert_refused, assert_same, text};

const FORMATS: [&str; 6] = ["--format", "laz", "--format", "kitti", "--format", "csv"];

/// The drive, long enough to be killed on its way.
fn drive(work: &Workplace) {
    work.put("drive.toml", DRIVE.replace("0.06", "0.2"));
}

fn arguments<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "drive.toml", "--out", out, "--quiet"];
    arguments.extend(FORMATS);
    arguments.extend(more);
    arguments
}

fn start(work: &Workplace, out: &str, more: &[&str]) -> Child {
    let mut command = work.command(&arguments(out, more));
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts a run and lets it work until it has stored something.
fn start_and_wait_for_parts(work: &Workplace, out: &str, more: &[&str]) -> Child {
    let child = start(work, out, more);
    let file = work.path(out).join(".drive.parts/blocks-0000");
    let patience = Instant::now();
    while fs::metadata(&file).map_or(0, |file| file.len()) < 200_000 {
        assert!(patience.elapsed() < Duration::from_secs(60), "nothing was stored");
        sleep(Duration::from_millis(1));
    }
    child
}

/// Kills at 20 moments, one in each twentieth of the time of a whole run (a little more, so that
/// the last ones hit its end), and resumes each: always the same files and nothing else.
#[test]
fn killed_at_twenty_moments_and_resumed() {
    let work = Workplace::new();
    drive(&work);
    let clock = Instant::now();
    work.succeed(&arguments("whole", &["--resume"]));
    let whole_s = clock.elapsed().as_secs_f64();
    let whole = work.contents("whole");
    assert!(whole.iter().any(|(name, _)| name.ends_with(".png")));
    assert!(whole.iter().all(|(name, _)| !name.contains("parts")), "parts are left");
    let [in_time, resumed, next] = [const { AtomicUsize::new(0) }; 3];
    let kill_some = || loop {
        let moment = next.fetch_add(1, Ordering::Relaxed);
        if moment >= 20 {
            return;
        }
        // The golden ratio spreads the moments within their twentieths.
        let within = (moment as f64 * 0.618_033_988_75).fract();
        let after_s = 1.1 * whole_s * (moment as f64 + within) / 20.0;
        let out = format!("killed-{moment}");
        let mut child = start(&work, &out, &["--resume"]);
        sleep(Duration::from_secs_f64(after_s));
        child.kill().unwrap();
        let ended = child.wait().unwrap();
        in_time.fetch_add(usize::from(!ended.success()), Ordering::Relaxed);
        let json = format!("{out}.json");
        work.succeed(&arguments(&out, &["--resume", "--json", &json]));
        let summary = text(&work.bytes(&json));
        resumed.fetch_add(usize::from(summary.contains("resumed_pulses")), Ordering::Relaxed);
        assert_same(&whole, &work.contents(&out), &format!("killed after {after_s:.3} s"));
        fs::remove_dir_all(work.path(&out)).unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(kill_some);
        kill_some();
    });
    let (in_time, resumed) = (in_time.into_inner(), resumed.into_inner());
    assert!(in_time >= 10, "only {in_time} of 20 were killed before their end");
    assert!(resumed >= 3, "only {resumed} of 20 had something to go on from");
}

#[test]
fn a_stopped_run_says_how_to_go_on_and_others_are_not_mixed_in() {
    let work = Workplace::new();
    drive(&work);
    work.succeed(&arguments("whole", &["--no-resume"]));
    let mut child = start_and_wait_for_parts(&work, "out", &["--resume", "--threads", "1"]);
    // It rests while another one tries, so that it cannot end meanwhile.
    let pid = child.id().to_string();
    let signal = |name: &str| {
        std::process::Command::new("kill").args([name, &pid]).status().unwrap();
    };
    signal("-STOP");
    let still_there = child.try_wait().unwrap().is_none();
    let busy = work.run(&arguments("out", &["--resume"]));
    signal("-TERM");
    signal("-CONT");
    let ended = child.wait_with_output().unwrap();
    if still_there {
        assert_refused(&busy, 2, &["another process is at work"]);
    }
    let said = text(&ended.stderr);
    assert!(!ended.status.success(), "it ended before it could be stopped");
    assert!(said.contains("kept in out/.drive.parts") && said.contains("start it again"), "{said}");
    assert!(work.listing().iter().all(|name| !name.contains(".partial")), "{:?}", work.listing());

    let other = work.run(&arguments("out", &["--seed", "4"]));
    assert_refused(&other, 2, &["the seed is 11 there and 4 here", "--restart"]);
    let part = work.run(&arguments("out", &["--interval", "0..0.1"]));
    assert_refused(&part, 2, &["0..0.2 s", "0..0.1 s"]);
    // Without a word it goes on, because there is something to go on from.
    work.succeed(&arguments("out", &["--json", "summary.json"]));
    assert!(text(&work.bytes("summary.json")).contains("resumed_pulses"));
    assert_same(&work.contents("whole"), &work.contents("out"), "stopped");

    let mut child = start_and_wait_for_parts(&work, "new", &["--resume", "--threads", "1"]);
    child.kill().unwrap();
    child.wait().unwrap();
    work.put("drive.toml", DRIVE.replace("0.06", "0.15"));
    assert_refused(&work.run(&arguments("new", &[])), 2, &["the scenario's text"]);
    work.succeed(&arguments("new", &["--restart"]));
    work.succeed(&arguments("short", &[]));
    assert_same(&work.contents("short"), &work.contents("new"), "begun anew");
}

#[test]
fn hosts_split_a_run_and_their_parts_join_to_the_whole() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    work.succeed(&arguments("whole", &[]));
    let host = |interval: &str, folder: &str| {
        work.succeed(&["run", "drive.toml", "--quiet", "--interval", interval, "--parts", folder]);
    };
    host("0.0137..0.0411", "b");
    host("0..0.0137", "a");
    let join = |folders: &[&str], more: &[&str]| {
        let mut words = vec!["join", "drive.toml", "--out", "joined", "--quiet"];
        words.extend(folders);
        words.extend(FORMATS);
        words.extend(more);
        work.run(&words)
    };
    assert_refused(&join(&["a", "b"], &[]), 2, &["0.0411..0.06 s is missing", "--parts"]);
    assert_refused(&join(&["a"], &["--seed", "4"]), 2, &["the seed is 11 there and 4 here"]);
    assert!(!work.path("joined").exists());
    host("0.0411..", "a");
    let joined = join(&["a", "b"], &[]);
    assert!(joined.status.success(), "{}", text(&joined.stderr));
    assert_same(&work.contents("whole"), &work.contents("joined"), "joined");

    // A damaged part is left out and named, or simulated again.
    let file = work.path("b/blocks-0000");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&file, bytes).unwrap();
    let damaged = join(&["b", "a"], &[]);
    assert_eq!(damaged.status.code(), Some(2));
    assert!(text(&damaged.stderr).contains("0.0411 s is missing"), "{}", text(&damaged.stderr));
    assert!(join(&["b", "a"], &["--fill"]).status.success());
    assert_same(&work.contents("whole"), &work.contents("joined"), "filled");
}

/// A limit on the size of files is the full disk that any user can have.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_while_parts_are_stored_is_told_and_the_run_can_go_on() {
    let work = Workplace::new();
    drive(&work);
    work.succeed(&arguments("whole", &["--no-resume"]));
    let program = work.command(&[]).get_program().to_string_lossy().into_owned();
    let words = arguments("out", &["--resume"]).join(" ");
    // 512 blocks of 1024 bytes; the signal that would end the program is ignored.
    let limited = format!("trap '' XFSZ; ulimit -f 512; exec {program} {words}");
    let mut shell = std::process::Command::new("bash");
    let failed = shell.args(["-c", &limited]).current_dir(work.path("")).output().unwrap();
    assert_refused(&failed, 1, &["cannot write out/", "split the run into intervals"]);
    work.succeed(&arguments("out", &[]));
    assert_same(&work.contents("whole"), &work.contents("out"), "after a full disk");
}
