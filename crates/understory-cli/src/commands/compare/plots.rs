//! Histograms of bearing and range side by side, and of range at single bearings: Deschaud et al.
//! 2012, figures 6 and 1.

use std::path::{Path, PathBuf};
use understory_base::math;

use anyhow::Result;
use understory_compare::{CompareReport, OrientationBy};
use understory_view::figures::bearing_range::{self, Window};
use understory_view::figures::{Figure, HeatMaps, Panel};

use crate::report::usage;
use understory_view::plot::{Plot, write_png};

pub use understory_view::figures::bearing_range::Wanted;

/// Draws both recordings and returns the paths.
pub fn draw(found: &CompareReport, wanted: &Wanted, folder: &Path) -> Result<Vec<PathBuf>> {
    let window = bearing_range::choose(&found.real, wanted).ok_or_else(|| {
        usage("there is no real return where the plots are wanted; leave out --plot-channel, --plot-azimuth-deg and --plot-range-m, or choose others")
    })?;
    let options = found.real.options();
    let row = match options.by {
        OrientationBy::Channel => format!("channel {}", window.row.row),
        _ => format!("elevation {:.2}°", f64::from(window.row.row) * options.elevation_bin_deg),
    };
    let place = match options.place_cell_m {
        Some(cell_m) => {
            let [x, y, z] = window.row.place.map(|cell| f64::from(cell) * cell_m);
            format!(" from ({x:.1}, {y:.1}, {z:.1}) m")
        }
        None => String::new(),
    };
    let of = format!("sensor {}, {row}{place}", window.row.sensor);
    let maps = HeatMaps {
        name: "bearing-range".to_owned(),
        title: format!("Pulses by bearing and range: {of}"),
        maps: vec![
            window.heat_map(&found.real, "real"),
            window.heat_map(&found.simulated, "simulated"),
        ],
    };
    Ok(vec![
        write_png(Plot::Maps(&maps), folder)?,
        write_png(Plot::Figure(&slices(found, &window, &of)), folder)?,
    ])
}

/// Range histograms at the bearing with the narrowest distribution and at that with the widest.
fn slices(found: &CompareReport, window: &Window, of: &str) -> Figure {
    let spreads: Vec<(usize, f64)> = (0..window.azimuths)
        .filter_map(|offset| {
            let shares = window.shares(&found.real, offset);
            let sum: f64 = shares.iter().sum();
            // A bearing of which little lies in the window says little.
            (sum > 0.25).then(|| {
                let bits = |share: &f64| {
                    if *share > 0.0 { -share / sum * math::ln(share / sum) } else { 0.0 }
                };
                (offset, shares.iter().map(bits).sum())
            })
        })
        .collect();
    let by = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    let middle = window.azimuths / 2;
    let narrow = spreads.iter().min_by(by).map_or(middle, |(offset, _)| *offset);
    let wide = spreads.iter().max_by(by).map_or(middle, |(offset, _)| *offset);
    let panel = |offset: usize, what: &str| {
        let bearing = window.bearing_deg(&found.real, offset);
        Panel {
            title: format!("{what} distribution: bearing {bearing:.2}°"),
            series: vec![
                window.slice(&found.real, offset, "real"),
                window.slice(&found.simulated, offset, "simulated"),
            ],
        }
    };
    Figure::new(
        "range-slices",
        format!("Range histograms at two bearings: {of}"),
        ["range [m]", "share of the pulses in a bin"],
        vec![panel(narrow, "narrowest"), panel(wide, "widest")],
    )
}
