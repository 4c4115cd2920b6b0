//! What an inertial measurement unit in a sensor reports: the true motion of the sensor → samples
//! with the errors of the unit.
//!
//! A unit sums up what it feels from one sample to the next. The rate of turn of a sample is
//! log(R(t−Δt)ᵀ·R(t))/Δt, and its acceleration Rᵀ·((v(t)−v(t−Δt))/Δt + g) with the attitude R in
//! the middle of the sample: whoever sums samples without errors up gets the motion back. White
//! noise and biases that drift as Gauss–Markov processes are those of [`Imu`]; they are drawn apart
//! from those that the platform's own filter meets.

use glam::{DQuat, DVec3};
use understory_cloud::ImuSamples;

use super::navigation::{GRAVITY, Imu, Instrument, draws, gauss_markov};
use super::{Pose, Trajectory};

/// Samples one after another, from the start of a run.
#[derive(Debug)]
pub struct ImuStream<'a> {
    imu: &'a Imu,
    truth: &'a Trajectory,
    platform_from_unit: Pose,
    seed: u64,
    /// Which sample comes next; the first is one interval behind the start.
    next: u64,
    turn: DQuat,
    velocity_m_s: DVec3,
    gyro_bias_rad_s: [f64; 3],
    bias_m_s2: [f64; 3],
}

