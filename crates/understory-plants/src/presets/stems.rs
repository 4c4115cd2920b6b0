//! The grass of theory.

use super::Preset;
use crate::{PlantSpec, StemsSpec};

/// Rows of the table of presets.
pub(crate) const PRESETS: &[Preset] = &[Preset {
    name: "stems",
    description: "upright rods of one size placed at random: the grass of theory",
    make: || PlantSpec::Stems(StemsSpec::default()),
}];
