//! Expectations of the fit, summed up as whole numbers: neither threads nor the order of rays change
//! a bit.

/// Quanta of a beam.
const QUANTA: f64 = (1u32 << 20) as f64;
/// Quanta of a derivative, which is larger.
const SLOPE_QUANTA: f64 = (1u32 << 14) as f64;
/// Quanta of a logarithm.
const LOGARITHM_QUANTA: f64 = 256.0;

/// Expectations for one volume.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeSums {
    /// Σ γ.
    pub stopped: f64,
    /// Σ γ·g/(e^(cg) − 1).
    pub slope: f64,
    /// Σ (R − γ)·g.
    pub passed: f64,
    /// Σ γ of beams without a return.
    pub swallowed: f64,
}

/// Those of all volumes, in quanta, and the likelihood.
#[derive(Clone, Debug)]
pub struct Totals {
    sums: Vec<[i64; 4]>,
    /// Logarithm of the likelihood of all beams.
    pub log_likelihood: i64,
}

/// The nearest whole number, as `round` without a call of the mathematics library; saturates far
/// beyond any number of beams.
#[inline]
fn nearest(x: f64) -> i64 {
    (x + 0.5f64.copysign(x)) as i64
}

impl Totals {
    /// Nothing yet.
    pub fn new(volumes: usize) -> Totals {
        Totals { sums: vec![[0; 4]; volumes], log_likelihood: 0 }
    }

    /// A logarithm in quanta.
    pub fn quanta_of_logarithm(value: f64) -> i64 {
        nearest(value * LOGARITHM_QUANTA)
    }

    /// The logarithm of the likelihood.
    pub fn logarithm(&self) -> f64 {
        self.log_likelihood as f64 / LOGARITHM_QUANTA
    }

    /// Adds the expectations of one ray for a volume.
    #[inline]
    pub fn add(&mut self, volume: u32, sums: &VolumeSums) {
        let to = &mut self.sums[volume as usize];
        to[0] += nearest(sums.stopped * QUANTA);
        to[1] += nearest(sums.slope * SLOPE_QUANTA);
        to[2] += nearest(sums.passed * QUANTA);
        to[3] += nearest(sums.swallowed * QUANTA);
    }

    /// Adds all of another part.
    pub fn merge(&mut self, other: &Totals) {
        for (to, from) in self.sums.iter_mut().zip(&other.sums) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        self.log_likelihood += other.log_likelihood;
    }

    /// The expectations of each volume.
    pub fn volumes(&self) -> Vec<VolumeSums> {
        let values = |[stopped, slope, passed, swallowed]: &[i64; 4]| VolumeSums {
            stopped: *stopped as f64 / QUANTA,
            slope: *slope as f64 / SLOPE_QUANTA,
            passed: *passed as f64 / QUANTA,
            swallowed: *swallowed as f64 / QUANTA,
        };
        self.sums.iter().map(values).collect()
    }
}
