//! Whole comparisons: known values, analytic distances, and chance by many experiments.

use super::*;
use crate::histogram_distance::finite_sample_floor;
use rand_philox::{Philox, u32_to_unit_f64};
use understory_cloud::Record;

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
    // Single orientations with half a count spread over two and over three bins.
    let smoothed = |p: &[f64], q: &[f64]| {
        let half = 0.5 / p.len() as f64;
        let shared = p.iter().zip(q).map(|(p, q)| ((p + half) * (q + half)).sqrt() / 100.5);
        -shared.sum::<f64>().ln()
    };
    let first = smoothed(&[50.0, 50.0], &[60.0, 40.0]);
    let second = smoothed(&[0.0, 30.0, 70.0], &[10.0, 20.0, 70.0]);
    let mean = report.histogram.beams.smoothed_distance.unwrap().mean;
    assert!((mean - (first + second) / 2.0).abs() < 1e-12, "{mean}");
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

fn no_clouds() -> CompareOptions {
    CompareOptions { points_max: 0, ..CompareOptions::default() }
}

/// D of two equal Gaussians a shift δ apart is δ² / 8σ².
#[test]
fn gaussians_have_their_analytic_distance() {
    for shift_m in [0.002, 0.005, 0.01] {
        let rows = |p: Vec<(u32, f64)>| {
            let mut counts = vec![0u32; 70];
            for (bin, share) in p {
                if let Some(count) = counts.get_mut(bin.wrapping_sub(3970) as usize) {
                    *count = (share * 1e5).round() as u32;
                }
            }
            let mut records = Records::default();
            for (bin, &count) in counts.iter().enumerate() {
                (0..count).for_each(|scan| records.push(pulse(0, 0, scan, 3970 + bin as u32)));
            }
            records
        };
        let report = compare(&rows(plane(0.0)), &rows(plane(shift_m)), &no_clouds());
        let wanted = shift_m * shift_m / (8.0 * 0.005 * 0.005);
        let found = report.histogram.distances[0];
        assert!((found.distance / wanted - 1.0).abs() < 2e-3, "{shift_m}: {found:?} {wanted}");
        let w1 = report.histogram.beams.wasserstein_m.unwrap().mean;
        assert!((w1 - shift_m).abs() < 2e-6, "{w1}");
    }
}

/// Two recordings of one world: the floor is what they have between them, dense and sparse. D must
/// lie within 5.5 of its standard deviations, by its interval, which is exceeded with a probability
/// below 1e-7; a floor with the counts in place of the shares is 6 % to 60 % too low here.
#[test]
fn the_floor_is_what_chance_leaves() {
    let cases = [
        ("foliage", foliage(), 12, 24, 0.06),
        ("plane", plane(0.0), 1200, 300, 0.05),
        ("plane", plane(0.0), 600, 600, 0.05),
        ("foliage", foliage(), 1200, 300, 0.03),
        ("foliage", foliage(), 1200, 1200, 0.03),
        ("foliage", foliage(), 600, 600, 0.03),
        ("foliage", foliage(), 150, 150, 0.03),
    ];
    for (name, p, n, m, within) in cases {
        let a = Drawer::new(&p, 11).records(100, n);
        let b = Drawer::new(&p, 12).records(100, m);
        let found = compare(&a, &b, &no_clouds()).histogram.distances[0];
        let shares: Vec<f64> = p.iter().map(|(_, share)| *share).collect();
        let (n, m) = (f64::from(n), f64::from(m));
        // The exact sum with the true shares; totals of an orientation do not vary.
        let exact = finite_sample_floor(&shares, n, m) - (1.0 / n + 1.0 / m) / 8.0;
        let exact = if n < 100.0 { found.distance } else { exact };
        println!(
            "{name} {n} {m}: exact {exact:.5} floor {:.5} D {:.5}",
            found.floor, found.distance
        );
        assert!((found.floor / exact - 1.0).abs() < within, "{name} {n} {m}: {found:?} {exact}");
        let [low, high] = found.interval.unwrap();
        let sigma = (high - low) / (2.0 * 1.96);
        assert!((found.distance - exact).abs() < 5.5 * sigma, "{name} {n} {m}: {found:?} {exact}");
        let halves = finite_sample_floor(&shares, n / 2.0, n / 2.0) - 0.5 / n;
        let measured = found.halves.unwrap();
        // With six pulses in a half the sum is no longer near.
        let near = n < 100.0 || (measured / halves - 1.0).abs() < 0.05;
        assert!(near, "{name} {n}: {measured} {halves}");
    }
}

