//! Many pulses at once: rays in as columns, nearest hits out.
//!
//! Neighbouring pulses are put together to streams, see [`stream`](crate::traverse::stream), and
//! those of few rays fill the lanes one after another. Which rays share lanes and
//! streams changes how fast hits are found, never what is hit: a batch may be cut anywhere, and each
//! pulse finds what [`RaySceneAt::trace_pulse`] finds.

use super::RayScene;
use super::at::RaySceneAt;
use super::dynamic_bvh::DynamicBvh;
use super::points::{ExactHit, Points};
use super::track_order::TrackOrder;
use crate::build::node8::EMPTY;
use crate::motion::SwayClock;
use crate::traverse::stream_state::{STREAM, Stream};
use crate::traverse::{PULSES, RAYS, SHARED};
use crate::{InstanceId, MAX_RAYS_PER_PULSE, RayHit};
use glam::{DVec3, Vec3};

/// Many pulses, as columns. Pulses for which a column has no row are not traced.
#[derive(Clone, Copy, Debug, Default)]
pub struct PulseBatch<'a> {
    /// Where each pulse leaves, in the world.
    pub origins: &'a [DVec3],
    /// Number of rays of each pulse.
    pub rays_per_pulse: usize,
    /// Direction of each ray in the world, unit length, pulse by pulse.
    pub directions: &'a [Vec3],
    /// The same in f64, with which hits are worked out; empty: they are not.
    pub exact_directions: &'a [DVec3],
    /// Where each ray leaves, relative to the origin of its pulse; empty: all leave from there.
    pub origin_offsets: &'a [Vec3],
    /// Hits at this distance or beyond are none: for each pulse, or one value for all.
    pub t_max: &'a [f32],
    /// When each pulse leaves; empty: all at the time 0.
    pub times_s: &'a [f64],
    /// Pulses of one track that follow each other are neighbours; empty: all are of one. A guess
    /// will do: it only helps to put neighbours together.
    pub tracks: &'a [u16],
}

impl PulseBatch<'_> {
    /// Number of pulses that have all that they need.
    fn pulses(&self) -> usize {
        let rows = |column: usize| column.checked_div(self.rays_per_pulse).unwrap_or(0);
        let mut count = self.origins.len().min(rows(self.directions.len()));
        if !self.origin_offsets.is_empty() {
            count = count.min(rows(self.origin_offsets.len()));
        }
        if !self.times_s.is_empty() {
            count = count.min(self.times_s.len());
        }
        if self.t_max.len() != 1 {
            count = count.min(self.t_max.len());
        }
        count.min(u32::MAX as usize / self.rays_per_pulse.max(1))
    }

    fn t_max(&self, pulse: usize) -> f32 {
        self.t_max[if self.t_max.len() == 1 { 0 } else { pulse }]
    }
}

/// A hit of a batch, worked out in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PulseHit {
    /// Which ray of the batch, counted through all pulses.
    pub ray: usize,
    /// What was met.
    pub hit: RayHit,
    /// Distance, as in [`SurfacePoint`](crate::SurfacePoint).
    pub t: f64,
    /// Cosine of the angle between ray and normal, 0…1.
    pub cos_incidence: f64,
}

/// In place of a hit where there is none.
const NO_HIT: RayHit =
    RayHit { t: 0.0, instance: InstanceId(0), triangle: 0, slot: EMPTY, placed: EMPTY, level: 0 };

/// Traces batches of pulses and keeps what they met: one for each thread, used again and again.
pub struct PulseTracer {
    stream: Box<Stream>,
    /// Which ray of the batch each lane of each pulse of the stream is.
    ray_of: [[u32; MAX_RAYS_PER_PULSE]; STREAM],
    /// Whether others may share the lanes of the stream's last pulse.
    shares: bool,
    order: TrackOrder,
    /// What each ray of the batch met; without a slot: nothing.
    found: Vec<RayHit>,
    points: Points,
}

impl Default for PulseTracer {
    fn default() -> Self {
        PulseTracer {
            stream: Stream::new(),
            ray_of: [[0; MAX_RAYS_PER_PULSE]; STREAM],
            shares: false,
            order: TrackOrder::default(),
            found: Vec::new(),
            points: Points::NONE,
        }
    }
}

impl PulseTracer {
    /// The nearest hit of a ray of the batch that was traced last, rays counted through all
    /// pulses.
    #[inline]
    pub fn hit(&self, ray: usize) -> Option<RayHit> {
        self.found.get(ray).copied().filter(|hit| hit.slot != EMPTY)
    }

