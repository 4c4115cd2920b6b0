//! Camera pictures and depth maps of a scene, by the tracer that the lidar uses.
//!
//! What enters: a [`Scene`], a [`Camera`] and [`Lights`]. What leaves: a [`Picture`] or a
//! [`DepthMap`]. Pictures show people what the lidar is driven through (P2 Figs. 9a and 11b); a
//! depth map is the exact ground truth of a time-of-flight camera (P3). Random numbers depend on
//! the seed and the pixel alone, so the same input gives the same bytes for any number of threads.

mod camera;
mod camera_colours;
mod depth;
mod light;
mod picture;
mod preetham;
mod shade;

pub use camera::{Camera, MAX_SIDE_PIXELS};
pub use camera_colours::{CameraColours, Photo};
pub use depth::{DepthKind, DepthMap};
pub use light::{Sky, SkyLight, Sun};
pub use picture::Picture;
pub(crate) use shade::linear;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::Vec3;
use rayon::prelude::*;
use shade::{Packet, PacketRay, Shader, spread};
use understory::Error;
use understory::world::scene::Scene;
use understory_base::{Progress, Silent};
use understory_geometry::DynamicBvh;

/// Nothing is seen beyond.
const FARTHEST_M: f32 = 1e7;
/// Rays of a packet go through the pixels of a square of this side.
const TILE: usize = 4;
/// A square of so many packets on a side is drawn at once: each pixel of a packet looks for the sky in
/// one of 16 directions, and those that look in the same one are a packet again.
const BLOCK: usize = TILE * TILE;
/// Most memory that a picture may take.
const MAX_PICTURE_BYTES: u64 = 4 << 30;
/// Most samples of one pixel.
pub const MAX_SAMPLES: u32 = 65_536;

/// What lights a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lights {
    /// The sun.
    pub sun: Sun,
    /// The sky.
    pub sky: Sky,
    /// Whether things hide the sky from each other; without, pictures are faster and flatter.
    pub occlusion: bool,
}

impl Default for Lights {
    fn default() -> Lights {
        Lights { sun: Sun::default(), sky: Sky::default(), occlusion: true }
    }
}

/// How a picture is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderOptions {
    /// Rays per pixel.
    pub samples: u32,
    /// Key of the random numbers.
    pub seed: u64,
    /// Threads; one per processor without a number.
    pub threads: Option<usize>,
    /// When the picture is taken.
    pub time_s: f64,
    /// Steps by which the picture is made brighter than its mean asks for, each a factor of 2.
    pub exposure_ev: f64,
}

impl Default for RenderOptions {
    fn default() -> RenderOptions {
        RenderOptions { samples: 4, seed: 0, threads: None, time_s: 0.0, exposure_ev: 0.0 }
    }
}

/// A picture of a scene.
///
/// ```
/// use understory_view::render::{Camera, Lights, RenderOptions, render};
/// let scenario = understory::scenario::Scenario::embedded("first-scan")?;
/// let scene = scenario.build_scene()?;
/// let camera = Camera::behind(&scene, &scenario.trajectory.pose_at(0.0), 60.0, [32, 18])?;
/// let picture = render(&scene, &camera, &Lights::default(), &RenderOptions::default())?;
/// assert_eq!(picture.rgb.len(), 32 * 18 * 3);
/// # Ok::<(), understory::Error>(())
/// ```
pub fn render(
    scene: &Scene,
    camera: &Camera,
    lights: &Lights,
    options: &RenderOptions,
) -> Result<Picture, Error> {
    render_reporting(scene, camera, lights, options, &Silent)
}

/// The same, telling how far it is.
pub fn render_reporting(
    scene: &Scene,
    camera: &Camera,
    lights: &Lights,
    options: &RenderOptions,
    progress: &dyn Progress,
) -> Result<Picture, Error> {
    let size = camera.size();
    check_memory(size, 2 * size_of::<Vec3>() + 3)?;
    check_lights(lights)?;
    if !(1..=MAX_SAMPLES).contains(&options.samples) {
        let problem = format!("{} samples per pixel are impossible", options.samples);
        return Err(Error::invalid("picture", problem, format!("choose 1 to {MAX_SAMPLES}")));
    }
    if !(-20.0..=20.0).contains(&options.exposure_ev) {
        let problem = format!("an exposure of {} steps is impossible", options.exposure_ev);
        return Err(Error::invalid("picture", problem, "choose -20 to 20"));
    }
    let [width, height] = size.map(|side| side as usize);
    let movers = fitted(scene, options.time_s);
    let shader = Shader::new(scene.at(&movers, options.time_s), lights, options.seed);
    let blocks = blocks([width, height]);
    let done = AtomicUsize::new(0);
    let mut drawn = Vec::new();
    in_threads(options.threads, || {
        let draw = |part: &Block| {
            let light = block(&shader, camera, options.samples, part);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.step("drawing", done as f64 / blocks.len() as f64);
            light
        };
        drawn = blocks.par_iter().map(draw).collect();
    })?;
    progress.finished();
    let mut light = vec![Vec3::ZERO; width * height];
    for (part, drawn) in blocks.iter().zip(&drawn) {
        for (row, drawn) in part.rows.clone().zip(drawn.chunks(part.columns.len())) {
            light[row * width..][part.columns.clone()].copy_from_slice(drawn);
        }
    }
    Ok(Picture::develop(size, &light, options.exposure_ev))
}

