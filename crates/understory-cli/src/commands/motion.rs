//! `understory motion SCENARIO`: where the objects of a scenario are, when, and how fast they move.

use std::path::{Path, PathBuf};

use anyhow::Result;
use glam::DVec3;
use serde_json::{Value, json};
use understory::scenario::object_tracks::{MotionFormat, TruthOptions, rows, selected, write};
use understory::world::scene::{Object, Scene};
use understory_cloud::label_name;

use crate::interval::Interval;
use crate::loading::{Loaded, read_scenario};
use crate::outputs::NewFolder;
use crate::progress::BuildProgress;
use crate::report::shown;
use crate::report::{check_json, print_or_json, usage};
use crate::table::{Align, Table};

/// Steps a second in which ways and speeds are added up for the table.
const TABLE_RATE_HZ: f64 = 100.0;

/// Tell how the objects of a scenario move, and write it to files
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory motion near-collision
  understory motion near-collision -o motion.csv -o motion.txt -o tracklet_labels.xml
  understory motion my.toml -o cars.csv --objects 'car*' --interval 0..2 --rate 25

A CSV without --rate holds the poses of which the motion is made: [world.motion] file = \"motion.csv\"
replays it bit by bit.")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one (understory scenarios)
    scenario: String,
    /// A file to write: .csv, .txt (BlenSor's form) or .xml (KITTI tracklets); may be given several times
    #[arg(long, short, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Only objects of this name; * and ? stand for anything; may be given several times [default: all that move]
    #[arg(long, value_name = "NAME")]
    objects: Vec<String>,
    /// Only from A up to B seconds; both ends may be left out
    #[arg(long, value_name = "A..B")]
    interval: Option<Interval>,
    /// Rows a second [default: the poses of which the motion is made; 100 in .txt]
    #[arg(long, value_name = "HZ")]
    rate: Option<f64>,
    /// The sensor whose scans are the frames of tracklets [default: the first]
    #[arg(long, value_name = "NAME")]
    sensor: Option<String>,
    /// Also write the table as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Builds the scene, tells how its objects move, and writes the files.
pub fn motion(arguments: &Arguments) -> Result<()> {
    if let Some(path) = arguments.out.iter().find(|path| MotionFormat::of(path).is_none()) {
        return Err(usage(format!(
            "{}: its ending names no form of motion; end it in .csv, .txt or .xml",
            path.display()
        )));
    }
    check_json(arguments.json.as_deref())?;
    let (_, scenario) = read_scenario(&arguments.scenario)?;
    let progress = BuildProgress::new();
    let scene = scenario.build_scene_reporting(&progress)?;
    drop(progress);
    let duration_s = scenario.duration_s;
    let options = TruthOptions {
        objects: arguments.objects.clone(),
        interval_s: arguments.interval.map(|interval| interval.within(duration_s)),
        rate_hz: arguments.rate,
        sensor: arguments.sensor.clone(),
    };
    let objects = selected(&scene, &options.objects)?;
    let interval_s = options.interval_s.unwrap_or((0.0, duration_s));
    let rows = objects.iter().map(|object| MotionRow::of(&scene, object, interval_s));
    let rows: Vec<MotionRow<'_>> = rows.collect::<Result<_>>()?;
    let mut text = table(&rows);
    for path in &arguments.out {
        let written = write(path, &scenario, &scene, &options)?;
        text += &format!("wrote {}\n", shown(&written));
    }
    let values: Vec<Value> = rows.iter().map(MotionRow::json).collect();
    print_or_json(&text, arguments.json.as_deref(), &values)
}

/// How one object moves, in a line.
struct MotionRow<'a> {
    object: &'a Object,
    from_m: DVec3,
    to_m: DVec3,
    way_m: f64,
    speed_max_m_s: f64,
    turn_max_deg_s: f64,
}

impl<'a> MotionRow<'a> {
    fn of(scene: &'a Scene, object: &'a Object, interval_s: (f64, f64)) -> Result<MotionRow<'a>> {
        let rows = rows(scene, &[object], interval_s, Some(TABLE_RATE_HZ))?;
        let rows: Vec<_> = rows.iter().filter(|row| row.part == 0).collect();
        let places: Vec<DVec3> = rows.iter().map(|row| row.pose.translation).collect();
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        Ok(MotionRow {
            object,
            from_m: places.first().copied().unwrap_or_default(),
            to_m: places.last().copied().unwrap_or_default(),
            way_m: places.windows(2).map(|pair| pair[0].distance(pair[1])).sum(),
            speed_max_m_s: largest(&mut rows.iter().map(|row| row.velocity.linear_m_s.length())),
            turn_max_deg_s: largest(
                &mut rows.iter().map(|row| row.velocity.angular_rad_s.length().to_degrees()),
            ),
        })
    }

    fn class(&self) -> String {
        label_name(self.object.label).map_or(self.object.label.to_string(), str::to_owned)
    }

    fn json(&self) -> Value {
        json!({
            "object": self.object.id,
            "name": self.object.name,
            "class": self.class(),
            "from_m": self.from_m.to_array(),
            "to_m": self.to_m.to_array(),
            "way_m": self.way_m,
            "speed_max_m_s": self.speed_max_m_s,
            "turn_max_deg_s": self.turn_max_deg_s,
        })
    }
}

fn table(rows: &[MotionRow<'_>]) -> String {
    if rows.is_empty() {
        return "Nothing moves.\n".into();
    }
    let mut table = Table::new(&[
        ("object", Align::Left),
        ("class", Align::Left),
        ("from (m)", Align::Right),
        ("to (m)", Align::Right),
        ("way (m)", Align::Right),
        ("fastest (m/s)", Align::Right),
        ("turning (°/s)", Align::Right),
    ]);
    let place = |p: DVec3| format!("{:.2} {:.2} {:.2}", p.x, p.y, p.z);
    for row in rows {
        table.row([
            row.object.name.clone(),
            row.class(),
            place(row.from_m),
            place(row.to_m),
            format!("{:.3}", row.way_m),
            format!("{:.3}", row.speed_max_m_s),
            format!("{:.1}", row.turn_max_deg_s),
        ]);
    }
    table.render()
}

/// Writes the files of motion that a scenario asks for into the folder of its outputs.
pub fn write_motion(
    loaded: &Loaded,
    folder: &Path,
    interval_s: Option<(f64, f64)>,
) -> Result<Vec<PathBuf>> {
    let scenario = &loaded.scenario;
    let options = TruthOptions { interval_s, ..scenario.motion_options.clone() };
    let mut written = Vec::new();
    for file in &scenario.motion_outputs {
        let path = folder.join(file);
        let new_folder = NewFolder::create(path.parent().unwrap_or(folder))?;
        written.push(write(&path, scenario, &loaded.run.scene, &options)?);
        new_folder.keep();
    }
    Ok(written)
}
