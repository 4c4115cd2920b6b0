use crate::{block, start, yard};
use glam::DVec3;
use understory_drive::metrics::regret;
use understory_drive::{Command, Drive, Metrics, Outcome};

/// A wall of 2 m across the straight way.
fn wall() -> String {
    block("wall", [0.4, 12.0, 2.0], [0.0, 2.0], "building")
}

fn comparable(metrics: &Metrics) -> Metrics {
    Metrics { computing: Default::default(), ..metrics.clone() }
}

fn bits(drive: &Drive) -> Vec<u64> {
    let poses = drive.driven().iter().flat_map(|(time_s, pose)| {
        let numbers = [*time_s].into_iter().chain(pose.translation.to_array());
        numbers.chain(pose.rotation.to_array()).map(f64::to_bits)
    });
    poses.chain(drive.map.costs.iter().map(|cost| u64::from(cost.to_bits()))).collect()
}

#[test]
fn it_drives_round_a_wall_the_same_way_with_any_number_of_threads() {
    let navigation = "[platform.navigation]\ngps = { sigma_m = [0.02, 0.02] }\n\
                      compass = { sigma_deg = 0.2 }\nimu = {}\n";
    let goal = "goal_m = [12.0, 0.0]\n[drive.map]\ncells = 100\nmapper = \"penetration\"";
    let scenario = yard(goal, &(navigation.to_owned() + &wall())).unwrap();
    let runs: Vec<(Vec<u64>, Metrics)> = [1, 2, 8]
        .into_iter()
        .map(|threads| {
            let mut drive = start(&scenario, threads).unwrap();
            let metrics = drive.go(&|| false).unwrap();
            (bits(&drive), comparable(&metrics))
        })
        .collect();
    let metrics = &runs[0].1;
    assert_eq!(metrics.outcome, Outcome::Reached, "{metrics:?}");
    assert_eq!((metrics.collisions, metrics.senseless_commands), (0, 0));
    // The wall's end lies 4 m aside: two sides of about 12.8 m.
    let best = metrics.best_m.unwrap();
    assert!(best > 23.0 && best < 27.0, "{best}");
    assert!(metrics.distance_m > 0.97 * best && metrics.distance_m < 1.35 * best, "{metrics:?}");
    assert!(metrics.spl > 0.7 && metrics.regret.unwrap() < 0.35, "{metrics:?}");
    assert!(metrics.time_s > metrics.distance_m / 2.0);
    for other in &runs[1..] {
        assert!(other.0 == runs[0].0, "a thread more drives another way");
        assert_eq!(other.1, runs[0].1);
    }
}

/// The best way on the true map has no regret, and another one its length's.
#[test]
fn the_best_way_has_no_regret() {
    let scenario = yard("goal_m = [12.0, 0.0]\n[drive.map]\ncells = 100", &wall()).unwrap();
    let drive = start(&scenario, 1).unwrap();
    let best = drive.best.clone().unwrap();
    assert_eq!(regret(&best, &best, &drive.true_passable()), Some(0.0));
    let mut longer = best.clone();
    let last = *longer.points_m.last().unwrap();
    let aside = [last[0], last[1] + 0.1 * best.length_m() / 2.0];
    longer.points_m.extend([aside, last]);
    let found = regret(&longer, &best, &drive.true_passable()).unwrap();
    assert!((found - 0.1).abs() < 1e-3, "{found}");
}

/// Every pulse leaves from where the vehicle was at its own time.
#[test]
fn pulses_leave_from_the_way_that_is_driven() {
    let mut drive = start(&yard("goal_m = [12.0, 8.0]", "").unwrap(), 1).unwrap();
    for _ in 0..6 {
        drive.step(&mut |_| Command::new(1.5, 0.4)).unwrap();
    }
    let knots = drive.driven();
    let rows = &drive.seen;
    assert!(rows.len() > 1000);
    let mut moved: f64 = 0.0;
    for row in (0..rows.len()).step_by(97) {
        let time_s = rows.time_s[row];
        let next = knots.partition_point(|(time, _)| *time <= time_s).min(knots.len() - 1);
        let (before, after) = (&knots[next - 1], &knots[next]);
        let share = (time_s - before.0) / (after.0 - before.0);
        let at = before.1.translation.lerp(after.1.translation, share);
        let turn = before.1.rotation.slerp(after.1.rotation, share);
        let from = at + turn * DVec3::new(0.2, 0.1, 1.5);
        // Its lasers leave from up to 1.1 cm above and below its middle.
        let apart = (from - DVec3::from(rows.origin_xyz_m[row])).truncate().length();
        assert!(apart < 1e-6, "{apart}");
        moved = moved.max(from.distance(DVec3::from(rows.origin_xyz_m[0])));
    }
    assert!(moved > 0.1, "{moved}");
}

/// With wheels alone the vehicle believes to be elsewhere, and its map is off by as much.
#[test]
fn the_known_pose_is_that_of_its_instruments() {
    let odometry = "goal_m = [12.0, 0.0]\npose = \"odometry\"\n[drive.odometry]\nscale_sigma = 0.2";
    let mut drive = start(&yard(odometry, "").unwrap(), 1).unwrap();
    for _ in 0..10 {
        drive.step(&mut |_| Command::new(1.0, 0.0)).unwrap();
    }
    let (known, truth) = (drive.situation().known, drive.vehicle.pose);
    let apart = known.translation.distance(truth.translation);
    let gone = drive.metrics().distance_m;
    assert!(apart > 0.001 * gone, "{apart} of {gone}");
    // Skidding wheels lose α = 0.95 when they drive straight on, which odometry knows.
    assert!(apart < 0.8 * gone);
    let exact = yard("goal_m = [12.0, 0.0]", "").unwrap();
    let mut drive = start(&exact, 1).unwrap();
    for _ in 0..4 {
        drive.step(&mut |_| Command::new(1.0, 0.1)).unwrap();
    }
    assert_eq!(drive.situation().known, drive.vehicle.pose);
}

#[test]
fn a_car_and_a_differential_robot_get_there_too() {
    for steering in ["ackermann", "differential"] {
        let drive = format!(
            "goal_m = [12.0, 0.0]\nstart_heading_deg = 40\n\
             [drive.vehicle]\nsteering = \"{steering}\"\n[drive.map]\ncells = 100"
        );
        let mut drive = start(&yard(&drive, &wall()).unwrap(), 2).unwrap();
        let metrics = drive.go(&|| false).unwrap();
        assert_eq!(metrics.outcome, Outcome::Reached, "{steering}: {metrics:?}");
    }
}
