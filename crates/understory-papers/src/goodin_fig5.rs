//! Figure 5 of Goodin et al. (2018): ranges of a beam of 1 mrad in a stand of grass.
//!
//! The paper shows histograms of simulated ranges over its gamma model (equation 5) for stems of 10
//! and 20 mm, λ = 50 and 100 per m², D = 20 and 30 m, and says that gamma predicts them better than
//! the exponential (equation 2). Ours are the eight scenarios `grass-stand-…`, many stands of each
//! grown anew, with beams so far apart that none shares a stem with another, so that ranges are
//! independent. Each beam gives its mean over all sub-rays (signal cutoff 100 m, as in the paper)
//! and its first stem (cutoff 1 mm), for which the strip law is exact.
//!
//! What the mean should be has no closed form. [`SampledBeam::draw`] strews circles in the plane and
//! measures them directly: a second program that knows no mesh and no tracer. Every figure of a
//! model on simulated ranges is held against the same figure on drawn ones.

mod models;
mod ranges;

use super::goodin::{differs, ours_alone, within};
use super::statistics::{dkw_limit, ks_distance, mean_and_deviation, outline, share_up_to};
use super::{Ask, Finding, Limit, Reproduced};
use crate::grass_theory::{SampledBeam, StemStand};
use models::{BIN_M, CORRECTED, GAMMA, MODELS, Model, integral};
use ranges::{DEPTH_M, MATCHED, PRINTED, Ranges, drawn, simulated};
use understory::Error;
use understory_view::figures::{Figure, Panel, Series};

/// Panels (a) to (d): D and λ.
const PANELS: [(f64, f64); 4] = [(20.0, 50.0), (20.0, 100.0), (30.0, 50.0), (30.0, 100.0)];
const DIAMETERS_M: [f64; 2] = [0.01, 0.02];
/// Probability that a right program fails one finding.
const ERROR: f64 = 1e-7;
/// A mean is farther than this many standard errors away with less than that.
const SIGMAS: f64 = 6.0;

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    if ask.full { work_out_with(ask, 40, 400_000) } else { work_out_with(ask, 3, 20_000) }
}

/// The same with so many stands of each kind, and as many beams drawn directly.
fn work_out_with(ask: &Ask<'_>, stands: u64, drawn: u64) -> Result<Reproduced, Error> {
    let mut done = Reproduced { findings: integrals(), ..Reproduced::default() };
    let (mut panels, mut all) = (Vec::new(), Vec::new());
    for (number, (distance_m, stems_per_m2)) in PANELS.into_iter().enumerate() {
        let title = format!("D = {distance_m} m, λ = {stems_per_m2} per m²");
        ask.progress.step(&title, number as f64 / PANELS.len() as f64);
        let seed = ask.seed;
        let [thin, thick] = DIAMETERS_M.map(|diameter_m| {
            let stand = StemStand { stems_per_m2, diameter_m, distance_m, divergence_rad: 1e-3 };
            move || Judged::new(stand, seed, stands, drawn)
        });
        let (thin, thick) = rayon::join(thin, thick);
        let both = [thin?, thick?];
        both.iter().for_each(|judged| judged.tell(&mut done.findings));
        panels.push(Panel { title, series: both.iter().flat_map(Judged::series).collect() });
        all.extend(both);
    }
    let beams: usize = all.iter().map(|judged| judged.ranges.mean_m.len()).sum();
    done.figures.push(Figure::new(
        "goodin-fig5",
        "Ranges in grass, mean over the beam: simulated and by the gamma model",
        ["range less D, m", "density, 1/m"],
        panels,
    ));
    done.method = format!(
        "The eight scenarios grass-stand-…: a beam of 1 mrad of nine sub-rays, signal cutoff 100 m, \
         {stands} stands of each grown anew, {beams} independent beams in all. Log-likelihoods are \
         nats per range over bins of {BIN_M} m; each model is normalised to the 5 m of the stand. \
         {drawn} more beams of each kind were drawn directly from strewn circles."
    );
    done.remarks = remarks(&all);
    Ok(done)
}

/// One stand: its ranges and how models do on them.
struct Judged {
    stand: StemStand,
    ranges: Ranges,
    /// Drawn with the stencil of the scenario, and with that which Goodin prints.
    drawn: [Vec<f64>; 2],
    models: Vec<(&'static str, Model)>,
}

impl Judged {
    fn new(stand: StemStand, seed: u64, stands: u64, beams: u64) -> Result<Judged, Error> {
        let models = MODELS.map(|(name, density)| (name, Model::new(&stand, density)));
        let drawn = [MATCHED, PRINTED].map(|stencil| drawn(&stand, stencil, seed, beams));
        let ranges = simulated(&stand, seed, stands)?;
        Ok(Judged { stand, ranges, drawn, models: models.into() })
    }

