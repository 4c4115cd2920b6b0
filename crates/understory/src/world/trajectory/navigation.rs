//! What the platform believes of its pose: GPS, compass and IMU beside the truth.
//!
//! What enters: the true trajectory, the figures of the instruments, and the seed. What leaves:
//! [`EstimatedPath`], the error of the estimated pose over the whole run, always computed from time 0.
//!
//! - **GPS**: at its rate, true position + bias + drift + white noise. The drift is a first-order
//!   Gauss–Markov process (stationary σ, time constant), a random walk, or both.
//! - **Compass**: at its rate, true heading + bias + white noise.
//! - **IMU**: gyro and accelerometers with white noise and biases that drift as Gauss–Markov
//!   processes; roll and pitch with an error of the same kind.
//!
//! With an IMU, a filter works out the pose: between fixes, heading and velocity are dead reckoned
//! from gyro and accelerometers (a wrong attitude turns gravity into a wrong acceleration); a fix
//! of the GPS corrects position and velocity by an α–β filter, a sample of the compass the heading
//! by one gain. The gains are those of the steady state: Kalata's (1984) by the tracking index
//! λ = σ_a·T²/σ_GPS, and a scalar Kalman filter's for the heading. Without an IMU the samples
//! themselves are estimated, and roll and pitch are known.
//!
//! The filter is linear in its error, so the error is all that is computed: the truth is subtracted
//! everywhere. Between two of its times the error is interpolated linearly: the platform knows its
//! own motion from one sample to the next. An instrument that is not there adds no error.

use glam::{DMat3, DQuat, DVec3};
use understory_base::math;

use super::{Poses, Trajectory};
use crate::rng::{PulseRng, Stage};
use understory_base::Pose;

/// m/s².
pub(super) const GRAVITY: f64 = 9.80665;

/// Least uncertainty of the acceleration that the filter reckons with, m/s², and of the heading
/// in rad/√s: with none it would never look at the GPS and the compass again.
const LEAST_ACCELERATION: f64 = 1e-3;
const LEAST_TURN: f64 = 1e-5;

/// The gains are those for errors that are new at each fix. Those that last push the filter aside
/// by as much as the noise of a fix, unless they count for more than they are.
const LASTING: f64 = 4.0;

/// Most samples of one instrument in a run.
pub const SAMPLES_MAX: f64 = 1e7;

/// The instruments of a platform.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Navigation {
    /// Says where it is.
    pub gps: Option<Gps>,
    /// Says where it heads.
    pub compass: Option<Compass>,
    /// Says how it moves.
    pub imu: Option<Imu>,
}

/// A receiver of satellites. Pairs are level (each of x and y) and up.
#[derive(Clone, Debug, PartialEq)]
pub struct Gps {
    /// Fixes per second.
    pub rate_hz: f64,
    /// White noise of a fix.
    pub sigma_m: [f64; 2],
    /// Error that never changes.
    pub bias_m: [f64; 3],
    /// Standard deviation of the drift that comes back.
    pub drift_m: [f64; 2],
    /// In this time such a drift is down to 1/e.
    pub drift_time_s: f64,
    /// Random walk that does not come back.
    pub walk_m_per_sqrt_s: [f64; 2],
}

/// A compass.
#[derive(Clone, Debug, PartialEq)]
pub struct Compass {
    /// Samples per second.
    pub rate_hz: f64,
    /// White noise of a sample.
    pub sigma_deg: f64,
    /// Error that never changes.
    pub bias_deg: f64,
}

/// Gyro and accelerometers.
#[derive(Clone, Debug, PartialEq)]
pub struct Imu {
    /// Samples per second.
    pub rate_hz: f64,
    /// White noise of the gyro (angle random walk).
    pub gyro_noise_deg_per_sqrt_h: f64,
    /// Standard deviation of its bias.
    pub gyro_bias_deg_per_h: f64,
    /// White noise of the accelerometers, in 10⁻⁶ of gravity.
    pub accelerometer_noise_ug_per_sqrt_hz: f64,
    /// Standard deviation of their biases, in 10⁻³ of gravity.
    pub accelerometer_bias_mg: f64,
    /// In this time biases are down to 1/e of what they were.
    pub bias_time_s: f64,
    /// Standard deviation of the error of roll and pitch.
    pub tilt_sigma_deg: f64,
    /// In this time that error is down to 1/e of what it was.
    pub tilt_time_s: f64,
}

