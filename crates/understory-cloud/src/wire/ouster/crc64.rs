//! The checksum that closes an Ouster packet: CRC-64 by ECMA-182, reflected (as in XZ).
//!
//! Eight bytes at a time through eight tables: a packet of 128 rows has 25 kB, and the checksum
//! must not cost more than what it protects.

const POLYNOMIAL: u64 = 0xc96c_5795_d787_0f42;

/// `TABLES[k][b]`: what byte `b` adds when `k` bytes follow it.
static TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut register = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            register = (register >> 1) ^ (POLYNOMIAL & (register & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][byte] = register;
        byte += 1;
    }
    let mut behind = 1;
    while behind < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[behind - 1][byte];
            tables[behind][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        behind += 1;
    }
    tables
}

/// The checksum of `bytes`.
pub(super) fn crc64(bytes: &[u8]) -> u64 {
    let mut register = !0u64;
    let (eights, rest) = bytes.as_chunks::<8>();
    for eight in eights {
        let mixed = (register ^ u64::from_le_bytes(*eight)).to_le_bytes();
        register = 0;
        for (table, byte) in TABLES.iter().rev().zip(mixed) {
            register ^= table[usize::from(byte)];
        }
    }
    for byte in rest {
        register = TABLES[0][usize::from(register as u8 ^ byte)] ^ (register >> 8);
    }
    !register
}

#[cfg(test)]
mod tests {
    use super::crc64;

    #[test]
    fn known_values() {
        // The check value of CRC-64/XZ in the catalogue of parametrised CRC algorithms.
        assert_eq!(crc64(b"123456789"), 0x995d_c9bb_df19_39fa);
        assert_eq!(crc64(b""), 0);
        // Nine bytes pass through both loops; a plain loop over bits is the judge of longer ones.
        let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for length in [1, 7, 8, 9, 63, 64, 1000] {
            let mut register = !0u64;
            for byte in &bytes[..length] {
                register ^= u64::from(*byte);
                for _ in 0..8 {
                    let odd = register & 1 == 1;
                    register >>= 1;
                    if odd {
                        register ^= super::POLYNOMIAL;
                    }
                }
            }
            assert_eq!(crc64(&bytes[..length]), !register, "{length} bytes");
        }
    }
}
