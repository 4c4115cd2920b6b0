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
    assert!(page.contains("was written by `understory reproduce deschaud-fig3 --seed 5"), "{page}");
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
