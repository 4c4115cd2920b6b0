//! Captures of all kinds, packed here by hand.

use super::*;
use crate::CloudError;
use etherparse::{IpNumber, Ipv4Header, LinuxSllPacketType, PacketBuilder};
use std::fs;

const PAYLOAD: [u8; 40] = *b"datagrams of lidars are longer than this";

/// A frame of UDP from port 5 to port 2368 in one of the link layers.
fn frame(link: u32) -> Vec<u8> {
    let (source, destination) = ([10, 0, 0, 7], [10, 0, 0, 8]);
    let mut bytes = Vec::new();
    let ip = || PacketBuilder::ipv4(source, destination, 9).udp(5, 2368);
    let mut raw = Vec::new();
    ip().write_to_vec(&mut raw, &PAYLOAD).unwrap();
    match link {
        1 => bytes.extend_from_slice(&[&[0; 12][..], &[8, 0], &raw].concat()),
        // A VLAN in a VLAN.
        1001 => {
            let tags = [0x88, 0xa8, 0, 7, 0x81, 0, 0, 9, 8, 0];
            bytes.extend_from_slice(&[&[0; 12][..], &tags, &raw].concat());
        }
        113 => PacketBuilder::linux_sll(LinuxSllPacketType::OTHERHOST, 6, [0; 8])
            .ipv4(source, destination, 9)
            .udp(5, 2368)
            .write_to_vec(&mut bytes, &PAYLOAD)
            .unwrap(),
        276 => bytes.extend_from_slice(&[&[8, 0][..], &[0; 18], &raw].concat()),
        101 => bytes = raw,
        0 => bytes.extend_from_slice(&[&[2, 0, 0, 0][..], &raw].concat()),
        // IPv6 behind Ethernet.
        1006 => PacketBuilder::ethernet2([0; 6], [0; 6])
            .ipv6([1; 16], [2; 16], 9)
            .udp(5, 2368)
            .write_to_vec(&mut bytes, &PAYLOAD)
            .unwrap(),
        _ => panic!("{link}"),
    }
    bytes
}

/// A classic capture of some frames, one second apart from 1000 s on.
fn pcap(magic: u32, big: bool, link: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    let number = |n: u32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
    let mut bytes = [magic, 0, 0, 0, 65_535, link].map(number).concat();
    for (i, frame) in (0..).zip(frames) {
        let length = frame.len() as u32;
        bytes.extend_from_slice(&[1000 + i, 7, length, length].map(number).concat());
        bytes.extend_from_slice(frame);
    }
    bytes
}

/// Time, port, payload and place in the file.
type Found = (i64, u16, Vec<u8>, u64);

fn datagrams(bytes: &[u8]) -> Result<(Vec<Found>, Skipped), CloudError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pcap");
    fs::write(&path, bytes).unwrap();
    let mut datagrams = Datagrams::open(&path)?;
    let mut found = Vec::new();
    while let Some(d) = datagrams.next_datagram()? {
        found.push((d.time_ns, d.dst_port, d.payload.to_vec(), d.file_offset));
    }
    Ok((found, datagrams.skipped()))
}

#[test]
fn every_kind_of_frame_and_byte_order_is_read() {
    for (magic, unit) in [(0xa1b2_c3d4, 1000), (0xa1b2_3c4d, 1)] {
        for big in [false, true] {
            for link in [1, 1001, 113, 276, 101, 0, 1006] {
                let kind = if link > 1000 { 1 } else { link };
                let bytes = pcap(magic, big, kind, &[frame(link), b"not a frame".to_vec()]);
                let (found, skipped) = datagrams(&bytes).unwrap();
                let wanted = (1_000_000_000_000 + 7 * unit, 2368, PAYLOAD.to_vec(), 24);
                assert_eq!(found, [wanted], "{link}");
                assert_eq!(skipped.other_frames + skipped.broken_frames, 1, "{link}");
            }
        }
    }
}

