//! The registry of formats: the one list of what can be written and read.
//!
//! Everything that must know all formats asks here: names and extensions, help texts, what a
//! scenario may write, the table in `docs/formats.md`, the tests. A new format is a file of its own,
//! its `mod` line and one entry below.

mod blensor;
mod coordinate_offset;
mod csv;
mod e57;
mod fixed_rows;
mod helios;
pub(crate) mod kitti;
mod las;
mod mcap;
mod npy;
mod organised;
mod parquet;
mod pcap;
mod pcd;
mod ply;
mod ray_cloud;
mod row_file;
pub(crate) mod row_layout;
pub(crate) mod shared_rows;
pub(crate) mod table;

pub(crate) use npy::header::array_header;

pub use coordinate_offset::round_offset_m;
pub use mcap::McapSink;
pub use row_layout::first_return;

use crate::{CloudError, Misses, ReadOptions, RecordSink, SinkOptions, ros};
use blensor::write::{BlensorSink, Form};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use table::{Opened, Source};

/// Opens an output under this path.
type OpenSink = fn(&Path, &SinkOptions) -> Result<Box<dyn RecordSink>, CloudError>;
/// Opens the file of this path as a table.
type OpenTable = fn(&Path, &ReadOptions) -> Result<Opened, CloudError>;

/// What is known of a format.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FormatInfo {
    /// The name as users type it.
    pub name: &'static str,
    /// What it is, in a phrase.
    pub title: &'static str,
    /// How the names of its files end; new files get the first.
    pub suffixes: &'static [&'static str],
    /// How the names of other files end that its reader takes.
    pub also_read: &'static [&'static str],
    /// Whether it is a folder, or can be one.
    pub folder: bool,
    /// About how many bytes a row takes, to see whether a disk has room.
    pub row_bytes: u64,
    /// Whether it holds waveforms, in files beside the points.
    pub waveforms: bool,
    /// Whether it has pulses without a return unless told otherwise.
    pub misses: bool,
    /// Whether it holds the names of objects and materials.
    pub names: bool,
    /// What a recording must know to be written in it.
    pub(crate) needs: Needs,
    /// Which of its variants are read, in words.
    pub reads: &'static str,
    /// Which of its variants are written, in words.
    pub writes: &'static str,
    /// What it keeps of the records, in words.
    pub keeps: &'static str,
    /// Other people's programs that read what is written here in the tests.
    pub checked_with: &'static str,
    write: Option<OpenSink>,
    read: OpenTable,
}

/// What a recording must know to be written in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// Positions in the sensor's frame, and its pose at each scan.
    ScanPoses,
    /// Positions in the sensor's frame.
    SensorFrame,
    /// Which laser fired when.
    Lasers,
    /// Where each beam began.
    Origins,
}

/// What most formats have in common.
const PLAIN: FormatInfo = FormatInfo {
    name: "",
    title: "",
    suffixes: &[],
    also_read: &[],
    folder: false,
    row_bytes: 100,
    waveforms: false,
    misses: true,
    names: false,
    needs: Needs::Nothing,
    reads: "yes",
    writes: "yes",
    keeps: "every column to the last bit, misses",
    checked_with: "",
    write: None,
    read: read_text,
};

/// Declares [`OutputFormat`] and the entry of each of its values from one list.
macro_rules! formats {
    ($($variant:ident { title: $title:literal, $($field:ident: $value:expr,)* })*) => {
        /// A format that records can be written in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum OutputFormat {
            $(#[doc = concat!($title, ".")] $variant,)*
        }

        /// The entries, in the order of the values of [`OutputFormat`].
        static WRITTEN: [FormatInfo; OutputFormat::ALL.len()] =
            [$(FormatInfo { title: $title, $($field: $value,)* ..PLAIN },)*];

        impl OutputFormat {
            /// All formats that can be written.
            pub const ALL: [OutputFormat; [$($title),*].len()] = [$(OutputFormat::$variant),*];
        }
    };
}

