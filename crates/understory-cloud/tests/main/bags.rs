//! ROS 2 bags that other people's library wrote: mcap and mcap-ros2-support.
//!
//! Runs when `UNDERSTORY_PYTHON` names a Python that has the packages of
//! `xtask/python-requirements.txt`; `cargo xtask test` sets it.

use std::path::Path;
use understory_cloud::{PoseFileOptions, TimedPoses, read_pose_file};
use understory_testing::Python;

/// Numbers as Python's `float.hex` writes them, which lose nothing.
pub fn from_hex(text: &str) -> f64 {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let (mantissa, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap();
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    sign * bits as f64 * 2f64.powi(exponent - 4 * fraction.len() as i32)
}

fn check(folder: &Path, name: &str, poses: &TimedPoses) {
    let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
    assert_eq!(text.lines().count(), poses.len(), "{name}");
    assert!(poses.turns);
    for (index, line) in text.lines().enumerate() {
        let values: Vec<&str> = line.split(' ').collect();
        let (seconds, nanoseconds): (f64, f64) =
            (values[0].parse().unwrap(), values[1].parse().unwrap());
        let numbers: Vec<f64> = values[2..].iter().map(|value| from_hex(value)).collect();
        // Seconds since 1970 in a double are good to 0.24 µs.
        assert!((poses.times_s[index] - seconds - nanoseconds * 1e-9).abs() < 2.5e-7, "{name}");
        assert_eq!(poses.positions_m[index].to_array(), numbers[..3], "{name}");
        for (a, b) in poses.rotations[index].to_array().iter().zip(&numbers[3..]) {
            assert!((a - b).abs() < 1e-15, "{name} row {index}");
        }
    }
}

#[test]
fn other_peoples_bags_are_read() {
    let Some(python) = Python::find() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/make_bags.py");
    let output = python.command().arg(script).arg(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");

    let any = PoseFileOptions::default();
    for letters in 1..9 {
        let name = format!("odometry{letters}");
        let poses = read_pose_file(&folder.join(format!("{name}.mcap")), &any).unwrap();
        check(folder, &name, &poses);
    }
    check(folder, "pose", &read_pose_file(&folder.join("pose.mcap"), &any).unwrap());
    check(folder, "split", &read_pose_file(&folder.join("split"), &any).unwrap());

    let tf = folder.join("tf.mcap");
    let refused = read_pose_file(&tf, &any).unwrap_err().to_string();
    for word in ["/tf (base_link to arm)", "/tf (odom to base_link)", "child frame"] {
        assert!(refused.contains(word), "{refused}");
    }
    let child_frame = Some("base_link".to_owned());
    let base = PoseFileOptions { child_frame, topic: Some("/tf".to_owned()), times: None };
    check(folder, "tf", &read_pose_file(&tf, &base).unwrap());
    let words = PoseFileOptions { topic: Some("/words".to_owned()), ..any };
    let refused = read_pose_file(&folder.join("odometry1.mcap"), &words).unwrap_err().to_string();
    assert!(refused.contains("on \"/words\": it has /odometry"), "{refused}");

    // Half a compressed bag, as a recorder that was killed leaves it.
    let whole = std::fs::read(folder.join("odometry2.mcap")).unwrap();
    std::fs::write(folder.join("half.mcap"), &whole[..whole.len() / 2]).unwrap();
    let refused = read_pose_file(&folder.join("half.mcap"), &words).unwrap_err().to_string();
    assert!(refused.contains("half.mcap is damaged") && refused.contains("byte"), "{refused}");
}
