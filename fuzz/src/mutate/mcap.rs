//! Records of an MCAP: an operation, a length of eight bytes and as many bytes.

use super::{Random, sums};

const MAGIC: &[u8] = b"\x89MCAP0\r\n";
/// The operation of a record that holds records.
const CHUNK: u8 = 6;

/// Leaves out, repeats, moves or alters records; `change`: else only sums are mended.
pub(super) fn change(bytes: &[u8], random: &mut Random, change: bool) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut records: Vec<(u8, Vec<u8>)> = Vec::new();
    while let Some((head, behind)) = rest.split_at_checked(9) {
        let length = u64::from_le_bytes(head[1..].try_into().ok()?);
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(behind.len());
        records.push((head[0], behind[..length].to_vec()));
        rest = &behind[length..];
    }
    if change && !records.is_empty() {
        for _ in 0..=random.below(3) {
            let at = random.below(records.len());
            match random.below(6) {
                0 if records.len() > 1 => drop(records.remove(at)),
                1 => records.insert(at, records[at].clone()),
                2 => {
                    let other = random.below(records.len());
                    records.swap(at, other);
                }
                3 => records[at].0 = random.below(16) as u8,
                _ => sums::change_field(&mut records[at].1, random),
            }
        }
    }
    let mut out = MAGIC.to_vec();
    for (operation, mut body) in records {
        if let (CHUNK, Some(sum)) = (operation, body.get_mut(24..28)) {
            sum.fill(0);
        }
        out.push(operation);
        out.extend((body.len() as u64).to_le_bytes());
        out.extend(body);
    }
    out.extend(MAGIC);
    Some(out)
}
