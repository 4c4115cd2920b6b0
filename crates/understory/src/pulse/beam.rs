//! The footprint of a pulse: axis → weighted sub-rays.
//!
//! What enters: [`Pulses`] in the sensor's frame and the pose of each. What leaves: [`Beams`], the
//! sub-rays in the world. A sub-ray has a place (s_h, s_v) in the spot, where 1 is the spot's edge:
//!
//! - direction = normalize(axis + s_h·tan(γ_h/2)·h + s_v·tan(γ_v/2)·w),
//! - origin = exit point + s_h·(aperture_h/2)·h + s_v·(aperture_v/2)·w,
//!
//! with h horizontal (across the axis and the sensor's z, to the left) and w = axis × h (up), or
//! with the half extents of the pulse's own spot (`Pulses::spot_half`) in place of tan(γ/2)·h and
//! tan(γ/2)·w. The
//! nine-ray stencils are those of Goodin 2018, §3.2.1: circle and ellipse (±r, 0), (0, ±r),
//! (±r/2, ±r/2) and the centre, rectangle the grid {0, ±r}².

use std::f64::consts::PI;
use understory_base::math;

use glam::{DMat3, DVec3, Vec3};
use understory_geometry::PulseBatch;

use crate::pulse::scan_pattern::{Pulses, ScanPattern};
use crate::world::trajectory::Poses;

pub use understory_files::sensor::{Sampling, SpotShape};

/// What is known of a sensor's beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSpec {
    /// Outline of the spot.
    pub shape: SpotShape,
    /// Full horizontal divergence angle.
    pub divergence_horizontal_rad: f64,
    /// Full vertical divergence angle.
    pub divergence_vertical_rad: f64,
    /// Full width of the beam where it leaves the sensor.
    pub aperture_horizontal_m: f64,
    /// Full height of the beam where it leaves the sensor.
    pub aperture_vertical_m: f64,
    /// How the spot is sampled.
    pub sampling: Sampling,
    /// Number of sub-rays for `Uniform` and `Gaussian`, at least 1.
    pub rays: usize,
}

/// Most sub-rays of one pulse.
pub const MAX_SUB_RAYS: usize = 4096;

/// Stray light about the spot, in which retroreflectors bloom: Δθ beyond the spot's edge there is
/// gain·exp(−(Δθ/width)²) of the light of the spot, solid angle for solid angle. `blooming` finds what
/// is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halo {
    /// At the edge of the spot.
    pub gain: f64,
    /// Angle at which it has fallen to 1/e.
    pub width_rad: f64,
}

/// Where the sub-rays of a beam lie in its spot, worked out once per sensor.
///
/// ```
/// use understory::pulse::beam::{BeamSpec, Footprint, Sampling, SpotShape};
/// let spec = BeamSpec {
///     shape: SpotShape::Circular,
///     divergence_horizontal_rad: 0.003,
///     divergence_vertical_rad: 0.003,
///     aperture_horizontal_m: 0.0,
///     aperture_vertical_m: 0.0,
///     sampling: Sampling::Matched,
///     rays: 9,
/// };
/// assert_eq!(Footprint::new(&spec).rays_per_pulse(), 9);
/// ```
#[derive(Clone, Debug)]
pub struct Footprint {
    sub_rays: Vec<SubRay>,
    /// Full divergence, in the mean of both directions; 0 of nothing but an axis.
    divergence_rad: f64,
    has_aperture: bool,
    /// Whether beams are to know how their spot is turned.
    keeps_left: bool,
}

/// One sub-ray in the frame (axis, h, w) of its beam.
#[derive(Clone, Copy, Debug)]
struct SubRay {
    /// Place in the spot, relative to its half extents along h and w.
    place: [f64; 2],
    /// Unit direction: parts along the axis, h and w.
    direction: DVec3,
    /// Origin from the exit point along h and w, metres.
    offset_m: [f64; 2],
    /// Share of the pulse's light; those of the spot sum to 1.
    weight: f32,
}