formats! {
    Las {
        title: "LAS 1.4 with extra bytes",
        name: "las",
        row_bytes: 138,
        suffixes: &[".las"],
        names: true,
        misses: false,
        waveforms: true,
        reads: "1.0–1.4, point formats 0–10",
        writes: "1.4, point format 6, 7 with colours, 9 with waveforms",
        keeps: "returns in steps of 0.1 mm, all columns as extra bytes; intensity 0…1 in 16 bits",
        checked_with: "laspy",
        write: Some(|path, options| las::create(path, false, options)),
        read: |path, _| las::read::open(Source::open(path)?),
    }
    Laz {
        title: "LAZ, LAS compressed",
        name: "laz",
        row_bytes: 30,
        suffixes: &[".laz"],
        names: true,
        misses: false,
        reads: "1.0–1.4, point formats 0–10",
        writes: "1.4, point format 6, or 7 with colours",
        keeps: "the same as LAS",
        checked_with: "laspy with lazrs",
        write: Some(|path, options| las::create(path, true, options)),
        read: |path, _| las::read::open(Source::open(path)?),
    }
    Ply {
        title: "PLY, binary little-endian",
        name: "ply",
        row_bytes: 191,
        keeps: "every column to the last bit; misses on request",
        suffixes: &[".ply"],
        misses: false,
        reads: "yes, text and both byte orders too",
        checked_with: "plyfile",
        write: Some(|path, options| Ok(Box::new(ply::write::create(path, options)?))),
        read: |path, _| ply::read::open(Source::open(path)?),
    }
    Pcd {
        title: "PCD 0.7, compressed or binary",
        name: "pcd",
        row_bytes: 112,
        keeps: "every column to the last bit; misses on request",
        suffixes: &[".pcd"],
        misses: false,
        reads: "yes, text too",
        checked_with: "pypcd4",
        write: Some(pcd::write::create),
        read: |path, _| pcd::read::open(Source::open(path)?),
    }
    Csv {
        title: "CSV with names and units",
        name: "csv",
        row_bytes: 329,
        suffixes: &[".csv"],
        checked_with: "Python's own reader, the `csv` crate",
        write: Some(|path, options| Ok(Box::new(csv::write::CsvSink::create(path, options)?))),
        read: read_text,
    }
    Npy {
        title: "NPY, one structured array",
        name: "npy",
        row_bytes: 191,
        suffixes: &[".npy"],
        waveforms: true,
        checked_with: "NumPy",
        write: Some(|path, options| Ok(Box::new(npy::write::create(path, options)?))),
        read: |path, options| npy::read::open(Source::open(path)?, names(options)),
    }
    Kitti {
        title: "KITTI, SemanticKITTI",
        name: "kitti",
        row_bytes: 20,
        suffixes: &[".kitti"],
        also_read: &[".bin"],
        folder: true,
        needs: Needs::ScanPoses,
        reads: "a folder, or one `.bin`",
        writes: "a folder: a name that ends in `/`",
        keeps: "points in the sensor's frame, intensity, label, pose and time of each scan",
        checked_with: "NumPy",
        write: Some(|path, _| Ok(Box::new(kitti::write::KittiSink::create(path)?))),
        read: kitti::read::bin,
    }
    BlensorCsv {
        title: "BlenSor's record as text",
        name: "blensor-csv",
        row_bytes: 206,
        suffixes: &[".blensor.csv"],
        keeps: "its twelve fields",
        checked_with: "its description",
        write: Some(|path, _| Ok(Box::new(BlensorSink::create(path, Form::Csv)?))),
        read: |path, options| match names(options) {
            Some(_) => read_text(path, options),
            None => Ok(blensor::read::name_text(read_text(path, options)?)),
        },
    }
    BlensorNpy {
        title: "BlenSor's record as a NumPy array",
        name: "blensor-npy",
        row_bytes: 96,
        suffixes: &[".blensor.npy"],
        keeps: "its twelve fields",
        checked_with: "its description",
        write: Some(|path, _| Ok(Box::new(BlensorSink::create(path, Form::Npy)?))),
        read: |path, options| {
            let given = names(options);
            let opened = npy::read::open(Source::open(path)?, given)?;
            Ok(if given.is_some() { opened } else { blensor::read::name_array(opened) })
        },
    }
    Evd {
        title: "EVD, BlenSor's own binary file",
        name: "evd",
        row_bytes: 120,
        suffixes: &[".evd"],
        keeps: "its twelve fields",
        checked_with: "its description",
        write: Some(|path, _| Ok(Box::new(BlensorSink::create(path, Form::Evd)?))),
        read: |path, _| blensor::read::open(Source::open(path)?),
    }
    Parquet {
        title: "Parquet, a table for data work",
        name: "parquet",
        row_bytes: 68,
        suffixes: &[".parquet"],
        names: true,
        keeps: "every column to the last bit in its own type, misses",
        checked_with: "pyarrow",
        write: Some(|path, options| Ok(Box::new(parquet::write::ParquetSink::create(path, options)?))),
        read: |path, options| parquet::read::open(Source::open(path)?, options),
    }
    Pcap {
        title: "network capture of Velodyne's and Ouster's packets",
        name: "pcap",
        row_bytes: 4,
        suffixes: &[".pcap"],
        also_read: &[".pcapng"],
        needs: Needs::Lasers,
        keeps: "what the vendor's packets hold",
        checked_with: "velodyne-decoder, ouster-sdk",
        write: Some(|path, options| Ok(Box::new(pcap::write::PcapSink::create(path, options)?))),
        read: pcap::read::open,
    }
    Mcap {
        title: "ROS 2 bag",
        name: "mcap",
        row_bytes: 20,
        suffixes: &[".mcap"],
        names: true,
        folder: true,
        needs: Needs::SensorFrame,
        reads: "a file, or the folder of a bag",
        writes: "a file; a folder if the name ends in `/`",
        keeps: "PointCloud2, LaserScan, TF, odometry, IMU",
        checked_with: "mcap-ros2-support, rosbags",
        write: Some(|path, options| Ok(Box::new(mcap::McapSink::create(path, options)?))),
        read: mcap::read::file,
    }
    E57 {
        title: "E57 with a pose for each scan",
        name: "e57",
        row_bytes: 42,
        suffixes: &[".e57"],
        reads: "Cartesian and spherical, poses, invalid states",
        writes: "a scan for each scan of a sensor",
        keeps: "position, intensity 0…1, time, row, column, returns, pose of each scan; misses as directions",
        checked_with: "pye57 (libE57), the `e57` crate",
        write: Some(|path, options| Ok(Box::new(e57::write::E57Sink::create(path, options)?))),
        read: |path, options| e57::read::open(Source::open(path)?, options),
    }
    RayCloud {
        title: "CSIRO ray cloud, a PLY of rays",
        name: "ray-cloud",
        row_bytes: 48,
        suffixes: &[".raycloud.ply", "_raycloud.ply"],
        needs: Needs::Origins,
        keeps: "start and end of each ray, time, intensity in 8 bits; misses",
        checked_with: "plyfile; layout as raycloudtools reads it",
        write: Some(|path, options| Ok(Box::new(ray_cloud::RayCloudSink::create(path, options)?))),
        read: |path, _| ply::read::open(Source::open(path)?),
    }
    HeliosXyz {
        title: "HELIOS++ XYZ",
        name: "helios-xyz",
        row_bytes: 63,
        suffixes: &[".helios.xyz"],
        reads: "`.xyz` of 11 columns",
        keeps: "returns in steps of 0.1 mm, intensity, returns, pulse, object, class, time",
        checked_with: "its description",
        write: Some(|path, _| Ok(Box::new(helios::HeliosSink::create(path)?))),
        read: read_text,
    }
}

