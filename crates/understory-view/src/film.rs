//! A run as a film: what a camera behind the platform sees, and beside it the points that the sensors
//! found, seen by the same camera.
//!
//! What enters: a run. What leaves: an animated GIF at the pace of the simulated time. Each frame
//! shows the points of the last [`FilmOptions::trail_s`]; a point nearer to the camera hides those
//! behind it.

use std::collections::VecDeque;
use std::io::{self, Write};

use glam::DVec3;
use understory::Error;
use understory::pulse::PreparedRun;
use understory::run::{RunOptions, run as simulate};
use understory::world::trajectory::Pose;
use understory_base::{Progress, Silent};
use understory_cloud::{CloudError, MemorySink, Records};

use crate::picture::colour::{BACKGROUND, RangeScale, to_srgb};
use crate::raster::{Rgb, RgbImage};
use crate::render::{Camera, Lights, RenderOptions, render};

/// Most frames of a film.
pub const FRAMES_MAX: usize = 10_000;
/// Free columns between the two pictures.
const GAP: u32 = 4;
/// A point is drawn as large as a body of this size, in metres, at its distance.
const POINT_M: f64 = 0.06;

/// How a film is made.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmOptions {
    /// From and up to which time.
    pub interval_s: (f64, f64),
    /// Frames in a second of the run.
    pub frames_per_s: f64,
    /// Width and height of each of the two pictures.
    pub size: [u32; 2],
    /// Angle between the upper and the lower edge.
    pub fov_deg: f64,
    /// Rays per pixel of the camera's picture.
    pub samples: u32,
    /// How long points stay.
    pub trail_s: f64,
    /// Where the camera stands; behind the platform where nothing is said.
    pub camera: Option<Camera>,
    /// Sun and sky.
    pub lights: Lights,
    /// Threads; one per processor without a number.
    pub threads: Option<usize>,
}

impl FilmOptions {
    /// Times of the frames, each at the end of what it shows.
    fn times_s(&self) -> Result<Vec<f64>, Error> {
        let (from_s, to_s) = self.interval_s;
        let count = ((to_s - from_s) * self.frames_per_s + 1e-9).floor();
        let sound = self.frames_per_s > 0.0 && self.trail_s > 0.0 && count >= 1.0;
        if !sound || count > FRAMES_MAX as f64 {
            return Err(Error::invalid(
                "film",
                format!(
                    "{from_s} s to {to_s} s at {} frames a second are no film",
                    self.frames_per_s
                ),
                format!("ask for 1 to {FRAMES_MAX} frames and a trail above 0 s"),
            ));
        }
        if self.size.iter().any(|side| !(16..=4096).contains(side)) {
            return Err(Error::invalid(
                "film",
                format!("pictures of {} × {} pixels are no film", self.size[0], self.size[1]),
                "choose 16 to 4096 pixels for each side",
            ));
        }
        Ok((1..=count as usize).map(|frame| from_s + frame as f64 / self.frames_per_s).collect())
    }
}

/// A point of the trail.
#[derive(Clone, Copy)]
struct Point {
    time_s: f64,
    at: DVec3,
    range_m: f32,
}

