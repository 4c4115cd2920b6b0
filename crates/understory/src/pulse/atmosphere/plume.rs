//! Volumes of denser air: boxes, ellipsoids, and puffs that are born, drift, grow and fade.
//!
//! What enters: a straight way and the time of the pulse. What leaves: [`Crossing`], from which the
//! optical depth up to any distance follows in closed form. Of a box and an ellipsoid it is
//! k·(length inside); of a Gaussian puff k·e^(−d²/2σ²)·σ√(π/2)·[erf((r−s)/σ√2) − erf(−s/σ√2)] with
//! d the distance at which the way passes its middle and s where it does.
//!
//! A puff of age a is at birth place + drift·a, its σ is σ0 + growth·a, and its k is
//! k0·(σ0/σ)³·e^(−a/decay): spreading thins it and keeps the sum of its particles' cross-sections,
//! settling takes some of them.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, FRAC_PI_2};
use understory_base::math;

use glam::{DQuat, DVec3};

use super::dust::ball_depth;

/// A volume of air with particles in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plume {
    /// Extinction coefficient k inside; of a puff at its birth and in its middle.
    pub extinction_per_m: f64,
    /// Reflectance of the particles; 0: they only take light.
    pub reflectance: f64,
    /// Where it is.
    pub form: PlumeForm,
}

/// Shape and place of a plume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlumeForm {
    /// A box.
    Box(Placed),
    /// An ellipsoid.
    Ellipsoid(Placed),
    /// A moving puff.
    Puff(Puff),
}

/// A box, or the box around an ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Its middle.
    pub centre_m: DVec3,
    /// How it is turned.
    pub rotation: DQuat,
    /// Half its lengths.
    pub half_m: DVec3,
}

/// How a puff thins out from its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Like a Gaussian with σ as its radius.
    #[default]
    Gaussian,
    /// As in MAVS: all of its particles at the point where the beam passes its middle, their number
    /// falling in a straight line from the middle to the radius.
    Mavs,
}

/// A puff of dust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Puff {
    /// When it is born; before, it is not there.
    pub birth_s: f64,
    /// Where.
    pub birth_m: DVec3,
    /// How it moves.
    pub drift_m_per_s: DVec3,
    /// σ at birth.
    pub radius_m: f64,
    /// How σ grows.
    pub growth_m_per_s: f64,
    /// Time in which settling leaves 1/e; infinite: none settles.
    pub decay_s: f64,
    /// How it thins out.
    pub profile: Profile,
}

/// How many σ a Gaussian puff reaches: beyond, less than 4·10⁻⁶ of its middle is left.
const REACH: f64 = 5.0;

/// Up to here e^x is 1 + x + x²/2 + x³/6 + x⁴/24 to 10⁻⁷.
const BESIDE: f64 = 0.1;

/// Puffs thinner than this in the middle are gone.
const GONE_DEPTH: f64 = 1e-4;

/// A plume as it is at the moment of a pulse.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    reflectance: f64,
    extinction_per_m: f64,
    centre_m: DVec3,
    body: Body,
}

#[derive(Clone, Copy, Debug)]
enum Body {
    Box(DQuat, DVec3),
    Ellipsoid(DQuat, DVec3),
    Gaussian(f64),
    Ball(f64),
}

impl Plume {
    /// The plume at a time, if a beam can meet it then that widens by `spread` per metre to each
    /// side of its axis. Most plumes are far from most beams: no density is worked out for those.
    #[inline]
    pub fn near(
        &self,
        time_s: f64,
        origin_m: DVec3,
        axis: DVec3,
        aperture_m: f64,
        spread: f64,
    ) -> Option<Moment> {
        let (centre_m, bound_m) = self.ball(time_s);
        let to_centre = centre_m - origin_m;
        let along_m = to_centre.dot(axis);
        let reach_m = bound_m + aperture_m + spread * along_m.abs();
        let away_2 = to_centre.length_squared() - along_m * along_m;
        let met = along_m > -bound_m && away_2 < reach_m * reach_m;
        if met { self.at(time_s) } else { None }
    }

    /// Middle and radius of a ball around it; of a puff that is not born yet without meaning.
    #[inline]
    fn ball(&self, time_s: f64) -> (DVec3, f64) {
        match &self.form {
            PlumeForm::Box(p) => (p.centre_m, p.half_m.length()),
            PlumeForm::Ellipsoid(p) => (p.centre_m, p.half_m.max_element()),
            PlumeForm::Puff(puff) => {
                let age_s = time_s - puff.birth_s;
                let reach = match puff.profile {
                    Profile::Gaussian => REACH,
                    Profile::Mavs => 1.0,
                };
                (puff.centre_m(age_s), reach * puff.sigma_m(age_s))
            }
        }
    }

