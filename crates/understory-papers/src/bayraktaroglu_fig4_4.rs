//! Figure 4.4 of Bayraktaroglu 2023: depths of one channel on a sheet of A4 paper at 78 cm.
//!
//! The thesis shows a line of measured points that goes up and down in waves, and a histogram with a
//! normal law fitted to it. From this it takes σ (equations 4.10–4.15) and, because neighbouring points
//! are alike, Weierstrass's function (4.16, 4.17). Ours is the simulated sheet: its σ, the correlation
//! of neighbours, and whether the law is normal.

use super::bayraktaroglu_board::by_channel;
use super::bayraktaroglu_board::{Board, BoardPoint, ErrorChoice, QUANTUM_CM, WHITE, seeds};
use super::bayraktaroglu_lines::{
    NEIGHBOURS, correlation, curve, depth_lines, excess_kurtosis, one_panel, sigma_cm, with_step_cm,
};
use super::{Ask, Finding, Limit, Reproduced};
use understory::Error;
use understory::pulse::range_error::Correlation;
use understory::sensor::fit_error::{FitOptions, fit_error};
use understory_base::math;
use understory_view::figures::{Figure, Series};

const DISTANCE_M: f64 = 0.78;
/// σ of equations 4.10–4.15 at 0.78 m and 80 %, in centimetres.
const SIGMA_CM: f64 = 0.512815433;
/// Excess kurtosis of four cosines of independent phases with these amplitudes: −1.5·Σp², p being
/// their shares of the variance.
const WAVE_EXCESS: f64 = -1.380998651;
/// Share of the variance that is in the wave.
const SHARE: f64 = 0.7;
/// Sheets in the short and in the full version; the thesis had one.
const SHEETS: [u64; 2] = [24, 240];
/// Lags that are drawn.
const LAGS: usize = 36;

/// Works the figure out.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let sheets = SHEETS[usize::from(ask.full)];
    let seeds = seeds(ask.seed, sheets);
    let sheet = Board::a4(DISTANCE_M, WHITE);
    ask.progress.step("sheets", 0.0);
    let target = sheet.target(ErrorChoice::Model)?;
    let lines = target.lines(seeds.clone())?;
    ask.progress.step("sheets with the wave alone", 0.5);
    let wave_lines = sheet.target(ErrorChoice::WaveAlone)?.lines(seeds)?;
    let one = target.points(ask.seed)?;
    let own = by_channel(one.clone());
    let middle = own.get(own.len() / 2).map_or(&[][..], |line| line);

    let sigma = sigma_cm(&lines);
    let neighbours = correlation(&lines, 1);
    let (excess, wave_excess) = (excess_kurtosis(&lines), excess_kurtosis(&wave_lines));
    // The step of the ranges adds a variance of its own, whose law and neighbours are white.
    let whole_cm = with_step_cm(SIGMA_CM);
    let part = (SIGMA_CM / whole_cm).powi(2);
    let fitted = fit_error(&[target.records(ask.seed)?], &FitOptions::default())?;
    let informational = |quantity: &str, ours: f64| Finding {
        quantity: quantity.into(),
        paper: None,
        ours,
        limit: Limit::Informational,
    };
    let findings = vec![
        Finding {
            quantity: "points of a line on the sheet".into(),
            paper: None,
            ours: middle.iter().filter(|p| p.across_m.abs() < 0.5 * sheet.width_m).count() as f64,
            limit: Limit::Within(
                sheet.columns() - 1.0,
                sheet.columns() + 1.0,
                "points between the edges: the angle of the sheet in columns of 360°/1024, rounded up or down".into(),
            ),
        },
        Finding {
            quantity: "σ of the depths at 0.78 m, 80 % [cm]".into(),
            paper: None,
            ours: sigma.value,
            limit: sigma.about(whole_cm),
        },
        Finding {
            quantity: "correlation of neighbouring points".into(),
            paper: None,
            ours: neighbours.value,
            limit: neighbours.about(part * NEIGHBOURS),
        },
        Finding {
            quantity: "excess kurtosis of the depths".into(),
            paper: Some(0.0),
            ours: excess.value,
            limit: excess.differs(
                (SHARE * part).powi(2) * WAVE_EXCESS,
                "the thesis fits a normal law, excess 0, but models the error by a function that is nearly a cosine; where 70 % of the variance are such a wave, the excess is 0.7² of the wave's −1.381",
            ),
        },
        Finding {
            quantity: "excess kurtosis of the depths, the wave alone as in equation 4.17".into(),
            paper: Some(0.0),
            ours: wave_excess.value,
            limit: wave_excess.differs(
                part.powi(2) * WAVE_EXCESS,
                "Weierstrass's function with γ = 5 and H = 0.99 has 96 % of its variance in its first cosine and an excess of −1.381: it has two humps, not the one of figure 4.4",
            ),
        },
        informational("waves on the sheet", sheet.columns() / Correlation::default().period_columns),
        informational(
            "period that fit-error finds on one sheet without knowing the truth [columns]",
            fitted.wave.map_or(f64::NAN, |wave| wave.period_columns),
        ),
    ];
    let (sheet_80_cm, side) = {
        let points = Board::a4(0.8, WHITE).target(ErrorChoice::Model)?.points(ask.seed)?;
        let dots = points.iter().map(|p| [p.depth_cm, 100.0 * p.up_m]).collect();
        (
            points,
            one_panel(
                "bayraktaroglu-fig5.6",
                "White paper at 0.8 m, side view",
                ["depth [cm]", "up [cm]"],
                vec![Series::dots("", dots)],
            ),
        )
    };
    Ok(Reproduced {
        method: format!(
            "{sheets} simulated sheets of A4 paper of 80 % at 0.78 m (the thesis had one), preset os1-64-bayraktaroglu: {} lines of points. Errors are measured less true ranges; σ, correlation and kurtosis are over all lines, their standard errors from how lines differ.",
            lines.len()
        ),
        findings,
        figures: vec![
            one_panel(
                "bayraktaroglu-fig4.4",
                "One channel on A4 paper at 0.78 m",
                ["column", "depth [cm]"],
                vec![Series::line("", middle.iter().map(|p| [f64::from(p.column), p.depth_cm]).collect())],
            ),
            histogram(&lines, &wave_lines),
            autocorrelation(&lines),
            depth_lines("bayraktaroglu-fig5.3", "White paper at 0.8 m", sheet_80_cm),
            side,
        ],
        clouds: Vec::new(),
        remarks: vec![
            "Waves along a channel, their σ and their neighbours are as the equations have them.".into(),
            "The thesis's two pictures of the error contradict each other: its histogram is fitted by a normal law, while its wave alone would give two humps. Understory keeps both by a share of white noise (0.7 of the variance in the wave by default, which the thesis does not tell); that share and the period should be fitted to a sensor (`understory fit-error`).".into(),
            "Equation 4.17 divides by the deviation of the points that were seen. Ours divides by that of the function: a line that sees a single crest would otherwise be stretched, and every scan would have the same σ.".into(),
        ],
        ..Reproduced::default()
    })
}

