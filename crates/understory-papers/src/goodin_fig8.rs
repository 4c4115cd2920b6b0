//! Figure 8 of Goodin et al. (2018): ranges of a small shrub at 8 m have two modes.
//!
//! The paper places an HDL-64E at 91 places along a quarter circle of 8 m about a potted shrub, one
//! revolution at 5 Hz at each, and bins all ranges to the shrub. It sees them broadened, and bimodal
//! because some return from the foliage and others from the trunk. Ours is the scenario `shrub`, a
//! dense crown on one bare stem; beside it the same with three thin stems and a tenth of the leaves,
//! and, in the full version, other shrubs of the first kind. The sensor has no noise, so nothing is
//! left to chance but the growth of those.

use understory_base::math;
use understory_cloud::Records;

use super::firing::fire_where;
use super::goodin::{altered, beside, ours_alone, within};
use super::statistics::outline;
use super::{Ask, Finding, Limit, Reproduced};
use understory::Error;
use understory_view::figures::{Figure, Panel, Series};

/// Places along the quarter circle, one degree apart.
const PLACES: u32 = 91;
/// Seed of the scenario.
const SHRUB: u64 = 3;
/// Other shrubs of the full version.
const OTHERS: u64 = 8;
/// One revolution at 5 Hz.
const REVOLUTION_S: f64 = 0.2;
const DISTANCE_M: f64 = 8.0;
/// The shrub is seen within this angle.
const HALF_WIDTH_DEG: f64 = 7.0;
/// SemanticKITTI's trunk.
const TRUNK: u16 = 71;
const LOW_M: f64 = 7.2;
const HIGH_M: f64 = 8.8;
/// Smoothing of the density whose modes are counted.
const KERNEL_M: f64 = 0.03;
const GRID_M: f64 = 0.005;
/// A mode is parted from a higher one by a density of this share of its own or less.
const VALLEY: f64 = 0.9;

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    work_out_from(ask, 1)
}

/// The same from every so many-th place.
fn work_out_from(ask: &Ask<'_>, every: usize) -> Result<Reproduced, Error> {
    let mut done = Reproduced::default();
    ask.progress.step("a dense crown on one stem", 0.0);
    let shrub = scan(SHRUB, &[], every)?;
    ask.progress.step("three thin stems", 0.5);
    let open = scan(
        SHRUB,
        &[
            ("stems = 1", "stems = 3"),
            ("stem_diameter_m = 0.08", "stem_diameter_m = 0.025"),
            ("crown_base_m = 0.6", "crown_base_m = 0.25"),
            ("foliage_density = 20.0", "foliage_density = 2.0"),
        ],
        every,
    )?;
    done.findings = findings(&shrub, &open);
    if ask.full {
        let mut bimodal = 0.0;
        for other in 1..=OTHERS {
            ask.progress.step("other shrubs", 0.6 + 0.4 * (other as f64 - 1.0) / OTHERS as f64);
            let rows = scan(SHRUB + ask.seed % (1 << 32) * OTHERS + other, &[], every)?;
            let modes = Smooth::new(&ranges(&rows, |_| true)).modes().len();
            bimodal += f64::from(u8::from(modes == 2)) / OTHERS as f64;
        }
        let quantity = format!("share of {OTHERS} other shrubs of the kind that are bimodal");
        done.findings.push(ours_alone(quantity, bimodal, Limit::Informational));
    }
    done.figures.push(Figure::new(
        "goodin-fig8",
        "Ranges to a shrub at 8 m from 91 places",
        ["range, m", "density, 1/m"],
        vec![
            panel("dense crown on one stem", &shrub),
            panel("three thin stems, a tenth of the leaves", &open),
        ],
    ));
    done.method =
        "Scenario shrub: the HDL-64E of table 4 at 5 Hz and 1.2 m height, one revolution \
                   at each of 91 places on a quarter circle of 8 m. All returns whose truth is the \
                   shrub count. Modes are those of the density smoothed by 3 cm."
            .into();
    done.remarks = vec![
        "Broadened and bimodal, as the paper says, where the crown is so dense that most beams end in \
         its front and the stem is seen bare below it. It is the plant that decides: with thin stems \
         and few leaves the same scan has one broad mode, because foliage is met at every depth. The \
         paper's shrub is not given; ours was made of the kind that has two."
            .into(),
        "The paper compares its histogram of all beams from 91 places with figure 1 of Deschaud et \
         al. (which it also calls figure 4), but that one is of a single beam direction, repeated \
         1500 times from one place; likeness of the two shapes is no evidence."
            .into(),
    ];
    Ok(done)
}

