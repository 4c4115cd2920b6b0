//! LAS as foresters read it: flight lines, scan angles, classes, coordinate system, names.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{
    MemorySink, MultiSink, OutputFormat, ReadOptions, Recording, Records, SinkOptions, open_sink,
};
use understory_testing::{Python, recordings};

/// Two lines over a slope with trees: to the east along y = 8, a turn, and back along y = −8. The
/// turn takes as long as a line.
const SURVEY: &str = r#"
version = 1
seed = 3
duration_s = 3.0

[world]
crs = "EPSG:25832"

[world.terrain]
plane = { centre_m = [500000.0, 5400000.0], size_m = [120.0, 120.0], spacing_m = 1.0 }
features = [{ kind = "slope", slope_deg = 8.0, uphill_deg = 90.0, pivot_m = [500000.0, 5400000.0] }]

[[world.plant]]
name = "beech"
species = "beech-outlined"
area = { centre_m = [500000.0, 5400000.0], size_m = [60.0, 60.0] }
spacing_m = 9.0

[[world.object]]
name = "hut"
shape = "box"
size_m = [6.0, 6.0, 5.0]
position_m = [500000.0, 5400040.0, 0.0]
on_ground = true
label = "building"

[[sensor]]
name = "airborne"
preset = "riegl-vq-480-ii"
[sensor.override.scanning_mirror]
pulse_rate_khz = 150.0
lines_per_s = 40.0

[platform]
waypoints = [
    { time_s = 0.0, position_m = [499970.0, 5400008.0, 80.0] },
    { time_s = 1.0, position_m = [500030.0, 5400008.0, 80.0] },
    { time_s = 2.0, position_m = [500030.0, 5399992.0, 80.0], active = false },
    { time_s = 3.0, position_m = [499970.0, 5399992.0, 80.0] },
]
"#;

