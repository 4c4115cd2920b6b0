//! Files whose checksums are made anew, and files inside of others.

use super::{EDGES, Random, text};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A number at a place becomes one that breaks things.
pub(super) fn put_edge(bytes: &mut [u8], at: usize, random: &mut Random) {
    let edge = *random.of(&EDGES);
    let size = *random.of(&[2, 4, 8]);
    let big = random.below(4) == 0;
    let all = if big { edge.to_be_bytes() } else { edge.to_le_bytes() };
    let part = if big { &all[8 - size..] } else { &all[..size] };
    let end = (at + size).min(bytes.len());
    bytes[at..end].copy_from_slice(&part[..end - at]);
}

/// A field somewhere, more often at the beginning.
pub(super) fn change_field(bytes: &mut [u8], random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let within = if random.below(2) == 0 { bytes.len().min(256) } else { bytes.len() };
    let at = random.below(within);
    match random.below(3) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        _ => put_edge(bytes, at, random),
    }
}

/// Pages of 1020 bytes and their CRC-32C, as in E57 (ASTM E2807, §6.2).
pub fn e57_pages(bytes: &mut [u8]) {
    for page in bytes.chunks_exact_mut(1024) {
        let (payload, sum) = page.split_at_mut(1020);
        sum.copy_from_slice(&crc32c::crc32c(payload).to_be_bytes());
    }
}

/// Parts of learning: magic, version, sum of the rest, its length, the rest.
pub fn head_and_rest(bytes: &mut [u8]) {
    if let Some((head, rest)) = bytes.split_at_mut_checked(24) {
        head[12..16].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
        head[16..].copy_from_slice(&(rest.len() as u64).to_le_bytes());
    }
}

/// A site: a table of sections, a sum for each, and one of the header.
pub fn site_sections(bytes: &mut [u8]) {
    if bytes.len() < 256 {
        return;
    }
    for section in 0..6 {
        let entry = 72 + 24 * section;
        let number = |at: usize| {
            let field = bytes[at..at + 8].try_into().map(u64::from_le_bytes);
            field.ok().and_then(|number| usize::try_from(number).ok())
        };
        let stride = bytes[entry + 20] as usize;
        let (Some(from), Some(count)) = (number(entry), number(entry + 8)) else { continue };
        let end = count.checked_mul(stride).and_then(|length| length.checked_add(from));
        let Some(part) = end.and_then(|end| bytes.get(from..end)) else { continue };
        let sum = crc32fast::hash(part);
        bytes[entry + 16..entry + 20].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&sum.to_le_bytes());
}

/// One file of a zip is changed as a text.
pub(super) fn change_zip(
    bytes: &[u8],
    lend: fn() -> Vec<String>,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let chosen = random.below(archive.len());
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len().min(20) {
        let mut file = archive.by_index(index).ok()?;
        let name = file.name().ok()?.into_owned();
        let mut content = Vec::new();
        (&mut file).take(1 << 16).read_to_end(&mut content).ok()?;
        if index == chosen {
            content = text::change(&content, lend, random)?;
        }
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        out.start_file(name, options).ok()?;
        out.write_all(&content).ok()?;
    }
    Some(out.finish().ok()?.into_inner())
}
