//! Pulses and points as columns, and the files in which they travel.
//!
//! The way out: [`Records`], columns with one row per return and one row per pulse without a
//! return, become files that other people's tools open, through a [`RecordSink`] that
//! [`open_sink`] gives. The way in: files, ours and other people's, become the same records through
//! a [`Recording`]. How alike two recordings are, a [`Comparison`] tells.

mod compare;
mod convert;
mod dropped_fields;
mod error;
mod fan_out;
mod format;
mod histogram_distance;
mod info;
mod pose_file;
mod poses;
mod recording;
mod records;
mod ros;
mod sensor_description;
mod sink;
mod staging;
mod wire;

pub use compare::{
    BeamMatch, BeamScore, BeamScores, BlockBy, CloudDistance, CompareMode, CompareOptions,
    CompareReport, Comparison, CountedReturn, Histogram, HistogramBuilder, HistogramComparison,
    HistogramDistance, HistogramOptions, Lacking, MatchLimits, MatchedBy, NO_RETURN, OUTSIDE,
    Orientation, OrientationBy, OrientationHistograms, OrientationRow, RangeErrors, Region,
    ScoreOptions, Spread, Uncounted,
};
pub use convert::{Conversion, convert};
pub use error::CloudError;
pub use fan_out::{CountingSink, MemorySink, MultiSink};
pub use format::{
    BagCompression, FormatInfo, McapSink, OutputFormat, SinkOptions, WaveformFormat, format_names,
    formats, open_sink, read_extensions, round_offset_m,
};
pub use histogram_distance::{bhattacharyya_distance, finite_sample_floor, mean_row_distance};
pub use info::{ColumnSummary, FileSummary, describe, describe_with};
pub use pose_file::{PoseFileOptions, TimedPoses, read_pose_file};
pub use recording::{Frame, KnownColumns, ReadOptions, ReadReport, Recording};
pub use records::{Column, Record, Records, Waveforms, decode_records, encode_records};
pub use ros::{EmitRos, ImuSamples, RosEncoder, RosMessage, RosType};
pub use sensor_description::{
    LaserFacts, OusterProduct, OusterProfile, PacketFormat, ReportedReturns, SensorFacts, Spin,
    VelodyneModel,
};
pub use sink::{Misses, RecordSink, ScanPose, SinkReport};
pub use staging::StagedFile;
pub use wire::ouster::{ouster_metadata, read_ouster_metadata, with_distinct_serials};
pub use wire::{Emit, Packet, PacketEncoder, encoder as packet_encoder};

/// Name and version as files carry them.
pub(crate) const SOFTWARE: &str = concat!("Understory ", env!("CARGO_PKG_VERSION"));
