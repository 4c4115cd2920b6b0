//! The shapes of the volumes: sums of cells and gaps between rays → Gaussians.
//!
//! **Resolution.** Where one Gaussian says as much as eight, cells become one ([`nodes`]).
//!
//! **Width.** Across the rays a volume is as wide as the gaps between them ask for, times a factor of
//! the variance that beams which were not learned from choose ([`super::held_out`]), on top of its
//! points' own scatter. Along the ray it keeps its points' scatter: the sensor's noise is in it.
//!
//! **Slope.** Where the surroundings are a surface, the gap is closed along it and not along the ray
//! ([`surroundings`]): the width is sheared by its slope, as far as that explains the ranges. On thin
//! surfaces, where it explains all but the sensor's noise, volumes may be wider and overlap: nothing is
//! lost, and nothing leaks.

mod nodes;
mod surroundings;

use glam::{DMat3, DVec3, I64Vec3};
use rayon::prelude::*;

use crate::LearnError;
use crate::estimate::cells::{CellIndex, Cells};
use crate::estimate::ray_spacing::RaySpacing;
use crate::estimate::settings::Settings;
use crate::site::REACH_MAX_M;
use crate::volume::gaussian::{Gaussian, floor_eigenvalues};
use nodes::{Node, Resolved};
use surroundings::Surroundings;
use understory_base::Progress;

/// By how much more the volumes of thin surfaces are wider than the gaps, as a variance.
const THIN_WIDENING: f64 = 1.0;

/// A volume before anything is known of its optical depth.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Around the origin of all.
    pub gaussian: Gaussian,
    pub points: f64,
    pub intensity: Option<[f64; 2]>,
    pub label: u16,
    /// The coarsest cell was halved this often.
    pub level: u8,
}

/// All of them.
pub struct Shapes {
    pub origin: DVec3,
    pub volumes: Vec<Shape>,
}

/// What points and gaps say of the volumes before it is known how wide they are.
pub struct Bases {
    origin: DVec3,
    bases: Vec<Basis>,
}

/// That of one volume, whose covariance is own + (widening + more)·gap.
struct Basis {
    /// All but its covariance.
    shape: Shape,
    own: DMat3,
    gap: DMat3,
    more: f64,
}

impl Bases {
    /// Cells of `cells` become volumes of up to 2^`halvings` times their edge.
    pub fn new(
        cells: &Cells,
        spacing: &RaySpacing,
        settings: &Settings,
        halvings: u16,
        progress: &dyn Progress,
    ) -> Result<Bases, LearnError> {
        progress.step("shaping volumes", 0.0);
        let finest_m = cells.cell_m();
        let mut sorted: Vec<_> = cells
            .each()
            .into_par_iter()
            .map(|(cell, sums, label)| (cell.on_curve(), cell, sums, label))
            .collect();
        sorted.par_sort_unstable_by_key(|(place, ..)| *place);
        let origin = origin(sorted.iter().map(|(_, cell, ..)| *cell), finest_m, halvings)?;
        let finest: Vec<(CellIndex, Node)> = sorted
            .into_par_iter()
            .map(|(_, cell, sums, label)| (cell, Node::new(cell, sums, label, finest_m, origin)))
            .collect();
        let surroundings = Surroundings::new(&finest, finest_m);
        let finest = nodes::join_along_rays(finest, finest_m, origin, settings);
        let bases = nodes::resolve(&finest, settings, halvings)
            .par_iter()
            .filter(|resolved| resolved.node.points >= settings.points_min)
            .map(|resolved| basis(resolved, spacing, &surroundings, origin, settings, halvings))
            .collect();
        progress.step("shaping volumes", 1.0);
        Ok(Bases { origin, bases })
    }

    /// The volumes, their variance across the rays `widening` times that of the gaps.
    pub fn widened(&self, widening: f64, settings: &Settings) -> Shapes {
        let shape = |basis: &Basis| {
            let covariance = basis.own + basis.gap * (widening + basis.more);
            let covariance = floor_eigenvalues(covariance, &settings.regularisation);
            let mean = basis.shape.gaussian.mean;
            let least = Gaussian { mean, precision: DMat3::from_diagonal(DVec3::splat(1e6)) };
            let gaussian = Gaussian::new(mean, covariance).unwrap_or(least);
            Shape { gaussian, ..basis.shape.clone() }
        };
        Shapes { origin: self.origin, volumes: self.bases.par_iter().map(shape).collect() }
    }
}

/// The corner of a coarsest cell in the middle.
fn origin(
    cells: impl Iterator<Item = CellIndex>,
    finest_m: f64,
    halvings: u16,
) -> Result<DVec3, LearnError> {
    let (mut low, mut high) = (I64Vec3::MAX, I64Vec3::MIN);
    for cell in cells {
        low = low.min(cell.wide());
        high = high.max(cell.wide() + I64Vec3::ONE);
    }
    let coarse = 3 + u32::from(halvings);
    let middle = I64Vec3::from((low + high).to_array().map(|c| (c >> 1) >> coarse << coarse));
    let reach = (high - middle).max(middle - low).max_element();
    let reach_m = reach as f64 * finest_m;
    if reach_m > REACH_MAX_M {
        return Err(LearnError::TooLarge { reach_m, limit_m: REACH_MAX_M });
    }
    Ok(middle.as_dvec3() * finest_m)
}

fn basis(
    resolved: &Resolved,
    spacing: &RaySpacing,
    surroundings: &Surroundings,
    origin: DVec3,
    settings: &Settings,
    halvings: u16,
) -> Basis {
    let Resolved { cell, level, node } = resolved;
    let n = node.moments.weight;
    let along = node.directions * (1.0 / n);
    let across = DMat3::IDENTITY - along;
    let gap = spacing.at(origin + node.moments.mean);
    let ray = nodes::axis(along);
    let noise = settings.sensor.sigma_range_m.powi(2);
    let (mut more, mut shear) = (0.0, DMat3::IDENTITY);
    if let Some(slope) = surroundings.slope(*cell, usize::from(*level), ray, gap) {
        more = THIN_WIDENING / (1.0 + slope.residual / (4.0 * noise).max(1e-12));
        let rise = slope.rise * slope.explains;
        shear += DMat3::from_cols(ray * rise.x, ray * rise.y, ray * rise.z);
    }
    let nu = settings.regularisation.prior_points;
    let mean = node.moments.mean;
    Basis {
        own: (node.moments.scatter + along * (noise * nu)) * (1.0 / (n + nu)),
        gap: shear * (across * gap * across) * shear.transpose(),
        more,
        shape: Shape {
            gaussian: Gaussian { mean, precision: DMat3::ZERO },
            points: n,
            intensity: node.intensity(),
            label: node.label,
            level: (halvings - level) as u8,
        },
    }
}
