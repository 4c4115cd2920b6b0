//! UDP datagrams out of a capture.
//!
//! What enters: frames of Ethernet (with VLAN tags), Linux "cooked" captures, raw IP or BSD's
//! loopback. What leaves: the payloads of UDP over IPv4 or IPv6, put together where IP cut them
//! into fragments, with ports, source, time and the place in the file. All other traffic is passed
//! over and counted.

use super::frames::{FrameHead, Frames};
use crate::CloudError;
use etherparse::defrag::IpDefragPool;
use etherparse::{EtherType, NetSlice, SlicedPacket, TransportSlice, UdpSlice};
use std::cell::Cell;
use std::net::IpAddr;
use std::ops::Range;
use std::path::Path;

/// A datagram whose fragments lie farther apart than so many other fragments is given up. This also
/// limits memory: each takes at most 64 KiB.
const FRAGMENTS_KEPT: u64 = 256;

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Datagram<'a> {
    /// Unix time at which it was captured; of its last fragment.
    pub(crate) time_ns: i64,
    /// Who sent it.
    pub(crate) source: IpAddr,
    /// Port from which it was sent.
    pub(crate) src_port: u16,
    /// Port to which it was sent.
    pub(crate) dst_port: u16,
    /// What it carries.
    pub(crate) payload: &'a [u8],
    /// Where the record of its (last) frame begins in the file.
    pub(crate) file_offset: u64,
}

/// What was passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// Frames that hold no UDP.
    pub(crate) other_frames: u64,
    /// Frames that are cut short or contradict themselves.
    pub(crate) broken_frames: u64,
    /// Datagrams of which fragments are missing.
    pub(crate) broken_datagrams: u64,
}

/// The datagrams of a capture file, one after another.
pub(crate) struct Datagrams {
    frames: Frames,
    fragments: IpDefragPool<u64>,
    fragments_seen: u64,
    assembled: Vec<u8>,
    skipped: Skipped,
    datagrams: u64,
}

/// Where the payload of a datagram is.
struct Found {
    source: IpAddr,
    ports: [u16; 2],
    /// In the frame, or in what was put together.
    payload: Range<usize>,
    assembled: bool,
}

impl Datagrams {
    /// Opens a capture file.
    pub(crate) fn open(path: &Path) -> Result<Datagrams, CloudError> {
        Ok(Datagrams {
            frames: Frames::open(path)?,
            fragments: IpDefragPool::new(),
            fragments_seen: 0,
            assembled: Vec::new(),
            skipped: Skipped::default(),
            datagrams: 0,
        })
    }

    /// Goes back to the start.
    pub(crate) fn rewind(&mut self) -> Result<(), CloudError> {
        self.fragments = IpDefragPool::new();
        self.skipped = Skipped::default();
        self.datagrams = 0;
        self.frames.rewind()
    }

    /// The next datagram; none at the end.
    pub(crate) fn next_datagram(&mut self) -> Result<Option<Datagram<'_>>, CloudError> {
        let (head, found) = loop {
            let Some(head) = self.frames.advance()? else { return Ok(None) };
            if let Some(found) = self.find(head) {
                break (head, found);
            }
        };
        self.datagrams += 1;
        let bytes = if found.assembled { &self.assembled } else { self.frames.frame() };
        Ok(Some(Datagram {
            time_ns: head.time_ns,
            source: found.source,
            src_port: found.ports[0],
            dst_port: found.ports[1],
            payload: bytes.get(found.payload).unwrap_or_default(),
            file_offset: head.file_offset,
        }))
    }

    /// Looks for UDP in the present frame.
    fn find(&mut self, head: FrameHead) -> Option<Found> {
        let frame = self.frames.frame();
        let sliced = match slice(head.link, frame) {
            Some(Ok(sliced)) => sliced,
            Some(Err(_)) => {
                self.skipped.broken_frames += 1;
                return None;
            }
            None => {
                self.skipped.other_frames += 1;
                return None;
            }
        };
        let source = match &sliced.net {
            Some(NetSlice::Ipv4(ip)) => IpAddr::from(ip.header().source()),
            Some(NetSlice::Ipv6(ip)) => IpAddr::from(ip.header().source()),
            _ => {
                self.skipped.other_frames += 1;
                return None;
            }
        };
        let place = |udp: &UdpSlice<'_>, base: &[u8], assembled| {
            let start = (udp.payload().as_ptr() as usize).saturating_sub(base.as_ptr() as usize);
            let payload = start..start + udp.payload().len();
            Found { source, ports: [udp.source_port(), udp.destination_port()], payload, assembled }
        };
        if let Some(TransportSlice::Udp(udp)) = &sliced.transport {
            return Some(place(udp, frame, false));
        }
        if !sliced.is_ip_payload_fragmented() {
            self.skipped.other_frames += 1;
            return None;
        }
        self.fragments_seen += 1;
        let now = self.fragments_seen;
        if now.is_multiple_of(FRAGMENTS_KEPT / 4) {
            let given_up = Cell::new(0);
            self.fragments.retain(|&seen| {
                let keep = now - seen < FRAGMENTS_KEPT;
                given_up.set(given_up.get() + u64::from(!keep));
                keep
            });
            self.skipped.broken_datagrams += given_up.get();
        }
        let whole = match self.fragments.process_sliced_packet(&sliced, now, ()) {
            Ok(whole) => whole?,
            Err(_) => {
                self.skipped.broken_frames += 1;
                return None;
            }
        };
        let is_udp = whole.ip_number == etherparse::ip_number::UDP;
        let old = std::mem::replace(&mut self.assembled, whole.payload);
        // The pool takes the memory of the last datagram back.
        self.fragments.return_buf(etherparse::defrag::IpDefragPayloadVec { payload: old, ..whole });
        if !is_udp {
            self.skipped.other_frames += 1;
            return None;
        }
        match UdpSlice::from_slice(&self.assembled) {
            Ok(udp) => Some(place(&udp, &self.assembled, true)),
            Err(_) => {
                self.skipped.broken_frames += 1;
                None
            }
        }
    }

    /// What was passed over so far.
    pub(crate) fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// Datagrams so far.
    pub(crate) fn count(&self) -> u64 {
        self.datagrams
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.frames.path()
    }
}

type Sliced<'a> = Result<SlicedPacket<'a>, etherparse::err::packet::SliceError>;

/// The layers of a frame; none if its link layer is not known.
fn slice(link: u32, frame: &[u8]) -> Option<Sliced<'_>> {
    Some(match link {
        1 => SlicedPacket::from_ethernet(frame),
        // Linux cooked: 16 bytes with the protocol at their end; version 2: 20 that begin with it.
        // The rest of these headers, such as the kind of hardware, does not matter.
        113 => cooked(frame, 16, 14)?,
        276 => cooked(frame, 20, 0)?,
        12 | 14 | 101 | 228 | 229 => SlicedPacket::from_ip(frame),
        // BSD's loopback: four bytes of address family.
        0 | 108 => SlicedPacket::from_ip(frame.get(4..)?),
        _ => return None,
    })
}

/// The layers behind a header of `length` bytes with the protocol at `at`.
fn cooked(frame: &[u8], length: usize, at: usize) -> Option<Sliced<'_>> {
    let (head, rest) = frame.split_at_checked(length)?;
    let protocol = u16::from_be_bytes(*head.get(at..)?.first_chunk()?);
    Some(SlicedPacket::from_ether_type(EtherType(protocol), rest))
}
