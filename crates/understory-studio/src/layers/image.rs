//! What a sensor itself sees: rows are channels by elevation, columns are azimuth.
//!
//! Beams of mirrors and prisms wander up and down; then rows are steps of elevation instead. The last
//! first return of each cell stays in it, by its point's number, so that picture and cloud can be linked.

use std::collections::BTreeMap;
use std::io;

use bytes::Bytes;
use understory_cloud::Records;

use super::rows::{ChunkRef, is_point};
use crate::block::BlockBuilder;
use crate::protocol::layer::ImageExtra;

/// A beam whose elevation changes by more than this wanders.
const WANDER_DEG: f32 = 3.0;
/// Rows where beams wander.
const WANDER_ROWS: usize = 128;
/// Most rows and columns.
const ROWS_MAX: usize = 2048;
const COLUMNS_MAX: usize = 4096;
/// A cell that no pulse went to.
const NO_PULSE: f32 = -1.0;

/// Which pulses are shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Of which layer.
    pub layer: u32,
    /// Of which sensor.
    pub sensor: u16,
    /// Of which scan; none: of all.
    pub scan: Option<u32>,
}

impl Shown {
    fn has(&self, records: &Records, row: usize) -> bool {
        records.sensor[row] == self.sensor
            && records.return_number[row] <= 1
            && records.azimuth_deg[row].is_finite()
            && self.scan.is_none_or(|scan| records.scan[row] == scan)
    }
}

/// Least and largest of some numbers.
#[derive(Clone, Copy)]
struct Span(f32, f32);

impl Span {
    const NONE: Span = Span(f32::INFINITY, f32::NEG_INFINITY);

    fn take(&mut self, value: f32) {
        self.0 = self.0.min(value);
        self.1 = self.1.max(value);
    }

    fn width(&self) -> f32 {
        (self.1 - self.0).max(0.0)
    }

    /// Which of `count` steps from the least to the largest a value is in.
    fn step(&self, value: f32, count: usize) -> usize {
        let place = (value - self.0) / self.width().max(1e-6) * count as f32;
        (place.max(0.0) as usize).min(count.saturating_sub(1))
    }
}

/// What a first look tells of the pulses.
struct Frame {
    azimuth: Span,
    elevation: Span,
    /// Elevations of each channel.
    channels: BTreeMap<u16, Span>,
    pulses: u64,
    scans: (u32, u32),
}

/// The range image of the rows in `chunks`.
pub fn image(chunks: &[ChunkRef], shown: Shown, offset_m: [f64; 3]) -> io::Result<Bytes> {
    let frame = survey(chunks, shown)?;
    let rows = RowsOf::new(&frame);
    let scans = u64::from(frame.scans.1.saturating_sub(frame.scans.0)) + 1;
    let per_row = frame.pulses / scans / (rows.count().max(1) as u64);
    let width = (per_row as usize).clamp(64, COLUMNS_MAX);
    let height = rows.count().max(1);
    let mut point = vec![u32::MAX; width * height];
    let mut range_m = vec![NO_PULSE; width * height];
    let mut ranges = Span::NONE;
    for chunk in chunks {
        let records = chunk.records()?;
        let mut number = chunk.first_point;
        for row in 0..records.len() {
            let is_point = is_point(&records, row);
            if shown.has(&records, row) {
                let place = rows.place(&records, row) * width
                    + (width - 1 - frame.azimuth.step(records.azimuth_deg[row], width));
                let range = records.range_m[row];
                if is_point {
                    point[place] = number;
                    ranges.take(range);
                } else {
                    point[place] = u32::MAX;
                }
                range_m[place] = range;
            }
            number += u32::from(is_point);
        }
    }
    let mut block = BlockBuilder::new("image", offset_m);
    block.column("point", 1, &point);
    block.column("range_m", 1, &range_m);
    let finite = |span: Span| if span.0 <= span.1 { [span.0, span.1] } else { [0.0, 0.0] };
    let [right, left] = finite(frame.azimuth);
    Ok(block.finish(&ImageExtra {
        layer: shown.layer,
        sensor: shown.sensor,
        scan: shown.scan,
        width: width as u32,
        height: height as u32,
        azimuth_deg: [left, right],
        elevation_deg: rows.elevations(),
        range_m: finite(ranges),
    }))
}

fn survey(chunks: &[ChunkRef], shown: Shown) -> io::Result<Frame> {
    let mut frame = Frame {
        azimuth: Span::NONE,
        elevation: Span::NONE,
        channels: BTreeMap::new(),
        pulses: 0,
        scans: (u32::MAX, 0),
    };
    for chunk in chunks {
        let records = chunk.records()?;
        for row in (0..records.len()).filter(|row| shown.has(&records, *row)) {
            let elevation = records.elevation_deg[row];
            frame.azimuth.take(records.azimuth_deg[row]);
            frame.elevation.take(elevation);
            let channel = records.channel[row];
            frame.channels.entry(channel).or_insert(Span::NONE).take(elevation);
            frame.scans.0 = frame.scans.0.min(records.scan[row]);
            frame.scans.1 = frame.scans.1.max(records.scan[row]);
            frame.pulses += 1;
        }
    }
    if frame.azimuth.width() > 350.0 {
        frame.azimuth = Span(-180.0, 180.0);
    }
    Ok(frame)
}

/// Which row a pulse is in.
enum RowsOf {
    /// Its channel's; places of channels and their elevations, from the top.
    Channels(BTreeMap<u16, usize>, Vec<f32>),
    /// That of its elevation.
    Elevations(Span, usize),
}

impl RowsOf {
    fn new(frame: &Frame) -> RowsOf {
        let wanders = frame.channels.values().any(|span| span.width() > WANDER_DEG);
        if wanders || frame.channels.len() > ROWS_MAX {
            let rows = (frame.pulses as usize / 64).clamp(1, WANDER_ROWS);
            return RowsOf::Elevations(frame.elevation, rows);
        }
        let mut by_elevation: Vec<(u16, f32)> = frame
            .channels
            .iter()
            .map(|(channel, span)| (*channel, (span.0 + span.1) / 2.0))
            .collect();
        by_elevation.sort_by(|a, b| b.1.total_cmp(&a.1));
        let places = by_elevation.iter().enumerate().map(|(place, (channel, _))| (*channel, place));
        let elevations = by_elevation.iter().map(|(_, elevation)| *elevation).collect();
        RowsOf::Channels(places.collect(), elevations)
    }

    fn count(&self) -> usize {
        match self {
            RowsOf::Channels(places, _) => places.len(),
            RowsOf::Elevations(_, rows) => *rows,
        }
    }

    fn place(&self, records: &Records, row: usize) -> usize {
        match self {
            RowsOf::Channels(places, _) => places.get(&records.channel[row]).copied().unwrap_or(0),
            RowsOf::Elevations(span, rows) => {
                rows - 1 - span.step(records.elevation_deg[row], *rows)
            }
        }
    }

    fn elevations(&self) -> Vec<f32> {
        match self {
            RowsOf::Channels(_, elevations) => elevations.clone(),
            RowsOf::Elevations(span, rows) => (0..*rows)
                .map(|row| span.1 - (row as f32 + 0.5) / *rows as f32 * span.width())
                .collect(),
        }
    }
}
