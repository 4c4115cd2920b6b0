//! Time per pulse as a scene has ever more triangles, in two ways.
//!
//! A field is laid with tiles of leaves placed at random, leaf area index 2, 0.5 m high, and a
//! sensor like the HDL-64E looks down on it from 2 m. *More ground*: the same tiles, ever more of
//! them. A ray meets the same in every field, so what grows is the tree alone: a logarithm. *Finer
//! leaves*: the same ground and the same leaf area, in ever smaller leaves. By Beer and Lambert's
//! law rays go as far, but past ever more leaves: n leaves in a volume are n^(−1/3) apart, so the
//! way to the first is n^(1/3) leaves long, and the rays of a pulse part among them. All fields
//! take turns, and the time is that of one core.

use std::path::Path;

use anyhow::Result;
use glam::{DAffine3, DVec3, Vec3};
use understory_geometry::{Edges, PulseRays, RayScene, RaySceneBuilder, TriangleMesh};
use understory_plants::LeafVolumeSpec;
use understory_view::figures::{Figure, Panel, Series};
use understory_view::plot::{Plot, write_png};

use crate::scenes::{self, RAYS_PER_PULSE};
use crate::{cpu_seconds, median};

const VARIANTS: u64 = 8;
const TRIANGLES: [f64; 9] = [1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 6e8];
/// Side of a tile.
const TILE_M: f64 = 2.0;
/// Triangles of a tile where the ground grows, so that the smallest field is 30 m wide.
const TRIANGLES_PER_TILE: f64 = 440.0;
/// Tiles along a side where the leaves become finer.
const TILES_PER_SIDE: u32 = 40;

/// Triangles and microseconds.
#[derive(Clone, Copy, Debug)]
struct Point {
    x: f64,
    y: f64,
}

/// A field and what it cost.
struct Field {
    scene: RayScene,
    seconds: Vec<f64>,
    mean_range_m: f64,
}

/// All fields in turns; the plot goes into the folder `plot` where given.
pub fn measure(rounds: u64, plot: Option<&Path>) -> Result<serde_json::Value> {
    let (mut ground, mut leaves) = (Vec::new(), Vec::new());
    for triangles in TRIANGLES {
        let side = (triangles / TRIANGLES_PER_TILE).sqrt().round() as u32;
        ground.push(Field::new(side, TRIANGLES_PER_TILE)?);
        let per_tile = triangles / f64::from(TILES_PER_SIDE.pow(2));
        leaves.push(Field::new(TILES_PER_SIDE, per_tile)?);
    }
    // Down by 8° to 35°: every ray meets the leaves within 15 m.
    let rays = scenes::hdl_64e(300, 0.0, std::f64::consts::TAU, -10.0);
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for field in ground.iter_mut().chain(&mut leaves) {
            field.trace(&rays, round > 0);
        }
    }
    let pulses = rays.len() / RAYS_PER_PULSE;
    let more_ground = report("more ground", &ground, pulses);
    let finer_leaves = report("finer leaves", &leaves, pulses);
    let (a, b, r2) = fit(&more_ground, |y| y);
    println!("more ground: {a:.2} + {b:.3}·log10(triangles) µs, R² = {r2:.3}");
    let fine: Vec<Point> = finer_leaves.iter().copied().filter(|p| p.x > 5e6).collect();
    let (_, power, power_r2) = fit(&fine, f64::log10);
    println!("finer leaves: from 10⁷ on like triangles^{power:.2}, R² = {power_r2:.3}");
    let rows = |points: &[Point]| points.iter().map(|p| [p.x, p.y]).collect::<Vec<_>>();
    if let Some(folder) = plot {
        let fitted = TRIANGLES.map(|x| [x, a + b * x.log10()]).to_vec();
        let series = vec![
            Series::dots("finer leaves", rows(&finer_leaves)),
            Series::dots("more ground", rows(&more_ground)),
            Series::line("more ground, log fit", fitted),
        ];
        let panels = vec![Panel { title: String::new(), series }];
        let axes = ["triangles", "µs per pulse of 9 rays"];
        let mut figure = Figure::new("scaling", "Time per pulse over triangles", axes, panels);
        figure.log_x = true;
        println!("wrote {}", write_png(Plot::Figure(&figure), folder)?.display());
    }
    Ok(serde_json::json!({
        "more_ground": { "us_per_pulse": rows(&more_ground), "a": a, "b": b, "r2": r2 },
        "finer_leaves": { "us_per_pulse": rows(&finer_leaves), "power": power, "r2": power_r2 },
    }))
}

