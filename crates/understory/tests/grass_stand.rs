//! P2's grass stands against the Poisson model of upright stems.
//!
//! Stems of diameter d stand at random, λ of them per m², from the distance D on. A beam that is
//! `a·u` wide at the distance u meets first the nearest stem in a strip of width d + a·u, so the
//! share of beams that have met nothing up to r is S(r) = exp(−λ·[d(r−D) + a(r²−D²)/2 + f(r)]): the
//! physical form of equation (2) of Goodin et al. (2018). f(r) is the area that the stems' round
//! fronts reach ahead of their middles, at most d/2 times the strip's width.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and tells why")]

use std::path::Path;
use understory::scenario::{Scenario, scenarios};
use understory::simulate::{Batch, PreparedRun, simulate_batch};
use understory_cloud::Records;

/// One of the stands, with the half-widths (per metre of distance) at which sub-rays go.
struct Stand {
    stems_per_m2: f64,
    diameter_m: f64,
    distance_m: f64,
    places: Vec<f64>,
}

impl Stand {
    /// P2's stencil of a circular spot of 1 mrad in the size that matches its second moments.
    fn new(stems_per_m2: f64, diameter_m: f64, distance_m: f64) -> Stand {
        let r = 0.75f64.sqrt() * 0.0005f64.tan();
        let places = [0.0, 0.5, -0.5, 1.0, -1.0].map(|place| place * r).to_vec();
        Stand { stems_per_m2, diameter_m, distance_m, places }
    }

    fn name(&self) -> String {
        let diameter_mm = 1e3 * self.diameter_m;
        format!("grass-stand-{}-{diameter_mm:.0}mm-{}m", self.stems_per_m2, self.distance_m)
    }

    /// Width of the beam per metre of distance.
    fn widening(&self) -> f64 {
        2.0 * self.places.iter().copied().fold(0.0, f64::max)
    }

    /// Probability that the first stem is not beyond `range_m`, which is D or more.
    fn met_by(&self, range_m: f64) -> f64 {
        let (d, near_m, a) = (self.diameter_m, self.distance_m, self.widening());
        let strip_m2 = d * (range_m - near_m) + 0.5 * a * (range_m.powi(2) - near_m.powi(2));
        let steps = 400;
        let width_m = d + a * range_m;
        let front = |step: i32| {
            let y_m = width_m * ((f64::from(step) + 0.5) / f64::from(steps) - 0.5);
            let reach = |place: &f64| (0.25 * d * d - (y_m - place * range_m).powi(2)).max(0.0);
            self.places.iter().map(reach).fold(0.0, f64::max).sqrt()
        };
        let front_m2 = (0..steps).map(front).sum::<f64>() * width_m / f64::from(steps);
        1.0 - (-self.stems_per_m2 * (strip_m2 + front_m2)).exp()
    }

    /// First ranges of beams so far apart that no stem is met by two, from `stands` stands.
    fn first_ranges_m(&self, stands: u64) -> Vec<f64> {
        let name = self.name();
        let (_, text) = scenarios().iter().find(|(known, _)| *known == name).unwrap();
        let spacing_m = 9.6 / 4000.0;
        let widest_m = self.diameter_m + self.widening() * (self.distance_m + 5.0);
        let stride = (widest_m / spacing_m).ceil() as u64;
        let mut ranges = Vec::new();
        for seed in 1..=stands {
            let text = text
                .replace("seed = 1\n", &format!("seed = {seed}\n"))
                .replace("signal_cutoff_m = 100.0", "signal_cutoff_m = 0.001");
            let scenario = Scenario::from_toml(&text, &name, Path::new("")).unwrap();
            let prepared = PreparedRun::new(&scenario).unwrap();
            let sensor = &prepared.sensors[0];
            let (mut batch, mut records) = (Batch::default(), Records::default());
            let pulses = sensor.pattern.first_pulse_at(scenario.duration_s);
            assert!((3999..=4001).contains(&pulses), "{pulses} pulses");
            for pulse in (0..pulses).step_by(stride as usize) {
                records.clear();
                let one = pulse..pulse + 1;
                simulate_batch(&prepared, sensor, seed, one, &mut batch, &mut records);
                let row = records.get(0).unwrap();
                let hit = row.object != 0;
                ranges.push(if hit { f64::from(row.range_m) } else { f64::INFINITY });
            }
        }
        ranges.sort_by(f64::total_cmp);
        ranges
    }

