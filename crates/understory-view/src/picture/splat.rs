//! Points → a shaded view: splats with a depth buffer, then eye-dome lighting.
//!
//! Eye-dome lighting darkens a pixel by how far it lies behind its neighbours in log depth
//! [Boucheny2009], so that shape is readable without normals. Views are drawn at twice their size
//! and averaged, which smooths edges.

use crate::raster::{Rgb, RgbImage};
use glam::Vec3;
use understory_base::math;

use super::colour::{PANEL, to_linear, to_srgb};

/// Each pixel of the result is the mean of this many squared.
const OVERSAMPLING: usize = 2;
/// Distance in pixels at which neighbours are compared.
const REACH: isize = 3;

/// From points in the world to places in a view.
#[derive(Clone, Copy)]
pub enum Camera {
    /// Seen from a place, with size falling with distance.
    Perspective {
        /// Where the eye is.
        eye: Vec3,
        /// Unit vectors to the right, up and ahead.
        axes: [Vec3; 3],
        /// Pixels per unit of tangent.
        focal_px: f32,
    },
    /// Seen from straight above, north up.
    Above {
        /// What is in the middle.
        centre: Vec3,
        /// Scale of the view.
        pixels_per_m: f32,
    },
    /// Seen from the side, upright and without perspective.
    Side {
        /// What is in the middle.
        centre: Vec3,
        /// Unit vector to the right, level.
        right: Vec3,
        /// Scale of the view.
        pixels_per_m: f32,
    },
}

impl Camera {
    /// A camera at `eye` that looks at `target`, `height_px` seen under `field_of_view_rad`.
    pub fn looking_at(eye: Vec3, target: Vec3, field_of_view_rad: f32, height_px: f32) -> Camera {
        let ahead = (target - eye).normalize_or(Vec3::X);
        let right = ahead.cross(Vec3::Z).normalize_or(-Vec3::Y);
        let axes = [right, right.cross(ahead), ahead];
        Camera::Perspective {
            eye,
            axes,
            focal_px: 0.5 * height_px / math::tan(0.5 * field_of_view_rad),
        }
    }

    /// Place relative to the view's centre (x right, y up), depth, and pixels per metre there;
    /// `None` behind the eye.
    pub fn project(&self, point: Vec3) -> Option<Projected> {
        match *self {
            Camera::Perspective { eye, axes: [right, up, ahead], focal_px } => {
                let offset = point - eye;
                let depth = ahead.dot(offset);
                let pixels_per_m = focal_px / depth;
                (depth > 0.05).then(|| Projected {
                    x_px: right.dot(offset) * pixels_per_m,
                    y_px: up.dot(offset) * pixels_per_m,
                    log_depth: math::ln(depth),
                    pixels_per_m,
                })
            }
            Camera::Above { centre, pixels_per_m } => {
                let offset = point - centre;
                // Heights become "log depths" that fall by 1 for each 40 m.
                let log_depth = -offset.z / 40.0;
                let (x_px, y_px) = (offset.x * pixels_per_m, offset.y * pixels_per_m);
                Some(Projected { x_px, y_px, log_depth, pixels_per_m })
            }
            Camera::Side { centre, right, pixels_per_m } => {
                let offset = point - centre;
                let log_depth = Vec3::Z.cross(right).dot(offset) / 40.0;
                let (x_px, y_px) = (right.dot(offset) * pixels_per_m, offset.z * pixels_per_m);
                Some(Projected { x_px, y_px, log_depth, pixels_per_m })
            }
        }
    }
}

/// A point in a view.
#[derive(Clone, Copy)]
pub struct Projected {
    /// To the right of the centre.
    pub x_px: f32,
    /// Above the centre.
    pub y_px: f32,
    /// Logarithm of the distance from the eye.
    pub log_depth: f32,
    /// Scale at this point.
    pub pixels_per_m: f32,
}

/// A view being drawn.
pub struct SplatView {
    width: usize,
    height: usize,
    log_depth: Vec<f32>,
    colour: Vec<[f32; 3]>,
}

impl SplatView {
    /// An empty view of so many pixels.
    pub fn new(width: u32, height: u32) -> SplatView {
        let (width, height) = (width as usize * OVERSAMPLING, height as usize * OVERSAMPLING);
        let count = width * height;
        SplatView {
            width,
            height,
            log_depth: vec![f32::INFINITY; count],
            colour: vec![[0.0; 3]; count],
        }
    }

