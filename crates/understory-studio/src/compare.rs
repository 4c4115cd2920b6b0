//! Two layers against each other: figures, histograms, and a difference for each point.

use std::sync::Arc;

use bytes::Bytes;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;
use serde_json::Value;
use understory_cloud::{KnownColumns, Records};
use understory_compare::{
    CompareError, CompareMode, CompareOptions, CompareReport, Comparison, channels_tell_beams_apart,
};

use crate::block::BlockBuilder;
use crate::layers::rows::{ChunkRef, is_point};
use crate::layers::{LayerEntry, is_over};
use crate::protocol::compare::{
    CompareLayers, Compared, DifferenceExtra, DifferenceKind, Figure, Histogram,
};
use crate::refusal::{Answer, Refusal};
use crate::studio::Studio;

/// Bins of histograms that are drawn.
const BINS: usize = 80;
/// Points of a layer that the other is searched for at most.
const POINTS_MAX: u32 = 20_000_000;

/// A layer as it is compared.
struct Side {
    id: u32,
    name: String,
    known: KnownColumns,
    chunks: Vec<ChunkRef>,
    points: u32,
}

impl Side {
    fn of(entry: &LayerEntry) -> Answer<Side> {
        let held = entry.lock();
        if !is_over(held.seen.state) {
            let sentence = format!("{:?} is not done yet", held.seen.name);
            return Err(Refusal::conflict(sentence));
        }
        Ok(Side {
            id: entry.id,
            name: held.seen.name.clone(),
            known: held.known,
            chunks: held.rows.all(),
            points: held.rows.points(),
        })
    }

    fn each(&self, mut take: impl FnMut(&Records) -> Answer<()>) -> Answer<()> {
        self.chunks.iter().try_for_each(|chunk| take(&*chunk.records()?))
    }
}

/// Compares two layers.
pub fn compare(studio: &Studio, wanted: &CompareLayers) -> Answer<Compared> {
    let real = Side::of(&*studio.layers.get(wanted.real)?)?;
    let simulated = Side::of(&*studio.layers.get(wanted.simulated)?)?;
    let mut remarks = Vec::new();
    let report = match report(&real, &simulated, wanted.range_bin_m) {
        Ok(report) => Some(report),
        Err(refusal) => {
            remarks.push(refusal.into_problem().sentence);
            None
        }
    };
    let mut figures = vec![
        figure(
            "points compared with",
            Some(f64::from(real.points)),
            "",
            "points of the first layer",
        ),
        figure(
            "points judged",
            Some(f64::from(simulated.points)),
            "",
            "points of the second layer",
        ),
    ];
    if let Some(report) = &report {
        figures.extend(figures_of(report));
        remarks.extend(report.remarks.iter().cloned());
    }
    Ok(Compared {
        real: wanted.real,
        simulated: wanted.simulated,
        figures,
        histograms: histograms(&real, &simulated)?,
        report: report.map_or(Value::Null, |report| report.to_json()),
        remarks,
    })
}

fn figure(name: &str, value: Option<f64>, unit: &str, help: &str) -> Figure {
    Figure {
        name: name.to_owned(),
        value: value.filter(|value| value.is_finite()),
        unit: unit.to_owned(),
        help: help.to_owned(),
    }
}

fn report(real: &Side, simulated: &Side, range_bin_m: Option<f64>) -> Answer<CompareReport> {
    match report_as(real, simulated, range_bin_m, None) {
        Err(CompareTrouble::Moves) => {
            let moving = Some(CompareMode::Moving);
            report_as(real, simulated, range_bin_m, moving).map_err(CompareTrouble::into_refusal)
        }
        other => other.map_err(CompareTrouble::into_refusal),
    }
}

/// Why a comparison failed.
enum CompareTrouble {
    Moves,
    Other(Refusal),
}

impl CompareTrouble {
    fn into_refusal(self) -> Refusal {
        match self {
            CompareTrouble::Moves => Refusal::bad("the sensor moves"),
            CompareTrouble::Other(refusal) => refusal,
        }
    }
}

impl From<CompareError> for CompareTrouble {
    fn from(error: CompareError) -> CompareTrouble {
        match error {
            CompareError::Moves { .. } => CompareTrouble::Moves,
            other => CompareTrouble::Other(other.into()),
        }
    }
}

impl From<std::io::Error> for CompareTrouble {
    fn from(error: std::io::Error) -> CompareTrouble {
        CompareTrouble::Other(error.into())
    }
}

