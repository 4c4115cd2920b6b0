//! Rows per second of each reader, all columns into records.
//!
//! `cargo run --release -p understory-cloud --example read_speed FILE…`

#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::Instant;
use understory_cloud::{ReadOptions, Recording, Records};

fn main() -> Result<(), understory_cloud::CloudError> {
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        let start = Instant::now();
        let mut recording = Recording::open(&path, &ReadOptions::default())?;
        let mut batch = Records::default();
        let mut sum = 0.0;
        while recording.next_batch(&mut batch)? {
            // Something must be done with the rows.
            sum +=
                batch.world_xyz_m.iter().map(|xyz| xyz[0]).filter(|x| x.is_finite()).sum::<f64>();
        }
        let seconds = start.elapsed().as_secs_f64();
        let rows = recording.report().rows;
        println!(
            "{}: {rows} rows in {seconds:.3} s, {:.2} million rows/s (sum of x {sum:.3})",
            path.display(),
            rows as f64 / seconds / 1e6
        );
    }
    Ok(())
}
