//! How a surface is built, with the settings of Deschaud 2012 for standing and moving scanners.

use super::{QUANTA_PER_METRE, TICKS_PER_QUANTUM};
use crate::SurfaceError;

/// How a surface is built. Lengths are kept in whole tens of micrometres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceOptions {
    /// Side of the cells of marching cubes.
    pub grid_m: f64,
    /// Radius of the kernel, h.
    pub kernel_m: f64,
    /// Side of the cells in which points are averaged.
    pub thinning_m: f64,
    /// Whether an averaged point counts as often as points went into it; otherwise once.
    pub weigh_by_count: bool,
    /// Residual at which a point loses 63 % of its weight, σ_r.
    pub sigma_residual_m: f64,
    /// Difference of unit normals at which a point loses 63 % of its weight, σ_n: 0.5 keeps edges
    /// sharp, 1.5 is smooth.
    pub sigma_normal: f64,
    /// Largest number of robust iterations.
    pub iterations_max: u32,
    /// Least number of averaged points within the kernel for a known distance.
    pub neighbours_min: u32,
    /// Least number of averaged points within the kernel for a normal; with fewer the radius is
    /// doubled once.
    pub normal_neighbours_min: u32,
    /// Standard deviation of measured ranges: what makes a line thick along the beam.
    pub sigma_range_m: f64,
    /// A neighbourhood whose second eigenvalue, without the noise of ranges, is below this times its
    /// largest is a mere line (one scan line, say): the radius is doubled, and what is a line still
    /// has the normal that is nearest to the sensor. At the border of a plane the ratio is 0.34, in
    /// its midst 1. 0 takes any normal.
    pub line_ratio_max: f64,
    /// Points whose smallest eigenvalue exceeds this times the second are no surface and skipped.
    pub normal_ratio_max: Option<f64>,
    /// Whether a corner with too few points within the kernel tries twice the radius. A coarse grid
    /// needs it: the far corner of a cell that an oblique plane crosses is √3 cells away.
    pub widen_at_corners: bool,
    /// How far from points the surface goes at most.
    pub reach_m: f64,
}

impl SurfaceOptions {
    /// A standing scanner: grid 1 cm, kernel 4 cm.
    pub fn standing() -> SurfaceOptions {
        SurfaceOptions::new(0.01, 0.04)
    }

    /// A moving scanner: grid 0.3 m, kernel 0.4 m.
    pub fn moving() -> SurfaceOptions {
        SurfaceOptions::new(0.3, 0.4)
    }

    /// The usual ratios for a grid and a kernel.
    pub fn new(grid_m: f64, kernel_m: f64) -> SurfaceOptions {
        SurfaceOptions {
            grid_m,
            kernel_m,
            thinning_m: kernel_m / 8.0,
            weigh_by_count: true,
            sigma_residual_m: kernel_m / 2.0,
            sigma_normal: 0.8,
            iterations_max: 5,
            neighbours_min: 4,
            normal_neighbours_min: 6,
            sigma_range_m: 0.005,
            line_ratio_max: 0.25,
            normal_ratio_max: None,
            widen_at_corners: kernel_m < 3f64.sqrt() * grid_m,
            reach_m: kernel_m / 2.0,
        }
    }

    /// Refuses what makes no sense, by name.
    pub fn check(&self) -> Result<(), SurfaceError> {
        let must = |ok: bool, name, value, limits| {
            if ok { Ok(()) } else { Err(SurfaceError::BadOption { name, value, limits }) }
        };
        let (grid, kernel) = (self.grid_m, self.kernel_m);
        must((0.001..=10.0).contains(&grid), "grid_m", grid, "between 0.001 and 10 m")?;
        let within = (grid..=10.0).contains(&kernel) && kernel <= 64.0 * grid;
        must(within, "kernel_m", kernel, "between grid_m and 64 grid_m, and at most 10 m")?;
        let thinning = self.thinning_m;
        let within = (0.0001..=kernel).contains(&thinning);
        must(within, "thinning_m", thinning, "between 0.0001 m and kernel_m")?;
        let reach = self.reach_m;
        must(reach > 0.0 && reach <= kernel, "reach_m", reach, "above 0 and at most kernel_m")?;
        for (name, value) in
            [("sigma_residual_m", self.sigma_residual_m), ("sigma_normal", self.sigma_normal)]
        {
            must((1e-6..=1e6).contains(&value), name, value, "between 1e-6 and 1e6")?;
        }
        let noise = self.sigma_range_m;
        must((0.0..=1.0).contains(&noise), "sigma_range_m", noise, "between 0 and 1 m")?;
        let counts = [
            ("iterations_max", self.iterations_max, 1),
            ("neighbours_min", self.neighbours_min, 1),
            ("normal_neighbours_min", self.normal_neighbours_min, 3),
        ];
        for (name, value, least) in counts {
            let within = (least..=1000).contains(&value);
            must(within, name, f64::from(value), "between 1 (3 for normals) and 1000")?;
        }
        let ratios = [
            ("line_ratio_max", Some(self.line_ratio_max)),
            ("normal_ratio_max", self.normal_ratio_max),
        ];
        for (name, value) in ratios {
            let value = value.unwrap_or(0.0);
            must((0.0..=1.0).contains(&value), name, value, "between 0 and 1")?;
        }
        Ok(())
    }

    pub(super) fn thinning_quanta(&self) -> i64 {
        quanta(self.thinning_m)
    }

    pub(super) fn grid_ticks(&self) -> i64 {
        quanta(self.grid_m) * TICKS_PER_QUANTUM
    }

    pub(super) fn kernel_ticks(&self) -> i64 {
        quanta(self.kernel_m) * TICKS_PER_QUANTUM
    }

    pub(super) fn reach_ticks(&self) -> i64 {
        quanta(self.reach_m) * TICKS_PER_QUANTUM
    }
}

/// A length of the options in whole quanta, at least one.
fn quanta(length_m: f64) -> i64 {
    ((length_m * QUANTA_PER_METRE).round() as i64).max(1)
}
