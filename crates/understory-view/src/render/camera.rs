//! A pinhole camera: pixels → directions in the world.
//!
//! The camera's own frame is that of every Understory platform: x forward, y left, z up. Pixel
//! coordinates start at the upper left corner of the picture; the middle of the first pixel is
//! (0.5, 0.5). Pixels are square.

use glam::{DMat3, DQuat, DVec3};
use understory::Error;
use understory::world::scene::Scene;
use understory::world::trajectory::Pose;
use understory_base::math;

/// Most pixels along one side of a picture.
pub const MAX_SIDE_PIXELS: u32 = 32_768;

/// Where a default camera stands behind and above the platform.
const BEHIND_M: DVec3 = DVec3::new(-11.0, 0.0, 4.2);
/// What a default camera looks at, seen from the platform.
const AHEAD_M: DVec3 = DVec3::new(9.0, 0.0, -0.8);

/// A camera that was found valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    position_m: DVec3,
    world_from_camera: DMat3,
    size: [u32; 2],
    /// Half the picture's height at a distance of 1.
    half_height: f64,
}

impl Camera {
    /// A camera at a pose, with the angle between the upper and the lower edge of its picture and
    /// the picture's width and height in pixels.
    pub fn new(
        world_from_camera: Pose,
        fov_vertical_deg: f64,
        size: [u32; 2],
    ) -> Result<Camera, Error> {
        if !(fov_vertical_deg > 0.0 && fov_vertical_deg < 180.0) {
            return Err(refuse(
                format!("a field of view of {fov_vertical_deg}° is impossible"),
                "choose one between 0 and 180°, such as 50",
            ));
        }
        let [width, height] = size;
        if !(1..=MAX_SIDE_PIXELS).contains(&width) || !(1..=MAX_SIDE_PIXELS).contains(&height) {
            return Err(refuse(
                format!("a picture of {width} × {height} pixels is impossible"),
                format!("choose 1 to {MAX_SIDE_PIXELS} pixels for each side"),
            ));
        }
        let Pose { rotation, translation } = world_from_camera;
        if !translation.is_finite() || !rotation.is_finite() || rotation.length_squared() < 1e-12 {
            return Err(refuse(
                format!("{translation} with this rotation is no pose"),
                "give finite numbers",
            ));
        }
        Ok(Camera {
            position_m: translation,
            world_from_camera: DMat3::from_quat(rotation.normalize()),
            size,
            half_height: math::tan(fov_vertical_deg.to_radians() * 0.5),
        })
    }

    /// A camera that looks at a point, upright; straight up or down, the picture's upper edge is
    /// towards x.
    pub fn looking_at(
        position_m: DVec3,
        target_m: DVec3,
        fov_vertical_deg: f64,
        size: [u32; 2],
    ) -> Result<Camera, Error> {
        let Some(forward) = (target_m - position_m).try_normalize() else {
            return Err(refuse(
                format!("it is at {position_m} and looks at {target_m}"),
                "choose two different points of finite coordinates",
            ));
        };
        let rotation = upright(forward);
        let pose = Pose { rotation, translation: position_m };
        Camera::new(pose, fov_vertical_deg, size)
    }

    /// A camera behind and above a platform that looks where the platform goes. Something in
    /// between, such as the wall of a room, brings it nearer.
    pub fn behind(
        scene: &Scene,
        world_from_platform: &Pose,
        fov_vertical_deg: f64,
        size: [u32; 2],
    ) -> Result<Camera, Error> {
        let ahead = world_from_platform.rotation * DVec3::X;
        let level = DVec3::new(ahead.x, ahead.y, 0.0).try_normalize().unwrap_or(DVec3::X);
        let level_from_ahead = DMat3::from_cols(level, DVec3::Z.cross(level), DVec3::Z);
        let platform_m = world_from_platform.translation;
        let back = level_from_ahead * BEHIND_M;
        let (direction, distance_m) = (back.normalize(), back.length());
        let hit = scene.rays.trace_ray(platform_m, direction.as_vec3(), distance_m as f32);
        let distance_m = hit.map_or(distance_m, |hit| 0.85 * f64::from(hit.t));
        let target_m = platform_m + level_from_ahead * AHEAD_M;
        Camera::looking_at(platform_m + direction * distance_m, target_m, fov_vertical_deg, size)
    }

    /// Where it is in the world.
    pub fn position_m(&self) -> DVec3 {
        self.position_m
    }

    /// Which way it looks, unit length.
    pub fn forward(&self) -> DVec3 {
        self.world_from_camera.x_axis
    }