/// A block of pcapng.
fn block(big: bool, kind: u32, body: &[u8]) -> Vec<u8> {
    let number = |n: u32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
    let padding = vec![0; body.len().next_multiple_of(4) - body.len()];
    let length = (12 + body.len() + padding.len()) as u32;
    [&number(kind)[..], &number(length), body, &padding, &number(length)].concat()
}

#[test]
fn sections_interfaces_and_clocks_of_pcapng_are_followed() {
    let mut bytes = Vec::new();
    let mut wanted = Vec::new();
    for (big, resolution, units, offset_s, time_ns) in [
        (false, None, 5_000_001u64, 0i64, 5_000_001_000i64),
        (true, Some(9), 5_000_000_001, 0, 5_000_000_001),
        // Units of 1/1024 s, and a clock that began at 100 s.
        (false, Some(0x80 | 10), 1536, 100, 101_500_000_000),
    ] {
        let short = |n: u16| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let number = |n: u32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let long = |n: i64| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let section = [&number(0x1a2b_3c4d)[..], &short(1), &short(0), &long(-1)].concat();
        bytes.extend_from_slice(&block(big, 0x0a0d_0d0a, &section));
        let mut interface = [&short(101)[..], &short(0), &number(0)].concat();
        if let Some(resolution) = resolution {
            interface
                .extend_from_slice(&[&short(9)[..], &short(1), &[resolution, 0, 0, 0]].concat());
            interface.extend_from_slice(&[&short(14)[..], &short(8), &long(offset_s)].concat());
        }
        // A name that nobody asks for, and one block that nobody knows.
        bytes.extend_from_slice(&block(big, 1, &[&short(1)[..], &short(0), &number(0)].concat()));
        bytes.extend_from_slice(&block(big, 1, &interface));
        bytes.extend_from_slice(&block(big, 0x0bad, b"whatever this is"));
        wanted.push((time_ns, 2368, PAYLOAD.to_vec(), bytes.len() as u64));
        let data = frame(101);
        let length = data.len() as u32;
        let head = [1, (units >> 32) as u32, units as u32, length, length].map(number).concat();
        bytes.extend_from_slice(&block(big, 6, &[&head[..], &data].concat()));
    }
    assert_eq!(datagrams(&bytes).unwrap().0, wanted);
    // Every cut is an error or a shorter capture, and nothing else.
    for length in 0..bytes.len() {
        if let Ok((found, _)) = datagrams(&bytes[..length]) {
            assert_eq!(found, wanted[..found.len()]);
        }
    }
    // Neither does a changed byte do harm.
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] = [0, 0x7f, 0xff][at % 3];
        let _either_way = datagrams(&bytes);
    }
}

/// Frames of a datagram that IP cut into pieces.
fn fragments(id: u16, payload: &[u8], size: usize) -> Vec<Vec<u8>> {
    let length = (payload.len() + 8) as u16;
    let udp = [&5u16.to_be_bytes()[..], &2368u16.to_be_bytes(), &length.to_be_bytes(), &[0, 0]];
    let whole = [&udp.concat()[..], payload].concat();
    let pieces: Vec<&[u8]> = whole.chunks(size).collect();
    let count = pieces.len();
    let piece = |(i, piece): (usize, &[u8])| {
        let mut header =
            Ipv4Header::new(piece.len() as u16, 9, IpNumber::UDP, [1; 4], [2; 4]).unwrap();
        header.identification = id;
        header.dont_fragment = false;
        header.more_fragments = i + 1 < count;
        header.fragment_offset = ((i * size / 8) as u16).try_into().unwrap();
        header.header_checksum = header.calc_header_checksum();
        let mut bytes = Vec::new();
        header.write(&mut bytes).unwrap();
        [&bytes[..], piece].concat()
    };
    pieces.into_iter().enumerate().map(piece).collect()
}

