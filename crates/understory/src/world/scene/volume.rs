//! A learned site in the world: rays against Gaussian volumes that stop light by chance.
//!
//! What enters: a [`Site`], where it stands, and a ray with its random numbers. What leaves: the
//! return of the ray, if a volume gave one. Volume j, which the ray passes at the Mahalanobis
//! distance d_j, stops it with the probability 1 − exp(−c_j·k(d_j)), independently of the others
//! (Deschaud 2012, §III; see `understory_learn::site`), so volumes may be asked in any order: the
//! tree is walked roughly nearest first, each volume draws a number that depends on nothing but
//! pulse, sub-ray and volume, and the first along the ray of those that stop it wins. Hard gates
//! order volumes by where the ray enters their cells or comes nearest to them, the soft gate by the
//! latter.
//!
//! The search is in f32 around where the ray enters the site's box, and relative to the point of
//! the ray nearest to each mean, where the numbers are small; range and spread of the winner are
//! worked out in f64.

pub mod draws;

use std::ops::Range;
use understory_base::math;

use glam::{DMat3, DVec3, Vec3};
use half::f16;
use understory_geometry::{BoxTree, BoxVisitor, GeometryError};
use understory_learn::site::{Gate, Site, Volume};
use understory_learn::volume::range_draw;
use understory_learn::volume::{Approach, Gaussian};

use super::Surface;
use crate::world::trajectory::Pose;
use draws::{Draws, PulseKey};

/// Reflectance of volumes of which no intensity is known.
const UNKNOWN_INTENSITY: f32 = 0.5;
/// Number of all sub-rays of a pulse to which a volume does the same.
pub const SHARED: u32 = u32::MAX - 1;
/// Bit of the numbers under which such volumes draw ranges, which sub-rays do not have.
const OF_VOLUME: u32 = 1 << 31;
/// Beams query a site by cones if they are this much wider than those that a site was learned from.
const WIDER: f64 = 2.0;
/// Least intensity of a return: what was learned as a return stays one.
const INTENSITY_MIN: f64 = 1e-4;
/// Least spread of ranges that is left when the learned noise is taken out.
const SIGMA_MIN_M: f64 = 1e-4;
/// Square of the Mahalanobis distance from which the soft gate stops nothing.
const SOFT_CUT_SQUARED: f32 = (Gate::SOFT_CUT * Gate::SOFT_CUT) as f32;
/// How often a range is drawn anew before the inverse of the distribution is taken.
const TRIES: u64 = 16;

/// With which rays a site is queried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SiteRays {
    /// Once along the axis by beams about as wide as those that the site was learned from; wider ones
    /// by sub-rays of the part of their cone that is not in the volumes yet; and by whole cones where
    /// the footprint was taken out of the volumes.
    #[default]
    Auto,
    /// Once per pulse, along the axis that the sensor reports: footprint and encoder steps are
    /// contained in the volumes.
    Nominal,
    /// Once per pulse, along one of the sub-rays by chance (Deschaud 2012, §IV). What a pulse's
    /// width does to ranges is in the volumes already, so this blurs twice.
    Sampled,
    /// Every sub-ray by itself.
    Cone,
}

/// How ranges are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RangeDraw {
    /// Within the volume's interval on the ray.
    #[default]
    Truncated,
    /// From the whole normal law, wherever that leads (but not behind the sensor).
    Literal,
}

/// Where a site stands in the world and how it is queried.
#[derive(Clone, Debug)]
pub struct SitePlace {
    /// Its name.
    pub name: String,
    /// From coordinates around the site's origin to the world.
    pub world_from_site: Pose,
    /// Its object, material and class; the class of a volume that has one comes before it.
    pub surface: Surface,
    /// With which rays it is queried.
    pub rays: SiteRays,
    /// How ranges are drawn.
    pub draw: RangeDraw,
    /// Its number among the sites of the scene, which keeps their random numbers apart.
    pub number: u32,
}

/// A volume as the search needs it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct SearchVolume {
    mean_m: [f32; 3],
    precision: [f32; 6],
    /// Behind hard gates the probability that it stops a ray, else its optical depth.
    stop: f32,
    /// Its number in the file.
    number: u32,
    label: u16,
    level: u8,
    /// Share of stopped rays that bring nothing back, in 255ths.
    swallowed: u8,
}

