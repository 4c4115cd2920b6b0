//! `[receiver]` and the detectors in waveforms, as files describe them.

use super::*;
use crate::pulse::detector::{Threshold, Timing};
use crate::pulse::receiver::{Link, NoiseMode};

const BASE: &str = "title = 't'\nvendor = 'm'\nwavelength_nm = 905\n\
    [table]\ncycle_s = 0.1\ntime_s = [0]\nazimuth_deg = [0]\nelevation_deg = [0]\n\
    [beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 1\ndivergence_vertical_mrad = 1\n";
const DETECTOR: &str =
    "[detector]\nkind = 'peaks'\nrange_min_m = 1\nrange_max_m = 100\nreturn_mode = 'all'\n";
const SHORT: &str = "[receiver]\npulse_fwhm_ns = 5\nsnr_reference = 8\nreference_range_m = 50\n\
    reference_reflectance = 0.1\n";
const FULL: &str = "[receiver]\npulse_fwhm_ns = 5\nbin_ns = 0.5\nnoise = 'analytic'\n\
    overlap_m = [0.9, 1.0]\npeak_power_w = 75\naperture_mm = 25\nefficiency = 0.8\n\
    solar_w_per_m2_nm = 0.7\nfilter_width_nm = 10\nfield_of_view_mrad = 1.5\n\
    responsivity_a_per_w = 0.5\ngain = 100\nexcess_noise = 3\nbandwidth_mhz = 200\n\
    temperature_k = 290\nload_ohm = 1000\n";

fn load(detector: &str, receiver: &str) -> Result<Sensor, Error> {
    Sensor::from_toml(&format!("{BASE}{detector}{receiver}"), "my.toml")
}

#[test]
fn both_forms_of_a_receiver_are_read() {
    let sensor = load(DETECTOR, SHORT).unwrap();
    let receiver = sensor.receiver.unwrap();
    assert_eq!(receiver.link, Link::Reference { snr: 8.0, range_m: 50.0, reflectance: 0.1 });
    assert_eq!((receiver.noise, receiver.bin_s), (NoiseMode::Sampled, 1e-9));
    let waveform = sensor.waveform.unwrap();
    assert_eq!((waveform.timing, waveform.threshold), (Timing::Peak, Threshold::Sigma(5.0)));

    let sensor = load(DETECTOR, FULL).unwrap();
    let receiver = sensor.receiver.unwrap();
    let Link::Physical(optics) = receiver.link else { panic!() };
    assert_eq!((optics.peak_power_w, optics.aperture_m), (75.0, 0.025));
    assert_eq!((optics.bandwidth_hz, optics.temperature_k), (2e8, 290.0));
    assert!((optics.wavelength_m - 905e-9).abs() < 1e-20);
    assert_eq!((receiver.noise, receiver.overlap_m), (NoiseMode::Analytic, [0.9, 1.0]));
    assert!(sensor.describe().iter().any(|(label, _)| *label == "receiver"));
}

#[test]
fn every_kind_of_detector_is_read() {
    let kind = |lines: &str| load(&DETECTOR.replace("kind = 'peaks'", lines), SHORT);
    let timing = |lines: &str| kind(lines).unwrap().waveform.unwrap().timing;
    assert_eq!(timing("kind = 'leading-edge'"), Timing::LeadingEdge { corrected: false });
    assert_eq!(
        timing("kind = 'leading-edge'\nwalk_corrected = true"),
        Timing::LeadingEdge { corrected: true }
    );
    assert_eq!(timing("kind = 'constant-fraction'"), Timing::ConstantFraction(0.5));
    assert_eq!(timing("kind = 'constant-fraction'\nfraction = 0.3"), Timing::ConstantFraction(0.3));
    let windows = kind("kind = 'windows'\nsignal_cutoff_m = 1").unwrap();
    assert!(windows.waveform.is_none() && windows.receiver.is_some());
    let chance = kind("kind = 'peaks'\nfalse_alarm_probability = 1e-4").unwrap();
    let Threshold::Sigma(sigma) = chance.waveform.unwrap().threshold else { panic!() };
    assert!((sigma - 3.719_016_485).abs() < 1e-8);
    let absolute = load(&format!("{DETECTOR}threshold_w = 1e-7\n"), FULL).unwrap();
    assert_eq!(absolute.waveform.unwrap().threshold, Threshold::Signal(1e-7));
}

