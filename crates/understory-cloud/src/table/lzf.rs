//! LZF, the compression of PCD files.
//!
//! A control byte below 32 is followed by that many bytes plus one as they are. Any other says in
//! its upper three bits how much is repeated (7: the next byte has more) and in its lower five,
//! with the byte behind, how far back.

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

#[cfg(test)]
mod tests {
    use super::unpack;

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
