//! Whether a recording has colours, or only columns for them.
//!
//! What enters: a recording with columns of red, green and blue. What leaves: whether any row of them
//! is not black. Files that hold every column, and LAS files of a point format with colours, have
//! them where nobody saw any. Reading ends at the first colour.

use super::{Recording, bind};
use crate::format::open_table;
use crate::format::table::Block;
use crate::{CloudError, ReadOptions};
use std::path::Path;

/// Whether any point has a colour other than black.
pub(crate) fn any_colour(path: &Path, options: &ReadOptions) -> Result<bool, CloudError> {
    let mut table = open_table(path, options)?.table;
    let (bound, _) = bind(&table.columns());
    let colours = bound.iter().filter(|bound| ["red", "green", "blue"].contains(&bound.to.name));
    let wanted: Vec<usize> = colours.map(|bound| bound.from).collect();
    let mut block = Block::new();
    while table.read(&wanted, &mut block)? > 0 {
        // Less than 1 is black in 8 bits.
        if block.iter().flatten().any(|value| *value >= 1.0) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Recording {
    /// Whether any point has a colour other than black; reads until one has.
    pub fn has_colour(path: &Path, options: &ReadOptions) -> Result<bool, CloudError> {
        Ok(Recording::open(path, options)?.known().colour && any_colour(path, options)?)
    }
}
