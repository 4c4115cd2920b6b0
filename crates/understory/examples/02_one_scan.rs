//! One revolution into memory, measurement beside truth:
//! `cargo run --release -p understory --example 02_one_scan`.
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::MemorySink;

fn main() -> Result<(), understory::Error> {
    let prepared = Scenario::embedded("first-scan")?.prepare()?;
    let sink = MemorySink::default();
    let (summary, _) = run(&prepared, &RunOptions::default(), Box::new(sink.clone()), &Silent)?;
    let records = sink.take_records();
    println!("{} pulses, {} returns, {} misses", summary.pulses, summary.returns, summary.misses);

    // A miss is a row too; it has no range.
    let errors = (0..records.len()).filter(|row| !records.is_miss(*row));
    let errors: Vec<f64> =
        errors.map(|row| f64::from(records.range_m[row] - records.true_range_m[row])).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / errors.len() as f64;
    println!("range error: mean {:.1} mm, sigma {:.1} mm", 1e3 * mean, 1e3 * variance.sqrt());
    Ok(())
}
