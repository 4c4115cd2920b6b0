//! Figure 10 of Goodin et al. (2018): cost maps of four sensors after ten seconds of driving.
//!
//! The scenario `courtyard-drive` is the paper's demonstration (section 3.5.3): a skid-steered vehicle
//! of at most 2 m/s with the sensor at 2 m, a map of 400 × 400 cells of 0.5 m by equation 8, A* to a
//! goal 130 m to the north-east, GPS and compass. What the paper says of the four maps are four
//! statements, each of which is a finding here; and the vehicle goes on to its goal, of which the paper
//! tells nothing.

use std::collections::BTreeMap;

use understory::Error;
use understory::scenario::{MapperName, Scenario};
use understory_cloud::Records;
use understory_drive::cost_map::CostMap;
use understory_drive::experiment::{sensor_named, with_sensor};
use understory_drive::path::distance_m;
use understory_drive::picture::MapPicture;
use understory_drive::{Drive, DriveOptions};

use super::goodin::{ours_alone, within};
use super::{Ask, Finding, Limit, Picture, Reproduced};

/// Figure 10, (a) to (d).
const SENSORS: [(&str, &str); 4] = [
    ("lms-291", "LMS-291"),
    ("vlp-16", "VLP-16"),
    ("hdl-32e", "HDL-32E"),
    ("hdl-64e-goodin", "HDL-64E"),
];
const LMS: usize = 0;
const VLP: usize = 1;
const HDL: usize = 3;
/// When the maps are drawn.
const AFTER_S: f64 = 10.0;
/// Short of the paper's sample size, sensors fire for one revolution of each half second.
const SENSE_S: f64 = 0.1;
/// What is near, and what is at an intermediate range, from the vehicle.
const NEAR_M: f64 = 15.0;
const FAR_M: f64 = 60.0;
/// Points up to here may be of the ground.
const GROUND_M: f64 = 0.15;

/// What one sensor saw in the first ten seconds.
struct Seen {
    grass: u64,
    returns: u64,
    /// Sums over trees and scans of the standard deviation of ranges, and how many.
    spread: (f64, u64),
    /// Cells with small things near the vehicle, summed over looks, and how many looks.
    small: (u64, u64),
    map: CostMap,
    at_m: [f64; 2],
}

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    work_out_with(ask, AFTER_S, SENSORS.len())
}

