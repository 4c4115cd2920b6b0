//! The species that can be called by name.
//!
//! Each kind of plant has its rows in a file of its own; this file is the table of all. The numbers are
//! typical ones for a stand in summer, not those of one site: change what you know better.

mod crop;
mod grass;
mod grown;
mod leaf_volume;
mod stand;
mod stems;
mod woody;

use crate::{PlantError, PlantSpec};

/// A plant with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// How it is called in files and on the command line.
    pub name: &'static str,
    /// One line for a list.
    pub description: &'static str,
    make: fn() -> PlantSpec,
}

impl Preset {
    /// Its parameters, to be grown as they are or changed.
    pub fn spec(&self) -> PlantSpec {
        (self.make)()
    }
}

/// The rows of all kinds.
const TABLES: &[&[Preset]] = &[
    grass::PRESETS,
    crop::PRESETS,
    stems::PRESETS,
    leaf_volume::PRESETS,
    grown::PRESETS,
    stand::PRESETS,
    woody::PRESETS,
];

/// All presets, kind by kind.
pub fn presets() -> impl Iterator<Item = &'static Preset> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The preset of a name.
pub fn preset(name: &str) -> Result<&'static Preset, PlantError> {
    presets().find(|preset| preset.name == name).ok_or_else(|| {
        let known: Vec<&str> = presets().map(|preset| preset.name).collect();
        PlantError::UnknownPlant { name: name.to_owned(), known: known.join(", ") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Part, Plant};
    use glam::DVec3;

    #[test]
    fn every_preset_grows_as_large_as_it_was_estimated_and_the_same_from_the_same_seed() {
        for preset in presets() {
            let spec = preset.spec();
            let plant = spec.grow(3).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert_eq!(plant, spec.grow(3).unwrap(), "{}", preset.name);
            assert_ne!(plant, spec.grow(4).unwrap(), "{}", preset.name);
            let (real, estimate) = (plant.triangles.len() as f64, spec.triangle_estimate() as f64);
            // Of grown trees the estimate is from above; their own tests hold it.
            let grown = matches!(spec, PlantSpec::Grown(_) | PlantSpec::Stand(_));
            let near = (real / estimate - 1.0).abs() < 0.2;
            assert!(grown || near, "{}: {real} {estimate}", preset.name);
            assert!(plant.memory_bytes() as u64 <= spec.memory_estimate_bytes() * 6 / 5);
            assert_eq!(plant.triangles.len(), plant.parts.len());
            assert!(plant.positions.iter().all(|p| p.is_finite()));
            let vertices = plant.positions.len() as u32;
            assert!(plant.triangles.iter().flatten().all(|index| *index < vertices));
            assert!(plant.corners().all(|(corners, _)| area(corners) > 0.0), "{}", preset.name);
        }
    }

    /// One-sided leaf area from the lengths of the sides of the triangles (Heron, in Kahan's form).
    fn leaf_area_by_heron(plant: &Plant) -> f64 {
        let leaves = plant.corners().filter(|(_, part)| *part == Part::Leaf);
        let heron = |([a, b, c], _): ([DVec3; 3], Part)| {
            let mut sides = [a.distance(b), b.distance(c), c.distance(a)];
            sides.sort_by(f64::total_cmp);
            let [c, b, a] = sides;
            let product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
            product.max(0.0).sqrt() / 4.0
        };
        leaves.map(heron).sum()
    }

    #[test]
    fn leaf_area_indices_are_those_of_the_descriptions_and_measured_rightly() {
        // Each to a tenth.
        let known = [
            ("tall-grass", 5.0),
            ("mown-grass", 2.2),
            ("pasture", 2.5),
            ("meadow", 4.0),
            ("wheat", 3.0),
            ("barley", 3.0),
            ("rye", 3.0),
            ("maize", 4.2),
            ("reeds", 5.0),
            ("leaf-volume", 2.0),
        ];
        for (name, index) in known {
            let spec = preset(name).unwrap().spec();
            let plant = spec.grow(1).unwrap();
            let [x, y] = spec.patch_size_m().unwrap();
            let area = plant.measures(10).leaf_area_m2;
            assert!((area / (x * y * index) - 1.0).abs() < 0.1, "{name}: {}", area / (x * y));
            assert!((leaf_area_by_heron(&plant) / area - 1.0).abs() < 1e-8, "{name}");
        }
    }

    fn area([a, b, c]: [DVec3; 3]) -> f64 {
        (b - a).cross(c - a).length() / 2.0
    }

    #[test]
    fn names_are_unique_and_an_unknown_one_is_answered_with_the_list() {
        let mut names: Vec<_> = presets().map(|preset| preset.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        let message = preset("triffid").unwrap_err().to_string();
        assert!(message.contains("triffid") && message.contains("tall-grass"), "{message}");
    }

    #[test]
    fn presets_survive_a_file_and_unknown_keys_are_refused() {
        for preset in presets() {
            let text = toml::to_string(&preset.spec()).unwrap();
            assert_eq!(toml::from_str::<PlantSpec>(&text).unwrap(), preset.spec());
        }
        let error = toml::from_str::<PlantSpec>("[grass]\nblade_per_m2 = 3").unwrap_err();
        assert!(error.to_string().contains("blades_per_m2"), "{error}");
    }
}
