//! Line scanners, cameras, Risley and scanning mirrors: presets against their makers, and bad files.

use glam::DVec3;

use super::tests::{angle_deg, shared_bytes};
use super::*;
use crate::pulse::beam::{Beams, Footprint};
use crate::pulse::scan_pattern::{Kind, Pulses};
use crate::world::trajectory::{Pose, Poses, Trajectory};

fn pulses_until(sensor: &Sensor, time_s: f64) -> Pulses {
    let mut pulses = Pulses::default();
    sensor.pattern.fill(0..sensor.pattern.first_pulse_at(time_s), &mut pulses);
    pulses
}

/// Least and greatest of some numbers.
fn span(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], n| [low.min(n), high.max(n)])
}

fn azimuth_deg(direction: &DVec3) -> f64 {
    direction.y.atan2(direction.x).to_degrees()
}

fn elevation_deg(direction: &DVec3) -> f64 {
    direction.z.asin().to_degrees()
}

#[test]
fn fields_of_view_are_those_of_the_makers() {
    for (name, azimuth, elevation, slack_deg) in [
        ("livox-mid-40", [-19.2, 19.2], [-19.2, 19.2], 0.1),
        ("livox-mid-70", [-35.2, 35.2], [-35.2, 35.2], 0.1),
        ("livox-avia", [-35.2, 35.2], [-38.6, 38.6], 0.2),
        ("livox-mid-360", [-180.0, 180.0], [-7.0, 52.0], 0.3),
        ("riegl-vz-400", [-24.0, 0.0], [-40.0, 60.0], 0.1),
        ("riegl-vq-480-ii", [-90.0, 90.0], [-90.0, -52.5], 0.02),
        ("altm-3100", [-90.0, 90.0], [-90.0, -70.0], 0.05),
        // From pixel centre to pixel centre, half a pixel less on each side.
        ("kinect-v2", [-35.0, 35.0], [-30.0, 30.0], 0.1),
        ("swissranger-sr4000", [-21.8, 21.8], [-17.3, 17.3], 0.15),
        ("pmd-camcube", [-20.0, 20.0], [-20.0, 20.0], 0.15),
        ("azure-kinect-nfov", [-37.5, 37.5], [-32.5, 32.5], 0.1),
    ] {
        let sensor = Sensor::preset(name).unwrap();
        let camera = matches!(sensor.pattern.kind(), Kind::CameraGrid(_));
        let pulses = pulses_until(&sensor, if camera { 0.03 } else { 3.0 });
        let [left, right] = span(pulses.direction.iter().map(azimuth_deg));
        let [low, high] = span(pulses.direction.iter().map(elevation_deg));
        println!("{name:20} azimuth {left:.3}° to {right:.3}°, elevation {low:.3}° to {high:.3}°");
        for (ours, theirs) in [left, right, low, high].iter().zip(azimuth.iter().chain(&elevation))
        {
            assert!((ours - theirs).abs() <= slack_deg, "{name}: {ours} instead of {theirs}");
        }
    }
}

#[test]
fn rosettes_of_two_wedges_are_round_and_reach_their_middle() {
    for (name, radius_deg) in [("livox-mid-40", 19.2), ("livox-mid-70", 35.2)] {
        let pulses = pulses_until(&Sensor::preset(name).unwrap(), 2.0);
        // In each of 36 directions around the axis the rosette reaches as far.
        let mut farthest = [0.0_f64; 36];
        let mut nearest = f64::INFINITY;
        for direction in &pulses.direction {
            let off_deg = direction.x.acos().to_degrees();
            let around = direction.z.atan2(direction.y).to_degrees().rem_euclid(360.0);
            let sector = (around / 10.0) as usize % 36;
            farthest[sector] = farthest[sector].max(off_deg);
            nearest = nearest.min(off_deg);
        }
        let [least, most] = span(farthest.into_iter());
        assert!(most - least < 0.02 && (most - radius_deg).abs() < 0.1, "{name}: {least} {most}");
        assert!(nearest < 0.1, "{name}: {nearest}");
    }
}

