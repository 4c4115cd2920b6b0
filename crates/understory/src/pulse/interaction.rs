//! What the sub-rays meet: [`Beams`] → [`Interactions`].
//!
//! Each sub-ray is followed to the nearest surface, and only those that meet one leave a row. A
//! pulse whose centre ray meets nothing still has the rows of its other rays. Distances are worked
//! out in f64 along the f64 direction, from the triangle that the f32 tracer found. Where light
//! goes on, off a mirror or through glass, what it meets there has a row too: see `light_path`.
//! A learned site is queried along the beam's axis, and then what it says holds for all sub-rays that
//! meet no surface before, or by every sub-ray: whichever stands nearer, surface or volume, wins.
//! In the halo about the spot only retroreflectors are seen, and `blooming` finds them: their rows
//! follow those of the sub-rays.

use std::fmt;
use std::ops::Range;

use glam::DVec3;
use understory_geometry::{DynamicBvh, InstanceId, PulseHit, PulseTracer, RayHit, TrackOrder};

use crate::pulse::beam::Beams;
use crate::pulse::blooming::{BloomedEcho, Blooming, BloomingPulse, BloomingScratch};
use crate::pulse::light_path::{PathSegment, PathStart, PathTally, trace_path};
use crate::rng::{BatchKey, Stage};
use crate::world::scene::surface_optics::Optics;
use crate::world::scene::volume::draws::PulseKey;
use crate::world::scene::volume::{Cone, PlacedSite, SHARED, SiteQuery, SiteRays, VolumeReturn};
use crate::world::scene::{Scene, SceneAt, Surface};

/// Pulses whose hits become rows together: few enough that they stay in the nearest cache.
const TOGETHER: usize = 64;

/// In place of a sub-ray: light of the halo about the spot.
pub const HALO: u16 = u16::MAX;

/// A scene at the times of a batch of pulses.
#[derive(Clone, Copy)]
pub struct SceneOverTime<'a> {
    /// What there is.
    pub scene: &'a Scene,
    /// What moves, fitted to all the times.
    pub movers: &'a DynamicBvh,
    /// When each pulse is fired.
    pub times_s: &'a [f64],
}

impl<'a> SceneOverTime<'a> {
    /// The scene as pulse `pulse` of the batch sees it.
    #[inline]
    fn at(&self, pulse: usize) -> SceneAt<'a> {
        self.scene.at(self.movers, self.times_s.get(pulse).copied().unwrap_or(0.0))
    }
}

/// Where sub-rays met surfaces, as columns; the rows of one pulse stand together.
#[derive(Clone, Debug, Default)]
pub struct Interactions {
    /// First row of each pulse, and the number of all rows at the end.
    start: Vec<u32>,
    /// Which sub-ray of its pulse, or [`HALO`].
    pub sub_ray: Vec<u16>,
    /// Optical path from where the sub-ray left.
    pub distance_m: Vec<f32>,
    /// Cosine of the angle between the sub-ray and the surface normal, 0…1; in f64, because f32
    /// knows angles near 0 to 0.02° only.
    pub cos_incidence: Vec<f64>,
    /// Diffuse reflectance of the material at the sensor's wavelength; 0 in the halo, where it
    /// sends no sunlight into the receiver.
    pub reflectance: Vec<f32>,
    /// What comes back of the sub-ray's light, whatever its way there and back took of it; 1: as
    /// much as from a white surface that faces the beam.
    pub backscatter: Vec<f32>,
    /// Mirrors, panes and borders on the way.
    pub bounces: Vec<u8>,
    /// What was met.
    pub surface: Vec<Surface>,
    /// Row and place of everything that was not met on a straight way, by rising row.
    off_axis: Vec<(u32, DVec3)>,
    /// Row and instance of everything that moves, by rising row.
    moving: Vec<(u32, InstanceId)>,
    /// Rows, rising, of returns that the sensor of a learned site detected in training.
    detected: Vec<u32>,
    /// Scratch for the paths that go on.
    waiting: Vec<PathSegment>,
    /// Scratch for the halo.
    blooming: BloomingScratch,
    /// Scratch for the tracer.
    tracing: TracingScratch,
    /// What became of the paths that went on, counted since the first batch.
    pub paths: PathTally,
}