    fn name(&self) -> String {
        let StemStand { stems_per_m2, diameter_m, distance_m, .. } = self.stand;
        format!("D {distance_m} m, λ {stems_per_m2}, d {:.0} mm", 1e3 * diameter_m)
    }

    /// Mean and standard deviation of log-densities over ranges that were met.
    fn log_density(&self, ranges_m: &[f64], of: impl Fn(f64) -> f64) -> (f64, f64) {
        let met = ranges_m.iter().copied().filter(|range| range.is_finite());
        mean_and_deviation(&met.map(of).collect::<Vec<f64>>())
    }

    /// By how much gamma beats the corrected exponential, in nats per range: mean and deviation.
    fn gain(&self, ranges_m: &[f64]) -> (f64, f64) {
        let [gamma, exponential] = [&self.models[GAMMA].1, &self.models[CORRECTED].1];
        self.log_density(ranges_m, |r| gamma.log_density(r) - exponential.log_density(r))
    }

    /// The interval in which a mean over simulated ranges should lie, by that over drawn ones.
    fn interval(&self, (mean, deviation): (f64, f64)) -> (f64, f64) {
        let n = self.ranges.mean_m.len() as f64;
        let off = SIGMAS * deviation * (1.0 / n + 1.0 / self.drawn[0].len() as f64).sqrt();
        (mean - off, mean + off)
    }

    fn tell(&self, findings: &mut Vec<Finding>) {
        let name = self.name();
        let n = self.ranges.mean_m.len();
        let chance = dkw_limit(n, ERROR);
        let beam = SampledBeam::goodin(self.stand, DEPTH_M, MATCHED);
        // Ranges are steps of 1 mm.
        let grain = 5e-4 * self.stand.stems_per_m2 * beam.widest_m();
        let why = format!("Massart's bound for {n} independent beams, error probability {ERROR:e}");
        findings.push(ours_alone(
            format!("{name}: first stem, KS distance from the strip law"),
            ks_distance(&self.ranges.first_m, |r| beam.first_met_by(r)),
            within(0.0, chance + grain, why),
        ));
        let apart = chance + dkw_limit(self.drawn[0].len(), ERROR) + grain;
        let both = format!(
            "Massart's bounds for {n} simulated and {} drawn beams, error probability {:e}",
            self.drawn[0].len(),
            2.0 * ERROR
        );
        findings.push(ours_alone(
            format!("{name}: mean over the beam, KS distance from beams drawn directly"),
            ks_distance(&self.ranges.mean_m, |r| share_up_to(&self.drawn[0], r)),
            within(0.0, apart, both.clone()),
        ));
        for (model, table) in &self.models {
            let distance = |ranges: &[f64]| ks_distance(ranges, |r| table.up_to(r));
            let expected = distance(&self.drawn[0]);
            findings.push(ours_alone(
                format!("{name}: KS distance from {model}"),
                distance(&self.ranges.mean_m),
                within(
                    (expected - apart).max(0.0),
                    expected + apart,
                    format!("that of drawn beams, and {both}"),
                ),
            ));
        }
        for (model, table) in &self.models {
            let of = |ranges: &[f64]| self.log_density(ranges, |r| table.log_density(r));
            let (low, high) = self.interval(of(&self.drawn[0]));
            let why = format!(
                "that of drawn beams, and {SIGMAS} standard errors (error probability 2e-9 by the \
                 central limit theorem)"
            );
            findings.push(ours_alone(
                format!("{name}: log-likelihood of {model}"),
                of(&self.ranges.mean_m).0,
                within(low, high, why),
            ));
        }
        findings.push(ours_alone(
            format!("{name}: log-likelihood, gamma over equation 2 corrected (paper: above 0)"),
            self.gain(&self.ranges.mean_m).0,
            self.claim(self.gain(&self.drawn[0])),
        ));
        findings.push(ours_alone(
            format!("{name}: the same with the stencil radius that the paper prints"),
            self.gain(&self.ranges.small_spot_m).0,
            self.claim(self.gain(&self.drawn[1])),
        ));
    }

