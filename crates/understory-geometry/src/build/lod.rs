//! Coarser versions of meshes, for instances that are far away.
//!
//! What enters: for a mesh any number of versions of it, finest first, and the distances from
//! which they are traced. What leaves: the tree through which the rays of a pulse go. Which one
//! that is depends on the origin of the pulse and on the instance alone, so that neither threads
//! nor the order of pulses change anything. A triangle of a version bears the number of the
//! triangle of the mesh that it stands for: whoever asks what was hit need not know of versions.

use crate::GeometryError;
use crate::build::blas::MeshTree;
use crate::build::tlas::Placed;
use glam::DVec3;
use obvhs::aabb::Aabb;

/// Coarser versions of the meshes of a scene, and when they are traced.
#[derive(Default)]
pub(crate) struct Coarser {
    /// By mesh; shorter than the list of meshes where the last have none. None: as the one before.
    versions: Vec<Vec<Option<MeshTree>>>,
    /// Distance of the farthest part of each instance from its translation, by its number.
    radius_m: Vec<f64>,
    /// From which distance on version k + 1 is traced, rising; empty: never.
    from_m: Vec<f64>,
}

impl Coarser {
    /// Adds the next coarser version of a mesh; none is the same as the one before.
    pub fn push(&mut self, mesh: usize, version: Option<MeshTree>) {
        if self.versions.len() <= mesh {
            self.versions.resize_with(mesh + 1, Vec::new);
        }
        self.versions[mesh].push(version);
    }

