//! Records in a Foxglove viewer: a WebSocket server that sends the same messages as a ROS 2 bag
//! holds.
//!
//! What enters: records, poses and inertial samples. What leaves: ROS 2 messages in CDR, scan by
//! scan, to whoever is connected. The server keeps a bounded queue for each client and drops the
//! oldest messages of one that is slow.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use foxglove::{Context, PartialMetadata, RawChannel, Schema, WebSocketServerHandle};
use understory_cloud::{
    CloudError, ImuSamples, PlatformPose, RecordSink, Records, RosEncoder, RosMessage, ScanPose,
    SinkOptions, SinkReport,
};

use crate::LiveError;

/// Where Foxglove looks first.
const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8765);

/// Messages that wait for a slow client at most.
const BACKLOG: usize = 256;

/// Serves records to Foxglove.
pub struct FoxgloveSink {
    encoder: RosEncoder,
    server: Server,
}

struct Server {
    context: Arc<Context>,
    handle: WebSocketServerHandle,
    host: IpAddr,
    channels: BTreeMap<String, Arc<RawChannel>>,
}

impl FoxgloveSink {
    /// Starts a server; of `options` it takes sensors, start and what becomes of misses.
    pub fn serve(
        address: Option<SocketAddr>,
        options: &SinkOptions,
    ) -> Result<FoxgloveSink, LiveError> {
        let address = address.unwrap_or(ADDRESS);
        let context = Context::new();
        let handle = context
            .websocket_server()
            .name("Understory")
            .bind(address.ip().to_string(), address.port())
            .message_backlog_size(BACKLOG)
            .start_blocking()
            .map_err(|error| LiveError::NoServer { address, why: error.to_string() })?;
        let (host, channels) = (address.ip(), BTreeMap::new());
        let encoder = RosEncoder::new(options);
        Ok(FoxgloveSink { encoder, server: Server { context, handle, host, channels } })
    }

    /// Where it serves.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(self.server.host, self.server.handle.port())
    }

    /// How many viewers are connected.
    pub fn clients(&self) -> usize {
        self.server.handle.client_count()
    }
}

impl Server {
    fn send(&mut self, message: &RosMessage<'_>) -> Result<(), CloudError> {
        if !self.channels.contains_key(message.topic) {
            let definition = message.kind.definition().into_bytes();
            let schema = Schema::new(message.kind.name(), "ros2msg", definition);
            let builder = self.context.channel_builder(message.topic).schema(schema);
            let channel = builder.message_encoding("cdr").build_raw().map_err(|error| {
                let error = std::io::Error::other(error.to_string());
                CloudError::Write { path: message.topic.into(), error }
            })?;
            self.channels.insert(message.topic.to_owned(), channel);
        }
        if let Some(channel) = self.channels.get(message.topic) {
            let time = u64::try_from(message.time_unix_ns).unwrap_or_default();
            channel.log_with_meta(message.bytes, PartialMetadata::with_log_time(time));
        }
        Ok(())
    }
}

impl RecordSink for FoxgloveSink {
    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.encoder.scan_pose(pose)
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.encoder.platform_pose(pose)
    }

    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        let server = &mut self.server;
        self.encoder.push(records, &mut |message| server.send(&message))
    }

    fn imu(&mut self, sensor: u16, samples: &ImuSamples) -> Result<(), CloudError> {
        let server = &mut self.server;
        self.encoder.imu(sensor, samples, &mut |message| server.send(&message))
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let FoxgloveSink { mut encoder, mut server } = *self;
        encoder.finish(&mut |message| server.send(&message))?;
        server.handle.stop().wait_blocking();
        let [rows, dropped_misses] = encoder.rows();
        let dropped_fields = encoder.dropped_fields();
        Ok(SinkReport { paths: Vec::new(), rows, dropped_misses, dropped_fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;
    use understory_cloud::Record;

    /// The payload of the next frame that a server sends.
    fn frame(stream: &mut TcpStream) -> Vec<u8> {
        let mut head = [0; 2];
        stream.read_exact(&mut head).unwrap();
        let length = match head[1] & 0x7f {
            126 => {
                let mut long = [0; 2];
                stream.read_exact(&mut long).unwrap();
                u64::from(u16::from_be_bytes(long))
            }
            127 => {
                let mut long = [0; 8];
                stream.read_exact(&mut long).unwrap();
                u64::from_be_bytes(long)
            }
            short => u64::from(short),
        };
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload).unwrap();
        payload
    }

    #[test]
    fn a_client_is_told_of_the_points_and_gets_them() {
        let options = SinkOptions::default();
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let mut sink = Box::new(FoxgloveSink::serve(Some(any), &options).unwrap());
        let mut stream = TcpStream::connect(sink.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The handshake and the subprotocol of Foxglove, by hand.
        let ask = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n";
        stream.write_all(ask.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
        let scan = |scan: u32| {
            let mut records = Records::default();
            for pulse in 0..5 {
                let row = Record { time_s: f64::from(scan), scan, pulse, ..Record::miss() };
                let sensor_xyz_m = [pulse as f32, 1.0, 2.0];
                records.push(Record { sensor_xyz_m, return_number: 1, return_count: 1, ..row });
            }
            records
        };
        // A scan is sent when the next one begins.
        sink.write(&scan(0)).unwrap();
        sink.write(&scan(1)).unwrap();
        let text = loop {
            let text = String::from_utf8_lossy(&frame(&mut stream)).into_owned();
            if text.contains("advertise") && text.contains("PointCloud2") {
                break text;
            }
        };
        assert!(text.contains("sensor_msgs/msg/PointCloud2") && text.contains("cdr"), "{text}");
        let at = text.find("PointCloud2").unwrap();
        let before = &text[..at];
        let id: String = before[before.rfind("\"id\":").unwrap() + 5..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let subscribe =
            format!("{{\"op\":\"subscribe\",\"subscriptions\":[{{\"id\":7,\"channelId\":{id}}}]}}");
        // A client masks what it sends; with zeros it stays readable.
        let mut masked = vec![0x81, 0x80 | subscribe.len() as u8, 0, 0, 0, 0];
        masked.extend_from_slice(subscribe.as_bytes());
        stream.write_all(&masked).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        sink.write(&scan(2)).unwrap();
        let message = loop {
            let payload = frame(&mut stream);
            // Opcode, subscription, time, message.
            if payload.first() == Some(&1) && payload.get(1..5) == Some(&[7, 0, 0, 0]) {
                break payload;
            }
        };
        // Scan 1 in CDR: five points.
        assert_eq!(message.get(13..17), Some(&[0, 1, 0, 0][..]));
        drop(stream);
        assert_eq!(sink.finish().unwrap().rows, 15);
    }
}
