//! The standard deviation of a single range: constant, after Bayraktaroglu, or from a table.

use understory_files::sensor::{RangeErrorFile, SigmaModel, SigmaTableFile};
use understory_files::{FromZero, List, Numbers, Spanned};

use crate::Error;
use crate::pulse::check::Check;
use crate::pulse::range_error::bayraktaroglu::bayraktaroglu_sigma_cm;

/// σ as a function of range and reflectivity.
#[derive(Clone, Debug, PartialEq)]
pub enum Sigma {
    /// The same everywhere.
    Constant(f64),
    /// Bayraktaroglu 2023, equations 4.10–4.15.
    Bayraktaroglu,
    /// Between the knots of a table, as `understory fit-error` writes it.
    Table(SigmaTable),
}

impl Default for Sigma {
    fn default() -> Sigma {
        Sigma::Constant(0.0)
    }
}

impl Sigma {
    /// What the file says; `None`: ranges have no error at all.
    pub(super) fn from_file(
        check: &Check<'_>,
        file: &RangeErrorFile,
    ) -> Result<Option<Sigma>, Error> {
        let table =
            file.table.as_ref().map(|table| SigmaTable::from_file(check, table)).transpose()?;
        let needs = |key: &str, example: &str| {
            check.fault(
                &file.model.span(),
                format!("this model needs {key}"),
                format!("add {example} to [range_error]"),
            )
        };
        Ok(Some(match file.model.get_ref() {
            SigmaModel::None => return Ok(None),
            SigmaModel::Constant => match &file.sigma_m {
                Some(sigma_m) => Sigma::Constant(sigma_m.get()),
                None => return needs("sigma_m", "for example sigma_m = 0.02"),
            },
            SigmaModel::Bayraktaroglu => Sigma::Bayraktaroglu,
            SigmaModel::Table => match table {
                Some(table) => Sigma::Table(table),
                None => return needs("its table", "a table [range_error.table]"),
            },
        }))
    }

    /// Whether it is 0 everywhere.
    pub fn is_none(&self) -> bool {
        *self == Sigma::Constant(0.0)
    }

    /// σ in metres at a range and a reflectivity of 0…1.
    pub fn at(&self, range_m: f64, reflectivity: f64) -> f64 {
        match self {
            Sigma::Constant(sigma_m) => *sigma_m,
            Sigma::Bayraktaroglu => 0.01 * bayraktaroglu_sigma_cm(range_m, 100.0 * reflectivity),
            Sigma::Table(table) => table.at(range_m, reflectivity),
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Sigma::Constant(sigma_m) => format!("σ {} mm", super::millimetres(*sigma_m)),
            Sigma::Bayraktaroglu => {
                "σ by distance and reflectivity after Bayraktaroglu 2023".into()
            }
            Sigma::Table(table) => {
                let (low, high) = table
                    .sigma_m
                    .iter()
                    .fold((f64::MAX, 0.0f64), |(low, high), s| (low.min(*s), high.max(*s)));
                format!(
                    "σ {} to {} mm by range{}",
                    super::millimetres(low),
                    super::millimetres(high),
                    if table.reflectivity.len() > 1 { " and reflectivity" } else { "" }
                )
            }
        }
    }
}

/// σ at knots of range and reflectivity, bilinear between them and constant beyond.
#[derive(Clone, Debug, PartialEq)]
pub struct SigmaTable {
    range_m: Vec<f64>,
    reflectivity: Vec<f64>,
    /// By range, then by reflectivity.
    sigma_m: Vec<f64>,
}

impl SigmaTable {
    fn from_file(check: &Check<'_>, file: &Spanned<SigmaTableFile>) -> Result<SigmaTable, Error> {
        let table = file.get_ref();
        let ranges = knots(check, &table.range_m, "range_m")?;
        let reflectivity = match &table.reflectivity {
            Some(listed) => knots(check, listed, "reflectivity")?,
            None => vec![0.0],
        };
        let rows = table.sigma_m.get_ref();
        let span = table.sigma_m.span();
        if rows.len() != ranges.len() {
            return check.fault(
                &span,
                format!("sigma_m has {} rows for {} ranges", rows.len(), ranges.len()),
                "give one list for each range",
            );
        }
        let columns = reflectivity.len();
        if let Some(row) = rows.iter().map(List::get_ref).find(|row| row.len() != columns) {
            return check.fault(
                &span,
                format!("a row of sigma_m has {} values for {columns} reflectivities", row.len()),
                "give one value for each reflectivity, or one where no reflectivity is listed",
            );
        }
        let values = rows.iter().flat_map(List::get).collect();
        match SigmaTable::new(ranges, reflectivity, values) {
            Some(table) => Ok(table),
            None => check.fault(&file.span(), "the table is not valid", "check its numbers"),
        }
    }

