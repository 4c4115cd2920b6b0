//! Checks of numbers: each gives the number or one sentence that names its line.

use crate::Error;
use crate::files::toml_file::Layers;
use crate::world::trajectory::Pose;
use glam::DVec3;
use toml::Spanned;

/// A finite vector, the zero vector where nothing is said.
pub fn vector(
    layers: &Layers<'_>,
    key: &str,
    value: Option<&Spanned<[f64; 3]>>,
) -> Result<[f64; 3], Error> {
    let Some(value) = value else { return Ok([0.0; 3]) };
    if value.get_ref().iter().all(|x| x.is_finite() && x.abs() <= 1e9) {
        return Ok(*value.get_ref());
    }
    Err(layers.invalid(
        &value.span(),
        format!("`{key}` is {:?}", value.get_ref()),
        "give three finite numbers of at most 10⁹",
    ))
}

/// A pose from `position_m` and `rotation_deg`.
pub fn pose(
    layers: &Layers<'_>,
    position_m: Option<&Spanned<[f64; 3]>>,
    rotation_deg: Option<&Spanned<[f64; 3]>>,
) -> Result<Pose, Error> {
    let position_m = vector(layers, "position_m", position_m)?;
    let rotation_deg = vector(layers, "rotation_deg", rotation_deg)?;
    Ok(Pose::from_position_and_rpy_deg(position_m, rotation_deg))
}

/// A finite number above zero.
pub fn positive(layers: &Layers<'_>, key: &str, value: &Spanned<f64>) -> Result<f64, Error> {
    let number = *value.get_ref();
    if number > 0.0 && number <= 1e9 {
        return Ok(number);
    }
    Err(layers.invalid(
        &value.span(),
        format!("`{key}` is {number}"),
        "give a number above 0 and at most 10⁹",
    ))
}

/// `N` finite numbers above zero.
pub fn positive_list<const N: usize>(
    layers: &Layers<'_>,
    key: &str,
    span: std::ops::Range<usize>,
    values: &[f64],
) -> Result<[f64; N], Error> {
    let sound = values.iter().all(|&x| x > 0.0 && x <= 1e9);
    <[f64; N]>::try_from(values).ok().filter(|_| sound).ok_or_else(|| {
        layers.invalid(
            &span,
            format!("`{key}` is {values:?}"),
            format!("give {N} numbers above 0 and at most 10⁹"),
        )
    })
}

/// A finite number from `low` to `high`, `default` where nothing is said.
pub fn within(
    layers: &Layers<'_>,
    key: &str,
    value: Option<&Spanned<f64>>,
    (low, high): (f64, f64),
    default: f64,
) -> Result<f64, Error> {
    let Some(value) = value else { return Ok(default) };
    let number = *value.get_ref();
    if (low..=high).contains(&number) {
        return Ok(number);
    }
    Err(layers.invalid(
        &value.span(),
        format!("`{key}` is {number}"),
        format!("give a number from {low} to {high}"),
    ))
}

/// A scale: one number or three, none of them 0; 1 where nothing is said.
pub fn scale(layers: &Layers<'_>, value: Option<&Spanned<toml::Value>>) -> Result<DVec3, Error> {
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
