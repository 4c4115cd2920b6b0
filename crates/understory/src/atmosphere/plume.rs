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

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
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

/// Puffs thinner than this in the middle are gone.
const GONE_DEPTH: f64 = 1e-4;

/// A plume as it is at the moment of a pulse.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    reflectance: f64,
    extinction_per_m: f64,
    centre_m: DVec3,
    /// Of a ball around it.
    bound_m: f64,
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
    /// The plume at a time, if it is there.
    pub fn at(&self, time_s: f64) -> Option<Moment> {
        let moment = |extinction_per_m, centre_m, bound_m, body| Moment {
            reflectance: self.reflectance,
            extinction_per_m,
            centre_m,
            bound_m,
            body,
        };
        let k = self.extinction_per_m;
        match &self.form {
            PlumeForm::Box(p) => {
                let body = Body::Box(p.rotation.inverse(), p.half_m);
                Some(moment(k, p.centre_m, p.half_m.length(), body))
            }
            PlumeForm::Ellipsoid(p) => {
                let body = Body::Ellipsoid(p.rotation.inverse(), p.half_m);
                Some(moment(k, p.centre_m, p.half_m.max_element(), body))
            }
            PlumeForm::Puff(puff) => {
                let age_s = time_s - puff.birth_s;
                if age_s < 0.0 {
                    return None;
                }
                let sigma_m = puff.radius_m + puff.growth_m_per_s * age_s;
                let thinned = (puff.radius_m / sigma_m).powi(3) * (-age_s / puff.decay_s).exp();
                if k * thinned * sigma_m < GONE_DEPTH {
                    return None;
                }
                let centre_m = puff.birth_m + puff.drift_m_per_s * age_s;
                let (bound_m, body) = match puff.profile {
                    Profile::Gaussian => (REACH * sigma_m, Body::Gaussian(sigma_m)),
                    Profile::Mavs => (sigma_m, Body::Ball(sigma_m)),
                };
                Some(moment(k * thinned, centre_m, bound_m, body))
            }
        }
    }
}

impl Moment {
    /// Reflectance of the particles.
    pub fn reflectance(&self) -> f64 {
        self.reflectance
    }

    /// Whether a beam can meet it that widens by `spread` per metre to each side of its axis.
    #[inline]
    pub fn near(&self, origin_m: DVec3, axis: DVec3, aperture_m: f64, spread: f64) -> bool {
        let to_centre = self.centre_m - origin_m;
        let along_m = to_centre.dot(axis);
        let reach_m = self.bound_m + aperture_m + spread * along_m.abs();
        let away_2 = to_centre.length_squared() - along_m * along_m;
        along_m > -self.bound_m && away_2 < reach_m * reach_m
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
                let peak = k * (-miss_2 / (2.0 * sigma_m * sigma_m)).exp();
                let scale = FRAC_1_SQRT_2 / sigma_m;
                let begin = erf(-s * scale);
                let half = peak * sigma_m * FRAC_PI_2.sqrt();
                Some(Crossing::Gaussian { half, at_m: s, scale, begin })
            }
            Body::Ball(radius_m) => {
                let depth = ball_depth((-2.0 * k * radius_m).exp(), miss_2.sqrt() / radius_m);
                (s > 0.0 && depth > 0.0).then_some(Crossing::Lump { depth, at_m: s })
            }
        }
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
        match *self {
            Crossing::Even { k, from_m, to_m } => k * (distance_m.min(to_m) - from_m).max(0.0),
            Crossing::Gaussian { half, at_m, scale, begin } => {
                half * (erf((distance_m - at_m) * scale) - begin).max(0.0)
            }
            Crossing::Lump { depth, at_m } => {
                if distance_m >= at_m {
                    depth
                } else {
                    0.0
                }
            }
        }
    }
}

/// The error function, good to 1.5·10⁻⁷ (Abramowitz and Stegun, 7.1.26).
fn erf(x: f64) -> f64 {
    const A: [f64; 5] =
        [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = A.iter().rev().fold(0.0, |sum, a| (sum + a) * t);
    (1.0 - series * (-x * x).exp()).copysign(x)
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
            prop_assert!(closed == 0.0 || moment.near(origin, direction, 0.0, 0.0));
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

    /// erf(0.5) and erf(2), from tables.
    #[test]
    fn error_function() {
        for (x, expected) in [(0.0, 0.0), (0.5, 0.520_499_877_8), (2.0, 0.995_322_265_0)] {
            assert!((erf(x) - expected).abs() < 1.5e-7);
            assert!((erf(-x) + expected).abs() < 1.5e-7);
        }
    }
}
