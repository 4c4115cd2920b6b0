//! What slopes do on firm ground: a vehicle climbs while the tangent of the slope along its way is
//! below its grip, and turns over where it is tilted too far.

use glam::DVec3;
use understory::scenario::drive::SlopeSpec;
use understory::world::trajectory::Pose;
use understory_base::math;

/// m/s².
pub const GRAVITY: f64 = 9.80665;

/// Whether a vehicle at this pose turns over.
pub fn turns_over(slopes: Option<&SlopeSpec>, pose: &Pose) -> bool {
    let up = pose.rotation * DVec3::Z;
    slopes.is_some_and(|slopes| up.z < math::cos(slopes.tilt_max_rad))
}