    /// The plume at a time, if it is there.
    pub fn at(&self, time_s: f64) -> Option<Moment> {
        let k = self.extinction_per_m;
        let (extinction_per_m, centre_m, body) = match &self.form {
            PlumeForm::Box(p) => (k, p.centre_m, Body::Box(p.rotation.inverse(), p.half_m)),
            PlumeForm::Ellipsoid(p) => {
                (k, p.centre_m, Body::Ellipsoid(p.rotation.inverse(), p.half_m))
            }
            PlumeForm::Puff(puff) => {
                let age_s = time_s - puff.birth_s;
                if age_s < 0.0 {
                    return None;
                }
                let sigma_m = puff.sigma_m(age_s);
                let thinned = (puff.radius_m / sigma_m).powi(3) * math::exp(-age_s / puff.decay_s);
                if k * thinned * sigma_m < GONE_DEPTH {
                    return None;
                }
                let body = match puff.profile {
                    Profile::Gaussian => Body::Gaussian(sigma_m),
                    Profile::Mavs => Body::Ball(sigma_m),
                };
                (k * thinned, puff.centre_m(age_s), body)
            }
        };
        Some(Moment { reflectance: self.reflectance, extinction_per_m, centre_m, body })
    }
}

impl Puff {
    #[inline]
    fn sigma_m(&self, age_s: f64) -> f64 {
        self.radius_m + self.growth_m_per_s * age_s
    }

    #[inline]
    fn centre_m(&self, age_s: f64) -> DVec3 {
        self.birth_m + self.drift_m_per_s * age_s
    }
}

impl Moment {
    /// Reflectance of the particles.
    pub fn reflectance(&self) -> f64 {
        self.reflectance
    }

    /// Where and how densely a way from `origin_m` along the unit vector `direction` crosses it.
    pub fn crossing(&self, origin_m: DVec3, direction: DVec3) -> Option<Crossing> {
        let to_centre = self.centre_m - origin_m;
        let s = to_centre.dot(direction);
        let miss_2 = (to_centre.length_squared() - s * s).max(0.0);
        let k = self.extinction_per_m;
        let even = |from_m: f64, to_m: f64| {
            let from_m = from_m.max(0.0);
            (to_m > from_m).then_some(Crossing::Even { k, from_m, to_m })
        };
        match self.body {
            Body::Box(turn, half_m) => {
                let (o, d) = (turn * -to_centre, turn * direction);
                let (mut from_m, mut to_m) = (f64::NEG_INFINITY, f64::INFINITY);
                for axis in 0..3 {
                    if d[axis] == 0.0 {
                        if o[axis].abs() > half_m[axis] {
                            return None;
                        }
                        continue;
                    }
                    let (a, b) =
                        ((-half_m[axis] - o[axis]) / d[axis], (half_m[axis] - o[axis]) / d[axis]);
                    from_m = from_m.max(a.min(b));
                    to_m = to_m.min(a.max(b));
                }
                even(from_m, to_m)
            }
            Body::Ellipsoid(turn, half_m) => {
                // In the frame in which it is the unit ball.
                let (o, d) = (turn * -to_centre / half_m, turn * direction / half_m);
                let (a, b, c) = (d.length_squared(), o.dot(d), o.length_squared() - 1.0);
                let root = (b * b - a * c).max(0.0).sqrt();
                even((-b - root) / a, (-b + root) / a)
            }
            Body::Gaussian(sigma_m) => {
                if miss_2 > (REACH * sigma_m).powi(2) {
                    return None;
                }
                let scale = FRAC_1_SQRT_2 / sigma_m;
                let fall = miss_2 * scale * scale;
                let peak = k * math::exp(-fall);
                let begin = erf_and_bell(-s * scale).0;
                let half = peak * sigma_m * FRAC_PI_2.sqrt();
                Some(Crossing::Gaussian { half, fall, at_m: s, scale, begin })
            }
            Body::Ball(radius_m) => {
                let depth = ball_depth(math::exp(-2.0 * k * radius_m), miss_2.sqrt() / radius_m);
                (s > 0.0 && depth > 0.0).then_some(Crossing::Lump { depth, at_m: s })
            }
        }
    }

