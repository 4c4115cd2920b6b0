use crate::{block, start, yard};
use understory_drive::{Command, Outcome};

/// Each is one sentence that says what is wrong, where and what to do.
#[test]
fn impossible_drives_are_refused_in_one_sentence() {
    let wall = block("wall", [0.4, 12.0, 2.0], [0.0, 0.0], "building");
    let small = "[drive.map]\ncells = 60";
    for (drive, expected) in [
        (
            format!("goal_m = [25.0, 0.0]\n{small}\ncentre_m = [-12.0, 0.0]"),
            "the goal (25, 0) is outside the map of 30 m",
        ),
        (format!("goal_m = [0.0, 1.0]\n{small}"), "the goal (0, 1) is in something solid"),
        ("goal_m = [40.0, 0.0]\n[drive.map]\ncells = 200".to_owned(), "no ground at the goal"),
        (
            format!("goal_m = [9.0, 0.0]\nstart_m = [-0.8, 0.0]\n{small}"),
            "the vehicle is in \"wall\"",
        ),
        (
            format!("goal_m = [9.0, 0.0]\nstart_m = [0.0, 0.0]\nstart_heading_deg = 90\n{small}"),
            "the vehicle is in \"wall\"",
        ),
        (
            "goal_m = [9.0, 0.0]\nstart_m = [-29.8, 0.0]\n[drive.map]\ncells = 200".to_owned(),
            "no ground under the start",
        ),
    ] {
        let scenario = yard(&drive, &wall).unwrap();
        let error = start(&scenario, 1).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.starts_with("yard.toml:"), "{drive}\n{error}");
        assert!(error.contains("; ") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn wrong_keys_are_refused_in_one_sentence() {
    for (drive, expected) in [
        ("goal_m = [1.0, 0.0]\n[drive.vehicle]\nspeed_max_m_s = 0", "give a number above 0"),
        ("goal_m = [1.0, nan]", "finite"),
        ("goal_m = [1.0, 0.0]\nperiod_s = 0.05", "sensors fire for 0.1 s of each 0.05 s"),
        ("goal_m = [1.0, 0.0]\npose = \"navigation\"", "navigation that it does not have"),
        ("goal_m = [1.0, 0.0]\n[drive.odometry]\nturn_sigma = 0.1", "nothing uses"),
        ("goal_m = [1.0, 0.0]\n[drive.vehicle]\nskid_icr_m = [1.0, -1.0]", "not left of"),
        ("goal_m = [1.0, 0.0]\n[drive.vehicle]\nclearance_m = 2.0", "go below a body of 1.8 m"),
        ("goal_m = [1.0, 0.0]\n[drive.map]\nmapper = \"hight\"", "height"),
        ("speed = 3.0", "goal_m"),
    ] {
        let error = yard(drive, "").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{drive}\n{error}");
    }
    let without = understory::scenario::Scenario::embedded("first-scan").unwrap();
    let error = start(&without, 1).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no table [drive]"), "{error}");
}

/// A gap of 1 m in a wall from edge to edge, and a vehicle of 1.6 m.
#[test]
fn a_vehicle_that_fits_no_gap_stops_or_explores_as_it_is_told() {
    let walls = block("a", [0.4, 29.5, 2.0], [0.0, 15.25], "building")
        + &block("b", [0.4, 29.5, 2.0], [0.0, -15.25], "building");
    let map = "[drive.map]\ncells = 120\nmapper = \"ground\"";
    let drive = format!("goal_m = [12.0, 0.0]\nno_path = \"stop\"\n{map}");
    let mut drive = start(&yard(&drive, &walls).unwrap(), 1).unwrap();
    let metrics = drive.go(&|| false).unwrap();
    assert_eq!((metrics.best_m, metrics.regret, metrics.spl), (None, None, 0.0));
    assert!(matches!(metrics.outcome, Outcome::NoPath | Outcome::NoGround), "{metrics:?}");
    let drive = format!("goal_m = [12.0, 0.0]\nstuck_s = 4.0\n{map}");
    let mut drive = start(&yard(&drive, &walls).unwrap(), 1).unwrap();
    let metrics = drive.go(&|| false).unwrap();
    assert!(!metrics.success && metrics.nearest_m < 16.0, "{metrics:?}");
}

#[test]
fn senseless_commands_are_counted_and_stop_the_vehicle() {
    let mut drive = start(&yard("goal_m = [12.0, 0.0]\nstuck_s = 2.0", "").unwrap(), 1).unwrap();
    while drive.outcome().is_none() {
        drive.step(&mut |_| Command::new(f64::NAN, f64::NEG_INFINITY)).unwrap();
    }
    let metrics = drive.metrics();
    assert_eq!((metrics.outcome, metrics.distance_m), (Outcome::Stuck, 0.0));
    assert!(metrics.senseless_commands > 100, "{metrics:?}");
}
