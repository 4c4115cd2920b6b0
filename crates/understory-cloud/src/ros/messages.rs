//! Messages of ROS 2 as bytes: each function writes one into a [`CdrWriter`].

use super::cdr::CdrWriter;
use crate::Geodetic;
use crate::poses::Rigid;
use glam::{DQuat, DVec3};

/// Time and frame of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a> {
    pub(crate) stamp_ns: i64,
    pub(crate) frame: &'a str,
}

impl Header<'_> {
    fn write(&self, cdr: &mut CdrWriter) {
        time(cdr, self.stamp_ns);
        cdr.string(self.frame);
    }
}

/// Seconds and nanoseconds. Seconds of ROS have 32 bits: a time beyond 2038 stops there.
fn time(cdr: &mut CdrWriter, stamp_ns: i64) {
    let seconds = stamp_ns.div_euclid(1_000_000_000);
    cdr.i32(seconds.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
    cdr.u32(stamp_ns.rem_euclid(1_000_000_000) as u32);
}

/// Quaternion of a rotation as x, y, z, w.
fn quaternion(pose: &Rigid) -> [f64; 4] {
    DQuat::from_mat3(&pose.rotation).normalize().to_array()
}

pub(crate) fn clock(cdr: &mut CdrWriter, stamp_ns: i64) {
    cdr.begin();
    time(cdr, stamp_ns);
}

/// One transform: where `child` is in the frame of the header.
pub(crate) fn transform(cdr: &mut CdrWriter, header: Header<'_>, child: &str, pose: &Rigid) {
    transforms(cdr, &[(header, child, pose)]);
}

/// Several of them.
pub(crate) fn transforms(cdr: &mut CdrWriter, list: &[(Header<'_>, &str, &Rigid)]) {
    cdr.begin();
    cdr.u32(list.len() as u32);
    for (header, child, pose) in list {
        header.write(cdr);
        cdr.string(child);
        cdr.f64s(&pose.translation.to_array());
        cdr.f64s(&quaternion(pose));
    }
}

/// A velocity: metres per second in the world, radians per second about the axes of what moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

impl Twist {
    /// The steady motion that leads from one pose to another.
    pub(crate) fn between(from: &Rigid, to: &Rigid, seconds: f64) -> Twist {
        if seconds.is_nan() || seconds <= 0.0 {
            return Twist::default();
        }
        let turn = DQuat::from_mat3(&(from.rotation.transpose() * to.rotation)).normalize();
        let moved = to.translation - from.translation;
        Twist { linear: moved / seconds, angular: turn.to_scaled_axis() / seconds }
    }

    /// Where this motion leads from `pose`.
    pub(crate) fn carry(&self, pose: &Rigid, seconds: f64) -> Rigid {
        let turn = glam::DMat3::from_quat(DQuat::from_scaled_axis(self.angular * seconds));
        let moved = self.linear * seconds;
        Rigid { rotation: pose.rotation * turn, translation: pose.translation + moved }
    }
}

pub(crate) fn odometry(
    cdr: &mut CdrWriter,
    header: Header<'_>,
    child: &str,
    pose: &Rigid,
    twist: &Twist,
    variance: &[f64; 6],
) {
    cdr.begin();
    header.write(cdr);
    cdr.string(child);
    cdr.f64s(&pose.translation.to_array());
    cdr.f64s(&quaternion(pose));
    let mut covariance = [0.0; 36];
    for (axis, variance) in variance.iter().enumerate() {
        covariance[7 * axis] = *variance;
    }
    cdr.f64s(&covariance);
    // Odometry has both in the moving frame.
    cdr.f64s(&(pose.rotation.transpose() * twist.linear).to_array());
    cdr.f64s(&twist.angular.to_array());
    cdr.f64s(&[0.0; 36]);
}

/// A fix by satellites of GPS, without corrections from elsewhere.
pub(crate) fn nav_sat_fix(
    cdr: &mut CdrWriter,
    header: Header<'_>,
    at: &Geodetic,
    covariance: &[f64; 9],
) {
    const STATUS_FIX: u8 = 0;
    const SERVICE_GPS: u16 = 1;
    const COVARIANCE_TYPE_KNOWN: u8 = 3;
    cdr.begin();
    header.write(cdr);
    cdr.u8(STATUS_FIX);
    cdr.u16(SERVICE_GPS);
    cdr.f64s(&[at.latitude_deg, at.longitude_deg, at.altitude_m]);
    cdr.f64s(covariance);
    cdr.u8(COVARIANCE_TYPE_KNOWN);
}

/// An orientation that is not known has −1 as the first number of its covariance.
pub(crate) fn imu(
    cdr: &mut CdrWriter,
    header: Header<'_>,
    orientation_xyzw: Option<[f64; 4]>,
    angular_velocity: [f64; 3],
    linear_acceleration: [f64; 3],
) {
    cdr.begin();
    header.write(cdr);
    let mut covariance = [0.0; 9];
    if orientation_xyzw.is_none() {
        covariance[0] = -1.0;
    }
    cdr.f64s(&orientation_xyzw.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    cdr.f64s(&covariance);
    cdr.f64s(&angular_velocity);
    cdr.f64s(&[0.0; 9]);
    cdr.f64s(&linear_acceleration);
    cdr.f64s(&[0.0; 9]);
}

/// The numbers of a scan in one plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaserScan<'a> {
    pub(crate) angle_min_rad: f64,
    pub(crate) angle_increment_rad: f64,
    pub(crate) time_increment_s: f64,
    pub(crate) scan_time_s: f64,
    pub(crate) range_m: [f64; 2],
    pub(crate) ranges_m: &'a [f32],
    pub(crate) intensities: &'a [f32],
}

pub(crate) fn laser_scan(cdr: &mut CdrWriter, header: Header<'_>, scan: &LaserScan<'_>) {
    cdr.begin();
    header.write(cdr);
    let steps = scan.ranges_m.len().saturating_sub(1) as f64;
    cdr.f32(scan.angle_min_rad as f32);
    cdr.f32((scan.angle_min_rad + steps * scan.angle_increment_rad) as f32);
    cdr.f32(scan.angle_increment_rad as f32);
    cdr.f32(scan.time_increment_s as f32);
    cdr.f32(scan.scan_time_s as f32);
    cdr.f32(scan.range_m[0] as f32);
    cdr.f32(scan.range_m[1] as f32);
    cdr.f32_sequence(scan.ranges_m);
    cdr.f32_sequence(scan.intensities);
}

/// Types of numbers in a cloud, by ROS's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    I8 = 1,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// The shape of a cloud: name, offset and type of each field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloudShape<'a> {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) fields: &'a [(&'static str, u32, FieldType)],
    pub(crate) point_step: usize,
    pub(crate) is_dense: bool,
}

/// A cloud whose points `fill` puts into place; they are zeros before.
pub(crate) fn point_cloud(
    cdr: &mut CdrWriter,
    header: Header<'_>,
    shape: &CloudShape<'_>,
    fill: impl FnOnce(&mut [u8]),
) {
    cdr.begin();
    header.write(cdr);
    cdr.u32(shape.height as u32);
    cdr.u32(shape.width as u32);
    cdr.u32(shape.fields.len() as u32);
    for &(name, offset, kind) in shape.fields {
        cdr.string(name);
        cdr.u32(offset);
        cdr.u8(kind as u8);
        cdr.u32(1);
    }
    cdr.u8(0);
    cdr.u32(shape.point_step as u32);
    cdr.u32((shape.point_step * shape.width) as u32);
    cdr.byte_sequence(shape.height * shape.width * shape.point_step, fill);
    cdr.u8(u8::from(shape.is_dense));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter turn in two seconds while 3 m are driven: carried on, the next pose follows.
    #[test]
    fn a_twist_carries_to_where_it_came_from() {
        let half = DQuat::from_rotation_z(0.2);
        let from = Rigid::new(half, DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let turn = DQuat::from_scaled_axis(DVec3::new(0.1, -0.3, 0.7));
        let to = Rigid::new(half * turn, DVec3::new(4.0, 2.0, 3.0)).unwrap();
        let twist = Twist::between(&from, &to, 2.0);
        assert!((twist.angular - DVec3::new(0.05, -0.15, 0.35)).length() < 1e-12);
        assert!((twist.linear - DVec3::new(1.5, 0.0, 0.0)).length() < 1e-12);
        let on = twist.carry(&to, 2.0);
        assert!((on.translation - DVec3::new(7.0, 2.0, 3.0)).length() < 1e-12);
        let expected = glam::DMat3::from_quat(half * turn * turn);
        assert!((on.rotation - expected).to_cols_array().iter().all(|x| x.abs() < 1e-12));
        assert_eq!(Twist::between(&from, &to, 0.0), Twist::default());
    }
}