/// Of 120 experiments, at least 100 have the mean of D in their interval of 95 %: fewer has a
/// probability below 1e-6 if the interval is no narrower than it says. It is up to half as wide
/// again as it need be where bins are sparse, and no wider.
#[test]
fn the_interval_has_the_mean_of_the_distance() {
    let p = foliage();
    let thicker =
        |&(bin, share): &(u32, f64)| (bin, if bin == 0 { 0.2 } else { share * 8.0 / 7.0 });
    let q: Vec<(u32, f64)> = p.iter().map(thicker).collect();
    let mut options = no_clouds();
    options.scores.coarse_bins_m = vec![0.05];
    let mut found = [Vec::new(), Vec::new()];
    for seed in 0..120 {
        let a = Drawer::new(&p, 2 * seed + 100).records(6, 320);
        let b = Drawer::new(&q, 2 * seed + 101).records(6, 640);
        let report = compare(&a, &b, &options);
        for (found, distance) in found.iter_mut().zip(&report.histogram.distances) {
            found.push((distance.distance, distance.interval.unwrap()));
        }
    }
    for (found, widest) in found.iter().zip([3.3, 2.6]) {
        let mean = found.iter().map(|(d, _)| d).sum::<f64>() / 120.0;
        let variance = found.iter().map(|(d, _)| (d - mean).powi(2)).sum::<f64>() / 119.0;
        let held = found.iter().filter(|(_, [low, high])| *low <= mean && mean <= *high).count();
        let half = found.iter().map(|(_, [low, high])| (high - low) / 2.0).sum::<f64>() / 120.0;
        let wide = half / variance.sqrt();
        println!("held {held} of 120, {wide:.2} standard deviations to each side");
        assert!(held >= 100 && wide > 1.6 && wide < widest, "{held} {wide}");
    }
}

