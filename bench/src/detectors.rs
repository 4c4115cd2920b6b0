//! What detection in waveforms costs beside windows: the whole path of a pulse, in two scenarios.

use anyhow::{Context, Result};
use understory::pulse::detector::{Detector, Threshold, Timing, WaveformSpec};
use understory::pulse::receiver::{Link, NoiseMode, Receiver, ReceiverSpec};
use understory::pulse::{Batch, PreparedRun, SensorRun, simulate_batch};
use understory::scenario::Scenario;
use understory_cloud::Records;

use crate::{cpu_seconds, median, median_ratio};

const SCENARIOS: [&str; 2] = ["orchard", "courtyard"];
/// Pulses of a round, in batches of the size that a run uses.
const PULSES: u64 = 60_000;
const BATCH: u64 = 1024;

/// The windows of each scenario's own sensor beside every detector in waveforms.
pub fn compare(rounds: u64) -> Result<serde_json::Value> {
    let mut report = serde_json::Map::new();
    for name in SCENARIOS {
        let mut run = Scenario::embedded(name)?.prepare()?;
        let sensor = run.sensors.first().context("the scenario has no sensor")?;
        println!("{name}: {} with {} sub-rays", sensor.name, sensor.footprint.rays_per_pulse());
        let contestants = contestants(&sensor.detector);
        let mut seconds = vec![Vec::new(); contestants.len()];
        // The first round warms the caches and does not count.
        for round in 0..=rounds {
            for ((_, detector), seconds) in contestants.iter().zip(&mut seconds) {
                run.sensors[0].detector = *detector;
                let spent = one_round(&run, &run.sensors[0]);
                if round > 0 {
                    seconds.push(spent);
                }
            }
        }
        let mut ratios = serde_json::Map::new();
        for ((what, _), taken) in contestants.iter().zip(&seconds) {
            let ratio = median_ratio(taken, &seconds[0]);
            println!(
                "  {what:<36}{:>6.2} µs a pulse, {ratio:.3} times windows",
                median(taken) / PULSES as f64 * 1e6
            );
            ratios.insert((*what).to_owned(), ratio.into());
        }
        report.insert(name.to_owned(), ratios.into());
    }
    Ok(report.into())
}

/// The sensor's windows, and waveforms of 5 ns every nanosecond, 8 times the noise from 10 % at the
/// end of its range.
fn contestants(windows: &Detector) -> Vec<(&'static str, Detector)> {
    let spec = *windows.spec();
    let with = |timing, noise| {
        let link = Link::Reference { snr: 8.0, range_m: spec.range_max_m, reflectance: 0.1 };
        let receiver =
            ReceiverSpec { link, overlap_m: [0.0; 2], pulse_fwhm_s: 5e-9, bin_s: 1e-9, noise };
        let how = WaveformSpec { timing, threshold: Threshold::Sigma(5.0), prominence_sigma: 4.0 };
        Detector::with_receiver(spec, Receiver::new(receiver), Some(how))
    };
    let edge = Timing::LeadingEdge { corrected: true };
    vec![
        ("windows", Detector::new(spec)),
        ("peaks, sampled noise", with(Timing::Peak, NoiseMode::Sampled)),
        ("leading edge, sampled noise", with(edge, NoiseMode::Sampled)),
        (
            "constant fraction, sampled noise",
            with(Timing::ConstantFraction(0.5), NoiseMode::Sampled),
        ),
        ("peaks, analytic noise", with(Timing::Peak, NoiseMode::Analytic)),
        ("peaks, no noise", with(Timing::Peak, NoiseMode::None)),
    ]
}

fn one_round(run: &PreparedRun, sensor: &SensorRun) -> f64 {
    let pulses = sensor.pattern.first_pulse_at(run.duration_s).min(PULSES);
    let (mut batch, mut records) = (Batch::default(), Records::default());
    let started = cpu_seconds();
    for first in (0..pulses).step_by(BATCH as usize) {
        records.clear();
        let range = first..(first + BATCH).min(pulses);
        simulate_batch(run, sensor, run.seed, range, &mut batch, &mut records);
    }
    cpu_seconds() - started
}
