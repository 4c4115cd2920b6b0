//! Measures every preset that is grown as a patch, and how far it is from leaves placed at random.
//!
//! `cargo run --release -p understory-plants --example stands`
//!
//! The clumping index is Ω = −ln P(θ)·cos θ/(G(θ)·PAI) with the plant's own G: 1 for what is placed
//! at random, below 1 for what stands in tufts and rows, above 1 for what is spread evenly.

#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use glam::{DAffine3, DVec3};
use understory_geometry::{Edges, GeometryError, RayScene, RaySceneBuilder, TriangleMesh};
use understory_plants::{Plant, Random, presets};

const RAYS: u32 = 100_000;
const ZENITHS_DEG: [f64; 3] = [0.0, 30.0, 57.5];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:12} {:>9} {:>7} {:>6} {:>6} | gap measured / Beer-Lambert / clumping at {:?}°",
        "plant", "triangles", "height", "LAI", "PAI", ZENITHS_DEG
    );
    for preset in presets() {
        let spec = preset.spec();
        let Some(size) = spec.patch_size_m() else { continue };
        let plant = spec.grow(1)?;
        let measures = plant.measures(10);
        let ground = size[0] * size[1];
        let lai = measures.leaf_area_m2 / ground;
        let pai = lai + measures.wood_area_m2 / ground;
        let scene = tiled(&plant, size, measures.height_m)?;
        print!(
            "{:12} {:>9} {:>6.2}m {:>6.2} {:>6.2} |",
            preset.name, measures.triangles, measures.height_m, lai, pai
        );
        for degrees in ZENITHS_DEG {
            let zenith = degrees.to_radians();
            let gap = gap_fraction(&scene, size, measures.height_m, zenith);
            let depth = plant.projection(zenith) * pai / zenith.cos();
            print!("  {gap:.3} / {:.3} / {:.2}", (-depth).exp(), -gap.ln() / depth);
        }
        println!();
    }
    Ok(())
}

/// Copies side by side, as far as the most oblique ray reaches.
fn tiled(plant: &Plant, size: [f64; 2], height: f64) -> Result<RayScene, GeometryError> {
    let mut builder = RaySceneBuilder::default();
    let mesh = TriangleMesh::new(&plant.positions, plant.triangles.clone())?;
    let mesh = builder.add_mesh(&mesh, Edges::Exact)?;
    let reach = 2.0 * height + 1.0;
    let [nx, ny] = size.map(|size| (reach / size).ceil() as i32);
    for i in -nx..=nx {
        for j in -ny..=ny {
            let place = DVec3::new(f64::from(i) * size[0], f64::from(j) * size[1], 0.0);
            builder.add_instance(mesh, DAffine3::from_translation(place))?;
        }
    }
    Ok(builder.build())
}

fn gap_fraction(scene: &RayScene, size: [f64; 2], height: f64, zenith: f64) -> f64 {
    let mut random = Random::new(9);
    let (sin, cos) = zenith.sin_cos();
    let mut passed = 0;
    for _ in 0..RAYS {
        let from = DVec3::new(
            size[0] * (random.unit() - 0.5),
            size[1] * (random.unit() - 0.5),
            height + 0.01,
        );
        let azimuth = TAU * random.unit();
        let direction = DVec3::new(sin * azimuth.cos(), sin * azimuth.sin(), -cos);
        passed += u32::from(scene.trace_ray(from, direction.as_vec3(), 1e6).is_none());
    }
    f64::from(passed) / f64::from(RAYS)
}
