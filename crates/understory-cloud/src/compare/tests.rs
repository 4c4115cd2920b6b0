//! Whole comparisons: known values, analytic distances, and chance by many experiments.

use super::*;
use crate::{Record, bhattacharyya_distance, finite_sample_floor, mean_row_distance};
use rand_philox::{Philox, u32_to_unit_f64};

/// A pulse of `channel` at azimuth cell `azimuth` in `scan`; bin 0 is no return.
fn pulse(channel: u16, azimuth: u32, scan: u32, bin: u32) -> Record {
    let hit = bin > 0;
    let range_m = if hit { (f64::from(bin) * 0.002) as f32 } else { f32::NAN };
    Record {
        channel,
        scan,
        range_m,
        azimuth_deg: (f64::from(azimuth) * 0.09) as f32,
        elevation_deg: 0.0,
        return_number: u8::from(hit),
        return_count: u8::from(hit),
        origin_xyz_m: [0.0; 3],
        direction_xyz: [1.0, 0.0, 0.0],
        world_xyz_m: [f64::from(range_m), 0.0, 0.0],
        ..Record::miss()
    }
}

/// Records with these counts: one row of counts per orientation, dealt to scans in turn.
fn counted(rows: &[&[u32]]) -> Records {
    let mut records = Records::default();
    for (azimuth, counts) in rows.iter().enumerate() {
        let mut scan = 0;
        for (bin, &count) in counts.iter().enumerate() {
            for _ in 0..count {
                records.push(pulse(3, azimuth as u32, scan, 4000 + bin as u32));
                scan += 1;
            }
        }
    }
    records
}

fn compare(real: &Records, simulated: &Records, options: &CompareOptions) -> CompareReport {
    let mut comparison = Comparison::new(options).unwrap();
    comparison.add_real(real).unwrap();
    comparison.add_simulated(simulated).unwrap();
    comparison.finish().unwrap()
}

fn histograms(records: &Records, options: &HistogramOptions) -> OrientationHistograms {
    let mut builder = HistogramBuilder::new(options).unwrap();
    builder.add(records).unwrap();
    builder.finish()
}

#[test]
fn distances_of_records_have_their_known_values() {
    let (p, q) = (counted(&[&[10, 20, 30, 0, 40]]), counted(&[&[12, 18, 25, 5, 40]]));
    let report = compare(&p, &q, &CompareOptions::default());
    let found = &report.histogram.distances[0];
    assert!((found.distance - 0.027_224_804_8).abs() < 1e-10, "{found:?}");
    let p = counted(&[&[50, 50, 0], &[0, 30, 70]]);
    let q = counted(&[&[60, 40, 0], &[10, 20, 70]]);
    let report = compare(&p, &q, &CompareOptions::default());
    let found = &report.histogram.distances[0];
    assert!((found.distance - 0.030_518_422_0).abs() < 1e-10, "{found:?}");
    assert_eq!((report.histogram.orientations, report.histogram.pulses), (2, [200, 200]));
    // Single orientations: half a count moves the mean of 0.03085 a little.
    let mean = report.histogram.beams.smoothed_distance.unwrap().mean;
    assert!((mean - 0.030_850_530_1).abs() < 0.003, "{mean}");
    // All three bins lie in one of 1 cm.
    assert!(report.histogram.distances[1].distance < 1e-12);
}

/// Draws bins of a distribution.
struct Drawer {
    /// Shares added up, each with its bin.
    sums: Vec<(f64, u32)>,
    rng: Philox,
}

impl Drawer {
    fn new(shares: &[(u32, f64)], seed: u64) -> Drawer {
        let mut sum = 0.0;
        let sums = shares
            .iter()
            .map(|(bin, share)| {
                sum += share;
                (sum, *bin)
            })
            .collect();
        Drawer { sums, rng: Philox::from_u64_seed(seed) }
    }

    fn draw(&mut self) -> u32 {
        let at = u32_to_unit_f64(self.rng.next_u32());
        let index = self.sums.partition_point(|(sum, _)| *sum < at);
        self.sums[index.min(self.sums.len() - 1)].1
    }

