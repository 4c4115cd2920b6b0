//! Every step of one pulse, in words and numbers.
//!
//! The pulse goes through [`simulate_batch`] as a batch of one, and the account is read from the
//! columns that the steps left: there is no second pipeline that could tell another story.

use std::fmt;
use understory_base::math;

use glam::DVec3;
use understory_cloud::Records;

use crate::Error;
use crate::pulse::detector::{Detection, DetectorSpec, WaveformSpec};
use crate::pulse::interaction::{AXIS, HALO, site_axis, site_sub_ray};
use crate::pulse::range_error::RangeModel;
use crate::pulse::{Batch, PreparedRun, simulate_batch};
use crate::world::scene::Surface;
use crate::world::scene::volume::Meeting;
use crate::world::scene::volume::draws::PulseKey;

/// The account of one pulse.
#[derive(Clone, Debug)]
pub struct PulseTrace {
    /// Number and name of the sensor.
    pub sensor: (u16, String),
    /// Index of the pulse.
    pub pulse: u64,
    /// Where the sensor's frame was in the world.
    pub sensor_position_m: DVec3,
    /// Where the beam left, in the world.
    pub origin_m: DVec3,
    /// The beam's axis in the sensor's frame.
    pub axis_in_sensor: DVec3,
    /// What became of each sub-ray, by number.
    pub sub_rays: Vec<SubRayTrace>,
    /// Volumes of learned sites that may stop a ray that queries them, the first along it first.
    pub volumes: Vec<VolumeTrace>,
    /// The receiver's settings.
    pub detector: DetectorSpec,
    /// How it finds returns in waveforms, if it does.
    pub waveform: Option<WaveformSpec>,
    /// The error of the ranges and their step.
    pub range_model: RangeModel,
    /// The returns, nearest first.
    pub returns: Vec<ReturnTrace>,
    /// The rows of the pulse as they are written, with its waveform where it is detected in one.
    pub rows: Records,
}

/// One sub-ray.
#[derive(Clone, Debug, PartialEq)]
pub struct SubRayTrace {
    /// Its direction in the world.
    pub direction: DVec3,
    /// Its share of the pulse's light.
    pub weight: f32,
    /// What it met, and what its light met that went on from there.
    pub hits: Vec<HitTrace>,
}

/// Where a sub-ray met a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct HitTrace {
    /// Optical path from where it left.
    pub distance_m: f32,
    /// Mirrors, panes and borders on the way.
    pub bounces: u8,
    /// Angle to the surface normal.
    pub incidence_deg: f32,
    /// Reflectance of the material.
    pub reflectance: f32,
    /// What the surface sends back of the light, whatever the way there and back took of it.
    pub backscatter: f32,
    /// What came back; 0: too faint to count.
    pub intensity: f32,
    /// What was met.
    pub surface: Surface,
    /// Name of the object.
    pub object_name: String,
    /// Name of the material.
    pub material_name: String,
    /// Whether it is bright enough and within the range limits.
    pub counts: bool,
}

/// A volume of a learned site that a ray passes.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeTrace {
    /// Name of the site.
    pub site: String,
    /// The sub-ray that queries the site; none where one ray queries it for the whole pulse.
    pub sub_ray: Option<usize>,
    /// How the ray passes it.
    pub meeting: Meeting,
}

/// One return.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnTrace {
    /// What the receiver saw.
    pub detection: Detection,
    /// Sub-rays in its window.
    pub members: Vec<usize>,
    /// Sub-ray of the window that stands for it in the ground truth; none for a false alarm.
    pub truth: Option<usize>,
    /// Range with its error and in its step.
    pub measured_m: f64,
}

