//! A learned site: the volumes that return light, and how a ray meets them.
//!
//! What an estimator leaves and a simulator takes. A [`Volume`] is a Gaussian in space with an
//! optical depth c. A ray that comes as near to it as the Mahalanobis distance d is stopped by it
//! with the probability 1 − exp(−c·k(d)), where k is given by the site's [`Gate`]: Deschaud's hard
//! gate (2012, §III), with e^(−c) his permeability ρ, or the soft gate exp(−d²/2) that the
//! likelihood fits. Volumes stop a ray independently of each other, and of those that do the first
//! along the ray gives the return; so they may be asked in any order.
//!
//! Positions are f32 around the site's own origin in f64.

mod edit;
mod file;
mod table;

pub use edit::{MergeReport, SiteStats};
pub use file::{SiteHead, VERSION};
pub use table::{EllipsoidReport, ellipsoid, permeability_colour, unit_sphere};
use understory_base::math;

use glam::{DMat3, DVec3, Vec3};
use half::f16;

use crate::volume::gaussian::Gaussian;

/// How far from its origin a site may reach: at 2 km f32 still knows a tenth of a millimetre.
pub const REACH_MAX_M: f64 = 2048.0;

/// Which estimator made a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// A Gaussian and a permeability for each voxel (Deschaud 2012, §III-C-1).
    Voxel,
    /// Points halved again and again (§III-C-2).
    TopDown,
    /// Ellipsoids grown together (§III-C-3).
    BottomUp,
    /// Optical depths that make the beams most likely.
    Likelihood,
    /// A surface (Deschaud's baseline).
    Surface,
}

impl Model {
    /// All of them, the best first.
    pub const ALL: [Model; 5] =
        [Model::Likelihood, Model::Voxel, Model::TopDown, Model::BottomUp, Model::Surface];

    /// The name by which people ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Model::Voxel => "voxel",
            Model::TopDown => "top-down",
            Model::BottomUp => "bottom-up",
            Model::Likelihood => "likelihood",
            Model::Surface => "surface",
        }
    }
}

/// How near a ray must come to a volume, and which volume comes first on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gate {
    /// Within the volume's own cell and nearer than τ; ordered by where the ray enters the cell.
    Cell {
        /// Mahalanobis distance.
        tau: f32,
    },
    /// Nearer than τ; ordered by the nearest approach.
    Ellipsoid {
        /// Mahalanobis distance.
        tau: f32,
    },
    /// Fading as exp(−d²/2) and cut off at [`Gate::SOFT_CUT`]; ordered by the nearest approach.
    Soft,
}

/// A volume as a simulator keeps it: 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Volume {
    /// Centre, around the site's origin.
    pub mean_m: [f32; 3],
    /// Inverse of the covariance: xx, yy, zz, xy, xz, yz.
    pub precision: [f32; 6],
    /// Optical depth at the centre; infinite: opaque.
    pub depth: f32,
    /// Mean of the intensities that it returned; NaN: not known.
    pub intensity_mean: f16,
    /// Their standard deviation.
    pub intensity_sigma: f16,
    /// Semantic class of most of its points; 0: not known.
    pub label: u16,
    /// Its cell is the site's cell halved this often.
    pub level: u8,
    /// Share of the beams that it stops and from which nothing returns, in 255ths.
    pub swallowed: u8,
}

/// What a volume was learned from: kept in the file, not needed to simulate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Evidence {
    /// Points that made its shape.
    pub points: u32,
    /// Beams that ended in it, n; for the likelihood the expected number, rounded.
    pub stopped: u32,
    /// Beams that went through it, m; for the likelihood the expected number, rounded.
    pub passed: u32,
}

/// A surface of triangles around the site's origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Corners.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, counter-clockwise as the sensors saw them.
    pub triangles: Vec<[u32; 3]>,
}

/// How a site came to be.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Training beams.
    pub beams: u64,
    /// Of them, beams without a return.
    pub misses: u64,
    /// Beams that were skipped.
    pub skipped: u64,
    /// Standard deviation of the ranges of the sensor, already contained in the volumes.
    pub sigma_range_m: f64,
    /// Full divergence of that sensor's beam.
    pub divergence_rad: f64,
    /// Width of its encoder's step.
    pub encoder_step_rad: f64,
    /// Whether the footprint was taken out of the volumes: then they are simulated with cones,
    /// otherwise with nominal rays.
    pub footprint_removed: bool,
    /// Name and version of the program, recordings, settings: for people.
    pub remarks: Vec<String>,
}

/// A learned site.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Where its coordinates begin.
    pub origin: DVec3,
    /// Which estimator made it.
    pub model: Model,
    /// How rays meet the volumes.
    pub gate: Gate,
    /// Edge of the cells; cell (0, 0, 0) begins at the origin.
    pub cell_m: f64,
    /// The volumes.
    pub volumes: Vec<Volume>,
    /// What each of them was learned from; as many as volumes.
    pub evidence: Vec<Evidence>,
    /// The colour of each of them, sRGB; none: no colours were learned.
    pub colours: Vec<[u8; 3]>,
    /// The surface, where that was learned.
    pub surface: Option<SurfaceMesh>,
    /// How it came to be.
    pub provenance: Provenance,
}

