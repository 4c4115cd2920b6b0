//! Velodyne's packets: twelve blocks of 32 measurements, a time and two bytes, 1206 bytes in all.
//!
//! | bytes | what |
//! | --- | --- |
//! | 100·b, b = 0…11 | block: flag of the bank of lasers (u16), azimuth of the head (u16, 0.01°, clockwise), 32 × distance (u16, 0: none) and intensity (u8) |
//! | 1200 | microseconds past the hour (u32) of the first firing; of the fourth group of lasers on a VLS-128 |
//! | 1204 | return mode: 0x37 strongest, 0x38 last, 0x39 both; on an HDL-64E the kind of a status byte |
//! | 1205 | product; on an HDL-64E the status byte |
//!
//! Sources: Velodyne's user manuals of the VLP-16 (63-9243), HDL-32E (63-9277), HDL-64E S2 and S3,
//! VLP-32C and VLS-128.

mod beam;
mod date;
mod decode;
mod encode;
mod layout;
mod position;
mod presets;
mod status;

pub(crate) use decode::{COLUMNS, Decoder, Row};
pub(crate) use encode::Encoder;
pub(crate) use status::{Calibration, StatusReader};

use crate::VelodyneModel;
use layout::Layout;

/// Bytes of a packet.
pub(crate) const PACKET_LEN: usize = 1206;

/// Bytes of a block.
const BLOCK_LEN: usize = 100;

/// Where packets are sent.
const DATA_PORT: u16 = 2368;
const POSITION_PORT: u16 = 8308;

/// Steps of the encoder in a revolution.
const AZIMUTH_STEPS: u16 = 36_000;

const HOUR_NS: i64 = 3_600_000_000_000;

/// The azimuth of the first block of a data packet in hundredths of a degree, and its time in
/// microseconds past the hour.
pub(crate) fn azimuth_and_time(packet: &[u8]) -> Option<(u16, u32)> {
    let azimuth = packet.get(2..4)?.try_into().ok()?;
    let time = packet.get(PACKET_LEN - 6..PACKET_LEN - 2)?.try_into().ok()?;
    Some((u16::from_le_bytes(azimuth), u32::from_le_bytes(time)))
}

/// What is the same for all units of a model.
#[derive(Clone, Copy, Debug)]
struct ModelFacts {
    title: &'static str,
    lasers: usize,
    /// Length of a unit of distance.
    quantum_m: f64,
    /// Byte of intensity that stands for a white target facing the beam. Newer models are
    /// calibrated: up to 100 for diffuse targets, above for retroreflectors.
    intensity_full: f64,
    /// Last byte of a packet; none where it is a status byte.
    product: Option<u8>,
}

fn model_facts(model: VelodyneModel) -> ModelFacts {
    let facts = |title, lasers, quantum_m, product| ModelFacts {
        title,
        lasers,
        quantum_m,
        intensity_full: if lasers == 64 { 255.0 } else { 100.0 },
        product,
    };
    match model {
        VelodyneModel::Vlp16 => facts("VLP-16", 16, 0.002, Some(0x22)),
        VelodyneModel::Hdl32e => facts("HDL-32E", 32, 0.002, Some(0x21)),
        VelodyneModel::Vlp32c => facts("VLP-32C", 32, 0.004, Some(0x28)),
        // The VLP-16's manual prints 0x63; sensors send, and drivers expect, this.
        VelodyneModel::Vls128 => facts("VLS-128", 128, 0.004, Some(0xa1)),
        VelodyneModel::Hdl64eS2 => facts("HDL-64E S2", 64, 0.002, None),
        VelodyneModel::Hdl64eS3 => facts("HDL-64E S3", 64, 0.002, None),
    }
}

/// What a packet says about its sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A model with a product number of its own.
    Model(VelodyneModel),
    /// An HDL-64E, whose series and calibration are in its status bytes.
    Hdl64e,
    /// A product that is not known here.
    Product(u8),
}

/// Looks at a datagram; none if it is no packet of Velodyne's.
pub(crate) fn identify(payload: &[u8]) -> Option<Seen> {
    if payload.len() != PACKET_LEN || !payload.starts_with(&[0xff, 0xee]) {
        return None;
    }
    let has =
        |flag: u8| payload.chunks_exact(BLOCK_LEN).any(|block| block.starts_with(&[0xff, flag]));
    // The banks tell an HDL-64E apart: its last bytes may be anything.
    if has(0xdd) && !has(0xcc) {
        return Some(Seen::Hdl64e);
    }
    Some(match *payload.last()? {
        0x21 => Seen::Model(VelodyneModel::Hdl32e),
        0x22 => Seen::Model(VelodyneModel::Vlp16),
        0x28 => Seen::Model(VelodyneModel::Vlp32c),
        0xa1 => Seen::Model(VelodyneModel::Vls128),
        other => Seen::Product(other),
    })
}

/// Whether a datagram is a position packet, which says nothing about beams.
pub(crate) fn is_position(dst_port: u16, payload: &[u8]) -> bool {
    dst_port == POSITION_PORT && payload.len() == position::LEN
}

/// Name of a model.
pub(crate) fn title(model: VelodyneModel) -> &'static str {
    model_facts(model).title
}
