//! Whole drives in small worlds.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod bad_input;
mod contacts;
mod whole_way;

use std::path::Path;
use understory::Error;
use understory::scenario::Scenario;
use understory_drive::{Drive, DriveOptions};

/// A level yard of 60 × 60 m with a VLP-16 at 1.5 m that fires a fifth of the time, and more of TOML.
pub fn yard(drive: &str, more: &str) -> Result<Scenario, Error> {
    let text = format!(
        "version = 1\nseed = 5\nduration_s = 1.0\n\
         [world.terrain]\nplane = {{ size_m = [60.0, 60.0], spacing_m = 5.0 }}\nmaterial = \"soil\"\n\
         [[sensor]]\nname = \"lidar\"\npreset = \"vlp-16\"\nposition_m = [0.2, 0.1, 1.5]\n\
         [platform]\nposition_m = [-12.0, 0.0, 0.0]\n{more}\n\
         [drive]\nsense_s = 0.1\n{drive}\n"
    );
    Scenario::from_toml(&text, "yard.toml", Path::new(""))
}

/// A box.
pub fn block(name: &str, size: [f64; 3], at: [f64; 2], label: &str) -> String {
    let [x, y] = at;
    format!(
        "[[world.object]]\nname = \"{name}\"\nshape = \"box\"\nsize_m = {size:?}\n\
         material = \"concrete\"\nlabel = \"{label}\"\nposition_m = [{x}, {y}, 0.0]\n"
    )
}

/// A drive with so many threads.
pub fn start(scenario: &Scenario, threads: usize) -> Result<Drive, Error> {
    let options = DriveOptions { threads: Some(threads), ..DriveOptions::default() };
    Drive::new(scenario, scenario.prepare()?, options)
}
