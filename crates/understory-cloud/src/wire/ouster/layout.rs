//! Where the numbers of an Ouster lidar packet stand.
//!
//! A packet is a header (32 bytes, none in LEGACY), columns and a footer (24 bytes and the
//! checksum, none in LEGACY). A column is a header with time and number, one block per row, and in
//! LEGACY a footer with the status. All numbers are little-endian. Source: the packet formats of
//! ouster-sdk 1.0.1.

use crate::OusterProfile;

/// Largest payload of a UDP datagram.
pub(super) const DATAGRAM_MAX: usize = 65_507;

/// What a pixel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Legacy,
    Rng19,
    Rng19Dual,
    Rng15,
    Rng15Dual,
}

impl Profile {
    pub(super) const ALL: [Profile; 5] =
        [Profile::Legacy, Profile::Rng19, Profile::Rng19Dual, Profile::Rng15, Profile::Rng15Dual];

    /// As metadata names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Profile::Legacy => "LEGACY",
            Profile::Rng19 => "RNG19_RFL8_SIG16_NIR16",
            Profile::Rng19Dual => "RNG19_RFL8_SIG16_NIR16_DUAL",
            Profile::Rng15 => "RNG15_RFL8_NIR8",
            Profile::Rng15Dual => "RNG15_RFL8_NIR8_DUAL",
        }
    }

    /// Largest range that fits, in millimetres.
    pub(super) fn range_max_mm(self) -> u32 {
        match self {
            Profile::Legacy => 0xf_ffff,
            Profile::Rng19 | Profile::Rng19Dual => 0x7_ffff,
            Profile::Rng15 | Profile::Rng15Dual => 0x7fff << 3,
        }
    }

    /// Returns that a pixel holds.
    pub(super) fn returns(self) -> usize {
        match self {
            Profile::Rng19Dual | Profile::Rng15Dual => 2,
            _ => 1,
        }
    }

    fn pixel_len(self) -> usize {
        match self {
            Profile::Legacy | Profile::Rng19 => 12,
            Profile::Rng19Dual => 16,
            Profile::Rng15 => 4,
            Profile::Rng15Dual => 8,
        }
    }
}

impl From<OusterProfile> for Profile {
    fn from(profile: OusterProfile) -> Profile {
        match profile {
            OusterProfile::Legacy => Profile::Legacy,
            OusterProfile::Rng19 => Profile::Rng19,
        }
    }
}

/// Sizes and places of one sensor's packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(super) profile: Profile,
    /// Rows of a column.
    pub(super) rows: usize,
    /// Columns of a packet.
    pub(super) columns: usize,
    /// Whether the header is the one for functional safety.
    pub(super) fusa: bool,
    header_len: usize,
    column_header_len: usize,
    column_len: usize,
}

/// One pixel, as it stands in the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pixel {
    /// Range and reflectivity of the returns; a range of 0 is none.
    pub(super) range_mm: [u32; 2],
    pub(super) reflectivity: [u8; 2],
    pub(super) signal: [u16; 2],
    pub(super) near_ir: u16,
}

impl Layout {
    /// The layout of packets with so many rows and columns; `None` if there are none of them or
    /// they do not fit into a datagram.
    pub(super) fn new(profile: Profile, rows: usize, columns: usize) -> Option<Layout> {
        let legacy = profile == Profile::Legacy;
        let column_header_len = if legacy { 16 } else { 12 };
        let footer = if legacy { 4 } else { 0 };
        let column_len = rows.checked_mul(profile.pixel_len())?.checked_add(column_header_len)?;
        let layout = Layout {
            profile,
            rows,
            columns,
            fusa: false,
            header_len: if legacy { 0 } else { 32 },
            column_header_len,
            column_len: column_len.checked_add(footer)?,
        };
        let fits = columns.checked_mul(layout.column_len)? <= DATAGRAM_MAX - 64;
        (fits && rows > 0 && columns > 0).then_some(layout)
    }

    /// The same with or without the header for functional safety.
    pub(super) fn with_fusa(self, fusa: bool) -> Layout {
        Layout { fusa, ..self }
    }

    /// Bytes of a packet.
    pub(crate) fn packet_len(&self) -> usize {
        2 * self.header_len + self.columns * self.column_len
    }

    /// First byte of a column.
    pub(super) fn column_at(&self, column: usize) -> usize {
        self.header_len + column * self.column_len
    }

    /// First byte of a pixel.
    pub(super) fn pixel_at(&self, column: usize, row: usize) -> usize {
        self.column_at(column) + self.column_header_len + row * self.profile.pixel_len()
    }