    /// The same worked out, where the batch had directions in f64.
    #[inline]
    pub fn exact_hit(&self, ray: usize) -> Option<PulseHit> {
        let hit = self.hit(ray)?;
        let &ExactHit { t, cos_incidence } = self.points.exact.get(ray)?;
        Some(PulseHit { ray, hit, t, cos_incidence })
    }

    /// What each ray of the batch met: see [`PulseTracer::exact_hit`].
    #[inline]
    pub fn met(&self) -> Met<'_> {
        Met { hits: &self.found, exact: &self.points.exact }
    }

    /// Puts as many of a pulse's rays as there is room for beside those of the stream's last pulse,
    /// if they go together. Returns how many.
    #[inline(always)]
    fn share_lanes(&mut self, rays: &SharedRays<'_>, elsewhere: bool) -> usize {
        let Some(place) = self.stream.count.checked_sub(1).filter(|_| self.shares) else {
            return 0;
        };
        let pulse = &mut self.stream.pulses[place];
        let room = MAX_RAYS_PER_PULSE.saturating_sub(pulse.count).min(rays.directions.len());
        let directions = &rays.directions[..room];
        let together = room > 0
            && pulse.begins_with(rays.origin, elsewhere)
            && pulse.goes_with(directions, rays.t_max);
        if !together {
            return 0;
        }
        for (ray, direction) in directions.iter().enumerate() {
            self.ray_of[place][pulse.count] = (rays.first + ray) as u32;
            pulse.add(rays.origin, *direction, rays.offsets.get(ray), rays.t_max);
        }
        self.stream.has_bases |= pulse.has_bases;
        room
    }
}

/// What the rays of a batch met, as columns, with the batch's directions in f64.
#[derive(Clone, Copy)]
pub struct Met<'a> {
    hits: &'a [RayHit],
    exact: &'a [ExactHit],
}

impl Met<'_> {
    /// Whether a ray met anything.
    #[inline(always)]
    pub fn hits(&self, ray: usize) -> bool {
        self.hits.get(ray).is_some_and(|hit| hit.slot != EMPTY) && ray < self.exact.len()
    }

    /// The hit of a ray that met something.
    #[inline(always)]
    pub fn hit(&self, ray: u32) -> &RayHit {
        &self.hits[ray as usize]
    }

    /// Its distance, as in [`SurfacePoint`](crate::SurfacePoint), and the cosine of its angle of
    /// incidence.
    #[inline(always)]
    pub fn exactly(&self, ray: u32) -> (f64, f64) {
        let &ExactHit { t, cos_incidence } = &self.exact[ray as usize];
        (t, cos_incidence)
    }
}

/// Rays of a pulse that look for lanes.
struct SharedRays<'a> {
    origin: DVec3,
    directions: &'a [Vec3],
    /// None: all leave at the origin.
    offsets: &'a [Vec3],
    /// Which ray of the batch the first is.
    first: usize,
    t_max: f32,
}

/// Rays per pulse of the tracer: as few pulses as possible, of nearly equal size.
fn balanced_chunk(rays: usize) -> usize {
    let calls = rays.div_ceil(MAX_RAYS_PER_PULSE).max(1);
    rays.div_ceil(calls).max(1)
}