/// A site that rays can meet.
pub struct PlacedSite {
    /// Where it stands.
    pub place: SitePlace,
    gate: Gate,
    cell_m: f64,
    /// Variance of the ranges that is contained in the volumes and that the sensor adds anew.
    range_variance_m2: f64,
    rays: SiteRays,
    /// Divergence of the beams that are in the volumes; none: wider ones query it as these do.
    training_divergence_rad: Option<f64>,
    site_from_world: DMat3,
    low: DVec3,
    high: DVec3,
    tree: BoxTree,
    volumes: Vec<SearchVolume>,
    intensity: Vec<[f16; 2]>,
    /// By their numbers in the file; none where no colours were learned.
    colours: Vec<[u8; 3]>,
}

/// How the sub-rays of a beam query a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Width of the cone in that of the beam.
    pub width: f64,
    /// Whether a volume does the same to all sub-rays of a pulse that come as near: what it is made of
    /// was seen by narrower beams as one thing.
    pub is_shared: bool,
}

/// A return from a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeReturn {
    /// Where on the ray the volume stands: what is nearer hides it.
    pub position_m: f64,
    /// Range that was drawn.
    pub distance_m: f64,
    /// Intensity that was drawn; 0: the ray ends here and nothing returns.
    pub intensity: f32,
    /// Site, class and volume.
    pub surface: Surface,
}

/// A volume that a ray passes near enough to be stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Its number in the site, from 0.
    pub number: u32,
    /// What orders volumes along the ray.
    pub order_m: f64,
    /// Where the ray comes nearest, how near, and the spread of ranges there.
    pub approach: Approach,
    /// Probability that it stops the ray.
    pub share: f64,
    /// Whether it does.
    pub stops: bool,
}

/// A ray in the site's frame.
struct SiteRay {
    origin: DVec3,
    direction: DVec3,
    /// Where it enters the site's box.
    enter_m: f64,
    leave_m: f64,
}

/// A ray by which a site is queried.
#[derive(Clone, Copy, Debug)]
pub struct SiteQuery {
    /// Where it leaves.
    pub origin: DVec3,
    /// Unit direction.
    pub direction: DVec3,
    /// Volumes that stand farther do not count.
    pub nearer_than_m: f64,
    /// Whose random numbers are drawn.
    pub key: PulseKey,
    /// Number of the sub-ray among those that draw.
    pub sub_ray: u32,
}

impl PlacedSite {
    /// Makes a valid site ready; its surface is not looked at.
    pub fn new(site: &Site, place: SitePlace) -> Result<PlacedSite, GeometryError> {
        let mut numbers: Vec<u32> = Vec::with_capacity(site.volumes.len());
        let mut boxes = Vec::with_capacity(site.volumes.len());
        for (number, volume) in site.volumes.iter().enumerate() {
            let depth = f64::from(volume.depth);
            let [low, high] = match site.gate {
                Gate::Cell { .. } => site.cell(volume),
                Gate::Ellipsoid { .. } | Gate::Soft => {
                    let (half, mean) = (site.half_extent_m(volume), volume.mean_m);
                    let mean = Vec3::from(mean).as_dvec3();
                    [mean - half, mean + half]
                }
            };
            // What never stops a ray need not be asked.
            let met = match site.gate {
                Gate::Soft => depth > Gate::SOFT_LEAST,
                _ => depth > 0.0,
            };
            if met {
                // f32 may have rounded inwards.
                let pad = (low.abs().max(high.abs()) * 2e-6 + 1e-6).as_vec3();
                boxes.push([low.as_vec3() - pad, high.as_vec3() + pad]);
                numbers.push(number as u32);
            }
        }
        let (tree, order) = BoxTree::new(DVec3::ZERO, &boxes)?;
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for [a, b] in &boxes {
            (low, high) = (low.min(*a), high.max(*b));
        }
        drop(boxes);
        let in_order = || {
            let numbers = order.iter().filter_map(|item| numbers.get(*item as usize).copied());
            numbers.filter_map(|number| Some((number, site.volumes.get(number as usize)?)))
        };
        let volumes: Vec<SearchVolume> =
            in_order().map(|(number, v)| SearchVolume::new(v, number, &site.gate)).collect();
        let intensity = in_order().map(|(_, v)| [v.intensity_mean, v.intensity_sigma]).collect();
        let provenance = &site.provenance;
        // Of beams of which nobody knows how wide they were all are as wide.
        let is_auto = place.rays == SiteRays::Auto
            && !provenance.footprint_removed
            && provenance.divergence_rad > 0.0;
        let rays = match place.rays {
            SiteRays::Auto if site.provenance.footprint_removed => SiteRays::Cone,
            SiteRays::Auto => SiteRays::Nominal,
            chosen => chosen,
        };
        Ok(PlacedSite {
            gate: site.gate,
            cell_m: site.cell_m,
            range_variance_m2: site.provenance.sigma_range_m.powi(2),
            rays,
            training_divergence_rad: is_auto.then_some(provenance.divergence_rad),
            site_from_world: place.world_from_site.rotation_matrix().transpose(),
            low: low.as_dvec3(),
            high: high.as_dvec3(),
            place,
            tree,
            volumes,
            intensity,
            colours: site.colours.clone(),
        })
    }

