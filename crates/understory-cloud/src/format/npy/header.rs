//! The header of an NPY file, version 1.0.

/// Head of an array of one dimension with `pad` bytes of padding in it.
pub(crate) fn array_header(descr: &str, rows: u64, pad: usize) -> Vec<u8> {
    let mut text =
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({rows},), }}{:pad$}", "");
    // NumPy wants the data to begin at a multiple of 64; 10 bytes stand before the text.
    let unaligned = (10 + text.len() + 1) % 64;
    text.push_str(&" ".repeat((64 - unaligned) % 64));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(text.len() as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}
