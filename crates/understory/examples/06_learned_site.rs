//! A site learned from a scan and seen by the simulator:
//! `cargo run --release -p understory --example 06_learned_site`.
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::sync::Arc;

use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory::world::scene::volume::SiteRays;
use understory_base::Silent;
use understory_cloud::{MemorySink, Records};
use understory_learn::estimate::{Settings, learn};
use understory_learn::input::Beams;
use understory_learn::site::Model;

fn scan(scenario: &Scenario) -> Result<Records, understory::Error> {
    let sink = MemorySink::default();
    let options = RunOptions { interval_s: Some((0.0, 0.1)), ..RunOptions::default() };
    run(&scenario.prepare()?, &options, Box::new(sink.clone()), &Silent)?;
    Ok(sink.take_records())
}

fn main() -> Result<(), understory::Error> {
    let real = Scenario::embedded("p1-tall-grass")?;
    let records = scan(&real)?;

    // Misses matter as much as returns: they say where light passes.
    let mut beams = Beams::default();
    for row in (0..records.len()).filter(|row| records.return_number[*row] <= 1) {
        let range_m =
            if records.is_miss(row) { f32::INFINITY } else { records.distance_m(row) as f32 };
        beams.push(
            records.origin_xyz_m[row].into(),
            records.direction_xyz[row].into(),
            range_m,
            records.intensity[row],
            records.label[row],
        );
    }
    let (site, report) = learn(&vec![beams], Model::Voxel, &Settings::default(), &Silent)?;
    println!("{} beams became {} volumes", report.beams, site.volumes.len());

    // The same sensor in the learned site instead of the grass.
    let learned = scan(&real.in_site(Arc::new(site), SiteRays::Auto))?;
    let returns = |records: &Records| records.return_number.iter().filter(|n| **n > 0).count();
    println!(
        "{} returns from the grass, {} from what was learned",
        returns(&records),
        returns(&learned)
    );
    Ok(())
}
