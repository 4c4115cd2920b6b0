//! Laws of the patterns: pure, in order, and as the makers say.

use proptest::prelude::*;

use super::*;
use crate::sensor::{Sensor, presets};

fn append(all: &mut Pulses, piece: &Pulses) {
    all.time_s.extend(&piece.time_s);
    all.channel.extend(&piece.channel);
    all.scan.extend(&piece.scan);
    all.column.extend(&piece.column);
    all.direction.extend(&piece.direction);
    all.origin_m.extend(&piece.origin_m);
    all.azimuth_report_error_rad.extend(&piece.azimuth_report_error_rad);
    all.spot_half.extend(&piece.spot_half);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pieces_equal_the_whole(
        preset in 0..presets().len(),
        start in 0u64..20_000_000_000,
        lengths in prop::collection::vec(0u64..700, 1..6),
    ) {
        let pattern = Sensor::preset(presets()[preset].0).unwrap().pattern;
        let total: u64 = lengths.iter().sum();
        let mut whole = Pulses::default();
        pattern.fill(start..start + total, &mut whole);
        prop_assert_eq!(whole.first, start);
        prop_assert_eq!(whole.len() as u64, total);
        let mut joined = Pulses { first: start, ..Pulses::default() };
        let mut piece = Pulses::default();
        let mut at = start;
        for length in lengths {
            pattern.fill(at..at + length, &mut piece);
            append(&mut joined, &piece);
            at += length;
        }
        prop_assert_eq!(whole, joined);
    }

    #[test]
    fn first_pulse_at_splits_time_without_gap_or_overlap(
        preset in 0..presets().len(),
        time_s in 0.0..20_000.0f64,
        later_s in 0.0..1e-3f64,
    ) {
        let pattern = Sensor::preset(presets()[preset].0).unwrap().pattern;
        let first = pattern.first_pulse_at(time_s);
        let mut pulses = Pulses::default();
        pattern.fill(first.saturating_sub(1)..first + 1, &mut pulses);
        // The cycle that starts first at or after the time fires then or later …
        prop_assert!(*pulses.time_s.last().unwrap() >= time_s - START_SLACK_S);
        // … and the cycle before it ends there and started earlier.
        if first > 0 {
            let previous = pattern.cycle_of(first - 1);
            prop_assert_eq!(previous.end, first);
            prop_assert!(previous.start_s < time_s);
        }
        // Later times never give earlier pulses.
        prop_assert!(pattern.first_pulse_at(time_s + later_s) >= first);
    }
}

#[test]
fn the_start_of_each_column_finds_itself() {
    for (name, _) in presets() {
        let pattern = Sensor::preset(name).unwrap().pattern;
        let Kind::Spinning(spinning) = pattern.kind() else { continue };
        let columns = match &spinning.spec().timing {
            Timing::FreeRunning { cycle_s } => {
                let column = Column { time_s: 0.0, azimuth_rad: 0.0, first_firing: 0, firings: 1 };
                Frames::new(*cycle_s, vec![column], 1).unwrap()
            }
            Timing::Framed(frames) => frames.clone(),
        };
        let per_scan = columns.columns().len() as u64;
        let start_s = |k: u64| {
            (k / per_scan) as f64 * columns.scan_s()
                + columns.columns()[(k % per_scan) as usize].time_s
        };
        let count = (pattern.pulse_rate_hz() * columns.scan_s()).round() as u64 / per_scan;
        for k in (0..5000).chain(100_000_000..100_001_000) {
            let time_s = start_s(k);
            assert_eq!(pattern.first_pulse_at(time_s), k * count, "{name} column {k}");
            let later_s = time_s + 2.0 * START_SLACK_S;
            assert_eq!(pattern.first_pulse_at(later_s), (k + 1) * count, "{name} column {k}");
        }
    }
    let pattern = Sensor::preset("vlp-16").unwrap().pattern;
    assert_eq!(pattern.first_pulse_at(-1.0), 0);
    assert_eq!(pattern.first_pulse_at(f64::NAN), 0);
    assert_eq!(pattern.first_pulse_at(f64::INFINITY), u64::MAX);
}

#[test]
fn revolutions_and_columns_count_up() {
    // 2000 cycles of 50 µs are exactly a revolution at 10 Hz, which tempts rounding.
    let pattern = Sensor::preset("xt32").unwrap().pattern;
    let mut pulses = Pulses::default();
    for revolution in [0u64, 1, 7, 12_345] {
        let first = revolution * 2000 * 32;
        pattern.fill(first..first + 2000 * 32, &mut pulses);
        assert!(pulses.scan.iter().all(|scan| u64::from(*scan) == revolution));
        for (i, column) in pulses.column.iter().enumerate() {
            assert_eq!(*column as usize, i / 32);
        }
    }
}

