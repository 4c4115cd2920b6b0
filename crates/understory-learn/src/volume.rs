//! One Gaussian volume: its shape, how much light it lets through, and where in it a beam ends.

pub(crate) mod beer_lambert;
pub(crate) mod exponential;
pub(crate) mod gaussian;
pub(crate) mod moments;
pub(crate) mod permeability;
pub mod range_draw;

pub use gaussian::{Approach, Gaussian, PointUncertainty, Regularisation};
pub use permeability::{BeamCounts, Fate, fate};