    /// A table; `sigma_m` has one value per range and reflectivity, those of one range together.
    /// `None`: knots that do not rise, or another number of values.
    pub fn new(range_m: Vec<f64>, reflectivity: Vec<f64>, sigma_m: Vec<f64>) -> Option<SigmaTable> {
        let rises = |knots: &[f64]| {
            !knots.is_empty()
                && knots.iter().all(|knot| knot.is_finite())
                && knots.windows(2).all(|pair| pair[0] < pair[1])
        };
        let valid = sigma_m.iter().all(|sigma_m| sigma_m.is_finite() && *sigma_m >= 0.0);
        let fits = range_m.len().checked_mul(reflectivity.len()) == Some(sigma_m.len());
        (rises(&range_m) && rises(&reflectivity) && valid && fits).then_some(SigmaTable {
            range_m,
            reflectivity,
            sigma_m,
        })
    }

    /// Knots of range, knots of reflectivity, and σ by range and then by reflectivity.
    pub fn parts(&self) -> (&[f64], &[f64], &[f64]) {
        (&self.range_m, &self.reflectivity, &self.sigma_m)
    }

    fn at(&self, range_m: f64, reflectivity: f64) -> f64 {
        let (row, along) = place(&self.range_m, range_m);
        let (column, across) = place(&self.reflectivity, reflectivity);
        let width = self.reflectivity.len();
        let value = |row: usize, column: usize| {
            let (row, column) = (row.min(self.range_m.len() - 1), column.min(width - 1));
            self.sigma_m[row * width + column]
        };
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        mix(
            mix(value(row, column), value(row, column + 1), across),
            mix(value(row + 1, column), value(row + 1, column + 1), across),
            along,
        )
    }
}

/// The knot at or before `x` and how far `x` is on the way to the next, 0…1.
fn place(knots: &[f64], x: f64) -> (usize, f64) {
    let after = knots.partition_point(|knot| *knot <= x);
    let (Some(before), true) = (after.checked_sub(1), after < knots.len()) else {
        return (after.saturating_sub(1), 0.0);
    };
    (before, (x - knots[before]) / (knots[after] - knots[before]))
}

/// Rising knots.
fn knots(check: &Check<'_>, knots: &Numbers<FromZero>, key: &str) -> Result<Vec<f64>, Error> {
    let values = knots.get();
    if values.is_empty() {
        return check.fault(&knots.span(), format!("`{key}` is empty"), "give one or more");
    }
    if let Some(pair) = values.windows(2).find(|pair| pair[0] >= pair[1]) {
        return check.fault(
            &knots.span(),
            format!("{key} does not rise: {} comes before {}", pair[0], pair[1]),
            "sort the table by it and leave out what stands twice",
        );
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_exact_for_bilinear_functions_and_constant_beyond() {
        let (ranges, reflectivities) = (vec![1.0, 4.0, 9.0], vec![0.1, 0.5, 0.9]);
        let law = |r: f64, k: f64| 0.01 + 0.002 * r + 0.003 * k - 0.0005 * r * k;
        let values: Vec<f64> =
            ranges.iter().flat_map(|r| reflectivities.iter().map(move |k| law(*r, *k))).collect();
        let table = SigmaTable::new(ranges, reflectivities, values).unwrap();
        for i in 0..=40 {
            for j in 0..=40 {
                let (r, k) = (0.4 * f64::from(i), 0.03 * f64::from(j));
                let expected = law(r.clamp(1.0, 9.0), k.clamp(0.1, 0.9));
                assert!((table.at(r, k) - expected).abs() < 1e-15, "{r} {k}");
            }
        }
        assert!(table.at(f64::NAN, 0.5).is_finite());
    }

    #[test]
    fn a_table_of_one_knot_is_constant() {
        let table = SigmaTable::new(vec![10.0], vec![0.5], vec![0.02]).unwrap();
        for r in [0.0, 10.0, 99.0] {
            assert_eq!(table.at(r, 0.3), 0.02);
        }
    }

    #[test]
    fn unsorted_and_uneven_tables_are_none() {
        let table = |r: &[f64], k: &[f64], s: &[f64]| SigmaTable::new(r.into(), k.into(), s.into());
        assert_eq!(table(&[2.0, 1.0], &[0.5], &[1.0, 1.0]), None);
        assert_eq!(table(&[1.0, 1.0], &[0.5], &[1.0, 1.0]), None);
        assert_eq!(table(&[1.0, 2.0], &[0.5], &[1.0]), None);
        assert_eq!(table(&[1.0, 2.0], &[0.5], &[1.0, -1.0]), None);
        assert_eq!(table(&[], &[], &[]), None);
        assert_eq!(table(&[f64::NAN], &[0.5], &[1.0]), None);
    }
}
