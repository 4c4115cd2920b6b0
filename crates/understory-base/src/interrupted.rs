//! Reading that a signal does not end.

use std::io::{ErrorKind, Read, Result};

/// Reads some bytes, as [`Read::read`] does, and again where a signal came in between: on network file
/// systems that is no error of the file.
pub fn read_some(from: &mut (impl Read + ?Sized), into: &mut [u8]) -> Result<usize> {
    loop {
        match from.read(into) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every second call is interrupted.
    struct Disturbed(bool);

    impl Read for Disturbed {
        fn read(&mut self, into: &mut [u8]) -> Result<usize> {
            self.0 = !self.0;
            if self.0 { Err(ErrorKind::Interrupted.into()) } else { Ok(into.len()) }
        }
    }

    #[test]
    fn an_interrupted_call_is_made_again() {
        let mut bytes = [0; 3];
        assert_eq!(read_some(&mut Disturbed(false), &mut bytes).unwrap(), 3);
    }
}