/// The same after another time, with so many of the sensors on the whole way to the goal.
fn work_out_with(ask: &Ask<'_>, after_s: f64, goals: usize) -> Result<Reproduced, Error> {
    let mut done = Reproduced::default();
    let mut scenario = Scenario::embedded("courtyard-drive")?;
    if let Some(drive) = scenario.drive.as_mut().filter(|_| !ask.full) {
        drive.sense_s = SENSE_S;
    }
    let building = |what: &str, share: f64| ask.progress.step(what, 0.2 * share);
    let mut run = scenario.prepare_reporting(&building)?;
    run.reseed(ask.seed);
    let mut seen = Vec::new();
    for (number, (preset, name)) in SENSORS.into_iter().enumerate() {
        ask.progress.step(name, 0.2 + 0.2 * number as f64);
        let mounted = sensor_named(&scenario, preset)?;
        let run = with_sensor(&scenario, &run, &mounted);
        let options = DriveOptions { mapper: Some(MapperName::Height), ..DriveOptions::default() };
        let mut drive = Drive::new(&scenario, run, options)?;
        let mut tally = Tally::default();
        while drive.time_s < after_s - 1e-9 && drive.outcome().is_none() {
            drive.step_planned()?;
            tally.take(&drive);
        }
        let at_m = drive.vehicle.at_m;
        let picture = MapPicture::of(&drive, 2);
        done.pictures.push(Picture {
            name: format!("goodin-fig10-{preset}"),
            title: format!(
                "{name} after {after_s} s: costs (black is free), plan, driven and best way"
            ),
            size: picture.size,
            rgb: picture.rgb,
        });
        seen.push(Seen {
            grass: tally.grass,
            returns: tally.returns,
            spread: tally.spread,
            small: tally.small,
            map: drive.map.clone(),
            at_m,
        });
        if number < goals {
            let metrics = drive.go(&|| false)?;
            done.findings.extend(of_the_way(name, &metrics));
            let picture = MapPicture::of(&drive, 2);
            done.pictures.push(Picture {
                name: format!("goodin-fig10-{preset}-whole-way"),
                title: format!("{name} at the end: costs, driven and best way"),
                size: picture.size,
                rgb: picture.rgb,
            });
        }
    }
    let statements = of_the_maps(&seen);
    done.findings.splice(0..0, statements);
    let pulses = match ask.full {
        true => "Every pulse is fired".to_owned(),
        false => format!("Sensors fire for {SENSE_S} s of each 0.5 s"),
    };
    done.method = format!(
        "Scenario courtyard-drive: {after_s} s of driving with each of the four sensors, each pulse from \
         the pose at its own time. {pulses}; GPS (5 cm) and compass (0.2°) register the points, of which \
         the paper gives no figures."
    );
    done.remarks = vec![
        "Each of the four statements of the paper is a finding. It gives neither the dynamics of the vehicle nor \
         numbers of the drive, so times and lengths stand alone."
            .into(),
        "Range variability within objects is taken as the standard deviation of ranges of one tree in \
         one scan, and its mean over trees and scans: a level scan at 2 m meets trunks, a fan of 64 \
         beams trunks and crowns. Divergence, which the paper names as the reason, is one part of it."
            .into(),
        "Small things near by are counted look by look (a period's scans): grass stands in every cell, and \
         after ten seconds of driving past it either sensor has met most of it, so the map after all looks \
         tells the two hardly apart."
            .into(),
    ];
    Ok(done)
}

#[derive(Default)]
struct Tally {
    grass: u64,
    returns: u64,
    spread: (f64, u64),
    small: (u64, u64),
}

impl Tally {
    /// What was seen in a period.
    fn take(&mut self, drive: &Drive) {
        let (run, rows) = (drive.run(), &drive.seen);
        self.small.0 += small_cells(drive, rows);
        self.small.1 += 1;
        // Count, sum and sum of squares of ranges by tree and scan.
        let mut ranges: BTreeMap<(u32, u32), [f64; 3]> = BTreeMap::new();
        for row in (0..rows.len()).filter(|row| !rows.is_miss(*row)) {
            self.returns += 1;
            let object = run.scene.objects().get((rows.object[row] as usize).wrapping_sub(1));
            let name = object.map_or("", |object| &object.name);
            self.grass += u64::from(name == "grass");
            if name.starts_with("tree") {
                let range = f64::from(rows.range_m[row]);
                let sums = ranges.entry((rows.object[row], rows.scan[row])).or_default();
                *sums = [sums[0] + 1.0, sums[1] + range, sums[2] + range * range];
            }
        }
        for [count, sum, squares] in ranges.into_values().filter(|sums| sums[0] >= 5.0) {
            let mean = sum / count;
            self.spread.0 += (squares / count - mean * mean).max(0.0).sqrt();
            self.spread.1 += 1;
        }
    }
}

/// Cells near the vehicle in which one look finds something that costs more than nothing and less than
/// the most: higher than the ground, which a point's noise reaches, and lower than 1.5 m.
fn small_cells(drive: &Drive, rows: &Records) -> u64 {
    let mut tops: BTreeMap<usize, f64> = BTreeMap::new();
    for row in (0..rows.len()).filter(|row| !rows.is_miss(*row)) {
        let [x, y, z] = rows.world_xyz_m[row];
        if let Some(cell) = drive.map.grid.cell_at([x, y])
            && distance_m(drive.vehicle.at_m, [x, y]) < NEAR_M
        {
            let top = tops.entry(cell).or_insert(f64::NEG_INFINITY);
            *top = top.max(z - drive.vehicle.pose.translation.z);
        }
    }
    let is_small = |top: &&f64| (GROUND_M..drive.spec.map.height_max_m).contains(*top);
    tops.values().filter(is_small).count() as u64
}

