//! `understory drive SCENARIO`: a robot in the loop, once or as a table of sensors × mappers × seeds.

mod from_outside;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Result;
use serde_json::json;
use understory::scenario::Scenario;
use understory_cloud::StagedFile;
use understory_drive::animation::{View, write_gif};
use understory_drive::experiment::{
    Paired, Row, Store, Summary, Variations, arrivals, drive_all, mapper_named, paired,
    sensor_named, summaries, with_sensor,
};
use understory_drive::picture::MapPicture;
use understory_drive::{Drive, DriveOptions, Metrics};
use understory_view::plot::{Plot, write_png, write_svg};

use crate::interrupt::stop_on_signal;
use crate::loading::{MemoryArgument, load, read_scenario};
use crate::outputs::NewFolder;
use crate::progress::StepProgress;
use crate::report::{check_json, print_or_json, shown, usage};
use crate::scenario_identity::identity_of_scenario;
use crate::table::{Align, Table, facts};
use understory_base::Progress;

/// Most drives of one table.
const SEEDS_MAX: u64 = 1_000_000;

/// Let a vehicle find its way to a goal by what its lidar sees
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory drive hidden-obstacles
  understory drive hidden-obstacles --mappers oracle --animation both
  understory drive courtyard-drive --sensors vlp-16 --json -
  understory drive courtyard-drive --ros2 --real-time
  understory drive hidden-obstacles --sensors lms-291,vlp-16 --mappers height,penetration,oracle \\
      --seeds 1..20 --json table.json --plot plots

The scenario needs a table [drive]: docs/drive.md. With several sensors, mappers or seeds a table is
made, in parallel; each seed grows its own world. With --json FILE the drives are kept in
FILE.drives as they end, and a table that was killed goes on from there.")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one (understory scenarios)
    scenario: String,
    /// Names of the scenario's sensors, or presets on the mount of its first, one drive with each
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    sensors: Vec<String>,
    /// Mappers: height, ground, penetration, oracle [default: the scenario's]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    mappers: Vec<String>,
    /// Seeds, such as 1..20 (both ends count) or 3,5,8 [default: the scenario's]
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<String>,
    /// Stop after so many simulated seconds
    #[arg(long, value_name = "SECONDS")]
    until: Option<f64>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=crate::threads::MAX as i64))]
    threads: Option<u16>,
    /// Folder for the map, the driven way and animations [default: out/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw how many drives of a table came to their goal by which time, as PNG and SVG, into DIR
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// Also write an animated GIF of the drive
    #[arg(long, value_name = "VIEW")]
    animation: Option<AnimationChoice>,
    #[command(flatten)]
    outside: from_outside::OutsideArguments,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    /// Also write how it went as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    memory: MemoryArgument,
}

/// `--animation`.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AnimationChoice {
    /// The map as it grows
    Above,
    /// What a camera behind the vehicle sees
    Behind,
    /// Both
    Both,
}

/// Drives once, or many times.
pub fn drive(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    if let Some(until) = arguments.until.filter(|until| !(*until > 0.0 && until.is_finite())) {
        return Err(usage(format!("--until {until} is no time; give seconds above 0")));
    }
    let mappers = arguments.mappers.iter().map(|name| mapper_named(name));
    let variations = Variations {
        sensors: arguments.sensors.clone(),
        mappers: mappers.collect::<Result<_, understory::Error>>()?,
        seeds: arguments.seeds.as_deref().map(seeds).transpose()?.unwrap_or_default(),
    };
    let several = [variations.sensors.len(), variations.mappers.len(), variations.seeds.len()];
    if several.iter().any(|count| *count > 1) {
        let alone = arguments.animation.is_some() || arguments.until.is_some();
        if alone || arguments.outside.any() {
            let problem = "--animation, --until and --ros2 are for one drive";
            return Err(usage(format!("{problem}; give one sensor, one mapper and one seed")));
        }
        return table(arguments, &variations);
    }
    if arguments.plot.is_some() {
        return Err(usage("--plot is for tables; give several sensors, mappers or seeds"));
    }
    once(arguments, &variations)
}

