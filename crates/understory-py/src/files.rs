//! Files ↔ columns.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use understory::world::trajectory::Pose;
use understory_cloud::{
    Frame, Misses, OutputFormat, ReadOptions, Recording, Records, SinkOptions, open_sink,
};

use crate::columns::{from_dict, to_dict};
use crate::errors::{argument, cloud, simulator};
use crate::poses::{Poses, ScanTuple, scan_tuple, write_with_poses};
use crate::scenario::Scenario;
use crate::waiting::without_interpreter;
use understory::scenario::MountedSensor;
use understory::sensor::Sensor;

/// A sensor that is built in, by its name.
pub fn sensor(name: &str) -> PyResult<Sensor> {
    Sensor::preset(name).map_err(simulator)
}

/// What a file does not say itself, from keyword arguments.
pub fn read_options(given: &Bound<'_, PyDict>) -> PyResult<ReadOptions> {
    let mut options = ReadOptions::default();
    for (key, value) in given {
        if value.is_none() {
            continue;
        }
        match key.extract::<String>()?.as_str() {
            "pose" => options.pose = Some(pose(&value.extract::<Vec<f64>>()?)?),
            "trajectory" => options.trajectory = Some(value.extract()?),
            "points_in" => {
                options.points_in = Some(match value.extract::<String>()?.as_str() {
                    "world" => Frame::World,
                    "sensor" => Frame::Sensor,
                    other => {
                        return Err(argument(format!(
                            "points_in is {other:?}; choose from world and sensor"
                        )));
                    }
                });
            }
            "metres_per_unit" => options.metres_per_unit = value.extract()?,
            "intensity_full" => options.intensity_full = value.extract()?,
            "columns" => options.column_names = Some(value.extract()?),
            "sensor" => {
                options.sensor = Some(sensor(&value.extract::<String>()?)?.to_description())
            }
            "metadata" => options.metadata = Some(value.extract()?),
            "topic" => options.topic = Some(value.extract()?),
            "start_unix_ns" => options.start_unix_ns = value.extract()?,
            other => {
                return Err(argument(format!(
                    "there is no option {other:?} of reading; choose from pose, trajectory, \
                     points_in, metres_per_unit, intensity_full, columns, sensor, metadata, topic \
                     and start_unix_ns"
                )));
            }
        }
    }
    Ok(options)
}

fn pose(numbers: &[f64]) -> PyResult<[[f64; 4]; 3]> {
    let pose = Pose::from_numbers(numbers).ok_or_else(|| {
        let count = numbers.len();
        argument(format!("pose has {count} numbers; give x, y, z or x, y, z, roll, pitch, yaw"))
    })?;
    Ok(pose.to_rows())
}

/// All rows of a file, which columns of them are known, remarks about it, and poses of scans.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn read<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Vec<&'static str>, Vec<String>, Vec<ScanTuple>)> {
    let options = read_options(options)?;
    let done = without_interpreter(py, progress, |watch| {
        let mut recording = Recording::open(&path, &options)?;
        let (mut all, mut batch) = (Records::default(), Records::default());
        while !watch.stopped() && recording.next_batch(&mut batch)? {
            all.append(&batch);
            let share = recording.rows().map_or(0.0, |rows| all.len() as f64 / rows.max(1) as f64);
            watch.step("reading", share);
        }
        let known = recording.known();
        let names = [
            (known.position, "position"),
            (known.time, "time"),
            (known.pulse, "pulse"),
            (known.channel, "channel"),
            (known.scan, "scan"),
            (known.column, "column"),
            (known.angles, "angles"),
            (known.returns, "returns"),
            (known.range, "range"),
            (known.intensity, "intensity"),
            (known.origin, "origin"),
            (known.sensor_frame, "sensor_frame"),
            (known.label, "label"),
            (known.colour, "colour"),
            (known.truth, "truth"),
            (known.misses, "misses"),
        ];
        let names: Vec<&str> = names.iter().filter(|(known, _)| *known).map(|n| n.1).collect();
        let mut remarks = recording.report().remarks.clone();
        if recording.report().skipped() > 0 {
            remarks.insert(0, recording.report().to_string());
        }
        let poses = recording.scan_poses().iter().map(scan_tuple).collect();
        Ok((all, names, remarks, poses))
    })?;
    let (records, known, remarks, poses) = done.map_err(cloud)?;
    Ok((to_dict(py, records)?, known, remarks, poses))
}

/// Writes columns into a file, with the poses and the sensors that belong to them; tells what the
/// format could not keep.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn save(
    py: Python<'_>,
    columns: &Bound<'_, PyDict>,
    path: PathBuf,
    format: Option<&str>,
    keep_misses: Option<bool>,
    poses: Poses,
    scenario: Option<&Scenario>,
    sensor_name: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let records = from_dict(columns)?;
    let format = match format {
        Some(name) => name.parse::<OutputFormat>(),
        None => OutputFormat::from_path(&path),
    };
    let format = format.map_err(cloud)?;
    let misses = match keep_misses {
        None => Misses::Usual,
        Some(true) => Misses::Keep,
        Some(false) => Misses::Drop,
    };
    let sensors = match (scenario, sensor_name) {
        (Some(scenario), _) => {
            scenario.checked.sensors.iter().map(MountedSensor::to_description).collect()
        }
        (None, Some(name)) => vec![sensor(name)?.to_description()],
        (None, None) => Vec::new(),
    };
    let asked =
        scenario.map(|scenario| (scenario.checked.ros_labels, scenario.checked.ros_colours));
    let (ros_labels, ros_colours) = asked.unwrap_or_default();
    let colours = records.colour_rgb.iter().any(|rgb| *rgb != [0; 3]);
    let options =
        SinkOptions { misses, sensors, ros_labels, ros_colours, colours, ..SinkOptions::default() };
    let done = without_interpreter(py, progress, |watch| {
        watch.step("writing", 0.0);
        let mut sink = open_sink(&path, format, &options)?;
        write_with_poses(sink.as_mut(), &records, &poses)?;
        sink.finish()
    })?;
    Ok(done.map_err(cloud)?.dropped_fields)
}
