//! Ranges counted by orientation: batches of records in, sparse histograms out.
//!
//! An orientation has bins of range and two bins more: pulses without a return, and returns outside
//! the region. Bins are centred on multiples of their size, so that ranges and azimuths which a
//! sensor reports in such steps fall into the middle of a bin. Every count knows its block of
//! scans, so that scans can be drawn again afterwards. Deschaud et al. 2012, section VI.

use super::counting::{Run, SortedCounts};
use super::orientation::angles_of;
use super::{Orientation, OrientationBy, OrientationRow, Region};
use crate::CompareError;
use std::collections::HashMap;
use understory_cloud::Records;

/// Bin of pulses without a return.
pub const NO_RETURN: u32 = 0xff_ffff;
/// Bin of returns outside the region.
pub const OUTSIDE: u32 = 0xff_fffe;
/// Bin of everything that is farther than the bins can tell.
const FARTHEST: u32 = 0xff_fffd;

/// Most blocks that a histogram can tell apart.
pub(super) const BLOCKS_MAX: u32 = 64;

/// Sensors whose channels have a table of their own; the others share a map.
const TABLED_SENSORS: usize = 64;

/// Which return of a pulse counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedReturn {
    /// The nearest.
    #[default]
    First,
    /// The farthest.
    Last,
}

/// What pulses that are drawn again together have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockBy {
    /// Their scan.
    #[default]
    Scan,
    /// Nothing: for recordings that do not tell scans apart.
    Pulse,
}

/// How ranges are counted.
#[derive(Clone, Debug, PartialEq)]
pub struct HistogramOptions {
    /// What makes an orientation.
    pub by: OrientationBy,
    /// Size of a cell in azimuth; a whole number of them makes a turn.
    pub azimuth_bin_deg: f64,
    /// Size of a cell in elevation, where channels do not tell it.
    pub elevation_bin_deg: f64,
    /// Size of a bin in range.
    pub range_bin_m: f64,
    /// Size of the cells of places for a sensor that moves.
    pub place_cell_m: Option<f64>,
    /// Which return of a pulse counts.
    pub counted: CountedReturn,
    /// Whether pulses without a return count; not if one of the recordings does not have them.
    pub misses: bool,
    /// What is compared.
    pub region: Region,
    /// Into how many blocks scans are dealt, 1…64; with 1, nothing can be drawn again.
    pub blocks: u32,
    /// What a block is made of.
    pub block_by: BlockBy,
}

impl Default for HistogramOptions {
    /// As Deschaud et al. 2012: 0.09° and 2 mm.
    fn default() -> HistogramOptions {
        HistogramOptions {
            by: OrientationBy::Channel,
            azimuth_bin_deg: 0.09,
            elevation_bin_deg: 0.09,
            range_bin_m: 0.002,
            place_cell_m: None,
            counted: CountedReturn::First,
            misses: true,
            region: Region::default(),
            blocks: 32,
            block_by: BlockBy::Scan,
        }
    }
}

impl HistogramOptions {
    /// Refuses sizes that make no bins.
    pub fn check(&self) -> Result<(), CompareError> {
        let sizes = [
            ("azimuth_bin_deg", self.azimuth_bin_deg, 1e-3, 360.0),
            ("elevation_bin_deg", self.elevation_bin_deg, 1e-3, 180.0),
            ("range_bin_m", self.range_bin_m, 1e-5, 1e4),
            ("place_cell_m", self.place_cell_m.unwrap_or(1.0), 1e-3, 1e6),
            ("blocks", f64::from(self.blocks), 1.0, f64::from(BLOCKS_MAX)),
        ];
        for (name, value, low, high) in sizes {
            if !(value >= low && value <= high) {
                return Err(CompareError::BadOption { name, value, low, high });
            }
        }
        self.region.check()
    }

    /// Cells of azimuth in a turn.
    pub fn azimuths(&self) -> u32 {
        (360.0 / self.azimuth_bin_deg).round().max(1.0) as u32
    }

