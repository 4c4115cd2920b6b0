//! Capture files as frames: pcap (microseconds and nanoseconds, both byte orders) and pcapng.
//!
//! What enters: a file. What leaves: one link-layer frame after another with its time and the place
//! where it stands. The file is read once from its start to its end with the memory of one frame.
//!
//! This is written here and not left to the crate that writes captures: that one has the times of
//! pcapng in the wrong unit, refuses frames that were longer on the wire than the file's limit, and
//! does not say where in the file it is.

use crate::CloudError;
use crate::error::damaged;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longest frame or description that is believed; captures stop at 256 KiB.
const LENGTH_MAX: u64 = 1 << 20;

/// Kinds of blocks of pcapng.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// What is known of a frame beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHead {
    /// Unix time.
    pub(crate) time_ns: i64,
    /// Number of the link layer, as in `LINKTYPE_…`.
    pub(crate) link: u32,
    /// Where its record begins in the file.
    pub(crate) file_offset: u64,
}

/// Order of the bytes of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let found = bytes.get(at..).and_then(|b| b.first_chunk()).copied().unwrap_or_default();
        if self == Order::Little { u16::from_le_bytes(found) } else { u16::from_be_bytes(found) }
    }

    fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let found = bytes.get(at..).and_then(|b| b.first_chunk()).copied().unwrap_or_default();
        if self == Order::Little { u32::from_le_bytes(found) } else { u32::from_be_bytes(found) }
    }

    fn i64(self, bytes: &[u8], at: usize) -> i64 {
        let found = bytes.get(at..).and_then(|b| b.first_chunk()).copied().unwrap_or_default();
        if self == Order::Little { i64::from_le_bytes(found) } else { i64::from_be_bytes(found) }
    }
}

/// What the file is.
#[derive(Clone, Debug)]
enum Kind {
    /// Classic, with nanoseconds per unit of the fraction.
    Pcap { order: Order, ns_per_unit: i64, link: u32 },
    /// The next generation, with the interfaces of the present section.
    PcapNg { order: Order, interfaces: Vec<Interface> },
}

/// An interface of a section of pcapng.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link: u32,
    units_per_s: u64,
    offset_s: i64,
}

impl Interface {
    /// The options say how long a unit of its clock is; a microsecond if they do not.
    fn new(order: Order, body: &[u8]) -> Interface {
        let link = u32::from(order.u16(body, 0));
        let mut interface = Interface { link, units_per_s: 1_000_000, offset_s: 0 };
        let mut options = body.get(8..).unwrap_or_default();
        while let Some((head, rest)) = options.split_at_checked(4) {
            let (code, length) = (order.u16(head, 0), usize::from(order.u16(head, 2)));
            let Some(value) = rest.get(..length) else { break };
            match (code, value) {
                (0, _) => break,
                (9, &[resolution]) => {
                    let power = u32::from(resolution & 0x7f);
                    let base: u64 = if resolution & 0x80 == 0 { 10 } else { 2 };
                    interface.units_per_s = base.checked_pow(power).unwrap_or(u64::MAX);
                }
                (14, value) if length == 8 => interface.offset_s = order.i64(value, 0),
                _ => {}
            }
            options = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        interface
    }

    fn time_ns(&self, units: u64) -> i64 {
        let ns = i128::from(units) * 1_000_000_000 / i128::from(self.units_per_s)
            + i128::from(self.offset_s) * 1_000_000_000;
        i64::try_from(ns).unwrap_or_default()
    }
}

/// The frames of a file, one after another.
#[derive(Debug)]
pub(crate) struct Frames {
    path: PathBuf,
    reader: BufReader<File>,
    /// Bytes that were read or passed over, of how many.
    at: u64,
    bytes: u64,
    kind: Kind,
    /// Bytes of the frame, after other numbers of its block.
    buffer: Vec<u8>,
    frame: std::ops::Range<usize>,
    frames: u64,
    last_time_ns: i64,
}

impl Frames {
    /// Opens a capture file.
    pub(crate) fn open(path: &Path) -> Result<Frames, CloudError> {
        let failed = |e| CloudError::read(path, e);
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let mut frames = Frames {
            path: path.to_path_buf(),
            reader: BufReader::with_capacity(1 << 18, file),
            at: 0,
            bytes,
            kind: Kind::PcapNg { order: Order::Little, interfaces: Vec::new() },
            buffer: Vec::new(),
            frame: 0..0,
            frames: 0,
            last_time_ns: 0,
        };
        frames.begin()?;
        Ok(frames)
    }

