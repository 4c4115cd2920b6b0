//! PLY: a header that names the columns, then rows.

pub(super) mod read;
pub(super) mod write;
