//! Holes of glTF materials: `alphaMode = "MASK"` with its cutoff and the alpha of the base colour.
//!
//! What enters: the materials of a file and its images, as PNG in a buffer, a `data:` address or a
//! file beside it. What leaves: an [`AlphaImage`] for each masked material, and where its image
//! coordinates come from. JPEG has no alpha. An image's size is read before its pixels, and all
//! images of a file together are bounded.

use super::beside::read_beside;
use super::gltf_accessor::{Buffer, refuse};
use super::gltf_uri::{base64, percent_decoded};
use crate::Error;
use gltf::Gltf;
use gltf::material::AlphaMode;
use gltf::texture::{MagFilter, WrappingMode};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use understory_base::math;
use understory_geometry::{AlphaImage, Texels, Wrap};

/// Most pixels along a side of an image.
const SIDE_MAX: u32 = 16_384;
/// Most pixels of an image.
const IMAGE_PIXELS_MAX: u64 = 1 << 26;
/// Most bytes of the file of an image.
const IMAGE_BYTES_MAX: u64 = 4 * IMAGE_PIXELS_MAX;
/// Most pixels of all images of a file.
const PIXELS_MAX: u64 = 1 << 28;

/// Which image coordinates a material uses, and what is done to them.
#[derive(Clone, Copy, Debug)]
pub struct ImageCoordinates {
    /// Number of the set, `TEXCOORD_n`.
    pub set: u32,
    /// Rows of `uv' = A · uv + b`, by `KHR_texture_transform`.
    rows: [[f32; 3]; 2],
}

impl ImageCoordinates {
    fn of(info: &gltf::texture::Info) -> ImageCoordinates {
        let plain = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let Some(transform) = info.texture_transform() else {
            return ImageCoordinates { set: info.tex_coord(), rows: plain };
        };
        let ([x, y], [sx, sy]) = (transform.offset(), transform.scale());
        let (sin, cos) = math::sin_cos(transform.rotation());
        ImageCoordinates {
            set: transform.tex_coord().unwrap_or_else(|| info.tex_coord()),
            rows: [[cos * sx, sin * sy, x], [-sin * sx, cos * sy, y]],
        }
    }

    /// Where the image is read for these coordinates of a vertex.
    pub fn place(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        self.rows.map(|[a, b, c]| a * u + b * v + c)
    }
}

/// A material with holes.
pub struct MaskedMaterial {
    /// Where they are.
    pub image: Arc<AlphaImage>,
    /// How the image lies on triangles; none: it is the same everywhere.
    pub coordinates: Option<ImageCoordinates>,
}

/// Width and alpha of an image that has been read.
type Alpha = (usize, Arc<[u8]>);

/// Reads the masks of a file's materials.
pub struct AlphaReader<'a> {
    pub path: &'a Path,
    pub gltf: &'a Gltf,
    pub buffers: &'a [Buffer],
    /// By the number of the image; none: it has no alpha.
    read: BTreeMap<usize, Option<Alpha>>,
    pixels: u64,
    /// Images that lie beside the file.
    pub side_files: Vec<PathBuf>,
}

