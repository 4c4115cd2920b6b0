//! The same scan in clear air and in fog: `cargo run --release -p understory --example 05_weather`.
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use understory::pulse::atmosphere::Atmosphere;
use understory::pulse::atmosphere::fog::FogSpec;
use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::CountingSink;

fn main() -> Result<(), understory::Error> {
    let scenario = Scenario::embedded("plane")?;
    let mut prepared = scenario.prepare()?;
    for visibility_m in [f64::INFINITY, 200.0, 50.0] {
        let fog = visibility_m.is_finite().then(|| FogSpec::with_visibility(visibility_m));
        let air = Atmosphere { fog, ..Atmosphere::default() };
        // The air stands before each sensor: it depends on wavelength and beam.
        for (sensor, mounted) in prepared.sensors.iter_mut().zip(&scenario.sensors) {
            sensor.air = mounted.sensor.air(&air);
        }
        let sink = Box::new(CountingSink::default());
        let (summary, _) = run(&prepared, &RunOptions::default(), sink, &Silent)?;
        println!("{visibility_m:>5} m of sight: {} returns", summary.returns);
    }
    Ok(())
}
