//! Light that goes on: off mirrors, through panes and into clear bodies.
//!
//! What enters: a sub-ray at a surface from which light goes on. What leaves: what its branches
//! meet, each with the whole optical path from the sensor and the share of the light that makes
//! the way there. A lidar sends and receives through the same optics, so light comes back by the
//! way it went and the share counts twice. The sensor does not know of any of this: the point
//! appears at the total path along the first direction (Gschwandtner 2011, §3.5).
//!
//! A path ends when less than [`SHARE_MIN`] of the light is left, at the sensor's range, or after
//! the scene's largest number of bounces, which is counted.

use glam::DVec3;
use understory_base::math;
use understory_geometry::{InstanceId, SurfacePoint};

use crate::world::scene::fresnel::{Fresnel, pane_reflectance, reflect, refract};
use crate::world::scene::surface_optics::{Body, Optics};
use crate::world::scene::{SceneAt, Surface};

/// Least share of the light, one way, that is followed: a millionth of it would come back.
pub const SHARE_MIN: f64 = 1e-3;

/// How far off a surface the next segment begins, so that it does not meet the same surface.
const STEP_M: f64 = 1e-4;

/// One segment of a path.
#[derive(Clone, Copy, Debug)]
pub struct PathSegment {
    /// Where it begins, on a surface or at the sensor.
    pub origin: DVec3,
    /// Where the tracer begins: off the surface.
    pub start: DVec3,
    /// Unit direction.
    pub direction: DVec3,
    /// Optical path from the sensor to `origin`.
    pub travelled_m: f64,
    /// Share of the light that came this far.
    pub share: f64,
    /// Surfaces on the way.
    pub bounces: u8,
    /// Index of refraction on the way.
    index: f64,
    absorption_per_m: f64,
}

impl PathSegment {
    /// Light that leaves the sensor, in air.
    pub fn first(origin: DVec3, direction: DVec3) -> PathSegment {
        PathSegment {
            origin,
            start: origin,
            direction,
            travelled_m: 0.0,
            share: 1.0,
            bounces: 0,
            index: 1.0,
            absorption_per_m: 0.0,
        }
    }

    /// The branches that go on from `point`, where this segment meets a surface.
    pub fn branches(&self, point: &SurfacePoint, optics: &Optics) -> [Option<PathSegment>; 2] {
        let normal = point.normal;
        let cos = (-self.direction.dot(normal)).clamp(0.0, 1.0);
        let arrives = self.share * math::exp(-self.absorption_per_m * point.t);
        let finish = &optics.finish;
        let (outside, absorption_per_m) = (1.0, 0.0);
        // Reflected and transmitted shares, the direction behind the surface, and the medium there.
        let (reflected, transmitted, behind, medium) = match finish.body {
            Body::Opaque => (finish.mirror, 0.0, None, (outside, absorption_per_m)),
            Body::ThinDielectric { index } => {
                let pane = pane_reflectance(Fresnel::at(cos, self.index, index).mean());
                (pane, 1.0 - pane, Some(self.direction), (self.index, self.absorption_per_m))
            }
            Body::Dielectric { index } => {
                // In a clear body, the next surface of a clear body is where it is left.
                let enters = self.index == outside;
                let inside = (index, optics.absorption_per_m);
                let medium = if enters { inside } else { (outside, absorption_per_m) };
                let behind = refract(self.direction, normal, self.index / medium.0);
                let border = Fresnel::at(cos, self.index, medium.0).mean();
                (border, 1.0 - border, behind, medium)
            }
        };
        // What is scattered diffusely by dirt or paint does not go on.
        let rest = match finish.body {
            Body::Opaque => 1.0,
            _ => 1.0 - f64::from(optics.reflectance),
        };
        let origin = self.origin + self.direction * point.t;
        let next =
            |direction: DVec3, share: f64, (index, absorption_per_m): (f64, f64)| PathSegment {
                origin,
                start: origin + normal * STEP_M.copysign(direction.dot(normal)),
                direction,
                travelled_m: self.travelled_m + self.index * point.t,
                share: arrives * rest * share,
                bounces: self.bounces.saturating_add(1),
                index,
                absorption_per_m,
            };
        let mirrored =
            next(reflect(self.direction, normal), reflected, (self.index, self.absorption_per_m));
        let passed = behind.map(|direction| next(direction, transmitted, medium));
        [Some(mirrored), passed].map(|branch| branch.filter(|b| b.share >= SHARE_MIN))
    }
}

/// What a path meets at its end, or on its way.
#[derive(Clone, Copy, Debug)]
pub struct PathHit {
    /// Optical path from the sensor.
    pub travelled_m: f64,
    /// Where it is.
    pub point: DVec3,
    /// Cosine of the angle of incidence.
    pub cos_incidence: f64,
    /// Share of the light that arrives here.
    pub share: f64,
    /// Surfaces on the way.
    pub bounces: u8,
    /// What is met.
    pub surface: Surface,
    /// Which instance that is.
    pub instance: InstanceId,
    /// Its optics.
    pub optics: Optics,
}

/// What became of the paths that went on, counted over all pulses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct PathTally {
    /// Segments behind a mirror, a pane or a border.
    pub segments: u64,
    /// Paths that ended at the largest number of bounces.
    pub cut: u64,
}

impl PathTally {
    /// Adds what another one counted.
    pub fn add(&mut self, other: PathTally) {
        self.segments += other.segments;
        self.cut += other.cut;
    }
}

/// Where light met something that lets it go on.
#[derive(Clone, Copy)]
pub struct PathStart<'a> {
    /// The way there.
    pub segment: &'a PathSegment,
    /// What it met.
    pub point: &'a SurfacePoint,
    /// The optics of that.
    pub optics: &'a Optics,
}

/// Follows the light from `start`; `met` hears of everything that sends light back. `waiting` is
/// scratch.
pub fn trace_path(
    now: &SceneAt<'_>,
    optics: &[Optics],
    distance_max_m: f64,
    PathStart { segment, point, optics: first }: PathStart<'_>,
    waiting: &mut Vec<PathSegment>,
    tally: &mut PathTally,
    mut met: impl FnMut(&PathHit),
) {
    waiting.clear();
    waiting.extend(segment.branches(point, first).into_iter().flatten());
    while let Some(segment) = waiting.pop() {
        if segment.bounces > now.scene.bounces_max {
            tally.cut += 1;
            continue;
        }
        tally.segments += 1;
        let left_m = (distance_max_m - segment.travelled_m) / segment.index;
        if left_m <= 0.0 {
            continue;
        }
        let (direction, t_max) = (segment.direction.as_vec3(), left_m as f32);
        let Some(hit) = now.rays.trace_ray(segment.start, direction, t_max) else { continue };
        // From the surface itself, not from where the tracer began.
        let point = now.rays.surface_point(&hit, segment.origin, segment.direction);
        if !(point.t > 0.0 && point.t <= left_m) {
            continue;
        }
        let surface = now.scene.surface_of(&hit);
        let here = optics.get(surface.material as usize).unwrap_or(&Optics::BLACK);
        met(&PathHit {
            travelled_m: segment.travelled_m + segment.index * point.t,
            point: segment.origin + segment.direction * point.t,
            cos_incidence: point.normal.dot(segment.direction).abs().min(1.0),
            share: segment.share * math::exp(-segment.absorption_per_m * point.t),
            bounces: segment.bounces,
            surface,
            instance: hit.instance,
            optics: *here,
        });
        if here.continues() {
            waiting.extend(segment.branches(&point, here).into_iter().flatten());
        }
    }
}