fn report(title: &str, fields: &[Field], pulses: usize) -> Vec<Point> {
    println!("| {title}: triangles | instances | µs per pulse of 9 rays | mean range | memory |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    let mut points = Vec::new();
    for field in fields {
        let (x, y) = (
            field.scene.effective_triangles() as f64,
            1e6 * median(&field.seconds) / pulses as f64,
        );
        println!(
            "| {x:.2e} | {} | {y:.2} | {:.1} m | {:.0} MB |",
            field.scene.instance_count(),
            field.mean_range_m,
            field.scene.memory_bytes() as f64 / 1e6
        );
        points.push(Point { x, y });
    }
    points
}

impl Field {
    /// A square of tiles with about this many triangles each.
    fn new(tiles_per_side: u32, triangles_per_tile: f64) -> Result<Field> {
        let leaf_area_index = 2.0;
        let spec = LeafVolumeSpec {
            size_x_m: TILE_M,
            size_y_m: TILE_M,
            size_z_m: 0.5,
            leaf_area_index,
            // A rhombus is two triangles.
            leaf_area_m2: 2.0 * leaf_area_index * TILE_M.powi(2) / triangles_per_tile,
            ..LeafVolumeSpec::default()
        };
        let mut builder = RaySceneBuilder::default();
        let mut tiles = Vec::new();
        for seed in 0..VARIANTS {
            let plant = spec.grow(seed)?;
            let mesh = TriangleMesh::new(&plant.positions, plant.triangles)?;
            tiles.push(builder.add_mesh(&mesh, Edges::Exact)?);
        }
        let half = f64::from(tiles_per_side - 1) / 2.0;
        for i in 0..tiles_per_side {
            for j in 0..tiles_per_side {
                let place = DVec3::new(f64::from(i) - half, f64::from(j) - half, 0.0) * TILE_M;
                // Quarter turns, so that tiles stay on their squares.
                let mixed = i.wrapping_mul(2_654_435_761) ^ j.wrapping_mul(2_246_822_519);
                let turn = f64::from(mixed >> 13 & 3) * std::f64::consts::FRAC_PI_2;
                let tile = tiles[(mixed >> 20) as usize % tiles.len()];
                let turned = DAffine3::from_rotation_z(turn);
                builder.add_instance(tile, DAffine3::from_translation(place) * turned)?;
            }
        }
        Ok(Field { scene: builder.build(), seconds: Vec::new(), mean_range_m: 0.0 })
    }

    fn trace(&mut self, rays: &[Vec3], counts: bool) {
        let mut hits = [None; RAYS_PER_PULSE];
        let (mut sum, mut met) = (0.0, 0u32);
        let started = cpu_seconds();
        for directions in rays.chunks(RAYS_PER_PULSE) {
            let origin = DVec3::Z * 2.0;
            let pulse = PulseRays { origin, directions, origin_offsets: &[], t_max: 100.0 };
            self.scene.trace_pulse(&pulse, &mut hits);
            for hit in hits.iter().flatten() {
                sum += f64::from(hit.t);
                met += 1;
            }
        }
        if counts {
            self.seconds.push(cpu_seconds() - started);
        }
        self.mean_range_m = sum / f64::from(met.max(1));
    }
}

/// Least squares of f(y) = a + b·log10 x, and the share of the variance that it explains.
fn fit(points: &[Point], f: impl Fn(f64) -> f64) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |value: &dyn Fn(&Point) -> f64| points.iter().map(value).sum::<f64>() / n;
    let (mx, my) = (mean(&|p| p.x.log10()), mean(&|p| f(p.y)));
    let sxx = mean(&|p| (p.x.log10() - mx).powi(2));
    let sxy = mean(&|p| (p.x.log10() - mx) * (f(p.y) - my));
    let syy = mean(&|p| (f(p.y) - my).powi(2));
    let b = sxy / sxx;
    (my - b * mx, b, sxy * sxy / (sxx * syy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithm_and_a_power_are_fitted_exactly() {
        let of = |y: fn(f64) -> f64| [1e5, 1e6, 4e7].map(|x: f64| Point { x, y: y(x) });
        let (a, b, r2) = fit(&of(|x| 2.0 + 0.5 * x.log10()), |y| y);
        assert!((a - 2.0).abs() < 1e-9 && (b - 0.5).abs() < 1e-9 && (r2 - 1.0).abs() < 1e-9);
        let (_, power, r2) = fit(&of(|x| 3.0 * x.cbrt()), f64::log10);
        assert!((power - 1.0 / 3.0).abs() < 1e-9 && (r2 - 1.0).abs() < 1e-9);
    }
}
