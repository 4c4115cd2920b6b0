//! Which volumes a ray meets: shapes → a tree, a ray → its [`Meeting`]s in order.
//!
//! Volumes are numbered in the tree's order, so that what is near in space is near in memory, and kept
//! with the precision of a site file: what is fitted is what is simulated.

use std::ops::Range;

use glam::{DVec3, Vec3};
use understory_geometry::{BoxTree, BoxVisitor};

use super::shape::Shapes;
use crate::LearnError;
use crate::site::Gate;
use crate::volume::beer_lambert::Meeting;

/// Shapes that rays can meet.
pub struct Volumes {
    origin: DVec3,
    tree: BoxTree,
    volumes: Vec<Compact>,
    /// The same, number by number: x, y, z of the mean and the six of the precision. [`LANES`] more than
    /// there are volumes, so that as many can be asked at a time.
    columns: [Vec<f32>; 9],
    order: Vec<u32>,
}

/// Volumes that are asked together.
const LANES: usize = 8;
const CUT_SQUARED: f64 = Gate::SOFT_CUT * Gate::SOFT_CUT;

/// A volume, with the precision of a file.
#[derive(Clone, Copy)]
struct Compact {
    mean_m: [f32; 3],
    /// xx, yy, zz, xy, xz, yz.
    precision: [f32; 6],
}

impl Volumes {
    /// Puts shapes into a tree.
    pub fn new(shapes: &Shapes) -> Result<Volumes, LearnError> {
        let reach = Gate::SOFT_CUT;
        let boxes: Vec<[Vec3; 2]> = shapes
            .volumes
            .iter()
            .map(|shape| {
                let c = shape.gaussian.precision.inverse();
                let sigmas = DVec3::new(c.x_axis.x, c.y_axis.y, c.z_axis.z);
                let half = sigmas.max(DVec3::ZERO).map(f64::sqrt) * (reach * 1.0001) + 1e-5;
                let mean = shape.gaussian.mean;
                [(mean - half).as_vec3(), (mean + half).as_vec3()]
            })
            .collect();
        let (tree, order) = BoxTree::new(shapes.origin, &boxes)?;
        let compact = |number: &u32| {
            let shape = &shapes.volumes[*number as usize].gaussian;
            let p = shape.precision;
            let precision =
                [p.x_axis.x, p.y_axis.y, p.z_axis.z, p.x_axis.y, p.x_axis.z, p.y_axis.z];
            Compact {
                mean_m: shape.mean.as_vec3().to_array(),
                precision: precision.map(|entry| entry as f32),
            }
        };
        let volumes: Vec<Compact> = order.iter().map(compact).collect();
        let columns = std::array::from_fn(|column| {
            let number = |volume: &Compact| match column {
                0..3 => volume.mean_m[column],
                _ => volume.precision[column - 3],
            };
            let padding = std::iter::repeat_n(0.0, LANES);
            volumes.iter().map(number).chain(padding).collect()
        });
        Ok(Volumes { origin: shapes.origin, tree, volumes, columns, order })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.volumes.len()
    }

    /// What belongs to shapes, in the order of the tree.
    pub fn of_shapes<T: Copy>(&self, of_shapes: &[T]) -> Vec<T> {
        self.order.iter().map(|shape| of_shapes[*shape as usize]).collect()
    }

    /// What is in the order of the tree, in that of the shapes.
    pub fn to_shapes<T: Copy + Default>(&self, in_tree: &[T]) -> Vec<T> {
        let mut of_shapes = vec![T::default(); self.order.len()];
        for (shape, value) in self.order.iter().zip(in_tree) {
            of_shapes[*shape as usize] = *value;
        }
        of_shapes
    }