/// Formats that are only read.
static ONLY_READ: [FormatInfo; 2] = [
    FormatInfo {
        title: "text in columns",
        name: "text",
        suffixes: &[".xyz", ".txt", ".asc"],
        writes: "no",
        keeps: "columns by name",
        checked_with: "",
        read: read_text,
        ..PLAIN
    },
    FormatInfo {
        title: "legacy VTK, ASCII",
        name: "vtk",
        suffixes: &[".vtk"],
        writes: "no",
        keeps: "columns by name",
        checked_with: "",
        read: |path, _| csv::read::open_vtk(Source::open(path)?),
        ..PLAIN
    },
];

fn read_text(path: &Path, options: &ReadOptions) -> Result<Opened, CloudError> {
    csv::read::open(Source::open(path)?, names(options))
}

fn names(options: &ReadOptions) -> Option<&[String]> {
    options.column_names.as_deref()
}

/// All formats, those that can be written first.
pub fn formats() -> impl Iterator<Item = &'static FormatInfo> {
    WRITTEN.iter().chain(&ONLY_READ)
}

/// The last extensions of files that can be read, without the dot.
///
/// ```
/// assert!(understory_cloud::read_extensions().contains(&"laz"));
/// ```
pub fn read_extensions() -> Vec<&'static str> {
    let mut extensions = Vec::new();
    for suffix in formats().flat_map(|format| format.suffixes.iter().chain(format.also_read)) {
        let last = suffix.rsplit('.').next().unwrap_or(suffix);
        if !extensions.contains(&last) {
            extensions.push(last);
        }
    }
    extensions
}

/// The names of the formats that can be written, for a sentence.
pub fn format_names() -> String {
    OutputFormat::ALL.map(OutputFormat::name).join(", ")
}

