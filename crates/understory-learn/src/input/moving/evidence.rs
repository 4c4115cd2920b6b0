//! What other scans say of a place: met something there, or went through.
//!
//! What enters: the beams of a window of scans, and a point of one of them. What leaves: [`Verdict`]. A scan
//! meets the place if one of its points lies in the voxels about it; else it went through if a beam came
//! nearer than about the spacing of beams and returned from clearly behind, or from nowhere.

use std::collections::HashMap;

use glam::{DVec3, IVec3, Vec3};
use understory_base::math;

use super::super::beams::Beams;

/// Points nearer than one to two of these are at one place.
pub(super) const VOXEL_M: f64 = 0.2;
/// Beams go through a place if they come as near as this angle wide, within these limits.
const NEAR_RAD: f64 = 0.006;
const NEAR_M: [f64; 2] = [0.06, 0.2];
/// And return from so far behind it.
const BEHIND_M: f64 = 0.5;
/// Size of the bins of directions.
const BIN_DEG: f64 = 0.5;
const ACROSS: usize = (360.0 / BIN_DEG) as usize;
const UP: usize = (180.0 / BIN_DEG) as usize;
/// Sectors of a revolution, each with its own origin.
const SECTORS: usize = 36;
/// Nearer to the poles bins are too narrow.
const ELEVATION_MAX_DEG: f64 = 75.0;
/// Scans that are asked whether they went through.
const ASKED: usize = 20;
/// So many must have gone through, and as many times more of them than met it at another time.
const THROUGH_LEAST: u32 = 3;
const THROUGH_TIMES: u32 = 10;

/// What is known of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Others met the place at other times, too.
    Still,
    /// Others went through it, at other times.
    Moving,
    /// Too few saw it.
    Unknown,
}

/// Scans that are looked at together.
pub(super) struct Window<'a> {
    pub scans: Vec<&'a Beams>,
    images: Vec<Image>,
    /// Which scans have a point in a voxel.
    met: HashMap<IVec3, u64>,
    /// Near all points, so that numbers are small.
    middle: DVec3,
}

/// The beams of a scan by direction.
struct Image {
    /// Mean origin of the beams of a sector of azimuth.
    origins: Vec<DVec3>,
    /// Where the beams of each bin begin in `beams`.
    bins: Vec<u32>,
    beams: Vec<u32>,
}

