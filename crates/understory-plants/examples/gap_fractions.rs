//! Gap fraction of every preset beside Beer and Lambert's law.
//!
//! `cargo run --release -p understory-plants --example gap_fractions [-- --json]`
//!
//! For each zenith angle: the share of rays that pass, exp(−G·u·s) for the same plant area spread
//! evenly, and the clumping index Ω that explains the difference. Then the plant's own leaves
//! scattered at random to a leaf area index of 2, where measured and computed must agree.

#![allow(clippy::print_stdout)]

use understory_plants::{Canopy, GapFraction, Plant, presets, scattered_gap_fractions};

const RAYS: u32 = 100_000;
const ZENITHS_DEG: [f64; 3] = [0.0, 30.0, 57.5];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let json = std::env::args().any(|argument| argument == "--json");
    let mut rows = Vec::new();
    if !json {
        println!(
            "gap measured / Beer-Lambert / clumping at {ZENITHS_DEG:?}°, as grown | its leaves scattered, LAI 2"
        );
    }
    for preset in presets() {
        let spec = preset.spec();
        let plant = spec.grow(1)?;
        let measures = plant.measures(0);
        let (canopy, voxel_m) = match spec.patch_size_m() {
            Some(size_m) => (Canopy::stand(&plant, size_m)?, None),
            None => {
                let voxel_m = measures.spread_m / 12.0;
                (Canopy::crown(&plant, voxel_m)?, Some(voxel_m))
            }
        };
        let grown = at_each_angle(&canopy);
        let scattered =
            if measures.leaf_area_m2 > 0.0 { Some(scattered_gaps(&plant)?) } else { None };
        if json {
            let row = |gaps: &[GapFraction]| {
                let one = |gap: &GapFraction| {
                    format!("[{:.5}, {:.5}, {:.4}]", gap.measured, gap.beer_lambert, gap.clumping)
                };
                format!("[{}]", gaps.iter().map(one).collect::<Vec<_>>().join(", "))
            };
            rows.push(format!(
                "  {{\"plant\": {:?}, \"triangles\": {}, \"height_m\": {:.3}, \"leaf_area_m2\": {:.3}, \
                 \"wood_area_m2\": {:.3}, \"voxel_m\": {}, \"grown\": {}, \"scattered\": {}}}",
                preset.name,
                measures.triangles,
                measures.height_m,
                measures.leaf_area_m2,
                measures.wood_area_m2,
                voxel_m.map_or("null".to_owned(), |side| format!("{side:.3}")),
                row(&grown),
                scattered.as_deref().map_or("null".to_owned(), row),
            ));
        } else {
            println!(
                "{:16}{} |{}",
                preset.name,
                words(&grown),
                words(scattered.as_deref().unwrap_or(&[]))
            );
        }
    }
    if json {
        println!(
            "{{\"zeniths_deg\": {ZENITHS_DEG:?}, \"rays\": {RAYS}, \"plants\": [\n{}\n]}}",
            rows.join(",\n")
        );
    }
    Ok(())
}

fn at_each_angle(canopy: &Canopy) -> Vec<GapFraction> {
    ZENITHS_DEG.map(|degrees| canopy.gap_fraction(degrees.to_radians(), RAYS, 9)).to_vec()
}

fn scattered_gaps(plant: &Plant) -> Result<Vec<GapFraction>, understory_geometry::GeometryError> {
    let zeniths_rad = ZENITHS_DEG.map(f64::to_radians);
    scattered_gap_fractions(plant, 2.0, &zeniths_rad, RAYS, 5)
}

fn words(gaps: &[GapFraction]) -> String {
    let one = |gap: &GapFraction| {
        format!("  {:.3} / {:.3} / {:.2}", gap.measured, gap.beer_lambert, gap.clumping)
    };
    gaps.iter().map(one).collect()
}
