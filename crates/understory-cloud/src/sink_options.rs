//! How records are written: what a format leaves open.

use std::sync::Arc;

use crate::{
    GeographicOrigin, Misses, RosNames, RosOptions, SceneNames, SensorDescription, Survey,
    WaveformFormat,
};

/// How to write; the default suits most.
#[derive(Clone, Debug)]
pub struct SinkOptions {
    /// What becomes of pulses without a return. LAS, LAZ and KITTI cannot hold them and leave them
    /// out whatever is said here.
    pub misses: Misses,
    /// Quantum of coordinates in LAS and LAZ.
    pub scale_m: f64,
    /// Whether PCD is compressed, unless it would have more than the 4 GiB that such a file can hold.
    pub compress_pcd: bool,
    /// Whether LAS and LAZ have the columns beyond the standard ones. Without them a LAZ file is
    /// smaller and written several times faster, but holds no truth.
    pub extra_bytes: bool,
    /// Whether LAS, LAZ, PLY and PCD have the colours of points: where they are not known, viewers
    /// would show black ones.
    pub colours: bool,
    /// Which classes points of LAS and LAZ have.
    pub las_classes: LasClasses,
    /// Coordinate reference system of the world as well-known text, for LAS and LAZ.
    pub crs_wkt: Option<String>,
    /// Where on Earth the world's origin is, for fixes of the satellite navigation in bags.
    pub geographic_origin: Option<GeographicOrigin>,
    /// Names of objects and materials, for formats that can hold them ([`FormatInfo::names`]).
    ///
    /// [`FormatInfo::names`]: crate::FormatInfo::names
    pub names: Option<Arc<SceneNames>>,
    /// Ground, headings and flight lines, for LAS and LAZ.
    pub survey: Option<Arc<dyn Survey>>,
    /// Whether LAS and LAZ are one file for each flight line, `NAME_line1.laz`, …; without waveforms.
    pub strips: bool,
    /// Offset of coordinates in LAS, LAZ and PCD. Without one, the first return decides: whole
    /// kilometres, or none for a site within 4 km of the world's origin. Files that are to be
    /// compared byte by byte or joined should have it given.
    pub offset_m: Option<[f64; 3]>,
    /// Sensors whose waveforms are written too: LAS has them in a file `.wdp` beside it, NPY in
    /// `NAME.waveforms.npy` and `NAME.samples.npy`. LAZ refuses them and other formats leave them
    /// out. None: no waveforms.
    pub waveforms: Vec<WaveformFormat>,
    /// The sensors by their number, for packets, bags and whatever else needs more than records.
    pub sensors: Vec<SensorDescription>,
    /// Unix time of the start of the run in nanoseconds, for formats with absolute times. Packets
    /// and bags of runs that are the same should be the same too, so that it is fixed by default:
    /// 2025-01-01 00:00:00 UTC.
    pub start_unix_ns: i64,
    /// How the chunks of a ROS 2 bag are compressed.
    pub bag_compression: BagCompression,
    /// Whether clouds of ROS 2 have a field `label` with the semantic class of each point.
    pub ros_labels: bool,
    /// Whether they have a field `rgb` with the colour of each point, packed as PCL has it.
    pub ros_colours: bool,
    /// Topic and frame of the first sensor's points in ROS 2, such as those of a recording that is
    /// played; by its vendor where nothing is said.
    pub ros_names: Option<RosNames>,
}

/// Which numbers stand in the classification of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LasClasses {
    /// Those of the ASPRS, from the labels of SemanticKITTI that records have.
    #[default]
    FromLabels,
    /// The labels as they are: those of a recording that had a surveyor's classes. What does not fit
    /// into a byte becomes 1.
    Labels,
}

/// Compression of the chunks of a bag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BagCompression {
    /// Small and quick.
    #[default]
    Zstd,
    /// Quicker to unpack, less small.
    Lz4,
    /// None.
    None,
}

impl Default for SinkOptions {
    fn default() -> SinkOptions {
        SinkOptions {
            misses: Misses::Usual,
            scale_m: 1e-4,
            compress_pcd: true,
            extra_bytes: true,
            colours: false,
            las_classes: LasClasses::default(),
            crs_wkt: None,
            geographic_origin: None,
            names: None,
            survey: None,
            strips: false,
            offset_m: None,
            waveforms: Vec::new(),
            sensors: Vec::new(),
            start_unix_ns: 1_735_689_600_000_000_000,
            bag_compression: BagCompression::Zstd,
            ros_labels: false,
            ros_colours: false,
            ros_names: None,
        }
    }
}

impl From<&SinkOptions> for RosOptions {
    fn from(options: &SinkOptions) -> RosOptions {
        RosOptions {
            sensors: options.sensors.clone(),
            start_unix_ns: options.start_unix_ns,
            misses: options.misses,
            labels: options.ros_labels,
            colours: options.ros_colours,
            names: options.ros_names.clone(),
            geographic_origin: options.geographic_origin,
        }
    }
}
