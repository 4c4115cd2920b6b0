//! Files of strangers: a path and the most bytes that it may have enter, its bytes leave.
//!
//! Pipes and devices never end and folders have no bytes: only regular files are read. The length
//! is asked for before memory is taken, and a file that grows meanwhile is cut off and refused.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Most bytes of a text that people write: a scenario, a sensor, a plant. Each byte of it may take
/// fifty while it is parsed.
pub const TEXT_MAX_BYTES: u64 = 16 << 20;

/// Opens a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // Asked before it is opened: opening a pipe waits for whoever writes into it.
    refuse_irregular(&path.metadata()?)?;
    let file = File::open(path)?;
    refuse_irregular(&file.metadata()?)?;
    Ok(file)
}

/// The bytes of a regular file that has at most `most_bytes`.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let too_long = |length: u64| {
        let problem = format!("it has {length} bytes, more than the {most_bytes} that are read");
        io::Error::new(ErrorKind::FileTooLarge, problem)
    };
    if length > most_bytes {
        return Err(too_long(length));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(too_long(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The text of a regular file that has at most [`TEXT_MAX_BYTES`].
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path, TEXT_MAX_BYTES)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

fn refuse_irregular(metadata: &std::fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "a folder" } else { "a device or a pipe" };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {what} and no regular file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused() {
        for path in ["/dev/zero", "/dev/stdin", "/proc/self"] {
            let error = read(Path::new(path), 100).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{path}: {error}");
        }
        // These have no length until they are read.
        let error = read(Path::new("/proc/self/maps"), 100).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{error}");
    }

    #[test]
    fn the_limit_is_a_length_that_may_be_read() {
        let path = std::env::temp_dir().join(format!("understory-base-{}", std::process::id()));
        std::fs::write(&path, [7; 100]).unwrap();
        let (all, error) = (read(&path, 100), read(&path, 99).unwrap_err());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(all.unwrap(), [7; 100]);
        assert!(error.to_string().contains("100 bytes, more than the 99"), "{error}");
    }
}