/// One row.
struct InteractionRow {
    sub_ray: u16,
    distance_m: f32,
    cos_incidence: f64,
    reflectance: f32,
    backscatter: f32,
    bounces: u8,
    surface: Surface,
}

impl Interactions {
    /// Pulses whose first `hits` sub-rays met something white at 10 m that faces them.
    #[cfg(test)]
    pub(crate) fn of_sub_rays(pulses: usize, hits: usize) -> Interactions {
        let rows = pulses * hits;
        Interactions {
            start: (0..=pulses).map(|pulse| (pulse * hits) as u32).collect(),
            sub_ray: (0..rows).map(|row| (row % hits) as u16).collect(),
            distance_m: vec![10.0; rows],
            cos_incidence: vec![1.0; rows],
            reflectance: vec![1.0; rows],
            backscatter: vec![1.0; rows],
            bounces: vec![0; rows],
            ..Interactions::default()
        }
    }

    /// Rows of pulse `pulse` of the batch.
    pub fn rows(&self, pulse: usize) -> Range<usize> {
        self.start[pulse] as usize..self.start[pulse + 1] as usize
    }

    /// Number of pulses.
    pub fn pulses(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Whether the light of `row` came from the spot straight to where it met something.
    pub fn is_direct(&self, row: usize) -> bool {
        self.bounces[row] == 0 && self.sub_ray[row] != HALO
    }

    /// Where the light of `row` met its surface, if not straight on along its sub-ray.
    pub fn bent_point(&self, row: usize) -> Option<DVec3> {
        let found = self.off_axis.binary_search_by_key(&(row as u32), |(row, _)| *row);
        found.ok().map(|index| self.off_axis[index].1)
    }

    /// The instance that the light of `row` met, if it is one that moves.
    pub fn moving_instance(&self, row: usize) -> Option<InstanceId> {
        let found = self.moving.binary_search_by_key(&(row as u32), |(row, _)| *row);
        found.ok().map(|index| self.moving[index].1)
    }

    /// Removes all rows and keeps the memory and the counts.
    pub fn clear(&mut self) {
        self.start.clear();
        self.sub_ray.clear();
        self.distance_m.clear();
        self.cos_incidence.clear();
        self.reflectance.clear();
        self.backscatter.clear();
        self.bounces.clear();
        self.surface.clear();
        self.off_axis.clear();
        self.moving.clear();
        self.detected.clear();
    }

    /// Rows of returns that the sensor of a learned site detected in training: what was too
    /// faint for it is not among its volumes, so their brightness is not judged a second time.
    pub fn detected_in_training(&self) -> &[u32] {
        &self.detected
    }

    /// Follows every sub-ray as far as `distance_max_m`.
    ///
    /// `optics` is indexed by material; a material beyond its end is black. `key` says whose
    /// random numbers the volumes of learned sites draw.
    pub fn trace(
        &mut self,
        beams: &Beams,
        world: &SceneOverTime<'_>,
        optics: &[Optics],
        distance_max_m: f32,
        key: BatchKey,
    ) {
        self.trace_with_halo(beams, world, optics, distance_max_m, key, None);
    }

    /// The same, and what retroreflectors bring in from a halo about the spot.
    pub fn trace_with_halo(
        &mut self,
        beams: &Beams,
        world: &SceneOverTime<'_>,
        optics: &[Optics],
        distance_max_m: f32,
        key: BatchKey,
        blooming: Option<&Blooming>,
    ) {
        self.clear();
        self.start.push(0);
        let scene = world.scene;
        let mut tracing = std::mem::take(&mut self.tracing);
        tracing.query_sites(beams, scene, distance_max_m, key);
        let rays = beams.rays_per_pulse();
        let TracingScratch { tracer, sites, surfaces_within_m, hit_rays, .. } = &mut tracing;
        // Without times all happens at the time 0.
        let times_s = if world.times_s.len() < beams.len() { &[] } else { world.times_s };
        let batch = beams.batch(times_s, surfaces_within_m);
        let mut tracer = match scene.rays.instance_count() {
            0 => None,
            _ => Some(tracer.get_or_insert_default()),
        };
        if let Some(tracer) = &mut tracer {
            scene.rays.trace_pulses(world.movers, &batch, tracer);
        }
        // Where every hit gives one row and nothing else does, rows are columns of the hits.
        let is_still = scene.rays.is_still();
        let continues = optics.iter().any(Optics::continues);
        if scene.sites.is_empty() && blooming.is_none() && is_still && !continues {
            for first in (0..beams.len()).step_by(TOGETHER) {
                let pulses = first..(first + TOGETHER).min(beams.len());
                self.push_hits(tracer.as_deref(), hit_rays, pulses, rays, scene, optics);
            }
            self.tracing = tracing;
            return;
        }
        let no_sites = SitesOnPulse::none(distance_max_m);
        let mut now = world.at(0);
        for pulse in 0..beams.len() {
            if !is_still {
                now = world.at(pulse);
            }
            let sites = sites.get(pulse).unwrap_or(&no_sites);
            for index in 0..rays {
                let hit = tracer.as_ref().and_then(|tracer| tracer.exact_hit(pulse * rays + index));
                let sub_ray = SubRay { pulse, index };
                let before = sites.before(beams, sub_ray, hit.as_ref().map(|hit| &hit.hit), scene);
                if let Some(met) = before {
                    if sites.on_axis == Some(met) {
                        self.detected.push(self.sub_ray.len() as u32);
                    }
                    self.push_volume(index as u16, &met);
                } else if let Some(hit) = hit {
                    self.push_hit(beams, sub_ray, &hit, &now, optics, distance_max_m);
                }
            }
            if let Some((blooming, left)) = blooming.zip(beams.left(pulse)) {
                let (origin, axis) = (beams.origin(pulse), beams.axis(pulse));
                let time_s = world.times_s.get(pulse).copied().unwrap_or(0.0);
                let distance_max_m = sites.surfaces_within_m;
                let shot = BloomingPulse { origin, axis, left, time_s, distance_max_m };
                let mut scratch = std::mem::take(&mut self.blooming);
                let rng = || key.rng(pulse, Stage::Halo);
                blooming.bloom(&shot, &now, optics, rng, &mut scratch, |echo| {
                    self.push_bloomed(&now, echo);
                });
                self.blooming = scratch;
            }
            self.start.push(self.sub_ray.len() as u32);
        }
        self.tracing = tracing;
    }

    /// The rows of `pulses`, of `rays` sub-rays each, where each hit gives one.
    fn push_hits(
        &mut self,
        tracer: Option<&PulseTracer>,
        hit_rays: &mut Vec<u32>,
        pulses: Range<usize>,
        rays: usize,
        scene: &Scene,
        optics: &[Optics],
    ) {
        let first_row = self.sub_ray.len();
        hit_rays.clear();
        let met = tracer.map(PulseTracer::met);
        for pulse in pulses {
            if let Some(met) = met {
                for sub_ray in 0..rays {
                    let ray = pulse * rays + sub_ray;
                    if met.hits(ray) {
                        hit_rays.push(ray as u32);
                        self.sub_ray.push(sub_ray as u16);
                    }
                }
            }
            self.start.push(self.sub_ray.len() as u32);
        }
        let Some(met) = met else { return };
        self.distance_m.extend(hit_rays.iter().map(|ray| met.exactly(*ray).0 as f32));
        self.cos_incidence.extend(hit_rays.iter().map(|ray| met.exactly(*ray).1));
        self.bounces.resize(first_row + hit_rays.len(), 0);
        self.surface.extend(hit_rays.iter().map(|ray| scene.surface_of(met.hit(*ray))));
        let rows = self.surface[first_row..].iter().zip(&self.cos_incidence[first_row..]);
        for (surface, cos_incidence) in rows {
            let here = optics.get(surface.material as usize).unwrap_or(&Optics::BLACK);
            self.reflectance.push(here.reflectance);
            self.backscatter.push(here.backscatter(*cos_incidence));
        }
    }

    fn push_bloomed(&mut self, now: &SceneAt<'_>, echo: &BloomedEcho) {
        self.off_axis.push((self.sub_ray.len() as u32, echo.point));
        self.note_motion(now, echo.instance);
        self.push(InteractionRow {
            sub_ray: HALO,
            distance_m: echo.distance_m as f32,
            cos_incidence: echo.cos_incidence,
            reflectance: 0.0,
            backscatter: echo.backscatter as f32,
            bounces: 0,
            surface: echo.surface,
        });
    }

    /// Takes over the pulses of `others`, whose counts go on here; `change` is given each pulse with
    /// its rows, may change them, and may append rows by [`Interactions::scattered`].
    pub fn copy_pulses(
        &mut self,
        others: &mut Interactions,
        mut change: impl FnMut(&mut Interactions, usize, Range<usize>),
    ) {
        self.clear();
        self.start.push(0);
        self.paths = others.paths;
        std::mem::swap(&mut self.tracing, &mut others.tracing);
        let (mut off_axis, mut moving, mut detected) = (0, 0, 0);
        for pulse in 0..others.pulses() {
            let from = others.rows(pulse);
            let first_row = self.sub_ray.len();
            self.sub_ray.extend_from_slice(&others.sub_ray[from.clone()]);
            self.distance_m.extend_from_slice(&others.distance_m[from.clone()]);
            self.cos_incidence.extend_from_slice(&others.cos_incidence[from.clone()]);
            self.reflectance.extend_from_slice(&others.reflectance[from.clone()]);
            self.backscatter.extend_from_slice(&others.backscatter[from.clone()]);
            self.bounces.extend_from_slice(&others.bounces[from.clone()]);
            self.surface.extend_from_slice(&others.surface[from.clone()]);
            let moved = |row: u32| row + (first_row - from.start) as u32;
            let ours = |row: u32| (row as usize) < from.end;
            while let Some((row, point)) =
                others.off_axis.get(off_axis).filter(|(row, _)| ours(*row))
            {
                self.off_axis.push((moved(*row), *point));
                off_axis += 1;
            }
            while let Some((row, instance)) =
                others.moving.get(moving).filter(|(row, _)| ours(*row))
            {
                self.moving.push((moved(*row), *instance));
                moving += 1;
            }
            while let Some(row) = others.detected.get(detected).filter(|row| ours(**row)) {
                self.detected.push(moved(*row));
                detected += 1;
            }
            let rows = first_row..self.sub_ray.len();
            change(self, pulse, rows);
            self.start.push(self.sub_ray.len() as u32);
        }
    }

    /// Appends a row for light that particles in the air send back along the beam's axis.
    pub fn scattered(&mut self, distance_m: f32, reflectance: f32, backscatter: f32) {
        let surface = Surface::AIR;
        let (sub_ray, cos_incidence, bounces) = (0, 1.0, 0);
        self.push(InteractionRow {
            sub_ray,
            distance_m,
            cos_incidence,
            reflectance,
            backscatter,
            bounces,
            surface,
        });
    }

    fn push_volume(&mut self, sub_ray: u16, met: &VolumeReturn) {
        self.push(InteractionRow {
            sub_ray,
            distance_m: met.distance_m as f32,
            // A volume has no normal; what it sends back was learned.
            cos_incidence: 1.0,
            reflectance: met.intensity.min(1.0),
            backscatter: met.intensity,
            bounces: 0,
            surface: met.surface,
        });
    }

    #[inline]
    fn push_hit(
        &mut self,
        beams: &Beams,
        SubRay { pulse, index: sub_ray }: SubRay,
        &PulseHit { hit, t, cos_incidence, .. }: &PulseHit,
        now: &SceneAt<'_>,
        optics: &[Optics],
        distance_max_m: f32,
    ) {
        let surface = now.scene.surface_of(&hit);
        let here = optics.get(surface.material as usize).unwrap_or(&Optics::BLACK);
        let backscatter = here.backscatter(cos_incidence);
        if !here.continues() || backscatter > 0.0 {
            self.note_motion(now, hit.instance);
            self.push(InteractionRow {
                sub_ray: sub_ray as u16,
                distance_m: t as f32,
                cos_incidence,
                reflectance: here.reflectance,
                backscatter,
                bounces: 0,
                surface,
            });
        }
        if here.continues() {
            let direction = beams.directions(pulse)[sub_ray];
            let origin = beams.sub_ray_origin(pulse, sub_ray);
            let point = now.rays.surface_point(&hit, origin, direction);
            let segment = PathSegment::first(origin, direction);
            let start = PathStart { segment: &segment, point: &point, optics: here };
            self.push_path(start, sub_ray as u16, now, optics, distance_max_m);
        }
    }

    /// The rows of light that goes on from where a sub-ray met something.
    #[cold]
    fn push_path(
        &mut self,
        start: PathStart<'_>,
        sub_ray: u16,
        now: &SceneAt<'_>,
        optics: &[Optics],
        distance_max_m: f32,
    ) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut paths = self.paths;
        trace_path(
            now,
            optics,
            f64::from(distance_max_m),
            start,
            &mut waiting,
            &mut paths,
            |hit| {
                let backscatter =
                    hit.optics.backscatter(hit.cos_incidence) * (hit.share * hit.share) as f32;
                if hit.optics.continues() && backscatter == 0.0 {
                    return;
                }
                self.off_axis.push((self.sub_ray.len() as u32, hit.point));
                self.note_motion(now, hit.instance);
                self.push(InteractionRow {
                    sub_ray,
                    distance_m: hit.travelled_m as f32,
                    cos_incidence: hit.cos_incidence,
                    reflectance: hit.optics.reflectance,
                    backscatter,
                    bounces: hit.bounces,
                    surface: hit.surface,
                });
            },
        );
        (self.waiting, self.paths) = (waiting, paths);
    }

