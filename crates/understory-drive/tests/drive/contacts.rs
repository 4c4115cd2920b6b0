use crate::{block, start, yard};
use understory_drive::{Command, Outcome};

/// Straight ahead, whatever is there.
fn straight(drive: &mut understory_drive::Drive) -> understory_drive::Metrics {
    while drive.outcome().is_none() {
        drive.step(&mut |_| Command::new(2.0, 0.0)).unwrap();
    }
    drive.metrics()
}

/// The front of the body stops at the block, whose face stands at a known place.
#[test]
fn a_collision_ends_the_drive_where_the_thing_stands() {
    for (label, name) in [
        ("other-object", "rock"),
        ("person", "walker"),
        ("car", "car"),
        ("building", "wall"),
        ("fence", "fence"),
        ("pole", "post"),
    ] {
        let scenario =
            yard("goal_m = [12.0, 0.0]", &block(name, [1.0, 1.0, 0.5], [0.0, 0.3], label));
        let mut drive = start(&scenario.unwrap(), 1).unwrap();
        let metrics = straight(&mut drive);
        assert_eq!(metrics.outcome, Outcome::Collision);
        assert_eq!((metrics.collisions, metrics.hit.as_deref()), (1, Some(name)));
        let front = drive.vehicle.at_m[0] + 1.5;
        assert!(front <= -0.5 + 1e-6 && front > -0.53, "{front}");
    }
}

#[test]
fn a_vehicle_that_only_stops_at_things_gets_stuck() {
    let rock = block("rock", [1.0, 1.0, 0.5], [0.0, 0.0], "other-object");
    let drive = "goal_m = [12.0, 0.0]\ncollision = \"stop\"\nstuck_s = 3.0";
    let mut drive = start(&yard(drive, &rock).unwrap(), 1).unwrap();
    let metrics = straight(&mut drive);
    assert_eq!((metrics.outcome, metrics.collisions), (Outcome::Stuck, 1));
}

#[test]
fn what_is_low_or_soft_is_driven_over() {
    let low = block("stone", [1.0, 1.0, 0.2], [0.0, 0.0], "other-object");
    let soft = block("bush", [1.0, 1.0, 1.0], [4.0, 0.0], "vegetation");
    let mut drive = start(&yard("goal_m = [12.0, 0.0]", &(low + &soft)).unwrap(), 1).unwrap();
    let metrics = straight(&mut drive);
    assert_eq!((metrics.outcome, metrics.collisions), (Outcome::Reached, 0));
}

/// 1200 kg push over stems up to 5.2 cm at half a metre's height, less lower down.
#[test]
fn thin_stems_are_pushed_over_and_thick_ones_stop() {
    let stem = |diameter: f64| {
        format!(
            "[[world.object]]\nname = \"stem\"\nshape = \"cylinder\"\nradius_m = {}\nheight_m = 4.0\n\
             material = \"wood\"\nlabel = \"trunk\"\nposition_m = [0.0, 0.3, 0.0]\n",
            0.5 * diameter
        )
    };
    for (diameter, extra, outcome, stems) in [
        (0.03, "", Outcome::Reached, 1),
        (0.10, "", Outcome::Collision, 0),
        (0.03, "[drive.vehicle]\nstems = false\n", Outcome::Collision, 0),
    ] {
        let drive = format!("goal_m = [12.0, 0.0]\n{extra}");
        let mut drive = start(&yard(&drive, &stem(diameter)).unwrap(), 1).unwrap();
        let metrics = straight(&mut drive);
        assert_eq!((metrics.outcome, metrics.stems), (outcome, stems), "{diameter} {extra}");
    }
}

/// A car that crosses the way is met where it is at that time.
#[test]
fn moving_things_are_met_in_time() {
    let crossing = "[[world.object]]\nname = \"box\"\nshape = \"box\"\nsize_m = [1.0, 1.0, 1.0]\n\
                    material = \"concrete\"\nlabel = \"car\"\n\
                    motion = { keyframes = [\
                    { time_s = 0.0, position_m = [0.0, 20.0, 0.0] }, \
                    { time_s = 13.0, position_m = [0.0, -20.0, 0.0] }] }\n";
    // At 6.5 s it is on the way, when the vehicle comes by; with half the speed it is long gone.
    for (speed, outcome) in [(2.0, Outcome::Collision), (0.9, Outcome::Reached)] {
        let drive = "goal_m = [12.0, 0.0]\ntime_limit_s = 100";
        let mut drive = start(&yard(drive, crossing).unwrap(), 1).unwrap();
        while drive.outcome().is_none() {
            drive.step(&mut |_| Command::new(speed, 0.0)).unwrap();
        }
        assert_eq!(drive.outcome(), Some(outcome), "{speed} {:?}", drive.metrics());
    }
}
