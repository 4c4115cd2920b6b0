//! Figure 4 of Gschwandtner et al. 2011 (BlenSor): a crossing with four cars under an HDL-64E S2.
//!
//! The paper shows its scan beside that of another simulator and names what makes it alike to a real
//! one: pitch angles that are not evenly spaced (§5), a bias for each of the 64 lasers and noise for
//! each ray (equation 2). All three are measured here from one revolution in the scenario `crossing`,
//! biases and noise as the measured range less the true one. Beside it stands a baseline after figure
//! 4b, a rudimentary simulation: as many lasers between the same two angles, evenly spaced, and ranges
//! without an error.

use super::sensor_scan::{Mean, by_chance, scan};
use super::{Ask, Cloud, Finding, Limit, Reproduced};
use understory::Error;
use understory::pulse::PreparedRun;
use understory::pulse::range_error::RangeError;
use understory::scenario::Scenario;
use understory::sensor::{Sensor, presets};
use understory_base::math;
use understory_cloud::Records;
use understory_view::figures::{Figure, Panel, Series};

/// σ of the biases and of the noise that the paper's program has by default.
const BIAS_SIGMA_M: f64 = 0.078;
const RAY_SIGMA_M: f64 = 0.01;
/// The paper's sensor.
const PRESET: &str = "hdl-64e-blensor";
/// Label of roads.
const ROAD: u16 = 40;
/// Label of cars.
const CAR: u16 = 10;

/// What one laser did.
struct Laser {
    elevation_deg: f64,
    /// Measured less true range.
    error_m: Mean,
}

