//! From `[range_error]` and `[range_limit]` as typed to valid models.
//!
//! All values are checked, but only those of the chosen model count, so that a scenario can change
//! the model of a preset without a word about the keys of the old one.

use understory_files::sensor::{
    CorrelationFile, LimitModel, RangeErrorFile, RangeLimitFile, SigmaModel, SigmaTableFile,
};
use understory_files::{FromZero, List, Number, Numbers, Spanned, ValueOr};

use super::check::Check;
use crate::Error;
use crate::pulse::echo::SensitivityModel;
use crate::pulse::range_error::{Bias, Correlation, RangeError, RangeModel, Sigma, SigmaTable};

impl Check<'_> {
    /// The error of the ranges of a sensor with so many channels; without a table there is none.
    pub(super) fn range_model(
        &self,
        file: Option<&RangeErrorFile>,
        channels: usize,
        quantum_m: f64,
    ) -> Result<RangeModel, Error> {
        let Some(file) = file else {
            return Ok(RangeModel { quantum_m, ..RangeModel::default() });
        };
        let ambiguity_m = file.ambiguity_m.value_or(0.0);
        let error = self.range_error(file, channels)?;
        Ok(RangeModel { error, ambiguity_m, quantum_m })
    }

    fn range_error(&self, file: &RangeErrorFile, channels: usize) -> Result<RangeError, Error> {
        let table = file.table.as_ref().map(|table| self.sigma_table(table)).transpose()?;
        let correlation = file.correlation.as_ref().map(correlation);
        let mean_m = file.mean_m.value_or(0.0);
        let bias = self.bias(file, channels)?;
        let needs = |key: &str, example: &str| {
            self.fault(
                &file.model.span(),
                format!("this model needs {key}"),
                format!("add {example} to [range_error]"),
            )
        };
        let sigma = match file.model.get_ref() {
            SigmaModel::None => return Ok(RangeError::none()),
            SigmaModel::Constant if file.sigma_m.is_none() => {
                return needs("sigma_m", "for example sigma_m = 0.02");
            }
            SigmaModel::Constant => Sigma::Constant(file.sigma_m.value_or(0.0)),
            SigmaModel::Bayraktaroglu => Sigma::Bayraktaroglu,
            SigmaModel::Table => match table {
                Some(table) => Sigma::Table(table),
                None => return needs("its table", "a table [range_error.table]"),
            },
        };
        Ok(RangeError { mean_m, bias, sigma, white: file.noise.unwrap_or_default(), correlation })
    }

    fn bias(&self, file: &RangeErrorFile, channels: usize) -> Result<Bias, Error> {
        let sigma_m = file.bias_sigma_m.value_or(0.0);
        let Some(listed) = &file.bias_m else { return Ok(Bias { listed_m: vec![], sigma_m }) };
        let listed_m = listed.get();
        if listed_m.len() != channels {
            return self.fault(
                &listed.span(),
                format!("bias_m has {} values for {channels} channels", listed_m.len()),
                "give one value for each channel",
            );
        }
        Ok(Bias { listed_m, sigma_m })
    }

    fn sigma_table(&self, file: &Spanned<SigmaTableFile>) -> Result<SigmaTable, Error> {
        let table = file.get_ref();
        let ranges = self.knots(&table.range_m, "range_m")?;
        let reflectivity = match &table.reflectivity {
            Some(knots) => self.knots(knots, "reflectivity")?,
            None => vec![0.0],
        };
        let rows = table.sigma_m.get_ref();
        let span = table.sigma_m.span();
        if rows.len() != ranges.len() {
            return self.fault(
                &span,
                format!("sigma_m has {} rows for {} ranges", rows.len(), ranges.len()),
                "give one list for each range",
            );
        }
        let columns = reflectivity.len();
        if let Some(row) = rows.iter().map(List::get_ref).find(|row| row.len() != columns) {
            return self.fault(
                &span,
                format!("a row of sigma_m has {} values for {columns} reflectivities", row.len()),
                "give one value for each reflectivity, or one where no reflectivity is listed",
            );
        }
        let values = rows.iter().flat_map(List::get).collect();
        match SigmaTable::new(ranges, reflectivity, values) {
            Some(table) => Ok(table),
            None => self.fault(&file.span(), "the table is not valid", "check its numbers"),
        }
    }

    fn knots(&self, knots: &Numbers<FromZero>, key: &str) -> Result<Vec<f64>, Error> {
        let values = knots.get();
        if values.is_empty() {
            return self.fault(&knots.span(), format!("`{key}` is empty"), "give one or more");
        }
        if let Some(pair) = values.windows(2).find(|pair| pair[0] >= pair[1]) {
            return self.fault(
                &knots.span(),
                format!("{key} does not rise: {} comes before {}", pair[0], pair[1]),
                "sort the table by it and leave out what stands twice",
            );
        }
        Ok(values)
    }

    /// Which sub-rays are too faint; without a table all that bring back anything count.
    pub(super) fn sensitivity(
        &self,
        file: Option<&RangeLimitFile>,
    ) -> Result<SensitivityModel, Error> {
        let Some(file) = file else { return Ok(SensitivityModel::Dark) };
        let range_m = file.range_m.as_ref().map(Number::get);
        let reflectivity = file.reflectivity.value_or(0.0);
        let extinction = file.extinction_per_m.value_or(0.0);
        let (near_m, far_m) = (file.near_m.value_or(50.0), file.far_m.value_or(120.0));
        let near_reflectance = file.near_reflectance.value_or(0.1);
        let far_reflectance = file.far_reflectance.value_or(0.8);
        let (a, b) = (file.a_percent.value_or(-9.25), file.b_percent_per_m2.value_or(0.003));
        let needs = |keys: &str, example: &str| {
            self.fault(
                &file.model.span(),
                format!("this model needs {keys}"),
                format!("add {example} to [range_limit]"),
            )
        };
        Ok(match (file.model.get_ref(), range_m) {
            (LimitModel::None, _) => SensitivityModel::Dark,
            (LimitModel::Physical, Some(range_m)) if file.reflectivity.is_some() => {
                SensitivityModel::Physical {
                    range_m: range_m as f32,
                    reflectivity: reflectivity as f32,
                    extinction_per_m: extinction as f32,
                }
            }
            (LimitModel::Physical, _) => {
                return needs(
                    "range_m and reflectivity",
                    "for example range_m = 40 and reflectivity = 0.1",
                );
            }
            (LimitModel::Mavs, Some(range_m)) => {
                SensitivityModel::Mavs { range_max_m: range_m as f32 }
            }
            (LimitModel::Mavs, None) => {
                return needs("range_m", "for example range_m = 100");
            }
            (LimitModel::Blensor, _) => {
                if near_m >= far_m || near_reflectance > far_reflectance {
                    return self.fault(
                        &file.model.span(),
                        format!(
                            "the near mark ({near_reflectance} at {near_m} m) does not lie before the far one ({far_reflectance} at {far_m} m)"
                        ),
                        "the far mark must be farther away and need no less reflectance",
                    );
                }
                SensitivityModel::Blensor {
                    near_m: near_m as f32,
                    near_reflectance: near_reflectance as f32,
                    far_m: far_m as f32,
                    far_reflectance: far_reflectance as f32,
                }
            }
            (LimitModel::Bayraktaroglu, _) => {
                SensitivityModel::Bayraktaroglu { a_percent: a as f32, b_percent_per_m2: b as f32 }
            }
        })
    }
}

/// The wave along a channel.
fn correlation(file: &CorrelationFile) -> Correlation {
    let usual = Correlation::default();
    Correlation {
        share: file.share.get(),
        period_columns: file.period_columns.get(),
        gamma: file.gamma.value_or(usual.gamma),
        hurst: file.hurst.value_or(usual.hurst),
        terms: file.terms.as_ref().map_or(usual.terms, |terms| terms.get() as usize),
        drift_rad: file.drift_deg.value_or(0.0).to_radians(),
    }
}
