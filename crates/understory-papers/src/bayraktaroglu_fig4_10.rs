//! Figure 4.10 of Bayraktaroglu 2023: Weierstrass's function for four values of γ.
//!
//! Equation 4.16: W(x) = Σ γ^{−nH}·cos(2πγⁿx). The thesis says that it is like a cosine for γ = 1, that
//! fractal characteristics appear as γ rises, that its dimension is 2 − H, and chooses γ = 5, H = 0.99.
//! Measured here: how much of the function the best cosine of period 1 explains, by least squares over
//! many places, and the dimension, from how the mean square of W(x + h) − W(x) falls with h.

use std::f64::consts::TAU;
use understory_base::math;

use super::bayraktaroglu_lines::{curve, one_panel};
use super::{Ask, Finding, Limit, Reproduced};
use understory::Error;
use understory::pulse::range_error::{Correlation, weierstrass_sum};
use understory_view::figures::{Figure, Panel, Series};

/// H and γ of the figure's panels.
const HURST: f64 = 0.90;
const GAMMAS: [f64; 4] = [1.0, 1.2, 1.5, 1.7];
/// Frequency up to which terms are summed.
const HIGHEST: f64 = 1e6;
/// Terms of the sum where γ = 1, which has no end.
const TERMS_OF_ONE: usize = 4;
/// Over so many periods places are spread.
const PERIODS: f64 = 500.0;
/// Places in the short and in the full version.
const PLACES: [u32; 2] = [40_000, 400_000];

/// Terms whose frequency is below a limit.
fn terms(gamma: f64, highest: f64) -> usize {
    if gamma > 1.0 { (math::ln(highest) / math::ln(gamma)).ceil() as usize } else { TERMS_OF_ONE }
}

/// Works the figure out.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let places = PLACES[usize::from(ask.full)];
    let mut findings = Vec::new();
    for (place, gamma) in GAMMAS.into_iter().enumerate() {
        ask.progress.step(&format!("γ = {gamma}"), place as f64 / 5.0);
        let count = terms(gamma, HIGHEST);
        let law = |x: f64| weierstrass_sum(gamma, HURST, count, x);
        findings.push(share_finding(gamma, HURST, count, cosine_share(law, places), places));
    }
    ask.progress.step("γ = 5", 0.8);
    let own = Correlation::default();
    let share = cosine_share(|x| own.weierstrass(x), places);
    findings.push(share_finding(own.gamma, own.hurst, own.terms, share, places));
    for gamma in [1.2, 1.5, 1.7] {
        findings.push(Finding {
            quantity: format!("fractal dimension at γ = {gamma}, H = {HURST}"),
            paper: Some(2.0 - HURST),
            ours: dimension(gamma, HURST),
            limit: Limit::Within(
                2.0 - HURST - 1e-3,
                2.0 - HURST + 1e-3,
                "the terms below the first, which the sum lacks, tilt the slope by 1e-6 at these distances".into(),
            ),
        });
    }
    Ok(Reproduced {
        method: format!(
            "Equation 4.16 with all terms up to a frequency of 1e6 ({TERMS_OF_ONE} for γ = 1), at {places} places over {PERIODS} periods; γ = 5, H = 0.99 as the range error has it, four terms. The dimension is 2 less half the slope of the logarithm of the mean square of W(x + h) − W(x), over all phases, from h = 1e-26 down to 20 powers of γ below."
        ),
        findings,
        figures: vec![figure(), chosen()],
        clouds: Vec::new(),
        remarks: vec![
            "The curves are those of the equation. With γ = 1 the equation has no finite value, for the sum of equal cosines grows with each term (and the thesis asks for γ > 1 itself): the panel shows a cosine of arbitrary height.".into(),
            "That the function becomes less like a cosine as γ rises holds only near 1: for large γ later terms are small as well as fast, and the chosen γ = 5 with H = 0.99 has 96 % of its variance in the first cosine, more than γ = 1.2, 1.5 and 1.7. The range error is therefore a smooth wave with a fine ripple, not a rough line.".into(),
            "A sensor sees the function at whole columns. With a period of P columns all terms of frequency γⁿ > P/2 alias; from the fifth term on they could not be told from noise even if a revolution were one period, which is why four are used.".into(),
        ],
        ..Reproduced::default()
    })
}

