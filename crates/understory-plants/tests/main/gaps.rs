//! The leaves of every preset against exp(−G·LAI/cos θ), and how clumped the plants are.
//!
//! Each plant's own leaves, as they were grown, are scattered at random: then the law is exact but
//! for two errors. Rays: 120 000 of them have a standard deviation of at most 0.0014. Leaves: at
//! least 100 000 of them have one of at most 0.0013 at the gaps met here (see `beer_lambert.rs`).
//! 0.01 is more than 5 deviations of both together: error probability below 6e-7 for each view.

use understory_plants::{Canopy, GrassSpec, PlantSpec, preset, presets, scattered_gap_fractions};

fn leaves_obey_beer_and_lambert(name: &str) {
    let plant = preset(name).unwrap().spec().grow(1).unwrap();
    let zeniths = [0.0f64, 30.0, 57.5].map(f64::to_radians);
    let gaps = scattered_gap_fractions(&plant, 2.0, &zeniths, 120_000, 5).unwrap();
    println!("{name}: {gaps:.4?}");
    for gap in gaps {
        assert!((gap.measured - gap.beer_lambert).abs() < 0.01, "{name}: {gap:?}");
    }
}

macro_rules! leaves {
    ($($test:ident: $($name:literal),+;)+) => {$(
        #[test]
        fn $test() {
            for name in [$($name),+] {
                leaves_obey_beer_and_lambert(name);
            }
        }
    )+};
}

// In groups, so that they run beside each other.
leaves! {
    oak_leaves: "oak";
    beech_leaves: "beech";
    birch_and_apple_leaves: "birch", "apple";
    poplar_and_acacia_leaves: "poplar", "acacia";
    spruce_needles: "spruce";
    pine_needles: "pine";
    alder_and_willow_leaves: "alder", "willow";
    larch_needles: "larch";
    outlined_oak_and_beech_leaves: "oak-outlined", "beech-outlined";
    outlined_leaves: "birch-outlined", "apple-outlined", "poplar-outlined", "acacia-outlined";
    outlined_needles: "spruce-outlined", "pine-outlined";
    beech_and_pine_stands: "beech-stand", "pine-stand";
    spruce_and_mixed_stands: "spruce-stand", "mixed-stand";
    young_stand_and_riparian_strip: "young-stand", "riparian-strip";
    shrub_leaves: "hazel", "gorse", "juniper", "hedge";
    grass_blades: "tall-grass", "mown-grass", "pasture", "meadow";
    crop_leaves: "wheat", "barley", "rye", "maize", "reeds";
}

#[test]
fn no_preset_with_leaves_is_left_out() {
    let tested = include_str!("gaps.rs");
    for preset in presets().filter(|preset| !["stems", "leaf-volume"].contains(&preset.name)) {
        assert!(tested.contains(&format!("{:?}", preset.name)), "{}", preset.name);
    }
}

/// Single blades at random places, upright as they grow: a layer of grass as Beer and Lambert have
/// it. With tufts more light passes.
#[test]
fn grass_of_single_blades_obeys_and_grass_in_tufts_lets_more_through() {
    let PlantSpec::Grass(tall) = preset("tall-grass").unwrap().spec() else { panic!() };
    let spec = GrassSpec { size_x_m: 4.0, size_y_m: 4.0, blades_per_m2: 1000.0, ..tall };
    for degrees in [0.0f64, 30.0] {
        let gap = |blades_per_tuft: u32| {
            let plant = GrassSpec { blades_per_tuft, ..spec.clone() }.grow(4).unwrap();
            let canopy = Canopy::stand(&plant, [4.0, 4.0]).unwrap();
            canopy.gap_fraction(degrees.to_radians(), 80_000, 6)
        };
        let (single, tufted) = (gap(1), gap(100));
        println!("{degrees}°: single {single:.4?}, in tufts {tufted:.4?}");
        assert!((single.measured - single.beer_lambert).abs() < 0.01, "{single:?}");
        assert!(tufted.clumping < 0.97 * single.clumping, "{tufted:?}");
    }
}

/// Leaves sit on twigs: every crown lets more light through than as many leaves spread evenly over
/// the voxels that hold them would.
#[test]
fn crowns_are_clumped() {
    for name in ["apple", "hazel"] {
        let plant = preset(name).unwrap().spec().grow(1).unwrap();
        let canopy = Canopy::crown(&plant, plant.measures(0).spread_m / 12.0).unwrap();
        for degrees in [0.0f64, 57.5] {
            let gap = canopy.gap_fraction(degrees.to_radians(), 20_000, 3);
            println!("{name} {degrees}°: {gap:.4?}");
            assert!((0.3..1.0).contains(&gap.clumping), "{name} {gap:?}");
        }
    }
}
