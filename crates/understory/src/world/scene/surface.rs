//! What lies at a hit, as the records name it.

/// What lies at a hit, as the records name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Object, from 1; 0: the air.
    pub object: u32,
    /// Material, from 1; 0: the air.
    pub material: u16,
    /// Semantic class.
    pub label: u16,
    /// Volume of a learned site, from 1; 0: none.
    pub volume: u32,
}

impl Surface {
    /// An echo from the air: no object, no material, and the class `outlier` of SemanticKITTI.
    pub const AIR: Surface = Surface { object: 0, material: 0, label: 1, volume: 0 };
}