    /// Remembers that the next row is of something that moves, if it is.
    #[inline]
    fn note_motion(&mut self, now: &SceneAt<'_>, instance: InstanceId) {
        if now.scene.rays.moves(instance) {
            self.moving.push((self.sub_ray.len() as u32, instance));
        }
    }

    #[inline]
    fn push(&mut self, met: InteractionRow) {
        self.sub_ray.push(met.sub_ray);
        self.distance_m.push(met.distance_m);
        self.cos_incidence.push(met.cos_incidence);
        self.reflectance.push(met.reflectance);
        self.backscatter.push(met.backscatter);
        self.bounces.push(met.bounces);
        self.surface.push(met.surface);
    }
}

/// Which sub-ray of a batch.
#[derive(Clone, Copy)]
struct SubRay {
    /// Its pulse, by its index in the batch.
    pulse: usize,
    /// Its index in the beam.
    index: usize,
}

/// Memory for tracing batches.
#[derive(Default)]
struct TracingScratch {
    /// Made when something is first traced.
    tracer: Option<PulseTracer>,
    /// What learned sites do to each pulse; none where the scene has no sites.
    sites: Vec<SitesOnPulse>,
    /// How far each pulse goes, or all of them.
    surfaces_within_m: Vec<f32>,
    /// Rays that hit something.
    hit_rays: Vec<u32>,
    /// Scratch of the queries of a site.
    order: TrackOrder,
    asked: Vec<SiteQuery>,
}

