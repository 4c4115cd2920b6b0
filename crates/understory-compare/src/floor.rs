//! What chance alone leaves between two recordings of one and the same world.
//!
//! What enters: how many bins of the real recording have 1, 2, 3 … pulses. What leaves: the
//! expected Bhattacharyya distance of n against m pulses of the distribution that the real pulses
//! came from, −ln Σ E√X E√Y / √(n m), X and Y being Poisson with means n p and m p.
//!
//! The shares p of the bins are not known, and the real counts in their place make the floor too
//! low: bins that were empty by chance are then empty for certain. What is needed is only how much
//! of the distribution lies in bins of which mean count λ = n p. Beside a pulse there are, in its
//! bin, a Poisson number of others with mean λ; so the counts of others, over all pulses, are a
//! mixture of Poisson numbers, and its weights over λ are found by maximum likelihood (Kiefer and
//! Wolfowitz 1956) with expectation and maximisation. Nothing is assumed about the distribution.
//! Of the n pulses of an orientation n − 1 are others, so what is found is λ (n − 1)/n.

use crate::histogram_distance::mean_root_of_poisson;
use understory_base::math;

/// Bins of more pulses than this are what they seem.
const COUNTS: usize = 200;
/// Steps of λ.
const STEPS: usize = 120;
/// Smallest λ above 0, and largest.
const LAMBDA: [f64; 2] = [0.005, 260.0];
const ROUNDS: usize = 1000;
/// Each round goes nearly twice as far as it need to, which is safe below 2 and saves half of them.
const STRIDE: f64 = 1.9;

/// Bins of the real recording by the number of their pulses.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Occupancy {
    /// How many bins have so many pulses.
    few: Vec<u64>,
    /// Counts above those, with how many bins have them.
    many: Vec<(u64, u64)>,
}

impl Occupancy {
    pub(super) fn new() -> Occupancy {
        Occupancy { few: vec![0; COUNTS + 1], many: Vec::new() }
    }

    /// One bin more with `count` pulses.
    pub(super) fn add(&mut self, count: u64) {
        match self.few.get_mut(count as usize) {
            Some(bins) => *bins += 1,
            None => self.many.push((count, 1)),
        }
    }

    pub(super) fn merge(&mut self, other: &Occupancy) {
        self.few.iter_mut().zip(&other.few).for_each(|(bins, more)| *bins += more);
        self.many.extend_from_slice(&other.many);
    }

    /// Expected Σ √(p q) of recordings of `times` as many pulses each as the real one, in which for
    /// each pulse of an orientation there are `others` others for all of them (n − 1 over n).
    pub(super) fn coefficient(&self, times: [f64; 2], others: f64) -> f64 {
        let pulses = |(count, bins): (usize, &u64)| count as f64 * *bins as f64;
        let few: f64 = self.few.iter().enumerate().map(pulses).sum();
        let many: f64 = self.many.iter().map(|&(count, bins)| (count * bins) as f64).sum();
        let (lambdas, weights) = self.mixture();
        // √X √Y expected in a bin of mean λ, over the √(n m) that it has of the whole.
        let share = |lambda: f64| {
            let means = times.map(|times| lambda * times);
            let roots = means.map(mean_root_of_poisson);
            roots[0] * roots[1] / (means[0] * means[1]).sqrt()
        };
        let of_few: f64 = lambdas
            .iter()
            .zip(&weights)
            .filter(|(lambda, _)| **lambda > 0.0)
            .map(|(&lambda, weight)| weight * share(lambda / others))
            .sum();
        let of_many: f64 = self
            .many
            .iter()
            .map(|&(count, bins)| (count * bins) as f64 * share(count as f64))
            .sum();
        (of_few * few + of_many) / (few + many)
    }

    /// Mean counts λ, and the share of the pulses of `few` that lie in bins of each.
    fn mixture(&self) -> (Vec<f64>, Vec<f64>) {
        let step = math::ln(LAMBDA[1] / LAMBDA[0]) / (STEPS - 1) as f64;
        let rising = (0..STEPS).map(|i| LAMBDA[0] * math::exp(step * i as f64));
        let lambdas: Vec<f64> = std::iter::once(0.0).chain(rising).collect();
        // Pulses with so many others in their bin, as shares.
        let others: Vec<f64> =
            (1..=COUNTS).map(|count| count as f64 * self.few[count] as f64).collect();
        let sum: f64 = others.iter().sum();
        let mut weights = vec![1.0 / lambdas.len() as f64; lambdas.len()];
        if sum <= 0.0 {
            return (lambdas, vec![0.0; weights.len()]);
        }
        let of_lambda: Vec<Vec<f64>> = lambdas.iter().map(|&lambda| poisson(lambda)).collect();
        // By the number of others, then by λ.
        let used: Vec<(f64, Vec<f64>)> = (0..COUNTS)
            .filter(|&y| others[y] > 0.0)
            .map(|y| (others[y] / sum, of_lambda.iter().map(|chances| chances[y]).collect()))
            .collect();
        let mut gains = vec![0.0; weights.len()];
        for _ in 0..ROUNDS {
            gains.fill(0.0);
            for (share, chances) in &used {
                let mixed: f64 = weights.iter().zip(chances).map(|(w, chance)| w * chance).sum();
                if mixed > 0.0 {
                    let scale = share / mixed;
                    gains.iter_mut().zip(chances).for_each(|(gain, of)| *gain += scale * of);
                }
            }
            for (weight, gain) in weights.iter_mut().zip(&gains) {
                *weight *= math::powf(*gain, STRIDE);
            }
            let whole: f64 = weights.iter().sum();
            if whole > 0.0 {
                weights.iter_mut().for_each(|weight| *weight /= whole);
            }
        }
        (lambdas, weights)
    }
}

/// Chances of 0, 1, 2 … for a Poisson number.
fn poisson(mean: f64) -> Vec<f64> {
    let mut ln_factorial = 0.0;
    (0..COUNTS)
        .map(|y| {
            if y > 0 {
                ln_factorial += math::ln(y as f64);
            }
            match (mean > 0.0, y) {
                (false, 0) => 1.0,
                (false, _) => 0.0,
                (true, y) => math::exp(y as f64 * math::ln(mean) - mean - ln_factorial),
            }
        })
        .collect()
}
