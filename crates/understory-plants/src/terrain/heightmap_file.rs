//! Heights from files: GeoTIFF, PNG and NPY.
//!
//! What enters: a path and what the file cannot say of itself. What leaves: a [`HeightField`]. In
//! all three formats the first row is the northernmost. Sizes in headers are held against
//! [`MAX_SAMPLES`] and against what a file of its length can hold, before any memory is taken.
//!
//! GeoTIFF brings its own spacing and place (OGC 19-008r4). Its samples are the middles of pixels
//! unless it says that they are points.

mod geotiff;
mod npy;
mod png;

use super::{HeightField, MAX_SAMPLES, check, holes, refused};
use crate::PlantError;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A file of heights.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeightmapFile {
    /// A file that ends in .tif, .tiff, .png or .npy.
    pub path: PathBuf,
    /// Distance between samples; a GeoTIFF brings its own, which this overrules.
    pub spacing_m: Option<f64>,
    /// South-westernmost sample; without it a GeoTIFF lies where it says, and any other file lies
    /// with its middle at the origin.
    #[serde(default, deserialize_with = "understory_files::exact_if_given")]
    pub south_west_m: Option<[f64; 2]>,
    /// Heights of the darkest and the brightest possible pixel: for PNG, and only there.
    #[serde(default, deserialize_with = "understory_files::exact_if_given")]
    pub height_range_m: Option<[f64; 2]>,
    /// What to do where the file has no height.
    #[serde(default)]
    pub holes: Holes,
}

/// What to do with samples that have no height (NaN, or the file's NODATA).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holes {
    /// A file with holes is refused.
    #[default]
    Refuse,
    /// Each hole is filled with the harmonic function of its rim, which stays between the rim's
    /// lowest and highest point.
    Fill,
}

/// What a file says: heights from its first row on, NaN in holes.
struct Raster {
    columns: usize,
    rows: usize,
    heights: Vec<f64>,
    /// Distance between samples, east and south.
    spacing_m: Option<[f64; 2]>,
    /// Where the first sample of the first row lies.
    north_west_m: Option<[f64; 2]>,
}

/// A sentence that becomes [`PlantError::HeightFile`].
type Reason = String;

impl HeightmapFile {
    /// Is everything within its limits? Does not open the file.
    pub fn check(&self) -> Result<(), PlantError> {
        let format = Format::from_path(&self.path)?;
        if let Some(spacing) = self.spacing_m {
            check("spacing_m of a heightmap", spacing, 1e-4, 1e4)?;
        } else if format != Format::GeoTiff {
            let limits = "given for PNG and NPY, which do not hold it";
            return Err(refused("spacing_m of a heightmap", "missing", limits));
        }
        for coordinate in self.south_west_m.unwrap_or_default() {
            check("south_west_m of a heightmap", coordinate, -1e8, 1e8)?;
        }
        match (self.height_range_m, format) {
            (Some([low, high]), Format::Png) => {
                check("height_range_m of a heightmap", low, -1e5, 1e5)?;
                check("height_range_m of a heightmap", high, low, 1e5)
            }
            (None, Format::Png) => {
                let limits = "given for PNG: the heights of black and white";
                Err(refused("height_range_m of a heightmap", "missing", limits))
            }
            (Some(_), _) => {
                let limits = "left out for GeoTIFF and NPY, which hold metres";
                Err(refused("height_range_m of a heightmap", "given", limits))
            }
            (None, _) => Ok(()),
        }
    }

    /// Reads the file.
    pub fn read(&self) -> Result<HeightField, PlantError> {
        self.check()?;
        let wrong = |reason| PlantError::HeightFile { path: self.path.clone(), reason };
        let mut raster = self.raster().map_err(wrong)?;
        self.deal_with_holes(&mut raster).map_err(wrong)?;
        let Raster { columns, rows, .. } = raster;
        let spacing = match (self.spacing_m, raster.spacing_m) {
            (Some(spacing), _) => [spacing; 2],
            (None, Some(spacing)) => spacing,
            (None, None) => {
                let reason = "it does not say how far apart its samples are; give spacing_m";
                return Err(wrong(reason.to_owned()));
            }
        };
        let extent = [(columns - 1) as f64 * spacing[0], (rows - 1) as f64 * spacing[1]];
        let south_west = match (self.south_west_m, raster.north_west_m) {
            (Some(corner), _) => corner,
            (None, Some([west, north])) => [west, north - extent[1]],
            (None, None) => extent.map(|extent| -0.5 * extent),
        };
        let mut heights = Vec::with_capacity(raster.heights.len());
        for row in raster.heights.chunks_exact(columns).rev() {
            heights.extend_from_slice(row);
        }
        HeightField::new(south_west, spacing, columns, rows, heights)
            .map_err(|error| wrong(error.to_string()))
    }

