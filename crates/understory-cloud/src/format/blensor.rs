//! BlenSor's record of twelve fields: as text, as a NumPy array and as its own binary file (EVD).

pub(super) mod read;
pub(super) mod write;
