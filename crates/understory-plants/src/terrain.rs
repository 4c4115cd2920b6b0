//! Ground: heights over a rectangle.
//!
//! What enters: a [`TerrainSpec`] (a file of heights or a level plane, fractal relief and features
//! on top) and a seed. What leaves: a [`HeightField`], which knows height and normal everywhere,
//! and from it a [`GroundMesh`](mesh::GroundMesh) for the tracer.
//!
//! A field is a regular grid of samples. Each cell of the grid is two triangles, and the field is
//! linear on each. The diagonal of cell (column, row) runs from its south-west to its north-east
//! corner where column + row is even, and from south-east to north-west where it is odd. These are
//! the finest triangles of a right-triangulated network (Evans, Kirkpatrick and Townsend 2001), so
//! every coarser mesh of that network is a union of them.

pub mod features;
pub mod heightmap_file;
mod holes;
pub mod mesh;
pub mod relief;
#[cfg(test)]
mod tests;

use crate::PlantError;
use features::Feature;
use glam::{DVec2, DVec3};
use heightmap_file::HeightmapFile;
use relief::Relief;
use schemars::JsonSchema;
use serde::Deserialize;

/// Most samples that a field may have: 5793 × 5793, a quarter of a gigabyte of heights.
pub const MAX_SAMPLES: usize = 1 << 25;

/// Largest coordinate or height of a terrain; map coordinates stay below it.
const MAX_COORDINATE_M: f64 = 1e8;

/// Heights on a regular grid; columns run east (x), rows run north (y).
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    south_west: DVec2,
    spacing: DVec2,
    columns: usize,
    rows: usize,
    heights: Vec<f64>,
}

/// Where a point lies in its cell.
struct Place {
    column: usize,
    row: usize,
    /// Position within the cell, 0…1 each.
    u: f64,
    v: f64,
}

impl HeightField {
    /// A field from its samples, row by row from the south, each row from the west.
    pub fn new(
        south_west_m: [f64; 2],
        spacing_m: [f64; 2],
        columns: usize,
        rows: usize,
        heights: Vec<f64>,
    ) -> Result<HeightField, PlantError> {
        check_grid(columns, rows)?;
        for spacing in spacing_m {
            check("spacing_m of a terrain", spacing, 1e-4, 1e4)?;
        }
        for corner in south_west_m {
            check("south-west corner of a terrain", corner, -MAX_COORDINATE_M, MAX_COORDINATE_M)?;
        }
        if heights.len() != columns * rows {
            let limits = format!("{columns} × {rows}");
            return Err(refused("number of heights", heights.len(), &limits));
        }
        let good = |height: &f64| height.abs() <= MAX_COORDINATE_M;
        if let Some(at) = heights.iter().position(|height| !good(height)) {
            let place = format!("height at column {} and row {}", at % columns, at / columns);
            return Err(refused(&place, heights[at], "finite and below 1e8 m"));
        }
        let (south_west, spacing) = (DVec2::from(south_west_m), DVec2::from(spacing_m));
        Ok(HeightField { south_west, spacing, columns, rows, heights })
    }

    /// A level field of `height_m` that covers at least `size_m`, its middle at `centre_m`.
    pub fn level(
        centre_m: [f64; 2],
        size_m: [f64; 2],
        spacing_m: f64,
        height_m: f64,
    ) -> Result<HeightField, PlantError> {
        check("spacing_m of a terrain", spacing_m, 1e-4, 1e4)?;
        for size in size_m {
            check("size_m of a terrain", size, spacing_m, 1e6)?;
        }
        // A size that is a multiple of the spacing up to rounding has that many cells.
        let samples = size_m.map(|size| (size / spacing_m - 1e-6).ceil().max(1.0) + 1.0);
        if samples[0] * samples[1] > MAX_SAMPLES as f64 {
            return Err(too_many(samples[0], samples[1]));
        }
        let [columns, rows] = samples.map(|count| count as usize);
        let half = [(samples[0] - 1.0) * spacing_m / 2.0, (samples[1] - 1.0) * spacing_m / 2.0];
        let corner = [centre_m[0] - half[0], centre_m[1] - half[1]];
        let heights = vec![height_m; columns * rows];
        HeightField::new(corner, [spacing_m; 2], columns, rows, heights)
    }

