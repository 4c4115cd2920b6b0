//! Which instructions the tracer uses, where someone wants others than the fastest: to compare them.

use clap::ValueEnum;
use understory_geometry::{GeometryError, InstructionSet};

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Instructions {
    /// 16 rays in one register
    Avx512,
    /// 16 rays in two registers
    Avx2,
    /// What every machine of this kind has
    Portable,
}

impl Instructions {
    /// Everything that is traced from now on is traced with them.
    pub fn prefer(self) -> Result<(), GeometryError> {
        match self {
            Instructions::Avx512 => InstructionSet::Avx512,
            Instructions::Avx2 => InstructionSet::Avx2,
            Instructions::Portable => InstructionSet::Portable,
        }
        .prefer()
    }
}
