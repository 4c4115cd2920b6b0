//! How well a site says what other beams do: a site and beams that it was not learned from → a
//! [`HeldOut`] score, in closed form.
//!
//! Every beam is followed through the volumes of the site as the simulator does, but with
//! probabilities in place of draws ([`crate::estimate::Prediction`]): nothing is simulated, no
//! sensor is needed, and there is no noise of samples. Volumes behind hard gates are ordered as in
//! the simulator, and their ranges are taken as normal about the nearest approach, within the cell.
//! Surfaces say one range and are not scored here.

mod neighbours;
mod simulated;

pub use neighbours::{Floor, NeighbourLimits, RealBeams, WithNeighbours, noise_floor};
pub use simulated::{Simulated, judge_simulated};
use understory_base::math;

use std::cell::RefCell;
use std::ops::Range;

use glam::{DVec3, Vec3};
use understory_geometry::BoxTree;

use crate::LearnError;
use crate::estimate::{HeldOut, Prediction, Scores, Stop};
use crate::input::BeamSource;
use crate::input::rays::{Ray, each_ray};
use crate::site::{Gate, Site};
use crate::volume::Gaussian;

/// A site that rays can be sent through.
struct Judged<'a> {
    site: &'a Site,
    tree: BoxTree,
    volumes: Vec<Known>,
}

/// A volume, in the tree's order.
struct Known {
    gaussian: Gaussian,
    depth: f64,
    returns: f64,
    cell: [DVec3; 2],
}

/// Stops of one ray by what orders them.
type Ordered = Vec<(f64, Stop)>;

/// The score of all beams of a source.
pub fn judge(
    site: &Site,
    source: &dyn BeamSource,
    range_max_m: f64,
) -> Result<HeldOut, LearnError> {
    thread_local! {
        static SCRATCH: RefCell<(Ordered, Prediction)> = RefCell::default();
    }
    if site.surface.is_some() {
        return Err(LearnError::CannotJudge);
    }
    let (judged, scores) = (Judged::new(site)?, Scores::default());
    let visit = |ray: Ray| {
        SCRATCH.with_borrow_mut(|(stops, prediction)| {
            judged.stops(ray.origin, ray.direction, stops);
            prediction.set(stops.iter().map(|(_, stop)| *stop));
            for range_m in ray.ranges_m.iter().map(|range| f64::from(*range)) {
                scores.add(range_m, prediction.score(range_m), prediction.none);
            }
        });
    };
    each_ray(source, range_max_m, &visit, &|_| {})?;
    Ok(scores.means())
}

impl Judged<'_> {
    fn new(site: &Site) -> Result<Judged<'_>, LearnError> {
        let mut boxes = Vec::with_capacity(site.volumes.len());
        for volume in &site.volumes {
            let [low, high] = match site.gate {
                Gate::Cell { .. } => site.cell(volume),
                Gate::Ellipsoid { .. } | Gate::Soft => {
                    let (half, mean) = (site.half_extent_m(volume), Vec3::from(volume.mean_m));
                    [mean.as_dvec3() - half, mean.as_dvec3() + half]
                }
            };
            let pad = (low.abs().max(high.abs()) * 2e-6 + 1e-6).as_vec3();
            boxes.push([low.as_vec3() - pad, high.as_vec3() + pad]);
        }
        let (tree, order) = BoxTree::new(DVec3::ZERO, &boxes)?;
        let volumes = order
            .iter()
            .filter_map(|number| site.volumes.get(*number as usize))
            .map(|volume| Known {
                gaussian: volume.gaussian(),
                depth: f64::from(volume.depth),
                returns: volume.return_probability(),
                cell: site.cell(volume),
            })
            .collect();
        Ok(Judged { site, tree, volumes })
    }

    /// What may stop a ray, in order.
    fn stops(&self, origin: DVec3, direction: DVec3, stops: &mut Ordered) {
        stops.clear();
        let local = origin - self.site.origin;
        let mut visit = |items: Range<usize>, end: f32| {
            let met = self.volumes.get(items).unwrap_or(&[]);
            stops.extend(met.iter().filter_map(|volume| self.stop(volume, local, direction)));
            end
        };
        self.tree.walk(local, direction.as_vec3(), f32::MAX, &mut visit);
        stops.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    fn stop(&self, volume: &Known, local: DVec3, direction: DVec3) -> Option<(f64, Stop)> {
        let near = volume.gaussian.approach(local, direction);
        let stop = |share, range_m| {
            let (returns, sigma_m) = (volume.returns, near.sigma_m);
            Stop { share, returns, range_m, sigma_m }
        };
        let opaque = -math::exp_m1(-volume.depth);
        match self.site.gate {
            Gate::Soft => {
                let is_met = near.range_m > 0.0 && near.distance < Gate::SOFT_CUT;
                let x = volume.depth * math::exp(-0.5 * near.distance * near.distance);
                is_met.then(|| (near.range_m, stop(-math::exp_m1(-x), near.range_m)))
            }
            Gate::Ellipsoid { tau } => {
                let is_met = near.range_m > 0.0 && near.distance < f64::from(tau);
                is_met.then(|| (near.range_m, stop(opaque, near.range_m)))
            }
            Gate::Cell { tau } => {
                let [low, high] = volume.cell.map(|corner| (corner - local) / direction);
                let enter = low.min(high).max_element().max(0.0);
                let leave = low.max(high).min_element();
                let is_met = enter < leave && near.distance < f64::from(tau);
                is_met.then(|| (enter, stop(opaque, near.range_m.clamp(enter, leave))))
            }
        }
    }
}