    /// Number of samples from west to east.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of samples from south to north.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Distance between samples, east and north.
    pub fn spacing_m(&self) -> DVec2 {
        self.spacing
    }

    /// First sample of the first row.
    pub fn south_west_m(&self) -> DVec2 {
        self.south_west
    }

    /// Last sample of the last row.
    pub fn north_east_m(&self) -> DVec2 {
        let cells = DVec2::new((self.columns - 1) as f64, (self.rows - 1) as f64);
        self.south_west + cells * self.spacing
    }

    /// All heights, row by row from the south, each row from the west.
    pub fn heights_m(&self) -> &[f64] {
        &self.heights
    }

    /// Lowest and highest sample.
    pub fn height_range_m(&self) -> (f64, f64) {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        self.heights.iter().fold(start, |(low, high), &h| (low.min(h), high.max(h)))
    }

    /// A sample as a point.
    pub(crate) fn sample(&self, column: usize, row: usize) -> DVec3 {
        let flat = self.south_west + DVec2::new(column as f64, row as f64) * self.spacing;
        flat.extend(self.height(column, row))
    }

    pub(crate) fn height(&self, column: usize, row: usize) -> f64 {
        self.heights[row * self.columns + column]
    }

    fn place(&self, x: f64, y: f64) -> Option<Place> {
        let cell = (DVec2::new(x, y) - self.south_west) / self.spacing;
        let last = DVec2::new((self.columns - 1) as f64, (self.rows - 1) as f64);
        // False for NaN too.
        if !(cell.cmpge(DVec2::ZERO).all() && cell.cmple(last).all()) {
            return None;
        }
        let column = (cell.x as usize).min(self.columns - 2);
        let row = (cell.y as usize).min(self.rows - 2);
        Some(Place { column, row, u: cell.x - column as f64, v: cell.y - row as f64 })
    }

    /// Height at the cell's south-west corner if its triangle went on to there, and the rise of the
    /// triangle over one cell, east and north.
    fn plane(&self, place: &Place) -> (f64, f64, f64) {
        let &Place { column, row, u, v } = place;
        let south_west = self.height(column, row);
        let south_east = self.height(column + 1, row);
        let north_west = self.height(column, row + 1);
        let north_east = self.height(column + 1, row + 1);
        if rising_diagonal(column, row) {
            if u >= v {
                (south_west, south_east - south_west, north_east - south_east)
            } else {
                (south_west, north_east - north_west, north_west - south_west)
            }
        } else if u + v <= 1.0 {
            (south_west, south_east - south_west, north_west - south_west)
        } else {
            let (east, north) = (north_east - north_west, north_east - south_east);
            (north_east - east - north, east, north)
        }
    }

    /// Height of the ground's triangle at a point, none outside the field.
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        let place = self.place(x, y)?;
        let (corner, east, north) = self.plane(&place);
        Some(corner + east * place.u + north * place.v)
    }

    /// Upward unit normal of the ground's triangle at a point, none outside the field.
    pub fn normal_at(&self, x: f64, y: f64) -> Option<DVec3> {
        let (_, east, north) = self.plane(&self.place(x, y)?);
        Some(DVec3::new(-east / self.spacing.x, -north / self.spacing.y, 1.0).normalize())
    }

    /// Adds to every sample what `rise` gives for its place.
    pub(crate) fn raise(&mut self, mut rise: impl FnMut(f64, f64) -> f64) {
        for row in 0..self.rows {
            let y = self.south_west.y + row as f64 * self.spacing.y;
            let heights = &mut self.heights[row * self.columns..(row + 1) * self.columns];
            for (column, height) in heights.iter_mut().enumerate() {
                *height += rise(self.south_west.x + column as f64 * self.spacing.x, y);
            }
        }
    }
}

