//! `[[world.material]]` and shared material files, checked.
//!
//! What enters: a material as typed. What leaves: a [`Material`] whose numbers are physical:
//! reflectances 0…1, no more light sent on than came, indices of refraction from 1. More than 1
//! comes back from a retroreflector only, and only because its light is not spread.

use super::file::{GlassFile, GlassKind, MaterialFile, MaterialsFile, WorldFile};
use super::number;
use crate::Error;
use crate::world::scene::material::{Material, Spectrum};
use crate::world::scene::surface_optics::{Body, Finish, Gloss, Retro};
use understory_base::bounded_file;
use understory_files::hint::word_remedy;
use understory_files::{LayeredToml, Spanned, ValueOr};

/// Light beyond this is taken by less than a hair's breadth.
const ABSORPTION_MAX_PER_M: f64 = 1e6;

/// The materials of a world: those of its files, then its own, which may not share a name.
pub fn check_materials(layers: &LayeredToml<'_>, file: &WorldFile) -> Result<Vec<Material>, Error> {
    let mut materials = Vec::new();
    for path in &file.material_files {
        let full = layers.file(&path.span(), path.get_ref())?;
        let text = bounded_file::read_text(&full)
            .map_err(|source| Error::Read { path: full.clone(), source })?;
        let location = full.display().to_string();
        let shared_layers = layers.for_file(&text, &location);
        let shared: MaterialsFile = shared_layers.parse()?;
        add(&shared_layers, &shared.material, &mut materials)?;
    }
    add(layers, &file.material, &mut materials)?;
    Ok(materials)
}

fn add(
    layers: &LayeredToml<'_>,
    entries: &[MaterialFile],
    materials: &mut Vec<Material>,
) -> Result<(), Error> {
    for entry in entries {
        let material = check_material(layers, entry, materials)?;
        if materials.iter().any(|known| known.name == material.name) {
            return Err(layers.invalid(
                &entry.name.span(),
                format!("there is another material called {:?}", material.name),
                "give each a name of its own",
            ));
        }
        materials.push(material);
    }
    Ok(())
}

/// The scenario's own material of this name, else the library's.
pub fn material(own: &[Material], name: &str) -> Option<Material> {
    let own = own.iter().find(|material| material.name == name).cloned();
    own.or_else(|| Material::from_library(name))
}

/// Like [`material`], with an error that names those there are.
pub fn named(
    layers: &LayeredToml<'_>,
    own: &[Material],
    name: &Spanned<String>,
) -> Result<Material, Error> {
    material(own, name.get_ref()).ok_or_else(|| {
        let own = own.iter().map(|material| material.name.as_str());
        let known: Vec<&str> = own.chain(Material::library().map(|(name, _)| name)).collect();
        layers.invalid(
            &name.span(),
            format!("there is no material {:?}", name.get_ref()),
            word_remedy(name.get_ref(), &known),
        )
    })
}

fn check_material(
    layers: &LayeredToml<'_>,
    file: &MaterialFile,
    own: &[Material],
) -> Result<Material, Error> {
    let reflectance = check_reflectance(layers, file, own)?;
    let grey = (reflectance.at(905.0).sqrt() * 255.0) as u8;
    let colour = match &file.color {
        None => [grey; 3],
        Some(text) => colour(text.get_ref()).ok_or_else(|| -> Error {
            layers.invalid(
                &text.span(),
                format!("{:?} is no colour", text.get_ref()),
                "write \"#rrggbb\" or \"#rgb\" with hexadecimal digits",
            )
        })?,
    };
    let (body, absorption_per_m) = match &file.glass {
        None => (Body::Opaque, Spectrum::ZERO),
        Some(glass) => check_glass(layers, glass.get_ref())?,
    };
    let finish = check_finish(layers, file, body, reflectance.largest())?;
    let name = file.name.get_ref().clone();
    Ok(Material { name, reflectance, colour, finish, absorption_per_m })
}

