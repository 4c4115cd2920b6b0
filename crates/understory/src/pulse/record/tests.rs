//! Column by column gives what row by row gives, and trace, air, noise and motion change nothing of
//! it; rows of interactions that are columns of hits are those that are pushed one by one.

use super::*;
use crate::pulse::interaction::{Interactions, SceneOverTime};
use crate::pulse::{PreparedRun, simulate_batch};
use crate::rng::BatchKey;
use crate::scenario::Scenario;
use crate::world::scene::surface_optics::{Finish, Optics};

/// The rows of a batch, each made whole before the next.
fn by_rows(scene: &Scene, sensor: &SensorRun, batch: &Batch) -> Records {
    let mut records = Records::default();
    let range_offset_m = sensor.detector.spec().range_offset_m;
    let receiver = sensor.detector.receiver();
    for pulse in 0..batch.pulses.len() {
        let report = reported(sensor, batch, pulse);
        let direction = report.direction;
        let (rotation, translation) = batch.registered_poses().at(pulse);
        let fired = Record {
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
        };
        let rows = batch.detections.rows(pulse);
        if rows.is_empty() {
            records.push(fired);
        }
        let return_count = rows.len() as u8;
        for (before, detected) in rows.enumerate() {
            let detection = &batch.detections.detections[detected];
            let range_m = batch.measured_m[detected];
            let sensor_xyz = report.origin_m + report.direction * (range_m - range_offset_m);
            let mut row = Record { return_number: before as u8 + 1, return_count, ..fired };
            row.range_m = range_m as f32;
            row.intensity = detection.intensity.min(sensor.saturation);
            let photons = receiver.and_then(|receiver| {
                let distance_m = detection.range_m - range_offset_m;
                receiver.signal_photons(detection.intensity.into(), distance_m)
            });
            row.signal_photons = photons.map_or(f32::NAN, |photons| photons as f32);
            row.sensor_xyz_m = sensor_xyz.as_vec3().to_array();
            row.world_xyz_m = (rotation * sensor_xyz + translation).to_array();
            if let Some(met) = detection.truth.map(|met| met as usize) {
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
                row.colour_rgb = scene.colour_of(&surface);
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
            }
            records.push(row);
        }
    }
    records
}

/// All columns as bytes, so that NaN is NaN.
fn bytes(records: &Records) -> Vec<(&'static str, Vec<u8>)> {
    let (mut scratch, mut all) = (Vec::new(), Vec::new());
    records.for_each_column(&mut scratch, &mut |name, bytes| all.push((name, bytes.to_vec())));
    all
}

fn scenario(name: &str) -> PreparedRun {
    Scenario::embedded(name).unwrap().prepare().unwrap()
}

#[test]
fn columns_are_those_of_the_rows() {
    for name in ["first-scan", "mirror", "people-walking", "rain", "tof-camera", "rods"] {
        let run = scenario(name);
        for sensor in &run.sensors {
            let mut batch = Batch::default();
            let mut records = Records::default();
            simulate_batch(&run, sensor, run.seed, 700..2300, &mut batch, &mut records);
            assert!(records.return_rows() > 0, "{name}");
            let expected = bytes(&by_rows(&run.scene, sensor, &batch));
            for (found, expected) in bytes(&records).iter().zip(&expected) {
                assert!(found == expected, "{name}: {} differs", found.0);
            }
            // What nobody reads is as in a miss, and everything else as before.
            let mut fewer = Records::default();
            batch.costly = understory_cloud::CostlyColumns::NONE;
            simulate_batch(&run, sensor, run.seed, 700..2300, &mut batch, &mut fewer);
            let angles = ["azimuth_deg", "elevation_deg", "incidence_deg"];
            for (found, expected) in bytes(&fewer).iter().zip(&expected) {
                assert!(angles.contains(&found.0) || found == expected, "{name}: {}", found.0);
            }
            assert!(fewer.azimuth_deg.iter().chain(&fewer.incidence_deg).all(|x| x.is_nan()));
        }
    }
}

/// An unused mirror among the materials has every hit pushed by itself.
#[test]
fn hits_as_columns_are_the_hits_one_by_one() {
    for name in ["first-scan", "orchard"] {
        let run = scenario(name);
        let sensor = &run.sensors[0];
        let mut batch = Batch::default();
        simulate_batch(&run, sensor, run.seed, 0..1500, &mut batch, &mut Records::default());
        let Batch { beams, movers, pulses, .. } = &batch;
        let world = SceneOverTime { scene: &run.scene, movers, times_s: &pulses.time_s };
        let key = BatchKey { seed: run.seed, sensor: 0, first_pulse: 0 };
        let optics = run.scene.optics(905.0);
        assert!(!optics.iter().any(Optics::continues), "{name}");
        let mirror = Optics::new(0.1, Finish { mirror: 0.5, ..Finish::default() }, 0.0);
        let with_mirror: Vec<Optics> = optics.iter().copied().chain([mirror]).collect();
        let [columns, rows] = [&optics, &with_mirror].map(|optics| {
            let mut found = Interactions::default();
            found.trace(beams, &world, optics, 120.0, key);
            found
        });
        assert!(columns.sub_ray.len() > 2000, "{name}");
        assert_eq!(columns.pulses(), rows.pulses());
        for pulse in 0..columns.pulses() {
            assert_eq!(columns.rows(pulse), rows.rows(pulse));
        }
        assert_eq!(columns.sub_ray, rows.sub_ray);
        assert_eq!(columns.distance_m, rows.distance_m);
        assert_eq!(columns.cos_incidence, rows.cos_incidence);
        assert_eq!(columns.reflectance, rows.reflectance);
        assert_eq!(columns.backscatter, rows.backscatter);
        assert_eq!(columns.bounces, rows.bounces);
        assert_eq!(columns.surface, rows.surface);
    }
}
