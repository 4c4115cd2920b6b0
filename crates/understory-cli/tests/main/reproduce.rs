//! `understory reproduce`: lists, refuses, and writes what it found.

use super::support::{Workplace, text};

#[test]
fn without_a_name_all_are_listed() {
    let output = Workplace::new().succeed(&["reproduce"]);
    for name in ["deschaud-fig1", "deschaud-fig3", "deschaud-table1"] {
        assert!(output.lines().any(|line| line.starts_with(name)), "{output}");
    }
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest() {
    let work = Workplace::new();
    let output = work.run(&["reproduce", "deschaud-fig3", "deschaud-tabl1"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("did you mean \"deschaud-table1\"?"), "{said}");
    assert!(work.listing().is_empty(), "{:?}", work.listing());
    let output = work.run(&["reproduce", "--json", "-"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn findings_plots_and_page_are_written() {
    let work = Workplace::new();
    let output =
        work.succeed(&["reproduce", "deschaud-fig3", "-o", "docs/page", "--json", "a.json"]);
    assert!(output.contains("agrees") && output.contains("deviation"), "{output}");
    let rows: serde_json::Value = serde_json::from_slice(&work.bytes("a.json")).unwrap();
    let rows = rows.as_array().unwrap();
    assert!(rows.len() > 3);
    for row in rows {
        assert_eq!(row["name"], "deschaud-fig3");
        assert!(row["quantity"].is_string() && row["ours"].is_number(), "{row}");
        assert!(row["verdict"] != "fails" && row["verdict"].is_string(), "{row}");
        assert!(row.get("paper").is_some() && row.get("deviation").is_some(), "{row}");
    }
    let page = text(&work.bytes("docs/page.md"));
    let title = page.lines().next();
    assert_eq!(title, Some("# Validation"));
    assert!(page.contains("was written by `understory reproduce … -o docs/page`"), "{page}");
    assert!(page.contains("Quick version, seed 5, "), "{page}");
    let links: Vec<&str> = page
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|link| !link.starts_with('#'))
        .collect();
    assert!(links.iter().any(|link| link.ends_with(".svg")), "{links:?}");
    for link in links {
        assert!(work.path("docs").join(link).is_file(), "{link}");
    }
    // The same seed gives the same findings and the same plots.
    let plots = work.contents("docs/page");
    work.succeed(&["reproduce", "deschaud-fig3", "-o", "again", "--json", "b.json", "-q"]);
    assert_eq!(work.bytes("a.json"), work.bytes("b.json"));
    assert_eq!(plots, work.contents("again"));
}

/// Where a paper states a number, a factor of two to either side of the middle of the limits fails: the
/// page says so. Zeros have no factors.
#[test]
fn limits_about_the_papers_numbers_are_narrow() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/validation.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut narrow = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        let [_, paper, _, _, _, held] = cells[..] else { continue };
        let Ok(paper) = paper.trim().parse::<f64>() else { continue };
        let Some((limits, _)) = held.split_once(':') else { continue };
        let limits: Vec<f64> = limits.split(" … ").filter_map(|l| l.trim().parse().ok()).collect();
        let [low, high] = limits[..] else { panic!("{row}") };
        if paper == 0.0 {
            continue;
        }
        let (low, high) = if high < 0.0 { (-high, -low) } else { (low, high) };
        assert!(low > 0.0 && high < 4.0 * low, "{row}");
        narrow += 1;
    }
    assert!(narrow > 30, "{narrow}");
}
