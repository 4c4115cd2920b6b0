//! Recordings from one format to another, and the beams in them.

use serde_json::Value;
use understory_cloud::{ReadOptions, Recording, Records};
use understory_testing::picture::Pixels;

use super::support::{WALL, Workplace, assert_refused, text};

/// A platform that drives by and turns.
const DRIVE: &str = r#"
[platform]
waypoints = [
    { time_s = 0.0, position_m = [1.0, 2.0, 0.5], rotation_deg = [0.0, 0.0, 0.0] },
    { time_s = 0.1, position_m = [3.0, 2.5, 0.7], rotation_deg = [2.0, -3.0, 40.0] },
]
"#;

fn driven() -> Workplace {
    let work = Workplace::new();
    // Small enough for some beams to miss it.
    let wall = WALL.replace("size_m = [20.0, 20.0]", "size_m = [3.0, 3.0]");
    work.put("drive.toml", format!("{wall}{DRIVE}"));
    let formats = ["--format", "npy", "--format", "laz", "--format", "kitti"];
    let mut run = vec!["run", "drive.toml", "--out", "out", "--quiet"];
    run.extend(formats);
    work.succeed(&run);
    work
}

fn read(work: &Workplace, name: &str) -> Records {
    let options = ReadOptions { need_origins: true, ..ReadOptions::default() };
    Recording::open(&work.path(name), &options).unwrap().read_all().unwrap()
}

/// Of a moving sensor each row, hit or miss, has the line that its beam went along.
#[test]
fn every_pulse_of_a_run_has_its_beam() {
    let work = driven();
    let records = read(&work, "out/drive.npy");
    let misses = (0..records.len()).filter(|&row| records.is_miss(row)).count();
    assert!(misses > 100 && records.return_rows() > 100, "{misses}");
    let (mut worst, mut first_x, mut last_x) = (0.0f64, f64::NAN, 0.0);
    for row in 0..records.len() {
        let (origin, direction) = (records.origin_xyz_m[row], records.direction_xyz[row]);
        let length: f32 = direction.iter().map(|d| d * d).sum();
        assert!((length - 1.0).abs() < 1e-5 && origin.iter().all(|o| o.is_finite()), "{row}");
        if row == 0 {
            first_x = origin[0];
        }
        last_x = origin[0];
        if records.is_miss(row) {
            continue;
        }
        let distance = records.distance_m(row);
        for axis in 0..3 {
            let along = origin[axis] + distance * f64::from(direction[axis]);
            worst = worst.max((along - records.world_xyz_m[row][axis]).abs());
        }
    }
    // 10 m in 32-bit directions.
    assert!(worst < 1e-5, "{worst}");
    // A tenth of the way of 2 m in x.
    assert!((last_x - first_x - 0.2).abs() < 0.02, "{first_x} {last_x}");
}

#[test]
fn formats_that_hold_everything_come_back_byte_by_byte() {
    let work = driven();
    let mut from = "out/drive.npy".to_owned();
    for to in ["a.csv", "b.ply", "c.pcd", "d.npy"] {
        let output = work.succeed(&["convert", &from, to, "--misses", "keep", "--json", "-"]);
        let output: Value = serde_json::from_str(&output).unwrap();
        assert_eq!(output["rows"], output["rows_written"], "{output}");
        assert_eq!(output["dropped_fields"], serde_json::json!([]), "{output}");
        assert!(output["misses"].as_u64().unwrap() > 100, "{output}");
        from = to.to_owned();
    }
    assert!(work.bytes("out/drive.npy") == work.bytes("d.npy"));
    let output = work.succeed(&["convert", "out/drive.npy", "e.laz"]);
    assert!(output.contains("pulses without a return"), "{output}");
    // A conversion knows neither ground nor names, which the run itself has, but the same points.
    let points = |file: &str| -> Value {
        serde_json::from_str(&work.succeed(&["info", file, "--json", "-"])).unwrap()
    };
    let (run, converted) = (points("out/drive.laz"), points("e.laz"));
    assert_eq!((&run["rows"], &run["bounds_m"]), (&converted["rows"], &converted["bounds_m"]));
    let output = work.succeed(&["convert", "out/drive.kitti", "f/", "--json", "-"]);
    assert!(
        output.contains("return numbers") || output.contains("times within a scan"),
        "{output}"
    );
    for name in ["velodyne/000000.bin", "labels/000000.label", "times.txt"] {
        let (a, b) = (format!("out/drive.kitti/{name}"), format!("f/{name}"));
        assert!(work.bytes(&a) == work.bytes(&b), "{name}");
    }
}

