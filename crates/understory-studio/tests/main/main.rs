//! The studio as a page meets it: every call and every refusal over real connections.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

mod bounds;
mod calls;
mod documents;
mod learning;
mod security;
mod support;
