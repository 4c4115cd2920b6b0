//! What a site holds, in figures.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use crate::site::Site;

/// Bins of the histogram of permeability over 0…1.
const BINS: usize = 10;

/// Figures about a site.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SiteStats {
    /// Volumes.
    pub volumes: u64,
    /// Cells of the whole grid that hold a volume.
    pub cells: u64,
    /// Least corner of the box around the centres and the surface, in the world; none: nothing in
    /// it.
    pub low_m: Option<[f64; 3]>,
    /// Its largest corner.
    pub high_m: Option<[f64; 3]>,
    /// Volumes with a permeability in 0…0.1, 0.1…0.2, …, 0.9…1.
    pub permeability_histogram: [u64; BINS],
    /// Mean permeability.
    pub permeability_mean: Option<f64>,
    /// Volumes through which no light passes.
    pub opaque: u64,
    /// Least, middle and largest standard deviation of the volumes along their thinnest axis.
    pub thickness_m: Option<[f64; 3]>,
    /// Volumes by how often their cell was halved.
    pub levels: BTreeMap<u16, u64>,
    /// Volumes by semantic class.
    pub labels: BTreeMap<u16, u64>,
    /// Volumes with a known intensity.
    pub with_intensity: u64,
    /// Points that made the shapes.
    pub points: u64,
    /// Vertices of the surface.
    pub vertices: u64,
    /// Triangles of the surface.
    pub triangles: u64,
    /// Bytes that the volumes take at run time, without their tree.
    pub volume_bytes: u64,
}

impl Site {
    /// Figures about the site.
    pub fn stats(&self) -> SiteStats {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let corners = self.surface.iter().flat_map(|surface| &surface.vertices);
        for at in self.volumes.iter().map(|volume| &volume.mean_m).chain(corners) {
            let at = Vec3::from(*at).as_dvec3() + self.origin;
            (low, high) = (low.min(at), high.max(at));
        }
        let bounds = (low.x <= high.x).then_some((low.to_array(), high.to_array()));
        let mut cells: Vec<_> = self
            .volumes
            .iter()
            .map(|volume| self.grid_cell(Vec3::from(volume.mean_m).as_dvec3()).to_array())
            .collect();
        cells.sort_unstable();
        cells.dedup();
        let mut permeability_histogram = [0; BINS];
        let (mut sum, mut opaque, mut with_intensity) = (0.0, 0, 0);
        let (mut levels, mut labels) = (BTreeMap::new(), BTreeMap::new());
        let mut thickness_m = Vec::with_capacity(self.volumes.len());
        for volume in &self.volumes {
            let rho = volume.permeability();
            permeability_histogram[((rho * BINS as f64) as usize).min(BINS - 1)] += 1;
            sum += rho;
            opaque += u64::from(rho == 0.0);
            with_intensity += u64::from(!volume.intensity_mean.is_nan());
            *levels.entry(u16::from(volume.level)).or_insert(0) += 1;
            *labels.entry(volume.label).or_insert(0) += 1;
            // The largest eigenvalue of the precision belongs to the thinnest axis.
            let p = volume.gaussian().precision;
            let matrix = nalgebra::Matrix3::from_column_slice(&p.to_cols_array());
            thickness_m.push(1.0 / matrix.symmetric_eigenvalues().max().sqrt());
        }
        thickness_m.sort_by(f64::total_cmp);
        let some = !self.volumes.is_empty();
        let surface = self.surface.as_ref();
        SiteStats {
            volumes: self.volumes.len() as u64,
            cells: cells.len() as u64,
            low_m: bounds.map(|(low, _)| low),
            high_m: bounds.map(|(_, high)| high),
            permeability_histogram,
            permeability_mean: some.then(|| sum / self.volumes.len() as f64),
            opaque,
            thickness_m: some.then(|| {
                let last = thickness_m.len() - 1;
                [thickness_m[0], thickness_m[last / 2], thickness_m[last]]
            }),
            levels,
            labels,
            with_intensity,
            points: self.evidence.iter().map(|evidence| u64::from(evidence.points)).sum(),
            vertices: surface.map_or(0, |surface| surface.vertices.len() as u64),
            triangles: surface.map_or(0, |surface| surface.triangles.len() as u64),
            volume_bytes: self.volume_bytes() as u64,
        }
    }
}