    /// Largest distance between the simulated and the model's distribution (Kolmogorov, Smirnov).
    fn distance(&self, ranges_m: &[f64], met_by: impl Fn(f64) -> f64) -> f64 {
        let n = ranges_m.len() as f64;
        let at = |(i, range_m): (usize, &f64)| {
            // The stand is 5 m deep; who has met nothing by then has passed.
            let r = range_m.clamp(self.distance_m, self.distance_m + 5.0);
            let expected = met_by(r);
            let beyond = *range_m > self.distance_m + 5.0;
            let upper = if beyond { 0.0 } else { ((i + 1) as f64 / n - expected).abs() };
            upper.max((expected - i as f64 / n).abs())
        };
        // Ranges before D (round fronts) are clamped, where steps of the staircase fall together.
        let first = ranges_m.iter().filter(|r| **r <= self.distance_m).count().saturating_sub(1);
        ranges_m.iter().enumerate().skip(first).map(at).fold(0.0, f64::max)
    }

    fn follows_the_poisson_model(&self, stands: u64) {
        let ranges_m = self.first_ranges_m(stands);
        let n = ranges_m.len() as f64;
        let found = self.distance(&ranges_m, |r| self.met_by(r));
        // Massart's bound with error probability 1e-7.
        let limit = ((2.0f64 / 1e-7).ln() / (2.0 * n)).sqrt();
        // A beam without width, and equation (2) as printed: hazard λ·d·(1 + a·r).
        let (lambda, d, near_m) = (self.stems_per_m2, self.diameter_m, self.distance_m);
        let printed = |r: f64| {
            let a = self.widening();
            1.0 - (-lambda * d * (r - near_m) * (1.0 + 0.5 * a * (r + near_m))).exp()
        };
        let thin = self.distance(&ranges_m, |r| 1.0 - (-lambda * d * (r - near_m)).exp());
        let printed = self.distance(&ranges_m, printed);
        println!(
            "{}: {n} beams, distance {found:.4} (limit {limit:.4}); thin beam {thin:.4}, equation as printed {printed:.4}",
            self.name()
        );
        assert!(found < limit);
        // The test can tell them apart.
        assert!(thin > 2.0 * limit && printed > 2.0 * limit);
    }
}

#[test]
fn the_first_stem_of_10_mm_at_20_m_is_where_poisson_says() {
    Stand::new(50.0, 0.01, 20.0).follows_the_poisson_model(5);
}

#[test]
fn the_first_stem_of_20_mm_at_30_m_is_where_poisson_says() {
    Stand::new(100.0, 0.02, 30.0).follows_the_poisson_model(5);
}

#[test]
fn all_eight_stands_are_what_their_names_say() {
    for stems in [50, 100] {
        for diameter_mm in [10, 20] {
            for distance_m in [20, 30] {
                let name = format!("grass-stand-{stems}-{diameter_mm}mm-{distance_m}m");
                let scenario = Scenario::embedded(&name).unwrap();
                let title = format!("{stems} stems of {diameter_mm} mm per m² at {distance_m} m");
                assert!(scenario.title.as_ref().unwrap().ends_with(&title), "{name}");
                let (_, text) = scenarios().iter().find(|(known, _)| *known == name).unwrap();
                let middle_m = f64::from(distance_m) + 2.5;
                for words in [
                    format!("stems_per_m2 = {stems}.0, diameter_m = 0.0{},", diameter_mm / 10),
                    format!("instances = [{{ position_m = [{middle_m}, 0.0, 0.0] }}]"),
                    "size_x_m = 5.0, size_y_m = 10.0".to_owned(),
                ] {
                    assert!(text.contains(&words), "{name}: {words}");
                }
            }
        }
    }
}
