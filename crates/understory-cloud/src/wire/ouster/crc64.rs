//! The checksum that closes an Ouster packet: CRC-64 by ECMA-182, reflected (as in XZ).

use crc::{CRC_64_XZ, Crc, Table};

/// Sixteen bytes at a time: a packet of 128 rows has 25 kB.
static CRC_64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// The checksum of `bytes`.
pub(super) fn crc64(bytes: &[u8]) -> u64 {
    CRC_64.checksum(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_the_checksum_of_xz() {
        // The check value of CRC-64/XZ in the catalogue of parametrised CRC algorithms.
        assert_eq!(super::crc64(b"123456789"), 0x995d_c9bb_df19_39fa);
    }
}