impl Footprint {
    /// Places the sub-rays that `spec` asks for. More than [`MAX_SUB_RAYS`] are cut to that number.
    pub fn new(spec: &BeamSpec) -> Footprint {
        let places = places(spec);
        let tan_h = math::tan(spec.divergence_horizontal_rad / 2.0);
        let tan_v = math::tan(spec.divergence_vertical_rad / 2.0);
        let weight = 1.0 / places.len() as f32;
        let sub_ray = |[s_h, s_v]: [f64; 2]| SubRay {
            place: [s_h, s_v],
            direction: DVec3::new(1.0, s_h * tan_h, s_v * tan_v).normalize(),
            offset_m: [
                s_h * spec.aperture_horizontal_m / 2.0,
                s_v * spec.aperture_vertical_m / 2.0,
            ],
            weight,
        };
        let mut sub_rays: Vec<SubRay> = places.into_iter().map(sub_ray).collect();
        // The nearer to the axis, the lower the number: the lowest number of a return stands for
        // it in the ground truth.
        sub_rays.sort_by(|a, b| b.direction.x.total_cmp(&a.direction.x));
        let (h, v) = (spec.divergence_horizontal_rad, spec.divergence_vertical_rad);
        Footprint {
            sub_rays,
            divergence_rad: (0.5 * (h * h + v * v)).sqrt(),
            has_aperture: spec.aperture_horizontal_m != 0.0 || spec.aperture_vertical_m != 0.0,
            keeps_left: false,
        }
    }

    /// Nothing but the axis, for a world in which that is all that counts.
    pub fn axis_only() -> Footprint {
        let (place, direction, offset_m) = ([0.0; 2], DVec3::X, [0.0; 2]);
        let sub_rays = vec![SubRay { place, direction, offset_m, weight: 1.0 }];
        Footprint { sub_rays, divergence_rad: 0.0, has_aperture: false, keeps_left: false }
    }

    /// The same, and beams say how their spot is turned, as a halo needs it.
    pub fn keeping_left(self) -> Footprint {
        Footprint { keeps_left: true, ..self }
    }

    /// Number of sub-rays of each pulse.
    pub fn rays_per_pulse(&self) -> usize {
        self.sub_rays.len()
    }

    /// Full divergence, in the mean of both directions.
    pub fn divergence_rad(&self) -> f64 {
        self.divergence_rad
    }

    /// Share of the pulse's light in sub-ray `sub_ray`; those of the spot sum to 1. What is no
    /// sub-ray of the spot is told as if it were all of the light.
    pub fn weight(&self, sub_ray: usize) -> f32 {
        self.sub_rays.get(sub_ray).map_or(1.0, |sub_ray| sub_ray.weight)
    }

    /// Fills `beams` with the sub-rays of every pulse, fired from the poses `world_from_sensor`.
    pub fn spread(&self, pulses: &Pulses, world_from_sensor: &Poses, beams: &mut Beams) {
        beams.clear();
        beams.rays_per_pulse = self.rays_per_pulse();
        beams.divergence_rad = self.divergence_rad;
        beams.channel.extend_from_slice(&pulses.channel);
        for (pulse, (&axis, &origin_m)) in pulses.direction.iter().zip(&pulses.origin_m).enumerate()
        {
            let (rotation, translation) = world_from_sensor.at(pulse);
            let [axis, h, w] = spot_frame(axis);
            let (axis, h, w) = (rotation * axis, rotation * h, rotation * w);
            let frame = DMat3::from_cols(axis, h, w);
            beams.origin.push(rotation * origin_m + translation);
            beams.axis.push(axis);
            if self.keeps_left {
                beams.left.push(h);
            }
            let own_spot = pulses.spot_half.get(pulse).map(|half| half.map(|v| rotation * v));
            for sub_ray in &self.sub_rays {
                let direction = match own_spot {
                    None => frame * sub_ray.direction,
                    Some([left, up]) => {
                        let [s_h, s_v] = sub_ray.place;
                        (axis + s_h * left + s_v * up).normalize()
                    }
                };
                beams.direction.push(direction);
                beams.direction_f32.push(direction.as_vec3());
                if self.has_aperture {
                    let [along_h, along_w] = sub_ray.offset_m;
                    beams.origin_offset.push((h * along_h + w * along_w).as_vec3());
                }
            }
        }
    }
}

