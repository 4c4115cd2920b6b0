//! A time-of-flight camera: pixel → direction and footprint. One pulse is one pixel of one frame.
//!
//! Pixel (u, v), counted from the upper left with whole numbers at pixel centres, looks along
//! (1, −x, −y) in the sensor's frame (x forward, y left, z up). *Pinhole*: x and y are the
//! undistorted normalised coordinates, whose distorted ones (Brown–Conrady, coefficients
//! k₁, k₂, p₁, p₂, k₃ as in OpenCV) are ((u − c_u)/f_u, (v − c_v)/f_v). *Equidistant* (wide lenses):
//! the angle from the axis is the distance from the centre in those units, in radians.
//!
//! The spot of a pulse is the pixel's own field, a patch that shrinks towards the corners of a
//! pinhole image as a camera's pixels do; [`Pulses::spot_half`] holds its half extents. The range of
//! a pulse is measured along its ray; cameras that report depth along the axis report
//! range·direction.x.
//!
//! All pixels of a frame see the same moment, or each row its own (`row_s`, rolling). The scan is the
//! frame, the channel the row and the column the column.

mod from_table;

use std::ops::Range;
use std::sync::Arc;
use understory_base::math;

use glam::{DVec2, DVec3, Vec3};
use understory_files::sensor::Projection;

use super::{Cycle, Pattern, Pulses, first_multiple_at};

/// Most pixels of a camera.
pub const PIXELS_MAX: u32 = 1 << 22;

/// What a camera is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraGridSpec {
    /// Pixels in a row.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Focal lengths in pixels, along rows and columns.
    pub focal_px: [f64; 2],
    /// Where the axis meets the image; the middle is ((width − 1)/2, (height − 1)/2).
    pub centre_px: [f64; 2],
    /// How the lens maps angles.
    pub projection: Projection,
    /// k₁, k₂, p₁, p₂, k₃ of a pinhole's lens; zeros: none.
    pub distortion: [f64; 5],
    /// From one frame to the next.
    pub frame_s: f64,
    /// From one row to the next; 0: all rows at once.
    pub row_s: f64,
}

/// Why a camera cannot be built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraFault {
    /// No pixels, too many, or a number out of its range.
    Unsound,
    /// The lens folds the image over before this pixel: no direction belongs to it.
    Folded {
        /// Column.
        u: u16,
        /// Row.
        v: u16,
    },
}

/// A camera, ready to fill batches.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraGrid {
    spec: CameraGridSpec,
    /// Row by row.
    pixels: Arc<[Pixel]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pixel {
    direction: DVec3,
    /// From the axis to the middle of the left and of the upper edge.
    spot_half: [Vec3; 2],
}

impl CameraGrid {
    /// Builds the pattern.
    pub fn new(spec: CameraGridSpec) -> Result<CameraGrid, CameraFault> {
        let count = u32::from(spec.width) * u32::from(spec.height);
        let finite = spec.centre_px.iter().chain(&spec.distortion).all(|number| number.is_finite());
        let valid = (1..=PIXELS_MAX).contains(&count)
            && finite
            && spec.focal_px.iter().all(|focal| focal.is_finite() && *focal > 0.0)
            && spec.frame_s.is_finite()
            && spec.frame_s > 0.0
            && spec.row_s >= 0.0
            && spec.row_s * f64::from(spec.height - 1) < spec.frame_s;
        if !valid {
            return Err(CameraFault::Unsound);
        }
        let mut pixels = Vec::with_capacity(count as usize);
        for v in 0..spec.height {
            for u in 0..spec.width {
                pixels.push(spec.pixel(u, v).ok_or(CameraFault::Folded { u, v })?);
            }
        }
        Ok(CameraGrid { spec, pixels: pixels.into() })
    }

    /// What the pattern is made of.
    pub fn spec(&self) -> &CameraGridSpec {
        &self.spec
    }

