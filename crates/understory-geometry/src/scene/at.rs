//! A scene at one moment: rays in, nearest hits out.

use super::RayScene;
use super::dynamic_bvh::DynamicBvh;
use crate::build::blas::Blas;
use crate::build::node8::EMPTY;
use crate::build::tlas::TlasInstance;
use crate::build::triangle_pack::PACK;
use crate::filter::{AcceptAll, Asked, HitFilter, WalkFilter};
use crate::motion::SwayClock;
use crate::traverse::interleaved::SingleRays;
use crate::traverse::slab_pulse::LanePulse;
use crate::traverse::view::{Moving, View};
use crate::traverse::{ANYWHERE, Nearest};
use crate::{InstanceId, MAX_RAYS_PER_PULSE, MeshId, PulseRays, RayHit, SurfacePoint};
use glam::{DVec3, Vec3};

/// A scene at one moment.
#[derive(Clone, Copy)]
pub struct RaySceneAt<'a> {
    scene: &'a RayScene,
    standing: View<'a>,
    anywhere: Option<View<'a>>,
}

impl RayScene {
    /// The scene at a time, without bodies that go anywhere.
    #[inline]
    fn standing(&self, time_s: f64) -> View<'_> {
        let clock = SwayClock::at(time_s, &self.frequencies_hz);
        let moving = Moving::Sway { sways: &self.sways, clock };
        View { tlas: &self.tlas, meshes: &self.meshes, moving, time_s, mark: 0 }
    }

    /// The scene at the time 0 without bodies that go anywhere: all of it where nothing moves.
    pub fn at_rest(&self) -> RaySceneAt<'_> {
        RaySceneAt::new(self, None, 0.0)
    }

    /// Nearest hit of each ray of a pulse at rest, see [`RaySceneAt::trace_pulse`].
    pub fn trace_pulse(&self, pulse: &PulseRays, hits: &mut [Option<RayHit>]) {
        self.at_rest().trace_pulse(pulse, hits);
    }

    /// Nearest hit of one ray at rest.
    pub fn trace_ray(&self, origin: DVec3, direction: Vec3, t_max: f32) -> Option<RayHit> {
        self.at_rest().trace_ray(origin, direction, t_max)
    }

    /// Works out a hit at rest in f64: `origin` and `direction` are those of the ray.
    #[inline]
    pub fn surface_point(&self, hit: &RayHit, origin: DVec3, direction: DVec3) -> SurfacePoint {
        self.at_rest().surface_point(hit, origin, direction)
    }

    /// The scene at a time. `movers` must have been fitted to it by [`RayScene::refit`]; at
    /// times beyond its span bodies may be missed.
    #[inline]
    pub fn at<'a>(&'a self, movers: &'a DynamicBvh, time_s: f64) -> RaySceneAt<'a> {
        RaySceneAt::new(self, Some(movers), time_s)
    }
}