/// The axis of a beam with the horizontal and the vertical direction of its spot.
fn spot_frame(axis: DVec3) -> [DVec3; 3] {
    let level = DVec3::new(-axis.y, axis.x, 0.0);
    // Straight up or down every direction across is horizontal: take the left, as at azimuth 0.
    let h = level.try_normalize().unwrap_or(DVec3::Y);
    [axis, h, axis.cross(h)]
}

/// The sub-rays of a batch of pulses as columns, in the world.
#[derive(Clone, Debug, Default)]
pub struct Beams {
    rays_per_pulse: usize,
    divergence_rad: f64,
    channel: Vec<u16>,
    origin: Vec<DVec3>,
    axis: Vec<DVec3>,
    /// h of each pulse, where that was requested.
    left: Vec<DVec3>,
    /// Origin and axis as the sensor reports them, where that was requested.
    reported: Vec<(DVec3, DVec3)>,
    direction: Vec<DVec3>,
    direction_f32: Vec<Vec3>,
    origin_offset: Vec<Vec3>,
}

impl Beams {
    /// Number of pulses.
    pub fn len(&self) -> usize {
        self.origin.len()
    }

    /// Full divergence of each, in the mean of both directions.
    pub fn divergence_rad(&self) -> f64 {
        self.divergence_rad
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.origin.is_empty()
    }

    /// Removes all beams and keeps the memory.
    pub fn clear(&mut self) {
        self.channel.clear();
        self.origin.clear();
        self.axis.clear();
        self.left.clear();
        self.reported.clear();
        self.direction.clear();
        self.direction_f32.clear();
        self.origin_offset.clear();
    }

    /// Keeps the origin and axis of each pulse in the world as the sensor reports them.
    pub fn set_reported_axes(
        &mut self,
        pattern: &ScanPattern,
        pulses: &Pulses,
        world_from_sensor: &Poses,
    ) {
        self.reported.clear();
        self.reported.extend((0..pulses.len()).map(|pulse| {
            let (rotation, translation) = world_from_sensor.at(pulse);
            let (direction, origin_m) = pattern.reported(pulses, pulse);
            (rotation * origin_m + translation, rotation * direction)
        }));
    }

    /// Origin and axis of a pulse as the sensor reports them, or the true ones.
    pub fn reported(&self, pulse: usize) -> (DVec3, DVec3) {
        self.reported.get(pulse).copied().unwrap_or((self.origin(pulse), self.axis(pulse)))
    }

    /// Number of sub-rays of each pulse.
    pub fn rays_per_pulse(&self) -> usize {
        self.rays_per_pulse
    }

