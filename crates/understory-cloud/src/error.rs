//! Everything that can go wrong with a file of points, each as one sentence.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file of points could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CloudError {
    /// The operating system refused a write.
    #[error("cannot write {}: {error}; {}", path.display(), write_remedy(error))]
    Write {
        /// The output as the user named it.
        path: PathBuf,
        /// What the operating system said.
        error: io::Error,
    },
    /// The operating system refused a read.
    #[error("cannot read {}: {error}; check the name and the permissions", path.display())]
    Read {
        /// The file as the user named it.
        path: PathBuf,
        /// What the operating system said.
        error: io::Error,
    },
    /// LAZ was to hold waveforms.
    #[error("cannot write waveforms with {}: compressed points do not have them here; write .las instead", path.display())]
    WaveformsInLaz {
        /// The output as the user named it.
        path: PathBuf,
    },
    /// Too many sensors with waveforms for one file.
    #[error("cannot write {}: {sensors} sensors have waveforms and a LAS file can hold those of {most}; write the sensors to files of their own", path.display())]
    TooManyWaveformSensors {
        /// The output as the user named it.
        path: PathBuf,
        /// How many sensors there are.
        sensors: usize,
        /// How many the file can hold.
        most: usize,
    },
    /// The folder of an output does not exist.
    #[error("cannot write {}: the folder {} does not exist; create it first", path.display(), folder.display())]
    NoFolder {
        /// The output as the user named it.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// A file was requested where a folder stands.
    #[error("cannot write the file {}: a folder of that name exists; choose another name", path.display())]
    TargetIsFolder {
        /// The output as the user named it.
        path: PathBuf,
    },
    /// A folder was requested where a file stands.
    #[error("cannot write the folder {}: a file of that name exists; choose another name", path.display())]
    TargetIsFile {
        /// The output as the user named it.
        path: PathBuf,
    },
    /// A folder to be replaced holds something that Understory did not write.
    #[error("cannot replace the folder {}: it holds {found:?}, which is no part of what is written there; choose a new or an empty folder", path.display())]
    ForeignFolder {
        /// The output as the user named it.
        path: PathBuf,
        /// The first entry that stands in the way.
        found: String,
    },
    /// No format has this extension.
    #[error("cannot tell the format of {}: end its name in one of {known}", path.display())]
    UnknownFormat {
        /// The file as the user named it.
        path: PathBuf,
        /// What names can end in.
        known: String,
    },
    /// No format that can be read has this extension.
    #[error("cannot tell the format of {}: known extensions are .{known}, and a folder is a KITTI sequence or a ROS 2 bag", path.display())]
    UnknownInput {
        /// The file as the user named it.
        path: PathBuf,
        /// The extensions that are known, without the first dot.
        known: String,
    },
    /// A file has no positions.
    #[error("{} has no columns that could be x, y and z, nor origin, direction and range: it has {columns:.300}; name its columns", path.display())]
    NoPositions {
        /// The file as the user named it.
        path: PathBuf,
        /// The columns that it has.
        columns: String,
    },
    /// Nobody says where the beams came from.
    #[error("{} does not say where its beams came from; give a trajectory, or the pose of a sensor that stood still", path.display())]
    NoOrigins {
        /// The recording as the user named it.
        path: PathBuf,
    },
    /// The transforms of a bag lead nowhere.
    #[error("cannot place the points of {}: {what}", path.display())]
    Misplaced {
        /// The bag as the user named it.
        path: PathBuf,
        /// What is wrong with its transforms, and what to do.
        what: String,
    },
    /// A pose is no rigid motion.
    #[error(
        "the pose is no rotation and translation; give three rows of four numbers, of which the first three of each make a rotation"
    )]
    BadPose,
    /// A unit of length is no positive number.
    #[error("{metres_per_unit} is no number of metres per unit; 0.001 is for millimetres")]
    BadUnit {
        /// What was requested.
        metres_per_unit: f64,
    },
    /// A trajectory cannot be used with a recording.
    #[error("the trajectory {} cannot place {}: it {why}; give another one, or the pose of a sensor that stood still", trajectory.display(), path.display())]
    TrajectoryUnfit {
        /// The recording as the user named it.
        path: PathBuf,
        /// The trajectory as the user named it.
        trajectory: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// A trajectory does not cover a recording.
    #[error("the trajectory {} lasts from {} to {} s, but {} from {} to {} s; give the trajectory of this recording, in the same clock", trajectory.display(), span_s[0], span_s[1], path.display(), times_s[0], times_s[1])]
    OutsideTrajectory {
        /// The recording as the user named it.
        path: PathBuf,
        /// The trajectory as the user named it.
        trajectory: PathBuf,
        /// First and last time of the recording.
        times_s: [f64; 2],
        /// First and last time of the trajectory.
        span_s: [f64; 2],
    },
    /// A file of poses has no times.
    #[error("{} has poses without times; put one time per line into {}, or name another such file", path.display(), times.display())]
    NoPoseTimes {
        /// The poses as the user named them.
        path: PathBuf,
        /// Where times were looked for.
        times: PathBuf,
    },
    /// A bag has no poses, or more than one track of them.
    #[error("{} has not exactly one track of poses{}: {}; name the topic, and the child frame of transforms, of one", path.display(), wanted.as_ref().map(|topic| format!(" on {topic:?}")).unwrap_or_default(), tracks_found(found))]
    WhichPoses {
        /// The bag as the user named it.
        path: PathBuf,
        /// The topic that was requested.
        wanted: Option<String>,
        /// What it has.
        found: Vec<String>,
    },
    /// A bag has no points, or more than one topic of them.
    #[error("{} has not exactly one topic of points{}: {}; name the topic", path.display(), wanted.as_ref().map(|topic| format!(" called {topic:?}")).unwrap_or_default(), tracks_found(found))]
    WhichTopic {
        /// The bag as the user named it.
        path: PathBuf,
        /// The topic that was requested.
        wanted: Option<String>,
        /// What it has.
        found: Vec<String>,
    },
    /// A bag is kept in SQLite.
    #[error("{} is a ROS 2 bag in SQLite, which is not read here; convert it to MCAP first, with `ros2 bag convert` or `rosbags-convert`", path.display())]
    SqliteBag {
        /// The bag as the user named it.
        path: PathBuf,
    },
    /// An option says something that the file of poses says itself or cannot use.
    #[error("{} needs no `{option}`; leave it away", path.display())]
    NeedlessPoseOption {
        /// The poses as the user named them.
        path: PathBuf,
        /// The option.
        option: &'static str,
    },
    /// A folder of scans needs poses that a recording does not have.
    #[error("cannot write {}: {} has no pose of the sensor for each scan; give a trajectory or a pose, or choose another format", to.display(), from.display())]
    NoScanPoses {
        /// The recording as the user named it.
        from: PathBuf,
        /// The output as the user named it.
        to: PathBuf,
    },
    /// The largest intensity is no positive number.
    #[error("{intensity_full} cannot be the intensity of a white target; 255 is for bytes")]
    BadIntensity {
        /// What was requested.
        intensity_full: f64,
    },
    /// Ranges and positions have different units.
    #[error("{} mixes units: its ranges are {ratio:.4} times the distances from its origins to its points; correct one of them", path.display())]
    MixedUnits {
        /// The recording as the user named it.
        path: PathBuf,
        /// Middle of range over distance.
        ratio: f64,
    },
    /// No format has this name.
    #[error("unknown format {name:?}: choose one of {known}")]
    UnknownFormatName {
        /// What was requested.
        name: String,
        /// The names of all formats.
        known: String,
    },
    /// A capture does not say of which sensor its packets are.
    #[error("{} does not say of which sensor its packets are: {what}; name the sensor", path.display())]
    WhichSensor {
        /// The capture as the user named it.
        path: PathBuf,
        /// What is known.
        what: String,
    },
    /// Packets were requested without saying of which sensors.
    #[error("cannot write {} as packets: the sensors are not known; name them, or choose another format", path.display())]
    NoSensors {
        /// The output as the user named it.
        path: PathBuf,
    },
    /// A row is of a sensor that nobody described.
    #[error("cannot write {} as packets: a row is of sensor {sensor}, but {known} sensors are known; describe all sensors", path.display())]
    UnknownSensor {
        /// The output as the user named it.
        path: PathBuf,
        /// The sensor's number.
        sensor: u16,
        /// How many are known.
        known: usize,
    },
    /// A sensor has no packets.
    #[error(
        "the sensor {sensor:?} has no packets that are known here; VLP-16, HDL-32E, HDL-64E, VLP-32C, VLS-128, OS0, OS1 and OS2 have: choose one of them, or another format"
    )]
    NoPackets {
        /// The sensor's name.
        sensor: String,
    },
    /// Records or facts cannot become packets.
    #[error("cannot make packets of the sensor {sensor:?}: {what}")]
    Unpackable {
        /// The sensor's name.
        sensor: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// A column that records do not have, or values of another kind than it has.
    #[error(
        "records have no column {column:?} of this kind; take one that Records::column_kinds names"
    )]
    UnknownColumn {
        /// Its name.
        column: String,
    },
    /// The columns of a batch differ in length.
    #[error(
        "the columns of a batch differ in length: {column} has {found} rows, time_s has {expected}; push whole rows"
    )]
    UnevenColumns {
        /// The column that differs.
        column: &'static str,
        /// Its length.
        found: usize,
        /// The length of the first column.
        expected: usize,
    },
    /// A coordinate does not fit the integers of a LAS file.
    #[error(
        "cannot write {}: {axis} = {value} m of pulse {pulse} lies outside what a LAS file with offset {offset} m and scale {scale} m can hold; choose another offset or a coarser scale", path.display()
    )]
    CoordinateOverflow {
        /// The output as the user named it.
        path: PathBuf,
        /// The pulse whose return does not fit.
        pulse: u64,
        /// x, y, z, or the name of a true coordinate.
        axis: &'static str,
        /// The coordinate.
        value: f64,
        /// The file's offset on that axis.
        offset: f64,
        /// The file's scale.
        scale: f64,
    },
    /// The scale of a LAS file is no positive number.
    #[error(
        "cannot write {}: the scale {scale} m is not a positive number; 0.0001 is the usual one", path.display()
    )]
    BadScale {
        /// The output as the user named it.
        path: PathBuf,
        /// The scale that was requested.
        scale: f64,
    },
    /// A pulse has more returns than the format can count.
    #[error(
        "cannot write {}: pulse {pulse} has return {number} of {count}, and a LAS file counts to 15; write PLY, PCD, CSV or NPY instead", path.display()
    )]
    TooManyReturns {
        /// The output as the user named it.
        path: PathBuf,
        /// The pulse.
        pulse: u64,
        /// Its return number.
        number: u8,
        /// Its number of returns.
        count: u8,
    },
    /// A record belongs to a scan of which no pose was given.
    #[error(
        "cannot write {}: scan {scan} of sensor {sensor} has no pose; give the scan's pose before its records", path.display()
    )]
    ScanWithoutPose {
        /// The output as the user named it.
        path: PathBuf,
        /// The sensor.
        sensor: u16,
        /// The scan.
        scan: u32,
    },
    /// A return of a ray cloud has no origin.
    #[error(
        "cannot write {} as a ray cloud: it is not known where the beam of pulse {pulse} began; give a trajectory or a pose, or choose another format", path.display()
    )]
    ReturnWithoutOrigin {
        /// The output as the user named it.
        path: PathBuf,
        /// The pulse.
        pulse: u64,
    },
    /// Scans did not come in rising order.
    #[error(
        "cannot write {}: scan {scan} of sensor {sensor} came after scan {previous}; give scans one by one in firing order", path.display()
    )]
    ScanOutOfOrder {
        /// The output as the user named it.
        path: PathBuf,
        /// The sensor.
        sensor: u16,
        /// The scan that came too late or too early.
        scan: u32,
        /// The scan before it.
        previous: u32,
    },
    /// Bytes that should be records are none.
    #[error("stored rows are damaged or of another version of the program; simulate them again")]
    DamagedBlock,
    /// A file is not what its name or its header says.
    #[error("{} is damaged or not a {format} file: {what}; write or download it again", path.display())]
    Damaged {
        /// The file as the user named it.
        path: PathBuf,
        /// The format that was expected.
        format: &'static str,
        /// What does not fit, and where.
        what: String,
    },
}

impl CloudError {
    /// Wraps an error of the operating system while writing `path`.
    pub(crate) fn write(path: &Path, error: io::Error) -> CloudError {
        CloudError::Write { path: path.to_path_buf(), error }
    }

    /// Wraps an error of the operating system while reading `path`.
    pub(crate) fn read(path: &Path, error: io::Error) -> CloudError {
        CloudError::Read { path: path.to_path_buf(), error }
    }
}

/// The tracks of a bag, in words.
fn tracks_found(found: &[String]) -> String {
    match found {
        [] => "no topic of it has any".to_owned(),
        found => format!("it has {:.400}", found.join(", ")),
    }
}

/// What the user can do about a failed write.
fn write_remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded => "free some space or choose another disk",
        Kind::FileTooLarge => "choose a disk without this limit or split the run into intervals",
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "choose a folder in which you may write"
        }
        _ => "check the disk and the name, or choose another folder",
    }
}

/// An error about the content of a file.
pub(crate) fn damaged(path: &Path, format: &'static str, what: impl Into<String>) -> CloudError {
    CloudError::Damaged { path: path.to_path_buf(), format, what: what.into() }
}