    /// With which rays it is queried: never [`SiteRays::Auto`].
    pub fn rays(&self) -> SiteRays {
        self.rays
    }

    /// Whether it is queried once per pulse rather than by every sub-ray, by beams as wide as those
    /// that it was learned from.
    pub fn is_queried_once(&self) -> bool {
        self.rays != SiteRays::Cone
    }

    /// By which part of its cone a beam of this divergence queries it; `None`: once, along its axis.
    ///
    /// Volumes are as blurred as the beams that they were learned from were wide. What a wider beam
    /// adds is a blur of the difference of both variances: its cone, narrowed to √(1 − (δ₀/δ)²).
    pub fn cone(&self, divergence_rad: f64) -> Option<Cone> {
        if self.rays == SiteRays::Cone {
            return Some(Cone { width: 1.0, is_shared: false });
        }
        let training_rad = self.training_divergence_rad?;
        if divergence_rad <= WIDER * training_rad {
            return None;
        }
        let width = (1.0 - (training_rad / divergence_rad).powi(2)).max(0.0).sqrt();
        Some(Cone { width, is_shared: true })
    }

    /// The colour that was learned for a volume, by its number in records, which counts from 1.
    pub fn colour_of(&self, volume: u32) -> Option<[u8; 3]> {
        let place = (volume as usize).wrapping_sub(1);
        self.colours.get(place).copied().filter(|colour| *colour != [0; 3])
    }

    /// How many volumes it has that may stop a ray.
    pub fn volumes(&self) -> usize {
        self.volumes.len()
    }

