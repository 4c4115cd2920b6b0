//! What was written is read as the same beams, whatever the format.

use crate::common::{poses, records};
use std::fs;
use std::path::Path;
use understory_cloud::{
    Misses, OutputFormat, ReadOptions, ReadReport, Record, Recording, Records, SinkOptions,
    convert, open_sink,
};

const UTM: [f64; 3] = [500_123.4, 5_400_321.9, 102.0];

fn write(path: &Path, records: &Records) {
    let format = OutputFormat::from_path(path).unwrap();
    let options = SinkOptions { misses: Misses::Keep, colours: true, ..SinkOptions::default() };
    let mut sink = open_sink(path, format, &options).unwrap();
    poses(records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
    sink.write(records).unwrap();
    sink.finish().unwrap();
}

fn read(path: &Path, options: &ReadOptions) -> (Records, ReadReport) {
    let mut recording = Recording::open(path, options).unwrap();
    let records = recording.read_all().unwrap();
    (records, recording.report().clone())
}

fn refused(path: &Path, options: &ReadOptions) -> String {
    let error = Recording::open(path, options).and_then(|mut recording| recording.read_all());
    let text = error.unwrap_err().to_string();
    assert!(!text.contains('\n') && !text.contains(". ") && text.len() < 500, "{text}");
    text
}

fn near(a: [f64; 3], b: [f64; 3], quantum: f64) -> bool {
    (0..3).all(|i| (a[i] - b[i]).abs() <= quantum || (a[i].is_nan() && b[i].is_nan()))
}

/// Equal to the last bit, NaN included.
fn assert_same(a: &Record, b: &Record, what: &str) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"), "{what}");
}

#[test]
fn formats_that_hold_everything_give_it_back_to_the_last_bit() {
    let dir = tempfile::tempdir().unwrap();
    // More than one block of rows.
    let written = records(20_000, UTM);
    let options = ReadOptions { need_origins: true, ..ReadOptions::default() };
    for format in ["npy", "csv", "ply", "pcd", "parquet"] {
        let path = dir.path().join(format!("all.{format}"));
        write(&path, &written);
        let (found, report) = read(&path, &options);
        assert_eq!(found.len(), written.len(), "{format}");
        for row in 0..written.len() {
            let (a, b) = (written.get(row).unwrap(), found.get(row).unwrap());
            assert_same(&a, &b, &format!("{format} row {row}"));
        }
        assert_eq!(report.returns, written.return_rows() as u64);
        assert_eq!(report.misses + report.returns, written.len() as u64);
        assert_eq!((report.skipped(), report.clock_steps_back), (0, 0), "{report}");
        let known = Recording::open(&path, &options).unwrap().known();
        assert!(known.misses && known.truth && known.pulse && known.range && known.returns);
    }
}

#[test]
fn a_compressed_pcd_is_smaller_and_comes_back_to_the_last_bit() {
    let dir = tempfile::tempdir().unwrap();
    let written = records(20_000, UTM);
    let mut files = Vec::new();
    for (compress_pcd, batch) in [(true, 700), (true, 30_000), (false, 30_000)] {
        let path = dir.path().join(format!("{compress_pcd}-{batch}.pcd"));
        let misses = Misses::Keep;
        let options = SinkOptions { compress_pcd, misses, colours: true, ..SinkOptions::default() };
        let mut sink = open_sink(&path, OutputFormat::Pcd, &options).unwrap();
        for start in (0..written.len()).step_by(batch) {
            sink.write(&crate::common::part(&written, start, start + batch)).unwrap();
        }
        assert_eq!(sink.finish().unwrap().rows, written.len() as u64);
        let (found, _) = read(&path, &ReadOptions::default());
        for row in 0..written.len() {
            assert_same(&written.get(row).unwrap(), &found.get(row).unwrap(), "pcd");
        }
        files.push(fs::read(&path).unwrap());
    }
    assert!(files[0] == files[1]);
    assert!(files[0].len() * 10 < files[2].len() * 9, "{} {}", files[0].len(), files[2].len());
}

