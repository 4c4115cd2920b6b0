//! Trees that are grown and can be called by name.
//!
//! How each grows follows how floras describe the species: Roloff (2015, "Handbuch Baumdiagnostik")
//! for crowns, Hallé, Oldeman and Tomlinson (1978) for the order of branching, Ellenberg and Leuschner
//! (2010) for the shade that they bear. Sizes are those of grown trees in summer; every tree in the
//! field differs.

use super::Preset;
use crate::{Bark, GrownSpec, LeafAngle, LeafShape, PlantSpec};

/// What all conifers of the list share.
fn conifer() -> GrownSpec {
    GrownSpec {
        whorled: true,
        needles: true,
        shoot_length_m: 0.28,
        leaves_per_shoot: 24,
        leaf_length_m: 0.04,
        leaf_width_m: 0.006,
        phototropism: 0.1,
        stem_tropism: 0.5,
        ..GrownSpec::default()
    }
}

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "oak",
        description: "open-grown pedunculate oak, typically 15 m, broad crooked crown of 14 m, leaf area index 4.5",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 15.0,
                crown_width_m: 14.0,
                pruned_below_m: 2.5,
                stem_diameter_m: 0.65,
                leader_m: 0.4,
                side_share: 0.85,
                apical_control: 0.49,
                branch_angle_deg: 60.0,
                side_angle_deg: 50.0,
                branches_per_shoot: 2.5,
                sides_per_shoot: 2.0,
                branch_tropism: 0.1,
                wander: 0.32,
                leader_loss: 0.1,
                slow_from: 0.35,
                slow_to: 0.5,
                shade_limit: 0.12,
                shoot_foliage: 2.0,
                sag: 0.4,
                leaf_length_m: 0.11,
                leaf_width_m: 0.065,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "beech",
        description: "European beech, typically 18 m, dense oval crown of 10 m, flat leaves, leaf area index 5.5",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 18.0,
                crown_width_m: 10.0,
                pruned_below_m: 1.5,
                stem_diameter_m: 0.45,
                side_share: 0.75,
                apical_control: 0.53,
                branch_angle_deg: 48.0,
                side_angle_deg: 45.0,
                branches_per_shoot: 3.0,
                sides_per_shoot: 2.0,
                flat: true,
                branch_tropism: 0.12,
                wander: 0.14,
                shade_limit: 0.06,
                slow_from: 0.5,
                slow_to: 0.5,
                shoot_foliage: 2.4,
                sag: 0.6,
                shoot_length_m: 0.3,
                shoot_tropism: 0.0,
                leaf_length_m: 0.085,
                leaf_width_m: 0.055,
                leaf_angle: LeafAngle::Planophile,
                leaf_area_index: 5.5,
                bark: Bark::Grey,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "birch",
        description: "silver birch, typically 14 m, slender crown of 5.5 m, hanging twigs, white bark, leaf area index 3",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 14.0,
                crown_width_m: 5.5,
                pruned_below_m: 2.0,
                stem_diameter_m: 0.2,
                twig_diameter_m: 0.002,
                leader_m: 0.55,
                side_share: 0.75,
                apical_control: 0.55,
                branch_angle_deg: 42.0,
                side_angle_deg: 40.0,
                branches_per_shoot: 3.5,
                branch_tropism: 0.12,
                wander: 0.14,
                shade_limit: 0.15,
                slow_to: 0.5,
                shoot_foliage: 2.0,
                sag: 1.0,
                shoot_length_m: 0.6,
                shoot_tropism: -1.3,
                leaves_per_shoot: 14,
                leaf_length_m: 0.05,
                leaf_width_m: 0.04,
                leaf_shape: LeafShape::Deltoid,
                leaf_area_index: 3.0,
                bark: Bark::White,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "apple",
        description: "orchard apple, typically 4 m, round open crown of 3.6 m on a 1 m stem, leaf area index 2.8",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 4.0,
                crown_width_m: 3.6,
                pruned_below_m: 0.9,
                stem_diameter_m: 0.12,
                leader_m: 0.2,
                side_share: 0.8,
                apical_control: 0.48,
                branch_angle_deg: 55.0,
                side_angle_deg: 50.0,
                branches_per_shoot: 2.5,
                sides_per_shoot: 2.0,
                branch_tropism: 0.12,
                wander: 0.28,
                leader_loss: 0.12,
                slow_from: 0.3,
                slow_to: 0.5,
                shade_limit: 0.14,
                shoot_foliage: 2.0,
                sag: 1.0,
                shoot_length_m: 0.18,
                leaves_per_shoot: 8,
                leaf_length_m: 0.08,
                leaf_width_m: 0.045,
                leaf_shape: LeafShape::Oval,
                leaf_area_index: 2.8,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "poplar",
        description: "Lombardy poplar, typically 20 m, column of 3.4 m, leaf area index 9 over its narrow base",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 20.0,
                crown_width_m: 3.4,
                pruned_below_m: 1.0,
                stem_diameter_m: 0.45,
                leader_m: 0.6,
                side_share: 0.7,
                apical_control: 0.55,
                branch_angle_deg: 22.0,
                side_angle_deg: 24.0,
                branches_per_shoot: 4.5,
                sides_per_shoot: 2.0,
                stem_tropism: 0.4,
                branch_tropism: 0.5,
                phototropism: 0.1,
                wander: 0.1,
                shade_limit: 0.08,
                slow_from: 0.7,
                shoot_foliage: 1.5,
                sag: 0.2,
                shoot_length_m: 0.35,
                shoot_tropism: 0.8,
                leaf_length_m: 0.065,
                leaf_width_m: 0.065,
                leaf_shape: LeafShape::Deltoid,
                leaf_angle: LeafAngle::Erectophile,
                leaf_area_index: 9.0,
                leaf_count_max: 60_000,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "acacia",
        description: "umbrella thorn acacia, typically 7 m, flat crown of 9 m, leaf area index 1.5",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 7.0,
                crown_width_m: 9.0,
                pruned_below_m: 2.2,
                stem_diameter_m: 0.35,
                leader_m: 0.3,
                side_share: 0.85,
                apical_control: 0.45,
                branch_angle_deg: 62.0,
                side_angle_deg: 45.0,
                branches_per_shoot: 2.5,
                sides_per_shoot: 2.2,
                flat: true,
                branch_tropism: 0.02,
                wander: 0.22,
                leader_loss: 0.1,
                slow_from: 0.3,
                slow_to: 0.3,
                shade_limit: 0.2,
                shoot_foliage: 1.5,
                sag: 0.1,
                shoot_length_m: 0.2,
                leaf_length_m: 0.08,
                leaf_width_m: 0.03,
                leaf_area_index: 1.5,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "alder",
        description: "common alder, typically 15 m, narrow crown of 6 m on a straight stem, leaf area index 3.5",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 15.0,
                crown_width_m: 6.0,
                pruned_below_m: 1.5,
                stem_diameter_m: 0.25,
                leader_m: 0.5,
                side_share: 0.65,
                apical_control: 0.55,
                branch_angle_deg: 62.0,
                branches_per_shoot: 3.5,
                sides_per_shoot: 2.2,
                stem_tropism: 0.4,
                wander: 0.12,
                shade_limit: 0.14,
                shoot_foliage: 2.0,
                sag: 0.8,
                leaf_length_m: 0.075,
                leaf_width_m: 0.065,
                leaf_shape: LeafShape::Oval,
                leaf_area_index: 3.5,
                leaf_count_max: 100_000,
                bark: Bark::Grey,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "willow",
        description: "white willow, typically 14 m, forked stem, crown of 10 m with narrow leaves, leaf area index 4",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 14.0,
                crown_width_m: 10.0,
                pruned_below_m: 1.0,
                stem_diameter_m: 0.5,
                twig_diameter_m: 0.003,
                leader_m: 0.55,
                side_share: 0.8,
                apical_control: 0.48,
                branch_angle_deg: 40.0,
                side_angle_deg: 35.0,
                branches_per_shoot: 2.8,
                sides_per_shoot: 2.2,
                branch_tropism: 0.15,
                wander: 0.2,
                leader_loss: 0.12,
                slow_from: 0.4,
                slow_to: 0.5,
                shade_limit: 0.16,
                shoot_foliage: 2.0,
                sag: 0.4,
                shoot_length_m: 0.6,
                shoot_tropism: -0.6,
                leaves_per_shoot: 16,
                leaf_length_m: 0.08,
                leaf_width_m: 0.018,
                leaf_shape: LeafShape::Lanceolate,
                leaf_area_index: 4.0,
                leaf_count_max: 250_000,
                ..GrownSpec::default()
            })
        },
    },
    Preset {
        name: "spruce",
        description: "Norway spruce, typically 14 m, cone of 5 m with hanging branches to the ground, leaf area index 6",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 14.0,
                crown_width_m: 5.0,
                stem_diameter_m: 0.24,
                twig_diameter_m: 0.003,
                leader_m: 0.4,
                side_share: 0.6,
                apical_control: 0.55,
                branch_angle_deg: 78.0,
                side_angle_deg: 55.0,
                branches_per_shoot: 11.0,
                sides_per_shoot: 4.0,
                branch_orders: 2,
                flat: true,
                stem_tropism: 0.6,
                branch_tropism: 0.06,
                wander: 0.08,
                shade_limit: 0.06,
                dead_years: 14,
                leaf_years: 6,
                leader_loss: 0.003,
                slow_from: 0.8,
                slow_to: 0.8,
                shoot_foliage: 1.0,
                sag: 30.0,
                shoot_tropism: -0.7,
                leaf_area_index: 6.0,
                leaf_count_max: 300_000,
                bark: Bark::Scaly,
                ..conifer()
            })
        },
    },
    Preset {
        name: "pine",
        description: "Scots pine of a stand, typically 16 m, rounded crown above a bare orange stem, leaf area index 3",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 16.0,
                crown_width_m: 6.5,
                neighbours_m: Some(5.5),
                stem_diameter_m: 0.3,
                twig_diameter_m: 0.006,
                leader_m: 0.4,
                side_share: 0.7,
                apical_control: 0.52,
                branch_angle_deg: 68.0,
                side_angle_deg: 45.0,
                branches_per_shoot: 5.0,
                sides_per_shoot: 2.6,
                branch_tropism: 0.12,
                phototropism: 0.3,
                wander: 0.16,
                shade_limit: 0.22,
                dead_years: 8,
                leaf_years: 3,
                slow_from: 0.45,
                slow_to: 0.35,
                shoot_foliage: 1.2,
                sag: 0.3,
                shoot_length_m: 0.14,
                shoot_tropism: 0.5,
                leaves_per_shoot: 30,
                leaf_length_m: 0.07,
                leaf_area_index: 3.0,
                leaf_count_max: 250_000,
                bark: Bark::Orange,
                ..conifer()
            })
        },
    },
    Preset {
        name: "larch",
        description: "European larch, typically 18 m, light open cone of 6 m, bare in winter, leaf area index 3",
        make: || {
            PlantSpec::Grown(GrownSpec {
                height_m: 18.0,
                crown_width_m: 6.0,
                pruned_below_m: 2.0,
                stem_diameter_m: 0.3,
                twig_diameter_m: 0.003,
                leader_m: 0.5,
                side_share: 0.6,
                apical_control: 0.55,
                branch_angle_deg: 80.0,
                side_angle_deg: 55.0,
                branches_per_shoot: 6.0,
                sides_per_shoot: 3.0,
                branch_orders: 2,
                whorled: false,
                flat: true,
                branch_tropism: 0.08,
                wander: 0.1,
                shade_limit: 0.15,
                dead_years: 8,
                leader_loss: 0.01,
                slow_from: 0.7,
                slow_to: 0.6,
                shoot_foliage: 1.5,
                sag: 6.0,
                shoot_tropism: -0.5,
                leaf_length_m: 0.03,
                leaf_area_index: 3.0,
                leaf_count_max: 250_000,
                ..conifer()
            })
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FoliageDensity, Part, Season};

    fn grown(name: &str) -> GrownSpec {
        let PlantSpec::Grown(spec) = crate::preset(name).unwrap().spec() else { panic!("{name}") };
        spec
    }

    #[test]
    fn every_grown_preset_is_as_high_wide_and_leafy_as_it_says() {
        for preset in PRESETS {
            let (name, spec) = (preset.name, grown(preset.name));
            for seed in [3, 7] {
                let plant = spec.grow(seed).unwrap();
                let measures = plant.measures(10);
                let off = |value: f64, wanted: f64| (value / wanted - 1.0).abs();
                assert!(off(measures.leaf_area_m2, spec.leaf_area_m2()) < 1e-6, "{name}");
                assert!(off(measures.height_m, spec.height_m) < 0.03, "{name} {measures:?}");
                let width = spec.neighbours_m.unwrap_or(spec.crown_width_m);
                // What stands in a wood reaches into gaps between its neighbours.
                let most = if spec.neighbours_m.is_some() { 2.2 } else { 1.3 };
                let spread = measures.spread_m / width;
                assert!((0.8..most).contains(&spread), "{name} {} of {width}", measures.spread_m);
                let lowest = plant.positions.iter().map(|p| p.z).fold(0.0, f64::min);
                assert!(lowest > -0.5 * spec.stem_diameter_m, "{name} {lowest}");
                let real = plant.triangles.len() as f64;
                let most = spec.triangle_estimate() as f64;
                println!("{name}: {real} of {most}");
                assert!((0.5 * most..=most).contains(&real), "{name}: {real} {most}");
            }
        }
    }

    #[test]
    fn wood_is_connected_and_follows_the_pipe_model() {
        for preset in PRESETS {
            let spec = grown(preset.name);
            let skeleton = spec.skeleton(&crate::Random::new(5));
            skeleton.assert_valid();
            let diameter = 2.0 * skeleton.nodes[0].radius_m;
            assert!((diameter / spec.stem_diameter_m - 1.0).abs() < 1e-9, "{}", preset.name);
        }
    }

    #[test]
    fn seasons_change_the_leaf_area_and_a_number_counts_in_each() {
        let area = |season, foliage_density| {
            let spec = GrownSpec { season, foliage_density, ..grown("apple") };
            spec.grow(1).map(|plant| plant.measures(0).leaf_area_m2)
        };
        let medium = FoliageDensity::Medium;
        let summer = area(Season::Summer, medium).unwrap();
        assert!((area(Season::Spring, medium).unwrap() / summer - 0.5).abs() < 1e-9);
        assert!((area(Season::Autumn, medium).unwrap() / summer - 0.7).abs() < 1e-9);
        assert_eq!(area(Season::Bare, medium).unwrap(), 0.0);
        let number = FoliageDensity::LeafAreaM2(12.0);
        assert!((area(Season::Autumn, number).unwrap() - 12.0).abs() < 1e-9);
        let message = area(Season::Bare, number).unwrap_err().to_string();
        assert!(message.starts_with("foliage_density is 12"), "{message}");
        let spruce = GrownSpec { season: Season::Bare, ..grown("spruce") };
        assert!(spruce.leaf_area_m2() > 50.0);
    }

    /// Trees of one species differ, and are the same with any number of threads.
    #[test]
    fn trees_differ_and_do_not_depend_on_threads() {
        let spec = grown("oak");
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let first = alone.install(|| spec.grow(1).unwrap());
        assert_eq!(first, three.install(|| spec.grow(1).unwrap()));
        // How far apart the middles of two crowns stand, and how unlike their outlines are.
        let profile = |seed| spec.grow(seed).unwrap().measures(8).area_profile_m2;
        let (a, b) = (profile(1), profile(2));
        let unlike: f64 = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum();
        assert!(unlike > 0.1 * a.iter().sum::<f64>(), "{a:?} {b:?}");
    }

    /// A tree of a stand lifts its crown: its branches below die for want of light.
    #[test]
    fn neighbours_lift_the_crown() {
        let base = |neighbours_m| {
            let spec = GrownSpec { neighbours_m, pruned_below_m: 0.0, ..grown("beech") };
            let plant = spec.grow(2).unwrap();
            let leaves = plant.corners().filter(|(_, part)| *part == Part::Leaf);
            let mut heights: Vec<f64> = leaves.map(|([a, ..], _)| a.z).collect();
            heights.sort_by(f64::total_cmp);
            heights[heights.len() / 20]
        };
        let (open, stand) = (base(None), base(Some(4.5)));
        println!("a twentieth of the leaves is below {open:.1} m alone, {stand:.1} m in a stand");
        assert!(stand > open + 2.0, "{open} {stand}");
    }
}