    /// Goes back to the first frame.
    pub(crate) fn rewind(&mut self) -> Result<(), CloudError> {
        self.reader.seek(SeekFrom::Start(0)).map_err(|e| CloudError::read(&self.path, e))?;
        (self.at, self.frames, self.last_time_ns) = (0, 0, 0);
        self.begin()
    }

    fn begin(&mut self) -> Result<(), CloudError> {
        self.kind = Kind::PcapNg { order: Order::Little, interfaces: Vec::new() };
        let magic = self.take::<4>()?;
        let pcap = |order, ns_per_unit| Kind::Pcap { order, ns_per_unit, link: 0 };
        self.kind = match magic {
            [0xd4, 0xc3, 0xb2, 0xa1] => pcap(Order::Little, 1000),
            [0x4d, 0x3c, 0xb2, 0xa1] => pcap(Order::Little, 1),
            [0xa1, 0xb2, 0xc3, 0xd4] => pcap(Order::Big, 1000),
            [0xa1, 0xb2, 0x3c, 0x4d] => pcap(Order::Big, 1),
            [0x0a, 0x0d, 0x0d, 0x0a] => {
                // The first block is read like any other.
                let back = self.reader.seek(SeekFrom::Start(0));
                back.map_err(|e| CloudError::read(&self.path, e))?;
                self.at = 0;
                return Ok(());
            }
            _ => return Err(self.damaged("it begins with no mark of a capture")),
        };
        let rest = self.take::<20>()?;
        if let Kind::Pcap { order, link, .. } = &mut self.kind {
            // The upper bits say whether frames end in a check sum.
            *link = order.u32(&rest, 16) & 0x03ff_ffff;
        }
        Ok(())
    }

    /// Goes on to the next frame; none at the end.
    pub(crate) fn advance(&mut self) -> Result<Option<FrameHead>, CloudError> {
        while self.at < self.bytes {
            let file_offset = self.at;
            let found = match self.kind {
                Kind::Pcap { order, ns_per_unit, link } => {
                    let head = self.take::<16>()?;
                    let length = u64::from(order.u32(&head, 8));
                    self.fill(length, "frame")?;
                    self.frame = 0..self.buffer.len();
                    let time_ns = i64::from(order.u32(&head, 0)) * 1_000_000_000
                        + i64::from(order.u32(&head, 4)) * ns_per_unit;
                    Some((time_ns, link))
                }
                Kind::PcapNg { .. } => self.block()?,
            };
            if let Some((time_ns, link)) = found {
                self.frames += 1;
                self.last_time_ns = time_ns;
                return Ok(Some(FrameHead { time_ns, link, file_offset }));
            }
        }
        Ok(None)
    }

    /// The bytes of the present frame.
    pub(crate) fn frame(&self) -> &[u8] {
        self.buffer.get(self.frame.clone()).unwrap_or_default()
    }