    /// Whether no mesh has a coarser version.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Sets how far from its translation each instance reaches, from the boxes around all.
    pub fn set_radii<'a>(&mut self, around: impl Iterator<Item = (DVec3, &'a (DVec3, DVec3))>) {
        if !self.is_empty() {
            let radius = |(middle, (low, high)): (DVec3, &(DVec3, DVec3))| {
                (*high - middle).max(middle - *low).length()
            };
            self.radius_m = around.map(radius).collect();
        }
    }

    /// Sets from which distances on the versions are traced.
    pub fn set_from_m(&mut self, from_m: &[f64]) -> Result<(), GeometryError> {
        let rising = from_m.windows(2).all(|pair| pair[0] <= pair[1]);
        if let Some(&bad_m) = from_m.iter().find(|from| !(0.0..=1e9).contains(*from) || !rising) {
            return Err(GeometryError::BadDistances { bad_m });
        }
        self.from_m = if self.is_empty() { Vec::new() } else { from_m.to_vec() };
        Ok(())
    }

    /// From which distances on the versions are traced.
    pub fn distances_m(&self) -> &[f64] {
        &self.from_m
    }

    /// The version of an instance that rays from `origin` meet; 0 is the mesh itself.
    #[inline(always)]
    pub fn version_seen(&self, placed: &Placed, origin: DVec3) -> u32 {
        if self.from_m.is_empty() { 0 } else { self.version_from_afar(placed, origin) }
    }

    /// By the distance to the nearest point that the instance can have.
    #[inline(never)]
    fn version_from_afar(&self, placed: &Placed, origin: DVec3) -> u32 {
        let has = self.versions.get(placed.mesh() as usize).map_or(0, Vec::len);
        let radius_m = self.radius_m.get(placed.instance().0 as usize).copied().unwrap_or(0.0);
        let near_m = placed.distance(origin) - radius_m;
        self.from_m.iter().take(has).take_while(|from_m| near_m >= **from_m).count() as u32
    }

    /// The tree of a version of a mesh; none is the mesh itself.
    #[inline(never)]
    pub fn tree(&self, mesh: u32, version: u32) -> Option<&MeshTree> {
        let versions = self.versions.get(mesh as usize)?;
        versions.get(..version as usize)?.iter().rev().flatten().next()
    }

    /// Boxes around all versions of a mesh.
    pub fn outlines(&self, mesh: u32) -> impl Iterator<Item = &Aabb> {
        self.versions
            .get(mesh as usize)
            .into_iter()
            .flatten()
            .flatten()
            .flat_map(|tree| &tree.outline)
    }

    pub fn memory_bytes(&self) -> usize {
        let trees: usize =
            self.versions.iter().flatten().flatten().map(MeshTree::memory_bytes).sum();
        trees + size_of_val(self.radius_m.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edges, MeshId, PulseRays, RaySceneBuilder, TriangleMesh};
    use glam::{DAffine3, Vec3};

    /// A square of two triangles at this height.
    fn square(height: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corners = corners.map(|(x, y)| DVec3::new(x, y, height));
        (corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])
    }

    /// A square at height 0 that becomes one at 0.25, then at 0.25 still, then at 0.5; far out on
    /// the map, twice as large.
    fn builder() -> (RaySceneBuilder, MeshId) {
        let mut builder = RaySceneBuilder::default();
        let (corners, triangles) = square(0.0);
        let mesh = TriangleMesh::new(&corners, triangles).unwrap();
        let mesh = builder.add_mesh(&mesh, Edges::Exact).unwrap();
        let (corners, triangles) = square(0.25);
        builder.add_coarser_version(mesh, &corners, triangles, &[1, 0]).unwrap();
        builder.repeat_version(mesh).unwrap();
        let (corners, triangles) = square(0.5);
        builder.add_coarser_version(mesh, &corners, triangles[..1].to_vec(), &[1]).unwrap();
        (builder, mesh)
    }

    const PLACE: DVec3 = DVec3::new(500_000.0, 4_000_000.0, 100.0);

    fn placed(at: DVec3) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(DVec3::splat(2.0), glam::DQuat::IDENTITY, at)
    }

    #[test]
    fn the_distance_of_the_nearest_part_decides() {
        let (mut builder, mesh) = builder();
        builder.add_instance(mesh, placed(PLACE)).unwrap();
        let mut scene = builder.build();
        // Right above a point of the first triangle; the mesh reaches 3 m from its middle, at most.
        let reach = (2.0f64 * 2.0 * 2.0 + 1.0).sqrt() + 1e-3;
        let look = |scene: &crate::RayScene, above: f64| {
            let origin = PLACE + DVec3::new(0.5, -0.7, above);
            let hit = scene.trace_ray(origin, Vec3::NEG_Z, 1e4).unwrap();
            let rays = [Vec3::NEG_Z; 5];
            let pulse = PulseRays { origin, directions: &rays, origin_offsets: &[], t_max: 1e4 };
            let mut hits = [None; 5];
            scene.trace_pulse(&pulse, &mut hits);
            assert!(hits.iter().all(|other| *other == Some(hit)));
            let point = scene.surface_point(&hit, origin, DVec3::NEG_Z);
            assert_eq!(point.mesh, mesh);
            (above - point.t, hit.triangle)
        };
        let sees = |scene: &crate::RayScene, above: f64, height: f64, triangle: u32| {
            let (seen_height, seen_triangle) = look(scene, above);
            assert!((seen_height - height).abs() < 1e-9, "{above}: {seen_height}, not {height}");
            assert_eq!(seen_triangle, triangle, "{above}");
        };
        for above in [5.0, 50.0, 500.0] {
            sees(&scene, above, 0.0, 0);
        }
        scene.trace_coarser_from(&[10.0, 20.0, 40.0]).unwrap();
        sees(&scene, 9.9, 0.0, 0);
        sees(&scene, 10.2 + reach, 0.5, 1);
        sees(&scene, 20.2 + reach, 0.5, 1);
        sees(&scene, 40.2 + reach, 1.0, 1);
        scene.trace_coarser_from(&[]).unwrap();
        sees(&scene, 500.0, 0.0, 0);
    }

    #[test]
    fn what_cannot_stand_for_a_mesh_is_refused() {
        let (mut builder, mesh) = builder();
        let (corners, triangles) = square(1.0);
        for stands_for in [&[0, 0][..], &[0, 2], &[0]] {
            let error = builder
                .add_coarser_version(mesh, &corners, triangles.clone(), stands_for)
                .unwrap_err();
            assert!(matches!(error, GeometryError::BadStandIn { triangles: 2, .. }), "{error}");
        }
        let strange = MeshId(7);
        assert!(builder.add_coarser_version(strange, &corners, triangles, &[0, 1]).is_err());
        assert!(builder.repeat_version(strange).is_err());
        let mut scene = builder.build();
        for bad in [&[2.0, 1.0][..], &[-1.0], &[f64::NAN], &[1.0, f64::INFINITY]] {
            let error = scene.trace_coarser_from(bad).unwrap_err();
            assert!(matches!(error, GeometryError::BadDistances { .. }), "{error}");
        }
        assert!(scene.coarser_from_m().is_empty());
    }
}
