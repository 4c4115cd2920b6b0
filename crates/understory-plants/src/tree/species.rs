//! Trees, conifers and shrubs that can be called by name.
//!
//! Heights, crowns, leaf sizes and leaf area indices are typical of grown plants of the species as
//! floras and forest inventories give them; every tree in the field differs.

use super::{CrownShape, TreeSpec};
use crate::{ConiferSpec, LeafAngle, LeafShape, PlantSpec, Preset, ShrubSpec};

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "oak",
        description: "open-grown pedunculate oak, typically 15 m, broad crown of 13 m, leaf area index 4.5",
        make: || PlantSpec::Tree(oak()),
    },
    Preset {
        name: "beech",
        description: "European beech, typically 18 m, egg-shaped crown of 10 m, flat leaves, leaf area index 5.5",
        make: || PlantSpec::Tree(beech()),
    },
    Preset {
        name: "birch",
        description: "silver birch, typically 14 m, slender crown of 5 m, hanging twigs, leaf area index 3",
        make: || PlantSpec::Tree(birch()),
    },
    Preset {
        name: "apple",
        description: "orchard apple, typically 4 m, round crown of 3.6 m on a 1 m stem, leaf area index 2.8",
        make: || PlantSpec::Tree(apple()),
    },
    Preset {
        name: "poplar",
        description: "Lombardy poplar, typically 20 m, column of 3.4 m, leaf area index 9 over its narrow base",
        make: || PlantSpec::Tree(poplar()),
    },
    Preset {
        name: "acacia",
        description: "umbrella thorn acacia, typically 7 m, flat crown of 9 m, leaf area index 1.5",
        make: || PlantSpec::Tree(acacia()),
    },
    Preset {
        name: "spruce",
        description: "young Norway spruce, typically 12 m, cone of 4.4 m to near the ground, leaf area index 6",
        make: || PlantSpec::Conifer(spruce()),
    },
    Preset {
        name: "pine",
        description: "Scots pine, typically 15 m, crown of 5.5 m on a 7 m bare stem, leaf area index 3",
        make: || PlantSpec::Conifer(pine()),
    },
    Preset {
        name: "hazel",
        description: "hazel, typically 4 m, a dozen stems spreading to 3.8 m, leaf area index 3.5",
        make: || PlantSpec::Shrub(hazel()),
    },
    Preset {
        name: "gorse",
        description: "gorse, typically 1.5 m, dense dome of spines 1.7 m wide, leaf area index 3",
        make: || PlantSpec::Shrub(gorse()),
    },
    Preset {
        name: "juniper",
        description: "common juniper, typically 2.6 m, column of 1 m, leaf area index 7 over its narrow base",
        make: || PlantSpec::Shrub(juniper()),
    },
    Preset {
        name: "hedge",
        description: "clipped privet hedge, 2 m piece along x, typically 1.6 m high and 0.7 m deep, leaf area index 8",
        make: || PlantSpec::Shrub(hedge()),
    },
];

fn oak() -> TreeSpec {
    TreeSpec {
        height_m: 15.0,
        crown_shape: CrownShape::Dome,
        crown_width_m: 13.0,
        crown_base_m: 3.0,
        leader: 0.15,
        stem_diameter_m: 0.6,
        branch_spacing_m: 0.5,
        influence_radius_m: 2.6,
        kill_radius_m: 0.5,
        tropism: 0.05,
        hollow: 1.5,
        shoot_length_m: 0.28,
        leaves_per_shoot: 10,
        leaf_length_m: 0.11,
        leaf_width_m: 0.065,
        leaf_area_index: 4.5,
        ..TreeSpec::default()
    }
}

fn beech() -> TreeSpec {
    TreeSpec {
        height_m: 18.0,
        crown_width_m: 10.0,
        crown_base_m: 2.5,
        leader: 0.6,
        stem_diameter_m: 0.45,
        branch_spacing_m: 0.5,
        influence_radius_m: 2.2,
        kill_radius_m: 0.5,
        tropism: 0.45,
        hollow: 1.2,
        shoot_length_m: 0.3,
        shoot_tropism: 0.0,
        leaves_per_shoot: 10,
        leaf_length_m: 0.085,
        leaf_width_m: 0.055,
        leaf_angle: LeafAngle::Planophile,
        leaf_area_index: 5.5,
        ..TreeSpec::default()
    }
}

fn birch() -> TreeSpec {
    TreeSpec {
        height_m: 14.0,
        crown_width_m: 5.0,
        crown_base_m: 3.0,
        leader: 0.92,
        stem_diameter_m: 0.2,
        twig_diameter_m: 0.002,
        branch_spacing_m: 0.42,
        influence_radius_m: 1.6,
        kill_radius_m: 0.45,
        tropism: 0.9,
        hollow: 0.6,
        shoot_length_m: 0.6,
        shoot_tropism: -1.3,
        leaves_per_shoot: 14,
        leaf_length_m: 0.05,
        leaf_width_m: 0.04,
        leaf_shape: LeafShape::Deltoid,
        leaf_area_index: 3.0,
        ..TreeSpec::default()
    }
}

fn apple() -> TreeSpec {
    TreeSpec {
        height_m: 4.0,
        crown_shape: CrownShape::Dome,
        crown_width_m: 3.6,
        crown_base_m: 1.0,
        leader: 0.35,
        stem_diameter_m: 0.12,
        branch_spacing_m: 0.26,
        influence_radius_m: 1.2,
        kill_radius_m: 0.28,
        tropism: 0.0,
        hollow: 1.0,
        shoot_length_m: 0.18,
        leaf_length_m: 0.08,
        leaf_width_m: 0.045,
        leaf_shape: LeafShape::Oval,
        leaf_area_index: 2.8,
        ..TreeSpec::default()
    }
}

