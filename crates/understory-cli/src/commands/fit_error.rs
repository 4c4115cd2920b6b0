//! `understory fit-error RECORDING…`: the error of a sensor from scans of planes, as TOML.

use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::sensor::fit_error::{ErrorFit, FitOptions, fit_error as fit};
use understory_cloud::{ReadOptions, Recording, Records};

use crate::report::{print, usage};
use crate::table::facts;
use understory_cloud::write_whole;
use understory_view::picture::grouped;

/// Fit a sensor's range error to scans of planes
#[derive(clap::Args)]
#[command(
    after_help = "The sensor must stand still before a wall or a board; other things may be in sight.
Several recordings, at several distances and of several reflectivities, tell more.

Examples:
  understory fit-error wall.csv
  understory fit-error near.csv far.csv --sensor vlp-16 -o error.toml"
)]
pub struct Arguments {
    /// Recordings of one sensor, with its channels and columns
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// Write the fragment [range_error] to FILE instead of stdout
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Preset or file of the sensor: for the number of its channels and the step of its ranges
    #[arg(long, value_name = "SENSOR")]
    sensor: Option<String>,
    /// Farthest that a point may be from its plane, in metres
    #[arg(long, value_name = "METRES", allow_negative_numbers = true, default_value_t = FitOptions::default().gate_m)]
    gate_m: f64,
    /// Least number of points of a plane and of a bin of σ
    #[arg(long, value_name = "COUNT", default_value_t = FitOptions::default().points_min)]
    points_min: usize,
}

/// Fits and writes.
pub fn fit_error(arguments: &Arguments) -> Result<()> {
    if !(arguments.gate_m.is_finite() && arguments.gate_m > 0.0) {
        return Err(usage(format!("--gate-m {}: give a number above 0", arguments.gate_m)));
    }
    let sensor = arguments.sensor.as_deref().map(crate::reading::sensor).transpose()?;
    let mut recordings = Vec::with_capacity(arguments.recordings.len());
    for path in &arguments.recordings {
        recordings.push(load_records(path)?);
    }
    let options = FitOptions {
        gate_m: arguments.gate_m,
        points_min: arguments.points_min,
        range_quantum_m: sensor.as_ref().map_or(0.0, |sensor| sensor.range_model.quantum_m),
        ..FitOptions::default()
    };
    let found = fit(&recordings, &options)?;
    let fragment = found.to_toml(sensor.as_ref().map(|sensor| sensor.pattern.channels()));
    match &arguments.out {
        None => print(&fragment),
        Some(path) => {
            write_whole(path, fragment.as_bytes())?;
            print(&summary(&found, path))
        }
    }
}

fn summary(found: &ErrorFit, path: &Path) -> String {
    let mut rows = Vec::new();
    for plane in &found.planes {
        rows.push((
            "plane",
            format!(
                "{:.3} m away, {} points, σ {:.2} mm",
                plane.distance_m,
                grouped(plane.points as u64),
                1e3 * plane.sigma_m
            ),
        ));
    }
    let most = found.biases.iter().map(|bias| bias.bias_m.abs()).fold(0.0, f64::max);
    let error = found.biases.iter().map(|bias| bias.error_m).fold(0.0, f64::max);
    rows.push((
        "bias",
        format!(
            "up to {:.2} mm in {} channels, each ± {:.2} mm or less",
            1e3 * most,
            found.biases.len(),
            1e3 * error
        ),
    ));
    for cell in &found.cells {
        rows.push((
            "σ",
            format!(
                "{:.2} ± {:.2} mm at {:.2} m and reflectivity {:.2} ({} points)",
                1e3 * cell.sigma_m,
                1e3 * cell.error_m,
                cell.range_m,
                cell.reflectivity,
                grouped(cell.points as u64)
            ),
        ));
    }
    rows.push((
        "wave",
        match &found.wave {
            None => "none".to_owned(),
            Some(wave) => format!(
                "{:.1} ± {:.1} % of the variance in periods of {:.2} ± {:.2} columns",
                100.0 * wave.share,
                100.0 * wave.share_error,
                wave.period_columns,
                wave.period_error
            ),
        },
    ));
    rows.push(("wrote", path.display().to_string()));
    facts(&rows)
}

/// Reads a recording; a fit needs to know which laser fired each beam, when and from where.
fn load_records(path: &Path) -> Result<Records> {
    let mut recording = Recording::open(path, &ReadOptions::default())?;
    let known = recording.known();
    let needed = [
        (known.channel, "channel", "which laser each point is from"),
        (known.column, "column", "the order of the points of a laser"),
        (known.sensor_frame, "sensor_x_m", "where each point is from the sensor"),
    ];
    for (is_known, column, meaning) in needed {
        if !is_known {
            return Err(usage(format!(
                "{}: it has no column {column}, so {meaning} is not known; record with it, or give \
                 the missing with understory convert",
                path.display()
            )));
        }
    }
    Ok(recording.read_all()?)
}