impl FormatInfo {
    /// How long a part of a file's name tells that it is of this format.
    fn suffix_of(&self, name: &str, reading: bool) -> Option<usize> {
        let also = if reading { self.also_read } else { &[] };
        let suffixes = self.suffixes.iter().chain(also);
        suffixes.filter(|suffix| name.ends_with(*suffix)).map(|suffix| suffix.len()).max()
    }
}

/// The last part of a path in small letters.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

impl OutputFormat {
    /// What is known of it.
    pub fn info(self) -> &'static FormatInfo {
        &WRITTEN[self as usize]
    }

    /// The name as users type it.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// How the names of its files end, without the first dot.
    pub fn extension(self) -> &'static str {
        self.info().suffixes.first().map_or("", |suffix| suffix.trim_start_matches('.'))
    }

    /// The format that a name asks for, by the longest suffix that it has; a name that ends in `/`
    /// is a KITTI folder unless it is one of a bag.
    pub fn from_name(path: &Path) -> Option<OutputFormat> {
        let name = file_name(path);
        let folder =
            path.as_os_str().as_encoded_bytes().last().is_some_and(|&b| b == b'/' || b == b'\\');
        let fits = |format: &OutputFormat| {
            let length = format.info().suffix_of(&name, false)?;
            (format.info().folder || !folder).then_some((length, *format))
        };
        let longest = OutputFormat::ALL.iter().filter_map(fits).max_by_key(|(length, _)| *length);
        longest.map(|(_, format)| format).or(folder.then_some(OutputFormat::Kitti))
    }

    /// The same; an existing folder asks for KITTI.
    ///
    /// ```
    /// use std::path::Path;
    /// use understory_cloud::OutputFormat;
    /// assert_eq!(OutputFormat::from_path(Path::new("a/B.LAZ"))?, OutputFormat::Laz);
    /// assert_eq!(OutputFormat::from_path(Path::new("sequence/"))?, OutputFormat::Kitti);
    /// # Ok::<(), understory_cloud::CloudError>(())
    /// ```
    pub fn from_path(path: &Path) -> Result<OutputFormat, CloudError> {
        match OutputFormat::from_name(path) {
            Some(format) => Ok(format),
            None if path.is_dir() => Ok(OutputFormat::Kitti),
            None => Err(CloudError::UnknownFormat {
                path: path.to_path_buf(),
                known: OutputFormat::known_suffixes(),
            }),
        }
    }

    /// The suffixes of all formats that can be written, for a sentence.
    pub fn known_suffixes() -> String {
        let files = WRITTEN.iter().filter(|format| format.name != "kitti");
        let suffixes: Vec<&str> = files.flat_map(|format| format.suffixes).copied().collect();
        format!("{}, or / for a KITTI folder", suffixes.join(", "))
    }
}

impl FromStr for OutputFormat {
    type Err = CloudError;

    fn from_str(name: &str) -> Result<OutputFormat, CloudError> {
        let lower = name.to_ascii_lowercase();
        OutputFormat::ALL.into_iter().find(|format| format.name() == lower).ok_or_else(|| {
            CloudError::UnknownFormatName { name: name.to_owned(), known: format_names() }
        })
    }
}

impl fmt::Display for OutputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
    let info = format.info();
    let misses = match (options.misses, info.misses) {
        (Misses::Usual, true) => Misses::Keep,
        (Misses::Usual, false) => Misses::Drop,
        (told, _) => told,
    };
    match info.write {
        Some(open) => open(path, &SinkOptions { misses, ..options.clone() }),
        None => Err(CloudError::UnknownFormat {
            path: path.to_path_buf(),
            known: OutputFormat::known_suffixes(),
        }),
    }
}

/// Opens a file or folder of any format as a table.
pub(crate) fn open_table(path: &Path, options: &ReadOptions) -> Result<Opened, CloudError> {
    let metadata = std::fs::metadata(path).map_err(|e| CloudError::read(path, e))?;
    if metadata.is_dir() {
        let is_bag = ros::is_bag_folder(path);
        return if is_bag { mcap::read::folder } else { kitti::read::folder }(path, options);
    }
    let name = file_name(path);
    let fits = |format: &'static FormatInfo| Some((format.suffix_of(&name, true)?, format));
    match formats().filter_map(fits).max_by_key(|(length, _)| *length) {
        Some((_, format)) => (format.read)(path, options),
        None if name.ends_with(".db3") => Err(CloudError::SqliteBag { path: path.to_path_buf() }),
        None => Err(CloudError::UnknownInput {
            path: path.to_path_buf(),
            known: read_extensions().join(", ."),
        }),
    }
}
