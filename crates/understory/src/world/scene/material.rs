//! Materials: how much light a surface sends back, by wavelength.
//!
//! What enters: a number or a table of reflectance ρ over wavelength, or a name of the library.
//! What leaves: ρ at the wavelength of a sensor. It is the part of the light that a Lambertian
//! surface scatters back into the half-space, 0…1. What a surface does besides is its [`Finish`].

use super::surface_optics::{Body, Finish, Optics, Retro};
use std::borrow::Cow;

/// Reflectance over wavelength.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum(Cow<'static, [(f64, f64)]>);

/// What a surface is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Lambertian reflectance.
    pub reflectance: Spectrum,
    /// Colour in pictures, sRGB.
    pub colour: [u8; 3],
    /// What it does besides scattering diffusely.
    pub finish: Finish,
    /// Absorption of light in a clear body.
    pub absorption_per_m: Spectrum,
}

impl Spectrum {
    /// The same at every wavelength; `None` unless it is 0…1.
    pub fn constant(reflectance: f64) -> Option<Spectrum> {
        Spectrum::table(vec![(0.0, reflectance)])
    }

    /// From (wavelength in nm, reflectance); `None` unless there is at least one pair,
    /// wavelengths rise and reflectances are 0…1.
    pub fn table(pairs: Vec<(f64, f64)>) -> Option<Spectrum> {
        Spectrum::up_to(pairs, 1.0)
    }

    /// Like [`Spectrum::table`], for quantities from 0 to `max`.
    pub fn up_to(pairs: Vec<(f64, f64)>, max: f64) -> Option<Spectrum> {
        let rising = pairs.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let valid = pairs.iter().all(|(nm, value)| nm.is_finite() && (0.0..=max).contains(value));
        (rising && valid && !pairs.is_empty()).then_some(Spectrum(Cow::Owned(pairs)))
    }

    /// Nothing at any wavelength.
    pub const ZERO: Spectrum = Spectrum(Cow::Borrowed(&[(0.0, 0.0)]));

    /// The mean of spectra by their shares, exact at all of their wavelengths and between.
    pub fn mixture(parts: &[(f64, Spectrum)]) -> Spectrum {
        let mut wavelengths: Vec<f64> =
            parts.iter().flat_map(|(_, part)| part.0.iter().map(|(nm, _)| *nm)).collect();
        wavelengths.sort_by(f64::total_cmp);
        wavelengths.dedup();
        if wavelengths.is_empty() {
            return Spectrum::ZERO;
        }
        let mean = |nm: f64| parts.iter().map(|(share, part)| share * part.at(nm)).sum();
        Spectrum(wavelengths.into_iter().map(|nm| (nm, mean(nm))).collect())
    }

    /// Its largest value.
    pub fn largest(&self) -> f64 {
        self.0.iter().map(|(_, value)| *value).fold(0.0, f64::max)
    }

    /// Reflectance at a wavelength: linear between the pairs of the table, and beyond its ends
    /// that of the end.
    pub fn at(&self, wavelength_nm: f64) -> f64 {
        let next = self.0.partition_point(|(nm, _)| *nm <= wavelength_nm);
        let before = self.0[next.saturating_sub(1)];
        let Some(after) = self.0.get(next).filter(|_| next > 0) else { return before.1 };
        let share = (wavelength_nm - before.0) / (after.0 - before.0);
        before.1 + share * (after.1 - before.1)
    }
}

impl Material {
    /// The material that surfaces have of which nothing is said: ρ = 0.5 everywhere.
    pub const DEFAULT_NAME: &'static str = "grey";

    /// A material that scatters diffusely and does nothing else.
    pub fn diffuse(name: &str, reflectance: Spectrum, colour: [u8; 3]) -> Material {
        let absorption_per_m = Spectrum::ZERO;
        let finish = Finish::default();
        Material { name: name.to_owned(), reflectance, colour, finish, absorption_per_m }
    }

    /// What it does with light of one wavelength.
    pub fn optics(&self, wavelength_nm: f64) -> Optics {
        let reflectance = self.reflectance.at(wavelength_nm) as f32;
        Optics::new(reflectance, self.finish, self.absorption_per_m.at(wavelength_nm))
    }

