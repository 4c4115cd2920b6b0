//! Sums of all voxels → what is told: densities, profiles, maps, the total with its interval.
//!
//! A voxel through which no pulse came is unknown, never empty. Totals are told twice: of what was
//! seen alone, and with every unknown voxel filled with the mean of the known ones of its layer. Where
//! the ground is known, voxels below it are no part of anything.

use serde::Serialize;
use understory_base::{math, normal};
use understory_cloud::{VoxelColumn, VoxelGrid};
use understory_learn::input::{Met, ReadingReport};
use understory_plants::Inclinations;

use crate::estimator::{Estimator, VoxelSums};
use crate::first_pass::FirstPass;
use crate::leaf_angle::{FittedAngle, LeafAngles};
use crate::settings::Settings;
use crate::sums::{GroundSums, Sums};

/// A number with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AreaEstimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A layer of voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Layer {
    /// Height of its middle: above the ground where that is known, else in the world.
    pub height_m: f64,
    /// Voxels of it.
    pub voxels: u64,
    /// Of them, without a pulse.
    pub unknown: u64,
    /// Mean density of the known ones; NaN without any.
    pub leaf_area_density: f64,
    /// Mean density of their wood.
    pub wood_area_density: f64,
    /// Leaf area of the known ones over the ground of the grid.
    pub leaf_area_index: f64,
    /// The same with the unknown ones filled.
    pub leaf_area_index_filled: f64,
}

/// Pulses and voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Pulses that were read.
    pub pulses: u64,
    /// Of them, without a return.
    pub misses: u64,
    /// Of them, with several.
    pub several_returns: u64,
    /// Voxels above the ground.
    pub voxels: u64,
    /// Of them, without a pulse.
    pub unknown: u64,
    /// Of them, with leaves.
    pub with_leaves: u64,
}

/// What was estimated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeafArea {
    /// The voxels.
    pub grid: VoxelGrid,
    /// Ground that they cover.
    pub ground_area_m2: f64,
    /// How density followed from sums.
    pub estimator: Estimator,
    /// Pulses and voxels.
    pub counts: Counts,
    /// One-sided leaf area of the known voxels.
    pub leaf_area_m2: AreaEstimate,
    /// The same with the unknown ones filled by their layers.
    pub leaf_area_filled_m2: f64,
    /// Leaf area over ground, of the known voxels.
    pub leaf_area_index: AreaEstimate,
    /// The same with the unknown ones filled.
    pub leaf_area_index_filled: f64,
    /// One-sided wood area of the known voxels, where classes tell wood.
    pub wood_area_m2: f64,
    /// Leaf area of the known voxels as each estimator has it, by its name.
    pub by_estimator_m2: Vec<(&'static str, f64)>,
    /// Clumping index of the columns of voxels seen from above: 1 is even.
    pub clumping_of_columns: f64,
    /// Layers from below.
    pub profile: Vec<Layer>,
    /// Mean inclination of leaves that was reckoned with.
    pub mean_inclination_deg: f64,
    /// What was fitted, if it was.
    pub fitted_angle: Option<FittedAngle>,
    /// Probability with which the intervals hold the truth.
    pub confidence: f64,
    /// Things worth knowing, each a sentence without its full stop.
    pub remarks: Vec<String>,
    /// What was read and skipped.
    #[serde(skip)]
    pub read: ReadingReport,
    /// Leaf area density of each voxel; NaN: unknown.
    #[serde(skip)]
    pub density: Vec<f64>,
    /// Lower and upper ends of its interval.
    #[serde(skip)]
    pub interval: [Vec<f64>; 2],
    /// Wood area density.
    #[serde(skip)]
    pub wood: Vec<f64>,
    /// Pulses that came.
    #[serde(skip)]
    pub pulses: Vec<f64>,
    /// Share of the ways through it that was explored.
    #[serde(skip)]
    pub explored: Vec<f64>,
    /// Leaf area index of each column, x by y; unknown voxels left out.
    #[serde(skip)]
    pub map: Vec<f64>,
    /// Share of each column that is unknown.
    #[serde(skip)]
    pub map_unknown: Vec<f64>,
}

