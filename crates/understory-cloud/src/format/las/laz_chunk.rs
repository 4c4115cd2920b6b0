//! One chunk of a LAZ file.
//!
//! What enters: points of format 6 or 7 with extra bytes. What leaves: the same bytes as the `laz`
//! crate's own compressor gives, in little more than half the time. Each extra byte is a layer with a model of
//! its own, some 2 KB each: going through all of them for every point drives them out of the cache.
//! Here the layers are coded one after another, and a layer that never changes is not coded at
//! all, which the format allows.

use super::{POINT_LEN, RGB_LEN};
use laz::decoders::ArithmeticDecoder;
use laz::encoders::ArithmeticEncoder;
use laz::las::v3::{LasPoint6Compressor, LasRGBCompressor};
use laz::models::ArithmeticModelBuilder;
use laz::record::{LayeredFieldCompressor, LayeredPointRecordCompressor, RecordCompressor};
use std::io::{self, Cursor, Write};

/// Compresses a whole chunk of points that are `stride` bytes long, `standard` of them standard
/// fields.
pub(crate) fn compress_chunk(points: &[u8], stride: usize, standard: usize) -> io::Result<Vec<u8>> {
    let mut compressor = LayeredPointRecordCompressor::new(Vec::new());
    compressor.add_field_compressor(LasPoint6Compressor::default());
    if standard >= POINT_LEN + RGB_LEN {
        compressor.add_field_compressor(LasRGBCompressor::default());
    }
    compressor.add_field_compressor(ExtraLayers { points, stride, standard, layers: Vec::new() });
    compressor.compress_many(points)?;
    compressor.done()?;
    Ok(compressor.into_inner())
}

/// Compresses the extra bytes of a chunk layer by layer.
struct ExtraLayers<'a> {
    points: &'a [u8],
    stride: usize,
    standard: usize,
    /// The coded layers; empty for a layer that does not change.
    layers: Vec<Vec<u8>>,
}

impl<W: Write> LayeredFieldCompressor<W> for ExtraLayers<'_> {
    fn size_of_field(&self) -> usize {
        self.stride.saturating_sub(self.standard)
    }

    fn init_first_point(
        &mut self,
        dst: &mut W,
        first_point: &[u8],
        _context: &mut usize,
    ) -> io::Result<()> {
        dst.write_all(first_point)
    }

    /// Nothing to do: all points of the chunk are at hand when the layers are requested.
    fn compress_field_with(&mut self, _point: &[u8], _context: &mut usize) -> io::Result<()> {
        Ok(())
    }

    fn write_layers_sizes(&mut self, dst: &mut W) -> io::Result<()> {
        let rows = self.points.len() / self.stride.max(1);
        if rows == 0 {
            return Ok(());
        }
        // Columns are gathered block by block, so that a block is read from memory only once.
        const BLOCK_ROWS: usize = 256;
        let mut columns = vec![0; rows * self.stride.saturating_sub(self.standard)];
        for (block, points) in self.points.chunks(BLOCK_ROWS * self.stride).enumerate() {
            for (offset, column) in (self.standard..).zip(columns.chunks_exact_mut(rows)) {
                let bytes = column.iter_mut().skip(block * BLOCK_ROWS);
                for (byte, point) in bytes.zip(points.chunks_exact(self.stride)) {
                    *byte = point[offset];
                }
            }
        }
        for column in columns.chunks_exact(rows) {
            let layer = encode_layer(column)?;
            dst.write_all(&(layer.len() as u32).to_le_bytes())?;
            self.layers.push(layer);
        }
        Ok(())
    }

    fn write_layers(&mut self, dst: &mut W) -> io::Result<()> {
        self.layers.iter().try_for_each(|layer| dst.write_all(layer))
    }
}

/// Codes the differences from byte to byte; nothing if there are none.
fn encode_layer(column: &[u8]) -> io::Result<Vec<u8>> {
    if column.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(Vec::new());
    }
    let mut encoder = ArithmeticEncoder::new(Cursor::new(Vec::new()));
    let mut model = ArithmeticModelBuilder::new(256).with_compression(true).build();
    for pair in column.windows(2) {
        encoder.encode_symbol(&mut model, u32::from(pair[1].wrapping_sub(pair[0])))?;
    }
    encoder.done()?;
    Ok(encoder.into_inner().into_inner())
}

/// Undoes [`encode_layer`]: fills `column`, whose first byte is `first`.
pub(crate) fn decode_layer(layer: &[u8], first: u8, column: &mut [u8]) -> io::Result<()> {
    if layer.is_empty() {
        column.fill(first);
        return Ok(());
    }
    let mut decoder = ArithmeticDecoder::new(layer);
    decoder.read_init_bytes()?;
    let mut model = ArithmeticModelBuilder::new(256).build();
    let mut last = first;
    for (row, byte) in column.iter_mut().enumerate() {
        if row > 0 {
            last = last.wrapping_add(decoder.decode_symbol(&mut model)? as u8);
        }
        *byte = last;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use laz::{LazItemRecordBuilder, LazVlr};

    /// The chunk must be what the `laz` crate itself writes, byte for byte.
    #[test]
    fn layers_equal_those_of_the_point_by_point_compressor() {
        let point6 = LazItemRecordBuilder::default_version_of::<laz::las::Point6>(12);
        let point7 = LazItemRecordBuilder::default_version_of::<laz::las::Point7>(12);
        equal_theirs(POINT_LEN, &point6);
        equal_theirs(POINT_LEN + RGB_LEN, &point7);
    }

    fn equal_theirs(standard: usize, items: &[laz::LazItem]) {
        let stride = standard + 12;
        let mut points = vec![0u8; 5000 * stride];
        let mut state = 1u32;
        for (row, point) in points.chunks_exact_mut(stride).enumerate() {
            for (i, byte) in point.iter_mut().enumerate() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *byte = match i {
                    14 => 0x11,
                    15 => 0,
                    30..34 => 7,
                    34 => (row / 100) as u8,
                    _ => (state >> 24) as u8,
                };
            }
        }
        for rows in [1, 2, 17, 5000] {
            let points = &points[..rows * stride];
            let items = items.to_vec();
            let mut theirs = Cursor::new(Vec::new());
            let mut compressor =
                laz::LasZipCompressor::new(&mut theirs, LazVlr::from_laz_items(items)).unwrap();
            compressor.compress_many(points).unwrap();
            compressor.done().unwrap();
            drop(compressor);
            let theirs = theirs.into_inner();
            let ours = compress_chunk(points, stride, standard).unwrap();
            // 8 bytes with the position of the chunk table stand in front of the chunk.
            assert_eq!(&theirs[8..8 + ours.len()], ours, "{rows} rows");
            let table = u64::from_le_bytes(theirs[..8].try_into().unwrap());
            assert_eq!(table, 8 + ours.len() as u64);
        }
    }
}
