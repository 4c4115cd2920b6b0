//! A plant as a mesh with its measures.

use glam::DVec3;

/// What a triangle of a plant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Part {
    /// Leaf, needle or blade: thin, both sides alike.
    Leaf,
    /// Trunk, branch or twig.
    Wood,
    /// Green stem, culm.
    Stem,
    /// Ear, flower or fruit.
    Fruit,
}

/// A mesh of one plant (or one patch of many small ones), standing on z = 0 around the origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plant {
    /// Vertices in metres.
    pub positions: Vec<DVec3>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// What each triangle is; as long as `triangles`.
    pub parts: Vec<Part>,
}

/// What is known of a plant, measured on its triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantMeasures {
    /// One-sided area of all leaves.
    pub leaf_area_m2: f64,
    /// Surface of everything else, as seen from one side (half the surface of closed tubes).
    pub wood_area_m2: f64,
    /// Highest vertex.
    pub height_m: f64,
    /// Largest horizontal extent.
    pub spread_m: f64,
    /// Number of triangles.
    pub triangles: usize,
    /// One-sided plant area per layer of equal thickness from the ground up.
    pub area_profile_m2: Vec<f64>,
    /// Thickness of the layers of the profile.
    pub layer_m: f64,
}