    /// All sub-rays as the tracer takes them, at these times and as far as `t_max`, which has a
    /// value for each pulse or one for all.
    pub fn batch<'a>(&'a self, times_s: &'a [f64], t_max: &'a [f32]) -> PulseBatch<'a> {
        PulseBatch {
            origins: &self.origin,
            rays_per_pulse: self.rays_per_pulse,
            directions: &self.direction_f32,
            exact_directions: &self.direction,
            origin_offsets: &self.origin_offset,
            t_max,
            times_s,
            tracks: &self.channel,
        }
    }

    /// Channel of each pulse.
    pub fn channels(&self) -> &[u16] {
        &self.channel
    }

    /// Where a pulse leaves the sensor.
    pub fn origin(&self, pulse: usize) -> DVec3 {
        self.origin[pulse]
    }

    /// Unit direction of a pulse's axis.
    pub fn axis(&self, pulse: usize) -> DVec3 {
        self.axis[pulse]
    }

    /// Unit direction to the left of a pulse's spot, where the footprint keeps it.
    pub fn left(&self, pulse: usize) -> Option<DVec3> {
        self.left.get(pulse).copied()
    }

    /// Unit direction of a sub-ray; the axis for what is none.
    pub fn direction(&self, pulse: usize, sub_ray: usize) -> DVec3 {
        self.directions(pulse).get(sub_ray).copied().unwrap_or(self.axis[pulse])
    }

    /// Unit directions of the sub-rays of a pulse.
    pub fn directions(&self, pulse: usize) -> &[DVec3] {
        &self.direction[pulse * self.rays_per_pulse..][..self.rays_per_pulse]
    }

    /// The same directions in f32.
    pub fn directions_f32(&self, pulse: usize) -> &[Vec3] {
        &self.direction_f32[pulse * self.rays_per_pulse..][..self.rays_per_pulse]
    }

    /// Where the sub-rays of a pulse leave, from its origin; empty: all from there.
    pub fn origin_offsets(&self, pulse: usize) -> &[Vec3] {
        if self.origin_offset.is_empty() {
            return &[];
        }
        &self.origin_offset[pulse * self.rays_per_pulse..][..self.rays_per_pulse]
    }

    /// Where one sub-ray leaves.
    pub fn sub_ray_origin(&self, pulse: usize, sub_ray: usize) -> DVec3 {
        let offset = self.origin_offsets(pulse).get(sub_ray).copied().unwrap_or(Vec3::ZERO);
        self.origin[pulse] + offset.as_dvec3()
    }
}

/// Places in the spot, relative to its half axes.
fn places(spec: &BeamSpec) -> Vec<[f64; 2]> {
    let rectangular = spec.shape == SpotShape::Rectangular;
    match spec.sampling {
        Sampling::Single => vec![[0.0, 0.0]],
        Sampling::Paper => stencil(rectangular, 2f64.sqrt() / 4.0),
        Sampling::Mavs => stencil(rectangular, 0.7),
        // The grid has 6r²/9 of variance along each axis and a uniform rectangle a²/3; the circle's
        // layout has 3r²/9 and a uniform disc R²/4.
        Sampling::Matched if rectangular => stencil(true, 0.5f64.sqrt()),
        Sampling::Matched => stencil(false, 0.75f64.sqrt()),
        Sampling::Uniform if rectangular => samples(spec.rays, rectangle_place),
        Sampling::Uniform => samples(spec.rays, |area, turn| disc_place(area.sqrt(), turn)),
        // Equal weights at equal steps of probability rather than weighted samples of equal area:
        // no ray is spent on the faint rim, and the number of rays that hit says how much light
        // did. The spot's outline is where exp(−2s²) is 1/e², whatever its shape.
        Sampling::Gaussian => samples(spec.rays, |probability, turn| {
            disc_place((-0.5 * math::ln_1p(-probability)).sqrt(), turn)
        }),
    }
}

/// P2's nine rays, the axis first.
fn stencil(rectangular: bool, r: f64) -> Vec<[f64; 2]> {
    let diagonal = if rectangular { r } else { r / 2.0 };
    let mut places = vec![[0.0, 0.0], [r, 0.0], [-r, 0.0], [0.0, r], [0.0, -r]];
    places.extend([1.0, -1.0].map(|sign| [sign * diagonal, diagonal]));
    places.extend([1.0, -1.0].map(|sign| [sign * diagonal, -diagonal]));
    places
}