/// Works the figure out.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    ask.progress.step("one revolution", 0.0);
    let scenario = Scenario::embedded("crossing")?;
    let prepared = scenario.prepare()?;
    let records = scan(&prepared, ask.seed, None)?;
    let lasers = lasers(&records);
    let biases: Vec<f64> = lasers.iter().map(|laser| laser.error_m.mean).collect();
    let bias = Mean::of(&biases);
    let most = biases.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = biases.iter().copied().fold(f64::INFINITY, f64::min);
    let squares = lasers.iter().map(|laser| {
        let Mean { deviation, count, .. } = laser.error_m;
        (deviation * deviation * (count as f64 - 1.0), count as f64 - 1.0)
    });
    let (squares, freedom) = squares.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
    let mut own = scenario.sensors.iter().map(|mounted| mounted.platform_from_sensor.translation.z);
    let height_m = scenario.trajectory.pose_at(0.0).translation.z + own.next().unwrap_or(0.0);
    ask.progress.step("the baseline", 0.5);
    let plain = scan(&baseline(scenario)?, ask.seed, None)?;
    let even = self::lasers(&plain);
    let worst_m = even.iter().map(|laser| laser.error_m.mean.abs().max(laser.error_m.deviation));
    let findings = vec![
        Finding {
            quantity: "lasers with returns".into(),
            paper: Some(64.0),
            ours: lasers.len() as f64,
            limit: Limit::Within(64.0, 64.0, "each of the 64 looks at the road or at a house".into()),
        },
        Finding {
            quantity: "widest over narrowest step of pitch between neighbouring lasers".into(),
            paper: None,
            ours: uneven(&lasers),
            limit: Limit::Within(1.1, 100.0, "the angles are not evenly spaced; even ones would have 1".into()),
        },
        Finding {
            quantity: "σ of the biases of the lasers [m]".into(),
            paper: None,
            ours: bias.deviation,
            limit: Limit::Within(
                0.596 * BIAS_SIGMA_M,
                1.458 * BIAS_SIGMA_M,
                "0.078 m, the default of the paper's program, with the chi-squared limits of 64 draws; a right program leaves them with probability 1e-6".into(),
            ),
        },
        Finding {
            quantity: "farthest apart that two lasers report the same distance [m]".into(),
            paper: Some(0.12),
            ours: most - least,
            limit: Limit::Differs(
                2.4 * BIAS_SIGMA_M,
                9.0 * BIAS_SIGMA_M,
                "the paper measured up to 12 cm between any two lasers of a real sensor, but normal biases of its program's σ = 7.8 cm have a range of 4.7 σ = 37 cm among 64 lasers on average, and 12 cm with probability 1e-15; 12 cm ask for σ = 2.6 cm. The limits hold the range of 64 normal numbers with probability 1 − 1e-6".into(),
            ),
        },
        Finding {
            quantity: "σ of the noise of single rays [m]".into(),
            paper: None,
            ours: (squares / freedom).sqrt(),
            limit: by_chance(
                RAY_SIGMA_M,
                RAY_SIGMA_M / (2.0 * freedom).sqrt(),
                "a standard deviation of so many rays, about the default of the paper's program",
            ),
        },
        Finding {
            quantity: "farthest that a true point of the road lies off the road [m]".into(),
            paper: Some(0.0),
            ours: off_road_m(&records, height_m),
            limit: Limit::Within(0.0, 1e-4, "true range and direction are f32: 4 µm at 60 m".into()),
        },
        Finding {
            quantity: "other cars that are seen".into(),
            paper: Some(3.0),
            ours: other_cars(&records, &prepared) as f64,
            limit: Limit::Within(3.0, 3.0, "four cars, of which the nearest carries the sensor".into()),
        },
        Finding {
            quantity: "points in one revolution".into(),
            paper: None,
            ours: records.return_rows() as f64,
            limit: Limit::Informational,
        },
        Finding {
            quantity: "4b, baseline: widest over narrowest step of pitch".into(),
            paper: None,
            ours: uneven(&even),
            limit: Limit::Within(1.0, 1.001, "evenly spaced; f32 tells steps of 0.4° to 1e-6 of them".into()),
        },
        Finding {
            quantity: "4b, baseline: largest bias or noise of a laser [m]".into(),
            paper: None,
            ours: worst_m.fold(0.0, f64::max),
            limit: Limit::Within(0.0, 1e-5, "no error is added; ranges are f32".into()),
        },
        Finding {
            quantity: "4b, baseline: points in one revolution".into(),
            paper: None,
            ours: plain.return_rows() as f64,
            limit: Limit::Informational,
        },
    ];
    let figures = figures(&lasers, &even);
    Ok(Reproduced {
        method: "One revolution of the preset hdl-64e-blensor in the scenario crossing: 64 lasers at the angles of a calibration, a bias for each laser and noise for each ray. Bias and noise are the measured less the true range, laser by laser.".into(),
        findings,
        figures,
        clouds: vec![
            Cloud {
                name: "blensor-fig4-scan".into(),
                title: "A crossing with four cars, one revolution".into(),
                records,
            },
            Cloud {
                name: "blensor-fig4-baseline".into(),
                title: "The same with even angles and without noise".into(),
                records: plain,
            },
        ],
        remarks: vec![
            "Angles, biases and noise are those of the paper's model. Its variances \"σ\" (equation 2) are standard deviations, as its program has them.".into(),
            "The paper's own figures of the bias do not fit together: 12 cm between the two farthest lasers belongs to a σ of 2.6 cm, a third of its program's default. `bias_sigma_m` of a sensor file, or `bias_m` with a value for each laser as `understory fit-error` measures it, set what a real sensor has.".into(),
            "The baseline is after figure 4b, a scan by another simulator (MORSE), of which the paper says only that it is rudimentary: with which angles and steps it was made is not told, so ours has as many lasers and columns, and only evenness and the missing noise are held. That the paper's own scan is \"much denser\" cannot be repeated.".into(),
        ],
        ..Reproduced::default()
    })
}

/// The scenario with even angles and without errors, the same otherwise.
fn baseline(mut scenario: Scenario) -> Result<PreparedRun, Error> {
    for mounted in &mut scenario.sensors {
        mounted.sensor = even_sensor()?;
    }
    scenario.prepare()
}

/// The paper's sensor with as many lasers, evenly spaced between its lowest and highest.
fn even_sensor() -> Result<Sensor, Error> {
    let text = presets().iter().find(|(name, _)| *name == PRESET).map_or("", |(_, text)| text);
    let (before, list) = text.split_once("elevation_deg = [").unwrap_or((text, "]"));
    let (list, after) = list.split_once(']').unwrap_or((list, ""));
    let angles: Vec<f64> = list.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    let low = angles.iter().copied().fold(f64::INFINITY, f64::min);
    let high = angles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let last = angles.len().saturating_sub(1).max(1) as f64;
    let even = (0..angles.len()).map(|i| (low + (high - low) * i as f64 / last).to_string());
    let even = even.collect::<Vec<_>>().join(", ");
    let text = format!("{before}elevation_deg = [{even}]{after}");
    let mut sensor = Sensor::from_toml(&text, "hdl-64e-even.toml")?;
    sensor.range_model.error = RangeError::none();
    Ok(sensor)
}

