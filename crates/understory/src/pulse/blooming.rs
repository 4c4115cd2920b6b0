//! Blooming: retroreflectors in the stray light about a spot.
//!
//! What enters: the axis of a pulse and the retroreflectors of the scene where they are at its time.
//! What leaves: what they bring in from beyond the spot.
//!
//! The light of a pulse is even over its spot, of the solid angle Ω. The optics scatter a little of
//! it beside the spot: in a direction Δθ beyond the spot's edge there is gain·exp(−(Δθ/width)²) of the
//! light that the spot has, solid angle for solid angle. So a retroreflector that stands at Δθ brings
//! in gain·exp(−(Δθ/width)²) of what it would bring in the spot:
//!
//! I = 1/Ω·∫ gain·exp(−(Δθ/width)²)·b dΩ
//!
//! over what of it the sensor sees, b its backscatter. In the spot no reflector brings in more than
//! one that fills it; so of one that is larger, the brightest part as large as Ω counts. All else
//! is too faint in this light.
//!
//! The integral is drawn by at most [`RAYS`] rays of a pulse, aimed at points on the reflectors: these
//! are cut into pieces over which the light changes little, pieces are chosen by how much they would
//! bring in, in even steps, and a ray says whether the point is seen. The mean is the integral,
//! whatever was chosen; the numbers drawn belong to the pulse. Where no reflector is near the spot
//! no ray is spent.

use glam::{DVec3, Vec3};
use understory_base::math;
use understory_geometry::{InstanceId, MAX_RAYS_PER_PULSE, PulseRays};

use crate::pulse::beam::{BeamSpec, Halo, SpotShape};
use crate::rng::PulseRng;
use crate::world::scene::retroreflector::{Placed, ReflectorMesh, Retroreflectors, stretch};
use crate::world::scene::surface_optics::Optics;
use crate::world::scene::{Scene, SceneAt, Surface};

/// Most rays of a pulse.
pub const RAYS: usize = MAX_RAYS_PER_PULSE;
/// The halo ends where it has fallen to this part of its gain.
const LEAST: f64 = 1e-4;
/// Pieces are cut until they are smaller than this part of the halo's width …
const PIECE_WIDTHS: f64 = 0.2;
/// … or there are so many of them.
const PIECES_MAX: usize = 384;
/// The brightest pieces, together so many spots large, have half of the rays.
const BRIGHT_SPOTS: f64 = 2.0;
/// What is seen of one surface within this is one echo.
const TOGETHER_M: f64 = 0.1;

/// The halo of a sensor's beam in a scene with retroreflectors.
#[derive(Clone, Debug)]
pub struct Blooming {
    halo: Halo,
    /// Half of the divergence along h and w.
    edge_rad: [f64; 2],
    rectangular: bool,
    /// Ω.
    spot_sr: f64,
    /// Angle beyond the edge where the halo ends.
    reach_rad: f64,
    found: Retroreflectors,
}

/// One pulse.
#[derive(Clone, Copy, Debug)]
pub struct BloomingPulse {
    /// Where it leaves the sensor.
    pub origin: DVec3,
    /// Unit direction of its axis.
    pub axis: DVec3,
    /// Unit direction of its spot's h.
    pub left: DVec3,
    /// When it is fired.
    pub time_s: f64,
    /// How far its light is followed.
    pub distance_max_m: f32,
}

/// What a retroreflector brings in from the halo.
#[derive(Clone, Copy, Debug)]
pub struct BloomedEcho {
    /// Distance from where the pulse left.
    pub distance_m: f64,
    /// Cosine of the angle of incidence.
    pub cos_incidence: f64,
    /// What comes back; 1: as much as from a white target that faces the beam and fills its spot.
    pub backscatter: f64,
    /// Where its brightest ray met it.
    pub point: DVec3,
    /// What is met.
    pub surface: Surface,
    /// Which instance that is.
    pub instance: InstanceId,
}

