//! The studio: a page in which worlds are looked at, scanned and compared, and the server behind it.
//!
//! What enters: a folder to serve and perhaps a scenario. What leaves: an address on loopback, and
//! what the page asks for. [`protocol`] says every call; the page itself is in `page/`.

pub mod protocol;