impl RayScene {
    /// Nearest hits of all pulses of a batch, kept by `tracer`: the same as
    /// [`RaySceneAt::trace_pulse`] finds for each of them at its time. More than
    /// [`MAX_RAYS_PER_PULSE`] rays are traced as several pulses of nearly equal size.
    ///
    /// `movers` must have been fitted to all times of the batch by [`RayScene::refit`].
    pub fn trace_pulses(
        &self,
        movers: &DynamicBvh,
        batch: &PulseBatch<'_>,
        tracer: &mut PulseTracer,
    ) {
        let (pulses, rays) = (batch.pulses(), batch.rays_per_pulse);
        // Every ray is traced, and so every row written.
        tracer.found.resize(pulses * rays, NO_HIT);
        let exact = batch.exact_directions.len() >= pulses * rays;
        tracer.points.exact.resize(if exact { pulses * rays } else { 0 }, ExactHit::default());
        (tracer.stream.count, tracer.stream.has_bases) = (0, false);
        let spread = !batch.origin_offsets.is_empty();
        // Pulses share lanes if they see one moment, and one level of each instance. Those that fill
        // more than half of them are better alone.
        let shares = rays <= MAX_RAYS_PER_PULSE / 2 && self.is_still();
        let elsewhere = self.meshes.lods.distances_m().is_empty();
        let chunk = if shares { MAX_RAYS_PER_PULSE } else { balanced_chunk(rays) };
        let mut order = std::mem::take(&mut tracer.order);
        for &pulse in order.set(batch.tracks, pulses) {
            let pulse = pulse as usize;
            let (mut first, end) = (pulse * rays, (pulse + 1) * rays);
            let (origin, t_max) = (batch.origins[pulse], batch.t_max(pulse));
            while first < end {
                if shares {
                    let rays = SharedRays {
                        origin,
                        directions: &batch.directions[first..end],
                        offsets: if spread { &batch.origin_offsets[first..end] } else { &[] },
                        first,
                        t_max,
                    };
                    let shared = tracer.share_lanes(&rays, elsewhere);
                    first += shared;
                    if shared > 0 {
                        continue;
                    }
                }
                let lanes = first..(first + chunk).min(end);
                let offsets = if spread { &batch.origin_offsets[lanes.clone()] } else { &[] };
                let directions = &batch.directions[lanes.clone()];
                if tracer.stream.count == STREAM {
                    self.trace_stream(movers, batch, tracer);
                }
                let stream = &mut tracer.stream;
                let place = stream.count;
                stream.pulses[place].set(origin, directions, offsets, t_max);
                stream.times_s[place] = batch.times_s.get(pulse).copied().unwrap_or(0.0);
                tracer.shares = shares && stream.pulses[place].goes_with(directions, t_max);
                for (of_lane, ray) in tracer.ray_of[place].iter_mut().zip(lanes.clone()) {
                    *of_lane = ray as u32;
                }
                stream.count += 1;
                first = lanes.end;
            }
        }
        self.trace_stream(movers, batch, tracer);
        tracer.order = order;
    }

    /// Traces the pulses of the tracer's stream and empties it.
    fn trace_stream(&self, movers: &DynamicBvh, batch: &PulseBatch<'_>, tracer: &mut PulseTracer) {
        let PulseTracer { stream, ray_of, found, points, .. } = tracer;
        let count = stream.count;
        if count == 0 {
            return;
        }
        let origin = stream.pulses[0].origin;
        let from = if !batch.origin_offsets.is_empty() || stream.has_bases {
            RAYS
        } else if stream.pulses[1..count].iter().all(|pulse| pulse.begins_with(origin, false)) {
            SHARED
        } else {
            PULSES
        };
        if !self.frequencies_hz.is_empty() {
            for place in 0..count {
                let time_s = stream.times_s[place];
                stream.clocks[place] = match place {
                    0 => SwayClock::at(time_s, &self.frequencies_hz),
                    _ if time_s == stream.times_s[place - 1] => stream.clocks[place - 1],
                    _ => SwayClock::at(time_s, &self.frequencies_hz),
                };
            }
        }
        let now = RaySceneAt::new(self, Some(movers), stream.times_s[0]);
        for view in now.views() {
            self.instructions.trace_stream(view, from, stream);
        }
        let (still, exact) = (self.is_still(), !points.exact.is_empty());
        if exact {
            for pulse in &stream.pulses[..count] {
                let met = pulse.met.slot.iter().zip(&pulse.met.placed).take(pulse.count);
                met.filter(|(slot, _)| **slot != EMPTY)
                    .for_each(|(_, placed)| now.prefetch_instance(*placed));
            }
        }
        let mut now = now;
        for (number, (pulse, ray_of)) in stream.pulses[..count].iter().zip(ray_of).enumerate() {
            if !still {
                now = RaySceneAt::new(self, Some(movers), stream.times_s[number]);
            }
            for (lane, &ray) in ray_of[..pulse.count].iter().enumerate() {
                let hit = now.hit(&pulse.nearest(lane), pulse.origin);
                found[ray as usize] = hit.unwrap_or(NO_HIT);
                if let Some(hit) = hit.filter(|_| exact) {
                    let origin = batch.origins[ray as usize / batch.rays_per_pulse.max(1)];
                    let offset = batch.origin_offsets.get(ray as usize);
                    let from = offset.map_or(origin, |offset| origin + offset.as_dvec3());
                    let direction = batch.exact_directions[ray as usize];
                    points.add(&now, self.instructions, (ray, &hit), from, direction);
                }
            }
        }
        points.work_out(self.instructions);
        (stream.count, stream.has_bases) = (0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_balanced_and_fit_the_tracer() {
        for (rays, chunk) in [(1, 1), (9, 9), (16, 16), (17, 9), (33, 11), (58, 15), (100, 15)] {
            assert_eq!(balanced_chunk(rays), chunk);
        }
    }
}
