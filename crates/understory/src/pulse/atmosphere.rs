//! The air between sensor and surfaces: it takes light, and its particles send some back.
//!
//! What enters: the rows of one pulse as the tracer left them, the place and time of the pulse.
//! What leaves: the same rows with less light, and behind them a row for each echo of the air that
//! outshines them. In clear air none of this runs.
//!
//! Each sub-ray's echo from r keeps e^(−2·∫α) of its light, of the rest of which single drops and
//! flakes hide their shares. Echoes are compared by the power at the receiver, b/r², with b the
//! backscatter that the rows hold:
//!
//! - fog, drops and flakes get a row where they outshine all surfaces of the pulse together, as in
//!   the models of Hahner et al. (2021, 2022) and Kilic et al. (2021), which take the maximum, and
//!   the weakest target that the sensor sees; detectors in waveforms have a threshold of their own
//!   and get fog of any strength;
//! - dust gets one with its own probability (MAVS).
//!
//! A surface whose echo weather has made weaker than the sensor's limit is lost: [`kept`].
//! Where light goes on by mirrors or glass, plumes are met along the beam's first direction.

pub mod dust;
pub mod extinction;
pub mod fog;
pub mod particles;
pub mod plume;
pub mod rain;
pub mod snow;

use std::f64::consts::PI;
use std::ops::Range;
use understory_base::math;

use crate::pulse::beam::{BeamSpec, Beams, Footprint};
use crate::pulse::detector::Detections;
use crate::pulse::interaction::Interactions;
use crate::rng::{BatchKey, PulseRng, Stage};
use dust::DustSpec;
use extinction::WavelengthLaw;
use fog::{FogEcho, FogSpec, OVERLAP_M, overlap};
use particles::{BeamWidth, Particle, ParticleBeam};
use plume::{Crossing, Moment, Plume};
use rain::RainSpec;
use snow::SnowSpec;

/// ρ·cos θ of the target that a sensor just sees at its greatest range (MAVS).
const LIMIT_BACKSCATTER: f64 = 0.9 / PI;

/// Weather, for any sensor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Atmosphere {
    /// Extinction of haze, which sends nothing back, for visible light.
    pub haze_per_m: f64,
    /// How the extinction of haze and fog depends on the wavelength.
    pub wavelength_law: WavelengthLaw,
    /// Whether echoes below the sensor's limit are lost.
    pub range_limit: bool,
    /// Fog everywhere.
    pub fog: Option<FogSpec>,
    /// Rain everywhere.
    pub rain: Option<RainSpec>,
    /// Snow everywhere.
    pub snow: Option<SnowSpec>,
    /// Dust everywhere.
    pub dust: Option<DustSpec>,
    /// Denser volumes.
    pub plumes: Vec<Plume>,
}

/// How a receiver weighs echoes from different distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EchoScale {
    /// As they are, without 1/r², as the windows of Goodin 2018 do. Echoes of the air are then
    /// scaled as if they came from where the surfaces are, and saturate like a white target.
    #[default]
    Target,
    /// By 1/r².
    Power,
}

/// What the air must know of a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Receiver {
    /// Wavelength.
    pub wavelength_nm: f64,
    /// Width of its beam.
    pub width: BeamWidth,
    /// Greatest distance.
    pub range_max_m: f64,
    /// How it weighs echoes.
    pub scale: EchoScale,
}

impl Receiver {
    /// A receiver with this beam.
    pub fn new(
        wavelength_nm: f64,
        beam: &BeamSpec,
        range_max_m: f64,
        scale: EchoScale,
    ) -> Receiver {
        let growth = |divergence_rad: f64| 2.0 * math::tan(divergence_rad / 2.0);
        let width = BeamWidth {
            aperture_m: [beam.aperture_horizontal_m, beam.aperture_vertical_m],
            growth: [growth(beam.divergence_horizontal_rad), growth(beam.divergence_vertical_rad)],
        };
        Receiver { wavelength_nm, width, range_max_m, scale }
    }

    /// Power, as b/r², of the weakest target that it sees.
    fn threshold(&self) -> f64 {
        LIMIT_BACKSCATTER / (self.range_max_m * self.range_max_m)
    }
}

