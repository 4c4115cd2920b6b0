//! The numbers and strings of a ROS 2 message: CDR as DDS writes it (XCDR version 1, plain).
//!
//! Four bytes say in which order the bytes of numbers stand; from there on every number is aligned
//! to its own size. Nothing is read beyond the end: an error is the byte at which the message was
//! too short. What is written is little-endian.

/// Reads a message from its start.
pub(crate) struct CdrReader<'a> {
    /// Behind the four bytes.
    body: &'a [u8],
    at: usize,
    big_endian: bool,
}

/// Bytes before the body.
const HEADER: usize = 4;
/// Longest text: names of frames and fields.
const TEXT_MAX: usize = 4096;

impl<'a> CdrReader<'a> {
    /// Takes the four bytes; an error says what they are.
    pub(crate) fn new(message: &'a [u8]) -> Result<CdrReader<'a>, String> {
        let big_endian = match message.get(..2) {
            Some([0, 0]) => true,
            Some([0, 1]) => false,
            Some(other) => return Err(format!("its encoding {other:?} is not plain CDR")),
            None => return Err("it is empty".to_owned()),
        };
        let body = message.get(HEADER..).ok_or("it ends at byte 4")?;
        Ok(CdrReader { body, at: 0, big_endian })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let start = self.at.next_multiple_of(N);
        let bytes = self.body.get(start..).and_then(|rest| rest.first_chunk::<N>());
        let mut bytes = *bytes.ok_or_else(|| self.too_short())?;
        self.at = start + N;
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    fn too_short(&self) -> String {
        let length = HEADER + self.body.len();
        format!("it ends at byte {length}, where more was to come behind byte {}", HEADER + self.at)
    }

    /// The byte of the message at which the next value is looked for.
    pub(crate) fn position(&self) -> usize {
        HEADER + self.at
    }

    pub(crate) fn u8(&mut self) -> Result<u8, String> {
        self.take().map(u8::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, String> {
        self.take().map(u64::from_le_bytes)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, String> {
        self.take().map(f32::from_le_bytes)
    }

    /// Whether numbers stand with their most significant byte first.
    pub(crate) fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// The next `length` bytes, behind those that align them to `align`.
    pub(crate) fn bytes(&mut self, length: usize, align: usize) -> Result<&'a [u8], String> {
        let start = self.at.next_multiple_of(align.max(1));
        let end = start.checked_add(length).ok_or_else(|| self.too_short())?;
        let bytes = self.body.get(start..end).ok_or_else(|| self.too_short())?;
        self.at = end;
        Ok(bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, String> {
        self.take().map(i32::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, String> {
        self.take().map(f64::from_le_bytes)
    }

    /// `N` numbers one after another.
    pub(crate) fn f64s<const N: usize>(&mut self) -> Result<[f64; N], String> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.f64()?;
        }
        Ok(values)
    }

    /// A string: its length with the zero at its end, then its bytes.
    pub(crate) fn string(&mut self) -> Result<&'a str, String> {
        let length = self.u32()? as usize;
        if length > TEXT_MAX {
            return Err(format!("a text at byte {} is {length} bytes long", HEADER + self.at));
        }
        let end = self.at.checked_add(length).ok_or_else(|| self.too_short())?;
        let bytes = self.body.get(self.at..end).ok_or_else(|| self.too_short())?;
        let text = std::str::from_utf8(bytes.strip_suffix(&[0]).unwrap_or(bytes))
            .map_err(|_| format!("byte {} begins no text", HEADER + self.at))?;
        self.at = end;
        Ok(text)
    }
}

/// Writes a message into memory that is used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct CdrWriter {
    bytes: Vec<u8>,
}

impl CdrWriter {
    /// Forgets the last message and begins another: plain CDR, little-endian.
    pub(crate) fn begin(&mut self) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&[0, 1, 0, 0]);
    }

    /// The message so far.
    pub(crate) fn message(&self) -> &[u8] {
        &self.bytes
    }

    fn put<const N: usize>(&mut self, value: [u8; N]) {
        let body = self.bytes.len() - HEADER;
        self.bytes.resize(HEADER + body.next_multiple_of(N), 0);
        self.bytes.extend_from_slice(&value);
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.put(value.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.put(value.to_le_bytes());
    }

    pub(crate) fn i32(&mut self, value: i32) {
        self.put(value.to_le_bytes());
    }

    pub(crate) fn f32(&mut self, value: f32) {
        self.put(value.to_le_bytes());
    }

    pub(crate) fn f64s(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.put(value.to_le_bytes()));
    }

    /// A string with the zero at its end; nothing of it may be a zero itself.
    pub(crate) fn string(&mut self, text: &str) {
        self.u32(text.len() as u32 + 1);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    /// The length of a sequence of bytes, which `fill` then appends.
    pub(crate) fn byte_sequence(&mut self, length: usize, fill: impl FnOnce(&mut [u8])) {
        self.u32(length as u32);
        let start = self.bytes.len();
        self.bytes.resize(start + length, 0);
        fill(&mut self.bytes[start..]);
    }

    /// A sequence of floats.
    pub(crate) fn f32_sequence(&mut self, values: &[f32]) {
        self.u32(values.len() as u32);
        values.iter().for_each(|value| self.bytes.extend_from_slice(&value.to_le_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alignment counts from behind the four bytes: an f64 after a string of any length.
    #[test]
    fn what_is_written_is_read() {
        let mut writer = CdrWriter::default();
        for text in ["", "a", "map", "odom", "base_link"] {
            writer.begin();
            writer.u8(7);
            writer.string(text);
            writer.f64s(&[1.5, -2.5]);
            writer.u8(1);
            writer.f32(0.25);
            writer.byte_sequence(3, |bytes| bytes.copy_from_slice(&[1, 2, 3]));
            writer.f32_sequence(&[4.0, f32::INFINITY]);
            let mut reader = CdrReader::new(writer.message()).unwrap();
            assert_eq!(reader.u8().unwrap(), 7);
            assert_eq!(reader.string().unwrap(), text);
            assert_eq!(reader.f64s::<2>().unwrap(), [1.5, -2.5]);
            assert_eq!(reader.u8().unwrap(), 1);
            assert_eq!(reader.f32().unwrap(), 0.25);
            assert_eq!(reader.u32().unwrap(), 3);
            assert_eq!(reader.bytes(3, 1).unwrap(), [1, 2, 3]);
            assert_eq!(reader.u32().unwrap(), 2);
            assert_eq!(reader.f32().unwrap(), 4.0);
            assert_eq!(reader.f32().unwrap(), f32::INFINITY);
            assert!(reader.u8().unwrap_err().contains("where more was to come"));
        }
    }
}