#[test]
fn las_gives_back_returns_within_its_quantum() {
    let dir = tempfile::tempdir().unwrap();
    // More than two chunks.
    let written = records(120_000, UTM);
    let returns: Vec<_> = (0..written.len()).filter(|&row| !written.is_miss(row)).collect();
    for format in ["las", "laz"] {
        let path = dir.path().join(format!("all.{format}"));
        write(&path, &written);
        let (found, report) =
            read(&path, &ReadOptions { need_origins: true, ..ReadOptions::default() });
        assert_eq!((found.len(), report.returns), (returns.len(), returns.len() as u64));
        assert_eq!(report.misses_left_out, Some((written.len() - returns.len()) as u64));
        for (row, &of) in returns.iter().enumerate() {
            let (a, b) = (written.get(of).unwrap(), found.get(row).unwrap());
            assert!(near(a.world_xyz_m, b.world_xyz_m, 0.5001e-4), "{format} {row}");
            assert!(near(a.origin_xyz_m, b.origin_xyz_m, 0.5001e-4), "{format} {row}");
            assert!(near(a.true_xyz_m, b.true_xyz_m, 0.5001e-4), "{format} {row}");
            // Two quanta of half a step each, seen from this distance.
            let turn = 2e-4 / f64::from(a.range_m) + 1e-6;
            let along = [a.direction_xyz, b.direction_xyz].map(|d| d.map(f64::from));
            assert!(near(along[0], along[1], turn), "{format} {row} {along:?}");
            assert!((a.intensity.min(1.0) - b.intensity).abs() <= 0.51 / 65_535.0);
            let rest = Record {
                world_xyz_m: a.world_xyz_m,
                origin_xyz_m: a.origin_xyz_m,
                true_xyz_m: a.true_xyz_m,
                direction_xyz: a.direction_xyz,
                intensity: a.intensity,
                sensor_xyz_m: a.sensor_xyz_m,
                ..b
            };
            // Printing is slow, and what it compares is the same in all rows.
            if row % 16 == 0 || a.return_count > 1 {
                assert_same(&a, &rest, &format!("{format} row {row}"));
            }
        }
    }
}

#[test]
fn kitti_gives_back_points_with_their_scans_and_poses() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sequence/");
    let written = records(250, UTM);
    write(&path, &written);
    let mut recording =
        Recording::open(&path, &ReadOptions { need_origins: true, ..ReadOptions::default() })
            .unwrap();
    let known = recording.known();
    assert!(known.origin && known.sensor_frame && known.label && known.time && !known.misses);
    let found = recording.read_all().unwrap();
    assert_eq!(recording.scan_poses(), poses(&written));
    let returns: Vec<_> = (0..written.len()).filter(|&row| !written.is_miss(row)).collect();
    assert_eq!(found.len(), returns.len());
    for (row, &of) in returns.iter().enumerate() {
        let (a, b) = (written.get(of).unwrap(), found.get(row).unwrap());
        assert_eq!((a.sensor_xyz_m, a.intensity), (b.sensor_xyz_m, b.intensity));
        assert_eq!((a.scan, a.label), (b.scan, b.label));
        let pose = poses(&written)[a.scan as usize];
        let m = pose.world_from_sensor;
        assert_eq!(b.origin_xyz_m, [m[0][3], m[1][3], m[2][3]]);
        let s = a.sensor_xyz_m.map(f64::from);
        let world =
            std::array::from_fn(|i| m[i][0] * s[0] + m[i][1] * s[1] + m[i][2] * s[2] + m[i][3]);
        assert!(near(b.world_xyz_m, world, 1e-6));
        assert!((f64::from(b.range_m) - s.iter().map(|v| v * v).sum::<f64>().sqrt()).abs() < 1e-4);
    }
}