/// Simulates pulse `pulse` of sensor `sensor` and reports what happened.
pub fn explain_pulse(run: &PreparedRun, sensor: usize, pulse: u64) -> Result<PulseTrace, Error> {
    let sensors = run.sensors.len();
    let Some(sensor) = run.sensors.get(sensor) else {
        return Err(Error::Invalid {
            location: format!("sensor {sensor}"),
            problem: format!("the scenario has {sensors} sensors, numbered from 0"),
            remedy: "choose one of them".into(),
        });
    };
    let pulses = sensor.pattern.first_pulse_at(run.duration_s);
    if pulse >= pulses {
        return Err(Error::Invalid {
            location: format!("pulse {pulse}"),
            problem: format!("sensor {} fires {pulses} pulses, numbered from 0", sensor.index),
            remedy: "choose one of them".into(),
        });
    }
    let (mut batch, mut rows) = (Batch::default(), Records::default());
    batch.detector.waveform.keep = true;
    simulate_batch(run, sensor, run.seed, pulse..pulse + 1, &mut batch, &mut rows);

    let met = &batch.interactions;
    let detector = *sensor.detector.spec();
    let mut sub_rays: Vec<SubRayTrace> = batch
        .beams
        .directions(0)
        .iter()
        .enumerate()
        .map(|(number, &direction)| SubRayTrace {
            direction,
            weight: sensor.footprint.weight(number),
            hits: Vec::new(),
        })
        .collect();
    // What blooms beside the spot stands behind all sub-rays.
    let rays = sub_rays.len();
    if met.rows(0).any(|row| met.sub_ray[row] == HALO) {
        let direction = batch.beams.axis(0);
        sub_rays.push(SubRayTrace { direction, weight: 1.0, hits: Vec::new() });
    }
    let number = |row: usize| (met.sub_ray[row] as usize).min(rays);
    for row in met.rows(0) {
        let (distance_m, intensity) = (met.distance_m[row], batch.signal.intensity[row]);
        let surface = met.surface[row];
        let object = run.scene.objects().get((surface.object as usize).wrapping_sub(1));
        let material = run.scene.materials().get((surface.material as usize).wrapping_sub(1));
        sub_rays[number(row)].hits.push(HitTrace {
            distance_m,
            bounces: met.bounces[row],
            incidence_deg: math::acos(met.cos_incidence[row]).to_degrees() as f32,
            reflectance: met.reflectance[row],
            backscatter: met.backscatter[row],
            intensity,
            surface,
            object_name: object.map_or_else(|| "the air".into(), |object| object.name.clone()),
            material_name: material.map_or_else(|| "particles".into(), |m| m.name.clone()),
            counts: sensor.detector.sample(row as u32, distance_m, intensity).is_some(),
        });
    }
    let returns = batch.detections.rows(0).map(|row| {
        let detection = batch.detections.detections[row];
        let in_window = |&sample: &usize| {
            let sample = &batch.detector.samples[sample];
            (detection.near_m..=detection.far_m).contains(&(sample.range_m as f32))
        };
        let sub_ray = |row: u32| number(row as usize);
        let mut members: Vec<usize> = (0..batch.detector.samples.len())
            .filter(in_window)
            .map(|sample| sub_ray(batch.detector.samples[sample].row))
            .collect();
        members.sort_unstable();
        let truth = detection.truth.map(sub_ray);
        ReturnTrace { detection, members, truth, measured_m: batch.measured_m[row] }
    });
    let key = PulseKey::new(run.seed, sensor.index, pulse);
    let max_m = f64::from(sensor.detector.distance_max_m());
    let mut volumes = Vec::new();
    for site in &run.scene.sites {
        let name = &site.place.name;
        let mut pass = |origin, direction, sub_ray: Option<usize>, number| {
            let met = site.meetings(origin, direction, max_m, key, number).into_iter();
            volumes.extend(met.map(|meeting| VolumeTrace { site: name.clone(), sub_ray, meeting }));
        };
        match site.cone(batch.beams.divergence_rad()) {
            None => {
                let (origin, direction) = site_axis(site, &batch.beams, 0, key);
                pass(origin, direction, None, AXIS);
            }
            Some(cone) => {
                for sub_ray in 0..batch.beams.rays_per_pulse() {
                    let (origin, direction, number) = site_sub_ray(cone, &batch.beams, 0, sub_ray);
                    pass(origin, direction, Some(sub_ray), number);
                }
            }
        }
    }
    Ok(PulseTrace {
        volumes,
        sensor: (sensor.index, sensor.name.clone()),
        pulse,
        sensor_position_m: batch.poses.at(0).1,
        origin_m: batch.beams.origin(0),
        axis_in_sensor: batch.pulses.direction[0],
        returns: returns.collect(),
        sub_rays,
        detector,
        waveform: sensor.detector.waveform().copied(),
        range_model: sensor.range_model.clone(),
        rows,
    })
}

impl fmt::Display for PulseTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(row) = self.rows.get(0) else { return Ok(()) };
        let (index, name) = &self.sensor;
        writeln!(f, "pulse {} of sensor {index} ({name})", self.pulse)?;
        writeln!(
            f,
            "  fired at {:.9} s by channel {}, scan {}, column {}",
            row.time_s, row.channel, row.scan, row.column
        )?;
        writeln!(f, "platform")?;
        writeln!(f, "  sensor at {} in the world", point(self.sensor_position_m))?;
        writeln!(f, "beam")?;
        writeln!(f, "  leaves at {} in the world", point(self.origin_m))?;
        writeln!(
            f,
            "  axis {} in the sensor's frame, reported as azimuth {:.4}°, elevation {:.4}°",
            unit(self.axis_in_sensor),
            row.azimuth_deg,
            row.elevation_deg
        )?;
        let hits = self.sub_rays.iter().filter(|sub_ray| !sub_ray.hits.is_empty()).count();
        writeln!(f, "world and echo: {hits} of {} sub-rays meet something", self.sub_rays.len())?;
        for (number, sub_ray) in self.sub_rays.iter().enumerate() {
            write_sub_ray(f, number, sub_ray)?;
        }
        self.write_volumes(f)?;
        self.write_returns(f)
    }
}

