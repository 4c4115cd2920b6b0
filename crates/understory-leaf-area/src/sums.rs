//! Pulses → sums per voxel: what entered, how far it went, what was stopped.
//!
//! What enters: pulses, the voxels, how light is shared among returns, and what leaves project. What
//! leaves: for each voxel the sums of which every estimator is made. Sums are whole numbers of 2⁻³²,
//! so that neither threads nor their order change a bit.
//!
//! Of a pulse with the light e left at a place, e·dt is added to the explored way of the voxel there;
//! where a return stops the share w, e falls by w. So a return in part is a hit in part, and the way
//! behind it is explored by what is left.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;
use understory_base::math;
use understory_cloud::{VOXELS_MAX, VoxelError, VoxelGrid};
use understory_learn::input::{Met, PulseReturn, Pulses};

use crate::estimator::VoxelSums;
use crate::projection::Projection;
use crate::traverse::through;
use crate::weights::Sharing;

const UNITS: f64 = (1u64 << 32) as f64;
/// Light below which a pulse counts as stopped.
const DARK: f64 = 1e-6;
/// Pulses that one thread takes at a time.
const CHUNK: usize = 1 << 10;

/// What one pulse adds to one voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Share {
    /// Zenith angle of the pulse, folded to 0…90°.
    pub zenith_rad: f64,
    /// Projection function there.
    pub g: f64,
    /// Length of the whole way through the voxel.
    pub chord_m: f64,
    /// Light that entered.
    pub entering: f64,
    /// Way that was explored, times the light that did.
    pub path_m: f64,
    /// Light stopped by leaves, or whatever may be some.
    pub plant: f64,
    /// By wood.
    pub wood: f64,
    /// Sum of the squares of leaves' shares.
    pub squares: f64,
    /// Sum of these squares times the way before each.
    pub squared_way_m: f64,
}

macro_rules! columns {
    ($($name:ident),*) => {
        /// Sums of all voxels.
        pub(crate) struct Sums {
            pulses: Vec<AtomicU32>,
            expected: Vec<AtomicU32>,
            $($name: Vec<AtomicU64>,)*
        }

        impl Sums {
            /// Zeros.
            pub fn new(grid: &VoxelGrid) -> Sums {
                let count = grid.len();
                Sums {
                    pulses: (0..count).map(|_| AtomicU32::new(0)).collect(),
                    expected: (0..count).map(|_| AtomicU32::new(0)).collect(),
                    $($name: zeros(count),)*
                }
            }

            /// The sums of a voxel.
            pub fn of(&self, voxel: usize) -> VoxelSums {
                VoxelSums {
                    pulses: self.pulses[voxel].load(Ordering::Relaxed),
                    expected: self.expected[voxel].load(Ordering::Relaxed),
                    $($name: value(&self.$name[voxel]),)*
                }
            }
        }
    };
}

columns!(
    potential_m,
    entering,
    chord_m,
    path_m,
    projected_m,
    plant,
    wood,
    squares,
    squared_projected_m
);

