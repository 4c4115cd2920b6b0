//! `understory render SCENARIO`: a camera picture or a depth map of the scene.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use anyhow::Result;
use glam::DVec3;
use understory::scenario::Scenario;
use understory::world::scene::Scene;
use understory::world::trajectory::Pose;
use understory_cloud::{CloudError, StagedFile};
use understory_view::render::{
    Camera, DepthKind, DepthMap, Lights, RenderOptions, Sun, render_reporting as draw,
};

use crate::loading::read_scenario;
use crate::numbers::Numbers;
use crate::outputs::NewFolder;
use crate::progress::StepProgress;
use crate::report::shown;
use crate::report::{print, usage};
use crate::table::facts;

/// Draw a camera picture or a depth map of a scenario's world
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory render demo
  understory render demo --camera=-20,-15,12 --look-at 10,5,0 --size 1920x1080 --samples 16
  understory render my.toml --time 3.5 --sun 140,25 --out evening.png
  understory render my.toml --depth depth.exr --depth-kind z")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one (understory scenarios)
    scenario: String,
    /// Where the picture goes [default: out/NAME/NAME-camera.png, and nowhere with --depth alone]
    #[arg(long, value_name = "FILE.png")]
    out: Option<PathBuf>,
    /// Also write a depth map in metres (float32, infinite where nothing is)
    #[arg(long, value_name = "FILE.exr|.npy")]
    depth: Option<PathBuf>,
    /// Depth along each ray, or along the direction in which the camera looks
    #[arg(long, value_name = "KIND", default_value = "ray")]
    depth_kind: Kind,
    /// Where the camera is, in metres [default: behind and above the platform]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    camera: Option<Numbers<3>>,
    /// What it looks at
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with = "rpy")]
    look_at: Option<Numbers<3>>,
    /// Its roll, pitch and yaw in degrees; 0,0,0 looks along x, and a positive pitch looks down
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true)]
    rpy: Option<Numbers<3>>,
    /// Angle between the picture's upper and lower edge
    #[arg(long, value_name = "DEG", default_value_t = 50.0, allow_hyphen_values = true)]
    fov: f64,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,
    /// Rays per pixel of the picture
    #[arg(long, value_name = "N", default_value_t = 4)]
    samples: u32,
    /// Azimuth of the sun from x towards y and elevation, in degrees [default: -125,42]
    #[arg(long, value_name = "AZ,EL", allow_hyphen_values = true)]
    sun: Option<Numbers<2>>,
    /// How hazy the sky is, from 1.7 (very clear) to 10
    #[arg(long, value_name = "T", default_value_t = 3.0, allow_hyphen_values = true)]
    turbidity: f64,
    /// Steps by which the picture is made brighter, each a factor of 2; below 0 darker
    #[arg(long, value_name = "EV", default_value_t = 0.0, allow_hyphen_values = true)]
    exposure: f64,
    /// When the picture is taken, in seconds
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_hyphen_values = true)]
    time: f64,
    /// Threads that draw [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=crate::threads::MAX as i64))]
    threads: Option<u16>,
}

/// Draws a scenario.
pub fn render(arguments: &Arguments) -> Result<()> {
    if !arguments.time.is_finite() {
        return Err(usage(format!("--time {} is no time; give seconds", arguments.time)));
    }
    let depth = arguments.depth.as_deref().map(DepthFile::of).transpose()?;
    if let Some(path) = &arguments.out {
        check_ending(path)?;
    }
    let (name, scenario) = read_scenario(&arguments.scenario)?;
    let picture = match (&arguments.out, &depth) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(_)) => None,
        (None, None) => Some(Path::new("out").join(&name).join(format!("{name}-camera.png"))),
    };
    // Everything that can be refused is refused before the scene is built.
    check_camera(arguments)?;
    let picture = picture.as_deref().map(stage_picture).transpose()?;
    let depth = depth.map(|file| Ok::<_, CloudError>((StagedFile::create(file.path())?, file)));
    let depth = depth.transpose()?;
    let start = Instant::now();
    let scene = scenario.build_scene_to_show()?;
    let built_s = start.elapsed().as_secs_f64();
    let camera = camera(arguments, &scenario, &scene)?;
    let mut rows = vec![
        ("camera", format!("{:.2}", camera.position_m())),
        ("looks along", format!("{:.3}", camera.forward())),
        ("scene", format!("built in {built_s:.2} s")),
    ];
    let threads = arguments.threads.map(usize::from);
    if let Some(mut staged) = picture {
        let start = Instant::now();
        let options = RenderOptions {
            samples: arguments.samples,
            seed: scenario.seed,
            threads,
            time_s: arguments.time,
            exposure_ev: arguments.exposure,
        };
        let bar = StepProgress::new(false);
        let light = lights_of(arguments.sun, arguments.turbidity);
        let picture = draw(&scene, &camera, &light, &options, &bar)?;
        bar.finish();
        picture.write_png(&mut staged.file).map_err(|error| staged.file.failed(error))?;
        let path = staged.file.publish()?;
        staged.folder.keep();
        rows.push(("picture", format!("drawn in {:.2} s", start.elapsed().as_secs_f64())));
        rows.push(("wrote", shown(&path)));
    }
    if let Some((mut file, kind)) = depth {
        let start = Instant::now();
        let map = DepthMap::new(&scene, &camera, arguments.depth_kind.0, arguments.time, threads)?;
        match kind {
            DepthFile::Npy(_) => map.write_npy(&mut file),
            DepthFile::Exr(_) => map.write_exr(&mut file),
        }
        .map_err(|error| file.failed(error))?;
        let path = file.publish()?;
        rows.push(("depth", format!("measured in {:.2} s", start.elapsed().as_secs_f64())));
        rows.push(("wrote", shown(&path)));
    }
    print(&facts(&rows))
}