    /// Azimuth of the middle of a cell, −180…180.
    pub fn azimuth_deg(&self, azimuth: u32) -> f64 {
        let deg = f64::from(azimuth) * 360.0 / f64::from(self.azimuths());
        if deg > 180.0 { deg - 360.0 } else { deg }
    }
}

/// Rows that could not be counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Uncounted {
    /// Pulses whose azimuth, elevation, direction or origin is not known.
    pub undirected: u64,
    /// Returns whose range is not known.
    pub rangeless: u64,
}

/// Counts a recording batch by batch.
#[derive(Clone, Debug)]
pub struct HistogramBuilder {
    options: HistogramOptions,
    azimuths: u32,
    rows: Rows,
    counts: SortedCounts,
    pulses: u64,
    uncounted: Uncounted,
}

/// Rows of orientations, numbered as they come.
#[derive(Clone, Debug, Default)]
struct Rows {
    list: Vec<OrientationRow>,
    /// By sensor and channel; the number plus 1, or 0.
    tabled: Vec<Vec<u32>>,
    others: HashMap<OrientationRow, u32>,
    last: Option<(OrientationRow, u32)>,
    /// Of each row which azimuths are counted, if not all are.
    only: Option<Vec<Orientation>>,
    allowed: Vec<Vec<u64>>,
}

impl Rows {
    #[inline]
    fn number(&mut self, row: OrientationRow, azimuths: u32) -> u32 {
        if row.place == [0; 3]
            && let Some(table) = self.tabled.get(usize::from(row.sensor))
            && let Some(&number) = usize::try_from(row.row).ok().and_then(|row| table.get(row))
            && number > 0
        {
            return number - 1;
        }
        self.number_slowly(row, azimuths)
    }

    fn number_slowly(&mut self, row: OrientationRow, azimuths: u32) -> u32 {
        if let Some((last, number)) = self.last
            && last == row
        {
            return number;
        }
        let next = self.list.len() as u32;
        let number = *self.others.entry(row).or_insert(next);
        if number == next {
            self.list.push(row);
            if let Some(only) = &self.only {
                let mut bits = vec![0u64; azimuths.div_ceil(64) as usize];
                let from = only.partition_point(|orientation| orientation.row < row);
                for orientation in only[from..].iter().take_while(|o| o.row == row) {
                    if let Some(word) = bits.get_mut(orientation.azimuth as usize / 64) {
                        *word |= 1 << (orientation.azimuth % 64);
                    }
                }
                self.allowed.push(bits);
            }
            let sensor = usize::from(row.sensor);
            if row.place == [0; 3]
                && sensor < TABLED_SENSORS
                && let Ok(channel @ 0..=0xffff) = usize::try_from(row.row)
            {
                if self.tabled.len() <= sensor {
                    self.tabled.resize(sensor + 1, Vec::new());
                }
                let table = &mut self.tabled[sensor];
                if table.len() <= channel {
                    table.resize(channel + 1, 0);
                }
                table[channel] = number + 1;
            }
        }
        self.last = Some((row, number));
        number
    }

    #[inline]
    fn counts(&self, number: u32, azimuth: u32) -> bool {
        self.only.is_none()
            || self
                .allowed
                .get(number as usize)
                .and_then(|bits| bits.get(azimuth as usize / 64))
                .is_some_and(|word| word >> (azimuth % 64) & 1 == 1)
    }
}

impl HistogramBuilder {
    /// Counts nothing yet.
    pub fn new(options: &HistogramOptions) -> Result<HistogramBuilder, CompareError> {
        options.check()?;
        Ok(HistogramBuilder {
            options: options.clone(),
            azimuths: options.azimuths(),
            rows: Rows::default(),
            counts: SortedCounts::default(),
            pulses: 0,
            uncounted: Uncounted::default(),
        })
    }

