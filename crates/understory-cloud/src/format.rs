//! Which formats there are, and how to open one.

use crate::blensor::{BlensorSink, Form};
use crate::csv_file::CsvSink;
use crate::e57_file::E57Sink;
use crate::helios::HeliosSink;
use crate::kitti::KittiSink;
use crate::las::LasSink;
use crate::mcap_bag::McapSink;
use crate::parquet_file::ParquetSink;
use crate::pcap::PcapSink;
use crate::ray_cloud::RayCloudSink;
use crate::{CloudError, Misses, RecordSink, SensorFacts, WaveformFormat, npy, pcd, ply};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format that records can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OutputFormat {
    /// LAS 1.4, point format 6 with extra bytes.
    Las,
    /// The same, compressed.
    Laz,
    /// PLY, binary little-endian.
    Ply,
    /// PCD 0.7, binary.
    Pcd,
    /// Text with named columns.
    Csv,
    /// One structured NumPy array.
    Npy,
    /// A folder as KITTI and SemanticKITTI have it.
    Kitti,
    /// BlenSor's record of twelve fields as text.
    BlensorCsv,
    /// The same as a NumPy array of twelve columns.
    BlensorNpy,
    /// BlenSor's own binary file of it.
    Evd,
    /// One table with all columns for data work.
    Parquet,
    /// The packets of a maker's sensor as a network capture.
    Pcap,
    /// A ROS 2 bag.
    Mcap,
    /// E57 with a pose for each scan.
    E57,
    /// CSIRO's ray cloud, a PLY of rays.
    RayCloud,
    /// The text of HELIOS++.
    HeliosXyz,
}

impl OutputFormat {
    /// The formats of another simulator, BlenSor, which hold less than our records.
    pub const BLENSOR: [OutputFormat; 3] =
        [OutputFormat::BlensorCsv, OutputFormat::BlensorNpy, OutputFormat::Evd];

    /// Other people's formats, which hold less than our records.
    pub const FIELD: [OutputFormat; 5] = [
        OutputFormat::Pcap,
        OutputFormat::Mcap,
        OutputFormat::E57,
        OutputFormat::RayCloud,
        OutputFormat::HeliosXyz,
    ];

    /// All formats that are made for our records.
    pub const ALL: [OutputFormat; 8] = [
        OutputFormat::Las,
        OutputFormat::Laz,
        OutputFormat::Ply,
        OutputFormat::Pcd,
        OutputFormat::Csv,
        OutputFormat::Npy,
        OutputFormat::Kitti,
        OutputFormat::Parquet,
    ];

    /// The name as users type it.
    pub fn name(self) -> &'static str {
        match self {
            OutputFormat::Las => "las",
            OutputFormat::Laz => "laz",
            OutputFormat::Ply => "ply",
            OutputFormat::Pcd => "pcd",
            OutputFormat::Csv => "csv",
            OutputFormat::Npy => "npy",
            OutputFormat::Kitti => "kitti",
            OutputFormat::BlensorCsv => "blensor-csv",
            OutputFormat::BlensorNpy => "blensor-npy",
            OutputFormat::Evd => "evd",
            OutputFormat::Parquet => "parquet",
            OutputFormat::Pcap => "pcap",
            OutputFormat::Mcap => "mcap",
            OutputFormat::E57 => "e57",
            OutputFormat::RayCloud => "ray-cloud",
            OutputFormat::HeliosXyz => "helios-xyz",
        }
    }

    /// How the names of its files end, without the first dot.
    pub fn ending(self) -> &'static str {
        match self {
            OutputFormat::BlensorCsv => "blensor.csv",
            OutputFormat::BlensorNpy => "blensor.npy",
            OutputFormat::RayCloud => "raycloud.ply",
            OutputFormat::HeliosXyz => "helios.xyz",
            other => other.name(),
        }
    }

    /// The format that a path asks for: by its extension, or KITTI for a name that ends in `/`,
    /// for an existing folder and for the extension `.kitti`. `.blensor.csv` and `.blensor.npy` are
    /// BlenSor's.
    ///
    /// ```
    /// use std::path::Path;
    /// use understory_cloud::OutputFormat;
    /// assert_eq!(OutputFormat::from_path(Path::new("a/B.LAZ"))?, OutputFormat::Laz);
    /// assert_eq!(OutputFormat::from_path(Path::new("sequence/"))?, OutputFormat::Kitti);
    /// # Ok::<(), understory_cloud::CloudError>(())
    /// ```
    pub fn from_path(path: &Path) -> Result<OutputFormat, CloudError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let has = |format: &OutputFormat| name.ends_with(&format!(".{}", format.ending()));
        if name.ends_with("_raycloud.ply") {
            return Ok(OutputFormat::RayCloud);
        }
        let of_others = OutputFormat::BLENSOR.into_iter().chain(OutputFormat::FIELD);
        if let Some(format) = of_others.into_iter().find(has) {
            return Ok(format);
        }
        let by_extension = path.extension().and_then(|e| e.to_str()).and_then(|e| e.parse().ok());
        let ends_in_slash =
            path.as_os_str().as_encoded_bytes().last().is_some_and(|&b| b == b'/' || b == b'\\');
        if ends_in_slash {
            return Ok(OutputFormat::Kitti);
        }
        match by_extension {
            Some(format) => Ok(format),
            None if path.is_dir() => Ok(OutputFormat::Kitti),
            None => Err(CloudError::UnknownFormat { path: path.to_path_buf() }),
        }
    }
}

