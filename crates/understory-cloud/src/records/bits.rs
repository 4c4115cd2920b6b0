//! Columns shown to whoever takes them by their bits: [`block`](super::block) stores them, and
//! records and waveforms are looked at and filled in the same way.

/// Looks at columns.
pub(crate) trait ReadColumn {
    /// One column.
    fn column<T: Bits>(&mut self, values: &[T]);
}

/// Fills columns.
pub(crate) trait FillColumn {
    /// One column; `None` if there are not enough bytes for it.
    fn column<T: Bits>(&mut self, values: &mut Vec<T>) -> Option<()>;
}

/// A value as one or several whole numbers of up to 64 bits.
pub(crate) trait Bits: Copy + Default {
    /// How many numbers.
    const PARTS: usize;
    /// Bytes of each.
    const BYTES: usize;
    /// Number `part`.
    fn bits(self, part: usize) -> u64;
    /// Puts number `part` in.
    fn set(&mut self, part: usize, bits: u64);
}

macro_rules! bits {
    ($($ty:ty, $bytes:literal, $to:expr, $from:expr;)*) => {$(
        impl Bits for $ty {
            const PARTS: usize = 1;
            const BYTES: usize = $bytes;
            #[inline(always)]
            fn bits(self, _part: usize) -> u64 {
                $to(self)
            }
            #[inline(always)]
            fn set(&mut self, _part: usize, bits: u64) {
                *self = $from(bits);
            }
        }
    )*};
}

bits! {
    u8, 1, u64::from, |bits| bits as u8;
    u16, 2, u64::from, |bits| bits as u16;
    u32, 4, u64::from, |bits| bits as u32;
    u64, 8, |value| value, |bits| bits;
    f32, 4, |value: f32| u64::from(value.to_bits()), |bits| f32::from_bits(bits as u32);
    f64, 8, |value: f64| value.to_bits(), f64::from_bits;
}

impl<T: Bits> Bits for [T; 3] {
    const PARTS: usize = 3;
    const BYTES: usize = T::BYTES;
    #[inline(always)]
    fn bits(self, part: usize) -> u64 {
        self[part].bits(0)
    }
    #[inline(always)]
    fn set(&mut self, part: usize, bits: u64) {
        self[part].set(0, bits);
    }
}
