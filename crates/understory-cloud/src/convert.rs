//! From one format to another: a recording in, a file or folder out.
//!
//! Misses, returns, times and intensities are kept where the target can hold them; what it cannot
//! is said in [`Conversion::not_kept`].

use crate::{
    CloudError, KnownColumns, OutputFormat, ReadOptions, ReadReport, Recording, Records,
    SinkOptions, SinkReport, open_sink,
};
use std::path::Path;

/// What was converted, and what was lost on the way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conversion {
    /// What was read and left aside.
    pub read: ReadReport,
    /// What the recording knows.
    pub known: KnownColumns,
    /// What was written.
    pub written: SinkReport,
    /// What the recording has and the target cannot hold, each as some words.
    pub not_kept: Vec<String>,
}

/// Converts the recording `from` into the file or folder `to`.
pub fn convert(
    from: &Path,
    reading: &ReadOptions,
    to: &Path,
    format: OutputFormat,
    writing: &SinkOptions,
) -> Result<Conversion, CloudError> {
    let mut recording = Recording::open(from, reading)?;
    let known = recording.known();
    let las = matches!(format, OutputFormat::Las | OutputFormat::Laz);
    let without_poses =
        || CloudError::NoScanPoses { from: from.to_path_buf(), to: to.to_path_buf() };
    let by_scan = matches!(format, OutputFormat::Kitti | OutputFormat::Mcap);
    if by_scan && !known.sensor_frame {
        return Err(without_poses());
    }
    // Columns of which nothing is known would only make the file longer.
    let more = known.origin || known.range || known.channel || known.scan || known.pulse;
    let writing = SinkOptions { extra_bytes: writing.extra_bytes && more, ..writing.clone() };
    let mut sink = open_sink(to, format, &writing)?;
    let mut batch = Records::default();
    let (mut poses_told, mut bright) = (0, 0u64);
    while recording.next_batch(&mut batch)? {
        // Scans of which nobody knows where they were have no poses worth telling.
        let placed = format != OutputFormat::Mcap || known.origin;
        let poses = if placed { recording.scan_poses() } else { &[] };
        for pose in poses.get(poses_told..).unwrap_or_default() {
            sink.scan_pose(pose)?;
        }
        poses_told = poses.len();
        if format == OutputFormat::Kitti && poses_told == 0 && !batch.is_empty() {
            return Err(without_poses());
        }
        if las {
            bright += batch.intensity.iter().filter(|&&intensity| intensity > 1.0).count() as u64;
            // GPS time is a number in every file.
            batch.time_s.iter_mut().filter(|time| time.is_nan()).for_each(|time| *time = 0.0);
        }
        sink.write(&batch)?;
    }
    let written = sink.finish()?;
    let mut not_kept = written.not_kept.clone();
    if written.dropped_misses > 0 {
        not_kept.push(format!("{} pulses without a return", written.dropped_misses));
    }
    if bright > 0 {
        not_kept.push(format!("intensity above 1 of {bright} returns, cut to 1"));
    }
    if las && !writing.extra_bytes && known.truth {
        not_kept.push("the truth".to_owned());
    }
    if format == OutputFormat::Kitti {
        for (has, what) in [
            (known.returns, "return numbers"),
            (known.time, "times within a scan"),
            (known.pulse, "pulse numbers"),
            (known.channel, "channels"),
            (known.origin, "origins of single beams"),
            (known.truth, "the truth"),
        ] {
            if has {
                not_kept.push(what.to_owned());
            }
        }
    }
    Ok(Conversion { read: recording.report().clone(), known, written, not_kept })
}
