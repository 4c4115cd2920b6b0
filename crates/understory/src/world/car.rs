//! A car as triangles: the body of a saloon and its wheels, in some hundred triangles.
//!
//! What leaves: [`CarPart`]s in the frame of the car, which is x forward, y left, z up, with its
//! origin on the ground in the middle between the axles and the sides. The body is drawn from its
//! outline seen from the side: where it begins and ends above the ground at each place along the
//! car, with the arches of the wheels cut out. The cabin stands on it and leans inwards.

use crate::world::motion::{Motion, Repeat};
use crate::world::physics::{Command, VehicleSpec, WheelSpec};
use crate::world::scene::shape::ShapeMesh;
use crate::world::trajectory::{Pose, Trajectory};
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;
use understory_base::math;

/// Length, width and height.
pub const CAR_SIZE_M: [f64; 3] = [4.4, 1.8, 1.45];
/// Radius of a wheel.
pub const WHEEL_RADIUS_M: f64 = 0.31;
const WHEEL_WIDTH_M: f64 = 0.2;
const WHEELBASE_M: f64 = 2.65;
const TRACK_M: f64 = 1.54;
const RIM_RADIUS_M: f64 = 0.21;
const ARCH_RADIUS_M: f64 = 0.37;
const SILL_M: f64 = 0.22;
/// Length of a spring when the car stands.
const SPRING_M: f64 = 0.22;
/// Over the mass, for each wheel: the body swings with 1.7 Hz.
const STIFFNESS_PER_S2: f64 = 30.0;
const GRAVITY_M_S2: f64 = 9.81;
/// Poses a second of wheels that roll along with keyframes.
const ROLLING_HZ: f64 = 100.0;

/// What a triangle of a car is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarSurface {
    /// Painted metal.
    Paint,
    /// Windows.
    Glass,
    /// Tyres.
    Tyre,
    /// Rims.
    Rim,
    /// Number plates.
    Plate,
}

impl CarSurface {
    /// All of them; [`CarPart::surfaces`] are in this order by `as usize`.
    pub const ALL: [CarSurface; 5] = [
        CarSurface::Paint,
        CarSurface::Glass,
        CarSurface::Tyre,
        CarSurface::Rim,
        CarSurface::Plate,
    ];

    /// The material of the library that it has where the scenario says nothing.
    pub fn material_name(self) -> &'static str {
        match self {
            CarSurface::Paint => "paint-red",
            CarSurface::Glass => "glass",
            CarSurface::Tyre => "paint-black",
            CarSurface::Rim => "metal",
            CarSurface::Plate => "licence-plate",
        }
    }
}

/// A part of a car.
#[derive(Clone, Debug, Default)]
pub struct CarPart {
    /// Its triangles.
    pub mesh: ShapeMesh,
    /// What each of them is made of.
    pub surfaces: Vec<CarSurface>,
}

impl CarPart {
    fn quad(&mut self, corners: [DVec3; 4], surface: CarSurface) {
        let first = self.mesh.positions.len() as u32;
        self.mesh.positions.extend(corners);
        for triangle in [[first, first + 1, first + 2], [first, first + 2, first + 3]] {
            let [a, b, c] = triangle.map(|i| self.mesh.positions[i as usize]);
            if (b - a).cross(c - a).length() > 1e-9 {
                self.mesh.triangles.push(triangle);
                self.surfaces.push(surface);
            }
        }
    }

    /// A shell between cross-sections along x, each with its bottom and top, and half widths there.
    fn shell(&mut self, sections: &[Section], side: CarSurface, top: impl Fn(usize) -> CarSurface) {
        let corners = |s: &Section| {
            [(-1.0, false), (1.0, false), (1.0, true), (-1.0, true)].map(|(sign, up)| {
                let (z, half) = if up { (s.top, s.half_top) } else { (s.bottom, s.half_bottom) };
                DVec3::new(s.x, sign * half, z)
            })
        };
        for (index, pair) in sections.windows(2).enumerate() {
            let ([a, b, c, d], [e, f, g, h]) = (corners(&pair[0]), corners(&pair[1]));
            self.quad([a, b, f, e], CarSurface::Paint);
            self.quad([b, c, g, f], side);
            self.quad([c, d, h, g], top(index));
            self.quad([d, a, e, h], side);
        }
        if let [first, .., last] = sections {
            let ([a, b, c, d], [e, f, g, h]) = (corners(first), corners(last));
            self.quad([a, d, c, b], CarSurface::Paint);
            self.quad([e, f, g, h], CarSurface::Paint);
        }
    }
}