#[test]
fn poses_of_a_camera_become_those_of_the_lidar() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sequence");
    fs::create_dir_all(path.join("velodyne")).unwrap();
    let point = |xyz: [f32; 3]| [xyz[0], xyz[1], xyz[2], 0.5].map(f32::to_le_bytes).concat();
    fs::write(path.join("velodyne/000000.bin"), point([10.0, 0.0, 0.0])).unwrap();
    fs::write(path.join("velodyne/000001.bin"), point([7.0, 0.0, 0.0])).unwrap();
    // The camera looks forward: its z is the lidar's x, its x the lidar's −y.
    fs::write(path.join("calib.txt"), "P0: 1\nTr: 0 -1 0 0 0 0 -1 0 1 0 0 0\n").unwrap();
    // Three metres ahead in the camera's frame.
    fs::write(path.join("poses.txt"), "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1 3\n")
        .unwrap();
    let (found, _) = read(&path, &ReadOptions { need_origins: true, ..ReadOptions::default() });
    assert!(near(found.origin_xyz_m[1], [3.0, 0.0, 0.0], 1e-12), "{found:?}");
    assert!(near(found.world_xyz_m[0], found.world_xyz_m[1], 1e-6), "{found:?}");
    // The same scan twice is a copy.
    fs::copy(path.join("velodyne/000000.bin"), path.join("velodyne/000001.bin")).unwrap();
    let (found, report) = read(&path, &ReadOptions::default());
    assert_eq!((found.len(), report.duplicated, report.rows), (1, 1, 2));
    fs::write(path.join("poses.txt"), "1 0 0 0 0 1 0 0 0 0 1 0\n").unwrap();
    let text = refused(&path, &ReadOptions::default());
    assert!(text.contains("poses.txt has 1 lines for 2 scans"), "{text}");
    fs::remove_file(path.join("poses.txt")).unwrap();
    let need = ReadOptions { need_origins: true, ..ReadOptions::default() };
    assert!(refused(&path, &need).contains("does not say where its beams came from"));
    assert_eq!(read(&path, &ReadOptions::default()).0.len(), 1);
}

/// A ray cloud as raycloudtools writes it, by hand from its description.
#[test]
fn ray_clouds_have_origins_and_misses() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rays.ply");
    let mut bytes = b"ply\nformat binary_little_endian 1.0\ncomment generated\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty double time\nproperty float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nend_header\n".to_vec();
    let mut row = |end: [f32; 3], time: f64, start: [f32; 3], alpha: u8| {
        end.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        bytes.extend_from_slice(&time.to_le_bytes());
        (0..3).for_each(|i| bytes.extend_from_slice(&(start[i] - end[i]).to_le_bytes()));
        bytes.extend_from_slice(&[1, 2, 3, alpha]);
    };
    row([4.0, 2.0, 3.0], 10.5, [1.0, 2.0, 3.0], 255);
    row([1.0, 102.0, 3.0], 10.6, [1.0, 2.0, 3.0], 0);
    fs::write(&path, bytes).unwrap();
    let (found, report) = read(&path, &ReadOptions { need_origins: true, ..Default::default() });
    assert_eq!((report.returns, report.misses, report.skipped()), (1, 1, 0));
    assert_eq!(found.origin_xyz_m, [[1.0, 2.0, 3.0]; 2]);
    assert_eq!(found.direction_xyz, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!((found.range_m[0], found.intensity[0], found.time_s[1]), (3.0, 1.0, 10.6));
    assert!(found.is_miss(1) && found.range_m[1].is_nan() && found.world_xyz_m[1][0].is_nan());
}