impl LeafArea {
    /// Columns for files of voxels; the first is the density.
    pub fn columns(&self) -> Vec<VoxelColumn> {
        let column = |name, values: &Vec<f64>| VoxelColumn { name, values: values.clone() };
        vec![
            column("leaf_area_density_m2_m3", &self.density),
            column("low_m2_m3", &self.interval[0]),
            column("high_m2_m3", &self.interval[1]),
            column("wood_area_density_m2_m3", &self.wood),
            column("pulses", &self.pulses),
            column("explored", &self.explored),
        ]
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn work_out(
    settings: &Settings,
    grid: VoxelGrid,
    sums: &Sums,
    ground: &GroundSums,
    first: &FirstPass,
    read: ReadingReport,
    fitted_angle: Option<FittedAngle>,
    inclinations: &Inclinations,
) -> LeafArea {
    let heights = ground.heights(&grid);
    let volume = grid.cell_volume_m3();
    // What is taken off for wood without a class, and for clumping within voxels.
    let scale = (1.0 - settings.wood_share) / settings.clumping;
    let leaf_m2 = settings.leaf_area_m2();
    let count = grid.len();
    let mut voxels = Voxels::new(count);
    let mut layers = Layers::default();
    let (mut total, mut variance, mut wood_total) = (0.0, 0.0, 0.0);
    let mut by_estimator = [0.0; Estimator::ALL.len()];
    let (mut seen, mut unknown, mut with_leaves) = (0u64, 0u64, 0u64);
    let cells_z = grid.counts[2] as usize;
    for index in 0..count {
        let place = grid.voxel(index);
        let floor = heights.as_ref().map(|heights| heights[index / cells_z]);
        let height = grid.centre(place).z - floor.unwrap_or(0.0);
        let voxel = sums.of(index);
        voxels.explored[index] = voxel.explored();
        voxels.pulses[index] = f64::from(voxel.pulses);
        if floor.is_some() && height < 0.0 {
            continue;
        }
        seen += 1;
        let known = voxel.pulses >= settings.pulses_min.max(1);
        let density = if known { voxel.density(settings.estimator) * scale } else { f64::NAN };
        let layer = layers.at(height, &grid, floor.is_some());
        layer.voxels += 1;
        if density.is_nan() {
            unknown += 1;
            layer.unknown += 1;
            continue;
        }
        voxels.density[index] = density;
        let [low, high] = voxel.interval(settings.confidence, leaf_m2, volume);
        (voxels.low[index], voxels.high[index]) = (low * scale, high * scale);
        voxels.wood[index] = wood_density(&voxel, settings);
        layer.leaf_area_density += density;
        layer.wood_area_density += voxels.wood[index];
        total += density * volume;
        wood_total += voxels.wood[index] * volume;
        with_leaves += u64::from(voxel.plant > 0.0);
        variance += voxel.variance(leaf_m2, volume) * (volume * scale).powi(2);
        for (sum, estimator) in by_estimator.iter_mut().zip(Estimator::ALL) {
            *sum += voxel.density(estimator) * scale * volume;
        }
    }
    let ground_area_m2 = grid.ground_area_m2();
    let profile = layers.finish(volume, ground_area_m2);
    let filled: f64 = profile.iter().map(|layer| layer.leaf_area_index_filled).sum();
    let z = normal::quantile(0.5 + 0.5 * settings.confidence);
    let spread = z * variance.sqrt();
    let leaf_area_m2 =
        AreaEstimate { value: total, low: (total - spread).max(0.0), high: total + spread };
    let per_ground = |area: f64| area / ground_area_m2;
    let (map, map_unknown) = map(&grid, &voxels, heights.as_deref());
    let counts = Counts {
        pulses: first.pulses,
        misses: first.misses,
        several_returns: first.several_returns,
        voxels: seen,
        unknown,
        with_leaves,
    };
    LeafArea {
        remarks: remarks(settings, first, &counts, heights.is_some()),
        ground_area_m2,
        estimator: settings.estimator,
        counts,
        leaf_area_m2,
        leaf_area_filled_m2: filled * ground_area_m2,
        leaf_area_index: AreaEstimate {
            value: per_ground(leaf_area_m2.value),
            low: per_ground(leaf_area_m2.low),
            high: per_ground(leaf_area_m2.high),
        },
        leaf_area_index_filled: filled,
        wood_area_m2: wood_total,
        by_estimator_m2: Estimator::ALL.iter().map(|e| e.name()).zip(by_estimator).collect(),
        clumping_of_columns: clumping(&map),
        profile,
        mean_inclination_deg: inclinations.mean_rad().to_degrees(),
        fitted_angle,
        confidence: settings.confidence,
        read,
        density: voxels.density,
        interval: [voxels.low, voxels.high],
        wood: voxels.wood,
        pulses: voxels.pulses,
        explored: voxels.explored,
        map,
        map_unknown,
        grid,
    }
}

/// Wood by its class, or by the share that was given.
fn wood_density(voxel: &VoxelSums, settings: &Settings) -> f64 {
    let unclassed = voxel.density(settings.estimator) * settings.wood_share;
    voxel.wood_density() + unclassed
}

/// What is told of each voxel.
struct Voxels {
    density: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    wood: Vec<f64>,
    pulses: Vec<f64>,
    explored: Vec<f64>,
}

impl Voxels {
    fn new(count: usize) -> Voxels {
        let unknown = || vec![f64::NAN; count];
        Voxels {
            density: unknown(),
            low: unknown(),
            high: unknown(),
            wood: unknown(),
            pulses: vec![0.0; count],
            explored: vec![0.0; count],
        }
    }
}

/// Layers while they are added up: densities are sums until they are finished.
#[derive(Default)]
struct Layers(Vec<Layer>);

impl Layers {
    fn at(&mut self, height_m: f64, grid: &VoxelGrid, above_ground: bool) -> &mut Layer {
        let cell = grid.cell_m[2];
        let base = if above_ground { 0.0 } else { grid.low_m[2] };
        let number = ((height_m - base) / cell).max(0.0) as usize;
        while self.0.len() <= number {
            let height_m = base + (self.0.len() as f64 + 0.5) * cell;
            self.0.push(Layer { height_m, ..Layer::default() });
        }
        &mut self.0[number]
    }

    fn finish(self, volume: f64, ground_area_m2: f64) -> Vec<Layer> {
        let finish = |layer: Layer| {
            let known = (layer.voxels - layer.unknown) as f64;
            let mean = |sum: f64| if known > 0.0 { sum / known } else { f64::NAN };
            let index = layer.leaf_area_density * volume / ground_area_m2;
            let filled = if known > 0.0 { index * layer.voxels as f64 / known } else { 0.0 };
            Layer {
                leaf_area_density: mean(layer.leaf_area_density),
                wood_area_density: mean(layer.wood_area_density),
                leaf_area_index: index,
                leaf_area_index_filled: filled,
                ..layer
            }
        };
        self.0.into_iter().map(finish).collect()
    }
}

/// Leaf area index and unknown share of every column.
fn map(grid: &VoxelGrid, voxels: &Voxels, heights: Option<&[f64]>) -> (Vec<f64>, Vec<f64>) {
    let cells = grid.counts[2] as usize;
    let columns = voxels.density.chunks(cells).enumerate().map(|(column, densities)| {
        let floor = heights.map_or(f64::NEG_INFINITY, |heights| heights[column]);
        let above = |z: &usize| grid.low_m[2] + (*z as f64 + 0.5) * grid.cell_m[2] >= floor;
        let counted: Vec<f64> = (0..cells).filter(above).map(|z| densities[z]).collect();
        let known: Vec<f64> = counted.iter().copied().filter(|d| !d.is_nan()).collect();
        let unknown = 1.0 - known.len() as f64 / counted.len().max(1) as f64;
        (known.iter().sum::<f64>() * grid.cell_m[2], unknown)
    });
    columns.unzip()
}

/// Ω of columns, each even in itself: −ln of the mean of what they let through from above over what
/// an even canopy would stop (Lang and Xiang 1986; spherical leaves).
fn clumping(map: &[f64]) -> f64 {
    let count = map.len().max(1) as f64;
    let mean = map.iter().sum::<f64>() / count;
    let passed = map.iter().map(|index| math::exp(-0.5 * index)).sum::<f64>() / count;
    if mean > 0.0 { -math::ln(passed) / (0.5 * mean) } else { 1.0 }
}

fn remarks(settings: &Settings, first: &FirstPass, counts: &Counts, ground: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut say = |sentence: String| remarks.push(sentence);
    let [upward, upward_misses] = first.upward;
    if upward > 0 && upward_misses == 0 {
        say("no pulse that looks up is without a return: the recording has lost its misses, and the leaf area is too large; see --recover-misses".to_owned());
    } else if counts.misses == 0 {
        say("no pulse is without a return: right only where ground stops them all".to_owned());
    }
    if counts.unknown > 0 {
        let share = 100.0 * counts.unknown as f64 / counts.voxels.max(1) as f64;
        say(format!(
            "{share:.1} % of the voxels are unknown: no pulse came; scan from more places"
        ));
    }
    if first.of(Met::Wood) == 0 && settings.wood_share == 0.0 {
        say("no return is classed as wood: what is called leaf area is that of wood too; see --wood-share".to_owned());
    }
    if !ground && first.of(Met::Unknown) > 0 {
        say("no return is classed as ground: what stopped pulses there counts as leaves; let the region begin above it".to_owned());
    }
    if matches!(settings.leaf_angle, LeafAngles::Named(_)) {
        say("leaf angles were assumed, and intervals do not hold what is wrong with them"
            .to_owned());
    }
    remarks
}
