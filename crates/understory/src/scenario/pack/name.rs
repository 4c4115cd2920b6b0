//! Names of entries: where a file lies within a pack.
//!
//! A name is a relative path of plain parts with `/` between them. It means the same on every
//! system and never leads out of the folder into which a pack is unpacked.

use crate::Error;
use std::path::{Component, Path};

/// Letters that some system gives a meaning of its own.
const SPECIAL: [char; 8] = ['\\', ':', '*', '?', '"', '<', '>', '|'];

/// Refuses a name that is not plain.
pub fn check(name: &str, location: &str) -> Result<(), Error> {
    if name.len() <= 4096 && name.split('/').all(is_plain) {
        return Ok(());
    }
    Err(Error::invalid(
        location,
        format!("the name {name:?} could lead out of the folder of the pack"),
        "do not use this pack, or make it again with `understory pack`",
    ))
}

/// Whether one part of a path means a file or folder of that name and nothing else, everywhere.
pub fn is_plain(part: &str) -> bool {
    let special = |letter: char| letter.is_control() || SPECIAL.contains(&letter);
    !part.is_empty()
        && part.len() <= 255
        && !part.contains(special)
        && !part.ends_with(['.', ' '])
        && !is_device(part)
}

/// The last part of a path as a plain name.
pub fn plain(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let swap = |letter: char| match letter {
        '/' => '_',
        letter if letter.is_control() || SPECIAL.contains(&letter) => '_',
        letter => letter,
    };
    let mut name: String = name.chars().map(swap).collect();
    if name.ends_with(['.', ' ']) || name.is_empty() {
        name.push('_');
    }
    if is_device(&name) || name.len() > 200 {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
        name = format!("file.{}", if ending.is_empty() { "bin" } else { &ending });
    }
    name
}

/// Names that mean a device on Windows, with any ending.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = |start: &str| {
        stem.strip_prefix(start).is_some_and(|rest| rest.len() == 1 && rest != "0")
            && stem.ends_with(|letter: char| letter.is_ascii_digit())
    };
    ["con", "prn", "aux", "nul"].contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

/// A path beside a file: how many folders it climbs first, and the plain parts that follow.
///
/// `None` for a path that starts at a root, that climbs after it has descended, or whose parts are
/// not plain: such a path cannot be kept as it is.
pub fn beside(path: &Path) -> Option<(usize, Vec<String>)> {
    let (mut up, mut parts) = (0, Vec::new());
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if parts.is_empty() => up += 1,
            Component::Normal(part) => {
                parts.push(part.to_str().filter(|part| is_plain(part))?.to_owned());
            }
            _ => return None,
        }
    }
    (!parts.is_empty()).then_some((up, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for good in ["scenario.toml", "files/0/a b.obj", "files/1/ü.mtl", ".hidden", "conifer.obj"]
        {
            check(good, "x").unwrap();
        }
        let long = "a/".repeat(3000);
        for bad in [
            "",
            "/etc/passwd",
            "../a",
            "a/../b",
            "a/..",
            ".",
            "./a",
            "a//b",
            "a/",
            "c:\\a",
            "c:a",
            "a\\..\\b",
            "nul",
            "COM1.txt",
            "lpt9",
            "a\0b",
            "a\nb",
            "a.",
            "a ",
            &long,
        ] {
            assert!(check(bad, "x").is_err(), "{bad:?}");
        }
    }

    #[test]
    fn any_file_name_becomes_a_plain_one() {
        for path in ["a/oak.obj", "C:oak", "..", "", "con.obj", "a?b*.csv", "x/ . ", "a."] {
            let name = plain(Path::new(path));
            assert!(is_plain(&name), "{path:?} → {name:?}");
        }
        assert_eq!(plain(Path::new("a/oak.obj")), "oak.obj");
        assert!(is_plain(&plain(Path::new(&format!("{}.obj", "x".repeat(400))))));
    }

    #[test]
    fn paths_beside_a_file_are_taken_apart() {
        let parts = |path: &str| beside(Path::new(path));
        assert_eq!(parts("a.mtl"), Some((0, vec!["a.mtl".into()])));
        assert_eq!(parts("./m/a.mtl"), Some((0, vec!["m".into(), "a.mtl".into()])));
        assert_eq!(parts("../../m/a.mtl"), Some((2, vec!["m".into(), "a.mtl".into()])));
        for bad in ["/a.mtl", "m/../a.mtl", "..", "", "a:b.mtl"] {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}
