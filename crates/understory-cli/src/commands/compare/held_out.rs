//! `compare --held-out`: every real beam scored by the simulated draws of it.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use understory_base::Progress;
use understory_cloud::ReadOptions;
use understory_learn::estimate::{HeldOut, RANGE_EDGES_M};
use understory_learn::input::{BeamOptions, Input, RecordingBeams, Returns};
use understory_learn::judge::{NeighbourLimits, RealBeams, judge_simulated, noise_floor};
use understory_view::picture::grouped;

use super::{Arguments, ReturnName};
use crate::commands::learn::scored::{number, percent, told_noise};
use crate::progress::StepProgress;
use crate::report::{print_or_json, shown, usage};
use crate::table::{Align, Table, facts};

/// Compares and tells.
pub fn score(arguments: &Arguments, start: Instant) -> Result<()> {
    let bar = StepProgress::new(arguments.quiet);
    let progress = |what: &str, share: f64| bar.step(what, share);
    let reading = arguments.reading.options()?;
    let real = open(&arguments.real, &reading, arguments)?;
    let simulated = open(&arguments.simulated, &ReadOptions::default(), arguments)?;
    let range_max_m = f64::INFINITY;
    let limits = NeighbourLimits {
        direction_deg: arguments.direction_limit_deg,
        origin_m: arguments.origin_limit_m,
    };
    if !(limits.direction_deg > 0.0 && limits.direction_deg <= 10.0 && limits.origin_m > 0.0) {
        return Err(usage(
            "--direction-limit-deg and --origin-limit-m are above 0, and at most 10°",
        ));
    }
    progress.step("reading what was simulated", 0.0);
    let draws = RealBeams::read(&simulated, range_max_m, limits)?;
    progress.step("scoring", 0.3);
    let judged = judge_simulated(&real, &draws, range_max_m)?;
    if judged.scores.beams == 0 {
        return Err(usage(format!(
            "no beam of {} was fired in {}: none is within {} m and {}°; see --origin-limit-m and --direction-limit-deg",
            shown(&arguments.real),
            shown(&arguments.simulated),
            limits.origin_m,
            limits.direction_deg
        )));
    }
    let mut floor = None;
    let mut with_neighbours = None;
    if !arguments.learned_from.is_empty() {
        progress.step("looking for neighbours", 0.6);
        let inputs = arguments.learned_from.iter();
        let inputs = inputs.map(|path| Input::new(path.clone(), reading.clone())).collect();
        let learned = RecordingBeams::open(inputs, options(arguments))?;
        let beams = RealBeams::read(&learned, range_max_m, NeighbourLimits::default())?;
        floor = Some(beams.floor(&real, range_max_m)?);
        let same = beams.with_neighbours(&real);
        with_neighbours = Some(judge_simulated(&same, &draws, range_max_m)?);
    }
    let noise_m = match &floor {
        Some(floor) => floor.noise_m,
        None => noise_floor(&real, range_max_m)?,
    };
    bar.finish();
    let seconds = start.elapsed().as_secs_f64();
    let mut heading = vec![
        ("real", format!("{}: {} beams", shown(&arguments.real), grouped(real.report().beams))),
        (
            "simulated",
            format!(
                "{}: {} of them, {:.1} draws each",
                shown(&arguments.simulated),
                percent(judged.share),
                judged.draws
            ),
        ),
    ];
    if judged.draws < 1.5 {
        heading.push((
            "remark",
            "one draw of a beam has no spread, and its score is the mean capped distance; simulate with several seeds for a proper one".to_owned(),
        ));
    }
    for (path, source) in [(&arguments.real, &real), (&arguments.simulated, &simulated)] {
        if source.report().misses == 0 {
            heading.push((
                "remark",
                format!(
                    "{} has no pulses without a return, so false returns are not seen",
                    shown(path)
                ),
            ));
        }
    }
    let mut table = Table::new(&[
        ("of 1 m", Align::Left),
        ("capped score", Align::Right),
        ("Brier", Align::Right),
        ("lost", Align::Right),
        ("false", Align::Right),
        ("no return (real)", Align::Right),
        ("lost by range", Align::Left),
    ]);
    row(&mut table, "simulated", &judged.scores);
    if let Some(same) = &with_neighbours {
        row(&mut table, "simulated, with neighbours", &same.scores);
    }
    if let Some(floor) = &floor {
        row(&mut table, "real neighbours", &floor.neighbours);
        row(&mut table, "replay of them", &floor.replay);
    }
    let edges: Vec<String> = RANGE_EDGES_M.iter().map(|edge| format!("{edge}")).collect();
    let rest = [
        ("noise floor", told_noise(noise_m)),
        ("ranges", format!("up to {} m and beyond", edges.join(", "))),
        ("took", format!("{seconds:.2} s")),
    ];
    let text = facts(&heading) + "\n" + &table.render() + "\n" + &facts(&rest);
    let value = json!({
        "real": arguments.real,
        "simulated": arguments.simulated,
        "held_out": judged,
        "with_neighbours": with_neighbours,
        "floor": floor,
        "noise_m": noise_m,
        "seconds": seconds,
    });
    print_or_json(&text, arguments.json.as_deref(), &value)
}

fn options(arguments: &Arguments) -> BeamOptions {
    let returns = match arguments.returns {
        ReturnName::First => Returns::First,
        ReturnName::Last => Returns::Last,
    };
    BeamOptions { returns, ..BeamOptions::default() }
}

fn open(path: &Path, reading: &ReadOptions, arguments: &Arguments) -> Result<RecordingBeams> {
    let inputs = vec![Input::new(path.to_path_buf(), reading.clone())];
    Ok(RecordingBeams::open(inputs, options(arguments))?)
}

fn row(table: &mut Table, name: &str, of: &HeldOut) {
    let by_range: Vec<String> = of.lost_by_range.iter().map(|share| percent(*share)).collect();
    table.row([
        name.to_owned(),
        number(of.capped_m),
        number(of.brier),
        percent(of.lost),
        percent(of.false_returns),
        format!("{} ({})", percent(of.none[0]), percent(of.none[1])),
        by_range.join(", "),
    ]);
}