    /// Code of the projected coordinate reference system in which a GeoTIFF says to lie; none where
    /// the file's own place does not count.
    pub fn epsg(&self) -> Option<u16> {
        self.has_place().then(|| File::open(&self.path).ok())?.and_then(geotiff::epsg)
    }

    /// Whether it is a GeoTIFF that says where it lies.
    pub fn has_place(&self) -> bool {
        let in_place = self.spacing_m.is_none() && self.south_west_m.is_none();
        in_place && Format::from_path(&self.path).is_ok_and(|format| format == Format::GeoTiff)
    }

    fn raster(&self) -> Result<Raster, Reason> {
        let cannot_read = |error| format!("it cannot be read: {error}; check name and permissions");
        let file = File::open(&self.path).map_err(cannot_read)?;
        let bytes = file.metadata().map_err(cannot_read)?.len();
        match Format::from_path(&self.path).map_err(|error| error.to_string())? {
            Format::GeoTiff => geotiff::read(file, bytes, self.spacing_m.is_some()),
            Format::Png => png::read(file, bytes, self.height_range_m.unwrap_or_default()),
            Format::Npy => npy::read(file, bytes),
        }
    }

    fn deal_with_holes(&self, raster: &mut Raster) -> Result<(), Reason> {
        // An infinite height is no height either.
        let mut count = 0;
        let mut first = None;
        for (at, height) in raster.heights.iter_mut().enumerate() {
            if !height.is_finite() {
                *height = f64::NAN;
                count += 1;
                first = first.or(Some(at));
            }
        }
        let Some(first) = first else { return Ok(()) };
        if count == raster.heights.len() {
            return Err("none of its samples has a height; choose another file".to_owned());
        }
        if self.holes == Holes::Refuse {
            let (column, row) = (first % raster.columns + 1, first / raster.columns + 1);
            let samples = if count == 1 { "sample has" } else { "samples have" };
            return Err(format!(
                "{count} {samples} no height, the first in column {column} of row {row}; \
                 say holes = \"fill\" to fill them from their rim"
            ));
        }
        holes::fill(&mut raster.heights, raster.columns, raster.rows);
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    GeoTiff,
    Png,
    Npy,
}

impl Format {
    fn from_path(path: &Path) -> Result<Format, PlantError> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("tif" | "tiff") => Ok(Format::GeoTiff),
            Some("png") => Ok(Format::Png),
            Some("npy") => Ok(Format::Npy),
            _ => Err(PlantError::HeightFile {
                path: path.to_owned(),
                reason: "its ending is none of .tif, .tiff, .png and .npy".to_owned(),
            }),
        }
    }
}

/// Refuses sizes that are no terrain, or that a file of this length cannot hold: no compression
/// that these formats use makes more than `expansion` bytes of one.
fn check_size(
    columns: u64,
    rows: u64,
    sample_bytes: u64,
    file_bytes: u64,
    expansion: u64,
) -> Result<(), Reason> {
    let samples = columns.checked_mul(rows);
    if columns < 2 || rows < 2 {
        return Err(format!("it has {columns} × {rows} samples, but a terrain needs 2 × 2"));
    }
    match samples.filter(|&samples| samples <= MAX_SAMPLES as u64) {
        None => Err(format!(
            "it has {columns} × {rows} samples, but at most {MAX_SAMPLES} are read; cut it"
        )),
        Some(samples) if samples * sample_bytes > file_bytes.saturating_mul(expansion) => {
            Err(format!(
                "it promises {columns} × {rows} samples but is only {file_bytes} bytes long; \
                 it is cut short or damaged"
            ))
        }
        Some(_) => Ok(()),
    }
}