    /// Optical depth up to a distance along a sub-ray of a beam whose axis crosses it as `axis`.
    ///
    /// Of a Gaussian puff the sub-ray has its own place and miss, and only the exponential of the
    /// latter follows from that of the axis: by a series that is good to 10⁻⁷ of the depth while
    /// d²/2σ² differs by less than [`BESIDE`]. All else is as by [`Moment::crossing`].
    #[inline]
    pub fn depth_beside(
        &self,
        axis: Option<&Crossing>,
        origin_m: DVec3,
        direction: DVec3,
        distance_m: f64,
    ) -> f64 {
        if let Some(&Crossing::Gaussian { half, fall, scale, .. }) = axis {
            let to_centre = self.centre_m - origin_m;
            let s = to_centre.dot(direction);
            let end = erf_and_bell((distance_m - s) * scale).0;
            let passed = end - erf_and_bell(-s * scale).0;
            if passed <= 0.0 {
                return 0.0;
            }
            let miss_2 = (to_centre.length_squared() - s * s).max(0.0);
            let x = fall - miss_2 * scale * scale;
            if x.abs() < BESIDE {
                let grown = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0)));
                return half * grown * passed;
            }
        }
        self.crossing(origin_m, direction).map_or(0.0, |crossing| crossing.depth(distance_m))
    }
}

/// A plume along one straight way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Crossing {
    /// Evenly between two distances.
    Even {
        /// Extinction there.
        k: f64,
        /// Where the way enters.
        from_m: f64,
        /// Where it leaves.
        to_m: f64,
    },
    /// As a Gaussian.
    Gaussian {
        /// Half of the whole optical depth.
        half: f64,
        /// How far the way passes by the middle, d²/2σ².
        fall: f64,
        /// Where it is densest.
        at_m: f64,
        /// 1/(σ√2).
        scale: f64,
        /// erf at the beginning of the way.
        begin: f64,
    },
    /// All at one place.
    Lump {
        /// Optical depth.
        depth: f64,
        /// Where.
        at_m: f64,
    },
}

impl Crossing {
    /// Optical depth from the beginning of the way up to a distance.
    #[inline]
    pub fn depth(&self, distance_m: f64) -> f64 {
        self.depth_and_density(distance_m).0
    }

    /// Optical depth up to a distance, and the extinction coefficient there; 0 where all is at one
    /// place.
    #[inline]
    pub fn depth_and_density(&self, distance_m: f64) -> (f64, f64) {
        match *self {
            Crossing::Even { k, from_m, to_m } => {
                let inside = distance_m >= from_m && distance_m < to_m;
                (k * (distance_m.min(to_m) - from_m).max(0.0), if inside { k } else { 0.0 })
            }
            Crossing::Gaussian { half, at_m, scale, begin, .. } => {
                let (erf, bell) = erf_and_bell((distance_m - at_m) * scale);
                (half * (erf - begin).max(0.0), half * FRAC_2_SQRT_PI * scale * bell)
            }
            Crossing::Lump { depth, at_m } => (if distance_m >= at_m { depth } else { 0.0 }, 0.0),
        }
    }
}

/// From here on erf differs from 1 by less than 1.6·10⁻⁸.
const ERF_IS_ONE: f64 = 4.0;

