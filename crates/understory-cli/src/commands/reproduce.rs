//! `understory reproduce NAME`: a table or figure of a paper, theirs beside ours.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};
use understory::reproduce::deschaud_table1::{self, Row};
use understory::reproduce::standing_target::TARGETS;

use crate::progress::StepProgress;
use crate::report::{check_json, print, print_or_json, usage};
use crate::table::{Align, Table, facts};

/// Everything that can be reproduced, with one line about it.
const NAMES: [(&str, &str); 1] = [(
    "deschaud-table1",
    "Deschaud 2012, table I: six targets, each model against reality, where it was taught and aside",
)];

/// Reproduce a table or figure of a paper
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory reproduce
  understory reproduce deschaud-table1
  understory reproduce deschaud-table1 --target plane --json table1.json
  understory reproduce deschaud-table1 --full")]
pub struct Arguments {
    /// What to reproduce; without a name, all names are listed
    name: Option<String>,
    /// Take the paper's sample sizes
    #[arg(long)]
    full: bool,
    /// Revolutions of the sensor instead of the usual number
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    revolutions: Option<u32>,
    /// Only targets whose name has this in it
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Seed of all randomness
    #[arg(long, default_value_t = 5)]
    seed: u64,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Reproduces one, or lists all.
pub fn reproduce(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    match arguments.name.as_deref() {
        None => print(&facts(&NAMES.map(|(name, about)| (name, about.to_owned())))),
        Some("deschaud-table1") => table1(arguments),
        Some(name) => {
            let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            let known = known.join(", ");
            Err(usage(format!("{name:?} is nothing that can be reproduced; choose from {known}")))
        }
    }
}

fn table1(arguments: &Arguments) -> Result<()> {
    let wanted = arguments.target.as_deref().unwrap_or("").to_lowercase();
    let targets: Vec<usize> = (0..TARGETS.len())
        .filter(|target| TARGETS[*target].0.to_lowercase().contains(&wanted))
        .collect();
    if targets.is_empty() {
        let names = TARGETS.map(|(name, ..)| name).join(", ");
        return Err(usage(format!("no target has {wanted:?} in its name; choose from {names}")));
    }
    let [short, full] = deschaud_table1::REVOLUTIONS;
    let usual = if arguments.full { full } else { short };
    let revolutions = arguments.revolutions.unwrap_or(usual);
    let bar = StepProgress::new(arguments.quiet);
    let mut rows = Vec::new();
    for (done, target) in targets.iter().enumerate() {
        let told = |what: &str| {
            let share = done as f64 / targets.len() as f64;
            bar.step(&format!("{}: {what}", TARGETS[*target].0), share);
        };
        rows.extend(deschaud_table1::rows_of(*target, revolutions, arguments.seed, &told)?);
    }
    bar.finish();
    let mut table = Table::new(&[
        ("target", Align::Left),
        ("pose", Align::Left),
        ("model", Align::Left),
        ("paper", Align::Right),
        ("distance", Align::Right),
        ("floor", Align::Right),
        ("excess", Align::Right),
    ]);
    for row in &rows {
        table.row([
            row.target.to_owned(),
            row.pose.to_owned(),
            row.model.to_owned(),
            row.paper.map_or(String::new(), |paper| format!("{paper:.3}")),
            format!("{:.4}", row.distance),
            format!("{:.4}", row.floor),
            format!("{:.4}", row.excess()),
        ]);
    }
    let text = format!(
        "{}{revolutions} revolutions, a fifth of them for teaching, {} orientations\n",
        table.render(),
        rows.first().map_or(0, |row| row.orientations)
    );
    let value: Vec<Value> = rows.iter().map(as_json).collect();
    print_or_json(&text, arguments.json.as_deref(), &value)
}

fn as_json(row: &Row) -> Value {
    json!({
        "target": row.target,
        "pose": row.pose,
        "model": row.model,
        "distance": row.distance,
        "floor": row.floor,
        "excess": row.excess(),
        "paper": row.paper,
        "orientations": row.orientations,
    })
}