/// What is said of the shrub, and of the one with few leaves.
fn findings(shrub: &Records, open: &Records) -> Vec<Finding> {
    let all = ranges(shrub, |_| true);
    let density = Smooth::new(&all);
    let modes = density.modes();
    let (near, far) = (modes.first().copied(), modes.last().copied());
    let place = |mode: Option<usize>| mode.map_or(f64::NAN, |at| density.range_m(at));
    let about = |row: usize, at: f64| (f64::from(shrub.range_m[row]) - at).abs() < 0.05;
    let wood = |at: f64| {
        let trunk = ranges(shrub, |row| shrub.label[row] == TRUNK && about(row, at));
        trunk.len() as f64 / ranges(shrub, |row| about(row, at)).len().max(1) as f64
    };
    let mut sorted = all.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted.get((share * all.len() as f64) as usize).copied();
    let width_m = at(0.95).zip(at(0.05)).map_or(f64::NAN, |(high, low)| high - low);
    let open_modes = Smooth::new(&ranges(open, |_| true)).modes().len();
    vec![
        beside(
            "modes of the ranges",
            2.0,
            modes.len() as f64,
            within(2.0, 2.0, "foliage and trunk"),
        ),
        ours_alone(
            "density between the modes over that of the lower one",
            density.valley(near, far),
            within(0.0, VALLEY, "two modes are apart"),
        ),
        ours_alone(
            "near mode, m",
            place(near),
            within(DISTANCE_M - 0.5, DISTANCE_M - 0.1, "in the front half of a crown 1 m wide"),
        ),
        ours_alone(
            "far mode, m",
            place(far),
            within(
                DISTANCE_M - 0.06,
                math::hypot(DISTANCE_M, 1.2) + 0.02,
                "the stem, whose front is 4 cm before its middle, seen from up to 1.2 m above",
            ),
        ),
        ours_alone(
            "share of wood about the far mode over that about the near one",
            wood(place(far)) / wood(place(near)).max(1e-3),
            within(3.0, f64::INFINITY, "the paper says that trunk and foliage make the two modes"),
        ),
        ours_alone(
            "width of the ranges from 5 to 95 %, m (paper: broadened)",
            width_m,
            within(0.25, 1.0, "between a quarter of the crown and all of it; a board has none"),
        ),
        ours_alone(
            "modes with three thin stems and a tenth of the leaves",
            open_modes as f64,
            Limit::Informational,
        ),
        ours_alone("ranges to the shrub", all.len() as f64, Limit::Informational),
    ]
}

/// Histograms of all ranges, and of those to wood.
fn panel(title: &str, rows: &Records) -> Panel {
    let all = ranges(rows, |_| true);
    let line = |name: &str, which: &[f64]| {
        let scale = which.len() as f64 / all.len().max(1) as f64;
        let mut points = outline(which, LOW_M, HIGH_M, 0.05);
        points.iter_mut().for_each(|point| point[1] *= scale);
        Series::line(name, points)
    };
    let wood = ranges(rows, |row| rows.label[row] == TRUNK);
    Panel { title: title.into(), series: vec![line("all", &all), line("wood", &wood)] }
}

