//! Sensors with their field of view, and the directions of one frame.

use bytes::Bytes;
use understory::pulse::scan_pattern::{Pulses, ScanPattern};
use understory_base::math;

use super::matrix;
use crate::block::BlockBuilder;
use crate::prepared::Prepared;
use crate::protocol::world::{BeamsExtra, SensorView};
use crate::refusal::{Answer, Refusal};

/// Directions from which the field of view is found.
const LOOKS: u64 = 20_000;
/// Most directions of a block.
const DIRECTIONS_MAX: u64 = 200_000;

/// All sensors.
pub fn sensors(prepared: &Prepared, offset_m: [f64; 3]) -> Vec<SensorView> {
    let (scenario, run) = (&prepared.scenario, &prepared.run);
    let platform = run.trajectory.pose_at(0.0);
    let views = scenario.sensors.iter().enumerate().map(|(index, mounted)| {
        let pattern = &mounted.sensor.pattern;
        let frame = sample(pattern, LOOKS);
        let (mut azimuth, mut elevation) = ([f32::MAX, f32::MIN], [f32::MAX, f32::MIN]);
        for direction in &frame.direction {
            let angle = math::atan2(direction.y, direction.x).to_degrees() as f32;
            let up = math::asin(direction.z.clamp(-1.0, 1.0)).to_degrees() as f32;
            azimuth = [azimuth[0].min(angle), azimuth[1].max(angle)];
            elevation = [elevation[0].min(up), elevation[1].max(up)];
        }
        if azimuth[1] - azimuth[0] > 350.0 {
            azimuth = [-180.0, 180.0];
        }
        let mount = &mounted.platform_from_sensor;
        let detector = &mounted.sensor.detector;
        SensorView {
            index: index as u16,
            name: mounted.name.clone(),
            preset: mounted.sensor.name.clone(),
            title: mounted.sensor.title.clone(),
            platform_from_sensor: matrix(&mount.to_affine(), [0.0; 3]),
            world_from_sensor: matrix(&platform.after(mount).to_affine(), offset_m),
            azimuth_deg: azimuth,
            elevation_deg: elevation,
            range_m: [detector.range_min_m, detector.range_max_m],
            channels: pattern.channels() as u32,
            scan_duration_s: pattern.scan_duration_s(),
            pulse_rate_hz: pattern.pulse_rate_hz(),
            pulses: pattern.first_pulse_at(run.duration_s),
        }
    });
    views.collect()
}

/// Pulses of a frame, at least one.
fn frame_pulses(pattern: &ScanPattern) -> u64 {
    pattern.first_pulse_at(pattern.delay_s() + pattern.scan_duration_s()).max(1)
}

/// At most `most` pulses spread over one frame.
fn sample(pattern: &ScanPattern, most: u64) -> Pulses {
    let (pulses, mut frame) = (frame_pulses(pattern), Pulses::default());
    if pulses <= most {
        pattern.fill(0..pulses, &mut frame);
        return frame;
    }
    // In short rows, so that all channels are among them.
    let row = pattern.channels().clamp(1, 128) as u64;
    let rows = (most / row).max(1);
    let mut part = Pulses::default();
    for number in 0..rows {
        let first = (pulses / row * number / rows) * row;
        pattern.fill(first..(first + row).min(pulses), &mut part);
        frame.time_s.append(&mut part.time_s);
        frame.channel.append(&mut part.channel);
        frame.direction.append(&mut part.direction);
    }
    frame
}

/// The directions of one frame of a sensor.
pub fn beams(prepared: &Prepared, sensor: u16, limit: u32) -> Answer<Bytes> {
    let missing = || Refusal::not_found(format!("there is no sensor {sensor}"));
    let mounted = prepared.scenario.sensors.get(usize::from(sensor)).ok_or_else(missing)?;
    let pattern = &mounted.sensor.pattern;
    let frame = sample(pattern, u64::from(limit).clamp(1, DIRECTIONS_MAX));
    let directions: Vec<f32> =
        frame.direction.iter().flat_map(|d| d.as_vec3().to_array()).collect();
    let times: Vec<f32> = frame.time_s.iter().map(|time_s| *time_s as f32).collect();
    let mut block = BlockBuilder::new("beams", [0.0; 3]);
    block.column("direction", 3, &directions);
    block.column("time_s", 1, &times);
    block.column("channel", 1, &frame.channel);
    let beam = &mounted.sensor.beam;
    let divergence = beam.divergence_horizontal_rad.max(beam.divergence_vertical_rad) * 1e3;
    Ok(block.finish(&BeamsExtra {
        sensor,
        pulses: frame_pulses(pattern),
        divergence_mrad: Some(divergence).filter(|mrad| mrad.is_finite()),
    }))
}