fn zeros(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

fn value(sum: &AtomicU64) -> f64 {
    sum.load(Ordering::Relaxed) as f64 / UNITS
}

fn put(sum: &AtomicU64, value: f64) {
    if value != 0.0 {
        sum.fetch_add((value * UNITS).round() as u64, Ordering::Relaxed);
    }
}

impl Sums {
    /// Adds what a pulse did in a voxel.
    pub fn add(&self, voxel: usize, share: &Share) {
        self.expected[voxel].fetch_add(1, Ordering::Relaxed);
        put(&self.potential_m[voxel], share.chord_m);
        if share.entering <= DARK {
            return;
        }
        self.pulses[voxel].fetch_add(1, Ordering::Relaxed);
        put(&self.entering[voxel], share.entering);
        put(&self.chord_m[voxel], share.entering * share.chord_m);
        put(&self.path_m[voxel], share.path_m);
        put(&self.projected_m[voxel], share.g * share.path_m);
        put(&self.plant[voxel], share.plant);
        put(&self.wood[voxel], share.wood);
        put(&self.squares[voxel], share.squares);
        put(&self.squared_projected_m[voxel], share.g * share.squared_way_m);
    }
}

/// Goes through the voxels with all pulses and tells what each does in each.
pub(crate) fn add(
    pulses: &Pulses,
    grid: &VoxelGrid,
    range_m: [f64; 2],
    sharing: &Sharing,
    projection: &Projection,
    tell: &(dyn Fn(usize, &Share) + Sync),
) {
    let numbers: Vec<u32> = (0..pulses.len() as u32).collect();
    numbers.par_chunks(CHUNK).for_each(|numbers| {
        let mut shares = Vec::new();
        for pulse in numbers.iter().map(|number| *number as usize) {
            let returns = pulses.returns_of(pulse);
            sharing.share(returns, &mut shares);
            let direction = pulses.direction[pulse].as_dvec3().normalize_or_zero();
            let zenith_rad = math::acos(direction.z.abs().min(1.0));
            let base = Share { zenith_rad, g: projection.at(zenith_rad), ..Share::default() };
            let mut way = Way { returns, shares: &shares, next: 0, light: 1.0 };
            through(grid, pulses.origin[pulse], direction, range_m, &mut |voxel, from, to| {
                tell(voxel, &way.through(base, from, to));
            });
        }
    });
}

/// How far a pulse is, and how much of its light is left.
struct Way<'a> {
    returns: &'a [PulseReturn],
    shares: &'a [f64],
    next: usize,
    light: f64,
}

impl Way<'_> {
    /// What it does between two distances.
    fn through(&mut self, base: Share, from: f64, to: f64) -> Share {
        // What was stopped before the voxels, or between them.
        while self.returns.get(self.next).is_some_and(|back| f64::from(back.range_m) < from) {
            self.stop();
        }
        let mut share = Share { chord_m: to - from, entering: self.light, ..base };
        let mut at = from;
        while let Some(back) = self.returns.get(self.next).filter(|b| f64::from(b.range_m) < to) {
            let (met, here) = (back.met, f64::from(back.range_m));
            share.path_m += self.light * (here - at);
            at = here;
            let stopped = self.stop();
            match met {
                Met::Unknown | Met::Plant => {
                    share.plant += stopped;
                    share.squares += stopped * stopped;
                    share.squared_way_m += stopped * stopped * (here - from);
                }
                Met::Wood => share.wood += stopped,
                Met::Ground | Met::Other => {}
            }
        }
        if self.light > DARK {
            share.path_m += self.light * (to - at);
        }
        share
    }

    /// Takes the light of the next return away and tells how much that was.
    fn stop(&mut self) -> f64 {
        let share = self.shares.get(self.next).copied().unwrap_or(0.0).max(0.0);
        self.next += 1;
        // A pulse of which nothing comes back any more was stopped by what came back last.
        let ends = self.next == self.returns.len() && self.light - share < 1e-9;
        self.light = if ends { 0.0 } else { (self.light - share).max(0.0) };
        share
    }
}

/// Heights of the ground below columns of voxels.
pub(crate) struct GroundSums {
    heights_m: Vec<AtomicU64>,
    counts: Vec<AtomicU32>,
}

impl GroundSums {
    /// Nothing yet.
    pub fn new(grid: &VoxelGrid) -> GroundSums {
        let columns = grid.counts[0] as usize * grid.counts[1] as usize;
        let counts = (0..columns).map(|_| AtomicU32::new(0)).collect();
        GroundSums { heights_m: zeros(columns), counts }
    }