impl PulseTrace {
    /// The volumes that a ray may be stopped by, as far as the first that stops it.
    fn write_volumes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stopped: Option<(&str, Option<usize>)> = None;
        for volume in &self.volumes {
            // Behind the volume that stops the ray the others of its site do not matter.
            let ray = (volume.site.as_str(), volume.sub_ray);
            if stopped == Some(ray) {
                continue;
            }
            let Meeting { number, approach, share, stops, .. } = &volume.meeting;
            writeln!(
                f,
                "  {} passes volume {} of {} at {:.4} m, {:.3} from its middle, spread {:.1} mm: stopped with probability {share:.4}, {}",
                volume.sub_ray.map_or("the axis".into(), |ray| format!("sub-ray {ray}")),
                number + 1,
                volume.site,
                approach.range_m,
                approach.distance,
                1e3 * approach.sigma_m,
                if *stops { "and it is" } else { "and it is not" }
            )?;
            if *stops {
                stopped = Some(ray);
            }
        }
        Ok(())
    }

    fn write_returns(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match &self.waveform {
            Some(waveform) => {
                format!("{:?} of the waveform, threshold {:?}", waveform.timing, waveform.threshold)
            }
            None => format!(
                "cutoff {} m, range by {:?}",
                self.detector.signal_cutoff_m, self.detector.window
            ),
        };
        writeln!(
            f,
            "detector: {:?}, {how}, {} … {} m",
            self.detector.mode, self.detector.range_min_m, self.detector.range_max_m
        )?;
        if self.returns.is_empty() {
            return writeln!(f, "  no return: the pulse is recorded as a miss");
        }
        for (number, found) in self.returns.iter().enumerate() {
            let detection = &found.detection;
            writeln!(
                f,
                "  return {}: window {:.4} … {:.4} m with sub-rays {:?}, nearest to the axis {}; range {:.4} m, intensity {:.4}",
                number + 1,
                detection.near_m,
                detection.far_m,
                found.members,
                found.truth.map_or("none".into(), |truth| truth.to_string()),
                detection.range_m,
                detection.intensity
            )?;
        }
        let step = match self.range_model.quantum_m {
            0.0 => "no step".to_string(),
            quantum_m => format!("step {quantum_m} m"),
        };
        writeln!(f, "range error: {}, {step}", self.range_model.error.describe())?;
        for (number, found) in self.returns.iter().enumerate() {
            let error_mm = 1e3 * (found.measured_m - found.detection.range_m);
            writeln!(f, "  return {}: {:.4} m ({error_mm:+.2} mm)", number + 1, found.measured_m)?;
        }
        writeln!(f, "record")?;
        for row in (0..self.rows.len()).filter_map(|row| self.rows.get(row)) {
            writeln!(
                f,
                "  return {} of {}: measured at {}, truly {:.4} m away at {}, object {}, material {}, label {}, incidence {:.2}°",
                row.return_number,
                row.return_count,
                point(DVec3::from(row.world_xyz_m)),
                row.true_range_m,
                point(DVec3::from(row.true_xyz_m)),
                row.object,
                row.material,
                row.label,
                row.incidence_deg
            )?;
        }
        Ok(())
    }
}

fn write_sub_ray(f: &mut fmt::Formatter<'_>, number: usize, sub_ray: &SubRayTrace) -> fmt::Result {
    write!(f, "  sub-ray {number:2} {} ", unit(sub_ray.direction))?;
    if sub_ray.hits.is_empty() {
        return writeln!(f, "meets nothing");
    }
    for (place, hit) in sub_ray.hits.iter().enumerate() {
        let indent = if place > 0 { "             and " } else { "" };
        let way = match hit.bounces {
            0 => String::new(),
            1 => " by way of 1 surface".into(),
            bounces => format!(" by way of {bounces} surfaces"),
        };
        writeln!(
            f,
            "{indent}meets object {} ({} of {}) at {:.4} m{way} under {:.2}°, reflectance {:.3}: share {:.4} × sent back {:.5} = {:.5}{}",
            hit.surface.object,
            hit.object_name,
            hit.material_name,
            hit.distance_m,
            hit.incidence_deg,
            hit.reflectance,
            sub_ray.weight,
            hit.backscatter,
            hit.intensity,
            if hit.counts { "" } else { ", does not count" }
        )?;
    }
    Ok(())
}

fn point(p: DVec3) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", p.x, p.y, p.z)
}

fn unit(v: DVec3) -> String {
    format!("({:.6}, {:.6}, {:.6})", v.x, v.y, v.z)
}