/// Whether an echo is kept that weather has weakened from `clear` to `left` (as backscatter): while
/// left/r² > min(clear, 0.9/π)/r_max².
///
/// For all but dark targets this is the rule of Goodin et al. (2019), ρ·e^(−2αz)/z² >
/// 0.9/(π·z_max²); a dark one is lost where its light is as much weaker than at the sensor's limit
/// in clear air, so that thin haze does not blind a sensor to it.
#[inline]
pub fn kept(clear: f64, left: f64, distance_m: f64, range_max_m: f64) -> bool {
    let distance = distance_m / range_max_m;
    left > clear.min(LIMIT_BACKSCATTER) * distance * distance
}

/// The air in front of one sensor, with everything worked out that does not depend on the pulse.
#[derive(Clone, Debug)]
pub struct Air {
    receiver: Receiver,
    range_limit: bool,
    /// Of all that is everywhere.
    extinction_per_m: f64,
    /// α of the fog, and its echo.
    fog: Option<(f64, FogEcho)>,
    /// Drops and flakes, with the pulse's width in time within which their echoes add up.
    particles: Vec<(ParticleBeam, f64)>,
    /// Standard deviation of ranges per metre.
    range_sigma: f64,
    dust: Option<DustSpec>,
    plumes: Vec<Plume>,
    /// Half of the greatest width and growth of the beam.
    half_aperture_m: f64,
    half_growth: f64,
}

/// Pulses of drops that add up in LISA: none but those at one place.
const DROP_PULSE_S: f64 = 1e-12;

/// Memory that one thread keeps from pulse to pulse.
#[derive(Clone, Debug, Default)]
pub struct AirScratch {
    /// What would be met in clear air.
    clear: Interactions,
    /// Plumes near the beam, and how its axis crosses them.
    moments: Vec<(Moment, Option<Crossing>)>,
    crossings: Vec<(f64, Crossing)>,
    /// One list for each kind of particles.
    drawn: [Vec<Particle>; 2],
}

/// A batch of pulses in the air.
#[derive(Clone, Copy, Debug)]
pub struct BeamsInAir<'a> {
    /// The sub-rays.
    pub beams: &'a Beams,
    /// Their shares of the light.
    pub footprint: &'a Footprint,
    /// When each pulse is fired.
    pub times_s: &'a [f64],
}

/// Fog on the way of a pulse.
struct FogOnWay<'a> {
    extinction_per_m: f64,
    echo: &'a FogEcho,
}

/// Particles drawn for a pulse.
struct ParticlesOnWay<'a> {
    beam: &'a ParticleBeam,
    /// Duration of the pulse.
    pulse_s: f64,
    particles: &'a [Particle],
}

/// One pulse in the air.
#[derive(Clone, Copy, Debug)]
struct PulseInAir<'a> {
    /// The sub-rays.
    beams: &'a Beams,
    /// Their shares of the light.
    footprint: &'a Footprint,
    /// Which pulse of the batch.
    pulse: usize,
    /// When it was fired.
    time_s: f64,
}

/// What the surfaces of a pulse send back.
#[derive(Clone, Copy, Debug, Default)]
struct Surfaces {
    /// Sum of share·b/r².
    power: f64,
    /// Sum of share·b.
    signal: f64,
    /// Share of the light that met something.
    covered: f64,
    /// Nearest and farthest of those.
    near_m: f64,
    far_m: f64,
    /// Share of the light that is left for the air to send back.
    budget: f64,
}

