//! A stand: trees of one or more species that grew up side by side.
//!
//! What enters: a [`StandSpec`] and a seed. What leaves: a square of forest as one plant. Its trees
//! grow together in one field of light ([`crate::grown`]), so that neighbours shape each other: crowns
//! share the space, branches in the shade die, who grows slowly is overtopped. The square is
//! periodic: squares laid side by side are a wood without edges. The leaf area index of the
//! whole is met exactly; each tree has as much of it as it has leafy shoots.

use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use understory_base::math;

use crate::grown::species::{SPECIES, species};
use crate::grown::{GrowingTree, LightField, Seedling, grow_together};
use crate::limits::{fits, within};
use crate::{FoliageDensity, GrownSpec, Plant, PlantError, Random, Season};

/// A square of forest; the default is a stand of beeches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StandSpec {
    /// Side of the square.
    pub side_m: f64,
    /// Species and their shares of the trees.
    pub trees: Vec<StandTrees>,
    /// Trees per hectare.
    pub density_per_ha: f64,
    /// Height of the tallest trees; those of the species where nothing is said.
    pub height_m: Option<f64>,
    /// Deviation of the vigour of trees, as a share: how much they differ in height.
    pub unevenness: f64,
    /// One-sided leaf area over the ground of the square; met exactly.
    pub leaf_area_index: f64,
    /// Most leaves of the square; where more are needed they are fewer and larger instead.
    pub leaf_count_max: u32,
    /// The time of the year.
    pub season: Season,
}

/// The trees of one species in a stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandTrees {
    /// A species that is grown.
    pub species: String,
    /// How many of them there are, against the other species.
    #[serde(default = "one")]
    pub share: f64,
    /// Height of the tallest of them; the stand's where nothing is said.
    #[serde(default)]
    pub height_m: Option<f64>,
}

fn one() -> f64 {
    1.0
}

impl Default for StandSpec {
    fn default() -> StandSpec {
        let beech = StandTrees { species: "beech".to_owned(), share: 1.0, height_m: None };
        StandSpec {
            side_m: 20.0,
            trees: vec![beech],
            density_per_ha: 500.0,
            height_m: None,
            unevenness: 0.1,
            leaf_area_index: 6.5,
            leaf_count_max: 1_000_000,
            season: Season::Summer,
        }
    }
}

/// Most trees of one square.
const MAX_TREES: f64 = 200.0;

/// Cells of the light field over the height of the stand.
const CELLS_PER_HEIGHT: f64 = 40.0;

impl StandSpec {
    /// Whether every parameter is within its limits.
    pub fn check(&self) -> Result<(), PlantError> {
        within("side_m", self.side_m, 1.0, 100.0)?;
        within("density_per_ha", self.density_per_ha, 1.0, 40_000.0)?;
        within("unevenness", self.unevenness, 0.0, 0.5)?;
        within("leaf_area_index", self.leaf_area_index, 0.0, 20.0)?;
        within("leaf_count_max", self.leaf_count_max.into(), 1000.0, 5e6)?;
        let trees = self.density_per_ha * self.side_m.powi(2) * 1e-4;
        if !(1.0..=MAX_TREES).contains(&trees) {
            let most = (MAX_TREES / self.density_per_ha * 1e4).sqrt();
            let least = (1e4 / self.density_per_ha).sqrt();
            return Err(PlantError::Parameter {
                parameter: "side_m".to_owned(),
                value: format!("{}, which has {trees:.1} trees", self.side_m),
                limits: format!("between {least:.1} and {most:.1} at this density"),
            });
        }
        if self.season == Season::Bare && self.leaf_area_index > 0.0 && self.deciduous()? {
            return Err(PlantError::Parameter {
                parameter: "leaf_area_index".to_owned(),
                value: self.leaf_area_index.to_string(),
                limits: "0 in the season \"bare\", if all trees shed their leaves".to_owned(),
            });
        }
        for (spec, trees) in self.species()?.iter().zip(&self.trees) {
            within("share", trees.share, 0.0, 1e6)?;
            spec.check()?;
        }
        if self.trees.iter().map(|trees| trees.share).sum::<f64>() <= 0.0 {
            return Err(PlantError::Parameter {
                parameter: "trees".to_owned(),
                value: "empty".to_owned(),
                limits: "one species or more with a share above 0".to_owned(),
            });
        }
        fits(self.triangle_estimate())
    }