/// Directions of a table of Livox: azimuth as u16 of a turn, elevation as i16 of 90°.
fn livox_table(name: &str) -> Option<Vec<DVec3>> {
    let bytes = shared_bytes(name)?;
    let direction = |row: &[u8]| {
        let azimuth = f64::from(u16::from_le_bytes([row[0], row[1]])) * 360.0 / 65536.0;
        let elevation = f64::from(i16::from_le_bytes([row[2], row[3]])) * 90.0 / 32768.0;
        let (sin, cos) = azimuth.to_radians().sin_cos();
        let (up, out) = elevation.to_radians().sin_cos();
        DVec3::new(out * cos, out * sin, up)
    };
    Some(bytes.chunks_exact(4).map(direction).collect())
}

#[test]
fn livox_scanners_follow_their_own_tables() {
    for (name, file, rms_deg, worst_deg) in [
        ("livox-avia", "livox/livox_avia.u16i16le.bin", 0.36, 0.82),
        ("livox-mid-360", "livox/livox_mid360.u16i16le.bin", 0.10, 0.36),
    ] {
        let Some(table) = livox_table(file) else { return };
        let pulses = pulses_until(&Sensor::preset(name).unwrap(), 4.0);
        assert_eq!(pulses.len(), table.len(), "{name}");
        let angles = || pulses.direction.iter().zip(&table).map(|(a, b)| angle_deg(*a, *b));
        let rms = (angles().map(|a| a * a).sum::<f64>() / table.len() as f64).sqrt();
        let worst = angles().fold(0.0, f64::max);
        println!("{name}: {rms:.4}° root mean square, {worst:.4}° worst over 4 s");
        assert!(rms < rms_deg && worst < worst_deg, "{name}: {rms} {worst}");
    }
}

/// Share of cells of 0.5° × 0.5° within `half_deg` of the axis that a scanner looked into.
fn coverage(directions: &[DVec3], half_deg: [f64; 2]) -> f64 {
    let [columns, rows] = half_deg.map(|half| (4.0 * half) as usize);
    let mut seen = vec![false; columns * rows];
    for direction in directions {
        let column = (azimuth_deg(direction) + half_deg[0]) * 2.0;
        let row = (elevation_deg(direction) + half_deg[1]) * 2.0;
        if column >= 0.0 && row >= 0.0 && (column as usize) < columns && (row as usize) < rows {
            seen[row as usize * columns + column as usize] = true;
        }
    }
    seen.iter().filter(|cell| **cell).count() as f64 / seen.len() as f64
}

#[test]
fn the_avia_fills_its_field_as_its_table_does() {
    let Some(table) = livox_table("livox/livox_avia.u16i16le.bin") else { return };
    let pulses = pulses_until(&Sensor::preset("livox-avia").unwrap(), 1.0);
    let mut last = 0.0;
    for (time_s, least) in [(0.1, 0.3), (0.2, 0.5), (0.5, 0.8), (1.0, 0.9)] {
        let count = (time_s * 240_000.0) as usize;
        let ours = coverage(&pulses.direction[..count], [25.0, 25.0]);
        let theirs = coverage(&table[..count], [25.0, 25.0]);
        println!("avia {time_s} s: {:.1} % of the field, table {:.1} %", ours * 1e2, theirs * 1e2);
        assert!((ours - theirs).abs() < 0.03 && ours > last && ours > least, "{time_s} s: {ours}");
        last = ours;
    }
}

