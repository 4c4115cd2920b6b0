//! A comparison in words and as JSON.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use understory_compare::{
    BeamScores, CompareMode, CompareReport, MatchedBy, OrientationBy, Spread,
};

use crate::report::shown;
use crate::table::{Align, Table, facts};
use understory_view::picture::grouped;

/// Everything that is reported.
pub struct Summary<'a> {
    pub paths: [&'a Path; 2],
    pub found: &'a CompareReport,
    pub seed: u64,
    pub drawings: u32,
    pub drawn: &'a [PathBuf],
    pub seconds: f64,
}

impl Summary<'_> {
    /// As tables.
    pub fn text(&self) -> String {
        let mut text = facts(&[("without a return", self.misses())]);
        text.push('\n');
        text += &facts(&self.heading());
        text.push('\n');
        text += &self.distances().render();
        text.push('\n');
        text += &self.scores().render();
        let more = self.clouds_and_beams();
        if !more.is_empty() {
            text.push('\n');
            text += &facts(&more);
        }
        let mut rest: Vec<(&str, String)> = Vec::new();
        rest.extend(self.found.remarks.iter().map(|remark| ("remark", remark.clone())));
        rest.extend(self.drawn.iter().map(|path| ("wrote", shown(path))));
        rest.push(("took", format!("{:.2} s", self.seconds)));
        text.push('\n');
        text + &facts(&rest)
    }

    /// What differs first: a beam that comes back or does not.
    fn misses(&self) -> String {
        if !self.found.real.options().misses {
            return "not compared: one of the recordings does not have them".to_owned();
        }
        let [real, simulated] = self.found.histogram.no_return_share().map(|share| 100.0 * share);
        let difference = simulated - real;
        format!(
            "{real:.2} % of real pulses, {simulated:.2} % of simulated ones ({difference:+.2} points)"
        )
    }

    fn heading(&self) -> Vec<(&'static str, String)> {
        let (found, of) = (&self.found.histogram, self.found.real.options());
        let azimuth = 360.0 / f64::from(of.azimuths());
        let cell = match of.by {
            OrientationBy::Channel => format!("channel × {}", digits(azimuth, "°")),
            OrientationBy::Angles => {
                format!("{} × {}", digits(azimuth, "°"), digits(of.elevation_bin_deg, "°"))
            }
            OrientationBy::Direction => format!(
                "{} × {} in the world",
                digits(azimuth, "°"),
                digits(of.elevation_bin_deg, "°")
            ),
        };
        let place = match of.place_cell_m {
            Some(cell_m) => format!(" from places of {} m", cell_m),
            None => String::new(),
        };
        let sensor = match self.found.mode {
            CompareMode::Static => "stands still",
            CompareMode::Moving => "moves",
        };
        let side = |i: usize| {
            let (pulses, missed) = (found.pulses[i], found.no_return[i]);
            let share = 100.0 * missed as f64 / pulses.max(1) as f64;
            let scans = match found.blocks[i] {
                1 => "a single scan".to_owned(),
                blocks => format!("{blocks} blocks of scans"),
            };
            format!(
                "{}: {} pulses compared, {share:.2} % without a return, {scans}",
                shown(self.paths[i]),
                grouped(pulses)
            )
        };
        vec![
            ("real", side(0)),
            ("simulated", side(1)),
            ("sensor", sensor.to_owned()),
            ("orientations", format!("{} of {cell}{place}", grouped(found.orientations as u64))),
        ]
    }

    fn distances(&self) -> Table {
        let mut table = Table::new(&[
            ("Bhattacharyya distance", Align::Left),
            ("distance", Align::Right),
            ("floor", Align::Right),
            ("excess", Align::Right),
            ("is", Align::Left),
            ("95 % of the distance", Align::Right),
            ("real halves", Align::Right),
        ]);
        for d in &self.found.histogram.distances {
            let interval = d.interval.map(|[low, high]| format!("{low:.5} … {high:.5}"));
            table.row([
                format!("range bins of {}", length(d.range_bin_m)),
                format!("{:.5}", d.distance),
                format!("{:.5}", d.floor),
                format!("{:+.5}", d.excess),
                match d.is_noise() {
                    Some(true) => "noise",
                    Some(false) => "more than noise",
                    None => "–",
                }
                .to_owned(),
                interval.unwrap_or_else(|| "–".to_owned()),
                d.halves.map_or_else(|| "–".to_owned(), |halves| format!("{halves:.5}")),
            ]);
        }
        table
    }

    fn scores(&self) -> Table {
        let mut table = Table::new(&[
            ("single orientations", Align::Left),
            ("mean", Align::Right),
            ("median", Align::Right),
            ("95 %", Align::Right),
            ("rms", Align::Right),
            ("mean of real halves", Align::Right),
        ]);
        let (of, halves) = (&self.found.histogram.beams, &self.found.histogram.halves);
        let row =
            |table: &mut Table, name: &str, scale: f64, get: fn(&BeamScores) -> Option<Spread>| {
                let Some(spread) = get(of) else { return };
                let number = |value: f64| format!("{:.4}", scale * value);
                let half =
                    halves.as_ref().and_then(get).map_or("–".to_owned(), |s| number(s.mean));
                let numbers = [spread.mean, spread.median, spread.p95, spread.rms].map(number);
                table.row([vec![name.to_owned()], numbers.to_vec(), vec![half]].concat());
            };
        row(&mut table, "Wasserstein-1 of returns [mm]", 1e3, |s| s.wasserstein_m);
        row(&mut table, "Kolmogorov–Smirnov", 1.0, |s| s.ks);
        row(&mut table, "fair CRPS of returns [mm]", 1e3, |s| s.crps_m);
        row(&mut table, "  of a perfect simulation [mm]", 1e3, |s| s.crps_of_real_m);
        row(&mut table, "|difference of no return|", 1.0, |s| s.no_return);
        row(&mut table, "Bhattacharyya, smoothed", 1.0, |s| s.smoothed_distance);
        table
    }

    fn clouds_and_beams(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let Some(c) = &self.found.cloud {
            rows.push((
                "Chamfer distance",
                format!(
                    "{:.4} m: {:.4} m from real to simulated, {:.4} m back ({} and {} points)",
                    c.chamfer_m,
                    c.real_to_simulated_m,
                    c.simulated_to_real_m,
                    grouped(c.real_points[0]),
                    grouped(c.simulated_points[0])
                ),
            ));
            rows.push((
                "F-score",
                format!(
                    "{:.4} at {}: precision {:.4}, recall {:.4}",
                    c.f_score,
                    length(c.threshold_m),
                    c.precision,
                    c.recall
                ),
            ));
        }
        let Some(b) = &self.found.beams else { return rows };
        let by = match b.by {
            MatchedBy::PulseNumber => "by number",
            MatchedBy::Nearest => "by place and direction",
        };
        rows.push((
            "single beams",
            format!(
                "{} of {} real pulses found {by}, {:.4} m and {:.4}° apart in the median",
                grouped(b.matched),
                grouped(b.real_pulses),
                b.origins_apart_m,
                b.directions_apart_deg
            ),
        ));
        rows.push((
            "returned",
            format!(
                "{} in both, {} in the real one alone, {} in the simulated one alone, {} in neither",
                grouped(b.both_returned),
                grouped(b.only_real),
                grouped(b.only_simulated),
                grouped(b.neither)
            ),
        ));
        if let Some(r) = &b.range {
            rows.push((
                "range error",
                format!(
                    "median {:.4} m, 95 % {:.4} m, rms {:.4} m, bias {:+.4} m",
                    r.median_abs_m, r.p95_abs_m, r.rms_m, r.bias_m
                ),
            ));
        }
        if let Some(crps) = &b.crps_m {
            rows.push((
                "fair CRPS",
                format!(
                    "mean {:.4} m, median {:.4} m over {} pulses with several simulated returns",
                    crps.mean,
                    crps.median,
                    grouped(crps.orientations as u64)
                ),
            ));
        }
        rows
    }

    /// As JSON; a number that is infinite or does not exist is null.
    pub fn json(&self) -> Value {
        let mut all = json!({
            "real": self.paths[0],
            "simulated": self.paths[1],
            "seed": self.seed,
            "drawings": self.drawings,
            "plots": self.drawn,
            "seconds": self.seconds,
        });
        if let (Value::Object(all), Value::Object(found)) = (&mut all, self.found.to_json()) {
            all.extend(found);
        }
        all
    }
}

/// A number without superfluous digits, with its unit.
fn digits(value: f64, unit: &str) -> String {
    let text = format!("{value:.4}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A length in the unit that suits it.
fn length(metres: f64) -> String {
    match metres {
        m if m < 0.01 => digits(1e3 * m, " mm"),
        m if m < 1.0 => digits(1e2 * m, " cm"),
        m => digits(m, " m"),
    }
}
