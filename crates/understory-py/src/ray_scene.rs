//! Rays against triangles, for those who need no lidar: arrays → distances, triangles and normals.
//!
//! The arrays are read where they lie, in runs of rays that the threads share out among themselves;
//! each run is checked as it is traced.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DAffine3, DVec3, Vec3};
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;
use understory_geometry::{
    DynamicBvh, Edges, MAX_RAYS_PER_PULSE, NearOrder, PulseBatch, PulseRays, PulseTracer, RayHit,
    RayScene as Tracer, RaySceneAt, RaySceneBuilder, TriangleMesh,
};

use crate::columns::{rows, rows_of_three, triples, triples_in_place};
use crate::errors::{argument, geometry};
use crate::waiting::{Watch, same_process, without_interpreter};

/// Pulses that one thread takes at a time at least and at most: they are looked after for Ctrl-C
/// between these, and put in order within them.
const CHUNK: usize = 1024;
const LARGEST_CHUNK: usize = 65_536;
/// Pulses that one thread takes have no more rays than this where they can.
const CHUNK_RAYS: usize = 1 << 20;
/// So many pulses at least are put in order.
const LEAST_IN_ORDER: usize = 512;
/// Rays that are handed to the tracer at once.
const BATCH_RAYS: usize = 1 << 14;
/// Fewer rays are done before anyone could press Ctrl-C.
const SOON_DONE: usize = 1 << 18;
/// Single rays from one place within this angle (rad) are traced together, if they are this many.
const NEAR: f32 = 0.02;
const LEAST_TOGETHER: usize = 4;
/// Single rays that are handed to the tracer at once.
const ALONE: usize = 256;

/// A mesh and the tree over it.
#[pyclass(frozen, module = "understory._native")]
pub struct RayScene {
    tracer: Tracer,
    triangles: usize,
}

/// Distances, triangles (−1: none), and where they were args for normals.
type Cast<'py> =
    (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<i32>>, Option<Bound<'py, PyArray2<f32>>>);

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
        let directions: PyReadonlyArray2<'_, f32> = rows(directions, "directions")?;
        let directions = triples_in_place(&directions, "directions")?;
        let cast = Casting { tracer: &self.tracer, directions, each: rays, t_max, normals };
        let found = if let Ok(origins) = origins.extract::<PyReadonlyArray2<'_, f32>>() {
            cast.from(py, triples_in_place(&origins, "origins")?)?
        } else {
            let origins: PyReadonlyArray2<'_, f64> = rows(origins, "origins")?;
            cast.from(py, triples_in_place(&origins, "origins")?)?
        };
        let normal = normals.then(|| rows_of_three(py, found.normal)).transpose()?;
        Ok((found.t.into_pyarray(py), found.triangle.into_pyarray(py), normal))
    }
}

/// Rays that are cast together.
#[derive(Clone, Copy)]
struct Casting<'a> {
    tracer: &'a Tracer,
    directions: &'a [[f32; 3]],
    /// Rays from each origin.
    each: usize,
    t_max: f32,
    normals: bool,
}

/// What they met.
struct Found {
    t: Vec<f32>,
    triangle: Vec<i32>,
    normal: Vec<[f32; 3]>,
}

