//! Figure 1 of Deschaud et al. 2012: range histograms of two orientations of one laser on a tree.
//!
//! The paper shows about 1500 returns of a beam that meets a solid part of a small tree (one peak,
//! about normal) and of a nearby beam of the same laser (several modes, not symmetric), each beside
//! 150 000 simulated returns of volumes that were learned from the whole recording. Ours is
//! `p1-tree-medium`. The first orientation is the one with the smallest spread of ranges, the second
//! the one that is least symmetric of those with two modes or more ([`super::modes`]).

use std::sync::Arc;
use understory_base::math;

use understory_compare::{HistogramBuilder, HistogramOptions, OrientationHistograms, Region};
use understory_learn::estimate::Settings;
use understory_learn::input::Beams;
use understory_learn::site::Model;

use super::modes::{CHANCE, proven_modes};
use super::standing_target::{StandingTarget, TARGETS};
use super::teaching::{SAME_RAYS, add_beams, distance, learn};
use super::{Ask, Finding, Limit, Reproduced};
use understory::Error;
use understory::world::scene::volume::SiteRays;
use understory_view::figures::bearing_range::{self, Wanted, Window};
use understory_view::figures::{Figure, Panel, Series};

/// The tree, by its place in table I.
const TREE: usize = 2;
/// How much is scanned; each orientation of the encoder is met in about every second revolution.
struct Size {
    /// Revolutions that teach the volumes.
    taught: u32,
    /// Revolutions of the one laser.
    real: u32,
    /// Simulated revolutions.
    simulated: u32,
    /// States of swaying.
    states: u32,
}

const QUICK: Size = Size { taught: 300, real: 3000, simulated: 30_000, states: 64 };
const FULL: Size = Size { taught: 3000, real: 3000, simulated: 290_000, states: 64 };
/// Noise and quanta of the sensor, √(5² + 2²/12), and how far the plants sway.
const NOISE_MM: f64 = 5.033;
const SWAY_MM: f64 = 4.0;
/// Window in which orientations are chosen.
const WIDTH_DEG: f64 = 5.0;
/// Step of the encoder: one orientation.
const STEP_DEG: f64 = 0.09;
/// Bins of 2 mm that are taken together where modes are counted, and where histograms are drawn.
const MODE_BINS: usize = 10;
const DRAWN_BINS: usize = 4;
/// How the volumes are queried; the first as published.
const MODELS: [(&str, Model, SiteRays); 2] = [
    ("voxel", Model::Voxel, SiteRays::Sampled),
    ("likelihood", Model::Likelihood, SiteRays::Nominal),
];

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    of_size(ask, if ask.full { &FULL } else { &QUICK })
}

