//! The figures of a plant, for lists: what its species says, and what its triangles measure.

use serde::Serialize;

use crate::plant::triangle_area;
use crate::{Inclinations, Part, Plant, PlantError, PlantSpec, Preset};
use understory_base::math;

/// Layers of the profile.
const LAYERS: usize = 10;

/// What is known of a species without growing it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeciesFigures {
    /// Its name.
    pub name: &'static str,
    /// Its kind, as files have it: grass, crop, grown, stand …
    pub kind: String,
    /// One line about it.
    pub description: &'static str,
    /// Height that its parameters give; none where they are of another kind.
    pub height_m: Option<f64>,
    /// Width of the crown that its parameters give.
    pub crown_width_m: Option<f64>,
    /// Leaf area index that its parameters give.
    pub leaf_area_index: Option<f64>,
    /// Ground that a patch covers, if it is one.
    pub patch_m: Option<[f64; 2]>,
    /// About how many triangles it has.
    pub triangles: u64,
    /// Times of the year that it knows.
    pub seasons: Vec<&'static str>,
}

/// What the triangles of a plant measure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlantFigures {
    /// Of which seed.
    pub seed: u64,
    /// Highest point.
    pub height_m: f64,
    /// Largest horizontal extent.
    pub spread_m: f64,
    /// One-sided leaf area.
    pub leaf_area_m2: f64,
    /// Over the ground of a patch, or of the circle that is as wide as the plant.
    pub leaf_area_index: f64,
    /// Half of the skin of wood, stems and fruit.
    pub wood_area_m2: f64,
    /// Mean angle between leaves' normals and the zenith; none without leaves.
    pub mean_inclination_deg: Option<f64>,
    /// Height below which a twentieth of the leaf area is; none without leaves.
    pub live_crown_m: Option<f64>,
    /// Triangles.
    pub triangles: usize,
    /// One-sided area of leaf and wood in ten layers from the ground to the top.
    pub area_profile_m2: Vec<f64>,
}

/// Times of the year, as files name them.
pub const SEASONS: [&str; 4] = ["spring", "summer", "autumn", "bare"];

impl Preset {
    /// What is known of it without growing it.
    pub fn figures(&self) -> SpeciesFigures {
        let spec = self.spec();
        let table = toml::Table::try_from(&spec).unwrap_or_default();
        let parameters = table.values().next();
        let number = |key: &str| parameters?.get(key)?.as_float();
        let has_season = parameters.is_some_and(|table| table.get("season").is_some());
        SpeciesFigures {
            name: self.name,
            kind: table.keys().next().cloned().unwrap_or_default(),
            description: self.description,
            height_m: number("height_m"),
            crown_width_m: number("crown_width_m"),
            leaf_area_index: number("leaf_area_index"),
            patch_m: spec.patch_size_m(),
            triangles: spec.triangle_estimate(),
            seasons: if has_season { SEASONS.to_vec() } else { Vec::new() },
        }
    }
}

impl PlantSpec {
    /// The same in another time of the year: refused for plants that know none.
    pub fn in_season(&self, season: &str) -> Result<PlantSpec, PlantError> {
        let refused = |limits: String| PlantError::Parameter {
            parameter: "season".to_owned(),
            value: format!("{season:?}"),
            limits,
        };
        if !SEASONS.contains(&season) {
            return Err(refused(format!("one of {}", SEASONS.join(", "))));
        }
        let mut table = toml::Table::try_from(self).unwrap_or_default();
        let parameters = table.iter_mut().next().and_then(|(_, value)| value.as_table_mut());
        let Some(parameters) = parameters.filter(|table| table.contains_key("season")) else {
            return Err(refused("left out: this plant is the same all year".to_owned()));
        };
        parameters.insert("season".to_owned(), season.into());
        let spec = |table: &toml::Table| -> Result<PlantSpec, PlantError> {
            table.clone().try_into().map_err(|error: toml::de::Error| refused(error.to_string()))
        };
        let changed = spec(&table)?;
        if changed.check().is_ok() {
            return Ok(changed);
        }
        // What sheds all its leaves has none left of those that are asked for.
        if let Some(parameters) = table.iter_mut().next().and_then(|(_, v)| v.as_table_mut()) {
            parameters.insert("leaf_area_index".to_owned(), 0.0.into());
        }
        let changed = spec(&table)?;
        changed.check()?;
        Ok(changed)
    }