impl Casting<'_> {
    /// Casts them from these places.
    fn from<T: Number>(self, py: Python<'_>, origins: &[[T; 3]]) -> PyResult<Found> {
        let (places, rays, each) = (origins.len(), self.directions.len(), self.each);
        if each == 0 || places.checked_mul(each) != Some(rays) {
            return Err(argument(format!(
                "there are {rays} directions for {places} origins; give {each} for each"
            )));
        }
        let lost = AtomicUsize::new(usize::MAX);
        same_process()?;
        let found = if rays < SOON_DONE {
            py.detach(|| self.found(origins, &lost, &Watch::default()))
        } else {
            without_interpreter(py, None, |watch| self.found(origins, &lost, watch))?
        };
        match lost.into_inner() {
            usize::MAX => Ok(found),
            pulse => Err(argument(self.complaint(pulse))),
        }
    }

    /// Casts the rays, and lowers `lost` to the first pulse that leads nowhere.
    fn found<T: Number>(&self, origins: &[[T; 3]], lost: &AtomicUsize, watch: &Watch) -> Found {
        let threads = rayon::current_num_threads();
        let most = LARGEST_CHUNK.min(CHUNK_RAYS / self.each).max(CHUNK);
        let chunk = (origins.len() / (4 * threads)).clamp(CHUNK, most);
        let (count, step) = (self.directions.len(), chunk * self.each);
        // Zeros are memory that nobody has touched yet: the threads that need it will.
        let mut found = Found {
            t: vec![0.0; count],
            triangle: vec![0; count],
            normal: vec![[0.0; 3]; if self.normals { count } else { 0 }],
        };
        let (tracer, scene, t_max) = (self.tracer, self.tracer.at_rest(), self.t_max);
        let cast = |first: usize, origins: &[[T; 3]], run: Run<'_>| {
            if watch.stopped() {
                return;
            }
            match first_lost(origins, run.directions, self.each) {
                Some(pulse) => drop(lost.fetch_min(first + pulse, Ordering::Relaxed)),
                None => run.cast(origins, self.each),
            }
        };
        if count <= step {
            // Waking other threads would take longer.
            let Found { t, triangle, normal } = &mut found;
            cast(
                0,
                origins,
                Run { tracer, scene, directions: self.directions, t_max, t, triangle, normal },
            );
            return found;
        }
        let mut normals = found.normal.chunks_mut(step);
        let normals: Vec<_> =
            (0..count.div_ceil(step)).map(|_| normals.next().unwrap_or_default()).collect();
        let outputs = found.t.par_chunks_mut(step).zip(found.triangle.par_chunks_mut(step));
        let inputs = origins.par_chunks(chunk).zip(self.directions.par_chunks(step));
        let chunks = inputs.zip(outputs.zip(normals)).enumerate();
        chunks.for_each(|(number, ((origins, directions), ((t, triangle), normal)))| {
            let run = Run { tracer, scene, directions, t_max, t, triangle, normal };
            cast(number * chunk, origins, run);
        });
        found
    }

    /// What is wrong with a pulse that leads nowhere.
    fn complaint(&self, pulse: usize) -> String {
        let first = pulse * self.each;
        let mut ways = self.directions.iter().enumerate().skip(first).take(self.each);
        match ways.find(|(_, way)| leads_nowhere(way)) {
            Some((ray, way)) => {
                let what = if *way == [0.0; 3] { "of no length" } else { "that is not finite" };
                format!("directions has one {what} at {ray}; leave the ray out")
            }
            None => format!("origins has one that is not finite at {pulse}; leave it out"),
        }
    }
}

/// The first pulse whose origin is not finite or one of whose directions leads nowhere.
fn first_lost<T: Number>(
    origins: &[[T; 3]],
    directions: &[[f32; 3]],
    each: usize,
) -> Option<usize> {
    let origin = origins.iter().position(|from| !point(from).is_finite());
    let pulse = directions.iter().position(leads_nowhere).map(|ray| ray / each);
    origin.into_iter().chain(pulse).min()
}

fn leads_nowhere(way: &[f32; 3]) -> bool {
    let size = way[0].abs() + way[1].abs() + way[2].abs();
    !(size > 0.0 && size < f32::INFINITY)
}

/// What a coordinate may be.
trait Number: Element + Copy + PartialEq + Into<f64> {}
impl Number for f32 {}
impl Number for f64 {}

fn point<T: Number>(from: &[T; 3]) -> DVec3 {
    DVec3::from(from.map(Into::into))
}

/// A run of rays and what they meet.
struct Run<'a> {
    tracer: &'a Tracer,
    scene: RaySceneAt<'a>,
    directions: &'a [[f32; 3]],
    t_max: f32,
    t: &'a mut [f32],
    triangle: &'a mut [i32],
    normal: &'a mut [[f32; 3]],
}

