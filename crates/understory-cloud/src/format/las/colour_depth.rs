//! Colours of 8 bits in fields of 16.
//!
//! What enters: the rows of a LAS or LAZ file with red, green and blue as they are stored. What leaves:
//! the same rows with colours of 8 bits. The format asks for 16 bits, of which white is 65535, and
//! many programs store 0 to 255 all the same; scaled like the others these would be black. Where no
//! colour of the whole file is above 255, they are 8 bits already. So rows are looked through before
//! the first is given, up to the first colour above 255.

use crate::format::fixed_rows::FixedTable;
use crate::format::table::{Block, Table};
use crate::{CloudError, ColumnSummary};

/// Opens the same rows once more.
type Reopen = Box<dyn FnOnce() -> Result<FixedTable, CloudError> + Send>;

/// Largest number of 8 bits.
const BYTE_MAX: f64 = 255.0;
/// What makes 8 bits of 16.
const SIXTEEN_BITS: f64 = 1.0 / 257.0;

/// Rows whose colours may have 8 bits or 16.
pub(super) struct ColourDepth {
    rows: FixedTable,
    /// The columns of red, green and blue.
    colours: [usize; 3],
    /// Until it is known which.
    reopen: Option<Reopen>,
    scale: f64,
}

impl ColourDepth {
    pub(super) fn new(rows: FixedTable, colours: [usize; 3], reopen: Reopen) -> ColourDepth {
        ColourDepth { rows, colours, reopen: Some(reopen), scale: SIXTEEN_BITS }
    }
}

impl Table for ColourDepth {
    fn columns(&self) -> Vec<ColumnSummary> {
        self.rows.columns()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        let coloured = wanted.iter().any(|column| self.colours.contains(column));
        if let Some(reopen) = self.reopen.take_if(|_| coloured) {
            self.scale = if has_eight_bits(reopen()?, &self.colours)? { 1.0 } else { SIXTEEN_BITS };
        }
        let rows = self.rows.read(wanted, block)?;
        for (values, column) in block.iter_mut().zip(wanted) {
            if self.colours.contains(column) {
                // The quarter keeps whole numbers whole.
                values.iter_mut().for_each(|value| *value = *value * self.scale + 0.25);
            }
        }
        Ok(rows)
    }
}

/// Whether no colour is above 255.
fn has_eight_bits(mut rows: FixedTable, colours: &[usize; 3]) -> Result<bool, CloudError> {
    let mut block = Block::new();
    while rows.read(colours, &mut block)? > 0 {
        if block.iter().flatten().any(|value| *value > BYTE_MAX) {
            return Ok(false);
        }
    }
    Ok(true)
}
