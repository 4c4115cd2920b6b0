//! A world of your own, in a few lines of TOML:
//! `cargo run --release -p understory --example 03_own_world`.
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::path::Path;

use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::MemorySink;

const MEADOW: &str = r#"
version = 1
seed = 1
duration_s = 0.1

[[world.object]]
name = "ground"
shape = "plane"
size_m = [40.0, 40.0]
material = "soil"

[[world.plant]]
name = "grass"
species = "tall-grass"
tiles = true
area = { size_m = [12.0, 12.0] }

[[sensor]]
name = "lidar"
preset = "vlp-16"

[platform]
position_m = [0.0, 0.0, 1.0]
"#;

fn main() -> Result<(), understory::Error> {
    // A mistake in the text would be a sentence with its line and a remedy.
    let scenario = Scenario::from_toml(MEADOW, "meadow.toml", Path::new(""))?;
    let prepared = scenario.prepare()?;
    let sink = MemorySink::default();
    run(&prepared, &RunOptions::default(), Box::new(sink.clone()), &Silent)?;
    let records = sink.take_records();
    for object in prepared.scene.objects() {
        let returns = records.object.iter().filter(|id| **id == object.id).count();
        println!("{returns:6} returns from {}", object.name);
    }
    Ok(())
}
