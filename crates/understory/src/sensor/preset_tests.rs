//! Surveyors' and robots' scanners against the lists that they are from.

use glam::DVec3;
use understory_files::sensor::SensorFile;

use super::tests::{angle_deg, shared_bytes};
use super::*;
use crate::pulse::scan_pattern::Pulses;

/// Presets that are taken from the scanners of HELIOS++ as they are.
const FROM_HELIOS: [(&str, &str); 8] = [
    ("riegl-vz-600i", "riegl_vz600i"),
    ("riegl-vz-2000i", "riegl_vz2000i"),
    ("riegl-vux-1uav", "riegl_vux-1uav"),
    ("riegl-vq-880-g", "riegl_vq-880g"),
    ("riegl-vz-400", "riegl_vz400"),
    ("dji-zenmuse-l1", "dji-zenmuse-l1-non-repetitive"),
    ("dji-zenmuse-l2", "dji-zenmuse-l2-non-repetitive"),
    ("dji-zenmuse-l2-repetitive", "dji-zenmuse-l2-repetitive"),
];

#[test]
fn presets_are_the_scanners_of_helios() {
    let Some(bytes) = shared_bytes("helios_scanners.toml") else { return };
    let list: toml::Table = std::str::from_utf8(&bytes).unwrap().parse().unwrap();
    let scanners = list["scanner"].as_array().unwrap();
    for (name, id) in FROM_HELIOS {
        let scanner = scanners.iter().find(|scanner| scanner["id"].as_str() == Some(id)).unwrap();
        let number = |key: &str| {
            let value = scanner.get(key)?;
            value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
        };
        let file = SensorFile::preset(name).unwrap();
        let near = |what: &str, ours: f64, theirs: f64| {
            assert!(
                (ours - theirs).abs() <= 1e-6 * theirs.abs(),
                "{name}: {what} {ours}, not {theirs}"
            );
        };
        if let Some(theirs) = number("wavelength_nm") {
            near("wavelength", file.wavelength_nm.get(), theirs);
        }
        if let Some(range) = &file.range_error
            && let (Some(sigma), Some(theirs)) = (&range.sigma_m, number("accuracy_m"))
            && name != "riegl-vz-400"
        {
            near("accuracy", sigma.get(), theirs);
        }
        if let Some(most) = number("maxNOR") {
            near("returns", f64::from(file.detector.max_returns.unwrap().get()), most);
        }
        if let Some(mirror) = &file.scanning_mirror {
            let mirror = mirror.get_ref();
            let [low, high] = mirror.lines_range_per_s.as_ref().unwrap().get();
            near("slowest", low, number("scanFreqMin_Hz").unwrap());
            near("fastest", high, number("scanFreqMax_Hz").unwrap());
            let field = mirror.angle_max_deg.get() - mirror.angle_min_deg.get();
            near("field", field, 2.0 * number("scanAngleEffectiveMax_deg").unwrap());
            let sweep = match (&mirror.facets, &mirror.sweep_deg) {
                (Some(facets), _) => 720.0 / f64::from(facets.get()),
                (None, Some(sweep)) => sweep.get(),
                _ => panic!("{name} sweeps nothing"),
            };
            near("sweep", sweep, 2.0 * number("scanAngleMax_deg").unwrap());
            let rates = scanner["pulseFreqs_Hz"].as_array().unwrap();
            let choices = mirror.pulse_rate_choices_khz.as_ref().unwrap().get();
            assert_eq!(choices.len(), rates.len(), "{name}");
            for (ours, theirs) in choices.iter().zip(rates) {
                near("rate", *ours, theirs.as_integer().unwrap() as f64 / 1e3);
            }
            if let Some(most) = number("headRotatePerSecMax_deg") {
                near("head", mirror.head_max_deg_per_s.as_ref().unwrap().get(), most);
            }
            if name != "riegl-vz-400" {
                near("nearest", file.detector.range_min_m.get(), number("rangeMin_m").unwrap());
                let width = file.beam.divergence_horizontal_mrad.unwrap().get();
                near("divergence", width, 1e3 * number("beamDivergence_rad").unwrap());
            }
        }
    }
}