/// Density of the errors over all lines, and the normal law of the same σ.
fn histogram(lines: &[Vec<BoardPoint>], wave_lines: &[Vec<BoardPoint>]) -> Figure {
    let density = |lines: &[Vec<BoardPoint>]| {
        let (from_cm, width_cm, mut counts) = (-2.0, QUANTUM_CM, vec![0.0; 40]);
        for point in lines.iter().flatten() {
            let bin = ((point.error_cm - from_cm) / width_cm).floor();
            if let Some(count) = counts.get_mut(bin.max(0.0) as usize) {
                *count += 1.0;
            }
        }
        let scale = width_cm * lines.iter().map(Vec::len).sum::<usize>() as f64;
        let bins = counts.into_iter().enumerate();
        bins.flat_map(|(bin, count)| {
            let left = from_cm + bin as f64 * width_cm;
            [[left, count / scale], [left + width_cm, count / scale]]
        })
        .collect()
    };
    let normal = |x: f64| {
        let z = x / SIGMA_CM;
        math::exp(-0.5 * z * z) / (SIGMA_CM * std::f64::consts::TAU.sqrt())
    };
    let series = vec![
        Series::line("simulated", density(lines)),
        Series::line("the wave alone", density(wave_lines)),
        Series::line("normal law", curve(-2.0, 2.0, normal)),
    ];
    one_panel(
        "bayraktaroglu-fig4.4-histogram",
        "Errors on A4 paper at 0.78 m",
        ["error [cm]", "density [1/cm]"],
        series,
    )
}

/// Correlation along a channel beside the analytic curve.
fn autocorrelation(lines: &[Vec<BoardPoint>]) -> Figure {
    let simulated = (0..LAGS).map(|lag| [lag as f64, correlation(lines, lag).value]).collect();
    let wave = Correlation::default();
    let law = |lag: f64| wave.share * wave.autocorrelation(lag / wave.period_columns);
    let series = vec![
        Series::line("share of the wave x R", curve(0.0, LAGS as f64 - 1.0, law)),
        Series::dots("simulated", simulated),
    ];
    one_panel(
        "bayraktaroglu-fig4.4-correlation",
        "Correlation of the error along a channel",
        ["lag [columns]", "correlation"],
        series,
    )
}

#[cfg(test)]
mod tests {
    use crate::sensor_scan::tests::assert_valid;

    #[test]
    fn figure_4_4_is_reproduced() {
        assert_valid(super::work_out, 7);
    }
}
