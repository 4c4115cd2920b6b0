//! The numbers and strings of a ROS 2 message: CDR as DDS writes it (XCDR version 1, plain).
//!
//! Four bytes say in which order the bytes of numbers stand; from there on every number is aligned
//! to its own size. Nothing is read beyond the end: an error is the byte at which the message was
//! too short.

/// Reads a message from its start.
pub(super) struct CdrReader<'a> {
    /// Behind the four bytes.
    body: &'a [u8],
    at: usize,
    big_endian: bool,
}

/// Bytes before the body.
const HEADER: usize = 4;

impl<'a> CdrReader<'a> {
    /// Takes the four bytes; an error says what they are.
    pub(super) fn new(message: &'a [u8]) -> Result<CdrReader<'a>, String> {
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

    pub(super) fn u32(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, String> {
        self.take().map(i32::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64, String> {
        self.take().map(f64::from_le_bytes)
    }

    /// `N` numbers one after another.
    pub(super) fn f64s<const N: usize>(&mut self) -> Result<[f64; N], String> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.f64()?;
        }
        Ok(values)
    }

    /// A string: its length with the zero at its end, then its bytes.
    pub(super) fn string(&mut self) -> Result<&'a str, String> {
        let length = self.u32()? as usize;
        let end = self.at.checked_add(length).ok_or_else(|| self.too_short())?;
        let bytes = self.body.get(self.at..end).ok_or_else(|| self.too_short())?;
        let text = std::str::from_utf8(bytes.strip_suffix(&[0]).unwrap_or(bytes))
            .map_err(|_| format!("byte {} begins no text", HEADER + self.at))?;
        self.at = end;
        Ok(text)
    }
}
