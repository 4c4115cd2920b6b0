//! Far plants cheaper: whether and from where on plants are traced as coarser LOD levels of
//! themselves, and those versions.
//!
//! Version k lacks detail below [`VegetationLod::details_m`]; see
//! [`Plant::lod`](understory_plants::Plant::lod).

use std::str::FromStr;

use understory_plants::{Gaps, Plant, PlantLod};

/// How much farther the histograms may be apart than the floor for `auto`.
pub const MAX_EXCESS: f64 = 0.01;

/// Coarser versions of a plant; each lacks detail twice as wide as the one before.
pub(crate) const VERSIONS: usize = 5;

/// Width of the detail that is left out, over the distance, where a distance is given: about a
/// third of a narrow beam.
const DETAIL_RAD: f64 = 1e-3;

/// Width of the first detail that is left out for `auto`.
const FINEST_DETAIL_M: f64 = 0.008;

/// A version with more than this share of the triangles of the one before is not worth its memory.
const WORTH_IT: f64 = 0.7;

/// Source triangles with coarser LOD levels over those without: 1 + 0.7 + 0.7² + … at most.
pub const MEMORY_FACTOR: f64 = 3.0;

/// Whether plants far away are traced as coarser LOD levels of themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum VegetationLod {
    /// All plants in full detail.
    #[default]
    Off,
    /// From distances that keep the range histograms within [`MAX_EXCESS`] of the floor, with 95 %
    /// probability.
    Auto,
    /// From this distance on, and coarser again at each doubling of it.
    From {
        /// The distance.
        from_m: f64,
    },
}

impl VegetationLod {
    /// What to write instead of a value that was refused.
    pub const REMEDY: &str = "give \"off\", \"auto\" or a distance from 1 to 10000 m";

    /// Coarser versions from `from_m` on.
    pub fn from_distance(from_m: f64) -> Result<VegetationLod, String> {
        if (1.0..=10_000.0).contains(&from_m) {
            Ok(VegetationLod::From { from_m })
        } else {
            Err(format!("vegetation_lod cannot begin at {from_m} m"))
        }
    }

    /// Width below which each coarser version has no detail.
    pub fn details_m(self) -> Vec<f64> {
        match self {
            VegetationLod::Off => Vec::new(),
            VegetationLod::Auto => doubled(FINEST_DETAIL_M),
            VegetationLod::From { from_m } => doubled(from_m * DETAIL_RAD),
        }
    }
}

impl FromStr for VegetationLod {
    type Err = String;

    fn from_str(word: &str) -> Result<VegetationLod, String> {
        match word {
            "off" => Ok(VegetationLod::Off),
            "auto" => Ok(VegetationLod::Auto),
            _ => Err(format!("vegetation_lod is {word:?}")),
        }
    }
}

/// `first` and its doubles, one for each version.
pub(crate) fn doubled(first: f64) -> Vec<f64> {
    std::iter::successors(Some(first), |last| Some(2.0 * last)).take(VERSIONS).collect()
}

/// What coarser LOD levels of far plants do to a run.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VegetationLodReport {
    /// Whether the distances were chosen by measurement.
    pub auto: bool,
    /// From which distance on each version is traced; empty where `auto` found none good enough.
    pub from_m: Vec<f64>,
    /// Width below which each version has no detail.
    pub detail_m: Vec<f64>,
    /// Bhattacharyya distance of the range histograms from those in full detail.
    pub distance: f64,
    /// What two samples in full detail have between them.
    pub floor: f64,
    /// Distance minus floor.
    pub excess: f64,
    /// What the excess exceeds with a probability of 5 % at most, by the spread over parts of the
    /// sample.
    #[serde(default)]
    pub excess_bound: f64,
    /// Pulses that were compared.
    pub pulses: u64,
    /// Share of them in channels and sectors in which anything changed, to which the figures
    /// belong.
    pub affected_share: f64,
}

impl VegetationLodReport {
    /// Of a run that is too short for `auto` to pay: nothing was measured, all is in full detail.
    pub fn not_measured() -> VegetationLodReport {
        VegetationLodReport {
            auto: true,
            from_m: Vec::new(),
            detail_m: Vec::new(),
            distance: 0.0,
            floor: 0.0,
            excess: 0.0,
            excess_bound: 0.0,
            pulses: 0,
            affected_share: 0.0,
        }
    }
}

/// Coarser versions of a plant; none where one would be hardly smaller than the one before.
pub fn coarser_versions(plant: &Plant, details_m: &[f64], seed: u64) -> Vec<Option<PlantLod>> {
    let mut last = plant.triangles.len();
    if details_m.is_empty() {
        return Vec::new();
    }
    let gaps = Gaps::of(plant);
    let version = |detail_m: &f64| {
        let coarse = plant.lod_with_gaps(*detail_m, seed, &gaps);
        let count = coarse.plant.triangles.len();
        let worth_it = count > 0 && (count as f64) < WORTH_IT * last as f64;
        if worth_it {
            last = count;
        }
        worth_it.then_some(coarse)
    };
    details_m.iter().map(version).collect()
}