fn of_size(ask: &Ask<'_>, size: &Size) -> Result<Reproduced, Error> {
    ask.progress.step("scanning the tree", 0.0);
    let (_, scenario, box_m) = TARGETS[TREE];
    let options = HistogramOptions {
        region: Region { box_m: Some(box_m), ..Region::default() },
        ..HistogramOptions::default()
    };
    let mut tree = StandingTarget::new(scenario, 0.0, WIDTH_DEG, size.states)?;
    let mut survey = HistogramBuilder::new(&options)?;
    let mut taught = Beams::default();
    tree.real(1..=size.taught, ask.seed, &mut |rows| {
        add_beams(rows, &mut taught);
        Ok(survey.add(rows)?)
    })?;
    let taught = vec![taught];
    let wanted = Wanted { azimuth_deg: Some(0.0), ..Wanted::default() };
    let Some(window) = bearing_range::choose(&survey.finish(), &wanted) else {
        return Ok(Reproduced::default());
    };
    ask.progress.step("scanning with one laser", 0.3);
    tree.look_with(window.row.row as u16, 0.0, WIDTH_DEG);
    let mut halves = [HistogramBuilder::new(&options)?, HistogramBuilder::new(&options)?];
    let mut whole = HistogramBuilder::new(&options)?;
    tree.real(1..=size.real, ask.seed, &mut |rows| {
        let half = rows.scan.first().map_or(0, |scan| scan % 2);
        halves[half as usize].add(rows)?;
        Ok(whole.add(rows)?)
    })?;
    let [first, second] = halves.map(HistogramBuilder::finish);
    let real = Laser { window, whole: whole.finish(), halves: [first, second] };
    let Some(chosen) = real.two_orientations() else { return Ok(Reproduced::default()) };

    let mut findings = real.findings(&chosen);
    let mut panels = real.panels(&chosen);
    for (index, (name, model, rays)) in MODELS.into_iter().enumerate() {
        ask.progress.step(&format!("learning and asking {name}"), 0.5 + 0.25 * index as f64);
        let settings = Settings { range_max_m: 60.0, widening: SAME_RAYS, ..Settings::default() };
        let site = Arc::new(learn(&taught, model, &settings)?);
        let run = tree.scenario().in_site(site, rays).prepare()?;
        for (orientation, panel) in chosen.iter().zip(&mut panels) {
            let bearing_deg = window.bearing_deg(&real.whole, orientation.offset);
            tree.look_with(window.row.row as u16, bearing_deg, STEP_DEG);
            let mut counted = HistogramBuilder::new(&options)?;
            tree.simulated(&run, 1..=size.simulated, ask.seed ^ 0x5EED, &mut |rows| {
                Ok(counted.add(rows)?)
            })?;
            let simulated = counted.finish();
            panel.series.push(histogram(&window, &simulated, orientation.offset, name));
            findings.push(real.likeness(orientation, &simulated, name)?);
        }
    }
    let counts = chosen.map(|orientation| orientation.count);
    Ok(Reproduced {
        method: format!(
            "`p1-tree-medium` at 8 m before its HDL-64E: {} revolutions of laser {}, which gave {} and {} returns in two orientations of the encoder (the paper: about 1500). The volumes were learned from {} revolutions of all lasers and simulated in {} revolutions.",
            size.real, window.row.row, counts[0], counts[1], size.taught, size.simulated
        ),
        findings,
        figures: vec![Figure::new(
            "deschaud-fig1",
            "Ranges of two orientations of one laser on a tree",
            ["range [m]", "share of pulses in 8 mm"],
            panels,
        )],
        remarks: vec![
            "As in the paper, one beam of a laser sees a single peak with a spread of about that of the sensor and the wind, and a beam beside it several modes that no noise about one range makes.".to_owned(),
            "Volumes give both forms back. Their distances to reality are above what chance leaves, since a voxel of 5 cm has one Gaussian for all beams that cross it; `likelihood`, with smaller volumes, is nearer.".to_owned(),
        ],
        ..Reproduced::default()
    })
}

/// Returns of one laser.
struct Laser {
    window: Window,
    whole: OrientationHistograms,
    halves: [OrientationHistograms; 2],
}

/// One bearing and what its ranges are like.
#[derive(Clone, Copy)]
struct Orientation {
    offset: usize,
    count: u32,
    modes: usize,
    sigma_m: f64,
    skewness: f64,
}

impl Laser {
    /// Number, modes, standard deviation and skewness of the returns of a bearing.
    fn orientation(&self, offset: usize) -> Option<Orientation> {
        let counts = self.window.counts(&self.whole, offset);
        let count: u32 = counts.iter().sum();
        let pulses = self.window.cell(&self.whole, offset).pulses();
        // A bearing of which little lies in the window says little.
        if count < 300 || u64::from(count) * 2 < pulses {
            return None;
        }
        let moment = |about: f64, power: i32| -> f64 {
            let sum = counts.iter().enumerate().map(|(bin, &n)| {
                f64::from(n) * (self.window.range_m(&self.whole, bin) - about).powi(power)
            });
            sum.sum::<f64>() / f64::from(count)
        };
        let mean = moment(0.0, 1);
        let sigma_m = moment(mean, 2).sqrt();
        let coarse =
            |half: &OrientationHistograms| coarser(&self.window.counts(half, offset), MODE_BINS);
        Some(Orientation {
            offset,
            count,
            modes: proven_modes(&coarse(&self.halves[0]), &coarse(&self.halves[1])),
            sigma_m,
            skewness: moment(mean, 3) / sigma_m.powi(3),
        })
    }

    /// The narrowest, and of those with modes the least symmetric.
    fn two_orientations(&self) -> Option<[Orientation; 2]> {
        let all: Vec<Orientation> =
            (0..self.window.azimuths).filter_map(|offset| self.orientation(offset)).collect();
        let narrow = all.iter().min_by(|a, b| a.sigma_m.total_cmp(&b.sigma_m))?;
        let with_modes = all.iter().filter(|orientation| orientation.modes > 1);
        let wide = with_modes.max_by(|a, b| a.skewness.abs().total_cmp(&b.skewness.abs()))?;
        Some([*narrow, *wide])
    }

