//! Sites learned from recordings, good ones and bad ones.

use std::path::PathBuf;

use serde_json::Value;
use understory_learn::site::{Gate, Model, Site};
use understory_testing::recordings;

use super::support::{WALL, Workplace, assert_refused, text};

/// Two recordings of a small wall, which many beams miss.
fn walls() -> Workplace {
    let work = Workplace::new();
    let wall = WALL.replace("size_m = [20.0, 20.0]", "size_m = [3.0, 3.0]");
    for (name, seed) in [("a", 3), ("b", 4), ("c", 5)] {
        // A whole revolution, so that the pattern of a scan is complete.
        let scenario = wall
            .replace("seed = 3", &format!("seed = {seed}"))
            .replace("duration_s = 0.01", "duration_s = 0.1");
        work.put(&format!("{name}.toml"), scenario);
        let file = format!("{name}.toml");
        let formats = ["--format", "npy", "--format", "laz", "--format", "kitti"];
        let mut run = vec!["run", &file, "--out", "out", "--quiet"];
        run.extend(formats);
        work.succeed(&run);
    }
    work
}

fn json(work: &Workplace, arguments: &[&str]) -> Value {
    let mut all = vec!["learn"];
    all.extend(arguments);
    all.extend(["--json", "-"]);
    serde_json::from_str(&work.succeed(&all)).unwrap()
}

#[test]
fn a_run_becomes_a_site() {
    let work = walls();
    let output = work.succeed(&["learn", "out/a.npy", "-o", "a.site", "--model", "voxel"]);
    for word in ["beams", "misses", "volumes", "orphans", "permeability", "pulses/s", "a volume"] {
        assert!(output.contains(word), "{word} is not in {output}");
    }
    let site = Site::read(&work.path("a.site")).unwrap();
    assert_eq!((site.model, site.gate), (Model::Voxel, Gate::Cell { tau: 2.0 }));
    assert!(site.volumes.len() > 50);
    // The wall is opaque and stands at 10 m.
    for volume in &site.volumes {
        assert!((f64::from(volume.mean_m[0]) + site.origin.x - 10.0).abs() < 0.3);
    }
    assert!(site.provenance.remarks.iter().any(|remark| remark.ends_with("a.npy")));
    for (model, kept) in [
        ("top-down", Model::TopDown),
        ("bottom-up", Model::BottomUp),
        ("likelihood", Model::Likelihood),
        ("surface", Model::Surface),
    ] {
        let options = ["-o", "m.site", "--model", model, "--cell", "0.2", "--kernel", "0.4"];
        let value = json(&work, &[&["out/a.npy"], options.as_slice()].concat());
        assert_eq!(value["left_out"]["not_finite"], 0);
        let site = Site::read(&work.path("m.site")).unwrap();
        assert_eq!(site.model, kept);
        assert_eq!(value["volumes"], site.volumes.len());
        let triangles = site.surface.map(|surface| surface.triangles.len());
        assert_eq!(triangles.is_some(), kept == Model::Surface);
        assert!(triangles.unwrap_or(site.volumes.len()) > 10);
    }
}

/// Beams of parts, over three hosts or two or one and in any order, make the same bytes.
#[test]
fn parts_make_the_same_bytes_as_one_run() {
    let work = walls();
    let all = ["out/a.npy", "out/b.npy", "out/c.npy"];
    let options = ["--model", "voxel", "--cell", "0.1", "--quiet"];
    let run = |arguments: &[&str], more: &[&str]| {
        let mut command = vec!["learn"];
        command.extend(arguments);
        command.extend(options);
        command.extend(more);
        work.succeed(&command);
    };
    run(&all, &["-o", "whole.site"]);
    for parts in [vec![vec![2, 0, 1]], vec![vec![1], vec![2, 0]], vec![vec![2], vec![0], vec![1]]] {
        let (mut cells, mut counts) = (Vec::new(), Vec::new());
        for (number, part) in parts.iter().enumerate() {
            let files: Vec<&str> = part.iter().map(|k| all[*k]).collect();
            let name = format!("{number}.cells");
            run(&files, &["--stage", "points", "-o", &name]);
            cells.push(name);
        }
        let names: Vec<&str> = cells.iter().rev().map(String::as_str).collect();
        run(&names, &["--stage", "merge", "-o", "all.cells"]);
        for (number, part) in parts.iter().enumerate() {
            let files: Vec<&str> = part.iter().map(|k| all[*k]).collect();
            let name = format!("{number}.counts");
            run(&files, &["--stage", "counts", "--geometry", "all.cells", "-o", &name]);
            counts.push(name);
        }
        let names: Vec<&str> = counts.iter().map(String::as_str).collect();
        run(&names, &["--stage", "site", "--geometry", "all.cells", "-o", "parts.site"]);
        assert!(work.bytes("parts.site") == work.bytes("whole.site"), "{parts:?}");
        if parts.len() == 3 {
            let twice = ["0.counts", "0.counts", "1.counts", "2.counts"];
            let mut command = vec!["learn"];
            command.extend(twice);
            command.extend(["--stage", "site", "--geometry", "all.cells", "-o", "x.site"]);
            assert_refused(&work.run(&command), 2, &["every part once"]);
            let other =
                ["learn", "0.counts", "--stage", "site", "--geometry", "0.cells", "-o", "x"];
            assert_refused(&work.run(&other), 2, &["0.counts", "other cells"]);
            let same = ["learn", "0.cells", "0.cells", "--stage", "merge", "-o", "x"];
            assert_refused(&work.run(&same), 1, &["in two of the parts"]);
        }
    }
    assert!(!work.listing().contains(&"x.site".to_owned()));
}

