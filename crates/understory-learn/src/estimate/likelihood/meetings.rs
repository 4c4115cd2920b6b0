//! Which volumes a ray meets: shapes → a tree, a ray → its [`Meeting`]s in order.
//!
//! Volumes are numbered in the tree's order, so that what is near in space is near in memory, and kept
//! with the precision of a site file: what is fitted is what is simulated.

use std::ops::Range;

use glam::{DVec3, Vec3};
use understory_base::math;
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
    order: Vec<u32>,
}

/// A volume as the search needs it.
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
        let volumes = order.iter().map(compact).collect();
        Ok(Volumes { origin: shapes.origin, tree, volumes, order })
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

    /// The volumes on the way of each ray up to its end, by the range of the nearest approach. Rays
    /// that stand together walk the tree together; it is best if they are near each other.
    pub fn meet(&self, rays: &[Way], meetings: &mut Vec<Vec<Meeting>>) {
        meetings.resize_with(rays.len().max(meetings.len()), Vec::new);
        let walk = |way: &Way| {
            let end_m = way.end_m.min(f64::from(f32::MAX)) as f32;
            (way.origin, way.direction.as_vec3(), end_m)
        };
        let walks: Vec<_> = rays.iter().map(walk).collect();
        let mut visitors: Vec<Visit> = rays
            .iter()
            .zip(meetings.iter_mut())
            .map(|(way, meetings)| {
                meetings.clear();
                let origin = way.origin - self.origin;
                let (volumes, direction) = (self.volumes.as_slice(), way.direction);
                Visit { volumes, origin, direction, meetings }
            })
            .collect();
        self.tree.walk_together(&walks, &mut visitors);
        for meetings in &mut meetings[..rays.len()] {
            meetings.sort_unstable_by(|a, b| {
                a.range_m.total_cmp(&b.range_m).then(a.volume.cmp(&b.volume))
            });
        }
    }
}

/// A ray, and how far it is followed.
#[derive(Clone, Copy)]
pub struct Way {
    pub origin: DVec3,
    pub direction: DVec3,
    pub end_m: f64,
}

/// Takes the volumes that a ray meets.
struct Visit<'a> {
    volumes: &'a [Compact],
    /// Around the origin of the volumes.
    origin: DVec3,
    direction: DVec3,
    meetings: &'a mut Vec<Meeting>,
}

impl BoxVisitor for Visit<'_> {
    #[inline(always)]
    fn memory_of(&self, items: Range<usize>) -> (*const u8, usize) {
        let first = self.volumes.as_ptr().wrapping_add(items.start);
        (first.cast(), items.len() * size_of::<Compact>())
    }

    #[inline(always)]
    fn visit(&mut self, items: Range<usize>, end: f32) -> f32 {
        const CUT_SQUARED: f64 = Gate::SOFT_CUT * Gate::SOFT_CUT;
        let d = self.direction;
        for item in items {
            let Compact { mean_m, precision } = &self.volumes[item];
            let [x, y, z] = mean_m.map(f64::from);
            let [xx, yy, zz, xy, xz, yz] = precision.map(f64::from);
            let times = |v: DVec3| {
                DVec3::new(
                    xx * v.x + xy * v.y + xz * v.z,
                    xy * v.x + yy * v.y + yz * v.z,
                    xz * v.x + yz * v.y + zz * v.z,
                )
            };
            let to_mean = DVec3::new(x, y, z) - self.origin;
            let beside_m = to_mean.dot(d);
            let off = to_mean - d * beside_m;
            let along = times(d);
            let (a, b) = (along.dot(d), along.dot(off));
            // The square of the distance times a, so that most volumes are passed without dividing.
            let square_a = off.dot(times(off)) * a - b * b;
            if square_a >= CUT_SQUARED * a {
                continue;
            }
            let range_m = beside_m + b / a;
            if range_m > 0.0 {
                let g = math::exp(-0.5 * (square_a / a).max(0.0));
                let sigma_m = 1.0 / a.sqrt();
                self.meetings.push(Meeting { volume: item as u32, g, range_m, sigma_m });
            }
        }
        end
    }
}
