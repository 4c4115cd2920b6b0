//! TIFF of one band, with the georeference of GeoTIFF 1.1 (OGC 19-008r4).

use super::{Raster, Reason, check_size};
use std::fs::File;
use std::io::BufReader;
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

type Tiff = Decoder<BufReader<File>>;

/// Keys of the GeoKeyDirectory and what they may say.
const MODEL_TYPE: u16 = 1024;
const GEOGRAPHIC: u16 = 2;
const RASTER_TYPE: u16 = 1025;
const PIXEL_IS_POINT: u16 = 2;
const PROJECTED_CRS: u16 = 3072;
const USER_DEFINED: u16 = 32_767;
const LINEAR_UNITS: u16 = 3076;
const METRE: u16 = 9001;

/// Code of the projected coordinate reference system that a file names.
pub fn epsg(file: File) -> Option<u16> {
    let mut tiff = Decoder::new(BufReader::new(file)).ok()?;
    let keys = tag_u16(&mut tiff, Tag::GeoKeyDirectoryTag).ok()?;
    key(&keys, PROJECTED_CRS).filter(|&code| code != USER_DEFINED)
}

pub fn read(file: File, file_bytes: u64, spacing_is_given: bool) -> Result<Raster, Reason> {
    let damaged = |error| format!("it is no TIFF or it is damaged: {error}");
    let mut limits = Limits::default();
    limits.decoding_buffer_size = 512 << 20;
    let mut tiff = Decoder::new(BufReader::new(file)).map_err(damaged)?.with_limits(limits);
    let (columns, rows) = tiff.dimensions().map_err(damaged)?;
    let bits = match tiff.colortype().map_err(damaged)? {
        ColorType::Gray(bits) => u64::from(bits),
        other => return Err(format!("its pixels are {other:?}, but heights are a single band")),
    };
    // LZW makes up to 1400 bytes of one, Deflate 1032.
    check_size(columns.into(), rows.into(), bits.div_ceil(8), file_bytes, 1500)?;
    let (columns, rows) = (columns as usize, rows as usize);
    let georeference = Georeference::read(&mut tiff, spacing_is_given)?;
    let nodata = nodata(&mut tiff)?;
    let mut heights = match tiff.read_image().map_err(damaged)? {
        DecodingResult::U8(grey) => widen(grey),
        DecodingResult::U16(grey) => widen(grey),
        DecodingResult::U32(grey) => widen(grey),
        DecodingResult::I8(grey) => widen(grey),
        DecodingResult::I16(grey) => widen(grey),
        DecodingResult::I32(grey) => widen(grey),
        DecodingResult::F32(heights) => {
            // NODATA is written in decimal: what it means is the nearest f32.
            let nodata = nodata.map(|value| f64::from(value as f32));
            return raster(columns, rows, widen(heights), nodata, georeference);
        }
        DecodingResult::F64(heights) => heights,
        _ => return Err(format!("its samples of {bits} bits are none that are read here")),
    };
    heights.shrink_to_fit();
    raster(columns, rows, heights, nodata, georeference)
}

fn raster(
    columns: usize,
    rows: usize,
    mut heights: Vec<f64>,
    nodata: Option<f64>,
    georeference: Georeference,
) -> Result<Raster, Reason> {
    if heights.len() != columns * rows {
        return Err(format!("it has {} samples instead of {columns} × {rows}", heights.len()));
    }
    if let Some(nodata) = nodata {
        heights.iter_mut().filter(|height| **height == nodata).for_each(|h| *h = f64::NAN);
    }
    let Georeference { spacing_m, north_west_m } = georeference;
    Ok(Raster { columns, rows, heights, spacing_m, north_west_m })
}

fn widen<T: Into<f64>>(numbers: Vec<T>) -> Vec<f64> {
    numbers.into_iter().map(Into::into).collect()
}

/// The height that stands for none, from GDAL's tag.
fn nodata(tiff: &mut Tiff) -> Result<Option<f64>, Reason> {
    let damaged = |error| format!("its GDAL_NODATA tag is damaged: {error}");
    let Some(value) = tiff.find_tag(Tag::GdalNodata).map_err(damaged)? else { return Ok(None) };
    let text = value.into_string().map_err(damaged)?;
    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(_) => Err(format!("its GDAL_NODATA tag says {text:?}, which is no number")),
    }
}