    fn deciduous(&self) -> Result<bool, PlantError> {
        Ok(self.species()?.iter().all(|spec| spec.leaf_years == 1))
    }

    /// The species, as tall as they are in this stand.
    fn species(&self) -> Result<Vec<GrownSpec>, PlantError> {
        let of = |trees: &StandTrees| {
            let Some(spec) = species(&trees.species) else {
                let known: Vec<&str> = SPECIES.iter().map(|(name, _)| *name).collect();
                return Err(PlantError::Parameter {
                    parameter: "species".to_owned(),
                    value: format!("{:?}", trees.species),
                    limits: format!("one that is grown: {}", known.join(", ")),
                });
            };
            let height_m = trees.height_m.or(self.height_m).unwrap_or(spec.height_m);
            within("height_m", height_m, 0.3, 120.0)?;
            let scale = height_m / spec.height_m;
            Ok(GrownSpec {
                height_m,
                crown_width_m: spec.crown_width_m * scale,
                stem_diameter_m: (spec.stem_diameter_m * scale).max(2.0 * spec.twig_diameter_m),
                neighbours_m: None,
                pruned_below_m: 0.0,
                season: self.season,
                foliage_density: FoliageDensity::LeafAreaM2(0.0),
                ..spec
            })
        };
        self.trees.iter().map(of).collect()
    }

    /// Materials of leaves and wood of the species of which most trees are.
    pub fn materials(&self) -> [&'static str; 2] {
        let species = self.species().unwrap_or_default();
        let trees = species.iter().zip(&self.trees);
        let most = trees.max_by(|(_, a), (_, b)| a.share.total_cmp(&b.share));
        most.map_or(["leaf", "bark"], |(spec, _)| spec.materials())
    }

    /// Number of trees on the square.
    fn tree_count(&self) -> usize {
        (self.density_per_ha * self.side_m.powi(2) * 1e-4).round().max(1.0) as usize
    }

    /// About how many triangles the square will have, from above.
    pub fn triangle_estimate(&self) -> u64 {
        // Wood by experience: each column of cells has room for so much.
        let heights = self.species().unwrap_or_default().into_iter().map(|spec| spec.height_m);
        let columns = (self.side_m * CELLS_PER_HEIGHT / heights.fold(1.0, f64::max)).powi(2);
        4 * u64::from(self.leaf_count_max) + (1500.0 * columns) as u64
    }

    /// Feet that keep their distance, also over the edges of the square.
    fn feet(&self, random: &mut Random) -> Vec<DVec3> {
        let count = self.tree_count();
        let mut apart = 0.75 * self.side_m / (count as f64).sqrt();
        let mut feet: Vec<DVec3> = Vec::with_capacity(count);
        let mut tries = 0;
        while feet.len() < count {
            let place = DVec3::new(random.unit() - 0.5, random.unit() - 0.5, 0.0) * self.side_m;
            let near = |foot: &DVec3| {
                let step = (place - *foot) / self.side_m;
                (step - step.round()).length() * self.side_m < apart
            };
            tries += 1;
            if !feet.iter().any(near) {
                feet.push(place);
            } else if tries % 200 == 0 {
                apart *= 0.95;
            }
        }
        feet
    }

