//! `[[world.material]]`: what a surface does with light.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{Fraction, Number, Spanned, Within, limits};

limits! {
    /// Below the least, facets are a mirror.
    Roughness: 0.005..=2.0;
    /// Half-angle of a cone of light.
    ConeDeg: 0.01..=90.0;
    /// From vacuum to germanium in the infrared.
    RefractiveIndex: 1.0..=4.1;
}

/// A material of the scenario's own; one with the name of a library material replaces it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialFile {
    /// Name that objects use.
    pub name: Spanned<String>,
    /// Diffuse reflectance: a number from 0 to 1, or rows [wavelength in nm, number] by rising
    /// wavelength, linear between them. May be left out beside `mirror`, `glass` and `retro`.
    #[schemars(with = "Option<Spectral>")]
    pub reflectance: Option<Spanned<toml::Value>>,
    /// Instead of `reflectance`: diffuse materials and their shares of the surface, which sum to 1.
    pub mixture: Option<Spanned<BTreeMap<String, Fraction>>>,
    /// Share of the light that goes on as from a mirror; 0 where nothing is said.
    pub mirror: Option<Fraction>,
    /// Facets that reflect, as of wet leaves and paint.
    pub gloss: Option<Spanned<GlossFile>>,
    /// Light that goes back whence it came.
    pub retro: Option<Spanned<RetroFile>>,
    /// Light passes and is reflected by Fresnel's equations.
    pub glass: Option<Spanned<GlassFile>>,
    /// Colour in pictures, `"#rrggbb"` or `"#rgb"`; a grey where nothing is said.
    pub color: Option<Spanned<String>>,
}

/// A file of materials that several scenarios share.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialsFile {
    /// The materials.
    pub material: Vec<MaterialFile>,
}

/// Facets whose slopes are Beckmann's.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlossFile {
    /// Share of the light that they reflect.
    pub share: Fraction,
    /// Root mean square of their slopes.
    pub roughness: Number<Roughness>,
}

/// A retroreflector; 0.3 into 1° is 985 times white.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetroFile {
    /// Share of the light that goes back.
    pub share: Fraction,
    /// Half-angle of the cone into which it goes; 1 where nothing is said.
    pub cone_deg: Option<Number<ConeDeg>>,
    /// Greatest angle of incidence; 45 where nothing is said.
    pub incidence_max_deg: Option<Within<0, 90>>,
}

/// A clear body. Clear bodies may not touch or hold each other.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlassFile {
    /// Index of refraction.
    pub index: Number<RefractiveIndex>,
    /// Thin or thick.
    pub kind: GlassKind,
    /// What a thick body takes: a number, or rows [wavelength in nm, number] by rising wavelength.
    #[schemars(with = "Option<Spectral>")]
    pub absorption_per_m: Option<Spanned<toml::Value>>,
}

/// Thin or thick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum GlassKind {
    /// A pane without thickness: light goes straight on.
    #[serde(rename = "pane")]
    ThinDielectric,
    /// A body in which light bends, is slower by the index and is absorbed.
    #[serde(rename = "solid")]
    Dielectric,
}

/// A number for all wavelengths, or rows of wavelength and number.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a value in the schema")]
enum Spectral {
    /// The same at all wavelengths.
    Number(f64),
    /// [wavelength in nm, number] by rising wavelength.
    Rows(Vec<[f64; 2]>),
}
