//! Grows every stand and prints how much light reaches its floor.
//!
//! `cargo run --release -p understory-plants --example stands`

#![allow(clippy::disallowed_methods)]
#![allow(clippy::print_stdout)]

use std::time::Instant;

use understory_plants::{Canopy, Part, PlantSpec, presets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "stand            triangles  grown in  height  leaf area index  crown base  gap 0° 30° 57.5°  light"
    );
    for preset in presets() {
        let PlantSpec::Stand(spec) = preset.spec() else { continue };
        let start = Instant::now();
        let plant = spec.grow(1)?;
        let seconds = start.elapsed().as_secs_f64();
        let measures = plant.measures(0);
        let leaves = plant.corners().filter(|(_, part)| *part == Part::Leaf);
        let mut heights: Vec<f64> = leaves.map(|([a, ..], _)| a.z).collect();
        heights.sort_by(f64::total_cmp);
        let canopy = Canopy::stand(&plant, [spec.side_m; 2])?;
        let gap = |degrees: f64| canopy.gap_fraction(degrees.to_radians(), 20_000, 3).measured;
        // Light of an evenly bright sky on level ground, in rings of ten degrees.
        let mut light = 0.0;
        for ring in 0..8 {
            let [low, high] =
                [ring, ring + 1].map(|i| f64::from(10 * i).to_radians().sin().powi(2));
            light += (high - low) * gap(f64::from(10 * ring + 5));
        }
        println!(
            "{:16} {:>9} {:>7.2} s {:>6.2} m {:>16.3} {:>9.1} m {:>7.3} {:.3} {:.3} {:>6.1} %",
            preset.name,
            measures.triangles,
            seconds,
            measures.height_m,
            measures.leaf_area_m2 / spec.side_m.powi(2),
            heights.get(heights.len() / 20).copied().unwrap_or(0.0),
            gap(0.0),
            gap(30.0),
            gap(57.5),
            100.0 * light,
        );
    }
    Ok(())
}
