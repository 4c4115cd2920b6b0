//! LZF, the compression of PCD files.
//!
//! A control byte below 32 is followed by that many bytes plus one as they are. Any other says in
//! its upper three bits how much is repeated (7: the next byte has more) and in its lower five,
//! with the byte behind, how far back. By hand, because memory must grow only with what has truly
//! been unpacked: a header that lies about its size does no harm.

/// Undoes the compression. The answer must be exactly `size` bytes long; memory grows with what
/// has truly been unpacked.
pub(crate) fn unpack(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    let cut = |at: usize| format!("its compressed data end within a command at byte {at} of them");
    while let Some(&control) = packed.get(at) {
        let start = at;
        at += 1;
        if control < 32 {
            let end = at + usize::from(control) + 1;
            out.extend_from_slice(packed.get(at..end).ok_or_else(|| cut(start))?);
            at = end;
        } else {
            let mut length = usize::from(control >> 5);
            if length == 7 {
                length += usize::from(*packed.get(at).ok_or_else(|| cut(start))?);
                at += 1;
            }
            let low = usize::from(*packed.get(at).ok_or_else(|| cut(start))?);
            at += 1;
            let back = ((usize::from(control) & 31) << 8) + low + 1;
            let Some(from) = out.len().checked_sub(back) else {
                return Err(format!(
                    "byte {start} of its compressed data points in front of their beginning"
                ));
            };
            // What is repeated may overlap with what is being written.
            for i in from..from + length + 2 {
                let byte = out.get(i).copied().unwrap_or_default();
                out.push(byte);
            }
        }
        if out.len() > size {
            return Err(format!("its compressed data hold more than the {size} bytes promised"));
        }
    }
    if out.len() < size {
        return Err(format!("its compressed data hold {} bytes instead of {size}", out.len()));
    }
    Ok(out)
}

/// Appends the compressed form of `bytes` to `out`. Parts that are compressed on their own may stand
/// one behind another: together they unpack to the parts together.
pub(crate) fn pack(bytes: &[u8], out: &mut Vec<u8>) {
    const BITS: u32 = 14;
    const FAR: usize = 1 << 13;
    const LONGEST: usize = 264;
    let hash = |three: &[u8]| {
        let word = u32::from(three[0]) | u32::from(three[1]) << 8 | u32::from(three[2]) << 16;
        (word.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
    };
    // Where three bytes of this kind were seen last, plus one.
    let mut seen = vec![0u32; 1 << BITS];
    let (mut at, mut plain) = (0, 0);
    while let Some(three) = bytes.get(at..at + 3) {
        let last = std::mem::replace(&mut seen[hash(three)], at as u32 + 1) as usize;
        let back = (at + 1).saturating_sub(last);
        let same = last > 0 && back <= FAR && bytes.get(last - 1..last + 2) == Some(three);
        if !same {
            at += 1;
            continue;
        }
        put_plain(bytes.get(plain..at).unwrap_or_default(), out);
        let (here, there) = (bytes.get(at..), bytes.get(last - 1..));
        let pairs = here.into_iter().flatten().zip(there.into_iter().flatten());
        let length = pairs.take(LONGEST).take_while(|(a, b)| a == b).count();
        let (code, far) = (length - 2, back - 1);
        if code < 7 {
            out.push((code << 5 | far >> 8) as u8);
        } else {
            out.extend_from_slice(&[(7 << 5 | far >> 8) as u8, (code - 7) as u8]);
        }
        out.push((far & 255) as u8);
        at += length;
        plain = at;
    }
    put_plain(bytes.get(plain..).unwrap_or_default(), out);
}

/// Bytes as they are, 32 at most to a command.
fn put_plain(bytes: &[u8], out: &mut Vec<u8>) {
    for part in bytes.chunks(32) {
        out.push(part.len() as u8 - 1);
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};

    #[test]
    fn what_is_packed_unpacks_to_itself() {
        let mut state = 1u32;
        let mut noise = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        for length in [0, 1, 2, 3, 31, 32, 33, 300, 9000, 70_000] {
            let random: Vec<u8> = (0..length).map(|_| noise()).collect();
            let few: Vec<u8> = (0..length).map(|_| noise() % 3).collect();
            let same = vec![7u8; length];
            for bytes in [random, few, same] {
                let mut packed = Vec::new();
                // In two parts, each on its own.
                let (a, b) = bytes.split_at(length / 3);
                pack(a, &mut packed);
                pack(b, &mut packed);
                assert!(packed.len() <= length + length / 32 + 2, "{length}");
                assert_eq!(unpack(&packed, length).unwrap(), bytes);
            }
        }
        let mut packed = Vec::new();
        pack(&vec![7; 70_000], &mut packed);
        assert!(packed.len() < 1000);
    }

    #[test]
    fn literals_and_repetitions() {
        // "abc", then 6 bytes from 3 back, then 12 bytes from 1 back with a long length.
        let packed = [2, b'a', b'b', b'c', 4 << 5, 2, 7 << 5, 3, 0];
        assert_eq!(unpack(&packed, 21).unwrap(), b"abcabcabccccccccccccc");
        assert!(unpack(&packed, 20).unwrap_err().contains("more than"));
        assert!(unpack(&packed[..8], 21).unwrap_err().contains("within a command at byte 6"));
        assert!(unpack(&[32, 5], 3).unwrap_err().contains("in front of"));
        assert!(unpack(&[], 3).unwrap_err().contains("0 bytes instead of 3"));
    }
}