    /// Width and height of its picture in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// How many pixels a metre across the view takes at a distance.
    pub fn pixels_at(&self, distance_m: f64) -> f64 {
        f64::from(self.size[1]) / (2.0 * self.half_height * distance_m.max(1e-9))
    }

    /// Direction in the world of a point of the picture, unit length.
    pub fn direction(&self, x_pixels: f64, y_pixels: f64) -> DVec3 {
        let [width, height] = self.size.map(f64::from);
        let per_pixel = 2.0 * self.half_height / height;
        let left = (width * 0.5 - x_pixels) * per_pixel;
        let up = (height * 0.5 - y_pixels) * per_pixel;
        (self.world_from_camera * DVec3::new(1.0, left, up)).normalize()
    }

    /// The pixel that shows a point of the world, column and row; `None` behind the camera and
    /// outside of the picture.
    pub fn pixel_of(&self, point_m: DVec3) -> Option<[u32; 2]> {
        let seen = self.world_from_camera.transpose() * (point_m - self.position_m);
        let [width, height] = self.size.map(f64::from);
        let per_pixel = 2.0 * self.half_height / height;
        let x = width * 0.5 - seen.y / seen.x / per_pixel;
        let y = height * 0.5 - seen.z / seen.x / per_pixel;
        let inside = (0.0..width).contains(&x) && (0.0..height).contains(&y);
        (seen.x > 0.0 && inside).then_some([x as u32, y as u32])
    }
}

/// The rotation that turns x to `forward` and keeps y level.
fn upright(forward: DVec3) -> DQuat {
    let left = DVec3::Z.cross(forward).try_normalize().unwrap_or(DVec3::Y);
    // Straight up or down y is left or right of x, so that x is at the upper edge from above.
    let up = forward.cross(left);
    DQuat::from_mat3(&DMat3::from_cols(forward, left, up)).normalize()
}

fn refuse(problem: String, remedy: impl Into<String>) -> Error {
    Error::invalid("camera", problem, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_looks_at_the_target_and_the_edges_span_the_field_of_view() {
        let (from, to) = (DVec3::new(3.0, -2.0, 7.0), DVec3::new(10.0, 5.0, 1.0));
        let camera = Camera::looking_at(from, to, 60.0, [400, 200]).unwrap();
        let middle = camera.direction(200.0, 100.0);
        assert!((middle - (to - from).normalize()).length() < 1e-12);
        let (top, bottom) = (camera.direction(200.0, 0.0), camera.direction(200.0, 200.0));
        assert!((top.angle_between(bottom).to_degrees() - 60.0).abs() < 1e-9);
        assert!(top.z > bottom.z);
        // The picture is upright: its middle row is level, and its right is on the right hand.
        let right = camera.direction(400.0, 100.0) - camera.direction(0.0, 100.0);
        assert!(right.z.abs() < 1e-12 && middle.cross(DVec3::Z).dot(right) > 0.0);
        // Square pixels: twice as wide as high.
        let half_width = middle.angle_between(camera.direction(400.0, 100.0)).tan();
        assert!((half_width - 2.0 * 30f64.to_radians().tan()).abs() < 1e-9);
    }

    #[test]
    fn straight_down_is_possible() {
        let camera =
            Camera::looking_at(DVec3::new(0.0, 0.0, 9.0), DVec3::ZERO, 90.0, [3, 3]).unwrap();
        assert!((camera.direction(1.5, 1.5) - DVec3::NEG_Z).length() < 1e-12);
        assert!(camera.direction(1.5, 0.0).x > 0.5);
    }

    #[test]
    fn impossible_cameras_are_refused_in_one_sentence() {
        let at = |fov, size| Camera::new(Pose::IDENTITY, fov, size);
        for (bad, word) in [
            (at(0.0, [4, 4]), "field of view"),
            (at(180.0, [4, 4]), "field of view"),
            (at(f64::NAN, [4, 4]), "field of view"),
            (at(50.0, [0, 4]), "0 × 4"),
            (at(50.0, [4, 32_769]), "32769"),
            (Camera::looking_at(DVec3::ONE, DVec3::ONE, 50.0, [4, 4]), "looks at"),
            (Camera::looking_at(DVec3::NAN, DVec3::ONE, 50.0, [4, 4]), "looks at"),
        ] {
            let message = bad.unwrap_err().to_string();
            assert!(message.contains(word) && message.starts_with("camera: "), "{message}");
        }
    }
}
