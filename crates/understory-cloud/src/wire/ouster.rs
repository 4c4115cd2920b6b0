//! Ouster's packets: OS0, OS1 and OS2 with 16 to 128 rows.
//!
//! [`encoder`] makes packets of records, [`decoder`] rows of packets, and [`metadata`] writes and
//! reads the JSON that every driver needs beside the packets. [`layout`] says where the numbers of a
//! packet stand, and [`crc64`] closes it.
//!
//! Geometry, as the vendor defines it: the encoder stands at θ = −2π·m/W in column m of W; a beam
//! with azimuth a (to the right) and altitude φ looks along d = (cos φ·cos(θ−a), cos φ·sin(θ−a),
//! sin φ) from o = n·(cos θ, sin θ, 0). The range r counts from the axis through the beam's origin:
//! the point is o + (r − n)·d in the lidar's frame, and `lidar_to_sensor_transform` leads on.

use crate::{PacketFormat, SensorDescription};
use std::collections::BTreeSet;

mod crc64;
pub(crate) mod decoder;
mod encoder;
mod layout;
pub(crate) mod metadata;

pub(crate) use encoder::OusterEncoder;
pub use metadata::{ouster_metadata, read_ouster_metadata};

/// UDP port of lidar packets, unless a sensor is told otherwise.
pub(crate) const LIDAR_PORT: u16 = 7502;

/// The sensors with serial numbers that differ, because decoders tell sensors by them: a number
/// that an earlier one has becomes the next that is free.
pub fn with_distinct_serials(sensors: &[SensorDescription]) -> Vec<SensorDescription> {
    let mut taken = BTreeSet::new();
    let mut sensors = sensors.to_vec();
    for facts in &mut sensors {
        if let Some(PacketFormat::Ouster(product)) = &mut facts.packets {
            while !taken.insert(product.serial) {
                product.serial = product.serial.wrapping_add(1);
            }
        }
    }
    sensors
}