    /// The volumes on the way of each ray up to where it ends, by the range of the nearest approach.
    /// Rays that are neighbours should stand together.
    pub fn meet(&self, rays: &[Way], meetings: &mut Vec<Vec<Meeting>>) {
        meetings.resize_with(rays.len(), Vec::new);
        let mut searches: Vec<Search> = rays
            .iter()
            .zip(meetings.iter_mut())
            .map(|(ray, meetings)| {
                meetings.clear();
                let local = ray.origin - self.origin;
                Search { volumes: self, local, direction: ray.direction, meetings }
            })
            .collect();
        let bounded = |ray: &Way| {
            let end = ray.end_m.min(f64::from(f32::MAX)) as f32;
            (ray.origin, ray.direction.as_vec3(), end)
        };
        let bounded: Vec<(DVec3, Vec3, f32)> = rays.iter().map(bounded).collect();
        self.tree.walk_together(&bounded, &mut searches);
        for meetings in meetings {
            meetings.sort_unstable_by(|a, b| {
                a.range_m.total_cmp(&b.range_m).then(a.volume.cmp(&b.volume))
            });
        }
    }
}

/// A ray and how far it is followed.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub origin: DVec3,
    pub direction: DVec3,
    pub end_m: f64,
}

/// One ray on its way.
struct Search<'a> {
    volumes: &'a Volumes,
    local: DVec3,
    direction: DVec3,
    meetings: &'a mut Vec<Meeting>,
}

impl Search<'_> {
    /// Which of the volumes from `first` on may be met: all that are, and hardly others. In f32, relative
    /// to where the ray comes nearest to each mean.
    #[inline(always)]
    fn candidates(&self, first: usize) -> [bool; LANES] {
        let column = |number: usize| -> [f32; LANES] {
            let lanes = self.volumes.columns[number].get(first..first + LANES);
            lanes.and_then(|lanes| lanes.try_into().ok()).unwrap_or([0.0; LANES])
        };
        let [x, y, z, xx, yy, zz, xy, xz, yz] = std::array::from_fn(column);
        let [ox, oy, oz] = self.local.as_vec3().to_array();
        let [dx, dy, dz] = self.direction.as_vec3().to_array();
        std::array::from_fn(|k| {
            let (mx, my, mz) = (x[k] - ox, y[k] - oy, z[k] - oz);
            let t = mx * dx + my * dy + mz * dz;
            let (vx, vy, vz) = (dx * t - mx, dy * t - my, dz * t - mz);
            let ax = xx[k] * dx + xy[k] * dy + xz[k] * dz;
            let ay = xy[k] * dx + yy[k] * dy + yz[k] * dz;
            let az = xz[k] * dx + yz[k] * dy + zz[k] * dz;
            let a = ax * dx + ay * dy + az * dz;
            let b = ax * vx + ay * vy + az * vz;
            let wx = xx[k] * vx + xy[k] * vy + xz[k] * vz;
            let wy = xy[k] * vx + yy[k] * vy + yz[k] * vz;
            let wz = xz[k] * vx + yz[k] * vy + zz[k] * vz;
            let q = wx * vx + wy * vy + wz * vz;
            // q − b²/a < cut², with what rounding may do to q and to places a kilometre away.
            let slack = CUT_SQUARED as f32 * 1.08 + 2e-5 * q.abs();
            (q - slack) * a < b * b
        })
    }

    /// The volume as it is met.
    #[inline(always)]
    fn meeting(&self, item: usize) -> Option<Meeting> {
        let Compact { mean_m, precision } = self.volumes.volumes.get(item)?;
        let [xx, yy, zz, xy, xz, yz] = precision.map(f64::from);
        let times = |v: DVec3| {
            DVec3::new(
                xx * v.x + xy * v.y + xz * v.z,
                xy * v.x + yy * v.y + yz * v.z,
                xz * v.x + yz * v.y + zz * v.z,
            )
        };
        let to_mean = DVec3::from(mean_m.map(f64::from)) - self.local;
        let along = times(self.direction);
        let a = self.direction.dot(along);
        let range_m = along.dot(to_mean) / a;
        let miss = self.direction * range_m - to_mean;
        let square = miss.dot(times(miss));
        (range_m > 0.0 && square < CUT_SQUARED).then(|| {
            let g = (-0.5 * square.max(0.0)).exp();
            Meeting { volume: item as u32, g, range_m, sigma_m: 1.0 / a.sqrt() }
        })
    }
}

