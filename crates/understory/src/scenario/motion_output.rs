//! `motion…` of `[output]`: which files of motion a run writes, and what is in them.

use super::MountedSensor;
use super::file::OutputFile;
use super::output_names::OutputNames;
use crate::Error;
use crate::scenario::object_tracks::{MotionFormat, TruthOptions};
use std::path::PathBuf;
use understory_files::hint::word_remedy;
use understory_files::{LayeredToml, Number};

/// Checks the names of the files, the rate and the sensor; objects are known when they are built.
pub fn check(
    layers: &LayeredToml<'_>,
    file: &OutputFile,
    sensors: &[MountedSensor],
    names: &mut OutputNames,
) -> Result<(Vec<PathBuf>, TruthOptions), Error> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for output in &file.motion {
        let path = output.get_ref();
        if MotionFormat::of(path).is_none() {
            let problem = format!("{path:?} names no form of motion");
            let remedy = "end it in .csv, .txt (BlenSor's form) or .xml (KITTI tracklets)";
            return Err(layers.invalid(&output.span(), problem, remedy));
        }
        paths.push(names.take(layers, output)?);
    }
    if let Some(sensor) = &file.motion_sensor {
        let names: Vec<&str> = sensors.iter().map(|mounted| mounted.name.as_str()).collect();
        if !names.contains(&sensor.get_ref().as_str()) {
            let problem = format!("there is no sensor {:?}", sensor.get_ref());
            return Err(layers.invalid(
                &sensor.span(),
                problem,
                word_remedy(sensor.get_ref(), &names),
            ));
        }
    }
    let options = TruthOptions {
        objects: file.motion_objects.clone(),
        interval_s: None,
        rate_hz: file.motion_rate_hz.as_ref().map(Number::get),
        sensor: file.motion_sensor.as_ref().map(|sensor| sensor.get_ref().clone()),
    };
    Ok((paths, options))
}
