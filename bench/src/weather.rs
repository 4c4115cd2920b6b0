//! What weather costs beside clear air: the whole path of the same pulses in the same orchard.

use anyhow::{Context, Result};
use glam::DVec3;
use understory::pulse::atmosphere::Atmosphere;
use understory::pulse::atmosphere::dust::DustSpec;
use understory::pulse::atmosphere::fog::FogSpec;
use understory::pulse::atmosphere::particles::Occlusion;
use understory::pulse::atmosphere::plume::{Plume, PlumeForm, Profile, Puff};
use understory::pulse::atmosphere::rain::RainSpec;
use understory::pulse::atmosphere::snow::SnowSpec;
use understory::pulse::{PreparedRun, SensorRun};
use understory::scenario::Scenario;
use understory::sensor::Sensor;
use understory::world::trajectory::{Pose, Registration, Trajectory};

use crate::{median, median_ratio, timed_pulses};

/// One revolution of an HDL-64E in the orchard, in clear air and in each weather.
pub fn compare(rounds: u64) -> Result<serde_json::Value> {
    let scenario = Scenario::embedded("orchard")?;
    let scene = scenario.build_scene()?;
    let sensor = Sensor::preset("hdl-64e-s2")?;
    let sensors = vec![SensorRun::new(0, &sensor, Pose::IDENTITY, &scene)];
    let pose = Pose { translation: DVec3::new(-10.0, 2.0, 1.8), ..Pose::IDENTITY };
    let trajectory = Trajectory::fixed(pose);
    let mut run = PreparedRun {
        scene: scene.into(),
        trajectory,
        lines: Default::default(),
        navigation: None,
        registration: Registration::default(),
        sensors,
        seed: 1,
        duration_s: 0.1,
    };
    println!("orchard, one revolution of {}", run.sensors[0].name);

    let weathers = weathers();
    let mut seconds = vec![Vec::new(); weathers.len()];
    let mut from_the_air = vec![0; weathers.len()];
    let pulses = run.sensors[0].pattern.first_pulse_at(run.duration_s);
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for (index, (_, weather)) in weathers.iter().enumerate() {
            run.sensors[0].air = sensor.air(weather);
            let (spent, air) = revolution(&run, pulses);
            if round > 0 {
                seconds[index].push(spent);
            }
            from_the_air[index] = air;
        }
    }
    let clear = seconds.first().context("there is no clear air")?;
    let mut report = serde_json::Map::new();
    for ((name, _), (spent, air)) in weathers.iter().zip(seconds.iter().zip(&from_the_air)) {
        let ratio = median_ratio(spent, clear);
        println!(
            "  {name:5} {:.2} µs a pulse, {ratio:.3} times clear air; {air} of {pulses} pulses return from the air",
            median(spent) / pulses as f64 * 1e6
        );
        report.insert(name.to_string(), ratio.into());
    }
    Ok(report.into())
}

/// Seconds for all pulses, and how many returns came from the air.
fn revolution(run: &PreparedRun, pulses: u64) -> (f64, usize) {
    timed_pulses(run, pulses, |records| {
        let rows = (0..records.len()).filter_map(|row| records.get(row));
        rows.filter(|row| row.return_count > 0 && row.object == 0).count()
    })
}

fn weathers() -> [(&'static str, Atmosphere); 5] {
    let usual = || Atmosphere { range_limit: true, ..Atmosphere::default() };
    let fog = FogSpec { patchiness: 0.3, ..FogSpec::with_visibility(50.0) };
    let rain =
        RainSpec { rate_mm_per_h: 25.0, drops: true, drop_reflectance: 1.0, range_noise: true };
    let snow = SnowSpec {
        rate_mm_per_h: 2.5,
        occlusion: Occlusion::Angle,
        flake_reflectance: 0.87,
        pulse_s: 1e-8,
    };
    let dust = DustSpec { extinction_per_m: 0.005, reflectance: 0.3 };
    let puff = |i: i32| Plume {
        extinction_per_m: 0.5,
        reflectance: 0.3,
        form: PlumeForm::Puff(Puff {
            birth_s: -0.1 * f64::from(i),
            birth_m: DVec3::new(-10.0 - 0.5 * f64::from(i), 6.0, 0.8),
            drift_m_per_s: DVec3::new(0.0, 0.3, 0.1),
            radius_m: 0.6,
            growth_m_per_s: 0.2,
            decay_s: 5.0,
            profile: Profile::Gaussian,
        }),
    };
    [
        ("clear", usual()),
        ("fog", Atmosphere { fog: Some(fog), ..usual() }),
        ("rain", Atmosphere { rain: Some(rain), ..usual() }),
        ("snow", Atmosphere { snow: Some(snow), ..usual() }),
        ("dust", Atmosphere { dust: Some(dust), plumes: (0..30).map(puff).collect(), ..usual() }),
    ]
}
