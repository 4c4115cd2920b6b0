//! How the cost of a pulse grows: with triangles, range, sub-rays, sensors and moving bodies, each by
//! itself, in a meadow with trees. The whole path but the file, on one core, all in turns.

use std::path::Path;

use anyhow::Result;
use understory::pulse::PreparedRun;
use understory::scenario::Scenario;
use understory_view::figures::{Figure, Panel, Series};
use understory_view::plot::{Plot, write_png};

use crate::{median, timed_sensors};

const MEADOW: &str = r#"
version = 1
seed = 5
duration_s = 0.1
[world.terrain]
plane = { size_m = [160.0, 160.0], spacing_m = 10.0 }
material = "soil"
[[world.plant]]
name = "grass"
species = "tall-grass"
override = { size_x_m = 2.0, size_y_m = 2.0, blades_per_m2 = BLADES, blades_per_tuft = 4, segments = 8 }
variants = 8
tiles = true
area = { size_m = [140.0, 140.0] }
[[world.plant]]
name = "tree"
species = "oak-outlined"
count = 12
area = { size_m = [120.0, 120.0] }
avoid = [{ radius_m = 4.0 }]
BODIES
[platform]
position_m = [0.0, 0.0, 1.8]
SENSORS
"#;

const SENSOR: &str = r#"
[[sensor]]
name = "lidar-NUMBER"
preset = "hdl-64e-goodin"
[sensor.override.beam]
sampling = "uniform"
rays = RAYS
[sensor.override.detector]
range_max_m = RANGE
"#;

const BODY: &str = r#"
[[world.object]]
name = "crate"
shape = "box"
size_m = [0.8, 0.6, 0.9]
grid = { count = [SIDE, SIDE], spacing_m = [SPACING, SPACING], jitter_m = 1.0, random_yaw = true }
[world.object.motion]
repeat = "back-and-forth"
stagger_s = 0.07
keyframes = [
    { time_s = 0.0 },
    { time_s = 1.0, position_m = [3.0, 1.0, 0.0], rotation_deg = [0.0, 0.0, 40.0] },
]
"#;

/// Which meadow, seen how.
#[derive(Clone, Copy)]
struct Setting {
    blades_per_m2: f64,
    range_max_m: f64,
    sub_rays: u32,
    sensors: u32,
    bodies_per_side: u32,
}

/// What all others differ from in one thing.
const USUAL: Setting = Setting {
    blades_per_m2: 22.0,
    range_max_m: 100.0,
    sub_rays: 9,
    sensors: 1,
    bodies_per_side: 0,
};

impl Setting {
    fn prepare(&self) -> Result<PreparedRun> {
        let sensor = |number: u32| {
            SENSOR
                .replace("NUMBER", &number.to_string())
                .replace("RAYS", &self.sub_rays.to_string())
                .replace("RANGE", &format!("{:.1}", self.range_max_m))
        };
        let sensors: String = (0..self.sensors).map(sensor).collect();
        let bodies = match self.bodies_per_side {
            0 => String::new(),
            side => BODY
                .replace("SIDE", &side.to_string())
                .replace("SPACING", &format!("{:.2}", 100.0 / f64::from(side))),
        };
        let text = MEADOW
            .replace("BLADES", &format!("{:.2}", self.blades_per_m2))
            .replace("BODIES", &bodies)
            .replace("SENSORS", &sensors);
        Ok(Scenario::from_toml(&text, "meadow", Path::new(""))?.prepare()?)
    }
}

/// A quantity that grows, and the settings with its values.
struct Growth {
    title: &'static str,
    settings: Vec<Setting>,
}

fn growths() -> Vec<Growth> {
    let over = |title, values: &[f64], change: fn(&mut Setting, f64)| Growth {
        title,
        settings: values
            .iter()
            .map(|value| {
                let mut setting = USUAL;
                change(&mut setting, *value);
                setting
            })
            .collect(),
    };
    vec![
        over("million triangles", &[2.0, 6.0, 22.0, 60.0], |s, v| s.blades_per_m2 = v),
        over("range in m", &[10.0, 20.0, 40.0, 70.0, 100.0], |s, v| s.range_max_m = v),
        over("sub-rays", &[1.0, 5.0, 9.0, 15.0, 31.0, 58.0], |s, v| s.sub_rays = v as u32),
        over("sensors", &[1.0, 2.0, 4.0], |s, v| s.sensors = v as u32),
        over("moving bodies", &[0.0, 5.0, 10.0, 20.0], |s, v| s.bodies_per_side = v as u32),
    ]
}

/// All in turns; the figure goes into the folder `plot` where given.
pub fn measure(rounds: u64, plot: Option<&Path>) -> Result<serde_json::Value> {
    let mut report = serde_json::Map::new();
    let mut panels = Vec::new();
    for growth in growths() {
        let mut runs = Vec::new();
        for setting in &growth.settings {
            let run = setting.prepare()?;
            let x = match growth.title {
                "million triangles" => run.scene.rays.effective_triangles() as f64 / 1e6,
                "range in m" => setting.range_max_m,
                "sub-rays" => f64::from(setting.sub_rays),
                "sensors" => f64::from(setting.sensors),
                _ => f64::from(setting.bodies_per_side.pow(2)),
            };
            runs.push((x, run, Vec::new()));
        }
        // The first round warms the caches and does not count.
        for round in 0..=rounds {
            for (_, run, seconds) in &mut runs {
                let (spent, pulses) = timed_sensors(run, 0.02);
                if round > 0 {
                    seconds.push(spent / pulses as f64 * 1e6);
                }
            }
        }
        let points: Vec<[f64; 2]> =
            runs.iter().map(|(x, _, seconds)| [*x, median(seconds)]).collect();
        println!("{}:", growth.title);
        for [x, y] in &points {
            println!("  {x:8.1}  {y:6.2} µs a pulse");
        }
        report.insert(growth.title.into(), serde_json::json!(points));
        // Panels have common axes: each quantity as a share of its largest.
        let largest = points.iter().map(|point| point[0]).fold(0.0, f64::max);
        let title = format!("{}, up to {largest:.0}", growth.title);
        let shares = points.iter().map(|[x, y]| [x / largest, *y]).collect();
        panels.push(Panel { title, series: vec![Series::line("", shares)] });
    }
    if let Some(folder) = plot {
        let axes = ["share of the largest", "µs per pulse"];
        let figure = Figure::new("cost", "What a pulse costs", axes, panels);
        println!("wrote {}", write_png(Plot::Figure(&figure), folder)?.display());
    }
    Ok(report.into())
}