    fn records(&mut self, orientations: u32, scans: u32) -> Records {
        let mut records = Records::default();
        for scan in 0..scans {
            for azimuth in 0..orientations {
                let bin = self.draw();
                records.push(pulse(0, azimuth, scan, bin));
            }
        }
        records
    }
}

/// A plane with σ = 5 mm, in bins of 2 mm.
fn plane(shift_m: f64) -> Vec<(u32, f64)> {
    let density = |bin: u32| {
        let x = ((f64::from(bin) - 4000.0) * 0.002 - shift_m) / 0.005;
        (-0.5 * x * x).exp()
    };
    let bins: Vec<u32> = (3960..=4060).collect();
    let sum: f64 = bins.iter().map(|&bin| density(bin)).sum();
    bins.into_iter().map(|bin| (bin, density(bin) / sum)).collect()
}

/// 70 % uniform over 0.6 m, 30 % without a return.
fn foliage() -> Vec<(u32, f64)> {
    (3850..4150).map(|bin| (bin, 0.7 / 300.0)).chain([(0, 0.3)]).collect()
}

#[test]
fn explore() {
    for (name, p) in [("plane", plane(0.0)), ("foliage", foliage())] {
        for (n, m) in
            [(1200, 300), (1200, 1200), (1200, 4800), (600, 600), (150, 150), (30, 30), (30, 300)]
        {
            for orientations in [40, 400] {
                let options = CompareOptions { points_max: 0, ..CompareOptions::default() };
                let a = Drawer::new(&p, 1).records(orientations, n);
                let b = Drawer::new(&p, 2).records(orientations, m);
                let report = compare(&a, &b, &options);
                for d in &report.histogram.distances {
                    let mut coarse = std::collections::BTreeMap::new();
                    for (bin, share) in &p {
                        *coarse
                            .entry((f64::from(*bin) * 0.002 / d.range_bin_m + 0.5) as u32)
                            .or_insert(0.0) += share;
                    }
                    let only: Vec<f64> = coarse.values().copied().collect();
                    let exact = finite_sample_floor(&only, f64::from(n), f64::from(m))
                        - (1.0 / f64::from(n) + 1.0 / f64::from(m)) / 8.0;
                    println!(
                        "{name} {n} {m} x{orientations} bin {} exact {exact:.6} D {:.6} floor {:.6} plug {:.6} halves {:.6?}",
                        d.range_bin_m, d.distance, d.floor, d.plug_in, d.halves
                    );
                }
            }
        }
    }
}

#[test]
fn coverage() {
    let p = foliage();
    let q: Vec<(u32, f64)> =
        p.iter().map(|&(b, s)| (b, if b == 0 { 0.4 } else { s * 0.6 / 0.7 })).collect();
    let mut ds = vec![];
    let options = CompareOptions {
        points_max: 0,
        scores: ScoreOptions { coarse_bins_m: vec![], ..Default::default() },
        ..CompareOptions::default()
    };
    for seed in 0..200 {
        let a = Drawer::new(&p, 2 * seed + 100).records(10, 300);
        let b = Drawer::new(&q, 2 * seed + 101).records(10, 600);
        let report = compare(&a, &b, &options);
        ds.push(report.histogram.distances[0]);
    }
    let mean = ds.iter().map(|d| d.distance).sum::<f64>() / ds.len() as f64;
    let sd = (ds.iter().map(|d| (d.distance - mean).powi(2)).sum::<f64>() / ds.len() as f64).sqrt();
    let inside = ds
        .iter()
        .filter(|d| d.interval.unwrap()[0] <= mean && mean <= d.interval.unwrap()[1])
        .count();
    let half = ds.iter().map(|d| d.interval.unwrap()[1] - d.interval.unwrap()[0]).sum::<f64>()
        / ds.len() as f64
        / 2.0;
    println!("mean {mean} sd {sd} inside {inside} half width {half} = {} sd", half / sd);
}
