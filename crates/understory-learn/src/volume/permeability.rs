//! How much light passes a volume: beams that were stopped in it, and beams that went through.
//!
//! Deschaud 2012, §III-B. A beam counts for a volume only where it comes nearer to it than τ
//! (Mahalanobis). One that ends in the volume's interval was stopped (n), one that ends behind it
//! or never went through (m), one that ends before it saw nothing of it. The permeability is
//! ρ = m/(m + n): a factor of Kaplan and Meier's estimate, so beams along one ray reproduce the
//! distribution of their ranges exactly.

/// Beams that met a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BeamCounts {
    /// Ended in it, n.
    pub stopped: u64,
    /// Went through it, m.
    pub passed: u64,
    /// Ended in its interval but farther from it than τ: neither.
    pub orphaned: u64,
}

/// What a beam did at a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ended before.
    Unobserved,
    /// It ended there.
    Stopped,
    /// It ended in the interval but too far from the volume.
    Orphaned,
    /// It went through.
    Passed,
    /// It went by.
    Beside,
}

/// The fate of a beam with the range `range_m` (infinite: no return) at a volume that occupies
/// `enter_m`…`leave_m` on its way and is `distance` away at its nearest, with the gate `tau`.
pub fn fate(range_m: f64, enter_m: f64, leave_m: f64, distance: f64, tau: f64) -> Fate {
    let near = distance < tau;
    if range_m < enter_m {
        Fate::Unobserved
    } else if range_m < leave_m {
        if near { Fate::Stopped } else { Fate::Orphaned }
    } else if near {
        Fate::Passed
    } else {
        Fate::Beside
    }
}

impl BeamCounts {
    /// Counts a beam.
    pub fn add(&mut self, fate: Fate) {
        match fate {
            Fate::Stopped => self.stopped += 1,
            Fate::Passed => self.passed += 1,
            Fate::Orphaned => self.orphaned += 1,
            Fate::Unobserved | Fate::Beside => {}
        }
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &BeamCounts) {
        self.stopped += other.stopped;
        self.passed += other.passed;
        self.orphaned += other.orphaned;
    }

    /// ρ by maximum likelihood; `None` where no beam met the volume.
    pub fn permeability(&self) -> Option<f64> {
        let met = self.stopped + self.passed;
        (met > 0).then(|| self.passed as f64 / met as f64)
    }

    /// ρ by Jeffreys' rule, (m + ½)/(m + n + 1): never 0 or 1, better for few beams.
    pub fn permeability_jeffreys(&self) -> Option<f64> {
        let met = self.stopped + self.passed;
        (met > 0).then(|| (self.passed as f64 + 0.5) / (met as f64 + 1.0))
    }

    /// Share of the beams that ended in the interval but were not counted: above 0.1, τ is too
    /// small for the shape of the points.
    pub fn orphaned_share(&self) -> f64 {
        self.orphaned as f64 / (self.stopped + self.orphaned).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permeability_by_test_vector() {
        for (passed, stopped, ml, jeffreys) in
            [(1, 3, 0.25, 0.30), (0, 5, 0.0, 0.083_333_333), (17, 3, 0.85, 0.833_333_333)]
        {
            let counts = BeamCounts { passed, stopped, orphaned: 0 };
            assert!((counts.permeability().unwrap() - ml).abs() < 1e-9);
            assert!((counts.permeability_jeffreys().unwrap() - jeffreys).abs() < 1e-8);
        }
        assert_eq!(BeamCounts::default().permeability(), None);
    }

    #[test]
    fn fates_by_the_table() {
        let at = |range_m, distance| fate(range_m, 8.0, 8.05, distance, 2.0);
        assert_eq!(at(7.9, 0.5), Fate::Unobserved);
        assert_eq!(at(8.0, 0.5), Fate::Stopped);
        assert_eq!(at(8.02, 2.0), Fate::Orphaned);
        assert_eq!(at(8.05, 0.5), Fate::Passed);
        assert_eq!(at(f64::INFINITY, 1.9), Fate::Passed);
        assert_eq!(at(9.0, 3.0), Fate::Beside);
    }

    /// ∏ρ·(1 − ρ) over the cells of one ray is the share of beams that ended in each.
    #[test]
    fn one_ray_is_reproduced_exactly() {
        let ended = [3u64, 0, 5, 2];
        let no_return = 4u64;
        let all: u64 = ended.iter().sum::<u64>() + no_return;
        let (mut reach, mut left) = (1.0, all);
        for count in ended {
            left -= count;
            let counts = BeamCounts { stopped: count, passed: left, orphaned: 0 };
            let rho = counts.permeability().unwrap();
            assert!((reach * (1.0 - rho) - count as f64 / all as f64).abs() < 1e-15);
            reach *= rho;
        }
        assert!((reach - no_return as f64 / all as f64).abs() < 1e-15);
    }
}
