//! A site learned from one sensor and seen by others, beside what those see of the reality:
//! `cargo run --release -p understory --example 07_other_sensors`.
//!
//! An HDL-64E stands 8 to 11 m from tall grass, a hazel and a spruce for 2 s. D is the Bhattacharyya
//! distance of histograms in cells of 1° and range bins of 20 cm with a bin for no return, over the
//! beams from 14° below to 12° above the horizon and 22° to either side; its floor is that of one half
//! of the real beams from the other.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example shows what it found"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory::world::scene::volume::SiteRays;
use understory_base::Silent;
use understory_cloud::{MemorySink, Records};
use understory_learn::estimate::{Settings, learn};
use understory_learn::input::Beams;
use understory_learn::site::{Model, Site};

const WORLD: &str = r#"
version = 1
seed = 7
duration_s = 3.0
title = "Three plants"

[[world.object]]
name = "ground"
shape = "plane"
size_m = [60.0, 60.0]
material = "soil"

[[world.plant]]
name = "grass"
species = "tall-grass"
variants = 4
tiles = true
area = { centre_m = [9.0, -3.0], size_m = [2.0, 4.0] }

[[world.plant]]
name = "shrub"
species = "hazel"
override = { height_m = 2.4 }
variants = 1
instances = [{ position_m = [8.5, 3.0, 0.0] }]

[[world.plant]]
name = "spruce"
species = "spruce-outlined"
override = { height_m = 5.0 }
variants = 1
instances = [{ position_m = [11.0, 0.3, 0.0] }]

[platform]
position_m = [0.0, 0.0, 1.5]

[output]
files = ["scan.npy"]

[[sensor]]
name = "sensor"
preset = "PRESET"
"#;

const SECTOR: &str =
    "[sensor.override.spinning]\nazimuth_min_deg = -30.0\nazimuth_max_deg = 30.0\n";
const WIDE: &str = "[sensor.override.beam]\ndivergence_horizontal_mrad = 12.0\ndivergence_vertical_mrad = 12.0\ndivergence_width = \"full\"\n";

fn scenario(preset: &str, more: &str) -> Result<Scenario, understory::Error> {
    let text = WORLD.replace("PRESET", preset);
    Scenario::from_toml(&(text + more), "07_other_sensors", Path::new("."))
}

fn scan(scenario: &Scenario, interval_s: (f64, f64)) -> Result<Records, understory::Error> {
    let sink = MemorySink::default();
    let options = RunOptions { interval_s: Some(interval_s), ..RunOptions::default() };
    run(&scenario.prepare()?, &options, Box::new(sink.clone()), &Silent)?;
    Ok(sink.take_records())
}

/// Direction and range of each pulse, infinite: no return.
fn pulses(records: &Records) -> Vec<([f64; 2], f64)> {
    (0..records.len())
        .filter(|row| records.return_number[*row] <= 1)
        .filter_map(|row| {
            let [x, y, z] = records.direction_xyz[row].map(f64::from);
            let at = [y.atan2(x).to_degrees(), z.asin().to_degrees()];
            let range_m =
                if records.is_miss(row) { f64::INFINITY } else { records.distance_m(row) };
            (at[0].abs() < 22.0 && at[1] > -14.0 && at[1] < 12.0).then_some((at, range_m))
        })
        .collect()
}

fn histogram(pulses: &[([f64; 2], f64)]) -> BTreeMap<[i64; 3], f64> {
    let mut counts = BTreeMap::new();
    for ([azimuth, elevation], range_m) in pulses {
        let bin = if range_m.is_finite() { (range_m / 0.2) as i64 } else { -1 };
        let cell = [azimuth.floor() as i64, elevation.floor() as i64, bin];
        *counts.entry(cell).or_insert(0.0) += 1.0 / pulses.len() as f64;
    }
    counts
}

fn distance(a: &[([f64; 2], f64)], b: &[([f64; 2], f64)]) -> f64 {
    let (a, b) = (histogram(a), histogram(b));
    let common: f64 = a.iter().map(|(cell, p)| (p * b.get(cell).unwrap_or(&0.0)).sqrt()).sum();
    -common.max(1e-12).ln()
}

fn returns(pulses: &[([f64; 2], f64)]) -> f64 {
    pulses.iter().filter(|(_, range_m)| range_m.is_finite()).count() as f64 / pulses.len() as f64
}

fn taught(records: &Records, model: Model, scenario: &Scenario) -> Result<Site, understory::Error> {
    let mut beams = Beams::default();
    for row in (0..records.len()).filter(|row| records.return_number[*row] <= 1) {
        let range_m =
            if records.is_miss(row) { f32::INFINITY } else { records.distance_m(row) as f32 };
        let (origin, direction) = (records.origin_xyz_m[row], records.direction_xyz[row]);
        beams.push(origin.into(), direction.into(), range_m, records.intensity[row], 0);
    }
    let sensor = scenario.sensors[0].sensor.point_uncertainty();
    let settings = Settings { sensor, ..Settings::default() };
    Ok(learn(&vec![beams], model, &settings, &Silent)?.0)
}

fn main() -> Result<(), understory::Error> {
    let training = scenario("hdl-64e-s2", SECTOR)?;
    let records = scan(&training, (0.0, 2.0))?;
    let likelihood = Arc::new(taught(&records, Model::Likelihood, &training)?);
    let voxel = Arc::new(taught(&records, Model::Voxel, &training)?);
    println!(
        "| sensor | reality: returns % | floor | `likelihood`: returns % | D | along the axis alone | D | `voxel` | D |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, preset, more, duration_s) in [
        ("HDL-64E", "hdl-64e-s2", SECTOR.to_owned(), 0.5),
        ("HDL-64E with 12 mrad", "hdl-64e-s2", SECTOR.to_owned() + WIDE, 0.5),
        ("VLP-16", "vlp-16", String::new(), 0.5),
        ("OS1-128", "os1-128-rev7", String::new(), 0.2),
        ("LMS-291", "lms-291", String::new(), 0.5),
    ] {
        let reality = scenario(preset, &more)?;
        let seen_s = (2.0, 2.0 + duration_s);
        let real = pulses(&scan(&reality, seen_s)?);
        let (half, other) = real.split_at(real.len() / 2);
        print!("| {name} | {:.1} | {:.3}", 100.0 * returns(&real), distance(half, other));
        for (site, rays) in [
            (&likelihood, SiteRays::Auto),
            (&likelihood, SiteRays::Nominal),
            (&voxel, SiteRays::Auto),
        ] {
            let mut learned = reality.in_site(site.clone(), rays);
            learned.seed += 1;
            let seen = pulses(&scan(&learned, seen_s)?);
            print!(" | {:.1} | {:.3}", 100.0 * returns(&seen), distance(&real, &seen));
        }
        println!(" |");
    }
    Ok(())
}
