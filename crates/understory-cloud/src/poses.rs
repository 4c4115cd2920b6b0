//! Where something was: a rigid motion, and one that changes with time.

mod rigid;
mod text_file;
mod timed;
mod trajectory;

pub(crate) use rigid::Rigid;
pub(crate) use text_file::{Poses, read_poses};
pub use timed::TimedPoses;
pub(crate) use trajectory::Trajectory;