    /// Bytes held by the volumes and their tree.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.volumes.as_slice())
            + size_of_val(self.intensity.as_slice())
            + size_of_val(self.colours.as_slice())
            + self.tree.memory_bytes()
    }

    /// The return of a ray that leaves `origin` in the unit direction `direction`, from a volume
    /// that stands nearer than `nearer_than_m`.
    #[inline]
    pub fn first_return(
        &self,
        origin: DVec3,
        direction: DVec3,
        nearer_than_m: f64,
        key: PulseKey,
        sub_ray: u32,
    ) -> Option<VolumeReturn> {
        let ray = self.ray(origin, direction)?;
        if ray.enter_m >= nearer_than_m {
            return None;
        }
        let draws = key.draws(self.place.number, sub_ray);
        let mut search = Search::new(self, &ray, nearer_than_m, draws);
        let end = (ray.leave_m.min(nearer_than_m) - ray.enter_m) as f32;
        let start = ray.origin + ray.direction * ray.enter_m;
        self.tree.walk(start, search.direction, end, &mut search);
        let found = search.winner?;
        // Sub-rays that share what volumes do share no ranges but those of one volume.
        let draws = match sub_ray == SHARED {
            true => key.draws(self.place.number, found.number ^ OF_VOLUME),
            false => draws,
        };
        Some(self.draw(&ray, found, nearer_than_m, draws))
    }

    /// [`PlacedSite::first_return`] of many rays, told by their place in `asked`. They walk
    /// the tree side by side; it is best if neighbours stand together.
    pub fn first_returns(&self, asked: &[SiteQuery], mut tell: impl FnMut(usize, VolumeReturn)) {
        let mut entered = Vec::with_capacity(asked.len());
        let mut searches = Vec::with_capacity(asked.len());
        let mut rays = Vec::with_capacity(asked.len());
        for (place, query) in asked.iter().enumerate() {
            let Some(ray) = self.ray(query.origin, query.direction) else { continue };
            if ray.enter_m >= query.nearer_than_m {
                continue;
            }
            let draws = query.key.draws(self.place.number, query.sub_ray);
            let search = Search::new(self, &ray, query.nearer_than_m, draws);
            let end = (ray.leave_m.min(query.nearer_than_m) - ray.enter_m) as f32;
            let start = ray.origin + ray.direction * ray.enter_m;
            rays.push((start, search.direction, end));
            searches.push(search);
            entered.push((place, ray));
        }
        self.tree.walk_together(&rays, &mut searches);
        for ((place, ray), search) in entered.iter().zip(&searches) {
            if let Some(found) = search.winner {
                let nearer_than_m = asked[*place].nearer_than_m;
                tell(*place, self.draw(ray, found, nearer_than_m, search.draws));
            }
        }
    }

    /// All volumes that a ray may be stopped by, the first along it first.
    pub fn meetings(
        &self,
        origin: DVec3,
        direction: DVec3,
        nearer_than_m: f64,
        key: PulseKey,
        sub_ray: u32,
    ) -> Vec<Meeting> {
        let Some(ray) = self.ray(origin, direction) else { return Vec::new() };
        let draws = key.draws(self.place.number, sub_ray);
        let search = Search::new(self, &ray, nearer_than_m, draws);
        let mut met = Vec::new();
        let end = (ray.leave_m.min(nearer_than_m) - ray.enter_m) as f32;
        let start = ray.origin + ray.direction * ray.enter_m;
        self.tree.walk(start, search.direction, end, &mut |items: Range<usize>, t: f32| {
            for volume in self.volumes.get(items).unwrap_or(&[]) {
                if let Some(near) = search.near(volume, 0.0) {
                    let approach = volume.gaussian().approach(ray.origin, ray.direction);
                    met.push(Meeting {
                        number: volume.number,
                        order_m: f64::from(near.order_m) + ray.enter_m,
                        approach,
                        share: f64::from(near.share),
                        stops: draws.of_volume(volume.number) < near.share,
                    });
                }
            }
            t
        });
        let order = |m: &Meeting| m.order_m;
        met.sort_by(|a, b| order(a).total_cmp(&order(b)).then(a.number.cmp(&b.number)));
        met
    }

    /// The ray in the site's frame; `None` where it passes the site.
    #[inline]
    fn ray(&self, origin: DVec3, direction: DVec3) -> Option<SiteRay> {
        let origin = self.site_from_world * (origin - self.place.world_from_site.translation);
        let direction = self.site_from_world * direction;
        let (enter_m, leave_m) = slabs([self.low, self.high], origin, direction);
        // A direction that is none has no way through.
        let valid = direction.length_squared() > 0.25;
        (valid && enter_m <= leave_m).then_some(SiteRay { origin, direction, enter_m, leave_m })
    }

    /// Range and intensity of the winner.
    fn draw(&self, ray: &SiteRay, found: Found, nearer_than_m: f64, draws: Draws) -> VolumeReturn {
        let volume = &self.volumes[found.item];
        let approach = volume.gaussian().approach(ray.origin, ray.direction);
        let (mean_m, sigma_t) = (approach.range_m, approach.sigma_m);
        let sigma_m = (sigma_t.powi(2) - self.range_variance_m2).max(0.0).sqrt().max(SIGMA_MIN_M);
        let range_m = |draws: Draws| mean_m + sigma_m * draws.normal(0);
        let position_m;
        let distance_m = match (self.place.draw, self.gate) {
            (RangeDraw::Literal, gate) => {
                position_m = match gate {
                    Gate::Cell { .. } => {
                        let (low, high) = self.cell_interval(volume, ray);
                        mean_m.min(high).max(low)
                    }
                    _ => mean_m,
                };
                range_m(draws).max(0.0)
            }
            (RangeDraw::Truncated, gate) => {
                let interval = match gate {
                    Gate::Cell { .. } => {
                        let (low, high) = self.cell_interval(volume, ray);
                        position_m = mean_m.min(high).max(low);
                        let margin_m = 2.0 * self.range_variance_m2.sqrt();
                        (low - margin_m, high + margin_m)
                    }
                    Gate::Ellipsoid { tau } => {
                        position_m = mean_m;
                        let left = f64::from(tau).powi(2) - approach.distance.powi(2);
                        let half_m = sigma_t * left.max(0.0).sqrt();
                        (mean_m - half_m, mean_m + half_m)
                    }
                    Gate::Soft => {
                        position_m = mean_m;
                        (f64::NEG_INFINITY, f64::INFINITY)
                    }
                };
                let interval = (interval.0.max(0.0), interval.1.min(nearer_than_m));
                truncated(mean_m, sigma_m, interval, draws)
            }
        };
        let [mean, sigma] = self.intensity[found.item];
        let swallowed =
            volume.swallowed > 0 && draws.uniform(TRIES + 2) < f64::from(volume.swallowed) / 255.0;
        let intensity = match (swallowed, mean.is_nan()) {
            (true, _) => 0.0,
            (false, true) => UNKNOWN_INTENSITY,
            (false, false) => {
                let drawn = mean.to_f64() + sigma.to_f64() * draws.normal(TRIES + 1);
                drawn.max(INTENSITY_MIN) as f32
            }
        };
        let own = volume.label;
        let label = if own == 0 { self.place.surface.label } else { own };
        let surface = Surface { label, volume: volume.number + 1, ..self.place.surface };
        VolumeReturn { position_m, distance_m, intensity, surface }
    }

    /// Where a ray enters and leaves the cell of a volume.
    fn cell_interval(&self, volume: &SearchVolume, ray: &SiteRay) -> (f64, f64) {
        slabs(volume.cell(self.cell_m), ray.origin, ray.direction)
    }
}

