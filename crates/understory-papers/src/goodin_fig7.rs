//! Figure 7 of Goodin et al. (2018): rods before plywood, and mixed pixels between the two.
//!
//! The paper repeats an experiment of Tuley et al.: nine rods at 0.80 m before an LMS-291, plywood
//! 0.60 m or 2 m behind them. At 0.60 m mixed pixels lie between rods and plywood, at 2 m there are
//! none, because the plywood is beyond the signal cutoff of 1.6 m. Ours is the scenario `rods`. Of
//! nine sub-rays k meet the rod, so a mixed pixel should lie at (0.8k + 1.4(9 − k))/9 m. Where each
//! sub-ray ends is worked out here once more from circles and a line, without meshes or a tracer;
//! nothing is left to chance.

use super::firing::fire;
use super::goodin::{altered, beside, ours_alone, within};
use super::statistics::median;
use super::{Ask, Cloud, Finding, Reproduced};
use understory::Error;
use understory_base::math;
use understory_cloud::Records;
use understory_view::figures::{Figure, Panel, Series};

/// From the sensor to the middles of the rods.
const RODS_M: f64 = 0.8;
const ROD_SPACING_M: f64 = 0.127;
/// Of the rods, and of the one that is thick.
const RADII_M: [f64; 2] = [0.0125, 0.0375];
/// Which rod is thick, counted from the middle one to the left.
const THICK: i32 = 2;
/// Half the width of the plywood.
const PLYWOOD_HALF_M: f64 = 2.0;
/// W.
const CUTOFF_M: f64 = 1.6;
const DIVERGENCE_RAD: f64 = 0.0129;
/// Pixels whose sub-rays are farther apart are mixed.
const APART_M: f64 = 0.1;
/// Half of the sensor's step of 1 cm, and the flats of the meshes.
const GRAIN_M: f64 = 0.0055;
/// Panels (a) and (b): how far the plywood is behind the middles of the rods.
const OFFSETS: [(&str, f64); 2] = [("60 cm", 0.6), ("2 m", 2.0)];

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let mut done = Reproduced::default();
    let mut panels = Vec::new();
    for (name, offset_m) in OFFSETS {
        ask.progress.step(name, 0.0);
        let rows = scan(offset_m, ask.seed, &[])?;
        done.findings.extend(of_scan(&rows, name, offset_m));
        panels.push(panel(&rows, name));
        let file = format!("goodin-fig7-{}", name.replace(' ', ""));
        let title = format!("Rods at 0.80 m, plywood {name} behind them");
        done.clouds.push(Cloud { name: file, title, records: rows });
    }
    ask.progress.step("places of mixed pixels", 0.2);
    done.findings.extend(places(ask.seed)?);
    ask.progress.step("offsets of the plywood", 0.4);
    let shares = sweep(ask.seed)?;
    let last = shares.iter().rev().find(|[_, share]| *share > 0.0).map_or(0.0, |[at, _]| *at);
    done.findings.push(beside(
        "largest offset with mixed pixels, m",
        CUTOFF_M,
        last,
        within(
            CUTOFF_M - RADII_M[0] - 0.02,
            CUTOFF_M,
            "the cutoff, less what the rod's front is before its middle, less one step",
        ),
    ));
    done.figures.push(Figure {
        equal_axes: true,
        ..Figure::new(
            "goodin-fig7",
            "Rods before plywood, seen from above",
            ["to the left, m", "ahead, m"],
            panels,
        )
    });
    done.figures.push(Figure::new(
        "goodin-fig7-offsets",
        "Mixed pixels against the offset of the plywood",
        ["plywood behind the rods, m", "mixed pixels, share of returns"],
        vec![Panel { title: String::new(), series: vec![Series::line("", shares)] }],
    ));
    done.method = "Scenario rods: an LMS-291 as in table 3 (−50° to 50°, 0.5°, 12.9 mrad, first \
                   return, cutoff 1.6 m), and the same with other offsets of the plywood. Table 3 has \
                   a least range of 1 m, which would delete the rods at 0.80 m: it is 0.5 m here."
        .into();
    done.remarks = vec![
        "Mixed pixels are there with the plywood 60 cm behind the rods and gone with it 2 m behind, \
         as in the paper and in Tuley's experiment, and they vanish where the cutoff says. The paper \
         prints no number of them."
            .into(),
        "With nine sub-rays of this stencil only 1, 3, 6 or 8 can meet the edge of an upright rod, so \
         mixed pixels lie at four places. Rods are round: their fronts are up to 12.5 mm before \
         their middles, which moves a pixel by as much in proportion to its rays on the rod. Which of \
         the nine rods is the thick one the paper does not say."
            .into(),
    ];
    Ok(done)
}

