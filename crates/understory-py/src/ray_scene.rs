//! Rays against triangles, for those who need no lidar: arrays → distances, triangles and normals.

use glam::{DAffine3, DVec3, Vec3};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;
use understory_geometry::{
    Edges, MAX_RAYS_PER_PULSE, PulseRays, RayHit, RayScene as Tracer, RaySceneBuilder, TriangleMesh,
};

use crate::columns::{rows_of_three, triples};
use crate::errors::{argument, geometry};
use crate::waiting::{Watch, without_interpreter};

/// Pulses that one thread takes at a time: they are looked after for Ctrl-C between these.
const CHUNK: usize = 2048;
/// Single rays from one place within this angle (rad) are traced together, if they are this many.
const NEAR: f32 = 0.02;
const LEAST_TOGETHER: usize = 4;

/// A mesh and the tree over it.
#[pyclass(frozen, module = "understory._native")]
pub struct RayScene {
    tracer: Tracer,
    triangles: usize,
}

/// Distances, triangles (−1: none), and where they were asked for normals.
type Cast<'py> =
    (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<i64>>, Option<Bound<'py, PyArray2<f32>>>);

#[pymethods]
impl RayScene {
    #[new]
    fn new(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        closed: bool,
    ) -> PyResult<RayScene> {
        let vertices: Vec<DVec3> =
            triples(vertices, "vertices")?.into_iter().map(DVec3::from).collect();
        let corners = triples(triangles, "triangles")?;
        let triangles = corners.len();
        let built = without_interpreter(py, None, |_| {
            let mesh = TriangleMesh::new(&vertices, corners)?;
            let mut builder = RaySceneBuilder::default();
            let edges = if closed { Edges::Closed } else { Edges::Exact };
            let mesh = builder.add_mesh(&mesh, edges)?;
            builder.add_instance(mesh, DAffine3::IDENTITY)?;
            Ok(builder.build())
        })?;
        Ok(RayScene { tracer: built.map_err(geometry)?, triangles })
    }

    /// Number of triangles.
    #[getter]
    fn triangle_count(&self) -> usize {
        self.triangles
    }

    /// Memory of the mesh and its tree.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.tracer.memory_bytes()
    }

    /// `rays` rays from each origin.
    fn cast<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        rays: usize,
        t_max: f32,
        normals: bool,
    ) -> PyResult<Cast<'py>> {
        let (origins, directions) =
            (triples::<f64>(origins, "origins")?, triples::<f32>(directions, "directions")?);
        if rays == 0 || origins.len().checked_mul(rays) != Some(directions.len()) {
            return Err(argument(format!(
                "there are {} directions for {} origins; give {rays} for each",
                directions.len(),
                origins.len()
            )));
        }
        let tracer = &self.tracer;
        let found = without_interpreter(py, None, |watch| -> Result<Found, String> {
            check(&origins, &directions)?;
            let rays = Rays { origins: &origins, directions: &directions, each: rays, t_max };
            Ok(match rays.order() {
                None => rays.cast(tracer, normals, watch),
                Some(order) => {
                    let (origins, directions) = rays.in_order(&order);
                    let sorted = Rays { origins: &origins, directions: &directions, ..rays };
                    sorted.cast(tracer, normals, watch).back_to(&order)
                }
            })
        })?;
        let Found { t, triangle, normal } = found.map_err(argument)?;
        let normal = normals.then(|| rows_of_three(py, normal)).transpose()?;
        Ok((t.into_pyarray(py), triangle.into_pyarray(py), normal))
    }
}