/// Memory, kept from pulse to pulse.
#[derive(Clone, Debug, Default)]
pub struct BloomingScratch {
    placed: Vec<(InstanceId, Placed)>,
    waiting: Vec<Piece>,
    pieces: Vec<Piece>,
    seen: Vec<Seen>,
}

/// A point of a reflector that a ray met.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The echo of a beam that is filled by it.
    echo: BloomedEcho,
    /// The halo there, over the light of the spot.
    light: f64,
    /// Solid angle for which it stands.
    solid_sr: f64,
}

impl Seen {
    /// What it brings in for each solid angle.
    fn brightness(&self) -> f64 {
        self.light * self.echo.backscatter
    }
}

/// A part of a retroreflector: a triangle of a facet, or a cluster.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Place in the list of what is near the spot.
    placed: u32,
    /// Its facet, or its cluster.
    number: u32,
    /// Corners from the pulse's origin; none: a cluster.
    corners: Option<[DVec3; 3]>,
    /// How often its facet was cut, and its place among the parts of that, side by side.
    cut: (u32, u64),
    /// The law in it.
    light: f64,
    /// What it may bring in, and then what all up to it may.
    up_to: f64,
}

/// One point at which a ray is aimed.
#[derive(Clone, Copy)]
struct Aim {
    placed: u32,
    triangle: u32,
    /// Solid angle for which it stands.
    solid_sr: f64,
    /// The law there.
    light: f64,
    direction: DVec3,
}

impl Blooming {
    /// The halo `halo` of the beam `spec` in `scene`; none where nothing retroreflects, or the beam
    /// has no spot.
    pub fn new(halo: &Halo, spec: &BeamSpec, scene: &Scene) -> Option<Blooming> {
        let found = scene.retroreflectors();
        let edge_rad = [spec.divergence_horizontal_rad / 2.0, spec.divergence_vertical_rad / 2.0];
        let rectangular = spec.shape == SpotShape::Rectangular;
        let of_square = if rectangular { 4.0 } else { std::f64::consts::PI };
        let spot_sr = of_square * math::tan(edge_rad[0]) * math::tan(edge_rad[1]);
        let reach_rad = halo.width_rad * (-math::ln(LEAST)).sqrt();
        let blooming = Blooming { halo: *halo, edge_rad, rectangular, spot_sr, reach_rad, found };
        Some(blooming).filter(|b| !b.found.is_empty() && b.spot_sr > 0.0)
    }

    /// Gives `found` what the retroreflectors in the halo of a pulse bring in, nearest first.
    pub fn bloom(
        &self,
        pulse: &BloomingPulse,
        now: &SceneAt<'_>,
        optics: &[Optics],
        rng: impl FnOnce() -> PulseRng,
        scratch: &mut BloomingScratch,
        mut found: impl FnMut(&BloomedEcho),
    ) {
        self.find(pulse, now.scene, scratch);
        let Some(total) = scratch.pieces.last().map(|piece| piece.up_to) else { return };
        let none = Aim { placed: 0, triangle: 0, solid_sr: 0.0, light: 0.0, direction: pulse.axis };
        let mut aims = [none; RAYS];
        let count = self.aim(pulse, total, &mut rng(), scratch, &mut aims);
        let aims = &aims[..count];
        let mut directions = [Vec3::ZERO; RAYS];
        for (direction, aim) in directions.iter_mut().zip(aims) {
            *direction = aim.direction.as_vec3();
        }
        let mut hits = [None; RAYS];
        let directions = &directions[..count];
        let rays = PulseRays {
            origin: pulse.origin,
            directions,
            origin_offsets: &[],
            t_max: pulse.distance_max_m,
        };
        now.rays.trace_pulse(&rays, &mut hits);
        scratch.seen.clear();
        for (aim, hit) in aims.iter().zip(&hits) {
            let (instance, _) = scratch.placed[aim.placed as usize];
            let seen =
                |hit: &&_| -> bool { met(hit) == (instance, aim.triangle) && aim.light > 0.0 };
            let Some(hit) = hit.as_ref().filter(seen) else { continue };
            let point = now.rays.surface_point(hit, pulse.origin, aim.direction);
            let surface = now.scene.surface_of(hit);
            let here = optics.get(surface.material as usize).unwrap_or(&Optics::BLACK);
            let cos_incidence = point.normal.dot(aim.direction).abs().min(1.0);
            let whole = f64::from(here.backscatter(cos_incidence));
            let echo = BloomedEcho {
                distance_m: point.t,
                cos_incidence,
                backscatter: whole,
                point: pulse.origin + aim.direction * point.t,
                surface,
                instance,
            };
            scratch.seen.push(Seen { echo, light: aim.light, solid_sr: aim.solid_sr });
        }
        join(&mut scratch.seen, self.spot_sr, &mut found);
    }

