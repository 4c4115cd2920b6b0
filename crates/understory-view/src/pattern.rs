//! Scan patterns as figures: where the pulses of one frame go.
//!
//! What enters: a sensor. What leaves: a figure of dots, in colours of thirds of the frame. What looks
//! around is shown by azimuth and elevation; lines across a track by angle and time, one below the
//! other, since an aircraft's own motion draws the other axis.

use understory::pulse::scan_pattern::{Kind, Pulses, SweepPlane};
use understory::sensor::Sensor;
use understory_base::math;

use crate::figures::{Figure, Panel, Series};
use crate::plot::mark;

/// About so many pulses are drawn.
const PULSES: u64 = 60_000;
/// So many lines across a track.
const LINES: f64 = 10.0;
/// Pulses are made in batches of so many.
const BATCH: u64 = 1 << 16;

/// The kind that is made to look down.
pub const AIRCRAFT: &str = "aircraft and drones, by lines";

/// The kinds of sensors in the order in which people look for them.
pub const KINDS: [&str; 8] = [
    "spinning lidars",
    "turning prisms",
    "2D scanners",
    "line scanners",
    "tripods",
    AIRCRAFT,
    "time-of-flight cameras",
    "tables of directions",
];

/// What a sensor is: one of [`KINDS`].
pub fn kind(sensor: &Sensor) -> &'static str {
    match sensor.pattern.kind() {
        Kind::Spinning(_) if sensor.pattern.channels() == 1 => "2D scanners",
        Kind::Spinning(_) => "spinning lidars",
        Kind::LineMirror(_) => "line scanners",
        Kind::ScanningMirror(mirror) if mirror.spec().plane == SweepPlane::Vertical => "tripods",
        Kind::ScanningMirror(_) => AIRCRAFT,
        Kind::Risley(_) | Kind::Harmonic(_) => "turning prisms",
        Kind::CameraGrid(_) => "time-of-flight cameras",
        Kind::Table(_) => "tables of directions",
    }
}

/// One frame of a sensor.
pub fn figure(sensor: &Sensor) -> Figure {
    let pattern = &sensor.pattern;
    let across = matches!(
        pattern.kind(),
        Kind::ScanningMirror(mirror) if mirror.spec().plane == SweepPlane::AcrossTrack
    );
    let frame_s = pattern.scan_duration_s();
    let (duration_s, what) = if across {
        (LINES * frame_s, format!("{LINES} lines"))
    } else {
        (frame_s, format!("one frame of {} s", mark(&frame_s)))
    };
    let count = pattern.first_pulse_at(duration_s);
    let mut thirds: [Vec<[f64; 2]>; 3] = Default::default();
    // Whole columns are left out, so that what is drawn keeps the shape of the pattern.
    let keep = u32::try_from(count.div_ceil(PULSES)).unwrap_or(u32::MAX).max(1);
    let mut pulses = Pulses::default();
    let mut first = 0;
    while first < count {
        let last = (first + BATCH).min(count);
        pulses.clear();
        pattern.fill(first..last, &mut pulses);
        for pulse in 0..pulses.len() {
            let place = first + pulse as u64;
            if !across && pulses.column[pulse] % keep != 0 {
                continue;
            }
            let direction = pulses.direction[pulse];
            let time_s = pulses.time_s[pulse];
            let point = if across {
                [math::atan2(direction.y, -direction.z).to_degrees(), time_s * 1e3]
            } else {
                [
                    math::atan2(-direction.y, direction.x).to_degrees(),
                    math::asin(direction.z).to_degrees(),
                ]
            };
            let third = (3 * place / count.max(1)).min(2) as usize;
            thirds[third].push(point);
        }
        first = last;
    }
    let series = thirds.into_iter().map(|points| Series::dots("", points)).collect();
    let labels = if across {
        ["across the track, to the left (°)", "time (ms)"]
    } else {
        ["azimuth, to the right (°)", "elevation (°)"]
    };
    let title = format!("{} {}: {what}", sensor.vendor, sensor.title);
    let panel = Panel { title: String::new(), series };
    Figure { equal_axes: !across, ..Figure::new(&sensor.name, title, labels, vec![panel]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory::sensor::presets;

    #[test]
    fn every_preset_has_a_picture_of_its_field() {
        for (name, x, y) in [
            ("vlp-16", [-180.0, 180.0], [-15.0, 15.0]),
            ("livox-mid-40", [-19.2, 19.2], [-19.2, 19.2]),
            ("riegl-vux-1uav", [-165.0, 165.0], [0.0, 100.0]),
        ] {
            let drawn = figure(&Sensor::preset(name).unwrap());
            let (ours_x, ours_y) = drawn.bounds().unwrap();
            for (ours, theirs) in ours_x.iter().zip(&x).chain(ours_y.iter().zip(&y)) {
                assert!((ours - theirs).abs() < 1.0, "{name}: {ours_x:?} {ours_y:?}");
            }
        }
        let kinds: std::collections::BTreeSet<&str> =
            presets().iter().map(|(name, _)| kind(&Sensor::preset(name).unwrap())).collect();
        assert_eq!(kinds.len(), 7, "{kinds:?}");
    }
}