impl Navigation {
    /// Variances of the error by the figures of the instruments: x, y and z (a fix of the GPS: bias,
    /// noise and drift), roll and pitch (IMU) and yaw (compass: bias and noise), in m² and rad².
    /// A filter does better than a single fix; a random walk is not in it.
    pub fn variance(&self) -> [f64; 6] {
        let square = |x: f64| x * x;
        let of_gps = |gps: &Gps, axis: usize| {
            let which = usize::from(axis == 2);
            square(gps.bias_m[axis]) + square(gps.sigma_m[which]) + square(gps.drift_m[which])
        };
        let gps = |axis| self.gps.as_ref().map_or(0.0, |gps| of_gps(gps, axis));
        let tilt = self.imu.as_ref().map_or(0.0, |imu| square(imu.tilt_sigma_deg.to_radians()));
        let yaw = self.compass.as_ref().map_or(0.0, |compass| {
            square(compass.bias_deg.to_radians()) + square(compass.sigma_deg.to_radians())
        });
        [gps(0), gps(1), gps(2), tilt, tilt, yaw]
    }

    /// Names of [`Navigation::preset`].
    pub const PRESETS: [&str; 3] = ["rtk", "gps", "consumer"];

    /// Typical figures: a receiver with phase corrections, two antennas and an industrial IMU; one
    /// with corrected codes; that of a telephone. They are those of no product.
    pub fn preset(name: &str) -> Option<Navigation> {
        let of = |gps: [f64; 4], compass: [f64; 3], imu: [f64; 5]| {
            let [rate_hz, level_m, drift_m, drift_time_s] = gps;
            let up = |level: f64| [level, 2.0 * level];
            Navigation {
                gps: Some(Gps {
                    rate_hz,
                    sigma_m: up(level_m),
                    drift_m: up(drift_m),
                    drift_time_s,
                    ..Gps::exact()
                }),
                compass: Some(Compass {
                    rate_hz: compass[0],
                    sigma_deg: compass[1],
                    bias_deg: compass[2],
                }),
                imu: Some(Imu {
                    gyro_noise_deg_per_sqrt_h: imu[0],
                    gyro_bias_deg_per_h: imu[1],
                    accelerometer_noise_ug_per_sqrt_hz: imu[2],
                    accelerometer_bias_mg: imu[3],
                    tilt_sigma_deg: imu[4],
                    ..Imu::exact()
                }),
            }
        };
        match name {
            "rtk" => {
                Some(of([5.0, 0.01, 0.01, 60.0], [5.0, 0.2, 0.0], [0.3, 10.0, 100.0, 0.5, 0.05]))
            }
            "gps" => {
                Some(of([5.0, 0.3, 0.5, 300.0], [10.0, 0.5, 0.5], [0.5, 20.0, 200.0, 2.0, 0.2]))
            }
            "consumer" => {
                Some(of([1.0, 1.0, 2.0, 300.0], [10.0, 2.0, 3.0], [1.0, 50.0, 400.0, 10.0, 0.5]))
            }
            _ => None,
        }
    }
}

impl Gps {
    /// One without error, five times a second.
    pub fn exact() -> Gps {
        Gps {
            rate_hz: 5.0,
            sigma_m: [0.0; 2],
            bias_m: [0.0; 3],
            drift_m: [0.0; 2],
            drift_time_s: 300.0,
            walk_m_per_sqrt_s: [0.0; 2],
        }
    }
}

impl Compass {
    /// One without error, ten times a second.
    pub fn exact() -> Compass {
        Compass { rate_hz: 10.0, sigma_deg: 0.0, bias_deg: 0.0 }
    }
}

impl Imu {
    /// One without error, a hundred times a second.
    pub fn exact() -> Imu {
        Imu {
            rate_hz: 100.0,
            gyro_noise_deg_per_sqrt_h: 0.0,
            gyro_bias_deg_per_h: 0.0,
            accelerometer_noise_ug_per_sqrt_hz: 0.0,
            accelerometer_bias_mg: 0.0,
            bias_time_s: 300.0,
            tilt_sigma_deg: 0.0,
            tilt_time_s: 10.0,
        }
    }

    /// rad/√s.
    pub(super) fn gyro_noise(&self) -> f64 {
        self.gyro_noise_deg_per_sqrt_h.to_radians() / 60.0
    }

    /// rad/s.
    pub(super) fn gyro_bias(&self) -> f64 {
        self.gyro_bias_deg_per_h.to_radians() / 3600.0
    }

    /// m/s per √s.
    pub(super) fn accelerometer_noise(&self) -> f64 {
        self.accelerometer_noise_ug_per_sqrt_hz * 1e-6 * GRAVITY
    }

