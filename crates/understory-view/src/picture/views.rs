//! The perspective view and the view from above: where to look from, and what to draw.

use crate::raster::RgbImage;
use glam::Vec3;
use understory_base::math;

use super::colour::{BRIGHT, FAINT, MUTED, PANEL, RangeScale};
use super::points::PicturePoint;
use super::splat::{Camera, Projected, SplatView, fill};
use super::text::{SMALL, write_text};
use super::{brightness, quantile, round_number};

/// Angle between neighbouring pulses that a splat is to cover, in radians.
const PULSE_SPACING_RAD: f32 = 0.006;

/// What the views are about.
pub struct Site {
    /// Middle of the sensor's track.
    middle: Vec3,
    /// Distance on the ground within which most points lie.
    radius_m: f32,
    /// Distance on the ground within which nearly all points lie.
    extent_m: f32,
    /// Height of the ground below the middle.
    ground_m: f32,
    /// The way the sensor looks, on the ground.
    heading: Vec3,
    /// Where the sensor was.
    track: Vec<Vec3>,
}

impl Site {
    /// From the points, the sensor's places and the way it looks.
    pub fn around(points: &[PicturePoint], track: &[Vec3], heading: Vec3) -> Site {
        let sum: Vec3 = track.iter().sum();
        let middle = if track.is_empty() { Vec3::ZERO } else { sum / track.len() as f32 };
        let offsets = points.iter().map(|point| point.position_m - middle);
        let mut distances: Vec<f32> = offsets.clone().map(|at| at.truncate().length()).collect();
        let mut heights: Vec<f32> = offsets.map(|at| at.z).collect();
        Site {
            middle,
            radius_m: quantile(&mut distances, 0.9).unwrap_or(10.0).max(0.5),
            extent_m: quantile(&mut distances, 0.97).unwrap_or(10.0).max(0.5),
            ground_m: quantile(&mut heights, 0.1).unwrap_or(0.0),
            heading: Vec3::new(heading.x, heading.y, 0.0).normalize_or(Vec3::X),
            track: track.to_vec(),
        }
    }
}

/// How a recording is best looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// From behind, from above, and as the sensor sees it.
    Around,
    /// A strip from above and its profile, of what looks down.
    Strip,
    /// A large panorama, of what stands and looks up and down.
    Panorama,
}

impl Site {
    /// By where the points are seen from, and whether the range image is a panorama.
    pub fn layout(&self, points: &[PicturePoint], is_panorama: bool) -> Layout {
        let seen = points.iter().filter(|point| point.range_m.is_finite());
        let below =
            |point: &&PicturePoint| self.middle.z - point.position_m.z > 0.7 * point.range_m;
        let (all, down) = (seen.clone().count(), seen.filter(below).count());
        let moved = self.track.iter().any(|at| (*at - self.middle).length() > 0.5);
        match () {
            () if all > 0 && 10 * down > 7 * all && !self.track.is_empty() => Layout::Strip,
            () if is_panorama && !moved => Layout::Panorama,
            () => Layout::Around,
        }
    }
}

/// Everything that a view needs.
pub struct Drawing<'a> {
    /// What is looked at.
    pub site: &'a Site,
    /// What is drawn.
    pub points: &'a [PicturePoint],
    /// Colours by range.
    pub scale: &'a RangeScale,
    /// The intensity that is fully bright.
    pub bright: f32,
}

