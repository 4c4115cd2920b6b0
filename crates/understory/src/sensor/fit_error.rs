//! The error of a real sensor, from scans of planes: [`Records`] → [`ErrorFit`] → `[range_error]`.
//!
//! What enters: recordings of a sensor that stands still before one or more planes. What leaves:
//! the bias of each channel, σ against range and reflectivity, and how much of the error runs along
//! a channel as a wave; each with its standard error, and as a fragment of TOML that a sensor file
//! takes. No column of truth is read, so real and simulated recordings are treated alike.
//!
//! 1. Planes are found one after the other, robustly (`planes`).
//! 2. All planes and biases are fitted together by least squares of the residuals along the beams
//!    (`joint`). A bias that all channels share cannot be told from a plane that stands elsewhere,
//!    so biases are given about their mean.
//! 3. What is left is σ in bins of range and reflectivity (`bins`).
//! 4. Its correlation along the channels gives the share and the period of a wave (`waves`).
//!
//! Standard errors of σ and of the wave come from leaving out one group of channels (or of columns,
//! for sensors of few channels) after the other.

mod bins;
mod joint;
mod planes;
mod solve;
mod waves;

use std::collections::BTreeSet;
use std::fmt::Write;
use understory_base::math;

use glam::DVec3;
use understory_cloud::Records;

use crate::Error;

pub use bins::SigmaCell;
pub use waves::WaveFit;

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Points farther than this from a plane, along the beam, do not belong to it.
    pub gate_m: f64,
    /// A plane or a bin with fewer points is left out.
    pub points_min: usize,
    /// Most planes per recording.
    pub planes_max: usize,
    /// Step of the ranges, whose variance q²/12 is no noise; 0: not known.
    pub range_quantum_m: f64,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions { gate_m: 0.3, points_min: 300, planes_max: 8, range_quantum_m: 0.0 }
    }
}

/// A plane that was found, in the frame of the sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneFit {
    /// Which recording, from 0.
    pub recording: usize,
    /// Unit normal, towards the sensor.
    pub normal: DVec3,
    /// Distance from the sensor's origin.
    pub distance_m: f64,
    /// Standard deviation of its points along the beams, without biases.
    pub sigma_m: f64,
    /// Points on it.
    pub points: usize,
}

/// The bias of a channel about the mean of all channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BiasFit {
    /// The channel.
    pub channel: u16,
    /// Its bias.
    pub bias_m: f64,
    /// Standard error.
    pub error_m: f64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFit {
    /// The planes.
    pub planes: Vec<PlaneFit>,
    /// Biases of the channels that saw a plane, by channel.
    pub biases: Vec<BiasFit>,
    /// σ by range, then by reflectivity.
    pub cells: Vec<SigmaCell>,
    /// Correlation of the residuals at lags of 0, 1, 2 … columns.
    pub autocorrelation: Vec<f64>,
    /// The wave, if there is one.
    pub wave: Option<WaveFit>,
}

/// A return with its beam, in the frame of the sensor.
#[derive(Clone, Copy, Debug)]
struct Point {
    position: DVec3,
    direction: DVec3,
    range_m: f64,
    reflectivity: f64,
    channel: u16,
    scan: u32,
    column: u32,
    plane: usize,
    /// Along the beam, beyond the plane and the bias.
    residual_m: f64,
    /// What the plane and the biases, fitted to the point too, leave of its square: about
    /// 1 − 1/points of the channel − 3/points of the plane.
    freedom: f64,
}

/// Fits the error of a sensor to recordings of planes.
pub fn fit_error(recordings: &[Records], options: &FitOptions) -> Result<ErrorFit, Error> {
    let (mut points, mut planes) = (Vec::new(), Vec::new());
    for (recording, records) in recordings.iter().enumerate() {
        let first = records.sensor.first();
        if let Some(other) = records.sensor.iter().find(|sensor| Some(*sensor) != first) {
            return Err(Error::invalid(
                format!("recording {}", recording + 1),
                format!("it holds rows of sensor {other} beside those of another one"),
                "give the recordings of one sensor",
            ));
        }
        planes::find(recording, &single_returns(records), options, &mut planes, &mut points);
    }
    if planes.is_empty() {
        return Err(Error::invalid(
            "fit-error",
            format!(
                "no plane with {} points or more was found in the recordings",
                options.points_min
            ),
            "scan a flat wall or board from a sensor that stands still, or lower the number of points",
        ));
    }
    let biases = joint::fit(&mut points, &mut planes)?;
    let bins = bins::Bins::new(&points, options);
    let (autocorrelation, wave) = waves::fit(&points, &bins);
    let scans = points.iter().map(|point| (planes[point.plane].recording, point.scan));
    let scans = scans.collect::<BTreeSet<_>>().len();
    let stretch = waves::variance_of_means(&autocorrelation, wave.as_ref(), scans).sqrt();
    let biases = biases
        .into_iter()
        .map(|bias| BiasFit { error_m: bias.error_m * stretch, ..bias })
        .collect();
    Ok(ErrorFit { planes, biases, cells: bins.cells(options), autocorrelation, wave })
}

