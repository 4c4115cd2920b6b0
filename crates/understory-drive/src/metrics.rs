//! How a drive went, in the measures that people who build planners know.
//!
//! - success: the vehicle's middle came truly within the goal's radius;
//! - SPL (Anderson et al. 2018): S·l/max(p, l), with the length p of the driven way and l of the best
//!   one, both up to the edge of the goal's circle;
//! - regret: cost of the driven way on the true map over that of the best way, less 1; on the true map
//!   what is free costs its length, so it is the ratio of lengths. Only for drives that got there;
//! - what computing took, by the processor time of the threads that did it.

use serde::Serialize;
use understory_base::math;

use crate::cost_map::Passable;
use crate::path::Path;

/// How a drive ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It came to its goal.
    Reached,
    /// It ran into something.
    Collision,
    /// It did not get on any more.
    Stuck,
    /// It stood too steep.
    TurnedOver,
    /// It came to where there is no ground.
    NoGround,
    /// No path led to the goal, and it was to stop then.
    NoPath,
    /// Its time was over.
    TimeLimit,
    /// Nobody drove it any further.
    Stopped,
}

impl Outcome {
    /// As a table says it.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Reached => "reached",
            Outcome::Collision => "collision",
            Outcome::Stuck => "stuck",
            Outcome::TurnedOver => "turned over",
            Outcome::NoGround => "no ground",
            Outcome::NoPath => "no path",
            Outcome::TimeLimit => "time limit",
            Outcome::Stopped => "stopped",
        }
    }
}

/// How a drive went.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct Metrics {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it came to its goal.
    pub success: bool,
    /// When it ended.
    pub time_s: f64,
    /// Length of the driven way.
    pub distance_m: f64,
    /// Least distance to the goal.
    pub nearest_m: f64,
    /// How often it ran into something.
    pub collisions: u64,
    /// What it ran into last.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hit: Option<String>,
    /// Stems that it pushed over.
    pub stems: u64,
    /// Length of the best way on the true map; none where there is none.
    pub best_m: Option<f64>,
    /// Success weighted by path length.
    pub spl: f64,
    /// Cost of the driven way over the best one's, less 1.
    pub regret: Option<f64>,
    /// Paths that were looked for, and how many were not found.
    pub plans: u64,
    /// See `plans`.
    pub plans_without_path: u64,
    /// Commands that were no numbers.
    pub senseless_commands: u64,
    /// Pulses fired.
    pub pulses: u64,
    /// What computing took.
    pub computing: Computing,
}

/// Processor time by part, all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, serde::Deserialize)]
pub struct Computing {
    /// Time on the wall clock.
    pub wall_s: f64,
    /// The lidar.
    pub lidar_cpu_s: f64,
    /// Maps.
    pub mapping_cpu_s: f64,
    /// Paths.
    pub planning_cpu_s: f64,
    /// Vehicle, contacts and commands.
    pub vehicle_cpu_s: f64,
    /// Estimated poses.
    pub pose_cpu_s: f64,
    /// Simulated time over time on the wall clock.
    pub real_time_factor: f64,
    /// Share of all processor time that is not the lidar's.
    pub overhead: f64,
}

impl Computing {
    /// Works out the ratios.
    pub fn finish(&mut self, simulated_s: f64) {
        let others =
            self.mapping_cpu_s + self.planning_cpu_s + self.vehicle_cpu_s + self.pose_cpu_s;
        self.real_time_factor = simulated_s / self.wall_s.max(1e-9);
        self.overhead = others / (others + self.lidar_cpu_s).max(1e-9);
    }
}

/// SPL of one drive.
pub fn spl(success: bool, driven_m: f64, best_m: Option<f64>) -> f64 {
    match best_m {
        Some(best) if success => best / driven_m.max(best).max(1e-9),
        _ => 0.0,
    }
}

/// Cost of a way on the true map over that of the best, less 1; none where there is no best way.
/// Parts of the way that the map calls blocked count as free: the vehicle was there.
pub fn regret(driven: &Path, best: &Path, truth: &Passable) -> Option<f64> {
    let cost = |path: &Path| -> f64 {
        path.points_m
            .windows(2)
            .map(|pair| {
                let straight = truth.straight(pair[0], pair[1], 1.0);
                straight.unwrap_or_else(|| crate::path::distance_m(pair[0], pair[1]))
            })
            .sum()
    };
    let best = cost(best);
    (best > 0.0).then(|| cost(driven) / best - 1.0)
}

/// Two-sided sign test: how probable it is that of `wins + losses` fair coins so few or fewer lie on
/// the rarer side. 1 without any.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    let (n, few) = (wins + losses, wins.min(losses));
    // ln of the binomial coefficients, summed; exact enough for thousands.
    let mut ln_choose = 0.0;
    let mut sum = 0.0;
    for k in 0..=few {
        if k > 0 {
            ln_choose += math::ln((n - k + 1) as f64) - math::ln(k as f64);
        }
        sum += math::exp(ln_choose - n as f64 * std::f64::consts::LN_2);
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the binomial distribution: 2·P(X ≤ k) for n fair coins.
    #[test]
    fn the_sign_test_is_the_binomial_distribution() {
        for (wins, losses, expected) in [
            (10, 0, 2.0 / 1024.0),
            (0, 10, 2.0 / 1024.0),
            (9, 1, 2.0 * 11.0 / 1024.0),
            (15, 5, 0.041_389_465),
            (5, 5, 1.0),
            (0, 0, 1.0),
        ] {
            let p = sign_test(wins, losses);
            assert!((p - expected).abs() < 1e-8, "{wins} {losses}: {p}");
        }
    }

    #[test]
    fn spl_is_0_for_failures_and_at_most_1() {
        assert_eq!(spl(false, 10.0, Some(10.0)), 0.0);
        assert_eq!(spl(true, 20.0, Some(10.0)), 0.5);
        assert_eq!(spl(true, 9.0, Some(10.0)), 1.0);
        assert_eq!(spl(true, 9.0, None), 0.0);
    }
}
