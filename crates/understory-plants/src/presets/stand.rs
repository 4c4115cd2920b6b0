//! Stands that can be called by name: squares of forest that are laid side by side.
//!
//! Densities, heights and leaf area indices are those of managed stands of central Europe (Ellenberg
//! and Leuschner 2010; leaf area indices after Bréda 2003 and Leuschner et al. 2006).

use super::Preset;
use crate::{PlantSpec, StandSpec, StandTrees};

fn trees(list: &[(&str, f64, Option<f64>)]) -> Vec<StandTrees> {
    let row = |&(species, share, height_m): &(&str, f64, Option<f64>)| StandTrees {
        species: species.to_owned(),
        share,
        height_m,
    };
    list.iter().map(row).collect()
}

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "beech-stand",
        description: "closed stand of beeches, 20 × 20 m, typically 18 m, 500 trees per ha, leaf area index 6.5",
        make: || PlantSpec::Stand(StandSpec::default()),
    },
    Preset {
        name: "spruce-stand",
        description: "closed stand of spruces, 16 × 16 m, typically 18 m, 900 trees per ha, leaf area index 7",
        make: || {
            PlantSpec::Stand(StandSpec {
                side_m: 16.0,
                trees: trees(&[("spruce", 1.0, None)]),
                density_per_ha: 900.0,
                height_m: Some(18.0),
                leaf_area_index: 7.0,
                leaf_count_max: 1_500_000,
                ..StandSpec::default()
            })
        },
    },
    Preset {
        name: "pine-stand",
        description: "stand of Scots pines, 18 × 18 m, typically 18 m, 600 trees per ha, leaf area index 2.5",
        make: || {
            PlantSpec::Stand(StandSpec {
                side_m: 18.0,
                trees: trees(&[("pine", 1.0, None)]),
                density_per_ha: 600.0,
                height_m: Some(18.0),
                leaf_area_index: 2.5,
                ..StandSpec::default()
            })
        },
    },
    Preset {
        name: "mixed-stand",
        description: "beeches, oaks and spruces, 22 × 22 m, typically 20 m, 450 trees per ha, leaf area index 5.5",
        make: || {
            PlantSpec::Stand(StandSpec {
                side_m: 22.0,
                trees: trees(&[("beech", 3.0, None), ("oak", 1.0, None), ("spruce", 2.0, None)]),
                density_per_ha: 450.0,
                height_m: Some(20.0),
                unevenness: 0.18,
                leaf_area_index: 5.5,
                leaf_count_max: 1_200_000,
                ..StandSpec::default()
            })
        },
    },
    Preset {
        name: "young-stand",
        description: "thicket of young beeches and birches, 8 × 8 m, typically 6 m, 8000 trees per ha, leaf area index 5",
        make: || {
            PlantSpec::Stand(StandSpec {
                side_m: 8.0,
                trees: trees(&[("beech", 3.0, Some(5.0)), ("birch", 1.0, Some(7.0))]),
                density_per_ha: 8000.0,
                unevenness: 0.2,
                leaf_area_index: 5.0,
                leaf_count_max: 600_000,
                ..StandSpec::default()
            })
        },
    },
    Preset {
        name: "riparian-strip",
        description: "alders and willows along water, 16 × 16 m, typically 14 m, 500 trees per ha, leaf area index 4.5",
        make: || {
            PlantSpec::Stand(StandSpec {
                side_m: 16.0,
                trees: trees(&[("alder", 3.0, None), ("willow", 1.0, None)]),
                density_per_ha: 500.0,
                height_m: Some(14.0),
                unevenness: 0.15,
                leaf_area_index: 4.5,
                ..StandSpec::default()
            })
        },
    },
];
