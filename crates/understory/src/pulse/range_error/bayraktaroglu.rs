//! σ against distance and reflectivity: Bayraktaroglu 2023, equations 4.10–4.15.
//!
//! Two parabolas through the data sheet of an Ouster OS1-64 give σ in centimetres at reflectivities
//! of 90 % and 10 %; between and beyond them σ is exponential in the reflectivity,
//! σ = P90·e^{b(90 − R)} with b = ln(P10/P90)/80. (Equation 4.12 prints b where e^b is meant.)
//!
//! The parabolas end where their data do, at 90 m, and the exponential at R = 0 would promise a
//! range from a black target: x is held at 90 m and R within 1…100 %.

use understory_base::math;

/// Beyond this distance the data sheet has no values.
const DISTANCE_MAX_M: f64 = 90.0;

/// σ at 90 % reflectivity in centimetres (4.10). It is least, 0.50175 cm, at 12.5 m.
pub fn sigma_90_cm(distance_m: f64) -> f64 {
    (4e-5 * distance_m - 1e-3) * distance_m + 0.508
}

/// σ at 10 % reflectivity in centimetres (4.11).
pub fn sigma_10_cm(distance_m: f64) -> f64 {
    (3e-4 * distance_m - 3.1e-3) * distance_m + 0.5558
}

/// σ in centimetres at a distance and a reflectivity in per cent (4.14, 4.15).
pub fn bayraktaroglu_sigma_cm(distance_m: f64, reflectivity_percent: f64) -> f64 {
    let distance_m = distance_m.clamp(0.0, DISTANCE_MAX_M);
    let reflectivity = reflectivity_percent.clamp(1.0, 100.0);
    let (bright, dark) = (sigma_90_cm(distance_m), sigma_10_cm(distance_m));
    let growth = math::ln(dark / bright) / 80.0;
    bright * math::exp(growth * (90.0 - reflectivity))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance, reflectivity, the thesis's table 5.2 ("reference data") and the model worked out
    /// in extended precision. The table follows from unrounded coefficients that are not printed.
    const TABLE_5_2: [(f64, f64, f64, f64); 6] = [
        (4.0, 80.0, 0.5090, 0.509889820),
        (4.0, 20.0, 0.5442, 0.542555738),
        (8.0, 80.0, 0.5100, 0.508281734),
        (8.0, 20.0, 0.5457, 0.544006392),
        (13.0, 80.0, 0.5114, 0.509395689),
        (13.0, 20.0, 0.5623, 0.557712831),
    ];

    #[test]
    fn table_5_2_within_one_per_cent_and_the_model_within_1e_9() {
        for (distance_m, reflectivity, printed, model) in TABLE_5_2 {
            let sigma = bayraktaroglu_sigma_cm(distance_m, reflectivity);
            assert!((sigma / printed - 1.0).abs() < 0.01, "{distance_m} m: {sigma}");
            assert!((sigma - model).abs() < 1e-9, "{distance_m} m: {sigma}");
            println!("{distance_m} m {reflectivity} %: {:+.2} %", 100.0 * (sigma / printed - 1.0));
        }
    }

    #[test]
    fn far_and_unrounded_values() {
        for (distance_m, reflectivity, expected) in
            [(90.0, 20.0, 2.30249998), (90.0, 80.0, 0.872289085), (4.0, 17.0, 0.544242888)]
        {
            let sigma = bayraktaroglu_sigma_cm(distance_m, reflectivity);
            assert!((sigma / expected - 1.0).abs() < 2e-9, "{distance_m} m: {sigma}");
        }
    }

    #[test]
    fn the_two_parabolas_are_met_and_the_limits_hold() {
        for x in [0.0, 12.5, 55.0, 90.0] {
            assert!((bayraktaroglu_sigma_cm(x, 90.0) - sigma_90_cm(x)).abs() < 1e-12);
            assert!((bayraktaroglu_sigma_cm(x, 10.0) - sigma_10_cm(x)).abs() < 1e-12);
        }
        assert!((sigma_90_cm(12.5) - 0.50175).abs() < 1e-12);
        let at = bayraktaroglu_sigma_cm;
        assert_eq!(at(300.0, 50.0), at(90.0, 50.0));
        assert_eq!(at(30.0, 0.0), at(30.0, 1.0));
        assert_eq!(at(30.0, 2000.0), at(30.0, 100.0));
        assert!(at(f64::MAX, -1.0).is_finite());
    }
}