/// Writes a GIF. `world_from_eye` says where the eye of the platform is at a time.
pub fn write_gif(
    run: &PreparedRun,
    world_from_eye: impl Fn(f64) -> Pose,
    options: &FilmOptions,
    file: impl Write,
    progress: &dyn Progress,
) -> Result<usize, Error> {
    let times_s = options.times_s()?;
    let failed = |error: gif::EncodingError| {
        let error = io::Error::other(error.to_string());
        Error::Cloud(CloudError::Write { path: "film".into(), error })
    };
    let size = [2 * options.size[0] + GAP, options.size[1]];
    let [width, height] = size.map(|side| u16::try_from(side).unwrap_or(u16::MAX));
    let mut encoder = gif::Encoder::new(file, width, height, &[]).map_err(failed)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
    // A GIF counts hundredths of a second, and few programs show less than two.
    let delay = (100.0 / options.frames_per_s).round().clamp(2.0, 6000.0) as u16;
    let mut trail = VecDeque::new();
    let mut before_s = (times_s[0] - options.trail_s).max(0.0).min(options.interval_s.0);
    for (frame, &time_s) in times_s.iter().enumerate() {
        add_points(run, (before_s, time_s), options.threads, &mut trail)?;
        before_s = time_s;
        while trail.front().is_some_and(|point: &Point| point.time_s < time_s - options.trail_s) {
            trail.pop_front();
        }
        let eye = world_from_eye(time_s);
        let camera = match options.camera {
            Some(camera) => camera,
            None => Camera::behind(&run.scene, &eye, options.fov_deg, options.size)?,
        };
        let drawn = RenderOptions {
            samples: options.samples,
            time_s,
            threads: options.threads,
            ..RenderOptions::default()
        };
        let left = render(&run.scene, &camera, &options.lights, &drawn)?;
        let right = points(&camera, eye.translation, trail.iter());
        let rgb = beside(&left.rgb, &right, options.size);
        let mut picture = gif::Frame::from_rgb_speed(width, height, &rgb, 10);
        picture.delay = delay;
        encoder.write_frame(&picture).map_err(failed)?;
        progress.step("filming", (frame + 1) as f64 / times_s.len() as f64);
    }
    progress.finished();
    Ok(times_s.len())
}

/// Simulates a part of the run and keeps where its points are.
fn add_points(
    run: &PreparedRun,
    interval_s: (f64, f64),
    threads: Option<usize>,
    trail: &mut VecDeque<Point>,
) -> Result<(), Error> {
    if interval_s.1 <= interval_s.0 {
        return Ok(());
    }
    let memory = MemorySink::default();
    let options = RunOptions { interval_s: Some(interval_s), threads, ..RunOptions::default() };
    simulate(run, &options, Box::new(memory.clone()), &Silent)?;
    let records: Records = memory.take_records();
    for index in (0..records.len()).filter(|index| !records.is_miss(*index)) {
        trail.push_back(Point {
            time_s: records.time_s[index],
            at: DVec3::from(records.world_xyz_m[index]),
            range_m: records.range_m[index],
        });
    }
    Ok(())
}

/// Points as a camera sees them.
fn points<'p>(camera: &Camera, eye: DVec3, points: impl Iterator<Item = &'p Point>) -> RgbImage {
    let [width, height] = camera.size();
    let mut image = RgbImage::from_pixel(width, height, BACKGROUND);
    let mut nearest = vec![f64::INFINITY; width as usize * height as usize];
    let shown: Vec<&Point> = points.collect();
    let mut ranges: Vec<f32> =
        shown.iter().map(|point| point.range_m).filter(|r| r.is_finite()).collect();
    ranges.sort_by(f32::total_cmp);
    let far_m = ranges.get(ranges.len() * 98 / 100).copied().unwrap_or(10.0);
    let near_m = ranges.get(ranges.len() / 100).copied().unwrap_or(0.0);
    let scale = RangeScale::between(near_m, far_m);
    for point in shown {
        let distance_m = (point.at - camera.position_m()).length();
        let Some([column, row]) = camera.pixel_of(point.at) else { continue };
        let range_m = if point.range_m.is_finite() {
            point.range_m
        } else {
            (point.at - eye).length() as f32
        };
        let colour = to_srgb(scale.linear(range_m));
        let side = (camera.pixels_at(distance_m) * POINT_M).round().clamp(1.0, 5.0) as u32;
        splat(&mut image, &mut nearest, [column, row], side, distance_m, colour);
    }
    image
}

