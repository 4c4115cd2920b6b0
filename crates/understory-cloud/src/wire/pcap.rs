//! Network captures: datagrams in a file, written and read. What is in a datagram, others know.

mod datagrams;
mod frames;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use datagrams::{Datagram, Datagrams, Skipped};
pub(crate) use writer::CaptureWriter;