impl<'a> ImuStream<'a> {
    /// A stream at its beginning, of a unit at a place on what moves along `truth`.
    pub fn new(
        imu: &'a Imu,
        truth: &'a Trajectory,
        platform_from_unit: Pose,
        seed: u64,
    ) -> ImuStream<'a> {
        let mut stream = ImuStream {
            imu,
            truth,
            platform_from_unit,
            seed,
            next: 1,
            turn: DQuat::IDENTITY,
            velocity_m_s: DVec3::ZERO,
            gyro_bias_rad_s: [0.0; 3],
            bias_m_s2: [0.0; 3],
        };
        (stream.turn, stream.velocity_m_s) = stream.motion_at(0.0);
        stream
    }

    /// How the unit is turned and how fast it moves in the world.
    fn motion_at(&self, time_s: f64) -> (DQuat, DVec3) {
        let (platform, velocity) = (self.truth.pose_at(time_s), self.truth.velocity_at(time_s));
        let arm = platform.rotation * self.platform_from_unit.translation;
        let turn = platform.rotation * self.platform_from_unit.rotation;
        (turn, velocity.linear_m_s + velocity.angular_rad_s.cross(arm))
    }

    /// Appends the samples up to `time_s`.
    pub fn advance(&mut self, time_s: f64, samples: &mut ImuSamples) {
        let imu = self.imu;
        let dt = 1.0 / imu.rate_hz;
        loop {
            let sample_s = self.next as f64 / imu.rate_hz;
            if sample_s > time_s {
                return;
            }
            let mut rng = draws(self.seed, Instrument::ImuSamples, self.next);
            // A process begins in its steady state: nothing is left of what was before.
            let aged_s = if self.next == 1 { f64::INFINITY } else { dt };
            for axis in 0..3 {
                let mut aged = |value: &mut f64, sigma| {
                    *value = gauss_markov(*value, sigma, imu.bias_time_s, aged_s, rng.gaussian());
                };
                aged(&mut self.gyro_bias_rad_s[axis], imu.gyro_bias());
                aged(&mut self.bias_m_s2[axis], imu.accelerometer_bias());
            }
            let (turn, velocity) = self.motion_at(sample_s);
            let turned = (self.turn.inverse() * turn).to_scaled_axis();
            let middle = self.turn * DQuat::from_scaled_axis(0.5 * turned);
            let felt = (velocity - self.velocity_m_s) / dt + DVec3::Z * GRAVITY;
            let per_root = dt.sqrt().recip();
            let mut noisy = |value: DVec3, bias: [f64; 3], noise: f64| {
                let mut white = || noise * per_root * rng.gaussian();
                (value + DVec3::from(bias) + DVec3::new(white(), white(), white())).to_array()
            };
            let rate = noisy(turned / dt, self.gyro_bias_rad_s, imu.gyro_noise());
            let acceleration =
                noisy(middle.inverse() * felt, self.bias_m_s2, imu.accelerometer_noise());
            samples.time_s.push(sample_s);
            samples.angular_velocity_rad_s.push(rate);
            samples.linear_acceleration_m_s2.push(acceleration);
            (self.turn, self.velocity_m_s) = (turn, velocity);
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trajectory::Interpolation;

    /// A bend with a climb, through waypoints.
    fn bend() -> Trajectory {
        let knot = |i: u32| {
            let t = f64::from(i);
            let position = [3.0 * t, t * t, 0.2 * t];
            (t, Pose::from_position_and_rpy_deg(position, [2.0 * t, -t, 12.0 * t]))
        };
        let knots = (0..6).map(knot).collect();
        Trajectory::through(knots).unwrap().interpolated(Interpolation::Spline)
    }

    #[test]
    fn samples_without_errors_give_the_motion_back() {
        let truth = bend();
        let imu = Imu { rate_hz: 400.0, ..Imu::exact() };
        let mut samples = ImuSamples::default();
        // However the time is cut.
        let mount = Pose::from_position_and_rpy_deg([0.4, -0.2, 1.1], [1.0, 20.0, -70.0]);
        let mut stream = ImuStream::new(&imu, &truth, mount, 1);
        [0.001, 1.3, 1.3, 4.99].into_iter().for_each(|until| stream.advance(until, &mut samples));
        assert_eq!(samples.time_s.len(), 1996);
        let start = truth.pose_at(0.0).after(&mount);
        let (mut turn, mut at) = (start.rotation, start.translation);
        let mut velocity = ImuStream::new(&imu, &truth, mount, 1).velocity_m_s;
        let dt = 1.0 / imu.rate_hz;
        for i in 0..samples.time_s.len() {
            let half = DVec3::from(samples.angular_velocity_rad_s[i]) * (0.5 * dt);
            let middle = turn * DQuat::from_scaled_axis(half);
            turn = middle * DQuat::from_scaled_axis(half);
            let felt = middle * DVec3::from(samples.linear_acceleration_m_s2[i]);
            let gained = (felt - DVec3::Z * GRAVITY) * dt;
            at += (velocity + 0.5 * gained) * dt;
            velocity += gained;
        }
        // Behind its last knot the platform stands.
        let end = truth.pose_at(4.99).after(&mount);
        assert!(turn.angle_between(end.rotation) < 1e-9, "{}", turn.angle_between(end.rotation));
        // The trapezoidal rule over some 2000 steps.
        assert!(at.distance(end.translation) < 1e-3, "{}", at.distance(end.translation));
    }

    #[test]
    fn a_unit_at_rest_feels_gravity_and_its_own_noise() {
        let truth = Trajectory::fixed(Pose::IDENTITY);
        let imu = Imu {
            rate_hz: 100.0,
            gyro_noise_deg_per_sqrt_h: 0.6,
            accelerometer_noise_ug_per_sqrt_hz: 100.0,
            ..Imu::exact()
        };
        let mut samples = ImuSamples::default();
        ImuStream::new(&imu, &truth, Pose::IDENTITY, 3).advance(400.0, &mut samples);
        let count = samples.time_s.len() as f64;
        assert_eq!(count, 40_000.0);
        // White noise of density n has the variance n²·rate. The sum of 120 000 squares is within
        // 6 standard deviations (P < 1e-8) of its mean.
        let within = 6.0 * (2.0 / (3.0 * count)).sqrt();
        let variance = |rows: &[[f64; 3]], mean: [f64; 3]| {
            let square = |row: &[f64; 3]| (0..3).map(|a| (row[a] - mean[a]).powi(2)).sum::<f64>();
            rows.iter().map(square).sum::<f64>() / (3.0 * count)
        };
        // 0.6°/√h is 0.01°/√s.
        let gyro = (0.01f64.to_radians() * 10.0).powi(2);
        let found = variance(&samples.angular_velocity_rad_s, [0.0; 3]);
        assert!((found / gyro - 1.0).abs() < within, "{found} {gyro}");
        let felt = (100e-6 * 9.80665 * 10.0f64).powi(2);
        let found = variance(&samples.linear_acceleration_m_s2, [0.0, 0.0, 9.80665]);
        assert!((found / felt - 1.0).abs() < within, "{found} {felt}");
    }
}
