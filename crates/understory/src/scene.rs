//! The world that the sub-rays meet.

pub mod mesh_file;
