//! Figure 3 of Goodin et al. (2018): how the simulation scales.
//!
//! The paper draws the speedup of an HDL-64E in the courtyard against the number of processors, up to
//! about 50, and says that sharing out pulses "scales well". Here the speedup is measured on the
//! processors at hand and predicted beyond by Amdahl's law, from the processor time of what can be
//! shared (simulation) and what cannot (collecting rows in order).
//!
//! Section 3.3 counts 10¹⁵ ray–triangle intersections per second, one for each pair. The tree over
//! triangles is there so that they need not be made, so the time per pulse is measured as the grass
//! of the courtyard covers ever more ground, from 30 to 300 m. Times are those of the machine at hand
//! and are told, or bounded loosely.

use understory_cloud::{MemorySink, Records};

use super::goodin::{beside, differs, figure, grass_field, ours_alone, race, within};
use super::statistics::{median, slope};
use super::{Ask, Limit, Reproduced};
use crate::Error;
use crate::figures::{Panel, Series};
use crate::progress::Silent;
use crate::run::{RunOptions, RunSummary, run};
use crate::scenario::Scenario;
use crate::simulate::{PreparedRun, SensorRun};

/// Sides of the fields.
const SIDES_M: [f64; 4] = [30.0, 60.0, 140.0, 300.0];
/// Processors of the paper's HDL-64E.
const THEIR_PROCESSORS: u32 = 40;
const PREDICTED_TO: u32 = 50;
/// Part of a revolution that is simulated in each field.
const FIELD_SHARE: f64 = 0.3;

/// Works out the figure.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let courtyard = Scenario::embedded("courtyard")?;
    work_out_in(ask, &courtyard, &SIDES_M, if ask.full { 7 } else { 2 })
}

/// The same in another scene and other fields, with so many rounds of which the medians are taken.
fn work_out_in(
    ask: &Ask<'_>,
    scenario: &Scenario,
    sides_m: &[f64],
    rounds: usize,
) -> Result<Reproduced, Error> {
    let building = |what: &str, share: f64| (ask.report)(what, 0.3 * share);
    let mut prepared = PreparedRun::reporting(scenario, &building)?;
    prepared.seed = ask.seed;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    // At least two, so that rows of several threads are put in order.
    let most = processors.max(2);
    (ask.report)("one revolution on one thread and on all", 0.3);
    let digests = [1, most].map(|threads| digest(&prepared, threads));
    let [alone, together] = digests;
    let mut by_threads: Vec<(usize, Vec<RunSummary>)> =
        (1..=processors).map(|threads| (threads, Vec::new())).collect();
    let mut sensor = std::mem::take(&mut prepared.sensors);
    let seconds = prepared.duration_s;
    for _ in 0..rounds {
        for (threads, found) in &mut by_threads {
            found.push(race(&mut prepared, &mut sensor, seconds, *threads)?);
        }
    }
    let triangles = prepared.scene.rays.effective_triangles() as f64;
    drop(prepared);
    let growth = grow(ask, sides_m, rounds)?;

    let mut done = Reproduced::default();
    let of = |found: &[RunSummary], what: fn(&RunSummary) -> f64| {
        median(found.iter().map(what).collect())
    };
    let one = by_threads.first().map_or(&[][..], |(_, found)| found);
    let shared = of(one, |s| s.cpu_simulation_s / (s.cpu_simulation_s + s.cpu_serial_s));
    let amdahl = |processors: f64| 1.0 / (1.0 - shared + shared / processors);
    let rays = one.first().map_or(0.0, |s| s.sub_rays as f64 / s.seconds_simulated);
    done.findings.push(ours_alone(
        format!("rows of {most} threads that differ from those of one (0: none)"),
        f64::from(u8::from(alone? != together?)),
        within(0.0, 0.0, "pulses are independent, and so are their random numbers"),
    ));
    done.findings.push(beside(
        "ray–triangle pairs per simulated second",
        1e15,
        rays * triangles,
        within(1e14, 1e16, "the paper says O(10¹⁵)"),
    ));
    done.findings.push(ours_alone(
        "share of processor time that can be shared",
        shared,
        within(0.5, 1.0, "loosely: it is a measured time"),
    ));
    let wall = |s: &RunSummary| s.seconds_wall;
    let mut measured = Vec::new();
    for (threads, found) in &by_threads {
        let speedup = of(one, wall) / of(found, wall);
        measured.push([*threads as f64, speedup]);
        if *threads > 1 {
            let quantity = format!("speedup on {threads} threads by the clock");
            done.findings.push(ours_alone(quantity, speedup, Limit::Told));
        }
    }
    done.findings.push(ours_alone(
        format!("speedup on {THEIR_PROCESSORS} processors, predicted"),
        amdahl(THEIR_PROCESSORS.into()),
        Limit::Told,
    ));
    let logs: Vec<[f64; 2]> = growth.iter().map(|[x, y]| [x.log10(), y.log10()]).collect();
    done.findings.push(beside(
        "exponent of the time per pulse over triangles (every pair tried: 1)",
        1.0,
        slope(&logs),
        differs(
            -0.5,
            0.6,
            "a tree over triangles visits few of them; loosely, as it is a measured time",
        ),
    ));
    let line = |of: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
        (1..=PREDICTED_TO).map(|p| [f64::from(p), of(f64::from(p))]).collect()
    };
    let series = vec![
        Series::line("ideal", line(&|p| p)),
        Series::line("predicted by Amdahl's law", line(&amdahl)),
        Series::dots("measured", measured),
    ];
    let panels = vec![Panel { title: String::new(), series }];
    let title = "Speedup of an HDL-64E in the courtyard";
    done.figures.push(figure("goodin-fig3", title, ["processors", "speedup"], panels));
    let points = growth.iter().map(|[x, y]| [x.log10(), *y]).collect();
    let panels = vec![Panel { title: String::new(), series: vec![Series::line("", points)] }];
    let title = "Time per pulse of nine rays as grass covers ever more ground";
    let labels = ["log10 of triangles", "µs of one processor"];
    done.figures.push(figure("goodin-fig3-triangles", title, labels, panels));
    done.method = format!(
        "Scenario courtyard, {:.1} million triangles: one revolution of the HDL-64E without a file, \
         medians of {rounds} rounds in turns, on 1 to {processors} threads; and its grass alone on \
         squares of {} to {} m.",
        triangles / 1e6,
        sides_m.first().unwrap_or(&0.0),
        sides_m.last().unwrap_or(&0.0),
    );
    done.remarks = vec![
        format!(
            "Rows are the same for any number of threads. {:.1} % of the processor time can be shared, \
             which bounds the speedup at {:.0}; beyond {processors} processors the line is a \
             prediction. The paper gives no number of its own, only that it scales well, and does not \
             say whether it collected or wrote points meanwhile.",
            100.0 * shared,
            1.0 / (1.0 - shared)
        ),
        "10¹⁵ intersections per second is the number of pairs of rays and triangles, which nobody \
         computes: Embree's tree, like ours, visits few triangles for each ray. As the field grows from \
         30 to 300 m rays also have more grass to pass, up to the sensor's range."
            .into(),
    ];
    Ok(done)
}