#[derive(Clone, Copy)]
struct Section {
    x: f64,
    bottom: f64,
    top: f64,
    half_bottom: f64,
    half_top: f64,
}

/// Between points of rising x, constant outside.
fn curve(points: &[(f64, f64)], x: f64) -> f64 {
    let next = points.partition_point(|point| point.0 <= x);
    match (next.checked_sub(1).and_then(|i| points.get(i)), points.get(next)) {
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0),
        (Some(end), None) | (None, Some(end)) => end.1,
        (None, None) => 0.0,
    }
}

/// Body and cabin.
pub fn body() -> CarPart {
    let half_length = CAR_SIZE_M[0] / 2.0;
    let axles = [-WHEELBASE_M / 2.0, WHEELBASE_M / 2.0];
    let mut stations: Vec<f64> = vec![-half_length, -2.1, 0.0, 0.75, 1.0, 2.0, half_length];
    for axle in axles {
        // The arch by equal angles, and below both its ends walls that are almost upright.
        let reach = ARCH_RADIUS_M;
        stations.extend([axle - reach - 1e-3, axle + reach + 1e-3]);
        stations.extend((0..=12).map(|i| axle + reach * -math::cos(PI * f64::from(i) / 12.0)));
    }
    stations.sort_by(f64::total_cmp);
    let bottom = |x: f64| {
        let arch = axles.iter().map(|axle| ARCH_RADIUS_M.powi(2) - (x - axle).powi(2));
        let arch =
            arch.filter(|rest| *rest >= -1e-9).map(|rest| WHEEL_RADIUS_M + rest.max(0.0).sqrt());
        let low = curve(
            &[(-half_length, 0.36), (-2.1, 0.3), (-1.8, SILL_M), (1.8, SILL_M), (half_length, 0.3)],
            x,
        );
        arch.fold(low, f64::max)
    };
    let top = [
        (-half_length, 0.82),
        (-2.1, 0.95),
        (-1.75, 0.98),
        (0.95, 0.92),
        (2.0, 0.74),
        (half_length, 0.6),
    ];
    let width = [
        (-half_length, 0.74),
        (-1.9, 0.88),
        (-1.0, 0.9),
        (1.0, 0.9),
        (1.9, 0.86),
        (half_length, 0.68),
    ];
    let sections: Vec<Section> = stations
        .iter()
        .map(|&x| {
            let half = curve(&width, x);
            Section { x, bottom: bottom(x), top: curve(&top, x), half_bottom: half, half_top: half }
        })
        .collect();
    let mut part = CarPart::default();
    part.shell(&sections, CarSurface::Paint, |_| CarSurface::Paint);
    let roof = CAR_SIZE_M[2];
    let cabin =
        [(-1.75, 0.98), (-0.85, roof - 0.01), (-0.3, roof), (0.2, roof - 0.01), (0.95, 0.92)];
    let cabin = cabin.map(|(x, z)| Section {
        x,
        bottom: curve(&top, x) - 0.01,
        top: z,
        half_bottom: 0.82,
        half_top: 0.82 - 0.42 * (z - curve(&top, x)).max(0.0),
    });
    let windows = |index: usize| match index {
        0 | 3 => CarSurface::Glass,
        _ => CarSurface::Paint,
    };
    part.shell(&cabin, CarSurface::Glass, windows);
    // Backs of the seats.
    for x in [-0.95, 0.0] {
        let seat =
            |x: f64, top: f64| Section { x, bottom: 0.9, top, half_bottom: 0.68, half_top: 0.6 };
        let inside = |_: usize| CarSurface::Tyre;
        part.shell(
            &[seat(x - 0.12, 1.2), seat(x, 1.2), seat(x + 0.05, 0.95)],
            CarSurface::Tyre,
            inside,
        );
    }
    for (x, z, sign) in [(half_length, 0.45, 1.0), (-half_length, 0.6, -1.0)] {
        let at = |y: f64, dz: f64| DVec3::new(x + sign * 0.004, sign * y * 0.26, z + dz * 0.055);
        part.quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)], CarSurface::Plate);
    }
    part
}