/// Does the diagonal of a cell run from south-west to north-east?
pub(crate) fn rising_diagonal(column: usize, row: usize) -> bool {
    (column + row).is_multiple_of(2)
}

/// Level ground to start from.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroundPlane {
    /// Extent east and north.
    #[serde(deserialize_with = "understory_files::exact")]
    pub size_m: [f64; 2],
    /// Distance between samples.
    pub spacing_m: f64,
    /// Where the middle lies.
    #[serde(default, deserialize_with = "understory_files::exact")]
    pub centre_m: [f64; 2],
    /// How high it lies.
    #[serde(default)]
    pub height_m: f64,
}

/// A terrain as a scenario writes it: exactly one of `heightmap` and `plane`, then relief, then
/// features in their order, all heights added.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TerrainSpec {
    /// A file of heights to start from.
    pub heightmap: Option<HeightmapFile>,
    /// Level ground to start from.
    pub plane: Option<GroundPlane>,
    /// Fractal relief, added.
    #[serde(default)]
    pub relief: Vec<Relief>,
    /// Slopes, ruts, berms, ditches, steps and mounds, added.
    #[serde(default)]
    pub features: Vec<Feature>,
}

impl TerrainSpec {
    /// Is everything within its limits? Reads no file.
    pub fn check(&self) -> Result<(), PlantError> {
        match (&self.heightmap, &self.plane) {
            (Some(heightmap), None) => heightmap.check()?,
            (None, Some(_)) => {}
            (Some(_), Some(_)) => {
                return Err(refused("start of a terrain", "both", "either heightmap or plane"));
            }
            (None, None) => {
                return Err(refused("start of a terrain", "missing", "either heightmap or plane"));
            }
        }
        self.relief.iter().try_for_each(Relief::check)?;
        self.features.iter().try_for_each(Feature::check)
    }

    /// The heights; the same for the same seed.
    pub fn build(&self, seed: u64) -> Result<HeightField, PlantError> {
        self.check()?;
        let mut field = match (&self.heightmap, &self.plane) {
            (Some(heightmap), _) => heightmap.read()?,
            (None, Some(plane)) => {
                HeightField::level(plane.centre_m, plane.size_m, plane.spacing_m, plane.height_m)?
            }
            (None, None) => return Err(refused("start of a terrain", "missing", "given")),
        };
        let seeds = crate::Random::new(seed);
        for (index, relief) in self.relief.iter().enumerate() {
            relief.add_to(&mut field, seeds.fork(index as u64).next_u64());
        }
        for feature in &self.features {
            feature.add_to(&mut field);
        }
        Ok(field)
    }
}

fn check_grid(columns: usize, rows: usize) -> Result<(), PlantError> {
    if columns < 2 || rows < 2 {
        let value = format!("{columns} × {rows} samples");
        return Err(refused("grid of a terrain", value, "at least 2 × 2"));
    }
    match columns.checked_mul(rows) {
        Some(samples) if samples <= MAX_SAMPLES => Ok(()),
        _ => Err(too_many(columns as f64, rows as f64)),
    }
}

fn too_many(columns: f64, rows: f64) -> PlantError {
    let value = format!("{columns} × {rows} samples");
    let limits =
        format!("at most {MAX_SAMPLES} samples: choose a larger spacing or a smaller area");
    refused("grid of a terrain", value, &limits)
}

/// Refuses a number outside its limits, and NaN.
pub(crate) fn check(parameter: &str, value: f64, low: f64, high: f64) -> Result<(), PlantError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(refused(parameter, value, &format!("between {low} and {high}")))
    }
}

pub(crate) fn refused(parameter: &str, value: impl ToString, limits: &str) -> PlantError {
    PlantError::Parameter {
        parameter: parameter.to_owned(),
        value: value.to_string(),
        limits: limits.to_owned(),
    }
}