impl Run<'_> {
    /// `each` rays from every origin.
    fn cast<T: Number>(mut self, origins: &[[T; 3]], each: usize) {
        self.t.fill(f32::INFINITY);
        self.triangle.fill(-1);
        self.normal.fill([f32::NAN; 3]);
        match each {
            1 => self.cast_single(origins),
            _ => self.cast_pulses(origins, each),
        }
    }

    /// Pulses in an order in which neighbours walk together, or one by one where they are few.
    fn cast_pulses<T: Number>(&mut self, origins: &[[T; 3]], each: usize) {
        if origins.len() < LEAST_IN_ORDER {
            for (pulse, origin) in origins.iter().enumerate() {
                let (origin, end) = (point(origin), (pulse + 1) * each);
                for first in (pulse * each..end).step_by(MAX_RAYS_PER_PULSE) {
                    self.cast_together(origin, first..end.min(first + MAX_RAYS_PER_PULSE));
                }
            }
            return;
        }
        let (directions, t_max) = (self.directions, [self.t_max]);
        let first = |pulse: usize| (point(&origins[pulse]), directions[pulse * each].into());
        let (mut near, mut tracer) = (NearOrder::default(), PulseTracer::default());
        let (mut starts, mut ways) = (Vec::new(), Vec::new());
        let together = (BATCH_RAYS / each).max(64);
        for part in near.set(self.tracer, (0..origins.len()).map(first)).chunks(together) {
            starts.clear();
            ways.clear();
            for pulse in part.iter().map(|pulse| *pulse as usize) {
                starts.push(point(&origins[pulse]));
                let rays = &directions[pulse * each..(pulse + 1) * each];
                ways.extend(rays.iter().map(|way| Vec3::from(*way)));
            }
            let batch = PulseBatch {
                origins: &starts,
                rays_per_pulse: each,
                directions: &ways,
                t_max: &t_max,
                ..PulseBatch::default()
            };
            self.tracer.trace_pulses(&DynamicBvh::default(), &batch, &mut tracer);
            for (place, (pulse, start)) in part.iter().zip(&starts).enumerate() {
                for ray in 0..each {
                    if let Some(hit) = tracer.hit(place * each + ray) {
                        self.keep(*pulse as usize * each + ray, &hit, *start);
                    }
                }
            }
        }
    }

    /// Single rays; those that leave from one place nearly in parallel are traced together, which
    /// finds the same hits.
    fn cast_single<T: Number>(&mut self, origins: &[[T; 3]]) {
        let (mut alone, mut ray) = (0, 0);
        while ray < origins.len() {
            let together = self.nearly_parallel(origins, ray);
            if together >= LEAST_TOGETHER {
                if alone < ray {
                    self.cast_alone(origins, alone..ray);
                }
                self.cast_together(point(&origins[ray]), ray..ray + together);
                alone = ray + together;
            }
            ray += together;
        }
        self.cast_alone(origins, alone..origins.len());
    }

    /// How many rays from `first` on leave from its place nearly in parallel.
    fn nearly_parallel<T: Number>(&self, origins: &[[T; 3]], first: usize) -> usize {
        let axis = Vec3::from(self.directions[first]);
        let near = |ray: &usize| {
            let way = Vec3::from(self.directions[*ray]);
            let along = axis.dot(way);
            origins[*ray] == origins[first]
                && along > 0.0
                && axis.cross(way).length_squared() < NEAR * NEAR * along * along
        };
        let end = origins.len().min(first + MAX_RAYS_PER_PULSE);
        1 + (first + 1..end).take_while(near).count()
    }

    /// Rays that share nothing.
    fn cast_alone<T: Number>(&mut self, origins: &[[T; 3]], rays: Range<usize>) {
        let mut starts = [DVec3::ZERO; ALONE];
        let mut ways = [Vec3::ZERO; ALONE];
        let mut hits = [None; ALONE];
        for first in rays.clone().step_by(ALONE) {
            let part = first..rays.end.min(first + ALONE);
            for (place, ray) in part.clone().enumerate() {
                starts[place] = point(&origins[ray]);
                ways[place] = Vec3::from(self.directions[ray]);
            }
            let count = part.len();
            let hits = &mut hits[..count];
            self.scene.trace_rays(&starts[..count], &ways[..count], self.t_max, hits);
            for ((ray, hit), start) in part.zip(hits).zip(&starts) {
                if let Some(hit) = hit {
                    self.keep(ray, hit, *start);
                }
            }
        }
    }

    /// Up to [`MAX_RAYS_PER_PULSE`] rays from one origin.
    fn cast_together(&mut self, origin: DVec3, rays: Range<usize>) {
        let mut hits = [None; MAX_RAYS_PER_PULSE];
        let mut bundle = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
        for (ray, way) in bundle.iter_mut().zip(&self.directions[rays.clone()]) {
            *ray = Vec3::from(*way);
        }
        let (directions, t_max) = (&bundle[..rays.len()], self.t_max);
        let pulse = PulseRays { origin, directions, origin_offsets: &[], t_max };
        self.scene.trace_pulse(&pulse, &mut hits);
        for (ray, hit) in rays.zip(&hits) {
            if let Some(hit) = hit {
                self.keep(ray, hit, origin);
            }
        }
    }

    fn keep(&mut self, ray: usize, hit: &RayHit, origin: DVec3) {
        (self.t[ray], self.triangle[ray]) = (hit.t, hit.triangle as i32);
        if let Some(normal) = self.normal.get_mut(ray) {
            let direction = Vec3::from(self.directions[ray]).as_dvec3();
            let met = self.scene.surface_point(hit, origin, direction);
            *normal = met.normal.as_vec3().to_array();
        }
    }
}
