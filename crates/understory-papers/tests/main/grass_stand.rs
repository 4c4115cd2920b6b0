//! P2's grass stands against the Poisson model of upright stems.
//!
//! Stems of diameter d stand at random, λ of them per m², from the distance D on. A beam that is
//! `a·u` wide at the distance u meets first the nearest stem in a strip of width d + a·u, so the
//! share of beams that have met nothing up to r is S(r) = exp(−λ·[d(r−D) + a(r²−D²)/2 + f(r)]): the
//! physical form of equation (2) of Goodin et al. (2018). f(r) is the area that the stems' round
//! fronts reach ahead of their middles, at most d/2 times the strip's width.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and tells why")]

use std::path::Path;
use understory::pulse::{Batch, simulate_batch};
use understory::scenario::{Scenario, scenarios};
use understory_cloud::Records;
use understory_papers::grass_theory::{SampledBeam, StemStand};
use understory_papers::statistics::{dkw_limit, ks_distance};

/// One of the stands, with P2's stencil of a circular spot of 1 mrad in the size that matches its
/// second moments.
struct Stand {
    beam: SampledBeam,
}

impl Stand {
    fn new(stems_per_m2: f64, diameter_m: f64, distance_m: f64) -> Stand {
        let stand = StemStand { stems_per_m2, diameter_m, distance_m, divergence_rad: 1e-3 };
        Stand { beam: SampledBeam::goodin(stand, 5.0, 0.75f64.sqrt()) }
    }

    fn name(&self) -> String {
        let StemStand { stems_per_m2, diameter_m, distance_m, .. } = self.beam.stand;
        format!("grass-stand-{stems_per_m2}-{:.0}mm-{distance_m}m", 1e3 * diameter_m)
    }

    /// First ranges of beams so far apart that no stem is met by two, from `stands` stands.
    fn first_ranges_m(&self, stands: u64) -> Vec<f64> {
        let name = self.name();
        let (_, text) = scenarios().iter().find(|(known, _)| *known == name).unwrap();
        let spacing_m = 9.6 / 4000.0;
        let stride = (self.beam.widest_m() / spacing_m).ceil() as u64;
        let mut ranges = Vec::new();
        for seed in 1..=stands {
            let text = text
                .replace("seed = 1\n", &format!("seed = {seed}\n"))
                .replace("signal_cutoff_m = 100.0", "signal_cutoff_m = 0.001");
            let scenario = Scenario::from_toml(&text, &name, Path::new("")).unwrap();
            let prepared = scenario.prepare().unwrap();
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
                // Round fronts may be met before the edge.
                let range_m = f64::from(row.range_m).max(self.beam.stand.distance_m);
                ranges.push(if hit { range_m } else { f64::INFINITY });
            }
        }
        ranges.sort_by(f64::total_cmp);
        ranges
    }

    fn follows_the_poisson_model(&self, stands: u64) {
        let ranges_m = self.first_ranges_m(stands);
        let n = ranges_m.len();
        let found = ks_distance(&ranges_m, |r| self.beam.first_met_by(r));
        let limit = dkw_limit(n, 1e-7);
        // A beam without width, and equation (2) as corrected: hazard λ·d·(1 + a·r).
        let thin = SampledBeam::goodin(self.beam.stand, 5.0, 0.0);
        let thin = ks_distance(&ranges_m, |r| thin.first_met_by(r));
        let printed = |r: f64| {
            let StemStand { stems_per_m2, diameter_m, distance_m, .. } = self.beam.stand;
            let depth_m = r - distance_m;
            let widened = 1.0 + 0.5 * 1e-3 * (r + distance_m);
            1.0 - (-stems_per_m2 * diameter_m * depth_m * widened).exp()
        };
        let printed = ks_distance(&ranges_m, printed);
        println!(
            "{}: {n} beams, distance {found:.4} (limit {limit:.4}); thin beam {thin:.4}, equation (2) {printed:.4}",
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