#[test]
fn las_is_what_foresters_expect() {
    let Some(python) = Python::find() else { return };
    let scenario = Scenario::from_toml(SURVEY, "survey", Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = scenario.sink_options(&prepared);
    let memory = MemorySink::default();
    let mut sinks: Vec<Box<dyn understory_cloud::RecordSink>> = vec![Box::new(memory.clone())];
    for name in ["survey.laz", "survey.parquet"] {
        let path = folder.path().join(name);
        sinks.push(open_sink(&path, OutputFormat::from_path(&path).unwrap(), &options).unwrap());
    }
    let sink = Box::new(MultiSink::new(sinks));
    let (summary, report) = run(&prepared, &RunOptions::default(), sink, &Silent).unwrap();
    // Two seconds of three are fired, within the lines at their ends.
    let always = Scenario::from_toml(&SURVEY.replace(", active = false", ""), "all", Path::new(""));
    let always = always.unwrap().prepare().unwrap();
    let all = understory::run::pulses(&always, &RunOptions::default()).unwrap();
    assert!((3 * summary.pulses).abs_diff(2 * all) < all / 100, "{} of {all}", summary.pulses);
    assert!(report.dropped_fields.iter().any(|what| what.contains("pulses without a return")));
    let records = memory.records();
    assert!(records.time_s.iter().all(|t| !(1.0..2.0).contains(t)), "fired on the turn");
    let misses = records.len() - records.return_rows();
    assert!(misses > 0 && records.return_rows() > 100_000);

    // What foresters do first: CRS, classes, height normalisation, a filter of scan angles. The
    // ground rises by tan 8° to the north, from 0 in the middle of the terrain.
    let script = r#"
import json, sys
import laspy, numpy as np, pyarrow.parquet as pq, pyproj
las = laspy.read(sys.argv[1])
crs = las.header.parse_crs()
assert isinstance(crs, pyproj.CRS) and crs.to_epsg() == 25832, crs
assert not any(np.isnan(np.asarray(las[d], dtype=float)).any() for d in las.point_format.dimension_names)
lines = np.asarray(las.point_source_id)
assert set(lines) == {1, 2}, set(lines)
assert (np.asarray(las.gps_time)[lines == 1] <= 1.0).all()
assert (np.asarray(las.gps_time)[lines == 2] >= 2.0).all()
x, y, z = (np.asarray(v) for v in (las.x, las.y, las.z))
ground = np.tan(np.radians(8.0)) * (y - 5400000.0)
height = z - ground
classes = np.asarray(las.classification)
label = np.asarray(las["label"])
# What the receiver's noise alone made is of no class.
assert ((classes == 1) == (np.asarray(las["object"]) == 0)).all() and (classes == 1).mean() < 0.005
assert set(classes) == {1, 2, 3, 4, 5, 6}, set(classes)
assert ((classes == 2) == (label == 72)).all()
assert np.abs(height[classes == 2]).max() < 0.15, np.abs(height[classes == 2]).max()
assert ((classes == 6) == (label == 50)).all() and (classes == 6).any()
for which, low, high in ((3, -9.0, 0.5), (4, 0.5, 2.0), (5, 2.0, 99.0)):
    of = height[classes == which]
    assert of.size > 20 and (of > low - 2e-3).all() and (of < high + 2e-3).all(), (which, of.size)
# Heights above the ground from the points of class 2 alone, by the ten nearest (as knnidw of lidR).
ground_points = np.stack([x, y, z], axis=1)[classes == 2]
plants = np.flatnonzero((classes >= 3) & (classes <= 5))
off = []
for point in np.random.default_rng(1).choice(plants, 400, replace=False):
    d2 = (ground_points[:, 0] - x[point]) ** 2 + (ground_points[:, 1] - y[point]) ** 2
    nearest = np.argpartition(d2, 10)[:10]
    weight = 1.0 / np.maximum(d2[nearest], 1e-6)
    below = (weight * ground_points[nearest, 2]).sum() / weight.sum()
    off.append(abs(z[point] - below - height[point]))
assert np.median(off) < 0.03 and np.percentile(off, 95) < 0.15, (np.median(off), np.percentile(off, 95))
# The hut stands on the slope: its roof is 5 m above the ground under its middle.
roof = classes == 6
assert abs(z[roof].max() - np.tan(np.radians(8.0)) * 40.0 - 5.0) < 0.2, z[roof].max()
# Scan angles: positive to the right of the track, which is south on line 1 and north on line 2.
angle = np.asarray(las.scan_angle) * 0.006
centre = np.where(lines == 1, 5400008.0, 5399992.0)
right = np.where(lines == 1, centre - y, y - centre)
expected = np.degrees(np.arctan2(right, 80.0 - z))
flat = classes == 2
assert np.abs(angle[flat] - expected[flat]).max() < 0.05, np.abs(angle[flat] - expected[flat]).max()
assert angle.min() < -30.0 and angle.max() > 30.0 and np.abs(angle).max() < 40.0
near = np.abs(angle) < 10
assert 0 < near.sum() < len(angle) and np.abs(right[near & flat]).max() < 80 * np.tan(np.radians(11))
# Overlap: what lies abeam of the other line, within its angles; a point at the very edge may be either.
other = np.where(lines == 1, 5399992.0, 5400008.0)
off_deg = np.degrees(np.arctan2(np.abs(y - other), 80.0 - z))
abeam = (x > 499970.0) & (x < 500030.0)
# Returns that noise made may lie anywhere, beyond the sensor's range too.
met = np.asarray(las["object"]) > 0
flag = np.asarray(las.overlap) == 1
inside = met & abeam & (off_deg < np.abs(angle).max() - 0.1)
outside = met & (~abeam | (off_deg > np.abs(angle).max() + 0.1))
assert flag[inside].all() and not flag[outside].any(), (flag[inside].mean(), flag[outside].mean())
assert inside.sum() > 1000 and outside.sum() > 1000, (inside.sum(), outside.sum())
# Names stand in the file.
evlr = [e for e in las.evlrs if e.user_id == "Understory" and e.record_id == 2]
names = json.loads(evlr[0].record_data)
assert names["objects"][int(las["object"][roof][0]) - 1] == "hut"
meta = pq.read_metadata(sys.argv[2]).metadata
assert json.loads(meta[b"understory:names"]) == names
print(len(las))
"#;
    let laz = folder.path().join("survey.laz");
    let parquet = folder.path().join("survey.parquet");
    let out = python.run(["-c".as_ref(), script.as_ref(), laz.as_os_str(), parquet.as_os_str()]);
    assert_eq!(out.trim(), records.return_rows().to_string());
    // Reading and writing again loses nothing of it.
    let read = understory_cloud::describe(&laz).unwrap();
    assert!(read.crs_wkt.unwrap().contains("25832"));
    assert_eq!(read.names.unwrap(), prepared.scene.names());
}

/// What foresters rely on in any airborne file: it holds for three that they work with, and for ours.
#[test]
fn ours_reads_like_the_files_of_real_surveys() {
    let (Some(python), Some(real)) = (Python::find(), recordings("forest-laz")) else { return };
    let scenario = Scenario::from_toml(SURVEY, "survey", Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ours = folder.path().join("ours.laz");
    let sink = open_sink(&ours, OutputFormat::Laz, &scenario.sink_options(&prepared)).unwrap();
    run(&prepared, &RunOptions::default(), sink, &Silent).unwrap();
    let script = r#"
import sys
import laspy, numpy as np
known = {1, 2, 3, 4, 5, 6, 7, 9, 11, 18}
for path in sys.argv[1:]:
    las = laspy.read(path)
    number, count = np.asarray(las.return_number), np.asarray(las.number_of_returns)
    assert ((1 <= number) & (number <= count)).all(), path
    # Most pulses have their first return in the file, some had several.
    assert 0.5 < (number == 1).mean() and 0.02 < (count > 1).mean() < 0.9, path
    classes = np.asarray(las.classification)
    assert set(classes) <= known and (classes == 2).any(), (path, set(classes))
    angle = np.asarray(las.scan_angle) * 0.006 if las.header.point_format.id >= 6 else np.asarray(las.scan_angle_rank)
    assert angle.min() < 0 < angle.max() and np.abs(angle).max() < 60, (path, angle.min(), angle.max())
    time = np.asarray(las.gps_time)
    assert np.isfinite(time).all() and len(np.unique(time)) > 0.3 * len(time), path
    # Returns of one pulse have one time, and later ones lie lower under a sensor that looks down.
    order = np.lexsort((number, time))
    t, n, z = time[order], number[order], np.asarray(las.z)[order]
    next_of_pulse = (np.diff(t) == 0) & (np.diff(n) == 1)
    # (One of the real files holds first returns alone.)
    if (number > 1).any():
        assert next_of_pulse.sum() > 100 and (np.diff(z)[next_of_pulse] < 0).mean() > 0.95, path
    # In squares of 10 m the ground is lower than what stands on it.
    x, y = np.asarray(las.x), np.asarray(las.y)
    square = (np.floor(x / 10) * 1_000_000 + np.floor(y / 10)).astype(np.int64)
    lower = total = 0
    for cell in np.unique(square):
        at = square == cell
        ground = np.asarray(las.z)[at & (classes == 2)]
        above = np.asarray(las.z)[at & (classes != 2)]
        if len(ground) > 4 and len(above) > 4:
            total += 1
            lower += np.median(ground) <= np.percentile(above, 60)
    assert total > 10 and lower > 0.9 * total, (path, lower, total)
print(len(sys.argv) - 1)
"#;
    let files = ["Megaplot.laz", "MixedConifer.laz", "Topography.laz"].map(|name| real.join(name));
    let paths = files.iter().chain([&ours]).map(|path| path.as_os_str());
    let out = python.run(["-c".as_ref(), script.as_ref()].into_iter().chain(paths));
    assert_eq!(out.trim(), "4");
}

/// A file for each line holds what the one file holds of it.
#[test]
fn strips_are_the_lines_of_the_whole() {
    let text = format!("{SURVEY}\n[output]\nstrips = true\n");
    let scenario = Scenario::from_toml(&text, "survey", Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let strips = scenario.sink_options(&prepared);
    let whole = SinkOptions { strips: false, ..strips.clone() };
    let open = |name: &str, options: &SinkOptions| {
        let path = folder.path().join(name);
        open_sink(&path, OutputFormat::from_path(&path).unwrap(), options).unwrap()
    };
    let sinks = vec![open("all.laz", &whole), open("survey.laz", &strips)];
    let sink = Box::new(MultiSink::new(sinks));
    let (_, report) = run(&prepared, &RunOptions::default(), sink, &Silent).unwrap();
    let names = ["all.laz", "survey_line1.laz", "survey_line2.laz"];
    assert_eq!(report.paths, names.map(|name| folder.path().join(name)));
    let read = |name: &str| {
        let path = folder.path().join(name);
        let mut recording = Recording::open(&path, &ReadOptions::default()).unwrap();
        let (mut rows, mut batch) = (Records::default(), Records::default());
        while recording.next_batch(&mut batch).unwrap() {
            rows.append(&batch);
        }
        rows
    };
    let [all, mut first, second] = names.map(read);
    assert!(first.len() > 50_000 && second.len() > 50_000);
    assert!(first.time_s.iter().all(|t| *t <= 1.0) && second.time_s.iter().all(|t| *t >= 2.0));
    first.append(&second);
    assert_eq!(first.world_xyz_m, all.world_xyz_m);
    assert_eq!(first.label, all.label);
    let refused = |text: &str| match Scenario::from_toml(text, "survey", Path::new("")) {
        Ok(_) => panic!("taken"),
        Err(error) => error.to_string(),
    };
    let always = refused(&text.replace(", active = false", ""));
    assert!(always.contains("no flight lines") && always.contains("active = false"), "{always}");
}

#[test]
fn intervals_of_a_survey_join_to_the_whole() {
    let scenario = Scenario::from_toml(SURVEY, "survey", Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    let rows = |interval_s| {
        let memory = MemorySink::default();
        let options = RunOptions { interval_s, ..RunOptions::default() };
        run(&prepared, &options, Box::new(memory.clone()), &Silent).unwrap();
        memory.take_records()
    };
    let mut joined = rows(Some((0.0, 0.93)));
    joined.append(&rows(Some((0.93, 2.01))));
    joined.append(&rows(Some((2.01, 3.0))));
    let whole = rows(None);
    assert_eq!(joined.len(), whole.len());
    assert_eq!(joined.pulse, whole.pulse);
    assert_eq!(joined.time_s, whole.time_s);
}

fn refusal(change: &str, to: &str) -> String {
    let text = SURVEY.replace(change, to);
    assert_ne!(text, SURVEY);
    let checked = Scenario::from_toml(&text, "survey", Path::new(""));
    match checked.and_then(|scenario| scenario.prepare().map(|_| ())) {
        Ok(()) => panic!("{to} was taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn wrong_systems_and_places_are_named() {
    let crs = "crs = \"EPSG:25832\"";
    let degrees = refusal(crs, "crs = \"EPSG:4326\"");
    assert!(degrees.contains("survey:7") && degrees.contains("in degrees"), "{degrees}");
    let unknown = refusal(crs, "crs = \"EPSG:1\"");
    assert!(unknown.contains("not known here") && unknown.contains("WKT"), "{unknown}");
    let text = refusal(crs, "crs = \"UTM 32\"");
    assert!(text.contains("EPSG:25832"), "{text}");
    let off = refusal("[500000.0, 5400040.0, 0.0]", "[500135.0, 5400040.0, 0.0]");
    assert!(off.contains("\"hut\" is not on the terrain at x = 500135.00"), "{off}");
    let first = refusal(
        "5400008.0, 80.0] },\n    { time_s = 1.0",
        "5400008.0, 80.0], active = false },\n    { time_s = 1.0",
    );
    assert!(first.contains("nothing leads to it"), "{first}");
}

/// The system that a GeoTIFF names is that of the world and goes into its files; another one beside it
/// is refused, as a code and as text; without one there is none, and `crs` gives it.
#[test]
fn the_system_of_a_geotiff_is_that_of_the_world() {
    let data =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../understory-plants/src/terrain/tests/data");
    let folder = tempfile::tempdir().unwrap();
    let named = std::fs::read(data.join("gdal_tiled_deflate_f32.tif")).unwrap();
    // The directory of geographic keys, tag 34735 of 16-bit numbers, under a number that means nothing.
    let mut bare = named.clone();
    let at = bare.windows(4).position(|window| window == [0xaf, 0x87, 3, 0]).unwrap();
    bare[at..at + 2].copy_from_slice(&34_734u16.to_le_bytes());
    std::fs::write(folder.path().join("named.tif"), named).unwrap();
    std::fs::write(folder.path().join("bare.tif"), bare).unwrap();
    let world = |file: &str, crs: &str| {
        let text = format!(
            "version = 1\nseed = 1\nduration_s = 0.1\n[world]\n{crs}\n[world.terrain]\n\
             heightmap = {{ path = \"{file}\", holes = \"fill\" }}\n[[sensor]]\nname = \"a\"\n\
             preset = \"vlp-16\"\n[platform]\nposition_m = [500009.0, 5399995.0, 200.0]\n"
        );
        let scenario = Scenario::from_toml(&text, "tif", folder.path())?;
        let run = scenario.prepare()?;
        Ok::<_, understory::Error>(scenario.sink_options(&run).crs_wkt)
    };
    let utm = world("named.tif", "").unwrap().unwrap();
    assert!(utm.starts_with("PROJCS[\"WGS 84 / UTM zone 32N\""), "{utm}");
    assert_eq!(world("bare.tif", "").unwrap(), None);
    assert_eq!(world("bare.tif", "crs = \"EPSG:32632\"").unwrap(), Some(utm.clone()));
    assert_eq!(world("named.tif", &format!("crs = '{utm}'")).unwrap(), Some(utm.clone()));
    let zone_33 = world("bare.tif", "crs = \"EPSG:32633\"").unwrap().unwrap();
    for other in ["crs = \"EPSG:32633\"".to_owned(), format!("crs = '{zone_33}'")] {
        let error = world("named.tif", &other).unwrap_err().to_string();
        let said = "`crs` is EPSG:32633, but the file of the terrain is in EPSG:32632";
        assert!(error.contains(said) && error.contains("gdalwarp"), "{error}");
    }
}
