//! Limits of parameters, and draws that stay inside them.

use crate::{PlantError, Random};

/// Refuses a number outside `low`…`high`, and one that is none.
pub(crate) fn within(parameter: &str, value: f64, low: f64, high: f64) -> Result<(), PlantError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(PlantError::Parameter {
        parameter: parameter.to_owned(),
        value: value.to_string(),
        limits: format!("between {low} and {high}"),
    })
}

/// Most triangles that one plant or patch may have: about a gigabyte with its vertices.
pub(crate) const MAX_TRIANGLES: u64 = 16_000_000;

/// Refuses what would not fit.
pub(crate) fn fits(triangles: u64) -> Result<(), PlantError> {
    if triangles <= MAX_TRIANGLES {
        return Ok(());
    }
    Err(PlantError::Parameter {
        parameter: "the number of triangles of one plant".to_owned(),
        value: format!("about {triangles}"),
        limits: format!("at most {MAX_TRIANGLES}; make it smaller or sparser and place it often"),
    })
}

/// Normal with this mean and deviation, drawn again until it is between `low` and `high`.
pub(crate) fn normal_within(random: &mut Random, mean: f64, sd: f64, low: f64, high: f64) -> f64 {
    for _ in 0..100 {
        let value = mean + sd * random.normal();
        if (low..=high).contains(&value) {
            return value;
        }
    }
    mean.clamp(low, high)
}

/// A size with this mean and deviation: never below a quarter of the mean, never above thrice.
pub(crate) fn size_draw(random: &mut Random, mean: f64, sd: f64) -> f64 {
    normal_within(random, mean, sd, 0.25 * mean, 3.0 * mean)
}