impl FromStr for OutputFormat {
    type Err = CloudError;

    fn from_str(name: &str) -> Result<OutputFormat, CloudError> {
        let lower = name.to_ascii_lowercase();
        OutputFormat::ALL
            .into_iter()
            .chain(OutputFormat::BLENSOR)
            .chain(OutputFormat::FIELD)
            .find(|format| format.name() == lower)
            .ok_or_else(|| CloudError::UnknownFormatName { name: name.to_owned() })
    }
}

impl fmt::Display for OutputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How to write; the default suits most.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkOptions {
    /// What becomes of pulses without a return. LAS, LAZ and KITTI cannot hold them and leave them
    /// out whatever is said here.
    pub misses: Misses,
    /// Quantum of coordinates in LAS and LAZ.
    pub scale_m: f64,
    /// Whether LAS and LAZ have the columns beyond the standard ones. Without them a LAZ file is
    /// smaller and written several times faster, but holds no truth.
    pub extra_bytes: bool,
    /// Offset of coordinates in LAS, LAZ and PCD. Without one, the first return decides: whole
    /// kilometres, or none for a site within 4 km of the world's origin. Files that are to be
    /// compared byte by byte or joined should have it given.
    pub offset_m: Option<[f64; 3]>,
    /// Sensors whose waveforms are written too: LAS has them in a file `.wdp` beside it, NPY in
    /// `NAME.waveforms.npy` and `NAME.samples.npy`. LAZ refuses them and other formats leave them
    /// out. None: no waveforms.
    pub waveforms: Vec<WaveformFormat>,
    /// The sensors by their number, for packets, bags and whatever else needs more than records.
    pub sensors: Vec<SensorFacts>,
    /// Unix time of the start of the run in nanoseconds, for formats with absolute times. Packets
    /// and bags of runs that are the same should be the same too, so that it is fixed by default:
    /// 2025-01-01 00:00:00 UTC.
    pub start_unix_ns: i64,
    /// How the chunks of a ROS 2 bag are compressed.
    pub bag_compression: BagCompression,
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
            misses: Misses::Keep,
            scale_m: 1e-4,
            extra_bytes: true,
            offset_m: None,
            waveforms: Vec::new(),
            sensors: Vec::new(),
            start_unix_ns: 1_735_689_600_000_000_000,
            bag_compression: BagCompression::Zstd,
        }
    }
}

/// Opens an output. It appears under `path` when the sink is finished.
///
/// ```
/// use understory_cloud::{OutputFormat, Records, SinkOptions, open_sink};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("points.laz");
/// let mut sink = open_sink(&path, OutputFormat::from_path(&path)?, &SinkOptions::default())?;
/// sink.write(&Records::default())?;
/// assert!(!path.exists());
/// assert_eq!(sink.finish()?.paths, [path.clone()]);
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_sink(
    path: &Path,
    format: OutputFormat,
    options: &SinkOptions,
) -> Result<Box<dyn RecordSink>, CloudError> {
    Ok(match format {
        OutputFormat::Las => Box::new(LasSink::create(path, false, options)?),
        OutputFormat::Laz => Box::new(LasSink::create(path, true, options)?),
        OutputFormat::Ply => Box::new(ply::create(path, options)?),
        OutputFormat::Pcd => Box::new(pcd::create(path, options)?),
        OutputFormat::Csv => Box::new(CsvSink::create(path, options)?),
        OutputFormat::Npy => Box::new(npy::create(path, options)?),
        OutputFormat::Kitti => Box::new(KittiSink::create(path)?),
        OutputFormat::BlensorCsv => Box::new(BlensorSink::create(path, Form::Csv)?),
        OutputFormat::BlensorNpy => Box::new(BlensorSink::create(path, Form::Npy)?),
        OutputFormat::Evd => Box::new(BlensorSink::create(path, Form::Evd)?),
        OutputFormat::Pcap => Box::new(PcapSink::create(path, options)?),
        OutputFormat::Mcap => Box::new(McapSink::create(path, options)?),
        OutputFormat::Parquet => Box::new(ParquetSink::create(path, options)?),
        OutputFormat::E57 => Box::new(E57Sink::create(path, options)?),
        OutputFormat::RayCloud => Box::new(RayCloudSink::create(path, options)?),
        OutputFormat::HeliosXyz => Box::new(HeliosSink::create(path)?),
    })
}
