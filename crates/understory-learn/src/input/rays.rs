//! Beams along equal rays, put together: a static scanner sends hundreds of beams along each.
//!
//! What enters: beams, batch by batch. What leaves: each ray once per some million beams, with the
//! ranges of its beams in ascending order, so that a volume on the way is tested once for all of
//! them: O(rays·volumes + N log N). Counting by rays or by beams gives the same numbers.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::beams::{BeamSource, Beams};
use crate::LearnError;

/// Beams that are looked at together.
const TOGETHER: usize = 1 << 22;

/// One ray and where its beams ended.
#[derive(Clone, Copy, Debug)]
pub struct Ray<'a> {
    /// Where it begins, in the world.
    pub origin: DVec3,
    /// Unit vector.
    pub direction: DVec3,
    /// Ranges, ascending; infinite: no return.
    pub ranges_m: &'a [f32],
}

#[derive(Clone, Copy)]
struct Key {
    ray: u64,
    range_bits: u32,
    beam: u32,
}

/// A number for a ray: equal rays have equal ones, and others hardly ever.
pub(crate) fn ray_bits(origin: DVec3, direction: Vec3) -> u64 {
    let mut h = 0u64;
    let words = origin.to_array().map(f64::to_bits);
    let [x, y, z] = direction.to_array().map(|c| u64::from(c.to_bits()));
    for word in [words[0], words[1], words[2], x | y << 32, z] {
        h = (h ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        h ^= h >> 31;
    }
    h
}

/// The rays of a batch of beams, in the order in which they were first sent.
pub struct Rays<'a> {
    beams: &'a Beams,
    /// Ranges of all beams, ray by ray.
    ranges: Vec<f32>,
    /// First beam of a ray, and which ranges are its own.
    rays: Vec<[u32; 3]>,
}

impl Rays<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        self.rays.len()
    }

    /// How many beams they have.
    pub fn beams(&self) -> u64 {
        self.ranges.len() as u64
    }

    /// One of them.
    pub fn get(&self, ray: usize) -> Ray<'_> {
        let [beam, from, to] = self.rays[ray].map(|number| number as usize);
        Ray {
            origin: self.beams.origin[beam],
            direction: self.beams.direction[beam].as_dvec3(),
            ranges_m: &self.ranges[from..to],
        }
    }

    /// Beams without a return.
    fn misses(&self) -> u64 {
        self.ranges.par_iter().filter(|range| range.is_infinite()).count() as u64
    }
}

/// Calls `take` with the rays of every batch of a source; returns the number of beams and how many of
/// them had no return nearer than `range_max_m`.
pub fn each_batch(
    source: &dyn BeamSource,
    range_max_m: f64,
    take: &mut dyn FnMut(&Rays),
) -> Result<[u64; 2], LearnError> {
    let (mut beams, mut misses) = (0, 0);
    let mut held = Beams::default();
    let mut give = |batch: &Beams| {
        let rays = rays_of(batch, range_max_m);
        take(&rays);
        misses += rays.misses();
        beams += batch.len() as u64;
    };
    source.pass(&mut |batch| {
        if held.is_empty() && batch.len() >= TOGETHER / 2 {
            give(batch);
            return Ok(());
        }
        held.append(batch);
        if held.len() >= TOGETHER {
            give(&held);
            held.clear();
        }
        Ok(())
    })?;
    give(&held);
    Ok([beams, misses])
}

/// Calls `visit` with every ray of a source, from several threads at once; returns the number of
/// beams and how many of them had no return nearer than `range_max_m`.
pub fn each_ray(
    source: &dyn BeamSource,
    range_max_m: f64,
    visit: &(dyn Fn(Ray) + Sync),
    progress: &dyn Fn(u64),
) -> Result<[u64; 2], LearnError> {
    let mut beams = 0;
    each_batch(source, range_max_m, &mut |rays| {
        (0..rays.len()).into_par_iter().with_min_len(64).for_each(|ray| visit(rays.get(ray)));
        beams += rays.beams();
        progress(beams);
    })
}

fn rays_of(beams: &Beams, range_max_m: f64) -> Rays<'_> {
    let key = |beam: usize| {
        let range = beams.range_m[beam];
        let range = if f64::from(range) < range_max_m { range.max(0.0) } else { f32::INFINITY };
        Key {
            ray: ray_bits(beams.origin[beam], beams.direction[beam]),
            // The bits of positive numbers are in their order.
            range_bits: range.to_bits(),
            beam: beam as u32,
        }
    };
    let mut keys: Vec<Key> = (0..beams.len()).into_par_iter().map(key).collect();
    keys.par_sort_unstable_by_key(|key| (key.ray, key.range_bits));
    let ranges: Vec<f32> = keys.par_iter().map(|key| f32::from_bits(key.range_bits)).collect();
    let same = |a: &Key, b: &Key| {
        let (p, q) = (a.beam as usize, b.beam as usize);
        a.ray == b.ray
            && beams.origin[p] == beams.origin[q]
            && beams.direction[p] == beams.direction[q]
    };
    // Rays in the order in which they were first sent: neighbours meet the same volumes.
    let mut rays: Vec<[u32; 3]> = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        match rays.last_mut().filter(|_| at > 0 && same(&keys[at - 1], key)) {
            Some([sent, _, to]) => {
                *sent = key.beam.min(*sent);
                *to = at as u32 + 1;
            }
            None => rays.push([key.beam, at as u32, at as u32 + 1]),
        }
    }
    rays.par_sort_unstable();
    Rays { beams, ranges, rays }
}