impl<'a> AlphaReader<'a> {
    pub fn new(path: &'a Path, gltf: &'a Gltf, buffers: &'a [Buffer]) -> AlphaReader<'a> {
        let (read, side_files) = (BTreeMap::new(), Vec::new());
        AlphaReader { path, gltf, buffers, read, pixels: 0, side_files }
    }

    /// The mask of each material, in their order.
    pub fn materials(&mut self) -> Result<Vec<Option<MaskedMaterial>>, Error> {
        self.gltf.document.materials().map(|material| self.mask(&material)).collect()
    }

    fn mask(&mut self, material: &gltf::Material) -> Result<Option<MaskedMaterial>, Error> {
        if material.alpha_mode() != AlphaMode::Mask {
            return Ok(None);
        }
        let cutoff = material.alpha_cutoff().unwrap_or(0.5);
        let pbr = material.pbr_metallic_roughness();
        let factor = pbr.base_color_factor()[3];
        let even = || {
            // Without an image a material is there or not.
            let image = Arc::new(AlphaImage::uniform(factor >= cutoff));
            (factor < cutoff).then_some(MaskedMaterial { image, coordinates: None })
        };
        let Some(info) = pbr.base_color_texture() else { return Ok(even()) };
        let texture = info.texture();
        let Some((width, alpha)) = self.alpha(&texture.source())? else { return Ok(even()) };
        let sampler = texture.sampler();
        let wrap = |mode: WrappingMode| match mode {
            WrappingMode::Repeat => Wrap::Repeat,
            WrappingMode::MirroredRepeat => Wrap::Mirror,
            WrappingMode::ClampToEdge => Wrap::Clamp,
        };
        let texels = match sampler.mag_filter() {
            Some(MagFilter::Nearest) => Texels::Nearest,
            Some(MagFilter::Linear) | None => Texels::Linear,
        };
        let wrap = [wrap(sampler.wrap_s()), wrap(sampler.wrap_t())];
        let image = AlphaImage::new(width, alpha, wrap, texels, factor, cutoff)
            .map_err(|error| refuse(self.path, error.to_string(), "export it smaller"))?;
        let coordinates = Some(ImageCoordinates::of(&info));
        Ok(Some(MaskedMaterial { image: Arc::new(image), coordinates }))
    }

    /// Width and alpha of an image; none: it has none.
    fn alpha(&mut self, image: &gltf::Image) -> Result<Option<Alpha>, Error> {
        if let Some(known) = self.read.get(&image.index()) {
            return Ok(known.clone());
        }
        let bytes = self.bytes(image)?;
        let alpha = match bytes.as_slice() {
            [0xff, 0xd8, 0xff, ..] => None,
            png => self.png(image.index(), png)?,
        };
        self.read.insert(image.index(), alpha.clone());
        Ok(alpha)
    }

    fn bytes(&mut self, image: &gltf::Image) -> Result<Vec<u8>, Error> {
        let index = image.index();
        let missing = || {
            let problem = format!("the data of image {index} are missing or of an unknown kind");
            refuse(self.path, problem, "export with the images in the file or beside it")
        };
        // `gltf::Image::source` takes for granted what a damaged file may lack.
        let document = &self.gltf.document;
        let json = document.as_json().images.get(index).ok_or_else(missing)?;
        let view = json.buffer_view.and_then(|view| document.views().nth(view.value()));
        match (view, &json.uri) {
            (Some(view), _) => {
                let buffer = self.buffers.get(view.buffer().index());
                let end = view.offset().checked_add(view.length());
                let bytes = buffer.zip(end).and_then(|(b, end)| b.get(view.offset()..end));
                bytes.map(<[u8]>::to_vec).ok_or_else(missing)
            }
            (None, None) => Err(missing()),
            (None, Some(uri)) => match uri.strip_prefix("data:") {
                Some(data) => data
                    .split_once(";base64,")
                    .and_then(|(_, text)| base64(text))
                    .ok_or_else(missing),
                None if uri.contains("://") => Err(missing()),
                None => {
                    let name = PathBuf::from(percent_decoded(uri));
                    let what = format!("its image {index}, the holes of a masked material");
                    let bytes = read_beside(self.path, &what, &name, IMAGE_BYTES_MAX)?;
                    self.side_files.push(name);
                    Ok(bytes)
                }
            },
        }
    }

    fn png(&mut self, index: usize, bytes: &[u8]) -> Result<Option<Alpha>, Error> {
        let bad = |error: &dyn std::fmt::Display| {
            let problem = format!("image {index} of a masked material cannot be read: {error}");
            refuse(self.path, problem, "export its textures as PNG or JPEG")
        };
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(|error| bad(&error))?;
        let (width, height) = reader.info().size();
        let own = u64::from(width) * u64::from(height);
        let pixels = self.pixels + own;
        let small = width <= SIDE_MAX && height <= SIDE_MAX && own <= IMAGE_PIXELS_MAX;
        if !small || pixels > PIXELS_MAX {
            let problem =
                format!("image {index} of a masked material has {width} × {height} pixels");
            let remedy = format!(
                "export it smaller: {IMAGE_PIXELS_MAX} pixels in an image and {PIXELS_MAX} in all \
                 are read"
            );
            return Err(refuse(self.path, problem, &remedy));
        }
        let (colour, depth) = reader.output_color_type();
        let channels = colour.samples();
        if !matches!(colour, png::ColorType::GrayscaleAlpha | png::ColorType::Rgba) {
            return Ok(None);
        }
        let bytes_per_sample = if depth == png::BitDepth::Sixteen { 2 } else { 1 };
        // The whole picture at once: interlaced ones have no rows before the end.
        let size = reader.output_buffer_size().ok_or_else(|| bad(&"it is too large"))?;
        let mut picture = vec![0; size];
        let frame = reader.next_frame(&mut picture).map_err(|error| bad(&error))?;
        picture.truncate(frame.buffer_size());
        let pixel = channels * bytes_per_sample;
        let of_pixel = |pixel: &[u8]| match pixel {
            [.., high, low] if bytes_per_sample == 2 => {
                ((u32::from(u16::from_be_bytes([*high, *low])) + 128) / 257) as u8
            }
            [.., alpha] => *alpha,
            [] => 255,
        };
        let alpha: Arc<[u8]> = picture.chunks_exact(pixel).map(of_pixel).collect();
        self.pixels = pixels;
        Ok(Some((width as usize, alpha)))
    }
}
