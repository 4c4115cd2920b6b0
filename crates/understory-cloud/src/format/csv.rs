//! Numbers in columns of text: CSV with names, and whatever other programs call text.

pub(super) mod read;
pub(super) mod write;
