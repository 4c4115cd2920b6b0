//! Measurement and truth side by side: one row per return, one row per pulse without a return.
//!
//! What enters: the columns of all steps before. What leaves: rows of [`Records`].
//!
//! - Measured, in the sensor's frame: the point at (measured range − range offset) along the axis
//!   from the beam's origin, the whole turned about the lidar's z by the error of the reported
//!   azimuth, as a driver works it out from the packet. In the world: by the pose that the platform
//!   believes, which is the true one unless it has a navigation.
//! - True: where the sub-ray of the window that is nearest to the axis met its object, which is
//!   what stands in the direction that the sensor reports. Behind a mirror or glass it is where the
//!   light really went, while `true_range_m` is the whole path. That has the same zero as `range_m`
//!   (it includes the range offset), so that their difference is the error. A false alarm has no
//!   truth: NaN, and object 0.

use glam::DVec3;
use understory_cloud::{Record, Records};

use crate::pulse::batch::Batch;
use crate::pulse::prepared_run::SensorRun;
use crate::pulse::receiver::beam_reflectance;
use crate::world::scene::Scene;

/// Appends the rows of a batch to `records`.
pub fn record(scene: &Scene, sensor: &SensorRun, batch: &Batch, records: &mut Records) {
    let range_offset_m = sensor.detector.spec().range_offset_m;
    let receiver = sensor.detector.receiver();
    for pulse in 0..batch.pulses.len() {
        let report = reported(sensor, batch, pulse);
        let rows = batch.detections.rows(pulse);
        let fired = miss(sensor, batch, pulse, &report);
        if rows.is_empty() {
            records.push(fired);
            continue;
        }
        let return_count = rows.len() as u8;
        let (rotation, translation) = batch.registered_poses().at(pulse);
        for (before, detected) in rows.enumerate() {
            let detection = &batch.detections.detections[detected];
            let range_m = batch.measured_m[detected];
            let sensor_xyz = report.origin_m + report.direction * (range_m - range_offset_m);
            let return_number = before as u8 + 1;
            let mut row = Record { return_number, return_count, ..fired };
            row.range_m = range_m as f32;
            row.intensity = detection.intensity.min(sensor.saturation);
            let photons = receiver.and_then(|receiver| {
                let distance_m = detection.range_m - range_offset_m;
                receiver.signal_photons(detection.intensity.into(), distance_m)
            });
            row.signal_photons = photons.map_or(f32::NAN, |photons| photons as f32);
            row.sensor_xyz_m = sensor_xyz.as_vec3().to_array();
            row.world_xyz_m = (rotation * sensor_xyz + translation).to_array();

            // A false alarm has no more than this.
            let Some(met) = detection.truth.map(|met| met as usize) else {
                records.push(row);
                continue;
            };
            row.sub_ray_hits = detection.sub_ray_hits;
            row.range_spread_m = detection.far_m - detection.near_m;
            let distance_m = f64::from(batch.interactions.distance_m[met]);
            let sub_ray = batch.interactions.sub_ray[met] as usize;
            let direction = batch.beams.direction(pulse, sub_ray);
            let straight = batch.beams.sub_ray_origin(pulse, sub_ray) + direction * distance_m;
            let true_xyz = batch.interactions.bent_point(met).unwrap_or(straight);
            let surface = batch.interactions.surface[met];
            row.true_range_m = (distance_m + range_offset_m) as f32;
            row.true_xyz_m = true_xyz.to_array();
            row.object = surface.object;
            row.material = surface.material;
            row.label = surface.label;
            row.colour_rgb = scene.colour_of(surface.material);
            row.volume = surface.volume;
            let velocity = match batch.interactions.moving_instance(met) {
                Some(instance) => scene.velocity_of(instance, true_xyz, row.time_s),
                None => DVec3::ZERO,
            };
            row.velocity_xyz_m_s = velocity.as_vec3().to_array();
            if surface.volume == 0 {
                let cos_incidence = batch.interactions.cos_incidence[met];
                row.incidence_deg = cos_incidence.acos().to_degrees() as f32;
            }
            records.push(row);
        }
    }
    let kept = &batch.detector.waveform.kept;
    let first = records.waveforms.len();
    records.waveforms.append(kept);
    let directions = &mut records.waveforms.direction[first..];
    for (direction, &index) in directions.iter_mut().zip(&kept.pulse) {
        let pulse = (index - batch.pulses.first) as usize;
        let (rotation, _) = batch.registered_poses().at(pulse);
        *direction = (rotation * reported(sensor, batch, pulse).direction).as_vec3().to_array();
    }
}

/// The beam's axis as the sensor reports it.
struct Reported {
    direction: DVec3,
    origin_m: DVec3,
}

fn reported(sensor: &SensorRun, batch: &Batch, pulse: usize) -> Reported {
    let (direction, origin_m) = sensor.pattern.reported(&batch.pulses, pulse);
    Reported { direction, origin_m }
}

/// The row of a pulse before anything is known of its returns.
fn miss(sensor: &SensorRun, batch: &Batch, pulse: usize, report: &Reported) -> Record {
    let direction = report.direction;
    let (rotation, translation) = batch.registered_poses().at(pulse);
    Record {
        time_s: batch.pulses.time_s[pulse],
        pulse: batch.pulses.first + pulse as u64,
        sensor: sensor.index,
        channel: batch.pulses.channel[pulse],
        scan: batch.pulses.scan[pulse],
        column: batch.pulses.column[pulse],
        azimuth_deg: direction.y.atan2(direction.x).to_degrees() as f32,
        elevation_deg: direction.z.clamp(-1.0, 1.0).asin().to_degrees() as f32,
        origin_xyz_m: (rotation * report.origin_m + translation).to_array(),
        direction_xyz: (rotation * direction).as_vec3().to_array(),
        ambient_photons: ambient_photons(sensor, batch, pulse),
        ..Record::miss()
    }
}

/// Sunlight from what fills the beam; NaN where the receiver is not known.
fn ambient_photons(sensor: &SensorRun, batch: &Batch, pulse: usize) -> f32 {
    let Some(receiver) = sensor.detector.receiver() else { return f32::NAN };
    let reflectance = beam_reflectance(&batch.interactions, &sensor.footprint, pulse);
    receiver.ambient_photons(reflectance).map_or(f32::NAN, |photons| photons as f32)
}