fn once(arguments: &Arguments, variations: &Variations) -> Result<()> {
    let mut loaded = load(&arguments.scenario, &arguments.memory)?;
    if let Some(seed) = variations.seeds.first() {
        loaded.scenario = loaded.scenario.with_seed(*seed)?;
        loaded.run = loaded.scenario.prepare()?;
    }
    let scenario = &loaded.scenario;
    let run = match variations.sensors.first() {
        None => loaded.run,
        Some(name) => with_sensor(scenario, &loaded.run, &sensor_named(scenario, name)?),
    };
    let options = DriveOptions {
        threads: arguments.threads.map(usize::from),
        mapper: variations.mappers.first().copied(),
        keep_frames: arguments.animation.is_some(),
    };
    let mut drive = Drive::new(scenario, run, options)?;
    let mut outside = arguments.outside.open(scenario, &mut drive)?;
    let folder = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(&loaded.name));
    let new_folder = NewFolder::create(&folder)?;
    let stop = stop_on_signal();
    let bar = StepProgress::new(arguments.quiet);
    let way_m = drive.metrics().nearest_m.max(1e-9);
    let over = |drive: &Drive| arguments.until.is_some_and(|until| drive.time_s >= until - 1e-9);
    while drive.outcome().is_none() && !stop.load(Ordering::Relaxed) && !over(&drive) {
        match &mut outside {
            Some(outside) => outside.step(&mut drive)?,
            None => drive.step_planned()?,
        }
        let metrics = drive.metrics();
        let factor = metrics.computing.real_time_factor;
        let what =
            format!("{:.1} s, {:.1} m, {factor:.2} × real time", drive.time_s, metrics.distance_m);
        bar.step(&what, 1.0 - metrics.nearest_m / way_m);
    }
    bar.finish();
    let metrics = drive.metrics();
    let mut text = words(&metrics);
    if let Some(outside) = outside {
        text += &facts(&outside.close()?);
    }
    let mut files = Vec::new();
    let name = |ending: &str| folder.join(format!("{}{ending}", loaded.name));
    let pixels = (800 / drive.map.grid.side as u32).clamp(1, 8);
    let picture = MapPicture::of(&drive, pixels);
    files.push(written(&name("-map.png"), |file| Ok(picture.write_png(file)?))?);
    files.push(written(&name("-way.csv"), |file| Ok(write_way(&drive, file)?))?);
    let wanted = |view| {
        let choice = arguments.animation;
        choice == Some(AnimationChoice::Both) || choice == Some(view)
    };
    for (view, of, ending) in [
        (View::Above, AnimationChoice::Above, "-above.gif"),
        (View::Behind, AnimationChoice::Behind, "-behind.gif"),
    ] {
        if wanted(of) {
            files.push(written(&name(ending), |file| Ok(write_gif(&drive, view, file)?))?);
        }
    }
    new_folder.keep();
    for file in &files {
        let _ = writeln!(text, "wrote                {}", shown(file));
    }
    print_or_json(&text, arguments.json.as_deref(), &metrics)
}

/// A file that appears whole.
fn written(path: &Path, fill: impl FnOnce(&mut StagedFile) -> Result<()>) -> Result<PathBuf> {
    let mut file = StagedFile::create(path)?;
    fill(&mut file)?;
    Ok(file.publish()?)
}

/// True poses, every 10 ms.
fn write_way(drive: &Drive, file: &mut StagedFile) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(file, "time_s,x_m,y_m,z_m,qx,qy,qz,qw")?;
    for (time_s, pose) in drive.driven() {
        let ([x, y, z], [a, b, c, w]) = (pose.translation.to_array(), pose.rotation.to_array());
        writeln!(file, "{time_s:.2},{x},{y},{z},{a},{b},{c},{w}")?;
    }
    Ok(())
}

fn words(metrics: &Metrics) -> String {
    let computing = &metrics.computing;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let unknown = || "—".to_owned();
    let mut rows = vec![
        (
            "outcome",
            match &metrics.hit {
                Some(hit) => format!("{} ({hit})", metrics.outcome.words()),
                None => metrics.outcome.words().to_owned(),
            },
        ),
        ("time", format!("{:.2} s", metrics.time_s)),
        ("distance", format!("{:.2} m", metrics.distance_m)),
        ("best way", metrics.best_m.map_or_else(unknown, |best| format!("{best:.2} m"))),
        ("nearest to the goal", format!("{:.2} m", metrics.nearest_m)),
        ("collisions", metrics.collisions.to_string()),
        ("SPL", format!("{:.3}", metrics.spl)),
        ("regret", metrics.regret.map_or_else(unknown, percent)),
        ("plans", format!("{}, {} without a path", metrics.plans, metrics.plans_without_path)),
    ];
    if metrics.stems > 0 {
        rows.push(("stems pushed over", metrics.stems.to_string()));
    }
    let parts = [
        ("lidar", computing.lidar_cpu_s),
        ("maps", computing.mapping_cpu_s),
        ("plans", computing.planning_cpu_s),
        ("vehicle", computing.vehicle_cpu_s),
        ("pose", computing.pose_cpu_s),
    ];
    let parts = parts.map(|(name, cpu_s)| format!("{name} {cpu_s:.2} s"));
    rows.push(("real-time factor", format!("{:.3}", computing.real_time_factor)));
    rows.push(("processor time", parts.join(", ")));
    rows.push(("all but the lidar", percent(computing.overhead)));
    facts(&rows)
}