/// All directions of a second.
fn second(name: &str) -> Pulses {
    let pattern = Sensor::preset(name).unwrap().pattern;
    let mut pulses = Pulses::default();
    pattern.fill(0..pattern.first_pulse_at(1.0), &mut pulses);
    pulses
}

/// Widths of a field across and upwards.
fn field_deg(pulses: &Pulses) -> [f64; 2] {
    let span = |angle: fn(&DVec3) -> f64| {
        let angles = pulses.direction.iter().map(angle);
        let [low, high] = angles.fold([f64::MAX, f64::MIN], |[l, h], a| [l.min(a), h.max(a)]);
        (high - low).to_degrees()
    };
    [span(|d| d.y.atan2(d.x)), span(|d| d.z.asin())]
}

#[test]
fn wedges_of_drones_have_the_fields_of_their_sheets() {
    // Fields of view as the vendors' pages state them; the prisms were fitted by others.
    for (name, across_deg, up_deg, slack_deg) in [
        ("dji-zenmuse-l1", 70.4, 77.2, 0.4),
        ("dji-zenmuse-l2", 70.0, 75.0, 1.0),
        ("dji-zenmuse-l2-repetitive", 70.0, 3.0, 0.1),
        ("livox-tele-15", 14.5, 16.2, 0.3),
        ("livox-hap", 120.0, 25.0, 0.4),
        ("at128", 119.9 + 4.8, 25.4, 0.15),
    ] {
        let [across, up] = field_deg(&second(name));
        println!("{name:26} {across:.2}° × {up:.2}°");
        assert!((across - across_deg).abs() < slack_deg, "{name}: {across}° across");
        assert!((up - up_deg).abs() < slack_deg, "{name}: {up}° upwards");
    }
}

#[test]
fn tripods_sweep_what_their_sheets_say() {
    for (name, low_deg, high_deg, pulses_per_s) in [
        ("riegl-vz-600i", -40.0, 65.0, 600_000.0),
        // The sheet's 500 000 measurements a second of 1.2 million.
        ("riegl-vz-2000i", -40.0, 60.0, 500_000.0),
        // Over the zenith: elevations go up to 90° on both sides.
        ("faro-focus-s150", -60.0, 90.0, 244_000.0 * 300.0 / 360.0),
        ("leica-rtc360", -60.0, 90.0, 1_000_000.0 * 300.0 / 360.0),
        ("leica-blk360", -60.0, 90.0, 360_000.0 * 300.0 / 360.0),
    ] {
        let pulses = second(name);
        let elevation = pulses.direction.iter().map(|d| d.z.asin().to_degrees());
        let [low, high] = elevation.fold([f64::MAX, f64::MIN], |[l, h], a| [l.min(a), h.max(a)]);
        assert!(
            (low - low_deg).abs() < 0.1 && (high - high_deg).abs() < 0.2,
            "{name}: {low} {high}"
        );
        let rate = pulses.len() as f64;
        assert!((rate / pulses_per_s - 1.0).abs() < 0.005, "{name}: {rate} pulses a second");
    }
}

#[test]
fn drones_look_all_around_their_track() {
    // 330° and 360° about the track, one line in 10 ms, and never forward.
    for (name, open_deg) in [("riegl-vux-1uav", 330.0), ("riegl-minivux-1uav", 360.0)] {
        let pulses = second(name);
        assert!(pulses.direction.iter().all(|d| d.x.abs() < 1e-12), "{name}");
        let line: Vec<f64> = (0..pulses.len())
            .filter(|pulse| pulses.scan[*pulse] == 0)
            .map(|pulse| pulses.direction[pulse].y.atan2(-pulses.direction[pulse].z).to_degrees())
            .collect();
        let step = line[1] - line[0];
        let swept = line.last().unwrap() - line[0] + step;
        assert!((swept - open_deg).abs() <= 1.01 * step, "{name}: {swept}°");
    }
}

