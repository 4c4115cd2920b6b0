//! A wall is scanned with a known error, the error is fitted, and the fragment drives a scan again.

use super::support::{WALL, Workplace, assert_refused};

fn scan(work: &Workplace, name: &str, error: &str) {
    let scenario = WALL.replace("0.01\n", "0.1\n") + error + "\n[output]\nfiles = ['scan.csv']\n";
    work.put(&format!("{name}.toml"), scenario);
    work.succeed(&["run", &format!("{name}.toml"), "--out", name]);
}

#[test]
fn a_fitted_error_can_be_simulated_again() {
    let work = Workplace::new();
    let error = "[sensor.override.range_error]\nmodel = 'constant'\nsigma_m = 0.011\n";
    scan(&work, "first", error);
    let output =
        work.succeed(&["fit-error", "first/scan.csv", "--sensor", "vlp-16", "-o", "error.toml"]);
    assert!(output.contains("plane") && output.contains("wave"), "{output}");
    let fragment = String::from_utf8(work.bytes("error.toml")).unwrap();
    let biases = fragment.lines().find(|line| line.starts_with("bias_m = [")).unwrap();
    assert_eq!(biases.split(',').count(), 16);
    // Rows of the table of σ; 3000 points and more have a standard error below 1.3 %.
    let rows = fragment.lines().filter_map(|line| line.strip_prefix("    [")?.strip_suffix("],"));
    let sigmas: Vec<f64> =
        rows.flat_map(|row| row.split(", ").map(|word| word.parse().unwrap())).collect();
    assert!(!sigmas.is_empty());
    assert!(sigmas.iter().all(|sigma_m| (sigma_m / 0.011 - 1.0).abs() < 0.25), "{fragment}");
    let over = fragment.replace("[range_error", "[sensor.override.range_error");
    scan(&work, "second", &over);
    let again = work.succeed(&["fit-error", "second/scan.csv", "--sensor", "vlp-16"]);
    assert!(again.contains("[range_error.table]"), "{again}");
}

#[test]
fn what_cannot_be_fitted_is_refused_in_one_sentence() {
    let work = Workplace::new();
    work.put("none.csv", "x_m,y_m\n1,2\n");
    let fit = |arguments: &[&str]| work.run(&[&["fit-error"], arguments].concat());
    assert_refused(&fit(&["none.csv"]), 1, &["none.csv", "no column"]);
    assert_refused(&fit(&["missing.csv"]), 1, &["cannot read missing.csv"]);
    assert_refused(&fit(&["none.csv", "--gate-m", "-1"]), 2, &["--gate-m -1", "above 0"]);
    assert_refused(&fit(&["none.csv", "--sensor", "vlp16"]), 2, &["did you mean \"vlp-16\"?"]);
    scan(&work, "scan", "");
    let few = fit(&["scan/scan.csv", "--points-min", "100000"]);
    assert_refused(&few, 2, &["no plane with 100000 points"]);
}

#[test]
fn blensor_records_are_written_by_name_and_by_ending() {
    let work = Workplace::new();
    work.put("wall.toml", WALL.to_owned() + "[output]\nfiles = ['a.blensor.csv', 'b.evd']\n");
    work.succeed(&["run", "wall.toml", "--out", "out"]);
    let csv = String::from_utf8(work.bytes("out/a.blensor.csv")).unwrap();
    assert!(csv.starts_with("timestamp,yaw,pitch,distance,distance_noise,x,"), "{csv}");
    let rows = csv.lines().count() - 1;
    assert_eq!(work.bytes("out/b.evd").len(), 8 + 120 * rows);
    work.succeed(&["run", "wall.toml", "--out", "named", "--format", "blensor-npy"]);
    assert_eq!(work.bytes("named/wall.blensor.npy").len(), 128 + 96 * rows);
    assert!(work.succeed(&["info", "out/b.evd"]).contains("EVD"));
}