impl Clone for TracingScratch {
    /// A copy gets memory of its own when it needs it.
    fn clone(&self) -> Self {
        TracingScratch::default()
    }
}

impl fmt::Debug for TracingScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TracingScratch").finish_non_exhaustive()
    }
}

impl TracingScratch {
    /// Queries the sites that are queried once per pulse.
    fn query_sites(&mut self, beams: &Beams, scene: &Scene, distance_max_m: f32, key: BatchKey) {
        self.sites.clear();
        self.surfaces_within_m.clear();
        if scene.sites.is_empty() {
            self.surfaces_within_m.push(distance_max_m);
            return;
        }
        let none = SitesOnPulse::none(distance_max_m);
        self.sites.extend((0..beams.len()).map(|pulse| {
            let key = PulseKey::new(key.seed, key.sensor, key.first_pulse + pulse as u64);
            SitesOnPulse { key: Some(key), ..none }
        }));
        let order = self.order.set(beams.channels(), beams.len());
        let is_queried_once = |site: &&PlacedSite| site.cone(beams.divergence_rad()).is_none();
        for site in scene.sites.iter().filter(is_queried_once) {
            self.asked.clear();
            self.asked.extend(order.iter().filter_map(|&pulse| {
                let (pulse, sites) = (pulse as usize, &self.sites[pulse as usize]);
                let key = sites.key?;
                let (origin, direction) = site_axis(site, beams, pulse, key);
                let nearer_than_m = match sites.on_axis {
                    Some(met) => met.position_m,
                    None => sites.distance_max_m,
                };
                Some(SiteQuery { origin, direction, nearer_than_m, key, sub_ray: AXIS })
            }));
            site.first_returns(&self.asked, |place, met| {
                let sites = &mut self.sites[order[place] as usize];
                sites.on_axis = Some(met);
                sites.surfaces_within_m = met.position_m as f32;
            });
        }
        self.surfaces_within_m.extend(self.sites.iter().map(|sites| sites.surfaces_within_m));
    }
}