#[test]
fn the_cone_of_the_green_channel_stays_20_degrees_off_its_axis() {
    let pulses = second("riegl-vq-880-g");
    let worst =
        pulses.direction.iter().map(|d| (d.x.acos().to_degrees() - 20.0).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-9, "{worst}");
    // 80 turns a second: after a quarter of 12.5 ms it looks a quarter further.
    let quarter = (0.25 / 80.0 * 550e3) as usize;
    let turned = angle_deg(
        pulses.direction[0].with_x(0.0).normalize(),
        pulses.direction[quarter].with_x(0.0).normalize(),
    );
    assert!((turned - 90.0).abs() < 0.2, "{turned}");
}

#[test]
fn channels_are_those_of_the_drivers() {
    // Lines of the vendors' and drivers' tables, by eye: channel, elevation, azimuth to the right, µs.
    for (name, rows) in [
        (
            "qt64",
            &[
                (0, -52.121, 8.736, 12.31),
                (15, -24.517, 5.987, 43.56),
                (16, -22.964, -5.270, 46.61),
                (40, 12.397, 5.611, 97.75),
                (63, 52.133, -7.892, 146.45),
            ][..],
        ),
        ("xt16", &[(0, 15.0, 0.0, 6.0), (7, 1.0, 0.0, 27.168), (15, -15.0, 0.0, 51.36)][..]),
        (
            "at128",
            &[
                (0, 12.93, 2.4, 0.0),
                (1, 12.73, -0.65, 0.0),
                (16, 9.73, -2.4, 0.0),
                (31, 6.73, 0.65, 0.848),
                (64, 0.13, 2.4, 0.848),
                (127, -12.47, 0.65, 8.264),
            ][..],
        ),
        ("rs-16", &[(0, -15.0, 0.0, 0.0), (8, 15.0, 0.0, 22.4), (15, 1.0, 0.0, 42.0)][..]),
        ("rs-32", &[(0, -10.281, 0.0, 0.0), (16, -25.0, 0.0, 1.44), (31, -2.0, 0.0, 46.08)][..]),
        ("ruby-80", &[(0, -25.0, 0.0, 0.0), (40, -4.747, 0.0, 0.0), (79, 15.0, 0.0, 48.54)][..]),
        ("rs-bpearl", &[(0, 2.31, 0.0, 0.0), (1, 47.32, 0.0, 1.28), (31, 89.5, 0.0, 44.88)][..]),
    ] {
        let file = SensorFile::preset(name).unwrap();
        let channels = file.channels.as_ref().unwrap().get_ref();
        let elevation = channels.elevation_deg.as_ref().unwrap().get();
        let azimuth = channels.azimuth_offset_deg.as_ref().map(|list| list.get());
        let firing = channels.firing_us.as_ref().unwrap().get();
        for (channel, up, right, us) in rows {
            // The Ruby's channels are spread evenly and marked as uncertain.
            let slack = if name == "ruby-80" { 1e-3 } else { 1e-9 };
            assert!((elevation[*channel] - up).abs() < slack, "{name} {channel}");
            let ours = azimuth.as_ref().map_or(0.0, |list| list[*channel]);
            assert!((ours - right).abs() < 1e-9, "{name} {channel}: {ours}");
            assert!(
                (firing[*channel] - us).abs() < 1e-9,
                "{name} {channel}: {} µs",
                firing[*channel]
            );
        }
    }
}

#[test]
fn rates_are_those_of_the_drivers() {
    for (name, pulses_per_s) in [
        ("rs-16", 16.0 / 55.5e-6),
        ("rs-32", 32.0 / 55.52e-6),
        ("ruby-80", 80.0 / 55.552e-6),
        ("rs-bpearl", 32.0 / 55.52e-6),
        // 600 columns a turn: the driver's 0.6° at 10 Hz.
        ("qt64", 64.0 * 6000.0),
        ("xt16", 16.0 / 55.552e-6),
        // 1200 columns of 128 ten times a second: the sheet's 1.5 million.
        ("at128", 1_536_000.0),
        ("livox-hap", 452_000.0),
        ("osdome-128", 128.0 * 1024.0 * 10.0),
    ] {
        let rate = Sensor::preset(name).unwrap().pattern.pulse_rate_hz();
        assert!(
            (rate / pulses_per_s - 1.0).abs() < 0.005,
            "{name}: {rate} instead of {pulses_per_s}"
        );
    }
}
