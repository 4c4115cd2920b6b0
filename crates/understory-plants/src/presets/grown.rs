//! Trees that are grown and can be called by name; `grown/species.rs` says how they grow.

use super::Preset;
use crate::PlantSpec;
use crate::grown::species::{
    acacia, alder, apple, beech, birch, larch, oak, pine, poplar, spruce, willow,
};

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[
    Preset {
        name: "oak",
        description: "open-grown pedunculate oak, typically 15 m, broad crooked crown of 14 m, leaf area index 4.5",
        make: || PlantSpec::Grown(oak()),
    },
    Preset {
        name: "beech",
        description: "European beech, typically 18 m, dense oval crown of 10 m, flat leaves, leaf area index 5.5",
        make: || PlantSpec::Grown(beech()),
    },
    Preset {
        name: "birch",
        description: "silver birch, typically 14 m, slender crown of 5.5 m, hanging twigs, white bark, leaf area index 3",
        make: || PlantSpec::Grown(birch()),
    },
    Preset {
        name: "apple",
        description: "orchard apple, typically 4 m, round open crown of 3.6 m on a 1 m stem, leaf area index 2.8",
        make: || PlantSpec::Grown(apple()),
    },
    Preset {
        name: "poplar",
        description: "Lombardy poplar, typically 20 m, column of 3.4 m, leaf area index 9 over its narrow base",
        make: || PlantSpec::Grown(poplar()),
    },
    Preset {
        name: "acacia",
        description: "umbrella thorn acacia, typically 7 m, flat crown of 9 m, leaf area index 1.5",
        make: || PlantSpec::Grown(acacia()),
    },
    Preset {
        name: "alder",
        description: "common alder, typically 15 m, narrow crown of 6 m on a straight stem, leaf area index 3.5",
        make: || PlantSpec::Grown(alder()),
    },
    Preset {
        name: "willow",
        description: "white willow, typically 14 m, forked stem, crown of 10 m with narrow leaves, leaf area index 4",
        make: || PlantSpec::Grown(willow()),
    },
    Preset {
        name: "spruce",
        description: "Norway spruce, typically 14 m, cone of 5 m with hanging branches to the ground, leaf area index 6",
        make: || PlantSpec::Grown(spruce()),
    },
    Preset {
        name: "pine",
        description: "Scots pine of a stand, typically 16 m, rounded crown above a bare orange stem, leaf area index 3",
        make: || PlantSpec::Grown(pine()),
    },
    Preset {
        name: "larch",
        description: "European larch, typically 18 m, light open cone of 6 m, bare in winter, leaf area index 3",
        make: || PlantSpec::Grown(larch()),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grown::species::SPECIES;
    use crate::{FoliageDensity, GrownSpec, Part, Season};

    fn grown(name: &str) -> GrownSpec {
        let PlantSpec::Grown(spec) = crate::preset(name).unwrap().spec() else { panic!("{name}") };
        spec
    }

    #[test]
    fn every_species_has_its_preset() {
        let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let species: Vec<&str> = SPECIES.iter().map(|(name, _)| *name).collect();
        assert_eq!(presets, species);
        assert!(SPECIES.iter().all(|(name, make)| grown(name) == make()));
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
                assert!((0.4 * most..=most).contains(&real), "{name}: {real} {most}");
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
