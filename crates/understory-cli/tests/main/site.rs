//! Learned sites on the command line: looked into, cut, merged, handed on, simulated.

use glam::{DMat3, DVec3};
use serde_json::Value;
use understory_learn::site::{Evidence, Gate, Model, Provenance, Site, Volume};
use understory_learn::volume::Gaussian;

use super::support::{Workplace, assert_refused};

/// A wall of volumes at x = 10 m, letting a bit more than half of the light through.
fn wall() -> Site {
    let mut volumes = Vec::new();
    for j in 0..80 {
        for k in 0..40 {
            let at = DVec3::new(0.025, 0.05 * f64::from(j) + 0.025, 0.05 * f64::from(k) + 0.025);
            let sigma = DVec3::new(0.004, 0.0144, 0.0144);
            let gaussian = Gaussian::new(at, DMat3::from_diagonal(sigma * sigma)).unwrap();
            volumes.push(Volume::new(&gaussian, 0.6));
        }
    }
    Site {
        origin: DVec3::new(10.0, -2.0, 0.0),
        model: Model::Voxel,
        gate: Gate::Cell { tau: 2.0 },
        cell_m: 0.05,
        evidence: vec![Evidence { points: 10, stopped: 4, passed: 4 }; volumes.len()],
        volumes,
        colours: Vec::new(),
        surface: None,
        provenance: Provenance {
            beams: 1_234_567,
            remarks: vec!["learned from a test".into()],
            ..Provenance::default()
        },
    }
}

fn placed() -> Workplace {
    let work = Workplace::new();
    wall().write(&work.path("wall.site")).unwrap();
    work
}

fn json(work: &Workplace, arguments: &[&str]) -> Value {
    serde_json::from_str(&work.succeed(arguments)).unwrap()
}

#[test]
fn info_and_stats_say_what_is_in_a_site() {
    let work = placed();
    let output = work.succeed(&["info", "wall.site"]);
    for word in ["voxel", "3 200", "1 234 567", "learned from a test", "along the axis"] {
        assert!(output.contains(word), "{word}: {output}");
    }
    let value = json(&work, &["info", "wall.site", "--json", "-"]);
    assert_eq!(value["kind"], "site");
    assert_eq!(value["stats"]["permeability_histogram"][5].as_u64(), Some(3200));
    let value = json(&work, &["site", "stats", "wall.site", "--json", "-"]);
    assert_eq!(value["volumes"].as_u64(), Some(3200));
    assert!(work.succeed(&["site", "stats", "wall.site"]).contains("0.5 … 0.6"));
}

#[test]
fn crops_merge_to_the_site_and_tables_have_its_rows() {
    let work = placed();
    let crop = |low: &str, high: &str, out: &str| {
        work.succeed(&["site", "crop", "wall.site", "--low", low, "--high", high, "-o", out]);
    };
    crop("-100,-100,-100", "100,0,100", "right.site");
    crop("-100,0,-100", "100,100,100", "left.site");
    work.succeed(&["site", "merge", "right.site", "left.site", "-o", "both.site"]);
    let both = Site::read(&work.path("both.site")).unwrap();
    assert_eq!(both.volumes.len(), 3200);
    let twice = json(
        &work,
        &["site", "merge", "both.site", "wall.site", "-o", "twice.site", "--json", "-"],
    );
    assert_eq!((twice["volumes"].as_u64(), twice["pooled"].as_u64()), (Some(3200), Some(3200)));
    work.succeed(&["site", "convert", "wall.site", "a.csv"]);
    let csv = std::fs::read_to_string(work.path("a.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3201);
    work.succeed(&["site", "convert", "wall.site", "a.npy"]);
    work.succeed(&["site", "ellipsoids", "wall.site", "-o", "a.ply", "--splits", "0"]);
    let output = work.succeed(&["info", "a.ply"]);
    assert!(output.contains("mesh"), "{output}");
}

#[test]
fn a_site_is_checked_run_traced_and_rendered() {
    let work = placed();
    work.put(
        "a.toml",
        "version = 1\nseed = 1\nduration_s = 0.1\n[[world.site]]\nname = \"wall\"\nfile = \"wall.site\"\n\
         [[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\nposition_m = [0.0, 0.0, 1.0]\n",
    );
    let output = work.succeed(&["check", "a.toml"]);
    assert!(output.contains("queried once a pulse"), "{output}");
    work.succeed(&["run", "a.toml", "--out", "out", "--quiet", "--format", "csv"]);
    let csv = std::fs::read_to_string(work.path("out/a.csv")).unwrap();
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = names.iter().position(|name| *name == "volume").unwrap();
    let met = csv.lines().skip(1).filter(|l| l.split(',').nth(column) != Some("0")).count();
    assert!(met > 100, "{met}");
    work.succeed(&["trace", "a.toml", "--pulse", "0"]);
    work.succeed(&["render", "a.toml", "--out", "a.png", "--size", "64x36"]);
    assert!(work.path("a.png").is_file());
}

#[test]
fn mistakes_are_one_sentence() {
    let work = placed();
    let refuse = |code: i32, arguments: &[&str], word: &str| {
        assert_refused(&work.run(arguments), code, &[word]);
    };
    refuse(2, &["site", "convert", "wall.site", "a.xyz"], "no known ending");
    let crop = ["site", "crop", "wall.site", "-o", "b.site", "--low", "0,0", "--high", "1,1,1"];
    refuse(2, &crop, "--low is no corner");
    let mut bytes = work.bytes("wall.site");
    bytes[5000] ^= 1;
    work.put("bad.site", bytes);
    refuse(1, &["info", "bad.site"], "its volumes were altered");
    let merge = ["site", "merge", "wall.site", "none.site", "-o", "b.site"];
    refuse(1, &merge, "cannot read none.site");
}