/// `reflectance`, `mixture`, or 0 where the light does something else.
fn check_reflectance(
    layers: &LayeredToml<'_>,
    file: &MaterialFile,
    own: &[Material],
) -> Result<Spectrum, Error> {
    match (&file.reflectance, &file.mixture) {
        (Some(value), None) => spectrum(value.get_ref(), Spectrum::table).ok_or_else(|| {
            layers.invalid(
                &value.span(),
                format!("`reflectance` is {}", value.get_ref()),
                "give a number from 0 to 1, or rows [wavelength in nm, number] by rising \
                 wavelength; more than 1 comes back from a retroreflector only: give it `retro`",
            )
        }),
        (None, Some(mixture)) => {
            let mut parts = Vec::new();
            for (name, share) in mixture.get_ref() {
                let part = named(layers, own, &Spanned::new(share.span(), name.clone()))?;
                if part.finish != Finish::default() {
                    return Err(layers.invalid(
                        &share.span(),
                        format!("{name:?} does more than reflect diffusely"),
                        "mix diffuse materials, and give the mixture's own `mirror`, `gloss`, \
                         `retro` or `glass`",
                    ));
                }
                parts.push((share.get(), part.reflectance));
            }
            let sum: f64 = parts.iter().map(|(share, _)| share).sum();
            if (sum - 1.0).abs() > 1e-6 {
                return Err(layers.invalid(
                    &mixture.span(),
                    format!("the shares of this mixture sum to {sum:.4}"),
                    "make them sum to 1",
                ));
            }
            Ok(Spectrum::mixture(&parts))
        }
        (Some(value), Some(_)) => Err(layers.invalid(
            &value.span(),
            "there is a `reflectance` and a `mixture`",
            "keep one of them",
        )),
        (None, None) if file.mirror.is_some() || file.glass.is_some() || file.retro.is_some() => {
            Ok(Spectrum::ZERO)
        }
        (None, None) => Err(layers.invalid(
            &file.name.span(),
            format!("material {:?} has no `reflectance`", file.name.get_ref()),
            "give a number from 0 to 1 or a `mixture`",
        )),
    }
}

fn check_finish(
    layers: &LayeredToml<'_>,
    file: &MaterialFile,
    body: Body,
    reflectance_max: f64,
) -> Result<Finish, Error> {
    let mirror = file.mirror.value_or(0.0);
    let gloss = file
        .gloss
        .as_ref()
        .map(Spanned::get_ref)
        .map(|typed| Gloss { share: typed.share.get(), roughness: typed.roughness.get() });
    let retro = file.retro.as_ref().map(Spanned::get_ref).map(|typed| Retro {
        share: typed.share.get(),
        cone_rad: typed.cone_deg.value_or(1.0).to_radians(),
        incidence_max_rad: typed.incidence_max_deg.value_or(45.0).to_radians(),
    });
    if mirror > 0.0 && body != Body::Opaque {
        return Err(layers.invalid(
            &file.name.span(),
            format!("material {:?} has a `mirror` and is `glass`", file.name.get_ref()),
            "leave `mirror` away: glass reflects by its index of refraction",
        ));
    }
    let shares = [
        reflectance_max,
        mirror,
        gloss.map_or(0.0, |gloss: Gloss| gloss.share),
        retro.map_or(0.0, |retro: Retro| retro.share),
    ];
    let sum: f64 = shares.iter().sum();
    if sum > 1.0 + 1e-9 {
        return Err(layers.invalid(
            &file.name.span(),
            format!(
                "material {:?} sends on {sum:.3} of the light that it gets",
                file.name.get_ref()
            ),
            "make `reflectance` and the shares of `mirror`, `gloss` and `retro` sum to at most 1",
        ));
    }
    Ok(Finish { mirror, gloss, retro, body })
}

fn check_glass(layers: &LayeredToml<'_>, glass: &GlassFile) -> Result<(Body, Spectrum), Error> {
    let index = glass.index.get();
    match (glass.kind, &glass.absorption_per_m) {
        (GlassKind::ThinDielectric, None) => Ok((Body::ThinDielectric { index }, Spectrum::ZERO)),
        (GlassKind::ThinDielectric, Some(value)) => Err(layers.invalid(
            &value.span(),
            "a pane has no thickness in which it could absorb",
            "leave `absorption_per_m` away or write kind = \"solid\"",
        )),
        (GlassKind::Dielectric, None) => Ok((Body::Dielectric { index }, Spectrum::ZERO)),
        (GlassKind::Dielectric, Some(value)) => {
            let table = |pairs| Spectrum::up_to(pairs, ABSORPTION_MAX_PER_M);
            let absorption = spectrum(value.get_ref(), table).ok_or_else(|| -> Error {
                layers.invalid(
                    &value.span(),
                    format!("`absorption_per_m` is {}", value.get_ref()),
                    "give a number from 0 to 1e6, or rows [wavelength in nm, number] by rising \
                     wavelength",
                )
            })?;
            Ok((Body::Dielectric { index }, absorption))
        }
    }
}

/// A number, or rows of wavelength and number.
fn spectrum(
    value: &toml::Value,
    table: impl FnOnce(Vec<(f64, f64)>) -> Option<Spectrum>,
) -> Option<Spectrum> {
    let pair = |value: &toml::Value| match value.as_array().map(Vec::as_slice) {
        Some([nm, value]) => Some((number::number(nm)?, number::number(value)?)),
        _ => None,
    };
    match value {
        toml::Value::Array(rows) => rows.iter().map(pair).collect::<Option<_>>().and_then(table),
        one => number::number(one).and_then(|value| table(vec![(0.0, value)])),
    }
}

fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    let digits: Vec<u8> =
        digits.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    match digits[..] {
        [r, g, b] => Some([r * 17, g * 17, b * 17]),
        [r, r2, g, g2, b, b2] => Some([r * 16 + r2, g * 16 + g2, b * 16 + b2]),
        _ => None,
    }
}
