//! Where the retroreflectors of a scene are.
//!
//! What enters: a [`Scene`]. What leaves: [`Retroreflectors`], every instance with a triangle whose
//! material is one, and these triangles, a mesh's once. They shine farther than their place in a
//! beam's footprint, and so must be found where no ray of it goes; there are few of them in any scene.
//! The triangles of a large one stand in clusters of neighbours, at most [`CLUSTERS_MAX`], so that
//! what it costs to choose among them has a limit.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{DAffine3, DVec3};
use understory_geometry::{InstanceId, InstanceMotion, MeshId};

use super::Scene;

/// Most clusters of a mesh.
pub const CLUSTERS_MAX: usize = 64;

/// The retroreflectors of a scene.
#[derive(Clone, Debug, Default)]
pub struct Retroreflectors {
    reflectors: Vec<Retroreflector>,
    meshes: Vec<ReflectorMesh>,
}

/// An instance that retroreflects.
#[derive(Clone, Debug)]
pub struct Retroreflector {
    /// Which one.
    pub instance: InstanceId,
    /// What it shows, and the triangles of that.
    shapes: Vec<(MeshId, usize)>,
    /// Where it is, if it stands still.
    still: Option<Placed>,
}

/// A retroreflector where it is at a time.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Which of the meshes it shows.
    mesh: usize,
    /// Where the mesh's vertices are.
    pub world_from_vertices: DAffine3,
    /// Middle of a sphere that holds all of it that retroreflects.
    pub centre: DVec3,
    /// Its radius.
    pub radius_m: f64,
}

/// The triangles of a mesh that retroreflect.
#[derive(Clone, Debug, Default)]
pub struct ReflectorMesh {
    /// Those of a cluster together.
    pub facets: Vec<Facet>,
    /// Neighbours.
    pub clusters: Vec<Cluster>,
    centre: DVec3,
    radius: f64,
}

/// A triangle that retroreflects.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Its number in the mesh.
    pub triangle: u32,
    /// In the frame of the mesh's vertices.
    pub corners: [DVec3; 3],
    /// Sum of the areas from the first of its cluster to this one, in that frame.
    pub area_to_here: f64,
}

/// Triangles side by side.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Which facets.
    pub facets: Range<usize>,
    /// Middle of a sphere that holds them, in the frame of the vertices.
    pub centre: DVec3,
    /// Its radius.
    pub radius: f64,
    /// Mean of their unit normals by area: as long as they face one way, in any sense.
    pub facing: DVec3,
}

impl Facet {
    fn centre(&self) -> DVec3 {
        (self.corners[0] + self.corners[1] + self.corners[2]) / 3.0
    }

    fn area_vector(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        0.5 * (b - a).cross(c - a)
    }
}

impl ReflectorMesh {
    fn new(mut facets: Vec<Facet>) -> ReflectorMesh {
        let largest = facets.len().div_ceil(CLUSTERS_MAX / 2);
        let mut clusters = Vec::new();
        // Few stand each for itself, in the order of the mesh: faces stay together.
        let mut waiting: Vec<Range<usize>> = match facets.len() {
            few if few <= CLUSTERS_MAX => (0..few).rev().map(|i| i..i + 1).collect(),
            many => std::iter::once(0..many).collect(),
        };
        while let Some(range) = waiting.pop() {
            if range.len() > largest {
                let (low, high) = bounds(facets[range.clone()].iter().map(Facet::centre));
                let size = high - low;
                let axis =
                    if size.x >= size.y.max(size.z) { 0 } else { 1 + usize::from(size.z > size.y) };
                let half = range.len() / 2;
                let order = |a: &Facet, b: &Facet| {
                    let (at_a, at_b) = (a.centre()[axis], b.centre()[axis]);
                    at_a.total_cmp(&at_b).then(a.triangle.cmp(&b.triangle))
                };
                facets[range.clone()].select_nth_unstable_by(half, order);
                waiting.push(range.start + half..range.end);
                waiting.push(range.start..range.start + half);
                continue;
            }
            let (mut sum, mut facing) = (0.0, DVec3::ZERO);
            for facet in &mut facets[range.clone()] {
                sum += facet.area_vector().length();
                facing += facet.area_vector();
                facet.area_to_here = sum;
            }
            let (centre, radius) = sphere(&facets[range.clone()]);
            let facing = if sum > 0.0 { facing / sum } else { DVec3::ZERO };
            clusters.push(Cluster { facets: range, centre, radius, facing });
        }
        let (centre, radius) = sphere(&facets);
        ReflectorMesh { facets, clusters, centre, radius }
    }
}

fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold(super::NOWHERE, |(low, high), p| (low.min(p), high.max(p)))
}

fn sphere(facets: &[Facet]) -> (DVec3, f64) {
    let corners = || facets.iter().flat_map(|facet| facet.corners);
    let (low, high) = bounds(corners());
    let centre = 0.5 * (low + high);
    (centre, corners().map(|corner| corner.distance(centre)).fold(0.0, f64::max))
}

/// No length grows by more than this under a transform.
pub fn stretch(transform: &DAffine3) -> f64 {
    let matrix = transform.matrix3;
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    columns.map(DVec3::length_squared).iter().sum::<f64>().sqrt()
}

impl Retroreflectors {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reflectors.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> &[Retroreflector] {
        &self.reflectors
    }

    /// What a placed one shows.
    pub fn mesh(&self, placed: &Placed) -> &ReflectorMesh {
        &self.meshes[placed.mesh]
    }

    /// Where one is at a time; none where it shows nothing that retroreflects then.
    pub fn placed(&self, scene: &Scene, of: &Retroreflector, time_s: f64) -> Option<Placed> {
        if of.still.is_some() {
            return of.still;
        }
        let (mesh, world_from_vertices) = scene.rays.instance_at(of.instance, time_s)?;
        let &(_, mesh) = of.shapes.iter().find(|(shape, _)| *shape == mesh)?;
        let shape = &self.meshes[mesh];
        let centre = world_from_vertices.transform_point3(shape.centre);
        let radius_m = stretch(&world_from_vertices) * shape.radius;
        Some(Placed { mesh, world_from_vertices, centre, radius_m })
    }
}

impl Scene {
    /// Everything that retroreflects.
    pub fn retroreflectors(&self) -> Retroreflectors {
        let mut found = Retroreflectors::default();
        let known = self.materials.iter().map(|material| material.finish.retro.is_some());
        let retro: Vec<bool> = std::iter::once(false).chain(known).collect();
        if !retro.contains(&true) {
            return found;
        }
        // By mesh and first row of its materials.
        let mut meshes: BTreeMap<(MeshId, u32), Option<usize>> = BTreeMap::new();
        for number in 0..self.rays.instance_count() as u32 {
            let instance = InstanceId(number);
            let rows = self.instances[number as usize].materials;
            let shown = match (number as usize).checked_sub(self.rays.standing_count()) {
                Some(mover) => self.movers[mover].meshes(),
                None => self.rays.instance(instance).map(|(mesh, _)| mesh).into_iter().collect(),
            };
            let reflects = |triangle: u32| {
                retro.get(self.material_of(instance, triangle) as usize) == Some(&true)
            };
            let mut shapes = Vec::new();
            for mesh in shown {
                let known = meshes.entry((mesh, rows.first)).or_insert_with(|| {
                    if rows.mask == 0 && !reflects(0) {
                        return None;
                    }
                    let corners = self.rays.triangle_corners(mesh);
                    let facets: Vec<Facet> = (0..)
                        .zip(&corners)
                        .filter(|(triangle, _)| reflects(*triangle))
                        .map(|(triangle, corners)| Facet {
                            triangle,
                            corners: corners.map(|corner| corner.as_dvec3()),
                            area_to_here: 0.0,
                        })
                        .collect();
                    if facets.is_empty() {
                        return None;
                    }
                    found.meshes.push(ReflectorMesh::new(facets));
                    Some(found.meshes.len() - 1)
                });
                shapes.extend(known.map(|known| (mesh, known)));
            }
            if shapes.is_empty() {
                continue;
            }
            let mut reflector = Retroreflector { instance, shapes, still: None };
            if !self.rays.moves(instance) {
                reflector.still = found.placed(self, &reflector, 0.0);
            }
            found.reflectors.push(reflector);
        }
        found
    }
}