#[test]
fn lasers_turn_with_their_firing_times() {
    // At 10 Hz a VLP-16 turns by 0.0083° from one firing to the next.
    let pattern = Sensor::preset("vlp-16").unwrap().pattern;
    let mut pulses = Pulses::default();
    pattern.fill(0..2, &mut pulses);
    let azimuth = |i: usize| pulses.direction[i].y.atan2(pulses.direction[i].x).to_degrees();
    assert!((azimuth(0) - azimuth(1) - 3600.0 * 2.304e-6).abs() < 1e-9);
    assert_eq!(pulses.direction[0].y, 0.0, "starts along x");
}

#[test]
fn finer_modes_of_a_line_scanner_interlace_revolutions() {
    let text = crate::sensor::preset_text("lms-291").unwrap();
    let fine = text
        .replace("azimuth_step_deg = 1.0", "azimuth_step_deg = 0.5")
        .replace("interlace = 1\n", "interlace = 2\n");
    let pattern = Sensor::from_toml(&fine, "lms.toml").unwrap().pattern;
    assert_eq!(pattern.columns_per_scan(), 361);
    assert!((pattern.scan_duration_s() - 2.0 / 75.0).abs() < 1e-15);
    let mut pulses = Pulses::default();
    pattern.fill(0..361, &mut pulses);
    let azimuth = |i: usize| pulses.direction[i].y.atan2(pulses.direction[i].x).to_degrees();
    assert!((azimuth(0) + 90.0).abs() < 1e-9);
    assert!((azimuth(180) - 90.0).abs() < 1e-9, "181 steps of 1° in the first revolution");
    assert!((azimuth(181) + 89.5).abs() < 1e-9, "then the halves between them");
    assert!((pulses.time_s[181] - (1.0 + 0.5 / 360.0) / 75.0).abs() < 1e-15);
}

#[test]
fn two_block_steps_are_those_of_the_paper() {
    // 360/(250 000/(32 ω) − 1) and 360/(250 000/(8 ω) − 1).
    for (rotation_hz, lower, upper) in [
        (10.0, 0.461390580, 0.115236876),
        (5.0, 0.230547550, 0.0576092175),
        (15.0, 0.692529657, 0.172882984),
    ] {
        let ours = two_block_steps_deg(1e6, 32, rotation_hz, TwoBlockResolution::Paper);
        assert!((ours[0] - lower).abs() < 5e-9, "{ours:?}");
        assert!((ours[1] - upper).abs() < 5e-9, "{ours:?}");
    }
    let full = two_block_steps_deg(1e6, 32, 10.0, TwoBlockResolution::FullCircle);
    assert!((full[0] - 0.4608).abs() < 1e-12 && (full[1] - 0.1152).abs() < 1e-12);
}

#[test]
fn the_two_block_readout_gives_three_upper_columns_and_a_lower_one() {
    let pattern = Sensor::preset("hdl-64e-goodin").unwrap().pattern;
    assert_eq!(pattern.columns_per_scan(), 4 * 781);
    assert_eq!(pattern.first_pulse_at(0.1), 99_968);
    let mut pulses = Pulses::default();
    pattern.fill(0..256, &mut pulses);
    for (i, channel) in pulses.channel.iter().enumerate() {
        assert_eq!(*channel >= 32, (i / 32) % 4 == 3);
    }
    let azimuth = |i: usize| pulses.direction[i].y.atan2(pulses.direction[i].x).to_degrees();
    assert!((azimuth(32) + 180.0 - 0.115236876).abs() < 1e-8);
    assert!((azimuth(224) + 180.0 - 0.461390580).abs() < 1e-8);
}

#[test]
fn cycles_are_what_intervals_never_cut() {
    for (name, _) in presets() {
        let pattern = Sensor::preset(name).unwrap().pattern;
        let mut pulse = 0;
        for _ in 0..3_000 {
            let cycle = pattern.cycle_of(pulse);
            assert_eq!(cycle, pattern.cycle_of(cycle.end - 1), "{name}");
            assert_eq!(pattern.first_pulse_at(cycle.start_s), pulse, "{name}");
            assert_eq!(pattern.first_pulse_at(cycle.start_s + 2e-9), cycle.end, "{name}");
            pulse = cycle.end;
        }
    }
}

/// The cheap turn of reported directions against the library's sine and cosine.
#[test]
fn small_angles_have_their_sines() {
    for k in -2000..=2000 {
        let angle = f64::from(k) * 1.1e-5;
        let (sin, cos) = small_sin_cos(angle);
        assert!((sin - angle.sin()).abs() <= 4e-18 + 3e-16 * angle.abs(), "{angle}");
        assert!((cos - angle.cos()).abs() <= 2.3e-16, "{angle}");
    }
}
