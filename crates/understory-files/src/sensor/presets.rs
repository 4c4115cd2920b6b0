//! The built-in sensors.

use crate::FileError;
use crate::hint::word_remedy;

/// Names and TOML texts of the presets, by name.
pub fn presets() -> &'static [(&'static str, &'static str)] {
    &PRESETS
}

macro_rules! embed {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../sensors/", $name, ".toml")))),*]
    };
}

static PRESETS: [(&str, &str); 64] = embed![
    "altm-3100",
    "at128",
    "azure-kinect-nfov",
    "azure-kinect-wfov",
    "blensor-line",
    "dji-zenmuse-l1",
    "dji-zenmuse-l2",
    "dji-zenmuse-l2-repetitive",
    "faro-focus-s150",
    "hdl-32e",
    "hdl-32e-goodin",
    "hdl-64e-blensor",
    "hdl-64e-goodin",
    "hdl-64e-s2",
    "hdl-64e-s3",
    "ibeo-lux",
    "kinect-v2",
    "leica-blk360",
    "leica-rtc360",
    "livox-avia",
    "livox-hap",
    "livox-mid-360",
    "livox-mid-40",
    "livox-mid-70",
    "livox-tele-15",
    "lms-111",
    "lms-291",
    "lms-291-goodin",
    "lms-511",
    "os0-128-rev6",
    "os0-128-rev7",
    "os0-32-rev6",
    "os1-128-rev6",
    "os1-128-rev7",
    "os1-32-gradient",
    "os1-64-above-horizon",
    "os1-64-bayraktaroglu",
    "os1-64-gen1",
    "os1-64-uniform",
    "os2-128-rev6",
    "os2-128-rev7",
    "os2-32-rev3",
    "osdome-128",
    "pandar64",
    "pmd-camcube",
    "qt64",
    "riegl-minivux-1uav",
    "riegl-vq-480-ii",
    "riegl-vq-880-g",
    "riegl-vux-1uav",
    "riegl-vz-2000i",
    "riegl-vz-400",
    "riegl-vz-600i",
    "rs-16",
    "rs-32",
    "rs-bpearl",
    "ruby-80",
    "swissranger-sr4000",
    "utm-30lx",
    "vlp-16",
    "vlp-32c",
    "vls-128",
    "xt16",
    "xt32",
];

/// The text of the built-in sensor of this name.
pub fn preset_text(name: &str) -> Result<&'static str, FileError> {
    if let Some((_, text)) = presets().iter().find(|(preset, _)| *preset == name) {
        return Ok(text);
    }
    let names: Vec<&str> = presets().iter().map(|(preset, _)| *preset).collect();
    Err(FileError::Invalid {
        location: format!("sensor preset {name:?}"),
        problem: "there is no preset of this name".into(),
        remedy: word_remedy(name, &names),
    })
}

/// What errors call the file of a built-in sensor.
pub fn preset_location(name: &str) -> String {
    format!("sensors/{name}.toml")
}