impl Volume {
    /// From a Gaussian around the site's origin.
    pub fn new(gaussian: &Gaussian, depth: f64) -> Volume {
        let p = gaussian.precision;
        let precision = [p.x_axis.x, p.y_axis.y, p.z_axis.z, p.x_axis.y, p.x_axis.z, p.y_axis.z];
        Volume {
            mean_m: gaussian.mean.as_vec3().to_array(),
            precision: precision.map(|x| x as f32),
            depth: depth as f32,
            intensity_mean: f16::NAN,
            intensity_sigma: f16::ZERO,
            label: 0,
            level: 0,
            swallowed: 0,
        }
    }

    /// The Gaussian, around the site's origin.
    pub fn gaussian(&self) -> Gaussian {
        let [xx, yy, zz, xy, xz, yz] = self.precision.map(f64::from);
        let precision = DMat3::from_cols(
            DVec3::new(xx, xy, xz),
            DVec3::new(xy, yy, yz),
            DVec3::new(xz, yz, zz),
        );
        Gaussian { mean: Vec3::from(self.mean_m).as_dvec3(), precision }
    }

    /// Probability that a beam which it stops returns.
    pub fn return_probability(&self) -> f64 {
        1.0 - f64::from(self.swallowed) / 255.0
    }

    /// Share of the light along a ray through the centre that is not stopped.
    pub fn permeability(&self) -> f64 {
        math::exp(-f64::from(self.depth))
    }
}

impl Gate {
    /// The least share of the optical depth that is still followed.
    pub const SOFT_LEAST: f64 = 1e-3;
    /// Mahalanobis distance from which the soft gate stops nothing: where volumes are as wide as
    /// the gaps between rays ask for, the next ray has volumes of its own there.
    pub const SOFT_CUT: f64 = 2.5;

    /// Beyond which Mahalanobis distance a volume of optical depth `depth` is not met.
    pub fn reach(&self, depth: f64) -> f64 {
        match *self {
            Gate::Cell { tau } | Gate::Ellipsoid { tau } => f64::from(tau),
            // c·exp(−d²/2) = 0.001: what is left out stops one beam in a thousand.
            Gate::Soft => {
                (2.0 * math::ln((depth / Gate::SOFT_LEAST).max(1.0))).sqrt().min(Gate::SOFT_CUT)
            }
        }
    }

    /// Optical depth on a ray that comes as near as `distance` to a volume of depth `depth`.
    pub fn depth_at(&self, depth: f64, distance: f64) -> f64 {
        match *self {
            Gate::Cell { tau } | Gate::Ellipsoid { tau } => {
                if distance < f64::from(tau) {
                    depth
                } else {
                    0.0
                }
            }
            Gate::Soft if distance < Gate::SOFT_CUT => {
                depth * math::exp(-0.5 * distance * distance)
            }
            Gate::Soft => 0.0,
        }
    }
}

impl Site {
    /// Half the size of the box around a volume as far as rays meet it: reach·√Σ_kk.
    pub fn half_extent_m(&self, volume: &Volume) -> DVec3 {
        let covariance = volume.gaussian().precision.inverse();
        let variances = DVec3::new(covariance.x_axis.x, covariance.y_axis.y, covariance.z_axis.z);
        variances.max(DVec3::ZERO).map(f64::sqrt) * self.gate.reach(f64::from(volume.depth))
    }

    /// The cell of a volume, as its least and largest corner around the origin.
    pub fn cell(&self, volume: &Volume) -> [DVec3; 2] {
        let edge = self.cell_m / f64::from(1u32 << volume.level.min(31));
        let low = (Vec3::from(volume.mean_m).as_dvec3() / edge).floor() * edge;
        [low, low + DVec3::splat(edge)]
    }

    /// Bytes that the volumes take at run time, without their tree.
    pub fn volume_bytes(&self) -> usize {
        size_of_val(self.volumes.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::moments::tests::{POINTS, moments};

    #[test]
    fn a_volume_keeps_its_gaussian_in_48_bytes() {
        assert_eq!(size_of::<Volume>(), 48);
        let six = moments(&POINTS);
        let gaussian = Gaussian::new(six.mean, six.covariance()).unwrap();
        let kept = Volume::new(&gaussian, 0.5).gaussian();
        let direction = DVec3::new(8.0, 0.02, -0.97).normalize();
        let origin = DVec3::new(0.0, 0.0, 1.0);
        let (a, b) = (gaussian.approach(origin, direction), kept.approach(origin, direction));
        assert!((a.range_m - b.range_m).abs() < 1e-5);
        assert!((a.sigma_m / b.sigma_m - 1.0).abs() < 1e-6);
    }

    #[test]
    fn gates_reach_as_far_as_they_stop_light() {
        let soft = Gate::Soft;
        let reach = soft.reach(0.02);
        assert!((soft.depth_at(0.02, reach) - 1e-3).abs() < 1e-12);
        assert_eq!((soft.reach(9.0), soft.depth_at(9.0, Gate::SOFT_CUT)), (Gate::SOFT_CUT, 0.0));
        assert_eq!(soft.reach(1e-5), 0.0);
        let hard = Gate::Cell { tau: 2.0 };
        assert_eq!((hard.depth_at(0.7, 1.99), hard.depth_at(0.7, 2.0)), (0.7, 0.0));
    }
}
