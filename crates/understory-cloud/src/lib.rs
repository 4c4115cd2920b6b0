//! Pulses and points as columns, and the files in which they travel.
//!
//! The way out: [`Records`], columns with one row per return and one row per pulse without a
//! return, become files that other people's tools open, through a [`RecordSink`] that
//! [`open_sink`] gives. The way in: files, ours and other people's, become the same records through
//! a [`Recording`]. How alike two recordings are, a [`Comparison`] tells.

mod column;
mod error;
mod record_block;
mod records;

mod coordinate_offset;
mod fan_out;
mod format;
mod layout;
mod not_kept;
mod packets;
mod pcap;
mod row_file;
mod sensor_facts;
mod sink;
mod staging;
mod waveforms;

mod blensor;
mod csv_file;
mod e57_file;
mod helios;
mod kitti;
mod las;
mod las_header;
mod las_waveform;
mod laz_chunk;
mod mcap_bag;
mod npy;
mod npy_waveform;
mod parquet_file;
mod pcd;
mod pcd_compressed;
mod ply;
mod ray_cloud;

mod compare;
mod histogram_distance;

mod convert;
mod info;
mod pose_file;
mod recording;
mod ros;
mod table;

pub use column::Column;
pub use compare::{
    BeamMatch, BeamScore, BeamScores, BlockBy, CloudDistance, CompareMode, CompareOptions,
    CompareReport, Comparison, CountedReturn, Histogram, HistogramBuilder, HistogramComparison,
    HistogramDistance, HistogramOptions, Lacking, MatchLimits, MatchedBy, NO_RETURN, OUTSIDE,
    Orientation, OrientationBy, OrientationHistograms, OrientationRow, RangeErrors, Region,
    ScoreOptions, Spread, Uncounted,
};
pub use convert::{Conversion, convert};
pub use coordinate_offset::round_offset_m;
pub use error::CloudError;
pub use fan_out::{CountingSink, MemorySink, MultiSink};
pub use format::{
    BagCompression, FormatInfo, OutputFormat, SinkOptions, format_names, formats, open_sink,
    read_extensions,
};
pub use histogram_distance::{bhattacharyya_distance, finite_sample_floor, mean_row_distance};
pub use info::{ColumnSummary, FileSummary, describe, describe_with};
pub use las_waveform::WaveformFormat;
pub use mcap_bag::McapSink;
pub use packets::ouster::{ouster_metadata, read_ouster_metadata, with_distinct_serials};
pub use packets::{Emit, Packet, PacketEncoder, encoder as packet_encoder};
pub use pose_file::{PoseFileOptions, TimedPoses, read_pose_file};
pub use record_block::{decode_records, encode_records};
pub use recording::{Frame, KnownColumns, ReadOptions, ReadReport, Recording};
pub use records::{Record, Records};
pub use ros::{EmitRos, ImuSamples, RosEncoder, RosMessage, RosType};
pub use sensor_facts::{
    LaserFacts, OusterProduct, OusterProfile, PacketFormat, ReportedReturns, SensorFacts, Spin,
    VelodyneModel,
};
pub use sink::{Misses, RecordSink, ScanPose, SinkReport};
pub use staging::StagedFile;
pub use waveforms::Waveforms;

/// Name and version as files carry them.
pub(crate) const SOFTWARE: &str = concat!("Understory ", env!("CARGO_PKG_VERSION"));