    /// m/s².
    pub(super) fn accelerometer_bias(&self) -> f64 {
        self.accelerometer_bias_mg * 1e-3 * GRAVITY
    }
}

/// A number that is linear between its times, and constant before and behind them.
#[derive(Clone, Debug)]
struct Track<const N: usize> {
    times_s: Vec<f64>,
    values: Vec<[f64; N]>,
}

impl<const N: usize> Default for Track<N> {
    fn default() -> Track<N> {
        Track { times_s: Vec::new(), values: Vec::new() }
    }
}

impl<const N: usize> Track<N> {
    fn push(&mut self, time_s: f64, value: [f64; N]) {
        self.times_s.push(time_s);
        self.values.push(value);
    }

    /// Zero where there is nothing.
    fn at(&self, time_s: f64) -> [f64; N] {
        let next = self.times_s.partition_point(|time| *time <= time_s);
        let before = next.saturating_sub(1);
        let Some(&from) = self.values.get(before) else { return [0.0; N] };
        let Some(&to) = self.values.get(next).filter(|_| next > 0) else { return from };
        let share = (time_s - self.times_s[before]) / (self.times_s[next] - self.times_s[before]);
        std::array::from_fn(|i| from[i] + share * (to[i] - from[i]))
    }
}

/// The pose that the platform estimates, as its error.
#[derive(Clone, Debug, Default)]
pub struct EstimatedPath {
    position_m: Track<3>,
    yaw_rad: Track<1>,
    /// Roll and pitch, about the platform's own axes.
    tilt_rad: Track<2>,
    /// Time and position of each fix of the GPS.
    pub fixes: Vec<(f64, DVec3)>,
    /// Time and heading in degrees, counter-clockwise from x, of each sample of the compass.
    pub headings_deg: Vec<(f64, f64)>,
}

impl EstimatedPath {
    /// An estimate with these errors: times, rising, each with the error of the position in metres and
    /// of the heading in radians. Roll and pitch are known.
    pub fn from_errors(errors: impl IntoIterator<Item = (f64, DVec3, f64)>) -> EstimatedPath {
        let mut path = EstimatedPath::default();
        for (time_s, position_m, yaw_rad) in errors {
            path.position_m.push(time_s, position_m.to_array());
            path.yaw_rad.push(time_s, [yaw_rad]);
        }
        path
    }

    /// The estimated pose where the true one is `truth`.
    pub fn pose_at(&self, time_s: f64, truth: &Pose) -> Pose {
        let [yaw] = self.yaw_rad.at(time_s);
        let [roll, pitch] = self.tilt_rad.at(time_s);
        let tilt = DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
        Pose {
            rotation: DQuat::from_rotation_z(yaw) * truth.rotation * tilt,
            translation: truth.translation + DVec3::from(self.position_m.at(time_s)),
        }
    }

    /// Fills `poses` with the estimated `world_from_sensor` at each of the times.
    pub fn poses_at(
        &self,
        truth: &Trajectory,
        times_s: &[f64],
        platform_from_sensor: &Pose,
        poses: &mut Poses,
    ) {
        poses.fill(times_s.iter().map(|&time_s| {
            self.pose_at(time_s, &truth.pose_at(time_s)).after(platform_from_sensor)
        }));
    }
}

/// A Gauss–Markov process after `dt`: what is left of it, and what comes anew.
pub(super) fn gauss_markov(value: f64, sigma: f64, time_s: f64, dt: f64, draw: f64) -> f64 {
    let left = math::exp(-dt / time_s);
    value * left + sigma * (1.0 - left * left).sqrt() * draw
}

/// α and β of the filter in its steady state; σ of the acceleration and of a fix, time between
/// fixes.
fn alpha_beta(acceleration: f64, fix_m: f64, interval_s: f64) -> (f64, f64) {
    if fix_m <= 0.0 {
        return (1.0, 1.0);
    }
    let index = acceleration.max(LEAST_ACCELERATION) * interval_s * interval_s / fix_m;
    let r = (4.0 + index - (8.0 * index + index * index).sqrt()) / 4.0;
    let alpha = 1.0 - r * r;
    (alpha, 2.0 * (2.0 - alpha) - 4.0 * r)
}

