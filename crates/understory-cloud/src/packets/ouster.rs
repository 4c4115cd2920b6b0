//! Ouster's packets: OS0, OS1 and OS2 with 16 to 128 rows.
//!
//! [`encoder`] makes packets of records, [`decoder`] rows of packets, [`table`] finds them in a
//! capture, and [`metadata`] writes and reads the JSON that every driver needs beside the packets. [`layout`] says where the numbers of
//! a packet stand, and [`crc64`] closes it.
//!
//! Geometry, as the maker defines it: the encoder stands at θ = −2π·m/W in column m of W; a beam
//! with azimuth a (to the right) and altitude φ looks along d = (cos φ·cos(θ−a), cos φ·sin(θ−a),
//! sin φ) from o = n·(cos θ, sin θ, 0). The range r counts from the axis through the beam's origin:
//! the point is o + (r − n)·d in the lidar's frame, and `lidar_to_sensor_transform` leads on.

mod crc64;
mod decoder;
mod encoder;
mod layout;
mod metadata;
mod table;

pub(crate) use encoder::OusterEncoder;
pub use metadata::{ouster_metadata, read_ouster_metadata};
pub(crate) use table::open;

/// UDP port of lidar packets, unless a sensor is told otherwise.
pub(crate) const LIDAR_PORT: u16 = 7502;
/// UDP port of packets with accelerations and rates of turn.
pub(crate) const IMU_PORT: u16 = 7503;
