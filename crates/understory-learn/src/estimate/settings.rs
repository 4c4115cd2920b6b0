//! Settings of an estimator, and what it reports.

use super::prediction::HeldOut;
use super::surface::SurfaceOptions;
use crate::LearnError;
use crate::site::{Model, Provenance};
use crate::volume::gaussian::{PointUncertainty, Regularisation};
use crate::volume::permeability::BeamCounts;

/// How near to a volume a beam must come to count for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tau {
    /// Nearer than this Mahalanobis distance; Deschaud takes 2.
    Fixed(f64),
    /// The least of 2 and more for which at most a tenth of the beams that end in a cell come no
    /// nearer.
    Auto,
}

/// Settings of an estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Edge of the cells.
    pub cell_m: f64,
    /// The gate.
    pub tau: Tau,
    /// Returns from beyond count as none.
    pub range_max_m: f64,
    /// Volumes of fewer points are left out.
    pub points_min: u64,
    /// Volumes that fewer beams than this met get their permeability by Jeffreys' rule, the others
    /// by maximum likelihood.
    pub jeffreys_below: u64,
    /// How well the sensor knows its points.
    pub sensor: PointUncertainty,
    /// How covariances are made valid.
    pub regularisation: Regularisation,
    /// How a surface is built.
    pub surface: SurfaceOptions,
    /// When [`Model::TopDown`] stops.
    pub top_down: TopDown,
    /// Variance of the volumes of [`Model::Likelihood`] across the rays, in those of the gaps between
    /// rays; none: the one with which beams that were not learned from are predicted best.
    pub widening: Option<f64>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cell_m: 0.05,
            tau: Tau::Fixed(2.0),
            range_max_m: f64::INFINITY,
            points_min: 1,
            jeffreys_below: 0,
            sensor: PointUncertainty {
                sigma_range_m: 0.005,
                encoder_step_rad: 0.09f64.to_radians(),
                divergence_rad: 0.002,
            },
            regularisation: Regularisation::default(),
            surface: SurfaceOptions::standing(),
            top_down: TopDown::default(),
            widening: None,
        }
    }
}

impl Settings {
    /// Those of a model with cells of this edge, and for a surface a kernel of this radius. Where
    /// nothing is given, cells have 5 cm, those of a surface 1 cm, and a kernel four cells, or 4/3 of
    /// one above 10 cm.
    pub fn for_model(model: Model, cell_m: Option<f64>, kernel_m: Option<f64>) -> Settings {
        let cell_m = cell_m.unwrap_or(if model == Model::Surface { 0.01 } else { 0.05 });
        let kernel_m = kernel_m.unwrap_or(if cell_m < 0.1 { 4.0 } else { 4.0 / 3.0 } * cell_m);
        let surface = SurfaceOptions::new(cell_m, kernel_m);
        Settings { cell_m, surface, ..Settings::default() }
    }

    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), LearnError> {
        let refuse = |setting, value, wanted, remedy| {
            Err(LearnError::BadSetting { setting, value, wanted, remedy })
        };
        if !(self.cell_m >= 1e-3 && self.cell_m <= 100.0) {
            let wanted = "a length from 1 mm to 100 m";
            return refuse("the edge of the cells", self.cell_m, wanted, "5 cm is usual");
        }
        if let Tau::Fixed(tau) = self.tau
            && !(tau > 0.0 && tau <= 10.0)
        {
            return refuse("tau", tau, "a number above 0 and up to 10", "2 is usual");
        }
        if self.range_max_m.is_nan() || self.range_max_m <= 0.0 {
            let wanted = "a length above 0";
            return refuse("the largest range", self.range_max_m, wanted, "leave it away for all");
        }
        if let Some(widening) = self.widening
            && !(widening > 0.0 && widening <= 1000.0)
        {
            let wanted = "a number above 0 and up to 1000";
            return refuse(
                "the width of volumes",
                widening,
                wanted,
                "leave it away to have it chosen",
            );
        }
        let sensor = &self.sensor;
        for (setting, value, most) in [
            ("the spread of ranges", sensor.sigma_range_m, 10.0),
            ("the encoder's step", sensor.encoder_step_rad, 1.0),
            ("the beam's divergence", sensor.divergence_rad, 1.0),
        ] {
            if !(value >= 0.0 && value <= most) {
                return refuse(setting, value, "plausible", "give metres and radians");
            }
        }
        Ok(())
    }

    pub(crate) fn provenance(&self, beams: u64, misses: u64) -> Provenance {
        Provenance {
            beams,
            misses,
            sigma_range_m: self.sensor.sigma_range_m,
            divergence_rad: self.sensor.divergence_rad,
            encoder_step_rad: self.sensor.encoder_step_rad,
            remarks: vec![
                concat!("Understory ", env!("CARGO_PKG_VERSION")).to_owned(),
                format!("cells of {} m, ranges up to {} m", self.cell_m, self.range_max_m),
            ],
            ..Provenance::default()
        }
    }
}

/// When [`Model::TopDown`] splits sets of points no further.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopDown {
    /// Least number of points of a volume.
    pub points_min: f64,
    /// Least standard deviation along its longest axis that is still split; `None`: the spread of
    /// the sensor's ranges.
    pub sigma_stop_m: Option<f64>,
    /// Parts of a split, K.
    pub parts: usize,
    /// Whether sets that look Gaussian are left whole.
    pub gaussian_stop: bool,
    /// How many volumes there shall be, at most; `None`: as many as come.
    pub target_leaves: Option<usize>,
}

impl Default for TopDown {
    fn default() -> TopDown {
        TopDown {
            points_min: 20.0,
            sigma_stop_m: None,
            parts: 2,
            gaussian_stop: false,
            target_leaves: None,
        }
    }
}

/// What was learned from what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Beams.
    pub beams: u64,
    /// Of them, without a return.
    pub misses: u64,
    /// Points that made the volumes' shapes.
    pub points: u64,
    /// Volumes.
    pub volumes: u64,
    /// Volumes left out: no beam came near enough to tell their permeability.
    pub unobserved: u64,
    /// Volumes left out: too few points.
    pub sparse: u64,
    /// Points beyond what a grid can number.
    pub out_of_reach: u64,
    /// The gate.
    pub tau: f64,
    /// Beams of all volumes together.
    pub counts: BeamCounts,
    /// Volumes in which more than a tenth of the beams that ended there came no nearer than τ.
    pub orphaned_volumes: u64,
    /// Mean of the volumes' permeabilities.
    pub mean_permeability: f64,
    /// Bytes of working memory per volume.
    pub working_bytes: u64,
    /// How well beams that were held out are predicted, by the width of volumes; empty: nobody asked.
    pub held_out: Vec<HeldOut>,
    /// Variance of the volumes across the rays, in those of the gaps between rays; 0: another rule.
    pub widening: f64,
    /// How far rays are apart where they end, typically; 0: nobody looked.
    pub sampling_m: f64,
}