/// A square of pixels where nothing nearer is.
fn splat(
    image: &mut RgbImage,
    nearest: &mut [f64],
    [column, row]: [u32; 2],
    side: u32,
    distance_m: f64,
    colour: Rgb,
) {
    let (width, height) = image.dimensions();
    let from = |at: u32| at.saturating_sub(side / 2);
    for y in from(row)..(from(row) + side).min(height) {
        for x in from(column)..(from(column) + side).min(width) {
            let place = y as usize * width as usize + x as usize;
            if distance_m < nearest[place] {
                nearest[place] = distance_m;
                image.put_pixel(x, y, colour);
            }
        }
    }
}

/// Two pictures of one size side by side.
fn beside(left: &[u8], right: &RgbImage, [width, _]: [u32; 2]) -> Vec<u8> {
    let row = 3 * width as usize;
    let right = right.to_bytes();
    let gap = BACKGROUND.0.repeat(GAP as usize);
    let rows = left.chunks_exact(row).zip(right.chunks_exact(row));
    rows.flat_map(|(left, right)| [left, gap.as_slice(), right].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory::scenario::Scenario;

    fn options() -> FilmOptions {
        FilmOptions {
            interval_s: (0.0, 0.1),
            frames_per_s: 40.0,
            size: [64, 48],
            fov_deg: 60.0,
            samples: 1,
            trail_s: 0.05,
            camera: None,
            lights: Lights { occlusion: false, ..Lights::default() },
            threads: Some(2),
        }
    }

    #[test]
    fn a_film_has_a_picture_for_each_time_and_points_beside_it() {
        let scenario = Scenario::embedded("first-scan").unwrap();
        let run = scenario.prepare().unwrap();
        let mut bytes = Vec::new();
        let eye = |time_s| run.trajectory.pose_at(time_s);
        let frames = write_gif(&run, eye, &options(), &mut bytes, &Silent).unwrap();
        assert_eq!(frames, 4);
        let mut decoder = gif::DecodeOptions::new();
        decoder.set_color_output(gif::ColorOutput::RGBA);
        let mut film = decoder.read_info(bytes.as_slice()).unwrap();
        assert_eq!((film.width(), film.height()), (64 + 4 + 64, 48));
        let mut read = 0;
        while let Some(frame) = film.read_next_frame().unwrap() {
            // 40 frames a second: 2.5 hundredths each.
            assert_eq!(frame.delay, 3);
            let at = |x: usize, y: usize| &frame.buffer[4 * (y * 132 + x)..][..3];
            let lit = (68..132).flat_map(|x| (0..48).map(move |y| (x, y)));
            let lit = lit.filter(|(x, y)| at(*x, *y).iter().any(|part| *part > 60)).count();
            assert!(lit > 30, "{lit} pixels have points");
            read += 1;
        }
        assert_eq!(read, 4);
    }

    #[test]
    fn near_points_hide_far_ones() {
        let camera = Camera::new(Pose::IDENTITY, 60.0, [64, 48]).unwrap();
        let point = |x: f64, range_m| Point { time_s: 0.0, at: DVec3::new(x, 0.0, 0.0), range_m };
        let (near, far) = (point(2.0, 2.0), point(9.0, 9.0));
        let one = points(&camera, DVec3::ZERO, [near, far].iter());
        let other = points(&camera, DVec3::ZERO, [far, near].iter());
        assert_eq!(one.to_bytes(), other.to_bytes());
    }

    #[test]
    fn impossible_films_are_refused() {
        for (interval_s, frames_per_s, size) in [
            ((0.0, 1.0), 0.0, [64, 48]),
            ((0.0, 1.0), f64::NAN, [64, 48]),
            ((1.0, 1.0), 10.0, [64, 48]),
            ((0.0, 1e9), 10.0, [64, 48]),
            ((0.0, 1.0), 10.0, [0, 48]),
            ((0.0, 1.0), 10.0, [64, 40_000]),
        ] {
            let asked = FilmOptions { interval_s, frames_per_s, size, ..options() };
            let told = asked.times_s().unwrap_err().to_string();
            assert!(told.starts_with("film: ") && told.contains("; "), "{told}");
        }
    }
}
