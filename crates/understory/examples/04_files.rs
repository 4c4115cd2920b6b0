//! A scan into files, and back: `cargo run --release -p understory --example 04_files`.
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{MultiSink, OutputFormat, ReadOptions, RecordSink, Recording, open_sink};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scenario = Scenario::embedded("first-scan")?;
    let prepared = scenario.prepare()?;
    let folder = std::env::temp_dir().join("understory-04-files");
    std::fs::create_dir_all(&folder)?;

    // One run feeds any number of files.
    let options = scenario.sink_options(&prepared);
    let mut sinks: Vec<Box<dyn RecordSink>> = Vec::new();
    for name in ["scan.laz", "scan.npy", "scan.parquet"] {
        let path = folder.join(name);
        sinks.push(open_sink(&path, OutputFormat::from_path(&path)?, &options)?);
    }
    let sink = Box::new(MultiSink::new(sinks));
    let (_, report) = run(&prepared, &RunOptions::default(), sink, &Silent)?;
    for path in &report.paths {
        let records = Recording::open(path, &ReadOptions::default())?.read_all()?;
        let returns = records.return_number.iter().filter(|number| **number > 0).count();
        println!("{}: {returns} returns", path.display());
    }
    Ok(())
}
