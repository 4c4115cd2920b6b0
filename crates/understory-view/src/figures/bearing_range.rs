//! Histograms of bearing and range as Deschaud et al. 2012 draw them (figures 1 and 6): a window of
//! one laser's orientations, as a heat map and as range histograms of single bearings.

use std::collections::BTreeMap;

use understory_compare::{Histogram, OUTSIDE, Orientation, OrientationHistograms, OrientationRow};

use super::{HeatMap, Series};

/// What is drawn, where it is not for us to choose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Channel, or row of elevation.
    pub row: Option<i32>,
    /// Azimuth of the middle.
    pub azimuth_deg: Option<f64>,
    /// Range of the middle.
    pub range_m: Option<f64>,
}

/// A part of one row of orientations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The laser.
    pub row: OrientationRow,
    /// First azimuth cell, which may be below 0.
    pub azimuth: i64,
    /// How many cells.
    pub azimuths: usize,
    /// First bin of range.
    pub bin: u32,
    /// How many bins.
    pub bins: usize,
}

/// The windows of P1 are 5° by 0.6 m, at 0.09° and 2 mm.
const WINDOW_CELLS: usize = 56;
const WINDOW_BINS: usize = 300;

impl Window {
    /// Bearing of the cell that is `offset` cells from the first.
    pub fn bearing_deg(&self, of: &OrientationHistograms, offset: usize) -> f64 {
        (self.azimuth + offset as i64) as f64 * 360.0 / f64::from(of.options().azimuths())
    }

    /// Range of the middle of bin number `bin` of the window.
    pub fn range_m(&self, of: &OrientationHistograms, bin: usize) -> f64 {
        f64::from(self.bin + bin as u32) * of.options().range_bin_m
    }

    /// The histogram of the cell that is `offset` cells from the first.
    pub fn cell<'a>(&self, of: &'a OrientationHistograms, offset: usize) -> Histogram<'a> {
        let turn = i64::from(of.options().azimuths());
        let azimuth = (self.azimuth + offset as i64).rem_euclid(turn) as u32;
        let wanted = Orientation { row: self.row, azimuth };
        match of.orientations().binary_search(&wanted) {
            Ok(index) => of.histogram(index),
            Err(_) => Histogram::default(),
        }
    }

    /// Pulses of a cell in the bins of the window.
    pub fn counts(&self, of: &OrientationHistograms, offset: usize) -> Vec<u32> {
        let histogram = self.cell(of, offset);
        let mut counts = vec![0; self.bins];
        for (&bin, &count) in histogram.bins.iter().zip(histogram.counts) {
            let inside = bin.checked_sub(self.bin).and_then(|b| counts.get_mut(b as usize));
            if let Some(sum) = inside {
                *sum += count;
            }
        }
        counts
    }

    /// Shares of a cell's pulses in the bins of the window.
    pub fn shares(&self, of: &OrientationHistograms, offset: usize) -> Vec<f64> {
        let pulses = self.cell(of, offset).pulses().max(1) as f64;
        self.counts(of, offset).into_iter().map(|count| f64::from(count) / pulses).collect()
    }

    /// The window as a map.
    pub fn heat_map(&self, of: &OrientationHistograms, title: &str) -> HeatMap {
        let mut values = vec![0.0; self.azimuths * self.bins];
        for column in 0..self.azimuths {
            for (row, share) in self.shares(of, column).into_iter().enumerate() {
                values[row * self.azimuths + column] = share;
            }
        }
        let step_deg = 360.0 / f64::from(of.options().azimuths());
        let first_deg = self.bearing_deg(of, 0) - step_deg / 2.0;
        let range_bin_m = of.options().range_bin_m;
        let first_m = self.range_m(of, 0) - range_bin_m / 2.0;
        HeatMap {
            title: title.to_owned(),
            x_label: "bearing [°]".to_owned(),
            y_label: "range [m]".to_owned(),
            x: [first_deg, first_deg + self.azimuths as f64 * step_deg],
            y: [first_m, first_m + self.bins as f64 * range_bin_m],
            columns: self.azimuths,
            values,
        }
    }

    /// Range histogram of one bearing.
    pub fn slice(&self, of: &OrientationHistograms, offset: usize, name: &str) -> Series {
        let shares = self.shares(of, offset);
        let points = shares.iter().enumerate().map(|(bin, &share)| [self.range_m(of, bin), share]);
        Series::line(name, points.collect())
    }
}

/// The window with the most real returns that agrees with what is wanted.
pub fn choose(real: &OrientationHistograms, wanted: &Wanted) -> Option<Window> {
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
        let histogram = window.cell(of, offset);
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
