//! Network captures of the packets of sensors: [`wire`](crate::wire) in a file.

pub(super) mod read;
mod read_ouster;
pub(super) mod write;