fn report_as(
    real: &Side,
    simulated: &Side,
    range_bin_m: Option<f64>,
    mode: Option<CompareMode>,
) -> Result<CompareReport, CompareTrouble> {
    let mut known = [real.known, simulated.known];
    if let Some(first) = real.chunks.first() {
        known[0].channel &= channels_tell_beams_apart(&*first.records()?);
    }
    let mut options = CompareOptions::suited(mode, None, known).map_err(|lacking| {
        let name = if lacking.side == 0 { &real.name } else { &simulated.name };
        let sentence =
            format!("{name} does not say {}, so single beams cannot be compared", lacking.what);
        CompareTrouble::Other(Refusal::bad(sentence))
    })?;
    if let Some(bin_m) = range_bin_m {
        options.histogram.range_bin_m = bin_m;
    }
    let mut comparison = Comparison::new(&options)?;
    for chunk in &real.chunks {
        comparison.add_real(&*chunk.records()?)?;
    }
    for chunk in &simulated.chunks {
        comparison.add_simulated(&*chunk.records()?)?;
    }
    Ok(comparison.finish()?)
}

fn figures_of(report: &CompareReport) -> Vec<Figure> {
    let mut figures = Vec::new();
    let found = &report.histogram;
    if let Some(distance) = found.distances.first() {
        let help =
            "Bhattacharyya distance of the ranges that each orientation measured; 0: the same";
        figures.push(figure("distance of ranges", Some(distance.distance), "", help));
        let help = "what chance alone leaves between two recordings of one world";
        figures.push(figure("of it, chance", Some(distance.floor), "", help));
        let help = "distance above chance; 0 is perfect";
        figures.push(figure("excess", Some(distance.excess), "", help));
    }
    let [real, simulated] = found.no_return_share();
    let help = "share of pulses without a return, second minus first layer";
    figures.push(figure("without return", Some(100.0 * (simulated - real)), "%", help));
    if let Some(cloud) = &report.cloud {
        let help = "mean distance to the nearest point of the other cloud, both ways added";
        figures.push(figure("Chamfer distance", Some(cloud.chamfer_m), "m", help));
        let help = "harmonic mean of the shares of points with one of the other cloud within 5 cm; 1 is perfect";
        figures.push(figure("F-score at 5 cm", Some(cloud.f_score), "", help));
    }
    if let Some(range) = report.beams.as_ref().and_then(|beams| beams.range.as_ref()) {
        let help = "mean difference of ranges of beams that belong together";
        figures.push(figure("bias of single beams", Some(range.bias_m), "m", help));
        let help = "half of these differences are smaller";
        figures.push(figure("median of single beams", Some(range.median_abs_m), "m", help));
        figures.push(figure(
            "RMS of single beams",
            Some(range.rms_m),
            "m",
            "their root mean square",
        ));
    }
    figures
}

/// What a histogram counts.
type Value1 = fn(&Records, usize) -> f64;

fn histograms(real: &Side, simulated: &Side) -> Answer<Vec<Histogram>> {
    let both = |has: fn(&KnownColumns) -> bool| has(&real.known) && has(&simulated.known);
    let mut wanted: Vec<(&str, &str, Value1)> =
        vec![("height", "m", |r, row| r.world_xyz_m[row][2])];
    if both(|known| known.range || known.origin) {
        wanted.insert(
            0,
            ("range", "m", |r, row| match r.range_m[row].is_finite() {
                true => f64::from(r.range_m[row]),
                false => r.distance_m(row),
            }),
        );
    }
    if both(|known| known.intensity) {
        wanted.push(("intensity", "", |r, row| f64::from(r.intensity[row])));
    }
    if both(|known| known.truth) {
        wanted.push(("error of ranges", "m", |r, row| {
            f64::from(r.range_m[row]) - f64::from(r.true_range_m[row])
        }));
        wanted.push(("incidence", "°", |r, row| f64::from(r.incidence_deg[row])));
    }
    let mut histograms = Vec::new();
    for (name, unit, value) in wanted {
        let mut all = [Vec::new(), Vec::new()];
        for (side, values) in [real, simulated].into_iter().zip(&mut all) {
            // A sample of at most a million is enough for eighty bins.
            let step = (side.points as usize / 1_000_000).max(1);
            side.each(|records| {
                let points = (0..records.len()).filter(|row| is_point(records, *row));
                let taken = points.step_by(step).map(|row| value(records, row));
                values.extend(taken.filter(|value| value.is_finite()));
                Ok(())
            })?;
            values.sort_by(f64::total_cmp);
        }
        let percentile = |values: &[f64], share: f64| {
            values.get((share * values.len().saturating_sub(1) as f64) as usize).copied()
        };
        let ends: Vec<f64> = all
            .iter()
            .flat_map(|values| [percentile(values, 0.002), percentile(values, 0.998)])
            .flatten()
            .collect();
        let from = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let to = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if from.is_infinite() || to.is_infinite() {
            continue;
        }
        let step = ((to - from) / BINS as f64).max(1e-9);
        let shares = |values: &[f64]| -> Vec<f64> {
            let mut counts = vec![0u64; BINS];
            for value in values {
                let place = (value - from) / step;
                if (0.0..=BINS as f64).contains(&place) {
                    counts[(place as usize).min(BINS - 1)] += 1;
                }
            }
            counts.iter().map(|count| *count as f64 / values.len().max(1) as f64).collect()
        };
        histograms.push(Histogram {
            name: name.to_owned(),
            unit: unit.to_owned(),
            from,
            step,
            real: shares(&all[0]),
            simulated: shares(&all[1]),
        });
    }
    Ok(histograms)
}

