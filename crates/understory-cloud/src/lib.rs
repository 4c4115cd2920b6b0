//! Pulses and points as columns, and the files in which they travel.
//!
//! The way out: [`Records`], columns with one row per return and one row per pulse without a
//! return, become files that other people's tools open, through a [`RecordSink`] that
//! [`open_sink`] gives. The way in: files, ours and other people's, become the same records through
//! a [`Recording`]. Which formats there are, [`formats`] lists, and what a row holds, [`COLUMNS`].
//!
//! ```
//! use understory_cloud::{
//!     OutputFormat, ReadOptions, Record, Recording, Records, SinkOptions, open_sink,
//! };
//! let mut records = Records::default();
//! records.push(Record { pulse: 7, direction_xyz: [1.0, 0.0, 0.0], ..Record::miss() });
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("scan.npy");
//! let mut sink = open_sink(&path, OutputFormat::from_path(&path)?, &SinkOptions::default())?;
//! sink.write(&records)?;
//! sink.finish()?;
//!
//! let back = Recording::open(&path, &ReadOptions::default())?.read_all()?;
//! assert_eq!((back.pulse[0], back.is_miss(0)), (7, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod convert;
mod dropped_fields;
mod error;
mod fan_out;
mod format;
mod geographic;
mod imu;
mod info;
mod labels;
mod pose_file;
mod poses;
mod read_options;
mod recording;
mod records;
mod ros;
mod scene_names;
mod sensor_description;
mod shared_file;
mod spool;
mod sink;
mod sink_options;
mod staging;
mod survey;
mod tee;
mod text_lines;
mod voxels;
mod wire;

pub use convert::{Conversion, convert, convert_through};
pub use error::CloudError;
pub use fan_out::{CountingSink, MemorySink, MultiSink};
pub use format::table::ColumnSummary;
pub use format::{
    FormatInfo, McapSink, OutputFormat, first_return, format_names, formats, open_sink,
    read_extensions, round_offset_m,
};
pub use geographic::{Geodetic, GeographicOrigin};
pub use imu::ImuSamples;
pub use info::{FileSummary, describe, describe_with};
pub use labels::{is_ground, label_name, label_names, label_number};
pub use pose_file::{PoseFileOptions, read_pose_file};
pub use poses::TimedPoses;
pub use read_options::{Frame, ReadOptions};
pub use recording::{KnownColumns, ReadReport, Recording};
pub use records::{
    COLUMNS, Column, ColumnInfo, Record, Records, Source, WaveformFormat, Waveforms,
    decode_records, encode_records,
};
pub use ros::{EmitRos, RosEncoder, RosMessage, RosNames, RosOptions, RosType};
pub use scene_names::SceneNames;
pub use sensor_description::{
    IDENTITY_ROWS, LaserDescription, OusterProduct, OusterProfile, PacketFormat, ReportedReturns,
    SensorDescription, Spin, VelodyneModel,
};
pub use shared_file::{FilePart, PartNumber, can_be_shared, open_part};
pub use sink::{CostlyColumns, GpsFix, Misses, PlatformPose, RecordSink, ScanPose, SinkReport};
pub use sink_options::{BagCompression, LasClasses, SinkOptions};
pub use staging::{StagedFile, check_writable, write_whole};
pub use survey::Survey;
pub use tee::Tee;
pub use voxels::{VOXELS_MAX, VoxelColumn, VoxelError, VoxelGrid, check_voxel_file, write_voxels};
pub use wire::ouster::{ouster_metadata, read_ouster_metadata, with_distinct_serials};
pub use wire::{Emit, Packet, PacketEncoder, encoder as packet_encoder};

/// Name and version as files carry them.
pub(crate) const SOFTWARE: &str = concat!("Understory ", env!("CARGO_PKG_VERSION"));