/// The error function, good to 1.5·10⁻⁷ (Abramowitz and Stegun, 7.1.26), and e^(−x²).
#[inline]
fn erf_and_bell(x: f64) -> (f64, f64) {
    const A: [f64; 5] =
        [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    // Most ways begin before a puff and end behind it.
    if x.abs() > ERF_IS_ONE {
        return (1f64.copysign(x), 0.0);
    }
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = A.iter().rev().fold(0.0, |sum, a| (sum + a) * t);
    let bell = math::exp(-x * x);
    ((1.0 - series * bell).copysign(x), bell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn puff(profile: Profile) -> Puff {
        Puff {
            birth_s: 1.0,
            birth_m: DVec3::new(5.0, 1.0, 0.5),
            drift_m_per_s: DVec3::new(0.5, -0.2, 0.1),
            radius_m: 0.4,
            growth_m_per_s: 0.3,
            decay_s: 4.0,
            profile,
        }
    }

    /// Extinction at a point, by its definition.
    fn density(plume: &Plume, time_s: f64, point: DVec3) -> f64 {
        let k = plume.extinction_per_m;
        match plume.form {
            PlumeForm::Box(p) => {
                let local = p.rotation.inverse() * (point - p.centre_m) / p.half_m;
                if local.abs().max_element() <= 1.0 { k } else { 0.0 }
            }
            PlumeForm::Ellipsoid(p) => {
                let local = p.rotation.inverse() * (point - p.centre_m) / p.half_m;
                if local.length() <= 1.0 { k } else { 0.0 }
            }
            PlumeForm::Puff(puff) => {
                let age = time_s - puff.birth_s;
                let sigma = 0.4 + 0.3 * age;
                let centre = DVec3::new(5.0, 1.0, 0.5) + DVec3::new(0.5, -0.2, 0.1) * age;
                let thinned = k * (0.4 / sigma).powi(3) * (-age / puff.decay_s).exp();
                thinned * (-(point - centre).length_squared() / (2.0 * sigma * sigma)).exp()
            }
        }
    }

    proptest! {
        /// Closed forms against sums over 20 000 steps.
        #[test]
        fn depths_are_the_integrals_of_the_density(
            x in -1.0..1.0f64, y in -1.0..1.0f64, z in -1.0..1.0f64, far in 0.5..14.0f64,
            yaw in -3.0..3.0f64, pitch in -1.5..1.5f64, which in 0usize..3,
        ) {
            let placed = Placed {
                centre_m: DVec3::new(5.0, 1.0, 0.5),
                rotation: DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch),
                half_m: DVec3::new(2.0, 1.0, 0.7),
            };
            let form = [
                PlumeForm::Box(placed),
                PlumeForm::Ellipsoid(placed),
                PlumeForm::Puff(puff(Profile::Gaussian)),
            ][which];
            let plume = Plume { extinction_per_m: 0.8, reflectance: 0.3, form };
            let origin = DVec3::new(-1.0, 0.2, 0.1);
            let aim = DVec3::new(5.5 + 2.0 * x, 0.8 + 2.0 * y, 0.6 + 1.5 * z);
            let direction = (aim - origin).normalize();
            let time_s = 2.5;
            let moment = plume.at(time_s).unwrap();
            let crossing = moment.crossing(origin, direction);
            let closed = crossing.map_or(0.0, |crossing| crossing.depth(far));
            let steps = 20_000;
            let h = far / steps as f64;
            let sum: f64 = (0..steps)
                .map(|i| density(&plume, time_s, origin + direction * ((i as f64 + 0.5) * h)) * h)
                .sum();
            // A step at a hard border is worth k·h; what lies beyond 5 σ is left out.
            let slack = if which == 2 { 2e-5 } else { 2.5 * 0.8 * h };
            prop_assert!((closed - sum).abs() < slack, "{closed} {sum}");
            // The same by way of an axis beside it, near and far.
            for aside in [0.002, 0.01, 0.2] {
                let axis = (direction + DVec3::new(0.0, aside * x, -aside * y)).normalize();
                let axis = moment.crossing(origin + DVec3::Z * aside * y, axis);
                let beside = moment.depth_beside(axis.as_ref(), origin, direction, far);
                prop_assert!((beside - closed).abs() <= 2e-7 * closed + 1e-5, "{beside} {closed}");
                let deep = closed > 0.1;
                prop_assert!(!deep || (beside / closed - 1.0).abs() <= 1e-6, "{beside} {closed}");
            }
            let near = plume.near(time_s, origin, direction, 0.0, 0.0);
            prop_assert!(closed == 0.0 || near.is_some());
        }
    }

    #[test]
    fn puffs_are_born_and_fade() {
        let form = PlumeForm::Puff(puff(Profile::Gaussian));
        let plume = Plume { extinction_per_m: 0.8, reflectance: 0.3, form };
        assert!(plume.at(0.999).is_none());
        assert!(plume.at(1.0).is_some());
        assert!(plume.at(60.0).is_none());
    }

    #[test]
    fn a_ball_of_mavs_holds_its_dust_in_one_place() {
        let form = PlumeForm::Puff(puff(Profile::Mavs));
        let plume = Plume { extinction_per_m: 0.8, reflectance: 0.3, form };
        let moment = plume.at(1.0).unwrap();
        let origin = DVec3::new(0.0, 1.1, 0.5);
        let crossing = moment.crossing(origin, DVec3::X).unwrap();
        let middle = (-2.0 * 0.8 * 0.4f64).exp();
        let expected = -(1.0 - 0.75 * (1.0 - middle)).ln();
        assert_eq!(crossing.depth(4.9), 0.0);
        assert!((crossing.depth(5.1) - expected).abs() < 1e-12);
    }

    /// erf from tables.
    #[test]
    fn error_function() {
        let table = [(0.0, 0.0), (0.5, 0.520_499_877_8), (2.0, 0.995_322_265_0), (4.01, 1.0)];
        for (x, expected) in table {
            assert!((erf_and_bell(x).0 - expected).abs() < 1.5e-7);
            assert!((erf_and_bell(-x).0 + expected).abs() < 1.5e-7);
        }
    }
}