fn share_finding(gamma: f64, hurst: f64, terms: usize, share: f64, places: u32) -> Finding {
    let expected = if gamma > 1.0 {
        // The first of a geometric series of variances.
        (1.0 - math::powf(gamma, -2.0 * hurst))
            / (1.0 - math::powf(gamma, -2.0 * hurst * terms as f64))
    } else {
        1.0
    };
    let reach = if gamma > 1.0 { 4.0 / f64::from(places).sqrt() } else { 1e-4 };
    Finding {
        quantity: format!("share of the variance in the first cosine at γ = {gamma}, H = {hurst}"),
        paper: None,
        ours: share,
        limit: Limit::Within(
            expected - reach,
            expected + reach,
            "γ^(−2nH) of the first term over that of all; the places are evenly spread and there is no chance in them, the limit is what as many random ones would leave".into(),
        ),
    }
}

/// Share of the mean square of a function that the best cosine of period 1 explains.
fn cosine_share(law: impl Fn(f64) -> f64, places: u32) -> f64 {
    // Steps of the golden section are spread evenly and are in tune with no frequency.
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut square, mut with_cos, mut with_sin) = (0.0, 0.0, 0.0);
    for place in 0..places {
        let x = PERIODS * (f64::from(place) * golden).fract();
        let value = law(x);
        let (sin, cos) = math::sin_cos(TAU * x.fract());
        square += value * value;
        with_cos += value * cos;
        with_sin += value * sin;
    }
    // A cosine has a mean square of 1/2.
    2.0 * (with_cos.powi(2) + with_sin.powi(2)) / (f64::from(places) * square)
}

/// Mean square of W(x + h) − W(x) over all phases.
fn structure(gamma: f64, hurst: f64, h: f64) -> f64 {
    let count = terms(gamma, 1e7 / h);
    let steps = |ratio: f64| std::iter::successors(Some(1.0), move |value| Some(value * ratio));
    let parts = steps(math::powf(gamma, -2.0 * hurst)).zip(steps(gamma)).take(count);
    parts.map(|(energy, frequency)| energy * (1.0 - math::cos(TAU * (frequency * h).fract()))).sum()
}

fn dimension(gamma: f64, hurst: f64) -> f64 {
    let (coarse, powers) = (1e-26, 20);
    let fine = coarse * gamma.powi(-powers);
    let fall = math::ln(structure(gamma, hurst, coarse) / structure(gamma, hurst, fine));
    2.0 - 0.5 * fall / (f64::from(powers) * math::ln(gamma))
}

fn figure() -> Figure {
    let panel = |gamma: f64| {
        let law = |x| weierstrass_sum(gamma, HURST, terms(gamma, HIGHEST), x);
        let steps = 1500;
        let at = |step: u32| 3.0 * f64::from(step) / f64::from(steps);
        let points = (0..=steps).map(|step| [at(step), law(at(step))]).collect();
        Panel { title: format!("γ = {gamma}"), series: vec![Series::line("", points)] }
    };
    Figure {
        name: "bayraktaroglu-fig4.10".into(),
        title: "Weierstrass's function, H = 0.90".into(),
        x_label: "x".into(),
        y_label: "W".into(),
        panels: GAMMAS.map(panel).into(),
        ..Figure::default()
    }
}

fn chosen() -> Figure {
    let own = Correlation::default();
    let series = vec![
        Series::line("γ = 5, H = 0.99", curve(0.0, 3.0, |x| own.weierstrass(x))),
        Series::line("its first cosine", curve(0.0, 3.0, |x| math::cos(TAU * x))),
    ];
    one_panel(
        "bayraktaroglu-fig4.10-chosen",
        "Weierstrass's function as the thesis uses it",
        ["x", "W"],
        series,
    )
}

#[cfg(test)]
mod tests {
    use crate::sensor_scan::tests::assert_valid;

    #[test]
    fn figure_4_10_is_reproduced() {
        assert_valid(super::work_out, 8);
    }
}