    /// What the gain should be, and whether that is what the paper says.
    fn claim(&self, expected: (f64, f64)) -> Limit {
        let (low, high) = self.interval(expected);
        let why = format!(
            "that of drawn beams, and {SIGMAS} standard errors (error probability 2e-9 by the \
                 central limit theorem)"
        );
        if expected.0 > 0.0 {
            within(low, high, why)
        } else {
            differs(
                low,
                high,
                format!(
                    "{why}; the spot is narrower than a stem, so that its mean is exponential like the \
                 range of a thin beam"
                ),
            )
        }
    }

    fn series(&self) -> Vec<Series> {
        let depth: Vec<f64> =
            self.ranges.mean_m.iter().map(|range| range - self.stand.distance_m).collect();
        let name = format!("{:.0} mm", 1e3 * self.stand.diameter_m);
        let gamma = |step: i32| {
            let depth_m = 0.02 * f64::from(step);
            [depth_m, self.stand.gamma(self.stand.distance_m + depth_m)]
        };
        vec![
            Series::line(format!("{name}, simulated"), outline(&depth, 0.0, DEPTH_M, 0.2)),
            Series::line(format!("{name}, gamma"), (0..=250).map(gamma).collect()),
        ]
    }
}

/// Whether the printed densities are such.
fn integrals() -> Vec<Finding> {
    let mut findings = Vec::new();
    for (stems_per_m2, diameter_m, distance_m, defect) in
        [(50.0, 0.01, 20.0, 0.541_822_267), (100.0, 0.02, 30.0, 0.365_154_860)]
    {
        let stand = StemStand { stems_per_m2, diameter_m, distance_m, divergence_rad: 1e-3 };
        let of = |what: &str| {
            format!(
                "integral of equation 2 {what}, λ {stems_per_m2}, d {diameter_m} m, D {distance_m} m"
            )
        };
        findings.push(ours_alone(
            of("as printed"),
            integral(&stand, StemStand::printed),
            differs(
                defect - 1e-6,
                defect + 1e-6,
                "with (r + D)²/2 in the exponent, which has the unit of an area, it is no density",
            ),
        ));
        findings.push(ours_alone(
            of("with (r + D)/2"),
            integral(&stand, StemStand::corrected),
            within(1.0 - 1e-6, 1.0 + 1e-6, "a density integrates to 1"),
        ));
    }
    findings
}

fn remarks(all: &[Judged]) -> Vec<String> {
    let span = |values: &dyn Fn(&Judged) -> f64| {
        let values: Vec<f64> = all.iter().map(values).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        format!("{low:.3} to {high:.3}")
    };
    let ks = |model: usize| {
        move |judged: &Judged| ks_distance(&judged.drawn[0], |r| judged.models[model].1.up_to(r))
    };
    let wins = all.iter().filter(|judged| judged.gain(&judged.ranges.mean_m).0 > 0.0).count();
    let small = all.iter().filter(|judged| judged.gain(&judged.drawn[1]).0 > 0.0).count();
    vec![
        format!(
            "As the paper says, gamma predicts means over the beam better than the exponential: it \
             wins in {wins} of 8 stands, by {} nats per range. It is no law, though: beams drawn \
             directly are {} (KS) from it, and {} from the corrected equation 2.",
            span(&|judged| judged.gain(&judged.ranges.mean_m).0),
            span(&ks(GAMMA)),
            span(&ks(CORRECTED)),
        ),
        format!(
            "With the stencil radius that the paper prints, √2·tan(γ/2)/4, gamma wins in {small} of 8. \
             That stencil spans 7 mm at 20 m: its sub-rays mostly meet one stem of 20 mm, so that \
             the mean is the range of a thin beam, which is exponential. α = 1 + γD² knows nothing of \
             d, and adds square metres to a number."
        ),
        "Equation 2 as printed is no density; with (r + D)/2 it is one, but 1 + ar still adds a length \
         to a number. The strip that a beam sweeps is d + ar wide, and with it the law of the first \
         stem is exact: simulated first ranges follow it in all eight stands. Means over a beam do \
         not, as they should not."
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_valid;

    /// `tests/grass_stand.rs` has more stands of two kinds.
    #[test]
    fn one_stand_of_each_kind_is_sound() {
        let ask = Ask { full: false, seed: 1, progress: &understory_base::Silent };
        let done = work_out_with(&ask, 1, 10_000).unwrap();
        assert_valid(&done);
        assert_eq!(done.findings.len(), 4 + 8 * 12);
        assert_eq!(done.figures[0].panels.len(), 4);
    }
}
