//! Numbers with commas between them on the command line.

use std::str::FromStr;

/// `1.5,-2,3`.
#[derive(Clone, Copy)]
pub struct Numbers<const N: usize>(pub [f64; N]);

impl<const N: usize> FromStr for Numbers<N> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> = text
            .split(',')
            .map(|n| n.trim().parse().ok().filter(|n: &f64| n.is_finite()))
            .collect();
        numbers
            .and_then(|numbers| numbers.try_into().ok())
            .map(Numbers)
            .ok_or_else(|| format!("give {N} numbers with commas between them"))
    }
}
