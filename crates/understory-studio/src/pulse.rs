//! One pulse of a scan simulated again, and told: what `understory trace` tells.

use understory::run::trace_pulse::{HitTrace, PulseTrace, explain_pulse};

use crate::layers::point::find;
use crate::layers::{LayerEntry, Origin};
use crate::protocol::pulse::{
    Echo, EchoKind, PulseAccount, PulseReturn, SubRay, SubRayHit, VolumePassed,
};
use crate::refusal::{Answer, Refusal};
use crate::studio::Studio;
use understory_base::Silent;

/// Samples of an echo told at most.
const SAMPLES_MAX: usize = 20_000;

/// The account of the pulse that gave a point.
pub fn account(studio: &Studio, entry: &LayerEntry, point: u32) -> Answer<PulseAccount> {
    let (record, scenario, seed) = {
        let held = entry.lock();
        let record = find(&held, point)?.record;
        let Origin::Scan { scenario, seed } = &held.origin else {
            let sentence =
                "this layer was recorded, not simulated: nobody knows more of its pulses";
            return Err(Refusal::conflict(sentence));
        };
        (record, scenario.clone(), *seed)
    };
    let prepared = studio.prepared.get(&scenario, studio.folder(), &Silent);
    let run = prepared.map_err(Refusal::problem)?.with_seed(seed);
    let trace = explain_pulse(&run, usize::from(record.sensor), record.pulse)?;
    Ok(told(entry.id, &trace))
}

fn told(layer: u32, trace: &PulseTrace) -> PulseAccount {
    let origin = trace.origin_m;
    let hit = |direction: glam::DVec3, hit: &HitTrace| SubRayHit {
        distance_m: hit.distance_m,
        xyz_m: (origin + direction * f64::from(hit.distance_m)).to_array(),
        bounces: hit.bounces,
        incidence_deg: Some(hit.incidence_deg).filter(|angle| angle.is_finite()),
        reflectance: hit.reflectance,
        intensity: hit.intensity,
        object: hit.object_name.clone(),
        material: hit.material_name.clone(),
        counts: hit.counts,
    };
    let sub_rays = trace.sub_rays.iter().map(|sub_ray| SubRay {
        direction: sub_ray.direction.to_array(),
        weight: sub_ray.weight,
        hits: sub_ray.hits.iter().map(|met| hit(sub_ray.direction, met)).collect(),
    });
    let volumes = trace.volumes.iter().map(|volume| VolumePassed {
        site: volume.site.clone(),
        volume: volume.meeting.number + 1,
        range_m: volume.meeting.approach.range_m,
        share: volume.meeting.share,
        stops: volume.meeting.stops,
    });
    let returns = trace.returns.iter().map(|found| PulseReturn {
        window_m: [found.detection.near_m, found.detection.far_m],
        range_m: found.detection.range_m,
        measured_m: found.measured_m,
        intensity: found.detection.intensity,
        sub_rays: found.members.iter().map(|member| *member as u32).collect(),
        truth: found.truth.map(|truth| truth as u32),
    });
    let text = trace.to_string();
    let detector = text.lines().find_map(|line| line.strip_prefix("detector: "));
    PulseAccount {
        layer,
        sensor: trace.sensor.1.clone(),
        pulse: trace.pulse,
        time_s: trace.rows.time_s.first().copied().unwrap_or(0.0),
        channel: trace.rows.channel.first().copied().unwrap_or(0),
        origin_m: origin.to_array(),
        sub_rays: sub_rays.collect(),
        volumes: volumes.collect(),
        detector: detector.unwrap_or_default().to_owned(),
        range_m: [trace.detector.range_min_m, trace.detector.range_max_m],
        echo: echo(trace),
        returns: returns.collect(),
        text,
    }
}

/// The receiver's samples where it has some, else the light of each sub-ray at its range.
fn echo(trace: &PulseTrace) -> Echo {
    let waveforms = &trace.rows.waveforms;
    let (mut range_m, mut signal) = (Vec::new(), Vec::new());
    for segment in 0..waveforms.len() {
        let first_m = waveforms.first_range_m.get(segment).copied().unwrap_or(0.0);
        let bin_m = waveforms.bin_m.get(segment).copied().unwrap_or(0.0);
        for (place, sample) in waveforms.samples(segment).iter().enumerate() {
            range_m.push((first_m + place as f64 * bin_m) as f32);
            signal.push(*sample);
        }
    }
    if !range_m.is_empty() {
        range_m.truncate(SAMPLES_MAX);
        signal.truncate(SAMPLES_MAX);
        let threshold = trace.waveform.and_then(|waveform| match waveform.threshold {
            understory::pulse::detector::Threshold::Signal(level) => Some(level as f32),
            // In deviations of a noise that depends on the sun.
            understory::pulse::detector::Threshold::Sigma(_) => None,
        });
        let unit = "signal of the receiver".to_owned();
        return Echo { kind: EchoKind::Waveform, range_m, signal, threshold, unit };
    }
    let offset_m = trace.detector.range_offset_m as f32;
    let mut light: Vec<(f32, f32)> = trace
        .sub_rays
        .iter()
        .flat_map(|sub_ray| &sub_ray.hits)
        .map(|hit| (hit.distance_m + offset_m, hit.intensity))
        .collect();
    light.sort_by(|a, b| a.0.total_cmp(&b.0));
    light.truncate(SAMPLES_MAX);
    Echo {
        kind: EchoKind::SubRays,
        range_m: light.iter().map(|(range, _)| *range).collect(),
        signal: light.iter().map(|(_, light)| *light).collect(),
        threshold: None,
        unit: "light of a sub-ray, 1: all of it from a white target".to_owned(),
    }
}
