//! Learned sites: pulses per second of the whole path but the file, and bytes per volume.
//!
//! The sites are made, not learned: ground and a wall of thin volumes, one per cell, and a crown of
//! volumes that let light through, some 0.7 to 1.2 million together; in cells of 5 cm behind the
//! hard gate of voxels, in cells of 2.5 cm and 1.25 cm behind the soft gate.

use anyhow::Result;
use glam::{DMat3, DVec3};
use understory::pulse::beam::Footprint;
use understory::pulse::{PreparedRun, SensorRun};
use understory::sensor::Sensor;
use understory::world::scene::SceneBuilder;
use understory::world::scene::Surface;
use understory::world::scene::volume::draws::PulseKey;
use understory::world::scene::volume::{PlacedSite, RangeDraw, SitePlace, SiteRays};
use understory::world::trajectory::{Pose, Registration, Trajectory};
use understory_cloud::Records;
use understory_learn::site::{Evidence, Gate, Model, Provenance, Site, Volume};
use understory_learn::volume::Gaussian;

use crate::{median, timed_pulses};

/// Pulses per second of the sensor.
const SENSOR_RATE: f64 = 1.333e6;

/// One revolution of an HDL-64E in each site.
pub fn measure(rounds: u64) -> Result<serde_json::Value> {
    let sensor = Sensor::preset("hdl-64e-s2")?;
    let mut report = serde_json::Map::new();
    let sites = [
        ("voxels of 5 cm", Gate::Cell { tau: 2.0 }, 0.05, 44.0),
        ("soft volumes of 5 cm", Gate::Soft, 0.05, 44.0),
        ("soft volumes of 2.5 cm", Gate::Soft, 0.025, 22.0),
        ("soft volumes of 1.25 cm", Gate::Soft, 0.0125, 11.0),
    ];
    for (name, gate, cell_m, size_m) in sites {
        let site = made(gate, cell_m, size_m);
        let started = std::time::Instant::now();
        let place = SitePlace {
            name: name.into(),
            world_from_site: Pose::IDENTITY,
            surface: Surface { object: 1, material: 1, label: 0, volume: 0 },
            rays: SiteRays::Nominal,
            draw: RangeDraw::Truncated,
            number: 0,
        };
        let placed = PlacedSite::new(&site, place)?;
        let built_s = started.elapsed().as_secs_f64();
        let bytes = placed.memory_bytes() as f64 / placed.volumes() as f64;
        let mut builder = SceneBuilder::default();
        builder.add_object(name.into(), 0)?;
        let mut scene = builder.build()?;
        scene.sites.push(placed);
        let mut sensors = vec![SensorRun::new(0, &sensor, Pose::IDENTITY, &scene)];
        if scene.has_only_axes(sensors[0].footprint.divergence_rad()) {
            sensors[0].footprint = Footprint::axis_only();
        }
        let pose = Pose { translation: DVec3::new(0.0, 0.0, 1.8), ..Pose::IDENTITY };
        let trajectory = Trajectory::fixed(pose);
        let run = PreparedRun {
            scene: scene.into(),
            trajectory,
            lines: Default::default(),
            navigation: None,
            registration: Registration::default(),
            sensors,
            seed: 1,
            duration_s: 0.1,
        };
        let pulses = run.sensors[0].pattern.first_pulse_at(run.duration_s);
        let (mut seconds, mut returns) = (Vec::new(), 0);
        for round in 0..=rounds {
            let (spent, met) = revolution(&run, pulses);
            returns = met;
            if round > 0 {
                seconds.push(spent / pulses as f64);
            }
        }
        let best = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let typical = median(&seconds);
        println!(
            "{name}: {} volumes, {bytes:.1} bytes each, built in {built_s:.1} s; {:.0} ns a pulse \
             (best {:.0}), {:.2} million pulses a second on two threads, {:.2} times the sensor's; \
             {:.0} % of the pulses return",
            site.volumes.len(),
            typical * 1e9,
            best * 1e9,
            2e-6 / typical,
            2.0 / typical / SENSOR_RATE,
            100.0 * returns as f64 / pulses as f64
        );
        report.insert(
            name.into(),
            serde_json::json!({
                "volumes": site.volumes.len(),
                "bytes_per_volume": bytes,
                "ns_per_pulse": typical * 1e9,
                "pulses_per_second_on_two_threads": 2.0 / typical,
            }),
        );
    }
    Ok(report.into())
}

/// Seconds for all pulses, and how many returned.
fn revolution(run: &PreparedRun, pulses: u64) -> (f64, usize) {
    timed_pulses(run, pulses, Records::return_rows)
}

/// Ground, a wall at its far side and a crown in the middle of one half.
fn made(gate: Gate, cell_m: f64, size_m: f64) -> Site {
    let mut volumes = Vec::new();
    let mut counter = 0;
    let mut number = || {
        counter += 1;
        PulseKey::new(77, 0, counter).draws(0, 0).uniform(0)
    };
    let cells = (size_m / cell_m) as i64;
    let (thin, wide) = (0.005, cell_m / 12f64.sqrt());
    let mut add = |at: DVec3, sigma: DVec3, depth: f64| {
        let covariance = DMat3::from_diagonal(sigma * sigma);
        if let Some(gaussian) = Gaussian::new(at, covariance) {
            volumes.push(Volume::new(&gaussian, depth));
        }
    };
    let inside = |k: i64| (k as f64 + 0.5) * cell_m;
    for i in -cells / 2..cells / 2 {
        for j in -cells / 2..cells / 2 {
            let bumps = 0.3 * cell_m * number();
            let at = DVec3::new(inside(i), inside(j), bumps);
            add(at, DVec3::new(wide, wide, thin), 3.0);
        }
        for k in 0..(3.0 / cell_m) as i64 {
            let at = DVec3::new(inside(i), size_m / 2.0 - 0.5 * cell_m, inside(k));
            add(at, DVec3::new(wide, thin, wide), 5.0);
        }
    }
    // A crown: an eighth of the cells of a ball of a seventh of the site.
    let (radius, middle) = (size_m / 14.0, DVec3::new(size_m / 5.0, 0.0, size_m / 10.0 + 1.0));
    let filled = 0.125 * 4.19 * (radius / cell_m).powi(3);
    for _ in 0..filled.min(400_000.0) as usize {
        let direction =
            DVec3::new(number() - 0.5, number() - 0.5, number() - 0.5).normalize_or_zero();
        let at = middle + direction * radius * number().cbrt();
        let sigma = DVec3::new(0.2 + number(), 0.2 + number(), 0.2 + number()) * wide;
        add(at, sigma.max(DVec3::splat(0.003)), 0.1 + 0.9 * number());
    }
    Site {
        origin: DVec3::ZERO,
        model: Model::Voxel,
        gate,
        cell_m,
        evidence: vec![Evidence::default(); volumes.len()],
        volumes,
        colours: Vec::new(),
        surface: None,
        provenance: Provenance::default(),
    }
}
