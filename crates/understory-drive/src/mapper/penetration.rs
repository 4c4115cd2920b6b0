//! By how much light gets through: plants let some of it pass, rocks, trunks, rails and walls do not.
//!
//! Space is cut into voxels of about 17 × 17 × 10 cm. Of the beams that reach a return in a voxel,
//! itself and those beside it ([`beside`](super::beside)), some are stopped there and some pass; each
//! return brings one stopped beam and its share of the passes. What share of light a voxel stops is not
//! known before: plants stop little, unevenly, x ~ Beta(1, 2); what is solid nearly all, x ~ Beta(9, 1).
//! With h stopped beams and p passes the ratio of both likelihoods has a closed form,
//!
//! (9/2) · (h+1)(h+2)…(h+8) / ((p+1) · (h+p+3)(h+p+4)…(h+p+9)),
//!
//! and its logarithm, where it is above 0, is evidence for something solid. A tuft stops all beams from
//! one side and not from the next, so its passes add up; what is solid has none from anywhere. The
//! evidence of a cell's voxels between the clearance and the height of the vehicle is added up, with
//! half of that of the eight cells around: things that stop vehicles are larger than tufts. Less
//! [`PRIOR`], it is the logarithm of the odds; the cost is the probability in percent, and what is more
//! probably solid than not is impassable. All else is plants and costs nothing, however high it is.
//!
//! What moved away stays on the map.

use understory_base::math;
use understory_cloud::Records;

use super::beside::Beams;
use super::columns::GroundBelow;
use super::{Mapper, MapperSetting};
use crate::cost_map::{COST_MAX, CostMap};
use crate::grid::Grid;

/// Voxels are at most so wide, and so high.
const VOXEL_M: f64 = 0.17;
const BIN_M: f64 = 0.1;
/// Voxels above each other, and how far below the first thing seen the lowest begins.
const BINS: usize = 40;
const BELOW_M: f64 = 1.6;
/// Beyond it beams are too far apart to be beside each other.
const REACH_M: f32 = 15.0;
/// Logarithm of the odds against something solid in a cell of plants: one in about 250.
pub const PRIOR: f32 = 5.5;
/// Share of the evidence of cells around.
const AROUND: f32 = 0.5;
/// Returns lower than this share of the clearance are taken for the ground.
const GROUND: f64 = 0.5;
/// No column.
const NONE: u32 = u32::MAX;

/// Voxels above each other.
#[derive(Clone)]
struct Column {
    fine: u32,
    base_m: f32,
    /// The period in which it was seen last.
    period: u32,
    /// The evidence of its voxels.
    solid: f32,
    stopped: [f32; BINS],
    passed: [f32; BINS],
}

/// The mapper.
pub struct Penetration {
    setting: MapperSetting,
    /// Columns stand on a finer grid than cells.
    fine: Grid,
    per_cell: usize,
    /// Which column stands on each fine cell.
    place: Vec<u32>,
    columns: Vec<Column>,
    /// Columns that were seen in this period, and cells.
    touched: Vec<u32>,
    seen: Vec<u32>,
    period: u32,
    low_m: Vec<f32>,
    below: GroundBelow,
    /// The ground under each cell, and the period for which it holds.
    ground: Vec<(u32, f32)>,
    beams: Beams,
    /// The evidence of each cell; NaN where nothing was seen.
    solid: Vec<f32>,
}

/// Logarithm of the ratio of the likelihoods of something solid and of plants.
pub fn evidence(stopped: f32, passed: f32) -> f32 {
    let (h, n) = (f64::from(stopped), f64::from(stopped + passed));
    let above: f64 = (1..=8).map(|i| h + f64::from(i)).product();
    let below: f64 = (3..=9).map(|i| n + f64::from(i)).product();
    math::ln(4.5 * above / ((n - h + 1.0) * below)) as f32
}

impl Penetration {
    /// One that has seen nothing.
    pub fn new(setting: MapperSetting) -> Penetration {
        let grid = setting.grid;
        let per_cell = (grid.cell_m / VOXEL_M).ceil().clamp(1.0, 16.0) as usize;
        let fine = Grid {
            low_m: grid.low_m,
            cell_m: grid.cell_m / per_cell as f64,
            side: grid.side * per_cell,
        };
        Penetration {
            fine,
            per_cell,
            place: vec![NONE; fine.len()],
            columns: Vec::new(),
            touched: Vec::new(),
            seen: Vec::new(),
            period: 0,
            low_m: vec![f32::INFINITY; grid.len()],
            below: GroundBelow::new(grid),
            ground: vec![(NONE, f32::NAN); grid.len()],
            beams: Beams::default(),
            solid: vec![f32::NAN; grid.len()],
            setting,
        }
    }

