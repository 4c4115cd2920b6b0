//! Histograms of bearing and range side by side, and of range at single bearings: Deschaud et al.
//! 2012, figures 6 and 1.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::figures::{Figure, HeatMap, HeatMaps, Panel, Series};
use understory_cloud::{
    CompareReport, Histogram, OUTSIDE, Orientation, OrientationBy, OrientationHistograms,
    OrientationRow,
};

use crate::plot::{Plot, write_png};
use crate::report::usage;

/// What is drawn, where it is not for us to choose.
pub struct Wanted {
    pub row: Option<i32>,
    pub azimuth_deg: Option<f64>,
    pub range_m: Option<f64>,
}

/// A part of one row of orientations.
struct Window {
    row: OrientationRow,
    /// First azimuth cell, which may be below 0, and how many.
    azimuth: i64,
    azimuths: usize,
    /// First bin, and how many.
    bin: u32,
    bins: usize,
}

/// The windows of P1 are 5° by 0.6 m, at 0.09° and 2 mm.
const WINDOW_CELLS: usize = 56;
const WINDOW_BINS: usize = 300;

/// Draws both recordings and returns the paths.
pub fn draw(found: &CompareReport, wanted: &Wanted, folder: &Path) -> Result<Vec<PathBuf>> {
    let window = choose(&found.real, wanted).ok_or_else(|| {
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
            heat_map(&found.real, &window, "real"),
            heat_map(&found.simulated, &window, "simulated"),
        ],
    };
    Ok(vec![
        write_png(Plot::Maps(&maps), folder)?,
        write_png(Plot::Figure(&slices(found, &window, &of)), folder)?,
    ])
}

/// The window with the most real returns that agrees with what is wanted.
fn choose(real: &OrientationHistograms, wanted: &Wanted) -> Option<Window> {
    let options = real.options();
    let turn = i64::from(options.azimuths());
    let azimuths = WINDOW_CELLS.min(turn as usize);
    // Counts in quarters of windows; four that touch make a window.
    let (half_az, half_bins) = ((azimuths / 2).max(1) as i64, (WINDOW_BINS / 2) as u32);
    let middle_azimuth = wanted.azimuth_deg.map(|deg| (deg / 360.0 * turn as f64).round() as i64);
    let middle_bin = wanted.range_m.map(|range| (range / options.range_bin_m).round() as u32);
    let first_azimuth = middle_azimuth.map(|middle| middle - half_az);
    let first_bin = middle_bin.map(|middle| middle.saturating_sub(half_bins));
    let mut counts: BTreeMap<(OrientationRow, i64, u32), u64> = BTreeMap::new();
    for (orientation, histogram) in real.iter() {
        if wanted.row.is_some_and(|row| row != orientation.row.row) {
            continue;
        }
        let azimuth = i64::from(orientation.azimuth);
        let quarter = match first_azimuth {
            Some(first) => {
                let from = (azimuth - first).rem_euclid(turn);
                if from >= azimuths as i64 {
                    continue;
                }
                0
            }
            None => azimuth / half_az,
        };
        for (&bin, &count) in histogram.bins.iter().zip(histogram.counts) {
            if bin >= OUTSIDE {
                break;
            }
            let part = match first_bin {
                Some(first) if !(first..first + WINDOW_BINS as u32).contains(&bin) => continue,
                Some(_) => 0,
                None => bin / half_bins,
            };
            *counts.entry((orientation.row, quarter, part)).or_default() += u64::from(count);
        }
    }
    let at = |row, azimuth, bin| counts.get(&(row, azimuth, bin)).copied().unwrap_or(0);
    let score = |&(row, azimuth, bin): &(OrientationRow, i64, u32)| {
        let here = at(row, azimuth, bin) + at(row, azimuth + 1, bin);
        here + at(row, azimuth, bin + 1) + at(row, azimuth + 1, bin + 1)
    };
    // Of equals the first.
    let best = counts.keys().rev().max_by_key(|key| score(key))?;
    let (row, azimuth, bin) = *best;
    let mut window = Window {
        row,
        azimuth: first_azimuth.unwrap_or(azimuth * half_az),
        azimuths,
        bin: first_bin.unwrap_or(bin * half_bins),
        bins: WINDOW_BINS,
    };
    // The middle of what is in it to its middle.
    let [offset, bins] = middle(real, &window)?;
    if first_azimuth.is_none() {
        window.azimuth += (offset - azimuths as f64 / 2.0).round() as i64;
    }
    if first_bin.is_none() {
        let first = f64::from(window.bin) + bins - WINDOW_BINS as f64 / 2.0;
        window.bin = first.round().max(0.0) as u32;
    }
    Some(window)
}

