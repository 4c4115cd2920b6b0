//! Relief and features.

use crate::terrain::features::Feature;
use crate::terrain::{GroundPlane, HeightField, TerrainSpec};
use crate::{PlantError, Relief};

fn relief_over(size_m: f64, spacing_m: f64, relief: Relief, seed: u64) -> HeightField {
    let plane = GroundPlane { size_m: [size_m; 2], spacing_m, centre_m: [0.0; 2], height_m: 0.0 };
    TerrainSpec { plane: Some(plane), relief: vec![relief], ..TerrainSpec::default() }
        .build(seed)
        .unwrap()
}

/// Mean square difference of heights so many samples apart, along both axes.
fn structure(field: &HeightField, lag: usize) -> f64 {
    let (columns, rows, heights) = (field.columns(), field.rows(), field.heights_m());
    let (mut sum, mut count) = (0.0, 0.0);
    for row in 0..rows - lag {
        for column in 0..columns - lag {
            let here = heights[row * columns + column];
            sum += (heights[row * columns + column + lag] - here).powi(2);
            sum += (heights[(row + lag) * columns + column] - here).powi(2);
            count += 2.0;
        }
    }
    sum / count
}

/// The mean square difference grows as r^(2H) well inside the band of wavelengths (2 to 128 m; lags
/// of 2 to 16 m). A band has ends, which bend the line: measured slopes are 0.45, 0.60 and 0.73 for H
/// of 0.4, 0.6 and 0.8. The mean over four seeds scatters by less than 0.006, so the tolerance of
/// 0.1 leaves more than four standard deviations beyond that bend: a wrong alarm for fewer than one
/// choice of seeds in ten thousand.
#[test]
fn relief_follows_its_hurst_exponent() {
    for hurst in [0.4, 0.6, 0.8] {
        let mut slopes = Vec::new();
        for seed in 0..4 {
            let relief = Relief {
                hurst,
                rms_height_m: 1.0,
                wavelength_max_m: 128.0,
                wavelength_min_m: Some(2.0),
            };
            let field = relief_over(256.0, 1.0, relief, seed);
            // Slope of the straight line through the four logarithms.
            let logs = [2, 4, 8, 16].map(|lag| structure(&field, lag).log2() / 2.0);
            slopes.push((3.0 * (logs[3] - logs[0]) + logs[2] - logs[1]) / 10.0);
        }
        let mean = slopes.iter().sum::<f64>() / slopes.len() as f64;
        let variance = slopes.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / 3.0;
        let scatter = (variance / 4.0).sqrt();
        println!("H = {hurst}: measured {mean:.3} ± {scatter:.3}");
        assert!((mean - hurst).abs() < 0.1, "{hurst}: {mean}");
    }
}

/// One octave over 64 × 64 wavelengths has the standard deviation asked for: some 4096 independent
/// cells give it to 1.1 %, so 5 % are more than four standard deviations.
#[test]
fn relief_has_its_height() {
    for hurst in [0.3, 0.9] {
        let relief =
            Relief { hurst, rms_height_m: 2.0, wavelength_max_m: 8.0, wavelength_min_m: Some(2.0) };
        let field = relief_over(512.0, 1.0, relief, 5);
        let heights = field.heights_m();
        let mean = heights.iter().sum::<f64>() / heights.len() as f64;
        let square = heights.iter().map(|h| (h - mean).powi(2)).sum::<f64>();
        let rms = (square / heights.len() as f64).sqrt();
        println!("rms {rms:.3} m of 2 m, mean {mean:.4} m");
        assert!((rms / 2.0 - 1.0).abs() < 0.05, "{rms}");
        assert!(mean.abs() < 0.1, "{mean}");
    }
}

#[test]
fn same_seed_same_ground() {
    let relief =
        || Relief { hurst: 0.7, rms_height_m: 1.0, wavelength_max_m: 30.0, wavelength_min_m: None };
    let field = relief_over(40.0, 0.5, relief(), 11);
    assert_eq!(field, relief_over(40.0, 0.5, relief(), 11));
    assert_ne!(field, relief_over(40.0, 0.5, relief(), 12));
    // Relief is a function of the place: a smaller field is a part of a larger one.
    let larger = relief_over(80.0, 0.5, relief(), 11);
    for (x, y) in [(0.0, 0.0), (-19.5, 7.0), (20.0, 20.0)] {
        assert_eq!(field.height_at(x, y), larger.height_at(x, y));
    }
}