    /// As [`HistogramBuilder::new`] with the options of `real`, for orientations alone in which
    /// `real` has a return in its region: nothing else is compared.
    pub fn only_as(real: &OrientationHistograms) -> HistogramBuilder {
        let seen = real.iter().filter(|(_, histogram)| histogram.has_range());
        let only = seen.map(|(orientation, _)| orientation).collect();
        HistogramBuilder {
            options: real.options.clone(),
            azimuths: real.options.azimuths(),
            rows: Rows { only: Some(only), ..Rows::default() },
            counts: SortedCounts::default(),
            pulses: 0,
            uncounted: Uncounted::default(),
        }
    }

    /// Counts the pulses of a batch.
    pub fn add(&mut self, records: &Records) -> Result<(), CompareError> {
        records.check_even()?;
        let options = &self.options;
        let azimuths = self.azimuths;
        let cells_per_deg = f64::from(azimuths) / 360.0;
        let rows_per_deg = 1.0 / options.elevation_bin_deg;
        let bins_per_m = 1.0 / options.range_bin_m;
        let limits_beams = options.region.limits_beams();
        let limits_points = options.region.limits_points();
        let rows_max = u32::MAX / azimuths;
        for i in 0..records.len() {
            let number = records.return_number[i];
            let counted = match options.counted {
                CountedReturn::First => number <= 1,
                CountedReturn::Last => number == records.return_count[i],
            };
            if !counted || (number == 0 && !options.misses) {
                continue;
            }
            let [azimuth_deg, elevation_deg] = match options.by {
                OrientationBy::Direction => angles_of(records.direction_xyz[i]),
                _ => [records.azimuth_deg[i], records.elevation_deg[i]],
            };
            if limits_beams && !options.region.has_beam(azimuth_deg, elevation_deg) {
                continue;
            }
            let mut row = OrientationRow { sensor: records.sensor[i], ..Default::default() };
            let mut known = azimuth_deg.is_finite();
            row.row = if options.by == OrientationBy::Channel {
                i32::from(records.channel[i])
            } else {
                known &= elevation_deg.is_finite();
                (f64::from(elevation_deg) * rows_per_deg).round() as i32
            };
            if let Some(cell_m) = options.place_cell_m {
                let origin = records.origin_xyz_m[i];
                known &= origin.iter().all(|value| value.is_finite());
                row.place = origin.map(|value| (value / cell_m).round() as i32);
            }
            if !known {
                self.uncounted.undirected += 1;
                continue;
            }
            let azimuth = {
                // Positive, so that cutting off is rounding down.
                let turns = f64::from(azimuth_deg) * cells_per_deg + f64::from(azimuths) + 0.5;
                let cell = if turns >= 0.0 {
                    turns as u64
                } else {
                    turns.rem_euclid(f64::from(azimuths)) as u64
                };
                if cell >= u64::from(azimuths) { cell % u64::from(azimuths) } else { cell }
            } as u32;
            let number_of_row = self.rows.number(row, azimuths);
            if number_of_row >= rows_max {
                return Err(CompareError::TooManyOrientations);
            }
            if !self.rows.counts(number_of_row, azimuth) {
                continue;
            }
            let range_m = records.range_m[i];
            let bin = if number == 0 {
                NO_RETURN
            } else if !range_m.is_finite() {
                self.uncounted.rangeless += 1;
                continue;
            } else if limits_points && !options.region.has_point(range_m, records.world_xyz_m[i]) {
                OUTSIDE
            } else {
                ((f64::from(range_m) * bins_per_m + 0.5) as u32).min(FARTHEST)
            };
            let block = match options.block_by {
                BlockBy::Scan => records.scan[i] % options.blocks,
                BlockBy::Pulse => {
                    (rand_philox::splitmix64(records.pulse[i]) % u64::from(options.blocks)) as u32
                }
            };
            let orientation = u64::from(number_of_row * azimuths + azimuth);
            self.counts.add(orientation << 32 | u64::from(bin << 8 | block));
            self.pulses += 1;
        }
        Ok(())
    }