#[test]
fn the_lux_has_four_layers_inside_and_two_outside() {
    let text = preset_text("ibeo-lux").unwrap();
    for (rotation, step) in [("12.5", 0.125), ("25.0", 0.25), ("50.0", 0.5)] {
        let text = text.replace("rotation_hz = 12.5", &format!("rotation_hz = {rotation}"));
        let sensor = Sensor::from_toml(&text, "lux.toml").unwrap();
        let Kind::LineMirror(mirror) = sensor.pattern.kind() else { panic!() };
        let frames = &mirror.spec().frames;
        assert!((frames.azimuth_step_rad().to_degrees() - step).abs() < 1e-8);
        for column in frames.columns() {
            let azimuth = column.azimuth_rad.to_degrees();
            let inside = (-50.0 - 1e-6..=35.0 + 1e-6).contains(&azimuth);
            assert_eq!(column.firings, if inside { 4 } else { 2 }, "{azimuth}°");
        }
        let [low, high] = frames.azimuth_limits_rad().map(f64::to_degrees);
        assert!((low + 60.0).abs() < 1e-4 && (high - 50.0).abs() < 1e-9, "{low} {high}");
    }
    // The layers come together to the side: at 60° by cos 60°.
    let pulses = pulses_until(&Sensor::from_toml(text, "lux.toml").unwrap(), 0.08);
    let mut ahead = [0.0; 4];
    for i in 0..pulses.len() {
        if azimuth_deg(&pulses.direction[i]).abs() < 0.07 {
            ahead[usize::from(pulses.channel[i])] = elevation_deg(&pulses.direction[i]);
        }
    }
    for (ours, layer) in ahead.iter().zip([-1.2, -0.4, 0.4, 1.2]) {
        assert!((ours - layer).abs() < 1e-4, "{ahead:?}");
    }
}

/// Sub-rays of a pixel lie in its own patch of the image, whatever its place.
#[test]
fn the_footprint_of_a_pixel_is_its_own_field() {
    let sensor = Sensor::preset("kinect-v2").unwrap();
    let Kind::CameraGrid(camera) = sensor.pattern.kind() else { panic!() };
    let [focal_u, focal_v] = camera.spec().focal_px;
    let footprint = Footprint::new(&sensor.beam);
    assert_eq!(footprint.rays_per_pulse(), 9);
    let mut pulses = Pulses::default();
    let pose = Pose::from_position_and_rpy_deg([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]);
    let (mut poses, mut beams) = (Poses::default(), Beams::default());
    for first in [0u64, 511, 512 * 200 + 40, 512 * 424 - 1] {
        sensor.pattern.fill(first..first + 1, &mut pulses);
        Trajectory::fixed(pose).poses_at(&pulses.time_s, &Pose::IDENTITY, &mut poses);
        footprint.spread(&pulses, &poses, &mut beams);
        let (u, v) = (f64::from(pulses.column[0]), f64::from(pulses.channel[0]));
        let mut middle = [0.0; 2];
        for direction in beams.directions(0) {
            let d = pose.rotation.inverse() * *direction;
            let off_u = 255.5 - focal_u * d.y / d.x - u;
            let off_v = 211.5 - focal_v * d.z / d.x - v;
            // The stencil stands at 0.7071 of the half extents.
            for off in [off_u, off_v] {
                assert!((off.abs() - 0.353_553).abs() < 1e-4 || off.abs() < 1e-4, "{off}");
            }
            middle = [middle[0] + off_u / 9.0, middle[1] + off_v / 9.0];
        }
        assert!(middle[0].abs() < 1e-4 && middle[1].abs() < 1e-4);
    }
}

const TAIL: &str = "[beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 1\n\
    divergence_vertical_mrad = 1\n[detector]\nrange_min_m = 1\nrange_max_m = 9\n\
    return_mode = 'first'\nsignal_cutoff_m = 1\n";
const LINE: &str = "[line_mirror]\ndirection = 'clockwise'\nrotation_hz = 10\nazimuth_min_deg = -9\n\
    azimuth_max_deg = 9\nazimuth_step_deg = 1\nlayer_deg = [-1, 1]\n";
const CAMERA: &str =
    "[camera_grid]\npixels = [8, 6]\nfield_of_view_deg = [40, 30]\nframe_hz = 10\n";
const RISLEY: &str = "[risley]\npulse_rate_khz = 100\nframe_hz = 10\nlaser_elevation_deg = [0]\n\
    [[risley.wedge]]\nangle_deg = 20\nindex = 1.5\nrotation_hz = 100\ninclined_face = 'exit'\n";
const MIRROR: &str = "[scanning_mirror]\nmotion = 'polygon'\nfacets = 4\nplane = 'vertical'\n\
    angle_min_deg = -30\nangle_max_deg = 30\nlines_per_s = 100\npulse_rate_khz = 100\n\
    head_deg_per_s = 10\n";