    /// Adds the returns that met the ground.
    pub fn add(&self, pulses: &Pulses, grid: &VoxelGrid) {
        for pulse in 0..pulses.len() {
            let along = pulses.direction[pulse].as_dvec3();
            for back in pulses.returns_of(pulse).iter().filter(|back| back.met == Met::Ground) {
                let at = pulses.origin[pulse] + along * f64::from(back.range_m);
                let place = (at - grid.low()) / glam::DVec3::from(grid.cell_m);
                let inside =
                    |axis: usize| place[axis] >= 0.0 && place[axis] < f64::from(grid.counts[axis]);
                // Far below the box is no ground of it; offset so that sums stay positive.
                let height = at.z - grid.low_m[2] + OFFSET_M;
                if inside(0) && inside(1) && (0.0..2.0 * OFFSET_M).contains(&height) {
                    let column = place.x as usize * grid.counts[1] as usize + place.y as usize;
                    put(&self.heights_m[column], height);
                    self.counts[column].fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }

    /// Mean height below each column, in the world; from the nearest columns where there is none.
    /// `None` without any ground.
    pub fn heights(&self, grid: &VoxelGrid) -> Option<Vec<f64>> {
        let mean = |(sum, count): (&AtomicU64, &AtomicU32)| {
            let count = count.load(Ordering::Relaxed);
            (count > 0).then(|| value(sum) / f64::from(count) - OFFSET_M + grid.low_m[2])
        };
        let mut heights: Vec<Option<f64>> =
            self.heights_m.iter().zip(&self.counts).map(mean).collect();
        if heights.iter().all(Option::is_none) {
            return None;
        }
        let [nx, ny] = [grid.counts[0] as usize, grid.counts[1] as usize];
        while heights.iter().any(Option::is_none) {
            let before = heights.clone();
            for column in (0..heights.len()).filter(|column| before[*column].is_none()) {
                let (x, y) = (column / ny, column % ny);
                let around = [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(i, j)| {
                    let (x, y) = ((x + i).checked_sub(1)?, (y + j).checked_sub(1)?);
                    if x < nx && y < ny { before[x * ny + y] } else { None }
                });
                let known: Vec<f64> = around.into_iter().flatten().collect();
                if !known.is_empty() {
                    heights[column] = Some(known.iter().sum::<f64>() / known.len() as f64);
                }
            }
        }
        Some(heights.into_iter().flatten().collect())
    }
}

/// How far the ground may be above or below the box.
const OFFSET_M: f64 = 4096.0;

/// Ways and hits of voxels by zenith angle, of which leaf angles are fitted.
pub(crate) struct ZenithSums {
    path_m: Vec<AtomicU64>,
    plant: Vec<AtomicU64>,
}

impl ZenithSums {
    /// Bins of ten degrees.
    pub const BINS: usize = 9;

    /// Zeros.
    pub fn new(grid: &VoxelGrid) -> Result<ZenithSums, VoxelError> {
        if grid.len() as u64 * 2 * Self::BINS as u64 > 10 * VOXELS_MAX {
            return Err(VoxelError {
                problem: format!("{} voxels are too many to fit leaf angles", grid.len()),
                remedy: "choose voxels twice as large, or give the leaf angles".to_owned(),
            });
        }
        let count = grid.len() * Self::BINS;
        Ok(ZenithSums { path_m: zeros(count), plant: zeros(count) })
    }

    /// Adds what a pulse did in a voxel.
    pub fn add(&self, voxel: usize, share: &Share) {
        let bin = (share.zenith_rad.to_degrees() / 10.0) as usize;
        let slot = voxel * Self::BINS + bin.min(Self::BINS - 1);
        put(&self.path_m[slot], share.path_m);
        put(&self.plant[slot], share.plant);
    }

    /// Ways and hits by zenith angle of every voxel with some.
    pub fn voxels(&self) -> impl Iterator<Item = [[f64; 2]; ZenithSums::BINS]> + '_ {
        self.path_m
            .chunks(Self::BINS)
            .zip(self.plant.chunks(Self::BINS))
            .map(|(path, plant)| std::array::from_fn(|bin| [value(&path[bin]), value(&plant[bin])]))
    }
}