/// Rows of returns from the shrub.
fn scan(seed: u64, changes: &[(&str, &str)], every: usize) -> Result<Records, Error> {
    let seed_line = format!("seed = {seed}\n");
    let mut all = vec![("seed = 3\n", seed_line.as_str())];
    all.extend_from_slice(changes);
    let scenario = altered("shrub", &all)?;
    let run = scenario.prepare()?;
    let Some(sensor) = run.sensors.first() else { return Ok(Records::default()) };
    let shrub = run.scene.objects().iter().find(|object| object.name.starts_with("shrub"));
    let shrub = shrub.map_or(0, |object| object.id);
    let mut rows = Records::default();
    for place in (0..PLACES).step_by(every) {
        let at =
            |revolution: u32| sensor.pattern.first_pulse_at(f64::from(revolution) * REVOLUTION_S);
        // The shrub is in the direction of as many degrees.
        let toward = f64::from(place);
        let wanted = |azimuth_deg: f64| {
            let off = (azimuth_deg - toward).rem_euclid(360.0);
            off.min(360.0 - off) < HALF_WIDTH_DEG
        };
        let seen = fire_where(&run, sensor, seed, at(place)..at(place + 1), &wanted);
        for row in (0..seen.len()).filter(|row| seen.object[*row] == shrub) {
            seen.get(row).into_iter().for_each(|record| rows.push(record));
        }
    }
    Ok(rows)
}

fn ranges(rows: &Records, wanted: impl Fn(usize) -> bool) -> Vec<f64> {
    (0..rows.len()).filter(|row| wanted(*row)).map(|row| f64::from(rows.range_m[row])).collect()
}

/// A density by Gaussian kernels on a grid.
struct Smooth(Vec<f64>);

impl Smooth {
    fn new(ranges_m: &[f64]) -> Smooth {
        let steps = ((HIGH_M - LOW_M) / GRID_M) as usize;
        let mut counts = vec![0.0; steps];
        for range in ranges_m {
            if let Some(count) = counts.get_mut(((range - LOW_M).max(0.0) / GRID_M) as usize) {
                *count += 1.0;
            }
        }
        let reach = (4.0 * KERNEL_M / GRID_M) as usize;
        let weight = |off: usize| math::exp(-0.5 * (off as f64 * GRID_M / KERNEL_M).powi(2));
        let at = |step: usize| {
            let around = step.saturating_sub(reach)..(step + reach + 1).min(steps);
            around.map(|other| counts[other] * weight(other.abs_diff(step))).sum()
        };
        Smooth((0..steps).map(at).collect())
    }

    fn range_m(&self, step: usize) -> f64 {
        LOW_M + (step as f64 + 0.5) * GRID_M
    }

    /// Least density between two steps over the lower of the two.
    fn valley(&self, near: Option<usize>, far: Option<usize>) -> f64 {
        let Some((near, far)) = near.zip(far).filter(|(near, far)| near < far) else {
            return 1.0;
        };
        let least = self.0[near..=far].iter().copied().fold(f64::INFINITY, f64::min);
        least / self.0[near].min(self.0[far])
    }

    /// Places of modes, near to far, of which each is parted from the next.
    fn modes(&self) -> Vec<usize> {
        let peak = |step: &usize| {
            let here = self.0[*step];
            here > self.0[step - 1] && here >= self.0[step + 1]
        };
        let mut modes: Vec<usize> = Vec::new();
        for step in (1..self.0.len().saturating_sub(1)).filter(peak) {
            match modes.last().copied() {
                // Not parted: one mode, the higher of the two.
                Some(last) if self.valley(Some(last), Some(step)) > VALLEY => {
                    if self.0[step] > self.0[last] {
                        modes.pop();
                        modes.push(step);
                    }
                }
                _ => modes.push(step),
            }
        }
        let highest = self.0.iter().copied().fold(0.0, f64::max);
        // What little stands out of the tails is no mode.
        modes.retain(|mode| self.0[*mode] > 0.2 * highest);
        modes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_valid;

    #[test]
    fn the_shrub_is_sound() {
        let ask = Ask { full: false, seed: 1, progress: &understory_base::Silent };
        let done = work_out_from(&ask, 9).unwrap();
        assert_eq!(done.findings.len(), 8);
        assert_valid(&done);
    }

    #[test]
    fn modes_of_two_heaps() {
        let heap =
            |middle: f64| (0..2000).map(move |i| middle + 0.1 * (f64::from(i % 50) / 50.0 - 0.5));
        let two: Vec<f64> = heap(7.7).chain(heap(8.1)).collect();
        assert_eq!(Smooth::new(&two).modes().len(), 2);
        let one: Vec<f64> = heap(7.7).chain(heap(7.75)).collect();
        assert_eq!(Smooth::new(&one).modes().len(), 1);
        assert!(Smooth::new(&[]).modes().is_empty());
    }
}
