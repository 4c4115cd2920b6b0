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
//! and are informational.

use understory_cloud::{MemorySink, Records};

use super::goodin::{beside, grass_field, ours_alone, race, within};
use super::statistics::{median, slope};
use super::{Ask, Finding, Limit, Reproduced};
use understory::Error;
use understory::pulse::PreparedRun;
use understory::run::{RunOptions, RunSummary, run};
use understory::scenario::Scenario;
use understory_base::{Silent, math};
use understory_view::figures::{Figure, Panel, Series};

/// Sides of the fields.
const SIDES_M: [f64; 4] = [30.0, 60.0, 140.0, 300.0];
/// Processors of the paper's HDL-64E.
const THEIR_PROCESSORS: u32 = 40;
const PREDICTED_TO: u32 = 50;
/// Rays of a second times triangles, by the paper's own numbers.
const THEIR_PAIRS: f64 = 9.0 * 1e6 * 191_245_324.0;
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
    let building = |what: &str, share: f64| ask.progress.step(what, 0.3 * share);
    let mut prepared = scenario.prepare_reporting(&building)?;
    prepared.seed = ask.seed;
    ask.progress.step("one revolution on one thread and on several", 0.3);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let measured = Measured {
        // On at least two, so that rows of several threads are put in order.
        same_rows: digest(&prepared, 1)? == digest(&prepared, processors.max(2))?,
        triangles: prepared.scene.rays.effective_triangles() as f64,
        by_threads: speedups(&prepared, processors, rounds)?,
        growth: grow(ask, sides_m, rounds)?,
    };
    let method = format!(
        "Scenario courtyard, {:.1} million triangles: one revolution of the HDL-64E without a file, \
         medians of {rounds} rounds in turns, on 1 to {processors} threads; and part of one over its \
         grass alone, on squares of {} to {} m.",
        measured.triangles / 1e6,
        sides_m.first().unwrap_or(&0.0),
        sides_m.last().unwrap_or(&0.0),
    );
    let shared = measured.shared();
    let remarks = vec![
        format!(
            "{:.1} % of the processor time can be shared, which bounds the speedup at {:.0}; beyond \
             {processors} processors the line is a prediction. The paper gives no number in words, \
             only that it scales well, and does not say whether it collected or wrote points \
             meanwhile.",
            100.0 * shared,
            1.0 / (1.0 - shared)
        ),
        "10¹⁵ intersections per second is the number of pairs of rays and triangles, which nobody \
         computes: Embree's tree, like ours, visits few triangles for each ray. As the field grows from \
         30 to 300 m rays also have more grass to pass, up to the sensor's range."
            .into(),
    ];
    let (findings, figures) = (measured.findings(), measured.figures());
    Ok(Reproduced { method, findings, figures, remarks, ..Reproduced::default() })
}

/// What was measured.
struct Measured {
    /// Whether one thread and several give the same bytes.
    same_rows: bool,
    triangles: f64,
    /// Runs by their number of threads, which is 1 first.
    by_threads: Vec<(usize, Vec<RunSummary>)>,
    /// Triangles, and µs of a processor per pulse.
    growth: Vec<[f64; 2]>,
}

impl Measured {
    fn alone(&self) -> &[RunSummary] {
        self.by_threads.first().map_or(&[][..], |(_, found)| found)
    }

    /// Share of processor time of one thread that several could share.
    fn shared(&self) -> f64 {
        let share = |s: &RunSummary| s.cpu_simulation_s / (s.cpu_simulation_s + s.cpu_serial_s);
        median(self.alone().iter().map(share).collect())
    }

    fn amdahl(&self, processors: f64) -> f64 {
        let shared = self.shared();
        1.0 / (1.0 - shared + shared / processors)
    }

    /// Threads, and the speedup by the clock.
    fn speedups(&self) -> Vec<[f64; 2]> {
        let wall = |found: &[RunSummary]| median(found.iter().map(|s| s.seconds_wall).collect());
        let alone = wall(self.alone());
        self.by_threads.iter().map(|(n, found)| [*n as f64, alone / wall(found)]).collect()
    }