/// One scan with the plywood `offset_m` behind the middles of the rods.
fn scan(offset_m: f64, seed: u64, changes: &[(&str, &str)]) -> Result<Records, Error> {
    // The plywood is 2 cm thick.
    let place = format!("position_m = [{:.4}, 0.0, 0.0]", RODS_M + offset_m + 0.01);
    let mut all = vec![("position_m = [1.41, 0.0, 0.0]", place.as_str())];
    all.extend_from_slice(changes);
    let scenario = altered("rods", &all)?;
    let run = scenario.prepare()?;
    let Some(sensor) = run.sensors.first() else { return Ok(Records::default()) };
    let pulses = 0..sensor.pattern.first_pulse_at(scenario.duration_s);
    Ok(fire(&run, sensor, seed, pulses))
}

fn is_mixed(rows: &Records, row: usize) -> bool {
    !rows.is_miss(row) && f64::from(rows.range_spread_m[row]) > APART_M
}

/// Mixed pixels of a scan, and how far its ranges are from those by circles and a line.
fn of_scan(rows: &Records, name: &str, offset_m: f64) -> Vec<Finding> {
    let mixed = (0..rows.len()).filter(|row| is_mixed(rows, *row)).count();
    let (mut expected, mut wrong) = (0, 0);
    for row in 0..rows.len() {
        let by_hand = Pixel::at(f64::from(rows.azimuth_deg[row]), offset_m);
        expected += usize::from(by_hand.as_ref().is_some_and(Pixel::is_mixed));
        let range_m = (!rows.is_miss(row)).then(|| f64::from(rows.range_m[row]));
        let same = match (&by_hand, range_m) {
            (Some(pixel), Some(range_m)) => (pixel.range_m - range_m).abs() < GRAIN_M,
            (None, None) => true,
            _ => false,
        };
        wrong += usize::from(!same);
    }
    let share = |count: usize| count as f64 / rows.len().max(1) as f64;
    let slack = if expected > 0 { share(2) } else { 0.0 };
    let limit = within(
        share(expected) - slack,
        share(expected) + slack,
        "sub-rays against circles and a line; two may differ by the flats of the rods' meshes",
    );
    let quantity = format!("plywood {name} behind: mixed pixels, share");
    vec![
        if expected == 0 {
            beside(quantity, 0.0, share(mixed), limit)
        } else {
            ours_alone(format!("{quantity} (paper: some)"), share(mixed), limit)
        },
        ours_alone(
            format!("plywood {name} behind: pixels elsewhere than circles and a line say, share"),
            share(wrong),
            within(0.0, share(3), "three may differ by the flats of the rods' meshes"),
        ),
    ]
}

/// Where mixed pixels of the middle rod lie, by how many of nine sub-rays are on it.
fn places(seed: u64) -> Result<Vec<Finding>, Error> {
    let fine = [
        ("azimuth_min_deg = -50.0", "azimuth_min_deg = -2.0"),
        ("azimuth_max_deg = 50.0", "azimuth_max_deg = 2.0"),
        ("azimuth_step_deg = 0.5", "azimuth_step_deg = 0.02"),
        ("interlace = 2", "interlace = 1"),
        ("duration_s = 0.0267", "duration_s = 0.0133"),
    ];
    let rows = scan(0.6, seed, &fine)?;
    let mut findings = Vec::new();
    for on_rod in [1u8, 3, 6, 8] {
        let here = |row: &usize| {
            let pixel = Pixel::at(f64::from(rows.azimuth_deg[*row]), 0.6);
            pixel.is_some_and(|pixel| pixel.on_rod == on_rod) && !rows.is_miss(*row)
        };
        let ranges = (0..rows.len()).filter(here).map(|row| f64::from(rows.range_m[row]));
        let k = f64::from(on_rod);
        let flat_m = (k * RODS_M + (9.0 - k) * 1.4) / 9.0;
        findings.push(ours_alone(
            format!("mixed pixel with {on_rod} of 9 sub-rays on the middle rod, m"),
            median(ranges.collect()),
            within(
                flat_m - k * RADII_M[0] / 9.0 - GRAIN_M,
                flat_m + GRAIN_M,
                "(0.8k + 1.4(9 − k))/9, less what a round rod is nearer, and half a step of 1 cm",
            ),
        ));
    }
    Ok(findings)
}