/// `count` samples in pairs opposite each other, so that the spot's centroid is the axis for any
/// count, and the axis itself first where the count is odd.
///
/// `place` maps a share of the spot's light from the centre outwards and a share of a half turn,
/// both 0…1, to a place. Shares of light are even steps, those of the turn the golden ratio's
/// sequence: together they leave no gaps (Vogel's spiral, folded).
fn samples(count: usize, place: impl Fn(f64, f64) -> [f64; 2]) -> Vec<[f64; 2]> {
    let count = count.clamp(1, MAX_SUB_RAYS);
    let centre = count % 2;
    let mut places = vec![[0.0, 0.0]; centre];
    for pair in 0..count / 2 {
        let light = (centre + 2 * pair + 1) as f64 / count as f64;
        let turn = (pair as f64 * GOLDEN_RATIO_CONJUGATE + 0.5).fract();
        let [s_h, s_v] = place(light, turn);
        places.extend([[s_h, s_v], [-s_h, -s_v]]);
    }
    places
}

const GOLDEN_RATIO_CONJUGATE: f64 = 0.618_033_988_749_894_9;

fn disc_place(radius: f64, turn: f64) -> [f64; 2] {
    let (sin, cos) = math::sin_cos(PI * turn);
    [radius * cos, radius * sin]
}