    fn findings(&self) -> Vec<Finding> {
        let first = self.alone().first();
        let rays = first.map_or(0.0, |s| s.sub_rays as f64 / s.seconds_simulated);
        let mut findings = vec![
            ours_alone(
                "rows of several threads differ from those of one (0: no)",
                f64::from(u8::from(!self.same_rows)),
                within(0.0, 0.0, "pulses are independent, and so are their random numbers"),
            ),
            beside(
                "ray–triangle pairs per simulated second",
                1e15,
                rays * self.triangles,
                within(
                    0.95 * THEIR_PAIRS,
                    1.05 * THEIR_PAIRS,
                    "nine rays of each of some 10⁶ pulses a second on 191 245 324 triangles are \
                     1.72·10¹⁵, which the paper rounds to O(10¹⁵)",
                ),
            ),
            ours_alone(
                "share of processor time that can be shared",
                self.shared(),
                Limit::Informational,
            ),
        ];
        for [threads, speedup] in self.speedups().into_iter().skip(1) {
            let quantity = format!("speedup on {threads} threads by the clock");
            findings.push(ours_alone(quantity, speedup, Limit::Informational));
        }
        let quantity = format!("speedup on {THEIR_PROCESSORS} processors, predicted");
        let predicted = self.amdahl(THEIR_PROCESSORS.into());
        findings.push(ours_alone(quantity, predicted, Limit::Informational));
        let logs: Vec<[f64; 2]> = self.growth.iter().map(|point| point.map(math::log10)).collect();
        findings.push(ours_alone(
            "exponent of the time per pulse over triangles (every pair tried: 1)",
            slope(&logs),
            Limit::Informational,
        ));
        findings
    }

    fn figures(&self) -> Vec<Figure> {
        let line = |of: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
            (1..=PREDICTED_TO).map(|p| [f64::from(p), of(f64::from(p))]).collect()
        };
        let speedup = vec![
            Series::line("ideal", line(&|p| p)),
            Series::line("predicted by Amdahl's law", line(&|p| self.amdahl(p))),
            Series::dots("measured", self.speedups()),
        ];
        let panel = |series: Vec<Series>| vec![Panel { title: String::new(), series }];
        vec![
            Figure::new(
                "goodin-fig3",
                "Speedup of an HDL-64E in the courtyard",
                ["processors", "speedup"],
                panel(speedup),
            ),
            Figure {
                log_x: true,
                ..Figure::new(
                    "goodin-fig3-triangles",
                    "Time per pulse of nine rays as grass covers ever more ground",
                    ["triangles", "µs of one processor"],
                    panel(vec![Series::line("", self.growth.clone())]),
                )
            },
        ]
    }
}

/// Runs on 1, 2, 4 … and all processors, in turns.
fn speedups(
    prepared: &PreparedRun,
    processors: usize,
    rounds: usize,
) -> Result<Vec<(usize, Vec<RunSummary>)>, Error> {
    let powers = (0..).map(|power| 1usize << power).take_while(|threads| *threads < processors);
    let mut by_threads: Vec<(usize, Vec<RunSummary>)> =
        powers.chain([processors]).map(|threads| (threads, Vec::new())).collect();
    for _ in 0..rounds {
        for (threads, found) in &mut by_threads {
            found.push(race(prepared, prepared.duration_s, *threads)?);
        }
    }
    Ok(by_threads)
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
    let mut fields: Vec<(PreparedRun, Vec<f64>)> = Vec::new();
    for side_m in sides_m {
        let mut prepared = grass_field(*side_m)?.prepare()?;
        prepared.seed = ask.seed;
        fields.push((prepared, Vec::new()));
    }
    let seconds = FIELD_SHARE * fields.first().map_or(0.0, |(field, _)| field.duration_s);
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        ask.progress.step("fields of grass", 0.6 + 0.4 * round as f64 / (rounds + 1) as f64);
        for (prepared, found) in &mut fields {
            let summary = race(prepared, seconds, 1)?;
            if round > 0 {
                found.push(1e6 * summary.cpu_simulation_s / summary.pulses.max(1) as f64);
            }
        }
    }
    let point = |(prepared, found): (PreparedRun, Vec<f64>)| {
        [prepared.scene.rays.effective_triangles() as f64, median(found)]
    };
    Ok(fields.into_iter().map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;

    #[test]
    fn small_fields_are_sound() {
        let ask = Ask { full: false, seed: 1, progress: &understory_base::Silent };
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