    /// The library's material of this name.
    pub fn from_library(name: &str) -> Option<Material> {
        let (_, rho, colour, _) = LIBRARY.iter().find(|(known, ..)| *known == name)?;
        let pairs = LIBRARY_NM.into_iter().zip(rho.iter().copied()).collect();
        let reflectance = Spectrum::table(pairs)?;
        let mut material = Material::diffuse(name, reflectance, *colour);
        let at = |values: [f64; 4]| Cow::Owned(LIBRARY_NM.into_iter().zip(values).collect());
        let finish = &mut material.finish;
        match name {
            "mirror" => finish.mirror = 0.95,
            "glass" => finish.body = Body::ThinDielectric { index: 1.51 },
            // Indices of refraction at 905 nm; absorption of pure water and ice, 1/m.
            "water" => {
                finish.body = Body::Dielectric { index: 1.328 };
                material.absorption_per_m = Spectrum(at([0.045, 6.8, 14.4, 1070.0]));
            }
            "ice" => {
                finish.body = Body::Dielectric { index: 1.303 };
                material.absorption_per_m = Spectrum(at([0.05, 5.0, 19.0, 2200.0]));
            }
            "retro-sheeting" => finish.retro = Some(retro(0.3, 1.0)),
            "licence-plate" => finish.retro = Some(retro(0.1, 1.0)),
            _ => {}
        }
        Some(material)
    }

    /// Names of the library, with what each stands for.
    pub fn library() -> impl Iterator<Item = (&'static str, &'static str)> {
        LIBRARY.iter().map(|(name, _, _, what)| (*name, *what))
    }
}

/// Sheeting that works to 45° of incidence.
fn retro(share: f64, cone_deg: f64) -> Retro {
    let incidence_max_rad = 45f64.to_radians();
    Retro { share, cone_rad: cone_deg.to_radians(), incidence_max_rad }
}

/// Wavelengths of the library's columns.
const LIBRARY_NM: [f64; 4] = [532.0, 905.0, 1064.0, 1550.0];

type LibraryRow = (&'static str, [f64; 4], [u8; 3], &'static str);

