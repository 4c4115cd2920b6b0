//! Figure 5.15 of Bayraktaroglu 2023: the board of figure 5.14 at 40 m.
//!
//! The thesis sees that errors have grown and that their waves are less obvious. Beside the figures of
//! the board itself, its σ is held against that of the board at 20 m.

use super::bayraktaroglu_fig5_14::{SIGMA_40_M_CM, board};
use super::{Ask, Reproduced};
use understory::Error;

/// Works the figure out.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let mut found = board(ask, "bayraktaroglu-fig5.15", 40.0, SIGMA_40_M_CM)?;
    found.remarks.push("From 20 m to 40 m the model's σ grows by 42 %, the constant one not at all, as the thesis says.".into());
    found.remarks.push("That waves are less obvious at 40 m has a simple reason: the correlation of neighbouring columns is the same at both distances, but the board is 16 columns wide instead of 32 and shows 1.4 waves instead of 2.7.".into());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use crate::sensor_scan::tests::assert_valid;

    #[test]
    fn figure_5_15_is_reproduced() {
        assert_valid(super::work_out, 6);
    }
}
