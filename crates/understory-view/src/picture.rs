//! Records → one picture: a perspective view, a view from above and the range image; of what looks
//! down a strip from above and its profile, of a tripod a large panorama.
//!
//! [`PictureSink`] takes records like any other output and keeps a bounded number of points. All
//! views share one colour scale by range; brightness is the intensity that the sensor reports. A
//! recording that does not say where its beams came from is coloured by height.

pub(crate) mod colour;
mod points;
mod range_image;
mod splat;
pub mod text;
mod views;

use std::io::Write;
use std::path::Path;

use crate::raster::{Compression, RgbImage};
use glam::{DVec3, Vec3};
use understory_cloud::{CloudError, RecordSink, Records, ScanPose, SinkReport, StagedFile};

use colour::{BACKGROUND, BRIGHT, MUTED, RangeScale, to_srgb};
use points::{PicturePoint, PointSample};
use range_image::RangeImage;
use text::{LARGE, SMALL, text_width, write_text};
use views::Layout;

/// Size of the picture.
const SIZE: (u32, u32) = (1920, 1200);
/// Free space around everything.
const MARGIN: u32 = 24;
/// Points kept at most; 48 MB.
const MOST_POINTS: usize = 2_000_000;

/// Makes a PNG from the records of a run.
pub struct PictureSink {
    file: StagedFile,
    title: String,
    points: PointSample,
    /// The sensor whose range image is drawn: the first of the run of those that came.
    sensor: Option<u16>,
    range_image: RangeImage,
    track_m: Vec<DVec3>,
    heading: Option<DVec3>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    pulses: u64,
    returns: u64,
    misses: u64,
    first_s: Option<f64>,
    last_s: f64,
}

impl PictureSink {
    /// A picture with this title, to be written to `path`. Fails at once where that cannot be, not
    /// after the run.
    pub fn create(path: &Path, title: &str) -> Result<PictureSink, CloudError> {
        Ok(PictureSink {
            file: StagedFile::create(path)?,
            title: title.to_owned(),
            points: PointSample::of_at_most(MOST_POINTS),
            sensor: None,
            range_image: RangeImage::default(),
            track_m: Vec::new(),
            heading: None,
            counts: Counts::default(),
        })
    }

    /// Draws everything that came in so far.
    pub fn paint(&self) -> RgbImage {
        let mut image = RgbImage::from_pixel(SIZE.0, SIZE.1, BACKGROUND);
        let at = |x: u32, y: u32| (i64::from(x), i64::from(y));
        write_text(&mut image, at(MARGIN, 20), &self.title, LARGE, BRIGHT);
        write_text(&mut image, at(MARGIN, 60), &self.counts.sentence(), SMALL, MUTED);

        let heights = self.by_height();
        let points = heights.as_deref().unwrap_or(&self.points.points);
        let scale = range_scale(points);
        let bright = self.bright_intensity();
        let anchor = self.points.anchor();
        let track_m: Vec<Vec3> = self.track_m.iter().map(|at| (at - anchor).as_vec3()).collect();
        let heading = self.heading.unwrap_or(DVec3::X).as_vec3();
        let site = views::Site::around(points, &track_m, heading);
        let draw = views::Drawing { site: &site, points, scale: &scale, bright };
        let wide = SIZE.0 - 2 * MARGIN;
        let layout = site.layout(points, self.range_image.is_panorama());
        let panorama = |image: &mut RgbImage, top: u32, height: u32| {
            splat::fill(image, (MARGIN, top), (wide, height), colour::PANEL);
            self.range_image.draw(image, (MARGIN, top), (wide, height), &scale, bright);
        };
        match layout {
            Layout::Around => {
                draw.perspective(&mut image, (MARGIN, 92), (1280, 712));
                draw.above(&mut image, (MARGIN + 1296, 92), (576, 712));
                panorama(&mut image, 844, 276);
            }
            Layout::Strip => {
                draw.above(&mut image, (MARGIN, 92), (1280, 712));
                draw.perspective(&mut image, (MARGIN + 1296, 92), (576, 712));
                draw.profile(&mut image, (MARGIN, 844), (wide, 276));
            }
            Layout::Panorama => {
                panorama(&mut image, 92, 712);
                draw.perspective(&mut image, (MARGIN, 844), (928, 276));
                draw.above(&mut image, (MARGIN + 944, 844), (928, 276));
            }
        }

        let (right_deg, left_deg) = self.range_image.azimuth_span_deg();
        let caption = match self.range_image.is_empty() {
            _ if layout == Layout::Strip => "colours by range".to_owned(),
            true if heights.is_some() => {
                "colours by height; where the beams came from is not known".to_owned()
            }
            true => "no range image: the directions of the beams are not known".to_owned(),
            false => format!(
                "range image: {}, azimuth {left_deg:.0} to {right_deg:.0} degrees",
                self.range_image.rows_in_words()
            ),
        };
        write_text(&mut image, at(MARGIN, 820), &caption, SMALL, MUTED);
        draw_scale(&mut image, (MARGIN, 1140), wide, &scale);
        image
    }

