//! What every crate of Understory shares: poses, the normal distribution, files that are read within
//! bounds, and how long work reports how far it is.
//!
//! ```
//! use understory_base::{Pose, normal};
//! let world_from_robot = Pose::from_position_and_rpy_deg([10.0, 0.0, 0.0], [0.0, 0.0, 90.0]);
//! let robot_from_lidar = Pose::from_position_and_rpy_deg([1.0, 0.0, 2.0], [0.0; 3]);
//! let world_from_lidar = world_from_robot.after(&robot_from_lidar);
//! assert!((world_from_lidar.translation - glam::DVec3::new(10.0, 1.0, 2.0)).length() < 1e-12);
//! assert!((normal::cdf(1.959_963_984_540_054) - 0.975).abs() < 1e-12);
//! ```

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod interrupted;
mod pose;
mod progress;

pub mod bounded_file;
pub mod math;
pub mod normal;

pub use interrupted::read_some;
pub use pose::{Pose, Velocity, slerp};
pub use progress::{Progress, Silent};
