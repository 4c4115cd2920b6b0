//! How a value says that it cannot be, through `serde`, whose errors are plain texts.
//!
//! A type that checks itself gives a [`Refusal`] to serde; [`Refusal::read`] gets it back from the
//! message, where the reader knows the key and the line.

use std::fmt::{self, Display};

/// What stands between the parts of a message; no text that people write has it.
const MARK: char = '\u{1}';

/// Why a value cannot be.
pub(crate) struct Refusal {
    /// What it does: "is -1", "has 4 values".
    pub does: String,
    /// What to do about it.
    pub remedy: String,
}

impl Refusal {
    /// The refusal that a message of serde holds, if it holds one.
    pub fn read(message: &str) -> Option<Refusal> {
        let (does, remedy) = message.strip_prefix(MARK)?.split_once(MARK)?;
        Some(Refusal { does: does.to_owned(), remedy: remedy.to_owned() })
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{}{MARK}{}", self.does, self.remedy)
    }
}
