//! Columns of numbers → the bytes of a block, as [`protocol`](crate::protocol) lays it out.

use bytes::Bytes;
use serde::Serialize;

use crate::protocol::block::{BlockHeader, ColumnHeader, NumberKind};

const MAGIC: &[u8; 4] = b"USB1";
/// Everything begins at multiples of this.
const ALIGN: usize = 8;

/// A number that columns hold.
pub trait Number: Copy {
    /// What it is.
    const KIND: NumberKind;
    /// Appends its bytes, the lowest first.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($ty:ty: $kind:ident),*) => {$(
        impl Number for $ty {
            const KIND: NumberKind = NumberKind::$kind;
            #[inline]
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers!(u8: U8, u16: U16, u32: U32, f32: F32, f64: F64);

/// A block as its columns come in.
pub struct BlockBuilder {
    kind: &'static str,
    offset_m: [f64; 3],
    columns: Vec<ColumnHeader>,
    data: Vec<u8>,
}

impl BlockBuilder {
    /// An empty block of this kind, whose positions are relative to `offset_m`.
    pub fn new(kind: &'static str, offset_m: [f64; 3]) -> BlockBuilder {
        BlockBuilder { kind, offset_m, columns: Vec::new(), data: Vec::new() }
    }

    /// Adds a column with `width` numbers in a row.
    pub fn column<T: Number>(&mut self, name: &str, width: usize, values: &[T]) {
        let offset = self.data.len();
        self.data.reserve(size_of_val(values) + ALIGN);
        values.iter().for_each(|value| value.append(&mut self.data));
        self.data.resize(self.data.len().next_multiple_of(ALIGN), 0);
        self.columns.push(ColumnHeader {
            name: name.to_owned(),
            kind: T::KIND,
            width: width as u32,
            rows: (values.len() / width.max(1)) as u32,
            offset: offset as u32,
        });
    }

    /// The bytes; `extra` is what else belongs to this kind of block.
    pub fn finish(self, extra: &impl Serialize) -> Bytes {
        let header = BlockHeader {
            kind: self.kind.to_owned(),
            offset_m: self.offset_m,
            columns: self.columns,
            extra: serde_json::to_value(extra).unwrap_or_default(),
        };
        let mut head = serde_json::to_vec(&header).unwrap_or_default();
        head.resize(head.len().next_multiple_of(ALIGN), b' ');
        let mut bytes = Vec::with_capacity(16 + head.len() + self.data.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(head.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.data.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&self.data);
        Bytes::from(bytes)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn everything_begins_at_multiples_of_eight() {
        let mut block = BlockBuilder::new("points", [1000.0, 0.0, 0.0]);
        block.column("a", 1, &[1u8, 2, 3]);
        block.column("b", 3, &[0.5f32, 1.5, 2.5]);
        let bytes = block.finish(&serde_json::json!({ "layer": 3 }));
        assert_eq!(&bytes[..4], b"USB1");
        let head = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        let data = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
        assert_eq!((head % 8, data, bytes.len()), (0, 8 + 16, 16 + head + data));
        let header: BlockHeader = serde_json::from_slice(&bytes[16..16 + head]).unwrap();
        assert_eq!((header.columns[1].offset, header.columns[1].rows), (8, 1));
        let b = 16 + head + 8;
        assert_eq!(f32::from_le_bytes(bytes[b + 4..b + 8].try_into().unwrap()), 1.5);
    }
}