/// A wheel around the origin, its axle along y. Rims have five spokes, so that lidars see it turn.
pub fn wheel() -> CarPart {
    const SIDES: u32 = 40;
    let mut part = CarPart::default();
    let at = |radius: f64, y: f64, i: u32| {
        let (sin, cos) = math::sin_cos(TAU * f64::from(i) / f64::from(SIDES));
        DVec3::new(radius * cos, y, radius * sin)
    };
    let half = WHEEL_WIDTH_M / 2.0;
    for i in 0..SIDES {
        let ring = |r: f64, y: f64| [at(r, y, i), at(r, y, i + 1)];
        let [a, b] = ring(WHEEL_RADIUS_M, -half);
        let [c, d] = ring(WHEEL_RADIUS_M, half);
        part.quad([a, c, d, b], CarSurface::Tyre);
        for side in [-1.0, 1.0] {
            let face = |part: &mut CarPart, corners: [DVec3; 4], surface| {
                let [a, b, c, d] = corners;
                part.quad(if side < 0.0 { [a, b, c, d] } else { [d, c, b, a] }, surface);
            };
            let ([a, b], [c, d]) =
                (ring(WHEEL_RADIUS_M, side * half), ring(RIM_RADIUS_M, side * half));
            face(&mut part, [a, b, d, c], CarSurface::Tyre);
            // Every other eighth of a fifth lies deeper: spokes and gaps.
            let spoke = i % (SIDES / 5) < SIDES / 10;
            let (depth, surface) =
                if spoke { (0.01, CarSurface::Rim) } else { (0.06, CarSurface::Tyre) };
            let [e, f] = ring(RIM_RADIUS_M, side * (half - depth));
            face(&mut part, [c, d, f, e], CarSurface::Rim);
            let hub = DVec3::new(0.0, side * (half - depth), 0.0);
            face(&mut part, [e, f, hub, hub], surface);
        }
    }
    part
}