    /// Fills the list of pieces near the spot.
    fn find(&self, pulse: &BloomingPulse, scene: &Scene, scratch: &mut BloomingScratch) {
        let BloomingScratch { placed, waiting, pieces, .. } = scratch;
        placed.clear();
        waiting.clear();
        pieces.clear();
        for reflector in self.found.all() {
            let Some(at) = self.found.placed(scene, reflector, pulse.time_s) else { continue };
            let centre = at.centre - pulse.origin;
            if self.most(pulse, centre, at.radius_m) == 0.0 {
                continue;
            }
            let number = placed.len() as u32;
            placed.push((reflector.instance, at));
            let mesh = self.found.mesh(&at);
            let world = &at.world_from_vertices;
            let stretch = stretch(world);
            for (cluster, of) in (0..).zip(&mesh.clusters) {
                let centre = world.transform_point3(of.centre) - pulse.origin;
                let most = self.most(pulse, centre, stretch * of.radius);
                if most == 0.0 {
                    continue;
                }
                if of.facets.len() == 1 {
                    let corners = world_corners(mesh, of.facets.start, at, pulse.origin);
                    let of = of.facets.start as u32;
                    waiting.push(Piece {
                        placed: number,
                        number: of,
                        corners: Some(corners),
                        cut: (0, 0),
                        light: 0.0,
                        up_to: 0.0,
                    });
                } else {
                    let area = stretch * stretch * mesh.facets[of.facets.end - 1].area_to_here;
                    let near_m = (centre.length() - stretch * of.radius).max(0.1 * centre.length());
                    let facing = (world.matrix3 * of.facing).normalize_or_zero();
                    let across = facing.dot(centre).abs() / centre.length();
                    let seen = across * of.facing.length() + 0.1;
                    pieces.push(Piece {
                        placed: number,
                        number: cluster,
                        corners: None,
                        cut: (0, 0),
                        light: most,
                        up_to: most * seen * area / (near_m * near_m).max(1e-12),
                    });
                }
            }
        }
        // Each in its turn, so that all are cut alike where there would be too many.
        let mut next = 0;
        while let Some(&piece) = waiting.get(next) {
            next += 1;
            let Some(corners) = piece.corners else { continue };
            let [a, b, c] = corners;
            let centre = (a + b + c) / 3.0;
            let radius =
                corners.map(|corner| corner.distance(centre)).into_iter().fold(0.0, f64::max);
            let most = self.most(pulse, centre, radius);
            if most == 0.0 {
                continue;
            }
            // Where there is little light a piece may be larger.
            let faint = if most < 0.1 * self.halo.gain { 3.0 } else { 1.0 };
            let wide = radius > faint * PIECE_WIDTHS * self.halo.width_rad * centre.length();
            if wide && waiting.len() - next + pieces.len() < PIECES_MAX {
                let [ab, bc, ca] = [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
                let parts = [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]];
                let (depth, place) = piece.cut;
                for (k, part) in (0..).zip(parts) {
                    let place = place | k << 62u32.saturating_sub(2 * depth);
                    let cut = (depth + 1, place);
                    waiting.push(Piece { corners: Some(part), cut, ..piece });
                }
                continue;
            }
            let distance_m = centre.length().max(1e-6);
            let across = (b - a).cross(c - a);
            // Seen at a grazing angle in its middle it may still be seen better elsewhere.
            let seen = across.dot(centre).abs() / distance_m + 1e-3 * across.length();
            let corners = corners.iter().map(|corner| self.law(pulse, *corner)).sum::<f64>();
            let mean = 0.25 * (corners + self.law(pulse, centre)) + 0.01 * most;
            let weight = mean * 0.5 * seen / (distance_m * distance_m);
            pieces.push(Piece { light: mean, up_to: weight, ..piece });
        }
        self.favour_brightest(pieces);
        // What is side by side is seen or hidden together: even steps then share it out well.
        pieces.sort_unstable_by_key(|piece| (piece.placed, piece.number, piece.cut.1));
        let mut sum = 0.0;
        for piece in pieces {
            sum += piece.up_to;
            piece.up_to = sum;
        }
    }