impl Drawing<'_> {
    /// From behind and above the sensor, looking the way it looks.
    pub fn perspective(&self, image: &mut RgbImage, corner: (u32, u32), size: (u32, u32)) {
        let site = self.site;
        let reach = site.radius_m;
        let focus = site.middle + site.heading * (0.10 * reach) + Vec3::Z * (0.5 * site.ground_m);
        let eye = focus - site.heading * (0.98 * reach) + Vec3::Z * (0.62 * reach);
        let camera = Camera::looking_at(eye, focus, 46_f32.to_radians(), size.1 as f32);
        self.view(image, corner, size, camera, 1.3, 7.0);
        self.mark_track(image, corner, size, camera);
        caption(image, corner, "perspective, coloured by range");
    }

    /// From straight above, north up.
    pub fn above(&self, image: &mut RgbImage, corner: (u32, u32), size: (u32, u32)) {
        let pixels_per_m = 0.48 * size.0.min(size.1) as f32 / self.site.extent_m;
        let camera = Camera::Above { centre: self.site.middle, pixels_per_m };
        self.view(image, corner, size, camera, 1.0, 8.0);
        let step_m = round_step(self.site.extent_m / 3.0);
        for ring in 1..=6 {
            self.draw_ring(image, corner, size, ring as f32 * step_m, pixels_per_m);
        }
        self.mark_track(image, corner, size, camera);
        caption(image, corner, "from above, x to the right");
    }

    /// A slice across the track at its middle, from behind.
    pub fn profile(&self, image: &mut RgbImage, corner: (u32, u32), size: (u32, u32)) {
        let site = self.site;
        let half_m = (0.01 * site.extent_m).max(0.25);
        let in_slice = |point: &&PicturePoint| {
            (point.position_m - site.middle).dot(site.heading).abs() < half_m
        };
        let points: Vec<PicturePoint> = self.points.iter().filter(in_slice).copied().collect();
        let right = site.heading.cross(Vec3::Z).normalize_or(-Vec3::Y);
        let part = |axis: Vec3, share: f64| {
            let mut along: Vec<f32> = points.iter().map(|p| axis.dot(p.position_m)).collect();
            quantile(&mut along, share).unwrap_or(0.0)
        };
        let span = |axis: Vec3| [part(axis, 0.002), part(axis, 0.998)];
        let ([left, right_end], [low, high]) = (span(right), span(Vec3::Z));
        let middle = right * (0.5 * (left + right_end)) + Vec3::Z * (0.5 * (low + high));
        let wide = 0.96 * size.0 as f32 / (right_end - left).max(0.1);
        let pixels_per_m = wide.min(0.8 * size.1 as f32 / (high - low).max(0.1));
        let camera = Camera::Side { centre: middle, right, pixels_per_m };
        let slice = Drawing { points: &points, ..*self };
        slice.view(image, corner, size, camera, 1.6, 0.0);
        let text = format!("profile across the track, {} m thick", round_number(2.0 * half_m));
        caption(image, corner, &text);
    }

    fn view(
        &self,
        image: &mut RgbImage,
        corner: (u32, u32),
        size: (u32, u32),
        camera: Camera,
        size_min_px: f32,
        strength: f32,
    ) {
        fill(image, corner, size, PANEL);
        let mut view = SplatView::new(size.0, size.1);
        for point in self.points {
            let Some(at) = camera.project(point.position_m) else { continue };
            let light = brightness(point.intensity, self.bright);
            let colour = self.scale.linear(point.range_m).map(|part| part * light);
            view.splat(at, point.range_m * PULSE_SPACING_RAD, size_min_px, colour);
        }
        view.draw(image, corner, strength);
    }

    /// A circle at a distance from the middle, with its metres at the lower end.
    fn draw_ring(
        &self,
        image: &mut RgbImage,
        corner: (u32, u32),
        size: (u32, u32),
        distance_m: f32,
        pixels_per_m: f32,
    ) {
        let radius_px = distance_m * pixels_per_m;
        let steps = (radius_px * 7.0) as u32;
        let place = |angle: f32| Projected {
            x_px: radius_px * math::cos(angle),
            y_px: radius_px * math::sin(angle),
            log_depth: 0.0,
            pixels_per_m,
        };
        for step in 0..steps {
            let angle = step as f32 / steps as f32 * std::f32::consts::TAU;
            if let Some((x, y)) = pixel_in(size, place(angle)) {
                fill(image, (corner.0 + x, corner.1 + y), (1, 1), FAINT);
            }
        }
        if let Some((x, y)) = pixel_in(size, place(-std::f32::consts::FRAC_PI_2))
            && y + 8 < size.1
        {
            let label = format!("{} m", round_number(distance_m));
            let at = (i64::from(corner.0 + x) + 8, i64::from(corner.1 + y) - 18);
            write_text(image, at, &label, SMALL, MUTED);
        }
    }

    /// A small mark at each place where a scan began.
    fn mark_track(
        &self,
        image: &mut RgbImage,
        corner: (u32, u32),
        size: (u32, u32),
        camera: Camera,
    ) {
        for at in &self.site.track {
            if let Some((x, y)) = camera.project(*at).and_then(|at| pixel_in(size, at))
                && x >= 3
                && y >= 3
                && x + 3 < size.0
                && y + 3 < size.1
            {
                fill(image, (corner.0 + x - 3, corner.1 + y), (7, 1), BRIGHT);
                fill(image, (corner.0 + x, corner.1 + y - 3), (1, 7), BRIGHT);
            }
        }
    }
}

fn caption(image: &mut RgbImage, corner: (u32, u32), text: &str) {
    let at = (i64::from(corner.0) + 12, i64::from(corner.1) + 10);
    write_text(image, at, text, SMALL, MUTED);
}

/// The pixel of a view at which something appears, if it does.
fn pixel_in((width, height): (u32, u32), at: Projected) -> Option<(u32, u32)> {
    let (x, y) = (0.5 * width as f32 + at.x_px, 0.5 * height as f32 - at.y_px);
    let inside = x >= 0.0 && y >= 0.0 && x < width as f32 && y < height as f32;
    inside.then_some((x as u32, y as u32))
}

/// The step of 1, 2 or 5 times a power of ten that is nearest above `about`.
pub fn round_step(about: f32) -> f32 {
    let power = math::powf(10_f32, math::log10(about.max(1e-6)).floor());
    let share = about / power;
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| share <= step * 1.001);
    step.unwrap_or(10.0) * power
}