/// Middles of the wheels when the car stands: front left, front right, rear left, rear right.
pub fn wheel_centres_m() -> [DVec3; 4] {
    [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        .map(|(x, y)| DVec3::new(x * WHEELBASE_M, y * TRACK_M, 2.0 * WHEEL_RADIUS_M) / 2.0)
}

/// Wheels of a car that follows keyframes: they roll as far as the car goes forwards.
pub fn rolling_wheels(motion: &Motion, duration_s: f64) -> Vec<Motion> {
    let steps = (duration_s * ROLLING_HZ).ceil().clamp(1.0, 1e6);
    let time_s = |step: f64| duration_s * step / steps;
    let mut angles = vec![(0.0, 0.0)];
    let (mut before, mut angle) = (motion.pose_at(0.0), 0.0);
    for step in 1..=steps as u32 {
        let at_s = time_s(f64::from(step));
        let now = motion.pose_at(at_s);
        let way = before.rotation.inverse() * (now.translation - before.translation);
        angle += way.x / WHEEL_RADIUS_M;
        angles.push((at_s, angle));
        before = now;
    }
    let track = |centre: DVec3| {
        let knots = angles.iter().map(|(at_s, angle)| {
            (*at_s, Pose { rotation: DQuat::from_rotation_y(*angle), translation: centre })
        });
        Some(Motion::new(Arc::new(Trajectory::through(knots.collect())?), Repeat::Hold))
    };
    wheel_centres_m().into_iter().filter_map(track).collect()
}

/// The car as physics knows it.
pub fn vehicle(commands: Vec<Command>) -> VehicleSpec {
    let wheels = wheel_centres_m().map(|centre| WheelSpec {
        mount_m: centre + DVec3::Z * SPRING_M,
        radius_m: WHEEL_RADIUS_M,
        steered: centre.x > 0.0,
    });
    VehicleSpec {
        wheels: wheels.to_vec(),
        wheelbase_m: WHEELBASE_M,
        mass_kg: 1300.0,
        centre_of_mass_m: DVec3::new(0.0, 0.0, 0.5),
        inertia_box_m: [CAR_SIZE_M[0], CAR_SIZE_M[1], 1.2],
        spring_rest_m: SPRING_M + GRAVITY_M_S2 / (4.0 * STIFFNESS_PER_S2),
        spring_travel_m: 0.25,
        stiffness_per_s2: STIFFNESS_PER_S2,
        damping_per_s: [1.8, 2.4],
        tyre_friction: 0.9,
        acceleration_max_m_s2: 4.0,
        braking_max_m_s2: 8.0,
        commands,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(part: &CarPart) -> (DVec3, DVec3) {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        part.mesh.positions.iter().fold(start, |(low, high), p| (low.min(*p), high.max(*p)))
    }

    /// Six times the volume of the solid that triangles enclose: above 0 where they face outwards.
    fn volume(part: &CarPart) -> f64 {
        let corner = |i: u32| part.mesh.positions[i as usize];
        let each = part.mesh.triangles.iter();
        each.map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum::<f64>() / 6.0
    }

    #[test]
    fn a_car_has_the_size_of_a_car_and_faces_outwards() {
        let body = body();
        let (low, high) = bounds(&body);
        assert!(((high - low) - DVec3::from(CAR_SIZE_M)).abs().max_element() < 0.25);
        assert!((high.z - CAR_SIZE_M[2]).abs() < 1e-9 && low.z > 0.15, "{low} {high}");
        assert_eq!(body.surfaces.len(), body.mesh.triangles.len());
        let triangles = body.surfaces.len() + 4 * wheel().surfaces.len();
        assert!((300..4000).contains(&triangles), "{triangles}");
        // A saloon has 7 to 11 m³ in its outline.
        assert!((5.0..11.0).contains(&volume(&body)), "{}", volume(&body));
    }

    #[test]
    fn a_wheel_is_round_and_faces_outwards() {
        let wheel = wheel();
        let (low, high) = bounds(&wheel);
        assert!((high.x - WHEEL_RADIUS_M).abs() < 1e-9 && (low.x + WHEEL_RADIUS_M).abs() < 1e-9);
        assert!((high.y - low.y - WHEEL_WIDTH_M).abs() < 1e-12);
        let full = PI * WHEEL_RADIUS_M.powi(2) * WHEEL_WIDTH_M;
        assert!((0.7 * full..full).contains(&volume(&wheel)), "{} {full}", volume(&wheel));
    }

    /// A wheel that rolls without slipping turns by the way over its radius, forwards and back.
    #[test]
    fn wheels_roll_as_far_as_the_car_drives() {
        let knot = |time_s, x, yaw_deg| {
            (time_s, Pose::from_position_and_rpy_deg([x, 0.0, 0.0], [0.0, 0.0, yaw_deg]))
        };
        // Towards −y it slides sideways and no wheel turns.
        for (yaw_deg, share) in [(0.0, 1.0), (180.0, -1.0), (90.0, 0.0)] {
            let track = Trajectory::through(vec![knot(0.0, 0.0, yaw_deg), knot(2.0, 3.0, yaw_deg)]);
            let motion = Motion::new(Arc::new(track.unwrap()), Repeat::Hold);
            let wheels = rolling_wheels(&motion, 2.0);
            assert_eq!(wheels.len(), 4);
            for (wheel, centre) in wheels.iter().zip(wheel_centres_m()) {
                let pose = wheel.pose_at(0.4);
                let wanted = DQuat::from_rotation_y(share * 0.6 / WHEEL_RADIUS_M);
                assert!(pose.rotation.angle_between(wanted) < 1e-6, "{yaw_deg}");
                assert_eq!(pose.translation, centre);
            }
        }
    }
}