/// The right half of the rectangle by columns of equal area; the pairing fills the left half.
fn rectangle_place(area: f64, turn: f64) -> [f64; 2] {
    [area, 2.0 * turn - 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trajectory::{Pose, Trajectory};
    use proptest::prelude::*;

    fn spec(shape: SpotShape, sampling: Sampling, rays: usize) -> BeamSpec {
        BeamSpec {
            shape,
            divergence_horizontal_rad: 0.0129,
            divergence_vertical_rad: 0.0129,
            aperture_horizontal_m: 0.0,
            aperture_vertical_m: 0.0,
            sampling,
            rays,
        }
    }

    /// Mean of s_h, s_v, s_h², s_v² and s_h·s_v.
    fn moments(places: &[[f64; 2]]) -> [f64; 5] {
        let mut sums = [0.0; 5];
        for [h, v] in places {
            for (sum, term) in sums.iter_mut().zip([*h, *v, h * h, v * v, h * v]) {
                *sum += term / places.len() as f64;
            }
        }
        sums
    }

    fn beams(footprint: &Footprint, axis: DVec3, pose: Pose) -> Beams {
        let pulses = Pulses {
            direction: vec![axis],
            origin_m: vec![DVec3::ZERO],
            time_s: vec![0.0],
            ..Pulses::default()
        };
        let mut poses = Poses::default();
        Trajectory::fixed(pose).poses_at(&pulses.time_s, &Pose::IDENTITY, &mut poses);
        let mut beams = Beams::default();
        footprint.spread(&pulses, &poses, &mut beams);
        beams
    }

    /// tan(γ/2) and P2's radius for the LMS-291's 12.9 mrad, worked out by hand.
    #[test]
    fn paper_radius_of_the_lms_291() {
        let footprint = Footprint::new(&spec(SpotShape::Circular, Sampling::Paper, 9));
        let widest = |footprint: &Footprint, part: fn(DVec3) -> f64| {
            let parts = footprint.sub_rays.iter().map(|ray| part(ray.direction / ray.direction.x));
            parts.fold(0.0, f64::max)
        };
        assert!((widest(&footprint, |d| d.y) / 2.280_450_99e-3 - 1.0).abs() < 1e-8);
        for (divergence, tan_half) in
            [(0.0129, 6.450_089_45e-3), (0.0033, 1.650_001_50e-3), (0.0007, 3.500_000_14e-4)]
        {
            let mut spec = spec(SpotShape::Rectangular, Sampling::Mavs, 9);
            spec.divergence_vertical_rad = divergence;
            let up = widest(&Footprint::new(&spec), |d| d.z);
            assert!((up / (0.7 * tan_half) - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn matched_stencils_have_the_second_moments_of_a_uniform_spot() {
        let rectangle = places(&spec(SpotShape::Rectangular, Sampling::Matched, 9));
        let disc = places(&spec(SpotShape::Circular, Sampling::Matched, 9));
        assert!((rectangle[1][0] - std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-12);
        assert!((disc[1][0] - 0.866_025).abs() < 1e-6);
        for (places, variance) in [(rectangle, 1.0 / 3.0), (disc, 0.25)] {
            let found = moments(&places);
            for (found, expected) in found.into_iter().zip([0.0, 0.0, variance, variance, 0.0]) {
                assert!((found - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn stencils_have_nine_distinct_rays_with_the_axis_first() {
        for shape in [SpotShape::Circular, SpotShape::Elliptical, SpotShape::Rectangular] {
            for sampling in [Sampling::Paper, Sampling::Mavs, Sampling::Matched] {
                let places = places(&spec(shape, sampling, 9));
                assert_eq!(places.len(), 9);
                assert_eq!(places[0], [0.0, 0.0]);
                for (i, a) in places.iter().enumerate() {
                    assert!(places[..i].iter().all(|b| a != b));
                }
            }
        }
    }

    /// Moments and the share of light in rings and half planes, against the closed forms.
    #[test]
    fn samples_fill_the_spot_as_its_law_says() {
        let disc = places(&spec(SpotShape::Circular, Sampling::Uniform, 200));
        let rectangle = places(&spec(SpotShape::Rectangular, Sampling::Uniform, 200));
        let gaussian = places(&spec(SpotShape::Circular, Sampling::Gaussian, 200));
        for (places, variance) in [(&disc, 0.25), (&rectangle, 1.0 / 3.0), (&gaussian, 0.25)] {
            let found = moments(places);
            for (found, expected) in found.into_iter().zip([0.0, 0.0, variance, variance, 0.0]) {
                assert!((found - expected).abs() < 0.01, "{found} for {expected}");
            }
        }
        let share = |places: &[[f64; 2]], inside: &dyn Fn(f64, f64) -> bool| {
            places.iter().filter(|[h, v]| inside(*h, *v)).count() as f64 / places.len() as f64
        };
        for radius in [0.3f64, 0.5, 0.8] {
            let ring = |h: f64, v: f64| h.hypot(v) < radius;
            assert!((share(&disc, &ring) - radius * radius).abs() < 0.01);
            let within = 1.0 - (-2.0 * radius * radius).exp();
            assert!((share(&gaussian, &ring) - within).abs() < 0.01);
        }
        // A uniform disc has 19.55 % of its area beyond a chord at half its radius.
        let beyond_chord = (60f64.to_radians() - 0.5 * 0.75f64.sqrt()) / PI;
        for angle in [0.0f64, 0.4, 1.1, 2.0] {
            let beyond = |h: f64, v: f64| h * angle.cos() + v * angle.sin() > 0.5;
            assert!((share(&disc, &beyond) - beyond_chord).abs() < 0.02);
        }
        let quarter = |h: f64, v: f64| h > 0.0 && v > 0.5;
        assert!((share(&rectangle, &quarter) - 0.125).abs() < 0.02);
    }

    #[test]
    fn one_sample_is_the_axis_and_odd_counts_begin_with_it() {
        for sampling in [Sampling::Uniform, Sampling::Gaussian] {
            for rays in [1, 5, 31] {
                let places = places(&spec(SpotShape::Elliptical, sampling, rays));
                assert_eq!((places.len(), places[0]), (rays, [0.0, 0.0]));
            }
        }
        assert_eq!(places(&spec(SpotShape::Circular, Sampling::Uniform, 0)).len(), 1);
    }

    #[test]
    fn horizontal_and_vertical_divergence_lie_where_they_should() {
        let mut spec = spec(SpotShape::Rectangular, Sampling::Mavs, 9);
        spec.divergence_horizontal_rad = 0.02;
        spec.divergence_vertical_rad = 0.0;
        let forward = beams(&Footprint::new(&spec), DVec3::X, Pose::IDENTITY);
        let left = DVec3::new(1.0, 0.7 * 0.01f64.tan(), 0.0).normalize();
        assert!(forward.directions(0).iter().any(|d| d.abs_diff_eq(left, 1e-15)));
        assert!(forward.directions(0).iter().all(|d| d.z == 0.0));
        let rolled = Pose::from_position_and_rpy_deg([0.0; 3], [90.0, 0.0, 0.0]);
        let rolled = beams(&Footprint::new(&spec), DVec3::X, rolled);
        assert!(rolled.directions(0).iter().any(|d| d.z > 0.006));
        assert!(rolled.directions(0).iter().all(|d| d.y.abs() < 1e-15));
    }

    #[test]
    fn a_beam_straight_up_or_down_has_a_whole_spot() {
        let footprint = Footprint::new(&spec(SpotShape::Circular, Sampling::Matched, 9));
        for axis in [DVec3::Z, DVec3::NEG_Z] {
            let beams = beams(&footprint, axis, Pose::IDENTITY);
            let side = 0.866_025_403_8 * 0.00645f64.tan();
            let reach =
                |part: fn(&DVec3) -> f64| beams.directions(0).iter().map(part).fold(0.0, f64::max);
            assert!((reach(|d| d.y) / side - 1.0).abs() < 1e-4);
            assert!((reach(|d| d.x) / side - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn the_aperture_moves_the_origins_with_the_directions() {
        let mut spec = spec(SpotShape::Circular, Sampling::Mavs, 9);
        spec.aperture_horizontal_m = 0.02;
        spec.aperture_vertical_m = 0.01;
        let beams = beams(&Footprint::new(&spec), DVec3::X, Pose::IDENTITY);
        assert!(beams.sub_ray_origin(0, 0).abs_diff_eq(DVec3::ZERO, 1e-12));
        let tan = 0.7 * 0.00645f64.tan();
        for (sub_ray, direction) in beams.directions(0).iter().enumerate() {
            let place = *direction / direction.x / tan;
            let expected = DVec3::new(0.0, 0.007 * place.y, 0.0035 * place.z);
            assert!(beams.sub_ray_origin(0, sub_ray).abs_diff_eq(expected, 1e-9));
        }
    }

    #[test]
    fn sub_rays_are_numbered_outwards_from_the_axis() {
        for sampling in [Sampling::Paper, Sampling::Matched, Sampling::Uniform, Sampling::Gaussian]
        {
            for shape in [SpotShape::Circular, SpotShape::Rectangular] {
                let footprint = Footprint::new(&spec(shape, sampling, 25));
                let away = |ray: &SubRay| ray.direction.angle_between(DVec3::X);
                let angles: Vec<f64> = footprint.sub_rays.iter().map(away).collect();
                assert!(angles.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
            }
        }
    }

    proptest! {
        #[test]
        fn sub_rays_are_unit_vectors_inside_the_spot(
            x in -1.0..1.0f64, y in -1.0..1.0f64, z in -1.0..1.0f64, rays in 1usize..40,
        ) {
            let axis = DVec3::new(x, y, z);
            prop_assume!(axis.length() > 1e-3);
            let axis = axis.normalize();
            let pose = Pose::from_position_and_rpy_deg([1.0, 2.0, 3.0], [x * 90.0, y * 90.0, z * 180.0]);
            let footprint = Footprint::new(&spec(SpotShape::Circular, Sampling::Uniform, rays));
            let beams = beams(&footprint, axis, pose);
            let axis_world = pose.rotation * axis;
            let mut mean = DVec3::ZERO;
            for direction in beams.directions(0) {
                prop_assert!((direction.length() - 1.0).abs() < 1e-14);
                prop_assert!(direction.angle_between(axis_world) <= 0.00645 + 1e-8);
                mean += *direction;
            }
            prop_assert!(mean.normalize().abs_diff_eq(axis_world, 1e-12));
        }
    }
}
