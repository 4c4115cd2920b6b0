//! One pulse, step by step: `cargo run --release -p understory --example 01_one_pulse`.
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use understory::run::trace_pulse::explain_pulse;
use understory::scenario::Scenario;

fn main() -> Result<(), understory::Error> {
    // A scenario is a world, a platform in it and the sensors on that.
    let scenario = Scenario::embedded("first-scan")?;
    // Preparing it builds what the rays meet.
    let run = scenario.prepare()?;
    // The same path as any other pulse, told in words and numbers.
    println!("{}", explain_pulse(&run, 0, 1000)?);
    Ok(())
}
