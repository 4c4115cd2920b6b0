//! Many pulses at once: rays in as columns, nearest hits out.
//!
//! Neighbouring pulses are put together to streams, see [`stream`](crate::traverse::stream). Which
//! pulses share a stream changes how fast hits are found, never what is hit: a batch may be cut
//! anywhere, and each pulse finds what [`RaySceneAt::trace_pulse`] finds.

use super::RayScene;
use super::at::RaySceneAt;
use super::dynamic_bvh::DynamicBvh;
use super::track_order::TrackOrder;
use crate::motion::SwayClock;
use crate::traverse::stream_state::{STREAM, Stream};
use crate::traverse::{Nearest, PULSES, RAYS, SHARED};
use crate::{MAX_RAYS_PER_PULSE, RayHit};
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

/// Traces batches of pulses and keeps what they met: one for each thread, used again and again.
pub struct PulseTracer {
    stream: Box<Stream>,
    /// Ray of the batch at which each pulse of the stream begins.
    first_ray: [u32; STREAM],
    order: TrackOrder,
    pub(super) found: Vec<Nearest>,
    /// What was worked out of it last.
    pub(super) hits: Vec<PulseHit>,
}

impl Default for PulseTracer {
    fn default() -> Self {
        PulseTracer {
            stream: Stream::new(),
            first_ray: [0; STREAM],
            order: TrackOrder::default(),
            found: Vec::new(),
            hits: Vec::new(),
        }
    }
}

impl PulseTracer {
    /// The nearest hit of a ray of the batch that was traced last, rays counted through all
    /// pulses; `now` is the scene at the time of its pulse, `origin` the origin of its pulse.
    #[inline]
    pub fn hit(&self, now: &RaySceneAt<'_>, ray: usize, origin: DVec3) -> Option<RayHit> {
        now.hit(self.found.get(ray)?, origin)
    }
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
        tracer.found.clear();
        tracer.found.resize(pulses * rays, Nearest::none(0.0));
        tracer.stream.count = 0;
        let chunk = balanced_chunk(rays);
        let spread = !batch.origin_offsets.is_empty();
        let mut order = std::mem::take(&mut tracer.order);
        for &pulse in order.set(batch.tracks, pulses) {
            let pulse = pulse as usize;
            let (begin, end) = (pulse * rays, (pulse + 1) * rays);
            for first in (begin..end).step_by(chunk) {
                let lanes = first..(first + chunk).min(end);
                let offsets = if spread { &batch.origin_offsets[lanes.clone()] } else { &[] };
                let stream = &mut tracer.stream;
                let place = stream.count;
                let directions = &batch.directions[lanes];
                let t_max = batch.t_max(pulse);
                stream.pulses[place].set(batch.origins[pulse], directions, offsets, t_max);
                stream.times_s[place] = batch.times_s.get(pulse).copied().unwrap_or(0.0);
                tracer.first_ray[place] = first as u32;
                stream.count += 1;
                if stream.count == STREAM {
                    self.trace_stream(movers, spread, tracer);
                }
            }
        }
        self.trace_stream(movers, spread, tracer);
        tracer.order = order;
    }

    /// Traces the pulses of the tracer's stream and empties it.
    fn trace_stream(&self, movers: &DynamicBvh, spread: bool, tracer: &mut PulseTracer) {
        let PulseTracer { stream, first_ray, found, .. } = tracer;
        let count = stream.count;
        if count == 0 {
            return;
        }
        let same =
            |a: DVec3, b: DVec3| a.to_array().map(f64::to_bits) == b.to_array().map(f64::to_bits);
        let origin = stream.pulses[0].origin;
        let from = if spread {
            RAYS
        } else if stream.pulses[1..count].iter().all(|pulse| same(pulse.origin, origin)) {
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
        for (pulse, first) in stream.pulses[..count].iter().zip(first_ray) {
            for ray in 0..pulse.count {
                found[*first as usize + ray] = pulse.nearest(ray);
            }
        }
        stream.count = 0;
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
