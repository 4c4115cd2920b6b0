//! From `[range_error]` and `[range_limit]` as typed to sound models.
//!
//! All values are checked, but only those of the chosen model count, so that a scenario can change
//! the model of a preset without a word about the keys of the old one.

use toml::Spanned;

use super::check::Check;
use super::error_file::{
    CorrelationFile, LimitModel, RangeErrorFile, RangeLimitFile, SigmaModel, SigmaTableFile,
};
use super::file::Number;
use crate::Error;
use crate::pulse::echo::EchoCut;
use crate::pulse::range_error::{
    Bias, Correlation, RangeError, RangeReport, Sigma, SigmaTable, TERMS_MAX,
};

/// No range that is off by more than this is a measurement.
const ERROR_MAX_M: f64 = 1000.0;
const ERROR_REMEDY: &str = "give metres, standard deviations from 0 and none beyond 1000";

impl Check<'_> {
    /// The error of the ranges of a sensor with so many channels; without a table there is none.
    pub(super) fn range_report(
        &self,
        file: Option<&RangeErrorFile>,
        channels: usize,
        quantum_m: f64,
    ) -> Result<RangeReport, Error> {
        let Some(file) = file else {
            return Ok(RangeReport { quantum_m, ..RangeReport::default() });
        };
        let ambiguity_m = self.or(&file.ambiguity_m, 0.0, |n| self.positive(n, "ambiguity_m"))?;
        let error = self.range_error(file, channels)?;
        Ok(RangeReport { error, ambiguity_m, quantum_m })
    }

    fn range_error(&self, file: &RangeErrorFile, channels: usize) -> Result<RangeError, Error> {
        let sigma_m = self.or(&file.sigma_m, 0.0, |n| self.error_m(n, "sigma_m"))?;
        let table = file.table.as_ref().map(|table| self.sigma_table(table)).transpose()?;
        let correlation =
            file.correlation.as_ref().map(|file| self.correlation(file)).transpose()?;
        let mean_m = self.or(&file.mean_m, 0.0, |n| {
            let mean_m = self.finite(n, "mean_m")?;
            self.limited(n, mean_m.abs() <= ERROR_MAX_M, "mean_m", mean_m, ERROR_REMEDY)
        })?;
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
            SigmaModel::Constant => Sigma::Constant(sigma_m),
            SigmaModel::Bayraktaroglu => Sigma::Bayraktaroglu,
            SigmaModel::Table => match table {
                Some(table) => Sigma::Table(table),
                None => return needs("its table", "a table [range_error.table]"),
            },
        };
        Ok(RangeError { mean_m, bias, sigma, white: file.noise.unwrap_or_default(), correlation })
    }

    fn bias(&self, file: &RangeErrorFile, channels: usize) -> Result<Bias, Error> {
        let sigma_m = self.or(&file.bias_sigma_m, 0.0, |n| self.error_m(n, "bias_sigma_m"))?;
        let Some(listed) = &file.bias_m else { return Ok(Bias { listed_m: vec![], sigma_m }) };
        let listed_m = self.all_finite(listed, "bias_m")?.clone();
        if listed_m.len() != channels {
            return self.fault(
                &listed.span(),
                format!("bias_m has {} values for {channels} channels", listed_m.len()),
                "give one value for each channel",
            );
        }
        if let Some(bias_m) = listed_m.iter().find(|bias_m| bias_m.abs() > ERROR_MAX_M) {
            return self.fault(&listed.span(), format!("bias_m holds {bias_m}"), ERROR_REMEDY);
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
        if let Some(row) = rows.iter().find(|row| row.len() != columns) {
            return self.fault(
                &span,
                format!("a row of sigma_m has {} values for {columns} reflectivities", row.len()),
                "give one value for each reflectivity, or one where no reflectivity is listed",
            );
        }
        let values: Vec<f64> = rows.iter().flatten().copied().collect();
        if let Some(value) = values.iter().find(|value| !(0.0..=ERROR_MAX_M).contains(*value)) {
            return self.fault(&span, format!("sigma_m holds {value}"), ERROR_REMEDY);
        }
        match SigmaTable::new(ranges, reflectivity, values) {
            Some(table) => Ok(table),
            None => self.fault(&file.span(), "the table is not sound", "check its numbers"),
        }
    }

    fn knots(&self, knots: &super::file::Numbers, key: &str) -> Result<Vec<f64>, Error> {
        let values = self.all_finite(knots, key)?;
        if values.is_empty() {
            return self.fault(&knots.span(), format!("{key} is empty"), "give at least one value");
        }
        if let Some(value) = values.iter().find(|value| **value < 0.0) {
            return self.fault(&knots.span(), format!("{key} holds {value}"), "use 0 or more");
        }
        if let Some(pair) = values.windows(2).find(|pair| pair[0] >= pair[1]) {
            return self.fault(
                &knots.span(),
                format!("{key} does not rise: {} comes before {}", pair[0], pair[1]),
                "sort the table by it and leave out what stands twice",
            );
        }
        Ok(values.clone())
    }

    fn correlation(&self, file: &CorrelationFile) -> Result<Correlation, Error> {
        let usual = Correlation::default();
        let share = self.unit(&file.share, "share")?;
        let period = self.finite(&file.period_columns, "period_columns")?;
        let inside = (1.0..=1e6).contains(&period);
        let remedy = "use 1 to a million columns";
        let period_columns =
            self.limited(&file.period_columns, inside, "period_columns", period, remedy)?;
        let gamma = self.or(&file.gamma, usual.gamma, |number| {
            let gamma = self.finite(number, "gamma")?;
            let remedy = "use more than 1 and at most 100; Bayraktaroglu uses 5";
            self.limited(number, gamma > 1.0 && gamma <= 100.0, "gamma", gamma, remedy)
        })?;
        let hurst = self.or(&file.hurst, usual.hurst, |number| {
            let hurst = self.finite(number, "hurst")?;
            let remedy = "use a number between 0 and 1; Bayraktaroglu uses 0.99";
            self.limited(number, hurst > 0.0 && hurst < 1.0, "hurst", hurst, remedy)
        })?;
        let terms = match &file.terms {
            None => usual.terms,
            Some(terms) if (1..=TERMS_MAX as u32).contains(terms.get_ref()) => {
                *terms.get_ref() as usize
            }
            Some(terms) => {
                return self.fault(
                    &terms.span(),
                    format!("terms is {}", terms.get_ref()),
                    format!("use 1 to {TERMS_MAX}"),
                );
            }
        };
        let drift_deg = self.or(&file.drift_deg, 0.0, |number| {
            let drift_deg = self.finite(number, "drift_deg")?;
            let inside = (0.0..=360.0).contains(&drift_deg);
            self.limited(number, inside, "drift_deg", drift_deg, "use 0 to 360")
        })?;
        let drift_rad = drift_deg.to_radians();
        Ok(Correlation { share, period_columns, gamma, hurst, terms, drift_rad })
    }

    /// Which sub-rays are too faint; without a table all that bring back anything count.
    pub(super) fn echo_cut(&self, file: Option<&RangeLimitFile>) -> Result<EchoCut, Error> {
        let Some(file) = file else { return Ok(EchoCut::Dark) };
        let range_m =
            file.range_m.as_ref().map(|number| self.positive(number, "range_m")).transpose()?;
        let share = |number: &Option<Number>, usual, key| {
            self.or(number, usual, |number| self.positive_unit(number, key))
        };
        let reflectivity = share(&file.reflectivity, 0.0, "reflectivity")?;
        let extinction =
            self.or(&file.extinction_per_m, 0.0, |n| self.not_negative(n, "extinction_per_m"))?;
        let near_m = self.or(&file.near_m, 50.0, |n| self.not_negative(n, "near_m"))?;
        let far_m = self.or(&file.far_m, 120.0, |n| self.positive(n, "far_m"))?;
        let near_reflectance = share(&file.near_reflectance, 0.1, "near_reflectance")?;
        let far_reflectance = share(&file.far_reflectance, 0.8, "far_reflectance")?;
        let a = self.or(&file.a_percent, -9.25, |n| self.finite(n, "a_percent"))?;
        let b = self.or(&file.b_percent_per_m2, 0.003, |n| self.positive(n, "b_percent_per_m2"))?;
        let needs = |keys: &str, example: &str| {
            self.fault(
                &file.model.span(),
                format!("this model needs {keys}"),
                format!("add {example} to [range_limit]"),
            )
        };
        Ok(match (file.model.get_ref(), range_m) {
            (LimitModel::None, _) => EchoCut::Dark,
            (LimitModel::Physical, Some(range_m)) if file.reflectivity.is_some() => {
                EchoCut::Physical {
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
            (LimitModel::Mavs, Some(range_m)) => EchoCut::Mavs { range_max_m: range_m as f32 },
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
                EchoCut::Blensor {
                    near_m: near_m as f32,
                    near_reflectance: near_reflectance as f32,
                    far_m: far_m as f32,
                    far_reflectance: far_reflectance as f32,
                }
            }
            (LimitModel::Bayraktaroglu, _) => {
                EchoCut::Bayraktaroglu { a_percent: a as f32, b_percent_per_m2: b as f32 }
            }
        })
    }

    /// The checked number, or `usual` where the key is not given.
    fn or(
        &self,
        number: &Option<Number>,
        usual: f64,
        check: impl Fn(&Number) -> Result<f64, Error>,
    ) -> Result<f64, Error> {
        number.as_ref().map_or(Ok(usual), check)
    }

    fn error_m(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        let inside = (0.0..=ERROR_MAX_M).contains(&value);
        self.limited(number, inside, key, value, ERROR_REMEDY)
    }

    fn unit(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        let inside = (0.0..=1.0).contains(&value);
        self.limited(number, inside, key, value, "use a number from 0 to 1")
    }

    fn positive_unit(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        let inside = value > 0.0 && value <= 1.0;
        self.limited(number, inside, key, value, "use a number above 0 and up to 1")
    }

    fn limited(
        &self,
        number: &Number,
        inside: bool,
        key: &str,
        value: f64,
        remedy: &str,
    ) -> Result<f64, Error> {
        if inside {
            return Ok(value);
        }
        self.fault(&number.span(), format!("{key} is {value}"), remedy)
    }
}