    /// Grows the plant and measures it.
    pub fn figures(&self, seed: u64) -> Result<PlantFigures, PlantError> {
        let plant = self.grow(seed)?;
        let measures = plant.measures(LAYERS);
        let (areas, heights) = leaves(&plant);
        let ground_m2 = match self.patch_size_m() {
            Some([x, y]) => x * y,
            None => std::f64::consts::FRAC_PI_4 * measures.spread_m.powi(2),
        };
        let mean = Inclinations::from_areas(&areas).map(|table| table.mean_rad().to_degrees());
        Ok(PlantFigures {
            seed,
            height_m: measures.height_m,
            spread_m: measures.spread_m,
            leaf_area_m2: measures.leaf_area_m2,
            leaf_area_index: if ground_m2 > 0.0 { measures.leaf_area_m2 / ground_m2 } else { 0.0 },
            wood_area_m2: measures.wood_area_m2,
            mean_inclination_deg: mean,
            live_crown_m: live_crown(heights),
            triangles: measures.triangles,
            area_profile_m2: measures.area_profile_m2,
        })
    }
}

/// Leaf area by inclination, and height and area of each leaf triangle.
fn leaves(plant: &Plant) -> (Vec<f64>, Vec<[f64; 2]>) {
    let mut areas = vec![0.0; Inclinations::BINS];
    let mut heights = Vec::new();
    for ([a, b, c], _) in plant.corners().filter(|(_, part)| *part == Part::Leaf) {
        let area = triangle_area([a, b, c]);
        let upright = (b - a).cross(c - a).normalize_or_zero().z.abs().min(1.0);
        let share = math::acos(upright) / std::f64::consts::FRAC_PI_2;
        let bin = (share * Inclinations::BINS as f64) as usize;
        areas[bin.min(Inclinations::BINS - 1)] += area;
        heights.push([(a.z + b.z + c.z) / 3.0, area]);
    }
    (areas, heights)
}

fn live_crown(mut heights: Vec<[f64; 2]>) -> Option<f64> {
    heights.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let all: f64 = heights.iter().map(|[_, area]| area).sum();
    let mut below = 0.0;
    let found = heights.iter().find(|[_, area]| {
        below += area;
        below >= 0.05 * all
    });
    found.map(|[height, _]| *height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{preset, presets};

    #[test]
    fn every_species_has_figures_without_growing() {
        for preset in presets() {
            let figures = preset.figures();
            assert!(figures.triangles > 0 && !figures.kind.is_empty(), "{}", preset.name);
            let grown = matches!(figures.kind.as_str(), "grown" | "stand");
            assert_eq!(figures.seasons.len(), if grown { 4 } else { 0 }, "{}", preset.name);
        }
    }

    #[test]
    fn what_is_measured_is_what_the_species_claims() {
        let figures = preset("leaf-volume").unwrap().spec().figures(1).unwrap();
        assert!((figures.leaf_area_index - 2.0).abs() < 1e-9, "{figures:?}");
        // Spherical leaves are inclined by one radian in the mean; 40,000 of them by ± 0.1°.
        assert!((figures.mean_inclination_deg.unwrap() - 57.3).abs() < 0.6);
        // Uniform in 1 m: a twentieth is below 5 cm, but for leaves' own size.
        assert!((figures.live_crown_m.unwrap() - 0.05).abs() < 0.01);
        let profile: f64 = figures.area_profile_m2.iter().sum();
        assert!((profile - figures.leaf_area_m2).abs() < 1e-9);
    }

    #[test]
    fn seasons_are_known_or_refused() {
        let beech = preset("beech-stand").unwrap().spec();
        let PlantSpec::Stand(bare) = beech.in_season("bare").unwrap() else { panic!("no stand") };
        assert_eq!(bare.leaf_area_index, 0.0);
        assert!(preset("beech").unwrap().spec().in_season("autumn").is_ok());
        let unknown = preset("beech").unwrap().spec().in_season("monsoon").unwrap_err();
        assert!(unknown.to_string().contains("spring, summer, autumn, bare"), "{unknown}");
        let wheat = preset("wheat").unwrap().spec().in_season("bare").unwrap_err();
        assert!(wheat.to_string().contains("the same all year"), "{wheat}");
    }
}