/// A format that drops misses, with those that the sensor's pattern says must have been fired.
#[test]
fn misses_are_recovered_from_the_pattern() {
    let work = walls();
    let options = ["-o", "x.site", "--model", "voxel", "--cell", "0.1"];
    let learn = |file: &str, more: &[&str]| {
        let mut arguments = vec![file];
        arguments.extend(options);
        arguments.extend(more);
        json(&work, &arguments)
    };
    let real = learn("out/a.npy", &[]);
    let without = learn("out/a.kitti", &[]);
    assert_eq!(without["misses"], 0);
    assert_eq!(without["points"], real["points"]);
    let output = work.succeed(&["learn", "out/a.kitti", "-o", "x.site", "--model", "voxel"]);
    assert!(output.contains("--recover-misses"), "{output}");
    // Only the sector of the wall is known to have been scanned: 17 of 360 degrees. By the flag's
    // former name, which is still understood.
    let rebuilt = learn("out/a.kitti", &["--rebuild-misses", "vlp-16"]);
    let (misses, points) =
        (rebuilt["misses"].as_f64().unwrap(), rebuilt["points"].as_f64().unwrap());
    assert_eq!(rebuilt["recovered"], rebuilt["misses"]);
    // 16 channels at 0.2°, of which some see the wall: ±8.5° and the rows above and below it.
    let sector = points + misses;
    assert!((1300.0..1750.0).contains(&sector), "{sector}");
    // Through the wall nobody sees: the permeability stays what it was.
    let gap = (rebuilt["mean_permeability"].as_f64().unwrap()
        - real["mean_permeability"].as_f64().unwrap())
    .abs();
    assert!(gap < 0.05, "{gap}");
    let refused = work.run(&["learn", "out/a.npy", "-o", "x", "--recover-misses", "livox-mid-40"]);
    assert_refused(&refused, 2, &["livox-mid-40", "does not spin"]);
}

/// Points before a sensor at (0, 0, 1), with everything that can be wrong with them.
fn bad_points() -> String {
    let mut rows = String::from("x,y,z,time\n");
    for k in 0..400 {
        let (y, z) = (f64::from(k % 20) * 0.01, 1.0 + f64::from(k / 20) * 0.01);
        // The clock goes back once.
        let time = f64::from(k) * 0.001 - if k >= 200 { 0.05 } else { 0.0 };
        rows += &format!("4.0,{y},{z},{time}\n");
    }
    rows += "nan,0,0,0.5\ninf,0,0,0.5\n0,0,1,0.5\n0,0,1,0.5\n0,0,1,0.5\n0.1,0,1,0.5\n";
    rows
}

#[test]
fn what_is_left_aside_is_counted() {
    let work = Workplace::new();
    work.put("scan.csv", bad_points()).put("copy.csv", bad_points());
    let options = ["-o", "s.site", "--model", "voxel", "--pose", "0,0,1", "--range", "0.5,100"];
    let learn = |files: &[&str]| {
        let mut arguments = files.to_vec();
        arguments.extend(options);
        json(&work, &arguments)
    };
    let value = learn(&["scan.csv"]);
    assert_eq!(value["beams"], 400);
    assert_eq!(value["left_out"]["not_finite"], 2);
    assert_eq!(value["left_out"]["at_the_origin"], 3);
    assert_eq!(value["left_out"]["too_near"], 1);
    assert_eq!(value["clock_steps_back"], 1);
    // A copy of a recording teaches nothing new.
    let twice = learn(&["scan.csv", "copy.csv", "scan.csv"]);
    assert_eq!(twice["beams"], 400);
    assert_eq!(twice["duplicated_files"].as_array().unwrap().len(), 2);
    // Millimetres that are read as metres.
    let far = bad_points().replace("4.0,", "4000.0,");
    work.put("mm.csv", far);
    let output =
        work.succeed(&["learn", "mm.csv", "-o", "s.site", "--model", "voxel", "--pose", "0,0,1"]);
    assert!(output.contains("--metres-per-unit"), "{output}");
    // A trajectory that covers half of the time.
    work.put("poses.txt", "0.05 0 0 1 0 0 0 1\n0.12 0 0 1 0 0 0 1\n");
    let half =
        json(&work, &["scan.csv", "-o", "s.site", "--model", "voxel", "--trajectory", "poses.txt"]);
    let outside = half["left_out"]["outside_the_trajectory"].as_u64().unwrap();
    assert!((100..350).contains(&outside), "{outside}");
    assert_eq!(half["beams"].as_u64().unwrap() + outside, 406);
}

