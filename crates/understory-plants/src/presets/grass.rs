//! Grasses and meadows that can be called by name.

use super::Preset;
use crate::{GrassSpec, PlantSpec};

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "tall-grass",
        description: "unmown grass in tufts, typically 0.6 m high, leaf area index about 5",
        make: || PlantSpec::Grass(GrassSpec::default()),
    },
    Preset {
        name: "mown-grass",
        description: "a lawn, typically 5 cm high with 20 000 blades per m², leaf area index about 2",
        make: || {
            PlantSpec::Grass(GrassSpec {
                blades_per_m2: 20_000.0,
                height_mean_m: 0.05,
                height_sd_m: 0.008,
                width_mean_m: 0.0025,
                width_sd_m: 0.0005,
                lean_mean_deg: 15.0,
                lean_sd_deg: 10.0,
                curvature_mean_deg: 25.0,
                curvature_sd_deg: 15.0,
                blades_per_tuft: 4,
                tuft_radius_m: 0.006,
                segments: 2,
                ..GrassSpec::default()
            })
        },
    },
    Preset {
        name: "pasture",
        description: "grazed grass, typically 0.15 m high in dense tufts, leaf area index about 2.5",
        make: || {
            PlantSpec::Grass(GrassSpec {
                blades_per_m2: 4500.0,
                height_mean_m: 0.15,
                height_sd_m: 0.06,
                width_mean_m: 0.0035,
                width_sd_m: 0.001,
                lean_mean_deg: 15.0,
                lean_sd_deg: 10.0,
                curvature_mean_deg: 45.0,
                curvature_sd_deg: 25.0,
                blades_per_tuft: 12,
                tuft_radius_m: 0.03,
                segments: 3,
                ..GrassSpec::default()
            })
        },
    },
    Preset {
        name: "meadow",
        description: "a hay meadow: grass of 0.35 m, flowering stems to 0.6 m, herbs, leaf area index about 4",
        make: || {
            PlantSpec::Grass(GrassSpec {
                blades_per_m2: 2450.0,
                height_mean_m: 0.35,
                height_sd_m: 0.12,
                width_mean_m: 0.004,
                lean_mean_deg: 12.0,
                curvature_mean_deg: 50.0,
                blades_per_tuft: 6,
                tuft_radius_m: 0.02,
                segments: 4,
                flower_stems_per_m2: 150.0,
                herb_leaves_per_m2: 600.0,
                ..GrassSpec::default()
            })
        },
    },
];
