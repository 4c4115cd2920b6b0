//! `understory new FILE`: a scenario to start from, made of a world, sensors and a path.

mod path;
mod questions;
mod world;

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::Result;
use understory::scenario::Scenario;
use understory::sensor::preset_text;
use understory_cloud::write_whole;

use crate::report::{print, shown, usage};
use path::Path;
use world::World;

/// Make a new scenario from a world, sensors and a path, by flags or by questions
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory new my.toml --world meadow --sensor vlp-16 --path drive
  understory new flight.toml --world forest --sensor riegl-vq-480-ii --path flight --speed 30
  understory new scan.toml --world house.glb --sensor os1-128-rev7,lms-111 --path stand

Worlds: meadow, forest, flat; every built-in scenario (understory scenarios), whose world is taken over
with its path; a mesh (.obj, .ply, .stl, .gltf, .glb) or a learned site (.site).
In a terminal, what no flag says is asked for.")]
pub struct Arguments {
    /// The file to write
    file: PathBuf,
    /// What the beams meet [default: meadow]
    #[arg(long)]
    world: Option<String>,
    /// Presets of sensors, with commas between them [default: vlp-16]
    #[arg(long, value_name = "PRESET", value_delimiter = ',')]
    sensor: Vec<String>,
    /// How they move [default: stand, or the built-in scenario's own]
    #[arg(long, value_enum)]
    path: Option<Path>,
    /// How long it lasts, in seconds [default: 0.1 standing, 4 moving]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// How fast they move, in metres per second [default: 2 on the ground, 20 in the air]
    #[arg(long, value_name = "M_S", allow_negative_numbers = true)]
    speed: Option<f64>,
    /// How high they are above the ground, in metres [default: 1.6 on the ground, 60 in the air]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    height: Option<f64>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

/// What the scenario is made of.
struct Choice {
    world: World,
    sensors: Vec<String>,
    path: Path,
    seconds: f64,
    speed_m_s: f64,
    height_m: f64,
}

/// Writes a scenario that `understory run` takes as it is.
pub fn new(arguments: &Arguments) -> Result<()> {
    let file = &arguments.file;
    if file.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("toml")) {
        return Err(usage(format!("{}: a scenario's file ends in .toml", shown(file))));
    }
    if file.exists() && !arguments.force {
        return Err(usage(format!(
            "{} is there already; choose another name, or replace it with --force",
            shown(file)
        )));
    }
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let choice = choose(arguments, asks)?;
    let text = text(&choice, file);
    let folder = file.parent().unwrap_or(std::path::Path::new(""));
    // What is written is valid: a height or speed that the reader refuses is refused here.
    Scenario::from_toml(&text, &shown(file), folder)?;
    write_whole(file, text.as_bytes())?;
    let name = shown(file);
    print(&format!(
        "wrote {name}\n\nNext:\n  understory check {name}\n  understory run {name}\n  understory studio {name}\n"
    ))
}

/// What the flags say, then what the user answers, then what is usual.
fn choose(arguments: &Arguments, asks: bool) -> Result<Choice> {
    let world = match &arguments.world {
        Some(name) => name.clone(),
        None if asks => questions::ask_world()?,
        None => "meadow".into(),
    };
    let world = World::named(&world, &arguments.file)?;
    let sensors = match &arguments.sensor[..] {
        [] if asks => questions::ask_sensors()?,
        [] => vec!["vlp-16".to_owned()],
        given => given.to_vec(),
    };
    for sensor in &sensors {
        preset_text(sensor)?;
    }
    let path = match arguments.path {
        Some(path) => path,
        None if asks => questions::ask_path(world.has_path())?,
        None if world.has_path() => Path::Own,
        None => Path::Stand,
    };
    if path == Path::Own && !world.has_path() {
        return Err(usage(
            "--path own is the path of a built-in scenario, and this world is none; choose stand, drive, circle or flight",
        ));
    }
    let seconds = arguments.seconds.unwrap_or(world.own_seconds(path).unwrap_or(path.seconds()));
    let speed_m_s = arguments.speed.unwrap_or(path.speed_m_s());
    let height_m = arguments.height.unwrap_or(path.height_m());
    for (flag, value) in [("--seconds", seconds), ("--speed", speed_m_s)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(usage(format!("{flag} {value}: give a number above 0")));
        }
    }
    if !height_m.is_finite() {
        return Err(usage(format!("--height {height_m}: give a number of metres")));
    }
    Ok(Choice { world, sensors, path, seconds, speed_m_s, height_m })
}

/// The scenario as a person would write it.
fn text(choice: &Choice, file: &std::path::Path) -> String {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let what = format!("{} in {}", choice.sensors.join(" and "), choice.world.title());
    let mut text = format!(
        "# Every key: docs/scenario-keys.md, or `understory schema scenario --markdown`.\n\
         version = 1\nseed = 1 # another number gives other noise and other plants\n\
         duration_s = {}\ntitle = {}\n\n{}\n",
        number(choice.seconds),
        quoted(&what),
        choice.world.text(choice.path.reach_m(choice.speed_m_s, choice.seconds)).trim_end(),
    );
    for (index, sensor) in choice.sensors.iter().enumerate() {
        let twin = choice.sensors[..index].iter().filter(|before| *before == sensor).count();
        let called = if twin == 0 { sensor.clone() } else { format!("{sensor}-{}", twin + 1) };
        text += &format!("\n[[sensor]]\nname = {}\npreset = {}\n", quoted(&called), quoted(sensor));
        text += &choice.path.mount(choice, sensor);
    }
    text += &choice.path.platform(choice);
    text + &format!("\n[output]\nfiles = [{}]\npicture = true\n", quoted(&format!("{name}.laz")))
}

/// A number with a point, as TOML wants it where a float is meant.
fn number(value: f64) -> String {
    format!("{value:?}")
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
