//! `understory figures -o FOLDER`: figures of Bayraktaroglu 2023 with our series, and its table 5.2.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use understory::figures::bayraktaroglu;

use crate::plot::{Plot, write_png};
use crate::report::{cannot_write, print};
use crate::table::facts;

/// Draw figures of Bayraktaroglu 2023 with our series
#[derive(clap::Args)]
pub struct Arguments {
    /// Folder for the pictures
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
    /// Seed of the simulated errors
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Draws them.
pub fn figures(arguments: &Arguments) -> Result<()> {
    let folder = &arguments.out;
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
    let mut text = String::from("Table 5.2, standard deviations in cm\n");
    for row in bayraktaroglu::table_5_2() {
        text += &format!(
            "{} {:>2} m  measured {:.4}  theirs {:.4}  ours {:.4} ({:+.2} %)\n",
            row.paper,
            row.distance_m,
            row.measured_cm,
            row.theirs_cm,
            row.ours_cm,
            100.0 * (row.ours_cm / row.theirs_cm - 1.0)
        );
    }
    let mut wrote = Vec::new();
    for figure in bayraktaroglu::figures(arguments.seed)? {
        wrote.push(("wrote", write_png(Plot::Figure(&figure), folder)?.display().to_string()));
    }
    print(&(text + &facts(&wrote)))
}