/// Where the raster lies.
struct Georeference {
    spacing_m: Option<[f64; 2]>,
    north_west_m: Option<[f64; 2]>,
}

impl Georeference {
    fn read(tiff: &mut Tiff, spacing_is_given: bool) -> Result<Georeference, Reason> {
        let none = Georeference { spacing_m: None, north_west_m: None };
        if spacing_is_given {
            // Whoever gives a spacing overrules the file, whose place then means nothing.
            return Ok(none);
        }
        let keys = tag_u16(tiff, Tag::GeoKeyDirectoryTag)?;
        if key(&keys, MODEL_TYPE) == Some(GEOGRAPHIC) {
            return Err("it is in degrees of longitude and latitude; project it to metres first, \
                        for instance with gdalwarp -t_srs EPSG:32632"
                .to_owned());
        }
        if let Some(unit) = key(&keys, LINEAR_UNITS).filter(|&unit| unit != METRE) {
            return Err(format!(
                "its unit of length is EPSG {unit} and not the metre; project it to metres first"
            ));
        }
        let scale = tag_f64(tiff, Tag::ModelPixelScaleTag)?;
        let tie = tag_f64(tiff, Tag::ModelTiepointTag)?;
        if scale.is_empty() {
            let transform = tag_f64(tiff, Tag::ModelTransformationTag)?;
            return if transform.is_empty() { Ok(none) } else { from_transform(&transform, &keys) };
        }
        let [east, south, ..] = scale[..] else {
            return Err("its ModelPixelScale has fewer than two numbers".to_owned());
        };
        let spacing_m = Some([east, south]);
        let [column, row, _, x, y, ..] = tie[..] else {
            return Ok(Georeference { spacing_m, north_west_m: None });
        };
        let middle = sample_offset(&keys);
        let north_west_m = Some([x + (middle - column) * east, y - (middle - row) * south]);
        Ok(Georeference { spacing_m, north_west_m })
    }
}

/// The other way to say it: a matrix, which must not turn the raster.
fn from_transform(matrix: &[f64], keys: &[u16]) -> Result<Georeference, Reason> {
    let [a, b, _, x, d, e, _, y, ..] = *matrix else {
        return Err("its ModelTransformation has fewer than eight numbers".to_owned());
    };
    if b != 0.0 || d != 0.0 || a <= 0.0 || e >= 0.0 {
        return Err("its ModelTransformation turns or mirrors the raster; warp it north up, \
                    for instance with gdalwarp"
            .to_owned());
    }
    let middle = sample_offset(keys);
    let north_west_m = Some([x + middle * a, y + middle * e]);
    Ok(Georeference { spacing_m: Some([a, -e]), north_west_m })
}

/// Where the sample of pixel (0, 0) lies, in pixels.
fn sample_offset(keys: &[u16]) -> f64 {
    if key(keys, RASTER_TYPE) == Some(PIXEL_IS_POINT) { 0.0 } else { 0.5 }
}

/// A short value of the directory: after four numbers of header, four for each key.
fn key(directory: &[u16], wanted: u16) -> Option<u16> {
    let entries = directory.get(4..)?.chunks_exact(4);
    entries.into_iter().find(|entry| entry[0] == wanted && entry[1] == 0).map(|entry| entry[3])
}

fn tag_f64(tiff: &mut Tiff, tag: Tag) -> Result<Vec<f64>, Reason> {
    let damaged = |error| format!("its tag {} is damaged: {error}", tag.to_u16());
    match tiff.find_tag(tag).map_err(damaged)? {
        Some(value) => value.into_f64_vec().map_err(damaged),
        None => Ok(Vec::new()),
    }
}

fn tag_u16(tiff: &mut Tiff, tag: Tag) -> Result<Vec<u16>, Reason> {
    let damaged = |error| format!("its tag {} is damaged: {error}", tag.to_u16());
    match tiff.find_tag(tag).map_err(damaged)? {
        Some(value) => value.into_u16_vec().map_err(damaged),
        None => Ok(Vec::new()),
    }
}
