//! The light of a pulse shared among its returns.
//!
//! A pulse is wide: it may meet one leaf with a half of its light, another behind with a third, and
//! go on with the rest. What enters: the returns of a pulse. What leaves: for each the share of the
//! pulse's light that it stopped.

use understory_learn::input::PulseReturn;

use crate::LeafAreaError;

/// How the light of a pulse is shared among its returns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Weights {
    /// By intensity where pulses have several returns with intensities, else by the first return.
    #[default]
    Auto,
    /// The first return stopped it all.
    First,
    /// Each of n returns stopped one n-th.
    Equal,
    /// In the proportion of their intensities; together they stopped it all.
    Intensity,
    /// Each stopped its intensity over that of a leaf which fills the whole pulse; the rest went on.
    /// `None`: that intensity is taken from the recording, for leaves that lie in all directions.
    Calibrated(Option<f64>),
}

impl Weights {
    pub(crate) fn check(&self) -> Result<(), LeafAreaError> {
        match self {
            Weights::Calibrated(Some(full)) if !(full.is_finite() && *full > 0.0) => {
                Err(LeafAreaError::BadSetting {
                    setting: "the full intensity",
                    value: full.to_string(),
                    remedy: "give what a leaf returns that fills the whole pulse, above 0",
                })
            }
            _ => Ok(()),
        }
    }

    /// What is done with the recording at hand.
    pub(crate) fn prepare(self, seen: &Intensities) -> Sharing {
        match self {
            Weights::First => Sharing::First,
            Weights::Equal => Sharing::Equal,
            Weights::Auto if seen.several == 0 => Sharing::First,
            Weights::Auto | Weights::Intensity if seen.known > 0 => Sharing::Intensity,
            Weights::Auto | Weights::Intensity => Sharing::Equal,
            Weights::Calibrated(given) => match given.or_else(|| seen.full()) {
                Some(full) => Sharing::Calibrated(full),
                None => Sharing::Equal,
            },
        }
    }
}

/// A way of sharing that needs nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sharing {
    First,
    Equal,
    Intensity,
    Calibrated(f64),
}

impl Sharing {
    /// Fills in the shares of a pulse's returns.
    pub fn share(self, returns: &[PulseReturn], shares: &mut Vec<f64>) {
        shares.clear();
        let known = |back: &PulseReturn| f64::from(back.intensity).max(0.0);
        match self {
            Sharing::First => {
                shares.extend((0..returns.len()).map(|i| f64::from(u8::from(i == 0))))
            }
            Sharing::Equal => shares.extend(returns.iter().map(|_| 1.0 / returns.len() as f64)),
            Sharing::Intensity => {
                let sum: f64 = returns.iter().map(known).sum();
                if sum > 0.0 && sum.is_finite() {
                    shares.extend(returns.iter().map(|back| known(back) / sum));
                } else {
                    Sharing::Equal.share(returns, shares);
                }
            }
            Sharing::Calibrated(full) => {
                // What stopped more than is left stopped what is left.
                let mut left: f64 = 1.0;
                for back in returns {
                    let unknown = back.intensity.is_nan();
                    let share = if unknown { left.max(0.0) } else { known(back) / full };
                    shares.push(share);
                    left -= share;
                }
            }
        }
    }
}

/// Intensities of single returns, counted in steps of a 64th of an octave.
#[derive(Clone, Debug)]
pub(crate) struct Intensities {
    /// Pulses with several returns.
    several: u64,
    /// Returns with an intensity, of pulses with several.
    known: u64,
    counts: Vec<u64>,
}

const STEPS: f64 = 64.0;
const OCTAVES: f64 = 40.0;

impl Default for Intensities {
    fn default() -> Intensities {
        Intensities { several: 0, known: 0, counts: vec![0; (STEPS * OCTAVES) as usize] }
    }
}

impl Intensities {
    pub fn see(&mut self, returns: &[PulseReturn]) {
        use understory_learn::input::Met;
        if returns.len() > 1 {
            self.several += 1;
            self.known += returns.iter().filter(|back| back.intensity > 0.0).count() as u64;
        }
        if let [back] = returns
            && matches!(back.met, Met::Unknown | Met::Plant)
            && back.intensity > 0.0
            && back.intensity.is_finite()
        {
            let octave = understory_base::math::log2(f64::from(back.intensity)) + OCTAVES / 2.0;
            let step = (octave * STEPS).clamp(0.0, STEPS * OCTAVES - 1.0);
            self.counts[step as usize] += 1;
        }
    }

    /// The mean intensity of leaves that fill the pulse. Of Lambert's leaves that lie in all
    /// directions the cosines that are met have the density 2c: the largest is that of a leaf that
    /// faces the pulse, 99 in 100 are below 0.995 of it, and the mean is two thirds of it.
    fn full(&self) -> Option<f64> {
        let all: u64 = self.counts.iter().sum();
        if all < 100 {
            return None;
        }
        let mut below = 0;
        let step = self.counts.iter().position(|count| {
            below += count;
            below as f64 >= 0.99 * all as f64
        })?;
        let octave = (step as f64 + 0.5) / STEPS - OCTAVES / 2.0;
        Some(understory_base::math::exp2(octave) / 0.995 * 2.0 / 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_learn::input::Met;

    fn back(intensity: f32) -> PulseReturn {
        PulseReturn { range_m: 1.0, intensity, met: Met::Plant }
    }

    fn shares(sharing: Sharing, intensities: &[f32]) -> Vec<f64> {
        let returns: Vec<_> = intensities.iter().map(|i| back(*i)).collect();
        let mut shares = Vec::new();
        sharing.share(&returns, &mut shares);
        shares
    }

    #[test]
    fn light_is_shared_as_asked() {
        assert_eq!(shares(Sharing::First, &[0.1, 0.3]), [1.0, 0.0]);
        assert_eq!(shares(Sharing::Equal, &[0.1, 0.3]), [0.5, 0.5]);
        let by_intensity = shares(Sharing::Intensity, &[0.1, 0.3]);
        assert!((by_intensity[0] - 0.25).abs() < 1e-6 && (by_intensity[1] - 0.75).abs() < 1e-6);
        assert_eq!(shares(Sharing::Intensity, &[f32::NAN, f32::NAN]), [0.5, 0.5]);
        let calibrated = shares(Sharing::Calibrated(0.4), &[0.1, 0.1]);
        assert!(calibrated.iter().all(|share| (share - 0.25).abs() < 1e-6));
        assert_eq!(shares(Sharing::Calibrated(0.4), &[f32::NAN]), [1.0]);
    }

    #[test]
    fn the_full_intensity_is_the_mean_over_lamberts_leaves() {
        let mut seen = Intensities::default();
        // Cosines with the density 2c, by their quantiles.
        for i in 0..100_000 {
            let cosine = ((f64::from(i) + 0.5) / 1e5).sqrt();
            seen.see(&[back((0.45 * cosine) as f32)]);
        }
        assert!((seen.full().unwrap() / 0.3 - 1.0).abs() < 0.01, "{:?}", seen.full());
        assert_eq!(Weights::Calibrated(None).prepare(&Intensities::default()), Sharing::Equal);
        assert_eq!(Weights::Auto.prepare(&seen), Sharing::First);
        seen.see(&[back(0.1), back(0.2)]);
        assert_eq!(Weights::Auto.prepare(&seen), Sharing::Intensity);
    }
}