    /// Draws a point as a disc of `size_m`, at least `size_min_px` wide, where it is the nearest.
    pub fn splat(&mut self, at: Projected, size_m: f32, size_min_px: f32, colour: [f32; 3]) {
        let scale = OVERSAMPLING as f32;
        let radius = (0.5 * size_m * at.pixels_per_m).clamp(0.5 * size_min_px, 4.0) * scale;
        let x = 0.5 * self.width as f32 + at.x_px * scale;
        let y = 0.5 * self.height as f32 - at.y_px * scale;
        let inside = x > -radius
            && y > -radius
            && x < self.width as f32 + radius
            && y < self.height as f32 + radius;
        if !inside {
            return;
        }
        let span = |middle: f32, end: usize| {
            let first = (middle - radius).round().max(0.0) as usize;
            first..((middle + radius).round().max(0.0) as usize).min(end)
        };
        for row in span(y, self.height) {
            for column in span(x, self.width) {
                let (dx, dy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
                let pixel = row * self.width + column;
                if dx * dx + dy * dy <= radius * radius && at.log_depth < self.log_depth[pixel] {
                    self.log_depth[pixel] = at.log_depth;
                    self.colour[pixel] = colour;
                }
            }
        }
    }

    /// Shades the view with the given strength and draws it with its corner at (`left`, `top`).
    pub fn draw(&self, image: &mut RgbImage, (left, top): (u32, u32), strength: f32) {
        let empty = to_linear(PANEL);
        let part = 1.0 / (OVERSAMPLING * OVERSAMPLING) as f32;
        for row in 0..self.height / OVERSAMPLING {
            for column in 0..self.width / OVERSAMPLING {
                let mut sum = [0.0; 3];
                for sub in 0..OVERSAMPLING * OVERSAMPLING {
                    let x = column * OVERSAMPLING + sub % OVERSAMPLING;
                    let y = row * OVERSAMPLING + sub / OVERSAMPLING;
                    let pixel = y * self.width + x;
                    let shade = self.shade(x, y, strength);
                    for (total, channel) in sum.iter_mut().zip(0..3) {
                        *total += part
                            * if shade > 0.0 {
                                shade * self.colour[pixel][channel]
                            } else {
                                empty[channel]
                            };
                    }
                }
                let place = (left + column as u32, top + row as u32);
                if let Some(pixel) = image.get_pixel_mut_checked(place.0, place.1) {
                    *pixel = to_srgb(sum);
                }
            }
        }
    }

    /// Brightness of a pixel, 0 where there is no point.
    fn shade(&self, x: usize, y: usize, strength: f32) -> f32 {
        let own = self.log_depth[y * self.width + x];
        if own == f32::INFINITY {
            return 0.0;
        }
        let mut behind = 0.0;
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)] {
            let neighbour = (x.checked_add_signed(dx * REACH), y.checked_add_signed(dy * REACH));
            let (Some(nx), Some(ny)) = neighbour else { continue };
            if nx < self.width && ny < self.height {
                // An empty neighbour is infinitely far and adds nothing. One step counts for at
                // most so much, so that a far background is dark at edges but not black.
                behind += (own - self.log_depth[ny * self.width + nx]).clamp(0.0, 0.25);
            }
        }
        math::exp(-strength * behind).max(0.08)
    }
}

/// Fills a rectangle.
pub fn fill(image: &mut RgbImage, (x, y): (u32, u32), (width, height): (u32, u32), colour: Rgb) {
    for row in y..(y + height).min(image.height()) {
        for column in x..(x + width).min(image.width()) {
            image.put_pixel(column, row, colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_is_in_the_middle_and_up_is_up() {
        let camera = Camera::looking_at(Vec3::new(-10.0, 0.0, 5.0), Vec3::ZERO, 1.0, 100.0);
        let middle = camera.project(Vec3::ZERO).unwrap();
        assert!(middle.x_px.abs() < 1e-4 && middle.y_px.abs() < 1e-4);
        let above = camera.project(Vec3::Z).unwrap();
        let left = camera.project(Vec3::Y).unwrap();
        assert!(above.y_px > 0.0 && left.x_px < 0.0);
        assert!(camera.project(Vec3::new(-20.0, 0.0, 5.0)).is_none());
    }

    #[test]
    fn the_nearer_point_hides_the_farther() {
        let camera = Camera::looking_at(Vec3::new(-10.0, 0.0, 0.0), Vec3::ZERO, 1.0, 20.0);
        let (near, far) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
        for order in [[0, 1], [1, 0]] {
            let mut view = SplatView::new(20, 20);
            for which in order {
                let (point, colour) = [(Vec3::ZERO, near), (Vec3::X * 5.0, far)][which];
                view.splat(camera.project(point).unwrap(), 0.1, 4.0, colour);
            }
            let mut image = RgbImage::new(20, 20);
            view.draw(&mut image, (0, 0), 1.0);
            assert_eq!(image.get_pixel_mut_checked(10, 10).unwrap().0, [255, 0, 0]);
        }
    }

    #[test]
    fn points_far_outside_change_nothing() {
        let mut view = SplatView::new(20, 20);
        for x_px in [-1e9, 1e9, f32::NAN] {
            let at = Projected { x_px, y_px: 0.0, log_depth: 0.0, pixels_per_m: 1.0 };
            view.splat(at, 1.0, 1.0, [1.0; 3]);
        }
        assert!(view.log_depth.iter().all(|depth| *depth == f32::INFINITY));
    }
}
