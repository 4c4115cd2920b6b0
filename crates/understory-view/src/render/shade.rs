//! What one packet of camera rays sees: rays → linear colours.
//!
//! Surfaces are Lambertian and lit by the sun (one shadow ray) and by the sky (one ray into the
//! half sphere before it; where it meets something, that sends on a part of the light, less the nearer it is:
//! ambient obscurance, Zhukov et al. 1998). Vegetation lets a part of the sun through: a thin leaf
//! glows against the light, while a trunk shades its own inside. In mirrors and glass a ray goes on
//! by one of the ways that a lidar's light takes, chosen at random by their shares.

use super::light::SkyLight;
use super::{FARTHEST_M, Lights};
use glam::{DVec3, Vec3};
use rand_philox::{Philox, splitmix64, u32_to_unit_f64};
use understory::pulse::light_path::PathSegment;
use understory::world::scene::surface_optics::Optics;
use understory::world::scene::{Scene, SceneAt};
use understory_base::math;
use understory_geometry::{MAX_RAYS_PER_PULSE, PulseRays, RayHit, RaySceneAt};

/// SemanticKITTI's number for vegetation.
const VEGETATION: u16 = 70;
/// Part of the light that passes through a leaf, by colour: what leaves let through is yellower
/// than what they reflect.
const LEAF_TRANSMISSION: Vec3 = Vec3::new(0.55, 0.6, 0.25);
/// At this distance a surface hides half of the light that it does not send on itself.
const OBSCURANCE_M: f32 = 0.8;

/// Wavelength at which mirrors and glass are drawn.
const GREEN_NM: f64 = 550.0;

/// A scene with what shading needs of it.
pub struct Shader<'a> {
    scene: &'a Scene,
    rays: RaySceneAt<'a>,
    lights: &'a Lights,
    sky: SkyLight,
    sun_direction: Vec3,
    /// Linear colours by the number of the material; slot 0 is unused.
    albedo: Vec<Vec3>,
    /// Likewise, what they do with light.
    optics: Vec<Optics>,
    key: u64,
}

/// Which sample of which pixel.
#[derive(Clone, Copy)]
struct PixelSample {
    pixel: u64,
    sample: u32,
}

/// A ray through a pixel.
#[derive(Clone, Copy, Default)]
pub struct PacketRay {
    /// Where it goes.
    pub direction: Vec3,
    /// The number of its pixel in the picture.
    pub pixel: u64,
    /// The place of its pixel among the colours.
    pub place: usize,
    /// The place of its pixel in its tile, 0 to 15.
    pub in_tile: u8,
}

/// Up to 16 rays of neighbouring pixels.
#[derive(Default)]
pub struct Packet {
    rays: [PacketRay; MAX_RAYS_PER_PULSE],
    count: usize,
}

impl Packet {
    /// Adds a ray; there must be fewer than 16.
    pub fn push(&mut self, ray: PacketRay) {
        self.rays[self.count] = ray;
        self.count += 1;
    }
}

/// What a ray through a pixel met.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    /// The place of its pixel among the colours.
    pixel: usize,
    /// The place of its pixel in its tile.
    in_tile: u8,
    /// Seen from the camera.
    place: Vec3,
    normal: Vec3,
    albedo: Vec3,
    /// How far to step off the surface before looking for light.
    step: f32,
    vegetation: bool,
}

impl Seen {
    /// The same, met by this ray.
    fn of(self, ray: &PacketRay) -> Seen {
        Seen { pixel: ray.place, in_tile: ray.in_tile, ..self }
    }
}

