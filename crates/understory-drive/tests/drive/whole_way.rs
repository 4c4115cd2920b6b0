use crate::{block, start, yard};
use glam::DVec3;
use understory_drive::metrics::regret;
use understory_drive::planner::plan;
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
    // Beams pass beside the end of the wall, so the mapper loses up to 0.3 m of it.
    let goal = "goal_m = [12.0, 0.0]\n[drive.planner]\nmargin_m = 0.8\n\
                [drive.map]\ncells = 100\nmapper = \"penetration\"";
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

/// What is planned on the true map has no regret, and no way through any other place has less: if the
/// best way were not the best, some of them would.
#[test]
fn no_way_over_the_true_map_costs_less_than_the_best() {
    let scenario = yard("goal_m = [12.0, 0.0]\n[drive.map]\ncells = 100", &wall()).unwrap();
    let drive = start(&scenario, 1).unwrap();
    let (truth, best) = (drive.true_passable(), drive.best.clone().unwrap());
    let (from, goal, radius) = (best.points_m[0], drive.spec.goal_m, drive.spec.goal_radius_m);
    let way = |from, to| plan(&truth, from, to, 1.0, false).map(|plan| plan.path);
    let again = way(from, goal).unwrap().until(goal, radius);
    assert_eq!(regret(&again, &best, &truth), Some(0.0));
    let mut found = Vec::new();
    for (x, y) in
        (-5..=5).flat_map(|x| (-5..=5).map(move |y| (2.2 * f64::from(x), 2.2 * f64::from(y))))
    {
        let Some((mut first, second)) = way(from, [x, y]).zip(way([x, y], goal)) else { continue };
        first.points_m.extend(&second.points_m[1..]);
        found.push(regret(&first.until(goal, radius), &best, &truth).unwrap());
    }
    let least = found.iter().copied().fold(f64::INFINITY, f64::min);
    let most = found.iter().copied().fold(0.0, f64::max);
    // A way over cells is a little longer than a free one; joined in the middle it may be straighter.
    assert!(found.len() > 80 && least > -0.01 && least < 0.05 && most > 0.2, "{least} {most}");
}

/// By GPS and compass the vehicle is off by as much as they are.
#[test]
fn instruments_are_off_by_their_errors() {
    let navigation = "[platform.navigation]\ngps = { sigma_m = [0.3, 0.3] }\n\
                      compass = { sigma_deg = 2.0 }\nimu = {}\n";
    let mut drive = start(&yard("goal_m = [12.0, 0.0]", navigation).unwrap(), 1).unwrap();
    let (mut away, mut turned) = (Vec::new(), Vec::new());
    for _ in 0..14 {
        drive.step(&mut |_| Command::new(1.0, 0.0)).unwrap();
        let now = drive.situation();
        away.push(now.known.translation.distance(drive.vehicle.pose.translation));
        turned.push((now.heading_rad - drive.vehicle.heading_rad).abs());
    }
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    // Five σ in three axes; the chance that all fixes are better than a millimetre is nil.
    assert!(most(&away) > 0.001 && most(&away) < 5.0 * 0.3 * 3f64.sqrt(), "{away:?}");
    assert!(most(&turned) > 1e-5 && most(&turned) < 5.0 * 2f64.to_radians(), "{turned:?}");
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