/// What learned sites do to a pulse.
#[derive(Clone, Copy)]
struct SitesOnPulse {
    /// None where the scene has no sites.
    key: Option<PulseKey>,
    /// What those sites return that are queried once per pulse.
    on_axis: Option<VolumeReturn>,
    /// Surfaces farther away are hidden from all sub-rays.
    surfaces_within_m: f32,
    distance_max_m: f64,
}

impl SitesOnPulse {
    /// Nothing, where there are none.
    fn none(max_m: f32) -> SitesOnPulse {
        let distance_max_m = f64::from(max_m);
        SitesOnPulse { key: None, on_axis: None, surfaces_within_m: max_m, distance_max_m }
    }

    /// The volume that a sub-ray meets before the surface at `hit`, if it does.
    #[inline]
    fn before(
        &self,
        beams: &Beams,
        SubRay { pulse, index: sub_ray }: SubRay,
        hit: Option<&RayHit>,
        scene: &Scene,
    ) -> Option<VolumeReturn> {
        let key = self.key?;
        let on_axis = self.on_axis.filter(|_| hit.is_none());
        let mut within_m = match (hit, &on_axis) {
            (Some(hit), _) => f64::from(hit.t),
            (None, Some(met)) => met.position_m,
            (None, None) => self.distance_max_m,
        };
        let mut found = on_axis;
        for site in &scene.sites {
            let Some(cone) = site.cone(beams.divergence_rad()) else { continue };
            let (origin, direction, number) = site_sub_ray(cone, beams, pulse, sub_ray);
            let met = site.first_return(origin, direction, within_m, key, number);
            if let Some(met) = met {
                within_m = met.position_m;
                found = Some(met);
            }
        }
        found
    }
}

