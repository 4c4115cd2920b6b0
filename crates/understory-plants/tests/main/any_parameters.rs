//! Whatever the parameters: a sentence, or a mesh that can be traced.

use proptest::prelude::*;
use understory_plants::{CropSpec, GrassSpec, LeafVolumeSpec, PlantError, PlantSpec, StemsSpec};

/// Grows it, and finds nothing that a tracer would refuse.
fn is_sound(spec: &PlantSpec) -> Result<(), TestCaseError> {
    let _ = spec.memory_estimate_bytes();
    match spec.grow(1) {
        Err(PlantError::Parameter { parameter, .. }) => prop_assert!(!parameter.is_empty()),
        Err(other) => prop_assert!(false, "{other}"),
        Ok(plant) => {
            prop_assert!(plant.positions.iter().all(|p| p.is_finite()));
            let vertices = plant.positions.len() as u32;
            prop_assert!(plant.triangles.iter().flatten().all(|index| *index < vertices));
            let measures = plant.measures(5);
            let total = measures.leaf_area_m2 + measures.wood_area_m2;
            let profile: f64 = measures.area_profile_m2.iter().sum();
            prop_assert!((profile - total).abs() <= 1e-9 * (1.0 + total));
        }
    }
    Ok(())
}

/// Mostly within limits, sometimes far outside.
fn number(high: f64) -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0..high, 1 => Just(f64::NAN), 1 => Just(-high), 1 => Just(1e300), 1 => Just(0.0)]
}

fn angle() -> impl Strategy<Value = f64> {
    prop_oneof![20 => 0.0..75.0, 1 => any::<f64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn grass(
        sizes in (0.02..0.2, 0.02..0.2),
        blades_per_m2 in 0.0..2000.0,
        height in (0.005..5.0, 0.0..2.0),
        width in (number(0.1), 0.0..0.05),
        angles in (angle(), 0.0..45.0, angle(), 0.0..90.0),
        tuft in (0u32..20, 0.0..1.0),
        segments in 0u32..34,
        others in (number(500.0), number(500.0)),
    ) {
        is_sound(&PlantSpec::Grass(GrassSpec {
            size_x_m: sizes.0,
            size_y_m: sizes.1,
            blades_per_m2,
            height_mean_m: height.0,
            height_sd_m: height.1,
            width_mean_m: width.0,
            width_sd_m: width.1,
            lean_mean_deg: angles.0,
            lean_sd_deg: angles.1,
            curvature_mean_deg: angles.2,
            curvature_sd_deg: angles.3,
            blades_per_tuft: tuft.0,
            tuft_radius_m: tuft.1,
            segments,
            flower_stems_per_m2: others.0,
            herb_leaves_per_m2: others.1,
            ..GrassSpec::default()
        }))?;
    }

    #[test]
    fn crops(
        sizes in (number(0.5), 0.02..0.5),
        culms_per_m2 in 0.0..500.0,
        rows in (number(0.5), 0.0..1.0, 0.0..1.0),
        height in (0.02..10.0, 0.0..3.0),
        leaves in (any::<u8>(), 0.0..1.0, 0.0..1.1, 0u32..34),
        angles in (angle(), 0.0..45.0, angle(), 0.0..90.0),
        ears in (number(2.0), 0.0..150.0, number(1.0)),
    ) {
        is_sound(&PlantSpec::Crop(CropSpec {
            size_x_m: sizes.0,
            size_y_m: sizes.1,
            culms_per_m2,
            row_spacing_m: rows.0,
            row_scatter_m: rows.1,
            spacing_jitter: rows.2,
            height_mean_m: height.0,
            height_sd_m: height.1,
            leaves_per_culm: u32::from(leaves.0),
            leaf_from: leaves.1,
            leaf_to: leaves.2,
            leaf_segments: leaves.3,
            leaf_lean_mean_deg: angles.0,
            leaf_lean_sd_deg: angles.1,
            leaf_curvature_mean_deg: angles.2,
            leaf_curvature_sd_deg: angles.3,
            ear_length_m: ears.0,
            ear_nod_deg: ears.1,
            cob_length_m: ears.2,
            ..CropSpec::default()
        }))?;
    }

    #[test]
    fn stems_and_leaf_volumes(
        sizes in (number(1.0), number(1.0), number(1.0)),
        stems_per_m2 in number(1000.0),
        diameter_m in number(0.1),
        sides in any::<u8>(),
        leaf_area_index in number(4.0),
        leaf_area_m2 in number(0.01),
    ) {
        is_sound(&PlantSpec::Stems(StemsSpec {
            size_x_m: sizes.0,
            size_y_m: sizes.1,
            stems_per_m2,
            diameter_m,
            height_m: sizes.2,
            sides: u32::from(sides),
        }))?;
        is_sound(&PlantSpec::LeafVolume(LeafVolumeSpec {
            size_x_m: sizes.0,
            size_y_m: sizes.1,
            size_z_m: sizes.2,
            leaf_area_index,
            leaf_area_m2,
            ..LeafVolumeSpec::default()
        }))?;
    }
}