/// The paper's four statements.
fn of_the_maps(seen: &[Seen]) -> Vec<Finding> {
    let [Some(lms), Some(vlp), Some(hdl)] = [LMS, VLP, HDL].map(|number| seen.get(number)) else {
        return Vec::new();
    };
    let share = |of: &Seen| of.grass as f64 / of.returns.max(1) as f64;
    let spread = |of: &Seen| of.spread.0 / of.spread.1.max(1) as f64;
    let cells = |of: &Seen, from_m: f64, to_m: f64, wanted: fn(f32) -> bool| {
        let away = |at: [f64; 2]| (from_m..to_m).contains(&distance_m(at, of.at_m));
        of.map.known().filter(|(at, cost)| away(*at) && wanted(*cost)).count() as f64
    };
    let tall = |of: &Seen| cells(of, NEAR_M, FAR_M, |cost| cost >= 100.0);
    let small = |of: &Seen| of.small.0 as f64 / of.small.1.max(1) as f64;
    let filled = |of: &Seen| cells(of, 0.0, NEAR_M, |cost| cost > 0.0 && cost < 100.0);
    vec![
        ours_alone(
            "LMS-291: share of returns that are grass (paper: it does not detect most of the grass)",
            share(lms),
            within(0.0, 0.01, "a level scan at 2 m passes above blades of 0.7 m; vehicle level"),
        ),
        ours_alone("HDL-64E: share of returns that are grass", share(hdl), Limit::Informational),
        ours_alone(
            "spread of ranges within a tree, LMS-291 over HDL-64E (paper: less range variability)",
            spread(lms) / spread(hdl).max(1e-9),
            within(0.0, 0.8, "the paper says less; trunks against trunks and crowns"),
        ),
        ours_alone(
            "cells of cost 100 from 15 to 60 m, VLP-16 over HDL-64E (paper: tall obstacles somewhat better)",
            tall(vlp) / tall(hdl).max(1.0),
            within(
                1.05,
                f64::INFINITY,
                "beams that rise by 15° and by 2°; without them it is below 1",
            ),
        ),
        ours_alone(
            "cells of one look with things below 1.5 m within 15 m, HDL-64E over VLP-16 (paper: smaller nearby obstacles better)",
            small(hdl) / small(vlp).max(1.0),
            within(
                1.25,
                f64::INFINITY,
                "beams 0.42° apart from −24.8° reach cells between the rings of beams 2° apart from −15°",
            ),
        ),
        ours_alone(
            "the same cells in the map after all looks, HDL-64E over VLP-16",
            filled(hdl) / filled(vlp).max(1.0),
            Limit::Informational,
        ),
    ]
}

fn of_the_way(name: &str, metrics: &understory_drive::Metrics) -> Vec<Finding> {
    let tell = |what: &str, value: f64| {
        ours_alone(format!("{name}, whole way: {what}"), value, Limit::Informational)
    };
    let mut findings = vec![
        tell("reached its goal (1: yes)", f64::from(u8::from(metrics.success))),
        tell("time, s", metrics.time_s),
        tell("distance, m", metrics.distance_m),
        tell("least distance to the goal, m", metrics.nearest_m),
        tell("collisions", metrics.collisions as f64),
        tell("SPL", metrics.spl),
        tell("real-time factor", metrics.computing.real_time_factor),
        tell("share of processor time that is not the lidar's", metrics.computing.overhead),
    ];
    findings.extend(metrics.best_m.map(|best| tell("best way on the true map, m", best)));
    findings.extend(metrics.regret.map(|regret| tell("regret", regret)));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_valid;

    #[test]
    fn the_four_statements_hold() {
        let ask = Ask { full: false, seed: 1, progress: &understory_base::Silent };
        let done = work_out_with(&ask, AFTER_S, 0).unwrap();
        assert_valid(&done);
        assert_eq!((done.findings.len(), done.pictures.len()), (6, 4));
    }
}