/// A checksum over all rows of a run.
fn digest(prepared: &PreparedRun, threads: usize) -> Result<u32, Error> {
    let memory = MemorySink::default();
    let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
    run(prepared, &options, Box::new(memory.clone()), &Silent)?;
    let rows: Records = memory.take_records();
    let mut sum = crc32fast::Hasher::new();
    rows.for_each_column(&mut Vec::new(), &mut |name, bytes| {
        sum.update(name.as_bytes());
        sum.update(bytes);
    });
    Ok(sum.finalize())
}

/// Triangles, and µs of a processor per pulse, of fields of these sides; all fields in turns.
fn grow(ask: &Ask<'_>, sides_m: &[f64], rounds: usize) -> Result<Vec<[f64; 2]>, Error> {
    let mut fields: Vec<(PreparedRun, Vec<SensorRun>, Vec<f64>)> = Vec::new();
    for side_m in sides_m {
        let mut prepared = PreparedRun::new(&grass_field(*side_m)?)?;
        prepared.seed = ask.seed;
        let sensor = std::mem::take(&mut prepared.sensors);
        fields.push((prepared, sensor, Vec::new()));
    }
    let seconds = FIELD_SHARE * fields.first().map_or(0.0, |(field, ..)| field.duration_s);
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        (ask.report)("fields of grass", 0.6 + 0.4 * round as f64 / (rounds + 1) as f64);
        for (prepared, sensor, found) in &mut fields {
            let summary = race(prepared, sensor, seconds, 1)?;
            if round > 0 {
                found.push(1e6 * summary.cpu_simulation_s / summary.pulses.max(1) as f64);
            }
        }
    }
    let point = |(prepared, _, found): (PreparedRun, Vec<SensorRun>, Vec<f64>)| {
        [prepared.scene.rays.effective_triangles() as f64, median(found)]
    };
    Ok(fields.into_iter().map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Verdict;

    #[test]
    fn small_fields_are_sound() {
        let ask = Ask { full: false, seed: 1, report: &|_, _| {} };
        let mut field = grass_field(30.0).unwrap();
        field.duration_s = 0.02;
        let done = work_out_in(&ask, &field, &[20.0, 80.0], 1).unwrap();
        // The small field has fewer pairs than the courtyard.
        let pairs = |quantity: &str| quantity.contains("pairs");
        for finding in done.findings.iter().filter(|finding| !pairs(&finding.quantity)) {
            assert_ne!(finding.verdict(), Verdict::Fails, "{finding:?}");
        }
        assert_eq!(done.figures.len(), 2);
    }
}
