//! Waveforms through the whole path: scenarios whose sensors have a receiver.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use understory::pulse::receiver::{Link, Receiver};
use understory::pulse::{Batch, PreparedRun, simulate_batch};
use understory::run::{RunOptions, RunSummary, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{MemorySink, MultiSink, OutputFormat, Records, SinkOptions, open_sink};

/// A sensor that looks along x with 64 sub-rays, and walls across it.
fn scenario(walls: &str, detector: &str, receiver: &str, duration_s: f64) -> PreparedRun {
    let folder = tempfile::tempdir().unwrap();
    let sensor = format!(
        "title = 'test'\nmaker = 'test'\nwavelength_nm = 905\n\
        [table]\ncycle_s = 1e-4\ntime_s = [0]\nazimuth_deg = [0]\nelevation_deg = [0]\n\
        [beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 2\n\
        divergence_vertical_mrad = 2\nsampling = 'uniform'\nrays = 64\n\
        [detector]\nrange_min_m = 1\nrange_max_m = 600\nreturn_mode = 'all'\n{detector}\n\
        [receiver]\npulse_fwhm_ns = 5\n{receiver}\n"
    );
    std::fs::write(folder.path().join("test.toml"), sensor).unwrap();
    let text = format!(
        "version = 1\nseed = 3\nduration_s = {duration_s}\n[world]\n\
        [[world.material]]\nname = 'grey'\nreflectance = 0.5\n{walls}\n\
        [[sensor]]\nname = 'test'\nfile = 'test.toml'\n"
    );
    let scenario = Scenario::from_toml(&text, "test.toml", folder.path()).unwrap();
    scenario.prepare().unwrap()
}

/// Where the lower edge of a wall stands under which half of the sub-rays pass at 400 m.
const EDGE_M: f64 = 0.002;

/// A thin box across x, above the axis only or on both sides of it.
fn wall(name: &str, x_m: f64, above_only: bool) -> String {
    let z_m = if above_only { EDGE_M } else { -20.0 };
    format!(
        "[[world.object]]\nname = '{name}'\nshape = 'box'\nsize_m = [0.02, 40, 40]\n\
        material = 'grey'\nposition_m = [{}, 0, {z_m}]\n",
        x_m + 0.01
    )
}

fn first_pulse(run: &PreparedRun) -> Records {
    let mut records = Records::default();
    simulate_batch(run, &run.sensors[0], 1, 0..1, &mut Batch::default(), &mut records);
    records
}

const QUIET: &str = "noise = 'none'\nsnr_reference = 200\nreference_range_m = 400\n\
    reference_reflectance = 0.5";

/// Half of the footprint meets a wall and half passes it to another one behind: for a pulse of
/// 5 ns they are one return below 0.6366 m and two above. At 400 m 1/r² makes the rear one 0.3 %
/// weaker, which moves that limit by 5 mm.
#[test]
fn two_surfaces_in_a_footprint_part_at_twice_sigma() {
    for (apart_m, returns) in [(0.3, 1), (0.60, 1), (0.63, 1), (0.66, 2), (0.8, 2)] {
        let walls = wall("front", 400.0, true) + &wall("rear", 400.0 + apart_m, false);
        let records = first_pulse(&scenario(&walls, "kind = 'peaks'", QUIET, 0.001));
        assert_eq!(records.len(), returns, "{apart_m} m apart: {:?}", records.sub_ray_hits);
        if returns == 1 {
            let middle = 400.0 + apart_m / 2.0;
            assert!((f64::from(records.range_m[0]) - middle).abs() < 0.01 + 0.03 * apart_m);
            assert_eq!(records.sub_ray_hits, [64]);
        } else {
            assert_eq!(records.object, [1, 2]);
            assert_eq!(records.sub_ray_hits, [32, 32]);
        }
    }
}

#[test]
fn a_wall_is_where_it_is_for_every_detector() {
    let walls = wall("wall", 120.0, false);
    for (detector, walk_m) in [
        ("kind = 'peaks'", 0.0),
        ("kind = 'constant-fraction'", 0.0),
        ("kind = 'leading-edge'\nwalk_corrected = true", 0.0),
        // A/T = 200·(400/120)²/5 = 444.4 passes T before the peak by σ√(2·ln 444.4).
        ("kind = 'leading-edge'", 0.318_275_338 * (2.0 * 444.444f64.ln()).sqrt()),
    ] {
        let records = first_pulse(&scenario(&walls, detector, QUIET, 0.001));
        assert_eq!((records.len(), records.object[0]), (1, 1), "{detector}");
        let error_m = f64::from(records.range_m[0] - records.true_range_m[0]) + walk_m;
        // Sub-rays at 1 mrad are 60 µm farther.
        assert!(error_m.abs() < 2e-4, "{detector}: {error_m}");
        assert!((records.intensity[0] - 0.5).abs() < 1e-3);
        assert!(records.signal_photons[0].is_nan() && records.ambient_photons[0].is_nan());
    }
}

const OPTICS: &str = "overlap_m = [0.9, 1.0]\npeak_power_w = 75\naperture_mm = 25\n\
    efficiency = 0.8\nsolar_w_per_m2_nm = 0.7\nfilter_width_nm = 10\nfield_of_view_mrad = 1.5\n\
    responsivity_a_per_w = 0.5\ngain = 100\nexcess_noise = 3\nbandwidth_mhz = 200\n\
    load_ohm = 1000";

/// Photons of a grey wall at 30 m by the equations, for windows and waveforms alike.
#[test]
fn photons_are_those_of_the_link_budget() {
    let walls = wall("wall", 30.0, false);
    let photon_j = 6.626_070_15e-34 * 299_792_458.0 / 905e-9;
    let width_s = 2.123_304_50e-9 * (2.0 * std::f64::consts::PI).sqrt();
    let signal = 75.0 * 0.5 * 0.025f64.powi(2) * 0.8 / (4.0 * 900.0) * width_s / photon_j;
    let ambient = 7.731_263_17e-10 * width_s / photon_j;
    for detector in ["kind = 'windows'\nsignal_cutoff_m = 1", "kind = 'peaks'"] {
        let receiver = format!("noise = 'none'\n{OPTICS}");
        let records = first_pulse(&scenario(&walls, detector, &receiver, 0.001));
        assert!((f64::from(records.signal_photons[0]) / signal - 1.0).abs() < 1e-4);
        assert!((f64::from(records.ambient_photons[0]) / ambient - 1.0).abs() < 1e-5);
    }
    let sky =
        first_pulse(&scenario("", "kind = 'peaks'", &format!("noise = 'none'\n{OPTICS}"), 0.001));
    assert!(sky.is_miss(0) && sky.signal_photons[0].is_nan());
    assert_eq!(sky.ambient_photons[0], 0.0, "the sky is black");
}

/// Waveforms, noise and false alarms are the same for any number of threads, and every return
/// without a truth says so.
#[test]
fn threads_do_not_change_waveforms() {
    let walls = wall("front", 50.0, true) + &wall("rear", 55.0, false);
    let noise = "noise = 'sampled'\nsnr_reference = 30\nreference_range_m = 50\n\
        reference_reflectance = 0.5";
    let prepared = scenario(&walls, "kind = 'peaks'\nthreshold_sigma = 3.6", noise, 0.5);
    let simulate = |threads: usize| -> (RunSummary, Records) {
        let memory = MemorySink::default();
        let options =
            RunOptions { threads: Some(threads), keep_waveforms: true, ..Default::default() };
        let (summary, _) = run(&prepared, &options, Box::new(memory.clone()), &Silent).unwrap();
        (summary, memory.take_records())
    };
    let (summary, one) = simulate(1);
    let (again, two) = simulate(2);
    // NaN is not equal to itself; its print is.
    assert!(format!("{one:?}") == format!("{two:?}"));
    assert_eq!((summary.pulses, summary.waveforms), (5000, again.waveforms));
    assert_eq!((summary.waveforms.waveforms, summary.waveforms.cut), (5000, 0));
    let mut batches = Records::default();
    for first in (0..5000).step_by(37) {
        let range = first..(first + 37).min(5000);
        let mut batch = Batch::default();
        batch.detector.waveform.keep = true;
        simulate_batch(&prepared, &prepared.sensors[0], 3, range, &mut batch, &mut batches);
    }
    assert!(format!("{one:?}") == format!("{batches:?}"));

    assert_eq!(one.waveforms.len(), 10_000, "a stretch for each wall");
    let direction = one.waveforms.direction[17];
    assert!((direction[0] - 1.0).abs() < 1e-6);
    let alarms = (0..one.len()).filter(|&row| one.object[row] == 0 && !one.is_miss(row));
    let mut count = 0;
    for row in alarms {
        assert!(one.true_range_m[row].is_nan() && one.sub_ray_hits[row] == 0);
        assert!(one.range_m[row].is_finite() && one.true_xyz_m[row][0].is_nan());
        count += 1;
    }
    // By Rice 600 m have 0.46 peaks above 3.6σ a pulse; samples 1 ns apart show most of them.
    assert!((1700..2300).contains(&count), "{count} false alarms");
}

#[test]
fn files_of_a_run_hold_its_waveforms() {
    let walls = wall("wall", 50.0, false);
    let prepared = scenario(&walls, "kind = 'peaks'", QUIET, 0.01);
    let formats = prepared.waveform_formats();
    assert_eq!((formats.len(), formats[0].bin_ps, formats[0].gain), (1, 1000, 0.125));
    let folder = tempfile::tempdir().unwrap();
    let options = SinkOptions { waveforms: formats, ..SinkOptions::default() };
    let open = |name: &str, format| open_sink(&folder.path().join(name), format, &options).unwrap();
    let sink = MultiSink::new(vec![
        open("scan.las", OutputFormat::Las),
        open("scan.npy", OutputFormat::Npy),
    ]);
    let keep = RunOptions { keep_waveforms: true, ..Default::default() };
    let (_, report) = run(&prepared, &keep, Box::new(sink), &Silent).unwrap();
    assert_eq!(report.paths.len(), 5);
    // 100 pulses of 22 samples: 3.18 m around the wall in steps of 0.15 m, stored as 24.
    let wdp = std::fs::read(folder.path().join("scan.wdp")).unwrap();
    assert_eq!(wdp.len(), 60 + 100 * 2 * 24);
    let peak = wdp[60..].chunks_exact(2).map(|raw| u16::from_le_bytes([raw[0], raw[1]])).max();
    // 200·(400/50)² = 12800 times the noise is beyond the digitiser's 8160.
    assert_eq!(peak, Some(u16::MAX));
}

/// A receiver of optics sees 10 % at the range that its link budget promises.
#[test]
fn the_range_of_a_receiver_follows_from_its_optics() {
    let run = scenario("", "kind = 'peaks'", OPTICS, 0.001);
    let receiver: &Receiver = run.sensors[0].detector.receiver().unwrap();
    assert!(matches!(receiver.spec().link, Link::Physical(_)));
    let snr = |range_m: f64| receiver.signal(0.1, range_m) / receiver.noise_variance(0.1).sqrt();
    assert!((snr(50.0) / snr(100.0) - 4.0).abs() < 1e-9);
}

/// The presets of RIEGL need nothing but `waveforms = true`: every pulse on a wall of 60 % has a
/// waveform, and its ranges scatter by Cramér and Rao's bound of their receiver at least, by less
/// than twice it (400 ranges and more: each limit is off by chance with less than 10⁻⁶).
#[test]
fn presets_of_riegl_have_waveforms_at_once() {
    for (preset, turn_deg, distance_m) in
        [("riegl-vz-400", [0.0, 0.0, 0.0], 100.0), ("riegl-vq-480-ii", [0.0, -90.0, 0.0], 400.0)]
    {
        let text = format!(
            "version = 1\nseed = 3\nduration_s = 0.02\n[world]\n\
            [[world.material]]\nname = 'grey'\nreflectance = 0.6\n\
            [[world.object]]\nname = 'wall'\nshape = 'sphere'\nradius_m = {distance_m}\n\
            tolerance_m = 0.1\nmaterial = 'grey'\n\
            [[sensor]]\nname = 'a'\npreset = '{preset}'\nrotation_deg = {turn_deg:?}\n\
            [output]\nwaveforms = true\nfiles = ['a.las']\n"
        );
        let scenario = Scenario::from_toml(&text, "my.toml", Path::new("")).unwrap();
        let prepared = scenario.prepare().unwrap();
        assert_eq!(scenario.sink_options(&prepared).waveforms.len(), 1, "{preset}");
        let memory = MemorySink::default();
        let keep = RunOptions { keep_waveforms: true, ..Default::default() };
        run(&prepared, &keep, Box::new(memory.clone()), &Silent).unwrap();
        let records = memory.take_records();
        let mut pulses = records.pulse.clone();
        pulses.dedup();
        assert!(pulses.len() > 400 && records.waveforms.len() >= pulses.len(), "{preset}");
        let receiver: &Receiver = prepared.sensors[0].detector.receiver().unwrap();
        let snr = receiver.signal(0.6, distance_m) / receiver.dark_noise();
        let bound_m = receiver.range_sigma_m(snr);
        let errors = (0..records.len()).filter(|&row| records.object[row] == 1);
        let errors: Vec<f64> =
            errors.map(|row| f64::from(records.range_m[row]) - distance_m).collect();
        assert!(errors.len() as f64 > 0.99 * records.len() as f64);
        let square = errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64;
        let over = square.sqrt() / bound_m;
        println!(
            "{preset}: {} ranges, σ {:.4} m, {over:.3} of the bound",
            errors.len(),
            square.sqrt()
        );
        assert!(over > 0.85 && over < 2.0, "{preset}: {over}");
    }
}

#[test]
fn waveforms_need_a_sensor_and_a_file_that_can_have_them() {
    let with = |output: &str| {
        let text = format!(
            "version = 1\nseed = 3\nduration_s = 0.1\n[world]\n\
            [[sensor]]\nname = 'a'\npreset = 'hdl-64e-s2'\n{output}"
        );
        Scenario::from_toml(&text, "my.toml", Path::new(""))
    };
    let peaks = "override = { detector = { kind = 'peaks' } }\n";
    let error = with("[output]\nwaveforms = true\nfiles = ['a.las']\n").unwrap_err().to_string();
    assert!(error.contains("no sensor of this scenario detects in waveforms"), "{error}");
    let laz = format!("{peaks}[output]\nwaveforms = true\nfiles = ['a.laz']\n");
    let error = with(&laz).unwrap_err().to_string();
    assert!(error.contains("my.toml:") && error.contains(".las or .npy"), "{error}");
    let las = format!("{peaks}[output]\nwaveforms = true\nfiles = ['a.laz', 'a.las']\n");
    assert!(with(&las).unwrap().waveforms);
}
