//! What the sensor itself sees: rows are channels by elevation, columns are azimuth.
//!
//! Beams of mirrors and prisms wander up and down; then rows are half degrees of elevation instead.
//! The first sensor's latest value stays in each cell, so the image shows its last revolution.

use crate::raster::RgbImage;
use understory_cloud::Records;

use super::colour::{MISS, RangeScale, to_srgb};

/// Cells around the full circle.
const BINS: usize = 2880;

/// Rows per degree where beams wander.
const ROWS_PER_DEG: f32 = 2.0;

/// A beam whose elevation changes by more than this wanders.
const WANDER_DEG: f32 = 3.0;

/// What is known of a cell.
#[derive(Clone, Copy, PartialEq)]
enum Cell {
    /// No pulse went there.
    Unknown,
    /// A pulse came back with nothing.
    Miss,
    /// Range and intensity of the first return.
    Hit(f32, f32),
}

/// One channel: its elevation and its cells from azimuth −180° to 180°.
struct Row {
    first_elevation_deg: f32,
    elevation_sum_deg: f64,
    pulses: u32,
    cells: Vec<Cell>,
}

/// The range image of one sensor as its records come in.
#[derive(Default)]
pub struct RangeImage {
    rows: Vec<Option<Row>>,
    /// Whether beams wander, so that rows are elevations.
    wandering: bool,
}

impl RangeImage {
    /// Takes row `index` of `records`, which may be a miss; only first returns count.
    pub fn add(&mut self, records: &Records, index: usize) {
        if records.return_number[index] > 1 || !records.azimuth_deg[index].is_finite() {
            return;
        }
        let elevation_deg = records.elevation_deg[index];
        let channel = usize::from(records.channel[index]);
        let strays = |row: &Row| (row.first_elevation_deg - elevation_deg).abs() > WANDER_DEG;
        if !self.wandering && self.rows.get(channel).is_some_and(|r| r.as_ref().is_some_and(strays))
        {
            // The few pulses before the first stray are let go.
            *self = RangeImage { rows: Vec::new(), wandering: true };
        }
        let place = if self.wandering {
            ((elevation_deg.clamp(-90.0, 90.0) + 90.0) * ROWS_PER_DEG) as usize
        } else {
            channel
        };
        if place >= self.rows.len() {
            self.rows.resize_with(place + 1, || None);
        }
        let row = self.rows[place].get_or_insert_with(|| Row {
            first_elevation_deg: elevation_deg,
            elevation_sum_deg: 0.0,
            pulses: 0,
            cells: vec![Cell::Unknown; BINS],
        });
        row.elevation_sum_deg += f64::from(elevation_deg);
        row.pulses += 1;
        let turn = (f64::from(records.azimuth_deg[index]) + 180.0) / 360.0;
        let bin = (turn.rem_euclid(1.0) * BINS as f64) as usize;
        row.cells[bin.min(BINS - 1)] = if records.is_miss(index) {
            Cell::Miss
        } else {
            Cell::Hit(records.range_m[index], records.intensity[index])
        };
    }

    /// Whether no pulse had a direction.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Azimuths from right to left in degrees that have pulses.
    pub fn azimuth_span_deg(&self) -> (f64, f64) {
        let (first, end) = self.span();
        let degrees = |bin: usize| bin as f64 / BINS as f64 * 360.0 - 180.0;
        (degrees(first), degrees(end))
    }

    /// Whether it is one of what looks far up and down and around.
    pub fn is_panorama(&self) -> bool {
        let (right_deg, left_deg) = self.azimuth_span_deg();
        let high = self.rows.iter().flatten().count() as f32 > 60.0 * ROWS_PER_DEG;
        self.wandering && high && left_deg - right_deg > 90.0
    }

    /// First used bin and the one after the last.
    fn span(&self) -> (usize, usize) {
        let rows = || self.rows.iter().flatten();
        let used = |bin: &usize| rows().any(|row| row.cells[*bin] != Cell::Unknown);
        let first = (0..BINS).find(used).unwrap_or(0);
        (first, (first..BINS).rev().find(used).map_or(BINS, |last| last + 1))
    }

