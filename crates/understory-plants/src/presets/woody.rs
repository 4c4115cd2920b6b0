//! Shrubs, and trees and conifers of a given outline, that can be called by name.
//!
//! Heights, crowns, leaf sizes and leaf area indices are typical of grown plants of the species as
//! floras and forest inventories give them; every tree in the field differs.

use super::Preset;
use crate::{ConiferSpec, CrownShape, LeafAngle, LeafShape, PlantSpec, ShrubSpec, TreeSpec};

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "oak-outlined",
        description: "open-grown pedunculate oak, typically 15 m, broad crown of 13 m, leaf area index 4.5",
        make: || {
            PlantSpec::Tree(TreeSpec {
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
            })
        },
    },
    Preset {
        name: "beech-outlined",
        description: "European beech, typically 18 m, egg-shaped crown of 10 m, flat leaves, leaf area index 5.5",
        make: || {
            PlantSpec::Tree(TreeSpec {
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
            })
        },
    },
    Preset {
        name: "birch-outlined",
        description: "silver birch, typically 14 m, slender crown of 5 m, hanging twigs, leaf area index 3",
        make: || {
            PlantSpec::Tree(TreeSpec {
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
            })
        },
    },
    Preset {
        name: "apple-outlined",
        description: "orchard apple, typically 4 m, round crown of 3.6 m on a 1 m stem, leaf area index 2.8",
        make: || {
            PlantSpec::Tree(TreeSpec {
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
            })
        },
    },
    Preset {
        name: "poplar-outlined",
        description: "Lombardy poplar, typically 20 m, column of 3.4 m, leaf area index 9 over its narrow base",
        make: || {
            PlantSpec::Tree(TreeSpec {
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
            })
        },
    },
    Preset {
        name: "acacia-outlined",
        description: "umbrella thorn acacia, typically 7 m, flat crown of 9 m, leaf area index 1.5",
        make: || {
            PlantSpec::Tree(TreeSpec {
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
            })
        },
    },
    Preset {
        name: "spruce-outlined",
        description: "young Norway spruce, typically 12 m, cone of 4.4 m to near the ground, leaf area index 6",
        make: || PlantSpec::Conifer(ConiferSpec::default()),
    },
    Preset {
        name: "pine-outlined",
        description: "Scots pine, typically 15 m, crown of 5.5 m on a 7.5 m bare stem, leaf area index 3",
        make: || {
            PlantSpec::Conifer(ConiferSpec {
                height_m: 15.0,
                crown_shape: CrownShape::Ellipsoid,
                crown_width_m: 5.5,
                crown_base_m: 7.5,
                stem_diameter_m: 0.3,
                twig_diameter_m: 0.005,
                whorl_spacing_m: 0.45,
                branches_per_whorl: 6,
                branch_angle_top_deg: 55.0,
                branch_angle_base_deg: 95.0,
                branch_curve_deg: 18.0,
                side_spacing_m: 0.2,
                side_droop_deg: -15.0,
                needled_length_m: 0.35,
                irregularity: 0.7,
                needle_length_m: 0.07,
                needle_width_m: 0.006,
                leaf_area_index: 3.0,
                ..ConiferSpec::default()
            })
        },
    },
    Preset {
        name: "hazel",
        description: "hazel, typically 4 m, a dozen stems spreading to 3.8 m, leaf area index 3.5",
        make: || {
            PlantSpec::Shrub(ShrubSpec {
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
            })
        },
    },
    Preset {
        name: "gorse",
        description: "gorse, typically 1.5 m, dense dome of spines 1.7 m wide, leaf area index 3",
        make: || {
            PlantSpec::Shrub(ShrubSpec {
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
            })
        },
    },
    Preset {
        name: "juniper",
        description: "common juniper, typically 2.6 m, column of 1 m, leaf area index 7 over its narrow base",
        make: || {
            PlantSpec::Shrub(ShrubSpec {
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
            })
        },
    },
    Preset {
        name: "hedge",
        description: "clipped privet hedge, 2 m piece along x, typically 1.6 m high and 0.7 m deep, leaf area index 10",
        make: || {
            PlantSpec::Shrub(ShrubSpec {
                height_m: 1.6,
                crown_shape: CrownShape::Box,
                crown_width_m: 2.0,
                crown_depth_m: Some(0.7),
                crown_base_m: 0.1,
                leader: 0.6,
                stems: 16,
                stem_diameter_m: 0.022,
                branch_spacing_m: 0.085,
                influence_radius_m: 0.5,
                kill_radius_m: 0.09,
                tropism: 0.2,
                hollow: 1.0,
                shoot_length_m: 0.12,
                leaf_length_m: 0.045,
                leaf_width_m: 0.02,
                leaf_angle: LeafAngle::Uniform,
                leaf_area_index: 10.0,
                ..ShrubSpec::default()
            })
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Skeleton;
    use crate::{FoliageDensity, Part, Plant, Random};

    /// What a preset promises.
    struct Promise {
        skeleton: Skeleton,
        stems: u32,
        stem_diameter_m: f64,
        height_m: f64,
        width_m: f64,
        leaf_area_m2: f64,
    }

    fn promise(spec: &PlantSpec, seed: u64) -> Promise {
        let random = Random::new(seed);
        let (skeleton, stems, stem_diameter_m, height_m, width_m, leaf_area_m2) = match spec {
            PlantSpec::Tree(s) => {
                let skeleton = s.skeleton(&random);
                (skeleton, 1, s.stem_diameter_m, s.height_m, s.crown_width_m, s.leaf_area_m2())
            }
            PlantSpec::Shrub(s) => {
                let skeleton = s.skeleton(&random);
                let stems = s.stems;
                (skeleton, stems, s.stem_diameter_m, s.height_m, s.crown_width_m, s.leaf_area_m2())
            }
            PlantSpec::Conifer(s) => {
                let skeleton = s.skeleton(&random);
                (skeleton, 1, s.stem_diameter_m, s.height_m, s.crown_width_m, s.leaf_area_m2())
            }
            _ => panic!("no woody plant"),
        };
        Promise { skeleton, stems, stem_diameter_m, height_m, width_m, leaf_area_m2 }
    }

    /// Area of all leaf triangles, from the lengths of their sides (Heron).
    fn leaf_area_by_heron(plant: &Plant) -> f64 {
        let area = |[a, b, c]: [glam::DVec3; 3]| {
            let (x, y, z) = (a.distance(b), b.distance(c), c.distance(a));
            let half = 0.5 * (x + y + z);
            (half * (half - x) * (half - y) * (half - z)).max(0.0).sqrt()
        };
        plant.corners().filter(|(_, part)| *part == Part::Leaf).map(|(c, _)| area(c)).sum()
    }

    #[test]
    fn every_woody_preset_is_as_high_wide_and_leafy_as_it_says() {
        for preset in PRESETS {
            let (name, spec) = (preset.name, preset.spec());
            let wanted = promise(&spec, 7);
            let plant = spec.grow(7).unwrap();
            let measures = plant.measures(10);
            let off = |value: f64, wanted: f64| (value / wanted - 1.0).abs();
            assert!(off(measures.leaf_area_m2, wanted.leaf_area_m2) < 1e-6, "{name}");
            assert!(off(leaf_area_by_heron(&plant), wanted.leaf_area_m2) < 1e-4, "{name}");
            assert!(off(measures.height_m, wanted.height_m) < 0.05, "{name} {measures:?}");
            assert!(off(measures.spread_m, wanted.width_m) < 0.2, "{name} {measures:?}");
            assert!(measures.triangles <= 600_000, "{name} {}", measures.triangles);
            let lowest = plant.positions.iter().map(|p| p.z).fold(0.0, f64::min);
            // The foot of a leaning stem is cut across the stem.
            assert!(lowest > -0.5 * wanted.stem_diameter_m, "{name} {lowest}");
            assert!(measures.wood_area_m2 < measures.leaf_area_m2, "{name}");
        }
    }

    #[test]
    fn wood_is_connected_and_follows_the_pipe_model() {
        for preset in PRESETS {
            let wanted = promise(&preset.spec(), 3);
            wanted.skeleton.assert_valid();
            let n = wanted.skeleton.pipe_exponent;
            assert!((1.2..3.5).contains(&n), "{} {n}", preset.name);
            let feet = wanted.skeleton.nodes.iter().filter(|node| node.parent.is_none());
            let pipes: f64 = feet.map(|foot| foot.radius_m.powf(n)).sum();
            let radius = (pipes / f64::from(wanted.stems)).powf(1.0 / n);
            assert!((2.0 * radius / wanted.stem_diameter_m - 1.0).abs() < 1e-9, "{}", preset.name);
        }
    }

    #[test]
    fn leaf_area_rises_from_low_to_high() {
        let PlantSpec::Tree(apple) = crate::preset("apple-outlined").unwrap().spec() else {
            panic!()
        };
        let areas = [FoliageDensity::Low, FoliageDensity::Medium, FoliageDensity::High]
            .map(|foliage_density| TreeSpec { foliage_density, ..apple.clone() })
            .map(|spec| spec.grow(1).unwrap().measures(0).leaf_area_m2);
        assert!((areas[0] / areas[1] - 0.5).abs() < 1e-6, "{areas:?}");
        assert!((areas[2] / areas[1] - 1.6).abs() < 1e-6, "{areas:?}");
    }

    #[test]
    fn any_parameters_give_a_sentence_or_a_sound_plant() {
        let mut random = Random::new(1);
        let mut grown = 0;
        for _ in 0..50 {
            let mut around = |value: f64| value * 10f64.powf(random.between(-0.5, 0.5));
            let base = TreeSpec::default();
            let spec = TreeSpec {
                height_m: around(base.height_m),
                crown_width_m: around(base.crown_width_m),
                crown_base_m: around(base.crown_base_m),
                leader: around(0.3),
                stems: around(2.0) as u32,
                stem_diameter_m: around(base.stem_diameter_m),
                branch_spacing_m: around(2.0),
                kill_radius_m: around(1.8),
                influence_radius_m: around(7.0),
                tropism: around(1.0) - 1.0,
                hollow: around(1.0),
                shoot_length_m: around(base.shoot_length_m),
                leaf_length_m: around(base.leaf_length_m),
                leaf_area_index: around(2.0),
                leaf_count_max: 20_000,
                ..base
            };
            let Ok(plant) = spec.grow(5) else { continue };
            grown += 1;
            assert!(plant.positions.iter().all(|p| p.is_finite()), "{spec:?}");
            let area = plant.measures(0).leaf_area_m2;
            assert!((area / spec.leaf_area_m2() - 1.0).abs() < 1e-6, "{spec:?} {area}");
        }
        assert!(grown > 10, "{grown}");
    }
}