#[test]
fn what_teaches_nothing_is_refused() {
    let work = Workplace::new();
    work.put("scan.csv", bad_points());
    let refused = |arguments: &[&str], code: i32, words: &[&str]| {
        let mut all = vec!["learn", "scan.csv", "-o", "s.site", "--model", "voxel"];
        all.extend(arguments);
        assert_refused(&work.run(&all), code, words);
    };
    refused(&[], 1, &["scan.csv", "trajectory", "pose"]);
    let posed = |more: &[&'static str]| [&["--pose", "0,0,1"], more].concat();
    refused(&posed(&["--range", "50,60"]), 1, &["none of them returned"]);
    refused(&posed(&["--range", "5"]), 2, &["--range"]);
    refused(&posed(&["--region", "0,0,0,1,1"]), 2, &["--region"]);
    refused(&posed(&["--every", "5/5"]), 2, &["--every", "0/5"]);
    refused(&posed(&["--tau", "near"]), 2, &["--tau"]);
    refused(&posed(&["--cell", "0"]), 2, &["edge of the cells"]);
    refused(&posed(&["--stage", "counts"]), 2, &["--geometry"]);
    refused(&posed(&["--recover-misses", "vlp-99"]), 2, &["vlp-99"]);
    work.put("far.csv", "x,y,z\n1,0,0\n9000,0,0\n");
    let far = ["learn", "far.csv", "-o", "s.site", "--model", "voxel", "--pose", "0,0,1"];
    assert_refused(&work.run(&far), 1, &["tiles"]);
    assert!(!work.listing().contains(&"s.site".to_owned()));
}

#[test]
fn a_region_and_every_nth_scan() {
    let work = Workplace::new();
    work.put("scan.csv", bad_points());
    let pose = ["-o", "s.site", "--model", "voxel", "--pose", "0,0,1"];
    let learn = |more: &[&str]| {
        let mut arguments = vec!["scan.csv"];
        arguments.extend(pose);
        arguments.extend(more);
        json(&work, &arguments)
    };
    // Half of the wall. Of the beams to the other half, three columns come into the box and leave it
    // by its side, and seven never come into it.
    let half = learn(&["--region", "3,-1,0,5,0.095,3"]);
    assert_eq!(half["points"], 200);
    assert_eq!(half["left_out"]["outside_the_region"].as_u64().unwrap(), 141);
    assert_eq!(half["misses"], 60);
    // A box before the wall: all beams go through it, and nothing is in it.
    let before =
        ["learn", "scan.csv", "-o", "s.site", "--pose", "0,0,1", "--region", "1,-1,0,2,1,3"];
    assert_refused(&work.run(&before), 1, &["none of them returned"]);
    work.put("other.csv", bad_points().replace("4.0,", "4.5,"));
    let mut every = vec!["scan.csv", "other.csv"];
    every.extend(pose);
    every.extend(["--every", "1/2"]);
    let value = json(&work, &every);
    assert_eq!(value["left_out"]["of_other_scans"], 401);
    assert_eq!(value["beams"], 401);
}

#[test]
fn real_scans_become_sites() {
    let (Some(tilt), Some(drive)) = (recordings("tilt-scan-under-tree"), recordings("vlp32-drive"))
    else {
        return;
    };
    let work = Workplace::new();
    let file = |folder: &PathBuf, name: &str| folder.join(name).to_string_lossy().into_owned();
    let scans = [file(&tilt, "cloud.00000.vtk"), file(&tilt, "cloud.00002.vtk")];
    let poses = file(&tilt, "poses_icp.txt");
    let common = ["-o", "s.site", "--model", "voxel", "--points-in", "sensor", "--cell", "0.3"];
    let mut arguments: Vec<&str> = scans.iter().map(String::as_str).collect();
    arguments.extend(common);
    arguments.extend(["--poses", &poses, "--recover-misses", "grid"]);
    let value = json(&work, &arguments);
    assert_eq!(value["points"], 49_143);
    let share = value["recovered"].as_f64().unwrap() / value["beams"].as_f64().unwrap();
    // Most of the sky above the crown.
    assert!((0.1..0.4).contains(&share), "{share}");
    let frames = drive.join("sample_dataset/train");
    let mut names: Vec<String> = std::fs::read_dir(&frames)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".npy"))
        .collect();
    names.sort();
    let poses = file(&drive, "poses_kissicp.txt");
    let mut arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    arguments.extend(common);
    arguments.extend(["--poses", &poses, "--recover-misses", "grid"]);
    arguments.extend(["--columns", "x,y,z,intensity,-,label"]);
    let value = json(&work, &arguments);
    // 32 frames of 32 × 240 pulses; each has 8 columns of padding.
    let padding = value["left_out"]["of_padding"].as_u64().unwrap();
    assert_eq!(padding, 32 * 32 * 8);
    let beams = value["beams"].as_u64().unwrap();
    let undirected = value["left_out"]["without_direction"].as_u64().unwrap();
    assert_eq!(beams + padding + undirected, 32 * 32 * 240);
    let site = Site::read(&work.path("s.site")).unwrap();
    assert!(site.volumes.iter().any(|volume| volume.label == 4));
    let pine = recordings("pine-tls/treeiso_LPine1_demo_MIT.laz");
    if let Some(pine) = pine {
        let output = work.run(&["learn", &pine.to_string_lossy(), "-o", "p.site"]);
        assert_refused(&output, 1, &["trajectory", "pose"]);
        assert_eq!(text(&output.stdout), "");
    }
}