    /// Lets the brightest pieces, which count most, have half of the rays where they had less.
    fn favour_brightest(&self, pieces: &mut [Piece]) {
        // Clusters come last: of what is in one, much may be turned away.
        let key = |piece: &Piece| if piece.corners.is_some() { piece.light } else { 0.0 };
        pieces.sort_unstable_by(|a, b| key(b).total_cmp(&key(a)));
        let (mut solid_sr, mut bright, mut count) = (0.0, 0.0, 0);
        for piece in pieces.iter().take_while(|piece| key(piece) > 0.0) {
            if solid_sr > BRIGHT_SPOTS * self.spot_sr {
                break;
            }
            solid_sr += piece.up_to / piece.light;
            bright += piece.up_to;
            count += 1;
        }
        let rest: f64 = pieces[count..].iter().map(|piece| piece.up_to).sum();
        if bright > 0.0 && rest > bright {
            pieces[..count].iter_mut().for_each(|piece| piece.up_to *= rest / bright);
        }
    }

    /// Points at which the rays are aimed; their number.
    fn aim(
        &self,
        pulse: &BloomingPulse,
        total: f64,
        rng: &mut PulseRng,
        scratch: &BloomingScratch,
        aims: &mut [Aim; RAYS],
    ) -> usize {
        let first = rng.uniform();
        let (mut piece, mut before) = (0, 0.0);
        for (ray, aim) in aims.iter_mut().enumerate() {
            let wanted = total * (ray as f64 + first) / RAYS as f64;
            while piece + 1 < scratch.pieces.len() && scratch.pieces[piece].up_to < wanted {
                before = scratch.pieces[piece].up_to;
                piece += 1;
            }
            let Piece { placed, number, corners, up_to, .. } = scratch.pieces[piece];
            let chosen = RAYS as f64 * (up_to - before) / total;
            let (_, at) = &scratch.placed[placed as usize];
            let mesh = self.found.mesh(at);
            let [u, v] = [rng.uniform(), rng.uniform()];
            let (facet, corners, chosen) = match corners {
                Some(corners) => (number as usize, corners, chosen),
                None => {
                    let cluster = &mesh.clusters[number as usize].facets;
                    let facets = &mesh.facets[cluster.clone()];
                    let whole = facets.last().map_or(0.0, |facet| facet.area_to_here);
                    let wanted = whole * rng.uniform();
                    let place = facets.partition_point(|facet| facet.area_to_here < wanted);
                    let place = place.min(facets.len() - 1);
                    let below = place.checked_sub(1).map_or(0.0, |i| facets[i].area_to_here);
                    let share = (facets[place].area_to_here - below) / whole;
                    let facet = cluster.start + place;
                    (facet, world_corners(mesh, facet, *at, pulse.origin), chosen * share)
                }
            };
            let [a, b, c] = corners;
            let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
            let point = a + (b - a) * u + (c - a) * v;
            let distance_m = point.length();
            let direction = point / distance_m;
            let seen_m2 = 0.5 * (b - a).cross(c - a).dot(direction).abs();
            let solid_sr = seen_m2 / (distance_m * distance_m) / chosen;
            let triangle = mesh.facets[facet].triangle;
            let light = if solid_sr.is_finite() { self.law(pulse, point) } else { 0.0 };
            *aim = Aim { placed, triangle, solid_sr, light, direction };
            if !direction.is_finite() {
                aim.direction = pulse.axis;
            }
        }
        aims.len()
    }

