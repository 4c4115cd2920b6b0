//! Which ROS 2 messages are written, and their definitions as a bag carries them.
//!
//! A definition is the text of the message's fields, then, behind a line of 80 `=`, that of each
//! type that it uses.

use crate::CloudError;

/// A message that is ready to be stored or sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RosMessage<'a> {
    /// Its topic, as in `/velodyne_points`.
    pub topic: &'a str,
    /// Its type.
    pub kind: RosType,
    /// When it is published, as Unix time in nanoseconds.
    pub time_unix_ns: i64,
    /// Whether late subscribers get it too (`/tf_static`).
    pub latched: bool,
    /// The message in CDR, with the four bytes of its encoding.
    pub bytes: &'a [u8],
}

/// Takes messages as they become ready.
pub type EmitRos<'a> = dyn FnMut(RosMessage<'_>) -> Result<(), CloudError> + 'a;

/// A message of ROS 2 that Understory writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RosType {
    /// Points of a scan.
    PointCloud2,
    /// Ranges of a scan in one plane.
    LaserScan,
    /// Rates of turn and accelerations.
    Imu,
    /// Transforms between frames.
    TfMessage,
    /// A pose with its velocities.
    Odometry,
    /// A position on Earth.
    NavSatFix,
    /// The time of the simulation.
    Clock,
}

const HEADER: (&str, &str) =
    ("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n");
const TIME: (&str, &str) = ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n");
const POINT_FIELD: (&str, &str) = (
    "sensor_msgs/PointField",
    "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\nuint8 UINT32=6\n\
     uint8 FLOAT32=7\nuint8 FLOAT64=8\nstring name\nuint32 offset\nuint8 datatype\nuint32 count\n",
);
const NAV_SAT_STATUS: (&str, &str) = (
    "sensor_msgs/NavSatStatus",
    "int8 STATUS_NO_FIX=-1\nint8 STATUS_FIX=0\nint8 STATUS_SBAS_FIX=1\nint8 STATUS_GBAS_FIX=2\n\
     uint16 SERVICE_GPS=1\nuint16 SERVICE_GLONASS=2\nuint16 SERVICE_COMPASS=4\n\
     uint16 SERVICE_GALILEO=8\nint8 status\nuint16 service\n",
);
const VECTOR3: (&str, &str) = ("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n");
const POINT: (&str, &str) = ("geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n");
const QUATERNION: (&str, &str) =
    ("geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n");
const POSE: (&str, &str) =
    ("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n");
const POSE_WITH_COVARIANCE: (&str, &str) =
    ("geometry_msgs/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance\n");
const TWIST: (&str, &str) =
    ("geometry_msgs/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n");
const TWIST_WITH_COVARIANCE: (&str, &str) =
    ("geometry_msgs/TwistWithCovariance", "geometry_msgs/Twist twist\nfloat64[36] covariance\n");
const TRANSFORM: (&str, &str) = (
    "geometry_msgs/Transform",
    "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
);
const TRANSFORM_STAMPED: (&str, &str) = (
    "geometry_msgs/TransformStamped",
    "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
);

impl RosType {
    /// Its name in ROS, as in `sensor_msgs/msg/PointCloud2`.
    pub fn name(self) -> &'static str {
        match self {
            RosType::PointCloud2 => "sensor_msgs/msg/PointCloud2",
            RosType::LaserScan => "sensor_msgs/msg/LaserScan",
            RosType::Imu => "sensor_msgs/msg/Imu",
            RosType::TfMessage => "tf2_msgs/msg/TFMessage",
            RosType::Odometry => "nav_msgs/msg/Odometry",
            RosType::NavSatFix => "sensor_msgs/msg/NavSatFix",
            RosType::Clock => "rosgraph_msgs/msg/Clock",
        }
    }

    /// Its definition with those of all types that it uses.
    pub fn definition(self) -> String {
        let (fields, used): (&str, &[(&str, &str)]) = match self {
            RosType::PointCloud2 => (
                "std_msgs/Header header\nuint32 height\nuint32 width\n\
                 sensor_msgs/PointField[] fields\nbool is_bigendian\nuint32 point_step\n\
                 uint32 row_step\nuint8[] data\nbool is_dense\n",
                &[HEADER, TIME, POINT_FIELD],
            ),
            RosType::LaserScan => (
                "std_msgs/Header header\nfloat32 angle_min\nfloat32 angle_max\n\
                 float32 angle_increment\nfloat32 time_increment\nfloat32 scan_time\n\
                 float32 range_min\nfloat32 range_max\nfloat32[] ranges\nfloat32[] intensities\n",
                &[HEADER, TIME],
            ),
            RosType::Imu => (
                "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\n\
                 float64[9] orientation_covariance\ngeometry_msgs/Vector3 angular_velocity\n\
                 float64[9] angular_velocity_covariance\n\
                 geometry_msgs/Vector3 linear_acceleration\n\
                 float64[9] linear_acceleration_covariance\n",
                &[HEADER, TIME, QUATERNION, VECTOR3],
            ),
            RosType::TfMessage => (
                "geometry_msgs/TransformStamped[] transforms\n",
                &[TRANSFORM_STAMPED, HEADER, TIME, TRANSFORM, VECTOR3, QUATERNION],
            ),
            RosType::Odometry => (
                "std_msgs/Header header\nstring child_frame_id\n\
                 geometry_msgs/PoseWithCovariance pose\n\
                 geometry_msgs/TwistWithCovariance twist\n",
                &[
                    HEADER,
                    TIME,
                    POSE_WITH_COVARIANCE,
                    POSE,
                    POINT,
                    QUATERNION,
                    TWIST_WITH_COVARIANCE,
                    TWIST,
                    VECTOR3,
                ],
            ),
            RosType::NavSatFix => (
                "uint8 COVARIANCE_TYPE_UNKNOWN=0\nuint8 COVARIANCE_TYPE_APPROXIMATED=1\n\
                 uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2\nuint8 COVARIANCE_TYPE_KNOWN=3\n\
                 std_msgs/Header header\nsensor_msgs/NavSatStatus status\nfloat64 latitude\n\
                 float64 longitude\nfloat64 altitude\nfloat64[9] position_covariance\n\
                 uint8 position_covariance_type\n",
                &[HEADER, TIME, NAV_SAT_STATUS],
            ),
            RosType::Clock => ("builtin_interfaces/Time clock\n", &[TIME]),
        };
        let mut text = fields.to_owned();
        for (name, fields) in used {
            text.push_str(&"=".repeat(80));
            text.push_str(&format!("\nMSG: {name}\n{fields}"));
        }
        text
    }
}
