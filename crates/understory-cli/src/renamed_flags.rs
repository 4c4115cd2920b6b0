//! Flags that have a newer name: arguments → the same with today's names, and a hint for each.

use std::ffi::OsString;

/// Old and new name.
const RENAMED: [(&str, &str); 2] =
    [("--far-plants", "--vegetation-lod"), ("--rebuild-misses", "--recover-misses")];

/// The arguments with today's names of flags.
pub fn current(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    arguments.map(current_name).collect()
}

fn current_name(argument: OsString) -> OsString {
    let Some(text) = argument.to_str() else { return argument };
    for (old, new) in RENAMED {
        let Some(rest) = text.strip_prefix(old) else { continue };
        if rest.is_empty() || rest.starts_with('=') {
            tracing::warn!("{old} is called {new} now; the old name is still read");
            return format!("{new}{rest}").into();
        }
    }
    argument
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_become_new_ones_and_nothing_else_changes() {
        let given = ["--far-plants=auto", "--rebuild-misses", "--far-plants-of-mine", "far-plants"];
        let read = current(given.iter().map(OsString::from));
        let expected =
            ["--vegetation-lod=auto", "--recover-misses", "--far-plants-of-mine", "far-plants"];
        assert_eq!(read, expected);
    }
}