/// Share of mixed pixels by the offset of the plywood.
fn sweep(seed: u64) -> Result<Vec<[f64; 2]>, Error> {
    let offsets = (2..=30).map(|step| 0.1 * f64::from(step));
    let near_cutoff = (76..=85).map(|step| 0.02 * f64::from(step));
    let mut offsets: Vec<f64> = offsets.chain(near_cutoff).collect();
    offsets.sort_by(f64::total_cmp);
    let mut shares = Vec::new();
    for offset_m in offsets {
        let rows = scan(offset_m, seed, &[])?;
        let mixed = (0..rows.len()).filter(|row| is_mixed(&rows, *row)).count();
        shares.push([offset_m, mixed as f64 / rows.return_rows().max(1) as f64]);
    }
    Ok(shares)
}

fn panel(rows: &Records, name: &str) -> Panel {
    let places = |mixed: bool| {
        let wanted = (0..rows.len()).filter(|row| !rows.is_miss(*row));
        let wanted = wanted.filter(|row| is_mixed(rows, *row) == mixed);
        wanted.map(|row| [-rows.world_xyz_m[row][1], rows.world_xyz_m[row][0]]).collect()
    };
    let series = vec![
        Series::dots("one surface", places(false)),
        Series::dots("mixed pixels", places(true)),
    ];
    Panel { title: format!("plywood {name} behind the rods"), series }
}

/// A pixel by circles and a line.
struct Pixel {
    range_m: f64,
    /// Sub-rays that meet a rod.
    on_rod: u8,
    /// Sub-rays that count.
    counted: u8,
}

impl Pixel {
    fn is_mixed(&self) -> bool {
        self.on_rod > 0 && self.on_rod < self.counted
    }

    /// The first window over the nine sub-rays of the stencil that matches the spot.
    fn at(azimuth_deg: f64, offset_m: f64) -> Option<Pixel> {
        let r = 0.75f64.sqrt() * math::tan(DIVERGENCE_RAD / 2.0);
        let halves = [(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)];
        let axes = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
        let met: Vec<(f64, bool)> = (axes.into_iter().chain(halves))
            .filter_map(|(left, up)| sub_ray(azimuth_deg, left * r, up * r, offset_m))
            .collect();
        let nearest = met.iter().map(|(range, _)| *range).fold(f64::INFINITY, f64::min);
        let window = || met.iter().filter(|(range, _)| range - nearest < CUTOFF_M);
        let counted = window().count();
        let sum: f64 = window().map(|(range, _)| range).sum();
        (counted > 0).then(|| Pixel {
            range_m: sum / counted as f64,
            on_rod: window().filter(|(_, rod)| *rod).count() as u8,
            counted: counted as u8,
        })
    }
}

/// Range of a ray that leaves the axis to the left and up by these slopes, and whether it met a rod.
fn sub_ray(azimuth_deg: f64, left: f64, up: f64, offset_m: f64) -> Option<(f64, bool)> {
    let (sin, cos) = math::sin_cos(azimuth_deg.to_radians());
    let (x, y) = (cos - left * sin, sin + left * cos);
    let flat = math::hypot(x, y);
    let (ux, uy) = (x / flat, y / flat);
    let lengthened = math::hypot(1f64, up / flat);
    let rod = |number: i32| {
        let middle = [RODS_M, ROD_SPACING_M * f64::from(number)];
        let radius_m = RADII_M[usize::from(number == THICK)];
        let beside_m = ux * middle[1] - uy * middle[0];
        let inside = radius_m * radius_m - beside_m * beside_m;
        (inside > 0.0).then(|| ux * middle[0] + uy * middle[1] - inside.sqrt())
    };
    let nearest = (-4..=4).filter_map(rod).fold(f64::INFINITY, f64::min);
    if nearest.is_finite() {
        return Some((nearest * lengthened, true));
    }
    let plywood_m = (RODS_M + offset_m) / ux;
    ((plywood_m * uy).abs() < PLYWOOD_HALF_M).then_some((plywood_m * lengthened, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;

    #[test]
    fn rods_are_sound() {
        let done =
            work_out(&Ask { full: false, seed: 1, progress: &understory_base::Silent }).unwrap();
        for finding in &done.findings {
            assert_eq!(finding.verdict(), Verdict::Agrees, "{finding:?}");
        }
        assert_eq!(done.findings.len(), 2 * 2 + 4 + 1);
    }
}
