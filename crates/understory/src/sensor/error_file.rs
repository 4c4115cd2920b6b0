//! `[range_error]` and `[range_limit]` as typed: every value with its place, nothing checked yet.

use serde::Deserialize;
use toml::Spanned;

use super::file::{Number, Numbers};
use crate::pulse::range_error::White;

/// Where σ comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SigmaModel {
    None,
    Constant,
    Bayraktaroglu,
    Table,
}

/// `[range_error]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RangeErrorFile {
    pub model: Spanned<SigmaModel>,
    pub sigma_m: Option<Number>,
    pub mean_m: Option<Number>,
    pub noise: Option<White>,
    pub bias_sigma_m: Option<Number>,
    pub bias_m: Option<Numbers>,
    pub ambiguity_m: Option<Number>,
    pub table: Option<Spanned<SigmaTableFile>>,
    pub correlation: Option<CorrelationFile>,
}

/// `[range_error.table]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SigmaTableFile {
    pub range_m: Numbers,
    pub reflectivity: Option<Numbers>,
    pub sigma_m: Spanned<Vec<Vec<f64>>>,
}

/// `[range_error.correlation]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CorrelationFile {
    pub share: Number,
    pub period_columns: Number,
    pub gamma: Option<Number>,
    pub hurst: Option<Number>,
    pub terms: Option<Spanned<u32>>,
    pub drift_deg: Option<Number>,
}

/// How far a target is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LimitModel {
    None,
    Physical,
    Blensor,
    Bayraktaroglu,
    Mavs,
}

/// `[range_limit]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RangeLimitFile {
    pub model: Spanned<LimitModel>,
    pub range_m: Option<Number>,
    pub reflectivity: Option<Number>,
    pub extinction_per_m: Option<Number>,
    pub near_m: Option<Number>,
    pub near_reflectance: Option<Number>,
    pub far_m: Option<Number>,
    pub far_reflectance: Option<Number>,
    pub a_percent: Option<Number>,
    pub b_percent_per_m2: Option<Number>,
}