impl Air {
    /// The air of `atmosphere` in front of a sensor; `None` if it is clear.
    pub fn new(atmosphere: &Atmosphere, receiver: Receiver) -> Option<Air> {
        let law = |alpha: f64| match alpha > 0.0 {
            true => {
                let visibility_m = extinction::visibility_m(alpha);
                alpha * atmosphere.wavelength_law.factor(visibility_m, receiver.wavelength_nm)
            }
            false => 0.0,
        };
        let fog = atmosphere.fog.map(|fog| {
            let extinction_per_m = law(fog.extinction_per_m);
            (extinction_per_m, FogEcho::new(&FogSpec { extinction_per_m, ..fog }))
        });
        let everywhere = [
            law(atmosphere.haze_per_m),
            fog.as_ref().map_or(0.0, |fog| fog.0),
            atmosphere.rain.map_or(0.0, |rain| rain.extinction_per_m()),
            atmosphere.dust.map_or(0.0, |dust| dust.extinction_per_m),
        ];
        let extinction_per_m: f64 = everywhere.iter().sum();
        let Receiver { width, range_max_m, .. } = receiver;
        let threshold = receiver.threshold();
        let beam = |law| ParticleBeam::new(law, width, extinction_per_m, range_max_m, threshold);
        let mut particles = Vec::new();
        if let Some(rain) = atmosphere.rain.filter(|rain| rain.drops) {
            particles.push((beam(rain.drop_law()), DROP_PULSE_S));
        }
        if let Some(snow) = atmosphere.snow {
            particles.push((beam(snow.flake_law()), snow.pulse_s));
        }
        let clear = extinction_per_m == 0.0 && particles.is_empty() && atmosphere.plumes.is_empty();
        (!clear).then(|| Air {
            receiver,
            range_limit: atmosphere.range_limit,
            extinction_per_m,
            fog,
            particles,
            range_sigma: atmosphere.rain.map_or(0.0, |rain| rain.range_sigma()),
            dust: atmosphere.dust,
            plumes: atmosphere.plumes.clone(),
            half_aperture_m: math::hypot(width.aperture_m[0], width.aperture_m[1]) / 2.0,
            half_growth: math::hypot(width.growth[0], width.growth[1]) / 2.0,
        })
    }

    /// Takes from everything that was hit what the air on the way takes, and adds what the air itself
    /// sends back.
    pub fn attenuate(
        &self,
        through: &BeamsInAir<'_>,
        key: BatchKey,
        rows: &mut Interactions,
        scratch: &mut AirScratch,
    ) {
        // Rows of one pulse stand together, so those of the air go between them.
        let mut clear = std::mem::take(&mut scratch.clear);
        std::mem::swap(&mut clear, rows);
        rows.copy_pulses(&mut clear, |rows, pulse, met| {
            let BeamsInAir { beams, footprint, times_s } = *through;
            let at = PulseInAir { beams, footprint, pulse, time_s: times_s[pulse] };
            self.pass(rows, met, &at, &mut key.rng(pulse, Stage::Air), scratch);
        });
        scratch.clear = clear;
    }

    /// Takes from the rows `met` of a pulse what the air takes, and appends the air's own.
    fn pass(
        &self,
        rows: &mut Interactions,
        met: Range<usize>,
        at: &PulseInAir<'_>,
        rng: &mut PulseRng,
        scratch: &mut AirScratch,
    ) {
        let origin_m = at.beams.origin(at.pulse);
        let Some(&axis) = at.beams.directions(at.pulse).first() else { return };
        scratch.moments.clear();
        scratch.moments.extend(self.plumes.iter().filter_map(|plume| {
            let (aperture_m, spread) = (self.half_aperture_m, self.half_growth);
            let moment = plume.near(at.time_s, origin_m, axis, aperture_m, spread)?;
            Some((moment, moment.crossing(origin_m, axis)))
        }));
        let even = self.extinction_per_m == 0.0 && self.particles.is_empty();
        if even && scratch.moments.is_empty() {
            return;
        }
        let mut surfaces = extent(rows, met.clone(), at.footprint);
        let end_m = match surfaces.covered > 1.0 - 1e-6 {
            true => surfaces.far_m,
            false => self.receiver.range_max_m,
        };
        for ((beam, _), drawn) in self.particles.iter().zip(&mut scratch.drawn) {
            beam.draw(end_m, rng, drawn);
            snow::take(drawn);
        }
        self.dim(rows, met.clone(), at, scratch, &mut surfaces);
        surfaces.budget = (1.0 - surfaces.signal).max(0.0);
        let surfaces = &mut surfaces;

        scratch.crossings.clear();
        let crossed = scratch.moments.iter();
        let crossed = crossed.filter_map(|&(moment, axis)| Some((moment.reflectance(), axis?)));
        scratch.crossings.extend(crossed);
        let through = |distance_m: f64| -> f64 {
            let depths = scratch.crossings.iter().map(|(_, crossing)| crossing.depth(distance_m));
            math::exp(-2.0 * depths.sum::<f64>())
        };
        if let Some((alpha, fog)) = &self.fog {
            let fog = FogOnWay { extinction_per_m: *alpha, echo: fog };
            self.fog_row(rows, met.clone(), at, surfaces, &fog, &through, rng);
        }
        for ((beam, pulse_s), drawn) in self.particles.iter().zip(&scratch.drawn) {
            let drawn = ParticlesOnWay { beam, pulse_s: *pulse_s, particles: drawn };
            self.particle_row(rows, met.clone(), at, surfaces, &drawn, &through);
        }
        self.dust_row(rows, met, at, surfaces, &scratch.crossings, rng);
    }

