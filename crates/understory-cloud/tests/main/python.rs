//! Other people's readers: laspy, plyfile, pypcd4 and NumPy see exactly what was written.
//!
//! Runs when `UNDERSTORY_PYTHON` names a Python that has the packages of
//! `xtask/python-requirements.txt`; `cargo xtask test` sets it.

use crate::common::{poses, records};
use std::path::Path;
use std::process::Command;
use understory_cloud::{OutputFormat, Records, SinkOptions, open_sink};

fn write(folder: &Path, name: &str, records: &Records) {
    for format in OutputFormat::ALL {
        let path = folder.join(format!("{name}.{format}"));
        let mut sink = open_sink(&path, format, &SinkOptions::default()).unwrap();
        if !records.is_empty() {
            poses(records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
        }
        sink.write(records).unwrap();
        sink.finish().unwrap();
    }
}

/// All values as text of their own, by no writer under test: floats as their bits.
fn expected(records: &Records) -> String {
    let mut text = String::new();
    for i in 0..records.len() {
        let row = records.get(i).unwrap();
        let double = |v: f64| format!("{:016x}", v.to_bits());
        let float = |v: f32| format!("{:08x}", v.to_bits());
        let doubles = |v: [f64; 3]| v.map(double).join(" ");
        text.push_str(&format!(
            "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n",
            doubles(row.world_xyz_m),
            float(row.intensity),
            double(row.time_s),
            row.return_number,
            row.return_count,
            float(row.range_m),
            float(row.azimuth_deg),
            float(row.elevation_deg),
            row.sensor_xyz_m.map(float).join(" "),
            row.pulse,
            row.sensor,
            row.channel,
            row.scan,
            row.column,
            float(row.signal_photons),
            float(row.ambient_photons),
            float(row.true_range_m),
            doubles(row.true_xyz_m),
            row.object,
            row.material,
            row.label,
            float(row.incidence_deg),
            row.sub_ray_hits,
            float(row.range_spread_m),
        ));
    }
    text
}

#[test]
fn other_peoples_readers_agree() {
    let Ok(python) = std::env::var("UNDERSTORY_PYTHON") else {
        println!("skipped: UNDERSTORY_PYTHON is not set; cargo xtask test sets it");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    for (name, records) in [
        ("utm", records(5000, [500_123.4, 5_400_321.9, 102.0])),
        ("local", records(300, [1.0, -20.0, 3.0])),
        ("empty", Records::default()),
    ] {
        write(dir.path(), name, &records);
        std::fs::write(dir.path().join(format!("{name}.expected")), expected(&records)).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_files.py");
    let output = Command::new(python).arg(script).arg(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}