#[test]
fn fragments_are_put_together_in_any_order_and_incomplete_ones_are_given_up() {
    let payload: Vec<u8> = (0..24_000u32).map(|i| (i * 7) as u8).collect();
    let mut frames = fragments(1, &payload, 1480);
    frames.reverse();
    // Two at a time, taking turns.
    let other = fragments(2, &payload[..9000], 1480);
    for (i, frame) in other.into_iter().enumerate() {
        frames.insert(3 * i, frame);
    }
    let (found, _) = datagrams(&pcap(0xa1b2_3c4d, false, 101, &frames)).unwrap();
    let found: Vec<&[u8]> = found.iter().map(|(_, _, payload, _)| &payload[..]).collect();
    assert_eq!(found.len(), 2);
    assert!(found.contains(&&payload[..]) && found.contains(&&payload[..9000]));
    // A thousand datagrams without their ends take no memory for long.
    let many: Vec<_> = (0..1000).map(|id| fragments(id, &payload, 1480).swap_remove(0)).collect();
    let (found, skipped) = datagrams(&pcap(0xa1b2_3c4d, false, 101, &many)).unwrap();
    assert_eq!(found.len(), 0);
    assert!(skipped.broken_datagrams > 600, "{skipped:?}");
}

#[test]
fn what_is_written_is_read_with_its_nanoseconds_and_sums() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pcap");
    let mut writer = CaptureWriter::create(&path).unwrap();
    let jumbo = vec![7; 65_000];
    let time_ns = 1_735_689_600_123_456_789;
    writer.write(time_ns, 0, 5, 7502, &jumbo).unwrap();
    writer.write(time_ns + 1, 300, 5, 2368, &PAYLOAD).unwrap();
    let Err(error) = writer.write(-1, 0, 5, 1, &PAYLOAD) else { panic!() };
    assert!(error.to_string().contains("before 1970"), "{error}");
    writer.publish().unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!((&bytes[..4], &bytes[16..20]), (&[0x4d, 0x3c, 0xb2, 0xa1][..], &[0, 0, 4, 0][..]));
    // Sums of IP and of UDP with its pseudo header: all words together give 0xffff.
    let frame = &bytes[24 + 16..24 + 16 + 42 + jumbo.len()];
    let sum = |bytes: &[u8]| {
        let words =
            bytes.chunks(2).map(|w| u64::from(w[0]) << 8 | u64::from(*w.get(1).unwrap_or(&0)));
        let mut sum: u64 = words.sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum
    };
    assert_eq!(sum(&frame[14..34]), 0xffff);
    let udp = &frame[34..];
    let pseudo = [&frame[26..34], &[0, 17], &udp[4..6]].concat();
    assert_eq!(sum(&[&pseudo[..], udp].concat()), 0xffff);
    let mut datagrams = Datagrams::open(&path).unwrap();
    let first = datagrams.next_datagram().unwrap().unwrap();
    assert_eq!((first.time_ns, first.dst_port, first.payload), (time_ns, 7502, &jumbo[..]));
    assert_eq!(first.source.to_string(), "192.168.1.201");
    let second = datagrams.next_datagram().unwrap().unwrap();
    assert_eq!((second.time_ns, second.source.to_string()), (time_ns + 1, "192.168.2.245".into()));
    assert_eq!(datagrams.next_datagram().unwrap(), None);
}

#[test]
fn lies_are_refused_with_their_place() {
    let whole = pcap(0xa1b2_3c4d, false, 101, &[frame(101), frame(101)]);
    let second = 24 + 16 + frame(101).len();
    let mut lie = whole.clone();
    lie[second + 8..second + 12].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    let error = datagrams(&lie).unwrap_err().to_string();
    assert!(error.contains(&format!("at byte {}, after 1 frames", second + 16)), "{error}");
    for length in 0..whole.len() {
        let found = datagrams(&whole[..length]);
        assert_eq!(found.is_ok(), [24, second].contains(&length), "{length}");
    }
    let error = datagrams(b"PNG, and more").unwrap_err().to_string();
    assert!(error.contains("no mark of a capture"), "{error}");
}