/// The lasers by channel.
fn lasers(records: &Records) -> Vec<Laser> {
    let channels = records.channel.iter().copied().max().map_or(0, |most| usize::from(most) + 1);
    let mut errors_m = vec![Vec::new(); channels];
    let mut elevations = vec![0.0; channels];
    for row in (0..records.len()).filter(|&row| !records.is_miss(row)) {
        let channel = usize::from(records.channel[row]);
        errors_m[channel]
            .push(f64::from(records.range_m[row]) - f64::from(records.true_range_m[row]));
        elevations[channel] = f64::from(records.elevation_deg[row]);
    }
    let seen = errors_m.iter().zip(elevations).filter(|(errors, _)| errors.len() > 1);
    seen.map(|(errors, elevation_deg)| Laser { elevation_deg, error_m: Mean::of(errors) }).collect()
}

/// Widest over narrowest step between neighbouring lasers.
fn uneven(lasers: &[Laser]) -> f64 {
    let mut pitch: Vec<f64> = lasers.iter().map(|laser| laser.elevation_deg).collect();
    pitch.sort_by(f64::total_cmp);
    let steps = pitch.windows(2).map(|pair| pair[1] - pair[0]);
    let (low, high) =
        steps.fold((f64::INFINITY, 0.0f64), |(low, high), step| (low.min(step), high.max(step)));
    high / low
}

/// Farthest that the end of a true range lies above or below the road, from the angles that the
/// sensor reports. Light that left its way off the window of a car is skipped.
fn off_road_m(records: &Records, height_m: f64) -> f64 {
    let road = (0..records.len()).filter(|&row| records.label[row] == ROAD);
    let off = road.filter_map(|row| {
        let range_m = f64::from(records.true_range_m[row]);
        let level_m = range_m * math::cos(f64::from(records.elevation_deg[row]).to_radians());
        let azimuth = f64::from(records.azimuth_deg[row]).to_radians();
        let [x, y, _] = records.origin_xyz_m[row];
        let [true_x, true_y, _] = records.true_xyz_m[row];
        let aside_m = math::hypot(
            x + level_m * math::cos(azimuth) - true_x,
            y + level_m * math::sin(azimuth) - true_y,
        );
        let pitch = f64::from(records.elevation_deg[row]).to_radians();
        (aside_m < 0.1).then(|| (height_m + range_m * math::sin(pitch)).abs())
    });
    off.fold(0.0, f64::max)
}

fn other_cars(records: &Records, prepared: &PreparedRun) -> usize {
    let cars = prepared.scene.objects().iter().filter(|object| object.label == CAR);
    cars.skip(1).filter(|car| records.object.contains(&car.id)).count()
}

fn figures(lasers: &[Laser], even: &[Laser]) -> Vec<Figure> {
    let dots = |value: fn(&Laser) -> f64| {
        let of = |name: &str, lasers: &[Laser]| {
            let places = lasers.iter().enumerate();
            Series::dots(name, places.map(|(laser, own)| [laser as f64, value(own)]).collect())
        };
        vec![of("calibrated", lasers), of("baseline", even)]
    };
    let panel = |series| vec![Panel { title: String::new(), series }];
    vec![
        Figure {
            name: "blensor-fig4-pitch".into(),
            title: "Pitch angles of the 64 lasers".into(),
            x_label: "laser".into(),
            y_label: "pitch [°]".into(),
            panels: panel(dots(|laser| laser.elevation_deg)),
            ..Figure::default()
        },
        Figure {
            name: "blensor-fig4-bias".into(),
            title: "Mean error of each laser's ranges".into(),
            x_label: "laser".into(),
            y_label: "bias [m]".into(),
            panels: panel(dots(|laser| laser.error_m.mean)),
            ..Figure::default()
        },
    ]
}

#[cfg(test)]
mod tests {
    use crate::sensor_scan::tests::assert_valid;

    #[test]
    fn figure_4_is_reproduced() {
        assert_valid(super::work_out, 11);
    }
}
