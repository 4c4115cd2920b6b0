//! PCD 0.7 of the Point Cloud Library, plain and compressed by LZF.

mod header;
mod lzf;
pub(super) mod read;
pub(super) mod write;
mod write_compressed;
