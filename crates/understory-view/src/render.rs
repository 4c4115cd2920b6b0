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

use glam::Vec3;
use rayon::prelude::*;
use shade::{Shader, spread};
use understory::Error;
use understory::world::scene::Scene;
use understory_geometry::{DynamicBvh, MAX_RAYS_PER_PULSE};

/// Nothing is seen beyond.
const FARTHEST_M: f32 = 1e7;
/// Rays of a packet go through the pixels of a square of this side.
const TILE: usize = 4;
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
}

impl Default for RenderOptions {
    fn default() -> RenderOptions {
        RenderOptions { samples: 4, seed: 0, threads: None, time_s: 0.0 }
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
    let size = camera.size();
    check_memory(size, size_of::<Vec3>() + 3)?;
    check_lights(lights)?;
    if !(1..=MAX_SAMPLES).contains(&options.samples) {
        let problem = format!("{} samples per pixel are impossible", options.samples);
        return Err(Error::invalid("picture", problem, format!("choose 1 to {MAX_SAMPLES}")));
    }
    let [width, height] = size.map(|side| side as usize);
    let movers = fitted(scene, options.time_s);
    let shader = Shader::new(scene.at(&movers, options.time_s), lights, options.seed);
    let mut light = vec![Vec3::ZERO; width * height];
    in_threads(options.threads, || {
        light.par_chunks_mut(width * TILE).enumerate().for_each(|(band, light)| {
            for first in (0..width).step_by(TILE) {
                let columns = first..(first + TILE).min(width);
                tile(&shader, camera, options.samples, columns, band * TILE, light);
            }
        });
    })?;
    Ok(Picture::develop(size, &light))
}

/// What moves, fitted to one time.
fn fitted(scene: &Scene, time_s: f64) -> DynamicBvh {
    let mut movers = DynamicBvh::default();
    scene.rays.refit(&mut movers, time_s, time_s);
    movers
}

/// The pixels in `columns` of a band of rows that starts at row `top`.
fn tile(
    shader: &Shader,
    camera: &Camera,
    samples: u32,
    columns: std::ops::Range<usize>,
    top: usize,
    light: &mut [Vec3],
) {
    let width = camera.size()[0] as usize;
    let mut places = [(0, 0); MAX_RAYS_PER_PULSE];
    let mut count = 0;
    for row in 0..light.len() / width {
        for column in columns.clone() {
            places[count] = (row, column);
            count += 1;
        }
    }
    let places = &places[..count];
    let pixels = std::array::from_fn::<u64, MAX_RAYS_PER_PULSE, _>(|lane| {
        let (row, column) = places.get(lane).copied().unwrap_or_default();
        ((top + row) * width + column) as u64
    });
    for sample in 0..samples {
        // The first sample is the middle of the pixel.
        let [x, y] = spread(sample, [0.5, 0.5]);
        let mut directions = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
        for (direction, (row, column)) in directions.iter_mut().zip(places) {
            let (x, y) = (*column as f64 + x, (top + row) as f64 + y);
            *direction = camera.direction(x, y).as_vec3();
        }
        let mut colours = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
        let directions = &directions[..count];
        shader.packet(camera.position_m(), directions, &pixels, sample, &mut colours);
        for ((row, column), colour) in places.iter().zip(&colours) {
            light[row * width + column] += *colour / samples as f32;
        }
    }
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