    /// Reads a block of pcapng; gives time and link layer if it holds a frame.
    fn block(&mut self) -> Result<Option<(i64, u32)>, CloudError> {
        let start = self.at;
        let head = self.take::<8>()?;
        let Kind::PcapNg { order, .. } = self.kind else { return Ok(None) };
        let mut order = order;
        if Order::Little.u32(&head, 0) == SECTION {
            order = match self.take::<4>()? {
                [0x4d, 0x3c, 0x2b, 0x1a] => Order::Little,
                [0x1a, 0x2b, 0x3c, 0x4d] => Order::Big,
                _ => return Err(self.damaged("a section has no mark of its byte order")),
            };
            self.kind = Kind::PcapNg { order, interfaces: Vec::new() };
        } else if start == 0 {
            return Err(self.damaged("its first block is no section"));
        }
        let (kind, length) = (order.u32(&head, 0), u64::from(order.u32(&head, 4)));
        let read = self.at - start;
        if length < read + 4 || !length.is_multiple_of(4) || length > self.bytes - start {
            let left = self.bytes - start;
            return Err(
                self.damaged(format!("a block of {length} bytes begins where {left} are left"))
            );
        }
        let body = length - read - 4;
        match kind {
            INTERFACE | OLD_PACKET | SIMPLE_PACKET | ENHANCED_PACKET => self.fill(body, "block")?,
            _ => {
                let skip = self.reader.seek_relative(body as i64);
                skip.map_err(|e| CloudError::read(&self.path, e))?;
                self.at += body;
            }
        }
        let trailer = self.take::<4>()?;
        if u64::from(order.u32(&trailer, 0)) != length {
            return Err(self.damaged("a block has two different lengths"));
        }
        let body = &self.buffer;
        let (interface, units, data) = match kind {
            INTERFACE => {
                let interface = Interface::new(order, body);
                if let Kind::PcapNg { interfaces, .. } = &mut self.kind {
                    interfaces.push(interface);
                }
                return Ok(None);
            }
            ENHANCED_PACKET | OLD_PACKET => {
                let interface = match kind {
                    OLD_PACKET => u32::from(order.u16(body, 0)),
                    _ => order.u32(body, 0),
                };
                let units = u64::from(order.u32(body, 4)) << 32 | u64::from(order.u32(body, 8));
                (interface, Some(units), 20..(20 + order.u32(body, 12) as usize))
            }
            SIMPLE_PACKET => {
                let data = 4..(4 + order.u32(body, 0) as usize).min(body.len());
                (0, None, data)
            }
            _ => return Ok(None),
        };
        if data.end > body.len() || data.start > data.end {
            return Err(self.damaged("a frame is longer than its block"));
        }
        self.frame = data;
        let Kind::PcapNg { interfaces, .. } = &self.kind else { return Ok(None) };
        let Some(interface) = interfaces.get(interface as usize) else {
            return Err(self.damaged("a frame is of an interface that was not described"));
        };
        // A simple block has no time: the last one is the best guess.
        let time_ns = units.map_or(self.last_time_ns, |units| interface.time_ns(units));
        Ok(Some((time_ns, interface.link)))
    }

    /// Reads the next `length` bytes into the buffer.
    fn fill(&mut self, length: u64, what: &str) -> Result<(), CloudError> {
        let left = self.bytes - self.at;
        if length > left || length > LENGTH_MAX {
            return Err(
                self.damaged(format!("a {what} of {length} bytes begins where {left} are left"))
            );
        }
        self.buffer.resize(length as usize, 0);
        let read = self.reader.read_exact(&mut self.buffer);
        read.map_err(|e| CloudError::read(&self.path, e))?;
        self.at += length;
        Ok(())
    }

    /// Reads the next few bytes.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], CloudError> {
        let mut bytes = [0; N];
        if self.bytes - self.at < N as u64 {
            return Err(self.damaged("it ends within a header"));
        }
        let read = self.reader.read_exact(&mut bytes);
        read.map_err(|e| CloudError::read(&self.path, e))?;
        self.at += N as u64;
        Ok(bytes)
    }

    /// An error about the place that was reached.
    fn damaged(&self, what: impl AsRef<str>) -> CloudError {
        let (what, at, frames) = (what.as_ref(), self.at, self.frames);
        damaged(&self.path, "pcap", format!("{what} at byte {at}, after {frames} frames"))
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
