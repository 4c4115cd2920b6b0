//! Measurement and truth side by side: one row per return, one row per pulse without a return.
//!
//! What enters: the columns of all steps before. What leaves: rows of [`Records`], column by column.
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
use understory_base::math;
use understory_cloud::{Record, Records};

use crate::pulse::batch::{Batch, NOTHING, RecordedRow};
use crate::pulse::detector::Detection;
use crate::pulse::prepared_run::SensorRun;
use crate::pulse::receiver::beam_reflectance;
use crate::world::scene::Scene;

/// Appends the rows of a batch to `records`.
pub fn record(scene: &Scene, sensor: &SensorRun, batch: &mut Batch, records: &mut Records) {
    let mut rows = std::mem::take(&mut batch.rows);
    lay_out(batch, &mut rows);
    fired(sensor, batch, &rows, records);
    measured(sensor, batch, &rows, records);
    truth(scene, sensor, batch, &rows, records);
    batch.rows = rows;
    waveforms(sensor, batch, records);
}

/// One row per return, one row per pulse without one.
fn lay_out(batch: &Batch, rows: &mut Vec<RecordedRow>) {
    rows.clear();
    for pulse in 0..batch.pulses.len() {
        let found = batch.detections.rows(pulse);
        let pulse = pulse as u32;
        if found.is_empty() {
            let (detected, met) = (NOTHING, NOTHING);
            rows.push(RecordedRow { pulse, detected, met, return_number: 0, return_count: 0 });
            continue;
        }
        let return_count = found.len() as u8;
        for (before, detected) in found.enumerate() {
            let met = batch.detections.detections[detected].truth.unwrap_or(NOTHING);
            let (detected, return_number) = (detected as u32, before as u8 + 1);
            rows.push(RecordedRow { pulse, detected, met, return_number, return_count });
        }
    }
}

/// What is known of a pulse before anything is known of its returns.
fn fired(sensor: &SensorRun, batch: &Batch, rows: &[RecordedRow], records: &mut Records) {
    let pulses = &batch.pulses;
    let of = |row: &RecordedRow| row.pulse as usize;
    records.time_s.extend(rows.iter().map(|row| pulses.time_s[of(row)]));
    records.pulse.extend(rows.iter().map(|row| pulses.first + u64::from(row.pulse)));
    pad(&mut records.sensor, rows.len(), sensor.index);
    records.channel.extend(rows.iter().map(|row| pulses.channel[of(row)]));
    records.scan.extend(rows.iter().map(|row| pulses.scan[of(row)]));
    records.column.extend(rows.iter().map(|row| pulses.column[of(row)]));
    records.return_number.extend(rows.iter().map(|row| row.return_number));
    records.return_count.extend(rows.iter().map(|row| row.return_count));
    let poses = batch.registered_poses();
    for row in rows {
        let report = reported(sensor, batch, of(row));
        let direction = report.direction;
        let (rotation, translation) = poses.at(of(row));
        if batch.costly.angles {
            records.azimuth_deg.push(math::atan2(direction.y, direction.x).to_degrees() as f32);
            records
                .elevation_deg
                .push(math::asin(direction.z.clamp(-1.0, 1.0)).to_degrees() as f32);
        }
        records.origin_xyz_m.push((rotation * report.origin_m + translation).to_array());
        records.direction_xyz.push((rotation * direction).as_vec3().to_array());
    }
    if !batch.costly.angles {
        let miss = Record::miss();
        pad(&mut records.azimuth_deg, rows.len(), miss.azimuth_deg);
        pad(&mut records.elevation_deg, rows.len(), miss.elevation_deg);
    }
    match sensor.detector.receiver() {
        Some(_) => {
            let ambient = |row: &RecordedRow| ambient_photons(sensor, batch, of(row));
            records.ambient_photons.extend(rows.iter().map(ambient));
        }
        None => pad(&mut records.ambient_photons, rows.len(), f32::NAN),
    }
}

