//! What was grown, against theory and against whatever is asked of it.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod any_parameters;
mod beer_lambert;
mod gaps;
mod stems;
mod woody;

use glam::{DAffine3, DVec3};
use understory_geometry::{Edges, RayScene, RaySceneBuilder, TriangleMesh};
use understory_plants::Plant;

/// A scene of `(2·around + 1)²` copies of a plant, laid side by side.
fn tiled(plant: &Plant, size_m: [f64; 2], around: i32) -> RayScene {
    let mesh = TriangleMesh::new(&plant.positions, plant.triangles.clone()).unwrap();
    let mut builder = RaySceneBuilder::default();
    let mesh = builder.add_mesh(&mesh, Edges::Exact).unwrap();
    for i in -around..=around {
        for j in -around..=around {
            let place = DVec3::new(f64::from(i) * size_m[0], f64::from(j) * size_m[1], 0.0);
            builder.add_instance(mesh, DAffine3::from_translation(place)).unwrap();
        }
    }
    builder.build()
}
