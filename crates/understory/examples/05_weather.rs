//! The same scan in clear air and in fog: `cargo run --release -p understory --example 05_weather`.
//!
//! Fog takes light from what stands in it, and where it is thick it sends light back from a metre or
//! two before the sensor, also to pulses that went into the open. It is seen where its echo is above
//! that of the weakest target of the sensor; it comes in patches, so that some pulses see it and
//! others do not: none at 200 m of visibility, a quarter at 50 m, nearly all at 20 m.
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
    for visibility_m in [f64::INFINITY, 200.0, 50.0, 20.0] {
        let patches = |fog: FogSpec| FogSpec { patchiness: 0.3, ..fog };
        let fog = visibility_m.is_finite().then(|| patches(FogSpec::with_visibility(visibility_m)));
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