/// How each point of `of` differs from the layer `to`.
pub fn difference(
    of: &Arc<LayerEntry>,
    to: &Arc<LayerEntry>,
    kind: DifferenceKind,
) -> Answer<Bytes> {
    let (of, to) = (Side::of(of)?, Side::of(to)?);
    if of.points > POINTS_MAX || to.points > POINTS_MAX {
        return Err(Refusal::bad(format!(
            "layers of more than {POINTS_MAX} points are too large for this"
        )));
    }
    let values = match kind {
        DifferenceKind::Nearest => nearest(&of, &to)?,
        DifferenceKind::Range => ranges(&of, &to)?,
    };
    let points = values.iter().filter(|value| value.is_finite()).count() as u32;
    let mut block = BlockBuilder::new("difference", [0.0; 3]);
    block.column("difference_m", 1, &values);
    Ok(block.finish(&DifferenceExtra { of: of.id, to: to.id, kind, points }))
}

fn positions(side: &Side) -> Answer<Vec<[f64; 3]>> {
    let mut all = Vec::with_capacity(side.points as usize);
    side.each(|records| {
        let points = (0..records.len()).filter(|row| is_point(records, *row));
        all.extend(points.map(|row| records.world_xyz_m[row]));
        Ok(())
    })?;
    Ok(all)
}

fn nearest(of: &Side, to: &Side) -> Answer<Vec<f32>> {
    let (points, mut others) = (positions(of)?, positions(to)?);
    if others.is_empty() {
        return Ok(vec![f32::NAN; points.len()]);
    }
    // A sensor that stands still hits the same places over and over.
    others.par_sort_unstable_by(|a, b| {
        let axes = (0..3).map(|axis| a[axis].total_cmp(&b[axis]));
        axes.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    others.dedup();
    let tree = ImmutableKdTree::<f64, 3>::new_from_slice(&others)
        .map_err(|_| Refusal::bad("these points cannot be searched"))?;
    let distance = |at: &[f64; 3]| {
        let found = tree.query(at).nearest_one::<SquaredEuclidean<f64>>().execute();
        found.distance.sqrt() as f32
    };
    Ok(points.par_iter().map(distance).collect())
}

/// Range minus that of the same pulse and return of the other layer.
fn ranges(of: &Side, to: &Side) -> Answer<Vec<f32>> {
    if !(of.known.pulse && to.known.pulse && of.known.range && to.known.range) {
        return Err(Refusal::bad(
            "both layers must number their pulses and know their ranges; compare by the nearest point",
        ));
    }
    let key = |records: &Records, row: usize| {
        (records.sensor[row], records.pulse[row], records.return_number[row])
    };
    let mut others: Vec<((u16, u64, u8), f32)> = Vec::with_capacity(to.points as usize);
    to.each(|records| {
        let points = (0..records.len()).filter(|row| is_point(records, *row));
        others.extend(points.map(|row| (key(records, row), records.range_m[row])));
        Ok(())
    })?;
    others.sort_by_key(|(key, _)| *key);
    let mut values = Vec::with_capacity(of.points as usize);
    of.each(|records| {
        for row in (0..records.len()).filter(|row| is_point(records, *row)) {
            let found = others.binary_search_by_key(&key(records, row), |(key, _)| *key);
            let other = found.ok().and_then(|place| others.get(place));
            values.push(other.map_or(f32::NAN, |(_, range)| records.range_m[row] - range));
        }
        Ok(())
    })?;
    Ok(values)
}
