//! How fast the courtyard is scanned, beside section 3.3 of Goodin et al. (2018).
//!
//! The paper ran the LMS-291 on 4 processors and the HDL-64E on 40, each "approximately 30 % faster
//! than real time (6.8 s of simulated time in 4.7 s of wall time)". Ours is the same scene with the
//! same sensors; speed is given per core, by the processor time that the threads were charged, so that
//! neighbours on the machine count little. Times are given and held against nothing: they are those of
//! the machine at hand.

use super::goodin::{beside, differs, ours_alone, race, within};
use super::{Ask, Finding, Limit, Reproduced};
use understory::Error;
use understory::pulse::SensorRun;
use understory::run::RunSummary;
use understory::scenario::Scenario;
use understory::sensor::Sensor;
use understory::world::trajectory::Pose;

/// Simulated and measured time of the paper, for both sensors.
const THEIR_SECONDS: [f64; 2] = [6.8, 4.7];
/// Processors of the paper for the LMS-291 and the HDL-64E.
const THEIR_PROCESSORS: [f64; 2] = [4.0, 40.0];
const SUB_RAYS: f64 = 9.0;

/// Works out the figures.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let seconds = if ask.full { [6.8, 6.8] } else { [6.8, 0.2] };
    work_out_in(ask, &Scenario::embedded("courtyard")?, seconds)
}

/// The same in another scene, for so many simulated seconds of each sensor.
fn work_out_in(ask: &Ask<'_>, scenario: &Scenario, seconds: [f64; 2]) -> Result<Reproduced, Error> {
    let building = |what: &str, share: f64| ask.progress.step(what, 0.5 * share);
    let mut prepared = scenario.prepare_reporting(&building)?;
    prepared.reseed(ask.seed);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mount =
        prepared.sensors.first().map_or(Pose::IDENTITY, |sensor| sensor.platform_from_sensor);
    let mut summaries = Vec::new();
    for (sensor, seconds) in [lms_291()?, Sensor::preset("hdl-64e-goodin")?].iter().zip(seconds) {
        ask.progress.step(&sensor.title, 0.5 + 0.2 * summaries.len() as f64);
        prepared.sensors = vec![SensorRun::new(0, sensor, mount, &prepared.scene)];
        // A scan warms the caches.
        race(&prepared, sensor.pattern.scan_duration_s(), threads)?;
        summaries.push(race(&prepared, seconds, threads)?);
    }
    let [lms, hdl] = &summaries[..] else { return Ok(Reproduced::default()) };
    let mut done = Reproduced { findings: of_the_paper(lms, hdl), ..Reproduced::default() };
    for ((name, summary), processors) in
        [("LMS-291", lms), ("HDL-64E", hdl)].into_iter().zip(THEIR_PROCESSORS)
    {
        let theirs = THEIR_SECONDS[0] / THEIR_SECONDS[1] / processors;
        done.findings.extend(of_ours(name, summary, theirs));
    }
    let triangles = prepared.scene.rays.effective_triangles() as f64 / 1e6;
    done.method = format!(
        "Scenario courtyard with {triangles:.1} million triangles, nine sub-rays a pulse, no file: \
         {} s of the LMS-291 (−50° to 50°, 0.5°) and {} s of the HDL-64E at 10 Hz on {threads} \
         threads.",
        seconds[0], seconds[1]
    );
    let [lms_rays, hdl_rays] = [lms, hdl].map(|summary| summary.sub_rays as f64 / cores(summary));
    done.remarks = vec![
        "6.8 s in 4.7 s is 45 % faster than real time, or 31 % less time, not 30 % faster. Both \
         sentences of the paper quote the same two times. The HDL-64E fires 133 times as many pulses, \
         so in one scene a core would have traced 13 times as many rays a second for it as for the \
         LMS-291: one of the two is most likely a slip."
            .into(),
        format!(
            "Theirs were Xeon E5 of 2.9 GHz and Ivy Bridge processors with Embree. A core of this \
             machine traces {:.2} million rays a second of the HDL-64E, which looks into the grass, \
             and {:.1} million of the LMS-291, which looks over it.",
            hdl_rays / 1e6,
            lms_rays / 1e6
        ),
        "These times are of whatever the machine did beside them. The figure for the courtyard is that of \
         `cargo xtask bench courtyard`, taken on a quiet machine: docs/performance.md has it."
            .into(),
    ];
    Ok(done)
}

/// The LMS-291 of table 3, as in the scenario of the rods.
fn lms_291() -> Result<Sensor, Error> {
    let rods = Scenario::embedded("rods")?;
    let mounted = rods.sensors.into_iter().next();
    mounted.map_or_else(|| Sensor::preset("lms-291"), |mounted| Ok(mounted.sensor))
}

/// What follows from the paper's own figures and the number of pulses of the sensors.
fn of_the_paper(lms: &RunSummary, hdl: &RunSummary) -> Vec<Finding> {
    let faster = THEIR_SECONDS[0] / THEIR_SECONDS[1];
    let rays = |summary: &RunSummary, processors: f64| {
        summary.pulses as f64 / summary.seconds_simulated * SUB_RAYS * faster / processors
    };
    let [lms, hdl] = [rays(lms, THEIR_PROCESSORS[0]), rays(hdl, THEIR_PROCESSORS[1])];
    vec![
        beside(
            "6.8 s in 4.7 s, times real time (paper: 30 % faster)",
            1.3,
            faster,
            differs(1.446, 1.447, "6.8/4.7 = 1.447: 45 % faster, or 31 % less time"),
        ),
        beside(
            "rays per second and core that the two sentences imply, HDL-64E over LMS-291",
            1.0,
            hdl / lms,
            differs(
                12.0,
                15.0,
                "the same code in the same scene should trace about as many for both: the times of one \
                 sentence seem to be copied from the other",
            ),
        ),
        ours_alone(
            "pulses per second, HDL-64E over LMS-291",
            hdl / lms * THEIR_PROCESSORS[1] / THEIR_PROCESSORS[0],
            within(125.0, 140.0, "10⁶ a second against 201 in every 1/37.5 s"),
        ),
    ]
}

/// Processor time of all threads.
fn cores(summary: &RunSummary) -> f64 {
    summary.cpu_simulation_s + summary.cpu_serial_s
}

fn of_ours(name: &str, summary: &RunSummary, theirs: f64) -> Vec<Finding> {
    let cores = cores(summary);
    let rays = summary.sub_rays as f64;
    let their_rays = rays / summary.seconds_simulated * theirs;
    vec![
        beside(
            format!("{name}: real-time factor per core"),
            theirs,
            summary.seconds_simulated / cores,
            Limit::Informational,
        ),
        beside(
            format!("{name}: million rays per second and core"),
            their_rays / 1e6,
            rays / cores / 1e6,
            Limit::Informational,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::goodin::grass_field;

    #[test]
    fn a_small_field_is_sound() {
        let ask = Ask { full: false, seed: 1, progress: &understory_base::Silent };
        let field = grass_field(40.0).unwrap();
        let done = work_out_in(&ask, &field, [0.3, 0.02]).unwrap();
        for finding in &done.findings {
            assert_ne!(finding.verdict(), Verdict::Fails, "{finding:?}");
            assert!(finding.ours > 0.0 && finding.ours.is_finite(), "{finding:?}");
        }
        assert_eq!(done.findings.len(), 3 + 2 * 2);
    }
}
