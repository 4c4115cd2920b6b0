//! Where the plants of a `[[world.plant]]` or the things of a `[[world.ground_object]]` stand:
//! the keys of placement, checked.
//!
//! What leaves: a [`Layout`], which gives the transform of every copy once the ground is known.

use super::file::{AreaFile, AvoidFile, LayoutKeys};
use super::placement;
use crate::Error;
use crate::world::scene::placement::{
    Area, Avoid, DENSEST_PACKING, Ground, MAX_SPOTS, Mask, OnSlope, Pattern, Scatter, Spot, Stance,
};
use glam::{DAffine3, DVec2, DVec3};
use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::PathBuf;
use understory_files::{
    Extent, LayeredToml, NonEmpty, Number, Spanned, UpToBillion, ValueOr, Vector, Whole,
};
use understory_plants::{HeightField, Random};

/// Where copies stand and how.
#[derive(Clone, Debug)]
pub struct Layout {
    places: Places,
    stance: Stance,
    /// Half the side of a patch: the slope is taken over its whole width.
    reach_m: Option<f64>,
    seed: u64,
}

#[derive(Clone, Debug)]
enum Places {
    Scatter(Scatter),
    /// Copies by hand; z is the height above the ground.
    List(Vec<DAffine3>),
}

impl LayoutKeys<'_> {
    /// Checks them; `everywhere` is the area where none is given.
    pub fn check(
        &self,
        layers: &LayeredToml<'_>,
        everywhere: Option<&Area>,
        seed: u64,
    ) -> Result<Layout, Error> {
        let list = self.list(layers)?;
        let listed = list.is_some();
        let places = match list {
            Some(list) => Places::List(list),
            None => Places::Scatter(self.scatter(layers, everywhere, seed)?),
        };
        let scale = match self.scale_range {
            None => [1.0, 1.0],
            Some(range) => {
                let [low, high] = range.get();
                if low > high {
                    let problem = format!("`scale_range` is [{low}, {high}]");
                    let remedy = "give two rising numbers from 0.001 to 1000";
                    return Err(layers.invalid(&range.span(), problem, remedy));
                }
                [low, high]
            }
        };
        let stance = Stance {
            random_turn: self.random_turn.unwrap_or(!listed),
            scale,
            lean_deg: self.lean_deg.map_or(0.0, Number::get),
            sink_m: self.sink_m.map_or(0.0, Number::get),
            on_slope: match self.reach_m {
                Some(_) => OnSlope::Shear,
                None if self.tilt => OnSlope::Tilt,
                None => OnSlope::Upright,
            },
        };
        Ok(Layout { places, stance, reach_m: self.reach_m, seed })
    }

    /// Where a rule that scatters is given.
    fn scatter_span(&self) -> Option<Range<usize>> {
        let rules = [
            self.count.map(Whole::span),
            self.density_per_m2.map(Number::span),
            self.spacing_m.map(Number::span),
            self.rows.map(Spanned::span),
            self.tiles.as_ref().map(|(_, span)| span.clone()),
        ];
        rules.into_iter().flatten().next()
    }

    /// Where any rule for places is given.
    pub fn rule_span(&self) -> Option<Range<usize>> {
        let listed = self.instances.map(NonEmpty::span);
        let listed = listed.or_else(|| self.instances_file.map(Spanned::span));
        self.scatter_span().or(listed).or_else(|| self.area.map(Spanned::span))
    }

    fn list(&self, layers: &LayeredToml<'_>) -> Result<Option<Vec<DAffine3>>, Error> {
        let list = match (self.instances, self.instances_file) {
            (None, None) => return Ok(None),
            (Some(list), None) => {
                let copies = list.get_ref().iter().map(|p| placement::placement(layers, p));
                copies.collect::<Result<Vec<_>, _>>()?
            }
            (None, Some(file)) => placement::read_csv(&layers.file(&file.span(), file.get_ref())?)?,
            (Some(list), Some(_)) => {
                let problem = "both `instances` and `instances_file` are given";
                return Err(layers.invalid(&list.span(), problem, "keep one of them"));
            }
        };
        match self.scatter_span() {
            Some(span) => Err(layers.invalid(
                &span,
                "there are both a list of copies and a rule that scatters them",
                "keep one of them",
            )),
            None => Ok(Some(list)),
        }
    }

    fn scatter(
        &self,
        layers: &LayeredToml<'_>,
        everywhere: Option<&Area>,
        seed: u64,
    ) -> Result<Scatter, Error> {
        let area = match (self.area, everywhere) {
            (Some(file), _) => check_area(layers, file)?,
            (None, Some(area)) => area.clone(),
            (None, None) => {
                let problem = "nothing says where these stand";
                let remedy = "add `area`, `instances`, or a [world.terrain] to stand all over";
                return Err(layers.invalid(&self.span, problem, remedy));
            }
        };
        let (pattern, span) = self.pattern(layers)?;
        let avoid = self.avoid.iter().map(|file| check_avoid(layers, file));
        let scatter = Scatter {
            area,
            avoid: avoid.collect::<Result<_, _>>()?,
            mask: self.mask.map(|file| read_mask(layers, file)).transpose()?,
            pattern,
            count: self.count.map(|count| count.get() as usize),
            seed,
        };
        let count = scatter.expected_count().max(scatter.trial_count() / 4.0);
        if count.is_nan() || count > MAX_SPOTS {
            return Err(layers.invalid(
                &span,
                format!("about {count:.3e} copies would stand there"),
                format!("ask for at most {MAX_SPOTS:.0}: fewer, farther apart, or in less space"),
            ));
        }
        Ok(scatter)
    }

    /// The pattern, and the key that asks for it.
    fn pattern(&self, layers: &LayeredToml<'_>) -> Result<(Pattern, Range<usize>), Error> {
        let density = self.density_per_m2;
        let density_per_m2 = density.map(Number::get);
        if let (Some(count), Some(_)) = (self.count, density) {
            let problem = "both `count` and `density_per_m2` say how many";
            return Err(layers.invalid(&count.span(), problem, "keep one of them"));
        }
        match (density, self.spacing_m, self.rows, &self.tiles) {
            (None, None, None, None) if let Some(count) = self.count => {
                Ok((Pattern::Uniform { density_per_m2: 0.0 }, count.span()))
            }
            (Some(density), None, None, None) => {
                let density_per_m2 = density_per_m2.unwrap_or_default();
                Ok((Pattern::Uniform { density_per_m2 }, density.span()))
            }
            (_, Some(spacing), None, None) => {
                let spacing_m = spacing.get();
                let most = DENSEST_PACKING / (spacing_m * spacing_m);
                if let (Some(key), Some(wanted)) = (density, density_per_m2)
                    && wanted > most
                {
                    return Err(layers.invalid(
                        &key.span(),
                        format!("{wanted} per m² cannot stand {spacing_m} m apart"),
                        format!("at most {most:.4} per m² can; give less of one of them"),
                    ));
                }
                Ok((Pattern::Spaced { spacing_m, density_per_m2 }, spacing.span()))
            }
            (None, None, Some(rows), None) if self.count.is_none() => {
                let (file, span) = (rows.get_ref(), rows.span());
                let pattern = Pattern::Rows {
                    spacing_m: file.spacing_m.get(),
                    in_row_m: file.in_row_m.get(),
                    heading_deg: file.heading_deg.value_or(0.0),
                    jitter_m: file.jitter_m.value_or(0.0),
                };
                Ok((pattern, span))
            }
            (None, None, None, Some((side_m, span))) if self.count.is_none() => {
                Ok((Pattern::Tiles { side_m: *side_m }, span.clone()))
            }
            _ => Err(layers.invalid(
                &self.span,
                "not exactly one rule says how these are spread",
                "give one of `count`, `density_per_m2`, `spacing_m`, `rows`, `tiles`, `instances` and \
                 `instances_file`; only `spacing_m` goes with `count` or `density_per_m2`",
            )),
        }
    }
}

