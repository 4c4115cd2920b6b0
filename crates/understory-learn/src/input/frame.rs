//! Whether points are in the world or in the frame of their sensor, where a pose was given and nobody
//! said: the rings tell.
//!
//! A spinning sensor sends its beams at a few elevations. Seen from where the sensor was, its points
//! have those elevations and no others; seen from anywhere else they have all. So the entropy of the
//! elevations is least in the right frame.

use glam::DVec3;
use understory_base::math;
use understory_cloud::{Frame, Recording, Records};

use super::options::Input;
use crate::LearnError;
use crate::scan_motion::inverse;

/// Points that are looked at.
const POINTS: usize = 40_000;
/// Fewer tell nothing.
const POINTS_LEAST: usize = 500;
/// Elevations are told apart in steps of this angle.
const STEP_DEG: f64 = 0.1;
/// By how much the entropy must be less in the sensor's frame, in nats.
const CLEARLY: f64 = 0.35;
/// A sensor nearer than this to the origin tells nothing.
const AWAY_M: f64 = 0.3;

/// Recognises recordings with a pose whose points are in the sensor's frame although their format means
/// the world's, and takes them so; says that it did.
pub fn recognise_frames(inputs: &mut [Input]) -> Result<Vec<String>, LearnError> {
    let asks = |input: &Input| {
        input.options.points_in.is_none()
            && input.options.trajectory.is_none()
            && input.pose().is_some_and(|pose| pose.translation.length() > AWAY_M)
    };
    // One of them tells for all: the one farthest from the origin tells most.
    let far = |input: &Input| input.pose().map_or(0.0, |pose| pose.translation.length());
    let Some(asked) =
        inputs.iter().filter(|input| asks(input)).max_by(|a, b| far(a).total_cmp(&far(b)))
    else {
        return Ok(Vec::new());
    };
    if !is_in_sensor_frame(asked)? {
        return Ok(Vec::new());
    }
    inputs
        .iter_mut()
        .filter(|input| input.options.points_in.is_none())
        .for_each(|input| input.options.points_in = Some(Frame::Sensor));
    Ok(vec![
        "points are taken to be in the sensor's frame, as their rings show; --points-in says otherwise"
            .to_owned(),
    ])
}

/// Whether the points of a recording, taken for the world's, have rings about the origin rather than
/// about the pose that was given.
fn is_in_sensor_frame(input: &Input) -> Result<bool, LearnError> {
    let Some(pose) = input.pose() else { return Ok(false) };
    let mut options = input.options.clone();
    options.points_in = Some(Frame::World);
    let mut recording = Recording::open(&input.path, &options)?;
    let sensor_from_world = inverse(&pose);
    let (mut about_origin, mut about_pose) = (Vec::new(), Vec::new());
    let mut batch = Records::default();
    // Formats whose points are the sensor's by their own rule need no guess.
    let mut natural = Records::default();
    Recording::open(&input.path, &input.options)?.next_batch(&mut natural)?;
    let first = natural.world_xyz_m.iter().find(|point| point[0].is_finite()).copied();
    while about_origin.len() < POINTS && recording.next_batch(&mut batch)? {
        let known = batch.world_xyz_m.iter().find(|point| point[0].is_finite()).copied();
        if about_origin.is_empty() && known != first {
            return Ok(false);
        }
        for row in (0..batch.len()).filter(|row| !batch.is_miss(*row)) {
            let point = DVec3::from(batch.world_xyz_m[row]);
            let turned = sensor_from_world.rotation * point + sensor_from_world.translation;
            about_origin.push(elevation_deg(point));
            about_pose.push(elevation_deg(turned));
        }
    }
    if about_origin.len() < POINTS_LEAST {
        return Ok(false);
    }
    Ok(entropy(&about_origin) + CLEARLY < entropy(&about_pose))
}

fn elevation_deg(point: DVec3) -> f64 {
    math::atan2(point.z, math::hypot(point.x, point.y)).to_degrees()
}

/// Entropy of angles in bins, in nats.
fn entropy(angles_deg: &[f64]) -> f64 {
    let bins = (180.0 / STEP_DEG) as usize + 1;
    let mut counts = vec![0u32; bins];
    for angle in angles_deg {
        counts[(((angle + 90.0) / STEP_DEG).max(0.0) as usize).min(bins - 1)] += 1;
    }
    let all = angles_deg.len().max(1) as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|share| -share * math::ln(share))
        .sum()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use glam::{DMat3, DQuat};
    use understory_cloud::ReadOptions;

    use super::*;

    /// Sixteen rings in a hilly world, as text in the sensor's frame or in the world's.
    fn scan(in_world: bool) -> (tempfile::TempDir, Input) {
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join("scan.csv");
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::ZYX, 0.7, 0.03, -0.02));
        let at = DVec3::new(6.0, -3.0, 1.5);
        let mut text = String::from("x_m,y_m,z_m\n");
        for column in 0..300 {
            for ring in 0..16 {
                let azimuth = f64::from(column) * 0.0209;
                let elevation = (f64::from(ring) * 2.0 - 15.0f64).to_radians();
                let range = 6.0 + 3.0 * (azimuth * 3.0).sin() + 0.2 * f64::from(ring % 5);
                let own = DVec3::new(
                    elevation.cos() * azimuth.cos(),
                    elevation.cos() * azimuth.sin(),
                    elevation.sin(),
                ) * range;
                let point = if in_world { turn * own + at } else { own };
                text += &format!("{:.4},{:.4},{:.4}\n", point.x, point.y, point.z);
            }
        }
        std::fs::write(&path, text).unwrap();
        let row = |k: usize| [turn.x_axis[k], turn.y_axis[k], turn.z_axis[k], at[k]];
        let pose = Some([row(0), row(1), row(2)]);
        (folder, Input::new(path, ReadOptions { pose, ..ReadOptions::default() }))
    }

    #[test]
    fn rings_tell_the_frame() {
        let (_folder, input) = scan(false);
        let mut inputs = [input];
        let remarks = recognise_frames(&mut inputs).unwrap();
        assert_eq!((remarks.len(), inputs[0].options.points_in), (1, Some(Frame::Sensor)));
        let (_folder, input) = scan(true);
        let mut inputs = [input];
        assert!(recognise_frames(&mut inputs).unwrap().is_empty());
        assert_eq!(inputs[0].options.points_in, None);
    }

    /// Who says it is asked no more.
    #[test]
    fn what_was_said_stands() {
        let (_folder, mut input) = scan(false);
        input.options.points_in = Some(Frame::World);
        let mut inputs = [input];
        assert!(recognise_frames(&mut inputs).unwrap().is_empty());
        assert_eq!(inputs[0].options.points_in, Some(Frame::World));
    }
}
