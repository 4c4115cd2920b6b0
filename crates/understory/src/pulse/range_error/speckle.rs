//! Speckle: rough surfaces send coherent light back in grains (Bayraktaroglu 2023, §3.7).
//!
//! What enters: the light of each sub-ray. What leaves: the same times a random factor. A receiver
//! that sees M independent grains of a spot gets an intensity with a gamma law of mean 1 and shape
//! M, whose contrast (standard deviation over mean) is 1/√M (Goodman 2007, "Speckle Phenomena in
//! Optics", §4.6). Patches of a spot have grains of their own: a sub-ray with the share w of the
//! light has M·w of them, and the sum over a spot of one brightness has M again. What the factor
//! does to ranges follows from the light: the mean of a window shifts, σ depends on the intensity,
//! a pulse in noise is lost.

use understory_base::math;
use understory_files::sensor::SpeckleFile;

use crate::pulse::beam::Footprint;
use crate::pulse::echo::EchoSignal;
use crate::pulse::interaction::Interactions;
use crate::rng::{BatchKey, PulseRng, Stage};

/// Grains of light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speckle {
    /// M, independent grains that the receiver sees of a whole spot.
    pub cells: f64,
}

impl Speckle {
    /// What the file says.
    pub(super) fn from_file(file: &SpeckleFile) -> Speckle {
        Speckle { cells: file.cells.get() }
    }

    /// Makes the light of every sub-ray stronger or weaker.
    pub fn fluctuate(
        &self,
        interactions: &Interactions,
        footprint: &Footprint,
        signal: &mut EchoSignal,
        key: BatchKey,
    ) {
        for pulse in 0..interactions.pulses() {
            let rows = interactions.rows(pulse);
            if rows.is_empty() {
                continue;
            }
            let mut rng = key.rng(pulse, Stage::Speckle);
            for row in rows {
                let share = f64::from(footprint.weight(interactions.sub_ray[row] as usize));
                // A sub-ray without a share brings nothing back.
                let shape = (self.cells * share).max(1e-3);
                signal.intensity[row] *= (gamma(shape, &mut rng) / shape) as f32;
            }
        }
    }

    pub(super) fn describe(&self) -> String {
        format!("speckle of contrast {:.3}", self.cells.sqrt().recip())
    }
}

/// A number of the gamma law of this shape and scale 1 (Marsaglia and Tsang 2000; below shape 1 by
/// one of shape + 1 times u^(1/shape)).
pub fn gamma(shape: f64, rng: &mut PulseRng) -> f64 {
    if shape < 1.0 {
        let power = math::ln(rng.uniform()) / shape;
        return gamma(shape + 1.0, rng) * math::exp(power);
    }
    let d = shape - 1.0 / 3.0;
    let c = (9.0 * d).sqrt().recip();
    loop {
        let x = rng.gaussian();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && math::ln(rng.uniform()) < 0.5 * x * x + d - d * v + d * math::ln(v) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulse::beam::{BeamSpec, Sampling, SpotShape};

    const PULSES: usize = 40_000;

    /// Intensities of pulses whose first `hits` sub-rays of nine meet something white.
    fn intensities(cells: f64, hits: usize) -> Vec<f64> {
        let footprint = Footprint::new(&BeamSpec {
            shape: SpotShape::Circular,
            divergence_horizontal_rad: 0.003,
            divergence_vertical_rad: 0.003,
            aperture_horizontal_m: 0.0,
            aperture_vertical_m: 0.0,
            sampling: Sampling::Matched,
            rays: 9,
        });
        let interactions = Interactions::of_sub_rays(PULSES, hits);
        let weight = |row: usize| footprint.weight(interactions.sub_ray[row] as usize);
        let mut signal = EchoSignal { intensity: (0..PULSES * hits).map(weight).collect() };
        let key = BatchKey { seed: 4, sensor: 0, first_pulse: 0 };
        Speckle { cells }.fluctuate(&interactions, &footprint, &mut signal, key);
        let whole: f64 = (0..hits).map(|row| f64::from(weight(row))).sum();
        let sum = |rows: &[f32]| rows.iter().map(|i| f64::from(*i)).sum::<f64>() / whole;
        signal.intensity.chunks(hits).map(sum).collect()
    }

    /// Mean 1 and contrast 1/√M of a gamma law of shape M, also where a spot meets a target with
    /// some of its sub-rays alone: then M is their share of it. Mean and variance of 40 000 pulses
    /// stay within 5.5 standard errors (4·10⁻⁸), those of the variance being √((2 + 6/M)/n).
    #[test]
    fn contrast_is_the_root_of_the_number_of_grains() {
        for (cells, hits) in [(1.0, 9), (4.0, 9), (50.0, 9), (9.0, 1), (9.0, 4)] {
            let found = intensities(cells, hits);
            // Sub-rays of the matched sampling have the same share each.
            let shape = cells * hits as f64 / 9.0;
            let n = found.len() as f64;
            let mean = found.iter().sum::<f64>() / n;
            let variance = found.iter().map(|i| (i - 1.0).powi(2)).sum::<f64>() / n;
            assert!((mean - 1.0).abs() < 5.5 * (shape * n).sqrt().recip(), "{cells} {mean}");
            let slack = 5.5 * ((2.0 + 6.0 / shape) / n).sqrt();
            assert!((variance * shape - 1.0).abs() < slack, "{cells} {hits}: {variance}");
        }
    }

    /// One grain is the negative exponential law of Goodman, four have (1 + x + x²/2 + x³/6)·e^(−x)
    /// above x/4: Kolmogorov and Smirnov's distance below 2.75/√n (6·10⁻⁷).
    #[test]
    fn grains_have_the_gamma_law() {
        type Law = fn(f64) -> f64;
        let laws: [(f64, Law); 2] = [
            (1.0, |i| 1.0 - (-i).exp()),
            (4.0, |i| {
                let x = 4.0 * i;
                1.0 - (1.0 + x + x * x / 2.0 + x.powi(3) / 6.0) * (-x).exp()
            }),
        ];
        for (cells, law) in laws {
            let mut found = intensities(cells, 9);
            found.sort_by(f64::total_cmp);
            let n = found.len() as f64;
            let apart = found.iter().enumerate().map(|(i, &x)| {
                (law(x) - i as f64 / n).abs().max((law(x) - (i + 1) as f64 / n).abs())
            });
            let apart = apart.fold(0.0, f64::max);
            assert!(apart < 2.75 / n.sqrt(), "{cells}: {apart}");
        }
    }
}