impl Layout {
    /// About how many copies there will be.
    pub fn expected_count(&self) -> f64 {
        match &self.places {
            Places::Scatter(scatter) => scatter.expected_count(),
            Places::List(list) => list.len() as f64,
        }
    }

    /// Whether a copy of no height would lie in the ground.
    pub fn lies_in_ground(&self) -> bool {
        matches!(self.places, Places::Scatter(_)) && self.stance.sink_m >= 0.0
    }

    /// The same where copies are this large around their place: those that are tilted lie on the
    /// slope across it.
    pub fn with_footprint(mut self, radius_m: f64) -> Layout {
        if self.stance.on_slope == OnSlope::Tilt && radius_m > 0.0 {
            self.reach_m = Some(radius_m);
        }
        self
    }

    /// `world_from_copy` of every copy on the ground, and a random number for each; an error names
    /// `location`. Without ground they stand on z = 0.
    pub fn place(
        &self,
        ground: Option<&HeightField>,
        location: &str,
    ) -> Result<Vec<(DAffine3, u64)>, Error> {
        let root = Random::new(self.seed);
        let mut off_ground = 0usize;
        let mut copies = Vec::new();
        let mut stand = |index: usize, spot: Spot, own: DAffine3| {
            let mut random = root.fork(3 + index as u64);
            match ground_at(ground, spot.position_m, self.reach_m) {
                Some(ground) => {
                    let base = self.stance.place(&spot, ground, &mut random);
                    let up = DVec3::new(0.0, 0.0, own.translation.z);
                    let placed = DAffine3 {
                        matrix3: base.matrix3 * own.matrix3,
                        translation: base.translation + up,
                    };
                    copies.push((placed, random.next_u64()));
                }
                None => off_ground += 1,
            }
        };
        match &self.places {
            Places::Scatter(scatter) => {
                for (index, spot) in scatter.spots().into_iter().enumerate() {
                    stand(index, spot, DAffine3::IDENTITY);
                }
            }
            Places::List(list) => {
                for (index, own) in list.iter().enumerate() {
                    stand(index, Spot::at(own.translation.truncate()), *own);
                }
            }
        }
        if off_ground > 0 {
            return Err(Error::invalid(
                location,
                format!(
                    "{off_ground} of {} copies lie beyond the terrain",
                    off_ground + copies.len()
                ),
                "make the terrain larger or the area smaller",
            ));
        }
        if let Places::Scatter(Scatter { count: Some(wanted), .. }) = &self.places
            && copies.len() < *wanted
        {
            return Err(Error::invalid(
                location,
                format!("only {} of {wanted} copies fit", copies.len()),
                "ask for fewer, nearer together, or in more space",
            ));
        }
        if copies.is_empty() {
            tracing::warn!(
                "{location}: no copy stands anywhere; widen the area or raise the density"
            );
        }
        Ok(copies)
    }
}