/// Refuses rays that lead nowhere.
fn check(origins: &[[f64; 3]], directions: &[[f32; 3]]) -> Result<(), String> {
    let sum = |way: &[f32; 3]| way[0].abs() + way[1].abs() + way[2].abs();
    let lost = |way: &[f32; 3]| !(sum(way) > 0.0 && sum(way) < f32::INFINITY);
    if let Some(ray) = directions.par_iter().with_min_len(CHUNK).position_first(lost) {
        let what = if sum(&directions[ray]) == 0.0 { "of no length" } else { "that is not finite" };
        return Err(format!("directions has one {what} at {ray}; leave the ray out"));
    }
    let lost = |from: &[f64; 3]| !from.iter().all(|c| c.is_finite());
    match origins.par_iter().with_min_len(CHUNK).position_first(lost) {
        Some(row) => Err(format!("origins has one that is not finite at {row}; leave it out")),
        None => Ok(()),
    }
}

/// Rays that are cast together.
#[derive(Clone, Copy)]
struct Rays<'a> {
    origins: &'a [[f64; 3]],
    directions: &'a [[f32; 3]],
    /// Rays from each origin.
    each: usize,
    t_max: f32,
}

/// What they met.
struct Found {
    t: Vec<f32>,
    triangle: Vec<i64>,
    normal: Vec<[f32; 3]>,
}

impl Rays<'_> {
    /// An order in which neighbours pass through the same nodes, for many single rays.
    fn order(&self) -> Option<Vec<u32>> {
        let count = self.origins.len();
        if self.each != 1 || !(CHUNK..u32::MAX as usize).contains(&count) {
            return None;
        }
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = self.origins.iter().fold(start, |(low, high), origin| {
            (low.min(DVec3::from(*origin)), high.max(DVec3::from(*origin)))
        });
        let scale = 7.99 / (high - low).max(DVec3::splat(1e-9));
        let key = |ray: usize| {
            let cell = (DVec3::from(self.origins[ray]) - low) * scale;
            let cell = cell.to_array().iter().fold(0, |key, c| key << 3 | *c as u64);
            (cell << 20 | direction_key(Vec3::from(self.directions[ray]))) << 32 | ray as u64
        };
        let mut keys: Vec<u64> = (0..count).into_par_iter().map(key).collect();
        keys.par_sort_unstable();
        Some(keys.into_iter().map(|key| key as u32).collect())
    }

    fn in_order(&self, order: &[u32]) -> (Vec<[f64; 3]>, Vec<[f32; 3]>) {
        let ray =
            |number: &u32| (self.origins[*number as usize], self.directions[*number as usize]);
        order.par_iter().map(ray).unzip()
    }

    fn cast(&self, tracer: &Tracer, normals: bool, watch: &Watch) -> Found {
        let (count, step) = (self.directions.len(), CHUNK * self.each);
        let mut found = Found {
            t: vec![f32::INFINITY; count],
            triangle: vec![-1; count],
            normal: if normals { vec![[f32::NAN; 3]; count] } else { Vec::new() },
        };
        let none = || (0..count.div_ceil(step)).map(|_| &mut [][..]).collect();
        let chunks =
            |normal| if normals { <[_]>::chunks_mut(normal, step).collect() } else { none() };
        let normal: Vec<&mut [[f32; 3]]> = chunks(&mut found.normal);
        let outputs = found.t.par_chunks_mut(step).zip(found.triangle.par_chunks_mut(step));
        let inputs = self.origins.par_chunks(CHUNK).zip(self.directions.par_chunks(step));
        let chunks = inputs.zip(outputs.zip(normal));
        chunks.for_each(|((origins, directions), ((t, triangle), normal))| {
            if watch.stopped() {
                return;
            }
            let mut keep = |ray: usize, hit: &RayHit, origin: DVec3| {
                (t[ray], triangle[ray]) = (hit.t, i64::from(hit.triangle));
                if let Some(normal) = normal.get_mut(ray) {
                    let direction = Vec3::from(directions[ray]).as_dvec3();
                    *normal =
                        tracer.surface_point(hit, origin, direction).normal.as_vec3().to_array();
                }
            };
            match self.each {
                1 => cast_single(tracer, origins, directions, self.t_max, &mut keep),
                each => {
                    for (pulse, origin) in origins.iter().enumerate() {
                        let first = pulse * each;
                        let ways = &directions[first..first + each];
                        for (part, ways) in ways.chunks(MAX_RAYS_PER_PULSE).enumerate() {
                            let first = first + part * MAX_RAYS_PER_PULSE;
                            cast_pulse(tracer, *origin, ways, self.t_max, first, &mut keep);
                        }
                    }
                }
            }
        });
        found
    }
}