#[test]
fn mistakes_are_named_with_their_line() {
    let swap = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    let receiver = |from: &str, to: &str| (DETECTOR.to_owned(), swap(FULL, from, to));
    let short = |from: &str, to: &str| (DETECTOR.to_owned(), swap(SHORT, from, to));
    let detector = |lines: &str| (format!("{DETECTOR}{lines}\n"), FULL.to_owned());
    for ((detector, receiver), words) in [
        (receiver("peak_power_w = 75", "peak_power_w = -75"), "peak_power_w is -75"),
        (receiver("peak_power_w = 75\n", ""), "no `peak_power_w`"),
        (receiver("aperture_mm = 25", "aperture_mm = 0"), "aperture_mm is 0"),
        (receiver("efficiency = 0.8", "efficiency = 1.2"), "efficiency is 1.2"),
        (receiver("excess_noise = 3", "excess_noise = 0.5"), "excess_noise is 0.5"),
        (receiver("load_ohm = 1000", "load_ohm = nan"), "load_ohm is NaN"),
        (receiver("bin_ns = 0.5", "bin_ns = 5"), "cannot show a pulse of 5 ns"),
        (receiver("bin_ns = 0.5", "bin_ns = 0.0001"), "cannot be 0.0001 ns apart"),
        (receiver("pulse_fwhm_ns = 5", "pulse_fwhm_ns = -5"), "pulse_fwhm_ns is -5"),
        (receiver("overlap_m = [0.9, 1.0]", "overlap_m = [1.0, 0.9]"), "two rising ranges"),
        (receiver("overlap_m = [0.9, 1.0]", "overlap_m = [-1, 1]"), "two rising ranges"),
        (receiver("filter_width_nm = 10\n", ""), "no `filter_width_nm`"),
        (receiver("noise = 'analytic'", "noise = 'loud'"), "loud"),
        (receiver("gain = 100", "gain = 100\nsnr_reference = 3"), "beside `snr_reference`"),
        (receiver("gain = 100", "gain = 100\nreference_range_m = 3"), "without `snr_reference`"),
        (short("snr_reference = 8", "snr_reference = 0"), "snr_reference is 0"),
        (short("reference_reflectance = 0.1", "reference_reflectance = 2"), "is 2"),
        (short("reference_range_m = 50\n", ""), "no `reference_range_m`"),
        (detector("threshold_sigma = 0"), "threshold_sigma is 0"),
        (detector("threshold_sigma = -3"), "threshold_sigma is -3"),
        (detector("threshold_sigma = 1.5"), "at 1.500 times the noise"),
        (detector("false_alarm_probability = 0.4"), "times the noise"),
        (detector("false_alarm_probability = 1.4"), "false_alarm_probability is 1.4"),
        (detector("threshold_w = 0"), "threshold_w is 0"),
        (detector("threshold_w = 1e-15"), "drowns in the noise"),
        (detector("threshold_sigma = 4\nthreshold_w = 1e-7"), "given twice"),
        (detector("prominence_sigma = -1"), "prominence_sigma is -1"),
        (detector("fraction = 0.5"), "`fraction` has no meaning"),
        (detector("walk_corrected = true"), "`walk_corrected` has no meaning"),
    ] {
        let sentence = load(&detector, &receiver).unwrap_err().to_string();
        let plain = |text: &str| text.replace('`', "");
        assert!(plain(&sentence).contains(&plain(words)), "{words}: {sentence}");
        assert!(sentence.starts_with("my.toml:") && sentence.contains("; "), "{sentence}");
    }
    let alone = load(DETECTOR, "").unwrap_err().to_string();
    assert!(alone.contains("needs a receiver"), "{alone}");
    let cutoff = load(&DETECTOR.replace("kind = 'peaks'\n", ""), "").unwrap_err().to_string();
    assert!(cutoff.contains("needs `signal_cutoff_m`"), "{cutoff}");
    let ratio = load(&format!("{DETECTOR}threshold_w = 1e-7\n"), SHORT).unwrap_err().to_string();
    assert!(ratio.contains("use threshold_sigma"), "{ratio}");
    let far = DETECTOR.replace("range_max_m = 100", "range_max_m = 1e6");
    let gate = load(&far, &FULL.replace("bin_ns = 0.5", "bin_ns = 0.05")).unwrap_err().to_string();
    assert!(gate.contains("samples of"), "{gate}");
}

/// The tables of the page on sensors, over a preset.
#[test]
fn the_receiver_of_the_documentation_loads() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/add-a-sensor.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|block| block.split("```").next())
        .filter(|block| block.contains("[receiver]"))
        .collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let preset = preset_text("vlp-16").unwrap();
        let sensor = Sensor::from_toml_with_overrides(
            preset,
            "vlp-16",
            &LayeredToml::new(block, "page"),
            &[],
        )
        .unwrap();
        assert!(sensor.waveform.is_some() && sensor.receiver.is_some());
    }
}

/// At the threshold of 5 times the noise, 90 % are detected where the vendor says 10 % can be seen.
#[test]
fn presets_with_a_receiver_see_as_far_as_their_makers_say() {
    for name in ["hdl-64e-s2", "hdl-64e-s3"] {
        let sensor = Sensor::preset(name).unwrap();
        assert!(sensor.waveform.is_none(), "windows unless one asks for more");
        let receiver = Receiver::new(sensor.receiver.unwrap());
        let chance = |reflectance, range_m| {
            let snr = receiver.signal(reflectance, range_m) / receiver.dark_noise();
            understory_base::normal::upper_tail(5.0 - snr)
        };
        assert!((chance(0.1, 50.0) - 0.9).abs() < 0.002);
        assert!(chance(0.8, 120.0) > 0.99);
    }
}
