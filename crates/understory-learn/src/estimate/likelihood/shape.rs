//! The shapes of the volumes: sums of cells and gaps between rays → Gaussians.
//!
//! **Resolution.** Eight cells become one where their points lie on a thin surface and one Gaussian
//! says as much of them: by the Bayesian information criterion with the mixture
//! Σ n_c(ln(n_c/n) − ½ ln|Σ_c|) against −½ n ln|Σ|, ten parameters a cell. In foliage cells stay
//! fine: how much light each part of it stops would be lost with them.
//!
//! **Width.** Across the rays a volume is as wide as the gaps between them ask for, times a factor of
//! the variance that beams which were not learned from choose ([`super::held_out`]), on top of its
//! points' own scatter. Along the ray it keeps its points' scatter: the sensor's noise is in it.
//!
//! **Slope.** Where the surroundings are a surface, the gap is closed along it and not along the
//! ray: the range of neighbouring points is regressed on their place across the ray, and the width
//! is sheared by that slope, as far as it explains the ranges. The surroundings are the smallest
//! that hold more than one scan line. On thin surfaces, where that explains all but the sensor's
//! noise, volumes may be wider and overlap: nothing is lost, and nothing leaks.

use glam::{DMat3, DVec3, I64Vec3};
use nalgebra::Matrix3;
use rayon::prelude::*;
use understory_base::math;

use super::surroundings::{Slope, parent, slope, surroundings};
use crate::LearnError;
use crate::estimate::cells::{Cell, CellIndex, Cells, MixedMap, Sums};
use crate::estimate::ray_spacing::RaySpacing;
use crate::estimate::settings::Settings;
use crate::site::REACH_MAX_M;
use crate::volume::gaussian::{Gaussian, exceeds, floor_eigenvalues};
use crate::volume::moments::Moments;
use understory_base::Progress;

/// By how much more the volumes of thin surfaces are wider than the gaps, as a variance.
const THIN_WIDENING: f64 = 1.0;
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

/// A volume before anything is known of its optical depth.
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

/// Points of a cell of some level, around the origin of all.
#[derive(Clone)]
struct Node {
    moments: Moments,
    /// Σ r̂r̂ᵀ.
    directions: DMat3,
    sums: Sums,
    label: u16,
}

impl Node {
    fn merge(&mut self, other: &Node) {
        self.moments.merge(&other.moments);
        self.directions += other.directions;
        self.sums.merge(&other.sums);
    }
}

/// Volumes of which all is known but how wide they are.
pub struct Outlines {
    pub origin: DVec3,
    outlines: Vec<Outline>,
}

/// One of them.
struct Outline {
    mean: DVec3,
    /// Covariance of its own points.
    own: DMat3,
    /// What the gap to the next rays adds, as often as volumes are wider than gaps, and as often more
    /// as `thin` says.
    lateral: DMat3,
    thin: f64,
    points: f64,
    intensity: Option<[f64; 2]>,
    label: u16,
    level: u8,
}

impl Outlines {
    /// Finds the volumes, where the rays next to them are, and how surfaces go on between.
    pub fn new(
        cells: &Cells,
        spacing: &RaySpacing,
        settings: &Settings,
        halvings: u16,
        progress: &dyn Progress,
    ) -> Result<Outlines, LearnError> {
        progress.step("shaping volumes", 0.0);
        let sorted = cells.sorted();
        let origin = origin(&sorted, cells.cell_m(), halvings)?;
        let finest: Vec<(CellIndex, Node)> = sorted
            .par_iter()
            .map(|cell| (cell.index, node(cell, cells.cell_m(), origin)))
            .collect();
        let moments = finest.iter().map(|(cell, node)| (*cell, node.moments)).collect();
        let surroundings = surroundings(moments, cells.cell_m());
        let finest = join_along_rays(finest, cells.cell_m(), origin, settings);
        let chosen = resolve(finest, settings, halvings);
        let outlines = chosen
            .par_iter()
            .filter(|(_, _, node)| node.sums.points >= settings.points_min)
            .map(|(cell, level, node)| {
                let (own, (lateral, thin)) = covariances(node, settings, |along| {
                    let gap = spacing.at(origin + node.moments.mean);
                    let slope = slope(*cell, usize::from(*level), along, gap, &surroundings);
                    (gap, slope)
                });
                Outline {
                    mean: node.moments.mean,
                    own,
                    lateral,
                    thin,
                    points: node.moments.weight,
                    intensity: node.sums.intensity(),
                    label: node.label,
                    level: (halvings - level) as u8,
                }
            })
            .collect();
        progress.step("shaping volumes", 1.0);
        Ok(Outlines { origin, outlines })
    }