/// The picture's file under a temporary name, and its folder. Dropped, the file goes first, so
/// that a folder made for it is empty and goes too.
struct StagedPicture {
    file: StagedFile,
    folder: NewFolder,
}

fn stage_picture(path: &Path) -> Result<StagedPicture> {
    let folder = NewFolder::create(path.parent().unwrap_or(Path::new("")))?;
    Ok(StagedPicture { file: StagedFile::create(path)?, folder })
}

fn camera(arguments: &Arguments, scenario: &Scenario, scene: &Scene) -> Result<Camera> {
    let platform = scenario.path_in(scene)?.pose_at(arguments.time);
    // A platform may start on the ground; its first sensor is above that.
    let eye_m = scenario.sensors.first().map_or(platform.translation, |mounted| {
        platform.after(&mounted.platform_from_sensor).translation
    });
    let platform = Pose { translation: eye_m, ..platform };
    let (fov, size) = (arguments.fov, arguments.size.0);
    let position = arguments.camera.map(|position| DVec3::from(position.0));
    let from = position.unwrap_or(platform.translation);
    Ok(match (arguments.look_at, arguments.rpy) {
        (Some(target), _) => Camera::looking_at(from, DVec3::from(target.0), fov, size)?,
        (None, Some(rpy)) => {
            Camera::new(Pose::from_position_and_rpy_deg(from.to_array(), rpy.0), fov, size)?
        }
        (None, None) if position.is_some() => {
            Camera::looking_at(from, platform.translation, fov, size)?
        }
        (None, None) => Camera::behind(scene, &platform, fov, size)?,
    })
}

/// Refuses what no scene can make right.
fn check_camera(arguments: &Arguments) -> Result<()> {
    let (fov, size) = (arguments.fov, arguments.size.0);
    Camera::new(Pose::IDENTITY, fov, size)?;
    if let (Some(from), Some(target)) = (arguments.camera, arguments.look_at) {
        Camera::looking_at(DVec3::from(from.0), DVec3::from(target.0), fov, size)?;
    }
    Ok(())
}

/// `--sun` and `--turbidity`.
pub fn lights_of(sun: Option<Numbers<2>>, turbidity: f64) -> Lights {
    let mut lights = Lights::default();
    if let Some(Numbers([azimuth_deg, elevation_deg])) = sun {
        lights.sun = Sun { azimuth_deg, elevation_deg, ..Sun::default() };
    }
    lights.sky.turbidity = turbidity;
    lights
}

/// A depth map's file, by its ending.
enum DepthFile {
    Npy(PathBuf),
    Exr(PathBuf),
}

impl DepthFile {
    fn of(path: &Path) -> Result<DepthFile> {
        match ending(path).as_str() {
            "npy" => Ok(DepthFile::Npy(path.to_path_buf())),
            "exr" => Ok(DepthFile::Exr(path.to_path_buf())),
            other => Err(usage(format!(
                "--depth {}: the ending {other:?} names no kind of depth map; use .exr or .npy",
                path.display()
            ))),
        }
    }

    fn path(&self) -> &Path {
        match self {
            DepthFile::Npy(path) | DepthFile::Exr(path) => path,
        }
    }
}

fn check_ending(path: &Path) -> Result<()> {
    let ending = ending(path);
    if ending == "png" {
        return Ok(());
    }
    Err(usage(format!("--out {}: a picture ends in .png, not in {ending:?}", path.display())))
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// `1280x720`.
#[derive(Clone, Copy)]
pub struct Size(pub [u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X', '×']);
        sides
            .and_then(|(width, height)| Some(Size([width.parse().ok()?, height.parse().ok()?])))
            .ok_or_else(|| "give width and height in pixels, such as 1280x720".to_owned())
    }
}

/// `ray` or `z`.
#[derive(Clone, Copy)]
struct Kind(DepthKind);

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "ray" => Ok(Kind(DepthKind::Ray)),
            "z" => Ok(Kind(DepthKind::Z)),
            _ => Err("choose ray or z".to_owned()),
        }
    }
}