/// Where a ray enters a box, not before its own beginning, and where it leaves it.
#[inline]
fn slabs([low, high]: [DVec3; 2], origin: DVec3, direction: DVec3) -> (f64, f64) {
    // Never infinite, so that no face gives zero times infinity.
    let reciprocal = direction.recip().clamp(DVec3::splat(-1e200), DVec3::splat(1e200));
    let (one, other) = ((low - origin) * reciprocal, (high - origin) * reciprocal);
    (one.min(other).max_element().max(0.0), one.max(other).min_element())
}

/// From the normal law within an interval: by drawing anew what falls outside, and by the inverse
/// of the distribution where that goes on for long; both give the same law.
fn truncated(mean_m: f64, sigma_m: f64, interval: (f64, f64), draws: Draws) -> f64 {
    for attempt in 0..TRIES {
        let drawn = mean_m + sigma_m * draws.normal(attempt);
        if interval.0 <= drawn && drawn <= interval.1 {
            return drawn;
        }
    }
    range_draw::truncated(mean_m, sigma_m, interval, draws.uniform(TRIES))
}

impl SearchVolume {
    fn new(volume: &Volume, number: u32, gate: &Gate) -> SearchVolume {
        let stop = match gate {
            Gate::Soft => volume.depth,
            _ => -math::exp_m1(-f64::from(volume.depth)) as f32,
        };
        SearchVolume {
            mean_m: volume.mean_m,
            precision: volume.precision,
            stop,
            number,
            label: volume.label,
            level: volume.level,
            swallowed: volume.swallowed,
        }
    }

    fn gaussian(&self) -> Gaussian {
        let [xx, yy, zz, xy, xz, yz] = self.precision.map(f64::from);
        let precision = DMat3::from_cols(
            DVec3::new(xx, xy, xz),
            DVec3::new(xy, yy, yz),
            DVec3::new(xz, yz, zz),
        );
        Gaussian { mean: Vec3::from(self.mean_m).as_dvec3(), precision }
    }

    /// As `Site::cell` has it.
    #[inline]
    fn cell(&self, cell_m: f64) -> [DVec3; 2] {
        let edge = cell_m / f64::from(1u32 << self.level.min(31));
        let low = (Vec3::from(self.mean_m).as_dvec3() / edge).floor() * edge;
        [low, low + DVec3::splat(edge)]
    }
}

/// The nearest volume so far that stops the ray.
#[derive(Clone, Copy, Debug)]
struct Found {
    item: usize,
    order_m: f32,
    number: u32,
}

/// How a ray passes a volume, in ranges from where it enters the site's box.
struct Near {
    order_m: f32,
    share: f32,
}

/// A walk through the tree.
struct Search<'a> {
    site: &'a PlacedSite,
    origin: Vec3,
    direction: Vec3,
    reciprocal: Vec3,
    /// Square of the Mahalanobis distance from which volumes are not met.
    gate2: f32,
    /// Where the sensor is, and what volumes must stand before.
    from_m: f32,
    before_m: f32,
    draws: Draws,
    winner: Option<Found>,
}