fn poplar() -> TreeSpec {
    TreeSpec {
        height_m: 20.0,
        crown_shape: CrownShape::Columnar,
        crown_width_m: 3.4,
        crown_base_m: 1.2,
        leader: 0.96,
        stem_diameter_m: 0.45,
        branch_spacing_m: 0.35,
        influence_radius_m: 1.5,
        kill_radius_m: 0.36,
        tropism: 2.2,
        hollow: 0.5,
        shoot_length_m: 0.25,
        shoot_tropism: 0.8,
        leaf_length_m: 0.065,
        leaf_width_m: 0.065,
        leaf_shape: LeafShape::Deltoid,
        leaf_angle: LeafAngle::Erectophile,
        leaf_area_index: 9.0,
        ..TreeSpec::default()
    }
}

fn acacia() -> TreeSpec {
    TreeSpec {
        height_m: 7.0,
        crown_shape: CrownShape::Umbrella,
        crown_width_m: 9.0,
        crown_base_m: 2.2,
        leader: 0.1,
        stem_diameter_m: 0.35,
        branch_spacing_m: 0.36,
        influence_radius_m: 1.8,
        kill_radius_m: 0.4,
        tropism: 0.05,
        hollow: 0.2,
        shoot_length_m: 0.2,
        leaf_length_m: 0.08,
        leaf_width_m: 0.03,
        leaf_area_index: 1.5,
        ..TreeSpec::default()
    }
}

fn spruce() -> ConiferSpec {
    ConiferSpec::default()
}

fn pine() -> ConiferSpec {
    ConiferSpec {
        height_m: 15.0,
        crown_shape: CrownShape::Ovoid,
        crown_width_m: 5.5,
        crown_base_m: 7.0,
        stem_diameter_m: 0.3,
        twig_diameter_m: 0.005,
        whorl_spacing_m: 0.55,
        branches_per_whorl: 6,
        branch_angle_top_deg: 50.0,
        branch_angle_base_deg: 92.0,
        branch_curve_deg: 15.0,
        side_spacing_m: 0.2,
        side_droop_deg: -10.0,
        needled_length_m: 0.35,
        irregularity: 0.9,
        needle_length_m: 0.07,
        needle_width_m: 0.006,
        leaf_area_index: 3.0,
        ..ConiferSpec::default()
    }
}

fn hazel() -> ShrubSpec {
    ShrubSpec {
        height_m: 4.0,
        crown_shape: CrownShape::Vase,
        crown_width_m: 3.8,
        crown_base_m: 0.4,
        leader: 0.6,
        stems: 12,
        stem_diameter_m: 0.05,
        branch_spacing_m: 0.25,
        influence_radius_m: 1.1,
        kill_radius_m: 0.28,
        tropism: 0.3,
        shoot_length_m: 0.2,
        leaf_length_m: 0.1,
        leaf_width_m: 0.08,
        leaf_shape: LeafShape::Oval,
        leaf_angle: LeafAngle::Planophile,
        leaf_area_index: 3.5,
        ..ShrubSpec::default()
    }
}

fn gorse() -> ShrubSpec {
    ShrubSpec {
        height_m: 1.5,
        crown_shape: CrownShape::Dome,
        crown_width_m: 1.7,
        crown_base_m: 0.05,
        stems: 6,
        stem_diameter_m: 0.03,
        branch_spacing_m: 0.09,
        influence_radius_m: 0.4,
        kill_radius_m: 0.1,
        shoot_length_m: 0.12,
        shoot_tropism: 0.8,
        leaves_per_shoot: 20,
        leaf_length_m: 0.02,
        leaf_width_m: 0.002,
        leaf_shape: LeafShape::Lanceolate,
        leaf_area_index: 3.0,
        ..ShrubSpec::default()
    }
}

fn juniper() -> ShrubSpec {
    ShrubSpec {
        height_m: 2.6,
        crown_shape: CrownShape::Columnar,
        crown_width_m: 1.0,
        crown_base_m: 0.05,
        leader: 0.8,
        stems: 4,
        stem_diameter_m: 0.05,
        branch_spacing_m: 0.1,
        influence_radius_m: 0.45,
        kill_radius_m: 0.11,
        tropism: 0.6,
        shoot_length_m: 0.14,
        shoot_tropism: 1.0,
        leaves_per_shoot: 20,
        leaf_length_m: 0.015,
        leaf_width_m: 0.0015,
        leaf_shape: LeafShape::Lanceolate,
        leaf_area_index: 7.0,
        ..ShrubSpec::default()
    }
}

fn hedge() -> ShrubSpec {
    ShrubSpec {
        height_m: 1.6,
        crown_shape: CrownShape::Box,
        crown_width_m: 2.0,
        crown_depth_m: Some(0.7),
        crown_base_m: 0.1,
        leader: 0.6,
        stems: 16,
        stem_diameter_m: 0.03,
        branch_spacing_m: 0.1,
        influence_radius_m: 0.5,
        kill_radius_m: 0.11,
        tropism: 0.2,
        hollow: 1.0,
        shoot_length_m: 0.08,
        leaf_length_m: 0.045,
        leaf_width_m: 0.02,
        leaf_angle: LeafAngle::Uniform,
        leaf_area_index: 8.0,
        ..ShrubSpec::default()
    }
}