/// The only returns of their pulses; where light is shared by several, none has the plane alone.
fn single_returns(records: &Records) -> Vec<Point> {
    (0..records.len())
        .filter(|&row| records.return_number[row] == 1 && records.return_count[row] == 1)
        .filter_map(|row| {
            let position = DVec3::from(records.sensor_xyz_m[row].map(f64::from));
            let azimuth = f64::from(records.azimuth_deg[row]).to_radians();
            let elevation = f64::from(records.elevation_deg[row]).to_radians();
            let level = math::cos(elevation);
            let direction = DVec3::new(
                level * math::cos(azimuth),
                level * math::sin(azimuth),
                math::sin(elevation),
            );
            let range_m = f64::from(records.range_m[row]);
            let point = Point {
                position,
                direction,
                range_m,
                reflectivity: f64::from(records.intensity[row]).clamp(0.0, 1.0),
                channel: records.channel[row],
                scan: records.scan[row],
                column: records.column[row],
                plane: 0,
                residual_m: 0.0,
                freedom: 1.0,
            };
            let valid = position.is_finite() && direction.is_finite() && range_m > 0.0;
            (valid && !point.reflectivity.is_nan()).then_some(point)
        })
        .collect()
}

impl ErrorFit {
    /// The fragment `[range_error]` of a sensor file with so many channels (`None`: as many as were
    /// seen).
    pub fn to_toml(&self, channels: Option<usize>) -> String {
        let seen = self.biases.last().map_or(0, |bias| usize::from(bias.channel) + 1);
        let mut listed = vec![0.0; channels.unwrap_or(seen)];
        for bias in &self.biases {
            if let Some(slot) = listed.get_mut(usize::from(bias.channel)) {
                *slot = bias.bias_m;
            }
        }
        let worst_m = self.biases.iter().map(|bias| bias.error_m).fold(0.0, f64::max);
        let points: usize = self.planes.iter().map(|plane| plane.points).sum();
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "# Fitted by understory fit-error to {points} points on {} planes.\n[range_error]\nmodel = \"table\"",
            self.planes.len()
        );
        if listed.len() > 1 {
            let _ = writeln!(text, "# About their mean; standard errors up to {worst_m:.5} m.");
            let _ = writeln!(text, "bias_m = [{}]", list(&listed, 5));
        }
        let table = bins::rectangle(&self.cells);
        let (ranges, reflectivities, sigmas) = &table;
        let _ = writeln!(text, "\n[range_error.table]");
        let _ = writeln!(text, "range_m = [{}]", list(ranges, 3));
        if reflectivities.len() > 1 {
            let _ = writeln!(text, "reflectivity = [{}]", list(reflectivities, 4));
        }
        let _ = writeln!(text, "sigma_m = [");
        for row in sigmas.chunks(reflectivities.len().max(1)) {
            let _ = writeln!(text, "    [{}],", list(row, 6));
        }
        let _ = writeln!(text, "]");
        if let Some(wave) = &self.wave {
            let _ = writeln!(
                text,
                "\n[range_error.correlation]\nshare = {:.4} # ± {:.4}\nperiod_columns = {:.4} # ± {:.4}",
                wave.share, wave.share_error, wave.period_columns, wave.period_error
            );
        }
        text
    }
}

fn list(values: &[f64], digits: usize) -> String {
    let words: Vec<String> = values
        .iter()
        .map(|value| {
            // −0 would be read, but looks odd.
            let value = if *value == 0.0 { 0.0 } else { *value };
            format!("{value:.digits$}")
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests;
