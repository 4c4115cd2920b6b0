//! The arithmetic of the traversal, once as a trait and thrice in instructions.
//!
//! [`Vector`] is a row of f32 lanes, [`Isa`] the three widths that the traversal needs. Every
//! operation is exactly rounded or exact, and none depends on the width of a register, so AVX-512,
//! AVX2 and the portable twin give the same bits.
//!
//! The methods of the x86 types may only run on a machine that has their instructions:
//! [`InstructionSet::available`] asks the machine.

use std::sync::OnceLock;

use crate::GeometryError;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod portable;

/// A row of f32 lanes. Masks have one bit per lane, lane 0 lowest.
///
/// `min` and `max` give the second operand when either is NaN or both are zero, as x86 does.
pub(crate) trait Vector: Copy {
    fn splat(x: f32) -> Self;
    /// Reads one lane per element.
    ///
    /// # Safety
    /// `source` is valid for reads of all lanes.
    unsafe fn load(source: *const f32) -> Self;
    /// Writes one lane per element.
    ///
    /// # Safety
    /// `target` is valid for writes of all lanes.
    unsafe fn store(self, target: *mut f32);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `self · factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `self · factor − subtrahend`, rounded once.
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn le(self, other: Self) -> u32;
    fn lt(self, other: Self) -> u32;
    /// `other` in the lanes of `mask`, `self` in the rest.
    fn replace(self, mask: u32, other: Self) -> Self;
    /// Smallest of the lanes in `mask`, infinity if there is none.
    fn min_of(self, mask: u32) -> f32;
    /// Largest of the lanes in `mask`, −infinity if there is none.
    fn max_of(self, mask: u32) -> f32;
}

/// An instruction set: the rays of a pulse, the children of a node, the triangles of a pack.
pub(crate) trait Isa: Sized {
    type Rays: Vector;
    type Children: Vector;
    type Triangles: Vector;

    /// Asks for the cache line at `address` ahead of its use; any address will do.
    fn prefetch(address: *const u8);

    /// Writes `first` plus the number of each bit of `mask`, lowest first, one after the other;
    /// what follows the last of them, up to eight in all, is overwritten with anything.
    ///
    /// # Safety
    /// `target` is valid for writes of 8 numbers, and `mask` is below 256.
    unsafe fn write_places(mask: u32, first: u32, target: *mut u32);
}

/// Which instructions the tracer uses; the hits are the same with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// 16 rays in one register.
    Avx512,
    /// 16 rays in two registers.
    Avx2,
    /// No more than the compiler's target has.
    Portable,
}

/// The variable that forbids faster instructions than those that it names.
const VARIABLE: &str = "UNDERSTORY_INSTRUCTIONS";

impl InstructionSet {
    /// All that this machine has and `UNDERSTORY_INSTRUCTIONS` allows, the fastest first.
    pub fn available() -> Vec<InstructionSet> {
        static AVAILABLE: OnceLock<Vec<InstructionSet>> = OnceLock::new();
        let available = AVAILABLE.get_or_init(|| {
            // What it cannot mean, a program refuses when it starts.
            let fastest = InstructionSet::allowed().unwrap_or_default();
            let mut sets = InstructionSet::of_the_machine();
            sets.retain(|set| fastest.is_none_or(|fastest| *set >= fastest));
            sets
        });
        available.clone()
    }

    /// The fastest set that `UNDERSTORY_INSTRUCTIONS` allows, if it says anything: `avx512`, `avx2`
    /// or `portable`. It is for comparing them; the hits are the same.
    pub fn allowed() -> Result<Option<InstructionSet>, GeometryError> {
        let Some(word) = std::env::var_os(VARIABLE).filter(|word| !word.is_empty()) else {
            return Ok(None);
        };
        match word.to_str() {
            Some("avx512") => Ok(Some(InstructionSet::Avx512)),
            Some("avx2") => Ok(Some(InstructionSet::Avx2)),
            Some("portable") => Ok(Some(InstructionSet::Portable)),
            _ => {
                let found = word.to_string_lossy().into_owned();
                Err(GeometryError::UnknownInstructions { found })
            }
        }
    }

    fn of_the_machine() -> Vec<InstructionSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
                && std::arch::is_x86_feature_detected!("bmi1")
                && std::arch::is_x86_feature_detected!("popcnt")
            {
                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                {
                    sets.push(InstructionSet::Avx512);
                }
                sets.push(InstructionSet::Avx2);
            }
        }
        sets.push(InstructionSet::Portable);
        sets
    }

    /// Scenes and trees that are made from now on use these instructions; refused where the machine
    /// lacks them, and where others were preferred before.
    pub fn prefer(self) -> Result<(), GeometryError> {
        let has = InstructionSet::available().contains(&self);
        if has && *PREFERRED.get_or_init(|| self) == self {
            Ok(())
        } else {
            Err(GeometryError::MissingInstructions { set: format!("{self:?}") })
        }
    }

    /// What scenes and trees use by themselves: what is preferred, else the fastest.
    pub(crate) fn usual() -> InstructionSet {
        let fastest = || InstructionSet::available().first().copied();
        PREFERRED.get().copied().or_else(fastest).unwrap_or(InstructionSet::Portable)
    }
}

/// What [`InstructionSet::prefer`] was told.
static PREFERRED: OnceLock<InstructionSet> = OnceLock::new();