    /// Grows the square around the origin; the same seed gives the same stand.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        let trees = self.grow_trees(seed)?;
        let mut plant = Plant::default();
        for (foot, tree) in &trees {
            plant.append_placed(tree, &DAffine3::from_translation(*foot));
        }
        Ok(plant)
    }

    /// The trees of the square: where each stands, and itself around the origin.
    pub fn grow_trees(&self, seed: u64) -> Result<Vec<(DVec3, Plant)>, PlantError> {
        self.check()?;
        let species = self.species()?;
        let random = Random::new(seed);
        let mut draw = random.fork(0);
        let whole: f64 = self.trees.iter().map(|trees| trees.share).sum();
        let top_m = species.iter().map(|spec| spec.height_m).fold(0.0, f64::max);
        let cell_m = top_m / CELLS_PER_HEIGHT;
        let habits: Vec<_> = species
            .iter()
            .map(|spec| {
                let share = (0.9 * spec.crown_width_m / spec.height_m).clamp(0.1, 1.3);
                spec.habit(share, cell_m)
            })
            .collect();
        let feet = self.feet(&mut draw);
        let seedlings: Vec<Seedling> = feet
            .into_iter()
            .enumerate()
            .map(|(i, foot)| {
                let mut wanted = draw.unit() * whole;
                let last = self.trees.len() - 1;
                let chosen = self.trees.iter().position(|trees| {
                    wanted -= trees.share;
                    wanted < 0.0
                });
                let vigour = (1.0 + self.unevenness * draw.normal()).clamp(0.4, 1.3);
                let seed = random.fork(1 + i as u64).next_u64();
                Seedling { foot, seed, vigour, later: 0, habit: chosen.unwrap_or(last) }
            })
            .collect();
        let mut field = LightField::new([self.side_m; 2], 1.2 * top_m, cell_m, true);
        let grown = grow_together(&habits, &seedlings, &mut field, &|_, _| ());
        let tallest: Vec<f64> = (0..species.len())
            .map(|kind| {
                let of_kind = grown.iter().filter(|tree| tree.habit() == kind);
                of_kind.map(GrowingTree::top_m).fold(0.1, f64::max)
            })
            .collect();
        let leafy: Vec<f64> =
            grown.iter().map(|tree| tree.leafy_m2(&habits[tree.habit()])).collect();
        let all: f64 = leafy.iter().sum::<f64>().max(1e-9);
        let leaf_area_m2 = self.leaf_area_index * self.side_m.powi(2);
        let finished =
            grown.par_iter().zip(&leafy).zip(&seedlings).map(|((tree, leafy), seedling)| {
                let spec = &species[tree.habit()];
                let share = leafy / all;
                let relative = (tree.top_m() / tallest[tree.habit()]).clamp(0.02, 1.0);
                let spec = GrownSpec {
                    height_m: spec.height_m * relative,
                    stem_diameter_m: (spec.stem_diameter_m * math::powf(relative, 1.5))
                        .max(2.0 * spec.twig_diameter_m),
                    foliage_density: FoliageDensity::LeafAreaM2(leaf_area_m2 * share),
                    leaf_count_max: ((f64::from(self.leaf_count_max) * share) as u32).max(1),
                    ..spec.clone()
                };
                let random = Random::new(seedling.seed).fork(9);
                let skeleton = spec.finish(tree, &random);
                (seedling.foot, spec.dress(skeleton, &mut random.fork(4)))
            });
        Ok(finished.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> StandSpec {
        StandSpec { side_m: 10.0, leaf_count_max: 60_000, ..StandSpec::default() }
    }

    #[test]
    fn the_leaf_area_index_is_exact_and_threads_do_not_matter() {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let plant = alone.install(|| small().grow(4).unwrap());
        assert_eq!(plant, three.install(|| small().grow(4).unwrap()));
        let index = plant.measures(0).leaf_area_m2 / 100.0;
        assert!((index - 6.5).abs() < 1e-6, "{index}");
        assert!(plant.triangles.len() as u64 <= small().triangle_estimate());
    }

    #[test]
    fn what_cannot_grow_is_named() {
        let message = |spec: StandSpec| spec.grow(1).unwrap_err().to_string();
        assert!(message(StandSpec { density_per_ha: 0.0, ..small() }).contains("density_per_ha"));
        let dense = message(StandSpec { density_per_ha: 30_000.0, ..small() });
        assert!(dense.contains("300.0 trees") && dense.contains("8.2"), "{dense}");
        assert!(message(StandSpec { height_m: Some(0.0), ..small() }).contains("height_m"));
        let unknown = StandTrees { species: "oke".to_owned(), share: 1.0, height_m: None };
        assert!(message(StandSpec { trees: vec![unknown], ..small() }).contains("oke"));
        let grass = StandTrees { species: "pasture".to_owned(), share: 1.0, height_m: None };
        assert!(message(StandSpec { trees: vec![grass], ..small() }).contains("grown"));
        assert!(message(StandSpec { trees: vec![], ..small() }).contains("trees is empty"));
        assert!(message(StandSpec { season: Season::Bare, ..small() }).contains("leaf_area_index"));
    }
}
