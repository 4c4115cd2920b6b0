//! Grows every preset and prints its size and how long it took.
//!
//! `cargo run --release -p understory-plants --example species`

#![allow(clippy::print_stdout)]

use std::time::Instant;

use understory_plants::{PlantError, presets};

fn main() -> Result<(), PlantError> {
    println!(
        "{:16} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8}",
        "plant", "triangles", "estimate", "height", "spread", "leaf m²", "wood m²", "grown in"
    );
    for preset in presets() {
        let spec = preset.spec();
        let start = Instant::now();
        let plant = spec.grow(1)?;
        let seconds = start.elapsed().as_secs_f64();
        let measures = plant.measures(0);
        println!(
            "{:16} {:>9} {:>9} {:>6.2} m {:>6.2} m {:>9.2} {:>9.2} {:>5.0} ms",
            preset.name,
            measures.triangles,
            spec.triangle_estimate(),
            measures.height_m,
            measures.spread_m,
            measures.leaf_area_m2,
            measures.wood_area_m2,
            1e3 * seconds,
        );
    }
    Ok(())
}