/// The share of a compass sample in the new heading.
fn heading_gain(imu: &Imu, sigma_rad: f64, interval_s: f64) -> f64 {
    let noise = imu.gyro_noise().max(LEAST_TURN);
    let bias = LASTING * imu.gyro_bias() * interval_s;
    let (grown, of_sample) = (noise * noise * interval_s + bias * bias, sigma_rad * sigma_rad);
    let before = (grown + (grown * grown + 4.0 * grown * of_sample).sqrt()) / 2.0;
    before / (before + of_sample)
}

/// A time and an error at it.
type Sample<T> = (f64, T);

/// Which instrument draws.
#[derive(Clone, Copy)]
#[repr(u16)]
pub(super) enum Instrument {
    Gps = 0,
    Compass = 1,
    Imu = 2,
    /// Samples for others, apart from what the platform's filter meets.
    ImuSamples = 3,
}

pub(super) fn draws(seed: u64, instrument: Instrument, sample: u64) -> PulseRng {
    PulseRng::new(seed, instrument as u16, sample, Stage::Navigation)
}

/// Times `0, 1/rate, …` up to the first at or after the end.
fn sample_times(rate_hz: f64, duration_s: f64) -> impl Iterator<Item = f64> {
    let last = (duration_s * rate_hz).clamp(0.0, SAMPLES_MAX).ceil() as u64;
    (0..=last).map(move |sample| sample as f64 / rate_hz)
}

/// Errors of what the instruments measured.
struct Observations<'a> {
    fixes: &'a [Sample<DVec3>],
    headings: &'a [Sample<f64>],
}

impl Navigation {
    /// What is estimated of `truth` from 0 to `duration_s`.
    pub fn estimate(&self, truth: &Trajectory, duration_s: f64, seed: u64) -> EstimatedPath {
        let fixes = self.gps.as_ref().map_or_else(Vec::new, |gps| gps.errors(duration_s, seed));
        let headings =
            self.compass.as_ref().map_or_else(Vec::new, |compass| compass.errors(duration_s, seed));
        let mut estimated = EstimatedPath::default();
        for &(time_s, error) in &fixes {
            estimated.fixes.push((time_s, truth.pose_at(time_s).translation + error));
        }
        for &(time_s, error) in &headings {
            let forward = truth.pose_at(time_s).rotation * DVec3::X;
            let heading = math::atan2(forward.y, forward.x) + error;
            estimated.headings_deg.push((time_s, heading.to_degrees()));
        }
        match &self.imu {
            None => {
                fixes
                    .iter()
                    .for_each(|(time_s, e)| estimated.position_m.push(*time_s, e.to_array()));
                headings.iter().for_each(|(time_s, e)| estimated.yaw_rad.push(*time_s, [*e]));
            }
            Some(imu) => {
                let observed = Observations { fixes: &fixes, headings: &headings };
                self.filter(imu, truth, duration_s, seed, &observed, &mut estimated)
            }
        }
        estimated
    }

