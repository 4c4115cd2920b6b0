//! Materials of `.mtl` files with the words that HELIOS++ adds to them → `[[world.material]]`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use understory_base::math;

use crate::HeliosError;
use crate::write::{number, quoted};

/// Longest line that is read.
const LINE_MAX: u64 = 1 << 16;
/// Most materials of a file.
const MATERIALS_MAX: usize = 100_000;

/// A material as HELIOS++ has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// Diffuse reflectance.
    pub reflectance: Option<f64>,
    /// Name of a spectrum of HELIOS++.
    pub spectrum: Option<String>,
    /// Class as the ASPRS numbers them.
    pub class: Option<u16>,
    /// Whether platforms and things stand on it.
    pub is_ground: bool,
    /// Colour, 0 to 1.
    pub colour: Option<[f64; 3]>,
}

/// The materials of a file by name.
pub fn read(path: &Path) -> Result<BTreeMap<String, Material>, HeliosError> {
    let file = File::open(path).map_err(|error| HeliosError::read(path, error))?;
    let mut reader = BufReader::new(file);
    let mut materials: BTreeMap<String, Material> = BTreeMap::new();
    let mut current = None;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut bytes);
        if read.map_err(|error| HeliosError::read(path, error))? == 0 {
            return Ok(materials);
        }
        let line = String::from_utf8_lossy(&bytes);
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else { continue };
        let rest: Vec<&str> = words.collect();
        if word == "newmtl" && materials.len() < MATERIALS_MAX {
            let name = rest.join(" ");
            materials.entry(name.clone()).or_default();
            current = Some(name);
        }
        let Some(material) = current.as_ref().and_then(|name| materials.get_mut(name)) else {
            continue;
        };
        let value = rest.first().copied().unwrap_or("");
        match word {
            "helios_reflectance" => {
                let reflectance = value.parse::<f64>().ok();
                material.reflectance = reflectance.filter(|r| (0.0..=1.0).contains(r));
            }
            "helios_spectra" => material.spectrum = Some(value.to_owned()),
            "helios_classification" => material.class = value.parse().ok(),
            "helios_isGround" => material.is_ground = matches!(value, "true" | "1"),
            "Kd" => {
                let parts: Vec<f64> = rest.iter().filter_map(|part| part.parse().ok()).collect();
                material.colour = <[f64; 3]>::try_from(parts).ok();
            }
            _ => {}
        }
    }
}

impl Material {
    /// The semantic class of what is made of it.
    pub fn label(&self) -> Option<&'static str> {
        Some(match self.class {
            _ if self.is_ground => "terrain",
            Some(2) => "terrain",
            Some(3..=5) => "vegetation",
            Some(6) => "building",
            Some(9) => "other-ground",
            Some(10) => "on-rails",
            Some(11) => "road",
            Some(13..=16) => "pole",
            Some(17) => "other-structure",
            _ => return None,
        })
    }
}

/// The materials that a scenario needs.
#[derive(Default)]
pub struct Materials {
    tables: String,
    known: Vec<(String, Material)>,
}

impl Materials {
    /// The name in the scenario of a material of HELIOS++.
    pub fn name(&mut self, name: &str, of: &Material, lost: &mut Vec<String>) -> String {
        if of.reflectance.is_none()
            && let Some(spectrum) = &of.spectrum
        {
            if let Some(library) = library_name(spectrum) {
                return library.to_owned();
            }
            lost.push(format!(
                "the spectrum {spectrum:?} of the material {name:?}: it reflects 0.5"
            ));
        }
        if of.reflectance.is_none() && of.colour.is_none() {
            return "grey".to_owned();
        }
        let stem = match name.trim() {
            "" | "None" => "unnamed",
            stem => stem,
        };
        let mut unique = stem.to_owned();
        for copy in 2.. {
            match self.known.iter().find(|(known, _)| *known == unique) {
                Some((_, same)) if same == of => return unique,
                Some(_) => unique = format!("{stem} {copy}"),
                None => break,
            }
        }
        let table = &mut self.tables;
        // Writing to a string does not fail.
        let _ = writeln!(table, "\n[[world.material]]\nname = {}", quoted(&unique));
        let reflectance = of.reflectance.unwrap_or(0.5);
        let _ = writeln!(table, "reflectance = {}", number(reflectance));
        if let Some(colour) = of.colour {
            let [r, g, b] = colour
                .map(|part| (math::powf(part.clamp(0.0, 1.0), 1.0 / 2.2) * 255.0).round() as u8);
            let _ = writeln!(table, "color = \"#{r:02x}{g:02x}{b:02x}\"");
        }
        self.known.push((unique.clone(), of.clone()));
        unique
    }

    /// The tables of those that were named.
    pub fn tables(&self) -> &str {
        &self.tables
    }
}

/// A material of Understory's library for a spectrum of HELIOS++.
fn library_name(spectrum: &str) -> Option<&'static str> {
    Some(match spectrum {
        "wood" => "bark",
        "deciduous" => "leaf",
        "conifer" => "needle",
        "grass" => "grass",
        "grass_dry" => "grass-dry",
        "asphalt" | "shingle_gray" => "asphalt",
        "shingle_red" => "roof-tile",
        "aluminum" | "copper" => "metal",
        _ => return None,
    })
}