impl<'a> Search<'a> {
    #[inline]
    fn new(site: &'a PlacedSite, ray: &SiteRay, before_m: f64, draws: Draws) -> Search<'a> {
        let direction = ray.direction.as_vec3();
        Search {
            site,
            origin: (ray.origin + ray.direction * ray.enter_m).as_vec3(),
            direction,
            // Never infinite, so that no face gives zero times infinity.
            reciprocal: direction.recip().clamp(Vec3::splat(-1e30), Vec3::splat(1e30)),
            gate2: match site.gate {
                Gate::Cell { tau } | Gate::Ellipsoid { tau } => tau * tau,
                Gate::Soft => SOFT_CUT_SQUARED,
            },
            from_m: -ray.enter_m as f32,
            before_m: (before_m - ray.enter_m) as f32,
            draws,
            winner: None,
        }
    }

    /// How the ray passes `volume`; `None` where it cannot be stopped by it, or not with a
    /// probability above `uniform`.
    #[inline(always)]
    fn near(&self, volume: &SearchVolume, uniform: f32) -> Option<Near> {
        let r = self.direction;
        let [xx, yy, zz, xy, xz, yz] = volume.precision;
        let times = |v: Vec3| {
            Vec3::new(
                xx * v.x + xy * v.y + xz * v.z,
                xy * v.x + yy * v.y + yz * v.z,
                xz * v.x + yz * v.y + zz * v.z,
            )
        };
        let to_mean = Vec3::from(volume.mean_m) - self.origin;
        let beside_m = to_mean.dot(r);
        // From the point of the ray beside the mean: small, so that nothing large is subtracted.
        let off = to_mean - r * beside_m;
        let along = times(r);
        let a = along.dot(r);
        let b = along.dot(off);
        // The square of the distance times a, so that most volumes are passed without dividing.
        let distance2_a = off.dot(times(off)) * a - b * b;
        if distance2_a >= self.gate2 * a {
            return None;
        }
        let on_m = b / a;
        let nearest_m = beside_m + on_m;
        let (position_m, order_m, share) = match self.site.gate {
            Gate::Ellipsoid { .. } => (nearest_m, nearest_m, volume.stop),
            Gate::Soft => {
                let half = 0.5 * (distance2_a / a).max(0.0);
                // exp(−h) is below 1/(1 + h + h²/2 + h³/6), and so is the share over the depth.
                let grown = 1.0 + half * (1.0 + half * (0.5 + half * (1.0 / 6.0)));
                if uniform * grown >= volume.stop {
                    return None;
                }
                let depth = volume.stop * math::exp(-half);
                if depth <= Gate::SOFT_LEAST as f32 {
                    return None;
                }
                (nearest_m, nearest_m, 1.0 - math::exp(-depth))
            }
            Gate::Cell { .. } => {
                let [low, high] = volume.cell(self.site.cell_m).map(|corner| corner.as_vec3());
                let one = (low - self.origin) * self.reciprocal;
                let other = (high - self.origin) * self.reciprocal;
                let enter_m = one.min(other).max_element().max(self.from_m);
                let leave_m = one.max(other).min_element();
                if enter_m >= leave_m {
                    return None;
                }
                (nearest_m.max(enter_m).min(leave_m), enter_m, volume.stop)
            }
        };
        let there = position_m >= self.from_m && position_m < self.before_m;
        there.then_some(Near { order_m, share })
    }
}

impl BoxVisitor for Search<'_> {
    #[inline(always)]
    fn memory_of(&self, items: Range<usize>) -> (*const u8, usize) {
        let first = self.site.volumes.as_ptr().wrapping_add(items.start);
        (first.cast(), items.len() * size_of::<SearchVolume>())
    }

    #[inline(always)]
    fn visit(&mut self, items: Range<usize>, mut t_max: f32) -> f32 {
        for item in items {
            let Some(volume) = self.site.volumes.get(item) else { continue };
            let uniform = self.draws.of_volume(volume.number);
            // The depth of a soft volume is above the share that it stops.
            if uniform >= volume.stop {
                continue;
            }
            let Some(near) = self.near(volume, uniform) else { continue };
            let sooner = self
                .winner
                .is_none_or(|best| (near.order_m, volume.number) < (best.order_m, best.number));
            if sooner && uniform < near.share {
                self.winner = Some(Found { item, order_m: near.order_m, number: volume.number });
                t_max = t_max.min(near.order_m);
            }
        }
        t_max
    }
}

#[cfg(test)]
mod tests;
