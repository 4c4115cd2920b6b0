//! Figure 5.13 of Bayraktaroglu 2023: signal by ambient photons beside the depth.
//!
//! The thesis asks whether ambient light makes the waves, normalises both series, and finds that they
//! do not match. Ours: a sheet of white A4 paper at 0.8 m; the error comes from equations 4.10–4.17, the
//! counts from shot noise. The thesis gives no counts: means of 2000 and 200 stand in for them.

use super::bayraktaroglu_board::by_channel;
use super::bayraktaroglu_board::{Board, BoardPoint, ErrorChoice, WHITE, seeds};
use super::bayraktaroglu_lines::{NEIGHBOURS, correlation, one_panel, with_step_cm};
use super::sensor_scan::by_chance;
use super::{Ask, Finding, Reproduced};
use understory::Error;
use understory::rng::{PulseRng, Stage};
use understory_view::figures::Series;

/// σ of equations 4.10–4.15 at 0.8 m and 80 %, in centimetres.
const SIGMA_CM: f64 = 0.512792777;
/// Mean counts that stand in for those of the thesis.
const SIGNAL: f64 = 2000.0;
const AMBIENT: f64 = 200.0;
/// Between the two curves of the figure.
const LIFT: f64 = 5.0;
/// Sheets in the short and in the full version; the thesis had one.
const SHEETS: [u64; 2] = [16, 160];

/// Works the figure out.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let sheets = SHEETS[usize::from(ask.full)];
    ask.progress.step("sheets", 0.0);
    let target = Board::a4(0.8, WHITE).target(ErrorChoice::Model)?;
    let (mut lines, mut products) = (Vec::new(), [0.0; 4]);
    let mut own = Vec::new();
    for seed in seeds(ask.seed, sheets) {
        let mut points = target.points(seed)?;
        points.retain(|point| point.whole);
        for line in by_channel(points) {
            let ratios = ratios(&line, seed);
            let depths = normalised(line.iter().map(|point| point.depth_cm).collect());
            let count = ratios.len() as f64;
            products[0] += count;
            products[1] += ratios.iter().zip(&depths).map(|(a, b)| a * b).sum::<f64>();
            products[2] += count - 1.0;
            products[3] += ratios.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
            own.push((line.clone(), ratios, depths));
            lines.push(line);
        }
    }
    let [pairs, together, steps, neighbours] = products;
    let depth_neighbours = correlation(&lines, 1);
    let findings = vec![
        Finding {
            quantity: "correlation of the photon ratio with the depth".into(),
            paper: None,
            ours: together / pairs,
            limit: by_chance(
                0.0,
                pairs.sqrt().recip(),
                "a correlation of so many independent pairs",
            ),
        },
        Finding {
            quantity: "correlation of the photon ratio with that of the next column".into(),
            paper: None,
            ours: neighbours / steps,
            // Both are taken about the mean of their line, which takes 1/n off.
            limit: by_chance(
                -(lines.len() as f64) / pairs,
                pairs.sqrt().recip(),
                "shot noise, which knows no neighbour",
            ),
        },
        Finding {
            quantity: "correlation of the depth with that of the next column".into(),
            paper: None,
            ours: depth_neighbours.value,
            limit: depth_neighbours.about(NEIGHBOURS * (SIGMA_CM / with_step_cm(SIGMA_CM)).powi(2)),
        },
    ];
    // The middle of the first sheet.
    let middle = own.len() / (2 * sheets as usize).max(1);
    let (line, ratios, depths) = own.into_iter().nth(middle).unwrap_or_default();
    let places = |values: Vec<f64>, lift: f64| {
        line.iter().zip(values).map(|(p, value)| [100.0 * p.across_m, value + lift]).collect()
    };
    let series = vec![
        Series::line("signal by ambient photons", places(ratios, LIFT)),
        Series::line("depth", places(depths, 0.0)),
    ];
    Ok(Reproduced {
        method: format!(
            "{sheets} simulated sheets of A4 paper of 80 % at 0.8 m (the thesis had one), preset os1-64-bayraktaroglu; counts of 2000 signal and 200 ambient photons with their shot noise. Both series are taken about 0 in standard deviations, line by line."
        ),
        findings,
        figures: vec![one_panel(
            "bayraktaroglu-fig5.13",
            "Photon counts and depth, white paper at 0.8 m",
            ["across [cm]", "in standard deviations"],
            series,
        )],
        clouds: Vec::new(),
        remarks: vec![
            "As in the thesis, the counts do not explain the waves: theirs is a finding about a sensor, ours a property of the model, whose wave does not come from counted photons. The counts are stand-ins, for the thesis prints none.".into(),
            "There is a reason beside the figure: shot noise of neighbouring pulses is independent, so that it cannot make a wave over twelve columns, whatever its size.".into(),
        ],
        ..Reproduced::default()
    })
}

/// Signal by ambient photons of each point of a line.
fn ratios(line: &[BoardPoint], seed: u64) -> Vec<f64> {
    let ratio = |point: &BoardPoint| {
        let pulse = u64::from(point.column) << 16 | u64::from(point.channel);
        let mut rng = PulseRng::new(seed, 0, pulse, Stage::FigurePhotons);
        let mut count = |mean: f64| mean + mean.sqrt() * rng.gaussian();
        count(SIGNAL) / count(AMBIENT)
    };
    normalised(line.iter().map(ratio).collect())
}

fn normalised(values: Vec<f64>) -> Vec<f64> {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
    values.iter().map(|value| (value - mean) / spread.max(1e-12)).collect()
}

#[cfg(test)]
mod tests {
    use crate::sensor_scan::tests::assert_valid;

    #[test]
    fn figure_5_13_is_reproduced() {
        assert_valid(super::work_out, 3);
    }
}