const HARMONIC: &str = "[harmonic]\npulse_rate_khz = 100\nframe_hz = 10\nrotation_hz = 90\n\
    swing_hz = 10\nazimuth_deg = 0\nelevation_deg = 0\nazimuth_sin_deg = [1]\n\
    elevation_cos_deg = [1]\nbeams = [1]\nbeam_azimuth_sin_deg = [1]\nbeam_elevation_cos_deg = [1]\n";

/// A file with the pattern on line 4 and what follows.
fn file(pattern: &str) -> String {
    let camera = pattern.starts_with("[camera_grid]");
    let tail = TAIL.replace("divergence_horizontal_mrad = 1\n", "");
    let tail = tail.replace("divergence_vertical_mrad = 1\n", "");
    let tail = if camera { tail.as_str() } else { TAIL };
    format!("title = 'T'\nvendor = 'M'\nwavelength_nm = 905\n{pattern}{tail}")
}

#[test]
fn bad_patterns_get_one_sentence_with_line_and_remedy() {
    for (pattern, from, to, line, words) in [
        (LINE, "layer_deg = [-1, 1]", "layer_deg = [50]", 10, "would miss the 45° mirror"),
        (LINE, "layer_deg = [-1, 1]", "layer_deg = []", 10, "cannot have 0 layers"),
        (LINE, "azimuth_max_deg = 9\n", "", 7, "two limits"),
        (LINE, "azimuth_step_deg = 1", "azimuth_step_deg = 1e-9", 9, "is 0.000000001"),
        (LINE, "azimuth_step_deg = 1", "firing_us = [0, 9]", 4, "exactly one of"),
        (LINE, "= [-1, 1]", "= [-1, 1]\nfiring_us = [0, 9e6]", 11, "fires after 9000000.000 µs"),
        (LINE, "= [-1, 1]", "= [-1, 1]\nlayer_azimuth_min_deg = [0, 0]", 11, "two limits each"),
        (LINE, "rotation_hz = 10", "rotation_hz = -10", 6, "rotation_hz is -10"),
        (CAMERA, "[8, 6]", "[8, 0]", 5, "cannot have 8 × 0 pixels"),
        (CAMERA, "[8, 6]", "[60000, 60000]", 5, "cannot have 60000 × 60000 pixels"),
        (CAMERA, "[40, 30]", "[40, 180]", 6, "field of view of 180°"),
        (CAMERA, "[40, 30]", "[40, 30]\nfocal_px = [9, 9]", 4, "exactly one of"),
        (CAMERA, "frame_hz = 10", "frame_hz = 0", 7, "frame_hz is 0"),
        (CAMERA, "frame_hz = 10", "frame_hz = 10\nrow_us = 20000", 8, "do not fit into a frame"),
        (
            CAMERA,
            "frame_hz = 10",
            "frame_hz = 10\ndistortion = [-9, 0, 0, 0, 0]",
            8,
            "no direction",
        ),
        (CAMERA, "'circular'\n", "'circular'\ndivergence_vertical_mrad = 1\n", 10, "pixels are"),
        (RISLEY, "index = 1.5", "index = 0.9", 10, "index is 0.9"),
        (RISLEY, "angle_deg = 20", "angle_deg = 95", 9, "angle_deg is 95"),
        (RISLEY, "angle_deg = 20", "angle_deg = 60", 9, "reflected totally in wedge 1"),
        (RISLEY, "deg = [0]", "deg = [60]", 7, "laser_elevation_deg holds 60"),
        (RISLEY, "deg = [0]", "deg = []", 5, "0 lasers"),
        (RISLEY, "frame_hz = 10", "frame_hz = 1e6", 6, "hold no firing"),
        (MIRROR, "facets = 4", "facets = 13", 6, "does not sweep 60°"),
        (MIRROR, "facets = 4\n", "", 4, "needs the number of its facets"),
        (MIRROR, "facets = 4", "facets = 4\nsweep_deg = 90", 7, "both say what the mirror sweeps"),
        (MIRROR, "facets = 4", "sweep_deg = 50", 6, "sweeps 50° does not sweep 60°"),
        (MIRROR, "facets = 4", "sweep_deg = 361", 6, "sweep_deg is 361"),
        (MIRROR, "'polygon'", "'sine'", 6, "has no facets"),
        (MIRROR, "deg = -30", "deg = 40", 8, "hold no line"),
        (MIRROR, "'vertical'", "'across-track'", 12, "not lines across the track"),
        (MIRROR, "lines_per_s = 100", "lines_per_s = 0.01", 10, "further than once in a line"),
        (MIRROR, "rate_khz = 100", "rate_khz = 0.1", 11, "leave no pulse for a line"),
        (
            MIRROR,
            "rate_khz = 100",
            "rate_khz = 100\npulse_rate_choices_khz = [50]",
            11,
            "does not fire",
        ),
        (HARMONIC, "cos_deg = [1]\n[", "cos_deg = [1, 2]\n[", 15, "has 2 values and no middle"),
        (HARMONIC, "swing_hz = 10", "swing_hz = nan", 8, "swing_hz is NaN"),
        (LINE, "[line_mirror]", "[risley]\n[line_mirror]", 4, "missing"),
    ] {
        let good = file(pattern);
        Sensor::from_toml(&good, "my.toml").unwrap_or_else(|error| panic!("{error}"));
        assert!(good.contains(from), "{from}");
        let error = Sensor::from_toml(&good.replacen(from, to, 1), "my.toml").expect_err(to);
        let sentence = error.to_string();
        let place = format!("my.toml:{line}: ");
        assert!(sentence.starts_with(&place), "{to}: expected line {line}: {sentence}");
        assert!(sentence.replace('`', "").contains(&words.replace('`', "")), "{to}: {sentence}");
        assert!(sentence.contains("; "), "no remedy: {sentence}");
    }
    let both = file(&format!("{LINE}{RISLEY}"));
    let sentence = Sensor::from_toml(&both, "my.toml").unwrap_err().to_string();
    assert!(sentence.contains("both [line_mirror] and [risley]"), "{sentence}");
    let channels = file(&format!("{LINE}[channels]\nelevation_deg = [0]\n"));
    let sentence = Sensor::from_toml(&channels, "my.toml").unwrap_err().to_string();
    assert!(sentence.contains("[channels] has no meaning beside [line_mirror]"), "{sentence}");
}

