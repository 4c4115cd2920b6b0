//! Datagrams into a capture file.
//!
//! Classic pcap with nanoseconds, Ethernet, IPv4 and UDP with their check sums. Sensor k sends from
//! 192.168.1.201 + k, as sensors on one vehicle do, and to everybody, as Velodyne's do from the
//! factory, so that a reader on any address takes the packets.

use crate::CloudError;
use crate::staging::StagedFile;
use etherparse::PacketBuilder;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, Endianness, PcapError, TsResolution};
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest frame as the header has it. Less than the longest datagram, and readers that go by it
/// cut packets or see none.
const FRAME_MAX: u32 = 262_144;

/// Address of sensor 0.
const FIRST_ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 201);

/// The address from which a sensor sends.
pub(crate) fn sensor_address(sensor: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(FIRST_ADDRESS.to_bits() + u32::from(sensor))
}

/// Writes a capture file, which appears at [`publish`](CaptureWriter::publish).
pub(crate) struct CaptureWriter {
    path: PathBuf,
    file: PcapWriter<StagedFile>,
    frame: Vec<u8>,
}

impl CaptureWriter {
    /// Opens a capture file.
    pub(crate) fn create(path: &Path) -> Result<CaptureWriter, CloudError> {
        let header = PcapHeader {
            snaplen: FRAME_MAX,
            datalink: DataLink::ETHERNET,
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        let staged = StagedFile::create(path)?;
        let file = PcapWriter::with_header(staged, header).map_err(|e| failed(path, e))?;
        Ok(CaptureWriter { path: path.to_path_buf(), file, frame: Vec::new() })
    }

    /// Appends a datagram that `sensor` sent at a Unix time.
    pub(crate) fn write(
        &mut self,
        time_ns: i64,
        sensor: u16,
        src_port: u16,
        dst_port: u16,
        payload: &[u8],
    ) -> Result<(), CloudError> {
        let Ok(time_ns) = u64::try_from(time_ns) else {
            let what = "the run begins before 1970, which a capture cannot say";
            return Err(failed(&self.path, PcapError::InvalidField(what)));
        };
        // Locally administered, with the sensor's number at the end.
        let [high, low] = sensor.to_be_bytes();
        let builder = PacketBuilder::ethernet2([0x02, 0x76, 0x88, 0, high, low], [0xff; 6])
            .ipv4(sensor_address(sensor).octets(), [255; 4], 64)
            .udp(src_port, dst_port);
        self.frame.clear();
        let built = builder.write_to_vec(&mut self.frame, payload);
        built.map_err(|e| CloudError::write(&self.path, io::Error::other(e.to_string())))?;
        let length = u32::try_from(self.frame.len()).unwrap_or(u32::MAX);
        let packet = PcapPacket::new(Duration::from_nanos(time_ns), length, &self.frame);
        let written = self.file.write_packet(&packet);
        written.map(|_| ()).map_err(|e| failed(&self.path, e))
    }

    /// Gives the file its name.
    pub(crate) fn publish(self) -> Result<PathBuf, CloudError> {
        self.file.into_writer().publish()
    }
}

fn failed(path: &Path, error: PcapError) -> CloudError {
    let error = match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other.to_string()),
    };
    CloudError::write(path, error)
}