    fn findings(&self, [narrow, wide]: &[Orientation; 2]) -> Vec<Finding> {
        let n = f64::from(wide.count);
        let chance = 5.5 / (2.0 * f64::from(narrow.count)).sqrt();
        vec![
            Finding {
                quantity: "modes of the narrow orientation".into(),
                paper: Some(1.0),
                ours: narrow.modes as f64,
                limit: Limit::Within(1.0, 1.0, format!("\"a single clear peak\"; a false second mode has a probability below {CHANCE:e}")),
            },
            Finding {
                quantity: "spread of the narrow orientation, σ in mm".into(),
                paper: None,
                ours: 1e3 * narrow.sigma_m,
                limit: Limit::Within(
                    NOISE_MM * (1.0 - chance),
                    math::hypot(NOISE_MM, SWAY_MM) * (1.0 + chance),
                    format!("range noise of 5 mm and quanta of 2 mm at least, and the wind's 4 mm along the beam at most; 5.5 standard errors of the spread of {} returns", narrow.count),
                ),
            },
            Finding {
                quantity: "modes of the wide orientation".into(),
                paper: None,
                ours: wide.modes as f64,
                limit: Limit::Within(2.0, 10.0, format!("\"multi-modal\", so two or more; a valley that is none is taken for one with a probability below {CHANCE:e}")),
            },
            Finding {
                quantity: "skewness of the wide orientation, absolute".into(),
                paper: None,
                ours: wide.skewness.abs(),
                limit: Limit::Within(6.0 * (6.0 / n).sqrt(), 20.0, "\"asymmetric\": six standard errors of the skewness of as many normal ranges or more".into()),
            },
            Finding {
                quantity: "spread of the wide over that of the narrow orientation".into(),
                paper: None,
                ours: wide.sigma_m / narrow.sigma_m,
                limit: Limit::Within(3.0, 100.0, "\"dramatically different\": modes that are apart by several spreads of one peak; the standard error is below 5 %".into()),
            },
        ]
    }

    fn panels(&self, chosen: &[Orientation; 2]) -> Vec<Panel> {
        let panel = |orientation: &Orientation| Panel {
            title: format!(
                "bearing {:.2} degrees",
                self.window.bearing_deg(&self.whole, orientation.offset)
            ),
            series: vec![histogram(&self.window, &self.whole, orientation.offset, "real")],
        };
        chosen.iter().map(panel).collect()
    }

    /// Distance of simulated returns of one orientation to the real ones.
    fn likeness(
        &self,
        orientation: &Orientation,
        simulated: &OrientationHistograms,
        name: &str,
    ) -> Result<Finding, Error> {
        let (distance, _) = distance(simulated, &self.whole)?;
        let which = if orientation.modes > 1 { "wide" } else { "narrow" };
        Ok(Finding {
            quantity: format!("distance of `{name}` in the {which} orientation"),
            paper: None,
            ours: distance,
            limit: Limit::Informational,
        })
    }
}

/// Sums of so many neighbours.
fn coarser(counts: &[u32], bins: usize) -> Vec<u32> {
    counts.chunks(bins.max(1)).map(|chunk| chunk.iter().sum()).collect()
}

/// A bearing's ranges in coarser bins.
fn histogram(window: &Window, of: &OrientationHistograms, offset: usize, name: &str) -> Series {
    let pulses = window.cell(of, offset).pulses().max(1) as f64;
    let counts = coarser(&window.counts(of, offset), DRAWN_BINS);
    let middle = |bin: usize| {
        let first = window.range_m(of, bin * DRAWN_BINS);
        first + 0.5 * (DRAWN_BINS - 1) as f64 * of.options().range_bin_m
    };
    let points = counts.iter().enumerate().map(|(bin, &n)| [middle(bin), f64::from(n) / pulses]);
    if name == "real" {
        Series::bars(name, points.collect())
    } else {
        Series::line(name, points.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_valid;

    #[test]
    fn one_beam_sees_a_peak_and_one_beside_it_several_modes() {
        let size = Size { taught: 20, real: 800, simulated: 2000, states: 16 };
        let found =
            of_size(&Ask { full: false, seed: 3, progress: &understory_base::Silent }, &size)
                .unwrap();
        assert_valid(&found);
        assert_eq!(found.findings.len(), 9);
        assert_eq!(found.figures[0].panels.len(), 2);
    }
}
