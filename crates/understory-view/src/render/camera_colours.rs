//! Colours for points from the picture of a camera whose pose is known.
//!
//! What enters: a picture (PNG), the [`Camera`] that took it, and records. What leaves: the same
//! records with the colour of the pixel that shows each point. What stands behind something else is
//! not in the picture: the nearest point of each small square of the picture hides what lies behind
//! it ([`CameraColours::hide_behind`]). Points outside the picture and hidden ones stay black.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use glam::DVec3;
use understory_cloud::Records;

use super::{Camera, MAX_SIDE_PIXELS};

/// Side of the squares in which the nearest point hides the others.
const SQUARE_PIXELS: u32 = 4;
/// So much farther than the nearest may a point of the same square be: surfaces lean, and leaves
/// are small.
const BEHIND_SHARE: f64 = 0.02;
/// At least this much.
const BEHIND_M: f64 = 0.15;

/// An RGB picture of 8 bits, by rows from the top.
pub struct Photo {
    /// Width and height.
    pub size: [u32; 2],
    rgb: Vec<u8>,
}

impl Photo {
    /// Reads a PNG of any kind of pixels.
    pub fn read_png(path: &Path) -> io::Result<Photo> {
        let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(io::Error::other)?;
        let size = [reader.info().width, reader.info().height];
        if size.iter().any(|side| *side > MAX_SIDE_PIXELS) {
            let [width, height] = size;
            let what = format!("{width} × {height} pixels are more than {MAX_SIDE_PIXELS} a side");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let bytes = reader.output_buffer_size().ok_or_else(|| io::Error::other("too large"))?;
        let mut data = vec![0; bytes];
        let frame = reader.next_frame(&mut data).map_err(io::Error::other)?;
        let samples = frame.color_type.samples();
        let pixels = data.chunks_exact(samples).take(frame.buffer_size() / samples);
        let rgb = pixels.flat_map(|pixel| match *pixel {
            [red, green, blue, ..] => [red, green, blue],
            [grey, ..] => [grey; 3],
            [] => [0; 3],
        });
        Ok(Photo { size, rgb: rgb.collect() })
    }
}

/// Gives points the colours of a picture.
pub struct CameraColours {
    camera: Camera,
    photo: Photo,
    /// Distance of the nearest point in each square.
    nearest_m: Vec<f32>,
}

impl CameraColours {
    /// Of a picture and the camera that took it, which has the picture's size.
    pub fn new(camera: Camera, photo: Photo) -> CameraColours {
        let [columns, rows] = photo.size.map(|side| side.div_ceil(SQUARE_PIXELS) as usize);
        CameraColours { camera, photo, nearest_m: vec![f32::INFINITY; columns * rows] }
    }

    /// Lets these points hide what lies behind them; all points go through here before the first
    /// is coloured.
    pub fn hide_behind(&mut self, records: &Records) {
        for row in (0..records.len()).filter(|&row| !records.is_miss(row)) {
            let Some((pixel, distance_m)) = self.seen(records, row) else { continue };
            let square = self.square(pixel);
            if let Some(nearest_m) = self.nearest_m.get_mut(square) {
                *nearest_m = nearest_m.min(distance_m as f32);
            }
        }
    }

    /// Gives each return that the picture shows its colour; says how many there are.
    pub fn colour(&self, records: &mut Records) -> u64 {
        let mut coloured = 0;
        for row in 0..records.len() {
            let shown = (!records.is_miss(row)).then(|| self.seen(records, row)).flatten();
            let colour = shown.and_then(|(pixel, distance_m)| {
                let nearest_m = f64::from(*self.nearest_m.get(self.square(pixel))?);
                let limit_m = nearest_m + (BEHIND_SHARE * nearest_m).max(BEHIND_M);
                (distance_m <= limit_m).then_some(())?;
                let at = 3 * (pixel[1] as usize * self.photo.size[0] as usize + pixel[0] as usize);
                self.photo.rgb.get(at..at + 3)?.try_into().ok()
            });
            records.colour_rgb[row] = colour.unwrap_or([0; 3]);
            coloured += u64::from(colour.is_some());
        }
        coloured
    }

    /// The pixel that a point falls into, and its distance.
    fn seen(&self, records: &Records, row: usize) -> Option<([u32; 2], f64)> {
        let point_m = DVec3::from(records.world_xyz_m[row]);
        let pixel = self.camera.pixel_of(point_m)?;
        Some((pixel, point_m.distance(self.camera.position_m())))
    }

    fn square(&self, [x, y]: [u32; 2]) -> usize {
        let columns = self.photo.size[0].div_ceil(SQUARE_PIXELS);
        (y / SQUARE_PIXELS) as usize * columns as usize + (x / SQUARE_PIXELS) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    /// A picture whose colours are its coordinates; points in the middles of pixels get them, a
    /// point behind another, outside or behind the camera gets none.
    #[test]
    fn points_have_the_colours_of_their_pixels() {
        let (width, height) = (64u32, 48u32);
        let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| [x as u8, y as u8, 200]));
        let photo = Photo { size: [width, height], rgb: rgb.collect() };
        let position = DVec3::new(500_000.0, 10.0, 3.0);
        let target = DVec3::new(500_020.0, 25.0, 1.0);
        let camera = Camera::looking_at(position, target, 50.0, [width, height]).unwrap();
        let mut records = Records::default();
        let mut put = |at: DVec3| {
            let hit = Record { world_xyz_m: at.to_array(), return_number: 1, ..Record::miss() };
            records.push(Record { return_count: 1, ..hit });
        };
        let pixels = [[0u32, 0u32], [63, 47], [10, 40], [33, 7]];
        for [x, y] in pixels {
            put(position + 12.0 * camera.direction(f64::from(x) + 0.5, f64::from(y) + 0.5));
        }
        let direction = camera.direction(10.5, 40.5);
        put(position + 13.0 * direction);
        put(position + 12.1 * direction);
        put(position - 12.0 * direction);
        put(position + 12.0 * camera.direction(65.0, 20.0));
        records.push(Record::miss());
        let mut colours = CameraColours::new(camera, photo);
        colours.hide_behind(&records);
        assert_eq!(colours.colour(&mut records), 5);
        for (row, [x, y]) in pixels.into_iter().enumerate() {
            assert_eq!(records.colour_rgb[row], [x as u8, y as u8, 200]);
        }
        let rest = [[0; 3], [10, 40, 200], [0; 3], [0; 3], [0; 3]];
        assert_eq!(records.colour_rgb[4..], rest);
    }
}
