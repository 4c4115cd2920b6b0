//! `--max-memory`: how much a scene may need, as it is typed.

use std::str::FromStr;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    /// `4GB`, `512 MB`, `3.5GiB`, `2e9`.
    fn from_str(text: &str) -> Result<Bytes, String> {
        let text = text.trim();
        let split = text.rfind(|c: char| c.is_ascii_digit() || c == '.').map_or(0, |at| at + 1);
        let (number, unit) = text.split_at(split);
        let factor = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => Some(1.0),
            "k" | "kb" => Some(1e3),
            "m" | "mb" => Some(1e6),
            "g" | "gb" => Some(1e9),
            "t" | "tb" => Some(1e12),
            "kib" => Some(1024.0),
            "mib" => Some(1024f64.powi(2)),
            "gib" => Some(1024f64.powi(3)),
            "tib" => Some(1024f64.powi(4)),
            _ => None,
        };
        let bytes = factor.zip(number.trim().parse::<f64>().ok()).map(|(f, n)| f * n);
        match bytes {
            Some(bytes) if (1.0..1e18).contains(&bytes) => Ok(Bytes(bytes as u64)),
            _ => Err("give a size such as 4GB, 512MB or 3.5GiB".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("4GB", 4_000_000_000),
            ("512 MB", 512_000_000),
            ("3.5GiB", 3_758_096_384),
            ("2e9", 2_000_000_000),
            ("100k", 100_000),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "GB", "-4GB", "4 parsecs", "nan", "0", "1e300GB", "four"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }
}
