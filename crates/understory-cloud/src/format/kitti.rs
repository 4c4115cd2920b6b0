//! KITTI and SemanticKITTI: a folder with a file for each scan, their poses and times.

pub(crate) mod read;
pub(super) mod write;
