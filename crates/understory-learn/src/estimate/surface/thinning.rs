//! Points averaged in small cells: what a surface is gathered from.
//!
//! What enters: points and the origins of their beams, in any order. What is kept: for each
//! occupied cell of side `thinning_m` a count, the sum of positions in whole tens of micrometres
//! from the cell's corner, and the sum of directions to the sensor in whole millionths. Sums of
//! whole numbers do not depend on order, so parts that were gathered apart merge exactly.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use glam::DVec3;

use super::cell_sums::{CellHasher, CellSums};
use super::extract;
use super::mesh::{SurfaceMesh, SurfaceReport};
use super::normals;
use super::points::PointSet;
use super::{QUANTA_PER_METRE, SurfaceOptions, SurfaceStep};
use crate::SurfaceError;

/// Beyond this a coordinate is an error, not a place.
const COORDINATE_MAX_M: f64 = 1e9;
/// Directions are summed in parts of this.
const DIRECTION_UNIT: f64 = 1_048_576.0;

/// Why points were skipped before anything was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Intake {
    pub points: u64,
    pub not_finite: u64,
    pub too_far: u64,
    pub at_origin: u64,
}

/// Gathers points and builds a surface of them.
///
/// ```
/// use glam::DVec3;
/// use understory_learn::estimate::surface::{SurfaceBuilder, SurfaceOptions};
/// let mut builder = SurfaceBuilder::new(SurfaceOptions::new(0.02, 0.05))?;
/// for i in 0..40 {
///     for j in 0..40 {
///         let point = DVec3::new(f64::from(i) * 0.01, f64::from(j) * 0.01, 0.003);
///         builder.add(point, DVec3::new(0.2, 0.2, 2.0));
///     }
/// }
/// let mesh = builder.build(|_, _, _| {})?;
/// let highest = mesh.vertices.iter().map(|v| mesh.origin.z + v.z).fold(f64::MIN, f64::max);
/// assert!((highest - 0.003).abs() < 1e-5);
/// # Ok::<(), understory_learn::SurfaceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SurfaceBuilder {
    options: SurfaceOptions,
    side_quanta: i64,
    cells: HashMap<[i64; 3], CellSums, BuildHasherDefault<CellHasher>>,
    intake: Intake,
}

impl SurfaceBuilder {
    /// An empty one; options outside their limits are refused.
    pub fn new(options: SurfaceOptions) -> Result<SurfaceBuilder, SurfaceError> {
        options.check()?;
        let side_quanta = options.thinning_quanta();
        Ok(SurfaceBuilder {
            options,
            side_quanta,
            cells: HashMap::default(),
            intake: Intake::default(),
        })
    }

    /// Adds a point that a beam from `origin` met. What is no place is counted and skipped.
    pub fn add(&mut self, point: DVec3, origin: DVec3) {
        self.intake.points += 1;
        if !(point.is_finite() && origin.is_finite()) {
            self.intake.not_finite += 1;
            return;
        }
        if point.abs().max_element() > COORDINATE_MAX_M
            || origin.abs().max_element() > COORDINATE_MAX_M
        {
            self.intake.too_far += 1;
            return;
        }
        let Some(view) = (origin - point).try_normalize() else {
            self.intake.at_origin += 1;
            return;
        };
        let quanta = (point * QUANTA_PER_METRE).round().to_array().map(|q| q as i64);
        let cell = quanta.map(|q| q.div_euclid(self.side_quanta));
        let sums = self.cells.entry(cell).or_default();
        sums.count += 1;
        let view = view.to_array();
        for axis in 0..3 {
            sums.offset[axis] += quanta[axis].rem_euclid(self.side_quanta) as u64;
            sums.view[axis] += (view[axis] * DIRECTION_UNIT).round() as i64;
        }
    }

    /// Takes in what another one gathered with the same options. The result is the same as if one
    /// builder had been given all points.
    pub fn merge(&mut self, other: SurfaceBuilder) -> Result<(), SurfaceError> {
        if self.options != other.options {
            return Err(SurfaceError::OptionsDiffer);
        }
        // Sums of whole numbers: the order does not matter.
        other.cells.into_iter().for_each(|(cell, sums)| {
            self.cells.entry(cell).or_default().merge(&sums);
        });
        self.intake.points += other.intake.points;
        self.intake.not_finite += other.intake.not_finite;
        self.intake.too_far += other.intake.too_far;
        self.intake.at_origin += other.intake.at_origin;
        Ok(())
    }

    /// Number of cells that hold points.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Memory that the sums take, about.
    pub fn memory_bytes(&self) -> u64 {
        // One byte of control for each place of the table.
        (self.cells.capacity() * (size_of::<([i64; 3], CellSums)>() + 1)) as u64
    }

    /// Builds the surface on the threads of the current pool. `progress` is told, from this thread,
    /// the step and how much of how much of it is done.
    pub fn build(
        self,
        mut progress: impl FnMut(SurfaceStep, u64, u64),
    ) -> Result<SurfaceMesh, SurfaceError> {
        let options = self.options;
        let gathered_bytes = self.memory_bytes();
        let (intake, used) = (self.intake, self.cells.len());
        let mut points = self.into_points()?;
        let points_bytes = points.memory_bytes();
        let normals = normals::estimate(&mut points, &options, &mut progress);
        if points.is_empty() {
            let left = intake.not_finite + intake.too_far + intake.at_origin;
            return Err(SurfaceError::NoPoints { points: intake.points - left });
        }
        let report = SurfaceReport {
            points: intake.points,
            not_finite: intake.not_finite,
            too_far: intake.too_far,
            at_origin: intake.at_origin,
            averaged: used as u64,
            too_few_neighbours: normals.too_few,
            no_surface: normals.no_surface,
            line_like: normals.line_like,
            gathered_bytes,
            points_bytes,
            ..SurfaceReport::default()
        };
        extract::extract(&points, &options, report, &mut progress)
    }

    /// Averages with their normals: position, normal, weight.
    #[cfg(test)]
    pub(super) fn oriented_points(self) -> Vec<(DVec3, DVec3, f64)> {
        let options = self.options;
        let mut points = self.into_points().unwrap();
        normals::estimate(&mut points, &options, &mut |_, _, _| {});
        points.listed()
    }

    /// Averages, sorted by place.
    fn into_points(self) -> Result<PointSet, SurfaceError> {
        let count = self.cells.len() as u64;
        if u32::try_from(count).is_err() {
            return Err(SurfaceError::TooMany { what: "averaged points", count });
        }
        let mut cells: Vec<([i64; 3], CellSums)> = self.cells.into_iter().collect();
        cells.sort_unstable_by_key(|&(cell, _)| cell);
        Ok(PointSet::new(&cells, self.side_quanta, &self.options))
    }
}