    /// The error of the filter at every sample of the IMU. Fixes and headings count at the first
    /// sample at or behind their time.
    fn filter(
        &self,
        imu: &Imu,
        truth: &Trajectory,
        duration_s: f64,
        seed: u64,
        &Observations { fixes, headings }: &Observations<'_>,
        estimated: &mut EstimatedPath,
    ) {
        let gains = self.gps.as_ref().map(|gps| {
            let tilt = LASTING * GRAVITY * imu.tilt_sigma_deg.to_radians();
            let bias = LASTING * imu.accelerometer_bias();
            let white = imu.accelerometer_noise() * gps.rate_hz.sqrt();
            let acceleration = (tilt * tilt + bias * bias + white * white).sqrt();
            gps.sigma_m.map(|sigma_m| alpha_beta(acceleration, sigma_m, 1.0 / gps.rate_hz))
        });
        let heading_gain = self.compass.as_ref().map_or(0.0, |compass| {
            heading_gain(imu, compass.sigma_deg.to_radians(), 1.0 / compass.rate_hz)
        });
        let (mut position, mut speed, mut yaw) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        let (mut gyro_bias, mut bias, mut tilt) = (0.0, DVec3::ZERO, [0.0; 2]);
        let (mut next_fix, mut next_heading) = (0, 0);
        let mut last = (0.0, truth.velocity_at(0.0).linear_m_s);
        for (sample, time_s) in sample_times(imu.rate_hz, duration_s).enumerate() {
            let mut rng = draws(seed, Instrument::Imu, sample as u64);
            let mut drawn = || rng.gaussian();
            // A process begins in its steady state: nothing is left of what was before.
            let dt = if sample == 0 { f64::INFINITY } else { time_s - last.0 };
            let aged = |value, sigma, draw| gauss_markov(value, sigma, imu.bias_time_s, dt, draw);
            gyro_bias = aged(gyro_bias, imu.gyro_bias(), drawn());
            bias = DVec3::from(bias.to_array().map(|b| aged(b, imu.accelerometer_bias(), drawn())));
            let tilt_sigma = imu.tilt_sigma_deg.to_radians();
            tilt = tilt.map(|t| gauss_markov(t, tilt_sigma, imu.tilt_time_s, dt, drawn()));
            let velocity = truth.velocity_at(time_s).linear_m_s;
            if sample > 0 {
                let root = dt.sqrt();
                yaw += gyro_bias * dt + imu.gyro_noise() * root * drawn();
                let turned = truth.pose_at(time_s).rotation;
                let attitude = DMat3::from_rotation_z(yaw)
                    * DMat3::from_quat(turned)
                    * DMat3::from_rotation_y(tilt[1])
                    * DMat3::from_rotation_x(tilt[0]);
                // What the accelerometers feel in the platform's frame, put into the world with a
                // wrong attitude.
                let felt = (velocity - last.1) / dt + DVec3::Z * GRAVITY;
                let wrong = attitude * (turned.inverse() * felt + bias) - felt;
                let noise =
                    DVec3::new(drawn(), drawn(), drawn()) * (imu.accelerometer_noise() * root);
                position += speed * dt + (wrong * dt + noise) * (dt / 2.0);
                speed += wrong * dt + noise;
            }
            last = (time_s, velocity);
            while let Some(&(_, error)) = fixes.get(next_fix).filter(|fix| fix.0 <= time_s + 1e-9) {
                let apart = error - position;
                let [level, up] = gains.unwrap_or_default();
                let rate_hz = self.gps.as_ref().map_or(0.0, |gps| gps.rate_hz);
                let (alpha, beta) =
                    (DVec3::new(level.0, level.0, up.0), DVec3::new(level.1, level.1, up.1));
                // There is nothing to filter with the first one.
                position += if next_fix == 0 { apart } else { alpha * apart };
                speed += if next_fix == 0 { DVec3::ZERO } else { beta * apart * rate_hz };
                next_fix += 1;
            }
            while let Some(&(_, error)) =
                headings.get(next_heading).filter(|heading| heading.0 <= time_s + 1e-9)
            {
                let gain = if next_heading == 0 { 1.0 } else { heading_gain };
                yaw += gain * (error - yaw);
                next_heading += 1;
            }
            estimated.position_m.push(time_s, position.to_array());
            estimated.yaw_rad.push(time_s, [yaw]);
            estimated.tilt_rad.push(time_s, tilt);
        }
    }
}

impl Gps {
    /// Time and error of each fix.
    fn errors(&self, duration_s: f64, seed: u64) -> Vec<(f64, DVec3)> {
        let of_axis = |pair: [f64; 2]| [pair[0], pair[0], pair[1]];
        let (sigma, drift_sigma) = (of_axis(self.sigma_m), of_axis(self.drift_m));
        let walk = of_axis(self.walk_m_per_sqrt_s);
        let (mut drift, mut walked) = ([0.0; 3], [0.0; 3]);
        let interval_s = 1.0 / self.rate_hz;
        let error = |(sample, time_s): (usize, f64)| {
            let mut rng = draws(seed, Instrument::Gps, sample as u64);
            let dt = if sample == 0 { f64::INFINITY } else { interval_s };
            let error = std::array::from_fn(|axis| {
                let [white, of_drift] = rng.gaussian_pair();
                drift[axis] =
                    gauss_markov(drift[axis], drift_sigma[axis], self.drift_time_s, dt, of_drift);
                let step = rng.gaussian();
                if sample > 0 {
                    walked[axis] += walk[axis] * interval_s.sqrt() * step;
                }
                self.bias_m[axis] + drift[axis] + walked[axis] + sigma[axis] * white
            });
            (time_s, DVec3::from_array(error))
        };
        sample_times(self.rate_hz, duration_s).enumerate().map(error).collect()
    }
}

impl Compass {
    /// Time and error in radians of each sample.
    fn errors(&self, duration_s: f64, seed: u64) -> Vec<(f64, f64)> {
        let error = |(sample, time_s): (usize, f64)| {
            let white = draws(seed, Instrument::Compass, sample as u64).gaussian();
            (time_s, (self.bias_deg + self.sigma_deg * white).to_radians())
        };
        sample_times(self.rate_hz, duration_s).enumerate().map(error).collect()
    }
}

#[cfg(test)]
mod tests;
