//! `understory film SCENARIO -o FILE`: camera and points side by side, as a film.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use glam::DVec3;
use understory_cloud::StagedFile;
use understory_view::film::{FilmOptions, write_gif};
use understory_view::render::Camera;

use super::render::{Size, lights_of};
use crate::interval::Interval;
use crate::loading::read_scenario;
use crate::numbers::Numbers;
use crate::outputs::NewFolder;
use crate::progress::{BuildProgress, StepProgress};
use crate::report::{print, shown, usage};
use crate::table::facts;

/// Film a scenario: what a camera sees, and the points that the sensors find
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory film drive -o drive.gif
  understory film my.toml -o my.gif --interval 2..8 --fps 12 --size 640x360 --trail 0.3
  understory film my.toml -o my.gif --camera=-20,-15,12 --look-at 10,5,0")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one (understory scenarios)
    scenario: String,
    /// The file to write; its ending is .gif
    #[arg(long, short, value_name = "FILE.gif")]
    out: PathBuf,
    /// From and up to which time, in seconds [default: the whole run]
    #[arg(long, value_name = "A..B")]
    interval: Option<Interval>,
    /// Frames in a second of the run
    #[arg(long, value_name = "N", default_value_t = 10.0)]
    fps: f64,
    /// Width and height of each of the two pictures in pixels
    #[arg(long, value_name = "WxH", default_value = "480x360")]
    size: Size,
    /// Angle between the pictures' upper and lower edge
    #[arg(long, value_name = "DEG", default_value_t = 60.0)]
    fov: f64,
    /// Rays per pixel of the camera's picture
    #[arg(long, value_name = "N", default_value_t = 2)]
    samples: u32,
    /// How long points stay, in seconds
    #[arg(long, value_name = "S", default_value_t = 0.2)]
    trail: f64,
    /// Where the camera is, in metres [default: behind and above the platform]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "look_at")]
    camera: Option<Numbers<3>>,
    /// What it looks at
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "camera")]
    look_at: Option<Numbers<3>>,
    /// Azimuth of the sun from x towards y and elevation, in degrees [default: -125,42]
    #[arg(long, value_name = "AZ,EL", allow_hyphen_values = true)]
    sun: Option<Numbers<2>>,
    /// How hazy the sky is, from 1.7 (very clear) to 10
    #[arg(long, value_name = "T", default_value_t = 3.0)]
    turbidity: f64,
    /// Threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=crate::threads::MAX as i64))]
    threads: Option<u16>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Films a scenario.
pub fn film(arguments: &Arguments) -> Result<()> {
    let ending = arguments.out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ending != "gif" {
        return Err(usage(format!(
            "--out {}: films are animated GIF, not {ending:?}; end the name in .gif",
            arguments.out.display()
        )));
    }
    let (_, scenario) = read_scenario(&arguments.scenario)?;
    let interval_s = match arguments.interval {
        Some(interval) => interval.within(scenario.duration_s),
        None => (0.0, scenario.duration_s),
    };
    let camera = match (arguments.camera, arguments.look_at) {
        (Some(from), Some(target)) => Some(Camera::looking_at(
            DVec3::from(from.0),
            DVec3::from(target.0),
            arguments.fov,
            arguments.size.0,
        )?),
        _ => None,
    };
    let options = FilmOptions {
        interval_s: (interval_s.0, interval_s.1.min(scenario.duration_s)),
        frames_per_s: arguments.fps,
        size: arguments.size.0,
        fov_deg: arguments.fov,
        samples: arguments.samples,
        trail_s: arguments.trail,
        camera,
        lights: lights_of(arguments.sun, arguments.turbidity),
        threads: arguments.threads.map(usize::from),
    };
    let folder = NewFolder::create(arguments.out.parent().unwrap_or(std::path::Path::new("")))?;
    let mut file = StagedFile::create(&arguments.out)?;
    let start = Instant::now();
    let run = scenario.prepare_reporting(&BuildProgress::new().quiet(arguments.quiet))?;
    let built_s = start.elapsed().as_secs_f64();
    // A platform may start on the ground; its first sensor is above that.
    let arm = scenario.sensors.first().map(|mounted| mounted.platform_from_sensor.translation);
    let eye = |time_s: f64| {
        let mut pose = run.trajectory.pose_at(time_s);
        pose.translation += pose.rotation * arm.unwrap_or_default();
        pose
    };
    let bar = StepProgress::new(arguments.quiet);
    let frames = write_gif(&run, eye, &options, &mut file, &bar)?;
    bar.finish();
    let path = file.publish()?;
    folder.keep();
    print(&facts(&[
        ("frames", frames.to_string()),
        ("scene", format!("built in {built_s:.2} s")),
        ("filmed", format!("in {:.2} s", start.elapsed().as_secs_f64() - built_s)),
        ("wrote", shown(&path)),
    ]))
}