    /// Adds to the voxel at a place.
    fn add(&mut self, [x, y, z]: [f64; 3], passed: f32) {
        let Some(fine) = self.fine.cell_at([x, y]) else { return };
        if self.place[fine] == NONE {
            self.place[fine] = self.columns.len() as u32;
            self.columns.push(Column {
                fine: fine as u32,
                base_m: (z - BELOW_M) as f32,
                period: NONE,
                solid: 0.0,
                stopped: [0.0; BINS],
                passed: [0.0; BINS],
            });
        }
        let number = self.place[fine];
        let column = &mut self.columns[number as usize];
        let bin = (z - f64::from(column.base_m)) / BIN_M;
        if !(0.0..BINS as f64).contains(&bin) {
            return;
        }
        column.stopped[bin as usize] += 1.0;
        column.passed[bin as usize] += passed;
        if column.period != self.period {
            column.period = self.period;
            self.touched.push(number);
        }
    }

    /// The cell of the map to which a fine cell belongs.
    fn cell_of(&self, fine: u32) -> Option<usize> {
        let per_cell = self.per_cell as i64;
        self.setting.grid.cell(self.fine.place_of(fine as usize).map(|place| place / per_cell))
    }

    /// Evidence of a cell with that of those around; none where it has none of its own.
    fn with_those_around(&self, cell: usize) -> f32 {
        let own = self.solid[cell];
        if own.is_nan() || own <= 0.0 {
            return 0.0;
        }
        let [column, row] = self.setting.grid.place_of(cell);
        let mut around = 0.0;
        for (x, y) in (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y))) {
            if (x, y) != (0, 0)
                && let Some(near) = self.setting.grid.cell([column + x, row + y])
            {
                around += self.solid[near].max(0.0);
            }
        }
        own + AROUND * around
    }
}

impl Mapper for Penetration {
    fn take(&mut self, rows: &Records) {
        let grid = self.setting.grid;
        for row in (0..rows.len()).filter(|row| !rows.is_miss(*row)) {
            let [x, y, z] = rows.world_xyz_m[row];
            if let Some(cell) = grid.cell_at([x, y]) {
                self.low_m[cell] = self.low_m[cell].min(z as f32);
                if self.solid[cell].is_nan() {
                    self.solid[cell] = 0.0;
                    self.seen.push(cell as u32);
                }
            }
        }
        let mut beams = std::mem::take(&mut self.beams);
        beams.take(rows);
        let (clearance_m, period) = (self.setting.clearance_m, self.period);
        let (below, low_m, ground) = (&self.below, &self.low_m, &mut self.ground);
        let mut told = Vec::new();
        let wanted = |row: usize| {
            let [x, y, z] = rows.world_xyz_m[row];
            let roof_m = self.setting.ground_below(rows, row) + self.setting.vehicle_height_m;
            rows.range_m[row] <= REACH_M
                && z < roof_m + clearance_m + f64::from(0.1 * rows.range_m[row])
                && grid.cell_at([x, y]).is_some_and(|cell| {
                    if ground[cell].0 != period {
                        ground[cell] = (period, below.height_m(cell, low_m));
                    }
                    z - f64::from(ground[cell].1) > GROUND * clearance_m
                })
        };
        beams.for_each_return(rows, wanted, |row, beside| told.push((row, beside)));
        for (row, beside) in told {
            self.add(rows.world_xyz_m[row], beside.passed as f32 / (beside.stopped + 1) as f32);
        }
        self.beams = beams;
    }

    fn update(&mut self, map: &mut CostMap) {
        let (low, high) = (self.setting.clearance_m, self.setting.vehicle_height_m);
        let mut changed = std::mem::take(&mut self.seen);
        for number in std::mem::take(&mut self.touched) {
            let Some(cell) = self.cell_of(self.columns[number as usize].fine) else { continue };
            let column = &mut self.columns[number as usize];
            let base = f64::from(column.base_m - self.below.height_m(cell, &self.low_m));
            let mut solid = 0.0;
            for bin in (0..BINS).filter(|bin| column.stopped[*bin] > 0.0) {
                let height = base + (bin as f64 + 0.5) * BIN_M;
                if (low..high).contains(&height) {
                    solid += evidence(column.stopped[bin], column.passed[bin]).max(0.0);
                }
            }
            self.solid[cell] = (self.solid[cell] + solid - column.solid).max(0.0);
            column.solid = solid;
            changed.push(cell as u32);
        }
        changed.sort_unstable();
        changed.dedup();
        for cell in changed {
            let [column, row] = self.setting.grid.place_of(cell as usize);
            for (x, y) in (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y))) {
                let near = self.setting.grid.cell([column + x, row + y]);
                let Some(near) = near.filter(|near| !self.solid[*near].is_nan()) else { continue };
                let odds = math::exp(self.with_those_around(near) - PRIOR);
                let probability = odds / (1.0 + odds);
                let is_solid = probability.is_nan() || probability >= 0.5;
                map.costs[near] = if is_solid { COST_MAX } else { COST_MAX * probability };
            }
        }
        self.period += 1;
    }
}
