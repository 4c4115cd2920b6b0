//! Waveforms beside points: LAS 1.4 packets and NumPy arrays, read by laspy and NumPy.

use crate::common::{part, records};
use std::path::Path;
use std::slice::from_ref;
use understory_cloud::{CloudError, OutputFormat, Records, SinkOptions, WaveformFormat, open_sink};
use understory_testing::Python;

const BIN_PS: u32 = 1000;
const BIN_M: f64 = 299_792_458.0 * 0.5e-9;

/// The usual records of two sensors, each pulse with returns having a segment at every return.
fn with_waveforms() -> Records {
    let mut rows = records(400, [500_123.4, 5_400_321.9, 102.0]);
    for row in 0..rows.len() {
        rows.sensor[row] = u16::from(rows.pulse[row].is_multiple_of(3));
        if rows.is_miss(row) {
            continue;
        }
        // Returns of one pulse are 1 m apart, and its segments do not overlap.
        let alone = 11 + (rows.pulse[row] as usize * 7) % 90;
        let bins = if rows.return_count[row] > 1 { 6 } else { alone };
        let first_bin = (f64::from(rows.range_m[row]) / BIN_M).round() - 5.0;
        let sample = |i: usize| {
            let u = (i as f64 - 5.0) / 2.1;
            (2e-7 * (-0.5 * u * u).exp() - 1e-9 * (i % 3) as f64) as f32
        };
        let samples: Vec<f32> = (0..bins).map(sample).collect();
        let (sensor, pulse) = (rows.sensor[row], rows.pulse[row]);
        rows.waveforms.push(sensor, pulse, first_bin * BIN_M, BIN_M, &samples);
    }
    for (i, direction) in rows.waveforms.direction.iter_mut().enumerate() {
        let (sin, cos) = (i as f32).sin_cos();
        *direction = [cos, 0.6 * sin, 0.8 * sin];
    }
    rows
}

fn options() -> SinkOptions {
    let format = |sensor, gain| WaveformFormat { sensor, bin_ps: BIN_PS, gain };
    SinkOptions { waveforms: vec![format(0, 1e-10), format(1, 2e-12)], ..SinkOptions::default() }
}

fn write(path: &Path, format: OutputFormat, batches: &[Records]) -> Vec<String> {
    let mut sink = open_sink(path, format, &options()).unwrap();
    batches.iter().for_each(|batch| sink.write(batch).unwrap());
    let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    sink.finish().unwrap().paths.iter().map(name).collect()
}

#[test]
fn laspy_and_numpy_read_the_waveforms() {
    let dir = tempfile::tempdir().unwrap();
    let records = with_waveforms();
    let las = write(&dir.path().join("a.las"), OutputFormat::Las, from_ref(&records));
    assert_eq!(las, ["a.las", "a.wdp"]);
    let npy = write(&dir.path().join("a.npy"), OutputFormat::Npy, from_ref(&records));
    assert_eq!(npy, ["a.npy", "a.waveforms.npy", "a.samples.npy"]);
    let Some(python) = Python::find() else {
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_waveforms.py");
    let output = python.command().arg(script).arg(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}

/// However the rows are cut into batches, even between two returns of one pulse.
#[test]
fn batches_do_not_change_the_packets() {
    let dir = tempfile::tempdir().unwrap();
    let whole = with_waveforms();
    let bytes = |name: &str, batches: &[Records]| {
        let path = dir.path().join(name);
        write(&path, OutputFormat::Las, batches);
        (std::fs::read(&path).unwrap(), std::fs::read(path.with_extension("wdp")).unwrap())
    };
    let one = bytes("one.las", from_ref(&whole));
    let cut = (1..whole.len()).find(|&i| whole.return_number[i] == 2).unwrap();
    let mut parts = [part(&whole, 0, cut), part(&whole, cut, whole.len())];
    // The waveforms of a pulse come with its first row.
    let last = whole.pulse[cut];
    for i in 0..whole.waveforms.len() {
        let (sensor, pulse) = (whole.waveforms.sensor[i], whole.waveforms.pulse[i]);
        let to = &mut parts[usize::from(pulse > last)].waveforms;
        let first_m = whole.waveforms.first_range_m[i];
        to.push(sensor, pulse, first_m, BIN_M, whole.waveforms.samples(i));
        *to.direction.last_mut().unwrap() = whole.waveforms.direction[i];
    }
    assert_eq!(one, bytes("two.las", &parts));
}

#[test]
fn laz_and_too_many_sensors_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let Err(error) = open_sink(&dir.path().join("a.laz"), OutputFormat::Laz, &options()) else {
        panic!()
    };
    assert!(matches!(error, CloudError::WaveformsInLaz { .. }));
    assert!(error.to_string().contains("write .las instead"), "{error}");
    let format = |sensor| WaveformFormat { sensor, bin_ps: BIN_PS, gain: 1.0 };
    let many = SinkOptions { waveforms: (0..16).map(format).collect(), ..SinkOptions::default() };
    let Err(error) = open_sink(&dir.path().join("a.las"), OutputFormat::Las, &many) else {
        panic!()
    };
    assert!(error.to_string().contains("16 sensors"), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