    /// Full angles of the field of view between the outer edges of the middle row and column.
    pub fn field_rad(&self) -> Option<[f64; 2]> {
        let spec = &self.spec;
        let [u, v] = spec.centre_px;
        let right = f64::from(spec.width) - 0.5;
        let below = f64::from(spec.height) - 0.5;
        let angle = |a: (f64, f64), b: (f64, f64)| {
            Some(spec.ray(a.0, a.1)?.angle_between(spec.ray(b.0, b.1)?))
        };
        Some([angle((-0.5, v), (right, v))?, angle((u, -0.5), (u, below))?])
    }

    /// Full angles of the pixel nearest the axis.
    pub fn pixel_rad(&self) -> [f64; 2] {
        self.spec.focal_px.map(|focal| 2.0 * math::atan(0.5 / focal))
    }

    fn pixels_per_frame(&self) -> u64 {
        self.pixels.len() as u64
    }

    /// When a row of frame `frame` is measured.
    fn row_time_s(&self, frame: u64, row: u64) -> f64 {
        frame as f64 * self.spec.frame_s + row as f64 * self.spec.row_s
    }
}

impl CameraGridSpec {
    fn pixel(&self, u: u16, v: u16) -> Option<Pixel> {
        let (u, v) = (f64::from(u), f64::from(v));
        let ray = self.ray(u, v)?;
        let length = ray.length();
        let half = |edge: DVec3, other: DVec3| ((edge - other) / (2.0 * length)).as_vec3();
        Some(Pixel {
            direction: ray / length,
            spot_half: [
                half(self.ray(u - 0.5, v)?, self.ray(u + 0.5, v)?),
                half(self.ray(u, v - 0.5)?, self.ray(u, v + 0.5)?),
            ],
        })
    }

    /// Where a place in the image looks, not of unit length; `None` if the lens never reaches it.
    fn ray(&self, u: f64, v: f64) -> Option<DVec3> {
        let image = DVec2::new(
            (u - self.centre_px[0]) / self.focal_px[0],
            (v - self.centre_px[1]) / self.focal_px[1],
        );
        match self.projection {
            Projection::Pinhole => {
                let place = undistort(image, &self.distortion)?;
                Some(DVec3::new(1.0, -place.x, -place.y))
            }
            Projection::Equidistant => {
                let angle = image.length();
                if angle > std::f64::consts::PI {
                    return None;
                }
                let (sin, cos) = math::sin_cos(angle);
                let share = if angle > 0.0 { sin / angle } else { 1.0 };
                Some(DVec3::new(cos, -image.x * share, -image.y * share))
            }
        }
    }
}

/// Brown–Conrady: where the lens images the place (x, y) of a pinhole image.
fn distort(place: DVec2, [k1, k2, p1, p2, k3]: &[f64; 5]) -> DVec2 {
    let DVec2 { x, y } = place;
    let r2 = x * x + y * y;
    let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
    DVec2::new(
        x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    )
}

/// The inverse of [`distort`] on the branch that begins at the axis, by Newton's method along the
/// way from the axis; `None` where that branch ends.
fn undistort(image: DVec2, coefficients: &[f64; 5]) -> Option<DVec2> {
    if coefficients.iter().all(|number| *number == 0.0) {
        return Some(image);
    }
    const STEPS: u32 = 8;
    let mut place = DVec2::ZERO;
    for step in 1..=STEPS {
        let wanted = image * (f64::from(step) / f64::from(STEPS));
        for _ in 0..20 {
            let [k1, k2, p1, p2, k3] = *coefficients;
            let DVec2 { x, y } = place;
            let r2 = x * x + y * y;
            let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
            let slope = 2.0 * (k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3));
            let xx = radial + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x;
            let yy = radial + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x;
            let xy = slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y;
            let determinant = xx * yy - xy * xy;
            let miss = distort(place, coefficients) - wanted;
            // The lens folds where the determinant reaches 0.
            if !(determinant > 1e-9 && miss.is_finite()) {
                return None;
            }
            if miss.length() < 1e-14 {
                break;
            }
            place -= DVec2::new(yy * miss.x - xy * miss.y, xx * miss.y - xy * miss.x) / determinant;
        }
    }
    ((distort(place, coefficients) - image).length() < 1e-10).then_some(place)
}

