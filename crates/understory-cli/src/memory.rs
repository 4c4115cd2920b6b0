//! `--max-memory`: how much a scene may need, as it is typed and as it is unless it is said.

use std::str::FromStr;

/// Share of the machine's memory that a scene may have unless it is said.
const SHARE: f64 = 0.8;

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

/// What a scene may have unless it is said: 80 % of the machine's memory, all where that is unknown.
pub fn default_limit() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    machine_bytes(&text).map_or(u64::MAX, |bytes| (bytes as f64 * SHARE) as u64)
}

/// `MemTotal:  24689768 kB` of /proc/meminfo.
fn machine_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
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

    #[test]
    fn the_machine_says_how_much_it_has() {
        assert_eq!(
            machine_bytes("MemTotal:       24689768 kB\nMemFree: 1 kB\n"),
            Some(25282322432)
        );
        assert_eq!(machine_bytes("nothing"), None);
        assert!(default_limit() > 0);
    }
}
