//! Presets against the tables of their makers, and bad files.

use std::path::{Path, PathBuf};

use glam::DVec3;

use super::*;
use crate::pulse::scan_pattern::{Kind, Pulses};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the shared sensor tables, where they are at hand.
pub(super) fn shared_bytes(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(understory_testing::sensor_table(name)?).unwrap())
}

fn shared(name: &str) -> Option<String> {
    shared_bytes(name).map(|bytes| String::from_utf8(bytes).unwrap())
}

fn numbers(table: &toml::Table, key: &str) -> Vec<f64> {
    let number = |v: &toml::Value| v.as_float().or(v.as_integer().map(|i| i as f64)).unwrap();
    table[key].as_array().unwrap().iter().map(number).collect()
}

/// The pulses of the first scan, or of its beginning where it has millions.
fn first_scan(sensor: &Sensor) -> Pulses {
    let mut pulses = Pulses::default();
    let end = sensor.pattern.first_pulse_at(sensor.pattern.scan_duration_s());
    sensor.pattern.fill(0..end.min(1_000_000), &mut pulses);
    pulses
}

pub(super) fn angle_deg(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

/// Worst angle between our directions and a decoder's x = cos ω cos(α−δ), y = −cos ω sin(α−δ),
/// z = sin ω, with α from the firing times.
fn worst_velodyne_deg(
    sensor: &Sensor,
    elevation: &[f64],
    rotation: &[f64],
    fire_us: &[f64],
) -> f64 {
    let Kind::Spinning(spinning) = sensor.pattern.kind() else { panic!("not spinning") };
    let crate::pulse::scan_pattern::Timing::FreeRunning { cycle_s } = spinning.spec().timing else {
        panic!("not free running")
    };
    let pulses = first_scan(sensor);
    assert!(pulses.len() > 10_000);
    let lasers = elevation.len();
    let mut worst: f64 = 0.0;
    for i in 0..pulses.len() {
        let laser = usize::from(pulses.channel[i]);
        let time_s = (i / lasers) as f64 * cycle_s + fire_us[laser] * 1e-6;
        assert!((pulses.time_s[i] - time_s).abs() < 1e-12);
        let azimuth = (360.0 * 10.0 * time_s - rotation[laser]).to_radians();
        let omega = elevation[laser].to_radians();
        let expected =
            DVec3::new(omega.cos() * azimuth.cos(), -omega.cos() * azimuth.sin(), omega.sin());
        worst = worst.max(angle_deg(pulses.direction[i], expected));
    }
    worst
}

#[test]
fn every_preset_file_is_embedded_and_loads() {
    let mut files: Vec<String> = std::fs::read_dir(root().join("sensors"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    files.sort();
    let names: Vec<&str> = presets().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, files, "sensors/*.toml and sensor/presets.rs differ");
    for name in names {
        let sensor = Sensor::preset(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(sensor.name, name);
        assert!(!sensor.sources.is_empty(), "{name} names no source");
        assert!(sensor.describe().len() > 8);
        let pulses = first_scan(&sensor);
        let expected = sensor.pattern.pulse_rate_hz() * sensor.pattern.scan_duration_s();
        let slack = 2.0 * sensor.pattern.channels() as f64;
        let count = sensor.pattern.first_pulse_at(sensor.pattern.scan_duration_s());
        assert!((count as f64 - expected).abs() <= slack, "{name}: {count} for {expected}");
        assert!(pulses.direction.iter().all(|d| (d.length() - 1.0).abs() < 1e-12));
        assert!(pulses.time_s.windows(2).all(|pair| pair[0] <= pair[1]), "{name} out of order");
        assert!(pulses.scan.iter().all(|scan| *scan == 0), "{name}");
        let columns = pulses.column.iter().max().unwrap() + 1;
        assert!(columns <= sensor.pattern.columns_per_scan(), "{name}: {columns}");
        println!("{name:22} {:>10.0} pulses/s", sensor.pattern.pulse_rate_hz());
    }
}

#[test]
fn pulse_rates_are_those_of_the_manuals() {
    for (name, rate, tolerance) in [
        ("vlp-16", 289_344.0, 10.0),
        ("hdl-32e", 694_444.0, 1.0),
        ("vlp-32c", 578_688.0, 20.0),
        ("hdl-64e-s2", 1_333_333.0, 1.0),
        ("hdl-64e-s3", 1_111_110.0, 2.0),
        ("vls-128", 2_401_497.0, 10.0),
        ("os1-64-gen1", 655_360.0, 1e-6),
        ("os1-128-rev7", 1_310_720.0, 1e-6),
        ("pandar64", 1_152_000.0, 100.0),
        ("xt32", 640_000.0, 1e-6),
        ("lms-291", 181.0 * 75.0, 1e-6),
        ("lms-111", 541.0 * 50.0, 1e-6),
        ("utm-30lx", 1081.0 * 40.0, 1e-6),
        ("hdl-64e-goodin", 999_680.0, 1e-6),
        ("hdl-64e-blensor", 1_333_333.0, 1.0),
        ("os1-64-bayraktaroglu", 655_360.0, 1e-6),
        // −60° to 50° with two layers, −50° to 35° with two more, in steps of 0.125°.
        ("ibeo-lux", 12.5 * (2.0 * 881.0 + 2.0 * 681.0), 1e-6),
        ("blensor-line", 12.5 * 4.0 * 341.0, 1e-6),
        ("kinect-v2", 512.0 * 424.0 * 30.0, 1e-6),
        ("livox-mid-40", 100_000.0, 1e-6),
        ("livox-avia", 240_000.0, 1e-6),
        ("livox-mid-360", 200_000.0, 1e-6),
        // The data sheet's 122 000 of 300 000, as 100° of 240°.
        ("riegl-vz-400", 122_000.0, 3_100.0),
        ("riegl-vq-480-ii", 750_000.0, 1e-6),
        ("altm-3100", 100_000.0, 1e-6),
    ] {
        let ours = Sensor::preset(name).unwrap().pattern.pulse_rate_hz();
        assert!((ours - rate).abs() <= tolerance, "{name}: {ours} instead of {rate}");
    }
}

#[test]
fn azimuth_steps_at_600_rpm_are_those_of_the_manuals() {
    for (name, step_deg) in
        [("vlp-16", 0.199066), ("hdl-64e-s2", 0.1728), ("hdl-64e-s3", 0.20736), ("xt32", 0.18)]
    {
        let sensor = Sensor::preset(name).unwrap();
        let Kind::Spinning(spinning) = sensor.pattern.kind() else { panic!() };
        assert!((spinning.azimuth_step_rad().to_degrees() - step_deg).abs() < 1e-6, "{name}");
    }
}

#[test]
fn vlp_16_and_other_velodynes_look_where_their_tables_say() {
    type Fire = fn(usize) -> f64;
    let cases: [(&str, &str, Fire); 4] = [
        ("vlp-16", "velodyne_vlp16.toml", |i| 2.304 * i as f64),
        ("hdl-32e", "velodyne_hdl32e.toml", |i| 1.152 * i as f64),
        ("vlp-32c", "velodyne_vlp32c.toml", |i| 2.304 * (i / 2) as f64),
        ("vls-128", "velodyne_vls128.toml", |i| 2.665 * (i / 8 + i / 64) as f64),
    ];
    for (name, file, fire) in cases {
        let Some(text) = shared(file) else { return };
        let table: toml::Table = text.parse().unwrap();
        let sensor = Sensor::preset(name).unwrap();
        let elevation = numbers(&table, "elevation_deg");
        let fire_us: Vec<f64> = (0..elevation.len()).map(fire).collect();
        let rotation = numbers(&table, "azimuth_offset_deg");
        let worst = worst_velodyne_deg(&sensor, &elevation, &rotation, &fire_us);
        println!("{name}: worst direction error {worst:.2e}°");
        assert!(worst < 0.001, "{name}: {worst}°");
        let up_m = numbers(&table, "vert_offset_m");
        let pulses = first_scan(&sensor);
        for i in 0..1000 {
            let expected = DVec3::new(0.0, 0.0, up_m[usize::from(pulses.channel[i])]);
            assert!((pulses.origin_m[i] - expected).length() < 1e-6, "{name}");
        }
    }
}

#[test]
fn hdl_64e_looks_where_its_calibration_says() {
    for (name, file, group_us, pattern_us) in [
        ("hdl-64e-s2", "velodyne_hdl64e_s2.1_sztaki.csv", 6.0, [0.0, 1.26, 2.46, 3.66]),
        ("hdl-64e-s3", "velodyne_hdl64e_s3_veloview.csv", 7.2, [0.0, 1.3, 2.5, 3.7]),
    ] {
        let Some(text) = shared(file) else { return };
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let column =
            |i: usize| -> Vec<f64> { rows.iter().map(|r| r[i].parse().unwrap()).collect() };
        let degrees = |list: Vec<f64>| list.into_iter().map(f64::to_degrees).collect::<Vec<f64>>();
        let (elevation, rotation) = (degrees(column(3)), degrees(column(5)));
        let fire_us: Vec<f64> =
            (0..64).map(|i| group_us * ((i % 32) / 4) as f64 + pattern_us[i % 4]).collect();
        let sensor = Sensor::preset(name).unwrap();
        let worst = worst_velodyne_deg(&sensor, &elevation, &rotation, &fire_us);
        println!("{name}: worst direction error {worst:.2e}°");
        assert!(worst < 0.001, "{name}: {worst}°");
        // The manual adds the horizontal offset h as x += h sin(α−δ), y += h cos(α−δ).
        let (up_m, left_m) = (column(10), column(11));
        let pulses = first_scan(&sensor);
        for i in 0..pulses.len() {
            let laser = usize::from(pulses.channel[i]);
            let azimuth = (3600.0 * pulses.time_s[i] - rotation[laser]).to_radians();
            let h = left_m[laser];
            let expected = DVec3::new(h * azimuth.sin(), h * azimuth.cos(), up_m[laser]);
            assert!((pulses.origin_m[i] - expected).length() < 1e-6, "{name} pulse {i}");
        }
    }
}

#[test]
fn os1_64_looks_and_starts_where_its_metadata_say() {
    let cases = [
        ("os1-64-gen1", "ouster_os1_64_gen1_991913000010.toml"),
        ("os0-128-rev7", "ouster_os0_128_rev7_122322000614.toml"),
        ("os2-32-rev3", "ouster_os2_32_rev03_992029000352.toml"),
    ];
    for (name, file) in cases {
        let Some(text) = shared(file) else { return };
        let table: toml::Table = text.parse().unwrap();
        let altitude = numbers(&table, "beam_altitude_angles_deg");
        let azimuth = numbers(&table, "beam_azimuth_angles_deg");
        let n = table["lidar_origin_to_beam_origin_mm"].as_float().unwrap() * 1e-3;
        let lift = numbers(&table, "lidar_to_sensor_transform")[11] * 1e-3;
        let sensor = Sensor::preset(name).unwrap();
        assert!((sensor.detector.range_offset_m - n).abs() < 1e-12);
        let pulses = first_scan(&sensor);
        let rows = altitude.len();
        assert_eq!(pulses.len(), 1024 * rows);
        let mut worst: f64 = 0.0;
        for i in 0..pulses.len() {
            let (column, row) = (i / rows, i % rows);
            assert_eq!(usize::from(pulses.channel[i]), row);
            let encoder = std::f64::consts::TAU * (1.0 - column as f64 / 1024.0);
            let theta = encoder - azimuth[row].to_radians();
            let phi = altitude[row].to_radians();
            let turned = |v: DVec3| DVec3::new(-v.x, -v.y, v.z);
            let direction =
                turned(DVec3::new(theta.cos() * phi.cos(), theta.sin() * phi.cos(), phi.sin()));
            let origin = turned(n * DVec3::new(encoder.cos(), encoder.sin(), 0.0));
            worst = worst.max(angle_deg(pulses.direction[i], direction));
            let expected = origin + lift * DVec3::Z;
            assert!((pulses.origin_m[i] - expected).length() < 1e-12, "{name} pulse {i}");
        }
        println!("{name}: worst direction error {worst:.2e}°");
        assert!(worst < 0.001, "{name}: {worst}°");
        // Encoder counts divide evenly: what is reported is the truth.
        assert!(pulses.azimuth_report_error_rad.iter().all(|error| error.abs() < 1e-9));
    }
}

/// Equations 4.2 to 4.4 of Bayraktaroglu 2023: 45°/64 from −22.5° on, 360°/1024 around, all rays
/// from one point.
#[test]
fn os1_64_of_bayraktaroglu_has_equal_angles() {
    let sensor = Sensor::preset("os1-64-bayraktaroglu").unwrap();
    let pulses = first_scan(&sensor);
    assert_eq!(pulses.len(), 65_536);
    for i in 0..pulses.len() {
        let (column, channel) = (i / 64, i % 64);
        let elevation = (-22.5 + channel as f64 * 45.0 / 64.0_f64).to_radians();
        // Clockwise from −x.
        let azimuth = (180.0 - column as f64 * 360.0 / 1024.0).to_radians();
        let expected = DVec3::new(
            elevation.cos() * azimuth.cos(),
            elevation.cos() * azimuth.sin(),
            elevation.sin(),
        );
        assert!(angle_deg(pulses.direction[i], expected) < 1e-9, "{column} {channel}");
        assert!(pulses.origin_m[i].length() < 1e-12);
    }
    assert!((f64::from(sensor.sensitivity.reach_m(0.8, 1.0)) - 172.481883).abs() < 1e-3);
    assert!(sensor.detector.range_max_m >= 190.83);
}

/// Tables 2 and 3 of Goodin et al. 2018.
#[test]
fn presets_of_goodin_are_their_tables() {
    use crate::pulse::beam::{Sampling, SpotShape};
    let sensor = Sensor::preset("hdl-32e-goodin").unwrap();
    let pulses = first_scan(&sensor);
    assert_eq!(pulses.len(), 32 * 2250);
    let found = |i: usize| {
        let d = pulses.direction[i];
        [d.y.atan2(d.x).to_degrees(), d.z.asin().to_degrees()]
    };
    for beam in 0..32 {
        let [_, elevation] = found(beam);
        assert!((elevation - (-30.6623 + 1.3333 * beam as f64)).abs() < 1e-9, "{elevation}");
    }
    assert!((found(31)[1] - 10.67).abs() < 1e-9);
    assert!(((found(32)[0] - found(0)[0]).rem_euclid(360.0) - 0.16).abs() < 1e-9);
    let beam = &sensor.beam;
    assert_eq!((beam.shape, beam.sampling), (SpotShape::Rectangular, Sampling::Paper));
    let mrad = |rad: f64| (1e6 * rad).round() / 1e3;
    assert_eq!(mrad(beam.divergence_horizontal_rad), 3.3);
    assert_eq!(mrad(beam.divergence_vertical_rad), 0.7);
    let limits = |sensor: &Sensor| {
        let spec = &sensor.detector;
        (spec.range_min_m, spec.range_max_m, spec.signal_cutoff_m, spec.mode)
    };
    assert_eq!(limits(&sensor), (1.0, 70.0, 1.0, ReturnMode::Strongest));

    let sensor = Sensor::preset("lms-291-goodin").unwrap();
    let pulses = first_scan(&sensor);
    let mut azimuths: Vec<f64> =
        pulses.direction.iter().map(|d| d.y.atan2(d.x).to_degrees()).collect();
    azimuths.sort_by(f64::total_cmp);
    assert_eq!(azimuths.len(), 201);
    for (i, azimuth) in azimuths.iter().enumerate() {
        assert!((azimuth - (-50.0 + 0.5 * i as f64)).abs() < 1e-9, "{azimuth}");
    }
    let beam = &sensor.beam;
    assert_eq!((beam.shape, beam.sampling), (SpotShape::Circular, Sampling::Paper));
    assert_eq!(mrad(beam.divergence_horizontal_rad), 12.9);
    assert_eq!(limits(&sensor), (1.0, 80.0, 1.6, ReturnMode::First));
}

#[test]
fn the_encoder_of_a_velodyne_reports_hundredths_of_a_degree() {
    let pulses = first_scan(&Sensor::preset("vlp-16").unwrap());
    let half_step = 0.005_f64.to_radians() as f32;
    let worst = pulses.azimuth_report_error_rad.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    assert!(worst > 0.9 * half_step && worst <= half_step * 1.001, "{worst}");
}

const BASE: &str = "title = 'T'\nvendor = 'M'\nwavelength_nm = 905\n\
    [spinning]\ndirection = 'clockwise'\nrotation_hz = 10\ncycle_us = 50\n\
    [channels]\nelevation_deg = [-1, 1]\nfiring_us = [0, 2]\n\
    [beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 3\ndivergence_vertical_mrad = 3\n\
    [detector]\nrange_min_m = 1\nrange_max_m = 100\nreturn_mode = 'first'\nsignal_cutoff_m = 1\n";

fn refused(from: &str, to: &str) -> String {
    assert!(BASE.contains(from), "{from}");
    let text = BASE.replacen(from, to, 1);
    Sensor::from_toml(&text, "my.toml").expect_err(to).to_string()
}

#[test]
fn bad_sensor_files_get_one_sentence_with_line_and_remedy() {
    Sensor::from_toml(BASE, "my.toml").unwrap();
    for (from, to, line, words) in [
        ("horizontal_mrad = 3", "horizontal_mrad = -3", 13, "divergence_horizontal_mrad is -3"),
        ("vertical_mrad = 3", "vertical_mrad = 2", 14, "a circular spot cannot diverge"),
        (
            "mrad = 3\ndivergence_vertical_mrad = 3",
            "mrad = 0\ndivergence_vertical_mrad = 0\nhalo = { gain = 0.1, width_mrad = 1 }",
            15,
            "a halo is measured by the light of its spot",
        ),
        ("range_min_m = 1\n", "range_min_m = 200\n", 16, "range_min_m 200 is not below"),
        ("range_max_m = 100", "range_max_m = nan", 17, "range_max_m is NaN"),
        ("range_max_m = 100", "range_max_mm = 9", 17, "this key is in metres; use `range_max_m`"),
        ("rotation_hz = 10", "rotation_hz = 0", 6, "rotation_hz is 0"),
        ("rotation_hz = 10", "rotation_rpm = 600", 6, "this key is in hertz; use `rotation_hz`"),
        ("cycle_us = 50", "cycle_us = 1", 10, "fires after 2.000 µs, but a cycle lasts 1.000 µs"),
        ("cycle_us = 50", "cycle_us = 1e9", 7, "does not fit a revolution"),
        ("cycle_us = 50", "azimuth_step_deg = 1e-9", 7, "azimuth_step_deg is 0.000000001"),
        ("cycle_us = 50", "columns_per_scan = 0", 7, "columns_per_scan is 0"),
        ("cycle_us = 50", "cycle_us = 50\ncolumns_per_scan = 512", 4, "exactly one of"),
        ("cycle_us = 50", "cycle_us = 50\nazimuth_min_deg = 4", 8, "two limits"),
        ("[-1, 1]", "[]", 9, "cannot have 0 channels"),
        ("[-1, 1]", "[-1, 1, 3]", 10, "firing_us has 2 values for 3 channels"),
        ("[-1, 1]", "[-1, inf]", 9, "elevation_deg holds inf"),
        ("[0, 2]", "[0, -2]", 10, "firing_us holds -2"),
        ("'first'", "'frist'", 18, "did you mean \"first\"?"),
        ("905", "905\nuncertain = ['beam.colour']", 4, "no key of this file"),
        ("title = 'T'\n", "", 1, "the key `title` is missing"),
        ("'clockwise'", "'clockwise'\nrotation_range_hz = [20, 30]", 7, "does not turn at 10 Hz"),
    ] {
        let sentence = refused(from, to);
        let location = format!("my.toml:{line}: ");
        assert!(sentence.starts_with(&location), "{to}: expected line {line}: {sentence}");
        assert!(sentence.replace('`', "").contains(&words.replace('`', "")), "{to}: {sentence}");
        assert!(sentence.contains("; "), "no remedy: {sentence}");
    }
    let unknown = Sensor::preset("vlp16").expect_err("refused").to_string();
    assert!(unknown.contains("did you mean \"vlp-16\"?"), "{unknown}");
}

fn refused_with(tail: &str) -> String {
    Sensor::from_toml(&format!("{BASE}{tail}"), "my.toml").expect_err(tail).to_string()
}

#[test]
fn bad_errors_and_limits_get_one_sentence_with_line_and_remedy() {
    let error = "[range_error]\nmodel = 'constant'\nsigma_m = 0.02\n";
    let table = "[range_error]\nmodel = 'table'\n[range_error.table]\n";
    let wave = format!("{error}[range_error.correlation]\nshare = 0.7\nperiod_columns = 12\n");
    let limit = "[range_limit]\nmodel = 'physical'\nrange_m = 40\nreflectivity = 0.1\n";
    let blensor = "[range_limit]\nmodel = 'blensor'\n";
    for (base, from, to, line, words) in [
        (error, "0.02", "-0.02", 22, "sigma_m is -0.02"),
        (error, "0.02", "nan", 22, "sigma_m is NaN"),
        (error, "sigma_m = 0.02", "", 21, "this model needs sigma_m"),
        (error, "constant", "constnat", 21, "did you mean \"constant\"?"),
        (error, "sigma_m", "sigma_mm", 22, "this key is in metres; use `sigma_m`"),
        (error, "0.02", "0.02\nambiguity_m = -5", 23, "ambiguity_m is -5"),
        (error, "0.02", "0.02\nambiguity_m = 0", 23, "ambiguity_m is 0"),
        (error, "0.02", "0.02\nbias_sigma_m = -1", 23, "bias_sigma_m is -1"),
        (error, "0.02", "0.02\nbias_m = [0.1]", 23, "bias_m has 1 values for 2 channels"),
        (error, "0.02", "0.02\nbias_m = [0.1, inf]", 23, "bias_m holds inf"),
        (error, "0.02", "0.02\nmean_m = inf", 23, "mean_m is inf"),
        (error, "0.02", "0.02\nnoise = 'pink'", 23, "\"gaussian\", \"laplace\""),
        (table, "[range_error.table]", "", 21, "this model needs its table"),
        (
            table,
            "",
            "range_m = [2, 1]\nsigma_m = [[1], [1]]\n",
            23,
            "does not rise: 2 comes before 1",
        ),
        (table, "", "range_m = [1, 1]\nsigma_m = [[1], [1]]\n", 23, "range_m does not rise"),
        (table, "", "range_m = []\nsigma_m = []\n", 23, "range_m is empty"),
        (table, "", "range_m = [1]\nsigma_m = [[-1]]\n", 24, "sigma_m holds -1"),
        (table, "", "range_m = [1]\nsigma_m = [[1], [1]]\n", 24, "2 rows for 1 ranges"),
        (table, "", "range_m = [1]\nsigma_m = [[1, 2]]\n", 24, "2 values for 1 reflectivities"),
        (
            table,
            "",
            "range_m = [1]\nreflectivity = [0.5, 0.1]\nsigma_m = [[1, 2]]\n",
            24,
            "reflectivity does not rise",
        ),
        (&wave, "0.7", "1.2", 24, "share is 1.2"),
        (&wave, "0.7", "-0.1", 24, "share is -0.1"),
        (&wave, "12", "0", 25, "period_columns is 0"),
        (error, "0.02", "1e9", 22, "sigma_m is 1000000000"),
        (error, "0.02", "0.02\nmean_m = -1e4", 23, "mean_m is -10000"),
        (&wave, "12", "12\ngamma = 1", 26, "gamma is 1"),
        (&wave, "12", "12\nhurst = 1", 26, "hurst is 1"),
        (&wave, "12", "12\nterms = 9", 26, "terms is 9"),
        (&wave, "12", "12\ndrift_deg = -1", 26, "drift_deg is -1"),
        (limit, "40", "-40", 22, "range_m is -40"),
        (limit, "0.1", "1.1", 23, "reflectivity is 1.1"),
        (limit, "0.1", "0", 23, "reflectivity is 0"),
        (limit, "reflectivity = 0.1", "", 21, "this model needs range_m and reflectivity"),
        (limit, "0.1", "0.1\nextinction_per_m = -1", 24, "extinction_per_m is -1"),
        (limit, "physical", "mavs", 0, ""),
        ("[range_limit]\nmodel = 'mavs'\n", "", "", 21, "this model needs range_m"),
        (blensor, "", "far_m = 40\n", 21, "does not lie before the far one"),
        (blensor, "", "near_reflectance = 0.9\n", 21, "does not lie before the far one"),
        (blensor, "", "b_percent_per_m2 = 0\n", 22, "b_percent_per_m2 is 0"),
    ] {
        let tail = if from.is_empty() { format!("{base}{to}") } else { base.replacen(from, to, 1) };
        if line == 0 {
            Sensor::from_toml(&format!("{BASE}{tail}"), "my.toml").unwrap();
            continue;
        }
        let sentence = refused_with(&tail);
        let location = format!("my.toml:{line}: ");
        assert!(sentence.starts_with(&location), "{to}: expected line {line}: {sentence}");
        assert!(sentence.replace('`', "").contains(&words.replace('`', "")), "{to}: {sentence}");
        assert!(sentence.contains("; "), "{to}: {sentence}");
    }
}

#[test]
fn errors_and_limits_are_read_and_can_be_overridden() {
    use crate::pulse::range_error::Sigma;
    let blensor = Sensor::preset("hdl-64e-blensor").unwrap();
    assert_eq!(blensor.sensitivity, SensitivityModel::BLENSOR_HDL_64E);
    assert_eq!(blensor.range_model.error.sigma, Sigma::Constant(0.01));
    assert_eq!(blensor.range_model.error.bias.sigma_m, 0.078);
    let bayraktaroglu = Sensor::preset("os1-64-bayraktaroglu").unwrap();
    assert_eq!(bayraktaroglu.sensitivity, SensitivityModel::BAYRAKTAROGLU_OS1);
    assert_eq!(bayraktaroglu.range_model.error.sigma, Sigma::Bayraktaroglu);
    assert_eq!(bayraktaroglu.range_model.error.correlation.as_ref().unwrap().terms, 4);
    assert_eq!(bayraktaroglu.range_model.quantum_m, 0.001);
    // Every preset says which models it uses.
    for (name, text) in presets() {
        let table: toml::Table = text.parse().unwrap();
        assert!(table.contains_key("range_error") && table.contains_key("range_limit"), "{name}");
    }
    let with = |over: &str| {
        let path = [Step::Key("override")];
        let (text, location) = (preset_text("vlp-16").unwrap(), preset_location("vlp-16"));
        Sensor::from_toml_with_overrides(
            text,
            &location,
            &LayeredToml::new(over, "run.toml"),
            &path,
        )
    };
    let plain = with("[override.range_error]\nmodel = 'none'\n").unwrap();
    assert!(plain.range_model.error.is_none());
    assert_eq!(plain.range_model.quantum_m, 0.002);
    let other =
        with("[override.range_limit]\nmodel = 'physical'\nrange_m = 30\nreflectivity = 0.1\n");
    assert!((other.unwrap().sensitivity.reach_m(0.4, 1.0) - 60.0).abs() < 1e-3);
    let refused = with("\n[override.range_error]\nsigma_m = -1\n").unwrap_err().to_string();
    assert!(refused.starts_with("run.toml:3: `sigma_m` is -1"), "{refused}");
}

#[test]
fn overrides_change_a_preset_and_are_blamed_for_their_faults() {
    let with = |over: &str| {
        let path = [Step::Key("sensor"), Step::Index(0), Step::Key("overrides")];
        let text = preset_text("os1-64-gen1").unwrap();
        let location = preset_location("os1-64-gen1");
        Sensor::from_toml_with_overrides(
            text,
            &location,
            &LayeredToml::new(over, "run.toml"),
            &path,
        )
    };
    let fast = with(
        "seed = 1\n[[sensor]]\n[sensor.overrides.spinning]\nrotation_hz = 20\n\
         columns_per_scan = 512\n",
    )
    .unwrap();
    assert_eq!(fast.pattern.columns_per_scan(), 512);
    assert!((fast.pattern.scan_duration_s() - 0.05).abs() < 1e-15);
    assert_eq!(fast.name, "os1-64-gen1");
    let error = with("seed = 1\n[[sensor]]\n[sensor.overrides.spinning]\nrotation_hz = 15\n");
    assert_eq!(
        error.unwrap_err().to_string(),
        "run.toml:4: this sensor does not turn at 15 Hz; use one of 10, 20 Hz"
    );
    let error = with("[[sensor]]\n\n[sensor.overrides.detector]\nrange_max_m = 0.1\n");
    let sentence = error.unwrap_err().to_string();
    assert!(sentence.starts_with("sensors/os1-64-gen1.toml:"), "{sentence}");
    assert!(sentence.contains("range_min_m 0.8 is not below range_max_m 0.1"), "{sentence}");
}

#[test]
fn a_width_at_half_maximum_becomes_the_width_at_one_over_e_squared() {
    let beam = Sensor::preset("os1-64-gen1").unwrap().beam;
    // exp(−2 r²/w²) is one half at r = FWHM/2.
    let half = 0.13_f64.to_radians() / 2.0;
    let w = beam.divergence_horizontal_rad / 2.0;
    assert!(((-2.0 * half * half / (w * w)).exp() - 0.5).abs() < 1e-4);
}

#[test]
fn a_table_is_read_inline_and_from_a_file_beside_it() {
    let head = "title = 'T'\nvendor = 'M'\nwavelength_nm = 905\n[table]\ncycle_s = 0.1\n";
    let tail = "[beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 0\n\
        divergence_vertical_mrad = 0\n[detector]\nrange_min_m = 1\nrange_max_m = 9\n\
        return_mode = 'all'\nsignal_cutoff_m = 0\n";
    let inline = "time_s = [0, 0.05]\nazimuth_deg = [0, 90]\nelevation_deg = [0, 45]\n\
        channel = [0, 3]\n";
    let sensor = Sensor::from_toml(&format!("{head}{inline}{tail}"), "t.toml").unwrap();
    assert_eq!(sensor.pattern.channels(), 4);
    let mut pulses = Pulses::default();
    sensor.pattern.fill(2..4, &mut pulses);
    assert_eq!(pulses.scan, [1, 1]);
    assert!((pulses.time_s[1] - 0.15).abs() < 1e-15);
    let half = 0.5_f64.sqrt();
    assert!((pulses.direction[1] - DVec3::new(0.0, half, half)).length() < 1e-15);

    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("mine.toml");
    let location = location.to_str().unwrap();
    let text = format!("{head}file = 'rows.csv'\n{tail}");
    let missing = Sensor::from_toml(&text, location).unwrap_err().to_string();
    assert!(missing.contains("rows.csv cannot be read"), "{missing}");
    let csv = folder.path().join("rows.csv");
    std::fs::write(&csv, "time_s,azimuth_deg,elevation_deg,channel\n0,0,0,0\n0.05,90,45,3\n")
        .unwrap();
    let from_file = Sensor::from_toml(&text, location).unwrap();
    assert_eq!(from_file.pattern, sensor.pattern);
    std::fs::write(&csv, "time_s,azimuth_deg,elevation_deg\n0,0,0\n0.05,left,45\n").unwrap();
    let wrong = Sensor::from_toml(&text, location).unwrap_err().to_string();
    assert!(wrong.contains("rows.csv:3: "), "{wrong}");
}

#[test]
fn the_worked_example_of_the_documentation_loads() {
    let page = std::fs::read_to_string(root().join("docs/add-a-sensor.md")).unwrap();
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let sensor = Sensor::from_toml(example, "sensors/fern-4.toml").unwrap();
    assert_eq!((sensor.name.as_str(), sensor.pattern.channels()), ("fern-4", 4));
    // The table of errors of the same page, with every key.
    let errors = page.split("```toml\n").find(|block| block.starts_with("[range_error]")).unwrap();
    let errors = errors.split("```").next().unwrap();
    let sensor = Sensor::from_toml(&format!("{example}{errors}"), "fern-4.toml").unwrap();
    let report = &sensor.range_model;
    assert_eq!((report.ambiguity_m, report.error.bias.listed_m.len()), (150.0, 4));
    assert!(report.error.correlation.is_some());
}

#[test]
fn azimuth_limits_make_a_spinning_sensor_start_each_scan_anew() {
    let text = preset_text("vlp-16").unwrap();
    let text = text.replace("cycle_us", "azimuth_min_deg = -50\nazimuth_max_deg = 50\ncycle_us");
    let sensor = Sensor::from_toml(&text, "narrow.toml").unwrap();
    // 100° in steps of 0.199066°.
    assert_eq!(sensor.pattern.columns_per_scan(), 503);
    assert!((sensor.pattern.scan_duration_s() - 0.1).abs() < 1e-15);
    let pulses = first_scan(&sensor);
    assert_eq!(pulses.len(), 503 * 16);
    for direction in &pulses.direction {
        assert!(direction.y.atan2(direction.x).to_degrees().abs() < 50.2);
    }
    assert!((pulses.direction[0].y.atan2(pulses.direction[0].x).to_degrees() - 50.0).abs() < 1e-9);
}

#[test]
fn the_two_block_readout_can_close_the_circle() {
    let text =
        preset_text("hdl-64e-goodin").unwrap().replace("\"paper\" # or", "\"full-circle\" #");
    let sensor = Sensor::from_toml(&text, "closed.toml").unwrap();
    let pulses = first_scan(&sensor);
    assert_eq!(pulses.len(), 99_968);
    let azimuth = |i: usize| pulses.direction[i].y.atan2(pulses.direction[i].x).to_degrees();
    assert!((azimuth(128) + 180.0 - 0.4608).abs() < 1e-9);
    assert!((azimuth(96) + 180.0 - 3.0 * 0.1152).abs() < 1e-9, "lower in the place of the fourth");
}

proptest::proptest! {
    #[test]
    fn no_error_that_a_file_may_hold_gives_a_range_that_is_no_number(
        key in 0usize..14,
        value in proptest::prop_oneof![
            proptest::num::f64::ANY,
            proptest::prelude::Just(0.0), proptest::prelude::Just(1e300), proptest::prelude::Just(1e-300),
            0.0..1000.0f64,
        ],
        column in proptest::num::u32::ANY, scan in proptest::num::u32::ANY,
        intensity in proptest::num::f32::POSITIVE,
    ) {
        use crate::pulse::detector::{Detection, Detections};
        let keys = ["sigma_m = 0.02", "mean_m = 0", "bias_sigma_m = 0.01", "bias_m = [0.1, 0.1]",
            "ambiguity_m = 9", "share = 0.5", "period_columns = 12", "gamma = 5", "hurst = 0.9",
            "drift_deg = 1", "range_m = 40", "reflectivity = 0.1", "extinction_per_m = 0", "near_m = 9"];
        let number = format!("{value:?}").replace("NaN", "nan");
        let line = |index: usize| match (index == key, keys[index].split_once(" = ")) {
            (true, Some((name, old))) if old.starts_with('[') => format!("{name} = [{number}, 1]\n"),
            (true, Some((name, _))) => format!("{name} = {number}\n"),
            _ => format!("{}\n", keys[index]),
        };
        let lines = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
        let text = format!(
            "{BASE}[range_error]\nmodel = 'constant'\n{}[range_error.correlation]\n{}\
             [range_limit]\nmodel = 'physical'\n{}",
            lines(0..5), lines(5..10), lines(10..14)
        );
        if let Ok(sensor) = Sensor::from_toml(&text, "my.toml") {
            let detection = Detection {
                range_m: 25.0, intensity, truth: Some(0), sub_ray_hits: 1, near_m: 25.0, far_m: 25.0,
            };
            let found = Detections::from_pulses([vec![detection]].into_iter());
            let pulses = Pulses {
                channel: vec![1], scan: vec![scan], column: vec![column], ..Pulses::default()
            };
            let mut measured_m = Vec::new();
            let key = crate::rng::BatchKey { seed: 1, sensor: 0, first_pulse: pulses.first };
            sensor.range_model.measure(&found, &pulses, key, &mut measured_m);
            proptest::prop_assert!(measured_m[0].is_finite() && measured_m[0] >= 0.0);
            sensor.sensitivity.detects(0.5, 0.5, 10.0);
            proptest::prop_assert!(!sensor.describe().is_empty());
        }
    }

    #[test]
    fn no_number_in_a_sensor_file_makes_it_panic(
        key in 0usize..14,
        value in proptest::prop_oneof![
            proptest::num::f64::ANY,
            proptest::prelude::Just(0.0), proptest::prelude::Just(1e300), proptest::prelude::Just(-1.0),
        ],
        kind in 0usize..3,
        time_s in proptest::num::f64::ANY,
    ) {
        let keys = ["wavelength_nm = 905", "rotation_hz = 10", "cycle_us = 50", "horizontal_mrad = 3",
            "vertical_mrad = 3", "range_min_m = 1", "range_max_m = 100", "signal_cutoff_m = 1",
            "[-1, 1]", "[0, 2]", "azimuth_step_deg = 1", "azimuth_min_deg = -9", "azimuth_max_deg = 9",
            "'circular'"];
        let base = match kind {
            0 => BASE.to_string(),
            1 => BASE.replace("cycle_us = 50", "azimuth_step_deg = 1\nazimuth_min_deg = -9\nazimuth_max_deg = 9"),
            _ => BASE.replace("cycle_us = 50", "interlace = 3\nazimuth_step_deg = 1"),
        };
        let from = keys[key];
        let number = format!("{value:?}").replace("NaN", "nan");
        let to = match from.split_once(" = ") {
            Some((name, _)) => format!("{name} = {number}"),
            None => format!("[{number}, 1]"),
        };
        if let Ok(sensor) = Sensor::from_toml(&base.replace(from, &to), "my.toml") {
            let mut pulses = Pulses::default();
            let first = sensor.pattern.first_pulse_at(time_s).min(u64::MAX - 100);
            sensor.pattern.fill(first..first + 50, &mut pulses);
            assert_eq!(pulses.len(), 50);
            assert!(!sensor.describe().is_empty());
        }
    }
}

/// The table of docs/add-a-sensor.md has every preset once, and calls its angles and its divergence
/// uncertain where the preset's own file does, and nowhere else.
#[test]
fn the_manual_says_which_numbers_are_uncertain() {
    let manual = std::fs::read_to_string(root().join("docs/add-a-sensor.md")).unwrap();
    let table = manual.split("| presets | angles of the beams | divergence |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut named: Vec<String> = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        let [_, presets, angles, divergence, _] = cells[..] else { panic!("{row}") };
        for name in presets.split('`').skip(1).step_by(2) {
            let file =
                std::fs::read_to_string(root().join(format!("sensors/{name}.toml"))).unwrap();
            let file: toml::Table = file.parse().unwrap();
            let none = Vec::new();
            let uncertain = file.get("uncertain").map_or(&none, |list| list.as_array().unwrap());
            let any = |keys: &[&str]| {
                let is =
                    |key: &toml::Value| keys.iter().any(|k| key.as_str().unwrap().starts_with(k));
                uncertain.iter().any(is)
            };
            let of_angles = ["channels.elevation", "channels.azimuth", "harmonic.", "risley.wedge"];
            assert_eq!(angles.contains("uncertain"), any(&of_angles), "angles of {name}");
            let of_divergence = divergence.contains("uncertain");
            assert_eq!(of_divergence, any(&["beam.divergence"]), "divergence of {name}");
            named.push(name.to_owned());
        }
    }
    named.sort();
    let mut all: Vec<String> =
        understory_files::sensor::presets().iter().map(|(name, _)| (*name).to_owned()).collect();
    all.sort();
    assert_eq!(named, all);
}
