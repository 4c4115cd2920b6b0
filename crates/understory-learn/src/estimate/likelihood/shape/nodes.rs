//! Which points make one volume: sums of the finest cells → cells of several sizes.
//!
//! What the noise of ranges has spread over cells that follow each other on the rays becomes one again.
//! Then eight cells become one where their points lie on a thin surface and one Gaussian says as much of
//! them: by the Bayesian information criterion with the mixture Σ n_c(ln(n_c/n) − ½ ln|Σ_c|) against
//! −½ n ln|Σ|, ten parameters a cell. In foliage cells stay fine: how much light each part of it stops
//! would be lost with them.

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use rayon::prelude::*;

use crate::estimate::cells::{CellIndex, Light, MixedMap, Sums};
use crate::estimate::settings::Settings;
use crate::volume::moments::Moments;

/// Most variance of ranges, in those of the sensor, of what is one surface: its noise, and what the
/// steps of its encoder do on a slope.
const BLURRED: f64 = 2.5;
/// Surfaces thinner than this many standard deviations of the range are thin.
const THIN_SIGMAS: f64 = 1.2;
/// Points spread over a surface if their standard deviation is the edge of the cell over this; that
/// of evenly spread ones is the edge over √12.
const SPREAD: f64 = 6.0;
/// Parameters of a Gaussian volume.
const PARAMETERS: f64 = 10.0;

/// Points of a cell of some level, around the origin of all.
#[derive(Clone)]
pub struct Node {
    pub moments: Moments,
    /// Σ r̂r̂ᵀ.
    pub directions: DMat3,
    pub points: u64,
    light: Light,
    pub label: u16,
}

/// A node, its cell and the level of that above the finest.
pub struct Resolved {
    pub cell: CellIndex,
    pub level: u16,
    pub node: Node,
}

impl Node {
    /// Of one of the finest cells.
    pub fn new(cell: CellIndex, sums: &Sums, label: u16, finest_m: f64, origin: DVec3) -> Node {
        let mut moments = sums.moments(finest_m);
        moments.mean += cell.centre(finest_m) - origin;
        let directions = sums.mean_direction_square() * moments.weight;
        Node { directions, moments, points: sums.points, light: sums.light(), label }
    }

    /// Mean and standard deviation of the intensities.
    pub fn intensity(&self) -> Option<[f64; 2]> {
        self.light.mean_and_sigma()
    }

    fn merge(&mut self, other: &Node) {
        self.moments.merge(&other.moments);
        self.directions += other.directions;
        self.points += other.points;
        self.light.merge(&other.light);
    }
}