impl Found {
    /// As the rays came.
    fn back_to(self, order: &[u32]) -> Found {
        fn unsorted<T: Copy>(sorted: &[T], order: &[u32]) -> Vec<T> {
            let mut values = sorted.to_vec();
            for (value, place) in sorted.iter().zip(order) {
                values[*place as usize] = *value;
            }
            values
        }
        let normal = match self.normal.is_empty() {
            true => Vec::new(),
            false => unsorted(&self.normal, order),
        };
        Found { t: unsorted(&self.t, order), triangle: unsorted(&self.triangle, order), normal }
    }
}

/// Twenty bits that lie near each other for directions that do: Morton's order on an octahedron.
fn direction_key(direction: Vec3) -> u64 {
    let d = direction / direction.abs().element_sum();
    let folded = |a: f32, b: f32| (1.0 - b.abs()) * a.signum();
    let (u, v) = if d.z < 0.0 { (folded(d.x, d.y), folded(d.y, d.x)) } else { (d.x, d.y) };
    let spread = |value: f32| {
        let bits = ((value * 0.5 + 0.5).clamp(0.0, 1.0) * 1023.0) as u64;
        let bits = (bits | bits << 8) & 0x0003_00ff;
        let bits = (bits | bits << 4) & 0x0003_0f0f;
        let bits = (bits | bits << 2) & 0x0003_3333;
        (bits | bits << 1) & 0x0005_5555
    };
    spread(u) | spread(v) << 1
}

/// Single rays; those that leave from one place nearly in parallel are traced together, which finds
/// the same hits.
fn cast_single(
    tracer: &Tracer,
    origins: &[[f64; 3]],
    directions: &[[f32; 3]],
    t_max: f32,
    keep: &mut impl FnMut(usize, &RayHit, DVec3),
) {
    let mut first = 0;
    while first < origins.len() {
        let axis = Vec3::from(directions[first]);
        let near = |ray: &usize| {
            let way = Vec3::from(directions[*ray]);
            let along = axis.dot(way);
            origins[*ray] == origins[first]
                && along > 0.0
                && axis.cross(way).length_squared() < NEAR * NEAR * along * along
        };
        let end = origins.len().min(first + MAX_RAYS_PER_PULSE);
        let count = 1 + (first + 1..end).take_while(near).count();
        if count >= LEAST_TOGETHER {
            let ways = &directions[first..first + count];
            cast_pulse(tracer, origins[first], ways, t_max, first, keep);
        } else {
            for ray in first..first + count {
                let origin = DVec3::from(origins[ray]);
                if let Some(hit) = tracer.trace_ray(origin, Vec3::from(directions[ray]), t_max) {
                    keep(ray, &hit, origin);
                }
            }
        }
        first += count;
    }
}

fn cast_pulse(
    tracer: &Tracer,
    origin: [f64; 3],
    ways: &[[f32; 3]],
    t_max: f32,
    first: usize,
    keep: &mut impl FnMut(usize, &RayHit, DVec3),
) {
    let origin = DVec3::from(origin);
    let mut hits = [None; MAX_RAYS_PER_PULSE];
    let mut bundle = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
    let count = ways.len().min(MAX_RAYS_PER_PULSE);
    for (ray, way) in bundle.iter_mut().zip(ways) {
        *ray = Vec3::from(*way);
    }
    let rays = PulseRays { origin, directions: &bundle[..count], origin_offsets: &[], t_max };
    tracer.trace_pulse(&rays, &mut hits[..count]);
    for (ray, hit) in hits[..count].iter().enumerate() {
        if let Some(hit) = hit {
            keep(first + ray, hit, origin);
        }
    }
}
