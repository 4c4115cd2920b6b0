//! Learning a site: beams, settings → [`Site`] and a [`Report`], by the estimator that is asked for.

use crate::LearnError;
use crate::beams::BeamSource;
use crate::gaussian::{PointUncertainty, Regularisation};
use crate::likelihood::LikelihoodSettings;
use crate::permeability::BeamCounts;
use crate::site::{Gate, Model, Provenance, REACH_MAX_M, Site, SurfaceMesh};
use crate::surface::{SurfaceBuilder, SurfaceOptions, SurfaceStep};
use crate::top_down::{self, TopDown};
use crate::{bottom_up, likelihood, voxel};

/// Told what is being done and which share of that (0…1) is done.
pub type Progress<'a> = dyn Fn(&str, f64) + Sync + 'a;

/// How near to a volume a beam must come to count for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tau {
    /// Nearer than this Mahalanobis distance; Deschaud takes 2.
    Fixed(f64),
    /// The least of 2 and more for which at most a tenth of the beams that end in a cell come no
    /// nearer.
    Auto,
}

/// What an estimator is told.
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
    /// How covariances are made sound.
    pub regularisation: Regularisation,
    /// When [`Model::TopDown`] stops.
    pub top_down: TopDown,
    /// How [`Model::Surface`] is built.
    pub surface: SurfaceOptions,
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
            top_down: TopDown::default(),
            surface: SurfaceOptions::standing(),
        }
    }
}

impl Settings {
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
}

/// Learns a site by one of the estimators.
pub fn learn(
    source: &dyn BeamSource,
    model: Model,
    settings: &Settings,
    progress: &Progress,
) -> Result<(Site, Report), LearnError> {
    settings.check()?;
    match model {
        Model::Voxel => voxel::learn(source, settings, progress),
        Model::TopDown => top_down::learn(source, &settings.top_down, settings, progress),
        Model::BottomUp => bottom_up::learn(source, settings, progress),
        Model::Likelihood => {
            let rule = LikelihoodSettings::default();
            likelihood::learn(source, settings, &rule, progress)
                .map(|(site, report, _)| (site, report))
        }
        Model::Surface => surface_site(source, settings, progress),
    }
}

/// A surface through the points: the baseline that volumes are compared with.
fn surface_site(
    source: &dyn BeamSource,
    settings: &Settings,
    progress: &Progress,
) -> Result<(Site, Report), LearnError> {
    let options = settings.surface;
    let mut builder = SurfaceBuilder::new(options)?;
    let mut report = Report::default();
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    source.pass(&mut |beams| {
        for beam in 0..beams.len() {
            match beams.end(beam) {
                Some(end) if f64::from(beams.range_m[beam]) < settings.range_max_m => {
                    builder.add(end, beams.origin[beam]);
                    report.points += 1;
                }
                _ => report.misses += 1,
            }
        }
        report.beams += beams.len() as u64;
        progress("gathering points", (report.beams as f64 / expected).min(1.0));
        Ok(())
    })?;
    if report.points == 0 {
        let (beams, range_max_m) = (report.beams, settings.range_max_m);
        return Err(LearnError::NothingToLearn { beams, range_max_m });
    }
    let mesh = builder.build(|step, done, of| {
        let what = match step {
            SurfaceStep::Normals => "finding normals",
            SurfaceStep::Triangles => "making triangles",
        };
        progress(what, done as f64 / of.max(1) as f64);
    })?;
    let reach_m = mesh.vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    if reach_m > REACH_MAX_M {
        return Err(LearnError::TooLarge { reach_m, limit_m: REACH_MAX_M });
    }
    let surface = SurfaceMesh {
        vertices: mesh.vertices.iter().map(|v| v.as_vec3().to_array()).collect(),
        triangles: mesh.triangles,
    };
    let site = Site {
        origin: mesh.origin,
        model: Model::Surface,
        // There are no volumes that it could be the gate of.
        gate: Gate::Cell { tau: 2.0 },
        cell_m: options.grid_m,
        volumes: Vec::new(),
        evidence: Vec::new(),
        surface: Some(surface),
        provenance: settings.provenance(report.beams, report.misses),
    };
    Ok((site, report))
}
