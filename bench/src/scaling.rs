//! Time per pulse as a scene has ever more triangles: the same layer of leaves, cut ever finer.
//!
//! A field of 80 × 80 m is laid with tiles of leaves placed at random, leaf area index 2, 0.5 m
//! high. The leaf area stays and the leaves become smaller, so that by Beer and Lambert's law rays
//! go as far in every scene: what grows is the number of triangles alone. The sensor is the
//! benchmark's HDL-64E at 2 m. Scenes take turns, and the time is that of one core.

use std::path::Path;

use anyhow::Result;
use glam::{DAffine3, DVec3};
use understory_geometry::{Edges, PulseRays, RayScene, RaySceneBuilder, TriangleMesh};
use understory_plants::LeafVolumeSpec;

use crate::plot::{self, Point};
use crate::scenes::{self, RAYS_PER_PULSE};
use crate::{cpu_seconds, median};

const TILES_PER_SIDE: u32 = 80;
const VARIANTS: u64 = 8;
const TRIANGLES: [f64; 9] = [1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 6e8];

/// All sizes in turns; the plot goes to `plot` where given.
pub fn measure(rounds: u64, plot: Option<&Path>) -> Result<serde_json::Value> {
    let mut fields = Vec::new();
    for triangles in TRIANGLES {
        fields.push(field(triangles)?);
    }
    let rays = scenes::hdl_64e(300, 0.0, std::f64::consts::TAU, 0.0);
    let pulses = rays.len() / RAYS_PER_PULSE;
    let mut seconds = vec![Vec::new(); fields.len()];
    let mut mean_range_m = vec![0.0; fields.len()];
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for (which, field) in fields.iter().enumerate() {
            let mut hits = [None; RAYS_PER_PULSE];
            let (mut sum, mut met) = (0.0, 0u32);
            let started = cpu_seconds();
            for directions in rays.chunks(RAYS_PER_PULSE) {
                let origin = DVec3::Z * 2.0;
                let pulse = PulseRays { origin, directions, origin_offsets: &[], t_max: 100.0 };
                field.trace_pulse(&pulse, &mut hits);
                for hit in hits.iter().flatten() {
                    sum += f64::from(hit.t);
                    met += 1;
                }
            }
            if round > 0 {
                seconds[which].push(cpu_seconds() - started);
            }
            mean_range_m[which] = sum / f64::from(met.max(1));
        }
    }
    let points: Vec<Point> = fields
        .iter()
        .zip(&seconds)
        .map(|(field, seconds)| Point {
            x: field.effective_triangles() as f64,
            y: 1e6 * median(seconds) / pulses as f64,
        })
        .collect();
    let (a, b, r2) = fit(&points);
    println!("| triangles | µs per pulse of 9 rays | fit | mean range | memory |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for ((point, field), range_m) in points.iter().zip(&fields).zip(&mean_range_m) {
        let fitted = a + b * point.x.log10();
        println!(
            "| {:.3e} | {:.2} | {fitted:.2} | {range_m:.1} m | {:.0} MB |",
            point.x,
            point.y,
            field.memory_bytes() as f64 / 1e6
        );
    }
    println!("time = {a:.2} + {b:.2}·log10(triangles) µs, R² = {r2:.3}");
    if let Some(path) = plot {
        plot::write(path, &points, |x| a + b * x.log10())?;
        println!("wrote {}", path.display());
    }
    let rows: Vec<_> = points.iter().map(|point| [point.x, point.y]).collect();
    Ok(serde_json::json!({ "triangles_and_us_per_pulse": rows, "a": a, "b": b, "r2": r2 }))
}

/// The field with about this many triangles.
fn field(triangles: f64) -> Result<RayScene> {
    let per_tile = triangles / f64::from(TILES_PER_SIDE.pow(2));
    let index = 2.0;
    let spec = LeafVolumeSpec {
        size_z_m: 0.5,
        leaf_area_index: index,
        // A rhombus is two triangles.
        leaf_area_m2: 2.0 * index / per_tile,
        ..LeafVolumeSpec::default()
    };
    let mut builder = RaySceneBuilder::default();
    let mut tiles = Vec::new();
    for seed in 0..VARIANTS {
        let plant = spec.grow(seed)?;
        let mesh = TriangleMesh::new(&plant.positions, plant.triangles)?;
        tiles.push(builder.add_mesh(&mesh, Edges::Exact)?);
    }
    let half = f64::from(TILES_PER_SIDE - 1) / 2.0;
    for i in 0..TILES_PER_SIDE {
        for j in 0..TILES_PER_SIDE {
            let place = DVec3::new(f64::from(i) - half, f64::from(j) - half, 0.0);
            // Quarter turns, so that tiles stay on their squares.
            let mixed = i.wrapping_mul(2_654_435_761) ^ j.wrapping_mul(2_246_822_519);
            let turn = f64::from(mixed >> 13 & 3) * std::f64::consts::FRAC_PI_2;
            let tile = tiles[(mixed >> 20) as usize % tiles.len()];
            let turned = DAffine3::from_rotation_z(turn);
            builder.add_instance(tile, DAffine3::from_translation(place) * turned)?;
        }
    }
    Ok(builder.build())
}

/// Least squares of y = a + b·log10 x, and the share of the variance that it explains.
fn fit(points: &[Point]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |value: &dyn Fn(&Point) -> f64| points.iter().map(value).sum::<f64>() / n;
    let (mx, my) = (mean(&|p| p.x.log10()), mean(&|p| p.y));
    let sxx = mean(&|p| (p.x.log10() - mx).powi(2));
    let sxy = mean(&|p| (p.x.log10() - mx) * (p.y - my));
    let syy = mean(&|p| (p.y - my).powi(2));
    let b = sxy / sxx;
    (my - b * mx, b, sxy * sxy / (sxx * syy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithm_is_fitted_exactly() {
        let points: Vec<Point> =
            [1e5, 1e6, 4e7].map(|x: f64| Point { x, y: 2.0 + 0.5 * x.log10() }).to_vec();
        let (a, b, r2) = fit(&points);
        assert!((a - 2.0).abs() < 1e-9 && (b - 0.5).abs() < 1e-9 && (r2 - 1.0).abs() < 1e-9);
    }
}
