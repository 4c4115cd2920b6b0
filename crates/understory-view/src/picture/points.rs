//! A bounded choice of points: all of them while they are few, a fixed share of pulses later.
//!
//! Which pulses are kept depends on their numbers alone, so the picture does not depend on how the
//! records were cut into batches.

use glam::{DVec3, Vec3};
use understory_cloud::Records;

/// A point to be drawn.
#[derive(Clone, Copy)]
pub struct PicturePoint {
    /// Position relative to the anchor.
    pub position_m: Vec3,
    /// Measured range.
    pub range_m: f32,
    /// Intensity as reported.
    pub intensity: f32,
    /// Scrambled number of the pulse, by which points are thinned.
    pub lot: u32,
}

/// The points that are kept.
pub struct PointSample {
    /// They, relative to [`anchor`](PointSample::anchor).
    pub points: Vec<PicturePoint>,
    anchor: Option<DVec3>,
    most: usize,
    /// Lots below this are kept.
    lots_kept: u64,
}

impl PointSample {
    /// Keeps at most `most` points.
    pub fn of_at_most(most: usize) -> PointSample {
        PointSample { points: Vec::new(), anchor: None, most, lots_kept: 1 << 32 }
    }

    /// Near the points, so that f32 is fine enough for the rest.
    pub fn anchor(&self) -> DVec3 {
        self.anchor.unwrap_or(DVec3::ZERO)
    }

    /// Takes row `index` of `records`, which must be a return.
    pub fn add(&mut self, records: &Records, index: usize) {
        let world_m = DVec3::from(records.world_xyz_m[index]);
        let lot = scrambled(records.pulse[index] ^ u64::from(records.sensor[index]) << 48);
        if !world_m.is_finite() || u64::from(lot) >= self.lots_kept {
            return;
        }
        let anchor = *self.anchor.get_or_insert(world_m);
        self.points.push(PicturePoint {
            position_m: (world_m - anchor).as_vec3(),
            range_m: records.range_m[index],
            intensity: records.intensity[index],
            lot,
        });
        while self.points.len() > self.most {
            self.lots_kept /= 2;
            let limit = self.lots_kept;
            self.points.retain(|point| u64::from(point.lot) < limit);
        }
    }
}

/// A number that looks drawn by lot: neighbouring pulses, which are neighbouring channels, must
/// not be kept or dropped together. The mixer of splitmix64 [Steele2014].
fn scrambled(pulse: u64) -> u32 {
    let mut mixed = pulse.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 32) as u32
}
