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
use crate::waiting::without_interpreter;

/// Pulses that one thread takes at a time: they are looked after for Ctrl-C between these.
const CHUNK: usize = 4096;

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
        let (t, triangle, normal) = without_interpreter(py, None, |watch| {
            let count = directions.len();
            let (mut t, mut triangle) = (vec![f32::INFINITY; count], vec![-1i64; count]);
            let mut normal = if normals { vec![[f32::NAN; 3]; count] } else { Vec::new() };
            let no_normals = (0..count.div_ceil(CHUNK * rays)).map(|_| &mut [][..]);
            let normal_chunks: Vec<&mut [[f32; 3]]> = match normals {
                true => normal.chunks_mut(CHUNK * rays).collect(),
                false => no_normals.collect(),
            };
            let inputs = origins.par_chunks(CHUNK).zip(directions.par_chunks(CHUNK * rays));
            let outputs = t.par_chunks_mut(CHUNK * rays).zip(triangle.par_chunks_mut(CHUNK * rays));
            inputs.zip(outputs.zip(normal_chunks)).for_each(
                |((origins, directions), ((t, triangle), normal))| {
                    if !watch.stopped() {
                        cast_chunk(
                            tracer,
                            origins,
                            directions,
                            rays,
                            t_max,
                            Found { t, triangle, normal },
                        );
                    }
                },
            );
            (t, triangle, normal)
        })?;
        let normal = normals.then(|| rows_of_three(py, normal)).transpose()?;
        Ok((t.into_pyarray(py), triangle.into_pyarray(py), normal))
    }
}

/// Where hits go.
struct Found<'a> {
    t: &'a mut [f32],
    triangle: &'a mut [i64],
    normal: &'a mut [[f32; 3]],
}

fn cast_chunk(
    tracer: &Tracer,
    origins: &[[f64; 3]],
    directions: &[[f32; 3]],
    rays: usize,
    t_max: f32,
    found: Found<'_>,
) {
    let Found { t, triangle, normal } = found;
    let mut keep = |ray: usize, hit: &RayHit, origin: DVec3, direction: Vec3| {
        t[ray] = hit.t;
        triangle[ray] = i64::from(hit.triangle);
        if let Some(normal) = normal.get_mut(ray) {
            let point = tracer.surface_point(hit, origin, direction.as_dvec3());
            *normal = point.normal.as_vec3().to_array();
        }
    };
    let mut hits = [None; MAX_RAYS_PER_PULSE];
    let mut bundle = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
    for (pulse, origin) in origins.iter().enumerate() {
        let origin = DVec3::from(*origin);
        let first = pulse * rays;
        if rays == 1 {
            let direction = Vec3::from(directions[first]);
            if let Some(hit) = tracer.trace_ray(origin, direction, t_max) {
                keep(first, &hit, origin, direction);
            }
            continue;
        }
        for (part, directions) in
            directions[first..first + rays].chunks(MAX_RAYS_PER_PULSE).enumerate()
        {
            let count = directions.len();
            for (ray, direction) in bundle.iter_mut().zip(directions) {
                *ray = Vec3::from(*direction);
            }
            let rays =
                PulseRays { origin, directions: &bundle[..count], origin_offsets: &[], t_max };
            tracer.trace_pulse(&rays, &mut hits[..count]);
            for (ray, hit) in hits[..count].iter().enumerate() {
                if let Some(hit) = hit {
                    keep(first + part * MAX_RAYS_PER_PULSE + ray, hit, origin, bundle[ray]);
                }
            }
        }
    }
}