    /// Takes from every row what the air on its way takes, and sums up what is left.
    fn dim(
        &self,
        rows: &mut Interactions,
        met: Range<usize>,
        at: &PulseInAir<'_>,
        AirScratch { moments, drawn, .. }: &AirScratch,
        surfaces: &mut Surfaces,
    ) {
        for row in met {
            let distance_m = f64::from(rows.distance_m[row]);
            let clear = f64::from(rows.backscatter[row]);
            let sub_ray = rows.sub_ray[row] as usize;
            let mut exponent = 2.0 * self.extinction_per_m * distance_m;
            if !moments.is_empty() {
                let origin_m = at.beams.sub_ray_origin(at.pulse, sub_ray);
                let direction = at.beams.direction(at.pulse, sub_ray);
                let depths = moments.iter().map(|(moment, axis)| {
                    moment.depth_beside(axis.as_ref(), origin_m, direction, distance_m)
                });
                exponent += 2.0 * depths.sum::<f64>();
            }
            let mut open = 1.0;
            for ((beam, _), drawn) in self.particles.iter().zip(drawn) {
                exponent += beam.rest_depth(distance_m);
                let nearer = drawn.iter().filter(|particle| particle.distance_m < distance_m);
                open *= (1.0 - nearer.map(|particle| particle.share).sum::<f64>()).max(0.0);
            }
            let left = clear * open * math::exp(-exponent);
            let signal = f64::from(at.footprint.weight(sub_ray)) * left;
            surfaces.signal += signal;
            surfaces.power += signal / (distance_m * distance_m).max(1e-6);
            let weak = self.range_limit
                && left < clear
                && !kept(clear, left, distance_m, self.receiver.range_max_m);
            rows.backscatter[row] = if weak { 0.0 } else { left as f32 };
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one step of `pass`, which has them all at hand")]
    fn fog_row(
        &self,
        rows: &mut Interactions,
        met: Range<usize>,
        at: &PulseInAir<'_>,
        surfaces: &mut Surfaces,
        &FogOnWay { extinction_per_m: alpha, echo: fog }: &FogOnWay<'_>,
        through: &dyn Fn(f64) -> f64,
        rng: &mut PulseRng,
    ) {
        let (mut power, distance_m) = fog.unhindered();
        let mut distance_m = distance_m;
        if surfaces.covered > 0.0 && surfaces.near_m < fog.reach_m() {
            power *= (1.0 - surfaces.covered).max(0.0);
            for row in met.filter(|&row| rows.is_direct(row)) {
                let weight = f64::from(at.footprint.weight(rows.sub_ray[row] as usize));
                power += weight * fog.before(f64::from(rows.distance_m[row])).0;
            }
            if surfaces.covered > 1.0 - 1e-6 {
                distance_m = fog.before(surfaces.far_m).1;
            }
        }
        if fog.patchiness() > 0.0 {
            let sigma = fog.patchiness();
            power *= math::exp(sigma * rng.gaussian() - 0.5 * sigma * sigma);
        }
        let others = (self.extinction_per_m - alpha).max(0.0);
        power *= math::exp(-2.0 * others * distance_m) * through(distance_m);
        // Never more than what the fog took on the way.
        let end_m = if surfaces.covered > 0.0 { surfaces.far_m } else { self.receiver.range_max_m };
        power = power.min(-math::exp_m1(-alpha * end_m) / (distance_m * distance_m).max(1e-6));
        let threshold = match self.receiver.scale {
            EchoScale::Power => 0.0,
            EchoScale::Target => self.receiver.threshold(),
        };
        if power > surfaces.power.max(threshold) {
            self.push(rows, at, surfaces, distance_m, power, 1.0);
        }
    }

    fn particle_row(
        &self,
        rows: &mut Interactions,
        met: Range<usize>,
        at: &PulseInAir<'_>,
        surfaces: &mut Surfaces,
        &ParticlesOnWay { beam, pulse_s, particles: drawn }: &ParticlesOnWay<'_>,
        through: &dyn Fn(f64) -> f64,
    ) {
        let Some((index, power)) = snow::strongest(drawn, pulse_s, |p| beam.power(p)) else {
            return;
        };
        let distance_m = drawn[index].distance_m;
        let limit = snow::taken(drawn, beam) / (distance_m * distance_m);
        let lit = lit(rows, met, at.footprint, distance_m);
        let power = power.min(limit) * lit * through(distance_m);
        if power > surfaces.power.max(beam.threshold()) {
            self.push(rows, at, surfaces, distance_m, power, beam.reflectance());
        }
    }

    fn dust_row(
        &self,
        rows: &mut Interactions,
        met: Range<usize>,
        at: &PulseInAir<'_>,
        surfaces: &mut Surfaces,
        crossings: &[(f64, Crossing)],
        rng: &mut PulseRng,
    ) {
        let everywhere = self.dust.filter(|dust| dust.reflectance > 0.0);
        let even = everywhere.map_or(0.0, |dust| dust.extinction_per_m);
        let dusty = |&&(reflectance, _): &&(f64, Crossing)| reflectance > 0.0;
        if even == 0.0 && crossings.iter().filter(dusty).count() == 0 {
            return;
        }
        let depth_at = |distance_m: f64| -> f64 {
            let plumes = crossings.iter().filter(dusty);
            even * distance_m + plumes.map(|(_, crossing)| crossing.depth(distance_m)).sum::<f64>()
        };
        // As far as the axis goes.
        let mut first = met.clone().filter(|&row| rows.sub_ray[row] == 0 && rows.bounces[row] == 0);
        let end_m =
            first.next().map_or(self.receiver.range_max_m, |row| f64::from(rows.distance_m[row]));
        let depth = depth_at(end_m);
        if depth <= 0.0 || rng.uniform() >= dust::return_probability(depth) {
            return;
        }
        let first_depth = dust::first_depth(depth, rng.uniform());
        let found_m = match crossings.is_empty() {
            true => first_depth / even,
            false => where_depth_is(first_depth, depth, end_m, |distance_m| {
                let plumes = crossings.iter().filter(dusty);
                let each = plumes.map(|(_, crossing)| crossing.depth_and_density(distance_m));
                each.fold((even * distance_m, even), |sum, (t, k)| (sum.0 + t, sum.1 + k))
            }),
        };
        let distance_m = found_m.clamp(1e-3, end_m.max(1e-3));
        let reflectance = {
            let plumes = crossings.iter().map(|(rho, crossing)| rho * crossing.depth(end_m));
            let own = everywhere.map_or(0.0, |dust| dust.reflectance) * even * end_m;
            ((own + plumes.sum::<f64>()) / depth).min(1.0)
        };
        let dark = crossings.iter().filter(|(rho, _)| *rho == 0.0);
        let dark: f64 = dark.map(|(_, crossing)| crossing.depth(distance_m)).sum();
        let others = (self.extinction_per_m - even).max(0.0) * distance_m + dark;
        let backscatter = dust::backscatter(reflectance, depth, first_depth);
        let lit = lit(rows, met, at.footprint, distance_m) * overlap(OVERLAP_M, distance_m);
        let power = backscatter * lit * math::exp(-2.0 * others) / (distance_m * distance_m);
        if power > 0.0 {
            self.push(rows, at, surfaces, distance_m, power, reflectance);
        }
    }

    /// Appends an echo of the whole beam as a row of its axis.
    fn push(
        &self,
        rows: &mut Interactions,
        at: &PulseInAir<'_>,
        surfaces: &mut Surfaces,
        distance_m: f64,
        power: f64,
        reflectance: f64,
    ) {
        // Nothing sends back more than what is left of the pulse.
        let square = distance_m * distance_m;
        let power = power.min(surfaces.budget / square.max(1e-6));
        surfaces.budget -= power * square;
        let backscatter = match self.receiver.scale {
            EchoScale::Power => power * square,
            EchoScale::Target if surfaces.power > 0.0 => {
                (power * surfaces.signal / surfaces.power).min(1.0)
            }
            EchoScale::Target => (power * self.receiver.range_max_m.powi(2)).min(1.0),
        };
        let share = f64::from(at.footprint.weight(0));
        rows.scattered(distance_m as f32, reflectance as f32, (backscatter / share) as f32);
    }

    /// Scatters the ranges of a batch as rain does.
    pub fn scatter_ranges(&self, found: &mut Detections, key: BatchKey) {
        if self.range_sigma == 0.0 {
            return;
        }
        for pulse in 0..found.pulses() {
            let rows = found.rows(pulse);
            if rows.is_empty() {
                continue;
            }
            let mut rng = key.rng(pulse, Stage::AirRange);
            for detection in &mut found.detections[rows] {
                let error = self.range_sigma * rng.gaussian();
                detection.range_m = (detection.range_m * (1.0 + error)).max(0.0);
            }
        }
    }
}

/// How near to the place of a first particle the search for it ends.
const PLACE_M: f64 = 1e-4;
/// Steps of the search that follow the density; the rest halve.
const NEWTON_STEPS: usize = 8;

/// Where the optical depth, which grows to `whole` at `end_m`, reaches `wanted`. `at` tells the
/// depth and the density; the latter only makes the search quick.
fn where_depth_is(wanted: f64, whole: f64, end_m: f64, at: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low_m, mut high_m) = (0.0, end_m);
    let mut here_m = end_m * (wanted / whole);
    let mut step = 0;
    while high_m - low_m > PLACE_M {
        let (depth, density) = at(here_m);
        if depth < wanted {
            low_m = here_m
        } else {
            high_m = here_m
        }
        let newton_m = here_m + (wanted - depth) / density;
        // Not so where the density is 0 or jumps.
        let follows = step < NEWTON_STEPS && newton_m > low_m && newton_m < high_m;
        if follows && (newton_m - here_m).abs() < PLACE_M {
            return newton_m;
        }
        here_m = if follows { newton_m } else { (low_m + high_m) / 2.0 };
        step += 1;
    }
    high_m
}

/// How much of the light met something at first, and how near and far.
fn extent(rows: &Interactions, met: Range<usize>, footprint: &Footprint) -> Surfaces {
    let mut surfaces = Surfaces { near_m: f64::INFINITY, ..Surfaces::default() };
    for row in met.filter(|&row| rows.is_direct(row)) {
        let distance_m = f64::from(rows.distance_m[row]);
        surfaces.covered += f64::from(footprint.weight(rows.sub_ray[row] as usize));
        surfaces.near_m = surfaces.near_m.min(distance_m);
        surfaces.far_m = surfaces.far_m.max(distance_m);
    }
    surfaces
}

/// Share of the beam that no surface has stopped before a distance.
fn lit(rows: &Interactions, met: Range<usize>, footprint: &Footprint, distance_m: f64) -> f64 {
    let stopped =
        met.filter(|&row| rows.is_direct(row) && f64::from(rows.distance_m[row]) < distance_m);
    let stopped = stopped.map(|row| f64::from(footprint.weight(rows.sub_ray[row] as usize)));
    (1.0 - stopped.sum::<f64>()).max(0.0)
}

#[cfg(test)]
mod tests;