/// What the sensor measured of each return.
fn measured(sensor: &SensorRun, batch: &Batch, rows: &[RecordedRow], records: &mut Records) {
    let miss = Record::miss();
    let range_offset_m = sensor.detector.spec().range_offset_m;
    let detection = |row: &RecordedRow| -> Option<&Detection> {
        batch.detections.detections.get(row.detected as usize)
    };
    let poses = batch.registered_poses();
    for row in rows {
        let Some(&range_m) = batch.measured_m.get(row.detected as usize) else {
            records.range_m.push(miss.range_m);
            records.sensor_xyz_m.push(miss.sensor_xyz_m);
            records.world_xyz_m.push(miss.world_xyz_m);
            continue;
        };
        let pulse = row.pulse as usize;
        let report = reported(sensor, batch, pulse);
        let sensor_xyz = report.origin_m + report.direction * (range_m - range_offset_m);
        let (rotation, translation) = poses.at(pulse);
        records.range_m.push(range_m as f32);
        records.sensor_xyz_m.push(sensor_xyz.as_vec3().to_array());
        records.world_xyz_m.push((rotation * sensor_xyz + translation).to_array());
    }
    records.intensity.extend(rows.iter().map(|row| match detection(row) {
        Some(found) => found.intensity.min(sensor.saturation),
        None => miss.intensity,
    }));
    match sensor.detector.receiver() {
        Some(receiver) => records.signal_photons.extend(rows.iter().map(|row| {
            let photons = detection(row).and_then(|found| {
                let distance_m = found.range_m - range_offset_m;
                receiver.signal_photons(found.intensity.into(), distance_m)
            });
            photons.map_or(miss.signal_photons, |photons| photons as f32)
        })),
        None => pad(&mut records.signal_photons, rows.len(), miss.signal_photons),
    }
    // A false alarm has no more than what is above.
    let true_detection = |row: &RecordedRow| detection(row).filter(|_| row.met != NOTHING);
    records.sub_ray_hits.extend(rows.iter().map(|row| match true_detection(row) {
        Some(found) => found.sub_ray_hits,
        None => miss.sub_ray_hits,
    }));
    records.range_spread_m.extend(rows.iter().map(|row| match true_detection(row) {
        Some(found) => found.far_m - found.near_m,
        None => miss.range_spread_m,
    }));
}

/// What was true of each return.
fn truth(
    scene: &Scene,
    sensor: &SensorRun,
    batch: &Batch,
    rows: &[RecordedRow],
    records: &mut Records,
) {
    let miss = Record::miss();
    let range_offset_m = sensor.detector.spec().range_offset_m;
    let Batch { beams, interactions, pulses, .. } = batch;
    let still = scene.rays.is_still();
    for row in rows {
        let met = row.met as usize;
        let Some(&surface) = interactions.surface.get(met) else {
            records.true_range_m.push(miss.true_range_m);
            records.true_xyz_m.push(miss.true_xyz_m);
            records.velocity_xyz_m_s.push(miss.velocity_xyz_m_s);
            records.object.push(miss.object);
            records.material.push(miss.material);
            records.label.push(miss.label);
            records.volume.push(miss.volume);
            records.colour_rgb.push(miss.colour_rgb);
            records.incidence_deg.push(miss.incidence_deg);
            continue;
        };
        let pulse = row.pulse as usize;
        let distance_m = f64::from(interactions.distance_m[met]);
        let sub_ray = interactions.sub_ray[met] as usize;
        let direction = beams.direction(pulse, sub_ray);
        let straight = beams.sub_ray_origin(pulse, sub_ray) + direction * distance_m;
        let true_xyz = interactions.bent_point(met).unwrap_or(straight);
        let moving = if still { None } else { interactions.moving_instance(met) };
        let velocity = match moving {
            Some(instance) => scene.velocity_of(instance, true_xyz, pulses.time_s[pulse]),
            None => DVec3::ZERO,
        };
        records.true_range_m.push((distance_m + range_offset_m) as f32);
        records.true_xyz_m.push(true_xyz.to_array());
        records.velocity_xyz_m_s.push(velocity.as_vec3().to_array());
        records.object.push(surface.object);
        records.material.push(surface.material);
        records.label.push(surface.label);
        records.volume.push(surface.volume);
        records.colour_rgb.push(scene.colour_of(&surface));
        records.incidence_deg.push(match surface.volume {
            0 if batch.costly.incidence => {
                math::acos(interactions.cos_incidence[met]).to_degrees() as f32
            }
            _ => miss.incidence_deg,
        });
    }
}

/// Appends the same value many times.
fn pad<T: Clone>(column: &mut Vec<T>, rows: usize, value: T) {
    column.resize(column.len() + rows, value);
}

/// Appends the waveforms that are kept.
fn waveforms(sensor: &SensorRun, batch: &Batch, records: &mut Records) {
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

/// Sunlight from what fills the beam; NaN where the receiver is not known.
fn ambient_photons(sensor: &SensorRun, batch: &Batch, pulse: usize) -> f32 {
    let Some(receiver) = sensor.detector.receiver() else { return f32::NAN };
    let reflectance = beam_reflectance(&batch.interactions, &sensor.footprint, pulse);
    receiver.ambient_photons(reflectance).map_or(f32::NAN, |photons| photons as f32)
}

#[cfg(test)]
mod tests;