/// The unit vector of which `square`, a mean of r̂r̂ᵀ, is nearly the outer product.
pub fn axis(square: DMat3) -> DVec3 {
    let columns = [square.x_axis, square.y_axis, square.z_axis];
    let longest = columns
        .into_iter()
        .fold(DVec3::X * 1e-9, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    (square * (square * longest)).normalize_or(longest.normalize_or(DVec3::X))
}

/// Puts a cell together with its neighbours before and behind it on the rays where all their points
/// are one surface blurred by the sensor's noise: a border of cells would cut its spread in two. Those
/// of most points come first.
pub fn join_along_rays(
    finest: Vec<(CellIndex, Node)>,
    finest_m: f64,
    origin: DVec3,
    settings: &Settings,
) -> Vec<(CellIndex, Node)> {
    const NONE: u32 = u32::MAX;
    let slots: MixedMap<CellIndex, u32> =
        finest.iter().enumerate().map(|(slot, (cell, _))| (*cell, slot as u32)).collect();
    let most = BLURRED * settings.sensor.sigma_range_m.powi(2);
    let is_blurred = |ray: DVec3, a: &Moments, b: &Moments| {
        let mut both = *a;
        both.merge(b);
        ray.dot(both.covariance() * ray) <= most
    };
    // The ray of each cell, and who may join it: points of more cells only spread farther.
    let offers: Vec<(DVec3, [u32; 2])> = finest
        .par_iter()
        .map(|(_, node)| {
            let ray = axis(node.directions * (1.0 / node.moments.weight));
            let offer = |step_m: f64| {
                let there = origin + node.moments.mean + ray * step_m;
                let slot = CellIndex::from_position(there, finest_m)
                    .and_then(|there| slots.get(&there).copied())
                    .filter(|slot| {
                        is_blurred(ray, &node.moments, &finest[*slot as usize].1.moments)
                    });
                slot.unwrap_or(NONE)
            };
            (ray, [offer(finest_m), offer(-finest_m)])
        })
        .collect();
    let mut order: Vec<u32> =
        (0..finest.len() as u32).filter(|slot| offers[*slot as usize].1 != [NONE; 2]).collect();
    order.par_sort_unstable_by_key(|slot| {
        (std::cmp::Reverse(finest[*slot as usize].1.points), *slot)
    });
    let mut cells = finest;
    let (mut joined, mut gone) = (vec![false; cells.len()], vec![false; cells.len()]);
    for slot in order.into_iter().map(|slot| slot as usize) {
        if gone[slot] {
            continue;
        }
        let (ray, others) = offers[slot];
        for other in others.into_iter().filter(|other| *other != NONE).map(|other| other as usize) {
            if other == slot || gone[other] || joined[other] {
                continue;
            }
            if is_blurred(ray, &cells[slot].1.moments, &cells[other].1.moments) {
                let neighbour = cells[other].1.clone();
                cells[slot].1.merge(&neighbour);
                gone[other] = true;
            }
        }
        joined[slot] = true;
    }
    let mut gone = gone.into_iter();
    cells.retain(|_| !gone.next().unwrap_or(false));
    cells
}

/// Cells of all levels that say as much as finer ones would. `finest` stand along the curve of
/// [`CellIndex::on_curve`].
pub fn resolve(finest: &[(CellIndex, Node)], settings: &Settings, halvings: u16) -> Vec<Resolved> {
    let coarsest = |cell: CellIndex| cell.0.map(|c| c >> halvings);
    finest
        .par_chunk_by(|(a, _), (b, _)| coarsest(*a) == coarsest(*b))
        .flat_map_iter(|cells| resolve_cell(cells, halvings, settings, halvings))
        .collect()
}

/// Those of one cell of some level: only itself, if it stands for all of its points.
fn resolve_cell(
    cells: &[(CellIndex, Node)],
    level: u16,
    settings: &Settings,
    halvings: u16,
) -> Vec<Resolved> {
    if level == 0 {
        let whole = |(cell, node): &(CellIndex, Node)| Resolved {
            cell: *cell,
            level: 0,
            node: node.clone(),
        };
        return cells.iter().map(whole).collect();
    }
    let part = |cell: CellIndex| cell.0.map(|c| c >> (level - 1));
    let (mut parts, mut whole) = (Vec::new(), true);
    for cells in cells.chunk_by(|(a, _), (b, _)| part(*a) == part(*b)) {
        let resolved = resolve_cell(cells, level - 1, settings, halvings);
        whole &= matches!(&resolved[..], [one] if one.level == level - 1);
        parts.extend(resolved);
    }
    let edge_m = settings.cell_m / f64::from(1u32 << (halvings - level));
    if whole && let Some(node) = merged(&parts, edge_m, settings) {
        let cell = CellIndex(parts[0].cell.0.map(|c| c >> 1));
        return vec![Resolved { cell, level, node }];
    }
    parts
}

/// The children as one, if that says as much.
fn merged(children: &[Resolved], edge_m: f64, settings: &Settings) -> Option<Node> {
    let (first, rest) = children.split_first()?;
    let mut all = first.node.clone();
    rest.iter().for_each(|child| all.merge(&child.node));
    let most = children.iter().max_by_key(|child| child.node.points);
    all.label = most.map_or(0, |child| child.node.label);
    if !is_thin_surface(&all.moments, edge_m, settings) {
        return None;
    }
    let n = all.moments.weight;
    let apart: f64 = children
        .iter()
        .map(|child| {
            let moments = &child.node.moments;
            let count = moments.weight;
            count * ((count / n).ln() - 0.5 * ln_determinant(moments, settings))
        })
        .sum();
    let together = -0.5 * n * ln_determinant(&all.moments, settings);
    let parameters = PARAMETERS * (children.len() - 1) as f64;
    (apart - together < 0.5 * parameters * n.max(2.0).ln()).then_some(all)
}

/// Whether the points of a cell lie on a surface no thicker than the sensor's noise makes it. A
/// single scan line does not tell.
fn is_thin_surface(points: &Moments, edge_m: f64, settings: &Settings) -> bool {
    let matrix = Matrix3::from_column_slice(&points.covariance().to_cols_array());
    let values = matrix.symmetric_eigenvalues();
    let (least, largest) = (values.min(), values.max());
    let middle = values.sum() - least - largest;
    let thick_m = THIN_SIGMAS * settings.sensor.sigma_range_m;
    least <= thick_m.powi(2) && middle >= (edge_m / SPREAD).powi(2).max(4.0 * least)
}

/// ln|Σ| of points, none thinner than the sensor's noise.
fn ln_determinant(points: &Moments, settings: &Settings) -> f64 {
    let least = settings.sensor.sigma_range_m.max(settings.regularisation.sigma_min_m).powi(2);
    let covariance = points.covariance() + DMat3::from_diagonal(DVec3::splat(least));
    covariance.determinant().max(f64::MIN_POSITIVE).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::moments::outer;

    #[test]
    fn the_axis_of_directions_is_found() {
        let direction = DVec3::new(0.3, -0.5, 0.8).normalize();
        let square = outer(direction, direction);
        assert!(axis(square).dot(direction).abs() > 1.0 - 1e-12);
        assert!(axis(DMat3::ZERO).is_finite());
    }
}