/// Mean offset of the azimuth and of the bin of the returns in a window.
fn middle(of: &OrientationHistograms, window: &Window) -> Option<[f64; 2]> {
    let (mut pulses, mut sums) = (0.0, [0.0; 2]);
    for offset in 0..window.azimuths {
        let histogram = cell(of, window, offset);
        for (&bin, &count) in histogram.bins.iter().zip(histogram.counts) {
            let bins = bin.checked_sub(window.bin).filter(|bins| *bins < window.bins as u32);
            if let Some(bins) = bins {
                let count = f64::from(count);
                pulses += count;
                sums[0] += count * offset as f64;
                sums[1] += count * f64::from(bins);
            }
        }
    }
    (pulses > 0.0).then(|| sums.map(|sum| sum / pulses))
}

/// The histogram of the cell that is `offset` cells from the window's first.
fn cell<'a>(of: &'a OrientationHistograms, window: &Window, offset: usize) -> Histogram<'a> {
    let turn = i64::from(of.options().azimuths());
    let azimuth = (window.azimuth + offset as i64).rem_euclid(turn) as u32;
    let wanted = Orientation { row: window.row, azimuth };
    match of.orientations().binary_search(&wanted) {
        Ok(index) => of.histogram(index),
        Err(_) => Histogram::default(),
    }
}

/// Shares of an orientation's pulses in the bins of the window.
fn shares(histogram: &Histogram<'_>, window: &Window) -> Vec<f64> {
    let pulses = histogram.pulses().max(1) as f64;
    let mut shares = vec![0.0; window.bins];
    for (&bin, &count) in histogram.bins.iter().zip(histogram.counts) {
        if let Some(share) = bin.checked_sub(window.bin).and_then(|b| shares.get_mut(b as usize)) {
            *share += f64::from(count) / pulses;
        }
    }
    shares
}

fn heat_map(of: &OrientationHistograms, window: &Window, name: &str) -> HeatMap {
    let options = of.options();
    let mut values = vec![0.0; window.azimuths * window.bins];
    for column in 0..window.azimuths {
        for (row, share) in shares(&cell(of, window, column), window).into_iter().enumerate() {
            values[row * window.azimuths + column] = share;
        }
    }
    let azimuth_deg = |cells: f64| cells * 360.0 / f64::from(options.azimuths());
    let first = window.azimuth as f64 - 0.5;
    let first_m = (f64::from(window.bin) - 0.5) * options.range_bin_m;
    HeatMap {
        title: name.to_owned(),
        x_label: "bearing [°]".to_owned(),
        y_label: "range [m]".to_owned(),
        x: [azimuth_deg(first), azimuth_deg(first + window.azimuths as f64)],
        y: [first_m, first_m + window.bins as f64 * options.range_bin_m],
        columns: window.azimuths,
        values,
    }
}

/// Range histograms at the bearing with the narrowest distribution and at that with the widest.
fn slices(found: &CompareReport, window: &Window, of: &str) -> Figure {
    let options = found.real.options();
    let spreads: Vec<(usize, f64)> = (0..window.azimuths)
        .filter_map(|offset| {
            let shares = shares(&cell(&found.real, window, offset), window);
            let sum: f64 = shares.iter().sum();
            // A bearing of which little lies in the window says little.
            (sum > 0.25).then(|| {
                let bits = |share: &f64| {
                    if *share > 0.0 { -share / sum * (share / sum).ln() } else { 0.0 }
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
        let bearing =
            (window.azimuth + offset as i64) as f64 * 360.0 / f64::from(options.azimuths());
        let series = |of: &OrientationHistograms, name: &str| {
            let shares = shares(&cell(of, window, offset), window);
            let at = |i: usize| f64::from(window.bin + i as u32) * options.range_bin_m;
            let points = shares.iter().enumerate().map(|(i, &share)| [at(i), share]);
            Series::line(name, points.collect())
        };
        Panel {
            title: format!("{what} distribution: bearing {bearing:.2}°"),
            series: vec![series(&found.real, "real"), series(&found.simulated, "simulated")],
        }
    };
    Figure::new(
        "range-slices",
        format!("Range histograms at two bearings: {of}"),
        ["range [m]", "share of the pulses in a bin"],
        vec![panel(narrow, "narrowest"), panel(wide, "widest")],
    )
}