#[test]
fn the_patterns_of_the_documentation_load() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/add-a-sensor.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut names = Vec::new();
    for block in page.split("```toml\n").skip(2) {
        let pattern = block.split("```").next().unwrap();
        if pattern.starts_with("[range_error]") || pattern.starts_with("[receiver]") {
            continue; // stands beside a pattern
        }
        match Sensor::from_toml(&file(pattern), "doc.toml") {
            Ok(sensor) => {
                names.push(pattern.lines().next().unwrap().to_string());
                assert!(sensor.describe().len() > 8);
            }
            Err(error) => assert!(error.to_string().contains("fern.csv"), "{error}"),
        }
    }
    assert_eq!(names, ["[line_mirror]", "[scanning_mirror]", "[risley]", "[camera_grid]"]);
}

#[test]
fn a_table_of_livox_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("mine.toml");
    let csv = "Time/s,Azimuth/deg,Zenith/deg\n1,268.99,37.838\n2,269,40.823\n3,10,90\n4,20,97\n";
    std::fs::write(folder.path().join("mid360.csv"), csv).unwrap();
    let text = file("[table]\ncycle_s = 4\nfile = 'mid360.csv'\nbeams = 2\n");
    let sensor = Sensor::from_toml(&text, place.to_str().unwrap()).unwrap();
    assert_eq!(sensor.pattern.channels(), 2);
    let pulses = pulses_until(&sensor, 4.0);
    assert_eq!(pulses.channel, [0, 1, 0, 1]);
    assert_eq!(pulses.time_s, [0.0, 0.0, 2.0, 2.0]);
    assert!((elevation_deg(&pulses.direction[0]) - 52.162).abs() < 1e-9);
    assert!((azimuth_deg(&pulses.direction[3]) - 20.0).abs() < 1e-9);
    assert!((elevation_deg(&pulses.direction[3]) + 7.0).abs() < 1e-9);
}

