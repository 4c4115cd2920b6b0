//! LOD levels of meshes, for instances that are far away.
//!
//! What enters: for a mesh any number of levels of it, finest first, and the distances from
//! which they are traced. What leaves: the tree through which the rays of a pulse go. Which one
//! that is depends on the origin of the pulse and on the instance alone, so that neither threads
//! nor the order of pulses change anything. A triangle of a level bears the number of the
//! triangle of the mesh that it stands for: whoever asks what was hit need not know of levels.

use super::blas::Blas;
use super::tlas::TlasInstance;
use crate::GeometryError;
use glam::DVec3;
use obvhs::aabb::Aabb;

/// LOD levels of the meshes of a scene, and when they are traced.
#[derive(Default)]
pub(crate) struct Lods {
    /// By mesh; shorter than the list of meshes where the last have none. None: as the one before.
    levels: Vec<Vec<Option<Blas>>>,
    /// Distance of the farthest part of each instance from its translation, by its number.
    radius_m: Vec<f64>,
    /// From which distance on level k + 1 is traced, rising; empty: never.
    from_m: Vec<f64>,
}

impl Lods {
    /// Adds the next LOD level of a mesh; none is the same as the one before.
    pub fn push(&mut self, mesh: usize, level: Option<Blas>) {
        if self.levels.len() <= mesh {
            self.levels.resize_with(mesh + 1, Vec::new);
        }
        self.levels[mesh].push(level);
    }

    /// Whether no mesh has a LOD level.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
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

    /// Sets from which distances on the levels are traced.
    pub fn set_from_m(&mut self, from_m: &[f64]) -> Result<(), GeometryError> {
        let rising = from_m.windows(2).all(|pair| pair[0] <= pair[1]);
        if let Some(&bad_m) = from_m.iter().find(|from| !(0.0..=1e9).contains(*from) || !rising) {
            return Err(GeometryError::BadDistances { bad_m });
        }
        self.from_m = if self.is_empty() { Vec::new() } else { from_m.to_vec() };
        Ok(())
    }

    /// From which distances on the levels are traced.
    pub fn distances_m(&self) -> &[f64] {
        &self.from_m
    }

    /// The level of an instance that rays from `origin` meet; 0 is the mesh itself.
    #[inline(always)]
    pub fn level_seen(&self, placed: &TlasInstance, origin: DVec3) -> u32 {
        if self.from_m.is_empty() { 0 } else { self.level_from_afar(placed, origin) }
    }

    /// By the distance to the nearest point that the instance can have.
    #[inline(never)]
    fn level_from_afar(&self, placed: &TlasInstance, origin: DVec3) -> u32 {
        let has = self.levels.get(placed.mesh() as usize).map_or(0, Vec::len);
        let radius_m = self.radius_m.get(placed.instance().0 as usize).copied().unwrap_or(0.0);
        let near_m = placed.distance(origin) - radius_m;
        self.from_m.iter().take(has).take_while(|from_m| near_m >= **from_m).count() as u32
    }

    /// The tree of a level of a mesh; none is the mesh itself.
    #[inline(never)]
    pub fn tree(&self, mesh: u32, level: u32) -> Option<&Blas> {
        let levels = self.levels.get(mesh as usize)?;
        levels.get(..level as usize)?.iter().rev().flatten().next()
    }

    /// Boxes around all levels of a mesh.
    pub fn outlines(&self, mesh: u32) -> impl Iterator<Item = &Aabb> {
        self.levels
            .get(mesh as usize)
            .into_iter()
            .flatten()
            .flatten()
            .flat_map(|tree| &tree.outline)
    }

    pub fn memory_bytes(&self) -> usize {
        let trees: usize = self.levels.iter().flatten().flatten().map(Blas::memory_bytes).sum();
        trees + size_of_val(self.radius_m.as_slice())
    }
}
