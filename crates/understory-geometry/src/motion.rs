//! Instances that move: plants that sway where they stand, and bodies that go anywhere.
//!
//! A pulse sees every instance where it is at the pulse's own time. What sways stays in the tree of
//! all that stands still, in boxes that hold its whole swing, and is sheared when a ray enters it.
//! What goes anywhere has a tree of its own, fitted to a span of time by whoever traces it: see
//! [`DynamicBvh`](crate::DynamicBvh). Hits depend on the time of the pulse alone, not on that span.

use crate::MeshId;
use glam::{DAffine3, DVec2, DVec3};

/// Most frequencies at which the instances of a scene may sway.
pub const MAX_SWAY_FREQUENCIES: usize = 8;

/// A body that goes anywhere.
pub trait InstanceMotion: Send + Sync {
    /// What it shows at a time, and `world_from_mesh`.
    fn at(&self, time_s: f64) -> (MeshId, DAffine3);

    /// No point of it is, at any time from `from_s` to `to_s`, farther than this from where it is
    /// in the middle between the two.
    fn reach_m(&self, from_s: f64, to_s: f64) -> f64;

    /// Everything that it shows at some time.
    fn meshes(&self) -> Vec<MeshId>;
}

/// How an instance sways about its root: a point at height h above it is moved horizontally by
/// h · (lean + sine · sin 2πft + cosine · cos 2πft).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sway {
    /// How often it swings to and fro in a second.
    pub frequency_hz: f64,
    /// What it leans on average, as tangents along x and y.
    pub lean: DVec2,
    /// The part in the rhythm of the sine.
    pub sine: DVec2,
    /// The part in the rhythm of the cosine.
    pub cosine: DVec2,
    /// Height of the root in the world.
    pub root_z_m: f64,
}

impl Sway {
    /// Tangents beyond this are refused: no plant leans that much without breaking.
    pub const STEEPEST: f64 = 10.0;

    /// The largest tangents along x and y, to either side of `lean`.
    pub(crate) fn swing(&self) -> DVec2 {
        let hypot = |a: f64, b: f64| (a * a + b * b).sqrt();
        DVec2::new(hypot(self.sine.x, self.cosine.x), hypot(self.sine.y, self.cosine.y))
    }

    /// The largest tangent.
    pub(crate) fn steepest(&self) -> f64 {
        (self.lean.abs() + self.swing()).length()
    }

    /// The box that holds a box in all its positions.
    pub(crate) fn widen(&self, (mut low, mut high): (DVec3, DVec3)) -> (DVec3, DVec3) {
        let heights = [low.z - self.root_z_m, high.z - self.root_z_m];
        let (lean, swing) = (self.lean, self.swing());
        for axis in 0..2 {
            let tangents = [lean[axis] - swing[axis], lean[axis] + swing[axis]];
            let moves = heights.map(|height| tangents.map(|tangent| tangent * height));
            let moves = moves.as_flattened();
            low[axis] += moves.iter().copied().fold(f64::INFINITY, f64::min);
            high[axis] += moves.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        }
        (low, high)
    }
}

/// The same as the traversal meets it.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct InstanceSway {
    lean: [f32; 2],
    sine: [f32; 2],
    cosine: [f32; 2],
    /// Height of the mesh's origin above the root.
    pub height: f32,
    /// Which frequency; [`NEVER`]: it stands still.
    frequency: u32,
}

const NEVER: u32 = u32::MAX;

impl InstanceSway {
    pub const STILL: InstanceSway = InstanceSway {
        lean: [0.0; 2],
        sine: [0.0; 2],
        cosine: [0.0; 2],
        height: 0.0,
        frequency: NEVER,
    };

    pub fn new(sway: &Sway, frequency: usize, mesh_origin_z_m: f64) -> InstanceSway {
        InstanceSway {
            lean: sway.lean.as_vec2().to_array(),
            sine: sway.sine.as_vec2().to_array(),
            cosine: sway.cosine.as_vec2().to_array(),
            height: (mesh_origin_z_m - sway.root_z_m) as f32,
            frequency: frequency as u32,
        }
    }

    pub fn is_still(&self) -> bool {
        self.frequency == NEVER
    }

    /// Tangents along x and y.
    #[inline(always)]
    pub fn tangents(&self, clock: &SwayClock) -> [f32; 2] {
        let [sine, cosine] = clock.phase[self.frequency as usize % MAX_SWAY_FREQUENCIES];
        [0, 1].map(|axis| {
            sine.mul_add(self.sine[axis], cosine.mul_add(self.cosine[axis], self.lean[axis]))
        })
    }

    /// How fast the tangents change.
    pub fn rates_per_s(&self, clock: &SwayClock, frequencies_hz: &[f64]) -> DVec2 {
        let [sine, cosine] = clock.phase[self.frequency as usize % MAX_SWAY_FREQUENCIES];
        let frequency_hz = frequencies_hz.get(self.frequency as usize).copied().unwrap_or(0.0);
        let rate = |axis: usize| {
            let per_radian = cosine * self.sine[axis] - sine * self.cosine[axis];
            f64::from(per_radian) * frequency_hz * std::f64::consts::TAU
        };
        DVec2::new(rate(0), rate(1))
    }
}

/// Sine and cosine of all frequencies at one time.
#[derive(Clone, Copy)]
pub(crate) struct SwayClock {
    phase: [[f32; 2]; MAX_SWAY_FREQUENCIES],
}

impl SwayClock {
    #[inline]
    pub fn at(time_s: f64, frequencies_hz: &[f64]) -> SwayClock {
        let mut phase = [[0.0, 1.0]; MAX_SWAY_FREQUENCIES];
        for (phase, frequency_hz) in phase.iter_mut().zip(frequencies_hz) {
            let turns = time_s * frequency_hz;
            let angle = (turns - turns.floor()) * std::f64::consts::TAU;
            // The same bits on every machine, which the system's own functions do not promise.
            *phase = [libm::sin(angle) as f32, libm::cos(angle) as f32];
        }
        SwayClock { phase }
    }
}