impl<'a> RaySceneAt<'a> {
    #[inline]
    pub(super) fn new(
        scene: &'a RayScene,
        movers: Option<&'a DynamicBvh>,
        time_s: f64,
    ) -> RaySceneAt<'a> {
        let movers = movers.filter(|tree| !scene.movers.is_empty() && tree.is_fitted());
        let anywhere = movers.map(|movers| movers.view(scene, time_s));
        RaySceneAt { scene, standing: scene.standing(time_s), anywhere }
    }

    /// Nearest hit of each ray of a pulse, in `hits[..pulse.directions.len()]`.
    ///
    /// Rays beyond [`MAX_RAYS_PER_PULSE`], or for which `hits` has no place, are not traced.
    #[inline]
    pub fn trace_pulse(&self, pulse: &PulseRays, hits: &mut [Option<RayHit>]) {
        self.trace_lanes(pulse, hits, &mut AcceptAll, |view, lanes, all| {
            self.scene.instructions.trace_pulse(view, lanes, all);
        });
    }

    /// Like [`RaySceneAt::trace_pulse`], with a say in what counts as a hit.
    pub fn trace_pulse_filtered(
        &self,
        pulse: &PulseRays,
        hits: &mut [Option<RayHit>],
        filter: &mut dyn HitFilter,
    ) {
        self.trace_lanes(pulse, hits, &mut Asked(filter), |view, lanes, asked| {
            let renumbered = &mut self.renumbered(&mut *asked.0);
            self.scene.instructions.trace_pulse(view, lanes, &mut Asked(renumbered));
        });
    }

    /// A pulse through what stands, and by `anywhere` through what goes anywhere.
    #[inline(always)]
    fn trace_lanes<F: WalkFilter>(
        &self,
        pulse: &PulseRays,
        hits: &mut [Option<RayHit>],
        filter: &mut F,
        anywhere: impl Fn(&View<'_>, &mut LanePulse, &mut F),
    ) {
        let count = pulse.directions.len().min(MAX_RAYS_PER_PULSE).min(hits.len());
        if count == 0 {
            return;
        }
        let mut lanes = LanePulse::NONE;
        lanes.set(pulse.origin, &pulse.directions[..count], pulse.origin_offsets, pulse.t_max);
        self.scene.instructions.trace_pulse(&self.standing, &mut lanes, filter);
        if let Some(view) = &self.anywhere {
            anywhere(view, &mut lanes, filter);
        }
        for (ray, hit) in hits.iter_mut().enumerate().take(count) {
            *hit = self.hit(&lanes.nearest(ray), pulse.origin);
        }
    }

    /// Nearest hit of one ray.
    pub fn trace_ray(&self, origin: DVec3, direction: Vec3, t_max: f32) -> Option<RayHit> {
        let mut nearest = Nearest::none(t_max);
        let direction = direction.to_array();
        for view in self.views() {
            let set = self.scene.instructions;
            set.trace_ray(view, origin, direction, &mut nearest, &mut AcceptAll);
        }
        self.hit(&nearest, origin)
    }

    /// Like [`RaySceneAt::trace_ray`], with a say in what counts as a hit.
    pub fn trace_ray_filtered(
        &self,
        origin: DVec3,
        direction: Vec3,
        t_max: f32,
        filter: &mut dyn HitFilter,
    ) -> Option<RayHit> {
        let mut nearest = Nearest::none(t_max);
        let direction = direction.to_array();
        let set = self.scene.instructions;
        set.trace_ray(&self.standing, origin, direction, &mut nearest, &mut Asked(&mut *filter));
        if let Some(anywhere) = &self.anywhere {
            let asked = &mut Asked(&mut self.renumbered(filter));
            set.trace_ray(anywhere, origin, direction, &mut nearest, asked);
        }
        self.hit(&nearest, origin)
    }

    /// Nearest hit of each of many single rays, in `hits`; rays for which there is no place in it
    /// are not traced.
    ///
    /// Where the scene is one mesh several rays are on their way at once, so that one uses the time
    /// for which another waits for memory.
    pub fn trace_rays(
        &self,
        origins: &[DVec3],
        directions: &[Vec3],
        t_max: f32,
        hits: &mut [Option<RayHit>],
    ) {
        let rays = origins.iter().zip(directions);
        if !self.is_one_whole_mesh() {
            for (hit, (origin, direction)) in hits.iter_mut().zip(rays) {
                *hit = self.trace_ray(*origin, *direction, t_max);
            }
            return;
        }
        const TOGETHER: usize = 256;
        let mut found = [Nearest::none(t_max); TOGETHER];
        let chunks = origins.chunks(TOGETHER).zip(directions.chunks(TOGETHER));
        for ((origins, directions), hits) in chunks.zip(hits.chunks_mut(TOGETHER)) {
            let rays = SingleRays { origins, directions, t_max };
            let found = &mut found[..hits.len()];
            found.fill(Nearest::none(t_max));
            self.scene.instructions.trace_rays(&self.standing, &rays, found);
            for ((hit, found), origin) in hits.iter_mut().zip(found).zip(origins) {
                *hit = self.hit(found, *origin);
            }
        }
    }

    /// Whether there is one instance alone, of a mesh without holes.
    fn is_one_whole_mesh(&self) -> bool {
        let only = match self.standing.tlas.instances.as_slice() {
            [only] if self.anywhere.is_none() => only,
            _ => return false,
        };
        self.scene.meshes.tree(only.mesh(), 0).cutout.is_none()
    }

    /// A filter that hears of bodies that go anywhere by their numbers behind all others.
    fn renumbered<'f>(&self, filter: &'f mut dyn HitFilter) -> Renumbered<'f> {
        Renumbered { filter, first: self.scene.instances.len() as u32 }
    }

    /// Asks for the memory of an instance that does not go anywhere.
    #[inline(always)]
    pub(super) fn prefetch_instance(&self, place: u32) {
        self.standing.tlas.prefetch_exactly(place, self.scene.instructions);
    }

    /// An instance that does not go anywhere, and the tree of a level of its mesh.
    #[inline(always)]
    pub(super) fn standing_tree(
        &self,
        place: u32,
        level: u32,
    ) -> Option<(&'a TlasInstance, &'a Blas)> {
        let placed = self.standing.tlas.instances.get(place as usize)?;
        Some((placed, self.standing.meshes.tree(placed.mesh(), level)))
    }

    /// What stands, then what goes anywhere.
    pub(super) fn views(&self) -> impl Iterator<Item = &View<'a>> {
        std::iter::once(&self.standing).chain(&self.anywhere)
    }

    #[inline]
    pub(super) fn hit(&self, nearest: &Nearest, origin: DVec3) -> Option<RayHit> {
        if nearest.slot == EMPTY {
            return None;
        }
        let meshes = &self.scene.meshes;
        let place = nearest.placed & !ANYWHERE;
        let (mesh, instance, level) = match &self.anywhere {
            Some(view) if nearest.placed & ANYWHERE != 0 => {
                let placed = view.exactly(place);
                let number = self.scene.instances.len() as u32 + placed.instance().0;
                (placed.mesh(), InstanceId(number), 0)
            }
            _ => {
                let placed = &self.standing.tlas.instances[place as usize];
                let level = meshes.lods.level_seen(placed, origin);
                (placed.mesh(), placed.instance(), level)
            }
        };
        let pack = &meshes.tree(mesh, level).packs[nearest.slot as usize / PACK];
        Some(RayHit {
            t: nearest.t,
            instance,
            triangle: pack.triangle[nearest.slot as usize % PACK],
            slot: nearest.slot,
            placed: nearest.placed,
            level,
        })
    }

    /// Works out a hit in f64: `origin` and `direction` are those of the ray.
    ///
    /// The hit must be one of this scene at this moment.
    #[inline]
    pub fn surface_point(&self, hit: &RayHit, origin: DVec3, direction: DVec3) -> SurfacePoint {
        let view = match &self.anywhere {
            Some(view) if hit.placed & ANYWHERE != 0 => view,
            _ => &self.standing,
        };
        let placed = view.exactly(hit.placed & !ANYWHERE);
        let mesh = self.scene.meshes.tree(placed.mesh(), hit.level);
        let pack = &mesh.packs[hit.slot as usize / PACK];
        let [vertex, edge1, edge2] = pack.vertex_and_edges(hit.slot as usize % PACK);
        let normal = edge1.cross(edge2);
        // N·(M⁻¹ d) = (M⁻ᵀ N)·d: the normal in the world gives both the slope and the angle.
        let mut world_normal = placed.mesh_from_world.transpose() * normal;
        let mut facing = world_normal.dot(direction);
        let origin = placed.exact_local_point(origin);
        let mut t = normal.dot(vertex - origin) / facing;
        if let Some(curve) = &mesh.curve {
            let direction_in_mesh = placed.mesh_from_world * direction;
            let point = origin + direction_in_mesh * t;
            let curved = curve.nearest_along(origin, point, direction_in_mesh, normal);
            if let Some((step, on_curve)) = curved {
                t += step;
                world_normal = placed.mesh_from_world.transpose() * on_curve;
                facing = world_normal.dot(direction);
            }
        }
        SurfacePoint {
            t: if t.is_finite() { t } else { f64::from(hit.t) },
            normal: world_normal * (-facing.signum() / world_normal.length()),
            mesh: MeshId(placed.mesh()),
        }
    }
}

struct Renumbered<'f> {
    filter: &'f mut dyn HitFilter,
    first: u32,
}

impl HitFilter for Renumbered<'_> {
    fn accepts(
        &mut self,
        ray: usize,
        instance: InstanceId,
        triangle: u32,
        t: f32,
        weights: [f32; 2],
    ) -> bool {
        self.filter.accepts(ray, InstanceId(self.first + instance.0), triangle, t, weights)
    }
}