impl Pattern for CameraGrid {
    fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        let (width, count) = (u64::from(self.spec.width), self.pixels_per_frame());
        let mut pulse = pulses.start;
        while pulse < pulses.end {
            let (frame, in_frame) = (pulse / count, pulse % count);
            let row = in_frame / width;
            let end = pulses.end.min(pulse.saturating_add(width - in_frame % width));
            let time_s = self.row_time_s(frame, row);
            for pulse in pulse..end {
                let in_frame = pulse % count;
                let pixel = &self.pixels[in_frame as usize];
                let (channel, column) = (row as u16, in_frame % width);
                out.push(time_s, channel, frame, column, pixel.direction, DVec3::ZERO);
                out.spot_half.push(pixel.spot_half.map(|half| half.as_dvec3()));
            }
            pulse = end;
        }
    }

    fn first_pulse_at(&self, time_s: f64) -> u64 {
        let next = first_multiple_at(time_s, self.spec.frame_s);
        let count = self.pixels_per_frame();
        if next == 0 || self.spec.row_s == 0.0 {
            return next.saturating_mul(count);
        }
        let frame = next - 1;
        let (mut low, mut high) = (0, u64::from(self.spec.height));
        while low < high {
            let row = (low + high) / 2;
            if self.row_time_s(frame, row) < time_s { low = row + 1 } else { high = row }
        }
        frame.saturating_mul(count).saturating_add(low * u64::from(self.spec.width))
    }

    fn cycle_of(&self, pulse: u64) -> Cycle {
        let (count, width) = (self.pixels_per_frame(), u64::from(self.spec.width));
        let frame = pulse / count;
        if self.spec.row_s == 0.0 {
            let end = (frame + 1).saturating_mul(count);
            return Cycle { start_s: self.row_time_s(frame, 0), end };
        }
        let row = pulse % count / width;
        Cycle { start_s: self.row_time_s(frame, row), end: frame * count + (row + 1) * width }
    }

    fn pulse_rate_hz(&self) -> f64 {
        self.pixels_per_frame() as f64 / self.spec.frame_s
    }

    fn scan_duration_s(&self) -> f64 {
        self.spec.frame_s
    }

    fn channels(&self) -> usize {
        usize::from(self.spec.height)
    }

    fn columns_per_scan(&self) -> u32 {
        u32::from(self.spec.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(width: u16, height: u16, focal: f64) -> CameraGridSpec {
        CameraGridSpec {
            width,
            height,
            focal_px: [focal, focal],
            centre_px: [f64::from(width - 1) / 2.0, f64::from(height - 1) / 2.0],
            projection: Projection::Pinhole,
            distortion: [0.0; 5],
            frame_s: 0.04,
            row_s: 0.0,
        }
    }

    fn frame(camera: &CameraGrid) -> Pulses {
        let mut pulses = Pulses::default();
        camera.fill(0..camera.pixels_per_frame(), &mut pulses);
        pulses
    }

    #[test]
    fn pixels_tile_the_field_of_view() {
        let camera = CameraGrid::new(spec(20, 10, 8.0)).unwrap();
        let pulses = frame(&camera);
        // Upper left first: left is +y, up is +z.
        assert!(pulses.direction[0].y > 0.0 && pulses.direction[0].z > 0.0);
        assert_eq!((pulses.channel[25], pulses.column[25]), (1, 5));
        // A pixel's right edge is its neighbour's left one, its lower edge the next row's upper.
        let edge = |i: usize, side: usize, sign: f64| {
            let place = pulses.direction[i] + sign * pulses.spot_half[i][side];
            place / place.x
        };
        for row in 0..9 {
            for column in 0..19 {
                let i = row * 20 + column;
                assert!((edge(i, 0, -1.0) - edge(i + 1, 0, 1.0)).length() < 1e-6);
                assert!((edge(i, 1, -1.0) - edge(i + 20, 1, 1.0)).length() < 1e-6);
            }
        }
        // Outer edges: tan = 10/8 and 5/8.
        let [horizontal, vertical] = camera.field_rad().unwrap();
        assert!((horizontal - 2.0 * (10.0f64 / 8.0).atan()).abs() < 1e-12);
        assert!((vertical - 2.0 * (5.0f64 / 8.0).atan()).abs() < 1e-12);
        // The solid angles of the patches add up to that of the whole rectangle,
        // 4 asin(sin(a/2) sin(b/2)), where each is |H × V·axis|·4 to first order.
        let sum: f64 = (0..200)
            .map(|i| {
                let [h, v] = pulses.spot_half[i];
                4.0 * h.cross(v).dot(pulses.direction[i]).abs()
            })
            .sum();
        let whole = 4.0 * ((horizontal / 2.0).sin() * (vertical / 2.0).sin()).asin();
        assert!((sum / whole - 1.0).abs() < 2e-3, "{sum} {whole}");
    }

    #[test]
    fn an_equidistant_lens_spaces_angles_evenly() {
        let wide = CameraGridSpec { projection: Projection::Equidistant, ..spec(101, 1, 50.0) };
        let pulses = frame(&CameraGrid::new(wide).unwrap());
        for (i, direction) in pulses.direction.iter().enumerate() {
            let angle = direction.y.atan2(direction.x);
            assert!((angle - (50.0 - i as f64) / 50.0).abs() < 1e-12);
        }
    }

    #[test]
    fn undistorting_undoes_distorting_and_a_folded_lens_is_refused() {
        let lens = [0.09, -0.27, 0.001, -0.002, 0.09];
        for x in -6..=6 {
            for y in -6..=6 {
                let place = DVec2::new(f64::from(x), f64::from(y)) * 0.1;
                let back = undistort(distort(place, &lens), &lens).unwrap();
                assert!((back - place).length() < 1e-12, "{place} {back}");
            }
        }
        // x(1 − x²/2) turns back at x = √(2/3), where it is 0.544.
        let folding = [-0.5, 0.0, 0.0, 0.0, 0.0];
        assert!(undistort(DVec2::new(0.54, 0.0), &folding).is_some());
        assert!(undistort(DVec2::new(0.55, 0.0), &folding).is_none());
        let camera = CameraGridSpec { distortion: folding, ..spec(21, 21, 10.0) };
        assert_eq!(CameraGrid::new(camera).unwrap_err(), CameraFault::Folded { u: 0, v: 0 });
    }

    /// Pixels by OpenCV 5.0's `projectPoints` for f = 365, c = (255.5, 211.5) and this lens.
    #[test]
    fn undistortion_agrees_with_opencv() {
        let lens = [0.09, -0.27, 0.001, -0.002, 0.09];
        for (pixel, expected) in [
            ([14.1091486950, 12.2919274330], [-0.7, -0.58]),
            ([494.2535073050, 13.4774474330], [0.7, -0.58]),
            ([26.8956152734, 404.7512774609], [-0.65, 0.55]),
            ([483.8898351945, 409.5028099407], [0.66, 0.57]),
            ([292.0121540723, 193.2439229639], [0.1, -0.05]),
            ([255.2372000000, 431.2461417600], [0.0, 0.6]),
            ([144.9267470650, 285.1996852900], [-0.3, 0.2]),
        ] {
            let image = DVec2::new((pixel[0] - 255.5) / 365.0, (pixel[1] - 211.5) / 365.0);
            let ours = undistort(image, &lens).unwrap();
            assert!((ours - DVec2::from(expected)).length() < 1e-11, "{pixel:?}: {ours}");
        }
    }

    #[test]
    fn rolling_rows_have_their_own_times() {
        let camera = CameraGrid::new(CameraGridSpec { row_s: 0.001, ..spec(4, 3, 8.0) }).unwrap();
        let mut pulses = Pulses::default();
        camera.fill(0..24, &mut pulses);
        for (i, time_s) in pulses.time_s.iter().enumerate() {
            let expected = (i / 12) as f64 * 0.04 + (i % 12 / 4) as f64 * 0.001;
            assert!((time_s - expected).abs() < 1e-15);
        }
        assert_eq!(camera.first_pulse_at(0.0005), 4);
        assert_eq!(camera.first_pulse_at(0.0025), 12);
        assert_eq!(camera.cycle_of(5), Cycle { start_s: 0.001, end: 8 });
        let slow = CameraGridSpec { row_s: 0.02, ..spec(4, 3, 8.0) };
        assert_eq!(CameraGrid::new(slow).unwrap_err(), CameraFault::Unsound);
    }
}
