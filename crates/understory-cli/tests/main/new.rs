//! `understory new`, `check --fix` and `doctor`, as a stranger would use them.

use crate::support::{WALL, Workplace, assert_refused, text};

#[test]
fn every_world_and_path_gives_a_scenario_that_is_valid() {
    let work = Workplace::new();
    work.put(
        "block.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n",
    );
    let cases = [
        ("flat", "stand", "vlp-16"),
        ("flat", "drive", "lms-111,vlp-16,vlp-16"),
        ("flat", "circle", "os1-128-rev7"),
        ("flat", "flight", "riegl-vq-480-ii"),
        ("first-scan", "own", "vlp-16"),
        ("first-scan", "stand", "pmd-camcube"),
        ("block.obj", "drive", "vlp-16"),
    ];
    for (index, (world, path, sensors)) in cases.into_iter().enumerate() {
        let file = format!("{index}.toml");
        let said =
            work.succeed(&["new", &file, "--world", world, "--path", path, "--sensor", sensors]);
        assert!(said.starts_with(&format!("wrote {file}")), "{said}");
        let said = work.succeed(&["check", &file]);
        assert!(said.contains("is valid"), "{world}, {path}: {said}");
    }
    // What it says is what it does: 2 m/s for 3 s, and a sensor 1.2 m above the ground.
    work.succeed(&[
        "new",
        "a.toml",
        "--world",
        "flat",
        "--path",
        "drive",
        "--seconds",
        "3",
        "--height",
        "1.2",
    ]);
    let made = text(&work.bytes("a.toml"));
    assert!(made.contains("{ time_s = 0.0, position_m = [-3.0, 0.0, 0.0] }"), "{made}");
    assert!(made.contains("{ time_s = 3.0, position_m = [3.0, 0.0, 0.0] }"), "{made}");
    assert!(made.contains("position_m = [0.0, 0.0, 1.2]"), "{made}");
}

#[test]
fn new_refuses_what_it_cannot_express() {
    let work = Workplace::new();
    work.put("there.toml", "x");
    for (arguments, words) in [
        (&["new", "there.toml"][..], &["there.toml", "--force"][..]),
        (&["new", "a.txt"], &["a.txt", ".toml"]),
        (&["new", "a.toml", "--world", "meadwo"], &["meadwo", "did you mean meadow?"]),
        (&["new", "a.toml", "--world", "gone.obj"], &["gone.obj", "no such file"]),
        (&["new", "a.toml", "--sensor", "vlp-61"], &["vlp-61"]),
        (&["new", "a.toml", "--path", "own"], &["--path own"]),
        (&["new", "a.toml", "--seconds", "-1"], &["--seconds"]),
        (&["new", "a.toml", "--speed", "inf"], &["--speed"]),
    ] {
        assert_refused(&work.run(arguments), 2, words);
        assert_eq!(work.listing(), ["there.toml"], "{arguments:?}");
    }
}

#[test]
fn fix_mends_units_and_old_names_and_says_each() {
    let work = Workplace::new();
    let wrong = WALL
        .replace("size_m = [20.0, 20.0]", "size_mm = [20_000, 20000.0] # large")
        .replace("[world]", "[world]\nfar_plants = \"off\"");
    work.put("a.toml", &wrong);
    assert_refused(&work.run(&["check", "a.toml"]), 2, &["a.toml", "size_m"]);
    let said = work.succeed(&["check", "a.toml", "--fix", "--json", "a.json"]);
    assert!(said.contains("size_mm = [20_000, 20000.0] is now size_m = [20.0, 20.0]"), "{said}");
    assert!(said.contains("far_plants is now vegetation_lod"), "{said}");
    assert!(said.contains("a.toml is valid."), "{said}");
    let expected = WALL
        .replace("size_m = [20.0, 20.0]", "size_m = [20.0, 20.0] # large")
        .replace("[world]", "[world]\nvegetation_lod = \"off\"");
    assert_eq!(text(&work.bytes("a.toml")), expected);
    assert_eq!(text(&work.bytes("a.json")).matches("\"now\"").count(), 2);
    let said = work.succeed(&["check", "a.toml", "--fix"]);
    assert!(said.starts_with("a.toml: nothing to fix"), "{said}");
}

#[test]
fn fix_refuses_what_is_no_file_of_ones_own_and_keeps_what_is_no_toml() {
    let work = Workplace::new();
    work.put("b.toml", "a = = 1\n").put("c.txt", "x");
    assert_refused(
        &work.run(&["check", "demo", "--fix"]),
        2,
        &["demo", "understory scenarios demo"],
    );
    assert_refused(&work.run(&["check", "c.txt", "--fix"]), 2, &["c.txt", ".toml"]);
    assert_refused(&work.run(&["check", "b.toml", "--fix"]), 2, &["b.toml:1", "not valid TOML"]);
    assert_eq!(text(&work.bytes("b.toml")), "a = = 1\n");
}

#[test]
fn sensors_are_checked_and_fixed_too() {
    let work = Workplace::new();
    let sensor = work.succeed(&["sensors", "vlp-16"]);
    assert!(sensor.contains("range_max_m = "), "{sensor}");
    work.put("s.toml", &sensor);
    assert!(work.succeed(&["check", "s.toml"]).contains("s.toml is valid."));
    work.put("s.toml", sensor.replace("vendor = ", "maker = "));
    let said = work.succeed(&["check", "s.toml", "--fix"]);
    assert!(said.contains("maker is now vendor"), "{said}");
    assert_eq!(text(&work.bytes("s.toml")), sensor);
}

#[test]
fn doctor_says_what_is_there_and_never_fails() {
    let work = Workplace::new();
    let said = work.succeed(&["doctor"]);
    for word in ["threads", "instructions", "MPI", "Python package", "browser"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    // Without any other program on the path too.
    let output = work.command(&["doctor", "--json", "-"]).env("PATH", "").output().unwrap();
    assert!(output.status.success());
    let found = text(&output.stdout);
    assert!(found.contains("\"what\": \"python3\",\n    \"ok\": false"), "{found}");
}
