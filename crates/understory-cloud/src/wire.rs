//! The datagrams that real sensors send: records → packets, and packets → rows.
//!
//! An encoder takes the records of one sensor in firing order and gives each packet when it is
//! full; a decoder is a table like those of files. What carries packets (a pcap file, a socket)
//! knows nothing of what is in them.

pub(crate) mod ouster;
pub(crate) mod pcap;
pub(crate) mod velodyne;

use crate::{CloudError, PacketFormat, Records, SensorDescription};

/// A datagram with the time at which the sensor sends it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet<'a> {
    /// When its last measurement was made, in seconds since the start of the run.
    pub time_s: f64,
    /// UDP port to which the vendor's sensor sends it.
    pub port: u16,
    /// The payload.
    pub bytes: &'a [u8],
}

/// Takes packets as they become full.
pub type Emit<'a> = dyn FnMut(Packet<'_>) -> Result<(), CloudError> + 'a;

/// Turns the records of one sensor into packets.
pub trait PacketEncoder: Send {
    /// Takes rows `rows` of `records`, all of one sensor and in firing order, and emits the packets
    /// that they fill. All returns of a pulse come together, but a batch may end anywhere.
    fn push(
        &mut self,
        records: &Records,
        rows: &[usize],
        emit: &mut Emit<'_>,
    ) -> Result<(), CloudError>;

    /// Emits what is left, completed by measurements without a return.
    fn finish(&mut self, emit: &mut Emit<'_>) -> Result<(), CloudError>;

    /// What the packets cannot hold, in words, counted so far.
    fn dropped_fields(&self) -> Vec<String> {
        Vec::new()
    }

    /// What decoders need beside the packets, as the text of a JSON file.
    fn metadata(&self) -> Option<String> {
        None
    }
}

/// The encoder of a sensor's packets. `start_unix_ns` is the Unix time of the start of the run.
pub fn encoder(
    facts: &SensorDescription,
    start_unix_ns: i64,
) -> Result<Box<dyn PacketEncoder>, CloudError> {
    Ok(match &facts.packets {
        Some(PacketFormat::Ouster(product)) => {
            Box::new(ouster::OusterEncoder::new(facts, product, start_unix_ns)?)
        }
        Some(PacketFormat::Velodyne(model)) => {
            Box::new(velodyne::Encoder::new(*model, facts, start_unix_ns)?)
        }
        None => {
            return Err(CloudError::NoPackets { sensor: facts.name.clone() });
        }
    })
}
