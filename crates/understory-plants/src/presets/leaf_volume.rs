//! Leaves placed at random, for tests.

use super::Preset;
use crate::{LeafVolumeSpec, PlantSpec};

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[Preset {
    name: "leaf-volume",
    description: "a cubic metre of small leaves placed at random, leaf area index 2: for tests",
    make: || PlantSpec::LeafVolume(LeafVolumeSpec::default()),
}];
