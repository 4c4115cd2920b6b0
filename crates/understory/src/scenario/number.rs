//! Values of a file as what the simulator works with.

use glam::DVec3;
use understory_files::{LayeredToml, Spanned, Vector};

use crate::Error;
use crate::world::trajectory::Pose;

/// A pose from `position_m` and `rotation_deg`, zero where nothing is said.
pub fn pose(position_m: Option<&Vector<3>>, rotation_deg: Option<&Vector<3>>) -> Pose {
    let numbers = |vector: Option<&Vector<3>>| vector.map_or([0.0; 3], Vector::get);
    Pose::from_position_and_rpy_deg(numbers(position_m), numbers(rotation_deg))
}

/// A scale: one number or three, none of them 0; 1 where nothing is said.
pub fn scale(
    layers: &LayeredToml<'_>,
    value: Option<&Spanned<toml::Value>>,
) -> Result<DVec3, Error> {
    let Some(value) = value else { return Ok(DVec3::ONE) };
    let scale = match value.get_ref() {
        toml::Value::Array(list) => {
            let numbers: Option<Vec<f64>> = list.iter().map(number).collect();
            numbers.and_then(|n| <[f64; 3]>::try_from(n).ok()).map(DVec3::from)
        }
        one => number(one).map(DVec3::splat),
    };
    scale.filter(is_scale).ok_or_else(|| {
        layers.invalid(
            &value.span(),
            format!("`scale` is {}", value.get_ref()),
            "give one number or a list of three, none of them 0",
        )
    })
}

/// Whether a scale leaves a mesh its volume.
pub fn is_scale(scale: &DVec3) -> bool {
    scale.to_array().iter().all(|x| (1e-6..=1e6).contains(&x.abs()))
}

/// A TOML number of either kind.
pub fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
}
