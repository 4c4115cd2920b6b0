//! Findings as a table of text and as rows of JSON.

use std::path::Path;
use understory_base::math;

use serde_json::{Value, json};
use understory_papers::{Finding, Limit, Reproduced, Reproduction, Verdict};

use crate::table::{Align, Table};

/// A reproduction on a terminal.
pub fn text(of: &Reproduction, found: &Reproduced, folder: &Path, plots: usize) -> String {
    let mut table = Table::new(&[
        ("quantity", Align::Left),
        ("paper", Align::Right),
        ("ours", Align::Right),
        ("deviation", Align::Right),
        ("verdict", Align::Left),
    ]);
    for finding in &found.findings {
        table.row([
            finding.quantity.clone(),
            finding.paper.map(number).unwrap_or_default(),
            number(finding.ours),
            deviation(finding),
            verdict(finding).to_owned(),
        ]);
    }
    let mut text = format!("{}: {}\n{}\n\n{}\n", of.name, of.about, found.method, table.render());
    for remark in &found.remarks {
        text += &format!("{remark}\n");
    }
    match plots {
        0 => {}
        1 => text += &format!("1 plot in {}\n", folder.display()),
        _ => text += &format!("{plots} plots in {}\n", folder.display()),
    }
    text + "\n"
}

/// Its findings for another program.
pub fn json(of: &Reproduction, found: &Reproduced) -> Vec<Value> {
    let row = |finding: &Finding| {
        let limits = limits(finding);
        json!({
            "name": of.name,
            "quantity": finding.quantity,
            "paper": finding.paper,
            "ours": finding.ours,
            "deviation": finding.deviation(),
            "verdict": finding.verdict(),
            "low": limits.map(|(low, _, _)| low),
            "high": limits.map(|(_, high, _)| high),
            "why": limits.map(|(_, _, why)| why),
        })
    };
    found.findings.iter().map(row).collect()
}

/// Limits and where they come from.
pub fn limits(finding: &Finding) -> Option<(f64, f64, &str)> {
    match &finding.limit {
        Limit::Within(low, high, why) | Limit::Differs(low, high, why) => Some((*low, *high, why)),
        Limit::Informational => None,
    }
}

/// The verdict in words.
pub fn verdict(finding: &Finding) -> &'static str {
    match finding.verdict() {
        Verdict::Agrees => "agrees",
        Verdict::DiffersAsExplained => "differs as explained",
        Verdict::Fails => "FAILS",
        Verdict::Informational => "informational",
    }
}

/// Ours over the paper's in per cent, or as a factor where that is easier to read.
pub fn deviation(finding: &Finding) -> String {
    match finding.deviation() {
        None => String::new(),
        Some(share) if !(-1.0..9.995).contains(&share) => format!("× {}", number(share + 1.0)),
        Some(share) if share.abs() < 5e-4 => "0 %".to_owned(),
        Some(share) => format!("{:+.1} %", 100.0 * share),
    }
}

/// Four digits that count, without needless zeros.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = (3 - math::log10(size).floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_count() {
        let written = [0.0, 0.111, 1.0 / 3.0, 1499.96, 123_456.0, 2.5e-6, -0.02, 1e9].map(number);
        assert_eq!(
            written,
            ["0", "0.111", "0.3333", "1500", "123456", "2.500e-6", "-0.02", "1.000e9"]
        );
    }

    #[test]
    fn a_deviation_is_a_share_or_a_factor() {
        let of = |paper: Option<f64>, ours: f64| {
            deviation(&Finding {
                quantity: String::new(),
                paper,
                ours,
                limit: Limit::Informational,
            })
        };
        assert_eq!(of(Some(2.0), 2.5), "+25.0 %");
        assert_eq!(of(Some(1.0), 0.9999), "0 %");
        assert_eq!(of(Some(0.02), 0.4), "× 20");
        assert_eq!(of(Some(1.0), -2.0), "× -2");
        assert_eq!(of(None, 1.0) + &of(Some(0.0), 1.0), "");
    }
}
