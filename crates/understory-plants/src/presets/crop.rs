//! Cereals, maize and reeds that can be called by name.

use super::Preset;
use crate::{CropSpec, PlantSpec};

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "wheat",
        description: "winter wheat at flowering, typically 450 ears per m², 0.9 m, leaf area index about 3",
        make: || PlantSpec::Crop(CropSpec::default()),
    },
    Preset {
        name: "barley",
        description: "barley before harvest with nodding ears, typically 600 per m², 0.8 m",
        make: || {
            PlantSpec::Crop(CropSpec {
                culms_per_m2: 600.0,
                height_mean_m: 0.72,
                height_sd_m: 0.05,
                culm_diameter_m: 0.003,
                leaf_length_mean_m: 0.17,
                leaf_length_sd_m: 0.04,
                leaf_width_mean_m: 0.012,
                ear_length_m: 0.08,
                ear_diameter_m: 0.01,
                ear_nod_deg: 80.0,
                ..CropSpec::default()
            })
        },
    },
    Preset {
        name: "rye",
        description: "winter rye, typically 400 ears per m², 1.5 m high",
        make: || {
            PlantSpec::Crop(CropSpec {
                culms_per_m2: 400.0,
                height_mean_m: 1.4,
                height_sd_m: 0.1,
                culm_diameter_m: 0.004,
                leaves_per_culm: 5,
                leaf_length_mean_m: 0.2,
                leaf_width_mean_m: 0.012,
                ear_length_m: 0.12,
                ear_diameter_m: 0.011,
                ear_nod_deg: 40.0,
                ..CropSpec::default()
            })
        },
    },
    Preset {
        name: "maize",
        description: "maize at tasselling in rows of 0.75 m, typically 8.5 plants per m², 2.5 m, leaf area index about 4",
        make: || {
            PlantSpec::Crop(CropSpec {
                size_x_m: 1.5,
                size_y_m: 1.5,
                culms_per_m2: 8.5,
                row_spacing_m: 0.75,
                row_scatter_m: 0.02,
                spacing_jitter: 0.3,
                height_mean_m: 2.2,
                height_sd_m: 0.12,
                culm_diameter_m: 0.025,
                culm_lean_sd_deg: 2.0,
                culm_sides: 5,
                leaves_per_culm: 13,
                leaf_from: 0.08,
                leaf_to: 0.92,
                leaf_length_mean_m: 0.75,
                leaf_length_sd_m: 0.1,
                leaf_width_mean_m: 0.085,
                leaf_width_sd_m: 0.01,
                leaf_lean_mean_deg: 28.0,
                leaf_lean_sd_deg: 8.0,
                leaf_curvature_mean_deg: 95.0,
                leaf_curvature_sd_deg: 25.0,
                leaf_segments: 8,
                ear_length_m: 0.3,
                ear_diameter_m: 0.03,
                ear_nod_deg: 0.0,
                cob_length_m: 0.22,
                cob_diameter_m: 0.05,
                ..CropSpec::default()
            })
        },
    },
    Preset {
        name: "reeds",
        description: "common reed (Phragmites) at a shore, typically 80 culms per m², 2.5 m, leaf area index about 5",
        make: || {
            PlantSpec::Crop(CropSpec {
                culms_per_m2: 80.0,
                row_spacing_m: 0.0,
                height_mean_m: 2.3,
                height_sd_m: 0.35,
                culm_diameter_m: 0.008,
                culm_lean_sd_deg: 3.0,
                culm_sides: 4,
                leaves_per_culm: 12,
                leaf_from: 0.3,
                leaf_to: 0.97,
                leaf_length_mean_m: 0.4,
                leaf_length_sd_m: 0.08,
                leaf_width_mean_m: 0.022,
                leaf_width_sd_m: 0.004,
                leaf_lean_mean_deg: 35.0,
                leaf_lean_sd_deg: 12.0,
                leaf_curvature_mean_deg: 50.0,
                leaf_curvature_sd_deg: 25.0,
                leaf_segments: 4,
                ear_length_m: 0.22,
                ear_diameter_m: 0.03,
                ear_nod_deg: 25.0,
                ..CropSpec::default()
            })
        },
    },
];
