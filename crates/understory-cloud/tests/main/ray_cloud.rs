//! Ray clouds of CSIRO and the text of HELIOS++.

use crate::common::{poses, records};
use understory_cloud::{
    IDENTITY_ROWS, LaserDescription, OutputFormat, ReadOptions, Recording, ReportedReturns,
    SensorDescription, SinkOptions, convert, describe, open_sink,
};
use understory_testing::Python;

const UTM: [f64; 3] = [500_123.4, 5_400_321.9, 102.0];

fn sensor(range_max_m: f64) -> SensorDescription {
    SensorDescription {
        name: "test".to_owned(),
        packets: None,
        lasers: vec![LaserDescription::default()],
        spin: None,
        scan_s: 0.1,
        columns_per_scan: 1,
        range_m: [0.5, range_max_m],
        returns: ReportedReturns::All,
        sensor_from_lidar: IDENTITY_ROWS,
        platform_from_sensor: IDENTITY_ROWS,
    }
}

#[test]
fn ray_clouds_keep_rays_and_plyfile_sees_the_layout_of_raycloudtools() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a_raycloud.ply");
    assert_eq!(OutputFormat::from_path(&path).unwrap(), OutputFormat::RayCloud);
    let written = records(20_000, UTM);
    let options = SinkOptions { sensors: vec![sensor(250.0)], ..SinkOptions::default() };
    let mut sink = open_sink(&path, OutputFormat::RayCloud, &options).unwrap();
    sink.write(&written).unwrap();
    let report = sink.finish().unwrap();
    assert_eq!((report.rows, report.dropped_misses), (written.len() as u64, 0));
    assert!(report.dropped_fields.iter().any(|what| what == "return numbers"), "{report:?}");
    let options = ReadOptions { need_origins: true, ..ReadOptions::default() };
    let mut recording = Recording::open(&path, &options).unwrap();
    let found = recording.read_all().unwrap();
    assert_eq!((found.len(), recording.report().skipped()), (written.len(), 0));
    for row in 0..written.len() {
        let (a, b) = (written.get(row).unwrap(), found.get(row).unwrap());
        assert_eq!(a.time_s, b.time_s);
        assert_eq!(written.is_miss(row), found.is_miss(row), "{row}");
        // A vector of up to 250 m in 32-bit floats.
        for axis in 0..3 {
            assert!((a.origin_xyz_m[axis] - b.origin_xyz_m[axis]).abs() < 1.6e-5, "{row}");
            assert!((a.direction_xyz[axis] - b.direction_xyz[axis]).abs() < 2e-5, "{row}");
        }
        if !written.is_miss(row) {
            assert_eq!(a.world_xyz_m, b.world_xyz_m, "{row}");
            let alpha = (a.intensity.min(1.0) * 255.0).round().max(1.0);
            assert_eq!(b.intensity, alpha / 255.0, "{row}");
        }
    }
    let summary = describe(&path).unwrap();
    assert_eq!(summary.format, OutputFormat::RayCloud);
    assert_eq!(summary.misses, Some((written.len() - written.return_rows()) as u64));
    let Some(python) = Python::find() else {
        return;
    };
    let check = "import sys, numpy as np\n\
        from plyfile import PlyData\n\
        v = PlyData.read(sys.argv[1])['vertex']\n\
        names = [p.name for p in v.properties]\n\
        assert names == 'x y z time nx ny nz red green blue alpha'.split(), names\n\
        assert v.data.dtype.itemsize == 4 * 8 + 3 * 4 + 4\n\
        length = np.sqrt(sum(v[n].astype(float) ** 2 for n in ('nx', 'ny', 'nz')))\n\
        miss = v['alpha'] == 0\n\
        assert np.allclose(length[miss], 250.0, atol=1e-4), length[miss]\n\
        assert length[~miss].max() < 90 and length[~miss].min() > 1.9\n\
        assert (v['red'][~miss] <= v['alpha'][~miss]).all()\n\
        head = open(sys.argv[1], 'rb').read(600).split(b'end_header')[0].decode().splitlines()\n\
        lines = [l for l in head if 'time' in l or 'intensity' in l]\n\
        assert lines == ['property double time'], lines\n\
        print(len(length), miss.sum())";
    let output = python.command().args(["-c", check]).arg(&path).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let misses = written.len() - written.return_rows();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        format!("{} {misses}", written.len())
    );
}

#[test]
fn a_ray_cloud_needs_origins() {
    let dir = tempfile::tempdir().unwrap();
    let from = dir.path().join("points.xyz");
    std::fs::write(&from, "1 2 3 0.5\n4 5 6 0.5\n").unwrap();
    let to = dir.path().join("a.raycloud.ply");
    let options = ReadOptions::default();
    let failed = convert(&from, &options, &to, OutputFormat::RayCloud, &SinkOptions::default());
    let text = failed.unwrap_err().to_string();
    assert!(text.contains("give a trajectory, or the pose"), "{text}");
    let mut without = records(10, [0.0; 3]);
    without.origin_xyz_m.iter_mut().for_each(|origin| *origin = [f64::NAN; 3]);
    let mut sink = open_sink(&to, OutputFormat::RayCloud, &SinkOptions::default()).unwrap();
    let text = sink.write(&without).unwrap_err().to_string();
    assert!(text.contains("where the beam of pulse 0 began"), "{text}");
}

#[test]
fn helios_text_comes_back_within_its_decimals() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("leg000.helios.xyz");
    assert_eq!(OutputFormat::from_path(&path).unwrap(), OutputFormat::HeliosXyz);
    let written = records(3000, UTM);
    let mut sink = open_sink(&path, OutputFormat::HeliosXyz, &SinkOptions::default()).unwrap();
    poses(&written).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
    sink.write(&written).unwrap();
    let report = sink.finish().unwrap();
    let returns: Vec<_> = (0..written.len()).filter(|&row| !written.is_miss(row)).collect();
    assert_eq!(report.rows, returns.len() as u64);
    assert_eq!(report.dropped_misses, (written.len() - returns.len()) as u64);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.lines().all(|line| line.split(' ').count() == 11));
    let found = Recording::open(&path, &ReadOptions::default()).unwrap().read_all().unwrap();
    assert_eq!(found.len(), returns.len());
    for (row, &of) in returns.iter().enumerate() {
        let (a, b) = (written.get(of).unwrap(), found.get(row).unwrap());
        for axis in 0..3 {
            assert!((a.world_xyz_m[axis] - b.world_xyz_m[axis]).abs() <= 0.5001e-4);
        }
        assert!((a.intensity - b.intensity).abs() <= 0.501e-4);
        assert!((a.time_s - b.time_s).abs() <= 0.501e-9);
        assert_eq!((a.return_number, a.return_count), (b.return_number, b.return_count));
        assert_eq!((a.pulse, a.object, a.label), (b.pulse, b.object, b.label));
    }
}