/// Height of the ground at a place, none beyond its edge, and its slope: over `reach` to all four
/// sides, or that of its triangle where there is no reach or an edge is too near.
fn ground_at(ground: Option<&HeightField>, place: DVec2, reach: Option<f64>) -> Option<Ground> {
    let Some(field) = ground else { return Some(Ground::default()) };
    let height_m = field.height_at(place.x, place.y)?;
    let rise = |axis: DVec2| {
        let reach = reach?;
        let (back, ahead) = (place - axis * reach, place + axis * reach);
        let rise = field.height_at(ahead.x, ahead.y)? - field.height_at(back.x, back.y)?;
        Some(rise / (2.0 * reach))
    };
    let slope = match (rise(DVec2::X), rise(DVec2::Y)) {
        (Some(x), Some(y)) => DVec2::new(x, y),
        _ => {
            let normal = field.normal_at(place.x, place.y)?;
            -normal.truncate() / normal.z
        }
    };
    Some(Ground { height_m, slope })
}

fn check_area(layers: &LayeredToml<'_>, file: &Spanned<AreaFile>) -> Result<Area, Error> {
    let AreaFile { centre_m, size_m, radius_m, polygon_m } = file.get_ref();
    let keys = (centre_m.as_ref(), size_m.as_ref(), radius_m.as_ref(), polygon_m.as_deref());
    area(keys).ok_or_else(|| {
        layers.invalid(
            &file.span(),
            "this is no area",
            "give `size_m` (two lengths above 0) or `radius_m`, both with `centre_m` as wanted, or \
             `polygon_m` with three or more corners",
        )
    })
}