/// Typical values, rounded: what laboratory spectra of such surfaces commonly show, right to
/// about ±0.1. They are no measurements of any site; one who has those writes them into the
/// scenario. The `target-` rows are calibration panels by their nominal value.
#[rustfmt::skip]
const LIBRARY: [LibraryRow; 42] = [
    ("leaf",        [0.12, 0.48, 0.47, 0.28], [86, 142, 56],   "green broad leaf"),
    ("leaf-dry",    [0.15, 0.45, 0.52, 0.48], [158, 124, 70],  "dead broad leaf, litter"),
    ("leaf-spring", [0.18, 0.46, 0.45, 0.24], [148, 190, 84],  "young broad leaf"),
    ("leaf-autumn", [0.28, 0.48, 0.50, 0.36], [206, 150, 50],  "yellow broad leaf"),
    ("needle",      [0.09, 0.40, 0.39, 0.18], [52, 98, 56],    "conifer needles"),
    ("grass",       [0.11, 0.45, 0.44, 0.24], [112, 160, 66],  "green grass"),
    ("grass-dry",   [0.20, 0.40, 0.45, 0.38], [190, 172, 104], "dry grass, straw"),
    ("moss",        [0.10, 0.35, 0.35, 0.15], [96, 128, 52],   "moist moss"),
    ("bark",        [0.15, 0.35, 0.42, 0.42], [110, 86, 66],   "rough bark"),
    ("bark-smooth", [0.30, 0.50, 0.55, 0.45], [186, 180, 166], "smooth light bark, as of birch"),
    ("bark-white",  [0.45, 0.55, 0.58, 0.45], [222, 218, 208], "white bark of birch"),
    ("bark-grey",   [0.24, 0.42, 0.47, 0.40], [150, 146, 138], "smooth grey bark of beech"),
    ("bark-orange", [0.20, 0.48, 0.54, 0.48], [184, 112, 66],  "flaky orange bark of pine"),
    ("bark-scaly",  [0.15, 0.36, 0.43, 0.40], [124, 92, 72],   "scaly brown bark of spruce"),
    ("wood",        [0.35, 0.60, 0.62, 0.45], [196, 156, 104], "sawn wood"),
    ("plywood",     [0.40, 0.62, 0.64, 0.45], [214, 178, 124], "plywood"),
    ("soil",        [0.12, 0.25, 0.29, 0.35], [136, 106, 76],  "dry loam"),
    ("soil-wet",    [0.06, 0.13, 0.15, 0.15], [84, 66, 50],    "wet loam"),
    ("sand",        [0.25, 0.38, 0.42, 0.48], [216, 194, 146], "dry sand"),
    ("gravel",      [0.20, 0.26, 0.28, 0.30], [160, 156, 148], "gravel"),
    ("rock",        [0.20, 0.27, 0.29, 0.30], [134, 132, 128], "grey rock"),
    ("asphalt",     [0.11, 0.15, 0.16, 0.18], [84, 84, 88],    "worn asphalt"),
    ("concrete",    [0.28, 0.35, 0.37, 0.38], [176, 174, 168], "concrete"),
    ("brick",       [0.15, 0.35, 0.38, 0.42], [166, 84, 66],   "red brick"),
    ("roof-tile",   [0.13, 0.32, 0.35, 0.38], [150, 72, 56],   "red clay tile"),
    ("plaster",     [0.55, 0.65, 0.66, 0.60], [226, 216, 196], "light plaster"),
    ("paint-white", [0.80, 0.80, 0.78, 0.60], [240, 240, 238], "white paint"),
    ("paint-red",   [0.08, 0.60, 0.62, 0.50], [190, 40, 40],   "red paint"),
    ("paint-black", [0.04, 0.05, 0.05, 0.05], [34, 34, 36],    "black paint"),
    ("metal",       [0.40, 0.50, 0.52, 0.55], [168, 172, 176], "dull metal, as if diffuse"),
    ("cloth",       [0.25, 0.50, 0.52, 0.45], [70, 96, 150],   "clothing"),
    ("snow",        [0.95, 0.87, 0.75, 0.05], [244, 248, 252], "fresh snow"),
    ("ice",         [0.02, 0.02, 0.01, 0.00], [206, 226, 236], "clear ice: light enters it"),
    ("water",       [0.02, 0.00, 0.00, 0.00], [58, 92, 112],   "still clear water: light enters it"),
    ("glass",       [0.00, 0.00, 0.00, 0.00], [190, 214, 220], "clean pane"),
    ("mirror",      [0.00, 0.00, 0.00, 0.00], [200, 206, 212], "mirror"),
    ("retro-sheeting", [0.30, 0.30, 0.30, 0.30], [226, 226, 90], "traffic sign, safety vest"),
    ("licence-plate", [0.50, 0.50, 0.50, 0.50], [232, 232, 226], "weakly retroreflective plate"),
    ("grey",        [0.50, 0.50, 0.50, 0.50], [150, 150, 150], "unknown: half at every wavelength"),
    ("target-80",   [0.80, 0.80, 0.80, 0.80], [208, 208, 208], "panel of 80 %"),
    ("target-50",   [0.50, 0.50, 0.50, 0.50], [146, 146, 146], "panel of 50 %"),
    ("target-10",   [0.10, 0.10, 0.10, 0.10], [60, 60, 60],    "panel of 10 %"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spectra_are_linear_between_and_flat_beyond() {
        let spectrum = Spectrum::table(vec![(905.0, 0.4), (1550.0, 0.2)]).unwrap();
        assert_eq!(spectrum.at(905.0), 0.4);
        assert!((spectrum.at(1227.5) - 0.3).abs() < 1e-12);
        assert_eq!((spectrum.at(400.0), spectrum.at(3000.0)), (0.4, 0.2));
        assert_eq!(Spectrum::constant(0.7).unwrap().at(1064.0), 0.7);
    }

    #[test]
    fn only_reflectances_are_accepted() {
        assert!(Spectrum::constant(1.2).is_none() && Spectrum::constant(-0.1).is_none());
        assert!(Spectrum::constant(f64::NAN).is_none() && Spectrum::table(vec![]).is_none());
        assert!(Spectrum::table(vec![(905.0, 0.4), (905.0, 0.2)]).is_none());
        assert!(Spectrum::table(vec![(f64::NAN, 0.4)]).is_none());
    }

    #[test]
    fn the_library_is_sound_and_has_no_name_twice() {
        let names: Vec<_> = Material::library().map(|(name, _)| name).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(Material::from_library(name).is_some(), "{name}");
            assert!(!names[..i].contains(name), "{name} twice");
        }
        assert!(names.contains(&Material::DEFAULT_NAME));
        assert!(Material::from_library("leaves").is_none());
    }
}