impl<'a> Shader<'a> {
    pub fn new(now: SceneAt<'a>, lights: &'a Lights, seed: u64) -> Shader<'a> {
        let SceneAt { scene, rays } = now;
        let known = scene.materials().iter().map(|material| linear(material.colour));
        Shader {
            scene,
            rays,
            lights,
            sky: lights.sky.under(&lights.sun),
            sun_direction: lights.sun.direction().as_vec3(),
            albedo: std::iter::once(Vec3::splat(0.2)).chain(known).collect(),
            optics: scene.optics(GREEN_NM),
            key: splitmix64(seed ^ 0x7069_6374_7572_6573),
        }
    }

    /// What the rays of a packet from `origin` meet is added to `seen`; the sky and the sun go into
    /// `colours`, by the places of the rays. `sample` is which of the pixels' samples they are.
    pub fn packet(
        &self,
        origin: DVec3,
        packet: &Packet,
        sample: u32,
        seen: &mut Vec<Seen>,
        colours: &mut [Vec3],
    ) {
        let rays = &packet.rays[..packet.count];
        let mut directions = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
        for (direction, ray) in directions.iter_mut().zip(rays) {
            *direction = ray.direction;
        }
        let directions = &directions[..packet.count];
        let mut hits = [None; MAX_RAYS_PER_PULSE];
        let pulse = PulseRays { origin, directions, origin_offsets: &[], t_max: FARTHEST_M };
        self.rays.trace_pulse(&pulse, &mut hits);
        let first = seen.len();
        for (ray, hit) in rays.iter().zip(&hits) {
            match hit {
                Some(hit) if self.continues(hit) => {
                    let of = PixelSample { pixel: ray.pixel, sample };
                    match self.look_beyond(origin, ray.direction, *hit, of) {
                        Ok(beyond) => seen.push(beyond.of(ray)),
                        Err(sky) => colours[ray.place] = sky,
                    }
                }
                Some(hit) => seen.push(self.look(origin, ray.direction, hit).of(ray)),
                None => colours[ray.place] = self.sky.light(ray.direction),
            }
        }
        self.add_sun(origin, &seen[first..], colours);
    }

    fn look(&self, origin: DVec3, direction: Vec3, hit: &RayHit) -> Seen {
        let point = self.rays.surface_point(hit, origin, direction.as_dvec3());
        let material = self.scene.material_of(hit.instance, hit.triangle);
        let object = self.scene.object_of(hit.instance);
        let distance_m = point.t as f32;
        Seen {
            pixel: 0,
            in_tile: 0,
            place: direction * distance_m,
            normal: point.normal.as_vec3(),
            albedo: self.albedo.get(material as usize).copied().unwrap_or_default(),
            step: 5e-4 + 1e-5 * distance_m,
            vegetation: self.scene.label_of(object, material) == VEGETATION,
        }
    }

    fn continues(&self, hit: &RayHit) -> bool {
        let material = self.scene.material_of(hit.instance, hit.triangle);
        self.optics.get(material as usize).is_some_and(Optics::continues)
    }

    /// What is seen in a mirror or through glass, or the light of the sky there.
    fn look_beyond(
        &self,
        camera: DVec3,
        direction: Vec3,
        mut hit: RayHit,
        PixelSample { pixel, sample }: PixelSample,
    ) -> Result<Seen, Vec3> {
        let mut random = Philox::new(
            [self.key as u32, (self.key >> 32) as u32],
            (u128::from(sample) << 96) | (u128::from(pixel) << 32) | (1 << 31),
        );
        let mut segment = PathSegment::first(camera, direction.as_dvec3());
        let mut share = 1.0;
        loop {
            let material = self.scene.material_of(hit.instance, hit.triangle);
            let optics = self.optics.get(material as usize).unwrap_or(&Optics::BLACK);
            let (origin, towards) = (segment.origin, segment.direction);
            let point = self.rays.surface_point(&hit, origin, towards);
            let [mirrored, passed] =
                if optics.continues() { segment.branches(&point, optics) } else { [None, None] };
            let shares = [mirrored, passed].map(|way| way.map_or(0.0, |way| way.share));
            let choice = u32_to_unit_f64(random.next_u32()) * (shares[0] + shares[1]);
            let way = if choice < shares[0] { mirrored } else { passed };
            let Some(way) = way.filter(|way| way.bounces <= self.scene.bounces_max) else {
                let mut seen = self.look(origin, towards.as_vec3(), &hit);
                seen.place = (origin + towards * point.t - camera).as_vec3();
                seen.albedo *= share as f32;
                return Ok(seen);
            };
            share = shares[0] + shares[1];
            // Of the two ways one is taken for both.
            segment = way;
            segment.share = share;
            let beyond = segment.direction.as_vec3();
            match self.rays.trace_ray(segment.start, beyond, FARTHEST_M) {
                Some(next) => hit = next,
                None => return Err(self.sky.light(beyond) * share as f32),
            }
        }
    }

    /// Adds the light of the sky to a block of pixels, through one ray for each.
    ///
    /// Interleaved sampling (Keller and Heidrich 2001): the 16 pixels of a packet look in 16 directions
    /// of one even spread over the sphere, each turned to the side of its surface; those of the block
    /// that look in the same one are traced together, as the parallel rays of the sun are.
    pub fn add_sky(&self, origin: DVec3, seen: &[Seen], sample: u32, colours: &mut [Vec3]) {
        if !self.lights.occlusion {
            for seen in seen {
                let light = self.sky.mean() * (0.75 + 0.25 * seen.normal.z);
                colours[seen.pixel] += seen.albedo * light;
            }
            return;
        }
        let mut random = Philox::new([self.key as u32, (self.key >> 32) as u32], 0);
        let shift = [random.next_u32(), random.next_u32()].map(u32_to_unit_f64);
        for group in 0..MAX_RAYS_PER_PULSE as u32 {
            let [u, v] = spread(sample * MAX_RAYS_PER_PULSE as u32 + group, shift);
            let towards = on_sphere(u, v);
            let here = |seen: &&Seen| u32::from(seen.in_tile) == group;
            for side in [towards, -towards] {
                let facing = |seen: &&Seen| (seen.normal.dot(side) > 0.0) && here(seen);
                let mut together = seen.iter().filter(facing).peekable();
                while together.peek().is_some() {
                    self.add_sky_from(origin, side, &mut together, colours);
                }
            }
        }
    }

    /// The light from one direction for up to 16 of the surfaces that face it.
    fn add_sky_from<'s>(
        &self,
        origin: DVec3,
        towards: Vec3,
        seen: &mut impl Iterator<Item = &'s Seen>,
        colours: &mut [Vec3],
    ) {
        let directions = [towards; MAX_RAYS_PER_PULSE];
        let mut offsets = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
        let mut gains = [(0, Vec3::ZERO); MAX_RAYS_PER_PULSE];
        let mut count = 0;
        for seen in seen.take(MAX_RAYS_PER_PULSE) {
            offsets[count] = seen.place + seen.normal * seen.step;
            // Directions are even over the half sphere: its light · cosθ/π over a density of 1/(2π).
            gains[count] = (seen.pixel, seen.albedo * (2.0 * seen.normal.dot(towards)));
            count += 1;
        }
        let mut hits = [None; MAX_RAYS_PER_PULSE];
        let pulse = PulseRays {
            origin,
            directions: &directions[..count],
            origin_offsets: &offsets[..count],
            t_max: FARTHEST_M,
        };
        self.rays.trace_pulse(&pulse, &mut hits);
        let open_sky = self.sky.light(towards);
        for (hit, (pixel, gain)) in hits.iter().zip(&gains[..count]) {
            let light = match hit {
                None => open_sky,
                Some(hit) => {
                    let material = self.scene.material_of(hit.instance, hit.triangle);
                    let albedo = self.albedo.get(material as usize).copied().unwrap_or_default();
                    let open = hit.t / (hit.t + OBSCURANCE_M);
                    albedo * (self.sky.mean() * 0.9 + self.lights.sun.light() * 0.25) * open
                }
            };
            colours[*pixel] += *gain * light;
        }
    }

    /// Adds the light of the sun where it is not in the way of anything.
    fn add_sun(&self, origin: DVec3, seen: &[Seen], colours: &mut [Vec3]) {
        let light = self.lights.sun.light();
        if light == Vec3::ZERO {
            return;
        }
        let mut offsets = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
        let mut gains = [(0, Vec3::ZERO); MAX_RAYS_PER_PULSE];
        let mut count = 0;
        for seen in seen {
            let facing = seen.normal.dot(self.sun_direction);
            let from_behind = facing < 0.0;
            if from_behind && !seen.vegetation {
                continue;
            }
            let through = if from_behind { LEAF_TRANSMISSION } else { Vec3::ONE };
            offsets[count] = seen.place + seen.normal * seen.step.copysign(facing);
            gains[count] = (seen.pixel, seen.albedo * light * through * facing.abs());
            count += 1;
        }
        if count == 0 {
            return;
        }
        let directions = [self.sun_direction; MAX_RAYS_PER_PULSE];
        let mut hits = [None; MAX_RAYS_PER_PULSE];
        let pulse = PulseRays {
            origin,
            directions: &directions[..count],
            origin_offsets: &offsets[..count],
            t_max: FARTHEST_M,
        };
        self.rays.trace_pulse(&pulse, &mut hits);
        for (hit, (pixel, gain)) in hits.iter().zip(&gains[..count]) {
            if hit.is_none() {
                colours[*pixel] += *gain;
            }
        }
    }
}

/// An even spread over the unit square as one over the sphere.
fn on_sphere(u: f64, v: f64) -> Vec3 {
    let (sin, cos) = math::sin_cos(std::f64::consts::TAU * u);
    let up = 1.0 - 2.0 * v;
    let level = (1.0 - up * up).max(0.0).sqrt();
    DVec3::new(level * cos, level * sin, up).as_vec3()
}

/// Sample number `index` of an even spread over the unit square, moved by `shift`: the additive
/// recurrence of the plastic number (Roberts 2018).
pub fn spread(index: u32, shift: [f64; 2]) -> [f64; 2] {
    const STEP: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
    [0, 1].map(|axis| (shift[axis] + f64::from(index) * STEP[axis]).fract())
}

/// sRGB (IEC 61966-2-1) → linear.
pub fn linear(colour: [u8; 3]) -> Vec3 {
    let channel = |value: u8| {
        let v = f32::from(value) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { math::powf((v + 0.055) / 1.055, 2.4) }
    };
    Vec3::from(colour.map(channel))
}
