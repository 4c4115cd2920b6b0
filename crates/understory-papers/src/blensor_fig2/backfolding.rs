//! Figure 2a: what lies in the upper half of a time-of-flight camera's range appears in the lower.
//!
//! Equation 3: d stays where d < d_max/2, else it becomes d − d_max/2. The scenario `tof-camera` has
//! d_max = 10 m and a wall at 9 m. A pixel is one ray here, as in the paper.

use super::Part;
use crate::sensor_scan::{Mean, by_chance, scan};
use crate::{Cloud, Finding, Limit};
use understory::Error;
use understory::pulse::beam::Sampling;
use understory::scenario::Scenario;
use understory_view::figures::{Figure, Panel, Series};

/// d_max of the scenario.
const RANGE_MAX_M: f64 = 10.0;
/// Nearer to a fold than ten standard deviations, noise may carry a range across it.
const MARGIN_M: f64 = 0.04;
/// Standard deviation of the preset's ranges.
const SIGMA_M: f64 = 0.004;

/// Equation 3.
fn equation_3(distance_m: f64) -> f64 {
    let half_m = 0.5 * RANGE_MAX_M;
    if distance_m < half_m { distance_m } else { distance_m - half_m }
}

pub fn work_out(seed: u64) -> Result<Part, Error> {
    let mut scenario = Scenario::embedded("tof-camera")?;
    for mounted in &mut scenario.sensors {
        mounted.sensor.beam.sampling = Sampling::Single;
    }
    let records = scan(&scenario.prepare()?, seed, None)?;
    let seen = (0..records.len()).filter(|&row| !records.is_miss(row));
    let pairs: Vec<[f64; 2]> = seen
        .map(|row| [f64::from(records.true_range_m[row]), f64::from(records.range_m[row])])
        .filter(|[truth, _]| {
            let from_fold_m = (truth - RANGE_MAX_M / 2.0).abs().min((RANGE_MAX_M - truth).abs());
            from_fold_m > MARGIN_M
        })
        .collect();
    let (near, far): (Vec<[f64; 2]>, Vec<[f64; 2]>) =
        pairs.iter().copied().partition(|[truth, _]| *truth < 0.5 * RANGE_MAX_M);
    let off = |pairs: &[[f64; 2]]| {
        Mean::of(&pairs.iter().map(|[truth, range]| range - truth).collect::<Vec<_>>())
    };
    let (near_off, far_off) = (off(&near), off(&far));
    let (slope, slope_error) = slope(&far);
    let residuals: Vec<f64> = pairs.iter().map(|[t, range]| range - equation_3(*t)).collect();
    let residual = Mean::of(&residuals);
    let n = residual.count as f64;
    let mean_error = |mean: &Mean| SIGMA_M / (mean.count as f64).sqrt();
    let findings = vec![
        Finding {
            quantity: "2a: measured less true range below d_max/2 [m]".into(),
            paper: Some(0.0),
            ours: near_off.mean,
            limit: by_chance(0.0, mean_error(&near_off), "the mean of so many pixels of σ 4 mm"),
        },
        Finding {
            quantity: "2a: measured less true range beyond d_max/2 [m]".into(),
            paper: Some(-0.5 * RANGE_MAX_M),
            ours: far_off.mean,
            limit: by_chance(-5.0, mean_error(&far_off), "the mean of so many pixels of σ 4 mm"),
        },
        Finding {
            quantity: "2a: slope of the measured over the true range beyond d_max/2".into(),
            paper: Some(1.0),
            ours: slope,
            // A range that is mirrored instead of shifted has −1.
            limit: by_chance(1.0, slope_error, "the regression"),
        },
        Finding {
            quantity: "2a: deviation of single pixels from equation 3 [m]".into(),
            paper: None,
            ours: residual.deviation,
            limit: by_chance(SIGMA_M, SIGMA_M / (2.0 * n).sqrt(), "the preset's σ of so many pixels"),
        },
        Finding {
            quantity: "2a: farthest range that the camera reports [m]".into(),
            paper: Some(0.5 * RANGE_MAX_M),
            ours: records.range_m.iter().copied().filter(|r| r.is_finite()).fold(0.0, f32::max).into(),
            limit: Limit::Within(
                4.5,
                0.5 * RANGE_MAX_M,
                "nothing beyond d_max/2 leaves equation 3, and the floor of the corridor passes 5 m without a gap".into(),
            ),
        },
        Finding {
            quantity: "2a: share of the image that is folded".into(),
            paper: None,
            ours: far.len() as f64 / pairs.len() as f64,
            limit: Limit::Informational,
        },
    ];
    let line = |from: f64, to: f64| vec![[from, equation_3(from)], [to, equation_3(to)]];
    let figure = Figure {
        name: "blensor-fig2a".into(),
        title: "Backfolding of a time-of-flight camera".into(),
        x_label: "true range [m]".into(),
        y_label: "measured range [m]".into(),
        panels: vec![Panel {
            title: String::new(),
            series: vec![
                Series::line("equation 3", line(1.5, 4.9999)),
                Series::dots("pixels", pairs.iter().step_by(7).copied().collect()),
                Series::line("", line(5.0, 9.5)),
            ],
        }],
        ..Figure::default()
    };
    let cloud = Cloud {
        name: "blensor-fig2a-scan".into(),
        title: "A corridor beyond half the range appears nearer than the room's corner".into(),
        records,
    };
    Ok(Part { findings, figures: vec![figure], cloud })
}

/// Slope of measured over true, and its standard error for the preset's σ.
fn slope(pairs: &[[f64; 2]]) -> (f64, f64) {
    let n = pairs.len() as f64;
    let middle = pairs.iter().map(|[truth, _]| truth).sum::<f64>() / n;
    let (mut cross, mut square) = (0.0, 0.0);
    for [truth, range] in pairs {
        cross += (truth - middle) * range;
        square += (truth - middle).powi(2);
    }
    (cross / square, SIGMA_M / square.sqrt())
}