    /// The light in the direction of a point, over that of the spot; 0 in the spot itself.
    fn law(&self, pulse: &BloomingPulse, from_origin: DVec3) -> f64 {
        let up = pulse.axis.cross(pulse.left);
        let along = from_origin.dot(pulse.axis);
        let (h, w) = (from_origin.dot(pulse.left), from_origin.dot(up));
        let across = math::hypot(h, w);
        let (cos, sin) = if across > 0.0 { (h / across, w / across) } else { (1.0, 0.0) };
        let [edge_h, edge_w] = self.edge_rad;
        let edge = match self.rectangular {
            true => (edge_h / cos.abs()).min(edge_w / sin.abs()),
            false => ((cos / edge_h).powi(2) + (sin / edge_w).powi(2)).sqrt().recip(),
        };
        let beyond = math::atan2(across, along) - edge;
        if beyond < 0.0 { 0.0 } else { self.at(beyond) }
    }

    /// The most light anywhere in a sphere; 0: it is beyond the halo.
    fn most(&self, pulse: &BloomingPulse, centre: DVec3, radius_m: f64) -> f64 {
        let distance_m = centre.length();
        if distance_m <= radius_m {
            return self.halo.gain;
        }
        let along = centre.dot(pulse.axis);
        let across = (centre - along * pulse.axis).length();
        let [edge_h, edge_w] = self.edge_rad;
        let edge = if self.rectangular { math::hypot(edge_h, edge_w) } else { edge_h.max(edge_w) };
        let nearest = math::atan2(across, along) - math::asin(radius_m / distance_m);
        self.at((nearest - edge).max(0.0))
    }

    fn at(&self, beyond_rad: f64) -> f64 {
        if beyond_rad > self.reach_rad {
            return 0.0;
        }
        let widths = beyond_rad / self.halo.width_rad;
        self.halo.gain * math::exp(-widths * widths)
    }
}

fn met(hit: &understory_geometry::RayHit) -> (InstanceId, u32) {
    (hit.instance, hit.triangle)
}

/// Corners of a facet, from the pulse's origin.
fn world_corners(mesh: &ReflectorMesh, facet: usize, at: Placed, origin: DVec3) -> [DVec3; 3] {
    let to_world = |corner| at.world_from_vertices.transform_point3(corner) - origin;
    mesh.facets[facet].corners.map(to_world)
}

/// Joins what is seen of one surface close together to one echo, nearest first: of each, the
/// brightest part that fills the spot counts.
fn join(seen: &mut [Seen], spot_sr: f64, found: &mut impl FnMut(&BloomedEcho)) {
    seen.sort_by(|a, b| a.echo.distance_m.total_cmp(&b.echo.distance_m));
    let mut rest = seen;
    while let Some(first) = rest.first().map(|seen| seen.echo) {
        let together = rest.iter().take_while(|Seen { echo, .. }| {
            let near = echo.distance_m - first.distance_m < TOGETHER_M;
            near && (echo.surface, echo.instance) == (first.surface, first.instance)
        });
        let (group, others) = rest.split_at_mut(together.count());
        rest = others;
        group.sort_by(|a, b| b.brightness().total_cmp(&a.brightness()));
        let mut joined =
            BloomedEcho { backscatter: 0.0, ..group.first().map_or(first, |s| s.echo) };
        let (mut moment, mut left_sr) = (0.0, spot_sr);
        for one in group {
            let part_sr = one.solid_sr.min(left_sr);
            left_sr -= part_sr;
            let brought = one.brightness() * part_sr / spot_sr;
            joined.backscatter += brought;
            moment += brought * one.echo.distance_m;
        }
        if joined.backscatter > 0.0 {
            joined.distance_m = moment / joined.backscatter;
            found(&joined);
        }
    }
}