    /// First byte of the status of a column.
    pub(super) fn status_at(&self, column: usize) -> usize {
        match self.profile {
            Profile::Legacy => self.column_at(column) + self.column_len - 4,
            _ => self.column_at(column) + 10,
        }
    }

    /// Number of the frame that a packet belongs to, and how many bits it has.
    pub(super) fn frame(&self, packet: &[u8]) -> (u32, u32) {
        if self.fusa {
            return (u32::from_le_bytes(bytes_at(packet, 4)), 32);
        }
        let at = if self.profile == Profile::Legacy { 10 } else { 2 };
        (u16::from_le_bytes(bytes_at(packet, at)).into(), 16)
    }

    /// Number of the initialisation and serial number; 0 where a packet has none.
    pub(super) fn ids(&self, packet: &[u8]) -> (u32, u64) {
        if self.profile == Profile::Legacy {
            return (0, 0);
        }
        let [a, b, c] = bytes_at(packet, if self.fusa { 1 } else { 4 });
        let [d, e, f, g, h] = bytes_at(packet, if self.fusa { 11 } else { 7 });
        (u32::from_le_bytes([a, b, c, 0]), u64::from_le_bytes([d, e, f, g, h, 0, 0, 0]))
    }

    /// Time, number and validity of a column.
    pub(super) fn column(&self, packet: &[u8], column: usize) -> (u64, u16, bool) {
        let at = self.column_at(column);
        let status = u16::from_le_bytes(bytes_at(packet, self.status_at(column)));
        let time_ns = u64::from_le_bytes(bytes_at(packet, at));
        (time_ns, u16::from_le_bytes(bytes_at(packet, at + 8)), status & 1 == 1)
    }

    /// The pixels of a column from the top.
    pub(super) fn pixels<'a>(
        &self,
        packet: &'a [u8],
        column: usize,
    ) -> impl Iterator<Item = Pixel> + use<'a> {
        let len = self.profile.pixel_len();
        let first = self.pixel_at(column, 0);
        let bytes = packet.get(first..first + self.rows * len).unwrap_or_default();
        let profile = self.profile;
        bytes.chunks_exact(len).map(move |bytes| Pixel::decode(profile, bytes))
    }
}

impl Pixel {
    /// Reads a pixel; missing bytes are zeros.
    fn decode(profile: Profile, bytes: &[u8]) -> Pixel {
        let word = |at: usize| u32::from_le_bytes(bytes_at(bytes, at));
        let half = |at: usize| u16::from_le_bytes(bytes_at(bytes, at));
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let mm = profile.range_max_mm();
        match profile {
            Profile::Legacy | Profile::Rng19 => Pixel {
                range_mm: [word(0) & mm, 0],
                reflectivity: [byte(4), 0],
                signal: [half(6), 0],
                near_ir: half(8),
            },
            Profile::Rng19Dual => Pixel {
                range_mm: [word(0) & mm, word(4) & mm],
                reflectivity: [byte(3), byte(7)],
                signal: [half(8), half(10)],
                near_ir: half(12),
            },
            // Eight millimetres to the step, sixteen counts to the step.
            Profile::Rng15 => Pixel {
                range_mm: [word(0) << 3 & mm, 0],
                reflectivity: [byte(2), 0],
                signal: [0; 2],
                near_ir: u16::from(byte(3)) << 4,
            },
            Profile::Rng15Dual => Pixel {
                range_mm: [word(0) << 3 & mm, word(4) << 3 & mm],
                reflectivity: [byte(2), byte(6)],
                signal: [0; 2],
                near_ir: u16::from(byte(3)) << 4,
            },
        }
    }
}

/// `N` bytes from `at` on; zeros where there are none.
pub(super) fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let found = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    found.copied().unwrap_or([0; N])
}

/// Puts bytes where they belong; nothing where there is no room.
pub(super) fn put<const N: usize>(bytes: &mut [u8], at: usize, value: [u8; N]) {
    if let Some(place) = bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut()) {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_have_the_sizes_of_the_vendor() {
        let size = |profile, rows| Layout::new(profile, rows, 16).unwrap().packet_len();
        assert_eq!(size(Profile::Legacy, 64), 12_608);
        assert_eq!(size(Profile::Rng19, 64), 12_544);
        assert_eq!(size(Profile::Rng19, 128), 24_832);
        assert_eq!(size(Profile::Rng19Dual, 128), 33_024);
        assert_eq!(size(Profile::Rng15, 128), 8_448);
        assert_eq!(Layout::new(Profile::Rng19, 0, 16), None);
        assert_eq!(Layout::new(Profile::Rng19, 512, 16), None);
        assert_eq!(Layout::new(Profile::Rng19, usize::MAX, 16), None);
        assert_eq!(Layout::new(Profile::Rng19, 64, usize::MAX / 2), None);
    }
}