    /// The histograms.
    pub fn finish(self) -> OrientationHistograms {
        let Run { keys, counts } = self.counts.finish();
        let azimuths = u64::from(self.azimuths);
        let mut order: Vec<usize> = (0..self.rows.list.len()).collect();
        order.sort_unstable_by_key(|&number| self.rows.list[number]);
        let mut whole = OrientationHistograms {
            options: self.options,
            orientations: Vec::new(),
            starts: vec![0],
            bins: Vec::with_capacity(keys.len()),
            blocks: Vec::with_capacity(keys.len()),
            counts: Vec::with_capacity(keys.len()),
            pulses: self.pulses,
            uncounted: self.uncounted,
        };
        for number in order {
            let row = self.rows.list[number];
            let first = number as u64 * azimuths;
            let from = keys.partition_point(|key| key >> 32 < first);
            let to = keys.partition_point(|key| key >> 32 < first + azimuths);
            for (&key, &count) in keys[from..to].iter().zip(&counts[from..to]) {
                let orientation = Orientation { row, azimuth: ((key >> 32) - first) as u32 };
                if whole.orientations.last() != Some(&orientation) {
                    if !whole.orientations.is_empty() {
                        whole.starts.push(whole.bins.len());
                    }
                    whole.orientations.push(orientation);
                }
                whole.bins.push(key as u32 >> 8);
                whole.blocks.push(key as u8);
                whole.counts.push(count);
            }
        }
        whole.starts.push(whole.bins.len());
        whole.starts.truncate(whole.orientations.len() + 1);
        whole
    }
}

/// Counts of one orientation: bins in rising order, within a bin its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Histogram<'a> {
    /// Number of the bin: range over bin size, [`OUTSIDE`] or [`NO_RETURN`].
    pub bins: &'a [u32],
    /// Block of scans.
    pub blocks: &'a [u8],
    /// How many pulses.
    pub counts: &'a [u32],
}

impl Histogram<'_> {
    /// All pulses.
    pub fn pulses(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Whether there is a return in the region.
    pub fn has_range(&self) -> bool {
        self.bins.first().is_some_and(|&bin| bin < OUTSIDE)
    }
}

/// The histograms of all orientations of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct OrientationHistograms {
    pub(super) options: HistogramOptions,
    orientations: Vec<Orientation>,
    starts: Vec<usize>,
    bins: Vec<u32>,
    blocks: Vec<u8>,
    counts: Vec<u32>,
    pulses: u64,
    uncounted: Uncounted,
}

impl OrientationHistograms {
    /// How they were counted.
    pub fn options(&self) -> &HistogramOptions {
        &self.options
    }

    /// Orientations in rising order.
    pub fn orientations(&self) -> &[Orientation] {
        &self.orientations
    }

    /// The histogram of the orientation at `index`; empty past the end.
    pub fn histogram(&self, index: usize) -> Histogram<'_> {
        let Some(&[from, to]) = self.starts.get(index..index + 2) else {
            return Histogram::default();
        };
        Histogram {
            bins: &self.bins[from..to],
            blocks: &self.blocks[from..to],
            counts: &self.counts[from..to],
        }
    }

    /// Each orientation with its histogram.
    pub fn iter(&self) -> impl Iterator<Item = (Orientation, Histogram<'_>)> {
        self.orientations.iter().enumerate().map(|(i, &o)| (o, self.histogram(i)))
    }

    /// Pulses in all of them.
    pub fn pulses(&self) -> u64 {
        self.pulses
    }

    /// Occupied bins, each with its block.
    pub fn occupied(&self) -> usize {
        self.bins.len()
    }

    /// Rows that could not be counted.
    pub fn uncounted(&self) -> Uncounted {
        self.uncounted
    }
}