#[test]
fn what_is_missing_is_said_in_one_sentence() {
    let work = driven();
    work.put("points.xyz", "1 2 3 100\n4 5 6 300\n");
    let fails = |arguments: &[&str]| {
        let output = work.run(arguments);
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.trim().lines().count() == 1, "{stderr}");
        (output.status.code(), stderr)
    };
    let (code, stderr) = fails(&["convert", "out/drive.npy", "a.foo"]);
    assert!(code == Some(2) && stderr.contains("end its name in one of"), "{stderr}");
    let (code, stderr) = fails(&["convert", "out/drive.npy", "f/"]);
    assert!(code == Some(1) && stderr.contains("no pose of the sensor for each scan"), "{stderr}");
    let (code, stderr) = fails(&["convert", "points.xyz", "a.npy", "--pose", "1,2"]);
    assert!(code == Some(2) && stderr.contains("--pose has 2 numbers"), "{stderr}");
    let (_, stderr) = fails(&["convert", "points.xyz", "a.npy", "--trajectory", "none.txt"]);
    assert!(stderr.contains("cannot read none.txt"), "{stderr}");
    let output = work.succeed(&["convert", "points.xyz", "a.laz"]);
    assert!(
        output.contains("intensity above 1 of 2 returns") && output.contains("not known"),
        "{output}"
    );
    let pose = ["--pose", "0,0,1,0,0,90", "--points-in", "sensor", "--intensity-full", "400"];
    work.succeed(&[&["convert", "points.xyz", "b.npy"], &pose[..]].concat());
    let found = read(&work, "b.npy");
    let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-9);
    assert!(near(found.world_xyz_m[0], [-2.0, 1.0, 4.0]), "{found:?}");
    assert_eq!((found.origin_xyz_m[0], found.intensity[1]), ([0.0, 0.0, 1.0], 0.75));
    assert!(work.succeed(&["info", "points.xyz"]).contains("rows        2"));
}

/// Each point has the colour of the nearest real one, those far from all of them stay black, and a
/// recording without colours gives none.
#[test]
fn points_take_the_colours_of_the_nearest() {
    let work = Workplace::new();
    work.put("real.csv", "x,y,z,red,green,blue\n0,0,0,200,10,20\n5,0,0,30,140,50\n");
    work.put("plain.csv", "x,y,z\n0,0,0\n");
    work.put("simulated.csv", "x,y,z\n0.2,0.1,0\n4.9,0,-0.1\n2.5,0,0\n");
    let words = ["convert", "simulated.csv", "simulated.ply", "--colours-from", "real.csv"];
    let said = work.succeed(&words);
    assert!(said.contains("coloured") && said.contains('2'), "{said}");
    work.succeed(&["convert", "simulated.ply", "again.csv"]);
    let table = text(&work.bytes("again.csv"));
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let [x, red, green, blue] = ["x_m", "red", "green", "blue"]
        .map(|wanted| names.iter().position(|name| *name == wanted).unwrap());
    let rows: Vec<_> = lines.map(|line| [line[x], line[red], line[green], line[blue]]).collect();
    let wanted = [["0.2", "200", "10", "20"], ["4.9", "30", "140", "50"], ["2.5", "0", "0", "0"]];
    assert_eq!(rows, wanted);
    let none = work.run(&["convert", "simulated.csv", "a.ply", "--colours-from", "plain.csv"]);
    assert_refused(&none, 1, &["plain.csv", "red, green and blue"]);
}

/// A picture of a red wall beside nothing, and the wall's points seen by the camera that took it.
#[test]
fn points_take_the_colours_of_a_picture() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let pose = ["--camera", "0,0,0", "--rpy", "0,0,0", "--fov", "60"];
    let size = ["--size", "80x60", "--out", "view.png"];
    work.succeed(&[&["render", "site.toml"], &size[..], &pose[..]].concat());
    // 10 m ahead is the wall; the second is hidden by the first, the third behind the camera.
    work.put("points.csv", "x,y,z\n10,0,0\n12,0,0\n-10,0,0\n10,2,1\n");
    let from = ["convert", "points.csv", "points.ply", "--colours-from", "view.png"];
    let said = work.succeed(&[&from[..], &pose[..]].concat());
    assert!(said.contains("coloured") && said.contains('2'), "{said}");
    let picture = Pixels::from_png(&work.bytes("view.png"));
    work.succeed(&["convert", "points.ply", "points.npy"]);
    let found = Recording::open(&work.path("points.npy"), &ReadOptions::default());
    let found = found.unwrap().read_all().unwrap();
    // 2 m to the left and 1 m up at 10 m: 30 pixels are tan 30°.
    let per_metre = 30.0 / (10.0 * 30f64.to_radians().tan());
    let column = (40.0 - 2.0 * per_metre) as u32;
    let row = (30.0 - per_metre) as u32;
    let [middle, aside] = [[40, 30], [column, row]].map(|[x, y]| picture.at(x, y));
    assert_eq!(found.colour_rgb, [middle, [0; 3], [0; 3], aside]);
    assert!(middle != [0; 3]);
    assert_refused(&work.run(&from), 2, &["the pose of its camera", "--camera X,Y,Z"]);
    let not_a_picture = ["convert", "points.csv", "b.ply", "--colours-from", "points.ply"];
    let refused = work.run(&[&not_a_picture[..], &pose[..]].concat());
    assert_refused(&refused, 2, &["--camera is for pictures", "points.ply"]);
}
