use super::*;
use crate::metrics::{Computing, Outcome};

fn row(sensor: &str, mapper: &str, seed: u64, success: bool, time_s: f64) -> Row {
    let metrics = Metrics {
        outcome: if success { Outcome::Reached } else { Outcome::Collision },
        success,
        time_s,
        distance_m: 10.0,
        nearest_m: 1.0,
        collisions: u64::from(!success),
        hit: None,
        stems: 0,
        best_m: Some(9.0),
        spl: if success { 0.9 } else { 0.0 },
        regret: success.then_some(0.1),
        plans: 3,
        plans_without_path: 0,
        senseless_commands: 0,
        pulses: 100,
        computing: Computing::default(),
    };
    Row { sensor: sensor.into(), mapper: mapper.into(), seed, metrics }
}

#[test]
fn pairs_are_those_of_one_sensor_and_seed() {
    let rows = [
        row("a", "x", 1, true, 10.0),
        row("a", "y", 1, false, 3.0),
        row("a", "x", 2, true, 10.0),
        row("a", "y", 2, true, 12.0),
        row("b", "x", 1, false, 10.0),
        row("b", "y", 1, true, 12.0),
        row("b", "x", 2, true, 10.0),
        row("b", "y", 2, true, 10.2),
        row("b", "x", 3, true, 10.2),
    ];
    let all = paired(&rows, None, ["x", "y"], 0.5);
    assert_eq!((all.better, all.worse, all.even), (2, 1, 1));
    let of_a = paired(&rows, Some("a"), ["x", "y"], 0.5);
    assert_eq!((of_a.better, of_a.worse, of_a.p), (2, 0, 0.5));
    let summary = &summaries(&rows)[0];
    assert_eq!((summary.drives, summary.reached, summary.time_s), (2, 2, Some(10.0)));
}

/// Lines rise by one at each arrival and end at the number of those that arrived.
#[test]
fn arrivals_are_drawn_by_sensor_and_mapper() {
    let rows = [
        row("a", "x", 1, true, 12.0),
        row("a", "x", 2, true, 10.0),
        row("a", "x", 3, false, 5.0),
        row("a", "y", 1, false, 3.0),
        row("b", "x", 1, true, 20.0),
    ];
    let figure = arrivals::figure("yard", &rows);
    let titles: Vec<&str> = figure.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!((figure.name.as_str(), titles), ("yard-arrivals", vec!["a", "b"]));
    let lines: Vec<_> = figure.panels[0].series.iter().map(|line| line.points.clone()).collect();
    let steps = [[0.0, 0.0], [10.0, 0.0], [10.0, 1.0], [12.0, 1.0], [12.0, 2.0], [21.0, 2.0]];
    assert_eq!(lines, [steps.to_vec(), vec![[0.0, 0.0], [21.0, 0.0]]]);
}

#[test]
fn a_store_is_resumed_after_half_a_line_and_refused_for_another_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.jsonl");
    let mut store = Store::open(&path, "me").unwrap();
    store.append(&row("a", "x", 1, true, 10.0)).unwrap();
    drop(store);
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"sens").unwrap();
    let mut store = Store::open(&path, "me").unwrap();
    assert_eq!(store.rows, [row("a", "x", 1, true, 10.0)]);
    store.append(&row("a", "x", 2, false, 4.0)).unwrap();
    assert_eq!(Store::open(&path, "me").unwrap().rows.len(), 2);
    let error = Store::open(&path, "you").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("of this scenario"), "{error}");
    std::fs::write(&path, "something else\n").unwrap();
    assert!(Store::open(&path, "me").is_err());
    // Killed before the first line was whole.
    std::fs::write(&path, "{\"understory_drives\":1,").unwrap();
    assert!(Store::open(&path, "me").unwrap().rows.is_empty());
}