/// What moves, fitted to one time.
fn fitted(scene: &Scene, time_s: f64) -> DynamicBvh {
    let mut movers = DynamicBvh::default();
    scene.rays.refit(&mut movers, time_s, time_s);
    movers
}

/// The light of a square of pixels, by rows from the top.
fn block(shader: &Shader, camera: &Camera, samples: u32, block: &Block) -> Vec<Vec3> {
    let width = camera.size()[0] as usize;
    let mut light = vec![Vec3::ZERO; block.columns.len() * block.rows.len()];
    let mut seen = Vec::with_capacity(light.len());
    let mut colours = vec![Vec3::ZERO; light.len()];
    for sample in 0..samples {
        // The first sample is the middle of the pixel.
        let [x, y] = spread(sample, [0.5, 0.5]);
        seen.clear();
        colours.fill(Vec3::ZERO);
        for top in block.rows.clone().step_by(TILE) {
            for first in block.columns.clone().step_by(TILE) {
                let mut packet = Packet::default();
                for row in top..(top + TILE).min(block.rows.end) {
                    for column in first..(first + TILE).min(block.columns.end) {
                        let direction = camera.direction(column as f64 + x, row as f64 + y);
                        let place = (row - block.rows.start) * block.columns.len()
                            + (column - block.columns.start);
                        let [right, down] = [column % TILE, row % TILE];
                        packet.push(PacketRay {
                            direction: direction.as_vec3(),
                            pixel: (row * width + column) as u64,
                            place,
                            in_tile: (down * TILE + right) as u8,
                        });
                    }
                }
                shader.packet(camera.position_m(), &packet, sample, &mut seen, &mut colours);
            }
        }
        shader.add_sky(camera.position_m(), &seen, sample, &mut colours);
        for (sum, colour) in light.iter_mut().zip(&colours) {
            *sum += *colour / samples as f32;
        }
    }
    light
}

/// A square of pixels that is drawn at a time.
struct Block {
    columns: Range<usize>,
    rows: Range<usize>,
}

/// All squares of a picture, by rows.
fn blocks([width, height]: [usize; 2]) -> Vec<Block> {
    let parts = |side: usize| (0..side).step_by(BLOCK).map(move |at| at..(at + BLOCK).min(side));
    parts(height)
        .flat_map(|rows| parts(width).map(move |columns| Block { columns, rows: rows.clone() }))
        .collect()
}

/// Refuses a picture that would not fit the memory.
fn check_memory(size: [u32; 2], bytes_per_pixel: usize) -> Result<(), Error> {
    let [width, height] = size.map(u64::from);
    let bytes = width * height * bytes_per_pixel as u64;
    if bytes <= MAX_PICTURE_BYTES {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Err(Error::invalid(
        "picture",
        format!("{width} × {height} pixels need {:.1} GiB of memory", gib(bytes)),
        format!("choose a size that needs at most {} GiB", gib(MAX_PICTURE_BYTES)),
    ))
}

fn check_lights(lights: &Lights) -> Result<(), Error> {
    let Sun { azimuth_deg, elevation_deg, colour } = lights.sun;
    let Sky { turbidity, below } = lights.sky;
    if !preetham::TURBIDITY.contains(&turbidity) {
        let (low, high) = preetham::TURBIDITY.into_inner();
        return Err(Error::invalid(
            "sky",
            format!("no air has a turbidity of {turbidity}"),
            format!("give one from {low} (very clear) to {high} (thick haze)"),
        ));
    }
    let colours = [colour, below];
    let angles = azimuth_deg.is_finite() && (-90.0..=90.0).contains(&elevation_deg);
    if angles && colours.as_flattened().iter().all(|c| (0.0..=1e6).contains(c)) {
        return Ok(());
    }
    Err(Error::invalid(
        "sun",
        format!(
            "azimuth {azimuth_deg}° and elevation {elevation_deg}° with these colours are impossible"
        ),
        "give a finite azimuth, an elevation from -90 to 90° and colours that are not negative",
    ))
}

/// Runs `work` with this many threads.
fn in_threads(threads: Option<usize>, work: impl FnOnce() + Send) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| Error::Threads(std::io::Error::other(error.to_string())))?;
    pool.install(work);
    Ok(())
}

#[cfg(test)]
mod tests;
