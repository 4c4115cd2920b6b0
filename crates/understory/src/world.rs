//! What rays meet and how it moves: the scene, the platform's path, moving objects, physics.

pub mod car;
pub mod vegetation_lod;
pub mod motion;
pub mod physics;
pub mod scene;
pub mod trajectory;
pub mod truth;