fn table(arguments: &Arguments, variations: &Variations) -> Result<()> {
    let (name, scenario) = read_scenario(&arguments.scenario)?;
    if scenario.drive.is_none() {
        return Err(usage(format!("{name} has no table [drive]; see docs/drive.md")));
    }
    let kept = arguments.json.as_ref().filter(|path| *path != Path::new("-"));
    let mut store = kept.map(|path| store(path, &scenario, &name)).transpose()?;
    let stop = stop_on_signal();
    let bar = StepProgress::new(arguments.quiet);
    let threads = arguments.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let rows = pool.install(|| {
        let stopped = || stop.load(Ordering::Relaxed);
        drive_all(&scenario, variations, store.as_mut(), &bar, &stopped)
    });
    bar.finish();
    let rows = rows?;
    let summaries = summaries(&rows);
    let pairs =
        pairs(&rows, &summaries, scenario.drive.as_ref().map_or(0.5, |drive| drive.period_s));
    let mut text = table_text(&summaries, &pairs);
    if let Some(folder) = &arguments.plot {
        std::fs::create_dir_all(folder)?;
        let figure = arrivals::figure(&name, &rows);
        for write in [write_png, write_svg] {
            let _ = writeln!(text, "wrote {}", shown(&write(Plot::Figure(&figure), folder)?));
        }
    }
    let value = json!({ "drives": rows, "summary": summaries, "paired": pairs });
    print_or_json(&text, arguments.json.as_deref(), &value)?;
    if let Some(path) = kept {
        // All of it is in the table now.
        let _ = std::fs::remove_file(store_path(path));
    }
    Ok(())
}

fn store_path(json: &Path) -> PathBuf {
    let mut name = json.as_os_str().to_owned();
    name.push(".drives");
    PathBuf::from(name)
}

fn store(json: &Path, scenario: &Scenario, name: &str) -> Result<Store> {
    let identity = identity_of_scenario(scenario, name)?;
    let digest: String = identity.digest().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Store::open(&store_path(json), &digest)?)
}

/// Each mapper against the first, for each sensor and all together.
fn pairs(rows: &[Row], summaries: &[Summary], sooner_s: f64) -> Vec<Paired> {
    let mut mappers: Vec<&str> = Vec::new();
    let mut sensors: Vec<&str> = Vec::new();
    for summary in summaries {
        if !mappers.contains(&summary.mapper.as_str()) {
            mappers.push(&summary.mapper);
        }
        if !sensors.contains(&summary.sensor.as_str()) {
            sensors.push(&summary.sensor);
        }
    }
    let mut pairs = Vec::new();
    let Some((&first, others)) = mappers.split_first() else { return pairs };
    for &other in others {
        let which = sensors.iter().map(|sensor| Some(*sensor)).chain([None]);
        let which = which.filter(|sensor| sensor.is_some() || sensors.len() > 1);
        pairs.extend(which.map(|sensor| paired(rows, sensor, [other, first], sooner_s)));
    }
    pairs
}

fn table_text(summaries: &[Summary], pairs: &[Paired]) -> String {
    let mut table = Table::new(&[
        ("sensor", Align::Left),
        ("mapper", Align::Left),
        ("drives", Align::Right),
        ("reached", Align::Right),
        ("collided", Align::Right),
        ("stuck", Align::Right),
        ("SPL", Align::Right),
        ("time (s)", Align::Right),
        ("regret (%)", Align::Right),
        ("real time", Align::Right),
        ("not lidar (%)", Align::Right),
    ]);
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "—".to_owned());
    for row in summaries {
        table.row([
            row.sensor.clone(),
            row.mapper.clone(),
            row.drives.to_string(),
            row.reached.to_string(),
            row.collided.to_string(),
            row.stuck.to_string(),
            format!("{:.3}", row.spl),
            or_dash(row.time_s.map(|time| format!("{time:.1}"))),
            or_dash(row.regret.map(|regret| format!("{:.1}", 100.0 * regret))),
            format!("{:.3}", row.real_time_factor),
            format!("{:.1}", 100.0 * row.overhead),
        ]);
    }
    let mut text = table.render();
    if pairs.is_empty() {
        return text;
    }
    let mut table = Table::new(&[
        ("pairs", Align::Left),
        ("sensor", Align::Left),
        ("better", Align::Right),
        ("worse", Align::Right),
        ("even", Align::Right),
        ("p (sign test)", Align::Right),
    ]);
    for pair in pairs {
        table.row([
            format!("{} against {}", pair.mappers[0], pair.mappers[1]),
            pair.sensor.clone(),
            pair.better.to_string(),
            pair.worse.to_string(),
            pair.even.to_string(),
            format!("{:.2e}", pair.p),
        ]);
    }
    text.push('\n');
    text + &table.render()
}

/// `1..20`, both ends counted, or `3,5,8`.
fn seeds(text: &str) -> Result<Vec<u64>> {
    let wrong = || usage(format!("--seeds {text} is no list; give 1..20 or 3,5,8"));
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = (number(from)?, number(to)?);
        if from > to || to - from >= SEEDS_MAX {
            return Err(wrong());
        }
        return Ok((from..=to).collect());
    }
    let mut seeds: Vec<u64> = text.split(',').map(number).collect::<Result<_>>()?;
    let count = seeds.len();
    seeds.sort_unstable();
    seeds.dedup();
    if seeds.len() < count {
        return Err(usage(format!("--seeds {text} has a seed twice; give each once")));
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::seeds;

    #[test]
    fn seeds_are_ranges_or_lists() {
        assert_eq!(seeds("1..4").unwrap(), [1, 2, 3, 4]);
        assert_eq!(seeds("8,3").unwrap(), [3, 8]);
        for wrong in ["", "4..1", "a", "1..", "1,1", "0..18446744073709551615"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }
}
