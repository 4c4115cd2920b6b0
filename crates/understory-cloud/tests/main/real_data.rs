//! Real recordings, read with the counts and bounds that other programs find in them.
//!
//! The data stand beside the repository in `../shared/data`, or where `UNDERSTORY_SHARED` says.

use std::path::Path;
use understory_cloud::{Frame, ReadOptions, ReadReport, Recording, Records, describe};
use understory_testing::recordings;

fn read(path: &Path, options: &ReadOptions) -> (Records, ReadReport) {
    let mut recording = Recording::open(path, options).unwrap();
    let records = recording.read_all().unwrap();
    (records, recording.report().clone())
}

fn extent(records: &Records, axis: usize) -> (f64, f64) {
    let values = || records.world_xyz_m.iter().map(|xyz| xyz[axis]);
    (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
}

#[test]
fn scans_from_under_a_tree() {
    let Some(folder) = recordings("tilt-scan-under-tree") else { return };
    let options = ReadOptions {
        points_in: Some(Frame::Sensor),
        need_origins: true,
        ..ReadOptions::default()
    };
    // Counted and summed with awk.
    let (scan, report) = read(&folder.join("cloud.00000.vtk"), &options);
    assert_eq!((report.rows, report.returns), (24_989, 24_989), "{report}");
    assert_eq!(extent(&scan, 0), (-58.2357, 62.5076));
    let sum: f64 = scan.world_xyz_m.iter().map(|xyz| xyz[0]).sum();
    assert!((sum - 21_152.7).abs() < 0.1, "{sum}");
    assert!(scan.origin_xyz_m.iter().all(|o| *o == [0.0; 3]));
    let (scan, report) = read(&folder.join("car_cloud401.csv"), &options);
    assert_eq!((report.rows, scan.len()), (25_193, 25_193), "{report}");
    let up = scan.elevation_deg.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    assert!(up > 80.0 && up <= 90.0, "{up}");
}

#[test]
fn a_drive_keeps_its_misses() {
    let Some(folder) = recordings("vlp32-drive/sample_dataset/train") else { return };
    let path = folder.join("1603960637314959526.npy");
    let names = ["x", "y", "z", "intensity", "range", "label"].map(str::to_owned).to_vec();
    let mut options = ReadOptions {
        points_in: Some(Frame::Sensor),
        column_names: Some(names),
        need_origins: true,
        ..ReadOptions::default()
    };
    // 32 × 240 cells, of which NumPy finds 4395 with depth 0.
    let (returns, report) = read(&path, &options);
    assert_eq!((report.rows, report.at_origin, returns.len()), (7680, 4395, 3285), "{report}");
    let (low, high) = extent(&returns, 0);
    assert!(low > 0.0 && (high - 139.771_606_45).abs() < 1e-6, "{low} {high}");
    options.undirected_misses = true;
    let (cells, report) = read(&path, &options);
    assert_eq!((cells.len(), report.misses), (7680, 4395));
    // Rows are channels, columns are steps.
    assert_eq!((cells.channel[0], cells.column[0]), (0, 0));
    assert_eq!((cells.channel[241], cells.column[241]), (1, 1));
    assert_eq!((cells.channel[7679], cells.column[7679]), (31, 239));
    // Channels look up and down in order: their elevations fall or rise.
    let mean = |channel: u16| {
        let of = |row: &usize| cells.channel[*row] == channel && !cells.is_miss(*row);
        let rows: Vec<usize> = (0..cells.len()).filter(of).collect();
        rows.iter().map(|&row| f64::from(cells.elevation_deg[row])).sum::<f64>() / rows.len() as f64
    };
    assert!((mean(25) - mean(30)).abs() > 1.0);
}

#[test]
fn a_pine_stand_in_laz_without_origins() {
    let Some(path) = recordings("pine-tls/treeiso_LPine1_demo_MIT.laz") else { return };
    let mut recording = Recording::open(&path, &ReadOptions::default()).unwrap();
    let known = recording.known();
    assert!(known.position && known.returns && !known.time && !known.origin && !known.misses);
    let points = recording.read_all().unwrap();
    assert_eq!(Some(points.len() as u64), recording.rows());
    let summary = describe(&path).unwrap();
    assert_eq!(summary.rows, points.len() as u64);
    let [min, max] = summary.bounds_m.unwrap();
    for axis in 0..3 {
        let (low, high) = extent(&points, axis);
        assert!((low - min[axis]).abs() < 1e-6 && (high - max[axis]).abs() < 1e-6, "{axis}");
    }
    let need = ReadOptions { need_origins: true, ..ReadOptions::default() };
    assert!(Recording::open(&path, &need).is_err());
}