#[test]
fn batches_and_threads_change_nothing() {
    let a = Drawer::new(&foliage(), 1).records(200, 50);
    let b = Drawer::new(&foliage(), 2).records(200, 70);
    let whole = compare(&a, &b, &CompareOptions::default());
    let mut comparison = Comparison::new(&CompareOptions::default()).unwrap();
    for (records, real) in [(&b, false), (&a, true)] {
        let mut batch = Records::default();
        for row in 0..records.len() {
            batch.push(records.get(row).unwrap());
            if row % 777 == 0 || row + 1 == records.len() {
                if real {
                    comparison.add_real(&batch).unwrap();
                } else {
                    comparison.add_simulated(&batch).unwrap();
                }
                batch.clear();
            }
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert!(pool.install(|| comparison.finish()).unwrap() == whole);
}

#[test]
fn one_real_histogram_serves_many_simulations() {
    let options = HistogramOptions::default();
    let a = Drawer::new(&foliage(), 1).records(50, 100);
    let b = Drawer::new(&plane(0.0), 2).records(80, 100);
    let real = histograms(&a, &options);
    let plain = real.compare(&histograms(&b, &options), &ScoreOptions::default()).unwrap();
    let mut only = HistogramBuilder::only_as(&real);
    only.add(&b).unwrap();
    let only = only.finish();
    assert_eq!((only.orientations().len(), only.pulses()), (50, 5000));
    assert!(real.compare(&only, &ScoreOptions::default()).unwrap() == plain);
    let other = HistogramOptions { range_bin_m: 0.004, ..options };
    let other = histograms(&b, &other);
    let refused = real.compare(&other, &ScoreOptions::default()).unwrap_err();
    assert!(matches!(refused, CompareError::DifferentBins));
}

/// Returns before and behind the region share a bin; orientations that never see it are left out.
#[test]
fn a_region_chooses_orientations() {
    let region = Region { range_m: Some([7.9, 8.1]), ..Region::default() };
    let options = HistogramOptions { region, ..HistogramOptions::default() };
    let of = |bins: &[(u32, u32)]| {
        let mut records = Records::default();
        for (scan, &(azimuth, bin)) in bins.iter().enumerate() {
            records.push(pulse(1, azimuth, scan as u32, bin));
        }
        histograms(&records, &options)
    };
    let real = of(&[(5, 4000), (5, 1000), (5, 6000), (5, 0), (6, 1000), (6, 0), (7, 4001)]);
    let (orientation, histogram) = real.iter().next().unwrap();
    assert_eq!(orientation.azimuth, 5);
    assert_eq!(histogram.bins, [4000, OUTSIDE, OUTSIDE, NO_RETURN]);
    let simulated = of(&[(5, 4000), (5, 900), (5, 900), (5, 0), (6, 4000)]);
    let found = real.compare(&simulated, &ScoreOptions::default()).unwrap();
    assert_eq!((found.orientations, found.unpartnered), (1, 1));
    assert!(found.distances[0].distance < 1e-12, "{found:?}");
}

#[test]
fn azimuths_on_both_sides_of_a_turn_are_one_cell() {
    let options = HistogramOptions::default();
    let mut records = Records::default();
    for azimuth_deg in [0.0f32, 359.99, -0.04, 720.0, -360.0, 180.0, -180.0, -540.0] {
        records.push(Record { azimuth_deg, ..pulse(0, 0, 0, 4000) });
    }
    let found = histograms(&records, &options);
    let cells: Vec<(u32, u64)> =
        found.iter().map(|(orientation, h)| (orientation.azimuth, h.pulses())).collect();
    assert_eq!(cells, [(0, 5), (2000, 3)]);
    assert_eq!(options.azimuth_deg(2000), 180.0);
    assert!((options.azimuth_deg(3999) + 0.09).abs() < 1e-9);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let some = Drawer::new(&plane(0.0), 1).records(5, 4);
    let refused = |real: &Records, simulated: &Records, options: &CompareOptions| {
        let mut comparison = Comparison::new(options).unwrap();
        comparison.add_real(real).unwrap();
        comparison.add_simulated(simulated).unwrap();
        comparison.finish().unwrap_err().to_string()
    };
    let options = CompareOptions::default();
    let text = refused(&Records::default(), &some, &options);
    assert!(text.contains("the real recording has no pulse"), "{text}");
    let mut lost = some.clone();
    lost.azimuth_deg.fill(f32::NAN);
    let text = refused(&some, &lost, &options);
    assert!(text.contains("simulated") && text.contains("20 pulses have no direction"), "{text}");
    let mut other = some.clone();
    other.channel.fill(40);
    let text = refused(&some, &other, &options);
    assert!(text.contains("channels 0 to 0") && text.contains("channels 40 to 40"), "{text}");
    let mut far = options.clone();
    far.histogram.region.range_m = Some([100.0, 200.0]);
    let text = refused(&some, &some, &far);
    assert!(text.contains("no return in the region"), "{text}");
    let mut placeless = some.clone();
    placeless.origin_xyz_m.fill([f64::NAN; 3]);
    let text = refused(&some, &placeless, &CompareOptions::moving());
    assert!(text.contains("simulated recording does not say where"), "{text}");
    let mut comparison = Comparison::new(&options).unwrap();
    let mut moved = some.clone();
    moved.origin_xyz_m[17] = [0.0, 0.002, 0.0];
    let text = comparison.add_real(&moved).unwrap_err().to_string();
    assert!(text.contains("it moves"), "{text}");
    for (name, value) in [("range_bin_m", 0.0), ("range_bin_m", f64::NAN), ("blocks", 0.0)] {
        let mut bad = options.clone();
        match name {
            "blocks" => bad.histogram.blocks = 0,
            _ => bad.histogram.range_bin_m = value,
        }
        let text = Comparison::new(&bad).unwrap_err().to_string();
        assert!(text.contains(name), "{text}");
    }
}

/// A single scan has no halves and no interval, and says so; nothing is a number that is none.
#[test]
fn a_single_scan_has_no_floor_worth_the_name() {
    let one = Drawer::new(&plane(0.0), 1).records(300, 1);
    let two = Drawer::new(&plane(0.0), 2).records(300, 1);
    let report = compare(&one, &two, &no_clouds());
    let found = report.histogram.distances[0];
    assert_eq!((found.halves, found.interval), (None, None));
    assert!(found.floor.is_nan() && found.distance > 0.0, "{found:?}");
    assert!(report.remarks.iter().any(|remark| remark.contains("single scan")), "{report:?}");
    assert!(report.remarks.iter().any(|remark| remark.contains("mostly chance")));
}