proptest::proptest! {
    #[test]
    fn no_number_in_a_pattern_makes_it_panic(
        kind in 0usize..5,
        key in 0usize..12,
        value in proptest::prop_oneof![
            proptest::num::f64::ANY,
            proptest::prelude::Just(0.0), proptest::prelude::Just(1e300),
            proptest::prelude::Just(-1.0), -100.0..100.0f64,
        ],
        time_s in proptest::num::f64::ANY,
    ) {
        let text = file([LINE, CAMERA, RISLEY, MIRROR, HARMONIC][kind]);
        let number = format!("{value:?}").replace("NaN", "nan");
        // The key-th line of the pattern gets another number, in a list or by itself.
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let place = 4 + key;
        let Some((name, old)) = lines.get(place).and_then(|line| line.split_once(" = ")) else {
            return Ok(());
        };
        lines[place] = match old.strip_prefix('[') {
            Some(list) => {
                let rest = list.split_once(',').map_or(String::from("]"), |(_, rest)| format!(",{rest}"));
                format!("{name} = [{number}{rest}")
            }
            None => format!("{name} = {number}"),
        };
        if let Ok(sensor) = Sensor::from_toml(&lines.join("\n"), "my.toml") {
            let mut pulses = Pulses::default();
            let first = sensor.pattern.first_pulse_at(time_s).min(u64::MAX - 100);
            sensor.pattern.fill(first..first + 50, &mut pulses);
            assert_eq!(pulses.len(), 50);
            assert!(pulses.direction.iter().all(|d| (d.length() - 1.0).abs() < 1e-9));
            assert!(!sensor.describe().is_empty());
            let _ = sensor.pattern.cycle_of(first);
        }
    }
}

/// Of every preset: the first pulse of a scan is in it and the one before is not, batches that
/// begin anywhere know when their scan began, and a pattern that begins later is the same later.
#[test]
fn scans_begin_with_their_first_pulse_and_delays_shift_everything() {
    for (name, _) in presets() {
        let pattern = Sensor::preset(name).unwrap().pattern;
        let (mut pulses, mut scratch, mut starts_s) = Default::default();
        let scan_of = |pulse: u64| {
            let mut one = Pulses::default();
            pattern.fill(pulse..pulse + 1, &mut one);
            (one.scan[0], one.time_s[0])
        };
        let end = pattern.first_pulse_at(4.3 * pattern.scan_duration_s());
        for part in 0..23 {
            let pulse = end * part / 23;
            let first = pattern.first_of_scan(pulse, &mut scratch);
            assert_eq!(scan_of(first).0, scan_of(pulse).0, "{name}");
            assert!(first == 0 || scan_of(first - 1).0 < scan_of(first).0, "{name}");
            pattern.fill(pulse..pulse + 3, &mut pulses);
            pattern.scan_starts(&pulses, &mut scratch, &mut starts_s);
            assert_eq!(starts_s.len(), 3);
            for (place, start_s) in starts_s.iter().enumerate() {
                let first = pattern.first_of_scan(pulse + place as u64, &mut scratch);
                assert_eq!(*start_s, scan_of(first).1, "{name}");
            }
        }

        let mut later = pattern.clone();
        later.set_delay(0.0137);
        let (mut now, mut then) = (Pulses::default(), Pulses::default());
        pattern.fill(end..end + 100, &mut now);
        later.fill(end..end + 100, &mut then);
        assert_eq!(now.direction, then.direction, "{name}");
        assert!(now.time_s.iter().zip(&then.time_s).all(|(a, b)| (b - a - 0.0137).abs() < 1e-12));
        let cycle = later.cycle_of(end);
        assert!((cycle.start_s - pattern.cycle_of(end).start_s - 0.0137).abs() < 1e-12);
        assert_eq!(later.first_pulse_at(0.0137), 0, "{name}");
        for time_s in [0.0, 0.01, 0.0136] {
            assert_eq!(later.first_pulse_at(time_s), 0, "{name}");
        }
        // A nanosecond is forgiven, so times between two cycles are asked.
        let between_s = cycle.start_s + 1e-7;
        assert_eq!(later.first_pulse_at(between_s), pattern.first_pulse_at(between_s - 0.0137));
    }
}
