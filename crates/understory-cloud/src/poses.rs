//! Where something was: a rigid motion, and one that changes with time.

mod trajectory;

pub(crate) use trajectory::{Poses, Rigid, Trajectory, read_poses};