    /// The points with their height in place of their range, where no range is known.
    fn by_height(&self) -> Option<Vec<PicturePoint>> {
        let points = &self.points.points;
        if points.is_empty() || points.iter().any(|point| point.range_m.is_finite()) {
            return None;
        }
        let mut heights: Vec<f32> = points.iter().map(|point| point.position_m.z).collect();
        let lowest_m = quantile(&mut heights, 0.01)?;
        let above = |point: &PicturePoint| {
            let range_m = (point.position_m.z - lowest_m).max(0.0);
            PicturePoint { range_m, ..*point }
        };
        Some(points.iter().map(above).collect())
    }

    /// The intensity that is shown fully bright.
    fn bright_intensity(&self) -> f32 {
        let points = self.points.points.iter();
        let mut values: Vec<f32> = points.map(|point| point.intensity).collect();
        quantile(&mut values, 0.9).unwrap_or(1.0)
    }
}

impl RecordSink for PictureSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        for index in 0..records.len() {
            self.counts.add(records, index);
            let sensor = records.sensor[index];
            if self.sensor.is_none_or(|shown| sensor < shown) {
                (self.sensor, self.range_image) = (Some(sensor), RangeImage::default());
            }
            if self.sensor == Some(sensor) {
                self.range_image.add(records, index);
            }
            if !records.is_miss(index) {
                self.points.add(records, index);
            }
        }
        Ok(())
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        let [x, y, z] = pose.world_from_sensor;
        self.track_m.push(DVec3::new(x[3], y[3], z[3]));
        self.heading.get_or_insert(DVec3::new(x[0], y[0], 0.0));
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        let mut bytes = Vec::new();
        let drawn = self.paint().write_png(&mut bytes, Compression::Fast);
        let written = drawn.and_then(|()| self.file.write_all(&bytes));
        written.map_err(|error| self.file.failed(error))?;
        Ok(SinkReport { paths: vec![self.file.publish()?], ..SinkReport::default() })
    }
}

impl Counts {
    fn add(&mut self, records: &Records, index: usize) {
        let miss = records.is_miss(index);
        self.misses += u64::from(miss);
        self.returns += u64::from(!miss);
        self.pulses += u64::from(records.return_number[index] <= 1);
        if records.time_s[index].is_finite() {
            self.first_s.get_or_insert(records.time_s[index]);
            self.last_s = self.last_s.max(records.time_s[index]);
        }
    }

    fn sentence(&self) -> String {
        let time = self.first_s.map(|first_s| format!(" in {:.2} s", self.last_s - first_s));
        let time = time.unwrap_or_default();
        format!(
            "{} pulses{time}: {} returns, {} pulses without a return",
            grouped(self.pulses),
            grouped(self.returns),
            grouped(self.misses)
        )
    }
}

/// A number in groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Colours for all but the nearest and the farthest few points, ending at round numbers.
fn range_scale(points: &[PicturePoint]) -> RangeScale {
    let mut ranges: Vec<f32> = points.iter().map(|point| point.range_m).collect();
    let near_m = quantile(&mut ranges, 0.01).unwrap_or(0.0);
    let far_m = quantile(&mut ranges, 0.98).unwrap_or(1.0).max(0.1);
    let (near_step_m, far_step_m) =
        (views::round_step(near_m / 5.0), views::round_step(far_m / 20.0));
    let near_m = (near_m / near_step_m).floor() * near_step_m;
    RangeScale::between(near_m, (far_m / far_step_m).ceil() * far_step_m)
}

/// How bright a return of this intensity is shown, 0…1: a faint one is still visible.
fn brightness(intensity: f32, bright: f32) -> f32 {
    let known = bright > 0.0 && intensity.is_finite();
    let share = if known { (intensity / bright).clamp(0.0, 1.0) } else { 1.0 };
    0.45 + 0.55 * share.sqrt()
}

/// The value below which a share of all finite values lies.
fn quantile(values: &mut Vec<f32>, share: f64) -> Option<f32> {
    values.retain(|value| value.is_finite());
    let place = (values.len().checked_sub(1)? as f64 * share) as usize;
    Some(*values.select_nth_unstable_by(place, f32::total_cmp).1)
}

/// The colour bar with its metres.
fn draw_scale(image: &mut RgbImage, (x, y): (u32, u32), width: u32, scale: &RangeScale) {
    for column in 0..width {
        let colour = to_srgb(scale.at(column as f32 / (width - 1) as f32));
        splat::fill(image, (x + column, y), (1, 14), colour);
    }
    let step_m = views::round_step(scale.far_m / 20.0);
    let mut free_from = 0;
    let first = (scale.near_m / step_m).floor() as u32;
    for mark in first..=first + 20 {
        // The ends are marked whatever their numbers are.
        let range_m = (mark as f32 * step_m).clamp(scale.near_m, scale.far_m);
        let label = format!("{} m", round_number(range_m));
        let place = x + (scale.place(range_m) * (width - 1) as f32) as u32;
        let label_width = text_width(&label, SMALL);
        let leftmost = i64::from(x);
        let rightmost = i64::from(x + width) - label_width;
        let left = (i64::from(place) - label_width / 2).clamp(leftmost, rightmost);
        // Marks crowd near the sensor; a label that would touch the one before it is left out.
        if left >= free_from {
            splat::fill(image, (place.min(x + width - 2), y + 14), (2, 6), MUTED);
            write_text(image, (left, i64::from(y) + 24), &label, SMALL, MUTED);
            free_from = left + label_width + 16;
        }
    }
}

/// A number without needless digits.
fn round_number(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
