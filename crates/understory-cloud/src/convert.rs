//! From one format to another: a recording in, a file or folder out.
//!
//! Misses, returns, times and intensities are kept where the target can hold them; what it cannot
//! is said in [`Conversion::dropped_fields`]: each writer knows what it leaves out and whether the records
//! had it.

use crate::dropped_fields::PULSE_NUMBERS;
use crate::format::Needs;
use crate::recording::any_colour;
use crate::{
    CloudError, KnownColumns, OutputFormat, ReadOptions, ReadReport, Recording, Records,
    SinkOptions, SinkReport, open_sink,
};
use std::path::Path;
use std::sync::Arc;

/// What was converted, and what was lost on the way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conversion {
    /// What was read and skipped.
    pub read: ReadReport,
    /// What the recording knows.
    pub known: KnownColumns,
    /// What was written.
    pub written: SinkReport,
    /// What the recording has and the target cannot hold, each as some words.
    pub dropped_fields: Vec<String>,
}

/// Converts the recording `from` into the file or folder `to`.
pub fn convert(
    from: &Path,
    reading: &ReadOptions,
    to: &Path,
    format: OutputFormat,
    writing: &SinkOptions,
) -> Result<Conversion, CloudError> {
    convert_through(from, reading, to, format, writing, &mut |_| {})
}

/// The same with a look at each batch on its way, which may change it.
pub fn convert_through(
    from: &Path,
    reading: &ReadOptions,
    to: &Path,
    format: OutputFormat,
    writing: &SinkOptions,
    change: &mut dyn FnMut(&mut Records),
) -> Result<Conversion, CloudError> {
    let mut recording = Recording::open(from, reading)?;
    let mut known = recording.known();
    let without_poses =
        || CloudError::NoScanPoses { from: from.to_path_buf(), to: to.to_path_buf() };
    let needs = format.info().needs;
    if matches!(needs, Needs::ScanPoses | Needs::SensorFrame) && !known.sensor_frame {
        return Err(without_poses());
    }
    if needs == Needs::Lasers && !(known.channel && known.time) {
        let what =
            "the recording does not say which laser fired when; give one with channels and times";
        let sensor = writing.sensors.first().map_or("recording", |facts| facts.name.as_str());
        return Err(CloudError::Unpackable { sensor: sensor.to_owned(), what: what.to_owned() });
    }
    if needs == Needs::Origins && !known.origin {
        return Err(CloudError::NoOrigins { path: from.to_path_buf() });
    }
    // Columns of which nothing is known would only make the file longer.
    let more = known.origin || known.range || known.channel || known.scan || known.pulse;
    let mut writing = SinkOptions { extra_bytes: writing.extra_bytes && more, ..writing.clone() };
    // Many files have the columns, and black in all of them.
    known.colour = known.colour && any_colour(from, reading)?;
    writing.colours |= known.colour;
    // Materials of a simulation have colours too, which few ask for in the clouds of drivers.
    writing.ros_colours |= known.colour && !known.truth;
    writing.las_classes = recording.las_classes();
    writing.crs_wkt = writing.crs_wkt.or_else(|| recording.crs_wkt().map(str::to_owned));
    writing.names = writing.names.or_else(|| recording.names().cloned().map(Arc::new));
    if writing.sensors.is_empty() {
        writing.sensors = recording.sensors().to_vec();
    }
    writing.ros_names = writing.ros_names.or_else(|| recording.ros_names().cloned());
    let mut sink = open_sink(to, format, &writing)?;
    let mut batch = Records::default();
    let mut poses_given = 0;
    while recording.next_batch(&mut batch)? {
        // Scans of which nobody knows where they were have no poses worth telling.
        let placed = needs != Needs::SensorFrame || known.origin;
        let poses = if placed { recording.scan_poses() } else { &[] };
        for pose in poses.get(poses_given..).unwrap_or_default() {
            sink.scan_pose(pose)?;
        }
        poses_given = poses.len();
        if needs == Needs::ScanPoses && poses_given == 0 && !batch.is_empty() {
            return Err(without_poses());
        }
        change(&mut batch);
        sink.write(&batch)?;
    }
    let written = sink.finish()?;
    let mut dropped_fields = written.dropped_fields.clone();
    // The reader numbers the pulses of a recording that does not; these numbers are no loss.
    dropped_fields.retain(|what| known.pulse || what != PULSE_NUMBERS);
    if written.dropped_misses > 0 {
        dropped_fields.push(written.dropped_misses_words());
    }
    Ok(Conversion { read: recording.report().clone(), known, written, dropped_fields })
}