fn with_features(text: &str) -> HeightField {
    let text = format!("[plane]\nsize_m = [40.0, 40.0]\nspacing_m = 0.1\n{text}");
    let spec: TerrainSpec = toml::from_str(&text).unwrap();
    spec.build(1).unwrap()
}

#[test]
fn ruts_berms_ditches_steps_and_mounds() {
    let ruts = with_features(
        "[[features]]\nkind = \"ruts\"\npath_m = [[-10.0, 0.0], [10.0, 0.0]]\ntrack_m = 2.0\n\
         width_m = 0.4\ndepth_m = 0.15\nrim_m = 0.05",
    );
    let near = |field: &HeightField, x: f64, y: f64, height: f64| {
        let found = field.height_at(x, y).unwrap();
        assert!((found - height).abs() < 1e-9, "{found} instead of {height} at {x}, {y}");
    };
    for side in [-1.0, 1.0] {
        near(&ruts, 0.0, side, -0.15);
        near(&ruts, 0.0, 1.3 * side, 0.05);
        near(&ruts, 0.0, 0.7 * side, 0.05);
        near(&ruts, 0.0, 1.1 * side, -0.075);
        near(&ruts, 11.5, side, 0.0);
    }
    near(&ruts, 0.0, 0.0, 0.0);

    let berm = with_features(
        "[[features]]\nkind = \"berm\"\npath_m = [[0.0, -15.0], [0.0, 15.0]]\nwidth_m = 4.0\n\
         height_m = 1.0",
    );
    near(&berm, 0.0, 0.0, 1.0);
    near(&berm, 1.0, 0.0, 0.5);
    near(&berm, 2.0, 0.0, 0.0);

    let ditch = with_features(
        "[[features]]\nkind = \"ditch\"\npath_m = [[0.0, -15.0], [0.0, 15.0]]\nwidth_m = 3.0\n\
         bed_m = 1.0\ndepth_m = 0.8",
    );
    near(&ditch, 0.5, 3.0, -0.8);
    near(&ditch, -1.0, 3.0, -0.4);
    near(&ditch, 1.5, 3.0, 0.0);

    let step = with_features(
        "[[features]]\nkind = \"step\"\nfrom_m = [0.0, 0.0]\nto_m = [0.0, -1.0]\nrise_m = 0.2\n\
         run_m = 0.1\ntread_m = 0.3",
    );
    near(&step, 0.0, 5.0, 0.0);
    near(&step, 0.1, 5.0, 0.2);
    near(&step, 0.4, 5.0, 0.2);
    near(&step, 0.5, 5.0, 0.0);

    let hill = with_features(
        "[[features]]\nkind = \"slope\"\nslope_deg = 10.0\nuphill_deg = 90.0\n\
         [[features]]\nkind = \"mound\"\ncentre_m = [5.0, 0.0]\nradius_m = 2.0\nheight_m = 0.7",
    );
    near(&hill, 5.0, 0.0, 0.7);
    near(&hill, 0.0, 10.0, 10.0 * 10f64.to_radians().tan());
}

#[test]
fn limits_are_kept() {
    let bad = [
        "kind = \"mound\"\ncentre_m = [0.0, 0.0]\nradius_m = -2.0\nheight_m = 0.7",
        "kind = \"mound\"\ncentre_m = [nan, 0.0]\nradius_m = 2.0\nheight_m = 0.7",
        "kind = \"berm\"\npath_m = [[0.0, 0.0]]\nwidth_m = 1.0\nheight_m = 0.7",
        "kind = \"berm\"\npath_m = [[0.0, 0.0], [0.0, 0.0]]\nwidth_m = 1.0\nheight_m = 0.7",
        "kind = \"step\"\nfrom_m = [0.0, 0.0]\nto_m = [0.0, 0.0]\nrise_m = 0.2\nrun_m = 0.1",
        "kind = \"slope\"\nslope_deg = 90.0",
    ];
    for text in bad {
        let feature: Feature = toml::from_str(text).unwrap();
        assert!(matches!(feature.check(), Err(PlantError::Parameter { .. })), "{text}");
    }
    let unknown = "kind = \"slope\"\nslope_deg = 9.0\nslope_rad = 0.1";
    assert!(toml::from_str::<Feature>(unknown).unwrap_err().to_string().contains("slope_rad"));
    assert!(TerrainSpec::default().build(0).is_err());
    let huge = HeightField::level([0.0; 2], [1e6, 1e6], 0.01, 0.0).unwrap_err();
    assert!(huge.to_string().contains("larger spacing"), "{huge}");
}