/// P1's figure 7 without looking back at the real points: what is simulated in a learned site has the
/// colours that the recording had where it was learned.
#[test]
fn a_site_keeps_the_colours_of_its_recording() {
    let work = Workplace::new();
    let panel = |name: &str, y_m: f64| {
        format!(
            "[[world.object]]\nname = \"{name}\"\nshape = \"plane\"\nsize_m = [2.0, 2.0]\n\
             position_m = [6.0, {y_m:?}, 0.0]\nrotation_deg = [0.0, -90.0, 0.0]\n\
             material = \"{name}\"\n"
        )
    };
    let material = |name: &str, color: &str| {
        format!("[[world.material]]\nname = \"{name}\"\nreflectance = 0.5\ncolor = \"{color}\"\n")
    };
    let begin = "version = 1\nseed = 3\nduration_s = 0.1\n[world]\n";
    let lidar = "[[sensor]]\nname = \"lidar\"\npreset = \"vlp-16\"\n";
    let real = [
        begin,
        &material("rust", "#a03010"),
        &material("moss", "#207040"),
        &panel("rust", -1.0),
        &panel("moss", 1.0),
        lidar,
    ];
    work.put("real.toml", real.concat());
    let site = format!("{begin}[[world.site]]\nname = \"panels\"\nfile = \"panels.site\"\n{lidar}");
    work.put("learned.toml", site.replace("seed = 3", "seed = 4"));
    work.succeed(&["run", "real.toml", "--out", "out", "--quiet", "--format", "csv"]);
    let learn = ["learn", "out/real.csv", "-o", "panels.site", "--model", "voxel"];
    work.succeed(&[learn.as_slice(), &["--cell", "0.1", "--colours"]].concat());
    work.succeed(&["run", "learned.toml", "--out", "out", "--quiet", "--format", "npy"]);
    let path = work.path("out/learned.npy");
    let options = understory_cloud::ReadOptions::default();
    let found = understory_cloud::Recording::open(&path, &options).unwrap().read_all().unwrap();
    let mut returns = [0; 2];
    for row in (0..found.len()).filter(|&row| !found.is_miss(row)) {
        let y_m = found.world_xyz_m[row][1];
        // A volume on the border has some of both.
        if y_m.abs() > 0.1 {
            let left = y_m > 0.0;
            let wanted = if left { [0x20, 0x70, 0x40] } else { [0xa0, 0x30, 0x10] };
            assert_eq!(found.colour_rgb[row], wanted, "y = {y_m} m");
            returns[usize::from(left)] += 1;
        }
    }
    assert!(returns.iter().all(|count| *count > 300), "{returns:?}");

    let surface = work.run(&[learn.as_slice(), &["--colours", "--stage", "site"]].concat());
    assert_eq!(surface.status.code(), Some(2));
    let words = ["learn", "out/real.csv", "-o", "b.site", "--model", "surface", "--colours"];
    assert_refused(&work.run(&words), 2, &["--colours is for volumes"]);
}