/// Origin and direction of the one ray by which a site is queried that is queried once per pulse.
pub fn site_axis(site: &PlacedSite, beams: &Beams, pulse: usize, key: PulseKey) -> (DVec3, DVec3) {
    match site.rays() {
        SiteRays::Sampled => {
            let sub_rays = beams.rays_per_pulse();
            let drawn = key.draws(site.place.number, AXIS).uniform(SUB_RAY_DRAW);
            let sub_ray = (drawn * sub_rays as f64) as usize;
            (beams.sub_ray_origin(pulse, sub_ray), beams.directions(pulse)[sub_ray])
        }
        _ => beams.reported(pulse),
    }
}

/// Origin, direction and number of a sub-ray by which a site is queried by cones.
pub fn site_sub_ray(
    cone: Cone,
    beams: &Beams,
    pulse: usize,
    sub_ray: usize,
) -> (DVec3, DVec3, u32) {
    let origin = beams.sub_ray_origin(pulse, sub_ray);
    let direction = beams.directions(pulse)[sub_ray];
    if !cone.is_shared {
        return (origin, direction, sub_ray as u32);
    }
    let (exit, axis) = (beams.origin(pulse), beams.axis(pulse));
    // About the axis that the sensor reports, by which the site was learned.
    let (from, along) = beams.reported(pulse);
    let origin = from + (origin - exit) * cone.width;
    let direction = (along + (direction - axis) * cone.width).normalize();
    (origin, direction, SHARED)
}

/// Number of the axis among the sub-rays that draw.
pub const AXIS: u32 = u32::MAX;
/// Place of the draw that chooses a sub-ray among those of a site.
const SUB_RAY_DRAW: u64 = 1 << 20;