impl<'a> Window<'a> {
    pub fn new(scans: Vec<&'a Beams>) -> Window<'a> {
        let middle =
            scans.iter().find_map(|beams| beams.origin.first().copied()).unwrap_or_default();
        let mut met: HashMap<IVec3, u64> = HashMap::new();
        for (scan, beams) in scans.iter().enumerate() {
            for end in (0..beams.len()).filter_map(|beam| beams.end(beam)) {
                *met.entry(voxel(end - middle, VOXEL_M)).or_default() |= 1 << (scan % 64);
            }
        }
        let images = scans.iter().map(|beams| Image::new(beams)).collect();
        Window { scans, images, met, middle }
    }

    /// The voxel of a point.
    pub fn voxel(&self, point: DVec3, size_m: f64) -> IVec3 {
        voxel(point - self.middle, size_m)
    }

    /// What the other scans say of a point of one.
    pub fn verdict(&self, point: DVec3, scan: usize) -> Verdict {
        let at = self.voxel(point, VOXEL_M);
        let mut met = 0u64;
        for x in -1..=1 {
            for y in -1..=1 {
                for z in -1..=1 {
                    met |= self.met.get(&(at + IVec3::new(x, y, z))).copied().unwrap_or(0);
                }
            }
        }
        let others: Vec<usize> =
            (0..self.scans.len()).filter(|other| met >> other & 1 == 0).collect();
        let stride = others.len().div_ceil(ASKED).max(1);
        let mut through = 0u64;
        for other in others.into_iter().step_by(stride) {
            if self.images[other].goes_through(self.scans[other], point) {
                through |= 1 << other;
            }
        }
        // The run of scans about this one that none went through.
        let bits = |range: std::ops::Range<usize>| range.fold(0u64, |bits, k| bits | 1 << k);
        let went = |other: &usize| through >> other & 1 == 1;
        let from = (0..scan).rev().find(went).map_or(0, |k| k + 1);
        let to = (scan + 1..self.scans.len()).find(went).unwrap_or(self.scans.len());
        let elsewhen = (met & !bits(from..to)).count_ones();
        let through = through.count_ones();
        if through >= THROUGH_LEAST && elsewhen * THROUGH_TIMES <= through {
            Verdict::Moving
        } else if elsewhen > 0 || met.count_ones() > THROUGH_LEAST {
            Verdict::Still
        } else {
            Verdict::Unknown
        }
    }
}

fn voxel(point: DVec3, size_m: f64) -> IVec3 {
    (point / size_m).floor().clamp(DVec3::splat(-1e9), DVec3::splat(1e9)).as_ivec3()
}

/// Azimuth from 0 to 360 and elevation from −90 to 90.
fn angles_deg(direction: DVec3) -> [f64; 2] {
    let flat = math::hypot(direction.x, direction.y);
    [
        math::atan2(direction.y, direction.x).to_degrees().rem_euclid(360.0),
        math::atan2(direction.z, flat).to_degrees(),
    ]
}

fn bin_of(direction: Vec3) -> [usize; 2] {
    let [azimuth, elevation] = angles_deg(direction.as_dvec3());
    let x = (azimuth / BIN_DEG) as usize % ACROSS;
    let y = (((elevation + 90.0) / BIN_DEG).max(0.0) as usize).min(UP - 1);
    [x, y]
}

impl Image {
    fn new(beams: &Beams) -> Image {
        let bin = |beam: usize| {
            let [x, y] = bin_of(beams.direction[beam]);
            y * ACROSS + x
        };
        let mut bins = vec![0u32; ACROSS * UP + 1];
        let mut sums = vec![(DVec3::ZERO, 0.0); SECTORS];
        for beam in 0..beams.len() {
            bins[bin(beam) + 1] += 1;
            let [x, _] = bin_of(beams.direction[beam]);
            let sum = &mut sums[x * SECTORS / ACROSS];
            sum.0 += beams.origin[beam];
            sum.1 += 1.0;
        }
        for k in 1..bins.len() {
            bins[k] += bins[k - 1];
        }
        let (mut next, mut sorted) = (bins.clone(), vec![0u32; beams.len()]);
        for beam in 0..beams.len() {
            let at = &mut next[bin(beam)];
            sorted[*at as usize] = beam as u32;
            *at += 1;
        }
        let (whole, count) = sums.iter().fold((DVec3::ZERO, 0.0), |(s, n), (t, m)| (s + *t, n + m));
        let mean = whole / f64::max(count, 1.0);
        let origins = sums.iter().map(|(s, n)| if *n > 0.0 { *s / *n } else { mean }).collect();
        Image { origins, bins, beams: sorted }
    }

    /// Whether a beam goes through a point, and none that comes as near ends there.
    fn goes_through(&self, beams: &Beams, point: DVec3) -> bool {
        // The origin of the beams that look there, which depends on where they look from.
        let mut origin = self.origins[0];
        let mut angles = [0.0; 2];
        for _ in 0..3 {
            angles = angles_deg(point - origin);
            origin = self.origins[((angles[0] / 360.0 * SECTORS as f64) as usize).min(SECTORS - 1)];
        }
        let distance = point.distance(origin);
        let near = (NEAR_RAD * distance).clamp(NEAR_M[0], NEAR_M[1]);
        let [azimuth, elevation] = angles;
        if distance < 2.0 * near || elevation.abs() > ELEVATION_MAX_DEG {
            return false;
        }
        let up = (near / distance).to_degrees() + 0.1;
        let across = up / math::cos(elevation.to_radians());
        let range = |value: f64, reach: f64| {
            let bins = |angle: f64| (angle / BIN_DEG).floor() as i64;
            bins(value - reach)..=bins(value + reach)
        };
        let mut through = false;
        for y in range(elevation + 90.0, up).filter(|y| (0..UP as i64).contains(y)) {
            for x in range(azimuth, across) {
                let bin = y as usize * ACROSS + x.rem_euclid(ACROSS as i64) as usize;
                for beam in &self.beams[self.bins[bin] as usize..self.bins[bin + 1] as usize] {
                    let beam = *beam as usize;
                    let to = point - beams.origin[beam];
                    let along = to.dot(beams.direction[beam].as_dvec3());
                    if along <= 0.0 || to.length_squared() - along * along > near * near {
                        continue;
                    }
                    let behind = f64::from(beams.range_m[beam]) - along;
                    if behind.abs() <= BEHIND_M {
                        return false;
                    }
                    through |= behind > BEHIND_M;
                }
            }
        }
        through
    }
}
