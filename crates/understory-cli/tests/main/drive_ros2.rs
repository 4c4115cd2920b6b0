//! A controller in another process, of another implementation of DDS, drives a vehicle.
//!
//! Runs with the feature `ros2`.

use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use understory_testing::DdsNode;

use super::drive::YARD;
use super::support::{Workplace, text};

/// A process that ends with its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
        let _ended = self.0.kill();
        let _waited = self.0.wait();
    }
}

/// A yard with a wall across the way, in periods of a tenth of a second, and two processes: the program
/// and a controller that goes round the wall.
struct Both {
    work: Workplace,
    program: Process,
    controller: DdsNode,
}

fn both(number: u16, kind: &str, extra: &[&str]) -> Option<Both> {
    let work = Workplace::new();
    let drive = "[drive]\nperiod_s = 0.1\nsense_s = 0.02\nstuck_s = 12.0";
    work.put("yard.toml", YARD.replace("[drive]", drive));
    let domain = (number + (std::process::id() % 25) as u16).to_string();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/drive_by_ros2.py");
    let controller = DdsNode::start(&script, &[&domain, kind, "0,-7", "10,0"])?;
    let ros2 = format!("--ros2={domain}");
    let mut arguments = vec!["drive", "yard.toml", "-q", "--json", "how.json", &ros2];
    arguments.extend(extra);
    let program = work.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    let program = Process(program);
    assert_eq!(controller.line(Duration::from_secs(60)).as_deref(), Ok("driving"));
    Some(Both { work, program, controller })
}

impl Both {
    /// How it went, when the program has ended, and the true place every 10 ms.
    fn end(mut self) -> (Value, Vec<[f64; 2]>) {
        let patience = Instant::now();
        while self.program.0.try_wait().unwrap().is_none() {
            assert!(patience.elapsed() < Duration::from_secs(240), "the program does not end");
            sleep(Duration::from_millis(20));
        }
        let how = serde_json::from_slice(&self.work.bytes("how.json")).unwrap();
        let way = text(&self.work.bytes("out/yard/yard-way.csv"));
        let place = |line: &str| {
            let mut numbers = line.split(',').skip(1).map(|number| number.parse().unwrap());
            [numbers.next().unwrap(), numbers.next().unwrap()]
        };
        (how, way.lines().skip(1).map(place).collect())
    }
}

/// In lockstep, by `Twist`: the vehicle goes where the other process drives it.
#[test]
fn another_process_drives_to_the_goal() {
    let Some(both) = both(120, "twist", &["--stale", "5"]) else { return };
    let (how, way) = both.end();
    assert_eq!((&how["outcome"], &how["collisions"]), (&"reached".into(), &0.into()), "{how}");
    // It went by the first waypoint, where no planner of ours would have gone.
    let nearest = way.iter().map(|[x, y]| x.hypot(y + 7.0)).fold(f64::INFINITY, f64::min);
    assert!(nearest < 1.5 && how["plans"] == 0, "{nearest} {how}");
}

/// At the pace of the clock, by `TwistStamped`: when the controller is killed the vehicle stops.
#[test]
fn a_vehicle_whose_controller_is_killed_stops() {
    let extra = ["--real-time", "--stale", "0.3"];
    let Some(mut both) = both(150, "stamped", &extra) else { return };
    // The wall is 10 m away; it drives for a while.
    sleep(Duration::from_secs(4));
    both.controller.kill();
    let (how, way) = both.end();
    assert_eq!(how["outcome"], "stuck", "{how}");
    let (first, last) = (way[0], way[way.len() - 1]);
    let gone = (last[0] - first[0]).hypot(last[1] - first[1]);
    assert!(gone > 0.5 && gone < 12.0, "{gone}");
    // It stands for all but the last of the time after which it counts as stuck.
    let standing = way.iter().rev().take_while(|place| **place == last).count();
    assert!(standing > 1000, "{standing} of {}", way.len());
}