    /// The volumes, as much wider than the gaps.
    pub fn shapes(&self, widening: f64, settings: &Settings) -> Shapes {
        let shape = |outline: &Outline| {
            let wider = widening + THIN_WIDENING * outline.thin;
            let covariance =
                floor_eigenvalues(outline.own + outline.lateral * wider, &settings.regularisation);
            let mean = outline.mean;
            let least = DMat3::from_diagonal(DVec3::splat(1e6));
            let gaussian =
                Gaussian::new(mean, covariance).unwrap_or(Gaussian { mean, precision: least });
            let Outline { points, intensity, label, level, .. } = *outline;
            Shape { gaussian, points, intensity, label, level }
        };
        Shapes { origin: self.origin, volumes: self.outlines.par_iter().map(shape).collect() }
    }
}

/// The corner of a coarsest cell in the middle.
fn origin(cells: &[Cell], finest_m: f64, halvings: u16) -> Result<DVec3, LearnError> {
    let (mut low, mut high) = (I64Vec3::MAX, I64Vec3::MIN);
    for cell in cells {
        low = low.min(cell.index.wide());
        high = high.max(cell.index.wide() + I64Vec3::ONE);
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

fn node(cell: &Cell, finest_m: f64, origin: DVec3) -> Node {
    let mut moments = cell.sums.moments(finest_m);
    moments.mean += cell.index.centre(finest_m) - origin;
    Node {
        directions: cell.sums.mean_direction_square() * moments.weight,
        moments,
        sums: cell.sums,
        label: cell.label(),
    }
}

/// Puts a cell together with its neighbours before and behind it on the rays where all their points
/// are one surface blurred by the sensor's noise: a border of cells would cut its spread in two.
fn join_along_rays(
    finest: Vec<(CellIndex, Node)>,
    finest_m: f64,
    origin: DVec3,
    settings: &Settings,
) -> Vec<(CellIndex, Node)> {
    let slots: MixedMap<CellIndex, usize> =
        finest.iter().enumerate().map(|(slot, (cell, _))| (*cell, slot)).collect();
    let most = BLURRED * settings.sensor.sigma_range_m.powi(2);
    let mut order: Vec<usize> = (0..finest.len()).collect();
    order.sort_by_key(|slot| (std::cmp::Reverse(finest[*slot].1.sums.points), *slot));
    let mut cells: Vec<Option<(CellIndex, Node)>> = finest.into_iter().map(Some).collect();
    let mut joined = vec![false; cells.len()];
    for slot in order {
        let Some((cell, mut node)) = cells[slot].take() else { continue };
        let ray = axis(node.directions * (1.0 / node.moments.weight));
        for step_m in [finest_m, -finest_m] {
            let there =
                CellIndex::from_position(origin + node.moments.mean + ray * step_m, finest_m);
            let other = there.and_then(|there| slots.get(&there).copied());
            let Some(other) = other.filter(|other| !joined[*other]) else { continue };
            let Some((_, neighbour)) = &cells[other] else { continue };
            let mut both = node.moments;
            both.merge(&neighbour.moments);
            if ray.dot(both.covariance() * ray) <= most {
                node.merge(neighbour);
                cells[other] = None;
            }
        }
        joined[slot] = true;
        cells[slot] = Some((cell, node));
    }
    cells.into_iter().flatten().collect()
}

/// Cells of all levels that say as much as finer ones would: each with its level above the finest.
fn resolve(
    finest: Vec<(CellIndex, Node)>,
    settings: &Settings,
    halvings: u16,
) -> Vec<(CellIndex, u16, Node)> {
    let mut open = finest;
    let mut done = Vec::new();
    for level in 0..halvings {
        let edge_m = settings.cell_m / f64::from(1u32 << (halvings - level - 1));
        let mut groups: MixedMap<CellIndex, Vec<(CellIndex, Node)>> = MixedMap::default();
        let mut order = Vec::new();
        for (cell, node) in open {
            let up = parent(cell);
            groups
                .entry(up)
                .or_insert_with(|| {
                    order.push(up);
                    Vec::new()
                })
                .push((cell, node));
        }
        // A coarser cell is open to be merged again only if it stands for all of its points.
        let divided: MixedMap<CellIndex, ()> = done
            .iter()
            .map(|(cell, at, _): &(CellIndex, u16, Node)| {
                (CellIndex(cell.0.map(|c| c >> (level + 1 - at))), ())
            })
            .collect();
        let mut coarser = Vec::new();
        for up in order {
            let Some(children) = groups.remove(&up) else { continue };
            match merged(&children, edge_m, settings).filter(|_| !divided.contains_key(&up)) {
                Some(node) => coarser.push((up, node)),
                None => done.extend(children.into_iter().map(|(cell, node)| (cell, level, node))),
            }
        }
        open = coarser;
    }
    done.extend(open.into_iter().map(|(cell, node)| (cell, halvings, node)));
    done
}

/// The children as one, if that says as much.
fn merged(children: &[(CellIndex, Node)], edge_m: f64, settings: &Settings) -> Option<Node> {
    let (first, rest) = children.split_first()?;
    let mut all = first.1.clone();
    rest.iter().for_each(|(_, child)| all.merge(child));
    let most = children.iter().max_by_key(|(_, child)| child.sums.points);
    all.label = most.map_or(0, |(_, child)| child.label);
    if !is_thin_surface(&all.moments, edge_m, settings) {
        return None;
    }
    let n = all.moments.weight;
    let apart: f64 = children
        .iter()
        .map(|(_, child)| {
            let count = child.moments.weight;
            count * (math::ln(count / n) - 0.5 * ln_determinant(&child.moments, settings))
        })
        .sum();
    let together = -0.5 * n * ln_determinant(&all.moments, settings);
    let parameters = PARAMETERS * (children.len() - 1) as f64;
    (apart - together < 0.5 * parameters * math::ln(n.max(2.0))).then_some(all)
}

/// Whether the points of a cell lie on a surface no thicker than the sensor's noise makes it. A
/// single scan line does not tell.
fn is_thin_surface(points: &Moments, edge_m: f64, settings: &Settings) -> bool {
    let thick_m = THIN_SIGMAS * settings.sensor.sigma_range_m;
    if exceeds(points.covariance(), thick_m.powi(2)) {
        return false;
    }
    let matrix = Matrix3::from_column_slice(&points.covariance().to_cols_array());
    let values = matrix.symmetric_eigenvalues();
    let (least, largest) = (values.min(), values.max());
    let middle = values.sum() - least - largest;
    least <= thick_m.powi(2) && middle >= (edge_m / SPREAD).powi(2).max(4.0 * least)
}

/// ln|Σ| of points, none thinner than the sensor's noise.
fn ln_determinant(points: &Moments, settings: &Settings) -> f64 {
    let least = settings.sensor.sigma_range_m.max(settings.regularisation.sigma_min_m).powi(2);
    let covariance = points.covariance() + DMat3::from_diagonal(DVec3::splat(least));
    math::ln(covariance.determinant().max(f64::MIN_POSITIVE))
}

/// Covariance of the points of a volume, and what the gap adds to it, with the share of that by which
/// the volumes of thin surfaces are wider. `surroundings_of` tells the gap and the slope along a ray.
fn covariances(
    node: &Node,
    settings: &Settings,
    surroundings_of: impl FnOnce(DVec3) -> (DMat3, Option<Slope>),
) -> (DMat3, (DMat3, f64)) {
    let n = node.moments.weight;
    let along = node.directions * (1.0 / n);
    let across = DMat3::IDENTITY - along;
    let ray = axis(along);
    let (gap, slope) = surroundings_of(ray);
    let noise = settings.sensor.sigma_range_m.powi(2);
    let (mut thin, mut shear) = (0.0, DMat3::IDENTITY);
    if let Some(slope) = slope {
        thin = 1.0 / (1.0 + slope.residual / (4.0 * noise).max(1e-12));
        let rise = slope.rise * slope.explains;
        shear += DMat3::from_cols(ray * rise.x, ray * rise.y, ray * rise.z);
    }
    let lateral = shear * (across * gap * across) * shear.transpose();
    let nu = settings.regularisation.prior_points;
    let own = (node.moments.scatter + along * (noise * nu)) * (1.0 / (n + nu));
    (own, (lateral, thin))
}

/// The unit vector of which `square`, a mean of r̂r̂ᵀ, is nearly the outer product.
fn axis(square: DMat3) -> DVec3 {
    let columns = [square.x_axis, square.y_axis, square.z_axis];
    let longest = columns
        .into_iter()
        .fold(DVec3::X * 1e-9, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    (square * (square * longest)).normalize_or(longest.normalize_or(DVec3::X))
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