fn check_avoid(layers: &LayeredToml<'_>, file: &Spanned<AvoidFile>) -> Result<Avoid, Error> {
    let AvoidFile { centre_m, size_m, radius_m, polygon_m, line_m, width_m } = file.get_ref();
    let keys = (centre_m.as_ref(), size_m.as_ref(), radius_m.as_ref(), polygon_m.as_deref());
    let avoid = match (line_m, width_m, keys) {
        (None, None, keys) => area(keys).map(Avoid::Area),
        (Some(line), Some(width), (None, None, None, None)) => {
            points(line, 2).map(|points_m| Avoid::Way { points_m, width_m: width.get() })
        }
        _ => None,
    };
    avoid.ok_or_else(|| {
        layers.invalid(
            &file.span(),
            "this is nothing that can be avoided",
            "give `size_m` or `radius_m`, both with `centre_m` as wanted, or `polygon_m`, or \
             `line_m` (two or more points) with `width_m`",
        )
    })
}

/// `centre_m`, `size_m`, `radius_m` and `polygon_m` of a table.
type AreaKeys<'a> = (
    Option<&'a Vector<2>>,
    Option<&'a Vector<2, UpToBillion>>,
    Option<&'a Extent>,
    Option<&'a [Vector<2>]>,
);

/// An area, if exactly one kind is given.
fn area((centre_m, size_m, radius_m, polygon_m): AreaKeys<'_>) -> Option<Area> {
    let centre = DVec2::from(centre_m.map_or([0.0; 2], Vector::get));
    match (size_m, radius_m, polygon_m) {
        (Some(size), None, None) => {
            Some(Area::Rectangle { centre_m: centre, size_m: DVec2::from(size.get()) })
        }
        (None, Some(radius), None) => Some(Area::Disc { centre_m: centre, radius_m: radius.get() }),
        (None, None, Some(corners)) if centre_m.is_none() => {
            points(corners, 3).map(Area::Polygon).filter(|area| area.area_m2() > 0.0)
        }
        _ => None,
    }
}

fn points(list: &[Vector<2>], least: usize) -> Option<Vec<DVec2>> {
    (list.len() >= least).then(|| list.iter().map(|point| DVec2::from(point.get())).collect())
}

/// Reads a mask; the size in its header is checked before its pixels are read.
fn read_mask(layers: &LayeredToml<'_>, file: &Spanned<PathBuf>) -> Result<Mask, Error> {
    const MAX_PIXELS: u32 = 16_384;
    let path = layers.file(&file.span(), file.get_ref())?;
    let refuse = |error: &dyn std::fmt::Display| {
        layers.invalid(
            &file.span(),
            format!("{} is no readable mask: {error}", path.display()),
            format!("give a PNG of at most {MAX_PIXELS} × {MAX_PIXELS} pixels"),
        )
    };
    let file = File::open(&path).map_err(|error| refuse(&error))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|error| refuse(&error))?;
    let (width, height) = reader.info().size();
    if width > MAX_PIXELS || height > MAX_PIXELS {
        return Err(refuse(&format!("it has {width} × {height} pixels")));
    }
    let size = reader.output_buffer_size().ok_or_else(|| refuse(&"it is too large"))?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).map_err(|error| refuse(&error))?;
    bytes.truncate(frame.buffer_size());
    if frame.bit_depth == png::BitDepth::Sixteen {
        let samples = bytes.chunks_exact(2).map(|b| u32::from(u16::from_be_bytes([b[0], b[1]])));
        bytes = samples.map(|sample| ((sample + 128) / 257) as u8).collect();
    }
    let channels = frame.color_type.samples();
    // Colours count by their luminance (ITU-R BT.709); what is transparent counts as its colour.
    let grey = |pixel: &[u8]| match *pixel {
        [red, green, blue, ..] => {
            let sum = 2126 * u32::from(red) + 7152 * u32::from(green) + 722 * u32::from(blue);
            (sum / 10_000) as u8
        }
        [grey, ..] => grey,
        [] => 0,
    };
    let greys = bytes.chunks_exact(channels).map(grey).collect();
    let (width, height) = (width as usize, height as usize);
    Mask::new(width, height, greys).ok_or_else(|| refuse(&"it has no pixels"))
}