    /// What the rows are, in words.
    pub fn rows_in_words(&self) -> String {
        let count = self.rows.iter().flatten().count();
        if self.wandering {
            format!("elevation over {:.0} degrees", count as f32 / ROWS_PER_DEG)
        } else {
            format!("{count} channels")
        }
    }

    /// Draws the image into a rectangle; left is to the left of the sensor's back.
    pub fn draw(
        &self,
        image: &mut RgbImage,
        (left, top): (u32, u32),
        (width, height): (u32, u32),
        scale: &RangeScale,
        bright: f32,
    ) {
        let mut rows: Vec<&Row> = self.rows.iter().flatten().collect();
        let elevation = |row: &Row| row.elevation_sum_deg / f64::from(row.pulses.max(1));
        rows.sort_by(|a, b| elevation(b).total_cmp(&elevation(a)));
        let filled: Vec<Vec<Cell>> = rows.iter().map(|row| close_gaps(&row.cells)).collect();
        let (first, end) = self.span();
        for y in 0..height {
            let Some(cells) = filled.get(y as usize * filled.len() / height.max(1) as usize) else {
                return;
            };
            for x in 0..width {
                // Azimuth grows to the left.
                let share = 1.0 - (f64::from(x) + 0.5) / f64::from(width);
                let bin = first + (share * (end - first) as f64) as usize;
                let colour = match cells[bin.min(BINS - 1)] {
                    Cell::Unknown => continue,
                    Cell::Miss => MISS,
                    Cell::Hit(range_m, intensity) => {
                        let light = super::brightness(intensity, bright);
                        to_srgb(scale.linear(range_m).map(|part| part * light))
                    }
                };
                if let Some(pixel) = image.get_pixel_mut_checked(left + x, top + y) {
                    *pixel = colour;
                }
            }
        }
    }
}

/// Gives each empty cell the value of its nearest neighbour where the gap is no wider than one and
/// a half usual steps of the sensor: a coarse sensor shows bars, not stripes.
fn close_gaps(cells: &[Cell]) -> Vec<Cell> {
    let known: Vec<usize> = (0..cells.len()).filter(|&bin| cells[bin] != Cell::Unknown).collect();
    let mut steps: Vec<usize> = known.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(1);
    let limit = (usual + usual / 2).max(2);
    let mut closed = cells.to_vec();
    for pair in known.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        if to - from <= limit {
            let middle = from + (to - from) / 2 + 1;
            closed[from..middle].fill(cells[from]);
            closed[middle..to].fill(cells[to]);
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_gaps_close_and_wide_ones_stay() {
        let mut cells = vec![Cell::Unknown; 40];
        for bin in [0, 4, 8, 12, 32, 36] {
            cells[bin] = Cell::Hit(bin as f32, 1.0);
        }
        let closed = close_gaps(&cells);
        assert!(closed[1] == Cell::Hit(0.0, 1.0) && closed[3] == Cell::Hit(4.0, 1.0));
        assert!(closed[20] == Cell::Unknown);
    }

    #[test]
    fn beams_that_wander_are_shown_by_elevation() {
        let mut records = Records::default();
        for step in 0..41 {
            // Misses: no other column is looked at.
            records.elevation_deg.push(step as f32 * 0.5 - 10.0);
            records.azimuth_deg.push(1.0);
            records.channel.push(0);
            records.return_number.push(0);
        }
        let mut image = RangeImage::default();
        (0..5).for_each(|index| image.add(&records, index));
        assert_eq!(image.rows_in_words(), "1 channels");
        (5..41).for_each(|index| image.add(&records, index));
        // The first seven, −10° to −7°, do not stray yet; 34 rows are left.
        assert_eq!(image.rows_in_words(), "elevation over 17 degrees");
    }

    #[test]
    fn an_empty_image_draws_nothing() {
        let mut image = RgbImage::new(10, 10);
        RangeImage::default().draw(
            &mut image,
            (0, 0),
            (10, 10),
            &RangeScale::between(0.0, 1.0),
            1.0,
        );
        assert!(image.pixels().all(|pixel| pixel.0 == [0, 0, 0]));
    }
}