#[test]
fn text_and_either_byte_order_of_ply_and_pcd() {
    let dir = tempfile::tempdir().unwrap();
    let ascii = "ply\nformat ascii 1.0\nelement camera 1\nproperty float f\nelement vertex 2\nproperty double x\nproperty double y\nproperty float z\nproperty uchar intensity\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0.5\n1.25 2 3 7\n4 5 6 8\n3 0 1 2\n";
    fs::write(dir.path().join("a.ply"), ascii).unwrap();
    let mut big =
        ascii.split("0.5\n").next().unwrap().replace("ascii", "binary_big_endian").into_bytes();
    big.extend_from_slice(&0.5f32.to_be_bytes());
    for (x, y, z, i) in [(1.25f64, 2.0f64, 3.0f32, 7u8), (4.0, 5.0, 6.0, 8)] {
        big.extend_from_slice(&x.to_be_bytes());
        big.extend_from_slice(&y.to_be_bytes());
        big.extend_from_slice(&z.to_be_bytes());
        big.push(i);
    }
    fs::write(dir.path().join("b.ply"), big).unwrap();
    let pcd = "# .PCD v.7\nVERSION .7\nFIELDS x y z _ intensity\nSIZE 4 4 4 1 4\nTYPE F F F U F\nCOUNT 1 1 1 2 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n1.25 2 3 0 0 7\n4 5 6 0 0 8\n";
    fs::write(dir.path().join("c.pcd"), pcd).unwrap();
    fs::write(dir.path().join("d.csv"), "\"X\";\"Y\";\"Z\";Intensity\n1.25;2;3;7\n4;5;6;8\n")
        .unwrap();
    fs::write(dir.path().join("e.xyz"), "# a comment\n1.25 2 3 7\n\n4 5 6 8\n").unwrap();
    fs::write(dir.path().join("f.asc"), "//X Y Z Intensity\n1.25 2 3 7\n4 5 6 8").unwrap();
    for name in ["a.ply", "b.ply", "c.pcd", "d.csv", "e.xyz", "f.asc"] {
        let path = dir.path().join(name);
        let (found, _) = read(&path, &ReadOptions::default());
        assert_eq!(found.world_xyz_m, [[1.25, 2.0, 3.0], [4.0, 5.0, 6.0]], "{name}");
        assert_eq!(found.intensity, [7.0, 8.0], "{name}");
        assert_eq!(found.return_number, [1, 1], "{name}");
        let need = ReadOptions { need_origins: true, ..ReadOptions::default() };
        assert!(refused(&path, &need).contains("give a trajectory, or the pose"), "{name}");
        let summary = understory_cloud::describe(&path).unwrap();
        assert_eq!(summary.rows, 2, "{name}");
        assert_eq!(summary.bounds_m, Some([[1.25, 2.0, 3.0], [4.0, 5.0, 6.0]]), "{name}");
    }
    // With a pose the beams are known: a quarter turn to the left, from (1, 0, 0).
    let pose = Some([[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    let path = dir.path().join("c.pcd");
    let (found, _) = read(&path, &ReadOptions { pose, ..ReadOptions::default() });
    assert_eq!(found.origin_xyz_m[0], [1.0, 0.0, 0.0]);
    assert_eq!(found.sensor_xyz_m[0], [2.0, -0.25, 3.0]);
    let points_in = Some(understory_cloud::Frame::Sensor);
    let (found, _) = read(&path, &ReadOptions { pose, points_in, ..ReadOptions::default() });
    assert_eq!(found.world_xyz_m[0], [-1.0, 1.25, 3.0]);
    assert_eq!(found.sensor_xyz_m[0], [1.25, 2.0, 3.0]);
    // The same from the file's own header.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turned = pcd.replace("0 0 0 1 0 0 0", &format!("1 0 0 {half} 0 0 {half}"));
    fs::write(&path, turned).unwrap();
    let (found, _) = read(&path, &ReadOptions::default());
    assert!(near(found.world_xyz_m[0], [-1.0, 1.25, 3.0], 1e-9));
    assert!(near(found.origin_xyz_m[0], [1.0, 0.0, 0.0], 1e-12));
}

#[test]
fn helios_returns_are_put_together_into_pulses() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("leg000_points.xyz");
    let text = "1.0 0.0 0.0 12.5 0.1 1 2 77 3 40 100.000000000\n2.0 0.0 0.0 6.5 0.1 2 2 77 4 40 100.000000000\n0.0 5.0 0.0 9 0.1 1 1 78 3 40 100.500000000\n";
    fs::write(&path, text).unwrap();
    let trajectory = dir.path().join("leg000_trajectory.txt");
    fs::write(&trajectory, "0 0 1 99 0 0 0\n0 0 3 101 0 0 0\n").unwrap();
    let options =
        ReadOptions { trajectory: Some(trajectory), need_origins: true, ..ReadOptions::default() };
    let (found, _) = read(&path, &options);
    assert_eq!(found.pulse, [77, 77, 78]);
    assert_eq!((found.return_number, found.return_count), (vec![1, 2, 1], vec![2, 2, 1]));
    assert_eq!((found.label, found.object), (vec![40; 3], vec![3, 4, 3]));
    assert!(near(found.origin_xyz_m[2], [0.0, 0.0, 2.5], 1e-9));
}

/// A moving sensor's LAS without origins, with the trajectory as text.
#[test]
fn a_trajectory_places_the_beams_of_las() {
    let dir = tempfile::tempdir().unwrap();
    let mut written = Records::default();
    let pose = |t: f64| (t, [500_000.0 + 2.0 * t, 10.0, 5.0], 0.1 * t);
    for pulse in 0..1000u64 {
        let time_s = pulse as f64 * 1e-2;
        let (_, from, yaw) = pose(time_s);
        let (sin, cos) = (yaw + 0.3).sin_cos();
        let along = [cos, sin, 0.0];
        written.push(Record {
            time_s,
            pulse,
            return_number: 1,
            return_count: 1,
            intensity: 0.25,
            world_xyz_m: std::array::from_fn(|i| from[i] + 20.0 * along[i]),
            ..Record::miss()
        });
    }
    let path = dir.path().join("plain.laz");
    let options = SinkOptions { extra_bytes: false, colours: true, ..SinkOptions::default() };
    let mut sink = open_sink(&path, OutputFormat::Laz, &options).unwrap();
    sink.write(&written).unwrap();
    sink.finish().unwrap();
    let trajectory = dir.path().join("poses.txt");
    let line = |t: f64| {
        let (_, [x, y, z], yaw) = pose(t);
        let (sin, cos) = (yaw / 2.0).sin_cos();
        format!("{t} {x} {y} {z} 0 0 {sin} {cos}\n")
    };
    // It begins a second late.
    fs::write(&trajectory, [1.0, 4.0, 10.0].map(line).concat()).unwrap();
    let options = ReadOptions {
        trajectory: Some(trajectory.clone()),
        need_origins: true,
        ..ReadOptions::default()
    };
    let (found, report) = read(&path, &options);
    assert_eq!((report.outside_trajectory, found.len()), (100, 900));
    for row in 0..found.len() {
        let (_, from, _) = pose(found.time_s[row]);
        assert!(near(found.origin_xyz_m[row], from, 1e-9));
        assert!((f64::from(found.range_m[row]) - 20.0).abs() < 2e-4);
        // The same direction in the sensor's frame throughout: 0.3 rad to the left.
        assert!((found.azimuth_deg[row].to_radians() - 0.3).abs() < 2e-5);
        assert!(found.elevation_deg[row].abs() < 1e-3);
    }
    fs::write(&trajectory, [100.0, 110.0].map(line).concat()).unwrap();
    let text = refused(&path, &options);
    assert!(
        text.contains("lasts from 100 to 110 s") && text.contains("from 0 to 9.99 s"),
        "{text}"
    );
}

#[test]
fn rows_that_cannot_be_used_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    let text =
        "x,y,z,time,intensity\n1,0,0,5,1\nnan,0,0,6,1\n0,0,0,7,1\ninf,1,1,4,1\n,,,8,1\n2,0,0,9,1\n";
    fs::write(&path, text).unwrap();
    let identity = Some([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    let options = ReadOptions { pose: identity, ..ReadOptions::default() };
    let (found, report) = read(&path, &options);
    assert_eq!((found.len(), report.rows), (2, 6));
    assert_eq!((report.not_finite, report.at_origin, report.skipped()), (3, 1, 4));
    assert_eq!((report.clock_steps_back, report.largest_step_back_s), (1, 3.0));
    assert!(report.to_string().contains("the clock goes back 1 times, by up to 3"), "{report}");
    assert_eq!(report.largest_gap_s, 4.0);
    let options = ReadOptions { undirected_misses: true, ..options };
    let (found, report) = read(&path, &options);
    assert_eq!((found.len(), report.misses), (6, 4));
    assert!(found.is_miss(2) && found.direction_xyz[2][0].is_nan());
    // Beams without a position: a range that is no number is a miss.
    let text = "origin_x,origin_y,origin_z,dir_x,dir_y,dir_z,range_mm\n1,2,3,0,0,1,2500\n1,2,3,0,1,0,nan\n";
    fs::write(&path, text).unwrap();
    let (found, report) = read(&path, &ReadOptions { need_origins: true, ..Default::default() });
    assert_eq!((report.returns, report.misses), (1, 1));
    assert_eq!((found.world_xyz_m[0], found.range_m[0]), ([1.0, 2.0, 5.5], 2.5));
    assert_eq!(found.direction_xyz[1], [0.0, 1.0, 0.0]);
}

#[test]
fn what_contradicts_itself_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let default = ReadOptions::default();
    // Ranges in inches, positions in metres.
    let ranges_in = |unit_m: f64| {
        let mut text = "x,y,z,origin_x,origin_y,origin_z,range\n".to_owned();
        (1..40).for_each(|i| text += &format!("{i},0,0,0,0,0,{}\n", f64::from(i) / unit_m));
        text
    };
    let mixed = refused(&file("a.csv", &ranges_in(0.0254)), &default);
    assert!(mixed.contains("its ranges are 39.3701 times the distances"), "{mixed}");
    // In millimetres, as Ouster's tools write them, they are recognised.
    let (found, report) = read(&file("a.csv", &ranges_in(1e-3)), &default);
    assert!(report.remarks.iter().any(|remark| remark.contains("millimetres")), "{report:?}");
    assert!((0..39).all(|row| (found.range_m[row] - (row + 1) as f32).abs() < 1e-4));
    let text = refused(&file("b.csv", "a,b\n1,2\n"), &default);
    assert!(text.contains("no columns that could be x, y and z") && text.contains("a b"), "{text}");
    let text = refused(&file("c.csv", "x,y,z\n1,2,3\n1,2,word\n"), &default);
    assert!(text.contains("line 3: \"word\" is not a number"), "{text}");
    let text = refused(&file("d.csv", "x,y,z\n1,2,3\n1,2\n"), &default);
    assert!(text.contains("line 3 has 2 values instead of 3"), "{text}");
    let text = refused(&file("e.foo", ""), &default);
    assert!(text.contains("known extensions are .las"), "{text}");
    let text = refused(&file("f.xyz", "1 2 3 4 5\n"), &default);
    assert!(text.contains("column_0 column_1"), "{text}");
    let columns = ["-", "x", "y", "z", "intensity"].map(str::to_owned).to_vec();
    let named = ReadOptions { column_names: Some(columns), ..ReadOptions::default() };
    let (found, _) = read(&dir.path().join("f.xyz"), &named);
    assert_eq!((found.world_xyz_m[0], found.intensity[0]), ([2.0, 3.0, 4.0], 5.0));
    let shear = Some([[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    let bad = ReadOptions { pose: shear, ..ReadOptions::default() };
    assert!(refused(&dir.path().join("d.csv"), &bad).contains("no rotation and translation"));
    let bad = ReadOptions { metres_per_unit: 0.0, ..ReadOptions::default() };
    assert!(refused(&dir.path().join("d.csv"), &bad).contains("no number of metres per unit"));
    let feet = ReadOptions { metres_per_unit: 0.3048, ..ReadOptions::default() };
    let (found, _) = read(&file("g.csv", "x,y,z\n10,20,30\n"), &feet);
    assert!(near(found.world_xyz_m[0], [3.048, 6.096, 9.144], 1e-12));
    let poses = file("h.txt", "0 0 0 0\n1 0 0 0\n");
    let placed = ReadOptions { trajectory: Some(poses), ..ReadOptions::default() };
    let text = refused(&dir.path().join("g.csv"), &placed);
    assert!(text.contains("says nothing about a recording without times"), "{text}");
}

/// Numbers of 0 to 255 in LAS's colours of 16 bits are what they are, wherever in the file the first
/// one above 0 is, and one number above 255 makes all of them 16 bits.
#[test]
fn las_colours_of_8_bits_are_not_black() {
    let dir = tempfile::tempdir().unwrap();
    let mut written = records(40_000, UTM);
    // More than one block without a colour.
    written.colour_rgb[..20_000].fill([0; 3]);
    let path = dir.path().join("sixteen.las");
    let options = SinkOptions { colours: true, ..SinkOptions::default() };
    let mut sink = open_sink(&path, OutputFormat::Las, &options).unwrap();
    sink.write(&written).unwrap();
    sink.finish().unwrap();
    let returns = || (0..written.len()).filter(|&row| !written.is_miss(row));
    let colours: Vec<[u8; 3]> = returns().map(|row| written.colour_rgb[row]).collect();
    assert_eq!(read(&path, &ReadOptions::default()).0.colour_rgb, colours);

    let mut bytes = fs::read(&path).unwrap();
    let number = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let start = number(&bytes, 96) as usize + (number(&bytes, 98) as usize) * 65_536;
    let length = number(&bytes, 105) as usize;
    for point in 0..colours.len() {
        for axis in 0..3 {
            let at = start + point * length + 30 + 2 * axis;
            let eight = number(&bytes, at) / 257;
            assert_eq!(eight, u16::from(colours[point][axis]));
            bytes[at..at + 2].copy_from_slice(&eight.to_le_bytes());
        }
    }
    let path = dir.path().join("eight.las");
    fs::write(&path, &bytes).unwrap();
    assert_eq!(read(&path, &ReadOptions::default()).0.colour_rgb, colours);

    let last = start + (colours.len() - 1) * length + 30;
    bytes[last..last + 2].copy_from_slice(&257u16.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    let found = read(&path, &ReadOptions::default()).0;
    assert_eq!(found.colour_rgb.last().map(|rgb| rgb[0]), Some(1));
    assert!(found.colour_rgb.iter().flatten().all(|part| *part <= 1));
}

/// Columns of colours in which every number is 0 are none: files made of them have no colours.
#[test]
fn black_alone_is_no_colour() {
    let dir = tempfile::tempdir().unwrap();
    let mut written = records(3_000, UTM);
    let path = dir.path().join("some.csv");
    let plain_ply = |from: &Path| {
        let to = from.with_extension("ply");
        let options = SinkOptions::default();
        let done = convert(from, &ReadOptions::default(), &to, OutputFormat::Ply, &options);
        let text = fs::read(&to).unwrap();
        let coloured = text.windows(18).any(|window| window == b"property uchar red");
        assert_eq!(done.unwrap().known.colour, coloured);
        !coloured
    };
    write(&path, &written);
    assert!(!plain_ply(&path));
    assert!(Recording::has_colour(&path, &ReadOptions::default()).unwrap());
    written.colour_rgb.fill([0; 3]);
    write(&path, &written);
    assert!(plain_ply(&path));
    assert!(!Recording::has_colour(&path, &ReadOptions::default()).unwrap());
}