impl BoxVisitor for Search<'_> {
    #[inline(always)]
    fn visit(&mut self, items: Range<usize>, end: f32) -> f32 {
        for first in items.clone().step_by(LANES) {
            let candidates = self.candidates(first);
            for (item, _) in (first..items.end).zip(candidates).filter(|(_, may_be)| *may_be) {
                if let Some(meeting) = self.meeting(item) {
                    self.meetings.push(meeting);
                }
            }
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::likelihood::shape::Shape;
    use crate::estimate::likelihood::tests::Numbers;
    use crate::volume::gaussian::Gaussian;
    use glam::DMat3;

    /// All that rays meet, and nothing else, by the formula for each volume: thin ones, needles and far
    /// ones alike.
    #[test]
    fn what_is_met_is_what_the_formula_says() {
        let mut numbers = Numbers(11);
        let mut volume = |k: u32| {
            let mut at = |size: f64| (numbers.uniform() - 0.5) * size;
            let mean = DVec3::new(at(160.0), at(160.0), at(10.0));
            let axis = DVec3::new(at(1.0), at(1.0), at(1.0)).normalize();
            let thin = 0.003 + 0.02 * f64::from(k % 3);
            let wide = thin + 0.3 * f64::from(k % 5);
            let along = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
            let across = DMat3::IDENTITY - along;
            let covariance = match k % 2 {
                0 => across * wide.powi(2) + along * thin.powi(2),
                _ => across * thin.powi(2) + along * wide.powi(2),
            };
            let gaussian = Gaussian::new(mean, covariance).unwrap();
            Shape { gaussian, points: 1.0, intensity: None, label: 0, level: 0 }
        };
        let volumes: Vec<Shape> = (0..4000).map(&mut volume).collect();
        let shapes = Shapes { origin: DVec3::new(5e5, 4e6, 100.0), volumes };
        let searched = Volumes::new(&shapes).unwrap();
        let ways: Vec<Way> = (0..500)
            .map(|_| {
                let mut at = |size: f64| (numbers.uniform() - 0.5) * size;
                let direction = DVec3::new(at(1.0), at(1.0), at(0.1)).normalize();
                let origin = shapes.origin + DVec3::new(at(100.0), at(100.0), at(10.0));
                Way { origin, direction, end_m: f64::INFINITY }
            })
            .collect();
        let mut meetings = Vec::new();
        searched.meet(&ways, &mut meetings);
        let mut met = 0;
        for (way, meetings) in ways.iter().zip(&meetings) {
            let mut wanted: Vec<(f64, f64)> = shapes
                .volumes
                .iter()
                .map(|shape| shape.gaussian.approach(way.origin - shapes.origin, way.direction))
                // At the very edge the precision of a file decides.
                .filter(|near| near.range_m > 0.0 && near.distance < Gate::SOFT_CUT - 1e-3)
                .map(|near| (near.range_m, near.distance))
                .collect();
            wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let near =
                |meeting: &&Meeting| meeting.g > (-0.5 * (Gate::SOFT_CUT - 2e-3).powi(2)).exp();
            assert!(meetings.windows(2).all(|pair| pair[0].range_m <= pair[1].range_m));
            assert!(meetings.len() >= wanted.len(), "{} of {}", meetings.len(), wanted.len());
            assert!(meetings.iter().filter(near).count() <= wanted.len());
            for (range_m, distance) in &wanted {
                let g = (-0.5 * distance * distance).exp();
                let found = meetings
                    .iter()
                    .any(|m| (m.range_m - range_m).abs() < 1e-3 && (m.g - g).abs() < 1e-3);
                assert!(found, "{range_m} {distance}");
            }
            met += wanted.len();
        }
        assert!(met > 500, "{met}");
    }
}
